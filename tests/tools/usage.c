/* What the shaders of a suite take of the limits that count work and memory. None may meet a limit.
 *
 *     usage [--level N] [--part N/M] [--except TEXT] FILE.jsonl...
 *
 * A line has "vertex" and "fragment", or "shaders": [{"stage", "src"}]; those with TEXT in their name are
 * left out. Names the largest of each, and fails where a limit is met. A file's name may begin with SHARED/,
 * the folder that QPUCC_SHARED names; without it 77 is returned. */
#include <qpucc/qpucc.h>

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct largest {
    uint64_t value;
    char name[200];
};

static struct largest largest[QPUCC_LIMIT_COUNT];
static unsigned long compiled, met;
static const char *except;

static void note(enum qpucc_limit limit, uint64_t value, const char *name) {
    if (value <= largest[limit].value)
        return;
    largest[limit].value = value;
    snprintf(largest[limit].name, sizeof largest[limit].name, "%s", name);
}

static size_t add(struct qpucc_source *out, const json_t *text, const char *stage) {
    if (!json_is_string(text))
        return 0;
    *out = (struct qpucc_source){.name = stage,
                                 .data = json_string_value(text),
                                 .size = json_string_length(text),
                                 .stage = stage[0] == 'v' ? QPUCC_VERTEX : QPUCC_FRAGMENT};
    return 1;
}

static void compile(const json_t *line, int level) {
    struct qpucc_source sources[2];
    const char *name = json_string_value(json_object_get(line, "name"));
    size_t count = 0, k;
    json_t *shader;
    if (except && name && strstr(name, except))
        return;
    count += add(&sources[count], json_object_get(line, "vertex"), "vertex");
    count += add(&sources[count], json_object_get(line, "fragment"), "fragment");
    json_array_foreach(json_object_get(line, "shaders"), k, shader) {
        const char *stage = json_string_value(json_object_get(shader, "stage"));
        if (count < 2)
            count += add(&sources[count], json_object_get(shader, "src"), stage ? stage : "");
    }
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    qpucc_program *program = qpucc_compile(sources, count, NULL, &options);
    if (!program)
        return;
    compiled++;
    name = name ? name : "?";
    for (size_t i = 0; i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        if (strcmp(d->code, "limit"))
            continue;
        printf("%s: %s:%u: %s\n", name, d->file, d->line, d->text);
        met++;
    }
    struct qpucc_usage usage = qpucc_program_usage(program);
    note(QPUCC_LIMIT_BYTES, usage.bytes, name);
    note(QPUCC_LIMIT_WORK, usage.work, name);
    note(QPUCC_LIMIT_SEARCH, usage.search, name);
    note(QPUCC_LIMIT_INSTRUCTIONS, usage.instructions, name);
    for (size_t i = 0; i < count; i++) {
        size_t words;
        const uint32_t *spirv = qpucc_program_spirv(program, sources[i].stage, &words);
        note(QPUCC_LIMIT_SOURCE_BYTES, sources[i].size, name);
        note(QPUCC_LIMIT_MODULE_WORDS, words, name);
        note(QPUCC_LIMIT_IDS, spirv ? spirv[3] : 0, name);
    }
    qpucc_program_free(program);
}

int main(int argc, char **argv) {
    int level = 2;
    unsigned long part = 1, parts = 1, lines = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--level") && i + 1 < argc) {
            level = atoi(argv[++i]);
            continue;
        }
        if (!strcmp(argv[i], "--except") && i + 1 < argc) {
            except = argv[++i];
            continue;
        }
        if (!strcmp(argv[i], "--part") && i + 1 < argc) {
            if (sscanf(argv[++i], "%lu/%lu", &part, &parts) != 2 || !parts)
                return fprintf(stderr, "--part N/M\n"), 1;
            continue;
        }
        const char *shared = getenv("QPUCC_SHARED");
        bool is_shared = strncmp(argv[i], "SHARED/", 7) == 0;
        if (is_shared && (!shared || !*shared))
            return 77;
        char path[1000];
        snprintf(path, sizeof path, "%s%s", is_shared ? shared : "", argv[i] + (is_shared ? 6 : 0));
        FILE *file = fopen(path, "r");
        if (!file)
            return perror(path), 1;
        char *text = NULL;
        size_t capacity = 0;
        while (getline(&text, &capacity, file) > 0) {
            if (lines++ % parts != part - 1)
                continue;
            json_t *line = json_loads(text, 0, NULL);
            if (line)
                compile(line, level);
            json_decref(line);
        }
        free(text);
        fclose(file);
    }
    printf("%lu programs, %lu meet a limit\n", compiled, met);
    for (int k = 0; k < QPUCC_LIMIT_COUNT; k++)
        if (largest[k].value)
            printf("%-14s %12" PRIu64 " of %12" PRIu64 "  %s\n", qpucc_limit_name((enum qpucc_limit)k),
                   largest[k].value, qpucc_limit_default((enum qpucc_limit)k), largest[k].name);
    return met || !compiled;
}
