/* Entries of the compile cache as files of a directory, for any number of processes.
 *
 * - An entry is a file named after its key. It is written under another name and renamed: others see all of
 *   it or nothing. Two processes that write the same entry write the same bytes, so it does not matter who
 *   comes last.
 * - Its time of last modification is the time of last use: every hit sets it.
 * - Whoever writes holds a lock on the file "lock", which has the number of bytes that all files take. A
 *   process that dies loses the lock. The number may then be too large; it is right again after the next
 *   count, which comes when the bound seems to be exceeded.
 * - When it is, the directory is counted, and entries go, the least recently used first, until seven eighths
 *   of the bound are left. What a process left half written goes at the same time.
 *
 * Nothing here fails loudly: an entry that cannot be read is missing, one that cannot be written is not
 * kept. */
#include "compiler/cache.h"
#include "ir/heap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = 2 * QPUCC_CACHE_KEY_BYTES, TOTAL = 21, TRIES = 100, MAX_ENTRY = 1 << 28 };

struct cache_directory {
    const struct qpucc_allocator *from;
    int fd;
    uint64_t max_bytes; /* 0: no bound */
    atomic_ullong removed, numbers;
};

struct cache_directory *cache_directory_open(const char *path, uint64_t max_bytes,
                                             const struct qpucc_allocator *from) {
    struct cache_directory *d = path ? ir_heap_zeroed(from, sizeof *d) : NULL;
    if (!d)
        return NULL;
    d->from = from;
    mkdir(path, 0700); /* if it is there, all the better */
    d->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    d->max_bytes = max_bytes;
    if (d->fd >= 0 && faccessat(d->fd, ".", W_OK | X_OK, 0) == 0)
        return d;
    cache_directory_close(d);
    return NULL;
}

void cache_directory_close(struct cache_directory *d) {
    if (d && d->fd >= 0)
        close(d->fd);
    ir_heap_free(d);
}

uint64_t cache_directory_removed(const struct cache_directory *d) {
    return atomic_load(&d->removed);
}

static void name_of(const uint8_t key[QPUCC_CACHE_KEY_BYTES], char name[NAME + 1]) {
    for (unsigned i = 0; i < NAME; i++)
        name[i] = "0123456789abcdef"[key[i / 2] >> (i % 2 ? 0 : 4) & 15];
    name[NAME] = 0;
}

/* --- reading -------------------------------------------------------------------------------------------- */

static bool read_all(int fd, uint8_t *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, data + done, size - done);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* What a store gives is no block of ir/heap.h, but the allocator's own. */
static void *get_data(const struct qpucc_allocator *from, size_t size) {
    return from ? from->allocate(from->user, size) : malloc(size);
}

static void give_data(const struct qpucc_allocator *from, void *data) {
    if (from)
        from->release(from->user, data);
    else
        free(data);
}

void *cache_directory_get(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], size_t *size) {
    struct cache_directory *d = user;
    char name[NAME + 1];
    struct stat info;
    uint8_t *data = NULL;
    name_of(key, name);
    int fd = openat(d->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* a FIFO is no entry */
    if (fd < 0)
        return NULL;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && info.st_size <= MAX_ENTRY) {
        *size = (size_t)info.st_size;
        data = get_data(d->from, *size);
        if (data && !read_all(fd, data, *size)) {
            give_data(d->from, data);
            data = NULL;
        }
    }
    futimens(fd, NULL); /* used now */
    close(fd);
    return data;
}

/* --- the bound ------------------------------------------------------------------------------------------ */

struct entry {
    char name[NAME + 1];
    uint64_t size;
    struct timespec used;
};

struct listing {
    const struct qpucc_allocator *from;
    struct entry *entry;
    size_t count, capacity;
    uint64_t bytes; /* of all files */
};

static bool is_entry(const char *name) {
    return strlen(name) == NAME && strspn(name, "0123456789abcdef") == NAME;
}

static bool is_half(const char *name) {
    return !strncmp(name, "new.", 4);
}

static void add_entry(struct listing *list, const char *name, const struct stat *info) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 256;
        struct entry *grown = ir_heap_resize(list->from, list->entry, capacity * sizeof *grown);
        if (!grown)
            return;
        list->entry = grown;
        list->capacity = capacity;
    }
    struct entry *e = &list->entry[list->count++];
    memcpy(e->name, name, sizeof e->name);
    e->size = (uint64_t)info->st_size;
    e->used = info->st_mtim;
}

static void list_entries(const struct cache_directory *d, struct listing *list) {
    int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *file;
    if (!dir && fd >= 0)
        close(fd);
    while (dir && (file = readdir(dir))) {
        struct stat info;
        if (fstatat(d->fd, file->d_name, &info, AT_SYMLINK_NOFOLLOW) || !S_ISREG(info.st_mode))
            continue;
        if (is_half(file->d_name)) /* whoever wrote it has died: we have the lock */
            unlinkat(d->fd, file->d_name, 0);
        else
            list->bytes += (uint64_t)info.st_size;
        if (is_entry(file->d_name))
            add_entry(list, file->d_name, &info);
    }
    if (dir)
        closedir(dir);
}

static int older_first(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Makes room for `size` more; returns the bytes that are left. */
static uint64_t make_room(struct cache_directory *d, uint64_t size) {
    struct listing list = {.from = d->from};
    list_entries(d, &list);
    if (list.count) /* an empty list has no array */
        qsort(list.entry, list.count, sizeof *list.entry, older_first);
    bool full = d->max_bytes && list.bytes + size > d->max_bytes;
    uint64_t goal =
        d->max_bytes - d->max_bytes / 8; /* room for some more, so that not each entry counts them all */
    for (size_t i = 0; i < list.count && full && list.bytes + size > goal; i++)
        if (unlinkat(d->fd, list.entry[i].name, 0) == 0) {
            list.bytes -= list.entry[i].size;
            atomic_fetch_add(&d->removed, 1);
        }
    ir_heap_free(list.entry);
    return list.bytes;
}

/* --- writing -------------------------------------------------------------------------------------------- */

static bool write_all(int fd, const uint8_t *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, data + done, size - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Under a name that nobody else uses, then under its own. */
static bool write_entry(struct cache_directory *d, const char *name, const void *data, size_t size) {
    char half[64];
    int fd = -1;
    for (int k = 0; k < TRIES && fd < 0; k++) {
        snprintf(half, sizeof half, "new.%ld.%llx", (long)getpid(),
                 (unsigned long long)atomic_fetch_add(&d->numbers, 1));
        fd = openat(d->fd, half, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) /* a process of the same number died in the middle */
            return false;
    }
    if (fd < 0)
        return false;
    bool ok = write_all(fd, data, size);
    ok &= close(fd) == 0;
    ok = ok && renameat(d->fd, half, d->fd, name) == 0;
    if (!ok)
        unlinkat(d->fd, half, 0);
    return ok;
}

/* What all files take, by the lock file; UINT64_MAX: it does not say. */
static uint64_t read_total(int lock) {
    char text[TOTAL + 1] = "", *end;
    if (pread(lock, text, TOTAL, 0) != TOTAL)
        return UINT64_MAX;
    uint64_t bytes = strtoull(text, &end, 10);
    return *end == '\n' ? bytes : UINT64_MAX;
}

static bool write_total(int lock, uint64_t bytes) {
    char text[TOTAL + 1];
    snprintf(text, sizeof text, "%0*" PRIu64 "\n", TOTAL - 1, bytes);
    return pwrite(lock, text, TOTAL, 0) == TOTAL;
}

/* The lock is held. */
static void enter(struct cache_directory *d, int lock, const char *name, const void *data, size_t size) {
    uint64_t bytes = read_total(lock);
    if (bytes == UINT64_MAX && !write_total(lock, 0))
        return;
    if (unlinkat(d->fd, name, 0) == 0) /* a damaged entry, which is counted with the others */
        bytes = UINT64_MAX;
    if (bytes == UINT64_MAX || (d->max_bytes && bytes + size > d->max_bytes))
        bytes = make_room(d, size);
    if (d->max_bytes && bytes + size > d->max_bytes)
        return;
    /* first the number: a process that dies in between has counted too much, and the bound still holds */
    if (write_total(lock, bytes + size) && !write_entry(d, name, data, size))
        write_total(lock, bytes);
}

void cache_directory_put(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], const void *data,
                         size_t size) {
    struct cache_directory *d = user;
    char name[NAME + 1];
    if (size > MAX_ENTRY || (d->max_bytes && size + TOTAL > d->max_bytes)) /* the lock file counts */
        return;
    name_of(key, name);
    int lock = openat(d->fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), failed;
    do
        failed = lock < 0 ? -1 : flock(lock, LOCK_EX);
    while (failed && errno == EINTR);
    if (!failed)
        enter(d, lock, name, data, size);
    if (lock >= 0)
        close(lock); /* and the lock is gone */
}
