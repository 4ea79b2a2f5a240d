/* The fixed-function pipeline as IR: what a shader for that state would be, with the names of GLSL's
 * compatibility profile. */
#ifndef QPUCC_FRONTEND_FIXED_FIXED_H
#define QPUCC_FRONTEND_FIXED_FIXED_H

#include "ir/ir.h"

#include <qpucc/fixed.h>

/* False: what is wrong with the state, as text that names the member. */
bool fixed_check(const struct qpucc_fixed *fixed, const struct qpucc_state *state, char *error, size_t size);

/* The shader of a stage for a state that has passed the check; NULL: no memory. It suits every state key: the
 * vertex shader has all outputs that one may ask for (both faces' colours, fog, clip planes, a point's size),
 * and lower_stage takes what it needs. */
struct ir_shader *fixed_vertex(const struct qpucc_fixed *fixed, struct ir_arena *beside);
struct ir_shader *fixed_fragment(const struct qpucc_fixed *fixed, struct ir_arena *beside);

#endif
