/* Texture coordinates in the form that the texture units expect; a part of lower_stage, which runs once.
 *
 * A cube map's direction is divided by its major axis here, because the unit expects the largest coordinate
 * to be 1 or
 * -1 (docs/hardware.md, Textures). Outside fragment shaders derivatives have no meaning, so lookups there
 * name their level: the base level, unless the shader gives another (guide section 4, BSLOD). */
#include "passes/lower_stage.h"

static void divide_by_major_axis(struct ir_builder *b, struct ir_inst *tex) {
    struct ir_inst *major =
        ir_op2(b, IR_FMAXABS, ir_op2(b, IR_FMAXABS, tex->src[0], tex->src[1]), tex->src[2]);
    struct ir_inst *scale = ir_op1(b, IR_FRCP, major);
    for (int k = 0; k < 3; k++)
        tex->src[k] = ir_op2(b, IR_FMUL, tex->src[k], scale);
}

static struct ir_inst *with_level(struct ir_builder *b, struct ir_inst *tex) {
    uint32_t coords = (tex->aux & IR_TEX_KIND) == IR_TEX_CUBE ? 3 : 2;
    struct ir_inst *src[4] = {NULL};
    for (uint32_t k = 0; k < coords; k++)
        src[k] = tex->src[k];
    src[coords] = tex->aux & IR_TEX_LOD ? tex->src[coords] : ir_const_f(b, 0);
    uint32_t flags = (tex->aux & ~(uint32_t)IR_TEX_BIAS) | IR_TEX_LOD;
    return ir_emit(b, IR_TEX, IR_I32, coords + 1, src, tex->imm, flags);
}

void lower_tex(struct ir_shader *shader) {
    ir_for_blocks(shader, block) {
        ir_for_insts(block, tex) {
            if (tex->op != IR_TEX)
                continue;
            struct ir_builder b = ir_builder_before(tex);
            for (uint32_t k = 0; k < tex->nsrc; k++)
                tex->src[k] = ir_value(tex->src[k]);
            if ((tex->aux & IR_TEX_KIND) == IR_TEX_CUBE)
                divide_by_major_axis(&b, tex);
            if (shader->stage != QPUCC_FRAGMENT && !(tex->aux & IR_TEX_LOD))
                ir_replace(tex, with_level(&b, tex));
        }
    }
    ir_resolve(shader);
}
