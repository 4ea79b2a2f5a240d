/* The stores behind the memory: results in a directory bounded in size (the compile cache's), permalinks in
 * another, which nothing removes; both also in Redis. */
#define _GNU_SOURCE
#include "store.h"
#include "compiler/cache.h"
#include "compiler/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RESULT_SECONDS = 30 * 24 * 3600 }; /* in Redis; a permalink has no end */

struct store {
    struct cache_directory *results; /* NULL: none */
    int links;                       /* a directory; -1: none */
    uint64_t max_link_bytes;
    atomic_uint_least64_t link_bytes;
    struct redis *redis;
    struct metrics *metrics;
};

static uint64_t bytes_in(int folder) {
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *file;
    struct stat info;
    uint64_t bytes = 0;
    if (!dir && fd >= 0)
        close(fd);
    while (dir && (file = readdir(dir)))
        if (!fstatat(folder, file->d_name, &info, AT_SYMLINK_NOFOLLOW) && S_ISREG(info.st_mode))
            bytes += (uint64_t)info.st_size;
    if (dir)
        closedir(dir);
    return bytes;
}

static bool open_directory(struct store *store, const char *directory, uint64_t max_bytes) {
    char path[4000];
    if (snprintf(path, sizeof path, "%s/results", directory) >= (int)sizeof path)
        return false;
    mkdir(directory, 0700);
    store->results = cache_directory_open(path, max_bytes);
    snprintf(path, sizeof path, "%s/links", directory);
    mkdir(path, 0700);
    store->links = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!store->results || store->links < 0 || faccessat(store->links, ".", W_OK | X_OK, 0))
        return false;
    atomic_store(&store->link_bytes, bytes_in(store->links));
    return true;
}

struct store *store_new(const char *directory, uint64_t max_bytes, uint64_t max_link_bytes,
                        struct redis *redis, struct metrics *metrics, char *error, size_t size) {
    struct store *store = calloc(1, sizeof *store);
    if (!store) {
        snprintf(error, size, "out of memory");
        return NULL;
    }
    store->links = -1;
    store->max_link_bytes = max_link_bytes;
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
    if (store->links >= 0)
        close(store->links);
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

/* --- permalinks ----------------------------------------------------------------------------------------- */

static const char url_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void link_name(const char *body, size_t size, char name[LINK_CHARS + 1]) {
    uint8_t digest[32];
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, body, size);
    sha256_end(&sha, digest);
    for (int i = 0; i < LINK_CHARS; i++) {
        unsigned bit = 6 * (unsigned)i;
        unsigned pair = (unsigned)digest[bit / 8] << 8 | digest[bit / 8 + 1];
        name[i] = url_digits[pair >> (10 - bit % 8) & 63];
    }
    name[LINK_CHARS] = 0;
}

bool link_is_name(const char *text) {
    return strlen(text) == LINK_CHARS && strspn(text, url_digits) == LINK_CHARS;
}

/* Written under another name first: nobody sees half of it. */
static bool write_link(struct store *store, const char *name, const char *body, size_t size) {
    char half[64];
    struct stat info;
    if (store->links < 0)
        return false;
    if (fstatat(store->links, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
        return true; /* of the same name, so the same */
    if (atomic_load(&store->link_bytes) + size > store->max_link_bytes)
        return false;
    snprintf(half, sizeof half, "new.%s.%ld", name, (long)gettid());
    int fd = openat(store->links, half, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = fd >= 0 && write(fd, body, size) == (ssize_t)size;
    ok &= fd >= 0 && close(fd) == 0;
    ok = ok && renameat(store->links, half, store->links, name) == 0;
    if (ok)
        atomic_fetch_add(&store->link_bytes, size);
    else
        unlinkat(store->links, half, 0);
    return ok;
}

static char *read_link(struct store *store, const char *name, size_t *size) {
    struct stat info;
    int fd = store->links < 0 ? -1 : openat(store->links, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    bool ok = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= LINK_MOST_BYTES;
    char *body = ok ? malloc((size_t)info.st_size + 1) : NULL;
    if (body && read(fd, body, (size_t)info.st_size) != info.st_size) {
        free(body);
        body = NULL;
    }
    close(fd);
    if (body)
        body[ *size = (size_t)info.st_size] = 0;
    return body;
}

bool store_keep_link(struct store *store, const char *name, const char *body, size_t size) {
    char key[40];
    bool kept = write_link(store, name, body, size);
    snprintf(key, sizeof key, "qpucc:link:%s", name);
    return (store->redis && redis_put(store->redis, key, body, size, 0)) || kept;
}

char *store_recall_link(struct store *store, const char *name, size_t *size) {
    char key[40], again[LINK_CHARS + 1];
    char *body = read_link(store, name, size);
    if (!body && store->redis) {
        snprintf(key, sizeof key, "qpucc:link:%s", name);
        body = (char *)redis_get(store->redis, key, size);
        if (body)
            body[*size] = 0; /* redis_get leaves room */
    }
    if (!body)
        return NULL;
    link_name(body, *size, again);
    if (!strcmp(name, again))
        return body;
    metric_count(store->metrics, METRIC_STORE_DAMAGED);
    free(body);
    return NULL;
}
