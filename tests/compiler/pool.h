/* What allocator_test.c has memory from: pools that count, and may end. The program is linked with --wrap for
 * the C library's functions, whose calls by the library are counted, too. */
#ifndef TESTS_COMPILER_POOL_H
#define TESTS_COMPILER_POOL_H

#include <check.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Check's own macros take memory, even where all is well. */
#define EXPECT_OF(condition, ...)                                                                            \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg(__VA_ARGS__);                                                                       \
    } while (0)
#define EXPECT(condition) EXPECT_OF(condition, "line %d: %s", __LINE__, #condition)

/* --- the C library's ------------------------------------------------------------------------------------ */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);
FILE *__wrap_open_memstream(char **buffer, size_t *size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);

static unsigned long outside; /* calls by the library */

void *__wrap_malloc(size_t size) {
    outside++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    outside++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    outside++;
    return __real_realloc(block, size);
}

void __wrap_free(void *block) {
    outside += block != NULL;
    __real_free(block);
}

char *__wrap_strdup(const char *text) {
    char *copy = __wrap_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* These the library has no use for. */
FILE *__wrap_open_memstream(char **buffer, size_t *size) {
    (void)buffer, (void)size;
    outside++;
    return NULL;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    (void)alignment, (void)size;
    outside++;
    return NULL;
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
    (void)block, (void)alignment, (void)size;
    outside++;
    return -1;
}

/* --- the caller's --------------------------------------------------------------------------------------- */

struct pool {
    size_t blocks, bytes;
    unsigned long calls, failing; /* counted from 1; failing: 0 none */
    bool all_after;
};

/* In front of each block. */
struct head {
    struct pool *pool;
    size_t size;
    alignas(max_align_t) unsigned char data[];
};

static bool fails(struct pool *pool) {
    pool->calls++;
    return pool->failing &&
           (pool->calls == pool->failing || (pool->all_after && pool->calls > pool->failing));
}

static struct head *head_of(const struct pool *pool, void *memory) {
    struct head *head = (struct head *)((unsigned char *)memory - offsetof(struct head, data));
    EXPECT(memory);
    EXPECT(head->pool == pool);
    return head;
}

static void *allocate(void *user, size_t size) {
    struct pool *pool = user;
    struct head *head = fails(pool) ? NULL : __real_malloc(sizeof *head + size);
    EXPECT(size > 0);
    if (!head)
        return NULL;
    *head = (struct head){pool, size};
    memset(head->data, 0xa5, size < 1 << 20 ? size : 1 << 20);
    pool->blocks++;
    pool->bytes += size;
    return head->data;
}

static void *reallocate(void *user, void *memory, size_t size) {
    struct pool *pool = user;
    struct head *head = head_of(pool, memory);
    size_t before = head->size;
    EXPECT(size > 0);
    head = fails(pool) ? NULL : __real_realloc(head, sizeof *head + size);
    if (!head)
        return NULL;
    head->size = size;
    pool->bytes += size - before;
    return head->data;
}

static void release(void *user, void *memory) {
    struct pool *pool = user;
    struct head *head = head_of(pool, memory);
    pool->blocks--;
    pool->bytes -= head->size;
    head->pool = NULL;
    __real_free(head);
}

#endif
