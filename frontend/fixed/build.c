/* Building blocks of the fixed-function front: arithmetic, and GL's variables by name. */
#include "frontend/fixed/build.h"

#include <string.h>

bool fixed_begin(struct fixed_builder *f, enum qpucc_stage stage, const struct qpucc_fixed *fixed,
                 struct ir_arena *beside) {
    struct ir_shader *shader = ir_shader_beside(beside, stage);
    if (!shader)
        return false;
    *f = (struct fixed_builder){.b = ir_builder_at_end(shader->blocks[0]), .shader = shader, .fixed = fixed};
    ir_add_file(shader, "fixed function");
    return true;
}

struct ir_shader *fixed_end(struct fixed_builder *f) {
    struct ir_shader *shader = f->shader;
    ir_end(&f->b);
    if (ir_arena_oom(shader->arena)) {
        ir_shader_destroy(shader);
        return NULL;
    }
    ir_cfg_update(shader);
    return shader;
}

/* --- arithmetic ----------------------------------------------------------------------------------------- */

val fixed_mix(struct fixed_builder *f, val x, val y, val t) {
    return add(f, x, mul(f, t, sub(f, y, x)));
}

val fixed_dot(struct fixed_builder *f, const val *x, const val *y, unsigned n) {
    val sum = mul(f, x[0], y[0]);
    for (unsigned k = 1; k < n; k++)
        sum = add(f, sum, mul(f, x[k], y[k]));
    return sum;
}

val fixed_normalize(struct fixed_builder *f, val v[3]) {
    val by = one(f, IR_FRSQ, fixed_dot(f, v, v, 3));
    for (unsigned k = 0; k < 3; k++)
        v[k] = mul(f, v[k], by);
    return by;
}

val fixed_power_base(struct fixed_builder *f, val x) {
    return ir_op2(&f->b, IR_FMAX, x, flt(f, 0x1p-100f));
}

/* --- variables ------------------------------------------------------------------------------------------ */

/* A table's entry by name, made when it is first asked for. */
static struct ir_symbol *symbol(struct fixed_builder *f, struct ir_symtab *table, const char *name,
                                unsigned rows, unsigned cols, unsigned length) {
    for (uint32_t k = 0; k < table->count; k++)
        if (!strcmp(table->sym[k].name, name))
            return &table->sym[k];
    struct ir_symbol *s = ir_add_symbol(f->shader, table, name);
    s->base = IR_BASE_FLOAT;
    s->rows = (uint8_t)rows;
    s->cols = (uint8_t)cols;
    s->array_len = length ? length : 1;
    s->is_array = length != 0;
    s->used = true;
    table->words += ir_symbol_words(s);
    return s;
}

/* Every element has the same initial value. */
static void set_initial(struct fixed_builder *f, struct ir_symbol *s, const float *initial) {
    uint32_t each = (uint32_t)s->rows * s->cols;
    s->initial = ir_alloc(f->shader->arena, ir_symbol_words(s) * sizeof *s->initial);
    for (uint32_t k = 0; k < s->array_len; k++)
        memcpy(s->initial + k * each, initial, each * sizeof *initial);
}

static struct ir_symbol *uniform(struct fixed_builder *f, const struct fixed_name *name, unsigned index) {
    char text[64];
    snprintf(text, sizeof text, name->format, index);
    uint32_t known = f->shader->uniforms.count;
    struct ir_symbol *s = symbol(f, &f->shader->uniforms, text, name->rows, name->cols, name->length);
    if (f->shader->uniforms.count > known && name->initial)
        set_initial(f, s, name->initial);
    return s;
}

val fixed_uniform_at(struct fixed_builder *f, const struct fixed_name *name, val at, unsigned word) {
    const struct ir_symbol *s = uniform(f, name, 0);
    unsigned each = name->rows * name->cols;
    val first = ir_op2(&f->b, IR_UMUL24, at, ir_const_i(&f->b, each));
    return ir_emit(&f->b, IR_UNIFORM_AT, IR_F32, 1, &first, s->word + word, ir_symbol_words(s) - each + 1);
}

void fixed_uniform(struct fixed_builder *f, const struct fixed_name *name, unsigned index, val *out) {
    unsigned each = name->rows * name->cols;
    const struct ir_symbol *s = uniform(f, name, index);
    for (unsigned k = 0; k < each; k++) {
        struct ir_slot slot = {.kind = IR_SLOT_UNIFORM,
                               .type = IR_F32,
                               .value = s->word + (name->length ? index * each : 0) + k};
        out[k] = ir_uniform(&f->b, IR_F32, ir_slot(f->shader, slot));
    }
}

uint32_t fixed_input(struct fixed_builder *f, const char *name, unsigned rows, unsigned length) {
    return symbol(f, &f->shader->inputs, name, rows, 1, length)->word;
}

val fixed_read(struct fixed_builder *f, uint32_t word) {
    return ir_emit(&f->b, IR_INPUT, IR_F32, 0, NULL, word, 0);
}

uint32_t fixed_output(struct fixed_builder *f, const char *name, unsigned rows, unsigned length) {
    return symbol(f, &f->shader->outputs, name, rows, 1, length)->word;
}

void fixed_write(struct fixed_builder *f, uint32_t word, val value) {
    ir_emit(&f->b, IR_OUTPUT, IR_VOID, 1, &value, word, 0);
}
