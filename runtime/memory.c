/* Simulated memory: buffers at bus addresses. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/machine.h"

#define MAX_BUFFER ((size_t)1 << 30)

struct qpusim_memory *qpusim_memory_new(size_t size) {
    if (size && size < 4096)
        return NULL;
    struct qpusim_memory *m = calloc(1, sizeof *m);
    if (m && size && qpusim_memory_add(m, QPUSIM_MEMORY_BASE, size, NULL, "memory") != QPUSIM_OK) {
        free(m);
        return NULL;
    }
    return m;
}

static void buffer_free(struct sim_buffer *b) {
    if (b->owned)
        free(b->bytes);
    free(b);
}

void qpusim_memory_free(struct qpusim_memory *memory) {
    if (!memory)
        return;
    for (struct sim_buffer *b = memory->buffers, *next; b; b = next) {
        next = b->next;
        buffer_free(b);
    }
    for (size_t i = 0; i < sizeof memory->leaf / sizeof *memory->leaf; i++)
        free(memory->leaf[i]);
    free(memory);
}

static uint32_t last_page(const struct sim_buffer *b) {
    return (b->address + (b->size - 1)) >> SIM_PAGE_BITS;
}

static struct sim_buffer **page_entry(struct qpusim_memory *m, uint32_t page) {
    return &m->leaf[page >> SIM_LEAF_BITS]->first[page & ((1 << SIM_LEAF_BITS) - 1)];
}

static bool make_leaves(struct qpusim_memory *m, const struct sim_buffer *b) {
    for (uint32_t i = b->address >> (SIM_PAGE_BITS + SIM_LEAF_BITS); i <= last_page(b) >> SIM_LEAF_BITS;
         i++) {
        if (!m->leaf[i])
            m->leaf[i] = calloc(1, sizeof *m->leaf[i]);
        if (!m->leaf[i])
            return false;
    }
    return true;
}

enum qpusim_status qpusim_memory_add(struct qpusim_memory *memory, uint32_t address, size_t size, void *bytes,
                                     const char *owner) {
    if (!memory || !size || size > MAX_BUFFER || size > 0x100000000ull - address)
        return QPUSIM_BAD_ARGUMENT;
    struct sim_buffer **at = &memory->buffers;
    while (*at && (*at)->address + ((*at)->size - 1) < address)
        at = &(*at)->next;
    if (*at && (*at)->address <= address + (uint32_t)(size - 1))
        return QPUSIM_BAD_ARGUMENT;
    const char *name = owner ? owner : "";
    struct sim_buffer *b = calloc(1, sizeof *b + strlen(name) + 1);
    if (!b)
        return QPUSIM_NO_MEMORY;
    b->address = address;
    b->size = (uint32_t)size;
    b->owned = !bytes;
    b->bytes = bytes ? bytes : calloc(1, size);
    memcpy(b->owner, name, strlen(name) + 1);
    if (!b->bytes || !make_leaves(memory, b)) {
        buffer_free(b);
        return QPUSIM_NO_MEMORY;
    }
    b->next = *at;
    *at = b;
    for (uint32_t page = address >> SIM_PAGE_BITS; page <= last_page(b); page++) {
        struct sim_buffer **entry = page_entry(memory, page);
        if (!*entry || (*entry)->address > address)
            *entry = b;
    }
    return QPUSIM_OK;
}

bool qpusim_memory_remove(struct qpusim_memory *memory, uint32_t address) {
    if (!memory)
        return false;
    struct sim_buffer **at = &memory->buffers;
    while (*at && (*at)->address < address)
        at = &(*at)->next;
    struct sim_buffer *b = *at;
    if (!b || b->address != address)
        return false;
    *at = b->next;
    for (uint32_t page = address >> SIM_PAGE_BITS; page <= last_page(b); page++) {
        struct sim_buffer **entry = page_entry(memory, page);
        if (*entry == b)
            *entry = b->next && b->next->address >> SIM_PAGE_BITS == page ? b->next : NULL;
    }
    buffer_free(b);
    return true;
}

const char *qpusim_memory_owner(const struct qpusim_memory *memory, uint32_t address, uint32_t *start,
                                size_t *size) {
    const struct sim_buffer *b = memory ? sim_memory_buffer(memory, address) : NULL;
    if (!b)
        return NULL;
    if (start)
        *start = b->address;
    if (size)
        *size = b->size;
    return b->owner;
}

uint32_t qpusim_memory_alloc(struct qpusim_memory *memory, size_t size, size_t align) {
    const struct sim_buffer *b = memory ? sim_memory_buffer(memory, QPUSIM_MEMORY_BASE) : NULL;
    if (!b || !align || align & (align - 1) || align > (size_t)1 << 20)
        return 0;
    size_t start = (memory->used + align - 1) & ~(align - 1);
    if (start > b->size || size > b->size - start)
        return 0;
    memory->used = start + size;
    memset(b->bytes + start, 0, size);
    return QPUSIM_MEMORY_BASE + (uint32_t)start;
}

void qpusim_memory_reset(struct qpusim_memory *memory) {
    if (memory)
        memory->used = 0;
}

void *qpusim_memory_map(struct qpusim_memory *memory, uint32_t address, size_t size) {
    return sim_memory_at(memory, address, size);
}

size_t sim_memory_rest(const struct qpusim_memory *m, uint32_t address) {
    const struct sim_buffer *b = m ? sim_memory_buffer(m, address) : NULL;
    return b ? b->size - (address - b->address) : 0;
}

void sim_memory_explain(const struct qpusim_memory *m, uint32_t address, size_t size, char *text,
                        size_t text_size) {
    const struct sim_buffer *below = NULL;
    for (const struct sim_buffer *b = m ? m->buffers : NULL; b && b->address <= address; b = b->next)
        below = b;
    int n = snprintf(text, text_size, "0x%08x, %zu bytes, lies outside all buffers", (unsigned)address, size);
    if (below && n > 0 && (size_t)n < text_size)
        snprintf(text + n, text_size - (size_t)n, "; '%s' ends at 0x%08x", below->owner,
                 (unsigned)(below->address + below->size));
}
