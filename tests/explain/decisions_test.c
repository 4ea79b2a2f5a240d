/* What is said about loops and branches: each choice with its reason, and what the source asks for in every
 * language. Against the shared library: what is public is enough. */
#include <qpucc/explain.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static qpucc_program *program;
static qpucc_explanation *explain;
static uint32_t unroll; /* options of what is opened next */
static uint64_t instructions;

static void open_with(const char *text, int level, uint32_t flags) {
    struct qpucc_source source = {"a.frag", text, strlen(text), QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    options.unroll = unroll;
    options.limit[QPUCC_LIMIT_INSTRUCTIONS] = instructions;
    options.flags |= flags | QPUCC_GENERATE_NAMES;
    program = qpucc_compile(&source, 1, NULL, &options);
    ck_assert_msg(qpucc_program_status(program) == QPUCC_OK, "%s", text);
    explain = qpucc_explain(program, QPUCC_EXPLAIN_DECISIONS);
    ck_assert_ptr_nonnull(explain);
}

static void close_it(void) {
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}

static void print_all(void) {
    for (size_t i = 0; i < qpucc_explain_decision_count(explain, QPUCC_FRAGMENT); i++) {
        const struct qpucc_explain_decision *d = qpucc_explanation_decision(explain, QPUCC_FRAGMENT, i);
        fprintf(stderr, "line %u: %s %s %s x%u: %s\n", d->line, d->loop ? "loop" : "branch",
                qpucc_choice_name(d->choice), qpucc_why_name(d->why), d->copies, d->text);
    }
}

/* The first on that line that is a loop or is none; one has to be there. */
static const struct qpucc_explain_decision *at(unsigned line, bool loop) {
    for (size_t i = 0; i < qpucc_explain_decision_count(explain, QPUCC_FRAGMENT); i++) {
        const struct qpucc_explain_decision *d = qpucc_explanation_decision(explain, QPUCC_FRAGMENT, i);
        if (d->line == line && d->loop == loop)
            return d;
    }
    print_all();
    ck_abort_msg("nothing about line %u", line);
    return NULL;
}

static const struct qpucc_explain_decision *expect(unsigned line, bool loop, enum qpucc_choice choice,
                                                   enum qpucc_why why) {
    const struct qpucc_explain_decision *d = at(line, loop);
    if (d->choice != choice || d->why != why)
        print_all();
    ck_assert_str_eq(qpucc_choice_name(d->choice), qpucc_choice_name(choice));
    ck_assert_str_eq(qpucc_why_name(d->why), qpucc_why_name(why));
    ck_assert_str_eq(d->file, "a.frag");
    return d;
}

#define HEAD                                                                                                 \
    "#extension GL_EXT_control_flow_attributes : enable\n"                                                   \
    "precision mediump float; uniform float u; uniform sampler2D t; varying vec4 v;\n"
/* A line that takes long: five lookups, each of what the one before gave. */
#define LONG                                                                                                 \
    "c = texture2D(t, c.xy); c = texture2D(t, c.yz); c = texture2D(t, c.zx); c = texture2D(t, c.xy);"        \
    "c = texture2D(t, c.yw + c.xz);\n"

START_TEST(loops) {
    open_with(HEAD "void main() { vec4 c = v;\n"
                   "for (int i = 0; i < 5; i++) c = c * c + v;\n"
                   "for (int i = 0; i < 5; i++) { if (c.x > 2.0) break; c = c * c + v; }\n"
                   "for (int i = 0; float(i) < c.y; i++) c = c * v + v;\n"
                   "for (int i = 0; i < 2000; i++) c = c * c + v;\n"
                   "for (int i = 0; i < 100000; i++) c.x = c.y * c.z + u;\n"
                   "float f = 0.0; for (int i = 0; float(i) < c.y; i++) f += c.x;\n"
                   "gl_FragColor = c; }\n",
              2, 0);
    const struct qpucc_explain_decision *d = expect(4, true, QPUCC_CHOICE_UNROLLED, QPUCC_WHY_FITS);
    ck_assert_uint_eq(d->iterations, 5);
    ck_assert(!d->at_most);
    ck_assert_uint_gt(d->size, 5 * 8);
    ck_assert_uint_le(d->size, d->limit);
    ck_assert_uint_eq(d->limit, 1200);
    d = expect(5, true, QPUCC_CHOICE_UNROLLED, QPUCC_WHY_FITS);
    ck_assert_uint_eq(d->iterations, 5);
    ck_assert(d->at_most);
    d = expect(5, false, QPUCC_CHOICE_SELECTIONS, QPUCC_WHY_DIVERGENT);
    ck_assert_uint_eq(d->copies, 5);
    ck_assert(!d->uniform);
    d = expect(6, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_COUNT_UNKNOWN);
    ck_assert_uint_eq(d->iterations, 0);
    d = expect(7, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_TOO_LARGE);
    ck_assert_uint_eq(d->iterations, 2000);
    ck_assert_uint_gt(d->size, d->limit);
    ck_assert_ptr_nonnull(strstr(d->text, "2000 iterations"));
    expect(8, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_TOO_MANY);
    expect(9, true, QPUCC_CHOICE_REMOVED, QPUCC_WHY_UNUSED);
    close_it();
}
END_TEST

START_TEST(limit_of_copies) {
    static const char text[] = HEAD "void main() { vec4 c = v;\n"
                                    "for (int i = 0; i < 6; i++) c = c * c + v;\n"
                                    "for (int i = 0; i < 400; i++) c = c * c + v;\n"
                                    "[[unroll]] for (int i = 0; i < 200; i++) c = c * c + v;\n"
                                    "[[dont_unroll]] for (int i = 0; i < 3; i++) c = c * c + v;\n"
                                    "gl_FragColor = c; }\n";
    unroll = 10;
    open_with(text, 2, 0);
    const struct qpucc_explain_decision *d = expect(4, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_TOO_LARGE);
    ck_assert_uint_eq(d->limit, 10);
    expect(5, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_TOO_LARGE);
    expect(6, true, QPUCC_CHOICE_UNROLLED, QPUCC_WHY_HINT);
    expect(7, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_HINT);
    close_it();
    unroll = 8000;
    open_with(text, 2, 0);
    expect(4, true, QPUCC_CHOICE_UNROLLED, QPUCC_WHY_FITS);
    d = expect(5, true, QPUCC_CHOICE_UNROLLED, QPUCC_WHY_FITS);
    ck_assert_uint_eq(d->limit, 8000);
    ck_assert_uint_gt(d->size, 1200);
    expect(6, true, QPUCC_CHOICE_UNROLLED, QPUCC_WHY_FITS);
    expect(7, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_HINT);
    close_it();
    open_with(text, 2, QPUCC_NO_UNROLL);
    expect(4, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_OPTION);
    close_it();
    unroll = 0;
}
END_TEST

START_TEST(branches) {
    open_with(HEAD "void main() { vec4 c = v;\n"
                   "if (v.x > 0.5) c *= 2.0;\n"
                   "if (u > 0.5) c += 2.0;\n"
                   "if (u > 0.25) " LONG
                   "for (int i = 0; i < 3; i++) { if (i == 1) c += v.zxyw; else c *= v.ywxz; }\n"
                   "gl_FragColor = c; }\n",
              2, 0);
    const struct qpucc_explain_decision *d = expect(4, false, QPUCC_CHOICE_SELECTIONS, QPUCC_WHY_DIVERGENT);
    ck_assert(!d->uniform);
    d = expect(5, false, QPUCC_CHOICE_SELECTIONS, QPUCC_WHY_SHORT);
    ck_assert(d->uniform);
    ck_assert_uint_lt(d->size, d->limit);
    d = expect(7, false, QPUCC_CHOICE_FOLDED, QPUCC_WHY_CONSTANT);
    ck_assert_uint_eq(d->copies, 3);
    close_it();
    static const char pays[] = HEAD "void main() { vec4 c = v;\n"
                                    "if (u > 0.25) {" LONG LONG "}\n"
                                    "gl_FragColor = c; }\n";
    open_with(pays, 2, 0);
    d = expect(4, false, QPUCC_CHOICE_BRANCH, QPUCC_WHY_PAYS);
    ck_assert(d->uniform);
    ck_assert_uint_eq(d->lookups, 10);
    ck_assert_uint_ge(d->size, d->limit);
    ck_assert_uint_gt(d->cycles, 0);
    ck_assert_uint_lt(d->cycles, d->other_cycles);
    close_it();
    open_with(pays, 2, QPUCC_NO_UNIFORM_BRANCHES);
    d = expect(4, false, QPUCC_CHOICE_SELECTIONS, QPUCC_WHY_OPTION);
    ck_assert_uint_eq(d->cycles, 0);
    close_it();
    open_with(pays, 0, 0);
    expect(4, false, QPUCC_CHOICE_SELECTIONS, QPUCC_WHY_OPTION);
    close_it();
}
END_TEST

START_TEST(hints) {
    open_with(HEAD "void main() { vec4 c = v;\n"
                   "[[dont_unroll]] for (int i = 0; i < 5; i++) c = c * c + v;\n"
                   "[[unroll]] for (int i = 0; i < 200; i++) c = c * c + v;\n"
                   "[[unroll]] for (int i = 0; float(i) < u; i++) c = c * v + v;\n"
                   "[[branch]] if (v.x > 0.5) c *= 2.0;\n"
                   "[[flatten]] if (u > 0.25) {" LONG "}\n"
                   "[[flatten]] if (u > 0.5) for (int i = 0; float(i) < u; i++) c = c * v + v;\n"
                   "gl_FragColor = c; }\n",
              2, QPUCC_NO_UNROLL);
    const struct qpucc_explain_decision *d = expect(4, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_HINT);
    ck_assert_int_eq(d->hint, QPUCC_HINT_DONT_UNROLL);
    ck_assert_uint_eq(d->iterations, 5);
    ck_assert(d->heeded);
    d = expect(5, true, QPUCC_CHOICE_UNROLLED, QPUCC_WHY_HINT);
    ck_assert_int_eq(d->hint, QPUCC_HINT_UNROLL);
    ck_assert_uint_eq(d->iterations, 200);
    ck_assert_uint_gt(d->size, 1200);
    ck_assert(d->heeded);
    d = expect(6, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_COUNT_UNKNOWN);
    ck_assert(!d->heeded);
    ck_assert_ptr_nonnull(strstr(d->text, "the source asks for unroll"));
    d = expect(7, false, QPUCC_CHOICE_BRANCH, QPUCC_WHY_HINT);
    ck_assert_int_eq(d->hint, QPUCC_HINT_DONT_FLATTEN);
    ck_assert(d->heeded);
    d = expect(8, false, QPUCC_CHOICE_SELECTIONS, QPUCC_WHY_HINT);
    ck_assert_int_eq(d->hint, QPUCC_HINT_FLATTEN);
    ck_assert(d->heeded);
    d = expect(10, false, QPUCC_CHOICE_BRANCH, QPUCC_WHY_LOOP_INSIDE);
    ck_assert(!d->heeded);
    ck_assert_ptr_nonnull(strstr(d->text, "the source asks for flatten"));
    close_it();
}
END_TEST

/* The front end has one way for 1.00 and another for what is rewritten. */
static const struct {
    const char *version, *in, *out;
} languages[] = {
    {"100", "precision highp float; varying vec4 v;", "gl_FragColor"},
    {"100\n#extension GL_EXT_frag_depth : enable", "precision highp float; varying vec4 v;", "gl_FragColor"},
    {"300 es", "precision highp float; in vec4 v; out vec4 o;", "o"},
    {"110", "varying vec4 v;", "gl_FragColor"},
    {"120", "varying vec4 v;", "gl_FragColor"},
    {"130", "in vec4 v; out vec4 o;", "o"},
    {"140", "in vec4 v; out vec4 o;", "o"},
    {"150", "in vec4 v; out vec4 o;", "o"},
    {"330", "in vec4 v; out vec4 o;", "o"},
};

START_TEST(every_language_can_ask) {
    char text[1000];
    snprintf(text, sizeof text,
             "#version %s\n#extension GL_EXT_control_flow_attributes : require\n%s\n"
             "void main() { vec4 c = v;\n"
             "[[loop]] for (int i = 0; i < 5; i++) c = c * c + v;\n"
             "[[dont_flatten]] if (v.x > 0.5) c *= 2.0;\n%s = c; }\n",
             languages[_i].version, languages[_i].in, languages[_i].out);
    unsigned line = strchr(languages[_i].version, '\n') ? 6 : 5;
    open_with(text, 2, 0);
    ck_assert_int_eq(at(line, true)->choice, QPUCC_CHOICE_LOOP);
    ck_assert_int_eq(at(line, true)->hint, QPUCC_HINT_DONT_UNROLL);
    ck_assert_int_eq(at(line + 1, false)->choice, QPUCC_CHOICE_BRANCH);
    ck_assert_int_eq(at(line + 1, false)->hint, QPUCC_HINT_DONT_FLATTEN);
    close_it();
}
END_TEST

START_TEST(vertex_and_coordinate_shader_have_their_own) {
    static const char text[] = "attribute vec4 p; varying vec4 c; uniform float u;\n"
                               "void main() { gl_Position = p; vec4 s = p;\n"
                               "for (int i = 0; float(i) < u; i++) s = s * s + p;\n"
                               "c = s; }\n";
    static const char fragment[] = "precision mediump float; varying vec4 c;\n"
                                   "void main() { gl_FragColor = c; }\n";
    struct qpucc_source sources[] = {{"a.vert", text, strlen(text), QPUCC_VERTEX, QPUCC_GLSL},
                                     {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    program = qpucc_compile(sources, 2, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    explain = qpucc_explain(program, QPUCC_EXPLAIN_DECISIONS);
    ck_assert_uint_eq(qpucc_explain_decision_count(explain, QPUCC_FRAGMENT), 0);
    ck_assert_uint_eq(qpucc_explain_decision_count(explain, QPUCC_VERTEX), 1);
    ck_assert_uint_eq(qpucc_explain_decision_count(explain, QPUCC_COORDINATE), 1);
    ck_assert_int_eq(qpucc_explanation_decision(explain, QPUCC_VERTEX, 0)->choice, QPUCC_CHOICE_LOOP);
    ck_assert_int_eq(qpucc_explanation_decision(explain, QPUCC_COORDINATE, 0)->choice, QPUCC_CHOICE_REMOVED);
    ck_assert_ptr_null(qpucc_explanation_decision(explain, QPUCC_VERTEX, 1));
    close_it();
}
END_TEST

/* A variant of what was saved: the kept IR as text has the hints, too. */
START_TEST(saved_programs_keep_hints) {
    open_with(HEAD "void main() { vec4 c = v;\n"
                   "[[dont_unroll]] for (int i = 0; i < 5; i++) c = c * c + v;\n"
                   "[[branch]] if (v.x > 0.5) c *= 2.0;\n"
                   "gl_FragColor = c; }\n",
              2, 0);
    size_t size = qpucc_program_save(program, QPUCC_SAVE_IR, NULL, 0);
    void *bytes = malloc(size);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(qpucc_program_save(program, QPUCC_SAVE_IR, bytes, size), size);
    close_it();
    qpucc_program *loaded = qpucc_program_load(bytes, size);
    program = qpucc_variant(loaded, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    explain = qpucc_explain(program, QPUCC_EXPLAIN_DECISIONS);
    expect(4, true, QPUCC_CHOICE_LOOP, QPUCC_WHY_HINT);
    expect(5, false, QPUCC_CHOICE_BRANCH, QPUCC_WHY_HINT);
    close_it();
    qpucc_program_free(loaded);
    free(bytes);
}
END_TEST

START_TEST(nobody_asked) {
    open_with(HEAD "void main() { vec4 c = v;\n"
                   "for (int i = 0; i < 5; i++) c = c * c + v;\n gl_FragColor = c; }\n",
              2, 0);
    qpucc_explain_free(explain);
    explain = qpucc_explain(program, QPUCC_EXPLAIN_PASSES);
    ck_assert_uint_gt(qpucc_explain_pass_count(explain, QPUCC_FRAGMENT), 0);
    ck_assert_uint_eq(qpucc_explain_decision_count(explain, QPUCC_FRAGMENT), 0);
    close_it();
}
END_TEST

/* Five loops of 75000 instructions as long as they are not folded: more than the default limit. */
START_TEST(raised_limits) {
    static char text[1 << 17];
    size_t n = (size_t)snprintf(text, sizeof text, HEAD "void main() { float x = 0.0, y = 1.0;\n");
    for (int loop = 0; loop < 5; loop++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "for (int i = 0; i < 90; i++) {");
        for (int k = 0; k < 120; k++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  " x = x * 0.5 + float(i) * %d.25 - y; y = y * 0.75 + x;", k);
        n += (size_t)snprintf(text + n, sizeof text - n, " }\n");
    }
    snprintf(text + n, sizeof text - n, "gl_FragColor = vec4(x, y, 0.0, 1.0); }\n");
    unroll = 100000;
    instructions = 2 * qpucc_limit_default(QPUCC_LIMIT_INSTRUCTIONS);
    open_with(text, 2, 0);
    unroll = 0;
    instructions = 0;
    ck_assert_uint_eq(qpucc_explain_decision_count(explain, QPUCC_FRAGMENT), 5);
    close_it();
}
END_TEST

START_TEST(names) {
    for (unsigned k = 0; k < QPUCC_CHOICE_COUNT; k++)
        ck_assert_ptr_nonnull(qpucc_choice_name((enum qpucc_choice)k));
    for (unsigned k = 0; k < QPUCC_WHY_COUNT; k++)
        ck_assert_ptr_nonnull(qpucc_why_name((enum qpucc_why)k));
    for (unsigned k = 0; k < QPUCC_HINT_COUNT; k++)
        ck_assert_ptr_nonnull(qpucc_hint_name((enum qpucc_hint)k));
    ck_assert_ptr_null(qpucc_choice_name(QPUCC_CHOICE_COUNT));
    ck_assert_ptr_null(qpucc_why_name(QPUCC_WHY_COUNT));
    ck_assert_ptr_null(qpucc_hint_name(QPUCC_HINT_COUNT));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("decisions");
    TCase *tests = tcase_create("decisions");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, loops);
    tcase_add_test(tests, limit_of_copies);
    tcase_add_test(tests, branches);
    tcase_add_test(tests, hints);
    tcase_add_loop_test(tests, every_language_can_ask, 0, (int)(sizeof languages / sizeof *languages));
    tcase_add_test(tests, vertex_and_coordinate_shader_have_their_own);
    tcase_add_test(tests, saved_programs_keep_hints);
    tcase_add_test(tests, nobody_asked);
    tcase_add_test(tests, raised_limits);
    tcase_add_test(tests, names);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
