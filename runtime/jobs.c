/* A window of jobs moves over all of them: threads start what is in it, in order, and whoever finishes the
 * first of the window takes its result and that of its finished neighbours, which moves the window on. */
#include "runtime/jobs.h"

#include <pthread.h>

#define MAX_THREADS 64
#define MAX_SLOTS 256

struct window {
    const struct sim_jobs *jobs;
    unsigned slots, next, taken; /* next to be started, next to be taken */
    bool stop, done[MAX_SLOTS];
    pthread_mutex_t lock;
    pthread_cond_t moved;
};

static void take_finished(struct window *w) {
    const struct sim_jobs *j = w->jobs;
    while (!w->stop && w->taken < w->next && w->done[w->taken % w->slots]) {
        unsigned slot = w->taken % w->slots;
        w->done[slot] = false;
        w->stop = !j->take(j->user, slot, w->taken);
        w->taken++;
    }
}

static void *work(void *argument) {
    struct window *w = argument;
    const struct sim_jobs *j = w->jobs;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && w->next < j->count) {
        if (w->next - w->taken >= w->slots) {
            pthread_cond_wait(&w->moved, &w->lock);
            continue;
        }
        unsigned index = w->next++, slot = index % w->slots;
        pthread_mutex_unlock(&w->lock);
        j->work(j->user, slot, index);
        pthread_mutex_lock(&w->lock);
        w->done[slot] = true;
        if (index == w->taken) {
            take_finished(w);
            pthread_cond_broadcast(&w->moved);
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

void sim_jobs_run(const struct sim_jobs *j) {
    if (j->threads <= 1 || j->count <= 1 || j->slots <= 1) {
        for (unsigned i = 0; i < j->count; i++) {
            j->work(j->user, 0, i);
            if (!j->take(j->user, 0, i))
                return;
        }
        return;
    }
    struct window w = {.jobs = j, .slots = j->slots < MAX_SLOTS ? j->slots : MAX_SLOTS};
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.moved, NULL);
    pthread_t thread[MAX_THREADS];
    unsigned started = 0, most = j->threads < MAX_THREADS ? j->threads : MAX_THREADS;
    most = most < j->count ? most : j->count;
    while (started + 1 < most && !pthread_create(&thread[started], NULL, work, &w))
        started++;
    work(&w);
    for (unsigned i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_cond_destroy(&w.moved);
    pthread_mutex_destroy(&w.lock);
}
