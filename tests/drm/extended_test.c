/* Extended records, whose strides have 26 bits, as the Linux driver takes them: sizes, handles, the highest
 * vertex; and a picture drawn with one is that of an ordinary record. */
#include <qpucc/drm.h>
#include <qpucc/lists.h>
#include <qpucc/qpucc.h>

#include <check.h>
#include <drm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vc4_drm.h>

enum {
    SIZE = 64,
    VERTICES = 6,
    FIRST = 0x10000000,
    STEP = 0x1000000,
    DATA = QPUCC_STAGE_COUNT,
    TARGET,
    COUNT
};
enum { ROOM = VERTICES * 5000 };

/* --- a submit ------------------------------------------------------------------------------------------- */

struct job {
    uint8_t list[256], records[256], uniforms[1024], vertices[ROOM];
    uint32_t pixels[SIZE * SIZE];
    struct qpusim_drm_buffer buffers[COUNT];
    struct qpusim_drm_shader *shaders[QPUCC_STAGE_COUNT];
    uint8_t *areas[QPUSIM_DRM_AREAS];
    uint32_t handles[COUNT];
    struct drm_vc4_submit_cl args;
    struct qpusim_drm_lists lists;
    char reason[QPUSIM_DRM_TEXT];
};

static qpucc_program *program;
static struct job job;

static const char vertex[] = "attribute vec2 p; attribute vec4 c; varying vec4 v;\n"
                             "void main() { v = c; gl_Position = vec4(p, 0.0, 1.0); }\n";
static const char fragment[] = "precision mediump float; varying vec4 v; void main() { gl_FragColor = v; }\n";

static void setup(void) {
    struct qpucc_source sources[2] = {{"a.vert", vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, sizeof fragment - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    program = qpucc_compile(sources, 2, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    memset(&job, 0, sizeof job);
    for (uint32_t n = 0; n < COUNT; n++) {
        job.buffers[n] = (struct qpusim_drm_buffer){.address = FIRST + n * STEP};
        job.handles[n] = n;
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count;
        const uint64_t *code = qpucc_program_code(program, (enum qpucc_stage)s, &count);
        job.buffers[s].size = (uint32_t)(8 * count);
        job.buffers[s].shader = job.shaders[s] = qpusim_drm_shader_new(code, 8 * count, job.reason);
        ck_assert_msg(job.shaders[s] != NULL, "%s", job.reason);
    }
    job.buffers[TARGET].size = sizeof job.pixels;
}

static void teardown(void) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        qpusim_drm_shader_free(job.shaders[s]);
    for (int area = 0; area < QPUSIM_DRM_AREAS; area++)
        free(job.areas[area]);
    qpucc_program_free(program);
}

static void put(uint8_t *at, uint32_t word) {
    for (int k = 0; k < 4; k++)
        at[k] = (uint8_t)(word >> 8 * k);
}

/* A triangle that covers half of the picture, then one outside of it. */
static void set_vertices(uint32_t stride) {
    static const float corner[VERTICES][2] = {{-1, -1}, {1, -1}, {-1, 1}, {5, 5}, {6, 5}, {5, 6}};
    ck_assert_uint_le(VERTICES * stride, ROOM);
    for (uint32_t n = 0; n < VERTICES; n++) {
        float v[6] = {corner[n][0], corner[n][1], 1, 0.5f, (float)n / 8, 1};
        memcpy(job.vertices + n * stride, v, sizeof v);
    }
    job.buffers[DATA].size = (VERTICES - 1) * stride + 24;
}

/* Where the program's attributes lie in a vertex. */
static uint32_t offset_of(uint32_t array) {
    uint32_t variable = qpucc_program_layout(program)->attributes[array].variable;
    return strcmp(qpucc_program_variable(program, QPUCC_ATTRIBUTES, variable)->name, "c") ? 0 : 8;
}

/* Returns the record, after its handles. */
static uint8_t *set_record(uint32_t stride, uint32_t *bits) {
    struct qpucc_record_inputs in = {0};
    struct qpucc_record_bytes record;
    for (uint32_t n = 0; n < qpucc_program_layout(program)->attribute_count; n++) {
        in.attribute[n].address = offset_of(n);
        in.attribute[n].stride = stride;
    }
    ck_assert(qpucc_record_fill(program, QPUCC_RECORD_GL, &in, &record));
    uint32_t arrays = record.list_bits & 7 ? record.list_bits & 7 : 8, at = 0;
    for (; at < 3 + arrays; at++)
        put(job.records + 4 * at, at < 3 ? at : DATA);
    memcpy(job.records + 4 * at, record.bytes, record.size);
    job.args.shader_rec_size = 4 * at + (uint32_t)record.size;
    *bits = record.list_bits;
    return job.records + 4 * at;
}

static void set_list(uint32_t bits, uint32_t count) {
    struct qpusim_list list = {0};
    qpusim_put_binning_mode(&list, &(struct qpusim_cl_binning_mode){.width = 1, .height = 1});
    qpusim_put_start_tile_binning(&list);
    qpusim_put_clip_window(&list, &(struct qpusim_cl_clip_window){0, 0, SIZE, SIZE});
    qpusim_put_viewport_offset(&list, &(struct qpusim_cl_viewport_offset){SIZE * 8, SIZE * 8});
    qpusim_put_clipper_xy_scaling(&list, &(struct qpusim_cl_clipper_xy_scaling){SIZE * 8, SIZE * 8});
    qpusim_put_clipper_z_scaling(&list, &(struct qpusim_cl_clipper_z_scaling){0.5f, 0.5f});
    qpusim_put_configuration_bits(&list, &(struct qpusim_cl_configuration_bits){
                                             .front_facing = true, .reverse_facing = true, .depth_func = 7});
    uint8_t state[5] = {QPUSIM_CL_GL_SHADER_STATE};
    put(state + 1, bits);
    qpusim_put_bytes(&list, state, sizeof state);
    qpusim_put_array_primitives(&list, &(struct qpusim_cl_array_primitives){.mode = 4, .count = count});
    qpusim_put_increment_semaphore(&list);
    qpusim_put_flush(&list);
    ck_assert_uint_le(list.size, sizeof job.list);
    memcpy(job.list, list.bytes, list.size);
    job.args.bin_cl_size = (uint32_t)list.size;
    qpusim_list_free(&list);
}

/* All stages' streams, and the submit. */
static void set_rest(void) {
    static const struct qpucc_draw_values none;
    struct qpucc_draw_values values = none;
    size_t at = 0;
    qpucc_draw_state_viewport(&values.state, SIZE, SIZE, 0, 1, SIZE, 0);
    static const enum qpucc_stage order[] = {QPUCC_FRAGMENT, QPUCC_VERTEX, QPUCC_COORDINATE};
    for (int k = 0; k < 3; k++) {
        uint32_t words[64];
        ck_assert_uint_le(qpucc_uniforms_size(program, order[k]), 64);
        ck_assert(qpucc_uniforms_fill(program, order[k], &values, words));
        memcpy(job.uniforms + at, words, 4 * qpucc_uniforms_size(program, order[k]));
        at += 4 * qpucc_uniforms_size(program, order[k]);
    }
    job.args.uniforms_size = (uint32_t)at;
    job.args.shader_rec_count = 1;
    job.args.bo_handle_count = COUNT;
    job.args.bo_handles = (uint64_t)(uintptr_t)job.handles;
    job.args.width = job.args.height = SIZE;
    job.args.color_read.hindex = job.args.zs_read.hindex = job.args.zs_write.hindex = UINT32_MAX;
    job.args.msaa_color_write.hindex = job.args.msaa_zs_write.hindex = UINT32_MAX;
    job.args.color_write = (struct drm_vc4_submit_rcl_surface){.hindex = TARGET, .bits = 1 << 2};
    job.args.flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR;
}

static bool place(void *user, enum qpusim_drm_area area, uint32_t size, struct qpusim_drm_memory *out) {
    (void)user;
    free(job.areas[area]);
    job.areas[area] = calloc(1, size);
    *out = (struct qpusim_drm_memory){FIRST + (COUNT + area) * STEP, size, job.areas[area]};
    return job.areas[area];
}

/* With these bits in the list, and this number of vertices. */
static int prepare(uint32_t bits, uint32_t count) {
    struct qpusim_drm_submit submit = {&job.args, job.list, job.records, job.uniforms, job.buffers};
    set_list(bits, count);
    set_rest();
    job.reason[0] = 0;
    return qpusim_drm_prepare(&submit, place, NULL, &job.lists, job.reason);
}

static void expect_refusal(int status, const char *why) {
    ck_assert_int_lt(status, 0);
    ck_assert_msg(strstr(job.reason, why) != NULL, "'%s' is not in '%s'", why, job.reason);
}

static void draw(uint32_t out[SIZE * SIZE]) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    struct qpusim_error error = {0};
    void *bytes[COUNT] = {[DATA] = job.vertices, [TARGET] = job.pixels};
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count;
        bytes[s] = (void *)(uintptr_t)qpucc_program_code(program, (enum qpucc_stage)s, &count);
    }
    memset(job.pixels, 0, sizeof job.pixels);
    for (int n = 0; n < COUNT; n++)
        ck_assert_int_eq(
            qpusim_memory_add(memory, job.buffers[n].address, job.buffers[n].size, bytes[n], "b"), 0);
    for (int area = 0; area < QPUSIM_DRM_AREAS; area++)
        ck_assert_int_eq(qpusim_memory_add(memory, job.lists.memory[area].address,
                                           job.lists.memory[area].size, job.areas[area], "area"),
                         0);
    struct qpusim_block *block = qpusim_block_new(memory);
    enum qpusim_status status = qpusim_run_lists(block, job.lists.bin_start, job.lists.bin_end,
                                                 job.lists.render_start, job.lists.render_end, NULL, &error);
    ck_assert_msg(status == QPUSIM_OK, "%s", error.text);
    memcpy(out, job.pixels, sizeof job.pixels);
    qpusim_block_free(block);
    qpusim_memory_free(memory);
}

/* --- tests ---------------------------------------------------------------------------------------------- */

START_TEST(pictures_are_the_same) {
    static const uint32_t strides[] = {24, 252, 256, 300, 0x1234 & ~3u};
    static uint32_t pixels[2][SIZE * SIZE];
    unsigned covered = 0;
    for (unsigned k = 0; k < sizeof strides / sizeof *strides; k++) {
        uint32_t bits;
        set_vertices(strides[k]);
        set_record(strides[k], &bits);
        ck_assert_uint_eq(bits >> 3, strides[k] > 255);
        ck_assert_msg(prepare(bits, VERTICES) == 0, "%s", job.reason);
        draw(pixels[k > 0]);
        if (k)
            ck_assert_mem_eq(pixels[0], pixels[1], sizeof pixels[0]);
    }
    for (unsigned n = 0; n < SIZE * SIZE; n++)
        covered += pixels[0][n] != 0;
    ck_assert_uint_gt(covered, SIZE * SIZE / 3);
    ck_assert_uint_lt(covered, SIZE * SIZE * 2 / 3);
}
END_TEST

START_TEST(vertices_stay_in_their_buffer) {
    uint32_t bits;
    set_vertices(300);
    set_record(300, &bits);
    ck_assert_int_eq(prepare(bits, VERTICES), 0);
    expect_refusal(prepare(bits, VERTICES + 1), "vertex 6 is drawn, 5 is the last");
    job.buffers[DATA].size--;
    expect_refusal(prepare(bits, VERTICES), "vertex 5 is drawn, 4 is the last");
    expect_refusal(prepare(bits, 0), "vertex 4294967295 is drawn"); /* so Linux counts no vertices */
}
END_TEST

/* The low byte of a stride is the attribute's, not that of the word at the record's end. */
START_TEST(strides_are_put_together) {
    uint32_t bits;
    set_vertices(300);
    uint8_t *record = set_record(300, &bits);
    ck_assert_uint_eq(record[36 + 5], 300 & 255);
    job.buffers[DATA].size = 5 * 256 + 24;
    expect_refusal(prepare(bits, VERTICES), "vertex 5 is drawn, 4 is the last");
    for (int n = 0; n < 8; n++)
        record[36 + 8 * n + 5] = 0;
    ck_assert_msg(prepare(bits, VERTICES) == 0, "%s", job.reason);
    job.buffers[DATA].size--;
    expect_refusal(prepare(bits, VERTICES), "vertex 5 is drawn, 4 is the last");
}
END_TEST

START_TEST(sizes) {
    uint32_t bits;
    set_vertices(300);
    uint8_t *record = set_record(300, &bits);
    ck_assert_uint_eq(job.args.shader_rec_size, 4 * 11 + 132);
    job.args.shader_rec_size--;
    expect_refusal(prepare(bits, VERTICES), "175 bytes are left of 176");
    /* of fewer arrays the driver takes as many handles and strides; where the strides begin stays */
    memmove(record - 4 * 6, record, 132);
    job.args.shader_rec_size = 4 * 5 + 100 + 4 * 2;
    ck_assert_msg(prepare(8 | 2, VERTICES) == 0, "%s", job.reason);
    job.args.shader_rec_size--;
    expect_refusal(prepare(8 | 2, VERTICES), "127 bytes are left of 128");
    expect_refusal(prepare(16, VERTICES), "shader state 0x10");
}
END_TEST

/* The list ends with an increment of the semaphore and a flush, which are nowhere else. */
START_TEST(ends) {
    uint32_t bits;
    struct qpusim_drm_submit submit = {&job.args, job.list, job.records, job.uniforms, job.buffers};
    static const struct {
        uint8_t bytes[3];
        unsigned count;
        const char *why;
    } cases[] = {
        {{7, 4}, 2, NULL},
        {{5, 7, 4}, 3, NULL}, /* flush of all state */
        {{1, 7, 4}, 3, NULL},
        {{7, 4, 1}, 3, "semaphore"},
        {{7, 1, 4}, 3, "semaphore"},
        {{4, 7, 4}, 3, "flushed"},
        {{7, 5}, 2, "without a flush"},
        {{1, 4}, 2, "without an increment"},
        {{0, 7, 4}, 3, "without an increment"}, /* what is behind a halt is not there */
    };
    set_vertices(24);
    set_record(24, &bits);
    ck_assert_int_eq(prepare(bits, VERTICES), 0);
    uint32_t end = job.args.bin_cl_size - 2;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        memcpy(job.list + end, cases[k].bytes, cases[k].count);
        job.args.bin_cl_size = end + cases[k].count;
        int status = qpusim_drm_prepare(&submit, place, NULL, &job.lists, job.reason);
        if (cases[k].why)
            expect_refusal(status, cases[k].why);
        else
            ck_assert_msg(status == 0, "case %zu: %s", k, job.reason);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("extended records");
    TCase *tests = tcase_create("extended records");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, pictures_are_the_same);
    tcase_add_test(tests, vertices_stay_in_their_buffer);
    tcase_add_test(tests, strides_are_put_together);
    tcase_add_test(tests, sizes);
    tcase_add_test(tests, ends);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
