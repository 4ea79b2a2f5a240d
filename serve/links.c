/* Links are files whose modification time says when they were used last; a list in memory has them in that
 * order. In Redis sorted sets and scripts do the same for all servers together. */
#define _GNU_SOURCE
#include "links.h"
#include "compiler/sha256.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    BUCKETS = 1 << 12,
    OVERHEAD = 1024, /* bytes that a link costs besides its own: a name, an inode, the rest of a block */
    TOUCH_SECONDS = 3600,
    DAY_SECONDS = 86400,
    SETS = 256,
    WAYS = 8
};

struct entry {
    char name[LINK_CHARS + 1];
    uint64_t cost;
    time_t used; /* as the file says */
    struct entry *next_in_bucket, *newer, *older;
};

/* What a client has added on a day. */
struct spent {
    uint8_t client[CLIENT_BYTES];
    int64_t day;
    uint64_t bytes;
};

struct links {
    int folder; /* -1: none */
    uint64_t most, client_most, bytes;
    struct redis *redis;
    struct metrics *metrics;
    pthread_mutex_t lock;
    struct entry *bucket[BUCKETS], *newest, *oldest;
    struct spent spent[SETS][WAYS];
};

/* --- names ---------------------------------------------------------------------------------------------- */

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

/* --- the list ------------------------------------------------------------------------------------------- */

static struct entry **find(struct links *links, const char *name) {
    unsigned hash = 0;
    for (int i = 0; i < LINK_CHARS; i++)
        hash = hash * 31 + (unsigned char)name[i];
    struct entry **at = &links->bucket[hash % BUCKETS];
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next_in_bucket;
    return at;
}

static void leave(struct links *links, struct entry *e) {
    *(e->newer ? &e->newer->older : &links->newest) = e->older;
    *(e->older ? &e->older->newer : &links->oldest) = e->newer;
}

static void enter(struct links *links, struct entry *e) {
    e->newer = NULL;
    e->older = links->newest;
    *(links->newest ? &links->newest->newer : &links->oldest) = e;
    links->newest = e;
}

static bool add(struct links *links, const char *name, uint64_t cost, time_t used) {
    struct entry **at = find(links, name), *e = calloc(1, sizeof *e);
    if (!e)
        return false;
    strcpy(e->name, name);
    e->cost = cost;
    e->used = used;
    *at = e;
    enter(links, e);
    links->bytes += cost;
    metric_set(links->metrics, GAUGE_LINK_BYTES, (int64_t)links->bytes);
    return true;
}

static void forget(struct links *links, struct entry *e) {
    *find(links, e->name) = e->next_in_bucket;
    leave(links, e);
    links->bytes -= e->cost;
    metric_set(links->metrics, GAUGE_LINK_BYTES, (int64_t)links->bytes);
    free(e);
}

static void remove_oldest(struct links *links) {
    unlinkat(links->folder, links->oldest->name, 0);
    forget(links, links->oldest);
    metric_count(links->metrics, METRIC_LINKS_REMOVED);
}

struct found {
    char name[LINK_CHARS + 1];
    uint64_t size;
    time_t used;
};

static int older_first(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used;
}

/* What an earlier server left, oldest first. */
static bool read_folder(struct links *links) {
    int fd = openat(links->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *file;
    struct stat info;
    struct found *found = NULL;
    size_t count = 0, capacity = 0;
    bool ok = dir != NULL;
    if (!dir && fd >= 0)
        close(fd);
    while (ok && (file = readdir(dir))) {
        if (!strncmp(file->d_name, "new.", 4)) /* half of one */
            unlinkat(links->folder, file->d_name, 0);
        if (!link_is_name(file->d_name) || fstatat(links->folder, file->d_name, &info, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(info.st_mode))
            continue;
        if (count == capacity) {
            struct found *grown = realloc(found, (capacity = 2 * capacity + 64) * sizeof *found);
            if (!grown) {
                ok = false;
                break;
            }
            found = grown;
        }
        strcpy(found[count].name, file->d_name);
        found[count].size = (uint64_t)info.st_size;
        found[count++].used = info.st_mtime;
    }
    if (dir)
        closedir(dir);
    if (count)
        qsort(found, count, sizeof *found, older_first);
    for (size_t i = 0; ok && i < count; i++)
        ok = add(links, found[i].name, found[i].size + OVERHEAD, found[i].used);
    free(found);
    return ok;
}

struct links *links_new(const char *directory, uint64_t most, uint64_t client_most, struct redis *redis,
                        struct metrics *metrics, char *error, size_t size) {
    char path[4000];
    struct links *links = calloc(1, sizeof *links);
    if (!links) {
        snprintf(error, size, "out of memory");
        return NULL;
    }
    links->folder = -1;
    links->most = most;
    links->client_most = client_most;
    links->redis = redis;
    links->metrics = metrics;
    pthread_mutex_init(&links->lock, NULL);
    if (!directory)
        return links;
    if (snprintf(path, sizeof path, "%s/links", directory) < (int)sizeof path) {
        mkdir(path, 0700);
        links->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (links->folder >= 0 && !faccessat(links->folder, ".", W_OK | X_OK, 0) && read_folder(links))
        return links;
    snprintf(error, size, "%s/links: cannot be made, read or written to", directory);
    links_free(links);
    return NULL;
}

void links_free(struct links *links) {
    if (!links)
        return;
    while (links->oldest)
        forget(links, links->oldest);
    if (links->folder >= 0)
        close(links->folder);
    pthread_mutex_destroy(&links->lock);
    free(links);
}

/* --- budgets -------------------------------------------------------------------------------------------- */

unsigned links_wait(void) {
    return (unsigned)(DAY_SECONDS - time(NULL) % DAY_SECONDS);
}

/* A table of fixed size: a client that finds no room takes the place of the one that has spent least. */
static bool spend(struct links *links, const uint8_t client[CLIENT_BYTES], uint64_t cost) {
    int64_t day = time(NULL) / DAY_SECONDS;
    struct spent *set = links->spent[client_hash(client) % SETS], *own = NULL, *least = &set[0];
    for (int i = 0; i < WAYS; i++) {
        if (set[i].day != day)
            set[i].bytes = 0;
        if (set[i].day == day && !memcmp(set[i].client, client, CLIENT_BYTES))
            own = &set[i];
        if (set[i].bytes < least->bytes)
            least = &set[i];
    }
    if (!own) {
        own = least;
        *own = (struct spent){.day = day};
        memcpy(own->client, client, CLIENT_BYTES);
    }
    if (own->bytes + cost > links->client_most)
        return false;
    own->bytes += cost;
    return true;
}

/* --- files ---------------------------------------------------------------------------------------------- */

/* The link was used. Files need not know to the second. True: it was not for a while, and other stores may
 * want to know, too. */
static bool touch(struct links *links, struct entry *e) {
    time_t now = time(NULL);
    leave(links, e);
    enter(links, e);
    if (now - e->used < TOUCH_SECONDS && now >= e->used)
        return false;
    e->used = now;
    utimensat(links->folder, e->name, NULL, AT_SYMLINK_NOFOLLOW);
    return true;
}

/* Written under another name first: nobody sees half of it. */
static bool write_file(struct links *links, const char *name, const char *body, size_t size) {
    char half[64];
    snprintf(half, sizeof half, "new.%s.%ld", name, (long)gettid());
    int fd = openat(links->folder, half, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = fd >= 0 && write(fd, body, size) == (ssize_t)size;
    ok &= fd >= 0 && close(fd) == 0;
    ok = ok && renameat(links->folder, half, links->folder, name) == 0;
    if (!ok)
        unlinkat(links->folder, half, 0);
    return ok;
}

static char *read_file(struct links *links, const char *name, size_t *size) {
    struct stat info;
    int fd = openat(links->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
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

/* Is the link there, whole, as its entry says? */
static bool is_whole(struct links *links, const char *name, const char *body, size_t size) {
    size_t kept_size = 0;
    char *kept = read_file(links, name, &kept_size);
    bool whole = kept && kept_size == size && !memcmp(kept, body, size);
    free(kept);
    return whole;
}

static enum link_end keep_file(struct links *links, const char *name, const char *body, size_t size,
                               const uint8_t client[CLIENT_BYTES]) {
    uint64_t cost = size + OVERHEAD;
    enum link_end end = LINK_NO_ROOM;
    if (links->folder < 0 || cost > links->most)
        return LINK_NO_ROOM;
    pthread_mutex_lock(&links->lock);
    struct entry *e = *find(links, name);
    if (e && !is_whole(links, name, body, size)) {
        forget(links, e);
        e = NULL;
    }
    if (e) {
        touch(links, e);
        end = LINK_KEPT;
    } else if (!spend(links, client, cost))
        end = LINK_NO_BUDGET;
    else {
        while (links->oldest && links->bytes + cost > links->most)
            remove_oldest(links);
        if (write_file(links, name, body, size) && add(links, name, cost, time(NULL)))
            end = LINK_KEPT;
    }
    pthread_mutex_unlock(&links->lock);
    return end;
}

/* --- both ----------------------------------------------------------------------------------------------- */

enum link_end links_keep(struct links *links, const char *name, const char *body, size_t size,
                         const uint8_t client[CLIENT_BYTES]) {
    const struct redis_link link = {.name = name,
                                    .cost = size + OVERHEAD,
                                    .most = links->most,
                                    .client = client,
                                    .client_size = CLIENT_BYTES,
                                    .client_most = links->client_most,
                                    .now = time(NULL)};
    long kept = links->redis ? redis_keep_link(links->redis, &link, body, size) : REDIS_LINK_AWAY;
    if (kept == REDIS_LINK_NO_BUDGET)
        return LINK_NO_BUDGET;
    if (kept == REDIS_LINK_NO_ROOM)
        return LINK_NO_ROOM;
    if (kept > 0)
        metric_count_by(links->metrics, METRIC_LINKS_REMOVED, (uint64_t)kept);
    enum link_end end = keep_file(links, name, body, size, client);
    return kept >= 0 ? LINK_KEPT : end;
}

/* The body, if it is the link's; else it is freed. */
static char *undamaged(struct links *links, const char *name, char *body, size_t size) {
    char again[LINK_CHARS + 1];
    if (!body)
        return NULL;
    link_name(body, size, again);
    if (!strcmp(name, again))
        return body;
    metric_count(links->metrics, METRIC_STORE_DAMAGED);
    free(body);
    return NULL;
}

char *links_recall(struct links *links, const char *name, size_t *size) {
    char *body = NULL;
    bool tell = true;
    if (links->folder >= 0) {
        pthread_mutex_lock(&links->lock);
        struct entry *e = *find(links, name);
        if (e && (body = read_file(links, name, size)))
            tell = touch(links, e);
        pthread_mutex_unlock(&links->lock);
        body = undamaged(links, name, body, *size);
    }
    if (!body && links->redis) { /* also where the folder's copy is damaged */
        body = redis_get_link(links->redis, name, size);
        body = undamaged(links, name, body, *size);
    }
    if (!body)
        return NULL;
    const struct redis_link link = {.name = name, .cost = *size + OVERHEAD, .now = time(NULL)};
    if (links->redis && tell)
        redis_touch_link(links->redis, &link);
    return body;
}
