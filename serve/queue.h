/* Whose work is next. What is shared fairly is the workers' CPU time, not their number of jobs: whoever
 * sends sixty slow draws waits for them, and nobody else does.
 *
 * - Each client has a queue of its own. Its virtual time advances by the CPU time of its jobs, as the
 *   kernel measured it, divided by its weight; the client that is least far is next, and one that comes
 *   anew begins where the others are. That is weighted round robin whose round is measured in CPU time.
 * - Each client has an account of CPU seconds that fills with time, up to a bound. As long as there is
 *   something in it the client's weight is four times that of one that has used more than its share.
 * - Short jobs and long ones have lanes of their own, of which the short one has the greater weight, and
 *   long jobs never have all workers if there are several. Which a job is, its kind's costs for this client
 *   say, and before there are any, the kind.
 *
 * Used by one thread at a time. */
#ifndef SERVE_QUEUE_H
#define SERVE_QUEUE_H

#include "clients.h"
#include "job.h"

/* LANE_AWAY: what somebody else works on. It has a place, and is never next. */
enum lane { LANE_SHORT, LANE_LONG, LANE_AWAY, LANE_COUNT };

/* A job's place, part of what the caller queues. */
struct ticket {
    struct account *account;
    enum lane lane;
    enum job_kind kind;
    double charged; /* microseconds, when it was taken */
    struct ticket *next;
};

struct queue;

/* `share`: how much of all workers' time an account fills with, in percent. NULL: out of memory. */
struct queue *queue_new(unsigned workers, unsigned share);
void queue_free(struct queue *queue);

/* At the end of the client's queue. `now`: wire_now. False: out of memory. */
bool queue_push(struct queue *queue, struct ticket *ticket, const uint8_t client[CLIENT_BYTES],
                enum job_kind kind, int64_t now);
/* The same for what somebody else works on. */
bool queue_push_away(struct queue *queue, struct ticket *ticket, const uint8_t client[CLIENT_BYTES],
                     enum job_kind kind, int64_t now);
/* Takes out a ticket that waits. */
void queue_remove(struct queue *queue, struct ticket *ticket);
/* The next one; NULL: there is none that may run now. */
struct ticket *queue_pop(struct queue *queue, int64_t now);
/* A job that was taken is over; it took `used` microseconds of CPU time. */
void queue_done(struct queue *queue, struct ticket *ticket, uint64_t used, int64_t now);

/* Somebody else asks for the same as a ticket that waits: it moves to that client if it is served earlier
 * there. */
void queue_join(struct queue *queue, struct ticket *ticket, const uint8_t client[CLIENT_BYTES], int64_t now);
/* The newest ticket of the client that has the most waiting, here or elsewhere, taken out, so that this
 * client can have a place; NULL: nobody has clearly more. */
struct ticket *queue_displace(struct queue *queue, const uint8_t client[CLIENT_BYTES]);

#endif
