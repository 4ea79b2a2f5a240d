/* Blocks from the caller's allocator: see heap.h. */
#include "ir/heap.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct block {
    const struct qpucc_allocator *from; /* NULL: the C library's */
    alignas(max_align_t) unsigned char data[];
};

static struct block *block_of(void *data) {
    return (struct block *)((unsigned char *)data - offsetof(struct block, data));
}

static void *begin(struct block *block, const struct qpucc_allocator *from) {
    if (!block)
        return NULL;
    block->from = from;
    return block->data;
}

void *ir_heap_get(const struct qpucc_allocator *from, size_t size) {
    if (size > SIZE_MAX - sizeof(struct block))
        return NULL;
    size += sizeof(struct block);
    return begin(from ? from->allocate(from->user, size) : malloc(size), from);
}

void *ir_heap_zeroed(const struct qpucc_allocator *from, size_t size) {
    if (size > SIZE_MAX - sizeof(struct block))
        return NULL;
    if (!from)
        return begin(calloc(1, sizeof(struct block) + size), NULL);
    void *data = ir_heap_get(from, size);
    return data ? memset(data, 0, size) : NULL;
}

void *ir_heap_resize(const struct qpucc_allocator *from, void *block, size_t size) {
    if (!block)
        return ir_heap_get(from, size);
    if (size > SIZE_MAX - sizeof(struct block))
        return NULL;
    size += sizeof(struct block);
    from = block_of(block)->from;
    return begin(from ? from->reallocate(from->user, block_of(block), size) : realloc(block_of(block), size),
                 from);
}

void ir_heap_free(void *block) {
    if (!block)
        return;
    const struct qpucc_allocator *from = block_of(block)->from;
    if (from)
        from->release(from->user, block_of(block));
    else
        free(block_of(block));
}
