/* Whole draws: fill rule, interpolation, clipping, culling, depth, discard, points, threads. */
#include <limits.h>
#include <math.h>

#include "machine_test.h"

#define W 64
#define H 48

static const char *const flat_fs =
    "nop\nmov tlbz, rb15\nnop\nmov tlbc, unif\nnop; nop; thrend\nnop\nnop; nop; sbdone\n";

/* Colour from three varyings 0..1. */
static const char *const color_fs = "mov r0, 1.0\n"
                                    "fmul r0, vary, ra15\n"
                                    "fadd r0, r0, r5; fmul r1, vary, ra15\n"
                                    "fadd r1, r1, r5; fmul r2, vary, ra15\n"
                                    "fadd r2, r2, r5; mov r3.8a, r0\n"
                                    "mov tlbz, rb15\n"
                                    "nop; mov r3.8b, r1\n"
                                    "nop; mov r3.8c, r2\n"
                                    "nop; mov r3.8d, 1.0\n"
                                    "mov tlbc, r3\n"
                                    "nop; nop; thrend\nnop\nnop; nop; sbdone\n";

struct scene {
    struct qpusim_target *target;
    struct qpusim_draw_info draw;
    struct qpusim_attribute attributes[3];
    struct qpusim_counters counters;
    struct qpusim_options options;
    struct qpusim_error error;
    uint32_t words[4], fs_words[8];
};

/* Vertices: x, y, z, w, varyings. */
static void set_up(struct scene *s, const char *fs, unsigned varyings, const float *vertices, unsigned count,
                   bool threaded) {
    char text[4096];
    memset(s, 0, sizeof *s);
    s->target = qpusim_target_new(W, H);
    s->words[0] = bits_of(W / 2 * 16);
    s->words[1] = bits_of(H / 2 * 16);
    s->words[2] = s->words[3] = bits_of(0.5f);
    s->draw.fragment.program = assemble(fs, QPUSIM_FRAGMENT, threaded);
    s->draw.vertex.program =
        assemble(vertex_shader(varyings, false, false, text, sizeof text), QPUSIM_VERTEX, false);
    s->draw.coordinate.program =
        assemble(vertex_shader(varyings, true, false, text, sizeof text), QPUSIM_COORDINATE, false);
    s->draw.vertex.uniforms = s->draw.coordinate.uniforms = (struct qpusim_stream){s->words, 4, 0};
    s->draw.fragment.uniforms = (struct qpusim_stream){s->fs_words, 1, 0};
    s->attributes[0] =
        (struct qpusim_attribute){.data = vertices, .components = 4, .stride = (4 + varyings) * 4};
    s->attributes[1] =
        (struct qpusim_attribute){.data = vertices + 4, .components = varyings, .stride = (4 + varyings) * 4};
    s->draw.attributes = s->attributes;
    s->draw.attribute_count = varyings ? 2 : 1;
    s->draw.coordinate_attributes = 1;
    s->draw.varying_count = varyings;
    s->draw.mode = QPUSIM_TRIANGLES;
    s->draw.count = count;
    s->options.counters = &s->counters;
    s->fs_words[0] = 0x01010101;
}

static void draw(struct scene *s) {
    enum qpusim_status status = qpusim_draw(s->target, &s->draw, &s->options, &s->error);
    ck_assert_msg(status == QPUSIM_OK, "stage %d instruction %u lane %d: %s: %s", s->error.stage,
                  s->error.instruction, s->error.lane, s->error.rule, s->error.text);
    ck_assert_uint_eq(s->counters.position_mismatches, 0);
}

static void tear_down(struct scene *s) {
    qpusim_program_free((struct qpusim_program *)s->draw.fragment.program);
    qpusim_program_free((struct qpusim_program *)s->draw.vertex.program);
    qpusim_program_free((struct qpusim_program *)s->draw.coordinate.program);
    qpusim_target_free(s->target);
}

START_TEST(nothing_is_freed) {
    qpusim_target_free(NULL);
    qpusim_program_free(NULL);
}
END_TEST

static uint32_t at(const struct scene *s, int x, int y) {
    return qpusim_target_pixels(s->target)[y * W + x];
}

/* Adds the uniform colour to what is there: counts how often a pixel is touched. */
static const char *const count_fs = "nop\nnop; nop; sbwait\nnop; nop; loadc\nmov r0, unif\nadd tlbc, r4, r0\n"
                                    "nop; nop; thrend\nnop\nnop; nop; sbdone\n";

START_TEST(shared_edges) {
    uint32_t seed = 7;
    /* A fan of triangles round a random centre covers every pixel of the target exactly once. */
    for (unsigned round = 0; round < 20; round++) {
        float v[18 * 3 * 4];
        seed = seed * 1664525 + 1013904223;
        float cx = (float)(seed >> 16 & 255) / 256 - 0.5f, cy = (float)(seed >> 8 & 255) / 256 - 0.5f;
        static const float rim[9][2] = {{-1, -1},   {0.3f, -1}, {1, -1},     {1, 0.1f}, {1, 1},
                                        {-0.2f, 1}, {-1, 1},    {-1, -0.4f}, {-1, -1}};
        for (unsigned i = 0; i < 8; i++) {
            const float t[3][2] = {{cx, cy}, {rim[i][0], rim[i][1]}, {rim[i + 1][0], rim[i + 1][1]}};
            for (unsigned k = 0; k < 3; k++) {
                float *p = &v[(i * 3 + k) * 4];
                p[0] = t[round & 1 ? 2 - k : k][0];
                p[1] = t[round & 1 ? 2 - k : k][1];
                p[2] = 0;
                p[3] = 1;
            }
        }
        struct scene s;
        set_up(&s, count_fs, 0, v, 24, false);
        draw(&s);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                ck_assert_msg(at(&s, x, y) == 0x01010101, "round %u, pixel %d %d: %08x", round, x, y,
                              at(&s, x, y));
        ck_assert_uint_eq(s.counters.pixels, W * H);
        tear_down(&s);
    }
}
END_TEST

START_TEST(edge_rule) {
    /* Edges through pixel centres: 8.5 to 12.5 pixels. The lower bounds belong to the square, the upper do
     * not. */
    float x0 = 8.5f / 32 - 1, x1 = 12.5f / 32 - 1, y0 = 8.5f / 24 - 1, y1 = 12.5f / 24 - 1;
    /* The shader truncates to 1/16 pixel, and its 1/w is a little below 1: nudge by less than that. */
    x0 *= 1.0001f;
    x1 *= 1.0001f;
    y0 *= 1.0001f;
    y1 *= 1.0001f;
    float v[6][4] = {{x0, y0, 0, 1}, {x1, y0, 0, 1}, {x1, y1, 0, 1},
                     {x0, y0, 0, 1}, {x1, y1, 0, 1}, {x0, y1, 0, 1}};
    struct scene s;
    set_up(&s, count_fs, 0, &v[0][0], 6, false);
    draw(&s);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            ck_assert_uint_eq(at(&s, x, y), x >= 8 && x < 12 && y >= 8 && y < 12 ? 0x01010101u : 0u);
    tear_down(&s);
}
END_TEST

static unsigned channel(uint32_t c, unsigned i) {
    return c >> (8 * i) & 255;
}

START_TEST(perspective) {
    /* A floor that recedes: w from 1 to 8. Reference: perspective-correct in double. */
    float v[6][7] = {{-8, -1, 0, 1, 0, 0, 1}, {8, -1, 0, 1, 1, 0, 1}, {8, 8, 0, 8, 1, 1, 0},
                     {-8, -1, 0, 1, 0, 0, 1}, {8, 8, 0, 8, 1, 1, 0},  {-8, 8, 0, 8, 0, 1, 0}};
    struct scene s;
    set_up(&s, color_fs, 3, &v[0][0], 6, false);
    s.draw.fragment.uniforms.count = 0;
    draw(&s);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            double nx = (x + 0.5) / W * 2 - 1, ny = (y + 0.5) / H * 2 - 1;
            /* On the plane: w = 1 + 7 t, y = -1 + 9 t, ny = y / w. */
            double t = (ny + 1) / (9 - 7 * ny), w = 1 + 7 * t;
            double g = t, b = 1 - t, r = (nx * w + 8) / 16;
            uint32_t c = at(&s, x, y);
            /* One step of the colour, and the 1/16 pixel of the vertices' positions seen from the distance.
             */
            double tolerance = 1.01 + 255 * w * w * (2.0 / H / 16) / 7;
            ck_assert_double_eq_tol(channel(c, 1), g * 255, tolerance);
            ck_assert_double_eq_tol(channel(c, 2), b * 255, tolerance);
            ck_assert_double_eq_tol(channel(c, 0), r * 255, tolerance);
            ck_assert_uint_eq(channel(c, 3), 255);
        }
    }
    tear_down(&s);
}
END_TEST

START_TEST(near_plane) {
    /* A floor that passes below the eye: two vertices behind it. y = -1 everywhere, w from -4 to 12. */
    float v[3][7] = {{-40, -1, 11, 12, 1, 0, 0}, {40, -1, 11, 12, 0, 1, 0}, {0, -1, -5, -4, 0, 0, 1}};
    struct scene s;
    set_up(&s, color_fs, 3, &v[0][0], 3, false);
    s.draw.fragment.uniforms.count = 0;
    draw(&s);
    ck_assert_uint_eq(s.counters.primitives_clipped, 1);
    unsigned covered = 0;
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            double nx = (x + 0.5) / W * 2 - 1, ny = (y + 0.5) / H * 2 - 1;
            bool inside = ny < 0;
            double w = inside ? -1 / ny : 0; /* y / w = ny */
            double b = (12 - w) / 16;        /* blue grows from 0 at w = 12 to 1 at w = -4 */
            double px = nx * w, r_minus_g = -px / 40;
            double r = (1 - b + r_minus_g) / 2, g = (1 - b - r_minus_g) / 2;
            inside = inside && r > 0 && g > 0 && b > 0;
            /* z = w - 1: the near plane z = -w lies at w = 1/2, beyond the bottom edge at w = 1. */
            uint32_t c = at(&s, x, y);
            bool border = fabs(r) < 0.02 || fabs(g) < 0.02 || fabs(b) < 0.06;
            if (border)
                continue;
            ck_assert_msg(inside == (c != 0), "pixel %d %d", x, y);
            if (inside) {
                double tolerance = 1.01 + 255 * w * w * (2.0 / H / 16) / 16;
                covered++;
                ck_assert_double_eq_tol(channel(c, 0), r * 255, tolerance);
                ck_assert_double_eq_tol(channel(c, 1), g * 255, tolerance);
                ck_assert_double_eq_tol(channel(c, 2), b * 255, tolerance);
            }
        }
    }
    ck_assert_uint_gt(covered, 500);
    tear_down(&s);
}
END_TEST

/* The depth of what the near plane cuts, or the far one, with GL's range and one of its own. */
START_TEST(depth_of_clipped) {
    static const double range[2][2] = {{0, 0}, {0.25, 0.75}}; /* nothing said: 0 to 1 */
    for (unsigned k = 0; k < 4; k++) {
        double near = range[k / 2][0], far = k / 2 ? range[k / 2][1] : 1, sign = k % 2 ? -1 : 1;
        float low = (float)(-0.5 * sign), high = (float)(2 * sign);
        float v[3][4] = {{-1, -1, low, 1}, {1, -1, low, 1}, {0, 1, high, 1}};
        struct scene s;
        set_up(&s, flat_fs, 0, &v[0][0], 3, false);
        s.words[2] = bits_of((float)(far - near) / 2);
        s.words[3] = bits_of((float)(far + near) / 2);
        s.draw.depth_near = (float)range[k / 2][0];
        s.draw.depth_far = (float)range[k / 2][1];
        s.draw.depth_test = s.draw.depth_write = true;
        s.draw.depth_func = QPUSIM_FUNC_ALWAYS;
        draw(&s);
        ck_assert_uint_eq(s.counters.primitives_clipped, 1);
        unsigned covered = 0;
        for (int i = 0; i < W * H; i++) {
            double up = (i / W + 0.5) / H, z = sign * (2.5 * up - 0.5);
            if (!at(&s, i % W, i / W))
                continue;
            covered++;
            ck_assert_double_le(up, 0.6 + 1.0 / H);
            ck_assert_double_eq_tol(qpusim_target_depths(s.target)[i] / 16777215.0,
                                    (z * (far - near) + far + near) / 2, 2e-3);
        }
        ck_assert_uint_gt(covered, 1000);
        tear_down(&s);
    }
}
END_TEST

START_TEST(culling) {
    float ccw[3][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {0, 1, 0, 1}};
    for (unsigned clockwise = 0; clockwise < 2; clockwise++) {
        for (unsigned cull = 0; cull < 4; cull++) {
            struct scene s;
            set_up(&s, count_fs, 0, &ccw[0][0], 3, false);
            s.draw.cull = (enum qpusim_cull)cull;
            s.draw.clockwise_front = clockwise;
            draw(&s);
            bool back = clockwise, culled = cull == QPUSIM_CULL_BOTH || (cull == QPUSIM_CULL_BACK && back) ||
                                            (cull == QPUSIM_CULL_FRONT && !back);
            ck_assert_uint_eq(s.counters.pixels != 0, !culled);
            tear_down(&s);
        }
    }
}
END_TEST

START_TEST(facing) {
    /* The reverse flag as a colour. */
    float v[6][4] = {{-1, -1, 0, 1}, {0, -1, 0, 1}, {-1, 1, 0, 1},
                     {1, -1, 0, 1},  {0, -1, 0, 1}, {1, 1, 0, 1}};
    struct scene s;
    set_up(&s,
           "mov r0, unif\nmov r1, rev_flag\nadd r0, r0, r1\nmov tlbc, r0\nnop; nop; thrend\nnop\nnop; nop; "
           "sbdone\n",
           0, &v[0][0], 6, false);
    draw(&s);
    ck_assert_uint_eq(at(&s, 2, 2), 0x01010101);
    ck_assert_uint_eq(at(&s, W - 3, 2), 0x01010102);
    tear_down(&s);
}
END_TEST

START_TEST(depth) {
    float v[6][4] = {{-1, -1, 0.5f, 1},  {3, -1, 0.5f, 1}, {-1, 3, 0.5f, 1},
                     {-1, -1, -0.5f, 1}, {3, -1, 0, 1},    {-1, 3, 0, 1}};
    struct scene s;
    set_up(&s, flat_fs, 0, &v[0][0], 3, false);
    s.draw.depth_test = s.draw.depth_write = true;
    s.draw.depth_func = QPUSIM_FUNC_LESS;
    draw(&s);
    ck_assert_uint_eq(at(&s, 5, 5), 0x01010101);
    double z = qpusim_target_depths(s.target)[5 * W + 5] / 16777215.0;
    ck_assert_double_eq_tol(z, 0.75, 1e-4);
    s.fs_words[0] = 2;
    draw(&s); /* equal: hidden */
    ck_assert_uint_eq(at(&s, 5, 5), 0x01010101);
    s.draw.first = 3;
    s.draw.depth_write = false;
    draw(&s); /* nearer: seen, but leaves the depth */
    ck_assert_uint_eq(at(&s, 5, 5), 2);
    ck_assert_double_eq(qpusim_target_depths(s.target)[5 * W + 5] / 16777215.0, z);
    s.draw.first = 0;
    s.draw.depth_func = QPUSIM_FUNC_EQUAL;
    s.fs_words[0] = 3;
    draw(&s);
    ck_assert_uint_eq(at(&s, 5, 5), 3);
    tear_down(&s);
}
END_TEST

/* Odd x: no Z write. Both forms: with the colour unconditional, as Broadcom's, and predicated, as Mesa's. */
START_TEST(discard) {
    static const char *const forms[2] = {"and.setf nop, x_coord, 1\nmov r0, unif\nmov.zs tlbz, rb15\nmov "
                                         "tlbc, r0\nnop; nop; thrend\nnop\nnop; nop; sbdone\n",
                                         "and.setf nop, x_coord, 1\nmov r0, unif\nmov.zs tlbz, rb15\nmov.zs "
                                         "tlbc, r0\nnop; nop; thrend\nnop\nnop; nop; sbdone\n"};
    float v[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    for (unsigned form = 0; form < 2; form++) {
        struct scene s;
        set_up(&s, forms[form], 0, &v[0][0], 3, false);
        s.draw.depth_test = s.draw.depth_write = true;
        s.draw.depth_func = QPUSIM_FUNC_LESS;
        draw(&s);
        for (int y = 0; y < H; y++) {
            for (int x = 0; x < W; x++) {
                ck_assert_uint_eq(at(&s, x, y), x & 1 ? 0u : 0x01010101u);
                ck_assert_uint_eq(qpusim_target_depths(s.target)[y * W + x] == 0xffffff, x & 1);
            }
        }
        tear_down(&s);
    }
}
END_TEST

START_TEST(strip_and_fan) {
    float strip[6][4] = {{-1, -1, 0, 1}, {-1, 1, 0, 1}, {0, -1, 0, 1},
                         {0, 1, 0, 1},   {1, -1, 0, 1}, {1, 1, 0, 1}};
    struct scene s;
    set_up(&s, count_fs, 0, &strip[0][0], 6, false);
    s.draw.mode = QPUSIM_TRIANGLE_STRIP;
    s.draw.cull = QPUSIM_CULL_FRONT; /* the strip runs clockwise: all of it faces back */
    draw(&s);
    for (int i = 0; i < W * H; i++)
        ck_assert_uint_eq(qpusim_target_pixels(s.target)[i], 0x01010101);
    tear_down(&s);
    float fan[5][4] = {{0.1f, 0.2f, 0, 1}, {-1, -1, 0, 1}, {1, -1, 0, 1}, {1, 1, 0, 1}, {-1, 1, 0, 1}};
    const uint32_t indices[] = {0, 1, 2, 3, 4, 1};
    set_up(&s, count_fs, 0, &fan[0][0], 6, false);
    s.draw.mode = QPUSIM_TRIANGLE_FAN;
    s.draw.indices = indices;
    s.draw.cull = QPUSIM_CULL_BACK;
    draw(&s);
    for (int i = 0; i < W * H; i++)
        ck_assert_uint_eq(qpusim_target_pixels(s.target)[i], 0x01010101);
    ck_assert_uint_eq(s.counters.stage_batches[QPUSIM_VERTEX], 1);
    tear_down(&s);
}
END_TEST

START_TEST(points) {
    /* S and T as colours, size 8, centre at pixel (20, 16). */
    const char *fs = "mov r0, 1.0\n"
                     "fmul r0, vary, ra15\n"
                     "fadd r0, r0, r5; fmul r1, vary, ra15\n"
                     "fadd r1, r1, r5; mov r3.8abcd, 1.0\n"
                     "nop; mov r3.8a, r0\n"
                     "nop; mov r3.8b, r1\n"
                     "mov tlbc, r3\n"
                     "nop; nop; thrend\nnop\nnop; nop; sbdone\n";
    float v[2][4] = {{(20.0f / 32 - 1) * 1.0001f, (16.0f / 24 - 1) * 1.0001f, 0, 1}, {5, 0, 0, 1}};
    struct scene s;
    set_up(&s, fs, 0, &v[0][0], 2, false);
    s.draw.fragment.uniforms.count = 0;
    s.draw.mode = QPUSIM_POINTS;
    s.draw.point_size = 8;
    draw(&s);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            uint32_t c = at(&s, x, y);
            bool inside = x >= 16 && x < 24 && y >= 12 && y < 20;
            ck_assert_uint_eq(c != 0, inside);
            if (!inside)
                continue;
            ck_assert_double_eq_tol(channel(c, 0), (x + 0.5 - 16) / 8 * 255, 1.5);
            ck_assert_double_eq_tol(channel(c, 1), (20 - y - 0.5) / 8 * 255, 1.5);
        }
    }
    tear_down(&s);
    /* The same size as a shaded value. */
    char text[4096];
    float sized[5] = {(20.0f / 32 - 1) * 1.0001f, (16.0f / 24 - 1) * 1.0001f, 0, 1, 8};
    set_up(&s, fs, 0, sized, 1, false);
    qpusim_program_free((struct qpusim_program *)s.draw.vertex.program);
    qpusim_program_free((struct qpusim_program *)s.draw.coordinate.program);
    s.draw.vertex.program = assemble(vertex_shader(0, false, true, text, sizeof text), QPUSIM_VERTEX, false);
    s.draw.coordinate.program =
        assemble(vertex_shader(0, true, true, text, sizeof text), QPUSIM_COORDINATE, false);
    s.attributes[0].components = 5;
    s.draw.fragment.uniforms.count = 0;
    s.draw.mode = QPUSIM_POINTS;
    s.draw.point_size_written = true;
    draw(&s);
    ck_assert_uint_eq(s.counters.pixels, 64);
    tear_down(&s);
}
END_TEST

/* A point of one colour with its centre at a pixel's place, which may lie outside; how many pixels it has. */
static uint64_t point_pixels(float x, float y, float z, float size) {
    static const char *const fs = "mov r0, vary\nmov r0, vary\nnop\nmov tlbz, rb15\nmov tlbc, unif\n"
                                  "nop; nop; thrend\nnop\nnop; nop; sbdone\n";
    float v[4] = {x / (W / 2) - 1, y / (H / 2) - 1, z, 1};
    struct scene s;
    set_up(&s, fs, 0, v, 1, false);
    s.draw.mode = QPUSIM_POINTS;
    s.draw.point_size = size;
    draw(&s);
    uint64_t pixels = s.counters.pixels;
    tear_down(&s);
    return pixels;
}

/* Sides of the view do not clip points, near and far planes do; none is larger than 512 pixels. */
START_TEST(points_outside) {
    ck_assert_uint_eq(point_pixels(W + 1, 20, 0, 4), 4);
    ck_assert_uint_eq(point_pixels(W + 1, H + 1, 0, 4), 1);
    ck_assert_uint_eq(point_pixels(20, -2, 0, 6), 6);
    ck_assert_uint_eq(point_pixels(W + 3, 20, 0, 5), 0);
    ck_assert_uint_eq(point_pixels(20, 20, 1.01f, 4), 0);
    ck_assert_uint_eq(point_pixels(20, 20, -1.01f, 4), 0);
    ck_assert_uint_eq(point_pixels(-250, 20, 0, 512), 6 * H);
    ck_assert_uint_eq(point_pixels(-250, 20, 0, 528), 6 * H);
    ck_assert_uint_eq(point_pixels(-250, 20, 0, 510), 5 * H);
}
END_TEST

/* The extra word of a line must be read: it is the colour's red. */
static const char *const line_fs =
    "mov r0, 1.0\nfmul r0, vary, ra15\nfadd r0, r0, r5\nnop; mov r3.8abcd, 1.0\nnop; mov r3.8a, r0\n"
    "mov tlbc, r3\nnop; nop; thrend\nnop\nnop; nop; sbdone\n";

START_TEST(lines) {
    float v[2][4] = {{-1, 0.02f, 0, 1}, {1, 0.02f, 0, 1}};
    struct scene s;
    set_up(&s, line_fs, 0, &v[0][0], 2, false);
    s.draw.fragment.uniforms.count = 0;
    s.draw.mode = QPUSIM_LINES;
    draw(&s);
    ck_assert_uint_eq(s.counters.pixels, W);
    for (int x = 0; x < W; x++)
        ck_assert_uint_ne(at(&s, x, 24), 0);
    tear_down(&s);
}
END_TEST

/* In every direction a line covers `width` pixels of each column that it crosses, or of each row where it is
 * steeper than a diagonal. */
START_TEST(line_directions) {
    for (unsigned n = 0; n < 64; n++) {
        double angle = (n + 0.25) * 3.14159265358979 / 32, dx = 15 * cos(angle), dy = 15 * sin(angle);
        unsigned width = 1 + n % 4, steep = fabs(dy) > fabs(dx);
        float v[2][4] = {{(float)(-dx * 2 / W), (float)(-dy * 2 / H), 0, 1},
                         {(float)(dx * 2 / W), (float)(dy * 2 / H), 0, 1}};
        unsigned across[W] = {0}, most = 0, lines = 0;
        struct scene s;
        set_up(&s, line_fs, 0, &v[0][0], 2, false);
        s.draw.fragment.uniforms.count = 0;
        s.draw.mode = QPUSIM_LINES;
        s.draw.line_width = (float)width;
        draw(&s);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                across[steep ? y : x] += at(&s, x, y) != 0;
        for (int i = 0; i < W; i++) {
            ck_assert_msg(!across[i] || across[i] == width, "line %u: %u pixels of %u in %s %d", n, across[i],
                          width, steep ? "row" : "column", i);
            lines += across[i] != 0;
            most = across[i] > most ? across[i] : most;
        }
        double length = 2 * fmax(fabs(dx), fabs(dy));
        ck_assert_uint_eq(most, width);
        ck_assert_double_eq_tol(lines, length, 1.01);
        tear_down(&s);
    }
}
END_TEST

START_TEST(scissor_and_viewport) {
    float v[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    struct scene s;
    set_up(&s, count_fs, 0, &v[0][0], 3, false);
    s.draw.viewport_x = 7;
    s.draw.viewport_y = 3;
    s.draw.viewport_width = 21;
    s.draw.viewport_height = 20;
    s.words[0] = bits_of(10.5f * 16);
    s.words[1] = bits_of(10 * 16);
    s.draw.scissor_x = 10;
    s.draw.scissor_y = 0;
    s.draw.scissor_width = 50;
    s.draw.scissor_height = 20;
    draw(&s);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            ck_assert_uint_eq(at(&s, x, y), x >= 10 && x < 28 && y >= 3 && y < 20 ? 0x01010101u : 0u);
    tear_down(&s);
}
END_TEST

/* A two-threaded shader gives the same picture, and the other thread's work hides the waiting. */
START_TEST(threads) {
    static const char *const body = "nop\n"
                                    "fmul r0, vary, ra15\n"
                                    "fadd r0, r0, r5; fmul r1, vary, ra15\n"
                                    "fadd r1, r1, r5; nop%s\n"
                                    "mov t0t, r1\n"
                                    "mov t0s, r0\n"
                                    "nop; nop; ldtmu0\n"
                                    "mov r0, r4\n"
                                    "mov tlbc, r0\n"
                                    "nop; nop; thrend\nnop\nnop; nop; sbdone\n";
    float v[3][6] = {{-1, -1, 0, 1, 0, 0}, {3, -1, 0, 1, 2, 0}, {-1, 3, 0, 1, 0, 2}};
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    static uint32_t pixels[W * H];
    for (unsigned i = 0; i < W * H; i++)
        pixels[i] = i * 2654435761u;
    struct qpusim_image image = {pixels, W, H};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .min = QPUSIM_MIN_NEAREST, .mag = QPUSIM_MAG_NEAREST};
    struct qpusim_texture texture;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &texture), QPUSIM_OK);
    uint64_t cycles[2], instructions[2];
    for (unsigned threaded = 0; threaded < 2; threaded++) {
        char text[1024];
        snprintf(text, sizeof text, body, threaded ? "; lthrsw" : "");
        struct scene s;
        set_up(&s, text, 2, &v[0][0], 3, threaded);
        s.fs_words[0] = texture.p0;
        s.fs_words[1] = texture.p1;
        s.draw.fragment.uniforms.count = 2;
        s.draw.memory = memory;
        draw(&s);
        ck_assert_mem_eq(qpusim_target_pixels(s.target), pixels, sizeof pixels);
        cycles[threaded] = s.counters.stage_cycles[QPUSIM_FRAGMENT];
        instructions[threaded] = s.counters.stage_instructions[QPUSIM_FRAGMENT];
        tear_down(&s);
    }
    ck_assert_uint_eq(instructions[0], instructions[1]);
    ck_assert_uint_lt(cycles[1], cycles[0]);
    qpusim_memory_free(memory);
}
END_TEST

/* Pictures, counters and errors do not depend on how many threads draw the tiles. */
START_TEST(tiles_in_parallel) {
    enum { ACROSS = 320, UP = 240, TRIANGLES = 40 };
    /* Adds a word of memory that x chooses to what is there. */
    static const char *const adds = "mov r0, x_coord\nshl r0, r0, 2\nmov tlbz, rb15\nadd t0s, r0, unif\n"
                                    "nop; nop; ldtmu0\nmov r1, r4\nnop; nop; loadc\nv8adds tlbc, r4, r1\n"
                                    "nop; nop; thrend\nnop\nnop; nop; sbdone\n";
    static float v[3 * TRIANGLES][4];
    uint32_t seed = 3;
    unsigned failed = 0;
    for (unsigned round = 0; round < 12; round++) {
        bool errors = round % 3 == 2;
        struct qpusim_memory *memory = qpusim_memory_new(0);
        uint32_t words[ACROSS];
        for (unsigned i = 0; i < ACROSS; i++)
            words[i] = (seed = seed * 1664525 + 1013904223) >> 3 & 0x0f0f0f0f;
        ck_assert_int_eq(
            qpusim_memory_add(memory, 0x1000, (errors ? 60 + round * 20 : ACROSS) * 4, words, "words"),
            QPUSIM_OK);
        for (unsigned i = 0; i < 3 * TRIANGLES; i++) {
            for (unsigned k = 0; k < 3; k++)
                v[i][k] = (float)((seed = seed * 1664525 + 1013904223) >> 16) / 32768 - 1;
            v[i][3] = 1;
        }
        struct qpusim_counters first_counters;
        struct qpusim_error first_error;
        uint32_t *first = NULL;
        for (unsigned threads = 0; threads < 6; threads++) {
            struct scene s;
            set_up(&s, adds, 0, &v[0][0], 3 * TRIANGLES, false);
            qpusim_target_free(s.target);
            s.target = qpusim_target_new(ACROSS, UP);
            s.words[0] = bits_of(ACROSS / 2 * 16);
            s.words[1] = bits_of(UP / 2 * 16);
            s.fs_words[0] = 0x1000;
            s.draw.memory = memory;
            s.draw.depth_test = s.draw.depth_write = round & 1;
            s.draw.depth_func = QPUSIM_FUNC_LESS;
            s.options.threads = threads;
            enum qpusim_status status = qpusim_draw(s.target, &s.draw, &s.options, &s.error);
            ck_assert_int_eq(status, errors ? QPUSIM_STRICT : QPUSIM_OK);
            failed += status != QPUSIM_OK;
            size_t size = (size_t)ACROSS * UP * 4;
            if (!first) {
                first = malloc(2 * size);
                memcpy(first, qpusim_target_pixels(s.target), size);
                memcpy(first + ACROSS * UP, qpusim_target_depths(s.target), size);
                first_counters = s.counters;
                first_error = s.error;
            }
            ck_assert_mem_eq(first, qpusim_target_pixels(s.target), size);
            ck_assert_mem_eq(first + ACROSS * UP, qpusim_target_depths(s.target), size);
            ck_assert_mem_eq(&first_counters, &s.counters, sizeof s.counters);
            ck_assert_int_eq(first_error.lane, s.error.lane);
            ck_assert_str_eq(first_error.text, s.error.text);
            tear_down(&s);
        }
        free(first);
        qpusim_memory_free(memory);
    }
    ck_assert_uint_eq(failed, 24);
}
END_TEST

/* Flat varyings are the last vertex's, in every mode. */
START_TEST(provoking_vertices) {
    static const struct {
        enum qpusim_mode mode;
        unsigned count, last[6]; /* vertices that give their colours, in drawing order; 0 ends */
    } cases[] = {{QPUSIM_TRIANGLES, 6, {2, 5}},
                 {QPUSIM_TRIANGLE_STRIP, 6, {2, 3, 4, 5}},
                 {QPUSIM_TRIANGLE_FAN, 5, {2, 3, 4}},
                 {QPUSIM_LINES, 6, {1, 3, 5}},
                 {QPUSIM_LINE_STRIP, 5, {1, 2, 3, 4}}};
    /* Lines have one more word, the place across them. */
    static const char *const line_fs =
        "mov r0, vary\nnop; fmul r0, vary, ra15\nfadd r0, r0, r5; fmul r1, vary, ra15\n"
        "fadd r1, r1, r5; fmul r2, vary, ra15\nfadd r2, r2, r5; mov r3, 0\n"
        "nop; mov r3.8a, r0\nnop; mov r3.8b, r1\nnop; mov r3.8c, r2\n"
        "mov tlbc, r3\nnop; nop; thrend\nnop\nnop; nop; sbdone\n";
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        bool lines = cases[n].mode <= QPUSIM_LINE_STRIP;
        float v[6][7];
        for (unsigned i = 0; i < 6; i++) { /* points along a zigzag */
            const float at[7] = {
                -0.9f + 0.36f * (float)i, i & 1 ? 0.8f : -0.8f, 0, 1, (float)(i + 1) * 10 / 255, 0.2f, 0.4f};
            memcpy(v[i], at, sizeof at);
            if (cases[n].mode == QPUSIM_TRIANGLE_FAN) { /* or round a corner */
                v[i][0] = i ? (float)(1.6 * cos(i * 0.35) - 0.9) : -0.9f;
                v[i][1] = i ? (float)(1.6 * sin(i * 0.35) - 0.9) : -0.9f;
            }
        }
        struct scene s;
        set_up(&s, lines ? line_fs : color_fs, 3, &v[0][0], cases[n].count, false);
        s.draw.mode = cases[n].mode;
        s.draw.fragment.uniforms.count = 0;
        s.draw.flat_varyings = 1; /* the first varying; the others are the same at all vertices */
        s.draw.line_width = 3;
        draw(&s);
        bool seen[7] = {false};
        for (int i = 0; i < W * H; i++) {
            uint32_t c = qpusim_target_pixels(s.target)[i];
            if (!c)
                continue;
            ck_assert_uint_eq((c & 255) % 10, 0);
            ck_assert_uint_le((c & 255) / 10, 6);
            seen[(c & 255) / 10] = true;
        }
        for (unsigned vertex = 0; vertex < 6; vertex++) {
            bool gives = false;
            for (unsigned k = 0; k < 6; k++)
                gives |= cases[n].last[k] && cases[n].last[k] == vertex;
            ck_assert_msg(seen[vertex + 1] == gives, "mode %d: vertex %u", cases[n].mode, vertex);
        }
        tear_down(&s);
    }
}
END_TEST

/* Depth offset: the steeper of the two slopes times the factor, and a step for each unit. A vertex may be a
 * sixteenth of a pixel away from where it should be, which changes the slope by as much as 0.3 %. */
START_TEST(depth_offset) {
    for (unsigned n = 0; n < 40; n++) {
        /* A plane over the whole target; z in window space is half of it and a half. */
        double zx = ((int)(n * 7 % 11) - 5) / 40.0, zy = ((int)(n * 5 % 13) - 6) / 40.0;
        float v[3][4];
        for (unsigned i = 0; i < 3; i++) {
            v[i][0] = i == 1 ? 3 : -1;
            v[i][1] = i == 2 ? 3 : -1;
            v[i][2] = (float)(zx * v[i][0] / 3 + zy * v[i][1] / 3);
            v[i][3] = 1;
        }
        double depths[2];
        float factor = (float)(n % 5) - 2, units = (float)(n % 3) * 64;
        for (unsigned offset = 0; offset < 2; offset++) {
            struct scene s;
            set_up(&s, flat_fs, 0, &v[0][0], 3, false);
            s.draw.depth_test = s.draw.depth_write = true;
            s.draw.depth_func = QPUSIM_FUNC_ALWAYS;
            s.draw.depth_offset_factor = offset ? factor : 0;
            s.draw.depth_offset_units = offset ? units : 0;
            draw(&s);
            depths[offset] = qpusim_target_depths(s.target)[H / 2 * W + W / 2];
            tear_down(&s);
        }
        double slope_x = fabs(zx / 3 * 0.5 * 2 / W), slope_y = fabs(zy / 3 * 0.5 * 2 / H);
        double want = factor * fmax(slope_x, slope_y) * 16777215 + units;
        ck_assert_msg(fabs(depths[1] - depths[0] - want) < 3 + fabs(want) * 0.003, "%g instead of %g",
                      depths[1] - depths[0], want);
    }
}
END_TEST

/* One unit is one step of any depth, the middle of two included. */
START_TEST(offset_units) {
    static const float z[] = {0, -0.5f, 0.25f, 1e-7f, -1e-7f, 0.3f, -0.9f};
    for (unsigned n = 0; n < sizeof z / sizeof z[0]; n++) {
        uint32_t depth[5];
        for (int units = -2; units <= 2; units++) {
            const float v[3][4] = {{-1, -1, z[n], 1}, {3, -1, z[n], 1}, {-1, 3, z[n], 1}};
            struct scene s;
            set_up(&s, flat_fs, 0, &v[0][0], 3, false);
            s.draw.depth_test = s.draw.depth_write = true;
            s.draw.depth_func = QPUSIM_FUNC_ALWAYS;
            s.draw.depth_offset_units = (float)units;
            draw(&s);
            depth[units + 2] = qpusim_target_depths(s.target)[H / 2 * W + W / 2];
            tear_down(&s);
        }
        for (unsigned i = 0; i < 5; i++)
            ck_assert_uint_eq(depth[i], depth[2] + i - 2);
    }
}
END_TEST

/* Numbers that no picture needs: every draw ends well, and nothing lands outside the window. */
START_TEST(extreme_numbers) {
    static const unsigned sizes[] = {0, 1, 64, 2048, 4096, 1u << 28, INT_MAX, 1u << 31, UINT_MAX};
    static const int places[] = {0, -1, 7, -4096, 4096, 33, INT_MAX, INT_MIN};
    static const float clip[] = {0,     1,     -1,     0.5f,  -3,     1e-20f, 1e9f,
                                 -1e9f, 3e38f, -3e38f, 1e-7f, 2e-38f, NAN,    INFINITY};
    static const enum qpusim_mode modes[] = {QPUSIM_TRIANGLES, QPUSIM_LINES, QPUSIM_POINTS};
    uint32_t seed = 11;
    float v[12][4] = {{0}};
    struct scene s;
    set_up(&s, count_fs, 0, &v[0][0], 12, false);
    for (unsigned round = 0; round < 1000; round++) {
        unsigned at[10];
        for (unsigned i = 0; i < 10; i++)
            at[i] = (seed = seed * 1664525 + 1013904223) >> 8;
        for (unsigned i = 0; i < 48; i++) {
            seed = seed * 1664525 + 1013904223;
            (&v[0][0])[i] = clip[(seed >> 8) % (sizeof clip / sizeof *clip)];
        }
        s.draw.viewport_x = places[at[0] % 8];
        s.draw.viewport_y = places[at[1] % 8];
        s.draw.viewport_width = sizes[at[2] % 9];
        s.draw.viewport_height = sizes[at[3] % 9];
        s.draw.scissor_x = sizes[at[4] % 9];
        s.draw.scissor_y = sizes[at[5] % 9];
        s.draw.scissor_width = sizes[at[6] % 9];
        s.draw.scissor_height = sizes[at[7] % 9];
        s.draw.mode = modes[at[8] % 3];
        s.draw.line_width = s.draw.point_size = at[9] & 1 ? 3e38f : 1;
        memset(qpusim_target_pixels(s.target), 0, W * H * 4);
        bool in_range = s.draw.viewport_width <= 4096 && s.draw.viewport_height <= 4096 &&
                        llabs(s.draw.viewport_x) <= 4096 && llabs(s.draw.viewport_y) <= 4096 &&
                        llabs(2ll * s.draw.viewport_x + s.draw.viewport_width) < 4096 &&
                        llabs(2ll * s.draw.viewport_y + s.draw.viewport_height) < 4096;
        if (in_range)
            draw(&s);
        else
            ck_assert_int_eq(qpusim_draw(s.target, &s.draw, &s.options, &s.error), QPUSIM_BAD_ARGUMENT);
        if (s.draw.scissor_x < W && (s.draw.scissor_width || s.draw.scissor_height || s.draw.scissor_y))
            for (unsigned x = 0; x < s.draw.scissor_x; x++)
                ck_assert_uint_eq(qpusim_target_pixels(s.target)[H / 2 * W + x], 0);
    }
    tear_down(&s);
    /* a window without end is no window, at any place */
    float all[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    set_up(&s, count_fs, 0, &all[0][0], 3, false);
    s.draw.scissor_x = 10;
    s.draw.scissor_width = s.draw.scissor_height = UINT_MAX;
    draw(&s);
    ck_assert_uint_eq(s.counters.pixels, (W - 10) * H);
    tear_down(&s);
}
END_TEST

START_TEST(bad_arguments) {
    float v[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    struct scene s;
    set_up(&s, count_fs, 0, &v[0][0], 3, false);
    struct qpusim_draw_info d = s.draw;
    d.attribute_count = 0;
    ck_assert_int_eq(qpusim_draw(s.target, &d, NULL, NULL), QPUSIM_BAD_ARGUMENT);
    d = s.draw;
    d.vertex.program = d.fragment.program;
    ck_assert_int_eq(qpusim_draw(s.target, &d, NULL, NULL), QPUSIM_BAD_ARGUMENT);
    d = s.draw;
    d.varying_count = 1; /* the vertex shader does not write it */
    ck_assert_int_eq(qpusim_draw(s.target, &d, NULL, &s.error), QPUSIM_STRICT);
    ck_assert_str_eq(s.error.rule, "vpm-output-missing");
    ck_assert_int_eq(s.error.stage, QPUSIM_VERTEX);
    tear_down(&s);
}
END_TEST

int main(void) {
    Suite *s = suite_create("draw");
    TCase *c = tcase_create("draw");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, nothing_is_freed);
    tcase_add_test(c, shared_edges);
    tcase_add_test(c, edge_rule);
    tcase_add_test(c, perspective);
    tcase_add_test(c, near_plane);
    tcase_add_test(c, depth_of_clipped);
    tcase_add_test(c, culling);
    tcase_add_test(c, facing);
    tcase_add_test(c, depth);
    tcase_add_test(c, discard);
    tcase_add_test(c, strip_and_fan);
    tcase_add_test(c, points);
    tcase_add_test(c, points_outside);
    tcase_add_test(c, lines);
    tcase_add_test(c, line_directions);
    tcase_add_test(c, scissor_and_viewport);
    tcase_add_test(c, threads);
    tcase_add_test(c, provoking_vertices);
    tcase_add_test(c, depth_offset);
    tcase_add_test(c, offset_units);
    tcase_add_test(c, tiles_in_parallel);
    tcase_add_test(c, extreme_numbers);
    tcase_add_test(c, bad_arguments);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
