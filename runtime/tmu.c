/* Texture and memory lookups of sixteen lanes (guide section 4): set-up words, cube faces, levels of detail.
 *
 * The level of detail is the logarithm of the longer of the two steps across a quad, taken from its upper
 * left pixel, plus the bias. Along each axis a step is at most the whole image (a Pi's verdicts on images
 * that are not square). */
#include <math.h>

#include "runtime/machine.h"
#include "runtime/texture.h"

/* --- set-up words (tables 15 to 17) --------------------------------------------------------------------- */

void sim_sampler_decode(struct sim_sampler *s, const uint32_t param[4]) {
    memset(s, 0, sizeof *s);
    memcpy(s->param, param, sizeof s->param);
    s->used = true;
    uint32_t p0 = param[0], p1 = param[1];
    unsigned width = p1 >> 8 & 2047, height = p1 >> 20 & 2047;
    unsigned format = (p0 >> 4 & 15) | (p1 >> 31) << 4;
    s->base = p0 & ~0xfffu;
    s->cube = p0 >> 9 & 1;
    s->flip_y = p0 >> 8 & 1;
    s->etc_flip = p1 >> 19 & 1;
    s->wrap[0] = p1 & 3;
    s->wrap[1] = p1 >> 2 & 3;
    s->mag = p1 >> 7 & 1;
    s->min = p1 >> 4 & 7;
    for (unsigned i = 2; i < 4; i++) {
        uint32_t p = param[i];
        switch (p >> 30) {
        case 1:
            s->cube_stride = p & 0x3ffff000;
            s->bias_only |= p & 1;
            break;
        case 2:
            s->child = true;
            s->child_w = p & 2047;
            s->child_h = p >> 12 & 2047;
            break;
        case 3:
            s->child = true;
            s->child_x = p & 2047;
            s->child_y = p >> 12 & 2047;
            break;
        default: break;
        }
    }
    unsigned levels = (p0 & 15) + 1;
    if (s->min < QPUSIM_MIN_NEAREST_MIP_NEAREST)
        levels = 1;
    s->why = s->min > QPUSIM_MIN_LINEAR_MIP_LINEAR ? "unknown filter"
             : levels > SIM_MAX_LEVELS             ? "more than 12 levels"
             : !sim_layout_init(&s->layout, format, width ? width : 2048, height ? height : 2048, levels)
                 ? "unknown data type"
             : s->child && s->cube ? "a child image of a cube map"
             : s->child && (!s->child_w || !s->child_h)
                 ? "a child image without size (or of 2048, which fails: HW-2753)"
             : s->layout.info->integer16 && (s->mag == QPUSIM_MAG_LINEAR || s->min == QPUSIM_MIN_LINEAR ||
                                             s->min >= QPUSIM_MIN_NEAREST_MIP_LINEAR)
                 ? "16-bit integers can only be point sampled"
                 : NULL;
    s->refused = s->why != NULL;
}

/* The decoded set-up of a request: programs look up with few different ones. */
static const struct sim_sampler *find_sampler(struct sim_sampler_cache *cache, const uint32_t param[4]) {
    for (unsigned i = 0; i < SIM_SAMPLERS; i++)
        if (cache->sampler[i].used && !memcmp(cache->sampler[i].param, param, sizeof cache->sampler[i].param))
            return &cache->sampler[i];
    struct sim_sampler *s = &cache->sampler[cache->next++ % SIM_SAMPLERS];
    sim_sampler_decode(s, param);
    s->fault = cache->fault;
    for (unsigned i = 0; SIM_FAULT(s, texture_border) && i < 2; i++)
        s->wrap[i] = s->wrap[i] == QPUSIM_BORDER ? QPUSIM_CLAMP : s->wrap[i];
    return s;
}

/* --- cube maps ------------------------------------------------------------------------------------------ */

/* The face of the major axis and the place on it (OpenGL ES 2.0, section 3.7.5). */
static unsigned cube_face(float x, float y, float z, bool later) {
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    if (later ? ax > ay && ax > az : ax >= ay && ax >= az)
        return x < 0;
    if (later ? ay > az : ay >= az)
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

static void place(const struct sim_sampler *s, const struct sim_tmu_request *q, unsigned i, unsigned *face,
                  bool choose, float *cs, float *ct) {
    if (!s->cube) {
        *face = 0;
        *cs = lane(q, 0, i);
        *ct = lane(q, 1, i);
        return;
    }
    float x = lane(q, 0, i), y = lane(q, 1, i), z = lane(q, 2, i);
    if (choose)
        *face = cube_face(x, y, z, SIM_FAULT(s, cube_edge));
    cube_place(*face, x, y, z, cs, ct);
}

/* --- levels of detail ----------------------------------------------------------------------------------- */

/* The way from one coordinate to another, in texels of an image of `size`. */
static double step(const struct sim_sampler *s, float from, float to, double size) {
    double way = (double)to - from;
    return (SIM_FAULT(s, lod_steps) ? way : fmin(fmax(way, -1), 1)) * size;
}

/* The squares of the longer of each quad's two steps; all of it from the upper left pixel's point of view. */
static void measure_steps(const struct sim_sampler *s, const struct sim_tmu_request *q, double square[4]) {
    float c[3][2][4]; /* pixel, axis, quad */
    double w = s->child ? s->child_w : s->layout.level[0].width;
    double h = s->child ? s->child_h : s->layout.level[0].height;
    for (unsigned quad = 0; quad < 4; quad++) {
        unsigned face = 0;
        for (unsigned i = 0; i < 3; i++)
            place(s, q, quad * 4 + i, &face, i == 0, &c[i][0][quad], &c[i][1][quad]);
    }
    for (unsigned quad = 0; quad < 4; quad++) {
        double sx = step(s, c[0][0][quad], c[1][0][quad], w), tx = step(s, c[0][1][quad], c[1][1][quad], h);
        double sy = step(s, c[0][0][quad], c[2][0][quad], w), ty = step(s, c[0][1][quad], c[2][1][quad], h);
        double a = sx * sx + tx * tx, b = sy * sy + ty * ty;
        square[quad] = (a > b) != SIM_FAULT(s, lod_shorter) ? a : b;
    }
}

/* A level of detail before the bias. */
static double detail(double square, bool biased) {
    if (!(square > 0))
        return -100;
    if (square <= 1 && !biased) /* magnified, however much */
        return 0;
    return isfinite(square) ? 0.5 * log2(square) : 100;
}

/* Up to which level of detail an image counts as magnified. OpenGL ES 2.0, section 3.7.8, asks for a half
 * where a linear filter would meet a nearest one within a level, and a Pi's verdicts show it. */
static double magnified(const struct sim_sampler *s) {
    bool sharper = s->min == QPUSIM_MIN_NEAREST_MIP_NEAREST || s->min == QPUSIM_MIN_NEAREST_MIP_LINEAR;
    return s->mag == QPUSIM_MAG_LINEAR && sharper && !SIM_FAULT(s, lod_magnified) ? 0.5 : 0;
}

/* Level and filter of the lanes in `lanes`, which have this level of detail. */
static void choose_level(const struct sim_sampler *s, double lod, unsigned lanes, struct sim_places *at) {
    unsigned last = s->layout.level_count - 1, level, fraction = 0;
    if (!(lod > magnified(s)))
        return;
    if (s->min == QPUSIM_MIN_LINEAR || s->min >= QPUSIM_MIN_LINEAR_MIP_NEAREST)
        at->linear |= lanes;
    else
        at->linear &= ~lanes;
    if (s->min < QPUSIM_MIN_NEAREST_MIP_NEAREST)
        return;
    lod = lod > last ? last : lod;
    if (s->min == QPUSIM_MIN_NEAREST_MIP_NEAREST || s->min == QPUSIM_MIN_LINEAR_MIP_NEAREST) {
        level = (unsigned)(SIM_FAULT(s, lod_level) ? lod : lod + 0.5);
    } else {
        level = (unsigned)lod;
        fraction = (unsigned)((lod - level) * 256);
        if (SIM_FAULT(s, lod_fraction))
            fraction &= 0xf0;
    }
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        at->level[i] = (uint8_t)level;
        at->second[i] = (uint8_t)(level + 1);
        at->fraction[i] = (uint8_t)fraction;
    }
    at->blended |= fraction ? lanes : 0;
}

static void choose_levels(const struct sim_sampler *s, const struct sim_tmu_request *q,
                          struct sim_places *at) {
    bool mipmapped = s->min >= QPUSIM_MIN_NEAREST_MIP_NEAREST;
    bool mag_linear = s->mag == QPUSIM_MAG_LINEAR;
    bool min_linear = s->min == QPUSIM_MIN_LINEAR || s->min >= QPUSIM_MIN_LINEAR_MIP_NEAREST;
    memset(at->level, 0, sizeof at->level);
    memset(at->second, 0, sizeof at->second);
    memset(at->fraction, 0, sizeof at->fraction);
    at->linear = mag_linear ? 0xffff : 0;
    at->blended = 0;
    if (mag_linear == min_linear && (!mipmapped || s->layout.level_count == 1))
        return;
    bool biased = q->written & 8;
    double square[4];
    if (!s->bias_only)
        measure_steps(s, q, square);
    for (unsigned quad = 0; quad < 4; quad++) {
        unsigned live = q->asked & 15u << 4 * quad;
        if (!live)
            continue;
        double automatic = s->bias_only ? 0 : detail(square[quad], biased);
        if (!biased) {
            choose_level(s, automatic, live, at);
            continue;
        }
        for (; live; live &= live - 1) {
            float bias = lane(q, 3, (unsigned)__builtin_ctz(live));
            if (SIM_FAULT(s, lod_bias) && !s->bias_only)
                bias = -bias;
            choose_level(s, automatic + (isfinite(bias) ? bias : 0), live & -live, at);
        }
    }
}

/* --- lookups -------------------------------------------------------------------------------------------- */

/* The colour of what lies outside, as the format's texels are. */
static uint64_t border(const struct sim_sampler *s, const struct sim_tmu_request *q) {
    uint32_t color = q->written & 4 && !s->cube && !s->child ? q->coord[2][0] : 0;
    if (SIM_FAULT(s, texture_border_color))
        color = 0;
    uint64_t wide = 0;
    if (s->layout.info->words == 1)
        return s->layout.format == QPUSIM_S8                         ? color & 0xff
               : s->layout.info->halves || s->layout.info->integer16 ? color & 0xffff
                                                                     : color;
    for (unsigned k = 0; k < 4; k++)
        wide |= (uint64_t)sim_half_from((color >> 8 * k & 255) / 255.0) << 16 * k;
    return wide;
}

static unsigned lookup_texture(const struct sim_sampler *s, const struct qpusim_memory *memory,
                               const struct sim_tmu_request *q, struct sim_lines *lines,
                               struct sim_tmu_answer *answer, struct sim_tmu_error *error) {
    struct sim_places at;
    struct sim_samples found;
    at.border = border(s, q);
    if (s->cube) {
        for (unsigned i = 0; i < SIM_LANES; i++) {
            unsigned face = 0;
            float c[2];
            place(s, q, i, &face, true, &c[0], &c[1]);
            at.c[0][i] = sim_bits(c[0]);
            at.c[1][i] = sim_bits(c[1]);
            at.face[i] = (uint8_t)face;
        }
    } else {
        memcpy(at.c[0], &q->coord[0], sizeof at.c[0]);
        memcpy(at.c[1], &q->coord[1], sizeof at.c[1]);
        memset(at.face, 0, sizeof at.face);
    }
    choose_levels(s, q, &at);
    if (!sim_sample(s, memory, &at, q->asked, lines, &found)) {
        error->lane = (int)found.lane;
        error->address = found.address;
        return 0;
    }
    memcpy(answer->value, found.word, sizeof answer->value);
    answer->words = s->layout.info->words;
    return at.blended ? 2 : 1;
}

unsigned sim_tmu_lookup(const struct qpusim_memory *memory, struct sim_sampler_cache *cache,
                        const struct sim_tmu_request *q, struct sim_tmu_answer *answer,
                        struct sim_tmu_error *error) {
    answer->words = 1;
    error->rule = SIM_TMU_ADDRESS;
    if (q->written == 1) { /* only S: a word at an address */
        answer->value[0] = SIM_SPLAT(0);
        for (unsigned i = 0; i < SIM_LANES; i++) {
            uint32_t word;
            if (!(q->asked >> i & 1))
                continue;
            if (!sim_memory_word(memory, q->coord[0][i], &word)) {
                if (!(q->live >> i & 1))
                    continue;
                error->lane = (int)i;
                error->address = q->coord[0][i];
                return 0;
            }
            answer->value[0][i] = word;
        }
        if (cache->lines)
            sim_lines_add(cache->lines, (const uint32_t *)&q->coord[0], q->asked);
        return 1;
    }
    if (!q->asked) {
        answer->value[0] = SIM_SPLAT(0);
        return 1;
    }
    const struct sim_sampler *s = find_sampler(cache, q->param);
    if (s->refused) {
        error->rule = SIM_TMU_SETUP;
        error->why = s->why;
        return 0;
    }
    return lookup_texture(s, memory, q, cache->lines, answer, error);
}
