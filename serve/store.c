/* The stores behind the memory: results in a directory (the compile cache's), and in Redis. */
#include "store.h"
#include "compiler/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { RESULT_SECONDS = 30 * 24 * 3600 }; /* in Redis */

struct store {
    struct cache_directory *results; /* NULL: none */
    struct redis *redis;
    struct metrics *metrics;
};

static bool open_directory(struct store *store, const char *directory, uint64_t max_bytes) {
    char path[4000];
    if (snprintf(path, sizeof path, "%s/results", directory) >= (int)sizeof path)
        return false;
    mkdir(directory, 0700);
    store->results = cache_directory_open(path, max_bytes, NULL);
    return store->results != NULL;
}

struct store *store_new(const char *directory, uint64_t max_bytes, struct redis *redis,
                        struct metrics *metrics, char *error, size_t size) {
    struct store *store = calloc(1, sizeof *store);
    if (!store) {
        snprintf(error, size, "out of memory");
        return NULL;
    }
    store->redis = redis;
    store->metrics = metrics;
    if (!directory || open_directory(store, directory, max_bytes))
        return store;
    snprintf(error, size, "%s: cannot be made or written to", directory);
    store_free(store);
    return NULL;
}

void store_free(struct store *store) {
    if (!store)
        return;
    if (store->results)
        cache_directory_close(store->results);
    free(store);
}

bool store_is_shared(struct store *store) {
    return store->redis && redis_up(store->redis);
}

/* --- results -------------------------------------------------------------------------------------------- */

static void key_name(const char *what, const uint8_t key[KEY_BYTES], char out[100]) {
    int length = snprintf(out, 30, "qpucc:%s:", what);
    for (int i = 0; i < 2 * KEY_BYTES; i++)
        out[length + i] = "0123456789abcdef"[key[i / 2] >> (i % 2 ? 0 : 4) & 15];
    out[length + 2 * KEY_BYTES] = 0;
}

static struct answer *unpack(struct store *store, uint8_t *bytes, size_t size, enum metric from) {
    struct answer *answer = bytes ? answer_unpack(bytes, size) : NULL;
    if (bytes)
        metric_count(store->metrics, answer ? from : METRIC_STORE_DAMAGED);
    free(bytes);
    return answer;
}

struct answer *store_get(struct store *store, const uint8_t key[KEY_BYTES]) {
    struct answer *answer = NULL;
    size_t size = 0;
    char name[100];
    if (store->results) {
        uint8_t *entry = cache_directory_get(store->results, key, &size);
        answer = unpack(store, entry, size, METRIC_REQUESTS_DIRECTORY);
    }
    if (answer || !store->redis)
        return answer;
    key_name("result", key, name);
    uint8_t *found = redis_get(store->redis, name, &size);
    answer = unpack(store, found, size, METRIC_REQUESTS_REDIS);
    size_t packed = 0;
    uint8_t *bytes = answer && store->results ? answer_pack(answer, &packed) : NULL;
    if (bytes) /* for the time when Redis is away */
        cache_directory_put(store->results, key, bytes, packed);
    free(bytes);
    return answer;
}

void store_put(struct store *store, const uint8_t key[KEY_BYTES], const struct answer *answer) {
    size_t size = 0;
    char name[100];
    uint8_t *bytes = store->results || store->redis ? answer_pack(answer, &size) : NULL;
    if (bytes && store->results)
        cache_directory_put(store->results, key, bytes, size);
    if (bytes && store->redis) {
        key_name("result", key, name);
        redis_put(store->redis, name, bytes, size, RESULT_SECONDS);
    }
    free(bytes);
}

bool store_lock(struct store *store, const uint8_t key[KEY_BYTES], const char *token, unsigned milliseconds) {
    char name[100];
    key_name("lock", key, name);
    return !store->redis || redis_lock(store->redis, name, token, milliseconds);
}

void store_unlock(struct store *store, const uint8_t key[KEY_BYTES], const char *token) {
    char name[100];
    key_name("lock", key, name);
    if (store->redis)
        redis_unlock(store->redis, name, token);
}
