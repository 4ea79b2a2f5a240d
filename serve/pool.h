/* The workers of a server: who has nothing to do gets the next job. */
#ifndef SERVE_POOL_H
#define SERVE_POOL_H

#include "metrics.h"
#include "zygote.h"

struct pool;

/* `zygote` runs already and is the caller's. */
struct pool *pool_new(struct zygote *zygote, const struct worker_limits *limits, unsigned workers,
                      struct metrics *metrics);
/* No job may be under way. */
void pool_free(struct pool *pool);

/* Waits for a worker, at most until `deadline` (wire_now's clock), and has it do the job; once more with
 * another worker if the first one was killed from outside. Any thread. `used`: microseconds of CPU time.
 * The answer is the worker's, or says why there is none; NULL: out of memory. */
struct answer *pool_run(struct pool *pool, const struct job *job, int64_t deadline, uint64_t *used);
/* Can it still start workers? */
bool pool_works(struct pool *pool);

#endif
