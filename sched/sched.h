/* The scheduler as the back end's driver sees it: a block's ops become instructions. */
#ifndef QPUCC_SCHED_H
#define QPUCC_SCHED_H

#include "mir/mir.h"

enum sched_status { SCHED_OK, SCHED_DOES_NOT_FIT, SCHED_CYCLE, SCHED_NO_PLACE, SCHED_OUT_OF_MEMORY };

struct sched_result {
    enum sched_status status;
    /* SCHED_DOES_NOT_FIT: values needed at once where most are, and that place in the source */
    unsigned peak;
    struct ir_loc where;
    /* SCHED_OK */
    unsigned cycles;      /* modelled */
    unsigned lower_bound; /* no schedule of the block is shorter, in instructions */
    uint64_t used[2];     /* registers of A and B, those of other blocks' values among them */
    unsigned used_acc;    /* accumulators, as bits */
};

/* Appends the block to `code`: order, pairing, places and its end. `form`: its ops in one or several forms,
 * of which the cheapest is taken. Requires: selected ops, a flow with registers for what crosses blocks. */
struct sched_result sched_block(struct mir *form, unsigned count, struct m_code *code);

#endif
