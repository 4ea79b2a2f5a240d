/* What a draw's uniform streams cost: qpucc_uniforms_fill beside a bare copy of as many words.
 *
 *     bench_uniforms dev-pairs.jsonl [--only PREFIX] [--level N] >uniforms.tsv
 *
 * CPU time of one thread, the least of many rounds, in which the things measured take turns. A line: name;
 * words of the three streams; operations of their expressions; nanoseconds of a copy of all words with
 * memcpy, stream by stream; of the three streams filled one by one; of all at once. At the end the medians,
 * and nanoseconds a word. */
#include "bench/own.h"
#include "compiler/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_WORDS = 1 << 16, MOST_PAIRS = 4096, ROUNDS = 40 };

static uint32_t uniforms[MOST_WORDS], textures[QPUCC_MAX_TEXTURES][4];
static uint32_t streams[QPUCC_STAGE_COUNT][MOST_WORDS], source[QPUCC_STAGE_COUNT][MOST_WORDS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct row {
    double words, copy, apart, all, copy_ratio, word;
};

enum what { COPY, APART, ALL, WHATS };

static void once(enum what what, const qpucc_program *program, const struct qpucc_draw_values *values,
                 uint32_t *const out[QPUCC_STAGE_COUNT]) {
    if (what == ALL) {
        qpucc_uniforms_fill_all(program, values, out);
        return;
    }
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (what == COPY)
            memcpy(out[s], source[s], 4 * qpucc_uniforms_size(program, (enum qpucc_stage)s));
        else
            qpucc_uniforms_fill(program, (enum qpucc_stage)s, values, out[s]);
}

static struct row measure(const char *name, const qpucc_program *program) {
    struct qpucc_draw_values values = {.uniforms = uniforms, .textures = (const uint32_t(*)[4])textures};
    uint32_t *out[QPUCC_STAGE_COUNT] = {streams[0], streams[1], streams[2]};
    double least[WHATS] = {0};
    size_t words = 0;
    unsigned operations = 0;
    qpucc_draw_state_viewport(&values.state, 640, 480, 0, 1, 480, false);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        words += qpucc_uniforms_size(program, (enum qpucc_stage)s);
    for (uint32_t i = 0; i < program->fill->step_count; i++)
        operations += program->fill->steps[i].count;
    unsigned times = (unsigned)(20000 / (words + 20)) + 1; /* about the same time for each pair */
    for (int round = 0; round < ROUNDS; round++)
        for (int what = 0; what < WHATS; what++) {
            double start = now();
            for (unsigned k = 0; k < times; k++) {
                once((enum what)what, program, &values, out);
                __asm__ volatile("" ::: "memory"); /* each counts */
            }
            double took = (now() - start) / times;
            least[what] = round == 0 || took < least[what] ? took : least[what];
        }
    printf("%s\t%zu\t%u\t%.1f\t%.1f\t%.1f\n", name, words, operations, least[COPY], least[APART], least[ALL]);
    return (struct row){(double)words,
                        least[COPY],
                        least[APART],
                        least[ALL],
                        least[ALL] / least[COPY],
                        least[ALL] / (double)(words ? words : 1)};
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const struct row *rows, size_t count, size_t member) {
    static double values[MOST_PAIRS];
    for (size_t i = 0; i < count; i++)
        memcpy(&values[i], (const char *)&rows[i] + member, sizeof *values);
    qsort(values, count, sizeof *values, compare);
    return count ? values[count / 2] : 0;
}

int main(int argc, char **argv) {
    const char *only = "";
    struct qpucc_options options = qpucc_options_default();
    bool usage = argc < 2 || argc % 2;
    for (int i = 2; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        else if (!strcmp(argv[i], "--level"))
            options.opt_level = atoi(argv[i + 1]);
        else
            usage = true;
    FILE *file = usage ? NULL : fopen(argv[1], "r");
    if (!file) {
        fprintf(stderr, "usage: %s dev-pairs.jsonl [--only PREFIX] [--level N]\n", argv[0]);
        return 1;
    }
    for (uint32_t i = 0; i < MOST_WORDS; i++) {
        float value = 0.25f + (float)(i % 31) * 0.125f;
        memcpy(&uniforms[i], &value, 4);
    }
    static struct row rows[MOST_PAIRS];
    size_t count = 0, capacity = 0;
    char *line = NULL;
    while (getline(&line, &capacity, file) > 0 && count < MOST_PAIRS) {
        json_t *json = json_loads(line, 0, NULL);
        const char *name = json_string_value(json_object_get(json, "name"));
        if (name && !strncmp(name, only, strlen(only))) {
            qpucc_program *program = own_compile(json, &options);
            bool fits = program && qpucc_program_status(program) == QPUCC_OK &&
                        qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_PACKED) / 4 <= MOST_WORDS;
            for (int s = 0; s < QPUCC_STAGE_COUNT && fits; s++)
                fits = qpucc_uniforms_size(program, (enum qpucc_stage)s) <= MOST_WORDS;
            if (fits)
                rows[count++] = measure(name, program);
            qpucc_program_free(program);
        }
        json_decref(json);
    }
    free(line);
    fclose(file);
    printf("median of %zu: %.0f words; copy %.0f ns, one by one %.0f ns, all at once %.0f ns: %.1f x a copy, "
           "%.1f ns a word\n",
           count, median(rows, count, offsetof(struct row, words)),
           median(rows, count, offsetof(struct row, copy)), median(rows, count, offsetof(struct row, apart)),
           median(rows, count, offsetof(struct row, all)),
           median(rows, count, offsetof(struct row, copy_ratio)),
           median(rows, count, offsetof(struct row, word)));
    return 0;
}
