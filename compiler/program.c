/* The parts of the public interface that only look something up. */
#include "compiler/program.h"
#include "ir/heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *qpucc_version(void) {
    return VERSION_TEXT(QPUCC_VERSION_MAJOR, QPUCC_VERSION_MINOR, QPUCC_VERSION_PATCH);
}

const char *qpucc_policy_name(enum qpucc_policy policy) {
    switch (policy) {
    case QPUCC_POLICY_DEFAULT: return "default";
    case QPUCC_POLICY_FAST: return "fast";
    case QPUCC_POLICY_PRECISE: return "precise";
    default: return NULL;
    }
}

enum qpucc_policy program_policy(uint32_t flags) {
    return flags & QPUCC_POLICY_PRECISE ? QPUCC_POLICY_PRECISE
                                        : (enum qpucc_policy)(flags & QPUCC_POLICY_FAST);
}

enum qpucc_policy qpucc_program_policy(const qpucc_program *program) {
    return program_policy(program->kept->flags);
}

/* --- the kept IR ---------------------------------------------------------------------------------------- */

static struct program_kept *kept_create(const struct ir_arena *program) {
    struct ir_arena *arena = ir_arena_apart(program);
    if (!arena)
        return NULL;
    struct program_kept *kept = ir_alloc(arena, sizeof *kept);
    kept->arena = arena;
    kept->from = ir_allocator(arena);
    atomic_init(&kept->users, 1);
    atomic_init(&kept->ir_users, 1);
    return kept;
}

struct kept_ir *kept_ir_create(const struct qpucc_allocator *from) {
    struct kept_ir *ir = ir_heap_zeroed(from, sizeof *ir);
    if (ir)
        ir->from = from;
    return ir;
}

void kept_ir_free(struct kept_ir *ir) {
    for (int i = 0; ir && i < 2; i++) {
        ir_packed_free(ir->read[i]);
        ir_packed_free(ir->linked[i]);
    }
    ir_heap_free(ir);
}

struct kept_ir *program_ir(const struct qpucc_program *program) {
    return program->holds_ir ? atomic_load(&program->kept->ir) : NULL;
}

void program_drop_ir(struct qpucc_program *program) {
    struct program_kept *kept = program->kept;
    bool last = program->holds_ir && atomic_fetch_sub(&kept->ir_users, 1) == 1;
    program->holds_ir = false;
    if (!last)
        return;
    kept_ir_free(atomic_exchange(&kept->ir, NULL));
    for (int i = 0; i < 2; i++) {
        ir_heap_free(kept->text[i]);
        kept->text[i] = NULL;
    }
}

void program_kept_release(struct program_kept *kept) {
    if (!kept || atomic_fetch_sub(&kept->users, 1) != 1)
        return;
    if (kept->arena)
        ir_arena_destroy(kept->arena); /* it lies in there */
    else
        ir_heap_free(kept);
}

void program_names_release(struct program_names *names) {
    if (names && atomic_fetch_sub(&names->users, 1) == 1)
        ir_heap_free(names);
}

void program_spirv_release(struct program_spirv *spirv) {
    if (!spirv || atomic_fetch_sub(&spirv->users, 1) != 1)
        return;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        ir_heap_free(spirv->module[s]);
    ir_heap_free(spirv);
}

bool program_keep_spirv(struct qpucc_program *program, enum qpucc_stage stage, uint32_t *module,
                        size_t words) {
    struct program_spirv *spirv = program->spirv;
    if (!spirv && module && (spirv = program->spirv = ir_heap_zeroed(program->kept->from, sizeof *spirv)))
        atomic_init(&spirv->users, 1);
    if (!spirv || !module)
        return ir_heap_free(module), false;
    ir_heap_free(spirv->module[stage]);
    spirv->module[stage] = module;
    spirv->words[stage] = words;
    return true;
}

/* --- programs ------------------------------------------------------------------------------------------- */

struct qpucc_program *program_create(struct program_kept *kept, const struct qpucc_allocator *from) {
    struct ir_arena *arena = ir_arena_small(kept ? kept->from : from);
    bool own = !kept;
    if (arena && kept)
        atomic_fetch_add(&kept->users, 1);
    else if (arena)
        kept = kept_create(arena);
    if (!arena || !kept) {
        ir_arena_destroy(arena);
        return NULL;
    }
    struct qpucc_program *program = ir_alloc(arena, sizeof *program);
    program->arena = arena;
    program->kept = kept;
    program->holds_ir = own;
    program->lazy = ir_alloc(arena, sizeof *program->lazy);
    return program;
}

void program_limits(const uint64_t asked[QPUCC_LIMIT_COUNT], int opt_level,
                    uint64_t limit[QPUCC_LIMIT_COUNT]) {
    for (unsigned k = 0; k < QPUCC_LIMIT_COUNT; k++)
        limit[k] = asked[k] ? asked[k] : ir_limit_default((enum qpucc_limit)k);
    if (opt_level < 3)
        limit[QPUCC_LIMIT_SEARCH] = (limit[QPUCC_LIMIT_SEARCH] + 3) / 4;
}

void program_set_limits(struct ir_arena *arena, const uint64_t limit[QPUCC_LIMIT_COUNT], int opt_level) {
    uint64_t own[QPUCC_LIMIT_COUNT];
    program_limits(limit, opt_level, own);
    ir_limits_set(arena, own);
}

void qpucc_program_free(qpucc_program *program) {
    if (!program)
        return;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        ir_heap_free(atomic_load(&program->lazy->stream_text[s]));
        ir_heap_free(atomic_load(&program->lazy->lines[s]));
    }
    program_drop_ir(program);
    program_kept_release(program->kept);
    program_names_release(program->names);
    program_spirv_release(program->spirv);
    if (program->arena)
        ir_arena_destroy(program->arena); /* the program itself lies in it */
    else
        ir_heap_free(program);
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

static struct qpucc_diagnostic *copy_diagnostics(struct ir_arena *arena, const struct qpucc_diagnostic *from,
                                                 size_t count) {
    struct qpucc_diagnostic *to = ir_alloc(arena, (count + 1) * sizeof *to);
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].file = ir_strdup(arena, from[i].file);
        to[i].text = ir_strdup(arena, from[i].text);
        to[i].code = ir_strdup(arena, from[i].code);
    }
    return to;
}

void program_set_state(struct qpucc_program *program, const struct qpucc_state *state) {
    struct qpucc_state *own = ir_alloc_uncleared(program->arena, sizeof *own);
    *own = *state;
    program->state = own;
}

void program_keep_diagnostics(struct qpucc_program *program) {
    struct program_kept *kept = program->kept;
    kept->diagnostics = copy_diagnostics(kept->arena, program->diagnostics, program->diagnostic_count);
    kept->diagnostic_count = program->diagnostic_count;
}

void program_inherit(struct qpucc_program *program, const struct qpucc_program *parent) {
    const struct program_kept *kept = program->kept;
    const struct qpucc_diagnostic *said = kept->complete ? kept->diagnostics : parent->diagnostics;
    size_t count = kept->complete ? kept->diagnostic_count : parent->diagnostic_count;
    program->diagnostics = copy_diagnostics(program->arena, said, count);
    program->diagnostic_count = program->diagnostic_capacity = count;
    program->status = kept->complete ? QPUCC_OK : parent->status;
    memcpy(program->sources_key, parent->sources_key, sizeof program->sources_key);
    program->has_sources_key = parent->has_sources_key;
    program->uniform_words = parent->uniform_words;
    program->uniform_initial = parent->uniform_initial;
    program->std140_word = parent->kept->std140_word;
    if (program->kept == parent->kept && parent->holds_ir) {
        atomic_fetch_add(&parent->kept->ir_users, 1);
        program->holds_ir = true;
    }
    program->spirv = parent->spirv;
    if (program->spirv)
        atomic_fetch_add(&program->spirv->users, 1);
    program->names = parent->names;
    if (!program->names) /* there was no memory for them */
        return;
    atomic_fetch_add(&program->names->users, 1);
    program->std140 = program->names->std140;
    program->std140_bytes = program->names->std140_bytes;
    for (int t = 0; t <= QPUCC_VARYINGS; t++) { /* with its own uses */
        const struct program_table *from = &program->names->variables[t];
        struct program_table *to = &program->variables[t];
        to->count = from->count;
        to->list = ir_alloc(program->arena, (from->count + 1) * sizeof *to->list);
        if (from->count)
            memcpy(to->list, from->list, from->count * sizeof *to->list);
    }
}

void program_drop_code(struct qpucc_program *program) {
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        const struct program_stage *s = &program->stages[i];
        program->stages[i] = (struct program_stage){
            .ir = s->ir, .trials = s->trials, .trial_count = s->trial_count, .winner = s->winner};
    }
    program->fill = NULL;
    program->std140 = NULL;
    program->std140_word = NULL;
    program->std140_bytes = 0;
    program->layout = (struct qpucc_layout){0};
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

/* --- what it has ---------------------------------------------------------------------------------------- */

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

/* Unpacked for the first who asks. Threads may do so at the same time; one of them wins. */
const uint32_t *qpucc_program_lines(const qpucc_program *program, enum qpucc_stage stage) {
    const struct program_stage *s = stage_of(program, stage);
    if (!s || !s->packed_lines)
        return s ? s->lines : NULL;
    _Atomic(uint32_t *) *known = &program->lazy->lines[stage];
    uint32_t *lines = atomic_load(known);
    if (!lines) {
        uint32_t *made = program_unpack_lines(s, program->kept->from);
        if (atomic_compare_exchange_strong(known, &lines, made))
            return made;
        ir_heap_free(made);
    }
    return lines;
}

const char *qpucc_program_preprocessed(const qpucc_program *program, enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT ? program->preprocessed[stage] : NULL;
}

const char *qpucc_program_included(const qpucc_program *program, size_t index) {
    for (size_t i = 0; program->included && program->included[i]; i++)
        if (i == index)
            return program->included[i];
    return NULL;
}

static size_t count_included(const struct qpucc_program *program) {
    size_t count = 0;
    while (program->included && program->included[count])
        count++;
    return count;
}

void program_add_included(struct qpucc_program *program, const struct qpucc_program *from) {
    size_t own = count_included(program), more = count_included(from);
    if (!more)
        return;
    const char **list = ir_alloc(program->arena, (own + more + 1) * sizeof *list);
    if (own)
        memcpy(list, program->included, own * sizeof *list);
    for (size_t i = 0; i < more; i++) {
        bool known = false;
        for (size_t k = 0; k < own && !known; k++)
            known = !strcmp(list[k], from->included[i]);
        if (!known)
            list[own++] = ir_strdup(program->arena, from->included[i]);
    }
    program->included = list;
}

const uint32_t *qpucc_program_spirv(const qpucc_program *program, enum qpucc_stage stage, size_t *words) {
    const struct program_spirv *spirv = (unsigned)stage < QPUCC_STAGE_COUNT ? program->spirv : NULL;
    if (words)
        *words = spirv ? spirv->words[stage] : 0;
    return spirv ? spirv->module[stage] : NULL;
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

const uint32_t *qpucc_program_uniform_initial(const qpucc_program *program) {
    return program->uniform_initial;
}

const struct qpucc_layout *qpucc_program_layout(const qpucc_program *program) {
    return &program->layout;
}
