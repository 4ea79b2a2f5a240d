/* Where answers and permalinks are kept: a directory of this machine, Redis, or both. Everything here may
 * wait for a disk or a network; any thread. */
#ifndef SERVE_STORE_H
#define SERVE_STORE_H

#include "front.h"
#include "redis.h"

enum { LINK_CHARS = 12, LINK_MOST_BYTES = 1 << 20 };

struct store;

/* `directory` NULL: none; it is made if it is not there (its parent has to be). `redis` NULL: none, else the
 * caller's. NULL: the reason is in error. */
struct store *store_new(const char *directory, uint64_t max_bytes, uint64_t max_link_bytes,
                        struct redis *redis, struct metrics *metrics, char *error, size_t size);
void store_free(struct store *store);

struct answer *store_get(struct store *store, const uint8_t key[KEY_BYTES]);
void store_put(struct store *store, const uint8_t key[KEY_BYTES], const struct answer *answer);

/* One worker for a key among all servers that share the store: false means that somebody else has it. */
bool store_lock(struct store *store, const uint8_t key[KEY_BYTES], const char *token, unsigned milliseconds);
void store_unlock(struct store *store, const uint8_t key[KEY_BYTES], const char *token);
bool store_is_shared(struct store *store);

/* The name of what a permalink keeps: a part of its digest in base64url. */
void link_name(const char *body, size_t size, char name[LINK_CHARS + 1]);
bool link_is_name(const char *text);
/* False: there is no room, or no store. */
bool store_keep_link(struct store *store, const char *name, const char *body, size_t size);
/* malloc'ed, with a NUL after the last byte; NULL: there is none. */
char *store_recall_link(struct store *store, const char *name, size_t *size);

#endif
