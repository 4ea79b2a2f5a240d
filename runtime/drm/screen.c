/* Mode setting: one display with one CRTC, encoder, connector and primary plane. What is shown goes to the
 * owner as frames; a flip is done when it is asked for, and its event comes at once. */
#include "runtime/drm/screen.h"

#include <time.h>

enum { DOTS_PER_MM = 4 };

/* --- frame buffers -------------------------------------------------------------------------------------- */

struct drm_fb *drm_fb_of(const struct qpusim_drm *device, uint32_t id) {
    return id < DRM_FIRST_FB ? NULL : drm_table_find(&device->fbs, id - DRM_FIRST_FB);
}

void drm_fb_free(struct qpusim_drm *device, uint32_t number) {
    struct drm_fb *fb = drm_table_remove(&device->fbs, number);
    if (fb) {
        if (device->display.fb == number + DRM_FIRST_FB) {
            device->display.fb = 0;
            device->display.on_crtc = false;
        }
        drm_buffer_unref(fb->buffer);
        free(fb);
    }
}

void drm_free_display(struct qpusim_drm *device) {
    drm_set_display(device, &(struct drm_display){0});
    drm_blob_unref(device, device->formats_blob);
    for (uint32_t number = 1; number <= device->fbs.size; number++) {
        drm_fb_free(device, number);
    }
    free(device->fbs.items);
    free(device->blobs.items);
}

void drm_forget_fbs(struct qpusim_drm_file *f) {
    for (uint32_t n = 1; n <= f->device->fbs.size; n++) {
        const struct drm_fb *fb = drm_table_find(&f->device->fbs, n);
        if (fb && fb->owner == f) {
            drm_fb_free(f->device, n);
        }
    }
}

static unsigned bytes_per_pixel(uint32_t format) {
    switch (format) {
    case DRM_FORMAT_XRGB8888:
    case DRM_FORMAT_ARGB8888:
    case DRM_FORMAT_XBGR8888:
    case DRM_FORMAT_ABGR8888: return 4;
    case DRM_FORMAT_RGB565: return 2;
    default: return 0;
    }
}

static bool has_alpha(uint32_t format) {
    return format == DRM_FORMAT_ARGB8888 || format == DRM_FORMAT_ABGR8888;
}

static int add_fb(struct qpusim_drm_file *f, const struct drm_fb *wanted, uint32_t *id) {
    struct drm_buffer *buffer = drm_buffer_of(f, wanted->handle);
    unsigned cpp = bytes_per_pixel(wanted->format);
    if (!buffer || buffer->shader) {
        drm_log(f->device, "ADDFB: no buffer has handle %u", wanted->handle);
        return -ENOENT;
    }
    uint64_t end = wanted->offset + (uint64_t)wanted->stride * wanted->height;
    if (!cpp || !wanted->width || !wanted->height || wanted->width > DRM_LARGEST_SCREEN ||
        wanted->height > DRM_LARGEST_SCREEN || wanted->stride < wanted->width * cpp || end > buffer->size) {
        return drm_invalid(f->device, "ADDFB: %u x %u, format 0x%x, stride %u, offset %u in a buffer of %u",
                           wanted->width, wanted->height, wanted->format, wanted->stride, wanted->offset,
                           buffer->size);
    }
    struct drm_fb *fb = malloc(sizeof *fb);
    uint32_t number = fb ? drm_table_add(&f->device->fbs, fb) : 0;
    if (!number) {
        free(fb);
        return -ENOMEM;
    }
    *fb = *wanted;
    fb->owner = f;
    fb->buffer = buffer;
    buffer->references++;
    *id = number + DRM_FIRST_FB;
    return 0;
}

static int addfb(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_fb_cmd *a = arg;
    const struct drm_buffer *buffer = drm_buffer_of(f, a->handle);
    uint32_t format = a->bpp == 16 && a->depth == 16   ? DRM_FORMAT_RGB565
                      : a->bpp == 32 && a->depth == 24 ? DRM_FORMAT_XRGB8888
                      : a->bpp == 32 && a->depth == 32 ? DRM_FORMAT_ARGB8888
                                                       : 0;
    struct drm_fb fb = {.width = a->width,
                        .height = a->height,
                        .stride = a->pitch,
                        .format = format,
                        .handle = a->handle,
                        .modifier = buffer ? buffer->modifier : DRM_FORMAT_MOD_LINEAR};
    return add_fb(f, &fb, &a->fb_id);
}

static int addfb2(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_fb_cmd2 *a = arg;
    const struct drm_buffer *buffer = drm_buffer_of(f, a->handles[0]);
    struct drm_fb fb = {.width = a->width,
                        .height = a->height,
                        .stride = a->pitches[0],
                        .offset = a->offsets[0],
                        .format = a->pixel_format,
                        .handle = a->handles[0],
                        .modifier = buffer ? buffer->modifier : DRM_FORMAT_MOD_LINEAR};
    if (a->flags & DRM_MODE_FB_MODIFIERS) {
        fb.modifier = a->modifier[0];
        if (fb.modifier != DRM_FORMAT_MOD_LINEAR && fb.modifier != DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED) {
            return drm_invalid(f->device, "ADDFB2: modifier 0x%llx", (unsigned long long)fb.modifier);
        }
    }
    return add_fb(f, &fb, &a->fb_id);
}

static int rmfb(struct qpusim_drm_file *f, void *arg) {
    uint32_t id = *(const uint32_t *)arg;
    if (!drm_fb_of(f->device, id)) {
        return -ENOENT;
    }
    drm_fb_free(f->device, id - DRM_FIRST_FB);
    return 0;
}

static int getfb(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_fb_cmd *a = arg;
    const struct drm_fb *fb = drm_fb_of(f->device, a->fb_id);
    if (!fb) {
        return -ENOENT;
    }
    unsigned cpp = bytes_per_pixel(fb->format);
    a->width = fb->width;
    a->height = fb->height;
    a->pitch = fb->stride;
    a->bpp = 8 * cpp;
    a->depth = cpp == 2 ? 16 : has_alpha(fb->format) ? 32 : 24;
    a->handle = 0;
    if (fb->owner != f) {
        return 0;
    }
    fb->buffer->references++; /* of a new handle, which the caller closes */
    return drm_add_handle(f, fb->buffer, &a->handle);
}

/* --- showing -------------------------------------------------------------------------------------------- */

void drm_show(struct qpusim_drm *device) {
    const struct drm_display *s = &device->display;
    const struct drm_fb *fb = s->active ? drm_fb_of(device, s->fb) : NULL;
    if (!fb) {
        return;
    }
    if (device->hooks.frame) {
        uint32_t offset =
            fb->offset + (s->src_y >> 16) * fb->stride + (s->src_x >> 16) * bytes_per_pixel(fb->format);
        struct qpusim_drm_frame frame = {.number = device->frames,
                                         .width = s->src_w >> 16,
                                         .height = s->src_h >> 16,
                                         .stride = fb->stride,
                                         .format = fb->format,
                                         .modifier = fb->modifier,
                                         .bytes = fb->buffer->bytes + offset,
                                         .size = fb->buffer->size - offset,
                                         .uid = fb->buffer->uid,
                                         .offset = offset};
        device->hooks.frame(device->hooks.user, &frame);
    }
    device->frames++;
}

int drm_check_plane(struct qpusim_drm *device, const char *call, const struct drm_display *s) {
    const struct drm_fb *fb = drm_fb_of(device, s->fb);
    if (!fb != !s->on_crtc) {
        return drm_invalid(device, "%s: a plane with a frame buffer and no CRTC, or the other way round",
                           call);
    }
    if (!fb) {
        return 0;
    }
    if ((uint64_t)s->src_x + s->src_w > (uint64_t)fb->width << 16 ||
        (uint64_t)s->src_y + s->src_h > (uint64_t)fb->height << 16) {
        drm_log(device, "%s: the plane's source lies outside its frame buffer of %u x %u", call, fb->width,
                fb->height);
        return -ENOSPC;
    }
    bool whole = !((s->src_x | s->src_y | s->src_w | s->src_h) & 0xffff);
    bool corner = !s->src_x && !s->src_y;
    if (!whole || s->src_w >> 16 != s->crtc_w || s->src_h >> 16 != s->crtc_h ||
        (!corner && fb->modifier != DRM_FORMAT_MOD_LINEAR) || !s->enabled || s->crtc_x || s->crtc_y ||
        s->crtc_w != s->mode.hdisplay || s->crtc_h != s->mode.vdisplay) {
        return drm_invalid(device, "%s: the plane is scaled, or does not cover the mode", call);
    }
    return 0;
}

void drm_set_display(struct qpusim_drm *device, const struct drm_display *state) {
    uint32_t before = device->display.mode_blob;
    if (state->mode_blob != before) {
        struct drm_blob *blob = drm_blob_of(device, state->mode_blob);
        if (blob) {
            blob->references++;
        }
        drm_blob_unref(device, before);
    }
    device->display = *state;
}

/* The plane shows width x height pixels of the frame buffer from (x, y). */
static void set_plane(struct drm_display *s, uint32_t fb, uint32_t x, uint32_t y, uint32_t width,
                      uint32_t height) {
    s->fb = fb;
    s->on_crtc = fb != 0;
    s->crtc_x = s->crtc_y = 0;
    s->crtc_w = width;
    s->crtc_h = height;
    s->src_x = x << 16;
    s->src_y = y << 16;
    s->src_w = width << 16;
    s->src_h = height << 16;
}

void drm_send_event(struct qpusim_drm_file *f, uint32_t type, uint64_t user_data) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct drm_event_vblank event = {.base = {.type = type, .length = sizeof event},
                                     .user_data = user_data,
                                     .tv_sec = (uint32_t)now.tv_sec,
                                     .tv_usec = (uint32_t)(now.tv_nsec / 1000),
                                     .sequence = (uint32_t)f->device->flips,
                                     .crtc_id = DRM_CRTC};
    if (f->has_client && f->client.event) {
        f->client.event(f->client.user, &event, sizeof event);
    }
}

static int setcrtc(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_crtc *a = arg;
    struct qpusim_drm *device = f->device;
    struct drm_display state = {0};
    if (a->crtc_id != DRM_CRTC) {
        return -ENOENT;
    }
    if (!a->mode_valid) {
        drm_set_display(device, &state);
        return 0;
    }
    uint32_t id = a->fb_id == UINT32_MAX ? device->display.fb : a->fb_id;
    const struct drm_fb *fb = drm_fb_of(device, id);
    if (!fb) {
        return -ENOENT;
    }
    if ((uint64_t)a->mode.hdisplay + a->x > fb->width || (uint64_t)a->mode.vdisplay + a->y > fb->height) {
        drm_log(device, "SETCRTC: mode %u x %u on a frame buffer of %u x %u", a->mode.hdisplay,
                a->mode.vdisplay, fb->width, fb->height);
        return -ENOSPC;
    }
    if (!a->mode.hdisplay || !a->mode.vdisplay || ((a->x || a->y) && fb->modifier != DRM_FORMAT_MOD_LINEAR)) {
        return drm_invalid(device, "SETCRTC: mode %u x %u at %u, %u", a->mode.hdisplay, a->mode.vdisplay,
                           a->x, a->y);
    }
    state.mode = a->mode;
    state.mode_blob = drm_blob_new(device, NULL, &a->mode, sizeof a->mode);
    state.enabled = state.active = state.connected = true;
    set_plane(&state, id, a->x, a->y, a->mode.hdisplay, a->mode.vdisplay);
    drm_set_display(device, &state);
    drm_blob_unref(device, state.mode_blob);
    drm_show(device);
    return 0;
}

static int getcrtc(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_crtc *a = arg;
    if (a->crtc_id != DRM_CRTC) {
        return -ENOENT;
    }
    a->fb_id = f->device->display.fb;
    a->x = f->device->display.src_x >> 16;
    a->y = f->device->display.src_y >> 16;
    a->gamma_size = 0;
    a->mode_valid = f->device->display.active;
    a->mode = f->device->display.enabled ? f->device->display.mode : f->device->mode;
    return 0;
}

static int page_flip(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_crtc_page_flip *a = arg;
    const struct drm_fb *fb = drm_fb_of(f->device, a->fb_id);
    if (a->crtc_id != DRM_CRTC || !fb) {
        return -ENOENT;
    }
    struct drm_display *s = &f->device->display;
    const struct drm_fb *old = drm_fb_of(f->device, s->fb);
    if (!s->active || a->flags & ~(uint32_t)DRM_MODE_PAGE_FLIP_FLAGS) {
        return drm_invalid(f->device, "PAGE_FLIP: flags 0x%x%s", a->flags,
                           s->active ? "" : ", the display is off");
    }
    if (!old) {
        return -EBUSY; /* the plane is off */
    }
    if (fb->format != old->format || ((s->src_x || s->src_y) && fb->modifier != DRM_FORMAT_MOD_LINEAR)) {
        return drm_invalid(f->device, "PAGE_FLIP: from format 0x%x to 0x%x, at %u, %u", old->format,
                           fb->format, s->src_x >> 16, s->src_y >> 16);
    }
    if ((s->src_x + (uint64_t)s->src_w) >> 16 > fb->width ||
        (s->src_y + (uint64_t)s->src_h) >> 16 > fb->height) {
        drm_log(f->device, "PAGE_FLIP: a frame buffer of %u x %u", fb->width, fb->height);
        return -ENOSPC;
    }
    f->device->flips++;
    s->fb = a->fb_id;
    drm_show(f->device);
    if (a->flags & DRM_MODE_PAGE_FLIP_EVENT) {
        drm_send_event(f, DRM_EVENT_FLIP_COMPLETE, a->user_data);
    }
    return 0;
}

static int dirtyfb(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_fb_dirty_cmd *a = arg;
    const struct drm_fb *fb = drm_fb_of(f->device, a->fb_id);
    if (fb && a->fb_id == f->device->display.fb) {
        drm_show(f->device);
    }
    return fb ? 0 : -ENOENT;
}

static int wait_vblank(struct qpusim_drm_file *f, void *arg) {
    union drm_wait_vblank *a = arg;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (a->request.type & _DRM_VBLANK_EVENT) {
        drm_send_event(f, DRM_EVENT_VBLANK, a->request.signal);
    }
    a->reply.sequence = (uint32_t)++f->device->flips;
    a->reply.tval_sec = now.tv_sec;
    a->reply.tval_usec = now.tv_nsec / 1000;
    return 0;
}

static int setplane(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_set_plane *a = arg;
    struct drm_display s = f->device->display;
    if (a->plane_id != DRM_PLANE ||
        (a->fb_id && (!drm_fb_of(f->device, a->fb_id) || a->crtc_id != DRM_CRTC))) {
        return -ENOENT;
    }
    set_plane(&s, a->fb_id, 0, 0, a->crtc_w, a->crtc_h);
    s.crtc_x = a->crtc_x;
    s.crtc_y = a->crtc_y;
    s.src_x = a->src_x;
    s.src_y = a->src_y;
    s.src_w = a->src_w;
    s.src_h = a->src_h;
    if (!a->fb_id) {
        set_plane(&s, 0, 0, 0, 0, 0);
    }
    int status = drm_check_plane(f->device, "SETPLANE", &s);
    if (!status) {
        drm_set_display(f->device, &s);
        drm_show(f->device);
    }
    return status;
}

/* There is no cursor: programs that ask for one draw their own. */
static int no_cursor(uint32_t flags, uint32_t crtc) {
    if (!flags || flags & ~(uint32_t)DRM_MODE_CURSOR_FLAGS) {
        return -EINVAL;
    }
    return crtc == DRM_CRTC ? -ENXIO : -ENOENT;
}

static int cursor(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_cursor *a = arg;
    (void)f;
    return no_cursor(a->flags, a->crtc_id);
}

static int cursor2(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_cursor2 *a = arg;
    (void)f;
    return no_cursor(a->flags, a->crtc_id);
}

/* Nor a table of gamma: its size is 0. */
static int getgamma(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_crtc_lut *a = arg;
    (void)f;
    return a->crtc_id != DRM_CRTC ? -ENOENT : a->gamma_size ? -EINVAL : 0;
}

static int setgamma(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_crtc_lut *a = arg;
    (void)f;
    return a->crtc_id != DRM_CRTC ? -ENOENT : -ENOSYS;
}

/* The property that the old calls can set: a display goes off and on again. */
static int set_dpms(struct qpusim_drm_file *f, uint32_t object, uint32_t id, uint64_t value) {
    struct drm_display *s = &f->device->display;
    if (object != DRM_CRTC && object != DRM_CONNECTOR && object != DRM_PLANE) {
        return -ENOENT;
    }
    const struct drm_property *p = drm_property_of(object, id);
    if (!p || p->id != DRM_PROPERTY_DPMS || value > DRM_MODE_DPMS_OFF) {
        return drm_invalid(f->device, "SETPROPERTY: %s of object 0x%x, value %llu",
                           p ? p->name : "no property", object, (unsigned long long)value);
    }
    bool was = s->active;
    s->active = s->enabled && value == DRM_MODE_DPMS_ON;
    if (s->active && !was) {
        drm_show(f->device);
    }
    return 0;
}

static int setproperty(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_connector_set_property *a = arg;
    return set_dpms(f, a->connector_id, a->prop_id, a->value);
}

static int obj_setproperty(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_obj_set_property *a = arg;
    return set_dpms(f, a->obj_id, a->prop_id, a->value);
}

/* --- what there is -------------------------------------------------------------------------------------- */

static int getresources(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_card_res *a = arg;
    const uint32_t crtc = DRM_CRTC, connector = DRM_CONNECTOR, encoder = DRM_ENCODER;
    a->min_width = a->min_height = 0;
    a->max_width = a->max_height = DRM_LARGEST_SCREEN;
    int status = drm_give_array(f, a->fb_id_ptr, &a->count_fbs, NULL, 0, sizeof crtc);
    if (!status) {
        status = drm_give_array(f, a->crtc_id_ptr, &a->count_crtcs, &crtc, 1, sizeof crtc);
    }
    if (!status) {
        status = drm_give_array(f, a->connector_id_ptr, &a->count_connectors, &connector, 1, sizeof crtc);
    }
    return status ? status
                  : drm_give_array(f, a->encoder_id_ptr, &a->count_encoders, &encoder, 1, sizeof crtc);
}

static int getencoder(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_get_encoder *a = arg;
    (void)f;
    if (a->encoder_id != DRM_ENCODER) {
        return -ENOENT;
    }
    a->encoder_type = DRM_MODE_ENCODER_TMDS;
    a->crtc_id = DRM_CRTC; /* as after the console has set a mode: programs take it from here */
    a->possible_crtcs = 1;
    a->possible_clones = 0;
    return 0;
}

static int getconnector(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_get_connector *a = arg;
    const uint32_t encoder = DRM_ENCODER;
    if (a->connector_id != DRM_CONNECTOR) {
        return -ENOENT;
    }
    a->encoder_id = DRM_ENCODER;
    a->connector_type = DRM_MODE_CONNECTOR_HDMIA;
    a->connector_type_id = 1;
    a->connection = 1; /* connected */
    a->mm_width = f->device->mode.hdisplay / DOTS_PER_MM;
    a->mm_height = f->device->mode.vdisplay / DOTS_PER_MM;
    a->subpixel = 1; /* unknown */
    int status = drm_give_array(f, a->encoders_ptr, &a->count_encoders, &encoder, 1, sizeof encoder);
    if (!status) {
        status =
            drm_give_array(f, a->modes_ptr, &a->count_modes, &f->device->mode, 1, sizeof f->device->mode);
    }
    return status ? status
                  : drm_give_properties(f, DRM_CONNECTOR, a->props_ptr, a->prop_values_ptr, &a->count_props);
}

static int getplaneresources(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_get_plane_res *a = arg;
    const uint32_t plane = DRM_PLANE;
    return drm_give_array(f, a->plane_id_ptr, &a->count_planes, &plane, f->universal_planes, sizeof plane);
}

const uint32_t *drm_screen_formats(uint32_t *count) {
    static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888,
                                       DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565};
    *count = sizeof formats / sizeof *formats;
    return formats;
}

static int getplane(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_get_plane *a = arg;
    uint32_t count;
    const uint32_t *formats = drm_screen_formats(&count);
    if (a->plane_id != DRM_PLANE) {
        return -ENOENT;
    }
    a->crtc_id = f->device->display.on_crtc ? DRM_CRTC : 0;
    a->fb_id = f->device->display.fb;
    a->possible_crtcs = 1;
    a->gamma_size = 0;
    return drm_give_array(f, a->format_type_ptr, &a->count_format_types, formats, count, sizeof *formats);
}

#define MODE(name, structure, call)                                                                          \
    { _IOC_NR(DRM_IOCTL_MODE_##name), sizeof(structure), #name, call }
const struct drm_call drm_screen_calls[] = {
    MODE(GETRESOURCES, struct drm_mode_card_res, getresources),
    MODE(GETCRTC, struct drm_mode_crtc, getcrtc),
    MODE(SETCRTC, struct drm_mode_crtc, setcrtc),
    MODE(CURSOR, struct drm_mode_cursor, cursor),
    MODE(CURSOR2, struct drm_mode_cursor2, cursor2),
    MODE(GETGAMMA, struct drm_mode_crtc_lut, getgamma),
    MODE(SETGAMMA, struct drm_mode_crtc_lut, setgamma),
    MODE(GETENCODER, struct drm_mode_get_encoder, getencoder),
    MODE(GETCONNECTOR, struct drm_mode_get_connector, getconnector),
    MODE(SETPROPERTY, struct drm_mode_connector_set_property, setproperty),
    MODE(OBJ_SETPROPERTY, struct drm_mode_obj_set_property, obj_setproperty),
    MODE(ADDFB, struct drm_mode_fb_cmd, addfb),
    MODE(ADDFB2, struct drm_mode_fb_cmd2, addfb2),
    MODE(RMFB, unsigned, rmfb),
    MODE(GETFB, struct drm_mode_fb_cmd, getfb),
    MODE(PAGE_FLIP, struct drm_mode_crtc_page_flip, page_flip),
    MODE(DIRTYFB, struct drm_mode_fb_dirty_cmd, dirtyfb),
    MODE(GETPLANERESOURCES, struct drm_mode_get_plane_res, getplaneresources),
    MODE(GETPLANE, struct drm_mode_get_plane, getplane),
    MODE(SETPLANE, struct drm_mode_set_plane, setplane),
    {_IOC_NR(DRM_IOCTL_WAIT_VBLANK), sizeof(union drm_wait_vblank), "WAIT_VBLANK", wait_vblank},
    {0},
};
