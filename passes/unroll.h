/* Private to pass unroll: its loops, and what running one at compile time tells (unroll_trip.c). */
#ifndef QPUCC_PASSES_UNROLL_H
#define QPUCC_PASSES_UNROLL_H

#include "passes/decisions.h"
#include "passes/passes.h"

/* A value that is the same for all that come to a place in a trip. */
struct known {
    bool is;
    uint32_t bits;
};

struct loop {
    struct unroll *all;
    struct ir_block *header, *copied_header;
    uint32_t first, end;        /* the loop's blocks are shader->blocks[first..end) */
    struct known *state, *next; /* by header phi, in order: at this trip's and the next one's start */
    uint32_t nphis;
    uint32_t limit, limit_indexed; /* of the copies; the second: where they are much faster than the loop */
    uint32_t trips;                /* when it was found how many there are */
    uint32_t cost, known;          /* instructions of all trips so far, and those whose value is known */
    uint64_t selecting; /* what the loop would take beyond them to select words by indices that are known */
    uint32_t size;      /* of the copies, constants too */
    enum qpucc_why why; /* it stays */
    bool back;          /* this trip may be followed by another */
    bool leaves_once;   /* no trip before this one may leave: what it leaves is what follows sees */
};

/* Loops that are unrolled together. */
struct unroll {
    struct ir_shader *shader;
    const struct pass_options *options;
    struct ir_arena *work; /* for what follows */
    struct loop *loop;
    uint32_t count;
    struct loop **of;        /* by block id: the loop among those that the block lies in */
    uint32_t blocks, ids;    /* of what was there */
    struct known *value;     /* by instruction id: in this trip of its loop */
    bool (*taken)[2];        /* by block id: edges that this trip may take */
    bool *reached;           /* by block id */
    struct ir_inst **copy;   /* by instruction id: this trip's copy */
    struct ir_block **place; /* by block id: this trip's copy */
};

static inline bool inside(const struct loop *l, const struct ir_block *block) {
    return block->id >= l->first && block->id < l->end;
}

static inline struct loop *loop_of(const struct unroll *u, const struct ir_block *block) {
    return block->id < u->blocks ? u->of[block->id] : NULL;
}

/* A value of the loop after its last trip. */
struct known unroll_known_after(const struct loop *l, const struct ir_inst *inst);
/* Before the first trip. */
void unroll_enter(struct loop *l);
/* Runs a trip that starts with l->state; fills value, taken, reached, next, back, and adds to cost. */
void unroll_run_trip(struct loop *l);
/* Takes the next trip's state over; false if it is this trip's: the loop would go on like that for ever. */
bool unroll_next_state(struct loop *l);
/* What the copies of all trips so far come to. A loop that all but runs at compile time (one that fills a
 * table) counts with what will be left of it; elsewhere the little that folds away is no reason to copy more.
 */
uint32_t unroll_size(const struct loop *l);
/* Runs all trips. `bounded`: as far as the copies may grow. False: l->why. */
bool unroll_ends_in_time(struct loop *l, bool bounded);
/* How often the loop goes round in the trips that were run: of the last one there may be only the test. */
uint32_t unroll_iterations(const struct loop *l);

#endif
