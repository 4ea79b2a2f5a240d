/* What crosses the link: varyings that the fragment shader can do without, and those that it can't. */
#include <qpucc/qpucc.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

static qpucc_program *compile_with(const char *vertex, const char *fragment, uint32_t flags, int level) {
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    options.flags |= flags;
    qpucc_program *p = qpucc_compile(sources, 2, NULL, &options);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, 0);
    ck_assert_msg(qpucc_program_status(p) == QPUCC_OK, "%s", d ? d->text : "no diagnostic");
    return p;
}

static qpucc_program *compile(const char *vertex, const char *fragment, bool no_expressions, int level) {
    return compile_with(vertex, fragment, no_expressions ? QPUCC_NO_UNIFORM_EXPRESSIONS : 0, level);
}

/* Words of varyings that are left of a pair of shaders. */
static unsigned words_left(const char *vertex, const char *fragment, bool no_expressions, int level) {
    qpucc_program *p = compile(vertex, fragment, no_expressions, level);
    unsigned words = qpucc_program_layout(p)->varying_words;
    qpucc_program_free(p);
    return words;
}

#define VERTEX(declarations, body)                                                                           \
    "attribute vec4 p; uniform vec4 u; " declarations " void main() { gl_Position = p; " body " }"
#define FRAGMENT(declarations, value)                                                                        \
    "precision mediump float; uniform vec4 w; " declarations " void main() { gl_FragColor = " value "; }"

static const char *const plain_fragment = FRAGMENT("varying vec4 v;", "v");

START_TEST(constants_stay) {
    const char *vertex = VERTEX("varying vec4 v;", "v = vec4(p.x, 0.0, 0.25, 1.0);");
    ck_assert_uint_eq(words_left(vertex, plain_fragment, false, 2), 1);
    ck_assert_uint_eq(words_left(vertex, plain_fragment, true, 2), 1);
    ck_assert_uint_eq(words_left(vertex, plain_fragment, false, 0), 4);
}
END_TEST

START_TEST(uniforms_are_read_where_they_are_used) {
    ck_assert_uint_eq(words_left(VERTEX("varying vec4 v;", "v = u;"), plain_fragment, true, 2), 0);
    const char *vertex = VERTEX("varying vec4 v;", "v = vec4(u.xyz * sin(u.w), p.x);");
    ck_assert_uint_eq(words_left(vertex, plain_fragment, false, 2), 1);
    ck_assert_uint_eq(words_left(vertex, plain_fragment, true, 2), 4);
}
END_TEST

START_TEST(equal_words_travel_once) {
    const char *vertex = VERTEX("varying vec4 v;", "float d = p.x * p.y; v = vec4(d, d, d, p.x);");
    ck_assert_uint_eq(words_left(vertex, plain_fragment, true, 2), 2);
}
END_TEST

START_TEST(neighbours_are_sums) {
    const char *vertex = VERTEX("varying vec4 v;", "v = vec4(p.x + u.x, p.x, p.x - 0.5, p.x + u.y);");
    ck_assert_uint_eq(words_left(vertex, plain_fragment, false, 2), 1);
    /* none of them is the bare base */
    vertex = VERTEX("varying vec4 v;", "v = vec4(p.x + u.x, p.x + u.y, p.x - u.z, p.y);");
    ck_assert_uint_eq(words_left(vertex, plain_fragment, false, 2), 2);
    ck_assert_uint_eq(words_left(vertex, plain_fragment, true, 2), 4);
    /* four terms are told from the base, a fifth is not */
    vertex = VERTEX("varying vec4 v;", "v = vec4(p.x, p.x + u.x - u.y + u.z - u.w, p.y, p.y);");
    ck_assert_uint_eq(words_left(vertex, plain_fragment, false, 2), 2);
    vertex = VERTEX("varying vec4 v;", "v = vec4(p.x, p.x + u.x - u.y + u.z - u.w + u.x, p.y, p.y);");
    ck_assert_uint_eq(words_left(vertex, plain_fragment, false, 2), 3);
}
END_TEST

/* Added after interpolation they would be rounded in another place. */
START_TEST(precise_neighbours_travel) {
    const char *vertex = VERTEX("varying vec4 v;", "v = vec4(p.x + u.x, p.x, p.x, u.z);");
    qpucc_program *p = compile_with(vertex, plain_fragment, QPUCC_POLICY_PRECISE, 2);
    ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 2); /* equal words and uniforms need not */
    qpucc_program_free(p);
}
END_TEST

static bool streams(const qpucc_program *p, enum qpucc_stage stage, const char *text) {
    for (size_t i = 0; i < qpucc_uniforms_size(p, stage); i++)
        if (!strcmp(qpucc_uniform_text(p, stage, i), text))
            return true;
    return false;
}

/* p.x + u.x - u.x + u.y is not p.x + u.y when u.x is a million: the base is what travels. */
START_TEST(sums_are_not_undone) {
    const char *vertex = VERTEX("varying vec2 v;", "v = vec2(p.x + u.x, p.x + u.y);");
    const char *fragment = FRAGMENT("varying vec2 v;", "v.xyxy");
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    qpucc_program *p = qpucc_compile(sources, 2, NULL, NULL);
    ck_assert_uint_eq(qpucc_program_status(p), QPUCC_OK);
    ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 1);
    ck_assert(streams(p, QPUCC_FRAGMENT, "u.x") && streams(p, QPUCC_FRAGMENT, "u.y"));
    ck_assert(!streams(p, QPUCC_VERTEX, "u.x") && !streams(p, QPUCC_VERTEX, "u.y"));
    ck_assert_uint_eq(qpucc_uniforms_size(p, QPUCC_FRAGMENT), 2);
    qpucc_program_free(p);
}
END_TEST

/* A stage alone keeps all it writes, constants and uniforms too: who reads them is not known. */
START_TEST(a_stage_alone_keeps_its_interface) {
    const char *vertex = VERTEX("varying vec4 v;", "v = vec4(p.x, p.x, 1.0, u.x);");
    struct qpucc_source source = {"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL};
    qpucc_program *p = qpucc_compile(&source, 1, NULL, NULL);
    ck_assert_uint_eq(qpucc_program_status(p), QPUCC_OK);
    ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 4);
    ck_assert(streams(p, QPUCC_VERTEX, "u.x"));
    qpucc_program_free(p);
    source =
        (struct qpucc_source){"a.frag", plain_fragment, strlen(plain_fragment), QPUCC_FRAGMENT, QPUCC_GLSL};
    p = qpucc_compile(&source, 1, NULL, NULL);
    ck_assert_uint_eq(qpucc_program_status(p), QPUCC_OK);
    ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 4);
    qpucc_program_free(p);
}
END_TEST

/* A loop goes with the varying that it computes: out of the coordinate shader, which has no varyings, and out
 * of the vertex shader if nobody reads that one. */
START_TEST(loops_go_with_their_varying) {
    const char *vertex = VERTEX("uniform int n; varying vec4 v; varying vec2 t;",
                                "t = p.xy; v = p; for (int i = 0; i < n; i++) v = fract(v.yzwx * 3.0);");
    qpucc_program *p = compile(vertex, plain_fragment, false, 2);
    ck_assert_uint_gt(qpucc_program_stats(p, QPUCC_VERTEX)->blocks, 1);
    ck_assert_uint_eq(qpucc_program_stats(p, QPUCC_COORDINATE)->blocks, 1);
    qpucc_program_free(p);
    p = compile(vertex, FRAGMENT("varying vec2 t;", "t.xyxy"), false, 2);
    ck_assert_uint_eq(qpucc_program_stats(p, QPUCC_VERTEX)->blocks, 1);
    qpucc_program_free(p);
    vertex =
        VERTEX("uniform int n;", "for (int i = 0; i < n; i++) gl_Position = fract(gl_Position.yzwx * 3.0);");
    p = compile(vertex, FRAGMENT("", "w"), false, 2);
    ck_assert_uint_gt(qpucc_program_stats(p, QPUCC_COORDINATE)->blocks, 1);
    qpucc_program_free(p);
}
END_TEST

START_TEST(what_has_to_travel) {
    /* products don't commute with interpolation, other bases are other values, run-time indices need the
     * array */
    ck_assert_uint_eq(words_left(VERTEX("varying vec4 v;", "v = vec4(p.x * p.x, p.x, p.y + u.x, p.z);"),
                                 plain_fragment, false, 2),
                      4);
    const char *vertex = VERTEX("varying vec4 v[2];", "v[0] = vec4(1.0); v[1] = vec4(p.x);");
    const char *fragment = FRAGMENT("varying vec4 v[2];", "v[int(w.x)]");
    ck_assert_uint_eq(words_left(vertex, fragment, false, 2), 8);
    /* also where another place names its element */
    fragment = FRAGMENT("varying vec4 v[2];", "v[int(w.x)] + v[0] + v[1]");
    ck_assert_uint_eq(words_left(vertex, fragment, false, 2), 8);
}
END_TEST

static size_t vertex_instructions(const char *vertex, const char *fragment) {
    qpucc_program *p = compile(vertex, fragment, false, 2);
    size_t count = qpucc_program_stats(p, QPUCC_VERTEX)->instructions;
    qpucc_program_free(p);
    return count;
}

START_TEST(refined_where_it_shows) {
    const char *vertex = VERTEX("varying vec4 v;", "v = inversesqrt(p);");
    const char *compares = FRAGMENT("varying vec4 v;", "vec4(lessThan(v, w))");
    ck_assert_uint_lt(vertex_instructions(vertex, plain_fragment), vertex_instructions(vertex, compares));
    /* a position is refined, whoever else reads it */
    const char *position =
        "attribute vec4 p; varying vec4 v; void main() { gl_Position = v = inversesqrt(p); }";
    ck_assert_uint_eq(vertex_instructions(position, plain_fragment), vertex_instructions(position, compares));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("varyings");
    TCase *test = tcase_create("link");
    tcase_add_test(test, constants_stay);
    tcase_add_test(test, uniforms_are_read_where_they_are_used);
    tcase_add_test(test, equal_words_travel_once);
    tcase_add_test(test, neighbours_are_sums);
    tcase_add_test(test, precise_neighbours_travel);
    tcase_add_test(test, sums_are_not_undone);
    tcase_add_test(test, a_stage_alone_keeps_its_interface);
    tcase_add_test(test, loops_go_with_their_varying);
    tcase_add_test(test, what_has_to_travel);
    tcase_add_test(test, refined_where_it_shows);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
