/* Variants with options of their own: the code that a compile with these options makes, and the interface of
 * the program that they start from. */
#include "tests/compiler/pairs.h"
#include "tests/compiler/api.h"
#include "tests/compiler/program_equal.h"

static const struct {
    int level;
    uint32_t flags, unroll;
} made_with[] = {
    {2, QPUCC_GENERATE_LINES, 0},
    {1, QPUCC_GENERATE_LINES, 0},
    {0, QPUCC_GENERATE_LINES | QPUCC_GENERATE_IR, 0},
    {2, QPUCC_POLICY_PRECISE, 0},
    {2, QPUCC_POLICY_FAST | QPUCC_GENERATE_LINES, 0},
    {1, QPUCC_NO_UNIFORM_EXPRESSIONS, 0},
    {2, QPUCC_NO_UNROLL | QPUCC_NO_UNIFORM_BRANCHES, 0},
    {3, QPUCC_GENERATE_LINES, 0},
    {2, QPUCC_WATCH_UNDEFINED, 0},
    {2, QPUCC_GENERATE_LINES, 4},
};
enum { WAYS = sizeof made_with / sizeof *made_with };

static struct qpucc_options options_of(size_t way) {
    struct qpucc_options o = qpucc_options_default();
    o.opt_level = made_with[way].level;
    o.flags = made_with[way].flags;
    o.unroll = made_with[way].unroll;
    return o;
}

static void expect_code(const qpucc_program *got, const qpucc_program *want, size_t from, size_t to,
                        size_t pair) {
    ck_assert_msg(qpucc_program_status(got) == QPUCC_OK && qpucc_program_status(want) == QPUCC_OK,
                  "pair %zu, %zu to %zu: status", pair, from, to);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        ck_assert_msg(same_stage(got, want, (enum qpucc_stage)s), "pair %zu, %zu to %zu: %s shader", pair,
                      from, to, qpucc_stage_name((enum qpucc_stage)s));
    ck_assert(!memcmp(qpucc_program_layout(got), qpucc_program_layout(want), sizeof(struct qpucc_layout)));
    ck_assert_int_eq(qpucc_program_policy(got), qpucc_program_policy(want));
}

static void expect_interface(const qpucc_program *got, const qpucc_program *from) {
    for (int t = QPUCC_UNIFORMS; t <= QPUCC_ATTRIBUTES; t++) {
        enum qpucc_interface which = (enum qpucc_interface)t;
        size_t count = qpucc_program_variable_count(from, which);
        ck_assert_uint_eq(qpucc_program_variable_count(got, which), count);
        for (size_t i = 0; i < count; i++) {
            const struct qpucc_variable *a = qpucc_program_variable(got, which, i),
                                        *b = qpucc_program_variable(from, which, i);
            ck_assert_str_eq(a->name, b->name);
            ck_assert_uint_eq(a->word, b->word);
        }
    }
}

/* Each way to the next but one, and on from there for another state, when what it started from is gone. */
START_TEST(the_code_is_a_compiles) {
    const struct qpucc_state state = {.depth_test = 1, .flip_y = 1, .texture = {{.format = QPUCC_TEX_BGRA}}};
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t from = i % 2; from < WAYS; from += 2) {
            size_t to = (from + 1 + i) % WAYS;
            struct qpucc_options before = options_of(from), after = options_of(to);
            qpucc_program *program = compile(&pairs[i], NULL, &before),
                          *got = qpucc_variant_with(program, NULL, &after),
                          *want = compile(&pairs[i], NULL, &after);
            expect_code(got, want, from, to, i);
            expect_interface(got, program);
            qpucc_program_free(program);
            qpucc_program_free(want);
            program = qpucc_variant(got, &state);
            qpucc_program_free(got);
            want = compile(&pairs[i], &state, &after);
            expect_code(program, want, from, to, i);
            qpucc_program_free(program);
            qpucc_program_free(want);
        }
}
END_TEST

/* Branches that could be selections are tried as those, too: whether there are any is told on. */
START_TEST(the_form_without_branches_is_tried_again) {
    static const struct pair switched = {
        vertex_plain,
        "precision mediump float; uniform sampler2D s, n; uniform bool o; varying vec2 v;\n"
        "void main() { vec4 c = texture2D(s, v); if (o) c += texture2D(n, v) + texture2D(n, v.yx);\n"
        "  gl_FragColor = c; }\n"};
    const struct qpucc_state state = {.depth_test = 1};
    for (int level = 1; level <= 3; level++) {
        struct qpucc_options o = qpucc_options_default();
        o.opt_level = level;
        qpucc_program *program = compile(&switched, NULL, &o), *got = qpucc_variant_with(program, &state, &o),
                      *want = compile(&switched, &state, &o);
        expect_code(got, want, 0, 0, 0);
        qpucc_program_free(want);
        qpucc_program_free(got);
        qpucc_program_free(program);
    }
}
END_TEST

START_TEST(of_what_was_loaded) {
    struct qpucc_options quick = options_of(1), slow = options_of(0);
    qpucc_program *program = compile(&pairs[0], NULL, &quick), *want = compile(&pairs[0], NULL, &slow);
    size_t size = qpucc_program_save(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, NULL, 0);
    void *bytes = malloc(size);
    ck_assert_uint_eq(qpucc_program_save(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, bytes, size), size);
    qpucc_program *loaded = qpucc_program_load(bytes, size), *got = qpucc_variant_with(loaded, NULL, &slow);
    expect_code(got, want, 1, 0, 0);
    qpucc_program_free(got);
    qpucc_program_free(loaded);
    qpucc_program_free(want);
    qpucc_program_free(program);
    free(bytes);
}
END_TEST

/* How far loops are unrolled: in the variant's own options; of a program that was loaded, in the container.
 */
START_TEST(copies_of_loops) {
    static const struct pair looping = {
        vertex_plain, "precision mediump float; varying vec2 v;\n"
                      "void main() { vec2 c = v; for (int i = 0; i < 9; i++) c = c * c + v;\n"
                      "  gl_FragColor = c.xyxy; }\n"};
    const struct qpucc_state state = {.depth_test = 1};
    struct qpucc_options few = qpucc_options_default(), many = few;
    few.unroll = 4;
    qpucc_program *loop = compile(&looping, NULL, &few), *copies = compile(&looping, NULL, &many);
    ck_assert(!same_stage(loop, copies, QPUCC_FRAGMENT));
    qpucc_program *got = qpucc_variant_with(loop, NULL, &many);
    expect_code(got, copies, 1, 0, 0);
    qpucc_program_free(got);
    got = qpucc_variant_with(copies, NULL, &few);
    expect_code(got, loop, 0, 1, 0);
    qpucc_program_free(got);
    size_t size = qpucc_program_save(loop, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, NULL, 0);
    void *bytes = malloc(size);
    ck_assert_uint_eq(qpucc_program_save(loop, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, bytes, size), size);
    qpucc_program *loaded = qpucc_program_load(bytes, size), *want = compile(&looping, &state, &few);
    got = qpucc_variant(loaded, &state);
    expect_code(got, want, 0, 0, 0);
    free(bytes);
    qpucc_program_free(got);
    qpucc_program_free(want);
    qpucc_program_free(loaded);
    qpucc_program_free(copies);
    qpucc_program_free(loop);
}
END_TEST

static void expect_usage(qpucc_program *p, const char *text) {
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, qpucc_program_diagnostic_count(p) - 1);
    ck_assert_str_eq(d->code, "usage");
    ck_assert_str_eq(d->text, text);
    qpucc_program_free(p);
}

/* What the program's limits left out is not taken over. */
START_TEST(limits_are_the_options) {
    struct qpucc_options usual = qpucc_options_default(), little = usual;
    little.limit[QPUCC_LIMIT_SEARCH] = 1;
    qpucc_program *from[] = {compile_with(busy_vertex, busy_fragment, NULL, &usual),
                             compile_with(busy_vertex, busy_fragment, NULL, &little)};
    ck_assert(!same_stage(from[0], from[1], QPUCC_FRAGMENT) || !same_stage(from[0], from[1], QPUCC_VERTEX));
    for (size_t k = 0; k < 2; k++) {
        qpucc_program *variant = qpucc_variant_with(from[k], NULL, k ? &usual : &little);
        expect_code(variant, from[1 - k], k, 1 - k, 0);
        qpucc_program_free(variant);
    }
    qpucc_program_free(from[0]);
    qpucc_program_free(from[1]);
}
END_TEST

START_TEST(options_are_checked) {
    static const int set = 1;
    qpucc_program *program = compile(&pairs[0], NULL, NULL);
    struct qpucc_options o = qpucc_options_default();
    o.opt_level = 7;
    expect_usage(qpucc_variant_with(program, NULL, &o), "options.opt_level is 7, but levels are 0 to 3");
    o = qpucc_options_default();
    o.size = 3;
    qpucc_program *wrong = qpucc_variant_with(program, NULL, &o);
    ck_assert_int_eq(qpucc_program_status(wrong), QPUCC_SOURCE_ERROR);
    qpucc_program_free(wrong);
    o = qpucc_options_default();
    o.flags |= QPUCC_PREPROCESS_ONLY;
    expect_usage(qpucc_variant_with(program, NULL, &o),
                 "options.flags has QPUCC_PREPROCESS_ONLY, but the sources are not read again");
    o = qpucc_options_default();
    o.chip = qpucc_chip_guide();
    expect_usage(qpucc_variant_with(program, NULL, &o), "options.chip is another one than the program's");
    o = qpucc_options_default();
    o.limit[QPUCC_LIMIT_WORK] = 10;
    qpucc_program *stopped = qpucc_variant_with(program, NULL, &o);
    ck_assert_int_eq(qpucc_program_status(stopped), QPUCC_SOURCE_ERROR);
    ck_assert_str_eq(qpucc_program_diagnostic(stopped, 0)->code, "limit");
    qpucc_program_free(stopped);
    o = qpucc_options_default();
    o.opt_level = 3;
    o.cancel = &set;
    stopped = qpucc_variant_with(program, NULL, &o);
    ck_assert_int_eq(qpucc_program_status(stopped), QPUCC_CANCELLED);
    qpucc_program_free(stopped);
    /* none of that is left in the program */
    qpucc_program *variant = qpucc_variant(program, NULL);
    expect_ok(variant);
    qpucc_program_free(variant);
    qpucc_program_free(program);
}
END_TEST

static void count_pass(void *user, enum qpucc_stage stage, const char *pass, double seconds) {
    (void)stage, (void)pass, (void)seconds;
    ++*(unsigned *)user;
}

START_TEST(callbacks_are_called) {
    unsigned passes = 0;
    struct qpucc_options o = qpucc_options_default();
    qpucc_program *program = compile(&pairs[0], NULL, NULL);
    o.on_pass_time = count_pass;
    o.user = &passes;
    qpucc_program *variant = qpucc_variant_with(program, NULL, &o);
    expect_ok(variant);
    ck_assert_uint_gt(passes, 0);
    qpucc_program_free(variant);
    qpucc_program_free(program);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {the_code_is_a_compiles, the_form_without_branches_is_tried_again,
                                  of_what_was_loaded,     copies_of_loops,
                                  limits_are_the_options, options_are_checked,
                                  callbacks_are_called};
    return run_tests("api_variant_options", tests, sizeof tests / sizeof *tests);
}
