/* Sets of few numbers each.
 *
 * Requires: nothing. Keeps: the order of members. Where memory runs out sets stay as they are, and the arena
 * says so. */
#include "regalloc/sparse.h"

#include <string.h>

struct sparse_sets sparse_begin(struct sparse_pool *pool, uint32_t count) {
    struct sparse_sets sets = {pool, ir_alloc(pool->arena, (count + 1) * sizeof(uint32_t)),
                               ir_alloc(pool->arena, (count + 1) * sizeof(uint32_t))};
    return sets;
}

void sparse_empty(struct sparse_pool *pool) {
    pool->count = 0;
}

void sparse_forget(struct sparse_sets *sets, uint32_t count) {
    memset(sets->first, 0, count * sizeof *sets->first);
    memset(sets->last, 0, count * sizeof *sets->last);
}

/* A new word after `before` (0: the first); 0: no memory. */
static uint32_t insert(struct sparse_sets *sets, uint32_t set, uint32_t before, uint32_t word,
                       uint64_t bits) {
    struct sparse_pool *pool = sets->pool;
    if (pool->count + 1 >= pool->cap) {
        uint32_t cap = pool->cap ? 2 * pool->cap : 256;
        struct sparse_word *more = ir_alloc(pool->arena, cap * sizeof *more);
        if (ir_arena_oom(pool->arena)) /* `more` may be anybody's */
            return 0;
        if (pool->cap)
            memcpy(more, pool->at, pool->cap * sizeof *more);
        pool->at = more;
        pool->cap = cap;
    }
    uint32_t at = ++pool->count, *link = before ? &pool->at[before].next : &sets->first[set];
    pool->at[at] = (struct sparse_word){bits, word, *link};
    *link = at;
    if (sets->last[set] == before)
        sets->last[set] = at;
    return at;
}

/* Adds bits to a word that is `from` or comes after it (0: from the first on). Returns where they are. */
static uint32_t add_bits(struct sparse_sets *sets, uint32_t set, uint32_t from, uint32_t word,
                         uint64_t bits) {
    const uint32_t last = sets->last[set];
    struct sparse_word *at = sets->pool->at;
    uint32_t before = last && at[last].word < word ? last : from;
    for (uint32_t next = before ? at[before].next : sets->first[set]; next && at[next].word <= word;
         next = at[next].next)
        before = next;
    if (before && at[before].word == word) {
        at[before].bits |= bits;
        return before;
    }
    return insert(sets, set, before, word, bits);
}

void sparse_add(struct sparse_sets *sets, uint32_t set, uint32_t member) {
    const uint32_t last = sets->last[set];
    if (last && sets->pool->at[last].word == member / 64)
        sets->pool->at[last].bits |= 1ull << member % 64;
    else
        add_bits(sets, set, 0, member / 64, 1ull << member % 64);
}

bool sparse_has(const struct sparse_sets *sets, uint32_t set, uint32_t member) {
    const struct sparse_word *at = sets->pool->at;
    uint32_t i = sets->first[set];
    while (i && at[i].word < member / 64)
        i = at[i].next;
    return i && at[i].word == member / 64 && at[i].bits >> member % 64 & 1;
}

uint32_t sparse_count(const struct sparse_sets *sets, uint32_t set) {
    uint32_t n = 0;
    for (uint32_t i = sets->first[set]; i; i = sets->pool->at[i].next)
        n += (uint32_t)__builtin_popcountll(sets->pool->at[i].bits);
    return n;
}

struct full_set full_begin(struct ir_arena *arena, uint32_t members) {
    struct full_set full = {.tops = members / 4096 + 1};
    full.top = ir_alloc(arena, full.tops * sizeof *full.top);
    full.word = ir_alloc(arena, 64 * (size_t)full.tops * sizeof *full.word);
    return full;
}

#define FOR_WORDS(w, full)                                                                                   \
    for (uint32_t w##_t = 0; w##_t < (full)->tops; w##_t++)                                                  \
        for (uint64_t w##_u = (full)->top[w##_t]; w##_u; w##_u &= w##_u - 1)                                 \
            for (uint32_t w = 64 * w##_t + (uint32_t)__builtin_ctzll(w##_u), w##_once = 1; w##_once;         \
                 w##_once = 0)

void full_empty(struct full_set *full) {
    FOR_WORDS(w, full) full->word[w] = 0;
    memset(full->top, 0, full->tops * sizeof *full->top);
}

void full_unite(struct full_set *full, const struct sparse_sets *sets, uint32_t set) {
    for (uint32_t i = sets->first[set]; i; i = sets->pool->at[i].next) {
        uint32_t w = sets->pool->at[i].word;
        full->word[w] |= sets->pool->at[i].bits;
        full->top[w / 64] |= 1ull << w % 64;
    }
}

uint32_t full_count(const struct full_set *full) {
    uint32_t n = 0;
    FOR_WORDS(w, full) n += (uint32_t)__builtin_popcountll(full->word[w]);
    return n;
}

void sparse_unite(struct sparse_sets *sets, uint32_t set, const struct full_set *full, const uint64_t *mask) {
    uint32_t from = 0;
    FOR_WORDS(w, full) {
        uint64_t bits = full->word[w] & (mask ? mask[w] : UINT64_MAX);
        uint32_t at = bits ? add_bits(sets, set, from, w, bits) : from;
        from = at ? at : from;
    }
}
