/* libqpusim_drm: the Linux vc4 device in software.
 *
 * It has two layers. The lower one is the kernel's part of a submit: it scans shaders, checks a binning list
 * with its shader records and uniform streams, copies and relocates them, and writes the rendering list. It
 * touches no buffer's contents and does not know the machine. The upper one (struct qpusim_drm) is a device:
 * buffers with handles, the calls of the vc4 driver, sharing, fences and a screen. It runs checked lists on a
 * machine through functions that its owner gives.
 *
 * Both are written against <drm/vc4_drm.h> of libdrm, which a user of this header includes for the
 * structures.
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
/* The byte offset in the stream of the word that the driver adds a buffer's address to for lookup `number`:
 * P0, or the base of a direct lookup. */
size_t qpusim_drm_shader_lookup(const struct qpusim_drm_shader *shader, size_t number);

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

/* Checks a submit, copies and relocates its lists, and writes the rendering list. On failure `reason` says
 * why; memory that was placed until then is in `out` and stays the caller's. */
int qpusim_drm_prepare(const struct qpusim_drm_submit *submit, qpusim_drm_place_fn *place, void *user,
                       struct qpusim_drm_lists *out, char reason[QPUSIM_DRM_TEXT]);

/* --- the device ----------------------------------------------------------------------------------------- */

/* A device with one display, /dev/dri/card0 and renderD128 in one, and an open file of it. Jobs run when they
 * are submitted: whatever a caller could wait for has happened. */
struct qpusim_drm;
struct qpusim_drm_file;

/* A buffer of a submit, for a recorder. */
struct qpusim_drm_view {
    uint32_t handle;    /* in the file that submits */
    uint64_t uid;       /* of no other buffer of the device, ever */
    uint32_t code_size; /* of shaders; otherwise 0 */
    uint64_t modifier;  /* the layout that SET_TILING told */
    const void *bytes;
};

/* A picture that is shown. */
struct qpusim_drm_frame {
    unsigned number; /* from 0 */
    uint32_t width, height, stride;
    uint32_t format;   /* DRM_FORMAT_... */
    uint64_t modifier; /* DRM_FORMAT_MOD_... */
    const void *bytes;
    size_t size;     /* from `bytes` to the end of the buffer */
    uint64_t uid;    /* the buffer's, as in struct qpusim_drm_view */
    uint32_t offset; /* of `bytes` in it */
};

/* What the device needs of its owner. The first three make a machine; the others may be NULL. */
struct qpusim_drm_hooks {
    void *user;
    bool (*add_memory)(void *user, uint32_t address, uint32_t size, void *bytes, const char *owner);
    void (*remove_memory)(void *user, uint32_t address);
    bool (*run)(void *user, const struct qpusim_drm_lists *lists, char *error, size_t size);
    uint32_t (*ident)(void *user, unsigned number);  /* register IDENT0 to IDENT2 */
    uint64_t (*count)(void *user, unsigned counter); /* events so far, VC4_PERFCNT_... */
    /* Before and after the lists of a submit run. */
    void (*submit)(void *user, const struct qpusim_drm_submit *submit, const struct qpusim_drm_view *views);
    void (*done)(void *user, const struct qpusim_drm_submit *submit, const struct qpusim_drm_view *views);
    void (*frame)(void *user, const struct qpusim_drm_frame *frame);
    void (*log)(void *user, const char *text); /* refused calls and failed jobs */
    unsigned width, height;                    /* of the display, at most 2048; 0: 640 and 480 */
};

/* How a file's calls reach their caller's memory and descriptors; with NULL it is this process. */
struct qpusim_drm_client {
    void *user;
    bool (*read)(void *user, void *to, uint64_t from, size_t size);
    bool (*write)(void *user, uint64_t to, const void *from, size_t size);
    int (*take_fd)(void *user, int fd); /* a duplicate of the caller's descriptor; -1: there is none */
    int (*give_fd)(void *user, int fd); /* the caller's number of a duplicate of this one; -1: failed */
    /* Appends an event (struct drm_event_vblank) to what the caller reads from its descriptor. */
    void (*event)(void *user, const void *event, size_t size);
};

struct qpusim_drm *qpusim_drm_new(const struct qpusim_drm_hooks *hooks);
void qpusim_drm_free(struct qpusim_drm *device); /* after all files */
struct qpusim_drm_file *qpusim_drm_open(struct qpusim_drm *device, const struct qpusim_drm_client *client);
void qpusim_drm_close(struct qpusim_drm_file *file);

/* ioctl(2): `arg` holds the request's structure, _IOC_SIZE(request) bytes. Pointers in it are the
 * caller's. */
int qpusim_drm_ioctl(struct qpusim_drm_file *file, unsigned long request, void *arg);
/* mmap(2) at an offset that a call gave: the descriptor of the memory, which begins at 0 there; it stays the
 * device's. */
int qpusim_drm_map(struct qpusim_drm_file *file, uint64_t offset, size_t size);

#ifdef __cplusplus
}
#endif
#endif
