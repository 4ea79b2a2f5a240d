/* The text form, written. See parse.c for the grammar. */
#include "ir/internal.h"
#include "ir/writer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_string(const char *text, struct ir_writer *out) {
    ir_write_char(out, '"');
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s == '"' || *s == '\\')
            ir_write(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            ir_write(out, "\\x%02x", *s);
        else
            ir_write_char(out, (char)*s);
    }
    ir_write_char(out, '"');
}

static const char *const precisions[] = {" highp", " mediump", " lowp"};

static void print_loc(struct ir_loc loc, struct ir_writer *out) {
    if (loc.line || loc.column || loc.file)
        ir_write(out, " @%u:%u:%u", loc.file, loc.line, loc.column);
}

static void print_symbols(const struct ir_symtab *table, const char *what, struct ir_writer *out) {
    static const char *const interps[] = {"", " flat", " linear"};
    uint32_t words = 0;
    for (uint32_t k = 0; k < table->count; k++) {
        const struct ir_symbol *s = &table->sym[k];
        ir_write(out, "%s ", what);
        print_string(s->name, out);
        ir_write(out, " %s %ux%u word %u%s%s", ir_base_names[s->base], s->rows, s->cols, s->word,
                 precisions[s->precision], interps[s->interp]);
        if (s->is_array || s->array_len != 1)
            ir_write(out, " array %u", s->array_len);
        if (!s->is_array && s->array_len != 1)
            ir_write_text(out, " noarray"); /* nothing sensible makes this, but the text is to be complete */
        if (s->invariant)
            ir_write_text(out, " invariant");
        if (s->used)
            ir_write_text(out, " used");
        if (s->location >= 0)
            ir_write(out, " location %d", s->location);
        if (s->by_location)
            ir_write_text(out, " by_location");
        if (s->centroid)
            ir_write_text(out, " centroid");
        if (s->block) {
            ir_write_text(out, " block ");
            print_string(s->block, out);
        }
        if (s->initial) {
            ir_write_text(out, " initial");
            for (uint32_t w = 0; w < ir_symbol_words(s); w++)
                ir_write(out, " %u", s->initial[w]);
        }
        print_loc(s->loc, out);
        ir_write_char(out, '\n');
        words += ir_symbol_words(s);
    }
    if (words != table->words)
        ir_write(out, "words %s %u\n", what, table->words);
}

/* Expressions share parts: n operations, written out, may be 2^n. Those that would be more than LARGE stand
 * in the header, where they get numbers. So their text stays within the parser's MAX_NESTING, too. */
enum { LARGE = 60 };

struct slots {
    const struct ir_shader *shader;
    uint32_t *number; /* by slot: its number in the header + 1, or 0 */
};

/* Of the slots that something reads. The block is the caller's to free; NULL: no memory. */
static uint32_t *number_slots(const struct ir_shader *shader) {
    uint32_t n = shader->nslots, numbered = 0;
    uint32_t *number = ir_heap_zeroed(ir_allocator(shader->arena), 2 * ((size_t)n + 1) * sizeof *number);
    if (!number)
        return NULL;
    uint32_t *size = number + n; /* 0: nothing reads it */
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            const struct ir_op_info *info = ir_op_info_of_any(inst->op);
            if (info && info->imm == IR_IMM_SLOT && inst->imm < n)
                size[inst->imm] = 1;
        }
    }
    for (uint32_t k = n; k-- > 0;)
        for (uint32_t a = 0; size[k] && a < shader->slots[k].narg && a < 4; a++)
            if (shader->slots[k].arg[a] < k)
                size[shader->slots[k].arg[a]] = 1;
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t a = 0; size[k] && a < shader->slots[k].narg && a < 4; a++) {
            uint32_t arg = shader->slots[k].arg[a];
            size[k] += arg >= k || number[arg] ? 1 : size[arg];
        }
        if (size[k] > LARGE)
            number[k] = ++numbered;
    }
    return number;
}

static void print_slot(const struct slots *slots, uint32_t index, enum ir_type expect, bool whole,
                       struct ir_writer *out) {
    const struct ir_shader *shader = slots->shader;
    if (index >= shader->nslots) {
        ir_write(out, "slot?%u", index);
        return;
    }
    const struct ir_slot *slot = &shader->slots[index];
    if (slots->number[index] && !whole) {
        ir_write(out, "slot%u", slots->number[index] - 1);
        if (slot->type != expect)
            ir_write(out, ":%s", ir_type_name(slot->type));
        return;
    }
    switch (slot->kind) {
    case IR_SLOT_CONST: ir_write(out, "#0x%08x", slot->value); break;
    case IR_SLOT_UNIFORM: ir_write(out, "u[%u]", slot->value); break;
    case IR_SLOT_TEX: ir_write(out, "tex%u.p%u", slot->value, slot->param); break;
    case IR_SLOT_STATE:
        ir_write_text(out, slot->value < IR_STATE_COUNT ? ir_state_names[slot->value] : "state?");
        break;
    case IR_SLOT_STREAM: ir_write_text(out, "stream"); break;
    case IR_SLOT_ARRAY: ir_write(out, "array[%u]", slot->value); break;
    case IR_SLOT_EXPR: {
        const struct ir_op_info *info = ir_op_info_of_any(slot->op);
        if (!info) {
            ir_write_text(out, "expr?");
            break;
        }
        ir_write(out, "expr(%s", info->text);
        if (slot->value)
            ir_write(out, "[%u]", slot->value);
        for (uint32_t k = 0; k < slot->narg && k < 4; k++) {
            char kind = ir_source_kind(info, k);
            enum ir_type type = kind == 'f'   ? IR_F32
                                : kind == 'i' ? IR_I32
                                : kind == 'b' ? IR_BOOL
                                              : (enum ir_type)slot->type;
            ir_write_text(out, ", ");
            if (slot->arg[k] < index) /* always, in a shader that verifies: no circles */
                print_slot(slots, slot->arg[k], type, false, out);
            else
                ir_write(out, "slot?%u", slot->arg[k]);
        }
        ir_write_char(out, ')');
        break;
    }
    default: ir_write_text(out, "slot?");
    }
    if (slot->type != expect)
        ir_write(out, ":%s", ir_type_name(slot->type));
}

static void print_const(const struct ir_inst *inst, struct ir_writer *out) {
    if (inst->type == IR_F32) {
        char text[40];
        float value = ir_float(inst), back;
        uint32_t bits = ~inst->imm;
        if (isfinite(value)) {
            for (int digits = 1; digits <= 9; digits++) { /* the shortest that comes back */
                snprintf(text, sizeof text, "%.*g", digits, value);
                back = strtof(text, NULL);
                memcpy(&bits, &back, sizeof bits);
                if (bits == inst->imm)
                    break;
            }
        }
        if (bits == inst->imm) {
            char *comma = strchr(text, ','); /* some locale's idea of a point */
            if (comma)
                *comma = '.';
            ir_write(out, " %s%s", text, strpbrk(text, ".e") ? "" : ".0");
        } else {
            ir_write(out, " #0x%08x", inst->imm);
        }
    } else if (inst->type == IR_BOOL && inst->imm <= 1) {
        ir_write_text(out, inst->imm ? " true" : " false");
    } else if (inst->type == IR_I32 && (inst->imm + 65536u) <= 131072u) {
        ir_write(out, " %d", (int)inst->imm);
    } else {
        ir_write(out, " #0x%08x", inst->imm);
    }
}

/* Immediates; returns true if sources have to be set off by a comma. */
static bool print_imm(const struct slots *slots, const struct ir_inst *inst, struct ir_writer *out) {
    switch (ir_op_info(inst->op)->imm) {
    case IR_IMM_NONE: return false;
    case IR_IMM_BITS: print_const(inst, out); break;
    case IR_IMM_SLOT:
        ir_write_char(out, ' ');
        print_slot(slots, inst->imm, inst->type, false, out);
        break;
    case IR_IMM_BYTE:
    case IR_IMM_HALF:
    case IR_IMM_INPUT:
    case IR_IMM_OUTPUT:
    case IR_IMM_FIFO:
    case IR_IMM_ROW:
        ir_write(out, " %u", inst->imm);
        if (inst->aux)
            ir_write(out, "+%u", inst->aux);
        break;
    case IR_IMM_VAR: ir_write(out, " v%u[%u]", inst->imm, inst->aux); break;
    case IR_IMM_BUILTIN:
        ir_write(out, " %s", inst->imm < IR_BUILTIN_COUNT ? ir_builtin_names[inst->imm] : "builtin?");
        break;
    case IR_IMM_RANGE: ir_write(out, " u[%u+%u]", inst->imm, inst->aux); break;
    case IR_IMM_TEX:
        ir_write(out, " s%u%s%s%s%s", inst->imm, (inst->aux & IR_TEX_KIND) == IR_TEX_CUBE ? ".cube" : "",
                 inst->aux & IR_TEX_BORDER ? ".border" : "", inst->aux & IR_TEX_BIAS ? ".bias" : "",
                 inst->aux & IR_TEX_LOD ? ".lod" : "");
        break;
    case IR_IMM_SAMPLER: ir_write(out, " s%u", inst->imm); break;
    }
    return true;
}

static void print_source(const struct ir_inst *src, struct ir_writer *out) {
    if (src)
        ir_write(out, "%%%u", src->id);
    else
        ir_write_text(out, "%?");
}

static void print_inst(const struct slots *slots, const struct ir_inst *inst, struct ir_writer *out) {
    const struct ir_op_info *info = ir_op_info_of_any(inst->op);
    if (!info) {
        ir_write(out, "op?%u", inst->op);
        return;
    }
    if (inst->type != IR_VOID)
        ir_write(out, "%%%u = ", inst->id);
    ir_write_text(out, info->text);
    if (info->result[0] == '*')
        ir_write(out, ".%s", ir_type_name(inst->type));
    bool comma = print_imm(slots, inst, out);
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        ir_write_text(out, comma ? ", " : " ");
        comma = true;
        if (inst->op == IR_PHI)
            ir_write(out, "b%u ", inst->phi_block[k]->id);
        print_source(inst->src[k], out);
    }
    for (int s = 0; s < 2 && inst->block && info->terminator; s++)
        if (inst->block->succ[s]) {
            ir_write(out, "%sb%u", comma ? ", " : " ", inst->block->succ[s]->id);
            comma = true;
        }
    if (inst->precision)
        ir_write_text(out, inst->precision <= IR_LOWP ? precisions[inst->precision] : " precision?");
    if (inst->exact)
        ir_write_text(out, " exact");
    if (inst->op == IR_BRANCH && ir_is_branch_hint(inst->aux))
        ir_write(out, " %s", ir_hint_names[inst->aux]);
    print_loc(inst->loc, out);
}

/* What is the usual case is left out: column 0, whole words. */
static void print_attribute(const struct ir_shader *shader, uint32_t k, struct ir_writer *out) {
    ir_write(out, "attr %u %u", shader->attr_size[k], shader->attr_symbol[k]);
    if (shader->attr_column[k])
        ir_write(out, " column %u", shader->attr_column[k]);
    if (shader->attr_bytes[k] != 4 * shader->attr_size[k])
        ir_write(out, " bytes %u", shader->attr_bytes[k]);
    ir_write_char(out, '\n');
}

static void print_header(const struct slots *slots, struct ir_writer *out) {
    const struct ir_shader *shader = slots->shader;
    ir_write(out, "shader %s%s%s%s\n", ir_stage_names[shader->stage], shader->lowered ? " lowered" : "",
             shader->point_size ? " point_size" : "", shader->uses_discard ? " discard" : "");
    for (uint32_t k = 0; k < shader->nfiles; k++) {
        ir_write_text(out, "file ");
        print_string(shader->files[k], out);
        ir_write_char(out, '\n');
    }
    print_symbols(&shader->uniforms, "uniform", out);
    print_symbols(&shader->samplers, "sampler", out);
    print_symbols(&shader->inputs, "input", out);
    print_symbols(&shader->outputs, "output", out);
    for (uint32_t k = 0; k < shader->nvars; k++) {
        const struct ir_var *var = &shader->vars[k];
        ir_write_text(out, "var ");
        print_string(var->name, out);
        ir_write(out, " %s %u%s\n", ir_type_name(var->type), var->words,
                 var->precision ? precisions[var->precision] : "");
    }
    for (uint32_t k = 0; k < shader->nattr && k < 8; k++)
        print_attribute(shader, k, out);
    for (uint32_t k = 0; k < shader->nvary && k < 64; k++)
        if (shader->vary_symbol_word[k] == UINT32_MAX)
            ir_write_text(out, "vary point\n");
        else
            ir_write(out, "vary %u\n", shader->vary_symbol_word[k]);
    for (uint32_t k = 0; k < shader->nslots; k++) {
        if (!slots->number[k])
            continue;
        enum ir_type type = shader->slots[k].type;
        ir_write(out, "slot %u %s ", slots->number[k] - 1, ir_type_name(type));
        print_slot(slots, k, type, true, out);
        ir_write_char(out, '\n');
    }
}

char *ir_print_text(const struct ir_shader *shader) {
    struct ir_writer text = {.from = ir_allocator(shader->arena)}, *out = &text;
    struct slots slots = {shader, number_slots(shader)};
    if (!slots.number)
        return NULL;
    print_header(&slots, out);
    ir_for_blocks(shader, block) {
        ir_write(out, "b%u:%s%s\n", block->id, block->hint ? " " : "",
                 block->hint < IR_HINT_COUNT ? ir_hint_names[block->hint] : "hint?");
        ir_for_insts(block, inst) {
            ir_write_text(out, "  ");
            print_inst(&slots, inst, out);
            ir_write_char(out, '\n');
        }
    }
    ir_heap_free(slots.number);
    return ir_written(out);
}

void ir_print(const struct ir_shader *shader, FILE *out) {
    char *text = ir_print_text(shader);
    fputs(text ? text : "out of memory\n", out);
    ir_heap_free(text);
}

char *ir_print_to_string(const struct ir_shader *shader) {
    char *text = ir_print_text(shader), *copy = text ? malloc(strlen(text) + 1) : NULL;
    if (copy)
        strcpy(copy, text);
    ir_heap_free(text);
    return copy;
}
