/* predicate_add: an added boolean becomes an addition of 1 under its condition.
 *
 * requires: accurate use counts, so after dce; after if-conversion, and after what gathers sums.
 * keeps:    the CFG; every value to the bit (x + 0 is x).
 * breaks:   nothing; leaves dead code.
 *
 *     x + float(c)  →  select(c, x + 1, x)        x - float(c)  →  select(c, x - 1, x)
 *
 * The sum is executed under the condition, which is one operation. The truth as a number is another one, and
 * its zero a third. Where several things read that number it stays. */
#include "passes/algebraic.h"
#include "passes/passes.h"

/* A truth of this block that nothing else reads as a number, beside something that is not known. */
static bool counts(const struct ir_inst *sum, uint32_t k, const uint32_t *uses, uint32_t size) {
    const struct ir_inst *x = alg_source(sum, k), *other = alg_source(sum, 1 - k);
    return x->op == IR_B2F && x->id < size && uses[x->id] == 1 && !ir_is_const(other) &&
           other->op != IR_UNIFORM && alg_source(x, 0)->block == sum->block;
}

/* Which operand of a sum or difference counts; of two the comparison, whose flags are its own. 2: none. */
static uint32_t truth(const struct ir_inst *sum, const uint32_t *uses, uint32_t size) {
    uint32_t best = 2;
    for (uint32_t k = sum->op == IR_FSUB; k < 2; k++) {
        if (counts(sum, k, uses, size) &&
            (best == 2 || ir_op_info(alg_source(alg_source(sum, k), 0)->op)->cls == IR_CLASS_COMPARE))
            best = k;
    }
    return best;
}

bool pass_predicate_add(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || options->lean || !ir_has(shader, IR_B2F))
        return false;
    const uint32_t *uses = ir_facts(shader)->uses;
    uint32_t size = shader->next_id;
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            uint32_t at = inst->op == IR_FADD || inst->op == IR_FSUB ? truth(inst, uses, size) : 2;
            if (at == 2)
                continue;
            struct ir_builder b = ir_builder_before(inst);
            struct ir_inst *condition = alg_source(alg_source(inst, at), 0), *x = alg_source(inst, 1 - at);
            struct ir_inst *next = ir_op2(&b, (enum ir_op)inst->op, x, ir_const_f(&b, 1.0f));
            ir_replace(inst, ir_op3(&b, IR_SELECT, condition, next, x));
            changed = true;
        }
    }
    if (changed)
        ir_resolve(shader);
    return changed;
}
