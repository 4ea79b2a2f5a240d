/* The text form, written. See parse.c for the grammar. */
#include "ir/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_string(const char *text, FILE *out) {
    putc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(out, "\\x%02x", *s);
        else
            putc(*s, out);
    }
    putc('"', out);
}

static const char *const precisions[] = {" highp", " mediump", " lowp"};

static void print_loc(struct ir_loc loc, FILE *out) {
    if (loc.line || loc.column || loc.file)
        fprintf(out, " @%u:%u:%u", loc.file, loc.line, loc.column);
}

static void print_symbols(const struct ir_symtab *table, const char *what, FILE *out) {
    static const char *const interps[] = {"", " flat", " linear"};
    uint32_t words = 0;
    for (uint32_t k = 0; k < table->count; k++) {
        const struct ir_symbol *s = &table->sym[k];
        fprintf(out, "%s ", what);
        print_string(s->name, out);
        fprintf(out, " %s %ux%u word %u%s%s", ir_base_names[s->base], s->rows, s->cols, s->word,
                precisions[s->precision], interps[s->interp]);
        if (s->is_array || s->array_len != 1)
            fprintf(out, " array %u", s->array_len);
        if (!s->is_array && s->array_len != 1)
            fputs(" noarray", out); /* nothing sensible makes this, but the text is to be complete */
        if (s->invariant)
            fputs(" invariant", out);
        if (s->used)
            fputs(" used", out);
        if (s->location >= 0)
            fprintf(out, " location %d", s->location);
        if (s->by_location)
            fputs(" by_location", out);
        if (s->centroid)
            fputs(" centroid", out);
        if (s->block) {
            fputs(" block ", out);
            print_string(s->block, out);
        }
        if (s->initial) {
            fputs(" initial", out);
            for (uint32_t w = 0; w < ir_symbol_words(s); w++)
                fprintf(out, " %u", s->initial[w]);
        }
        print_loc(s->loc, out);
        putc('\n', out);
        words += ir_symbol_words(s);
    }
    if (words != table->words)
        fprintf(out, "words %s %u\n", what, table->words);
}

void ir_print_slot(const struct ir_shader *shader, uint32_t index, enum ir_type expect, FILE *out) {
    if (index >= shader->nslots) {
        fprintf(out, "slot?%u", index);
        return;
    }
    const struct ir_slot *slot = &shader->slots[index];
    switch (slot->kind) {
    case IR_SLOT_CONST: fprintf(out, "#0x%08x", slot->value); break;
    case IR_SLOT_UNIFORM: fprintf(out, "u[%u]", slot->value); break;
    case IR_SLOT_TEX: fprintf(out, "tex%u.p%u", slot->value, slot->param); break;
    case IR_SLOT_STATE:
        fputs(slot->value < IR_STATE_COUNT ? ir_state_names[slot->value] : "state?", out);
        break;
    case IR_SLOT_STREAM: fputs("stream", out); break;
    case IR_SLOT_ARRAY: fprintf(out, "array[%u]", slot->value); break;
    case IR_SLOT_EXPR: {
        const struct ir_op_info *info = ir_op_info_of_any(slot->op);
        if (!info) {
            fputs("expr?", out);
            break;
        }
        fprintf(out, "expr(%s", info->text);
        if (slot->value)
            fprintf(out, "[%u]", slot->value);
        for (uint32_t k = 0; k < slot->narg && k < 4; k++) {
            char kind = ir_source_kind(info, k);
            enum ir_type type = kind == 'f'   ? IR_F32
                                : kind == 'i' ? IR_I32
                                : kind == 'b' ? IR_BOOL
                                              : (enum ir_type)slot->type;
            fputs(", ", out);
            if (slot->arg[k] < index) /* always, in a shader that verifies: no circles */
                ir_print_slot(shader, slot->arg[k], type, out);
            else
                fprintf(out, "slot?%u", slot->arg[k]);
        }
        putc(')', out);
        break;
    }
    default: fputs("slot?", out);
    }
    if (slot->type != expect)
        fprintf(out, ":%s", ir_type_name(slot->type));
}

static void print_const(const struct ir_inst *inst, FILE *out) {
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
            fprintf(out, " %s%s", text, strpbrk(text, ".e") ? "" : ".0");
        } else {
            fprintf(out, " #0x%08x", inst->imm);
        }
    } else if (inst->type == IR_BOOL && inst->imm <= 1) {
        fputs(inst->imm ? " true" : " false", out);
    } else if (inst->type == IR_I32 && (inst->imm + 65536u) <= 131072u) {
        fprintf(out, " %d", (int)inst->imm);
    } else {
        fprintf(out, " #0x%08x", inst->imm);
    }
}

/* Immediates; returns true if sources have to be set off by a comma. */
static bool print_imm(const struct ir_shader *shader, const struct ir_inst *inst, FILE *out) {
    switch (ir_op_info(inst->op)->imm) {
    case IR_IMM_NONE: return false;
    case IR_IMM_BITS: print_const(inst, out); break;
    case IR_IMM_SLOT:
        putc(' ', out);
        ir_print_slot(shader, inst->imm, inst->type, out);
        break;
    case IR_IMM_BYTE:
    case IR_IMM_HALF:
    case IR_IMM_INPUT:
    case IR_IMM_OUTPUT:
    case IR_IMM_FIFO:
    case IR_IMM_ROW:
        fprintf(out, " %u", inst->imm);
        if (inst->aux)
            fprintf(out, "+%u", inst->aux);
        break;
    case IR_IMM_VAR: fprintf(out, " v%u[%u]", inst->imm, inst->aux); break;
    case IR_IMM_BUILTIN:
        fprintf(out, " %s", inst->imm < IR_BUILTIN_COUNT ? ir_builtin_names[inst->imm] : "builtin?");
        break;
    case IR_IMM_RANGE: fprintf(out, " u[%u+%u]", inst->imm, inst->aux); break;
    case IR_IMM_TEX:
        fprintf(out, " s%u%s%s%s%s", inst->imm, (inst->aux & IR_TEX_KIND) == IR_TEX_CUBE ? ".cube" : "",
                inst->aux & IR_TEX_BORDER ? ".border" : "", inst->aux & IR_TEX_BIAS ? ".bias" : "",
                inst->aux & IR_TEX_LOD ? ".lod" : "");
        break;
    case IR_IMM_SAMPLER: fprintf(out, " s%u", inst->imm); break;
    }
    return true;
}

static void print_source(const struct ir_inst *src, FILE *out) {
    if (src)
        fprintf(out, "%%%u", src->id);
    else
        fputs("%?", out);
}

void ir_print_inst(const struct ir_shader *shader, const struct ir_inst *inst, FILE *out) {
    const struct ir_op_info *info = ir_op_info_of_any(inst->op);
    if (!info) {
        fprintf(out, "op?%u", inst->op);
        return;
    }
    if (inst->type != IR_VOID)
        fprintf(out, "%%%u = ", inst->id);
    fputs(info->text, out);
    if (info->result[0] == '*')
        fprintf(out, ".%s", ir_type_name(inst->type));
    bool comma = print_imm(shader, inst, out);
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        fputs(comma ? ", " : " ", out);
        comma = true;
        if (inst->op == IR_PHI)
            fprintf(out, "b%u ", inst->phi_block[k]->id);
        print_source(inst->src[k], out);
    }
    for (int s = 0; s < 2 && inst->block && info->terminator; s++)
        if (inst->block->succ[s]) {
            fprintf(out, "%sb%u", comma ? ", " : " ", inst->block->succ[s]->id);
            comma = true;
        }
    if (inst->precision)
        fputs(inst->precision <= IR_LOWP ? precisions[inst->precision] : " precision?", out);
    if (inst->exact)
        fputs(" exact", out);
    if (inst->op == IR_BRANCH && ir_is_branch_hint(inst->aux))
        fprintf(out, " %s", ir_hint_names[inst->aux]);
    print_loc(inst->loc, out);
}

/* What is the usual case is left out: column 0, whole words. */
static void print_attribute(const struct ir_shader *shader, uint32_t k, FILE *out) {
    fprintf(out, "attr %u %u", shader->attr_size[k], shader->attr_symbol[k]);
    if (shader->attr_column[k])
        fprintf(out, " column %u", shader->attr_column[k]);
    if (shader->attr_bytes[k] != 4 * shader->attr_size[k])
        fprintf(out, " bytes %u", shader->attr_bytes[k]);
    fputc('\n', out);
}

static void print_header(const struct ir_shader *shader, FILE *out) {
    fprintf(out, "shader %s%s%s%s\n", ir_stage_names[shader->stage], shader->lowered ? " lowered" : "",
            shader->point_size ? " point_size" : "", shader->uses_discard ? " discard" : "");
    for (uint32_t k = 0; k < shader->nfiles; k++) {
        fputs("file ", out);
        print_string(shader->files[k], out);
        putc('\n', out);
    }
    print_symbols(&shader->uniforms, "uniform", out);
    print_symbols(&shader->samplers, "sampler", out);
    print_symbols(&shader->inputs, "input", out);
    print_symbols(&shader->outputs, "output", out);
    for (uint32_t k = 0; k < shader->nvars; k++) {
        const struct ir_var *var = &shader->vars[k];
        fputs("var ", out);
        print_string(var->name, out);
        fprintf(out, " %s %u%s\n", ir_type_name(var->type), var->words,
                var->precision ? precisions[var->precision] : "");
    }
    for (uint32_t k = 0; k < shader->nattr && k < 8; k++)
        print_attribute(shader, k, out);
    for (uint32_t k = 0; k < shader->nvary && k < 64; k++)
        if (shader->vary_symbol_word[k] == UINT32_MAX)
            fputs("vary point\n", out);
        else
            fprintf(out, "vary %u\n", shader->vary_symbol_word[k]);
}

void ir_print(const struct ir_shader *shader, FILE *out) {
    print_header(shader, out);
    ir_for_blocks(shader, block) {
        fprintf(out, "b%u:%s%s\n", block->id, block->hint ? " " : "",
                block->hint < IR_HINT_COUNT ? ir_hint_names[block->hint] : "hint?");
        ir_for_insts(block, inst) {
            fputs("  ", out);
            ir_print_inst(shader, inst, out);
            putc('\n', out);
        }
    }
}

char *ir_print_to_string(const struct ir_shader *shader) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    ir_print(shader, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
