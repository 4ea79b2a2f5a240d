/* Flights, their queue and their threads. */
#define _GNU_SOURCE
#include "flight.h"
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct waiter {
    flight_done *done;
    void *user;
    struct waiter *next;
};

struct flight {
    uint8_t key[KEY_BYTES];
    struct task task;
    struct waiter *waiters;
    int64_t since;
    struct flight *next_in_bucket, *next_in_queue;
};

enum { BUCKETS = 256, POLL_MS = 15 };

struct flights {
    struct front *front;
    struct store *store;
    struct redis *redis;
    struct pool *pool;
    struct metrics *metrics;
    unsigned wall_ms, most_waiting, waiting;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct flight *bucket[BUCKETS], *first, **last;
    bool ending;
    atomic_ullong numbers;
    unsigned thread_count;
    pthread_t threads[];
};

static struct flight **find(struct flights *flights, const uint8_t key[KEY_BYTES]) {
    struct flight **at = &flights->bucket[key[0] % BUCKETS];
    while (*at && memcmp((*at)->key, key, KEY_BYTES))
        at = &(*at)->next_in_bucket;
    return at;
}

/* --- the work ------------------------------------------------------------------------------------------- */

static void pause_ms(unsigned milliseconds) {
    struct timespec time = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static void finish(struct flights *flights, struct flight *f, struct answer *answer);

/* The clients have their answer before it is stored. */
static void run(struct flights *flights, struct flight *f) {
    metric_count(flights->metrics, METRIC_REQUESTS_WORKED);
    struct answer *answer = pool_run(flights->pool, &f->task.job, f->since + flights->wall_ms);
    uint8_t key[KEY_BYTES];
    memcpy(key, f->key, KEY_BYTES);
    finish(flights, f, answer_hold(answer));
    if (answer && answer->keep)
        store_put(flights->store, key, answer);
    answer_release(answer);
}

/* With a shared store: whoever has the lock does the work, the others find it in the store. Whoever gets the
 * lock looks once more: the holder before may have ended since the last look. A holder that died costs the
 * time until its lock expires, not more. */
static void run_shared(struct flights *flights, struct flight *f) {
    char token[64];
    uint8_t key[KEY_BYTES];
    struct answer *answer = NULL;
    int64_t until = wire_now() + flights->wall_ms;
    bool mine;
    memcpy(key, f->key, KEY_BYTES);
    snprintf(token, sizeof token, "%ld.%lld.%llu", (long)getpid(), (long long)wire_now(),
             (unsigned long long)atomic_fetch_add(&flights->numbers, 1));
    while (!(mine = store_lock(flights->store, key, token, flights->wall_ms + 1000)) && !answer &&
           wire_now() < until) {
        pause_ms(POLL_MS);
        answer = store_get(flights->store, key);
    }
    if (!answer)
        answer = store_get(flights->store, key);
    if (answer)
        finish(flights, f, answer);
    else
        run(flights, f);
    if (mine)
        store_unlock(flights->store, key, token);
}

static void work(struct flights *flights, struct flight *f) {
    struct answer *answer = store_get(flights->store, f->key);
    if (answer)
        finish(flights, f, answer);
    else if (store_is_shared(flights->store))
        run_shared(flights, f);
    else
        run(flights, f);
}

/* What is no JSON is not kept: the worker looks, here it is bytes. */
static void keep(struct flights *flights, struct flight *f) {
    const struct job *job = &f->task.job;
    struct answer *answer = NULL;
    if (job->size > LINK_MOST_BYTES)
        answer = answer_error(413, "size", "A permalink keeps at most 1 MiB.");
    else
        answer = pool_run(flights->pool, job, f->since + flights->wall_ms);
    if (answer && answer->status == 200 &&
        !store_keep_link(flights->store, f->task.link, job->body, job->size)) {
        answer_release(answer);
        answer = answer_error(507, "store", "There is no room for another permalink.");
    }
    finish(flights, f, answer);
}

static void recall(struct flights *flights, struct flight *f) {
    size_t size = 0;
    char *body = store_recall_link(flights->store, f->task.link, &size);
    finish(flights, f,
           body ? answer_new(200, ANSWER_JSON, true, body, size)
                : answer_error(404, "unknown", "There is no permalink of this name."));
}

/* Takes the answer over; the flight is gone afterwards. */
static void finish(struct flights *flights, struct flight *f, struct answer *answer) {
    if (answer && answer->keep)
        front_put(flights->front, f->key, answer);
    pthread_mutex_lock(&flights->lock);
    *find(flights, f->key) = f->next_in_bucket;
    flights->waiting--;
    pthread_mutex_unlock(&flights->lock);
    metric_add(flights->metrics, GAUGE_WAITING, -1);
    while (f->waiters) {
        struct waiter *waiter = f->waiters;
        f->waiters = waiter->next;
        waiter->done(waiter->user, answer_hold(answer));
        free(waiter);
    }
    answer_release(answer);
    job_free(&f->task.job);
    free(f);
}

static void *take_flights(void *user) {
    static void (*const functions[])(struct flights *, struct flight *) = {
        [TASK_WORK] = work, [TASK_KEEP] = keep, [TASK_RECALL] = recall};
    struct flights *flights = user;
    for (;;) {
        pthread_mutex_lock(&flights->lock);
        while (!flights->first && !flights->ending)
            pthread_cond_wait(&flights->more, &flights->lock);
        struct flight *f = flights->first;
        bool ending = flights->ending;
        if (f && !(flights->first = f->next_in_queue))
            flights->last = &flights->first;
        pthread_mutex_unlock(&flights->lock);
        if (!f)
            break;
        if (ending)
            finish(flights, f, answer_error(503, "queue", "The server is going down."));
        else
            functions[f->task.kind](flights, f);
    }
    redis_end_thread(flights->redis);
    return NULL;
}

/* --- the queue ------------------------------------------------------------------------------------------ */

/* Those who come later are answered later; the order is nobody's concern. */
static bool add_waiter(struct flight *f, flight_done *done, void *user) {
    struct waiter *waiter = malloc(sizeof *waiter);
    if (!waiter)
        return false;
    *waiter = (struct waiter){done, user, f->waiters};
    f->waiters = waiter;
    return true;
}

bool flights_submit(struct flights *flights, const uint8_t key[KEY_BYTES], struct task *task,
                    flight_done *done, void *user) {
    bool taken = false, added = false;
    pthread_mutex_lock(&flights->lock);
    struct flight **at = find(flights, key), *f = *at;
    if (f) {
        taken = add_waiter(f, done, user);
        metric_count(flights->metrics, METRIC_REQUESTS_JOINED);
    } else if (flights->waiting < flights->most_waiting && !flights->ending && (f = calloc(1, sizeof *f))) {
        memcpy(f->key, key, KEY_BYTES);
        f->since = wire_now();
        taken = add_waiter(f, done, user);
        if (taken) {
            f->task = *task;
            task->job.body = NULL;
            *at = f;
            *flights->last = f;
            flights->last = &f->next_in_queue;
            flights->waiting++;
            metric_add(flights->metrics, GAUGE_WAITING, 1);
            added = true;
        } else
            free(f);
    }
    pthread_mutex_unlock(&flights->lock);
    if (added) /* the thread that wakes finds the lock free */
        pthread_cond_signal(&flights->more);
    job_free(&task->job);
    return taken;
}

struct flights *flights_new(struct front *front, struct store *store, struct redis *redis, struct pool *pool,
                            unsigned threads, unsigned most_waiting, unsigned wall_ms,
                            struct metrics *metrics) {
    struct flights *flights = calloc(1, sizeof *flights + threads * sizeof *flights->threads);
    if (!flights)
        return NULL;
    flights->front = front;
    flights->store = store;
    flights->redis = redis;
    flights->pool = pool;
    flights->metrics = metrics;
    flights->wall_ms = wall_ms;
    flights->most_waiting = most_waiting;
    flights->last = &flights->first;
    pthread_mutex_init(&flights->lock, NULL);
    pthread_cond_init(&flights->more, NULL);
    while (flights->thread_count < threads &&
           !pthread_create(&flights->threads[flights->thread_count], NULL, take_flights, flights))
        flights->thread_count++;
    if (flights->thread_count == threads)
        return flights;
    flights_free(flights);
    return NULL;
}

void flights_end(struct flights *flights) {
    pthread_mutex_lock(&flights->lock);
    flights->ending = true;
    pthread_cond_broadcast(&flights->more);
    pthread_mutex_unlock(&flights->lock);
    while (flights->thread_count)
        pthread_join(flights->threads[--flights->thread_count], NULL);
}

void flights_free(struct flights *flights) {
    if (!flights)
        return;
    flights_end(flights);
    pthread_cond_destroy(&flights->more);
    pthread_mutex_destroy(&flights->lock);
    free(flights);
}
