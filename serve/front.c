/* A table of answers by key, and a list of them by last use. */
#include "front.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 14, OVERHEAD = 512 }; /* bytes of an entry besides its body, about */

struct entry {
    uint8_t key[KEY_BYTES];
    struct answer *answer;
    struct entry *next_in_bucket, *newer, *older;
};

struct front {
    pthread_mutex_t lock;
    size_t bytes, max_bytes;
    struct metrics *metrics;
    struct entry *newest, *oldest, *bucket[BUCKETS];
};

/* Keys are digests: any part of them is as good as a hash. */
static struct entry **find(struct front *front, const uint8_t key[KEY_BYTES]) {
    struct entry **at = &front->bucket[(key[0] | (unsigned)key[1] << 8) % BUCKETS];
    while (*at && memcmp((*at)->key, key, KEY_BYTES))
        at = &(*at)->next_in_bucket;
    return at;
}

static void unlink_entry(struct front *front, struct entry *e) {
    *(e->newer ? &e->newer->older : &front->newest) = e->older;
    *(e->older ? &e->older->newer : &front->oldest) = e->newer;
}

static void link_newest(struct front *front, struct entry *e) {
    e->newer = NULL;
    e->older = front->newest;
    *(front->newest ? &front->newest->newer : &front->oldest) = e;
    front->newest = e;
}

static void drop(struct front *front, struct entry **at) {
    struct entry *e = *at;
    *at = e->next_in_bucket;
    unlink_entry(front, e);
    front->bytes -= e->answer->size + OVERHEAD;
    answer_release(e->answer);
    free(e);
}

struct front *front_new(size_t max_bytes, struct metrics *metrics) {
    struct front *front = calloc(1, sizeof *front);
    if (front) {
        front->max_bytes = max_bytes;
        front->metrics = metrics;
        pthread_mutex_init(&front->lock, NULL);
    }
    return front;
}

void front_free(struct front *front) {
    if (!front)
        return;
    while (front->oldest)
        drop(front, find(front, front->oldest->key));
    pthread_mutex_destroy(&front->lock);
    free(front);
}

struct answer *front_get(struct front *front, const uint8_t key[KEY_BYTES]) {
    pthread_mutex_lock(&front->lock);
    struct entry *e = *find(front, key);
    if (e) {
        unlink_entry(front, e);
        link_newest(front, e);
    }
    struct answer *answer = e ? answer_hold(e->answer) : NULL;
    pthread_mutex_unlock(&front->lock);
    return answer;
}

void front_put(struct front *front, const uint8_t key[KEY_BYTES], struct answer *answer) {
    size_t size = answer->size + OVERHEAD;
    struct entry *e = size <= front->max_bytes / 4 ? calloc(1, sizeof *e) : NULL;
    if (!e)
        return;
    memcpy(e->key, key, KEY_BYTES);
    e->answer = answer_hold(answer);
    pthread_mutex_lock(&front->lock);
    struct entry **at = find(front, key);
    if (*at)
        drop(front, at);
    while (front->oldest && front->bytes + size > front->max_bytes)
        drop(front, find(front, front->oldest->key));
    at = find(front, key);
    e->next_in_bucket = *at;
    *at = e;
    link_newest(front, e);
    front->bytes += size;
    metric_set(front->metrics, GAUGE_FRONT_BYTES, (int64_t)front->bytes);
    pthread_mutex_unlock(&front->lock);
}
