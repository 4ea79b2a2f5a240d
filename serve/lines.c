/* A list of connections and a thread that looks through it. */
#include "lines.h"
#include "tally.h"
#include "wire.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { SWEEP_MS = 500 };

struct line {
    int fd;
    int64_t deadline;
    struct share *share;
    bool cut;
    struct line *next, **at;
};

struct lines {
    unsigned most, most_of_client;
    struct metrics *metrics;
    pthread_mutex_t lock;
    pthread_cond_t ending_now;
    bool ending;
    struct line *first;
    struct tally tally; /* of those that were not cut */
    pthread_t sweeper;
};

static void cut(struct lines *lines, struct line *line) {
    if (line->cut)
        return;
    shutdown(line->fd, SHUT_RDWR);
    line->deadline = INT64_MAX;
    line->cut = true;
    tally_give(&lines->tally, line->share, 1);
}

static void *sweep(void *user) {
    struct lines *lines = user;
    pthread_mutex_lock(&lines->lock);
    while (!lines->ending) {
        struct timespec until;
        int64_t now = wire_now();
        for (struct line *line = lines->first; line; line = line->next)
            if (line->deadline < now) {
                cut(lines, line);
                metric_count(lines->metrics, METRIC_REFUSED_SLOW);
            }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += SWEEP_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&lines->ending_now, &lines->lock, &until);
    }
    pthread_mutex_unlock(&lines->lock);
    return NULL;
}

struct lines *lines_new(unsigned most, unsigned most_of_client, struct metrics *metrics) {
    struct lines *lines = calloc(1, sizeof *lines);
    if (!lines)
        return NULL;
    lines->most = most;
    lines->most_of_client = most_of_client;
    lines->metrics = metrics;
    pthread_mutex_init(&lines->lock, NULL);
    pthread_cond_init(&lines->ending_now, NULL);
    if (!pthread_create(&lines->sweeper, NULL, sweep, lines))
        return lines;
    pthread_cond_destroy(&lines->ending_now);
    pthread_mutex_destroy(&lines->lock);
    free(lines);
    return NULL;
}

void lines_free(struct lines *lines) {
    if (!lines)
        return;
    pthread_mutex_lock(&lines->lock);
    lines->ending = true;
    pthread_cond_signal(&lines->ending_now);
    pthread_mutex_unlock(&lines->lock);
    pthread_join(lines->sweeper, NULL);
    pthread_cond_destroy(&lines->ending_now);
    pthread_mutex_destroy(&lines->lock);
    free(lines);
}

/* One connection too many is open. Of those that have the most the newest goes that is not waiting for us; a
 * client alone with its one connection is not asked to go for another like it. */
static void push_out(struct lines *lines, struct line *newest) {
    const struct share *most = tally_largest(&lines->tally);
    struct line *victim = newest;
    for (struct line *line = most->held > newest->share->held ? lines->first : NULL; line; line = line->next)
        if (!line->cut && line->share == most && line->deadline != INT64_MAX) {
            victim = line;
            break;
        }
    cut(lines, victim);
    metric_count(lines->metrics, METRIC_REFUSED_CONNECTIONS);
}

struct line *line_open(struct lines *lines, int fd, const uint8_t client[CLIENT_BYTES], int64_t deadline) {
    struct line *line = calloc(1, sizeof *line);
    if (!line)
        return NULL;
    line->fd = fd;
    line->deadline = deadline;
    pthread_mutex_lock(&lines->lock);
    line->share = tally_take(&lines->tally, client, 1);
    if (!line->share) {
        pthread_mutex_unlock(&lines->lock);
        free(line);
        return NULL;
    }
    line->next = lines->first;
    line->at = &lines->first;
    if (line->next)
        line->next->at = &line->next;
    lines->first = line;
    if (lines->most_of_client && line->share->held > lines->most_of_client) {
        cut(lines, line);
        metric_count(lines->metrics, METRIC_REFUSED_CONNECTIONS);
    } else if (lines->tally.total > lines->most)
        push_out(lines, line);
    pthread_mutex_unlock(&lines->lock);
    metric_count(lines->metrics, METRIC_CONNECTIONS_TOTAL);
    metric_add(lines->metrics, GAUGE_CONNECTIONS, 1);
    return line;
}

void line_close(struct lines *lines, struct line *line) {
    if (!line)
        return;
    pthread_mutex_lock(&lines->lock);
    *line->at = line->next;
    if (line->next)
        line->next->at = line->at;
    if (!line->cut)
        tally_give(&lines->tally, line->share, 1);
    pthread_mutex_unlock(&lines->lock);
    metric_add(lines->metrics, GAUGE_CONNECTIONS, -1);
    free(line);
}

void line_deadline(struct lines *lines, struct line *line, int64_t deadline) {
    if (!line)
        return;
    pthread_mutex_lock(&lines->lock);
    if (!line->cut)
        line->deadline = deadline;
    pthread_mutex_unlock(&lines->lock);
}

void line_cut(struct lines *lines, struct line *line) {
    if (!line)
        return;
    pthread_mutex_lock(&lines->lock);
    cut(lines, line);
    pthread_mutex_unlock(&lines->lock);
}
