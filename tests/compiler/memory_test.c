/* What programs hold: qpucc_program_bytes and the allocator, medians over the corpus; what is given up. */
#include <qpucc/qpucc.h>

#include <check.h>
#include <jansson.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char vertex[] = "attribute vec4 p; attribute vec2 t; uniform mat4 m; varying vec2 v;\n"
                             "void main() { gl_Position = m * p; v = t; }\n";
static const char fragment[] = "precision mediump float; varying vec2 v; uniform sampler2D s;\n"
                               "uniform vec4 c; uniform float a[3]; uniform bool never;\n"
                               "void main() { gl_FragColor = texture2D(s, v) * c * sin(a[1]); }\n";

static qpucc_program *compile(const char *vs, const char *fs) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = 1;
    struct qpucc_source sources[2] = {{"a.vert", vs, strlen(vs), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fs, strlen(fs), QPUCC_FRAGMENT, QPUCC_GLSL}};
    return qpucc_compile(sources, 2, NULL, &options);
}

static qpucc_program *load(const qpucc_program *program, uint32_t parts) {
    size_t size = qpucc_program_save(program, parts, NULL, 0);
    void *bytes = malloc(size);
    ck_assert_uint_eq(qpucc_program_save(program, parts, bytes, size), size);
    qpucc_program *loaded = qpucc_program_load(bytes, size);
    free(bytes);
    ck_assert_int_eq(qpucc_program_status(loaded), QPUCC_OK);
    return loaded;
}

static size_t bytes(const qpucc_program *program) {
    size_t sum = 0;
    for (int what = 0; what < QPUCC_MEMORY_ALL; what++)
        sum += qpucc_program_bytes(program, (enum qpucc_memory)what);
    ck_assert_uint_eq(sum, qpucc_program_bytes(program, QPUCC_MEMORY_ALL));
    return sum;
}

/* What the library has of the allocator: its calls come by here. What others asked for and it frees is not
 * known. */
enum { ROOM = 1 << 18 };
static const void *known[ROOM];
static size_t given;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);

static const void **find(const void *memory) {
    size_t at = (size_t)((uintptr_t)memory / 16 * 0x9e3779b97f4a7c15u >> 46) % ROOM;
    const void **gone = NULL;
    for (; known[at] && known[at] != memory; at = (at + 1) % ROOM)
        if (known[at] == known)
            gone = gone ? gone : &known[at];
    return known[at] || !gone ? &known[at] : gone;
}

static void *note(void *memory) {
    if (memory) {
        *find(memory) = memory;
        given += malloc_usable_size(memory);
    }
    return memory;
}

static void forget(void *memory) {
    const void **at = memory ? find(memory) : NULL;
    if (at && *at == memory) {
        *at = known; /* what lies behind it is still found */
        given -= malloc_usable_size(memory);
    }
}

void *__wrap_malloc(size_t size) {
    return note(__real_malloc(size));
}

void *__wrap_calloc(size_t number, size_t size) {
    return note(__real_calloc(number, size));
}

void *__wrap_realloc(void *old, size_t size) {
    forget(old);
    return note(__real_realloc(old, size));
}

void __wrap_free(void *old) {
    forget(old);
    __real_free(old);
}

/* All of it is counted; a block has 16 bytes in front, and may be a little larger than what was asked for. */
static void check_sum(size_t before, size_t counted, unsigned blocks) {
    ck_assert_uint_ge(given - before, counted);
    ck_assert_uint_le(given - before, counted + blocks * (24 + 16));
}

START_TEST(bytes_are_the_allocators) {
    qpucc_program_free(compile(vertex, fragment)); /* tables that stay are there now */
    size_t start = given;
    qpucc_program *program = compile(vertex, fragment);
    check_sum(start, bytes(program), 10);
    ck_assert_ptr_nonnull(qpucc_program_lines(program, QPUCC_FRAGMENT));
    check_sum(start, bytes(program), 11);
    size_t code = 0, with = qpucc_program_bytes(program, QPUCC_MEMORY_ALL);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count;
        qpucc_program_code(program, (enum qpucc_stage)s, &count);
        code += count * sizeof(uint64_t);
    }
    ck_assert_uint_eq(qpucc_program_bytes(program, QPUCC_MEMORY_CODE), code);
    for (int what = 0; what < QPUCC_MEMORY_ALL; what++)
        ck_assert_uint_gt(qpucc_program_bytes(program, (enum qpucc_memory)what), 0);
    ck_assert_uint_eq(qpucc_program_bytes(program, (enum qpucc_memory)(QPUCC_MEMORY_ALL + 1)), 0);
    /* what is made when it is asked for is counted, and goes with the names */
    ck_assert_ptr_nonnull(qpucc_uniform_text(program, QPUCC_FRAGMENT, 0));
    ck_assert_uint_gt(qpucc_program_bytes(program, QPUCC_MEMORY_ALL), with);
    qpucc_program_free(program);
}
END_TEST

START_TEST(dropped_memory_is_free) {
    static const enum qpucc_memory droppable[] = {QPUCC_MEMORY_IR, QPUCC_MEMORY_SPIRV, QPUCC_MEMORY_NAMES};
    qpucc_program_free(compile(vertex, fragment));
    size_t start = given;
    qpucc_program *program = compile(vertex, fragment);
    for (int k = 0; k < 3; k++) {
        size_t before = given, all = bytes(program), part = qpucc_program_bytes(program, droppable[k]);
        ck_assert(qpucc_program_drop(program, droppable[k]));
        ck_assert_uint_eq(qpucc_program_bytes(program, droppable[k]), 0);
        ck_assert_uint_eq(bytes(program), all - part);
        ck_assert_uint_ge(before - given, part);
        ck_assert(qpucc_program_drop(program, droppable[k])); /* once more */
    }
    check_sum(start, bytes(program), 4);
    for (int what = QPUCC_MEMORY_CODE; what <= QPUCC_MEMORY_LAYOUT; what++)
        ck_assert(!qpucc_program_drop(program, (enum qpucc_memory)what));
    ck_assert(!qpucc_program_drop(program, QPUCC_MEMORY_ALL));
    qpucc_program_free(program);
    ck_assert_uint_eq(given, start);
}
END_TEST

static void fill(const qpucc_program *program, uint32_t out[QPUCC_STAGE_COUNT][256]) {
    uint32_t uniforms[256], textures[QPUCC_MAX_TEXTURES][4] = {{1, 2, 3, 4}};
    for (int i = 0; i < 256; i++)
        uniforms[i] = 0x3f800000u + (uint32_t)i * 4096;
    struct qpucc_draw_values values = {
        .uniforms = uniforms, .layout = QPUCC_UNIFORMS_STD140, .textures = (const uint32_t(*)[4])textures};
    uint32_t *const streams[QPUCC_STAGE_COUNT] = {out[0], out[1], out[2]};
    ck_assert_uint_le(qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_STD140), sizeof uniforms);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        ck_assert_uint_le(qpucc_uniforms_size(program, (enum qpucc_stage)s), 256);
    memset(out, 0, QPUCC_STAGE_COUNT * sizeof *out);
    ck_assert(qpucc_uniforms_fill_all(program, &values, streams));
}

/* What a draw needs is the same afterwards. */
START_TEST(code_and_streams_stay) {
    qpucc_program *program = compile(vertex, fragment), *same = compile(vertex, fragment);
    static uint32_t streams[2][QPUCC_STAGE_COUNT][256];
    struct qpucc_record_bytes records[2];
    qpucc_program_drop(same, QPUCC_MEMORY_IR);
    qpucc_program_drop(same, QPUCC_MEMORY_SPIRV);
    qpucc_program_drop(same, QPUCC_MEMORY_NAMES);
    fill(program, streams[0]);
    fill(same, streams[1]);
    ck_assert_mem_eq(streams[0], streams[1], sizeof streams[0]);
    ck_assert(qpucc_record_fill(program, QPUCC_RECORD_GL, NULL, &records[0]));
    ck_assert(qpucc_record_fill(same, QPUCC_RECORD_GL, NULL, &records[1]));
    ck_assert_mem_eq(records[0].bytes, records[1].bytes, records[0].size);
    ck_assert_mem_eq(qpucc_program_layout(program), qpucc_program_layout(same), sizeof(struct qpucc_layout));
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t a, b;
        const uint64_t *one = qpucc_program_code(program, (enum qpucc_stage)s, &a),
                       *other = qpucc_program_code(same, (enum qpucc_stage)s, &b);
        ck_assert_uint_eq(a, b);
        ck_assert_mem_eq(one, other, a * sizeof *one);
        ck_assert_mem_eq(qpucc_program_lines(program, (enum qpucc_stage)s),
                         qpucc_program_lines(same, (enum qpucc_stage)s), a * sizeof(uint32_t));
    }
    /* and what it gave up is not there */
    struct qpucc_uniform_place place;
    ck_assert_uint_eq(qpucc_program_save(same, 0, NULL, 0), 0);
    ck_assert_ptr_null(qpucc_program_spirv(same, QPUCC_FRAGMENT, NULL));
    ck_assert_uint_eq(qpucc_program_variable_count(same, QPUCC_UNIFORMS), 0);
    ck_assert_ptr_null(qpucc_program_variable(same, QPUCC_UNIFORMS, 0));
    ck_assert(!qpucc_program_uniform_place(same, QPUCC_UNIFORMS_STD140, 0, &place));
    ck_assert_uint_eq(qpucc_program_controls(same, NULL, 0), 0);
    ck_assert_ptr_nonnull(qpucc_uniform_text(same, QPUCC_FRAGMENT, 0));
    qpucc_program_free(program);
    qpucc_program_free(same);
}
END_TEST

static void expect_refusal(qpucc_program *variant) {
    ck_assert_int_eq(qpucc_program_status(variant), QPUCC_SOURCE_ERROR);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(variant), 1);
    ck_assert_ptr_nonnull(strstr(qpucc_program_diagnostic(variant, 0)->text, "gave up"));
    qpucc_program_free(variant);
}

static void expect_variant(const qpucc_program *from) {
    struct qpucc_state state = {.depth_test = 1};
    qpucc_program *variant = qpucc_variant(from, &state);
    ck_assert_int_eq(qpucc_program_status(variant), QPUCC_OK);
    qpucc_program_free(variant);
}

/* What is shared goes with the last who shares it. */
START_TEST(others_keep_theirs) {
    for (int loaded = 0; loaded < 2; loaded++) {
        qpucc_program *program = compile(vertex, fragment);
        if (loaded) {
            qpucc_program *again = load(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV);
            qpucc_program_free(program);
            program = again;
        }
        struct qpucc_state state = {.flip_y = 1};
        qpucc_program *variant = qpucc_variant(program, &state);
        struct qpucc_constant constant = {qpucc_program_variable(program, QPUCC_UNIFORMS, 0)->word, 0};
        ck_assert_int_eq(qpucc_program_status(variant), QPUCC_OK);
        qpucc_program_drop(program, QPUCC_MEMORY_IR);
        expect_refusal(qpucc_variant(program, &state));
        expect_refusal(qpucc_specialise(program, &state, &constant, 1));
        ck_assert_uint_eq(qpucc_program_save(program, QPUCC_SAVE_IR, NULL, 0),
                          qpucc_program_save(program, 0, NULL, 0));
        expect_variant(variant);
        ck_assert_uint_gt(qpucc_program_bytes(variant, QPUCC_MEMORY_IR), 0);
        qpucc_program_drop(program, QPUCC_MEMORY_SPIRV);
        ck_assert_ptr_nonnull(qpucc_program_spirv(variant, QPUCC_VERTEX, NULL));
        qpucc_program_drop(program, QPUCC_MEMORY_NAMES);
        ck_assert_str_eq(qpucc_program_variable(variant, QPUCC_ATTRIBUTES, 0)->name, "p");
        qpucc_program_free(program);
        expect_variant(variant);
        qpucc_program *special = qpucc_specialise(variant, &state, &constant, 1);
        qpucc_program_drop(variant, QPUCC_MEMORY_NAMES);
        expect_refusal(qpucc_variant(variant, &state));
        qpucc_program_free(variant);
        ck_assert_str_eq(qpucc_program_variable(special, QPUCC_ATTRIBUTES, 0)->name, "p");
        expect_variant(special);
        qpucc_program_free(special);
    }
}
END_TEST

/* --- the corpus ----------------------------------------------------------------------------------------- */

enum { MOST = 4096 };

static int by_size(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

static void expect_median(const char *what, size_t *list, size_t count, size_t limit) {
    qsort(list, count, sizeof *list, by_size);
    printf("%s: %zu bytes, the median of %zu\n", what, list[count / 2], count);
    ck_assert_msg(list[count / 2] <= limit, "%s: more than %zu bytes", what, limit);
}

START_TEST(the_corpus_is_small) {
    static size_t whole[MOST], bare[MOST], of_variant[MOST], loaded[MOST];
    char path[4096], *line = NULL;
    size_t capacity = 0, count = 0;
    snprintf(path, sizeof path, "%s/corpus/dev-pairs.jsonl", getenv("QPUCC_SHARED"));
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    for (unsigned n = 0; count < MOST && getline(&line, &capacity, file) > 0; n++) {
        if (n % 6)
            continue;
        json_t *pair = json_loads(line, 0, NULL);
        qpucc_program *program = compile(json_string_value(json_object_get(pair, "vertex")),
                                         json_string_value(json_object_get(pair, "fragment")));
        if (qpucc_program_status(program) == QPUCC_OK) {
            struct qpucc_state state = {.depth_test = 1, .flip_y = 1};
            qpucc_program *variant = qpucc_variant(program, &state), *without = load(program, 0);
            static const enum qpucc_memory own[] = {QPUCC_MEMORY_CODE, QPUCC_MEMORY_STREAMS,
                                                    QPUCC_MEMORY_LAYOUT};
            for (int k = 0; k < 3; k++)
                of_variant[count] += qpucc_program_bytes(variant, own[k]);
            whole[count] = bytes(program);
            loaded[count] = bytes(without);
            qpucc_program_drop(program, QPUCC_MEMORY_IR);
            qpucc_program_drop(program, QPUCC_MEMORY_SPIRV);
            bare[count++] = bytes(program);
            qpucc_program_free(variant);
            qpucc_program_free(without);
        }
        qpucc_program_free(program);
        json_decref(pair);
    }
    free(line);
    fclose(file);
    ck_assert_uint_gt(count, 50);
    expect_median("with IR", whole, count, 96 << 10);
    expect_median("IR and SPIR-V given up", bare, count, 12 << 10);
    expect_median("a variant", of_variant, count, 8 << 10);
    expect_median("loaded without IR", loaded, count, 8 << 10);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, bytes_are_the_allocators);
    tcase_add_test(tests, dropped_memory_is_free);
    tcase_add_test(tests, code_and_streams_stay);
    tcase_add_test(tests, others_keep_theirs);
    if (getenv("QPUCC_SHARED") && *getenv("QPUCC_SHARED"))
        tcase_add_test(tests, the_corpus_is_small);
    else
        puts("the corpus is skipped: QPUCC_SHARED names no folder");
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
