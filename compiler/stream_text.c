/* What the words of uniform streams are called. */
#include "compiler/program.h"
#include "ir/writer.h"
#include "passes/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void uniform_text(const struct qpucc_program *program, uint32_t word, struct ir_writer *out) {
    const struct program_table *table = &program->variables[QPUCC_UNIFORMS];
    const struct qpucc_variable *u = program_variable_of_word(table, word);
    if (!u) {
        ir_write(out, "uniform[%u]", word);
        return;
    }
    unsigned element = u->rows * u->cols, at = word - u->word;
    ir_write_text(out, u->name);
    if (u->is_array)
        ir_write(out, "[%u]", at / element);
    at %= element;
    if (u->cols > 1)
        ir_write(out, "[%u]", at / u->rows);
    if (u->rows > 1)
        ir_write(out, ".%c", "xyzw"[at % u->rows & 3]);
}

/* With a point, whatever the host program's locale has. */
static void number_text(float value, struct ir_writer *out) {
    char text[40];
    snprintf(text, sizeof text, "%.9g", (double)value);
    char *comma = strchr(text, ',');
    if (comma)
        *comma = '.';
    ir_write_text(out, text);
}

void program_slot_text(const struct qpucc_program *program, const struct ir_slot *slot,
                       struct ir_writer *out) {
    switch ((enum ir_slot_kind)slot->kind) {
    case IR_SLOT_CONST: {
        float value = ir_bits_to_float(slot->value), size = fabsf(value);
        if (slot->type == IR_F32 && isfinite(value)) {
            number_text(value, out);
        } else if (slot->value < 65536) {
            ir_write(out, "%u", slot->value);
        } else if (size > 1e-9f && size < 1e12f) { /* most constants are floats, whatever their slot's type */
            ir_write(out, "0x%08x (", slot->value);
            number_text(value, out);
            ir_write_char(out, ')');
        } else {
            ir_write(out, "0x%08x", slot->value);
        }
        break;
    }
    case IR_SLOT_UNIFORM: uniform_text(program, slot->value, out); break;
    case IR_SLOT_TEX: {
        const struct program_table *table = &program->variables[QPUCC_SAMPLERS];
        bool named = false;
        for (size_t i = 0; i < table->count; i++)
            if (slot->value >= table->list[i].word &&
                slot->value < table->list[i].word + table->list[i].array_length) {
                ir_write_text(out, table->list[i].name);
                if (table->list[i].is_array)
                    ir_write(out, "[%u]", slot->value - table->list[i].word);
                named = true;
            }
        if (!named) /* a plane that the state key names */
            ir_write(out, "texture[%u]", slot->value);
        ir_write(out, ".p%u", slot->param);
        break;
    }
    case IR_SLOT_STATE:
        ir_write_text(out, slot->value < IR_STATE_COUNT ? ir_state_names[slot->value] : "state");
        break;
    case IR_SLOT_STREAM: ir_write_text(out, "stream address"); break;
    case IR_SLOT_ARRAY:
        ir_write_text(out, "address of ");
        uniform_text(program, slot->value, out);
        break;
    case IR_SLOT_EXPR: break;
    }
}

enum { LONGEST = 4096 };

/* Goes no further than `end` but for the names and operations that it is in. */
static void slot_text(const struct qpucc_program *program, const struct ir_slot *slots, uint32_t index,
                      struct ir_writer *out, size_t end, unsigned depth) {
    const struct ir_slot *slot = &slots[index];
    if (out->size > end)
        return;
    if (slot->kind != IR_SLOT_EXPR) {
        program_slot_text(program, slot, out);
        return;
    }
    ir_write(out, "%s(", ir_op_info((enum ir_op)slot->op)->text);
    for (unsigned i = 0; i < slot->narg && i < 4; i++) {
        if (i)
            ir_write_text(out, ", ");
        if (depth == 6 || slot->arg[i] >= index)
            ir_write_text(out, "...");
        else
            slot_text(program, slots, slot->arg[i], out, end, depth + 1);
    }
    ir_write_char(out, ')');
}

/* An expression has up to 4,096 names of any length: its text ends early then. */
static void word_text(const struct qpucc_program *program, const struct stage_stream *stream, uint32_t index,
                      struct ir_writer *out) {
    const size_t end = out->size + LONGEST;
    slot_text(program, stream->slots, index, out, end, 0);
    if (out->failed || out->size <= end)
        return;
    out->size = end;
    while ((out->text[out->size] & 0xc0) == 0x80) /* inside of a character */
        out->size--;
    ir_write_text(out, "...");
}

/* The texts of all words, pointers in front, in one piece of memory; NULL when there is none. */
static char **name_stream(const struct qpucc_program *program, const struct program_stage *stage) {
    const struct qpucc_allocator *from = program->kept->from;
    struct stage_stream *stream = program_stream(stage, from);
    struct ir_writer out = {.from = from, .failed = !stream};
    size_t pointers = stage->stream_count * sizeof(char *);
    for (size_t i = 0; stream && i < stage->stream_count; i++) {
        word_text(program, stream, stream->stream[i], &out);
        ir_write_char(&out, 0);
    }
    char *text = ir_written(&out), **names = text ? ir_heap_get(from, pointers + out.size) : NULL;
    if (names) {
        char *at = memcpy((char *)names + pointers, text, out.size);
        for (size_t i = 0; i < stage->stream_count; i++, at += strlen(at) + 1)
            names[i] = at;
    }
    ir_heap_free(text);
    ir_heap_free(stream);
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
            ir_heap_free(made);
    }
    return names ? names[index] : NULL;
}
