/* What a real Pi's verdicts on Mesa's driver say of clipping and of lanes without a pixel
 * (docs/hardware.md): targets that are turned over, with the far corners of triangles in all directions;
 * loops whose number of turns is a varying, in batches that are not full. */
#include <math.h>

#include "machine_test.h"

#include "frame.h"

enum { SIDE = 64, WHITE = 0x01010101, FAR = 300 };

static const char *const white_fs = "nop\nnop\nmov tlbz, rb15\nmov tlbc, unif\nnop\nnop; nop; thrend\nnop\n"
                                    "nop; nop; sbdone\n";

/* Draws one triangle of clip coordinates; `over`: Y of the viewport goes down. */
static void draw(struct frame *f, const char *fs, unsigned varyings, const float *vertices, bool over) {
    const uint32_t white = WHITE;
    frame_open(f, SIDE, SIDE, 0);
    frame_vertex_uniforms(frame_at(f, FRAME_UNIFORMS, 24), SIDE, SIDE);
    frame_begin_bin(f, FRAME_TILE_BYTES, 1);
    if (over) {
        const float height = -SIDE * 8;
        memcpy(frame_at(f, FRAME_UNIFORMS + 8, 4), &height, 4);
        qpusim_put_clipper_xy_scaling(&f->bin, &(struct qpusim_cl_clipper_xy_scaling){SIDE * 8, height});
    }
    unsigned stride = 16 + 4 * varyings;
    frame_use_shader(f, fs, varyings, false, stride, &white, 1);
    memcpy(frame_at(f, FRAME_VERTICES, 3 * stride), vertices, 3 * stride);
    qpusim_put_array_primitives(&f->bin, &(struct qpusim_cl_array_primitives){QPUSIM_TRIANGLES, 3, 0});
    frame_end_bin(f);
    frame_write_render(f, 0);
    frame_run_well(f);
}

/* The side of the edge from p to q on which the point lies, in pixels from it; homogeneous corners. */
static double beside(const float *p, const float *q, double x, double y) {
    double a = p[1] * q[3] - p[3] * q[1], b = p[3] * q[0] - p[0] * q[3], c = p[0] * q[1] - p[1] * q[0];
    return (a * x + b * y + c) / sqrt(a * a + b * b) * SIDE / 2;
}

/* Each pixel of which is not nearer than a quarter to an edge is as exact geometry has it. */
static unsigned check(const struct frame *f, const float v[3][4], bool over) {
    const uint32_t *p = frame_at((struct frame *)f, FRAME_PIXELS, SIDE * SIDE * 4);
    unsigned covered = 0;
    for (unsigned row = 0; row < SIDE; row++)
        for (unsigned column = 0; column < SIDE; column++) {
            double x = (column + 0.5) / SIDE * 2 - 1, y = ((row + 0.5) / SIDE * 2 - 1) * (over ? -1 : 1);
            double e[3];
            bool sure = true;
            unsigned inside = 0;
            for (unsigned k = 0; k < 3; k++) {
                e[k] = beside(v[k], v[(k + 1) % 3], x, y);
                sure &= fabs(e[k]) > 0.25;
                inside += e[k] > 0;
            }
            if (!sure)
                continue;
            ck_assert_msg((inside == 3) == (p[row * SIDE + column] != 0), "pixel %u %u, over %d: %08x",
                          column, row, over, (unsigned)p[row * SIDE + column]);
            covered += inside == 3;
        }
    return covered;
}

/* From near the middle to two corners far away, to each side and corner: beyond the guard band, which clips
 * them, whatever their W. */
START_TEST(far_corners) {
    for (unsigned direction = 0; direction < 16; direction++) {
        double angle = direction * M_PI / 8 + 0.05, spread = 0.35;
        float v[3][4] = {{0.1f, -0.2f, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}};
        for (unsigned k = 0; k < 2; k++) {
            v[1 + k][0] = (float)(FAR * cos(angle + (k ? spread : -spread)));
            v[1 + k][1] = (float)(FAR * sin(angle + (k ? spread : -spread)));
            for (unsigned i = 0; i < 4; i++)
                v[1 + k][i] *= direction & 1 ? 0.25f : 4;
        }
        for (unsigned over = 0; over < 2; over++) {
            struct frame f;
            draw(&f, white_fs, 0, &v[0][0], over);
            ck_assert_uint_eq(f.counters.primitives_clipped, 1);
            ck_assert_uint_gt(check(&f, v, over), 40);
            frame_close(&f);
        }
    }
}
END_TEST

/* One corner behind the eye, which the near plane cuts off, in all directions. */
START_TEST(corner_behind) {
    for (unsigned direction = 0; direction < 8; direction++) {
        double angle = direction * M_PI / 4 + 0.1;
        float v[3][4] = {{0, 0, -0.5f, 1}, {0, 0, -0.5f, 1}, {0, 0, -1.5f, -0.2f}};
        for (unsigned k = 0; k < 2; k++) {
            v[k][0] = (float)(0.4 * cos(angle + (k ? 1.9 : -1.9)));
            v[k][1] = (float)(0.4 * sin(angle + (k ? 1.9 : -1.9)));
        }
        v[2][0] = (float)(cos(angle) / 4);
        v[2][1] = (float)(sin(angle) / 4);
        for (unsigned over = 0; over < 2; over++) {
            struct frame f;
            draw(&f, white_fs, 0, &v[0][0], over);
            ck_assert_uint_eq(f.counters.primitives_clipped, 1);
            const uint32_t *p = frame_at(&f, FRAME_PIXELS, SIDE * SIDE * 4);
            unsigned covered = 0;
            for (unsigned row = 0; row < SIDE; row++)
                for (unsigned column = 0; column < SIDE; column++) {
                    /* weights of the corners, times one factor; what is drawn lies before the near plane */
                    double x = (column + 0.5) / SIDE * 2 - 1,
                           y = ((row + 0.5) / SIDE * 2 - 1) * (over ? -1 : 1);
                    double w[3], z = 0, sum = 0;
                    for (unsigned k = 0; k < 3; k++) {
                        const float *a = v[(k + 1) % 3], *b = v[(k + 2) % 3];
                        w[k] = x * (a[1] * b[3] - a[3] * b[1]) + y * (a[3] * b[0] - a[0] * b[3]) +
                               (a[0] * b[1] - a[1] * b[0]);
                        sum += w[k] * v[k][3];
                        z += w[k] * v[k][2];
                    }
                    bool inside = w[0] / sum > 0 && w[1] / sum > 0 && w[2] / sum > 0 && z / sum > -1;
                    double edge = fmin(fabs(z / sum + 1),
                                       fmin(fabs(w[0] / sum), fmin(fabs(w[1] / sum), fabs(w[2] / sum))));
                    if (edge < 0.05)
                        continue;
                    ck_assert_msg(inside == (p[row * SIDE + column] != 0),
                                  "direction %u, pixel %u %u, over %u", direction, column, row, over);
                    covered += inside;
                }
            ck_assert_uint_gt(covered, 30);
            frame_close(&f);
        }
    }
}
END_TEST

/* Every lane counts a varying down to nothing, and all of them have to come to an end: so do those of a
 * batch that have no pixel. */
START_TEST(loops_end) {
    static const char *const fs =
        "nop; fmul r0, vary, ra15\nfadd r0, r0, r5\nL2:\nfsub r0, r0, 1.0\n"
        "mov.setf nop, r0\nbrr.anynn L2\nnop\nnop\nnop\n"
        "mov tlbz, rb15\nmov tlbc, unif\nnop\nnop; nop; thrend\nnop\nnop; nop; sbdone\n";
    static const float corner[8][2] = {{0, 0},        {-1, -1},  {0.5f, 0.9f}, {-0.9f, 0.7f},
                                       {0.3f, -0.8f}, {0.9f, 0}, {0, 0.9f},    {-0.5f, 0}};
    for (unsigned i = 0; i < 8; i++) {
        float x = corner[i][0], y = corner[i][1], size = 0.05f + 0.01f * (float)i;
        const float v[3][5] = {{x, y, 0, 1, 20}, {x + size, y, 0, 1, 24}, {x, y + size, 0, 1, 30}};
        struct frame f;
        draw(&f, fs, 1, &v[0][0], false);
        frame_close(&f);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("clip");
    TCase *tc = tcase_create("clip");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, far_corners);
    tcase_add_test(tc, corner_behind);
    tcase_add_test(tc, loops_end);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
