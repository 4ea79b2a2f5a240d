/* Programs as bytes: what is saved comes back, and nothing else is taken for a program. */
#include "tests/compiler/program_equal.h"

#include <check.h>
#include <pthread.h>
#include <qpucc/fixed.h>
#include <stdio.h>
#include <stdlib.h>

static const char vertex[] =
    "attribute vec4 p; attribute vec2 t; uniform mat4 m; uniform vec4 u[3]; varying vec2 v; varying vec3 w;\n"
    "void main() { gl_Position = m * p; gl_PointSize = p.x; v = t; w = u[1].xyz * p.w; }\n";
static const char fragment[] =
    "precision highp float; varying vec2 v; varying vec3 w; uniform sampler2D s, n[2]; uniform vec4 u[3];\n"
    "uniform int count;\n"
    "void main() { vec4 a = texture2D(s, v) * u[0] + pow(-2.0 - abs(u[2].x), w.x);\n"
    "  for (int i = 0; i < 8; i++) { if (i >= count) break; a += texture2D(n[1], v * a.xy) * 0.5; }\n"
    "  if (a.w < 0.1) discard; gl_FragColor = a + vec4(w, 1.0) * sqrt(u[1].y * 0.25); }\n";
static const char initial[] = "#version 330\nuniform float x = 0.5, y; out vec4 c; flat in int k;\n"
                              "void main() { c = vec4(x + y, 1.0, 0.25, float(k)); }\n";

static qpucc_program *compile(const char *vertex_text, const char *fragment_text, uint32_t flags) {
    struct qpucc_source sources[2];
    struct qpucc_options options = qpucc_options_default();
    size_t count = 0;
    if (vertex_text)
        sources[count++] =
            (struct qpucc_source){"a.vert", vertex_text, strlen(vertex_text), QPUCC_VERTEX, QPUCC_GLSL};
    if (fragment_text)
        sources[count++] =
            (struct qpucc_source){"a.frag", fragment_text, strlen(fragment_text), QPUCC_FRAGMENT, QPUCC_GLSL};
    options.flags |= flags;
    qpucc_program *p = qpucc_compile(sources, count, NULL, &options);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
    return p;
}

static uint8_t *save(const qpucc_program *p, uint32_t parts, size_t *size) {
    *size = qpucc_program_save(p, parts, NULL, 0);
    ck_assert_uint_gt(*size, 0);
    uint8_t *bytes = malloc(*size);
    ck_assert_uint_eq(qpucc_program_save(p, parts, bytes, *size - 1), *size);
    ck_assert_uint_eq(qpucc_program_save(p, parts, bytes, *size), *size);
    return bytes;
}

static void expect_same(const qpucc_program *a, const qpucc_program *b) {
    const char *differs = program_difference(a, b);
    ck_assert_msg(!differs, "%s", differs);
}

static void expect_refusal(const qpucc_program *p, const char *code) {
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, qpucc_program_diagnostic_count(p) - 1);
    ck_assert_str_eq(d->code, code);
    ck_assert_uint_gt(strlen(d->text), 20);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        ck_assert_ptr_null(qpucc_program_code(p, (enum qpucc_stage)s, NULL));
}

static void fill_alike(const qpucc_program *a, const qpucc_program *b) {
    uint32_t storage[200], textures[QPUCC_MAX_TEXTURES][4], x[400], y[400];
    for (uint32_t i = 0; i < 200; i++)
        storage[i] = 0x3f800000u + i * 77777;
    for (uint32_t i = 0; i < QPUCC_MAX_TEXTURES * 4; i++)
        textures[i / 4][i % 4] = i * 12345;
    struct qpucc_draw_values values = {.uniforms = storage, .textures = (const uint32_t(*)[4])textures};
    qpucc_draw_state_viewport(&values.state, 320, 240, 0.25f, 0.75f, 240, false);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t words = qpucc_uniforms_size(a, (enum qpucc_stage)s);
        ck_assert_uint_le(words, 400);
        if (!qpucc_program_code(a, (enum qpucc_stage)s, NULL))
            continue;
        ck_assert(qpucc_uniforms_fill(a, (enum qpucc_stage)s, &values, x));
        ck_assert(qpucc_uniforms_fill(b, (enum qpucc_stage)s, &values, y));
        ck_assert_mem_eq(x, y, words * 4);
    }
}

START_TEST(what_is_saved_comes_back) {
    struct qpucc_fixed fixed = {.lighting = 1};
    fixed.light[0].enabled = 1;
    qpucc_program *programs[] = {compile(vertex, fragment, 0),
                                 compile(vertex, fragment, QPUCC_GENERATE_IR),
                                 compile(vertex, NULL, 0),
                                 compile(NULL, initial, 0),
                                 compile("void main() {}", NULL, 0),
                                 qpucc_compile_fixed(&fixed, NULL, NULL),
                                 compile(vertex, fragment, QPUCC_POLICY_FAST),
                                 compile(vertex, fragment, QPUCC_POLICY_PRECISE)};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        size_t size, again;
        uint8_t *bytes = save(programs[i], QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, &size);
        qpucc_program *loaded = qpucc_program_load(bytes, size);
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(loaded, 0);
        ck_assert_msg(qpucc_program_status(loaded) == QPUCC_OK, "%s", d ? d->text : "");
        expect_same(programs[i], loaded);
        ck_assert_int_eq(qpucc_program_policy(loaded), qpucc_program_policy(programs[i]));
        fill_alike(programs[i], loaded);
        uint8_t *second = save(loaded, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, &again);
        ck_assert_uint_eq(size, again);
        ck_assert_mem_eq(bytes, second, size);
        free(second);
        /* the kept IR, too: variants are the same */
        struct qpucc_state states[3] = {{.depth_test = 1}, {.primitive = QPUCC_POINTS}, {.flip_y = 1}};
        for (int k = 0; k < 3 && i != 1; k++) { /* but for the numbers of values in the IR's text */
            states[k].texture[0].format = QPUCC_TEX_BGRA;
            qpucc_program *a = qpucc_variant(programs[i], &states[k]), *b = qpucc_variant(loaded, &states[k]);
            ck_assert_int_eq(qpucc_program_status(a), QPUCC_OK);
            expect_same(a, b);
            qpucc_program_free(a);
            qpucc_program_free(b);
        }
        qpucc_program_free(loaded);
        free(bytes);
        qpucc_program_free(programs[i]);
    }
}
END_TEST

START_TEST(parts_are_left_out) {
    qpucc_program *p = compile(vertex, fragment, 0);
    size_t whole, bare;
    uint8_t *all = save(p, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, &whole), *bytes = save(p, 0, &bare);
    ck_assert_uint_lt(bare * 2, whole);
    qpucc_program *loaded = qpucc_program_load(bytes, bare), *variant = qpucc_variant(loaded, NULL);
    ck_assert_int_eq(qpucc_program_status(loaded), QPUCC_OK);
    ck_assert_ptr_null(qpucc_program_spirv(loaded, QPUCC_VERTEX, NULL));
    ck_assert_ptr_nonnull(qpucc_program_lines(loaded, QPUCC_VERTEX));
    expect_refusal(variant, "usage");
    size_t again;
    uint8_t *second = save(loaded, QPUCC_SAVE_IR, &again); /* which it has not */
    ck_assert_uint_eq(again, bare);
    ck_assert_uint_eq(qpucc_program_save(p, 1u << 31, NULL, 0), 0);
    qpucc_program_free(variant);
    variant = qpucc_program_load(NULL, 0);
    expect_refusal(variant, "container");
    ck_assert_uint_eq(qpucc_program_save(variant, 0, NULL, 0), 0);
    qpucc_program_free(variant);
    qpucc_program_free(loaded);
    qpucc_program_free(p);
    p = compile(vertex, fragment, QPUCC_PREPROCESS_ONLY); /* no code: no container */
    ck_assert_uint_eq(qpucc_program_save(p, 0, NULL, 0), 0);
    qpucc_program_free(p);
    free(second);
    free(bytes);
    free(all);
}
END_TEST

static qpucc_program *compile_within(enum qpucc_limit which, uint64_t limit) {
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.limit[which] = limit;
    return qpucc_compile(sources, 2, NULL, &options);
}

/* Variants of what was loaded are as long as others, and are refused where others are. */
START_TEST(limits_are_kept) {
    struct qpucc_state state = {.depth_test = 1, .primitive = QPUCC_POINTS};
    qpucc_program *free_of_limits = compile(vertex, fragment, 0);
    uint64_t work = qpucc_program_usage(free_of_limits).work;
    uint32_t refused = 0, shorter = 0;
    for (int round = 0; round < 12; round++) {
        enum qpucc_limit which = round ? QPUCC_LIMIT_WORK : QPUCC_LIMIT_SEARCH;
        qpucc_program *p = compile_within(which, round ? work + 40 * (uint64_t)(round - 1) : 100);
        size_t size;
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
        uint8_t *bytes = save(p, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, &size);
        qpucc_program *loaded = qpucc_program_load(bytes, size), *variant = qpucc_variant(p, &state);
        for (int k = 0; k < 2; k++) { /* the first one reads the IR */
            qpucc_program *other = qpucc_variant(loaded, &state);
            expect_same(variant, other);
            ck_assert_uint_eq(qpucc_program_usage(variant).work, qpucc_program_usage(other).work);
            qpucc_program_free(other);
        }
        refused += qpucc_program_status(variant) != QPUCC_OK;
        qpucc_program *usual = qpucc_variant(free_of_limits, &state);
        shorter += round == 0 && program_difference(usual, variant) != NULL;
        qpucc_program_free(usual);
        qpucc_program_free(variant);
        qpucc_program_free(loaded);
        qpucc_program_free(p);
        free(bytes);
    }
    ck_assert_uint_gt(refused, 0);
    ck_assert_uint_gt(shorter, 0);
    qpucc_program_free(free_of_limits);
}
END_TEST

/* --- damage and malice ---------------------------------------------------------------------------------- */

START_TEST(damage_is_found) {
    qpucc_program *p = compile(vertex, fragment, 0);
    size_t size;
    uint8_t *bytes = save(p, QPUCC_SAVE_IR, &size), *copy = malloc(size + 8);
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 37) {
        uint8_t *exact = malloc(cut ? cut : 1); /* so that reading on is seen */
        memcpy(exact, bytes, cut);
        qpucc_program *loaded = qpucc_program_load(exact, cut);
        expect_refusal(loaded, "container");
        qpucc_program_free(loaded);
        free(exact);
    }
    for (size_t at = 0; at < size; at += at < 400 ? 1 : 13) {
        memcpy(copy, bytes, size);
        copy[at] ^= (uint8_t)(1u << at % 8);
        qpucc_program *loaded = qpucc_program_load(copy, size);
        expect_refusal(loaded, "container");
        qpucc_program_free(loaded);
    }
    memcpy(copy, bytes, size);
    memset(copy + size, 0, 8);
    qpucc_program *loaded = qpucc_program_load(copy, size + 8);
    expect_refusal(loaded, "container");
    qpucc_program_free(loaded);
    free(copy);
    free(bytes);
    qpucc_program_free(p);
}
END_TEST

/* The sum, as whoever makes a container to do harm would write it (compiler/bytes.c). */
static uint64_t sum_of(const uint8_t *at, size_t size) {
    uint64_t sum = size * 0x9e3779b97f4a7c15u;
    for (; size; at += 8) {
        size_t count = size < 8 ? size : 8;
        uint64_t word = 0;
        for (size_t i = 0; i < count; i++)
            word |= (uint64_t)at[i] << 8 * i;
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
        size -= count;
    }
    return sum;
}

static void store(uint8_t *at, uint64_t value) {
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void seal(uint8_t *bytes, size_t size) {
    store(bytes + 16, size);
    store(bytes + 24, sum_of(bytes, 24) + 3 * sum_of(bytes + 32, size - 32));
}

static uint32_t next(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed ^= *seed << 5;
}

/* Uses all that a program says. */
static void use(const qpucc_program *p) {
    uint32_t *storage = calloc(5000, 4), textures[QPUCC_MAX_TEXTURES][4] = {{0}};
    struct qpucc_draw_values values = {.uniforms = storage, .textures = (const uint32_t(*)[4])textures};
    struct qpucc_record_bytes record;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t words = qpucc_uniforms_size(p, (enum qpucc_stage)s), count;
        uint32_t *out = malloc((words + 1) * 4);
        qpucc_uniforms_fill(p, (enum qpucc_stage)s, &values, out);
        for (size_t i = 0; i < words; i++)
            ck_assert_ptr_nonnull(qpucc_uniform_text(p, (enum qpucc_stage)s, i));
        const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)s, &count);
        if (code)
            ck_assert_uint_eq(
                qpucc_check(code, count, (enum qpucc_stage)s,
                            s == QPUCC_FRAGMENT && qpucc_program_layout(p)->flags & QPUCC_THREADED, true,
                            NULL, 0),
                0);
        free(out);
    }
    for (int t = QPUCC_UNIFORMS; t <= QPUCC_VARYINGS; t++)
        for (size_t i = 0; i < qpucc_program_variable_count(p, (enum qpucc_interface)t); i++)
            ck_assert_ptr_nonnull(qpucc_program_variable(p, (enum qpucc_interface)t, i)->name);
    qpucc_record_fill(p, QPUCC_RECORD_GL, NULL, &record);
    free(storage);
}

/* Changed at random and given a sum that fits: refused or a program that can be used, nothing else. The
 * sanitizers look on. */
START_TEST(malice_does_no_harm) {
    qpucc_program *p = compile(vertex, fragment, 0);
    size_t size;
    uint8_t *bytes = save(p, QPUCC_SAVE_IR, &size), *copy = malloc(size + 64);
    uint32_t seed = 4711, taken = 0, refused = 0;
    struct qpucc_state state = {.depth_test = 1};
    for (int round = 0; round < 3000; round++) {
        size_t now = size;
        memcpy(copy, bytes, size);
        for (uint32_t k = next(&seed) % 3; k < 3; k++) {
            /* half of the changes among code, streams and tables, before the IR's text */
            size_t at = 32 + next(&seed) % ((next(&seed) & 1 ? size : size / 3) - 36);
            switch (next(&seed) % 5) {
            case 0: copy[at] ^= (uint8_t)(1u << next(&seed) % 8); break;
            case 1: copy[at] = (uint8_t)next(&seed); break;
            case 2: memset(copy + at, 0xff, 4); break;
            case 3: copy[at] = (uint8_t)(copy[at] + 1); break;
            default: now = size - next(&seed) % 40; break;
            }
        }
        seal(copy, now);
        qpucc_program *loaded = qpucc_program_load(copy, now);
        if (qpucc_program_status(loaded) == QPUCC_OK) {
            use(loaded);
            if (round % 8 == 0) {
                qpucc_program *variant = qpucc_variant(loaded, &state);
                ck_assert_int_ne(qpucc_program_status(variant), QPUCC_INTERNAL);
                use(variant);
                qpucc_program_free(variant);
            }
            taken++;
        } else {
            expect_refusal(loaded, "container");
            refused++;
        }
        qpucc_program_free(loaded);
    }
    ck_assert_uint_gt(taken, 100);
    ck_assert_uint_gt(refused, 100);
    free(copy);
    free(bytes);
    qpucc_program_free(p);
}
END_TEST

/* Wherever the container says how many varyings there are: one more than there is room for. */
START_TEST(too_many_varyings) {
    static const uint32_t MORE = QPUCC_MAX_VARYINGS + 1;
    qpucc_program *p = compile(vertex, fragment, 0);
    size_t size, found = 0;
    uint8_t *bytes = save(p, 0, &size), *copy = malloc(size);
    for (size_t at = 32; at + 4 <= size; at++) {
        uint32_t count;
        memcpy(&count, bytes + at, 4);
        if (count != qpucc_program_layout(p)->varying_count)
            continue;
        memcpy(copy, bytes, size);
        memcpy(copy + at, &MORE, 4);
        seal(copy, size);
        qpucc_program *loaded = qpucc_program_load(copy, size);
        for (size_t k = 0; k < qpucc_program_diagnostic_count(loaded); k++)
            found += strstr(qpucc_program_diagnostic(loaded, k)->text, "more varyings than") != NULL;
        qpucc_program_free(loaded);
    }
    ck_assert_uint_eq(found, 1);
    free(copy);
    free(bytes);
    qpucc_program_free(p);
}
END_TEST

/* The container with `size` bytes for those from `from` on to `to`. */
static qpucc_program *load_changed(const uint8_t *bytes, size_t all, size_t from, size_t to,
                                   const uint8_t *by, size_t size) {
    size_t now = all - (to - from) + size;
    uint8_t *copy = malloc(now);
    memcpy(copy, bytes, from);
    memcpy(copy + from, by, size);
    memcpy(copy + from + size, bytes + to, all - to);
    seal(copy, now);
    qpucc_program *loaded = qpucc_program_load(copy, now);
    free(copy);
    return loaded;
}

static void store_count(uint8_t *at, size_t count) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(count >> 8 * i);
}

/* Tables of uniforms that no compile makes: the same word many times, words that are no variable's, a name of
 * a million structures. */
START_TEST(uniforms_are_a_layout) {
    enum { BEFORE = 26, AFTER = 21, NAME = 8, RECORD = BEFORE + NAME + AFTER, MANY = 100, DOTS = 1000000 };
    qpucc_program *p = compile(NULL,
                               "precision highp float; uniform vec4 a_colour, u_colour;\n"
                               "void main() { gl_FragColor = a_colour * u_colour; }",
                               0);
    size_t size, at = 32;
    uint8_t *bytes = save(p, 0, &size), *many = malloc(4 + MANY * RECORD), *deep = malloc(4 + 2 * DOTS);
    while (memcmp(bytes + at, "a_colour", NAME) != 0)
        at++;
    size_t first = at - BEFORE, last = first + RECORD;
    store_count(many, MANY + 1);
    for (size_t i = 0; i < MANY; i++)
        memcpy(many + 4 + i * RECORD, bytes + first, RECORD);
    qpucc_program *loaded = load_changed(bytes, size, first - 4, last, many, 4 + MANY * RECORD);
    expect_refusal(loaded, "container");
    qpucc_program_free(loaded);
    store_count(many, 0);
    loaded = load_changed(bytes, size, first - 4, last + RECORD, many, 4);
    expect_refusal(loaded, "container");
    qpucc_program_free(loaded);
    store_count(deep, 2 * DOTS + 1);
    for (size_t i = 0; i < DOTS; i++)
        memcpy(deep + 4 + 2 * i, "a.", 2);
    loaded = load_changed(bytes, size, at - 4, at + NAME, deep, 4 + 2 * DOTS);
    ck_assert_int_eq(qpucc_program_status(loaded), QPUCC_OK);
    ck_assert_uint_eq(qpucc_program_uniform_bytes(loaded, QPUCC_UNIFORMS_STD140), 32);
    qpucc_program_free(loaded);
    free(deep);
    free(many);
    free(bytes);
    qpucc_program_free(p);
}
END_TEST

/* A record says whether code has one thread: one that has two has not. */
START_TEST(threads_are_one_or_two) {
    qpucc_program *p = compile(NULL,
                               "precision mediump float; uniform sampler2D s; varying vec2 v;\n"
                               "void main() { gl_FragColor = texture2D(s, v) * 0.5; }",
                               0);
    size_t size, count, at = 32;
    uint8_t *bytes = save(p, 0, &size);
    const uint64_t *code = qpucc_program_code(p, QPUCC_FRAGMENT, &count);
    ck_assert_uint_eq(qpucc_program_layout(p)->flags & 3, QPUCC_THREADED);
    uint8_t first[12], traits[4]; /* how many instructions, and the first of them */
    store_count(first, count);
    for (unsigned i = 0; i < 8; i++)
        first[4 + i] = (uint8_t)(code[0] >> 8 * i);
    while (memcmp(bytes + at, first, sizeof first) != 0)
        at++;
    store_count(traits, QPUCC_THREADED | QPUCC_SINGLE_THREADED);
    qpucc_program *loaded = load_changed(bytes, size, at - 4, at, traits, 4);
    expect_refusal(loaded, "container");
    qpucc_program_free(loaded);
    qpucc_program_free(p);
    free(bytes);
}
END_TEST

/* --- threads -------------------------------------------------------------------------------------------- */

static void *variant_of(void *user) {
    struct qpucc_state state = {.flip_y = 1};
    return qpucc_variant(user, &state);
}

/* The IR's text is read by the first who needs it. */
START_TEST(threads_make_variants_of_what_was_loaded) {
    qpucc_program *p = compile(vertex, fragment, 0);
    size_t size;
    uint8_t *bytes = save(p, QPUCC_SAVE_IR, &size);
    qpucc_program *loaded = qpucc_program_load(bytes, size);
    pthread_t threads[4];
    void *made[4];
    for (int t = 0; t < 4; t++)
        ck_assert_int_eq(pthread_create(&threads[t], NULL, variant_of, loaded), 0);
    for (int t = 0; t < 4; t++)
        pthread_join(threads[t], &made[t]);
    qpucc_program_free(loaded);
    for (int t = 0; t < 4; t++) {
        ck_assert_int_eq(qpucc_program_status(made[t]), QPUCC_OK);
        expect_same(made[0], made[t]);
    }
    for (int t = 0; t < 4; t++)
        qpucc_program_free(made[t]);
    qpucc_program_free(p);
    free(bytes);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("containers");
    TCase *tests = tcase_create("containers");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, what_is_saved_comes_back);
    tcase_add_test(tests, parts_are_left_out);
    tcase_add_test(tests, limits_are_kept);
    tcase_add_test(tests, damage_is_found);
    tcase_add_test(tests, malice_does_no_harm);
    tcase_add_test(tests, too_many_varyings);
    tcase_add_test(tests, uniforms_are_a_layout);
    tcase_add_test(tests, threads_are_one_or_two);
    tcase_add_test(tests, threads_make_variants_of_what_was_loaded);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
