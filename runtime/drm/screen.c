/* Mode setting: one display with one CRTC, encoder, connector and primary plane. What is shown goes to the
 * owner as frames; a flip is done when it is asked for, and its event comes at once. */
#include "runtime/drm/device.h"

#include <stdio.h>
#include <time.h>

enum { CRTC_ID = 0x40, CONNECTOR_ID, ENCODER_ID, PLANE_ID, PROPERTY_TYPE, PROPERTY_DPMS };
enum { FIRST_FB = 0x100, LARGEST_SCREEN = 2048, DOTS_PER_MM = 4 };

/* --- frame buffers -------------------------------------------------------------------------------------- */

static struct drm_fb *fb_of(struct qpusim_drm_file *f, uint32_t id) {
    return id < FIRST_FB ? NULL : drm_table_find(&f->device->fbs, id - FIRST_FB);
}

void drm_fb_free(struct qpusim_drm *device, uint32_t number) {
    struct drm_fb *fb = drm_table_remove(&device->fbs, number);
    if (fb) {
        if (device->shown_fb == number + FIRST_FB) {
            device->shown_fb = 0;
        }
        drm_buffer_unref(fb->buffer);
        free(fb);
    }
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

static int add_fb(struct qpusim_drm_file *f, const struct drm_fb *wanted, uint32_t *id) {
    struct drm_buffer *buffer = drm_buffer_of(f, wanted->handle);
    unsigned cpp = bytes_per_pixel(wanted->format);
    if (!buffer || buffer->shader) {
        drm_log(f->device, "ADDFB: no buffer has handle %u", wanted->handle);
        return -ENOENT;
    }
    uint64_t end = wanted->offset + (uint64_t)wanted->stride * wanted->height;
    if (!cpp || !wanted->width || !wanted->height || wanted->width > LARGEST_SCREEN ||
        wanted->height > LARGEST_SCREEN || wanted->stride < wanted->width * cpp || end > buffer->size) {
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
    *id = number + FIRST_FB;
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
    if (!fb_of(f, id)) {
        return -ENOENT;
    }
    drm_fb_free(f->device, id - FIRST_FB);
    return 0;
}

static int getfb(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_fb_cmd *a = arg;
    const struct drm_fb *fb = fb_of(f, a->fb_id);
    if (!fb) {
        return -ENOENT;
    }
    unsigned cpp = bytes_per_pixel(fb->format);
    a->width = fb->width;
    a->height = fb->height;
    a->pitch = fb->stride;
    a->bpp = 8 * cpp;
    a->depth = cpp == 2 ? 16 : 24;
    a->handle = fb->owner == f ? fb->handle : 0;
    return 0;
}

/* --- showing -------------------------------------------------------------------------------------------- */

static void show(struct qpusim_drm_file *f, const struct drm_fb *fb) {
    struct qpusim_drm *device = f->device;
    if (device->hooks.frame) {
        struct qpusim_drm_frame frame = {.number = device->frames,
                                         .width = fb->width,
                                         .height = fb->height,
                                         .stride = fb->stride,
                                         .format = fb->format,
                                         .modifier = fb->modifier,
                                         .bytes = fb->buffer->bytes + fb->offset,
                                         .size = fb->buffer->size - fb->offset};
        device->hooks.frame(device->hooks.user, &frame);
    }
    device->frames++;
}

static void send_event(struct qpusim_drm_file *f, uint32_t type, uint64_t user_data) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct drm_event_vblank event = {.base = {.type = type, .length = sizeof event},
                                     .user_data = user_data,
                                     .tv_sec = (uint32_t)now.tv_sec,
                                     .tv_usec = (uint32_t)(now.tv_nsec / 1000),
                                     .sequence = (uint32_t)f->device->flips,
                                     .crtc_id = CRTC_ID};
    if (f->has_client && f->client.event) {
        f->client.event(f->client.user, &event, sizeof event);
    }
}

static int setcrtc(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_crtc *a = arg;
    struct qpusim_drm *device = f->device;
    if (a->crtc_id != CRTC_ID) {
        return -ENOENT;
    }
    if (!a->mode_valid) {
        device->active = false;
        device->shown_fb = 0;
        return 0;
    }
    uint32_t id = a->fb_id == UINT32_MAX ? device->shown_fb : a->fb_id;
    const struct drm_fb *fb = fb_of(f, id);
    if (!fb) {
        return -ENOENT;
    }
    if (a->mode.hdisplay + a->x > fb->width || a->mode.vdisplay + a->y > fb->height) {
        drm_log(device, "SETCRTC: mode %u x %u on a frame buffer of %u x %u", a->mode.hdisplay,
                a->mode.vdisplay, fb->width, fb->height);
        return -ENOSPC;
    }
    device->active = true;
    device->shown_fb = id;
    show(f, fb);
    return 0;
}

static int getcrtc(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_crtc *a = arg;
    if (a->crtc_id != CRTC_ID) {
        return -ENOENT;
    }
    a->fb_id = f->device->shown_fb;
    a->x = a->y = 0;
    a->gamma_size = 0;
    a->mode_valid = f->device->active;
    a->mode = f->device->mode;
    return 0;
}

static int page_flip(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_crtc_page_flip *a = arg;
    const struct drm_fb *fb = fb_of(f, a->fb_id);
    if (a->crtc_id != CRTC_ID || !fb) {
        return -ENOENT;
    }
    if (!f->device->active || a->flags & ~(uint32_t)DRM_MODE_PAGE_FLIP_FLAGS) {
        return drm_invalid(f->device, "PAGE_FLIP: flags 0x%x%s", a->flags,
                           f->device->active ? "" : ", the display is off");
    }
    f->device->flips++;
    f->device->shown_fb = a->fb_id;
    show(f, fb);
    if (a->flags & DRM_MODE_PAGE_FLIP_EVENT) {
        send_event(f, DRM_EVENT_FLIP_COMPLETE, a->user_data);
    }
    return 0;
}

static int dirtyfb(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_fb_dirty_cmd *a = arg;
    const struct drm_fb *fb = fb_of(f, a->fb_id);
    if (fb && a->fb_id == f->device->shown_fb) {
        show(f, fb);
    }
    return fb ? 0 : -ENOENT;
}

static int wait_vblank(struct qpusim_drm_file *f, void *arg) {
    union drm_wait_vblank *a = arg;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (a->request.type & _DRM_VBLANK_EVENT) {
        send_event(f, DRM_EVENT_VBLANK, a->request.signal);
    }
    a->reply.sequence = (uint32_t)++f->device->flips;
    a->reply.tval_sec = now.tv_sec;
    a->reply.tval_usec = now.tv_nsec / 1000;
    return 0;
}

static int setplane(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_set_plane *a = arg;
    const struct drm_fb *fb = fb_of(f, a->fb_id);
    if (a->plane_id != PLANE_ID || (a->fb_id && !fb)) {
        return -ENOENT;
    }
    if (fb) {
        f->device->shown_fb = a->fb_id;
        show(f, fb);
    }
    return 0;
}

static int ignore(struct qpusim_drm_file *f, void *arg) {
    (void)f;
    (void)arg;
    return 0;
}

/* --- what there is -------------------------------------------------------------------------------------- */

static int getresources(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_card_res *a = arg;
    const uint32_t crtc = CRTC_ID, connector = CONNECTOR_ID, encoder = ENCODER_ID;
    a->min_width = a->min_height = 0;
    a->max_width = a->max_height = LARGEST_SCREEN;
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
    if (a->encoder_id != ENCODER_ID) {
        return -ENOENT;
    }
    a->encoder_type = DRM_MODE_ENCODER_TMDS;
    a->crtc_id = CRTC_ID; /* as after the console has set a mode: programs take it from here */
    a->possible_crtcs = 1;
    a->possible_clones = 0;
    return 0;
}

static int getconnector(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_get_connector *a = arg;
    const uint32_t encoder = ENCODER_ID, property = PROPERTY_DPMS;
    const uint64_t value = DRM_MODE_DPMS_ON;
    uint32_t values = a->count_props;
    if (a->connector_id != CONNECTOR_ID) {
        return -ENOENT;
    }
    a->encoder_id = ENCODER_ID;
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
    if (!status) {
        status = drm_give_array(f, a->props_ptr, &a->count_props, &property, 1, sizeof property);
    }
    return status ? status : drm_give_array(f, a->prop_values_ptr, &values, &value, 1, sizeof value);
}

static int getplaneresources(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_get_plane_res *a = arg;
    const uint32_t plane = PLANE_ID;
    return drm_give_array(f, a->plane_id_ptr, &a->count_planes, &plane, f->universal_planes, sizeof plane);
}

static int getplane(struct qpusim_drm_file *f, void *arg) {
    static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888,
                                       DRM_FORMAT_ABGR8888, DRM_FORMAT_RGB565};
    struct drm_mode_get_plane *a = arg;
    if (a->plane_id != PLANE_ID) {
        return -ENOENT;
    }
    a->crtc_id = f->device->active ? CRTC_ID : 0;
    a->fb_id = f->device->shown_fb;
    a->possible_crtcs = 1;
    a->gamma_size = 0;
    return drm_give_array(f, a->format_type_ptr, &a->count_format_types, formats,
                          sizeof formats / sizeof *formats, sizeof *formats);
}

static int object_properties(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_obj_get_properties *a = arg;
    bool plane = a->obj_id == PLANE_ID, connector = a->obj_id == CONNECTOR_ID;
    const uint32_t property = plane ? PROPERTY_TYPE : PROPERTY_DPMS;
    const uint64_t value = plane ? 1 /* primary */ : DRM_MODE_DPMS_ON;
    uint32_t values = a->count_props;
    int status =
        drm_give_array(f, a->props_ptr, &a->count_props, &property, plane || connector, sizeof property);
    return status ? status
                  : drm_give_array(f, a->prop_values_ptr, &values, &value, plane || connector, sizeof value);
}

static int getproperty(struct qpusim_drm_file *f, void *arg) {
    static const struct drm_mode_property_enum types[] = {{0, "Overlay"}, {1, "Primary"}, {2, "Cursor"}};
    static const struct drm_mode_property_enum dpms[] = {
        {0, "On"}, {1, "Standby"}, {2, "Suspend"}, {3, "Off"}};
    struct drm_mode_get_property *a = arg;
    if (a->prop_id != PROPERTY_TYPE && a->prop_id != PROPERTY_DPMS) {
        return -ENOENT;
    }
    bool type = a->prop_id == PROPERTY_TYPE;
    const struct drm_mode_property_enum *words = type ? types : dpms;
    uint64_t values[4];
    uint32_t count = type ? 3 : 4;
    for (uint32_t n = 0; n < count; n++) {
        values[n] = words[n].value;
    }
    a->flags = DRM_MODE_PROP_ENUM | (type ? DRM_MODE_PROP_IMMUTABLE : 0);
    snprintf(a->name, sizeof a->name, "%s", type ? "type" : "DPMS");
    int status = drm_give_array(f, a->values_ptr, &a->count_values, values, count, sizeof *values);
    return status ? status
                  : drm_give_array(f, a->enum_blob_ptr, &a->count_enum_blobs, words, count, sizeof *words);
}

#define MODE(name, structure, call)                                                                          \
    { _IOC_NR(DRM_IOCTL_MODE_##name), sizeof(structure), #name, call }
const struct drm_call drm_screen_calls[] = {
    MODE(GETRESOURCES, struct drm_mode_card_res, getresources),
    MODE(GETCRTC, struct drm_mode_crtc, getcrtc),
    MODE(SETCRTC, struct drm_mode_crtc, setcrtc),
    MODE(CURSOR, struct drm_mode_cursor, ignore),
    MODE(CURSOR2, struct drm_mode_cursor2, ignore),
    MODE(GETENCODER, struct drm_mode_get_encoder, getencoder),
    MODE(GETCONNECTOR, struct drm_mode_get_connector, getconnector),
    MODE(GETPROPERTY, struct drm_mode_get_property, getproperty),
    MODE(SETPROPERTY, struct drm_mode_connector_set_property, ignore),
    MODE(OBJ_GETPROPERTIES, struct drm_mode_obj_get_properties, object_properties),
    MODE(OBJ_SETPROPERTY, struct drm_mode_obj_set_property, ignore),
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
