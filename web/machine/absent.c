/* What tools/ calls and a page has not: files, libpng, a vc4 device. The page reads PNG files itself. */
#include "tools/device_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Not a PNG: width, height, 32 bits each, and RGBA, the top row first. */
bool picture_decode_png(struct picture *picture, const char *name, const void *data, size_t bytes,
                        char *error, size_t size) {
    uint32_t shape[2] = {0, 0};
    memcpy(shape, data, bytes < sizeof shape ? bytes : sizeof shape);
    size_t row = 4 * (size_t)shape[0];
    *picture = (struct picture){shape[0], shape[1], NULL};
    if (shape[0] - 1 < 2048 && shape[1] - 1 < 2048 && bytes == sizeof shape + row * shape[1])
        picture->pixels = malloc(row * shape[1]);
    if (!picture->pixels)
        return snprintf(error, size, "%s: not a picture, or out of memory", name), false;
    memcpy(picture->pixels, (const uint8_t *)data + sizeof shape, row * shape[1]);
    picture_turn_over(picture);
    return true;
}

bool picture_read_png(struct picture *picture, const char *path, char *error, size_t size) {
    memset(picture, 0, sizeof *picture);
    snprintf(error, size, "%s: a page has no files", path);
    return false;
}

struct device_draw *device_draw_open(const char *path, const struct machine *m,
                                     const struct qpusim_draw_info *draw, unsigned width, unsigned height,
                                     char *error, size_t size) {
    (void)m, (void)draw, (void)width, (void)height;
    snprintf(error, size, "%s: a page has no devices", path);
    return NULL;
}

bool device_draw_add(struct device_draw *d) {
    return d != NULL;
}

bool device_draw_finish(struct device_draw *d, const uint8_t clear[4], struct picture *out) {
    (void)clear, (void)out;
    return d != NULL;
}

void device_draw_close(struct device_draw *d) {
    (void)d;
}
