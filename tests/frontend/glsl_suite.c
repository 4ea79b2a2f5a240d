/* glsl_suite.c: runs the GLSL front end over the shared case files and counts, category by category, whether
 * each shader is accepted or refused as labelled and whether what comes out is valid SPIR-V.
 *
 *    glsl_suite [--verbose] [--show NAME] [--exceptions FILE]
 *
 * --verbose names every case that went wrong, with the first diagnostic; --show prints one case whole;
 * --exceptions lists parts of names with a reason why they may go wrong. With the sanitizers half of the
 * conformance cases run. The path comes from the environment variable QPUCC_SHARED; without it the test is
 * skipped (77). */
#include "frontend/glsl/glsl.h"
#include "glsl_json.h"
#include "tests/sanitized.h"

#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct category {
    char name[80];
    unsigned right, wrong;
};

static struct {
    struct category categories[40];
    size_t category_count;
    bool verbose;
    const char *show;
    spv_context context;
    unsigned wrong, invalid, excused;
    char *exceptions; /* the file's text; see excused() */
    double ms;
    unsigned pairs;
} suite;

static struct category *category(const char *name) {
    for (size_t i = 0; i < suite.category_count; i++) {
        if (strcmp(suite.categories[i].name, name) == 0)
            return &suite.categories[i];
    }
    struct category *c = &suite.categories[suite.category_count++];
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool valid(const struct fe_glsl_result *r, char *why, size_t size) {
    for (size_t i = 0; i < r->stage_count; i++) {
        spv_diagnostic diagnostic = NULL;
        spv_const_binary_t binary = {r->stages[i].spirv, r->stages[i].spirv_words};
        spv_result_t code = spvValidate(suite.context, &binary, &diagnostic);
        if (code != SPV_SUCCESS) {
            snprintf(why, size, "invalid SPIR-V: %s", diagnostic ? diagnostic->error : "?");
            spvDiagnosticDestroy(diagnostic);
            return false;
        }
        spvDiagnosticDestroy(diagnostic);
    }
    return true;
}

static void show(const struct fe_source *sources, const struct fe_glsl_result *r) {
    for (size_t i = 0; i < r->stage_count; i++)
        printf("---- %s\n%s\n", sources[i].name, sources[i].text);
    for (size_t i = 0; i < r->diagnostic_count; i++) {
        const struct fe_diagnostic *d = &r->diagnostics[i];
        printf("%s:%u:%u: %s: %s\n", d->file, d->line, d->column,
               d->severity == FE_ERROR     ? "error"
               : d->severity == FE_WARNING ? "warning"
                                           : "note",
               d->text);
    }
    for (size_t i = 0; r->ok && i < r->stage_count; i++)
        spvBinaryToText(suite.context, r->stages[i].spirv, r->stages[i].spirv_words,
                        SPV_BINARY_TO_TEXT_OPTION_PRINT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES, NULL,
                        NULL);
}

/* Each line of the exceptions file is `part of a case's name | reason`. */
static bool excused(const char *name) {
    for (const char *line = suite.exceptions; line && *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        const char *bar = memchr(line, '|', length);
        char part[300];
        if (bar && line[0] != '#' && bar - line > 1) {
            snprintf(part, sizeof part, "%.*s", (int)(bar - line - 1), line);
            if (strstr(name, part))
                return true;
        }
        line = end ? end + 1 : line + length;
    }
    return false;
}

static void run_case(const char *group, const char *name, struct fe_source *sources, size_t count,
                     bool accept) {
    if (suite.show && strcmp(suite.show, name) != 0)
        return;
    double start = now();
    struct fe_glsl_result *r = fe_glsl_compile(sources, count, NULL);
    suite.ms += now() - start;
    suite.pairs++;
    char why[400] = "";
    bool good = r->ok == accept;
    if (!good)
        snprintf(why, sizeof why, "%s: %s", r->ok ? "accepted" : "refused",
                 r->diagnostic_count ? r->diagnostics[0].text : "");
    if (r->ok && !valid(r, why, sizeof why)) {
        good = false;
        suite.invalid++;
    }
    if (!r->ok && !r->diagnostic_count) {
        good = false;
        snprintf(why, sizeof why, "refused without a diagnostic");
    }
    struct category *c = category(group);
    if (good)
        c->right++;
    else
        c->wrong++;
    bool excuse = !good && excused(name);
    suite.excused += excuse;
    suite.wrong += !good && !excuse;
    if (suite.verbose && !good && !excuse)
        printf("%s | %s | %s\n", group, name, why);
    if (suite.show)
        show(sources, r);
    fe_glsl_result_free(r);
}

static struct fe_source source(const char *text, enum qpucc_stage stage) {
    return (struct fe_source){stage == QPUCC_VERTEX ? "shader.vert" : "shader.frag", text, strlen(text),
                              stage, NULL};
}

static void deqp_case(const struct json *c) {
    struct fe_source sources[2];
    size_t count = 0;
    const struct json *shaders = json_get(c, "shaders");
    for (size_t i = 0; shaders && i < shaders->count && count < 2; i++) {
        const char *stage = json_string(&shaders->items[i], "stage");
        sources[count++] = source(json_string(&shaders->items[i], "src"),
                                  strncmp(stage, "v", 1) == 0 ? QPUCC_VERTEX : QPUCC_FRAGMENT);
    }
    const char *use = json_string(c, "use");
    char group[80];
    snprintf(group, sizeof group, "deqp %s", use);
    if (count)
        run_case(group, json_string(c, "name"), sources, count, strcmp(use, "must_fail") != 0);
}

static bool is_true(const struct json *c, const char *key) {
    const struct json *v = json_get(c, key);
    return v && v->kind == JSON_TRUE;
}

static bool is_false(const struct json *c, const char *key) {
    const struct json *v = json_get(c, key);
    return v && v->kind == JSON_FALSE;
}

static void webgl_case(const struct json *c) {
    const char *vertex = json_string(c, "vertex"), *fragment = json_string(c, "fragment");
    if (is_true(c, "ignore"))
        return;
    const char *file = json_string(c, "file"), *name = json_string(c, "name");
    char full[400];
    snprintf(full, sizeof full, "%s/%s", file ? file : "", name ? name : "");
    struct fe_source sources[2];
    if (vertex && !is_false(c, "vs_ok") && fragment && !is_false(c, "fs_ok")) {
        sources[0] = source(vertex, QPUCC_VERTEX);
        sources[1] = source(fragment, QPUCC_FRAGMENT);
        bool accept = is_true(c, "link_ok");
        run_case(accept ? "webgl link good" : "webgl link bad", full, sources, 2, accept);
        return;
    }
    if (vertex && json_get(c, "vs_ok") && (is_true(c, "vs_ok") || is_false(c, "vs_ok"))) {
        sources[0] = source(vertex, QPUCC_VERTEX);
        run_case(is_true(c, "vs_ok") ? "webgl vertex good" : "webgl vertex bad", full, sources, 1,
                 is_true(c, "vs_ok"));
    }
    if (fragment && (is_true(c, "fs_ok") || is_false(c, "fs_ok"))) {
        sources[0] = source(fragment, QPUCC_FRAGMENT);
        run_case(is_true(c, "fs_ok") ? "webgl fragment good" : "webgl fragment bad", full, sources, 1,
                 is_true(c, "fs_ok"));
    }
}

static void corpus_case(const struct json *c) {
    struct fe_source sources[2] = {source(json_string(c, "vertex"), QPUCC_VERTEX),
                                   source(json_string(c, "fragment"), QPUCC_FRAGMENT)};
    run_case("corpus", json_string(c, "name"), sources, 2, true);
}

static bool each_line(const char *root, const char *file, void (*run)(const struct json *)) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", root, file);
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    for (size_t number = 0; (length = getline(&line, &capacity, f)) > 0; number++) {
        if (run != corpus_case && !in_sanitized_half(number, 1))
            continue;
        struct json *c = json_parse(line, (size_t)length);
        if (c)
            run(c);
        else
            suite.wrong++;
        json_free(c);
    }
    free(line);
    fclose(f);
    return true;
}

static char *read_whole(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, capacity = 0, got;
    char chunk[4096];
    while (f && (got = fread(chunk, 1, sizeof chunk, f)) > 0) {
        if (length + got + 1 > capacity)
            text = realloc(text, capacity = (length + got + 1) * 2);
        memcpy(text + length, chunk, got);
        length += got;
        text[length] = 0;
    }
    if (f)
        fclose(f);
    else
        fprintf(stderr, "%s cannot be read\n", path);
    return text;
}

int main(int argc, char **argv) {
    const char *root = getenv("QPUCC_SHARED");
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verbose") == 0)
            suite.verbose = true;
        else if (strcmp(argv[i], "--exceptions") == 0 && i + 1 < argc)
            suite.exceptions = read_whole(argv[++i]);
        else if (strcmp(argv[i], "--show") == 0 && i + 1 < argc)
            suite.show = argv[++i];
    }
    if (!root || !*root) {
        puts("skipped: QPUCC_SHARED is not set");
        return 77;
    }
    suite.context = spvContextCreate(SPV_ENV_UNIVERSAL_1_0);
    bool all = each_line(root, "corpus/dev-pairs.jsonl", corpus_case);
    all &= each_line(root, "conformance/deqp/cases.jsonl", deqp_case);
    all &= each_line(root, "conformance/webgl-glsl.jsonl", webgl_case);
    spvContextDestroy(suite.context);
    if (!all) {
        puts("skipped: the case files are not there");
        return 77;
    }
    for (size_t i = 0; i < suite.category_count; i++)
        printf("%-24s %5u right %5u wrong\n", suite.categories[i].name, suite.categories[i].right,
               suite.categories[i].wrong);
    printf("%u compiles, %.2f ms each; %u modules invalid; %u wrong, %u more as listed\n", suite.pairs,
           suite.ms / suite.pairs, suite.invalid, suite.wrong, suite.excused);
    free(suite.exceptions);
    return suite.wrong ? 1 : 0;
}
