/* One row for each stage of each pair: our figures beside the peers'. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FRAGMENT, VERTEX, COORDINATE, STAGES };
enum { OURS, MESA, BROADCOM, COMPILERS };
enum {
    MODEL_COUNT = 3,
    MODEL_HEADLINE = 1
}; /* bench/model.h: the columns of cycles.tsv; typical latency decides */

extern const char *const stage_short[STAGES], *const stage_names[STAGES];

struct row {
    char name[120];
    int stage;
    int instructions[COMPILERS], uniforms[COMPILERS], threads[COMPILERS]; /* 0: none */
    int cycles, bound, tmu, loops;                                        /* ours, as the compiler counts */
    int blocks, optimal; /* ours, at -O3: of the program's blocks, proven shortest */
    bool nocode;         /* Mesa's register allocation failed */
    double machine[COMPILERS][MODEL_COUNT],
        alone[COMPILERS]; /* slots for a batch on the machine; 0: not run */
    char chosen,
        forms[2][2][64]; /* bench_threads: threads chosen; for one and for two cycles and slots, or why not */
    const char *reason;  /* why it is larger than the better peer's, from reasons.tsv */
};

struct time_row {
    char name[120];
    double glslang, glslang_spirv, front, all; /* CPU milliseconds */
    double first;                              /* of all as a process's first compile */
};

struct table {
    struct row *rows;
    size_t count, pairs, failed;
    struct time_row *times;
    size_t time_count;
    char **stale; /* reasons for what is not larger (any more) */
    size_t stale_count;
};

bool rows_read_peers(struct table *t, const char *path);
/* What `qpucc report --json` prints. */
bool rows_read_ours(struct table *t, const char *path);
/* The same of -O3, for the proofs. */
bool rows_read_proofs(struct table *t, const char *path);
bool rows_read_cycles(struct table *t, const char *path);
bool rows_read_threads(struct table *t, const char *path);
bool rows_read_times(struct table *t, const char *path);
/* name, stage, why; after the others. */
bool rows_read_reasons(struct table *t, const char *path);
void rows_free(struct table *t);

struct row *rows_find(const struct table *t, const char *name, int stage);
/* The better peer's instructions, 0 when neither has the stage. */
int row_better(const struct row *r);
double row_ratio(const struct row *r);
/* By more than 5 % and two instructions, and neither side counts a loop's body once. */
bool row_is_larger(const struct row *r);

#endif
