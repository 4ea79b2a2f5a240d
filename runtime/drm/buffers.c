/* Buffers: memory at bus addresses, its handles, and how programs map and share it.
 *
 * Each buffer has a memory file of its own, whose size nobody can change. A caller maps it; a shared buffer
 * is this file passed on, and its inode tells that it came back. It may come back after the last handle is
 * gone: then it is the same buffer at another address. */
#include "runtime/drm/device.h"

#include "runtime/drm/submit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Offsets for mmap(2) are handles, in units that no buffer's size reaches. */
enum { MAP_SHIFT = 32 };

/* --- memory --------------------------------------------------------------------------------------------- */

/* Enters the buffer where its pages fit first. */
static bool find_address(struct qpusim_drm *device, struct drm_buffer *buffer) {
    struct drm_buffer **link = &device->buffers;
    uint32_t at = DRM_FIRST_ADDRESS;
    while (*link && (*link)->address - at < buffer->size) {
        at = (*link)->address + (*link)->size;
        link = &(*link)->next;
    }
    if (DRM_END_ADDRESS - at < buffer->size) {
        return false;
    }
    buffer->address = at;
    buffer->next = *link;
    *link = buffer;
    return true;
}

static void leave_address(struct drm_buffer *buffer) {
    struct drm_buffer **link = &buffer->device->buffers;
    while (*link && *link != buffer) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = buffer->next;
    }
}

static int new_file(const char *name, uint32_t size) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, size) != 0 ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool map_memory(struct drm_buffer *buffer) {
    struct stat info;
    if (buffer->fd < 0 || fstat(buffer->fd, &info) != 0) {
        return false;
    }
    buffer->file_system = info.st_dev;
    buffer->inode = info.st_ino;
    buffer->bytes = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->fd, 0);
    return buffer->bytes != MAP_FAILED;
}

/* The buffer whose memory is this file, which becomes its own. */
static struct drm_buffer *buffer_of_file(struct qpusim_drm *device, int fd, uint32_t size, uint64_t uid,
                                         const char *name) {
    struct drm_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        close(fd);
        return NULL;
    }
    *buffer = (struct drm_buffer){
        .references = 1, .size = size, .fd = fd, .bytes = MAP_FAILED, .uid = uid, .device = device};
    if (map_memory(buffer) && find_address(device, buffer)) {
        const struct qpusim_drm_hooks *h = &device->hooks;
        if (h->add_memory(h->user, buffer->address, buffer->size, buffer->bytes, name)) {
            return buffer;
        }
        leave_address(buffer);
    }
    if (buffer->bytes != MAP_FAILED) {
        munmap(buffer->bytes, buffer->size);
    }
    close(buffer->fd);
    free(buffer);
    return NULL;
}

struct drm_buffer *drm_buffer_new(struct qpusim_drm *device, uint64_t size, const char *name) {
    if (size == 0 || size > DRM_END_ADDRESS - DRM_FIRST_ADDRESS) {
        return NULL;
    }
    uint32_t whole = drm_round_up((uint32_t)size, DRM_PAGE);
    int fd = new_file(name, whole);
    return fd < 0 ? NULL : buffer_of_file(device, fd, whole, ++device->next_uid, name);
}

/* Whether a descriptor of the buffer still exists somewhere nobody can tell: what it needs to come back. */
static void remember_shared(const struct drm_buffer *b) {
    struct qpusim_drm *device = b->device;
    device->shared[device->next_shared++ % DRM_MOST_SHARED] =
        (struct drm_shared){b->file_system, b->inode, b->uid, b->modifier, b->size};
}

/* Takes the file over. NULL: it is none of a buffer that was shared. */
static struct drm_buffer *come_back(struct qpusim_drm *device, int fd, const struct stat *info) {
    for (unsigned n = 0; n < DRM_MOST_SHARED; n++) {
        struct drm_shared *s = &device->shared[n];
        if (s->size && s->inode == info->st_ino && s->file_system == info->st_dev) {
            struct drm_buffer *buffer = buffer_of_file(device, fd, s->size, s->uid, "shared buffer");
            if (buffer) {
                buffer->modifier = s->modifier;
                buffer->shared = true;
                *s = (struct drm_shared){0};
            }
            return buffer;
        }
    }
    close(fd);
    return NULL;
}

void drm_buffer_unref(struct drm_buffer *buffer) {
    if (!buffer || --buffer->references > 0) {
        return;
    }
    const struct qpusim_drm_hooks *h = &buffer->device->hooks;
    if (buffer->shared) {
        remember_shared(buffer);
    }
    h->remove_memory(h->user, buffer->address);
    leave_address(buffer);
    munmap(buffer->bytes, buffer->size);
    close(buffer->fd);
    qpusim_drm_shader_free(buffer->shader);
    free(buffer);
}

struct drm_buffer *drm_buffer_of(struct qpusim_drm_file *f, uint32_t handle) {
    return drm_table_find(&f->handles, handle);
}

int drm_add_handle(struct qpusim_drm_file *f, struct drm_buffer *buffer, uint32_t *handle) {
    *handle = buffer ? drm_table_add(&f->handles, buffer) : 0;
    if (*handle) {
        return 0;
    }
    drm_buffer_unref(buffer);
    return -ENOMEM;
}

static int no_buffer(struct qpusim_drm_file *f, const char *call, uint32_t handle) {
    drm_log(f->device, "%s: no buffer has handle %u", call, handle);
    return -ENOENT;
}

/* --- vc4's calls ---------------------------------------------------------------------------------------- */

static int create_bo(struct qpusim_drm_file *f, void *arg) {
    struct drm_vc4_create_bo *a = arg;
    if (a->flags || a->pad || !a->size) {
        return drm_invalid(f->device, "CREATE_BO: size %u, flags 0x%x", a->size, a->flags);
    }
    return drm_add_handle(f, drm_buffer_new(f->device, a->size, "buffer"), &a->handle);
}

static int mmap_bo(struct qpusim_drm_file *f, void *arg) {
    struct drm_vc4_mmap_bo *a = arg;
    const struct drm_buffer *buffer = drm_buffer_of(f, a->handle);
    if (!buffer) {
        return no_buffer(f, "MMAP_BO", a->handle);
    }
    if (a->flags || buffer->shader) {
        return drm_invalid(f->device, "MMAP_BO: handle %u: %s", a->handle,
                           buffer->shader ? "shaders cannot be mapped" : "unknown flags");
    }
    a->offset = (uint64_t)a->handle << MAP_SHIFT;
    return 0;
}

static int create_shader_bo(struct qpusim_drm_file *f, void *arg) {
    struct drm_vc4_create_shader_bo *a = arg;
    char reason[QPUSIM_DRM_TEXT];
    if (a->flags || a->pad || !a->size || a->size % 8) {
        return drm_invalid(f->device, "CREATE_SHADER_BO: size %u, flags 0x%x", a->size, a->flags);
    }
    struct drm_buffer *buffer = drm_buffer_new(f->device, a->size, "shader");
    if (!buffer) {
        return -ENOMEM;
    }
    if (!drm_read(f, buffer->bytes, a->data, a->size)) {
        drm_buffer_unref(buffer);
        return -EFAULT;
    }
    buffer->code_size = a->size;
    buffer->shader = qpusim_drm_shader_new(buffer->bytes, a->size, reason);
    if (!buffer->shader) {
        drm_buffer_unref(buffer);
        return drm_invalid(f->device, "CREATE_SHADER_BO: %s", reason);
    }
    return drm_add_handle(f, buffer, &a->handle);
}

static int get_hang_state(struct qpusim_drm_file *f, void *arg) {
    (void)f;
    (void)arg;
    return -ENOENT; /* nothing hangs */
}

static int get_param(struct qpusim_drm_file *f, void *arg) {
    struct drm_vc4_get_param *a = arg;
    const struct qpusim_drm_hooks *h = &f->device->hooks;
    if (a->pad) {
        return drm_invalid(f->device, "GET_PARAM: padding of 0x%x", a->pad);
    }
    switch (a->param) {
    case DRM_VC4_PARAM_V3D_IDENT0:
    case DRM_VC4_PARAM_V3D_IDENT1:
    case DRM_VC4_PARAM_V3D_IDENT2: a->value = h->ident ? h->ident(h->user, a->param) : 0; return 0;
    case DRM_VC4_PARAM_SUPPORTS_BRANCHES:
    case DRM_VC4_PARAM_SUPPORTS_ETC1:
    case DRM_VC4_PARAM_SUPPORTS_THREADED_FS:
    case DRM_VC4_PARAM_SUPPORTS_FIXED_RCL_ORDER:
    case DRM_VC4_PARAM_SUPPORTS_MADVISE: a->value = 1; return 0;
    case DRM_VC4_PARAM_SUPPORTS_PERFMON: a->value = h->count != NULL; return 0;
    default: return drm_invalid(f->device, "GET_PARAM: parameter %u", a->param);
    }
}

static int set_tiling(struct qpusim_drm_file *f, void *arg) {
    const struct drm_vc4_set_tiling *a = arg;
    struct drm_buffer *buffer = drm_buffer_of(f, a->handle);
    if (a->flags ||
        (a->modifier != DRM_FORMAT_MOD_LINEAR && a->modifier != DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED)) {
        return drm_invalid(f->device, "SET_TILING: flags 0x%x, modifier 0x%llx", a->flags,
                           (unsigned long long)a->modifier);
    }
    if (!buffer) {
        return no_buffer(f, "SET_TILING", a->handle);
    }
    buffer->modifier = a->modifier;
    return 0;
}

static int get_tiling(struct qpusim_drm_file *f, void *arg) {
    struct drm_vc4_get_tiling *a = arg;
    const struct drm_buffer *buffer = drm_buffer_of(f, a->handle);
    if (a->flags || a->modifier) {
        return drm_invalid(f->device, "GET_TILING: flags 0x%x, modifier 0x%llx", a->flags,
                           (unsigned long long)a->modifier);
    }
    if (!buffer) {
        return no_buffer(f, "GET_TILING", a->handle);
    }
    a->modifier = buffer->modifier;
    return 0;
}

static int label_bo(struct qpusim_drm_file *f, void *arg) {
    const struct drm_vc4_label_bo *a = arg;
    char name[64] = "";
    struct drm_buffer *buffer = drm_buffer_of(f, a->handle);
    if (!a->len || a->len >= DRM_PAGE) {
        return drm_invalid(f->device, "LABEL_BO: a name of %u bytes", a->len);
    }
    if (!buffer) {
        return no_buffer(f, "LABEL_BO", a->handle);
    }
    if (!drm_read(f, name, a->name, a->len < sizeof name ? a->len : sizeof name - 1)) {
        return -EFAULT;
    }
    /* The name of the memory is what errors tell. */
    const struct qpusim_drm_hooks *h = &f->device->hooks;
    h->remove_memory(h->user, buffer->address);
    return h->add_memory(h->user, buffer->address, buffer->size, buffer->bytes, name) ? 0 : -ENOMEM;
}

static int gem_madvise(struct qpusim_drm_file *f, void *arg) {
    struct drm_vc4_gem_madvise *a = arg;
    struct drm_buffer *buffer = drm_buffer_of(f, a->handle);
    if (a->pad || (a->madv != VC4_MADV_DONTNEED && a->madv != VC4_MADV_WILLNEED)) {
        return drm_invalid(f->device, "GEM_MADVISE: advice %u", a->madv);
    }
    if (!buffer) {
        return no_buffer(f, "GEM_MADVISE", a->handle);
    }
    if (buffer->shader) {
        return drm_invalid(f->device, "GEM_MADVISE: handle %u is a shader", a->handle);
    }
    buffer->unneeded = a->madv == VC4_MADV_DONTNEED;
    a->retained = 1;
    return 0;
}

/* --- handles, sharing, dumb buffers --------------------------------------------------------------------- */

static int gem_close(struct qpusim_drm_file *f, void *arg) {
    const struct drm_gem_close *a = arg;
    struct drm_buffer *buffer = drm_table_remove(&f->handles, a->handle);
    if (!buffer) {
        return drm_invalid(f->device, "GEM_CLOSE: no buffer has handle %u", a->handle);
    }
    drm_buffer_unref(buffer);
    return 0;
}

static int prime_handle_to_fd(struct qpusim_drm_file *f, void *arg) {
    struct drm_prime_handle *a = arg;
    struct drm_buffer *buffer = drm_buffer_of(f, a->handle);
    if (!buffer) {
        return no_buffer(f, "PRIME_HANDLE_TO_FD", a->handle);
    }
    if (buffer->shader) {
        return drm_invalid(f->device, "PRIME_HANDLE_TO_FD: handle %u is a shader", a->handle);
    }
    a->fd = drm_give_fd(f, buffer->fd);
    buffer->shared |= a->fd >= 0;
    return a->fd < 0 ? -EMFILE : 0;
}

/* A buffer that the file has already keeps its handle. */
static int prime_fd_to_handle(struct qpusim_drm_file *f, void *arg) {
    struct drm_prime_handle *a = arg;
    struct stat info = {0};
    int fd = drm_take_fd(f, a->fd);
    bool known = fd >= 0 && fstat(fd, &info) == 0;
    struct drm_buffer *buffer = known ? f->device->buffers : NULL;
    while (buffer && (buffer->inode != info.st_ino || buffer->file_system != info.st_dev)) {
        buffer = buffer->next;
    }
    if (!buffer && known) {
        buffer = come_back(f->device, fd, &info);
        if (buffer) {
            return drm_add_handle(f, buffer, &a->handle);
        }
    } else if (fd >= 0) {
        close(fd);
    }
    if (!buffer) {
        return drm_invalid(f->device, "PRIME_FD_TO_HANDLE: descriptor %d is no buffer of this device", a->fd);
    }
    for (uint32_t n = 1; n <= f->handles.size; n++) {
        if (drm_table_find(&f->handles, n) == buffer) {
            a->handle = n;
            return 0;
        }
    }
    buffer->references++;
    return drm_add_handle(f, buffer, &a->handle);
}

static int create_dumb(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_create_dumb *a = arg;
    uint64_t pitch = ((uint64_t)a->width * ((a->bpp + 7ull) / 8) + 15) & ~UINT64_C(15);
    uint64_t size = pitch * a->height;
    if (a->flags || !a->bpp || a->bpp > 64 || pitch > INT32_MAX || size == 0 || size > INT32_MAX) {
        return drm_invalid(f->device, "CREATE_DUMB: %u x %u of %u bits", a->width, a->height, a->bpp);
    }
    a->pitch = (uint32_t)pitch;
    a->size = drm_round_up((uint32_t)size, DRM_PAGE);
    return drm_add_handle(f, drm_buffer_new(f->device, size, "dumb buffer"), &a->handle);
}

static int map_dumb(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_map_dumb *a = arg;
    struct drm_vc4_mmap_bo map = {.handle = a->handle};
    int status = mmap_bo(f, &map);
    a->offset = map.offset;
    return status;
}

static int destroy_dumb(struct qpusim_drm_file *f, void *arg) {
    struct drm_gem_close a = {.handle = ((struct drm_mode_destroy_dumb *)arg)->handle};
    return gem_close(f, &a);
}

int qpusim_drm_map(struct qpusim_drm_file *f, uint64_t offset, size_t size) {
    const struct drm_buffer *buffer =
        offset & UINT32_MAX ? NULL : drm_buffer_of(f, (uint32_t)(offset >> MAP_SHIFT));
    if (!buffer || buffer->shader || size > buffer->size) {
        return drm_invalid(f->device, "mmap: %zu bytes at 0x%llx", size, (unsigned long long)offset);
    }
    return buffer->fd;
}

#define VC4(name, structure, call)                                                                           \
    { DRM_COMMAND_BASE + DRM_VC4_##name, sizeof(struct drm_vc4_##structure), #name, call }
const struct drm_call drm_buffer_calls[] = {
    VC4(CREATE_BO, create_bo, create_bo),
    VC4(MMAP_BO, mmap_bo, mmap_bo),
    VC4(CREATE_SHADER_BO, create_shader_bo, create_shader_bo),
    VC4(GET_HANG_STATE, get_hang_state, get_hang_state),
    VC4(GET_PARAM, get_param, get_param),
    VC4(SET_TILING, set_tiling, set_tiling),
    VC4(GET_TILING, get_tiling, get_tiling),
    VC4(LABEL_BO, label_bo, label_bo),
    VC4(GEM_MADVISE, gem_madvise, gem_madvise),
    {_IOC_NR(DRM_IOCTL_GEM_CLOSE), sizeof(struct drm_gem_close), "GEM_CLOSE", gem_close},
    {_IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD), sizeof(struct drm_prime_handle), "PRIME_HANDLE_TO_FD",
     prime_handle_to_fd},
    {_IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE), sizeof(struct drm_prime_handle), "PRIME_FD_TO_HANDLE",
     prime_fd_to_handle},
    {_IOC_NR(DRM_IOCTL_MODE_CREATE_DUMB), sizeof(struct drm_mode_create_dumb), "CREATE_DUMB", create_dumb},
    {_IOC_NR(DRM_IOCTL_MODE_MAP_DUMB), sizeof(struct drm_mode_map_dumb), "MAP_DUMB", map_dumb},
    {_IOC_NR(DRM_IOCTL_MODE_DESTROY_DUMB), sizeof(struct drm_mode_destroy_dumb), "DESTROY_DUMB",
     destroy_dumb},
    {0},
};
