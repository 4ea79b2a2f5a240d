/* glsl_results.h: a text through the GLSL front end, and what it said, for tests. */
#ifndef TESTS_FRONTEND_GLSL_RESULTS_H
#define TESTS_FRONTEND_GLSL_RESULTS_H

#include "frontend/glsl/glsl.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERTEX "attribute vec4 p; varying vec2 uv; void main() { uv = p.xy; gl_Position = p; }\n"
#define HEAD "precision mediump float;\n"

static inline struct fe_source source(const char *text, enum qpucc_stage stage) {
    return (struct fe_source){stage == QPUCC_VERTEX ? "a.vert" : "a.frag", text, strlen(text), stage, NULL};
}

static inline struct fe_glsl_result *fragment_with(const char *text, const struct fe_options *options) {
    struct fe_source s = source(text, QPUCC_FRAGMENT);
    return fe_glsl_compile(&s, 1, options);
}

static inline struct fe_glsl_result *fragment(const char *text) {
    return fragment_with(text, NULL);
}

static inline struct fe_glsl_result *pair(const char *vertex, const char *fragment_text) {
    struct fe_source s[] = {source(vertex, QPUCC_VERTEX), source(fragment_text, QPUCC_FRAGMENT)};
    return fe_glsl_compile(s, 2, NULL);
}

/* All diagnostics as the command prints them. */
static inline const char *printed(const struct fe_glsl_result *r) {
    static const char *const severities[] = {"note", "warning", "error"};
    static char text[8192];
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < r->diagnostic_count && at < sizeof text - 600; i++) {
        const struct fe_diagnostic *d = &r->diagnostics[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s:%u:%u: %s: %s\n", d->file, d->line, d->column,
                               severities[d->severity], d->text);
    }
    return text;
}

static inline void expect_ok(struct fe_glsl_result *r) {
    ck_assert_msg(r->ok, "%s", printed(r));
    fe_glsl_result_free(r);
}

static inline void expect_error(struct fe_glsl_result *r, const char *part) {
    ck_assert(!r->ok);
    ck_assert_msg(strstr(printed(r), part) != NULL, "expected '%s' in\n%s", part, printed(r));
    for (size_t i = 0; i < r->stage_count; i++)
        ck_assert_ptr_null(r->stages[i].spirv);
    fe_glsl_result_free(r);
}

static inline char *repeat(const char *before, const char *unit, size_t times, const char *after) {
    size_t length = strlen(unit);
    char *text = malloc(strlen(before) + length * times + strlen(after) + 1);
    strcpy(text, before);
    char *p = text + strlen(before);
    for (size_t i = 0; i < times; i++, p += length)
        memcpy(p, unit, length);
    strcpy(p, after);
    return text;
}

struct glsl_case {
    const char *name;
    const TTest *test;
};

/* The program's end: its exit code. */
static inline int run_cases(const char *name, const struct glsl_case *cases, size_t count) {
    Suite *suite = suite_create(name);
    for (size_t i = 0; i < count; i++) {
        TCase *c = tcase_create(cases[i].name);
        tcase_set_timeout(c, 120);
        tcase_add_test(c, cases[i].test);
        suite_add_tcase(suite, c);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}

#endif
