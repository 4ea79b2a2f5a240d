/* Private to sched/: partial schedules whose values get their places late, for the dive (dive.c) and the
 * exact search (exact.c): their order, as prove.h knows it, and what went into each instruction. */
#ifndef QPUCC_ORDER_H
#define QPUCC_ORDER_H

#include "sched/ways.h"

struct order {
    struct prover p;
    struct ways_row *row;
    const uint8_t *name; /* by value: the number that `uses` has it by */
    uint32_t *uses;      /* by name: reads to come */
    uint32_t r4_from;    /* first instruction that may start another r4 result */
    int *weight;         /* by op: what of it is the same wherever the op stands */
};
struct order_undo {
    struct prove_undo issued;
    uint32_t r4_from;
};

/* For schedules of at most so many instructions; prove_aim sets which. `name` has its values. False: the
 * block is too large, or there is no memory. */
bool order_open(struct order *o, const struct sched *s, uint32_t length, uint32_t most, uint8_t *name);
/* Again from the first instruction on. */
void order_begin(struct order *o);

/* May it go into instruction t, which has come to this row? And it goes there, or is taken out again, which
 * undoes the last. What becomes ready in this instruction joins the list. */
bool order_may_put(const struct order *o, const struct prove_row *row, uint32_t i, uint32_t t);
void order_put(struct order *o, uint32_t i, uint32_t t, struct order_undo *undo, uint8_t *ready, uint32_t *n);
void order_take_back(struct order *o, uint32_t i, uint32_t t, const struct order_undo *undo);

/* Instruction t has all that it has to have, given what it must have for the rest to end in time. */
bool order_may_go_on(const struct order *o, uint32_t t, const struct prove_must *must);

/* What is likely to belong into the next instruction comes first. */
void order_sort(const struct order *o, uint8_t *ready, uint32_t n);

#endif
