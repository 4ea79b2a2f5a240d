/* Flights whose work nobody does: there is no worker, so that all that are asked for wait. */
#include "serve/flight.h"

#include <check.h>

#include <stdlib.h>

/* In place of the server's, which needs the compiler. */
struct answer *pool_run(struct pool *pool, const struct job *job, int64_t until, uint64_t *used) {
    (void)pool, (void)job, (void)until, (void)used;
    return NULL;
}

static atomic_uint refused, answered;

static void done(void *user, struct answer *answer) {
    (void)user;
    atomic_fetch_add(answer && answer->status == 503 ? &refused : &answered, 1);
    answer_release(answer);
}

static bool submit(struct flights *flights, uint8_t name, void *user) {
    struct task task = {.kind = TASK_WORK, .job = {.kind = JOB_STATE}};
    const uint8_t key[KEY_BYTES] = {name};
    return flights_submit(flights, key, &task, done, user);
}

/* Who asks for what nobody waits for any more waits for work of its own. */
START_TEST(the_last_leaves_and_another_comes) {
    enum { ROUNDS = 3000 };
    char error[200], users[2];
    const uint8_t key[KEY_BYTES] = {1};
    struct metrics *metrics = metrics_new();
    struct front *front = front_new(1 << 20, metrics);
    struct store *store = store_new(NULL, 0, NULL, metrics, error, sizeof error);
    const struct flight_limits limits = {.workers = 0, .waiting = 4, .wall_ms = 60000, .share = 100};
    struct flights *flights = flights_new(front, store, NULL, NULL, NULL, &limits, metrics);
    ck_assert_ptr_nonnull(flights);
    unsigned left = 0;
    ck_assert(submit(flights, 1, &users[0]));
    for (unsigned k = 0; k < ROUNDS; k++) {
        while (!flights_leave(flights, key, &users[k % 2])) /* a thread looks at the store */
            ck_assert_uint_eq(atomic_load(&refused), 0);
        left++;
        ck_assert(submit(flights, 1, &users[(k + 1) % 2]));
    }
    ck_assert_uint_eq(left, ROUNDS);
    ck_assert_uint_eq(atomic_load(&refused), 0);
    ck_assert(submit(flights, 2, users));
    flights_end(flights);
    ck_assert_uint_eq(atomic_load(&refused), 2);
    ck_assert_uint_eq(atomic_load(&answered), 0);
    flights_free(flights);
    store_free(store);
    front_free(front);
    metrics_free(metrics);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("flights");
    TCase *tests = tcase_create("flights");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_last_leaves_and_another_comes);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
