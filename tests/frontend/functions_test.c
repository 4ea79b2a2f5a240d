/* Every function of the language (frontend/glsl/functions.def, and lookups by old names) in every version and
 * stage: what glslang accepts becomes code or gets an error that names it, and never "internal". glslang
 * makes nothing but crashes of some functions that it declares. */
#include "frontend/glsl/glsl.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *name, *signatures;
} rows[] = {
#define FUNCTION(name, es, desktop, signatures) {#name, signatures},
#include "frontend/glsl/functions.def"
#undef FUNCTION
    {"texture1D", "vec4(sampler1D,float) vec4(sampler1D,float,float)"},
    {"texture1DProj", "vec4(sampler1D,vec2)"},
    {"texture1DLod", "vec4(sampler1D,float,float)"},
    {"texture1DGradARB", "vec4(sampler1D,float,float,float)"},
    {"texture2DGradARB", "vec4(sampler2D,vec2,vec2,vec2)"},
    {"texture2DProjGradARB", "vec4(sampler2D,vec3,vec2,vec2)"},
    {"textureCubeGradARB", "vec4(samplerCube,vec3,vec3,vec3)"},
    {"texture2DRect", "vec4(sampler2DRect,vec2)"},
    {"texture2DRectProj", "vec4(sampler2DRect,vec3)"},
    {"texture3D", "vec4(sampler3D,vec3)"},
    {"shadow1D", "vec4(sampler1DShadow,vec3) vec4(sampler1DShadow,vec3,float)"},
    {"shadow1DProjLod", "vec4(sampler1DShadow,vec4,float)"},
    {"shadow2D", "vec4(sampler2DShadow,vec3) vec4(sampler2DShadow,vec3,float)"},
    {"shadow2DProj", "vec4(sampler2DShadow,vec4)"},
    {"shadow2DLod", "vec4(sampler2DShadow,vec3,float)"},
    {"shadow2DGradARB", "vec4(sampler2DShadow,vec3,vec2,vec2)"},
    {"shadow2DRect", "vec4(sampler2DRectShadow,vec3)"},
    {"shadow2DRectProj", "vec4(sampler2DRectShadow,vec4)"},
};

#define EXTENSIONS                                                                                           \
    "#extension GL_ARB_shader_texture_lod : enable\n#extension GL_ARB_texture_rectangle : enable\n"
static const char *const heads[] = {
    "#version 100\n#extension GL_OES_standard_derivatives : enable\n#extension GL_EXT_shader_texture_lod : "
    "enable\n",
    "#version 300 es\n",
    "#version 110\n" EXTENSIONS,
    "#version 120\n" EXTENSIONS,
    "#version 130\n" EXTENSIONS,
    "#version 140\n" EXTENSIONS,
    "#version 140\n#extension GL_ARB_compatibility : enable\n" EXTENSIONS,
    "#version 150\n" EXTENSIONS,
    "#version 150 compatibility\n" EXTENSIONS,
    "#version 330\n" EXTENSIONS,
    "#version 330 compatibility\n" EXTENSIONS,
};

/* The type of a signature's letter, at two components. */
static const char *type_of(const char *word, size_t length, char buffer[32]) {
    static const struct {
        char letter;
        const char *type;
    } letters[] = {{'T', "vec2"},  {'V', "vec2"},  {'I', "ivec2"}, {'J', "ivec2"}, {'U', "uvec2"},
                   {'K', "uvec2"}, {'B', "bvec2"}, {'L', "bvec2"}, {'M', "mat2"}};
    for (size_t k = 0; length == 1 && k < sizeof letters / sizeof *letters; k++)
        if (letters[k].letter == *word)
            return letters[k].type;
    snprintf(buffer, 32, "%.*s", (int)length, word);
    return buffer;
}

struct text {
    char at[2048];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, args);
    va_end(args);
}

/* `vec2 u0; vec2 f() { return name(u0); }`: globals, which may be written, too. */
static void write_shader(struct text *t, const char *head, bool fragment, const char *name,
                         const char *signature) {
    char result[32], buffer[32];
    struct text arguments = {.length = 0};
    size_t at = strcspn(signature, "(") + 1;
    bool es = strstr(head, "100") || strstr(head, "es");
    add(t, "%s%s", head, es ? "precision highp float;\n" : "");
    for (unsigned n = 0; signature[at] != ')' && signature[at - 1] != ')'; n++) {
        size_t length = strcspn(signature + at, ",)");
        const char *type = type_of(signature + at, length, buffer);
        add(t, "%s%s u%u;\n", strncmp(type, "sampler", 7) ? "" : "uniform ", type, n);
        add(&arguments, "%su%u", n ? ", " : "", n);
        at += length + 1;
    }
    add(t, "%s f() { return %s(%s); }\nvoid main() { f(); %s }\n",
        type_of(signature, strcspn(signature, "("), result), name, arguments.at,
        fragment ? "" : "gl_Position = vec4(0.0);");
}

/* True: it became code. */
static bool try_function(const char *head, bool fragment, const char *name, const char *signature) {
    struct text t = {.length = 0};
    write_shader(&t, head, fragment, name, signature);
    struct fe_source source = {NULL, t.at, t.length, fragment ? QPUCC_FRAGMENT : QPUCC_VERTEX, NULL};
    struct fe_glsl_result *r = fe_glsl_compile(&source, 1, NULL);
    ck_assert_ptr_nonnull(r);
    bool ok = r->ok;
    ck_assert_msg(ok || r->diagnostic_count, "%s", t.at);
    for (size_t k = 0; k < r->diagnostic_count; k++)
        ck_assert_msg(!strstr(r->diagnostics[k].text, "internal"), "%s: %s", r->diagnostics[k].text, t.at);
    fe_glsl_result_free(r);
    return ok;
}

START_TEST(all) {
    size_t good = 0, tried = 0;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (const char *s = rows[k].signatures; *s; s += strcspn(s, " "), s += *s == ' ')
            for (size_t v = 0; v < sizeof heads / sizeof *heads; v++)
                for (int fragment = 0; fragment < 2; fragment++, tried++)
                    good += try_function(heads[v], fragment, rows[k].name, s);
    ck_assert_msg(good > tried / 2, "%zu of %zu", good, tried);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("functions");
    TCase *cases = tcase_create("functions");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, all);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
