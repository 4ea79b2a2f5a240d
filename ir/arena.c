/* Arena: memory that dies in one call.
 *
 * The arenas of one compile share a store, which reuses the memory that an arena gives back. So a compile
 * does not need new memory from the system for every copy of a shader.
 *
 * The store keeps the compile's account, too: the limits, and what has been used of them. Running out of
 * memory, or meeting a limit, sets a flag and does not abort. Beyond a limit ir_arena_oom returns true and
 * allocation continues, so that running code stays valid until its caller checks the flag. When the system
 * itself has no memory left, all arenas of the store set the flag and use a reserve, which each store has
 * from the beginning (untouched, so it costs an address range and no memory). The reserve is large enough for
 * the work between two checks of the flag. Code that allocates much at once checks the flag before it uses
 * the memory. When a compile is done its stores are closed (ir_arena_close), and the reserve goes.
 *
 * The two stores of a compile have one reserve between them, and it lies in the heap. The GNU C library keeps
 * free memory at the heap's end up to twice the largest block that it mapped by itself and gave back: that is
 * two reserves. So a compile finds its memory where the one before left it, and needs no new pages.
 *
 * A program is made in small arenas (ir_arena_small), whose chunks begin with a kilobyte; then it moves
 * (compiler/keep.c). */
#include "ir/heap.h"
#include "ir/ir.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sys/mman.h>
#endif

#define FIRST_CHUNK ((size_t)16 << 10)
#define STRIPE ((size_t)1 << 10)
#define SMALL_CHUNK ((size_t)1 << 10)
#define RESERVE ((size_t)8 << 20)
#define ALIGNED(size) (((size) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1))
#define ROOM ALIGNED(sizeof(struct ir_arena)) /* of an arena's first chunk in the reserve: for itself */

enum { SIZES = 7 };       /* of chunks: FIRST_CHUNK and up, doubled each time, to a megabyte */
enum { SMALL_STEPS = 1 }; /* so often a small arena's chunks are doubled */
enum { ARENAS = 1024 };   /* that have room in the reserve */

struct chunk {
    struct chunk *next;
    size_t size, used, cleared; /* used <= cleared: what is zero is cleared a stripe at a time */
    /* which of the sizes; SIZES: none of them, made for one request; SIZES + 1: of the reserve */
    unsigned kind;
    alignas(max_align_t) unsigned char data[];
};

struct store {
    const struct qpucc_allocator *from; /* of all chunks; NULL: the C library's */
    unsigned users;
    struct chunk *idle[SIZES];
#ifdef __SANITIZE_ADDRESS__
    struct chunk *last_idle[SIZES];
    unsigned idle_count[SIZES];
#endif
    bool failed;             /* the system had no memory */
    struct reserve *reserve; /* NULL: closed */
    uint64_t limit[QPUCC_LIMIT_COUNT];
    struct qpucc_usage usage;
    uint64_t carried;     /* of these, another store's */
    uint64_t held;        /* bytes of all chunks that arenas have, and of what is theirs elsewhere */
    enum qpucc_limit met; /* the first one that was; QPUCC_LIMIT_COUNT: none */
    const int *cancel;    /* the caller's flag, or NULL */
    bool cancelled;       /* it was set once */
};

struct ir_arena { /* lies in its own first chunk */
    struct store *store;
    struct chunk *chunks; /* the newest first */
    unsigned next;        /* size of the next chunk */
    bool small;
};

struct reserve {
    atomic_uint users; /* stores; one thread at a time takes memory */
    const struct qpucc_allocator *from;
    size_t used;
    unsigned arenas;
    alignas(struct chunk) unsigned char first[ARENAS][sizeof(struct chunk) + ROOM]; /* never given twice */
    alignas(max_align_t) unsigned char data[RESERVE];
};

static size_t aligned(size_t size) {
    return ALIGNED(size);
}

/* What is left to give when the system has nothing: ever the last bytes when the reserve is used up. */
static void *take_reserve(struct store *store, size_t size) {
    store->failed = true;
    if (size > RESERVE)
        size = RESERVE;
    struct reserve *reserve = store->reserve;
    size_t at = reserve->used + size <= RESERVE ? reserve->used : RESERVE - size;
    reserve->used = at + size;
    return memset(reserve->data + at, 0, size);
}

/* The first of an arena that is made then. */
static struct chunk *reserve_chunk(struct store *store) {
    struct reserve *reserve = store->reserve;
    reserve->arenas += reserve->arenas < ARENAS;
    struct chunk *c = (struct chunk *)reserve->first[reserve->arenas - 1];
    *c = (struct chunk){.size = ROOM, .cleared = ROOM, .kind = SIZES + 1};
    store->failed = true;
    return c;
}

static void meet(struct store *store, enum qpucc_limit which) {
    if (store->met == QPUCC_LIMIT_COUNT)
        store->met = which;
}

static void hold(struct store *store, size_t size) {
    store->held += size;
    if (store->held > store->usage.bytes)
        store->usage.bytes = store->held;
    if (store->held > store->limit[QPUCC_LIMIT_BYTES])
        meet(store, QPUCC_LIMIT_BYTES);
}

#ifdef __SANITIZE_ADDRESS__
/* What no request was given, and what has been given back, nobody may touch. The heap would see to that, but
 * it would map and unmap memory for each chunk: half of what a compile takes. So chunks are kept here, too,
 * and each of them lies idle until enough others of its size do. */
enum { LEAST_IDLE = 8 };

static void hide(const struct chunk *c, size_t from, size_t end) {
    if (c->kind <= SIZES)
        __asan_poison_memory_region(c->data + from, end - from);
}

static void show(const struct chunk *c, size_t from, size_t end) {
    if (c->kind <= SIZES)
        __asan_unpoison_memory_region(c->data + from, end - from);
}

static void put_idle(struct store *store, struct chunk *c) {
    hide(c, 0, c->cleared);
    c->next = NULL;
    *(store->idle[c->kind] ? &store->last_idle[c->kind]->next : &store->idle[c->kind]) = c;
    store->last_idle[c->kind] = c;
    store->idle_count[c->kind]++;
}

static struct chunk *take_idle(struct store *store, unsigned kind) {
    struct chunk *c = store->idle[kind];
    if (store->idle_count[kind] <= LEAST_IDLE)
        return NULL;
    store->idle_count[kind]--;
    store->idle[kind] = c->next;
    return c;
}
#else
static void hide(const struct chunk *c, size_t from, size_t end) {
    (void)c, (void)from, (void)end;
}

static void show(const struct chunk *c, size_t from, size_t end) {
    (void)c, (void)from, (void)end;
}

static void put_idle(struct store *store, struct chunk *c) {
    c->next = store->idle[c->kind];
    store->idle[c->kind] = c;
}

static struct chunk *take_idle(struct store *store, unsigned kind) {
    struct chunk *c = store->idle[kind];
    if (c)
        store->idle[kind] = c->next;
    return c;
}
#endif

/* NULL: the system has no memory. */
static struct chunk *take_chunk(struct store *store, unsigned kind) {
    size_t size = FIRST_CHUNK << kind;
    struct chunk *c = take_idle(store, kind);
    bool fresh = !c;
    if (fresh && !(c = ir_heap_get(store->from, sizeof *c + size)))
        return NULL;
    *c = (struct chunk){.size = size, .kind = kind};
    if (fresh)
        hide(c, 0, size);
    hold(store, size);
    return c;
}

static void free_chunk(struct chunk *c) {
    show(c, 0, c->size);
    ir_heap_free(c);
}

static void give_chunk(struct store *store, struct chunk *c) {
    if (c->kind > SIZES)
        return;
    store->held -= c->size;
    if (c->kind < SIZES)
        put_idle(store, c);
    else
        free_chunk(c);
}

static void free_idle(struct store *store) {
    for (unsigned k = 0; k < SIZES; k++) {
        for (struct chunk *c; (c = store->idle[k]);) {
            store->idle[k] = c->next;
            free_chunk(c);
        }
#ifdef __SANITIZE_ADDRESS__
        store->idle_count[k] = 0;
#endif
    }
}

/* A chunk for one request, or for a small arena. NULL: the system has no memory. */
static struct chunk *own_chunk(struct store *store, size_t size) {
    struct chunk *c = ir_heap_zeroed(store->from, sizeof *c + size);
    if (!c)
        return NULL;
    c->size = c->cleared = size;
    c->kind = SIZES;
    hold(store, size);
    return c;
}

static struct ir_arena *create(struct store *store, bool small) {
    struct chunk *first = small ? own_chunk(store, SMALL_CHUNK) : take_chunk(store, 0);
    if (!first)
        first = reserve_chunk(store);
    struct ir_arena *arena = (struct ir_arena *)first->data;
    show(first, 0, aligned(sizeof *arena));
    *arena = (struct ir_arena){.store = store, .chunks = first, .next = !small, .small = small};
    first->used = aligned(sizeof *arena);
    if (!small)
        first->cleared = first->used;
    store->users++;
    return arena;
}

/* docs/limits.md has the reasons. */
static const uint64_t defaults[QPUCC_LIMIT_COUNT] = {
    [QPUCC_LIMIT_SOURCE_BYTES] = 4 << 20, [QPUCC_LIMIT_INCLUDES] = 1000,
    [QPUCC_LIMIT_INCLUDE_DEPTH] = 16,     [QPUCC_LIMIT_TOKENS] = 200000,
    [QPUCC_LIMIT_EXPANSION] = 2000000,    [QPUCC_LIMIT_NESTING] = 200,
    [QPUCC_LIMIT_CHAIN] = 4000,           [QPUCC_LIMIT_VALUES] = 16384,
    [QPUCC_LIMIT_MODULE_WORDS] = 4 << 20, [QPUCC_LIMIT_IDS] = 1 << 18,
    [QPUCC_LIMIT_INSTRUCTIONS] = 1 << 18, [QPUCC_LIMIT_BYTES] = 256 << 20,
    [QPUCC_LIMIT_WORK] = 50000000,        [QPUCC_LIMIT_SEARCH] = 400000000,
};

static void start_account(struct store *store, const uint64_t *limit) {
    for (unsigned k = 0; k < QPUCC_LIMIT_COUNT; k++)
        store->limit[k] = limit && limit[k] ? limit[k] : defaults[k];
    store->usage = (struct qpucc_usage){.bytes = store->held};
    store->met = QPUCC_LIMIT_COUNT;
}

#ifdef __SANITIZE_ADDRESS__ /* whose heap marks each byte of what it gives and takes */

static _Atomic(struct reserve *) spare; /* an unused one: a small shader takes less than mapping it does */

static struct reserve *map_reserve(void) {
    struct reserve *kept = atomic_exchange(&spare, NULL);
    if (kept)
        return kept;
    void *at = mmap(NULL, sizeof(struct reserve), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void give_reserve(struct reserve *reserve) {
    if (reserve->from) {
        ir_heap_free(reserve);
        return;
    }
    if (!reserve->used)
        reserve = atomic_exchange(&spare, reserve);
    if (reserve)
        munmap(reserve, sizeof *reserve);
}
#else
static struct reserve *map_reserve(void) {
    return ir_heap_get(NULL, sizeof(struct reserve));
}

static void give_reserve(struct reserve *reserve) {
    ir_heap_free(reserve);
}
#endif

static struct reserve *get_reserve(const struct qpucc_allocator *from) {
    struct reserve *reserve = from ? ir_heap_get(from, sizeof *reserve) : map_reserve();
    if (!reserve)
        return NULL;
    atomic_init(&reserve->users, 1);
    reserve->used = reserve->arenas = 0;
    reserve->from = from;
    return reserve;
}

static void release(struct reserve *reserve) {
    if (atomic_fetch_sub(&reserve->users, 1) == 1)
        give_reserve(reserve);
}

/* Takes over the caller's use of the reserve, which may be NULL: no memory. */
static struct ir_arena *create_store(struct reserve *reserve, bool small) {
    if (!reserve)
        return NULL;
    struct store *store = ir_heap_zeroed(reserve->from, sizeof *store);
    struct ir_arena *arena = NULL;
    if (store) {
        store->from = reserve->from;
        store->reserve = reserve;
        start_account(store, NULL);
        arena = create(store, small);
        if (!store->failed)
            return arena;
    }
    release(reserve);
    ir_heap_free(store);
    return NULL;
}

struct ir_arena *ir_arena_create(const struct qpucc_allocator *from) {
    return create_store(get_reserve(from), false);
}

struct ir_arena *ir_arena_small(const struct qpucc_allocator *from) {
    return create_store(get_reserve(from), true);
}

struct ir_arena *ir_arena_apart(const struct ir_arena *other) {
    struct reserve *reserve = other->store->reserve;
    atomic_fetch_add(&reserve->users, 1);
    return create_store(reserve, true);
}

const struct qpucc_allocator *ir_allocator(const struct ir_arena *arena) {
    return arena->store->from;
}

struct ir_arena *ir_arena_beside(struct ir_arena *other) {
    return create(other->store, false);
}

void ir_arena_close(struct ir_arena *arena) {
    struct store *store = arena->store;
    free_idle(store);
    store->cancel = NULL;
    if (store->failed || !store->reserve) /* there may be something in it */
        return;
    release(store->reserve);
    store->reserve = NULL;
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
        if (store->reserve)
            release(store->reserve);
        ir_heap_free(store);
    }
}

struct ir_mark ir_arena_mark(const struct ir_arena *arena) {
    return (struct ir_mark){arena->chunks, arena->chunks->next, arena->chunks->used};
}

void ir_arena_rewind(struct ir_arena *arena, struct ir_mark mark) {
    struct chunk *c;
    while ((c = arena->chunks) != mark.chunk) {
        arena->chunks = c->next;
        give_chunk(arena->store, c);
    }
    for (struct chunk *large; (large = c->next) != mark.behind;) { /* for one request each, since then */
        c->next = large->next;
        give_chunk(arena->store, large);
    }
    hide(c, mark.used, c->cleared);
    c->used = c->cleared = mark.used;
}

void ir_arena_trim(struct ir_arena *arena) {
    free_idle(arena->store);
}

/* A chunk in front of the others that has room; NULL: the system has no memory. */
static struct chunk *add_chunk(struct ir_arena *arena, size_t size) {
    struct chunk *c, *front = arena->chunks;
    size_t usual = arena->small ? SMALL_CHUNK << arena->next : FIRST_CHUNK << arena->next;
    if (size > usual || arena->small) /* a large request gets one of its own */
        c = own_chunk(arena->store, size > usual ? size : usual);
    else
        c = take_chunk(arena->store, arena->next);
    if (!c)
        return NULL;
    arena->next += arena->next < (arena->small ? SMALL_STEPS : SIZES - 1);
    c->next = front;
    arena->chunks = c;
    if (c->kind == SIZES && front->size - front->used > STRIPE) { /* the rest of that one is still of use */
        c->next = front->next;
        front->next = c;
        arena->chunks = front;
    }
    return c;
}

/* Not inlined: hardly any request needs more than what has been cleared. */
__attribute__((noinline)) static void *alloc_slowly(struct ir_arena *arena, size_t size, bool clear) {
    if (size > SIZE_MAX / 2)
        return take_reserve(arena->store, size);
    size = aligned(size ? size : 1);
    struct chunk *c = arena->chunks;
    if (c->size - c->used < size)
        c = add_chunk(arena, size);
    if (!c)
        return take_reserve(arena->store, size);
    void *result = c->data + c->used;
    c->used += size;
    if (c->used > c->cleared) {
        size_t end = !clear ? c->used : c->size - c->used > STRIPE ? c->used + STRIPE : c->size;
        show(c, c->cleared, end);
        if (clear)
            memset(c->data + c->cleared, 0, end - c->cleared);
        c->cleared = end;
    }
    return result;
}

/* From what has been cleared; NULL: there is not so much. All sizes there are aligned. */
static inline void *alloc_cleared(struct ir_arena *arena, size_t size) {
    struct chunk *c = arena->chunks;
    size_t left = c->cleared - c->used;
    if (size - 1 >= left) /* a size of 0, too */
        return NULL;
    void *result = c->data + c->used;
    c->used += aligned(size);
    return result;
}

void *ir_alloc(struct ir_arena *arena, size_t size) {
    void *result = alloc_cleared(arena, size);
    return result ? result : alloc_slowly(arena, size, true);
}

void *ir_alloc_uncleared(struct ir_arena *arena, size_t size) {
    void *result = alloc_cleared(arena, size);
    return result ? result : alloc_slowly(arena, size, false);
}

char *ir_strdup(struct ir_arena *arena, const char *text) {
    size_t length = strlen(text);
    char *copy = ir_alloc_uncleared(arena, length + 1);
    memcpy(copy, text, length + 1);
    return copy;
}

void ir_arena_fail(struct ir_arena *arena) {
    arena->store->failed |= arena->store->met == QPUCC_LIMIT_COUNT;
}

static bool is_cancelled(struct store *store) {
    if (store->cancel && __atomic_load_n(store->cancel, __ATOMIC_RELAXED))
        store->cancelled = true;
    return store->cancelled;
}

/* May the work go on? */
static bool goes_on(struct store *store) {
    return !store->failed && store->met == QPUCC_LIMIT_COUNT && !is_cancelled(store);
}

bool ir_arena_oom(const struct ir_arena *arena) {
    return !goes_on(arena->store);
}

void ir_cancel_by(struct ir_arena *arena, const int *flag) {
    arena->store->cancel = flag;
}

bool ir_cancelled(const struct ir_arena *arena) {
    return is_cancelled(arena->store);
}

/* --- the account ---------------------------------------------------------------------------------------- */

void ir_limits_set(struct ir_arena *arena, const uint64_t limit[QPUCC_LIMIT_COUNT]) {
    start_account(arena->store, limit);
}

uint64_t ir_limit(const struct ir_arena *arena, enum qpucc_limit which) {
    return arena->store->limit[which];
}

uint64_t ir_limit_default(enum qpucc_limit which) {
    return defaults[which];
}

void ir_limit_meet(struct ir_arena *arena, enum qpucc_limit which) {
    meet(arena->store, which);
}

enum qpucc_limit ir_limit_met(const struct ir_arena *arena) {
    return arena->store->failed ? QPUCC_LIMIT_COUNT : arena->store->met;
}

struct qpucc_usage ir_usage(const struct ir_arena *arena) {
    return arena->store->usage;
}

struct ir_account ir_account(const struct ir_arena *arena) {
    const struct store *store = arena->store;
    struct ir_account account = {.usage = store->usage, .held = store->held};
    memcpy(account.limit, store->limit, sizeof account.limit);
    return account;
}

void ir_account_resume(struct ir_arena *arena, const struct ir_account *account) {
    struct store *store = arena->store;
    uint64_t before = store->carried;
    memcpy(store->limit, account->limit, sizeof store->limit);
    store->usage = account->usage;
    store->carried = account->held;
    hold(store, account->held - before);
}

void ir_account_continue(struct ir_arena *arena, const struct ir_arena *from) {
    struct ir_account account = ir_account(from);
    arena->store->met = from->store->met;
    arena->store->failed |= from->store->failed;
    arena->store->cancelled |= from->store->cancelled;
    ir_account_resume(arena, &account);
}

void ir_account_rewind(struct ir_arena *arena, uint64_t work, uint64_t search) {
    arena->store->usage.work = work;
    arena->store->usage.search = search;
}

bool ir_work(struct ir_arena *arena, uint64_t amount) {
    struct store *store = arena->store;
    store->usage.work += amount;
    if (store->usage.work > store->limit[QPUCC_LIMIT_WORK])
        meet(store, QPUCC_LIMIT_WORK);
    return goes_on(store);
}

uint64_t ir_search_left(const struct ir_arena *arena) {
    const struct store *store = arena->store;
    uint64_t most = store->limit[QPUCC_LIMIT_SEARCH];
    return most > store->usage.search && !is_cancelled(arena->store) ? most - store->usage.search : 0;
}

void ir_search(struct ir_arena *arena, uint64_t amount) {
    arena->store->usage.search += amount;
}

bool ir_size(struct ir_arena *arena, uint64_t instructions) {
    struct store *store = arena->store;
    if (instructions > store->usage.instructions)
        store->usage.instructions = instructions;
    if (instructions > store->limit[QPUCC_LIMIT_INSTRUCTIONS])
        meet(store, QPUCC_LIMIT_INSTRUCTIONS);
    return goes_on(store);
}

bool ir_fits(struct ir_arena *arena, uint64_t bytes) {
    struct store *store = arena->store;
    if (bytes > store->limit[QPUCC_LIMIT_BYTES] || store->held > store->limit[QPUCC_LIMIT_BYTES] - bytes)
        meet(store, QPUCC_LIMIT_BYTES);
    return goes_on(store);
}

void ir_hold(struct ir_arena *arena, size_t bytes) {
    hold(arena->store, bytes);
}

void ir_release(struct ir_arena *arena, size_t bytes) {
    arena->store->held -= bytes;
}

uint64_t ir_bytes_left(const struct ir_arena *arena) {
    const struct store *store = arena->store;
    uint64_t most = store->limit[QPUCC_LIMIT_BYTES];
    return most > store->held ? most - store->held : 0;
}
