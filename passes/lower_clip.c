/* User clip planes, with the hardware's clipper unaware of them; a part of lower_stage.
 *
 * requires: a shader before lower_stage, with OUTPUTs and DISCARDs in the block with END.
 * keeps:    control flow; a shader whose key enables no plane.
 * breaks:   nothing: what is added is of the same form, an input or an output gl_ClipDistance.
 *
 * The hardware clips at the view volume only. So the distance from each plane travels as a varying, and the
 * fragment shader drops pixels where it is negative: the same pixels as if the primitive had been cut,
 * because a distance is linear where positions are. It is what the vertex shader writes to gl_ClipDistance;
 * else the plane's equation, whose coefficients belong to the draw, of gl_ClipVertex, or else of gl_Position.
 * Both stages agree on the name, as on any varying. */
#include "passes/lower_stage.h"

#include <string.h>

static const struct ir_symbol *find(const struct ir_symtab *table, const char *name) {
    for (uint32_t i = 0; i < table->count; i++)
        if (table->sym[i].name && strcmp(table->sym[i].name, name) == 0)
            return &table->sym[i];
    return NULL;
}

/* First word of gl_ClipDistance, which is added where the shader does not have it. */
static uint32_t distances(struct ir_shader *shader, struct ir_symtab *table) {
    const struct ir_symbol *known = find(table, LOWER_CLIP_DISTANCE);
    if (known)
        return known->word;
    struct ir_symbol *symbol = ir_add_symbol(shader, table, LOWER_CLIP_DISTANCE);
    symbol->base = IR_BASE_FLOAT;
    symbol->rows = symbol->cols = 1;
    symbol->is_array = true;
    symbol->array_len = QPUCC_MAX_CLIP_PLANES;
    table->words += QPUCC_MAX_CLIP_PLANES;
    return symbol->word;
}

static struct ir_inst *find_end(const struct ir_shader *shader) {
    ir_for_blocks(shader, block) {
        if (block->last && block->last->op == IR_END)
            return block->last;
    }
    return NULL;
}

static void clip_fragment(struct ir_shader *shader, unsigned planes, struct ir_inst *end) {
    const struct ir_symbol *known = find(&shader->inputs, LOWER_CLIP_DISTANCE);
    uint32_t elements = known ? ir_symbol_words(known) : QPUCC_MAX_CLIP_PLANES;
    uint32_t first = distances(shader, &shader->inputs);
    struct ir_builder b = ir_builder_before(end);
    b.precision = IR_HIGHP;
    for (uint32_t plane = 0; plane < elements; plane++) {
        if (!(planes >> plane & 1))
            continue;
        struct ir_inst *distance = ir_emit(&b, IR_INPUT, IR_F32, 0, NULL, first + plane, 0);
        struct ir_inst *beyond = ir_op2(&b, IR_FLT, distance, ir_const_f(&b, 0.0f));
        ir_emit(&b, IR_DISCARD, IR_VOID, 1, &beyond, 0, 0);
    }
}

/* The last value of each component of a vec4 output; what is never written is 0. */
static void last_values(struct ir_builder *b, const struct ir_symbol *symbol, struct ir_inst *value[4]) {
    for (uint32_t k = 0; k < 4; k++)
        value[k] = NULL;
    ir_for_insts(b->block, inst) {
        if (inst->op == IR_OUTPUT && inst->imm - symbol->word < 4 && inst->src[0]->type == IR_F32)
            value[inst->imm - symbol->word] = inst->src[0];
    }
    for (uint32_t k = 0; k < 4; k++)
        value[k] = value[k] ? value[k] : ir_const_f(b, 0.0f);
}

static void clip_vertex(struct ir_shader *shader, unsigned planes, struct ir_inst *end) {
    const struct ir_symbol *from = find(&shader->outputs, "gl_ClipVertex");
    struct ir_builder b = ir_builder_before(end);
    struct ir_inst *value[4];
    from = from ? from : find(&shader->outputs, "gl_Position");
    if (!from || find(&shader->outputs, LOWER_CLIP_DISTANCE))
        return;
    b.precision = IR_HIGHP;
    b.exact = false;
    last_values(&b, from, value);
    uint32_t first = distances(shader, &shader->outputs);
    for (uint32_t plane = 0; plane < QPUCC_MAX_CLIP_PLANES; plane++) {
        struct ir_inst *sum = NULL;
        if (!(planes >> plane & 1))
            continue;
        for (uint32_t k = 0; k < 4; k++) {
            enum ir_state state = (enum ir_state)(IR_STATE_CLIP_0_X + 4 * plane + k);
            struct ir_inst *product = ir_op2(&b, IR_FMUL, value[k], lower_stage_state(&b, state));
            sum = sum ? ir_op2(&b, IR_FADD, sum, product) : product;
        }
        ir_emit(&b, IR_OUTPUT, IR_VOID, 1, &sum, first + plane, 0);
    }
}

void lower_clip(struct ir_shader *shader, const struct qpucc_state *state) {
    struct ir_inst *end = state->clip_planes ? find_end(shader) : NULL;
    if (end && shader->stage == QPUCC_FRAGMENT)
        clip_fragment(shader, state->clip_planes, end);
    else if (end)
        clip_vertex(shader, state->clip_planes, end);
}
