/* The GL shader state record (guide section 9, table 45), byte exact, and back again. */
#include "compiler/program.h"

#include <string.h>

enum { RECORD_BYTES = 36, ATTRIBUTE_BYTES = 8 };
enum { FLAG_SINGLE_THREADED = 1, FLAG_POINT_SIZE = 2, FLAG_CLIPPING = 4 };

static void put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

/* "Number of Uniforms (not used currently)": what fits is told anyway. */
static unsigned clamp(size_t value, unsigned max) {
    return value < max ? (unsigned)value : max;
}

size_t qpucc_program_record(const qpucc_program *program, uint8_t *out, size_t max) {
    uint8_t record[RECORD_BYTES + ATTRIBUTE_BYTES * QPUCC_MAX_ATTRIBUTES] = {0};
    const struct program_stage *fragment = &program->stages[QPUCC_FRAGMENT];
    size_t size = RECORD_BYTES + ATTRIBUTE_BYTES * program->attribute_count;
    put16(record, (program->threaded ? 0 : FLAG_SINGLE_THREADED) |
                      (program->point_size ? FLAG_POINT_SIZE : 0) | FLAG_CLIPPING);
    record[2] = (uint8_t)clamp(fragment->stream_count, 255);
    record[3] = (uint8_t)program->varying_words;
    /* 4: fragment code, 8: fragment uniforms; then the same twelve bytes for vertex and coordinate shader */
    for (unsigned k = 0; k < 2; k++) {
        const struct program_stage *stage = &program->stages[k ? QPUCC_COORDINATE : QPUCC_VERTEX];
        uint8_t *at = record + 12 + 12 * k;
        unsigned offset = 0;
        put16(at, clamp(stage->stream_count, 65535));
        for (size_t i = 0; i < program->attribute_count; i++) {
            uint8_t *attribute = record + RECORD_BYTES + ATTRIBUTE_BYTES * i;
            unsigned bytes = program->attributes[i].words * 4u;
            attribute[4] = (uint8_t)(bytes - 1);
            attribute[5] = (uint8_t)bytes; /* tightly packed arrays; the driver changes address and stride */
            attribute[6 + k] = (uint8_t)offset;
            if (stage->attribute_words[i]) {
                at[2] |= (uint8_t)(1u << i);
                offset += bytes;
            }
        }
        at[3] = (uint8_t)offset;
    }
    if (out)
        memcpy(out, record, size < max ? size : max);
    return size;
}

bool qpucc_record_decode(const uint8_t *bytes, size_t size, struct qpucc_record *out) {
    memset(out, 0, sizeof *out);
    if (size < RECORD_BYTES || (size - RECORD_BYTES) % ATTRIBUTE_BYTES ||
        size > RECORD_BYTES + ATTRIBUTE_BYTES * 8)
        return false;
    uint32_t word[3][2];
    out->single_threaded = bytes[0] & FLAG_SINGLE_THREADED;
    out->point_size = bytes[0] & FLAG_POINT_SIZE;
    out->clipping = bytes[0] & FLAG_CLIPPING;
    out->fragment_uniforms = bytes[2];
    out->varyings = bytes[3];
    for (unsigned k = 0; k < 3; k++)
        for (unsigned w = 0; w < 2; w++) {
            const uint8_t *at = bytes + 4 + 12 * k + 4 * w;
            word[k][w] = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        }
    static const enum qpucc_stage order[3] = {QPUCC_FRAGMENT, QPUCC_VERTEX, QPUCC_COORDINATE};
    for (unsigned k = 0; k < 3; k++) {
        out->code_address[order[k]] = word[k][0];
        out->uniform_address[order[k]] = word[k][1];
    }
    for (unsigned k = 0; k < 2; k++) {
        const uint8_t *at = bytes + 12 + 12 * k;
        out->shader[k].uniforms = at[0] | (unsigned)at[1] << 8;
        out->shader[k].attribute_mask = at[2];
        out->shader[k].attribute_bytes = at[3];
    }
    out->attribute_count = (unsigned)((size - RECORD_BYTES) / ATTRIBUTE_BYTES);
    for (unsigned i = 0; i < out->attribute_count; i++) {
        const uint8_t *at = bytes + RECORD_BYTES + ATTRIBUTE_BYTES * i;
        out->attribute[i].address =
            at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        out->attribute[i].bytes = at[4] + 1u;
        out->attribute[i].stride = at[5];
        out->attribute[i].vertex_offset = at[6];
        out->attribute[i].coordinate_offset = at[7];
    }
    return true;
}
