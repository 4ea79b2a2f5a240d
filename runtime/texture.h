/* How textures lie in memory (guide section 4, "Texture Data Storage", and section 11): shared by the TMU
 * that reads and the helper that stores them. */
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_MAX_LEVELS 12

enum sim_tiling { SIM_TILING_T, SIM_TILING_LT, SIM_TILING_RASTER };

struct sim_level {
    unsigned width, height; /* texels that exist */
    uint32_t size;          /* bytes with padding */
    int32_t offset;         /* of the level from level 0, in bytes: negative from level 1 on */
    unsigned across;        /* units (T: 4 KiB tiles, LT: micro-tiles, raster: bytes) in a row */
    enum sim_tiling tiling;
};

struct sim_layout {
    unsigned format;
    unsigned unit;           /* bytes of a stored element: a texel, or an ETC1 block */
    unsigned block;          /* texels along an element's edge: 1, ETC1: 4 */
    unsigned tile_w, tile_h; /* elements of a micro-tile */
    unsigned log_w, log_h, log_unit;
    unsigned level_count;
    struct sim_level level[SIM_MAX_LEVELS];
};

/* False when the format is not supported. */
bool sim_layout_init(struct sim_layout *l, unsigned format, unsigned width, unsigned height,
                     unsigned level_count);
/* One image of elements of `unit` bytes (1, 2, 4, 8) as frame buffers have them. */
void sim_layout_surface(struct sim_layout *l, unsigned unit, enum sim_tiling tiling, unsigned width,
                        unsigned height);
/* The bytes of a level that hold its elements [x, x + columns) by [y, y + rows), and perhaps some between
 * them. */
void sim_layout_extent(const struct sim_layout *l, unsigned level, unsigned x, unsigned y, unsigned columns,
                       unsigned rows, uint32_t *first, uint32_t *size);
/* Byte offset of element (x, y) from the level's start. */
static inline uint32_t sim_layout_offset(const struct sim_layout *l, unsigned level, unsigned x, unsigned y) {
    const struct sim_level *v = &l->level[level];
    if (v->tiling == SIM_TILING_RASTER)
        return y * v->across + (x << l->log_unit);
    unsigned ux = x >> l->log_w, uy = y >> l->log_h;
    uint32_t inside = ((y & (l->tile_h - 1)) << l->log_w | (x & (l->tile_w - 1))) << l->log_unit;
    if (v->tiling == SIM_TILING_LT)
        return (uy * v->across + ux) * 64 + inside;
    /* 4 KiB tiles of 2x2 sub-tiles of 4x4 micro-tiles; odd rows of tiles run right to left, and the order of
     * sub-tiles turns with them (figure 14). Index: bit 1 y, bit 0 x of the sub-tile. */
    static const uint8_t order[2][4] = {{0, 3, 1, 2}, {2, 1, 3, 0}};
    unsigned tx = ux / 8, ty = uy / 8, odd = ty & 1;
    if (odd)
        tx = v->across - 1 - tx;
    unsigned sub = order[odd][(uy / 4 & 1) << 1 | (ux / 4 & 1)];
    return (ty * v->across + tx) * 4096 + sub * 1024 + ((uy & 3) * 4 + (ux & 3)) * 64 + inside;
}

/* Stored element to packed RGBA8888; (x, y) is the texel's place in an ETC1 block. */
uint32_t sim_texel_decode(unsigned format, const uint8_t *element, unsigned x, unsigned y, bool etc_flip);

#endif
