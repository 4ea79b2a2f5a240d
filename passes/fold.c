/* fold: operations on constants become constants.
 *
 * requires: any IR.
 * keeps:    the CFG (a branch on a constant is the cfg pass's business), every effect.
 * breaks:   nothing.
 *
 * Constants are computed in IEEE single precision, which GLSL ES allows to be better than the machine; raw
 * SFU operations stay, so that vertex and coordinate shader, or two variants, never disagree about them. A
 * phi whose sources are all one constant is that constant. Run-time indices into uniforms and inputs that turn
 * out constant become plain reads. */
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

/* A constant index makes a run-time indexed uniform or input a plain one. */
static struct ir_inst *indexed(struct ir_inst *inst) {
    if ((inst->op != IR_UNIFORM_AT && inst->op != IR_INPUT) || inst->nsrc != 1)
        return NULL;
    struct ir_inst *index = ir_value(inst->src[0]);
    if (!ir_is_const(index))
        return NULL;
    struct ir_builder b = ir_builder_before(inst);
    struct ir_shader *shader = b.shader;
    int32_t at = (int32_t)index->imm;
    if (inst->op == IR_UNIFORM_AT) {
        int32_t last = (int32_t)inst->aux - 1;
        struct ir_slot slot = {.kind = IR_SLOT_UNIFORM, .type = inst->type};
        slot.value = inst->imm + (uint32_t)(at < 0 ? 0 : at > last ? last : at);
        return ir_uniform(&b, (enum ir_type)inst->type, ir_slot(shader, slot));
    }
    const struct ir_symbol *symbol = ir_symbol_of_word(&shader->inputs, inst->imm);
    uint32_t end = symbol ? symbol->word + ir_symbol_words(symbol) : shader->inputs.words;
    uint32_t word = at < 0 ? inst->imm : (uint32_t)at < end - inst->imm ? inst->imm + (uint32_t)at : end - 1;
    return ir_emit(&b, IR_INPUT, (enum ir_type)inst->type, 0, NULL, word, 0);
}

/* uniform_at u[n + size], constant -> uniform; input n, constant -> input. */
static struct ir_inst *folded_index(struct ir_inst *inst) {
    struct ir_inst *source = inst->nsrc == 1 ? ir_value(inst->src[0]) : NULL;
    if (!source || !ir_is_const(source))
        return NULL;
    int32_t index = (int32_t)source->imm;
    struct ir_builder b = ir_builder_before(inst);
    if (inst->op == IR_INPUT) {
        if (index < 0 || (uint32_t)index >= b.shader->inputs.words - inst->imm)
            return NULL;
        return ir_emit(&b, IR_INPUT, (enum ir_type)inst->type, 0, NULL, inst->imm + (uint32_t)index, inst->aux);
    }
    uint32_t last = inst->aux ? inst->aux - 1 : 0;
    uint32_t at = index < 0 ? 0 : (uint32_t)index > last ? last : (uint32_t)index;
    struct ir_slot slot = {.kind = IR_SLOT_UNIFORM, .type = inst->type, .value = inst->imm + at};
    return ir_uniform(&b, (enum ir_type)inst->type, ir_slot(b.shader, slot));
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
            struct ir_inst *by = inst->op == IR_PHI ? folded_phi(inst)
                                 : inst->op == IR_UNIFORM_AT || inst->op == IR_INPUT ? folded_index(inst)
                                                                                     : folded(inst);
            if (!by)
                by = indexed(inst);
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
