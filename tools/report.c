/* qpucc report: compiles every pair of a corpus, or every preset of a folder (report_presets.c), and prints
 * one row for each. */
#include "report.h"
#include "parallel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_PAIRS = CLI_OWN, OPT_PRESETS, OPT_JSON, OPT_CODE, OPT_FILTER, OPT_COMPARE };

struct pair {
    char *name;
    json_t *row; /* what --json prints */
};

struct job {
    const char **lines;
    const size_t *lengths;
    struct pair *pairs;
    size_t count;
    const struct cli_options *options;
    bool code;
};

/* The stage that a diagnostic is about: by the name that the source was given, or by the message's own
 * beginning. */
static const char *stage_of(const struct qpucc_diagnostic *d) {
    int stage = cli_stage_of_name(d->file);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const char *name = qpucc_stage_name((enum qpucc_stage)s);
        if (!strncmp(d->text, name, strlen(name)))
            return name;
    }
    return stage >= 0 ? qpucc_stage_name((enum qpucc_stage)stage) : "";
}

json_t *report_failure(const char *name, const char *code, const char *stage, const char *message) {
    return json_pack("{s:o, s:{s:s, s:s, s:o}}", "name", cli_json_text(name), "error", "code", code, "stage",
                     stage, "message", cli_json_text(message));
}

static json_t *compile_row(const struct cli_sources *sources, const char *name,
                           const struct cli_options *options, bool code) {
    qpucc_program *program =
        qpucc_compile(sources->source, sources->count, &options->state, &options->compile);
    json_t *row = NULL;
    for (size_t i = 0; program && !row && i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        char message[700];
        bool refuses =
            d->severity == QPUCC_ERROR || (d->severity == QPUCC_WARNING && cli_warnings_fail(options));
        if (!refuses)
            continue;
        if (d->line)
            snprintf(message, sizeof message, "%s:%u:%u: %s", d->file, d->line, d->column, d->text);
        else
            snprintf(message, sizeof message, "%s", d->text);
        row = report_failure(name, d->code, stage_of(d), message);
    }
    if (!row && program)
        row = json_pack("{s:o, s:s, s:s, s:o}", "name", cli_json_text(name), "policy",
                        qpucc_policy_name(qpucc_program_policy(program)), "chip", cli_chip_name(program),
                        "stages", cli_stages_json(program, code));
    qpucc_program_free(program);
    return row ? row : report_failure(name, "internal", "", "out of memory");
}

json_t *report_texts(const struct cli_options *given, const struct cli_input *inputs, size_t count,
                     const char *name, bool code) {
    struct cli_options *options = malloc(sizeof *options);
    struct cli_sources *sources = malloc(sizeof *sources);
    json_t *row = NULL;
    if (options && sources) {
        *options = *given;
        memcpy(options->inputs, inputs, count * sizeof *inputs);
        options->input_count = count;
        row = cli_read(options, sources) ? compile_row(sources, name, options, code)
                                         : report_failure(name, "usage", "", "not a shader for both stages");
        cli_sources_free(sources);
    }
    free(options);
    free(sources);
    return row ? row : report_failure(name, "internal", "", "out of memory");
}

static json_t *compile_pair(const struct job *job, const char *name, const json_t *vertex,
                            const json_t *fragment) {
    char vertex_name[300], fragment_name[300];
    struct cli_input inputs[2];
    size_t count = 0;
    snprintf(vertex_name, sizeof vertex_name, "%s.vert", name);
    snprintf(fragment_name, sizeof fragment_name, "%s.frag", name);
    if (vertex)
        inputs[count++] =
            cli_text_input(vertex_name, json_string_value(vertex), json_string_length(vertex), QPUCC_VERTEX);
    if (fragment)
        inputs[count++] = cli_text_input(fragment_name, json_string_value(fragment),
                                         json_string_length(fragment), QPUCC_FRAGMENT);
    if (!count)
        return report_failure(name, "usage", "", "the line has neither a vertex nor a fragment shader");
    return report_texts(job->options, inputs, count, name, job->code);
}

static struct pair run_line(const struct job *job, size_t index) {
    struct pair pair = {NULL, NULL};
    json_error_t where;
    json_t *line = json_loadb(job->lines[index], job->lengths[index], 0, &where);
    json_t *vertex = json_object_get(line, "vertex"), *fragment = json_object_get(line, "fragment");
    const char *name = json_string_value(json_object_get(line, "name"));
    char fallback[40];
    snprintf(fallback, sizeof fallback, "line %zu", index + 1);
    pair.name = strdup(name ? name : fallback);
    if (!pair.name)
        return pair;
    if (!line)
        pair.row = report_failure(pair.name, "usage", "", where.text);
    else if ((vertex && !json_is_string(vertex)) || (fragment && !json_is_string(fragment)))
        pair.row = report_failure(pair.name, "usage", "", "vertex and fragment are texts");
    else
        pair.row = compile_pair(job, pair.name, vertex, fragment);
    json_decref(line);
    return pair;
}

static void take_line(void *user, size_t index) {
    struct job *job = user;
    job->pairs[index] = run_line(job, index);
}

/* --- output --------------------------------------------------------------------------------------------- */

static int integer(const json_t *object, const char *key) {
    return (int)json_integer_value(json_object_get(object, key));
}

/* NULL: the program has none. */
static const json_t *stage_in(const json_t *row, int which) {
    const json_t *stage;
    size_t index;
    json_array_foreach(json_object_get(row, "stages"), index, stage) {
        const char *name = json_string_value(json_object_get(stage, "stage"));
        if (name && cli_stage_of_word(name) == which)
            return stage;
    }
    return NULL;
}

static void print_table(const struct job *job) {
    size_t ok = 0;
    long totals[QPUCC_STAGE_COUNT][3] = {{0}};
    printf("%-44s", "pair");
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        printf("  %10s %4s %6s", qpucc_stage_name((enum qpucc_stage)s), "unif", "cycles");
    putchar('\n');
    for (size_t i = 0; i < job->count; i++) {
        const json_t *error = json_object_get(job->pairs[i].row, "error");
        if (error)
            continue;
        ok++;
        printf("%-44s", job->pairs[i].name);
        for (int which = 0; which < QPUCC_STAGE_COUNT; which++) {
            const json_t *stage = stage_in(job->pairs[i].row, which);
            if (!stage) {
                printf("  %10s %4s %6s", "", "", "");
                continue;
            }
            int instructions = integer(stage, "instructions"), uniforms = integer(stage, "uniforms"),
                cycles = integer(stage, "cycles");
            printf("  %10d %4d %6d", instructions, uniforms, cycles);
            totals[which][0] += instructions;
            totals[which][1] += uniforms;
            totals[which][2] += cycles;
        }
        putchar('\n');
    }
    printf("%-44s", "total");
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        printf("  %10ld %4ld %6ld", totals[s][0], totals[s][1], totals[s][2]);
    putchar('\n');
    for (size_t i = 0; i < job->count; i++) {
        const json_t *error = json_object_get(job->pairs[i].row, "error");
        if (error)
            printf("%-44s  %s: %s\n", job->pairs[i].name, json_string_value(json_object_get(error, "code")),
                   json_string_value(json_object_get(error, "message")));
    }
    printf("%zu pairs, %zu compiled, %zu refused\n", job->count, ok, job->count - ok);
}

static int print_json(const struct job *job) {
    for (size_t i = 0; i < job->count; i++) {
        char *text = job->pairs[i].row ? json_dumps(job->pairs[i].row, JSON_COMPACT) : NULL;
        if (!text)
            return complain("out of memory"), EXIT_INTERNAL;
        puts(text);
        free(text);
    }
    return EXIT_DONE;
}

/* --- comparison ----------------------------------------------------------------------------------------- */

/* What changed in one figure of one stage over all pairs, as shader-db counts it. */
struct change {
    long before, after;
    size_t helped, hurt;
};

static const char *const figures[] = {"instructions", "uniforms", "cycles"};
enum { FIGURES = sizeof figures / sizeof *figures };

static void add_change(struct change *c, const char *pair, int which, const char *figure, int before,
                       int after) {
    c->before += before;
    c->after += after;
    c->helped += after < before;
    c->hurt += after > before;
    if (after != before)
        printf("%-44s %-10s %-12s %6d -> %6d  %+.1f %%\n", pair, qpucc_stage_name((enum qpucc_stage)which),
               figure, before, after, before ? 100.0 * (after - before) / before : 0);
}

static void print_changes(struct change changes[QPUCC_STAGE_COUNT][FIGURES]) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        for (int f = 0; f < FIGURES; f++) {
            const struct change *c = &changes[s][f];
            if (c->before || c->after)
                printf("total %-10s %-12s %8ld -> %8ld  %+.2f %%; helped %zu, hurt %zu\n",
                       qpucc_stage_name((enum qpucc_stage)s), figures[f], c->before, c->after,
                       c->before ? 100.0 * (double)(c->after - c->before) / (double)c->before : 0, c->helped,
                       c->hurt);
        }
}

/* This report against an earlier one's JSON lines: each figure that changed, pairs lost and gained, totals
 * over the stages that both have. */
static int compare(const struct job *job, const char *path) {
    struct file_data file;
    char error[400];
    struct change changes[QPUCC_STAGE_COUNT][FIGURES] = {0};
    size_t lost = 0, gained = 0, both = 0, line_number = 0;
    if (!file_read(path, &file, error, sizeof error))
        return complain("%s", error);
    json_t *old = json_object();
    for (const char *at = file.data, *end = at + file.size; old && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        json_t *row = length ? json_loadb(at, length, 0, NULL) : NULL;
        const char *name = json_string_value(json_object_get(row, "name"));
        line_number++;
        if (length && !name) {
            json_decref(row);
            json_decref(old);
            file_free(&file);
            return complain("%s:%zu: not a line of report --json", path, line_number);
        }
        if (name)
            json_object_set_new(old, name, row);
        at = stop ? stop + 1 : end;
    }
    for (size_t i = 0; i < job->count; i++) {
        const json_t *row = job->pairs[i].row, *before = json_object_get(old, job->pairs[i].name);
        bool had = json_object_get(before, "stages"), has = json_object_get(row, "stages");
        if (!before)
            continue;
        if (had != has)
            printf("%-44s %s\n", job->pairs[i].name, has ? "GAINED" : "LOST");
        lost += had && !has;
        gained += has && !had;
        both += had && has;
        for (int s = 0; had && has && s < QPUCC_STAGE_COUNT; s++) {
            const json_t *a = stage_in(before, s), *b = stage_in(row, s);
            for (int f = 0; a && b && f < FIGURES; f++)
                add_change(&changes[s][f], job->pairs[i].name, s, figures[f], integer(a, figures[f]),
                           integer(b, figures[f]));
        }
    }
    print_changes(changes);
    printf("%zu pairs in both, %zu lost, %zu gained\n", both, lost, gained);
    json_decref(old);
    file_free(&file);
    return lost ? EXIT_SOURCE : EXIT_DONE;
}

/* --- the corpus ----------------------------------------------------------------------------------------- */

/* Splits a file into its non-empty lines; with a filter, those whose name contains it. */
static bool split(struct job *job, const struct file_data *file, const char *filter, size_t **lengths) {
    const char *end = file->data + file->size;
    size_t capacity = 0;
    for (const char *at = file->data; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        bool wanted = length > 0;
        if (wanted && filter) {
            json_t *line = json_loadb(at, length, 0, NULL);
            const char *name = json_string_value(json_object_get(line, "name"));
            wanted = name && strstr(name, filter);
            json_decref(line);
        }
        if (wanted && job->count == capacity) {
            capacity = capacity ? capacity * 2 : 256;
            const char **lines = realloc(job->lines, capacity * sizeof *lines);
            if (lines)
                job->lines = lines;
            size_t *grown = realloc(*lengths, capacity * sizeof *grown);
            if (grown)
                *lengths = grown;
            if (!lines || !grown)
                return false;
        }
        if (wanted) {
            (*lengths)[job->count] = length;
            job->lines[job->count++] = at;
        }
        at = stop ? stop + 1 : end;
    }
    return true;
}

static bool run_all(struct job *job, unsigned threads) {
    job->pairs = calloc(job->count ? job->count : 1, sizeof *job->pairs);
    if (job->pairs)
        parallel_run(threads, job->count, take_line, job);
    return job->pairs;
}

int command_report(int argc, char **argv) {
    static const struct option longs[] = {{"pairs", required_argument, NULL, OPT_PAIRS},
                                          {"presets", required_argument, NULL, OPT_PRESETS},
                                          {"json", no_argument, NULL, OPT_JSON},
                                          {"code", no_argument, NULL, OPT_CODE},
                                          {"filter", required_argument, NULL, OPT_FILTER},
                                          {"compare", required_argument, NULL, OPT_COMPARE},
                                          CLI_LONG,
                                          {NULL, 0, NULL, 0}};
    struct cli_options options;
    const char *path = NULL, *folder = NULL, *filter = NULL, *old = NULL;
    bool json = false, with_code = false;
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    char error[400];
    cli_init(&options);
    for (int c; (c = getopt_long(argc, argv, CLI_SHORT "j:", longs, NULL)) != -1;) {
        if (c == 'j') {
            char *end;
            threads = strtol(optarg, &end, 10);
            if (*end || threads < 1)
                return complain("-j %s: must be 1 or more threads", optarg);
            continue;
        }
        if (c == OPT_PAIRS)
            path = optarg;
        else if (c == OPT_PRESETS)
            folder = optarg;
        else if (c == OPT_JSON)
            json = true;
        else if (c == OPT_CODE)
            with_code = true;
        else if (c == OPT_COMPARE)
            old = optarg;
        else if (c == OPT_FILTER)
            filter = optarg;
        else if (cli_option(&options, c, optarg) <= 0)
            return EXIT_USAGE;
    }
    if (!path == !folder || options.input_count || optind < argc)
        return complain("report takes --pairs FILE.jsonl or --presets FOLDER");
    if (options.time_passes || options.compile.on_ir)
        return complain("report has many threads: --print-after and --time-passes are for one pair");
    if (options.set_count || options.spec_count)
        return complain("report compiles many programs: --%s is for one", options.set_count ? "set" : "spec");
    if (options.fixed_path)
        return complain("report compiles shaders: --fixed is for one program without");
    if (with_code && !json)
        return complain("report prints code with --json only");
    if (old && json)
        return complain("report --compare prints text: without --json");
    if (folder && old)
        return complain("report compares rows of --pairs");
    unsigned most = threads < 64 ? (unsigned)threads : 64;
    if (folder)
        return report_presets(folder, &options, filter, most, json, with_code);
    struct file_data file;
    if (!file_read(path, &file, error, sizeof error))
        return complain("%s", error);
    struct job job = {.options = &options, .code = with_code};
    size_t *lengths = NULL;
    bool ok = split(&job, &file, filter, &lengths);
    job.lengths = lengths;
    ok = ok && run_all(&job, most);
    int code = ok ? EXIT_DONE : (complain("out of memory"), EXIT_INTERNAL);
    if (ok && old)
        code = compare(&job, old);
    else if (ok && json)
        code = print_json(&job);
    else if (ok)
        print_table(&job);
    for (size_t i = 0; job.pairs && i < job.count; i++) {
        free(job.pairs[i].name);
        json_decref(job.pairs[i].row);
    }
    free(job.pairs);
    free(job.lines);
    free(lengths);
    file_free(&file);
    return code;
}
