/* The public interface: what comes back from a compile, what options do, and programs and passes as text. */
#include "api.h"

START_TEST(stages_and_statistics) {
    qpucc_program *p = compile_pair(plain_vertex, plain_fragment, NULL);
    expect_ok(p);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count;
        const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)s, &count);
        const struct qpucc_stage_stats *stats = qpucc_program_stats(p, (enum qpucc_stage)s);
        ck_assert_ptr_nonnull(code);
        ck_assert_ptr_nonnull(stats);
        ck_assert_uint_eq(stats->instructions, count);
        ck_assert_uint_eq(stats->uniforms, qpucc_uniforms_size(p, (enum qpucc_stage)s));
        ck_assert_uint_le(stats->lower_bound, stats->instructions);
        ck_assert_uint_ge(stats->cycles, stats->lower_bound);
        ck_assert_uint_eq(stats->threads, 1);
        ck_assert_uint_eq(qpucc_check(code, count, (enum qpucc_stage)s, false, true, NULL, 0), 0);
        ck_assert_ptr_nonnull(qpucc_program_lines(p, (enum qpucc_stage)s));
    }
    ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 0);
    ck_assert(!(qpucc_program_layout(p)->flags & QPUCC_POINT_SIZE));
    ck_assert_ptr_null(qpucc_program_ir(p, QPUCC_FRAGMENT)); /* only on request */
    qpucc_program_free(p);
}
END_TEST

START_TEST(one_stage_alone) {
    qpucc_program *f = compile_pair(NULL, plain_fragment, NULL), *v = compile_pair(plain_vertex, NULL, NULL);
    expect_ok(f);
    expect_ok(v);
    ck_assert_ptr_nonnull(qpucc_program_code(f, QPUCC_FRAGMENT, NULL));
    ck_assert_ptr_null(qpucc_program_code(f, QPUCC_VERTEX, NULL));
    ck_assert_ptr_null(qpucc_program_stats(f, QPUCC_COORDINATE));
    ck_assert_ptr_null(qpucc_program_code(v, QPUCC_FRAGMENT, NULL));
    ck_assert_ptr_nonnull(qpucc_program_code(v, QPUCC_COORDINATE, NULL));
    qpucc_program_free(f);
    qpucc_program_free(v);
}
END_TEST

START_TEST(point_size_by_primitive) {
    static const char vertex[] = "attribute vec4 a; void main() { gl_PointSize = a.x; gl_Position = a; }";
    struct qpucc_state points = {.primitive = QPUCC_POINTS};
    qpucc_program *t = compile_pair(vertex, plain_fragment, NULL),
                  *p = compile_pair(vertex, plain_fragment, &points);
    expect_ok(t);
    expect_ok(p);
    ck_assert(!(qpucc_program_layout(t)->flags & QPUCC_POINT_SIZE));
    ck_assert(qpucc_program_layout(p)->flags & QPUCC_POINT_SIZE);
    qpucc_program_free(t);
    qpucc_program_free(p);
    /* no size to say: this vertex shader is the same for both */
    t = compile_pair(plain_vertex, plain_fragment, NULL);
    p = compile_pair(plain_vertex, plain_fragment, &points);
    expect_ok(t);
    expect_ok(p);
    ck_assert(!(qpucc_program_layout(p)->flags & QPUCC_POINT_SIZE));
    for (int stage = QPUCC_VERTEX; stage <= QPUCC_COORDINATE; stage++) {
        size_t count, same;
        const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)stage, &count),
                       *other = qpucc_program_code(t, (enum qpucc_stage)stage, &same);
        ck_assert_uint_eq(count, same);
        ck_assert_mem_eq(code, other, count * sizeof *code);
    }
    qpucc_program_free(t);
    qpucc_program_free(p);
}
END_TEST

START_TEST(traits) {
    static const struct {
        const char *body;
        bool depth_test;
        uint32_t flags;
    } cases[] = {
        {"gl_FragColor = vec4(v, 1.0);", false, 0},
        {"gl_FragColor = vec4(v, 1.0);", true, QPUCC_WRITES_Z | QPUCC_EARLY_Z_TEST_SAFE | QPUCC_EARLY_Z_SAFE},
        {"if (v.x < 0.5) discard; gl_FragColor = vec4(v, 1.0);", true,
         QPUCC_WRITES_Z | QPUCC_DISCARDS | QPUCC_EARLY_Z_TEST_SAFE},
        {"gl_FragDepthEXT = v.x; gl_FragColor = vec4(1.0);", true, QPUCC_WRITES_Z},
        {"gl_FragColor = gl_LastFragData[0] * v.x;", false, QPUCC_READS_TILE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        struct qpucc_state state = {.depth_test = cases[i].depth_test};
        snprintf(
            text, sizeof text,
            "#extension GL_EXT_frag_depth : enable\n#extension GL_EXT_shader_framebuffer_fetch : enable\n"
            "precision mediump float; varying vec3 v; void main() { %s }\n",
            cases[i].body);
        qpucc_program *p = compile_pair(NULL, text, &state);
        expect_ok(p);
        ck_assert_uint_eq(qpucc_program_layout(p)->flags, cases[i].flags | QPUCC_SINGLE_THREADED);
        qpucc_program_free(p);
    }
}
END_TEST

START_TEST(features_have_names) {
    ck_assert(qpucc_has("variant") && !qpucc_has("no_such_thing") && !qpucc_has("") && !qpucc_has(NULL));
    ck_assert(!qpucc_has("variant\nvariant_free") && !qpucc_has("\n")); /* compiler_has asks for all names */
    char text[40];
    snprintf(text, sizeof text, "%d.%d.%d", QPUCC_VERSION_MAJOR, QPUCC_VERSION_MINOR, QPUCC_VERSION_PATCH);
    ck_assert_str_eq(qpucc_version(), text);
}
END_TEST

static void count_ir(void *user, enum qpucc_stage stage, const char *pass, const char *text) {
    (void)stage;
    *(unsigned *)user += pass[0] && text[0];
}

static void count_time(void *user, enum qpucc_stage stage, const char *pass, double seconds) {
    (void)stage;
    *(unsigned *)user += pass[0] && seconds >= 0;
}

START_TEST(options_do_what_they_say) {
    struct qpucc_source source = glsl(QPUCC_FRAGMENT, "void main() { gl_FragColor = vec4(VALUE); }\n");
    const char *defines[] = {"VALUE=0.5"};
    unsigned dumps = 0;
    struct qpucc_options options = qpucc_options_default();
    options.defines = defines;
    options.define_count = 1;
    options.default_precision = QPUCC_PRECISION_HIGHP;
    options.flags &= ~(uint32_t)QPUCC_GENERATE_LINES;
    options.flags |= QPUCC_GENERATE_IR;
    options.print_after = "all";
    options.on_ir = count_ir;
    options.user = &dumps;
    qpucc_program *p = qpucc_compile(&source, 1, NULL, &options);
    expect_ok(p);
    ck_assert_uint_gt(dumps, 3);
    ck_assert_ptr_null(qpucc_program_lines(p, QPUCC_FRAGMENT));
    ck_assert_ptr_nonnull(strstr(qpucc_program_ir(p, QPUCC_FRAGMENT), "tlb_color"));
    qpucc_program_free(p);
    unsigned times = 0;
    options.print_after = NULL;
    options.on_ir = NULL;
    options.on_pass_time = count_time;
    options.user = &times;
    options.opt_level = 0;
    p = qpucc_compile(&source, 1, NULL, &options);
    expect_ok(p);
    ck_assert_uint_gt(times, 0);
    qpucc_program_free(p);
}
END_TEST

START_TEST(policies_have_names) {
    static const char *const names[] = {"default", "fast", "precise"};
    ck_assert_ptr_null(qpucc_policy_name(QPUCC_POLICY_BITS));
    for (uint32_t k = 0; k < 3; k++) {
        struct qpucc_source source = glsl(QPUCC_FRAGMENT, "void main() { gl_FragColor = vec4(1.0); }\n");
        struct qpucc_options options = qpucc_options_default();
        ck_assert_uint_eq(options.flags & QPUCC_POLICY_BITS, QPUCC_POLICY_DEFAULT);
        options.flags |= k << 8;
        qpucc_program *p = qpucc_compile(&source, 1, NULL, &options);
        ck_assert_str_eq(qpucc_policy_name(qpucc_program_policy(p)), names[k]);
        qpucc_program_free(p);
    }
}
END_TEST

START_TEST(assembler_round_trip) {
    qpucc_program *p = compile_pair(busy_vertex, busy_fragment, NULL);
    expect_ok(p);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count, again;
        const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)s, &count);
        char *text = calloc(count, 300), error[200], line[300];
        for (size_t i = 0; i < count; i++) {
            ck_assert_uint_lt(qpucc_disassemble(code[i], (unsigned)i, line, sizeof line), sizeof line);
            strcat(strcat(text, line), "\n");
        }
        uint64_t *back = qpucc_assemble(text, strlen(text), &again, error, sizeof error);
        ck_assert_msg(back != NULL, "%s", error);
        ck_assert_uint_eq(count, again);
        ck_assert_mem_eq(code, back, count * sizeof *code);
        free(back);
        free(text);
    }
    qpucc_program_free(p);
    char error[200] = "";
    size_t count;
    ck_assert_ptr_null(qpucc_assemble("nop\nno such thing\n", 18, &count, error, sizeof error));
    ck_assert_msg(!strncmp(error, "line 2: ", 8), "%s", error);
}
END_TEST

START_TEST(passes_on_text) {
    struct qpucc_source source = glsl(QPUCC_FRAGMENT, plain_fragment);
    struct qpucc_options options = qpucc_options_default();
    char error[300] = "";
    options.flags |= QPUCC_GENERATE_IR;
    qpucc_program *p = qpucc_compile(&source, 1, NULL, &options);
    expect_ok(p);
    const char *ir = qpucc_program_ir(p, QPUCC_FRAGMENT);
    char *same = qpucc_opt(ir, strlen(ir), "dce", error, sizeof error);
    ck_assert_msg(same != NULL, "%s", error);
    ck_assert_str_eq(same, ir); /* what selection saw has nothing dead in it */
    free(same);
    ck_assert_ptr_null(qpucc_opt(ir, strlen(ir), "no_such_pass", error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "no_such_pass"));
    ck_assert_ptr_null(qpucc_opt("what", 4, "dce", error, sizeof error));
    ck_assert_str_eq(qpucc_stage_name(QPUCC_FRAGMENT), "fragment");
    ck_assert_str_eq(qpucc_stage_name(QPUCC_VERTEX), "vertex");
    ck_assert_str_eq(qpucc_stage_name(QPUCC_COORDINATE), "coordinate");
    ck_assert_ptr_null(qpucc_stage_name(QPUCC_STAGE_COUNT));
    bool has_dce = false;
    for (size_t i = 0; qpucc_pass_name(i, NULL); i++)
        has_dce |= !strcmp(qpucc_pass_name(i, NULL), "dce");
    ck_assert(has_dce);
    qpucc_program_free(p);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        stages_and_statistics, one_stage_alone,          point_size_by_primitive, traits,
        features_have_names,   options_do_what_they_say, policies_have_names,     assembler_round_trip,
        passes_on_text};
    return run_tests("api", tests, sizeof tests / sizeof *tests);
}
