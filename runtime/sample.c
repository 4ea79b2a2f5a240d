/* Texels and filters of sixteen lanes.
 *
 * Filtering works on 8-bit channels with 8-bit weights, rounded to nearest; on 16-bit floats with the same
 * weights, in more precision than they have, rounded to nearest. Lanes of one level are done together, as
 * plain loops that compilers vectorise; formats of other than 32-bit colours are decoded one by one. */
#include <math.h>

#include "runtime/machine.h"
#include "runtime/texture.h"

#define EACH for (unsigned i = 0; i < SIM_LANES; i++)

typedef int32_t lanes32[SIM_LANES];

/* Texel numbers along one axis: first and second texel, and the second's weight in 256ths. -1: border. */
struct axis {
    lanes32 texel[2], weight;
};

/* Texel number to a place in the image. What comes in lies at most one image outside. */
SIM_INLINE void wrap(lanes32 i_, int size, unsigned mode) {
    switch (mode) {
    case QPUSIM_REPEAT: EACH i_[i] = i_[i] < 0 ? i_[i] + size : i_[i] >= size ? i_[i] - size : i_[i]; break;
    case QPUSIM_MIRROR:
        EACH {
            int32_t v = i_[i] < 0 ? i_[i] + 2 * size : i_[i] >= 2 * size ? i_[i] - 2 * size : i_[i];
            i_[i] = v < size ? v : 2 * size - 1 - v;
        }
        break;
    case QPUSIM_BORDER: EACH i_[i] = i_[i] < 0 || i_[i] >= size ? -1 : i_[i]; break;
    default: EACH i_[i] = i_[i] < 0 ? 0 : i_[i] >= size ? size - 1 : i_[i]; break;
    }
}

SIM_INLINE void place_axis(const float *c, unsigned size, unsigned mode, bool linear, struct axis *out) {
    double v[SIM_LANES];
    EACH {
        uint32_t bits;
        memcpy(&bits, &c[i], 4);
        v[i] = (bits & 0x7f800000u) == 0x7f800000u ? 0 : (double)c[i];
    }
    if (mode == QPUSIM_REPEAT)
        EACH v[i] -= floor(v[i]);
    else if (mode == QPUSIM_MIRROR)
        EACH v[i] -= 2 * floor(v[i] * 0.5);
    /* Kept within what an int with 8 fraction bits holds. */
    double most = 2.0 * size + 2;
    EACH {
        v[i] *= size;
        v[i] = v[i] < -most ? -most : v[i] > most ? most : v[i];
    }
    if (!linear) {
        EACH out->texel[0][i] = (int32_t)floor(v[i]);
        wrap(out->texel[0], (int)size, mode);
        return;
    }
    EACH {
        int32_t f = (int32_t)floor((v[i] - 0.5) * 256 + 0.5);
        out->texel[0][i] = f >> 8;
        out->texel[1][i] = (f >> 8) + 1;
        out->weight[i] = f & 255;
    }
    wrap(out->texel[0], (int)size, mode);
    wrap(out->texel[1], (int)size, mode);
}

/* Byte offsets of elements from the level's start: sim_layout_offset in lanes. */
SIM_INLINE void offsets(const struct sim_layout *l, unsigned level, const lanes32 tx, const lanes32 ty,
                        uint32_t *out) {
    const struct sim_level *v = &l->level[level];
    const unsigned bw = l->log_block_w, bh = l->log_block_h, lw = l->log_w, lh = l->log_h, lu = l->log_unit;
    const uint32_t across = v->across, mw = l->tile_w - 1, mh = l->tile_h - 1;
    uint32_t x[SIM_LANES], y[SIM_LANES];
    EACH {
        x[i] = (uint32_t)(tx[i] < 0 ? 0 : tx[i]) >> bw; /* a border's is not used */
        y[i] = (uint32_t)(ty[i] < 0 ? 0 : ty[i]) >> bh;
    }
    switch (v->tiling) {
    case SIM_TILING_RASTER: EACH out[i] = y[i] * across + (x[i] << lu); break;
    case SIM_TILING_LT:
        EACH out[i] = ((y[i] >> lh) * across + (x[i] >> lw)) * 64 + (((y[i] & mh) << lw | (x[i] & mw)) << lu);
        break;
    default:
        EACH {
            uint32_t ux = x[i] >> lw, uy = y[i] >> lh, inside = ((y[i] & mh) << lw | (x[i] & mw)) << lu;
            uint32_t row = uy >> 3, odd = row & 1, column = ux >> 3;
            column = odd ? across - 1 - column : column;
            uint32_t sub = odd << 1 ^ (uy >> 2 & 1) ^ (ux >> 2 & 1) * 3;
            out[i] = (row * across + column) * 4096 + sub * 1024 + ((uy & 3) * 4 + (ux & 3)) * 64 + inside;
        }
        break;
    }
}

/* --- one level ------------------------------------------------------------------------------------------ */

struct fetch {
    const struct sim_sampler *s;
    const struct qpusim_memory *memory;
    const struct sim_buffer *buffer; /* with level 0's first byte, or NULL */
    const struct sim_places *at;
    struct sim_lines *lines;
    unsigned level, lanes, failed; /* failed: lanes */
    uint32_t address[SIM_LANES];
};

/* Addresses of the elements with texels (x, y). */
SIM_INLINE void locate(struct fetch *f, const lanes32 x, const lanes32 y) {
    const struct sim_sampler *s = f->s;
    offsets(&s->layout, f->level, x, y, f->address);
    uint32_t start = s->base + (uint32_t)s->layout.level[f->level].offset;
    if (s->cube)
        EACH f->address[i] += start + f->at->face[i] * s->cube_stride;
    else
        EACH f->address[i] += start;
    if (f->lines)
        sim_lines_add(f->lines, f->address, f->lanes);
}

/* Which lanes' elements do not lie in the buffer of level 0. */
SIM_INLINE bool all_inside(const struct fetch *f) {
    if (!f->buffer || f->buffer->size < f->s->layout.unit)
        return false;
    uint32_t from = f->buffer->address, last = f->buffer->size - f->s->layout.unit, outside = 0;
    EACH outside |= f->address[i] - from > last;
    return !outside;
}

static const uint8_t *element(struct fetch *f, unsigned lane) {
    static const uint8_t nothing[8];
    const uint8_t *p = sim_memory_at(f->memory, f->address[lane], f->s->layout.unit);
    if (p)
        return p;
    f->failed |= 1u << lane & f->lanes;
    return nothing;
}

/* Texels as the format has them, 32-bit words of colours. */
SIM_INLINE void fetch_colors(struct fetch *f, const lanes32 x, const lanes32 y, uint32_t *out) {
    const struct sim_layout *l = &f->s->layout;
    locate(f, x, y);
    if (l->info->unit == 4 && l->format != QPUSIM_RGBX8888 && l->format != QPUSIM_YUYV422R && all_inside(f)) {
        const uint8_t *bytes = f->buffer->bytes;
        uint32_t from = f->buffer->address;
        EACH memcpy(&out[i], bytes + (f->address[i] - from), 4);
    } else {
        unsigned mx = (1u << l->log_block_w) - 1, my = (1u << l->log_block_h) - 1;
        EACH out[i] = (uint32_t)sim_texel_decode(l->format, element(f, i), (unsigned)x[i] & mx,
                                                 (unsigned)y[i] & my, f->s->etc_flip);
    }
    if (f->s->wrap[0] == QPUSIM_BORDER || f->s->wrap[1] == QPUSIM_BORDER)
        EACH if (x[i] < 0 || y[i] < 0) out[i] = (uint32_t)f->at->border;
}

SIM_INLINE void sample_colors(struct fetch *f, bool linear, const struct axis *h, const struct axis *v,
                              uint32_t *out) {
    if (!linear) {
        fetch_colors(f, h->texel[0], v->texel[0], out);
        return;
    }
    uint32_t c00[SIM_LANES], c10[SIM_LANES], c01[SIM_LANES], c11[SIM_LANES];
    fetch_colors(f, h->texel[0], v->texel[0], c00);
    fetch_colors(f, h->texel[1], v->texel[0], c10);
    fetch_colors(f, h->texel[0], v->texel[1], c01);
    fetch_colors(f, h->texel[1], v->texel[1], c11);
    EACH out[i] = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        EACH {
            uint32_t a = (uint32_t)h->weight[i], b = (uint32_t)v->weight[i];
            uint32_t top = (c00[i] >> k & 255) * (256 - a) + (c10[i] >> k & 255) * a;
            uint32_t bottom = (c01[i] >> k & 255) * (256 - a) + (c11[i] >> k & 255) * a;
            out[i] |= ((top * (256 - b) + bottom * b + 0x8000) >> 16) << k;
        }
    }
}

/* 16-bit values: one or four of a texel, one lane after the other. */
static void sample_halves(struct fetch *f, bool linear, const struct axis *h, const struct axis *v,
                          struct sim_samples *out) {
    uint64_t c[4][SIM_LANES];
    for (unsigned k = 0; k < (linear ? 4 : 1); k++) {
        const int32_t *x = h->texel[k & 1], *y = v->texel[k >> 1];
        locate(f, x, y);
        EACH {
            c[k][i] = sim_texel_decode(f->s->layout.format, element(f, i), 0, 0, false);
            if (x[i] < 0 || y[i] < 0)
                c[k][i] = f->at->border;
        }
    }
    EACH {
        if (!(f->lanes >> i & 1))
            continue;
        uint64_t r = c[0][i];
        if (linear) {
            unsigned a = (unsigned)h->weight[i], b = (unsigned)v->weight[i];
            const unsigned weight[4] = {(256 - a) * (256 - b), a * (256 - b), (256 - a) * b, a * b};
            r = 0;
            for (unsigned channel = 0; channel < 2 * f->s->layout.info->words; channel++) {
                double sum = 0;
                for (unsigned k = 0; k < 4; k++)
                    if (weight[k]) /* an infinite texel without weight is none */
                        sum += weight[k] * sim_half_value(c[k][i] >> 16 * channel & 0xffff);
                r |= (uint64_t)sim_half_from(sum / 65536) << 16 * channel;
            }
        }
        out->word[0][i] = (uint32_t)r;
        out->word[1][i] = (uint32_t)(r >> 32);
    }
}

SIM_VERSIONS
static unsigned sample_level(struct fetch *f, bool linear, struct sim_samples *out) {
    const struct sim_sampler *s = f->s;
    const struct sim_level *v = &s->layout.level[f->level];
    struct sim_places at = *f->at;
    unsigned first = (unsigned)__builtin_ctz(f->lanes);
    EACH { /* lanes that are not wanted look where one does that is */
        unsigned from = f->lanes >> i & 1 ? i : first;
        at.c[0][i] = f->at->c[0][from];
        at.c[1][i] = f->at->c[1][from];
        at.face[i] = f->at->face[from];
    }
    f->at = &at;
    unsigned width = v->width, height = v->height;
    if (s->child) {
        width = s->child_w >> f->level ? s->child_w >> f->level : 1;
        height = s->child_h >> f->level ? s->child_h >> f->level : 1;
    }
    struct axis x, y;
    place_axis(at.c[0], width, s->cube ? QPUSIM_CLAMP : s->wrap[0], linear, &x);
    place_axis(at.c[1], height, s->cube ? QPUSIM_CLAMP : s->wrap[1], linear, &y);
    for (unsigned k = 0; s->child && k < (linear ? 2 : 1); k++) {
        EACH x.texel[k][i] += x.texel[k][i] < 0 ? 0 : (int32_t)(s->child_x >> f->level);
        EACH y.texel[k][i] += y.texel[k][i] < 0 ? 0 : (int32_t)(s->child_y >> f->level);
    }
    for (unsigned k = 0; s->flip_y && k < (linear ? 2 : 1); k++)
        EACH y.texel[k][i] = y.texel[k][i] < 0 ? -1 : (int32_t)v->height - 1 - y.texel[k][i];
    if (s->layout.info->halves || s->layout.info->integer16) {
        sample_halves(f, linear, &x, &y, out);
    } else {
        uint32_t color[SIM_LANES];
        sample_colors(f, linear, &x, &y, color);
        EACH out->word[0][i] = f->lanes >> i & 1 ? color[i] : out->word[0][i];
    }
    return f->failed;
}

bool sim_sample(const struct sim_sampler *s, const struct qpusim_memory *memory, const struct sim_places *at,
                bool linear, unsigned lanes, struct sim_lines *lines, struct sim_samples *out) {
    const struct sim_buffer *buffer = memory ? sim_memory_buffer(memory, s->base) : NULL;
    while (lanes) {
        struct fetch f = {.s = s, .memory = memory, .buffer = buffer, .at = at, .lines = lines};
        f.level = at->level[__builtin_ctz(lanes)];
        EACH f.lanes |= (unsigned)(at->level[i] == f.level) << i;
        f.lanes &= lanes;
        lanes &= ~f.lanes;
        if (sample_level(&f, linear, out)) {
            out->lane = (unsigned)__builtin_ctz(f.failed);
            out->address = f.address[out->lane];
            return false;
        }
    }
    return true;
}
