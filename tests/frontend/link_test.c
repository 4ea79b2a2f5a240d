/* Which varying of the vertex shader a fragment shader reads, drawn: by name, by block, by location. */
#include "execute.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Draws the pair; all of its numbers come out as the colour times 255. */
static void expect_color(const char *vertex, const char *fragment, int r, int g, int b) {
    for (int level = 0; level <= 2; level += 2) {
        struct executed e;
        execute_pair(vertex, fragment, NULL, level, &e);
        ck_assert_msg(e.drawn, "-O%d: %s\n%s\n%s", level, e.text, vertex, fragment);
        ck_assert_msg(e.pixel[0] == r && e.pixel[1] == g && e.pixel[2] == b,
                      "-O%d: %d %d %d instead of %d %d %d\n%s\n%s", level, e.pixel[0], e.pixel[1], e.pixel[2],
                      r, g, b, vertex, fragment);
    }
}

static void expect_refused(const char *vertex, const char *fragment, const char *part) {
    struct executed e;
    execute_pair(vertex, fragment, NULL, 2, &e);
    ck_assert_msg(!e.compiled && !e.internal, "expected '%s'\n%s\n%s", part, vertex, fragment);
    ck_assert_msg(strstr(e.text, part) != NULL, "expected '%s' in\n%s", part, e.text);
}

/* The position keeps values from being constants: a_position.w is 1. */
#define V330 "#version 330\n#extension GL_ARB_separate_shader_objects : enable\nin vec4 a_position;\n"
#define F330 "#version 330\n#extension GL_ARB_separate_shader_objects : enable\nout vec4 color;\n"
#define V100 "attribute vec4 a_position;\n"
#define F100 "precision mediump float;\n"
#define V300 "#version 300 es\nin vec4 a_position;\n"
#define F300 "#version 300 es\nprecision highp float;\nout vec4 color;\n"
#define N(text) "vec4(" text ", 1.0) / 255.0"

START_TEST(blocks) {
    const char *vertex =
        V330 "out VS_OUT { vec3 a; float b; vec2 c[2]; } vs_out;\nout Other { float a; } other;\n"
             "void main() { gl_Position = a_position; vs_out.a = vec3(1.0, 2.0, 3.0);\n"
             "vs_out.b = 40.0; vs_out.c[0] = vec2(5.0, 6.0); vs_out.c[1] = vec2(7.0, 8.0);\n"
             "other.a = 90.0; }\n";
    expect_color(vertex,
                 F330 "in Other { float a; } vs_out;\nin VS_OUT { vec3 a; float b; vec2 c[2]; } fs_in;\n"
                      "void main() { color = " N("fs_in.a.z, fs_in.b, vs_out.a") "; }\n",
                 3, 40, 90);
    expect_color(vertex,
                 F330 "in VS_OUT { vec3 a; float b; vec2 c[2]; } fs_in;\n"
                      "void main() { color = " N("fs_in.c[1].y, fs_in.c[0].x, fs_in.a.y") "; }\n",
                 8, 5, 2);
    expect_color(vertex,
                 F330 "in VS_OUT { vec3 a; float b; vec2 c[2]; } vs_out;\n"
                      "void main() { color = " N("vs_out.a") "; }\n",
                 1, 2, 3);
    /* without a name for the instance in either shader */
    expect_color(
        V330 "out VS_OUT { vec3 a; float b; };\nvoid main() { gl_Position = a_position; a = vec3(1, 2, 3); "
             "b = 4.0; }\n",
        F330 "in VS_OUT { vec3 a; float b; };\nvoid main() { color = " N("a.zy, b") "; }\n", 3, 2, 4);
    expect_color(V330
                 "struct S { vec2 p; float q; };\nout B { S s[2]; float t; } x;\nvoid main() { gl_Position = "
                 "a_position; x.s[0] = S(vec2(1, 2), 3); x.s[1] = S(vec2(4, 5), 6); x.t = 7.0; }\n",
                 F330 "struct S { vec2 p; float q; };\nin B { S s[2]; float t; } y;\n"
                      "void main() { color = " N("y.s[1].q, y.s[0].p.y, y.t") "; }\n",
                 6, 2, 7);
    expect_refused(
        vertex,
        F330 "in VS_OUT { vec3 a; float b; vec3 c[2]; } fs_in;\nvoid main() { color = fs_in.a.xyzz; }\n",
        "a.frag:4:");
    expect_refused(
        vertex,
        F330 "in VS_IN { vec3 a; float b; vec2 c[2]; } vs_out;\nvoid main() { color = vs_out.a.xyzz; }\n",
        "a.frag:4:17: error: varying 'VS_IN.a' is read here");
}
END_TEST

START_TEST(locations) {
    /* names crossed, order crossed, another number of declarations */
    const char *vertex =
        V330 "layout(location = 0) out float a;\nlayout(location = 1) out float b;\n"
             "layout(location = 2) out vec3 c;\nout float d;\nvoid main() { gl_Position = a_position;\n"
             "a = 10.0; b = 20.0; c = vec3(30.0, 40.0, 50.0); d = 60.0; }\n";
    expect_color(vertex,
                 F330 "layout(location = 0) in float b;\nlayout(location = 1) in float a;\n"
                      "void main() { color = " N("a, b, 0") "; }\n",
                 20, 10, 0);
    expect_color(vertex,
                 F330 "in float d;\nlayout(location = 2) in vec3 x;\nlayout(location = 0) in float y;\n"
                      "void main() { color = " N("x.z, y, d") "; }\n",
                 50, 10, 60);
    expect_color(vertex, F330 "layout(location = 1) in float c;\nvoid main() { color = " N("c, c, c") "; }\n",
                 20, 20, 20);
    expect_refused(vertex, F330 "layout(location = 3) in float a;\nvoid main() { color = vec4(a); }\n",
                   "a.frag:4:31: error: varying 'a' is read here");
    expect_refused(vertex, F330 "layout(location = 2) in vec2 c;\nvoid main() { color = c.xyxy; }\n",
                   "a.frag:4:30: error: varying 'c' has type vec2 here");
    expect_refused(vertex, F330 "in float a;\nvoid main() { color = vec4(a); }\n",
                   "varying 'a' is read here");
    /* arrays, matrices, structures and blocks take several */
    expect_color(
        V330
        "struct S { vec2 p; float q[2]; };\nlayout(location = 1) out S s;\nlayout(location = 4) out mat2 m;\n"
        "out B { float t; vec2 u; } o;\nout float a;\nvoid main() { gl_Position = "
        "a_position; s = S(vec2(1, 2), float[](3, 4)); m = mat2(5, 6, 7, 8); o.t = 9.0;\n"
        "o.u = vec2(10, 11); a = 12.0; }\n",
        F330 "struct S { vec2 p; float q[2]; };\nin B { float t; vec2 u; } i;\nin float a;\n"
             "layout(location = 4) in mat2 s;\nlayout(location = 1) in S m;\nvoid main() { color = " N(
                 "m.q[1] + 16.0 * s[1].x, i.t + 16.0 * i.u.y, a + 16.0 * m.p.y") "; }\n",
        4 + 16 * 7, 9 + 16 * 11, 12 + 16 * 2);
}
END_TEST

/* All permutations of what three locations and three names can be. */
START_TEST(any_order) {
    for (int order = 0; order < 27; order++) {
        char vertex[1000], fragment[1000];
        int at[3] = {order % 3, order / 3 % 3, order / 9};
        if (at[0] == at[1] || at[1] == at[2] || at[0] == at[2])
            continue;
        int value[3];
        for (int k = 0; k < 3; k++)
            value[at[k]] = 10 * (k + 1);
        snprintf(
            vertex, sizeof vertex,
            V330
            "layout(location = %d) out vec2 a;\nlayout(location = %d) out vec2 b;\nlayout(location = %d) out "
            "vec2 c;\n"
            "void main() { gl_Position = a_position; a = vec2(10.0); b = vec2(20.0); c = vec2(30.0); }\n",
            at[0], at[1], at[2]);
        snprintf(fragment, sizeof fragment,
                 F330 "layout(location = 1) in vec2 c;\nlayout(location = 2) in vec2 a;\nlayout(location = "
                      "0) in vec2 b;\n"
                      "void main() { color = " N("b.x, c.y, a.x") "; }\n");
        expect_color(vertex, fragment, value[0], value[1], value[2]);
    }
}
END_TEST

/* Desktop GLSL asks for what code that is left reads; ES for what is read anywhere (sections 4.3.5 and
 * 4.3.4). */
START_TEST(never_reached) {
    static const struct {
        const char *code;
        bool live;
    } cases[] = {
        {"if (false) color = vec4(v);", false},
        {"const bool never = 1 > 2; if (never && b) color = vec4(v);", false},
        {"float a = v;", false},
        {"return; color = vec4(v);", false},
        {"color = true ? vec4(1.0) : vec4(v);", false},
        {"for (int i = 0; i < 0; i++) color += v;", false},
        {"f(1.0);", false},
        {"color = vec4(f(v));", true},
        {"if (b) color = vec4(v);", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int language = 0; language < 4; language++) {
            static const char *const versions[] = {"#version 120\n", "#version 330\n", "",
                                                   "#version 300 es\n"};
            bool modern = language % 2, es = language >= 2;
            char vertex[300], fragment[800];
            snprintf(vertex, sizeof vertex,
                     "%s%s vec4 a_position; void main() { gl_Position = a_position; }\n", versions[language],
                     modern ? "in" : "attribute");
            snprintf(fragment, sizeof fragment,
                     "%s%s\n%s float v;\nuniform bool b;\n%s\nfloat f(float x) { return x; }\nfloat g() { "
                     "return v; }\n"
                     "void main() {\n  color = vec4(1.0);\n  %s\n}\n",
                     versions[language], es ? "precision mediump float;" : "", modern ? "in" : "varying",
                     modern ? "out vec4 color;" : "#define color gl_FragColor", cases[i].code);
            if (es || cases[i].live)
                expect_refused(vertex, fragment, "varying 'v' is read here");
            else
                expect_color(vertex, fragment, 255, 255, 255);
        }
    /* an index known at run time reads the whole array, and nothing else */
    const char *array =
        V330 "out float w[2];\nvoid main() { gl_Position = a_position; w = float[](3.0, 4.0); }\n";
    expect_color(array,
                 F330 "in float w[2], x;\nuniform int k;\nvoid main() { color = vec4(w[k]) / 255.0; }\n", 4,
                 4, 4);
    expect_refused(V330 "void main() { gl_Position = a_position; }\n",
                   F330 "in float w[2];\nuniform int k;\nvoid main() { color = vec4(w[k]); }\n",
                   "varying 'w' is read here");
    /* a local of that name is not the varying */
    expect_color(V100 "void main() { gl_Position = a_position; }\n",
                 F100 "varying float v;\nvoid f(float v) { v++; }\nvoid main() { float v = 1.0; f(v); "
                      "gl_FragColor = vec4(v); }\n",
                 255, 255, 255);
    expect_color(V100 "void main() { gl_Position = a_position; }\n",
                 F100 "varying float a;\nvoid main() { gl_FragColor = vec4(1.0).aaaa; }\n", 255, 255, 255);
}
END_TEST

/* `part`: NULL: they fit. */
static void expect_uniforms(const char *vertex, const char *fragment, const char *part) {
    char texts[2][300];
    snprintf(texts[0], sizeof *texts, "%s%s\nvoid main() { gl_Position = a_position * u; }\n", V300, vertex);
    snprintf(texts[1], sizeof *texts, "%s%s\nvoid main() { color = u; }\n", F300, fragment);
    if (part) {
        expect_refused(texts[0], texts[1], part);
    } else {
        struct executed e;
        execute_pair(texts[0], texts[1], NULL, 2, &e);
        ck_assert_msg(e.compiled, "%s", e.text);
    }
}

START_TEST(matching) {
    const char *vertex =
        V300 "flat out int i;\nout vec2 v;\nout float[2] w;\nvoid main() { gl_Position = a_position; i = 1; "
             "v = vec2(2.0); w = float[](3.0, 4.0); }\n";
    expect_color(vertex,
                 F300 "in float w[2];\nflat in int i;\nin mediump vec2 v;\nvoid main() { color = " N(
                     "float(i), v.y, w[1]") "; }\n",
                 1, 2, 4);
    expect_refused(vertex, F300 "flat in vec2 v;\nvoid main() { color = v.xyxy; }\n",
                   "a.frag:4:14: error: varying 'v' is flat here and not flat in the vertex shader");
    expect_refused(vertex, F300 "in vec3 v;\nvoid main() { color = v.xyxy; }\n",
                   "a.frag:4:9: error: varying 'v' has type");
    expect_refused(vertex, F300 "flat in uint i;\nvoid main() { color = vec4(i); }\n",
                   "a.frag:4:14: error: varying 'i' has");
    expect_refused(vertex, F300 "in float w[3];\nvoid main() { color = vec4(w[2]); }\n",
                   "a.frag:4:10: error: ");
    expect_refused(vertex, F300 "in float x;\nvoid f() { color = vec4(x); }\nvoid main() { }\n",
                   "a.frag:4:10: error: varying 'x' is read here but the vertex shader does not declare it");
    expect_color(vertex, F300 "in float x;\nvoid main() { color = vec4(1.0); }\n", 255, 255, 255);
    expect_color(V300 "struct S { float a; vec2 b; };\nout S s;\nvoid main() { gl_Position = a_position; s = "
                      "S(1.0, vec2(2, 3)); }\n",
                 F300 "struct S { float a; vec2 b; };\nin S s;\nvoid main() { color = " N("s.a, s.b") "; }\n",
                 1, 2, 3);
    expect_refused(
        V300
        "struct S { float a; vec2 b; };\nout S s;\nvoid main() { gl_Position = a_position; s.a = 1.0; }\n",
        F300 "struct S { vec2 b; float a; };\nin S s;\nvoid main() { color = vec4(s.a); }\n",
        "a.frag:4:8: error: link: 'S' is not the same in both shaders: its members differ");
    static const char *const variable = "uniform vec4 u;", *const in_b = "uniform B { vec4 u; };";
    expect_uniforms(variable, in_b, "'u' is a member of block 'B' here and a variable in the vertex shader");
    expect_uniforms(in_b, variable, "'u' is a variable here and a member of block 'B' in the vertex shader");
    expect_uniforms(in_b, "layout(std140) uniform C { vec4 u; };",
                    "'u' is a member of block 'C' here and a member of block 'B' in the vertex shader");
    expect_uniforms(in_b, "uniform B { vec4 v; } b; const vec4 u = vec4(1.0);", "its members differ\n");
    expect_uniforms("uniform B { vec4 u; } b; uniform vec4 u;", "uniform B { vec4 u; } b; uniform vec4 u;",
                    NULL);
    expect_uniforms(in_b, in_b, NULL);
}
END_TEST

int main(void) {
    const struct {
        const char *name;
        const TTest *test;
    } tests[] = {{"blocks", blocks},
                 {"locations", locations},
                 {"any order", any_order},
                 {"never reached", never_reached},
                 {"matching", matching}};
    Suite *suite = suite_create("link");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        TCase *test = tcase_create(tests[i].name);
        tcase_set_timeout(test, 300);
        tcase_add_test(test, tests[i].test);
        suite_add_tcase(suite, test);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
