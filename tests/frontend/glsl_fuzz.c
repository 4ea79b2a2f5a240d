/* glsl_fuzz.c: mutated shaders must come back as a module or as diagnostics with a place, never as a crash, a
 * leak or an internal error (text that is checked and of which no code can be made). Bounded and
 * repeatable:
 *
 *    glsl_fuzz [COUNT [SEED]] */
#include "frontend/glsl/glsl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const seeds[] = {
    "precision mediump float;\n#define SQ(x) ((x) * (x))\nuniform sampler2D map; uniform vec4 tint[3]; "
    "varying vec2 uv;\n"
    "struct light { vec3 dir; float power; };\nuniform light sun;\n#ifdef GL_ES\nconst float k = "
    "0.5;\n#endif\n"
    "float shade(in vec3 n, inout float acc) { acc += SQ(dot(n, sun.dir)); return acc * sun.power; }\n"
    "void main() {\n   float a = 0.0;\n   for (int i = 0; i < 3; i++) { a += tint[i].x; if (a > 2.0) break; "
    "else continue; }\n"
    "   vec4 c = texture2D(map, uv * mat2(1.0, 0.0, k, 1.0), -1.0);\n   if (c.a < k) discard;\n"
    "   gl_FragColor = vec4(c.rgb * shade(vec3(uv, 1.0), a), gl_FragCoord.x > 1.0 ? c.a : 1.0);\n}\n",

    "#version 100\n#extension GL_OES_standard_derivatives : enable\nprecision highp float;\nvarying vec3 "
    "normal;\n"
    "invariant varying float depth;\nuniform samplerCube env; uniform bool on; uniform ivec2 steps;\n"
    "mat3 basis(const vec3 n) { vec3 t = normalize(cross(n, vec3(0.0, 1.0, 0.0))); return mat3(t, cross(n, "
    "t), n); }\n"
    "void main() { vec2 d = vec2(dFdx(depth), dFdy(depth)); int n = steps.x / 2; do { n--; d *= 0.5; } while "
    "(n > 0);\n"
    "  bvec3 b = lessThan(normal, vec3(0.5)); gl_FragData[0] = textureCube(env, basis(normal)[2]) * "
    "float(all(b) ^^ on)\n"
    "  + vec4(d, fwidth(depth), mod(depth, 1.0)); }\n",

    "#line 10\n#if defined(FOO) || __VERSION__ >= 100\n#define TEX(s, p) texture2D(s, p)\n#else\n#error "
    "no\n#endif\n"
    "#pragma optimize(off)\nprecision lowp float; uniform sampler2D s[2]; varying mediump vec4 v[2];\n"
    "vec4 sum(vec4 a, vec4 b) { return a + b; } vec3 sum(vec3 a, vec3 b) { return a - b; }\n"
    "void main() { vec4 x = TEX(s[0], v[0].st), y = TEX(s[1], v[1].xy); x.zyx = sum(x.xyz, y.rgb); ++x.w; "
    "x.x--;\n"
    "  { float x = y.x; y = vec4(x, -x, +x, x == y.z ? 1.0 : 0.0); }\n  gl_FragColor = sum(x, y); }\n",

    "#version 300 es\nprecision mediump float;\nflat in int kind; centroid in vec3 b; in vec2 uv; uniform "
    "sampler2D image;\n"
    "layout(std140) uniform Block { vec4 a; mat3 m; } blk; uniform Plain { float k; }; layout(location = 0) "
    "out vec4 color;\n"
    "float[3] arr = float[3](1.0, 2.0, 3.0); struct S { uvec2 u; float f[2]; };\n"
    "void main() { switch (kind) { case 1: color = texture(image, uv); break; default: color = "
    "texelFetch(image, ivec2(uv), 0);"
    " }\n  S s = S(uvec2(1u, 2u), float[2](k, blk.a.x)); color += vec4(b * blk.m, 1.0) * arr[1] + "
    "float(arr.length());\n"
    "  uint u = 3u << 2; color.x += float(u ^ s.u.y) + dFdx(uv.x) + trunc(s.f[1]); mat2x3 q = mat2x3(1.0); "
    "color.xyz += q * uv;\n"
    "  gl_FragDepth = 0.5; }\n",

    "#version 120\n#extension GL_ARB_texture_rectangle : enable\nvarying vec3 round; centroid varying mat2 "
    "smooth;\n"
    "uniform float k = 3, list[2] = float[2](5, 6.5); uniform sampler2DRect box; uniform sampler2DShadow "
    "shade[2];\n"
    "uniform struct S { vec2 a; float b[2]; } s = S(vec2(1, 2), float[](7.0, 8.0)); varying vec4 "
    "gl_TexCoord[2];\n"
    "void main() { float v[] = float[](1, 2, 3); for (int i = 0; i < 2; i++) v[i] += shadow2D(shade[i], "
    "round).r;\n"
    "  gl_FragColor = gl_Color * gl_LightSource[1].diffuse + gl_TexCoord[1] + texture2DRect(box, round.xy) * "
    "s.b[1] + v[2] * k;\n"
    "  gl_FragDepth = gl_DepthRange.near + gl_Fog.density * smooth[0].x; }\n",

    "#version 330 core\nin Data { vec2 uv; flat int id; } data; layout(std140) uniform Camera { mat4 view; } "
    "camera;\n"
    "layout(location = 0) out vec4 color; noperspective in float straight; uniform uvec2 u = uvec2(1u, 3u);\n"
    "layout(origin_upper_left) in vec4 gl_FragCoord; uniform sampler1D line; const mat3x2 m = mat3x2(1, 2, "
    "3, 4, 5, 6);\n"
    "int pick(int k) { switch (k) { case 7: return 1; case 8: k += 1; default: return k; } }\n"
    "void main() { vec2 v = m * vec3(data.uv, straight); color = camera.view * vec4(v, pick(data.id), u.x >> "
    "1);\n"
    "  color += textureOffset(line, data.uv.x, 1) * float(floatBitsToInt(v.x)) + inverse(mat2(1))[0].x; }\n",
};

static uint64_t state;

static uint32_t random_below(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

static const char *const pieces[] = {"(",          ")",         "{",
                                     "}",          ";",         ",",
                                     "[",          "]",         "0",
                                     "1.",         "vec4",      "int",
                                     "#",          "\n",        "#if 1",
                                     "#define ",   "struct S",  "uniform ",
                                     "+",          "==",        "? :",
                                     "/*",         "//",        "\\\n",
                                     "x",          "sin(",      "return ",
                                     "%",          "\x80",      "gl_",
                                     "a__b",       "const",     "in ",
                                     "999999999",  "1e99",      "void main()",
                                     "texture",    "sampler2D", "varying float q;",
                                     "invariant ", "length",    ".xyzw",
                                     "-",          "&&"};

struct text {
    char at[16000];
    size_t length;
};

static void splice(struct text *t, size_t from, size_t remove, const char *insert, size_t length) {
    if (from > t->length)
        from = t->length;
    if (remove > t->length - from)
        remove = t->length - from;
    if (t->length - remove + length >= sizeof t->at)
        return;
    memmove(t->at + from + length, t->at + from + remove, t->length - from - remove);
    memcpy(t->at + from, insert, length);
    t->length += length - remove;
}

static void mutate(struct text *t) {
    char copy[200];
    uint32_t at = random_below((uint32_t)t->length + 1);
    switch (random_below(6)) {
    case 0: splice(t, at, random_below(8), "", 0); break;
    case 1: {
        const char *p = pieces[random_below(sizeof pieces / sizeof *pieces)];
        splice(t, at, 0, p, strlen(p));
        break;
    }
    case 2: { /* copy a stretch elsewhere */
        size_t n = random_below(sizeof copy);
        if (at + n > t->length)
            n = t->length - at;
        memcpy(copy, t->at + at, n);
        splice(t, random_below((uint32_t)t->length + 1), 0, copy, n);
        break;
    }
    case 3: { /* replace a word by another word of the text */
        size_t a = at, n = 0, b = random_below((uint32_t)t->length + 1), m = 0;
        while (a < t->length && !strchr("abcdefghijklmnopqrstuvwxyz", t->at[a]))
            a++;
        while (a + n < t->length && t->at[a + n] >= 'a' && t->at[a + n] <= 'z')
            n++;
        while (b < t->length && !(t->at[b] >= 'a' && t->at[b] <= 'z'))
            b++;
        while (b + m < t->length && m < sizeof copy && t->at[b + m] >= 'a' && t->at[b + m] <= 'z')
            m++;
        memcpy(copy, t->at + b, m);
        splice(t, a, n, copy, m);
        break;
    }
    case 4:
        if (t->length)
            t->at[at < t->length ? at : 0] = (char)random_below(256);
        break;
    default:
        if (random_below(20) == 0)
            t->length = at;
        break;
    }
}

int main(int argc, char **argv) {
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 3000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    unsigned long accepted = 0;
    for (unsigned long i = 0; i < count; i++) {
        state = (seed << 32) + i * 2654435761u + 88172645463325252u;
        struct text t;
        const char *from = seeds[random_below(sizeof seeds / sizeof *seeds)];
        t.length = strlen(from);
        memcpy(t.at, from, t.length);
        for (uint32_t n = 1 + random_below(1 + random_below(6)); n > 0; n--)
            mutate(&t);
        struct fe_source s = {"f.frag", t.at, t.length, QPUCC_FRAGMENT, NULL};
        struct fe_glsl_result *r = fe_glsl_compile(&s, 1, NULL);
        bool good = r && (r->ok ? r->stages[0].spirv != NULL : r->diagnostic_count > 0);
        for (size_t k = 0; good && k < r->diagnostic_count; k++)
            good = !strstr(r->diagnostics[k].text, "internal") && r->diagnostics[k].file;
        if (!good) {
            printf("case %lu of seed %llu:\n%.*s\n----\n", i, (unsigned long long)seed, (int)t.length, t.at);
            for (size_t k = 0; r && k < r->diagnostic_count; k++)
                printf("%u:%u: %s\n", r->diagnostics[k].line, r->diagnostics[k].column,
                       r->diagnostics[k].text);
            fe_glsl_result_free(r);
            return 1;
        }
        accepted += r->ok;
        fe_glsl_result_free(r);
    }
    printf("%lu mutated shaders, %lu still compile\n", count, accepted);
    return accepted > 0 && (count < 100 || accepted < count) ? 0 : 1;
}
