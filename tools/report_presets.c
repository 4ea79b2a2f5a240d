/* qpucc report of a folder of RetroArch's presets: which of them are accepted, and what their passes cost.
 *
 * Many presets have the same shaders, so each file is compiled once, and the presets' rows are put together
 * of theirs. Parameters are uniforms: their values make no other code. */
#include "parallel.h"
#include "preset.h"
#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FOLDERS = 32 }; /* in each other: links may lead in a circle */

struct shader {
    char *path;
    json_t *row;
};

struct entry {
    char *path; /* the preset's */
    struct preset preset;
    size_t shader[PRESET_MAX_PASSES];
    char error[600]; /* "": it could be read */
};

struct report {
    struct entry *entry;
    struct shader *shader;
    size_t count, shader_count, start; /* start: of names in paths, behind the folder */
    const struct cli_options *options;
    bool code, partial; /* partial: a folder could not be read */
};

/* --- what is there -------------------------------------------------------------------------------------- */

static void *grow(void *list, size_t count, size_t size) {
    return (count & (count - 1)) == 0 ? realloc(list, (count ? 2 * count : 1) * size) : list;
}

static char *joined(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bool add_preset(struct report *r, char *path) {
    struct entry *list = grow(r->entry, r->count, sizeof *list);
    if (!list)
        return free(path), false;
    r->entry = list;
    list[r->count++] = (struct entry){.path = path};
    return true;
}

/* False: out of memory. A folder that cannot be read is said, and the others are read all the same. */
static bool find(struct report *r, const char *folder, const char *filter, unsigned depth) {
    DIR *d = depth ? opendir(folder) : NULL;
    bool ok = true;
    if (!d) {
        complain("%s: %s", folder, depth ? strerror(errno) : "too many folders in each other");
        r->partial = true;
        return true;
    }
    for (struct dirent *e; ok && (e = readdir(d));) {
        struct stat s;
        const char *dot = strrchr(e->d_name, '.');
        if (e->d_name[0] == '.')
            continue;
        char *path = joined(folder, e->d_name);
        /* links to folders may lead in a circle; those to files are followed */
        bool known = path && lstat(path, &s) == 0 &&
                     (!S_ISLNK(s.st_mode) || (stat(path, &s) == 0 && !S_ISDIR(s.st_mode)));
        bool wanted = known && S_ISREG(s.st_mode) && dot && !strcmp(dot, ".glslp") &&
                      (!filter || strstr(path + r->start, filter));
        ok = path && (!known || !S_ISDIR(s.st_mode) || find(r, path, filter, depth - 1));
        if (ok && wanted)
            ok = add_preset(r, path);
        else
            free(path);
    }
    closedir(d);
    return ok;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

/* The shader's place in the list, which it is added to. SIZE_MAX: out of memory. */
static size_t shader_at(struct report *r, const char *path) {
    for (size_t i = 0; i < r->shader_count; i++)
        if (!strcmp(r->shader[i].path, path))
            return i;
    struct shader *list = grow(r->shader, r->shader_count, sizeof *list);
    if (list)
        r->shader = list;
    char *copy = list ? strdup(path) : NULL;
    if (!copy)
        return SIZE_MAX;
    list[r->shader_count] = (struct shader){copy, NULL};
    return r->shader_count++;
}

static bool read_preset(struct report *r, struct entry *e) {
    if (!preset_read(&e->preset, e->path, NULL, e->error, sizeof e->error))
        return true;
    for (size_t i = 0; i < e->preset.pass_count; i++) {
        char *real = realpath(e->preset.pass[i].shader, NULL); /* "a/../b.glsl" and "b.glsl" are the same */
        e->shader[i] = shader_at(r, real ? real : e->preset.pass[i].shader);
        free(real);
        if (e->shader[i] == SIZE_MAX)
            return false;
    }
    return true;
}

/* --- compiling ------------------------------------------------------------------------------------------ */

static void compile_shader(void *user, size_t index) {
    const struct report *r = user;
    struct shader *shader = &r->shader[index];
    struct file_data file;
    char error[400];
    if (!file_read(shader->path, &file, error, sizeof error)) {
        shader->row = report_failure(shader->path, "usage", "", error);
        return;
    }
    const struct cli_input input = cli_text_input(shader->path, file.data, file.size, -1);
    shader->row = report_texts(r->options, &input, 1, shader->path, r->code);
    file_free(&file);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

enum { INSTRUCTIONS, CYCLES, FIGURES };

struct sums {
    size_t refused; /* passes */
    long long stage[QPUCC_STAGE_COUNT][FIGURES];
};

static void add_row(struct sums *sums, const json_t *row) {
    size_t index;
    const json_t *stage;
    sums->refused += !json_object_get(row, "stages");
    json_array_foreach(json_object_get(row, "stages"), index, stage) {
        int which = cli_stage_of_word(json_string_value(json_object_get(stage, "stage")));
        sums->stage[which][INSTRUCTIONS] += json_integer_value(json_object_get(stage, "instructions"));
        sums->stage[which][CYCLES] += json_integer_value(json_object_get(stage, "cycles"));
    }
}

static struct sums sum_of(const struct report *r, const struct entry *e) {
    struct sums sums = {0};
    for (size_t i = 0; !*e->error && i < e->preset.pass_count; i++)
        add_row(&sums, r->shader[e->shader[i]].row);
    return sums;
}

/* {"name", "accepted", "passes": rows of the shaders, "vertex", "coordinate", "fragment": sums}, or what
 * report_failure makes. */
static json_t *preset_json(const struct report *r, const struct entry *e) {
    const char *name = e->path + r->start;
    if (*e->error)
        return report_failure(name, "preset", "", e->error);
    struct sums sums = sum_of(r, e);
    json_t *row =
        json_pack("{s:o, s:b, s:[]}", "name", cli_json_text(name), "accepted", !sums.refused, "passes");
    for (size_t i = 0; i < e->preset.pass_count; i++)
        json_array_append(json_object_get(row, "passes"), r->shader[e->shader[i]].row);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        json_object_set_new(row, qpucc_stage_name((enum qpucc_stage)s),
                            json_pack("{s:I, s:I}", "instructions", (json_int_t)sums.stage[s][INSTRUCTIONS],
                                      "cycles", (json_int_t)sums.stage[s][CYCLES]));
    return row;
}

static int print_json(const struct report *r) {
    for (size_t i = 0; i < r->count; i++) {
        json_t *row = preset_json(r, &r->entry[i]);
        char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;
        json_decref(row);
        if (!text)
            return complain("out of memory"), EXIT_INTERNAL;
        puts(text);
        free(text);
    }
    return EXIT_DONE;
}

/* Messages about the source begin with its path. */
static void print_error(const char *path, const json_t *row) {
    const json_t *error = json_object_get(row, "error");
    const char *text = json_string_value(json_object_get(error, "message"));
    printf("%s%s%s\n", strncmp(text, path, strlen(path)) ? path : "",
           strncmp(text, path, strlen(path)) ? ": " : "", text);
}

static void print_table(const struct report *r) {
    size_t accepted = 0, refused = 0;
    printf("%-52s %6s %7s  %8s %8s  %8s %8s\n", "preset", "passes", "refused", "fragment", "cycles", "vertex",
           "cycles");
    for (size_t i = 0; i < r->count; i++) {
        const struct entry *e = &r->entry[i];
        struct sums sums = sum_of(r, e);
        const long long *f = sums.stage[QPUCC_FRAGMENT], *v = sums.stage[QPUCC_VERTEX];
        if (*e->error)
            printf("%-52s %s\n", e->path + r->start, "unreadable");
        else
            printf("%-52s %6zu %7zu  %8lld %8lld  %8lld %8lld\n", e->path + r->start, e->preset.pass_count,
                   sums.refused, f[INSTRUCTIONS], f[CYCLES], v[INSTRUCTIONS], v[CYCLES]);
        accepted += !*e->error && !sums.refused;
    }
    for (size_t i = 0; i < r->count; i++)
        if (*r->entry[i].error)
            printf("%s\n", r->entry[i].error);
    for (size_t i = 0; i < r->shader_count; i++)
        if (!json_object_get(r->shader[i].row, "stages")) {
            refused++;
            print_error(r->shader[i].path, r->shader[i].row);
        }
    printf("%zu presets, %zu accepted; %zu shaders, %zu refused\n", r->count, accepted, r->shader_count,
           refused);
}

static void report_free(struct report *r) {
    for (size_t i = 0; i < r->count; i++) {
        preset_free(&r->entry[i].preset);
        free(r->entry[i].path);
    }
    for (size_t i = 0; i < r->shader_count; i++) {
        json_decref(r->shader[i].row);
        free(r->shader[i].path);
    }
    free(r->entry);
    free(r->shader);
}

int report_presets(const char *folder, const struct cli_options *options, const char *filter,
                   unsigned threads, bool json, bool code) {
    struct report r = {.options = options, .code = code, .start = strlen(folder) + 1};
    struct stat s;
    if (stat(folder, &s) || !S_ISDIR(s.st_mode))
        return complain("%s: not a folder", folder);
    bool ok = find(&r, folder, filter, MOST_FOLDERS);
    if (ok && r.count)
        qsort(r.entry, r.count, sizeof *r.entry, by_path);
    for (size_t i = 0; ok && i < r.count; i++)
        ok = read_preset(&r, &r.entry[i]);
    if (ok)
        parallel_run(threads, r.shader_count, compile_shader, &r);
    for (size_t i = 0; ok && i < r.shader_count; i++)
        ok = r.shader[i].row;
    int exit_code = ok ? EXIT_DONE : (complain("out of memory"), EXIT_INTERNAL);
    if (ok && json)
        exit_code = print_json(&r);
    else if (ok)
        print_table(&r);
    if (r.partial && exit_code == EXIT_DONE)
        exit_code = EXIT_USAGE;
    report_free(&r);
    return exit_code;
}
