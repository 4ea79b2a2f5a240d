/* Lookups in buffers, run on the machine: members of uniform blocks, and samples of multisample textures. The
 * modules are cases of tests/frontend. Each shader delivers a word as it is. */
#include "api.h"
#include "tests/frontend/spirv_module.h"

#include <qpucc/qpusim.h>

static qpucc_program *compile_module(const char *name, const struct qpucc_state *state, int level) {
    struct qpucc_options options = qpucc_options_default();
    char path[500];
    size_t words = 0;
    snprintf(path, sizeof path, "%s/%s", SPIRV_CASES, name);
    uint32_t *module = spirv_module_load(path, &words);
    ck_assert_ptr_nonnull(module);
    options.flags |= QPUCC_BLOCKS_IN_BUFFERS;
    options.opt_level = level;
    struct qpucc_source source = {name, module, 4 * words, QPUCC_FRAGMENT, QPUCC_SPIRV};
    qpucc_program *program = qpucc_compile(&source, 1, state, &options);
    free(module);
    expect_ok(program);
    return program;
}

/* --- the machine ---------------------------------------------------------------------------------------- */

struct setting {
    struct qpusim_memory *memory;
    uint32_t textures[QPUCC_MAX_TEXTURES][4], uniforms[16];
};

/* A buffer of `words` words as `unit`'s; returns them. */
static uint32_t *bind(struct setting *s, unsigned unit, uint32_t words) {
    uint32_t address = qpusim_memory_alloc(s->memory, 4 * words, 16);
    ck_assert(address);
    s->textures[unit][0] = address;
    s->textures[unit][1] = 4 * (words - 1);
    return qpusim_memory_map(s->memory, address, 4 * words);
}

/* Colours of the pixels (x..x+7, y) and those below, lane by lane. */
static void run(const qpucc_program *program, const struct setting *s, int x, int y,
                uint32_t colors[QPUSIM_LANES]) {
    struct qpucc_draw_values values = {.uniforms = s->uniforms,
                                       .textures = (const uint32_t(*)[4])s->textures,
                                       .stream_address = {[QPUCC_FRAGMENT] = QPUSIM_STREAM_ADDRESS}};
    size_t count, size = qpucc_uniforms_size(program, QPUCC_FRAGMENT);
    uint32_t *stream = calloc(size + 1, sizeof *stream);
    ck_assert(qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, stream));
    const uint64_t *code = qpucc_program_code(program, QPUCC_FRAGMENT, &count);
    bool threaded = qpucc_program_stats(program, QPUCC_FRAGMENT)->threads == 2;
    struct qpusim_program *loaded = qpusim_program_new(code, count, QPUSIM_FRAGMENT, threaded);
    struct qpusim_fragments fragments = {.live = 0xffff, .coverage = 0xffff};
    for (int lane = 0; lane < QPUSIM_LANES; lane++) {
        fragments.x[lane] = x + lane / 4 * 2 + (lane & 1);
        fragments.y[lane] = y + (lane >> 1 & 1);
        fragments.w[lane] = 1;
    }
    struct qpusim_run_info info = {
        .program = loaded, .memory = s->memory, .uniforms = {.words = stream, .count = size}};
    struct qpusim_result result = {0};
    struct qpusim_error error = {0};
    info.fragments = &fragments;
    ck_assert_msg(qpusim_run(&info, NULL, &result, &error) == QPUSIM_OK, "%s", error.text);
    memcpy(colors, result.color, sizeof result.color);
    qpusim_program_free(loaded);
    free(stream);
}

static uint32_t noise(uint32_t n) {
    n = (n ^ 0x9e3779b9u) * 0x85ebca6bu;
    n = (n ^ n >> 13) * 0xc2b2ae35u;
    return n ^ n >> 16;
}

/* --- blocks --------------------------------------------------------------------------------------------- */

/* The word of `second` or `several` that row y of buffers.frag asks for in column x, by std140's rules, and
 * what an index beyond the end leads to is not asked. */
static uint32_t expected_word(uint32_t *const buffer[3], int x, int y) {
    enum { LIST = 4, PAIRS = 16, COLUMNS = 24, ROWS = 36, LAST = 44 };
    const uint32_t *b = buffer[0];
    switch (y) {
    case 1: return b[LIST + 4 * x + 1];
    case 2: return b[LIST + 8 + x];
    case 3: return b[PAIRS + 4 * x + 3];
    case 4: return b[PAIRS + 4] ^ b[PAIRS + 4 + 2];
    case 5: return b[COLUMNS + 4 * x + 1];
    case 6: return b[COLUMNS + 8 + x];
    case 7: return b[ROWS + 4 + x];
    case 8: return b[ROWS + 2 + 4 * x];
    case 9: return b[LAST];
    case 10: return buffer[2][4 * x + 2];
    case 11: return buffer[1][4 + x];
    default: return b[0];
    }
}

static const int columns_of_row[12] = {8, 3, 3, 2, 8, 3, 2, 3, 2, 8, 2, 4};

static void expect_blocks(const qpucc_program *program, const struct setting *s, uint32_t *const buffer[3]) {
    uint32_t colors[QPUSIM_LANES];
    for (int y = 0; y < 12; y += 2) {
        run(program, s, 0, y, colors);
        for (int lane = 0; lane < QPUSIM_LANES; lane++) {
            int x = lane / 4 * 2 + (lane & 1), row = y + (lane >> 1 & 1);
            if (x < columns_of_row[row])
                ck_assert_msg(colors[lane] == expected_word(buffer, x, row),
                              "column %d, row %d: %08x, not %08x", x, row, colors[lane],
                              expected_word(buffer, x, row));
        }
    }
}

START_TEST(blocks_lie_in_buffers) {
    struct setting s = {.memory = qpusim_memory_new(1 << 16)};
    uint32_t *buffer[3];
    for (unsigned unit = 0; unit < 3; unit++) {
        buffer[unit] = bind(&s, unit, unit ? 8 : 45);
        for (uint32_t n = 0; n < (unit ? 8 : 45); n++) /* of a float no denormal and no NaN */
            buffer[unit][n] = (noise(64 * unit + n) & 0xbfffffff) | 0x20000000;
    }
    for (int level = 0; level <= 3; level++) {
        qpucc_program *program = compile_module("buffers.frag", NULL, level);
        const struct qpucc_variable *one = variable(program, QPUCC_SAMPLERS, "second"),
                                    *two = variable(program, QPUCC_SAMPLERS, "several");
        ck_assert(one && one->base == QPUCC_UNIFORM_BLOCK && one->location == 1 && one->word == 0 &&
                  one->used);
        ck_assert(two && two->base == QPUCC_UNIFORM_BLOCK && two->location == 2 && two->array_length == 2);
        ck_assert_uint_eq(qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_PACKED), 0);
        expect_blocks(program, &s, buffer);

        size_t size = qpucc_program_save(program, QPUCC_SAVE_IR, NULL, 0);
        void *bytes = malloc(size);
        ck_assert_uint_eq(qpucc_program_save(program, QPUCC_SAVE_IR, bytes, size), size);
        qpucc_program *loaded = qpucc_program_load(bytes, size);
        struct qpucc_state key = {.depth_test = 1};
        qpucc_program *variant = qpucc_variant(loaded, &key);
        expect_ok(variant);
        expect_blocks(loaded, &s, buffer);
        expect_blocks(variant, &s, buffer);
        qpucc_program_free(variant);
        qpucc_program_free(loaded);
        qpucc_program_free(program);
        free(bytes);
    }
    qpusim_memory_free(s.memory);
}
END_TEST

/* The word that the driver gives limits what is read, whatever the shader asks for. */
START_TEST(the_buffers_end_limits) {
    struct setting s = {.memory = qpusim_memory_new(1 << 16), .uniforms = {32}};
    uint32_t *words = bind(&s, 0, 20), colors[QPUSIM_LANES];
    for (uint32_t n = 0; n < 20; n++)
        words[n] = noise(n);
    qpucc_program *program = compile_module("copy.frag", NULL, 2);
    for (int y = 0; y < 8; y += 2) {
        run(program, &s, 0, y, colors);
        for (int lane = 0; lane < QPUSIM_LANES; lane++) {
            int at = (y + (lane >> 1 & 1)) * 8 + lane / 4 * 2 + (lane & 1);
            ck_assert_uint_eq(colors[lane], words[at < 20 ? at : 19]);
        }
    }
    s.uniforms[0] = (uint32_t)-32; /* before its start */
    run(program, &s, 0, 2, colors);
    for (int lane = 0; lane < QPUSIM_LANES; lane++)
        ck_assert_uint_eq(colors[lane], words[0]);

    struct qpucc_texture_sample sample;
    struct qpucc_slot slot;
    ck_assert_uint_eq(qpucc_texture_samples(program, QPUCC_FRAGMENT, &sample, 1), 1);
    ck_assert(sample.unit == 0 && sample.word_count == 1);
    ck_assert(qpucc_uniforms_slot(program, QPUCC_FRAGMENT, sample.word[0], &slot));
    ck_assert(slot.kind == QPUCC_SLOT_TEXTURE && slot.value == 0 && slot.part == 0);
    qpucc_program_free(program);
    qpusim_memory_free(s.memory);
}
END_TEST

/* Both stages' block is one buffer; without the flag its members are uniforms. */
START_TEST(glsl_has_both_forms) {
    static const char vertex[] = "#version 300 es\nuniform B { vec4 a; mat4 m; }; in vec4 p;\n"
                                 "void main() { gl_Position = m * p + a; }",
                      fragment[] = "#version 300 es\nprecision highp float; uniform B { vec4 a; mat4 m; };\n"
                                   "uniform C { vec4 c; } other; uniform vec4 u; out vec4 color;\n"
                                   "void main() { color = a + other.c * u; }";
    struct qpucc_options options = qpucc_options_default();
    qpucc_program *storage = compile_with(vertex, fragment, NULL, &options);
    options.flags |= QPUCC_BLOCKS_IN_BUFFERS;
    qpucc_program *buffers = compile_with(vertex, fragment, NULL, &options);
    expect_ok(storage);
    expect_ok(buffers);
    ck_assert_ptr_nonnull(variable(storage, QPUCC_UNIFORMS, "C.c"));
    ck_assert_uint_eq(qpucc_program_variable_count(storage, QPUCC_SAMPLERS), 0);
    ck_assert_uint_eq(qpucc_program_variable_count(buffers, QPUCC_SAMPLERS), 2);
    ck_assert_uint_eq(qpucc_program_variable_count(buffers, QPUCC_UNIFORMS), 1);
    ck_assert_str_eq(qpucc_base_type_name(variable(buffers, QPUCC_SAMPLERS, "B")->base), "uniform");
    qpucc_program_free(storage);
    qpucc_program_free(buffers);
}
END_TEST

/* Offsets that lie beyond 24 bits, or are negative, end at the buffer's ends, too. */
START_TEST(far_offsets_end_there) {
    struct setting s = {.memory = qpusim_memory_new(1 << 16)};
    uint32_t *words = bind(&s, 0, 20), colors[QPUSIM_LANES];
    static const uint32_t strides[] = {0x7fffff00u, 0x80000000u, 0x01000000u, 0xff000000u};
    for (uint32_t n = 0; n < 20; n++)
        words[n] = noise(n);
    qpucc_program *program = compile_module("copy.frag", NULL, 2);
    for (int k = 0; k < 4; k++) {
        s.uniforms[0] = strides[k];
        run(program, &s, 0, 0, colors);
        for (int lane = 2; lane < 4; lane++) { /* row 1 */
            uint32_t offset = strides[k] + (uint32_t)(lane & 1) * 4;
            ck_assert_uint_eq(colors[lane], words[(int32_t)offset < 0 ? 0 : 19]);
        }
    }
    qpucc_program_free(program);
    qpusim_memory_free(s.memory);
}
END_TEST

/* --- multisample textures ------------------------------------------------------------------------------- */

enum { WIDTH = 70, HEIGHT = 40, TILES_ACROSS = 3, TILES_DOWN = 2, EDGE = 32, SAMPLES = 4 };

static uint32_t sample_at(int x, int y, int number) {
    return noise((uint32_t)((y * 128 + x) * SAMPLES + number));
}

/* In the order of a dump: tiles, quads, samples, pixels. */
static void write_samples(uint32_t *to) {
    for (int tile = 0; tile < TILES_ACROSS * TILES_DOWN; tile++)
        for (int quad = 0; quad < EDGE * EDGE / 4; quad++)
            for (int number = 0; number < SAMPLES; number++)
                for (int pixel = 0; pixel < 4; pixel++)
                    *to++ = sample_at(tile % TILES_ACROSS * EDGE + quad % (EDGE / 2) * 2 + pixel % 2,
                                      tile / TILES_ACROSS * EDGE + quad / (EDGE / 2) * 2 + pixel / 2, number);
}

static uint32_t swapped(uint32_t color) {
    return (color & 0xff00ff00u) | (color & 255) << 16 | (color >> 16 & 255);
}

START_TEST(samples_are_fetched) {
    struct setting s = {.memory = qpusim_memory_new(1 << 18)};
    struct qpucc_state key = {.texture = {{.format = QPUCC_TEX_BGRA, .yuv = QPUCC_YUV_NONE}}};
    uint32_t colors[QPUSIM_LANES];
    write_samples(bind(&s, 0, TILES_ACROSS * TILES_DOWN * EDGE * EDGE * SAMPLES));
    s.textures[0][2] = WIDTH | HEIGHT << 16;
    qpucc_program *program = compile_module("samples.frag", NULL, 2), *bgra = qpucc_variant(program, &key);
    const struct qpucc_variable *v = variable(program, QPUCC_SAMPLERS, "u_samples");
    ck_assert(v && v->base == QPUCC_SAMPLER2D_MS && qpucc_variable_gl_type(v) == 0x9108);
    expect_ok(bgra);
    for (int y = 0; y < HEIGHT; y += 2)
        for (int x = 0; x < WIDTH; x += 8) {
            s.uniforms[0] = noise((uint32_t)(x * 64 + y)) & 3;
            for (int turn = 0; turn < 2; turn++) {
                run(turn ? bgra : program, &s, x, y, colors);
                for (int lane = 0; lane < QPUSIM_LANES; lane++) {
                    uint32_t expected =
                        sample_at(x + lane / 4 * 2 + (lane & 1), y + (lane >> 1 & 1), (int)s.uniforms[0]);
                    ck_assert_uint_eq(colors[lane], turn ? swapped(expected) : expected);
                }
            }
        }
    run(program, &s, 0, 1000, colors); /* its size */
    for (int lane = 0; lane < QPUSIM_LANES; lane++)
        ck_assert_uint_eq(colors[lane], 0xff000000u | HEIGHT << 8 | WIDTH);
    /* what a key says of other samplers does no harm */
    key.texture[0].yuv = QPUCC_YUV_2_PLANES;
    key.texture[0].format = QPUCC_TEX_RGBA;
    qpucc_program *planes = qpucc_variant(program, &key);
    expect_ok(planes);
    qpucc_program_free(planes);
    qpucc_program_free(bgra);
    qpucc_program_free(program);
    qpusim_memory_free(s.memory);
}
END_TEST

START_TEST(glsl_has_samples) {
    static const char fetches[] =
        "#version 150\nuniform sampler2DMS s; out vec4 c;\n"
        "void main() { c = texelFetch(s, ivec2(1), 1) + vec4(textureSize(s), 0, 0); }";
    qpucc_program *p = compile_pair(NULL, fetches, NULL);
    expect_ok(p);
    ck_assert_int_eq(variable(p, QPUCC_SAMPLERS, "s")->base, QPUCC_SAMPLER2D_MS);
    ck_assert_str_eq(qpucc_base_type_name(QPUCC_SAMPLER2D_MS), "sampler2DMS");
    qpucc_program_free(p);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {blocks_lie_in_buffers, the_buffers_end_limits, far_offsets_end_there,
                                  glsl_has_both_forms,   samples_are_fetched,    glsl_has_samples};
    return run_tests("buffers", tests, sizeof tests / sizeof *tests);
}
