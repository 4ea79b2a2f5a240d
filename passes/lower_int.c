/* Integers for lower_math, from a 24-bit multiplier, signed comparisons and a float reciprocal.
 *
 * Requires and keeps: as lower_math, of which this is a part. All results are exact for all 32-bit inputs,
 * except where the precision allows less: in fragment shaders mediump and lowp integers (at least 10 and 8
 * bits in GLSL ES) get forms that are exact for products and dividends up to 19 bits and sign. Division by
 * zero gives some number. */
#include "passes/lower_math.h"

#define SIGN 0x80000000u

static val iadd(struct ir_builder *b, val x, val y) {
    return ir_op2(b, IR_IADD, x, y);
}
static val isub(struct ir_builder *b, val x, val y) {
    return ir_op2(b, IR_ISUB, x, y);
}
static val ixor(struct ir_builder *b, val x, val y) {
    return ir_op2(b, IR_IXOR, x, y);
}
static val shift(struct ir_builder *b, enum ir_op op, val x, uint32_t n) {
    return ir_op2(b, op, x, num(b, n));
}

static unsigned bit_length(uint32_t v) {
    unsigned n = 0;
    for (; v; v >>= 1)
        n++;
    return n;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}
static unsigned most(unsigned a, unsigned b) {
    return a > b ? a : b;
}

/* The value, read as unsigned, is below 2 to the power of this. */
static unsigned bits_of(val x, int depth) {
    if (ir_is_const(x))
        return bit_length(x->imm);
    if (depth == 0)
        return 32;
    bool constant = x->nsrc > 1 && ir_is_const(x->src[1]);
    switch (x->op) {
    case IR_IAND: return least(bits_of(x->src[0], depth - 1), bits_of(x->src[1], depth - 1));
    case IR_IOR:
    case IR_IXOR:
    case IR_UMAX: return most(bits_of(x->src[0], depth - 1), bits_of(x->src[1], depth - 1));
    case IR_UMIN: return least(bits_of(x->src[0], depth - 1), bits_of(x->src[1], depth - 1));
    case IR_IADD: return least(32, 1 + most(bits_of(x->src[0], depth - 1), bits_of(x->src[1], depth - 1)));
    case IR_UMUL24:
        return least(32, least(24, bits_of(x->src[0], depth - 1)) + least(24, bits_of(x->src[1], depth - 1)));
    case IR_USHR: {
        unsigned n = bits_of(x->src[0], depth - 1), s = constant ? x->src[1]->imm & 31 : 0;
        return n > s ? n - s : 0;
    }
    case IR_ISHL: return constant ? least(32, bits_of(x->src[0], depth - 1) + (x->src[1]->imm & 31)) : 32;
    case IR_IMIN:
    case IR_IMAX: {
        unsigned p = bits_of(x->src[0], depth - 1), q = bits_of(x->src[1], depth - 1);
        if (p < 32 && q < 32)
            return x->op == IR_IMIN ? least(p, q) : most(p, q);
        /* max(x, c) with c >= 0 is not negative. */
        return x->op == IR_IMAX && least(p, q) < 32 ? 31 : 32;
    }
    case IR_SELECT: return most(bits_of(x->src[1], depth - 1), bits_of(x->src[2], depth - 1));
    case IR_UREM: return least(bits_of(x->src[0], depth - 1), bits_of(x->src[1], depth - 1));
    case IR_UDIV: return bits_of(x->src[0], depth - 1);
    case IR_B2I: return 1;
    case IR_ICLZ: return 6;
    case IR_UNPACK_8I: return 8;
    default: return 32;
    }
}

static unsigned bits(val x) {
    return bits_of(x, 6);
}

static bool short_range(const struct ir_builder *b) {
    return b->shader->stage == QPUCC_FRAGMENT && b->precision != IR_HIGHP;
}

static bool power_of_two(val x, uint32_t *log2) {
    if (!ir_is_const(x) || !x->imm || x->imm & (x->imm - 1))
        return false;
    *log2 = bit_length(x->imm) - 1;
    return true;
}

/* x = xh 2^24 + xl: the product of the high parts is out of reach, the mixed ones count with their low byte.
 */
static val multiply_exact(struct ir_builder *b, val x, val y) {
    val p = ir_op2(b, IR_UMUL24, x, y), high = NULL;
    if (bits(x) > 24)
        high = ir_op2(b, IR_UMUL24, shift(b, IR_USHR, x, 24), y);
    if (bits(y) > 24) {
        val m = ir_op2(b, IR_UMUL24, shift(b, IR_USHR, y, 24), x);
        high = high ? iadd(b, high, m) : m;
    }
    return high ? iadd(b, p, shift(b, IR_ISHL, high, 24)) : p;
}

static val multiply(struct ir_builder *b, val x, val y) {
    if (ir_is_const(x)) {
        val t = x;
        x = y, y = t;
    }
    uint32_t k;
    if (power_of_two(y, &k))
        return k ? shift(b, IR_ISHL, x, k) : x;
    if (ir_is_const(y) && y->imm >= SIGN && y->imm != SIGN) {
        val opposite = multiply(b, x, num(b, 0u - y->imm));
        return isub(b, num(b, 0), opposite);
    }
    if (bits(x) > 24 && short_range(b)) {
        val p = ir_op2(b, IR_UMUL24, x, y);
        return shift(b, IR_IASR, shift(b, IR_ISHL, p, 8), 8);
    }
    return multiply_exact(b, x, y);
}

/* i2f is signed; a number with the top bit set is 2^32 more. */
static val float_of_unsigned(struct ir_builder *b, val x) {
    val f = ir_op1(b, IR_I2F, x);
    if (bits(x) < 32)
        return f;
    val more = add(b, f, flt(b, 0x1p32f));
    return pick(b, ir_op2(b, IR_ILT, x, num(b, 0)), more, f);
}

static val unsigned_of_float(struct ir_builder *b, val x) {
    val sign = num(b, SIGN), top = iadd(b, ir_op1(b, IR_F2I, sub(b, x, flt(b, 0x1p31f))), sign);
    val plain = ir_op1(b, IR_F2I, x);
    return pick(b, ir_op2(b, IR_FGE, x, flt(b, 0x1p31f)), top, plain);
}

static val newton(struct ir_builder *b, val x, float c) {
    val r = ir_op1(b, IR_SFU_RCP, x);
    val product = mul(b, x, r);
    return mul(b, r, sub(b, flt(b, c), product));
}

struct quotient {
    val q, r;
};

/* Dividends below 2^19: a quotient that is whole must not come out low (three roundings toward zero and the
 * square of the SFU's error, together under 3.2 * 2^-23), one just below a whole number must not reach it (1
 * part in 2^19). */
static struct quotient divide_short(struct ir_builder *b, val x, val y) {
    val r = newton(b, ir_op1(b, IR_I2F, y), 0x1.000004p+1f);
    val q = ir_op1(b, IR_F2I, mul(b, ir_op1(b, IR_I2F, x), r));
    val p = bits(y) <= 24 && bits(x) <= 24 ? ir_op2(b, IR_UMUL24, q, y) : multiply_exact(b, q, y);
    return (struct quotient){q, isub(b, x, p)};
}

/* Unsigned x / y. A reciprocal that is certainly low (by less than 2^-20) gives the upper bits of the
 * quotient, the same again on what is left the lower ones, one short at most. narrow: both are at most 2^31,
 * and the magnitude of i2f is their value. */
static struct quotient divide_exact(struct ir_builder *b, val x, val y, bool narrow) {
    val fx = narrow ? absolute(b, ir_op1(b, IR_I2F, x)) : float_of_unsigned(b, x);
    val fy = narrow ? absolute(b, ir_op1(b, IR_I2F, y)) : float_of_unsigned(b, y);
    val r = newton(b, fy, 0x1.fffff8p+0f);
    val f1 = mul(b, fx, r);
    val q1 = narrow ? ir_op1(b, IR_F2I, f1) : unsigned_of_float(b, f1);
    val r1 = isub(b, x, multiply_exact(b, q1, y));
    val fr = narrow ? absolute(b, ir_op1(b, IR_I2F, r1)) : float_of_unsigned(b, r1);
    val q2 = ir_op1(b, IR_F2I, mul(b, fr, r));
    val r2 = isub(b, r1, multiply_exact(b, q2, y));
    val q = iadd(b, q1, q2);
    val more = ir_op2(b, IR_UGE, r2, y);
    val q3 = pick(b, more, iadd(b, q, num(b, 1)), q);
    return (struct quotient){q3, pick(b, more, isub(b, r2, y), r2)};
}

static struct quotient divide_unsigned(struct ir_builder *b, val x, val y) {
    uint32_t k;
    if (power_of_two(y, &k)) {
        val q = k ? shift(b, IR_USHR, x, k) : x;
        return (struct quotient){q, ir_op2(b, IR_IAND, x, num(b, y->imm - 1))};
    }
    if (bits(x) <= 19 && bits(y) <= 31)
        return divide_short(b, x, y);
    return divide_exact(b, x, y, bits(x) <= 31 && bits(y) <= 31);
}

static struct quotient divide_signed(struct ir_builder *b, val x, val y) {
    if (bits(x) <= 31 && bits(y) <= 31)
        return divide_unsigned(b, x, y);
    uint32_t k;
    if (power_of_two(y, &k) && k && k < 31) {
        /* Toward zero: a negative number gets 2^k - 1 more first. */
        val bias = shift(b, IR_USHR, shift(b, IR_IASR, x, 31), 32 - k);
        val q = shift(b, IR_IASR, iadd(b, x, bias), k);
        return (struct quotient){q, isub(b, x, shift(b, IR_ISHL, q, k))};
    }
    if (short_range(b)) {
        val r = newton(b, ir_op1(b, IR_I2F, y), 0x1.000004p+1f);
        val q = ir_op1(b, IR_F2I, mul(b, ir_op1(b, IR_I2F, x), r));
        return (struct quotient){q, isub(b, x, multiply(b, q, y))};
    }
    val sx = shift(b, IR_IASR, x, 31), sy = shift(b, IR_IASR, y, 31), zero = num(b, 0);
    val ax = ir_op2(b, IR_IMAX, x, isub(b, zero, x)), ay = ir_op2(b, IR_IMAX, y, isub(b, zero, y));
    struct quotient d = divide_exact(b, ax, ay, true);
    val s = ixor(b, sx, sy);
    val q = isub(b, ixor(b, d.q, s), s);
    return (struct quotient){q, isub(b, ixor(b, d.r, sx), sx)};
}

/* The sign of the divisor: what is left over and points the other way is lifted by the divisor. */
static val modulo(struct ir_builder *b, val x, val y) {
    uint32_t k;
    if (power_of_two(y, &k) && k < 31)
        return ir_op2(b, IR_IAND, x, num(b, y->imm - 1));
    val r = divide_signed(b, x, y).r;
    if (bits(x) <= 31 && bits(y) <= 31)
        return r;
    val zero = num(b, 0), crossed = ir_op2(b, IR_ILT, ixor(b, r, y), zero);
    val lift = ir_op2(b, IR_BAND, crossed, ir_op2(b, IR_INE, r, num(b, 0)));
    return pick(b, lift, iadd(b, r, y), r);
}

static val unsigned_least(struct ir_builder *b, enum ir_op op, val x, val y) {
    if (bits(x) <= 31 && bits(y) <= 31)
        return ir_op2(b, op == IR_UMIN ? IR_IMIN : IR_IMAX, x, y);
    val below = ir_op2(b, IR_ULT, x, y);
    return op == IR_UMIN ? pick(b, below, x, y) : pick(b, below, y, x);
}

val lower_int(struct ir_builder *b, const struct ir_inst *inst, val x, val y) {
    switch (inst->op) {
    case IR_IABS: return ir_op2(b, IR_IMAX, x, isub(b, num(b, 0), x));
    case IR_ISIGN: y = num(b, 1); return ir_op2(b, IR_IMIN, ir_op2(b, IR_IMAX, x, num(b, 0u - 1u)), y);
    case IR_IMUL: return multiply(b, x, y);
    case IR_IDIV: return divide_signed(b, x, y).q;
    case IR_IREM: return divide_signed(b, x, y).r;
    case IR_IMOD: return modulo(b, x, y);
    case IR_UDIV: return divide_unsigned(b, x, y).q;
    case IR_UREM: return divide_unsigned(b, x, y).r;
    case IR_UMIN:
    case IR_UMAX: return unsigned_least(b, (enum ir_op)inst->op, x, y);
    case IR_U2F: return float_of_unsigned(b, x);
    default: return NULL;
    }
}
