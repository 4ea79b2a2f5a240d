/* Colours for an interference graph.
 *
 * Requires: who interferes with whom, and who shares a register. Keeps: those. The value with the fewest
 * neighbours can wait longest; if all have too many, the one with most waits, and may be lucky. */
#include "regalloc/colouring.h"

#include <string.h>

/* Who may not have the same register, by representative. */
static void find_rows(struct colouring *h) {
    struct full_set *row = &h->live;
    for (uint32_t p = 0; p < h->count; p++) {
        if (h->merged[p] != p)
            continue;
        full_empty(row);
        for (uint32_t a = p; a != NOBODY; a = h->next[a]) {
            FOR_SPARSE(i, &h->interferes, a) full_add(row, colouring_representative(h, i));
            FOR_SPARSE(d, &h->disturbs, a) full_add(row, colouring_representative(h, d));
            FOR_SPARSE(du, &h->disturbs_unless_active, a) {
                if (!h->active[du])
                    full_add(row, colouring_representative(h, du));
            }
            if (h->active[a])
                continue;
            FOR_SPARSE(iu, &h->interferes_unless_active, a) full_add(row, colouring_representative(h, iu));
        }
        sparse_unite(&h->row, p, row, NULL);
    }
}

/* The values that are left by degree: a tree over them, each node of which has the better of its two. */
struct degrees {
    const uint32_t *degree;
    bool most;     /* the one with most neighbours wins, not the one with fewest; of equals the first */
    uint32_t base; /* the leaves are from here on */
    uint32_t *winner;
};

static uint32_t better(const struct degrees *d, uint32_t a, uint32_t b) {
    if (a == NOBODY || b == NOBODY)
        return a == NOBODY ? b : a;
    bool second = d->most ? d->degree[b] > d->degree[a] : d->degree[b] < d->degree[a];
    return second ? b : a;
}

/* Its degree is another, or it is gone. */
static void update(struct degrees *d, uint32_t v, bool gone) {
    uint32_t at = d->base + v;
    d->winner[at] = gone ? NOBODY : v;
    while (at /= 2)
        d->winner[at] = better(d, d->winner[2 * at], d->winner[2 * at + 1]);
}

static struct degrees order_degrees(struct ir_arena *arena, const uint32_t *degree, const bool *gone,
                                    uint32_t count, bool most) {
    struct degrees d = {.degree = degree, .most = most, .base = 1};
    while (d.base < count)
        d.base *= 2;
    d.winner = ir_alloc(arena, 2 * (size_t)d.base * sizeof *d.winner);
    if (ir_arena_oom(arena))
        return d;
    for (uint32_t v = 0; v < d.base; v++)
        d.winner[d.base + v] = v < count && !gone[v] ? v : NOBODY;
    for (uint32_t at = d.base; --at > 0;)
        d.winner[at] = better(&d, d.winner[2 * at], d.winner[2 * at + 1]);
    return d;
}

/* What the whole program asks of the registers of a file, on behalf of every value that shares the
 * cross-block register. */
static void find_forbidden(struct colouring *h, unsigned regs, bool any, uint64_t *bits) {
    uint32_t last = h->shader->nblocks - 1;
    for (uint32_t k = 0; k < h->count; k++)
        bits[k] = ~((1ull << regs) - 1);
    if (any)
        return;
    FOR_SPARSE(v, &h->in, last) bits[colouring_representative(h, v)] |= 1ull << 14; /* see sched/finish.c */
    if (h->shader->stage != QPUCC_FRAGMENT)
        return;
    /* W and Z are there at the start */
    FOR_SPARSE(o, &h->out, 0) bits[colouring_representative(h, o)] |= 1ull << 15;
    FOR_SPARSE(w, &h->written, 0) bits[colouring_representative(h, w)] |= 1ull << 15;
}

/* Cross-block registers that belong to no value. */
static uint64_t reserved(const struct flow *f, int file) {
    uint64_t bits = 0;
    if (f->mask_reg >= 0 && f->mask_reg / 32 == file)
        bits |= 1ull << f->mask_reg % 32;
    if (f->budget_reg >= 0 && f->budget_reg / 32 == file)
        bits |= 1ull << f->budget_reg % 32;
    return bits;
}

/* The order in which values may wait, the last of them first. */
static uint32_t find_order(struct colouring *h, unsigned regs, uint32_t *order) {
    struct ir_arena *arena = h->flow->arena;
    uint32_t *degree = ir_alloc(arena, (h->count + 1) * sizeof *degree), left = 0, n = 0;
    bool *gone = ir_alloc(arena, h->count + 1);
    if (ir_arena_oom(arena))
        return 0;
    for (uint32_t v = 0; v < h->count; v++) {
        gone[v] = h->merged[v] != v;
        left += !gone[v];
        degree[v] = sparse_count(&h->row, v);
    }
    struct degrees fewest = order_degrees(arena, degree, gone, h->count, false),
                   most = order_degrees(arena, degree, gone, h->count, true);
    for (; left && !ir_arena_oom(arena); left--) {
        uint32_t best = fewest.winner[1];
        if (degree[best] >= 2 * regs - 3)
            best = most.winner[1];
        gone[best] = true;
        order[n++] = best;
        update(&fewest, best, true), update(&most, best, true);
        uint64_t updates = 1;
        FOR_SPARSE(o, &h->row, best) {
            degree[o]--;
            if (!gone[o])
                update(&fewest, o, false), update(&most, o, false), updates++;
        }
        ir_work(arena, updates);
    }
    return n;
}

bool colouring_colour(struct colouring *h, unsigned regs, bool any, int8_t *colours) {
    struct ir_arena *arena = h->flow->arena;
    uint32_t *order = ir_alloc(arena, (h->count + 1) * sizeof *order);
    uint64_t *bits = ir_alloc(arena, (h->count + 1) * sizeof *bits);
    find_rows(h);
    if (ir_arena_oom(arena))
        return false;
    uint32_t n = find_order(h, regs, order);
    find_forbidden(h, regs, any, bits);
    memset(colours, FLOW_NO_REG, h->count);
    while (n--) {
        uint32_t v = order[n];
        uint64_t taken[2] = {bits[v] | reserved(h->flow, 0), bits[v] | reserved(h->flow, 1)};
        FOR_SPARSE(o, &h->row, v) {
            if (colours[o] >= 0)
                taken[colours[o] / 32] |= 1ull << colours[o] % 32;
        }
        int free_a = __builtin_popcountll(~taken[0]), free_b = __builtin_popcountll(~taken[1]);
        if (!free_a && !free_b)
            return false;
        int file = free_b >= free_a;
        colours[v] = (int8_t)(file * 32 + __builtin_ctzll(~taken[file]));
    }
    return true;
}
