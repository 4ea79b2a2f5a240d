/* What the passes decide about loops and branches, noted where it is decided (pass_options.decisions).
 *
 * A loop or branch that goes is noted once for each copy of it. What stays is noted by each run of the pass
 * that could do away with it, which forgets what the run before it said: what was true last counts. */
#ifndef QPUCC_PASSES_DECISIONS_H
#define QPUCC_PASSES_DECISIONS_H

#include "ir/ir.h"

#include <qpucc/explain.h>

struct decision {
    struct ir_loc loc;
    uint8_t choice, why, hint; /* enum qpucc_choice, enum qpucc_why, enum ir_hint */
    bool loop, uniform, at_most;
    uint32_t trips, size, limit, lookups; /* as struct qpucc_explain_decision has them */
};

/* Of one stage, in an arena. */
struct decisions {
    struct ir_arena *arena;
    struct decision *list;
    uint32_t count, capacity;
    const char **files; /* that places are in; by decisions_finish */
    uint32_t nfiles;
};

void decisions_copy(struct decisions *to, const struct decisions *from);

/* These do nothing when there is no list. */
void decisions_add(struct decisions *decisions, struct decision decision);
/* All that is said about loops (or branches) that stay. */
void decisions_forget(struct decisions *decisions, bool loops);

/* One that was said to stay at that place does not. */
void decisions_take_back(struct decisions *decisions, const struct decision *gone);

/* Where the loop stands: the jump back has its place (frontend/spirv/control.c). Needs ir_loops. */
struct ir_loc decisions_loop_place(const struct ir_block *header);
/* The place and the hint of a loop or of the branch at the end of a block. */
struct decision decisions_of_loop(const struct ir_block *header);
struct decision decisions_of_branch(const struct ir_block *block);
/* Compares what is said to stay with what is left in the end: the rest has become needless. Makes the
 * shader's analyses. */
void decisions_finish(struct decisions *decisions, struct ir_shader *shader);

#endif
