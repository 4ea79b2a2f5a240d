/* negate: moves a sign that costs an operation to a place where it costs none.
 *
 * requires: accurate use counts, so after dce.
 * keeps:    the CFG; values to the bit except for the sign of a zero, because rounding is toward zero;
 *           `exact` instructions.
 * breaks:   nothing; leaves dead code.
 *
 *     -(a - b)  →  b - a          -(a + b)  →  -a - b          -(a b)  →  (-a) b
 *
 * as long as -a is a difference with its operands swapped, a constant, a word of the stream, or again one of
 * these forms, and nothing else reads it. */
#include "passes/passes.h"

struct signs {
    struct ir_shader *shader;
    const uint32_t *uses;
    uint32_t size; /* of uses[] */
    bool expressions;
};

static bool is_free(const struct signs *s, const struct ir_inst *x, unsigned depth) {
    if (x->op == IR_CONST || x->op == IR_FNEG)
        return true;
    if (x->op == IR_UNIFORM)
        return s->expressions;
    if (x->exact || x->id >= s->size || s->uses[x->id] != 1 || depth == 0)
        return false;
    if (x->op == IR_FSUB)
        return true;
    return (x->op == IR_FADD || x->op == IR_FMUL) &&
           (is_free(s, ir_value(x->src[0]), depth - 1) || is_free(s, ir_value(x->src[1]), depth - 1));
}

static struct ir_inst *negated(const struct signs *s, struct ir_inst *x, unsigned depth) {
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
    if (!is_free(s, p, depth - 1)) {
        struct ir_inst *t = p;
        p = q, q = t;
    }
    return ir_op2(&b, x->op == IR_FADD ? IR_FSUB : IR_FMUL, negated(s, p, depth - 1), q);
}

bool pass_negate(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || !ir_has(shader, IR_FNEG))
        return false;
    struct signs s = {shader, ir_facts(shader)->uses, shader->next_id, !options->no_uniform_expressions};
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_inst *x = inst->op == IR_FNEG ? ir_value(inst->src[0]) : NULL;
            if (!x || inst->exact || x->op == IR_CONST || x->op == IR_UNIFORM || !is_free(&s, x, 16))
                continue;
            ir_replace(inst, negated(&s, x, 16));
            changed = true;
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
