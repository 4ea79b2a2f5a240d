/* Simulated memory: one block of bytes with a bump allocator. */
#include <stdlib.h>

#include "runtime/machine.h"

struct qpusim_memory *qpusim_memory_new(size_t size) {
    if (size < 4096 || size > (size_t)1 << 30)
        return NULL;
    struct qpusim_memory *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->bytes = calloc(1, size);
    if (!m->bytes) {
        free(m);
        return NULL;
    }
    m->size = size;
    return m;
}

void qpusim_memory_free(struct qpusim_memory *memory) {
    if (!memory)
        return;
    free(memory->bytes);
    free(memory);
}

uint32_t qpusim_memory_alloc(struct qpusim_memory *memory, size_t size, size_t align) {
    if (!memory || !align || align & (align - 1) || align > (size_t)1 << 20)
        return 0;
    size_t start = (memory->used + align - 1) & ~(align - 1);
    if (start > memory->size || size > memory->size - start)
        return 0;
    memory->used = start + size;
    memset(memory->bytes + start, 0, size);
    return QPUSIM_MEMORY_BASE + (uint32_t)start;
}

void qpusim_memory_reset(struct qpusim_memory *memory) {
    if (memory)
        memory->used = 0;
}

void *qpusim_memory_map(struct qpusim_memory *memory, uint32_t address, size_t size) {
    uint32_t offset = address - QPUSIM_MEMORY_BASE;
    if (!memory || offset > memory->size || size > memory->size - offset)
        return NULL;
    return memory->bytes + offset;
}
