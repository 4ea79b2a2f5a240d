/* Stack that the library takes of its caller: of the pairs of the corpus, what docs/limits.md promises. */
#include "tests/compiler/painted.h"

#include <qpucc/qpucc.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum work { COMPILE, VARIANT, LOAD, FILL, RECORD, SAMPLES, WORKS };
static const struct {
    const char *name;
    size_t most;
} works[WORKS] = {{"a compile", 256 << 10}, {"a variant", 128 << 10}, {"loading", 16 << 10},
                  {"filling", 16 << 10},    {"a record", 16 << 10},   {"samples", 16 << 10}};
static size_t took[WORKS];

struct job {
    enum work work;
    struct qpucc_source sources[2];
    struct qpucc_options options;
    qpucc_program *program, *variant, *loaded;
    void *bytes;
    size_t size;
    struct qpucc_draw_values values;
    uint32_t *streams[QPUCC_STAGE_COUNT];
    bool wrong;
};

static void work(void *user) {
    static const struct qpucc_state state = {.depth_test = 1,
                                             .flip_y = 1,
                                             .blend = {.enable = 1,
                                                       .rgb_source = QPUCC_FACTOR_SRC_ALPHA,
                                                       .rgb_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA}};
    struct job *job = user;
    struct qpucc_record_bytes record;
    switch (job->work) {
    case COMPILE: job->program = qpucc_compile(job->sources, 2, NULL, &job->options); break;
    case VARIANT: job->variant = qpucc_variant(job->program, &state); break;
    case LOAD: job->loaded = qpucc_program_load(job->bytes, job->size); break;
    case FILL: job->wrong |= !qpucc_uniforms_fill_all(job->program, &job->values, job->streams); break;
    case RECORD: job->wrong |= !qpucc_record_fill(job->program, QPUCC_RECORD_GL, NULL, &record); break;
    default: qpucc_texture_samples(job->program, QPUCC_FRAGMENT, NULL, 0);
    }
}

/* False: more than it may. */
static bool measure(struct job *job, enum work what, const char *name, int level) {
    job->work = what;
    size_t stack = painted_stack(work, job);
    took[what] = stack > took[what] ? stack : took[what];
    if (stack > works[what].most)
        printf("%s at -O%d: %s takes %zu bytes of stack, more than %zu\n", name, level, works[what].name,
               stack, works[what].most);
    return stack <= works[what].most;
}

static bool pair(json_t *line, int level) {
    static uint32_t uniforms[1 << 16], textures[QPUCC_MAX_TEXTURES][4];
    const char *name = json_string_value(json_object_get(line, "name"));
    struct job job = {.options = qpucc_options_default()};
    static const char *const keys[] = {[QPUCC_VERTEX] = "vertex", [QPUCC_FRAGMENT] = "fragment"};
    static const enum qpucc_stage stages[] = {QPUCC_VERTEX, QPUCC_FRAGMENT};
    for (int k = 0; k < 2; k++) {
        json_t *text = json_object_get(line, keys[stages[k]]);
        job.sources[k] = (struct qpucc_source){name, json_string_value(text), json_string_length(text),
                                               stages[k], QPUCC_GLSL};
    }
    job.options.opt_level = level;
    bool ok = measure(&job, COMPILE, name, level);
    if (qpucc_program_status(job.program) == QPUCC_OK) {
        job.size = qpucc_program_save(job.program, QPUCC_SAVE_IR, NULL, 0);
        job.bytes = malloc(job.size);
        job.wrong = qpucc_program_save(job.program, QPUCC_SAVE_IR, job.bytes, job.size) != job.size;
        job.values =
            (struct qpucc_draw_values){.uniforms = uniforms, .textures = (const uint32_t(*)[4])textures};
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
            job.streams[s] = malloc(4 * qpucc_uniforms_size(job.program, (enum qpucc_stage)s) + 4);
        for (int what = VARIANT; what < WORKS; what++)
            ok &= measure(&job, (enum work)what, name, level);
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
            free(job.streams[s]);
        free(job.bytes);
        qpucc_program_free(job.variant);
        qpucc_program_free(job.loaded);
    }
    qpucc_program_free(job.program);
    if (job.wrong)
        printf("%s at -O%d: something failed\n", name, level);
    return ok && !job.wrong;
}

static bool fragment(const char *name, const char *text, int level) {
    json_t *line = json_pack("{s:s,s:s,s:s}", "name", name, "vertex",
                             "attribute vec4 p; varying vec4 v; void main() { v = p; gl_Position = p; }",
                             "fragment", text);
    bool ok = pair(line, level);
    json_decref(line);
    return ok;
}

/* Streams of many different words: as many as have room on the stack, and more. */
static bool many_words(int lines) {
    static char text[1 << 18];
    size_t at = (size_t)sprintf(
        text, "precision highp float; varying vec4 v; uniform float u;\nvoid main() { float a = v.x;\n");
    for (int n = 0; n < lines; n++)
        at += (size_t)sprintf(text + at, "a = a * v.y + %d.5 * u;\n", n + 7);
    sprintf(text + at, "gl_FragColor = vec4(a); }\n");
    return fragment("constants", text, 0);
}

/* More blocks after a loop, one behind the other, than there is stack for calls. */
static bool branches_after_loop(int lines) {
    static char text[1 << 18];
    size_t at =
        (size_t)sprintf(text, "#version 100\n#extension GL_EXT_control_flow_attributes : enable\n"
                              "precision highp float; varying vec4 v; uniform float u, w; uniform int n;\n"
                              "void main() { float a = v.x, s = v.y, b = u, last; int i = 0;\n"
                              "do { last = a; a = a * v.y + v.z; } while (++i < n);\n");
    for (int n = 0; n < lines; n++)
        at += (size_t)sprintf(text + at, "b = b * w + u; [[dont_flatten]] if (b > u) s = s * v.z + u;\n");
    sprintf(text + at, "gl_FragColor = vec4(last, s, last, s); }\n");
    return fragment("branches after a loop", text, 2);
}

/* Registers are short between two loops, so what was made of few values by a long chain is rematerialised. */
static bool long_chain(int lines) {
    static char text[1 << 18];
    size_t at = (size_t)sprintf(text, "precision highp float; varying vec4 v; uniform int n;\n"
                                      "void main() { float a = v.x, b = a * v.w, c = v.x, q[59];\n"
                                      "for (int k = 0; k < 59; k++) q[k] = v.y;\n"
                                      "for (int i = 0; i < n; i++) for (int k = 0; k < 59; k++)\n"
                                      "  q[k] = q[k] * v.z + q[k < 58 ? k + 1 : 0];\n");
    for (int n = 0; n < lines; n++)
        at += (size_t)sprintf(text + at, "a = a * b; b = b + a;\n");
    sprintf(text + at, "for (int i = 0; i < n; i++) c = c * v.z + v.w;\n"
                       "for (int k = 0; k < 59; k++) c = c * q[k] + v.x;\n"
                       "gl_FragColor = vec4(a, b, c, c); }\n");
    return fragment("a long chain", text, 2);
}

int main(void) {
    const char *shared = getenv("QPUCC_SHARED");
    char path[4096], *text = NULL;
    size_t capacity = 0;
    bool ok = true;
    if (!PAINTED_COUNTS)
        return puts("skipped: with sanitizers frames are larger"), 77;
    ok &= many_words(1140) && many_words(4000);
    ok &= branches_after_loop(4200);
    ok &= long_chain(3000);
    snprintf(path, sizeof path, "%s/corpus/dev-pairs.jsonl", shared ? shared : "");
    FILE *file = shared && *shared ? fopen(path, "r") : NULL;
    if (!file && shared && *shared)
        return printf("%s cannot be read\n", path), 1;
    for (unsigned n = 0; file && getline(&text, &capacity, file) > 0; n++) {
        static const unsigned every[] = {48, 16, 16, 240};
        json_t *line = json_loads(text, 0, NULL);
        for (int level = 0; level < 4; level++)
            if (n % every[level] == 0)
                ok &= pair(line, level);
        json_decref(line);
    }
    free(text);
    if (file)
        fclose(file);
    for (int what = 0; what < WORKS; what++)
        printf("%s: %zu bytes of stack at most\n", works[what].name, took[what]);
    return !ok;
}
