/* The fewest values from which others can be made. */
#ifndef QPUCC_CUT_H
#define QPUCC_CUT_H

#include "ir/ir.h"

enum { CUT_OPERANDS = 8 };

/* Values and what they are made of. */
struct cut_graph {
    /* depth: the values on the shortest path from the cut to a wanted one, with both, are no more */
    uint32_t values, depth;
    /* Fills `out` with the values, if any, that v is made of; -1: it can't be made again. */
    int (*operands)(void *user, uint32_t v, uint32_t out[CUT_OPERANDS]);
    void *user;
};

/* Fills `cut` (room for all values) and returns how many they are; `count` where memory or work ran out. */
uint32_t cut_least(struct ir_arena *arena, const struct cut_graph *graph, const uint32_t *wanted,
                   uint32_t count, uint32_t *cut);

#endif
