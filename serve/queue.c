/* Start-time fair queuing of two lanes, and of the clients in each. The cost of a job is known when it is
 * over: until then the client's last costs are charged. */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = 256,
    IDLE_ACCOUNTS = 4096, /* that are remembered */
    SAVED_SECONDS = 10,   /* of filling, at most, in an account */
    IN_CREDIT = 4,        /* the weight; in debt: 1 */
    SHORT_US = 250000     /* a job that is expected to take more is a long one */
};

static const double lane_weight[LANE_COUNT] = {[LANE_SHORT] = 4, [LANE_LONG] = 1, [LANE_AWAY] = 1};

/* Before there is an experience. Draws may be of any size, compiles are seldom long. */
static const double expected[JOB_KIND_COUNT] = {[JOB_COMPILE] = 20000,
                                                [JOB_PASSES] = 20000,
                                                [JOB_RENDER] = 400000,
                                                [JOB_INSPECT] = 400000,
                                                [JOB_STATE] = 1000};

/* A client's part of a lane. */
struct member {
    double tag; /* its virtual time */
    struct ticket *first, **last;
    struct account *next, **at; /* among those that wait in this lane */
};

struct account {
    uint8_t client[CLIENT_BYTES];
    double credit; /* microseconds at `since` */
    int64_t since;
    double cost[JOB_KIND_COUNT];
    unsigned waiting, running;
    struct member member[LANE_COUNT];
    struct account *next_in_bucket;
    struct account *newer, *older; /* among the idle ones */
};

struct queue {
    unsigned workers;
    double fill; /* microseconds of CPU time a millisecond */
    struct {
        double tag, clock; /* of the lane; of the member that was served last */
        unsigned running;
        struct account *first, **last;
    } lane[LANE_COUNT];
    double clock;
    struct account *bucket[BUCKETS], *newest, *oldest;
    unsigned idle;
};

/* --- accounts ------------------------------------------------------------------------------------------- */

static struct account **find(struct queue *queue, const uint8_t client[CLIENT_BYTES]) {
    struct account **at = &queue->bucket[client_hash(client) % BUCKETS];
    while (*at && memcmp((*at)->client, client, CLIENT_BYTES))
        at = &(*at)->next_in_bucket;
    return at;
}

static void leave_idle(struct queue *queue, struct account *a) {
    *(a->newer ? &a->newer->older : &queue->newest) = a->older;
    *(a->older ? &a->older->newer : &queue->oldest) = a->newer;
    queue->idle--;
}

/* Nothing waits or runs: remembered for a while. */
static void enter_idle(struct queue *queue, struct account *a) {
    a->newer = NULL;
    a->older = queue->newest;
    *(queue->newest ? &queue->newest->newer : &queue->oldest) = a;
    queue->newest = a;
    if (++queue->idle <= IDLE_ACCOUNTS)
        return;
    struct account *old = queue->oldest, **at = find(queue, old->client);
    leave_idle(queue, old);
    *at = old->next_in_bucket;
    free(old);
}

static double most_credit(const struct queue *queue) {
    return queue->fill * SAVED_SECONDS * 1000;
}

/* The client's account; NULL: out of memory. */
static struct account *open_account(struct queue *queue, const uint8_t client[CLIENT_BYTES], int64_t now) {
    struct account **at = find(queue, client), *a = *at;
    if (a) {
        if (!a->waiting && !a->running)
            leave_idle(queue, a);
        return a;
    }
    if (!(a = calloc(1, sizeof *a)))
        return NULL;
    memcpy(a->client, client, CLIENT_BYTES);
    memcpy(a->cost, expected, sizeof expected);
    a->credit = most_credit(queue);
    a->since = now;
    for (int i = 0; i < LANE_COUNT; i++)
        a->member[i].last = &a->member[i].first;
    return *at = a;
}

static void close_account(struct queue *queue, struct account *a) {
    if (!a->waiting && !a->running)
        enter_idle(queue, a);
}

static void fill_account(const struct queue *queue, struct account *a, int64_t now) {
    a->credit += (double)(now - a->since) * queue->fill;
    a->since = now;
    if (a->credit > most_credit(queue))
        a->credit = most_credit(queue);
}

/* So much CPU time more, or less than was charged before. */
static void charge(struct queue *queue, const struct ticket *ticket, double microseconds, int64_t now) {
    struct account *a = ticket->account;
    fill_account(queue, a, now);
    a->member[ticket->lane].tag += microseconds / (a->credit > 0 ? IN_CREDIT : 1);
    queue->lane[ticket->lane].tag += microseconds / lane_weight[ticket->lane];
    a->credit -= microseconds;
}

/* --- lanes ---------------------------------------------------------------------------------------------- */

static void enter_lane(struct queue *queue, struct account *a, enum lane lane) {
    struct member *m = &a->member[lane];
    if (!queue->lane[lane].last)
        queue->lane[lane].last = &queue->lane[lane].first;
    if (m->tag < queue->lane[lane].clock)
        m->tag = queue->lane[lane].clock;
    if (!queue->lane[lane].first && !queue->lane[lane].running && queue->lane[lane].tag < queue->clock)
        queue->lane[lane].tag = queue->clock;
    m->next = NULL;
    m->at = queue->lane[lane].last;
    *m->at = a;
    queue->lane[lane].last = &m->next;
}

static void leave_lane(struct queue *queue, struct account *a, enum lane lane) {
    struct member *m = &a->member[lane];
    *m->at = m->next;
    if (m->next)
        m->next->member[lane].at = m->at;
    else
        queue->lane[lane].last = m->at;
}

static void append(struct queue *queue, struct account *a, struct ticket *ticket) {
    struct member *m = &a->member[ticket->lane];
    if (!m->first)
        enter_lane(queue, a, ticket->lane);
    ticket->account = a;
    ticket->next = NULL;
    *m->last = ticket;
    m->last = &ticket->next;
    a->waiting++;
}

static void take_out(struct queue *queue, struct ticket *ticket) {
    struct account *a = ticket->account;
    struct member *m = &a->member[ticket->lane];
    struct ticket **at = &m->first;
    while (*at != ticket)
        at = &(*at)->next;
    *at = ticket->next;
    if (m->last == &ticket->next)
        m->last = at;
    if (!m->first)
        leave_lane(queue, a, ticket->lane);
    a->waiting--;
}

/* --- the queue ------------------------------------------------------------------------------------------ */

struct queue *queue_new(unsigned workers, unsigned share) {
    struct queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    queue->workers = workers;
    queue->fill = workers * share * 10.0;
    return queue;
}

void queue_free(struct queue *queue) {
    for (int i = 0; queue && i < BUCKETS; i++)
        while (queue->bucket[i]) {
            struct account *a = queue->bucket[i];
            queue->bucket[i] = a->next_in_bucket;
            free(a);
        }
    free(queue);
}

bool queue_push(struct queue *queue, struct ticket *ticket, const uint8_t client[CLIENT_BYTES],
                enum job_kind kind, int64_t now) {
    struct account *a = open_account(queue, client, now);
    if (!a)
        return false;
    *ticket = (struct ticket){.kind = kind, .lane = a->cost[kind] > SHORT_US ? LANE_LONG : LANE_SHORT};
    append(queue, a, ticket);
    return true;
}

bool queue_push_away(struct queue *queue, struct ticket *ticket, const uint8_t client[CLIENT_BYTES],
                     enum job_kind kind, int64_t now) {
    struct account *a = open_account(queue, client, now);
    if (!a)
        return false;
    *ticket = (struct ticket){.kind = kind, .lane = LANE_AWAY};
    append(queue, a, ticket);
    return true;
}

void queue_remove(struct queue *queue, struct ticket *ticket) {
    struct account *a = ticket->account;
    take_out(queue, ticket);
    close_account(queue, a);
}

static bool may_run(const struct queue *queue, enum lane lane) {
    return queue->lane[lane].first && lane != LANE_AWAY &&
           (lane == LANE_SHORT || queue->workers == 1 || queue->lane[lane].running + 1 < queue->workers);
}

struct ticket *queue_pop(struct queue *queue, int64_t now) {
    enum lane lane = LANE_COUNT;
    for (enum lane l = 0; l < LANE_COUNT; l++)
        if (may_run(queue, l) && (lane == LANE_COUNT || queue->lane[l].tag < queue->lane[lane].tag))
            lane = l;
    if (lane == LANE_COUNT)
        return NULL;
    struct account *next = queue->lane[lane].first;
    for (struct account *a = next; a; a = a->member[lane].next)
        if (a->member[lane].tag < next->member[lane].tag)
            next = a;
    struct ticket *ticket = next->member[lane].first;
    queue->clock = queue->lane[lane].tag;
    queue->lane[lane].clock = next->member[lane].tag;
    take_out(queue, ticket);
    next->running++;
    queue->lane[lane].running++;
    ticket->charged = next->cost[ticket->kind];
    charge(queue, ticket, ticket->charged, now);
    return ticket;
}

/* Costs are believed at once when they rise, and slowly when they fall. */
void queue_done(struct queue *queue, struct ticket *ticket, uint64_t used, int64_t now) {
    struct account *a = ticket->account;
    double *cost = &a->cost[ticket->kind];
    charge(queue, ticket, (double)used - ticket->charged, now);
    if (used) /* else it did not get as far as a worker */
        *cost = (double)used > *cost ? (double)used : (*cost * 3 + (double)used) / 4;
    queue->lane[ticket->lane].running--;
    a->running--;
    close_account(queue, a);
}

void queue_join(struct queue *queue, struct ticket *ticket, const uint8_t client[CLIENT_BYTES], int64_t now) {
    const struct account *from = ticket->account;
    struct account *to = open_account(queue, client, now);
    if (!to)
        return;
    double clock = queue->lane[ticket->lane].clock, own = to->member[ticket->lane].tag;
    bool earlier =
        to->waiting < from->waiting && (own > clock ? own : clock) <= from->member[ticket->lane].tag;
    if (to == from || !earlier) {
        close_account(queue, to);
        return;
    }
    queue_remove(queue, ticket);
    append(queue, to, ticket);
}

struct ticket *queue_displace(struct queue *queue, const uint8_t client[CLIENT_BYTES]) {
    const struct account *own = *find(queue, client);
    struct account *most = NULL;
    for (int lane = LANE_COUNT; lane--;)
        for (struct account *a = queue->lane[lane].first; a; a = a->member[lane].next)
            if (!most || a->waiting > most->waiting)
                most = a;
    if (!most || most->waiting <= (own ? own->waiting : 0) + 1)
        return NULL;
    enum lane lane = LANE_AWAY; /* first what others do all the same, then what takes long */
    while (!most->member[lane].first)
        lane--;
    struct ticket *last = most->member[lane].first;
    while (last->next)
        last = last->next;
    queue_remove(queue, last);
    return last;
}
