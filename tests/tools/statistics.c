/* What the code of known programs costs, stage by stage, against what it cost when this was last looked at.
 *
 *     statistics [--update] EXPECTED --examples FOLDER [--level N]
 *     statistics [--update] EXPECTED --pairs FILE.jsonl [--filter PREFIX] [--every N] [--level N]
 *
 * EXPECTED has a line for each stage: name, stage, instructions, uniforms, threads, modelled cycles,
 * registers of file A and B, accumulators; or why there is no code. What differs is printed figure by figure,
 * with the sums before and after;
 * --update writes what comes out now. Pairs are FOLDER/NAME.vert and NAME.frag, or lines of the corpus; FILE
 * may begin with "SHARED/", the folder that QPUCC_SHARED names (skipped without). */
#include "pair_folder.h"
#include "tools/file.h"

#include <jansson.h>
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, FIGURES = 7 };

static const char *const figures[FIGURES] = {"instructions", "uniforms", "threads", "cycles", "a", "b",
                                             "acc"};

struct run {
    const char *expected; /* the file's text, or "" */
    FILE *out;            /* what comes out now */
    const char *filter;   /* what the pairs' names begin with */
    unsigned every;       /* of those every which one */
    int level;            /* -O */
    unsigned stages, differ;
    long sum[2][FIGURES]; /* expected, now; of the stages that both have */
};

/* The line of `expected` that begins with `key`, without it. */
static bool find(const char *expected, const char *key, char *line, size_t size) {
    size_t length = strlen(key);
    for (const char *at = expected; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL)
        if (!strncmp(at, key, length) && at[length] == ' ') {
            snprintf(line, size, "%.*s", (int)strcspn(at + length + 1, "\n"), at + length + 1);
            return true;
        }
    return false;
}

static bool parse(const char *line, unsigned v[FIGURES]) {
    return sscanf(line, "%u %u %u %u %u %u %u", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6]) == FIGURES;
}

static void compare(struct run *run, const char *key, const char *now) {
    char was[400];
    unsigned a[FIGURES], b[FIGURES];
    run->stages++;
    fprintf(run->out, "%s %s\n", key, now);
    if (!find(run->expected, key, was, sizeof was)) {
        run->differ++;
        printf("%s: not expected: %s\n", key, now);
        return;
    }
    bool both = parse(was, a) && parse(now, b);
    for (int i = 0; both && i < FIGURES; i++) {
        run->sum[0][i] += a[i];
        run->sum[1][i] += b[i];
    }
    if (!strcmp(was, now))
        return;
    run->differ++;
    printf("%s:", key);
    for (int i = 0; both && i < FIGURES; i++)
        if (a[i] != b[i])
            printf(" %s %u -> %u", figures[i], a[i], b[i]);
    printf(both ? "\n" : " %s -> %s\n", was, now);
}

static void pair(void *user, const char *name, const char *vertex, const char *fragment) {
    struct run *run = user;
    struct qpucc_source sources[2] = {{"vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = run->level;
    qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    char key[200], text[400];
    for (int i = 0; ok && i < QPUCC_STAGE_COUNT; i++) {
        const struct qpucc_stage_stats *s = qpucc_program_stats(program, (enum qpucc_stage)i);
        if (!s)
            continue;
        snprintf(key, sizeof key, "%s %s", name, qpucc_stage_name((enum qpucc_stage)i));
        snprintf(text, sizeof text, "%u %u %u %u %u %u %u", s->instructions, s->uniforms, s->threads,
                 s->cycles, s->regs_a, s->regs_b, s->accumulators);
        compare(run, key, text);
    }
    if (!ok) {
        const struct qpucc_diagnostic *d =
            program && qpucc_program_diagnostic_count(program) ? qpucc_program_diagnostic(program, 0) : NULL;
        snprintf(key, sizeof key, "%s program", name);
        snprintf(text, sizeof text, "refused: %s", d ? d->text : "out of memory");
        compare(run, key, text);
    }
    qpucc_program_free(program);
}

static bool corpus(struct run *run, const char *path) {
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    if (!file) {
        perror(path);
        return false;
    }
    while (getline(&line, &capacity, file) > 0) {
        json_t *json = json_loads(line, 0, NULL);
        const char *name = json_string_value(json_object_get(json, "name"));
        const char *vertex = json_string_value(json_object_get(json, "vertex"));
        const char *fragment = json_string_value(json_object_get(json, "fragment"));
        if (name && vertex && fragment && !strncmp(name, run->filter, strlen(run->filter)) &&
            count++ % run->every == 0)
            pair(run, name, vertex, fragment);
        json_decref(json);
    }
    free(line);
    fclose(file);
    return true;
}

static unsigned lines(const char *text) {
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* EXPECTED, where the pairs come from, and options in pairs. False: not as the usage has it. */
static bool parse_arguments(struct run *run, int count, char **args, bool *from_examples) {
    *from_examples = count > 2 && !strcmp(args[1], "--examples");
    bool ok = count > 2 && count % 2 && (*from_examples || !strcmp(args[1], "--pairs"));
    for (int i = 3; ok && i < count; i += 2) {
        char *end = args[i + 1];
        if (!strcmp(args[i], "--filter") && !*from_examples)
            run->filter = args[i + 1];
        else if (!strcmp(args[i], "--every") && !*from_examples)
            ok = (run->every = (unsigned)strtoul(args[i + 1], &end, 10)) > 0 && !*end;
        else if (!strcmp(args[i], "--level"))
            ok = (run->level = (int)strtol(args[i + 1], &end, 10)) >= 0 && !*end;
        else
            ok = false;
    }
    return ok;
}

int main(int argc, char **argv) {
    bool update = argc > 1 && !strcmp(argv[1], "--update"), from_examples;
    char **args = argv + 1 + update, error[1400], path[1000];
    struct run run = {.filter = "", .every = 1, .level = 2};
    if (!parse_arguments(&run, argc - 1 - update, args, &from_examples)) {
        fprintf(stderr,
                "usage: %s [--update] EXPECTED --examples FOLDER [--level N]\n"
                "       %s [--update] EXPECTED --pairs FILE [--filter PREFIX] [--every N] [--level N]\n",
                argv[0], argv[0]);
        return 2;
    }
    const char *shared = getenv("QPUCC_SHARED");
    snprintf(path, sizeof path, "%s", args[2]);
    if (!strncmp(args[2], "SHARED/", 7)) {
        if (!shared || !*shared) {
            printf("skipped: QPUCC_SHARED is not set\n");
            return SKIPPED;
        }
        snprintf(path, sizeof path, "%s/%s", shared, args[2] + 7);
    }
    struct file_data expected = {NULL, 0};
    if (!file_read(args[0], &expected, error, sizeof error) && !update) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    char *now = NULL;
    size_t size;
    run.expected = expected.data ? expected.data : "";
    run.out = open_memstream(&now, &size);
    if (!run.out)
        return 1;
    bool ok = from_examples ? pair_folder_each(path, pair, &run) : corpus(&run, path);
    ok = fclose(run.out) == 0 && ok;
    if (lines(run.expected) > run.stages) {
        printf("%u stages are expected, %u there\n", lines(run.expected), run.stages);
        run.differ++;
    }
    printf("%u stages, %u differ;", run.stages, run.differ);
    for (int i = 0; i < FIGURES; i++)
        printf(" %s %ld -> %ld%s", figures[i], run.sum[0][i], run.sum[1][i], i + 1 < FIGURES ? "," : "\n");
    if (ok && update) {
        FILE *file = fopen(args[0], "w");
        ok = file && fputs(now, file) >= 0;
        ok = file && fclose(file) == 0 && ok;
    } else if (run.differ)
        printf("if that is meant: cmake --build BUILD --target update_statistics\n");
    free(now);
    file_free(&expected);
    return ok && (update || !run.differ) ? 0 : 1;
}
