/* Operands of microprograms: see operands.def. Pair n of a set follows from n alone. */
#include "operands.h"

#include <stddef.h>
#include <string.h>

#define SIGN 0x80000000u
#define INFINITE 0x7f800000u

/* Bits that look random; `stream` keeps several uses of one n apart. */
static uint32_t mix(uint32_t n, uint32_t stream) {
    uint32_t x = n * 0x9e3779b9u + stream * 0x85ebca6bu + 0x27d4eb2fu;
    x = (x ^ x >> 16) * 0x21f0aaadu;
    x = (x ^ x >> 15) * 0x735a2d97u;
    return x ^ x >> 15;
}

static uint32_t pack(uint32_t sign, uint32_t exponent, uint32_t mantissa) {
    return (sign & 1) << 31 | (exponent & 255) << 23 | (mantissa & 0x7fffff);
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define PICK(list, n) (list)[(n) % (sizeof(list) / sizeof *(list))]

/* Mantissas at which roundings and carries show, and random ones. */
static uint32_t mantissa(uint32_t n, uint32_t stream) {
    static const uint32_t edges[] = {0,        1,        2,        3,        0x7fffff, 0x7ffffe,
                                     0x400000, 0x3fffff, 0x400001, 0x555555, 0x2aaaaa, 0x7ff000};
    uint32_t r = mix(n, stream);
    return r & 1 ? PICK(edges, r >> 1) : r >> 9;
}

/* --- floats --------------------------------------------------------------------------------------------- */

static void make_floats(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1), low = 40 + r % 150, distance = (r >> 8) % 30;
    *a = pack(r >> 16, low, mantissa(n, 2));
    *b = pack(r >> 17, low + distance < 200 ? low + distance : 200, mantissa(n, 3));
    if (r >> 18 & 1) {
        uint32_t t = *a;
        *a = *b;
        *b = t;
    }
    /* Products of two of these stay normal. */
    if (low < 70 || low > 180) {
        *b = pack(r >> 17, 127 + distance - 15, *b);
    }
}

/* 24-bit factors whose 48-bit product has bits below the 24 that are kept equal to a half, or next to it. */
static void make_ties(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1), k = 1 + n % 22;
    uint32_t high = (1u << 23 | mantissa(n, 2)) >> k << k | 1u << k; /* k zeros below the last one */
    uint32_t short_factor = (1u << (24 - k) | (mix(n, 3) >> (8 + k))) | 1;
    short_factor &= (1u << (25 - k)) - 1;
    uint32_t shifted = short_factor;
    while (!(shifted >> 23 & 1)) {
        shifted <<= 1;
    }
    static const int32_t beside[] = {0, 0, 0, 1, -1};
    *a = pack(r >> 1, 100 + r % 50, high & 0x7fffff);
    *b = pack(r >> 2, 100 + (r >> 8) % 50, (shifted & 0x7fffff) + (uint32_t)PICK(beside, r >> 16));
}

static const uint32_t specials[] = {0,        SIGN,       INFINITE,   SIGN | INFINITE, 0x7f800001,
                                    SIGN | 1, 0x7fc00000, 0xffc00000, 0xff800001,      0x7fffffff,
                                    1,        0xffffffff, 0x00400000, 0x007fffff,      0x807fffff};

static void make_products(uint32_t n, uint32_t *a, uint32_t *b) {
    static const uint32_t zeros[] = {0, SIGN};
    uint32_t r = mix(n, 1);
    *a = PICK(zeros, r);
    *b = r & 2 ? PICK(specials, n >> 1) : pack(r >> 3, 1 + (r >> 8) % 254, mantissa(n, 2));
    if (r & 4) {
        uint32_t t = *a;
        *a = *b;
        *b = t;
    }
}

static void make_denormals(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(r, r >> 8 & 1 ? 0 : 1 + (r >> 9) % 3, mantissa(n, 2) | 1);
    *b = pack(r >> 1, r >> 11 & 1 ? 0 : 1 + (r >> 12) % 126, mantissa(n, 3));
    if (r & 4) {
        uint32_t t = *a;
        *a = *b;
        *b = t;
    }
}

static void make_zeros(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1), x = pack(r >> 4, 64 + (r >> 8) % 126, mantissa(n, 2));
    *a = r & 1 ? SIGN : 0;
    *b = r & 2 ? x : r & 4 ? SIGN : 0;
    if ((r & 0x18) == 0) { /* a difference that is zero */
        *a = x;
        *b = r & 0x20 ? x : x ^ SIGN;
    } else if (r & 8) {
        uint32_t t = *a;
        *a = *b;
        *b = t;
    }
}

static uint32_t nan_pattern(uint32_t n, uint32_t stream) {
    return pack(mix(n, stream) >> 1, 255, mantissa(n, stream + 1) | 1);
}

static void make_nans(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = r & 3 ? nan_pattern(n, 2) : pack(r >> 2, 255, 0);
    *b = r & 0x10   ? nan_pattern(n, 4)
         : r & 0x20 ? pack(r >> 6, 255, 0)
                    : pack(r >> 6, 1 + (r >> 8) % 254, mantissa(n, 6));
    if (r & 0x40) {
        uint32_t t = *a;
        *a = *b;
        *b = t;
    }
}

static void make_overflows(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(r, 254 - (r >> 8 & 1), mantissa(n, 2));
    *b = pack(r >> 1, 254 - (r >> 9 & 1), mantissa(n, 3));
}

static void make_whole(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(r, 118 + (r >> 8) % 40, mantissa(n, 2));
    *b = pack(r >> 1, 118 + (r >> 16) % 40, mantissa(n, 3));
}

static void make_large(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(r, 158, mantissa(n, 2));
    *b = pack(r >> 1, 158, mantissa(n, 3));
}

static void make_beyond(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = r & 0x100 ? PICK(specials, r >> 10) | INFINITE : pack(r, 159 + (r >> 16) % 97, mantissa(n, 2));
    *b = pack(r >> 1, 159 + (r >> 20) % 97, mantissa(n, 3));
}

/* --- integers ------------------------------------------------------------------------------------------- */

static uint32_t integer(uint32_t n, uint32_t stream) {
    static const uint32_t edges[] = {
        0,          1,          2,          3,          0x7f,       0x80,       0xff,       0x100,
        0x7fff,     0x8000,     0x8001,     0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,
        0x1000000,  0x1000001,  0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xffff7fff, 0xffff8000,
        0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa, 0x12345678, 0xfedcba98, 0xff00ff00, 0x00ff00ff};
    uint32_t r = mix(n, stream);
    return n % 3 == 2 ? r : PICK(edges, r);
}

static void make_ints(uint32_t n, uint32_t *a, uint32_t *b) {
    *a = integer(n, 1);
    *b = n % 17 == 0 ? *a : integer(n, 2);
}

static void make_shifts(uint32_t n, uint32_t *a, uint32_t *b) {
    *a = integer(n >> 7, 1);
    *b = (n & 127) - 64;
}

/* Pair p of the bytes in each of a word's bytes: a quarter of all pairs each. */
static void make_bytes(uint32_t n, uint32_t *a, uint32_t *b) {
    *a = *b = 0;
    for (uint32_t byte = 0; byte < 4; byte++) {
        uint32_t pair = (n + 16384 * byte) & 0xffff;
        *a |= (pair >> 8) << 8 * byte;
        *b |= (pair & 255) << 8 * byte;
    }
}

/* --- packs ---------------------------------------------------------------------------------------------- */

static void make_unit(uint32_t n, uint32_t *a, uint32_t *b) {
    static const float outside[] = {-1, -0.25f, 1.0001f, 1.5f, 2, 255, 1e9f, -1e9f};
    uint32_t r = mix(n, 1);
    *a = n % 16 == 15 ? bits_of(PICK(outside, r)) : bits_of((float)(n % 511) / 510) + r % 5 - 2;
    *b = 0x3f800000;
}

static void make_halves(uint32_t n, uint32_t *a, uint32_t *b) {
    static const uint32_t low[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff};
    uint32_t r = mix(n, 1);
    *a = pack(r, 113 + (r >> 8) % 29, (mantissa(n, 2) & 0x7fe000) | PICK(low, r >> 16));
    *b = 0x3f800000;
}

static void make_half_range(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = r & 2 ? pack(r, 90 + (r >> 8) % 23, mantissa(n, 2)) : pack(r, 142 + (r >> 8) % 113, mantissa(n, 2));
    if ((r & 0x1c0) == 0) {
        *a = PICK(specials, r >> 16);
    }
    *b = 0x3f800000;
}

static void make_half_bits(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1), s = mix(n, 2);
    uint32_t low = (r & 0x83ff) | (1 + (r >> 16) % 30) << 10, high = (s & 0x83ff) | (1 + (s >> 16) % 30)
                                                                                        << 10;
    *a = low | high << 16;
    *b = mix(n, 3) & ~0x40000000u; /* no NaN as a float */
}

static void make_half_denormals(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = (r & 0x83ff83ff) | (r >> 12 & 1) | (r >> 13 & 1) << 16;
    *b = 0x3f800000;
}

/* --- special functions ---------------------------------------------------------------------------------- */

static void make_mantissas(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(r, 1 + n % 252, n << 8 | r >> 24);
    *b = 0;
}

static void make_parities(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(0, 1 + 2 * (r % 127) + (n >> 14), (n & 0x3fff) << 9 | r >> 23);
    *b = 0;
}

static void make_logs(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(0, n % 8 ? 1 + r % 254 : 125 + r % 5, n << 8 | r >> 24);
    *b = 0;
}

static void make_exponents(uint32_t n, uint32_t *a, uint32_t *b) {
    int32_t whole = (int32_t)(mix(n, 1) % 253) - 125;
    *a = bits_of((float)whole + (float)n / 32768);
    *b = 0;
}

static void make_small_exponents(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = n % 4 ? pack(1, 134 + r % 121, mantissa(n, 2)) : bits_of(-126 - (float)(r % 4096) / 256);
    *b = 0;
}

static void make_large_exponents(uint32_t n, uint32_t *a, uint32_t *b) {
    *a = pack(0, n % 2 ? 134 : 134 + mix(n, 1) % 121, mantissa(n, 2));
    *b = 0;
}

static void make_largest(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(r, 253 + r % 2, mantissa(n, 2));
    if (n % 64 == 0) {
        *a = pack(r, 255, 0);
    }
    *b = 0;
}

static void make_negative(uint32_t n, uint32_t *a, uint32_t *b) {
    *a = pack(1, 1 + mix(n, 1) % 254, mantissa(n, 2));
    *b = 0;
}

static void make_tiny(uint32_t n, uint32_t *a, uint32_t *b) {
    uint32_t r = mix(n, 1);
    *a = pack(r, 0, n % 8 ? mantissa(n, 2) : 0);
    *b = 0;
}

static void make_nan_patterns(uint32_t n, uint32_t *a, uint32_t *b) {
    *a = nan_pattern(n, 1);
    *b = 0;
}

const struct operand_set operand_sets[OPERANDS_COUNT] = {
#define OPERANDS(NAME, name, blocks, what) {#name, what, blocks, make_##name},
#include "operands.def"
#undef OPERANDS
};
