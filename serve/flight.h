/* Requests under way. Two that ask for the same share one flight: the work is done once, whoever comes while
 * it lasts waits for it. Flights wait in a queue of bounded length; a few threads take them from there, ask
 * the stores, have a worker do what no store knows, and store it. */
#ifndef SERVE_FLIGHT_H
#define SERVE_FLIGHT_H

#include "pool.h"
#include "store.h"

enum task_kind {
    TASK_WORK,  /* a job's answer, from a store or a worker */
    TASK_KEEP,  /* the same, and the body is kept as a permalink */
    TASK_RECALL /* what a permalink kept */
};

struct task {
    enum task_kind kind;
    struct job job;
    char link[LINK_CHARS + 1];
};

struct flights;

struct flights *flights_new(struct front *front, struct store *store, struct redis *redis, struct pool *pool,
                            unsigned threads, unsigned most_waiting, unsigned wall_ms,
                            struct metrics *metrics);
/* Ends what waits with an answer that says so; from then on nothing is taken. */
void flights_end(struct flights *flights);
/* Nobody may submit any more. */
void flights_free(struct flights *flights);

/* Called once, from another thread or before flights_submit returns; the answer is held for the callee, and
 * NULL if memory ran out. */
typedef void flight_done(void *user, struct answer *answer);

/* Takes the task's body over in any case. False: the queue is full, and `done` is not called. */
bool flights_submit(struct flights *flights, const uint8_t key[KEY_BYTES], struct task *task,
                    flight_done *done, void *user);

#endif
