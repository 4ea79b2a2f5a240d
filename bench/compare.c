/* What qpucc makes of a corpus, beside what two other compilers make of it, in Markdown.
 *
 *     bench_compare --peers peers-dev.tsv --ours rows.jsonl [--cycles F] [--threads F] [--times F] [--proofs
 * F]
 *                   [--reasons F] [--worst N] [--pairs OUT.tsv]
 *
 * peers-dev.tsv has instructions, uniforms and threads by Mesa's vc4 driver and Broadcom's compiler for each
 * pair and stage; an empty cell means that this compiler failed. The other files are what `qpucc report
 * --json`, bench_cycles, bench_threads, bench_times and `qpucc report --json -O3` print. A ratio is ours over
 * theirs; "better" is the better of the two for that very stage. Instructions are compared where we have no
 * loop (its body would count once); where thread counts differ they flatter the single thread: cycles decide
 * there. --pairs writes every stage of every pair. */
#include "bench/rows.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mean {
    double logs, ours, theirs;
    size_t count, smaller, larger;
};

static void add(struct mean *m, double ours, double theirs) {
    if (ours <= 0 || theirs <= 0)
        return;
    m->logs += log(ours / theirs);
    m->ours += ours;
    m->theirs += theirs;
    m->count++;
    m->smaller += ours < theirs;
    m->larger += ours > theirs + 2 && ours > 1.05 * theirs;
}

static double geometric(const struct mean *m) {
    return m->count ? exp(m->logs / (double)m->count) : 0;
}

static void print_mean(const char *what, const char *against, const struct mean *m) {
    if (m->count)
        printf("| %s | %s | %zu | %.0f | %.0f | %.3f | %zu | %zu |\n", what, against, m->count, m->ours,
               m->theirs, geometric(m), m->smaller, m->larger);
}

static bool is_glmark2(const char *name) {
    return !strncmp(name, "glmark2/", 8);
}

/* --- instructions --------------------------------------------------------------------------------------- */

static struct mean instruction_mean(const struct table *t, int stage, const char *only) {
    struct mean best = {0};
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].stage == stage && !t->rows[i].loops && !strncmp(t->rows[i].name, only, strlen(only)))
            add(&best, t->rows[i].instructions[OURS], row_better(&t->rows[i]));
    return best;
}

static void print_instructions(const struct table *t, const char *title, const char *only) {
    size_t loops[STAGES] = {0};
    printf(
        "## Instructions, %s\n\n| stage | against | stages | ours | theirs | geometric mean | smaller | over "
        "5 %% larger |\n|---|---|---|---|---|---|---|---|\n",
        title);
    for (int s = 0; s < STAGES; s++) {
        struct mean mesa = {0}, broadcom = {0}, bound = {0}, best = instruction_mean(t, s, only);
        for (size_t i = 0; i < t->count; i++) {
            const struct row *r = &t->rows[i];
            if (r->stage != s || strncmp(r->name, only, strlen(only)))
                continue;
            loops[s] += r->loops && row_ratio(r) > 0;
            if (r->loops)
                continue;
            add(&mesa, r->instructions[OURS], r->instructions[MESA]);
            add(&broadcom, r->instructions[OURS], r->instructions[BROADCOM]);
            add(&bound, r->instructions[OURS], r->bound);
        }
        print_mean(stage_names[s], "Mesa", &mesa);
        print_mean(stage_names[s], "Broadcom", &broadcom);
        print_mean(stage_names[s], "better", &best);
        print_mean(stage_names[s], "our bound", &bound);
    }
    printf("\nLeft out because we loop in them: %zu fragment, %zu vertex, %zu coordinate shaders.\n\n",
           loops[0], loops[1], loops[2]);
}

static int by_ratio(const void *a, const void *b) {
    double x = row_ratio(a), y = row_ratio(b);
    return x < y ? 1 : x > y ? -1 : strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static void print_losers(const struct table *t, size_t worst) {
    size_t shown = 0;
    printf(
        "## The worst against the better peer\n\nIn instructions; `!` is larger by more than 5 %% and two "
        "instructions.\n\n| pair | stage | ours | threads | Mesa | threads | Broadcom | threads | ratio | | "
        "why |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct row *r = &t->rows[i];
        if (r->loops || row_ratio(r) <= 1 || (shown >= worst && !row_is_larger(r)))
            continue;
        shown++;
        printf("| %s | %s | %d | %d | %d | %d | %d | %d | %.2f | %s | %s |\n", r->name, stage_short[r->stage],
               r->instructions[OURS], r->threads[OURS], r->instructions[MESA], r->threads[MESA],
               r->instructions[BROADCOM], r->threads[BROADCOM], row_ratio(r), row_is_larger(r) ? "!" : "",
               r->reason ? r->reason : "");
    }
    putchar('\n');
    for (size_t i = 0; i < t->stale_count; i++)
        printf("A reason in bench/reasons.tsv that nothing needs any more: %s\n%s", t->stale[i],
               i + 1 == t->stale_count ? "\n" : "");
}

/* --- cycles --------------------------------------------------------------------------------------------- */

static struct mean cycle_mean(const struct table *t, int peer, int model) {
    struct mean m = {0};
    for (size_t i = 0; i < t->count; i++)
        if (is_glmark2(t->rows[i].name))
            add(&m, t->rows[i].machine[OURS][model], t->rows[i].machine[peer][model]);
    return m;
}

static void print_cycles(const struct table *t) {
    static const char *const models[MODEL_COUNT] = {"answers at best (9 slots)", "typical (20 slots)",
                                                    "typical, each TMU shared by two QPUs"};
    printf("## Cycles, glmark2's fragment shaders\n\nSlots for a batch of sixteen pixels on the machine "
           "(runtime/"
           "cycles.c), the same for all: their code is\n`foreign-code.jsonl`'s, the inputs are synthetic. "
           "\"Typical\" decides.\n\n| texture unit | against | shaders | ours | theirs | geometric mean | "
           "faster | "
           "over 5 %% slower |\n|---|---|---|---|---|---|---|---|\n");
    for (int m = 0; m < MODEL_COUNT; m++)
        for (int peer = MESA; peer < COMPILERS; peer++) {
            struct mean mean = cycle_mean(t, peer, m);
            print_mean(models[m], peer == MESA ? "Mesa" : "Broadcom", &mean);
        }
    puts("\n| not faster than Mesa or Broadcom | ours | threads | Mesa | threads | Broadcom | threads |\n"
         "|---|---|---|---|---|---|---|");
    struct mean hidden[COMPILERS] = {{0}}, model = {0};
    for (size_t i = 0; i < t->count; i++) {
        const struct row *r = &t->rows[i];
        double ours = r->machine[OURS][MODEL_HEADLINE], mesa = r->machine[MESA][MODEL_HEADLINE],
               broadcom = r->machine[BROADCOM][MODEL_HEADLINE];
        if (!ours)
            continue;
        if (is_glmark2(r->name) && ((mesa && ours >= mesa) || (broadcom && ours >= broadcom)))
            printf("| %s | %.1f | %d | %.1f | %d | %.1f | %d |\n", r->name, ours, r->threads[OURS], mesa,
                   r->threads[MESA], broadcom, r->threads[BROADCOM]);
        for (int c = 0; c < COMPILERS; c++)
            if (r->threads[c] == 2)
                add(&hidden[c], r->machine[c][MODEL_HEADLINE], r->alone[c]);
        if (r->threads[OURS] == 1 && !r->loops)
            add(&model, r->cycles, ours);
    }
    printf(
        "\nTwo threads hide what one waits for: against the same code with one batch at a time, two-threaded "
        "programs take %.3f of the\ntime (ours), %.3f (Mesa's), %.3f (Broadcom's).",
        geometric(&hidden[OURS]), geometric(&hidden[MESA]), geometric(&hidden[BROADCOM]));
    if (model.count)
        printf(" The compiler's own estimate for one thread is %.3f of what the\nmachine takes.",
               geometric(&model));
    puts("\n");
}

/* --- threads -------------------------------------------------------------------------------------------- */

static void thread_shares(const struct table *t, size_t *textured, size_t two[COMPILERS]) {
    *textured = two[OURS] = two[MESA] = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct row *r = &t->rows[i];
        if (r->stage != FRAGMENT || !r->tmu || !r->instructions[MESA])
            continue;
        ++*textured;
        two[OURS] += r->threads[OURS] > 1;
        two[MESA] += r->threads[MESA] > 1;
    }
}

static void print_threads(const struct table *t) {
    size_t textured, two[COMPILERS], wrong = 0, forms = 0;
    struct mean more = {0}, fewer = {0}, more_cycles = {0}, fewer_cycles = {0};
    thread_shares(t, &textured, two);
    printf("## Threads\n\nOf %zu textured fragment shaders that Mesa compiles, too, %zu of ours run two "
           "threads, "
           "%zu of Mesa's.\n\n",
           textured, two[OURS], two[MESA]);
    puts("| two threads with Mesa, one with us | cycles, one thread | cycles, two | on the machine, one | "
         "two |\n"
         "|---|---|---|---|---|");
    for (size_t i = 0; i < t->count; i++) {
        const struct row *r = &t->rows[i];
        if (r->stage != FRAGMENT)
            continue;
        if (r->threads[OURS] == 2 && r->threads[MESA] == 1) {
            add(&more, r->instructions[OURS], r->instructions[MESA]);
            add(&more_cycles, r->cycles, r->instructions[MESA]);
        }
        if (r->threads[OURS] == 1 && r->threads[MESA] == 2) {
            add(&fewer, r->instructions[OURS], r->instructions[MESA]);
            add(&fewer_cycles, r->cycles, r->instructions[MESA]);
        }
        if (!r->chosen)
            continue;
        double machine[2] = {atof(r->forms[0][1]), atof(r->forms[1][1])};
        if (*r->forms[0][0] && *r->forms[1][0] && machine[0] > 0 && machine[1] > 0) {
            forms++;
            wrong += machine[r->chosen - 1] > machine[2 - r->chosen];
        }
        if (r->chosen == 1 && r->threads[MESA] == 2)
            printf("| %s | %s | %s | %s | %s |\n", r->name, r->forms[0][0],
                   *r->forms[1][0] ? r->forms[1][0] : r->forms[1][1], r->forms[0][1],
                   *r->forms[1][0] ? r->forms[1][1] : "-");
    }
    printf("\nBoth forms run on the machine for %zu shaders without branches; in %zu of them the one not "
           "chosen is "
           "the faster.\n\nWhere thread counts differ (a program's cycles are at least its instructions):\n\n"
           "| ours, Mesa's | shaders | our instructions over Mesa's | our cycles over Mesa's instructions |\n"
           "|---|---|---|---|\n| 2, 1 | %zu | %.3f | %.3f |\n| 1, 2 | %zu | %.3f | %.3f |\n\n",
           forms, wrong, more.count, geometric(&more), geometric(&more_cycles), fewer.count,
           geometric(&fewer), geometric(&fewer_cycles));
}

/* --- time ----------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum time_value { TIME_COMPILER, TIME_COMPILER_SPIRV, TIME_WHOLE, TIME_FIRST };

/* What the compiler itself or the whole compile takes over what glslang takes, or milliseconds; 0: not
 * known. */
static double time_value(const struct time_row *r, enum time_value value) {
    double theirs = value == TIME_COMPILER_SPIRV ? r->glslang_spirv : value == TIME_FIRST ? 1 : r->glslang;
    double ours = value == TIME_FIRST ? r->first : value == TIME_WHOLE ? r->all : r->all - r->front;
    return theirs > 0 ? ours / theirs : 0;
}

static double time_median(const struct table *t, const char *only, enum time_value value, double *highest) {
    double *list = calloc(t->time_count + 1, sizeof *list), median = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->time_count && list; i++) {
        const struct time_row *r = &t->times[i];
        if (!strncmp(r->name, only, strlen(only)) && time_value(r, value) > 0)
            list[n++] = time_value(r, value);
    }
    if (n) {
        qsort(list, n, sizeof *list, by_value);
        median = n % 2 ? list[n / 2] : (list[n / 2 - 1] + list[n / 2]) / 2;
        *highest = list[n - 1];
    }
    free(list);
    return median;
}

static void print_times(const struct table *t) {
    puts(
        "## Compile time\n\nCPU time at -O2, in one process after the first compile, least of some rounds; "
        "ratios are to glslang's own time for the\nsame two texts in the same run. \"Compiler\" is "
        "everything but the front end (text to SPIR-V), \"all\" has it. \"First\" is\na compile in a process "
        "that has made none before.\n\n| pairs | | ms a pair: glslang | with SPIR-V | our front end | "
        "compiler | all / glslang, median | highest | compiler / glslang, median | highest | with SPIR-V, "
        "median | first, ms, median | highest |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (int k = 0; k < 2; k++) {
        const char *only = k ? "" : "glmark2/";
        double sum[4] = {0}, most[4] = {0}, median[4];
        size_t n = 0;
        for (size_t i = 0; i < t->time_count; i++) {
            const struct time_row *r = &t->times[i];
            if (strncmp(r->name, only, strlen(only)))
                continue;
            n++;
            sum[0] += r->glslang;
            sum[1] += r->glslang_spirv;
            sum[2] += r->front;
            sum[3] += r->all - r->front;
        }
        if (!n)
            continue;
        for (int v = 0; v < 4; v++)
            median[v] = time_median(t, only, (enum time_value)v, &most[v]);
        printf("| %s | %zu | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %.1f | %.2f | %.1f | %.0f |\n",
               k ? "all" : "glmark2", n, sum[0] / (double)n, sum[1] / (double)n, sum[2] / (double)n,
               sum[3] / (double)n, median[TIME_WHOLE], most[TIME_WHOLE], median[TIME_COMPILER],
               most[TIME_COMPILER], median[TIME_COMPILER_SPIRV], median[TIME_FIRST], most[TIME_FIRST]);
    }
    putchar('\n');
}

/* --- the goals ------------------------------------------------------------------------------------------ */

static void print_goals(const struct table *t) {
    puts("## Goals\n\n| | must | aim | now |\n|---|---|---|---|");
    static const char *const must[STAGES] = {"0.90", "0.88", "0.88"};
    for (int s = 0; s < STAGES; s++) {
        struct mean m = instruction_mean(t, s, "");
        printf("| %s shaders, instructions, ours / better of both peers, geometric mean | <= %s | 0.75 | "
               "%.3f |\n",
               stage_names[s], must[s], geometric(&m));
    }
    size_t larger = 0, unexplained = 0, stages = 0, nocode = 0, rescued = 0, textured, two[COMPILERS];
    long blocks = 0, optimal = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct row *r = &t->rows[i];
        stages += row_ratio(r) > 0;
        larger += row_is_larger(r);
        unexplained += row_is_larger(r) && !r->reason;
        nocode += r->nocode && r->stage == FRAGMENT;
        rescued += r->nocode && r->stage == FRAGMENT && r->instructions[OURS];
        blocks += r->blocks;
        optimal += r->optimal;
    }
    thread_shares(t, &textured, two);
    printf("| stages larger than the better peer's by more than 5 %% and 2 instructions | none unexplained, "
           "<= 2 %% | "
           "none | %zu of %zu (%.1f %%), %zu unexplained |\n",
           larger, stages, 100.0 * (double)larger / (double)stages, unexplained);
    printf("| pairs that Mesa's allocator gives up on and we compile | all but those proven too large | all "
           "| %zu of "
           "%zu |\n",
           rescued, nocode);
    printf("| textured fragment shaders with two threads | >= Mesa's %.1f %% | all that gain | %.1f %% |\n",
           100.0 * (double)two[MESA] / (double)textured, 100.0 * (double)two[OURS] / (double)textured);
    struct mean cycles = cycle_mean(t, MESA, MODEL_HEADLINE);
    if (cycles.count)
        printf(
            "| cycles, glmark2's fragment shaders, ours / Mesa's, geometric mean | <= 0.80 | 0.65 | %.3f |\n",
            geometric(&cycles));
    double highest;
    if (t->time_count) {
        printf("| compile CPU, all of it, after the first / glslang's, glmark2, median | <= 2.0 | 1.5 | %.2f "
               "|\n",
               time_median(t, "glmark2/", TIME_WHOLE, &highest));
        printf("| without the front end | <= 0.7 | 0.5 | %.2f |\n",
               time_median(t, "glmark2/", TIME_COMPILER, &highest));
        printf("| first compile in a process, ms, glmark2, median | <= 25 | 10 | %.1f |\n",
               time_median(t, "glmark2/", TIME_FIRST, &highest));
    }
    if (blocks)
        printf("| glmark2's blocks proven shortest at -O3 | - | - | %ld of %ld (%.1f %%) |\n", optimal,
               blocks, 100.0 * (double)optimal / (double)blocks);
    printf("\n%zu pairs, %zu compiled, %zu refused.\n\n", t->pairs, t->pairs - t->failed, t->failed);
}

/* --- everything ----------------------------------------------------------------------------------------- */

static bool write_pairs(const struct table *t, const char *path) {
    static const char *const names[COMPILERS] = {"qpucc", "mesa", "broadcom"};
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        return false;
    }
    fprintf(out, "name\tstage");
    for (int c = 0; c < COMPILERS; c++)
        fprintf(out, "\t%s_instructions\t%s_uniforms\t%s_threads\t%s_cycles", names[c], names[c], names[c],
                names[c]);
    fprintf(out, "\tqpucc_estimate\tqpucc_bound\tqpucc_loops\tratio\tmilliseconds\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct row *r = &t->rows[i];
        fprintf(out, "%s\t%s", r->name, stage_short[r->stage]);
        for (int c = 0; c < COMPILERS; c++) {
            fprintf(out, "\t%d\t%d\t%d\t", r->instructions[c], r->uniforms[c], r->threads[c]);
            if (r->machine[c][MODEL_HEADLINE])
                fprintf(out, "%.1f", r->machine[c][MODEL_HEADLINE]);
        }
        fprintf(out, "\t%d\t%d\t%d\t%.3f\t", r->cycles, r->bound, r->loops, row_ratio(r));
        for (size_t k = 0; k < t->time_count; k++)
            if (!strcmp(t->times[k].name, r->name))
                fprintf(out, "%.2f", t->times[k].all);
        fputc('\n', out);
    }
    return fclose(out) == 0;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        bool (*read)(struct table *t, const char *path);
    } files[] = {{"peers", rows_read_peers},     {"ours", rows_read_ours},   {"cycles", rows_read_cycles},
                 {"threads", rows_read_threads}, {"times", rows_read_times}, {"proofs", rows_read_proofs},
                 {"reasons", rows_read_reasons}};
    enum { FILES = sizeof files / sizeof *files };
    struct option longs[FILES + 3] = {{"worst", required_argument, NULL, 'w'},
                                      {"pairs", required_argument, NULL, 'p'}};
    const char *paths[FILES] = {NULL}, *pairs = NULL;
    for (int i = 0; i < FILES; i++)
        longs[2 + i] = (struct option){files[i].name, required_argument, NULL, 256 + i};
    size_t worst = 15;
    bool ok = true;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        if (c == 'w')
            worst = (size_t)atoi(optarg);
        else if (c == 'p')
            pairs = optarg;
        else if (c >= 256)
            paths[c - 256] = optarg;
        else
            ok = false;
    if (!ok || optind != argc || !paths[0] || !paths[1]) {
        fprintf(stderr,
                "usage: %s --peers FILE --ours FILE [--cycles F] [--threads F] [--times F] [--proofs F] "
                "[--reasons F] [--worst N] [--pairs OUT]\n",
                argv[0]);
        return 1;
    }
    struct table t = {0};
    for (int i = 0; i < FILES && ok; i++)
        ok = !paths[i] || files[i].read(&t, paths[i]);
    if (ok && pairs)
        ok = write_pairs(&t, pairs);
    if (ok) {
        qsort(t.rows, t.count, sizeof *t.rows, by_ratio);
        print_goals(&t);
        print_instructions(&t, "all pairs", "");
        print_instructions(&t, "glmark2", "glmark2/");
        print_losers(&t, worst);
        if (paths[2])
            print_cycles(&t);
        if (paths[3])
            print_threads(&t);
        if (t.time_count)
            print_times(&t);
    }
    rows_free(&t);
    return !ok;
}
