/* Reads what the measuring programs and the corpus's tables say into rows. */
#include "bench/rows.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const stage_names[STAGES] = {"fragment", "vertex", "coordinate"};
const char *const stage_short[STAGES] = {"FS", "VS", "CS"};

enum { FIELDS = 12 };

struct row *rows_find(const struct table *t, const char *name, int stage) {
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].stage == stage && !strcmp(t->rows[i].name, name))
            return &t->rows[i];
    return NULL;
}

static int number(const char *text) {
    return text && *text ? atoi(text) : 0;
}

static double real(const char *text) {
    return text && *text ? atof(text) : 0;
}

static int stage_of(const char *text) {
    for (int s = 0; s < STAGES && text; s++)
        if (!strcmp(text, stage_short[s]) || !strcmp(text, stage_names[s]))
            return s;
    return -1;
}

/* Calls `each` with the fields of every line; missing ones are "". */
static bool read_tsv(struct table *t, const char *path, void each(struct table *t, char *field[FIELDS])) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    static char nothing[1];
    if (!file) {
        perror(path);
        return false;
    }
    while (getline(&line, &capacity, file) >= 0) {
        char *field[FIELDS], *rest = line;
        line[strcspn(line, "\n")] = 0;
        for (int i = 0; i < FIELDS; i++) {
            char *part = rest ? strsep(&rest, "\t") : NULL;
            field[i] = part ? part : nothing;
        }
        each(t, field);
    }
    free(line);
    fclose(file);
    return true;
}

static void *grow(void *array, size_t count, size_t element) {
    if (count & (count - 1)) /* room up to the next power of two */
        return array;
    void *larger = realloc(array, (count ? 2 * count : 1) * element);
    if (!larger) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return larger;
}

static void peer(struct table *t, char *f[FIELDS]) {
    int stage = stage_of(f[1]);
    if (stage < 0)
        return;
    t->rows = grow(t->rows, t->count, sizeof *t->rows);
    struct row *r = &t->rows[t->count++];
    memset(r, 0, sizeof *r);
    snprintf(r->name, sizeof r->name, "%s", f[0]);
    r->stage = stage;
    for (int peer = 0; peer < 2; peer++) { /* three columns of Mesa's, its time, three of Broadcom's */
        char **of = f + 2 + 4 * peer;
        r->instructions[MESA + peer] = number(of[0]);
        r->uniforms[MESA + peer] = number(of[1]);
        r->threads[MESA + peer] = number(of[2]);
    }
    r->nocode = strstr(f[9], "NOCODE") != NULL;
}

bool rows_read_peers(struct table *t, const char *path) {
    return read_tsv(t, path, peer);
}

static int integer(const json_t *object, const char *key) {
    return (int)json_integer_value(json_object_get(object, key));
}

static bool read_report(struct table *t, const char *path, bool proofs) {
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    if (!in) {
        perror(path);
        return false;
    }
    while (getline(&line, &capacity, in) >= 0) {
        json_t *pair = json_loads(line, 0, NULL), *stage;
        const char *name = json_string_value(json_object_get(pair, "name"));
        size_t index;
        if (!proofs) {
            t->pairs++;
            t->failed += json_object_get(pair, "error") != NULL;
        }
        json_array_foreach(json_object_get(pair, "stages"), index, stage) {
            int s = stage_of(json_string_value(json_object_get(stage, "stage")));
            struct row *r = name && s >= 0 ? rows_find(t, name, s) : NULL;
            if (!r)
                continue;
            if (proofs) {
                r->blocks = integer(stage, "blocks");
                r->optimal = integer(stage, "blocks_optimal");
                continue;
            }
            r->instructions[OURS] = integer(stage, "instructions");
            r->uniforms[OURS] = integer(stage, "uniforms");
            r->threads[OURS] = integer(stage, "threads");
            r->cycles = integer(stage, "cycles");
            r->bound = integer(stage, "lower_bound");
            r->tmu = integer(stage, "tmu");
            r->loops = integer(stage, "loops");
        }
        json_decref(pair);
    }
    free(line);
    fclose(in);
    return true;
}

bool rows_read_ours(struct table *t, const char *path) {
    return read_report(t, path, false);
}

bool rows_read_proofs(struct table *t, const char *path) {
    return read_report(t, path, true);
}

static void cycles(struct table *t, char *f[FIELDS]) {
    struct row *r = rows_find(t, f[0], FRAGMENT);
    int who = !strcmp(f[1], "qpucc") ? OURS : !strncmp(f[1], "mesa", 4) ? MESA : BROADCOM;
    for (int m = 0; r && m < MODEL_COUNT; m++)
        r->machine[who][m] = real(f[6 + m]);
    if (r)
        r->alone[who] = real(f[6 + MODEL_COUNT]);
}

bool rows_read_cycles(struct table *t, const char *path) {
    return read_tsv(t, path, cycles);
}

static void threads(struct table *t, char *f[FIELDS]) {
    struct row *r = rows_find(t, f[0], FRAGMENT);
    if (!r)
        return;
    r->chosen = (char)number(f[1]);
    for (int form = 0; form < 2; form++)
        for (int k = 0; k < 2; k++)
            snprintf(r->forms[form][k], sizeof r->forms[form][k], "%s", f[2 + 2 * form + k]);
}

bool rows_read_threads(struct table *t, const char *path) {
    return read_tsv(t, path, threads);
}

/* Pairs may be measured more than once: the least counts. */
static void least(double *kept, const char *text) {
    double value = real(text);
    if (value > 0 && (*kept == 0 || value < *kept))
        *kept = value;
}

static void times(struct table *t, char *f[FIELDS]) {
    size_t at = 0;
    while (at < t->time_count && strcmp(t->times[at].name, f[0]) != 0)
        at++;
    if (at == t->time_count) {
        t->times = grow(t->times, t->time_count, sizeof *t->times);
        t->times[t->time_count++] = (struct time_row){.glslang = 0};
        snprintf(t->times[at].name, sizeof t->times[at].name, "%s", f[0]);
    }
    least(&t->times[at].glslang, f[1]);
    least(&t->times[at].glslang_spirv, f[2]);
    least(&t->times[at].front, f[3]);
    least(&t->times[at].all, f[4]);
    least(&t->times[at].first, f[5]);
}

bool rows_read_times(struct table *t, const char *path) {
    return read_tsv(t, path, times);
}

static void reason(struct table *t, char *f[FIELDS]) {
    if (!*f[0] || *f[0] == '#')
        return;
    struct row *r = rows_find(t, f[0], stage_of(f[1]));
    if (r && row_is_larger(r)) {
        r->reason = strdup(f[2]);
        return;
    }
    char text[200];
    snprintf(text, sizeof text, "%s %s", f[0], f[1]);
    t->stale = grow(t->stale, t->stale_count, sizeof *t->stale);
    t->stale[t->stale_count++] = strdup(text);
}

bool rows_read_reasons(struct table *t, const char *path) {
    return read_tsv(t, path, reason);
}

void rows_free(struct table *t) {
    for (size_t i = 0; i < t->count; i++)
        free((char *)t->rows[i].reason);
    for (size_t i = 0; i < t->stale_count; i++)
        free(t->stale[i]);
    free(t->rows);
    free(t->times);
    free(t->stale);
}

int row_better(const struct row *r) {
    int mesa = r->instructions[MESA], broadcom = r->instructions[BROADCOM];
    return !mesa ? broadcom : !broadcom ? mesa : mesa < broadcom ? mesa : broadcom;
}

double row_ratio(const struct row *r) {
    return r->instructions[OURS] && row_better(r) ? (double)r->instructions[OURS] / row_better(r) : 0;
}

bool row_is_larger(const struct row *r) {
    return !r->loops && row_ratio(r) > 1.05 && r->instructions[OURS] > row_better(r) + 2;
}
