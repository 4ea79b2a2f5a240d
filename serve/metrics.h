/* What the server counts, in Prometheus' text format. Any thread may count. */
#ifndef SERVE_METRICS_H
#define SERVE_METRICS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Counters: name, labels, help. Rows of one name stand together. */
#define METRIC_COUNTERS(X)                                                                                   \
    X(REQUESTS_CACHED, "qpucc_answers_total", "from=\"memory\"",                                             \
      "Answers to requests for work, by their origin")                                                       \
    X(REQUESTS_DIRECTORY, "qpucc_answers_total", "from=\"directory\"", NULL)                                 \
    X(REQUESTS_REDIS, "qpucc_answers_total", "from=\"redis\"", NULL)                                         \
    X(REQUESTS_JOINED, "qpucc_answers_total", "from=\"joined\"", NULL)                                       \
    X(REQUESTS_WORKED, "qpucc_answers_total", "from=\"worker\"", NULL)                                       \
    X(REFUSED_RATE, "qpucc_refused_total", "reason=\"rate\"", "Requests that were refused")                  \
    X(REFUSED_QUEUE, "qpucc_refused_total", "reason=\"queue\"", NULL)                                        \
    X(REFUSED_SIZE, "qpucc_refused_total", "reason=\"size\"", NULL)                                          \
    X(REFUSED_SLOW, "qpucc_refused_total", "reason=\"slow\"", NULL)                                          \
    X(REFUSED_MEMORY, "qpucc_refused_total", "reason=\"memory\"", NULL)                                      \
    X(REFUSED_CONNECTIONS, "qpucc_refused_total", "reason=\"connections\"", NULL)                            \
    X(REFUSED_LINKS, "qpucc_refused_total", "reason=\"links\"", NULL)                                        \
    X(WORKERS_STARTED, "qpucc_workers_started_total", "", "Worker processes started")                        \
    X(WORKERS_TIME, "qpucc_workers_ended_total", "reason=\"time\"", "Worker processes that ended, and why")  \
    X(WORKERS_MEMORY, "qpucc_workers_ended_total", "reason=\"memory\"", NULL)                                \
    X(WORKERS_OUTPUT, "qpucc_workers_ended_total", "reason=\"output\"", NULL)                                \
    X(WORKERS_SANDBOX, "qpucc_workers_ended_total", "reason=\"sandbox\"", NULL)                              \
    X(WORKERS_CRASHED, "qpucc_workers_ended_total", "reason=\"crashed\"", NULL)                              \
    X(WORKERS_RECYCLED, "qpucc_workers_ended_total", "reason=\"recycled\"", NULL)                            \
    X(WORKERS_RETRIED, "qpucc_retried_total", "",                                                            \
      "Requests that were tried again after their worker was killed")                                        \
    X(WORKER_CPU, "qpucc_worker_cpu_microseconds_total", "", "CPU time of workers")                          \
    X(ZYGOTES_STARTED, "qpucc_zygotes_started_total", "", "Processes that workers are forked from")          \
    X(LINKS_REMOVED, "qpucc_links_removed_total", "", "Permalinks that went for newer ones")                 \
    X(REDIS_ERRORS, "qpucc_redis_errors_total", "", "Commands to Redis that failed or were late")            \
    X(REDIS_SKIPPED, "qpucc_redis_skipped_total", "",                                                        \
      "Commands to Redis that were left out while it was away")                                              \
    X(STORE_DAMAGED, "qpucc_store_damaged_total", "", "Stored answers that were damaged")                    \
    X(CONNECTIONS_TOTAL, "qpucc_connections_total", "", "Connections that were accepted")

#define METRIC_GAUGES(X)                                                                                     \
    X(CONNECTIONS, "qpucc_connections", "Connections now")                                                   \
    X(WAITING, "qpucc_queue", "Requests for work that wait or are worked on")                                \
    X(BUSY, "qpucc_workers_busy", "Workers that have a job")                                                 \
    X(REDIS_UP, "qpucc_redis_up", "1: Redis answers; 0: it does not, or is not used")                        \
    X(FRONT_BYTES, "qpucc_memory_cache_bytes", "Bytes of answers in memory")                                 \
    X(BODY_BYTES, "qpucc_bodies_bytes", "Bytes of requests and answers under way")                           \
    X(LINK_BYTES, "qpucc_links_bytes", "Bytes of permalinks in the directory")

enum metric {
#define X(id, name, labels, help) METRIC_##id,
    METRIC_COUNTERS(X)
#undef X
        METRIC_COUNTER_COUNT
};
enum metric_gauge {
#define X(id, name, help) GAUGE_##id,
    METRIC_GAUGES(X)
#undef X
        GAUGE_COUNT
};

struct metrics;

struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics);

void metric_count(struct metrics *metrics, enum metric metric);
void metric_count_by(struct metrics *metrics, enum metric metric, uint64_t amount);
void metric_add(struct metrics *metrics, enum metric_gauge gauge, int64_t change);
void metric_set(struct metrics *metrics, enum metric_gauge gauge, int64_t value);
int64_t metric_get(struct metrics *metrics, enum metric_gauge gauge);
/* A finished request: which route (a name of few), the status, and the time that it took. */
void metric_request(struct metrics *metrics, unsigned route, unsigned status, double seconds);

/* The text; malloc'ed. route_name: NULL from the last route on. */
char *metrics_text(struct metrics *metrics, const char *(*route_name)(unsigned route), size_t *size);

#endif
