/* Pictures in the memory of the 3D block: raster, T and LT format (guide, section 11). */
#ifndef TOOLS_SURFACE_H
#define TOOLS_SURFACE_H

#include "tools/picture.h"

enum surface_layout { SURFACE_RASTER, SURFACE_T, SURFACE_LT };
enum surface_format { SURFACE_RGBA8888, SURFACE_BGRA8888, SURFACE_BGR565 }; /* bytes; or blue in bits 4:0 */

struct surface {
    enum surface_layout layout;
    enum surface_format format;
    unsigned width, height;
    unsigned stride; /* bytes from one row of pixels to the next; of T and LT format as if they were rows */
};

unsigned surface_cpp(enum surface_format format);
/* Where pixel (x, y) lies. */
size_t surface_offset(const struct surface *surface, unsigned x, unsigned y);
/* Reads the whole picture from `size` bytes; memory row 0 becomes picture row 0. False when it does not fit,
 * or there is no memory for it. */
bool surface_read(struct picture *picture, const struct surface *surface, const uint8_t *bytes, size_t size);

#endif
