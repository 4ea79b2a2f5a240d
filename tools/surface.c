/* Pictures in the memory of the 3D block.
 *
 * Microtiles of 64 bytes hold pixels row by row: 4x4 of 32 bits, 8x4 of 16. LT format has the microtiles row
 * by row. T format has tiles of 4 KiB in rows, of 2x2 blocks of 4x4 microtiles; even rows of tiles run to the
 * right, odd ones to the left, with the blocks of a tile in an order that keeps neighbours together. */
#include "tools/surface.h"

#include <stdlib.h>

enum { MICROTILE = 64, BLOCK = 1024, TILE = 4096 };

unsigned surface_cpp(enum surface_format format) {
    return format == SURFACE_BGR565 ? 2 : 4;
}

size_t surface_offset(const struct surface *surface, unsigned x, unsigned y) {
    unsigned cpp = surface_cpp(surface->format);
    if (surface->layout == SURFACE_RASTER) {
        return (size_t)y * surface->stride + (size_t)x * cpp;
    }
    unsigned wide = cpp == 4 ? 4 : 8, high = 4;
    unsigned ux = x / wide, uy = y / high, across = surface->stride / (wide * cpp);
    size_t inside = ((size_t)(y % high) * wide + x % wide) * cpp;
    if (surface->layout == SURFACE_LT) {
        return ((size_t)uy * across + ux) * MICROTILE + inside;
    }
    static const unsigned char order[2][2][2] = {{{0, 3}, {1, 2}}, {{2, 1}, {3, 0}}}; /* by odd row, y, x */
    unsigned row = uy / 8, column = ux / 8, tiles = across / 8, odd = row & 1;
    size_t tile = (size_t)row * tiles + (odd ? tiles - 1 - column : column);
    return tile * TILE + (size_t)order[odd][uy / 4 & 1][ux / 4 & 1] * BLOCK +
           ((size_t)(uy % 4) * 4 + ux % 4) * MICROTILE + inside;
}

/* n bits as 8, by replication. */
static uint8_t widen(unsigned value, unsigned bits) {
    return (uint8_t)(value << (8 - bits) | value >> (2 * bits - 8));
}

static void read_pixel(uint8_t out[4], const uint8_t *in, enum surface_format format) {
    if (format == SURFACE_BGR565) {
        unsigned value = in[0] | in[1] << 8;
        out[0] = widen(value >> 11, 5);
        out[1] = widen(value >> 5 & 63, 6);
        out[2] = widen(value & 31, 5);
        out[3] = 255;
        return;
    }
    unsigned red = format == SURFACE_BGRA8888 ? 2 : 0;
    out[0] = in[red];
    out[1] = in[1];
    out[2] = in[2 - red];
    out[3] = in[3];
}

bool surface_read(struct picture *picture, const struct surface *surface, const uint8_t *bytes, size_t size) {
    unsigned cpp = surface_cpp(surface->format), w = surface->width, h = surface->height;
    unsigned whole = surface->layout == SURFACE_RASTER ? cpp : surface->layout == SURFACE_LT ? 16 : 128;
    *picture = (struct picture){.width = w, .height = h};
    if (!w || !h || w > 8192 || h > 8192 || surface->stride < w * cpp || surface->stride % whole) {
        return false;
    }
    picture->pixels = malloc((size_t)w * h * 4);
    for (unsigned y = 0; picture->pixels && y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            size_t offset = surface_offset(surface, x, y);
            if (offset + cpp > size) {
                picture_free(picture);
                return false;
            }
            read_pixel(picture->pixels + 4 * ((size_t)y * w + x), bytes + offset, surface->format);
        }
    }
    return picture->pixels != NULL;
}
