/* Who is served when: a worker or two, played by the test, and clients whose jobs cost what the test says. */
#include "serve/queue.h"

#include <check.h>

#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 80, SECOND = 1000000 };

static const uint8_t *client(unsigned number) {
    static uint8_t names[CLIENTS][CLIENT_BYTES];
    names[number][15] = (uint8_t)number;
    names[number][14] = 7;
    return names[number];
}

struct job_of {
    struct ticket ticket;
    unsigned client;
    bool out;
};

static struct job_of jobs[4000];
static unsigned job_count;
static struct queue *queue;
static int64_t now;

static void begin(unsigned workers, unsigned share) {
    queue = queue_new(workers, share);
    ck_assert_ptr_nonnull(queue);
    job_count = 0;
    now = 1000;
}

static struct job_of *push(unsigned who, enum job_kind kind) {
    struct job_of *job = &jobs[job_count++];
    ck_assert_uint_lt(job_count, sizeof jobs / sizeof *jobs);
    job->client = who;
    job->out = false;
    ck_assert(queue_push(queue, &job->ticket, client(who), kind, now));
    return job;
}

static struct job_of *pop(void) {
    return (struct job_of *)queue_pop(queue, now);
}

/* The next job runs and costs so much; whose it was. */
static unsigned serve(uint64_t cost) {
    struct job_of *job = pop();
    ck_assert_ptr_nonnull(job);
    now += (int64_t)(cost / 1000);
    queue_done(queue, &job->ticket, cost, now);
    return job->client;
}

START_TEST(nothing_waits) {
    begin(2, 25);
    ck_assert_ptr_null(pop());
    push(1, JOB_COMPILE);
    ck_assert_uint_eq(serve(SECOND / 100), 1);
    ck_assert_ptr_null(pop());
    queue_free(queue);
}
END_TEST

/* Sixty draws of one address, then somebody's compile, draw and permalink. */
START_TEST(a_newcomer_is_next) {
    begin(1, 25);
    for (int i = 0; i < 60; i++)
        push(1, JOB_RENDER);
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(serve(5 * SECOND), 1);
    push(2, JOB_COMPILE);
    ck_assert_uint_eq(serve(SECOND / 100), 2);
    push(3, JOB_STATE);
    ck_assert_uint_eq(serve(SECOND / 1000), 3);
    push(4, JOB_RENDER);
    unsigned first = serve(SECOND / 30), second = serve(SECOND / 30);
    ck_assert(first == 4 || second == 4);
    queue_free(queue);
}
END_TEST

/* Both always have jobs waiting, of very different size: the same CPU time for each. */
START_TEST(time_is_shared_not_jobs) {
    static const uint64_t cost[] = {0, SECOND, SECOND / 2};
    uint64_t used[3] = {0};
    begin(1, 1);
    for (int i = 0; i < 2; i++) /* for the costs: all are in the lane of long jobs */
        for (unsigned c = 1; c < 3; c++)
            push(c, JOB_RENDER);
    for (int i = 0; i < 4; i++)
        serve(2 * SECOND);
    for (int i = 0; i < 600; i++)
        push(1, JOB_INSPECT), push(2, JOB_INSPECT);
    for (int i = 0; i < 400; i++) {
        struct job_of *job = pop();
        uint64_t c = cost[job->client];
        now += (int64_t)(c / 1000);
        used[job->client] += c;
        queue_done(queue, &job->ticket, c, now);
    }
    ck_assert_uint_gt(used[1], used[2] * 9 / 10);
    ck_assert_uint_lt(used[1], used[2] * 11 / 10);
    queue_free(queue);
}
END_TEST

/* Twenty addresses that have used more than their share, and one that has not: four times the weight. */
START_TEST(credit_counts) {
    unsigned served = 0;
    begin(1, 1);
    for (unsigned c = 1; c <= 20; c++)
        for (int i = 0; i < 10; i++)
            push(c, JOB_COMPILE);
    for (int i = 0; i < 100; i++)
        serve(SECOND / 5);
    for (int i = 0; i < 10; i++)
        push(30, JOB_COMPILE);
    for (int i = 0; i < 24; i++) {
        struct job_of *job = pop();
        served += job->client == 30;
        queue_done(queue, &job->ticket, job->client == 30 ? 2000 : SECOND / 5, ++now);
    }
    ck_assert_uint_ge(served, 4);
    queue_free(queue);
}
END_TEST

/* With the account full again a client's weight is what it was. */
START_TEST(accounts_fill) {
    begin(1, 50);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++)
            push(1, JOB_COMPILE), push(2, JOB_COMPILE);
        unsigned first = 0;
        for (int i = 0; i < 16; i++)
            first += serve(SECOND / 10) == 1 && i < 8;
        ck_assert_uint_eq(first, 4);
        now += 60000;
    }
    queue_free(queue);
}
END_TEST

/* Long jobs leave one of several workers to the short ones. */
START_TEST(long_jobs_leave_a_worker) {
    begin(3, 25);
    for (unsigned c = 1; c < 9; c++)
        push(c, JOB_RENDER);
    struct job_of *a = pop(), *b = pop();
    ck_assert(a && b);
    ck_assert_ptr_null(pop());
    push(20, JOB_COMPILE);
    ck_assert_uint_eq(serve(1000), 20);
    ck_assert_ptr_null(pop());
    queue_done(queue, &a->ticket, SECOND, now);
    ck_assert_ptr_nonnull(pop());
    ck_assert_ptr_null(pop());
    queue_free(queue);
}
END_TEST

/* What somebody else works on is never next, and gives its place up as what waits here does. */
START_TEST(away_has_a_place) {
    begin(2, 25);
    struct job_of *away[4];
    for (int i = 0; i < 4; i++) {
        away[i] = &jobs[job_count++];
        ck_assert(queue_push_away(queue, &away[i]->ticket, client(1), JOB_RENDER, now));
    }
    ck_assert_ptr_null(pop());
    struct job_of *own = push(1, JOB_COMPILE);
    for (int i = 3; i > 1; i--)
        ck_assert_ptr_eq(queue_displace(queue, client(2)), away[i]);
    queue_remove(queue, &away[0]->ticket);
    ck_assert_ptr_eq(queue_displace(queue, client(2)), away[1]);
    ck_assert_ptr_null(queue_displace(queue, client(2)));
    ck_assert_ptr_eq(pop(), own);
    queue_done(queue, &own->ticket, SECOND, now);
    ck_assert_ptr_null(pop());
    queue_free(queue);
}
END_TEST

/* A client whose compiles take long has them in the lane of long jobs; one whose draws are quick does not. */
START_TEST(costs_are_learnt) {
    begin(2, 25);
    push(1, JOB_COMPILE);
    serve(2 * SECOND);
    for (int i = 0; i < 8; i++) {
        push(2, JOB_RENDER);
        serve(SECOND / 50);
    }
    ck_assert_int_eq(push(1, JOB_COMPILE)->ticket.lane, LANE_LONG);
    ck_assert_int_eq(push(2, JOB_RENDER)->ticket.lane, LANE_SHORT);
    ck_assert_int_eq(push(3, JOB_COMPILE)->ticket.lane, LANE_SHORT);
    ck_assert_int_eq(push(3, JOB_RENDER)->ticket.lane, LANE_LONG);
    queue_free(queue);
}
END_TEST

START_TEST(the_greediest_gives_way) {
    begin(1, 25);
    struct job_of *last = NULL;
    for (int i = 0; i < 10; i++)
        last = push(1, JOB_RENDER);
    push(2, JOB_COMPILE);
    struct ticket *out = queue_displace(queue, client(3));
    ck_assert_ptr_eq(out, &last->ticket);
    ck_assert_ptr_null(queue_displace(queue, client(1)));
    while (queue_displace(queue, client(3)))
        ;
    unsigned left = 0;
    while (pop())
        left++;
    ck_assert_uint_eq(left, 2); /* one of each: nobody has clearly more */
    queue_free(queue);
}
END_TEST

/* What another client asks for, too, does not wait behind the first one's other jobs. */
START_TEST(joined_by_somebody) {
    begin(1, 25);
    for (int i = 0; i < 20; i++)
        push(1, JOB_COMPILE);
    struct job_of *same = push(1, JOB_COMPILE);
    serve(SECOND / 100);
    queue_join(queue, &same->ticket, client(2), now);
    struct job_of *next = pop();
    ck_assert_ptr_eq(next, same);
    queue_done(queue, &next->ticket, 1000, now);
    queue_join(queue, &jobs[5].ticket, client(1), now); /* its own: nothing changes */
    ck_assert_uint_eq(serve(1000), 1);
    queue_free(queue);
}
END_TEST

/* More clients than are remembered, each for one job. */
START_TEST(many_clients) {
    begin(1, 25);
    uint8_t name[CLIENT_BYTES] = {0};
    for (unsigned i = 0; i < 20000; i++) {
        struct ticket ticket;
        memcpy(name, &i, sizeof i);
        ck_assert(queue_push(queue, &ticket, name, JOB_COMPILE, now));
        ck_assert_ptr_eq(queue_pop(queue, now), &ticket);
        queue_done(queue, &ticket, 100, ++now);
    }
    ck_assert_ptr_null(pop());
    queue_free(queue);
}
END_TEST

/* Random pushes, joins and removals: everything that was pushed comes out once. */
START_TEST(nothing_is_lost) {
    srand(11);
    begin(2, 25);
    unsigned in = 0, out = 0;
    struct job_of *running[2] = {NULL, NULL};
    for (int step = 0; step < 12000; step++) {
        int what = rand() % 8;
        now += rand() % 50;
        if (what < 3 && job_count < 3900) {
            push((unsigned)(rand() % CLIENTS), (enum job_kind)(rand() % JOB_KIND_COUNT));
            in++;
        } else if (what == 3 && job_count && jobs[job_count - 1].ticket.account && !jobs[job_count - 1].out &&
                   running[0] != &jobs[job_count - 1] && running[1] != &jobs[job_count - 1])
            queue_join(queue, &jobs[job_count - 1].ticket, client((unsigned)(rand() % CLIENTS)), now);
        else if (what == 4 && rand() % 4 == 0) {
            struct ticket *t = queue_displace(queue, client((unsigned)(rand() % CLIENTS)));
            if (t) {
                ((struct job_of *)t)->out = true;
                out++;
            }
        } else {
            int slot = rand() % 2;
            if (running[slot])
                queue_done(queue, &running[slot]->ticket, (uint64_t)(rand() % SECOND), now);
            running[slot] = pop();
            if (running[slot]) {
                ck_assert(!running[slot]->out);
                running[slot]->out = true;
                out++;
            }
        }
    }
    for (int slot = 0; slot < 2; slot++)
        if (running[slot])
            queue_done(queue, &running[slot]->ticket, 1, now);
    for (struct job_of *job; (job = pop()); out++)
        queue_done(queue, &job->ticket, 1, now);
    ck_assert_uint_eq(in, out);
    queue_free(queue);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("queue");
    TCase *tests = tcase_create("queue");
    tcase_add_test(tests, nothing_waits);
    tcase_add_test(tests, a_newcomer_is_next);
    tcase_add_test(tests, time_is_shared_not_jobs);
    tcase_add_test(tests, credit_counts);
    tcase_add_test(tests, accounts_fill);
    tcase_add_test(tests, long_jobs_leave_a_worker);
    tcase_add_test(tests, away_has_a_place);
    tcase_add_test(tests, costs_are_learnt);
    tcase_add_test(tests, the_greediest_gives_way);
    tcase_add_test(tests, joined_by_somebody);
    tcase_add_test(tests, many_clients);
    tcase_add_test(tests, nothing_is_lost);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
