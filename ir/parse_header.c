/* Reading the text form: the lines before the first block. */
#include "ir/parse.h"

#include <string.h>

/* --- header --------------------------------------------------------------------------------------------- */

static struct ir_symtab *table_named(struct parser *p, const char *text) {
    return strcmp(text, "uniform") == 0   ? &p->shader->uniforms
           : strcmp(text, "sampler") == 0 ? &p->shader->samplers
           : strcmp(text, "input") == 0   ? &p->shader->inputs
           : strcmp(text, "output") == 0  ? &p->shader->outputs
                                          : NULL;
}

static bool symbol_attributes(struct parser *p, struct ir_symbol *s) {
    char text[WORD];
    uint32_t value;
    while (!ir_text_at_line_end(p)) {
        if (ir_text_accept(p, '@')) {
            if (!ir_text_loc(p, &s->loc))
                return false;
            continue;
        }
        ir_text_word(p, text);
        int precision = ir_text_index_of(text, ir_text_precisions, 3);
        if (precision >= 0)
            s->precision = (uint8_t)precision;
        else if (strcmp(text, "flat") == 0)
            s->interp = IR_FLAT;
        else if (strcmp(text, "linear") == 0)
            s->interp = IR_LINEAR;
        else if (strcmp(text, "invariant") == 0)
            s->invariant = true;
        else if (strcmp(text, "used") == 0)
            s->used = true;
        else if (strcmp(text, "noarray") == 0)
            s->is_array = false;
        else if (strcmp(text, "array") == 0) {
            if (s->initial)
                return ir_text_fail(p, "the length of an array stands before its initial values");
            if (!ir_text_number(p, &s->array_len))
                return false;
            s->is_array = true;
        } else if (strcmp(text, "location") == 0) {
            if (!ir_text_number(p, &value))
                return false;
            if (value > INT32_MAX)
                return ir_text_fail(p, "location out of range");
            s->location = (int32_t)value;
        } else if (strcmp(text, "by_location") == 0) {
            s->by_location = true;
        } else if (strcmp(text, "centroid") == 0) {
            s->centroid = true;
        } else if (strcmp(text, "block") == 0) {
            s->block = ir_text_string(p);
            if (!s->block)
                return false;
            s->block = ir_strdup(p->shader->arena, s->block);
        } else if (strcmp(text, "initial") == 0) { /* after the array's length */
            uint32_t words = ir_symbol_words(s);
            if (words > 1u << 16)
                return ir_text_fail(p, "too many initial values");
            s->initial = ir_alloc(p->shader->arena, (words + 1) * sizeof *s->initial);
            for (uint32_t w = 0; w < words; w++)
                if (!ir_text_number(p, &s->initial[w]))
                    return false;
        } else
            return ir_text_fail(p, "unknown attribute '%s'", text);
    }
    return true;
}

static bool symbol(struct parser *p, struct ir_symtab *table) {
    char text[WORD];
    uint32_t rows, cols;
    const char *name = ir_text_string(p);
    if (!name)
        return false;
    struct ir_symbol *s = ir_add_symbol(p->shader, table, name);
    ir_text_word(p, text);
    int base = ir_text_index_of(text, ir_base_names, IR_BASE_COUNT);
    if (base < 0)
        return ir_text_fail(p, "unknown base type '%s'", text);
    if (!ir_text_number(p, &rows) || ir_text_peek(p) != 'x')
        return ir_text_fail(p, "expected ROWSxCOLS");
    p->at++;
    if (!ir_text_digits(p, &cols))
        return false;
    if (rows > 4 || cols > 4)
        return ir_text_fail(p, "more than 4 rows or columns");
    s->base = (uint8_t)base;
    s->rows = (uint8_t)rows;
    s->cols = (uint8_t)cols;
    if (ir_text_accept_word(p, "word") && !ir_text_number(p, &s->word))
        return false;
    if (!symbol_attributes(p, s))
        return false;
    if (s->array_len > 1u << 24 || table->words > 1u << 28)
        return ir_text_fail(p, "array too long");
    table->words += ir_symbol_words(s);
    return true;
}

static bool variable(struct parser *p) {
    char text[WORD];
    enum ir_type type;
    uint32_t words;
    const char *name = ir_text_string(p);
    if (!name)
        return false;
    ir_text_word(p, text);
    if (!ir_text_type_named(text, &type))
        return ir_text_fail(p, "unknown type '%s'", text);
    if (!ir_text_number(p, &words))
        return false;
    if (words > 1u << 20)
        return ir_text_fail(p, "variable too large");
    uint32_t v = ir_add_var(p->shader, name, type, words);
    while (!ir_text_at_line_end(p)) {
        ir_text_word(p, text);
        int precision = ir_text_index_of(text, ir_text_precisions, 3);
        if (precision < 0)
            return ir_text_fail(p, "unknown attribute '%s'", text);
        p->shader->vars[v].precision = (uint8_t)precision;
    }
    return true;
}

static bool slot_line(struct parser *p) {
    char text[WORD];
    enum ir_type type;
    uint32_t number, slot;
    if (!ir_text_number(p, &number))
        return false;
    if (number != p->nslots)
        return ir_text_fail(p, "expected slot %u", p->nslots);
    ir_text_word(p, text);
    if (!ir_text_type_named(text, &type))
        return ir_text_fail(p, "unknown type '%s'", text);
    if (!ir_text_slot(p, type, &slot))
        return false;
    p->slot = ir_grow(p->shader->arena, p->slot, p->nslots, &p->cap_slots, sizeof *p->slot);
    p->slot[p->nslots++] = slot;
    return true;
}

static bool shader_line(struct parser *p) {
    char text[WORD];
    ir_text_word(p, text);
    int stage = ir_text_index_of(text, ir_stage_names, QPUCC_STAGE_COUNT);
    if (p->started || stage < 0)
        return ir_text_fail(p, p->started ? "a second shader" : "unknown stage '%s'", text);
    p->shader->stage = (enum qpucc_stage)stage;
    p->started = true;
    while (!ir_text_at_line_end(p)) {
        ir_text_word(p, text);
        if (strcmp(text, "lowered") == 0)
            p->shader->lowered = true;
        else if (strcmp(text, "point_size") == 0)
            p->shader->point_size = true;
        else if (strcmp(text, "discard") == 0)
            p->shader->uses_discard = true;
        else
            return ir_text_fail(p, "unknown flag '%s'", text);
    }
    return true;
}

bool ir_text_header_line(struct parser *p) {
    struct ir_shader *shader = p->shader;
    char text[WORD];
    uint32_t a, b, column = 0, bytes;
    ir_text_word(p, text);
    if (strcmp(text, "shader") == 0)
        return shader_line(p);
    if (!p->started)
        return ir_text_fail(p, "expected 'shader STAGE' first");
    struct ir_symtab *table = table_named(p, text);
    if (table)
        return symbol(p, table);
    if (strcmp(text, "file") == 0) {
        const char *name = ir_text_string(p);
        if (name && shader->nfiles < UINT16_MAX)
            ir_add_file(shader, name);
        return name || ir_text_fail(p, "expected a name");
    }
    if (strcmp(text, "words") == 0) {
        ir_text_word(p, text);
        table = table_named(p, text);
        return table ? ir_text_number(p, &table->words) : ir_text_fail(p, "unknown table '%s'", text);
    }
    if (strcmp(text, "var") == 0)
        return variable(p);
    if (strcmp(text, "slot") == 0)
        return slot_line(p);
    if (strcmp(text, "attr") == 0) {
        if (!ir_text_number(p, &a) || !ir_text_number(p, &b))
            return false;
        if (shader->nattr == 8 || a > UINT8_MAX)
            return ir_text_fail(p, "more than 8 attributes or one too large");
        if (ir_text_accept_word(p, "column") && !ir_text_number(p, &column))
            return false;
        bytes = 4 * a;
        if (ir_text_accept_word(p, "bytes") && !ir_text_number(p, &bytes))
            return false;
        if (column > UINT8_MAX || bytes > UINT8_MAX)
            return ir_text_fail(p, "attribute column or size too large");
        shader->attr_bytes[shader->nattr] = (uint8_t)bytes;
        shader->attr_column[shader->nattr] = (uint8_t)column;
        shader->attr_size[shader->nattr] = (uint8_t)a;
        shader->attr_symbol[shader->nattr++] = b;
        return true;
    }
    if (strcmp(text, "vary") == 0) {
        a = UINT32_MAX;
        if (!ir_text_accept_word(p, "point") && !ir_text_number(p, &a))
            return false;
        if (shader->nvary == 64)
            return ir_text_fail(p, "more than 64 varyings");
        shader->vary_symbol_word[shader->nvary++] = a;
        return true;
    }
    return ir_text_fail(p, "unknown line '%s'", text);
}
