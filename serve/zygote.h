/* The process that all workers are forked from. It is forked itself before the server has threads, compiles a
 * few shaders so that glslang's tables are there, and then forks a worker whenever it is asked to: a worker
 * begins with the tables built, and never with a copy of the server's sockets, threads or memory. */
#ifndef SERVE_ZYGOTE_H
#define SERVE_ZYGOTE_H

#include "job.h"

#include <pthread.h>
#include <sys/types.h>

struct zygote {
    int fd;
    pid_t pid;
    pthread_mutex_t lock;
};

/* What a worker is for: `jobs` of at most `body` bytes. */
struct worker_limits {
    struct job_limits job;
    size_t body;
    unsigned jobs;
};

bool zygote_start(struct zygote *zygote, const struct worker_limits *limits);
/* A new worker and the socket to it. False: there is none. */
bool zygote_spawn(struct zygote *zygote, pid_t *worker, int *fd);
/* Ends a worker if it still runs; returns its status as wait() has it, or -1. */
int zygote_end(struct zygote *zygote, pid_t worker);
void zygote_stop(struct zygote *zygote);

/* worker.c: what a worker does from its first instruction to its last. */
void worker_run(int fd, const struct worker_limits *limits) __attribute__((noreturn));
/* Compiles a few shaders, for the tables. */
void worker_warm(void);

#endif
