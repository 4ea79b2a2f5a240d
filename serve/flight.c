/* Flights, their places and their threads. */
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

/* Where a flight is. */
enum place {
    PLACE_FRESH,  /* a thread has to look at the stores */
    PLACE_PARKED, /* another server works on it: look again later. It has a ticket, as what is queued */
    PLACE_QUEUED,
    PLACE_WORKED, /* a thread has it */
    PLACE_OUT     /* nobody waits for it, or somebody else needed its place; no longer in a bucket */
};

struct flight {
    uint8_t key[KEY_BYTES];
    struct task task;
    struct waiter *waiters;
    int64_t since, due; /* since when it waits for a worker, or for another server */
    enum place place;
    struct ticket ticket;
    char token[64]; /* of the lock among servers; "": not asked for yet */
    bool locked;
    struct flight *next_in_bucket, *next;
};

enum { BUCKETS = 256, POLL_MS = 15 };

static struct flight *flight_of(struct ticket *ticket) {
    return (struct flight *)(void *)((char *)ticket - offsetof(struct flight, ticket));
}

struct list {
    struct flight *first, **last;
};

struct flights {
    struct front *front;
    struct store *store;
    struct links *links;
    struct redis *redis;
    struct pool *pool;
    struct metrics *metrics;
    struct flight_limits limits;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct flight *bucket[BUCKETS];
    struct list fresh, parked;
    struct queue *queue;
    unsigned waiting, running;
    bool ending;
    atomic_ullong numbers;
    unsigned thread_count;
    pthread_t threads[];
};

static void list_add(struct list *list, struct flight *f) {
    if (!list->first)
        list->last = &list->first;
    f->next = NULL;
    *list->last = f;
    list->last = &f->next;
}

static struct flight *list_take(struct list *list) {
    struct flight *f = list->first;
    if (f)
        list->first = f->next;
    return f;
}

static void list_remove(struct list *list, struct flight *f) {
    struct flight **at = &list->first;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    if (!f->next)
        list->last = at;
}

static struct flight **find(struct flights *flights, const uint8_t key[KEY_BYTES]) {
    struct flight **at = &flights->bucket[key[0] % BUCKETS];
    while (*at && memcmp((*at)->key, key, KEY_BYTES))
        at = &(*at)->next_in_bucket;
    return at;
}

/* Nobody finds it any more. */
static void forget(struct flights *flights, struct flight *f) {
    struct flight **at = &flights->bucket[f->key[0] % BUCKETS];
    while (*at != f)
        at = &(*at)->next_in_bucket;
    *at = f->next_in_bucket;
    flights->waiting--;
}

static bool waits(const struct flight *f) {
    return f->place == PLACE_QUEUED || f->place == PLACE_PARKED;
}

/* The caller has the lock, and the flight waits, no longer with a ticket. Who asks for the same from now on
 * has a flight of its own. */
static void put_out(struct flights *flights, struct flight *f) {
    if (f->place == PLACE_PARKED)
        list_remove(&flights->parked, f);
    forget(flights, f);
    f->place = PLACE_OUT;
    list_add(&flights->fresh, f);
}

/* PLACE_QUEUED or PLACE_PARKED. */
static void put(struct flights *flights, struct flight *f, enum place place) {
    pthread_mutex_lock(&flights->lock);
    f->place = place;
    if (place == PLACE_PARKED)
        list_add(&flights->parked, f);
    if (!(place == PLACE_PARKED ? queue_push_away : queue_push)(flights->queue, &f->ticket, f->task.client,
                                                                f->task.job.kind, wire_now()))
        put_out(flights, f);
    pthread_mutex_unlock(&flights->lock);
    pthread_cond_signal(&flights->more);
}

/* --- the end of a flight -------------------------------------------------------------------------------- */

/* Takes the answer over; the flight is gone afterwards. */
static void finish(struct flights *flights, struct flight *f, struct answer *answer) {
    if (answer && answer->keep && f->task.kind == TASK_WORK)
        front_put(flights->front, f->key, answer);
    pthread_mutex_lock(&flights->lock);
    if (waits(f)) { /* when all ends */
        queue_remove(flights->queue, &f->ticket);
        if (f->place == PLACE_PARKED)
            list_remove(&flights->parked, f);
    }
    if (f->place != PLACE_OUT)
        forget(flights, f);
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

/* The same, and other servers need not wait for the flight any longer. The clients have their answer before
 * it is stored. */
static void land(struct flights *flights, struct flight *f, struct answer *answer, bool store) {
    uint8_t key[KEY_BYTES];
    char token[sizeof f->token];
    bool locked = f->locked;
    memcpy(key, f->key, KEY_BYTES);
    memcpy(token, f->token, sizeof token);
    finish(flights, f, answer_hold(answer));
    if (store && answer && answer->keep)
        store_put(flights->store, key, answer);
    if (locked)
        store_unlock(flights->store, key, token);
    answer_release(answer);
}

static struct answer *no_place(void) {
    return answer_error(503, "queue", "The server has too much to do. Try again later.");
}

/* --- the work ------------------------------------------------------------------------------------------- */

/* With a shared store: whoever has the lock does the work, the others find it in the store. Whoever gets the
 * lock looks once more: the holder before may have ended since the last look. A holder that died costs the
 * time until its lock expires, not more. False: somebody else has it. */
static bool try_lock(struct flights *flights, struct flight *f, struct answer **answer) {
    if (!f->token[0])
        snprintf(f->token, sizeof f->token, "%ld.%lld.%llu", (long)getpid(), (long long)wire_now(),
                 (unsigned long long)atomic_fetch_add(&flights->numbers, 1));
    f->locked = store_lock(flights->store, f->key, f->token, flights->limits.wall_ms + 1000);
    if (f->locked)
        *answer = store_get(flights->store, f->key);
    return f->locked;
}

/* Is it known? Else it waits for a worker, or for the server that works on it. */
static void look(struct flights *flights, struct flight *f) {
    struct answer *answer = store_get(flights->store, f->key);
    bool ours = answer || f->locked || !store_is_shared(flights->store) || try_lock(flights, f, &answer) ||
                wire_now() >= f->since + flights->limits.wall_ms;
    if (answer)
        land(flights, f, answer, false);
    else if (ours) {
        f->since = wire_now(); /* what another server took for it does not count: that one may have died */
        put(flights, f, PLACE_QUEUED);
    } else {
        f->due = wire_now() + POLL_MS;
        put(flights, f, PLACE_PARKED);
    }
}

/* What is no JSON is not kept: a worker looks, here it is bytes. */
static void look_at_link(struct flights *flights, struct flight *f) {
    if (f->task.job.size > LINK_MOST_BYTES)
        finish(flights, f, answer_error(413, "size", "A permalink keeps at most 1 MiB."));
    else
        put(flights, f, PLACE_QUEUED);
}

static void recall(struct flights *flights, struct flight *f) {
    size_t size = 0;
    char *body = links_recall(flights->links, f->task.link, &size);
    finish(flights, f,
           body ? answer_new(200, ANSWER_JSON, false, body, size)
                : answer_error(404, "unknown", "There is no permalink of this name."));
}

static void keep(struct flights *flights, struct flight *f, struct answer *answer) {
    const struct job *job = &f->task.job;
    enum link_end end = LINK_KEPT;
    if (answer && answer->status == 200)
        end = links_keep(flights->links, f->task.link, job->body, job->size, f->task.client);
    if (end != LINK_KEPT) {
        answer_release(answer);
        answer = end == LINK_NO_ROOM
                     ? answer_error(507, "store", "There is no room for another permalink.")
                     : answer_error(429, "links", "There are enough permalinks from this address for today.");
    }
    if (end == LINK_NO_BUDGET) {
        metric_count(flights->metrics, METRIC_REFUSED_LINKS);
        if (answer)
            answer->retry = links_wait();
    }
    finish(flights, f, answer);
}

static void work(struct flights *flights, struct flight *f) {
    uint64_t used = 0;
    int64_t until = f->since + flights->limits.wall_ms;
    struct answer *answer = NULL;
    if (wire_now() >= until)
        answer = no_place();
    else {
        metric_count(flights->metrics, METRIC_REQUESTS_WORKED);
        answer = pool_run(flights->pool, &f->task.job, until, &used);
    }
    pthread_mutex_lock(&flights->lock);
    flights->running--;
    queue_done(flights->queue, &f->ticket, used, wire_now());
    pthread_mutex_unlock(&flights->lock);
    pthread_cond_signal(&flights->more);
    if (f->task.kind == TASK_KEEP)
        keep(flights, f, answer);
    else
        land(flights, f, answer, true);
}

/* The next flight that needs a thread; NULL: there is none now. The caller has the lock. */
static struct flight *next(struct flights *flights) {
    struct flight *f = list_take(&flights->fresh);
    if (!f && flights->parked.first && flights->parked.first->due <= wire_now()) {
        f = list_take(&flights->parked);
        queue_remove(flights->queue, &f->ticket);
    }
    if (f) {
        if (f->place != PLACE_OUT)
            f->place = PLACE_FRESH;
        return f;
    }
    struct ticket *ticket =
        flights->running < flights->limits.workers ? queue_pop(flights->queue, wire_now()) : NULL;
    if (!ticket)
        return NULL;
    flights->running++;
    f = flight_of(ticket);
    f->place = PLACE_WORKED;
    return f;
}

static void go_on(struct flights *flights, struct flight *f) {
    static void (*const first[])(struct flights *, struct flight *) = {
        [TASK_WORK] = look, [TASK_KEEP] = look_at_link, [TASK_RECALL] = recall};
    if (f->place == PLACE_WORKED)
        work(flights, f);
    else if (f->place == PLACE_OUT)
        land(flights, f, no_place(), false);
    else
        first[f->task.kind](flights, f);
}

static void *take_flights(void *user) {
    struct flights *flights = user;
    pthread_mutex_lock(&flights->lock);
    while (!flights->ending) {
        struct flight *f = next(flights);
        if (f) {
            pthread_mutex_unlock(&flights->lock);
            pthread_cond_signal(&flights->more); /* somebody else watches over the rest */
            go_on(flights, f);
            pthread_mutex_lock(&flights->lock);
        } else if (flights->parked.first) {
            int64_t due = flights->parked.first->due;
            struct timespec until = {.tv_sec = due / 1000, .tv_nsec = due % 1000 * 1000000};
            pthread_cond_timedwait(&flights->more, &flights->lock, &until);
        } else
            pthread_cond_wait(&flights->more, &flights->lock);
    }
    pthread_mutex_unlock(&flights->lock);
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

/* A new flight, the caller's to fill; NULL: there is no room. The caller has the lock. Where it is full the
 * client with the most that wait loses one of them. */
static struct flight *make_flight(struct flights *flights, const struct task *task) {
    if (flights->ending)
        return NULL;
    if (flights->waiting >= flights->limits.waiting) {
        struct ticket *ticket = queue_displace(flights->queue, task->client);
        if (!ticket)
            return NULL;
        put_out(flights, flight_of(ticket));
        metric_count(flights->metrics, METRIC_REFUSED_QUEUE);
    }
    return calloc(1, sizeof(struct flight));
}

bool flights_submit(struct flights *flights, const uint8_t key[KEY_BYTES], struct task *task,
                    flight_done *done, void *user) {
    bool taken = false, added = false;
    pthread_mutex_lock(&flights->lock);
    struct flight *f = *find(flights, key);
    if (f) {
        taken = add_waiter(f, done, user);
        if (f->place == PLACE_QUEUED)
            queue_join(flights->queue, &f->ticket, task->client, wire_now());
        metric_count(flights->metrics, METRIC_REQUESTS_JOINED);
    } else if ((f = make_flight(flights, task))) {
        memcpy(f->key, key, KEY_BYTES);
        f->since = wire_now();
        taken = add_waiter(f, done, user);
        if (taken) {
            f->task = *task;
            task->job.body = NULL;
            *find(flights, key) = f; /* behind all others; a flight that was put out may have been the last */
            list_add(&flights->fresh, f);
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

bool flights_leave(struct flights *flights, const uint8_t key[KEY_BYTES], const void *user) {
    struct waiter *waiter = NULL;
    pthread_mutex_lock(&flights->lock);
    struct flight *f = *find(flights, key);
    if (f && waits(f)) {
        struct waiter **at = &f->waiters;
        while (*at && (*at)->user != user)
            at = &(*at)->next;
        if ((waiter = *at))
            *at = waiter->next;
    }
    if (waiter && !f->waiters) {
        queue_remove(flights->queue, &f->ticket);
        put_out(flights, f);
    }
    pthread_mutex_unlock(&flights->lock);
    pthread_cond_signal(&flights->more);
    bool left = waiter != NULL;
    free(waiter);
    return left;
}

struct flights *flights_new(struct front *front, struct store *store, struct links *links,
                            struct redis *redis, struct pool *pool, const struct flight_limits *limits,
                            struct metrics *metrics) {
    unsigned threads = 2 * limits->workers + 2; /* so that one may wait for a store beside each that works */
    struct flights *flights = calloc(1, sizeof *flights + threads * sizeof *flights->threads);
    pthread_condattr_t clock;
    if (!flights)
        return NULL;
    flights->front = front;
    flights->store = store;
    flights->links = links;
    flights->redis = redis;
    flights->pool = pool;
    flights->metrics = metrics;
    flights->limits = *limits;
    flights->queue = queue_new(limits->workers, limits->share);
    pthread_mutex_init(&flights->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&flights->more, &clock);
    pthread_condattr_destroy(&clock);
    while (flights->queue && flights->thread_count < threads &&
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
    for (struct flight *f = flights->fresh.first, *following; f; f = following) {
        following = f->next;
        if (f->place == PLACE_OUT)
            land(flights, f, no_place(), false);
    }
    flights->fresh.first = NULL;
    for (int i = 0; i < BUCKETS; i++)
        while (flights->bucket[i])
            land(flights, flights->bucket[i], answer_error(503, "queue", "The server is going down."), false);
}

void flights_free(struct flights *flights) {
    if (!flights)
        return;
    flights_end(flights);
    redis_end_thread(flights->redis);
    queue_free(flights->queue);
    pthread_cond_destroy(&flights->more);
    pthread_mutex_destroy(&flights->lock);
    free(flights);
}
