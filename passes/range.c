/* Ranges of floats, derived from a few operations before the value.
 *
 * Requires: any IR. Keeps everything: it only answers questions.
 *
 * Every asserted range holds for the code that lower_math emits and for folded constants, for every argument
 * including infinities and negative zeros; tests/passes/range_test.c checks each operation. So a function
 * whose range GLSL gives for all arguments may have a range here for some of them only. */
#include "passes/algebraic.h"

#include <float.h>
#include <math.h>

static struct float_range look(const struct ir_inst *x, int depth, bool usual);

static struct float_range between(float lo, float hi) {
    struct float_range everything = {-INFINITY, INFINITY};
    return isnan(lo) || isnan(hi) ? everything : (struct float_range){lo, hi};
}

/* A bound of results that one of two roundings made: toward zero on the QPU, to nearest on the host. `exact`:
 * the number before rounding is `value` itself. The QPU has no denormals either. */
static float bound(double value, bool exact, float outward) {
    float near = (float)value;
    if (!exact || (double)near != value)
        near = nextafterf(near, outward);
    return fabsf(near) < FLT_MIN && (near > 0) == (outward < 0) ? 0 : near;
}

/* What double precision lost of a + b (Knuth). */
static bool exact_sum(double a, double b) {
    double sum = a + b, rest = sum - a;
    return (a - (sum - rest)) + (b - rest) == 0;
}

static struct float_range sum(float lo, float more_lo, float hi, float more_hi) {
    double low = (double)lo + more_lo, high = (double)hi + more_hi;
    if (isnan(low) || isnan(high))
        return between(NAN, NAN);
    return between(isinf(low) ? (float)low : bound(low, exact_sum(lo, more_lo), -INFINITY),
                   isinf(high) ? (float)high : bound(high, exact_sum(hi, more_hi), INFINITY));
}

static struct float_range product(struct float_range a, struct float_range b) {
    if (!isfinite(a.lo) || !isfinite(b.lo) || !isfinite(a.hi) || !isfinite(b.hi))
        return a.lo >= 0 && b.lo >= 0 ? between(0, INFINITY) : between(NAN, NAN);
    double p = (double)a.lo * b.lo, q = (double)a.lo * b.hi, r = (double)a.hi * b.lo, s = (double)a.hi * b.hi;
    return between(bound(fmin(fmin(p, q), fmin(r, s)), true, -INFINITY),
                   bound(fmax(fmax(p, q), fmax(r, s)), true, INFINITY));
}

static struct float_range two(const struct ir_inst *x, int depth, bool usual) {
    struct float_range a = look(ir_value(x->src[0]), depth, usual);
    bool square = x->op == IR_FMUL && ir_value(x->src[0]) == ir_value(x->src[1]);
    if (a.lo == -INFINITY && a.hi == INFINITY && x->op != IR_FMIN && x->op != IR_FMAX && !square)
        return a;
    struct float_range b = square ? a : look(ir_value(x->src[1]), depth, usual);
    switch (x->op) {
    case IR_FADD: return sum(a.lo, b.lo, a.hi, b.hi);
    case IR_FSUB: return sum(a.lo, -b.hi, a.hi, -b.lo);
    case IR_FMIN: return between(fminf(a.lo, b.lo), fminf(a.hi, b.hi));
    case IR_FMAX: return between(fmaxf(a.lo, b.lo), fmaxf(a.hi, b.hi));
    case IR_FMUL:
        if (square) {
            float most = fmaxf(fabsf(a.lo), fabsf(a.hi));
            return between(0, bound((double)most * most, true, INFINITY));
        }
        return product(a, b);
    default: return between(NAN, NAN);
    }
}

/* Within `limit` of zero. */
static bool small(struct float_range a, float limit) {
    return a.lo >= -limit && a.hi <= limit;
}

/* The operand of a function whose result is the promised one up to `limit` only. mediump and lowp end at 2^14
 * and at 2 by GLSL; pass `relax_precision`, which makes more of them, leaves fract alone. */
static bool within(const struct ir_inst *x, float limit, int depth, bool usual) {
    return (x->precision != IR_HIGHP && x->op == IR_FFRACT) ||
           small(look(ir_value(x->src[0]), depth, usual), limit);
}

/* lower_floor never falls where its argument rises. */
static struct float_range floor_of(struct float_range a) {
    return between(fabsf(a.lo) <= FLOAT_RANGE_WHOLE ? floorf(a.lo)
                   : a.lo > 0                       ? 0
                                                    : -INFINITY,
                   fabsf(a.hi) <= FLOAT_RANGE_WHOLE ? floorf(a.hi) : fmaxf(a.hi, 0));
}

static struct float_range look(const struct ir_inst *x, int depth, bool usual) {
    struct float_range a;
    if (ir_is_const(x))
        return between(ir_float(x), ir_float(x));
    if (depth == 0)
        return between(NAN, NAN);
    switch (x->op) {
    case IR_FSAT:
        a = look(ir_value(x->src[0]), depth - 1, usual);
        return between(fminf(fmaxf(a.lo, 0), 1), fminf(fmaxf(a.hi, 0), 1));
    case IR_UNPACK_8F:
    case IR_SHADOW:
    case IR_B2F: return between(0, 1);
    case IR_FSIGN: return between(-1, 1);
    case IR_FFRACT:
        return usual || within(x, FLOAT_RANGE_WHOLE, depth - 1, usual) ? between(0, 1) : between(NAN, NAN);
    case IR_FSIN:
    case IR_FCOS: /* reduced by a floor of a sixth of it */
        return within(x, 6 * FLOAT_RANGE_WHOLE, depth - 1, usual) ? between(-1, 1) : between(NAN, NAN);
    case IR_FABS: {
        a = look(ir_value(x->src[0]), depth - 1, usual);
        float most = fmaxf(fabsf(a.lo), fabsf(a.hi));
        return between(a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, most);
    }
    case IR_FMINABS: {
        a = look(ir_value(x->src[0]), depth - 1, usual);
        struct float_range b = look(ir_value(x->src[1]), depth - 1, usual);
        return between(0, fminf(fmaxf(fabsf(a.lo), fabsf(a.hi)), fmaxf(fabsf(b.lo), fabsf(b.hi))));
    }
    case IR_FMAXABS:
    case IR_FRSQ:
    case IR_FEXP2:
    case IR_SFU_EXP2:
    case IR_SFU_RSQ: return between(0, INFINITY);
    case IR_FNEG: a = look(ir_value(x->src[0]), depth - 1, usual); return between(-a.hi, -a.lo);
    case IR_FFLOOR: a = look(ir_value(x->src[0]), depth - 1, usual); return floor_of(a);
    case IR_FRCP: /* not of -0 */
        a = look(ir_value(x->src[0]), depth - 1, usual);
        return a.lo > 0 ? between(0, INFINITY) : between(NAN, NAN);
    case IR_FSQRT: /* of a negative number -inf comes out */
    case IR_FPOW:  /* and of a whole power a negative number */
        a = look(ir_value(x->src[0]), depth - 1, usual);
        return a.lo >= 0 ? between(0, INFINITY) : between(NAN, NAN);
    case IR_FADD:
    case IR_FSUB:
    case IR_FMUL:
    case IR_FMIN:
    case IR_FMAX: return two(x, depth - 1, usual);
    case IR_SELECT: {
        a = look(ir_value(x->src[1]), depth - 1, usual);
        struct float_range b = look(ir_value(x->src[2]), depth - 1, usual);
        return between(fminf(a.lo, b.lo), fmaxf(a.hi, b.hi));
    }
    case IR_BUILTIN: /* within 2^11 pixels of a centre that is as near to 0 (12.4); Y may be turned over */
        return x->imm == IR_BUILTIN_FRAG_COORD_X || x->imm == IR_BUILTIN_FRAG_COORD_Y
                   ? between(-0x1p13f, 0x1p13f)
                   : between(NAN, NAN);
    case IR_I2F: return ir_value(x->src[0])->op == IR_UNPACK_8I ? between(0, 255) : between(NAN, NAN);
    default: return between(NAN, NAN);
    }
}

enum { REACH = 5 };

struct float_range float_range(const struct ir_inst *x) {
    return look(x, REACH, false);
}

struct float_range float_range_usual(const struct ir_inst *x) {
    return look(x, REACH, true);
}

static void confine(struct ir_inst *x, int depth) {
    if (x->op == IR_FFRACT && !within(x, FLOAT_RANGE_WHOLE, depth - 1, false)) {
        struct ir_builder b = ir_builder_before(x);
        struct ir_inst *again = ir_op1(&b, IR_FFRACT, x->src[0]);
        ir_replace(x, ir_op2(&b, IR_FMINABS, again, ir_const_f(&b, 1)));
        return;
    }
    bool passes =
        x->op == IR_FADD || x->op == IR_FSUB || x->op == IR_FMUL || x->op == IR_FABS || x->op == IR_FNEG;
    for (uint32_t k = 0; passes && depth > 1 && k < x->nsrc; k++)
        confine(ir_value(x->src[k]), depth - 1);
}

void float_range_confine(struct ir_inst *x) {
    confine(x, REACH);
}
