/* SHA-256 (FIPS 180-4). */
#ifndef QPUCC_COMPILER_SHA256_H
#define QPUCC_COMPILER_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    uint8_t block[64];
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t size); /* data: may be NULL if size is 0 */
/* With its length in front, so that neighbours cannot exchange bytes. */
void sha256_add_sized(struct sha256 *s, const void *data, size_t size);
void sha256_add_number(struct sha256 *s, uint64_t number);
void sha256_add_text(struct sha256 *s, const char *text); /* or NULL */
void sha256_end(struct sha256 *s, uint8_t digest[32]);

#endif
