/* What became better or worse between two programs, from their explanations as documents: an older one may
 * have been stored. */
#include "compare.h"
#include "explain_json.h"
#include "explain_text.h"

#include <stdlib.h>
#include <string.h>

/* --- the older program ---------------------------------------------------------------------------------- */

static json_t *document_of(const qpucc_program *program, const struct cli_sources *sources,
                           const char *path) {
    json_t *json = NULL;
    if (qpucc_program_status(program) != QPUCC_OK)
        complain("--compare=%s: there is no code of it", path);
    else if (!(json = explain_json(program, 0)))
        complain("out of memory");
    if (json && sources)
        explain_json_add_sources(json, sources);
    return json;
}

/* `first` is what the first path has: a pipe gives it only once. */
static json_t *read_sources(const char *const *paths, size_t count, const struct file_data *first,
                            const struct cli_options *options) {
    struct cli_options old = *options;
    struct cli_sources sources;
    json_t *json = NULL;
    old.compile.defines = old.defines;
    old.compile.include_dirs = old.includes;
    old.input_count = 0;
    old.fixed_path = NULL;
    for (size_t i = 0; i < count; i++)
        old.inputs[old.input_count++] = (struct cli_input){.path = paths[i], .stage = -1, .language = -1};
    old.inputs[0].text = first->data;
    old.inputs[0].size = first->size;
    if (cli_read(&old, &sources)) {
        qpucc_program *program = cli_compile(&old, &sources);
        if (program)
            json = document_of(program, &sources, paths[0]);
        qpucc_program_free(program);
    }
    cli_sources_free(&sources);
    return json;
}

static json_t *read_document(const struct file_data *file, const char *path) {
    json_error_t error;
    json_t *json = json_loadb(file->data, file->size, 0, &error);
    const char *schema = json_string_value(json_object_get(json, "schema"));
    if (!json)
        complain("%s:%d: %s", path, error.line, error.text);
    else if (!schema || strcmp(schema, EXPLAIN_SCHEMA)) {
        complain("%s: is not what qpucc explain --json writes", path);
        json_decref(json);
        json = NULL;
    }
    return json;
}

json_t *compare_read(const char *const *paths, size_t count, const struct cli_options *options) {
    struct file_data file;
    char error[400];
    if (!file_read(paths[0], &file, error, sizeof error))
        return complain("%s", error), NULL;
    json_t *json = NULL;
    bool container = file.size >= 8 && !memcmp(file.data, "QPUCC\r\n\x1a", 8);
    bool document = file.size && file.data[0] == '{';
    if (count > 1 && (container || document))
        complain("--compare=%s: stands alone", paths[0]);
    else if (document)
        json = read_document(&file, paths[0]);
    else if (container) {
        qpucc_program *program = qpucc_program_load(file.data, file.size);
        json = program ? document_of(program, NULL, paths[0]) : (complain("out of memory"), NULL);
        qpucc_program_free(program);
    } else
        json = read_sources(paths, count, &file, options);
    file_free(&file);
    return json;
}

/* --- the comparison ------------------------------------------------------------------------------------- */

/* Fewer is better of all but threads. */
static const struct figure {
    const char *name, *key, *inner, *text;
} figures[] = {
    {"instructions", "instructions", NULL, "instructions"},
    {"cycles", "cycles", NULL, "cycles"},
    {"registers_a", "registers", "a", "registers of file A"},
    {"registers_b", "registers", "b", "registers of file B"},
    {"accumulators", "registers", "acc", "accumulators"},
    {"threads", "threads", NULL, "threads"},
    {"lookups", "texture_requests", NULL, "texture lookups"},
    {"special_functions", "special_functions", NULL, "special functions"},
    {"uniforms", "uniform_words", NULL, "uniform words"},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static int figure_of(const json_t *stage, const struct figure *f) {
    const json_t *value = json_object_get(json_object_get(stage, "cost"), f->key);
    return (int)json_integer_value(f->inner ? json_object_get(value, f->inner) : value);
}

static json_t *pair(int old, int now) {
    return json_pack("{s:i, s:i}", "old", old, "now", now);
}

static int line_of(const json_t *line) {
    return (int)json_integer_value(json_object_get(line, "line"));
}

static int work_of(const json_t *line) {
    return (int)(json_integer_value(json_object_get(line, "instructions")) +
                 json_integer_value(json_object_get(line, "stalls")));
}

static bool same_line(const json_t *a, const json_t *b) {
    const char *x = json_string_value(json_object_get(a, "source")),
               *y = json_string_value(json_object_get(b, "source"));
    return x && y ? !strcmp(x, y) : line_of(a) == line_of(b);
}

static json_t *line_json(const json_t *old, const json_t *now) {
    const json_t *shown = now ? now : old, *source = json_object_get(shown, "source");
    json_t *out = json_pack("{s:i, s:i, s:i}", "line", line_of(shown), "old", old ? work_of(old) : 0, "now",
                            now ? work_of(now) : 0);
    if (source)
        json_object_set(out, "source", (json_t *)source);
    return out;
}

/* Each line of the new program takes the nearest one of the old program that is the same and has not been
 * taken. */
static json_t *lines_json(const json_t *old, const json_t *now) {
    const json_t *olds = json_object_get(old, "lines"), *nows = json_object_get(now, "lines");
    size_t count = json_array_size(olds);
    bool *taken = calloc(count + 1, sizeof *taken);
    json_t *out = json_array();
    for (size_t i = 0; taken && i < json_array_size(nows); i++) {
        const json_t *line = json_array_get(nows, i);
        size_t best = count;
        for (size_t k = 0; k < count; k++) {
            const json_t *other = json_array_get(olds, k);
            if (!taken[k] && same_line(line, other) &&
                (best == count || abs(line_of(other) - line_of(line)) <
                                      abs(line_of(json_array_get(olds, best)) - line_of(line))))
                best = k;
        }
        const json_t *found = best < count ? json_array_get(olds, best) : NULL;
        taken[best] = true;
        if (!found || work_of(found) != work_of(line))
            json_array_append_new(out, line_json(found, line));
    }
    for (size_t k = 0; taken && k < count; k++)
        if (!taken[k])
            json_array_append_new(out, line_json(json_array_get(olds, k), NULL));
    free(taken);
    return out;
}

static json_t *stage_json(const json_t *old, const json_t *now) {
    json_t *all = json_object();
    for (unsigned i = 0; i < FIGURES; i++)
        json_object_set_new(all, figures[i].name,
                            pair(figure_of(old, &figures[i]), figure_of(now, &figures[i])));
    int before = figure_of(old, &figures[1]), after = figure_of(now, &figures[1]);
    return json_pack("{s:s, s:s, s:o, s:o}", "stage", json_string_value(json_object_get(now, "stage")),
                     "verdict",
                     after < before   ? "better"
                     : after > before ? "worse"
                                      : "same",
                     "figures", all, "lines", lines_json(old, now));
}

json_t *compare_json(const json_t *old, const json_t *now, const char *old_name) {
    const json_t *olds = json_object_get(old, "stages"), *nows = json_object_get(now, "stages");
    json_t *stages = json_array(), *name = json_string(old_name);
    for (size_t i = 0; i < json_array_size(nows); i++)
        for (size_t k = 0; k < json_array_size(olds); k++) {
            const json_t *a = json_array_get(olds, k), *b = json_array_get(nows, i);
            if (json_equal(json_object_get(a, "stage"), json_object_get(b, "stage")))
                json_array_append_new(stages, stage_json(a, b));
        }
    return json_pack("{s:o, s:o}", "old", name ? name : json_string("?"), "stages", stages);
}

/* --- text ----------------------------------------------------------------------------------------------- */

static int by_change(const void *x, const void *y) {
    const json_t *const *a = x, *const *b = y;
    int p = abs((int)(json_integer_value(json_object_get(*a, "now")) -
                      json_integer_value(json_object_get(*a, "old")))),
        q = abs((int)(json_integer_value(json_object_get(*b, "now")) -
                      json_integer_value(json_object_get(*b, "old"))));
    return p != q ? q - p : line_of(*a) - line_of(*b);
}

static void print_lines(const json_t *lines, unsigned width, FILE *out) {
    size_t count = json_array_size(lines);
    const json_t **sorted = calloc(count + 1, sizeof *sorted);
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = json_array_get(lines, i);
    if (sorted)
        qsort(sorted, count, sizeof *sorted, by_change);
    if (count)
        fprintf(out, "  %-20s %6s %6s %7s\n", "cycles by line", "old", "now", "change");
    for (size_t i = 0; sorted && i < count; i++) {
        int old = (int)json_integer_value(json_object_get(sorted[i], "old")),
            now = (int)json_integer_value(json_object_get(sorted[i], "now"));
        const char *source = json_string_value(json_object_get(sorted[i], "source"));
        char line[24];
        snprintf(line, sizeof line, line_of(sorted[i]) ? "%d" : "(the compiler's)", line_of(sorted[i]));
        fprintf(out, "  %-20s %6d %6d %+7d  ", line, old, now, now - old);
        if (source)
            explain_put_clipped(out, source, strlen(source), width > 50 ? width - 46 : 10);
        fputs(!old ? "  (new)\n" : !now ? "  (gone)\n" : "\n", out);
    }
    free(sorted);
}

static void print_stage(const json_t *stage, unsigned width, FILE *out) {
    const json_t *all = json_object_get(stage, "figures"), *cycles = json_object_get(all, "cycles");
    int old = (int)json_integer_value(json_object_get(cycles, "old")),
        now = (int)json_integer_value(json_object_get(cycles, "now"));
    const char *name = json_string_value(json_object_get(stage, "stage"));
    if (old == now)
        fprintf(out, "The %s shader takes as many cycles as before, %d.\n", name, now);
    else
        fprintf(out, "The %s shader became %s: %d cycles instead of %d (%+.1f %%).\n", name,
                now < old ? "faster" : "slower", now, old, old ? 100.0 * (now - old) / old : 100.0);
    fprintf(out, "  %-20s %6s %6s %7s\n", "", "old", "now", "change");
    for (unsigned i = 0; i < FIGURES; i++) {
        const json_t *f = json_object_get(all, figures[i].name);
        old = (int)json_integer_value(json_object_get(f, "old"));
        now = (int)json_integer_value(json_object_get(f, "now"));
        bool better = i == 5 ? now > old : now < old; /* threads: more are better */
        fprintf(out, "  %-20s %6d %6d ", figures[i].text, old, now);
        if (old == now)
            fprintf(out, "%7s\n", "=");
        else
            fprintf(out, "%+7d  %s\n", now - old, better ? "better" : "worse");
    }
    print_lines(json_object_get(stage, "lines"), width, out);
}

void compare_print(const json_t *comparison, unsigned width, FILE *out) {
    const json_t *stages = json_object_get(comparison, "stages");
    fprintf(out, "Compared with %s:\n", json_string_value(json_object_get(comparison, "old")));
    for (size_t i = 0; i < json_array_size(stages); i++) {
        fputc('\n', out);
        print_stage(json_array_get(stages, i), width, out);
    }
    if (!json_array_size(stages))
        fputs("\nThey have no stage in common.\n", out);
}
