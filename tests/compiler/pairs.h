/* Small pairs that states, levels and policies compile differently. */
#ifndef TESTS_COMPILER_PAIRS_H
#define TESTS_COMPILER_PAIRS_H

#include <qpucc/qpucc.h>
#include <string.h>

struct pair {
    const char *vertex, *fragment;
};

static const char vertex_plain[] = "attribute vec4 p; attribute vec2 t; uniform mat4 m; varying vec2 v;\n"
                                   "void main() { gl_Position = m * p; v = t; }\n";

/* Each has something that one of the keys changes. */
static const struct pair pairs[] = {
    {vertex_plain, "precision mediump float; varying vec2 v; uniform sampler2D s, n[2]; uniform vec4 c;\n"
                   "void main() { gl_FragColor = texture2D(s, v) * c + texture2D(n[1], v.yx); }\n"},
    {"attribute vec4 p; uniform float size; void main() { gl_Position = p; gl_PointSize = size * p.x; }\n",
     "precision mediump float; uniform sampler2D s;\n"
     "void main() { gl_FragColor = texture2D(s, gl_PointCoord) * gl_FragCoord.y; }\n"},
    {vertex_plain, "precision highp float; varying vec2 v; uniform sampler2D s; uniform int count;\n"
                   "void main() { vec4 a = vec4(0.0);\n"
                   "  for (int i = 0; i < 12; i++) { if (i >= count) break;\n"
                   "    a += texture2D(s, v + float(i) * 0.01); if (a.w > 4.0) discard; }\n"
                   "  gl_FragColor = a; }\n"},
    {vertex_plain, "void main() { gl_FragColor = gl_FrontFacing ? vec4(1.0) : vec4(0.5, 0.0, 0.0, 1.0); }\n"},
    {vertex_plain, NULL},
    /* what policies of precision compute differently, in either stage */
    {"attribute vec4 p; attribute vec3 n; uniform mat4 m; uniform float e; varying vec3 v; varying float w;\n"
     "void main() { gl_Position = m * p; v = normalize(n) * pow(max(n.z, 0.0), e);\n"
     "  w = length(n); }\n",
     "precision highp float; varying vec3 v; varying float w; uniform vec4 c; uniform sampler2D s;\n"
     "void main() { if (length(v) + w > c.w) discard;\n"
     "  gl_FragColor = texture2D(s, v.xy / v.z) * (v.x * c + v.y * c) * exp2(v.z); }\n"},
    {NULL, "precision mediump float; varying vec4 v; void main() { gl_FragColor = v; }\n"},
    /* a warning of the source's goes along */
    {vertex_plain, "precision highp float; uniform float u; varying vec2 v;\n"
                   "void main() { gl_FragColor = vec4(pow(-2.0 - abs(u), v.x)); }\n"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static inline qpucc_program *compile(const struct pair *pair, const struct qpucc_state *state,
                                     const struct qpucc_options *options) {
    struct qpucc_source sources[2];
    size_t count = 0;
    if (pair->vertex)
        sources[count++] =
            (struct qpucc_source){"a.vert", pair->vertex, strlen(pair->vertex), QPUCC_VERTEX, QPUCC_GLSL};
    if (pair->fragment)
        sources[count++] = (struct qpucc_source){"a.frag", pair->fragment, strlen(pair->fragment),
                                                 QPUCC_FRAGMENT, QPUCC_GLSL};
    return qpucc_compile(sources, count, state, options);
}

#endif
