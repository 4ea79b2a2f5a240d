/* Fences: synchronisation objects and sync files. Work is done when it is submitted, so every fence that
 * there is has signalled; an object without one has not. */
#include "runtime/drm/device.h"

#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OBJECTS = 4096 };

static struct drm_syncobj *object_of(struct qpusim_drm_file *f, uint32_t handle) {
    return drm_table_find(&f->syncobjs, handle);
}

void drm_syncobj_unref(struct qpusim_drm *device, struct drm_syncobj *object) {
    if (!object || --object->references > 0) {
        return;
    }
    struct drm_syncobj **link = &device->syncobjs;
    while (*link && *link != object) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = object->next;
    }
    if (object->fd >= 0) {
        close(object->fd);
    }
    free(object);
}

int drm_check_in_sync(struct qpusim_drm_file *f, uint32_t handle) {
    const struct drm_syncobj *object = object_of(f, handle);
    if (handle && !object) {
        return -ENOENT;
    }
    return handle && !object->signalled ? -EINVAL : 0;
}

int drm_signal_out_sync(struct qpusim_drm_file *f, uint32_t handle) {
    struct drm_syncobj *object = object_of(f, handle);
    if (object) {
        object->signalled = true;
    }
    return 0;
}

static int add_object(struct qpusim_drm_file *f, struct drm_syncobj *object, uint32_t *handle) {
    *handle = drm_table_add(&f->syncobjs, object);
    if (*handle) {
        return 0;
    }
    drm_syncobj_unref(f->device, object);
    return -ENOMEM;
}

static int create(struct qpusim_drm_file *f, void *arg) {
    struct drm_syncobj_create *a = arg;
    if (a->flags & ~(uint32_t)DRM_SYNCOBJ_CREATE_SIGNALED) {
        return drm_invalid(f->device, "SYNCOBJ_CREATE: flags 0x%x", a->flags);
    }
    struct drm_syncobj *object = calloc(1, sizeof *object);
    if (!object) {
        return -ENOMEM;
    }
    *object =
        (struct drm_syncobj){.references = 1, .signalled = a->flags, .fd = -1, .next = f->device->syncobjs};
    f->device->syncobjs = object;
    return add_object(f, object, &a->handle);
}

static int destroy(struct qpusim_drm_file *f, void *arg) {
    const struct drm_syncobj_destroy *a = arg;
    struct drm_syncobj *object = drm_table_remove(&f->syncobjs, a->handle);
    drm_syncobj_unref(f->device, object);
    return object && !a->pad ? 0 : -EINVAL;
}

/* A descriptor that polls as readable: the fence has signalled. */
int drm_give_sync_file(struct qpusim_drm_file *f) {
    int fd = eventfd(1, EFD_CLOEXEC);
    int given = fd < 0 ? -1 : drm_give_fd(f, fd);
    if (fd >= 0) {
        close(fd);
    }
    return given;
}

bool drm_is_sync_file(struct qpusim_drm_file *f, int number) {
    static const char *const kinds[] = {"anon_inode:[eventfd]", "anon_inode:sync_file"};
    char path[64], kind[64];
    int fd = drm_take_fd(f, number);
    if (fd < 0) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, kind, sizeof kind - 1);
    close(fd);
    kind[length > 0 ? length : 0] = 0;
    return !strcmp(kind, kinds[0]) || !strcmp(kind, kinds[1]);
}

static int handle_to_fd(struct qpusim_drm_file *f, void *arg) {
    struct drm_syncobj_handle *a = arg;
    struct drm_syncobj *object = object_of(f, a->handle);
    if (!object || a->pad || a->flags & ~(uint32_t)DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE) {
        return drm_invalid(f->device, "SYNCOBJ_HANDLE_TO_FD: handle %u, flags 0x%x", a->handle, a->flags);
    }
    if (a->flags) {
        if (!object->signalled) {
            return drm_invalid(f->device, "SYNCOBJ_HANDLE_TO_FD: object %u has no fence", a->handle);
        }
        a->fd = drm_give_sync_file(f);
        return a->fd < 0 ? -EMFILE : 0;
    }
    struct stat info;
    if (object->fd < 0) {
        object->fd = memfd_create("syncobj", MFD_CLOEXEC);
        if (object->fd < 0 || fstat(object->fd, &info) != 0) {
            return -EMFILE;
        }
        object->references++; /* the descriptor may come back at any time, so the object stays */
        object->file_system = info.st_dev;
        object->inode = info.st_ino;
    }
    a->fd = drm_give_fd(f, object->fd);
    return a->fd < 0 ? -EMFILE : 0;
}

static int import_sync_file(struct qpusim_drm_file *f, const struct drm_syncobj_handle *a) {
    struct drm_syncobj *object = object_of(f, a->handle);
    if (!drm_is_sync_file(f, a->fd)) {
        return drm_invalid(f->device, "SYNCOBJ_FD_TO_HANDLE: descriptor %d is no sync file", a->fd);
    }
    if (object) {
        object->signalled = true;
    }
    return object ? 0 : -ENOENT;
}

static int fd_to_handle(struct qpusim_drm_file *f, void *arg) {
    struct drm_syncobj_handle *a = arg;
    struct stat info = {0};
    if (a->pad || a->flags & ~(uint32_t)DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE) {
        return drm_invalid(f->device, "SYNCOBJ_FD_TO_HANDLE: flags 0x%x", a->flags);
    }
    if (a->flags) {
        return import_sync_file(f, a);
    }
    int fd = drm_take_fd(f, a->fd);
    bool known = fd >= 0 && fstat(fd, &info) == 0;
    if (fd >= 0) {
        close(fd);
    }
    struct drm_syncobj *object = known ? f->device->syncobjs : NULL;
    while (object && (object->fd < 0 || object->inode != info.st_ino || object->file_system != info.st_dev)) {
        object = object->next;
    }
    if (!object) {
        return drm_invalid(f->device, "SYNCOBJ_FD_TO_HANDLE: descriptor %d is no object", a->fd);
    }
    object->references++;
    return add_object(f, object, &a->handle);
}

/* The handles of an array, whose objects must all be there; the caller frees. */
static int read_objects(struct qpusim_drm_file *f, uint64_t from, uint32_t count, uint32_t **handles) {
    *handles = NULL;
    if (count == 0 || count > MOST_OBJECTS) {
        return drm_invalid(f->device, "%u synchronisation objects", count);
    }
    *handles = calloc(count, sizeof **handles);
    if (!*handles) {
        return -ENOMEM;
    }
    int status = drm_read(f, *handles, from, count * sizeof **handles) ? 0 : -EFAULT;
    for (uint32_t n = 0; n < count && !status; n++) {
        status = object_of(f, (*handles)[n]) ? 0 : -ENOENT;
    }
    return status;
}

/* Nobody can signal an object while the device waits: what has no fence now is a timeout. */
static int wait_for(struct qpusim_drm_file *f, const uint32_t *handles, const uint64_t *points,
                    uint32_t count, uint32_t flags, uint32_t *first) {
    uint32_t signalled = 0;
    for (uint32_t n = count; n-- > 0;) {
        const struct drm_syncobj *object = object_of(f, handles[n]);
        if (object->signalled && (!points || object->point >= points[n] || !points[n])) {
            signalled++;
            *first = n;
        } else if (!(flags &
                     (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))) {
            return -EINVAL;
        }
    }
    bool done = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL ? signalled == count : signalled > 0;
    return done ? 0 : -ETIME;
}

static int wait(struct qpusim_drm_file *f, void *arg) {
    struct drm_syncobj_wait *a = arg;
    uint32_t *handles;
    int status = read_objects(f, a->handles, a->count_handles, &handles);
    if (!status) {
        status = wait_for(f, handles, NULL, a->count_handles, a->flags, &a->first_signaled);
    }
    free(handles);
    return status;
}

static uint64_t *read_points(struct qpusim_drm_file *f, uint64_t from, uint32_t count) {
    uint64_t *points = calloc(count, sizeof *points);
    if (points && from && !drm_read(f, points, from, count * sizeof *points)) {
        free(points);
        points = NULL;
    }
    return points;
}

static int timeline_wait(struct qpusim_drm_file *f, void *arg) {
    struct drm_syncobj_timeline_wait *a = arg;
    uint32_t *handles;
    int status = read_objects(f, a->handles, a->count_handles, &handles);
    uint64_t *points = status ? NULL : read_points(f, a->points, a->count_handles);
    if (!status) {
        status =
            points ? wait_for(f, handles, points, a->count_handles, a->flags, &a->first_signaled) : -EFAULT;
    }
    free(points);
    free(handles);
    return status;
}

static int set_all(struct qpusim_drm_file *f, const struct drm_syncobj_array *a, bool signalled) {
    uint32_t *handles;
    int status = a->pad ? -EINVAL : read_objects(f, a->handles, a->count_handles, &handles);
    if (a->pad) {
        return status;
    }
    for (uint32_t n = 0; !status && n < a->count_handles; n++) {
        struct drm_syncobj *object = object_of(f, handles[n]);
        object->signalled = signalled;
        object->point = 0;
    }
    free(handles);
    return status;
}

static int reset(struct qpusim_drm_file *f, void *arg) {
    return set_all(f, arg, false);
}

static int signal_objects(struct qpusim_drm_file *f, void *arg) {
    return set_all(f, arg, true);
}

static int timeline_signal(struct qpusim_drm_file *f, void *arg) {
    const struct drm_syncobj_timeline_array *a = arg;
    uint32_t *handles;
    int status = read_objects(f, a->handles, a->count_handles, &handles);
    uint64_t *points = status ? NULL : read_points(f, a->points, a->count_handles);
    status = status || points ? status : -EFAULT;
    for (uint32_t n = 0; !status && n < a->count_handles; n++) {
        struct drm_syncobj *object = object_of(f, handles[n]);
        object->signalled = true;
        object->point = points[n] > object->point ? points[n] : object->point;
    }
    free(points);
    free(handles);
    return status;
}

static int query(struct qpusim_drm_file *f, void *arg) {
    const struct drm_syncobj_timeline_array *a = arg;
    uint32_t *handles;
    int status = read_objects(f, a->handles, a->count_handles, &handles);
    for (uint32_t n = 0; !status && n < a->count_handles; n++) {
        uint64_t point = object_of(f, handles[n])->point;
        status = drm_write(f, a->points + n * sizeof point, &point, sizeof point) ? 0 : -EFAULT;
    }
    free(handles);
    return status;
}

static int transfer(struct qpusim_drm_file *f, void *arg) {
    const struct drm_syncobj_transfer *a = arg;
    const struct drm_syncobj *from = object_of(f, a->src_handle);
    struct drm_syncobj *to = object_of(f, a->dst_handle);
    if (!from || !to) {
        return -ENOENT;
    }
    if (!from->signalled) {
        return -EINVAL;
    }
    to->signalled = true;
    to->point = a->dst_point > to->point ? a->dst_point : to->point;
    return 0;
}

#define SYNC(name, structure, call)                                                                          \
    { _IOC_NR(DRM_IOCTL_SYNCOBJ_##name), sizeof(struct drm_syncobj_##structure), "SYNCOBJ_" #name, call }
const struct drm_call drm_sync_calls[] = {
    SYNC(CREATE, create, create),
    SYNC(DESTROY, destroy, destroy),
    SYNC(HANDLE_TO_FD, handle, handle_to_fd),
    SYNC(FD_TO_HANDLE, handle, fd_to_handle),
    SYNC(WAIT, wait, wait),
    SYNC(TIMELINE_WAIT, timeline_wait, timeline_wait),
    SYNC(RESET, array, reset),
    SYNC(SIGNAL, array, signal_objects),
    SYNC(TIMELINE_SIGNAL, timeline_array, timeline_signal),
    SYNC(QUERY, timeline_array, query),
    SYNC(TRANSFER, transfer, transfer),
    {0},
};
