/* Statements of every shape, drawn: each shader has an answer, in every version of the language, and none
 * that speaks of an internal error. The text is typed, so that most expressions pass the check and meet the
 * front end's second reading; words in places of names and a few loose ends make up the rest.
 *
 *     statements_test [--seed N] [--count N]
 *
 * draws others than ctest does and prints what fails. */
#include "execute.h"
#include "frontend/glsl/glsl.h"
#include "tests/isa/random.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define PICK(list) (list)[below(COUNT(list))]

enum type { FLOAT, INT, BOOL, VEC4, TYPES };

static uint64_t seed;
static char text[1 << 16];
static size_t length;

static uint32_t below(size_t n) {
    return (uint32_t)(random_word(&seed) % n);
}

static bool percent(unsigned n) {
    return below(100) < n;
}

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    length += (size_t)n;
    if (length >= sizeof text)
        abort();
}

static const char *const type_words[TYPES] = {"float", "int", "bool", "vec4"};

/* Names that some version, or the compiler itself, uses for something else. */
static const char *const words[] = {"a",
                                    "x",
                                    "f",
                                    "S",
                                    "v",
                                    "invariant",
                                    "flat",
                                    "centroid",
                                    "smooth",
                                    "sample",
                                    "layout",
                                    "texture",
                                    "mix",
                                    "round",
                                    "input",
                                    "output",
                                    "half",
                                    "active",
                                    "noise1",
                                    "patch",
                                    "resource",
                                    "image2D",
                                    "uint",
                                    "precise",
                                    "buffer",
                                    "shared",
                                    "sin",
                                    "dot",
                                    "texture2D",
                                    "transpose",
                                    "qpu_x",
                                    "Qa",
                                    "Ta",
                                    "common",
                                    "partition",
                                    "isampler2D",
                                    "samplerBuffer",
                                    "uvec2",
                                    "dFdx",
                                    "union",
                                    "fixed",
                                    "long",
                                    "double",
                                    "dvec2",
                                    "hvec2",
                                    "sampler3D",
                                    "sizeof",
                                    "noperspective",
                                    "namespace",
                                    "row_major",
                                    "filter",
                                    "coherent",
                                    "volatile",
                                    "restrict",
                                    "readonly",
                                    "subroutine",
                                    "dmat2",
                                    "atomic_uint",
                                    "case_",
                                    "gl",
                                    "main_",
                                    "sampler2DRect",
                                    "frag",
                                    "external"};

/* --- expressions ---------------------------------------------------------------------------------------- */

static void expression(enum type type, int depth);

/* `%f %i %b %v` are operands of those types. */
static void form(const char *pattern, int depth) {
    for (; *pattern; pattern++) {
        if (*pattern != '%')
            add("%c", *pattern);
        else
            expression((enum type)(strchr("fibv", *++pattern) - "fibv"), depth + 1);
    }
}

static void expression(enum type type, int depth) {
    static const char *const leaves[TYPES][8] = {
        {"a", "b", "c", "u", "arr[1]", "st.m", "v.x", "1.0"},
        {"x", "y", "i", "ui", "2", "1", "x", "0"},
        {"s", "t", "ub", "true", "false", "s", "true", "1 == 2"},
        {"v", "uv", "gl_FragCoord", "vec4(1.0)", "v.wzyx", "uv", "v", "vec4(a, b, c, 1.0)"},
    };
    static const char *const forms[TYPES][16] = {
        {"%f + %f", "%f - %f", "%f * %f", "%f / %f", "-%f", "+%f", "++a", "b--", "float(%i)", "float(%b)",
         "sin(%f)", "f(%f)", "dot(%v, %v)", "(%v).y", "(a = %f)", "(arr[0] += %f)"},
        {"%i + %i", "%i - %i", "%i * %i", "%i / %i", "-%i", "+%i", "++x", "y--", "int(%f)", "int(%b)",
         "(x = %i)", "(y *= %i)", "int(%i)", "i++", "%i - -%i", "(%i)"},
        {"%f == %f", "%i != %i", "%v == %v", "%b == %b", "%b != %b", "%f < %f", "%i >= %i", "%b && %b",
         "%b || %b", "%b ^^ %b", "!%b", "bool(%f)", "any(lessThan(%v, %v))", "(s = %b)", "!%b == %b", "(%b)"},
        {"%v + %v", "%v * %v", "%v - %f", "%f * %v", "vec4(%f, %f, %f, %f)", "vec4(%i)", "mix(%v, %v, %f)",
         "-%v", "(%v).xxyy", "vec4(%b)", "abs(%v)", "max(%v, %f)", "(%v)", "(%v).rgba", "%v / %v",
         "vec4(%v)"},
    };
    if (depth > 3 || percent(25))
        add("%s", leaves[type][below(8)]);
    else if (percent(8))
        form(type == FLOAT  ? "%b ? %f : %f"
             : type == INT  ? "%b ? %i : %i"
             : type == BOOL ? "%b ? %b : %b"
                            : "%b ? %v : %v",
             depth);
    else if (percent(8)) {
        add("(");
        expression((enum type)below(TYPES), depth + 1);
        add(", ");
        expression(type, depth + 1);
        add(")");
    } else
        form(forms[type][below(16)], depth);
}

/* --- statements ----------------------------------------------------------------------------------------- */

static void statement(int depth);

static void declaration(void) {
    static const char *const qualifiers[] = {"", "", "", "const ", "lowp ", "highp ", "const mediump "},
                             *const constants[TYPES] = {"2.0 * 3.0", "2 + 1", "1.0 == 2.0 == false",
                                                        "vec4(1.0)"};
    enum type type = (enum type)below(TYPES);
    const char *name = PICK(words), *qualifier = type == BOOL ? "" : PICK(qualifiers);
    add("%s%s %s", qualifier, type_words[type], name);
    if (strstr(qualifier, "const") || percent(20)) {
        add(" = %s", constants[type]);
    } else if (percent(50)) {
        add(" = ");
        expression(type, 1);
        if (percent(30))
            add(", %s2", PICK(words));
    } else if (percent(30))
        add("[2], q1, q2[3]");
    add("; %s;", name);
}

static void loop(int depth) {
    static const char *const first[] = {"int i = 0;", "float i = 0.0;", ";", "i = 0;", "bool k = true;"},
                             *const until[] = {"i < 4", "true", "a < b", "bool k2 = a < b", ""},
                             *const step[] = {"i++", "", "a += 1.0", "a++, b++"};
    switch (below(3)) {
    case 0: add("for (%s %s; %s) ", PICK(first), PICK(until), PICK(step)); break;
    case 1: form(percent(20) ? "while (bool w = %b) " : "while (%b) ", 0); break;
    default:
        add("do ");
        statement(depth + 1);
        form(" while (%b);", 0);
        return;
    }
    if (percent(40))
        add("{ if (a == b) break; }");
    else
        statement(depth + 1);
}

static void statement(int depth) {
    static const char *const simple[] = {";", "return;", ";;", "{}", "discard;", "{ ; }"},
                             *const odd[] = {"precision highp float;",
                                             "precision lowp int;",
                                             "const float k4 = 1.0; float k5[int(k4) + 1];",
                                             "const bool cb = 1 == 1; if (cb == true) a = 1.0;",
                                             "if (s) true == false; else 1 == 2;",
                                             "switch (x) { case 1: a; break; case 7: default: }",
                                             "switch (x) { case 1: { a = b; } default: break; }",
                                             "struct { float x; } nameless;",
                                             "struct N1 { float x, y; } n1; n1.x;"};
    unsigned kind = depth > 3 ? 0 : below(12);
    switch (kind) {
    case 2:
    case 3: declaration(); break;
    case 4:
    case 5:
        form("if (%b) ", 0);
        statement(depth + 1);
        if (percent(50)) {
            add(" else ");
            statement(depth + 1);
        }
        break;
    case 6:
    case 7: loop(depth); break;
    case 8:
        add("{ ");
        statement(depth + 1);
        add(" ");
        statement(depth + 1);
        add(" }");
        break;
    case 9: add("%s", PICK(simple)); break;
    case 10: add("%s", PICK(odd)); break;
    case 11: add("struct %s { %s %s; } %s;", PICK(words), PICK(type_words), PICK(words), PICK(words)); break;
    default: expression((enum type)below(TYPES), 0); add(";");
    }
}

/* --- shaders -------------------------------------------------------------------------------------------- */

static const struct version {
    const char *head, *varying, *color;
} versions[] = {
    {"precision mediump float;\n", "varying", "gl_FragColor"},
    {"#version 300 es\nprecision mediump float;\nout vec4 o;\n", "in", "o"},
    {"#version 110\n", "varying", "gl_FragColor"},
    {"#version 120\n", "varying", "gl_FragColor"},
    {"#version 130\n", "in", "gl_FragColor"},
    {"#version 330\nout vec4 o;\n", "in", "o"},
};

static void global(const struct version *version) {
    static const char *const lines[] = {
        "varying vec4 gl_TexCoord[2], other; vec4 both() { return other + gl_TexCoord[1]; }",
        "varying vec4 other, gl_TexCoord[4];",
        "uniform vec4 invariant;",
        "uniform float main2, f2;",
        "float gg; vec4 hh = vec4(1.0);",
        "const float k1 = 1.0, k2 = k1 * 2.0;",
        "uniform vec4 ui2[2] = vec4[2](vec4(1.0), vec4(2.0));",
        "uniform struct { float a; } us;",
        "uniform struct US { float a; bool b; } us2[2];",
        "const bool kb = (1.0, true); const float kc = true ? 1.0 : 2.0;",
        "void h();",
        ";",
        "invariant varying float iv;",
        "centroid varying vec2 cv;"};
    switch (below(5)) {
    case 0: add("uniform %s %s;\n", PICK(type_words), PICK(words)); break;
    case 1: add("%s vec4 %s, %s3[2];\n", version->varying, PICK(words), PICK(words)); break;
    case 2:
        add("%s %s(%s %s) { return ", type_words[FLOAT], PICK(words), PICK(type_words), PICK(words));
        add("%s; }\n", percent(50) ? "1.0" : "u");
        break;
    case 3: add("struct %s { %s %s; float q; };\n", PICK(words), PICK(type_words), PICK(words)); break;
    default: add("%s\n", PICK(lines));
    }
}

static void shader(void) {
    const struct version *version = &PICK(versions);
    length = 0;
    add("%sstruct S { float m; };\nuniform float u; uniform bool ub; uniform int ui; uniform vec4 uv;\n"
        "%s vec4 v;\n",
        version->head, version->varying);
    for (unsigned n = below(3); n; n--)
        global(version);
    add("float f(float x) { return x; }\nvoid main() {\n    float a = 1.0, b = 2.0, c = 3.0, arr[2]; int x = "
        "1, y = "
        "2, i = 0;\n    bool s = true, t = false; S st;\n");
    for (unsigned n = 1 + below(2); n; n--) {
        statement(0);
        add("\n");
    }
    add("    %s = vec4(a) + v;\n}\n", version->color);
}

static size_t accepted, refused;

static bool has_an_answer(bool print) {
    struct fe_source source = {"a.frag", text, length, QPUCC_FRAGMENT, NULL};
    struct fe_glsl_result *r = fe_glsl_compile(&source, 1, NULL);
    const char *fault = !r ? "out of memory" : r->ok || r->diagnostic_count ? NULL : "no answer";
    for (size_t d = 0; r && d < r->diagnostic_count; d++)
        if (strstr(r->diagnostics[d].text, "internal:"))
            fault = r->diagnostics[d].text;
    if (fault && print)
        printf("%s\n%s\n", fault, text);
    else if (!print)
        ck_assert_msg(!fault, "%s\n%s", fault, text);
    accepted += r && r->ok;
    refused += r && !r->ok;
    fe_glsl_result_free(r);
    return !fault;
}

START_TEST(each_has_an_answer) {
    seed = 1;
    for (int n = 0; n < 1000; n++) {
        shader();
        has_an_answer(false);
    }
    ck_assert_uint_gt(accepted, 150);
    ck_assert_uint_gt(refused, 100);
}
END_TEST

/* What only old versions allow means what they say: each draws white. */
static const char *const pairs[][2] = {
    {"#version 110\nattribute vec4 a_position; varying vec4 gl_TexCoord[2], other;\n"
     "void main() { gl_Position = a_position; gl_TexCoord[1] = vec4(0.25); other = vec4(0.75); }\n",
     "#version 110\nvarying vec4 other, gl_TexCoord[2];\n"
     "void main() { gl_FragColor = other + gl_TexCoord[1]; }\n"},
    {NULL, "#version 110\nstruct A { float f; struct B { int i; struct { vec2 w; } deep; } b[2], c; } a;\n"
           "void main() { struct L { struct M { float z; } m; } l; l.m = M(0.5); a.f = 0.5; a.b[1] = a.c;\n"
           "    a.b[1].deep.w = vec2(1.0); a.c = B(1, a.b[1].deep);\n"
           "    gl_FragColor = vec4(a.f + l.m.z, a.c.i, a.c.deep.w); }\n"},
    {NULL, "#version 110\nfloat f; float f(float x) { return x + f; } bool dot() { return true; }\n"
           "void main() { float dot = 0.5, sin = 1.0; f = 0.5;\n"
           "    gl_FragColor = vec4(f(dot), sin(0.0) + sin, dot() ? 1.0 : 0.0, 1.0); }\n"},
    {NULL, "#version 120\nvoid main() { float layout = 0.5, noperspective = 0.5; bool t = true; vec4 c = "
           "vec4(1.0);\n"
           "    if (t) 1.0 == 2.0; else true == false;\n"
           "    if (t) do ; while (false); else c = vec4(0.0);\n"
           "    gl_FragColor = c * (layout + noperspective); }\n"},
};

START_TEST(old_ways_mean_what_they_say) {
    const char *vertex = pairs[_i][0] ? pairs[_i][0]
                                      : "attribute vec4 a_position;\n"
                                        "void main() { gl_Position = a_position; }\n";
    struct executed e;
    char desktop[512];
    snprintf(desktop, sizeof desktop, "%s%s", pairs[_i][0] ? "" : "#version 110\n", vertex);
    execute_pair(desktop, pairs[_i][1], NULL, 1, &e);
    ck_assert_msg(e.compiled && e.drawn, "%s", e.text);
    for (int k = 0; k < 4; k++)
        ck_assert_msg(e.pixel[k] == 255, "component %d is %u", k, e.pixel[k]);
}
END_TEST

static int draw(unsigned long first, long count) {
    int faults = 0;
    seed = first;
    for (long n = 0; n < count; n++) {
        shader();
        faults += !has_an_answer(true);
    }
    printf("%zu accepted, %zu refused, %d faults\n", accepted, refused, faults);
    return faults != 0;
}

int main(int argc, char **argv) {
    unsigned long first = 1;
    long count = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed"))
            first = strtoul(argv[i + 1], NULL, 0);
        else if (!strcmp(argv[i], "--count"))
            count = strtol(argv[i + 1], NULL, 0);
    }
    if (count)
        return draw(first, count);
    Suite *suite = suite_create("statements");
    TCase *t = tcase_create("statements");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, each_has_an_answer);
    tcase_add_loop_test(t, old_ways_mean_what_they_say, 0, (int)COUNT(pairs));
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
