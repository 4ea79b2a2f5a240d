/* Programs for certain values of uniforms: what is decided is gone, and what a driver sees stays. */
#include "tests/compiler/program_equal.h"
#include "tests/sanitized.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static const char vertex[] =
    "attribute vec4 p; attribute vec2 t; uniform mat4 m; uniform bool flip; varying vec2 v;\n"
    "void main() { gl_Position = m * p; v = flip ? vec2(t.x, 1.0 - t.y) : t; }\n";
static const char fragment[] =
    "precision mediump float; varying vec2 v; uniform sampler2D s, n; uniform int kind; uniform float taps;\n"
    "uniform vec4 c, w[4];\n"
    "void main() { vec4 a = c;\n"
    "  if (kind == 0) a = texture2D(s, v);\n"
    "  else if (kind == 1) a = texture2D(n, v) * w[2];\n"
    "  else if (kind == 2) for (int i = 0; i < 12; i++) { if (float(i) >= taps) break;\n"
    "    a += texture2D(s, v + float(i) * 0.01); }\n"
    "  gl_FragColor = a; }\n";

static qpucc_program *compile(int level) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    struct qpucc_source sources[2] = {{"a.vert", vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, sizeof fragment - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    return program;
}

static struct qpucc_constant constant(const qpucc_program *program, const char *name, unsigned word,
                                      float value) {
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_UNIFORMS, i);
        struct qpucc_constant c = {v->word + word, (uint32_t)value};
        if (v->base == QPUCC_FLOAT)
            memcpy(&c.bits, &value, sizeof c.bits);
        if (!strcmp(v->name, name))
            return c;
    }
    ck_abort_msg("no uniform %s", name);
}

static size_t length(const qpucc_program *program, enum qpucc_stage stage) {
    size_t count;
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    qpucc_program_code(program, stage, &count);
    return count;
}

static unsigned lookups(const qpucc_program *program) {
    return qpucc_program_stats(program, QPUCC_FRAGMENT)->tmu;
}

START_TEST(decides) {
    for (int level = 0; level <= (SANITIZED ? 2 : 3); level++) {
        qpucc_program *program = compile(level), *of[5];
        for (int kind = 0; kind < 4; kind++) {
            struct qpucc_constant list[] = {constant(program, "kind", 0, (float)kind),
                                            constant(program, "taps", 0, 3)};
            of[kind] = qpucc_specialise(program, NULL, list, 2);
            ck_assert_uint_lt(length(of[kind], QPUCC_FRAGMENT), length(program, QPUCC_FRAGMENT));
        }
        if (level) {
            ck_assert_uint_eq(lookups(of[0]), 1);
            ck_assert_uint_eq(lookups(of[2]), 3);
            ck_assert_uint_eq(lookups(of[3]), 0);
        }
        struct qpucc_constant flip = constant(program, "flip", 0, 0);
        of[4] = qpucc_specialise(program, NULL, &flip, 1);
        ck_assert_uint_lt(length(of[4], QPUCC_VERTEX), length(program, QPUCC_VERTEX));
        qpucc_program_free(program); /* they outlive it */
        for (int k = 0; k < 5; k++)
            qpucc_program_free(of[k]);
    }
}
END_TEST

START_TEST(interface_stays) {
    qpucc_program *program = compile(2);
    struct qpucc_constant kind = constant(program, "kind", 0, 1), both[] = {{kind.word, 7}, kind};
    qpucc_program *special = qpucc_specialise(program, NULL, &kind, 1),
                  *last = qpucc_specialise(program, NULL, both, 2);
    ck_assert_ptr_null(program_difference(special, last));
    for (int t = QPUCC_UNIFORMS; t <= QPUCC_ATTRIBUTES; t++)
        for (size_t i = 0; i < qpucc_program_variable_count(program, (enum qpucc_interface)t); i++) {
            const struct qpucc_variable *a = qpucc_program_variable(program, (enum qpucc_interface)t, i),
                                        *b = qpucc_program_variable(special, (enum qpucc_interface)t, i);
            ck_assert_str_eq(a->name, b->name);
            ck_assert_uint_eq(a->word, b->word);
            ck_assert_int_eq(a->location, b->location);
        }
    for (enum qpucc_uniform_layout form = QPUCC_UNIFORMS_PACKED; form <= QPUCC_UNIFORMS_STD140; form++)
        ck_assert_uint_eq(qpucc_program_uniform_bytes(program, form),
                          qpucc_program_uniform_bytes(special, form));
    ck_assert_mem_eq(qpucc_program_layout(program)->attributes, qpucc_program_layout(special)->attributes,
                     sizeof qpucc_program_layout(program)->attributes);
    qpucc_program_free(program);
    qpucc_program_free(special);
    qpucc_program_free(last);
}
END_TEST

static qpucc_program *save_and_load(const qpucc_program *program, uint32_t parts) {
    size_t size = qpucc_program_save(program, parts, NULL, 0);
    void *bytes = malloc(size);
    ck_assert_uint_eq(qpucc_program_save(program, parts, bytes, size), size);
    qpucc_program *loaded = qpucc_program_load(bytes, size);
    free(bytes);
    return loaded;
}

/* In any order: specialised and then for a state, for the state at once, of what was loaded, in two steps. */
START_TEST(starts_anywhere) {
    struct qpucc_state state = {.depth_test = 1, .flip_y = 1, .texture[0].format = 2};
    qpucc_program *program = compile(2), *loaded = save_and_load(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV);
    struct qpucc_constant list[] = {constant(program, "kind", 0, 2), constant(program, "taps", 0, 5)};
    qpucc_program *want = qpucc_specialise(program, &state, list, 2),
                  *plain = qpucc_specialise(program, NULL, list, 2),
                  *first = qpucc_specialise(program, NULL, list, 1),
                  *kept = save_and_load(plain, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV);
    qpucc_program *got[] = {qpucc_variant(plain, &state), qpucc_specialise(loaded, &state, list, 2),
                            qpucc_specialise(first, &state, list + 1, 1), qpucc_variant(kept, &state),
                            qpucc_specialise(want, &state, NULL, 0)};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++) {
        const char *difference = program_difference(got[i], want);
        ck_assert_msg(!difference, "way %zu: %s", i, difference);
        qpucc_program_free(got[i]);
    }
    qpucc_program_free(program);
    qpucc_program_free(loaded);
    qpucc_program_free(want);
    qpucc_program_free(plain);
    qpucc_program_free(first);
    qpucc_program_free(kept);
}
END_TEST

static void expect_refused(qpucc_program *program, const char *text) {
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_SOURCE_ERROR);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(program), 1);
    ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->code, "usage");
    ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->text, text);
    qpucc_program_free(program);
}

START_TEST(refuses) {
    qpucc_program *program = compile(1), *bare = save_and_load(program, 0);
    struct qpucc_constant far = {1000, 0};
    size_t words = qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_PACKED) / 4;
    char text[100];
    snprintf(text, sizeof text, "constant 0 is for word 1000 of a uniform storage of %zu", words);
    expect_refused(qpucc_specialise(program, NULL, &far, 1), text);
    expect_refused(qpucc_specialise(program, NULL, NULL, 2), "2 constants, but no list of them");
    far.word = 0;
    expect_refused(qpucc_specialise(bare, NULL, &far, 1),
                   "the program was saved without its IR, or only preprocessed, and has no variants");
    qpucc_program_free(program);
    qpucc_program_free(bare);
}
END_TEST

static const struct qpucc_control *control_of(const qpucc_program *program, const struct qpucc_control *list,
                                              size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(qpucc_program_variable(program, QPUCC_UNIFORMS, list[i].variable)->name, name))
            return &list[i];
    return NULL;
}

START_TEST(controls) {
    qpucc_program *program = compile(2);
    struct qpucc_control list[8], one;
    size_t count = qpucc_program_controls(program, list, 8);
    ck_assert_uint_eq(count, 3);
    ck_assert_uint_eq(qpucc_program_controls(program, NULL, 0), 3);
    ck_assert_uint_eq(qpucc_program_controls(program, &one, 1), 3);
    ck_assert_uint_eq(one.word, list[0].word);
    const struct qpucc_control *kind = control_of(program, list, count, "kind"),
                               *taps = control_of(program, list, count, "taps"),
                               *flip = control_of(program, list, count, "flip");
    ck_assert_ptr_eq(kind, &list[0]);
    ck_assert_uint_eq(kind->conditions, 3);
    ck_assert_uint_ge(kind->lookups, 3);
    ck_assert(!kind->trips);
    ck_assert_uint_eq(taps->conditions, 1);
    ck_assert_uint_eq(taps->lookups, 1);
    ck_assert(taps->trips);
    ck_assert_uint_eq(flip->conditions, 1);
    ck_assert_uint_lt(flip->instructions, kind->instructions);
    struct qpucc_constant value = {kind->word,
                                   0}; /* nothing is left to decide for it, and for what it decides */
    qpucc_program *special = qpucc_specialise(program, NULL, &value, 1);
    count = qpucc_program_controls(special, list, 8);
    ck_assert_ptr_null(control_of(special, list, count, "kind"));
    ck_assert_ptr_null(control_of(special, list, count, "taps"));
    qpucc_program *bare = save_and_load(program, 0);
    ck_assert_uint_eq(qpucc_program_controls(bare, list, 8), 0);
    qpucc_program_free(program);
    qpucc_program_free(special);
    qpucc_program_free(bare);
}
END_TEST

/* A condition on what changes from lane to lane hangs on no uniform, also where there is one in it. */
START_TEST(varyings_decide) {
    static const char text[] =
        "precision mediump float; uniform float u; uniform vec4 a[3]; uniform int k; varying vec2 v;\n"
        "void main() { gl_FragColor = v.x > u ? vec4(1.0) : v.y * a[k]; }\n";
    struct qpucc_source source = {"a.frag", text, sizeof text - 1, QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
    struct qpucc_control list[4];
    ck_assert_uint_eq(qpucc_program_controls(program, list, 4), 1);
    ck_assert_str_eq(qpucc_program_variable(program, QPUCC_UNIFORMS, list[0].variable)->name, "k");
    ck_assert_uint_eq(list[0].instructions, 0);
    qpucc_program_free(program);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("specialise");
    TCase *t = tcase_create("specialise");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, decides);
    tcase_add_test(t, interface_stays);
    tcase_add_test(t, starts_anywhere);
    tcase_add_test(t, refuses);
    tcase_add_test(t, controls);
    tcase_add_test(t, varyings_decide);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
