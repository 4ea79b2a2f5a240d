/* negate: moves a negation that costs an operation to a place where it costs none.
 *
 * requires: accurate use counts, so after dce.
 * keeps:    the CFG; `exact` instructions; values to the bit, except for the sign of a zero, because rounding
 *           toward zero treats both signs alike.
 * breaks:   nothing; leaves dead code.
 *
 *     -(a - b)  →  b - a          -(a + b)  →  -a - b          -(a b)  →  (-a) b
 *
 * Of a sum or a product, one operand `a` has to be free to negate: a constant; a uniform, whose negation the
 * host computes; a negation, which disappears; a difference, whose operands swap; or again a sum or a product
 * with such an operand. Differences, sums and products must have no other use, or they would be computed
 * twice. */
#include "passes/passes.h"

struct negation {
    struct ir_shader *shader;
    const uint32_t *uses;
    uint32_t size;            /* of uses[], which has none of the instructions that the pass makes */
    bool uniform_expressions; /* the host may compute them */
};

/* `x` can be negated without another operation. `depth` limits how far the rewrite goes. */
static bool negates_free(const struct negation *s, const struct ir_inst *x, unsigned depth) {
    if (x->op == IR_CONST || x->op == IR_FNEG)
        return true;
    if (x->op == IR_UNIFORM)
        return s->uniform_expressions;
    if (x->exact || x->id >= s->size || s->uses[x->id] != 1 || depth == 0)
        return false;
    if (x->op == IR_FSUB)
        return true;
    return (x->op == IR_FADD || x->op == IR_FMUL) && (negates_free(s, ir_value(x->src[0]), depth - 1) ||
                                                      negates_free(s, ir_value(x->src[1]), depth - 1));
}

/* -x, of an x that is free to negate. */
static struct ir_inst *negated(const struct negation *s, struct ir_inst *x, unsigned depth) {
    struct ir_builder b = ir_builder_before(x);
    if (x->op == IR_FNEG)
        return ir_value(x->src[0]);
    if (x->op == IR_CONST)
        return ir_const_f(&b, -ir_float(x));
    if (x->op == IR_UNIFORM) {
        struct ir_slot minus = {
            .kind = IR_SLOT_EXPR, .op = IR_FNEG, .type = IR_F32, .narg = 1, .arg = {x->imm}};
        return ir_uniform(&b, IR_F32, ir_slot(s->shader, minus));
    }
    struct ir_inst *p = ir_value(x->src[0]), *q = ir_value(x->src[1]);
    if (x->op == IR_FSUB)
        return ir_op2(&b, IR_FSUB, q, p);
    if (!negates_free(s, p, depth - 1)) {
        struct ir_inst *swap = p;
        p = q, q = swap;
    }
    return ir_op2(&b, x->op == IR_FADD ? IR_FSUB : IR_FMUL, negated(s, p, depth - 1), q);
}

bool pass_negate(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || !ir_has(shader, IR_FNEG))
        return false;
    struct negation s = {shader, ir_facts(shader)->uses, shader->next_id, !options->no_uniform_expressions};
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_inst *x = inst->op == IR_FNEG ? ir_value(inst->src[0]) : NULL;
            if (!x || inst->exact || x->op == IR_CONST || x->op == IR_UNIFORM || !negates_free(&s, x, 16))
                continue;
            ir_replace(inst, negated(&s, x, 16));
            changed = true;
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
