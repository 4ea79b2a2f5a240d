/* What the files of the cross-block registers share (cross_block.c, lives.c, interfere.c, colour.c). */
#ifndef QPUCC_COLOURING_H
#define QPUCC_COLOURING_H

#include "mir/flow.h"
#include "regalloc/sparse.h"

#define NOBODY UINT32_MAX

/* Sets are sparse: blocks and values may be thousands, but few values live at once where they fit. */
struct colouring {
    struct flow *flow;
    struct ir_shader *shader;
    uint32_t count;
    uint32_t *number;             /* IR id -> number + 1 */
    const struct ir_inst **value; /* by number */
    uint32_t *limit; /* by number: header of the outermost loop that keeps it guarded, or NOBODY */
    struct sparse_pool effects, lives, lane_lives, rows;
    struct sparse_sets use, kill, lane_kill; /* by block: sets of numbers */
    struct sparse_sets cut;                  /* by block: what no lane needs when it ends */
    struct sparse_sets written;              /* by block: phis that its end writes */
    struct sparse_sets in, out;              /* by block: along the program counter's paths */
    struct sparse_sets lane_in, lane_out;    /* the same along the shader's own */
    uint32_t *from_first, *from;             /* block -> those from which the program counter comes there */
    uint64_t *all_lanes;                     /* set of numbers: lookups read them in absent lanes, or NULL */
    const bool *looked_up; /* by IR id: lookups in masked code are made from it; NULL: there are none */
    bool *active;          /* by number: masked code writes it in the active lanes only */
    struct sparse_sets interferes;               /* by number: whose register its writes must not be */
    struct sparse_sets interferes_unless_active; /* by number: as well, unless it is `active` */
    struct sparse_sets disturbs, disturbs_unless_active; /* the same from the other side */
    struct sparse_sets row;                              /* by number: who may not have the same register */
    struct full_set live, lane_live;                     /* in the block looked at */
    uint32_t *merged;      /* by number: representative, or one on the way to it */
    uint32_t *next;        /* by number: next of the same representative, or NOBODY */
    uint32_t *last, *size; /* by representative: the last of them, how many they are */
};

/* lives.c: numbers what needs a cross-block register. */
void colouring_find_values(struct colouring *h);
/* Uses, and what ends lives. `careful`: as if masked code wrote all phis in the active lanes only. */
void colouring_find_effects(struct colouring *h, bool careful);
void colouring_find_lives(struct colouring *h);
void colouring_find_lane_lives(struct colouring *h);
/* The number of what `user` reads from a cross-block register as its source k, or NOBODY. */
uint32_t colouring_read(const struct colouring *h, const struct ir_inst *user, uint32_t k);

/* interfere.c. `in_order`: also what ends in a block by what begins there earlier in the source's order.
 * Without it the two may share, at the price of a copy at the block's end. */
void colouring_find_interference(struct colouring *h, bool in_order);

/* colour.c: registers for all representatives, as far as there are `regs` in each file. `any`: what waits
 * until it is free is as good as what need not. */
bool colouring_colour(struct colouring *h, unsigned regs, bool any, int8_t *colours);

/* The value whose register it shares. */
static inline uint32_t colouring_representative(const struct colouring *h, uint32_t v) {
    while (h->merged[v] != v)
        v = h->merged[v] = h->merged[h->merged[v]];
    return v;
}

#endif
