/* The public side of uniform streams: layouts of uniform storage against glslang's own, the kinds of slots,
 * the order of texture samples, and viewports whose scale is negative, on the machine. */
#include "tests/isa/random.h"

#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>

#include <check.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static qpucc_program *compile(const char *vertex, const char *fragment, const struct qpucc_state *state) {
    struct qpucc_source sources[2];
    size_t count = 0;
    if (vertex)
        sources[count++] = (struct qpucc_source){"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL};
    if (fragment)
        sources[count++] =
            (struct qpucc_source){"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *p = qpucc_compile(sources, count, state, NULL);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, 0);
    ck_assert_msg(qpucc_program_status(p) == QPUCC_OK, "%s\n%s", d ? d->text : "",
                  vertex ? vertex : fragment);
    return p;
}

static uint32_t bits(float value) {
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

static float number(uint32_t word) {
    float value;
    memcpy(&value, &word, 4);
    return value;
}

/* --- layouts -------------------------------------------------------------------------------------------- */

/* Offsets that glslang gave the members of the structure called "B", from the SPIR-V. */
struct module {
    const uint32_t *words;
    size_t count;
};

enum {
    OP_NAME = 5,
    OP_MEMBER_NAME = 6,
    OP_ARRAY = 28,
    OP_STRUCT = 30,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72
};
enum { ARRAY_STRIDE = 6, MATRIX_STRIDE = 7, OFFSET = 35 };

/* The first instruction `op` whose operands from the first on are those given; NULL: none. */
static const uint32_t *find(const struct module *m, uint32_t op, unsigned given, uint32_t a, uint32_t b,
                            uint32_t c) {
    const uint32_t want[3] = {a, b, c};
    for (size_t i = 5; i < m->count; i += m->words[i] >> 16)
        if ((m->words[i] & 0xffff) == op && !memcmp(&m->words[i + 1], want, given * sizeof *want))
            return &m->words[i];
    return NULL;
}

static uint32_t struct_called(const struct module *m, const char *name) {
    for (size_t i = 5; i < m->count; i += m->words[i] >> 16)
        if ((m->words[i] & 0xffff) == OP_NAME && !strcmp((const char *)&m->words[i + 2], name) &&
            find(m, OP_STRUCT, 1, m->words[i + 1], 0, 0))
            return m->words[i + 1];
    return 0;
}

static struct qpucc_uniform_place glslang_place(const struct module *m, const char *name) {
    struct qpucc_uniform_place place = {0};
    uint32_t type = struct_called(m, "B"), matrix = 0;
    ck_assert_uint_ne(type, 0);
    while (*name) {
        size_t length = strcspn(name, ".[");
        const uint32_t *array = find(m, OP_ARRAY, 1, type, 0, 0),
                       *structure = find(m, OP_STRUCT, 1, type, 0, 0);
        if (*name == '[') {
            const uint32_t *stride = find(m, OP_DECORATE, 2, type, ARRAY_STRIDE, 0);
            ck_assert(array && stride);
            place.offset += (uint32_t)atoi(name + 1) * stride[3];
            type = array[2];
            name = strchr(name, ']') + 1;
        } else if (*name == '.') {
            name++;
        } else {
            ck_assert_ptr_nonnull(structure);
            uint32_t members = (structure[0] >> 16) - 2, k = 0;
            for (; k < members; k++) {
                const char *member = (const char *)&find(m, OP_MEMBER_NAME, 2, type, k, 0)[3];
                if (strlen(member) == length && !strncmp(member, name, length))
                    break;
            }
            ck_assert_uint_lt(k, members);
            place.offset += find(m, OP_MEMBER_DECORATE, 3, type, k, OFFSET)[4];
            const uint32_t *stride = find(m, OP_MEMBER_DECORATE, 3, type, k, MATRIX_STRIDE);
            matrix = stride ? stride[4] : 0;
            type = structure[2 + k];
            name += length;
        }
    }
    if (find(m, OP_ARRAY, 1, type, 0, 0))
        place.array_stride = find(m, OP_DECORATE, 2, type, ARRAY_STRIDE, 0)[3];
    place.matrix_stride = matrix;
    return place;
}

static uint64_t seed;

static uint32_t below(uint32_t n) {
    return (uint32_t)(random_word(&seed) % n);
}

struct text {
    char at[16384];
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    text->size += (size_t)vsnprintf(text->at + text->size, sizeof text->at - text->size, format, list);
    va_end(list);
    ck_assert_uint_lt(text->size, sizeof text->at);
}

/* Members called PREFIX0, PREFIX1, ..., of which some are structures SFROM-1 and below. */
static void add_members(struct text *text, const char *prefix, unsigned structures) {
    static const char *const types[] = {"float", "vec2",   "vec3",   "vec4",  "mat2",  "mat3",
                                        "mat4",  "int",    "uint",   "bool",  "ivec2", "uvec3",
                                        "bvec4", "mat2x3", "mat3x2", "mat4x3"};
    unsigned count = 1 + below(5);
    for (unsigned k = 0; k < count; k++) {
        if (structures && below(3) == 0)
            add(text, " s%u %s%u", below(structures), prefix, k);
        else
            add(text, " %s %s%u", types[below(sizeof types / sizeof *types)], prefix, k);
        if (below(3) == 0)
            add(text, "[%u]", 2 + below(3));
        add(text, ";");
    }
}

static const struct qpucc_variable *uniform(const qpucc_program *p, size_t index) {
    return qpucc_program_variable(p, QPUCC_UNIFORMS, index);
}

START_TEST(std140_is_glslangs) {
    seed = (uint64_t)_i;
    for (int n = 0; n < 8; n++) {
        struct text vertex = {.size = 0};
        add(&vertex, "#version 300 es\n");
        for (unsigned k = 0; k < 3; k++) {
            add(&vertex, "struct s%u {", k);
            add_members(&vertex, "m", k);
            add(&vertex, " };\n");
        }
        add(&vertex, "layout(std140) uniform B {");
        add_members(&vertex, "b", 3);
        add(&vertex, " };\nin vec4 p;\nvoid main() { gl_Position = p; }\n");
        qpucc_program *p = compile(vertex.at, NULL, NULL);
        struct module module = {.count = 0};
        module.words = qpucc_program_spirv(p, QPUCC_VERTEX, &module.count);
        size_t count = qpucc_program_variable_count(p, QPUCC_UNIFORMS), end = 0;
        ck_assert_uint_gt(count, 0);
        for (size_t i = 0; i < count; i++) {
            const struct qpucc_variable *u = uniform(p, i);
            struct qpucc_uniform_place want = glslang_place(&module, u->name), place;
            ck_assert(qpucc_program_uniform_place(p, QPUCC_UNIFORMS_STD140, i, &place));
            ck_assert_msg(place.offset == want.offset && place.array_stride == want.array_stride &&
                              place.matrix_stride == want.matrix_stride,
                          "%s: %u +%u +%u, glslang has %u +%u +%u\n%s", u->name, place.offset,
                          place.array_stride, place.matrix_stride, want.offset, want.array_stride,
                          want.matrix_stride, vertex.at);
            size_t last = place.offset + (u->array_length - 1) * place.array_stride +
                          (u->cols - 1) * place.matrix_stride + 4 * u->rows;
            end = last > end ? last : end;
        }
        ck_assert_uint_ge(qpucc_program_uniform_bytes(p, QPUCC_UNIFORMS_STD140), end);
        ck_assert_uint_lt(qpucc_program_uniform_bytes(p, QPUCC_UNIFORMS_STD140), end + 16);
        ck_assert_uint_eq(qpucc_program_uniform_bytes(p, QPUCC_UNIFORMS_PACKED),
                          4 * qpucc_program_uniform_bytes(p, QPUCC_UNIFORMS_PACKED) / 4);
        qpucc_program_free(p);
    }
}
END_TEST

static size_t byte_of(const struct qpucc_uniform_place *place, const struct qpucc_variable *u,
                      unsigned word) {
    unsigned element = word / (u->rows * u->cols), column = word / u->rows % u->cols;
    return place->offset + element * place->array_stride + column * place->matrix_stride +
           4 * (word % u->rows);
}

/* The same values in either layout give the same streams, and one becomes the other. */
START_TEST(layouts_give_the_same_streams) {
    qpucc_program *p =
        compile("#version 300 es\nstruct light { vec3 at; float far; mat3 turn; };\n"
                "uniform light l[3]; uniform vec2 shift; uniform float w[5]; uniform mat2 m;\n"
                "uniform int n; uniform bool on; in vec3 p; out vec3 v;\n"
                "void main() { v = l[1].turn * p + l[n].at * w[3] + (on ? l[2].far : m[1].y);\n"
                "  gl_Position = vec4(p.xy + shift * 2.0, p.z * w[n], sqrt(w[1])); }\n",
                NULL, NULL);
    size_t words = qpucc_program_uniform_bytes(p, QPUCC_UNIFORMS_PACKED) / 4,
           wide = qpucc_program_uniform_bytes(p, QPUCC_UNIFORMS_STD140);
    uint32_t *packed = calloc(words, 4), *std140 = malloc(wide), *back = calloc(words, 4), streams[2][512];
    memset(std140, 0xff, wide);
    for (size_t i = 0; i < qpucc_program_variable_count(p, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *u = uniform(p, i);
        struct qpucc_uniform_place place[2];
        ck_assert(qpucc_program_uniform_place(p, QPUCC_UNIFORMS_PACKED, i, &place[0]));
        ck_assert(qpucc_program_uniform_place(p, QPUCC_UNIFORMS_STD140, i, &place[1]));
        for (unsigned k = 0; k < u->rows * u->cols * u->array_length; k++) {
            ck_assert_uint_eq(byte_of(&place[0], u, k), 4 * (u->word + k));
            packed[u->word + k] = std140[byte_of(&place[1], u, k) / 4] = bits((float)(u->word + k) * 0.25f);
        }
    }
    qpucc_uniforms_pack(p, QPUCC_UNIFORMS_STD140, std140, back);
    ck_assert_mem_eq(back, packed, 4 * words);
    qpucc_uniforms_pack(p, QPUCC_UNIFORMS_PACKED, packed, back);
    ck_assert_mem_eq(back, packed, 4 * words);
    for (int s = QPUCC_VERTEX; s <= QPUCC_COORDINATE; s++) {
        size_t size = qpucc_uniforms_size(p, (enum qpucc_stage)s);
        struct qpucc_draw_values v = {.uniforms = packed},
                                 w = {.uniforms = std140, .layout = QPUCC_UNIFORMS_STD140};
        ck_assert_uint_le(size, 512);
        ck_assert(qpucc_uniforms_fill(p, (enum qpucc_stage)s, &v, streams[0]));
        ck_assert(qpucc_uniforms_fill(p, (enum qpucc_stage)s, &w, streams[1]));
        ck_assert_mem_eq(streams[0], streams[1], 4 * size);
    }
    struct qpucc_uniform_place place;
    ck_assert(!qpucc_program_uniform_place(p, QPUCC_UNIFORMS_STD140, SIZE_MAX, &place));
    ck_assert(!qpucc_program_uniform_place(p, (enum qpucc_uniform_layout)7, 0, &place));
    free(packed);
    free(std140);
    free(back);
    qpucc_program_free(p);
}
END_TEST

/* --- slots and samples ---------------------------------------------------------------------------------- */

START_TEST(slots_have_documented_kinds) {
    qpucc_program *p = compile(
        "attribute vec4 p; varying vec4 v; void main() { v = p; gl_Position = p; }",
        "precision highp float; uniform sampler2D a, b[2]; uniform float list[9], x;\n"
        "uniform int n; varying vec4 v;\n"
        "void main() { vec4 c = texture2D(b[1], v.xy) * list[n + int(v.w)] * x + texture2D(a, v.zw);\n"
        "  for (int i = 0; i < n; i++) c = c * c + v * sqrt(x);\n"
        "  gl_FragColor = c * 0.3; }",
        NULL);
    uint32_t uniforms[64], textures[QPUCC_MAX_TEXTURES][4], stream[256];
    size_t size = qpucc_uniforms_size(p, QPUCC_FRAGMENT);
    unsigned seen[7] = {0};
    for (unsigned i = 0; i < 64; i++)
        uniforms[i] = bits(1.5f + (float)i), textures[i / 4][i % 4] = 1000 + i;
    struct qpucc_draw_values v = {.uniforms = uniforms,
                                  .textures = (const uint32_t(*)[4])textures,
                                  .stream_address = {0x10000, 0x20000, 0x30000},
                                  .uniform_address = 0x500000};
    ck_assert_uint_le(size, 256);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size = qpucc_uniforms_size(p, (enum qpucc_stage)s);
        ck_assert(qpucc_uniforms_fill(p, (enum qpucc_stage)s, &v, stream));
        for (size_t i = 0; i < size; i++) {
            struct qpucc_slot slot;
            uint32_t state[QPUCC_DRAW_STATE_WORDS];
            memcpy(state, &v.state, sizeof state);
            ck_assert(qpucc_uniforms_slot(p, (enum qpucc_stage)s, i, &slot));
            ck_assert_uint_le(slot.kind, QPUCC_SLOT_UNIFORM_ADDRESS);
            seen[slot.kind]++;
            switch (slot.kind) {
            case QPUCC_SLOT_CONSTANT: ck_assert_uint_eq(stream[i], slot.value); break;
            case QPUCC_SLOT_UNIFORM: ck_assert_uint_eq(stream[i], uniforms[slot.value]); break;
            case QPUCC_SLOT_TEXTURE: ck_assert_uint_eq(stream[i], textures[slot.value][slot.part]); break;
            case QPUCC_SLOT_STATE: ck_assert_uint_eq(stream[i], state[slot.value]); break;
            case QPUCC_SLOT_STREAM_ADDRESS: ck_assert_uint_eq(stream[i], v.stream_address[s]); break;
            case QPUCC_SLOT_UNIFORM_ADDRESS: ck_assert_uint_eq(stream[i], 0x500000 + slot.value); break;
            case QPUCC_SLOT_EXPRESSION: break;
            }
        }
        struct qpucc_slot slot;
        ck_assert(!qpucc_uniforms_slot(p, (enum qpucc_stage)s, size, &slot));
    }
    for (unsigned k = 0; k < 7; k++)
        ck_assert_msg(seen[k] > 0, "no slot of kind %u", k);
    struct qpucc_slot slot;
    ck_assert(!qpucc_uniforms_slot(p, QPUCC_STAGE_COUNT, 0, &slot));

    /* two pictures and the lookup in the array, each once, in the order of their requests */
    struct qpucc_texture_sample sample[8];
    size_t count = qpucc_texture_samples(p, QPUCC_FRAGMENT, sample, 8);
    unsigned units = 0, lookups = 0;
    ck_assert_uint_eq(count, qpucc_program_stats(p, QPUCC_FRAGMENT)->tmu);
    ck_assert_uint_eq(count, 3);
    for (size_t i = 0; i < count; i++) {
        ck_assert(i == 0 || sample[i].instruction > sample[i - 1].instruction);
        for (unsigned k = 0; k < sample[i].word_count; k++) {
            ck_assert(qpucc_uniforms_slot(p, QPUCC_FRAGMENT, sample[i].word[k], &slot));
            if (sample[i].unit == UINT32_MAX)
                ck_assert_int_eq(slot.kind, QPUCC_SLOT_UNIFORM_ADDRESS);
            else
                ck_assert(slot.kind == QPUCC_SLOT_TEXTURE && slot.value == sample[i].unit && slot.part == k);
        }
        units |= sample[i].unit < 32 ? 1u << sample[i].unit : 0;
        lookups += sample[i].unit == UINT32_MAX;
        ck_assert_uint_eq(sample[i].word_count, sample[i].unit == UINT32_MAX ? 1 : 2);
    }
    ck_assert_uint_eq(lookups, 1);
    ck_assert_int_eq(__builtin_popcount(units), 2);
    memset(sample, 0xee, sizeof sample);
    ck_assert_uint_eq(qpucc_texture_samples(p, QPUCC_FRAGMENT, sample, 1), 3);
    ck_assert_uint_eq(sample[1].unit, 0xeeeeeeee);
    ck_assert_uint_eq(qpucc_texture_samples(p, QPUCC_VERTEX, NULL, 0), 0);
    ck_assert_uint_eq(qpucc_texture_samples(p, QPUCC_STAGE_COUNT, NULL, 0), 0);
    qpucc_program_free(p);
}
END_TEST

/* Samples with a cube map's face stride or a bias take a word more. */
START_TEST(samples_with_three_words) {
    qpucc_program *p =
        compile("attribute vec4 p; varying vec4 v; void main() { v = p; gl_Position = p; }",
                "precision mediump float; uniform samplerCube c; uniform sampler2D s; varying vec4 v;\n"
                "void main() { gl_FragColor = textureCube(c, v.xyz) + texture2D(s, v.xy, v.w); }",
                NULL);
    struct qpucc_texture_sample sample[4];
    ck_assert_uint_eq(qpucc_texture_samples(p, QPUCC_FRAGMENT, sample, 4), 2);
    ck_assert_uint_eq(sample[0].word_count + sample[1].word_count, 6);
    qpucc_program_free(p);
}
END_TEST

/* --- viewports ------------------------------------------------------------------------------------------ */

/* Runs a vertex or coordinate shader for sixteen vertices of four words. */
static void run(const qpucc_program *p, enum qpucc_stage stage, const struct qpucc_draw_values *v,
                const struct qpusim_vertices *vertices, struct qpusim_result *result) {
    uint32_t stream[128];
    size_t count, size = qpucc_uniforms_size(p, stage);
    const uint64_t *code = qpucc_program_code(p, stage, &count);
    struct qpusim_error error = {0};
    ck_assert_uint_le(size, 128);
    ck_assert(qpucc_uniforms_fill(p, stage, v, stream));
    struct qpusim_program *program =
        qpusim_program_new(code, count, stage == QPUCC_VERTEX ? QPUSIM_VERTEX : QPUSIM_COORDINATE, false);
    struct qpusim_run_info job = {
        .program = program, .uniforms = {.words = stream, .count = size}, .vertices = vertices};
    ck_assert_msg(qpusim_run(&job, NULL, result, &error) == QPUSIM_OK, "%s", error.text);
    qpusim_program_free(program);
}

START_TEST(scale_and_offset_may_be_negative) {
    static const char *const vertex[] = {
        "attribute vec4 p; void main() { gl_Position = p; }",
        "uniform mat4 m; attribute vec4 p; void main() { gl_Position = m * p; }", /* the folded row */
    };
    for (int n = 0; n < 2; n++) {
        qpucc_program *p = compile(vertex[n], NULL, NULL);
        static struct qpusim_vertices vertices = {.count = 16, .row_count = 4};
        static struct qpusim_result result[2][2];
        uint32_t unit[16] = {0};
        seed = 5;
        for (int k = 0; k < 4; k++)
            unit[5 * k] = bits(1);
        for (unsigned l = 0; l < 16; l++)
            for (unsigned r = 0; r < 4; r++)
                vertices.rows[r][l] = bits(r == 3 ? 2.0f : (float)below(4001) / 1000.0f - 2.0f);
        struct qpucc_draw_values v = {
            .uniforms = unit, .state = {.viewport_scale = {1600, 1200, 0.5f}, .viewport_offset_z = 0.5f}};
        for (int negative = 0; negative < 2; negative++) {
            if (negative) {
                for (int k = 0; k < 3; k++)
                    v.state.viewport_scale[k] = -v.state.viewport_scale[k];
                v.state.viewport_offset_z = -v.state.viewport_offset_z;
            }
            run(p, QPUCC_COORDINATE, &v, &vertices, &result[negative][0]);
            run(p, QPUCC_VERTEX, &v, &vertices, &result[negative][1]);
        }
        for (int stage = 0; stage < 2; stage++)
            for (unsigned l = 0; l < 16; l++) {
                unsigned screen =
                    stage == 0 ? 4 : 0; /* the coordinate shader's clip coordinates come first */
                uint32_t plain = result[0][stage].rows[screen][l], turned = result[1][stage].rows[screen][l];
                for (int k = 0; k < 2; k++) {
                    int a = (int16_t)(plain >> 16 * k), b = (int16_t)(turned >> 16 * k);
                    double ideal = number(vertices.rows[k][l]) / 2.0 * (k ? 1200 : 1600);
                    ck_assert_msg(abs(a + b) <= 1, "%d and %d", a, b);
                    ck_assert_msg(a >= ideal - 1 && a <= ideal + 1, "%d, not %g", a, ideal);
                }
                float z = number(result[0][stage].rows[screen + 1][l]),
                      turned_z = number(result[1][stage].rows[screen + 1][l]);
                ck_assert_msg(z + turned_z < 1e-5f && z + turned_z > -1e-5f, "%g and %g", z, turned_z);
                /* the clipper's view is the same, but for half a sixteenth of a pixel that rounding adds */
                for (int k = 0; k < 4 && stage == 0; k++)
                    ck_assert_float_eq_tol(number(result[0][0].rows[k][l]), number(result[1][0].rows[k][l]),
                                           n && k < 2 ? 2.1f / 1200 : 2e-6f);
            }
        qpucc_program_free(p);
    }
}
END_TEST

/* --- texts ---------------------------------------------------------------------------------------------- */

/* A sum of six products: names of 12,000 characters in all. */
START_TEST(long_texts_end_early) {
    enum { NAME = 1000, SIZE = 30000 };
    static char text[SIZE];
    char name[NAME + 1];
    size_t at = 0;
    memset(name, 'n', NAME);
    name[NAME] = 0;
#define EMIT(...) at += (size_t)snprintf(text + at, SIZE - at, __VA_ARGS__)
    EMIT("precision highp float;\n");
    for (int k = 0; k < 12; k++)
        EMIT("uniform float u%d%s;\n", k, name);
    EMIT("void main() { gl_FragColor = gl_FragCoord * (0.0");
    for (int k = 0; k < 12; k++)
        EMIT("%su%d%s", k % 2 ? "*" : "+", k, name);
    EMIT("); }\n");
#undef EMIT
    qpucc_program *p = compile(NULL, text, NULL);
    unsigned cut = 0;
    for (size_t i = 0; i < qpucc_uniforms_size(p, QPUCC_FRAGMENT); i++) {
        const char *word = qpucc_uniform_text(p, QPUCC_FRAGMENT, i);
        ck_assert_uint_le(strlen(word), 4096 + 3);
        cut += strlen(word) == 4096 + 3 && !strcmp(word + 4096, "...");
    }
    ck_assert_uint_gt(cut, 0);
    qpucc_program_free(p);
}
END_TEST

/* Not where that locale is not installed. */
START_TEST(no_locale) {
    qpucc_program *p = compile(NULL, "void main() { gl_FragColor = gl_FragCoord * 0.3; }", NULL);
    setlocale(LC_ALL, "de_DE.UTF-8");
    for (size_t i = 0; i < qpucc_uniforms_size(p, QPUCC_FRAGMENT); i++)
        ck_assert_ptr_null(strchr(qpucc_uniform_text(p, QPUCC_FRAGMENT, i), ','));
    setlocale(LC_ALL, "C");
    qpucc_program_free(p);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("uniforms");
    TCase *tests = tcase_create("uniforms");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, std140_is_glslangs, 0, 8);
    tcase_add_test(tests, layouts_give_the_same_streams);
    tcase_add_test(tests, slots_have_documented_kinds);
    tcase_add_test(tests, samples_with_three_words);
    tcase_add_test(tests, scale_and_offset_may_be_negative);
    tcase_add_test(tests, long_texts_end_early);
    tcase_add_test(tests, no_locale);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
