/* SHA-256 (FIPS 180-4): the cache's keys are digests, because two sources must never share one, even when
 * somebody tries. A page of our own instead of a library, because it is all that would be used of it. */
#include "compiler/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}

static uint32_t big_endian(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void block(struct sha256 *s, const uint8_t *data) {
    uint32_t w[64], v[8];
    for (unsigned i = 0; i < 16; i++)
        w[i] = big_endian(data + 4 * i);
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, s->state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t first = v[7] + (rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)) +
                         ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
        uint32_t second = (rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)) +
                          ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (unsigned i = 0; i < 8; i++)
        s->state[i] += v[i];
}

void sha256_begin(struct sha256 *s) {
    /* the same of the square roots of the first eight primes */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->state, start, sizeof start);
    s->size = 0;
}

void sha256_add(struct sha256 *s, const void *data, size_t size) {
    const uint8_t *at = data;
    while (size) {
        size_t used = s->size % 64, count = 64 - used < size ? 64 - used : size;
        memcpy(s->block + used, at, count);
        s->size += count;
        at += count;
        size -= count;
        if (used + count == 64)
            block(s, s->block);
    }
}

void sha256_add_number(struct sha256 *s, uint64_t number) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    sha256_add(s, bytes, sizeof bytes);
}

void sha256_add_sized(struct sha256 *s, const void *data, size_t size) {
    sha256_add_number(s, size);
    sha256_add(s, data, size);
}

void sha256_add_text(struct sha256 *s, const char *text) {
    sha256_add_number(s, text != NULL);
    sha256_add_sized(s, text, text ? strlen(text) : 0);
}

void sha256_end(struct sha256 *s, uint8_t digest[32]) {
    static const uint8_t padding[64] = {0x80};
    uint8_t bits[8];
    for (unsigned i = 0; i < 8; i++)
        bits[i] = (uint8_t)(s->size * 8 >> (56 - 8 * i));
    sha256_add(s, padding, 1 + (119 - s->size % 64) % 64);
    sha256_add(s, bits, 8);
    for (unsigned i = 0; i < 32; i++)
        digest[i] = (uint8_t)(s->state[i / 4] >> (24 - 8 * (i % 4)));
}
