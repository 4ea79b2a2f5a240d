/* The fast part of sim_thread_run: instructions that need no more than registers, uniforms and varyings, in
 * whole vectors. Everything else goes through sim_thread_step, which can execute any instruction and is the
 * definition; tests run programs both ways.
 *
 * loop.c, loop_avx2.c and loop_avx512.c compile this for different processors, each with a name of its own in
 * SIM_LOOP. Where the host's vector unit has a rounding mode (SSE2 and later), it is set to round toward zero
 * and to flush denormals while the loop computes, and set back around everything else: then a sum or product is
 * one operation and a correction of what has no counterpart in IEEE arithmetic. A value is loaded and stored
 * within one iteration, so the compiler cannot carry arithmetic across the switch. */
#include "runtime/machine.h"

#if defined(__SSE2_MATH__)
#include <immintrin.h>
#define SIM_ROUNDING 1
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LANES for (unsigned i = 0; i < SIM_LANES; i++)

#define EXPONENT 0x7f800000u
#define SIGN 0x80000000u

typedef uint8_t u8x64 __attribute__((vector_size(64), aligned(64)));
typedef uint16_t u16x64 __attribute__((vector_size(128), aligned(64)));

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
SIM_INLINE bool any_from(u32x16 v, uint32_t limit) {
#ifdef __AVX512F__
    return _mm512_cmpge_epu32_mask(_mm512_and_si512((__m512i)v, _mm512_set1_epi32(0x7fffffff)),
                                   _mm512_set1_epi32((int)limit)) != 0;
#else
    i32x16 over = (i32x16)(v & ~SIGN) > (i32x16)SIM_SPLAT(limit - 1);
    uint64_t part[8];
    memcpy(part, &over, sizeof part);
    return (part[0] | part[1] | part[2] | part[3] | part[4] | part[5] | part[6] | part[7]) != 0;
#endif
}

/* Denormals and zeros of either sign become +0. */
SIM_INLINE u32x16 flushed(u32x16 v) {
#ifdef __AVX512F__
    return (u32x16)_mm512_maskz_mov_epi32(
        _mm512_test_epi32_mask((__m512i)v, _mm512_set1_epi32((int)EXPONENT)), (__m512i)v);
#else
    return v & (u32x16)((v & EXPONENT) != 0);
#endif
}

SIM_INLINE u32x16 choose(i32x16 mask, u32x16 yes, u32x16 no) {
    return (yes & (u32x16)mask) | (no & ~(u32x16)mask);
}

#ifdef SIM_ROUNDING
/* What IEEE arithmetic calls the largest number may be infinity here, and what it calls infinite or no number
 * has rules of its own: the scalar definitions decide. */
#define UNUSUAL 0x7f7fffffu

static __attribute__((noinline)) void fadd_slowly(const u32x16 *a, const u32x16 *b, uint32_t flip,
                                                  u32x16 *r) {
    LANES(*r)[i] = sim_fadd((*a)[i], (*b)[i] ^ flip);
}
static __attribute__((noinline)) void fmul_slowly(const u32x16 *a, const u32x16 *b, u32x16 *r) {
    LANES(*r)[i] = sim_fmul((*a)[i], (*b)[i]);
}
static __attribute__((noinline)) void ftoi_slowly(const u32x16 *a, u32x16 *r) {
    LANES(*r)[i] = sim_ftoi((*a)[i]);
}

SIM_INLINE u32x16 vector_fadd(u32x16 a, u32x16 b, bool subtract) {
    u32x16 r = subtract ? (u32x16)((f32x16)a - (f32x16)b) : (u32x16)((f32x16)a + (f32x16)b);
    if (UNLIKELY(any_from(r, UNUSUAL)))
        fadd_slowly(&a, &b, subtract ? SIGN : 0, &r);
    return flushed(r);
}

SIM_INLINE u32x16 vector_fmul(u32x16 a, u32x16 b) {
    u32x16 r = (u32x16)((f32x16)a * (f32x16)b);
    if (UNLIKELY(any_from(r, UNUSUAL)))
        fmul_slowly(&a, &b, &r);
    return flushed(r);
}

SIM_INLINE u32x16 vector_ftoi(u32x16 a) {
    if (UNLIKELY(any_from(a, 0x4f000000u))) {
        u32x16 r;
        ftoi_slowly(&a, &r);
        return r;
    }
    return (u32x16) __builtin_convertvector((f32x16)a, i32x16);
}

SIM_INLINE u32x16 vector_itof(u32x16 a) {
    return (u32x16) __builtin_convertvector((i32x16)a, f32x16);
}

/* n / 255 toward zero is one division. */
SIM_INLINE u32x16 vector_byte(u32x16 n) {
    return (u32x16)(__builtin_convertvector((i32x16)n, f32x16) / 255.0f);
}

/* Truncation of product and sum cannot carry a value below n - 1/2, or n, past it: both are floats. */
SIM_INLINE u32x16 vector_to_byte(u32x16 v) {
    v = v & (u32x16)((i32x16)v >= 0);
    v = choose((i32x16)v > (i32x16)SIM_SPLAT(0x3f800000u), SIM_SPLAT(0x3f800000u), v);
    return (u32x16) __builtin_convertvector((f32x16)v * 255.0f + 0.5f, i32x16);
}
#else
static u32x16 by_definition(bool mul, unsigned op, u32x16 a, u32x16 b) {
    struct sim_alu_out out;
    if (mul)
        sim_mul_op(op, &a, &b, false, &out);
    else
        sim_add_op(op, &a, &b, false, &out);
    return out.value;
}
SIM_INLINE u32x16 vector_fadd(u32x16 a, u32x16 b, bool subtract) {
    return by_definition(false, subtract ? QPU_A_FSUB : QPU_A_FADD, a, b);
}
SIM_INLINE u32x16 vector_fmul(u32x16 a, u32x16 b) {
    return by_definition(true, QPU_M_FMUL, a, b);
}
SIM_INLINE u32x16 vector_ftoi(u32x16 a) {
    return by_definition(false, QPU_A_FTOI, a, a);
}
SIM_INLINE u32x16 vector_itof(u32x16 a) {
    return by_definition(false, QPU_A_ITOF, a, a);
}
SIM_INLINE u32x16 vector_byte(u32x16 n) {
    u32x16 r;
    sim_unpack(QPU_UNPACK_8A, true, &n, &r);
    return r;
}
SIM_INLINE u32x16 vector_to_byte(u32x16 v) {
    u32x16 r = SIM_SPLAT(0);
    sim_pack_mul(QPU_PACK_8A, &v, &r, &r);
    return r;
}
#endif

/* Sign and magnitude to signed integers of the same order. */
SIM_INLINE i32x16 ordered(u32x16 v) {
    return (i32x16)(v ^ ((u32x16)((i32x16)v >> 31) & 0x7fffffffu));
}

SIM_INLINE u32x16 bytes_adds(u32x16 a, u32x16 b) {
    u8x64 x = (u8x64)a, s = x + (u8x64)b;
    return (u32x16)(s | (u8x64)(s < x));
}
SIM_INLINE u32x16 bytes_subs(u32x16 a, u32x16 b) {
    u8x64 x = (u8x64)a, y = (u8x64)b;
    return (u32x16)((x - y) & (u8x64)(x > y));
}
/* (x y + 127) / 255; the quotient of t below 65535 is (t + 1 + t / 256) / 256. */
SIM_INLINE u32x16 bytes_muld(u32x16 a, u32x16 b) {
    u16x64 t = __builtin_convertvector((u8x64)a, u16x64) * __builtin_convertvector((u8x64)b, u16x64) + 127;
    return (u32x16) __builtin_convertvector((t + 1 + (t >> 8)) >> 8, u8x64);
}

SIM_INLINE u32x16 add_result(unsigned op, u32x16 a, u32x16 b) {
    u8x64 x = (u8x64)a, y = (u8x64)b;
    (void)x, (void)y;
    switch (op) {
    case QPU_A_FADD: return vector_fadd(a, b, false);
    case QPU_A_FSUB: return vector_fadd(a, b, true);
    case QPU_A_FMIN: return choose(ordered(a) > ordered(b), b, a);
    case QPU_A_FMAX: return choose(ordered(a) > ordered(b), a, b);
    case QPU_A_FMINABS: a &= ~SIGN, b &= ~SIGN; return choose((i32x16)a > (i32x16)b, b, a);
    case QPU_A_FMAXABS: a &= ~SIGN, b &= ~SIGN; return choose((i32x16)a > (i32x16)b, a, b);
    case QPU_A_FTOI: return vector_ftoi(a);
    case QPU_A_ITOF: return vector_itof(a);
    case QPU_A_ADD: return a + b;
    case QPU_A_SUB: return a - b;
    case QPU_A_SHR: return a >> (b & 31);
    case QPU_A_ASR: return (u32x16)((i32x16)a >> (i32x16)(b & 31));
    case QPU_A_ROR: return a >> (b & 31) | a << (-b & 31);
    case QPU_A_SHL: return a << (b & 31);
    case QPU_A_MIN: return choose((i32x16)a > (i32x16)b, b, a);
    case QPU_A_MAX: return choose((i32x16)a > (i32x16)b, a, b);
    case QPU_A_AND: return a & b;
    case QPU_A_OR: return a | b;
    case QPU_A_XOR: return a ^ b;
    case QPU_A_NOT: return ~a;
    case QPU_A_V8ADDS: return bytes_adds(a, b);
    case QPU_A_V8SUBS: return bytes_subs(a, b);
    default: /* clz */ LANES a[i] = a[i] ? (uint32_t)__builtin_clz(a[i]) : 32; return a;
    }
}

SIM_INLINE u32x16 mul_result(unsigned op, u32x16 a, u32x16 b) {
    u8x64 x = (u8x64)a, y = (u8x64)b;
    switch (op) {
    case QPU_M_FMUL: return vector_fmul(a, b);
    case QPU_M_MUL24: return (a & 0xffffff) * (b & 0xffffff);
    case QPU_M_V8MULD: return bytes_muld(a, b);
    case QPU_M_V8MIN: return (u32x16)((x & (u8x64)(x < y)) | (y & ~(u8x64)(x < y)));
    case QPU_M_V8MAX: return (u32x16)((x & (u8x64)(x > y)) | (y & ~(u8x64)(x > y)));
    case QPU_M_V8ADDS: return bytes_adds(a, b);
    default: return bytes_subs(a, b);
    }
}

/* The carry flag (alu.c). */
SIM_INLINE i32x16 add_carry(unsigned op, u32x16 a, u32x16 b, u32x16 r) {
    u32x16 n = b & 31;
    switch (op) {
    case QPU_A_FADD:
    case QPU_A_FSUB:
    case QPU_A_ITOF: return (i32x16)r > 0;
    case QPU_A_FMIN:
    case QPU_A_FMAX: return ordered(a) > ordered(b);
    case QPU_A_FMINABS:
    case QPU_A_FMAXABS: return (i32x16)(a & ~SIGN) > (i32x16)(b & ~SIGN);
    case QPU_A_ADD: return (i32x16)(r < a);
    case QPU_A_SUB: return (i32x16)(a < b);
    case QPU_A_SHR:
    case QPU_A_ASR:
    case QPU_A_ROR: return (n != 0) & -(i32x16)(a >> ((n - 1) & 31) & 1);
    case QPU_A_SHL: return (n != 0) & -(i32x16)(a >> (-n & 31) & 1);
    case QPU_A_MIN:
    case QPU_A_MAX: return (i32x16)a > (i32x16)b;
    default: return (i32x16){};
    }
}

SIM_INLINE i32x16 mul_carry(unsigned op, const u32x16 *a, const u32x16 *b, u32x16 r) {
    if (op == QPU_M_FMUL)
        return (i32x16)r > 0;
    i32x16 c = {};
    if (op == QPU_M_MUL24)
        LANES c[i] = -(int32_t)((uint64_t)((*a)[i] & 0xffffff) * ((*b)[i] & 0xffffff) >> 32 != 0);
    return c;
}

/* --- packs ---------------------------------------------------------------------------------------------- */

SIM_INLINE u32x16 unpacked(unsigned mode, bool as_float, u32x16 v) {
    switch (mode) {
    case QPU_UNPACK_16A:
    case QPU_UNPACK_16B:
        if (mode == QPU_UNPACK_16B)
            v >>= 16;
        if (!as_float)
            return (u32x16)((i32x16)(v << 16) >> 16);
        u32x16 exponent = v >> 10 & 31, bits = (v & 0x8000) << 16 | (v & 0x3ff) << 13;
        u32x16 scaled = choose(exponent == 31, SIM_SPLAT(255), exponent + 112) << 23;
        return bits | (scaled & (u32x16)(exponent != 0));
    case QPU_UNPACK_8D_REP: return (v >> 24) * 0x01010101u;
    default: v = v >> 8 * (mode - QPU_UNPACK_8A) & 255; return as_float ? vector_byte(v) : v;
    }
}

/* Two halves of a register of file A, from floats. */
SIM_INLINE u32x16 packed_half(unsigned mode, u32x16 v, u32x16 old) {
    u32x16 sign = v >> 16 & 0x8000, exponent = v >> 23 & 255;
    u32x16 half = choose((i32x16)exponent >= 112 + 31, SIM_SPLAT(0x7c00),
                         ((exponent - 112) & 31) << 10 | (v >> 13 & 0x3ff));
    half = (sign | half) & (u32x16)((i32x16)exponent > 112);
    return mode == QPU_PACK_16A ? (old & 0xffff0000u) | half : (old & 0xffffu) | half << 16;
}

SIM_INLINE u32x16 packed_byte(unsigned mode, u32x16 v, u32x16 old) {
    u32x16 byte = vector_to_byte(v);
    if (mode == QPU_PACK_8888)
        return byte * 0x01010101u;
    unsigned shift = 8 * (mode - QPU_PACK_8A);
    return byte << shift | (old & ~(0xffu << shift));
}

/* --- the loop ------------------------------------------------------------------------------------------- */

SIM_INLINE i32x16 lanes_of(const struct sim_thread *t, unsigned cond) {
    switch (cond) {
    case QPU_COND_ZS: return t->zf;
    case QPU_COND_ZC: return ~t->zf;
    case QPU_COND_NS: return t->nf;
    case QPU_COND_NC: return ~t->nf;
    case QPU_COND_CS: return t->cf;
    case QPU_COND_CC: return ~t->cf;
    case QPU_COND_NEVER: return (i32x16){};
    default: return ~(i32x16){};
    }
}

SIM_INLINE void store(struct sim_thread *t, const struct sim_inst *in, unsigned alu, u32x16 v) {
    unsigned d = in->dst[alu];
    if (UNLIKELY(in->pack[alu]))
        v = packed_half(in->pack[alu], v, t->reg[d]);
    else if (alu && in->pack_mul)
        v = packed_byte(in->pack_mul, v, t->reg[d]);
    if (in->cond[alu] != QPU_COND_ALWAYS) {
        i32x16 lanes = lanes_of(t, in->cond[alu]);
        v = choose(lanes, v, t->reg[d]);
        if (UNLIKELY(t->poison[d] != 0)) { /* the lanes written are defined now */
            t->poison[d] &= ~sim_poison_of_lanes(sim_movemask(&lanes));
            if (!t->poison[d])
                t->poisoned[d / 64] &= ~(1ull << d % 64);
        }
    }
    t->reg[d] = v;
}

SIM_INLINE void store_both(struct sim_thread *t, const struct sim_inst *in, u32x16 add, u32x16 mul) {
    if (in->dst_kind[0])
        store(t, in, 0, add);
    if (in->dst_kind[1])
        store(t, in, 1, mul);
}

/* The word that a uniform read takes, or the varying; false when anything about it is special. */
SIM_INLINE bool read_port(struct sim_thread *t, const struct sim_inst *in, uint64_t executed) {
    u32x16 v;
    if (in->fast_read == SIM_FAST_UNIFORM) {
        uint32_t word;
        if (UNLIKELY(!t->unif_left || (t->since_address && executed + 1 - t->since_address < 3)))
            return false;
        memcpy(&word, t->unif_host, 4);
        t->unif_host += 4;
        t->unif_left--;
        t->unif_next += 4;
        t->counters->uniforms++;
        v = SIM_SPLAT(word);
    } else {
        if (UNLIKELY(t->live != 0xffff || t->varyings_read >= t->fragments->varying_count))
            return false;
        memcpy(&v, t->fragments->vary[t->varyings_read], sizeof v);
        t->varyings_read++;
        t->counters->varyings++;
    }
    if (in->raddr[0] >= 32)
        t->reg[SIM_REG_PORT] = v;
    if (in->raddr[1] >= 32)
        t->reg[SIM_REG_PORT + 1] = v;
    return true;
}

SIM_INLINE const u32x16 *operand(const struct sim_thread *t, const struct sim_inst *in, unsigned r) {
    return r == SIM_REG_IMM ? &in->imm : &t->reg[r];
}

enum sim_stop SIM_LOOP(struct sim_thread *t) {
    const struct sim_inst *const code = t->program->code;
    uint64_t left = t->budget > t->executed ? t->budget - t->executed : 0, n = 0;
    bool follows = false,
         busy = true; /* hazards with what was executed before are known from the code alone */
#ifdef SIM_ROUNDING
    unsigned rounding = set_rounding(SIM_TOWARD_ZERO);
#endif
    for (;;) {
        unsigned pc = t->pc + (unsigned)n;
        const struct sim_inst *in = &code[pc];
        if (UNLIKELY(!in->fast || !follows || busy || n >= left || (t->poisoned[0] & in->uses[0]) ||
                     (t->poisoned[1] & in->uses[1]) ||
                     (in->fast_read && !read_port(t, in, t->executed + n)))) {
            enum sim_stop stop;
            if (n) {
                t->pc = pc;
                t->executed += n;
                t->clock->now += n;
                t->previous = in - 1;
                n = 0;
            }
#ifdef SIM_ROUNDING
            set_rounding(rounding);
#endif
            if (!sim_thread_step(t, &stop))
                return stop;
            busy = t->sfu | t->branch | t->change | t->end;
            follows = t->pc == pc + 1;
            left = t->budget > t->executed ? t->budget - t->executed : 0;
#ifdef SIM_ROUNDING
            set_rounding(SIM_TOWARD_ZERO);
#endif
            continue;
        }
        n++;
        if (in->unpack)
            t->reg[SIM_REG_UNPACKED] = unpacked(in->unpack, in->unpack_float, t->reg[in->unpack_from]);
        u32x16 add = in->imm, mul = in->imm;
        const u32x16 *aa = operand(t, in, in->operand[0][0]), *ab = operand(t, in, in->operand[0][1]);
        const u32x16 *ma = operand(t, in, in->operand[1][0]), *mb = operand(t, in, in->operand[1][1]);
        if (in->op[0])
            add = aa == ab && in->op[0] == QPU_A_OR ? *aa : add_result(in->op[0], *aa, *ab);
        if (in->op[1])
            mul = ma == mb && in->op[1] == QPU_M_V8MIN ? *ma : mul_result(in->op[1], *ma, *mb);
        if (LIKELY(!in->flags)) {
            store_both(t, in, add, mul);
        } else {
            bool second = in->flags == 2;
            u32x16 v = second ? mul : add;
            i32x16 c = in->kind != SIM_K_ALU ? (i32x16){}
                       : second              ? mul_carry(in->op[1], ma, mb, mul)
                                             : add_carry(in->op[0], *aa, *ab, add);
            i32x16 enabled = lanes_of(t, in->cond[in->flags - 1]);
            store_both(t, in, add, mul);
            t->zf = (i32x16)choose(enabled, (u32x16)(v == 0), (u32x16)t->zf);
            t->nf = (i32x16)choose(enabled, (u32x16)((i32x16)v < 0), (u32x16)t->nf);
            t->cf = (i32x16)choose(enabled, (u32x16)c, (u32x16)t->cf);
        }
        if (in->fast_read == SIM_FAST_VARYING)
            memcpy(&t->reg[SIM_R5], t->fragments->c[t->varyings_read - 1], sizeof(u32x16));
        if (UNLIKELY((t->poisoned[0] & in->kills[0]) | (t->poisoned[1] & in->kills[1])))
            sim_thread_defined(t, in);
    }
}
