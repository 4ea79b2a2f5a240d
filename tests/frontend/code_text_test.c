/* A shader whose constants glslang does not fold is parsed once more, as the text for code
 * (frontend/essl100/source.c). A comparison of constants that nobody reads brings that about: the code must
 * be the same words. */
#include "frontend/glsl/glsl.h"

#include <check.h>
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F "precision mediump float;\n"
#define AGAIN "\nconst bool again = vec2(1.0) == vec2(1.0);\n"

static const char *const vertices[] = {
    "attribute vec4 a; void main() { gl_Position = a; }",
    "attribute vec4 a; uniform mat4 m; varying vec2 v; varying vec3 w; varying highp float z;\n"
    "void main() { gl_Position = m * a; v = a.xy * 0.5; w = normalize(mat3(m[0].xyz, m[1].xyz, m[2].xyz) * "
    "a.xyz);\n"
    "z = a.w * gl_DepthRange.far; }",
    "attribute vec4 a; attribute mat3 b; uniform vec4 bones[12]; uniform int n; varying vec2 v; varying vec3 "
    "w;\n"
    "varying highp float z; invariant gl_Position;\n"
    "void main() { gl_Position = bones[int(a.w) + 1] + bones[n]; gl_PointSize = float(gl_MaxVertexAttribs) * "
    "a.x;\n"
    "v = a.zw; w = b * a.xyz; z = w.y; }",
};

/* Each reads a part of what the second and the third vertex shader write. */
static const char *const fragments[] = {
    F "uniform vec4 Qcolor; void main() { gl_FragColor = Qcolor; }",
    F "uniform vec3 late; uniform mediump vec4 unused; uniform sampler2D s; uniform float first[3];\n"
      "uniform lowp vec4 early; varying vec2 v; uniform samplerCube c; varying vec3 w;\n"
      "void main() { gl_FragColor = early * first[2] + texture2D(s, v) * textureCube(c, w) + "
      "vec4(late * first[0], 1.0); }",
    F
    "struct light { highp vec3 at; lowp vec4 color; float k[2]; }; uniform light lights[3]; varying vec3 w;\n"
    "vec4 shade(light l) { return l.color * dot(w, l.at) * l.k[1]; }\n"
    "void main() { gl_FragColor = vec4(0.0); for (int i = 0; i < 3; i++) gl_FragColor += shade(lights[i]); }",
    F "varying highp float z; void main() { gl_FragData[0] = vec4(gl_FragCoord.xy * z, gl_PointCoord.x, "
      "gl_FrontFacing ? gl_DepthRange.near : gl_FragCoord.z); }",
    F "uniform mat2 m; uniform mat4 mm[2]; uniform int k; varying vec2 v;\n"
      "void main() { vec2 q = m * v; gl_FragColor = mm[k] * vec4(q, q.yx) + mm[1][2]; if (k > 3) discard; }",
    "#extension GL_OES_standard_derivatives : enable\n" F
    "varying vec2 v; uniform sampler2D s; void main() { vec2 d = fwidth(v); highp float a = texture2D(s, v, "
    "1.0).x;\n"
    "gl_FragColor = texture2DProj(s, vec3(d, a)); }",
    F "uniform highp vec2 size; uniform vec2 qpu_name; const float k[2] = float[2](1.0, 2.0);\n"
      "void main() { gl_FragColor = vec4(size, qpu_name); }",
    F "float g = 2.0; uniform float u; varying vec2 v; void add(inout float x, out vec2 y) { x += u; y = v; "
      "g *= "
      "x; }\n"
      "void main() { vec2 y; float x = v.x; add(x, y); gl_FragColor = vec4(x, y, g); }",
    F "uniform ivec3 i; uniform float texture; varying vec2 v; void main() { int a = i.x * i.y / 3 + "
      "int(v.x * 8.0);\n"
      "float round = float(a) + texture; gl_FragColor = vec4(round, mod(round, 2.0), clamp(v, 0.1, 0.9)); }",
};

#define ES3 "#version 300 es\nprecision highp float;\n"

/* Later versions, and desktop GLSL. */
static const char *const pairs[][2] = {
    {ES3 "in vec4 a; uniform mat4 m; uniform B { vec4 k; mat3x2 w[2]; int n; } b; uniform vec4 late, early; "
         "out vec2 v; flat out ivec2 i; centroid out float c;\n"
         "void main() { gl_Position = m * a * early; v = b.w[b.n & 1] * a.xyz + late.xy; i = ivec2(a.zw); "
         "c = b.k.w + float(gl_VertexID); }",
     ES3 "in vec2 v; flat in ivec2 i; centroid in float c; uniform mediump sampler2D s; uniform uint u; "
         "layout(location = 0) out mediump vec4 color;\n"
         "void main() { vec4 t = textureLod(s, v, c); switch (i.x) { case 1: t.x = round(c); break; case 2: "
         "t.yz = vec2(u << 3u); default: t.w = float(i.y % 5); }\n"
         "color = t + dFdx(v).xyxy; gl_FragDepth = c; }"},
    {ES3 "layout(location = 1) in vec4 a; layout(location = 0) in vec3 n; struct l { vec3 at; float k; }; "
         "uniform "
         "l lights[2]; out vec3 w[2];\n"
         "void main() { gl_Position = a; for (int i = 0; i < 2; ++i) w[i] = n * lights[i].at + "
         "lights[1 - i].k; gl_PointSize = 2.0; }",
     ES3 "in vec3 w[2]; out vec4 color; uniform samplerCube s; uniform mediump float unused;\n"
         "void swap(inout vec3 a, inout vec3 b) { vec3 c = a; a = b; b = c; }\n"
         "void main() { vec3 p = w[0], q = w[1]; swap(p, q); if (p.x > q.x) discard; color = texture(s, p) * "
         "inverse(mat2(p.xy, q.xy))[1].xyxy; }"},
    {"#version 110\nattribute vec4 a; uniform vec4 u; varying vec3 v; void main() { gl_Position = a * u; v = "
     "a.xyz / 3.0; }",
     "#version 110\nvarying vec3 v; uniform sampler2D s; uniform float k[3]; void main() { float n = k[1] + "
     "k[2]; gl_FragColor = texture2D(s, v.xy) * mod(n, v.z); }"},
    {"#version 120\nattribute vec3 a; uniform mat2x4 m; varying vec4 v; void main() { gl_Position = vec4(a, "
     "1); "
     "v = m * a.xy; }",
     "#version 120\n#extension GL_ARB_shader_texture_lod : enable\nvarying vec4 v; uniform sampler2D s; "
     "const "
     "float k[2] = float[](1, 2.5); void main() { gl_FragData[0] = texture2DLod(s, v.xy, 1) * k[1] + "
     "gl_FragCoord.x / 8; }"},
    {"#version 150\nin vec4 a; uniform U { mat4 m; vec2 o; }; noperspective out vec2 v; void main() { "
     "gl_Position "
     "= m * a; v = o + 2; }",
     "#version 150\nnoperspective in vec2 v; uniform sampler2D s; out vec4 color; void main() { color = "
     "texture(s, v) + textureSize(s, 0).x; if (gl_FrontFacing) color.a = 1; }"},
    {"#version 330\nlayout(location = 2) in vec4 a; flat out int i; void main() { gl_Position = a; i = "
     "gl_VertexID "
     "+ gl_InstanceID; }",
     "#version 330\nflat in int i; out vec4 color; uniform int k; void main() { color = vec4(uint(i) >> 1u, "
     "trunc(float(k)), sinh(0.5), roundEven(float(i) / 2)); }"},
    {"#version 130\nin vec4 a; out float c; invariant gl_Position; void main() { gl_Position = a; c = a.x; }",
     "#version 130\nin float c; out vec4 color; struct t { sampler2D s; float k; }; uniform t u; void main() "
     "{ "
     "color = texture(u.s, vec2(c)) * u.k; }"},
};

static qpucc_program *compiled(const char *vertex, const char *fragment, int level) {
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    options.opt_level = level;
    return qpucc_compile(sources, 2, NULL, &options);
}

static void compare_with(const char *vertex, const char *fragment, const char *other, int level) {
    qpucc_program *once = compiled(vertex, fragment, level), *again = compiled(vertex, other, level);
    ck_assert_msg(qpucc_program_status(once) == QPUCC_OK, "%s:%u: %s", fragment,
                  qpucc_program_diagnostic(once, 0)->line, qpucc_program_diagnostic(once, 0)->text);
    ck_assert_int_eq(qpucc_program_status(again), QPUCC_OK);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t a = 0, b = 0;
        const uint64_t *x = qpucc_program_code(once, s, &a), *y = qpucc_program_code(again, s, &b);
        ck_assert_msg(a == b && (!a || !memcmp(x, y, a * sizeof *x)), "stage %d at -O%d:\n%s\n%s", s, level,
                      vertex, fragment);
        size_t n = qpucc_uniforms_size(once, s);
        ck_assert_uint_eq(n, qpucc_uniforms_size(again, s));
        for (size_t i = 0; i < n; i++)
            ck_assert_str_eq(qpucc_uniform_text(once, s, i), qpucc_uniform_text(again, s, i));
    }
    qpucc_program_free(once);
    qpucc_program_free(again);
}

static void compare(const char *vertex, const char *fragment, int level) {
    char plus[4096];
    snprintf(plus, sizeof plus, "%s" AGAIN, fragment);
    compare_with(vertex, fragment, plus, level);
}

START_TEST(same_code) {
    size_t count = 0;
    for (size_t v = 0; v < sizeof vertices / sizeof *vertices; v++)
        for (size_t f = 0; f < sizeof fragments / sizeof *fragments; f++) {
            if (!v && strstr(fragments[f], "varying"))
                continue;
            qpucc_program *probe = compiled(vertices[v], fragments[f], 2);
            bool good = qpucc_program_status(probe) == QPUCC_OK;
            qpucc_program_free(probe);
            for (int level = 0; level <= 2 && good; level += 2)
                compare(vertices[v], fragments[f], level);
            count += good;
        }
    ck_assert_uint_ge(count, 15);
}
END_TEST

START_TEST(later_versions) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int level = 0; level <= 2; level += 2)
            compare(pairs[i][0], pairs[i][1], level);
}
END_TEST

/* The marker does bring the other text about: in the checked one glslang folds this to false. */
START_TEST(two_texts) {
    compare_with(
        "attribute vec4 a; void main() { gl_Position = a; }",
        F "const bool again = vec2(1.0) == vec2(1.0);\nvoid main() { gl_FragColor = vec4(again == true); }",
        F "\nvoid main() { gl_FragColor = vec4(1.0); }", 2);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("code text");
    TCase *cases = tcase_create("code text");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, same_code);
    tcase_add_test(cases, later_versions);
    tcase_add_test(cases, two_texts);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
