/* The public interface: what a program says of its interfaces, storage and streams, and of the record. */
#include "api.h"

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

/* Where there is no room for uniforms that no code uses, the others move, and so do their first values. */
START_TEST(initial_values_move_with_their_uniforms) {
    qpucc_program *p = compile_with(NULL,
                                    "#version 330\n"
                                    "uniform float u_unused = 7.0, u_one = 1.0, u_none;\n"
                                    "uniform vec4 u_many[4096]; out vec4 c;\n"
                                    "void main() { c = vec4(u_one, u_none, 0.0, 1.0); }\n",
                                    NULL, NULL);
    expect_ok(p);
    const struct qpucc_variable *one = variable(p, QPUCC_UNIFORMS, "u_one"),
                                *none = variable(p, QPUCC_UNIFORMS, "u_none");
    const uint32_t *initial = qpucc_program_uniform_initial(p);
    ck_assert(one && none && initial && !variable(p, QPUCC_UNIFORMS, "u_unused"));
    ck_assert_float_eq(as_float(initial[one->word]), 1);
    ck_assert_float_eq(as_float(initial[none->word]), 0);
    qpucc_program_free(p);
}
END_TEST

/* Structures stay whole where one stage uses a member and the other one indexes all of them. */
START_TEST(structures_stay_whole_without_room) {
    qpucc_program *p =
        compile_pair("#version 300 es\nstruct S { vec4 a, b; float c[3]; };\n"
                     "uniform vec4 u_first; uniform S u_list[20]; in vec4 p;\n"
                     "void main() { gl_Position = p * u_list[3].a * u_first; }\n",
                     "#version 300 es\nprecision highp float; struct S { vec4 a, b; float c[3]; };\n"
                     "uniform S u_list[20]; uniform int i; uniform vec4 u_many[4096]; out vec4 o;\n"
                     "void main() { S s = u_list[i]; o = s.b + s.c[i]; }\n",
                     NULL);
    expect_ok(p);
    ck_assert_uint_eq(qpucc_program_uniform_bytes(p, QPUCC_UNIFORMS_PACKED) / 4, 4 + 20 * 11 + 1);
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

/* Sixteen in each stage, which share one numbering; what is read decides, not what is declared. */
START_TEST(units_of_both_stages) {
    static const char vertex[] = "attribute vec4 a; uniform sampler2D t, w; varying vec2 v;\n"
                                 "void main() { v = a.xy; gl_Position = texture2DLod(t, a.xy, 0.0) + "
                                 "texture2DLod(w, a.zw, 0.0); }";
    static const char fragment[] =
        "precision mediump float; varying vec2 v; uniform sampler2D s[16], unused[3];\n"
        "#define FOUR(k) (texture2D(s[k], v) + texture2D(s[k + 1], v) + texture2D(s[k + 2], v) + "
        "texture2D(s[k + 3], v))\n"
        "void main() { gl_FragColor = FOUR(0) * FOUR(4) * FOUR(8) * FOUR(12) MORE; }";
    const char *none[] = {"MORE="}, *another[] = {"MORE=* texture2D(unused[2], v)"};
    struct qpucc_options options = qpucc_options_default();
    options.defines = none;
    options.define_count = 1;
    qpucc_program *p = compile_with(vertex, fragment, NULL, &options);
    expect_ok(p);
    uint32_t fragments = qpucc_program_layout(p)->textures[QPUCC_FRAGMENT],
             vertices = qpucc_program_layout(p)->textures[QPUCC_VERTEX];
    ck_assert_int_eq(__builtin_popcount(fragments), 16);
    ck_assert_int_eq(__builtin_popcount(vertices), 2);
    ck_assert_uint_eq(fragments & vertices, 0);
    uint32_t textures[QPUCC_MAX_TEXTURES][4] = {{0}}, stream[256];
    uint32_t unit = variable(p, QPUCC_SAMPLERS, "s")->word + 15;
    textures[unit][0] = 77;
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])textures};
    ck_assert(qpucc_uniforms_fill(p, QPUCC_FRAGMENT, &values, stream));
    ck_assert_uint_eq(stream[word_called(p, QPUCC_FRAGMENT, "s[15].p0")], 77);
    qpucc_program_free(p);
    options.defines = another;
    p = compile_with(vertex, fragment, NULL, &options);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_DOES_NOT_FIT);
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->text,
                     "19 samplers, but 16 are the limit; 's' takes 16 of them");
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

/* The state key's number of an attribute; -1: it has no place in the record. */
static int number_of(const qpucc_program *p, const char *name) {
    const struct qpucc_layout *layout = qpucc_program_layout(p);
    for (uint32_t i = 0; i < layout->attribute_count; i++)
        if (!strcmp(qpucc_program_variable(p, QPUCC_ATTRIBUTES, layout->attributes[i].variable)->name, name))
            return layout->attributes[i].number;
    return -1;
}

/* Among more than the hardware has, those that no code reads are none; this program reads three. */
static void expect_room(const qpucc_program *p, unsigned last_bytes) {
    expect_ok(p);
    ck_assert_uint_eq(qpucc_program_variable_count(p, QPUCC_ATTRIBUTES), 3);
    ck_assert(!variable(p, QPUCC_ATTRIBUTES, "unused") && !variable(p, QPUCC_ATTRIBUTES, "uncalled"));
    const struct qpucc_layout *layout = qpucc_program_layout(p);
    ck_assert_uint_eq(layout->attribute_count, 3);
    ck_assert_int_eq(number_of(p, "a") + number_of(p, "m") + number_of(p, "last"), 0 + 1 + 5 + 1);
    for (uint32_t i = 0; i < 3; i++)
        if (layout->attributes[i].number == number_of(p, "last"))
            ck_assert_uint_eq(layout->attributes[i].bytes, last_bytes);
}

START_TEST(unused_attributes_make_room) {
    static const char vertex[] =
        "attribute vec4 a; attribute mat4 unused, uncalled, m; attribute vec4 last;\n"
        "vec4 never() { return uncalled[0]; }\n"
        "void main() { gl_Position = a + m[1] + last; }\n";
    qpucc_program *p = compile_pair(vertex, plain_fragment, NULL);
    expect_room(p, 16);
    struct qpucc_state state = {0};
    state.attribute[number_of(p, "last")].type = QPUCC_ATTR_UBYTE;
    size_t size = qpucc_program_save(p, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, NULL, 0), words = 0;
    void *bytes = malloc(size);
    qpucc_program_save(p, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, bytes, size);
    qpucc_program *loaded = qpucc_program_load(bytes, size),
                  *variants[] = {qpucc_variant(p, &state), qpucc_variant(loaded, &state)};
    expect_room(loaded, 16);
    for (int i = 0; i < 2; i++)
        expect_room(variants[i], 4);
    const uint32_t *spirv = qpucc_program_spirv(p, QPUCC_VERTEX, &words);
    struct qpucc_source source = {"a.spv", spirv, words * sizeof *spirv, QPUCC_VERTEX, QPUCC_SPIRV};
    qpucc_program *alone = qpucc_compile(&source, 1, NULL, NULL);
    expect_room(alone, 16);
    qpucc_program_free(alone);
    for (int i = 0; i < 2; i++)
        qpucc_program_free(variants[i]);
    qpucc_program_free(loaded);
    qpucc_program_free(p);
    free(bytes);
    p = compile_pair("attribute mat4 a, b, c;\nvoid main() { gl_Position = a[0] + b[0] + c[0]; }\n",
                     plain_fragment, NULL);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_DOES_NOT_FIT);
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "attributes");
    qpucc_program_free(p);
}
END_TEST

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

int main(void) {
    const TTest *const tests[] = {uniform_storage_is_one_for_both_stages,
                                  initial_values_move_with_their_uniforms,
                                  structures_stay_whole_without_room,
                                  uniform_expressions,
                                  constants_have_texts,
                                  viewport_reaches_the_stream,
                                  missing_values_are_refused,
                                  samplers_get_units,
                                  units_of_both_stages,
                                  attributes_and_record,
                                  record_bytes,
                                  stream_index_counts_every_word_once,
                                  link_by_location,
                                  unused_attributes_make_room,
                                  blocks_name_their_members};
    return run_tests("api_layouts", tests, sizeof tests / sizeof *tests);
}
