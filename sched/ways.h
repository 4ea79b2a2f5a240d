/* Private to sched/: where the values of a partial schedule may lie, for the searches through orders
 * (search.c).
 *
 * A way says in which kinds of places each live value can be read: file A, file B, accumulators, r4. Files
 * have room for all. One order of the ops leaves many ways open, and all of them are carried on side by side:
 * an order is refuted where no way is left. */
#ifndef QPUCC_WAYS_H
#define QPUCC_WAYS_H

#include "sched/prove.h"

enum { WAYS_A, WAYS_B, WAYS_ACC, WAYS_KINDS };
enum { WAYS_NONE = 255, WAYS_MOST = 256, WAYS_RESULTS = 2 }; /* results: one of each ALU */
enum { WAYS_ROW_OPS = 8 }; /* in one instruction, those that take no ALU among them */

struct way {
    struct prove_set in[WAYS_KINDS];
    uint8_t late[2]; /* values whose copy in file A, B can be read one instruction later, or WAYS_NONE */
    uint8_t r4;      /* value, or WAYS_NONE */
    bool loose;      /* stands for several: accumulators are not counted any more */
    uint32_t places; /* a hash of where values lie; 0 with copies */
    /* how the last instruction made it of another one */
    uint16_t before;
    uint8_t result[WAYS_RESULTS], written[WAYS_RESULTS]; /* what its ops made, and of which kind */
};

/* None covers another: what can go on from that one can go on from this. Where values have no copies each
 * lies in one place, and a way covers its like only. Where there is no room for all of them, with copies some
 * are joined to one that allows more than any of them (a proof is one nevertheless), without a sample of them
 * is kept. */
struct ways {
    struct way *way;  /* room for `most`, or NULL: none was needed yet */
    uint32_t n, most; /* most: WAYS_MOST or less */
    bool copies;      /* moves may make some */
};

/* What goes into an instruction besides moves. */
struct ways_row {
    uint32_t op[WAYS_ROW_OPS], n;
    bool ends;     /* it carries the thread end */
    bool signals;  /* it has a signal of its own */
    bool switches; /* behind it a thread switch takes effect */
    bool no_words; /* nothing can be read of the stream */
    bool loaded;   /* what it reads of the stream, and immediates, may have been loaded before (tail.c) */
};

/* What the two ports deliver, and through which of them it can come. */
struct ways_ports {
    uint64_t what[2];
    uint8_t through[2];
    unsigned n;
};

/* What the ports have to deliver to a row wherever values lie, and which values its ops read. */
struct ways_demand {
    struct ways_ports ports;
    struct prove_set plain, unpacked, rotated;
    uint32_t pinned; /* in r4, or M_NO_VALUE */
};

bool ways_ask(const struct prover *p, const struct ways_row *row, struct ways_demand *d);

/* The row of instruction t, with nothing in it. */
struct ways_row ways_row_at(const struct prover *p, const struct prove_row *row, uint32_t t);

/* A switch may take effect behind instruction t: where its signal stands there is no other one, nor an
 * immediate that can't be a word of the stream, and no other switch is under way. */
bool ways_may_switch(const struct prover *p, const struct ways_row *rows, uint32_t t);

/* Makes the room for them. False: there is no memory. */
bool ways_room(const struct mir *m, struct ways *ways);

/* The one way in which nothing is anywhere: the relaxed block's, which knows no places. */
void ways_nowhere(struct ways *to);

/* Where values are when the block begins. `uses`: by value, the reads to come. */
void ways_begin(const struct mir *m, const uint32_t *uses, struct ways *to);

/* Does `a` allow all that `b` allows? */
bool ways_cover(const struct way *a, const struct way *b);

/* Can the ports serve the row's ops in one of the ways? */
bool ways_serve(const struct prover *p, const struct ways_row *row, const struct ways *from);

/* All ways after the row. `uses`: after it, too. Returns how much work that was. */
uint64_t ways_step(const struct prover *p, const struct ways_row *row, const uint32_t *uses, bool moves,
                   const struct ways *from, struct ways *to);

#endif
