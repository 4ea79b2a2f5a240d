/* A store that any number of servers share: Redis. It may go away, be slow and come back: every call returns
 * within its time limits, and while Redis is away calls return at once. Any thread; each has a connection of
 * its own. */
#ifndef SERVE_REDIS_H
#define SERVE_REDIS_H

#include "metrics.h"

#include <stdbool.h>

struct redis;

/* "redis://[:password@]host[:port][/number]". NULL: it is not one, said in error. That the server answers is
 * not asked. */
struct redis *redis_open(const char *url, struct metrics *metrics, char *error, size_t size);
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

#endif
