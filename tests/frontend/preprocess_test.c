/* preprocess_test.c: macros, conditions, lines, extensions and includes through the front end's public
 * interface, with the places of what is wrong. */
#include "tests/frontend/glsl_results.h"

#include <sys/stat.h>
#include <unistd.h>

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
    ck_assert(is_seven("#line 0", "__LINE__ + 7"));
    ck_assert(is_seven("#line 0\n", "__LINE__ + 6"));
    expect_error(fragment(HEAD "#line 0\nvoid main() { nope; }\n"), "a.frag:0:15: error: 'nope'");
    expect_error(fragment(HEAD "void main() {\n#line 0"), "a.frag:2:13: error: syntax error");
    ck_assert(is_seven("#line 5 2", "__LINE__ + __FILE__"));
    ck_assert(is_seven("#if __LINE__ == 2\n#define A 7\n#endif", "A"));
    ck_assert(is_seven("#if \\\n__LINE__ == 3\n#define A 7\n#endif", "A"));
    ck_assert(is_seven("/*\n*/ # /* \n */ if __LINE__ == 4\n#define A 7\n#endif", "A"));
}
END_TEST

/* No text of a message is that long; a file's name may be. */
START_TEST(long_file_names) {
    char *text = repeat("#extension GL_GOOGLE_cpp_style_line_directive : enable\n#line 3 \"", "folder/", 150,
                        "end.frag\"\nvoid main() { nope; }\n");
    expect_error(fragment(text), "folder/end.frag:3:15: error: 'nope'");
    free(text);
    char *name = repeat("", "folder/", 150, "end.frag");
    struct fe_source named = source("#line 3 1\nvoid main() { nope; }\n", QPUCC_FRAGMENT);
    named.name = name;
    expect_error(fe_glsl_compile(&named, 1, NULL), "folder/end.frag(1):3:15: error: 'nope'");
    free(name);
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
    static const char *const comments[] = {"/, *", "/, /", "/, /="};
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "#version 130\nout vec4 c;\n#define J(a, b) a##b\n"
                 "void main() { c = vec4(1.0) J(%s); }\n",
                 comments[i]);
        expect_error(fragment(text), "error: '##' makes no token: '/");
    }
    /* a name as long as one may be, out of two */
    char left[601], right[425], joined[3000];
    memset(left, 'a', 600);
    memset(right, 'b', 424);
    left[600] = right[424] = 0;
    static const char *const form = "#version 130\nout vec4 c;\n#define J(a, b) a##b\n#define %s%s 1.0\n"
                                    "void main() { c = vec4(J(%s, %s)); }\n";
    snprintf(joined, sizeof joined, form, left, right + 1, left, right + 1);
    expect_ok(fragment(joined));
    snprintf(joined, sizeof joined, form, left, right + 1, left, right);
    expect_error(fragment(joined), "error: '##' makes no token: 'aaa");
    static const char *const signs[] = {"#", "##", "1.0 #", "ID(#)"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAD "#define ID(x) x\nvoid main() { gl_FragColor = vec4(ID(%s)1.0); }\n",
                 signs[i]);
        expect_error(fragment(text), ": error: '#' must be the first thing on its line");
    }
    expect_error(fragment(HEAD "#define ID(x) x\n#if ID(#)1\n#endif\nvoid main() {}\n"), "a.frag:3:");
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

START_TEST(versions) {
    static const char *const said = "#version must come first, and once";
    expect_error(fragment("#version 100\n#version 100\n" HEAD "void main() {}\n"), said);
    expect_error(fragment("#version 100\n#line 1\n#version 100\n" HEAD "void main() {}\n"), said);
    expect_error(fragment("#version 100\n#line 1\n#version 300 es\n" HEAD "void main() {}\n"), said);
    expect_ok(
        fragment("\n/*\n*/ # version 100\n#line 1\n" HEAD "void main() { gl_FragColor = vec4(1.0); }\n"));
}
END_TEST

/* Preprocessing alone keeps a #pragma whole. */
START_TEST(long_pragmas) {
    char *text = repeat("#pragma", " several words", 60, "\nvoid main() {}\n");
    struct fe_options options = {.preprocess_only = true};
    struct fe_glsl_result *r = fragment_with(text, &options);
    ck_assert_str_eq(r->stages[0].preprocessed, text);
    fe_glsl_result_free(r);
    free(text);
}
END_TEST

/* What a macro stands for makes no other operator with what is beside its call; #line keeps its number. */
START_TEST(preprocessed_text_reads_alike) {
    struct fe_options options = {.preprocess_only = true};
    struct fe_glsl_result *r = fragment_with("#define M -1\n#define E =\n#define D /2\n#define P(x) +x\n"
                                             "a -M; a-M; a*M; a<E b; a/D; a+P(b); a +=b; a= -b;\n"
                                             "#line 9 3\nc;\n#line 7\nd;\n",
                                             &options);
    ck_assert_str_eq(
        strchr(r->stages[0].preprocessed, 'a'),
        "a - - 1; a- - 1; a*- 1; a< = b; a/ / 2; a+ + b; a +=b; a= -b;\n#line 9 3\nc;\n#line 7 3\nd;\n");
    fe_glsl_result_free(r);
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
    /* all of them off again, wherever that is known */
    expect_error(fragment("#extension GL_OES_standard_derivatives : enable\n#extension all : disable\n" HEAD
                          "void main() { gl_FragColor = vec4(dFdx(1.0)); }\n"),
                 "a.frag:4:35: error: 'dFdx'");
    expect_ok(fragment("#extension all : disable\n#extension GL_OES_standard_derivatives : enable\n" HEAD
                       "void main() { gl_FragColor = vec4(dFdx(1.0)); }\n"));
    expect_ok(pair("#extension all : disable\n" VERTEX,
                   "#extension all : disable\n" HEAD "void main() { gl_FragColor = vec4(1.0); }\n"));
    expect_ok(fragment("#version 300 es\n#extension all : disable\n" HEAD
                       "out vec4 c; in vec2 uv; void main() { c = vec4(dFdx(uv), uv); }\n"));
    expect_ok(fragment("#version 330\n#extension all : disable\n"
                       "layout(location = 0) out vec4 c; uniform U { vec4 v; };\n"
                       "void main() { c = v + intBitsToFloat(1); }\n"));
    expect_error(fragment("#version 120\n#extension all : disable\nuniform sampler2DRect t;\n"
                          "void main() { gl_FragColor = texture2DRect(t, gl_FragCoord.xy); }\n"),
                 "a.frag:3:9: error: 'sampler2DRect'");
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
    static const struct {
        const char *line, *said; /* what stands after #include, and whether it is in order */
    } lines[] = {{"\"common.glsl\" // text", NULL},
                 {"\"common.glsl\" /* of\ntwo lines */", NULL},
                 {"/* text */ \"common.glsl\"", NULL},
                 {"\"com\\\nmon.glsl\"", NULL},
                 {"\"common.glsl\" float zz;", "a.frag:2:24: error: unexpected 'float' after #include"},
                 {"\"common.glsl\" \"", "a.frag:2:24: error: unexpected '\"' after #include"},
                 {"\"common.glsl", "#include needs \"file\" or <file>"},
                 {"\"\"", "#include needs \"file\" or <file>"},
                 {"", "#include needs \"file\" or <file>"}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[300];
        snprintf(text, sizeof text, HEAD "#include %s\nvoid main() { gl_FragColor = vec4(twice(VALUE)); }\n",
                 lines[i].line);
        struct fe_source line = {main_name, text, strlen(text), QPUCC_FRAGMENT, NULL};
        if (lines[i].said)
            expect_error(fe_glsl_compile(&line, 1, NULL), lines[i].said);
        else
            expect_ok(fe_glsl_compile(&line, 1, NULL));
    }
    struct fe_options off = {.no_include = true};
    expect_error(fe_glsl_compile(&s, 1, &off), "not allowed");

    s.name = "elsewhere.frag";
    expect_error(fe_glsl_compile(&s, 1, NULL),
                 "elsewhere.frag:2:2: error: cannot open include file 'common.glsl'");
    const char *const dirs[] = {sub};
    struct fe_options with_dir = {.include_dirs = dirs, .include_dir_count = 1};
    expect_ok(fe_glsl_compile(&s, 1, &with_dir));

    char far[1000]; /* a long way to the same folder */
    size_t far_length = (size_t)snprintf(far, sizeof far, "%s", root);
    while (far_length < 800)
        far_length += (size_t)snprintf(far + far_length, sizeof far - far_length, "/sub/..");
    snprintf(far + far_length, sizeof far - far_length, "/sub");
    const char *const far_dirs[] = {far};
    struct fe_options with_far = {.include_dirs = far_dirs, .include_dir_count = 1};
    expect_ok(fe_glsl_compile(&s, 1, &with_far));
    snprintf(far + far_length, sizeof far - far_length, "/sub/a.frag");
    s.name = far;
    expect_ok(fe_glsl_compile(&s, 1, NULL));
    s.name = "elsewhere.frag";

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

int main(void) {
    const struct glsl_case cases[] = {
        {"macros", macros},
        {"conditions", conditions},
        {"defined in macros", defined_in_macros},
        {"line numbers", line_numbers},
        {"long file names", long_file_names},
        {"bad macros", bad_macros},
        {"stray bytes", stray_bytes},
        {"versions", versions},
        {"long pragmas", long_pragmas},
        {"preprocessed text reads alike", preprocessed_text_reads_alike},
        {"defines", options_define},
        {"extensions", extensions},
        {"includes", includes},
    };
    return run_cases("preprocess", cases, sizeof cases / sizeof *cases);
}
