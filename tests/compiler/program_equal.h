/* Do two programs say the same through the public interface? */
#ifndef TESTS_COMPILER_PROGRAM_EQUAL_H
#define TESTS_COMPILER_PROGRAM_EQUAL_H

#include <qpucc/qpucc.h>

#include <string.h>

static inline bool same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

static inline bool same_spirv(const qpucc_program *a, const qpucc_program *b, enum qpucc_stage stage) {
    size_t p, q;
    const uint32_t *s = qpucc_program_spirv(a, stage, &p), *t = qpucc_program_spirv(b, stage, &q);
    return p == q && !s == !t && (!s || !memcmp(s, t, p * sizeof *s));
}

static inline bool same_code(const qpucc_program *a, const qpucc_program *b, enum qpucc_stage stage) {
    size_t m, n, words = qpucc_uniforms_size(a, stage);
    const uint64_t *x = qpucc_program_code(a, stage, &m), *y = qpucc_program_code(b, stage, &n);
    if (m != n || words != qpucc_uniforms_size(b, stage) || !x != !y)
        return false;
    if (x &&
        (memcmp(x, y, m * sizeof *x) || memcmp(qpucc_program_stats(a, stage), qpucc_program_stats(b, stage),
                                               sizeof(struct qpucc_stage_stats))))
        return false;
    const uint32_t *k = qpucc_program_lines(a, stage), *l = qpucc_program_lines(b, stage);
    if (!k != !l || (k && memcmp(k, l, m * sizeof *k)))
        return false;
    for (size_t i = 0; i < words; i++)
        if (!same_text(qpucc_uniform_text(a, stage, i), qpucc_uniform_text(b, stage, i)))
            return false;
    for (size_t i = 0; i < m; i++)
        if (qpucc_uniform_index(a, stage, i) != qpucc_uniform_index(b, stage, i))
            return false;
    return same_text(qpucc_program_ir(a, stage), qpucc_program_ir(b, stage));
}

static inline bool same_stage(const qpucc_program *a, const qpucc_program *b, enum qpucc_stage stage) {
    return same_code(a, b, stage) && same_spirv(a, b, stage);
}

static inline bool same_variables(const qpucc_program *a, const qpucc_program *b,
                                  enum qpucc_interface which) {
    size_t count = qpucc_program_variable_count(a, which);
    if (count != qpucc_program_variable_count(b, which))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct qpucc_variable *x = qpucc_program_variable(a, which, i),
                                    *y = qpucc_program_variable(b, which, i);
        if (!same_text(x->name, y->name) || x->base != y->base || x->rows != y->rows || x->cols != y->cols ||
            x->array_length != y->array_length || x->word != y->word || x->used != y->used ||
            x->location != y->location || !same_text(x->block, y->block))
            return false;
    }
    return true;
}

/* What differs but SPIR-V, or NULL. */
static inline const char *code_difference(const qpucc_program *a, const qpucc_program *b) {
    size_t count = qpucc_program_diagnostic_count(a);
    if (qpucc_program_status(a) != qpucc_program_status(b))
        return "status";
    if (count != qpucc_program_diagnostic_count(b))
        return "number of diagnostics";
    for (size_t i = 0; i < count; i++) {
        const struct qpucc_diagnostic *x = qpucc_program_diagnostic(a, i),
                                      *y = qpucc_program_diagnostic(b, i);
        if (x->severity != y->severity || x->line != y->line || x->column != y->column ||
            !same_text(x->file, y->file) || !same_text(x->text, y->text) || !same_text(x->code, y->code))
            return "diagnostic";
    }
    static const char *const stages[] = {"fragment shader", "vertex shader", "coordinate shader"};
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (!same_code(a, b, (enum qpucc_stage)s))
            return stages[s];
    for (int t = QPUCC_UNIFORMS; t <= QPUCC_VARYINGS; t++)
        if (!same_variables(a, b, (enum qpucc_interface)t))
            return "variables";
    if (memcmp(qpucc_program_layout(a), qpucc_program_layout(b), sizeof(struct qpucc_layout)))
        return "layout";
    const uint32_t *u = qpucc_program_uniform_initial(a), *v = qpucc_program_uniform_initial(b);
    if (!u != !v || (u && memcmp(u, v, qpucc_program_uniform_bytes(a, QPUCC_UNIFORMS_PACKED))))
        return "initial values";
    return NULL;
}

/* What differs, or NULL. */
static inline const char *program_difference(const qpucc_program *a, const qpucc_program *b) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (!same_spirv(a, b, (enum qpucc_stage)s))
            return "SPIR-V";
    return code_difference(a, b);
}

#endif
