/* Texture storage: T, LT and raster addressing; storing textures and reading them back. */
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
    l->info = sim_format(format);
    if (!l->info || !level_count || level_count > SIM_MAX_LEVELS)
        return false;
    l->unit = l->info->unit;
    l->tile_w = l->info->tile_w;
    l->tile_h = l->info->tile_h;
    l->log_block_w = l->info->log_block_w;
    l->log_block_h = l->info->log_block_h;
    finish_layout(l);
    l->level_count = level_count;
    int32_t below = 0;
    for (unsigned n = 0; n < level_count; n++) {
        struct sim_level *v = &l->level[n];
        v->width = minify(width, n);
        v->height = minify(height, n);
        /* Levels below the first live in power-of-two containers, and the rows of a raster image are always
         * as long as those of one (erratum HW-2898). */
        unsigned w = n || l->info->raster ? minify(power_of_two(width), n) : width;
        unsigned h = n ? minify(power_of_two(height), n) : height;
        w = (w + (1u << l->log_block_w) - 1) >> l->log_block_w;
        h = (h + (1u << l->log_block_h) - 1) >> l->log_block_h;
        bool small = w <= 4 * l->tile_w || h <= 4 * l->tile_h;
        place_level(l, v, l->info->raster ? SIM_TILING_RASTER : small ? SIM_TILING_LT : SIM_TILING_T, w, h);
        if (n)
            below -= (int32_t)v->size;
        v->offset = below;
    }
    return true;
}

/* --- upload -----------------------------------------------------------------------------------
 */

static void elements(const struct sim_layout *l, unsigned level, unsigned *w, unsigned *h) {
    *w = (l->level[level].width + (1u << l->log_block_w) - 1) >> l->log_block_w;
    *h = (l->level[level].height + (1u << l->log_block_h) - 1) >> l->log_block_h;
}

static void store_level(const struct sim_layout *l, unsigned level, uint8_t *base, const uint8_t *pixels) {
    unsigned w, h;
    elements(l, level, &w, &h);
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++)
            memcpy(base + l->level[level].offset + sim_layout_offset(l, level, x, y),
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

/* All levels from an image of level 0. */
static enum qpusim_status store_generated(const struct sim_layout *l, uint8_t *base, const void *pixels) {
    unsigned w = l->level[0].width, h = l->level[0].height;
    size_t size = (size_t)w * h * 4;
    uint32_t *a = malloc(size), *b = malloc(size);
    uint8_t *packed = malloc(qpusim_image_size(l->format, w, h));
    enum qpusim_status status = a && b && packed ? QPUSIM_OK : QPUSIM_NO_MEMORY;
    if (status == QPUSIM_OK) {
        store_level(l, 0, base, pixels);
        qpusim_image_unpack(l->format, w, h, pixels, a);
        for (unsigned n = 1; n < l->level_count; n++) {
            shrink((const uint8_t *)a, l->level[n - 1].width, l->level[n - 1].height, (uint8_t *)b);
            qpusim_image_pack(l->format, l->level[n].width, l->level[n].height, b, packed);
            store_level(l, n, base, packed);
            uint32_t *t = a;
            a = b;
            b = t;
        }
    }
    free(a);
    free(b);
    free(packed);
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
        const struct sim_format_info *f = sim_format(info->format);
        if (!f || f->halves || f->integer16 || info->format == QPUSIM_S8 || info->cube)
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

enum qpusim_status qpusim_read_texture(const struct qpusim_memory *memory,
                                       const struct qpusim_texture *texture, unsigned face, unsigned level,
                                       void *pixels, size_t size) {
    struct sim_sampler s;
    uint32_t param[4] = {texture->p0, texture->p1, texture->p2, 0};
    sim_sampler_decode(&s, param);
    struct sim_layout l = s.layout;
    unsigned levels = (texture->p0 & 15) + 1;
    if (s.refused || face > (s.cube ? 5 : 0) || level >= levels ||
        !sim_layout_init(&l, s.layout.format, l.level[0].width, l.level[0].height, levels))
        return QPUSIM_BAD_ARGUMENT;
    const struct sim_level *v = &l.level[level];
    if (size < qpusim_image_size(l.format, v->width, v->height))
        return QPUSIM_BAD_ARGUMENT;
    unsigned w, h;
    uint32_t first, bytes;
    elements(&l, level, &w, &h);
    sim_layout_extent(&l, level, 0, 0, w, h, &first, &bytes);
    uint32_t start = s.base + face * s.cube_stride + (uint32_t)v->offset;
    const uint8_t *from = sim_memory_at(memory, start + first, bytes);
    if (!from)
        return QPUSIM_BAD_ARGUMENT;
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++)
            memcpy((uint8_t *)pixels + ((size_t)y * w + x) * l.unit,
                   from - first + sim_layout_offset(&l, level, x, y), l.unit);
    return QPUSIM_OK;
}
