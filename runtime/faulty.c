/* Faults of the ALUs, of packs and unpacks, and of the special functions (faults.def). Each function here
 * does what the one without "faulty" in its name does, and then what the fault makes of it. */
#include "runtime/fault.h"

#include <math.h>

#include <qpucc/qpusim.h>

#include "backend/isa/isa.h"
#include "runtime/alu.h"
#include "runtime/texture.h"

#define EXP_MASK 0x7f800000u
#define SIGN 0x80000000u
#define INF 0x7f800000u
#define LANES for (unsigned i = 0; i < SIM_LANES; i++)

static bool special(uint32_t x) {
    return (x & EXP_MASK) == EXP_MASK;
}

static bool is_nan(uint32_t x) {
    return (x & ~SIGN) > INF;
}

/* --- ALUs ----------------------------------------------------------------------------------------------- */

/* Sums and products: `exact` is the result in double precision, exact for products; `right` the machine's. */
static uint32_t faulty_float(unsigned fault, uint32_t a, uint32_t b, double exact, uint32_t right) {
    uint32_t nearest = sim_bits((float)exact);
    bool unusual = special(a) || special(b) || special(right);
    switch (fault) {
    case SIM_FAULT_denormals_kept:
        return unusual || (right && a & EXP_MASK && b & EXP_MASK) ? right : nearest;
    case SIM_FAULT_negative_zero: return right || is_nan(nearest) ? right : nearest & SIGN;
    case SIM_FAULT_nan_ieee: return is_nan(a) || is_nan(b) ? 0x7fc00000u : right;
    case SIM_FAULT_overflow_largest: return special(right) && !special(a) && !special(b) ? right - 1 : right;
    default: return right;
    }
}

static uint32_t faulty_sum(unsigned fault, uint32_t a, uint32_t b, uint32_t right) {
    if (fault == SIM_FAULT_fadd_nearest && !special(a) && !special(b) && right & EXP_MASK)
        return sim_bits(sim_float(a) + sim_float(b));
    return faulty_float(fault, a, b, (double)sim_float(a) + (double)sim_float(b), right);
}

static uint32_t faulty_product(unsigned fault, uint32_t a, uint32_t b, uint32_t right) {
    double exact = (double)sim_float(a) * (double)sim_float(b);
    if (fault == SIM_FAULT_fmul_truncates && !special(a) && !special(b) && right & EXP_MASK) {
        uint32_t nearest = sim_bits((float)exact);
        return nearest - (fabs((double)sim_float(nearest)) > fabs(exact));
    }
    return faulty_float(fault, a, b, exact, right);
}

static uint32_t faulty_sum_of_bytes(uint32_t a, uint32_t b) {
    return ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
}

static uint32_t faulty_add(unsigned fault, unsigned op, uint32_t a, uint32_t b, uint32_t right) {
    bool min = op == QPU_A_FMIN || op == QPU_A_FMAX, abs = op == QPU_A_FMINABS || op == QPU_A_FMAXABS;
    switch (fault) {
    case SIM_FAULT_ftoi_zero:
        return op == QPU_A_FTOI && (a & ~SIGN) >= 0x4f000000u && a != 0xcf000000u &&
                       (a & ~SIGN) != 0x7f7fffffu
                   ? 0
                   : right;
    case SIM_FAULT_itof_nearest: return op == QPU_A_ITOF ? sim_bits((float)(int32_t)a) : right;
    case SIM_FAULT_fmin_nan: return min && is_nan(a) ? b : min && is_nan(b) ? a : right;
    case SIM_FAULT_fminabs_sign: return abs ? right | (SIGN & ((a & ~SIGN) == right ? a : b)) : right;
    case SIM_FAULT_shift_counts:
        if (b < 32)
            return right;
        return op == QPU_A_SHR || op == QPU_A_SHL ? 0 : op == QPU_A_ASR ? -(a >> 31) : right;
    case SIM_FAULT_clz_zero: return op == QPU_A_CLZ && !a ? 31 : right;
    case SIM_FAULT_v8adds_wraps: return op == QPU_A_V8ADDS ? faulty_sum_of_bytes(a, b) : right;
    default:
        return op == QPU_A_FADD   ? faulty_sum(fault, a, b, right)
               : op == QPU_A_FSUB ? faulty_sum(fault, a, b ^ SIGN, right)
                                  : right;
    }
}

static uint32_t faulty_mul(unsigned fault, unsigned op, uint32_t a, uint32_t b, uint32_t right) {
    uint32_t bytes = 0;
    switch (fault) {
    case SIM_FAULT_mul24_signed:
        return op == QPU_M_MUL24 ? (uint32_t)((int32_t)(a << 8) >> 8) * (uint32_t)((int32_t)(b << 8) >> 8)
                                 : right;
    case SIM_FAULT_v8muld_truncates:
        for (unsigned k = 0; k < 32; k += 8)
            bytes |= (a >> k & 255) * (b >> k & 255) / 255 << k;
        return op == QPU_M_V8MULD ? bytes : right;
    case SIM_FAULT_v8adds_wraps: return op == QPU_M_V8ADDS ? faulty_sum_of_bytes(a, b) : right;
    default: return op == QPU_M_FMUL ? faulty_product(fault, a, b, right) : right;
    }
}

static bool faulty_carry(unsigned fault, unsigned op, uint32_t a, uint32_t b, bool right) {
    unsigned n = b & 31;
    switch (fault) {
    case SIM_FAULT_carry_fadd: return op != QPU_A_FADD && op != QPU_A_FSUB && right;
    case SIM_FAULT_carry_max:
        return right ||
               (a == b && (op == QPU_A_MIN || op == QPU_A_MAX || op == QPU_A_FMIN || op == QPU_A_FMAX));
    case SIM_FAULT_carry_sub: return right != (op == QPU_A_SUB);
    case SIM_FAULT_carry_shift:
        return op == QPU_A_SHL                      ? n && a >> (32 - n)
               : op == QPU_A_SHR || op == QPU_A_ASR ? n && a << (32 - n)
                                                    : right;
    default: return right;
    }
}

bool sim_faulty_add_op(unsigned fault, unsigned op, const u32x16 *a, const u32x16 *b, bool extra,
                       struct sim_alu_out *out) {
    if (!sim_add_op(op, a, b, extra, out))
        return false;
    LANES out->value[i] = faulty_add(fault, op, (*a)[i], (*b)[i], out->value[i]);
    for (unsigned i = 0; extra && i < SIM_LANES; i++)
        out->carry[i] = -faulty_carry(fault, op, (*a)[i], (*b)[i], out->carry[i] != 0);
    return true;
}

bool sim_faulty_mul_op(unsigned fault, unsigned op, const u32x16 *a, const u32x16 *b, bool extra,
                       struct sim_alu_out *out) {
    if (!sim_mul_op(op, a, b, extra, out))
        return false;
    LANES out->value[i] = faulty_mul(fault, op, (*a)[i], (*b)[i], out->value[i]);
    if (extra && op == QPU_M_FMUL && fault == SIM_FAULT_carry_fadd)
        out->carry = (i32x16){};
    return true;
}

void sim_faulty_immediate(const u32x16 *in, u32x16 *out) {
    uint32_t exponent = (*in)[0] >> 23; /* 119 to 126: of 2^-8 to 2^-1 */
    *out = exponent >= 119 && exponent <= 126 ? SIM_SPLAT((245 - exponent) << 23) : *in;
}

/* --- packs ---------------------------------------------------------------------------------------------- */

void sim_faulty_unpack(unsigned fault, unsigned mode, bool as_float, const u32x16 *in, u32x16 *out) {
    const u32x16 from = *in;
    bool half = mode == QPU_UNPACK_16A || mode == QPU_UNPACK_16B;
    bool byte = mode >= QPU_UNPACK_8A && mode < QPU_UNPACK_8A + 4;
    unsigned shift = mode == QPU_UNPACK_16B ? 16 : byte ? 8 * (mode - QPU_UNPACK_8A) : 0;
    sim_unpack(mode, as_float, &from, out);
    LANES {
        uint32_t v = from[i] >> shift;
        if (fault == SIM_FAULT_half_denormals && half && as_float && !(v & 0x7c00))
            (*out)[i] = 0;
        if (fault == SIM_FAULT_half_unsigned && half && !as_float)
            (*out)[i] = v & 0xffff;
        if (fault == SIM_FAULT_byte_nearest && byte && as_float)
            (*out)[i] = sim_bits((float)(v & 255) / 255.0f);
        if (fault == SIM_FAULT_replicate_a && mode == QPU_UNPACK_8D_REP)
            (*out)[i] = (v & 255) * 0x01010101u;
    }
}

void sim_faulty_pack_a(unsigned fault, unsigned mode, bool float_result, const struct sim_alu_out *in,
                       const u32x16 *old, u32x16 *out) {
    const struct sim_alu_out from = *in;
    const u32x16 zero = {}, before = fault == SIM_FAULT_pack_clears ? zero : *old;
    bool low = mode == QPU_PACK_16A, half = low || mode == QPU_PACK_16B;
    if (fault == SIM_FAULT_pack_no_saturation)
        mode &= ~(unsigned)QPU_PACK_SAT;
    sim_pack_a(mode, float_result, &from, &before, out);
    if (fault != SIM_FAULT_pack_half_nearest || !half || !float_result)
        return;
    LANES {
        uint32_t n = sim_half_from((double)sim_float(from.value[i])), exponent = n >> 10 & 31;
        if (exponent && exponent < 31)
            (*out)[i] = low ? (before[i] & 0xffff0000u) | n : (before[i] & 0xffffu) | n << 16;
    }
}

void sim_faulty_pack_mul(unsigned fault, unsigned mode, const u32x16 *in, const u32x16 *old, u32x16 *out) {
    u32x16 from = *in;
    const u32x16 zero = {}, before = fault == SIM_FAULT_pack_clears ? zero : *old;
    if (fault == SIM_FAULT_pack_byte_truncates && mode != QPU_PACK_NONE)
        LANES {
            float f = sim_float(from[i]);
            if (f > 0 && f < 1) /* what the exact pack makes n of */
                from[i] = sim_bits((float)(uint32_t)((double)f * 255.0) / 255.0f);
        }
    sim_pack_mul(mode, &from, &before, out);
}

/* --- special functions ---------------------------------------------------------------------------------- */

/* Rows of the tables are chosen by bits 22:19 of an argument; results have steps of 2^8. */
static uint32_t faulty_function(unsigned fault, enum sim_sfu_function f, uint32_t x, uint32_t right) {
    bool normal = x & EXP_MASK && !special(x) && right & EXP_MASK && !special(right);
    switch (fault) {
    case SIM_FAULT_recip_exact: return f == SIM_SFU_RECIP ? sim_ideal_recip(x) : right;
    case SIM_FAULT_recip_rows:
        return f == SIM_SFU_RECIP && normal && (x >> 20 & 7) == 2 ? sim_sfu_recip(x ^ 1u << 19) : right;
    case SIM_FAULT_rsqrt_row:
        return f == SIM_SFU_RSQRT && normal && (x >> 19 & 15) == 5 ? right - 0x100 : right;
    case SIM_FAULT_rsqrt_negative: return f == SIM_SFU_RSQRT ? sim_sfu_rsqrt(x & ~SIGN) : right;
    case SIM_FAULT_exp2_low: return f == SIM_SFU_EXP2 && normal ? right - 0x100 : right;
    case SIM_FAULT_log2_absolute: return f == SIM_SFU_LOG2 ? sim_sfu_log2(x & ~SIGN) : right;
    case SIM_FAULT_recip_zero:
        return f == SIM_SFU_RECIP && !(x & EXP_MASK) ? (x & SIGN) | 0x7f7fff00u : right;
    default: return right;
    }
}

void sim_faulty_sfu(unsigned fault, enum sim_sfu_function function, const u32x16 *x, u32x16 *out) {
    sim_sfu(function, x, out);
    LANES(*out)[i] = faulty_function(fault, function, (*x)[i], (*out)[i]);
}
