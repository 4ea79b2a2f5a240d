/* algebraic: the same values from fewer or cheaper operations.
 *
 * requires: any IR.
 * keeps:    the CFG, every effect; values to the bit, except where noted below.
 * breaks:   nothing; leaves dead code. A rule's result is looked at again in the pass's next run.
 *
 * The machine has no NaN, and zero times anything is zero, so x * 0 and x - x are 0. The sign of zero has no
 * meaning. Rules marked "rounding" change the last place: constants are combined (not in `exact`
 * instructions, and never the constant of lower_math's floor), quotients by constants become products, and
 * pairs of functions cancel. A rule looks only at an operation and its operands, never at the rest of the
 * shader. No rule replaces an operation that lower_math leaves alone by one that it would expand. */
#include "passes/algebraic.h"
#include "passes/passes.h"

static struct ir_inst *same_phi(struct ir_inst *phi) {
    struct ir_inst *only = NULL;
    for (uint32_t k = 0; k < phi->nsrc; k++) {
        struct ir_inst *source = alg_source(phi, k);
        if (source == phi || source == only)
            continue;
        if (only)
            return NULL;
        only = source;
    }
    return only;
}

/* What was never written is zero to arithmetic, either arm to a choice. */
static struct ir_inst *of_undefined(struct ir_builder *b, struct ir_inst *inst) {
    bool found = false;
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        struct ir_inst *x = alg_source(inst, k);
        if (x->op != IR_UNDEF)
            continue;
        if (inst->op == IR_SELECT)
            return alg_source(inst, k == 1 ? 2 : 1);
        inst->src[k] = ir_const(b, (enum ir_type)x->type, 0);
        found = true;
    }
    return found ? inst : NULL;
}

/* Operands that a rule for sums and differences, or one for products, is about: of a pair of others there is
 * none. */
enum { IN_SUM = 1, IN_PRODUCT = 2 };
static const uint8_t has_rule[IR_OP_COUNT] = {
    [IR_CONST] = IN_SUM | IN_PRODUCT,
    [IR_UNDEF] = IN_SUM | IN_PRODUCT,
    [IR_FNEG] = IN_SUM | IN_PRODUCT,
    [IR_FSUB] = IN_SUM,
    [IR_SELECT] = IN_SUM,
    [IR_FMIN] = IN_SUM,
    [IR_FMAX] = IN_SUM,
    [IR_B2F] = IN_PRODUCT,
    [IR_FABS] = IN_PRODUCT,
};

/* Is it one that no rule is about, by a short look? */
static bool is_settled(const struct ir_inst *inst) {
    if (inst->nsrc == 0)
        return true;
    if (inst->op != IR_FADD && inst->op != IR_FSUB && inst->op != IR_FMUL)
        return inst->op != IR_PHI && !ir_ops[inst->op].pure;
    const struct ir_inst *x = alg_source(inst, 0), *y = alg_source(inst, 1);
    return !((has_rule[x->op] | has_rule[y->op]) & (inst->op == IR_FMUL ? IN_PRODUCT : IN_SUM)) &&
           !(inst->op == IR_FSUB && x == y);
}

/* `undefined`: there is something that was never written. */
static struct ir_inst *simpler(struct ir_inst *inst, bool precise, bool undefined, bool *changed) {
    if (inst->op == IR_PHI)
        return same_phi(inst);
    struct ir_builder b = ir_builder_before(inst);
    struct ir_inst *whole = undefined ? of_undefined(&b, inst) : NULL;
    if (whole && whole != inst)
        return whole;
    *changed |= whole != NULL;
    struct ir_inst *by = NULL;
    if (inst->type == IR_F32)
        by = algebraic_float(&b, inst, precise);
    else if (inst->type == IR_I32)
        by = algebraic_int(&b, inst);
    if (!by && (inst->type == IR_BOOL || inst->op == IR_SELECT))
        by = algebraic_bool(&b, inst);
    return by;
}

bool pass_algebraic(struct ir_shader *shader, const struct pass_options *options) {
    bool changed = false, precise = options->policy == QPUCC_POLICY_PRECISE;
    bool undefined = ir_has(shader, IR_UNDEF);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_inst *by = is_settled(inst) ? NULL : simpler(inst, precise, undefined, &changed);
            if (by && by != inst) {
                ir_replace(inst, by);
                changed = true;
            }
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
