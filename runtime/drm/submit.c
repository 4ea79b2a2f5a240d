/* The driver's part of a submit: what a program handed over becomes two control lists that cannot reach
 * outside its buffers.
 *
 * Requires: arrays in the sizes that the arguments say, buffers at addresses that do not overlap.
 * Keeps: the program's arrays; every list is a copy, so that later changes to the program's memory change
 * nothing. Breaks: nothing; a refused submit leaves only memory that it was given.
 *
 * The copy of the binning list, the records and the uniform streams lie in one area, in this order, records
 * on boundaries of 16 bytes. Each part has the size of what was handed over. That is always enough, because
 * handle indices are removed: at least four words before each record, which needs at most three for its
 * alignment. */
#include "runtime/drm/submit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int drm_refuse(const struct drm_submit *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(s->reason, QPUSIM_DRM_TEXT, format, args);
    va_end(args);
    return -EINVAL;
}

const struct qpusim_drm_buffer *drm_data_buffer(const struct drm_submit *s, uint32_t index,
                                                const char *what) {
    if (index >= s->args->bo_handle_count) {
        drm_refuse(s, "%s: handle index %u of %u", what, index, s->args->bo_handle_count);
        return NULL;
    }
    if (s->in->buffers[index].shader) {
        drm_refuse(s, "%s: handle index %u is a shader", what, index);
        return NULL;
    }
    return &s->in->buffers[index];
}

int drm_place(struct drm_submit *s, enum qpusim_drm_area area, uint32_t size) {
    struct qpusim_drm_memory *memory = &s->out->memory[area];
    *memory = (struct qpusim_drm_memory){.size = size};
    if (!s->place(s->user, area, size, memory)) {
        snprintf(s->reason, QPUSIM_DRM_TEXT, "no memory for %u bytes of lists", size);
        return -ENOMEM;
    }
    return 0;
}

/* The copies of list, records and streams. */
static int prepare_binning(struct drm_submit *s) {
    const struct drm_vc4_submit_cl *args = s->args;
    uint64_t records_at =
        ((uint64_t)args->bin_cl_size + DRM_RECORD_ALIGN - 1) & ~(uint64_t)(DRM_RECORD_ALIGN - 1);
    uint64_t uniforms_at = records_at + args->shader_rec_size;
    uint64_t total = uniforms_at + args->uniforms_size;
    if (total > INT32_MAX || args->shader_rec_count > args->shader_rec_size / 4) {
        return drm_refuse(s, "sizes %u, %u (%u records), %u make no submit", args->bin_cl_size,
                          args->shader_rec_size, args->shader_rec_count, args->uniforms_size);
    }
    s->out->records_offset = (uint32_t)records_at;
    s->out->uniforms_offset = (uint32_t)uniforms_at;
    int status = drm_place(s, QPUSIM_DRM_EXEC, (uint32_t)total);
    s->records = calloc(args->shader_rec_count + 1, sizeof *s->records);
    if (!status && !s->records) {
        status = -ENOMEM;
    }
    if (!status) {
        status = drm_check_binning(s);
    }
    if (!status) {
        status = drm_check_records(s);
    }
    free(s->records);
    return status;
}

int qpusim_drm_prepare(const struct qpusim_drm_submit *submit, qpusim_drm_place_fn *place, void *user,
                       struct qpusim_drm_lists *out, char reason[QPUSIM_DRM_TEXT]) {
    struct drm_submit s = {
        .in = submit, .args = submit->args, .out = out, .place = place, .user = user, .reason = reason};
    const uint32_t known = VC4_SUBMIT_CL_USE_CLEAR_COLOR | VC4_SUBMIT_CL_FIXED_RCL_ORDER |
                           VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X | VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y;
    *out = (struct qpusim_drm_lists){0};
    reason[0] = 0;
    if (s.args->flags & ~known) {
        return drm_refuse(&s, "flags 0x%x", s.args->flags);
    }
    if (s.args->pad2) {
        return drm_refuse(&s, "padding of 0x%x", s.args->pad2);
    }
    int status = s.args->bin_cl_size > 0 ? prepare_binning(&s) : 0;
    return status ? status : drm_write_rendering(&s);
}

/* --- shaders -------------------------------------------------------------------------------------------- */

struct qpusim_drm_shader *qpusim_drm_shader_new(const void *code, size_t size, char reason[QPUSIM_DRM_TEXT]) {
    struct qpu_violation why;
    struct qpusim_drm_shader *shader = calloc(1, sizeof *shader);
    uint64_t *words = size ? calloc((size + 7) / 8, sizeof *words) : NULL;
    bool fine = false;
    if (size == 0 || size % 8) {
        snprintf(reason, QPUSIM_DRM_TEXT, "a shader of %zu bytes", size);
    } else if (!shader || !words) {
        snprintf(reason, QPUSIM_DRM_TEXT, "no memory for a shader of %zu bytes", size);
    } else {
        for (size_t i = 0; i < size / 8; i++) {
            const uint8_t *p = (const uint8_t *)code + 8 * i;
            words[i] = drm_get32(p) | (uint64_t)drm_get32(p + 4) << 32;
        }
        fine = qpu_scan(words, size / 8, &shader->scan, &why);
        if (!fine) {
            snprintf(reason, QPUSIM_DRM_TEXT, "shader, instruction %u: %s: %s", why.index, why.rule,
                     why.text);
        }
    }
    free(words);
    if (!fine) {
        free(shader);
        shader = NULL;
    }
    return shader;
}

void qpusim_drm_shader_free(struct qpusim_drm_shader *shader) {
    if (shader) {
        qpu_scan_free(&shader->scan);
        free(shader);
    }
}

size_t qpusim_drm_shader_lookups(const struct qpusim_drm_shader *shader) {
    return shader->scan.lookup_count;
}

size_t qpusim_drm_shader_stream_size(const struct qpusim_drm_shader *shader) {
    return shader->scan.stream_size;
}

bool qpusim_drm_shader_threaded(const struct qpusim_drm_shader *shader) {
    return shader->scan.threaded;
}

size_t qpusim_drm_shader_lookup(const struct qpusim_drm_shader *shader, size_t number) {
    return shader->scan.lookups[number].word[0];
}
