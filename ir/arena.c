/* Arena: memory that dies in one call.
 *
 * The arenas of one compile share a store: what one gives back the next one takes, so that a compile does not
 * go to the system for every copy of a shader.
 *
 * Running out is a flag, not an abort: past the limit ir_arena_oom turns true and allocation goes on, so that
 * the code in flight stays sound until its caller looks at the flag. Only when the system itself has nothing
 * left do allocations come from one scratch page that is handed out again and again. */
#include "ir/ir.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT ((size_t)256 << 20)
#define FIRST_CHUNK ((size_t)16 << 10)
#define STRIPE ((size_t)1 << 10)
#define SCRATCH ((size_t)1 << 20)

enum { SIZES = 7 }; /* of chunks: FIRST_CHUNK and up, doubled each time, to a megabyte */

struct chunk {
    struct chunk *next;
    size_t size, used, cleared; /* used <= cleared: what is zero is cleared a stripe at a time */
    unsigned kind;              /* which of the sizes; SIZES: none of them, made for one request */
    alignas(max_align_t) unsigned char data[];
};

struct store {
    unsigned users;
    struct chunk *idle[SIZES];
    alignas(max_align_t) unsigned char scratch[SCRATCH]; /* never touched but when all else fails */
};

struct ir_arena { /* lies in its own first chunk */
    struct store *store;
    struct chunk *chunks; /* the newest first */
    size_t total;
    unsigned next; /* size of the next chunk */
    bool oom;
};

static size_t aligned(size_t size) {
    const size_t align = alignof(max_align_t);
    return (size + align - 1) & ~(align - 1);
}

static struct chunk *take_chunk(struct store *store, unsigned kind) {
    size_t size = FIRST_CHUNK << kind;
    struct chunk *c = store->idle[kind];
    if (c)
        store->idle[kind] = c->next;
    else if (!(c = malloc(sizeof *c + size)))
        return NULL;
    *c = (struct chunk){.size = size, .kind = kind};
    return c;
}

static void give_chunk(struct store *store, struct chunk *c) {
#ifndef __SANITIZE_ADDRESS__ /* which finds uses of what has been given back */
    if (c->kind < SIZES) {
        c->next = store->idle[c->kind];
        store->idle[c->kind] = c;
        return;
    }
#else
    (void)store;
#endif
    free(c);
}

static void free_idle(struct store *store) {
    for (unsigned k = 0; k < SIZES; k++)
        for (struct chunk *c; (c = store->idle[k]);) {
            store->idle[k] = c->next;
            free(c);
        }
}

static struct ir_arena *create(struct store *store) {
    struct chunk *first = take_chunk(store, 0);
    if (!first)
        return NULL;
    struct ir_arena *arena = (struct ir_arena *)first->data;
    *arena = (struct ir_arena){.store = store, .chunks = first, .next = 1};
    first->used = first->cleared = aligned(sizeof *arena);
    store->users++;
    return arena;
}

struct ir_arena *ir_arena_create(void) {
    struct store *store = malloc(sizeof *store); /* calloc would clear the scratch page */
    if (!store)
        return NULL;
    store->users = 0;
    memset(store->idle, 0, sizeof store->idle);
    struct ir_arena *arena = create(store);
    if (!arena)
        free(store);
    return arena;
}

struct ir_arena *ir_arena_beside(struct ir_arena *other) {
    return create(other->store);
}

void ir_arena_destroy(struct ir_arena *arena) {
    if (!arena)
        return;
    struct store *store = arena->store;
    for (struct chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        give_chunk(store, c);
    }
    if (--store->users == 0) {
        free_idle(store);
        free(store);
    }
}

struct ir_mark ir_arena_mark(const struct ir_arena *arena) {
    return (struct ir_mark){arena->chunks, arena->chunks->used};
}

void ir_arena_rewind(struct ir_arena *arena, struct ir_mark mark) {
    struct chunk *c;
    while ((c = arena->chunks) != mark.chunk) {
        arena->chunks = c->next;
        arena->total -= c->size;
        give_chunk(arena->store, c);
    }
    c->used = c->cleared = mark.used;
}

void ir_arena_trim(struct ir_arena *arena) {
    free_idle(arena->store);
}

static void *scratch(struct ir_arena *arena, size_t size) {
    arena->oom = true;
    return memset(arena->store->scratch, 0, size < SCRATCH ? size : SCRATCH);
}

/* A chunk in front of the others that has room; NULL: the system has none. */
static struct chunk *add_chunk(struct ir_arena *arena, size_t size) {
    struct chunk *c, *front = arena->chunks;
    if (size > FIRST_CHUNK << arena->next) { /* a large request gets one of its own */
        c = calloc(1, sizeof *c + size);
        if (!c)
            return NULL;
        c->size = c->cleared = size;
        c->kind = SIZES;
    } else if (!(c = take_chunk(arena->store, arena->next)))
        return NULL;
    arena->next += arena->next < SIZES - 1;
    arena->total += c->size;
    arena->oom |= arena->total > LIMIT;
    c->next = front;
    arena->chunks = c;
    return c;
}

void *ir_alloc(struct ir_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2)
        return scratch(arena, size);
    size = aligned(size ? size : 1);
    struct chunk *c = arena->chunks;
    if (c->size - c->used < size) {
        struct chunk *front = c;
        c = add_chunk(arena, size);
        if (!c)
            return scratch(arena, size);
        if (c->kind == SIZES &&
            front->size - front->used > STRIPE) { /* the rest of that one is still of use */
            c->next = front->next;
            front->next = c;
            arena->chunks = front;
        }
    }
    void *result = c->data + c->used;
    c->used += size;
    if (c->used > c->cleared) {
        size_t end = c->size - c->used > STRIPE ? c->used + STRIPE : c->size;
        memset(c->data + c->cleared, 0, end - c->cleared);
        c->cleared = end;
    }
    return result;
}

char *ir_strdup(struct ir_arena *arena, const char *text) {
    size_t length = strlen(text);
    char *copy = ir_alloc(arena, length + 1);
    memcpy(copy, text, length + 1);
    return copy;
}

bool ir_arena_oom(const struct ir_arena *arena) {
    return arena->oom;
}
