/* Many sets of numbers that have few members each: a set is a list of the words of its bit set that are not
 * zero. And sets as whole bit sets, for the one that is worked on. Memory is the arena's; where it runs out
 * sets stay as they are. */
#ifndef QPUCC_SPARSE_H
#define QPUCC_SPARSE_H

#include "ir/ir.h"

struct sparse_word {
    uint64_t bits;
    uint32_t word, next; /* next: index of the next one, 0: none */
};

/* Words of sets that are emptied together. Begins as {.arena = ...}. */
struct sparse_pool {
    struct ir_arena *arena;
    struct sparse_word *at; /* from 1 on */
    uint32_t count, cap;
};

struct sparse_sets {
    struct sparse_pool *pool;
    uint32_t *first, *last; /* by set: indices of its first and last word, 0: it is empty */
};

/* Sets 0 .. count - 1, all empty. */
struct sparse_sets sparse_begin(struct sparse_pool *pool, uint32_t count);
/* Empties all sets of a pool: first this, then sparse_forget for each sparse_sets, with its count. */
void sparse_empty(struct sparse_pool *pool);
void sparse_forget(struct sparse_sets *sets, uint32_t count);
void sparse_add(struct sparse_sets *sets, uint32_t set, uint32_t member);
bool sparse_has(const struct sparse_sets *sets, uint32_t set, uint32_t member);
uint32_t sparse_count(const struct sparse_sets *sets, uint32_t set);

/* Runs the body for each member, in order. Other sets may grow meanwhile. */
#define FOR_SPARSE(i, sets, set)                                                                             \
    for (uint32_t i##_w = (sets)->first[set]; i##_w; i##_w = (sets)->pool->at[i##_w].next)                   \
        for (uint64_t i##_b = (sets)->pool->at[i##_w].bits, i##_base = 64ull * (sets)->pool->at[i##_w].word; \
             i##_b; i##_b &= i##_b - 1)                                                                      \
            for (uint32_t i = (uint32_t)i##_base + (uint32_t)__builtin_ctzll(i##_b), i##_once = 1; i##_once; \
                 i##_once = 0)

struct full_set {
    uint64_t *word, *top; /* top: a bit for each word that may have bits */
    uint32_t tops;
};

/* An empty set of numbers below `members`. */
struct full_set full_begin(struct ir_arena *arena, uint32_t members);
void full_empty(struct full_set *full);
/* full |= set. */
void full_unite(struct full_set *full, const struct sparse_sets *sets, uint32_t set);
uint32_t full_count(const struct full_set *full);
/* set |= full, where `mask`, if there is one, has a bit. */
void sparse_unite(struct sparse_sets *sets, uint32_t set, const struct full_set *full, const uint64_t *mask);

static inline void full_add(struct full_set *full, uint32_t i) {
    full->word[i / 64] |= 1ull << i % 64;
    full->top[i / 4096] |= 1ull << i / 64 % 64;
}
static inline void full_remove(struct full_set *full, uint32_t i) {
    full->word[i / 64] &= ~(1ull << i % 64);
}

/* The same for a full set, which must not change meanwhile. */
#define FOR_FULL(i, full)                                                                                    \
    for (uint32_t i##_t = 0; i##_t < (full)->tops; i##_t++)                                                  \
        for (uint64_t i##_u = (full)->top[i##_t]; i##_u; i##_u &= i##_u - 1)                                 \
            for (uint64_t i##_w = 64ull * i##_t + (uint64_t)__builtin_ctzll(i##_u),                          \
                          i##_b = (full)->word[i##_w];                                                       \
                 i##_b; i##_b &= i##_b - 1)                                                                  \
                for (uint32_t i = (uint32_t)(64 * i##_w) + (uint32_t)__builtin_ctzll(i##_b), i##_once = 1;   \
                     i##_once; i##_once = 0)

#endif
