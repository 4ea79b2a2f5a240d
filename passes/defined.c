/* defined: arithmetic that GLSL leaves undefined gets results that no unmeasured property of the chip
 *          decides.
 *
 * requires: SSA, before lower_stage; constant exponents are known.
 * keeps:    the CFG; every value that GLSL defines.
 * breaks:   nothing.
 *
 *     pow(x, y)           x below 0 counts as 0; for a constant whole y the value is the products': |x|^y, or
 *                         x |x|^(y - 1) where y is odd, unless lower_math makes products of it
 *     sqrt(x), log2(x)    x below 0 counts as 0
 *     inversesqrt(x)      0 where x is below 0
 *     mod(x, y)           0 where y is 0
 *     clamp(x / y, 0, 1)  0 counts as 2^-100 in y: smoothstep with equal edges is a step
 *     a constant NaN      0 as a number
 *
 * Elsewhere the hardware would decide with what it makes of NaN patterns, of which nothing is measured
 * (docs/assumptions.md). These are the results that other GPUs draw, whose NaN ends as 0 in a colour. What
 * cannot leave the function's domain, by its range, pays nothing. ir_eval computes the same of constants and
 * per draw. -ffast-math leaves it all to the hardware. */
#include "passes/algebraic.h"
#include "passes/lower_math.h"
#include "passes/passes.h"

#include <math.h>

static bool may_be_negative(val x) {
    return float_range(x).lo < 0;
}

static val at_least_zero(struct ir_builder *b, val x) {
    return may_be_negative(x) ? ir_op2(b, IR_FMAX, x, flt(b, 0.0f)) : x;
}

static val power(struct ir_builder *b, val x, val y) {
    if (!may_be_negative(x))
        return NULL;
    if (!ir_is_const(y) || !lower_is_whole(ir_float(y)))
        return ir_op2(b, IR_FPOW, at_least_zero(b, x), y);
    float n = ir_float(y);
    if (n == 0.0f || lower_is_product(n))
        return NULL;
    bool odd = fmodf(n, 2.0f) != 0.0f;
    val size = absolute(b, x), even = ir_op2(b, IR_FPOW, size, odd ? flt(b, n - 1.0f) : y);
    return odd ? mul(b, x, even) : even;
}

static bool may_be_zero(val x) {
    struct float_range r = float_range(x);
    return r.lo <= 0 && r.hi >= 0;
}

/* A quotient kept in 0..1 is a place between two edges: smoothstep's, or a line's. */
static val place(struct ir_builder *b, val quotient) {
    if (quotient->op != IR_FDIV || !may_be_zero(alg_source(quotient, 1)))
        return NULL;
    val x = alg_source(quotient, 0), span = alg_source(quotient, 1), zero = flt(b, 0.0f),
        least = flt(b, 0x1p-100f);
    span = pick(b, ir_op2(b, IR_FEQ, span, zero), least, span);
    return ir_op1(b, IR_FSAT, ir_op2(b, IR_FDIV, x, span));
}

static val defined(struct ir_builder *b, const struct ir_inst *inst, val x, val y) {
    val zero, r;
    switch (inst->op) {
    case IR_FPOW: return power(b, x, y);
    case IR_FSQRT:
    case IR_FLOG2: return may_be_negative(x) ? ir_op1(b, (enum ir_op)inst->op, at_least_zero(b, x)) : NULL;
    case IR_FRSQ:
        if (!may_be_negative(x))
            return NULL;
        zero = flt(b, 0.0f), r = ir_op1(b, IR_FRSQ, x);
        return pick(b, ir_op2(b, IR_FLT, x, zero), zero, r);
    case IR_FMOD:
        if (!may_be_zero(y))
            return NULL;
        zero = flt(b, 0.0f), r = ir_op2(b, IR_FMOD, x, y);
        return pick(b, ir_op2(b, IR_FEQ, y, zero), zero, r);
    case IR_FSAT: return place(b, x);
    default: return NULL;
    }
}

/* Constants of such patterns that are read as numbers; elsewhere they may be the bits of whole numbers.
 * True if there was one. */
static bool clear_nan(struct ir_builder *b, struct ir_inst *inst) {
    const enum ir_class cls = ir_op_info(inst->op)->cls;
    bool changed = false;
    for (uint32_t k = 0; k < inst->nsrc && (cls == IR_CLASS_FLOAT || cls == IR_CLASS_FUNCTION); k++) {
        const struct ir_inst *x = ir_value(inst->src[k]);
        if (!ir_is_const(x) || x->type != IR_F32 || !isnan(ir_float(x)))
            continue;
        inst->src[k] = flt(b, 0.0f);
        changed = true;
    }
    return changed;
}

bool pass_defined(struct ir_shader *shader, const struct pass_options *options) {
    if (options->policy == QPUCC_POLICY_FAST)
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_builder b = ir_builder_before(inst);
            val by = NULL;
            if (!options->watch) /* which speaks in such patterns */
                changed |= clear_nan(&b, inst);
            if (inst->nsrc && inst->op != IR_PHI)
                by = defined(&b, inst, alg_source(inst, 0), inst->nsrc > 1 ? alg_source(inst, 1) : NULL);
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
