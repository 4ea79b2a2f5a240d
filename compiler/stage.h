/* One source stage of a program, from its kept IR to what selection takes. */
#ifndef QPUCC_COMPILER_STAGE_H
#define QPUCC_COMPILER_STAGE_H

#include "compiler/compile.h"

/* What is given up for fewer values alive at once. FIRST: nothing. LEAN: operations, and larger loops stay
 * loops. LATE: operations and size, more loops are unrolled; varyings are
 * read after those that are left. */
enum pressure_level { LEVEL_FIRST, LEVEL_LEAN, LEVEL_LATE, PRESSURE_LEVELS };

/* What the stage is compiled to: a fragment shader, or a vertex and a coordinate shader. */
struct stage_ir {
    struct ir_shader *part[2];
    unsigned parts;
};

/* The level of optimisation that is under way: what does not fit at -O0 is made once more (c->flat) as at
 * -O1. */
int stage_opt_level(const struct compile *c);
/* May the state give varyings of the linker's plan another meaning? Then the compile opens the plan first. */
bool stage_asks_plan(const struct qpucc_state *state);
/* Does the level begin with the linked IR: would the generic passes give the same again? */
bool stage_starts_linked(const struct compile *c, unsigned level);
/* Starts at the kept IR and leaves that alone. With parts == 0 and true: the level makes no sense for this
 * program. False: diagnosed, nothing to free. */
bool stage_lower(struct compile *c, enum qpucc_stage stage, unsigned level, struct stage_ir *out);
void stage_ir_free(struct stage_ir *ir);

#endif
