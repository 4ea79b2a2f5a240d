/* Ideal arithmetic: sums, products and conversions rounded to nearest, special functions correct to the last
 * bit (qpusim_options.ideal). No chip computes like this. A remaining difference from another renderer is
 * then neither the QPU's rounding nor its thirteen-bit special functions; tests/tools/gl_corpus.c uses this
 * to tell rounding from mistakes.
 *
 * Everything else is as on the chip: denormals are zero, there is no NaN, operands of exponent 255 are
 * infinite. Sums with 2^23 and more, whose last bit is 1, also keep the chip's rounding, because floor(x) is
 * x + 1.5 * 2^23, truncated, minus the same number. And ftoi truncates, because int(x) does, but where a
 * vertex program packs its result into 16 bits: those are screen coordinates in sixteenths of a pixel, which
 * drivers truncate for want of better. A larger number there is one that was rounded with 2^16 added to it.
 * qpusim_options.nearest_positions asks for that alone. */
#include <math.h>

#include "runtime/alu.h"

#include "backend/isa/isa.h"

#define EXP_MASK 0x7f800000u
#define SIGN 0x80000000u
#define WHOLE 0x4b000000u /* 2^23 */

static bool special(uint32_t x) {
    return (x & EXP_MASK) == EXP_MASK;
}

/* From double: rounded once, denormals to +0. */
static uint32_t rounded(double d) {
    uint32_t u = sim_bits((float)d);
    return u & EXP_MASK ? u : 0;
}

static double number(uint32_t x) {
    return x & EXP_MASK ? (double)sim_float(x) : 0.0;
}

/* Sums and products of two floats, computed in double, are exact or near enough to be rounded a second time.
 */
static uint32_t fadd(uint32_t a, uint32_t b) {
    bool whole = (a & ~SIGN) >= WHOLE || (b & ~SIGN) >= WHOLE;
    return whole ? sim_fadd(a, b) : rounded(number(a) + number(b));
}

static uint32_t fmul(uint32_t a, uint32_t b) {
    return special(a) || special(b) ? sim_fmul(a, b) : rounded(number(a) * number(b));
}

void sim_nearest_position(const u32x16 *a, u32x16 *out) {
    for (unsigned i = 0; i < SIM_LANES; i++)
        (*out)[i] = special((*a)[i]) || fabs(number((*a)[i])) > INT16_MAX
                        ? (*a)[i]
                        : sim_bits((float)floor(number((*a)[i]) + 0.5));
}

bool sim_ideal_add_op(unsigned op, const u32x16 *a, const u32x16 *b, bool extra, struct sim_alu_out *out) {
    if (op != QPU_A_FADD && op != QPU_A_FSUB && op != QPU_A_ITOF)
        return sim_add_op(op, a, b, extra, out);
    for (unsigned i = 0; i < SIM_LANES; i++) {
        uint32_t r = op == QPU_A_ITOF ? sim_bits((float)(int32_t)(*a)[i])
                                      : fadd((*a)[i], (*b)[i] ^ (op == QPU_A_FSUB ? SIGN : 0));
        out->value[i] = r;
        out->carry[i] = (int32_t)r > 0 ? -1 : 0;
        out->overflow[i] = 0;
    }
    return true;
}

bool sim_ideal_mul_op(unsigned op, const u32x16 *a, const u32x16 *b, bool extra, struct sim_alu_out *out) {
    if (op != QPU_M_FMUL)
        return sim_mul_op(op, a, b, extra, out);
    for (unsigned i = 0; i < SIM_LANES; i++) {
        uint32_t r = fmul((*a)[i], (*b)[i]);
        out->value[i] = r;
        out->carry[i] = (int32_t)r > 0 ? -1 : 0;
        out->overflow[i] = 0;
    }
    return true;
}

/* The chip's answers where there is no number to be right about. */
uint32_t sim_ideal_recip(uint32_t x) {
    return special(x) || !(x & EXP_MASK) ? sim_sfu_recip(x) : rounded(1.0 / number(x));
}

uint32_t sim_ideal_rsqrt(uint32_t x) {
    bool ordinary = !special(x) && x & EXP_MASK && !(x & SIGN);
    return ordinary ? rounded(1.0 / sqrt(number(x))) : sim_sfu_rsqrt(x);
}

uint32_t sim_ideal_exp2(uint32_t x) {
    return special(x) ? sim_sfu_exp2(x) : rounded(exp2(number(x)));
}

uint32_t sim_ideal_log2(uint32_t x) {
    bool ordinary = !special(x) && x & EXP_MASK && !(x & SIGN);
    return ordinary ? rounded(log2(number(x))) : sim_sfu_log2(x);
}
