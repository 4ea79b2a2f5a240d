/* What qpucc makes of a corpus, beside what two other compilers make of it.
 *
 *     qpucc report --json --pairs dev-pairs.jsonl | bench_compare peers-dev.tsv [--markdown] [--worst N]
 * [--only PREFIX]
 *
 * peers-dev.tsv has, for each pair and stage, instructions, uniforms and threads by Mesa's vc4 driver and by
 * Broadcom's compiler; an empty cell means that this compiler failed. A ratio is ours over theirs, in
 * instructions; "better" is the better of the two for that very stage. Where thread counts differ
 * instructions compare badly (a two-threaded program is longer and faster): those stages are counted apart.
 */
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 3, MAX_ROWS = 20000 };
static const char *const stage_names[STAGES] = {"fragment", "vertex", "coordinate"};
static const char *const stage_short[STAGES] = {"FS", "VS", "CS"};

struct row {
    char name[120];
    int stage;
    int ours, our_uniforms, our_threads, cycles, bound; /* 0: none */
    int mesa, mesa_threads, broadcom;
    bool nocode;
};

struct table {
    struct row *rows;
    size_t count;
    size_t pairs, failed;
};

static struct row *find(struct table *t, const char *name, int stage) {
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].stage == stage && !strcmp(t->rows[i].name, name))
            return &t->rows[i];
    return NULL;
}

static int number(const char *text) {
    return text && *text ? atoi(text) : 0;
}

static bool read_peers(struct table *t, const char *path, const char *only) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    if (!file) {
        perror(path);
        return false;
    }
    while (getline(&line, &capacity, file) >= 0 && t->count < MAX_ROWS) {
        char *fields[10] = {NULL}, *rest = line;
        line[strcspn(line, "\n")] = 0;
        for (int i = 0; i < 10 && rest; i++)
            fields[i] = strsep(&rest, "\t");
        int stage = -1;
        for (int s = 0; s < STAGES && fields[1]; s++)
            if (!strcmp(fields[1], stage_short[s]))
                stage = s;
        if (stage < 0 || strncmp(fields[0], only, strlen(only)))
            continue;
        struct row *r = &t->rows[t->count++];
        memset(r, 0, sizeof *r);
        snprintf(r->name, sizeof r->name, "%s", fields[0]);
        r->stage = stage;
        r->mesa = number(fields[2]);
        r->mesa_threads = number(fields[4]);
        r->broadcom = number(fields[6]);
        r->nocode = fields[9] && strstr(fields[9], "NOCODE");
    }
    free(line);
    fclose(file);
    return true;
}

static void read_ours(struct table *t, FILE *in, const char *only) {
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, in) >= 0) {
        json_t *pair = json_loads(line, 0, NULL), *stage;
        const char *name = json_string_value(json_object_get(pair, "name"));
        size_t index;
        if (name && !strncmp(name, only, strlen(only))) {
            t->pairs++;
            t->failed += json_object_get(pair, "error") != NULL;
            json_array_foreach(json_object_get(pair, "stages"), index, stage) {
                const char *word = json_string_value(json_object_get(stage, "stage"));
                for (int s = 0; s < STAGES && word; s++) {
                    struct row *r = !strcmp(word, stage_names[s]) ? find(t, name, s) : NULL;
                    if (!r)
                        continue;
                    r->ours = (int)json_integer_value(json_object_get(stage, "instructions"));
                    r->our_uniforms = (int)json_integer_value(json_object_get(stage, "uniforms"));
                    r->our_threads = (int)json_integer_value(json_object_get(stage, "threads"));
                    r->cycles = (int)json_integer_value(json_object_get(stage, "cycles"));
                    r->bound = (int)json_integer_value(json_object_get(stage, "lower_bound"));
                }
            }
        }
        json_decref(pair);
    }
    free(line);
}

static int better(const struct row *r) {
    return !r->mesa ? r->broadcom : !r->broadcom ? r->mesa : r->mesa < r->broadcom ? r->mesa : r->broadcom;
}

struct mean {
    double logs;
    long ours, theirs;
    size_t count, smaller, larger;
};

static void add(struct mean *m, int ours, int theirs) {
    if (!ours || !theirs)
        return;
    m->logs += log((double)ours / theirs);
    m->ours += ours;
    m->theirs += theirs;
    m->count++;
    m->smaller += ours < theirs;
    m->larger += ours > theirs + 2 && ours > 1.05 * theirs;
}

static void print_mean(const char *stage, const char *against, const struct mean *m, bool markdown) {
    if (!m->count)
        return;
    printf(markdown ? "| %s | %s | %zu | %ld | %ld | %.3f | %zu | %zu |\n"
                    : "%-11s %-9s %6zu %9ld %9ld %8.3f %8zu %8zu\n",
           stage, against, m->count, m->ours, m->theirs, exp(m->logs / (double)m->count), m->smaller,
           m->larger);
}

static void print_means(const struct table *t, bool markdown) {
    if (markdown)
        printf("| stage | against | stages | ours | theirs | geometric mean | smaller | over 5 %% larger "
               "|\n|---|---|---|---|---|---|---|---|\n");
    else
        printf("%-11s %-9s %6s %9s %9s %8s %8s %8s\n", "stage", "against", "stages", "ours", "theirs",
               "geomean", "smaller", "larger");
    for (int s = 0; s < STAGES; s++) {
        struct mean mesa = {0}, broadcom = {0}, best = {0}, bound = {0};
        for (size_t i = 0; i < t->count; i++) {
            const struct row *r = &t->rows[i];
            if (r->stage != s)
                continue;
            add(&mesa, r->ours, r->mesa);
            add(&broadcom, r->ours, r->broadcom);
            add(&best, r->ours, better(r));
            add(&bound, r->ours, r->bound);
        }
        print_mean(stage_names[s], "Mesa", &mesa, markdown);
        print_mean(stage_names[s], "Broadcom", &broadcom, markdown);
        print_mean(stage_names[s], "better", &best, markdown);
        print_mean(stage_names[s], "our bound", &bound, markdown);
    }
}

static double ratio(const struct row *r) {
    return r->ours && better(r) ? (double)r->ours / better(r) : 0;
}

static int by_ratio(const void *a, const void *b) {
    double x = ratio(a), y = ratio(b);
    return x < y ? 1 : x > y ? -1 : strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

int main(int argc, char **argv) {
    static const struct option longs[] = {{"markdown", no_argument, NULL, 'm'},
                                          {"worst", required_argument, NULL, 'w'},
                                          {"only", required_argument, NULL, 'o'},
                                          {NULL, 0, NULL, 0}};
    bool markdown = false;
    size_t worst = 10;
    const char *only = "";
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        switch (c) {
        case 'm': markdown = true; break;
        case 'w': worst = (size_t)atoi(optarg); break;
        case 'o': only = optarg; break;
        default: return 1;
        }
    if (optind + 1 != argc) {
        fprintf(stderr, "usage: qpucc report --json --pairs FILE | %s peers.tsv\n", argv[0]);
        return 1;
    }
    struct table t = {.rows = calloc(MAX_ROWS, sizeof *t.rows)};
    if (!t.rows || !read_peers(&t, argv[optind], only)) {
        free(t.rows);
        return 1;
    }
    read_ours(&t, stdin, only);
    print_means(&t, markdown);
    size_t nocode = 0, rescued = 0, threads[2] = {0, 0}, compared[2] = {0, 0};
    for (size_t i = 0; i < t.count; i++) {
        const struct row *r = &t.rows[i];
        nocode += r->nocode && r->stage == 0;
        rescued += r->nocode && r->stage == 0 && r->ours;
        if (r->stage == 0 && r->ours && r->mesa) {
            threads[0] += r->our_threads > 1;
            threads[1] += r->mesa_threads > 1;
            compared[0] += r->our_threads != r->mesa_threads;
            compared[1]++;
        }
    }
    printf("\n%zu pairs, %zu compiled, %zu refused; of %zu that Mesa's allocator gives up on, %zu compile\n",
           t.pairs, t.pairs - t.failed, t.failed, nocode, rescued);
    printf("two threads: %zu of ours, %zu of Mesa's among %zu fragment shaders; %zu differ\n", threads[0],
           threads[1], compared[1], compared[0]);
    qsort(t.rows, t.count, sizeof *t.rows, by_ratio);
    printf(markdown ? "\n| worst against the better peer | stage | ours | threads | Mesa | threads | "
                      "Broadcom | ratio |\n|---|---|---|---|---|---|---|---|\n"
                    : "\nworst against the better peer:\n");
    for (size_t i = 0; i < t.count && i < worst && ratio(&t.rows[i]) > 0; i++) {
        const struct row *r = &t.rows[i];
        printf(markdown ? "| %s | %s | %d | %d | %d | %d | %d | %.2f |\n"
                        : "%-50s %s %5d (%d)  Mesa %5d (%d)  Broadcom %5d  %.2f\n",
               r->name, stage_short[r->stage], r->ours, r->our_threads, r->mesa, r->mesa_threads, r->broadcom,
               ratio(r));
    }
    free(t.rows);
    return 0;
}
