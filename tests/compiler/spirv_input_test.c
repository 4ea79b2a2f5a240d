/* The public interface: SPIR-V as an input. */
#include "api.h"

static struct qpucc_source module(const qpucc_program *from, enum qpucc_stage stage) {
    size_t words;
    const uint32_t *spirv = qpucc_program_spirv(from, stage, &words);
    ck_assert_ptr_nonnull(spirv);
    return (struct qpucc_source){"a.spv", spirv, words * 4, stage, QPUCC_SPIRV};
}

static bool has_same_code(const qpucc_program *a, const qpucc_program *b, enum qpucc_stage stage) {
    size_t m, n;
    const uint64_t *x = qpucc_program_code(a, stage, &m), *y = qpucc_program_code(b, stage, &n);
    return m == n && !memcmp(x, y, m * sizeof *x);
}

static void expect_same_code(const qpucc_program *a, const qpucc_program *b, enum qpucc_stage stage) {
    ck_assert(has_same_code(a, b, stage));
}

START_TEST(spirv_is_an_equal_input) {
    qpucc_program *g = compile_pair(
        "attribute vec4 a; varying vec3 v; uniform mat4 m; void main() { v = a.xyz; gl_Position = m * a; }",
        "precision highp float; varying vec3 v; uniform vec3 c; void main() { gl_FragColor = vec4(v * c, "
        "1.0); }",
        NULL);
    expect_ok(g);
    struct qpucc_source sources[2] = {module(g, QPUCC_VERTEX), module(g, QPUCC_FRAGMENT)};
    qpucc_program *s = qpucc_compile(sources, 2, NULL, NULL);
    expect_ok(s);
    for (int stage = 0; stage < QPUCC_STAGE_COUNT; stage++)
        expect_same_code(g, s, (enum qpucc_stage)stage);
    ck_assert_uint_eq(qpucc_program_uniform_bytes(g, QPUCC_UNIFORMS_PACKED),
                      qpucc_program_uniform_bytes(s, QPUCC_UNIFORMS_PACKED));
    ck_assert_ptr_nonnull(variable(s, QPUCC_UNIFORMS, "m"));
    qpucc_program_free(g);
    qpucc_program_free(s);
}
END_TEST

/* glslang makes structures of uniforms that `?:` chooses, or arrays of them, of types that do not agree. */
START_TEST(structures_of_uniforms_are_valid_spirv) {
    qpucc_program *g = compile_pair(
        NULL,
        "#version 330\nstruct C { mat2 m; vec2 a[2]; };"
        "struct L { vec3 d; C c[2]; float k; bool b; bvec2 v; };"
        "uniform L u[3]; uniform float f; uniform int i; out vec4 color; void main() {"
        "L l = f > 0.0 ? u[1] : u[2], m[2] = L[2](u[0], u[1]);"
        "color = vec4(l.d * l.k, l.c[1].a[1].y + l.c[0].m[1].x) * float(l.b && l.v.y || m[i].v.x); }",
        NULL);
    expect_ok(g);
    struct qpucc_source source = module(g, QPUCC_FRAGMENT);
    qpucc_program *s = qpucc_compile(&source, 1, NULL, NULL);
    expect_ok(s);
    expect_same_code(g, s, QPUCC_FRAGMENT);
    qpucc_program_free(g);
    qpucc_program_free(s);
}
END_TEST

START_TEST(spirv_interfaces_are_linked) {
    qpucc_program *a = compile_pair(
        "attribute vec4 a; varying vec2 v; uniform vec2 u; void main() { v = a.xy * u; gl_Position = a; }",
        NULL, NULL);
    qpucc_program *b = compile_pair(
        NULL, "precision highp float; varying vec3 v; void main() { gl_FragColor = v.xyzx; }", NULL);
    qpucc_program *c = compile_pair(
        NULL, "precision highp float; varying vec2 v, w; void main() { gl_FragColor = vec4(v, w); }", NULL);
    qpucc_program *d = compile_pair(
        NULL, "precision highp float; uniform vec3 u; void main() { gl_FragColor = u.xyzx; }", NULL);
    const qpucc_program *fragments[3] = {b, c, d};
    static const char *const messages[3] = {
        "'v' is vec2 in the vertex shader and vec3 in the fragment shader", "does not declare it",
        "'u' is vec2 in the vertex shader and vec3 in the fragment shader"};
    expect_ok(a);
    for (int i = 0; i < 3; i++) {
        expect_ok(fragments[i]);
        struct qpucc_source sources[2] = {module(a, QPUCC_VERTEX), module(fragments[i], QPUCC_FRAGMENT)};
        qpucc_program *p = qpucc_compile(sources, 2, NULL, NULL);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
        ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "link");
        ck_assert_msg(strstr(qpucc_program_diagnostic(p, 0)->text, messages[i]) != NULL, "%s",
                      qpucc_program_diagnostic(p, 0)->text);
        qpucc_program_free(p);
    }
    qpucc_program_free(a);
    qpucc_program_free(b);
    qpucc_program_free(c);
    qpucc_program_free(d);
}
END_TEST

/* States of the compatibility profile go by the names of its varyings, which a module gives by OpName. */
/* What the text says of a uniform and of an output is in the module, not only in what is known beside it. */
START_TEST(spirv_has_first_values) {
    static const char *const fragments[] = {
        "#version 330\nuniform vec3 w[2] = vec3[](vec3(1.0), vec3(2.0)); uniform bool t = true; uniform int "
        "n;\n"
        "out vec4 c; void main() { c = vec4(t, n, w[1].x, w[0].y); }",
        "#version 300 es\n#extension GL_EXT_shader_framebuffer_fetch : require\nprecision highp float;\n"
        "layout(location = 0) inout vec4 c; uniform vec4 k; void main() { c.xy = k.xy * c.w; }"};
    for (size_t i = 0; i < sizeof fragments / sizeof *fragments; i++) {
        struct qpucc_source text = {"a.frag", fragments[i], strlen(fragments[i]), QPUCC_FRAGMENT, QPUCC_GLSL};
        qpucc_program *g = qpucc_compile(&text, 1, NULL, NULL);
        expect_ok(g);
        struct qpucc_source again = module(g, QPUCC_FRAGMENT);
        qpucc_program *s = qpucc_compile(&again, 1, NULL, NULL);
        expect_ok(s);
        expect_same_code(g, s, QPUCC_FRAGMENT);
        const uint32_t *a = qpucc_program_uniform_initial(g), *b = qpucc_program_uniform_initial(s);
        ck_assert((a != NULL) == (i == 0) && (b != NULL) == (i == 0));
        ck_assert(!a || !memcmp(a, b, qpucc_program_uniform_bytes(g, QPUCC_UNIFORMS_PACKED)));
        qpucc_program_free(g);
        qpucc_program_free(s);
    }
}
END_TEST

/* Attributes that the language has itself do not lie on each other. */
START_TEST(spirv_has_places_for_attributes) {
    qpucc_program *g = compile_pair("#version 120\nattribute vec4 own; attribute mat2 m;\n"
                                    "void main() { gl_Position = gl_Vertex + own + gl_Color + "
                                    "gl_MultiTexCoord1 + m[1].xyxy; }",
                                    "#version 120\nvoid main() { gl_FragColor = vec4(1.0); }", NULL);
    expect_ok(g);
    struct qpucc_source vertex = module(g, QPUCC_VERTEX);
    const uint32_t *w = vertex.data;
    unsigned used = 0, count = 0;
    for (size_t i = 5; i < vertex.size / 4; i += w[i] >> 16)
        if ((w[i] & 0xffff) == 71 && w[i + 2] == 30) { /* OpDecorate, Location */
            ck_assert_msg(!(used >> w[i + 3] & 1), "location %u twice", w[i + 3]);
            used |= 1u << w[i + 3];
            count++;
        }
    ck_assert_uint_ge(count, 5);
    qpucc_program_free(g);
}
END_TEST

START_TEST(spirv_has_the_compatibility_profile) {
    static const struct qpucc_state states[] = {
        {0},
        {.two_sided = 1},
        {.flat_shade = 1},
        {.primitive = QPUCC_POINTS, .coord_replace = 2},
        {.fog = QPUCC_FOG_LINEAR, .fog_source = QPUCC_FOG_COORDINATE},
        {.clip_planes = 5},
    };
    qpucc_program
        *plain = NULL,
        *g = compile_pair(
            "#version 120\nvoid main() { gl_Position = ftransform(); gl_ClipVertex = gl_ModelViewMatrix * "
            "gl_Vertex;"
            "gl_FrontColor = gl_Color; gl_BackColor = gl_SecondaryColor; gl_FogFragCoord = gl_ClipVertex.z;"
            "gl_TexCoord[0] = gl_MultiTexCoord0; gl_TexCoord[1] = gl_MultiTexCoord1; gl_PointSize = 8.0; }",
            "#version 120\nuniform sampler2D t; void main() {"
            "gl_FragColor = gl_Color * texture2D(t, gl_TexCoord[0].xy) + gl_TexCoord[1]; }",
            NULL);
    expect_ok(g);
    struct qpucc_source sources[2] = {module(g, QPUCC_VERTEX), module(g, QPUCC_FRAGMENT)};
    qpucc_program *s = qpucc_compile(sources, 2, NULL, NULL);
    expect_ok(s);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        qpucc_program *expected = qpucc_variant(g, &states[i]), *made = qpucc_variant(s, &states[i]);
        expect_ok(expected);
        expect_ok(made);
        bool differs = false; /* from the code for the plain state */
        for (int stage = 0; stage < QPUCC_STAGE_COUNT; stage++) {
            expect_same_code(expected, made, (enum qpucc_stage)stage);
            differs |= plain && !has_same_code(plain, made, (enum qpucc_stage)stage);
        }
        const struct qpucc_layout *layout = qpucc_program_layout(made);
        ck_assert(!plain || differs || layout->flat_varyings != 0);
        ck_assert_uint_eq(layout->flat_varyings, qpucc_program_layout(expected)->flat_varyings);
        qpucc_program_free(expected);
        if (plain)
            qpucc_program_free(made);
        else
            plain = made;
    }
    qpucc_program_free(plain);
    qpucc_program_free(g);
    qpucc_program_free(s);
}
END_TEST

START_TEST(invalid_spirv) {
    qpucc_program *g = compile_pair(NULL, plain_fragment, NULL);
    size_t words;
    const uint32_t *good = qpucc_program_spirv(g, QPUCC_FRAGMENT, &words);
    uint32_t *bad = malloc(words * 4);
    expect_ok(g);
    for (size_t cut = 0; cut < words; cut += 3) { /* truncated at every third word */
        struct qpucc_source source = {"cut.spv", good, cut * 4, QPUCC_FRAGMENT, QPUCC_SPIRV};
        qpucc_program *p = qpucc_compile(&source, 1, NULL, NULL);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
        ck_assert_uint_ge(qpucc_program_diagnostic_count(p), 1);
        ck_assert_ptr_null(qpucc_program_code(p, QPUCC_FRAGMENT, NULL));
        qpucc_program_free(p);
    }
    for (size_t i = 0; i < words; i++) { /* one word wrong: refused or compiled, nothing else */
        memcpy(bad, good, words * 4);
        bad[i] ^= 0x00010001u << i % 15;
        struct qpucc_source source = {"flip.spv", bad, words * 4, QPUCC_FRAGMENT, QPUCC_SPIRV};
        qpucc_program *p = qpucc_compile(&source, 1, NULL, NULL);
        ck_assert_msg(qpucc_program_status(p) == QPUCC_OK || qpucc_program_status(p) == QPUCC_SOURCE_ERROR,
                      "word %zu: %s", i, qpucc_program_diagnostic(p, 0)->text);
        qpucc_program_free(p);
    }
    struct qpucc_source odd = {"odd.spv", good, words * 4 - 1, QPUCC_FRAGMENT, QPUCC_SPIRV};
    qpucc_program *p = qpucc_compile(&odd, 1, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, 0);
    ck_assert_str_eq(d->file, "odd.spv");
    ck_assert_uint_eq(d->line, 0);
    ck_assert_uint_eq(d->column, 0);
    qpucc_program_free(p);
    free(bad);
    qpucc_program_free(g);
}
END_TEST

/* A fragment shader without an origin is what only the validator refuses. */
static size_t without_origin(const uint32_t *from, size_t words, uint32_t *to) {
    size_t count = 5;
    memcpy(to, from, 5 * sizeof *to);
    for (size_t i = 5, length; i < words; i += length) {
        length = from[i] >> 16;
        bool origin =
            (from[i] & 0xffff) == 16 /* OpExecutionMode */ && (from[i + 2] == 7 || from[i + 2] == 8);
        memcpy(to + count, from + i, origin ? 0 : length * sizeof *to);
        count += origin ? 0 : length;
    }
    return count;
}

START_TEST(a_driver_vouches_for_its_spirv) {
    qpucc_program *g = compile_pair(NULL, plain_fragment, NULL);
    size_t words;
    const uint32_t *good = qpucc_program_spirv(g, QPUCC_FRAGMENT, &words);
    uint32_t *bad = malloc(words * 4);
    size_t left = without_origin(good, words, bad);
    ck_assert_uint_lt(left, words);
    struct qpucc_source source = {"driver.spv", bad, left * 4, QPUCC_FRAGMENT, QPUCC_SPIRV};
    qpucc_program *p = qpucc_compile(&source, 1, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    qpucc_program_free(p);
    struct qpucc_options options = qpucc_options_default();
    options.flags |= QPUCC_VALID_SPIRV;
    expect_ok(p = qpucc_compile(&source, 1, NULL, &options));
    expect_same_code(g, p, QPUCC_FRAGMENT);
    qpucc_program_free(p);
    source.size -= 4; /* what we cannot parse is refused all the same */
    p = qpucc_compile(&source, 1, NULL, &options);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    qpucc_program_free(p);
    free(bad);
    qpucc_program_free(g);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {spirv_is_an_equal_input,
                                  structures_of_uniforms_are_valid_spirv,
                                  spirv_interfaces_are_linked,
                                  spirv_has_the_compatibility_profile,
                                  spirv_has_first_values,
                                  spirv_has_places_for_attributes,
                                  invalid_spirv,
                                  a_driver_vouches_for_its_spirv};
    return run_tests("api_spirv", tests, sizeof tests / sizeof *tests);
}
