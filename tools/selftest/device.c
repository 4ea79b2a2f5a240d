/* Devices: see device.h.
 *
 * Both kinds take the same calls, ioctl(2)'s of the vc4 driver. The machine is the driver of libqpusim_drm in
 * this process, in strict mode, so a row whose expected result would rest on anything undefined fails. */
#include "device.h"

#include "remote.h"

#include "tools/gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum kind { A_FILE, A_REMOTE, THE_MACHINE };

struct device {
    enum kind kind;
    int fd;               /* A_FILE's */
    struct remote remote; /* A_REMOTE's; the rest is the machine's */
    struct gpu *gpu;
    struct qpusim_drm *drm;
    struct qpusim_drm_file *file;
    char log[FRAME_TEXT]; /* the machine's last reason */
};

/* --- the machine ---------------------------------------------------------------------------------------- */

static bool add_memory(void *user, uint32_t address, uint32_t size, void *bytes, const char *owner) {
    struct device *d = user;
    return qpusim_memory_add(gpu_memory(d->gpu), address, size, bytes, owner) == QPUSIM_OK;
}

static void remove_memory(void *user, uint32_t address) {
    struct device *d = user;
    qpusim_memory_remove(gpu_memory(d->gpu), address);
}

static bool run_lists(void *user, const struct qpusim_drm_lists *lists, char *error, size_t size) {
    struct device *d = user;
    bool fine = gpu_run(d->gpu, lists, error, size);
    if (!fine) {
        snprintf(d->log, sizeof d->log, "the job failed: %.*s", (int)sizeof d->log - 32, error);
    }
    return fine;
}

static uint32_t ident(void *user, unsigned number) {
    return gpu_ident(((struct device *)user)->gpu, number);
}

static uint64_t count(void *user, unsigned counter) {
    return gpu_count(((struct device *)user)->gpu, counter);
}

static void write_log(void *user, const char *text) {
    struct device *d = user;
    if (!d->log[0]) {
        snprintf(d->log, sizeof d->log, "%s", text);
    }
}

struct device *device_machine(unsigned fault) {
    struct device *d = calloc(1, sizeof *d);
    if (!d) {
        return NULL;
    }
    d->kind = THE_MACHINE;
    d->gpu = gpu_new(&(struct gpu_options){.fault = fault});
    const struct qpusim_drm_hooks hooks = {.user = d,
                                           .add_memory = add_memory,
                                           .remove_memory = remove_memory,
                                           .run = run_lists,
                                           .ident = ident,
                                           .count = count,
                                           .log = write_log};
    d->drm = d->gpu ? qpusim_drm_new(&hooks) : NULL;
    d->file = d->drm ? qpusim_drm_open(d->drm, NULL) : NULL;
    if (!d->file) {
        device_close(d);
        return NULL;
    }
    return d;
}

uint64_t device_instructions(const struct device *d) {
    return d->gpu ? gpu_counters(d->gpu)->instructions : 0;
}

/* --- calls ---------------------------------------------------------------------------------------------- */

/* 0 or a positive errno. */
static int call(struct device *d, unsigned long request, void *arg) {
    if (d->kind == THE_MACHINE) {
        d->log[0] = 0;
        return -qpusim_drm_ioctl(d->file, request, arg);
    }
    if (d->kind == A_REMOTE) {
        return -remote_ioctl(&d->remote, request, arg);
    }
    int status;
    do {
        status = ioctl(d->fd, request, arg);
    } while (status < 0 && (errno == EINTR || errno == EAGAIN));
    return status < 0 ? errno : 0;
}

static enum device_status failed(const struct device *d, const char *what, int number,
                                 char error[FRAME_TEXT]) {
    if (d->log[0]) {
        snprintf(error, FRAME_TEXT, "%s", d->log);
    } else {
        snprintf(error, FRAME_TEXT, "%s: %s", what, strerror(number));
    }
    return number == EINVAL ? DEVICE_REFUSED : DEVICE_FAILED;
}

static void *map_buffer(struct device *d, uint32_t handle, size_t size) {
    struct drm_vc4_mmap_bo map = {.handle = handle};
    if (call(d, DRM_IOCTL_VC4_MMAP_BO, &map)) {
        return MAP_FAILED;
    }
    int fd = d->kind == THE_MACHINE ? qpusim_drm_map(d->file, map.offset, size)
             : d->kind == A_REMOTE  ? remote_map(&d->remote, map.offset, size)
                                    : d->fd;
    void *bytes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, d->kind == A_FILE ? (off_t)map.offset : 0);
    if (d->kind == A_REMOTE && fd >= 0) {
        close(fd);
    }
    return bytes;
}

struct device *device_open(const char *path, char *error, size_t size) {
    struct device *d = calloc(1, sizeof *d);
    if (!d) {
        snprintf(error, size, "out of memory");
        return NULL;
    }
    d->fd = open(path, O_RDWR | O_CLOEXEC);
    if (d->fd < 0) {
        snprintf(error, size, "%s: %s", path, strerror(errno));
        /* Under qpusim-device, but without its library. */
        if (remote_open(&d->remote)) {
            free(d);
            return NULL;
        }
        d->kind = A_REMOTE;
        return d; /* known to be one; and VERSION's structure is another in a 32-bit program */
    }
    char name[16] = "";
    struct drm_version version = {.name = name, .name_len = sizeof name - 1};
    if (call(d, DRM_IOCTL_VERSION, &version)) {
        snprintf(error, size, "%s: not a graphics device", path);
    } else if (strcmp(name, "vc4") != 0) {
        snprintf(error, size, "%s: the driver is %s, not vc4", path, name);
    } else {
        return d;
    }
    device_close(d);
    return NULL;
}

void device_close(struct device *d) {
    if (!d) {
        return;
    }
    if (d->kind == A_FILE) {
        close(d->fd);
    } else if (d->kind == A_REMOTE) {
        remote_close(&d->remote);
    }
    if (d->file) {
        qpusim_drm_close(d->file);
    }
    qpusim_drm_free(d->drm);
    gpu_free(d->gpu);
    free(d);
}

uint32_t device_ident(const struct device *d, unsigned number) {
    struct drm_vc4_get_param a = {.param = DRM_VC4_PARAM_V3D_IDENT0 + number};
    struct device *caller = (struct device *)(uintptr_t)d;
    return call(caller, DRM_IOCTL_VC4_GET_PARAM, &a) ? 0 : (uint32_t)a.value;
}

/* --- frames --------------------------------------------------------------------------------------------- */

static int make_shader(struct device *d, const uint64_t *code, size_t size, uint32_t *handle) {
    struct drm_vc4_create_shader_bo create = {.size = (uint32_t)size, .data = (uintptr_t)code};
    int number = call(d, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create);
    *handle = create.handle;
    return number;
}

static void drop(struct device *d, uint32_t handle) {
    struct drm_gem_close gone = {.handle = handle};
    call(d, DRM_IOCTL_GEM_CLOSE, &gone);
}

enum device_status device_try_shader(struct device *d, const uint64_t *code, size_t count_of_words,
                                     char error[FRAME_TEXT]) {
    uint32_t handle;
    int number = make_shader(d, code, count_of_words * 8, &handle);
    if (number) {
        return failed(d, "CREATE_SHADER_BO", number, error);
    }
    drop(d, handle);
    return DEVICE_DONE;
}

static enum device_status make_object(struct device *d, const struct frame_object *o, uint32_t *handle,
                                      char error[FRAME_TEXT]) {
    if (o->code) {
        int number = make_shader(d, o->code, o->size, handle);
        return number ? failed(d, "CREATE_SHADER_BO", number, error) : DEVICE_DONE;
    }
    struct drm_vc4_create_bo create = {.size = o->size};
    int number = call(d, DRM_IOCTL_VC4_CREATE_BO, &create);
    if (number) {
        failed(d, "CREATE_BO", number, error);
        return DEVICE_FAILED;
    }
    *handle = create.handle;
    void *bytes = map_buffer(d, create.handle, o->size);
    if (bytes == MAP_FAILED) {
        failed(d, "mmap", errno, error);
        return DEVICE_FAILED;
    }
    memcpy(bytes, o->bytes, o->size);
    munmap(bytes, o->size);
    return DEVICE_DONE;
}

static enum device_status read_results(struct device *d, const struct frame *f, const uint32_t *handles,
                                       uint8_t *results[FRAME_MOST_OBJECTS], char error[FRAME_TEXT]) {
    for (unsigned n = 0; n < f->object_count; n++) {
        const struct frame_object *o = &f->objects[n];
        if (!o->result) {
            continue;
        }
        const void *bytes = map_buffer(d, handles[n], o->size);
        results[n] = bytes == MAP_FAILED ? NULL : malloc(o->size);
        if (results[n]) {
            memcpy(results[n], bytes, o->size);
        }
        if (bytes != MAP_FAILED) {
            munmap((void *)(uintptr_t)bytes, o->size);
        }
        if (!results[n]) {
            failed(d, "mmap", errno, error);
            return DEVICE_FAILED;
        }
    }
    return DEVICE_DONE;
}

/* A monitor for the frame's counters; 0 when it has none. */
static enum device_status make_monitor(struct device *d, const struct frame *f, uint32_t *monitor,
                                       char error[FRAME_TEXT]) {
    *monitor = 0;
    for (unsigned n = 0; n < f->object_count; n++) {
        const struct frame_object *o = &f->objects[n];
        if (o->event_count) {
            struct drm_vc4_perfmon_create create = {.ncounters = o->event_count};
            memcpy(create.events, o->events, o->event_count);
            int number = call(d, DRM_IOCTL_VC4_PERFMON_CREATE, &create);
            *monitor = create.id;
            if (number) {
                failed(d, "PERFMON_CREATE", number, error);
                return DEVICE_FAILED;
            }
        }
    }
    return DEVICE_DONE;
}

static enum device_status read_monitor(struct device *d, const struct frame *f, uint32_t monitor,
                                       uint8_t *results[FRAME_MOST_OBJECTS], char error[FRAME_TEXT]) {
    struct drm_vc4_perfmon_destroy gone = {.id = monitor};
    int number = 0;
    for (unsigned n = 0; n < f->object_count && !number; n++) {
        if (f->objects[n].event_count && results[n]) {
            struct drm_vc4_perfmon_get_values get = {.id = monitor, .values_ptr = (uintptr_t)results[n]};
            number = call(d, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &get);
        }
    }
    if (number) {
        failed(d, "PERFMON_GET_VALUES", number, error);
    }
    call(d, DRM_IOCTL_VC4_PERFMON_DESTROY, &gone);
    return number ? DEVICE_FAILED : DEVICE_DONE;
}

static enum device_status submit(struct device *d, const struct frame *f, uint32_t *handles,
                                 uint8_t *results[FRAME_MOST_OBJECTS], char error[FRAME_TEXT]) {
    const uint64_t patience = UINT64_C(10000000000); /* ns; the kernel resets what hangs far earlier */
    struct drm_vc4_submit_cl a = f->args;
    uint32_t monitor;
    enum device_status status = make_monitor(d, f, &monitor, error);
    if (status != DEVICE_DONE) {
        return status;
    }
    a.perfmonid = monitor;
    a.bin_cl = (uintptr_t)f->bin.bytes;
    a.bin_cl_size = (uint32_t)f->bin.size;
    a.shader_rec = (uintptr_t)f->records.bytes;
    a.shader_rec_size = (uint32_t)f->records.size;
    a.shader_rec_count = f->record_count;
    a.uniforms = (uintptr_t)f->uniforms.bytes;
    a.uniforms_size = (uint32_t)f->uniforms.size;
    a.bo_handles = (uintptr_t)handles;
    a.bo_handle_count = f->object_count;
    int number = call(d, DRM_IOCTL_VC4_SUBMIT_CL, &a);
    if (number) {
        return failed(d, "SUBMIT_CL", number, error);
    }
    /* Before the next call, which forgets it. */
    bool broken = d->log[0];
    if (broken) {
        snprintf(error, FRAME_TEXT, "%s", d->log);
    }
    struct drm_vc4_wait_seqno wait = {.seqno = a.seqno, .timeout_ns = patience};
    number = call(d, DRM_IOCTL_VC4_WAIT_SEQNO, &wait);
    if (number) {
        failed(d, "WAIT_SEQNO", number, error);
        return DEVICE_FAILED;
    }
    status = read_results(d, f, handles, results, error);
    if (monitor && status == DEVICE_DONE) {
        status = read_monitor(d, f, monitor, results, error);
    }
    return broken ? DEVICE_FAILED : status;
}

enum device_status device_run(struct device *d, const struct frame *f, uint8_t *results[FRAME_MOST_OBJECTS],
                              char error[FRAME_TEXT]) {
    uint32_t handles[FRAME_MOST_OBJECTS] = {0};
    unsigned made = 0;
    enum device_status status = DEVICE_DONE;
    memset(results, 0, FRAME_MOST_OBJECTS * sizeof *results);
    error[0] = 0;
    for (; made < f->object_count && status == DEVICE_DONE; made++) {
        status = make_object(d, &f->objects[made], &handles[made], error);
    }
    if (status == DEVICE_DONE) {
        status = submit(d, f, handles, results, error);
    }
    for (unsigned n = 0; n < made; n++) {
        if (handles[n]) {
            drop(d, handles[n]);
        }
    }
    return status;
}
