/* Values alive that no order of a block avoids.
 *
 * Requires: the graph. Keeps everything.
 *
 * Where an op begins, those values take places that are made before it in any order and read by it or after
 * it: their own op leads to it through at least one latency, and from it a path leads to some reader. That is
 * asked of 64 ops, spread over the block, a bit for each: one pass over the graph each way. Registers that
 * other blocks need all through count, too, as they do for an order (rank_peak). */
#include "sched/schedule.h"

enum { ASKED = 64, PLANES = 32 };

struct alive {
    const struct sched *s;
    uint32_t stride;        /* bit k stands for op k * stride */
    uint64_t *before;       /* op -> ops that lead to it, or are it */
    uint64_t *from, *after; /* op -> ops that it leads to, or are it; those that come at least one instruction
                               after it */
    uint64_t plane[PLANES]; /* values alive at each op: bit p of all 64 numbers */
};

static uint64_t bit_of(const struct alive *a, uint32_t op) {
    return op % a->stride ? 0 : 1ull << op / a->stride;
}

static void find_paths(struct alive *a) {
    const struct sched *s = a->s;
    for (uint32_t k = 0; k < s->m->nop; k++) {
        uint32_t i = s->sorted[k];
        a->before[i] |= bit_of(a, i);
        for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
            a->before[s->edge[e].to] |= a->before[i];
    }
    for (uint32_t k = s->m->nop; k-- > 0;) {
        uint32_t i = s->sorted[k];
        a->from[i] = bit_of(a, i);
        for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
            uint32_t to = s->edge[e].to;
            a->from[i] |= a->from[to];
            a->after[i] |= s->edge[e].latency ? a->from[to] : a->after[to];
        }
    }
}

/* Something takes a place at these ops. */
static void add(struct alive *a, uint64_t at) {
    for (unsigned p = 0; at && p < PLANES; p++) {
        uint64_t carry = a->plane[p] & at;
        a->plane[p] ^= at;
        at = carry;
    }
}

static unsigned most(const struct alive *a) {
    uint64_t best = UINT64_MAX;
    unsigned number = 0;
    for (unsigned p = PLANES; p-- > 0;)
        if (best & a->plane[p]) {
            best &= a->plane[p];
            number |= 1u << p;
        }
    return number;
}

/* Values that are in one place from the start share it, and so do those written to one register for other
 * blocks. */
static unsigned count_values(struct alive *a) {
    const struct sched *s = a->s;
    const struct mir *m = s->m;
    uint64_t start[PLACE_COUNT] = {0}, fixed[PLACE_COUNT] = {0};
    for (uint32_t v = 0; v < m->nval; v++) {
        const struct m_val *val = &m->val[v];
        uint64_t made = val->def == M_NO_VALUE ? 0 : a->after[val->def], read = 0;
        if (!place_counts(s, v))
            continue;
        for (uint32_t u = s->use_first[v]; u < s->use_first[v + 1]; u++)
            read |= a->before[s->use[u]];
        if (val->start >= 0)
            start[val->start] |= read;
        else if (val->fixed >= 0)
            fixed[val->fixed] |= made;
        else
            add(a, made & read);
    }
    for (int p = 0; p < PLACE_COUNT; p++)
        add(a, start[p]), add(a, fixed[p]);
    return most(a);
}

unsigned sched_least_alive(struct sched *s) {
    struct ir_arena *arena = s->m->arena;
    size_t n = s->m->nop + 1;
    struct alive a = {.s = s, .stride = s->m->nop / ASKED + 1};
    unsigned kept = 0;
    a.before = ir_alloc(arena, n * sizeof *a.before);
    a.from = ir_alloc(arena, n * sizeof *a.from);
    a.after = ir_alloc(arena, n * sizeof *a.after);
    place_begin(s);
    for (int p = 0; p < PLACE_ACC; p++)
        kept += place_vacant(s, p) == PLACE_KEPT;
    find_paths(&a);
    return kept + count_values(&a);
}
