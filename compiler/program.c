/* The parts of the public interface that only look something up. */
#include "compiler/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *qpucc_version(void) {
    return QPUCC_VERSION;
}

struct qpucc_options qpucc_options_default(void) {
    struct qpucc_options options = {.opt_level = 2, .flags = QPUCC_GENERATE_LINES};
    return options;
}

struct qpucc_program *program_create(void) {
    struct ir_arena *arena = ir_arena_create();
    if (!arena)
        return NULL;
    struct qpucc_program *program = ir_alloc(arena, sizeof *program);
    if (ir_arena_oom(arena)) {
        ir_arena_destroy(arena);
        return NULL;
    }
    program->arena = arena;
    return program;
}

void qpucc_program_free(qpucc_program *program) {
    if (!program)
        return;
    for (int i = 0; i < 2; i++) {
        if (program->kept.read[i])
            ir_shader_destroy(program->kept.read[i]);
        if (program->kept.linked[i])
            ir_shader_destroy(program->kept.linked[i]);
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (program->stages[s].stream_text)
            free(atomic_load(program->stages[s].stream_text));
    ir_arena_destroy(program->arena); /* the program itself lies in it */
}

void program_diagnose(struct qpucc_program *program, enum qpucc_status status, enum qpucc_severity severity,
                      const char *code, const char *file, unsigned line, unsigned column, const char *format,
                      ...) {
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (size_t i = 0; i < program->diagnostic_count; i++) { /* attempts fail alike */
        const struct qpucc_diagnostic *d = &program->diagnostics[i];
        if (d->severity == severity && d->line == line && d->column == column && !strcmp(d->text, text) &&
            !strcmp(d->file, file ? file : "shader"))
            return;
    }
    if (program->diagnostic_count == program->diagnostic_capacity) {
        size_t capacity = program->diagnostic_capacity ? program->diagnostic_capacity * 2 : 8;
        struct qpucc_diagnostic *grown = ir_alloc(program->arena, capacity * sizeof *grown);
        if (program->diagnostic_count)
            memcpy(grown, program->diagnostics, program->diagnostic_count * sizeof *grown);
        program->diagnostics = grown;
        program->diagnostic_capacity = capacity;
    }
    struct qpucc_diagnostic *d = &program->diagnostics[program->diagnostic_count++];
    d->severity = severity;
    d->file = ir_strdup(program->arena, file ? file : "shader");
    d->line = line;
    d->column = column;
    d->text = ir_strdup(program->arena, text);
    d->code = ir_strdup(program->arena, code);
    if (severity == QPUCC_ERROR && program->status == QPUCC_OK)
        program->status = status;
}

enum qpucc_status qpucc_program_status(const qpucc_program *program) {
    return program->status;
}

size_t qpucc_program_diagnostic_count(const qpucc_program *program) {
    return program->diagnostic_count;
}

const struct qpucc_diagnostic *qpucc_program_diagnostic(const qpucc_program *program, size_t index) {
    return index < program->diagnostic_count ? &program->diagnostics[index] : NULL;
}

struct qpucc_usage qpucc_program_usage(const qpucc_program *program) {
    return program->usage;
}

static const struct program_stage *stage_of(const qpucc_program *program, enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT && program->stages[stage].code ? &program->stages[stage]
                                                                              : NULL;
}

const uint64_t *qpucc_program_code(const qpucc_program *program, enum qpucc_stage stage, size_t *count) {
    const struct program_stage *s = stage_of(program, stage);
    if (count)
        *count = s ? s->count : 0;
    return s ? s->code : NULL;
}

const struct qpucc_stage_stats *qpucc_program_stats(const qpucc_program *program, enum qpucc_stage stage) {
    const struct program_stage *s = stage_of(program, stage);
    return s ? &s->stats : NULL;
}

const uint32_t *qpucc_program_lines(const qpucc_program *program, enum qpucc_stage stage) {
    const struct program_stage *s = stage_of(program, stage);
    return s ? s->lines : NULL;
}

const uint32_t *qpucc_program_spirv(const qpucc_program *program, enum qpucc_stage stage, size_t *words) {
    bool there = (unsigned)stage < QPUCC_STAGE_COUNT && program->spirv[stage];
    if (words)
        *words = there ? program->spirv_words[stage] : 0;
    return there ? program->spirv[stage] : NULL;
}

const char *qpucc_program_ir(const qpucc_program *program, enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT ? program->stages[stage].ir : NULL;
}

struct qpucc_variable *program_variable_of_word(const struct program_table *table, uint32_t word) {
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct qpucc_variable *v = &table->list[middle];
        if (v->word + v->rows * v->cols * v->array_length <= word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->count && table->list[low].word <= word ? &table->list[low] : NULL;
}

size_t qpucc_program_variable_count(const qpucc_program *program, enum qpucc_interface which) {
    return (unsigned)which <= QPUCC_VARYINGS ? program->variables[which].count : 0;
}

const struct qpucc_variable *qpucc_program_variable(const qpucc_program *program, enum qpucc_interface which,
                                                    size_t index) {
    return index < qpucc_program_variable_count(program, which) ? &program->variables[which].list[index]
                                                                : NULL;
}

size_t qpucc_program_uniform_words(const qpucc_program *program) {
    return program->uniform_words;
}

const uint32_t *qpucc_program_uniform_initial(const qpucc_program *program) {
    return program->uniform_initial;
}

size_t qpucc_program_attribute_slots(const qpucc_program *program, enum qpucc_stage stage,
                                     struct qpucc_attribute_slot *out, size_t max) {
    for (size_t i = 0; i < program->attribute_count && i < max; i++) {
        bool loads =
            (stage == QPUCC_VERTEX || stage == QPUCC_COORDINATE) && program->stages[stage].attribute_words[i];
        out[i] = (struct qpucc_attribute_slot){program->attributes[i].variable, program->attributes[i].words,
                                               program->attributes[i].column, loads};
    }
    return program->attribute_count;
}

unsigned qpucc_program_varying_words(const qpucc_program *program) {
    return program->varying_words;
}

uint32_t qpucc_program_flat_varyings(const qpucc_program *program) {
    return program->flat_varyings;
}

bool qpucc_program_point_size(const qpucc_program *program) {
    return program->point_size;
}
