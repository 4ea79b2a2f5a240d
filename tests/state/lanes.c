/* The batch behind lanes.h. */
#include "lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

qpucc_program *lanes_compile(const char *vertex, const struct qpucc_state *state, int level) {
    struct qpucc_source source = {"state.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    qpucc_program *program = qpucc_compile(&source, 1, state, &options);
    if (program && qpucc_program_status(program) == QPUCC_OK)
        return program;
    if (program)
        printf("%s\n%s\n", vertex, qpucc_program_diagnostic(program, 0)->text);
    qpucc_program_free(program);
    return NULL;
}

bool lanes_run(const qpucc_program *program, const struct qpucc_draw_values *values,
               struct qpusim_memory *memory, const struct qpusim_vertices *vertices,
               uint32_t out[LANES_VARYINGS][QPUSIM_LANES]) {
    struct qpusim_error error = {0};
    size_t count, words = qpucc_uniforms_size(program, QPUCC_VERTEX);
    const uint64_t *code = qpucc_program_code(program, QPUCC_VERTEX, &count);
    uint32_t *stream = calloc(words + 1, sizeof *stream);
    struct qpusim_result *result = calloc(1, sizeof *result);
    struct qpusim_program *machine = qpusim_program_new(code, count, QPUSIM_VERTEX, false);
    bool ok = stream && result && machine && qpucc_uniforms_fill(program, QPUCC_VERTEX, values, stream);
    if (!ok)
        printf("no uniforms, or no memory\n");
    struct qpusim_run_info run = {.program = machine,
                                  .memory = memory,
                                  .uniforms = {.words = stream, .count = words},
                                  .vertices = vertices};
    if (ok && qpusim_run(&run, &(struct qpusim_options){0}, result, &error) != QPUSIM_OK) {
        printf("instruction %u, lane %d: %s\n", error.instruction, error.lane, error.text);
        ok = false;
    }
    for (unsigned v = 0; ok && v < LANES_VARYINGS && v < qpucc_program_layout(program)->varying_words; v++)
        memcpy(out[v], result->rows[3 + v], sizeof out[v]); /* after XY, Zs and 1/Wc */
    qpusim_program_free(machine);
    free(result);
    free(stream);
    return ok;
}

float lanes_truncate(double x) {
    int exponent;
    double mantissa = frexp(x, &exponent);
    if (exponent < -125)
        return 0;
    return (float)ldexp(trunc(ldexp(mantissa, 24)), exponent - 24);
}

float lanes_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t lanes_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint32_t lanes_word(struct lanes_random *random) {
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random->state >> 32);
}

uint32_t lanes_below(struct lanes_random *random, uint32_t limit) {
    return (uint32_t)((uint64_t)lanes_word(random) * limit >> 32);
}
