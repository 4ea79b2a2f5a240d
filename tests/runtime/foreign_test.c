/* Machine code of other compilers (corpus/foreign-code.jsonl of the shared material) runs without a strict
 * error: synthetic seeded uniforms, textures, varyings and attributes, counted by scanning the code. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runtime/foreign.h"

#define SEEDS 4 /* sets of synthetic inputs for each program */
#define VERTICES 13

static struct qpusim_memory *memory;
static struct synthetic inputs = {.low = -2, .high = 2};

static enum qpusim_status run(const struct foreign_program *p, uint32_t seed, uint32_t poison,
                              struct qpusim_error *error, struct qpusim_result *result,
                              struct foreign_needs *n, uint64_t *instructions) {
    static uint32_t words[FOREIGN_MAX_UNIFORMS];
    static struct qpusim_fragments f;
    static struct qpusim_vertices v;
    foreign_scan(p->code, p->count, n);
    inputs.state = seed;
    size_t count = synthetic_stream(&inputs, p, n, words);
    struct qpusim_program *program = qpusim_program_new(p->code, p->count, p->stage, n->threaded);
    ck_assert_ptr_nonnull(program);
    synthetic_fragments(&inputs, n->varyings, &f);
    synthetic_vertices(&inputs, n->rows_in, VERTICES, &v);
    struct qpusim_run_info r = {.program = program,
                                .memory = memory,
                                .uniforms = {words, count, 0},
                                .fragments = &f,
                                .vertices = &v,
                                .expected_outputs = n->outputs};
    struct qpusim_counters counters = {0};
    struct qpusim_options options = {.poison_seed = poison, .budget = 200000, .counters = &counters};
    enum qpusim_status status = qpusim_run(&r, &options, result, error);
    *instructions += counters.instructions;
    qpusim_program_free(program);
    return status;
}

/* Pixels, and output rows in the lanes in use. */
static bool same(const struct qpusim_result *a, const struct qpusim_result *b) {
    if (a->color_written != b->color_written || memcmp(a->color, b->color, sizeof a->color) ||
        memcmp(a->depth, b->depth, sizeof a->depth) || a->row_count != b->row_count)
        return false;
    for (unsigned r = 0; r < a->row_count; r++)
        if (memcmp(a->rows[r], b->rows[r], VERTICES * sizeof a->rows[r][0]))
            return false;
    return true;
}

START_TEST(all_programs) {
    static const char *const stages[] = {"fragment", "vertex", "coordinate"};
    const char *shared = getenv("QPUCC_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/corpus/foreign-code.jsonl", shared);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    memory = qpusim_memory_new(4 << 20);
    ck_assert(synthetic_texture(&inputs, memory, QPUSIM_MIN_LINEAR_MIP_LINEAR));
    struct foreign_program *p = malloc(sizeof *p);
    struct foreign_needs *n = malloc(sizeof *n);
    struct qpusim_result *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    unsigned total = 0, failed = 0, unequal = 0, pixels_written = 0;
    uint64_t instructions = 0;
    while (foreign_next(f, p)) {
        total++;
        struct qpusim_error error;
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            enum qpusim_status status = run(p, seed, 0, &error, a, n, &instructions);
            if (status != QPUSIM_OK) {
                failed++;
                printf("%s %s %s: seed %u, instruction %u lane %d: %s: %s\n", p->compiler, stages[p->stage],
                       p->name, seed, error.instruction, error.lane, error.rule, error.text);
                break;
            }
            pixels_written += a->color_written != 0;
            /* Another pattern in undefined and unused places must not change anything that counts. */
            if (run(p, seed, 99, &error, b, n, &instructions) != QPUSIM_OK || !same(a, b)) {
                unequal++;
                printf("%s %s %s: seed %u, unused bits matter\n", p->compiler, stages[p->stage], p->name,
                       seed);
                break;
            }
        }
    }
    printf("%u programs, %u failed, %u differ, %llu instructions\n", total, failed, unequal,
           (unsigned long long)instructions);
    ck_assert_uint_eq(total, 421);
    ck_assert_uint_eq(failed, 0);
    ck_assert_uint_eq(unequal, 0);
    ck_assert_uint_ge(pixels_written, 163 * SEEDS * 9 / 10);
    free(p);
    free(n);
    free(a);
    free(b);
    fclose(f);
    qpusim_memory_free(memory);
}
END_TEST

int main(void) {
    const char *shared = getenv("QPUCC_SHARED");
    if (!shared || !*shared) {
        printf("skipped: QPUCC_SHARED is not set\n");
        return 77;
    }
    Suite *s = suite_create("foreign");
    TCase *c = tcase_create("programs");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, all_programs);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
