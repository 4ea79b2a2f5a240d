/* What the tests of the public interface share: short ways to compile, to look things up and to run. */
#ifndef TESTS_COMPILER_API_H
#define TESTS_COMPILER_API_H

#include <qpucc/qpucc.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline struct qpucc_source glsl(enum qpucc_stage stage, const char *text) {
    return (struct qpucc_source){stage == QPUCC_FRAGMENT ? "a.frag" : "a.vert", text, strlen(text), stage,
                                 QPUCC_GLSL};
}

static inline qpucc_program *compile_with(const char *vertex, const char *fragment,
                                          const struct qpucc_state *state,
                                          const struct qpucc_options *options) {
    struct qpucc_source sources[2];
    size_t count = 0;
    if (vertex)
        sources[count++] = glsl(QPUCC_VERTEX, vertex);
    if (fragment)
        sources[count++] = glsl(QPUCC_FRAGMENT, fragment);
    return qpucc_compile(sources, count, state, options);
}

static inline qpucc_program *compile_pair(const char *vertex, const char *fragment,
                                          const struct qpucc_state *state) {
    return compile_with(vertex, fragment, state, NULL);
}

static inline void expect_ok(const qpucc_program *program) {
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
    ck_assert_msg(qpucc_program_status(program) == QPUCC_OK, "%s:%u: %s", d ? d->file : "", d ? d->line : 0,
                  d ? d->text : "no diagnostic");
}

static inline const struct qpucc_variable *variable(const qpucc_program *program, enum qpucc_interface which,
                                                    const char *name) {
    for (size_t i = 0; i < qpucc_program_variable_count(program, which); i++)
        if (!strcmp(qpucc_program_variable(program, which, i)->name, name))
            return qpucc_program_variable(program, which, i);
    return NULL;
}

static const char plain_vertex[] = "attribute vec4 a_position;\n"
                                   "void main() { gl_Position = a_position; }\n";

static const char plain_fragment[] = "precision mediump float;\n"
                                     "uniform vec4 u_color;\n"
                                     "void main() { gl_FragColor = u_color; }\n";

static const char busy_vertex[] =
    "attribute vec4 a; attribute vec3 n; uniform mat4 m; uniform mat3 k; varying vec3 v;\n"
    "void main() { v = normalize(k * n); gl_Position = m * a; }\n";

static const char busy_fragment[] =
    "precision mediump float; varying vec3 v; uniform vec3 l; uniform sampler2D s;\n"
    "void main() { float d = max(dot(normalize(v), l), 0.0);\n"
    "gl_FragColor = texture2D(s, v.xy) * d + pow(d, 9.0); }\n";

static inline int run_tests(const char *name, const TTest *const *tests, size_t count) {
    Suite *suite = suite_create(name);
    TCase *test = tcase_create(name);
    tcase_set_timeout(test, 120);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(test, tests[i]);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}

#endif
