/* libqpusim_drm: the Linux vc4 device in software.
 *
 * It has two layers. The lower one is the kernel's part of a submit: it scans shaders, checks a binning list with
 * its shader records and uniform streams, copies and relocates them, and writes the rendering list. It touches no
 * buffer's contents and does not know the machine. The upper one (struct qpusim_drm) is a device: buffers with
 * handles, the calls of the vc4 driver, sharing, fences and a screen. It runs checked lists on a machine through
 * functions that its owner gives.
 *
 * Both are written against <drm/vc4_drm.h> of libdrm, which a user of this header includes for the structures.
 *
 * Conventions
 * - Functions that return int give 0, or a negative errno value as the kernel does.
 * - A refused call has a reason: one English sentence without a full stop.
 * - Sizes and offsets are in bytes. Addresses are bus addresses of 32 bits.
 * - A device is used by one thread at a time; nothing here keeps global state. */
#ifndef QPUSIM_DRM_H
#define QPUSIM_DRM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct drm_vc4_submit_cl;

enum { QPUSIM_DRM_TEXT = 240 };

/* --- shaders -------------------------------------------------------------------------------------------- */

/* Code as the driver scanned it: which words of a uniform stream it relocates. */
struct qpusim_drm_shader;

/* Scans `size` bytes of code, a multiple of 8. NULL when the driver refuses it; `reason` then says why. */
struct qpusim_drm_shader *qpusim_drm_shader_new(const void *code, size_t size, char reason[QPUSIM_DRM_TEXT]);
void qpusim_drm_shader_free(struct qpusim_drm_shader *shader);
/* What a record's uniforms hold for this shader: first a handle index for each lookup, then the stream. */
size_t qpusim_drm_shader_lookups(const struct qpusim_drm_shader *shader);
size_t qpusim_drm_shader_stream_size(const struct qpusim_drm_shader *shader);
bool qpusim_drm_shader_threaded(const struct qpusim_drm_shader *shader);

/* --- a submit ------------------------------------------------------------------------------------------- */

/* A buffer that a submit names. */
struct qpusim_drm_buffer {
    uint32_t address, size;
    const struct qpusim_drm_shader *shader; /* NULL: data. Code is used as code only, data as data only. */
};

/* DRM_IOCTL_VC4_SUBMIT_CL with everything its pointers refer to, in sizes as `args` says. */
struct qpusim_drm_submit {
    const struct drm_vc4_submit_cl *args;
    const void *bin_cl, *shader_rec, *uniforms;
    const struct qpusim_drm_buffer *buffers; /* args->bo_handle_count, by handle index */
};

/* Memory that the driver itself needs for a submit. */
enum qpusim_drm_area {
    QPUSIM_DRM_EXEC,      /* binning list, records, uniform streams */
    QPUSIM_DRM_TILES,     /* tile state, then tile allocation memory */
    QPUSIM_DRM_RENDERING, /* rendering list */
    QPUSIM_DRM_AREAS
};

struct qpusim_drm_memory {
    uint32_t address, size;
    void *bytes; /* zeroed; may be NULL for QPUSIM_DRM_TILES, which only the machine writes */
};

/* Gives `size` bytes for an area, at an address on a page boundary; false when there are none. */
typedef bool qpusim_drm_place_fn(void *user, enum qpusim_drm_area area, uint32_t size,
                                 struct qpusim_drm_memory *out);

/* Lists that are ready to run: addresses of the first byte and of the first byte after the list. */
struct qpusim_drm_lists {
    uint32_t bin_start, bin_end; /* equal without a binning list */
    uint32_t render_start, render_end;
    uint32_t records_offset, uniforms_offset; /* in QPUSIM_DRM_EXEC */
    uint32_t tile_alloc_offset;               /* in QPUSIM_DRM_TILES */
    struct qpusim_drm_memory memory[QPUSIM_DRM_AREAS];
};

/* Checks a submit, copies and relocates its lists, and writes the rendering list. On failure `reason` says why;
 * memory that was placed until then is in `out` and stays the caller's. */
int qpusim_drm_prepare(const struct qpusim_drm_submit *submit, qpusim_drm_place_fn *place, void *user,
                       struct qpusim_drm_lists *out, char reason[QPUSIM_DRM_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
