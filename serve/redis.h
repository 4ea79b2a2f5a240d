/* A store that any number of servers share: Redis. It may go away, be slow and come back: every call returns
 * within its time limits, and while Redis is away calls return at once. Any thread; each has a connection of
 * its own. */
#ifndef SERVE_REDIS_H
#define SERVE_REDIS_H

#include "metrics.h"

#include <stdbool.h>

struct redis;

/* "redis://host[:port][/number]"; `password` "": none. NULL: it is not one, said in error. That the server
 * answers is not asked. */
struct redis *redis_open(const char *url, const char *password, struct metrics *metrics, char *error,
                         size_t size);
void redis_close(struct redis *redis);
/* The calling thread is done with it. */
void redis_end_thread(struct redis *redis);

bool redis_up(struct redis *redis);
/* malloc'ed; NULL: it is not there, or Redis is not. */
uint8_t *redis_get(struct redis *redis, const char *key, size_t *size);
/* seconds: for how long; 0: for ever. False: not stored. */
bool redis_put(struct redis *redis, const char *key, const void *data, size_t size, unsigned seconds);

/* One holder of a lock among all servers. False: somebody else has it; it goes by itself after
 * `milliseconds`. Also true while Redis is away: then nobody else would profit. */
bool redis_lock(struct redis *redis, const char *key, const char *token, unsigned milliseconds);
void redis_unlock(struct redis *redis, const char *key, const char *token);

/* A permalink, of all servers together. */
struct redis_link {
    const char *name;
    uint64_t cost, most; /* bytes that it counts for; of all */
    const uint8_t *client;
    size_t client_size;
    uint64_t client_most; /* bytes a day */
    int64_t now;          /* seconds */
};

enum {
    REDIS_LINK_AWAY = -1,
    REDIS_LINK_NO_BUDGET = -2,
    REDIS_LINK_NO_ROOM = -3
}; /* -3: larger than `most` */

/* Keeps it if its client may add so much today, and removes those that were not used for the longest time if
 * they are in the way. How many were removed, or one of the above; what is there already is only used. */
long redis_keep_link(struct redis *redis, const struct redis_link *link, const void *body, size_t size);
/* malloc'ed, with a NUL after the last byte; NULL: it is not there, or Redis is not. */
char *redis_get_link(struct redis *redis, const char *name, size_t *size);
/* It was used; `name`, `cost` and `now` matter. */
void redis_touch_link(struct redis *redis, const struct redis_link *link);

#endif
