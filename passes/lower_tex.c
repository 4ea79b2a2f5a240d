/* Lookups in the form that the texture units expect, and what they deliver as channels; a part of
 * lower_stage, which runs once.
 *
 * requires: SSA, lower_stage not yet done.
 * keeps:    control flow; a lookup that the unit's state asks nothing of.
 * breaks:   TEXEL and SHADOW are gone.
 *
 * A cube map's direction is divided by its major axis here, because the unit expects the largest coordinate
 * to be 1 or -1 (docs/hardware.md, Textures). Outside fragment shaders derivatives have no meaning, so
 * lookups there name their level: the base level, unless the shader gives another (guide section 4, BSLOD),
 * as do all lookups of a unit that has but one.
 * The border's colour goes with each lookup, in the coordinate that cube maps need. */
#include "passes/lower_tex.h"

struct lookups {
    struct ir_shader *shader;
    const struct qpucc_state *state;
    struct lower_texel *texel; /* by the TEX's id */
    uint32_t known;            /* ids that were there before */
};

/* IR from elsewhere may number its samplers as it likes. */
static const struct qpucc_texture_state *state_of(const struct lookups *l, uint32_t unit) {
    static const struct qpucc_texture_state plain;
    return unit < QPUCC_MAX_TEXTURES ? &l->state->texture[unit] : &plain;
}

static bool is_cube(const struct ir_inst *tex) {
    return (tex->aux & IR_TEX_KIND) == IR_TEX_CUBE;
}

static void divide_by_major_axis(struct ir_builder *b, struct ir_inst *tex) {
    struct ir_inst *major =
        ir_op2(b, IR_FMAXABS, ir_op2(b, IR_FMAXABS, tex->src[0], tex->src[1]), tex->src[2]);
    struct ir_inst *scale = ir_op1(b, IR_FRCP, major);
    for (int k = 0; k < 3; k++)
        tex->src[k] = ir_op2(b, IR_FMUL, tex->src[k], scale);
}

/* Texels in a row or a column, from set-up word 1 (guide section 4, table 16): 11 bits, 0 is 2048. */
static struct ir_inst *size(struct ir_builder *b, uint32_t unit, bool height) {
    struct ir_slot slot = {.kind = IR_SLOT_TEX, .type = IR_I32, .value = unit, .param = 1};
    struct ir_inst *word = ir_uniform(b, IR_I32, ir_slot(b->shader, slot)), *one = ir_const_i(b, 1);
    word = ir_op2(b, IR_USHR, word, ir_const_i(b, height ? 20 : 8));
    struct ir_inst *mask = ir_const_i(b, 0x7ff);
    word = ir_op2(b, IR_IAND, ir_op2(b, IR_ISUB, word, one), mask);
    return ir_op1(b, IR_I2F, ir_op2(b, IR_IADD, word, one));
}

static void normalise(struct ir_builder *b, struct ir_inst *tex) {
    for (int k = 0; k < 2; k++) {
        struct ir_inst *texels = size(b, tex->imm, k);
        tex->src[k] = ir_op2(b, IR_FMUL, tex->src[k], ir_op1(b, IR_FRCP, texels));
    }
}

/* The same lookup in a unit, with all that its state and the stage ask for. */
static struct ir_inst *fetch(const struct lookups *l, struct ir_builder *b, const struct ir_inst *tex,
                             uint32_t unit) {
    uint32_t coordinates = is_cube(tex) ? 3 : 2, n = coordinates, flags = tex->aux;
    struct ir_inst *src[5] = {NULL};
    for (uint32_t k = 0; k < coordinates; k++)
        src[k] = tex->src[k];
    if (!is_cube(tex) && state_of(l, unit)->border) {
        src[n++] = lower_stage_state(b, (enum ir_state)(IR_STATE_BORDER_0 + unit));
        flags |= IR_TEX_BORDER;
    }
    uint8_t one = state_of(l, unit)->one_level;
    if (one || (l->shader->stage != QPUCC_FRAGMENT && !(flags & IR_TEX_LOD))) {
        src[n++] = ir_const_f(b, one ? (float)(one - 1) : 0);
        flags = (flags & ~(uint32_t)IR_TEX_BIAS) | IR_TEX_LOD;
    } else if (flags & (IR_TEX_LOD | IR_TEX_BIAS))
        src[n++] = tex->src[coordinates];
    return ir_emit(b, IR_TEX, IR_I32, n, src, unit, flags);
}

static void lower_lookup(const struct lookups *l, struct ir_inst *tex) {
    const struct qpucc_texture_state *state = state_of(l, tex->imm);
    struct lower_texel *texel = &l->texel[tex->id];
    struct ir_builder b = ir_builder_before(tex);
    bool cube = is_cube(tex), packed = state->yuv == QPUCC_YUV_YUYV || state->yuv == QPUCC_YUV_UYVY;
    for (uint32_t k = 0; k < tex->nsrc; k++)
        tex->src[k] = ir_value(tex->src[k]);
    if (cube)
        divide_by_major_axis(&b, tex);
    else if (state->rectangle)
        normalise(&b, tex);
    *texel = (struct lower_texel){.state = state, .plane = {tex}};
    if (packed && !cube)
        tex->src[0] = lower_yuv_packed(&b, tex->src[0], size(&b, tex->imm, false), &texel->odd);
    else if (packed)
        texel->odd = ir_const(&b, IR_BOOL, 0);
    for (unsigned k = 1; k < lower_yuv_planes(state); k++)
        texel->plane[k] = fetch(l, &b, tex, state->plane[k - 1]);
    bool level = state->one_level || (l->shader->stage != QPUCC_FRAGMENT && !(tex->aux & IR_TEX_LOD));
    if (level || (state->border && !cube)) {
        texel->plane[0] = fetch(l, &b, tex, tex->imm);
        ir_replace(tex, texel->plane[0]);
    }
}

/* A sample of a multisample texture is what the tile buffer had: no planes, whatever the key says. */
static void lower_sample(const struct lookups *l, struct ir_inst *lookup) {
    struct qpucc_texture_state *state = ir_alloc(l->shader->arena, sizeof *state);
    *state = *state_of(l, lookup->imm);
    state->yuv = QPUCC_YUV_NONE;
    l->texel[lookup->id] = (struct lower_texel){.state = state, .plane = {lookup}};
}

static struct ir_inst *channel(const struct lookups *l, struct ir_inst *inst) {
    struct ir_builder b = ir_builder_before(inst);
    return lower_texel_channel(&b, &l->texel[inst->src[0]->id], inst->imm);
}

static struct ir_inst *shadow(const struct lookups *l, struct ir_inst *inst) {
    struct ir_builder b = ir_builder_before(inst);
    struct ir_inst *depth = ir_value(inst->src[0]);
    return lower_shadow(&b, state_of(l, inst->imm), depth, ir_value(inst->src[1]));
}

void lower_tex(struct ir_shader *shader, const struct qpucc_state *state) {
    if (!ir_has(shader, IR_TEX) && !ir_has(shader, IR_SHADOW) && !ir_has(shader, IR_TEXEL))
        return;
    struct lookups l = {shader, state, ir_alloc(shader->arena, shader->next_id * sizeof *l.texel),
                        shader->next_id};
    if (ir_arena_oom(shader->arena))
        return;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_TEX && inst->id < l.known)
                lower_lookup(&l, inst);
            else if (inst->op == IR_BUFFER_AT)
                lower_sample(&l, inst);
        }
    }
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_TEXEL)
                ir_replace(inst, channel(&l, inst));
            else if (inst->op == IR_SHADOW)
                ir_replace(inst, shadow(&l, inst));
        }
    }
    ir_resolve(shader);
}
