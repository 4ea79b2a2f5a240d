/* Control flow on a machine with one program counter for 16 lanes: what flow.c finds out about a shader,
 * and the registers that regalloc/cross_block.c gives to what crosses blocks. Data that all modules of the
 * back end read. */
#ifndef QPUCC_FLOW_H
#define QPUCC_FLOW_H

#include "ir/ir.h"

#define FLOW_NO_REG (-1)

/* Iterations that the loops of one vertex batch get in all. The lanes of a batch beyond its last vertex hold
 * arbitrary bits and no register tells which they are, so a loop whose bound varies could run on for them for
 * ever; it ends when these are used up. */
#define FLOW_VERTEX_ITERATIONS 8192

struct flow_block {
    bool masked;      /* some lanes may be absent: writes that outlive the block ask the mask */
    bool joins;       /* lanes may be waiting for this block */
    int32_t loop_end; /* header: index of the loop's last block in layout; else -1 */
    int32_t back_to;  /* last block of a loop whose back edge some lanes take: index of the header; else -1 */
    bool back_alone;  /* ... and its own test decides: no lane waits for the head but those that are active */
    /* the first block in layout that some lane may wait for when this one ends; UINT32_MAX: none */
    uint32_t awaited;
    uint32_t share;    /* of the program's runs that come here, in 256ths (objective.h) */
    bool target;       /* a branch instruction comes here */
    bool after_branch; /* the block before ends in a branch instruction */
};

/* A register that gets a zero in all lanes at the end of a block, before anything else is in it. */
struct flow_first_write {
    const struct ir_inst *what; /* whose cross-block register */
    const struct ir_block *at;
};

/* A set of values; those with higher ids came later and are not in it. */
struct flow_lanes {
    bool *has; /* by IR id; NULL: none */
    uint32_t ids;
};

struct flow {
    struct ir_shader *shader;
    struct ir_arena *arena;
    struct flow_block *block; /* by block id */
    bool masked;              /* any block is */
    bool *varying;            /* IR id: differs between lanes */
    bool *guarded;         /* IR id: lanes that have left the loop still need the value: conditional write */
    int32_t *guard;        /* IR id -> header of the outermost such loop, or -1 */
    int8_t *cross_reg;     /* IR id -> register (place numbering: A 0..31, B 32..63) or FLOW_NO_REG */
    int8_t mask_reg;       /* register of the mask: 0 active, else 1 + the block a lane waits for */
    uint64_t visits;       /* of blocks, not counted as work yet */
    int8_t budget_reg;     /* register that counts iterations down, or FLOW_NO_REG */
    bool *maybe_undefined; /* IR id: lanes that are absent may have nothing in it that was ever written */
    bool *made_undefined;  /* the same of what its operation makes, before that goes to a register */
    bool *skips_first;     /* block id: the program counter may come there past the first edge to it */
    /* block id -> its place in the tree of what the program counter passes on the way to it; or NULL */
    struct ir_below *passed;
    uint32_t *dominator; /* block id -> the last block that all its ways there pass before it */
    /* IR id: where it may come to a reader without having passed the value's block, the last block that
     * all ways to the readers pass, + 1; else 0 */
    uint32_t *passed_by;
    /* IR id: lookups in masked code read it in absent lanes, too; or NULL (regalloc/remat_cross.c) */
    struct flow_lanes all_lanes;
    struct flow_first_write *first_write;
    uint32_t first_write_count;
    /* by block id: registers of A, B with something that other blocks need afterwards */
    uint64_t *occupied[2];
};

struct flow_values {
    const struct ir_inst **value;
    uint32_t count;
};

/* What the active lanes need where a loop begins. */
struct flow_need {
    struct flow_values values;
    unsigned reserved; /* registers for the mask and the budget there */
    uint32_t end;      /* last block of the loop */
    struct ir_loc loc;
};

enum { FLOW_NEEDS = 4 };

/* Where most values have to cross from block to block. */
struct flow_peak {
    unsigned values;
    struct ir_loc loc;
    struct flow_values active;         /* those that the active lanes need there, without mask and budget */
    struct flow_need need[FLOW_NEEDS]; /* of the loops that need most, the most first */
    unsigned needs;
};

/* Cheaper to rematerialise than to keep: has no cross-block register. */
static inline bool flow_rematerialises(const struct ir_inst *value) {
    return ir_op_info(ir_through_bits(value)->op)->remat;
}

/* The first of a block's predecessors in layout. */
const struct ir_block *flow_first_edge(const struct ir_block *to);

/* Lanes may part at the end of `b`, or not all of them are there: it has no branch forward. */
bool flow_diverges(const struct flow *flow, const struct ir_block *b);

/* The test at the end of a loop: lanes that leave have to say so, as the next block is not the only one after
 * it. */
bool flow_goes_back(const struct ir_block *b);

/* Where the one program counter may go from `b`, as block ids; returns how many. What lanes that wait need
 * lives along these paths, not along the shader's own. */
unsigned flow_next(const struct flow *flow, const struct ir_block *b, uint32_t to[2]);

/* Immediate post-dominator of each block by its id: where all paths from the block to an end of the program
 * meet first. UINT32_MAX: nowhere, or the block leads to none. */
void flow_post_dominators(const struct ir_shader *shader, struct ir_arena *arena, uint32_t *ipdom);

/* Splits critical edges of `shader`, finds divergence and where branches go. `tight`: no edge stays critical.
 * What crosses blocks has no register yet. */
void flow_analyse(struct flow *flow, struct ir_shader *shader, struct ir_arena *arena, bool tight);

/* Everything that a source of a lookup in masked code is computed from; by IR id. NULL: there is none. */
bool *flow_feeding_lookups(const struct flow *f);

/* Fills `first_write`, by cross-block registers that are assigned, `maybe_undefined` and `made_undefined`. */
void flow_define(struct flow *flow);

/* May absent lanes have nothing in it where `reader` reads it? Its own block reads what was made, others what
 * the register keeps. */
bool flow_is_undefined(const struct flow *flow, const struct ir_inst *value, const struct ir_block *reader);

#endif
