/* Shares in a table with chains: there are only as many as there are connections. */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

static struct share **find(struct tally *tally, const uint8_t client[CLIENT_BYTES]) {
    struct share **at = &tally->bucket[client_hash(client) % TALLY_BUCKETS];
    while (*at && memcmp((*at)->client, client, CLIENT_BYTES))
        at = &(*at)->next;
    return at;
}

struct share *tally_take(struct tally *tally, const uint8_t client[CLIENT_BYTES], size_t amount) {
    struct share **at = find(tally, client);
    if (!*at) {
        if (!(*at = calloc(1, sizeof **at)))
            return NULL;
        memcpy((*at)->client, client, CLIENT_BYTES);
    }
    (*at)->held += amount;
    tally->total += amount;
    return *at;
}

void tally_give(struct tally *tally, struct share *share, size_t amount) {
    tally->total -= amount;
    share->held -= amount;
    if (share->held)
        return;
    struct share **at = find(tally, share->client);
    *at = share->next;
    free(share);
}

struct share *tally_largest(const struct tally *tally) {
    struct share *largest = NULL;
    for (int i = 0; i < TALLY_BUCKETS; i++)
        for (struct share *s = tally->bucket[i]; s; s = s->next)
            if (!largest || s->held > largest->held)
                largest = s;
    return largest;
}
