/* Each fault that the machine can have (runtime/faults.def) shows in a small run: with it the outcome differs
 * from the machine's without, which the strict rules do not stop. */
#include <ctype.h>

#include "machine_test.h"

#include "frame.h"

static const char *const assumptions[] = {
#define ASSUMPTION(name, section, grade, use, what, evidence, relies, tests) #name,
#include <qpucc/assumptions.def>
#undef ASSUMPTION
};

/* --- one program on one batch --------------------------------------------------------------------------- */

#define END "\nnop; nop; thrend\nnop\nnop\n"
#define FEND "\nnop; nop; thrend\nnop\nnop; nop; sbdone\n"
#define TWO "mov r0, unif\nmov r1, unif\n"
#define VPM(read, write) "movi vr_setup, " read "\nmovi vw_setup, " write "\n"

struct run {
    const char *fault, *text;
    uint32_t words[5];
    unsigned count;
    bool vertices, multisample;
};

static const struct run runs[] = {
    {"fmul_truncates", TWO "nop; fmul r2, r0, r1" END, {0x3f800001, 0x3fe00000}, .count = 2},
    {"ftoi_zero", "mov r0, unif\nftoi r2, r0" END, {0x4f400000}, .count = 1},
    {"fadd_nearest", TWO "fadd r2, r0, r1" END, {0x3f800000, 0x33c00000}, .count = 2},
    {"itof_nearest", "mov r0, unif\nitof r2, r0" END, {0x7fffffff}, .count = 1},
    {"denormals_kept", TWO "fadd r2, r0, r1" END, {0x00000001, 0}, .count = 2},
    {"denormals_kept", TWO "nop; fmul r2, r0, r1" END, {0x00800000, 0x3f000000}, .count = 2},
    {"negative_zero", TWO "fadd r2, r0, r1" END, {0x80000000, 0x80000000}, .count = 2},
    {"negative_zero", TWO "nop; fmul r2, r0, r1" END, {0, 0xbf800000}, .count = 2},
    {"nan_ieee", TWO "fadd r2, r0, r1" END, {0x7fc12345, 0x3f800000}, .count = 2},
    {"nan_ieee", TWO "nop; fmul r2, r0, r1" END, {0x7fc12345, 0x3f800000}, .count = 2},
    {"overflow_largest", TWO "nop; fmul r2, r0, r1" END, {0x7f000000, 0xc0000000}, .count = 2},
    {"fmin_nan", TWO "fmax r2, r0, r1" END, {0x7fc12345, 0x3f800000}, .count = 2},
    {"fminabs_sign", TWO "fminabs r2, r0, r1" END, {0xbf800000, 0x40000000}, .count = 2},
    {"mul24_signed", TWO "nop; mul24 r2, r0, r1" END, {0x800000, 0x10001}, .count = 2},
    {"shift_counts", TWO "shr r2, r0, r1" END, {0x12345678, 32}, .count = 2},
    {"shift_counts", TWO "asr r2, r0, r1" END, {0x92345678, 36}, .count = 2},
    {"clz_zero", "mov r0, unif\nclz r2, r0" END, {0}, .count = 1},
    {"v8muld_truncates", TWO "nop; v8muld r2, r0, r1" END, {0x7f7f7f7f, 0x81828384}, .count = 2},
    {"v8adds_wraps", TWO "v8adds r2, r0, r1" END, {0x7f80ff01, 0x7f8002ff}, .count = 2},
    {"v8adds_wraps", TWO "nop; v8adds r2, r0, r1" END, {0x7f80ff01, 0x7f8002ff}, .count = 2},

    {"carry_fadd", TWO "fadd.setf r2, r0, r1" END, {0x3f800000, 0x3f800000}, .count = 2},
    {"carry_max", TWO "max.setf r2, r0, r1" END, {7, 7}, .count = 2},
    {"carry_sub", TWO "sub.setf r2, r0, r1" END, {7, 8}, .count = 2},
    {"carry_shift", TWO "shr.setf r2, r0, r1" END, {1, 2}, .count = 2},
    {"carry_shift", TWO "shl.setf r2, r0, r1" END, {0x80000000, 2}, .count = 2},
    {"carry_logic", TWO "sub.setf r2, r0, r1\nand.setf r2, r0, r1" END, {7, 8}, .count = 2},
    {"flags_all_lanes", "mov r0, elem_num\nand.setf nop, r0, 1\nsub.zs.setf nop, r0, 8" END, {0}, .count = 0},
    {"flags_packed", "mov r0, unif\nmov ra2, 0\nnop\nmov.setf ra2.8a, r0" END, {0xffffff00}, .count = 1},

    {"recip_exact", "mov recip, unif\nnop\nnop\nmov r2, r4" END, {0x3f800000}, .count = 1},
    {"recip_rows", "mov recip, unif\nnop\nnop\nmov r2, r4" END, {0x3fa00000}, .count = 1},
    {"rsqrt_row", "mov rsqrt, unif\nnop\nnop\nmov r2, r4" END, {0x3fa80000}, .count = 1},
    {"rsqrt_negative", "mov rsqrt, unif\nnop\nnop\nmov r2, r4" END, {0xc0800000}, .count = 1},
    {"exp2_low", "mov exp, unif\nnop\nnop\nmov r2, r4" END, {0x3f800000}, .count = 1},
    {"log2_absolute", "mov log, unif\nnop\nnop\nmov r2, r4" END, {0xc0800000}, .count = 1},
    {"recip_zero", "mov recip, unif\nnop\nnop\nmov r2, r4" END, {0}, .count = 1},

    {"pack_byte_truncates",
     TWO "mov r2, 0\nnop; fmul r2.8b, r0, r1" END,
     {0x3f000000, 0x3f000000},
     .count = 2},
    {"pack_half_nearest",
     "mov r0, unif\nmov ra2, 0\nnop\nfmax ra2.16a, r0, r0" END,
     {0x3f801fff},
     .count = 1},
    {"pack_no_saturation", "mov r0, unif\nmov ra2, 0\nnop\nmov ra2.16as, r0" END, {0x12345678}, .count = 1},
    {"pack_no_saturation", "mov r0, unif\nmov ra2, 0\nnop\nmov ra2.8cs, r0" END, {0x12345678}, .count = 1},
    {"pack_clears", TWO "mov ra2, r1\nnop\nmov ra2.8c, r0" END, {0x12, 0xa1b2c3d4}, .count = 2},
    {"pack_clears", TWO "mov r2, r1\nnop; fmul r2.8b, r0, r0" END, {0x3f000000, 0xa1b2c3d4}, .count = 2},
    {"half_denormals", "mov ra1, unif\nnop\nfmax r2, ra1.16a, ra1.16a" END, {0x00000123}, .count = 1},
    {"byte_nearest", "mov ra1, unif\nnop\nfmax r2, ra1.8a, ra1.8a" END, {0x000000fe}, .count = 1},
    {"half_unsigned", "mov ra1, unif\nnop\nmov r2, ra1.16b" END, {0xc0000000}, .count = 1},
    {"replicate_a", "mov ra1, unif\nnop\nmov r2, ra1.8dr" END, {0xc0000011}, .count = 1},

    {"r5_quad", "mov r0, elem_num\nmov r5quad, r0\nnop\nmov r2, r5" END, {0}, .count = 0},
    {"rotation_reversed", "mov r0, elem_num\nnop\nnop; mov.rot3 r2, r0" END, {0}, .count = 0},
    {"immediate_fractions", "mov r2, 0.25" END, {0}, .count = 0},

    {"uniform_each_port", "add r0, unif, rb32\nmov r1, unif" END, {3, 4}, .count = 2},
    {"uniform_address",
     "mov r0, unif\nmovi r2, 0xc\nadd unif_addr, r2, unif\nnop\nnop\nmov r3, unif" END,
     {1, QPUSIM_STREAM_ADDRESS, 3, 4, 5},
     .count = 5},
    {"branch_any_all",
     "mov r0, elem_num\nmov r1, 0\nsub.setf nop, r0, 3\nbrr.anyz L8\nnop\nnop\nnop\nmov r1, 1\nL8:\nnop" END,
     {0},
     .count = 0},
    {"branch_slots",
     "mov r1, 0\nbrr L5\nadd r1, r1, 1\nadd r1, r1, 1\nadd r1, r1, 1\nL5:\nnop" END,
     {0},
     .count = 0},

    {"vpm_stride_63",
     VPM("0x201a00", "0x3fa01") "mov r0, vpm\nmov r1, vpm\nmov vpm, r0\nmov vpm, r1" END,
     {0},
     .count = 0,
     .vertices = true},
    {"vpm_laned",
     VPM("0x00201c01", "0x1a00") "mov r0, vpm\nmov r1, vpm\nmov vpm, r0\nmov vpm, r1" END,
     {0},
     .count = 0,
     .vertices = true},
    {"vpm_read_setup",
     VPM("0x101a00", "0x1a00") "movi vr_setup, 0x101a01\nnop\nmov r0, vpm\nmov r1, vpm\n"
                               "mov vpm, r0\nmov vpm, r1" END,
     {0},
     .count = 0,
     .vertices = true},

    {"z_equal", "nop\nnop\nmov tlbz, rb15\nmov tlbc, rb15" FEND, {0}, .count = 0},
    {"stencil_wraps",
     "mov stencil, unif\nnop\nmov tlbz, rb15\nmov tlbc, rb15" FEND,
     {3u << 30 | 3 << 28 | 3 << 25 | 4 << 22 | 1 << 19 | 7 << 16 | 0xff},
     .count = 1},
    {"stencil_masks",
     "mov stencil, unif\nnop\nmov tlbz, rb15\nmov tlbc, rb15" FEND,
     {3u << 30 | 1 << 28 | 5 << 25 | 5 << 22 | 1 << 19 | 7 << 16 | 0xff},
     .count = 1},
    {"stencil_sides",
     "mov stencil, unif\nmov stencil, unif\nnop\nmov tlbz, rb15\nmov tlbc, rb15" FEND,
     {1u << 30 | 3 << 28 | 5 << 25 | 5 << 22 | 1 << 19 | 7 << 16 | 0xff,
      2u << 30 | 3 << 28 | 1 << 25 | 1 << 22 | 1 << 19 | 7 << 16 | 0xff},
     .count = 2},
    {"sample_order",
     "nop\nnop\nnop; nop; loadc\nmov r2, r4\nmov tlbc, r4" FEND,
     {0},
     .count = 0,
     .multisample = true},
    {"discard_kept",
     "mov r0, elem_num\nand.setf nop, r0, 1\nmov.zs tlbz, rb15\nmov tlbc, rb15" FEND,
     {0},
     .count = 0},
};

/* Half of the lanes have a nearer or equal Z, half are on a back face, stencils are at both ends. */
static void make_fragments(struct qpusim_fragments *f, bool multisample) {
    static const uint8_t stencils[4] = {0, 255, 0x5a, 0x0f};
    *f = (struct qpusim_fragments){.live = 0xffff,
                                   .coverage = 0x7fff,
                                   .back = 0xff00,
                                   .multisample = multisample,
                                   .depth_test = true,
                                   .depth_write = true,
                                   .depth_func = QPUSIM_FUNC_LEQUAL};
    for (unsigned i = 0; i < 16; i++) {
        f->z[i] = 100 + i % 3;
        f->depth[i] = 101;
        f->stencil[i] = stencils[i % 4];
        f->samples[i] = 15;
        for (unsigned s = 0; s < QPUSIM_SAMPLES; s++)
            f->tile[s][i] = 0x01010101 * (4 * i + s);
    }
}

static void run(const struct run *r, unsigned fault, struct qpusim_result *out) {
    static struct qpusim_fragments fragments;
    static struct qpusim_vertices vertices = {.count = 16, .row_count = 2};
    struct qpusim_program *p = assemble(r->text, r->vertices ? QPUSIM_VERTEX : QPUSIM_FRAGMENT, false);
    const struct qpusim_options options = {.fault = fault};
    const struct qpusim_run_info info = {.program = p,
                                         .uniforms = {r->words, r->count, 0},
                                         .fragments = &fragments,
                                         .vertices = &vertices,
                                         .partial_uniforms = true};
    struct qpusim_error error;
    make_fragments(&fragments, r->multisample);
    for (unsigned i = 0; i < 32; i++)
        vertices.rows[i / 16][i % 16] = 0x03020100u + i * 0x04040404u;
    ck_assert_msg(qpusim_run(&info, &options, out, &error) == QPUSIM_OK, "%s: %s in\n%s", error.rule,
                  error.text, r->text);
    qpusim_program_free(p);
}

static bool found[256]; /* by number of the fault */

/* The fault's number; it has been seen to change something. */
static unsigned number_of(const char *fault) {
    unsigned n = qpusim_fault_find(fault);
    ck_assert_msg(n, "there is no fault %s", fault);
    found[n] = true;
    return n;
}

static unsigned unseen;

static void compare(const char *fault, const void *right, const void *wrong, size_t size, const char *what) {
    if (memcmp(right, wrong, size) == 0) {
        fprintf(stderr, "%s changes nothing in %s\n", fault, what);
        unseen++;
    }
}

static void programs(void) {
    static struct qpusim_result right, wrong;
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        run(&runs[i], 0, &right);
        run(&runs[i], number_of(runs[i].fault), &wrong);
        compare(runs[i].fault, &right, &wrong, sizeof right, runs[i].text);
    }
}

/* --- lookups -------------------------------------------------------------------------------------------- */

struct lookup {
    const char *fault, *coordinates; /* written in this order */
    enum qpusim_format format;
    unsigned size, levels;
    bool cube, child;
    enum qpusim_wrap wrap;
    enum qpusim_mag mag;
    enum qpusim_min min;
    float from, right, down, third; /* of s and t: lane 0's, per pixel; R or B */
};

static const struct lookup lookups[] = {
    {"texture_weights", "ts", QPUSIM_RGBA8888, 16, 1, .right = 0.013f, .down = 0.02f},
    {"texture_rounding", "ts", QPUSIM_RGBA8888, 16, 1, .right = 0.013f, .down = 0.02f},
    {"texture_nearest", "ts", QPUSIM_RGBA8888, 16, 1, .mag = QPUSIM_MAG_NEAREST, .min = QPUSIM_MIN_NEAREST,
     .right = 0.013f, .down = 0.02f},
    {"texture_mirror", "ts", QPUSIM_RGBA8888, 16, 1, .wrap = QPUSIM_MIRROR, .mag = QPUSIM_MAG_NEAREST,
     .min = QPUSIM_MIN_NEAREST, .from = 0.9f, .right = 0.0625f, .down = 0.0625f},
    {"texture_border", "ts", QPUSIM_RGBA8888, 16, 1, .wrap = QPUSIM_BORDER, .from = -0.2f, .right = 0.0625f,
     .down = 0.0625f},
    {"texture_border_color", "trs", QPUSIM_RGBA8888, 16, 1, .wrap = QPUSIM_BORDER, .from = -0.2f,
     .right = 0.0625f, .down = 0.0625f, .third = 0.7f},
    {"lod_shorter", "ts", QPUSIM_RGBA8888, 16, 5, .min = QPUSIM_MIN_NEAREST_MIP_NEAREST, .right = 0.25f,
     .down = 0.0625f},
    {"lod_steps", "tbs", QPUSIM_RGBA8888, 16, 5, .min = QPUSIM_MIN_NEAREST_MIP_NEAREST, .right = 2,
     .third = -1},
    {"lod_magnified", "ts", QPUSIM_RGBA8888, 16, 5, .min = QPUSIM_MIN_NEAREST_MIP_NEAREST, .right = 0.08f,
     .down = 0.08f},
    {"lod_level", "ts", QPUSIM_RGBA8888, 16, 5, .min = QPUSIM_MIN_NEAREST_MIP_NEAREST, .right = 0.11f,
     .down = 0.11f},
    {"lod_fraction", "ts", QPUSIM_RGBA8888, 16, 5, .min = QPUSIM_MIN_LINEAR_MIP_LINEAR, .right = 0.1f,
     .down = 0.1f},
    {"lod_bias", "tbs", QPUSIM_RGBA8888, 16, 5, .min = QPUSIM_MIN_NEAREST_MIP_NEAREST, .right = 0.125f,
     .down = 0.125f, .third = 1},
    {"cube_edge", "trs", QPUSIM_RGBA8888, 16, 1, .cube = true, .from = 1, .third = 1},
    {"cube_wrap", "trs", QPUSIM_RGBA8888, 16, 1, .cube = true, .from = 0.99f, .third = 1},
    {"child_origin", "trbs", QPUSIM_RGBA8888, 16, 1, .child = true, .right = 0.125f, .down = 0.125f},
    {"texel_widths", "ts", QPUSIM_RGB565, 16, 1, .right = 0.0625f, .down = 0.0625f},
    {"texel_order", "ts", QPUSIM_A4, 16, 1, .right = 0.0625f, .down = 0.0625f},
    {"texel_order", "ts", QPUSIM_BW1, 16, 1, .right = 0.0625f, .down = 0.0625f},
    {"texel_yuyv", "ts", QPUSIM_YUYV422R, 16, 1, .right = 0.0625f, .down = 0.0625f},
    {"texel_etc1", "ts", QPUSIM_ETC1, 16, 1, .right = 0.0625f, .down = 0.0625f},
};

/* The first level's texels are arbitrary bytes; smaller ones differ as much. */
static struct qpusim_texture upload(struct qpusim_memory *memory, const struct lookup *l) {
    static uint8_t bytes[12][16 * 16 * 4];
    struct qpusim_image images[12];
    unsigned count = l->cube ? 6 : l->levels;
    for (unsigned n = 0; n < count; n++) {
        unsigned size = l->cube ? l->size : l->size >> n;
        for (unsigned i = 0; i < sizeof bytes[n]; i++)
            bytes[n][i] = (uint8_t)((i + 1) * (77 + 24 * n) + (i * i >> 3));
        images[n] = (struct qpusim_image){bytes[n], size, size};
    }
    const struct qpusim_texture_info info = {.format = l->format,
                                             .levels = images,
                                             .level_count = l->levels,
                                             .cube = l->cube,
                                             .wrap_s = l->wrap,
                                             .wrap_t = l->wrap,
                                             .mag = l->mag,
                                             .min = l->min};
    struct qpusim_texture t;
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &t), QPUSIM_OK);
    return t;
}

/* The program reads the coordinates as varyings, in the order in which it writes them. */
static void look_up(const struct lookup *l, unsigned fault, struct qpusim_result *out) {
    static struct qpusim_fragments f;
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    const struct qpusim_texture t = upload(memory, l);
    const uint32_t words[4] = {t.p0, t.p1, l->child ? 2u << 30 | 8 << 12 | 8 : t.p2,
                               l->child ? 3u << 30 | 5 << 12 | 3 : 0};
    unsigned count = (unsigned)strlen(l->coordinates);
    char text[400];
    size_t n = (size_t)snprintf(text, sizeof text, "nop\nnop\n");
    make_fragments(&f, false);
    f.varying_count = count;
    for (unsigned k = 0; k < count; k++) {
        char c = l->coordinates[k];
        n += (size_t)snprintf(text + n, sizeof text - n, "nop; mov r0, vary\nmov t0%c, r0\n", c);
        for (unsigned i = 0; i < 16; i++) {
            unsigned x = (i & 1) + (i >> 2 & 1) * 2, y = (i >> 1 & 1) + (i >> 3) * 2;
            f.vary[k][i] = c == 's'   ? l->from + (float)x * l->right
                           : c == 't' ? l->from + (float)y * l->down
                                      : l->third;
        }
    }
    snprintf(text + n, sizeof text - n, "nop; nop; ldtmu0\nmov tlbc, r4" FEND);
    struct qpusim_program *p = assemble(text, QPUSIM_FRAGMENT, false);
    const struct qpusim_options options = {.fault = fault};
    const struct qpusim_run_info info = {
        .program = p, .memory = memory, .uniforms = {words, count, 0}, .fragments = &f};
    struct qpusim_error error;
    ck_assert_msg(qpusim_run(&info, &options, out, &error) == QPUSIM_OK, "%s: %s", error.rule, error.text);
    qpusim_program_free(p);
    qpusim_memory_free(memory);
}

static void textures(void) {
    static struct qpusim_result right, wrong;
    for (unsigned i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        look_up(&lookups[i], 0, &right);
        look_up(&lookups[i], number_of(lookups[i].fault), &wrong);
        compare(lookups[i].fault, &right, &wrong, sizeof right, "a lookup");
    }
}

/* --- frames --------------------------------------------------------------------------------------------- */

enum { SIDE = 64, LOADED = FRAME_VERTICES + 0x10000 };

struct scene {
    const char *fault, *text;
    uint32_t words[1];
    enum qpusim_mode mode;
    unsigned count;
    const float (*vertex)[6]; /* x and y in pixels, z from 0 to 1, before the division by w; size; varying */
    bool sizes, flat, multisample, flipped, load;
    unsigned attribute_bytes; /* of varying; 0: 4 */
    float factor, units;      /* of depth offset */
    float line_width;
    unsigned pixel; /* of the rendering mode; 0: RGBA8888 */
    uint32_t clear[2];
};

#define BEGIN "nop\nnop\n"
#define V "nop; mov r0, vary\n"
#define VARYING "nop; fmul r0, vary, ra15\nfadd r0, r0, r5\n"
#define Z "mov tlbz, rb15\n"
#define FLAT_Z BEGIN Z "mov tlbc, rb15" FEND
#define COLOR BEGIN Z "mov tlbc, unif" FEND
#define TRIANGLE QPUSIM_TRIANGLES, 3

static const float centres[][6] = {{8.5f, 8.5f, 0.3f, 1}, {40.5f, 8.5f, 0.6f, 1}, {8.5f, 40.5f, 0.45f, 1}};
static const float beyond[][6] = {{8, 8, 0.3f, 1}, {40, 8, -0.45f, 1}, {8, 41, 0.3f, 1}}; /* the near plane */
static const float small[][6] = {{8, 8, 0.3f, 1}, {12, 8, 0.3f, 1}, {8, 12, 0.3f, 1}};    /* three quads */
static const float flat[][6] = {{8, 8, 0, 1, 0, 1}, {40, 8, 0, 1, 0, 2}, {8, 40, 0, 1, 0, 3}};
static const float point[][6] = {{20.5f, 20.5f, 0, 1, 4.5f}};
static const float outside[][6] = {{-10, 20.5f, 0, 1, 40}};
static const float large[][6] = {{290.5f, 20.5f, 0, 1, 528}};
static const float level[][6] = {{5, 20.5f, 0, 1}, {40, 20.5f, 0, 1}};
static const float diagonal[][6] = {{5, 5.25f, 0, 1}, {40, 40.25f, 0, 1}};

static const struct scene scenes[] = {
    {"raster_rule", COLOR, {~0u}, TRIANGLE, .vertex = centres},
    {"raster_w", BEGIN Z "mov tlbc, ra15" FEND, {0}, TRIANGLE, .vertex = centres},
    {"raster_samples", COLOR, {~0u}, TRIANGLE, .vertex = centres, .multisample = true, .pixel = 1},
    {"z_rounding", FLAT_Z, {0}, TRIANGLE, .vertex = centres},
    {"offset_units", FLAT_Z, {0}, TRIANGLE, .vertex = centres, .units = 4},
    {"offset_slope", FLAT_Z, {0}, TRIANGLE, .vertex = centres, .factor = 3},
    {"flat_first", BEGIN VARYING Z "mov tlbc, r0" FEND, {0}, TRIANGLE, .vertex = flat, .flat = true},
    {"attribute_words",
     BEGIN VARYING Z "mov tlbc, r0" FEND,
     {0},
     TRIANGLE,
     .vertex = flat,
     .attribute_bytes = 3},
    {"point_size",
     BEGIN V V Z "mov tlbc, unif" FEND,
     {~0u},
     QPUSIM_POINTS,
     1,
     .vertex = point,
     .sizes = true},
    {"point_sides",
     BEGIN V V Z "mov tlbc, unif" FEND,
     {~0u},
     QPUSIM_POINTS,
     1,
     .vertex = outside,
     .sizes = true},
    {"point_large",
     BEGIN V V Z "mov tlbc, unif" FEND,
     {~0u},
     QPUSIM_POINTS,
     1,
     .vertex = large,
     .sizes = true},
    {"point_t", BEGIN V VARYING Z "mov tlbc, r0" FEND, {0}, QPUSIM_POINTS, 1, .vertex = point, .sizes = true},
    {"line_width", BEGIN V Z "mov tlbc, unif" FEND, {~0u}, QPUSIM_LINES, 2, .vertex = level, .line_width = 3},
    {"line_major",
     BEGIN V Z "mov tlbc, unif" FEND,
     {~0u},
     QPUSIM_LINES,
     2,
     .vertex = diagonal,
     .line_width = 2},
    {"quad_order", BEGIN Z "mov tlbc, elem_num" FEND, {0}, TRIANGLE, .vertex = centres},
    {"helpers_dead",
     BEGIN "mov ra1, x_coord\nnop\nnop; mov.rot1 r1, ra1\n" Z "mov tlbc, r1" FEND,
     {0},
     TRIANGLE,
     .vertex = centres},
    {"lanes_absent",
     BEGIN "mov r0, x_coord\nnop\nnop; mov.rot4 r1, r0\n" Z "mov tlbc, r1" FEND,
     {0},
     TRIANGLE,
     .vertex = small},
    {"count_pixels", COLOR, {~0u}, TRIANGLE, .vertex = centres},
    {"count_clipped", COLOR, {~0u}, TRIANGLE, .vertex = beyond},
    {"clip_absolute", COLOR, {~0u}, TRIANGLE, .vertex = beyond, .flipped = true},
    {"clip_rounding", FLAT_Z, {~0u}, TRIANGLE, .vertex = beyond},
    {"clip_half_pixel", COLOR, {~0u}, TRIANGLE, .vertex = beyond},
    {"clip_near", COLOR, {~0u}, TRIANGLE, .vertex = centres},
    {"clear_columns", COLOR, {~0u}, TRIANGLE, .vertex = centres, .clear = {1, 2}},
    {"store_565", COLOR, {0x00070707}, TRIANGLE, .vertex = centres, .pixel = 2},
    {"store_dither", COLOR, {0x000d0d0d}, TRIANGLE, .vertex = centres, .pixel = 4},
    {"load_565", COLOR, {0x00070707}, TRIANGLE, .vertex = centres, .load = true},
    {"resolve_truncates", COLOR, {0x03030303}, TRIANGLE, .vertex = centres, .multisample = true},
};

/* Positions in sixteenths as the shaders compute them; a flipped target has a negative scale. */
static void put_vertices(struct frame *f, const struct scene *s) {
    float(*v)[6] = frame_at(f, FRAME_VERTICES, s->count * sizeof *s->vertex);
    for (unsigned i = 0; i < s->count; i++) {
        const float *from = s->vertex[i];
        v[i][0] = (from[0] / (SIDE / 2) - 1) * from[3];
        v[i][1] = (from[1] / (SIDE / 2) - 1) * from[3] * (s->flipped ? -1 : 1);
        v[i][2] = (2 * from[2] - 1) * from[3];
        v[i][3] = from[3];
        v[i][4] = from[s->sizes ? 4 : 5];
    }
}

static void put_record(struct frame *f, const struct scene *s) {
    struct qpusim_list l = {0};
    bool varying = s->flat || s->attribute_bytes;
    unsigned more = s->sizes || varying ? 4 : 0, bytes = s->attribute_bytes ? s->attribute_bytes : more;
    const struct qpusim_cl_gl_shader_record record = {
        .single_threaded = true,
        .point_size = s->sizes,
        .clipping = true,
        .varyings = varying,
        .fragment_code = frame_program(f, s->text),
        .fragment_uniforms = FRAME_UNIFORMS + 64,
        .vertex_attributes = 1,
        .vertex_size = 16 + more,
        .vertex_code = frame_vertex_program(f, varying, s->sizes, false),
        .vertex_uniforms = FRAME_UNIFORMS,
        .coordinate_attributes = 1,
        .coordinate_size = 16 + more,
        .coordinate_code = frame_vertex_program(f, varying, s->sizes, true),
        .coordinate_uniforms = FRAME_UNIFORMS};
    qpusim_put_gl_shader_record(&l, &record);
    qpusim_put_attribute_record(
        &l, &(struct qpusim_cl_attribute_record){FRAME_VERTICES, 16 + bytes, sizeof *s->vertex, 0, 0});
    memcpy(frame_at(f, FRAME_RECORD, l.size), l.bytes, l.size);
    qpusim_list_free(&l);
}

static unsigned tiles_across(const struct scene *s) {
    return s->multisample ? SIDE / 32 : SIDE / 64;
}

static void put_bin(struct frame *f, const struct scene *s) {
    const struct qpusim_cl_binning_mode mode = {.allocation = FRAME_TILES,
                                                .allocation_size = FRAME_TILE_BYTES,
                                                .tile_state = FRAME_STATE,
                                                .width = tiles_across(s),
                                                .height = tiles_across(s),
                                                .multisample = s->multisample,
                                                .initialise = true,
                                                .block = 1};
    const struct qpusim_cl_configuration_bits bits = {.front_facing = true,
                                                      .reverse_facing = true,
                                                      .depth_offset = s->factor != 0 || s->units != 0,
                                                      .depth_func = QPUSIM_FUNC_ALWAYS};
    struct qpusim_list *l = &f->bin;
    qpusim_put_binning_mode(l, &mode);
    qpusim_put_start_tile_binning(l);
    qpusim_put_clip_window(l, &(struct qpusim_cl_clip_window){.width = SIDE, .height = SIDE});
    qpusim_put_configuration_bits(l, &bits);
    qpusim_put_viewport_offset(l, &(struct qpusim_cl_viewport_offset){SIDE * 8, SIDE * 8});
    qpusim_put_clipper_xy_scaling(
        l, &(struct qpusim_cl_clipper_xy_scaling){SIDE * 8, s->flipped ? -SIDE * 8.0f : SIDE * 8.0f});
    qpusim_put_clipper_z_scaling(l, &(struct qpusim_cl_clipper_z_scaling){0.5f, 0.5f});
    qpusim_put_line_width(l, &(struct qpusim_cl_line_width){s->line_width});
    qpusim_put_flat_shade_flags(l, &(struct qpusim_cl_flat_shade_flags){s->flat});
    qpusim_put_depth_offset(l, &(struct qpusim_cl_depth_offset){.factor = s->factor, .units = s->units});
    qpusim_put_gl_shader_state(
        l, &(struct qpusim_cl_gl_shader_state){.attribute_count = 1, .address = FRAME_RECORD});
    qpusim_put_array_primitives(l, &(struct qpusim_cl_array_primitives){s->mode, s->count, 0});
    frame_end_bin(f);
}

static void put_render(struct frame *f, const struct scene *s) {
    const struct qpusim_cl_rendering_mode mode = {.address = FRAME_PIXELS,
                                                  .width = SIDE,
                                                  .height = SIDE,
                                                  .multisample = s->multisample,
                                                  .pixel = s->pixel ? s->pixel & 3 : 1};
    const unsigned across = tiles_across(s);
    struct qpusim_list *l = &f->render;
    qpusim_put_rendering_mode(l, &mode);
    qpusim_put_clear_colors(
        l, &(struct qpusim_cl_clear_colors){.color = s->clear[0], .color_high = s->clear[1], .z = 0xffffff});
    qpusim_put_tile_coordinates(l, &(struct qpusim_cl_tile_coordinates){0, 0});
    qpusim_put_store_general(l, &(struct qpusim_cl_store_general){0});
    for (unsigned tile = 0; tile < across * across; tile++) {
        if (s->load)
            qpusim_put_load_general(
                l, &(struct qpusim_cl_load_general){.buffer = 1, .pixel = 2, .address = LOADED});
        qpusim_put_tile_coordinates(l, &(struct qpusim_cl_tile_coordinates){tile % across, tile / across});
        if (!tile)
            qpusim_put_wait_on_semaphore(l);
        qpusim_put_branch_to_sub_list(l, &(struct qpusim_cl_branch_to_sub_list){FRAME_TILES + 32 * tile});
        if (tile + 1 < across * across)
            qpusim_put_store_resolved(l);
        else
            qpusim_put_store_resolved_last(l);
    }
}

struct outcome {
    uint32_t pixels[SIDE * SIDE];
    uint64_t counts[QPUSIM_COUNTS];
};

static void draw(const struct scene *s, unsigned fault, struct outcome *out) {
    struct frame f;
    uint32_t words[6];
    frame_open(&f, SIDE, SIDE, 0);
    f.options.fault = fault;
    frame_vertex_uniforms(words, SIDE, SIDE);
    words[2] ^= s->flipped ? 0x80000000u : 0;
    memcpy(frame_at(&f, FRAME_UNIFORMS, sizeof words), words, sizeof words);
    memcpy(frame_at(&f, FRAME_UNIFORMS + 64, 4), s->words, 4);
    uint16_t *loaded = frame_at(&f, LOADED, SIDE * SIDE * 2);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        loaded[i] = (uint16_t)(i * 40503u);
    put_vertices(&f, s);
    put_record(&f, s);
    put_bin(&f, s);
    put_render(&f, s);
    frame_run_well(&f);
    memcpy(out->pixels, frame_at(&f, FRAME_PIXELS, sizeof out->pixels), sizeof out->pixels);
    for (unsigned n = 0; n < QPUSIM_COUNTS; n++)
        out->counts[n] = qpusim_block_count(f.block, (enum qpusim_count)n);
    frame_close(&f);
}

static void frames(void) {
    static struct outcome right, wrong;
    for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        draw(&scenes[i], 0, &right);
        draw(&scenes[i], number_of(scenes[i].fault), &wrong);
        compare(scenes[i].fault, &right, &wrong, sizeof right, "a frame");
    }
}

/* --- all of them ---------------------------------------------------------------------------------------- */

START_TEST(each_shows) {
    programs();
    textures();
    frames();
    for (unsigned n = 1; qpusim_fault_at(n); n++) {
        if (!found[n]) {
            fprintf(stderr, "no run shows %s\n", qpusim_fault_at(n)->name);
            unseen++;
        }
    }
    ck_assert_uint_eq(unseen, 0);
}
END_TEST

START_TEST(list) {
    unsigned count = 0;
    ck_assert_ptr_null(qpusim_fault_at(0));
    while (qpusim_fault_at(count + 1))
        count++;
    ck_assert_uint_ge(count, 45);
    ck_assert_uint_lt(count, sizeof found / sizeof *found);
    ck_assert_ptr_null(qpusim_fault_at(count + 2));
    ck_assert_uint_eq(qpusim_fault_find("none"), 0);
    ck_assert_uint_eq(qpusim_fault_find(""), 0);
    for (unsigned n = 1; n <= count; n++) {
        const struct qpusim_fault *f = qpusim_fault_at(n);
        ck_assert_uint_eq(qpusim_fault_find(f->name), n); /* so names are unique */
        for (const char *c = f->name; *c; c++)
            ck_assert_msg(islower(*c) || isdigit(*c) || *c == '_', "%s", f->name);
        ck_assert_uint_gt(strlen(f->text), 10);
        bool known = false;
        for (unsigned k = 0; k < sizeof assumptions / sizeof *assumptions; k++)
            known |= !strcmp(assumptions[k], f->assumption);
        ck_assert_msg(known, "%s: there is no assumption %s", f->name, f->assumption);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("faults");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, each_shows);
    tcase_add_test(tc, list);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
