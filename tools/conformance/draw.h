/* One draw of a case on the simulated machine: what a GL driver does between glDrawElements and the hardware.
 */
#ifndef CONFORMANCE_DRAW_H
#define CONFORMANCE_DRAW_H

#include "cases.h"
#include "tools/picture.h"

#include <qpucc/qpucc.h>

struct draw_options {
    uint32_t seed; /* of what unused lanes hold */
    uint8_t clear[4];
};

/* The state key for a draw of this primitive mode. */
struct qpucc_state draw_state(unsigned mode);

/* Draws into a fresh target of the viewport's size. False: the reason is in error; what was drawn until then
 * is in `out` all the same, unless its pixels are NULL. */
bool draw_run(const struct case_draw *draw, const qpucc_program *program, const struct draw_options *options,
              struct picture *out, char *error, size_t size);

#endif
