/* Private to sched/: partial schedules of the searches through the orders of a block (search.c), whose
 * values get their places late (placement.h). */
#ifndef QPUCC_SEARCH_H
#define QPUCC_SEARCH_H

#include "sched/placement.h"

/* States from which nothing was found, each with a placement of its values. */
struct refuted {
    uint64_t state;
    uint32_t next; /* of its chain, from 1; 0: none */
    struct placement placement;
};
struct refuted_table {
    struct refuted *entry;
    uint32_t *first; /* of each chain */
    uint64_t chains, most;
    uint32_t n;
    size_t bytes; /* of all that */
};

struct search {
    struct prover p;
    /* the partial schedule, by instruction */
    struct placement_row *row;     /* what went into it */
    struct placements *placements; /* where values may lie before it */
    uint32_t *uses;                /* by value: reads to come */
    uint32_t r4_from;              /* first instruction that may start another r4 result */
    int32_t flags, r5;             /* how many ops wait to read these */
    int *weight;                   /* by op: what of it is the same wherever the op stands */
    /* what is searched, and how */
    bool relaxed;       /* units and latencies are all that counts: places do not */
    bool moves;         /* values may move */
    uint32_t dead_ends; /* how many more it takes to go on for one instruction more; 0: the length stays */
    uint32_t limit;     /* lengths are below this */
    uint32_t refusals;  /* of plans, how many more it takes to end */
    struct refuted_table refuted; /* or no entries */
    sched_try_plan *try;
    void *context;
    bool over; /* it has ended, perhaps because the work is used up */
    bool open; /* there were plans: nothing is proven */
};

/* sched/likely.c: what of an op's weight is the same wherever it stands, for all of them. */
void search_weigh(struct search *x);
/* What is likely to belong into the next instruction comes first. */
void search_sort(const struct search *x, uint8_t *ready, uint32_t n);

/* sched/refuted.c: memory for at most `most` states, which counts as the compile's. False: there is none. */
bool refuted_open(struct refuted_table *table, struct ir_arena *arena, uint64_t most);
void refuted_close(struct refuted_table *table, struct ir_arena *arena);
/* Forgets all. */
void refuted_clear(struct refuted_table *table);
/* Leaves the placements of a state that were not refuted there. */
void refuted_drop(const struct refuted_table *table, uint64_t state, struct placements *placements);
void refuted_add(struct refuted_table *table, uint64_t state, const struct placements *placements);

#endif
