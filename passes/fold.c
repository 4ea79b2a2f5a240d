/* fold: operations on constants become constants.
 *
 * requires: any IR.
 * keeps:    the CFG (a branch on a constant is the cfg pass's business), every effect.
 * breaks:   nothing.
 *
 * Constants are computed in IEEE single precision, which GLSL ES allows to be better than the machine; raw
 * SFU operations stay, so that vertex and coordinate shader, or two variants, never disagree about them. A
 * phi whose sources are all one constant is that constant. */
#include "passes/eval.h"
#include "passes/passes.h"

static struct ir_inst *folded(struct ir_inst *inst) {
    if (inst->nsrc == 0 || inst->nsrc > 4)
        return NULL;
    uint32_t s[4], bits;
    for (uint32_t i = 0; i < inst->nsrc; i++) {
        struct ir_inst *source = ir_value(inst->src[i]);
        if (!ir_is_const(source))
            return NULL;
        s[i] = source->imm;
    }
    if (!ir_eval((enum ir_op)inst->op, inst->imm, s, inst->nsrc, &bits))
        return NULL;
    struct ir_builder b = ir_builder_before(inst);
    return ir_const(&b, (enum ir_type)inst->type, bits);
}

static struct ir_inst *folded_phi(struct ir_inst *phi) {
    struct ir_inst *first = phi->nsrc ? ir_value(phi->src[0]) : NULL;
    if (!first || !ir_is_const(first))
        return NULL;
    for (uint32_t i = 1; i < phi->nsrc; i++) {
        struct ir_inst *source = ir_value(phi->src[i]);
        if (!ir_is_const(source) || source->imm != first->imm)
            return NULL;
    }
    struct ir_inst *after = phi;
    while (after && after->op == IR_PHI)
        after = after->next;
    if (!after)
        return NULL;
    struct ir_builder b = ir_builder_before(after);
    return ir_const(&b, (enum ir_type)phi->type, first->imm);
}

bool pass_fold(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_inst *by = inst->op == IR_PHI ? folded_phi(inst) : folded(inst);
            if (by) {
                ir_replace(inst, by);
                changed = true;
            }
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
