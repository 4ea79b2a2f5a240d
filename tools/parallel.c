/* Numbers handed out to threads, and a bar of how many are done. */
#include "parallel.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

struct shared {
    void (*function)(void *user, size_t index);
    void *user;
    size_t count, next, done;
    bool progress;
    pthread_mutex_t lock;
};

static void print_bar(const struct shared *s) {
    char bar[33];
    size_t filled = s->done * 32 / s->count;
    memset(bar, '.', 32);
    memset(bar, '#', filled);
    bar[32] = 0;
    fprintf(stderr, "\r[%s] %zu/%zu", bar, s->done, s->count);
}

static void *worker(void *user) {
    struct shared *s = user;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        size_t index = s->next < s->count ? s->next++ : s->count;
        pthread_mutex_unlock(&s->lock);
        if (index == s->count)
            return NULL;
        s->function(s->user, index);
        pthread_mutex_lock(&s->lock);
        s->done++;
        if (s->progress)
            print_bar(s);
        pthread_mutex_unlock(&s->lock);
    }
}

void parallel_run(unsigned threads, size_t count, void (*function)(void *user, size_t index), void *user) {
    struct shared s = {.function = function, .user = user, .count = count, .progress = isatty(2) != 0};
    pthread_t ids[MAX_THREADS];
    unsigned started = 0;
    pthread_mutex_init(&s.lock, NULL);
    while (started + 1 < threads && started < MAX_THREADS &&
           pthread_create(&ids[started], NULL, worker, &s) == 0)
        started++;
    worker(&s); /* this thread works, too */
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&s.lock);
    if (s.progress)
        fputs("\r\x1b[K", stderr);
}
