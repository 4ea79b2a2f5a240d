/* Sixteen lanes as one value: the vector types that the whole machine computes with.
 *
 * GCC's and Clang's vector extension spells the 16-lane operations; the compiler lowers them to whatever
 * vector unit the host has, or to scalar code. No operation here depends on the host's rounding mode. */
#ifndef SIM_LANES_H
#define SIM_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define SIM_LANES 16

typedef uint32_t u32x16 __attribute__((vector_size(64), aligned(64)));
typedef int32_t i32x16 __attribute__((vector_size(64), aligned(64)));
typedef float f32x16 __attribute__((vector_size(64), aligned(64)));

/* Vectors travel by pointer between files, so that no calling convention depends on the host's vector width.
 */
#define SIM_SPLAT(x) ((u32x16){} + (uint32_t)(x))

/* On x86-64 with glibc the loader picks the version of a function for the processor's widest vectors. What
 * such a function calls for its lanes is inlined into each version. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&             \
    defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SIM_VERSIONS __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define SIM_VERSIONS
#endif
#define SIM_INLINE static inline __attribute__((always_inline))

/* Lane mask (all ones or zero per lane) to one bit per lane. */
static inline unsigned sim_movemask(const i32x16 *m) {
    unsigned bits = 0;
#ifdef __SSE2__
    for (unsigned i = 0; i < 4; i++)
        bits |= (unsigned)_mm_movemask_ps(_mm_load_ps((const float *)m + 4 * i)) << 4 * i;
#elif defined(__wasm_simd128__)
    for (unsigned i = 0; i < 4; i++)
        bits |= (unsigned)wasm_i32x4_bitmask(wasm_v128_load((const uint32_t *)m + 4 * i)) << 4 * i;
#else
    for (unsigned i = 0; i < SIM_LANES; i++)
        bits |= ((unsigned)(*m)[i] >> 31) << i;
#endif
    return bits;
}

/* One bit per lane to a lane mask. */
SIM_INLINE i32x16 sim_lanemask(unsigned bits) {
    const i32x16 bit = {1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                        1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    return (((i32x16){} + (int32_t)bits) & bit) != 0;
}

static inline float sim_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t sim_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Poison: one bit per byte of each lane, bit 16 * byte + lane. Set where the value was never defined. */
typedef uint64_t sim_poison;

/* Lanes with any poisoned byte. */
static inline unsigned sim_poison_lanes(sim_poison p) {
    p |= p >> 32;
    return (unsigned)((p | p >> 16) & 0xffff);
}

/* Whole lanes poisoned. */
static inline sim_poison sim_poison_of_lanes(unsigned lanes) {
    return (lanes & 0xffff) * 0x0001000100010001ull;
}

#endif
