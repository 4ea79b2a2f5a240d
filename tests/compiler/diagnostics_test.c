/* The public interface: what is said of sources, calls and links that are wrong, and of what the hardware
 * lacks. */
#include "api.h"

static void expect_only(qpucc_program *p, enum qpucc_status status, const char *code, unsigned line,
                        const char *text) {
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, 0);
    ck_assert_int_eq(qpucc_program_status(p), status);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    ck_assert_str_eq(d->code, code);
    ck_assert_str_eq(d->text, text);
    ck_assert_uint_eq(d->line, line);
    qpucc_program_free(p);
}

static qpucc_program *compile_spirv(const char *vertex, const char *fragment) {
    const char *const texts[2] = {vertex, fragment};
    static const enum qpucc_stage stages[2] = {QPUCC_VERTEX, QPUCC_FRAGMENT};
    qpucc_program *part[2];
    struct qpucc_source modules[2];
    for (int k = 0; k < 2; k++) {
        struct qpucc_source source = {"a", texts[k], strlen(texts[k]), stages[k], QPUCC_GLSL};
        part[k] = qpucc_compile(&source, 1, NULL, NULL);
        expect_ok(part[k]);
        size_t words;
        const uint32_t *spirv = qpucc_program_spirv(part[k], stages[k], &words);
        modules[k] = (struct qpucc_source){"a", spirv, 4 * words, stages[k], QPUCC_SPIRV};
    }
    qpucc_program *p = qpucc_compile(modules, 2, NULL, NULL);
    qpucc_program_free(part[0]);
    qpucc_program_free(part[1]);
    return p;
}

/* An array that an index picks from at run time counts as a whole. */
START_TEST(varyings_picked_at_run_time) {
    char vertex[300], fragment[300];
    for (unsigned n = 8; n < 10; n++) {
        snprintf(vertex, sizeof vertex,
                 "#version 330\nin vec4 p; out vec4 v[%u];\n"
                 "void main() { for (int i = 0; i < %u; i++) v[i] = p * p.x * float(i); gl_Position = p; }\n",
                 n, n);
        snprintf(fragment, sizeof fragment,
                 "#version 330\nuniform int i; out vec4 c;\nin vec4 v[%u];\nvoid main() { c = v[i]; }\n", n);
        qpucc_program *p = compile_pair(vertex, fragment, NULL);
        if (n > 8) {
            expect_only(p, QPUCC_DOES_NOT_FIT, "varyings", 3,
                        "36 words of varyings, but the hardware interpolates 32");
            continue;
        }
        expect_ok(p);
        ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 32);
        qpucc_program_free(p);
    }
}
END_TEST

/* An index at run time leads to the same words in both stages. The front end refuses such arrays in GLSL;
 * modules may have them. */
START_TEST(structures_of_another_length) {
    static const char vertex[] = "#version 330\nstruct L { float a; vec2 b; }; uniform L l[2]; uniform int "
                                 "k; in vec4 p; out float v;\n"
                                 "void main() { v = l[k].a + l[k].b.y; gl_Position = p; }\n";
    char fragment[300];
    for (unsigned n = 2; n < 4; n++) {
        snprintf(fragment, sizeof fragment,
                 "#version 330\nstruct L { float a; vec2 b; }; uniform L l[%u]; uniform int k;\n"
                 "in float v; out vec4 c; void main() { c = vec4(l[k].a, l[k].b, v); }\n",
                 n);
        qpucc_program *p = compile_spirv(vertex, fragment);
        if (n == 2) {
            expect_ok(p);
        } else {
            ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
            ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "link");
            ck_assert_str_eq(
                qpucc_program_diagnostic(p, 0)->text,
                "a structure that is indexed at run time is laid out differently in the two stages");
        }
        qpucc_program_free(p);
    }
}
END_TEST

START_TEST(one_warning_for_all_components) {
    qpucc_program *p = compile_pair(NULL,
                                    "precision mediump float; varying vec4 x;\n"
                                    "void main() { gl_FragColor = pow(-2.0 - abs(x), x); }\n",
                                    NULL);
    expect_only(p, QPUCC_OK, "undefined", 2, "pow of a negative number is undefined; the base counts as 0");
}
END_TEST

START_TEST(every_error_has_its_place) {
    qpucc_program *p = compile_pair(
        NULL, "precision mediump float;\nvoid main() {\n    gl_FragColor = vec4(a);\n    float x = b;\n}\n",
        NULL);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    ck_assert_uint_ge(qpucc_program_diagnostic_count(p), 2);
    bool third = false, fourth = false;
    for (size_t i = 0; i < qpucc_program_diagnostic_count(p); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, i);
        ck_assert_str_eq(d->file, "a.frag");
        ck_assert_str_eq(d->code, "source");
        third |= d->line == 3;
        fourth |= d->line == 4;
    }
    ck_assert(third && fourth);
    ck_assert_ptr_null(qpucc_program_diagnostic(p, 1000));
    ck_assert_ptr_null(qpucc_program_code(p, QPUCC_FRAGMENT, NULL));
    ck_assert_uint_eq(qpucc_uniforms_size(p, QPUCC_FRAGMENT), 0);
    qpucc_program_free(p);
}
END_TEST

START_TEST(no_position_is_legal) {
    qpucc_program *p = compile_pair("void main() {}", NULL, NULL);
    expect_ok(p);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    ck_assert_int_eq(qpucc_program_diagnostic(p, 0)->severity, QPUCC_WARNING);
    ck_assert_ptr_nonnull(qpucc_program_code(p, QPUCC_COORDINATE, NULL));
    qpucc_program_free(p);
}
END_TEST

START_TEST(more_than_the_hardware_has) {
    char vertex[2000] = "", fragment[3000] = "precision highp float;\n", line[200];
    for (int i = 0; i < 9; i++) {
        snprintf(line, sizeof line, "attribute vec4 a%d;\n", i);
        strcat(vertex, line);
    }
    strcat(vertex, "void main() { gl_Position = a0+a1+a2+a3+a4+a5+a6+a7+a8; }\n");
    qpucc_program *p = compile_pair(vertex, plain_fragment, NULL);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_OK);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_INTERNAL);
    qpucc_program_free(p);
    for (int i = 0; i < 9; i++) {
        snprintf(line, sizeof line, "varying vec4 v%d;\n", i);
        strcat(fragment, line);
    }
    strcat(fragment, "void main() { gl_FragColor = v0+v1+v2+v3+v4+v5+v6+v7+v8; }\n");
    p = compile_pair(NULL, fragment, NULL);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_OK);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_INTERNAL);
    qpucc_program_free(p);
    p = compile_pair("attribute vec4 a; uniform mat4 m[600], n[600];\n"
                     "void main() { gl_Position = (m[599] + n[599]) * a; }",
                     NULL, NULL);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_OK);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_INTERNAL);
    qpucc_program_free(p);
}
END_TEST

START_TEST(wrong_calls) {
    struct qpucc_source two[2] = {glsl(QPUCC_FRAGMENT, plain_fragment), glsl(QPUCC_FRAGMENT, plain_fragment)};
    struct qpucc_source nothing = {NULL, NULL, 0, QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_source coordinate = glsl(QPUCC_COORDINATE, plain_vertex);
    struct {
        const struct qpucc_source *sources;
        size_t count;
    } cases[] = {{NULL, 0}, {NULL, 3}, {two, 2}, {&nothing, 1}, {&coordinate, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qpucc_program *p = qpucc_compile(cases[i].sources, cases[i].count, NULL, NULL);
        ck_assert_ptr_nonnull(p);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
        ck_assert_uint_ge(qpucc_program_diagnostic_count(p), 1);
        qpucc_program_free(p);
    }
    qpucc_program_free(NULL);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {varyings_picked_at_run_time,
                                  structures_of_another_length,
                                  one_warning_for_all_components,
                                  every_error_has_its_place,
                                  no_position_is_legal,
                                  more_than_the_hardware_has,
                                  wrong_calls};
    return run_tests("api_diagnostics", tests, sizeof tests / sizeof *tests);
}
