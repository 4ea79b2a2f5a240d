/* What the compatibility profile does to a fragment shader's inputs: flat and two-sided colours, and texture
 * coordinates that points replace; a part of lower_stage.
 *
 * requires: a fragment shader before lower_stage, without inputs at run-time indices.
 * keeps:    control flow; a shader whose key asks for none of it.
 * breaks:   nothing: inputs become other inputs and built-in values.
 *
 * These states are about varyings of GL's own names. The linker keeps what it knows of such a varying to
 * itself where the key changes what it means (lower_stage_changes). */
#include "passes/lower_stage.h"

#include <string.h>

/* Each front colour, and what a back face reads instead. */
static const char *const colors[][2] = {{"gl_FrontColor", "gl_BackColor"},
                                        {"gl_FrontSecondaryColor", "gl_BackSecondaryColor"}};

static bool is_front(const char *name, unsigned k) {
    return strcmp(name, colors[k][0]) == 0;
}

static bool is_color(const char *name) {
    for (unsigned k = 0; k < 2; k++)
        if (is_front(name, k) || strcmp(name, colors[k][1]) == 0)
            return true;
    return false;
}

bool lower_stage_changes(const struct qpucc_state *state, const char *varying) {
    bool replaced = state->primitive == QPUCC_POINTS && state->coord_replace;
    return ((state->flat_shade || state->two_sided) && is_color(varying)) ||
           (replaced && strcmp(varying, "gl_TexCoord") == 0);
}

static struct ir_symbol *find(struct ir_shader *shader, const char *name) {
    for (uint32_t i = 0; i < shader->inputs.count; i++)
        if (strcmp(shader->inputs.sym[i].name, name) == 0)
            return &shader->inputs.sym[i];
    return NULL;
}

/* The back colour of a front one, whether the shader has it or not. */
static uint32_t back_word(struct ir_shader *shader, const struct ir_symbol *front, const char *name) {
    const struct ir_symbol *known = find(shader, name);
    if (known)
        return known->word;
    struct ir_symbol copy = *front; /* the table may move */
    struct ir_symbol *back = ir_add_symbol(shader, &shader->inputs, name);
    copy.name = back->name;
    copy.word = back->word;
    *back = copy;
    shader->inputs.words += ir_symbol_words(back);
    return back->word;
}

static struct ir_inst *either_side(struct ir_inst *inst, uint32_t back_input) {
    struct ir_builder b = ir_builder_before(inst);
    enum ir_type type = (enum ir_type)inst->type;
    struct ir_inst *facing = ir_emit(&b, IR_BUILTIN, IR_BOOL, 0, NULL, IR_BUILTIN_FRONT_FACING, 0);
    struct ir_inst *front = ir_emit(&b, IR_INPUT, type, 0, NULL, inst->imm, 0);
    struct ir_inst *back = ir_emit(&b, IR_INPUT, type, 0, NULL, back_input, 0);
    return ir_op3(&b, IR_SELECT, facing, front, back);
}

/* Component 0 to 3 of (s, t, 0, 1). */
static struct ir_inst *sprite(struct ir_inst *inst, uint32_t component) {
    struct ir_builder b = ir_builder_before(inst);
    if (component >= 2)
        return ir_const_f(&b, component == 3 ? 1.0f : 0.0f);
    return ir_emit(&b, IR_BUILTIN, IR_F32, 0, NULL, IR_BUILTIN_POINT_COORD_X + component, 0);
}

static struct ir_inst *other_input(struct ir_shader *shader, const struct qpucc_state *state,
                                   struct ir_inst *inst) {
    const struct ir_symbol *symbol = ir_symbol_of_word(&shader->inputs, inst->imm);
    if (!symbol || symbol->base != IR_BASE_FLOAT || !lower_stage_changes(state, symbol->name))
        return NULL;
    uint32_t offset = inst->imm - symbol->word;
    for (unsigned k = 0; state->two_sided && k < 2; k++)
        if (is_front(symbol->name, k))
            return either_side(inst, back_word(shader, symbol, colors[k][1]) + offset);
    if (!is_color(symbol->name) && offset < 32 && state->coord_replace >> offset / 4 & 1)
        return sprite(inst, offset % 4);
    return NULL;
}

void lower_compatibility(struct ir_shader *shader, const struct qpucc_state *state) {
    if (shader->stage != QPUCC_FRAGMENT)
        return;
    uint32_t known = shader->next_id;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_inst *by = inst->op == IR_INPUT && inst->id < known && inst->nsrc == 0
                                     ? other_input(shader, state, inst)
                                     : NULL;
            if (by)
                ir_replace(inst, by);
            changed |= by != NULL;
        }
    }
    if (changed)
        ir_resolve(shader);
    for (uint32_t i = 0; state->flat_shade && i < shader->inputs.count; i++)
        if (is_color(shader->inputs.sym[i].name))
            shader->inputs.sym[i].interp = IR_FLAT;
}
