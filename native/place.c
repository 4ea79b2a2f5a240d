/* Where parameters and results lie: by name, or in the order of the program's tables. */
#include "native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finder {
    struct qpucc_native *native;
    bool *taken[QPUCC_VARYINGS + 1]; /* of each table's variables */
    char *error;
    size_t size;
};

static enum native_base base_of(enum qpucc_base_type base) {
    switch (base) {
    case QPUCC_FLOAT: return NATIVE_FLOAT;
    case QPUCC_INT: return NATIVE_INT;
    case QPUCC_UINT: return NATIVE_UINT;
    case QPUCC_BOOL: return NATIVE_BOOL;
    default: return NATIVE_VOID;
    }
}

/* --- words ---------------------------------------------------------------------------------------------- */

/* A slot holds the first components of a column; what the code doesn't read isn't there. */
static void place_attribute(struct qpucc_native *n, size_t variable, struct native_type type,
                            struct native_place *place) {
    const struct qpucc_layout *layout = qpucc_program_layout(n->program);
    place->in = NATIVE_ROW;
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        const struct qpucc_attribute_slot *slot = &layout->attributes[i];
        if (slot->variable != variable || !slot->selected[n->stage] || slot->column >= type.cols)
            continue;
        for (unsigned r = 0; r < type.rows && r < slot->words; r++)
            place->in_word[slot->column * type.rows + r] = slot->vpm_offset[n->stage] / 4u + r;
    }
}

/* Words of varyings in a shaded vertex begin after XY, Z and 1/W, and the point size if there is one; those
 * that the hardware makes aren't there. */
static void place_varying(struct qpucc_native *n, size_t variable, enum native_where where, uint32_t *word) {
    const struct qpucc_layout *layout = qpucc_program_layout(n->program);
    uint32_t row = layout->flags & QPUCC_POINT_SIZE ? 4 : 3;
    for (uint32_t i = 0; i < layout->varying_count; i++) {
        const struct qpucc_varying_slot *slot = &layout->varyings[i];
        if (slot->kind == QPUCC_VARYING_USER && slot->variable == variable && slot->word < NATIVE_COMPONENTS)
            word[slot->word] = where == NATIVE_ROW ? row : i;
        row += slot->kind >= QPUCC_VARYING_USER;
    }
}

/* --- variables ------------------------------------------------------------------------------------------ */

static const char *called(const struct native_parameter *p, unsigned number, char text[100]) {
    if (*p->name)
        snprintf(text, 100, "'%s'", p->name);
    else if (number)
        snprintf(text, 100, "parameter %u", number);
    else
        snprintf(text, 100, "the result");
    return text;
}

/* What function.c passes on changes its base on the way. */
static bool same_type(struct finder *f, const struct native_parameter *p, unsigned number,
                      const struct qpucc_variable *v) {
    char text[100];
    struct native_type real = {
        .base = (uint8_t)base_of(v->base), .rows = (uint8_t)v->rows, .cols = (uint8_t)v->cols};
    bool carried = *p->input || *p->output;
    if ((p->type.base != real.base && !carried) || p->type.rows != v->rows || p->type.cols != v->cols)
        return native_fail(f->error, f->size, "column %u: %s is %s in the shader", p->column,
                           called(p, number, text), native_glsl_name(real));
    if (v->array_length > 1 && !p->type.pointers)
        return native_fail(f->error, f->size,
                           "column %u: %s is an array of %u in the shader: a pointer is needed", p->column,
                           called(p, number, text), v->array_length);
    return true;
}

/* The variable that a parameter means; NULL if that table has none. */
static const struct qpucc_variable *find(struct finder *f, enum qpucc_interface table, const char *name,
                                         size_t *index) {
    const qpucc_program *program = f->native->program;
    for (size_t i = 0; i < qpucc_program_variable_count(program, table); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, table, i);
        if (*name ? strcmp(v->name, name) != 0
                  : f->taken[table][i] || (table != QPUCC_UNIFORMS && v->array_length > 1))
            continue;
        *index = i;
        return v;
    }
    return NULL;
}

static bool place_input(struct finder *f, const struct native_parameter *p, unsigned number,
                        struct native_place *place) {
    const char *name = *p->input ? p->input : p->name;
    const enum qpucc_interface inputs =
        f->native->stage == QPUCC_FRAGMENT ? QPUCC_VARYINGS : QPUCC_ATTRIBUTES;
    char text[100];
    size_t index = 0;
    enum qpucc_interface table = inputs;
    const struct qpucc_variable *v = p->uniform ? NULL : find(f, inputs, name, &index);
    if (!v)
        v = find(f, table = QPUCC_UNIFORMS, name, &index);
    if (!v)
        return native_fail(f->error, f->size, "column %u: the shader has no input for %s", p->column,
                           called(p, number, text));
    if (f->taken[table][index])
        return native_fail(f->error, f->size, "column %u: %s is bound twice", p->column,
                           called(p, number, text));
    if (!same_type(f, p, number, v))
        return false;
    f->taken[table][index] = true;
    if (table == QPUCC_UNIFORMS) {
        if (p->type.batch)
            return native_fail(f->error, f->size,
                               "column %u: %s is a uniform: it has one value for the batch", p->column,
                               called(p, number, text));
        place->in = NATIVE_UNIFORM;
        place->first = v->word;
        place->count = v->rows * v->cols * v->array_length;
    } else if (v->array_length > 1) {
        return native_fail(f->error, f->size, "column %u: %s is an array: only uniforms may be", p->column,
                           called(p, number, text));
    } else if (table == QPUCC_ATTRIBUTES) {
        place_attribute(f->native, index, p->type, place);
    } else {
        place->in = NATIVE_VARYING;
        place->in_number = v->base != QPUCC_FLOAT;
        place_varying(f->native, index, NATIVE_VARYING, place->in_word);
    }
    return true;
}

static bool is_scalar_or_vec4(struct native_type type) {
    return (type.base == NATIVE_UINT && native_components(type) == 1) ||
           (type.base == NATIVE_FLOAT && type.rows == 4 && type.cols == 1);
}

static bool place_output(struct finder *f, const struct native_parameter *p, unsigned number,
                         struct native_place *place) {
    const char *name = *p->output ? p->output : p->name;
    char text[100];
    size_t index = 0;
    if (f->native->stage == QPUCC_FRAGMENT) {
        if (!is_scalar_or_vec4(p->type))
            return native_fail(f->error, f->size, "column %u: a fragment shader's colour is vec4 or uint",
                               p->column);
        place->out = NATIVE_COLOR;
        return true;
    }
    if (f->native->stage == QPUCC_COORDINATE) {
        if ((*name && strcmp(name, "gl_Position") != 0) || p->type.base != NATIVE_FLOAT ||
            p->type.rows != 4 || p->type.cols != 1)
            return native_fail(f->error, f->size,
                               "column %u: a coordinate shader's output is gl_Position, a vec4", p->column);
        place->out = NATIVE_ROW; /* the clip coordinates come first */
        for (uint32_t k = 0; k < 4; k++)
            place->out_word[k] = k;
        return true;
    }
    const struct qpucc_variable *v = find(f, QPUCC_VARYINGS, name, &index);
    if (!v)
        return native_fail(f->error, f->size, "column %u: the shader has no varying for %s", p->column,
                           called(p, number, text));
    if (!same_type(f, p, number, v))
        return false;
    if (v->array_length > 1)
        return native_fail(f->error, f->size, "column %u: %s is an array: only uniforms may be", p->column,
                           called(p, number, text));
    f->taken[QPUCC_VARYINGS][index] = true;
    place->out = NATIVE_ROW;
    place->out_number = v->base != QPUCC_FLOAT || p->type.base == NATIVE_BOOL;
    place_varying(f->native, index, NATIVE_ROW, place->out_word);
    return true;
}

static void clear(struct native_place *place) {
    memset(place, 0, sizeof *place);
    for (unsigned k = 0; k < NATIVE_COMPONENTS; k++)
        place->in_word[k] = place->out_word[k] = NATIVE_NO_WORD;
}

static bool place_values(struct finder *f, bool named) {
    struct native_signature *s = &f->native->signature;
    bool ok = true, has_result = s->result.type.base != NATIVE_VOID;
    if (has_result && named == (*s->result.name || *s->result.output))
        ok = place_output(f, &s->result, 0, &f->native->result);
    for (unsigned i = 0; i < s->count && ok; i++) {
        const struct native_parameter *p = &s->parameters[i];
        if (named != (*p->name || *p->input || *p->output))
            continue;
        if (p->direction & NATIVE_IN)
            ok = place_input(f, p, i + 1, &f->native->places[i]);
        if (ok && p->direction & NATIVE_OUT)
            ok = place_output(f, p, i + 1, &f->native->places[i]);
    }
    return ok;
}

bool native_place_all(struct qpucc_native *native, char *error, size_t size) {
    struct finder f = {.native = native, .error = error, .size = size};
    bool ok = true;
    clear(&native->result);
    for (unsigned i = 0; i < QPUCC_NATIVE_PARAMETERS; i++)
        clear(&native->places[i]);
    for (int t = 0; t <= QPUCC_VARYINGS; t++) {
        f.taken[t] = calloc(qpucc_program_variable_count(native->program, (enum qpucc_interface)t) + 1, 1);
        ok &= f.taken[t] != NULL;
    }
    ok = ok ? place_values(&f, true) && place_values(&f, false) : native_fail(error, size, "out of memory");
    for (int t = 0; t <= QPUCC_VARYINGS; t++)
        free(f.taken[t]);
    return ok;
}
