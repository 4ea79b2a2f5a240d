/* The public interface: what it does not know is refused, with the member's name and value. */
#include "api.h"

#include <qpucc/cache.h>
#include <qpucc/explain.h>
#include <qpucc/fixed.h>

/* The program has one diagnostic, of code "usage" and that text. */
static void expect_usage(qpucc_program *p, const char *text) {
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, 0);
    ck_assert_str_eq(d->code, "usage");
    ck_assert_str_eq(d->text, text);
    ck_assert_ptr_null(qpucc_program_code(p, QPUCC_FRAGMENT, NULL));
    qpucc_program_free(p);
}

/* Every function that takes options says the same. */
static void expect_refused(const struct qpucc_options *options, const char *text) {
    const struct qpucc_source source = glsl(QPUCC_FRAGMENT, plain_fragment);
    const struct qpucc_fixed fixed = {.lighting = 0};
    qpucc_cache *cache = qpucc_cache_open("usage-cache", 0);
    ck_assert_ptr_nonnull(cache);
    expect_usage(qpucc_compile(&source, 1, NULL, options), text);
    expect_usage(qpucc_compile_fixed(&fixed, NULL, options), text);
    expect_usage(qpucc_cache_compile(cache, &source, 1, NULL, options), text);
    qpucc_cache_close(cache);
}

START_TEST(numbers_of_options) {
    struct qpucc_options o = qpucc_options_default();
    o.opt_level = 4;
    expect_refused(&o, "options.opt_level is 4, but levels are 0 to 3");
    o.opt_level = -1;
    expect_refused(&o, "options.opt_level is -1, but levels are 0 to 3");
    o = qpucc_options_default();
    o.default_precision = (enum qpucc_default_precision)3;
    expect_refused(&o, "options.default_precision is 3, but 2 is the largest that there is");
    o = qpucc_options_default();
    o.uniform_precision = (enum qpucc_uniform_precision)3;
    expect_refused(&o, "options.uniform_precision is 3, but 2 is the largest that there is");
    o = qpucc_options_default();
    o.reserved = 1;
    expect_refused(&o, "options.reserved is 1, but has to be 0");
    o = qpucc_options_default();
    o.unroll = QPUCC_UNROLL_MOST + 1;
    expect_refused(&o, "options.unroll is 100001, but 100000 is the most");
    o = qpucc_options_default();
    o.warnings = 1u << 31;
    expect_refused(&o, "options.warnings has 0x80000000, which is no warning");
    o = qpucc_options_default();
    o.no_warnings = 3u << 30;
    expect_refused(&o, "options.no_warnings has 0xc0000000, which is no warning");
}
END_TEST

START_TEST(warnings_have_names) {
    uint32_t all = qpucc_warning_bits("all"), portability = qpucc_warning_bits("portability");
    uint32_t by_default = qpucc_warning_bits("default");
    ck_assert_uint_eq(all & by_default, by_default);
    ck_assert_uint_eq(all & portability, 0);
    ck_assert_uint_eq(all | portability, (1u << QPUCC_WARNING_COUNT) - 1);
    for (unsigned i = 0; i < QPUCC_WARNING_COUNT; i++) {
        const char *name = qpucc_warning_name((enum qpucc_warning)i);
        ck_assert_uint_eq(qpucc_warning_bits(name), 1u << i);
        ck_assert_ptr_null(strchr(name, '_'));
        ck_assert_uint_gt(strlen(qpucc_warning_text((enum qpucc_warning)i)), 10);
    }
    ck_assert_ptr_null(qpucc_warning_name(QPUCC_WARNING_COUNT));
    ck_assert_ptr_null(qpucc_warning_text(QPUCC_WARNING_COUNT));
    ck_assert_uint_eq(qpucc_warning_bits("most"), 0);
}
END_TEST

/* A warning's code is its name; what is switched off is not there. */
START_TEST(warnings_of_options) {
    const struct qpucc_source source =
        glsl(QPUCC_FRAGMENT,
             "precision mediump float; uniform float u; void main() { gl_FragColor = vec4(1.0); }");
    struct qpucc_options o = qpucc_options_default();
    qpucc_program *p = qpucc_compile(&source, 1, NULL, &o);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 0);
    qpucc_program_free(p);
    o.warnings = qpucc_warning_bits("unused-uniform");
    p = qpucc_compile(&source, 1, NULL, &o);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "unused-uniform");
    ck_assert_int_eq(qpucc_program_diagnostic(p, 0)->severity, QPUCC_WARNING);
    qpucc_program_free(p);
    o.no_warnings = o.warnings;
    p = qpucc_compile(&source, 1, NULL, &o);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 0);
    qpucc_program_free(p);
}
END_TEST

/* A uniform of two precisions: an error, or the higher one in both stages. */
START_TEST(precisions_of_uniforms) {
    const struct qpucc_source sources[] = {
        glsl(QPUCC_VERTEX, "attribute vec4 p; uniform float u; varying float v;\n"
                           "void main() { v = u; gl_Position = p; }"),
        glsl(QPUCC_FRAGMENT, "precision mediump float; uniform float u; varying float v;\n"
                             "void main() { gl_FragColor = vec4(u * v); }")};
    static const size_t said[] = {1, 0, 1};
    for (int mode = 0; mode < 3; mode++) {
        struct qpucc_options o = qpucc_options_default();
        o.uniform_precision = (enum qpucc_uniform_precision)mode;
        qpucc_program *p = qpucc_compile(sources, 2, NULL, &o);
        ck_assert_int_eq(qpucc_program_status(p), mode ? QPUCC_OK : QPUCC_SOURCE_ERROR);
        ck_assert_uint_eq(qpucc_program_diagnostic_count(p), said[mode]);
        if (said[mode])
            ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, mode ? "uniform-precision" : "source");
        qpucc_program_free(p);
    }
    struct qpucc_options o = qpucc_options_default();
    o.flags |= QPUCC_PERMISSIVE;
    qpucc_program *p = qpucc_compile(sources, 2, NULL, &o);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    qpucc_program_free(p);
}
END_TEST

/* Each bit alone: it is known and compiles, or it is refused. */
START_TEST(flags_of_options) {
    const struct qpucc_source source = glsl(QPUCC_FRAGMENT, plain_fragment);
    const uint32_t known = 0xffff;
    for (unsigned bit = 0; bit < 32; bit++) {
        struct qpucc_options o = qpucc_options_default();
        char text[100];
        o.flags = 1u << bit;
        snprintf(text, sizeof text, "options.flags is 0x%x, but 0x%x is no flag", o.flags, o.flags);
        qpucc_program *p = qpucc_compile(&source, 1, NULL, &o);
        if (known >> bit & 1) {
            expect_ok(p);
            qpucc_program_free(p);
        } else {
            expect_usage(p, text);
        }
    }
    struct qpucc_options o = qpucc_options_default();
    o.flags |= 0x80010000u;
    expect_refused(&o, "options.flags is 0x80010001, but 0x80010000 is no flag");
}
END_TEST

START_TEST(lists_of_options) {
    static const char *const hole[] = {"A", NULL, "B"};
    struct qpucc_options o = qpucc_options_default();
    o.define_count = 2;
    expect_refused(&o, "options.defines is NULL, but options.define_count is 2");
    o.defines = hole;
    expect_refused(&o, "options.defines[1] is NULL");
    o = qpucc_options_default();
    o.include_dir_count = 1;
    expect_refused(&o, "options.include_dirs is NULL, but options.include_dir_count is 1");
    o.include_dirs = hole + 1;
    expect_refused(&o, "options.include_dirs[0] is NULL");
    o = qpucc_options_default();
    o.defines = hole; /* no more than the count says is looked at */
    o.define_count = 1;
    const struct qpucc_source source = glsl(QPUCC_FRAGMENT, "void main() { gl_FragColor = vec4(A); }");
    qpucc_program *p = qpucc_compile(&source, 1, NULL, &o);
    expect_ok(p);
    qpucc_program_free(p);
}
END_TEST

static void ignore_ir(void *user, enum qpucc_stage stage, const char *pass, const char *text) {
    (void)user, (void)stage, (void)pass, (void)text;
}

START_TEST(passes_of_options) {
    struct qpucc_options o = qpucc_options_default();
    o.print_after = "fold";
    expect_refused(&o, "options.print_after is 'fold', but options.on_ir is NULL");
    o.on_ir = ignore_ir;
    o.print_after = "unfold";
    expect_refused(&o, "options.print_after is 'unfold', but no pass has that name");
}
END_TEST

/* Options of an older and of a newer header. */
START_TEST(sizes_of_options) {
    struct {
        struct qpucc_options known;
        uint64_t more[8];
    } newer;
    const struct qpucc_source source = glsl(QPUCC_FRAGMENT, plain_fragment);
    char text[300];
    struct qpucc_options o = qpucc_options_default();
    ck_assert_uint_eq(o.size, sizeof o);
    static const size_t wrong[] = {0,    1,       sizeof(size_t), offsetof(struct qpucc_options, chip),
                                   4097, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.size = wrong[i];
        snprintf(text, sizeof text,
                 "options.size is %zu, but options have %zu bytes: qpucc_options_default() sets it", wrong[i],
                 sizeof o);
        expect_refused(&o, text);
    }
    memset(&newer, 0xff, sizeof newer);
    qpucc_options_init(&newer.known, sizeof newer);
    ck_assert_uint_eq(newer.known.size, sizeof newer);
    ck_assert_int_eq(newer.known.opt_level, 2);
    qpucc_program *p = qpucc_compile(&source, 1, NULL, &newer.known);
    expect_ok(p);
    qpucc_program_free(p);
    newer.more[2] = (uint64_t)1 << 63 | 1;
    snprintf(
        text, sizeof text,
        "options.size is %zu, and byte %zu is not 0: that option of a newer header is unknown to version %s "
        "of the library",
        sizeof newer, sizeof newer.known + 16, qpucc_version());
    expect_refused(&newer.known, text);
    /* the first header's: what came later is as by default, whatever lies behind */
    size_t first = offsetof(struct qpucc_options, chip) + sizeof(struct qpucc_chip);
    memset(&newer, 0xff, sizeof newer);
    qpucc_options_init(&newer.known, first);
    ck_assert_uint_eq(newer.known.size, first);
    p = qpucc_compile(&source, 1, NULL, &newer.known);
    expect_ok(p);
    qpucc_program_free(p);
}
END_TEST

START_TEST(members_of_sources) {
    struct qpucc_source s[2] = {glsl(QPUCC_VERTEX, plain_vertex), glsl(QPUCC_FRAGMENT, plain_fragment)};
    expect_usage(qpucc_compile(NULL, 2, NULL, NULL), "sources is NULL, but count is 2");
    expect_usage(qpucc_compile(s, 0, NULL, NULL),
                 "count is 0, but a program is one vertex shader, one fragment shader, or both");
    expect_usage(qpucc_compile(s, 3, NULL, NULL),
                 "count is 3, but a program is one vertex shader, one fragment shader, or both");
    s[1].stage = QPUCC_COORDINATE;
    expect_usage(qpucc_compile(s, 2, NULL, NULL),
                 "sources[1].stage is 2, but a source is QPUCC_FRAGMENT or QPUCC_VERTEX");
    s[1].stage = QPUCC_VERTEX;
    expect_usage(qpucc_compile(s, 2, NULL, NULL),
                 "sources[0].stage and sources[1].stage are both the vertex stage");
    s[1] = glsl(QPUCC_FRAGMENT, plain_fragment);
    s[1].language = (enum qpucc_language)2;
    expect_usage(qpucc_compile(s, 2, NULL, NULL),
                 "sources[1].language is 2, but languages are QPUCC_GLSL and QPUCC_SPIRV");
    s[1].language = QPUCC_GLSL;
    s[1].data = NULL;
    s[1].size = 7;
    expect_usage(qpucc_compile(s, 2, NULL, NULL), "sources[1].data is NULL, but sources[1].size is 7");
    expect_usage(qpucc_compile_fixed(NULL, NULL, NULL), "fixed is NULL");
}
END_TEST

/* Functions without diagnostics say it by their result. */
START_TEST(arguments_of_others) {
    const enum qpucc_stage stage = (enum qpucc_stage)QPUCC_STAGE_COUNT;
    const enum qpucc_uniform_layout layout = (enum qpucc_uniform_layout)2;
    qpucc_program *p = compile_pair(plain_vertex, plain_fragment, NULL);
    uint32_t words[64], uniforms[4] = {0};
    struct qpucc_draw_values values = {.uniforms = uniforms, .layout = layout};
    struct qpucc_uniform_place place;
    struct qpucc_record_bytes record;
    struct qpucc_slot slot;
    size_t count = 9;
    expect_ok(p);
    ck_assert_uint_eq(qpucc_program_save(p, 4, NULL, 0), 0);
    ck_assert(!qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &values, words));
    ck_assert_uint_eq(qpucc_program_uniform_bytes(p, layout), 0);
    ck_assert(!qpucc_program_uniform_place(p, layout, 0, &place));
    values.layout = QPUCC_UNIFORMS_PACKED;
    ck_assert(qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &values, words));
    ck_assert(!qpucc_uniforms_fill(p, stage, &values, words));
    ck_assert_uint_eq(qpucc_uniforms_size(p, stage), 0);
    ck_assert(!qpucc_uniforms_slot(p, stage, 0, &slot));
    ck_assert(!qpucc_record_fill(p, (enum qpucc_record_mode)2, NULL, &record));
    ck_assert_ptr_null(qpucc_program_code(p, stage, &count));
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(qpucc_stage_name(stage));
    ck_assert_uint_eq(qpucc_program_variable_count(p, (enum qpucc_interface)4), 0);
    ck_assert_ptr_null(qpucc_program_variable(p, (enum qpucc_interface)4, 0));
    ck_assert_ptr_null(qpucc_explain(p, 8));
    ck_assert_ptr_null(qpucc_policy_name((enum qpucc_policy)1));
    qpucc_program_free(p);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {numbers_of_options,     warnings_have_names, warnings_of_options,
                                  precisions_of_uniforms, flags_of_options,    lists_of_options,
                                  passes_of_options,      sizes_of_options,    members_of_sources,
                                  arguments_of_others};
    return run_tests("usage", tests, sizeof tests / sizeof *tests);
}
