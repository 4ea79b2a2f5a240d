/* How much of something each client has at the moment: connections, bytes of requests. Used by one thread, or
 * under its owner's lock. */
#ifndef SERVE_TALLY_H
#define SERVE_TALLY_H

#include "clients.h"

#include <stddef.h>

/* A client that has some. It is there as long as `held` is above 0. */
struct share {
    uint8_t client[CLIENT_BYTES];
    size_t held;
    struct share *next;
};

enum { TALLY_BUCKETS = 256 };

struct tally {
    size_t total;
    struct share *bucket[TALLY_BUCKETS];
};

/* `amount` more. The share, which tally_give has to get; NULL: out of memory, and nothing changed. */
struct share *tally_take(struct tally *tally, const uint8_t client[CLIENT_BYTES], size_t amount);
/* `amount` less; the share is gone if that was all. */
void tally_give(struct tally *tally, struct share *share, size_t amount);
/* Who has the most; NULL: nobody has any. */
struct share *tally_largest(const struct tally *tally);

#endif
