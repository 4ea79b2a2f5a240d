/* What the words of uniform streams are called. */
#include "compiler/program.h"
#include "passes/eval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void uniform_text(const struct qpucc_program *program, uint32_t word, FILE *out) {
    const struct program_table *table = &program->variables[QPUCC_UNIFORMS];
    const struct qpucc_variable *u = program_variable_of_word(table, word);
    if (!u) {
        fprintf(out, "uniform[%u]", word);
        return;
    }
    unsigned element = u->rows * u->cols, at = word - u->word;
    fputs(u->name, out);
    if (u->is_array)
        fprintf(out, "[%u]", at / element);
    at %= element;
    if (u->cols > 1)
        fprintf(out, "[%u]", at / u->rows);
    if (u->rows > 1)
        fprintf(out, ".%c", "xyzw"[at % u->rows & 3]);
}

static void slot_text(const struct qpucc_program *program, const struct ir_slot *slots, uint32_t index,
                      FILE *out, unsigned depth) {
    const struct ir_slot *slot = &slots[index];
    switch ((enum ir_slot_kind)slot->kind) {
    case IR_SLOT_CONST: {
        float value = ir_bits_to_float(slot->value), size = fabsf(value);
        if (slot->type == IR_F32 && isfinite(value))
            fprintf(out, "%.9g", (double)value);
        else if (slot->value < 65536)
            fprintf(out, "%u", slot->value);
        else if (size > 1e-9f && size < 1e12f) /* most constants are floats, whatever their slot's type */
            fprintf(out, "0x%08x (%.9g)", slot->value, (double)value);
        else
            fprintf(out, "0x%08x", slot->value);
        break;
    }
    case IR_SLOT_UNIFORM: uniform_text(program, slot->value, out); break;
    case IR_SLOT_TEX: {
        const struct program_table *table = &program->variables[QPUCC_SAMPLERS];
        bool named = false;
        for (size_t i = 0; i < table->count; i++)
            if (slot->value >= table->list[i].word &&
                slot->value < table->list[i].word + table->list[i].array_length) {
                fputs(table->list[i].name, out);
                if (table->list[i].is_array)
                    fprintf(out, "[%u]", slot->value - table->list[i].word);
                named = true;
            }
        if (!named) /* a plane that the state key names */
            fprintf(out, "texture[%u]", slot->value);
        fprintf(out, ".p%u", slot->param);
        break;
    }
    case IR_SLOT_STATE:
        fputs(slot->value < IR_STATE_COUNT ? ir_state_names[slot->value] : "state", out);
        break;
    case IR_SLOT_STREAM: fputs("stream address", out); break;
    case IR_SLOT_ARRAY:
        fputs("address of ", out);
        uniform_text(program, slot->value, out);
        break;
    case IR_SLOT_EXPR:
        fprintf(out, "%s(", ir_op_info((enum ir_op)slot->op)->text);
        for (unsigned i = 0; i < slot->narg && i < 4; i++) {
            if (i)
                fputs(", ", out);
            if (depth == 6 || slot->arg[i] >= index)
                fputs("...", out);
            else
                slot_text(program, slots, slot->arg[i], out, depth + 1);
        }
        fputc(')', out);
        break;
    }
}

/* The texts of all words, pointers in front, in one piece of memory; NULL when there is none. */
static char **name_stream(const struct qpucc_program *program, const struct program_stage *stage) {
    char *text = NULL, **names = NULL;
    size_t size = 0, pointers = stage->stream_count * sizeof *names;
    struct stage_stream *stream = program_stream(stage);
    FILE *out = stream ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; out && i < stage->stream_count; i++) {
        slot_text(program, stream->slots, stream->stream[i], out, 0);
        fputc(0, out);
    }
    if (out && fclose(out) == 0 && (names = malloc(pointers + size))) {
        char *at = memcpy((char *)names + pointers, text, size);
        for (size_t i = 0; i < stage->stream_count; i++, at += strlen(at) + 1)
            names[i] = at;
    }
    free(text);
    free(stream);
    return names;
}

/* Few ask, and printing takes longer than some passes: the texts are made for the first who asks. Threads may
 * do so at the same time; one of them wins. */
const char *qpucc_uniform_text(const qpucc_program *program, enum qpucc_stage stage, size_t index) {
    if (index >= qpucc_uniforms_size(program, stage))
        return NULL;
    _Atomic(char **) *known = &program->lazy->stream_text[stage];
    char **names = atomic_load(known);
    if (!names) {
        char **made = name_stream(program, &program->stages[stage]);
        if (atomic_compare_exchange_strong(known, &names, made))
            names = made;
        else
            free(made);
    }
    return names ? names[index] : NULL;
}
