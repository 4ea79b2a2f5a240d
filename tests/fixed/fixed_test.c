/* The interface of the fixed-function front: any bytes have an answer, GL's initial values, GL's formula for
 * the size of points. */
#include "tools/fixed_file.h"
#include "tools/machine.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t next(uint32_t *s) {
    *s = *s * 1664525u + 1013904223u;
    return *s >> 8;
}

static const char *code_of(const qpucc_program *program) {
    return qpucc_program_diagnostic_count(program) ? qpucc_program_diagnostic(program, 0)->code : "";
}

/* Compiles; what does not must be refused as a state. Returns whether it did. */
static bool answers(const struct qpucc_fixed *fixed, const struct qpucc_state *state, int level) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    qpucc_program *program = qpucc_compile_fixed(fixed, state, &options);
    ck_assert_ptr_nonnull(program);
    bool ok = qpucc_program_status(program) == QPUCC_OK;
    if (!ok) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
        ck_assert_msg(qpucc_program_status(program) == QPUCC_SOURCE_ERROR && !strcmp(d->code, "state"),
                      "%s: %s", d->code, d->text);
    }
    qpucc_program_free(program);
    return ok;
}

START_TEST(any_bytes) {
    uint32_t s = 1;
    for (int n = 0; n < 20000; n++) {
        struct qpucc_fixed fixed;
        uint8_t *bytes = (uint8_t *)&fixed;
        for (size_t k = 0; k < sizeof fixed; k++)
            bytes[k] = (uint8_t)next(&s);
        ck_assert(!answers(&fixed, NULL, 2));
    }
}
END_TEST

/* One byte too large, and the message names it. */
START_TEST(each_member_is_checked) {
    const struct qpucc_member *m;
    for (size_t k = 0; (m = qpucc_fixed_member_at(k)); k++)
        for (unsigned n = 0; n < m->structs; n++)
            for (unsigned i = 0; i < m->count; i++) {
                struct qpucc_fixed fixed;
                memset(&fixed, 0, sizeof fixed);
                ((uint8_t *)&fixed)[m->offset + n * m->stride + i] = (uint8_t)(m->limit + 1);
                qpucc_program *program = qpucc_compile_fixed(&fixed, NULL, NULL);
                ck_assert_str_eq(code_of(program), "state");
                ck_assert_ptr_nonnull(strstr(qpucc_program_diagnostic(program, 0)->text, m->name));
                qpucc_program_free(program);
            }
}
END_TEST

/* Every byte of the struct is a member's. */
START_TEST(members_cover_the_struct) {
    unsigned char seen[sizeof(struct qpucc_fixed)] = {0};
    const struct qpucc_member *m;
    for (size_t k = 0; (m = qpucc_fixed_member_at(k)); k++)
        for (unsigned n = 0; n < m->structs; n++)
            for (unsigned i = 0; i < m->count; i++)
                seen[m->offset + n * m->stride + i]++;
    for (size_t k = 0; k < sizeof seen; k++)
        ck_assert_msg(seen[k] == 1, "byte %zu is listed %d times", k, seen[k]);
}
END_TEST

/* States in range; `_i` picks the numbers. Everything at once rarely is a state that fits, so members are set
 * with a chance that differs from state to state. */
START_TEST(states_in_range) {
    uint32_t s = (uint32_t)_i * 77777u + 5;
    unsigned compiled = 0;
    for (int n = 0; n < 6; n++) {
        struct qpucc_fixed fixed;
        struct qpucc_state state = {0};
        const struct qpucc_member *m;
        unsigned share = next(&s) % 60 + 5;
        memset(&fixed, 0, sizeof fixed);
        for (size_t k = 0; (m = qpucc_fixed_member_at(k)); k++)
            for (unsigned e = 0; e < m->structs; e++)
                for (unsigned i = 0; i < m->count; i++)
                    if (next(&s) % 100 < share)
                        ((uint8_t *)&fixed)[m->offset + e * m->stride + i] =
                            (uint8_t)(next(&s) % (m->limit + 1));
        state.primitive = (uint8_t)(next(&s) % 3);
        state.two_sided = (uint8_t)(next(&s) % 2);
        state.flat_shade = (uint8_t)(next(&s) % 2);
        state.clip_planes = (uint8_t)(next(&s) & next(&s) & next(&s));
        state.coord_replace = (uint8_t)next(&s);
        state.fog = (uint8_t)(next(&s) % QPUCC_FOG_COUNT);
        state.fog_source = (uint8_t)(next(&s) % QPUCC_FOG_SOURCE_COUNT);
        state.alpha_func = (uint8_t)(next(&s) % QPUCC_FUNC_COUNT);
        compiled += answers(&fixed, &state, n % 2 ? 1 : 0);
    }
    ck_assert_uint_gt(compiled, 0);
}
END_TEST

static void expect_same_code(const qpucc_program *a, const qpucc_program *b) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t n, m;
        const uint64_t *x = qpucc_program_code(a, (enum qpucc_stage)s, &n),
                       *y = qpucc_program_code(b, (enum qpucc_stage)s, &m);
        ck_assert_uint_eq(n, m);
        ck_assert(n && !memcmp(x, y, n * sizeof *x));
    }
}

/* The programs suit every key: a variant is what a compile for its key gives. */
START_TEST(variants) {
    static const struct qpucc_state keys[] = {{.primitive = QPUCC_POINTS},
                                              {.two_sided = 1},
                                              {.flat_shade = 1, .depth_test = 1},
                                              {.clip_planes = 5},
                                              {.fog = QPUCC_FOG_EXP, .fog_source = QPUCC_FOG_COORDINATE},
                                              {.alpha_func = QPUCC_LESS},
                                              {.primitive = QPUCC_POINTS, .coord_replace = 1}};
    struct qpucc_fixed fixed;
    memset(&fixed, 0, sizeof fixed);
    fixed.lighting = fixed.normal_array = fixed.color_array = 1;
    fixed.color_material = QPUCC_MATERIAL_DIFFUSE;
    fixed.light[0].enabled = fixed.light[3].enabled = fixed.light[3].positional = 1;
    fixed.texture[0].target = QPUCC_UNIT_2D;
    fixed.texture[0].coord_words = 2;
    qpucc_program *first = qpucc_compile_fixed(&fixed, NULL, NULL);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        qpucc_program *variant = qpucc_variant(first, &keys[k]),
                      *own = qpucc_compile_fixed(&fixed, &keys[k], NULL);
        ck_assert_int_eq(qpucc_program_status(variant), QPUCC_OK);
        ck_assert_int_eq(qpucc_program_status(own), QPUCC_OK);
        expect_same_code(variant, own);
        qpucc_program_free(variant);
        qpucc_program_free(own);
    }
    qpucc_program_free(first);
}
END_TEST

/* --- initial values ------------------------------------------------------------------------------------- */

static const float *initial_of(const qpucc_program *program, const char *name) {
    static float out[16];
    for (size_t k = 0; k < qpucc_program_variable_count(program, QPUCC_UNIFORMS); k++) {
        const struct qpucc_variable *u = qpucc_program_variable(program, QPUCC_UNIFORMS, k);
        if (strcmp(u->name, name))
            continue;
        memcpy(out, qpucc_program_uniform_initial(program) + u->word, 4u * u->rows * u->cols);
        return out;
    }
    ck_abort_msg("no uniform %s", name);
    return NULL;
}

START_TEST(initial_values) {
    static const struct {
        const char *name;
        float value[4];
        unsigned words;
    } expected[] = {{"gl_FrontMaterial.ambient", {0.2f, 0.2f, 0.2f, 1}, 4},
                    {"gl_FrontMaterial.diffuse", {0.8f, 0.8f, 0.8f, 1}, 4},
                    {"gl_FrontMaterial.specular", {0, 0, 0, 1}, 4},
                    {"gl_FrontMaterial.emission", {0, 0, 0, 1}, 4},
                    {"gl_FrontMaterial.shininess", {0}, 1},
                    {"gl_LightModel.ambient", {0.2f, 0.2f, 0.2f, 1}, 4},
                    {"gl_LightSource[0].diffuse", {1, 1, 1, 1}, 4},
                    {"gl_LightSource[0].specular", {1, 1, 1, 1}, 4},
                    {"gl_LightSource[0].position", {0, 0, 1, 0}, 4},
                    {"gl_LightSource[1].diffuse", {0, 0, 0, 1}, 4},
                    {"gl_LightSource[1].ambient", {0, 0, 0, 1}, 4},
                    {"gl_LightSource[1].spotDirection", {0, 0, -1}, 3},
                    {"gl_LightSource[1].spotCutoff", {180}, 1},
                    {"gl_LightSource[1].constantAttenuation", {1}, 1},
                    {"gl_LightSource[1].linearAttenuation", {0}, 1},
                    {"gl_Normal", {0, 0, 1}, 3},
                    {"gl_MultiTexCoord0", {0, 0, 0, 1}, 4},
                    {"gl_TextureEnvColor", {0, 0, 0, 0}, 4},
                    {"gl_EyePlaneS", {1, 0, 0, 0}, 4},
                    {"gl_EyePlaneT", {0, 1, 0, 0}, 4},
                    {"gl_ModelViewMatrix", {1, 0, 0, 0}, 4}};
    struct qpucc_fixed fixed;
    memset(&fixed, 0, sizeof fixed);
    fixed.lighting = 1;
    fixed.light[0].enabled = fixed.light[1].enabled = 1;
    fixed.light[1].positional = fixed.light[1].spot = fixed.light[1].attenuation = 1;
    fixed.texture[0].target = fixed.texture[1].target = QPUCC_UNIT_2D;
    fixed.texture[0].env = QPUCC_ENV_BLEND;
    fixed.texture[1].generate[0] = fixed.texture[1].generate[1] = QPUCC_GENERATE_EYE_LINEAR;
    qpucc_program *program = qpucc_compile_fixed(&fixed, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const float *value = initial_of(program, expected[k].name);
        for (unsigned w = 0; w < expected[k].words; w++)
            ck_assert_msg(value[w] == expected[k].value[w], "%s, word %u: %g", expected[k].name, w,
                          (double)value[w]);
    }
    qpucc_program_free(program);
}
END_TEST

/* Slot n of the program is unit n. */
START_TEST(units_are_slots) {
    struct qpucc_fixed fixed;
    memset(&fixed, 0, sizeof fixed);
    fixed.texture[2].target = QPUCC_UNIT_2D;
    fixed.texture[5].target = QPUCC_UNIT_CUBE;
    qpucc_program *program = qpucc_compile_fixed(&fixed, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    ck_assert_uint_eq(qpucc_program_variable_count(program, QPUCC_SAMPLERS), 6);
    for (unsigned n = 0; n < 6; n++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_SAMPLERS, n);
        ck_assert_uint_eq(v->word, n);
        ck_assert_int_eq(v->base, n == 5 ? QPUCC_SAMPLERCUBE : QPUCC_SAMPLER2D);
    }
    qpucc_program_free(program);
}
END_TEST

/* What is not read does not count: arrays that lighting or generation takes no notice of, fog from W. */
START_TEST(limits_count_what_is_read) {
    struct qpucc_state state = {0};
    struct qpucc_fixed fixed;
    memset(&fixed, 0, sizeof fixed);
    for (unsigned n = 0; n < 6; n++) {
        fixed.texture[n].target = QPUCC_UNIT_2D;
        fixed.texture[n].coord_words = 2;
    }
    fixed.color_array = fixed.normal_array = fixed.secondary_array = 1;
    ck_assert(answers(&fixed, &state, 1));
    fixed.color_sum = 1;
    ck_assert(!answers(&fixed, &state, 1));
    fixed.lighting = 1; /* normals instead of colours and their sum */
    ck_assert(answers(&fixed, &state, 1));
    fixed.color_material = QPUCC_MATERIAL_DIFFUSE;
    ck_assert(!answers(&fixed, &state, 1));
    memset(fixed.texture[3].generate, QPUCC_GENERATE_EYE_LINEAR, 4);
    ck_assert(answers(&fixed, &state, 1));
    memset(&fixed, 0, sizeof fixed);
    for (unsigned n = 0; n < 8; n++)
        fixed.texture[n].target = QPUCC_UNIT_2D; /* three words each, of the current coordinates */
    state = (struct qpucc_state){.two_sided = 1, .fog = QPUCC_FOG_EXP};
    ck_assert(answers(&fixed, &state, 1));
    state.fog_source = QPUCC_FOG_DEPTH;
    ck_assert(answers(&fixed, &state, 1));
    state.fog_per_vertex = 1;
    ck_assert(!answers(&fixed, &state, 1));
}
END_TEST

/* --- points --------------------------------------------------------------------------------------------- */

struct point {
    float place[4], size;
};

static void fill_point(void *user, const struct qpucc_variable *variable,
                       const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    const struct point *p = user;
    (void)vertices;
    memcpy(data, strcmp(variable->name, "gl_Vertex") ? &p->size : p->place, slot->words * sizeof *data);
}

static void set_uniform(struct machine *m, const char *name, float value) {
    for (size_t k = 0; k < qpucc_program_variable_count(m->program, QPUCC_UNIFORMS); k++) {
        const struct qpucc_variable *u = qpucc_program_variable(m->program, QPUCC_UNIFORMS, k);
        if (!strcmp(u->name, name))
            memcpy(m->uniforms + u->word, &value, sizeof value);
    }
}

/* How many pixels a point covers, at (x, y, -z) of a projection whose w is 1. */
static unsigned pixels_of(const struct qpucc_fixed *fixed, const float place[3], float size,
                          const float a[3]) {
    enum { WIDTH = 64 };
    static const uint8_t black[4] = {0, 0, 0, 255};
    struct qpucc_state state = {.primitive = QPUCC_POINTS};
    struct point point = {{place[0], place[1], place[2], 1}, size};
    struct machine m;
    struct picture picture = {0};
    char error[300] = "";
    qpucc_program *program = qpucc_compile_fixed(fixed, &state, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    ck_assert(machine_open(&m, program, 0, error, sizeof error));
    set_uniform(&m, "gl_Point.size", size);
    set_uniform(&m, "gl_Point.distanceConstantAttenuation", a[0]);
    set_uniform(&m, "gl_Point.distanceLinearAttenuation", a[1]);
    set_uniform(&m, "gl_Point.distanceQuadraticAttenuation", a[2]);
    struct qpusim_draw_info draw = {.mode = QPUSIM_POINTS, .count = 1};
    ck_assert_msg(machine_attributes(&m, &draw, 1, fill_point, &point) &&
                      machine_draw(&m, &draw, WIDTH, WIDTH, black, NULL, &picture),
                  "%s", error);
    unsigned covered = 0;
    for (unsigned k = 0; k < WIDTH * WIDTH; k++)
        covered += picture.pixels[4 * k] != 0;
    picture_free(&picture);
    machine_close(&m);
    qpucc_program_free(program);
    return covered;
}

START_TEST(point_sizes) {
    static const float none[3] = {1, 0, 0}, all[3] = {0.4f, 0.3f, 0.5f}, where[3] = {0.25f, -0.25f, 0.5f};
    for (int array = 0; array < 2; array++) {
        struct qpucc_fixed fixed;
        memset(&fixed, 0, sizeof fixed);
        fixed.point_size_array = (uint8_t)array;
        /* to whole pixels, at least one */
        ck_assert_uint_eq(pixels_of(&fixed, where, 0.25f, none), 1);
        ck_assert_uint_eq(pixels_of(&fixed, where, 7.6f, none), 64);
        ck_assert_uint_eq(pixels_of(&fixed, where, 8.4f, none), 64);
        fixed.point_attenuation = 1;
        double d = sqrt(0.25 * 0.25 * 2 + 0.25), size = 22 / sqrt(0.4 + 0.3 * d + 0.5 * d * d);
        ck_assert_uint_eq(pixels_of(&fixed, where, 22, all),
                          (unsigned)(floor(size + 0.5) * floor(size + 0.5)));
        fixed.point_sprite = 1; /* no rounding: pixels whose centre it covers, seen from a pixel's corner */
        ck_assert_uint_eq(pixels_of(&fixed, where, 4.9f, none), 16);
        ck_assert_uint_eq(pixels_of(&fixed, where, 5.1f, none), 36);
    }
}
END_TEST

/* --- the matrix palette, fading points, textures without vertices: formulas, for Mesa has none of them -- */

enum { SIDE = 64 };

static void set_words(struct machine *m, const char *name, unsigned at, const float *words, unsigned count) {
    bool found = false;
    for (size_t k = 0; k < qpucc_program_variable_count(m->program, QPUCC_UNIFORMS); k++) {
        const struct qpucc_variable *u = qpucc_program_variable(m->program, QPUCC_UNIFORMS, k);
        if (strcmp(u->name, name))
            continue;
        memcpy(m->uniforms + u->word + at, words, count * sizeof *words);
        found = true;
    }
    ck_assert_msg(found, "no uniform %s", name);
}

/* Uniforms of a draw and what its vertices hold. */
struct drawing {
    void (*uniforms)(struct machine *m, const void *user);
    void (*fill)(void *user, const struct qpucc_variable *variable, const struct qpucc_attribute_slot *slot,
                 size_t vertices, float *data);
    void *user;
    struct qpusim_draw_info draw;
};

static struct picture drawn(const struct qpucc_fixed *fixed, const struct qpucc_state *state,
                            const struct drawing *d) {
    static const uint8_t nothing[4] = {0, 0, 0, 0};
    struct machine m;
    struct picture picture = {0};
    char error[300] = "";
    struct qpusim_draw_info draw = d->draw;
    qpucc_program *program = qpucc_compile_fixed(fixed, state, NULL);
    ck_assert_msg(qpucc_program_status(program) == QPUCC_OK, "%s",
                  qpucc_program_diagnostic(program, 0) ? qpucc_program_diagnostic(program, 0)->text : "");
    ck_assert(machine_open(&m, program, 65536, error, sizeof error));
    d->uniforms(&m, d->user);
    ck_assert_msg(machine_attributes(&m, &draw, draw.count, d->fill, d->user) &&
                      machine_draw(&m, &draw, SIDE, SIDE, nothing, NULL, &picture),
                  "%s", error);
    machine_close(&m);
    qpucc_program_free(program);
    return picture;
}

static unsigned covered_by(const struct picture *picture) {
    unsigned count = 0;
    for (unsigned k = 0; k < SIDE * SIDE; k++)
        count += picture->pixels[4 * k + 3] != 0;
    return count;
}

struct fading {
    float size, threshold, least, most;
};

static void set_fading(struct machine *m, const void *user) {
    const struct fading *f = user;
    set_words(m, "gl_Point.size", 0, &f->size, 1);
    set_words(m, "gl_Point.fadeThresholdSize", 0, &f->threshold, 1);
    set_words(m, "gl_Point.sizeMin", 0, &f->least, 1);
    set_words(m, "gl_Point.sizeMax", 0, &f->most, 1);
}

static void fill_middle(void *user, const struct qpucc_variable *variable,
                        const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    static const float place[4] = {0, 0, 0, 1}; /* a pixel's corner */
    (void)user, (void)variable, (void)vertices;
    memcpy(data, place, slot->words * sizeof *data);
}

START_TEST(points_fade) {
    static const struct {
        struct fading f;
        unsigned side; /* pixels */
        double alpha;
    } cases[] = {
        {{8, 4, 0, 64}, 8, 1},         {{4, 4, 0, 64}, 4, 1},      {{3, 6, 0, 64}, 6, 0.25},
        {{1.5f, 6, 0, 64}, 6, 0.0625}, {{1, 8, 4, 64}, 8, 0.25}, /* clamped first */
        {{20, 4, 0, 10}, 10, 1},       {{20, 12, 0, 6}, 12, 0.25},
    };
    struct qpucc_fixed fixed;
    struct qpucc_state state = {.primitive = QPUCC_POINTS};
    memset(&fixed, 0, sizeof fixed);
    fixed.point_fade = 1;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct fading f = cases[k].f;
        struct drawing d = {set_fading, fill_middle, &f, {.mode = QPUSIM_POINTS, .count = 1}};
        struct picture p = drawn(&fixed, &state, &d);
        ck_assert_uint_eq(covered_by(&p), cases[k].side * cases[k].side);
        const uint8_t *middle = p.pixels + 4 * (SIDE / 2 * SIDE + SIDE / 2);
        ck_assert_int_le(abs(middle[3] - (int)lround(255 * cases[k].alpha)), 1);
        ck_assert_uint_eq(middle[0], 255);
        picture_free(&p);
    }
}
END_TEST

struct lamp {
    float axis[3];
    bool spot;
};

/* The vertex lies beside the lamp, which is turned to it or away. */
static void set_lamp(struct machine *m, const void *user) {
    const struct lamp *lamp = user;
    static const float size = 3, place[4] = {0.5f, 0, 1, 1}, exponent = 3, lit[4] = {1, 1, 1, 1};
    set_words(m, "gl_Point.size", 0, &size, 1);
    set_words(m, "gl_LightSource[0].position", 0, place, 4);
    set_words(m, "gl_LightSource[0].diffuse", 0, lit, 4);
    if (!lamp->spot)
        return;
    set_words(m, "gl_LightSource[0].spotDirection", 0, lamp->axis, 3);
    set_words(m, "gl_LightSource[0].spotExponent", 0, &exponent, 1);
}

/* A light of 180 degrees that is said to be a spot shines on all sides all the same. */
START_TEST(spots_of_180_degrees) {
    struct qpucc_state state = {.primitive = QPUCC_POINTS};
    for (unsigned n = 0; n < 4; n++) {
        struct qpucc_fixed fixed;
        memset(&fixed, 0, sizeof fixed);
        fixed.lighting = fixed.light[0].enabled = fixed.light[0].positional = 1;
        fixed.light[0].spot = n % 2;
        struct lamp lamp = {{0, 0, n < 2 ? -1 : 1}, n % 2};
        struct drawing d = {set_lamp, fill_middle, &lamp, {.mode = QPUSIM_POINTS, .count = 1}};
        struct picture p = drawn(&fixed, &state, &d);
        const uint8_t *at = p.pixels + 4 * (SIDE / 2 * SIDE + SIDE / 2);
        double expected = (0.04 + 0.8 / sqrt(1.25)) * 255;
        ck_assert_msg(fabs(at[0] - expected) < 2, "case %u: %u instead of %.1f", n, at[0], expected);
        picture_free(&p);
    }
}
END_TEST

struct palette {
    unsigned units;
    float matrix[9][16], normals[9][9], index[4], weight[4], place[4], normal[3];
};

static void set_palette(struct machine *m, const void *user) {
    const struct palette *p = user;
    static const float size = 3, toward[4] = {0, 0, 1, 0}, lit[4] = {1, 1, 1, 1};
    set_words(m, "gl_MatrixPaletteOES", 0, p->matrix[0], 9 * 16);
    set_words(m, "gl_NormalPaletteOES", 0, p->normals[0], 9 * 9);
    set_words(m, "gl_Point.size", 0, &size, 1);
    set_words(m, "gl_LightSource[0].position", 0, toward, 4);
    set_words(m, "gl_LightSource[0].diffuse", 0, lit, 4);
}

static void fill_palette(void *user, const struct qpucc_variable *variable,
                         const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    const struct palette *p = user;
    const float *from = !strcmp(variable->name, "gl_MatrixIndexOES") ? p->index
                        : !strcmp(variable->name, "gl_WeightOES")    ? p->weight
                        : !strcmp(variable->name, "gl_Normal")       ? p->normal
                                                                     : p->place;
    (void)vertices;
    memcpy(data, from, slot->words * sizeof *data);
}

static float between(uint32_t *s, double low, double high) {
    return (float)(low + (high - low) * (next(s) % 4096) / 4096);
}

/* Where a point of three by three pixels comes to lie, and how a light from the front lights it. */
START_TEST(matrix_palette) {
    uint32_t s = 9;
    struct qpucc_state state = {.primitive = QPUCC_POINTS};
    for (unsigned n = 0; n < 24; n++) {
        struct palette p = {.units = 1 + n % 4};
        struct qpucc_fixed fixed;
        memset(&fixed, 0, sizeof fixed);
        fixed.palette_units = (uint8_t)p.units;
        fixed.normal_array = fixed.lighting = fixed.light[0].enabled = 1;
        for (unsigned i = 0; i < 9; i++) {
            for (unsigned k = 0; k < 16; k++)
                p.matrix[i][k] = k % 4 == 3 ? k == 15 : between(&s, -0.4, 0.4);
            for (unsigned k = 0; k < 9; k++)
                p.normals[i][k] = between(&s, 0, 0.6);
        }
        double sum = 0, place[3] = {0}, light = 0;
        for (unsigned k = 0; k < 4; k++) {
            p.index[k] = (float)(next(&s) % 9);
            p.place[k] = k == 3 ? 1 : between(&s, -0.8, 0.8);
            p.weight[k] = between(&s, 0.1, 1);
            sum += k < p.units ? p.weight[k] : 0;
        }
        for (unsigned k = 0; k < 3; k++)
            p.normal[k] = between(&s, 0.1, 0.6);
        for (unsigned u = 0; u < p.units; u++) {
            const float *matrix = p.matrix[(int)p.index[u]], *normals = p.normals[(int)p.index[u]];
            p.weight[u] = (float)(p.weight[u] / sum);
            for (unsigned row = 0; row < 3; row++)
                for (unsigned column = 0; column < 4; column++)
                    place[row] += (double)p.weight[u] * matrix[4 * column + row] * p.place[column];
            for (unsigned column = 0; column < 3; column++)
                light += (double)p.weight[u] * normals[3 * column + 2] * p.normal[column];
        }
        struct drawing d = {set_palette, fill_palette, &p, {.mode = QPUSIM_POINTS, .count = 1}};
        struct picture picture = drawn(&fixed, &state, &d);
        ck_assert_uint_eq(covered_by(&picture), 9);
        int x = (int)floor((place[0] + 1) * SIDE / 2), y = (int)floor((place[1] + 1) * SIDE / 2);
        const uint8_t *at = picture.pixels + 4 * (y * SIDE + x);
        double expected = fmin(0.04 + 0.8 * light, 1) * 255;
        ck_assert_msg(at[3] && fabs(at[0] - expected) < 2, "state %u: alpha %u, %u instead of %.1f", n, at[3],
                      at[0], expected);
        picture_free(&picture);
    }
}
END_TEST

/* A rectangle in window coordinates, with its lower left corner at (8, 12) and 24 by 16 pixels; its texture
 * is four texels. */
static void set_window(struct machine *m, const void *user) {
    static const float to_clip[16] = {2.0f / SIDE, 0, 0, 0, 0, 2.0f / SIDE, 0, 0, 0, 0, 2, 0, -1, -1, -1, 1};
    (void)user;
    set_words(m, "gl_ProjectionMatrix", 0, to_clip, 16);
    static const uint8_t texels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 255};
    static const struct qpusim_image image = {texels, 2, 2};
    struct qpusim_texture_info info = {.format = QPUSIM_RGBA8888,
                                       .levels = &image,
                                       .level_count = 1,
                                       .mag = QPUSIM_MAG_NEAREST,
                                       .min = QPUSIM_MIN_NEAREST};
    ck_assert(machine_texture(m, 0, &info));
}

static void fill_window(void *user, const struct qpucc_variable *variable,
                        const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    static const float corner[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    (void)user;
    bool place = !strcmp(variable->name, "gl_Vertex");
    for (size_t v = 0; v < vertices; v++) {
        const float c[3] = {place ? 8 + 24 * corner[v][0] : corner[v][0],
                            place ? 12 + 16 * corner[v][1] : corner[v][1], 0.5f};
        memcpy(data + v * slot->words, c, slot->words * sizeof *data);
    }
}

START_TEST(textures_without_vertices) {
    struct qpucc_fixed fixed;
    struct qpucc_state state = {0};
    memset(&fixed, 0, sizeof fixed);
    fixed.normal_array = fixed.lighting = fixed.light[0].enabled = fixed.color_array = 1;
    fixed.texture[0].target = QPUCC_UNIT_2D;
    fixed.texture[0].env = QPUCC_ENV_REPLACE;
    fixed.texture[0].matrix = QPUCC_MATRIX_ANY;
    fixed.texture[0].generate[0] = QPUCC_GENERATE_SPHERE_MAP;
    qpucc_fixed_draw_texture(&fixed, &fixed);
    struct drawing d = {set_window, fill_window, NULL, {.mode = QPUSIM_TRIANGLE_STRIP, .count = 4}};
    struct picture p = drawn(&fixed, &state, &d);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            bool inside = x >= 8 && x < 32 && y >= 12 && y < 28;
            const uint8_t *at = p.pixels + 4 * (y * SIDE + x);
            static const uint8_t colors[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 9, 9}};
            const uint8_t *expected = colors[2 * (y >= 20) + (x >= 20)];
            ck_assert_msg(inside ? at[3] && !memcmp(at, expected, 3) : !at[3], "(%d, %d): %u %u %u %u", x, y,
                          at[0], at[1], at[2], at[3]);
        }
    picture_free(&p);
}
END_TEST

/* --- where the reference differs from GL ---------------------------------------------------------------- */

static void fill_triangle(void *user, const struct qpucc_variable *variable,
                          const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    static const float places[3][4] = {{-1, -1, 0, 1}, {7, -1, 0, 1}, {-1, 7, 0, 1}};
    (void)user;
    (void)variable;
    for (size_t v = 0; v < vertices; v++)
        memcpy(data + v * slot->words, places[v], slot->words * sizeof *data);
}

/* The colour of a picture that one triangle fills; every texture is a texel of (255, 128, 0, 64). */
static void color_of(const struct qpucc_fixed *fixed, const struct qpucc_state *state,
                     const struct qpucc_draw_state *values, const float color[4], const float secondary[4],
                     uint8_t out[4]) {
    static const uint8_t texel[4] = {255, 128, 0, 64}, black[4] = {0, 0, 0, 0};
    const struct qpusim_image image = {texel, 1, 1};
    const struct qpusim_texture_info info = {.format = QPUSIM_RGBA8888,
                                             .levels = &image,
                                             .level_count = 1,
                                             .mag = QPUSIM_MAG_NEAREST,
                                             .min = QPUSIM_MIN_NEAREST};
    struct machine m;
    struct picture picture = {0};
    char error[300] = "";
    qpucc_program *program = qpucc_compile_fixed(fixed, state, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    ck_assert(machine_open(&m, program, 65536, error, sizeof error));
    m.state = *values;
    for (size_t k = 0; k < qpucc_program_variable_count(program, QPUCC_UNIFORMS); k++) {
        const struct qpucc_variable *u = qpucc_program_variable(program, QPUCC_UNIFORMS, k);
        if (!strcmp(u->name, "gl_Color") || !strcmp(u->name, "gl_SecondaryColor"))
            memcpy(m.uniforms + u->word, strcmp(u->name, "gl_Color") ? secondary : color, 16);
    }
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++)
        ck_assert(!fixed->texture[n].target || machine_texture(&m, n, &info));
    struct qpusim_draw_info draw = {.mode = QPUSIM_TRIANGLES, .count = 3};
    ck_assert_msg(machine_attributes(&m, &draw, 3, fill_triangle, NULL) &&
                      machine_draw(&m, &draw, 4, 4, black, NULL, &picture),
                  "%s", error);
    memcpy(out, picture.pixels, 4);
    picture_free(&picture);
    machine_close(&m);
    qpucc_program_free(program);
}

/* GL 2.1 section 3.9: the sum is clamped, and then fogged. */
START_TEST(sum_before_fog) {
    static const float color[4] = {0.8f, 0.2f, 1, 1}, secondary[4] = {0.6f, 0.2f, 1, 0};
    struct qpucc_state state = {.fog = QPUCC_FOG_LINEAR};
    struct qpucc_draw_state values = {.fog_start = 0, .fog_end = 2}; /* W is 1: half of it is fog */
    struct qpucc_fixed fixed;
    uint8_t out[4];
    memset(&fixed, 0, sizeof fixed);
    fixed.color_sum = 1;
    color_of(&fixed, &state, &values, color, secondary, out);
    ck_assert_msg(abs(out[0] - 128) < 3 && abs(out[1] - 51) < 3 && abs(out[2] - 128) < 3 && out[3] == 255,
                  "%d %d %d %d", out[0], out[1], out[2], out[3]);
}
END_TEST

/* A unit that asks for the texture of a unit without one does nothing. */
START_TEST(crossbar) {
    static const float color[4] = {0.2f, 0.4f, 0.6f, 1}, none[4] = {0, 0, 0, 0};
    static const struct qpucc_state state;
    static const struct qpucc_draw_state values;
    struct qpucc_fixed fixed;
    uint8_t out[4];
    memset(&fixed, 0, sizeof fixed);
    fixed.texture[0].target = QPUCC_UNIT_2D;
    fixed.texture[0].env = QPUCC_ENV_COMBINE;
    fixed.texture[0].combine_rgb = fixed.texture[0].combine_alpha = QPUCC_COMBINE_REPLACE;
    fixed.texture[0].source_rgb[0] = QPUCC_SOURCE_TEXTURE0 + 1;
    color_of(&fixed, &state, &values, color, none, out);
    ck_assert_msg(out[0] == 51 && out[1] == 102 && out[2] == 153 && out[3] == 255, "%d %d %d %d", out[0],
                  out[1], out[2], out[3]);
    fixed.texture[1].target = QPUCC_UNIT_2D;
    fixed.texture[1].env = QPUCC_ENV_COMBINE;
    fixed.texture[1].combine_rgb = QPUCC_COMBINE_REPLACE;
    fixed.texture[1].source_rgb[0] = QPUCC_SOURCE_PREVIOUS;
    color_of(&fixed, &state, &values, color, none, out);
    ck_assert_msg(out[0] == 255 && out[1] == 128 && out[2] == 0, "%d %d %d %d", out[0], out[1], out[2],
                  out[3]);
}
END_TEST

/* --- text ----------------------------------------------------------------------------------------------- */

static bool parse(const char *text, struct qpucc_fixed *fixed, char *error, size_t size) {
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(json);
    bool ok = fixed_file_parse(fixed, json, error, size);
    json_decref(json);
    return ok;
}

START_TEST(json) {
    struct qpucc_fixed fixed;
    char error[300];
    ck_assert(parse("{\"lighting\": true, \"light\": [{}, {\"spot\": 1}],"
                    " \"texture\": [{\"env\": \"combine\", \"source_rgb\": [\"constant\", \"texture3\"]}]}",
                    &fixed, error, sizeof error));
    ck_assert_uint_eq(fixed.lighting, 1);
    ck_assert_uint_eq(fixed.light[1].spot, 1);
    ck_assert_uint_eq(fixed.texture[0].env, QPUCC_ENV_COMBINE);
    ck_assert_uint_eq(fixed.texture[0].source_rgb[1], QPUCC_SOURCE_TEXTURE0 + 3);
    static const char *const wrong[] = {"{\"lightning\": 1}",
                                        "{\"light\": [{\"sport\": 1}]}",
                                        "{\"texture\": [{\"env\": \"combined\"}]}",
                                        "{\"lighting\": 256}",
                                        "{\"lighting\": [1]}",
                                        "{\"texture\": {\"env\": 1}}",
                                        "{\"texture\": [{},{},{},{},{},{},{},{},{}]}",
                                        "{\"texture\": [{\"generate\": 1}]}",
                                        "{\"texture\": [{\"generate\": [0,0,0,0,0]}]}"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        ck_assert_msg(!parse(wrong[k], &fixed, error, sizeof error), "%s", wrong[k]);
}
END_TEST

/* Every byte of the key is a member's, and every word of a draw's values but the viewport's is one's. */
START_TEST(state_members_cover_the_key) {
    unsigned char seen[sizeof(struct qpucc_state)] = {0};
    const struct qpucc_member *m;
    for (size_t k = 0; (m = qpucc_state_member_at(k)); k++)
        for (unsigned n = 0; n < m->structs; n++)
            for (unsigned i = 0; i < m->count; i++)
                seen[m->offset + n * m->stride + i]++;
    for (size_t k = 0; k < sizeof seen; k++)
        ck_assert_msg(seen[k] == 1, "byte %zu is listed %d times", k, seen[k]);
}
END_TEST

START_TEST(state_json) {
    struct qpucc_state state;
    struct qpucc_draw_state values;
    char error[300];
    json_t *json = json_loads("{\"fog\": \"exp2\", \"blend\": {\"enable\": true, \"rgb_target\": \"one\"},"
                              " \"texture\": [{}, {\"swizzle\": [\"blue\"]}], \"clip_planes\": 9,"
                              " \"values\": {\"fog_color\": [1, 0.5], \"sample_mask_bits\": 3}}",
                              0, NULL);
    ck_assert_msg(state_file_parse(&state, &values, json, error, sizeof error), "%s", error);
    ck_assert_uint_eq(state.fog, QPUCC_FOG_EXP2);
    ck_assert_uint_eq(state.blend.rgb_target, QPUCC_FACTOR_ONE);
    ck_assert_uint_eq(state.texture[1].swizzle[0], QPUCC_SWIZZLE_BLUE);
    ck_assert_uint_eq(state.clip_planes, 9);
    ck_assert(values.fog_color[1] == 0.5f && values.sample_mask_bits == 3);
    json_decref(json);
    static const char *const wrong[] = {"{\"frog\": 1}", "{\"blend\": [{}]}", "{\"values\": {\"fog\": 1}}",
                                        "{\"values\": {\"fog_color\": [1, 2, 3, 4]}}",
                                        "{\"values\": {\"chroma_low\": 0.5}}"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        json = json_loads(wrong[k], 0, NULL);
        ck_assert_msg(!state_file_parse(&state, &values, json, error, sizeof error), "%s", wrong[k]);
        json_decref(json);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("fixed");
    TCase *tests = tcase_create("fixed");
    tcase_add_test(tests, any_bytes);
    tcase_add_test(tests, each_member_is_checked);
    tcase_add_test(tests, members_cover_the_struct);
    tcase_add_loop_test(tests, states_in_range, 0, 12);
    tcase_add_test(tests, variants);
    tcase_add_test(tests, initial_values);
    tcase_add_test(tests, units_are_slots);
    tcase_add_test(tests, limits_count_what_is_read);
    tcase_add_test(tests, point_sizes);
    tcase_add_test(tests, points_fade);
    tcase_add_test(tests, spots_of_180_degrees);
    tcase_add_test(tests, matrix_palette);
    tcase_add_test(tests, textures_without_vertices);
    tcase_add_test(tests, sum_before_fog);
    tcase_add_test(tests, crossbar);
    tcase_add_test(tests, state_members_cover_the_key);
    tcase_add_test(tests, state_json);
    tcase_add_test(tests, json);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
