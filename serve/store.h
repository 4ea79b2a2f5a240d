/* Where answers are kept: a directory of this machine, Redis, or both. Everything here may
 * wait for a disk or a network; any thread. */
#ifndef SERVE_STORE_H
#define SERVE_STORE_H

#include "front.h"
#include "redis.h"

struct store;

/* `directory` NULL: none; it is made if it is not there (its parent has to be). `redis` NULL: none, else the
 * caller's. NULL: the reason is in error. */
struct store *store_new(const char *directory, uint64_t max_bytes, struct redis *redis,
                        struct metrics *metrics, char *error, size_t size);
void store_free(struct store *store);

struct answer *store_get(struct store *store, const uint8_t key[KEY_BYTES]);
void store_put(struct store *store, const uint8_t key[KEY_BYTES], const struct answer *answer);

/* One worker for a key among all servers that share the store: false means that somebody else has it. */
bool store_lock(struct store *store, const uint8_t key[KEY_BYTES], const char *token, unsigned milliseconds);
void store_unlock(struct store *store, const uint8_t key[KEY_BYTES], const char *token);
bool store_is_shared(struct store *store);

#endif
