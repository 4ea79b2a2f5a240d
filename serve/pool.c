/* Workers, who has which, and what their ends mean. */
#include "pool.h"
#include "wire.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct worker {
    struct hatched process; /* fd -1: not started, or ended */
    unsigned jobs;
    struct worker *next; /* that is idle */
};

struct pool {
    struct zygote *zygote;
    struct worker_limits limits;
    struct metrics *metrics;
    pthread_mutex_t lock;
    pthread_cond_t idle_one;
    struct worker *idle;
    unsigned count;
    atomic_bool works;
    struct worker worker[];
};

static bool start(struct pool *pool, struct worker *worker) {
    if (worker->process.fd >= 0)
        return true;
    worker->jobs = 0;
    bool ok = zygote_spawn(pool->zygote, &worker->process);
    atomic_store(&pool->works, ok);
    if (ok)
        metric_count(pool->metrics, METRIC_WORKERS_STARTED);
    else
        worker->process.fd = -1;
    return ok;
}

struct pool *pool_new(struct zygote *zygote, const struct worker_limits *limits, unsigned workers,
                      struct metrics *metrics) {
    struct pool *pool = calloc(1, sizeof *pool + workers * sizeof *pool->worker);
    pthread_condattr_t clock;
    if (!pool)
        return NULL;
    pool->zygote = zygote;
    pool->limits = *limits;
    pool->metrics = metrics;
    pool->count = workers;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->idle_one, &clock);
    pthread_condattr_destroy(&clock);
    bool ok = true;
    for (unsigned i = 0; i < workers; i++) {
        pool->worker[i].process.fd = -1;
        ok = ok && start(pool, &pool->worker[i]);
        pool->worker[i].next = pool->idle;
        pool->idle = &pool->worker[i];
    }
    if (ok)
        return pool;
    pool_free(pool);
    return NULL;
}

void pool_free(struct pool *pool) {
    if (!pool)
        return;
    for (unsigned i = 0; i < pool->count; i++)
        if (pool->worker[i].process.fd >= 0)
            zygote_end(pool->zygote, &pool->worker[i].process);
    pthread_cond_destroy(&pool->idle_one);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

bool pool_works(struct pool *pool) {
    return atomic_load(&pool->works);
}

/* --- a job ---------------------------------------------------------------------------------------------- */

static struct worker *take(struct pool *pool, int64_t deadline) {
    struct timespec until = {.tv_sec = deadline / 1000, .tv_nsec = deadline % 1000 * 1000000};
    struct worker *worker;
    int late = 0;
    pthread_mutex_lock(&pool->lock);
    while (!pool->idle && late != ETIMEDOUT)
        late = pthread_cond_timedwait(&pool->idle_one, &pool->lock, &until);
    worker = pool->idle;
    if (worker)
        pool->idle = worker->next;
    pthread_mutex_unlock(&pool->lock);
    return worker;
}

static void give_back(struct pool *pool, struct worker *worker) {
    pthread_mutex_lock(&pool->lock);
    worker->next = pool->idle;
    pool->idle = worker;
    pthread_cond_signal(&pool->idle_one);
    pthread_mutex_unlock(&pool->lock);
}

/* Microseconds of CPU time that the process has used; the kernel knows them also of one that is dead and not
 * waited for. What a worker says itself counts for nothing: it may be taken over. */
static int64_t cpu_of(pid_t pid) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
        return -1;
    return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

/* A worker that was killed from outside, by the kernel for lack of memory, by an administrator, or with its
 * zygote: its job has done nothing wrong that is known. */
static bool was_killed(enum wire_end how, int status) {
    return how == WIRE_CLOSED && (status < 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
}

/* What a client may know of how its worker ended. */
static struct answer *explain(struct pool *pool, enum wire_end how, int status) {
    int signal = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (how == WIRE_TOO_LARGE) {
        metric_count(pool->metrics, METRIC_WORKERS_OUTPUT);
        return answer_error(422, "output", "The answer is larger than this server allows.");
    }
    if (how == WIRE_LATE || signal == SIGPROF || signal == SIGXCPU) {
        metric_count(pool->metrics, METRIC_WORKERS_TIME);
        return answer_error(422, "time", "The request took longer than this server allows.");
    }
    if (was_killed(how, status)) {
        metric_count(pool->metrics, METRIC_WORKERS_MEMORY);
        return answer_error(422, "memory", "The request's worker was stopped, probably for lack of memory.");
    }
    metric_count(pool->metrics, signal == SIGSYS ? METRIC_WORKERS_SANDBOX : METRIC_WORKERS_CRASHED);
    return answer_error(422, "worker", "The request's worker failed. Other requests are not affected.");
}

/* A worker that was killed while it had nothing to do has not seen the job yet: the next one gets it. */
static bool alive(struct worker *worker) {
    char byte;
    ssize_t n = read(worker->process.fd, &byte, 1);
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* One attempt. NULL answer: the worker was killed, and the job may be tried again. */
static struct answer *attempt(struct pool *pool, struct worker *worker, const struct job *job, bool last,
                              int64_t *used) {
    struct answer *answer = NULL;
    if (worker->process.fd >= 0 && !alive(worker)) {
        metric_count(pool->metrics, METRIC_WORKERS_CRASHED);
        zygote_end(pool->zygote, &worker->process);
    }
    if (!start(pool, worker))
        return answer_error(503, "worker", "The server cannot start a worker. Try again later.");
    int64_t begun = wire_now(), late = begun + pool->limits.job.wall_ms,
            before = worker->jobs ? cpu_of(worker->process.pid) : 0;
    enum wire_end how = wire_send_job(worker->process.fd, job, late);
    if (how == WIRE_DONE)
        how = wire_receive_answer(worker->process.fd, &answer, pool->limits.job.answer + 4096, late);
    int64_t after = cpu_of(worker->process.pid), most = (int64_t)pool->limits.job.cpu_ms * 1000,
            waited = (wire_now() - begun) * 1000;
    *used += before >= 0 && after >= before ? after - before : waited < most ? waited : most;
    if (how != WIRE_DONE) {
        int status = zygote_end(pool->zygote, &worker->process);
        if (was_killed(how, status) && !last) {
            metric_count(pool->metrics, METRIC_WORKERS_RETRIED);
            return NULL;
        }
        return explain(pool, how, status);
    }
    if (++worker->jobs >= pool->limits.jobs) {
        metric_count(pool->metrics, METRIC_WORKERS_RECYCLED);
        zygote_end(pool->zygote, &worker->process);
    }
    return answer;
}

struct answer *pool_run(struct pool *pool, const struct job *job, int64_t deadline, uint64_t *used) {
    struct worker *worker = take(pool, deadline);
    int64_t spent = 0;
    if (!worker)
        return answer_error(503, "queue", "The server has too much to do. Try again later.");
    metric_add(pool->metrics, GAUGE_BUSY, 1);
    struct answer *answer = attempt(pool, worker, job, false, &spent);
    if (!answer)
        answer = attempt(pool, worker, job, true, &spent);
    metric_add(pool->metrics, GAUGE_BUSY, -1);
    metric_count_by(pool->metrics, METRIC_WORKER_CPU, (uint64_t)spent);
    start(pool, worker); /* now, not when somebody waits for it */
    give_back(pool, worker);
    *used = (uint64_t)spent;
    return answer;
}
