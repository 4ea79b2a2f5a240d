/* What makes one piece of code better than another: the one objective, for blocks and for whole programs.
 *
 * Modelled cycles: an instruction is one, and so is each cycle that one waits for the texture unit's answer.
 * In a program the cycles of a loop count eight times, those of a loop in it 64 times. Of a branch that all
 * lanes take alike both sides count half; where one does nothing the other counts three eighths, because what
 * may be left out is in most draws (bench/README.md). Instructions decide between equals, because they are
 * what the caches hold. */
#ifndef QPUCC_OBJECTIVE_H
#define QPUCC_OBJECTIVE_H

#include <stdint.h>

/* As one number, the smaller the better; less than 2^24 instructions. */
static inline uint64_t objective(uint64_t cycles, uint32_t instructions) {
    return cycles << 24 | instructions;
}

enum { OBJECTIVE_ALWAYS = 256 }; /* the share of a block that is always executed */

/* Eighths of a branch's runs: each of two sides, one beside which there is nothing, and that nothing. */
enum objective_side { OBJECTIVE_EITHER = 4, OBJECTIVE_SIDE = 3, OBJECTIVE_PAST = 5 };

/* The share of a side where the branch has that one. */
static inline uint32_t objective_of_side(uint32_t share, enum objective_side side) {
    return share * side / 8 ? share * side / 8 : 1;
}

/* Cycles of a block as they count in its program, in 256ths. */
static inline uint64_t objective_of_block(uint64_t cycles, unsigned loop_depth, uint32_t share) {
    return (cycles << 3 * (loop_depth < 4 ? loop_depth : 4)) * share;
}

#endif
