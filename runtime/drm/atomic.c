/* MODE_ATOMIC: many properties at once, all or none. They go to a copy of the display's state, the copy is
 * checked, and only then it is shown. */
#include "runtime/drm/screen.h"

struct commit {
    struct qpusim_drm_file *file;
    struct drm_display state;
    uint64_t out_fence; /* where the caller wants its number; 0: nowhere */
    bool crtc, modeset,
        picture; /* the commit names the CRTC, changes more than the plane, has a new picture */
};

static int refuse(const struct commit *c, const struct drm_property *p, uint64_t value) {
    return drm_invalid(c->file->device, "ATOMIC: %s 0x%llx", p->name, (unsigned long long)value);
}

static bool in_range(const struct drm_property *p, uint64_t value) {
    if (p->flags & DRM_MODE_PROP_RANGE) {
        return value >= p->values[0] && value <= p->values[1];
    }
    return (p->flags & DRM_MODE_PROP_EXTENDED_TYPE) != DRM_MODE_PROP_SIGNED_RANGE ||
           ((int64_t)value >= (int64_t)p->values[0] && (int64_t)value <= (int64_t)p->values[1]);
}

static int set_mode(struct commit *c, const struct drm_property *p, uint64_t value) {
    const struct drm_blob *blob = value <= UINT32_MAX ? drm_blob_of(c->file->device, (uint32_t)value) : NULL;
    struct drm_mode_modeinfo mode = {0};
    if (value && (!blob || blob->size != sizeof mode)) {
        return refuse(c, p, value);
    }
    if (blob) {
        memcpy(&mode, blob->bytes, sizeof mode);
    }
    if (blob && (!mode.hdisplay || !mode.vdisplay || mode.hdisplay > DRM_LARGEST_SCREEN ||
                 mode.vdisplay > DRM_LARGEST_SCREEN)) {
        return refuse(c, p, value);
    }
    c->modeset |= memcmp(&mode, &c->state.mode, sizeof mode) != 0 || !blob != !c->state.enabled;
    c->state.enabled = blob != NULL;
    c->state.mode = mode;
    c->state.mode_blob = (uint32_t)value;
    return 0;
}

/* Fences that have signalled, as every one here, are waited for by looking at them. */
static int take_fence(struct commit *c, const struct drm_property *p, uint64_t value) {
    if (value == UINT64_MAX) {
        return 0;
    }
    return drm_is_sync_file(c->file, (int)value) ? 0 : refuse(c, p, value);
}

static int set_property(struct commit *c, uint32_t object, const struct drm_property *p, uint64_t value) {
    struct drm_display *s = &c->state;
    if (p->flags & DRM_MODE_PROP_IMMUTABLE || !in_range(p, value)) {
        return refuse(c, p, value);
    }
    switch (p->id) {
    case DRM_PROPERTY_FB_ID:
        if (value && (value > UINT32_MAX || !drm_fb_of(c->file->device, (uint32_t)value))) {
            return refuse(c, p, value);
        }
        s->fb = (uint32_t)value;
        c->picture = true;
        return 0;
    case DRM_PROPERTY_CRTC_ID:
        if (value && value != DRM_CRTC) {
            return refuse(c, p, value);
        }
        if (object == DRM_PLANE) {
            s->on_crtc = value != 0;
        } else {
            c->modeset |= s->connected != (value != 0);
            s->connected = value != 0;
        }
        c->crtc |= value != 0;
        return 0;
    case DRM_PROPERTY_ACTIVE:
        c->modeset |= s->active != (value != 0);
        s->active = value != 0;
        return 0;
    case DRM_PROPERTY_CRTC_X: s->crtc_x = (int32_t)value; return 0;
    case DRM_PROPERTY_CRTC_Y: s->crtc_y = (int32_t)value; return 0;
    case DRM_PROPERTY_CRTC_W: s->crtc_w = (uint32_t)value; return 0;
    case DRM_PROPERTY_CRTC_H: s->crtc_h = (uint32_t)value; return 0;
    case DRM_PROPERTY_SRC_X: s->src_x = (uint32_t)value; return 0;
    case DRM_PROPERTY_SRC_Y: s->src_y = (uint32_t)value; return 0;
    case DRM_PROPERTY_SRC_W: s->src_w = (uint32_t)value; return 0;
    case DRM_PROPERTY_SRC_H: s->src_h = (uint32_t)value; return 0;
    case DRM_PROPERTY_MODE_ID: return set_mode(c, p, value);
    case DRM_PROPERTY_IN_FENCE_FD: return take_fence(c, p, value);
    case DRM_PROPERTY_OUT_FENCE_PTR: c->out_fence = value; return 0;
    default: return refuse(c, p, value); /* DPMS is the old calls' */
    }
}

static int check(const struct commit *c, uint32_t flags) {
    const struct drm_display *s = &c->state;
    struct qpusim_drm *device = c->file->device;
    if (s->active && !s->enabled) {
        return drm_invalid(device, "ATOMIC: the CRTC is active without a mode");
    }
    if (s->enabled != s->connected) {
        return drm_invalid(device, "ATOMIC: a mode without a connector, or the other way round");
    }
    if (c->modeset && !(flags & DRM_MODE_ATOMIC_ALLOW_MODESET)) {
        return drm_invalid(device, "ATOMIC: the mode changes without ALLOW_MODESET");
    }
    if (flags & DRM_MODE_PAGE_FLIP_EVENT && !s->active && !device->display.active) {
        return drm_invalid(device, "ATOMIC: an event of a CRTC that is off");
    }
    return drm_check_plane(device, "ATOMIC", s);
}

/* --- the call ------------------------------------------------------------------------------------------- */

static int set_properties(struct commit *c, const struct drm_mode_atomic *a) {
    uint64_t at = 0;
    for (uint32_t n = 0; n < a->count_objs; n++) {
        uint32_t object, count;
        if (!drm_read(c->file, &object, a->objs_ptr + 4ull * n, sizeof object) ||
            !drm_read(c->file, &count, a->count_props_ptr + 4ull * n, sizeof count)) {
            return -EFAULT;
        }
        if (object != DRM_CRTC && object != DRM_CONNECTOR && object != DRM_PLANE) {
            return -ENOENT;
        }
        c->crtc |= object == DRM_CRTC || (object == DRM_PLANE && c->state.on_crtc);
        for (uint32_t k = 0; k < count; k++, at++) {
            uint32_t id;
            uint64_t value;
            if (!drm_read(c->file, &id, a->props_ptr + 4 * at, sizeof id) ||
                !drm_read(c->file, &value, a->prop_values_ptr + 8 * at, sizeof value)) {
                return -EFAULT;
            }
            const struct drm_property *p = drm_property_of(object, id);
            int status = p ? set_property(c, object, p, value) : -ENOENT;
            if (status) {
                return status;
            }
        }
    }
    return 0;
}

static int atomic(struct qpusim_drm_file *f, void *arg) {
    const struct drm_mode_atomic *a = arg;
    struct commit c = {.file = f, .state = f->device->display};
    bool test = a->flags & DRM_MODE_ATOMIC_TEST_ONLY;
    if (!f->atomic || a->reserved || a->flags & ~(uint32_t)DRM_MODE_ATOMIC_FLAGS ||
        a->flags & DRM_MODE_PAGE_FLIP_ASYNC || (test && a->flags & DRM_MODE_PAGE_FLIP_EVENT)) {
        return drm_invalid(f->device, "ATOMIC: flags 0x%x%s", a->flags,
                           f->atomic ? "" : ", DRM_CLIENT_CAP_ATOMIC is not set");
    }
    int status = set_properties(&c, a);
    if (!status) {
        status = check(&c, a->flags);
    }
    if (status || test) {
        return status;
    }
    if (c.out_fence) {
        int32_t fence = drm_give_sync_file(f);
        if (fence < 0 || !drm_write(f, c.out_fence, &fence, sizeof fence)) {
            return fence < 0 ? -EMFILE : -EFAULT;
        }
    }
    drm_set_display(f->device, &c.state);
    f->device->flips++;
    if (c.picture || c.modeset) {
        drm_show(f->device);
    }
    if (a->flags & DRM_MODE_PAGE_FLIP_EVENT && c.crtc) {
        drm_send_event(f, DRM_EVENT_FLIP_COMPLETE, a->user_data);
    }
    return 0;
}

const struct drm_call drm_atomic_calls[] = {
    {_IOC_NR(DRM_IOCTL_MODE_ATOMIC), sizeof(struct drm_mode_atomic), "ATOMIC", atomic},
    {0},
};
