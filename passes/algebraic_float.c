/* algebraic's rules for floats. */
#include "passes/algebraic.h"
#include "passes/constant_math.h"
#include "passes/eval.h"
#include "passes/lower_math.h"

#include <math.h>

/* lower_math's floor adds and takes away this: a rounding step, no sum to be gathered. */
static bool rounds(val c) {
    return fabsf(ir_float(c)) == LOWER_WHOLE;
}

static bool gathers(const struct ir_inst *inst, const struct ir_inst *inner) {
    return !inst->exact && !inner->exact;
}

static bool usual(float v) {
    return v == 0.0f || (fabsf(v) > 0x1p-120f && fabsf(v) < 0x1p120f);
}

/* s x + c of a sum or difference with one constant. */
static bool affine(val v, val *x, float *sign, float *c) {
    if (v->op != IR_FADD && v->op != IR_FSUB)
        return false;
    val p = alg_source(v, 0), q = alg_source(v, 1);
    if (ir_is_const(p) == ir_is_const(q))
        return false;
    bool left = ir_is_const(p);
    val constant = left ? p : q;
    if (rounds(constant))
        return false;
    *x = left ? q : p;
    *sign = left && v->op == IR_FSUB ? -1.0f : 1.0f;
    *c = ir_float(constant) * (!left && v->op == IR_FSUB ? -1.0f : 1.0f);
    return true;
}

/* Rounding: (x + 1) - 3 and the like become one operation. */
static val gather_sum(struct ir_builder *b, struct ir_inst *inst) {
    val mid, x;
    float outer_sign, inner_sign, c, d;
    if (!affine(inst, &mid, &outer_sign, &c) || !affine(mid, &x, &inner_sign, &d) || !gathers(inst, mid))
        return NULL;
    float sum = c + outer_sign * d;
    if (!usual(sum) || sum == LOWER_WHOLE || sum == -LOWER_WHOLE)
        return NULL;
    if (outer_sign * inner_sign < 0)
        return sub(b, flt(b, sum), x);
    return sum < 0 ? sub(b, x, flt(b, -sum)) : add(b, x, flt(b, sum));
}

/* x where c, 0 elsewhere: its x and c. */
static val gated(val v, val *condition) {
    if (v->op != IR_SELECT || !alg_zero(alg_source(v, 2)))
        return NULL;
    *condition = alg_source(v, 0);
    return alg_source(v, 1);
}

/* Rounding: x + max(y - x, 0) is max(x, y), x - max(x - y, 0) is min(x, y), and so on. */
static val limited_step(struct ir_builder *b, struct ir_inst *inst, val x, val step) {
    if ((step->op != IR_FMAX && step->op != IR_FMIN) || inst->exact || step->exact)
        return NULL;
    uint32_t zero = alg_zero(alg_source(step, 0)) ? 0 : 1;
    val way = alg_source(step, 1 - zero);
    uint32_t from = inst->op == IR_FADD ? 1 : 0;
    if (!alg_zero(alg_source(step, zero)) || way->op != IR_FSUB || way->exact || alg_source(way, from) != x)
        return NULL;
    bool most = (step->op == IR_FMAX) == (inst->op == IR_FADD);
    return ir_op2(b, most ? IR_FMAX : IR_FMIN, x, alg_source(way, 1 - from));
}

/* The y of a difference y - x. */
static val minus(val v, val x) {
    return v->op == IR_FSUB && alg_source(v, 1) == x && !ir_is_const(x) ? alg_source(v, 0) : NULL;
}

/* x + (y - x), also where only one side of a selection is that and the other adds nothing: mix by 0 or 1. */
static val mixed(struct ir_builder *b, val x, val v) {
    val y = minus(v, x);
    if (y || v->op != IR_SELECT)
        return y;
    val yes = alg_source(v, 1), no = alg_source(v, 2);
    if (alg_zero(no) && (y = minus(yes, x)))
        return pick(b, alg_source(v, 0), y, x);
    if (alg_zero(yes) && (y = minus(no, x)))
        return pick(b, alg_source(v, 0), x, y);
    return NULL;
}

static val sum(struct ir_builder *b, struct ir_inst *inst, val x, val y) {
    val n, cx, cy, gx, gy;
    if (alg_zero(y))
        return x;
    if (alg_zero(x))
        return y;
    if ((n = alg_under(y, IR_FNEG)))
        return sub(b, x, n);
    if ((n = alg_under(x, IR_FNEG)))
        return sub(b, y, n);
    if (!inst->exact && ((n = mixed(b, x, y)) || (n = mixed(b, y, x)))) /* rounding */
        return n;
    if ((n = limited_step(b, inst, x, y)) || (n = limited_step(b, inst, y, x)))
        return n;
    if ((gx = gated(x, &cx)) && (gy = gated(y, &cy)) && algebraic_contrary(cx, cy))
        return pick(b, cx, gx, gy);
    return gather_sum(b, inst);
}

static val difference(struct ir_builder *b, struct ir_inst *inst, val x, val y) {
    val n;
    if (x == y)
        return flt(b, 0.0f);
    if (alg_zero(y))
        return x;
    if (alg_zero(x))
        return negate(b, y);
    if ((n = alg_under(y, IR_FNEG)))
        return add(b, x, n);
    if ((n = alg_under(x, IR_FNEG)))
        return negate(b, add(b, n, y));
    if (alg_one(x) && (n = alg_under(y, IR_B2F)))
        return ir_op1(b, IR_B2F, ir_op1(b, IR_BNOT, n));
    if ((n = limited_step(b, inst, x, y)))
        return n;
    return gather_sum(b, inst);
}

static val product(struct ir_builder *b, struct ir_inst *inst, val x, val y) {
    val n, m;
    if (ir_is_const(x)) {
        val t = x;
        x = y, y = t;
    }
    if (ir_is_const(y)) {
        float c = ir_float(y);
        if (c == 0.0f)
            return flt(b, 0.0f);
        if (c == 1.0f)
            return x;
        if (c == -1.0f)
            return negate(b, x);
        if (c == 2.0f)
            return add(b, x, x);
        if ((n = alg_under(x, IR_FNEG)))
            return mul(b, n, flt(b, -c));
        if (x->op == IR_FADD && alg_source(x, 0) == alg_source(x, 1) && usual(2 * c))
            return mul(b, alg_source(x, 0), flt(b, 2 * c));
        if (x->op == IR_FMUL && gathers(inst, x)) { /* rounding */
            val p = alg_source(x, 0), q = alg_source(x, 1);
            if (ir_is_const(p))
                n = p, p = q, q = n;
            float both = ir_is_const(q) ? ir_float(q) * c : 0.0f;
            if (both != 0.0f && usual(both))
                return mul(b, p, flt(b, both));
        }
    }
    if ((n = alg_under(x, IR_B2F)) && (m = alg_under(y, IR_B2F)))
        return ir_op1(b, IR_B2F, ir_op2(b, IR_BAND, n, m));
    if ((n = alg_under(x, IR_B2F)))
        return pick(b, n, y, flt(b, 0.0f));
    if ((n = alg_under(y, IR_B2F)))
        return pick(b, n, x, flt(b, 0.0f));
    if ((n = alg_under(x, IR_FNEG)) && (m = alg_under(y, IR_FNEG)))
        return mul(b, n, m);
    if ((n = alg_under(x, IR_FNEG)))
        return negate(b, mul(b, n, y));
    if ((n = alg_under(y, IR_FNEG)))
        return negate(b, mul(b, x, n));
    if (x == y && (n = alg_under(x, IR_FABS)))
        return mul(b, n, n);
    return NULL;
}

/* min(max(x, 0), 1), in either order. */
static val saturates(struct ir_inst *inst, val x, val y) {
    bool low = inst->op == IR_FMIN;
    if (ir_is_const(x)) {
        val t = x;
        x = y, y = t;
    }
    if (!(low ? alg_one(y) : alg_zero(y)) || x->op != (low ? IR_FMAX : IR_FMIN))
        return NULL;
    for (uint32_t k = 0; k < 2; k++) {
        val c = alg_source(x, k);
        if (low ? alg_zero(c) : alg_one(c))
            return alg_source(x, 1 - k);
    }
    return NULL;
}

static val extreme(struct ir_builder *b, struct ir_inst *inst, val x, val y) {
    bool least = inst->op == IR_FMIN;
    val n, m;
    if (x == y)
        return x;
    if ((n = saturates(inst, x, y)))
        return ir_op1(b, IR_FSAT, n);
    struct float_range p = float_range(x), q = float_range(y);
    if (p.hi <= q.lo)
        return least ? x : y;
    if (q.hi <= p.lo)
        return least ? y : x;
    /* min(min(x, 3), 2) */
    for (int swapped = 0; swapped < 2; swapped++) {
        val inner = swapped ? y : x, c = swapped ? x : y;
        if (inner->op != inst->op)
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            val d = alg_source(inner, k), rest = alg_source(inner, 1 - k);
            if (d == c)
                return inner;
            if (ir_is_const(c) && ir_is_const(d)) {
                float u = ir_float(c), v = ir_float(d);
                return ir_op2(b, (enum ir_op)inst->op, rest, flt(b, least == (u < v) ? u : v));
            }
        }
    }
    if ((n = alg_under(x, IR_B2F)) && (m = alg_under(y, IR_B2F)))
        return ir_op1(b, IR_B2F, ir_op2(b, least ? IR_BAND : IR_BOR, n, m));
    if ((n = alg_under(x, IR_FNEG)) && (m = alg_under(y, IR_FNEG)))
        return negate(b, ir_op2(b, least ? IR_FMAX : IR_FMIN, n, m));
    n = alg_under(x, IR_FNEG), m = alg_under(y, IR_FNEG);
    if (!least && (n == y || m == x))
        return absolute(b, n == y ? y : x);
    return NULL;
}

/* Rounding. */
static val quotient(struct ir_builder *b, val x, val y) {
    val n;
    float r;
    if (alg_zero(x) && alg_zero(y)) /* whatever the hardware gives */
        return NULL;
    if (x == y)
        return flt(b, 1.0f);
    if (alg_zero(x))
        return x;
    if (lower_constant_reciprocal(y, &r))
        return mul(b, x, flt(b, r));
    if (alg_one(x))
        return ir_op1(b, IR_FRCP, y);
    if ((n = alg_under(y, IR_FSQRT)))
        return mul(b, x, ir_op1(b, IR_FRSQ, n));
    if ((n = alg_under(y, IR_FEXP2)))
        return mul(b, x, ir_op1(b, IR_FEXP2, negate(b, n)));
    return NULL;
}

static val saturation(struct ir_builder *b, val x) {
    struct float_range r = float_range(x);
    if (r.lo >= 0 && r.hi <= 1)
        return x;
    if (r.hi <= 0)
        return flt(b, 0.0f);
    if (r.lo >= 1)
        return flt(b, 1.0f);
    return NULL;
}

static val power(struct ir_builder *b, val x, val y) {
    val n;
    if (alg_one(y))
        return x;
    if (alg_one(x) || alg_zero(y))
        return flt(b, 1.0f);
    if (ir_is_const(x) && ir_float(x) > 0.0f && usual(ir_float(x))) { /* rounding */
        float log = (float)constant_log2(ir_float(x));
        return ir_op1(b, IR_FEXP2, log == 1.0f ? y : log == -1.0f ? negate(b, y) : mul(b, y, flt(b, log)));
    }
    if ((n = alg_under(x, IR_FEXP2)))
        return ir_op1(b, IR_FEXP2, mul(b, n, y));
    return NULL;
}

static bool whole_number(val x) {
    return ir_ops[x->op].whole;
}

/* Rounding: fract(n fract(y)) with a whole n is fract(n y), as long as n y is small enough to have a
 * fraction. y is a product, so that it has been rounded before, and n times that error is in the result
 * either way. The same in all programs with this expression, so `exact` does not forbid it. */
static val fraction(struct ir_builder *b, val x) {
    for (uint32_t k = 0; x->op == IR_FMUL && k < 2; k++) {
        val n = alg_source(x, k), y = alg_under(alg_source(x, 1 - k), IR_FFRACT);
        if (!ir_is_const(n) || ir_float(n) != floorf(ir_float(n)) || !y || y->op != IR_FMUL)
            continue;
        struct float_range r = float_range_usual(y);
        float most = fmaxf(fabsf(r.lo), fabsf(r.hi)) * fabsf(ir_float(n));
        if (most <= FLOAT_RANGE_WHOLE)
            return ir_op1(b, IR_FFRACT, mul(b, y, n));
    }
    return NULL;
}

static val one_operand(struct ir_builder *b, struct ir_inst *inst, val x, bool precise) {
    val n;
    switch (inst->op) {
    case IR_FNEG:
        if ((n = alg_under(x, IR_FNEG)))
            return n;
        if (x->op == IR_FSUB)
            return sub(b, alg_source(x, 1), alg_source(x, 0));
        if (x->op == IR_FMUL && ir_is_const(alg_source(x, 1)))
            return mul(b, alg_source(x, 0), flt(b, -ir_float(alg_source(x, 1))));
        return NULL;
    case IR_FABS:
        if ((n = alg_under(x, IR_FNEG)))
            return absolute(b, n);
        return float_range(x).lo >= 0 ? x : NULL;
    case IR_FSAT: return saturation(b, x);
    case IR_FSIGN: return x->op == IR_FSIGN ? x : NULL;
    case IR_FFLOOR:
    case IR_FCEIL:
    case IR_FTRUNC:
    case IR_FROUND:
    case IR_FROUNDEVEN: return whole_number(x) ? x : NULL;
    case IR_FFRACT:
        if (whole_number(x))
            return flt(b, 0.0f);
        return x->op == IR_FFRACT ? x : precise ? NULL : fraction(b, x);
    case IR_FRCP:
        if ((n = alg_under(x, IR_FRCP)))
            return n;
        if ((n = alg_under(x, IR_FSQRT)))
            return ir_op1(b, IR_FRSQ, n);
        if ((n = alg_under(x, IR_FRSQ)))
            return ir_op1(b, IR_FSQRT, n);
        if ((n = alg_under(x, IR_FEXP2)))
            return ir_op1(b, IR_FEXP2, negate(b, n));
        return NULL;
    case IR_FSQRT:
        return x->op == IR_FMUL && alg_source(x, 0) == alg_source(x, 1) ? absolute(b, alg_source(x, 0))
                                                                        : NULL;
    case IR_FEXP2: return alg_under(x, IR_FLOG2);
    case IR_FLOG2: return alg_under(x, IR_FEXP2);
    case IR_FCOS: return x->op == IR_FNEG || x->op == IR_FABS ? ir_op1(b, IR_FCOS, alg_source(x, 0)) : NULL;
    case IR_I2F: n = alg_under(x, IR_B2I); return n ? ir_op1(b, IR_B2F, n) : NULL;
    case IR_IBITS: return alg_under(x, IR_FBITS);
    case IR_DDX:
    case IR_DDY: return ir_is_const(x) || x->op == IR_UNIFORM ? flt(b, 0.0f) : NULL;
    default: return NULL;
    }
}

val algebraic_float(struct ir_builder *b, struct ir_inst *inst, bool precise) {
    val x = alg_source(inst, 0), y = inst->nsrc > 1 ? alg_source(inst, 1) : NULL;
    switch (inst->op) {
    case IR_FADD: return sum(b, inst, x, y);
    case IR_FSUB: return difference(b, inst, x, y);
    case IR_FMUL: return product(b, inst, x, y);
    case IR_FMIN:
    case IR_FMAX: return extreme(b, inst, x, y);
    case IR_FDIV: return quotient(b, x, y);
    case IR_FPOW: return power(b, x, y);
    case IR_FMOD: return alg_one(y) ? ir_op1(b, IR_FFRACT, x) : NULL;
    default: return inst->nsrc == 1 ? one_operand(b, inst, x, precise) : NULL;
    }
}
