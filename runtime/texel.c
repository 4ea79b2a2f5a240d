/* Texels of every format (guide table 18), and whole images to and from RGBA8888.
 *
 * The guide names the formats and their bits; docs/machine.md lists what it leaves open and is taken here:
 * the order of texels in a byte, the place of single samples in the returned word, the expansion to 8
 * bits. */
#include <math.h>
#include <string.h>

#include <qpucc/texture.h>

#include "runtime/texture.h"

static const struct sim_format_info formats[SIM_FORMATS] = {
    [QPUSIM_RGBA8888] = {.unit = 4, .tile_w = 4, .tile_h = 4, .words = 1},
    [QPUSIM_RGBX8888] = {.unit = 4, .tile_w = 4, .tile_h = 4, .words = 1},
    [QPUSIM_RGBA4444] = {.unit = 2, .tile_w = 8, .tile_h = 4, .words = 1},
    [QPUSIM_RGBA5551] = {.unit = 2, .tile_w = 8, .tile_h = 4, .words = 1},
    [QPUSIM_RGB565] = {.unit = 2, .tile_w = 8, .tile_h = 4, .words = 1},
    [QPUSIM_LUMINANCE] = {.unit = 1, .tile_w = 8, .tile_h = 8, .words = 1},
    [QPUSIM_ALPHA] = {.unit = 1, .tile_w = 8, .tile_h = 8, .words = 1},
    [QPUSIM_LUMALPHA] = {.unit = 2, .tile_w = 8, .tile_h = 4, .words = 1},
    [QPUSIM_ETC1] = {.unit = 8, .log_block_w = 2, .log_block_h = 2, .tile_w = 2, .tile_h = 4, .words = 1},
    [QPUSIM_S16F] = {.unit = 2, .tile_w = 8, .tile_h = 4, .halves = true, .words = 1},
    [QPUSIM_S8] = {.unit = 1, .tile_w = 8, .tile_h = 8, .words = 1},
    [QPUSIM_S16] = {.unit = 2, .tile_w = 8, .tile_h = 4, .integer16 = true, .words = 1},
    [QPUSIM_BW1] = {.unit = 1, .log_block_w = 3, .tile_w = 4, .tile_h = 16, .words = 1},
    [QPUSIM_A4] = {.unit = 1, .log_block_w = 1, .tile_w = 8, .tile_h = 8, .words = 1},
    [QPUSIM_A1] = {.unit = 1, .log_block_w = 3, .tile_w = 4, .tile_h = 16, .words = 1},
    [QPUSIM_RGBA64] = {.unit = 8, .tile_w = 2, .tile_h = 4, .halves = true, .words = 2},
    [QPUSIM_RGBA32R] = {.unit = 4, .tile_w = 4, .tile_h = 4, .raster = true, .words = 1},
    [QPUSIM_YUYV422R] = {.unit = 4, .log_block_w = 1, .tile_w = 4, .tile_h = 4, .raster = true, .words = 1},
};

const struct sim_format_info *sim_format(unsigned format) {
    return format < SIM_FORMATS ? &formats[format] : NULL;
}

/* --- one texel ------------------------------------------------------------------------------------------ */

static uint32_t rgba(unsigned r, unsigned g, unsigned b, unsigned a) {
    return r | g << 8 | b << 16 | a << 24;
}

static unsigned expand(unsigned v, unsigned bits) {
    switch (bits) {
    case 1: return v ? 255 : 0;
    case 4: return v * 17;
    case 5: return v << 3 | v >> 2;
    default: return v << 2 | v >> 4;
    }
}

static unsigned clamp8(int v) {
    return v < 0 ? 0 : v > 255 ? 255 : (unsigned)v;
}

static const int16_t etc_table[8][2] = {{2, 8},   {5, 17},  {9, 29},   {13, 42},
                                        {18, 60}, {24, 80}, {33, 106}, {47, 183}};

/* Ericsson texture compression: two 4x2 or 2x4 halves, each a base colour and one of four offsets a texel. */
static uint32_t decode_etc1(const uint8_t *b, unsigned x, unsigned y) {
    bool flip = b[3] & 1, differential = b[3] & 2;
    unsigned half = flip ? y >= 2 : x >= 2;
    int c[3];
    for (unsigned i = 0; i < 3; i++) {
        if (differential) {
            int base = b[i] >> 3, d = b[i] & 7;
            if (half)
                base = (base + (d >= 4 ? d - 8 : d)) & 31;
            c[i] = (int)expand((unsigned)base, 5);
        } else {
            c[i] = (int)expand(half ? b[i] & 15u : b[i] >> 4u, 4);
        }
    }
    unsigned code = half ? b[3] >> 2 & 7 : b[3] >> 5;
    unsigned k = x * 4 + y; /* column by column */
    uint32_t bits = (uint32_t)b[4] << 24 | (uint32_t)b[5] << 16 | (uint32_t)b[6] << 8 | b[7];
    int offset = etc_table[code][bits >> k & 1];
    if (bits >> (16 + k) & 1)
        offset = -offset;
    return rgba(clamp8(c[0] + offset), clamp8(c[1] + offset), clamp8(c[2] + offset), 255);
}

uint64_t sim_texel_decode(unsigned format, const uint8_t *e, unsigned x, unsigned y, bool etc_flip) {
    unsigned h = e[0];
    uint64_t wide;
    switch (format) {
    case QPUSIM_RGBX8888: return rgba(e[0], e[1], e[2], 255);
    case QPUSIM_LUMINANCE: return rgba(h, h, h, 255);
    case QPUSIM_ALPHA: return rgba(0, 0, 0, h);
    case QPUSIM_LUMALPHA: return rgba(h, h, h, e[1]);
    /* The hardware's images have a bottom-left origin: without the flip a block's first row is its last. */
    case QPUSIM_ETC1: return decode_etc1(e, x, etc_flip ? y : 3 - y);
    case QPUSIM_RGBA4444:
        h |= (unsigned)e[1] << 8;
        return rgba(expand(h >> 12, 4), expand(h >> 8 & 15, 4), expand(h >> 4 & 15, 4), expand(h & 15, 4));
    case QPUSIM_RGBA5551:
        h |= (unsigned)e[1] << 8;
        return rgba(expand(h >> 11, 5), expand(h >> 6 & 31, 5), expand(h >> 1 & 31, 5), expand(h & 1, 1));
    case QPUSIM_RGB565:
        h |= (unsigned)e[1] << 8;
        return rgba(expand(h >> 11, 5), expand(h >> 5 & 63, 6), expand(h & 31, 5), 255);
    case QPUSIM_S8: return h;
    case QPUSIM_S16F:
    case QPUSIM_S16: return h | (unsigned)e[1] << 8;
    case QPUSIM_BW1: return rgba(0, 0, 0, 255) | (h >> x & 1 ? 0xffffffu : 0);
    case QPUSIM_A1: return rgba(0, 0, 0, expand(h >> x & 1, 1));
    case QPUSIM_A4: return rgba(0, 0, 0, expand(h >> 4 * x & 15, 4));
    case QPUSIM_RGBA64: memcpy(&wide, e, sizeof wide); return wide;
    case QPUSIM_YUYV422R: return rgba(e[2 * x], e[1], e[3], 255);
    default: return rgba(e[0], e[1], e[2], e[3]);
    }
}

double sim_half_value(unsigned half) {
    unsigned exponent = half >> 10 & 31, mantissa = half & 1023;
    double v = exponent == 31 ? mantissa ? NAN : INFINITY
               : exponent     ? ldexp(1024 + mantissa, (int)exponent - 25)
                              : ldexp(mantissa, -24);
    return half & 0x8000 ? -v : v;
}

unsigned sim_half_from(double value) {
    unsigned sign = signbit(value) ? 0x8000 : 0;
    double v = fabs(value);
    if (isnan(v)) /* the sign that hosts give what is no number differs */
        return 0x7e00;
    if (v >= 65520)
        return sign | 0x7c00;
    int e;
    frexp(v, &e); /* v < 2^e, but for 0 */
    e = v < 0x1p-14 ? -13 : e;
    double steps = ldexp(v, 11 - e), whole = floor(steps), rest = steps - whole; /* units of the last bit */
    unsigned n = (unsigned)whole;
    n += rest > 0.5 || (rest == 0.5 && n & 1);
    return sign | (n + (unsigned)(e + 13) * 1024u); /* a carry goes into the exponent */
}

/* --- images --------------------------------------------------------------------------------------------- */

size_t qpusim_image_size(enum qpusim_format format, unsigned width, unsigned height) {
    const struct sim_format_info *f = sim_format(format);
    if (!f)
        return 0;
    size_t across = ((size_t)width + (1u << f->log_block_w) - 1) >> f->log_block_w;
    size_t up = ((size_t)height + (1u << f->log_block_h) - 1) >> f->log_block_h;
    return across * up * f->unit;
}

/* Element with texel (x, y) of a tightly packed image. */
static size_t element_at(const struct sim_format_info *f, unsigned width, unsigned x, unsigned y) {
    size_t across = ((size_t)width + (1u << f->log_block_w) - 1) >> f->log_block_w;
    return ((size_t)(y >> f->log_block_h) * across + (x >> f->log_block_w)) * f->unit;
}

static unsigned byte_of_half(unsigned half) {
    double v = sim_half_value(half);
    return !(v > 0) ? 0 : v >= 1 ? 255 : (unsigned)(v * 255 + 0.5);
}

bool qpusim_image_unpack(enum qpusim_format format, unsigned width, unsigned height, const void *pixels,
                         uint32_t *colors) {
    const struct sim_format_info *f = sim_format(format);
    if (!f || !pixels || !colors)
        return false;
    unsigned mask_x = (1u << f->log_block_w) - 1, mask_y = (1u << f->log_block_h) - 1;
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            const uint8_t *e = (const uint8_t *)pixels + element_at(f, width, x, y);
            uint64_t v = sim_texel_decode(format, e, x & mask_x, y & mask_y, true);
            uint32_t c = (uint32_t)v;
            if (format == QPUSIM_RGBA64)
                c = rgba(byte_of_half(v & 0xffff), byte_of_half(v >> 16 & 0xffff),
                         byte_of_half(v >> 32 & 0xffff), byte_of_half((unsigned)(v >> 48)));
            else if (format == QPUSIM_S16F)
                c = rgba(byte_of_half((unsigned)v), 0, 0, 255);
            else if (format == QPUSIM_S16)
                c = rgba((unsigned)v >> 8, 0, 0, 255);
            else if (format == QPUSIM_S8)
                c = rgba((unsigned)v, 0, 0, 255);
            colors[(size_t)y * width + x] = c;
        }
    }
    return true;
}

static unsigned narrow(unsigned v, unsigned bits) {
    return (v * ((1u << bits) - 1) + 127) / 255;
}

/* Puts one texel into its element, whose other texels stay. */
static void encode(enum qpusim_format format, uint8_t *e, unsigned x, uint32_t color) {
    unsigned r = color & 255, g = color >> 8 & 255, b = color >> 16 & 255, a = color >> 24, h = 0;
    unsigned bytes = 2;
    switch (format) {
    case QPUSIM_RGBA4444:
        h = narrow(r, 4) << 12 | narrow(g, 4) << 8 | narrow(b, 4) << 4 | narrow(a, 4);
        break;
    case QPUSIM_RGBA5551:
        h = narrow(r, 5) << 11 | narrow(g, 5) << 6 | narrow(b, 5) << 1 | narrow(a, 1);
        break;
    case QPUSIM_RGB565: h = narrow(r, 5) << 11 | narrow(g, 6) << 5 | narrow(b, 5); break;
    case QPUSIM_LUMALPHA: h = r | a << 8; break;
    case QPUSIM_S16F: h = sim_half_from(r / 255.0); break;
    case QPUSIM_S16: h = r * 257; break;
    case QPUSIM_LUMINANCE:
    case QPUSIM_S8: h = r, bytes = 1; break;
    case QPUSIM_ALPHA: h = a, bytes = 1; break;
    case QPUSIM_A4: h = (e[0] & ~(15u << 4 * x)) | narrow(a, 4) << 4 * x, bytes = 1; break;
    case QPUSIM_A1: h = (e[0] & ~(1u << x)) | narrow(a, 1) << x, bytes = 1; break;
    case QPUSIM_BW1: h = (e[0] & ~(1u << x)) | narrow(r, 1) << x, bytes = 1; break;
    case QPUSIM_RGBA64:
        for (unsigned k = 0; k < 4; k++) {
            unsigned half = sim_half_from((color >> 8 * k & 255) / 255.0);
            e[2 * k] = (uint8_t)half;
            e[2 * k + 1] = (uint8_t)(half >> 8);
        }
        return;
    case QPUSIM_YUYV422R: /* the pair's U and V come from its first texel */
        e[2 * x] = (uint8_t)r;
        if (!x)
            e[1] = (uint8_t)g, e[3] = (uint8_t)b;
        return;
    default: memcpy(e, &color, 4); return;
    }
    e[0] = (uint8_t)h;
    if (bytes == 2)
        e[1] = (uint8_t)(h >> 8);
}

/* The texels of an ETC1 half with the base colour given: best table, index bits, and the squared error. */
static unsigned etc_half(const int (*texel)[3], const uint8_t *place, const int base[3], unsigned *table,
                         uint32_t *bits) {
    unsigned best = ~0u;
    for (unsigned code = 0; code < 8; code++) {
        unsigned sum = 0;
        uint32_t chosen = 0;
        for (unsigned i = 0; i < 8; i++) {
            unsigned least = ~0u, pick = 0;
            for (unsigned k = 0; k < 4; k++) {
                int offset = k & 2 ? -etc_table[code][k & 1] : etc_table[code][k & 1];
                unsigned error = 0;
                for (unsigned c = 0; c < 3; c++) {
                    int d = (int)clamp8(base[c] + offset) - texel[place[i]][c];
                    error += (unsigned)(d * d);
                }
                if (error < least)
                    least = error, pick = k;
            }
            sum += least;
            unsigned at = place[i] % 4u * 4 + place[i] / 4u; /* column by column */
            chosen |= (uint32_t)(pick & 1) << at | (uint32_t)(pick >> 1) << (16 + at);
        }
        if (sum < best)
            best = sum, *table = code, *bits = chosen;
    }
    return best;
}

static void encode_etc1(const int texel[16][3], uint8_t out[8]) {
    unsigned best = ~0u;
    for (unsigned flip = 0; flip < 2; flip++) {
        uint8_t place[2][8];
        unsigned n[2] = {0, 0};
        int sum[2][3] = {{0}};
        for (unsigned i = 0; i < 16; i++) {
            unsigned half = flip ? i >= 8 : i % 4 >= 2;
            place[half][n[half]++] = (uint8_t)i;
            for (unsigned c = 0; c < 3; c++)
                sum[half][c] += texel[i][c];
        }
        for (unsigned differential = 0; differential < 2; differential++) {
            unsigned bits = differential ? 5 : 4, q[2][3], table[2], error = 0;
            int base[2][3];
            uint32_t index[2];
            bool fits = true;
            for (unsigned half = 0; half < 2; half++) {
                for (unsigned c = 0; c < 3; c++) {
                    q[half][c] = narrow((unsigned)(sum[half][c] + 4) / 8, bits);
                    base[half][c] = (int)expand(q[half][c], bits);
                    int d = (int)q[half][c] - (int)q[0][c];
                    fits &= !differential || (d >= -4 && d <= 3);
                }
                error += etc_half(texel, place[half], base[half], &table[half], &index[half]);
            }
            if (!fits || error >= best)
                continue;
            best = error;
            uint32_t all = index[0] | index[1];
            for (unsigned c = 0; c < 3; c++)
                out[c] = (uint8_t)(differential ? q[0][c] << 3 | ((q[1][c] - q[0][c]) & 7)
                                                : q[0][c] << 4 | q[1][c]);
            out[3] = (uint8_t)(table[0] << 5 | table[1] << 2 | differential << 1 | flip);
            for (unsigned i = 0; i < 4; i++)
                out[4 + i] = (uint8_t)(all >> (24 - 8 * i));
        }
    }
}

bool qpusim_image_pack(enum qpusim_format format, unsigned width, unsigned height, const uint32_t *colors,
                       void *pixels) {
    const struct sim_format_info *f = sim_format(format);
    if (!f || !pixels || !colors)
        return false;
    memset(pixels, 0, qpusim_image_size(format, width, height));
    uint8_t *to = pixels;
    if (format != QPUSIM_ETC1) {
        for (unsigned y = 0; y < height; y++)
            for (unsigned x = 0; x < width; x++)
                encode(format, to + element_at(f, width, x, y), x & ((1u << f->log_block_w) - 1),
                       colors[(size_t)y * width + x]);
        return true;
    }
    for (unsigned y = 0; y < height; y += 4) {
        for (unsigned x = 0; x < width; x += 4) {
            int texel[16][3];
            for (unsigned i = 0; i < 16; i++) { /* what lies outside repeats the edge */
                unsigned tx = x + i % 4 < width ? x + i % 4 : width - 1;
                unsigned ty = y + i / 4 < height ? y + i / 4 : height - 1;
                for (unsigned c = 0; c < 3; c++)
                    texel[i][c] = (int)(colors[(size_t)ty * width + tx] >> 8 * c & 255);
            }
            encode_etc1((const int(*)[3])texel, to + element_at(f, width, x, y));
        }
    }
    return true;
}
