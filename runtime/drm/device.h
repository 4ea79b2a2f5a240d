/* Private to the device: its objects, and what the files that answer calls share. */
#ifndef DRM_DEVICE_H
#define DRM_DEVICE_H

#include <qpucc/drm.h>

#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <vc4_drm.h>

/* Bus addresses of buffers. */
#define DRM_FIRST_ADDRESS 0x10000000u
#define DRM_END_ADDRESS 0xb0000000u

/* Memory, shared by handles, frame buffers and other processes. */
struct drm_buffer {
    unsigned references;
    uint32_t address, size; /* whole pages */
    uint8_t *bytes;
    int fd;
    uint64_t uid;
    dev_t file_system; /* of fd, which these two tell from every other file */
    ino_t inode;
    struct qpusim_drm_shader *shader;
    uint32_t code_size;
    uint64_t modifier;
    bool shared;   /* a descriptor was given away */
    bool unneeded; /* MADVISE: may be purged, which never happens here */
    struct qpusim_drm *device;
    struct drm_buffer *next; /* by address */
};

/* A buffer that was shared and has no handle left. */
struct drm_shared {
    dev_t file_system;
    ino_t inode;
    uint64_t uid, modifier;
    uint32_t size;
};

struct drm_syncobj {
    unsigned references;
    bool signalled;
    uint64_t point;
    int fd; /* by which it is shared; -1: never yet */
    dev_t file_system;
    ino_t inode;
    struct drm_syncobj *next;
};

struct drm_perfmon {
    uint32_t count;
    uint8_t events[DRM_VC4_MAX_PERF_COUNTERS];
    uint64_t values[DRM_VC4_MAX_PERF_COUNTERS];
};

/* Objects by small numbers from 1. */
struct drm_table {
    void **items;
    uint32_t size;
};

struct drm_fb {
    uint32_t width, height, stride, offset, format, handle;
    uint64_t modifier;
    struct drm_buffer *buffer;
    const struct qpusim_drm_file *owner;
};

/* What the display shows: its CRTC, its connector, its plane. */
struct drm_display {
    struct drm_mode_modeinfo mode;
    uint32_t mode_blob;      /* 0: none */
    bool enabled, active;    /* the CRTC has a mode; it is on */
    bool connected, on_crtc; /* connector and plane belong to the CRTC */
    uint32_t fb;             /* 0: none */
    int32_t crtc_x, crtc_y;  /* of the plane on the CRTC, in pixels */
    uint32_t crtc_w, crtc_h;
    uint32_t src_x, src_y, src_w, src_h; /* in the frame buffer, in 65536ths of a pixel */
};

/* More of them than this are forgotten, the oldest first. */
enum { DRM_MOST_SHARED = 256 };

struct qpusim_drm {
    struct qpusim_drm_hooks hooks;
    struct drm_buffer *buffers;
    struct drm_shared shared[DRM_MOST_SHARED];
    unsigned next_shared;
    struct drm_syncobj *syncobjs;
    uint64_t next_uid, seqno;
    uint32_t next_magic;
    struct drm_table fbs, blobs;   /* of all files */
    struct drm_mode_modeinfo mode; /* the connector's only one */
    struct drm_display display;
    uint32_t formats_blob; /* 0: not yet made */
    uint32_t frames;
    uint64_t flips;
};

struct qpusim_drm_file {
    struct qpusim_drm *device;
    struct qpusim_drm_client client;
    bool has_client;
    struct drm_table handles, syncobjs, perfmons;
    bool universal_planes, atomic; /* what the file knows of */
};

/* --- what callers own ----------------------------------------------------------------------------------- */

bool drm_read(struct qpusim_drm_file *f, void *to, uint64_t from, size_t size);
bool drm_write(struct qpusim_drm_file *f, uint64_t to, const void *from, size_t size);
int drm_take_fd(struct qpusim_drm_file *f, int fd); /* a duplicate, or -1 */
int drm_give_fd(struct qpusim_drm_file *f, int fd); /* the caller's number, or -1 */
/* Copies an array to the caller as far as it has room, and tells how many there are. */
int drm_give_array(struct qpusim_drm_file *f, uint64_t to, uint32_t *count, const void *items, uint32_t have,
                   size_t size);

__attribute__((format(printf, 2, 3))) void drm_log(struct qpusim_drm *device, const char *format, ...);
/* Logs why a call is refused and returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int drm_invalid(struct qpusim_drm *device, const char *format, ...);

/* --- tables --------------------------------------------------------------------------------------------- */

uint32_t drm_table_add(struct drm_table *table, void *item); /* 0: no memory */
void *drm_table_find(const struct drm_table *table, uint32_t number);
void *drm_table_remove(struct drm_table *table, uint32_t number);

/* --- objects -------------------------------------------------------------------------------------------- */

/* NULL when there is no memory. One reference, the caller's. */
struct drm_buffer *drm_buffer_new(struct qpusim_drm *device, uint64_t size, const char *name);
void drm_buffer_unref(struct drm_buffer *buffer);
struct drm_buffer *drm_buffer_of(struct qpusim_drm_file *f, uint32_t handle);
/* A handle, which takes over the caller's reference; of NULL, and without memory, -ENOMEM. */
int drm_add_handle(struct qpusim_drm_file *f, struct drm_buffer *buffer, uint32_t *handle);
void drm_syncobj_unref(struct qpusim_drm *device, struct drm_syncobj *object);
void drm_forget_fbs(struct qpusim_drm_file *f);
void drm_forget_blobs(struct qpusim_drm_file *f);
void drm_fb_free(struct qpusim_drm *device, uint32_t id);
void drm_free_display(struct qpusim_drm *device);

/* --- calls ---------------------------------------------------------------------------------------------- */

typedef int drm_call_fn(struct qpusim_drm_file *f, void *arg);
struct drm_call {
    unsigned nr;
    unsigned size; /* of the structure that this library knows */
    const char *name;
    drm_call_fn *call;
};

/* Each file of calls ends its table with a NULL call. */
extern const struct drm_call drm_core_calls[], drm_buffer_calls[], drm_queue_calls[], drm_sync_calls[],
    drm_screen_calls[], drm_property_calls[], drm_atomic_calls[];

/* A file that tells of a fence that has signalled: the caller's number, or -1. */
int drm_give_sync_file(struct qpusim_drm_file *f);
/* Whether the caller's descriptor is one, of this device or another driver's. */
bool drm_is_sync_file(struct qpusim_drm_file *f, int number);
/* Fences of a submit. */
int drm_check_in_sync(struct qpusim_drm_file *f, uint32_t handle);
int drm_signal_out_sync(struct qpusim_drm_file *f, uint32_t handle);

#endif
