/* The public interface: compiles and streams in several threads. */
#include "api.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 12 };

static void *compile_many(void *user) {
    uint64_t sum = 14695981039346656037u;
    for (int round = 0; round < ROUNDS; round++) {
        qpucc_program *p = compile_pair(busy_vertex, busy_fragment, NULL);
        if (qpucc_program_status(p) != QPUCC_OK)
            sum = 0;
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
            size_t count;
            const uint64_t *code = qpucc_program_code(p, (enum qpucc_stage)s, &count);
            for (size_t i = 0; i < count; i++)
                sum = (sum ^ code[i]) * 1099511628211u;
        }
        qpucc_program_free(p);
    }
    *(uint64_t *)user = sum;
    return NULL;
}

START_TEST(threads_get_the_same_bytes) {
    pthread_t threads[THREADS];
    uint64_t sums[THREADS], alone;
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_many, &sums[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    compile_many(&alone);
    ck_assert_uint_ne(alone, 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_uint_eq(sums[i], alone);
}
END_TEST

static void *read_stream(void *user) {
    uint64_t sum = 14695981039346656037u;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        for (size_t i = 0; i < qpucc_uniforms_size(user, (enum qpucc_stage)s); i++)
            for (const char *c = qpucc_uniform_text(user, (enum qpucc_stage)s, i); *c; c++)
                sum = (sum ^ (uint8_t)*c) * 1099511628211u;
    return (void *)(uintptr_t)sum;
}

/* The texts of a stream are made when the first one is asked for. */
START_TEST(threads_read_the_same_stream) {
    for (int round = 0; round < ROUNDS; round++) {
        qpucc_program *p = compile_pair(busy_vertex, busy_fragment, NULL);
        pthread_t threads[THREADS];
        void *sum[THREADS];
        expect_ok(p);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, read_stream, p), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], &sum[i]);
        for (int i = 0; i < THREADS; i++)
            ck_assert_ptr_eq(sum[i], read_stream(p));
        ck_assert_ptr_null(qpucc_uniform_text(p, QPUCC_VERTEX, qpucc_uniforms_size(p, QPUCC_VERTEX)));
        qpucc_program_free(p);
    }
}
END_TEST

int main(void) {
    const TTest *const tests[] = {threads_get_the_same_bytes, threads_read_the_same_stream};
    return run_tests("api_threads", tests, sizeof tests / sizeof *tests);
}
