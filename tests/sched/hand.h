/* Blocks of machine IR made by hand: a few values and ops, without a shader and without selection. */
#ifndef TESTS_SCHED_HAND_H
#define TESTS_SCHED_HAND_H

#include "sched/schedule.h"

struct hand {
    struct mir m;
    struct sched_result result;
    struct flow flow;
    struct flow_block flow_block;
    uint64_t occupied[2];
};

/* An empty block. whole: it is a program of its own; else it falls through to a next one. */
void hand_open(struct hand *h, unsigned threads, bool whole);
void hand_close(struct hand *h);

struct m_src hand_value(uint32_t value);
struct m_src hand_word(struct hand *h, uint32_t bits); /* from the stream */
struct m_src hand_immediate(uint32_t bits);

/* A value that is in this place (enum place) when the block starts. */
uint32_t hand_start(struct hand *h, int place);
/* An op on either ALU (0: not on this), without a result, and one with. */
uint32_t hand_op(struct hand *h, unsigned add_op, unsigned mul_op, unsigned nsrc, struct m_src a,
                 struct m_src b);
uint32_t hand_make(struct hand *h, unsigned add_op, unsigned mul_op, struct m_src a, struct m_src b);
uint32_t hand_move(struct hand *h, struct m_src a);
/* The value to a peripheral; returns the op. */
uint32_t hand_write(struct hand *h, unsigned waddr, struct m_src a);
/* A special function of the value: the result arrives in r4. */
uint32_t hand_function(struct hand *h, unsigned waddr, struct m_src a);

/* Orders the block and gives places; the caller frees code->inst. */
bool hand_schedule(struct hand *h, struct m_code *code);

#endif
