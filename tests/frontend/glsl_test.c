/* glsl_test.c: the GLSL front end through its public interface: diagnostics and their places, the
 * preprocessor, limits, linking, and what the SPIR-V carries. */
#include "frontend/glsl/glsl.h"
#include "frontend/essl100/essl100.h"

#include <check.h>
#include <pthread.h>
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERTEX "attribute vec4 p; varying vec2 uv; void main() { uv = p.xy; gl_Position = p; }\n"
#define HEAD "precision mediump float;\n"

static struct fe_source source(const char *text, enum qpucc_stage stage) {
    return (struct fe_source){stage == QPUCC_VERTEX ? "a.vert" : "a.frag", text, strlen(text), stage, NULL};
}

static struct fe_glsl_result *fragment_with(const char *text, const struct fe_options *options) {
    struct fe_source s = source(text, QPUCC_FRAGMENT);
    return fe_glsl_compile(&s, 1, options);
}

static struct fe_glsl_result *fragment(const char *text) {
    return fragment_with(text, NULL);
}

static struct fe_glsl_result *pair(const char *vertex, const char *fragment_text) {
    struct fe_source s[] = {source(vertex, QPUCC_VERTEX), source(fragment_text, QPUCC_FRAGMENT)};
    return fe_glsl_compile(s, 2, NULL);
}

/* All diagnostics as the command prints them. */
static const char *printed(const struct fe_glsl_result *r) {
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

static void expect_ok(struct fe_glsl_result *r) {
    ck_assert_msg(r->ok, "%s", printed(r));
    fe_glsl_result_free(r);
}

static void expect_error(struct fe_glsl_result *r, const char *part) {
    ck_assert(!r->ok);
    ck_assert_msg(strstr(printed(r), part) != NULL, "expected '%s' in\n%s", part, printed(r));
    for (size_t i = 0; i < r->stage_count; i++)
        ck_assert_ptr_null(r->stages[i].spirv);
    fe_glsl_result_free(r);
}

/* --- diagnostics
 * ------------------------------------------------------------------------------------------------- */

START_TEST(places_are_the_users) {
    expect_error(fragment(HEAD "void main() {\n   gl_FragColor = vec4(nope);\n}\n"),
                 "a.frag:3:24: error: 'nope': undeclared identifier");
    expect_error(fragment(HEAD "/* a\n comment */ void main() {\r\n\tint i = \\\n 1.0;\n}\n"),
                 "a.frag:4:8: error:");
    expect_error(fragment(HEAD "#define BAD nope\nvoid main() { gl_FragColor = vec4(  BAD); }\n"),
                 "a.frag:3:37: error: 'nope'");
    expect_error(fragment(HEAD "#line 70\nfoo;\n"), "a.frag:70:");
    expect_error(fragment(HEAD "#line 70 3\nfoo;\n"), "a.frag(3):70:");
}
END_TEST

START_TEST(every_error_is_shown) {
    struct fe_glsl_result *r = fragment(HEAD "void main() {\n"
                                             "   float a = one;\n"
                                             "   float b = ;\n"
                                             "   float c = two;\n"
                                             "   int d = 1.0;\n"
                                             "   if (a > ) discard;\n"
                                             "   float e = three;\n"
                                             "}\n");
    const char *text = printed(r);
    ck_assert_msg(strstr(text, "a.frag:3:14: error: 'one'"), "%s", text);
    ck_assert_msg(strstr(text, "a.frag:4:14: error: syntax error, unexpected ';'"), "%s", text);
    ck_assert_msg(strstr(text, "a.frag:5:14: error: 'two'"), "%s", text);
    ck_assert_msg(strstr(text, "a.frag:6:"), "%s", text);
    ck_assert_msg(strstr(text, "a.frag:7:12: error: syntax error"), "%s", text);
    ck_assert_msg(strstr(text, "a.frag:8:14: error: 'three'"), "%s", text);
    ck_assert_msg(!strstr(text, "compilation"), "%s", text);
    for (size_t i = 0; i < r->diagnostic_count; i++) {
        for (size_t k = 0; k < i; k++)
            ck_assert(r->diagnostics[i].line != r->diagnostics[k].line ||
                      strcmp(r->diagnostics[i].text, r->diagnostics[k].text) != 0);
    }
    fe_glsl_result_free(r);
}
END_TEST

START_TEST(missing_precision_is_one_error_with_advice) {
    const char *text = "varying vec2 uv;\nvoid main() {\n vec4 c = vec4(uv, uv); gl_FragColor = c; }\n";
    struct fe_glsl_result *r = fragment(text);
    ck_assert(!r->ok);
    ck_assert_uint_eq(r->diagnostic_count, 1);
    ck_assert_msg(strstr(printed(r), "a.frag:1:9: error: 'float' has no precision"), "%s", printed(r));
    ck_assert(strstr(printed(r), "-fdefault-precision=mediump"));
    fe_glsl_result_free(r);
    struct fe_options options = {.default_float_precision = FE_HIGHP};
    r = fragment_with(text, &options);
    ck_assert_msg(r->ok, "%s", printed(r));
    ck_assert_int_eq(fe_find_symbol(&r->stages[0], "uv", FE_VARYING)->precision, FE_HIGHP);
    fe_glsl_result_free(r);
    r = fragment_with("varying vec2 uv;\nvoid main() { gl_FragColor = nope; }\n", &options);
    ck_assert_msg(strstr(printed(r), "a.frag:2:30: error: 'nope'"), "%s", printed(r));
    fe_glsl_result_free(r);
}
END_TEST

START_TEST(versions) {
    expect_ok(fragment("#version 100\n" HEAD "void main() { gl_FragColor = vec4(1.0); }\n"));
    expect_ok(fragment("\n // before\n#version 100\n" HEAD "void main() { gl_FragColor = vec4(1.0); }\n"));
    expect_error(fragment("precision mediump float;\n#version 100\nvoid main() {}\n"),
                 "a.frag:2:1: error: #version must");
    static const char *const refused[] = {"310 es", "320 es", "300", "300 core",
                                          "100es",  "115",    "400", "460 core"};
    char text[200];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(text, sizeof text, "#version %s\nvoid main() {}\n", refused[i]);
        expect_error(fragment(text),
                     i == 4 ? "needs a number" : " is not supported: there are 100, 300 es, and 110");
    }
    static const char *const desktop[] = {"110",
                                          "120",
                                          "130",
                                          "140",
                                          "150",
                                          "150 core",
                                          "150 compatibility",
                                          "330",
                                          "330 core",
                                          "330 compatibility"};
    for (size_t i = 0; i < sizeof desktop / sizeof *desktop; i++) {
        bool old = i < 3 || strstr(desktop[i], "compat");
        snprintf(text, sizeof text, "#version %s\n%svoid main() { %s = vec4(1.0); }\n", desktop[i],
                 old ? "" : "out vec4 c;", old ? "gl_FragColor" : "c");
        struct fe_glsl_result *r = fragment(text);
        ck_assert_msg(r->ok, "%s: %s", desktop[i], printed(r));
        ck_assert_int_eq(r->stages[0].version, atoi(desktop[i]));
        ck_assert(!r->stages[0].es);
        fe_glsl_result_free(r);
    }
    expect_error(fragment("#version 120 core\nvoid main() {}\n"), "takes no profile 'core'");
    expect_error(fragment("#version 330 banana\nvoid main() {}\n"), "takes no profile 'banana'");
    expect_error(fragment("#version 330\nvoid main() { gl_FragColor = gl_Color; }\n"), "'gl_Color'");
    expect_error(fragment("#version 100 es\nvoid main() {}\n"), "takes no profile");
    expect_error(fragment("#version banana\nvoid main() {}\n"), "needs a number");
}
END_TEST

START_TEST(rules) {
    expect_error(
        fragment(HEAD "struct S { float a; }; void main() { S s = S(1.0); gl_FragColor = vec4((+s).a); }\n"),
        "unary '+'");
    expect_error(fragment(HEAD "float f(struct T { float a; } t) { return t.a; } void main() {}\n"),
                 "a struct cannot be defined inside a parameter list");
    expect_error(fragment(HEAD "invariant gl_FrontFacing; void main() { gl_FragColor = vec4(1.0); }\n"),
                 "gl_FrontFacing cannot be invariant");
    expect_error(fragment(HEAD "varying vec2 uv; vec2 g = uv; void main() { gl_FragColor = g.xyxy; }\n"),
                 "'uv' has no value yet");
    expect_ok(fragment(HEAD "uniform vec2 u; vec2 g = u * 2.0; void main() { gl_FragColor = g.xyxy; }\n"));
    expect_error(
        fragment(HEAD "float f(float x) { return f(x); } void main() { gl_FragColor = vec4(f(1.0)); }\n"),
        "ecursi");
    expect_error(fragment(HEAD "void f() {}\n"), "has no 'void main()'");
    expect_error(fragment(HEAD "float gl_x; void main() {}\n"), "reserved");
    struct fe_glsl_result *r =
        fragment(HEAD "float a__b; void main() { gl_FragColor = vec4(a__b); nope__x; }\n");
    ck_assert_msg(strstr(printed(r), "warning: 'a__b'"), "%s", printed(r));
    ck_assert_msg(strstr(printed(r), "error: 'nope__x': undeclared"), "%s", printed(r));
    fe_glsl_result_free(r);
}
END_TEST

/* --- preprocessor
 * -------------------------------------------------------------------------------------------------- */

/* The expression must be the integer 7: anything else does not compile (an array of another size). */
static bool is_seven(const char *defines, const char *expression) {
    char text[2000];
    snprintf(text, sizeof text,
             HEAD "%s\nvoid main() { float a[7]; a[0] = 1.0; const int k = (%s); float b[(k == 7) ? 1 : -1]; "
                  "b[0] = a[0];"
                  " gl_FragColor = vec4(b[0]); }\n",
             defines, expression);
    struct fe_glsl_result *r = fragment(text);
    bool ok = r->ok;
    if (!ok)
        printf("%s", printed(r));
    fe_glsl_result_free(r);
    return ok;
}

START_TEST(macros) {
    ck_assert(!is_seven("", "8"));
    ck_assert(is_seven("#define A 7", "A"));
    ck_assert(is_seven("#define A B\n#define B 7", "A"));
    ck_assert(is_seven("#define ADD(a, b) ((a) + (b))", "ADD(3, ADD(1, 3))"));
    ck_assert(is_seven("#define F(x) x\n#define G F", "G (\n7)"));
    ck_assert(is_seven("#define F(x) x\n#define G F(", "G 7)"));
    ck_assert(is_seven("#define NONE() 7", "NONE( )"));
    ck_assert(is_seven("#define F 7\n#undef F\n#define F 6", "F + 1"));
    ck_assert(is_seven("#define L __LINE__\n\n", "L + 2"));
    ck_assert(is_seven("", "__VERSION__ - 93"));
    ck_assert(is_seven("#define E 7 // seven", "E"));
    ck_assert(is_seven("#define E 3 + \\\n 4", "E"));
    ck_assert(is_seven("const int x = 7;\n#define x x + 0", "x"));
    ck_assert(is_seven("#define f(y) y\n#define g(y) f(y)", "g(f(g(7)))"));
}
END_TEST

START_TEST(conditions) {
    ck_assert(is_seven("#if 1 + 1 == 2 && !defined(NOPE)\n#define A 7\n#else\n#define A 1\n#endif", "A"));
    ck_assert(is_seven(
        "#if 0\n nonsense ' @ \" \n#if 1\n#else\n#endif\n#elif 1\n#define A 7\n#else\n#define A 1\n#endif",
        "A"));
    ck_assert(is_seven("#ifdef GL_ES\n#define A 7\n#endif", "A"));
    ck_assert(is_seven("#if defined GL_ES && GL_FRAGMENT_PRECISION_HIGH\n#define A 7\n#endif", "A"));
    ck_assert(is_seven("#if 1 || NOPE\n#define A 7\n#endif", "A"));
    ck_assert(is_seven("#define T 0x10\n#if (T >> 2) * 2 - 010 == 0\n#define A 7\n#endif", "A"));
    ck_assert(is_seven("#if 7 % 4 == 3 && ~0 == -1 && (1 ? 1 : 0, 1)\n#endif\n", "7") == false);
    expect_error(fragment(HEAD "#if NOPE\n#endif\nvoid main() {}\n"),
                 "a.frag:2:5: error: 'NOPE' is not defined");
    expect_error(fragment(HEAD "#if 1\nvoid main() {}\n"), "a.frag:2:2: error: #if without #endif");
    expect_error(fragment(HEAD "#endif\nvoid main() {}\n"), "#endif without #if");
    expect_error(fragment(HEAD "#if 1 / 0\n#endif\nvoid main() {}\n"), "division by zero");
    expect_error(fragment(HEAD "#if 1\n#else\n#else\n#endif\nvoid main() {}\n"), "#else after #else");
    expect_error(fragment(HEAD "#error told you\nvoid main() {}\n"), "a.frag:2:1: error: #error told you");
    expect_error(fragment(HEAD "#banana\nvoid main() {}\n"), "unknown directive '#banana'");
}
END_TEST

/* `defined` may come out of a macro: whole, in part, with its name or without. */
START_TEST(defined_in_macros) {
    static const struct {
        const char *defines, *condition;
    } cases[] = {
        {"#define AAA defined(BBB)", "!AAA"},
        {"#define AAA defined(BBB)\n#define BBB", "AAA"},
        {"#define AAA defined(BBB)\n#define BBB CCC", "AAA && !defined(CCC)"},
        {"#define AAA defined BBB\n#define BBB 0", "AAA"},
        {"#define D defined\n#define BBB 0", "D BBB && D(BBB) && !D(CCC)"},
        {"#define NOT(x) !defined(x)", "NOT(BBB)"},
        {"#define A(x) (x)\n#define B", "A(defined(B)) && A(!defined C)"},
        {"#define A B && C\n#define B defined(A)\n#define C !defined D", "A"},
        {"#define F(x) x\n#define G defined F", "G"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s\n#if %s\n#define K 7\n#else\n#define K 1\n#endif", cases[i].defines,
                 cases[i].condition);
        ck_assert_msg(is_seven(text, "K"), "#if %s", cases[i].condition);
        snprintf(text, sizeof text, "%s\n#if 0\n#elif !(%s)\n#define K 1\n#else\n#define K 7\n#endif",
                 cases[i].defines, cases[i].condition);
        ck_assert_msg(is_seven(text, "K"), "#elif !(%s)", cases[i].condition);
    }
    expect_error(fragment(HEAD "#define A defined(\n#if A\n#endif\nvoid main() {}\n"),
                 "a.frag:3:5: error: 'defined' needs a name");
    expect_error(fragment(HEAD "#if defined(1)\n#endif\nvoid main() {}\n"),
                 "a.frag:2:5: error: 'defined' needs");
    expect_error(fragment(HEAD "#if defined(A\n#endif\nvoid main() {}\n"),
                 "a.frag:2:5: error: 'defined' needs");
    expect_error(fragment(HEAD "#define defined\nvoid main() {}\n"), "predefined");
    /* outside of conditions it is a name like any other */
    ck_assert(is_seven("#define D defined", "7") && is_seven("const int defined = 7;", "defined"));
}
END_TEST

/* A macro's own __LINE__ is the line in which its call ends, one in an argument its own line. */
START_TEST(line_numbers) {
    ck_assert(is_seven("#line 3\n#define L __LINE__",
                       "L + 3")); /* the expression is in the line after the defines */
    ck_assert(is_seven("#line 2\n#define L /* of\ntwo */ __LINE__", "L + 3"));
    ck_assert(is_seven("#line 2\n#define L __LI\\\nNE__", "L + 3"));
    ck_assert(is_seven("#define F(x) (__LINE__ - (x))\n#line 4", "F(\n-1\n)"));
    ck_assert(is_seven("#define F(x) (__LINE__ - (x))", "F(\n__LINE__\n) + 6"));
    ck_assert(is_seven("#define F(x) (__LINE__ - (x))", "F(__LINE__ /* a\n comment */ ) + 6"));
    ck_assert(is_seven("#define F(x) x\n#line 4", "F(__LINE__) + 3"));
    ck_assert(is_seven("#define F(x) x\n#line 4", "F(\n__LINE__\n) + 2"));
    ck_assert(is_seven("#define L __LINE__\n#define F(x) x\n#line 4", "F(\n\nL\n) + 1"));
    ck_assert(is_seven("#define F(x) x\n#line 4", "F(F(\n__LINE__\n)\n) + 2"));
    ck_assert(is_seven("#define L __LINE__\n#define F() L\n#line 4", "F(\n) + 2"));
    ck_assert(is_seven("#define G(x) x + __LINE__\n#define F(x) G(x)\n#line 4", "F(\n\n-2) + 3"));
    ck_assert(is_seven("#define F(x) x\n#line 4", "F /*\n*/ (__LINE__) + 2"));
    ck_assert(is_seven("#line 7", "__LINE__"));
    ck_assert(is_seven("#line 7 /* of\ntwo lines */", "__LINE__"));
    ck_assert(is_seven("#define S(x) x + 1\n#line S(5)", "__LINE__ + 1"));
    ck_assert(is_seven("#line 5 2", "__LINE__ + __FILE__"));
    ck_assert(is_seven("#if __LINE__ == 2\n#define A 7\n#endif", "A"));
    ck_assert(is_seven("#if \\\n__LINE__ == 3\n#define A 7\n#endif", "A"));
    ck_assert(is_seven("/*\n*/ # /* \n */ if __LINE__ == 4\n#define A 7\n#endif", "A"));
}
END_TEST

START_TEST(bad_macros) {
    expect_error(fragment(HEAD "#define GL_FOO 1\nvoid main() {}\n"), "reserved");
    expect_error(fragment(HEAD "#define __LINE__ 1\nvoid main() {}\n"), "predefined");
    expect_error(fragment(HEAD "#define A 1\n#define A 2\nvoid main() {}\n"), "a.frag:3:9: error: macro 'A'");
    expect_error(fragment(HEAD "#define F(a, a) 1\nvoid main() {}\n"), "two parameters");
    expect_error(fragment(HEAD "#define F(a) a\nvoid main() { F(1, 2); }\n"), "takes 1 arguments, 2 given");
    expect_error(fragment(HEAD "#define F(a) a\nvoid main() { F(1 \n"), "is not closed");
    expect_error(fragment(HEAD "#define F(a) a##b\nvoid main() {}\n"), "'##'");
    expect_error(fragment(HEAD "void main() { float $a; }\n"),
                 "a.frag:2:21: error: unexpected character '$'");
}
END_TEST

/* A character is shown as one only if it is UTF-8, so that every message is. */
START_TEST(stray_bytes) {
    static const struct {
        const char *bytes, *said;
    } cases[] = {{"\xe2\x86\x92", "'\xe2\x86\x92' (U+2192)"},
                 {"\xf0\x9f\x98\x80", "'\xf0\x9f\x98\x80' (U+1F600)"},
                 {"\xe2\x80", "0xe2"}, /* cut off */
                 {"\xc1\xa0", "0xc1"}, /* too long a form */
                 {"\xe0\x81\xa0", "0xe0"},
                 {"\xf0\x81\x81\xa0", "0xf0"},
                 {"\xed\xa0\x80", "0xed"},     /* half a pair */
                 {"\xf4\x90\x80\x80", "0xf4"}, /* beyond the last one */
                 {"\xff", "0xff"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100], said[100];
        snprintf(text, sizeof text, HEAD "void main() { ;%s", cases[i].bytes);
        snprintf(said, sizeof said, "a.frag:2:16: error: unexpected character %s\n", cases[i].said);
        expect_error(fragment(text), said);
    }
    const char *files = HEAD "#line 5\n\"a\n#line 5 1\n\"b\n";
    expect_error(fragment(files), "a.frag:5:1: error: GLSL has no text");
    expect_error(fragment(files), "a.frag(1):5:1: error: GLSL has no text");
}
END_TEST

START_TEST(options_define) {
    const char *const defines[] = {"K=3", "FLAG", "CALL(x)=x"};
    struct fe_options options = {.defines = defines, .define_count = 3};
    expect_ok(fragment_with(
        HEAD "#if K == 3 && FLAG == 1\nvoid main() { gl_FragColor = vec4(CALL(1.0)); }\n#endif\n", &options));
    const char *const bad[] = {"1x=3"};
    struct fe_options wrong = {.defines = bad, .define_count = 1};
    expect_error(fragment_with(HEAD "void main() {}\n", &wrong),
                 "<command line>:1:1: error: #define needs a name");
}
END_TEST

START_TEST(extensions) {
    expect_error(fragment("#extension GL_NOPE_x : require\n" HEAD "void main() {}\n"),
                 "a.frag:1:12: error: extension GL_NOPE_x is not supported");
    expect_ok(fragment("#extension GL_NOPE_x : enable\n" HEAD "void main() { gl_FragColor = vec4(1.0); }\n"));
    expect_error(fragment("#extension all : require\n" HEAD "void main() {}\n"), "#extension all");
    expect_error(fragment(HEAD "void main() { gl_FragColor = vec4(dFdx(1.0)); }\n"), "error");
    expect_ok(fragment("#extension GL_OES_standard_derivatives : enable\n" HEAD
                       "varying vec2 uv; void main() { gl_FragColor = vec4(dFdx(uv), fwidth(uv)); }\n"));
    expect_ok(
        fragment("#extension GL_EXT_shader_texture_lod : enable\n" HEAD
                 "varying vec2 uv; uniform sampler2D s; uniform samplerCube c; void main() { gl_FragColor = "
                 "texture2DLodEXT(s, uv, 1.0) + textureCubeGradEXT(c, uv.xyx, uv.xyx, uv.yyx); }\n"));
    expect_ok(fragment("#extension GL_EXT_frag_depth : enable\n" HEAD
                       "void main() { gl_FragDepthEXT = 0.5; gl_FragColor = vec4(1.0); }\n"));
    struct fe_glsl_result *r = fragment(
        "#extension GL_EXT_shader_framebuffer_fetch : require\n#extension GL_OES_EGL_image_external : "
        "require\n" HEAD
        "uniform samplerExternalOES e; void main() { gl_FragColor = gl_LastFragData[0] + texture2D(e, "
        "vec2(0.5)); }\n");
    ck_assert_msg(r->ok, "%s", printed(r));
    ck_assert(r->stages[0].needs_external_sampler && r->stages[0].reads_framebuffer);
    fe_glsl_result_free(r);
    /* first of all, but for directives and comments */
    expect_ok(fragment("// text\n#define A\n\n#extension GL_OES_standard_derivatives : enable\n#ifdef A\n"
                       "#extension all : warn\n#endif\n" HEAD
                       "void main() { gl_FragColor = vec4(dFdx(1.0)); }\n"));
    expect_error(fragment(HEAD "#extension GL_OES_standard_derivatives : enable\nvoid main() {}\n"),
                 "a.frag:2:2: error: #extension must come before");
    expect_error(fragment("#version 300 es\nout lowp vec4 c;\n#extension all : warn\nvoid main() {}\n"),
                 "a.frag:3:2: error: #extension must come before");
    expect_ok(fragment("#version 120\nvoid f() {}\n#extension GL_ARB_shader_texture_lod : enable\n"
                       "void main() { gl_FragColor = vec4(1.0); }\n"));
    /* this one is on without being asked for */
    expect_ok(fragment("#version 120\nuniform sampler2DRect t;\n"
                       "void main() { gl_FragColor = texture2DRect(t, gl_FragCoord.xy); }\n"));
    expect_error(
        fragment("#version 120\n#extension GL_ARB_texture_rectangle : disable\nuniform sampler2DRect t;\n"
                 "void main() { gl_FragColor = texture2DRect(t, gl_FragCoord.xy); }\n"),
        "a.frag:3:9: error: 'sampler2DRect'");
    static const struct {
        int version;
        const char *name;
    } desktop[] = {{120, "ARB_draw_buffers"},
                   {120, "ARB_shader_texture_lod"},
                   {120, "ARB_texture_rectangle"},
                   {130, "ARB_explicit_attrib_location"},
                   {330, "ARB_shader_bit_encoding"},
                   {330, "ARB_separate_shader_objects"},
                   {140, "ARB_uniform_buffer_object"},
                   {150, "ARB_fragment_coord_conventions"},
                   {330, "ARB_shading_language_420pack"}};
    for (size_t i = 0; i < sizeof desktop / sizeof *desktop; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "#version %d\n#ifdef GL_%s\n#extension GL_%s : require\n#endif\n"
                 "void main() { gl_FragData[0] = vec4(GL_%s); }\n",
                 desktop[i].version, desktop[i].name, desktop[i].name, desktop[i].name);
        expect_ok(fragment(text));
    }
    expect_error(fragment("#version 120\n#extension GL_ARB_shader_bit_encoding : require\nvoid main() {}\n"),
                 "is not supported");
    expect_ok(fragment("#extension GL_ARB_draw_buffers : require\n" HEAD
                       "void main() { gl_FragData[0] = vec4(1.0); }\n"));
    expect_ok(fragment("#extension GL_EXT_draw_buffers : require\n" HEAD
                       "void main() { gl_FragData[0] = vec4(1.0); }\n"));
    expect_error(fragment("#extension GL_EXT_shader_framebuffer_fetch : require\n" HEAD
                          "void main() { gl_LastFragData[0] = vec4(1.0); }\n"),
                 "error");
}
END_TEST

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static char *repeat(const char *before, const char *unit, size_t times, const char *after) {
    size_t length = strlen(unit);
    char *text = malloc(strlen(before) + length * times + strlen(after) + 1);
    strcpy(text, before);
    char *p = text + strlen(before);
    for (size_t i = 0; i < times; i++, p += length)
        memcpy(p, unit, length);
    strcpy(p, after);
    return text;
}

/* However many warnings there are, what is refused has its reason. */
START_TEST(warnings_leave_room_for_errors) {
    char *text = repeat("", "#extension GL_a : enable\n", 300, HEAD "void main() { gl_FragColor = nope; }\n");
    struct fe_glsl_result *r = fragment(text);
    ck_assert_uint_eq(r->diagnostic_count, 101);
    ck_assert_int_eq(r->diagnostics[99].severity, FE_WARNING);
    ck_assert_str_eq(r->diagnostics[100].text, "'nope': undeclared identifier");
    ck_assert(!r->ok);
    fe_glsl_result_free(r);
    free(text);
}
END_TEST

START_TEST(includes) {
    char root[] = "/tmp/glsl_test_XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(root));
    char sub[100], path[200], main_name[200], secret[200], loop[200];
    snprintf(sub, sizeof sub, "%s/sub", root);
    mkdir(sub, 0700);
    snprintf(secret, sizeof secret, "%s/secret.glsl", root);
    write_file(secret, "const float secret = 1.0;\n");
    snprintf(path, sizeof path, "%s/common.glsl", sub);
    write_file(path, "#define VALUE 0.5\nfloat twice(float x) {\n   return x * 2.0;\n}\n");
    snprintf(loop, sizeof loop, "%s/loop.glsl", sub);
    write_file(loop, "#include \"loop.glsl\"\n");
    snprintf(main_name, sizeof main_name, "%s/a.frag", sub);

    const char *good = HEAD "#include \"common.glsl\"\nvoid main() { gl_FragColor = vec4(twice(VALUE)); }\n";
    struct fe_source s = {main_name, good, strlen(good), QPUCC_FRAGMENT, NULL};
    expect_ok(fe_glsl_compile(&s, 1, NULL));
    struct fe_options off = {.no_include = true};
    expect_error(fe_glsl_compile(&s, 1, &off), "not allowed");

    s.name = "elsewhere.frag";
    expect_error(fe_glsl_compile(&s, 1, NULL),
                 "elsewhere.frag:2:2: error: cannot open include file 'common.glsl'");
    const char *const dirs[] = {sub};
    struct fe_options with_dir = {.include_dirs = dirs, .include_dir_count = 1};
    expect_ok(fe_glsl_compile(&s, 1, &with_dir));

    write_file(path, "float twice(float x) {\n   return x * nope;\n}\n#define VALUE 1.0\n");
    struct fe_glsl_result *r = fe_glsl_compile(&s, 1, &with_dir);
    char expected[400];
    snprintf(expected, sizeof expected, "%s:2:15: error: 'nope'", path);
    ck_assert_msg(strstr(printed(r), expected), "%s", printed(r));
    fe_glsl_result_free(r);

    s.name = main_name;
    static const char *const escapes[] = {"#include \"../secret.glsl\"\n", "#include \"/etc/passwd\"\n",
                                          "#include \"nothing.glsl\"\n", "#include <common.glsl>\n"};
    for (size_t i = 0; i < 4; i++) {
        s.text = escapes[i];
        s.length = strlen(escapes[i]);
        expect_error(fe_glsl_compile(&s, 1, NULL), "cannot open include file");
    }
    s.text = "#include \"loop.glsl\"\n";
    s.length = strlen(s.text);
    expect_error(fe_glsl_compile(&s, 1, NULL), "nested too deeply (limit 16)");

    /* a chain that is not too deep, but every file includes the next one twice */
    for (int i = 0; i < 15; i++) {
        char text[80];
        snprintf(loop, sizeof loop, "%s/chain%d.glsl", sub, i);
        snprintf(text, sizeof text, i < 14 ? "#include \"chain%d.glsl\"\n#include \"chain%d.glsl\"\n" : "\n",
                 i + 1, i + 1);
        write_file(loop, text);
    }
    s.text = "#include \"chain0.glsl\"\n";
    s.length = strlen(s.text);
    expect_error(fe_glsl_compile(&s, 1, NULL), "too many files (limit 1000)");
    /* or one file of the usual size very often */
    snprintf(loop, sizeof loop, "%s/chain14.glsl", sub);
    char *large = repeat("", "// nothing but a comment\n", 2000, "");
    write_file(loop, large);
    free(large);
    large = repeat("", "#include \"chain14.glsl\"\n", 999, "void main() {}\n");
    s.text = large;
    s.length = strlen(s.text);
    expect_error(fe_glsl_compile(&s, 1, NULL), "too large together with those before it");
    free(large);
    for (int i = 0; i < 15; i++) {
        snprintf(loop, sizeof loop, "%s/chain%d.glsl", sub, i);
        unlink(loop);
    }
    snprintf(loop, sizeof loop, "%s/loop.glsl", sub);
    unlink(loop);
    unlink(path);
    unlink(secret);
    rmdir(sub);
    rmdir(root);
}
END_TEST

/* --- limits --------------------------------------------------------------------------------------------- */

static void expect_limit(const char *before, const char *unit, size_t times, const char *after,
                         const char *part) {
    char *text = repeat(before, unit, times, after);
    expect_error(fragment(text), part);
    free(text);
}

/* Structures of each other, `depth` deep. */
static char *nested_structures(size_t depth) {
    char *text = malloc(depth * 40 + 200), *p = text;
    ck_assert_ptr_nonnull(text);
    p += sprintf(p, HEAD "struct S0 { float a; };\n");
    for (size_t i = 1; i < depth; i++)
        p += sprintf(p, "struct S%zu { S%zu s; };\n", i, i - 1);
    sprintf(p, "uniform S%zu s;\nvoid main() { gl_FragColor = vec4(0.0); }\n", depth - 1);
    return text;
}

/* Each structure holds two of the one before; `uses` variables of the last. */
static char *doubling_structures(size_t depth, size_t uses) {
    char *text = malloc((depth + uses) * 60 + 200), *p = text;
    ck_assert_ptr_nonnull(text);
    p += sprintf(p, HEAD "struct S0 { float a; };\n");
    for (size_t i = 1; i < depth; i++)
        p += sprintf(p, "struct S%zu { S%zu a, b; };\n", i, i - 1);
    p += sprintf(p, "uniform S%zu s;\nvoid main() { gl_FragColor = vec4(0.0);\n", depth - 1);
    for (size_t i = 0; i < uses; i++)
        p += sprintf(p, "S%zu v%zu = s;\n", depth - 1, i);
    strcpy(p, "}\n");
    return text;
}

/* What would take exponential or quadratic time is either counted first or done in a better way. */
START_TEST(work_is_bounded) {
    char *text = doubling_structures(30, 0);
    expect_error(fragment(text), "structure 'S15' is too large: more than 16384 values");
    free(text);
    text = doubling_structures(14, 200);
    expect_error(fragment(text), "is mentioned too often");
    free(text);
    text = doubling_structures(10, 10);
    expect_ok(fragment(text));
    free(text);
    /* a source string of its own for each line */
    char *p = text = malloc(200000 * 20 + 200);
    for (int i = 0; i < 200000; i++)
        p += sprintf(p, "#line %d %d\n", i % 1000, i);
    strcpy(p, HEAD "void main() { gl_FragColor = vec4(1.0); }\n");
    expect_ok(fragment(text));
    free(text);
}
END_TEST

START_TEST(limits) {
    char *structures = nested_structures(20000); /* glslang's tree traversal would not come back */
    expect_error(fragment(structures), "is nested too deeply (limit 200)");
    free(structures);
    const char *open = HEAD "void main() { float a = 1.0; ";
    expect_limit(open, "(", 100000, "", "brackets are nested too deeply");
    expect_limit(open, "{", 100000, "", "brackets are nested too deeply");
    expect_limit(open, "a+", 50000, "a; }", "the expression is too long");
    expect_limit(open, "if (a > 0.0) ", 5000, "a = 2.0; }", "statements are nested too deeply");
    expect_limit(open, "do ", 5000, "a = 2.0; }", "statements are nested too deeply");
    expect_limit(open, "switch (1) ", 40000, "}", "error");
    expect_limit("#version 300 es\nvoid main() { int a = 1; ", "switch (1) ", 40000, "}", "error");
    expect_limit(open, "a = 1.0; ", 120000, "}", "the shader is too large: more than 200000 tokens");
    expect_limit(HEAD "#define B0 a\n#define F(x) x x x x x x x x x x\nvoid main() { float a; ", "F(", 60,
                 "a", "is not closed");
    expect_limit("#if 1\n", "#if 1\n", 1000, "", "#if is nested more than 256 deep");
    expect_limit("#if ", "(", 100000, "\n", "nested too deeply");
    expect_limit("", "x", 2000, "", "the token is too long");
    expect_limit("", "\x80", 2000, "", "unexpected character 0x80");
    expect_limit("/* ", "x", 5u << 20, "", "the source is too large");
    char bomb[4000] = HEAD "#define A0 1.0 + 1.0\n";
    for (int i = 0; i < 60; i++)
        snprintf(bomb + strlen(bomb), sizeof bomb - strlen(bomb), "#define A%d A%d + A%d\n", i + 1, i, i);
    strcat(bomb, "void main() { float a = A60; }\n");
    expect_error(fragment(bomb), "a.frag:63:25: error: macro 'A60' expands to too much");
    char shout[4000] = HEAD "#define F(x) x x x x x x x x\nvoid main() { float a = ";
    for (int i = 0; i < 40; i++)
        strcat(shout, "F(");
    strcat(shout, "a");
    for (int i = 0; i < 40; i++)
        strcat(shout, ")");
    strcat(shout, "; }");
    expect_error(fragment(shout), "macro 'F' expands to too much");
}
END_TEST

/* What the limits let through has to work: glslang's recursion on what is just below them. */
START_TEST(just_below_the_limits) {
    const char *open = HEAD "void main() { float a = 1.0; ";
    char *text = repeat(open, "a+a;", 20000, " gl_FragColor = vec4(a); }");
    expect_ok(fragment(text));
    free(text);
    char sum[20000] = HEAD "void main() { float a = 1.0; gl_FragColor = vec4(a";
    for (int i = 0; i < 3900; i++)
        strcat(sum + strlen(sum), "+a");
    strcat(sum, "); }");
    expect_ok(fragment(sum));
    text = repeat(open, "if (a > 0.0) ", 390, "a = 2.0; gl_FragColor = vec4(a); }");
    expect_ok(fragment(text));
    free(text);
}
END_TEST

START_TEST(not_shaders) {
    expect_error(fragment(""), "the shader is empty");
    expect_error(fragment("   // nothing\n"), "the shader is empty");
    expect_error(fragment("/* open"), "a.frag:1:1: error: the comment is not closed");
    struct fe_source s = {NULL, "void\0main", 9, QPUCC_FRAGMENT, NULL};
    expect_error(fe_glsl_compile(&s, 1, NULL), "NUL byte at offset 4");
    struct fe_source two[] = {source(VERTEX, QPUCC_VERTEX), source(VERTEX, QPUCC_VERTEX)};
    expect_error(fe_glsl_compile(two, 2, NULL), "one vertex and one fragment");
    expect_error(fe_glsl_compile(two, 0, NULL), "expected one shader");
}
END_TEST

/* --- linking -------------------------------------------------------------------------------------------- */

START_TEST(linking) {
    expect_ok(pair(VERTEX, HEAD "varying vec2 uv; void main() { gl_FragColor = uv.xyxy; }\n"));
    expect_error(pair(VERTEX, HEAD "varying vec3 uv;\nvoid main() { gl_FragColor = uv.xyxy; }\n"),
                 "a.frag:2:14: error: varying 'uv' has type vec3 here and vec2 in the vertex shader");
    expect_error(pair(VERTEX, HEAD "varying vec2 vu;\nvoid main() { gl_FragColor = vu.xyxy; }\n"),
                 "a.frag:2:14: error: varying 'vu' is read here but the vertex shader does not declare it");
    expect_ok(pair(VERTEX, HEAD "varying vec2 vu;\nvoid main() { gl_FragColor = vec4(1.0); }\n"));
    expect_error(pair(VERTEX, HEAD "invariant varying vec2 uv; void main() { gl_FragColor = uv.xyxy; }\n"),
                 "is invariant here and not invariant");
    const char *vertex = "uniform vec4 k; void main() { gl_Position = k; }\n";
    expect_error(pair(vertex, HEAD "uniform vec4 k; void main() { gl_FragColor = k; }\n"),
                 "uniform 'k' is mediump here and highp");
    expect_ok(pair(vertex, HEAD "uniform highp vec4 k; void main() { gl_FragColor = k; }\n"));
    expect_ok(pair(vertex, HEAD "uniform vec4 k; void main() { gl_FragColor = vec4(1.0); }\n"));
    expect_error(pair(vertex, HEAD "uniform vec3 k; void main() { gl_FragColor = k.xyzz; }\n"),
                 "has type vec3 here");
    expect_error(
        pair("struct S { lowp float a; }; uniform S s; void main() { gl_Position = vec4(s.a); }\n",
             HEAD "struct S { mediump float a; }; uniform S s; void main() { gl_FragColor = vec4(s.a); }\n"),
        "member 'a' is lowp in the vertex shader and mediump here");
}
END_TEST

START_TEST(capacity) {
    expect_error(fragment(HEAD "varying vec4 v[17];\nvoid main() { gl_FragColor = v[16]; }\n"),
                 "a.frag:2:14: error: too many varyings: 'v'");
}
END_TEST

/* --- the module
 * -------------------------------------------------------------------------------------------------------- */

struct found {
    unsigned line, column;
    uint32_t location;
    bool name, member, prefix, lower_left;
};

static struct found search(const struct fe_stage_result *stage, const char *name) {
    struct found f = {.location = UINT32_MAX};
    uint32_t id = 0;
    const uint32_t *w = stage->spirv;
    for (size_t i = 5; i < stage->spirv_words; i += w[i] >> 16) {
        unsigned op = w[i] & 0xffff;
        const char *text = op == SpvOpName ? (const char *)(w + i + 2) : (const char *)(w + i + 3);
        if (op == SpvOpName && strcmp(text, name) == 0) {
            f.name = true;
            id = w[i + 1];
        }
        f.member |= op == SpvOpMemberName && strcmp(text, name) == 0;
        f.prefix |= (op == SpvOpName || op == SpvOpMemberName) && text[0] == 'Q';
        if (op == SpvOpDecorate && w[i + 1] == id && w[i + 2] == SpvDecorationLocation)
            f.location = w[i + 3];
        f.lower_left |= op == SpvOpExecutionMode && w[i + 2] == SpvExecutionModeOriginLowerLeft;
        if (op == SpvOpLine) {
            f.line = w[i + 2];
            f.column = w[i + 3];
        }
    }
    return f;
}

START_TEST(module_carries_names_lines_and_locations) {
    struct fe_glsl_result *r = pair(
        "attribute vec4 p; varying vec3 other; varying mat2 sample; varying float smooth; void main() { "
        "sample = "
        "mat2(p); smooth = p.x; other = p.xyz; gl_Position = p; }\n",
        HEAD
        "varying float smooth; varying mat2 sample; uniform vec4 texture, buffer; uniform sampler2D image;\n"
        "vec4 round(vec4 inverse) { return inverse; }\n"
        "void main() {\n\n\n"
        "   gl_FragColor = round(texture + buffer) * texture2D(image, sample[0]) * smooth;\n}\n");
    ck_assert_msg(r->ok, "%s", printed(r));
    const struct fe_stage_result *v = &r->stages[0], *f = &r->stages[1];
    static const char *const varyings[] = {"sample", "smooth"};
    for (size_t i = 0; i < 2; i++) {
        struct found a = search(v, varyings[i]), b = search(f, varyings[i]);
        ck_assert(a.name && b.name && a.location != UINT32_MAX);
        ck_assert_uint_eq(a.location, b.location);
    }
    static const char *const uniforms[] = {"texture", "buffer",
                                           "image"}; /* in a block where they are translated */
    for (size_t i = 0; i < 3; i++)
        ck_assert(search(f, uniforms[i]).name || search(f, uniforms[i]).member);
    ck_assert(search(f, "gl_FragColor").name);
    ck_assert(!search(f, "").prefix && !search(v, "").prefix);
    ck_assert(search(f, "").lower_left);
    ck_assert_uint_eq(search(f, "gl_FragColor").location, 0);
    const struct fe_symbol *s = fe_find_symbol(f, "image", FE_UNIFORM);
    ck_assert_ptr_nonnull(s);
    ck_assert_int_eq(s->precision, FE_LOWP);
    ck_assert_uint_eq(s->line, 2);
    ck_assert_int_eq(fe_find_symbol(v, "sample", FE_VARYING)->precision, FE_HIGHP);
    ck_assert_ptr_null(fe_find_symbol(v, "sample", FE_UNIFORM));
    fe_glsl_result_free(r);

    r = fragment(HEAD "void main() {\n\n   gl_FragColor =\n      vec4(0.5) * gl_FragCoord;\n}\n");
    ck_assert_msg(r->ok, "%s", printed(r));
    struct found last = search(&r->stages[0], "");
    ck_assert(last.line >= 4 && last.line <= 6); /* glslang 15 says where the function ends, too */
    ck_assert(last.column > 3 || last.line == 6);
    fe_glsl_result_free(r);
}
END_TEST

START_TEST(names_that_later_versions_took) {
    expect_ok(fragment(
        HEAD "uniform float round, trunc, uint, layout, patch, shared, isnan, textureSize;\n"
             "vec4 textureCubeLod(samplerCube s, vec3 c, float l) { return textureCube(s, c, l); }\n"
             "float fwidth(float x) { return x; }\n"
             "struct vertex { vec2 xy; float length; float far; };\n"
             "uniform samplerCube sc;\n"
             "float sin(float a, float b) { return a - b; }\n"
             "void main() { vertex x; x.xy = vec2(round, trunc); x.length = uint + layout;\n"
             "  float sqrt = patch + shared; x.far = gl_DepthRange.far;\n"
             "  gl_FragColor = vec4(x.xy, x.length, sqrt + isnan + textureSize + sin(1.0, 2.0) + sin(x.far))"
             " + textureCubeLod(sc, vec3(1.0), 1.0) * fwidth(x.xy.y); }\n"));
    expect_ok(fragment(HEAD "void main() { const float c = matrixCompMult(mat2(2.0), mat2(1.0))[0][0];"
                            " gl_FragColor = vec4(c); }\n"));
    expect_ok(fragment(HEAD "void main() { gl_FragData[0] = vec4(float(gl_MaxVaryingVectors)); }\n"));
}
END_TEST

START_TEST(essl300) {
    const char *vertex =
        "#version 300 es\nlayout(location = 2) in vec4 p; in uint idx; out vec2 uv; flat out int patch_;\n"
        "layout(std140) uniform Block { vec4 a; mat3 b; } blk; uniform Other { float location; };\n"
        "centroid out vec3 buffer; uniform mat4 m;\n"
        "void main() { uv = p.xy + float(gl_VertexID); patch_ = int(idx);\n"
        "  buffer = blk.b * blk.a.xyz * location; gl_Position = m * p; }\n";
    const char *good =
        "#version 300 es\n" HEAD
        "flat in int patch_; centroid in vec3 buffer; in vec2 uv; uniform sampler2D image; out vec4 color;\n"
        "float[3] arr = float[3](1.0, 2.0, 3.0);\n"
        "void main() { switch (patch_) { case 1: color = texture(image, uv); break;\n"
        "  default: color = texelFetch(image, ivec2(uv), 0); }\n"
        "  color += vec4(buffer, 1.0) * arr[1] + float(arr.length()); uint u = 3u << 2;\n"
        "  color.x += float(u) + dFdx(uv.x); mat2x3 k = mat2x3(1.0); color.xyz += k * uv; }\n";
    struct fe_glsl_result *r = pair(vertex, good);
    ck_assert_msg(r->ok, "%s", printed(r));
    const struct fe_stage_result *v = &r->stages[0], *f = &r->stages[1];
    ck_assert_int_eq(v->version, 300);
    ck_assert_uint_eq(search(v, "p").location, 2);
    static const char *const varyings[] = {"uv", "patch_", "buffer"};
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(search(v, varyings[i]).location, search(f, varyings[i]).location);
    ck_assert(search(v, "Block").name && search(v, "blk").name && search(v, "location").member);
    ck_assert(!search(v, "").prefix && !search(f, "").prefix);
    ck_assert(fe_find_symbol(f, "patch_", FE_VARYING)->flat &&
              fe_find_symbol(f, "buffer", FE_VARYING)->centroid);
    ck_assert_ptr_nonnull(fe_find_symbol(f, "color", FE_OUTPUT));
    fe_glsl_result_free(r);
    expect_error(pair(VERTEX, good), "different versions");
    expect_error(
        fragment("#version 300 es\n" HEAD "out vec4 a;\nlayout(location = 1) out vec4 b; void main() {}\n"),
        "error");
    expect_error(fragment("#version 300 es\n" HEAD "out vec4 a; void main() { a = nope; }\n"),
                 "a.frag:3:31: error: 'nope'");
}
END_TEST

START_TEST(words_are_found) {
    struct run run = {0};
    ck_assert(run_begin(&run, NULL));
    static const char *const known[] = {
        "abs",   "attribute", "dFdx",           "gl_FragData", "gl_Position",       "textureCubeLodEXT",
        "while", "vec4",      "matrixCompMult", "not",         "samplerExternalOES"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(essl_word(run_name_z(&run, known[i])).kind != WORD_USER, "%s", known[i]);
    static const char *const known300[] = {"acosh",  "uvec4",          "usamplerCube", "texture",
                                           "flat",   "floatBitsToInt", "switch",       "vec4",
                                           "layout", "inverse",        "gl_VertexID",  "gl_FragDepth"};
    for (size_t i = 0; i < sizeof known300 / sizeof *known300; i++)
        ck_assert_msg(essl300_word(run_name_z(&run, known300[i])).kind != WORD_USER, "%s", known300[i]);
    ck_assert_int_eq(essl300_word(run_name_z(&run, "attribute")).kind, WORD_USER);
    ck_assert_int_eq(essl_word(run_name_z(&run, "xyzw")).kind, WORD_SWIZZLE);
    ck_assert_int_eq(essl_word(run_name_z(&run, "xr")).kind, WORD_USER);
    ck_assert_int_eq(essl_word(run_name_z(&run, "texture")).kind, WORD_USER);
    ck_assert_str_eq(essl_user_name("Qfoo"), "foo");
    run_end(&run);
    ir_arena_destroy(run.arena);
}
END_TEST

static void *compile_some(void *argument) {
    size_t *good = argument;
    for (int i = 0; i < 20; i++) {
        struct fe_glsl_result *r =
            pair(VERTEX, HEAD "varying vec2 uv; void main() { gl_FragColor = uv.xyxy; }\n");
        *good += r->ok;
        fe_glsl_result_free(r);
    }
    return NULL;
}

START_TEST(threads) {
    pthread_t threads[4];
    size_t good[4] = {0};
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_some, &good[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(good[i], 20);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("glsl");
    const struct {
        const char *name;
        const TTest *test;
    } tests[] = {
        {"places", places_are_the_users},
        {"every error", every_error_is_shown},
        {"precision", missing_precision_is_one_error_with_advice},
        {"versions", versions},
        {"rules", rules},
        {"macros", macros},
        {"conditions", conditions},
        {"defined in macros", defined_in_macros},
        {"line numbers", line_numbers},
        {"bad macros", bad_macros},
        {"stray bytes", stray_bytes},
        {"room for errors", warnings_leave_room_for_errors},
        {"defines", options_define},
        {"extensions", extensions},
        {"includes", includes},
        {"limits", limits},
        {"work_is_bounded", work_is_bounded},
        {"just below", just_below_the_limits},
        {"not shaders", not_shaders},
        {"linking", linking},
        {"capacity", capacity},
        {"module", module_carries_names_lines_and_locations},
        {"names", names_that_later_versions_took},
        {"essl300", essl300},
        {"words", words_are_found},
        {"threads", threads},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        TCase *c = tcase_create(tests[i].name);
        tcase_set_timeout(c, 120);
        tcase_add_test(c, tests[i].test);
        suite_add_tcase(suite, c);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
