/* Uniform expressions as formulas for people: a word of the stream in GLSL's notation, with a name for each
 * part that several have in common or that would be too long to read.
 *
 * Requires: a program. An expression's operands are slots of smaller numbers, so one walk upwards suffices.
 */
#include "compiler/program.h"
#include "explain/analysis.h"
#include "ir/heap.h"
#include "ir/writer.h"
#include "passes/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum form { CALL, INFIX, PREFIX };
/* What binds a name, and what the parts of ?: must be stronger than. */
enum { CHOICE = 1, ATOM = 12 };
/* A part is as long as this at most before it gets a name; as long as that at least to be worth one. */
enum { LONGEST = 60, SHORTEST = 8 };

static const struct notation {
    uint8_t form, strength;
    const char *text;
} notations[IR_OP_COUNT] = {
#define FORMULA(name, form, text, strength) [IR_##name] = {form, strength, text},
#include "explain/formula.def"
#undef FORMULA
};

struct part_text {
    const char *text; /* NULL: nobody has asked for it yet */
    unsigned strength;
};

struct formulas {
    const struct qpucc_program *program;
    struct analysis *a;
    const struct stage_stream *stream;
    uint32_t *uses;         /* of each slot, by words and by slots that words need */
    uint32_t *word_uses;    /* of those, by words */
    struct part_text *part; /* of each slot, as its users write it: perhaps a name */
    struct qpucc_explain_formula *shared;
    uint32_t shared_count;
    const char *prefix; /* of shared parts' names */
    struct ir_writer out;
};

static void put_float(struct ir_writer *out, float value) {
    char text[40];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    char *comma = strchr(text, ','); /* some locale's decimal point */
    if (comma)
        *comma = '.';
    ir_write(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* Most constants are floats, whatever their slot's type: those of such a size are written as one. */
static void put_constant(struct ir_writer *out, const struct ir_slot *slot) {
    float value = ir_bits_to_float(slot->value), size = fabsf(value);
    if (isfinite(value) && (slot->type == IR_F32 || (size > 1e-9f && size < 1e12f)))
        put_float(out, value);
    else
        ir_write(out, slot->value < 4096 ? "%u" : "0x%x", slot->value);
}

static void put_operand(struct formulas *f, uint32_t slot, unsigned strength) {
    bool weaker = f->part[slot].strength < strength;
    ir_write(&f->out, weaker ? "(%s)" : "%s", f->part[slot].text);
}

static unsigned put_expression(struct formulas *f, const struct ir_slot *slot) {
    const struct notation *n = &notations[slot->op];
    if (slot->op == IR_SELECT) {
        put_operand(f, slot->arg[0], CHOICE + 1);
        ir_write_text(&f->out, " ? ");
        put_operand(f, slot->arg[1], CHOICE + 1);
        ir_write_text(&f->out, " : ");
        put_operand(f, slot->arg[2], CHOICE);
        return CHOICE;
    }
    if (n->form == INFIX) {
        put_operand(f, slot->arg[0], n->strength);
        ir_write_text(&f->out, n->text);
        put_operand(f, slot->arg[1], n->strength + 1u);
        return n->strength;
    }
    if (n->form == PREFIX) {
        ir_write_text(&f->out, n->text);
        put_operand(f, slot->arg[0], n->strength + 1u);
        return n->strength;
    }
    ir_write_text(&f->out, n->text ? n->text : ir_op_info((enum ir_op)slot->op)->text);
    for (unsigned i = 0; i < slot->narg; i++) {
        ir_write_text(&f->out, i ? ", " : "(");
        put_operand(f, slot->arg[i], 0);
    }
    if (ir_op_info((enum ir_op)slot->op)->imm != IR_IMM_NONE) /* the byte or half that is unpacked */
        ir_write(&f->out, ", %u", slot->value);
    ir_write_char(&f->out, ')');
    return ATOM;
}

static bool is_plain(const struct formulas *f, uint32_t slot) {
    const struct ir_slot *s = &f->stream->slots[slot];
    return s->kind != IR_SLOT_EXPR ||
           (notations[s->op].form == PREFIX && f->stream->slots[s->arg[0]].kind != IR_SLOT_EXPR);
}

static void write_slot(struct formulas *f, uint32_t index) {
    const struct ir_slot *slot = &f->stream->slots[index];
    struct part_text *part = &f->part[index];
    f->out.size = 0;
    ir_write_text(&f->out, "");
    part->strength = ATOM;
    if (slot->kind == IR_SLOT_EXPR)
        part->strength = put_expression(f, slot);
    else if (slot->kind == IR_SLOT_CONST)
        put_constant(&f->out, slot);
    else
        program_slot_text(f->program, slot, &f->out);
    part->text = f->out.failed ? "" : ir_strdup(f->a->arena, f->out.text);
    size_t length = strlen(part->text);
    bool several = f->uses[index] > 1 && length >= SHORTEST,
         inner = f->uses[index] > f->word_uses[index] && length > LONGEST;
    if (is_plain(f, index) || (!several && !inner))
        return;
    char name[24];
    snprintf(name, sizeof name, "%s%u", f->prefix, f->shared_count + 1);
    struct qpucc_explain_formula *shared = &f->shared[f->shared_count++];
    shared->name = ir_strdup(f->a->arena, name);
    shared->text = part->text;
    *part = (struct part_text){shared->name, ATOM};
}

/* Does a uniform's name look like the prefix and a number? */
static bool is_taken(const struct qpucc_program *program, const char *prefix) {
    const struct program_table *table = &program->variables[QPUCC_UNIFORMS];
    size_t length = strlen(prefix);
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->list[i].name;
        if (!strncmp(name, prefix, length) && name[length] >= '0' && name[length] <= '9')
            return true;
    }
    return false;
}

static bool name_all(struct formulas *f, struct qpucc_explain_formula *word, size_t words) {
    const struct stage_stream *s = f->stream;
    const char *prefix = is_taken(f->program, "u") ? "word" : "u";
    f->prefix = is_taken(f->program, "e") ? "part" : "e";
    for (size_t i = 0; i < words; i++)
        f->uses[s->stream[i]] = ++f->word_uses[s->stream[i]];
    for (uint32_t k = s->slot_count; k-- > 0;)
        for (unsigned i = 0; f->uses[k] && s->slots[k].kind == IR_SLOT_EXPR && i < s->slots[k].narg; i++)
            f->uses[s->slots[k].arg[i]] += s->slots[k].arg[i] < k;
    for (uint32_t k = 0; k < s->slot_count; k++)
        if (f->uses[k])
            write_slot(f, k);
    for (size_t i = 0; i < words; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%zu", prefix, i);
        word[i].name = ir_strdup(f->a->arena, name);
        word[i].text = f->part[s->stream[i]].text;
    }
    return !f->out.failed;
}

void explain_formulas(struct analysis *a, const struct qpucc_program *program, enum qpucc_stage stage) {
    const struct program_stage *s = &program->stages[stage];
    struct stage_stream *stream = program_stream(s, program->kept->from);
    uint32_t slots = s->slot_count;
    struct formulas f = {.program = program, .a = a, .stream = stream, .out.from = program->kept->from};
    struct qpucc_explain_formula *word = ir_alloc(a->arena, (s->stream_count + 1) * sizeof *word);
    f.uses = ir_alloc(a->arena, (slots + 1) * sizeof *f.uses);
    f.word_uses = ir_alloc(a->arena, (slots + 1) * sizeof *f.word_uses);
    f.part = ir_alloc(a->arena, (slots + 1) * sizeof *f.part);
    f.shared = ir_alloc(a->arena, (slots + 1) * sizeof *f.shared);
    if (!stream || !name_all(&f, word, s->stream_count))
        ir_arena_fail(a->arena);
    ir_heap_free(f.out.text);
    ir_heap_free(stream);
    a->out->word = word;
    a->out->word_count = (uint32_t)s->stream_count;
    a->out->shared = f.shared;
    a->out->shared_count = f.shared_count;
}
