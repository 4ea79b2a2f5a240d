/* Powers and logarithms of -fprecise, for lower_math: polynomials, because no product or two refine the
 * special function unit's 2^-13 (coefficients: tests/passes/minimax.py).
 *
 * Each takes a number apart by its exponent: 2^x is 2^floor(x), whose exponent is added to that of
 * 2^fract(x); log2(m 2^e) is e + log2(m), m from sqrt(1/2) to sqrt(2), so that logarithms of numbers near 1
 * keep their digits. What the machine's own functions give for 0, negative numbers and infinity stays. */
#include "passes/lower_math.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static const float power[] = {1.0f,          0.69315298f,    0.240147123f,
                              0.0558552969f, 0.00894774981f, 0.00189685021f}; /* 1.4e-7 */
static const float logarithm[] = {1.44269501f,   -0.721347202f, 0.480910239f,  -0.360716034f, 0.287940444f,
                                  -0.238681913f, 0.215203705f,  -0.208884635f, 0.129228775f}; /* 3.8e-8 */

/* From 128 on the exponent is infinity's, below -126 it is that of a number too small, which is 0. */
val lower_exp2_precise(struct ir_builder *b, val x) {
    val least = ir_op2(b, IR_FMAX, x, flt(b, -127.0f));
    x = ir_op2(b, IR_FMIN, least, flt(b, 128.0f));
    val whole = flt(b, LOWER_WHOLE), sum = add(b, x, whole); /* its last bits are floor(x) */
    val part = sub(b, x, sub(b, sum, whole));
    val digits = num(b, 23), exponent = ir_op2(b, IR_ISHL, ir_op1(b, IR_FBITS, sum), digits);
    val mantissa = ir_op1(b, IR_FBITS, poly(b, part, power, COUNT(power)));
    return ir_op1(b, IR_IBITS, ir_op2(b, IR_IADD, mantissa, exponent));
}

val lower_log2_precise(struct ir_builder *b, val x) {
    val bits = ir_op1(b, IR_FBITS, x), root = num(b, 0x3f3504f3); /* sqrt(1/2) */
    val digits = num(b, 23), exponent = ir_op2(b, IR_IASR, ir_op2(b, IR_ISUB, bits, root), digits);
    val shifted = ir_op2(b, IR_ISHL, exponent, num(b, 23));
    val mantissa = ir_op1(b, IR_IBITS, ir_op2(b, IR_ISUB, bits, shifted));
    val z = sub(b, mantissa, flt(b, 1.0f));
    val small = mul(b, z, poly(b, z, logarithm, COUNT(logarithm)));
    val sum = add(b, ir_op1(b, IR_I2F, exponent), small);
    /* infinite where x is 0, negative or infinite */
    val rough = ir_op1(b, IR_SFU_LOG2, x), limit = flt(b, 1000.0f);
    return pick(b, ir_op2(b, IR_FLT, absolute(b, rough), limit), sum, rough);
}
