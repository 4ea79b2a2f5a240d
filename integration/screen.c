#include "screen.h"

#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

static bool complain(const char *what) {
    perror(what);
    return false;
}

bool screen_open(struct screen *s, bool atomic) {
    *s = (struct screen){.fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC), .atomic = atomic};
    if (s->fd < 0) {
        return complain("/dev/dri/card0");
    }
    if (atomic && drmSetClientCap(s->fd, DRM_CLIENT_CAP_ATOMIC, 1) != 0) {
        return complain("DRM_CLIENT_CAP_ATOMIC");
    }
    drmModeRes *resources = drmModeGetResources(s->fd);
    drmModePlaneRes *planes = drmModeGetPlaneResources(s->fd);
    if (!resources || !resources->count_crtcs || !resources->count_connectors || !planes) {
        return complain("the display");
    }
    s->crtc = resources->crtcs[0];
    s->connector = resources->connectors[0];
    s->plane = planes->count_planes ? planes->planes[0] : 0;
    drmModeFreePlaneResources(planes);
    drmModeFreeResources(resources);
    s->gbm = gbm_create_device(s->fd);
    return s->gbm ? true : complain("gbm_create_device");
}

bool screen_surface(struct screen *s, unsigned width, unsigned height) {
    s->width = width;
    s->height = height;
    s->surface = gbm_surface_create(s->gbm, width, height, GBM_FORMAT_XRGB8888,
                                    GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING);
    return s->surface ? true : complain("gbm_surface_create");
}

static uint32_t add_fb(const struct screen *s, struct gbm_bo *bo) {
    uint32_t handles[4] = {gbm_bo_get_handle(bo).u32}, strides[4] = {gbm_bo_get_stride(bo)}, offsets[4] = {0},
             id = 0;
    uint64_t modifiers[4] = {gbm_bo_get_modifier(bo)};
    bool plain = modifiers[0] == DRM_FORMAT_MOD_INVALID;
    drmModeAddFB2WithModifiers(s->fd, s->width, s->height, GBM_FORMAT_XRGB8888, handles, strides, offsets,
                               plain ? NULL : modifiers, &id, plain ? 0 : DRM_MODE_FB_MODIFIERS);
    return id;
}

static void set(const struct screen *s, drmModeAtomicReq *request, uint32_t object, const char *name,
                uint64_t value) {
    drmModeObjectProperties *all = drmModeObjectGetProperties(s->fd, object, DRM_MODE_OBJECT_ANY);
    for (uint32_t n = 0; all && n < all->count_props; n++) {
        drmModePropertyRes *p = drmModeGetProperty(s->fd, all->props[n]);
        if (p && !strcmp(p->name, name)) {
            drmModeAtomicAddProperty(request, object, p->prop_id, value);
        }
        drmModeFreeProperty(p);
    }
    drmModeFreeObjectProperties(all);
}

static void flipped(int fd, unsigned sequence, unsigned seconds, unsigned microseconds, void *done) {
    (void)fd, (void)sequence, (void)seconds, (void)microseconds;
    *(bool *)done = true;
}

/* Waits for the event that the request asks for. */
static int show_atomically(struct screen *s, uint32_t fb) {
    drmModeAtomicReq *request = drmModeAtomicAlloc();
    uint32_t flags = DRM_MODE_PAGE_FLIP_EVENT;
    bool done = false;
    if (!s->mode) {
        drmModeModeInfo mode = {.hdisplay = (uint16_t)s->width, .vdisplay = (uint16_t)s->height};
        drmModeCreatePropertyBlob(s->fd, &mode, sizeof mode, &s->mode);
        set(s, request, s->connector, "CRTC_ID", s->crtc);
        set(s, request, s->crtc, "MODE_ID", s->mode);
        set(s, request, s->crtc, "ACTIVE", 1);
        set(s, request, s->plane, "CRTC_ID", s->crtc);
        set(s, request, s->plane, "CRTC_W", s->width);
        set(s, request, s->plane, "CRTC_H", s->height);
        set(s, request, s->plane, "SRC_W", (uint64_t)s->width << 16);
        set(s, request, s->plane, "SRC_H", (uint64_t)s->height << 16);
        flags |= DRM_MODE_ATOMIC_ALLOW_MODESET;
    }
    set(s, request, s->plane, "FB_ID", fb);
    int status = drmModeAtomicCommit(s->fd, request, flags, &done);
    drmModeAtomicFree(request);
    drmEventContext context = {.version = 2, .page_flip_handler = flipped};
    while (!status && !done) {
        status = drmHandleEvent(s->fd, &context);
    }
    return status;
}

bool screen_show(struct screen *s) {
    struct gbm_bo *bo = gbm_surface_lock_front_buffer(s->surface);
    uint32_t fb = bo ? add_fb(s, bo) : 0;
    drmModeModeInfo mode = {.hdisplay = (uint16_t)s->width, .vdisplay = (uint16_t)s->height};
    if (!fb) {
        return complain("a frame buffer");
    }
    int status = s->atomic ? show_atomically(s, fb)
                           : drmModeSetCrtc(s->fd, s->crtc, fb, 0, 0, &s->connector, 1, &mode);
    if (s->shown) {
        drmModeRmFB(s->fd, s->fb);
        gbm_surface_release_buffer(s->surface, s->shown);
    }
    s->shown = bo;
    s->fb = fb;
    return status ? complain("showing a frame") : true;
}
