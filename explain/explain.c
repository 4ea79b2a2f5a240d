/* The entry points of qpucc/explain.h: a program's stages through all analyses, once, when the explanation is
 * made. */
#include "compiler/replay.h"
#include "explain/analysis.h"
#include "explain/decisions.h"
#include "ir/heap.h"

#include <string.h>

struct qpucc_explanation {
    struct ir_arena *arena; /* it lies in there */
    struct qpucc_explain_stage stage[QPUCC_STAGE_COUNT];
    bool has[QPUCC_STAGE_COUNT];
    struct passes {
        struct qpucc_explain_pass *list;
        size_t count, capacity;
    } passes[QPUCC_STAGE_COUNT];
    struct qpucc_explain_decision *decisions[QPUCC_STAGE_COUNT];
    uint32_t decision_count[QPUCC_STAGE_COUNT];
};

static qpucc_explanation *create(const struct qpucc_allocator *from) {
    struct ir_arena *arena = ir_arena_create(from);
    if (!arena)
        return NULL;
    qpucc_explanation *explain = ir_alloc(arena, sizeof *explain);
    explain->arena = arena;
    return explain;
}

/* What only the program knows of its instructions. */
static void annotate(struct analysis *a, const qpucc_program *program, enum qpucc_stage stage) {
    const uint32_t *lines = qpucc_program_lines(program, stage);
    const struct program_place *places = program->stages[stage].places;
    a->out->has_names = places != NULL;
    for (uint32_t i = 0; i < a->count; i++) {
        struct qpucc_explain_instruction *out = &a->text[i];
        out->word_index = qpucc_uniform_index(program, stage, i);
        if (out->word_index != SIZE_MAX)
            out->word_text = qpucc_uniform_text(program, stage, out->word_index);
        out->line = lines ? lines[i] : 0;
        if (!places)
            continue;
        out->file = places[i].file;
        out->line = places[i].line;
        out->column = places[i].column;
        out->add.name = places[i].name[PART_ADD];
        out->mul.name = places[i].name[PART_MUL];
        out->signal.name = places[i].name[PART_SIGNAL];
    }
}

static void analyse(qpucc_explanation *explain, const qpucc_program *program, const uint64_t *code,
                    size_t count, enum qpucc_stage stage, bool threaded, bool listing) {
    struct qpucc_explain_stage *out = &explain->stage[stage];
    struct analysis a = {.arena = explain->arena,
                         .out = out,
                         .threaded = threaded,
                         .listing = listing,
                         .count = (uint32_t)count};
    if (!count || count > UINT32_MAX / 8)
        return;
    a.text = ir_alloc(a.arena, (count + 1) * sizeof *a.text);
    out->stage = stage;
    out->instruction = a.text;
    out->count = a.count;
    out->stats = program ? qpucc_program_stats(program, stage) : NULL;
    explain_parts(&a, code);
    if (program)
        annotate(&a, program, stage);
    explain_blocks(&a);
    explain_live(&a);
    explain_stalls(&a);
    explain->has[stage] = true;
    if (listing)
        return;
    explain_paths(&a);
    explain_chains(&a);
    explain_idle(&a);
    explain_sums(&a);
    if (program)
        explain_formulas(&a, program, stage);
}

/* Memory that ran out left zeros somewhere: none of it is given away. */
static qpucc_explanation *finish(qpucc_explanation *explain) {
    if (explain && ir_arena_oom(explain->arena)) {
        qpucc_explain_free(explain);
        return NULL;
    }
    return explain;
}

/* --- passes --------------------------------------------------------------------------------------------- */

static void add_pass(qpucc_explanation *explain, enum qpucc_stage stage, struct qpucc_explain_pass pass) {
    struct passes *passes = &explain->passes[stage];
    if (passes->count == passes->capacity) {
        size_t capacity = passes->capacity ? 2 * passes->capacity : 32;
        struct qpucc_explain_pass *list = ir_alloc(explain->arena, capacity * sizeof *list);
        if (passes->count)
            memcpy(list, passes->list, passes->count * sizeof *list);
        passes->list = list;
        passes->capacity = capacity;
    }
    passes->list[passes->count++] = pass;
}

/* The coordinate shader is cut from the vertex shader: until then their passes are the same. */
static void keep_pass(void *user, const struct ir_shader *shader, const char *name) {
    qpucc_explanation *explain = user;
    struct passes *vertex = &explain->passes[QPUCC_VERTEX], *coordinate = &explain->passes[QPUCC_COORDINATE];
    char *text = ir_print_text(shader);
    if (!text) {
        ir_arena_fail(explain->arena);
        return;
    }
    bool first = shader->stage == QPUCC_COORDINATE && !coordinate->count;
    for (size_t i = 0; first && i < vertex->count && strcmp(vertex->list[i].name, "cut_vertex"); i++)
        add_pass(explain, QPUCC_COORDINATE, vertex->list[i]);
    add_pass(explain, shader->stage,
             (struct qpucc_explain_pass){ir_strdup(explain->arena, name), ir_strdup(explain->arena, text)});
    ir_heap_free(text);
}

/* Nothing is kept of a compile that went another way. */
static void replay(qpucc_explanation *explain, const qpucc_program *program, uint32_t flags) {
    struct decisions decisions[QPUCC_STAGE_COUNT] = {0};
    bool passes = flags & QPUCC_EXPLAIN_PASSES, decided = flags & QPUCC_EXPLAIN_DECISIONS;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        decisions[s].arena = explain->arena;
    if (!passes && !decided)
        return;
    if (!replay_passes(program, passes ? keep_pass : NULL, explain, decided ? decisions : NULL)) {
        memset(explain->passes, 0, sizeof explain->passes);
        return;
    }
    for (int s = 0; decided && s < QPUCC_STAGE_COUNT; s++)
        explain->decisions[s] = explain_decisions(explain->arena, program, (enum qpucc_stage)s, &decisions[s],
                                                  &explain->decision_count[s]);
}

/* --- entry points --------------------------------------------------------------------------------------- */

qpucc_explanation *qpucc_explain(const qpucc_program *program, uint32_t flags) {
    if (flags & ~(uint32_t)(QPUCC_EXPLAIN_PASSES | QPUCC_EXPLAIN_LISTING | QPUCC_EXPLAIN_DECISIONS))
        return NULL;
    qpucc_explanation *explain = create(program->kept->from);
    for (int s = 0; explain && s < QPUCC_STAGE_COUNT; s++) {
        size_t count;
        const uint64_t *code = qpucc_program_code(program, (enum qpucc_stage)s, &count);
        const struct qpucc_stage_stats *stats = qpucc_program_stats(program, (enum qpucc_stage)s);
        if (code)
            analyse(explain, program, code, count, (enum qpucc_stage)s, stats->threads > 1,
                    flags & QPUCC_EXPLAIN_LISTING);
    }
    if (explain)
        replay(explain, program, flags);
    return finish(explain);
}

qpucc_explanation *qpucc_explain_code(const uint64_t *code, size_t count, enum qpucc_stage stage,
                                      bool threaded) {
    qpucc_explanation *explain = create(NULL);
    if (explain && (unsigned)stage < QPUCC_STAGE_COUNT)
        analyse(explain, NULL, code, count, stage, threaded, false);
    return finish(explain);
}

void qpucc_explain_free(qpucc_explanation *explain) {
    if (explain)
        ir_arena_destroy(explain->arena);
}

const struct qpucc_explain_stage *qpucc_explanation_stage(const qpucc_explanation *explain,
                                                          enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT && explain->has[stage] ? &explain->stage[stage] : NULL;
}

size_t qpucc_explain_pass_count(const qpucc_explanation *explain, enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT ? explain->passes[stage].count : 0;
}

const struct qpucc_explain_pass *qpucc_explanation_pass(const qpucc_explanation *explain,
                                                        enum qpucc_stage stage, size_t index) {
    return index < qpucc_explain_pass_count(explain, stage) ? &explain->passes[stage].list[index] : NULL;
}

size_t qpucc_explain_decision_count(const qpucc_explanation *explain, enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT ? explain->decision_count[stage] : 0;
}

const struct qpucc_explain_decision *qpucc_explanation_decision(const qpucc_explanation *explain,
                                                                enum qpucc_stage stage, size_t index) {
    return index < qpucc_explain_decision_count(explain, stage) ? &explain->decisions[stage][index] : NULL;
}
