/* A vertex shader on one batch of sixteen vertices, so that tests see the words of its varyings and not the
 * bytes of a picture. */
#ifndef TESTS_STATE_LANES_H
#define TESTS_STATE_LANES_H

#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>

enum { LANES_VARYINGS = 32 };

/* A program made of a vertex shader alone; NULL, with the reason printed: it does not compile. */
qpucc_program *lanes_compile(const char *vertex, const struct qpucc_state *state, int level);

/* `attributes` as the VPM holds them: row by row, lane by lane, for as many rows as the program reads.
 * out[v]: varying word v in each lane. False, with the reason printed, when the machine stops. */
bool lanes_run(const qpucc_program *program, const struct qpucc_draw_values *values,
               struct qpusim_memory *memory, const struct qpusim_vertices *vertices,
               uint32_t out[LANES_VARYINGS][QPUSIM_LANES]);

/* Numbers as the QPU has them: `x` cut to 24 bits of mantissa, below the least normal number 0. */
float lanes_truncate(double x);
float lanes_float(uint32_t bits);
uint32_t lanes_bits(float value);

/* Repeatable randomness. */
struct lanes_random {
    uint64_t state;
};
uint32_t lanes_word(struct lanes_random *random);
uint32_t lanes_below(struct lanes_random *random, uint32_t limit);

#endif
