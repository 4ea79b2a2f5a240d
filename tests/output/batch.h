/* One batch of fragments through the code of a state key. */
#ifndef TESTS_OUTPUT_BATCH_H
#define TESTS_OUTPUT_BATCH_H

#include "reference.h"

#include <qpucc/qpusim.h>

/* The shader `gl_FragColor = c` as SPIR-V, so that GLSL is read once. */
struct batch_source {
    qpucc_program *program;
    const uint32_t *spirv;
    size_t words;
};

bool batch_open(struct batch_source *source);
void batch_close(struct batch_source *source);

qpucc_program *batch_compile(const struct batch_source *source, const struct qpucc_state *state, int level);

/* Runs sixteen fragments; false with the reason in text. */
bool batch_run(const qpucc_program *program, const struct qpucc_state *state,
               const struct qpucc_draw_state *draw, const struct fragment fragments[QPUSIM_LANES],
               struct qpusim_result *result, char *text, size_t size);

/* Does the result of one lane fit what GL says? */
bool batch_fits(const struct qpucc_state *state, const struct fragment *fragment, const struct expected *want,
                const struct qpusim_result *result, unsigned lane, char *text, size_t size);

/* A key as C would write it, members that are not 0. */
void batch_print_state(const struct qpucc_state *state);

/* A key without contradictions. */
struct qpucc_state batch_random_state(uint32_t *seed);

/* Random numbers that are the same everywhere. */
uint32_t batch_random(uint32_t *seed);
unsigned batch_below(uint32_t *seed, unsigned limit);

#endif
