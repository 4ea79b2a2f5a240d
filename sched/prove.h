/* Private to sched/: can what is left of a block still end in time? For the searches through its orders
 * (search.c). */
#ifndef QPUCC_PROVE_H
#define QPUCC_PROVE_H

#include "sched/schedule.h"

#include <assert.h>

enum { PROVE_MOST = 128, PROVE_MOST_UNDO = 32 }; /* numbers of ops have 8 bits */

/* Of what has its own arrays: its frame is not to be part of a frame of the searches, which are as deep as
 * the block is long. docs/limits.md says how much stack a compile may take. */
#define NOT_IN_THE_RECURSION __attribute__((noinline))

/* Of ops, or of values. */
struct prove_set {
    uint64_t word[PROVE_MOST / 64];
};

static inline bool prove_has(const struct prove_set *set, uint32_t i) {
    return set->word[i / 64] >> (i % 64) & 1;
}
static inline void prove_flip(struct prove_set *set, uint32_t i) {
    assert(i < PROVE_MOST);
    set->word[i / 64] ^= 1ull << (i % 64);
}

static inline bool prove_is_empty(const struct prove_set *set) {
    uint64_t all = 0;
    for (uint32_t w = 0; w < PROVE_MOST / 64; w++)
        all |= set->word[w];
    return !all;
}

static inline void prove_put(struct prove_set *set, uint32_t i) {
    assert(i < PROVE_MOST);
    set->word[i / 64] |= 1ull << (i % 64);
}

/* What a search asks of an op again and again. */
struct prove_op {
    uint32_t tail, word; /* word: of the stream, or M_NO_VALUE */
    uint32_t traits;     /* none of a switch, which stands for its last slot and signals two before */
    uint32_t excludes;   /* traits for which an instruction with it has no room */
    uint8_t needs;       /* units, as bits */
    bool live : 1, switches : 1, r4 : 1; /* r4: it makes something there ... */
    uint8_t r4_latency;                  /* ... and nothing else does for so long */
    uint8_t nsource, nread;              /* values that it reads, the sources first */
    uint16_t read[4];
};

struct prover {
    const struct sched *s;
    struct prove_op *op;
    uint32_t target; /* instructions that would beat the schedule */
    uint32_t branch; /* one of them, in which there is nothing else */
    uint32_t n;
    uint64_t nodes; /* left to visit; 0, too, once the caller has cancelled */
    uint32_t npred[PROVE_MOST], earliest[PROVE_MOST];
    int32_t latest[PROVE_MOST];    /* the last instruction for it that lets the rest end in time */
    struct prove_set issued, free; /* free: live, waits for no other op */
    struct prove_set counted;      /* issued, as far as the units know */
    struct prove_set raised;       /* has to be later than its least head, because of when others were */
    struct prove_set switches;     /* live thread switches */
    uint32_t nleft, nlate;         /* live ones; those that end too late */
    uint16_t *left[MODEL_UNITS];   /* by tail, the longest first: ops that need the unit ... */
    uint64_t *tails[MODEL_UNITS];  /* ... and where there are some, as bits */
    uint32_t of[MODEL_UNITS];      /* those in all */
    uint32_t longest;              /* tail */
};

/* Takes `nodes` nodes off the budget, and all when the caller has cancelled, which it looks after every
 * thousand. */
static inline void prove_spend(struct prover *p, uint64_t nodes) {
    uint64_t left = nodes < p->nodes ? p->nodes - nodes : 0;
    bool look = (left ^ p->nodes) >> 10;
    p->nodes = look && ir_cancelled(p->s->m->arena) ? 0 : left;
}

/* What an instruction has to have for the rest to end in time: of each unit's ops one, and another one, with
 * tails of at least so much less one; 0: it need not. */
struct prove_must {
    uint32_t one[MODEL_UNITS], another[MODEL_UNITS];
    uint32_t units; /* as bits: those of which it has to have some */
};

/* What issuing an op changed. */
struct prove_undo {
    struct {
        uint16_t op, earliest;
    } entry[PROVE_MOST_UNDO];
    uint32_t count;
};

/* The instruction being filled. An op that either ALU can do takes none in particular. */
struct prove_row {
    uint32_t word;    /* of the stream, or M_NO_VALUE */
    unsigned alus;    /* ops that take an ALU */
    uint32_t refused; /* traits that it has no more room for */
};

/* Before the first op. False: the block is too large. */
bool prove_open(struct prover *p, const struct sched *s, uint32_t length);

/* The same for another length, `target`. False: it is too short. */
bool prove_aim(struct prover *p, uint32_t target);

/* Can what is left still end in time, each op and each unit for itself? And what of it must be in instruction
 * t? `sure`: it can, for the instruction before had all that it had to have. */
bool prove_may_end(struct prover *p, uint32_t t, bool sure, struct prove_must *must);

/* The same after instruction t, with these ops, which are issued. Switches need no unit. */
bool prove_has_units(const struct prover *p, const struct prove_must *must, const uint32_t *op, uint32_t n);
bool prove_switches_may_end(const struct prover *p, uint32_t t);
static inline bool prove_has_all(const struct prover *p, uint32_t t, const struct prove_must *must,
                                 const uint32_t *op, uint32_t n) {
    return !p->nlate && (!must->units || prove_has_units(p, must, op, n)) &&
           (!p->s->nswitch || prove_switches_may_end(p, t + 1));
}

/* Issued ops, time, and latencies that reach beyond it. */
uint64_t prove_state(const struct prover *p, uint32_t t);

/* Ops that may go into instruction t; how many are left in all. */
uint32_t prove_ready(const struct prover *p, uint32_t t, uint8_t *ready, uint32_t *left);

/* A weight that lets longer tails decide between equal ones. */
enum { PROVE_TAILS = 4096 };
static inline int prove_weight(const struct prove_op *op, int weight) {
    return weight * PROVE_TAILS + (int)(op->tail < PROVE_TAILS ? op->tail : PROVE_TAILS - 1);
}

/* An instruction with nothing in it. */
struct prove_row prove_row_at(const struct prover *p, uint32_t t);
static inline bool prove_fits(const struct prove_row *row, const struct prove_op *op) {
    return !(op->traits & row->refused) &&
           (op->word == M_NO_VALUE || row->word == M_NO_VALUE || row->word == op->word);
}
struct prove_row prove_row_with(const struct prove_row *row, const struct prove_op *op);

/* An op goes into the row of instruction t: what waits for nothing else becomes ready, and what no latency
 * keeps out joins `ready` at once (first a port, then what it feeds). */
void prove_issue(struct prover *p, uint32_t i, uint32_t t, struct prove_undo *undo, uint8_t *ready,
                 uint32_t *n);
void prove_take_back(struct prover *p, uint32_t i, const struct prove_undo *undo);

#endif
