/* The memory that requests and answers have in the server together. There is a bound for all of them, not
 * only one for each: where it is reached, the client that holds the most gives way, so that many large
 * requests from a few addresses take nothing from the small ones of others. Used by one thread. */
#ifndef SERVE_BODIES_H
#define SERVE_BODIES_H

#include "metrics.h"
#include "tally.h"

/* The memory of one request. */
struct claim {
    size_t bytes;
    struct share *share; /* NULL: none */
    bool fixed;          /* in other hands: given up last, and not always */
    struct claim *next, **at;
};

struct bodies {
    size_t most;
    struct metrics *metrics;
    /* Frees what a claim stands for. Its request is told so, or its connection is closed. False: it cannot go
     * now; only of one that is fixed. */
    bool (*drop)(struct claim *claim);
    struct tally tally;
    struct claim *claims;
};

/* Makes the client's claim as large as `bytes`, if need be by dropping claims of whoever has more than this
 * client would. False: nobody has, and the claim is as it was. */
bool bodies_claim(struct bodies *bodies, struct claim *claim, const uint8_t client[CLIENT_BYTES],
                  size_t bytes);
/* Nothing is claimed any more. */
void bodies_release(struct bodies *bodies, struct claim *claim);

#endif
