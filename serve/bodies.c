/* Claims in a list: there is one for each request at most. */
#include "bodies.h"

#include <stdlib.h>

void bodies_release(struct bodies *bodies, struct claim *claim) {
    if (!claim->share)
        return;
    tally_give(&bodies->tally, claim->share, claim->bytes);
    *claim->at = claim->next;
    if (claim->next)
        claim->next->at = claim->at;
    *claim = (struct claim){.bytes = 0};
    metric_set(bodies->metrics, GAUGE_BODY_BYTES, (int64_t)bodies->tally.total);
}

/* The client's largest claim that is not fixed; NULL: there is none. */
static struct claim *largest_of(const struct bodies *bodies, const struct share *share,
                                const struct claim *except) {
    struct claim *largest = NULL;
    for (struct claim *c = bodies->claims; c; c = c->next)
        if (c->share == share && c != except && !c->fixed && (!largest || c->bytes > largest->bytes))
            largest = c;
    return largest;
}

/* One of the share's claims goes: its largest, or else the newest of those that are fixed and can. NULL:
 * none. */
static struct claim *drop_one(struct bodies *bodies, const struct share *share, const struct claim *except) {
    struct claim *victim = largest_of(bodies, share, except);
    if (victim)
        return bodies->drop(victim) ? victim : NULL;
    for (victim = bodies->claims; victim; victim = victim->next)
        if (victim->share == share && victim != except && victim->fixed && bodies->drop(victim))
            break;
    return victim;
}

/* The claim is already counted with its new size. */
static bool make_room(struct bodies *bodies, const struct claim *claim) {
    while (bodies->tally.total > bodies->most) {
        const struct share *most = tally_largest(&bodies->tally);
        struct claim *victim = most == claim->share ? NULL : drop_one(bodies, most, claim);
        if (!victim)
            return false;
        metric_count(bodies->metrics, METRIC_REFUSED_MEMORY);
        bodies_release(bodies, victim);
    }
    return true;
}

bool bodies_claim(struct bodies *bodies, struct claim *claim, const uint8_t client[CLIENT_BYTES],
                  size_t bytes) {
    size_t before = claim->bytes;
    if (!bytes || bytes <= before) {
        if (claim->share && bytes) {
            tally_give(&bodies->tally, claim->share, before - bytes);
            claim->bytes = bytes;
        } else
            bodies_release(bodies, claim);
        return true;
    }
    struct share *share = tally_take(&bodies->tally, client, bytes - before);
    if (!share)
        return false;
    if (!claim->share) {
        claim->share = share;
        claim->next = bodies->claims;
        claim->at = &bodies->claims;
        if (claim->next)
            claim->next->at = &claim->next;
        bodies->claims = claim;
    }
    claim->bytes = bytes;
    bool fits = make_room(bodies, claim);
    if (!fits) {
        metric_count(bodies->metrics, METRIC_REFUSED_MEMORY);
        claim->bytes = before;
        if (before)
            tally_give(&bodies->tally, share, bytes - before);
        else {
            claim->bytes = bytes;
            bodies_release(bodies, claim);
        }
    }
    metric_set(bodies->metrics, GAUGE_BODY_BYTES, (int64_t)bodies->tally.total);
    return fits;
}
