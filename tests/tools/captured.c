/* The fragment programs that Broadcom's compiler made on a Pi (names "qpu-sniff/" of the foreign code):
 * none may be longer here, with uniform expressions and without, which is where most of them would vanish.
 *
 *     captured FILE.jsonl
 *
 * Theirs leave out the half that gl_FragCoord.x and .y add (docs/hardware.md, Fragments), and have no
 * answer for inversesqrt of a negative number (docs/numerics.md, Undefined in GLSL): one instruction for
 * each half, and two for each such root, are excepted. */
#include "qpucc/qpucc.h"
#include "tools/file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, PROGRAMS = 36 };

/* Halves a text asks for: one for each of gl_FragCoord.x, .y; both for the vector. */
static size_t halves(const char *glsl) {
    size_t count = 0;
    for (const char *at = glsl; (at = strstr(at, "gl_FragCoord")) != NULL;) {
        at += strlen("gl_FragCoord");
        count += *at != '.' ? 2 : at[1] == 'x' || at[1] == 'y';
    }
    return count;
}

static size_t guards(const char *glsl) {
    size_t count = 0;
    for (const char *at = glsl; (at = strstr(at, "inversesqrt(")) != NULL; at++)
        count += 2;
    return count;
}

static bool is_short_enough(const char *name, const char *glsl, size_t theirs, bool no_uniform_expressions) {
    struct qpucc_source source = {name, glsl, strlen(glsl), QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    options.default_precision = QPUCC_PRECISION_MEDIUMP;
    if (no_uniform_expressions)
        options.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS;
    qpucc_program *program = qpucc_compile(&source, 1, NULL, &options);
    size_t ours = 0;
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    if (ok)
        qpucc_program_code(program, QPUCC_FRAGMENT, &ours);
    ok = ok && ours <= theirs + halves(glsl) + guards(glsl);
    if (!ok || getenv("CAPTURED_VERBOSE"))
        printf("%-32s %-22s %3zu theirs, %3zu ours%s\n", name,
               no_uniform_expressions ? "no uniform expressions" : "", theirs, ours, ok ? "" : "  FAILED");
    if (program && qpucc_program_diagnostic_count(program))
        printf("%s\n", qpucc_program_diagnostic(program, 0)->text);
    qpucc_program_free(program);
    return ok;
}

int main(int argc, char **argv) {
    const char *shared = getenv("QPUCC_SHARED");
    char path[600], error[600];
    struct file_data file;
    size_t seen = 0, failed = 0;
    if (argc != 2)
        return 2;
    if (!strncmp(argv[1], "SHARED/", 7)) {
        if (!shared || !*shared) {
            printf("skipped: QPUCC_SHARED is not set\n");
            return SKIPPED;
        }
        snprintf(path, sizeof path, "%s/%s", shared, argv[1] + 7);
    } else
        snprintf(path, sizeof path, "%s", argv[1]);
    if (!file_read(path, &file, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    for (char *at = file.data; *at;) {
        char *stop = strchr(at, '\n');
        size_t length = stop ? (size_t)(stop - at) : strlen(at);
        json_t *line = json_loadb(at, length, 0, NULL);
        const char *name = json_string_value(json_object_get(line, "name"));
        const char *stage = json_string_value(json_object_get(line, "stage"));
        const char *glsl = json_string_value(json_object_get(line, "glsl"));
        if (name && stage && glsl && !strcmp(stage, "fragment") && !strncmp(name, "qpu-sniff/", 10)) {
            size_t theirs = json_array_size(json_object_get(line, "code"));
            seen++;
            for (int without = 0; without < 2; without++)
                failed += !is_short_enough(name, glsl, theirs, without);
        }
        json_decref(line);
        at += length + (stop != NULL);
    }
    file_free(&file);
    printf("%zu programs, %zu too long\n", seen, failed);
    return seen != PROGRAMS || failed;
}
