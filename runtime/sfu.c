/* The special function unit, bit by bit: recip, rsqrt, exp2, log2.
 *
 * All four share one quadratic interpolator over a 15-bit mantissa; only 15 result bits exist, the low eight
 * mantissa bits are zero. recip and rsqrt agree with all published hardware samples; log2 and exp2 come from
 * the same model. */
#include "runtime/alu.h"
#include "runtime/sfu_tables.h"

#define SFU_NAN 0x7f800001u
#define INF 0x7f800000u
#define SIGN 0x80000000u

static uint32_t interpolate(const uint16_t *c0, const uint16_t *c1, const uint8_t *c2, uint32_t m, bool add) {
    uint32_t hi = m >> 11 & 15, lo = m & 0x7ff, q = m >> 5 & 63;
    uint32_t linear = (c1[hi] * lo) >> 11 & 0xfff;
    uint32_t square = ((uint32_t)c2[hi] * sfu_square[q]) >> 5 & 0x7f;
    if (add) /* subtracting the complement adds, and one more: that is why exp2(0) is a little above 1 */
        linear = ~linear & 0x7fff;
    return (c0[hi] - linear - square) & 0x7fff;
}

static bool is_nan(uint32_t x) {
    return (x & ~SIGN) > INF;
}

uint32_t sim_sfu_recip(uint32_t x) {
    uint32_t sign = x & SIGN, exp = x >> 23 & 0xff;
    if (is_nan(x))
        return SFU_NAN;
    if (exp == 0)
        return sign | INF;
    if (exp >= 253)
        return sign;
    uint32_t m = interpolate(sfu_recip_c0, sfu_recip_c1, sfu_recip_c2, x >> 8 & 0x7fff, false);
    return sign | (~(exp + 2) & 0xff) << 23 | m << 8;
}

uint32_t sim_sfu_rsqrt(uint32_t x) {
    uint32_t exp = x >> 23 & 0xff;
    if (is_nan(x))
        return SFU_NAN;
    if (exp == 0)
        return INF;
    if (x & SIGN)
        return SFU_NAN;
    if (exp == 255)
        return 0;
    int8_t e = (int8_t)(uint8_t)(~exp - 127);
    uint32_t rexp = (uint32_t)((e >> 1) + 126) & 0xff;
    uint32_t m = (exp & 1 ? 0u : 1u << 14) | (x >> 9 & 0x3fff);
    return rexp << 23 | interpolate(sfu_rsqrt_c0, sfu_rsqrt_c1, sfu_rsqrt_c2, m, false) << 8;
}

uint32_t sim_sfu_log2(uint32_t x) {
    uint32_t exp = x >> 23 & 0xff;
    if (is_nan(x))
        return SFU_NAN;
    if (exp == 0)
        return SIGN | INF;
    if (x & SIGN)
        return SFU_NAN;
    if (exp == 255)
        return INF;
    uint32_t out = interpolate(sfu_log2_c0, sfu_log2_c1, sfu_log2_c2, x >> 8 & 0x7fff, false) << 8;
    uint32_t fraction = ~out & 0x7fffff;
    uint32_t fixed = ((exp + 1) & 127) << 16 | fraction >> 7;
    fixed &= ~1u;
    bool negative = exp < 127;
    if (negative)
        fixed = ~fixed & 0x7fffff;
    if (!fixed)
        return 0;
    uint32_t rexp = 133;
    while (!(fixed & 1u << 22)) {
        fixed = fixed << 1 & 0x7fffff;
        rexp--;
    }
    return (negative ? SIGN : 0) | rexp << 23 | (fixed << 1 & 0x7fffff);
}

uint32_t sim_sfu_exp2(uint32_t x) {
    uint32_t exp = x >> 23 & 0xff, sign = x & SIGN;
    if (is_nan(x))
        return SFU_NAN;
    if (exp == 255)
        return sign ? 0 : INF;
    if (exp == 0) {
        x = 0;
        sign = 0;
    }
    uint32_t shift = exp & 0x80 ? ~exp & 7 : ~exp & 15;
    uint32_t v = ((x & 0x7fffff) | 0x800000) >> shift;
    uint32_t fixed;
    bool overflow = false;
    if (exp & 0x80) {
        fixed = v & 0x3fffff;
        overflow = (exp & 0x78) || v >> 22;
    } else {
        fixed = (exp & 0x70) == 0x70 ? v >> 8 & 0xffff : 0;
    }
    if (sign)
        fixed = ~fixed & 0x3fffff;
    uint32_t m = interpolate(sfu_exp2_c0, sfu_exp2_c1, sfu_exp2_c2, fixed & 0x7fff, true);
    uint32_t d = fixed >> 15 & 127;
    if (sign) {
        if (overflow || d < 2)
            return 0;
        return (d - 1) << 23 | m << 8;
    }
    if (overflow)
        return INF;
    return (d + 127) << 23 | m << 8;
}

#define EACH(function)                                                                                       \
    for (unsigned i = 0; i < SIM_LANES; i++)                                                                 \
        (*out)[i] = function((*x)[i]);                                                                       \
    break

SIM_VERSIONS
void sim_sfu(enum sim_sfu_function function, const u32x16 *x, u32x16 *out) {
    switch (function) {
    case SIM_SFU_RECIP: EACH(sim_sfu_recip);
    case SIM_SFU_RSQRT: EACH(sim_sfu_rsqrt);
    case SIM_SFU_EXP2: EACH(sim_sfu_exp2);
    case SIM_SFU_LOG2: EACH(sim_sfu_log2);
    }
}
