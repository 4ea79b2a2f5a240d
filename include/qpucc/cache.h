/* A compile cache for libqpucc: a program that was compiled before is loaded instead.
 *
 *     cache   = qpucc_cache_open("/var/cache/mydriver", 64 << 20);
 *     program = qpucc_cache_compile(cache, sources, 2, &state, NULL);   as qpucc_compile
 *     qpucc_cache_close(cache);
 *
 * With and without a cache programs say the same in every function of qpucc.h, to the byte, but for
 * qpucc_program_usage, which is of the compile that made the entry, and qpucc_program_controls, which is 0
 * for what was found and has had no variant. An entry is found by
 * the SHA-256 of all that the result depends on: the library's build, the options, the whole state key, the
 * sources and their names, the files that they include. Entries are containers (qpucc_program_load), checked
 * when they are read: one that is damaged counts as missing and is written anew. Any number of threads may
 * use one cache, and any number of processes one directory. Whoever may write to the directory can make the
 * code that is run. */
#ifndef QPUCC_CACHE_H
#define QPUCC_CACHE_H

#include <qpucc/qpucc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qpucc_cache qpucc_cache;

#define QPUCC_CACHE_KEY_BYTES 32

/* Another place for the entries: a server, the blob cache of EGL_ANDROID_blob_cache. The functions may be
 * called from any thread that uses the cache, several at once. */
struct qpucc_cache_store {
    void *user; /* the first argument of each function */
    /* The entry of that key, allocated with malloc, or with `allocator` where there is one (the library frees
     * it), and its size in bytes; NULL if there is none. */
    void *(*get)(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], size_t *size);
    /* Keeps an entry, or does not; one that is there already is replaced. `data` is the caller's. */
    void (*put)(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], const void *data, size_t size);
    /* Of the cache's own memory and of what `get` returns; NULL: the C library's. Programs have that of their
     * options. */
    const struct qpucc_allocator *allocator;
};

/* A cache in a directory, which is made if it is not there (its parent has to be). `max_bytes`: the most that
 * all files in it take together; the entries that were not used for the longest time go first. 0: no bound.
 * An entry larger than that is not kept. Files are written under another name and renamed, so no process ever
 * sees half of one. NULL: the directory cannot be made or written to, or memory ran out. The caller closes
 * it. */
qpucc_cache *qpucc_cache_open(const char *directory, uint64_t max_bytes);
/* The same with memory of that allocator for the cache itself (NULL: the C library's). Programs have that of
 * their options, or of the program that they are variants of. NULL, too, if the allocator lacks a
 * function. */
qpucc_cache *qpucc_cache_open_with(const char *directory, uint64_t max_bytes,
                                   const struct qpucc_allocator *allocator);

/* A cache in a store of the caller's; *store is copied. NULL: a function is missing, of the store or
 * of its allocator, or memory ran out. */
qpucc_cache *qpucc_cache_open_store(const struct qpucc_cache_store *store);

/* No thread may be in a function of it. Entries and programs stay. NULL is allowed. */
void qpucc_cache_close(qpucc_cache *cache);

/* qpucc_compile and qpucc_variant with a cache, same arguments and results. Files
 * that the sources include count as parts of them: sources in which the word occurs are preprocessed first,
 * to see what the files say now. Options with callbacks are compiled each time. Programs with errors are not
 * kept. A variant is found if `program` came from the same kind of call, whatever cache
 * it was; else it is made. `cache` NULL: no cache. */
qpucc_program *qpucc_cache_compile(qpucc_cache *cache, const struct qpucc_source *sources, size_t count,
                                   const struct qpucc_state *state, const struct qpucc_options *options);
qpucc_program *qpucc_cache_variant(qpucc_cache *cache, const qpucc_program *program,
                                   const struct qpucc_state *state);

/* qpucc_link with a cache: a hit costs neither linking nor code, nor, with QPUCC_READ_LATER, reading. Shaders
 * that include files are linked each time. */
qpucc_program *qpucc_cache_link(qpucc_cache *cache, const qpucc_shader *const *shaders, size_t count,
                                const struct qpucc_state *state, const struct qpucc_options *options);

/* What happened since the cache was opened, here and not in other processes. */
struct qpucc_cache_stats {
    uint64_t hits, misses; /* damaged entries are misses */
    uint64_t damaged;
    uint64_t bypassed;        /* compiles that the cache cannot know */
    uint64_t stored, removed; /* entries; removed: by this process, for the bound of the directory */
};
struct qpucc_cache_stats qpucc_cache_statistics(qpucc_cache *cache);

#ifdef __cplusplus
}
#endif

#endif
