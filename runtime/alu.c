/* Add ALU and mul ALU.
 *
 * Float rules (guide section 3 is silent; measurements and third parties, see the design notes' sections 0 and 2):
 * - results round toward zero; too large ones become infinity;
 * - denormal operands and results are +0, and -0 operands count as +0 in fadd, fsub and fmul;
 * - fadd: a NaN-patterned or infinite operand gives the infinity of its sign, the second operand's if both are such;
 * - fmul: by zero gives +0 whatever the other operand, else exponent 255 gives infinity;
 * - fmin, fmax and their absolute forms order the bit patterns (sign and magnitude), without flushing;
 * - ftoi truncates; out of range gives 0, save +-FLT_MAX, measured as 0x80000000; itof truncates.
 * Flags: Z and N from the 32-bit result; C is the carry or borrow, the last bit shifted out, a > b for min and max,
 * "result > 0" after fadd, fsub, fmul and itof, product above 32 bits for mul24, clear otherwise. */
#include "runtime/alu.h"

#include <float.h>

#include "backend/isa/isa.h"

#define EXP_MASK 0x7f800000u
#define SIGN 0x80000000u
#define INF 0x7f800000u

/* --- scalar definitions ---------------------------------------------------------------------------------------- */

static unsigned exponent(uint32_t x) { return x >> 23 & 0xff; }

/* Flushes denormals and -0 to +0. */
static uint32_t flush(uint32_t x) { return exponent(x) ? x : 0; }

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
    /* 24-bit mantissas with 36 bits below; bits shifted out of b's end survive as a sticky bit, which is all that
     * truncation needs to know when subtracting. */
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

uint32_t sim_fsub(uint32_t a, uint32_t b) { return sim_fadd(a, b ^ SIGN); }

uint32_t sim_fmul(uint32_t a, uint32_t b) {
    uint32_t sign = (a ^ b) & SIGN;
    if (!exponent(a) || !exponent(b))
        return 0;
    if (exponent(a) == 255 || exponent(b) == 255)
        return sign | INF;
    uint64_t m = (uint64_t)((a & 0x7fffff) | 0x800000) * ((b & 0x7fffff) | 0x800000); /* 47 or 48 bits */
    int exp = (int)exponent(a) + (int)exponent(b) - 127;
    if (m >> 47)
        return assemble(sign, exp + 1, (uint32_t)(m >> 24));
    return assemble(sign, exp, (uint32_t)(m >> 23));
}

uint32_t sim_ftoi(uint32_t a) {
    int exp = (int)exponent(a) - 127;
    if (exp < 0)
        return 0;
    if (exp >= 31) {
        if ((a & ~SIGN) == 0x7f7fffff)
            return SIGN;
        return a == 0xcf000000 ? SIGN : 0;
    }
    uint32_t m = (a & 0x7fffff) | 0x800000;
    m = exp >= 23 ? m << (exp - 23) : m >> (23 - exp);
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

/* Zero, denormal: +0. NaN and too large: infinity. Rounds toward zero like the rest of the ALU; the only third-party
 * note on the rounding is marked unverified. */
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

/* --- sixteen lanes ---------------------------------------------------------------------------------------------- */

static inline u32x16 select_u(i32x16 m, u32x16 a, u32x16 b) { return ((u32x16)m & a) | (~(u32x16)m & b); }

static inline bool any(i32x16 m) {
    uint64_t w[8], r = 0;
    memcpy(w, &m, sizeof w);
    for (int i = 0; i < 8; i++)
        r |= w[i];
    return r != 0;
}

/* Nearest-even sum and its exact error (Knuth's two-sum) give the truncated sum: where the error points toward
 * zero, the rounded value is one unit too large. Operands or results near the top of the range go the scalar way. */
static inline void fadd16(const u32x16 *pa, const u32x16 *pb, uint32_t flip, u32x16 *out) {
    u32x16 a = *pa, b = *pb ^ flip;
    u32x16 ea = a & EXP_MASK, eb = b & EXP_MASK;
    a &= (u32x16)(ea != 0);
    b &= (u32x16)(eb != 0);
#if FLT_EVAL_METHOD == 0
    if (__builtin_expect(!any((ea >= 0x7e800000u) | (eb >= 0x7e800000u)), 1)) {
        f32x16 x = (f32x16)a, y = (f32x16)b;
        f32x16 s = x + y;
        f32x16 bb = s - x;
        f32x16 e = (x - (s - bb)) + (y - bb);
        /* |exact| < |s| when the error's sign differs from the sum's. */
        i32x16 wrong = ((i32x16)((u32x16)e ^ (u32x16)s) < 0) & (e != 0.0f);
        u32x16 r = (u32x16)s + (u32x16)wrong;
        *out = r & (u32x16)((r & EXP_MASK) != 0);
        return;
    }
#endif
    u32x16 r;
    for (unsigned i = 0; i < SIM_LANES; i++)
        r[i] = sim_fadd(a[i], b[i]);
    *out = r;
}

/* The product of two floats is exact in a double; cutting its low 29 bits truncates it. */
static inline void fmul16(const u32x16 *pa, const u32x16 *pb, u32x16 *out) {
    uint32_t r[SIM_LANES], a[SIM_LANES], b[SIM_LANES];
    memcpy(a, pa, sizeof a);
    memcpy(b, pb, sizeof b);
    u32x16 ea = *pa & EXP_MASK, eb = *pb & EXP_MASK;
#if FLT_EVAL_METHOD == 0
    if (__builtin_expect(!any((ea == EXP_MASK) | (eb == EXP_MASK)), 1)) {
        float f[SIM_LANES], g[SIM_LANES], h[SIM_LANES];
        double d[SIM_LANES];
        uint64_t u[SIM_LANES];
        u32x16 za = *pa & (u32x16)(ea != 0), zb = *pb & (u32x16)(eb != 0);
        memcpy(f, &za, sizeof f);
        memcpy(g, &zb, sizeof g);
        for (unsigned i = 0; i < SIM_LANES; i++)
            d[i] = (double)f[i] * (double)g[i];
        memcpy(u, d, sizeof u);
        for (unsigned i = 0; i < SIM_LANES; i++)
            u[i] &= ~0x1fffffffull;
        memcpy(d, u, sizeof d);
        for (unsigned i = 0; i < SIM_LANES; i++)
            h[i] = (float)d[i];
        u32x16 v;
        memcpy(&v, h, sizeof v);
        /* The conversion rounds below the smallest normal number: 2^-126 - 2^-150 would become normal. */
        u32x16 tiny = (u32x16)((v & ~SIGN) <= 0x00800000u);
        v &= (u32x16)((v & EXP_MASK) != 0);
        if (__builtin_expect(any((i32x16)(tiny & (u32x16)(v != 0))), 0)) {
            memcpy(r, &v, sizeof r);
            for (unsigned i = 0; i < SIM_LANES; i++)
                if ((r[i] & ~SIGN) == 0x00800000u)
                    r[i] = sim_fmul(a[i], b[i]);
            memcpy(&v, r, sizeof v);
        }
        *out = v;
        return;
    }
#endif
    (void)eb;
    (void)ea;
    for (unsigned i = 0; i < SIM_LANES; i++)
        r[i] = sim_fmul(a[i], b[i]);
    memcpy(out, r, sizeof r);
}

/* Sign and magnitude to a signed integer of the same order. */
static inline i32x16 order(u32x16 x) { return (i32x16)(x ^ ((u32x16)((i32x16)x >> 31) & 0x7fffffffu)); }

#define EACH_BYTE(expr)                                                                                                \
    do {                                                                                                               \
        uint8_t x_[64], y_[64], r_[64];                                                                                \
        memcpy(x_, a, 64);                                                                                             \
        memcpy(y_, b, 64);                                                                                             \
        for (int i_ = 0; i_ < 64; i_++) {                                                                              \
            unsigned x = x_[i_], y = y_[i_];                                                                           \
            r_[i_] = (uint8_t)(expr);                                                                                  \
        }                                                                                                              \
        memcpy(&out->value, r_, 64);                                                                                   \
    } while (0)

bool sim_add_op(unsigned op, const u32x16 *a, const u32x16 *b, bool flags, struct sim_alu_out *out) {
    const u32x16 x = *a, y = *b;
    i32x16 carry = {}, overflow = {};
    u32x16 r, n;
    switch (op) {
    case QPU_A_FADD:
        fadd16(a, b, 0, &r);
        carry = (i32x16)r > 0;
        break;
    case QPU_A_FSUB:
        fadd16(a, b, SIGN, &r);
        carry = (i32x16)r > 0;
        break;
    case QPU_A_FMIN:
        carry = order(x) > order(y);
        r = select_u(carry, y, x);
        break;
    case QPU_A_FMAX:
        carry = order(x) > order(y);
        r = select_u(carry, x, y);
        break;
    case QPU_A_FMINABS:
        carry = (x & ~SIGN) > (y & ~SIGN);
        r = select_u(carry, y, x) & ~SIGN;
        break;
    case QPU_A_FMAXABS:
        carry = (x & ~SIGN) > (y & ~SIGN);
        r = select_u(carry, x, y) & ~SIGN;
        break;
    case QPU_A_FTOI:
        for (unsigned i = 0; i < SIM_LANES; i++)
            r[i] = sim_ftoi(x[i]);
        break;
    case QPU_A_ITOF:
        for (unsigned i = 0; i < SIM_LANES; i++)
            r[i] = sim_itof(x[i]);
        carry = (i32x16)r > 0;
        break;
    case QPU_A_ADD:
        r = x + y;
        carry = r < x;
        overflow = (i32x16)((x ^ r) & (y ^ r)) < 0;
        break;
    case QPU_A_SUB:
        r = x - y;
        carry = x < y;
        overflow = (i32x16)((x ^ y) & (x ^ r)) < 0;
        break;
    case QPU_A_SHR:
        n = y & 31;
        r = x >> n;
        if (flags)
            carry = (((x >> ((n - 1) & 31)) & 1) != 0) & (n != 0);
        break;
    case QPU_A_ASR:
        n = y & 31;
        r = (u32x16)((i32x16)x >> (i32x16)n);
        if (flags)
            carry = (((x >> ((n - 1) & 31)) & 1) != 0) & (n != 0);
        break;
    case QPU_A_ROR:
        n = y & 31;
        r = x >> n | x << (-n & 31);
        if (flags)
            carry = (((x >> ((n - 1) & 31)) & 1) != 0) & (n != 0);
        break;
    case QPU_A_SHL:
        n = y & 31;
        r = x << n;
        if (flags)
            carry = (((x >> (-n & 31)) & 1) != 0) & (n != 0);
        break;
    case QPU_A_MIN:
        carry = (i32x16)x > (i32x16)y;
        r = select_u(carry, y, x);
        break;
    case QPU_A_MAX:
        carry = (i32x16)x > (i32x16)y;
        r = select_u(carry, x, y);
        break;
    case QPU_A_AND: r = x & y; break;
    case QPU_A_OR: r = x | y; break;
    case QPU_A_XOR: r = x ^ y; break;
    case QPU_A_NOT: r = ~x; break;
    case QPU_A_CLZ:
        for (unsigned i = 0; i < SIM_LANES; i++)
            r[i] = x[i] ? (uint32_t)__builtin_clz(x[i]) : 32;
        break;
    case QPU_A_V8ADDS: EACH_BYTE(x + y > 255 ? 255 : x + y); goto flagged;
    case QPU_A_V8SUBS: EACH_BYTE(x > y ? x - y : 0); goto flagged;
    default: return false;
    }
    out->value = r;
flagged:
    out->carry = carry;
    out->overflow = overflow;
    return true;
}

bool sim_mul_op(unsigned op, const u32x16 *a, const u32x16 *b, bool flags, struct sim_alu_out *out) {
    i32x16 carry = {};
    switch (op) {
    case QPU_M_FMUL:
        fmul16(a, b, &out->value);
        carry = (i32x16)out->value > 0;
        break;
    case QPU_M_MUL24: {
        u32x16 x = *a & 0xffffffu, y = *b & 0xffffffu;
        out->value = x * y;
        if (flags)
            for (unsigned i = 0; i < SIM_LANES; i++)
                carry[i] = (uint64_t)x[i] * y[i] >> 32 ? -1 : 0;
        break;
    }
    case QPU_M_V8MULD: EACH_BYTE((x * y + 127) / 255); break;
    case QPU_M_V8MIN:
        if (a == b) /* mov */
            out->value = *a;
        else
            EACH_BYTE(x < y ? x : y);
        break;
    case QPU_M_V8MAX: EACH_BYTE(x > y ? x : y); break;
    case QPU_M_V8ADDS: EACH_BYTE(x + y > 255 ? 255 : x + y); break;
    case QPU_M_V8SUBS: EACH_BYTE(x > y ? x - y : 0); break;
    default: return false;
    }
    out->carry = carry;
    out->overflow = (i32x16){};
    return true;
}

/* --- pack and unpack --------------------------------------------------------------------------------------------- */

void sim_unpack(unsigned mode, bool as_float, const u32x16 *in, u32x16 *out) {
    u32x16 v = *in;
    switch (mode) {
    case QPU_UNPACK_16A:
    case QPU_UNPACK_16B:
        if (mode == QPU_UNPACK_16B)
            v >>= 16;
        if (as_float) {
            for (unsigned i = 0; i < SIM_LANES; i++)
                v[i] = sim_half_to_float((uint16_t)v[i]);
        } else {
            v = (u32x16)((i32x16)(v << 16) >> 16);
        }
        break;
    case QPU_UNPACK_8D_REP: v = (v >> 24) * 0x01010101u; break;
    case QPU_UNPACK_8A:
    case QPU_UNPACK_8B:
    case QPU_UNPACK_8C:
    case QPU_UNPACK_8D:
        v = v >> (8 * (mode - QPU_UNPACK_8A)) & 0xff;
        if (as_float)
            for (unsigned i = 0; i < SIM_LANES; i++)
                v[i] = sim_byte_to_float((uint8_t)v[i]);
        break;
    default: break;
    }
    *out = v;
}

static inline u32x16 clamp_i(u32x16 v, int32_t lo, int32_t hi) {
    i32x16 s = (i32x16)v;
    s = (i32x16)select_u(s < lo, (u32x16)((i32x16){} + lo), (u32x16)s);
    return select_u(s > hi, (u32x16)((i32x16){} + hi), (u32x16)s);
}

void sim_pack_a(unsigned mode, bool float_result, const struct sim_alu_out *in, const u32x16 *old, u32x16 *out) {
    u32x16 v = in->value, keep = *old;
    bool sat = mode & QPU_PACK_SAT;
    /* A sum that overflowed has the wrong sign; the 32-bit saturation comes first. */
    if (sat && !float_result)
        v = select_u(in->overflow, ((u32x16)((i32x16)v >> 31)) ^ SIGN, v);
    unsigned kind = mode & 7;
    switch (kind) {
    case QPU_PACK_NONE: break;
    case QPU_PACK_16A:
    case QPU_PACK_16B:
        if (float_result) {
            for (unsigned i = 0; i < SIM_LANES; i++)
                v[i] = sim_float_to_half(v[i]);
        } else {
            v = (sat ? clamp_i(v, -32768, 32767) : v) & 0xffff;
        }
        v = kind == QPU_PACK_16A ? (keep & 0xffff0000u) | v : (keep & 0xffffu) | v << 16;
        break;
    case QPU_PACK_8888: v = ((sat ? clamp_i(v, 0, 255) : v) & 0xff) * 0x01010101u; break;
    default: {
        unsigned shift = 8 * (kind - QPU_PACK_8A);
        v = ((sat ? clamp_i(v, 0, 255) : v) & 0xff) << shift;
        v |= keep & ~(0xffu << shift);
    }
    }
    *out = v;
}

void sim_pack_mul(unsigned mode, const u32x16 *in, const u32x16 *old, u32x16 *out) {
    u32x16 v = *in;
    if (mode == QPU_PACK_NONE) {
        *out = v;
        return;
    }
    for (unsigned i = 0; i < SIM_LANES; i++)
        v[i] = sim_float_to_byte(v[i]);
    if (mode == QPU_PACK_8888) {
        *out = v * 0x01010101u;
    } else {
        unsigned shift = 8 * (mode - QPU_PACK_8A);
        *out = v << shift | (*old & ~(0xffu << shift));
    }
}
