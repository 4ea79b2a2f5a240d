/* Sixteen lanes as whole vectors of the host, for files that are compiled once for each kind of it: loop.h
 * and sample.h. Compilers take operations on wider vectors apart lane by lane. */
#ifndef SIM_PARTS_H
#define SIM_PARTS_H

#include "runtime/lanes.h"

#if defined(__SSE2_MATH__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX2__)
#define WIDTH 32
#else
#define WIDTH 16
#endif
#define PARTS (64 / WIDTH)
#define EACH for (unsigned k = 0; k < PARTS; k++)

typedef uint32_t part __attribute__((vector_size(WIDTH), may_alias));
typedef int32_t ipart __attribute__((vector_size(WIDTH), may_alias));
typedef float fpart __attribute__((vector_size(WIDTH), may_alias));
typedef uint16_t hpart __attribute__((vector_size(WIDTH), may_alias));
typedef uint8_t bpart __attribute__((vector_size(WIDTH), may_alias));
typedef struct __attribute__((aligned(64), may_alias)) {
    part p[PARTS];
} vec;

#define SPLAT(x) ((part){} + (uint32_t)(x))

SIM_INLINE part choose(ipart mask, part yes, part no) {
    return (yes & (part)mask) | (no & ~(part)mask);
}

/* A mask's lanes, one bit each. */
SIM_INLINE unsigned lane_bits(const vec *mask) {
#if defined(__AVX512F__)
    return _mm512_movepi32_mask((__m512i)mask->p[0]);
#elif defined(__AVX2__)
    return (unsigned)_mm256_movemask_ps((__m256)mask->p[0]) | (unsigned)_mm256_movemask_ps((__m256)mask->p[1])
                                                                  << 8;
#else
    i32x16 m;
    memcpy(&m, mask, sizeof m);
    return sim_movemask(&m);
#endif
}

#endif
