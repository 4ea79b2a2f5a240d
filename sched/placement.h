/* Private to sched/: where the values of a partial schedule may lie, its placements, for the searches through
 * orders (search.c).
 *
 * A placement says in which kinds of places each live value can be read: file A, file B, accumulators, r4.
 * Files have room for all. An order of the ops leaves many of them possible, and all are carried along
 * side by side: an order is refuted where none is left. */
#ifndef QPUCC_PLACEMENT_H
#define QPUCC_PLACEMENT_H

#include "sched/prove.h"

enum { PLACEMENT_A, PLACEMENT_B, PLACEMENT_ACC, PLACEMENT_KINDS };
enum { PLACEMENT_NONE = 255, PLACEMENT_MOST = 256, PLACEMENT_RESULTS = 2 }; /* results: one of each ALU */
enum { PLACEMENT_ROW_OPS = 8 }; /* in one instruction, those that take no ALU among them */

struct placement {
    struct prove_set in[PLACEMENT_KINDS];
    uint8_t late[2]; /* values whose copy in file A, B can be read one instruction later, or PLACEMENT_NONE */
    uint8_t r4;      /* value, or PLACEMENT_NONE */
    bool loose;      /* stands for several: accumulators are not counted any more */
    /* how the last instruction made it of another one */
    uint16_t before;
    uint8_t result[PLACEMENT_RESULTS], written[PLACEMENT_RESULTS]; /* what its ops made, and of which kind */
};

/* None dominates another, that is, allows all that the other allows. Where values have no copies each lies
 * in one place, and a placement dominates its like only. Where there is no room for all of them, with
 * copies some are joined to one that allows more than any of them (a proof is one nevertheless), without a
 * sample of them is kept. */
struct placements {
    struct placement *list; /* room for `most`, or NULL: none was needed yet */
    uint32_t n, most;       /* most: PLACEMENT_MOST or less */
    bool copies;            /* moves may make some */
};

/* What goes into an instruction besides moves. */
struct placement_row {
    uint32_t op[PLACEMENT_ROW_OPS], n;
    bool ends;     /* it carries the thread end */
    bool signals;  /* it has a signal of its own */
    bool switches; /* behind it a thread switch takes effect */
    bool no_words; /* nothing can be read of the stream */
    bool loaded;   /* what it reads of the stream, and immediates, may have been loaded before (tail.c) */
};

/* What the two ports deliver, and through which of them it can come. */
struct placement_ports {
    uint64_t what[2];
    uint8_t through[2];
    unsigned n;
};

/* A value that an op reads, and the kinds of places that it can read it from. */
struct placement_read {
    uint8_t value, kinds;
};

/* What the ports have to deliver to a row wherever values lie, and which values its ops read. */
struct placement_demand {
    struct placement_ports ports;
    struct placement_read read[2 * PLACEMENT_ROW_OPS];
    unsigned n_reads;
    uint32_t pinned; /* in r4, or M_NO_VALUE */
};

bool placement_ask(const struct prover *p, const struct placement_row *row, struct placement_demand *d);

/* The row of instruction t, with nothing in it. */
struct placement_row placement_row_at(const struct prover *p, const struct prove_row *row, uint32_t t);

/* A thread switch's signal may stand in the row: it has no other one, nor an immediate that can't be a
 * word of the stream. */
bool placement_may_signal(const struct prover *p, const struct placement_row *row);

/* A switch may take effect after instruction t: its signal may stand where it has to, and no other switch is
 * under way. */
bool placement_may_switch(const struct prover *p, const struct placement_row *rows, uint32_t t);

/* Makes the room for them. False: there is no memory. */
bool placement_room(const struct mir *m, struct placements *placements);

/* The placement in which nothing is anywhere: the relaxed block's, which knows no places. */
void placement_nowhere(struct placements *to);

/* Where values are when the block begins. `uses`: by value, the reads to come. */
void placement_begin(const struct mir *m, const uint32_t *uses, struct placements *to);

/* Of where values lie. One that is late counts as being in its file. */
uint32_t placement_hash(const struct placement *w);

/* Does `a` allow all that `b` allows? Then `b` need not be looked at. */
bool placement_dominates(const struct placement *a, const struct placement *b);

/* Can the ports serve the row's ops in one of the placements? */
bool placement_serve(const struct prover *p, const struct placement_row *row, const struct placements *from);

/* The placements after the row. `uses`: after it, too. Returns how much work that was. */
uint64_t placement_step(const struct prover *p, const struct placement_row *row, const uint32_t *uses,
                        bool moves, const struct placements *from, struct placements *to);

#endif
