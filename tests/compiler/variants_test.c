/* Variants: whatever program they start from, they are what a compile makes for their state. */
#include "tests/compiler/pairs.h"
#include "tests/compiler/program_equal.h"

#include <check.h>
#include <qpucc/fixed.h>
#include <pthread.h>
#include <stdlib.h>

static uint32_t next(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed ^= *seed << 5;
}

static struct qpucc_state draw_state(uint32_t *seed) {
    struct qpucc_state state = {.primitive = (uint8_t)(next(seed) % 3),
                                .depth_test = (uint8_t)(next(seed) % 2),
                                .flip_y = (uint8_t)(next(seed) % 2)};
    for (int i = 0; i < 3; i++)
        state.texture[i].format = (uint8_t)(next(seed) % 6);
    return state;
}

static void expect_same(const qpucc_program *a, const qpucc_program *b, size_t pair) {
    const char *differs = program_difference(a, b);
    ck_assert_msg(!differs, "pair %zu: %s", pair, differs);
}

/* Pair 5 is another program under each policy. */
START_TEST(policies_differ) {
    static const enum qpucc_policy policies[] = {QPUCC_POLICY_DEFAULT, QPUCC_POLICY_FAST,
                                                 QPUCC_POLICY_PRECISE, QPUCC_POLICY_BITS};
    qpucc_program *p[4];
    for (int i = 0; i < 4; i++) {
        struct qpucc_options options = qpucc_options_default();
        options.flags |= policies[i];
        p[i] = compile(&pairs[5], NULL, &options);
        ck_assert_int_eq(qpucc_program_status(p[i]), QPUCC_OK);
    }
    expect_same(p[2], p[3], 5); /* both bits: precise */
    for (int i = 1; i < 3; i++)
        for (int s = QPUCC_FRAGMENT; s <= QPUCC_VERTEX; s++) {
            size_t count[2];
            const uint64_t *code[2];
            for (int k = 0; k < 2; k++)
                code[k] = qpucc_program_code(p[k ? i : 0], (enum qpucc_stage)s, &count[k]);
            bool same = count[0] == count[1] && !memcmp(code[0], code[1], count[0] * sizeof *code[0]);
            ck_assert(policies[i] == QPUCC_POLICY_PRECISE ? count[1] > count[0] : !same);
        }
    for (int i = 0; i < 4; i++)
        qpucc_program_free(p[i]);
}
END_TEST

/* Chains of variants, each freed before the next one's variant is made. */
START_TEST(a_variant_is_a_compile) {
    static const enum qpucc_policy policies[] = {QPUCC_POLICY_DEFAULT, QPUCC_POLICY_FAST,
                                                 QPUCC_POLICY_PRECISE};
    struct qpucc_options options = qpucc_options_default();
    uint32_t seed = 20130916;
    for (int run = 0; run < 5; run++) /* each level, then each policy */
        for (size_t i = 0; i < PAIRS; i++) {
            int level = options.opt_level = run < 3 ? run : 2;
            options.flags =
                QPUCC_GENERATE_LINES | (level == 1 ? QPUCC_GENERATE_IR : 0) | policies[run < 3 ? 0 : run - 2];
            qpucc_program *from = compile(&pairs[i], NULL, &options);
            ck_assert_int_eq(qpucc_program_status(from), QPUCC_OK);
            for (int k = 0; k < 4; k++) {
                struct qpucc_state state = draw_state(&seed);
                qpucc_program *variant = qpucc_variant(from, k ? &state : NULL),
                              *whole = compile(&pairs[i], k ? &state : NULL, &options);
                ck_assert_int_eq(qpucc_program_status(variant), QPUCC_OK);
                ck_assert_int_eq(qpucc_program_policy(variant), policies[run < 3 ? 0 : run - 2]);
                expect_same(variant, whole, i);
                qpucc_program_free(from);
                qpucc_program_free(whole);
                from = variant;
            }
            qpucc_program_free(from);
        }
}
END_TEST

/* A state that asks for more than there is leaves a program to start from, and so do failures alike. */
START_TEST(failures_are_told_again) {
    static const struct pair too_large = {
        NULL, "precision highp float; varying vec4 v; uniform sampler2D s; uniform int n;\n"
              "void main() { vec4 a[24], sum = texture2D(s, v.xy);\n"
              "  for (int i = 0; i < 24; i++) a[i] = sin(v * float(i + 2));\n"
              "  for (int k = 0; k < n; k++) if (v.z > float(k)) {\n"
              "    vec4 t = a[0]; for (int i = 0; i < 23; i++) a[i] = a[i + 1] * v.w + t; a[23] = t; }\n"
              "  for (int i = 0; i < 24; i++) sum += a[i];\n"
              "  gl_FragColor = sum; }\n"};
    struct qpucc_state state = {.depth_test = 1};
    qpucc_program *from = compile(&too_large, NULL, NULL), *same = qpucc_variant(from, NULL),
                  *other = qpucc_variant(from, &state), *whole = compile(&too_large, &state, NULL);
    ck_assert_int_eq(qpucc_program_status(from), QPUCC_DOES_NOT_FIT);
    expect_same(from, same, 0);
    expect_same(other, whole, 0);
    qpucc_program_free(from);
    qpucc_program_free(same);
    qpucc_program_free(other);
    qpucc_program_free(whole);
    static const struct pair wrong = {NULL, "void main() { gl_FragColor = vec4(undeclared); }\n"};
    from = compile(&wrong, NULL, NULL);
    same = qpucc_variant(from, &state);
    ck_assert_int_eq(qpucc_program_status(from), QPUCC_SOURCE_ERROR);
    expect_same(from, same, 0);
    qpucc_program_free(from);
    qpucc_program_free(same);
}
END_TEST

START_TEST(fixed_function_has_variants) {
    struct qpucc_fixed fixed = {.lighting = 1};
    fixed.light[0].enabled = 1;
    struct qpucc_state states[] = {{0}, {.two_sided = 1}, {.depth_test = 1}, {.primitive = QPUCC_POINTS}};
    qpucc_program *from = qpucc_compile_fixed(&fixed, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(from), QPUCC_OK);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        qpucc_program *variant = qpucc_variant(from, &states[i]),
                      *whole = qpucc_compile_fixed(&fixed, &states[i], NULL);
        ck_assert_int_eq(qpucc_program_status(variant), QPUCC_OK);
        expect_same(variant, whole, i);
        qpucc_program_free(whole);
        qpucc_program_free(from);
        from = variant;
    }
    qpucc_program_free(from);
}
END_TEST

/* --- threads -------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 6 };

struct job {
    const qpucc_program *from;
    qpucc_program *made[ROUNDS];
    uint32_t seed;
};

static void *make_variants(void *user) {
    struct job *job = user;
    for (int k = 0; k < ROUNDS; k++) {
        struct qpucc_state state = draw_state(&job->seed);
        job->made[k] = qpucc_variant(job->from, &state);
        if (k % 2) { /* the last user frees what they share: any of the threads */
            qpucc_program_free(job->made[k - 1]);
            job->made[k - 1] = NULL;
        }
    }
    return NULL;
}

START_TEST(threads_make_variants_of_one_program) {
    for (size_t i = 0; i < 3; i++) {
        qpucc_program *from = compile(&pairs[i], NULL, NULL);
        pthread_t threads[THREADS];
        struct job jobs[THREADS];
        for (int t = 0; t < THREADS; t++) {
            jobs[t] = (struct job){.from = from, .seed = 77u + (unsigned)t};
            ck_assert_int_eq(pthread_create(&threads[t], NULL, make_variants, &jobs[t]), 0);
        }
        for (int t = 0; t < THREADS; t++)
            pthread_join(threads[t], NULL);
        qpucc_program_free(from);
        for (int t = 0; t < THREADS; t++) {
            uint32_t seed = 77u + (unsigned)t;
            for (int k = 0; k < ROUNDS; k++) {
                struct qpucc_state state = draw_state(&seed);
                if (!jobs[t].made[k])
                    continue;
                qpucc_program *whole = compile(&pairs[i], &state, NULL);
                expect_same(jobs[t].made[k], whole, i);
                qpucc_program_free(whole);
                qpucc_program_free(jobs[t].made[k]);
            }
        }
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("variants");
    TCase *tests = tcase_create("variants");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, policies_differ);
    tcase_add_test(tests, a_variant_is_a_compile);
    tcase_add_test(tests, failures_are_told_again);
    tcase_add_test(tests, fixed_function_has_variants);
    tcase_add_test(tests, threads_make_variants_of_one_program);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
