/* The device: files, tables, dispatch of calls, and the calls that every driver has. */
#include "runtime/drm/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 640, DEFAULT_HEIGHT = 480, LARGEST_CALL = 1024 };

/* --- callers -------------------------------------------------------------------------------------------- */

bool drm_read(struct qpusim_drm_file *f, void *to, uint64_t from, size_t size) {
    if (size == 0) {
        return true;
    }
    if (f->has_client) {
        return f->client.read(f->client.user, to, from, size);
    }
    if (!from) {
        return false;
    }
    memcpy(to, (const void *)(uintptr_t)from, size);
    return true;
}

bool drm_write(struct qpusim_drm_file *f, uint64_t to, const void *from, size_t size) {
    if (size == 0) {
        return true;
    }
    if (f->has_client) {
        return f->client.write(f->client.user, to, from, size);
    }
    if (!to) {
        return false;
    }
    memcpy((void *)(uintptr_t)to, from, size);
    return true;
}

int drm_take_fd(struct qpusim_drm_file *f, int fd) {
    return f->has_client ? f->client.take_fd(f->client.user, fd) : dup(fd);
}

int drm_give_fd(struct qpusim_drm_file *f, int fd) {
    return f->has_client ? f->client.give_fd(f->client.user, fd) : dup(fd);
}

int drm_give_array(struct qpusim_drm_file *f, uint64_t to, uint32_t *count, const void *items, uint32_t have,
                   size_t size) {
    uint32_t capacity = *count;
    *count = have;
    return to && capacity >= have && !drm_write(f, to, items, have * size) ? -EFAULT : 0;
}

static void log_args(struct qpusim_drm *device, const char *format, va_list args) {
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    if (device->hooks.log) {
        device->hooks.log(device->hooks.user, text);
    }
}

void drm_log(struct qpusim_drm *device, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_args(device, format, args);
    va_end(args);
}

int drm_invalid(struct qpusim_drm *device, const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_args(device, format, args);
    va_end(args);
    return -EINVAL;
}

/* --- tables --------------------------------------------------------------------------------------------- */

uint32_t drm_table_add(struct drm_table *table, void *item) {
    uint32_t n = 0;
    while (n < table->size && table->items[n]) {
        n++;
    }
    if (n == table->size) {
        uint32_t wanted = table->size ? 2 * table->size : 32;
        void **grown = realloc(table->items, wanted * sizeof *grown);
        if (!grown) {
            return 0;
        }
        memset(grown + table->size, 0, (wanted - table->size) * sizeof *grown);
        table->items = grown;
        table->size = wanted;
    }
    table->items[n] = item;
    return n + 1;
}

void *drm_table_find(const struct drm_table *table, uint32_t number) {
    return number && number <= table->size ? table->items[number - 1] : NULL;
}

void *drm_table_remove(struct drm_table *table, uint32_t number) {
    void *item = drm_table_find(table, number);
    if (item) {
        table->items[number - 1] = NULL;
    }
    return item;
}

/* --- files ---------------------------------------------------------------------------------------------- */

static void fill_mode(struct drm_mode_modeinfo *mode, unsigned width, unsigned height) {
    *mode = (struct drm_mode_modeinfo){
        .hdisplay = (uint16_t)width,
        .hsync_start = (uint16_t)(width + 16),
        .hsync_end = (uint16_t)(width + 112),
        .htotal = (uint16_t)(width + 160),
        .vdisplay = (uint16_t)height,
        .vsync_start = (uint16_t)(height + 10),
        .vsync_end = (uint16_t)(height + 12),
        .vtotal = (uint16_t)(height + 45),
        .vrefresh = 60,
        .type = DRM_MODE_TYPE_PREFERRED | DRM_MODE_TYPE_DRIVER,
    };
    mode->clock = (uint32_t)((uint64_t)mode->htotal * mode->vtotal * 60 / 1000);
    snprintf(mode->name, sizeof mode->name, "%ux%u", width, height);
}

struct qpusim_drm *qpusim_drm_new(const struct qpusim_drm_hooks *hooks) {
    struct qpusim_drm *device = calloc(1, sizeof *device);
    if (device) {
        device->hooks = *hooks;
        fill_mode(&device->mode, hooks->width ? hooks->width : DEFAULT_WIDTH,
                  hooks->height ? hooks->height : DEFAULT_HEIGHT);
    }
    return device;
}

void qpusim_drm_free(struct qpusim_drm *device) {
    if (!device) {
        return;
    }
    drm_free_display(device);
    while (device->syncobjs) {
        device->syncobjs->references = 1; /* of a descriptor that did not come back */
        drm_syncobj_unref(device, device->syncobjs);
    }
    free(device);
}

struct qpusim_drm_file *qpusim_drm_open(struct qpusim_drm *device, const struct qpusim_drm_client *client) {
    struct qpusim_drm_file *f = calloc(1, sizeof *f);
    if (f) {
        f->device = device;
        if (client) {
            f->client = *client;
            f->has_client = true;
        }
    }
    return f;
}

void qpusim_drm_close(struct qpusim_drm_file *f) {
    if (!f) {
        return;
    }
    drm_forget_fbs(f);
    drm_forget_blobs(f);
    for (uint32_t n = 1; n <= f->handles.size; n++) {
        drm_buffer_unref(drm_table_remove(&f->handles, n));
    }
    for (uint32_t n = 1; n <= f->syncobjs.size; n++) {
        drm_syncobj_unref(f->device, drm_table_remove(&f->syncobjs, n));
    }
    for (uint32_t n = 1; n <= f->perfmons.size; n++) {
        free(drm_table_remove(&f->perfmons, n));
    }
    free(f->handles.items);
    free(f->syncobjs.items);
    free(f->perfmons.items);
    free(f);
}

/* --- dispatch ------------------------------------------------------------------------------------------- */

static const struct drm_call narrow_calls[];

static const struct drm_call *find_call(unsigned nr, unsigned size) {
    static const struct drm_call *const tables[] = {drm_core_calls,  drm_buffer_calls, drm_queue_calls,
                                                    drm_sync_calls,  drm_screen_calls, drm_property_calls,
                                                    drm_atomic_calls};
    for (const struct drm_call *c = narrow_calls; c->call; c++)
        if (c->nr == nr && c->size == size)
            return c;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (const struct drm_call *c = tables[t]; c->call; c++) {
            if (c->nr == nr) {
                return c;
            }
        }
    }
    return NULL;
}

/* A caller's structure may be older or newer than ours: what it lacks is 0, what it has beyond stays as it
 * is. */
int qpusim_drm_ioctl(struct qpusim_drm_file *f, unsigned long request, void *arg) {
    uint64_t structure[LARGEST_CALL / 8] = {0};
    unsigned size = _IOC_SIZE(request);
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE) {
        return -ENOTTY;
    }
    const struct drm_call *call = find_call(_IOC_NR(request), size);
    if (!call) {
        drm_log(f->device, "call 0x%lx is not known", _IOC_NR(request));
        return -EINVAL;
    }
    unsigned common = size < call->size ? size : call->size;
    if (common > 0) {
        memcpy(structure, arg, common);
    }
    int status = call->call(f, structure);
    if (status == -EFAULT) {
        drm_log(f->device, "%s: a pointer of the caller is bad", call->name);
    }
    if (common > 0 && _IOC_DIR(request) & _IOC_READ) {
        memcpy(arg, structure, common);
    }
    return status;
}

/* --- calls of every driver ------------------------------------------------------------------------------ */

/* As much of the text as there is room for. Returns its length. */
static size_t give_text(struct qpusim_drm_file *f, uint64_t to, size_t capacity, const char *text,
                        int *status) {
    size_t length = strlen(text), fits = capacity < length ? capacity : length;
    if (to && !*status && !drm_write(f, to, text, fits))
        *status = -EFAULT;
    return length;
}

static const char driver_name[] = "vc4", driver_date[] = "20140616", driver_text[] = "Broadcom VC4 graphics",
                  unique_name[] = "soc:gpu";

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

static int version(struct qpusim_drm_file *f, void *arg) {
    struct drm_version *v = arg;
    int status = 0;
    v->version_major = v->version_minor = v->version_patchlevel = 0;
    v->name_len = give_text(f, ADDRESS(v->name), v->name_len, driver_name, &status);
    v->date_len = give_text(f, ADDRESS(v->date), v->date_len, driver_date, &status);
    v->desc_len = give_text(f, ADDRESS(v->desc), v->desc_len, driver_text, &status);
    return status;
}

static int get_unique(struct qpusim_drm_file *f, void *arg) {
    struct drm_unique *u = arg;
    int status = 0;
    u->unique_len = give_text(f, ADDRESS(u->unique), u->unique_len, unique_name, &status);
    return status;
}

/* The two calls whose structures hold pointers, as programs of 32 bits have them. All others are the same. */
struct narrow_text {
    uint32_t capacity, at;
};
struct narrow_version {
    int32_t number[3];
    struct narrow_text name, date, text;
};

static void give_narrow(struct qpusim_drm_file *f, struct narrow_text *t, const char *text, int *status) {
    t->capacity = (uint32_t)give_text(f, t->at, t->capacity, text, status);
}

static int narrow_version(struct qpusim_drm_file *f, void *arg) {
    struct narrow_version *v = arg;
    int status = 0;
    memset(v->number, 0, sizeof v->number);
    give_narrow(f, &v->name, driver_name, &status);
    give_narrow(f, &v->date, driver_date, &status);
    give_narrow(f, &v->text, driver_text, &status);
    return status;
}

static int get_narrow_unique(struct qpusim_drm_file *f, void *arg) {
    int status = 0;
    give_narrow(f, arg, unique_name, &status);
    return status;
}

static int set_version(struct qpusim_drm_file *f, void *arg) {
    struct drm_set_version *v = arg;
    (void)f;
    *v = (struct drm_set_version){.drm_di_major = 1, .drm_di_minor = 4};
    return 0;
}

static int get_magic(struct qpusim_drm_file *f, void *arg) {
    ((struct drm_auth *)arg)->magic = ++f->device->next_magic;
    return 0;
}

static int allow(struct qpusim_drm_file *f, void *arg) {
    (void)f;
    (void)arg;
    return 0;
}

static int get_cap(struct qpusim_drm_file *f, void *arg) {
    struct drm_get_cap *cap = arg;
    (void)f;
    switch (cap->capability) {
    case DRM_CAP_DUMB_BUFFER:
    case DRM_CAP_TIMESTAMP_MONOTONIC:
    case DRM_CAP_ADDFB2_MODIFIERS:
    case DRM_CAP_CRTC_IN_VBLANK_EVENT:
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE: cap->value = 1; return 0;
    case DRM_CAP_PRIME: cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT; return 0;
    case DRM_CAP_DUMB_PREFERRED_DEPTH: cap->value = 24; return 0;
    case DRM_CAP_CURSOR_WIDTH:
    case DRM_CAP_CURSOR_HEIGHT: cap->value = 64; return 0;
    case DRM_CAP_VBLANK_HIGH_CRTC:
    case DRM_CAP_DUMB_PREFER_SHADOW:
    case DRM_CAP_ASYNC_PAGE_FLIP:
    case DRM_CAP_PAGE_FLIP_TARGET: cap->value = 0; return 0;
    default: return -EINVAL;
    }
}

static int set_client_cap(struct qpusim_drm_file *f, void *arg) {
    const struct drm_set_client_cap *cap = arg;
    switch (cap->capability) {
    case DRM_CLIENT_CAP_UNIVERSAL_PLANES: f->universal_planes = cap->value; return 0;
    case DRM_CLIENT_CAP_ATOMIC:
        if (cap->value > 1) {
            return -EINVAL;
        }
        f->atomic = cap->value;
        f->universal_planes |= f->atomic;
        return 0;
    case DRM_CLIENT_CAP_STEREO_3D:
    case DRM_CLIENT_CAP_ASPECT_RATIO: return 0;
    default: return -EINVAL;
    }
}

#define CORE(name, structure, call)                                                                          \
    { _IOC_NR(DRM_IOCTL_##name), sizeof(structure), #name, call }
static const struct drm_call narrow_calls[] = {
    CORE(VERSION, struct narrow_version, narrow_version),
    CORE(GET_UNIQUE, struct narrow_text, get_narrow_unique),
    {0},
};
const struct drm_call drm_core_calls[] = {
    CORE(VERSION, struct drm_version, version),
    CORE(GET_UNIQUE, struct drm_unique, get_unique),
    CORE(SET_VERSION, struct drm_set_version, set_version),
    CORE(GET_MAGIC, struct drm_auth, get_magic),
    CORE(AUTH_MAGIC, struct drm_auth, allow),
    CORE(GET_CAP, struct drm_get_cap, get_cap),
    CORE(SET_CLIENT_CAP, struct drm_set_client_cap, set_client_cap),
    {_IOC_NR(DRM_IOCTL_SET_MASTER), 0, "SET_MASTER", allow},
    {_IOC_NR(DRM_IOCTL_DROP_MASTER), 0, "DROP_MASTER", allow},
    {0},
};
