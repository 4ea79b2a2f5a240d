/* Arena: memory that dies in one call.
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
#define LARGEST_CHUNK ((size_t)1 << 20)
#define STRIPE ((size_t)1 << 10)
#define SCRATCH ((size_t)1 << 20)

struct chunk {
    struct chunk *next;
    size_t size, used, cleared; /* used <= cleared: what is zero is cleared a stripe at a time */
    alignas(max_align_t) unsigned char data[];
};

struct ir_arena {
    struct chunk *chunks; /* the newest first */
    size_t total, next_size;
    bool oom;
    alignas(max_align_t) unsigned char scratch[SCRATCH];
};

struct ir_arena *ir_arena_create(void) {
    /* not calloc: it would clear the scratch page, a megabyte that is hardly ever touched, for every arena */
    struct ir_arena *arena = malloc(sizeof *arena);
    if (arena) {
        arena->chunks = NULL;
        arena->total = 0;
        arena->next_size = FIRST_CHUNK;
        arena->oom = false;
    }
    return arena;
}

void ir_arena_destroy(struct ir_arena *arena) {
    if (!arena)
        return;
    for (struct chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(arena);
}

static void *scratch(struct ir_arena *arena, size_t size) {
    arena->oom = true;
    memset(arena->scratch, 0, size < SCRATCH ? size : SCRATCH);
    return arena->scratch;
}

void *ir_alloc(struct ir_arena *arena, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size == 0)
        size = 1;
    if (size > SIZE_MAX / 2)
        return scratch(arena, size);
    size = (size + align - 1) & ~(align - 1);
    struct chunk *c = arena->chunks;
    if (!c || c->size - c->used < size) {
        size_t want = arena->next_size > size ? arena->next_size : size;
        /* A large request gets a chunk of its own, others share one that is cleared as it is handed out. */
        bool own = want == size;
        struct chunk *fresh = own ? calloc(1, sizeof *fresh + want) : malloc(sizeof *fresh + want);
        if (!fresh)
            return scratch(arena, size);
        arena->total += want;
        if (arena->total > LIMIT)
            arena->oom = true;
        if (arena->next_size < LARGEST_CHUNK)
            arena->next_size *= 2;
        fresh->size = want;
        fresh->used = own ? size : 0;
        fresh->cleared = fresh->used;
        if (own && c && c->size - c->used > 256) { /* what is left of the current one stays in use */
            fresh->next = c->next;
            c->next = fresh;
        } else {
            fresh->next = c;
            arena->chunks = fresh;
        }
        if (own)
            return fresh->data;
        c = fresh;
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
