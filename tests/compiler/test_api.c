/* Unit tests of the public interface: what comes back from a compile, for good and for bad sources. */
#include <qpucc/qpucc.h>

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct qpucc_source glsl(enum qpucc_stage stage, const char *text) {
    return (struct qpucc_source){stage == QPUCC_FRAGMENT ? "a.frag" : "a.vert", text, strlen(text), stage,
                                 QPUCC_GLSL};
}

static qpucc_program *compile_with(const char *vertex, const char *fragment, const struct qpucc_state *state,
                                   const struct qpucc_options *options) {
    struct qpucc_source sources[2];
    size_t count = 0;
    if (vertex)
        sources[count++] = glsl(QPUCC_VERTEX, vertex);
    if (fragment)
        sources[count++] = glsl(QPUCC_FRAGMENT, fragment);
    return qpucc_compile(sources, count, state, options);
}

static qpucc_program *compile_pair(const char *vertex, const char *fragment,
                                   const struct qpucc_state *state) {
    return compile_with(vertex, fragment, state, NULL);
}

static void expect_ok(const qpucc_program *program) {
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
    ck_assert_msg(qpucc_program_status(program) == QPUCC_OK, "%s:%u: %s", d ? d->file : "", d ? d->line : 0,
                  d ? d->text : "no diagnostic");
}

static const struct qpucc_variable *variable(const qpucc_program *program, enum qpucc_interface which,
                                             const char *name) {
    for (size_t i = 0; i < qpucc_program_variable_count(program, which); i++)
        if (!strcmp(qpucc_program_variable(program, which, i)->name, name))
            return qpucc_program_variable(program, which, i);
    return NULL;
}

static float as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

static uint32_t as_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* Index of the stream word with this text, or -1. */
static int word_called(const qpucc_program *program, enum qpucc_stage stage, const char *text) {
    for (size_t i = 0; i < qpucc_uniforms_size(program, stage); i++)
        if (!strcmp(qpucc_uniform_text(program, stage, i), text))
            return (int)i;
    return -1;
}

static const char plain_vertex[] = "attribute vec4 a_position;\n"
                                   "void main() { gl_Position = a_position; }\n";
static const char plain_fragment[] = "precision mediump float;\n"
                                     "uniform vec4 u_color;\n"
                                     "void main() { gl_FragColor = u_color; }\n";

/* --- what a good compile has ---------------------------------------------------------------------------- */

START_TEST(stages_and_statistics) {
    qpucc_program *p = compile_pair(plain_vertex, plain_fragment, NULL);
    expect_ok(p);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count;
        const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)s, &count);
        const struct qpucc_stage_stats *stats = qpucc_program_stats(p, (enum qpucc_stage)s);
        ck_assert_ptr_nonnull(code);
        ck_assert_ptr_nonnull(stats);
        ck_assert_uint_eq(stats->instructions, count);
        ck_assert_uint_eq(stats->uniforms, qpucc_uniforms_size(p, (enum qpucc_stage)s));
        ck_assert_uint_le(stats->lower_bound, stats->instructions);
        ck_assert_uint_ge(stats->cycles, stats->lower_bound);
        ck_assert_uint_eq(stats->threads, 1);
        ck_assert_uint_eq(qpucc_check(code, count, (enum qpucc_stage)s, false, true, NULL, 0), 0);
        ck_assert_ptr_nonnull(qpucc_program_lines(p, (enum qpucc_stage)s));
    }
    ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 0);
    ck_assert(!(qpucc_program_layout(p)->flags & QPUCC_POINT_SIZE));
    ck_assert_ptr_null(qpucc_program_ir(p, QPUCC_FRAGMENT)); /* only on request */
    qpucc_program_free(p);
}
END_TEST

START_TEST(one_stage_alone) {
    qpucc_program *f = compile_pair(NULL, plain_fragment, NULL), *v = compile_pair(plain_vertex, NULL, NULL);
    expect_ok(f);
    expect_ok(v);
    ck_assert_ptr_nonnull(qpucc_program_code(f, QPUCC_FRAGMENT, NULL));
    ck_assert_ptr_null(qpucc_program_code(f, QPUCC_VERTEX, NULL));
    ck_assert_ptr_null(qpucc_program_stats(f, QPUCC_COORDINATE));
    ck_assert_ptr_null(qpucc_program_code(v, QPUCC_FRAGMENT, NULL));
    ck_assert_ptr_nonnull(qpucc_program_code(v, QPUCC_COORDINATE, NULL));
    qpucc_program_free(f);
    qpucc_program_free(v);
}
END_TEST

START_TEST(uniform_storage_is_one_for_both_stages) {
    struct qpucc_options options = qpucc_options_default();
    options.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS;
    qpucc_program *p =
        compile_with("attribute vec4 a;\n"
                     "uniform mat3 u_m; uniform float u_shared; uniform vec2 u_list[2];\n"
                     "void main() { gl_Position = vec4(u_m * a.xyz, u_shared) + u_list[1].xyxy; }\n",
                     "precision highp float;\n"
                     "uniform float u_shared; uniform vec3 u_only; uniform bool u_flag;\n"
                     "void main() { gl_FragColor = vec4(u_only, u_flag ? u_shared : 0.0); }\n",
                     NULL, &options);
    expect_ok(p);
    const struct qpucc_variable *m = variable(p, QPUCC_UNIFORMS, "u_m"),
                                *s = variable(p, QPUCC_UNIFORMS, "u_shared"),
                                *l = variable(p, QPUCC_UNIFORMS, "u_list"),
                                *o = variable(p, QPUCC_UNIFORMS, "u_only"),
                                *f = variable(p, QPUCC_UNIFORMS, "u_flag");
    ck_assert(m && s && l && o && f);
    ck_assert_uint_eq(qpucc_program_uniform_bytes(p, QPUCC_UNIFORMS_PACKED) / 4, 9 + 1 + 4 + 3 + 1);
    ck_assert_uint_eq(m->rows, 3);
    ck_assert_uint_eq(m->cols, 3);
    ck_assert_uint_eq(l->array_length, 2);
    ck_assert_int_eq(f->base, QPUCC_BOOL);
    uint32_t storage[18], stream[64];
    for (unsigned i = 0; i < 18; i++)
        storage[i] = as_bits(100.0f + (float)i);
    struct qpucc_draw_values values = {.uniforms = storage};
    qpucc_draw_state_viewport(&values.state, 320, 240, 0, 1, 240, false);
    ck_assert_uint_le(qpucc_uniforms_size(p, QPUCC_FRAGMENT), 64);
    ck_assert(qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &values, stream));
    int at = word_called(p, QPUCC_FRAGMENT, "u_only.y");
    ck_assert_int_ge(at, 0);
    ck_assert_float_eq(as_float(stream[at]), 100.0f + (float)o->word + 1);
    ck_assert_uint_le(qpucc_uniforms_size(p, QPUCC_VERTEX), 64);
    ck_assert(qpucc_uniforms_fill(p, QPUCC_VERTEX, &values, stream));
    at = word_called(p, QPUCC_VERTEX, "u_m[1].z"); /* column 1, row 2 */
    ck_assert_int_ge(at, 0);
    ck_assert_float_eq(as_float(stream[at]), 100.0f + (float)m->word + 5);
    at = word_called(p, QPUCC_VERTEX, "u_list[1].x");
    ck_assert_int_ge(at, 0);
    ck_assert_float_eq(as_float(stream[at]), 100.0f + (float)l->word + 2);
    qpucc_program_free(p);
}
END_TEST

/* What depends on uniforms alone is worked out once a draw, to nearest; switched off, it stays in the shader.
 */
START_TEST(uniform_expressions) {
    static const char fragment[] =
        "precision highp float; uniform float u_a, u_b; uniform sampler2D s; varying vec2 v;\n"
        "void main() { gl_FragColor = texture2D(s, v) * (sqrt(u_a) + u_b * u_b * 0.25); }\n";
    static const char vertex[] =
        "attribute vec4 a; varying vec2 v; void main() { v = a.zw; gl_Position = a; }";
    struct qpucc_options plain = qpucc_options_default();
    plain.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS;
    qpucc_program *p = compile_pair(vertex, fragment, NULL),
                  *q = compile_with(vertex, fragment, NULL, &plain);
    expect_ok(p);
    expect_ok(q);
    uint32_t storage[2], stream[64];
    storage[variable(p, QPUCC_UNIFORMS, "u_a")->word] = as_bits(9);
    storage[variable(p, QPUCC_UNIFORMS, "u_b")->word] = as_bits(6);
    uint32_t textures[QPUCC_MAX_TEXTURES][4] = {{0}};
    struct qpucc_draw_values values = {.uniforms = storage, .textures = (const uint32_t(*)[4])textures};
    ck_assert(qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &values, stream));
    bool found = false;
    for (size_t i = 0; i < qpucc_uniforms_size(p, QPUCC_FRAGMENT); i++)
        found |= as_float(stream[i]) == 12; /* 3 + 36 / 4 */
    ck_assert(found);
    ck_assert_uint_lt(qpucc_program_stats(p, QPUCC_FRAGMENT)->instructions,
                      qpucc_program_stats(q, QPUCC_FRAGMENT)->instructions);
    ck_assert_int_eq(qpucc_program_stats(p, QPUCC_FRAGMENT)->sfu, 0);
    ck_assert_int_gt(qpucc_program_stats(q, QPUCC_FRAGMENT)->sfu, 0);
    ck_assert_int_ge(word_called(q, QPUCC_FRAGMENT, "u_a"), 0);
    qpucc_program_free(p);
    qpucc_program_free(q);
}
END_TEST

/* A constant is shown as what it most likely is: a float where its size is that of one, bits otherwise. */
START_TEST(constants_have_texts) {
    qpucc_program *p = compile_pair(
        NULL,
        "#version 300 es\nprecision highp float; precision highp int;\nflat in ivec4 i; out vec4 color;\n"
        "void main() { color = vec4(i ^ ivec4(0x12345678, 0x42283000, 50000, 0x7fffffff)) * 1234.5; }\n",
        NULL);
    expect_ok(p);
    ck_assert_int_ge(word_called(p, QPUCC_FRAGMENT, "0x12345678"), 0); /* 5.7e-28 */
    ck_assert_int_ge(word_called(p, QPUCC_FRAGMENT, "0x42283000 (42.046875)"), 0);
    ck_assert_int_ge(word_called(p, QPUCC_FRAGMENT, "50000"), 0);
    ck_assert_int_ge(word_called(p, QPUCC_FRAGMENT, "0x7fffffff"), 0);
    qpucc_program_free(p);
}
END_TEST

START_TEST(viewport_reaches_the_stream) {
    qpucc_program *p = compile_pair(plain_vertex, plain_fragment, NULL);
    struct qpucc_state state = {.flip_y = true};
    qpucc_program *flipped = compile_pair(plain_vertex, plain_fragment, &state);
    uint32_t storage[4] = {0}, stream[64];
    struct qpucc_draw_values values = {.uniforms = storage};
    qpucc_draw_state_viewport(&values.state, 320, 240, 0.25f, 0.75f, 240, false);
    expect_ok(p);
    expect_ok(flipped);
    ck_assert(qpucc_uniforms_fill(p, QPUCC_COORDINATE, &values, stream));
    /* half the size in 1/16 pixels: the screen's numbers are 12.4 (guide section 9, figure 12) */
    ck_assert_float_eq(as_float(stream[word_called(p, QPUCC_COORDINATE, "viewport.x_scale")]), 2560);
    ck_assert_float_eq(as_float(stream[word_called(p, QPUCC_COORDINATE, "viewport.y_scale")]), 1920);
    ck_assert_float_eq(as_float(stream[word_called(p, QPUCC_COORDINATE, "viewport.z_offset")]), 0.5f);
    qpucc_draw_state_viewport(&values.state, 320, 240, 0.25f, 0.75f, 240, true);
    ck_assert(qpucc_uniforms_fill(flipped, QPUCC_COORDINATE, &values, stream));
    ck_assert_float_eq(as_float(stream[word_called(flipped, QPUCC_COORDINATE, "viewport.y_scale")]), -1920);
    qpucc_program_free(p);
    qpucc_program_free(flipped);
}
END_TEST

/* A stream that asks for what the caller has not got is refused and zero; one that does not ask is filled. */
START_TEST(missing_values_are_refused) {
    qpucc_program *p = compile_pair(plain_vertex,
                                    "precision mediump float; uniform float u; uniform sampler2D s;\n"
                                    "void main() { gl_FragColor = texture2D(s, vec2(u)) * sqrt(u); }\n",
                                    NULL);
    expect_ok(p);
    uint32_t storage[1] = {as_bits(4)}, textures[QPUCC_MAX_TEXTURES][4] = {{7, 7, 7, 7}}, stream[64];
    size_t size = qpucc_uniforms_size(p, QPUCC_FRAGMENT);
    struct qpucc_draw_values none = {0}, uniforms = {.uniforms = storage},
                             both = {.uniforms = storage, .textures = (const uint32_t(*)[4])textures};
    ck_assert(qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &both, stream));
    ck_assert(!qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &uniforms, stream));
    for (size_t i = 0; i < size; i++)
        ck_assert_uint_eq(stream[i], 0);
    ck_assert(!qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &none, stream));
    ck_assert(qpucc_uniforms_fill(p, QPUCC_COORDINATE, &none, stream));
    ck_assert(!qpucc_uniforms_fill(p, QPUCC_STAGE_COUNT, &both, stream));
    qpucc_program_free(p);
}
END_TEST

START_TEST(samplers_get_units) {
    qpucc_program *p =
        compile_pair("attribute vec4 a; varying vec2 v; void main() { v = a.zw; gl_Position = a; }",
                     "precision mediump float; varying vec2 v; uniform sampler2D u_a, u_b[2];\n"
                     "void main() { gl_FragColor = texture2D(u_a, v) * texture2D(u_b[1], v); }\n",
                     NULL);
    expect_ok(p);
    const struct qpucc_variable *a = variable(p, QPUCC_SAMPLERS, "u_a"),
                                *b = variable(p, QPUCC_SAMPLERS, "u_b");
    ck_assert(a && b);
    ck_assert_uint_eq(b->array_length, 2);
    ck_assert_uint_ne(a->word, b->word);
    uint32_t textures[QPUCC_MAX_TEXTURES][4] = {{0}}, stream[64];
    for (uint32_t i = 0; i < QPUCC_MAX_TEXTURES; i++)
        for (uint32_t k = 0; k < 4; k++)
            textures[i][k] = i * 16 + k;
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])textures};
    ck_assert(qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &values, stream));
    int at = word_called(p, QPUCC_FRAGMENT, "u_b[1].p1");
    ck_assert_int_ge(at, 0);
    ck_assert_uint_eq(stream[at], (b->word + 1) * 16 + 1);
    ck_assert_uint_eq(qpucc_program_stats(p, QPUCC_FRAGMENT)->tmu, 2);
    ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 2);
    qpucc_program_free(p);
}
END_TEST

START_TEST(attributes_and_record) {
    qpucc_program *p =
        compile_pair("attribute vec3 a_position; attribute vec2 a_unused, a_texcoord; attribute mat2 a_m;\n"
                     "varying vec2 v;\n"
                     "void main() { v = a_m * a_texcoord; gl_Position = vec4(a_position, 1.0); }\n",
                     "precision mediump float; varying vec2 v; void main() { gl_FragColor = v.xyxy; }", NULL);
    expect_ok(p);
    const struct qpucc_layout *layout = qpucc_program_layout(p);
    size_t count = layout->attribute_count;
    ck_assert_uint_eq(count, 4); /* position, texcoord, two columns */
    unsigned vertex_words = 0, coordinate_words = 0;
    for (size_t i = 0; i < count; i++) {
        const struct qpucc_attribute_slot *slot = &layout->attributes[i];
        const char *name = qpucc_program_variable(p, QPUCC_ATTRIBUTES, slot->variable)->name;
        ck_assert(slot->selected[QPUCC_VERTEX]);
        ck_assert_int_eq(slot->selected[QPUCC_COORDINATE], !strcmp(name, "a_position"));
        vertex_words += slot->words;
        coordinate_words += slot->selected[QPUCC_COORDINATE] ? slot->words : 0;
    }
    ck_assert_uint_eq(vertex_words, 3 + 2 + 4);
    ck_assert_uint_eq(coordinate_words, 3);
    ck_assert(!variable(p, QPUCC_ATTRIBUTES, "a_unused") || !variable(p, QPUCC_ATTRIBUTES, "a_unused")->used);
    struct qpucc_record_bytes filled;
    struct qpucc_record record;
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_GL, NULL, &filled));
    const uint8_t *bytes = filled.bytes;
    size_t size = filled.size;
    ck_assert_uint_eq(size, 36 + 8 * count);
    ck_assert(qpucc_record_decode(bytes, size, &record));
    ck_assert(record.single_threaded && record.clipping && !record.point_size);
    ck_assert_uint_eq(record.varyings, 2);
    ck_assert_uint_eq(record.attribute_count, count);
    ck_assert_uint_eq(record.shader[0].attribute_mask, 15);
    ck_assert_uint_eq(record.shader[0].attribute_bytes, 36);
    ck_assert_uint_eq(record.shader[1].attribute_bytes, 12);
    unsigned offset = 0;
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(record.attribute[i].bytes, layout->attributes[i].words * 4);
        ck_assert_uint_eq(record.attribute[i].vertex_offset, offset);
        ck_assert_int_eq(record.shader[1].attribute_mask >> i & 1,
                         layout->attributes[i].selected[QPUCC_COORDINATE]);
        offset += record.attribute[i].bytes;
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        ck_assert_uint_eq(record.code_address[s] | record.uniform_address[s], 0);
    ck_assert(!qpucc_record_decode(bytes, 35, &record));
    ck_assert(!qpucc_record_decode(bytes, 37, &record));
    qpucc_program_free(p);
}
END_TEST

/* Byte for byte what Mesa's driver wrote for the same shape of draw (a capture of glmark2's texture scene):
 * three attributes of 3, 3 and 2 words, the first alone for the coordinate shader. */
START_TEST(record_bytes) {
    static const uint8_t expected[60] = {
        5, 0, 0, 4,  0,  0,  0,  0,  0, 0, 0, 0, /* flags, varyings */
        0, 0, 7, 32, 0,  0,  0,  0,  0, 0, 0, 0, /* vertex shader: mask, bytes */
        0, 0, 1, 12, 0,  0,  0,  0,  0, 0, 0, 0, /* coordinate shader */
        0, 0, 0, 0,  11, 12, 0,  0,              /* bytes - 1, stride, offsets */
        0, 0, 0, 0,  11, 12, 12, 12, 0, 0, 0, 0, 7, 8, 24, 12};
    qpucc_program *p = compile_pair(
        "attribute vec3 position, normal; attribute vec2 texcoord;\n"
        "varying vec2 v; varying vec2 w;\n"
        "void main() { v = texcoord; w = normal.xy + normal.zz; gl_Position = vec4(position, 1.0); }\n",
        "precision mediump float; varying vec2 v, w; void main() { gl_FragColor = vec4(v, w); }", NULL);
    struct qpucc_record_bytes filled;
    uint8_t *bytes = filled.bytes;
    expect_ok(p);
    ck_assert(qpucc_record_fill(p, QPUCC_RECORD_GL, NULL, &filled));
    ck_assert_uint_eq(filled.size, sizeof expected);
    /* "not used currently": Mesa leaves the numbers of uniforms 0 */
    bytes[2] = bytes[12] = bytes[13] = bytes[24] = bytes[25] = 0;
    struct qpucc_record record;
    ck_assert(qpucc_record_decode(bytes, sizeof expected, &record));
    ck_assert_uint_eq(record.attribute_count, 3);
    /* the order of attributes is the linker's; put ours into the capture's */
    unsigned sum = 0;
    for (unsigned i = 0; i < 3; i++)
        sum += record.attribute[i].bytes;
    ck_assert_uint_eq(sum, 32);
    ck_assert_mem_eq(bytes, expected, 12);
    ck_assert_uint_eq(bytes[14], expected[14]);
    ck_assert_uint_eq(bytes[15], expected[15]);
    ck_assert_uint_eq(bytes[27], expected[27]);
    qpucc_program_free(p);
}
END_TEST

START_TEST(point_size_by_primitive) {
    static const char vertex[] = "attribute vec4 a; void main() { gl_PointSize = a.x; gl_Position = a; }";
    struct qpucc_state points = {.primitive = QPUCC_POINTS};
    qpucc_program *t = compile_pair(vertex, plain_fragment, NULL),
                  *p = compile_pair(vertex, plain_fragment, &points);
    expect_ok(t);
    expect_ok(p);
    ck_assert(!(qpucc_program_layout(t)->flags & QPUCC_POINT_SIZE));
    ck_assert(qpucc_program_layout(p)->flags & QPUCC_POINT_SIZE);
    qpucc_program_free(t);
    qpucc_program_free(p);
    /* no size to say: this vertex shader is the same for both */
    t = compile_pair(plain_vertex, plain_fragment, NULL);
    p = compile_pair(plain_vertex, plain_fragment, &points);
    expect_ok(t);
    expect_ok(p);
    ck_assert(!(qpucc_program_layout(p)->flags & QPUCC_POINT_SIZE));
    for (int stage = QPUCC_VERTEX; stage <= QPUCC_COORDINATE; stage++) {
        size_t count, same;
        const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)stage, &count),
                       *other = qpucc_program_code(t, (enum qpucc_stage)stage, &same);
        ck_assert_uint_eq(count, same);
        ck_assert_mem_eq(code, other, count * sizeof *code);
    }
    qpucc_program_free(t);
    qpucc_program_free(p);
}
END_TEST

/* --- what is said at the link ----------------------------------------------------------------------------
 */

static void expect_only(qpucc_program *p, enum qpucc_status status, const char *code, unsigned line,
                        const char *text) {
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, 0);
    ck_assert_int_eq(qpucc_program_status(p), status);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    ck_assert_str_eq(d->code, code);
    ck_assert_str_eq(d->text, text);
    ck_assert_uint_eq(d->line, line);
    qpucc_program_free(p);
}

static qpucc_program *compile_spirv(const char *vertex, const char *fragment) {
    const char *const texts[2] = {vertex, fragment};
    static const enum qpucc_stage stages[2] = {QPUCC_VERTEX, QPUCC_FRAGMENT};
    qpucc_program *part[2];
    struct qpucc_source modules[2];
    for (int k = 0; k < 2; k++) {
        struct qpucc_source source = {"a", texts[k], strlen(texts[k]), stages[k], QPUCC_GLSL};
        part[k] = qpucc_compile(&source, 1, NULL, NULL);
        expect_ok(part[k]);
        size_t words;
        const uint32_t *spirv = qpucc_program_spirv(part[k], stages[k], &words);
        modules[k] = (struct qpucc_source){"a", spirv, 4 * words, stages[k], QPUCC_SPIRV};
    }
    qpucc_program *p = qpucc_compile(modules, 2, NULL, NULL);
    qpucc_program_free(part[0]);
    qpucc_program_free(part[1]);
    return p;
}

/* An array that an index picks from at run time counts as a whole. */
START_TEST(varyings_picked_at_run_time) {
    char vertex[300], fragment[300];
    for (unsigned n = 8; n < 10; n++) {
        snprintf(vertex, sizeof vertex,
                 "#version 330\nin vec4 p; out vec4 v[%u];\n"
                 "void main() { for (int i = 0; i < %u; i++) v[i] = p * p.x * float(i); gl_Position = p; }\n",
                 n, n);
        snprintf(fragment, sizeof fragment,
                 "#version 330\nuniform int i; out vec4 c;\nin vec4 v[%u];\nvoid main() { c = v[i]; }\n", n);
        qpucc_program *p = compile_pair(vertex, fragment, NULL);
        if (n > 8) {
            expect_only(p, QPUCC_DOES_NOT_FIT, "varyings", 3,
                        "36 words of varyings, but the hardware interpolates 32");
            continue;
        }
        expect_ok(p);
        ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 32);
        qpucc_program_free(p);
    }
}
END_TEST

/* An index at run time leads to the same words in both stages. The front end refuses such arrays in GLSL;
 * modules may have them. */
START_TEST(structures_of_another_length) {
    static const char vertex[] = "#version 330\nstruct L { float a; vec2 b; }; uniform L l[2]; uniform int "
                                 "k; in vec4 p; out float v;\n"
                                 "void main() { v = l[k].a + l[k].b.y; gl_Position = p; }\n";
    char fragment[300];
    for (unsigned n = 2; n < 4; n++) {
        snprintf(fragment, sizeof fragment,
                 "#version 330\nstruct L { float a; vec2 b; }; uniform L l[%u]; uniform int k;\n"
                 "in float v; out vec4 c; void main() { c = vec4(l[k].a, l[k].b, v); }\n",
                 n);
        qpucc_program *p = compile_spirv(vertex, fragment);
        if (n == 2) {
            expect_ok(p);
        } else {
            ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
            ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "link");
            ck_assert_str_eq(
                qpucc_program_diagnostic(p, 0)->text,
                "a structure that is indexed at run time is laid out differently in the two stages");
        }
        qpucc_program_free(p);
    }
}
END_TEST

START_TEST(one_warning_for_all_components) {
    qpucc_program *p = compile_pair(NULL,
                                    "precision mediump float; varying vec4 x;\n"
                                    "void main() { gl_FragColor = pow(-2.0 - abs(x), x); }\n",
                                    NULL);
    expect_only(p, QPUCC_OK, "undefined", 2,
                "pow of a negative number is undefined; the result is what the hardware gives");
}
END_TEST

START_TEST(stream_index_counts_every_word_once) {
    qpucc_program *p = compile_pair(
        "attribute vec4 a; varying vec2 v; uniform mat4 m; void main() { v = a.xy; gl_Position = m * a; }",
        "precision mediump float; varying vec2 v; uniform sampler2D s; uniform vec4 c;\n"
        "void main() { gl_FragColor = texture2D(s, v) * c + 0.3; }\n",
        NULL);
    expect_ok(p);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count, next = 0;
        qpucc_program_code(p, (enum qpucc_stage)s, &count);
        for (size_t i = 0; i < count; i++) {
            size_t word = qpucc_uniform_index(p, (enum qpucc_stage)s, i);
            if (word != SIZE_MAX)
                ck_assert_uint_eq(word, next++);
        }
        ck_assert_uint_eq(next, qpucc_uniforms_size(p, (enum qpucc_stage)s));
        ck_assert_uint_eq(qpucc_uniform_index(p, (enum qpucc_stage)s, count), SIZE_MAX);
    }
    for (int none = -1; none <= QPUCC_STAGE_COUNT; none += QPUCC_STAGE_COUNT + 1)
        ck_assert_uint_eq(qpucc_uniform_index(p, (enum qpucc_stage)none, 0), SIZE_MAX);
    qpucc_program_free(p);
}
END_TEST

/* --- locations, blocks, layout -------------------------------------------------------------------------- */

START_TEST(link_by_location) {
    static const char vertex[] =
        "#version 330\n#extension GL_ARB_separate_shader_objects : require\n"
        "layout(location = 3) in vec4 p; layout(location = 1) out vec2 a; layout(location = 0) out vec2 b;\n"
        "void main() { gl_Position = p; a = p.xy; b = p.zw; }\n";
    static const char fragment[] =
        "#version 330\n#extension GL_ARB_separate_shader_objects : require\n"
        "layout(location = 0) in vec2 x; layout(location = 1) centroid in vec2 y; out vec4 c;\n"
        "void main() { c = vec4(x, y); }\n";
    static const char unlocated[] = "#version 330\nin vec2 a; out vec4 c; void main() { c = a.xyxy; }\n";
    struct qpucc_options options = qpucc_options_default();
    options.flags |= QPUCC_LINK_BY_LOCATION;
    qpucc_program *p = compile_with(vertex, fragment, NULL, &options);
    expect_ok(p);
    const struct qpucc_layout *layout = qpucc_program_layout(p);
    ck_assert_uint_eq(layout->varying_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct qpucc_varying_slot *slot = &layout->varyings[i];
        const struct qpucc_variable *v = qpucc_program_variable(p, QPUCC_VARYINGS, slot->variable);
        ck_assert_int_eq(slot->kind, QPUCC_VARYING_USER);
        ck_assert_uint_lt(slot->word, 2);
        ck_assert(slot->perspective && !slot->flat);
        ck_assert_int_eq(v->location, v->name[0] == 'y');
        ck_assert_int_eq(slot->centroid, v->name[0] == 'y');
    }
    ck_assert_int_eq(variable(p, QPUCC_ATTRIBUTES, "p")->location, 3);
    qpucc_program_free(p);
    p = compile_with(vertex, unlocated, NULL, &options);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "link");
    qpucc_program_free(p);
}
END_TEST

START_TEST(blocks_name_their_members) {
    qpucc_program *p = compile_pair(
        NULL,
        "#version 300 es\nprecision highp float; out vec4 c; uniform float k;\n"
        "layout(std140) uniform Light { vec3 at; float far; vec4 color[2]; } l; uniform Plain { mat3 m; };\n"
        "void main() { c = vec4(m * l.at, k) * l.far + l.color[1]; }\n",
        NULL);
    expect_ok(p);
    struct qpucc_uniform_place first, place;
    static const char *const names[] = {"Light.at", "Light.far", "Light.color", "m", "k"};
    static const char *const blocks[] = {"Light", "Light", "Light", "Plain", NULL};
    static const uint32_t offsets[] = {0, 12, 16};
    for (int i = 0; i < 5; i++) {
        const struct qpucc_variable *v = variable(p, QPUCC_UNIFORMS, names[i]);
        ck_assert_msg(v != NULL, "%s", names[i]);
        ck_assert(blocks[i] ? v->block && !strcmp(v->block, blocks[i]) : !v->block);
        size_t index = 0;
        while (qpucc_program_variable(p, QPUCC_UNIFORMS, index) != v)
            index++;
        ck_assert(qpucc_program_uniform_place(p, QPUCC_UNIFORMS_STD140, index, i ? &place : &first));
        if (i && i < 3) /* within its block */
            ck_assert_uint_eq(place.offset - first.offset, offsets[i]);
    }
    ck_assert_uint_eq(first.offset % 16, 0);
    qpucc_program_free(p);
}
END_TEST

START_TEST(traits) {
    static const struct {
        const char *body;
        bool depth_test;
        uint32_t flags;
    } cases[] = {
        {"gl_FragColor = vec4(v, 1.0);", false, 0},
        {"gl_FragColor = vec4(v, 1.0);", true, QPUCC_WRITES_Z | QPUCC_EARLY_Z_TEST_SAFE | QPUCC_EARLY_Z_SAFE},
        {"if (v.x < 0.5) discard; gl_FragColor = vec4(v, 1.0);", true,
         QPUCC_WRITES_Z | QPUCC_DISCARDS | QPUCC_EARLY_Z_TEST_SAFE},
        {"gl_FragDepthEXT = v.x; gl_FragColor = vec4(1.0);", true, QPUCC_WRITES_Z},
        {"gl_FragColor = gl_LastFragData[0] * v.x;", false, QPUCC_READS_TILE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        struct qpucc_state state = {.depth_test = cases[i].depth_test};
        snprintf(
            text, sizeof text,
            "#extension GL_EXT_frag_depth : enable\n#extension GL_EXT_shader_framebuffer_fetch : enable\n"
            "precision mediump float; varying vec3 v; void main() { %s }\n",
            cases[i].body);
        qpucc_program *p = compile_pair(NULL, text, &state);
        expect_ok(p);
        ck_assert_uint_eq(qpucc_program_layout(p)->flags, cases[i].flags | QPUCC_SINGLE_THREADED);
        qpucc_program_free(p);
    }
}
END_TEST

START_TEST(features_have_names) {
    ck_assert(qpucc_has("variant") && qpucc_has("program_save") && qpucc_has("link_by_location"));
    ck_assert(!qpucc_has("") && !qpucc_has("no_such_thing") && !qpucc_has(NULL));
    char text[40];
    snprintf(text, sizeof text, "%d.%d.%d", QPUCC_VERSION_MAJOR, QPUCC_VERSION_MINOR, QPUCC_VERSION_PATCH);
    ck_assert_str_eq(qpucc_version(), text);
}
END_TEST

/* --- SPIR-V in ------------------------------------------------------------------------------------------ */

static struct qpucc_source module(const qpucc_program *from, enum qpucc_stage stage) {
    size_t words;
    const uint32_t *spirv = qpucc_program_spirv(from, stage, &words);
    ck_assert_ptr_nonnull(spirv);
    return (struct qpucc_source){"a.spv", spirv, words * 4, stage, QPUCC_SPIRV};
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
    for (int stage = 0; stage < QPUCC_STAGE_COUNT; stage++) {
        size_t a, b;
        const uint64_t *x = qpucc_program_code(g, (enum qpucc_stage)stage, &a),
                       *y = qpucc_program_code(s, (enum qpucc_stage)stage, &b);
        ck_assert_uint_eq(a, b);
        ck_assert_mem_eq(x, y, a * sizeof *x);
    }
    ck_assert_uint_eq(qpucc_program_uniform_bytes(g, QPUCC_UNIFORMS_PACKED),
                      qpucc_program_uniform_bytes(s, QPUCC_UNIFORMS_PACKED));
    ck_assert_ptr_nonnull(variable(s, QPUCC_UNIFORMS, "m"));
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

/* --- what a bad compile has ----------------------------------------------------------------------------- */

START_TEST(every_error_has_its_place) {
    qpucc_program *p = compile_pair(
        NULL, "precision mediump float;\nvoid main() {\n    gl_FragColor = vec4(a);\n    float x = b;\n}\n",
        NULL);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    ck_assert_uint_ge(qpucc_program_diagnostic_count(p), 2);
    bool third = false, fourth = false;
    for (size_t i = 0; i < qpucc_program_diagnostic_count(p); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, i);
        ck_assert_str_eq(d->file, "a.frag");
        ck_assert_str_eq(d->code, "source");
        third |= d->line == 3;
        fourth |= d->line == 4;
    }
    ck_assert(third && fourth);
    ck_assert_ptr_null(qpucc_program_diagnostic(p, 1000));
    ck_assert_ptr_null(qpucc_program_code(p, QPUCC_FRAGMENT, NULL));
    ck_assert_uint_eq(qpucc_uniforms_size(p, QPUCC_FRAGMENT), 0);
    qpucc_program_free(p);
}
END_TEST

START_TEST(no_position_is_legal) {
    qpucc_program *p = compile_pair("void main() {}", NULL, NULL);
    expect_ok(p);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    ck_assert_int_eq(qpucc_program_diagnostic(p, 0)->severity, QPUCC_WARNING);
    ck_assert_ptr_nonnull(qpucc_program_code(p, QPUCC_COORDINATE, NULL));
    qpucc_program_free(p);
}
END_TEST

START_TEST(more_than_the_hardware_has) {
    char vertex[2000] = "", fragment[3000] = "precision highp float;\n", line[200];
    for (int i = 0; i < 9; i++) {
        snprintf(line, sizeof line, "attribute vec4 a%d;\n", i);
        strcat(vertex, line);
    }
    strcat(vertex, "void main() { gl_Position = a0+a1+a2+a3+a4+a5+a6+a7+a8; }\n");
    qpucc_program *p = compile_pair(vertex, plain_fragment, NULL);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_OK);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_INTERNAL);
    qpucc_program_free(p);
    for (int i = 0; i < 9; i++) {
        snprintf(line, sizeof line, "varying vec4 v%d;\n", i);
        strcat(fragment, line);
    }
    strcat(fragment, "void main() { gl_FragColor = v0+v1+v2+v3+v4+v5+v6+v7+v8; }\n");
    p = compile_pair(NULL, fragment, NULL);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_OK);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_INTERNAL);
    qpucc_program_free(p);
    p = compile_pair("attribute vec4 a; uniform mat4 m[300]; void main() { gl_Position = m[299] * a; }", NULL,
                     NULL);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_OK);
    ck_assert_int_ne(qpucc_program_status(p), QPUCC_INTERNAL);
    qpucc_program_free(p);
}
END_TEST

START_TEST(wrong_calls) {
    struct qpucc_source two[2] = {glsl(QPUCC_FRAGMENT, plain_fragment), glsl(QPUCC_FRAGMENT, plain_fragment)};
    struct qpucc_source nothing = {NULL, NULL, 0, QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_source coordinate = glsl(QPUCC_COORDINATE, plain_vertex);
    struct {
        const struct qpucc_source *sources;
        size_t count;
    } cases[] = {{NULL, 0}, {NULL, 3}, {two, 2}, {&nothing, 1}, {&coordinate, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qpucc_program *p = qpucc_compile(cases[i].sources, cases[i].count, NULL, NULL);
        ck_assert_ptr_nonnull(p);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
        ck_assert_uint_ge(qpucc_program_diagnostic_count(p), 1);
        qpucc_program_free(p);
    }
    qpucc_program_free(NULL);
}
END_TEST

/* --- options -------------------------------------------------------------------------------------------- */

static void count_ir(void *user, enum qpucc_stage stage, const char *pass, const char *text) {
    (void)stage;
    *(unsigned *)user += pass[0] && text[0];
}

static void count_time(void *user, enum qpucc_stage stage, const char *pass, double seconds) {
    (void)stage;
    *(unsigned *)user += pass[0] && seconds >= 0;
}

START_TEST(options_do_what_they_say) {
    struct qpucc_source source = glsl(QPUCC_FRAGMENT, "void main() { gl_FragColor = vec4(VALUE); }\n");
    const char *defines[] = {"VALUE=0.5"};
    unsigned dumps = 0;
    struct qpucc_options options = qpucc_options_default();
    options.defines = defines;
    options.define_count = 1;
    options.default_precision = QPUCC_PRECISION_HIGHP;
    options.flags &= ~(uint32_t)QPUCC_GENERATE_LINES;
    options.flags |= QPUCC_GENERATE_IR;
    options.print_after = "all";
    options.on_ir = count_ir;
    options.user = &dumps;
    qpucc_program *p = qpucc_compile(&source, 1, NULL, &options);
    expect_ok(p);
    ck_assert_uint_gt(dumps, 3);
    ck_assert_ptr_null(qpucc_program_lines(p, QPUCC_FRAGMENT));
    ck_assert_ptr_nonnull(strstr(qpucc_program_ir(p, QPUCC_FRAGMENT), "tlb_color"));
    qpucc_program_free(p);
    unsigned times = 0;
    options.print_after = NULL;
    options.on_ir = NULL;
    options.on_pass_time = count_time;
    options.user = &times;
    options.opt_level = 0;
    p = qpucc_compile(&source, 1, NULL, &options);
    expect_ok(p);
    ck_assert_uint_gt(times, 0);
    qpucc_program_free(p);
}
END_TEST

/* --- threads -------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 12 };

static const char busy_vertex[] =
    "attribute vec4 a; attribute vec3 n; uniform mat4 m; uniform mat3 k; varying vec3 v;\n"
    "void main() { v = normalize(k * n); gl_Position = m * a; }\n";
static const char busy_fragment[] =
    "precision mediump float; varying vec3 v; uniform vec3 l; uniform sampler2D s;\n"
    "void main() { float d = max(dot(normalize(v), l), 0.0);\n"
    "gl_FragColor = texture2D(s, v.xy) * d + pow(d, 9.0); }\n";

static void *compile_many(void *user) {
    uint64_t sum = 14695981039346656037u;
    for (int round = 0; round < ROUNDS; round++) {
        qpucc_program *p = compile_pair(busy_vertex, busy_fragment, NULL);
        if (qpucc_program_status(p) != QPUCC_OK)
            sum = 0;
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
            size_t count;
            const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)s, &count);
            for (size_t i = 0; i < count; i++)
                sum = (sum ^ code[i]) * 1099511628211u;
        }
        qpucc_program_free(p);
    }
    *(uint64_t *)user = sum;
    return NULL;
}

START_TEST(threads_get_the_same_bytes) {
    pthread_t threads[THREADS];
    uint64_t sums[THREADS], alone;
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_many, &sums[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    compile_many(&alone);
    ck_assert_uint_ne(alone, 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_uint_eq(sums[i], alone);
}
END_TEST

static void *read_stream(void *user) {
    uint64_t sum = 14695981039346656037u;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        for (size_t i = 0; i < qpucc_uniforms_size(user, (enum qpucc_stage)s); i++)
            for (const char *c = qpucc_uniform_text(user, (enum qpucc_stage)s, i); *c; c++)
                sum = (sum ^ (uint8_t)*c) * 1099511628211u;
    return (void *)(uintptr_t)sum;
}

/* The texts of a stream are made when the first one is asked for. */
START_TEST(threads_read_the_same_stream) {
    for (int round = 0; round < ROUNDS; round++) {
        qpucc_program *p = compile_pair(busy_vertex, busy_fragment, NULL);
        pthread_t threads[THREADS];
        void *sum[THREADS];
        expect_ok(p);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, read_stream, p), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], &sum[i]);
        for (int i = 0; i < THREADS; i++)
            ck_assert_ptr_eq(sum[i], read_stream(p));
        ck_assert_ptr_null(qpucc_uniform_text(p, QPUCC_VERTEX, qpucc_uniforms_size(p, QPUCC_VERTEX)));
        qpucc_program_free(p);
    }
}
END_TEST

/* --- text ----------------------------------------------------------------------------------------------- */

START_TEST(assembler_round_trip) {
    qpucc_program *p = compile_pair(busy_vertex, busy_fragment, NULL);
    expect_ok(p);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count, again;
        const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)s, &count);
        char *text = calloc(count, 300), error[200], line[300];
        for (size_t i = 0; i < count; i++) {
            ck_assert_uint_lt(qpucc_disassemble(code[i], (unsigned)i, line, sizeof line), sizeof line);
            strcat(strcat(text, line), "\n");
        }
        uint64_t *back = qpucc_assemble(text, strlen(text), &again, error, sizeof error);
        ck_assert_msg(back != NULL, "%s", error);
        ck_assert_uint_eq(count, again);
        ck_assert_mem_eq(code, back, count * sizeof *code);
        free(back);
        free(text);
    }
    qpucc_program_free(p);
    char error[200] = "";
    size_t count;
    ck_assert_ptr_null(qpucc_assemble("nop\nno such thing\n", 18, &count, error, sizeof error));
    ck_assert_msg(!strncmp(error, "line 2: ", 8), "%s", error);
}
END_TEST

START_TEST(passes_on_text) {
    struct qpucc_source source = glsl(QPUCC_FRAGMENT, plain_fragment);
    struct qpucc_options options = qpucc_options_default();
    char error[300] = "";
    options.flags |= QPUCC_GENERATE_IR;
    qpucc_program *p = qpucc_compile(&source, 1, NULL, &options);
    expect_ok(p);
    const char *ir = qpucc_program_ir(p, QPUCC_FRAGMENT);
    char *same = qpucc_opt(ir, strlen(ir), "dce", error, sizeof error);
    ck_assert_msg(same != NULL, "%s", error);
    ck_assert_str_eq(same, ir); /* what selection saw has nothing dead in it */
    free(same);
    ck_assert_ptr_null(qpucc_opt(ir, strlen(ir), "no_such_pass", error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "no_such_pass"));
    ck_assert_ptr_null(qpucc_opt("what", 4, "dce", error, sizeof error));
    ck_assert_str_eq(qpucc_stage_name(QPUCC_FRAGMENT), "fragment");
    ck_assert_str_eq(qpucc_stage_name(QPUCC_VERTEX), "vertex");
    ck_assert_str_eq(qpucc_stage_name(QPUCC_COORDINATE), "coordinate");
    ck_assert_ptr_null(qpucc_stage_name(QPUCC_STAGE_COUNT));
    bool has_dce = false;
    for (size_t i = 0; qpucc_pass_name(i, NULL); i++)
        has_dce |= !strcmp(qpucc_pass_name(i, NULL), "dce");
    ck_assert(has_dce);
    qpucc_program_free(p);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("api");
    TCase *test = tcase_create("api");
    tcase_set_timeout(test, 120);
    tcase_add_test(test, stages_and_statistics);
    tcase_add_test(test, one_stage_alone);
    tcase_add_test(test, uniform_storage_is_one_for_both_stages);
    tcase_add_test(test, uniform_expressions);
    tcase_add_test(test, constants_have_texts);
    tcase_add_test(test, viewport_reaches_the_stream);
    tcase_add_test(test, missing_values_are_refused);
    tcase_add_test(test, samplers_get_units);
    tcase_add_test(test, attributes_and_record);
    tcase_add_test(test, record_bytes);
    tcase_add_test(test, point_size_by_primitive);
    tcase_add_test(test, varyings_picked_at_run_time);
    tcase_add_test(test, structures_of_another_length);
    tcase_add_test(test, one_warning_for_all_components);
    tcase_add_test(test, stream_index_counts_every_word_once);
    tcase_add_test(test, link_by_location);
    tcase_add_test(test, blocks_name_their_members);
    tcase_add_test(test, traits);
    tcase_add_test(test, features_have_names);
    tcase_add_test(test, spirv_is_an_equal_input);
    tcase_add_test(test, spirv_interfaces_are_linked);
    tcase_add_test(test, invalid_spirv);
    tcase_add_test(test, every_error_has_its_place);
    tcase_add_test(test, no_position_is_legal);
    tcase_add_test(test, more_than_the_hardware_has);
    tcase_add_test(test, wrong_calls);
    tcase_add_test(test, options_do_what_they_say);
    tcase_add_test(test, threads_get_the_same_bytes);
    tcase_add_test(test, threads_read_the_same_stream);
    tcase_add_test(test, assembler_round_trip);
    tcase_add_test(test, passes_on_text);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
