/* A draw through the Linux vc4 driver.
 *
 * The driver wants what qpucc makes in the form of its own user: code in buffers made for it, a binning list
 * without addresses, records and uniform streams with handle indices before them (see qpucc/drm.h, which
 * checks the same on the other side). Simulated memory, where the machine keeps textures and uniform storage,
 * becomes one buffer: an address in it is an offset in that buffer. The picture is drawn in T format and read
 * by the CPU. */
#include "device_draw.h"

#include "surface.h"

#include <qpucc/drm.h>
#include <qpucc/lists.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vc4_drm.h>

enum { PAGE = 4096, TILE = 64, HANDLES = 254, MOST_INDEX = 0xffff };

/* The buffers of the submit, by handle index. */
enum { CODE, MEMORY = CODE + QPUCC_STAGE_COUNT, VERTICES, INDICES, TARGET, BUFFERS };

struct device_draw {
    int fd;
    const struct machine *m;
    const struct qpusim_draw_info *draw;
    unsigned width, height, stride; /* stride: bytes of a row of the target */
    uint32_t handles[BUFFERS], sizes[BUFFERS];
    struct qpusim_drm_shader *shaders[QPUCC_STAGE_COUNT];
    uint32_t offsets[QPUSIM_MAX_ATTRIBUTES]; /* of the attributes in their buffer */
    uint32_t max_index;
    struct qpusim_list bin, records, uniforms;
    unsigned record_count;
    char *error;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct device_draw *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(d->error, d->size, format, args);
    va_end(args);
    return false;
}

static bool call(struct device_draw *d, unsigned long request, void *arg, const char *what) {
    int status;
    do {
        status = ioctl(d->fd, request, arg);
    } while (status < 0 && (errno == EINTR || errno == EAGAIN));
    return status == 0 || fail(d, "device: %s: %s", what, strerror(errno));
}

/* --- buffers -------------------------------------------------------------------------------------------- */

static uint8_t *map_buffer(struct device_draw *d, int buffer) {
    struct drm_vc4_mmap_bo map = {.handle = d->handles[buffer]};
    if (!call(d, DRM_IOCTL_VC4_MMAP_BO, &map, "MMAP_BO")) {
        return NULL;
    }
    void *bytes = mmap(NULL, d->sizes[buffer], PROT_READ | PROT_WRITE, MAP_SHARED, d->fd, (off_t)map.offset);
    if (bytes == MAP_FAILED) {
        fail(d, "device: mmap: %s", strerror(errno));
        return NULL;
    }
    return bytes;
}

static bool make_buffer(struct device_draw *d, int buffer, uint64_t size) {
    struct drm_vc4_create_bo create = {.size = (uint32_t)((size + PAGE - 1) / PAGE * PAGE)};
    if (size > INT32_MAX) {
        return fail(d, "device: a buffer of %llu bytes", (unsigned long long)size);
    }
    create.size = create.size ? create.size : PAGE;
    bool fine = call(d, DRM_IOCTL_VC4_CREATE_BO, &create, "CREATE_BO");
    d->handles[buffer] = create.handle;
    d->sizes[buffer] = create.size;
    return fine;
}

static bool upload_code(struct device_draw *d) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        char reason[QPUSIM_DRM_TEXT];
        size_t count;
        const uint64_t *code = qpucc_program_code(d->m->program, (enum qpucc_stage)s, &count);
        struct drm_vc4_create_shader_bo create = {.size = (uint32_t)count * 8, .data = (uintptr_t)code};
        d->shaders[s] = qpusim_drm_shader_new(code, count * 8, reason);
        if (!d->shaders[s]) {
            return fail(d, "device: %s", reason);
        }
        if (!call(d, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create, "CREATE_SHADER_BO")) {
            return false;
        }
        d->handles[CODE + s] = create.handle;
        d->sizes[CODE + s] = create.size;
    }
    return true;
}

/* What the machine's memory holds; it may have grown since an instance before. */
static bool upload_memory(struct device_draw *d) {
    size_t size = 0;
    const char *owner = qpusim_memory_owner(d->m->memory, QPUSIM_MEMORY_BASE, NULL, &size);
    if (!make_buffer(d, MEMORY, owner ? size : PAGE)) {
        return false;
    }
    uint8_t *to = owner ? map_buffer(d, MEMORY) : NULL;
    const uint8_t *from = owner ? qpusim_memory_map(d->m->memory, QPUSIM_MEMORY_BASE, size) : NULL;
    if (to && from) {
        memcpy(to, from, size);
        munmap(to, d->sizes[MEMORY]);
    }
    return !owner || to;
}

static uint32_t attribute_bytes(const struct qpusim_attribute *a) {
    return a->bytes ? a->bytes : 4 * a->components;
}

static bool upload_vertices(struct device_draw *d) {
    uint64_t total = 0;
    for (unsigned a = 0; a < d->draw->attribute_count; a++) {
        const struct qpusim_attribute *at = &d->draw->attributes[a];
        if (at->stride > 255) {
            return fail(d, "device: attribute %u has a stride of %u; the driver's records hold 255", a,
                        at->stride);
        }
        d->offsets[a] = (uint32_t)total;
        total += ((uint64_t)d->max_index * at->stride + attribute_bytes(at) + 15) & ~UINT64_C(15);
    }
    if (!make_buffer(d, VERTICES, total)) {
        return false;
    }
    uint8_t *to = map_buffer(d, VERTICES);
    for (unsigned a = 0; to && a < d->draw->attribute_count; a++) {
        const struct qpusim_attribute *at = &d->draw->attributes[a];
        memcpy(to + d->offsets[a], at->data, (size_t)d->max_index * at->stride + attribute_bytes(at));
    }
    if (to) {
        munmap(to, d->sizes[VERTICES]);
    }
    return to != NULL;
}

static bool upload_indices(struct device_draw *d) {
    const struct qpusim_draw_info *draw = d->draw;
    uint8_t *to = make_buffer(d, INDICES, 2 * (uint64_t)draw->count) ? map_buffer(d, INDICES) : NULL;
    for (unsigned i = 0; to && draw->indices && i < draw->count; i++) {
        uint32_t index = draw->indices[draw->first + i];
        to[2 * i] = (uint8_t)index;
        to[2 * i + 1] = (uint8_t)(index >> 8);
    }
    if (to) {
        munmap(to, d->sizes[INDICES]);
    }
    return to != NULL;
}

static bool find_max_index(struct device_draw *d) {
    const struct qpusim_draw_info *draw = d->draw;
    d->max_index = draw->count ? draw->first + draw->count - 1 : 0;
    if (draw->indices) {
        d->max_index = 0;
        for (unsigned i = 0; i < draw->count; i++) {
            uint32_t index = draw->indices[draw->first + i];
            d->max_index = index > d->max_index ? index : d->max_index;
        }
    }
    return d->max_index <= MOST_INDEX ||
           fail(d, "device: vertex %u; this driver takes 16 bits", d->max_index);
}

static struct surface target_surface(const struct device_draw *d) {
    return (struct surface){SURFACE_T, SURFACE_RGBA8888, d->width, d->height, d->stride};
}

static bool make_target(struct device_draw *d) {
    unsigned rows = (d->height + 31) / 32 * 32;
    d->stride = (d->width + 31) / 32 * 32 * 4;
    if (!make_buffer(d, TARGET, (uint64_t)d->stride * rows)) {
        return false;
    }
    uint8_t *to = d->m->tile ? map_buffer(d, TARGET) : NULL;
    struct surface surface = target_surface(d);
    for (unsigned y = 0; to && y < d->height; y++) {
        for (unsigned x = 0; x < d->width; x++) {
            memcpy(to + surface_offset(&surface, x, y), &d->m->tile[(size_t)y * d->width + x], 4);
        }
    }
    if (to) {
        munmap(to, d->sizes[TARGET]);
    }
    return !d->m->tile || to;
}

/* --- lists ---------------------------------------------------------------------------------------------- */

static void put_word(struct qpusim_list *list, uint32_t word) {
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                              (uint8_t)(word >> 24)};
    qpusim_put_bytes(list, bytes, sizeof bytes);
}

static void put_window(struct device_draw *d) {
    const struct qpusim_draw_info *draw = d->draw;
    unsigned w = draw->viewport_width, h = draw->viewport_height, left = draw->scissor_x,
             bottom = draw->scissor_y;
    unsigned sw = draw->scissor_width, sh = draw->scissor_height;
    if (!w && !h) {
        w = d->width;
        h = d->height;
    }
    if (!sw && !sh) {
        sw = d->width;
        sh = d->height;
    }
    float near = draw->depth_near, far = near == 0 && draw->depth_far == 0 ? 1 : draw->depth_far;
    qpusim_put_clip_window(&d->bin, &(struct qpusim_cl_clip_window){left, bottom, sw, sh});
    qpusim_put_viewport_offset(&d->bin,
                               &(struct qpusim_cl_viewport_offset){draw->viewport_x * 16 + (int)w * 8,
                                                                   draw->viewport_y * 16 + (int)h * 8});
    qpusim_put_clipper_xy_scaling(&d->bin,
                                  &(struct qpusim_cl_clipper_xy_scaling){(float)w * 8, (float)h * 8});
    qpusim_put_clipper_z_scaling(&d->bin,
                                 &(struct qpusim_cl_clipper_z_scaling){(far - near) / 2, (far + near) / 2});
}

static void start_list(struct device_draw *d) {
    const struct qpusim_draw_info *draw = d->draw;
    bool offset = draw->depth_offset_factor != 0 || draw->depth_offset_units != 0;
    qpusim_put_binning_mode(&d->bin,
                            &(struct qpusim_cl_binning_mode){.width = (d->width + TILE - 1) / TILE,
                                                             .height = (d->height + TILE - 1) / TILE});
    qpusim_put_start_tile_binning(&d->bin);
    put_window(d);
    qpusim_put_configuration_bits(
        &d->bin, &(struct qpusim_cl_configuration_bits){
                     .front_facing = draw->cull != QPUSIM_CULL_FRONT && draw->cull != QPUSIM_CULL_BOTH,
                     .reverse_facing = draw->cull != QPUSIM_CULL_BACK && draw->cull != QPUSIM_CULL_BOTH,
                     .clockwise = draw->clockwise_front,
                     .depth_offset = offset,
                     .depth_func = draw->depth_test ? draw->depth_func : QPUSIM_FUNC_ALWAYS,
                     .depth_write = draw->depth_test && draw->depth_write});
    if (offset) {
        qpusim_put_depth_offset(
            &d->bin, &(struct qpusim_cl_depth_offset){draw->depth_offset_factor, draw->depth_offset_units});
    }
    qpusim_put_flat_shade_flags(&d->bin, &(struct qpusim_cl_flat_shade_flags){draw->flat_varyings});
    qpusim_put_point_size(&d->bin,
                          &(struct qpusim_cl_point_size){draw->point_size > 0 ? draw->point_size : 1});
    qpusim_put_line_width(&d->bin,
                          &(struct qpusim_cl_line_width){draw->line_width > 0 ? draw->line_width : 1});
    /* The driver's own record: which buffer the indices are in. */
    const uint8_t handles = HANDLES;
    qpusim_put_bytes(&d->bin, &handles, 1);
    put_word(&d->bin, INDICES);
    put_word(&d->bin, 0);
}

static unsigned selected(const struct qpusim_draw_info *draw, uint8_t mask) {
    unsigned all = (1u << draw->attribute_count) - 1;
    return mask ? mask & all : all;
}

/* Bytes that the selected ones of the first `count` attributes take in the VPM. */
static unsigned vpm_bytes(const struct qpusim_draw_info *draw, unsigned mask, unsigned count) {
    unsigned words = 0;
    for (unsigned a = 0; a < count; a++) {
        words += mask >> a & 1 ? draw->attributes[a].components : 0;
    }
    return 4 * words;
}

static void put_record(struct device_draw *d) {
    const struct qpusim_draw_info *draw = d->draw;
    unsigned vertex = selected(draw, draw->vertex_attributes), count = draw->attribute_count;
    unsigned coordinate = selected(draw, draw->coordinate_attributes);
    for (unsigned s = 0; s < QPUCC_STAGE_COUNT; s++) {
        put_word(&d->records, CODE + s);
    }
    for (unsigned a = 0; a < count; a++) {
        put_word(&d->records, VERTICES);
    }
    qpusim_put_gl_shader_record(
        &d->records, &(struct qpusim_cl_gl_shader_record){
                         .single_threaded = !qpusim_drm_shader_threaded(d->shaders[QPUCC_FRAGMENT]),
                         .point_size = draw->point_size_written,
                         .clipping = true,
                         .varyings = draw->varying_count,
                         .vertex_attributes = vertex,
                         .vertex_size = vpm_bytes(draw, vertex, count) & 255,
                         .coordinate_attributes = coordinate,
                         .coordinate_size = vpm_bytes(draw, coordinate, count) & 255});
    for (unsigned a = 0; a < count; a++) {
        const struct qpusim_attribute *at = &draw->attributes[a];
        qpusim_put_attribute_record(&d->records, &(struct qpusim_cl_attribute_record){
                                                     .address = d->offsets[a],
                                                     .bytes = attribute_bytes(at),
                                                     .stride = at->stride,
                                                     .vertex_offset = vpm_bytes(draw, vertex, a),
                                                     .coordinate_offset = vpm_bytes(draw, coordinate, a)});
    }
    d->record_count++;
}

/* The streams with buffers' offsets instead of addresses. */
static bool put_uniforms(struct device_draw *d) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const struct qpusim_drm_shader *shader = d->shaders[s];
        size_t lookups = qpusim_drm_shader_lookups(shader), start;
        size_t bytes = qpusim_drm_shader_stream_size(shader);
        size_t have = 4 * qpucc_uniforms_size(d->m->program, (enum qpucc_stage)s);
        if (bytes > have) {
            return fail(d, "device: the driver reads %zu bytes of a stream of %zu", bytes, have);
        }
        for (size_t n = 0; n < lookups; n++) {
            put_word(&d->uniforms, MEMORY);
        }
        start = d->uniforms.size;
        for (size_t n = 0; n < bytes / 4; n++) {
            put_word(&d->uniforms, d->m->streams[s][n]);
        }
        for (size_t n = 0; n < lookups && !d->uniforms.no_memory; n++) {
            uint8_t *at = d->uniforms.bytes + start + qpusim_drm_shader_lookup(shader, n);
            uint32_t word;
            memcpy(&word, at, sizeof word); /* streams are in the host's order, as the device's buffers are */
            word -= QPUSIM_MEMORY_BASE;
            memcpy(at, &word, sizeof word);
        }
    }
    return true;
}

bool device_draw_add(struct device_draw *d) {
    const struct qpusim_draw_info *draw = d->draw;
    if (!put_uniforms(d)) {
        return false;
    }
    put_record(d);
    qpusim_put_gl_shader_state(
        &d->bin, &(struct qpusim_cl_gl_shader_state){.attribute_count = draw->attribute_count & 7});
    if (draw->indices) {
        qpusim_put_indexed_primitives(
            &d->bin,
            &(struct qpusim_cl_indexed_primitives){
                .mode = draw->mode, .index_type = 1, .count = draw->count, .max_index = d->max_index});
    } else {
        qpusim_put_array_primitives(&d->bin, &(struct qpusim_cl_array_primitives){.mode = draw->mode,
                                                                                  .count = draw->count,
                                                                                  .first = draw->first});
    }
    return true;
}

/* --- the submit ----------------------------------------------------------------------------------------- */

static bool submit(struct device_draw *d, const uint8_t c[4]) {
    enum { T_LOAD = 0x11, T_RGBA8888_STORE = 0x44 };
    const struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    uint32_t colour = c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
    struct drm_vc4_submit_cl a = {
        .bin_cl = (uintptr_t)d->bin.bytes,
        .shader_rec = (uintptr_t)d->records.bytes,
        .uniforms = (uintptr_t)d->uniforms.bytes,
        .bo_handles = (uintptr_t)d->handles,
        .bin_cl_size = (uint32_t)d->bin.size,
        .shader_rec_size = (uint32_t)d->records.size,
        .shader_rec_count = d->record_count,
        .uniforms_size = (uint32_t)d->uniforms.size,
        .bo_handle_count = BUFFERS,
        .width = (uint16_t)d->width,
        .height = (uint16_t)d->height,
        .max_x_tile = (uint8_t)((d->width - 1) / TILE),
        .max_y_tile = (uint8_t)((d->height - 1) / TILE),
        .color_read = none,
        .color_write = {.hindex = TARGET, .bits = T_RGBA8888_STORE},
        .zs_read = none,
        .zs_write = none,
        .msaa_color_write = none,
        .msaa_zs_write = none,
        .clear_color = {colour, colour},
        .clear_z = 0xffffff,
        .flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR,
    };
    if (d->m->tile) {
        a.color_read = (struct drm_vc4_submit_rcl_surface){.hindex = TARGET, .bits = T_LOAD};
    }
    struct drm_vc4_wait_bo wait = {.handle = d->handles[TARGET], .timeout_ns = UINT64_C(60000000000)};
    return call(d, DRM_IOCTL_VC4_SUBMIT_CL, &a, "SUBMIT_CL") &&
           call(d, DRM_IOCTL_VC4_WAIT_BO, &wait, "WAIT_BO");
}

bool device_draw_finish(struct device_draw *d, const uint8_t clear[4], struct picture *out) {
    qpusim_put_increment_semaphore(&d->bin);
    qpusim_put_flush(&d->bin);
    if (d->bin.no_memory || d->records.no_memory || d->uniforms.no_memory) {
        return fail(d, "out of memory");
    }
    if (!upload_memory(d) || !submit(d, clear)) {
        return false;
    }
    const uint8_t *bytes = map_buffer(d, TARGET);
    struct surface surface = target_surface(d);
    bool fine = bytes && surface_read(out, &surface, bytes, d->sizes[TARGET]);
    if (bytes) {
        munmap((void *)(uintptr_t)bytes, d->sizes[TARGET]);
    }
    return fine || (!bytes ? false : fail(d, "out of memory"));
}

struct device_draw *device_draw_open(const char *path, const struct machine *m,
                                     const struct qpusim_draw_info *draw, unsigned width, unsigned height,
                                     char *error, size_t size) {
    struct device_draw *d = calloc(1, sizeof *d);
    if (!d) {
        snprintf(error, size, "out of memory");
        return NULL;
    }
    *d = (struct device_draw){.fd = open(path, O_RDWR | O_CLOEXEC),
                              .m = m,
                              .draw = draw,
                              .width = width,
                              .height = height,
                              .error = error,
                              .size = size};
    bool fine = d->fd >= 0 || fail(d, "%s: %s", path, strerror(errno));
    fine = fine && find_max_index(d) && upload_code(d) && upload_vertices(d) && upload_indices(d) &&
           make_target(d);
    if (!fine) {
        device_draw_close(d);
        return NULL;
    }
    start_list(d);
    return d;
}

void device_draw_close(struct device_draw *d) {
    if (!d) {
        return;
    }
    if (d->fd >= 0) {
        close(d->fd);
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        qpusim_drm_shader_free(d->shaders[s]);
    }
    qpusim_list_free(&d->bin);
    qpusim_list_free(&d->records);
    qpusim_list_free(&d->uniforms);
    free(d);
}
