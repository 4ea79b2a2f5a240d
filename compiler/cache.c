/* The compile cache: keys, entries, and what is not cached. Where entries are kept is a store's affair
 * (cache_directory.c, or the caller's). */
#include "compiler/cache.h"
#include "compiler/container.h"
#include "compiler/costs.h"
#include "compiler/entry.h"
#include "compiler/shader.h"
#include "compiler/usage.h"
#include "ir/heap.h"

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

/* Of all that a program comes from but the state. */
static void sources_key(const struct front_glsl *glsl, const struct qpucc_source *sources, size_t count,
                        const struct qpucc_options *o, uint8_t key[32]) {
    struct sha256 s;
    sha256_begin(&s);
    sha256_add_text(&s, QPUCC_BUILD_ID);
    for (unsigned i = 0; i < 3; i++)
        sha256_add_number(&s, glsl ? glsl->version[i] : 0);
    sha256_add_number(&s, (uint64_t)o->opt_level);
    sha256_add_number(&s, o->flags);
    sha256_add_number(&s, o->default_precision);
    sha256_add_number(&s, o->warnings);
    sha256_add_number(&s, o->no_warnings);
    sha256_add_number(&s, o->uniform_precision);
    sha256_add_number(&s, o->unroll);
    sha256_add(&s, &o->chip, sizeof o->chip);
    sha256_add_number(&s, o->define_count);
    for (size_t i = 0; i < o->define_count; i++)
        sha256_add_text(&s, o->defines[i]);
    sha256_add_number(&s, o->spec_constant_count);
    for (size_t i = 0; i < o->spec_constant_count; i++) {
        sha256_add_number(&s, o->spec_constants[i].stage);
        sha256_add_number(&s, o->spec_constants[i].id);
        sha256_add_number(&s, o->spec_constants[i].bits);
    }
    for (unsigned i = 0; i < QPUCC_LIMIT_COUNT; i++)
        sha256_add_number(&s, o->limit[i]);
    sha256_add_number(&s, count);
    for (size_t i = 0; i < count; i++) {
        sha256_add_text(&s, sources[i].name);
        sha256_add_number(&s, sources[i].stage);
        sha256_add_number(&s, sources[i].language);
        sha256_add_sized(&s, sources[i].data, sources[i].size);
    }
    sha256_end(&s, key);
}

static void entry_key(const uint8_t sources[32], const struct qpucc_state *state, uint8_t key[32]) {
    static const struct qpucc_state initial;
    struct sha256 s;
    sha256_begin(&s);
    sha256_add(&s, sources, 32);
    sha256_add_sized(&s, state ? state : &initial, sizeof initial);
    sha256_end(&s, key);
}

/* Does the text name an #include? The word in a comment is enough: then it is preprocessed. */
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
    bool known = sources && count >= 1 && count <= 2 && !o->on_ir && !o->on_pass_time;
    for (size_t i = 0; known && i < count; i++)
        known = sources[i].data;
    return known;
}

/* What the sources include is read by preprocessing them. Sources, options and the files as they were found,
 * in order, decide everything else. The caller frees the program. NULL: nothing can be included, or there is
 * no memory. *known: false if what they include cannot be told. */
static qpucc_program *preprocess(const struct front_glsl *glsl, const struct qpucc_source *sources,
                                 size_t count, const struct qpucc_options *options, bool *known) {
    struct qpucc_options o = *options;
    bool may = false;
    for (size_t i = 0; i < count && !(o.flags & QPUCC_NO_INCLUDE); i++)
        may |= may_include(&sources[i]);
    *known = true;
    if (!may)
        return NULL;
    o.flags |= QPUCC_PREPROCESS_ONLY;
    qpucc_program *program = qpucc_private_compile(glsl, sources, count, NULL, &o);
    *known = program && program->status == QPUCC_OK;
    return program;
}

static void add_included(uint8_t key[32], const qpucc_program *program) {
    struct sha256 s;
    if (!program || !program->included)
        return;
    sha256_begin(&s);
    sha256_add(&s, key, 32);
    sha256_add(&s, program->included_sum, sizeof program->included_sum);
    sha256_end(&s, key);
}

/* --- entries -------------------------------------------------------------------------------------------- */

/* The caller frees it; NULL: there is none, or it is damaged. `text` says what it includes, or is NULL. The
 * program's memory comes `from` there, and its variants' limits are the caller's, which may be above what a
 * container can say. */
static qpucc_program *find(qpucc_cache *cache, const uint8_t key[32], const qpucc_program *text,
                           const struct qpucc_allocator *from, const uint64_t limit[QPUCC_LIMIT_COUNT]) {
    size_t size = 0;
    void *bytes = cache->store.get(cache->store.user, key, &size);
    qpucc_program *program = bytes ? container_read(bytes, size, from) : NULL;
    if (bytes && cache->store.allocator)
        cache->store.allocator->release(cache->store.allocator->user, bytes);
    else
        free(bytes);
    if (program && text) /* what is loaded says what it includes, too */
        program_add_included(program, text);
    bool oom = !program || ir_arena_oom(program->arena);
    if (program)
        program = program_close(program);
    if (program && (oom || qpucc_program_status(program) != QPUCC_OK)) {
        if (qpucc_program_status(program) == QPUCC_SOURCE_ERROR)
            atomic_fetch_add(&cache->damaged, 1);
        qpucc_program_free(program);
        program = NULL;
    }
    if (program)
        memcpy(program->kept->account.limit, limit, sizeof program->kept->account.limit);
    atomic_fetch_add(program ? &cache->hits : &cache->misses, 1);
    return program;
}

static void keep(qpucc_cache *cache, const uint8_t key[32], const qpucc_program *program) {
    struct bytes_out out = {.from = program->kept->from};
    if (program->status == QPUCC_OK && program->kept->complete && program->holds_ir &&
        container_write(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, &out)) {
        cache->store.put(cache->store.user, key, out.data, out.size);
        atomic_fetch_add(&cache->stored, 1);
    }
    ir_heap_free(out.data);
}

/* False: no key has all that the compile depends on; a newer header's options may have more. Options that are
 * refused are so whatever the cache has: not all of them are in the key. */
static bool copy_options(const struct qpucc_options *options, const struct qpucc_allocator *otherwise,
                         struct qpucc_options *to) {
    if (!usage_copy_options(options, to) || (options && options->size > sizeof *to))
        return false;
    qpucc_program *asked = program_create(NULL, to->allocator ? to->allocator : otherwise);
    bool valid = asked && usage_check_options(asked, options);
    qpucc_program_free(asked);
    return valid;
}

static void count_bypassed(qpucc_cache *cache) {
    if (cache)
        atomic_fetch_add(&cache->bypassed, 1);
}

/* A program knows what it came from, for its variants. */
static qpucc_program *sign(qpucc_program *program, const uint8_t sources[32]) {
    if (program) {
        memcpy(program->sources_key, sources, sizeof program->sources_key);
        program->has_sources_key = true;
    }
    return program;
}

/* One that was compiled. Its variants are compiles for their states, unless those warn of costs. */
static qpucc_program *sign_compiled(qpucc_program *program, uint8_t sources[32],
                                    const struct qpucc_options *options) {
    struct sha256 s;
    if (costs_are_asked(options)) {
        sha256_begin(&s);
        sha256_add_text(&s, "variant");
        sha256_add(&s, sources, 32);
        sha256_end(&s, sources);
    }
    return sign(program, sources);
}

qpucc_program *qpucc_private_cache_compile(const struct front_glsl *glsl, qpucc_cache *cache,
                                           const struct qpucc_source *sources, size_t count,
                                           const struct qpucc_state *state,
                                           const struct qpucc_options *options) {
    struct qpucc_options o;
    uint8_t plain[32], from[32], key[32];
    uint64_t limit[QPUCC_LIMIT_COUNT];
    bool known = cache && copy_options(options, NULL, &o) && is_known(sources, count, &o);
    qpucc_program *text = known ? preprocess(glsl, sources, count, &o, &known) : NULL;
    if (!known) {
        qpucc_program_free(text);
        count_bypassed(cache);
        return qpucc_private_compile(glsl, sources, count, state, options);
    }
    sources_key(glsl, sources, count, &o, plain);
    memcpy(from, plain, sizeof from);
    add_included(from, text);
    entry_key(from, state, key);
    program_limits(o.limit, o.opt_level, limit);
    qpucc_program *program = find(cache, key, text, o.allocator, limit);
    if (!program) {
        program = qpucc_private_compile(glsl, sources, count, state, options);
        if (program && text) { /* a file may have changed since the text was read */
            memcpy(from, plain, sizeof from);
            add_included(from, program);
            entry_key(from, state, key);
        }
        if (program)
            keep(cache, key, program);
    }
    qpucc_program_free(text);
    return sign_compiled(program, from, &o);
}

qpucc_program *qpucc_cache_variant(qpucc_cache *cache, const qpucc_program *program,
                                   const struct qpucc_state *state) {
    uint8_t key[32];
    if (!cache || !program->has_sources_key) {
        count_bypassed(cache);
        return qpucc_variant(program, state);
    }
    entry_key(program->sources_key, state, key);
    qpucc_program *variant = find(cache, key, NULL, program->kept->from, program->kept->account.limit);
    if (!variant) {
        variant = qpucc_variant(program, state);
        if (variant)
            keep(cache, key, variant);
    }
    return sign(variant, program->sources_key);
}

/* Whether sources, options and state are all that a program of it depends on. A shader that may include
 * nothing need not be read to know: what it says wrong is said by the link, and not kept. */
static bool is_linkable(const qpucc_shader *shader) {
    if (!shader || !shader->from.options)
        return false;
    if (!atomic_load(shader->read) && !may_include(&shader->from.source))
        return true;
    const struct shader_read *read = shader_read(shader);
    return read && read->program->status == QPUCC_OK && !read->program->included;
}

/* What shaders linked with these options come from. False: not all that the result depends on is known. */
static bool shaders_key(const qpucc_shader *const *shaders, size_t count, const struct qpucc_options *o,
                        uint8_t key[32]) {
    struct sha256 s;
    uint8_t part[32];
    if (!shaders || count < 1 || count > 2 || o->on_ir || o->on_pass_time)
        return false;
    sha256_begin(&s);
    sha256_add_text(&s, "link");
    for (size_t i = 0; i < count; i++) {
        const qpucc_shader *shader = shaders[i];
        if (!is_linkable(shader))
            return false;
        sources_key(shader->glsl, &shader->from.source, 1, shader->from.options, part);
        sha256_add(&s, part, sizeof part);
    }
    struct qpucc_options own = *o;
    own.define_count = own.spec_constant_count = 0; /* the shaders have their own */
    sources_key(NULL, NULL, 0, &own, part);
    sha256_add(&s, part, sizeof part);
    sha256_end(&s, key);
    return true;
}

qpucc_program *qpucc_cache_link(qpucc_cache *cache, const qpucc_shader *const *shaders, size_t count,
                                const struct qpucc_state *state, const struct qpucc_options *options) {
    struct qpucc_options o;
    uint8_t from[32], key[32];
    uint64_t limit[QPUCC_LIMIT_COUNT];
    const struct qpucc_allocator *memory = shaders && count && shaders[0] ? shaders[0]->allocator : NULL;
    if (!cache || !copy_options(options, memory, &o) || !shaders_key(shaders, count, &o, from)) {
        count_bypassed(cache);
        return qpucc_link(shaders, count, state, options);
    }
    entry_key(from, state, key);
    program_limits(o.limit, o.opt_level, limit);
    qpucc_program *program = find(cache, key, NULL, o.allocator ? o.allocator : memory, limit);
    if (!program) {
        program = qpucc_link(shaders, count, state, options);
        if (program)
            keep(cache, key, program);
    }
    return sign_compiled(program, from, &o);
}

/* --- opening -------------------------------------------------------------------------------------------- */

qpucc_cache *qpucc_cache_open_store(const struct qpucc_cache_store *store) {
    bool whole = store && store->get && store->put && allocator_is_whole(store->allocator);
    qpucc_cache *cache = whole ? ir_heap_zeroed(store->allocator, sizeof *cache) : NULL;
    if (cache)
        cache->store = *store;
    return cache;
}

qpucc_cache *qpucc_cache_open_with(const char *directory, uint64_t max_bytes,
                                   const struct qpucc_allocator *allocator) {
    if (!allocator_is_whole(allocator))
        return NULL;
    struct cache_directory *d = cache_directory_open(directory, max_bytes, allocator);
    struct qpucc_cache_store store = {d, cache_directory_get, cache_directory_put, allocator};
    qpucc_cache *cache = d ? qpucc_cache_open_store(&store) : NULL;
    if (cache)
        cache->directory = d;
    else
        cache_directory_close(d);
    return cache;
}

qpucc_cache *qpucc_cache_open(const char *directory, uint64_t max_bytes) {
    return qpucc_cache_open_with(directory, max_bytes, NULL);
}

void qpucc_cache_close(qpucc_cache *cache) {
    if (!cache)
        return;
    cache_directory_close(cache->directory);
    ir_heap_free(cache);
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
