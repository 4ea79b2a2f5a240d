/* Jobs on several threads whose results are taken in order. */
#ifndef SIM_JOBS_H
#define SIM_JOBS_H

#include <stdbool.h>

struct sim_jobs {
    unsigned count;   /* jobs 0 .. count - 1 */
    unsigned threads; /* the caller's included; 0 and 1: only that one */
    unsigned slots;   /* places for results; at least 1, more than `threads` keeps all of them busy */
    void *user;
    /* Runs job `index` into place `slot`; on any thread, several at a time. */
    void (*work)(void *user, unsigned slot, unsigned index);
    /* Takes the result: in order of `index`, one at a time, on any thread. False: later results are not
     * wanted. */
    bool (*take)(void *user, unsigned slot, unsigned index);
};

/* Returns when all results are taken or one of them said stop. What `take` has seen does not depend on the
 * number of threads. */
void sim_jobs_run(const struct sim_jobs *jobs);

#endif
