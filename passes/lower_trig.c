/* Angles for lower_math: range reduction and polynomials (coefficients: tests/passes/minimax.py).
 *
 * An angle is measured in revolutions and reduced to v = fract(x / 2pi) - 1/2, five operations with the two
 * of floor; sine and cosine of one angle share them. sin(2 pi t) = -sin(2 pi v) and cos(2 pi t) = sin(2 pi
 * (|v| - 1/4)). Fragment shaders' mediump gets the shorter polynomials: their errors lie below mediump's
 * own 2^-10.
 *
 * The polynomials are chosen for their values on the machine, not for the smallest possible error. Shaders
 * rely on 1 - sin(x) not being negative (pow follows) and on sin(0) = 0, cos(0) = 1, asin(0) = 0. So sine
 * and cosine lie in -1..1 for every v that the reduction can give, and at these points the result is the
 * exact value, whichever way products round (tests/passes/range_test.c). The short cosine's coefficients
 * are up to 20 units in the last place from the best ones: those were above 1 in places. */
#include "passes/lower_math.h"

#define COUNT(a) (int)(sizeof(a) / sizeof *(a))

static const float minus_sin_turn_short[] = {-6.27712011f, 41.0854111f, -77.9291992f,
                                             56.0859184f}; /* 3.9e-4 */
static const float minus_sin_turn[] = {-6.2830348f, 41.3309937f, -81.3650513f, 74.4630661f,
                                       -32.7382202f};                                          /* 7.7e-6 */
static const float sin_quarter_short[] = {6.28096962f, -41.069458f, 73.1831284f};              /* 8.1e-5 */
static const float sin_quarter[] = {6.28316212f, -41.3367271f, 81.3244019f, -70.8211441f};     /* 7.7e-7 */
static const float atan_short[] = {0.999213813f, -0.321174972f, 0.146264469f, -0.0389865171f}; /* 8.1e-5 */
static const float atan_long[] = {0.999977219f, -0.332622828f, 0.193540379f,
                                  -0.11642649f, 0.0526473598f, -0.0117191389f}; /* 1.7e-6 */
/* Times the root of 1 - 0 as computed, 1 and 0.9999237, the first one is float(pi / 2). */
static const float acos_short[] = {1.5709163f, -0.21501972f, 0.0827961743f, -0.0251506906f}; /* 1.2e-4 */
static const float acos_long[] = {1.57079637f, -0.214367397f, 0.0860251805f, -0.0382304519f,
                                  0.0100474168f}; /* 5.6e-6 */

static val odd_poly(struct ir_builder *b, val x, const float *c, int n) {
    return mul(b, x, poly(b, mul(b, x, x), c, n));
}

static val reduce(struct ir_builder *b, val x) {
    val t = mul(b, x, flt(b, 0.159154943f));
    val u = sub(b, t, lower_floor(b, t));
    return sub(b, u, flt(b, 0.5f));
}

val lower_sin(struct ir_builder *b, val x) {
    val v = reduce(b, x);
    return lower_refines(b) ? odd_poly(b, v, minus_sin_turn, COUNT(minus_sin_turn))
                            : odd_poly(b, v, minus_sin_turn_short, COUNT(minus_sin_turn_short));
}

val lower_cos(struct ir_builder *b, val x) {
    val quarter = flt(b, 0.25f), z = sub(b, absolute(b, reduce(b, x)), quarter);
    return lower_refines(b) ? odd_poly(b, z, sin_quarter, COUNT(sin_quarter))
                            : odd_poly(b, z, sin_quarter_short, COUNT(sin_quarter_short));
}

val lower_tan(struct ir_builder *b, val x) {
    val inverse = lower_rcp(b, lower_cos(b, x));
    return mul(b, lower_sin(b, x), inverse);
}

/* acos of |x|; at 1 the root is 0 * inf = 0. The minimum makes a normalised vector's 1.0000001 a 1 and takes
 * the sign away, in one operation. */
static val acos_positive(struct ir_builder *b, val x) {
    val a = ir_op2(b, IR_FMINABS, x, flt(b, 1.0f));
    val root = lower_sqrt(b, sub(b, flt(b, 1.0f), a));
    return mul(b, root,
               lower_refines(b) ? poly(b, a, acos_long, COUNT(acos_long))
                                : poly(b, a, acos_short, COUNT(acos_short)));
}

val lower_acos(struct ir_builder *b, val x) {
    val p = acos_positive(b, x);
    val other = sub(b, flt(b, 3.14159265f), p);
    return pick(b, ir_op2(b, IR_FLT, x, flt(b, 0.0f)), other, p);
}

val lower_asin(struct ir_builder *b, val x) {
    val a = acos_positive(b, x), p = sub(b, flt(b, 1.57079633f), a), other = negate(b, p);
    return pick(b, ir_op2(b, IR_FLT, x, flt(b, 0.0f)), other, p);
}

val lower_atan2(struct ir_builder *b, val y, val x, bool fast) {
    /* fminabs and fmaxabs order by size and drop the signs. */
    val other = x ? x : flt(b, 1.0f);
    val small = ir_op2(b, IR_FMINABS, y, other), large = ir_op2(b, IR_FMAXABS, y, other);
    if (x && !fast) /* 0 at (0, 0), whatever 0 / 0 is */
        large = ir_op2(b, IR_FMAX, large, flt(b, 0x1p-100f));
    val t = mul(b, small, lower_rcp(b, large));
    val r = lower_refines(b) ? odd_poly(b, t, atan_long, COUNT(atan_long))
                             : odd_poly(b, t, atan_short, COUNT(atan_short));
    val size_x = x ? absolute(b, x) : other;
    val turned = sub(b, flt(b, 1.57079633f), r);
    r = pick(b, ir_op2(b, IR_FLT, size_x, absolute(b, y)), turned, r);
    if (x) {
        turned = sub(b, flt(b, 3.14159265f), r);
        r = pick(b, ir_op2(b, IR_FLT, x, flt(b, 0.0f)), turned, r);
    }
    turned = negate(b, r);
    return pick(b, ir_op2(b, IR_FLT, y, flt(b, 0.0f)), turned, r);
}
