/* Pictures: RGBA, 8 bits a channel, row 0 at the bottom as GL has it. */
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PICTURE_MAX_PIXELS = 2048 }; /* a side of a texture, on this hardware */

struct picture {
    unsigned width, height;
    uint8_t *pixels; /* malloc'ed, 4 bytes a pixel */
};

bool picture_read_png(struct picture *picture, const char *path, char *error, size_t size);
/* Also a picture up to four times as large as the hardware reads. */
bool picture_read_large_png(struct picture *picture, const char *path, char *error, size_t size);
/* A PNG in memory; `name` is for messages. */
bool picture_decode_png(struct picture *picture, const char *name, const void *data, size_t bytes,
                        char *error, size_t size);
/* Writes to a temporary file beside `path` and renames it: no partial file stays. Alpha is left out unless
 * asked. */
bool picture_write_png(const struct picture *picture, const char *path, bool alpha, char *error, size_t size);
/* The same bytes, malloc'ed. NULL: the reason is in error. */
uint8_t *picture_encode_png(const struct picture *picture, bool alpha, size_t *bytes, char *error,
                            size_t size);
void picture_free(struct picture *picture);
/* Half as wide and high (at least 1): each pixel is the mean of four. */
void picture_halve(struct picture *picture);
/* The last row becomes the first. */
void picture_turn_over(struct picture *picture);

/* What a sampler without a file shows: smooth enough that half a pixel more or less does not matter. The name
 * decides the kind (normal map, height or depth map, colours). */
bool picture_procedural(struct picture *picture, const char *sampler);
/* The same for a cube map, faces +x, -x, +y, -y, +z, -z. The colour is a smooth function of the direction
 * alone, so that filtering across the cube's edges or not makes no visible difference. */
bool picture_procedural_cube(struct picture faces[6], const char *sampler);

#endif
