/* lower_math: rewrites GLSL's arithmetic in the operations that this ALU has.
 *
 * requires: any IR, before or after SSA construction.
 * keeps:    control flow, interface, the CFG analyses.
 * breaks:   nothing. FNEG, FABS, INEG, ULT and UGE stay, and FSAT where both sides are clamped: selection has
 *           a form for them. Leaves repeated subexpressions (the reciprocal of a vector's divisor) for cse.
 *
 * Decided here, measured in docs/numerics.md:
 * - SFU results have about 13.4 good bits (docs/hardware.md, Special functions). A Newton step follows where
 *   lower_refines says so.
 * - A float addition rounds toward zero (docs/hardware.md, Arithmetic), so adding and subtracting 1.5 * 2^23
 *   is floor, and the negative of it ceil: two operations without a conversion. They are exact for |x| <
 *   2^22, off by less than one (and less than two units in the last place) above, and right again for
 *   infinities.
 * - A product with zero is +0 even if the other factor is infinite. So a Newton step does no harm at rcp(0) =
 *   inf, where inf * (2 - 0 * inf) = inf, and x * rsq(x) is right at zero. */
#include "passes/lower_math.h"
#include "passes/algebraic.h"
#include "passes/passes.h"

#include <math.h>
#include <string.h>

bool lower_refines(const struct ir_builder *b) {
    if (b->shader->stage == QPUCC_FRAGMENT)
        return b->precision == IR_HIGHP;
    return b->precision != IR_LOWP || b->exact;
}

/* r (c - x r). The difference rounds toward zero, so with c = 2 every seventh whole quotient would come out
 * low, some 4.0 / 2.0 with a floor() of 1 (all of them, were products cut off). A unit above 2 shifts the
 * error to the other side, whichever way products round. */
static val newton_rcp(struct ir_builder *b, val x, float c) {
    val r = ir_op1(b, IR_SFU_RCP, x);
    val product = mul(b, x, r);
    return mul(b, r, sub(b, flt(b, c), product));
}

val lower_rcp(struct ir_builder *b, val x) {
    return lower_refines(b) ? newton_rcp(b, x, 0x1.000002p+1f) : ir_op1(b, IR_SFU_RCP, x);
}

val lower_rcp_newton(struct ir_builder *b, val x) {
    return newton_rcp(b, x, 2.0f);
}

/* r (3/2 - x r r / 2): exact at powers of four, as products round to nearest. */
val lower_rsq(struct ir_builder *b, val x) {
    val r = ir_op1(b, IR_SFU_RSQ, x);
    if (!lower_refines(b))
        return r;
    /* x / 2 is ready before r is */
    val half = mul(b, mul(b, flt(b, 0.5f), x), r), square = mul(b, half, r);
    return mul(b, r, sub(b, flt(b, 1.5f), square));
}

/* The same step as a sum, root + root (1/2 - x r r / 2), an operation more. What is added is small, so its
 * roundings count for little, and a unit above 1/2 makes up for the sum's, which goes toward zero: roots of
 * squares do not fall short, so that their whole part is right, and those of powers of four are exact,
 * whichever way products round. At zero 0 * inf = 0 leaves 1/2. */
val lower_sqrt(struct ir_builder *b, val x) {
    val r = ir_op1(b, IR_SFU_RSQ, x);
    val root = mul(b, x, r);
    if (!lower_refines(b))
        return root;
    val product = mul(b, root, mul(b, r, flt(b, 0.5f)));
    return add(b, root, mul(b, root, sub(b, flt(b, 0x1.000002p-1f), product)));
}

/* 1/y rounded away from zero: whole multiples of y do not come out low. */
bool lower_constant_reciprocal(val y, float *r) {
    if (!ir_is_const(y))
        return false;
    float v = ir_float(y);
    if (v == 0.0f || !isfinite(v) || fabsf(v) < 0x1p-100f || fabsf(v) > 0x1p100f)
        return false;
    double exact = 1.0 / (double)v;
    float f = (float)exact;
    if (fabs((double)f) < fabs(exact))
        f = nextafterf(f, v > 0 ? INFINITY : -INFINITY);
    *r = f;
    return true;
}

val lower_div(struct ir_builder *b, val x, val y) {
    float r;
    if (lower_constant_reciprocal(y, &r))
        return mul(b, x, flt(b, r));
    val inverse = lower_rcp(b, y);
    if (ir_is_const(x) && ir_float(x) == 1.0f)
        return inverse;
    return mul(b, x, inverse);
}

/* Away from zero is the wrong side for a negative quotient, -2.0000002 of -6 and 3. Only mod pays for that:
 * what reads floor often reads fract of the same quotient, and the two must fit. */
val lower_whole_part(struct ir_builder *b, val quotient) {
    if (float_range(quotient).lo >= 0)
        return quotient;
    return ir_op2(b, IR_FMAX, quotient, mul(b, quotient, flt(b, 0x1.fffffp-1f)));
}

val lower_floor(struct ir_builder *b, val x) {
    val whole = flt(b, LOWER_WHOLE);
    return sub(b, add(b, x, whole), whole);
}

val lower_ceil(struct ir_builder *b, val x) {
    val whole = flt(b, LOWER_WHOLE);
    return add(b, sub(b, x, whole), whole);
}

val lower_trunc(struct ir_builder *b, val x) {
    val t = ir_op1(b, IR_I2F, ir_op1(b, IR_F2I, x));
    if (b->precision != IR_HIGHP)
        return t;
    /* f2i gives garbage from 2^31 on; from 2^23 on there is nothing to cut off. */
    val limit = flt(b, 0x1p23f);
    return pick(b, ir_op2(b, IR_FLT, absolute(b, x), limit), t, x);
}

/* The whole part of |x| + 1/2, less its last bit where that sum is whole: x is halfway, or the sum passed a
 * power of two and was cut off there, which is even. */
static val lower_round_even(struct ir_builder *b, val x) {
    val half = flt(b, 0.5f), size = absolute(b, x), sum = add(b, size, half);
    val up = ir_op1(b, IR_F2I, sum), halfway = ir_op2(b, IR_FEQ, ir_op1(b, IR_I2F, up), sum);
    val even = ir_op2(b, IR_IAND, up, num(b, 0xfffffffe));
    val whole = ir_op1(b, IR_FBITS, ir_op1(b, IR_I2F, pick(b, halfway, even, up)));
    val top = num(b, 0x80000000), sign = ir_op2(b, IR_IAND, ir_op1(b, IR_FBITS, x), top);
    val result = ir_op1(b, IR_IBITS, ir_op2(b, IR_IOR, whole, sign));
    if (b->precision != IR_HIGHP)
        return result;
    val limit = flt(b, 0x1p23f); /* as for lower_trunc */
    return pick(b, ir_op2(b, IR_FLT, size, limit), result, x);
}

/* x^n by squaring. */
static val whole_power(struct ir_builder *b, val x, int n) {
    val r = NULL, p = x;
    for (; n; n >>= 1) {
        if (n & 1)
            r = r ? mul(b, r, p) : p;
        if (n > 1)
            p = mul(b, p, p);
    }
    return r;
}

static int products_of(float n) {
    int products = -1;
    for (int m = (int)fabsf(n); m; m >>= 1)
        products += (m & 1) + (m > 1);
    return products;
}

bool lower_is_whole(float n) {
    return n == floorf(n);
}

bool lower_is_product(float n) {
    return lower_is_whole(n) && fabsf(n) < 32.0f && products_of(n) <= 6;
}

/* Products instead of a logarithm and a power: as fast up to four, better always. Of negative numbers only
 * they have a value. */
static bool takes_products(const struct ir_builder *b, val x, float n) {
    return lower_is_product(n) && (products_of(n) <= 4 || lower_refines(b) || float_range(x).lo < 0);
}

static val lower_log2(struct ir_builder *b, val x, bool precise) {
    return precise ? lower_log2_precise(b, x) : ir_op1(b, IR_SFU_LOG2, x);
}

static val lower_pow(struct ir_builder *b, val x, val y, bool precise) {
    if (ir_is_const(y)) {
        float n = ir_float(y);
        if (n == 0.0f)
            return flt(b, 1.0f);
        if (n == 0.5f)
            return lower_sqrt(b, x);
        if (n == -0.5f)
            return lower_rsq(b, x);
        if (n == 1.5f)
            return mul(b, x, lower_sqrt(b, x));
        if (takes_products(b, x, n)) {
            val p = whole_power(b, x, (int)fabsf(n));
            return n < 0 ? lower_rcp(b, p) : p;
        }
    }
    val exponent = mul(b, y, lower_log2(b, x, precise));
    return precise ? lower_exp2_precise(b, exponent) : ir_op1(b, IR_SFU_EXP2, exponent);
}

/* The raw function is 2^-15 high at 0, 1, 2 ... and as much low at -1, -2 ... Powers of two in whole numbers
 * are what shaders cut bits out of numbers with, so where the argument may be whole and precision asks for it
 * they come out exact: half a step of the table to the argument, the excess out of the result. exp() and the
 * like, with a constant factor in the argument, need no such thing. */
static val lower_exp2(struct ir_builder *b, val x, bool precise) {
    bool scaled = false;
    if (precise)
        return lower_exp2_precise(b, x);
    for (uint32_t k = 0; x->op == IR_FMUL && k < 2; k++)
        scaled |= ir_is_const(x->src[k]) && ir_float(x->src[k]) != floorf(ir_float(x->src[k]));
    if (!lower_refines(b) || scaled)
        return ir_op1(b, IR_SFU_EXP2, x);
    val r = ir_op1(b, IR_SFU_EXP2, add(b, x, flt(b, 0x1p-16f)));
    return mul(b, r, flt(b, 0x1.fffc02p-1f));
}

static val lower_sign(struct ir_builder *b, val x) {
    /* Times 2^127 any normal number is at least 2 away from zero. */
    val big = mul(b, x, flt(b, 0x1p127f));
    val most = flt(b, 1.0f);
    return ir_op2(b, IR_FMIN, ir_op2(b, IR_FMAX, big, flt(b, -1.0f)), most);
}

static val lower_f2u(struct ir_builder *b, val x) {
    val high = ir_op2(b, IR_FGE, x, flt(b, 0x1p31f));
    val low = ir_op1(b, IR_F2I, ir_op2(b, IR_FMAX, x, flt(b, 0.0f)));
    val sign = num(b, 0x80000000u);
    val top = ir_op2(b, IR_IADD, ir_op1(b, IR_F2I, sub(b, x, flt(b, 0x1p31f))), sign);
    return pick(b, high, top, low);
}

/* Reciprocals that are too large by a quarter of a unit at most leave a whole quotient whole: the product
 * rounds to the nearest. */
static val whole_part(struct ir_builder *b, val quotient, val y) {
    float r;
    bool near = lower_constant_reciprocal(y, &r) && fabs((double)r * (double)ir_float(y)) < 1 + 0x1p-25;
    return near ? quotient : lower_whole_part(b, quotient);
}

static val lower_float(struct ir_builder *b, const struct ir_inst *inst, val x, val y,
                       enum qpucc_policy policy) {
    bool precise = policy == QPUCC_POLICY_PRECISE;
    switch (inst->op) {
    case IR_FSIGN: return lower_sign(b, x);
    case IR_FTRUNC: return lower_trunc(b, x);
    case IR_FFLOOR: return lower_floor(b, x);
    case IR_FCEIL: return lower_ceil(b, x);
    case IR_FROUND: return lower_floor(b, add(b, x, flt(b, 0.5f)));
    case IR_FROUNDEVEN: return lower_round_even(b, x);
    case IR_FFRACT: return sub(b, x, lower_floor(b, x));
    case IR_FMOD: return sub(b, x, mul(b, y, lower_floor(b, whole_part(b, lower_div(b, x, y), y))));
    case IR_FREM: return sub(b, x, mul(b, y, lower_trunc(b, lower_div(b, x, y))));
    case IR_FDIV: return lower_div(b, x, y);
    case IR_FRCP: return lower_rcp(b, x);
    case IR_FSQRT: return lower_sqrt(b, x);
    case IR_FRSQ: return lower_rsq(b, x);
    case IR_FEXP2: return lower_exp2(b, x, precise);
    case IR_FLOG2: return lower_log2(b, x, precise);
    case IR_FPOW: return lower_pow(b, x, y, precise);
    case IR_FSIN: return lower_sin(b, x);
    case IR_FCOS: return lower_cos(b, x);
    case IR_FTAN: return lower_tan(b, x);
    case IR_FASIN: return lower_asin(b, x);
    case IR_FACOS: return lower_acos(b, x);
    case IR_FATAN: return lower_atan2(b, x, NULL, false);
    case IR_FATAN2: return lower_atan2(b, x, y, policy == QPUCC_POLICY_FAST);
    case IR_F2U: return lower_f2u(b, x);
    default: return NULL;
    }
}

/* A quotient that falls short of a whole number by a little is off by one where its whole part is all that
 * counts. So that one is refined, whatever precision it has. */
static void refine_quotient(struct ir_inst *inst) {
    switch (inst->op) {
    case IR_FMOD:
    case IR_FREM: inst->precision = IR_HIGHP; break;
    case IR_FFLOOR:
    case IR_FCEIL:
    case IR_FTRUNC:
    case IR_FFRACT:
    case IR_F2I:
    case IR_F2U: {
        struct ir_inst *x = ir_value(inst->src[0]);
        if (x->op == IR_FDIV)
            x->precision = IR_HIGHP;
        break;
    }
    default: break;
    }
}

/* By id: whether something else than a colour's pack reads it, which clamps by itself. */
static bool *find_clamped(struct ir_shader *shader) {
    bool *clamped = ir_alloc(shader->arena, shader->next_id);
    if (ir_arena_oom(shader->arena))
        return clamped;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++)
                clamped[inst->src[k]->id] |= inst->op != IR_PACK_COLOR && inst->op != IR_PACK_8F;
        }
    }
    return clamped;
}

/* A clamp takes two operations, one where a limit is kept anyway. */
static val half_clamp(struct ir_builder *b, val x) {
    struct float_range r = float_range(x);
    if (r.lo >= 0)
        return ir_op2(b, IR_FMIN, x, flt(b, 1.0f));
    return r.hi <= 1 ? ir_op2(b, IR_FMAX, x, flt(b, 0.0f)) : NULL;
}

bool pass_lower_math(struct ir_shader *shader, const struct pass_options *options) {
    bool changed = false;
    uint32_t known = shader->next_id;
    const bool *clamped = find_clamped(shader);
    if (ir_arena_oom(shader->arena))
        return false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            refine_quotient(inst);
        }
    }
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->nsrc == 0 || inst->nsrc > 2 || inst->op == IR_PHI || !ir_ops[inst->op].pure)
                continue;
            struct ir_builder b = ir_builder_before(inst);
            val x = ir_value(inst->src[0]), y = inst->nsrc > 1 ? ir_value(inst->src[1]) : NULL;
            val by = NULL;
            if (inst->op != IR_FSAT)
                by = lower_float(&b, inst, x, y, options->policy);
            else if (inst->id < known && clamped[inst->id])
                by = half_clamp(&b, x);
            if (!by)
                by = lower_int(&b, inst, x, y);
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
