/* The tile buffer and the rasteriser on tiles in every configuration: coverage of samples, tests of Z and
 * stencil for each, early Z, clears, stores and loads, and random parameters of them that must not leave the
 * memory. */
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine_test.h"

#include "runtime/front/block.h"

static unsigned pick(unsigned n) {
    return (unsigned)(rand() >> 4) % n;
}

static uint32_t word(void) {
    return (uint32_t)rand() ^ (uint32_t)rand() << 16;
}

/* --- a frame of tiles, drawn by one fragment program ---------------------------------------------------- */

#define FRAME 160 /* pixels along an edge, not a whole number of tiles */

struct frame {
    unsigned columns, rows;
    struct sim_tile *tile;
    struct sim_thread *thread;
    struct sim_batcher batcher;
    struct sim_raster_state raster;
    struct qpusim_options options;
    struct qpusim_error error;
    struct qpusim_counters counters;
    struct sim_clock clock;
};

static void frame_init(struct frame *f, bool multisample, bool color64,
                       const struct qpusim_program *program) {
    unsigned w, h;
    memset(f, 0, sizeof *f);
    sim_tile_size(multisample, color64, &w, &h);
    f->columns = (FRAME + w - 1) / w;
    f->rows = (FRAME + h - 1) / h;
    f->tile = calloc(f->columns * f->rows, sizeof *f->tile);
    for (unsigned i = 0; i < f->columns * f->rows; i++) {
        sim_tile_configure(&f->tile[i], multisample, color64);
        f->tile[i].x = (int)(i % f->columns * w);
        f->tile[i].y = (int)(i / f->columns * h);
    }
    f->thread = aligned_alloc(_Alignof(struct sim_thread), 2 * sizeof *f->thread);
    f->error.lane = -1;
    f->batcher.program = program;
    f->batcher.options = &f->options;
    f->batcher.error = &f->error;
    f->batcher.counters = &f->counters;
    f->batcher.clock = &f->clock;
    f->batcher.thread[0] = &f->thread[0];
    f->batcher.thread[1] = &f->thread[1];
    f->raster = (struct sim_raster_state){.batcher = &f->batcher,
                                          .half_width = FRAME / 2.0,
                                          .half_height = FRAME / 2.0,
                                          .max_x = FRAME,
                                          .max_y = FRAME,
                                          .counters = &f->counters};
}

static void frame_free(struct frame *f) {
    free(f->tile);
    free(f->thread);
}

static void frame_clear(struct frame *f, uint32_t color, uint32_t depth) {
    for (unsigned i = 0; i < f->columns * f->rows; i++) {
        f->tile[i].clear = (struct sim_clear){{color, color}, depth, 0, 0};
        sim_tile_clear(&f->tile[i], true, true);
    }
}

struct primitives {
    struct sim_primitive primitive[800];
    unsigned count;
};

static void set_up_triangle(const struct frame *f, struct primitives *to, const struct sim_vertex *a,
                            const struct sim_vertex *b, const struct sim_vertex *c) {
    struct sim_set_up out;
    ck_assert_uint_lt(to->count, sizeof to->primitive / sizeof *to->primitive);
    if (sim_set_up(&f->raster, 2, (const struct sim_vertex *const[]){a, b, c}, c->varying, &out))
        to->primitive[to->count++] = out.primitive[0];
}

static void frame_draw(struct frame *f, const struct primitives *a) {
    for (unsigned i = 0; i < f->columns * f->rows; i++) {
        f->batcher.tile = &f->tile[i];
        for (unsigned k = 0; k < a->count; k++)
            ck_assert_msg(sim_raster(&f->raster, &a->primitive[k]), "%s", f->error.text);
        ck_assert_msg(sim_batch_flush(&f->batcher), "%s", f->error.text);
    }
}

static struct sim_tile *tile_of(struct frame *f, unsigned x, unsigned y, unsigned *sample) {
    struct sim_tile *t = &f->tile[y / f->tile->height * f->columns + x / f->tile->width];
    *sample = sim_tile_sample(t, x % t->width, y % t->height);
    return t;
}

static struct sim_vertex vertex(int x, int y) { /* in sixteenths of a pixel */
    double half = FRAME * 8;
    return (struct sim_vertex){
        .clip = {x / half - 1, y / half - 1, 0, 1}, .x = x, .y = y, .z = 0.5, .inv_w = 1, .size = 1};
}

/* Adds one to every sample of what it covers. */
static const char *const counting = "nop\nnop\nnop; nop; sbwait\nnop; nop; loadc\nadd tlbm, r4, 1\n"
                                    "nop; nop; thrend\nnop\nnop; nop; sbdone\n",
                         *const counting4 =
                             "nop\nnop\nnop; nop; sbwait\n"
                             "nop; nop; loadc\nadd tlbm, r4, 1\nnop; nop; loadc\nadd tlbm, r4, 1\n"
                             "nop; nop; loadc\nadd tlbm, r4, 1\nnop; nop; loadc\nadd tlbm, r4, 1\n"
                             "nop; nop; thrend\nnop\nnop; nop; sbdone\n";

/* --- meshes --------------------------------------------------------------------------------------------- */

struct mesh {
    int p[400][2];
    unsigned triangle[800][3], points, triangles;
};

static int64_t area(const struct mesh *m, const unsigned t[3]) {
    const int *a = m->p[t[0]], *b = m->p[t[1]], *c = m->p[t[2]];
    return (int64_t)(b[0] - a[0]) * (c[1] - a[1]) - (int64_t)(c[0] - a[0]) * (b[1] - a[1]);
}

static unsigned add_point(struct mesh *m, int x, int y) {
    m->p[m->points][0] = x;
    m->p[m->points][1] = y;
    return m->points++;
}

static void add_triangle(struct mesh *m, unsigned a, unsigned b, unsigned c) {
    const unsigned t[3] = {a, b, c};
    memcpy(m->triangle[m->triangles++], t, sizeof t);
}

/* A rectangle in cells whose inner corners are moved, each cell cut along a diagonal that lies inside. */
static void make_grid(struct mesh *m, const int box[4]) {
    unsigned nx = 1 + pick(10), ny = 1 + pick(10);
    for (unsigned j = 0; j <= ny; j++)
        for (unsigned i = 0; i <= nx; i++) {
            int w = (box[2] - box[0]) / (int)nx, h = (box[3] - box[1]) / (int)ny;
            int x = i == nx ? box[2] : box[0] + (int)i * w, y = j == ny ? box[3] : box[1] + (int)j * h;
            x += i && i < nx && w > 8 ? (int)pick((unsigned)w / 2) - w / 4 : 0;
            y += j && j < ny && h > 8 ? (int)pick((unsigned)h / 2) - h / 4 : 0;
            add_point(m, x, y);
        }
    for (unsigned j = 0; j < ny; j++)
        for (unsigned i = 0; i < nx; i++) {
            unsigned a = j * (nx + 1) + i, b = a + 1, c = a + nx + 2, d = a + nx + 1;
            const unsigned t0[3] = {a, b, c}, t1[3] = {a, c, d};
            if (area(m, t0) > 0 && area(m, t1) > 0 && pick(2))
                add_triangle(m, a, b, c), add_triangle(m, a, c, d);
            else
                add_triangle(m, a, b, d), add_triangle(m, b, c, d);
        }
}

/* Triangles cut into three at points inside, again and again: slivers of every kind. */
static void make_slivers(struct mesh *m, const int box[4]) {
    add_point(m, box[0], box[1]);
    add_point(m, box[2], box[1]);
    add_point(m, box[2], box[3]);
    add_point(m, box[0], box[3]);
    add_triangle(m, 0, 1, 2);
    add_triangle(m, 0, 2, 3);
    for (unsigned n = pick(60), tries = 0; n && tries < 1000; tries++) {
        unsigned k = pick(m->triangles), t[3];
        memcpy(t, m->triangle[k], sizeof t);
        int wa = 1 + (int)pick(100), wb = 1 + (int)pick(100), wc = 1 + (int)pick(100), sum = wa + wb + wc;
        int x = (m->p[t[0]][0] * wa + m->p[t[1]][0] * wb + m->p[t[2]][0] * wc) / sum;
        int y = (m->p[t[0]][1] * wa + m->p[t[1]][1] * wb + m->p[t[2]][1] * wc) / sum;
        unsigned p = add_point(m, x, y);
        const unsigned part[3][3] = {{t[0], t[1], p}, {t[1], t[2], p}, {t[2], t[0], p}};
        if (area(m, part[0]) <= 0 || area(m, part[1]) <= 0 || area(m, part[2]) <= 0) {
            m->points--; /* on an edge: a crack or an overlap by itself */
            continue;
        }
        memcpy(m->triangle[k], part[0], sizeof t);
        add_triangle(m, t[1], t[2], p);
        add_triangle(m, t[2], t[0], p);
        n--;
    }
}

/* Where the machine's samples are, in sixteenths of a pixel: docs/machine.md. */
static const int places[2][4][2] = {{{8, 8}}, {{6, 2}, {14, 6}, {2, 10}, {10, 14}}};

START_TEST(every_sample_once) {
    bool multisample = _i & 1, color64 = _i >> 1;
    struct qpusim_program *program = assemble(multisample ? counting4 : counting, QPUSIM_FRAGMENT, false);
    struct qpusim_program *opaque =
        assemble("nop\nnop\nmov tlbc, 1\nmov tlbc, 2\nnop; nop; thrend\nnop\nnop; nop; sbdone\n",
                 QPUSIM_FRAGMENT, false);
    struct frame f;
    frame_init(&f, multisample, color64, color64 ? opaque : program);
    srand((unsigned)_i + 5);
    for (unsigned round = 0; round < 40; round++) {
        struct mesh m = {.points = 0};
        int x0 = (int)pick(FRAME * 12), y0 = (int)pick(FRAME * 12);
        const int box[4] = {x0, y0, x0 + 1 + (int)pick((unsigned)(FRAME * 16 - x0)),
                            y0 + 1 + (int)pick((unsigned)(FRAME * 16 - y0))};
        pick(2) ? make_grid(&m, box) : make_slivers(&m, box);
        struct sim_vertex v[400];
        for (unsigned i = 0; i < m.points; i++)
            v[i] = vertex(m.p[i][0], m.p[i][1]);
        struct primitives a = {.count = 0};
        for (unsigned i = m.triangles; i > 1; i--) { /* in any order and orientation */
            unsigned k = pick(i), t[3];
            memcpy(t, m.triangle[k], sizeof t);
            memcpy(m.triangle[k], m.triangle[i - 1], sizeof t);
            memcpy(m.triangle[i - 1], t, sizeof t);
        }
        for (unsigned i = 0; i < m.triangles; i++) {
            const unsigned *t = m.triangle[i];
            unsigned turn = pick(2);
            set_up_triangle(&f, &a, &v[t[turn]], &v[t[1 - turn]], &v[t[2]]);
        }
        frame_clear(&f, 0, 0xffffff);
        frame_draw(&f, &a);
        for (unsigned y = 0; y < FRAME; y++) {
            for (unsigned x = 0; x < FRAME; x++) {
                unsigned first, n = multisample ? 4 : 1;
                const struct sim_tile *t = tile_of(&f, x, y, &first);
                for (unsigned s = 0; s < n; s++) {
                    int sx = 16 * (int)x + places[multisample][s][0],
                        sy = 16 * (int)y + places[multisample][s][1];
                    unsigned want = sx >= box[0] && sx < box[2] && sy >= box[1] && sy < box[3];
                    const uint32_t *c = &t->color[(first + s) * t->sample_words];
                    if (*c != want || (color64 && c[1] != 2 * want))
                        ck_abort_msg("round %u: sample %u of %u, %u is drawn %u times instead of %u", round,
                                     s, x, y, *c, want);
                }
            }
        }
    }
    frame_free(&f);
    qpusim_program_free(program);
    qpusim_program_free(opaque);
}
END_TEST

/* A varying over random triangles with random depths, read as a colour. */
START_TEST(interpolation) {
    bool multisample = _i;
    struct qpusim_program *program =
        assemble("mov r2, 0\nnop; fmul r0, vary, ra15\nfadd r0, r0, r5; fmul r1, vary, ra15\nfadd r1, r1, "
                 "r5; mov r2.8a, r0\n"
                 "nop; mov r2.8b, r1\nmov tlbc, r2\nnop; nop; thrend\nnop\nnop; nop; sbdone\n",
                 QPUSIM_FRAGMENT, false);
    struct frame f;
    frame_init(&f, multisample, false, program);
    f.raster.varyings = f.batcher.varying_words = 2;
    srand(9);
    for (unsigned round = 0; round < 200; round++) {
        struct sim_vertex v[3];
        for (unsigned i = 0; i < 3; i++) {
            v[i] = vertex((int)pick(FRAME * 16), (int)pick(FRAME * 16));
            v[i].inv_w = 0.2 + pick(100) / 50.0;
            v[i].varying[0] = (float)pick(256) / 255;
            v[i].varying[1] = (float)pick(256) / 255;
        }
        double ax = v[1].x - v[0].x, ay = v[1].y - v[0].y, bx = v[2].x - v[0].x, by = v[2].y - v[0].y;
        double det = ax * by - bx * ay;
        if (fabs(det) < 2000)
            continue;
        struct primitives a = {.count = 0};
        set_up_triangle(&f, &a, &v[0], &v[1], &v[2]);
        frame_clear(&f, 0xff000000, 0xffffff);
        frame_draw(&f, &a);
        for (unsigned y = 0; y < FRAME; y++) {
            for (unsigned x = 0; x < FRAME; x++) {
                unsigned first;
                const struct sim_tile *t = tile_of(&f, x, y, &first);
                double px = 16 * x + 8 - v[0].x, py = 16 * y + 8 - v[0].y;
                double l1 = (px * by - bx * py) / det, l2 = (ax * py - px * ay) / det, l0 = 1 - l1 - l2;
                double w = l0 * v[0].inv_w + l1 * v[1].inv_w + l2 * v[2].inv_w;
                if (t->color[first] >> 24 || l0 < 0 || l1 < 0 || l2 < 0)
                    continue; /* not drawn, or the centre lies outside */
                for (unsigned c = 0; c < 2; c++) {
                    double want = (l0 * v[0].inv_w * v[0].varying[c] + l1 * v[1].inv_w * v[1].varying[c] +
                                   l2 * v[2].inv_w * v[2].varying[c]) /
                                  w * 255;
                    ck_assert_msg(fabs(want - (t->color[first] >> 8 * c & 255)) < 1,
                                  "%u, %u: %u instead of %g", x, y, t->color[first] >> 8 * c & 255, want);
                }
            }
        }
    }
    frame_free(&f);
    qpusim_program_free(program);
}
END_TEST

/* --- Z and stencil of samples --------------------------------------------------------------------------- */

static bool passes(unsigned func, uint32_t a, uint32_t b) {
    return (func & 4 && a > b) || (func & 2 && a == b) || (func & 1 && a < b);
}

static unsigned stencil_result(unsigned op, unsigned old, unsigned reference) {
    const unsigned results[8] = {0,
                                 old,
                                 reference,
                                 old < 255 ? old + 1 : 255,
                                 old ? old - 1 : 0,
                                 255 - old,
                                 (old + 1) % 256,
                                 (old + 255) % 256};
    return results[op];
}

START_TEST(sample_tests) {
    static struct qpusim_fragments f;
    static struct qpusim_result r;
    struct qpusim_program *program =
        assemble("mov stencil, unif\nmov stencil, unif\nmov stencil, unif\nnop; nop; sbwait\nmov tlbz, "
                 "rb15\nnop\nnop\n"
                 "mov r0, ms_mask\nmov tlbc, unif\nnop\nnop; nop; thrend\nnop\nnop; nop; sbdone\n",
                 QPUSIM_FRAGMENT, false);
    srand(21);
    for (unsigned round = 0; round < 3000; round++) {
        bool multisample = round & 1;
        unsigned samples = multisample ? 4 : 1;
        uint32_t front = 1u << 30 | (word() & 0x3fffffff), back = 2u << 30 | (word() & 0x3fffffff);
        uint32_t words[4] = {front, back, word() & 0xffff, 0xabcdef01};
        const uint8_t reference[2] = {(uint8_t)(front >> 8), (uint8_t)(back >> 8)};
        memset(&f, 0, sizeof f);
        f.live = 0xffff;
        f.coverage = (uint16_t)word();
        f.back =
            (uint16_t)((pick(2) * 15) | (pick(2) * 15) << 4 | (pick(2) * 15) << 8 | (pick(2) * 15) << 12);
        f.multisample = multisample;
        f.depth_test = pick(4) != 0;
        f.depth_write = pick(2);
        f.depth_func = pick(8);
        for (unsigned i = 0; i < 16; i++) {
            f.z[i] = 1000 + pick(3);
            f.samples[i] = (uint8_t)pick(16);
            for (unsigned s = 0; s < 4; s++) {
                f.tile[s][i] = 100 * i + s;
                f.sample_depth[s][i] = 1000 + pick(3);
                /* Often equal to the reference, or at an end of the range. */
                f.sample_stencil[s][i] =
                    (uint8_t[]){0, 255, reference[0], reference[1], (uint8_t)word()}[pick(5)];
            }
            f.color[i] = f.tile[0][i];
            f.depth[i] = f.sample_depth[0][i];
            f.stencil[i] = f.sample_stencil[0][i];
        }
        struct qpusim_run_info run = {.program = program, .uniforms = {words, 4, 0}, .fragments = &f};
        struct qpusim_error e;
        ck_assert_msg(qpusim_run(&run, NULL, &r, &e) == QPUSIM_OK, "%s", e.text);
        for (unsigned i = 0; i < 16; i++) {
            unsigned side = f.back >> i & 1, mask = 0;
            uint32_t setup = words[side];
            uint8_t write = (uint8_t)(words[2] >> 8 * side);
            for (unsigned s = 0; s < samples; s++) {
                uint32_t z = f.sample_depth[s][i], color = f.tile[s][i];
                unsigned st = f.sample_stencil[s][i], compare_mask = setup & 255;
                if (f.coverage >> i & 1 && (!multisample || f.samples[i] >> s & 1)) {
                    bool sp = passes(setup >> 16 & 7, reference[side] & compare_mask, st & compare_mask);
                    bool zp = !f.depth_test || passes(f.depth_func, f.z[i], z);
                    unsigned op = sp ? (zp ? setup >> 22 & 7 : setup >> 25 & 7) : setup >> 19 & 7;
                    st = (st & ~write & 255u) | (stencil_result(op, st, reference[side]) & write);
                    if (sp && zp) {
                        mask |= 1u << s;
                        color = words[3];
                        if (f.depth_test && f.depth_write)
                            z = f.z[i];
                    }
                }
                ck_assert_uint_eq(r.sample_stencil[s][i], st);
                ck_assert_uint_eq(r.sample_depth[s][i], z);
                ck_assert_uint_eq(r.tile[s][i], color);
            }
            ck_assert_uint_eq(r.acc[0][i], mask);
            ck_assert_uint_eq(r.color_written >> i & 1, mask != 0);
        }
    }
    qpusim_program_free(program);
}
END_TEST

/* Early Z changes nothing but the number of pixels that are shaded: random scenes of triangles with random
 * depth functions, with and without discard. */
START_TEST(early_z) {
    struct qpusim_program *plain =
        assemble("nop\nnop\nmov tlbz, rb15\nmov tlbc, unif\nnop; nop; thrend\nnop\nnop; nop; sbdone\n",
                 QPUSIM_FRAGMENT, false);
    struct qpusim_program *holes =
        assemble("mov r0, x_coord\nand.setf nop, r0, 1\nmov.zs tlbz, rb15\nmov tlbc, unif\n"
                 "nop; nop; thrend\nnop\nnop; nop; sbdone\n",
                 QPUSIM_FRAGMENT, false);
    uint64_t shaded[2] = {0, 0};
    srand(33);
    for (unsigned round = 0; round < 40; round++) {
        bool multisample = pick(2), greater = pick(2);
        struct frame f[2];
        struct sim_vertex v[30][3];
        unsigned func[30], update[30], write[30], hole[30];
        for (unsigned i = 0; i < 30; i++) {
            for (unsigned k = 0; k < 3; k++) {
                v[i][k] = vertex((int)pick(FRAME * 16), (int)pick(FRAME * 16));
                v[i][k].z = (pick(4) ? 500 + pick(8) : pick(1000)) / 1000.0;
            }
            func[i] = pick(3)
                          ? (unsigned[]){QPUSIM_FUNC_LESS, QPUSIM_FUNC_LEQUAL}[pick(2)] + (greater ? 3 : 0)
                          : pick(8);
            if (greater && pick(3))
                func[i] = pick(2) ? QPUSIM_FUNC_GREATER : QPUSIM_FUNC_GEQUAL;
            update[i] = pick(3) != 0;
            write[i] = pick(4) != 0;
            hole[i] = !pick(3);
        }
        for (unsigned early = 0; early < 2; early++) {
            frame_init(&f[early], multisample, false, plain);
            for (unsigned i = 0; i < f[early].columns * f[early].rows; i++)
                f[early].tile[i].early_greater = greater;
            frame_clear(&f[early], 0, greater ? 0 : 0xffffff);
            for (unsigned i = 0; i < 30; i++) {
                uint32_t color = i + 1;
                struct primitives a = {.count = 0};
                struct sim_batcher *b = &f[early].batcher;
                b->program = hole[i] ? holes : plain;
                b->uniforms = (struct qpusim_stream){&color, 1, 0};
                b->depth_test = true;
                b->depth_func = func[i];
                b->depth_write = write[i];
                b->early_test = early;
                b->early_update = update[i];
                set_up_triangle(&f[early], &a, &v[i][0], &v[i][1], &v[i][2]);
                frame_draw(&f[early], &a);
            }
            shaded[early] += f[early].counters.batches;
        }
        for (unsigned i = 0; i < f[0].columns * f[0].rows; i++) {
            ck_assert_mem_eq(f[0].tile[i].color, f[1].tile[i].color, sizeof f[0].tile[i].color);
            ck_assert_mem_eq(f[0].tile[i].depth, f[1].tile[i].depth, sizeof f[0].tile[i].depth);
        }
        frame_free(&f[0]);
        frame_free(&f[1]);
    }
    ck_assert_uint_lt(shaded[1], shaded[0] * 9 / 10);
    qpusim_program_free(plain);
    qpusim_program_free(holes);
}
END_TEST

/* --- memory --------------------------------------------------------------------------------------------- */

static void fill(struct sim_tile *t) {
    for (unsigned i = 0; i < SIM_TILE_COLORS; i++) {
        t->color[i] = word();
        t->depth[i] = word() & 0xffffff;
        t->stencil[i] = (uint8_t)word();
    }
}

START_TEST(clears) {
    for (unsigned mode = 0; mode < 4; mode++) {
        static struct sim_tile t;
        sim_tile_configure(&t, mode & 1, mode >> 1);
        ck_assert_uint_eq(t.width * t.height * t.samples * t.sample_words, SIM_TILE_COLORS);
        t.clear = (struct sim_clear){{0x11223344, 0x55667788}, 0xabcdef, 0x5a, 0};
        fill(&t);
        uint32_t depth = t.depth[7];
        sim_tile_clear(&t, true, false);
        ck_assert_uint_eq(t.depth[7], depth);
        sim_tile_clear(&t, false, true);
        for (unsigned i = 0; i < t.width * t.height * t.samples; i++) {
            unsigned column = i / t.samples % t.width;
            ck_assert_uint_eq(t.depth[i], 0xabcdef);
            ck_assert_uint_eq(t.stencil[i], 0x5a);
            if (t.color64) {
                ck_assert_uint_eq(t.color[2 * i], 0x11223344);
                ck_assert_uint_eq(t.color[2 * i + 1], 0x55667788);
            } else {
                ck_assert_uint_eq(t.color[i], column & 1 ? 0x55667788 : 0x11223344);
            }
        }
    }
}
END_TEST

/* Byte offset of a pixel, from figures 13 to 15 of the guide and the capture notes, step by step. */
static size_t address_of(unsigned format, unsigned unit, unsigned width, unsigned x, unsigned y) {
    unsigned mw = unit == 8 ? 2 : unit == 4 ? 4 : 8, mh = 4, ux = x / mw, uy = y / mh;
    size_t inside = (y % mh * mw + x % mw) * unit;
    if (format == SIM_MEMORY_RASTER)
        return ((size_t)y * ((width + mw - 1) / mw * mw) + x) * unit;
    if (format == SIM_MEMORY_LT)
        return ((size_t)uy * ((width + mw - 1) / mw) + ux) * 64 + inside;
    static const unsigned even[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}},
                          odd[4][2] = {{1, 1}, {1, 0}, {0, 0}, {0, 1}};
    unsigned across = (width + 8 * mw - 1) / (8 * mw), row = uy / 8, column = ux / 8, sub = 0;
    while ((row % 2 ? odd : even)[sub][0] != ux / 4 % 2 || (row % 2 ? odd : even)[sub][1] != uy / 4 % 2)
        sub++;
    size_t tile = (size_t)row * across + (row % 2 ? across - 1 - column : column);
    return tile * 4096 + sub * 1024 + (uy % 4 * 4 + ux % 4) * 64 + inside;
}

static unsigned nearest(unsigned v, unsigned most) {
    return (unsigned)floor(v * most / 255.0 + 0.5);
}

START_TEST(stores_and_loads) {
    enum { SIZE = 1 << 18 };
    struct qpusim_memory *memory = qpusim_memory_new(0);
    uint8_t *bytes = malloc(SIZE), *before = malloc(SIZE);
    bool *touched = malloc(SIZE);
    static struct sim_tile t, back;
    ck_assert_int_eq(qpusim_memory_add(memory, 0x40000, SIZE, bytes, "frame"), QPUSIM_OK);
    srand(41);
    for (unsigned i = 0; i < SIZE; i++)
        before[i] = (uint8_t)(rand() >> 7);
    for (unsigned round = 0; round < 300; round++) {
        bool multisample = pick(2), color64 = !pick(3);
        sim_tile_configure(&t, multisample, color64);
        fill(&t);
        enum sim_tile_buffer buffer = pick(3) ? SIM_BUFFER_COLOR : pick(2) ? SIM_BUFFER_ZS : SIM_BUFFER_Z;
        struct sim_surface s = {0x40000,
                                1 + pick(150),
                                1 + pick(150),
                                (enum sim_memory_format)pick(3),
                                (enum sim_pixel_format)pick(3),
                                SIM_DECIMATE_NONE};
        if (!color64 && buffer == SIM_BUFFER_COLOR)
            s.decimate = (enum sim_decimate)pick(multisample ? 3 : 2);
        unsigned shrink = s.decimate == SIM_DECIMATE_16 || (s.decimate && !multisample) ? 2 : 1;
        t.x = (int)(pick(3) * t.width);
        t.y = (int)(pick(3) * t.height);
        unsigned unit = buffer != SIM_BUFFER_COLOR ? 4 : color64 ? 8 : s.pixel == SIM_PIXEL_RGBA8888 ? 4 : 2;
        memcpy(bytes, before, SIZE);
        memset(touched, 0, SIZE);
        struct qpusim_error e = {0};
        ck_assert_msg(sim_tile_store(&t, memory, &s, buffer, &e), "%s", e.text);
        for (unsigned y = 0; y < t.height / shrink; y++) {
            for (unsigned x = 0; x < t.width / shrink; x++) {
                unsigned px = (unsigned)t.x / shrink + x, py = (unsigned)t.y / shrink + y;
                if (px >= s.width || py >= s.height)
                    continue;
                size_t at = address_of(s.format, unit, s.width, px, py);
                uint64_t stored = 0;
                memcpy(&stored, bytes + at, unit);
                memset(touched + at, 1, unit);
                if (buffer != SIM_BUFFER_COLOR) {
                    unsigned i = sim_tile_sample(&t, x, y);
                    ck_assert_uint_eq(stored,
                                      t.depth[i] * 256u + (buffer == SIM_BUFFER_ZS ? t.stencil[i] : 0));
                    continue;
                }
                if (color64) {
                    const uint32_t *c = &t.color[2 * sim_tile_sample(&t, x, y)];
                    ck_assert_uint_eq(stored, (uint64_t)c[1] << 32 | c[0]);
                    continue;
                }
                double mean[4] = {0};
                unsigned n = 0, samples = s.decimate ? t.samples : 1;
                for (unsigned j = 0; j < shrink; j++)
                    for (unsigned i = 0; i < shrink; i++)
                        for (unsigned k = 0; k < samples; k++, n++)
                            for (unsigned c = 0; c < 4; c++)
                                mean[c] += t.color[sim_tile_sample(&t, x * shrink + i, y * shrink + j) + k] >>
                                               8 * c &
                                           255;
                unsigned v[4];
                for (unsigned c = 0; c < 4; c++)
                    v[c] = (unsigned)floor(mean[c] / n + 0.5);
                if (s.pixel == SIM_PIXEL_RGBA8888) {
                    ck_assert_uint_eq(stored, v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24);
                } else if (s.pixel == SIM_PIXEL_BGR565) {
                    ck_assert_uint_eq(stored,
                                      nearest(v[0], 31) << 11 | nearest(v[1], 63) << 5 | nearest(v[2], 31));
                } else { /* dithered: one of the two neighbours */
                    const unsigned got[3] = {(unsigned)stored >> 11, (unsigned)stored >> 5 & 63,
                                             (unsigned)stored & 31};
                    for (unsigned c = 0; c < 3; c++)
                        ck_assert_double_lt(fabs(got[c] - v[c] * (c == 1 ? 63 : 31) / 255.0), 1);
                }
            }
        }
        unsigned changed = 0;
        for (unsigned i = 0; i < SIZE; i++)
            changed += !touched[i] && bytes[i] != before[i];
        ck_assert_uint_eq(changed, 0);
        if (shrink == 2 || buffer == SIM_BUFFER_Z)
            continue;
        /* Loads give all samples what was stored, and leave what lies outside the image. */
        sim_tile_configure(&back, multisample, color64);
        fill(&back);
        static struct sim_tile was;
        was = back;
        back.x = t.x, back.y = t.y;
        ck_assert_msg(sim_tile_load(&back, memory, &s, buffer, &e), "%s", e.text);
        for (unsigned i = 0; i < t.width * t.height * t.samples; i++) {
            unsigned x = i / t.samples % t.width, y = i / t.samples / t.width;
            bool in = (unsigned)t.x + x < s.width && (unsigned)t.y + y < s.height;
            uint64_t stored = 0;
            if (in)
                memcpy(&stored,
                       bytes + address_of(s.format, unit, s.width, (unsigned)t.x + x, (unsigned)t.y + y),
                       unit);
            if (buffer == SIM_BUFFER_ZS) {
                ck_assert_uint_eq(back.depth[i], in ? stored >> 8 : was.depth[i]);
                ck_assert_uint_eq(back.stencil[i], in ? stored & 255 : was.stencil[i]);
            } else {
                uint32_t want = (uint32_t)stored;
                if (unit == 2)
                    want = ((want >> 11) * 33 >> 2) | ((want >> 5 & 63) * 65 >> 4) << 8 |
                           ((want & 31) * 33 >> 2) << 16 | 0xff000000u;
                ck_assert_uint_eq(back.color[i * t.sample_words], in ? want : was.color[i * t.sample_words]);
                if (color64)
                    ck_assert_uint_eq(back.color[2 * i + 1], in ? stored >> 32 : was.color[2 * i + 1]);
            }
        }
    }
    qpusim_memory_free(memory);
    free(bytes);
    free(before);
    free(touched);
}
END_TEST

START_TEST(full_dumps) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 16);
    uint32_t address = qpusim_memory_alloc(memory, 40000, 16);
    static struct sim_tile t, back;
    for (unsigned mode = 0; mode < 16; mode++) {
        bool color = mode & 4, zs = mode & 8;
        sim_tile_configure(&t, mode & 1, mode >> 1 & 1);
        sim_tile_configure(&back, mode & 1, mode >> 1 & 1);
        fill(&t);
        unsigned samples = t.width * t.height * t.samples;
        struct qpusim_error e = {0};
        ck_assert(sim_tile_dump(&t, memory, address, color, zs, &e));
        ck_assert(sim_tile_reload(&back, memory, address, color, zs, &e));
        ck_assert_int_eq(!memcmp(t.color, back.color, sizeof t.color), color);
        ck_assert_int_eq(!memcmp(t.depth, back.depth, samples * 4), zs);
        ck_assert_int_eq(!memcmp(t.stencil, back.stencil, samples), zs);
        ck_assert(!(color || zs) || !sim_tile_dump(&t, memory, address + 65536 - 4096, color, zs, &e));
        ck_assert(!(color || zs) || e.status == QPUSIM_BAD_ADDRESS || e.status == QPUSIM_BAD_LIST);
    }
    qpusim_memory_free(memory);
}
END_TEST

/* Quads in rows; of a quad sample after sample, and of a sample the four pixels: the order in which the
 * resolves of Mesa's driver, whose pictures on a Pi are right, look samples up. */
START_TEST(dumps_are_by_quads) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 16);
    uint32_t address = qpusim_memory_alloc(memory, 40000, 16);
    static struct sim_tile t;
    for (unsigned mode = 0; mode < 4; mode++) {
        struct qpusim_error e = {0};
        sim_tile_configure(&t, mode & 1, mode >> 1 & 1);
        fill(&t);
        ck_assert(sim_tile_dump(&t, memory, address, true, true, &e));
        const uint32_t *p = qpusim_memory_map(memory, address, 32768 / (1 + (mode >> 1)));
        for (unsigned zs = 0; zs < 2; zs++)
            for (unsigned y = 0; y < t.height; y += 2)
                for (unsigned x = 0; x < t.width; x += 2)
                    for (unsigned k = 0; k < 4 * t.samples; k++) {
                        unsigned i = sim_tile_sample(&t, x + k % 2, y + k / 2 % 2) + k / 4;
                        for (unsigned w = 0; w < (zs ? 1 : t.sample_words); w++)
                            ck_assert_uint_eq(*p++, zs ? t.depth[i] << 8 | t.stencil[i]
                                                       : t.color[i * t.sample_words + w]);
                    }
    }
    qpusim_memory_free(memory);
}
END_TEST

/* The dither pattern: each of the 16 places rounds up for its share of what is lost, and all together keep
 * the value. */
START_TEST(dithering) {
    struct qpusim_memory *memory = qpusim_memory_new(1 << 16);
    uint32_t address = qpusim_memory_alloc(memory, 64 * 64 * 2, 16);
    static struct sim_tile t;
    sim_tile_configure(&t, false, false);
    struct sim_surface s = {address, 64, 64, SIM_MEMORY_RASTER, SIM_PIXEL_BGR565_DITHERED, SIM_DECIMATE_NONE};
    for (unsigned v = 0; v < 256; v++) {
        t.clear.color[0] = t.clear.color[1] = v * 0x01010101u;
        sim_tile_clear(&t, true, false);
        ck_assert(sim_tile_store(&t, memory, &s, SIM_BUFFER_COLOR, NULL));
        const uint16_t *p = qpusim_memory_map(memory, address, 64 * 64 * 2);
        double sum[3] = {0};
        for (unsigned i = 0; i < 64 * 64; i++) {
            sum[0] += p[i] >> 11;
            sum[1] += p[i] >> 5 & 63;
            sum[2] += p[i] & 31;
        }
        for (unsigned c = 0; c < 3; c++)
            ck_assert_double_eq_tol(sum[c] / 4096, v * (c == 1 ? 63 : 31) / 255.0, 1.0 / 30);
    }
    qpusim_memory_free(memory);
}
END_TEST

/* Random records against a small buffer with nothing around it. */
START_TEST(random_stores) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 5 * page;
    uint8_t *area_ = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(area_ != MAP_FAILED && !mprotect(area_ + page, size, PROT_READ | PROT_WRITE));
    struct qpusim_memory *memory = qpusim_memory_new(0);
    ck_assert_int_eq(qpusim_memory_add(memory, 0x30000, size, area_ + page, "frame"), QPUSIM_OK);
    static struct sim_tile t;
    unsigned done = 0;
    srand(55);
    for (unsigned round = 0; round < 20000; round++) {
        sim_tile_configure(&t, pick(2), pick(2));
        t.x = pick(8) ? (int)(pick(3) * t.width) : (int)word();
        t.y = pick(8) ? (int)(pick(3) * t.height) : (int)word();
        unsigned most = pick(8) ? 80 : 70000;
        struct sim_surface s = {pick(8) ? 0x30000 + 16 * pick((unsigned)size / 16) : word(),
                                pick(most),
                                pick(most),
                                (enum sim_memory_format)pick(pick(8) ? 3 : 5),
                                (enum sim_pixel_format)pick(pick(8) ? 3 : 5),
                                (enum sim_decimate)pick(pick(8) ? 3 : 5)};
        struct qpusim_error e = {0};
        enum sim_tile_buffer buffer = (enum sim_tile_buffer)pick(7);
        bool ok = pick(3) == 0   ? sim_tile_load(&t, memory, &s, buffer, &e)
                  : pick(2) == 0 ? sim_tile_store(&t, memory, &s, buffer, &e)
                  : pick(2)      ? sim_tile_dump(&t, memory, s.address, pick(2), pick(2), &e)
                                 : sim_tile_reload(&t, memory, s.address, pick(2), pick(2), &e);
        ck_assert(ok == (e.status == QPUSIM_OK) && (ok || strlen(e.text) > 10));
        done += ok;
    }
    ck_assert_uint_gt(done, 2000);
    ck_assert_uint_lt(done, 18000);
    qpusim_memory_free(memory);
    munmap(area_, size + 2 * page);
}
END_TEST

int main(void) {
    Suite *s = suite_create("tile");
    TCase *c = tcase_create("tile");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, every_sample_once, 0, 4);
    tcase_add_loop_test(c, interpolation, 0, 2);
    tcase_add_test(c, sample_tests);
    tcase_add_test(c, early_z);
    tcase_add_test(c, clears);
    tcase_add_test(c, stores_and_loads);
    tcase_add_test(c, full_dumps);
    tcase_add_test(c, dumps_are_by_quads);
    tcase_add_test(c, dithering);
    tcase_add_test(c, random_stores);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
