/* Frames of control lists whose pixels and counts are known: points and lines, the planes of Z, counters of
 * quads. */
#include "machine_test.h"

#include "frame.h"

enum { SIDE = 128, WHITE = 0x01010101, MAX_VERTICES = 16 };

struct vertex {
    float position[4], size, varying[2];
};

/* Tests Z, writes one colour. Lines and points have words of their own before the varyings. */
static const char *const plain_fs = "nop\nnop\nmov tlbz, rb15\nmov tlbc, unif\nnop\nnop; nop; thrend\nnop\n"
                                    "nop; nop; sbdone\n";
static const char *const line_fs =
    "nop\nnop; mov r0, vary\nmov tlbz, rb15\nmov tlbc, unif\nnop\nnop; nop; thrend\nnop\n"
    "nop; nop; sbdone\n";
static const char *const point_fs =
    "nop\nnop; mov r0, vary\nnop; mov r0, vary\nmov tlbz, rb15\nmov tlbc, unif\nnop\n"
    "nop; nop; thrend\nnop\nnop; nop; sbdone\n";
/* Stencil test, too: one word for both sides. */
static const char *const stencil_fs = "nop\nnop\nmov stencil, unif\nmov tlbz, rb15\nmov tlbc, unif\nnop\n"
                                      "nop; nop; thrend\nnop\nnop; nop; sbdone\n";

/* A frame with one shader, up to its primitives. `words` are the fragment shader's uniforms. */
static void begin(struct frame *f, const char *fs, bool sizes, const uint32_t *words, unsigned count) {
    struct qpusim_list l = {0};
    frame_open(f, SIDE, SIDE, 0);
    frame_vertex_uniforms(frame_at(f, FRAME_UNIFORMS, 24), SIDE, SIDE);
    memcpy(frame_at(f, FRAME_UNIFORMS + 64, 4 * count), words, 4 * count);
    unsigned size = 16 + 4 * sizes;
    const struct qpusim_cl_gl_shader_record record = {.single_threaded = true,
                                                      .point_size = sizes,
                                                      .clipping = true,
                                                      .fragment_code = frame_program(f, fs),
                                                      .fragment_uniforms = FRAME_UNIFORMS + 64,
                                                      .vertex_attributes = 1,
                                                      .vertex_size = size,
                                                      .vertex_code = frame_vertex_program(f, 0, sizes, false),
                                                      .vertex_uniforms = FRAME_UNIFORMS,
                                                      .coordinate_attributes = 1,
                                                      .coordinate_size = size,
                                                      .coordinate_code =
                                                          frame_vertex_program(f, 0, sizes, true),
                                                      .coordinate_uniforms = FRAME_UNIFORMS};
    qpusim_put_gl_shader_record(&l, &record);
    qpusim_put_attribute_record(
        &l, &(struct qpusim_cl_attribute_record){FRAME_VERTICES, size, sizeof(struct vertex), 0, 0});
    memcpy(frame_at(f, FRAME_RECORD, l.size), l.bytes, l.size);
    qpusim_list_free(&l);
    frame_begin_bin(f, FRAME_TILE_BYTES, 1);
    qpusim_put_gl_shader_state(
        &f->bin, &(struct qpusim_cl_gl_shader_state){.attribute_count = 1, .address = FRAME_RECORD});
}

/* Vertex n of the frame: pixels from the lower left corner in sixteenths, depth 0 to 1. */
static void put_vertex(struct frame *f, unsigned n, int x, int y, float z, float size) {
    struct vertex *v = frame_at(f, FRAME_VERTICES, MAX_VERTICES * sizeof *v);
    v[n] =
        (struct vertex){{(float)x / (8 * SIDE) - 1, (float)y / (8 * SIDE) - 1, 2 * z - 1, 1}, size, {0, 0}};
}

static void draw(struct frame *f, enum qpusim_mode mode, unsigned count) {
    qpusim_put_array_primitives(&f->bin, &(struct qpusim_cl_array_primitives){mode, count, 0});
}

static void finish(struct frame *f) {
    frame_end_bin(f);
    frame_write_render(f, 0);
    frame_run_well(f);
    ck_assert_uint_eq(f->counters.position_mismatches, 0);
}

/* The picture's rows from `y` on are as drawn with '#' and '.', row by row. */
static void check_rows(struct frame *f, unsigned x, unsigned y, unsigned rows, const char *const *expected) {
    const uint32_t *p = frame_at(f, FRAME_PIXELS, SIDE * SIDE * 4);
    unsigned drawn = 0, wanted = 0;
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned c = 0; expected[r][c]; c++) {
            uint32_t got = p[(y + r) * SIDE + x + c];
            ck_assert_msg(got == (expected[r][c] == '#' ? WHITE : 0), "pixel %u %u is %08x", x + c, y + r,
                          (unsigned)got);
            wanted += expected[r][c] == '#';
        }
    }
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        drawn += p[i] != 0;
    ck_assert_uint_eq(drawn, wanted);
}

static const uint32_t white[1] = {WHITE};

/* Squares of pixels whose centres lie in them, across a tile's corner, of the state's and their own size. */
START_TEST(points) {
    static const char *const of_state[] = {"...", ".#.", "..."};
    static const char *const own[] = {
        "####....", "####....", "####....", "####....", ".....##.", ".....##.", "........",
    };
    struct frame f;
    begin(&f, point_fs, false, white, 1);
    qpusim_put_point_size(&f.bin, &(struct qpusim_cl_point_size){1});
    put_vertex(&f, 0, 64 * 16 + 8, 64 * 16 + 8, 0.5f, 0);
    draw(&f, QPUSIM_POINTS, 1);
    finish(&f);
    check_rows(&f, 63, 63, 3, of_state);
    frame_close(&f);
    begin(&f, point_fs, true, white, 1);
    put_vertex(&f, 0, 64 * 16, 64 * 16, 0.5f, 4);         /* two pixels to each side */
    put_vertex(&f, 1, 68 * 16, 67 * 16 + 1, 0.5f, 2);     /* a sixteenth more changes nothing */
    put_vertex(&f, 2, 20 * 16, 20 * 16, 0.5f, 0.9375f);   /* touches no centre */
    put_vertex(&f, 3, 2 * SIDE * 16, 64 * 16, 0.5f, 300); /* its centre is outside the view volume */
    draw(&f, QPUSIM_POINTS, 4);
    finish(&f);
    check_rows(&f, 62, 62, 7, own);
    frame_close(&f);
}
END_TEST

/* GL's rule for lines without antialiasing: along the longer axis a pixel for each column, `width` of them
 * along the other. Lines between centres have the one with the smaller coordinate, whichever end it is, so
 * the far corner of a loop has no pixel. */
START_TEST(lines) {
    static const char *const wide[] = {"........", ".######.", ".######.", ".######.", "........"};
    static const char *const steep[] = {"....", ".#..", ".#..", "..#.", "..#.", "...."};
    static const char *const loop[] = {"......", ".####.", ".#..#.", ".#..#.", ".###..", "......"};
    struct frame f;
    begin(&f, line_fs, false, white, 1);
    qpusim_put_line_width(&f.bin, &(struct qpusim_cl_line_width){3});
    put_vertex(&f, 0, 61 * 16, 64 * 16 + 8, 0.5f, 0);
    put_vertex(&f, 1, 67 * 16, 64 * 16 + 8, 0.5f, 0);
    draw(&f, QPUSIM_LINES, 2);
    finish(&f);
    check_rows(&f, 60, 62, 5, wide);
    frame_close(&f);
    begin(&f, line_fs, false, white, 1);
    qpusim_put_line_width(&f.bin, &(struct qpusim_cl_line_width){1});
    put_vertex(&f, 0, 11 * 16 + 4, 11 * 16, 0.5f, 0);
    put_vertex(&f, 1, 12 * 16 + 12, 15 * 16, 0.5f, 0);
    draw(&f, QPUSIM_LINES, 2);
    finish(&f);
    check_rows(&f, 10, 10, 6, steep);
    frame_close(&f);
    begin(&f, line_fs, false, white, 1);
    qpusim_put_line_width(&f.bin, &(struct qpusim_cl_line_width){1});
    static const uint8_t corners[4][2] = {{0, 0}, {3, 0}, {3, 3}, {0, 3}};
    for (unsigned i = 0; i < 4; i++)
        put_vertex(&f, i, (11 + corners[i][0]) * 16 + 8, (11 + corners[i][1]) * 16 + 8, 0.5f, 0);
    draw(&f, QPUSIM_LINE_LOOP, 4);
    finish(&f);
    check_rows(&f, 10, 10, 6, loop);
    frame_close(&f);
}
END_TEST

/* A square that fills the picture, its depth growing from left to right. */
static void put_square(struct frame *f, float left, float right) {
    put_vertex(f, 0, 0, 0, left, 0);
    put_vertex(f, 1, SIDE * 16, 0, right, 0);
    put_vertex(f, 2, 0, SIDE * 16, left, 0);
    put_vertex(f, 3, SIDE * 16, SIDE * 16, right, 0);
}

/* Pixels with a Z beyond the planes of record 104 are left out, whatever the depth test says. */
START_TEST(planes_of_z) {
    struct frame f;
    begin(&f, plain_fs, false, white, 1);
    put_square(&f, 0, 1);
    qpusim_put_z_clip_planes(&f.bin, &(struct qpusim_cl_z_clip_planes){0.25f, 0.75f});
    draw(&f, QPUSIM_TRIANGLE_STRIP, 4);
    finish(&f);
    const uint32_t *p = frame_at(&f, FRAME_PIXELS, SIDE * SIDE * 4);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        ck_assert_uint_eq(p[i], i % SIDE >= SIDE / 4 && i % SIDE < SIDE * 3 / 4 ? WHITE : 0);
    frame_close(&f);
}
END_TEST

static uint64_t count(const struct frame *f, enum qpusim_count source) {
    return qpusim_block_count(f->block, source);
}

static void set_depth(struct frame *f, enum qpusim_func func, bool write, bool early) {
    qpusim_put_configuration_bits(&f->bin,
                                  &(struct qpusim_cl_configuration_bits){.front_facing = true,
                                                                         .reverse_facing = true,
                                                                         .depth_func = (unsigned)func,
                                                                         .depth_write = write,
                                                                         .early_z = early,
                                                                         .early_z_updates = early});
}

/* Each quad of the picture once for each draw; the diagonal goes through quads of both triangles. */
START_TEST(counts_of_quads) {
    enum { QUADS = SIDE * SIDE / 4, DIAGONAL = SIDE / 2 };
    const uint32_t never[2] = {3u << 30 | QPUSIM_FUNC_NEVER << 16, WHITE};
    struct frame f;
    begin(&f, plain_fs, false, white, 1);
    put_square(&f, 0.5f, 0.5f);
    set_depth(&f, QPUSIM_FUNC_LESS, true, false);
    qpusim_put_z_clip_planes(&f.bin, &(struct qpusim_cl_z_clip_planes){0, 1});
    draw(&f, QPUSIM_TRIANGLE_STRIP, 4); /* passes */
    draw(&f, QPUSIM_TRIANGLE_STRIP, 4); /* fails */
    qpusim_put_z_clip_planes(&f.bin, &(struct qpusim_cl_z_clip_planes){0.6f, 1});
    draw(&f, QPUSIM_TRIANGLE_STRIP, 4); /* clipped */
    finish(&f);
    uint64_t each = QUADS + DIAGONAL;
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS), 3 * each);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_CLIPPED), each);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_COVERED), 2 * each);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_UNCOVERED), 0);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_PASSING), each);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_FAILING_Z), each);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_FAILING_STENCIL), 0);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_WRITTEN), each);
    frame_close(&f);
    /* early Z: the second draw is not shaded */
    begin(&f, plain_fs, false, white, 1);
    put_square(&f, 0.5f, 0.5f);
    set_depth(&f, QPUSIM_FUNC_LESS, true, true);
    draw(&f, QPUSIM_TRIANGLE_STRIP, 4);
    draw(&f, QPUSIM_TRIANGLE_STRIP, 4);
    finish(&f);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS), 2 * each);
    ck_assert_uint_gt(count(&f, QPUSIM_COUNT_QUADS_CLIPPED), QUADS - DIAGONAL);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_COVERED) + count(&f, QPUSIM_COUNT_QUADS_CLIPPED),
                      2 * each);
    frame_close(&f);
    begin(&f, stencil_fs, false, never, 2);
    put_square(&f, 0.5f, 0.5f);
    draw(&f, QPUSIM_TRIANGLE_STRIP, 4);
    finish(&f);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_FAILING_STENCIL), each);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_PASSING), 0);
    ck_assert_uint_eq(count(&f, QPUSIM_COUNT_QUADS_WRITTEN), 0);
    frame_close(&f);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pixels");
    TCase *tc = tcase_create("pixels");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, points);
    tcase_add_test(tc, lines);
    tcase_add_test(tc, planes_of_z);
    tcase_add_test(tc, counts_of_quads);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
