/* Branches that go the same way in a whole draw, and what it takes to leave out what they skip. */
#ifndef QPUCC_PASSES_UNIFORM_BRANCH_H
#define QPUCC_PASSES_UNIFORM_BRANCH_H

#include "passes/passes.h"

struct uniform_branches {
    const bool *known; /* by instruction id: the same in a whole draw */
    uint32_t ids;      /* of what was there; later instructions are not in it */
    bool *
        uniform; /* by block id: its branch goes one way for all batches of a draw, and all lanes are there */
};

/* Of all blocks, in the shader's arena; check that for memory before use. Needs blocks in order. */
struct uniform_branches uniform_branches_find(struct ir_shader *shader);

/* What the instruction takes, in instruction slots; 0 for what the host computes once for a draw. */
uint32_t uniform_branches_work(const struct uniform_branches *u, const struct ir_inst *inst);
#endif
