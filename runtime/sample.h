/* Texels and filters of sixteen lanes, compiled for different processors: sample.c, sample_avx2.c and
 * sample_avx512.c, each with a name of its own in SIM_SAMPLE. sample_faulty.c is for lookups with a fault;
 * the others have no question about any.
 *
 * Filtering works on 8-bit channels and is rounded to nearest, with weights that are cut off to 7 bits; on
 * 16-bit floats with the same weights, in more precision than they have, rounded to nearest. Lanes of one
 * level and filter are done together in whole vectors, places in doubles, the rest in integers; texels of
 * 16-bit floats, and of formats with several in an element, are decoded one by one. */
#include "runtime/machine.h"
#include "runtime/parts.h"
#include "runtime/texture.h"

#ifndef SAMPLE_FAULT
#define SAMPLE_FAULT(s, name) ((void)(s), false)
#endif

#define LANES for (unsigned i = 0; i < SIM_LANES; i++)

typedef double dpart __attribute__((vector_size(WIDTH)));
typedef int64_t lpart __attribute__((vector_size(WIDTH)));
typedef float fhalf __attribute__((vector_size(WIDTH / 2)));
typedef int32_t ihalf __attribute__((vector_size(WIDTH / 2)));

/* Texel numbers along one axis: first and second texel, and the second's weight in 256ths. -1: border. */
struct axis {
    vec texel[2], weight;
};

/* The lanes of a bit each as a mask. */
SIM_INLINE void mask_of(unsigned lanes, vec *mask) {
    static const _Alignas(64)
        uint32_t bit[SIM_LANES] = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                   1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    EACH mask->p[k] = (part)((((const vec *)bit)->p[k] & SPLAT(lanes)) != 0);
}

/* --- places --------------------------------------------------------------------------------------------- */

SIM_INLINE dpart choose_double(lpart mask, dpart yes, dpart no) {
    return (dpart)(((lpart)yes & mask) | ((lpart)no & ~mask));
}

/* Beyond 2^51 sums with `big` do not round to whole numbers; floats there are whole. */
SIM_INLINE dpart floor_of(dpart v) {
    const dpart one = (dpart){} + 1.0, big = (dpart){} + 0x1.8p52, most = (dpart){} + 0x1p51;
    dpart nearest = (v + big) - big;
    dpart whole = nearest - (dpart)((lpart)one & (lpart)(nearest > v));
    return choose_double((lpart)(v < most) & (lpart)(v > -most), whole, v);
}

/* Texel number to a place in the image. What comes in lies at most one image outside. */
SIM_INLINE part wrap(const struct sim_sampler *s, part number, unsigned extent, unsigned mode) {
    ipart v = (ipart)number, size = (ipart)SPLAT(extent), twice = size + size;
    switch (mode) {
    case QPUSIM_REPEAT: return (part)(v + (size & (v < 0)) - (size & (v >= size)));
    case QPUSIM_MIRROR:
        v += (twice & (v < 0)) - (twice & (v >= twice));
        if (SAMPLE_FAULT(s, texture_mirror))
            return choose(v <= size, (part)v, (part)(twice - v)) & (part)(v != size);
        return choose(v < size, (part)v, (part)(twice - 1 - v));
    case QPUSIM_BORDER: return (part)(v | (v < 0) | (v >= size));
    default: v &= v >= 0; return choose(v >= size, (part)(size - 1), (part)v);
    }
}

/* Both halves of a vector: from memory they would come together late. */
SIM_INLINE part join(ihalf low, ihalf high) {
#if defined(__AVX512F__)
    return (part)_mm512_inserti64x4(_mm512_castsi256_si512((__m256i)low), (__m256i)high, 1);
#elif defined(__AVX2__)
    return (part)_mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)low), (__m128i)high, 1);
#else
    part both;
    memcpy(&both, &low, sizeof low);
    memcpy((char *)&both + sizeof low, &high, sizeof high);
    return both;
#endif
}

SIM_INLINE void place_axis(const struct sim_sampler *s, const vec *c, unsigned size, unsigned mode,
                           bool linear, struct axis *out) {
    vec finite, number;
    EACH finite.p[k] = c->p[k] & (part)((c->p[k] & 0x7f800000u) != 0x7f800000u);
    /* Kept within what an int with 8 fraction bits holds. */
    const dpart most = (dpart){} + (2.0 * size + 2);
    const unsigned bits = SAMPLE_FAULT(s, texture_weights) ? 8 : 7;
    ihalf half[2 * PARTS];
    for (unsigned h = 0; h < 2 * PARTS; h++) {
        fhalf from;
        memcpy(&from, (const char *)&finite + h * sizeof from, sizeof from);
        dpart v = __builtin_convertvector(from, dpart);
        if (mode == QPUSIM_REPEAT)
            v -= floor_of(v);
        else if (mode == QPUSIM_MIRROR)
            v -= 2 * floor_of(v * 0.5);
        v *= (double)size;
        v = choose_double((lpart)(v < -most), -most, choose_double((lpart)(v > most), most, v));
        v = floor_of(linear ? (v - 0.5) * (1 << bits) : SAMPLE_FAULT(s, texture_nearest) ? v + 0.5 : v);
        half[h] = __builtin_convertvector(v, ihalf);
    }
    EACH number.p[k] = join(half[2 * k], half[2 * k + 1]);
    if (!linear) {
        EACH out->texel[0].p[k] = wrap(s, number.p[k], size, mode);
        return;
    }
    EACH {
        part first = (part)((ipart)number.p[k] >> bits);
        out->texel[0].p[k] = wrap(s, first, size, mode);
        out->texel[1].p[k] = wrap(s, first + 1, size, mode);
        out->weight.p[k] = number.p[k] << (8 - bits) & 255;
    }
}

/* --- addresses ------------------------------------------------------------------------------------------ */

/* What a row and a column contribute to sim_layout_offset: the offset is the sum of both `add` and of the
 * exclusive or of both `turn`, which is how odd rows of tiles run backwards. */
struct step {
    vec add, turn;
};

SIM_INLINE void place_rows(const struct sim_layout *l, const struct sim_level *level, const vec *texel,
                           struct step *out) {
    const unsigned lw = l->log_w, lh = l->log_h, lu = l->log_unit, across = level->across;
    EACH {
        part y =
            (texel->p[k] & (part)((ipart)texel->p[k] >= 0)) >> l->log_block_h; /* a border's is not used */
        if (level->tiling == SIM_TILING_RASTER) {
            out->add.p[k] = y * across;
            out->turn.p[k] = (part){};
            continue;
        }
        part up = y >> lh, inside = (y & (l->tile_h - 1)) << (lw + lu);
        if (level->tiling == SIM_TILING_LT) {
            out->add.p[k] = up * across * 64 + inside;
            out->turn.p[k] = (part){};
            continue;
        }
        part row = up >> 3, odd = row & 1;
        out->add.p[k] = (row + odd) * across * 4096 + (up & 3) * 256 + inside;
        out->turn.p[k] = -odd << 12 | (odd << 1 ^ (up >> 2 & 1)) << 10;
    }
}

SIM_INLINE void place_columns(const struct sim_layout *l, const struct sim_level *level, const vec *texel,
                              struct step *out) {
    const unsigned lw = l->log_w, lu = l->log_unit;
    EACH {
        part x = (texel->p[k] & (part)((ipart)texel->p[k] >= 0)) >> l->log_block_w;
        part micro = x >> lw, inside = (x & (l->tile_w - 1)) << lu;
        out->turn.p[k] = (part){};
        if (level->tiling == SIM_TILING_RASTER) {
            out->add.p[k] = x << lu;
        } else if (level->tiling == SIM_TILING_LT) {
            out->add.p[k] = micro * 64 + inside;
        } else {
            out->add.p[k] = (micro & 3) * 64 + inside;
            out->turn.p[k] = (micro >> 3) << 12 | ((micro >> 2 & 1) * 3) << 10;
        }
    }
}

/* --- texels --------------------------------------------------------------------------------------------- */

struct fetch {
    const struct sim_sampler *s;
    const struct qpusim_memory *memory;
    const struct sim_buffer *buffer; /* with level 0's first byte, or NULL */
    const struct sim_places *at;
    struct sim_lines *lines;
    unsigned lanes, failed;     /* failed: lanes */
    vec start;                  /* address of each lane's level */
    uint32_t wrong[SIM_LANES];  /* of the lanes that failed: the address */
    bool vectors, with_borders; /* vectors: there is a buffer, and `decode` knows the format */
};

SIM_INLINE bool decodes(const struct sim_layout *l) {
    return l->log_block_w + l->log_block_h == 0 && !l->info->halves && !l->info->integer16;
}

/* 4 or 5 bits as 8, and 6. */
SIM_INLINE part wide4(part v) {
    return (v & 15) * 17;
}
SIM_INLINE part wide5(part v) {
    return (v & 31) << 3 | (v >> 2 & 7);
}
SIM_INLINE part wide6(part v) {
    return (v & 63) << 2 | (v >> 4 & 3);
}

/* sim_texel_decode of elements of one texel. */
SIM_INLINE void decode(unsigned format, vec *texel) {
    const part opaque = SPLAT(0xff000000u);
    EACH {
        part h = texel->p[k], r = h;
        switch (format) {
        case QPUSIM_RGBX8888: r = h | opaque; break;
        case QPUSIM_LUMINANCE: r = h * 0x010101u | opaque; break;
        case QPUSIM_ALPHA: r = h << 24; break;
        case QPUSIM_LUMALPHA: r = (h & 255) * 0x010101u | (h >> 8) << 24; break;
        case QPUSIM_RGBA4444:
            r = wide4(h >> 12) | wide4(h >> 8) << 8 | wide4(h >> 4) << 16 | wide4(h) << 24;
            break;
        case QPUSIM_RGBA5551:
            r = wide5(h >> 11) | wide5(h >> 6) << 8 | wide5(h >> 1) << 16 | (-(h & 1) & opaque);
            break;
        case QPUSIM_RGB565: r = wide5(h >> 11) | wide6(h >> 5) << 8 | wide5(h) << 16 | opaque; break;
        default: break;
        }
        texel->p[k] = r;
    }
}

/* Do all lanes' elements lie in the buffer of level 0, which is not NULL? */
SIM_INLINE bool all_inside(const struct fetch *f, const vec *address) {
    unsigned unit = f->s->layout.unit;
    if (f->buffer->size < unit)
        return false;
    const part from = SPLAT(f->buffer->address), last = SPLAT(f->buffer->size - unit);
    vec outside;
    EACH outside.p[k] = (part)(address->p[k] - from > last);
    return !lane_bits(&outside);
}

/* The elements at offsets into `bytes`, of 1, 2 or 4 bytes. */
SIM_INLINE void gather(const uint8_t *bytes, const vec *offset, unsigned unit, vec *out) {
#ifdef __AVX512F__
    if (unit == 4) {
        out->p[0] = (part)_mm512_i32gather_epi32((__m512i)offset->p[0], bytes, 1); /* offsets are signed */
        return;
    }
#endif
    uint32_t at[SIM_LANES], element[SIM_LANES];
    memcpy(at, offset, sizeof at);
    if (unit == 4)
        LANES memcpy(&element[i], bytes + at[i], 4);
    else if (unit == 2)
        LANES element[i] = bytes[at[i]] | (uint32_t)bytes[at[i] + 1] << 8;
    else
        LANES element[i] = bytes[at[i]];
    memcpy(out, element, sizeof element);
}

static const uint8_t *element(struct fetch *f, unsigned lane, uint32_t address) {
    static const uint8_t nothing[8];
    const uint8_t *p = sim_memory_at(f->memory, address, f->s->layout.unit);
    if (p)
        return p;
    if (f->lanes & ~f->failed & 1u << lane)
        f->wrong[lane] = address;
    f->failed |= f->lanes & 1u << lane;
    return nothing;
}

static __attribute__((noinline)) void fetch_singly(struct fetch *f, const vec *address, const vec *x,
                                                   const vec *y, vec *out) {
    const struct sim_layout *l = &f->s->layout;
    unsigned mx = (1u << l->log_block_w) - 1, my = (1u << l->log_block_h) - 1;
    unsigned turn = SAMPLE_FAULT(f->s, texel_order) && l->log_block_w && l->unit == 1 ? mx : 0;
    bool etc_flip = f->s->etc_flip != SAMPLE_FAULT(f->s, texel_etc1);
    uint32_t at[SIM_LANES], tx[SIM_LANES], ty[SIM_LANES], texel[SIM_LANES];
    memcpy(at, address, sizeof at);
    memcpy(tx, x, sizeof tx);
    memcpy(ty, y, sizeof ty);
    LANES texel[i] = (uint32_t)sim_texel_decode(l->format, element(f, i, at[i]), (tx[i] & mx) ^ turn,
                                                ty[i] & my, etc_flip);
    if (SAMPLE_FAULT(f->s, texel_yuyv) && l->format == QPUSIM_YUYV422R)
        LANES texel[i] = (texel[i] & 0xff0000ffu) | (texel[i] >> 8 & 0xff00u) | (texel[i] & 0xff00u) << 8;
    memcpy(out, texel, sizeof texel);
}

SIM_INLINE void locate(const struct fetch *f, const struct step *column, const struct step *row,
                       vec *address) {
    EACH address->p[k] =
        f->start.p[k] + column->add.p[k] + row->add.p[k] + (column->turn.p[k] ^ row->turn.p[k]);
    if (f->lines)
        sim_lines_add(f->lines, (const uint32_t *)address, f->lanes);
}

/* Texels as lookups return them, of 32 bits. */
SIM_INLINE void fetch_texels(struct fetch *f, const struct step *column, const struct step *row, const vec *x,
                             const vec *y, vec *out) {
    vec address;
    locate(f, column, row, &address);
    if (__builtin_expect(f->vectors && all_inside(f, &address), 1)) {
        EACH address.p[k] -= f->buffer->address;
        gather(f->buffer->bytes, &address, f->s->layout.unit, out);
        if (f->s->layout.format != QPUSIM_RGBA8888)
            decode(f->s->layout.format, out);
    } else {
        vec slow;
        fetch_singly(f, &address, x, y, &slow);
        *out = slow;
    }
    if (SAMPLE_FAULT(f->s, texel_widths) && f->s->layout.format == QPUSIM_RGB565)
        EACH out->p[k] &= 0xfff8fcf8u;
    if (f->with_borders)
        EACH out->p[k] = choose((ipart)(x->p[k] | y->p[k]) < 0, SPLAT((uint32_t)f->at->border), out->p[k]);
}

/* --- filters -------------------------------------------------------------------------------------------- */

/* 256 a + (b - a) w on 16 bits: between two values of 8 bits, w 256ths of the way. */
SIM_INLINE part between(part a, part b, part weight) {
    hpart x = (hpart)a, y = (hpart)b;
    return (part)((x << 8) + (y - x) * (hpart)weight);
}

#define EVEN 0x00ff00ffu

SIM_INLINE part bilinear(const struct sim_sampler *s, part c00, part c10, part c01, part c11, part a,
                         part b) {
    const part aa = a | a << 16;
    part result = {}, half = SPLAT(SAMPLE_FAULT(s, texture_rounding) ? 0 : 0x8000);
    for (unsigned odd = 0; odd < 2; odd++) { /* red and blue, green and alpha */
        unsigned shift = 8 * odd;
        part top = between(c00 >> shift & EVEN, c10 >> shift & EVEN, aa);
        part bottom = between(c01 >> shift & EVEN, c11 >> shift & EVEN, aa);
        part t0 = top & 0xffff, b0 = bottom & 0xffff, t1 = top >> 16, b1 = bottom >> 16;
        part low = ((t0 << 8) + (b0 - t0) * b + half) >> 16;
        part high = ((t1 << 8) + (b1 - t1) * b + half) >> 16;
        result |= (low | high << 16) << shift;
    }
    return result;
}

/* Weights are 256ths of the second. */
SIM_INLINE part blend(part x, part y, part weight) {
    const part ww = weight | weight << 16;
    part even = (part)((hpart)(between(x & EVEN, y & EVEN, ww) + 0x00800080u) >> 8);
    part odd = (part)((hpart)(between(x >> 8 & EVEN, y >> 8 & EVEN, ww) + 0x00800080u) >> 8);
    return even | odd << 8;
}

static uint32_t blend_halves(uint32_t a, uint32_t b, unsigned f) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k += 16) {
        double x = sim_half_value(a >> k & 0xffff), y = sim_half_value(b >> k & 0xffff);
        r |= sim_half_from((x * (256 - f) + y * f) / 256) << k;
    }
    return r;
}

/* 16-bit values: one or four of a texel, one lane after the other. */
static __attribute__((noinline)) void sample_halves(struct fetch *f, bool linear, const struct axis *h,
                                                    const struct axis *v, const struct step column[2],
                                                    const struct step row[2], vec out[2]) {
    uint64_t c[4][SIM_LANES];
    int32_t weight[2][SIM_LANES];
    uint32_t word[2][SIM_LANES];
    memcpy(weight[0], &h->weight, sizeof weight[0]);
    memcpy(weight[1], &v->weight, sizeof weight[1]);
    memcpy(word, out, sizeof word);
    for (unsigned k = 0; k < (linear ? 4 : 1); k++) {
        vec address;
        uint32_t at[SIM_LANES];
        int32_t x[SIM_LANES], y[SIM_LANES];
        locate(f, &column[k & 1], &row[k >> 1], &address);
        memcpy(at, &address, sizeof at);
        memcpy(x, &h->texel[k & 1], sizeof x);
        memcpy(y, &v->texel[k >> 1], sizeof y);
        LANES {
            c[k][i] = sim_texel_decode(f->s->layout.format, element(f, i, at[i]), 0, 0, false);
            if (x[i] < 0 || y[i] < 0)
                c[k][i] = f->at->border;
        }
    }
    LANES {
        if (!(f->lanes >> i & 1))
            continue;
        uint64_t r = c[0][i];
        if (linear) {
            unsigned a = (unsigned)weight[0][i], b = (unsigned)weight[1][i];
            const unsigned share[4] = {(256 - a) * (256 - b), a * (256 - b), (256 - a) * b, a * b};
            r = 0;
            for (unsigned channel = 0; channel < 2 * f->s->layout.info->words; channel++) {
                double sum = 0;
                for (unsigned k = 0; k < 4; k++)
                    if (share[k]) /* an infinite texel without weight is none */
                        sum += share[k] * sim_half_value(c[k][i] >> 16 * channel & 0xffff);
                r |= (uint64_t)sim_half_from(sum / 65536) << 16 * channel;
            }
        }
        word[0][i] = (uint32_t)r;
        word[1][i] = (uint32_t)(r >> 32);
    }
    memcpy(out, word, sizeof word);
}

/* --- levels --------------------------------------------------------------------------------------------- */

/* A child image is a window of the level. */
SIM_INLINE void move_window(struct axis *a, bool linear, unsigned by) {
    for (unsigned n = 0; n <= linear; n++)
        EACH a->texel[n].p[k] += SPLAT(by) & (part)((ipart)a->texel[n].p[k] >= 0);
}

SIM_INLINE void flip(struct axis *a, bool linear, unsigned height) {
    for (unsigned n = 0; n <= linear; n++) {
        EACH {
            ipart y = (ipart)a->texel[n].p[k];
            a->texel[n].p[k] = (part)((y < 0) | ((ipart)SPLAT(height - 1) - y));
        }
    }
}

/* The lanes of one level and one filter; the others keep their colours. */
SIM_INLINE void sample_level(struct fetch *f, unsigned n, bool linear, vec out[2]) {
    const struct sim_sampler *s = f->s;
    const struct sim_layout *l = &s->layout;
    const struct sim_level *level = &l->level[n];
    unsigned first = (unsigned)__builtin_ctz(f->lanes), width = level->width, height = level->height;
    vec wanted, c[2], color;
    mask_of(f->lanes, &wanted);
    for (unsigned k2 = 0; k2 < 2; k2++) /* lanes that are not wanted look where one does that is */
        EACH c[k2].p[k] =
            choose((ipart)wanted.p[k], ((const vec *)f->at->c[k2])->p[k], SPLAT(f->at->c[k2][first]));
    EACH f->start.p[k] = SPLAT(s->base + (uint32_t)level->offset);
    if (s->cube) {
        /* An edge, and what rounding puts beyond it, belongs to its face in all wrap modes. */
        for (unsigned k2 = 0; k2 < 2; k2++)
            EACH {
                ipart v = (ipart)c[k2].p[k];
                c[k2].p[k] = choose(v >= 0x3f800000, SPLAT(0x3f7fffffu), (part)(v & (v >= 0)));
            }
        uint32_t start[SIM_LANES];
        LANES start[i] =
            s->base + (uint32_t)level->offset + f->at->face[f->lanes >> i & 1 ? i : first] * s->cube_stride;
        memcpy(&f->start, start, sizeof start);
    }
    if (s->child) {
        width = s->child_w >> n ? s->child_w >> n : 1;
        height = s->child_h >> n ? s->child_h >> n : 1;
    }
    struct axis x, y;
    struct step column[2], row[2];
    bool clamp = s->cube && SAMPLE_FAULT(s, cube_wrap);
    place_axis(s, &c[0], width, clamp ? QPUSIM_CLAMP : s->wrap[0], linear, &x);
    place_axis(s, &c[1], height, clamp ? QPUSIM_CLAMP : s->wrap[1], linear, &y);
    if (s->child && !SAMPLE_FAULT(s, child_origin)) {
        move_window(&x, linear, s->child_x >> n);
        move_window(&y, linear, s->child_y >> n);
    }
    if (s->flip_y)
        flip(&y, linear, level->height);
    for (unsigned k = 0; k <= linear; k++) {
        place_columns(l, level, &x.texel[k], &column[k]);
        place_rows(l, level, &y.texel[k], &row[k]);
    }
    if (l->info->halves || l->info->integer16) {
        sample_halves(f, linear, &x, &y, column, row, out);
        return;
    }
    fetch_texels(f, &column[0], &row[0], &x.texel[0], &y.texel[0], &color);
    if (linear) {
        vec c10, c01, c11;
        fetch_texels(f, &column[1], &row[0], &x.texel[1], &y.texel[0], &c10);
        fetch_texels(f, &column[0], &row[1], &x.texel[0], &y.texel[1], &c01);
        fetch_texels(f, &column[1], &row[1], &x.texel[1], &y.texel[1], &c11);
        EACH color.p[k] = bilinear(s, color.p[k], c10.p[k], c01.p[k], c11.p[k], x.weight.p[k], y.weight.p[k]);
    }
    EACH out[0].p[k] = choose((ipart)wanted.p[k], color.p[k], out[0].p[k]);
}

/* The lanes of `lanes` whose level is that of the first of them. */
static unsigned same_level(const uint8_t level[SIM_LANES], unsigned lanes) {
    unsigned same = 0, n = level[__builtin_ctz(lanes)];
    LANES same |= (unsigned)(level[i] == n) << i;
    return same & lanes;
}

/* Each lane's colour from its level. */
static bool sample_levels(struct fetch *f, const uint8_t level[SIM_LANES], unsigned lanes, vec out[2],
                          struct sim_samples *error) {
    unsigned linear = lanes & f->at->linear, nearest = lanes & ~linear;
    while (linear | nearest) {
        unsigned *left = linear ? &linear : &nearest;
        f->lanes = same_level(level, *left);
        *left &= ~f->lanes;
        unsigned n = level[__builtin_ctz(f->lanes)];
        if (left == &linear)
            sample_level(f, n, true, out);
        else
            sample_level(f, n, false, out);
        if (f->failed) {
            error->lane = (unsigned)__builtin_ctz(f->failed);
            error->address = f->wrong[error->lane];
            return false;
        }
    }
    return true;
}

bool SIM_SAMPLE(const struct sim_sampler *s, const struct qpusim_memory *memory, const struct sim_places *at,
                unsigned lanes, struct sim_lines *lines, struct sim_samples *out) {
    struct fetch f = {.s = s, .memory = memory, .at = at, .lines = lines};
    vec near[2] = {0}, far[2] = {0};
    f.buffer = memory ? sim_memory_buffer(memory, s->base) : NULL;
    f.vectors = f.buffer && f.buffer->size <= INT32_MAX && decodes(&s->layout);
    f.with_borders = s->wrap[0] == QPUSIM_BORDER || s->wrap[1] == QPUSIM_BORDER;
    if (!sample_levels(&f, at->level, lanes, near, out))
        return false;
    if (at->blended) {
        if (!sample_levels(&f, at->second, at->blended, far, out))
            return false;
        if (s->layout.info->halves) {
            uint32_t x[2][SIM_LANES], y[2][SIM_LANES];
            memcpy(x, near, sizeof x);
            memcpy(y, far, sizeof y);
            for (unsigned left = at->blended; left; left &= left - 1) {
                unsigned i = (unsigned)__builtin_ctz(left);
                for (unsigned w = 0; w < s->layout.info->words; w++)
                    x[w][i] = blend_halves(x[w][i], y[w][i], at->fraction[i]);
            }
            memcpy(near, x, sizeof x);
        } else {
            uint32_t weight[SIM_LANES];
            vec w, blended;
            LANES weight[i] = at->fraction[i];
            memcpy(&w, weight, sizeof w);
            mask_of(at->blended, &blended);
            EACH near[0].p[k] =
                choose((ipart)blended.p[k], blend(near[0].p[k], far[0].p[k], w.p[k]), near[0].p[k]);
        }
    }
    memcpy(out->word, near, sizeof out->word);
    return true;
}
