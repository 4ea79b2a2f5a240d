/* The block: control lists executed, tile lists as the binner leaves them, registers. */
#include "machine_test.h"

#include "frame.h"

enum {
    SIDE = 256, /* pixels: 4 by 4 tiles */
    MORE = 0x12000000,
};

static void set_up(struct frame *f) {
    frame_open(f, SIDE, SIDE, 0);
}

/* Position and two varyings from vertices of six floats; the fragment shader shows the varyings as colour. */
static const char *const color_fs =
    "nop; fmul r0, vary, ra15\nfadd r0, r0, r5; fmul r1, vary, ra15\n"
    "fadd r1, r1, r5; mov r2.8a, r0\nnop; mov r2.8b, r1\nnop; mov r2.8c, r1\n"
    "nop; mov r2.8d, 1.0\nmov tlbc, r2\nnop; nop; thrend\nnop\nnop; nop; sbdone\n";

static void put_shader_record(struct frame *f) {
    char text[4096];
    struct qpusim_list l = {0};
    const float scale[4] = {SIDE * 8, SIDE * 8, 0.5f, 0.5f};
    memcpy(frame_at(f, FRAME_UNIFORMS, sizeof scale), scale, sizeof scale);
    uint32_t fs = frame_program(f, color_fs),
             vs = frame_program(f, vertex_shader(2, false, false, text, sizeof text)),
             cs = frame_program(f, vertex_shader(2, true, false, text, sizeof text));
    qpusim_put_gl_shader_record(&l,
                                &(struct qpusim_cl_gl_shader_record){.single_threaded = true,
                                                                     .clipping = true,
                                                                     .varyings = 2,
                                                                     .fragment_code = fs,
                                                                     .vertex_attributes = 3,
                                                                     .vertex_size = 24,
                                                                     .vertex_code = vs,
                                                                     .vertex_uniforms = FRAME_UNIFORMS,
                                                                     .coordinate_attributes = 1,
                                                                     .coordinate_size = 16,
                                                                     .coordinate_code = cs,
                                                                     .coordinate_uniforms = FRAME_UNIFORMS});
    qpusim_put_attribute_record(&l, &(struct qpusim_cl_attribute_record){FRAME_VERTICES, 16, 24, 0, 0});
    qpusim_put_attribute_record(&l, &(struct qpusim_cl_attribute_record){FRAME_VERTICES + 16, 8, 24, 16, 0});
    memcpy(frame_at(f, FRAME_RECORD, l.size), l.bytes, l.size);
    qpusim_list_free(&l);
}

static void use_shader(struct frame *f) {
    qpusim_put_gl_shader_state(
        &f->bin, &(struct qpusim_cl_gl_shader_state){.attribute_count = 2, .address = FRAME_RECORD});
}

static uint32_t seed;

static uint32_t any(void) {
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

static float anywhere(float range) {
    return ((float)(any() % 2001) / 1000 - 1) * range;
}

/* The same vertices through qpusim_draw. */
static struct qpusim_target *draw_directly(struct frame *f, enum qpusim_mode mode, unsigned count,
                                           uint32_t clear) {
    char text[4096];
    const float scale[4] = {SIDE * 8, SIDE * 8, 0.5f, 0.5f};
    uint32_t words[4];
    memcpy(words, scale, sizeof words);
    struct qpusim_program *fs = assemble(color_fs, QPUSIM_FRAGMENT, false),
                          *vs = assemble(vertex_shader(2, false, false, text, sizeof text), QPUSIM_VERTEX,
                                         false),
                          *cs = assemble(vertex_shader(2, true, false, text, sizeof text), QPUSIM_COORDINATE,
                                         false);
    const char *data = frame_at(f, FRAME_VERTICES, 24 * count);
    const struct qpusim_attribute attributes[2] = {{.data = data, .components = 4, .stride = 24},
                                                   {.data = data + 16, .components = 2, .stride = 24}};
    struct qpusim_draw_info d = {.fragment = {fs, {NULL, 0, 0}},
                                 .vertex = {vs, {words, 4, 0}},
                                 .coordinate = {cs, {words, 4, 0}},
                                 .attributes = attributes,
                                 .attribute_count = 2,
                                 .coordinate_attributes = 1,
                                 .varying_count = 2,
                                 .mode = mode,
                                 .count = count,
                                 .point_size = 3,
                                 .line_width = 2};
    struct qpusim_target *target = qpusim_target_new(SIDE, SIDE);
    qpusim_target_clear(target, clear, 1, 0);
    struct qpusim_error e;
    ck_assert_msg(qpusim_draw(target, &d, NULL, &e) == QPUSIM_OK, "%s", e.text);
    qpusim_program_free(fs);
    qpusim_program_free(vs);
    qpusim_program_free(cs);
    return target;
}

/* Random triangles and lines, some of them clipped, in lists as a driver would write them. A small block
 * makes tile lists go over many of them. Points have two more varyings, and are drawn in other tests. */
START_TEST(frames) {
    static const enum qpusim_mode modes[] = {QPUSIM_TRIANGLES, QPUSIM_TRIANGLE_STRIP, QPUSIM_TRIANGLE_FAN};
    struct frame f;
    set_up(&f);
    put_shader_record(&f);
    seed = 5;
    for (unsigned round = 0; round < 24; round++) {
        enum { COUNT = 90 };
        float *v = frame_at(&f, FRAME_VERTICES, COUNT * 24);
        uint16_t *index = frame_at(&f, FRAME_INDICES, COUNT * 2);
        float range = round % 3 ? 1 : 4;
        for (unsigned i = 0; i < COUNT; i++) {
            for (unsigned k = 0; k < 3; k++)
                v[6 * i + k] = anywhere(range);
            v[6 * i + 3] = round % 2 ? 1 : 0.2f + (float)(any() % 100) / 50;
            v[6 * i + 4] = (float)(any() % 256) / 255;
            v[6 * i + 5] = (float)(any() % 256) / 255;
            index[i] = (uint16_t)i;
        }
        uint32_t clear = any() | any() << 20;
        frame_begin_bin(&f, FRAME_TILE_BYTES, round % 4);
        use_shader(&f);
        if (round & 1)
            qpusim_put_array_primitives(&f.bin,
                                        &(struct qpusim_cl_array_primitives){modes[round % 3], COUNT, 0});
        else
            qpusim_put_indexed_primitives(&f.bin, &(struct qpusim_cl_indexed_primitives){
                                                      modes[round % 3], 1, COUNT, FRAME_INDICES, COUNT - 1});
        frame_end_bin(&f);
        frame_write_render(&f, clear);
        f.options.threads = round % 5;
        frame_run_well(&f);
        ck_assert_uint_eq(f.counters.position_mismatches, 0);
        struct qpusim_target *expected = draw_directly(&f, modes[round % 3], COUNT, clear);
        const uint32_t *want = qpusim_target_pixels(expected),
                       *got = frame_at(&f, FRAME_PIXELS, SIDE * SIDE * 4);
        unsigned drawn = 0;
        for (unsigned i = 0; i < SIDE * SIDE; i++) {
            ck_assert_msg(got[i] == want[i], "round %u: pixel %u %u is %08x instead of %08x", round, i % SIDE,
                          i / SIDE, got[i], want[i]);
            drawn += got[i] != clear;
        }
        ck_assert_uint_gt(drawn, SIDE);
        qpusim_target_free(expected);
    }
    frame_close(&f);
}
END_TEST

static void put_triangle(struct frame *f, float x, float y, float size) {
    const float v[3][6] = {{x, y, 0, 1, 1, 0}, {x + size, y, 0, 1, 1, 0}, {x, y + size, 0, 1, 1, 0}};
    memcpy(frame_at(f, FRAME_VERTICES, sizeof v), v, sizeof v);
}

static unsigned count_pixels(struct frame *f, uint32_t other_than) {
    const uint32_t *p = frame_at(f, FRAME_PIXELS, SIDE * SIDE * 4);
    unsigned n = 0;
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        n += p[i] != other_than;
    return n;
}

/* What the binner writes for one triangle in one tile, record by record; the other lists only return. */
START_TEST(tile_lists) {
    struct frame f;
    set_up(&f);
    put_shader_record(&f);
    put_triangle(&f, -0.9f, -0.9f, 0.2f);
    frame_begin_bin(&f, FRAME_TILE_BYTES, 0);
    use_shader(&f);
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3, 0});
    frame_end_bin(&f);
    frame_run_well(&f);
    static const enum qpusim_code expected[] = {QPUSIM_CL_PRIMITIVE_LIST_FORMAT,
                                                QPUSIM_CL_GL_SHADER_STATE,
                                                QPUSIM_CL_CONFIGURATION_BITS,
                                                QPUSIM_CL_FLAT_SHADE_FLAGS,
                                                QPUSIM_CL_POINT_SIZE,
                                                QPUSIM_CL_LINE_WIDTH,
                                                QPUSIM_CL_BRANCH,
                                                QPUSIM_CL_CLIP_WINDOW,
                                                QPUSIM_CL_VIEWPORT_OFFSET,
                                                QPUSIM_CL_BRANCH,
                                                QPUSIM_CL_COMPRESSED_PRIMITIVES};
    uint32_t address = FRAME_TILES;
    struct qpusim_record r = {0};
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        unsigned size = qpusim_read_record(frame_at(&f, address, 16), 16, &r);
        ck_assert_msg(size && r.code == expected[i], "record %u is %s", i, qpusim_code_name(r.code));
        address = r.code == QPUSIM_CL_BRANCH ? r.u.branch.address : address + size;
        ck_assert_uint_eq(address >= FRAME_TILES && address < FRAME_TILES + FRAME_TILE_BYTES, 1);
    }
    static const uint8_t list[] = {0x1f, 0x08, 0, 0, 128, 18}; /* 0, +1, +2; escape; return */
    ck_assert_mem_eq(frame_at(&f, address, sizeof list), list, sizeof list);
    for (unsigned tile = 1; tile < 16; tile++)
        ck_assert_uint_eq(*(uint8_t *)frame_at(&f, FRAME_TILES + 32 * tile, 1), QPUSIM_CL_RETURN);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_BFC), 1);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_CT0LC), 1u << 16);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_BPCA) + qpusim_block_read(f.block, QPUSIM_BPCS),
                      FRAME_TILES + FRAME_TILE_BYTES);
    /* the increment has arrived at the other thread */
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_CT1CS) >> 12 & 7, 1);
    frame_close(&f);
}
END_TEST

/* Only primitives that a tile has bring state into its list, and each state once. */
START_TEST(state_changes) {
    struct frame f;
    set_up(&f);
    put_shader_record(&f);
    put_triangle(&f, -0.9f, -0.9f, 0.2f);
    frame_begin_bin(&f, FRAME_TILE_BYTES, 3);
    use_shader(&f);
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3, 0});
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3, 0});
    qpusim_put_line_width(&f.bin, &(struct qpusim_cl_line_width){3});
    qpusim_put_line_width(&f.bin, &(struct qpusim_cl_line_width){4});
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3, 0});
    qpusim_put_line_width(&f.bin, &(struct qpusim_cl_line_width){5});
    frame_end_bin(&f);
    frame_run_well(&f);
    unsigned widths = 0, shaders = 0, lists = 0;
    uint32_t address = FRAME_TILES;
    struct qpusim_primitive_coder coder = {.primitive = 2, .data = 1};
    for (struct qpusim_record r = {0}; r.code != QPUSIM_CL_RETURN;) {
        address += qpusim_read_record(frame_at(&f, address, 16), 16, &r);
        widths += r.code == QPUSIM_CL_LINE_WIDTH;
        shaders += r.code == QPUSIM_CL_GL_SHADER_STATE;
        if (r.code == QPUSIM_CL_BRANCH)
            address = r.u.branch.address;
        if (r.code != QPUSIM_CL_COMPRESSED_PRIMITIVES)
            continue;
        uint32_t index[3];
        int32_t branch;
        unsigned used;
        coder.started = false;
        lists++;
        for (;;) {
            enum qpusim_primitive_item item =
                qpusim_read_primitive(&coder, frame_at(&f, address, 16), 16, index, &branch, &used);
            ck_assert_int_ne(item, QPUSIM_ITEM_BAD);
            address = item == QPUSIM_ITEM_BRANCH ? (address & ~31u) + (uint32_t)branch : address + used;
            if (item == QPUSIM_ITEM_END)
                break;
        }
    }
    ck_assert_uint_eq(shaders, 1);
    ck_assert_uint_eq(widths, 2);
    ck_assert_uint_eq(lists, 2);
    frame_close(&f);
}
END_TEST

/* Binning that does not initialise the tile state data array goes on with the lists that are there. */
START_TEST(lists_go_on) {
    struct frame f;
    set_up(&f);
    put_shader_record(&f);
    const float v[6][6] = {{-0.9f, -0.9f, 0, 1, 1, 0}, {-0.7f, -0.9f, 0, 1, 1, 0},
                           {-0.9f, -0.7f, 0, 1, 1, 0}, {-0.7f, -0.7f, 0, 1, 1, 0},
                           {-0.1f, -0.7f, 0, 1, 1, 0}, {-0.7f, -0.1f, 0, 1, 1, 0}};
    memcpy(frame_at(&f, FRAME_VERTICES, sizeof v), v, sizeof v);
    for (unsigned pass = 0; pass < 2; pass++) {
        frame_begin_bin(&f, FRAME_TILE_BYTES / 2, 3);
        use_shader(&f);
        qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3, 3 * pass});
        frame_end_bin(&f);
        if (pass) { /* memory of its own, and the old lists */
            const uint32_t allocation = FRAME_TILES + FRAME_TILE_BYTES / 2;
            memcpy(f.bin.bytes + 1, &allocation, 4);
            f.bin.bytes[15] &= (uint8_t)~4u;
        }
        frame_run_well(&f);
        const uint32_t *state = frame_at(&f, FRAME_STATE, 48 * 16);
        for (unsigned tile = 0; tile < 16; tile++) {
            bool drawn = tile == 0 || (pass && (tile == 1 || tile == 4 || tile == 5));
            ck_assert_uint_eq(state[12 * tile + 2], drawn ? 0x12 : 0); /* triangles of 16-bit indices */
            ck_assert_uint_eq(*(uint8_t *)frame_at(&f, state[12 * tile], 1), QPUSIM_CL_RETURN);
            ck_assert_uint_lt(state[12 * tile], state[12 * tile + 1]);
        }
    }
    struct qpusim_list bin = f.bin;
    f.bin = (struct qpusim_list){0};
    frame_write_render(&f, 0);
    frame_run_well(&f);
    const uint32_t *p = frame_at(&f, FRAME_PIXELS, SIDE * SIDE * 4);
    ck_assert_uint_ne(p[16 * SIDE + 16], 0);
    ck_assert_uint_ne(p[42 * SIDE + 42], 0);
    ck_assert_uint_ne(p[42 * SIDE + 100], 0);
    ck_assert_uint_eq(p[30 * SIDE + 60], 0);
    /* what is no list */
    *(uint32_t *)frame_at(&f, FRAME_STATE, 4) = 0x1234;
    f.bin = bin;
    f.render.size = 0;
    ck_assert_int_eq(frame_run(&f), QPUSIM_BAD_LIST);
    ck_assert_str_eq(f.error.rule, "tile-state");
    frame_close(&f);
}
END_TEST

static bool give_memory(void *user, struct qpusim_block *block) {
    unsigned *calls = user;
    if (++*calls > 40)
        return false;
    qpusim_block_write(block, QPUSIM_BPOA, MORE + 256 * *calls, NULL, NULL);
    qpusim_block_write(block, QPUSIM_BPOS, 256, NULL, NULL);
    return true;
}

START_TEST(overflow) {
    struct frame f;
    unsigned calls = 0;
    set_up(&f);
    put_shader_record(&f);
    float *v = frame_at(&f, FRAME_VERTICES, 600 * 24);
    seed = 3;
    for (unsigned i = 0; i < 600; i++) {
        const float vertex[6] = {anywhere(1), anywhere(1), 0, 1, 1, 0};
        memcpy(v + 6 * i, vertex, sizeof vertex);
    }
    ck_assert_int_eq(qpusim_memory_add(f.memory, MORE, 1 << 16, NULL, "overspill"), QPUSIM_OK);
    frame_begin_bin(&f, 16 * 32 + 64, 1);
    use_shader(&f);
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 30, 0});
    frame_end_bin(&f);
    frame_write_render(&f, 0);
    /* nobody gives any */
    ck_assert_int_eq(frame_run(&f), QPUSIM_BAD_LIST);
    ck_assert_str_eq(f.error.rule, "binner-memory");
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_INTCTL) & 4, 4);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_PCS) >> 8 & 1, 1);
    /* in registers beforehand */
    qpusim_block_write(f.block, QPUSIM_BPOA, MORE, NULL, NULL);
    qpusim_block_write(f.block, QPUSIM_BPOS, 1 << 16, NULL, NULL);
    frame_run_well(&f);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_BPOS), 0);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_INTCTL) & 8, 8);
    struct qpusim_target *expected = draw_directly(&f, QPUSIM_TRIANGLES, 30, 0);
    ck_assert_mem_eq(frame_at(&f, FRAME_PIXELS, SIDE * SIDE * 4), qpusim_target_pixels(expected),
                     SIDE * SIDE * 4);
    /* piece by piece */
    memset(frame_at(&f, FRAME_PIXELS, SIDE * SIDE * 4), 1, SIDE * SIDE * 4);
    qpusim_block_on_overflow(f.block, give_memory, &calls);
    frame_run_well(&f);
    ck_assert_uint_gt(calls, 2);
    ck_assert_mem_eq(frame_at(&f, FRAME_PIXELS, SIDE * SIDE * 4), qpusim_target_pixels(expected),
                     SIDE * SIDE * 4);
    qpusim_target_free(expected);
    /* and no more of it */
    calls = 39;
    frame_begin_bin(&f, 16 * 32 + 64, 1);
    use_shader(&f);
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 600, 0});
    frame_end_bin(&f);
    ck_assert_int_eq(frame_run(&f), QPUSIM_BAD_LIST);
    frame_close(&f);
}
END_TEST

/* Vertices that are shaded already, with and without what clipping needs; no vertex shader runs. */
START_TEST(shaded_vertices) {
    for (unsigned header = 0; header < 2; header++) {
        struct frame f;
        set_up(&f);
        uint32_t fs = frame_program(&f, color_fs);
        struct qpusim_list l = {0};
        qpusim_put_nv_shader_record(&l, &(struct qpusim_cl_nv_shader_record){.single_threaded = true,
                                                                             .clipping = true,
                                                                             .clip_header = header,
                                                                             .stride = header ? 36 : 20,
                                                                             .varyings = 2,
                                                                             .fragment_code = fs,
                                                                             .vertices = FRAME_VERTICES});
        memcpy(frame_at(&f, FRAME_RECORD, l.size), l.bytes, l.size);
        qpusim_list_free(&l);
        const float corner[3][2] = {{-0.5f, -0.5f}, {0.5f, -0.5f}, {-0.5f, 0.5f}};
        for (unsigned i = 0; i < 3; i++) {
            uint8_t *p = frame_at(&f, FRAME_VERTICES + i * (header ? 36 : 20), 36);
            const float clip[4] = {corner[i][0], corner[i][1], 0, 1}, rest[4] = {0.5f, 1, 1, 0};
            const int16_t xy[2] = {(int16_t)(corner[i][0] * SIDE * 8), (int16_t)(corner[i][1] * SIDE * 8)};
            if (header)
                memcpy(p, clip, 16);
            memcpy(p + 16 * header, xy, 4);
            memcpy(p + 16 * header + 4, rest, 16);
        }
        frame_begin_bin(&f, FRAME_TILE_BYTES, 2);
        qpusim_put_nv_shader_state(&f.bin, &(struct qpusim_cl_nv_shader_state){FRAME_RECORD});
        qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3, 0});
        frame_end_bin(&f);
        frame_write_render(&f, 0);
        frame_run_well(&f);
        ck_assert_uint_eq(count_pixels(&f, 0), 128 * 127 / 2);
        ck_assert_uint_eq(*(uint32_t *)frame_at(&f, FRAME_PIXELS + 4 * (64 * SIDE + 64), 4), 0xff0000ff);
        ck_assert_uint_eq(
            f.counters.stage_batches[QPUSIM_VERTEX] + f.counters.stage_batches[QPUSIM_COORDINATE], 0);
        frame_close(&f);
    }
}
END_TEST

/* Indices beyond 16 bits go into lists of 24-bit indices. */
START_TEST(wide_indices) {
    struct frame f;
    set_up(&f);
    put_shader_record(&f);
    const float v[3][6] = {{-1, -1, 0, 1, 1, 0}, {3, -1, 0, 1, 1, 0}, {-1, 3, 0, 1, 1, 0}};
    memcpy(frame_at(&f, FRAME_VERTICES + 100000 * 24, sizeof v), v, sizeof v);
    frame_begin_bin(&f, FRAME_TILE_BYTES, 2);
    use_shader(&f);
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3, 100000});
    frame_end_bin(&f);
    frame_write_render(&f, 0);
    frame_run_well(&f);
    ck_assert_uint_eq(count_pixels(&f, 0), SIDE * SIDE);
    frame_close(&f);
}
END_TEST

/* Lists that call lists, one after another and nested; the rendering list is in pieces. */
START_TEST(sub_lists) {
    struct frame f;
    set_up(&f);
    put_shader_record(&f);
    put_triangle(&f, -1, -1, 4);
    struct qpusim_list inner = {0}, outer = {0};
    qpusim_put_array_primitives(&inner, &(struct qpusim_cl_array_primitives){4, 3, 0});
    qpusim_put_return_from_sub_list(&inner);
    qpusim_put_gl_shader_state(
        &outer, &(struct qpusim_cl_gl_shader_state){.attribute_count = 2, .address = FRAME_RECORD});
    qpusim_put_branch_to_sub_list(&outer, &(struct qpusim_cl_branch_to_sub_list){FRAME_INDICES});
    qpusim_put_return_from_sub_list(&outer);
    memcpy(frame_at(&f, FRAME_INDICES, inner.size), inner.bytes, inner.size);
    memcpy(frame_at(&f, FRAME_INDICES + 256, outer.size), outer.bytes, outer.size);
    frame_begin_bin(&f, FRAME_TILE_BYTES, 2);
    qpusim_put_branch_to_sub_list(&f.bin, &(struct qpusim_cl_branch_to_sub_list){FRAME_INDICES + 256});
    frame_end_bin(&f);
    frame_write_render(&f, 0);
    frame_run_well(&f);
    ck_assert_uint_eq(count_pixels(&f, 0), SIDE * SIDE);
    /* three levels are one too many */
    outer.size = 0;
    qpusim_put_branch_to_sub_list(&outer, &(struct qpusim_cl_branch_to_sub_list){FRAME_INDICES + 256});
    memcpy(frame_at(&f, FRAME_INDICES + 256, outer.size), outer.bytes, outer.size);
    ck_assert_int_eq(frame_run(&f), QPUSIM_BAD_LIST);
    ck_assert_str_eq(f.error.rule, "nesting");
    qpusim_list_free(&inner);
    qpusim_list_free(&outer);
    frame_close(&f);
}
END_TEST

/* Each broken list is refused by name, with the record's address. */
START_TEST(errors) {
    static const struct {
        const char *rule;
        enum qpusim_status status;
        unsigned kind;
    } cases[] = {
        {"code", QPUSIM_BAD_LIST, 0},         {"vg", QPUSIM_BAD_LIST, 1},
        {"where", QPUSIM_BAD_LIST, 2},        {"where", QPUSIM_BAD_LIST, 3},
        {"address", QPUSIM_BAD_ADDRESS, 4},   {"start", QPUSIM_BAD_LIST, 5},
        {"shader-state", QPUSIM_BAD_LIST, 6}, {"address", QPUSIM_BAD_ADDRESS, 7},
        {"address", QPUSIM_BAD_ADDRESS, 8},   {"index", QPUSIM_BAD_LIST, 9},
        {"semaphore", QPUSIM_BAD_LIST, 10},   {"address", QPUSIM_BAD_ADDRESS, 11},
        {"items", QPUSIM_BUDGET, 12},         {"load", QPUSIM_BAD_LIST, 13},
        {"tile", QPUSIM_BAD_LIST, 14},        {"mode", QPUSIM_BAD_LIST, 15},
        {"address", QPUSIM_BAD_ADDRESS, 16},  {"binner-memory", QPUSIM_BAD_LIST, 17},
        {"end", QPUSIM_BAD_LIST, 18},         {"compressed", QPUSIM_BAD_LIST, 19},
        {"address", QPUSIM_BAD_ADDRESS, 20},  {"code", QPUSIM_BAD_LIST, 21},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct frame f;
        set_up(&f);
        put_shader_record(&f);
        put_triangle(&f, -1, -1, 4);
        frame_begin_bin(&f, FRAME_TILE_BYTES, 2);
        struct qpusim_list *b = &f.bin, *r = &f.render;
        const struct qpusim_cl_array_primitives three = {4, 3, 0};
        switch (cases[i].kind) {
        case 0: qpusim_put_nop(b), b->bytes[b->size - 1] = 200; break;
        case 1: qpusim_put_vg_shader_state(b, &(struct qpusim_cl_vg_shader_state){FRAME_RECORD}); break;
        case 2: qpusim_put_store_resolved(b); break;
        case 3: b->size = 0, qpusim_put_flush(r); break;
        case 4: qpusim_put_branch(b, &(struct qpusim_cl_branch){0x77770000}); break;
        case 5: b->size = 0, use_shader(&f), qpusim_put_array_primitives(b, &three); break;
        case 6: qpusim_put_array_primitives(b, &three); break;
        case 7:
            qpusim_put_gl_shader_state(
                b, &(struct qpusim_cl_gl_shader_state){.attribute_count = 2, .address = 0x77770000});
            qpusim_put_array_primitives(b, &three);
            break;
        case 8:
            use_shader(&f);
            qpusim_put_array_primitives(b, &(struct qpusim_cl_array_primitives){4, 3, 1 << 20});
            break;
        case 9:
            use_shader(&f);
            ((uint8_t *)frame_at(&f, FRAME_INDICES, 3))[1] = 9;
            qpusim_put_indexed_primitives(b,
                                          &(struct qpusim_cl_indexed_primitives){4, 0, 3, FRAME_INDICES, 8});
            break;
        case 10: b->size = 0, frame_write_render(&f, 0); break;
        case 11:
            b->size = 0,
            qpusim_put_binning_mode(b, &(struct qpusim_cl_binning_mode){.width = 1, .height = 1});
            break;
        case 12: qpusim_put_branch(b, &(struct qpusim_cl_branch){FRAME_BIN + (uint32_t)b->size}); break;
        case 13:
            b->size = 0, frame_write_render(&f, 0);
            qpusim_put_load_general(r,
                                    &(struct qpusim_cl_load_general){.buffer = 1, .address = FRAME_PIXELS});
            qpusim_put_load_general(r,
                                    &(struct qpusim_cl_load_general){.buffer = 1, .address = FRAME_PIXELS});
            memmove(r->bytes + 25, r->bytes + r->size - 14, 14), r->size = 39;
            break;
        case 14: b->size = 0, frame_write_render(&f, 0), r->bytes[25] = QPUSIM_CL_STORE_RESOLVED; break;
        case 15:
            b->size = 0, qpusim_put_tile_coordinates(r, &(struct qpusim_cl_tile_coordinates){0, 0});
            break;
        case 16:
            use_shader(&f), qpusim_put_array_primitives(b, &three), frame_end_bin(&f),
                frame_write_render(&f, 0);
            qpusim_memory_remove(f.memory, FRAME_PIXELS);
            break;
        case 17: frame_begin_bin(&f, 16, 0); break;
        case 18: qpusim_put_clip_window(b, &(struct qpusim_cl_clip_window){0}), b->size -= 4; break;
        case 19:
            b->size = 0, frame_write_render(&f, 0), r->size = 25;
            qpusim_put_tile_coordinates(r, &(struct qpusim_cl_tile_coordinates){0, 0});
            qpusim_put_primitive_list_format(r, &(struct qpusim_cl_primitive_list_format){2, 1});
            qpusim_put_gl_shader_state(
                r, &(struct qpusim_cl_gl_shader_state){.attribute_count = 2, .address = FRAME_RECORD});
            qpusim_put_compressed_primitives(r);
            qpusim_put_halt(r); /* read as a primitive: relative to none */
            break;
        case 20:
            use_shader(&f), qpusim_put_array_primitives(b, &three), frame_end_bin(&f);
            qpusim_memory_remove(f.memory, FRAME_VERTICES);
            break;
        case 21: /* code without an end */
            use_shader(&f), qpusim_put_array_primitives(b, &three);
            memset(frame_at(&f, FRAME_CODE, 1 << 16), 0x11, 1 << 16);
            break;
        }
        if (cases[i].kind == 18) { /* the list's bytes go on, its end lies within the record */
            qpusim_memory_add(f.memory, FRAME_BIN, b->size + 4, b->bytes, "bin list");
            ck_assert_int_eq(
                qpusim_run_lists(f.block, FRAME_BIN, FRAME_BIN + (uint32_t)b->size, 0, 0, NULL, &f.error),
                cases[i].status);
        } else {
            enum qpusim_status status = frame_run(&f);
            ck_assert_msg(status == cases[i].status, "case %u: status %d, %s: %s", cases[i].kind, status,
                          f.error.rule ? f.error.rule : "", f.error.text);
        }
        ck_assert_msg(!strcmp(f.error.rule, cases[i].rule), "case %u: %s: %s", cases[i].kind, f.error.rule,
                      f.error.text);
        ck_assert_uint_ne(f.error.record, 0);
        /* the block is as after a reset: a good frame follows */
        if (cases[i].kind < 16) {
            frame_begin_bin(&f, FRAME_TILE_BYTES, 2);
            use_shader(&f);
            qpusim_put_array_primitives(&f.bin, &three);
            frame_end_bin(&f);
            frame_write_render(&f, 0);
            frame_run_well(&f);
            ck_assert_uint_eq(count_pixels(&f, 0), SIDE * SIDE);
        }
        frame_close(&f);
    }
}
END_TEST

/* A frame by registers alone, as a driver without an operating system does it. */
START_TEST(registers) {
    struct frame f;
    set_up(&f);
    put_shader_record(&f);
    put_triangle(&f, -1, -1, 4);
    frame_begin_bin(&f, FRAME_TILE_BYTES, 2);
    use_shader(&f);
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3, 0});
    frame_end_bin(&f);
    frame_write_render(&f, 0);
    qpusim_memory_add(f.memory, FRAME_BIN, f.bin.size, f.bin.bytes, "bin list");
    qpusim_memory_add(f.memory, FRAME_RENDER, f.render.size, f.render.bytes, "render list");
    struct qpusim_block *b = f.block;
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_IDENT0), 0x02443356);       /* "V3D", 2 */
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_IDENT1) >> 4 & 0xff, 0x43); /* three slices of four QPUs */
    qpusim_block_write(b, QPUSIM_PCTRS0, QPUSIM_COUNT_PRIMITIVES, NULL, NULL);
    qpusim_block_write(b, QPUSIM_PCTRE, 1, NULL, NULL);
    /* rendering first: it waits for the binner */
    qpusim_block_write(b, QPUSIM_CT1CA, FRAME_RENDER, NULL, NULL);
    ck_assert_int_eq(
        qpusim_block_write(b, QPUSIM_CT1EA, FRAME_RENDER + (uint32_t)f.render.size, NULL, &f.error),
        QPUSIM_OK);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_CT1CS) & 0x30, 0x30);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_RFC), 0);
    qpusim_block_write(b, QPUSIM_CT0CA, FRAME_BIN, NULL, NULL);
    ck_assert_int_eq(qpusim_block_write(b, QPUSIM_CT0EA, FRAME_BIN + (uint32_t)f.bin.size, NULL, &f.error),
                     QPUSIM_OK);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_CT0CS) & 0x20, 0);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_CT1CS) & 0x20, 0);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_CT0CA), FRAME_BIN + f.bin.size);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_CT1CA), FRAME_RENDER + f.render.size);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_RFC), 1);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_INTCTL), 3);
    qpusim_block_write(b, QPUSIM_INTCTL, 1, NULL, NULL);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_INTCTL), 2);
    ck_assert_uint_eq(count_pixels(&f, 0), SIDE * SIDE);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_PCTR0), 16); /* one triangle in each of 16 tiles */
    ck_assert_uint_eq(qpusim_block_count(b, QPUSIM_COUNT_PRIMITIVES), 16);
    ck_assert_uint_gt(qpusim_block_count(b, QPUSIM_COUNT_FRAGMENT_CYCLES), SIDE * SIDE / 16 * 4 * 8);
    ck_assert_uint_ge(qpusim_block_count(b, QPUSIM_COUNT_VERTEX_CYCLES) +
                          qpusim_block_count(b, QPUSIM_COUNT_FRAGMENT_CYCLES),
                      qpusim_block_count(b, QPUSIM_COUNT_INSTRUCTION_CYCLES));
    qpusim_block_write(b, QPUSIM_PCTRC, 1, NULL, NULL);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_PCTR0), 0);
    qpusim_block_write(b, QPUSIM_CT1LC, 1, NULL, NULL);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_CT1LC), 0);
    qpusim_block_write(b, QPUSIM_SCRATCH, 0x1234, NULL, NULL);
    ck_assert_uint_eq(qpusim_block_read(b, QPUSIM_SCRATCH), 0x1234);
    ck_assert_uint_eq(qpusim_block_read(b, 0x3000), 0);
    frame_close(&f);
}
END_TEST

/* Batches take turns on the twelve QPUs: none overlaps another on its QPU, what each waits for adds up, what
 * covers the same quads ends in order, and host threads change nothing. */
START_TEST(timing) {
    struct qpusim_time_report first = {0};
    for (unsigned threads = 0; threads < 4; threads += 3) {
        struct frame f;
        size_t count;
        set_up(&f);
        put_shader_record(&f);
        float *v = frame_at(&f, FRAME_VERTICES, 300 * 24);
        for (unsigned i = 0; i < 300; i++) { /* a hundred triangles, each over the whole frame */
            const float corner[3][2] = {{-1, -1}, {3, -1}, {-1, 3}};
            const float vertex[6] = {corner[i % 3][0], corner[i % 3][1], 0, 1, 1, 0};
            memcpy(v + 6 * i, vertex, sizeof vertex);
        }
        frame_begin_bin(&f, FRAME_TILE_BYTES, 2);
        use_shader(&f);
        qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 30, 0});
        frame_end_bin(&f);
        frame_write_render(&f, 0);
        f.options.timing = qpusim_timing_new();
        f.options.threads = threads;
        frame_run_well(&f);
        const struct qpusim_event *e = qpusim_timing_events(f.options.timing, &count);
        const struct qpusim_time_report r = qpusim_timing_report(f.options.timing);
        ck_assert_uint_eq(count, f.counters.batches);
        uint64_t end[12] = {0}, last = 0, busy[3] = {0}, executed = 0, wait = 0, binned = 0, used = 0;
        for (size_t i = 0; i < count; i++) {
            ck_assert_uint_lt(e[i].qpu, 12);
            ck_assert_uint_ge(e[i].start, end[e[i].qpu]);
            uint64_t waited = 0;
            for (unsigned w = 0; w < QPUSIM_WAITS; w++)
                waited += e[i].wait[w];
            ck_assert_uint_eq(e[i].end - e[i].start, e[i].instructions + waited);
            end[e[i].qpu] = e[i].end;
            last = e[i].end > last ? e[i].end : last;
            busy[e[i].stage] += e[i].end - e[i].start;
            executed += e[i].instructions;
            wait += waited;
            used |= 1ull << e[i].qpu;
            if (e[i].stage == QPUSIM_COORDINATE)
                binned = last;
            else
                ck_assert_uint_ge(e[i].start, binned);
            ck_assert(e[i].code >= FRAME_CODE && e[i].code < FRAME_CODE + (1 << 16));
        }
        ck_assert_uint_eq(used, 0xfff);
        ck_assert_uint_eq(r.slots, last);
        ck_assert_uint_eq(r.executed, executed);
        ck_assert_uint_eq(r.executed, f.counters.instructions);
        ck_assert_uint_eq(busy[0] + busy[1] + busy[2], executed + wait);
        ck_assert_uint_eq(r.idle, 12 * last - busy[0] - busy[1] - busy[2]);
        ck_assert_uint_gt(r.instruction_misses, 0);
        ck_assert_uint_gt(r.instruction_hits, 20 * r.instruction_misses);
        ck_assert_uint_gt(r.tile_buffer, 0);
        ck_assert(!threads || !memcmp(&first, &r, sizeof r));
        first = r;
        qpusim_timing_free(f.options.timing);
        frame_close(&f);
    }
}
END_TEST

/* Waits that have a counter. Twelve varyings, read in as many instructions in a row, are more than a slice's
 * interpolation unit makes for four QPUs: two a slot. With `nops` behind each it keeps up. And as many words
 * of attributes and varyings fill the VPM, so the fetch of a batch waits for room. */
static void count_waits(unsigned varyings, unsigned nops, unsigned triangles, uint64_t *varying_stalls,
                        uint64_t *vcd_stalls, uint64_t *batches) {
    struct frame f;
    char text[8192];
    const unsigned stride = 16 + 4 * varyings;
    const float scale[4] = {SIDE * 8, SIDE * 8, 0.5f, 0.5f};
    set_up(&f);
    memcpy(frame_at(&f, FRAME_UNIFORMS, sizeof scale), scale, sizeof scale);
    size_t n = 0;
    for (unsigned i = 0; i < varyings; i++) {
        n += (size_t)sprintf(text + n, "mov r0, vary\n");
        for (unsigned k = 0; k < nops; k++)
            n += (size_t)sprintf(text + n, "nop\n");
    }
    sprintf(text + n, "mov tlbc, r0\nnop; nop; thrend\nnop\nnop; nop; sbdone\n");
    struct qpusim_cl_gl_shader_record record = {.single_threaded = true,
                                                .clipping = true,
                                                .varyings = (uint8_t)varyings,
                                                .fragment_code = frame_program(&f, text),
                                                .vertex_attributes = 3,
                                                .vertex_size = (uint8_t)stride,
                                                .vertex_uniforms = FRAME_UNIFORMS,
                                                .coordinate_attributes = 1,
                                                .coordinate_size = 16,
                                                .coordinate_uniforms = FRAME_UNIFORMS};
    record.vertex_code = frame_program(&f, vertex_shader(varyings, false, false, text, sizeof text));
    record.coordinate_code = frame_program(&f, vertex_shader(varyings, true, false, text, sizeof text));
    struct qpusim_list l = {0};
    qpusim_put_gl_shader_record(&l, &record);
    qpusim_put_attribute_record(
        &l, &(struct qpusim_cl_attribute_record){FRAME_VERTICES, 16, (uint8_t)stride, 0, 0});
    qpusim_put_attribute_record(
        &l, &(struct qpusim_cl_attribute_record){FRAME_VERTICES + 16, 4 * varyings, (uint8_t)stride, 16, 0});
    memcpy(frame_at(&f, FRAME_RECORD, l.size), l.bytes, l.size);
    qpusim_list_free(&l);
    char *vertices = frame_at(&f, FRAME_VERTICES, 3 * triangles * stride);
    for (unsigned i = 0; i < 3 * triangles; i++) {
        const float corner[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
        memcpy(vertices + i * stride, corner[i % 3], sizeof corner[0]);
    }
    frame_begin_bin(&f, FRAME_TILE_BYTES, 2);
    use_shader(&f);
    qpusim_put_array_primitives(&f.bin, &(struct qpusim_cl_array_primitives){4, 3 * triangles, 0});
    frame_end_bin(&f);
    frame_write_render(&f, 0);
    qpusim_block_write(f.block, QPUSIM_PCTRS0, QPUSIM_COUNT_VARYING_STALLS, NULL, NULL);
    qpusim_block_write(f.block, QPUSIM_PCTRE, 1, NULL, NULL);
    frame_run_well(&f);
    *varying_stalls = qpusim_block_count(f.block, QPUSIM_COUNT_VARYING_STALLS);
    *vcd_stalls = qpusim_block_count(f.block, QPUSIM_COUNT_VCD_STALLS);
    *batches = f.counters.batches;
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_PCTR0), *varying_stalls);
    ck_assert_uint_eq(qpusim_block_count(f.block, QPUSIM_COUNT_VDW_STALLS), 0);
    frame_close(&f);
}

START_TEST(waits) {
    enum { VARYINGS = 12, INSTRUCTIONS = VARYINGS + 4, QPUS = 4 /* of a slice */ };
    uint64_t varying, vcd, batches;
    count_waits(VARYINGS, 0, 1, &varying, &vcd, &batches);
    /* Four batches of a slice take the time of their varyings, not that of their instructions. */
    uint64_t slots = QPUS * VARYINGS / 2 - INSTRUCTIONS;
    ck_assert_uint_gt(varying, 4 * slots * batches * 8 / 10);
    ck_assert_uint_le(varying, 4 * slots * batches);
    ck_assert_uint_eq(vcd, 0);
    count_waits(VARYINGS, 1, 1, &varying, &vcd, &batches);
    ck_assert_uint_eq(varying, 0);
    count_waits(2, 0, 100, &varying, &vcd, &batches);
    ck_assert_uint_eq(vcd, 0); /* twelve batches fit */
    count_waits(VARYINGS, 1, 100, &varying, &vcd, &batches);
    ck_assert_uint_gt(vcd, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("block");
    TCase *tc = tcase_create("block");
    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, frames);
    tcase_add_test(tc, tile_lists);
    tcase_add_test(tc, state_changes);
    tcase_add_test(tc, lists_go_on);
    tcase_add_test(tc, overflow);
    tcase_add_test(tc, shaded_vertices);
    tcase_add_test(tc, wide_indices);
    tcase_add_test(tc, sub_lists);
    tcase_add_test(tc, errors);
    tcase_add_test(tc, registers);
    tcase_add_test(tc, timing);
    tcase_add_test(tc, waits);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
