/* The fast part of sim_thread_run: instructions that need no more than registers, uniforms and varyings, in
 * whole vectors. Everything else goes through sim_thread_step, which can execute any instruction and is the
 * definition; tests run programs both ways.
 *
 * loop.c, loop_avx2.c and loop_avx512.c compile this for different processors, each with a name of its own in
 * SIM_LOOP. Where the host's vector unit has a rounding mode (SSE2 and later), it is set to round toward zero
 * and to flush denormals while the loop computes, and set back around everything else: then a sum is one
 * operation and a correction of what has no counterpart in IEEE arithmetic, and a product, which rounds to
 * nearest, takes two more where the host multiplies and adds in one. A value is loaded and stored within one
 * iteration, so the compiler cannot carry arithmetic across the switch. */
#include <stddef.h>

#include "runtime/machine.h"
#include "runtime/parts.h"

#if defined(__SSE2_MATH__)
#define SIM_ROUNDING 1
#endif
#if defined(__FMA__) || defined(__AVX512F__)
#define SIM_FUSED 1
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LANES for (unsigned i = 0; i < SIM_LANES; i++)

#define EXPONENT 0x7f800000u
#define SIGN 0x80000000u

/* --- rounding ------------------------------------------------------------------------------------------- */

#ifdef SIM_ROUNDING
/* All exceptions masked, toward zero, denormal results and operands are zero. */
#define SIM_TOWARD_ZERO (0x1f80u | 0x6000u | 0x8000u | 0x0040u)
SIM_INLINE unsigned set_rounding(unsigned mode) {
    unsigned old = _mm_getcsr();
    _mm_setcsr(mode);
    __asm__ volatile("" ::: "memory");
    return old;
}
#endif

/* --- vectors -------------------------------------------------------------------------------------------- */

/* Is any lane, without its sign, at least `limit`? */
SIM_INLINE bool any_from(const vec *v, uint32_t limit) {
#ifdef __AVX512F__
    return _mm512_cmpge_epu32_mask(_mm512_and_si512((__m512i)v->p[0], _mm512_set1_epi32(0x7fffffff)),
                                   _mm512_set1_epi32((int)limit)) != 0;
#else
    ipart over = {};
    EACH over |= (ipart)(v->p[k] & ~SIGN) > (ipart)SPLAT(limit - 1);
#if defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)over, (__m256i)over);
#elif defined(SIM_ROUNDING)
    return _mm_movemask_epi8((__m128i)over) != 0;
#elif defined(__wasm_simd128__)
    return wasm_v128_any_true((v128_t)over);
#else
    return (over[0] | over[1] | over[2] | over[3]) != 0;
#endif
#endif
}

/* Denormals and zeros of either sign become +0. */
SIM_INLINE void flush(vec *v) {
#ifdef __AVX512F__
    v->p[0] = (part)_mm512_maskz_mov_epi32(
        _mm512_test_epi32_mask((__m512i)v->p[0], _mm512_set1_epi32((int)EXPONENT)), (__m512i)v->p[0]);
#else
    EACH v->p[k] &= (part)((v->p[k] & EXPONENT) != 0);
#endif
}

#ifndef SIM_ROUNDING
static __attribute__((noinline)) void by_definition(bool mul, unsigned op, const vec *a, const vec *b,
                                                    vec *r) {
    struct sim_alu_out out;
    u32x16 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (mul)
        sim_mul_op(op, &x, &y, false, &out);
    else
        sim_add_op(op, &x, &y, false, &out);
    memcpy(r, &out.value, sizeof *r);
}
#endif

#ifdef SIM_ROUNDING
/* What IEEE arithmetic calls the largest number may be infinity here, and what it calls infinite or no number
 * has rules of its own: the scalar definitions decide. */
#define UNUSUAL 0x7f7fffffu

static __attribute__((noinline)) void fadd_slowly(const vec *a, const vec *b, uint32_t flip, vec *r) {
    uint32_t x[SIM_LANES], y[SIM_LANES];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    LANES x[i] = sim_fadd(x[i], y[i] ^ flip);
    memcpy(r, x, sizeof x);
}
static __attribute__((noinline)) void fmul_slowly(const vec *a, const vec *b, vec *r) {
    struct sim_alu_out out;
    u32x16 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    sim_mul_op(QPU_M_FMUL, &x, &y, false, &out);
    memcpy(r, &out.value, sizeof *r);
}
static __attribute__((noinline)) void ftoi_slowly(const vec *a, vec *r) {
    uint32_t x[SIM_LANES];
    memcpy(x, a, sizeof x);
    LANES x[i] = sim_ftoi(x[i]);
    memcpy(r, x, sizeof x);
}

SIM_INLINE void vector_fadd(const vec *a, const vec *b, bool subtract, vec *r) {
    if (subtract)
        EACH r->p[k] = (part)((fpart)a->p[k] - (fpart)b->p[k]);
    else
        EACH r->p[k] = (part)((fpart)a->p[k] + (fpart)b->p[k]);
    if (UNLIKELY(any_from(r, UNUSUAL))) {
        vec slow; /* so that no pointer to the result keeps it in memory */
        fadd_slowly(a, b, subtract ? SIGN : 0, &slow);
        *r = slow;
    }
    flush(r);
}

#ifdef SIM_FUSED
/* Products below this may have a cut-off part that counts as zero. */
#define TINY 0x0d800000u /* 2^-100 */

/* Is any lane, without its sign, a number below TINY, or at least UNUSUAL? */
SIM_INLINE bool any_odd_product(const vec *v) {
#ifdef __AVX512F__
    __m512i size = _mm512_and_si512((__m512i)v->p[0], _mm512_set1_epi32(0x7fffffff));
    return _kortestz_mask16_u8(_mm512_cmpge_epu32_mask(size, _mm512_set1_epi32((int)UNUSUAL)),
                               _mm512_cmplt_epu32_mask(_mm512_sub_epi32(size, _mm512_set1_epi32(1)),
                                                       _mm512_set1_epi32((int)TINY - 1))) == 0;
#else
    ipart odd = {};
    EACH {
        ipart size = (ipart)(v->p[k] & ~SIGN);
        odd |= (size > (ipart)SPLAT(UNUSUAL - 1)) | ((size < (ipart)SPLAT(TINY)) & (size != 0));
    }
    return !_mm256_testz_si256((__m256i)odd, (__m256i)odd);
#endif
}

/* The product cut off, and twice what was cut off: together they reach the next number exactly where that was
 * half a unit or more. */
SIM_INLINE fpart fused_fmul(fpart x, fpart y) {
    fpart cut = x * y;
#ifdef __AVX512F__
    fpart rest = (fpart)_mm512_fmsub_ps((__m512)x, (__m512)y, (__m512)cut);
#else
    fpart rest = (fpart)_mm256_fmsub_ps((__m256)x, (__m256)y, (__m256)cut);
#endif
    return cut + (rest + rest);
}
#endif

SIM_INLINE void vector_fmul(const vec *a, const vec *b, vec *r) {
    vec slow;
#ifdef SIM_FUSED
    EACH r->p[k] = (part)fused_fmul((fpart)a->p[k], (fpart)b->p[k]);
    if (UNLIKELY(any_odd_product(r))) {
        fmul_slowly(a, b, &slow);
        *r = slow;
    }
#else
    fmul_slowly(a, b, &slow);
    *r = slow;
#endif
    flush(r);
}

SIM_INLINE void vector_ftoi(const vec *a, vec *r) {
    if (UNLIKELY(any_from(a, 0x4f000000u))) {
        vec slow;
        ftoi_slowly(a, &slow);
        *r = slow;
    } else {
        EACH r->p[k] = (part) __builtin_convertvector((fpart)a->p[k], ipart);
    }
}

SIM_INLINE void vector_itof(const vec *a, vec *r) {
    EACH r->p[k] = (part) __builtin_convertvector((ipart)a->p[k], fpart);
}

/* n / 255 toward zero is one division. */
SIM_INLINE void vector_byte(vec *v) {
    EACH v->p[k] = (part)(__builtin_convertvector((ipart)v->p[k], fpart) / 255.0f);
}

/* Truncation of product and sum cannot carry a value below n - 1/2, or n, past it: both are floats. */
SIM_INLINE void vector_to_byte(vec *v) {
    EACH {
        part x = v->p[k] & (part)((ipart)v->p[k] >= 0);
        x = choose((ipart)x > (ipart)SPLAT(0x3f800000u), SPLAT(0x3f800000u), x);
        v->p[k] = (part) __builtin_convertvector((fpart)x * 255.0f + 0.5f, ipart);
    }
}
#elif defined(__wasm_simd128__)
#include "runtime/loop_wasm.h"
#else
SIM_INLINE void vector_fadd(const vec *a, const vec *b, bool subtract, vec *r) {
    by_definition(false, subtract ? QPU_A_FSUB : QPU_A_FADD, a, b, r);
}
SIM_INLINE void vector_fmul(const vec *a, const vec *b, vec *r) {
    by_definition(true, QPU_M_FMUL, a, b, r);
}
SIM_INLINE void vector_ftoi(const vec *a, vec *r) {
    by_definition(false, QPU_A_FTOI, a, a, r);
}
SIM_INLINE void vector_itof(const vec *a, vec *r) {
    by_definition(false, QPU_A_ITOF, a, a, r);
}
SIM_INLINE void vector_byte(vec *v) {
    u32x16 n, r;
    memcpy(&n, v, sizeof n);
    sim_unpack(QPU_UNPACK_8A, true, &n, &r);
    memcpy(v, &r, sizeof *v);
}
SIM_INLINE void vector_to_byte(vec *v) {
    u32x16 n, r = SIM_SPLAT(0);
    memcpy(&n, v, sizeof n);
    sim_pack_mul(QPU_PACK_8A, &n, &r, &r);
    memcpy(v, &r, sizeof *v);
}
#endif

/* Sign and magnitude to signed integers of the same order. */
SIM_INLINE ipart ordered(part v) {
    return (ipart)(v ^ ((part)((ipart)v >> 31) & 0x7fffffffu));
}

SIM_INLINE bpart bytes_adds(bpart x, bpart y) {
    bpart s = x + y;
    return s | (bpart)(s < x);
}
SIM_INLINE bpart bytes_subs(bpart x, bpart y) {
    return (x - y) & (bpart)(x > y);
}
/* (x y + 127) / 255; the quotient of t below 65535 is (t + 1 + t / 256) / 256. */
SIM_INLINE hpart muld(hpart x, hpart y) {
    hpart t = x * y + 127;
    return (t + 1 + (t >> 8)) >> 8;
}
SIM_INLINE part bytes_muld(part a, part b) {
    hpart x = (hpart)a, y = (hpart)b;
    return (part)(muld(x & 255, y & 255) | muld(x >> 8, y >> 8) << 8);
}

/* One operation on all lanes: x and y are its operands. */
#define ON(expression)                                                                                       \
    EACH {                                                                                                   \
        part x = a->p[k], y = b->p[k];                                                                       \
        (void)x, (void)y;                                                                                    \
        r->p[k] = (part)(expression);                                                                        \
    }                                                                                                        \
    break

SIM_INLINE void add_result(unsigned op, const vec *a, const vec *b, vec *r) {
    switch (op) {
    case QPU_A_FADD: vector_fadd(a, b, false, r); break;
    case QPU_A_FSUB: vector_fadd(a, b, true, r); break;
    case QPU_A_FMIN: ON(choose(ordered(x) > ordered(y), y, x));
    case QPU_A_FMAX: ON(choose(ordered(x) > ordered(y), x, y));
    case QPU_A_FMINABS: ON((x &= ~SIGN, y &= ~SIGN, choose((ipart)x > (ipart)y, y, x)));
    case QPU_A_FMAXABS: ON((x &= ~SIGN, y &= ~SIGN, choose((ipart)x > (ipart)y, x, y)));
    case QPU_A_FTOI: vector_ftoi(a, r); break;
    case QPU_A_ITOF: vector_itof(a, r); break;
    case QPU_A_ADD: ON(x + y);
    case QPU_A_SUB: ON(x - y);
    case QPU_A_SHR: ON(x >> (y & 31));
    case QPU_A_ASR: ON((ipart)x >> (ipart)(y & 31));
    case QPU_A_ROR: ON(x >> (y & 31) | x << (-y & 31));
    case QPU_A_SHL: ON(x << (y & 31));
    case QPU_A_MIN: ON(choose((ipart)x > (ipart)y, y, x));
    case QPU_A_MAX: ON(choose((ipart)x > (ipart)y, x, y));
    case QPU_A_AND: ON(x & y);
    case QPU_A_OR: ON(x | y);
    case QPU_A_XOR: ON(x ^ y);
    case QPU_A_NOT: ON(~x);
    case QPU_A_V8ADDS: ON(bytes_adds((bpart)x, (bpart)y));
    case QPU_A_V8SUBS: ON(bytes_subs((bpart)x, (bpart)y));
    default: { /* clz */
        uint32_t n[SIM_LANES];
        memcpy(n, a, sizeof n);
        LANES n[i] = n[i] ? (uint32_t)__builtin_clz(n[i]) : 32;
        vec slow;
        memcpy(&slow, n, sizeof n);
        *r = slow;
    }
    }
}

SIM_INLINE void mul_result(unsigned op, const vec *a, const vec *b, vec *r) {
    switch (op) {
    case QPU_M_FMUL: vector_fmul(a, b, r); break;
    case QPU_M_MUL24: ON((x & 0xffffff) * (y & 0xffffff));
    case QPU_M_V8MULD: ON(bytes_muld(x, y));
    case QPU_M_V8MIN:
        ON(((bpart)x & (bpart)((bpart)x < (bpart)y)) | ((bpart)y & ~(bpart)((bpart)x < (bpart)y)));
    case QPU_M_V8MAX:
        ON(((bpart)x & (bpart)((bpart)x > (bpart)y)) | ((bpart)y & ~(bpart)((bpart)x > (bpart)y)));
    case QPU_M_V8ADDS: ON(bytes_adds((bpart)x, (bpart)y));
    default: ON(bytes_subs((bpart)x, (bpart)y));
    }
}

/* The carry flag (alu.c); `value` is the result. */
SIM_INLINE void add_carry(unsigned op, const vec *a, const vec *b, const vec *value, vec *r) {
    switch (op) {
    case QPU_A_FADD:
    case QPU_A_FSUB:
    case QPU_A_ITOF: EACH r->p[k] = (part)((ipart)value->p[k] > 0); break;
    case QPU_A_FMIN:
    case QPU_A_FMAX: ON(ordered(x) > ordered(y));
    case QPU_A_FMINABS:
    case QPU_A_FMAXABS: ON((ipart)(x & ~SIGN) > (ipart)(y & ~SIGN));
    case QPU_A_ADD: ON(x + y < x);
    case QPU_A_SUB: ON(x < y);
    case QPU_A_SHR:
    case QPU_A_ASR:
    case QPU_A_ROR: ON((part)((y & 31) != 0) & -(x >> ((y - 1) & 31) & 1));
    case QPU_A_SHL: ON((part)((y & 31) != 0) & -(x >> (-y & 31) & 1));
    case QPU_A_MIN:
    case QPU_A_MAX: ON((ipart)x > (ipart)y);
    default: ON((part){});
    }
}

SIM_INLINE void mul_carry(unsigned op, const vec *a, const vec *b, const vec *value, vec *r) {
    uint32_t x[SIM_LANES], y[SIM_LANES];
    switch (op) {
    case QPU_M_FMUL: EACH r->p[k] = (part)((ipart)value->p[k] > 0); break;
    case QPU_M_MUL24:
        memcpy(x, a, sizeof x);
        memcpy(y, b, sizeof y);
        LANES x[i] = -(uint32_t)((uint64_t)(x[i] & 0xffffff) * (y[i] & 0xffffff) >> 32 != 0);
        memcpy(r, x, sizeof x);
        break;
    default: ON((part){});
    }
}

/* --- packs ---------------------------------------------------------------------------------------------- */

SIM_INLINE void unpacked(unsigned mode, bool as_float, const vec *from, vec *r) {
    switch (mode) {
    case QPU_UNPACK_16A:
    case QPU_UNPACK_16B:
        EACH {
            part v = mode == QPU_UNPACK_16B ? from->p[k] >> 16 : from->p[k];
            part exponent = v >> 10 & 31, bits = (v & 0x8000) << 16 | (v & 0x3ff) << 13;
            part scaled = choose((ipart)(exponent == 31), SPLAT(255), exponent + 112) << 23;
            r->p[k] = bits | (scaled & (part)(exponent != 0));
            if (!as_float)
                r->p[k] = (part)((ipart)(v << 16) >> 16);
        }
        break;
    case QPU_UNPACK_8D_REP: EACH r->p[k] = (from->p[k] >> 24) * 0x01010101u; break;
    default:
        EACH r->p[k] = from->p[k] >> 8 * (mode - QPU_UNPACK_8A) & 255;
        if (as_float)
            vector_byte(r);
        break;
    }
}

/* Two halves of a register of file A, from floats. */
SIM_INLINE void pack_half(unsigned mode, vec *value, const vec *old) {
    EACH {
        part v = value->p[k], sign = v >> 16 & 0x8000, exponent = v >> 23 & 255;
        part half = choose((ipart)exponent >= 112 + 31, SPLAT(0x7c00),
                           ((exponent - 112) & 31) << 10 | (v >> 13 & 0x3ff));
        half = (sign | half) & (part)((ipart)exponent > 112);
        value->p[k] =
            mode == QPU_PACK_16A ? (old->p[k] & 0xffff0000u) | half : (old->p[k] & 0xffffu) | half << 16;
    }
}

SIM_INLINE void pack_byte(unsigned mode, vec *value, const vec *old) {
    vector_to_byte(value);
    if (mode == QPU_PACK_8888) {
        EACH value->p[k] *= 0x01010101u;
        return;
    }
    unsigned shift = 8 * (mode - QPU_PACK_8A);
    EACH value->p[k] = value->p[k] << shift | (old->p[k] & ~(0xffu << shift));
}

/* --- the loop ------------------------------------------------------------------------------------------- */

/* The lanes in which a condition holds: those where flag is set, and those where it is clear, take turns in
 * the order of the flags. */
_Static_assert(QPU_COND_ZS == 2 && QPU_COND_ZC == 3 && QPU_COND_NS == 4 && QPU_COND_CC == 7, "pairs");
_Static_assert(offsetof(struct sim_thread, nf) == offsetof(struct sim_thread, zf) + sizeof(vec) &&
                   offsetof(struct sim_thread, cf) == offsetof(struct sim_thread, nf) + sizeof(vec),
               "flags lie together");
SIM_INLINE void lanes_of(const struct sim_thread *t, unsigned cond, vec *r) {
    if (cond <= QPU_COND_ALWAYS) {
        EACH r->p[k] = SPLAT(cond == QPU_COND_ALWAYS ? ~0u : 0);
    } else {
        const vec *flag = (const vec *)((const char *)t + offsetof(struct sim_thread, zf)) + (cond / 2 - 1);
        part turn = SPLAT(-(cond & 1));
        EACH r->p[k] = flag->p[k] ^ turn;
    }
}

/* Lanes of a register in which a condition holds take the value, and are defined then. */
SIM_INLINE void store_lanes(struct sim_thread *t, unsigned d, unsigned cond, const vec *v) {
    vec *to = (vec *)&t->reg[d], lanes;
    lanes_of(t, cond, &lanes);
    EACH to->p[k] = choose((ipart)lanes.p[k], v->p[k], to->p[k]);
    if (UNLIKELY(t->poison[d] != 0)) {
        t->poison[d] &= ~sim_poison_of_lanes(lane_bits(&lanes));
        if (!t->poison[d])
            t->poisoned[d / 64] &= ~(1ull << d % 64);
    }
}

SIM_INLINE void store(struct sim_thread *t, const struct sim_inst *in, unsigned alu, vec *v) {
    unsigned d = in->dst[alu];
    vec *to = (vec *)&t->reg[d];
    if (UNLIKELY(in->pack[alu]))
        pack_half(in->pack[alu], v, to);
    else if (alu && in->pack_mul)
        pack_byte(in->pack_mul, v, to);
    if (in->cond[alu] == QPU_COND_ALWAYS)
        *to = *v;
    else
        store_lanes(t, d, in->cond[alu], v);
}

SIM_INLINE void store_both(struct sim_thread *t, const struct sim_inst *in, vec *add, vec *mul) {
    if (in->dst_kind[0])
        store(t, in, 0, add);
    if (in->dst_kind[1])
        store(t, in, 1, mul);
}

/* Flags of a result in the lanes of its condition; `enabled` was read before anything was written. */
SIM_INLINE void set_flags(struct sim_thread *t, const vec *enabled, const vec *value, const vec *carry) {
    vec *z = (vec *)&t->zf, *n = (vec *)&t->nf, *c = (vec *)&t->cf;
    EACH {
        ipart m = (ipart)enabled->p[k];
        z->p[k] = choose(m, (part)(value->p[k] == 0), z->p[k]);
        n->p[k] = choose(m, (part)((ipart)value->p[k] < 0), n->p[k]);
        c->p[k] = choose(m, carry->p[k], c->p[k]);
    }
}

SIM_INLINE void fill_ports(struct sim_thread *t, const struct sim_inst *in, const vec *v) {
    if (in->raddr[0] >= 32)
        *(vec *)&t->reg[SIM_REG_PORT] = *v;
    if (in->raddr[1] >= 32)
        *(vec *)&t->reg[SIM_REG_PORT + 1] = *v;
}

/* The word that a uniform read takes; false when anything about it is special. */
SIM_INLINE bool read_uniform(struct sim_thread *t, const struct sim_inst *in, uint64_t executed) {
    vec v;
    uint32_t word;
    if (UNLIKELY(!t->unif_left || (t->since_address && executed + 1 - t->since_address < 3)))
        return false;
    memcpy(&word, t->unif_host, 4);
    t->unif_host += 4;
    t->unif_left--;
    t->unif_next += 4;
    t->counters->uniforms++;
    EACH v.p[k] = SPLAT(word);
    fill_ports(t, in, &v);
    return true;
}

/* The same for a varying. */
SIM_INLINE bool read_varying(struct sim_thread *t, const struct sim_inst *in) {
    u32x16 value;
    vec v;
    if (UNLIKELY(t->varyings_read >= t->fragments->varying_count))
        return false;
    memcpy(&value, t->fragments->vary[t->varyings_read], sizeof value);
    if (UNLIKELY(t->live != 0xffff))
        sim_thread_fill_absent(t, &value);
    memcpy(&v, &value, sizeof v);
    t->varyings_read++;
    t->counters->varyings++;
    fill_ports(t, in, &v);
    return true;
}

/* What arrives in r5 after the instruction. */
SIM_INLINE void read_c(struct sim_thread *t) {
    memcpy(&t->reg[SIM_R5], t->fragments->c[t->varyings_read - 1], sizeof(u32x16));
    if (UNLIKELY(t->live != 0xffff))
        sim_thread_fill_absent(t, &t->reg[SIM_R5]);
}

/* An immediate is in its place among the registers then. */
SIM_INLINE const vec *operand(const struct sim_thread *t, unsigned r) {
    return (const vec *)&t->reg[r];
}

/* An instruction that is no more than its operations. Both read before either writes. */
SIM_INLINE void plain(struct sim_thread *t, const struct sim_inst *in, unsigned add_op, unsigned mul_op) {
    const vec *aa = operand(t, in->operand[0][0]), *ab = operand(t, in->operand[0][1]);
    const vec *ma = operand(t, in->operand[1][0]), *mb = operand(t, in->operand[1][1]);
    vec *add_to = (vec *)&t->reg[in->to[0]], *mul_to = (vec *)&t->reg[in->to[1]], add, mul;
    if (!mul_op) {
        add_result(add_op, aa, ab, &add);
        *add_to = add;
    } else if (!add_op) {
        mul_result(mul_op, ma, mb, &mul);
        *mul_to = mul;
    } else {
        add_result(add_op, aa, ab, &add);
        mul_result(mul_op, ma, mb, &mul);
        *add_to = add;
        *mul_to = mul;
    }
}

SIM_INLINE void general(struct sim_thread *t, const struct sim_inst *in) {
    if (in->unpack)
        unpacked(in->unpack, in->unpack_float, operand(t, in->unpack_from), (vec *)&t->reg[SIM_REG_UNPACKED]);
    vec add = *(const vec *)&in->imm, mul = add; /* what a load immediate loads */
    const vec *aa = operand(t, in->operand[0][0]), *ab = operand(t, in->operand[0][1]);
    const vec *ma = operand(t, in->operand[1][0]), *mb = operand(t, in->operand[1][1]);
    if (in->op[0])
        add_result(in->op[0], aa, ab, &add);
    if (in->op[1])
        mul_result(in->op[1], ma, mb, &mul);
    if (LIKELY(!in->flags)) {
        store_both(t, in, &add, &mul);
    } else {
        vec carry, enabled, value = in->flags == 2 ? mul : add;
        if (in->kind != SIM_K_ALU)
            EACH carry.p[k] = (part){};
        else if (in->flags == 2)
            mul_carry(in->op[1], ma, mb, &mul, &carry);
        else
            add_carry(in->op[0], aa, ab, &add, &carry);
        lanes_of(t, in->cond[in->flags - 1], &enabled);
        store_both(t, in, &add, &mul);
        set_flags(t, &enabled, &value, &carry);
    }
}

/* Moves with conditions. Both read before either writes. */
SIM_INLINE void select_lanes(struct sim_thread *t, const struct sim_inst *in) {
    vec add = *operand(t, in->operand[0][0]), mul = *operand(t, in->operand[1][0]);
    if (in->dst_kind[0])
        store_lanes(t, in->dst[0], in->cond[0], &add);
    if (in->dst_kind[1])
        store_lanes(t, in->dst[1], in->cond[1], &mul);
}

/* A comparison: nothing but flags, in all lanes. */
SIM_INLINE void compare(struct sim_thread *t, const struct sim_inst *in, unsigned op) {
    const vec *a = operand(t, in->operand[0][0]), *b = operand(t, in->operand[0][1]);
    vec value, carry;
    add_result(op, a, b, &value);
    add_carry(op, a, b, &value, &carry);
    EACH {
        ((vec *)&t->zf)->p[k] = (part)(value.p[k] == 0);
        ((vec *)&t->nf)->p[k] = (part)((ipart)value.p[k] < 0);
        ((vec *)&t->cf)->p[k] = carry.p[k];
    }
}

/* How far from `in` the run may go: as far as no instruction needs what is undefined. */
SIM_INLINE const struct sim_inst *end_of_run(const struct sim_thread *t, const struct sim_inst *in,
                                             uint64_t most) {
    const struct sim_inst *end = in + (in->run < most ? in->run : most);
    /* r4 is not to be read before a special function's result is there */
    uint64_t waits = t->sfu ? 1ull << (SIM_R4 - 64) : 0;
    uint64_t poisoned[2] = {t->poisoned[0], t->poisoned[1] | waits};
    if (LIKELY(!(poisoned[0] & in->run_uses[0]) && !(poisoned[1] & in->run_uses[1])))
        return end;
    for (; in < end && !(poisoned[0] & in->uses[0]) && !(poisoned[1] & in->uses[1]); in++) {
        poisoned[0] &= ~in->kills[0];
        poisoned[1] &= ~in->kills[1];
    }
    return in;
}

/* What the instructions before `end` have defined is defined in full. */
SIM_INLINE void end_run(struct sim_thread *t, const struct sim_inst *in, const struct sim_inst *end) {
    uint64_t kills[2] = {in->run_kills[0], in->run_kills[1]};
    if (LIKELY(!(t->poisoned[0] & kills[0]) && !(t->poisoned[1] & kills[1])))
        return;
    if (UNLIKELY(end != in + in->run)) {
        kills[0] = kills[1] = 0;
        for (const struct sim_inst *i = in; i < end; i++)
            kills[0] |= i->kills[0], kills[1] |= i->kills[1];
    }
    sim_thread_defined(t, kills);
}

/* Executes instructions from `in` up to `end`, or to a read that is special. Returns where it stopped. */
SIM_INLINE const struct sim_inst *run(struct sim_thread *t, const struct sim_inst *in,
                                      const struct sim_inst *end) {
    for (const struct sim_inst *const begin = in; in < end; in++) {
        unsigned form = in->begin;
    choose:
        switch (form) {
        case SIM_BEGIN_VARYING:
            if (UNLIKELY(!read_varying(t, in)))
                return in;
            *(vec *)&t->reg[SIM_REG_IMM] = *(const vec *)&in->imm;
            general(t, in);
            read_c(t);
            break;
        case SIM_BEGIN_UNIFORM:
            if (UNLIKELY(!read_uniform(t, in, t->executed + (uint64_t)(in - begin))))
                return in;
            if (!in->small_imm) {
                form = in->form;
                goto choose;
            } /* fall through */
        case SIM_BEGIN_IMMEDIATE:
            *(vec *)&t->reg[SIM_REG_IMM] = *(const vec *)&in->imm;
            form = in->form;
            goto choose;
        case SIM_FORM_GENERAL: general(t, in); break;
        case SIM_FORM_SELECT: select_lanes(t, in); break;
        case SIM_FORM_COMPARE: compare(t, in, in->op[0]); break;
#define COMPARISON(op)                                                                                       \
    case SIM_FORM_COMPARE_##op: compare(t, in, QPU_A_##op); break;
            SIM_COMPARISONS(COMPARISON)
#undef COMPARISON
        case SIM_FORM_PLAIN: plain(t, in, in->op[0], in->op[1]); break;
#define PAIR(add, mul)                                                                                       \
    case SIM_FORM_##add##_##mul: plain(t, in, QPU_A_##add, QPU_M_##mul); break;
            SIM_PAIRS(PAIR)
#undef PAIR
        default: __builtin_unreachable();
        }
    }
    return in;
}

/* As many instructions in a row as the fast loop may execute here. False: none. */
SIM_INLINE bool run_fast(struct sim_thread *t, const struct sim_inst *in) {
    uint64_t most = t->budget - t->executed;
    const struct sim_inst *end = end_of_run(t, in, t->sfu && t->sfu < most ? t->sfu : most);
    if (end == in)
        return false;
#ifdef SIM_ROUNDING
    unsigned rounding = set_rounding(SIM_TOWARD_ZERO);
#endif
    end = run(t, in, end);
#ifdef SIM_ROUNDING
    set_rounding(rounding);
#endif
    if (end == in)
        return false;
    end_run(t, in, end);
    unsigned n = (unsigned)(end - in);
    t->pc += n;
    t->executed += n;
    t->clock->now += n;
    t->previous = end - 1;
    if (t->sfu && !(t->sfu -= n))
        sim_thread_take_sfu(t);
    return true;
}

enum sim_stop SIM_LOOP(struct sim_thread *t) {
    const struct sim_inst *const code = t->program->code;
    for (enum sim_stop stop;;) {
        unsigned pc = t->pc;
        if (!sim_thread_step(t, &stop))
            return stop;
        /* hazards with what was executed before are known from the code alone */
        bool follows = t->pc == pc + 1, busy = t->branch | t->change | t->end;
        if (!follows || busy)
            continue;
        while (code[t->pc].run && t->executed < t->budget && run_fast(t, &code[t->pc])) {
        }
    }
}
