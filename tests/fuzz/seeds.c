/* Seeds for the targets that read bytes, made from shaders: SPIR-V, code, containers, frames, calls of a
 * driver.
 *
 *     fuzz_seeds FOLDER SHADER.frag... */
#include <drm.h>
#include <drm_mode.h>
#include <qpucc/lists.h>
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <vc4_drm.h>

static int save(const char *folder, const char *target, int number, const void *first, size_t first_size,
                const void *bytes, size_t size) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s/seed%d", folder, target, number);
    FILE *file = fopen(path, "wb");
    if (!file)
        return perror(path), 1;
    fwrite(first, 1, first_size, file);
    fwrite(bytes, 1, size, file);
    return fclose(file) != 0;
}

/* A fragment, a vertex and a coordinate shader. */
static const char *const texts[3] = {"nop; fmul r0, vary, ra15\nfadd r0, r0, r5\nmov tlbz, rb15\nmov "
                                     "tlbc, r0\nnop; nop; thrend\nnop\nnop; nop; sbdone\n",
                                     "movi vr_setup, 0x401a00\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov "
                                     "ra1, vpm\nmov r0, ra0\nmov r1, vpm\nmov r2, vpm\n"
                                     "fmul r0, r0, unif\nftoi ra4.16a, r0\nfmul r1, ra1, unif\nftoi "
                                     "ra4.16b, r1\nnop\nmov vpm, ra4\nmov vpm, 0.5\n"
                                     "mov vpm, 1.0\nmov vpm, 1.0\nnop; nop; thrend\nnop\nnop\n",
                                     "movi vr_setup, 0x401a00\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov "
                                     "ra1, vpm\nmov r2, vpm\nmov r3, vpm\n"
                                     "mov vpm, ra0\nmov vpm, ra1\nmov vpm, r2\nmov vpm, r3\n"
                                     "fmul r0, ra0, unif\nftoi ra4.16a, r0\nfmul r1, ra1, unif\nftoi "
                                     "ra4.16b, r1\nnop\nmov vpm, ra4\nmov vpm, 0.5\n"
                                     "mov vpm, 1.0\nnop; nop; thrend\nnop\nnop\n"};

/* Frames and draws by number: the modes of primitives, then a texture of each data type. */
enum { TEXTURED = 7, TYPES = 17 };

/* A fragment shader that looks one texture up. */
static const char textured[] = "nop; fmul r0, vary, ra15\nfadd r0, r0, r5\nmov t0t, r0\nmov t0s, r0\n"
                               "nop; nop; ldtmu0\nmov tlbz, rb15\nmov tlbc, r4\nnop; nop; thrend\nnop\n"
                               "nop; nop; sbdone\n";

/* The parameters of a texture of 16x16 texels, by its data type: filters and wrap modes follow from that. */
static uint32_t texture_p0(unsigned type) {
    return (type & 15) << 4;
}

static uint32_t texture_p1(unsigned type) {
    return (uint32_t)(type >> 4) << 31 | 16u << 20 | 16u << 8 | (type & 1) << 7 | (type % 6) << 4 |
           (type & 15);
}

/* A frame of one tile: what fuzz_lists reads, with the binning list at `BIN` and the rest behind it. */
static int save_frame(const char *folder, unsigned number) {
    const bool texture = number >= TEXTURED;
    const unsigned mode = texture ? 4 : number, type = texture ? number - TEXTURED : 0;
    enum {
        BASE = 0x1000,
        BIN = 16,
        RENDER = 256,
        RECORD = 512,
        FLOATS = 640,
        PARAMETERS = 720,
        CODE = 1024,
        TEXELS = 0x1000,
        TILES = 0x1800,
        STATE = 0x1fc0
    };
    static uint8_t image[0x2000];
    uint32_t code[3], at = CODE;
    char error[200];
    memset(image, 0, sizeof image);
    for (unsigned i = 0; i < 3; i++) {
        size_t count;
        const char *text = i == 0 && texture ? textured : texts[i];
        uint64_t *words = qpucc_assemble(text, strlen(text), &count, error, sizeof error);
        if (!words)
            return fprintf(stderr, "%s\n", error), 1;
        memcpy(image + at, words, 8 * count);
        code[i] = BASE + at;
        at += (uint32_t)(8 * count);
        free(words);
    }
    const float floats[18] = {512, 512, -1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1, 0.5f, -4, 2, 1};
    memcpy(image + FLOATS, floats, sizeof floats);
    const uint32_t parameters[2] = {texture_p0(type) | (BASE + TEXELS), texture_p1(type)};
    memcpy(image + PARAMETERS, parameters, sizeof parameters);
    for (unsigned i = TEXELS; i < TILES; i++)
        image[i] = (uint8_t)(37 * i);
    struct qpusim_list l = {0};
    qpusim_put_binning_mode(&l, &(struct qpusim_cl_binning_mode){.allocation = BASE + TILES,
                                                                 .allocation_size = 1024,
                                                                 .tile_state = BASE + STATE,
                                                                 .width = 1,
                                                                 .height = 1,
                                                                 .initialise = true});
    qpusim_put_start_tile_binning(&l);
    qpusim_put_clip_window(&l, &(struct qpusim_cl_clip_window){.width = 64, .height = 64});
    qpusim_put_configuration_bits(&l, &(struct qpusim_cl_configuration_bits){
                                          .front_facing = true, .reverse_facing = true, .depth_func = 7});
    qpusim_put_viewport_offset(&l, &(struct qpusim_cl_viewport_offset){512, 512});
    qpusim_put_clipper_xy_scaling(&l, &(struct qpusim_cl_clipper_xy_scaling){512, 512});
    qpusim_put_gl_shader_state(
        &l, &(struct qpusim_cl_gl_shader_state){.attribute_count = 1, .address = BASE + RECORD});
    qpusim_put_array_primitives(&l, &(struct qpusim_cl_array_primitives){mode, 4, 0});
    qpusim_put_increment_semaphore(&l);
    qpusim_put_flush(&l);
    const uint16_t bin_end = (uint16_t)(BIN + l.size);
    memcpy(image + BIN, l.bytes, l.size);
    l.size = 0;
    qpusim_put_rendering_mode(
        &l, &(struct qpusim_cl_rendering_mode){.address = 0x10000, .width = 64, .height = 64, .pixel = 1});
    qpusim_put_clear_colors(&l, &(struct qpusim_cl_clear_colors){.color = 5, .color_high = 5, .z = 0xffffff});
    qpusim_put_load_general(&l, &(struct qpusim_cl_load_general){.buffer = 1, .address = 0x10000});
    qpusim_put_tile_coordinates(&l, &(struct qpusim_cl_tile_coordinates){0, 0});
    qpusim_put_wait_on_semaphore(&l);
    qpusim_put_branch_to_sub_list(&l, &(struct qpusim_cl_branch_to_sub_list){BASE + TILES});
    qpusim_put_store_full(&l, &(struct qpusim_cl_store_full){.no_clear = true, .address = 0x14000});
    qpusim_put_store_resolved_last(&l);
    const uint16_t ends[4] = {BIN, bin_end, RENDER, (uint16_t)(RENDER + l.size)};
    memcpy(image + RENDER, l.bytes, l.size);
    memcpy(image, ends, sizeof ends);
    l.size = 0;
    qpusim_put_gl_shader_record(&l,
                                &(struct qpusim_cl_gl_shader_record){.single_threaded = true,
                                                                     .clipping = true,
                                                                     .varyings = 1,
                                                                     .fragment_code = code[0],
                                                                     .fragment_uniforms = BASE + PARAMETERS,
                                                                     .vertex_attributes = 1,
                                                                     .vertex_size = 16,
                                                                     .vertex_code = code[1],
                                                                     .vertex_uniforms = BASE + FLOATS,
                                                                     .coordinate_attributes = 1,
                                                                     .coordinate_size = 16,
                                                                     .coordinate_code = code[2],
                                                                     .coordinate_uniforms = BASE + FLOATS});
    qpusim_put_attribute_record(&l, &(struct qpusim_cl_attribute_record){BASE + FLOATS + 8, 16, 16, 0, 0});
    memcpy(image + RECORD, l.bytes, l.size);
    qpusim_list_free(&l);
    return save(folder, "lists", (int)number, "", 0, image, sizeof image);
}

/* --- calls of the vc4 device ---------------------------------------------------------------------------- */

struct calls {
    uint8_t bytes[0x1000]; /* the calls, and from DATA on what their pointers refer to */
    size_t at, data;
};

enum { DATA = 0x600, INPUT_BASE = 0x1000 };

static uint64_t put_data(struct calls *c, const void *bytes, size_t size) {
    uint64_t address = INPUT_BASE + c->data;
    memcpy(c->bytes + c->data, bytes, size);
    c->data += (size + 7) & ~(size_t)7;
    return address;
}

static void put_call(struct calls *c, unsigned long request, const void *structure) {
    c->bytes[c->at++] = (uint8_t)_IOC_NR(request);
    c->bytes[c->at++] = (uint8_t)_IOC_SIZE(request);
    memcpy(c->bytes + c->at, structure, _IOC_SIZE(request));
    c->at += _IOC_SIZE(request);
}

/* What the display takes: a dumb buffer as frame buffer, by the old calls. */
static void put_display(struct calls *c) {
    const uint32_t crtc = 0x40, connector = 0x41;
    put_call(c, DRM_IOCTL_MODE_CREATE_DUMB,
             &(struct drm_mode_create_dumb){.width = 64, .height = 48, .bpp = 32});
    put_call(c, DRM_IOCTL_MODE_ADDFB2,
             &(struct drm_mode_fb_cmd2){
                 .width = 64, .height = 48, .pixel_format = 0x34325258, .handles = {1}, .pitches = {256}});
    put_call(c, DRM_IOCTL_MODE_SETCRTC,
             &(struct drm_mode_crtc){.set_connectors_ptr = put_data(c, &connector, sizeof connector),
                                     .count_connectors = 1,
                                     .crtc_id = crtc,
                                     .fb_id = 0x101,
                                     .mode_valid = 1,
                                     .mode = {.hdisplay = 64, .vdisplay = 48}});
    put_call(c, DRM_IOCTL_MODE_PAGE_FLIP,
             &(struct drm_mode_crtc_page_flip){.crtc_id = crtc, .fb_id = 0x101, .flags = 1});
    put_call(c, DRM_IOCTL_SYNCOBJ_CREATE, &(struct drm_syncobj_create){0});
    put_call(c, DRM_IOCTL_PRIME_HANDLE_TO_FD, &(struct drm_prime_handle){.handle = 1});
    put_call(c, DRM_IOCTL_PRIME_FD_TO_HANDLE, &(struct drm_prime_handle){.fd = 0});
}

/* The same by an atomic request: the objects and properties by the numbers that the device gives them. */
static void put_atomic(struct calls *c) {
    enum { CRTC = 0x40, CONNECTOR, PLANE = 0x43, FB_ID = 0x52, CRTC_ID, CRTC_W = 0x56, CRTC_H, SRC_W = 0x5a };
    enum { SRC_H = SRC_W + 1, ACTIVE = 0x5d, MODE_ID, OUT_FENCE_PTR };
    const struct drm_mode_modeinfo mode = {.hdisplay = 64, .vdisplay = 48};
    const uint32_t objects[] = {CONNECTOR, CRTC, PLANE}, counts[] = {1, 3, 6},
                   ids[] = {CRTC_ID, ACTIVE, MODE_ID, OUT_FENCE_PTR, FB_ID,
                            CRTC_ID, CRTC_W, CRTC_H,  SRC_W,         SRC_H};
    const uint64_t values[] = {CRTC, 1, 0x10001, INPUT_BASE, 0x101, CRTC, 64, 48, 64 << 16, 48 << 16};
    put_call(c, DRM_IOCTL_SET_CLIENT_CAP, &(struct drm_set_client_cap){DRM_CLIENT_CAP_ATOMIC, 1});
    put_call(c, DRM_IOCTL_MODE_CREATEPROPBLOB,
             &(struct drm_mode_create_blob){.data = put_data(c, &mode, sizeof mode), .length = sizeof mode});
    put_display(c);
    put_call(c, DRM_IOCTL_MODE_ATOMIC,
             &(struct drm_mode_atomic){.flags = DRM_MODE_ATOMIC_ALLOW_MODESET | DRM_MODE_PAGE_FLIP_EVENT,
                                       .count_objs = 3,
                                       .objs_ptr = put_data(c, objects, sizeof objects),
                                       .count_props_ptr = put_data(c, counts, sizeof counts),
                                       .props_ptr = put_data(c, ids, sizeof ids),
                                       .prop_values_ptr = put_data(c, values, sizeof values)});
    put_call(c, DRM_IOCTL_MODE_OBJ_GETPROPERTIES,
             &(struct drm_mode_obj_get_properties){
                 .props_ptr = INPUT_BASE, .prop_values_ptr = INPUT_BASE, .count_props = 20, .obj_id = PLANE});
}

/* A draw: shaders and records as in save_frame, without addresses. */
static int put_draw(struct calls *c, unsigned number) {
    const bool texture = number >= TEXTURED;
    const unsigned mode = texture ? 4 : number, type = texture ? number - TEXTURED : 0;
    static const float floats[] = {-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1, 0.5f, -4, 2, 1},
                       scale[4] = {512, 512, 512, 512};
    /* The texture is the buffer of the vertices. */
    const struct {
        uint32_t handle, p0, p1;
        float scale[4];
    } uniforms = {3, texture_p0(type), texture_p1(type), {512, 512, 512, 512}};
    const uint32_t handles[] = {1, 2, 3, 4, 5}, hindices[] = {0, 1, 2, 3};
    for (unsigned i = 0; i < 3; i++) {
        size_t count;
        char error[200];
        const char *text = i == 0 && texture ? textured : texts[i];
        uint64_t *words = qpucc_assemble(text, strlen(text), &count, error, sizeof error);
        if (!words)
            return fprintf(stderr, "%s\n", error), 1;
        put_call(c, DRM_IOCTL_VC4_CREATE_SHADER_BO,
                 &(struct drm_vc4_create_shader_bo){.size = (uint32_t)(8 * count),
                                                    .data = put_data(c, words, 8 * count)});
        free(words);
    }
    struct {
        uint64_t offset;
        float floats[sizeof floats / sizeof *floats];
    } vertices = {.offset = UINT64_C(4) << 32};
    memcpy(vertices.floats, floats, sizeof floats);
    put_call(c, DRM_IOCTL_VC4_CREATE_BO, &(struct drm_vc4_create_bo){.size = sizeof floats});
    put_call(c, _IOC(0, 0, 0xfe, sizeof vertices), &vertices); /* calls.c: a write into the mapping */
    put_call(c, DRM_IOCTL_VC4_CREATE_BO, &(struct drm_vc4_create_bo){.size = 64 * 64 * 4});
    struct qpusim_list l = {0}, r = {0};
    qpusim_put_binning_mode(&l, &(struct qpusim_cl_binning_mode){.width = 1, .height = 1});
    qpusim_put_start_tile_binning(&l);
    qpusim_put_clip_window(&l, &(struct qpusim_cl_clip_window){.width = 64, .height = 64});
    qpusim_put_configuration_bits(&l, &(struct qpusim_cl_configuration_bits){
                                          .front_facing = true, .reverse_facing = true, .depth_func = 7});
    qpusim_put_viewport_offset(&l, &(struct qpusim_cl_viewport_offset){512, 512});
    qpusim_put_clipper_xy_scaling(&l, &(struct qpusim_cl_clipper_xy_scaling){512, 512});
    qpusim_put_gl_shader_state(&l, &(struct qpusim_cl_gl_shader_state){.attribute_count = 1});
    qpusim_put_array_primitives(&l, &(struct qpusim_cl_array_primitives){mode, 4, 0});
    qpusim_put_increment_semaphore(&l);
    qpusim_put_flush(&l);
    qpusim_put_gl_shader_record(&r, &(struct qpusim_cl_gl_shader_record){.single_threaded = true,
                                                                         .clipping = true,
                                                                         .varyings = 1,
                                                                         .vertex_attributes = 1,
                                                                         .vertex_size = 16,
                                                                         .coordinate_attributes = 1,
                                                                         .coordinate_size = 16});
    qpusim_put_attribute_record(&r, &(struct qpusim_cl_attribute_record){0, 16, 16, 0, 0});
    uint64_t records = put_data(c, hindices, sizeof hindices);
    put_data(c, r.bytes, r.size);
    struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    put_call(c, DRM_IOCTL_VC4_SUBMIT_CL,
             &(struct drm_vc4_submit_cl){.bin_cl = put_data(c, l.bytes, l.size),
                                         .bin_cl_size = (uint32_t)l.size,
                                         .shader_rec = records,
                                         .shader_rec_size = (uint32_t)(sizeof hindices + r.size),
                                         .shader_rec_count = 1,
                                         .uniforms = texture ? put_data(c, &uniforms, sizeof uniforms)
                                                             : put_data(c, scale, sizeof scale),
                                         .uniforms_size = texture ? sizeof uniforms : sizeof scale,
                                         .bo_handles = put_data(c, handles, sizeof handles),
                                         .bo_handle_count = 5,
                                         .width = 64,
                                         .height = 64,
                                         .color_read = none,
                                         .color_write = {.hindex = 4, .bits = 0x44},
                                         .zs_read = none,
                                         .zs_write = none,
                                         .msaa_color_write = none,
                                         .msaa_zs_write = none,
                                         .flags = 1});
    qpusim_list_free(&l);
    qpusim_list_free(&r);
    return 0;
}

static int save_calls(const char *folder, unsigned number) {
    struct calls c = {.data = DATA};
    if (number == 0)
        put_display(&c);
    else if (number == 1)
        put_atomic(&c);
    else if (put_draw(&c, number - 2))
        return 1;
    return save(folder, "calls", (int)number, "", 0, c.bytes, c.data);
}

int main(int argc, char **argv) {
    static char text[1 << 16], container[1 << 20];
    int wrong = 0;
    for (int i = 2; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file)
            return perror(argv[i]), 1;
        size_t size = fread(text, 1, sizeof text, file), words = 0, count = 0;
        fclose(file);
        struct qpucc_source source = {argv[i], text, size, QPUCC_FRAGMENT, QPUCC_GLSL};
        qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
        const uint32_t *spirv = qpucc_program_spirv(program, QPUCC_FRAGMENT, &words);
        const uint64_t *code = qpucc_program_code(program, QPUCC_FRAGMENT, &count);
        if (!code)
            return fprintf(stderr, "%s does not compile\n", argv[i]), 1;
        wrong |= save(argv[1], "glsl", i, "\x20", 1, text, size);
        wrong |= save(argv[1], "spirv", i, "\x20", 1, spirv, words * 4);
        wrong |= save(argv[1], "code", i, "", 0, code, count * 8);
        wrong |= save(argv[1], "explain", i * 3 + 2, "", 0, code, count * 8);
        for (unsigned part = 0; part < 2; part++) {
            size_t bytes = qpucc_program_save(program, part, container, sizeof container);
            wrong |= save(argv[1], "program", i * 2 + (int)part, "", 0, container, bytes);
            wrong |= save(argv[1], "explain", i * 3 + (int)part, "", 0, container, bytes);
            wrong |= save(argv[1], "cache", i * 2 + (int)part, part ? "\1" : "", 1, container, bytes);
        }
        qpucc_program_free(program);
    }
    for (unsigned number = 0; number < TEXTURED + TYPES; number++) {
        wrong |= save_frame(argv[1], number);
        wrong |= save_calls(argv[1], number + 2);
    }
    for (unsigned number = 0; number < 2; number++)
        wrong |= save_calls(argv[1], number);
    return wrong;
}
