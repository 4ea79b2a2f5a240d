/* Private to pass ifconvert: the region that it looks at, and what it tells of each (region_notes.c). */
#ifndef QPUCC_PASSES_REGION_H
#define QPUCC_PASSES_REGION_H

#include "passes/decisions.h"
#include "passes/passes.h"
#include "passes/uniform_branch.h"

/* What there is in a block, its terminator aside. */
struct contents {
    uint32_t work; /* in slots, without what the host computes once for a draw */
    uint32_t lookups;
    bool fixed, stores;
    bool no_region;      /* the branch at its end begins none, nor does one around it */
    uint32_t prev, next; /* blocks that are not empty, by id; the first one's prev and the last one's next are
                            the number of blocks */
};

struct region {
    struct ir_shader *shader;
    struct contents *in; /* by block id */
    struct ir_block *head, *join;
    uint32_t least;   /* pass_options.branch_least */
    uint32_t joining; /* blocks of the region that go to join */
    /* By block id; entries are true for the region under work if stamp says so. */
    uint32_t *stamp, *open; /* open: edges into the block from the head and blocks before it */
    uint32_t *member;       /* the stamp again, for the head and the blocks inside */
    struct ir_inst **cond;  /* of the block within the region */
    struct ir_inst *(*edge)[2];
    struct ir_block **block; /* the region's, in order */
    uint32_t count, number;
    struct uniform_branches uniform;
    const struct pass_options *options;
    enum qpucc_why why;    /* there is no region */
    struct decision *kept; /* by block id: of the branch at its end, which stays; NULL: nobody asks */
    bool *leaves;          /* by block id: that branch leaves a loop; together with kept */
};

static inline bool region_has_to_stay(const struct region *r, const struct ir_block *block) {
    return block->last->op == IR_BRANCH && block->last->aux == IR_HINT_DONT_FLATTEN &&
           !r->options->any_branch_flat;
}

static inline bool region_has_to_go(const struct ir_block *block) {
    return block->last->op == IR_BRANCH && block->last->aux == IR_HINT_FLATTEN;
}

/* Instruction slots that a branch around the region that was found may skip. */
uint32_t region_work(const struct region *r);

/* Notes are taken where somebody asks (pass_options.decisions). The first needs dominators. */
void region_prepare_notes(struct region *r);
/* Of the region that was found: it stays a branch, or else it becomes selections. */
void region_note(struct region *r, bool stays);
/* There is none that begins with the branch at the end of `head`. */
void region_note_none(struct region *r, const struct ir_block *head);
/* What `side` has is computed in any case. */
void region_note_absorbed(struct region *r, const struct ir_block *side);
/* All branches that are left, at the end of the pass. */
void region_note_rest(const struct region *r);

#endif
