/* Atomic mode setting, as a program does it: properties by their names, a mode as a blob, a request that is
 * all or nothing, events. */
#include <qpucc/drm.h>

#include <check.h>
#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned frames, events;
static struct qpusim_drm_frame shown;
static struct drm_event_vblank last_event;
static struct qpusim_drm *device;
static struct qpusim_drm_file *file;
static uint32_t crtc, connector, plane;

static bool add_memory(void *user, uint32_t address, uint32_t size, void *bytes, const char *owner) {
    (void)user, (void)address, (void)size, (void)bytes, (void)owner;
    return true;
}

static void remove_memory(void *user, uint32_t address) {
    (void)user, (void)address;
}

static bool run(void *user, const struct qpusim_drm_lists *lists, char *error, size_t size) {
    (void)user, (void)lists, (void)error, (void)size;
    return true;
}

static void frame(void *user, const struct qpusim_drm_frame *what) {
    (void)user;
    shown = *what;
    frames++;
}

static bool read_here(void *user, void *to, uint64_t from, size_t size) {
    (void)user;
    memcpy(to, (const void *)(uintptr_t)from, size);
    return true;
}

static bool write_here(void *user, uint64_t to, const void *from, size_t size) {
    (void)user;
    memcpy((void *)(uintptr_t)to, from, size);
    return true;
}

static int same_fd(void *user, int fd) {
    (void)user;
    return dup(fd);
}

static void event(void *user, const void *bytes, size_t size) {
    (void)user;
    ck_assert_uint_eq(size, sizeof last_event);
    memcpy(&last_event, bytes, size);
    events++;
}

static int call(unsigned long request, void *arg) {
    return qpusim_drm_ioctl(file, request, arg);
}

static uint64_t address_of(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

static void set_up(void) {
    struct qpusim_drm_hooks hooks = {
        .add_memory = add_memory, .remove_memory = remove_memory, .run = run, .frame = frame};
    struct qpusim_drm_client client = {NULL, read_here, write_here, same_fd, same_fd, event};
    frames = events = 0;
    device = qpusim_drm_new(&hooks);
    file = device ? qpusim_drm_open(device, &client) : NULL;
    ck_assert_ptr_nonnull(file);
    struct drm_mode_card_res r = {.crtc_id_ptr = address_of(&crtc),
                                  .connector_id_ptr = address_of(&connector),
                                  .count_crtcs = 1,
                                  .count_connectors = 1};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETRESOURCES, &r), 0);
    struct drm_set_client_cap cap = {DRM_CLIENT_CAP_ATOMIC, 1};
    ck_assert_int_eq(call(DRM_IOCTL_SET_CLIENT_CAP, &cap), 0);
    struct drm_mode_get_plane_res planes = {.plane_id_ptr = address_of(&plane), .count_planes = 1};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETPLANERESOURCES, &planes), 0);
    ck_assert_uint_eq(planes.count_planes, 1);
}

static void tear_down(void) {
    qpusim_drm_close(file);
    qpusim_drm_free(device);
}

/* --- properties ----------------------------------------------------------------------------------------- */

enum { MOST = 32 };

/* The number of an object's property, and what it is; 0: the object has none of that name. */
static uint32_t property(uint32_t object, const char *name, uint64_t *value) {
    uint32_t ids[MOST];
    uint64_t values[MOST];
    struct drm_mode_obj_get_properties all = {.props_ptr = address_of(ids),
                                              .prop_values_ptr = address_of(values),
                                              .count_props = MOST,
                                              .obj_id = object};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, &all), 0);
    for (uint32_t n = 0; n < all.count_props; n++) {
        struct drm_mode_get_property p = {.prop_id = ids[n]};
        ck_assert_int_eq(call(DRM_IOCTL_MODE_GETPROPERTY, &p), 0);
        if (!strcmp(p.name, name)) {
            *value = values[n];
            return ids[n];
        }
    }
    return 0;
}

static uint64_t value_of(uint32_t object, const char *name) {
    uint64_t value;
    ck_assert_msg(property(object, name, &value) != 0, "%s", name);
    return value;
}

START_TEST(kinds) {
    uint64_t values[4], value;
    struct drm_mode_property_enum words[4];
    struct drm_mode_get_property p = {.prop_id = property(plane, "type", &value),
                                      .values_ptr = address_of(values),
                                      .enum_blob_ptr = address_of(words),
                                      .count_values = 4,
                                      .count_enum_blobs = 4};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETPROPERTY, &p), 0);
    ck_assert_uint_eq(p.flags, DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE);
    ck_assert_uint_eq(p.count_values, 3);
    ck_assert_str_eq(words[value].name, "Primary");
    p = (struct drm_mode_get_property){
        .prop_id = property(plane, "CRTC_X", &value), .values_ptr = address_of(values), .count_values = 4};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETPROPERTY, &p), 0);
    ck_assert_uint_eq(p.flags, DRM_MODE_PROP_SIGNED_RANGE | DRM_MODE_PROP_ATOMIC);
    ck_assert_int_eq((int64_t)values[0], INT32_MIN);
    p = (struct drm_mode_get_property){
        .prop_id = property(plane, "FB_ID", &value), .values_ptr = address_of(values), .count_values = 4};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETPROPERTY, &p), 0);
    ck_assert_uint_eq(p.count_values, 1);
    ck_assert_uint_eq(values[0], DRM_MODE_OBJECT_FB);
    /* The formats and how they may lie in memory. */
    uint8_t bytes[200];
    struct drm_mode_get_blob blob = {.blob_id = (uint32_t)value_of(plane, "IN_FORMATS")};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETPROPBLOB, &blob), 0);
    ck_assert_uint_le(blob.length, sizeof bytes);
    blob.data = address_of(bytes);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETPROPBLOB, &blob), 0);
    struct drm_format_modifier_blob head;
    memcpy(&head, bytes, sizeof head);
    ck_assert_uint_eq(head.count_formats, 5);
    struct drm_format_modifier modifier;
    memcpy(&modifier, bytes + head.modifiers_offset + sizeof modifier, sizeof modifier);
    ck_assert(modifier.modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED && modifier.formats == 31);
    ck_assert_uint_eq(head.modifiers_offset + 2 * sizeof modifier, blob.length);
    /* Who has not asked for it sees none of it. */
    struct drm_set_client_cap cap = {DRM_CLIENT_CAP_ATOMIC, 0};
    ck_assert_int_eq(call(DRM_IOCTL_SET_CLIENT_CAP, &cap), 0);
    ck_assert_uint_eq(property(plane, "FB_ID", &value), 0);
    ck_assert_uint_ne(property(connector, "DPMS", &value), 0);
    struct drm_mode_atomic none = {0};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_ATOMIC, &none), -EINVAL);
}
END_TEST

/* --- requests ------------------------------------------------------------------------------------------- */

struct request {
    uint32_t objects[MOST], counts[MOST], properties[MOST];
    uint64_t values[MOST];
    unsigned count;
};

static void set(struct request *r, uint32_t object, const char *name, uint64_t value) {
    uint64_t now;
    r->objects[r->count] = object;
    r->counts[r->count] = 1;
    r->properties[r->count] = property(object, name, &now);
    r->values[r->count++] = value;
}

static int commit(const struct request *r, uint32_t flags) {
    struct drm_mode_atomic a = {.flags = flags,
                                .count_objs = r->count,
                                .objs_ptr = address_of(r->objects),
                                .count_props_ptr = address_of(r->counts),
                                .props_ptr = address_of(r->properties),
                                .prop_values_ptr = address_of(r->values),
                                .user_data = 0x1234};
    return call(DRM_IOCTL_MODE_ATOMIC, &a);
}

static uint32_t new_fb(uint32_t width, uint32_t height) {
    struct drm_mode_create_dumb dumb = {.width = width, .height = height, .bpp = 32};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
    struct drm_mode_fb_cmd2 fb = {.width = width,
                                  .height = height,
                                  .pixel_format = DRM_FORMAT_XRGB8888,
                                  .handles = {dumb.handle},
                                  .pitches = {dumb.pitch}};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_ADDFB2, &fb), 0);
    return fb.fb_id;
}

static uint32_t new_mode(uint16_t width, uint16_t height) {
    struct drm_mode_modeinfo mode = {.hdisplay = width, .vdisplay = height};
    struct drm_mode_create_blob blob = {.data = address_of(&mode), .length = sizeof mode};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_CREATEPROPBLOB, &blob), 0);
    return blob.blob_id;
}

static void put_plane(struct request *r, uint32_t fb, uint32_t width, uint32_t height) {
    set(r, plane, "FB_ID", fb);
    set(r, plane, "CRTC_ID", crtc);
    set(r, plane, "CRTC_X", 0);
    set(r, plane, "CRTC_Y", 0);
    set(r, plane, "CRTC_W", width);
    set(r, plane, "CRTC_H", height);
    set(r, plane, "SRC_X", 0);
    set(r, plane, "SRC_Y", 0);
    set(r, plane, "SRC_W", (uint64_t)width << 16);
    set(r, plane, "SRC_H", (uint64_t)height << 16);
}

static struct request turn_on(uint32_t mode, uint32_t fb, uint32_t width, uint32_t height) {
    struct request r = {0};
    set(&r, connector, "CRTC_ID", crtc);
    set(&r, crtc, "MODE_ID", mode);
    set(&r, crtc, "ACTIVE", 1);
    put_plane(&r, fb, width, height);
    return r;
}

START_TEST(show) {
    enum { MODESET = DRM_MODE_ATOMIC_ALLOW_MODESET, EVENT = DRM_MODE_PAGE_FLIP_EVENT };
    uint32_t fb = new_fb(320, 200), other = new_fb(400, 240), mode = new_mode(320, 200);
    struct request on = turn_on(mode, fb, 320, 200);
    ck_assert_int_eq(commit(&on, 0), -EINVAL); /* a mode set */
    ck_assert_int_eq(commit(&on, DRM_MODE_ATOMIC_TEST_ONLY | MODESET), 0);
    ck_assert_uint_eq(value_of(crtc, "ACTIVE") + frames, 0);
    ck_assert_int_eq(commit(&on, MODESET | EVENT), 0);
    ck_assert_uint_eq(frames, 1);
    ck_assert_uint_eq(shown.width, 320);
    ck_assert_uint_eq(events, 1);
    ck_assert_uint_eq(last_event.user_data, 0x1234);
    ck_assert_uint_eq(last_event.crtc_id, crtc);
    ck_assert_uint_eq(value_of(plane, "FB_ID"), fb);
    ck_assert_uint_eq(value_of(connector, "CRTC_ID"), crtc);
    /* The state keeps the mode's blob. */
    struct drm_mode_destroy_blob gone = {mode};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_DESTROYPROPBLOB, &gone), 0);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_DESTROYPROPBLOB, &gone), -EPERM);
    struct drm_mode_modeinfo now;
    struct drm_mode_get_blob get = {
        .blob_id = (uint32_t)value_of(crtc, "MODE_ID"), .length = sizeof now, .data = address_of(&now)};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETPROPBLOB, &get), 0);
    ck_assert_uint_eq(now.hdisplay, 320);
    /* A flip, from the middle of a larger frame buffer, with fences. */
    int32_t fence = -1;
    struct request flip = {0};
    set(&flip, plane, "FB_ID", other);
    set(&flip, plane, "SRC_X", 16 << 16);
    set(&flip, plane, "SRC_Y", 8 << 16);
    set(&flip, plane, "IN_FENCE_FD", STDIN_FILENO); /* no fence */
    ck_assert_int_eq(commit(&flip, EVENT | DRM_MODE_ATOMIC_NONBLOCK), -EINVAL);
    struct drm_syncobj_create object = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_CREATE, &object), 0);
    struct drm_syncobj_handle in = {.handle = object.handle,
                                    .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
    ck_assert_int_eq(call(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &in), 0);
    flip.values[flip.count - 1] = (uint64_t)in.fd;
    set(&flip, crtc, "OUT_FENCE_PTR", address_of(&fence));
    ck_assert_int_eq(commit(&flip, EVENT | DRM_MODE_ATOMIC_NONBLOCK), 0);
    ck_assert_uint_eq(frames, 2);
    ck_assert_uint_eq(events, 2);
    ck_assert_uint_eq(shown.size, 94 * 4096 - (8 * 400 + 16) * 4); /* its pages */
    ck_assert_int_ge(fence, 0);
    close(fence);
    close(in.fd);
    struct request off = {0};
    set(&off, crtc, "ACTIVE", 0);
    ck_assert_int_eq(commit(&off, MODESET), 0);
    set(&off, crtc, "MODE_ID", 0);
    ck_assert_int_eq(commit(&off, MODESET), -EINVAL); /* a connector without a mode */
    set(&off, connector, "CRTC_ID", 0);
    set(&off, plane, "CRTC_ID", 0);
    set(&off, plane, "FB_ID", 0);
    ck_assert_int_eq(commit(&off, MODESET), 0);
    ck_assert_int_eq(commit(&off, EVENT), -EINVAL);
    ck_assert_uint_eq(value_of(crtc, "MODE_ID") + value_of(plane, "FB_ID"), 0);
    ck_assert_uint_eq(frames, 2);
}
END_TEST

/* Each is refused, and leaves what was there. */
START_TEST(refused) {
    uint32_t fb = new_fb(320, 200), mode = new_mode(320, 200);
    const struct {
        uint32_t object;
        const char *name;
        uint64_t value;
        int status;
    } bad[] = {{crtc, "ACTIVE", 2, -EINVAL},          {crtc, "MODE_ID", fb, -EINVAL},
               {crtc, "FB_ID", 1, -ENOENT},           {plane, "FB_ID", mode, -EINVAL},
               {plane, "FB_ID", 0, -EINVAL},          {plane, "type", 1, -EINVAL},
               {plane, "CRTC_ID", plane, -EINVAL},    {plane, "CRTC_ID", 0, -EINVAL},
               {plane, "CRTC_X", 1, -EINVAL},         {plane, "CRTC_X", UINT64_C(1) << 40, -EINVAL},
               {plane, "SRC_W", 160 << 16, -EINVAL},  {plane, "SRC_X", 1 << 16, -ENOSPC},
               {plane, "SRC_H", 0xffffffff, -ENOSPC}, {plane, "IN_FENCE_FD", 12345, -EINVAL},
               {connector, "CRTC_ID", 0, -EINVAL},    {connector, "DPMS", 0, -EINVAL},
               {0x9999, "type", 0, -ENOENT}};
    for (unsigned n = 0; n < sizeof bad / sizeof *bad; n++) {
        struct request r = turn_on(mode, fb, 320, 200);
        uint64_t value;
        r.objects[r.count] = bad[n].object;
        r.counts[r.count] = 1;
        r.properties[r.count] = bad[n].object == 0x9999 ? 0x50 : property(bad[n].object, bad[n].name, &value);
        r.values[r.count++] = bad[n].value;
        ck_assert_msg(commit(&r, DRM_MODE_ATOMIC_ALLOW_MODESET) == bad[n].status, "%s", bad[n].name);
        ck_assert_uint_eq(value_of(crtc, "ACTIVE") + frames, 0);
    }
    struct request none = {0};
    ck_assert_int_eq(commit(&none, DRM_MODE_PAGE_FLIP_ASYNC), -EINVAL);
    ck_assert_int_eq(commit(&none, 0x8000), -EINVAL);
    ck_assert_int_eq(commit(&none, DRM_MODE_ATOMIC_TEST_ONLY | DRM_MODE_PAGE_FLIP_EVENT), -EINVAL);
    ck_assert_int_eq(commit(&none, 0), 0);
    /* A frame buffer that goes leaves the plane without one. */
    struct request on = turn_on(mode, fb, 320, 200);
    ck_assert_int_eq(commit(&on, DRM_MODE_ATOMIC_ALLOW_MODESET), 0);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_RMFB, &fb), 0);
    ck_assert_uint_eq(value_of(plane, "FB_ID") + value_of(plane, "CRTC_ID"), 0);
}
END_TEST

/* The old calls on the same state. */
START_TEST(old_calls) {
    uint32_t fb = new_fb(320, 200), small = new_fb(160, 100), mode = new_mode(320, 200);
    struct drm_mode_set_plane p = {.plane_id = plane,
                                   .crtc_id = crtc,
                                   .fb_id = fb,
                                   .crtc_w = 320,
                                   .crtc_h = 200,
                                   .src_w = 320 << 16,
                                   .src_h = 200 << 16};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPLANE, &p), -EINVAL); /* no mode */
    struct request on = turn_on(mode, fb, 320, 200);
    ck_assert_int_eq(commit(&on, DRM_MODE_ATOMIC_ALLOW_MODESET), 0);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPLANE, &p), 0);
    ck_assert_uint_eq(frames, 2);
    /* The one plane does not scale, and covers the mode. */
    struct drm_mode_set_plane bad = p;
    bad.src_w = 160 << 16;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPLANE, &bad), -EINVAL);
    bad = p;
    bad.crtc_x = 1;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPLANE, &bad), -EINVAL);
    bad = p;
    bad.fb_id = small;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPLANE, &bad), -ENOSPC);
    bad = p;
    bad.crtc_id = plane;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPLANE, &bad), -ENOENT);
    bad.plane_id = crtc;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPLANE, &bad), -ENOENT);
    /* A display that sleeps shows nothing, and shows its picture when it wakes. */
    uint64_t value;
    struct drm_mode_connector_set_property dpms = {.connector_id = connector,
                                                   .prop_id = property(connector, "DPMS", &value),
                                                   .value = DRM_MODE_DPMS_OFF};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPROPERTY, &dpms), 0);
    ck_assert_uint_eq(value_of(crtc, "ACTIVE"), 0);
    struct drm_mode_crtc_page_flip flip = {.crtc_id = crtc, .fb_id = fb};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_PAGE_FLIP, &flip), -EINVAL);
    dpms.value = DRM_MODE_DPMS_ON;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPROPERTY, &dpms), 0);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_PAGE_FLIP, &flip), 0);
    ck_assert_uint_eq(frames, 4);
    dpms.value = 7;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPROPERTY, &dpms), -EINVAL);
    dpms.connector_id = 0x9999;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPROPERTY, &dpms), -ENOENT);
    struct drm_mode_obj_set_property other = {
        .value = 0, .prop_id = property(plane, "FB_ID", &value), .obj_id = plane};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_OBJ_SETPROPERTY, &other), -EINVAL);
    /* A flip keeps the format, and needs a picture to leave. */
    struct drm_mode_fb_cmd2 fb16 = {
        .width = 320, .height = 200, .pixel_format = DRM_FORMAT_RGB565, .handles = {1}, .pitches = {640}};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_ADDFB2, &fb16), 0);
    flip.fb_id = fb16.fb_id;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_PAGE_FLIP, &flip), -EINVAL);
    p.fb_id = p.crtc_id = 0;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETPLANE, &p), 0);
    flip.fb_id = fb;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_PAGE_FLIP, &flip), -EBUSY);
    ck_assert_uint_eq(frames, 4);
}
END_TEST

/* There is neither a cursor nor a gamma table, and programs can tell. */
START_TEST(absent) {
    struct drm_mode_cursor cursor = {.flags = DRM_MODE_CURSOR_MOVE, .crtc_id = crtc};
    struct drm_mode_cursor2 cursor2 = {.flags = DRM_MODE_CURSOR_BO, .crtc_id = crtc};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_CURSOR, &cursor), -ENXIO);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_CURSOR2, &cursor2), -ENXIO);
    cursor.crtc_id = plane;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_CURSOR, &cursor), -ENOENT);
    cursor.flags = 0;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_CURSOR, &cursor), -EINVAL);
    struct drm_mode_crtc get = {.crtc_id = crtc};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETCRTC, &get), 0);
    struct drm_mode_crtc_lut lut = {.crtc_id = crtc, .gamma_size = get.gamma_size};
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETGAMMA, &lut), 0);
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETGAMMA, &lut), -ENOSYS);
    lut.gamma_size = 256;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_GETGAMMA, &lut), -EINVAL);
    lut.crtc_id = 1;
    ck_assert_int_eq(call(DRM_IOCTL_MODE_SETGAMMA, &lut), -ENOENT);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("drm_atomic");
    TCase *t = tcase_create("atomic");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, kinds);
    tcase_add_test(t, show);
    tcase_add_test(t, refused);
    tcase_add_test(t, old_calls);
    tcase_add_test(t, absent);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
