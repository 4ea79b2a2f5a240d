/* An allocator of the caller's. Everything of the library comes from there: its calls of the C library's
 * malloc are counted (pool.h), and there is none, whatever is made, and all memory goes back. When memory
 * runs out at any call there is an error and nothing stays behind. */
#include "tests/compiler/pool.h"
#include "tests/compiler/api.h"
#include "tests/sanitized.h"

#include <dirent.h>
#include <qpucc/cache.h>
#include <qpucc/explain.h>
#include <qpucc/fixed.h>
#include <qpucc/records.h>
#include <qpucc/texture.h>
#include <unistd.h>

static void expect_code(const qpucc_program *program) {
    EXPECT(program && qpucc_program_status(program) == QPUCC_OK);
}

static struct pool pool, other_pool;
static const struct qpucc_allocator from_pool = {&pool, allocate, reallocate, release},
                                    from_other = {&other_pool, allocate, reallocate, release};

static void begin(void) {
    pool = other_pool = (struct pool){0};
    outside = 0;
}

static void expect_nothing_left(void) {
    EXPECT(pool.blocks == 0);
    EXPECT(pool.bytes == 0);
    EXPECT(other_pool.blocks == 0);
    EXPECT(other_pool.bytes == 0);
    EXPECT(outside == 0);
}

/* --- shaders -------------------------------------------------------------------------------------------- */

static const char vertex[] = "uniform mat4 m; attribute vec4 p; attribute vec2 t; varying vec2 v;\n"
                             "void main() { gl_Position = m * p; v = t; }\n";
static const char fragment[] =
    "#include \"part.glsl\"\n"
    "precision mediump float; varying vec2 v; uniform sampler2D s; uniform vec4 c[3]; uniform int n;\n"
    "struct light { vec3 at; float far; }; uniform light l[2];\n"
    "#define TWICE(x) ((x) * 2.0)\n"
    "float f(float x) { if (x > 0.5) return TWICE(x); return sin(x); }\n"
    "void main() { vec4 a = texture2D(s, v) * c[1];\n"
    "  for (int i = 0; i < 3; i++) a += c[i] * f(v.x + l[1].far);\n"
    "  for (int i = 0; i < 8; i++) { if (i >= n) break; a.x += a.y * PART; }\n"
    "  if (a.w < 0.1) discard; gl_FragColor = a; }\n";
/* parsed twice: with a comparison of constants, and a sequence of them */
static const char fragment3[] = "#version 300 es\nprecision highp float; uniform vec4 c; out vec4 o;\n"
                                "uniform block { vec4 d; };\n"
                                "void main() { const vec2 a = vec2(1), b = vec2(2);\n"
                                "  o = a == b ? c : d * 3.0; }\n";
static const char wrong[] = "precision mediump float; void main() { gl_FragColor = 1 + ; float x = y; }\n";
static char folder[200];
static const char *const folders[] = {folder};

static void make_folder(void) {
    char path[300];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/qpucc-allocator-XXXXXX", base ? base : "/tmp");
    EXPECT(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/part.glsl", folder);
    FILE *file = fopen(path, "w");
    fputs("#define PART 0.3\n", file);
    fclose(file);
}

static void remove_folder(void) {
    DIR *dir = opendir(folder);
    for (const struct dirent *file; (file = readdir(dir));)
        unlinkat(dirfd(dir), file->d_name, 0);
    closedir(dir);
    rmdir(folder);
}

static struct qpucc_options options_at(int level) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    options.include_dirs = folders;
    options.include_dir_count = 1;
    options.allocator = &from_pool;
    return options;
}

static qpucc_program *compile(const struct qpucc_options *options) {
    return compile_with(vertex, fragment, NULL, options);
}

/* --- what is made --------------------------------------------------------------------------------------- */

static const struct qpucc_state varied = {.depth_test = 1, .primitive = QPUCC_POINTS};

static qpucc_program *make_glsl(const qpucc_program *from) {
    (void)from;
    struct qpucc_options options = options_at(2);
    return compile(&options);
}

static qpucc_program *make_again(const qpucc_program *from) {
    (void)from;
    struct qpucc_options options = options_at(1);
    return compile_with(NULL, fragment3, NULL, &options);
}

static void see(void *user, enum qpucc_stage stage, const char *pass, const char *text) {
    (void)stage, (void)pass;
    *(size_t *)user += strlen(text);
}

/* All that may be asked for: texts, names, lines, callbacks; and the search of -O3. */
static qpucc_program *make_everything(const qpucc_program *from) {
    (void)from;
    size_t seen = 0;
    struct qpucc_options options = options_at(3);
    options.flags |= QPUCC_GENERATE_IR | QPUCC_GENERATE_NAMES;
    options.print_after = "all";
    options.on_ir = see;
    options.user = &seen;
    return compile(&options);
}

static qpucc_program *make_spirv(const qpucc_program *from) {
    struct qpucc_options options = options_at(1);
    struct qpucc_source sources[2] = {{.stage = QPUCC_VERTEX}, {.stage = QPUCC_FRAGMENT}};
    for (int i = 0; i < 2; i++) {
        sources[i].language = QPUCC_SPIRV;
        sources[i].data = qpucc_program_spirv(from, sources[i].stage, &sources[i].size);
        sources[i].size *= 4;
    }
    return qpucc_compile(sources, 2, NULL, &options);
}

static qpucc_program *make_fixed(const qpucc_program *from) {
    (void)from;
    struct qpucc_fixed fixed = {.lighting = 1, .normal_array = 1, .light = {{.enabled = 1}}};
    struct qpucc_options options = options_at(1);
    return qpucc_compile_fixed(&fixed, NULL, &options);
}

static qpucc_program *make_wrong(const qpucc_program *from) {
    (void)from;
    struct qpucc_options options = options_at(1);
    return compile_with(vertex, wrong, NULL, &options);
}

/* The unrolled loop is too large, and the message that says so takes memory, too. */
static qpucc_program *make_limited(const qpucc_program *from) {
    (void)from;
    struct qpucc_options options = options_at(2);
    options.limit[QPUCC_LIMIT_INSTRUCTIONS] = 150;
    return compile(&options);
}

static qpucc_program *make_text(const qpucc_program *from) {
    (void)from;
    struct qpucc_options options = options_at(2);
    options.flags |= QPUCC_PREPROCESS_ONLY;
    return compile(&options);
}

/* Without options the link has the shaders' allocator. */
static qpucc_program *link_with(uint32_t flags) {
    struct qpucc_options options = options_at(1);
    options.flags |= flags;
    struct qpucc_source sources[2] = {glsl(QPUCC_VERTEX, vertex), glsl(QPUCC_FRAGMENT, fragment)};
    qpucc_shader *shaders[2] = {qpucc_shader_compile(&sources[0], &options),
                                qpucc_shader_compile(&sources[1], &options)};
    qpucc_program *program =
        shaders[0] && shaders[1] ? qpucc_link((const qpucc_shader *const *)shaders, 2, NULL, NULL) : NULL;
    for (int i = 0; i < 2; i++)
        qpucc_shader_free(shaders[i]);
    return program;
}

static qpucc_program *make_linked(const qpucc_program *from) {
    (void)from;
    return link_with(0);
}

static qpucc_program *make_linked_later(const qpucc_program *from) {
    (void)from;
    return link_with(QPUCC_READ_LATER);
}

static qpucc_program *make_variant(const qpucc_program *from) {
    return qpucc_variant(from, &varied);
}

/* Options without an allocator: the program's. */
static qpucc_program *make_quick(const qpucc_program *from) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = 0;
    return qpucc_variant_with(from, NULL, &options);
}

/* The word of uniform n. */
static uint32_t n_of(const qpucc_program *program) {
    size_t i = 0;
    while (strcmp(qpucc_program_variable(program, QPUCC_UNIFORMS, i)->name, "n") != 0)
        i++;
    return qpucc_program_variable(program, QPUCC_UNIFORMS, i)->word;
}

static qpucc_program *make_special(const qpucc_program *from) {
    const struct qpucc_constant n = {n_of(from), 2};
    return qpucc_specialise(from, NULL, &n, 1);
}

/* What is asked of a program and its explanation; the caller's bytes. */
static qpucc_program *make_loaded(const qpucc_program *from) {
    static uint8_t bytes[1 << 17];
    size_t size = qpucc_program_save(from, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, bytes, sizeof bytes);
    EXPECT(size <= sizeof bytes);
    qpucc_program *loaded = size ? qpucc_program_load_with(bytes, size, &from_pool) : NULL;
    qpucc_program *variant = loaded ? qpucc_variant(loaded, &varied) : NULL;
    qpucc_program_free(loaded);
    return variant;
}

static qpucc_program *make_damaged(const qpucc_program *from) {
    (void)from;
    return qpucc_program_load_with("nonsense", 8, &from_pool);
}

/* An entry is written, found, and its variant; the directory is small, so entries go. */
static qpucc_program *make_cached(const qpucc_program *from) {
    (void)from;
    struct qpucc_options options = options_at(1);
    struct qpucc_source sources[2] = {glsl(QPUCC_VERTEX, vertex), glsl(QPUCC_FRAGMENT, fragment)};
    qpucc_program *found = NULL, *variant = NULL;
    for (int k = 0; k < 3; k++) {
        qpucc_cache *cache = qpucc_cache_open_with(folder, 40 << 10, &from_pool);
        qpucc_program_free(variant);
        qpucc_program_free(found);
        found = qpucc_cache_compile(cache, sources, 2, NULL, &options);
        variant = found ? qpucc_cache_variant(cache, found, &varied) : NULL;
        qpucc_cache_close(cache);
    }
    qpucc_program_free(found);
    return variant;
}

/* Texts and numbers are looked up, and some memory given up. */
static qpucc_program *make_questions(const qpucc_program *from) {
    static const enum qpucc_memory parts[] = {QPUCC_MEMORY_NAMES, QPUCC_MEMORY_SPIRV, QPUCC_MEMORY_IR};
    struct qpucc_control controls[8];
    qpucc_program *program = qpucc_variant(from, NULL);
    if (!program || qpucc_program_status(program) != QPUCC_OK)
        return program;
    qpucc_program_controls(program, controls, 8);
    qpucc_program_lines(program, QPUCC_FRAGMENT);
    qpucc_uniform_text(program, QPUCC_FRAGMENT, 0);
    qpucc_explain_precision(program, QPUCC_UNIFORMS, 0);
    qpucc_explain_free(qpucc_explain(program, QPUCC_EXPLAIN_PASSES | QPUCC_EXPLAIN_DECISIONS));
    for (int k = 0; k < 3; k++)
        qpucc_program_drop(program, parts[k]);
    return program;
}

/* `fails`: it has errors, whatever memory there is. */
static const struct {
    const char *name;
    qpucc_program *(*make)(const qpucc_program *from);
    bool fails;
} kinds[] = {{"GLSL", make_glsl, false},
             {"a shader that is parsed twice", make_again, false},
             {"SPIR-V", make_spirv, false},
             {"a fixed-function state", make_fixed, false},
             {"a wrong shader", make_wrong, true},
             {"a limit", make_limited, true},
             {"a preprocessed text", make_text, false},
             {"linked shaders", make_linked, false},
             {"linked shaders that are read then", make_linked_later, false},
             {"a variant", make_variant, false},
             {"a variant with options", make_quick, false},
             {"a specialised program", make_special, false},
             {"a loaded program's variant", make_loaded, false},
             {"a damaged container", make_damaged, true},
             {"a cache", make_cached, false},
             {"questions", make_questions, false},
             {"everything", make_everything, false}};
enum { KINDS = sizeof kinds / sizeof *kinds, SLOW = KINDS - 1 };

/* A program to start from. The list of source lines is made for the first who asks, and stays. */
static qpucc_program *make_start(void) {
    qpucc_program_free(make_glsl(NULL)); /* glslang's tables stay, whatever it takes for them */
    begin();
    qpucc_program *program = make_glsl(NULL);
    expect_code(program);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        EXPECT(qpucc_program_lines(program, (enum qpucc_stage)s));
    return program;
}

/* --- tests ---------------------------------------------------------------------------------------------- */

START_TEST(nothing_comes_from_elsewhere) {
    make_folder();
    qpucc_program *from = make_start();
    EXPECT(pool.calls > 10);
    for (size_t k = 0; k < KINDS; k++) {
        size_t blocks = pool.blocks;
        unsigned long calls = pool.calls;
        qpucc_program *program = kinds[k].make(from);
        EXPECT(program);
        EXPECT_OF((qpucc_program_status(program) != QPUCC_OK) == kinds[k].fails, "%s", kinds[k].name);
        EXPECT_OF(pool.calls > calls && pool.blocks > blocks, "%s", kinds[k].name);
        qpucc_program_free(program);
        EXPECT_OF(pool.blocks == blocks, "%s: %zu blocks, not %zu", kinds[k].name, pool.blocks, blocks);
        EXPECT_OF(!outside, "%s: %lu calls of malloc", kinds[k].name, outside);
    }
    qpucc_program_free(from);
    expect_nothing_left();
    remove_folder();
}
END_TEST

/* An error comes back and nothing stays, whichever call it is that fails, once or from then on. The grid is
 * close where compiles begin. */
START_TEST(memory_may_end_at_any_call) {
    make_folder();
    qpucc_program *from = make_start();
    size_t held = pool.blocks;
    const char *name = kinds[_i].name;
    pool.calls = 0;
    qpucc_program_free(kinds[_i].make(from));
    unsigned long all = pool.calls;
    EXPECT(all > 2);
    for (unsigned long n = 1; n <= all; n += 1 + n / (SANITIZED ? 2 : 6))
        for (int after = 0; after < 2; after++) {
            pool.calls = 0;
            pool.failing = n;
            pool.all_after = after;
            qpucc_program *program = kinds[_i].make(from);
            pool.failing = 0;
            bool ok = program && qpucc_program_status(program) == QPUCC_OK;
            EXPECT_OF(!program || ok || qpucc_program_diagnostic_count(program), "%s, call %lu", name, n);
            EXPECT_OF(!ok || !kinds[_i].fails, "%s, call %lu", name, n);
            EXPECT_OF(n > 1 || !after || !program, "%s, without any memory", name);
            qpucc_program_free(program);
            EXPECT_OF(pool.blocks == held, "%s, call %lu: %zu blocks stay", name, n, pool.blocks - held);
            EXPECT_OF(!outside, "%s, call %lu: %lu calls of malloc", name, n, outside);
        }
    qpucc_program_free(from);
    expect_nothing_left();
    remove_folder();
}
END_TEST

/* Each part goes back when it is given up, and no more is counted than there is. */
START_TEST(parts_go_back) {
    static const enum qpucc_memory parts[] = {QPUCC_MEMORY_IR, QPUCC_MEMORY_SPIRV, QPUCC_MEMORY_NAMES};
    make_folder();
    qpucc_program *program = make_start();
    EXPECT(qpucc_uniform_text(program, QPUCC_FRAGMENT, 0));
    EXPECT(pool.bytes >= qpucc_program_bytes(program, QPUCC_MEMORY_ALL));
    EXPECT(pool.bytes <= qpucc_program_bytes(program, QPUCC_MEMORY_ALL) + pool.blocks * alignof(max_align_t));
    for (int k = 0; k < 3; k++) {
        size_t before = pool.bytes, part = qpucc_program_bytes(program, parts[k]);
        EXPECT(part > 0);
        EXPECT(qpucc_program_drop(program, parts[k]));
        EXPECT(before - pool.bytes >= part);
    }
    qpucc_program_free(program);
    expect_nothing_left();
    remove_folder();
}
END_TEST

/* Options of a variant may name another allocator. What it shares with its parent stays the parent's, and
 * goes back with the last of both; what it has of its own does not. */
START_TEST(two_allocators) {
    make_folder();
    qpucc_program_free(make_glsl(NULL));
    begin();
    for (int first = 0; first < 2; first++) {
        struct qpucc_options options = qpucc_options_default();
        qpucc_program *parent = make_glsl(NULL);
        size_t alone = pool.bytes;
        options.allocator = &from_other;
        qpucc_program *child = qpucc_variant_with(parent, &varied, &options);
        expect_code(child);
        EXPECT(pool.bytes == alone);
        EXPECT(other_pool.blocks > 0);
        qpucc_program *grandchild = qpucc_variant(child, NULL);
        expect_code(grandchild);
        EXPECT(pool.bytes == alone);
        qpucc_program_free(first ? parent : child);
        qpucc_program_free(grandchild);
        if (first) {
            EXPECT(pool.bytes > 0);
            EXPECT(pool.bytes < alone);
        } else {
            EXPECT(other_pool.blocks == 0);
            EXPECT(pool.bytes == alone);
        }
        qpucc_program_free(first ? child : parent);
        expect_nothing_left();
    }
    remove_folder();
}
END_TEST

/* What the IR's text of a container becomes is shared, and is the loaded program's, whoever asked first. */
START_TEST(shared_ir_is_the_parents) {
    static uint8_t bytes[1 << 17];
    make_folder();
    qpucc_program_free(make_glsl(NULL));
    begin();
    qpucc_program *saved = make_glsl(NULL);
    size_t size = qpucc_program_save(saved, QPUCC_SAVE_IR, bytes, sizeof bytes);
    qpucc_program_free(saved);
    qpucc_program *loaded = qpucc_program_load_with(bytes, size, &from_pool);
    size_t before = qpucc_program_bytes(loaded, QPUCC_MEMORY_IR), held = pool.bytes;
    struct qpucc_options options = qpucc_options_default();
    options.allocator = &from_other;
    qpucc_program *child = qpucc_variant_with(loaded, NULL, &options);
    expect_code(child);
    EXPECT(pool.bytes - held >= qpucc_program_bytes(loaded, QPUCC_MEMORY_IR) - before);
    qpucc_program_free(child);
    EXPECT(other_pool.blocks == 0);
    qpucc_program_free(loaded);
    expect_nothing_left();
    remove_folder();
}
END_TEST

/* A stream with enough values that filling it takes memory: the program's. */
START_TEST(a_large_fill) {
    enum { WORDS = 3000 };
    static uint32_t uniforms[4096], stream[1 << 16];
    static char text[1 << 16];
    char *at = text + sprintf(text, "precision highp float; uniform vec4 c[%d]; void main() {\n", WORDS / 4);
    at += sprintf(at, "  vec4 a = vec4(0);\n");
    for (int i = 0; i < WORDS / 4; i++)
        at += sprintf(at, "  a += c[%d] * gl_FragCoord.x;\n", i);
    sprintf(at, "  gl_FragColor = a; }\n");
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = 0;
    options.allocator = &from_pool;
    qpucc_program_free(compile_with(NULL, text, NULL, &options));
    begin();
    qpucc_program *program = compile_with(NULL, text, NULL, &options);
    expect_code(program);
    EXPECT(qpucc_uniforms_size(program, QPUCC_FRAGMENT) <= sizeof stream / sizeof *stream);
    const struct qpucc_draw_values values = {.uniforms = uniforms};
    unsigned long before = pool.calls;
    EXPECT(qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, stream));
    EXPECT(pool.calls == before + 1);
    pool.calls = 0;
    pool.failing = 1;
    EXPECT(!qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, stream));
    qpucc_program_free(program);
    expect_nothing_left();
}
END_TEST

START_TEST(lists_and_textures) {
    enum { SIZE = 64 };
    static uint32_t pixels[SIZE * SIZE], buffer[4 * SIZE * SIZE];
    struct qpusim_list list = {.allocator = &from_pool};
    const struct qpusim_image image = {pixels, SIZE, SIZE};
    const struct qpusim_texture_info info = {.levels = &image,
                                             .level_count = 7,
                                             .generate_mipmaps = true,
                                             .min = QPUSIM_MIN_LINEAR_MIP_LINEAR,
                                             .allocator = &from_pool};
    struct qpusim_texture_place place;
    begin();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1000; i++)
            qpusim_put_flush(&list);
        EXPECT(list.size >= 1000);
        EXPECT(pool.blocks == 1);
        qpusim_list_free(&list);
        EXPECT(pool.blocks == 0);
    }
    EXPECT(qpusim_place_texture(&info, &place));
    EXPECT(place.size <= sizeof buffer);
    unsigned long before = pool.calls;
    EXPECT(qpusim_store_texture(&info, &place, buffer));
    EXPECT(pool.calls > before);
    pool.failing = pool.calls + 1;
    EXPECT(!qpusim_store_texture(&info, &place, buffer));
    pool.failing = pool.calls + 1;
    qpusim_put_flush(&list);
    EXPECT(list.no_memory);
    qpusim_list_free(&list);
    expect_nothing_left();
}
END_TEST

/* One function that is not there. */
START_TEST(an_allocator_is_whole) {
    qpucc_cache *cache = NULL;
    make_folder();
    qpucc_program_free(make_glsl(NULL));
    qpucc_program *good = make_glsl(NULL);
    for (int lacks = 0; lacks < 3; lacks++) {
        struct qpucc_allocator half = from_pool;
        if (lacks == 0)
            half.allocate = NULL;
        else if (lacks == 1)
            half.reallocate = NULL;
        else
            half.release = NULL;
        struct qpucc_options options = options_at(1);
        cache = qpucc_cache_open(folder, 0);
        struct qpucc_source sources[2] = {glsl(QPUCC_VERTEX, vertex), glsl(QPUCC_FRAGMENT, fragment)};
        qpucc_program_free(qpucc_cache_compile(cache, sources, 2, NULL, &options)); /* there is an entry */
        options.allocator = &half;
        qpucc_program *programs[3] = {compile(&options), qpucc_variant_with(good, NULL, &options),
                                      qpucc_cache_compile(cache, sources, 2, NULL, &options)};
        for (int k = 0; k < 3; k++) {
            const struct qpucc_diagnostic *d = qpucc_program_diagnostic(programs[k], 0);
            EXPECT(qpucc_program_status(programs[k]) == QPUCC_SOURCE_ERROR);
            EXPECT(!strcmp(d->code, "usage"));
            EXPECT(strstr(d->text, "options.allocator"));
            qpucc_program_free(programs[k]);
        }
        qpucc_cache_close(cache);
        const struct qpucc_cache_store store = {NULL, (void *(*)(void *, const uint8_t *, size_t *))1,
                                                (void (*)(void *, const uint8_t *, const void *, size_t))1,
                                                &half};
        EXPECT(!qpucc_cache_open_store(&store));
        EXPECT(!qpucc_cache_open_with(folder, 0, &half));
        EXPECT(!qpucc_program_load_with("", 0, &half));
    }
    qpucc_program_free(good);
    remove_folder();
}
END_TEST

/* A key has nothing of the allocator: an entry that one wrote another one finds. What a store gives comes
 * from the store's allocator, and a program's memory from that of its options. */
static uint8_t entry[1 << 17];
static size_t entry_size;

static void *store_get(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], size_t *size) {
    (void)user, (void)key;
    *size = entry_size;
    return entry_size ? memcpy(allocate(&other_pool, entry_size), entry, entry_size) : NULL;
}

static void store_put(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], const void *data, size_t size) {
    (void)user, (void)key;
    EXPECT(size <= sizeof entry);
    memcpy(entry, data, entry_size = size);
}

START_TEST(a_cache_serves_all) {
    const struct qpucc_cache_store store = {NULL, store_get, store_put, &from_other};
    struct qpucc_source sources[2] = {glsl(QPUCC_VERTEX, vertex), glsl(QPUCC_FRAGMENT, fragment)};
    make_folder();
    struct qpucc_options options = options_at(1);
    options.allocator = NULL;
    qpucc_cache *cache = qpucc_cache_open_store(&store);
    qpucc_program_free(qpucc_cache_compile(cache, sources, 2, NULL, &options));
    EXPECT(entry_size > 0);
    size_t blocks = other_pool.blocks;
    outside = 0;
    options.allocator = &from_pool;
    qpucc_program *program = qpucc_cache_compile(cache, sources, 2, NULL, &options);
    expect_code(program);
    EXPECT(qpucc_cache_statistics(cache).hits == 1);
    EXPECT(pool.blocks > 0);
    EXPECT(other_pool.blocks == blocks);
    qpucc_program_free(program);
    qpucc_cache_close(cache);
    expect_nothing_left();
    remove_folder();
}
END_TEST

int main(void) {
    Suite *suite = suite_create("allocator");
    TCase *tests = tcase_create("all"), *slow = tcase_create("failing");
    tcase_set_timeout(tests, 120);
    tcase_set_timeout(slow, 300);
    tcase_add_test(tests, nothing_comes_from_elsewhere);
    tcase_add_test(tests, parts_go_back);
    tcase_add_test(tests, two_allocators);
    tcase_add_test(tests, shared_ir_is_the_parents);
    tcase_add_test(tests, a_large_fill);
    tcase_add_test(tests, lists_and_textures);
    tcase_add_test(tests, an_allocator_is_whole);
    tcase_add_test(tests, a_cache_serves_all);
    tcase_add_loop_test(slow, memory_may_end_at_any_call, 0, SLOW);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, slow);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
