/* Packs and unpacks shader state records, byte for byte (guide, section 9, tables 45 and 46). */
#include "backend/isa/record.h"

#include <string.h>

enum { FLAG_SINGLE_THREADED = 1, FLAG_POINT_SIZE = 2, FLAG_CLIPPING = 4, FLAGS_KNOWN = 7 };
enum { FLAG_CLIP_HEADER = 8, NV_FLAGS_KNOWN = 15 };

/* Byte offsets of table 45. */
enum {
    AT_FLAGS = 0,
    AT_FS_UNIFORM_COUNT = 2,
    AT_FS_VARYINGS = 3,
    AT_FS_CODE = 4,
    AT_FS_UNIFORMS = 8,
    AT_VERTEX = 12,
    AT_COORDINATE = 24,
    AT_LONG_STRIDES = 100,
};

static void put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value & 0xffff);
    put16(at + 2, value >> 16);
}

static uint16_t get16(const uint8_t *at) {
    return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t get32(const uint8_t *at) {
    return get16(at) | (uint32_t)get16(at + 2) << 16;
}

size_t qpu_record_size(unsigned attributes) {
    return QPU_RECORD_FIXED_SIZE + (size_t)QPU_RECORD_ATTRIBUTE_SIZE * attributes;
}

static void pack_stage(const struct qpu_record_vertex_stage *stage, uint8_t *at) {
    put16(at, stage->uniform_count);
    at[2] = stage->attribute_mask;
    at[3] = stage->attribute_bytes;
    put32(at + 4, stage->code);
    put32(at + 8, stage->uniforms);
}

static void unpack_stage(const uint8_t *at, struct qpu_record_vertex_stage *stage) {
    stage->uniform_count = get16(at);
    stage->attribute_mask = at[2];
    stage->attribute_bytes = at[3];
    stage->code = get32(at + 4);
    stage->uniforms = get32(at + 8);
}

static unsigned pack_flags(bool single_threaded, bool point_size, bool clipping) {
    return (single_threaded ? FLAG_SINGLE_THREADED : 0) | (point_size ? FLAG_POINT_SIZE : 0) |
           (clipping ? FLAG_CLIPPING : 0);
}

static bool in_range(const struct qpu_shader_record *record) {
    const uint32_t largest = record->extended ? QPU_RECORD_LARGEST_STRIDE : 255;
    if (record->attribute_count > QPU_RECORD_ATTRIBUTES)
        return false;
    for (unsigned n = 0; n < record->attribute_count; n++)
        if (record->attributes[n].size < 1 || record->attributes[n].size > 256 ||
            record->attributes[n].stride > largest)
            return false;
    return true;
}

size_t qpu_record_pack(const struct qpu_shader_record *record, uint8_t *out, size_t size) {
    if (!in_range(record))
        return 0;
    size_t needed = record->extended ? QPU_RECORD_EXTENDED_SIZE : qpu_record_size(record->attribute_count);
    if (needed > size)
        return 0;
    memset(out, 0, needed);
    put16(out + AT_FLAGS, pack_flags(record->fs_single_threaded, record->point_size, record->clipping) |
                              (record->reserved_flags & ~(unsigned)FLAGS_KNOWN));
    out[AT_FS_UNIFORM_COUNT] = record->fs_uniform_count;
    out[AT_FS_VARYINGS] = record->fs_varyings;
    put32(out + AT_FS_CODE, record->fs_code);
    put32(out + AT_FS_UNIFORMS, record->fs_uniforms);
    pack_stage(&record->vertex, out + AT_VERTEX);
    pack_stage(&record->coordinate, out + AT_COORDINATE);
    for (unsigned n = 0; n < record->attribute_count; n++) {
        const struct qpu_record_attribute *a = &record->attributes[n];
        uint8_t *at = out + qpu_record_size(n);
        put32(at, a->address);
        at[4] = (uint8_t)(a->size - 1);
        at[5] = (uint8_t)a->stride; /* of an extended record the low byte, where Linux looks for it */
        at[6] = a->vs_offset;
        at[7] = a->cs_offset;
        if (record->extended)
            put32(out + AT_LONG_STRIDES + 4 * (size_t)n, a->stride);
    }
    return needed;
}

static void unpack(const uint8_t *bytes, unsigned attributes, bool extended, struct qpu_shader_record *out) {
    unsigned flags = get16(bytes + AT_FLAGS);
    out->fs_single_threaded = flags & FLAG_SINGLE_THREADED;
    out->point_size = flags & FLAG_POINT_SIZE;
    out->clipping = flags & FLAG_CLIPPING;
    out->reserved_flags = (uint16_t)(flags & ~(unsigned)FLAGS_KNOWN);
    out->fs_uniform_count = bytes[AT_FS_UNIFORM_COUNT];
    out->fs_varyings = bytes[AT_FS_VARYINGS];
    out->fs_code = get32(bytes + AT_FS_CODE);
    out->fs_uniforms = get32(bytes + AT_FS_UNIFORMS);
    unpack_stage(bytes + AT_VERTEX, &out->vertex);
    unpack_stage(bytes + AT_COORDINATE, &out->coordinate);
    out->extended = extended;
    out->attribute_count = attributes;
    for (unsigned n = 0; n < attributes; n++) {
        const uint8_t *at = bytes + qpu_record_size(n);
        uint32_t stride =
            extended ? get32(bytes + AT_LONG_STRIDES + 4 * (size_t)n) & QPU_RECORD_LARGEST_STRIDE : at[5];
        out->attributes[n] = (struct qpu_record_attribute){.address = get32(at),
                                                           .stride = stride,
                                                           .size = (uint16_t)(at[4] + 1),
                                                           .vs_offset = at[6],
                                                           .cs_offset = at[7]};
    }
}

bool qpu_record_unpack(const uint8_t *bytes, size_t size, unsigned attributes,
                       struct qpu_shader_record *out) {
    *out = (struct qpu_shader_record){0};
    if (attributes > QPU_RECORD_ATTRIBUTES || qpu_record_size(attributes) > size)
        return false;
    unpack(bytes, attributes, false, out);
    return true;
}

bool qpu_record_unpack_extended(const uint8_t *bytes, size_t size, struct qpu_shader_record *out) {
    *out = (struct qpu_shader_record){0};
    if (size < QPU_RECORD_EXTENDED_SIZE)
        return false;
    unpack(bytes, QPU_RECORD_ATTRIBUTES, true, out);
    return true;
}

void qpu_nv_record_pack(const struct qpu_nv_record *record, uint8_t out[QPU_NV_RECORD_SIZE]) {
    out[0] = (uint8_t)(pack_flags(record->fs_single_threaded, record->point_size, record->clipping) |
                       (record->clip_header ? FLAG_CLIP_HEADER : 0) |
                       (record->reserved_flags & ~(unsigned)NV_FLAGS_KNOWN));
    out[1] = record->stride;
    out[2] = record->fs_uniform_count;
    out[3] = record->fs_varyings;
    put32(out + 4, record->fs_code);
    put32(out + 8, record->fs_uniforms);
    put32(out + 12, record->vertices);
}

void qpu_nv_record_unpack(const uint8_t bytes[QPU_NV_RECORD_SIZE], struct qpu_nv_record *out) {
    *out = (struct qpu_nv_record){
        .fs_single_threaded = bytes[0] & FLAG_SINGLE_THREADED,
        .point_size = bytes[0] & FLAG_POINT_SIZE,
        .clipping = bytes[0] & FLAG_CLIPPING,
        .clip_header = bytes[0] & FLAG_CLIP_HEADER,
        .reserved_flags = (uint8_t)(bytes[0] & ~(unsigned)NV_FLAGS_KNOWN),
        .stride = bytes[1],
        .fs_uniform_count = bytes[2],
        .fs_varyings = bytes[3],
        .fs_code = get32(bytes + 4),
        .fs_uniforms = get32(bytes + 8),
        .vertices = get32(bytes + 12),
    };
}
