/* Little-endian numbers and texts. */
#include "compiler/bytes.h"

#include <string.h>

/* --- out ------------------------------------------------------------------------------------------------ */

static uint8_t *make_room(struct bytes_out *out, size_t size) {
    if (!out->failed && out->capacity - out->size < size) {
        size_t capacity = (out->capacity ? out->capacity * 2 : 4096) + size;
        uint8_t *grown = ir_heap_resize(out->from, out->data, capacity);
        out->failed = !grown;
        if (grown) {
            out->data = grown;
            out->capacity = capacity;
        }
    }
    if (out->failed)
        return NULL;
    out->size += size;
    return out->data + out->size - size;
}

void put_bytes(struct bytes_out *out, const void *data, size_t size) {
    uint8_t *at = make_room(out, size);
    if (at && size)
        memcpy(at, data, size);
}

static void store(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; at && i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

void put_u8(struct bytes_out *out, uint32_t value) {
    store(make_room(out, 1), value, 1);
}

void put_u32(struct bytes_out *out, uint32_t value) {
    store(make_room(out, 4), value, 4);
}

void put_u64(struct bytes_out *out, uint64_t value) {
    store(make_room(out, 8), value, 8);
}

void put_varint(struct bytes_out *out, uint32_t value) {
    for (; value >> 7; value >>= 7)
        put_u8(out, (value & 0x7f) | 0x80);
    put_u8(out, value);
}

void put_words(struct bytes_out *out, const uint32_t *words, size_t count) {
    uint8_t *at = make_room(out, count * 4);
    for (size_t i = 0; at && i < count; i++)
        store(at + 4 * i, words[i], 4);
}

void put_text(struct bytes_out *out, const char *text) {
    size_t length = text ? strlen(text) : 0;
    put_u32(out, text ? (uint32_t)length + 1 : 0);
    put_bytes(out, text, length);
}

/* --- in ------------------------------------------------------------------------------------------------- */

bool get_fail(struct bytes_in *in, const char *why) {
    if (!in->why)
        in->why = why;
    in->at = in->end;
    return false;
}

const uint8_t *get_bytes(struct bytes_in *in, size_t size) {
    if ((size_t)(in->end - in->at) < size) {
        get_fail(in, "it ends too early");
        return NULL;
    }
    in->at += size;
    return in->at - size;
}

static uint64_t load(const uint8_t *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; at && i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

uint32_t get_u8(struct bytes_in *in) {
    return (uint32_t)load(get_bytes(in, 1), 1);
}

uint32_t get_u32(struct bytes_in *in) {
    return (uint32_t)load(get_bytes(in, 4), 4);
}

uint64_t get_u64(struct bytes_in *in) {
    return load(get_bytes(in, 8), 8);
}

uint32_t get_varint(struct bytes_in *in) {
    uint32_t value = 0, byte = 0x80;
    for (unsigned shift = 0; byte & 0x80 && shift < 32; shift += 7)
        value |= ((byte = get_u8(in)) & 0x7f) << shift;
    return value;
}

uint32_t get_below(struct bytes_in *in, uint32_t limit, const char *why) {
    uint32_t value = get_u32(in);
    if (value < limit)
        return value;
    get_fail(in, why);
    return 0;
}

bool get_bool(struct bytes_in *in) {
    uint32_t value = get_u8(in);
    if (value > 1)
        get_fail(in, "a truth value is neither 0 nor 1");
    return value == 1;
}

uint32_t get_count(struct bytes_in *in, size_t each) {
    uint32_t count = get_u32(in);
    if (count <= (size_t)(in->end - in->at) / each)
        return count;
    get_fail(in, "it ends too early");
    return 0;
}

void get_words(struct bytes_in *in, uint32_t *words, size_t count) {
    const uint8_t *at = get_bytes(in, count * 4);
    for (size_t i = 0; i < count; i++)
        words[i] = at ? (uint32_t)load(at + 4 * i, 4) : 0;
}

const char *get_text(struct bytes_in *in, size_t *length) {
    uint32_t count = get_u32(in);
    *length = count ? count - 1 : 0;
    return count ? (const char *)get_bytes(in, *length) : NULL;
}

/* --- sum ------------------------------------------------------------------------------------------------ */

uint64_t bytes_sum(const void *data, size_t size) {
    const uint8_t *at = data;
    uint64_t sum = size * 0x9e3779b97f4a7c15u;
    for (; size; at += 8) {
        unsigned count = size < 8 ? (unsigned)size : 8;
        sum = (sum ^ load(at, count)) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
        size -= count;
    }
    return sum;
}
