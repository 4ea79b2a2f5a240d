/* Add ALU and mul ALU.
 *
 * Float rules (guide section 3 is silent; measurements and third parties, see docs/hardware.md,
 * Arithmetic):
 * - sums and conversions round toward zero, products to nearest, halves away from zero; too large ones
 * become infinity;
 * - denormal operands and results are +0, and -0 operands count as +0 in fadd, fsub and fmul;
 * - fadd: a NaN-patterned or infinite operand gives the infinity of its sign, the second operand's if both
 * are such;
 * - fmul: by zero gives +0 whatever the other operand, else exponent 255 gives infinity;
 * - fmin, fmax and their absolute forms order the bit patterns (sign and magnitude), without flushing;
 * - ftoi truncates and keeps the low 32 bits; infinities and NaN patterns give 0, +-FLT_MAX was measured as
 * 0x80000000; itof truncates.
 * Flags: Z and N from the 32-bit result; C is the carry or borrow, the last bit shifted out, a > b for min
 * and max, "result > 0" after fadd, fsub, fmul and itof, product above 32 bits for mul24, clear otherwise. */
#include "runtime/alu.h"

#include <float.h>

#include "backend/isa/isa.h"

#define EXP_MASK 0x7f800000u
#define SIGN 0x80000000u
#define INF 0x7f800000u

/* --- scalar definitions --------------------------------------------------------------------------------- */

static unsigned exponent(uint32_t x) {
    return x >> 23 & 0xff;
}

/* Flushes denormals and -0 to +0. */
static uint32_t flush(uint32_t x) {
    return exponent(x) ? x : 0;
}

/* Packs sign, exponent and a 24-bit mantissa (bit 23 set), with the range rules. */
static uint32_t assemble(uint32_t sign, int exp, uint32_t mantissa) {
    if (exp <= 0)
        return 0;
    if (exp >= 255)
        return sign | INF;
    return sign | (uint32_t)exp << 23 | (mantissa & 0x7fffff);
}

uint32_t sim_fadd(uint32_t a, uint32_t b) {
    a = flush(a);
    b = flush(b);
    if (exponent(b) == 255)
        return (b & SIGN) | INF;
    if (exponent(a) == 255)
        return (a & SIGN) | INF;
    if ((a & ~SIGN) < (b & ~SIGN)) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    if (!b)
        return a;
    /* 24-bit mantissas with 36 bits below; bits shifted out of b's end survive as a sticky bit, which is all
     * that truncation needs to know when subtracting. */
    int exp = (int)exponent(a);
    unsigned shift = exponent(a) - exponent(b);
    uint64_t ma = (uint64_t)((a & 0x7fffff) | 0x800000) << 36;
    uint64_t mb = (uint64_t)((b & 0x7fffff) | 0x800000) << 36;
    if (shift >= 60)
        mb = 1;
    else if (shift)
        mb = mb >> shift | ((mb & ((1ull << shift) - 1)) != 0);
    uint64_t m = (a ^ b) & SIGN ? ma - mb : ma + mb;
    if (!m)
        return 0;
    int top = 63 - __builtin_clzll(m); /* 59 when the exponent stays */
    return assemble(a & SIGN, exp + top - 59, (uint32_t)(top >= 23 ? m >> (top - 23) : m << (23 - top)));
}

uint32_t sim_fsub(uint32_t a, uint32_t b) {
    return sim_fadd(a, b ^ SIGN);
}

uint32_t sim_fmul(uint32_t a, uint32_t b) {
    uint32_t sign = (a ^ b) & SIGN;
    if (!exponent(a) || !exponent(b))
        return 0;
    if (exponent(a) == 255 || exponent(b) == 255)
        return sign | INF;
    uint64_t m = (uint64_t)((a & 0x7fffff) | 0x800000) * ((b & 0x7fffff) | 0x800000); /* 47 or 48 bits */
    unsigned above = (unsigned)(m >> 47), cut = 23 + above;
    int exp = (int)exponent(a) + (int)exponent(b) - 127 + (int)above;
    if (exp <= 0) /* what is too small does not become a number by rounding */
        return 0;
    m = (m + (1ull << (cut - 1))) >> cut;
    above = (unsigned)(m >> 24);
    return assemble(sign, exp + (int)above, (uint32_t)(m >> above));
}

uint32_t sim_ftoi(uint32_t a) {
    int exp = (int)exponent(a) - 127;
    if (exp < 0)
        return 0;
    if ((a & ~SIGN) == 0x7f7fffff)
        return SIGN;
    if (exp >= 55)
        return 0;
    uint32_t m = (a & 0x7fffff) | 0x800000;
    m = exp < 23 ? m >> (23 - exp) : (uint32_t)((uint64_t)m << (exp - 23));
    return a & SIGN ? 0u - m : m;
}

uint32_t sim_itof(uint32_t a) {
    if (!a)
        return 0;
    uint32_t sign = a & SIGN, m = sign ? 0u - a : a;
    int top = 31 - __builtin_clz(m);
    return assemble(sign, 127 + top, top >= 23 ? m >> (top - 23) : m << (23 - top));
}

/* Denormal halves arrive unnormalised (measured on hardware: the mantissa is only shifted into place). */
uint32_t sim_half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exp = h >> 10 & 31, m = (uint32_t)(h & 0x3ff) << 13;
    if (exp == 0)
        return sign | m;
    if (exp == 31)
        return sign | INF | m;
    return sign | (exp + 112) << 23 | m;
}

/* Zero, denormal: +0. NaN and too large: infinity. Rounds toward zero like the rest of the ALU; the only
 * third-party note on the rounding is marked unverified. */
uint16_t sim_float_to_half(uint32_t f) {
    uint16_t sign = (uint16_t)(f >> 16 & 0x8000);
    int exp = (int)exponent(f) - 112;
    if (exp <= 0)
        return 0;
    if (exp >= 31)
        return (uint16_t)(sign | 0x7c00);
    return (uint16_t)(sign | exp << 10 | (f >> 13 & 0x3ff));
}

uint32_t sim_byte_to_float(uint8_t n) {
    if (!n)
        return 0;
    /* floor(n * 2^40 / 255) has at least 32 bits: enough for a truncated 24-bit mantissa. */
    uint64_t q = ((uint64_t)n << 40) / 255;
    int top = 63 - __builtin_clzll(q);
    return assemble(0, 127 + top - 40, (uint32_t)(q >> (top - 23)));
}

uint8_t sim_float_to_byte(uint32_t f) {
    if (f & SIGN || !exponent(f))
        return 0;
    if (f >= 0x3f800000)
        return 255;
    /* mantissa * 255 / 2^(150 - exponent), rounded to nearest, halves up. */
    unsigned shift = 150 - exponent(f);
    if (shift > 40)
        return 0;
    uint64_t m = (uint64_t)((f & 0x7fffff) | 0x800000) * 255;
    return (uint8_t)((m + (1ull << (shift - 1))) >> shift);
}

/* --- sixteen lanes -------------------------------------------------------------------------------------- */

/* Plain loops that compilers vectorise for whatever the host has. */

#define LANES for (unsigned i = 0; i < SIM_LANES; i++)

typedef const uint32_t *restrict operand;
typedef uint32_t *restrict result;

/* Nearest-even sum and its exact error (Knuth's two-sum) give the truncated sum: where the error points
 * toward zero, the rounded value is one unit too large. Operands near the top of the range go the scalar way.
 */
SIM_INLINE void fadd16(operand a, operand b, uint32_t flip, result r) {
#if FLT_EVAL_METHOD == 0
    uint32_t top = 0;
    LANES {
        /* Sets bit 31 from exponent 253 on. */
        top |= (a[i] & EXP_MASK) + (0x80000000u - 0x7e800000u);
        top |= (b[i] & EXP_MASK) + (0x80000000u - 0x7e800000u);
    }
    if (__builtin_expect(!(top >> 31), 1)) {
        float x[SIM_LANES], y[SIM_LANES], s[SIM_LANES], e[SIM_LANES];
        uint32_t u[SIM_LANES], v[SIM_LANES];
        LANES {
            u[i] = a[i] & EXP_MASK ? a[i] : 0;
            v[i] = b[i] & EXP_MASK ? b[i] ^ flip : 0;
        }
        memcpy(x, u, sizeof x);
        memcpy(y, v, sizeof y);
        LANES {
            s[i] = x[i] + y[i];
            float bb = s[i] - x[i];
            e[i] = (x[i] - (s[i] - bb)) + (y[i] - bb);
        }
        memcpy(u, s, sizeof u);
        memcpy(v, e, sizeof v);
        LANES {
            /* |exact| < |s| when there is an error and its sign differs from the sum's. */
            uint32_t wrong = (v[i] << 1 ? (u[i] ^ v[i]) >> 31 : 0);
            uint32_t w = u[i] - wrong;
            r[i] = w & EXP_MASK ? w : 0;
        }
        return;
    }
#endif
    LANES r[i] = sim_fadd(a[i], b[i] ^ flip);
}

/* The product of two floats is exact in a double. Half a unit of the float's last place added to its
 * magnitude, and the low 29 bits cut off, rounds it. */
SIM_INLINE void fmul16(operand a, operand b, result r) {
#if FLT_EVAL_METHOD == 0
    uint32_t top = 0;
    LANES {
        /* Sets bit 31 for exponent 255. */
        top |= (a[i] & EXP_MASK) + 0x00800000u;
        top |= (b[i] & EXP_MASK) + 0x00800000u;
    }
    if (__builtin_expect(!(top >> 31), 1)) {
        float f[SIM_LANES], g[SIM_LANES], h[SIM_LANES];
        double d[SIM_LANES];
        uint64_t w[SIM_LANES];
        uint32_t u[SIM_LANES], v[SIM_LANES];
        LANES {
            u[i] = a[i] & EXP_MASK ? a[i] : 0;
            v[i] = b[i] & EXP_MASK ? b[i] : 0;
        }
        memcpy(f, u, sizeof f);
        memcpy(g, v, sizeof g);
        LANES d[i] = (double)f[i] * (double)g[i];
        memcpy(w, d, sizeof w);
        LANES w[i] = (w[i] + 0x10000000u) & ~0x1fffffffull;
        memcpy(d, w, sizeof d);
        LANES h[i] = (float)d[i];
        memcpy(u, h, sizeof u);
        /* Either rounding may have made the smallest normal number of less than that; and where the host
         * rounds toward zero, the largest of more. */
        uint32_t doubtful = 0;
        LANES {
            uint32_t size = u[i] & ~SIGN;
            doubtful |= (size == 0x00800000u) | (size >= 0x7f7fffffu);
            r[i] = u[i] & EXP_MASK ? u[i] : 0;
        }
        if (__builtin_expect(doubtful, 0))
            for (unsigned i = 0; i < SIM_LANES; i++)
                r[i] = sim_fmul(a[i], b[i]);
        return;
    }
#endif
    LANES r[i] = sim_fmul(a[i], b[i]);
}

SIM_INLINE void ftoi16(operand a, result r) {
    uint32_t top = 0;
    LANES top |= (a[i] & EXP_MASK) + (0x80000000u - 0x4f000000u); /* 2^31 and up */
    if (__builtin_expect(top >> 31, 0)) {
        LANES r[i] = sim_ftoi(a[i]);
        return;
    }
    float f[SIM_LANES];
    memcpy(f, a, sizeof f);
    LANES r[i] = (uint32_t)(int32_t)f[i];
}

/* Nearest conversion, one unit less where it went past the integer. */
SIM_INLINE void itof16(operand a, result r) {
    float f[SIM_LANES];
    uint32_t u[SIM_LANES];
    LANES f[i] = (float)(int32_t)a[i];
    memcpy(u, f, sizeof u);
    LANES {
        double exact = (double)(int32_t)a[i], rounded = (double)f[i];
        r[i] = u[i] - (__builtin_fabs(rounded) > __builtin_fabs(exact));
    }
}

/* Sign and magnitude to a signed integer of the same order. */
static inline int32_t order(uint32_t x) {
    return (int32_t)(x ^ ((uint32_t)((int32_t)x >> 31) & 0x7fffffffu));
}

#define MASK(condition) (uint32_t) - (int32_t)(condition)

/* r = expression of x and y in each lane; carry is `c`, when asked for. */
#define EACH(expression, c)                                                                                  \
    LANES {                                                                                                  \
        uint32_t x = a[i], y = b[i];                                                                         \
        (void)y;                                                                                             \
        r[i] = (uint32_t)(expression);                                                                       \
    }                                                                                                        \
    if (extra)                                                                                               \
        LANES {                                                                                              \
            uint32_t x = a[i], y = b[i];                                                                     \
            (void)x, (void)y;                                                                                \
            carry[i] = MASK(c);                                                                              \
        }                                                                                                    \
    break

/* The bit that a shift pushed out last; n is not 0. */
#define SHIFT(expression, last)                                                                              \
    LANES {                                                                                                  \
        uint32_t x = a[i], n = b[i] & 31;                                                                    \
        r[i] = (uint32_t)(expression);                                                                       \
    }                                                                                                        \
    if (extra)                                                                                               \
        LANES {                                                                                              \
            uint32_t x = a[i], n = b[i] & 31;                                                                \
            carry[i] = MASK(n && (x >> ((last)&31) & 1));                                                    \
        }                                                                                                    \
    break

#define EACH_BYTE(expression)                                                                                \
    do {                                                                                                     \
        const uint8_t *restrict p = (const uint8_t *)a, *restrict q = (const uint8_t *)b;                    \
        uint8_t *restrict to = (uint8_t *)r;                                                                 \
        for (unsigned i = 0; i < 4 * SIM_LANES; i++) {                                                       \
            unsigned x = p[i], y = q[i];                                                                     \
            to[i] = (uint8_t)(expression);                                                                   \
        }                                                                                                    \
        if (extra)                                                                                           \
            LANES carry[i] = 0;                                                                              \
    } while (0);                                                                                             \
    break

SIM_VERSIONS
static bool add_lanes(unsigned op, operand a, operand b, bool extra, result r, result carry,
                      result overflow) {
    switch (op) {
    case QPU_A_FADD:
    case QPU_A_FSUB:
        fadd16(a, b, op == QPU_A_FSUB ? SIGN : 0, r);
        if (extra)
            LANES carry[i] = MASK((int32_t)r[i] > 0);
        break;
    case QPU_A_FMIN: EACH(order(x) > order(y) ? y : x, order(x) > order(y));
    case QPU_A_FMAX: EACH(order(x) > order(y) ? x : y, order(x) > order(y));
    case QPU_A_FMINABS: EACH((x & ~SIGN) > (y & ~SIGN) ? y & ~SIGN : x & ~SIGN, (x & ~SIGN) > (y & ~SIGN));
    case QPU_A_FMAXABS: EACH((x & ~SIGN) > (y & ~SIGN) ? x & ~SIGN : y & ~SIGN, (x & ~SIGN) > (y & ~SIGN));
    case QPU_A_FTOI:
        ftoi16(a, r);
        if (extra)
            LANES carry[i] = 0;
        break;
    case QPU_A_ITOF:
        itof16(a, r);
        if (extra)
            LANES carry[i] = MASK((int32_t)r[i] > 0);
        break;
    case QPU_A_ADD:
        LANES r[i] = a[i] + b[i];
        if (extra)
            LANES {
                carry[i] = MASK(r[i] < a[i]);
                overflow[i] = (uint32_t)((int32_t)((a[i] ^ r[i]) & (b[i] ^ r[i])) >> 31);
            }
        return true;
    case QPU_A_SUB:
        LANES r[i] = a[i] - b[i];
        if (extra)
            LANES {
                carry[i] = MASK(a[i] < b[i]);
                overflow[i] = (uint32_t)((int32_t)((a[i] ^ b[i]) & (a[i] ^ r[i])) >> 31);
            }
        return true;
    case QPU_A_SHR: SHIFT(x >> n, n - 1);
    case QPU_A_ASR: SHIFT((int32_t)x >> n, n - 1);
    case QPU_A_ROR: SHIFT(x >> n | x << (-n & 31), n - 1);
    case QPU_A_SHL: SHIFT(x << n, 0u - n);
    case QPU_A_MIN: EACH((int32_t)x > (int32_t)y ? y : x, (int32_t)x > (int32_t)y);
    case QPU_A_MAX: EACH((int32_t)x > (int32_t)y ? x : y, (int32_t)x > (int32_t)y);
    case QPU_A_AND: EACH(x & y, 0);
    case QPU_A_OR: EACH(x | y, 0);
    case QPU_A_XOR: EACH(x ^ y, 0);
    case QPU_A_NOT: EACH(~x, 0);
    case QPU_A_CLZ: EACH(x ? __builtin_clz(x) : 32, 0);
    case QPU_A_V8ADDS: EACH_BYTE(x + y > 255 ? 255 : x + y);
    case QPU_A_V8SUBS: EACH_BYTE(x > y ? x - y : 0);
    default: return false;
    }
    if (extra)
        LANES overflow[i] = 0;
    return true;
}

SIM_VERSIONS
static bool mul_lanes(unsigned op, operand a, operand b, bool extra, result r, result carry) {
    switch (op) {
    case QPU_M_FMUL:
        fmul16(a, b, r);
        if (extra)
            LANES carry[i] = MASK((int32_t)r[i] > 0);
        break;
    case QPU_M_MUL24:
        EACH((x & 0xffffff) * (y & 0xffffff), (uint64_t)(x & 0xffffff) * (y & 0xffffff) >> 32 != 0);
    case QPU_M_V8MULD: EACH_BYTE((x * y + 127) / 255);
    case QPU_M_V8MIN: EACH_BYTE(x < y ? x : y);
    case QPU_M_V8MAX: EACH_BYTE(x > y ? x : y);
    case QPU_M_V8ADDS: EACH_BYTE(x + y > 255 ? 255 : x + y);
    case QPU_M_V8SUBS: EACH_BYTE(x > y ? x - y : 0);
    default: return false;
    }
    return true;
}

bool sim_add_op(unsigned op, const u32x16 *a, const u32x16 *b, bool extra, struct sim_alu_out *out) {
    if (op == QPU_A_OR && a == b) { /* mov */
        out->value = *a;
        if (extra)
            out->carry = out->overflow = (i32x16){};
        return true;
    }
    return add_lanes(op, (operand)a, (operand)b, extra, (result)&out->value, (result)&out->carry,
                     (result)&out->overflow);
}

bool sim_mul_op(unsigned op, const u32x16 *a, const u32x16 *b, bool extra, struct sim_alu_out *out) {
    if (extra)
        out->overflow = (i32x16){};
    if (op == QPU_M_V8MIN && a == b) { /* mov */
        out->value = *a;
        if (extra)
            out->carry = (i32x16){};
        return true;
    }
    return mul_lanes(op, (operand)a, (operand)b, extra, (result)&out->value, (result)&out->carry);
}

/* --- pack and unpack ------------------------------------------------------------------------------------ */

SIM_VERSIONS
static void unpack_lanes(unsigned mode, bool as_float, operand a, result r) {
    unsigned shift = mode == QPU_UNPACK_16B ? 16 : mode >= QPU_UNPACK_8A ? 8 * (mode - QPU_UNPACK_8A) : 0;
    switch (mode) {
    case QPU_UNPACK_16A:
    case QPU_UNPACK_16B:
        if (as_float)
            LANES {
                uint32_t h = a[i] >> shift, exp = h >> 10 & 31, sign = (h & 0x8000) << 16,
                         m = (h & 0x3ff) << 13;
                uint32_t e = exp == 31 ? 255 : exp + 112;
                r[i] = sign | m | (exp ? e << 23 : 0);
            }
        else
            LANES r[i] = (uint32_t)((int32_t)(a[i] >> shift << 16) >> 16);
        break;
    case QPU_UNPACK_8D_REP: LANES r[i] = (a[i] >> 24) * 0x01010101u; break;
    case QPU_UNPACK_NONE: LANES r[i] = a[i]; break;
    default:
        if (as_float) {
            double d[SIM_LANES];
            uint64_t w[SIM_LANES];
            float f[SIM_LANES];
            LANES d[i] = (double)(int32_t)(a[i] >> shift & 255) / 255.0;
            memcpy(w, d, sizeof w);
            LANES w[i] &=
                ~0x1fffffffull; /* the quotient is never so near to a float that its rounding matters */
            memcpy(d, w, sizeof d);
            LANES f[i] = (float)d[i];
            memcpy(r, f, sizeof f);
        } else {
            LANES r[i] = a[i] >> shift & 255;
        }
        break;
    }
}

void sim_unpack(unsigned mode, bool as_float, const u32x16 *in, u32x16 *out) {
    unpack_lanes(mode, as_float, (operand)in, (result)out);
}

static inline uint32_t clamp_i(uint32_t v, int32_t lo, int32_t hi) {
    int32_t s = (int32_t)v;
    s = s < lo ? lo : s;
    return (uint32_t)(s > hi ? hi : s);
}

static void pack_lanes(unsigned mode, bool float_result, const uint32_t *in, const uint32_t *overflow,
                       const uint32_t *old, uint32_t *out) {
    bool sat = mode & QPU_PACK_SAT;
    unsigned kind = mode & 7;
    LANES {
        uint32_t v = in[i], keep = old[i];
        /* A sum that overflowed has the wrong sign; the 32-bit saturation comes first. */
        if (sat && !float_result && overflow[i])
            v = (uint32_t)((int32_t)v >> 31) ^ SIGN;
        switch (kind) {
        case QPU_PACK_NONE: break;
        case QPU_PACK_16A:
        case QPU_PACK_16B:
            v = float_result ? sim_float_to_half(v) : (sat ? clamp_i(v, -32768, 32767) : v) & 0xffff;
            v = kind == QPU_PACK_16A ? (keep & 0xffff0000u) | v : (keep & 0xffffu) | v << 16;
            break;
        case QPU_PACK_8888: v = ((sat ? clamp_i(v, 0, 255) : v) & 0xff) * 0x01010101u; break;
        default: {
            unsigned shift = 8 * (kind - QPU_PACK_8A);
            v = ((sat ? clamp_i(v, 0, 255) : v) & 0xff) << shift;
            v |= keep & ~(0xffu << shift);
        }
        }
        out[i] = v;
    }
}

void sim_pack_a(unsigned mode, bool float_result, const struct sim_alu_out *in, const u32x16 *old,
                u32x16 *out) {
    pack_lanes(mode, float_result, (const uint32_t *)&in->value, (const uint32_t *)&in->overflow,
               (const uint32_t *)old, (uint32_t *)out);
}

SIM_VERSIONS
static void pack_mul_lanes(unsigned mode, const uint32_t *in, const uint32_t *old, uint32_t *out) {
    float f[SIM_LANES];
    uint32_t u[SIM_LANES];
    LANES {
        uint32_t v = in[i];
        v = (int32_t)v < 0 || !(v & EXP_MASK) ? 0 : v;
        u[i] = v > 0x3f800000u ? 0x3f800000u : v;
    }
    memcpy(f, u, sizeof f);
    LANES u[i] = (uint32_t)(int32_t)((double)f[i] * 255.0 + 0.5); /* exact: 32 bits and a half */
    if (mode == QPU_PACK_8888) {
        LANES out[i] = u[i] * 0x01010101u;
    } else {
        unsigned shift = 8 * (mode - QPU_PACK_8A);
        LANES out[i] = u[i] << shift | (old[i] & ~(0xffu << shift));
    }
}

void sim_pack_mul(unsigned mode, const u32x16 *in, const u32x16 *old, u32x16 *out) {
    if (mode == QPU_PACK_NONE)
        *out = *in;
    else
        pack_mul_lanes(mode, (const uint32_t *)in, (const uint32_t *)old, (uint32_t *)out);
}

/* --- flags and conditions ------------------------------------------------------------------------------- */

SIM_VERSIONS
static void flag_lanes(const uint32_t *value, result z, result n) {
    LANES {
        z[i] = MASK(value[i] == 0);
        n[i] = (uint32_t)((int32_t)value[i] >> 31);
    }
}

void sim_flags(const u32x16 *value, i32x16 *z, i32x16 *n) {
    flag_lanes((const uint32_t *)value, (result)z, (result)n);
}

SIM_VERSIONS
static void select_lanes(const uint32_t *mask, const uint32_t *value, uint32_t *into) {
    LANES into[i] = (mask[i] & value[i]) | (~mask[i] & into[i]);
}

void sim_select(const i32x16 *mask, const u32x16 *value, u32x16 *into) {
    select_lanes((const uint32_t *)mask, (const uint32_t *)value, (uint32_t *)into);
}
