/* The public interface: what GL's queries want to know of variables, of a program that was compiled, loaded,
 * or is a variant. */
#include "api.h"

static const char vertex[] =
    "#version 330\nin vec4 p; in vec2 unread; in mat3 m; in float a[1]; out vec2 v;\n"
    "uniform vec2 both[1];\n"
    "void main() { gl_Position = p + a[0] + m[1].y; v = both[0] + m[0].xy; }\n";
static const char fragment[] =
    "#version 330\n"
    "struct S { vec2 x; float y; };\n"
    "layout(std140) uniform B { float f; vec3 v3; mat2 m; float c[1]; S s[2]; };\n"
    "layout(std140) uniform C { layout(row_major) mat3x2 r; float z; } one;\n"
    "uniform sampler2D t2[1]; uniform sampler2DShadow sh; uniform sampler2DRect re;\n"
    "uniform sampler2DRectShadow rs; uniform samplerCube cu; uniform sampler1D t1; uniform vec2 both[1];\n"
    "uniform bool yes; uniform ivec3 i3; uniform uvec2 u2; uniform mat4x2 m42; in vec2 v; out vec4 o;\n"
    "void main() { o = texture(t2[0], v) + texture(re, v) + texture(cu, vec3(v, 1.0)) + texture(t1, v.x)\n"
    "  + texture(sh, vec3(v, 0.5)) + texture(rs, vec3(v, 0.5)) + f + v3.x + m[1].y + c[0] + s[1].y + "
    "s[0].x.x\n"
    "  + one.r[2].y + one.z + both[0].x + float(yes) + float(i3.z) + float(u2.y) + m42[3].y; }\n";

struct row {
    enum qpucc_interface which;
    const char *name, *gl_name, *type;
    uint32_t gl_type, size;
    const char *block;
    uint32_t offset, array_stride, matrix_stride;
    bool row_major;
};

/* OpenGL's numbers (its header glcorearb.h); offsets by the rules of std140. */
static const struct row rows[] = {
    {QPUCC_ATTRIBUTES, "p", "p", "float", 0x8b52, 1, NULL, 0, 0, 0, false},
    {QPUCC_ATTRIBUTES, "m", "m", "float", 0x8b5b, 1, NULL, 0, 0, 0, false},
    {QPUCC_ATTRIBUTES, "a", "a[0]", "float", 0x1406, 1, NULL, 0, 0, 0, false},
    {QPUCC_UNIFORMS, "both", "both[0]", "float", 0x8b50, 1, NULL, 0, 0, 0, false},
    {QPUCC_UNIFORMS, "f", "f", "float", 0x1406, 1, "B", 0, 0, 0, false},
    {QPUCC_UNIFORMS, "v3", "v3", "float", 0x8b51, 1, "B", 16, 0, 0, false},
    {QPUCC_UNIFORMS, "m", "m", "float", 0x8b5a, 1, "B", 32, 0, 16, false},
    {QPUCC_UNIFORMS, "c", "c[0]", "float", 0x1406, 1, "B", 64, 16, 0, false},
    {QPUCC_UNIFORMS, "s[0].x", "s[0].x", "float", 0x8b50, 1, "B", 80, 0, 0, false},
    {QPUCC_UNIFORMS, "s[1].x", "s[1].x", "float", 0x8b50, 1, "B", 96, 0, 0, false},
    {QPUCC_UNIFORMS, "s[1].y", "s[1].y", "float", 0x1406, 1, "B", 104, 0, 0, false},
    {QPUCC_UNIFORMS, "C.r", "C.r", "float", 0x8b67, 1, "C", 0, 0, 16, true},
    {QPUCC_UNIFORMS, "C.z", "C.z", "float", 0x1406, 1, "C", 32, 0, 0, false},
    {QPUCC_UNIFORMS, "yes", "yes", "bool", 0x8b56, 1, NULL, 0, 0, 0, false},
    {QPUCC_UNIFORMS, "i3", "i3", "int", 0x8b54, 1, NULL, 0, 0, 0, false},
    {QPUCC_UNIFORMS, "u2", "u2", "uint", 0x8dc6, 1, NULL, 0, 0, 0, false},
    {QPUCC_UNIFORMS, "m42", "m42", "float", 0x8b69, 1, NULL, 0, 0, 0, false},
    {QPUCC_SAMPLERS, "t2", "t2[0]", "sampler2D", 0x8b5e, 1, NULL, 0, 0, 0, false},
    {QPUCC_SAMPLERS, "sh", "sh", "sampler2DShadow", 0x8b62, 1, NULL, 0, 0, 0, false},
    {QPUCC_SAMPLERS, "re", "re", "sampler2DRect", 0x8b63, 1, NULL, 0, 0, 0, false},
    {QPUCC_SAMPLERS, "rs", "rs", "sampler2DRectShadow", 0x8b64, 1, NULL, 0, 0, 0, false},
    {QPUCC_SAMPLERS, "cu", "cu", "samplerCube", 0x8b60, 1, NULL, 0, 0, 0, false},
    {QPUCC_SAMPLERS, "t1", "t1", "sampler1D", 0x8b5d, 1, NULL, 0, 0, 0, false},
};

static void expect_rows(const qpucc_program *p) {
    expect_ok(p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        const struct qpucc_variable *v = variable(p, row->which, row->name);
        char name[40];
        ck_assert_msg(v != NULL, "%s is missing", row->name);
        ck_assert_uint_eq(qpucc_variable_gl_name(v, name, sizeof name), strlen(row->gl_name));
        ck_assert_str_eq(name, row->gl_name);
        ck_assert_str_eq(qpucc_base_type_name(v->base), row->type);
        ck_assert_uint_eq(qpucc_variable_gl_type(v), row->gl_type);
        ck_assert_uint_eq(v->array_length, row->size);
        ck_assert(row->block ? v->block && !strcmp(v->block, row->block) : !v->block);
        ck_assert_msg(v->block_offset == row->offset && v->block_array_stride == row->array_stride &&
                          v->block_matrix_stride == row->matrix_stride &&
                          v->block_row_major == row->row_major,
                      "%s: offset %u, strides %u and %u", row->name, v->block_offset, v->block_array_stride,
                      v->block_matrix_stride);
    }
    ck_assert_ptr_null(variable(p, QPUCC_ATTRIBUTES, "unread"));
}

START_TEST(variables_have_what_queries_want) {
    qpucc_program *p = compile_pair(vertex, fragment, NULL);
    expect_rows(p);
    const struct qpucc_state state = {.flip_y = 1, .blend = {.enable = 1}};
    qpucc_program *variant = qpucc_variant(p, &state);
    expect_rows(variant);
    size_t size = qpucc_program_save(p, QPUCC_SAVE_IR, NULL, 0);
    void *bytes = malloc(size);
    ck_assert_uint_eq(qpucc_program_save(p, QPUCC_SAVE_IR, bytes, size), size);
    qpucc_program *loaded = qpucc_program_load(bytes, size);
    free(bytes);
    expect_rows(loaded);
    qpucc_program *of_loaded = qpucc_variant(loaded, &state);
    expect_rows(of_loaded);
    qpucc_program_free(of_loaded);
    qpucc_program_free(loaded);
    qpucc_program_free(variant);
    qpucc_program_free(p);
}
END_TEST

START_TEST(external_samplers) {
    static const char *const texts[] = {
        "#extension GL_OES_EGL_image_external : require\nprecision mediump float; varying vec2 v;\n"
        "uniform samplerExternalOES e; uniform sampler2D s;\n"
        "void main() { gl_FragColor = texture2D(e, v) + texture2D(s, v); }\n",
        "#version 300 es\n#extension GL_OES_EGL_image_external_essl3 : require\nprecision mediump float;\n"
        "in vec2 v; out vec4 c; uniform samplerExternalOES e; uniform sampler2D s;\n"
        "void main() { c = texture(e, v) + texture(s, v); }\n"};
    for (int i = 0; i < 2; i++) {
        qpucc_program *p = compile_pair(NULL, texts[i], NULL);
        expect_ok(p);
        const struct qpucc_variable *e = variable(p, QPUCC_SAMPLERS, "e"),
                                    *s = variable(p, QPUCC_SAMPLERS, "s");
        ck_assert_int_eq(e->base, QPUCC_SAMPLER_EXTERNAL);
        ck_assert_uint_eq(qpucc_variable_gl_type(e), 0x8d66);
        ck_assert_int_eq(s->base, QPUCC_SAMPLER2D);
        qpucc_program_free(p);
    }
    ck_assert_ptr_null(qpucc_base_type_name(QPUCC_BASE_TYPE_COUNT));
}
END_TEST

/* An array of one element has an array's place. */
START_TEST(arrays_of_one) {
    qpucc_program *p = compile_pair(NULL,
                                    "precision highp float; uniform float a, b[1], c; void main() { "
                                    "gl_FragColor = vec4(a, b[0], c, 1); }\n",
                                    NULL);
    static const uint32_t offsets[] = {0, 16, 32};
    expect_ok(p);
    for (size_t i = 0; i < 3; i++) {
        struct qpucc_uniform_place place;
        ck_assert(qpucc_program_uniform_place(p, QPUCC_UNIFORMS_STD140, i, &place));
        ck_assert_uint_eq(place.offset, offsets[i]);
        ck_assert_uint_eq(place.array_stride, i == 1 ? 16 : 0);
    }
    qpucc_program_free(p);
}
END_TEST

/* --- what variants keep --------------------------------------------------------------------------------- */

static void expect_same_table(const qpucc_program *a, const qpucc_program *b, enum qpucc_interface which) {
    ck_assert_uint_eq(qpucc_program_variable_count(a, which), qpucc_program_variable_count(b, which));
    for (size_t i = 0; i < qpucc_program_variable_count(a, which); i++) {
        const struct qpucc_variable *x = qpucc_program_variable(a, which, i),
                                    *y = qpucc_program_variable(b, which, i);
        ck_assert_str_eq(x->name, y->name);
        ck_assert_uint_eq(x->word, y->word);
        struct qpucc_uniform_place p, q;
        for (int layout = 0; which == QPUCC_UNIFORMS && layout < 2; layout++) {
            ck_assert(qpucc_program_uniform_place(a, (enum qpucc_uniform_layout)layout, i, &p));
            ck_assert(qpucc_program_uniform_place(b, (enum qpucc_uniform_layout)layout, i, &q));
            ck_assert(!memcmp(&p, &q, sizeof p));
        }
    }
}

START_TEST(variants_share_the_numbering) {
    const struct qpucc_state states[] = {
        {.primitive = QPUCC_POINTS},
        {.flip_y = 1,
         .depth_test = 1,
         .texture = {{.format = QPUCC_TEX_BGRA}, {.compare = QPUCC_COMPARE_NEVER}}},
        {.attribute = {{.type = QPUCC_ATTR_UBYTE, .normalized = 1, .components = 4},
                       {.type = QPUCC_ATTR_HALF}}},
        {.blend = {1, 0, QPUCC_FACTOR_ZERO, QPUCC_FACTOR_ONE, 0, QPUCC_FACTOR_ZERO, QPUCC_FACTOR_ONE}},
        {.alpha_func = QPUCC_NEVER},
    };
    qpucc_program *p = compile_pair(vertex, fragment, NULL);
    expect_ok(p);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        qpucc_program *v = qpucc_variant(p, &states[i]);
        expect_ok(v);
        for (int t = 0; t <= QPUCC_ATTRIBUTES; t++)
            expect_same_table(p, v, (enum qpucc_interface)t);
        const struct qpucc_layout *layout = qpucc_program_layout(v), *first = qpucc_program_layout(p);
        for (uint32_t k = 0; k < layout->attribute_count; k++)
            for (uint32_t n = 0; n < first->attribute_count; n++)
                if (layout->attributes[k].variable == first->attributes[n].variable &&
                    layout->attributes[k].column == first->attributes[n].column)
                    ck_assert_uint_eq(layout->attributes[k].number, first->attributes[n].number);
        qpucc_program_free(v);
    }
    qpucc_program_free(p);
}
END_TEST

START_TEST(absent_stages_count_nothing) {
    qpucc_program *p = compile_pair(NULL, plain_fragment, NULL);
    expect_ok(p);
    for (int s = 0; s <= QPUCC_STAGE_COUNT; s++) {
        size_t count = 99, words = 99;
        bool there = s == QPUCC_FRAGMENT;
        ck_assert((qpucc_program_code(p, (enum qpucc_stage)s, &count) != NULL) == there);
        ck_assert((qpucc_program_spirv(p, (enum qpucc_stage)s, &words) != NULL) == there);
        ck_assert(there ? count && words : !count && !words);
        ck_assert((qpucc_program_stats(p, (enum qpucc_stage)s) != NULL) == there);
        ck_assert((qpucc_program_lines(p, (enum qpucc_stage)s) != NULL) == there);
    }
    qpucc_program_free(p);
}
END_TEST

START_TEST(missing_outputs_are_an_error) {
    qpucc_program *p = compile_pair(plain_vertex, plain_fragment, NULL);
    uint32_t words[QPUCC_STAGE_COUNT][64], uniforms[4] = {1, 2, 3, 4};
    const struct qpucc_draw_values values = {.uniforms = uniforms};
    expect_ok(p);
    for (int missing = 0; missing <= QPUCC_STAGE_COUNT; missing++) {
        uint32_t *out[QPUCC_STAGE_COUNT];
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
            out[s] = s == missing ? NULL : words[s];
        memset(words, 0xff, sizeof words);
        ck_assert(qpucc_uniforms_fill_all(p, &values, out) == (missing == QPUCC_STAGE_COUNT));
        for (int s = 0; s < QPUCC_STAGE_COUNT && missing < QPUCC_STAGE_COUNT; s++)
            for (size_t i = 0; out[s] && i < qpucc_uniforms_size(p, (enum qpucc_stage)s); i++)
                ck_assert_uint_eq(words[s][i], 0);
    }
    ck_assert(!qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &values, NULL));
    qpucc_program_free(p);
    /* a stage that is absent needs none */
    p = compile_pair(NULL, plain_fragment, NULL);
    uint32_t *const only[QPUCC_STAGE_COUNT] = {[QPUCC_FRAGMENT] = words[0]};
    ck_assert(qpucc_uniforms_fill_all(p, &values, only));
    qpucc_program_free(p);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {
        variables_have_what_queries_want, external_samplers,           arrays_of_one,
        variants_share_the_numbering,     absent_stages_count_nothing, missing_outputs_are_an_error};
    return run_tests("reflection", tests, sizeof tests / sizeof *tests);
}
