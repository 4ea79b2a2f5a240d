/* A draw through the Linux vc4 driver: what machine_draw does with the machine, on a device file. */
#ifndef TOOLS_DEVICE_DRAW_H
#define TOOLS_DEVICE_DRAW_H

#include "machine.h"

struct device_draw;

/* Opens the device and uploads what all instances share: code, textures, vertices, indices. NULL: the reason
 * is in error. `draw` and `m` are borrowed until the end. */
struct device_draw *device_draw_open(const char *path, const struct machine *m,
                                     const struct qpusim_draw_info *draw, unsigned width, unsigned height,
                                     char *error, size_t size);
/* Adds a draw with the streams that the machine has now. */
bool device_draw_add(struct device_draw *d);
/* Submits what was added, waits, and reads the picture; its pixels are allocated. */
bool device_draw_finish(struct device_draw *d, const uint8_t clear[4], struct picture *out);
void device_draw_close(struct device_draw *d);

#endif
