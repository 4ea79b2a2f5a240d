/* Memory that runs out at any point of a compile: the program that comes back is NULL, says so, or is the
 * usual one.
 *
 *     test_out_of_memory [FIRST [LAST]]
 *
 * The library's own malloc, calloc and realloc are wrapped (--wrap). For each n the n-th call of a compile
 * fails, once alone and once with all calls after it. Nothing may crash or stay behind (the sanitizers look,
 * too); and what is called a success has the code that it has with enough memory. */
#include <qpucc/qpucc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

#ifdef __SANITIZE_ADDRESS__ /* arenas keep no chunks then: many more allocations, and slower ones */
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

/* What goes in; under a limit the unrolled loop is too large, and the message that says so takes memory, too.
 */
enum mode { GLSL, SPIRV, LIMITED, MODES };
static const char *const modes[] = {"GLSL", "SPIR-V", "GLSL under a limit"};

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

static int check(enum mode mode, const qpucc_program *good, const qpucc_program *spirv) {
    qpucc_program *program = compile(mode, spirv);
    unsigned long made = calls;
    failing = 0;
    int wrong = 0;
    if (program && mode == LIMITED && qpucc_program_status(program) == QPUCC_OK)
        wrong = printf("the limit is not met");
    else if (program && qpucc_program_status(program) == QPUCC_OK && !same(program, good))
        wrong = printf("other code");
    else if (program && qpucc_program_status(program) == QPUCC_OK && !same_streams(program, good))
        wrong = printf("other streams, or allocations while they are filled");
    if (program && qpucc_program_status(program) != QPUCC_OK && !qpucc_program_diagnostic_count(program))
        wrong = printf("no diagnostic");
    qpucc_program_free(program);
    calls = made;
    return wrong;
}

int main(int argc, char **argv) {
    unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 0) : 1,
                  last = argc > 2 ? strtoul(argv[2], NULL, 0) : ~0ul;
    int wrong = 0;
    qpucc_program *good[2] = {NULL, NULL};
    good[0] = compile(GLSL, NULL);
    good[1] = compile(SPIRV, good[0]);
    if (qpucc_program_status(good[0]) != QPUCC_OK || qpucc_program_status(good[1]) != QPUCC_OK)
        return printf("the shaders do not compile\n"), 1;
    for (int mode = 0; mode < MODES; mode++) {
        for (unsigned long n = first; n <= last; n += STEP) {
            for (int after = 0; after < 2; after++) {
                long before = held;
                calls = 0;
                failing = n;
                all_after = after;
                int found = check((enum mode)mode, good[mode == SPIRV], good[0]);
                if (held != before)
                    found += printf("%ld blocks stay", held - before);
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
    qpucc_program_free(good[0]);
    qpucc_program_free(good[1]);
    return wrong != 0;
}
