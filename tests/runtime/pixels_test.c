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
    frame_open(f, SIDE, SIDE, 0);
    frame_vertex_uniforms(frame_at(f, FRAME_UNIFORMS, 24), SIDE, SIDE);
    frame_begin_bin(f, FRAME_TILE_BYTES, 1);
    frame_use_shader(f, fs, 0, sizes, sizeof(struct vertex), words, count);
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
    put_vertex(&f, 3, 4 * SIDE * 16, 64 * 16, 0.5f, 300); /* beside the view, and does not reach into it */
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

/* --- alpha mask and coverage ---------------------------------------------------------------------------- */

/* A rendering list for frames with an alpha mask or coverage, which also stores the mask. */
enum { MASK = 0x13000000 };

static void finish_with(struct frame *f, bool alpha, bool coverage) {
    frame_end_bin(f);
    qpusim_put_rendering_mode(&f->render, &(struct qpusim_cl_rendering_mode){.address = FRAME_PIXELS,
                                                                             .width = SIDE,
                                                                             .height = SIDE,
                                                                             .pixel = 1,
                                                                             .vg_mask = alpha,
                                                                             .coverage = coverage});
    qpusim_put_clear_colors(&f->render, &(struct qpusim_cl_clear_colors){.vg_mask = 0x11});
    qpusim_put_tile_coordinates(&f->render, &(struct qpusim_cl_tile_coordinates){0, 0});
    qpusim_put_store_general(&f->render, &(struct qpusim_cl_store_general){0});
    for (unsigned tile = 0; tile < 4; tile++) {
        const struct qpusim_cl_tile_coordinates at = {tile % 2, tile / 2};
        qpusim_put_tile_coordinates(&f->render, &at);
        if (!tile)
            qpusim_put_wait_on_semaphore(&f->render);
        qpusim_put_branch_to_sub_list(&f->render,
                                      &(struct qpusim_cl_branch_to_sub_list){FRAME_TILES + 32 * tile});
        if (alpha) {
            qpusim_put_store_general(&f->render, &(struct qpusim_cl_store_general){.buffer = 4,
                                                                                   .address = MASK,
                                                                                   .no_color_clear = true,
                                                                                   .no_zs_clear = true,
                                                                                   .no_vg_mask_clear = true});
            qpusim_put_tile_coordinates(&f->render, &at);
        }
        if (tile < 3)
            qpusim_put_store_resolved(&f->render);
        else
            qpusim_put_store_resolved_last(&f->render);
    }
}

static uint32_t pixel(struct frame *f, unsigned x, unsigned y) {
    uint32_t *p = frame_at(f, FRAME_PIXELS, SIDE * SIDE * 4);
    return p[y * SIDE + x];
}

/* Each draw shows the mask and adds one to it; a frame without it stops the shader. */
START_TEST(alpha_mask) {
    static const char *const fs = "nop\nnop\nnop; nop; loadam\nadd tlbam, r4, 1\nmov tlbc, r4\nnop\n"
                                  "nop; nop; thrend\nnop\nnop; nop; sbdone\n";
    for (unsigned with = 0; with < 2; with++) {
        struct frame f;
        begin(&f, fs, false, NULL, 0);
        ck_assert_int_eq(qpusim_memory_add(f.memory, MASK, SIDE * SIDE, NULL, "mask"), QPUSIM_OK);
        put_square(&f, 0.5f, 0.5f);
        draw(&f, QPUSIM_TRIANGLE_STRIP, 4);
        draw(&f, QPUSIM_TRIANGLE_STRIP, 3); /* the lower left half */
        finish_with(&f, with, false);
        if (!with) {
            ck_assert_int_eq(frame_run(&f), QPUSIM_STRICT);
            ck_assert_str_eq(f.error.rule, "coverage-load");
            frame_close(&f);
            continue;
        }
        frame_run_well(&f);
        const uint8_t *mask = frame_at(&f, MASK, SIDE * SIDE);
        ck_assert_uint_eq(pixel(&f, 1, 1), 0x12);
        ck_assert_uint_eq(pixel(&f, SIDE - 2, SIDE - 2), 0x11);
        ck_assert_uint_eq(mask[SIDE + 1], 0x13);
        ck_assert_uint_eq(mask[SIDE * SIDE - 1], 0x12);
        frame_close(&f);
    }
}
END_TEST

struct pipe {
    unsigned oversample, update, draws;
    bool reverse; /* the second draw faces the other way */
    bool bits, leave;
    uint32_t inside, edge, again; /* what reads deliver in the primitive, at its edge, and once more inside */
};

static void set_pipe(struct frame *f, const struct pipe *p, bool pipe) {
    qpusim_put_configuration_bits(&f->bin,
                                  &(struct qpusim_cl_configuration_bits){.front_facing = true,
                                                                         .reverse_facing = true,
                                                                         .depth_func = QPUSIM_FUNC_ALWAYS,
                                                                         .coverage_pipe = pipe,
                                                                         .oversample = p->oversample,
                                                                         .coverage_update = p->update,
                                                                         .coverage_read = p->bits,
                                                                         .coverage_leave = p->leave});
}

/* The left part of the picture goes through the coverage pipe, a quarter of a pixel beyond column 10; then a
 * shader shows the coverage of all pixels, and another time that of the left half. */
START_TEST(coverage) {
    static const char *const fs = "nop\nnop\nnop; nop; loadcv\nmov tlbc, r4\nnop\n"
                                  "nop; nop; thrend\nnop\nnop; nop; sbdone\n";
    static const struct pipe pipes[] = {
        {2, 2, 1, false, false, true, 0xffffffff, 0x40404040, 0xffffffff}, /* 4 of 16 samples */
        {2, 2, 1, false, false, false, 0xffffffff, 0x40404040, 0},         /* cleared by the first read */
        {2, 2, 1, false, true, true, 0xffff, 0x4844, 0xffff},              /* as bits */
        {1, 2, 1, false, false, true, 0xffffffff, 0x40404040, 0xffffffff}, /* 1 of 4 */
        {0, 2, 1, false, false, true, 0xffffffff, 0, 0xffffffff},          /* the centre is not covered */
        {2, 1, 2, false, false, true, 0, 0, 0},                            /* odd: covered twice */
        {2, 1, 3, false, false, true, 0xffffffff, 0x40404040, 0xffffffff},
        {2, 0, 2, false, false, true, 0xffffffff, 0x40404040, 0xffffffff}, /* nonzero: round it twice */
        {2, 0, 2, true, false, true, 0, 0, 0},                             /* and back */
        {2, 3, 1, false, false, true, 0, 0, 0},                            /* zero */
    };
    for (unsigned i = 0; i < sizeof pipes / sizeof *pipes; i++) {
        const struct pipe *p = &pipes[i];
        struct frame f;
        begin(&f, fs, false, NULL, 0);
        put_square(&f, 0.5f, 0.5f);
        for (unsigned n = 0; n < 2; n++) { /* a square to column 10, and the same turned over */
            put_vertex(&f, 4 + 4 * n, n ? 10 * 16 + 4 : 0, 0, 0.5f, 0);
            put_vertex(&f, 5 + 4 * n, n ? 0 : 10 * 16 + 4, 0, 0.5f, 0);
            put_vertex(&f, 6 + 4 * n, n ? 10 * 16 + 4 : 0, SIDE * 16, 0.5f, 0);
            put_vertex(&f, 7 + 4 * n, n ? 0 : 10 * 16 + 4, SIDE * 16, 0.5f, 0);
        }
        set_pipe(&f, p, true);
        for (unsigned n = 0; n < p->draws; n++)
            qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){
                                                    QPUSIM_TRIANGLE_STRIP, 4, p->reverse && n ? 8 : 4});
        set_pipe(&f, p, false);
        draw(&f, QPUSIM_TRIANGLE_STRIP, 4);
        draw(&f, QPUSIM_TRIANGLE_STRIP, 3);
        finish_with(&f, false, true);
        frame_run_well(&f);
        ck_assert_msg(pixel(&f, 5, SIDE - 1) == p->inside, "case %u: %08x", i,
                      (unsigned)pixel(&f, 5, SIDE - 1));
        ck_assert_msg(pixel(&f, 10, SIDE - 1) == p->edge, "case %u: %08x", i,
                      (unsigned)pixel(&f, 10, SIDE - 1));
        ck_assert_msg(pixel(&f, 5, 5) == p->again, "case %u: %08x", i, (unsigned)pixel(&f, 5, 5));
        ck_assert_uint_eq(pixel(&f, 11, 5), 0);
        frame_close(&f);
    }
}
END_TEST

/* --- the model of time ---------------------------------------------------------------------------------- */

enum { TEXELS = 64, TEXTURE_LINES = TEXELS * TEXELS * 4 / 64 };

/* A square with a texture of as many texels as it has pixels. */
static void textured(struct frame *f) {
    static const char *const fs =
        "nop\nnop\nitof r0, x_coord\nitof r1, y_coord\nfadd r0, r0, 0.5\nfadd r1, r1, 0.5\n"
        "fmul r0, r0, unif\nfmul r1, r1, unif\nmov t0t, r1\nmov t0s, r0\n"
        "nop; nop; ldtmu0\nmov tlbc, r4\nnop\nnop; nop; thrend\nnop\nnop; nop; sbdone\n";
    static uint32_t texels[TEXELS * TEXELS];
    const uint32_t step = bits_of(1.0f / TEXELS);
    for (unsigned i = 0; i < TEXELS * TEXELS; i++)
        texels[i] = i;
    begin(f, fs, false, NULL, 0);
    struct qpusim_memory *own = qpusim_memory_new(1 << 20);
    const struct qpusim_image image = {texels, TEXELS, TEXELS};
    const struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .mag = QPUSIM_MAG_NEAREST, .min = QPUSIM_MIN_NEAREST};
    struct qpusim_texture t;
    ck_assert_int_eq(qpusim_upload_texture(own, &info, &t), QPUSIM_OK);
    ck_assert_int_eq(qpusim_memory_add(f->memory, t.address, TEXELS * TEXELS * 4, NULL, "texture"),
                     QPUSIM_OK);
    memcpy(frame_at(f, t.address, sizeof texels), qpusim_memory_map(own, t.address, sizeof texels),
           sizeof texels);
    qpusim_memory_free(own);
    const uint32_t words[4] = {step, step, t.p0, t.p1};
    memcpy(frame_at(f, FRAME_UNIFORMS + 64, sizeof words), words, sizeof words);
    put_vertex(f, 0, 0, 0, 0.5f, 0);
    put_vertex(f, 1, TEXELS * 16, 0, 0.5f, 0);
    put_vertex(f, 2, 0, TEXELS * 16, 0.5f, 0);
    put_vertex(f, 3, TEXELS * 16, TEXELS * 16, 0.5f, 0);
    draw(f, QPUSIM_TRIANGLE_STRIP, 4);
}

/* Every line of the texture comes from memory once, and to each slice at most a few times; the counters of a
 * block without a report say what a report says. */
START_TEST(caches) {
    static const enum qpusim_count sources[] = {
        QPUSIM_COUNT_IDLE,         QPUSIM_COUNT_SCOREBOARD_STALLS,  QPUSIM_COUNT_L2_HITS,
        QPUSIM_COUNT_L2_MISSES,    QPUSIM_COUNT_TEXTURE_MISSES,     QPUSIM_COUNT_INSTRUCTION_HITS,
        QPUSIM_COUNT_UNIFORM_HITS, QPUSIM_COUNT_INSTRUCTION_MISSES, QPUSIM_COUNT_UNIFORM_MISSES};
    enum { SOURCES = sizeof sources / sizeof *sources };
    uint64_t reported[SOURCES];
    for (unsigned own = 0; own < 2; own++) {
        struct frame f;
        textured(&f);
        f.options.timing = own ? NULL : qpusim_timing_new();
        for (unsigned n = 0; own && n < SOURCES; n++)
            qpusim_block_write(f.block, QPUSIM_PCTRS0 + 8 * n, sources[n], NULL, NULL);
        qpusim_block_write(f.block, QPUSIM_PCTRE, own ? (1u << SOURCES) - 1 : 0, NULL, NULL);
        finish(&f);
        ck_assert_uint_eq(pixel(&f, 5, 7), 7 * TEXELS + 5);
        for (unsigned n = 0; n < SOURCES; n++) {
            if (own)
                ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_PCTR0 + 8 * n), reported[n]);
            reported[n] = count(&f, sources[n]);
        }
        if (own) {
            frame_close(&f);
            continue;
        }
        const struct qpusim_time_report r = qpusim_timing_report(f.options.timing);
        /* both triangles read the lines along the diagonal */
        ck_assert_uint_ge(r.texel_misses, TEXTURE_LINES);
        ck_assert_uint_lt(r.texel_misses, 3 * TEXTURE_LINES);
        ck_assert_uint_gt(r.texel_hits, 0);
        ck_assert_uint_ge(r.level2_misses, TEXTURE_LINES);
        ck_assert_uint_lt(r.level2_misses, TEXTURE_LINES + 32);
        ck_assert_uint_eq(r.level2_hits + r.level2_misses,
                          r.texel_misses + r.instruction_misses + r.uniform_misses);
        ck_assert_uint_ge(r.memory_bytes, 64 * r.level2_misses);
        ck_assert_uint_eq(r.memory_bytes - 64 * r.level2_misses, r.tile_buffer / 256 * 16384);
        qpusim_timing_free(f.options.timing);
        frame_close(&f);
    }
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
    tcase_add_test(tc, alpha_mask);
    tcase_add_test(tc, coverage);
    tcase_add_test(tc, caches);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
