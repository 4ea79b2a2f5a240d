/* Texture and memory lookups of sixteen lanes (guide section 4).
 *
 * Filtering works on 8-bit channels with 8-bit weights, rounded to nearest. The level of detail is the
 * logarithm of the longer of the two steps across a quad, taken from its upper left pixel, plus the bias. */
#include <math.h>

#include "runtime/machine.h"
#include "runtime/texture.h"

struct sampler {
    const struct qpusim_memory *memory;
    struct sim_layout layout;
    uint32_t base, cube_stride, border;
    bool cube, flip_y, etc_flip, bias_only;
    unsigned wrap_s, wrap_t, mag, min, log_block;
    bool failed;
};

static bool decode_setup(struct sampler *s, const struct sim_tmu_request *q) {
    uint32_t p0 = q->param[0], p1 = q->param[1];
    unsigned width = p1 >> 8 & 2047, height = p1 >> 20 & 2047;
    unsigned format = (p0 >> 4 & 15) | (p1 >> 31) << 4;
    s->base = p0 & ~0xfffu;
    s->cube = p0 >> 9 & 1;
    s->flip_y = p0 >> 8 & 1;
    s->etc_flip = p1 >> 19 & 1;
    s->wrap_s = p1 & 3;
    s->wrap_t = p1 >> 2 & 3;
    s->mag = p1 >> 7 & 1;
    s->min = p1 >> 4 & 7;
    s->border = q->written & 4 && !s->cube ? q->coord[2][0] : 0;
    for (unsigned i = 2; i < 4; i++) {
        uint32_t p = q->param[i];
        if (p >> 30 == 1) {
            s->cube_stride = p & 0x3ffff000;
            s->bias_only |= p & 1;
        } else if (p >> 30) {
            return false; /* child images: OpenVG's, not modelled */
        }
    }
    unsigned levels = (p0 & 15) + 1;
    if (s->min > QPUSIM_MIN_LINEAR_MIP_LINEAR || levels > SIM_MAX_LEVELS)
        return false;
    if (s->min < QPUSIM_MIN_NEAREST_MIP_NEAREST)
        levels = 1;
    if (!sim_layout_init(&s->layout, format, width ? width : 2048, height ? height : 2048, levels))
        return false;
    s->log_block = s->layout.block == 4 ? 2 : 0;
    return true;
}

SIM_INLINE uint32_t fetch(struct sampler *s, unsigned face, unsigned level, unsigned x, unsigned y) {
    const struct sim_layout *l = &s->layout;
    if (s->flip_y)
        y = l->level[level].height - 1 - y;
    uint32_t address = s->base + face * s->cube_stride + (uint32_t)l->level[level].offset +
                       sim_layout_offset(l, level, x >> s->log_block, y >> s->log_block);
    const uint8_t *bytes = sim_memory_at(s->memory, address, l->unit);
    if (!bytes) {
        s->failed = true;
        return 0;
    }
    if (l->format == QPUSIM_RGBA8888) {
        uint32_t word;
        memcpy(&word, bytes, 4);
        return word;
    }
    return sim_texel_decode(l->format, bytes, x & (l->block - 1), y & (l->block - 1), s->etc_flip);
}

/* Texel number to a place in the image; -1: border. */
SIM_INLINE int wrap(int i, int size, unsigned mode) {
    switch (mode) {
    case QPUSIM_REPEAT: /* scale() left it in -1..size */ return i < 0 ? i + size : i >= size ? i - size : i;
    case QPUSIM_MIRROR:
        i %= 2 * size;
        if (i < 0)
            i += 2 * size;
        return i < size ? i : 2 * size - 1 - i;
    case QPUSIM_BORDER: return i < 0 || i >= size ? -1 : i;
    default: return i < 0 ? 0 : i >= size ? size - 1 : i;
    }
}

/* Coordinate in texels, kept within what an int with 8 fraction bits holds. */
SIM_INLINE double scale(float c, unsigned size, unsigned mode) {
    double v = c;
    if (!isfinite(v))
        return 0;
    if (mode == QPUSIM_REPEAT)
        v -= floor(v);
    else if (mode == QPUSIM_MIRROR)
        v -= 2 * floor(v / 2);
    v *= size;
    double most = 2.0 * size + 2;
    return v < -most ? -most : v > most ? most : v;
}

SIM_INLINE uint32_t texel(struct sampler *s, unsigned face, unsigned level, int x, int y) {
    return x < 0 || y < 0 ? s->border : fetch(s, face, level, (unsigned)x, (unsigned)y);
}

SIM_INLINE uint32_t sample(struct sampler *s, unsigned face, unsigned level, float cs, float ct,
                           bool linear) {
    const struct sim_level *v = &s->layout.level[level];
    unsigned ws = s->cube ? QPUSIM_CLAMP : s->wrap_s, wt = s->cube ? QPUSIM_CLAMP : s->wrap_t;
    int w = (int)v->width, h = (int)v->height;
    double u = scale(cs, v->width, ws), t = scale(ct, v->height, wt);
    if (!linear)
        return texel(s, face, level, wrap((int)floor(u), w, ws), wrap((int)floor(t), h, wt));
    int fu = (int)floor((u - 0.5) * 256 + 0.5), ft = (int)floor((t - 0.5) * 256 + 0.5);
    int x = fu >> 8, y = ft >> 8;
    unsigned a = (unsigned)fu & 255, b = (unsigned)ft & 255;
    int x0 = wrap(x, w, ws), x1 = wrap(x + 1, w, ws), y0 = wrap(y, h, wt), y1 = wrap(y + 1, h, wt);
    uint32_t c00 = texel(s, face, level, x0, y0), c10 = texel(s, face, level, x1, y0);
    uint32_t c01 = texel(s, face, level, x0, y1), c11 = texel(s, face, level, x1, y1);
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        uint32_t top = (c00 >> k & 255) * (256 - a) + (c10 >> k & 255) * a;
        uint32_t bottom = (c01 >> k & 255) * (256 - a) + (c11 >> k & 255) * a;
        r |= ((top * (256 - b) + bottom * b + 0x8000) >> 16) << k;
    }
    return r;
}

/* Cube coordinates: the face of the major axis and the place on it (OpenGL ES 2.0, section 3.7.5). */
static unsigned cube_face(float x, float y, float z) {
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    if (ax >= ay && ax >= az)
        return x < 0;
    if (ay >= az)
        return 2 + (y < 0);
    return 4 + (z < 0);
}

static void cube_place(unsigned face, float x, float y, float z, float *s, float *t) {
    float sc, tc, ma;
    switch (face) {
    case 0: sc = -z, tc = -y, ma = x; break;
    case 1: sc = z, tc = -y, ma = -x; break;
    case 2: sc = x, tc = z, ma = y; break;
    case 3: sc = x, tc = -z, ma = -y; break;
    case 4: sc = x, tc = -y, ma = z; break;
    default: sc = -x, tc = -y, ma = -z; break;
    }
    if (ma == 0)
        ma = 1;
    *s = (sc / ma + 1) * 0.5f;
    *t = (tc / ma + 1) * 0.5f;
}

static float lane(const struct sim_tmu_request *q, unsigned coord, unsigned i) {
    return sim_float(q->coord[coord][i]);
}

static void place(const struct sampler *s, const struct sim_tmu_request *q, unsigned i, unsigned *face,
                  bool choose, float *cs, float *ct) {
    if (!s->cube) {
        *face = 0;
        *cs = lane(q, 0, i);
        *ct = lane(q, 1, i);
        return;
    }
    float x = lane(q, 0, i), y = lane(q, 1, i), z = lane(q, 2, i);
    if (choose)
        *face = cube_face(x, y, z);
    cube_place(*face, x, y, z, cs, ct);
}

/* Level of detail of a quad before the bias; all of it from the upper left pixel's point of view. */
static double quad_lod(const struct sampler *s, const struct sim_tmu_request *q, unsigned quad) {
    float c[3][2];
    unsigned face = 0;
    for (unsigned i = 0; i < 3; i++)
        place(s, q, quad * 4 + i, &face, i == 0, &c[i][0], &c[i][1]);
    double w = s->layout.level[0].width, h = s->layout.level[0].height;
    double sx = (c[1][0] - c[0][0]) * w, tx = (c[1][1] - c[0][1]) * h;
    double sy = (c[2][0] - c[0][0]) * w, ty = (c[2][1] - c[0][1]) * h;
    double a = sx * sx + tx * tx, b = sy * sy + ty * ty;
    double rho2 = a > b ? a : b;
    if (!(rho2 > 0))
        return -100;
    return isfinite(rho2) ? 0.5 * log2(rho2) : 100;
}

SIM_INLINE uint32_t blend(uint32_t a, uint32_t b, unsigned f) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k += 8)
        r |= (((a >> k & 255) * (256 - f) + (b >> k & 255) * f + 128) >> 8) << k;
    return r;
}

SIM_VERSIONS
static unsigned lookup_texture(struct sampler *s, const struct sim_tmu_request *q, u32x16 *result,
                               struct sim_tmu_error *error) {
    unsigned passes = 1, last = s->layout.level_count - 1;
    bool mipmapped = s->min >= QPUSIM_MIN_NEAREST_MIP_NEAREST;
    for (unsigned quad = 0; quad < 4; quad++) {
        if (!(q->live >> (4 * quad) & 15))
            continue;
        double automatic = s->bias_only ? 0 : quad_lod(s, q, quad);
        for (unsigned i = 4 * quad; i < 4 * quad + 4; i++) {
            if (!(q->live >> i & 1))
                continue;
            double lod = automatic;
            if (q->written & 8) {
                float bias = lane(q, 3, i);
                lod += isfinite(bias) ? bias : 0;
            }
            unsigned face;
            float cs, ct;
            place(s, q, i, &face, true, &cs, &ct);
            if (lod <= 0) {
                (*result)[i] = sample(s, face, 0, cs, ct, s->mag == QPUSIM_MAG_LINEAR);
            } else if (!mipmapped) {
                (*result)[i] = sample(s, face, 0, cs, ct, s->min == QPUSIM_MIN_LINEAR);
            } else {
                bool linear = s->min >= QPUSIM_MIN_LINEAR_MIP_NEAREST;
                lod = lod > last ? last : lod;
                if (s->min == QPUSIM_MIN_NEAREST_MIP_NEAREST || s->min == QPUSIM_MIN_LINEAR_MIP_NEAREST) {
                    (*result)[i] = sample(s, face, (unsigned)floor(lod + 0.5), cs, ct, linear);
                } else {
                    unsigned level = (unsigned)floor(lod), f = (unsigned)((lod - level) * 256);
                    uint32_t c = sample(s, face, level, cs, ct, linear);
                    if (f) {
                        c = blend(c, sample(s, face, level + 1, cs, ct, linear), f);
                        passes = 2;
                    }
                    (*result)[i] = c;
                }
            }
            if (s->failed) {
                error->rule = SIM_TMU_ADDRESS;
                error->lane = (int)i;
                return 0;
            }
        }
    }
    return passes;
}

unsigned sim_tmu_lookup(const struct qpusim_memory *memory, const struct sim_tmu_request *q, u32x16 *result,
                        struct sim_tmu_error *error) {
    *result = SIM_SPLAT(0);
    if (q->written == 1) { /* only S: a word at an address */
        for (unsigned i = 0; i < SIM_LANES; i++) {
            uint32_t word;
            if (!(q->live >> i & 1))
                continue;
            if (!sim_memory_word(memory, q->coord[0][i], &word)) {
                error->rule = SIM_TMU_ADDRESS;
                error->lane = (int)i;
                return 0;
            }
            (*result)[i] = word;
        }
        return 1;
    }
    struct sampler s = {.memory = memory};
    if (!decode_setup(&s, q)) {
        error->rule = SIM_TMU_SETUP;
        return 0;
    }
    return lookup_texture(&s, q, result, error);
}
