/* spirv_corpus.c: the shared case files through frontend/glsl and frontend/spirv; what comes out must be
 * sound IR.
 *
 *    spirv_corpus [--verbose] [--only NAME [--print]]
 *
 * Of corpus/dev-pairs.jsonl every pair has to come through. Of the conformance files whatever glslang accepts
 * has to be read or refused as unsupported or by a limit, by name; the refusals are counted; with the
 * sanitizers half of it is read. Without QPUCC_SHARED the test is skipped (77). */
#include "frontend/glsl/glsl.h"
#include "frontend/spirv/spirv.h"
#include "glsl_json.h"
#include "spirv_module.h"
#include "tests/sanitized.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *only;
    bool verbose, print;
    size_t sound, unsound, refused, unread;
    char reason[64][120];
    size_t reason_count[64], reasons;
} suite;

static void count_reason(const char *text) {
    size_t k = 0;
    while (k < suite.reasons && strncmp(suite.reason[k], text, sizeof suite.reason[k] - 1) != 0)
        k++;
    if (k == 64)
        return;
    if (k == suite.reasons) {
        snprintf(suite.reason[k], sizeof suite.reason[k], "%.*s", (int)sizeof suite.reason[k] - 1, text);
        suite.reasons++;
    }
    suite.reason_count[k]++;
}

/* False when this stage counts as a failure. */
static bool read_stage(const char *name, const struct fe_stage_result *stage, bool refusal_is_failure) {
    struct fe_spirv_options options = {
        .stage = stage->stage,
        .symbols = stage->symbols,
        .symbol_count = stage->symbol_count,
        .lower_left = true,
        .name = name,
    };
    struct fe_spirv_error error;
    struct ir_shader *shader = fe_spirv_read(stage->spirv, stage->spirv_words, &options, &error);
    const char *which = ir_stage_names[stage->stage];
    bool good = true;
    if (!shader) {
        suite.refused++;
        good = !refusal_is_failure && (!strcmp(error.code, "unsupported") || !strcmp(error.code, "limit"));
        if (!good || suite.verbose)
            printf("%s %s: %s:%u:%u: %s [%s]\n", name, which, error.file, error.diagnostic.line,
                   error.diagnostic.column, error.text, error.code);
        if (good)
            count_reason(error.text);
        return good;
    }
    char fault[300];
    if (ir_verify(shader, fault, sizeof fault)) {
        suite.sound++;
    } else {
        suite.unsound++;
        good = false;
        printf("%s %s: unsound IR: %s\n", name, which, fault);
    }
    if (suite.print)
        ir_print(shader, stdout);
    ir_shader_destroy(shader);
    return good;
}

static unsigned one_case(const char *name, const char *vertex, const char *fragment, bool must) {
    struct fe_source sources[2];
    size_t count = 0;
    if (vertex)
        sources[count++] = (struct fe_source){
            .name = "vert", .text = vertex, .length = strlen(vertex), .stage = QPUCC_VERTEX};
    if (fragment)
        sources[count++] = (struct fe_source){
            .name = "frag", .text = fragment, .length = strlen(fragment), .stage = QPUCC_FRAGMENT};
    struct fe_options options = {.default_float_precision = FE_MEDIUMP};
    struct fe_glsl_result *r = count ? fe_glsl_compile(sources, count, &options) : NULL;
    unsigned failures = 0;
    if (!r || !r->ok) {
        suite.unread++; /* whether rightly is glsl_suite's question */
    } else {
        for (size_t k = 0; k < r->stage_count; k++)
            failures += !read_stage(name, &r->stages[k], must);
    }
    fe_glsl_result_free(r);
    return failures;
}

static const char *stage_source(const struct json *shaders, const char *stage) {
    for (size_t k = 0; shaders && k < shaders->count; k++) {
        const char *is = json_string(&shaders->items[k], "stage");
        if (is && strncmp(is, stage, 4) == 0)
            return json_string(&shaders->items[k], "src");
    }
    return NULL;
}

static unsigned run_file(const char *folder, const char *file, bool must) {
    char path[1000];
    size_t size;
    unsigned failures = 0;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    char *text = spirv_read_text(path, &size);
    if (!text) {
        printf("%s: not there\n", path);
        return 1;
    }
    size_t cases = 0, number = 0;
    for (char *line = text, *end; *line; line = end) {
        end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        if (!must && !in_sanitized_half(number++, 0))
            continue;
        struct json *value = json_parse(line, (size_t)(end - line));
        if (!value)
            continue;
        const char *name = json_string(value, "name");
        const struct json *shaders = json_get(value, "shaders");
        const char *vertex = shaders ? stage_source(shaders, "vert") : json_string(value, "vertex");
        const char *fragment = shaders ? stage_source(shaders, "frag") : json_string(value, "fragment");
        if (!suite.only || (name && strcmp(name, suite.only) == 0)) {
            failures += one_case(name ? name : "?", vertex, fragment, must);
            cases++;
        }
        json_free(value);
    }
    free(text);
    printf("%s: %zu cases, %u failures\n", file, cases, failures);
    return failures;
}

int main(int argc, char **argv) {
    const char *shared = getenv("QPUCC_SHARED");
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--verbose") == 0)
            suite.verbose = true;
        else if (strcmp(argv[k], "--print") == 0)
            suite.print = true;
        else if (strcmp(argv[k], "--only") == 0 && k + 1 < argc)
            suite.only = argv[++k];
    }
    if (!shared || !shared[0]) {
        printf("skipped: QPUCC_SHARED is not set\n");
        return 77;
    }
    unsigned failures = run_file(shared, "corpus/dev-pairs.jsonl", true);
    failures += run_file(shared, "conformance/deqp/cases.jsonl", false);
    failures += run_file(shared, "conformance/webgl-glsl.jsonl", false);
    printf("%zu stages sound, %zu unsound, %zu refused here, %zu cases refused by frontend/glsl\n",
           suite.sound, suite.unsound, suite.refused, suite.unread);
    for (size_t k = 0; k < suite.reasons; k++)
        printf("  %zu times: %s\n", suite.reason_count[k], suite.reason[k]);
    return failures != 0;
}
