/* Texture storage: T, LT and raster addressing; where a texture's images lie, and storing them there. For
 * drivers (qpucc/texture.h), and for the machine, which reads and writes what is stored so. */
#include "runtime/texture.h"

#include <qpucc/texture.h>

#include <stdlib.h>
#include <string.h>

/* --- layout --------------------------------------------------------------------------------------------- */

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

/* --- placing -------------------------------------------------------------------------------------------- */

/* Levels of this size down to one texel. */
static unsigned levels_of(unsigned width, unsigned height) {
    unsigned largest = width > height ? width : height, most = 1;
    while (largest >> most)
        most++;
    return most;
}

static bool has_mipmaps(const struct qpusim_texture_info *info) {
    const struct sim_format_info *f = sim_format(info->format);
    return f && !f->halves && !f->integer16 && info->format != QPUSIM_S8 && !info->cube;
}

static bool layout_of(const struct qpusim_texture_place *place, struct sim_layout *l) {
    return sim_layout_init(l, place->format, place->width, place->height, place->level_count);
}

bool qpusim_place_texture(const struct qpusim_texture_info *info, struct qpusim_texture_place *out) {
    struct sim_layout l;
    *out = (struct qpusim_texture_place){0};
    if (!info || !info->levels || !info->level_count || (info->generate_mipmaps && !has_mipmaps(info)))
        return false;
    unsigned width = info->levels[0].width, height = info->levels[0].height;
    if (!width || !height || width > 2048 || height > 2048)
        return false;
    unsigned most = levels_of(width, height), levels = info->generate_mipmaps ? most : info->level_count;
    if (levels > most || !sim_layout_init(&l, info->format, width, height, levels))
        return false;
    uint32_t below = (uint32_t)-l.level[levels - 1].offset, base = (below + 4095) & ~4095u;
    uint32_t stride = (base + l.level[0].size + 4095) & ~4095u, faces = info->cube ? 6 : 1;
    *out = (struct qpusim_texture_place){
        .format = info->format,
        .width = width,
        .height = height,
        .level_count = levels,
        .face_count = faces,
        .size = stride * faces,
        .base = base,
        .face_stride = stride,
        .p0 = (info->cube ? 1u << 9 : 0) | (info->format & 15u) << 4 | (levels - 1),
        .p1 = (uint32_t)(info->format >> 4 & 1) << 31 | (height & 2047u) << 20 | (width & 2047u) << 8 |
              (uint32_t)(info->format == QPUSIM_ETC1) << 19 | (uint32_t)info->mag << 7 |
              (uint32_t)info->min << 4 | (uint32_t)info->wrap_t << 2 | (uint32_t)info->wrap_s,
        .p2 = info->cube ? 1u << 30 | stride : 0};
    return true;
}

/* --- storing -------------------------------------------------------------------------------------------- */

/* One row of elements, from or to tiled memory. */
static void copy_row(const struct sim_layout *l, unsigned level, unsigned x, unsigned y, unsigned columns,
                     uint8_t *tiled, uint8_t *row, bool store) {
    for (unsigned k = 0; k < columns; k++) {
        uint8_t *at = tiled + sim_layout_offset(l, level, x + k, y);
        memcpy(store ? at : row + (size_t)k * l->unit, store ? row + (size_t)k * l->unit : at, l->unit);
    }
}

/* Elements that texels [from, from + count) of `size` lie in; false: they are not whole. */
static bool elements(unsigned from, unsigned count, unsigned size, unsigned log_block, unsigned *first,
                     unsigned *number) {
    unsigned inside = (1u << log_block) - 1;
    if (from > size || count > size - from || from & inside || (from + count < size && count & inside))
        return false;
    *first = from >> log_block;
    *number = (count + inside) >> log_block;
    return true;
}

static bool copy_part(const struct qpusim_texture_place *place, const struct qpusim_texture_part *part,
                      uint8_t *pixels, uint8_t *buffer, bool store) {
    struct sim_layout l;
    unsigned x, y, columns, rows;
    if (!layout_of(place, &l) || part->level >= place->level_count || part->face >= place->face_count)
        return false;
    const struct sim_level *v = &l.level[part->level];
    if (!elements(part->x, part->width, v->width, l.log_block_w, &x, &columns) ||
        !elements(part->y, part->height, v->height, l.log_block_h, &y, &rows))
        return false;
    size_t row_bytes = part->row_bytes ? part->row_bytes : (size_t)columns * l.unit;
    uint8_t *tiled = buffer + (size_t)part->face * place->face_stride + place->base + v->offset;
    for (unsigned row = 0; row < rows; row++)
        copy_row(&l, part->level, x, y + row, columns, tiled, pixels + row * row_bytes, store);
    return true;
}

bool qpusim_store_part(const struct qpusim_texture_place *place, const struct qpusim_texture_part *part,
                       const void *pixels, void *buffer) {
    return copy_part(place, part, (uint8_t *)pixels, buffer, true); /* which is read only */
}

bool qpusim_load_part(const struct qpusim_texture_place *place, const struct qpusim_texture_part *part,
                      const void *buffer, void *pixels) {
    return copy_part(place, part, pixels, (uint8_t *)buffer, false); /* which is read only */
}

static bool store_level(const struct qpusim_texture_place *place, unsigned face, unsigned level,
                        const void *pixels, void *buffer) {
    unsigned w = minify(place->width, level), h = minify(place->height, level);
    const struct qpusim_texture_part whole = {.face = face, .level = level, .width = w, .height = h};
    return qpusim_store_part(place, &whole, pixels, buffer);
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
static bool store_generated(const struct qpusim_texture_place *place, const void *pixels, void *buffer,
                            const struct qpucc_allocator *from) {
    unsigned w = place->width, h = place->height;
    size_t size = (size_t)w * h, bytes = 2 * size * sizeof(uint32_t) + qpusim_image_size(place->format, w, h);
    void *scratch = from ? from->allocate(from->user, bytes) : malloc(bytes);
    if (!scratch)
        return false;
    uint32_t *a = scratch, *b = a + size;
    uint8_t *packed = (uint8_t *)(b + size);
    bool ok = store_level(place, 0, 0, pixels, buffer);
    if (ok)
        qpusim_image_unpack(place->format, w, h, pixels, a);
    for (unsigned n = 1; ok && n < place->level_count; n++) {
        shrink((const uint8_t *)a, minify(w, n - 1), minify(h, n - 1), (uint8_t *)b);
        qpusim_image_pack(place->format, minify(w, n), minify(h, n), b, packed);
        ok = store_level(place, 0, n, packed, buffer);
        uint32_t *t = a;
        a = b;
        b = t;
    }
    if (from)
        from->release(from->user, scratch);
    else
        free(scratch);
    return ok;
}

bool qpusim_store_texture(const struct qpusim_texture_info *info, const struct qpusim_texture_place *place,
                          void *buffer) {
    unsigned levels = place->level_count, count = place->face_count * levels;
    bool ok = true;
    if (info->generate_mipmaps)
        return info->levels[0].pixels &&
               store_generated(place, info->levels[0].pixels, buffer, info->allocator);
    for (unsigned i = 0; i < count; i++) {
        const struct qpusim_image *m = &info->levels[i];
        ok &= m->pixels && m->width == minify(place->width, i % levels) &&
              m->height == minify(place->height, i % levels);
    }
    for (unsigned i = 0; ok && i < count; i++)
        ok = store_level(place, i / levels, i % levels, info->levels[i].pixels, buffer);
    return ok;
}
