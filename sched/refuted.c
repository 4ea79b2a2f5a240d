/* The table of states that nothing was found from: the same ops issued, the same latencies pending, a
 * placement that allows as much.
 *
 * Requires: nothing. Keeps everything. A state is told by a hash of 64 bits; a full table takes no more. */
#include "sched/search.h"

#include <string.h>

/* Where what may dominate a placement of the state is: without copies, what is like it. */
static uint32_t *chain_of(const struct refuted_table *table, uint64_t state, const struct placement *w,
                          bool copies) {
    return &table->first[(state ^ (copies ? 0 : placement_hash(w))) % table->chains];
}

static bool has(const struct refuted_table *table, uint64_t state, const struct placement *w, bool copies) {
    for (uint32_t e = *chain_of(table, state, w, copies); e; e = table->entry[e].next)
        if (table->entry[e].state == state && placement_dominates(&table->entry[e].placement, w))
            return true;
    return false;
}

void refuted_drop(const struct refuted_table *table, uint64_t state, struct placements *placements) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < placements->n; i++)
        if (!has(table, state, &placements->list[i], placements->copies))
            placements->list[kept++] = placements->list[i];
    placements->n = kept;
}

void refuted_add(struct refuted_table *table, uint64_t state, const struct placements *placements) {
    for (uint32_t i = 0; i < placements->n && table->n + 1 < table->most; i++) {
        uint32_t *chain = chain_of(table, state, &placements->list[i], placements->copies);
        table->entry[++table->n] = (struct refuted){state, *chain, placements->list[i]};
        *chain = table->n;
    }
}

void refuted_clear(struct refuted_table *table) {
    memset(table->first, 0, table->chains * sizeof *table->first);
    table->n = 0;
}

bool refuted_open(struct refuted_table *table, struct ir_arena *arena, uint64_t most) {
    const struct qpucc_allocator *from = ir_allocator(arena);
    *table = (struct refuted_table){.most = most, .chains = 16};
    while (table->chains < most / 2)
        table->chains *= 2;
    size_t bytes = most * sizeof *table->entry + table->chains * sizeof *table->first;
    if (ir_bytes_left(arena) / 2 < bytes)
        return false;
    table->bytes = bytes;
    ir_hold(arena, bytes);
    table->entry = ir_heap_get(from, most * sizeof *table->entry);
    table->first = ir_heap_get(from, table->chains * sizeof *table->first);
    if (!table->entry || !table->first) /* or the code would depend on it */
        ir_arena_fail(arena);
    return table->entry && table->first;
}

void refuted_close(struct refuted_table *table, struct ir_arena *arena) {
    ir_release(arena, table->bytes);
    ir_heap_free(table->entry);
    ir_heap_free(table->first);
}
