/* Shader records and uniform streams: copied, and every address in them made from a handle index and an
 * offset.
 *
 * Requires: a checked binning list. Keeps: the arrays as handed over.
 *
 * A record comes after the handle indices of its fragment, vertex and coordinate shader and of each
 * attribute. Its uniforms are, shader by shader, a handle index for each lookup and then the words that the
 * code reads. How many there are is known from the scan of the code. */
#include "runtime/drm/submit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { STAGES = 3, RECORD_SIZE = 36, ATTRIBUTE_SIZE = 8, FLAG_SINGLE_THREADED = 1 };
enum { STRIDES = RECORD_SIZE + 8 * ATTRIBUTE_SIZE }; /* where an extended record has them */

static const struct {
    const char *name;
    uint8_t code, uniforms; /* offsets of the addresses in a record */
} stages[STAGES] = {{"fragment shader", 4, 8}, {"vertex shader", 16, 20}, {"coordinate shader", 28, 32}};

/* Read position in the uniforms as handed over, write position in their copy. */
struct uniforms {
    uint32_t read, written;
};

static int relocate_stream(struct drm_submit *s, const struct qpu_scan *scan, struct uniforms *u,
                           const char *name, uint32_t *address) {
    const struct qpusim_drm_memory *exec = &s->out->memory[QPUSIM_DRM_EXEC];
    const uint8_t *in = (const uint8_t *)s->in->uniforms + u->read;
    uint64_t handles_size = 4 * (uint64_t)scan->lookup_count, size = handles_size + scan->stream_size;
    uint32_t left = s->args->uniforms_size - u->read;
    if (size > left) {
        return drm_refuse(s, "%s: %u bytes of uniforms are left of %llu", name, left,
                          (unsigned long long)size);
    }
    uint32_t at = s->out->uniforms_offset + u->written;
    uint8_t *stream = (uint8_t *)exec->bytes + at;
    *address = exec->address + at;
    memcpy(stream, in + handles_size, scan->stream_size);
    for (size_t n = 0; n < scan->lookup_count; n++) {
        const struct qpusim_drm_buffer *texture = drm_data_buffer(s, drm_get32(in + 4 * n), "texture");
        int status = texture ? drm_check_lookup(s, &scan->lookups[n], texture, stream) : -EINVAL;
        if (status) {
            return status;
        }
    }
    for (size_t n = 0; n < scan->reset_count; n++) {
        drm_put32(stream + scan->resets[n], *address);
    }
    u->read += (uint32_t)size;
    u->written += scan->stream_size;
    return 0;
}

static int relocate_stage(struct drm_submit *s, unsigned stage, uint32_t handle, uint8_t *record,
                          struct uniforms *u) {
    const char *name = stages[stage].name;
    if (handle >= s->args->bo_handle_count || !s->in->buffers[handle].shader) {
        return drm_refuse(s, "%s: handle index %u is no shader", name, handle);
    }
    const struct qpusim_drm_buffer *buffer = &s->in->buffers[handle];
    const struct qpu_scan *scan = &buffer->shader->scan;
    if (drm_get32(record + stages[stage].code) != 0) {
        return drm_refuse(s, "%s: code begins at %u of its buffer", name,
                          drm_get32(record + stages[stage].code));
    }
    bool threaded = stage == 0 && !(record[0] & FLAG_SINGLE_THREADED);
    if (scan->threaded != threaded) {
        return drm_refuse(s, "%s: its code %s threads, its record says otherwise", name,
                          scan->threaded ? "switches" : "does not switch");
    }
    uint32_t address = 0;
    int status = relocate_stream(s, scan, u, name, &address);
    drm_put32(record + stages[stage].code, buffer->address);
    drm_put32(record + stages[stage].uniforms, address);
    return status;
}

uint32_t drm_record_size(const struct drm_record *record) {
    return record->extended ? STRIDES + 4 * record->attributes
                            : RECORD_SIZE + ATTRIBUTE_SIZE * record->attributes;
}

/* `high`: the record's stride at its end, whose low byte the driver takes from the attribute; or 0. */
static int relocate_attribute(struct drm_submit *s, unsigned number, uint32_t max_index, uint32_t handle,
                              uint8_t *attribute, uint32_t high) {
    const struct qpusim_drm_buffer *buffer = drm_data_buffer(s, handle, "attribute");
    if (!buffer) {
        return -EINVAL;
    }
    uint32_t offset = drm_get32(attribute), size = attribute[4] + 1u, stride = attribute[5] | (high & ~0xffu);
    if (offset > buffer->size || size > buffer->size - offset) {
        return drm_refuse(s, "attribute %u: %u bytes at %u of a buffer of %u", number, size, offset,
                          buffer->size);
    }
    uint32_t last = stride ? (buffer->size - offset - size) / stride : UINT32_MAX;
    if (max_index > last) {
        return drm_refuse(s, "attribute %u: vertex %u is drawn, %u is the last in its buffer", number,
                          max_index, last);
    }
    drm_put32(attribute, buffer->address + offset);
    return 0;
}

int drm_check_records(struct drm_submit *s) {
    const uint8_t *in = s->in->shader_rec;
    uint32_t left = s->args->shader_rec_size;
    uint8_t *out = (uint8_t *)s->out->memory[QPUSIM_DRM_EXEC].bytes + s->out->records_offset;
    struct uniforms u = {0};
    for (uint32_t n = 0; n < s->record_count; n++) {
        const struct drm_record *r = &s->records[n];
        uint32_t handles = STAGES + r->attributes, size = drm_record_size(r);
        if (left < 4 * handles + size) {
            return drm_refuse(s, "record %u: %u bytes are left of %u", n, left, 4 * handles + size);
        }
        memcpy(out, in + 4 * handles, size);
        int status = 0;
        for (unsigned stage = 0; stage < STAGES && !status; stage++) {
            status = relocate_stage(s, stage, drm_get32(in + 4 * stage), out, &u);
        }
        for (unsigned a = 0; a < r->attributes && !status; a++) {
            status = relocate_attribute(s, a, r->max_index, drm_get32(in + 4 * (STAGES + a)),
                                        out + RECORD_SIZE + ATTRIBUTE_SIZE * a,
                                        r->extended ? drm_get32(out + STRIDES + 4 * a) : 0);
        }
        if (status) {
            size_t used = strlen(s->reason);
            snprintf(s->reason + used, QPUSIM_DRM_TEXT - used, " (record %u)", n);
            return status;
        }
        in += 4 * handles + size;
        left -= 4 * handles + size;
        out += drm_round_up(size, DRM_RECORD_ALIGN);
    }
    return 0;
}
