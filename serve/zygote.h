/* The process that all workers are forked from. It is this program once more, started without a copy of the
 * server's memory, sockets or threads, compiles a few shaders so that glslang's tables are there, and then
 * forks a worker whenever it is asked to: a worker begins with the tables built. When it dies another one is
 * started, and its workers, which die with it, are missed by their jobs (pool.h). */
#ifndef SERVE_ZYGOTE_H
#define SERVE_ZYGOTE_H

#include "job.h"
#include "metrics.h"

#include <pthread.h>
#include <sys/types.h>

/* What a worker is for: `jobs` of at most `body` bytes. */
struct worker_limits {
    struct job_limits job;
    size_t body;
    unsigned jobs;
};

struct zygote {
    int fd;
    pid_t pid;
    unsigned generation; /* how many there were */
    struct worker_limits limits;
    struct metrics *metrics;
    pthread_mutex_t lock;
};

/* A worker as its server knows it. */
struct hatched {
    pid_t pid;
    unsigned generation;
    int fd;
};

/* The word that makes `qpucc serve` a zygote, and what it then does: its control socket is ZYGOTE_FD. */
#define ZYGOTE_OPTION "--zygote"
enum { ZYGOTE_FD = 3 };
int zygote_main(void);

bool zygote_start(struct zygote *zygote, const struct worker_limits *limits, struct metrics *metrics);
/* A new worker. False: there is none. */
bool zygote_spawn(struct zygote *zygote, struct hatched *worker);
/* Ends a worker if it still runs and closes its socket; its status as wait() has it, or -1: it went with its
 * zygote. */
int zygote_end(struct zygote *zygote, struct hatched *worker);
void zygote_stop(struct zygote *zygote);

/* worker.c: what a worker does from its first instruction to its last. */
void worker_run(int fd, const struct worker_limits *limits) __attribute__((noreturn));
/* Compiles a few shaders, for the tables. */
void worker_warm(void);

#endif
