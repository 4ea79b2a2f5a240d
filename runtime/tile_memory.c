/* Tiles to memory and back (guide section 9, records 24 to 29; section 11).
 *
 * An image in raster format has rows of whole micro-tiles' width; T and LT format are as textures have them.
 * Pixels of 32 bits have red in the low byte, of 16 bits red in bits 15:11, of 64 bits four halves, red
 * first; Z is in bits 31:8 of its word, stencil in 7:0. The guide says nothing about how values of 8 bits
 * become 5 and 6, about the dither pattern and about the order in full dumps: docs/machine.md lists what is
 * taken here. */
#include <stdio.h>

#include "runtime/texture.h"
#include "runtime/tile.h"

static bool fail(struct qpusim_error *e, const char *what, uint32_t address, const char *why) {
    if (e && e->status == QPUSIM_OK) {
        e->status = QPUSIM_BAD_LIST;
        e->lane = -1;
        e->rule = "tile";
        snprintf(e->text, sizeof e->text, "%s at %08x: %s", what, address, why);
    }
    return false;
}

static bool fail_outside(struct qpusim_error *e, const struct qpusim_memory *memory, const char *what,
                         uint32_t address, size_t size) {
    char where[160];
    if (e && e->status == QPUSIM_OK) {
        sim_memory_explain(memory, address, size, where, sizeof where);
        e->status = QPUSIM_BAD_ADDRESS;
        e->lane = -1;
        e->rule = "address";
        snprintf(e->text, sizeof e->text, "%s at %s", what, where);
    }
    return false;
}

/* --- pixels --------------------------------------------------------------------------------------------- */

/* Thresholds of a 4x4 ordered pattern, in sixteenths of the step lost. */
static const uint8_t dither[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

#define DROP (-2)

/* 8 bits to `bits`: to the nearest, or up for the share of the pattern that the remainder is. */
static unsigned narrow(unsigned v, unsigned bits, int threshold) {
    unsigned scaled = v * ((1u << bits) - 1); /* 255ths */
    return threshold == DROP ? scaled / 255
           : threshold < 0   ? (scaled + 127) / 255
                             : (scaled + (unsigned)(2 * threshold + 1) * 255 / 32) / 255;
}

/* What is added before the fraction is dropped: `narrow`'s argument. */
static int threshold(const struct sim_tile *t, enum sim_pixel_format pixel, unsigned x, unsigned y) {
    if (pixel == SIM_PIXEL_BGR565)
        return SIM_FAULT(t, store_565) ? DROP : -1;
    return SIM_FAULT(t, store_dither) ? dither[x & 3][y & 3] : dither[y & 3][x & 3];
}

static uint16_t to_565(uint32_t c, int threshold) {
    return (uint16_t)(narrow(c & 255, 5, threshold) << 11 | narrow(c >> 8 & 255, 6, threshold) << 5 |
                      narrow(c >> 16 & 255, 5, threshold));
}

static uint32_t from_565(unsigned v) {
    unsigned r = v >> 11, g = v >> 5 & 63, b = v & 31;
    return (r << 3 | r >> 2) | (g << 2 | g >> 4) << 8 | (b << 3 | b >> 2) << 16 | 0xff000000u;
}

/* Mean of `count` colours, channel by channel, rounded to nearest. */
static uint32_t mean(const uint32_t *c, unsigned count, bool truncate) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        unsigned sum = truncate ? 0 : count / 2;
        for (unsigned i = 0; i < count; i++)
            sum += c[i] >> k & 255;
        r |= sum / count << k;
    }
    return r;
}

/* --- images --------------------------------------------------------------------------------------------- */

struct access {
    struct sim_layout layout;
    uint8_t *base;                /* host pointer to the image's first byte */
    unsigned columns, rows, x, y; /* of the image, within the tile's rectangle */
    unsigned shrink;              /* tile pixels along an edge of an image pixel */
};

static unsigned smaller(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Which pixels of the image the tile has, and that all of them lie in memory. */
static bool begin(struct access *a, const struct sim_tile *t, struct qpusim_memory *memory,
                  const struct sim_surface *s, unsigned unit, unsigned shrink, const char *what,
                  struct qpusim_error *error) {
    a->shrink = shrink;
    a->columns = a->rows = 0;
    if (s->address & 15)
        return fail(error, what, s->address, "the address is no multiple of 16");
    if (!s->width || !s->height || s->width > 4096 || s->height > 4096)
        return fail(error, what, s->address, "the image has no size from 1 to 4096");
    static const enum sim_tiling tiling[3] = {SIM_TILING_RASTER, SIM_TILING_T, SIM_TILING_LT};
    if ((unsigned)s->format > SIM_MEMORY_LT)
        return fail(error, what, s->address, "unknown memory format");
    sim_layout_surface(&a->layout, unit, tiling[s->format], s->width, s->height);
    if (t->x < 0 || t->y < 0 || (unsigned)t->x % shrink || (unsigned)t->y % shrink)
        return fail(error, what, s->address, "the tile has no place in the image");
    a->x = (unsigned)t->x / shrink;
    a->y = (unsigned)t->y / shrink;
    if (a->x >= s->width || a->y >= s->height)
        return true;
    a->columns = smaller(t->width / shrink, s->width - a->x);
    a->rows = smaller(t->height / shrink, s->height - a->y);
    /* The largest offset: rows of tiles in T format turn, so all corners of its 4 KiB tiles count. */
    uint32_t first, size;
    sim_layout_extent(&a->layout, 0, a->x, a->y, a->columns, a->rows, &first, &size);
    uint8_t *p = qpusim_memory_map(memory, s->address + first, size);
    if (!p || s->address + first < s->address)
        return fail_outside(error, memory, what, s->address + first, size);
    a->base = p - first;
    return true;
}

static uint8_t *element(const struct access *a, unsigned column, unsigned row) {
    return a->base + sim_layout_offset(&a->layout, 0, a->x + column, a->y + row);
}

static uint32_t resolved(const struct sim_tile *t, const struct access *a, enum sim_decimate decimate,
                         unsigned column, unsigned row) {
    uint32_t c[16];
    unsigned n = 0, samples = decimate == SIM_DECIMATE_NONE ? 1 : t->samples;
    for (unsigned j = 0; j < a->shrink; j++)
        for (unsigned i = 0; i < a->shrink; i++)
            for (unsigned k = 0; k < samples; k++)
                c[n++] = t->color[sim_tile_sample(t, column * a->shrink + i, row * a->shrink + j) + k];
    return n == 1 ? c[0] : mean(c, n, SIM_FAULT(t, resolve_truncates));
}

static bool store_color(const struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *s,
                        struct qpusim_error *error) {
    static const char what[] = "store of a tile's colours";
    struct access a;
    if ((unsigned)s->decimate > SIM_DECIMATE_16 || (unsigned)s->pixel > SIM_PIXEL_BGR565)
        return fail(error, what, s->address, "unknown decimate mode or pixel format");
    if (s->decimate == SIM_DECIMATE_16 && !t->multisample)
        return fail(error, what, s->address, "decimation by 16 needs multisampling");
    if (t->color64 && s->decimate)
        return fail(error, what, s->address, "64-bit colours are not decimated");
    bool halves = s->decimate == SIM_DECIMATE_16 || (s->decimate && !t->multisample);
    unsigned unit = t->color64 ? 8 : s->pixel == SIM_PIXEL_RGBA8888 ? 4 : 2;
    if (!begin(&a, t, memory, s, unit, halves ? 2 : 1, what, error))
        return false;
    for (unsigned y = 0; y < a.rows; y++) {
        for (unsigned x = 0; x < a.columns; x++) {
            uint8_t *p = element(&a, x, y);
            if (t->color64) {
                memcpy(p, &t->color[2 * sim_tile_sample(t, x, y)], 8);
                continue;
            }
            uint32_t c = resolved(t, &a, s->decimate, x, y);
            uint16_t half = 0;
            if (s->pixel != SIM_PIXEL_RGBA8888)
                half = to_565(c, threshold(t, s->pixel, a.x + x, a.y + y));
            memcpy(p, unit == 4 ? (const void *)&c : &half, unit);
        }
    }
    return true;
}

static bool load_color(struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *s,
                       struct qpusim_error *error) {
    struct access a;
    unsigned unit = t->color64 ? 8 : s->pixel == SIM_PIXEL_RGBA8888 ? 4 : 2;
    if ((unsigned)s->pixel > SIM_PIXEL_BGR565)
        return fail(error, "load of a tile's colours", s->address, "unknown pixel format");
    if (!begin(&a, t, memory, s, unit, 1, "load of a tile's colours", error))
        return false;
    for (unsigned y = 0; y < a.rows; y++) {
        for (unsigned x = 0; x < a.columns; x++) {
            const uint8_t *p = element(&a, x, y);
            uint32_t *to = &t->color[sim_tile_sample(t, x, y) * t->sample_words], c[2] = {0};
            uint16_t half = 0;
            memcpy(unit == 2 ? (void *)&half : c, p, unit);
            if (unit == 2)
                c[0] = from_565(half) & (SIM_FAULT(t, load_565) ? 0xfff8fcf8u : ~0u);
            for (unsigned k = 0; k < t->samples; k++)
                memcpy(to + k * t->sample_words, c, 4 * t->sample_words);
        }
    }
    return true;
}

static bool store_depth(const struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *s,
                        bool stencil, struct qpusim_error *error) {
    struct access a;
    if (!begin(&a, t, memory, s, 4, 1, "store of a tile's Z and stencil", error))
        return false;
    for (unsigned y = 0; y < a.rows; y++) {
        for (unsigned x = 0; x < a.columns; x++) {
            unsigned i = sim_tile_sample(t, x, y);
            uint32_t word = t->depth[i] << 8 | (stencil ? t->stencil[i] : 0u);
            memcpy(element(&a, x, y), &word, 4);
        }
    }
    return true;
}

static bool load_depth(struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *s,
                       struct qpusim_error *error) {
    struct access a;
    if (!begin(&a, t, memory, s, 4, 1, "load of a tile's Z and stencil", error))
        return false;
    for (unsigned y = 0; y < a.rows; y++) {
        for (unsigned x = 0; x < a.columns; x++) {
            uint32_t word;
            memcpy(&word, element(&a, x, y), 4);
            for (unsigned k = 0; k < t->samples; k++) {
                t->depth[sim_tile_sample(t, x, y) + k] = word >> 8;
                t->stencil[sim_tile_sample(t, x, y) + k] = (uint8_t)word;
            }
        }
    }
    sim_tile_renew_early(t);
    return true;
}

/* A byte for each pixel. */
static bool copy_alpha(struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *s,
                       bool store, struct qpusim_error *error) {
    const char *what = store ? "store of a tile's alpha mask" : "load of a tile's alpha mask";
    struct access a;
    if (!t->alpha_mask)
        return fail(error, what, s->address, "the frame has none");
    if (!begin(&a, t, memory, s, 1, 1, what, error))
        return false;
    for (unsigned y = 0; y < a.rows; y++)
        for (unsigned x = 0; x < a.columns; x++)
            *(store ? element(&a, x, y) : &t->alpha[y * t->width + x]) =
                *(store ? &t->alpha[y * t->width + x] : element(&a, x, y));
    return true;
}

bool sim_tile_store(const struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *s,
                    enum sim_tile_buffer buffer, struct qpusim_error *error) {
    switch (buffer) {
    case SIM_BUFFER_NONE: return true;
    case SIM_BUFFER_COLOR: return store_color(t, memory, s, error);
    case SIM_BUFFER_ZS:
    case SIM_BUFFER_Z: return store_depth(t, memory, s, buffer == SIM_BUFFER_ZS, error);
    case SIM_BUFFER_ALPHA: return copy_alpha((struct sim_tile *)t, memory, s, true, error);
    default: return fail(error, "tile store", s->address, "no such buffer");
    }
}

bool sim_tile_load(struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *s,
                   enum sim_tile_buffer buffer, struct qpusim_error *error) {
    switch (buffer) {
    case SIM_BUFFER_NONE: return true;
    case SIM_BUFFER_COLOR: return load_color(t, memory, s, error);
    case SIM_BUFFER_ZS: return load_depth(t, memory, s, error);
    case SIM_BUFFER_ALPHA: return copy_alpha(t, memory, s, false, error);
    default: return fail(error, "tile load", s->address, "no such buffer");
    }
}

/* --- full dumps ----------------------------------------------------------------------------------------- */

static uint8_t *dump_area(const struct sim_tile *t, struct qpusim_memory *memory, uint32_t address,
                          bool color, bool depth_stencil, struct qpusim_error *error) {
    size_t size = (color ? SIM_TILE_DUMP : 0) + (depth_stencil ? SIM_TILE_DUMP / t->sample_words : 0);
    uint8_t *p = address & 15 ? NULL : qpusim_memory_map(memory, address, size);
    if (address & 15)
        fail(error, "full tile", address, "no multiple of 16");
    else if (!p)
        fail_outside(error, memory, "full tile", address, size);
    return p;
}

/* Where a dump has sample k of pixel (x, y), counted in samples: quads in rows, of each its samples one after
 * the other, of a sample the four pixels as lanes have them. */
static unsigned dump_place(const struct sim_tile *t, unsigned x, unsigned y, unsigned k) {
    unsigned quad = y / 2 * (t->width / 2) + x / 2;
    return 4 * (quad * t->samples + k) + 2 * (y & 1) + (x & 1);
}

/* place[n]: where the dump has sample number n of the tile. */
static void dump_places(const struct sim_tile *t, uint16_t place[SIM_TILE_COLORS]) {
    for (unsigned y = 0; y < t->height; y++)
        for (unsigned x = 0; x < t->width; x++)
            for (unsigned k = 0; k < t->samples; k++)
                place[sim_tile_sample(t, x, y) + k] = (uint16_t)dump_place(t, x, y, k);
}

bool sim_tile_dump(const struct sim_tile *t, struct qpusim_memory *memory, uint32_t address, bool color,
                   bool depth_stencil, struct qpusim_error *error) {
    uint16_t place[SIM_TILE_COLORS];
    if (!color && !depth_stencil)
        return true;
    uint8_t *p = dump_area(t, memory, address, color, depth_stencil, error);
    if (!p)
        return false;
    dump_places(t, place);
    unsigned count = t->width * t->height * t->samples, each = 4 * t->sample_words;
    for (unsigned i = 0; color && i < count; i++)
        memcpy(p + place[i] * each, &t->color[i * t->sample_words], each);
    p += color ? SIM_TILE_DUMP : 0;
    for (unsigned i = 0; depth_stencil && i < count; i++) {
        uint32_t word = t->depth[i] << 8 | t->stencil[i];
        memcpy(p + 4 * place[i], &word, 4);
    }
    return true;
}

bool sim_tile_reload(struct sim_tile *t, struct qpusim_memory *memory, uint32_t address, bool color,
                     bool depth_stencil, struct qpusim_error *error) {
    uint16_t place[SIM_TILE_COLORS];
    if (!color && !depth_stencil)
        return true;
    const uint8_t *p = dump_area(t, memory, address, color, depth_stencil, error);
    if (!p)
        return false;
    dump_places(t, place);
    unsigned count = t->width * t->height * t->samples, each = 4 * t->sample_words;
    for (unsigned i = 0; color && i < count; i++)
        memcpy(&t->color[i * t->sample_words], p + place[i] * each, each);
    p += color ? SIM_TILE_DUMP : 0;
    for (unsigned i = 0; depth_stencil && i < count; i++) {
        uint32_t word;
        memcpy(&word, p + 4 * place[i], 4);
        t->depth[i] = word >> 8;
        t->stencil[i] = (uint8_t)word;
    }
    if (depth_stencil)
        sim_tile_renew_early(t);
    return true;
}
