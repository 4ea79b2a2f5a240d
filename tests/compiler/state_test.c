/* The state key as a driver may get it wrong: any bytes have an answer, and the answer names the member. */
#include <check.h>
#include <qpucc/qpucc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char vertex[] = "attribute vec4 a, b;\nvarying vec4 v;\nvoid main() {\n    v = b;\n"
                             "    gl_Position = a;\n    gl_PointSize = b.x;\n}\n";
static const char fragment[] =
    "precision mediump float;\nuniform sampler2D s, t;\nvarying vec4 v;\n"
    "void main() {\n    gl_FragColor = texture2D(s, v.xy) + v * gl_PointCoord.y +\n"
    "                   texture2D(t, v.zw);\n}\n";

static qpucc_program *compile(const struct qpucc_state *state) {
    struct qpucc_source sources[2] = {{"a.vert", vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, sizeof fragment - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = 1;
    return qpucc_compile(sources, 2, state, &options);
}

/* The first diagnostic, which is of a refused key. */
static void expect_refused(const struct qpucc_state *state, const char *member) {
    qpucc_program *program = compile(state);
    ck_assert_ptr_nonnull(program);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_SOURCE_ERROR);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(program), 1);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
    ck_assert_str_eq(d->code, "state");
    ck_assert_msg(!strncmp(d->text, member, strlen(member)) && d->text[strlen(member)] == ' ',
                  "'%s' does not name %s", d->text, member);
    ck_assert_ptr_null(qpucc_program_code(program, QPUCC_FRAGMENT, NULL));
    qpucc_program_free(program);
}

static void expect_accepted(const struct qpucc_state *state, const char *what) {
    qpucc_program *program = compile(state);
    ck_assert_ptr_nonnull(program);
    for (size_t i = 0; i < qpucc_program_diagnostic_count(program); i++)
        printf("%s: %s\n", what, qpucc_program_diagnostic(program, i)->text);
    ck_assert_msg(qpucc_program_status(program) == QPUCC_OK, "%s", what);
    qpucc_program_free(program);
}

/* Every member, with its largest value. */
static const struct member {
    const char *name;
    size_t offset;
    unsigned largest;
} members[] = {
#define MEMBER(member, largest)                                                                              \
    { #member, offsetof(struct qpucc_state, member), largest }
    MEMBER(primitive, QPUCC_POINTS),
    MEMBER(depth_test, 1),
    MEMBER(flip_y, 1),
    MEMBER(texture[0].format, QPUCC_TEX_FORMAT_COUNT - 1),
    MEMBER(texture[15].format, QPUCC_TEX_FORMAT_COUNT - 1),
    MEMBER(texture[0].srgb, 1),
    MEMBER(texture[0].rectangle, 1),
    MEMBER(texture[1].compare, QPUCC_COMPARE_COUNT - 1),
    MEMBER(texture[1].border, 1),
    MEMBER(texture[1].yuv, QPUCC_YUV_COUNT - 1),
    MEMBER(texture[1].yuv_matrix, QPUCC_YUV_MATRIX_COUNT - 1),
    MEMBER(texture[1].one_level, QPUCC_MAX_LEVELS),
    MEMBER(attribute[0].type, QPUCC_ATTR_TYPE_COUNT - 1),
    MEMBER(attribute[7].type, QPUCC_ATTR_TYPE_COUNT - 1),
    MEMBER(attribute[1].normalized, QPUCC_ATTR_NORMALIZED_COUNT - 1),
    MEMBER(attribute[1].components, 4),
    MEMBER(point_size, QPUCC_POINT_SIZE_COUNT - 1),
    MEMBER(point_size_clamp, 1),
    MEMBER(point_lower_left, 1),
    MEMBER(coord_replace, 255),
    MEMBER(flat_shade, 1),
    MEMBER(two_sided, 1),
    MEMBER(clip_planes, 255),
#undef MEMBER
};
enum { MEMBERS = sizeof members / sizeof *members };

START_TEST(one_member) {
    for (size_t m = 0; m < MEMBERS; m++) {
        struct qpucc_state state = {0};
        ((uint8_t *)&state)[members[m].offset] = (uint8_t)members[m].largest;
        expect_accepted(&state, members[m].name);
        if (members[m].largest == 255)
            continue;
        ((uint8_t *)&state)[members[m].offset]++;
        expect_refused(&state, members[m].name);
        ((uint8_t *)&state)[members[m].offset] = 255;
        expect_refused(&state, members[m].name);
    }
}
END_TEST

START_TEST(arrays_in_members) {
    for (unsigned k = 0; k < 4; k++) {
        struct qpucc_state state = {0};
        state.texture[3].swizzle[k] = QPUCC_SWIZZLE_COUNT;
        expect_refused(&state, "texture[3].swizzle");
    }
    for (unsigned k = 0; k < 2; k++) {
        struct qpucc_state state = {0};
        state.texture[0].plane[k] = QPUCC_MAX_TEXTURES;
        expect_refused(&state, "texture[0].plane");
    }
}
END_TEST

START_TEST(contradictions) {
    struct qpucc_state state = {.texture = {{.yuv = QPUCC_YUV_YUYV, .format = QPUCC_TEX_BGRA}}};
    expect_refused(&state, "texture[0].format");
    state = (struct qpucc_state){.attribute = {{.type = QPUCC_ATTR_INT_2_10_10_10_REV, .components = 3}}};
    expect_refused(&state, "attribute[0].components");
    state = (struct qpucc_state){.attribute = {{.type = QPUCC_ATTR_SHORT, .components = 4, .bgra = 1}}};
    expect_refused(&state, "attribute[0].bgra");
    state = (struct qpucc_state){.attribute = {{.type = QPUCC_ATTR_UBYTE, .components = 3, .bgra = 1}}};
    expect_refused(&state, "attribute[0].bgra");
}
END_TEST

/* A key gives the same code to a variant of a program that knows nothing of it. */
static void expect_same_variant(const qpucc_program *program, const struct qpucc_state *state) {
    struct qpucc_state plain = {0};
    qpucc_program *from = compile(&plain), *variant = qpucc_variant(from, state);
    ck_assert_ptr_nonnull(variant);
    ck_assert_int_eq(qpucc_program_status(variant), qpucc_program_status(program));
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t counts[2];
        const uint64_t *a = qpucc_program_code(program, (enum qpucc_stage)s, &counts[0]),
                       *b = qpucc_program_code(variant, (enum qpucc_stage)s, &counts[1]);
        ck_assert_uint_eq(counts[0], counts[1]);
        ck_assert(!a || !memcmp(a, b, counts[0] * sizeof *a));
    }
    qpucc_program_free(variant);
    qpucc_program_free(from);
}

/* Bytes of any kind, and keys whose members are all in range: code or a reason, never a fault of ours. */
START_TEST(any_bytes) {
    uint32_t random = 7;
    for (unsigned n = 0; n < 240; n++) {
        struct qpucc_state state = {0};
        uint8_t *bytes = (uint8_t *)&state;
        for (size_t i = 0; n % 4 == 0 && i < sizeof state; i++)
            bytes[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
        for (size_t m = 0; n % 4 && m < MEMBERS; m++) {
            random = random * 1664525 + 1013904223;
            if (random >> 24 & 1)
                bytes[members[m].offset] = (uint8_t)((random >> 8 & 0xffff) % (members[m].largest + 1));
        }
        qpucc_program *program = compile(&state);
        ck_assert_ptr_nonnull(program);
        if (n % 8 == 1)
            expect_same_variant(program, &state);
        enum qpucc_status status = qpucc_program_status(program);
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
        ck_assert_msg(status != QPUCC_INTERNAL && (status == QPUCC_OK || d), "key %u: %s", n,
                      d ? d->text : "no reason");
        qpucc_program_free(program);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("state");
    TCase *tests = tcase_create("state");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, one_member);
    tcase_add_test(tests, arrays_in_members);
    tcase_add_test(tests, contradictions);
    tcase_add_test(tests, any_bytes);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
