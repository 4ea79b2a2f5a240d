/* Private to the display: its objects, their state, and what the files that answer its calls share. */
#ifndef DRM_SCREEN_H
#define DRM_SCREEN_H

#include "runtime/drm/device.h"

enum { DRM_CRTC = 0x40, DRM_CONNECTOR, DRM_ENCODER, DRM_PLANE };
enum { DRM_FIRST_FB = 0x100, DRM_FIRST_BLOB = 0x10000, DRM_LARGEST_SCREEN = 2048 };

enum drm_property_id {
    DRM_PROPERTY_TYPE = 0x50,
    DRM_PROPERTY_IN_FORMATS,
    DRM_PROPERTY_FB_ID,
    DRM_PROPERTY_CRTC_ID,
    DRM_PROPERTY_CRTC_X,
    DRM_PROPERTY_CRTC_Y,
    DRM_PROPERTY_CRTC_W,
    DRM_PROPERTY_CRTC_H,
    DRM_PROPERTY_SRC_X,
    DRM_PROPERTY_SRC_Y,
    DRM_PROPERTY_SRC_W,
    DRM_PROPERTY_SRC_H,
    DRM_PROPERTY_IN_FENCE_FD,
    DRM_PROPERTY_ACTIVE,
    DRM_PROPERTY_MODE_ID,
    DRM_PROPERTY_OUT_FENCE_PTR,
    DRM_PROPERTY_DPMS,
};

struct drm_property {
    enum drm_property_id id;
    const char *name;
    uint32_t flags,
        objects;          /* DRM_MODE_PROP_...; a bit for each object that has it, by number from DRM_CRTC */
    uint64_t values[4];   /* of a range its ends, of an object its type, of an enumeration its values */
    const char *words[4]; /* the enumeration's */
};

/* NULL: the object has none of that number. */
const struct drm_property *drm_property_of(uint32_t object, uint32_t id);
/* The properties of an object that a file sees, and their values. */
int drm_give_properties(struct qpusim_drm_file *f, uint32_t object, uint64_t ids, uint64_t values,
                        uint32_t *count);

/* Bytes with a number, which the display's state may hold after its owner has destroyed it. */
struct drm_blob {
    unsigned references;
    const struct qpusim_drm_file *owner; /* NULL: gone, or the device's own */
    uint32_t size;
    uint8_t bytes[];
};
uint32_t drm_blob_new(struct qpusim_drm *device, const struct qpusim_drm_file *owner, const void *bytes,
                      uint32_t size);
struct drm_blob *drm_blob_of(const struct qpusim_drm *device, uint32_t id);
void drm_blob_unref(struct qpusim_drm *device, uint32_t id);

/* The formats that the display takes; their number goes to `count`. */
const uint32_t *drm_screen_formats(uint32_t *count);
struct drm_fb *drm_fb_of(const struct qpusim_drm *device, uint32_t id);
/* Shows what the state says; nothing when the display is off. */
void drm_show(struct qpusim_drm *device);
void drm_send_event(struct qpusim_drm_file *f, uint32_t type, uint64_t user_data);
/* Shows what the plane's state asks for? The whole plane is shown, unscaled, on the whole CRTC: this display
 * has no others. 0, or why not. */
int drm_check_plane(struct qpusim_drm *device, const char *call, const struct drm_display *state);
/* Makes this the state, which then holds its blob. */
void drm_set_display(struct qpusim_drm *device, const struct drm_display *state);

#endif
