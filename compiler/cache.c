/* The compile cache: keys, entries, and what is not cached. Where entries are kept is a store's affair
 * (cache_directory.c, or the caller's). */
#include "compiler/cache.h"
#include "compiler/container.h"

#include <glslang/build_info.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifndef QPUCC_BUILD_ID
#include "compiler/build_id.h" /* made by build_id.cmake */
#endif

struct qpucc_cache {
    struct qpucc_cache_store store;
    struct cache_directory *directory; /* or NULL: the store is the caller's */
    atomic_ullong hits, misses, damaged, bypassed, stored;
};

/* --- keys ----------------------------------------------------------------------------------------------- */

static void add_number(struct sha256 *s, uint64_t number) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    sha256_add(s, bytes, sizeof bytes);
}

/* With its length in front, so that neighbours cannot exchange bytes. */
static void add_bytes(struct sha256 *s, const void *data, size_t size) {
    add_number(s, size);
    if (size)
        sha256_add(s, data, size);
}

static void add_text(struct sha256 *s, const char *text) {
    add_number(s, text != NULL);
    add_bytes(s, text, text ? strlen(text) : 0);
}

/* Of all but the state. */
static void sources_key(const struct qpucc_source *sources, size_t count, const struct qpucc_options *o,
                        uint8_t key[32]) {
    struct sha256 s;
    sha256_begin(&s);
    add_text(&s, QPUCC_BUILD_ID);
    add_number(&s, GLSLANG_VERSION_MAJOR);
    add_number(&s, GLSLANG_VERSION_MINOR);
    add_number(&s, GLSLANG_VERSION_PATCH);
    add_number(&s, (uint64_t)o->opt_level);
    add_number(&s, o->flags);
    add_number(&s, o->default_precision);
    add_number(&s, o->define_count);
    for (size_t i = 0; i < o->define_count; i++)
        add_text(&s, o->defines[i]);
    for (unsigned i = 0; i < QPUCC_LIMIT_COUNT; i++)
        add_number(&s, o->limit[i]);
    add_number(&s, count);
    for (size_t i = 0; i < count; i++) {
        add_text(&s, sources[i].name);
        add_number(&s, sources[i].stage);
        add_number(&s, sources[i].language);
        add_bytes(&s, sources[i].data, sources[i].size);
    }
    sha256_end(&s, key);
}

static void entry_key(const uint8_t sources[32], const struct qpucc_state *state, uint8_t key[32]) {
    static const struct qpucc_state initial;
    struct sha256 s;
    sha256_begin(&s);
    sha256_add(&s, sources, 32);
    add_bytes(&s, state ? state : &initial, sizeof initial);
    sha256_end(&s, key);
}

/* Does the text name an #include? The word in a comment is enough: then it is compiled, which is never wrong.
 */
static bool may_include(const struct qpucc_source *source) {
    static const char word[] = "include";
    const char *text = source->data;
    size_t length = sizeof word - 1;
    if (source->language != QPUCC_GLSL)
        return false;
    for (size_t i = 0; i + length <= source->size; i++)
        if (text[i] == 'i' && !memcmp(text + i, word, length))
            return true;
    /* the word may be split over lines; nobody does it, but it is legal */
    for (size_t i = 0; i + 1 < source->size; i++)
        if (text[i] == '\\' && (text[i + 1] == '\n' || text[i + 1] == '\r'))
            return true;
    return false;
}

static bool is_known(const struct qpucc_source *sources, size_t count, const struct qpucc_options *o) {
    bool known = sources && count && !o->on_ir && !o->on_pass_time;
    for (size_t i = 0; known && i < count; i++)
        known = sources[i].data && (o->flags & QPUCC_NO_INCLUDE || !may_include(&sources[i]));
    return known;
}

/* --- entries -------------------------------------------------------------------------------------------- */

/* NULL: there is none, or it is damaged. */
static qpucc_program *find(qpucc_cache *cache, const uint8_t key[32]) {
    size_t size = 0;
    void *bytes = cache->store.get(cache->store.user, key, &size);
    qpucc_program *program = bytes ? qpucc_program_load(bytes, size) : NULL;
    free(bytes);
    if (bytes && (!program || qpucc_program_status(program) != QPUCC_OK)) {
        qpucc_program_free(program);
        program = NULL;
        atomic_fetch_add(&cache->damaged, 1);
    }
    atomic_fetch_add(program ? &cache->hits : &cache->misses, 1);
    return program;
}

static void keep(qpucc_cache *cache, const uint8_t key[32], const qpucc_program *program) {
    struct bytes_out out = {0};
    if (program->status == QPUCC_OK && program->kept->complete &&
        container_write(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, &out)) {
        cache->store.put(cache->store.user, key, out.data, out.size);
        atomic_fetch_add(&cache->stored, 1);
    }
    free(out.data);
}

/* A program knows what it came from, for its variants. */
static qpucc_program *sign(qpucc_program *program, const uint8_t sources[32]) {
    if (program) {
        memcpy(program->sources_key, sources, sizeof program->sources_key);
        program->has_sources_key = true;
    }
    return program;
}

qpucc_program *qpucc_cache_compile(qpucc_cache *cache, const struct qpucc_source *sources, size_t count,
                                   const struct qpucc_state *state, const struct qpucc_options *options) {
    struct qpucc_options defaults = qpucc_options_default();
    const struct qpucc_options *o = options ? options : &defaults;
    uint8_t from[32], key[32];
    if (!cache || !is_known(sources, count, o)) {
        if (cache)
            atomic_fetch_add(&cache->bypassed, 1);
        return qpucc_compile(sources, count, state, options);
    }
    sources_key(sources, count, o, from);
    entry_key(from, state, key);
    qpucc_program *program = find(cache, key);
    if (!program) {
        program = qpucc_compile(sources, count, state, options);
        if (program)
            keep(cache, key, program);
    }
    return sign(program, from);
}

qpucc_program *qpucc_cache_variant(qpucc_cache *cache, const qpucc_program *program,
                                   const struct qpucc_state *state) {
    uint8_t key[32];
    if (!cache || !program->has_sources_key) {
        if (cache)
            atomic_fetch_add(&cache->bypassed, 1);
        return qpucc_variant(program, state);
    }
    entry_key(program->sources_key, state, key);
    qpucc_program *variant = find(cache, key);
    if (!variant) {
        variant = qpucc_variant(program, state);
        if (variant)
            keep(cache, key, variant);
    }
    return sign(variant, program->sources_key);
}

/* --- opening -------------------------------------------------------------------------------------------- */

qpucc_cache *qpucc_cache_open_store(const struct qpucc_cache_store *store) {
    qpucc_cache *cache = store && store->get && store->put ? calloc(1, sizeof *cache) : NULL;
    if (cache)
        cache->store = *store;
    return cache;
}

qpucc_cache *qpucc_cache_open(const char *directory, uint64_t max_bytes) {
    struct cache_directory *d = cache_directory_open(directory, max_bytes);
    struct qpucc_cache_store store = {d, cache_directory_get, cache_directory_put};
    qpucc_cache *cache = d ? qpucc_cache_open_store(&store) : NULL;
    if (cache)
        cache->directory = d;
    else
        cache_directory_close(d);
    return cache;
}

void qpucc_cache_close(qpucc_cache *cache) {
    if (!cache)
        return;
    cache_directory_close(cache->directory);
    free(cache);
}

struct qpucc_cache_stats qpucc_cache_statistics(qpucc_cache *cache) {
    return (struct qpucc_cache_stats){
        .hits = atomic_load(&cache->hits),
        .misses = atomic_load(&cache->misses),
        .damaged = atomic_load(&cache->damaged),
        .bypassed = atomic_load(&cache->bypassed),
        .stored = atomic_load(&cache->stored),
        .removed = cache->directory ? cache_directory_removed(cache->directory) : 0,
    };
}
