/* Makes the scheduler's tables: sched/strategies.h, sched/weights.def, sched/dives.h.
 *
 *     bench_tune dev-pairs.jsonl [--table vertices|fragments|weights|dives] [--draws N] [--polish N]
 *                [--rows N] [--gain PERCENT] [--seed N] [--swap] [--every N] [--both]
 *
 * The corpus' blocks are compiled and selected once. Its families of programs are dealt to two halves: on one
 * the tables are tuned, on the other they are judged. Strategies are drawn at random. The row that shortens
 * the tuned half most comes first, then, one after the other, the row that shortens most what those before it
 * left, each varied a little while that gains (--polish). A row stays only if it gains that many percent
 * (--gain, 0.5) on the judged half, too: the first that does not ends the table.
 *
 * What the dive prefers (dives) begins with today's weights: of --draws changes to one to three of them those
 * stay that are no worse on the tuned half, or on both (--both).
 *
 * A block's cost is what the scheduler compares its attempts by, in loops eightfold; a stage's is the sum
 * over its blocks, a half's the geometric mean over its stages. The same seed gives the same tables. */
#include "bench/tune_blocks.h"
#include "sched/dives.h"
#include "sched/strategies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { MOST_ROWS = 16 };

static const struct {
    const char *name, *array, *comment;
    const struct sched_strategy *rows;
    size_t count;
} tables[TUNE_KINDS] = {
    [TUNE_VERTICES] = {"vertices", "for_vertices", "Vertex and coordinate shaders.", for_vertices,
                       COUNT(for_vertices)},
    [TUNE_FRAGMENTS] = {"fragments", "for_fragments", "Fragment shaders.", for_fragments,
                        COUNT(for_fragments)},
};

struct tune {
    struct tune_corpus corpus;
    uint32_t random;
    struct sched_weights weights;
    unsigned draws, polish, rows;
    double gain;
    double
        *rescue;  /* by block: its cost by the table for high pressure, what is left when nothing else fits */
    double *cost; /* by block: the least of the rows so far */
    double *trial; /* by block: of the row under trial */
};

/* --- costs ---------------------------------------------------------------------------------------------- */

/* NAN when the attempt fails. */
static double cost_by(struct tune *t, uint32_t index, const struct sched_strategy *row) {
    struct tune_block *block = t->corpus.block[index];
    block->s.options.weights = &t->weights;
    double cost = sched_try(&block->s, row, block->base);
    return cost > 0 ? block->weight * cost : NAN;
}

static bool is_of(const struct tune *t, uint32_t index, enum tune_kind kind, bool judged) {
    const struct tune_block *block = t->corpus.block[index];
    return block->kind == kind && t->corpus.stage[block->stage]->judged == judged &&
           isfinite(t->rescue[index]);
}

/* The geometric mean of new / old over a half's stages. */
static double ratio(const struct tune *t, enum tune_kind kind, bool judged, const double *new,
                    const double *old) {
    double sum = 0;
    uint32_t stages = 0;
    for (uint32_t i = 0; i < t->corpus.nstages; i++) {
        const struct tune_stage *stage = t->corpus.stage[i];
        double is = 0, was = 0;
        for (uint32_t k = stage->first; k < stage->first + stage->count; k++)
            if (is_of(t, k, kind, judged))
                is += fmin(new[k], old[k]), was += old[k];
        if (was > 0)
            sum += log(is / was), stages++;
    }
    return stages ? exp(sum / stages) : 1;
}

/* Costs of a row for a half; where it fails, of the rescue. */
static void try_row(struct tune *t, enum tune_kind kind, bool judged, const struct sched_strategy *row,
                    double *cost) {
    for (uint32_t k = 0; k < t->corpus.nblocks; k++)
        if (is_of(t, k, kind, judged)) {
            double now = cost_by(t, k, row);
            cost[k] = isnan(now) ? t->rescue[k] : now;
        }
}

static void keep_least(const struct tune *t, enum tune_kind kind, bool judged) {
    for (uint32_t k = 0; k < t->corpus.nblocks; k++)
        if (is_of(t, k, kind, judged))
            t->cost[k] = fmin(t->cost[k], t->trial[k]);
}

/* The first row of a table: all blocks start from it and learn their lifetimes by it. */
static void begin_with(struct tune *t, enum tune_kind kind, const struct sched_strategy *row) {
    for (uint32_t k = 0; k < t->corpus.nblocks; k++) {
        struct tune_block *block = t->corpus.block[k];
        if (block->kind != kind)
            continue;
        block->s.options.life = NULL;
        double now = cost_by(t, k, row);
        t->cost[k] = isnan(now) ? t->rescue[k] : now;
        if (!isnan(now))
            sched_learn_lifetimes(&block->s);
    }
}

/* Blocks that nothing fits at all have no finite rescue and are left out. */
static void find_rescue(struct tune *t) {
    for (uint32_t k = 0; k < t->corpus.nblocks; k++) {
        double least = INFINITY;
        for (size_t r = 0; r < COUNT(under_pressure); r++)
            least = fmin(least, cost_by(t, k, &under_pressure[r]));
        const struct sched_strategy *rows = tables[t->corpus.block[k]->kind].rows;
        if (isinf(least)) /* attempts in plain order do not always end where those by height do */
            least = 1.5 * cost_by(t, k, &rows[0]);
        t->rescue[k] = isnan(least) ? INFINITY : least;
    }
}

/* --- draws ---------------------------------------------------------------------------------------------- */

static double draw(struct tune *t) {
    t->random ^= t->random << 13;
    t->random ^= t->random >> 17;
    t->random ^= t->random << 5;
    return t->random / 4294967296.0;
}

static double rounded(double x, double digits) {
    return round(x * digits) / digits;
}

static double between(struct tune *t, double low, double high) {
    return low + draw(t) * (high - low);
}

static struct sched_strategy random_row(struct tune *t, enum tune_kind kind) {
    struct sched_strategy row = {.height = 1};
    row.order = rounded(between(t, 0, draw(t) < 0.4 ? 0.05 : 0.4), 1000);
    row.pressure = draw(t) < 0.2 ? 0 : rounded(between(t, 0.2, 3.5), 100);
    row.acc = rounded(between(t, 0.1, 0.7), 100);
    row.reuse = rounded(between(t, 0, 1.3), 100);
    row.stream = draw(t) < 0.25 ? 0 : rounded(between(t, -2.5, 1), 100);
    row.tmu = kind == TUNE_VERTICES || draw(t) < 0.4 ? 0 : rounded(between(t, -10, 3), 10);
    row.by = (uint8_t)(draw(t) * SCHED_ORDERS);
    return row;
}

/* A few of the row's figures, moved by up to a third and a bit. */
static struct sched_strategy varied(struct tune *t, struct sched_strategy row, enum tune_kind kind) {
    struct {
        double *figure, step, digits;
    } part[] = {{&row.order, 0.02, 1000}, {&row.pressure, 0.3, 100}, {&row.acc, 0.05, 100},
                {&row.reuse, 0.15, 100},  {&row.stream, 0.3, 100},   {&row.tmu, 1, 10}};
    for (size_t i = 0; i < COUNT(part) - (kind == TUNE_VERTICES); i++)
        if (draw(t) < 0.4)
            *part[i].figure = rounded(
                *part[i].figure * between(t, 0.67, 1.5) + between(t, -1, 1) * part[i].step, part[i].digits);
    row.acc = fmax(row.acc, 0);
    row.reuse = fmax(row.reuse, 0);
    return row;
}

/* --- tables --------------------------------------------------------------------------------------------- */

static void print_table(const char *comment, const char *name, const struct sched_strategy *rows,
                        size_t count) {
    static const char *const orders[SCHED_ORDERS] = {"BY_SOURCE", "BY_DEPTH", "BY_PRESSURE"};
    printf("/* %s */\nstatic const struct sched_strategy %s[] = {\n", comment, name);
    printf("    /*height order    pressure acc    reuse  stream  tmu    by           window */\n");
    for (size_t i = 0; i < count; i++) {
        const double figure[] = {rows[i].height, rows[i].order,  rows[i].pressure, rows[i].acc,
                                 rows[i].reuse,  rows[i].stream, rows[i].tmu};
        static const int width[] = {7, 9, 9, 7, 7, 8, 7};
        printf("    {");
        for (size_t k = 0; k < COUNT(figure); k++) {
            char text[32];
            snprintf(text, sizeof text, "%g,", figure[k]);
            printf("%-*s", width[k], text);
        }
        printf("%s,%*s%u},\n", orders[rows[i].by], (int)(12 - strlen(orders[rows[i].by])), "",
               rows[i].window);
    }
    printf("};\n");
}

/* A half's sums over the blocks of a kind. */
static double total(const struct tune *t, enum tune_kind kind, bool judged, const double *cost) {
    double sum = 0;
    for (uint32_t k = 0; k < t->corpus.nblocks; k++)
        if (is_of(t, k, kind, judged))
            sum += cost[k];
    return sum;
}

/* What the rows reach on both halves, in t->cost. */
static void walk_table(struct tune *t, enum tune_kind kind, const struct sched_strategy *rows, size_t count,
                       const char *what) {
    begin_with(t, kind, &rows[0]);
    for (size_t r = 1; r < count; r++)
        for (int judged = 0; judged < 2; judged++) {
            try_row(t, kind, judged, &rows[r], t->trial);
            double step = ratio(t, kind, judged, t->trial, t->cost);
            if (what)
                fprintf(stderr, "%s row %zu, %s half: %.3f %%\n", what, r + 1, judged ? "judged" : "tuned",
                        100 * (1 - step));
            keep_least(t, kind, judged);
        }
}

/* The row that takes most off t->cost on the tuned half, varied. Returns the ratio. */
static double find_row(struct tune *t, enum tune_kind kind, const struct sched_strategy *drawn,
                       const float *known, struct sched_strategy *best) {
    double least = 2;
    for (unsigned d = 0; d < t->draws; d++) {
        for (uint32_t k = 0; k < t->corpus.nblocks; k++)
            t->trial[k] = known[(size_t)d * t->corpus.nblocks + k];
        double now = ratio(t, kind, false, t->trial, t->cost);
        if (now < least)
            least = now, *best = drawn[d];
    }
    for (unsigned p = 0; p < t->polish; p++) {
        struct sched_strategy other = varied(t, *best, kind);
        try_row(t, kind, false, &other, t->trial);
        double now = ratio(t, kind, false, t->trial, t->cost);
        if (now < least)
            least = now, *best = other;
    }
    return least;
}

static void draw_all(struct tune *t, enum tune_kind kind, const struct sched_strategy *drawn, float *known) {
    for (unsigned d = 0; d < t->draws; d++) {
        try_row(t, kind, false, &drawn[d], t->trial);
        for (uint32_t k = 0; k < t->corpus.nblocks; k++)
            known[(size_t)d * t->corpus.nblocks + k] = (float)t->trial[k];
    }
}

static void tune_table(struct tune *t, enum tune_kind kind) {
    uint32_t n = t->corpus.nblocks;
    struct sched_strategy *drawn = calloc(t->draws, sizeof *drawn), row[MOST_ROWS];
    float *known = calloc((size_t)t->draws * n, sizeof *known);
    double *before = calloc(n, sizeof *before), *first = calloc(n, sizeof *first);
    size_t count = 0;
    walk_table(t, kind, tables[kind].rows, tables[kind].count, tables[kind].name);
    memcpy(before, t->cost, n * sizeof *before);
    for (unsigned d = 0; d < t->draws; d++)
        drawn[d] = random_row(t, kind);
    for (uint32_t k = 0; k < n; k++)
        t->corpus.block[k]->s.options.life = NULL, t->cost[k] = t->rescue[k];
    draw_all(t, kind, drawn, known);
    find_row(t, kind, drawn, known, &row[count++]);
    begin_with(t, kind, &row[0]);
    memcpy(first, t->cost, n * sizeof *first);
    draw_all(t, kind, drawn, known);
    while (count < t->rows) {
        double tuned = find_row(t, kind, drawn, known, &row[count]), judged;
        try_row(t, kind, false, &row[count], t->trial);
        keep_least(t, kind, false);
        try_row(t, kind, true, &row[count], t->trial);
        judged = ratio(t, kind, true, t->trial, t->cost);
        fprintf(stderr, "%s row %zu: gains %.3f %% on the tuned half, %.3f %% on the judged one\n",
                tables[kind].name, count + 1, 100 * (1 - tuned), 100 * (1 - judged));
        if (100 * (1 - judged) < t->gain)
            break;
        keep_least(t, kind, true);
        count++;
    }
    walk_table(t, kind, row, count, NULL);
    for (int judged = 0; judged < 2; judged++) {
        double sum = 0;
        uint32_t stages = 0;
        for (uint32_t i = 0; i < t->corpus.nstages; i++) {
            double is = 0, was = 0;
            for (uint32_t k = t->corpus.stage[i]->first;
                 k < t->corpus.stage[i]->first + t->corpus.stage[i]->count; k++)
                if (is_of(t, k, kind, judged))
                    is += t->cost[k], was += before[k];
            if (was > 0)
                sum += log(is / was), stages++;
        }
        printf("/* %s half: %u stages, cost %.0f -> %.0f, geometric mean %.4f, of %zu rows %zu */\n",
               judged ? "judged" : "tuned", stages, total(t, kind, judged, before),
               total(t, kind, judged, t->cost), exp(sum / stages), tables[kind].count, count);
    }
    print_table(tables[kind].comment, tables[kind].array, row, count);
    fflush(stdout);
    free(drawn), free(known), free(before), free(first);
}

/* --- what the dive prefers ------------------------------------------------------------------------------ */

enum { DIVE_WEIGHTS = sizeof(struct sched_dive_weights) / sizeof(int) };

/* Costs by these weights over those in `first`, of the tuned half and the judged one: geometric means, with
 * one percent more for WORK units of it. Where `first` has none yet it gets them; a block in which the dive
 * finds nothing costs a tenth more. */
static void dive_ratios(struct tune *t, enum qpucc_stage stage, const struct sched_dive_weights *weights,
                        double *first, double ratios[2]) {
    enum { WORK = 8000 };
    double sum[2] = {0, 0}, blocks[2] = {0, 0};
    for (uint32_t k = 0; k < t->corpus.nblocks; k++) {
        struct tune_block *block = t->corpus.block[k];
        const struct tune_stage *of = t->corpus.stage[block->stage];
        if (of->shader->stage != stage || isinf(t->rescue[k]))
            continue;
        struct ir_mark mark = ir_arena_mark(block->m.arena);
        uint64_t before = ir_search_left(block->m.arena);
        block->s.options.dive = weights;
        double cost = sched_try_dive(&block->s, block->base);
        double work = (double)(before - ir_search_left(block->m.arena)) / WORK;
        ir_arena_rewind(block->m.arena, mark);
        if (first[k] <= 0)
            first[k] = cost > 0 ? cost : t->rescue[k];
        sum[of->judged] += log((cost > 0 ? cost : 1.1 * first[k]) / first[k]) + 0.01 * work;
        blocks[of->judged]++;
    }
    for (int half = 0; half < 2; half++)
        ratios[half] = blocks[half] ? exp(sum[half] / blocks[half]) : 1;
}

static void print_dive(const char *name, const int *weight) {
    static const char *const names[DIVE_WEIGHTS] = {"tail",  "order", "either", "word",
                                                    "frees", "later", "readers"};
    printf("static const struct sched_dive_weights %s = {\n   ", name);
    for (int k = 0; k < DIVE_WEIGHTS; k++)
        printf(" .%s = %d,", names[k], weight[k]);
    printf("\n};\n");
}

/* Changes to one to three of the weights; those that are no worse on the tuned half, or on both, stay. The
 * first is the measure of the others. */
static void tune_dive(struct tune *t, enum qpucc_stage stage, const char *name,
                      const struct sched_dive_weights *now, bool both) {
    double *first = calloc(t->corpus.nblocks, sizeof *first), ratios[2], least = INFINITY;
    int best[DIVE_WEIGHTS], weight[DIVE_WEIGHTS];
    memcpy(best, now, sizeof best);
    for (unsigned d = 0; d <= t->draws; d++) {
        memcpy(weight, best, sizeof weight);
        for (int changes = d ? 1 + (int)(draw(t) * 3) : 0; changes--;) {
            int *one = &weight[1 + (int)(draw(t) * (DIVE_WEIGHTS - 1))];
            *one = draw(t) < 0.15 ? 0 : *one + (int)between(t, -17, 17);
        }
        dive_ratios(t, stage, (const struct sched_dive_weights *)weight, first, ratios);
        double is = both ? sqrt(ratios[0] * ratios[1]) : ratios[0];
        if (is > least)
            continue;
        if (is < least)
            fprintf(stderr, "%s, change %u: %.4f on the tuned half, %.4f on the judged one\n", name, d,
                    ratios[0], ratios[1]);
        least = is;
        memcpy(best, weight, sizeof best);
    }
    print_dive(name, best);
    free(first);
}

/* --- weights -------------------------------------------------------------------------------------------- */

static const char *const weight_names[] = {
#define WEIGHT(name, value) #name,
#include "sched/weights.def"
#undef WEIGHT
};

/* By stage of a half: what today's tables make of it under t->weights. */
static void stage_costs(struct tune *t, bool judged, double *cost) {
    for (uint32_t i = 0; i < t->corpus.nstages; i++) {
        const struct tune_stage *stage = t->corpus.stage[i];
        cost[i] = 0;
        for (uint32_t k = stage->first; k < stage->first + stage->count; k++) {
            struct tune_block *block = t->corpus.block[k];
            double least = t->rescue[k];
            if (!is_of(t, k, block->kind, judged))
                continue;
            block->s.options.life = NULL;
            for (size_t r = 0; r < tables[block->kind].count; r++) {
                double now = cost_by(t, k, &tables[block->kind].rows[r]);
                if (!isnan(now) && !block->s.options.life)
                    sched_learn_lifetimes(&block->s);
                least = isnan(now) ? least : fmin(least, now);
            }
            cost[i] += least;
        }
    }
}

static double mean_ratio(const struct tune *t, const double *new, const double *old) {
    double sum = 0;
    uint32_t stages = 0;
    for (uint32_t i = 0; i < t->corpus.nstages; i++)
        if (old[i] > 0)
            sum += log(new[i] / old[i]), stages++;
    return stages ? exp(sum / stages) : 1;
}

/* Each weight by turns: none of it, and a few factors. What gains on both halves stays. */
static void tune_weights(struct tune *t) {
    static const double factors[] = {0, 0.5, 0.7, 1.4, 2};
    uint32_t n = t->corpus.nstages;
    double *now[2], *trial = calloc(n, sizeof *trial);
    for (int judged = 0; judged < 2; judged++) {
        now[judged] = calloc(n, sizeof **now);
        stage_costs(t, judged, now[judged]);
    }
    for (size_t w = 0; w < COUNT(weight_names); w++) {
        double *weight = (double *)&t->weights + w, value = *weight, best = value, least = 1;
        for (size_t f = 0; f < COUNT(factors); f++) {
            *weight = value * factors[f];
            stage_costs(t, false, trial);
            double tuned = mean_ratio(t, trial, now[0]);
            stage_costs(t, true, trial);
            double other = mean_ratio(t, trial, now[1]);
            fprintf(stderr, "%s %g: %.3f %% on the tuned half, %.3f %% on the judged one\n", weight_names[w],
                    *weight, 100 * (1 - tuned), 100 * (1 - other));
            if (tuned < least && 100 * (1 - other) >= t->gain)
                least = tuned, best = *weight;
        }
        *weight = best;
        for (int judged = 0; judged < 2 && best != value; judged++)
            stage_costs(t, judged, now[judged]);
        printf("WEIGHT(%s, %g)\n", weight_names[w], best);
        fflush(stdout);
    }
    free(now[0]), free(now[1]), free(trial);
}

/* --- the program ---------------------------------------------------------------------------------------- */

static int usage(const char *program) {
    fprintf(stderr,
            "usage: %s dev-pairs.jsonl [--table vertices|fragments|weights|dives] [--draws N] [--polish N]\n"
            "       [--rows N] [--gain PERCENT] [--seed N] [--swap] [--every N] [--both]\n",
            program);
    return 1;
}

static void release(struct tune *t) {
    for (uint32_t i = 0; i < t->corpus.nblocks; i++)
        free(t->corpus.block[i]);
    for (uint32_t i = 0; i < t->corpus.nstages; i++) {
        ir_arena_destroy(t->corpus.stage[i]->arena);
        ir_shader_destroy(t->corpus.stage[i]->shader);
        free(t->corpus.stage[i]->family);
        free(t->corpus.stage[i]);
    }
    free(t->corpus.block), free(t->corpus.stage);
    free(t->rescue), free(t->cost), free(t->trial);
}

int main(int argc, char **argv) {
    struct tune t = {
        .weights = sched_weights, .draws = 300, .polish = 30, .rows = 10, .gain = 0.5, .random = 1};
    const char *table = NULL;
    bool swap = false, both = false;
    unsigned every = 1, lines = 0;
    for (int i = 2; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--swap") == 0 || strcmp(argv[i], "--both") == 0) {
            *(argv[i][2] == 's' ? &swap : &both) = true;
            continue;
        }
        if (strcmp(argv[i], "--table") == 0)
            table = value;
        else if (strcmp(argv[i], "--draws") == 0)
            t.draws = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--polish") == 0)
            t.polish = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--rows") == 0)
            t.rows = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--gain") == 0)
            t.gain = strtod(value, NULL);
        else if (strcmp(argv[i], "--seed") == 0)
            t.random = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--every") == 0)
            every = (unsigned)strtoul(value, NULL, 10);
        else
            return usage(argv[0]);
        i++;
    }
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file || !every || !t.draws || !t.rows || t.rows >= MOST_ROWS)
        return usage(argv[0]);
    t.random = t.random * 2654435761u | 1;
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
        if (lines++ % every)
            continue;
        json_t *pair = json_loads(line, 0, NULL);
        tune_add_pair(&t.corpus, pair);
        json_decref(pair);
    }
    free(line);
    fclose(file);
    tune_deal(&t.corpus, swap);
    t.rescue = calloc(t.corpus.nblocks + 1, sizeof *t.rescue);
    t.cost = calloc(t.corpus.nblocks + 1, sizeof *t.cost);
    t.trial = calloc(t.corpus.nblocks + 1, sizeof *t.trial);
    find_rescue(&t);
    fprintf(stderr,
            "%u pairs, %u different stages, %u others equal to one of these, %u left out, %u blocks\n",
            t.corpus.pairs, t.corpus.nstages, t.corpus.doubles, t.corpus.refused, t.corpus.nblocks);
    for (int kind = 0; kind < TUNE_KINDS; kind++)
        if (!table || strcmp(table, tables[kind].name) == 0)
            tune_table(&t, (enum tune_kind)kind);
    if (table && strcmp(table, "dives") == 0) {
        tune_dive(&t, QPUCC_FRAGMENT, "dive_fragments", &dive_fragments, both);
        tune_dive(&t, QPUCC_VERTEX, "dive_vertices", &dive_vertices, both);
        tune_dive(&t, QPUCC_COORDINATE, "dive_coordinates", &dive_coordinates, both);
    }
    if (table && strcmp(table, "weights") == 0)
        tune_weights(&t);
    release(&t);
    return 0;
}
