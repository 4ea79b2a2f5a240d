/* Requests under way. Two that ask for the same share one flight: the work is done once, whoever comes
 * while it lasts waits for it. There is a bound for all that wait. A few threads ask the stores; what no
 * store knows waits in a queue that is fair to all clients (queue.h) until a worker is free, and is stored
 * afterwards. */
#ifndef SERVE_FLIGHT_H
#define SERVE_FLIGHT_H

#include "links.h"
#include "pool.h"
#include "queue.h"
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
    uint8_t client[CLIENT_BYTES]; /* who pays */
};

struct flight_limits {
    unsigned workers, waiting, wall_ms;
    unsigned share; /* of the workers' time that a client may use for long, in percent */
};

struct flights;

/* Everything is the caller's; `redis` NULL: there is none. NULL: out of memory. */
struct flights *flights_new(struct front *front, struct store *store, struct links *links,
                            struct redis *redis, struct pool *pool, const struct flight_limits *limits,
                            struct metrics *metrics);
/* Ends what waits with an answer that says so; from then on nothing is taken. */
void flights_end(struct flights *flights);
/* Nobody may submit any more. */
void flights_free(struct flights *flights);

/* Called once, from another thread or before flights_submit returns; the answer is held for the callee, and
 * NULL if memory ran out. */
typedef void flight_done(void *user, struct answer *answer);

/* Takes the task's body over in any case. False: there is no room, even if whoever
 * has most waiting gives one place up; `done` is not called. */
bool flights_submit(struct flights *flights, const uint8_t key[KEY_BYTES], struct task *task,
                    flight_done *done, void *user);
/* Who waits as `user` for this flight does so no longer; nobody calls its `done`. A flight that nobody waits
 * for goes, and with it its body. False: it does not wait, or not any more: `done` is or will be called. */
bool flights_leave(struct flights *flights, const uint8_t key[KEY_BYTES], const void *user);

#endif
