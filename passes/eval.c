/* Evaluates the IR's operations on constants, for fold and for the words of uniform streams. */
#include "passes/eval.h"
#include "passes/constant_math.h"

#include <limits.h>
#include <math.h>
#include <string.h>

float ir_half_to_float(uint16_t half) {
    int exponent = half >> 10 & 31;
    float sign = half & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 0)
        return 0.0f;
    if (exponent == 31)
        return sign * INFINITY;
    return sign * ldexpf((float)(1024 + (half & 1023)), exponent - 25);
}

uint16_t ir_float_to_half(float value) {
    uint32_t bits = ir_float_to_bits(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    int exponent = (int)(bits >> 23 & 255) - 127 + 15;
    if (exponent >= 31)
        return sign | 0x7c00;
    if (exponent <= 0)
        return 0;
    uint32_t half = (uint32_t)exponent << 10 | (bits >> 13 & 1023), rest = bits & 0x1fff;
    half += rest > 0x1000 || (rest == 0x1000 && half & 1);
    return (uint16_t)(sign | half);
}

static bool put(double value, uint32_t *result) {
    float f = (float)value;
    if (isnan(f))
        return false;
    *result = ir_flush_denormal(ir_float_to_bits(f));
    return true;
}

/* Toward zero, as the machine adds. lower_math's floor is made of that, with 1.5 * 2^23 as one operand: it
 * has to come out the same here. The sum's rounding error (Knuth's two-sum) tells on which side the nearest
 * float lies. */
static double add_toward_zero(double a, double b) {
    double s = a + b, t = s - a, error = (a - (s - t)) + (b - t);
    float f = (float)s;
    bool beyond = f > 0 ? f > s || (f == s && error < 0) : f < s || (f == s && error > 0);
    return beyond ? nextafterf(f, 0.0f) : f;
}

static bool put_sum(float a, float b, uint32_t *result) {
    return put(ir_eval_rounds(a, b) ? add_toward_zero(a, b) : (double)(a + b), result);
}

static bool put_bits(uint32_t bits, uint32_t *result) {
    *result = bits;
    return true;
}

/* As the hardware: toward zero, and the low 32 bits. What no GLSL asks for, the largest float and
 * infinities, is 0 here. */
static uint32_t to_int(float x) {
    return fabsf(x) < 0x1p55f ? (uint32_t)(int64_t)x : 0;
}

static uint32_t byte_of(float x) {
    if (!(x > 0.0f))
        return 0;
    return x >= 1.0f ? 255 : (uint32_t)(x * 255.0f + 0.5f);
}

static uint32_t count_leading_zeros(uint32_t x) {
    uint32_t n = 32;
    for (; x; x >>= 1)
        n--;
    return n;
}

static uint32_t per_byte(enum ir_op op, uint32_t a, uint32_t b) {
    uint32_t r = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        int x = a >> shift & 255, y = b >> shift & 255, v;
        switch (op) {
        case IR_V8MULD: v = (x * y + 127) / 255; break;
        case IR_V8ADDS: v = x + y > 255 ? 255 : x + y; break;
        case IR_V8SUBS: v = x > y ? x - y : 0; break;
        case IR_V8MIN: v = x < y ? x : y; break;
        case IR_V8MAX: v = x > y ? x : y; break;
        default: return 0;
        }
        r |= (uint32_t)v << shift;
    }
    return r;
}

static double round_even(double x) {
    double whole = floor(x + 0.5);
    return copysign(whole - x == 0.5 && fmod(whole, 2) != 0 ? whole - 1 : whole, x);
}

static bool eval_float(enum ir_op op, const float *x, uint32_t *r) {
    const double pi2 = 6.283185307179586;
    switch (op) {
    case IR_FADD: return put_sum(x[0], x[1], r);
    case IR_FSUB: return put_sum(x[0], -x[1], r);
    case IR_FMUL: return put(ir_eval_fmul(x[0], x[1]), r);
    case IR_FMIN: return put(x[0] < x[1] ? x[0] : x[1], r);
    case IR_FMAX: return put(x[0] > x[1] ? x[0] : x[1], r);
    case IR_FMINABS: return put(fminf(fabsf(x[0]), fabsf(x[1])), r);
    case IR_FMAXABS: return put(fmaxf(fabsf(x[0]), fabsf(x[1])), r);
    case IR_F2I: return put_bits(to_int(x[0]), r);
    case IR_FNEG: return put(0.0f - x[0], r);
    case IR_FABS: return put(fabsf(x[0]), r);
    case IR_FSAT: return put(x[0] < 0.0f ? 0.0f : x[0] > 1.0f ? 1.0f : x[0], r);
    case IR_FSIGN: return put((x[0] > 0.0f) - (x[0] < 0.0f), r);
    case IR_FTRUNC: return put(truncf(x[0]) + 0.0f, r); /* 0, not -0, as are the machine's */
    case IR_FFLOOR: return put(floorf(x[0]) + 0.0f, r);
    case IR_FCEIL: return put(ceilf(x[0]) + 0.0f, r);
    case IR_FROUND: return put(floor((double)x[0] + 0.5), r);
    case IR_FROUNDEVEN: return put(round_even(x[0]), r);
    case IR_FFRACT: return put(add_toward_zero(x[0], -floor(x[0])), r); /* below 1 */
    case IR_FMOD: return put(x[1] == 0 ? 0 : x[0] - x[1] * floor((double)x[0] / x[1]), r);
    case IR_FREM: return put(x[0] - x[1] * trunc((double)x[0] / x[1]), r);
    case IR_FDIV: return put(x[0] == 0 && x[1] == 0 ? 0 : x[0] / x[1], r);
    case IR_FRCP: return put(1.0f / x[0], r);
    case IR_FSQRT: return put(x[0] > 0 ? sqrtf(x[0]) : 0, r);
    case IR_FRSQ: return put(x[0] < 0 ? 0 : 1.0 / sqrt(x[0] + 0.0), r); /* inf at -0 */
    case IR_FEXP2: return put(constant_exp2(x[0]), r);
    case IR_FLOG2: return put(constant_log2(x[0] > 0 ? x[0] : 0), r);
    case IR_FPOW: return put(constant_pow(x[0] > 0 || floorf(x[1]) == x[1] ? x[0] + 0.0 : 0, x[1]), r);
    case IR_FSIN: return put(constant_sin(fmod(x[0], pi2 * 0x1p20)), r);
    case IR_FCOS: return put(constant_cos(fmod(x[0], pi2 * 0x1p20)), r);
    case IR_FTAN: {
        double angle = fmod(x[0], pi2 * 0x1p20);
        return put(constant_sin(angle) / constant_cos(angle), r);
    }
    case IR_FASIN: return put(constant_asin(x[0]), r);
    case IR_FACOS: return put(constant_acos(x[0]), r);
    case IR_FATAN: return put(constant_atan(x[0]), r);
    case IR_FATAN2: return put(constant_atan2(x[0] + 0.0, x[1] + 0.0), r); /* -0 is 0 */
    case IR_F2U: return put_bits(x[0] >= 0.0f && x[0] < 4294967296.0f ? (uint32_t)x[0] : 0, r);
    case IR_FLT: return put_bits(x[0] < x[1], r);
    case IR_FGE: return put_bits(x[0] >= x[1], r);
    case IR_FEQ: return put_bits(x[0] == x[1], r);
    case IR_FNE: return put_bits(x[0] != x[1], r);
    case IR_PACK_COLOR:
        return put_bits(byte_of(x[0]) | byte_of(x[1]) << 8 | byte_of(x[2]) << 16 | byte_of(x[3]) << 24, r);
    case IR_PACK_16F: return put_bits(ir_float_to_half(x[0]) | (uint32_t)ir_float_to_half(x[1]) << 16, r);
    default: return false;
    }
}

/* Has the operation one sensible answer where an operand is not a number? Such a component is drawn as 0 and
 * must not take the others with it; comparisons are IEEE's. */
static bool takes_nan(enum ir_op op) {
    return op == IR_PACK_COLOR || op == IR_FEQ || op == IR_FNE || op == IR_FLT || op == IR_FGE;
}

static bool eval_division(enum ir_op op, uint32_t a, uint32_t b, uint32_t *r) {
    if (b == 0)
        return false;
    int64_t x = (int32_t)a, y = (int32_t)b;
    switch (op) {
    case IR_IDIV: return put_bits((uint32_t)(x / y), r);
    case IR_IREM: return put_bits((uint32_t)(x % y), r);
    case IR_IMOD: return put_bits((uint32_t)(x % y && ((x % y) ^ y) < 0 ? x % y + y : x % y), r);
    case IR_UDIV: return put_bits(a / b, r);
    case IR_UREM: return put_bits(a % b, r);
    default: return false;
    }
}

static bool eval_int(enum ir_op op, uint32_t imm, const uint32_t *s, uint32_t *r) {
    uint32_t a = s[0], b = s[1], n = b & 31;
    int32_t x = (int32_t)a, y = (int32_t)b;
    switch (op) {
    case IR_I2F: return put(x, r);
    case IR_U2F: return put(a, r);
    case IR_IADD: return put_bits(a + b, r);
    case IR_ISUB: return put_bits(a - b, r);
    case IR_UMUL24: return put_bits((a & 0xffffffu) * (b & 0xffffffu), r);
    case IR_IAND: return put_bits(a & b, r);
    case IR_IOR: return put_bits(a | b, r);
    case IR_IXOR: return put_bits(a ^ b, r);
    case IR_INOT: return put_bits(~a, r);
    case IR_ISHL: return put_bits(a << n, r);
    case IR_USHR: return put_bits(a >> n, r);
    case IR_IASR: return put_bits(a >> n | (x < 0 && n ? ~(0xffffffffu >> n) : 0), r);
    case IR_IROR: return put_bits(n ? a >> n | a << (32 - n) : a, r);
    case IR_IMIN: return put_bits(x < y ? a : b, r);
    case IR_IMAX: return put_bits(x > y ? a : b, r);
    case IR_ICLZ: return put_bits(count_leading_zeros(a), r);
    case IR_INEG: return put_bits(0u - a, r);
    case IR_IABS: return put_bits(x < 0 ? 0u - a : a, r);
    case IR_ISIGN: return put_bits((uint32_t)((x > 0) - (x < 0)), r);
    case IR_IMUL: return put_bits(a * b, r);
    case IR_UMIN: return put_bits(a < b ? a : b, r);
    case IR_UMAX: return put_bits(a > b ? a : b, r);
    case IR_ILT: return put_bits(x < y, r);
    case IR_IGE: return put_bits(x >= y, r);
    case IR_IEQ: return put_bits(a == b, r);
    case IR_INE: return put_bits(a != b, r);
    case IR_ULT: return put_bits(a < b, r);
    case IR_UGE: return put_bits(a >= b, r);
    case IR_IBITS: return put_bits(a, r);
    case IR_B2F: return put_bits(a ? 0x3f800000u : 0, r);
    case IR_B2I: return put_bits(a != 0, r);
    case IR_BAND: return put_bits(a && b, r);
    case IR_BOR: return put_bits(a || b, r);
    case IR_BXOR: return put_bits(!a != !b, r);
    case IR_BNOT: return put_bits(!a, r);
    case IR_SELECT: return put_bits(a ? s[1] : s[2], r);
    case IR_V8MULD:
    case IR_V8ADDS:
    case IR_V8SUBS:
    case IR_V8MIN:
    case IR_V8MAX: return put_bits(per_byte(op, a, b), r);
    case IR_UNPACK_8F: return put((float)(a >> 8 * (imm & 3) & 255) / 255.0f, r);
    case IR_UNPACK_8I: return put_bits(a >> 8 * (imm & 3) & 255, r);
    case IR_UNPACK_16F: return put(ir_half_to_float((uint16_t)(a >> 16 * (imm & 1))), r);
    case IR_UNPACK_16I: return put_bits((uint32_t)(int32_t)(int16_t)(a >> 16 * (imm & 1)), r);
    case IR_REP_8D: return put_bits((a >> 24) * 0x01010101u, r);
    case IR_PACK_16I: return put_bits((a & 0xffff) | b << 16, r);
    case IR_PACK_8F: {
        unsigned shift = 8 * (imm & 3);
        return put_bits((a & ~(255u << shift)) | byte_of(ir_bits_to_float(b)) << shift, r);
    }
    default: return eval_division(op, a, b, r);
    }
}

bool ir_eval(enum ir_op op, uint32_t imm, const uint32_t *sources, uint32_t count, uint32_t *result) {
    const struct ir_op_info *info = ir_op_info(op);
    if (count == 0 || count > 4 || count < info->min_src || !info->folds)
        return false;
    uint32_t s[4] = {0};
    memcpy(s, sources, count * sizeof *s);
    if (info->sources[0] != 'f')
        return eval_int(op, imm, s, result);
    if (op == IR_FBITS) /* a move: whatever the bits mean */
        return put_bits(s[0], result);
    float x[4] = {0};
    bool nan = false;
    for (uint32_t i = 0; i < count; i++) {
        x[i] = ir_bits_to_float(ir_flush_denormal(s[i]));
        nan |= isnan(x[i]);
    }
    return (!nan || takes_nan(op)) && eval_float(op, x, result);
}

bool ir_eval_undefined(enum ir_op op, const uint32_t *sources) {
    float x = ir_bits_to_float(sources[0]);
    float y = op == IR_FMOD || op == IR_FDIV ? ir_bits_to_float(sources[1]) : 0.0f;
    switch (op) {
    case IR_FPOW:
    case IR_FSQRT:
    case IR_FRSQ:
    case IR_FLOG2: return x < 0;
    case IR_FMOD: return y == 0;
    case IR_FDIV: return x == 0 && y == 0;
    default: return false;
    }
}
