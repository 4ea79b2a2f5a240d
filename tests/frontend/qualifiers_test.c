/* qualifiers_test.c: qualifiers where they mean nothing, with every use of what was declared so. Each text
 * has an answer: `const` on what cannot have a value sent glslang's folding after a constant that does not
 * exist. */
#include "frontend/glsl/glsl.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const versions[] = {
    "", "#version 300 es\n", "#version 110\n", "#version 120\n", "#version 140\n", "#version 330\n"};
static const char *const qualifiers[] = {
    "",          "const",    "uniform",     "in",         "out",           "varying",
    "invariant", "const in", "const highp", "flat const", "const uniform", "layout(location = 0) const"};
static const char *const types[] = {"float", "vec3", "mat2", "ivec2", "bool", "T"};
/* %s: qualifier, type */
static const char *const places[] = {
    "struct S { %s %s v; }; S s;\n#define V s.v\n",
    "struct S { float a; %s %s v, w; };\n#define V S(1.0).v\n",
    "struct { %s %s v[2]; } s;\n#define V s.v[1]\n",
    "%s %s v() { return v(); }\n#define V v()\n",
    "%s %s v(int a);\n#define V v(1)\n",
    "%s %s v;\n#define V v\n",
    "%s %s v[3];\n#define V v[2]\n",
    "void f(%s %s v) { v; }\n#define V f(1.0)\n",
    "uniform B { %s %s v; } b;\n#define V b.v\n",
};
static const char *const uses[] = {
    "V;", "V.x;", "V[0];", "float q = V.y;", "const float q = V.x;", "V.xx;", "if (V) ;", "float q[V];"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

START_TEST(each_has_an_answer) {
    char text[1000], declaration[300];
    unsigned refused = 0, accepted = 0;
    for (size_t v = 0; v < COUNT(versions); v++)
        for (size_t p = 0; p < COUNT(places); p++)
            for (size_t q = 0; q < COUNT(qualifiers); q++)
                for (size_t t = 0; t < COUNT(types); t++) {
                    size_t u = (v + p + q + t) % COUNT(uses); /* each use meets each of the others */
                    for (size_t turn = 0; turn < 2; turn++, u = (u + 3) % COUNT(uses)) {
                        snprintf(declaration, sizeof declaration, places[p], qualifiers[q], types[t]);
                        snprintf(
                            text, sizeof text,
                            "%s#ifdef GL_ES\nprecision mediump float;\n#endif\nstruct T { float x, y; };\n"
                            "%svoid main() { %s }\n",
                            versions[v], declaration, uses[u]);
                        struct fe_source s = {"a.frag", text, strlen(text), QPUCC_FRAGMENT, NULL};
                        struct fe_glsl_result *r = fe_glsl_compile(&s, 1, NULL);
                        ck_assert_ptr_nonnull(r);
                        ck_assert_msg(r->ok || r->diagnostic_count, "no answer to\n%s", text);
                        for (size_t d = 0; d < r->diagnostic_count; d++)
                            ck_assert_msg(!strstr(r->diagnostics[d].text, "internal:"), "%s\n%s",
                                          r->diagnostics[d].text, text);
                        bool in_place = p < 5 && strstr(qualifiers[q], "const");
                        ck_assert_msg(!(r->ok && in_place), "accepted:\n%s", text);
                        refused += !r->ok;
                        accepted += r->ok;
                        fe_glsl_result_free(r);
                    }
                }
    ck_assert_uint_gt(refused, 1000);
    ck_assert_uint_gt(accepted, 100);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("qualifiers");
    TCase *t = tcase_create("qualifiers");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, each_has_an_answer);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
