/* Texture storage: T, LT and raster addressing, texel formats, and the upload helper. */
#include "runtime/texture.h"

#include <stdlib.h>

#include "runtime/machine.h"

/* --- layout -----------------------------------------------------------------------------------
 */

static unsigned minify(unsigned v, unsigned level) {
    return v >> level ? v >> level : 1;
}

static unsigned power_of_two(unsigned v) {
    unsigned p = 1;
    while (p < v)
        p <<= 1;
    return p;
}

/* Element sizes and micro-tiles: 64 bytes of 2x4, 4x4, 8x4 or 8x8 elements (guide section 11, "Micro-tiles").
 */
static bool format_info(struct sim_layout *l) {
    l->block = 1;
    switch (l->format) {
    case QPUSIM_RGBA8888:
    case QPUSIM_RGBX8888:
    case QPUSIM_RGBA32R: l->unit = 4, l->tile_w = 4, l->tile_h = 4; return true;
    case QPUSIM_RGBA4444:
    case QPUSIM_RGBA5551:
    case QPUSIM_RGB565:
    case QPUSIM_LUMALPHA: l->unit = 2, l->tile_w = 8, l->tile_h = 4; return true;
    case QPUSIM_LUMINANCE:
    case QPUSIM_ALPHA: l->unit = 1, l->tile_w = 8, l->tile_h = 8; return true;
    case QPUSIM_ETC1: l->unit = 8, l->block = 4, l->tile_w = 2, l->tile_h = 4; return true;
    default: return false;
    }
}

static void place_level(const struct sim_layout *l, struct sim_level *v, enum sim_tiling tiling, unsigned w,
                        unsigned h) {
    v->tiling = tiling;
    unsigned step = tiling == SIM_TILING_T ? 8 : 1; /* micro-tiles */
    unsigned across = (w + step * l->tile_w - 1) / (step * l->tile_w);
    unsigned up = (h + step * l->tile_h - 1) / (step * l->tile_h);
    v->across = tiling == SIM_TILING_RASTER ? across * l->tile_w * l->unit : across;
    v->size = across * up * (tiling == SIM_TILING_T ? 4096 : 64);
}

static void finish_layout(struct sim_layout *l) {
    l->log_w = (unsigned)__builtin_ctz(l->tile_w);
    l->log_h = (unsigned)__builtin_ctz(l->tile_h);
    l->log_unit = (unsigned)__builtin_ctz(l->unit);
}

void sim_layout_surface(struct sim_layout *l, unsigned unit, enum sim_tiling tiling, unsigned width,
                        unsigned height) {
    memset(l, 0, sizeof *l);
    l->unit = unit;
    l->block = 1;
    l->tile_w = unit == 8 ? 2 : unit == 4 ? 4 : 8;
    l->tile_h = unit == 1 ? 8 : 4;
    finish_layout(l);
    l->level_count = 1;
    l->level[0].width = width;
    l->level[0].height = height;
    place_level(l, &l->level[0], tiling, width, height);
}

void sim_layout_extent(const struct sim_layout *l, unsigned level, unsigned x, unsigned y, unsigned columns,
                       unsigned rows, uint32_t *first, uint32_t *size) {
    const struct sim_level *v = &l->level[level];
    uint32_t end;
    if (v->tiling == SIM_TILING_T) { /* rows of tiles turn: whole rows */
        unsigned row = 8 * l->tile_h;
        *first = y / row * v->across * 4096;
        end = ((y + rows - 1) / row + 1) * v->across * 4096;
    } else {
        *first = sim_layout_offset(l, level, x & ~(l->tile_w - 1), y & ~(l->tile_h - 1));
        end = sim_layout_offset(l, level, x + columns - 1, y + rows - 1) + l->unit;
        if (v->tiling == SIM_TILING_LT)
            end = (end + 63) & ~63u;
    }
    *size = end - *first;
}

bool sim_layout_init(struct sim_layout *l, unsigned format, unsigned width, unsigned height,
                     unsigned level_count) {
    memset(l, 0, sizeof *l);
    l->format = format;
    if (!format_info(l) || !level_count || level_count > SIM_MAX_LEVELS)
        return false;
    finish_layout(l);
    l->level_count = level_count;
    int32_t below = 0;
    for (unsigned n = 0; n < level_count; n++) {
        struct sim_level *v = &l->level[n];
        v->width = minify(width, n);
        v->height = minify(height, n);
        /* Levels below the first live in power-of-two containers. */
        unsigned w = n ? minify(power_of_two(width), n) : width;
        unsigned h = n ? minify(power_of_two(height), n) : height;
        w = (w + l->block - 1) / l->block;
        h = (h + l->block - 1) / l->block;
        bool small = w <= 4 * l->tile_w || h <= 4 * l->tile_h;
        place_level(l, v,
                    format == QPUSIM_RGBA32R ? SIM_TILING_RASTER
                    : small                  ? SIM_TILING_LT
                                             : SIM_TILING_T,
                    w, h);
        if (n)
            below -= (int32_t)v->size;
        v->offset = below;
    }
    return true;
}

/* --- texel formats (guide table 18) --------------------------------------------------------------------- */

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

/* Ericsson texture compression: two 4x2 or 2x4 halves, each a base colour and one of four offsets a texel. */
static uint32_t decode_etc1(const uint8_t *b, unsigned x, unsigned y) {
    static const int16_t table[8][2] = {{2, 8},   {5, 17},  {9, 29},   {13, 42},
                                        {18, 60}, {24, 80}, {33, 106}, {47, 183}};
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
    int offset = table[code][bits >> k & 1];
    if (bits >> (16 + k) & 1)
        offset = -offset;
    return rgba(clamp8(c[0] + offset), clamp8(c[1] + offset), clamp8(c[2] + offset), 255);
}

uint32_t sim_texel_decode(unsigned format, const uint8_t *e, unsigned x, unsigned y, bool etc_flip) {
    unsigned h = e[0];
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
    default: return rgba(e[0], e[1], e[2], e[3]);
    }
}

/* --- upload -----------------------------------------------------------------------------------
 */

static void store_level(const struct sim_layout *l, unsigned level, uint8_t *base, const uint8_t *pixels) {
    const struct sim_level *v = &l->level[level];
    unsigned w = (v->width + l->block - 1) / l->block, h = (v->height + l->block - 1) / l->block;
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++)
            memcpy(base + v->offset + sim_layout_offset(l, level, x, y),
                   pixels + ((size_t)y * w + x) * l->unit, l->unit);
}

/* The next smaller level by a 2x2 box (edges of odd sizes repeat). */
static void shrink(const uint8_t *in, unsigned w, unsigned h, uint8_t *out) {
    unsigned ow = w > 1 ? w / 2 : 1, oh = h > 1 ? h / 2 : 1;
    for (unsigned y = 0; y < oh; y++) {
        for (unsigned x = 0; x < ow; x++) {
            unsigned x0 = 2 * x < w ? 2 * x : w - 1, x1 = x0 + 1 < w ? x0 + 1 : x0;
            unsigned y0 = 2 * y < h ? 2 * y : h - 1, y1 = y0 + 1 < h ? y0 + 1 : y0;
            for (unsigned c = 0; c < 4; c++) {
                unsigned sum = in[(y0 * w + x0) * 4 + c] + in[(y0 * w + x1) * 4 + c] +
                               in[(y1 * w + x0) * 4 + c] + in[(y1 * w + x1) * 4 + c];
                out[(y * ow + x) * 4 + c] = (uint8_t)((sum + 2) / 4);
            }
        }
    }
}

static enum qpusim_status store_generated(const struct sim_layout *l, uint8_t *base, const uint8_t *pixels) {
    size_t size = (size_t)l->level[0].width * l->level[0].height * 4;
    uint8_t *a = malloc(size), *b = malloc(size);
    if (a && b) {
        memcpy(a, pixels, size);
        for (unsigned n = 0; n < l->level_count; n++) {
            store_level(l, n, base, a);
            shrink(a, l->level[n].width, l->level[n].height, b);
            uint8_t *t = a;
            a = b;
            b = t;
        }
    }
    enum qpusim_status status = a && b ? QPUSIM_OK : QPUSIM_NO_MEMORY;
    free(a);
    free(b);
    return status;
}

enum qpusim_status qpusim_upload_texture(struct qpusim_memory *memory, const struct qpusim_texture_info *info,
                                         struct qpusim_texture *out) {
    memset(out, 0, sizeof *out);
    if (!memory || !info || !info->levels || !info->level_count)
        return QPUSIM_BAD_ARGUMENT;
    unsigned width = info->levels[0].width, height = info->levels[0].height, levels = info->level_count;
    if (!width || !height || width > 2048 || height > 2048)
        return QPUSIM_BAD_ARGUMENT;
    unsigned largest = width > height ? width : height, most = 1;
    while (largest >> most)
        most++;
    if (info->generate_mipmaps) {
        if (info->format != QPUSIM_RGBA8888 || info->cube)
            return QPUSIM_BAD_ARGUMENT;
        levels = most;
    }
    if (levels > most)
        return QPUSIM_BAD_ARGUMENT;
    struct sim_layout l;
    if (!sim_layout_init(&l, info->format, width, height, levels))
        return QPUSIM_BAD_ARGUMENT;
    unsigned faces = info->cube ? 6 : 1;
    if (!info->generate_mipmaps) {
        for (unsigned i = 0; i < faces * levels; i++) {
            const struct qpusim_image *m = &info->levels[i];
            const struct sim_level *v = &l.level[i % levels];
            if (!m->pixels || m->width != v->width || m->height != v->height)
                return QPUSIM_BAD_ARGUMENT;
        }
    } else if (!info->levels[0].pixels) {
        return QPUSIM_BAD_ARGUMENT;
    }
    /* Smaller levels first, then level 0 on a page. */
    uint32_t below = (uint32_t)-l.level[levels - 1].offset, start = (below + 4095) & ~4095u;
    uint32_t stride = (start + l.level[0].size + 4095) & ~4095u;
    uint32_t address = qpusim_memory_alloc(memory, (size_t)stride * faces, 4096);
    if (!address)
        return QPUSIM_NO_MEMORY;
    uint8_t *bytes = qpusim_memory_map(memory, address, (size_t)stride * faces);
    for (unsigned f = 0; f < faces; f++) {
        uint8_t *base = bytes + (size_t)f * stride + start;
        if (info->generate_mipmaps) {
            enum qpusim_status status = store_generated(&l, base, info->levels[0].pixels);
            if (status != QPUSIM_OK)
                return status;
            continue;
        }
        for (unsigned n = 0; n < levels; n++)
            store_level(&l, n, base, info->levels[f * levels + n].pixels);
    }
    out->address = address + start;
    out->p0 = out->address | (info->cube ? 1u << 9 : 0) | (info->format & 15u) << 4 | (levels - 1);
    out->p1 = (uint32_t)(info->format >> 4 & 1) << 31 | (height & 2047u) << 20 | (width & 2047u) << 8 |
              (uint32_t)(info->format == QPUSIM_ETC1) << 19 | (uint32_t)info->mag << 7 |
              (uint32_t)info->min << 4 | (uint32_t)info->wrap_t << 2 | (uint32_t)info->wrap_s;
    out->p2 = info->cube ? 1u << 30 | stride : 0;
    return QPUSIM_OK;
}
