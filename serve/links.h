/* Permalinks: what somebody shared, by the digest of its contents. They are kept in a directory of this
 * machine, in Redis, or both, each bounded in size: where there is no room those go that were not used for
 * the longest time. A client may add only so much a day, so that nobody can push out everybody's. Any
 * thread; calls may wait for a disk or a network. */
#ifndef SERVE_LINKS_H
#define SERVE_LINKS_H

#include "clients.h"
#include "redis.h"

enum { LINK_CHARS = 12, LINK_MOST_BYTES = 1 << 20 };

struct links;

/* `directory` NULL: none, else there is one, in which links makes its own. `redis` NULL: none, else the
 * caller's. `most` bytes in each of them; `client_most` for each client a day. NULL: the reason is in
 * error. */
struct links *links_new(const char *directory, uint64_t most, uint64_t client_most, struct redis *redis,
                        struct metrics *metrics, char *error, size_t size);
void links_free(struct links *links);

/* The name of what a permalink keeps: a part of its digest in base64url. */
void link_name(const char *body, size_t size, char name[LINK_CHARS + 1]);
bool link_is_name(const char *text);

enum link_end { LINK_KEPT, LINK_NO_ROOM, LINK_NO_BUDGET };
/* What is there already costs its second client nothing, and counts as used. LINK_NO_ROOM: there is no store,
 * or it does not work. LINK_NO_BUDGET: the client has added enough today. */
enum link_end links_keep(struct links *links, const char *name, const char *body, size_t size,
                         const uint8_t client[CLIENT_BYTES]);
/* Seconds until clients may add more. */
unsigned links_wait(void);
/* malloc'ed, with a NUL after the last byte; NULL: there is none. */
char *links_recall(struct links *links, const char *name, size_t *size);

#endif
