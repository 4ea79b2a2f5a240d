/* One source stage of a program, from its kept IR to what selection takes. */
#ifndef QPUCC_COMPILER_STAGE_H
#define QPUCC_COMPILER_STAGE_H

#include "compiler/compile.h"

/* How much is given up for fewer values alive at once: level 0 nothing, level 1 only size, each higher one
 * more speed. Behind LAST_FLAT_LEVEL loops and branches remain that the levels up to it remove. The late
 * levels behind them all are for what fits at none. */
enum { PRESSURE_LEVELS = 8, LAST_FLAT_LEVEL = 3, LATE_LEVELS = 3 };

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
