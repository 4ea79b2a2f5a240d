/* Shaders of ES 1.00 become SPIR-V without a translation (frontend/glsl/glsl.c). A uniform of type bool that
 * nobody reads makes them be translated: the code must be the same words. */
#include "frontend/glsl/glsl.h"

#include <check.h>
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define F "precision mediump float;\n"
#define TRANSLATED "\nuniform bool translated;\n"

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

static bool has_block(const char *vertex, const char *fragment) {
    struct fe_source sources[2] = {{NULL, vertex, strlen(vertex), QPUCC_VERTEX, NULL},
                                   {NULL, fragment, strlen(fragment), QPUCC_FRAGMENT, NULL}};
    struct fe_glsl_result *r = fe_glsl_compile(sources, 2, NULL);
    bool found = false;
    for (size_t s = 0; r->ok && s < 2; s++)
        for (size_t i = 0; i + 6 < r->stages[s].spirv_words; i++)
            found |= !memcmp(&r->stages[s].spirv[i], "gl_DefaultUniformBlock", 22);
    fe_glsl_result_free(r);
    return found;
}

static qpucc_program *compiled(const char *vertex, const char *fragment, int level) {
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    options.opt_level = level;
    return qpucc_compile(sources, 2, NULL, &options);
}

static void compare(const char *vertex, const char *fragment, int level) {
    char plus[4096];
    snprintf(plus, sizeof plus, "%s" TRANSLATED, fragment);
    ck_assert_msg(!has_block(vertex, fragment), "translated:\n%s\n%s", vertex, fragment);
    qpucc_program *direct = compiled(vertex, fragment, level), *translated = compiled(vertex, plus, level);
    ck_assert_int_eq(qpucc_program_status(direct), qpucc_program_status(translated));
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t a = 0, b = 0;
        const uint64_t *x = qpucc_program_code(direct, s, &a), *y = qpucc_program_code(translated, s, &b);
        ck_assert_msg(a == b && (!a || !memcmp(x, y, a * sizeof *x)), "stage %d at -O%d:\n%s\n%s", s, level,
                      vertex, fragment);
        size_t n = qpucc_uniforms_size(direct, s);
        ck_assert_uint_eq(n, qpucc_uniforms_size(translated, s));
        for (size_t i = 0; i < n; i++)
            ck_assert_str_eq(qpucc_uniform_text(direct, s, i), qpucc_uniform_text(translated, s, i));
    }
    qpucc_program_free(direct);
    qpucc_program_free(translated);
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

/* The marker of the other tests works, and what has to be translated is. */
START_TEST(translated) {
    const char *vertex = "attribute vec4 a; uniform vec4 u; void main() { gl_Position = a + u; }";
    ck_assert(!has_block(vertex, F "void main() { gl_FragColor = vec4(1.0); }"));
    ck_assert(has_block(vertex, F TRANSLATED "void main() { gl_FragColor = vec4(1.0); }"));
    ck_assert(has_block(vertex, F "uniform float a__b; void main() { gl_FragColor = vec4(a__b); }"));
    ck_assert(has_block(vertex,
                        F "struct s { sampler2D t; float k; }; uniform s u_s; void main() { gl_FragColor = "
                          "texture2D(u_s.t, vec2(u_s.k)); }"));
    ck_assert(has_block(vertex, F "const mat2 m = matrixCompMult(mat2(2.0), mat2(3.0)); void main() { "
                                  "gl_FragColor = vec4(m[0], m[1]); }"));
}
END_TEST

int main(void) {
    if (has_block("attribute vec4 a; void main() { gl_Position = a; }",
                  F "uniform vec4 k; void main() { gl_FragColor = k; }")) {
        fprintf(stderr, "this glslang's parts are not those of 12.0: all shaders are translated\n");
        return 77;
    }
    Suite *suite = suite_create("direct");
    TCase *cases = tcase_create("direct");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, same_code);
    tcase_add_test(cases, translated);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
