/* What makes one piece of code better than another: the one objective, for blocks and for whole programs.
 *
 * Modelled cycles: an instruction is one, and so is each cycle that one waits for the texture unit's answer.
 * In a program the cycles of a loop count eight times, those of a loop in it 64 times, and those of a side of
 * a branch that all lanes take alike half, for it is taken in half of all draws, as far as anybody knows.
 * Instructions decide between equals, because they are what the caches hold. */
#ifndef QPUCC_OBJECTIVE_H
#define QPUCC_OBJECTIVE_H

#include <stdint.h>

/* As one number, the smaller the better; less than 2^24 instructions. */
static inline uint64_t objective(uint64_t cycles, uint32_t instructions) {
    return cycles << 24 | instructions;
}

enum { OBJECTIVE_ALWAYS = 256 }; /* the share of a block that is always executed */

/* Cycles of a block as they count in its program, in 256ths. */
static inline uint64_t objective_of_block(uint64_t cycles, unsigned loop_depth, uint32_t share) {
    return (cycles << 3 * (loop_depth < 4 ? loop_depth : 4)) * share;
}

#endif
