/* Private to sched/: where the values of a partial schedule may lie, decided as late as can be, for the dive
 * (dive.c).
 *
 * A value is written to file A, to file B or to an accumulator. Which of them it is stays open until what
 * reads it leaves no choice: the ports, the latency of files, what else is in accumulators. What follows from
 * such a decision for other values, those of earlier instructions, too, is decided with it. */
#ifndef QPUCC_BIND_H
#define QPUCC_BIND_H

#include "sched/ways.h"

enum { BIND_PAIRS = 160 };

struct bind_value {
    uint8_t may;       /* places (enum m_places) that are open to it, 0: not written yet */
    uint8_t born;      /* the instruction that makes it */
    uint8_t file_from; /* the first that can read it from a file */
    uint8_t until;     /* the last that reads it, once that is known */
};

/* No more of it is copied than is in use. */
struct bind {
    const uint8_t *name; /* by value: the first of those that lie in one place one after the other */
    uint32_t nvalue, napart;
    struct prove_set acc;     /* live values that lie in one for certain */
    uint8_t r4;               /* value, or WAYS_NONE */
    uint8_t held[PROVE_MOST]; /* by instruction: accumulators that are taken behind it for certain */
    struct bind_value value[PROVE_MOST]; /* by name */
    uint8_t apart[BIND_PAIRS][2];        /* values that can't lie in the same file */
};

/* Makes name[]: partial and conditional writes go where the rest of the value lies. */
void bind_names(const struct mir *m, uint8_t *name);

/* Before the first instruction. `uses`: by name, the reads to come. */
void bind_begin(const struct mir *m, const uint8_t *name, const uint32_t *uses, struct bind *to);

/* After instruction t with this row, which asks that of the ports. `uses`: the reads that are left then.
 * False: it can't be. */
bool bind_step(const struct mir *m, const struct ways_row *row, const struct ways_demand *asked,
               const uint32_t *uses, uint32_t t, const struct bind *from, struct bind *to);

/* Decides what is open after the last instruction, t - 1. False: it finds no way. */
bool bind_all(const struct mir *m, uint32_t t, struct bind *b);

#endif
