/* Little-endian numbers and texts, one after the other: what containers are made of. */
#ifndef QPUCC_COMPILER_BYTES_H
#define QPUCC_COMPILER_BYTES_H

#include "ir/heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is written; begins as {.from = ...}. Memory that runs out sets `failed`, and nothing more is
 * written. */
struct bytes_out {
    const struct qpucc_allocator *from; /* of the data; NULL: the C library's */
    uint8_t *data;                      /* a block of ir/heap.h, which whoever has this frees */
    size_t size, capacity;
    bool failed;
};

void put_bytes(struct bytes_out *out, const void *data, size_t size);
void put_u8(struct bytes_out *out, uint32_t value);
void put_u32(struct bytes_out *out, uint32_t value);
void put_u64(struct bytes_out *out, uint64_t value);
void put_words(struct bytes_out *out, const uint32_t *words, size_t count);
/* seven bits to a byte, the low ones first */
void put_varint(struct bytes_out *out, uint32_t value);
/* its length and the bytes; NULL is told from "" */
void put_text(struct bytes_out *out, const char *text);

/* What is read. The first fault sets `why`; from then on all numbers are 0. Nothing is read beyond `end`. */
struct bytes_in {
    const uint8_t *at, *end;
    const char *why; /* static text */
};

bool get_fail(struct bytes_in *in, const char *why); /* false */
const uint8_t *get_bytes(struct bytes_in *in, size_t size);
uint32_t get_u8(struct bytes_in *in);
uint32_t get_u32(struct bytes_in *in);
uint64_t get_u64(struct bytes_in *in);
uint32_t get_varint(struct bytes_in *in);
bool get_bool(struct bytes_in *in);
/* A number below `limit`. */
uint32_t get_below(struct bytes_in *in, uint32_t limit, const char *why);
/* A count of things that take at least `each` bytes; it fails where the bytes left cannot hold that many. */
uint32_t get_count(struct bytes_in *in, size_t each);
void get_words(struct bytes_in *in, uint32_t *words, size_t count);
/* Not NUL-terminated; NULL for NULL. */
const char *get_text(struct bytes_in *in, size_t *length);

/* A number for the bytes: whatever happened to them by accident changes it. No secret, no proof against
 * intent. */
uint64_t bytes_sum(const void *data, size_t size);

#endif
