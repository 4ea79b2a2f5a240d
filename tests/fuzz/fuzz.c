/* The library's entry points under libFuzzer. The program's name says which target (run.sh).
 *
 * Any bytes may come in. Nothing may crash, leak or overflow (the sanitizers look), what is refused has a
 * reason, and no input is a fault of the compiler. */
#include "runtime/machine.h"

#include <qpucc/cache.h>
#include <qpucc/explain.h>
#include <qpucc/lists.h>
#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "fuzz.c:%d: not so: %s\n", __LINE__, #condition);                                \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* Enough for any shader of this size that is not made to explode; a fuzzer lives by many runs. */
enum { WORK = 2000000, SEARCH = 100000, BYTES = 64 << 20 };

static void judge(qpucc_program *program) {
    REQUIRE(program);
    enum qpucc_status status = qpucc_program_status(program);
    size_t count = qpucc_program_diagnostic_count(program);
    for (size_t i = 0; i < count && status == QPUCC_INTERNAL; i++)
        fprintf(stderr, "%s\n", qpucc_program_diagnostic(program, i)->text);
    REQUIRE(status != QPUCC_INTERNAL);
    REQUIRE(status == QPUCC_OK || count);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t words;
        const uint64_t *code = qpucc_program_code(program, (enum qpucc_stage)s, &words);
        REQUIRE(status == QPUCC_OK || !code);
    }
}

/* The first byte chooses stage, level and policy. */
static void compile(const uint8_t *data, size_t size, enum qpucc_language language) {
    if (!size)
        return;
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = data[0] >> 4 & 3;
    options.flags |= QPUCC_NO_INCLUDE | (data[0] & 0xc0u) << 2; /* enum qpucc_policy */
    options.limit[QPUCC_LIMIT_WORK] = WORK;
    options.limit[QPUCC_LIMIT_SEARCH] = SEARCH;
    options.limit[QPUCC_LIMIT_BYTES] = BYTES;
    /* words lie aligned, and an access past the end is seen */
    uint8_t *copy = malloc(size);
    REQUIRE(copy);
    memcpy(copy, data + 1, size - 1);
    struct qpucc_source source = {"fuzz", copy, size - 1, data[0] & 1 ? QPUCC_VERTEX : QPUCC_FRAGMENT,
                                  language};
    qpucc_program *program = qpucc_compile(&source, 1, NULL, &options);
    judge(program);
    qpucc_program_free(program);
    free(copy);
}

static void fuzz_glsl(const uint8_t *data, size_t size) {
    compile(data, size, QPUCC_GLSL);
}

static void fuzz_spirv(const uint8_t *data, size_t size) {
    compile(data, size, QPUCC_SPIRV);
}

static void fuzz_ir(const uint8_t *data, size_t size) {
    static const char *const lists[] = {"", "cfg,ssa,dce", "cfg,ssa,fold,algebraic,cse,dce,unroll",
                                        "cfg,ssa,ifconvert,select_sink,correlate",
                                        "cfg,ssa,index,linear,factor"};
    char error[300] = "";
    if (!size)
        return;
    char *text = qpucc_opt((const char *)data + 1, size - 1, lists[data[0] % 5], error, sizeof error);
    REQUIRE(text || error[0]);
    free(text);
}

static void read_code(const uint64_t *code, size_t count) {
    static struct qpucc_rule_violation found[8];
    char text[300];
    for (int k = 0; k < 4; k++)
        qpucc_check(code, count, k & 1 ? QPUCC_FRAGMENT : QPUCC_VERTEX, k & 2, true, found, 8);
    for (size_t i = 0; i < count; i++)
        qpucc_disassemble(code[i], (unsigned)i, text, sizeof text);
}

static void fuzz_assembly(const uint8_t *data, size_t size) {
    char error[300] = "";
    size_t count = 0;
    uint64_t *code = qpucc_assemble((const char *)data, size, &count, error, sizeof error);
    REQUIRE(code || error[0]);
    if (code)
        read_code(code, count);
    free(code);
}

/* Words for the checker, the disassembler and the machine. */
static void fuzz_code(const uint8_t *data, size_t size) {
    static struct qpusim_fragments fragments;
    static struct qpusim_vertices vertices;
    static struct qpusim_result result;
    size_t count = size / 8;
    if (!count || count > 512)
        return;
    uint64_t *code = malloc(count * 8);
    REQUIRE(code);
    memcpy(code, data, count * 8);
    read_code(code, count);
    static const uint32_t words[16] = {0x3f800000, 5, QPUSIM_MEMORY_BASE};
    struct qpusim_memory *memory = qpusim_memory_new(1 << 16);
    fragments.live = fragments.coverage = 0xffff;
    vertices.count = 16;
    for (unsigned k = 0; k < 4; k++) {
        struct qpusim_program *program =
            qpusim_program_new(code, count, k & 1 ? QPUSIM_VERTEX : QPUSIM_FRAGMENT, false);
        REQUIRE(program);
        struct qpusim_run_info run = {.program = program,
                                      .memory = memory,
                                      .uniforms = {words, 16, 0},
                                      .fragments = &fragments,
                                      .vertices = &vertices};
        struct qpusim_options options = {.lenient = k & 2, .budget = 1000};
        struct qpusim_error error;
        REQUIRE(qpusim_run(&run, &options, &result, &error) == error.status);
        qpusim_program_free(program);
    }
    qpusim_memory_free(memory);
    free(code);
}

/* Memory with a binning and a rendering list in it: the first eight bytes say where they begin and end. */
static void fuzz_lists(const uint8_t *data, size_t size) {
    enum { BASE = 0x1000, BYTES_HERE = 0x4000, PICTURE = 0x10000 };
    uint16_t at[4];
    if (size < sizeof at)
        return;
    memcpy(at, data, sizeof at);
    for (unsigned again = 0; again < 3; again++) {
        struct qpusim_memory *memory = qpusim_memory_new(0);
        REQUIRE(memory && qpusim_memory_add(memory, BASE, BYTES_HERE, NULL, "all") == QPUSIM_OK);
        REQUIRE(qpusim_memory_add(memory, PICTURE, 0x10000, NULL, "picture") == QPUSIM_OK);
        memcpy(qpusim_memory_map(memory, BASE, BYTES_HERE), data, size < BYTES_HERE ? size : BYTES_HERE);
        struct qpusim_block *block = qpusim_block_new(memory);
        REQUIRE(block);
        struct qpusim_options options = {
            .lenient = again == 1, .budget = 1000, .threads = again == 2 ? 2 : 0};
        struct qpusim_error error;
        REQUIRE(qpusim_run_lists(block, BASE + at[0], BASE + at[1], BASE + at[2], BASE + at[3], &options,
                                 &error) == error.status);
        REQUIRE(error.status == QPUSIM_OK || error.text[0] || error.status == QPUSIM_NO_MEMORY);
        qpusim_block_write(block, QPUSIM_VPMBASE, 16, NULL, NULL);
        qpusim_block_write(block, QPUSIM_SRQUA, BASE, NULL, NULL);
        qpusim_block_write(block, QPUSIM_SRQUL, 1024, NULL, NULL);
        qpusim_block_write(block, QPUSIM_SRQPC, (BASE + at[1]) & ~7u, &options, &error);
        qpusim_block_free(block);
        qpusim_memory_free(memory);
    }
    char text[300];
    struct qpusim_record record;
    for (size_t i = sizeof at, n; i < size && (n = qpusim_read_record(data + i, size - i, &record)); i += n)
        qpusim_record_text(&record, i & 1, text, sizeof text);
}

/* A container, and what may be asked of the program that it gives. */
static void fuzz_program(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + 1); /* aligned, and an access past the end is seen */
    REQUIRE(copy);
    memcpy(copy, data, size);
    qpucc_program *program = qpucc_program_load(copy, size);
    free(copy);
    judge(program);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t words = qpucc_uniforms_size(program, (enum qpucc_stage)s);
        for (size_t i = 0; i < words; i++)
            qpucc_uniform_text(program, (enum qpucc_stage)s, i);
    }
    for (int which = 0; which <= QPUCC_VARYINGS; which++)
        for (size_t i = 0; i < qpucc_program_variable_count(program, (enum qpucc_interface)which); i++)
            REQUIRE(qpucc_program_variable(program, (enum qpucc_interface)which, i)->name);
    qpucc_program_free(program);
}

static void read_explanation(qpucc_explanation *explain) {
    REQUIRE(explain);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const struct qpucc_explain_stage *stage = qpucc_explanation_stage(explain, (enum qpucc_stage)s);
        for (uint32_t i = 0; stage && i < stage->count; i++) {
            const struct qpucc_explain_instruction *in = &stage->instruction[i];
            REQUIRE(in->text[0] && in->block < stage->block_count);
            REQUIRE(in->target == UINT32_MAX || in->target < stage->count);
        }
        for (size_t i = 0; i < qpucc_explain_decision_count(explain, (enum qpucc_stage)s); i++)
            REQUIRE(qpucc_explanation_decision(explain, (enum qpucc_stage)s, i)->text[0]);
    }
    qpucc_explain_free(explain);
}

/* Words, and by the first byte also a container. */
static void fuzz_explain(const uint8_t *data, size_t size) {
    size_t count = size / 8;
    if (!count || count > 512)
        return;
    uint64_t *code = malloc(count * 8);
    REQUIRE(code);
    memcpy(code, data + size % 8, count * 8);
    if (data[0] == 'Q') {
        qpucc_program *program = qpucc_program_load(data, size);
        read_explanation(qpucc_explain(program, QPUCC_EXPLAIN_PASSES | QPUCC_EXPLAIN_DECISIONS));
        read_explanation(qpucc_explain(program, QPUCC_EXPLAIN_LISTING));
        qpucc_program_free(program);
    }
    for (int k = 0; k < 4; k++)
        read_explanation(qpucc_explain_code(code, count, k & 1 ? QPUCC_FRAGMENT : QPUCC_VERTEX, k & 2));
    free(code);
}

/* --- cache entries -------------------------------------------------------------------------------------- */

static uint32_t small[512]; /* SPIR-V: glslang would take most of the time */
static size_t small_size;
static char folder[] = "cache-XXXXXX", entry[sizeof folder + 2 * QPUCC_CACHE_KEY_BYTES + 1];

static void *learn(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], size_t *size) {
    (void)user, (void)size;
    char *at = entry + sprintf(entry, "%s/", folder);
    for (int k = 0; k < QPUCC_CACHE_KEY_BYTES; k++)
        at += sprintf(at, "%02x", key[k]);
    return NULL;
}

static void forget(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], const void *data, size_t size) {
    (void)user, (void)key, (void)data, (void)size;
}

static qpucc_program *compile_small(qpucc_cache *cache) {
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_source source = {"a.frag", small, small_size, QPUCC_FRAGMENT, QPUCC_SPIRV};
    options.opt_level = 0;
    return qpucc_cache_compile(cache, &source, 1, NULL, &options);
}

static void make_small(void) {
    static const char text[] = "void main() { gl_FragColor = vec4(0.5); }";
    struct qpucc_source source = {"a.frag", text, sizeof text - 1, QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
    const uint32_t *words = qpucc_program_spirv(program, QPUCC_FRAGMENT, &small_size);
    small_size *= 4;
    REQUIRE(words && small_size <= sizeof small);
    memcpy(small, words, small_size);
    qpucc_program_free(program);
}

static void write_file(const char *name, const uint8_t *data, size_t size) {
    FILE *file = fopen(name, "wb");
    REQUIRE(file && fwrite(data, 1, size, file) == size);
    REQUIRE(fclose(file) == 0);
}

static void remove_cache(void) {
    char lock[sizeof folder + 8];
    snprintf(lock, sizeof lock, "%s/lock", folder);
    remove(lock);
    remove(entry);
    remove(folder);
}

/* The bytes are the file of the entry that is asked for, and, by the first of them, also the lock's. What is
 * no entry is made again, and found the next time. */
static void fuzz_cache(const uint8_t *data, size_t size) {
    if (!size)
        return;
    if (!entry[0]) {
        struct qpucc_cache_store store = {.get = learn, .put = forget};
        qpucc_cache *cache = qpucc_cache_open_store(&store);
        make_small();
        REQUIRE(mkdtemp(folder) && atexit(remove_cache) == 0);
        qpucc_program_free(compile_small(cache));
        qpucc_cache_close(cache);
    }
    char lock[sizeof folder + 8];
    snprintf(lock, sizeof lock, "%s/lock", folder);
    write_file(data[0] & 2 ? lock : entry, data + 1, size - 1);
    qpucc_cache *cache = qpucc_cache_open(folder, data[0] & 1 ? 0 : 1 << 16);
    REQUIRE(cache);
    static const struct qpucc_state lines = {.primitive = QPUCC_LINES};
    qpucc_program *program = compile_small(cache), *again = compile_small(cache),
                  *variant = qpucc_cache_variant(NULL, again, &lines);
    judge(program);
    REQUIRE(qpucc_program_status(program) == QPUCC_OK && qpucc_program_status(again) == QPUCC_OK);
    REQUIRE(qpucc_cache_statistics(cache).hits + qpucc_cache_statistics(cache).misses == 2);
    judge(variant);
    qpucc_program_free(variant);
    qpucc_program_free(again);
    qpucc_program_free(program);
    qpucc_cache_close(cache);
}

static void (*target)(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static const struct {
        const char *name;
        void (*target)(const uint8_t *data, size_t size);
    } targets[] = {{"glsl", fuzz_glsl},         {"spirv", fuzz_spirv},     {"ir", fuzz_ir},
                   {"assembly", fuzz_assembly}, {"code", fuzz_code},       {"lists", fuzz_lists},
                   {"program", fuzz_program},   {"explain", fuzz_explain}, {"cache", fuzz_cache}};
    (void)argc;
    const char *slash = strrchr((*argv)[0], '/'), *name = slash ? slash + 1 : (*argv)[0];
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!strcmp(targets[i].name, name))
            target = targets[i].target;
    REQUIRE(target);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    target(data, size);
    return 0;
}
