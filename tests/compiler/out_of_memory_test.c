/* Memory that runs out at any point of a compile, of a variant, of saving and loading, of a compile through
 * the cache: the program that comes back is NULL, says so, or is the usual one.
 *
 *     test_out_of_memory [FIRST [LAST]]
 *
 * The library's own malloc, calloc and realloc are wrapped (--wrap). For each n the n-th call of a compile
 * fails, once alone and once with all calls after it; without arguments also some of a large shader.
 * Nothing may crash or stay behind (the sanitizers look, too); and what is called a success has the code
 * that it has with enough memory. */
#include <dirent.h>
#include <qpucc/cache.h>
#include <qpucc/qpucc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

#ifdef __SANITIZE_ADDRESS__ /* arenas reuse chunks later then: more allocations, and slower ones */
enum { STEP = 13 };
#else
enum { STEP = 1 };
#endif

static unsigned long calls, failing; /* counted from 1; failing: 0 none */
static bool all_after;
static long held;

static bool fails(void) {
    calls++;
    return failing && (calls == failing || (all_after && calls > failing));
}

void *__wrap_malloc(size_t size) {
    void *block = fails() ? NULL : __real_malloc(size);
    held += block != NULL;
    return block;
}

void *__wrap_calloc(size_t count, size_t size) {
    void *block = fails() ? NULL : __real_calloc(count, size);
    held += block != NULL;
    return block;
}

void *__wrap_realloc(void *block, size_t size) {
    void *grown = fails() ? NULL : __real_realloc(block, size);
    held += grown && !block;
    return grown;
}

void __wrap_free(void *block) {
    held -= block != NULL;
    __real_free(block);
}

static const char vertex[] = "uniform mat4 m; attribute vec4 p; attribute vec2 t; varying vec2 v;\n"
                             "void main() { gl_Position = m * p; v = t; }\n";
static const char fragment[] =
    "precision mediump float; varying vec2 v; uniform sampler2D s; uniform vec4 c[3]; uniform int n;\n"
    "struct light { vec3 at; float far; }; uniform light l[2];\n"
    "float f(float x) { if (x > 0.5) return x * 2.0; return sin(x); }\n"
    "void main() { vec4 a = texture2D(s, v) * c[1];\n"
    "  for (int i = 0; i < 3; i++) a += c[i] * f(v.x + l[1].far);\n"
    "  for (int i = 0; i < 8; i++) { if (i >= n) break; a.x += a.y * 0.3; }\n"
    "  if (a.w < 0.1) discard; gl_FragColor = a; }\n";

/* What is made. Under a limit the unrolled loop is too large, and the message that says so takes memory, too.
 * CACHE_MISS compiles and stores, CACHE_HIT finds that entry, DIRECTORY opens a folder and does both. */
enum mode {
    GLSL,
    SPIRV,
    LIMITED,
    VARIANT,
    OTHER_OPTIONS,
    LINKED,
    READ_LATER, /* the same, of shaders that are not read before */
    SAVE,
    LOAD,
    CACHE_MISS,
    CACHE_HIT,
    DIRECTORY,
    MODES
};
static const char *const modes[] = {"GLSL",
                                    "SPIR-V",
                                    "GLSL under a limit",
                                    "variant",
                                    "variant with options",
                                    "linked shaders",
                                    "linked shaders that are read then",
                                    "save",
                                    "load",
                                    "a cache without",
                                    "a cache with the entry",
                                    "a cache in a directory"};

static qpucc_program *compile(enum mode mode, const qpucc_program *from) {
    struct qpucc_options options = qpucc_options_default();
    enum qpucc_language language = mode == SPIRV ? QPUCC_SPIRV : QPUCC_GLSL;
    options.limit[QPUCC_LIMIT_INSTRUCTIONS] = mode == LIMITED ? 150 : 0;
    struct qpucc_source sources[2] = {{"a.vert", vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, sizeof fragment - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    for (int i = 0; i < 2 && language == QPUCC_SPIRV; i++) {
        sources[i].language = language;
        sources[i].data = qpucc_program_spirv(from, sources[i].stage, &sources[i].size);
        sources[i].size *= 4;
    }
    return qpucc_compile(sources, 2, NULL, &options);
}

/* --- containers and the cache --------------------------------------------------------------------------- */

static uint8_t container[1 << 17]; /* of the program from GLSL, with all parts */
static size_t container_size;
static char folder[200];
static bool answered, stored_other; /* by the store below: gave its entry, was given another than that */
static bool damaged;                /* the cache says so of an entry */

/* A store with one entry, which is the container; it says that it has none when it should be missed. */
static void *store_get(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], size_t *size) {
    (void)key;
    uint8_t *copy = *(const bool *)user ? malloc(container_size) : NULL;
    answered = copy != NULL;
    if (copy)
        memcpy(copy, container, *size = container_size);
    return copy;
}

static void store_put(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], const void *data, size_t size) {
    (void)user, (void)key;
    stored_other |= size != container_size || memcmp(data, container, size);
}

static qpucc_program *compile_cached(qpucc_cache *cache) {
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_source sources[2] = {{"a.vert", vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, sizeof fragment - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    return qpucc_cache_compile(cache, sources, 2, NULL, &options);
}

static qpucc_program *through_store(bool hit) {
    struct qpucc_cache_store store = {.user = &hit, .get = store_get, .put = store_put};
    qpucc_cache *cache = qpucc_cache_open_store(&store);
    qpucc_program *program = compile_cached(cache); /* without a cache where there is no memory for one */
    damaged |= cache && qpucc_cache_statistics(cache).damaged;
    qpucc_cache_close(cache);
    return program;
}

/* The folder keeps its entry for the next time. */
static qpucc_program *through_directory(void) {
    qpucc_cache *cache = qpucc_cache_open(folder, 1 << 20);
    qpucc_program *program = compile_cached(cache);
    qpucc_cache_close(cache);
    return program;
}

/* A container is all there or not at all. */
static qpucc_program *save(const qpucc_program *from) {
    static uint8_t bytes[sizeof container];
    size_t size = qpucc_program_save(from, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, bytes, sizeof bytes);
    stored_other |= size && (size != container_size || memcmp(bytes, container, size));
    failing = 0;
    unsigned long made = calls;
    qpucc_program *program = size ? qpucc_program_load(bytes, size) : NULL;
    calls = made;
    return program;
}

static const struct qpucc_state varied = {.depth_test = 1, .primitive = QPUCC_POINTS};

static qpucc_program *with_options(const qpucc_program *from) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = 1;
    return qpucc_variant_with(from, NULL, &options);
}

static qpucc_program *link_shaders(uint32_t flags) {
    struct qpucc_options options = qpucc_options_default();
    options.flags |= flags;
    struct qpucc_source sources[2] = {{"a.vert", vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, sizeof fragment - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    qpucc_shader *shaders[2] = {qpucc_shader_compile(&sources[0], &options),
                                qpucc_shader_compile(&sources[1], &options)};
    qpucc_program *program =
        shaders[0] && shaders[1] ? qpucc_link((const qpucc_shader *const *)shaders, 2, NULL, NULL) : NULL;
    for (int i = 0; i < 2; i++)
        qpucc_shader_free(shaders[i]);
    return program;
}

static qpucc_program *make(enum mode mode, const qpucc_program *from) {
    switch (mode) {
    case VARIANT: return qpucc_variant(from, &varied);
    case OTHER_OPTIONS: return with_options(from);
    case LINKED: return link_shaders(0);
    case READ_LATER: return link_shaders(QPUCC_READ_LATER);
    case SAVE: return save(from);
    case LOAD: return qpucc_program_load(container, container_size);
    case CACHE_MISS: return through_store(false);
    case CACHE_HIT: return through_store(true);
    case DIRECTORY: return through_directory();
    default: return compile(mode, from);
    }
}

static void remove_folder(void) {
    DIR *dir = opendir(folder);
    const struct dirent *file;
    while (dir && (file = readdir(dir))) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

static bool same(const qpucc_program *a, const qpucc_program *b) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t m, n;
        const uint64_t *x = qpucc_program_code(a, s, &m), *y = qpucc_program_code(b, s, &n);
        if (m != n || (m && memcmp(x, y, m * sizeof *x)))
            return false;
    }
    return true;
}

/* Fills all streams while no allocation succeeds: a fill makes none. */
static bool same_streams(const qpucc_program *a, const qpucc_program *b) {
    enum { WORDS = 512 };
    static uint32_t uniforms[WORDS], streams[2][QPUCC_STAGE_COUNT][WORDS];
    static const uint32_t textures[QPUCC_MAX_TEXTURES][4] = {{1, 2, 3, 4}};
    struct qpucc_draw_values values = {.uniforms = uniforms, .textures = textures};
    const qpucc_program *programs[2] = {a, b};
    bool filled = true;
    for (unsigned i = 0; i < WORDS; i++)
        uniforms[i] = 0x3f800000u + i * 0x1000u;
    failing = 1;
    all_after = true;
    for (int k = 0; k < 2; k++) {
        uint32_t *out[QPUCC_STAGE_COUNT] = {streams[k][0], streams[k][1], streams[k][2]};
        unsigned long before = calls;
        filled &= qpucc_uniforms_fill_all(programs[k], &values, out) && calls == before;
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
            filled &= qpucc_uniforms_size(programs[k], (enum qpucc_stage)s) <= WORDS;
            filled &=
                qpucc_uniforms_fill(programs[k], (enum qpucc_stage)s, &values, out[s]) && calls == before;
        }
    }
    failing = 0;
    return filled && !memcmp(streams[0], streams[1], sizeof streams[0]);
}

static int check(enum mode mode, const qpucc_program *good, const qpucc_program *from) {
    answered = stored_other = damaged = false;
    qpucc_program *program = make(mode, from);
    unsigned long made = calls;
    failing = 0;
    int wrong = stored_other ? printf("another container") : 0;
    wrong += damaged ? printf("an entry that counts as damaged") : 0;
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    if (ok && mode == LIMITED)
        wrong += printf("the limit is not met");
    else if (ok && !same(program, good))
        wrong += printf("other code");
    else if (ok && !same_streams(program, good))
        wrong += printf("other streams, or allocations while they are filled");
    if (program && !ok && !qpucc_program_diagnostic_count(program))
        wrong += printf("no diagnostic");
    qpucc_program_free(program);
    calls = made;
    return wrong;
}

static void add(char *text, size_t size, const char *what, int times) {
    while (times--)
        strncat(text, what, size - strlen(text) - 1);
}

static qpucc_program *compile_text(const char *text) {
    struct qpucc_source source = {"large.frag", text, strlen(text), QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = 1;
    calls = 0;
    return qpucc_compile(&source, 1, NULL, &options);
}

/* A block whose tables are larger than what arenas have in reserve. In the last fifth of its compile all
 * fails from some allocation on. */
static int check_large(void) {
    enum { LINES = 100, CALLS = 100, TURNS = 44 };
    static char text[8192];
    add(text, sizeof text, "precision highp float; varying vec4 v; uniform float u; uniform int n;\n", 1);
    add(text, sizeof text, "float a, b; void f() {", 1);
    add(text, sizeof text, "a = a * b + v.y; b = b + a * u;\n", LINES);
    add(text, sizeof text, "} void main() { a = v.x; b = v.z; for (int i = 0; i < n; i++) a = a * b + u;\n",
        1);
    add(text, sizeof text, "f();\n", CALLS);
    add(text, sizeof text, "for (int i = 0; i < n; i++) a = a * b + u; gl_FragColor = vec4(a + b); }\n", 1);
    long before = held;
    int wrong = 0;
    failing = 0;
    qpucc_program *good = compile_text(text);
    unsigned long all = calls;
    if (!good || qpucc_program_status(good) != QPUCC_OK)
        wrong += printf("the large shader does not compile\n");
    qpucc_program_free(good);
    all_after = true;
    for (int turn = 0; turn < TURNS && !wrong; turn++) {
        failing = all - all / 5 + all / 5 * (unsigned)turn / TURNS;
        qpucc_program *program = compile_text(text);
        if (program && qpucc_program_status(program) == QPUCC_OK)
            wrong += printf("large: allocation %lu fails, and all after it: a success\n", failing);
        failing = 0;
        qpucc_program_free(program);
    }
    if (held != before)
        wrong += printf("large: %ld blocks stay\n", held - before);
    return wrong;
}

int main(int argc, char **argv) {
    unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 0) : 1,
                  last = argc > 2 ? strtoul(argv[2], NULL, 0) : ~0ul;
    int wrong = 0;
    qpucc_program *glsl = compile(GLSL, NULL), *spirv = compile(SPIRV, glsl),
                  *variant = qpucc_variant(glsl, &varied), *quick = with_options(glsl);
    if (qpucc_program_status(glsl) != QPUCC_OK || qpucc_program_status(spirv) != QPUCC_OK ||
        qpucc_program_status(variant) != QPUCC_OK || qpucc_program_status(quick) != QPUCC_OK)
        return printf("the shaders do not compile\n"), 1;
    container_size = qpucc_program_save(glsl, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, container, sizeof container);
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/qpucc-memory-XXXXXX", base ? base : "/tmp");
    if (!container_size || container_size > sizeof container || !mkdtemp(folder))
        return printf("no container, or no folder for the cache\n"), 1;
    for (int mode = 0; mode < MODES; mode++) {
        for (unsigned long n = first; n <= last; n += STEP) {
            for (int after = 0; after < 2; after++) {
                long before = held;
                calls = 0;
                failing = n;
                all_after = after;
                int found = check((enum mode)mode,
                                  mode == SPIRV           ? spirv
                                  : mode == VARIANT       ? variant
                                  : mode == OTHER_OPTIONS ? quick
                                                          : glsl,
                                  glsl);
                if (held != before)
                    found += printf("%ld blocks stay", held - before);
                if (calls < n && mode == CACHE_HIT && !answered)
                    found += printf("the entry is not found");
                if (found)
                    printf(": %s, allocation %lu fails%s\n", modes[mode], n,
                           after ? ", and all after it" : "");
                wrong += found != 0;
                held = before;
            }
            if (calls < n) {
                printf("%s: %lu allocations\n", modes[mode], calls);
                break;
            }
        }
    }
    wrong += argc > 1 ? 0 : check_large();
    remove_folder();
    qpucc_program_free(glsl);
    qpucc_program_free(spirv);
    qpucc_program_free(variant);
    qpucc_program_free(quick);
    return wrong != 0;
}
