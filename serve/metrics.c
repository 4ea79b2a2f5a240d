/* Counters, gauges and times of requests. */
#include "metrics.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUTES = 32, STATUSES = 6, BUCKETS = 12 };

/* Upper ends, in seconds; beyond the last is +Inf. */
static const double bucket_end[BUCKETS] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                           0.05,   0.1,   0.25,   0.5,   1,    5};

struct metrics {
    atomic_uint_least64_t counter[METRIC_COUNTER_COUNT];
    atomic_int_least64_t gauge[GAUGE_COUNT];
    atomic_uint_least64_t status[ROUTES][STATUSES], bucket[ROUTES][BUCKETS + 1], microseconds[ROUTES];
};

struct metrics *metrics_new(void) {
    return calloc(1, sizeof(struct metrics));
}

void metrics_free(struct metrics *metrics) {
    free(metrics);
}

void metric_count(struct metrics *metrics, enum metric metric) {
    metric_count_by(metrics, metric, 1);
}

void metric_count_by(struct metrics *metrics, enum metric metric, uint64_t amount) {
    atomic_fetch_add_explicit(&metrics->counter[metric], amount, memory_order_relaxed);
}

void metric_add(struct metrics *metrics, enum metric_gauge gauge, int64_t change) {
    atomic_fetch_add_explicit(&metrics->gauge[gauge], change, memory_order_relaxed);
}

void metric_set(struct metrics *metrics, enum metric_gauge gauge, int64_t value) {
    atomic_store_explicit(&metrics->gauge[gauge], value, memory_order_relaxed);
}

int64_t metric_get(struct metrics *metrics, enum metric_gauge gauge) {
    return atomic_load_explicit(&metrics->gauge[gauge], memory_order_relaxed);
}

void metric_request(struct metrics *metrics, unsigned route, unsigned status, double seconds) {
    int bucket = 0;
    if (route >= ROUTES)
        return;
    while (bucket < BUCKETS && seconds > bucket_end[bucket])
        bucket++;
    atomic_fetch_add_explicit(&metrics->status[route][status / 100 % STATUSES], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->bucket[route][bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->microseconds[route], (uint64_t)(seconds * 1e6), memory_order_relaxed);
}

/* --- text ----------------------------------------------------------------------------------------------- */

static void head(FILE *out, const char *name, const char *help, const char *type) {
    fprintf(out, "# HELP %s %s.\n# TYPE %s %s\n", name, help, name, type);
}

static void put_counters(struct metrics *metrics, FILE *out) {
    static const struct {
        const char *name, *labels, *help;
    } counters[] =
        {
#define X(id, name, labels, help) {name, labels, help},
            METRIC_COUNTERS(X)
#undef X
        },
      gauges[] = {
#define X(id, name, help) {name, "", help},
          METRIC_GAUGES(X)
#undef X
      };
    for (int i = 0; i < METRIC_COUNTER_COUNT; i++) {
        bool labels = counters[i].labels[0];
        if (counters[i].help)
            head(out, counters[i].name, counters[i].help, "counter");
        fprintf(out, "%s%s%s%s %" PRIu64 "\n", counters[i].name, labels ? "{" : "", counters[i].labels,
                labels ? "}" : "", (uint64_t)atomic_load(&metrics->counter[i]));
    }
    for (int i = 0; i < GAUGE_COUNT; i++) {
        head(out, gauges[i].name, gauges[i].help, "gauge");
        fprintf(out, "%s %" PRId64 "\n", gauges[i].name, (int64_t)atomic_load(&metrics->gauge[i]));
    }
}

static uint64_t requests_of(struct metrics *metrics, unsigned route) {
    uint64_t count = 0;
    for (int b = 0; b <= BUCKETS; b++)
        count += atomic_load(&metrics->bucket[route][b]);
    return count;
}

static void put_times(struct metrics *metrics, FILE *out, unsigned route, const char *name) {
    uint64_t below = 0;
    for (int b = 0; b < BUCKETS; b++) {
        below += atomic_load(&metrics->bucket[route][b]);
        fprintf(out, "qpucc_request_seconds_bucket{route=\"%s\",le=\"%g\"} %" PRIu64 "\n", name,
                bucket_end[b], below);
    }
    uint64_t count = requests_of(metrics, route);
    fprintf(out, "qpucc_request_seconds_bucket{route=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", name, count);
    fprintf(out, "qpucc_request_seconds_sum{route=\"%s\"} %.6f\n", name,
            (double)atomic_load(&metrics->microseconds[route]) / 1e6);
    fprintf(out, "qpucc_request_seconds_count{route=\"%s\"} %" PRIu64 "\n", name, count);
}

char *metrics_text(struct metrics *metrics, const char *(*route_name)(unsigned route), size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    put_counters(metrics, out);
    head(out, "qpucc_requests_total", "Requests, by route and status", "counter");
    for (unsigned r = 0; r < ROUTES && route_name(r); r++)
        for (unsigned s = 2; s < STATUSES; s++)
            fprintf(out, "qpucc_requests_total{route=\"%s\",status=\"%uxx\"} %" PRIu64 "\n", route_name(r), s,
                    (uint64_t)atomic_load(&metrics->status[r][s]));
    head(out, "qpucc_request_seconds", "Time from the first line of a request to its answer", "histogram");
    for (unsigned r = 0; r < ROUTES && route_name(r); r++)
        if (requests_of(metrics, r))
            put_times(metrics, out, r, route_name(r));
    fclose(out);
    return text;
}
