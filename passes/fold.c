/* fold: operations on constants become constants.
 *
 * requires: any IR.
 * keeps:    the CFG (a branch on a constant is the cfg pass's business), every effect.
 * breaks:   nothing.
 *
 * Constants are computed in IEEE single precision; GLSL ES allows them to be more accurate than the machine.
 * Raw SFU operations stay, so that vertex and coordinate shader, or two variants, never disagree about them.
 * What GLSL leaves undefined stays before lower_stage: the warnings about it come after the generic passes.
 * A phi whose sources are all one constant becomes that constant. Run-time indices into uniforms and inputs
 * that prove constant become plain reads. */
#include "passes/eval.h"
#include "passes/passes.h"

/* This and the next two: of an instruction whose first source is a constant. */
static struct ir_inst *folded(struct ir_inst *inst, bool lowered) {
    if (inst->nsrc > 4)
        return NULL;
    uint32_t s[4], bits;
    for (uint32_t i = 0; i < inst->nsrc; i++) {
        struct ir_inst *source = ir_value(inst->src[i]);
        if (!ir_is_const(source))
            return NULL;
        s[i] = source->imm;
    }
    if (!lowered && ir_eval_undefined((enum ir_op)inst->op, s))
        return NULL;
    if (!ir_eval((enum ir_op)inst->op, inst->imm, s, inst->nsrc, &bits))
        return NULL;
    struct ir_builder b = ir_builder_before(inst);
    return ir_const(&b, (enum ir_type)inst->type, bits);
}

/* uniform_at u[n + size], constant -> uniform; input n, constant -> input. What is out of range ends at the
 * object's first or last word, as it does at run time (ir/ops.def). */
static struct ir_inst *folded_index(struct ir_inst *inst) {
    struct ir_inst *source = ir_value(inst->src[0]);
    struct ir_builder b = ir_builder_before(inst);
    if (inst->op == IR_UNIFORM_AT) {
        struct ir_slot slot = {.kind = IR_SLOT_UNIFORM, .type = inst->type};
        slot.value = inst->imm + ir_uniform_at_index(source->imm, inst->aux);
        return ir_uniform(&b, (enum ir_type)inst->type, ir_slot(b.shader, slot));
    }
    const struct ir_symbol *symbol = ir_symbol_of_word(&b.shader->inputs, inst->imm);
    uint32_t end = symbol ? symbol->word + ir_symbol_words(symbol) : b.shader->inputs.words, at = source->imm;
    uint32_t word = (int32_t)at < 0 ? inst->imm : at < end - inst->imm ? inst->imm + at : end - 1;
    return ir_emit(&b, IR_INPUT, (enum ir_type)inst->type, 0, NULL, word, inst->aux);
}

static struct ir_inst *folded_phi(struct ir_inst *phi) {
    struct ir_inst *first = ir_value(phi->src[0]);
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
            if (inst->nsrc == 0 || !ir_is_const(ir_value(inst->src[0]))) /* most of them */
                continue;
            struct ir_inst *by = inst->op == IR_PHI ? folded_phi(inst)
                                 : inst->op == IR_UNIFORM_AT || inst->op == IR_INPUT
                                     ? folded_index(inst)
                                     : folded(inst, shader->lowered);
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
