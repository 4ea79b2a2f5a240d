/* glsl_test.c: the GLSL front end through its public interface: diagnostics and their places, limits,
 * linking, and what the SPIR-V carries. */
#include "frontend/essl100/essl100.h"
#include "tests/frontend/glsl_results.h"

#include <pthread.h>
#include <spirv/unified1/spirv.h>

/* --- diagnostics ---------------------------------------------------------------------------------------- */

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

/* --- limits --------------------------------------------------------------------------------------------- */

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
    expect_error(pair(VERTEX, HEAD "varying vec2 uv[1]; void main() { gl_FragColor = uv[0].xyxy; }\n"),
                 "varying 'uv' has type vec2[1] here and vec2 in the vertex shader");
    expect_error(pair("#version 300 es\nuniform vec4[2] k; void main() { gl_Position = k[1]; }\n",
                      "#version 300 es\nuniform highp vec4 k; out highp vec4 c; void main() { c = k; }\n"),
                 "uniform 'k' has type vec4 here and vec4[2] in the vertex shader");
    expect_error(pair("#version 300 es\nuniform struct S { float a; }[2] s;\n"
                      "void main() { gl_Position = vec4(s[1].a); }\n",
                      "#version 300 es\nuniform struct S { mediump float a; }[2] s; out highp vec4 c;\n"
                      "void main() { c = vec4(s[1].a); }\n"),
                 "uniform 's': struct S is not the same in both shaders: member 'a' is highp in the");
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

/* --- the module ----------------------------------------------------------------------------------------- */

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
    static const char *const uniforms[] = {"texture", "buffer", "image"}; /* of different order in glslang */
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

static unsigned relaxed(const char *precision) {
    char text[256];
    snprintf(text, sizeof text,
             "precision %s float; void main() { gl_FragColor = vec4(fract(gl_FragCoord.x * 0.37 + 5.0)); }",
             precision);
    struct fe_source source = {NULL, text, strlen(text), QPUCC_FRAGMENT, NULL};
    struct fe_glsl_result *r = fe_glsl_compile(&source, 1, NULL);
    ck_assert(r && r->ok);
    const uint32_t *w = r->stages[0].spirv;
    unsigned count = 0;
    for (size_t i = 5, length; i < r->stages[0].spirv_words && (length = w[i] >> 16); i += length)
        count += (w[i] & 0xffff) == SpvOpDecorate && w[i + 2] == SpvDecorationRelaxedPrecision;
    fe_glsl_result_free(r);
    return count;
}

/* gl_FragCoord is mediump in ES 1.00: an expression of it alone is what the shader's floats are. */
START_TEST(coordinates_are_as_precise_as_floats) {
    ck_assert_uint_le(relaxed("highp"), 2); /* gl_FragColor, and what is made for it */
    ck_assert_uint_ge(relaxed("mediump"), 4);
}
END_TEST

START_TEST(words_are_found) {
    struct run run = {0};
    ck_assert(run_begin(&run, NULL));
    static const char *const known[] = {
        "abs",   "attribute", "dFdx",           "gl_FragData", "gl_Position",       "textureCubeLodEXT",
        "while", "vec4",      "matrixCompMult", "not",         "samplerExternalOES"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(essl_word(run_name_z(&run, known[i])) != WORD_USER, "%s", known[i]);
    static const char *const known300[] = {"acosh",  "uvec4",          "usamplerCube", "texture",
                                           "flat",   "floatBitsToInt", "switch",       "vec4",
                                           "layout", "inverse",        "gl_VertexID",  "gl_FragDepth"};
    for (size_t i = 0; i < sizeof known300 / sizeof *known300; i++)
        ck_assert_msg(essl300_word(run_name_z(&run, known300[i])) != WORD_USER, "%s", known300[i]);
    ck_assert_int_eq(essl300_word(run_name_z(&run, "attribute")), WORD_USER);
    ck_assert_int_eq(essl_word(run_name_z(&run, "xyzw")), WORD_SWIZZLE);
    ck_assert_int_eq(essl_word(run_name_z(&run, "xr")), WORD_USER);
    ck_assert_int_eq(essl_word(run_name_z(&run, "texture")), WORD_USER);
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
    const struct glsl_case cases[] = {
        {"places", places_are_the_users},
        {"every error", every_error_is_shown},
        {"precision", missing_precision_is_one_error_with_advice},
        {"versions", versions},
        {"rules", rules},
        {"room for errors", warnings_leave_room_for_errors},
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
        {"coordinates", coordinates_are_as_precise_as_floats},
        {"threads", threads},
    };
    return run_cases("glsl", cases, sizeof cases / sizeof *cases);
}
