/* Textures in the machine's memory: stored as drivers store them (texture.c), and read back. */
#include "runtime/machine.h"
#include "runtime/texture.h"

#include <string.h>

/* Whether a failure was the caller's is known before anything is allocated. */
static bool images_fit(const struct qpusim_texture_info *info, const struct qpusim_texture_place *place) {
    unsigned levels = place->level_count, count = info->generate_mipmaps ? 1 : place->face_count * levels;
    bool fit = true;
    for (unsigned i = 0; i < count; i++) {
        unsigned w = place->width >> i % levels, h = place->height >> i % levels;
        const struct qpusim_image *m = &info->levels[i];
        fit &= m->pixels && m->width == (w ? w : 1) && m->height == (h ? h : 1);
    }
    return fit;
}

enum qpusim_status qpusim_upload_texture(struct qpusim_memory *memory, const struct qpusim_texture_info *info,
                                         struct qpusim_texture *out) {
    struct qpusim_texture_place place;
    memset(out, 0, sizeof *out);
    if (!memory || !qpusim_place_texture(info, &place) || !images_fit(info, &place))
        return QPUSIM_BAD_ARGUMENT;
    uint32_t address = qpusim_memory_alloc(memory, place.size, 4096);
    if (!address || !qpusim_store_texture(info, &place, qpusim_memory_map(memory, address, place.size)))
        return QPUSIM_NO_MEMORY;
    address += place.base;
    *out = (struct qpusim_texture){address | place.p0, place.p1, place.p2, address};
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
    unsigned w = (v->width + (1u << l.log_block_w) - 1) >> l.log_block_w;
    unsigned h = (v->height + (1u << l.log_block_h) - 1) >> l.log_block_h;
    uint32_t first, bytes;
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
