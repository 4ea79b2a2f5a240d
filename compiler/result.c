/* Code, stream and statistics of a stage into the program, with what every compile checks of the stream. */
#include "compiler/result.h"
#include "compiler/layout.h"
#include "ir/heap.h"

#include <string.h>

static void *keep(struct qpucc_program *program, const void *data, size_t size) {
    void *copy = ir_alloc_uncleared(program->arena, size);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

/* The code is another program's. False: out of memory. */
static bool copy_stage(struct qpucc_program *program, struct program_stage *out,
                       const struct program_stage *from) {
    struct stage_stream *stream = program_stream(from, program->kept->from);
    uint32_t *lines = from->packed_lines ? program_unpack_lines(from, program->kept->from) : NULL;
    bool ok = stream && (lines || !from->packed_lines);
    *out = *from;
    out->packed = out->packed_lines = NULL;
    out->packed_bytes = out->packed_line_bytes = 0;
    out->code = keep(program, from->code, from->count * sizeof *from->code);
    out->takes = keep(program, from->takes, program_take_words(from) * sizeof *from->takes);
    out->lines = lines ? keep(program, lines, from->count * sizeof *lines) : NULL;
    out->slots = ok ? keep(program, stream->slots, stream->slot_count * sizeof *stream->slots) : NULL;
    out->stream = ok ? keep(program, stream->stream, from->stream_count * sizeof *stream->stream) : NULL;
    ir_heap_free(stream);
    ir_heap_free(lines);
    return ok;
}

/* Texts of labels and files once each. */
static struct program_place *keep_places(struct qpucc_program *program, const struct ir_shader *shader,
                                         const struct be_result *code) {
    const struct ir_labels *last = shader->nlabels ? &shader->labels[shader->nlabels - 1] : NULL;
    struct program_place *place = ir_alloc(program->arena, (code->count + 1) * sizeof *place);
    const char **file = ir_alloc(program->arena, (shader->nfiles + 1) * sizeof *file),
               **name = ir_alloc(program->arena, (last ? last->first + last->words : 1) * sizeof *name);
    for (size_t i = 0; i < code->count; i++) {
        const struct be_place *from = &code->places[i];
        bool known = from->loc.line && from->loc.file < shader->nfiles;
        if (known && !file[from->loc.file])
            file[from->loc.file] = ir_strdup(program->arena, shader->files[from->loc.file]);
        place[i].file = known ? file[from->loc.file] : NULL;
        place[i].line = from->loc.line;
        place[i].column = from->loc.column;
        for (unsigned k = 0; k < 3; k++) {
            uint32_t label = from->label[k];
            char text[300];
            if (label && !name[label] && ir_label_text(shader, label, text, sizeof text))
                name[label] = ir_strdup(program->arena, text);
            place[i].name[k] = label ? name[label] : NULL;
        }
    }
    return place;
}

bool result_keep(struct compile *c, enum qpucc_stage stage, const struct part_result *result) {
    const struct outcome *outcome = &result->best;
    struct qpucc_program *program = c->program;
    struct program_stage *out = &program->stages[stage];
    const struct be_result *code = &outcome->code;
    if (outcome->from && !copy_stage(program, out, outcome->from))
        return compile_stopped(c, NULL);
    out->trials = keep(program, result->trials, result->trial_count * sizeof *result->trials);
    out->trial_count = result->trial_count;
    out->winner = outcome->trial;
    if (outcome->from || !outcome->shader)
        return true;
    if (c->options.flags & QPUCC_GENERATE_IR) {
        char *text = ir_print_text(outcome->shader);
        out->ir = text ? ir_strdup(program->arena, text) : NULL;
        ir_heap_free(text);
    }
    if (code->status != BE_OK)
        return true;
    bool ok = true;
    out->count = code->count;
    out->code = keep(program, code->code, code->count * sizeof *code->code);
    out->lines = c->options.flags & QPUCC_GENERATE_LINES && code->lines
                     ? keep(program, code->lines, code->count * sizeof *code->lines)
                     : NULL;
    out->places = code->places ? keep_places(program, outcome->shader, code) : NULL;
    out->slot_count = outcome->shader->nslots;
    out->slots =
        keep(program, outcome->shader->slots, outcome->shader->nslots * sizeof *outcome->shader->slots);
    out->stream_count = code->uniform_count;
    out->stream = ir_alloc(program->arena, (code->uniform_count + 1) * sizeof *out->stream);
    for (size_t i = 0; i < code->uniform_count; i++) {
        out->stream[i] = code->uniforms[i].slot;
        if (out->stream[i] >= out->slot_count) {
            program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                             "stream word %zu names slot %u of %u", i, out->stream[i], out->slot_count);
            out->stream[i] = 0;
            ok = false;
        }
    }
    size_t taken = program_index_stream(program, out);
    /* one more word may follow the last: the kernel requires it after backward branches (docs/hardware.md,
     * Kernel) */
    if (ok && (taken > out->stream_count || taken + 1 < out->stream_count)) {
        program_diagnose(program, QPUCC_INTERNAL, QPUCC_ERROR, "internal", NULL, 0, 0,
                         "the code takes %zu words from a stream of %zu", taken, out->stream_count);
        ok = false;
    }
    out->stats = (struct qpucc_stage_stats){.instructions = (unsigned)code->count,
                                            .uniforms = (unsigned)code->uniform_count,
                                            .threads = code->threads,
                                            .regs_a = code->regs_a,
                                            .regs_b = code->regs_b,
                                            .accumulators = code->accumulators,
                                            .cycles = code->cycles,
                                            .lower_bound = code->lower_bound,
                                            .tmu = code->tmu,
                                            .sfu = code->sfu,
                                            .blocks = code->blocks,
                                            .blocks_optimal = code->blocks_optimal};
    out->traits = layout_traits(outcome->shader, code->threads);
    return ok;
}

void result_mark_used(struct qpucc_program *program) {
    struct program_table *uniforms = &program->variables[QPUCC_UNIFORMS],
                         *samplers = &program->variables[QPUCC_SAMPLERS];
    for (size_t i = 0; i < uniforms->count; i++)
        uniforms->list[i].used = false;
    for (size_t i = 0; i < samplers->count; i++)
        samplers->list[i].used = false;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const struct program_stage *stage = &program->stages[s];
        struct ir_mark mark = ir_arena_mark(program->arena);
        bool *reached = ir_alloc(program->arena, stage->slot_count + 1);
        for (size_t i = 0; i < stage->stream_count; i++)
            reached[stage->stream[i]] = true;
        for (uint32_t i = stage->slot_count; i-- > 0;) { /* arguments have lower numbers */
            const struct ir_slot *slot = &stage->slots[i];
            if (!reached[i])
                continue;
            for (unsigned k = 0; slot->kind == IR_SLOT_EXPR && k < slot->narg; k++)
                reached[slot->arg[k]] = true;
            bool storage = slot->kind == IR_SLOT_UNIFORM || slot->kind == IR_SLOT_ARRAY;
            struct program_table *table = storage ? uniforms : slot->kind == IR_SLOT_TEX ? samplers : NULL;
            struct qpucc_variable *variable = table ? program_variable_of_word(table, slot->value) : NULL;
            if (variable)
                variable->used = true;
        }
        ir_arena_rewind(program->arena, mark);
    }
    for (size_t i = 0; i < program->variables[QPUCC_ATTRIBUTES].count; i++)
        program->variables[QPUCC_ATTRIBUTES].list[i].used = false;
    for (uint32_t i = 0; i < program->layout.attribute_count; i++)
        if (program->layout.attributes[i].variable != UINT32_MAX)
            program->variables[QPUCC_ATTRIBUTES].list[program->layout.attributes[i].variable].used = true;
}
