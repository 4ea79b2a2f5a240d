/* Properties of the display's objects, and blobs. A file that has not asked for atomic mode setting sees the
 * old ones alone. */
#include "runtime/drm/screen.h"

#include <stdio.h>

#define OBJECT(number) (1u << ((number)-DRM_CRTC))
#define RANGE DRM_MODE_PROP_RANGE
#define ATOMIC DRM_MODE_PROP_ATOMIC
#define SIGNED DRM_MODE_PROP_SIGNED_RANGE
#define REFERENCE DRM_MODE_PROP_OBJECT

static const struct drm_property properties[] = {
    {DRM_PROPERTY_TYPE,
     "type",
     DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE,
     OBJECT(DRM_PLANE),
     {0, 1, 2},
     {"Overlay", "Primary", "Cursor"}},
    {DRM_PROPERTY_IN_FORMATS,
     "IN_FORMATS",
     DRM_MODE_PROP_BLOB | DRM_MODE_PROP_IMMUTABLE,
     OBJECT(DRM_PLANE),
     {0},
     {0}},
    {DRM_PROPERTY_FB_ID, "FB_ID", REFERENCE | ATOMIC, OBJECT(DRM_PLANE), {DRM_MODE_OBJECT_FB}, {0}},
    {DRM_PROPERTY_CRTC_ID,
     "CRTC_ID",
     REFERENCE | ATOMIC,
     OBJECT(DRM_PLANE) | OBJECT(DRM_CONNECTOR),
     {DRM_MODE_OBJECT_CRTC},
     {0}},
    {DRM_PROPERTY_CRTC_X,
     "CRTC_X",
     SIGNED | ATOMIC,
     OBJECT(DRM_PLANE),
     {(uint64_t)INT32_MIN, INT32_MAX},
     {0}},
    {DRM_PROPERTY_CRTC_Y,
     "CRTC_Y",
     SIGNED | ATOMIC,
     OBJECT(DRM_PLANE),
     {(uint64_t)INT32_MIN, INT32_MAX},
     {0}},
    {DRM_PROPERTY_CRTC_W, "CRTC_W", RANGE | ATOMIC, OBJECT(DRM_PLANE), {0, INT32_MAX}, {0}},
    {DRM_PROPERTY_CRTC_H, "CRTC_H", RANGE | ATOMIC, OBJECT(DRM_PLANE), {0, INT32_MAX}, {0}},
    {DRM_PROPERTY_SRC_X, "SRC_X", RANGE | ATOMIC, OBJECT(DRM_PLANE), {0, UINT32_MAX}, {0}},
    {DRM_PROPERTY_SRC_Y, "SRC_Y", RANGE | ATOMIC, OBJECT(DRM_PLANE), {0, UINT32_MAX}, {0}},
    {DRM_PROPERTY_SRC_W, "SRC_W", RANGE | ATOMIC, OBJECT(DRM_PLANE), {0, UINT32_MAX}, {0}},
    {DRM_PROPERTY_SRC_H, "SRC_H", RANGE | ATOMIC, OBJECT(DRM_PLANE), {0, UINT32_MAX}, {0}},
    {DRM_PROPERTY_IN_FENCE_FD,
     "IN_FENCE_FD",
     SIGNED | ATOMIC,
     OBJECT(DRM_PLANE),
     {(uint64_t)-1, INT32_MAX},
     {0}},
    {DRM_PROPERTY_ACTIVE, "ACTIVE", RANGE | ATOMIC, OBJECT(DRM_CRTC), {0, 1}, {0}},
    {DRM_PROPERTY_MODE_ID, "MODE_ID", DRM_MODE_PROP_BLOB | ATOMIC, OBJECT(DRM_CRTC), {0}, {0}},
    {DRM_PROPERTY_OUT_FENCE_PTR, "OUT_FENCE_PTR", RANGE | ATOMIC, OBJECT(DRM_CRTC), {0, UINT64_MAX}, {0}},
    {DRM_PROPERTY_DPMS,
     "DPMS",
     DRM_MODE_PROP_ENUM,
     OBJECT(DRM_CONNECTOR),
     {0, 1, 2, 3},
     {"On", "Standby", "Suspend", "Off"}},
};
enum { PROPERTIES = sizeof properties / sizeof *properties };

const struct drm_property *drm_property_of(uint32_t object, uint32_t id) {
    uint32_t number = id - DRM_PROPERTY_TYPE, bit = object - DRM_CRTC;
    return number < PROPERTIES && bit < 32 && properties[number].objects >> bit & 1 ? &properties[number]
                                                                                    : NULL;
}

/* --- blobs ---------------------------------------------------------------------------------------------- */

uint32_t drm_blob_new(struct qpusim_drm *device, const struct qpusim_drm_file *owner, const void *bytes,
                      uint32_t size) {
    struct drm_blob *blob = malloc(sizeof *blob + size);
    uint32_t number = blob ? drm_table_add(&device->blobs, blob) : 0;
    if (!number) {
        free(blob);
        return 0;
    }
    *blob = (struct drm_blob){.references = 1, .owner = owner, .size = size};
    memcpy(blob->bytes, bytes, size);
    return number + DRM_FIRST_BLOB;
}

struct drm_blob *drm_blob_of(const struct qpusim_drm *device, uint32_t id) {
    return id < DRM_FIRST_BLOB ? NULL : drm_table_find(&device->blobs, id - DRM_FIRST_BLOB);
}

void drm_blob_unref(struct qpusim_drm *device, uint32_t id) {
    struct drm_blob *blob = drm_blob_of(device, id);
    if (blob && --blob->references == 0) {
        drm_table_remove(&device->blobs, id - DRM_FIRST_BLOB);
        free(blob);
    }
}

void drm_forget_blobs(struct qpusim_drm_file *f) {
    for (uint32_t id = DRM_FIRST_BLOB + 1; id <= DRM_FIRST_BLOB + f->device->blobs.size; id++) {
        struct drm_blob *blob = drm_blob_of(f->device, id);
        if (blob && blob->owner == f) {
            blob->owner = NULL;
            drm_blob_unref(f->device, id);
        }
    }
}

static int create_blob(struct qpusim_drm_file *f, void *arg) {
    enum { LARGEST_BLOB = 1 << 16 };
    struct drm_mode_create_blob *a = arg;
    if (a->length == 0 || a->length > LARGEST_BLOB) {
        return drm_invalid(f->device, "CREATEPROPBLOB: %u bytes", a->length);
    }
    void *bytes = malloc(a->length);
    int status = !bytes ? -ENOMEM : drm_read(f, bytes, a->data, a->length) ? 0 : -EFAULT;
    if (!status) {
        a->blob_id = drm_blob_new(f->device, f, bytes, a->length);
        status = a->blob_id ? 0 : -ENOMEM;
    }
    free(bytes);
    return status;
}

static int destroy_blob(struct qpusim_drm_file *f, void *arg) {
    uint32_t id = ((const struct drm_mode_destroy_blob *)arg)->blob_id;
    struct drm_blob *blob = drm_blob_of(f->device, id);
    if (!blob) {
        return -ENOENT;
    }
    if (blob->owner != f) {
        return -EPERM;
    }
    blob->owner = NULL;
    drm_blob_unref(f->device, id);
    return 0;
}

static int get_blob(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_get_blob *a = arg;
    const struct drm_blob *blob = drm_blob_of(f->device, a->blob_id);
    if (!blob) {
        return -ENOENT;
    }
    bool fits = a->length == blob->size;
    a->length = blob->size;
    return fits && !drm_write(f, a->data, blob->bytes, blob->size) ? -EFAULT : 0;
}

/* --- values --------------------------------------------------------------------------------------------- */

/* Every format both in rows and in tiles of the texture units. */
static uint32_t formats_blob(struct qpusim_drm *device) {
    uint32_t count;
    const uint32_t *formats = drm_screen_formats(&count);
    struct {
        struct drm_format_modifier_blob head;
        uint32_t formats[6];
        struct drm_format_modifier modifiers[2];
    } blob = {.head = {.version = FORMAT_BLOB_CURRENT, .count_formats = count, .count_modifiers = 2}};
    blob.head.formats_offset = (uint32_t)((uint8_t *)blob.formats - (uint8_t *)&blob);
    blob.head.modifiers_offset = (uint32_t)((uint8_t *)blob.modifiers - (uint8_t *)&blob);
    memcpy(blob.formats, formats, count * sizeof *formats);
    for (unsigned n = 0; n < 2; n++) {
        blob.modifiers[n].formats = (1u << count) - 1;
        blob.modifiers[n].modifier = n ? DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED : DRM_FORMAT_MOD_LINEAR;
    }
    if (!device->formats_blob) {
        device->formats_blob = drm_blob_new(device, NULL, &blob, sizeof blob);
    }
    return device->formats_blob;
}

static uint64_t value_of(struct qpusim_drm *device, enum drm_property_id id, uint32_t object) {
    const struct drm_display *s = &device->display;
    switch (id) {
    case DRM_PROPERTY_TYPE: return 1; /* primary */
    case DRM_PROPERTY_IN_FORMATS: return formats_blob(device);
    case DRM_PROPERTY_FB_ID: return s->fb;
    case DRM_PROPERTY_CRTC_ID: return (object == DRM_PLANE ? s->on_crtc : s->connected) ? DRM_CRTC : 0;
    case DRM_PROPERTY_CRTC_X: return (uint64_t)(int64_t)s->crtc_x;
    case DRM_PROPERTY_CRTC_Y: return (uint64_t)(int64_t)s->crtc_y;
    case DRM_PROPERTY_CRTC_W: return s->crtc_w;
    case DRM_PROPERTY_CRTC_H: return s->crtc_h;
    case DRM_PROPERTY_SRC_X: return s->src_x;
    case DRM_PROPERTY_SRC_Y: return s->src_y;
    case DRM_PROPERTY_SRC_W: return s->src_w;
    case DRM_PROPERTY_SRC_H: return s->src_h;
    case DRM_PROPERTY_IN_FENCE_FD: return (uint64_t)-1;
    case DRM_PROPERTY_ACTIVE: return s->active;
    case DRM_PROPERTY_MODE_ID: return s->mode_blob;
    case DRM_PROPERTY_OUT_FENCE_PTR: return 0;
    case DRM_PROPERTY_DPMS: return s->active ? DRM_MODE_DPMS_ON : DRM_MODE_DPMS_OFF;
    }
    return 0;
}

int drm_give_properties(struct qpusim_drm_file *f, uint32_t object, uint64_t ids, uint64_t values,
                        uint32_t *count) {
    uint32_t id[PROPERTIES], have = 0, capacity = *count;
    uint64_t value[PROPERTIES];
    for (unsigned n = 0; n < PROPERTIES; n++) {
        if (drm_property_of(object, properties[n].id) && (f->atomic || !(properties[n].flags & ATOMIC))) {
            id[have] = properties[n].id;
            value[have++] = value_of(f->device, properties[n].id, object);
        }
    }
    int status = drm_give_array(f, ids, count, id, have, sizeof *id);
    return status ? status : drm_give_array(f, values, &capacity, value, have, sizeof *value);
}

static int object_properties(struct qpusim_drm_file *f, void *arg) {
    static const uint32_t types[] = {DRM_MODE_OBJECT_CRTC, DRM_MODE_OBJECT_CONNECTOR, DRM_MODE_OBJECT_ENCODER,
                                     DRM_MODE_OBJECT_PLANE};
    struct drm_mode_obj_get_properties *a = arg;
    uint32_t number = a->obj_id - DRM_CRTC;
    if (number >= sizeof types / sizeof *types ||
        (a->obj_type != types[number] && a->obj_type != DRM_MODE_OBJECT_ANY)) {
        return -ENOENT;
    }
    return drm_give_properties(f, a->obj_id, a->props_ptr, a->prop_values_ptr, &a->count_props);
}

static int getproperty(struct qpusim_drm_file *f, void *arg) {
    struct drm_mode_get_property *a = arg;
    uint32_t number = a->prop_id - DRM_PROPERTY_TYPE, count = 0;
    struct drm_mode_property_enum words[4] = {0};
    if (number >= PROPERTIES) {
        return -ENOENT;
    }
    const struct drm_property *p = &properties[number];
    while (count < 4 && p->words[count]) {
        words[count].value = p->values[count];
        snprintf(words[count].name, sizeof words->name, "%s", p->words[count]);
        count++;
    }
    uint32_t values = count                                    ? count
                      : p->flags & DRM_MODE_PROP_BLOB          ? 0
                      : p->flags & DRM_MODE_PROP_EXTENDED_TYPE ? (p->flags & SIGNED) == SIGNED ? 2 : 1
                                                               : 2;
    a->flags = p->flags;
    snprintf(a->name, sizeof a->name, "%s", p->name);
    int status = drm_give_array(f, a->values_ptr, &a->count_values, p->values, values, sizeof *p->values);
    return status ? status
                  : drm_give_array(f, a->enum_blob_ptr, &a->count_enum_blobs, words, count, sizeof *words);
}

#define MODE(name, structure, call)                                                                          \
    { _IOC_NR(DRM_IOCTL_MODE_##name), sizeof(structure), #name, call }
const struct drm_call drm_property_calls[] = {
    MODE(GETPROPERTY, struct drm_mode_get_property, getproperty),
    MODE(OBJ_GETPROPERTIES, struct drm_mode_obj_get_properties, object_properties),
    MODE(CREATEPROPBLOB, struct drm_mode_create_blob, create_blob),
    MODE(DESTROYPROPBLOB, struct drm_mode_destroy_blob, destroy_blob),
    MODE(GETPROPBLOB, struct drm_mode_get_blob, get_blob),
    {0},
};
