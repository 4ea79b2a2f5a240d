/* All orders of a block, with places: a shorter schedule, or the proof that there is none.
 *
 * Requires: what prove.c requires. Keeps everything. The relaxed block of prove.c with read ports, files and
 * accumulators (ways.c): where it can be shorter than the schedule found although the real block can't, it is
 * these that stand in the way. An order carries all ways along in which its values may lie, so orders are
 * searched and places are not. First without moves, because nearly all schedules do without, then with them;
 * a plan that is found is handed to the list scheduler, which decides (sched_follow).
 *
 * An instruction is filled with each set of ready ops, not only with those to which nothing can be added:
 * what is done early lies somewhere. States that were refuted (the same ops issued, the same latencies
 * pending, a way that allows as much) are kept in a table, which counts as the compile's memory: there is no
 * search where less than twice as much is left. */
#include "sched/order.h"

#include <string.h>

enum { FAILURES = 40, A_NODE = 16 }; /* A_NODE: in units of ir_search */

struct refuted {
    uint64_t state;
    uint32_t next;
    struct way way;
};

struct exact {
    struct order o;
    struct ways *ways; /* before instruction t */
    struct refuted *refuted;
    uint32_t *first, nrefuted; /* of each chain, from 1 */
    uint64_t most_refuted, chains;
    size_t bytes; /* of both */
    bool moves;
    bool open; /* some order was not refuted: nothing is proven */
    unsigned failures;
    sched_try_plan *try;
    void *context;
};

/* Where what may cover a way of the state is. */
static uint32_t *chain_of(const struct exact *x, uint64_t state, const struct way *w) {
    return &x->first[(state ^ w->places) % x->chains];
}

static bool was_refuted(const struct exact *x, uint64_t state, const struct way *w) {
    for (uint32_t e = *chain_of(x, state, w); e; e = x->refuted[e].next)
        if (x->refuted[e].state == state && ways_cover(&x->refuted[e].way, w))
            return true;
    return false;
}

static void note_refuted(struct exact *x, uint64_t state, const struct ways *ways) {
    for (uint32_t i = 0; i < ways->n && x->nrefuted + 1 < x->most_refuted; i++) {
        uint32_t *chain = chain_of(x, state, &ways->way[i]);
        x->refuted[++x->nrefuted] = (struct refuted){state, *chain, ways->way[i]};
        *chain = x->nrefuted;
    }
}

/* All ops are issued: the plan that led here, from its end. */
static bool try_plan(struct exact *x, uint32_t t) {
    const struct mir *m = x->o.p.s->m;
    struct sched_plan plan = {.length = t};
    const struct way *w = NULL;
    for (uint32_t i = 0; i < x->ways[t].n && !w; i++)
        w = x->ways[t].way[i].loose ? NULL : &x->ways[t].way[i];
    x->open = true;
    if (!w) /* stands for several, of which perhaps none leads here */
        return false;
    plan.row = ir_alloc(m->arena, (t + 1) * sizeof *plan.row);
    plan.kind = ir_alloc(m->arena, m->nval + 1);
    if (ir_arena_oom(m->arena))
        return false;
    while (t--) {
        const struct ways_row *row = &x->o.row[t];
        struct sched_plan_row *to = &plan.row[t];
        unsigned result = 0;
        to->branch = t == x->o.p.branch;
        for (to->n = 0; to->n < row->n; to->n++) {
            const struct m_op *op = &m->op[row->op[to->n]];
            to->op[to->n] = row->op[to->n];
            if (op->dst != M_NO_VALUE && !op->r4 && result < 2 && w->result[result] == op->dst)
                plan.kind[op->dst] = (uint8_t)(1u << w->written[result++]);
        }
        for (to->nmove = 0; to->nmove < w->nmove; to->nmove++) {
            to->move[to->nmove] = w->move[to->nmove].value;
            to->to[to->nmove] = (uint8_t)(1u << w->move[to->nmove].kind);
        }
        w = &x->ways[t].way[w->before];
    }
    return x->try(x->context, &plan) || ++x->failures == FAILURES;
}

static bool search(struct exact *x, uint32_t t);

/* Each set of ready[from..] that fits goes into the row, the largest first. */
static bool extend(struct exact *x, const struct prove_row *row, const struct prove_must *must,
                   uint8_t *ready, uint32_t n, uint32_t from, uint32_t t) {
    struct order *o = &x->o;
    struct prover *p = &o->p;
    prove_spend(p, 1);
    for (uint32_t k = from; k < n && p->nodes; k++) {
        uint32_t i = ready[k], more = n;
        if (!order_may_put(o, row, i, t))
            continue;
        struct prove_row with = prove_row_with(row, &p->op[i]);
        struct order_undo undo;
        order_put(o, i, t, &undo, ready, &more);
        bool found = ways_serve(p, &o->row[t], &x->ways[t]) && extend(x, &with, must, ready, more, k + 1, t);
        order_take_back(o, i, t, &undo);
        if (found)
            return true;
        if (prove_needs(p, t, i))
            return false;
    }
    if (!p->nodes)
        return true;
    if (!order_may_go_on(o, t, must))
        return false;
    prove_spend(p,
                ways_step(p, &o->row[t], o->uses, x->moves && t != p->branch, &x->ways[t], &x->ways[t + 1]));
    return x->ways[t + 1].n && search(x, t + 1);
}

/* True: a plan was found, or the budget is used up. */
static bool search(struct exact *x, uint32_t t) {
    uint32_t left, next;
    uint8_t ready[PROVE_MOST];
    struct prove_must must;
    struct prover *p = &x->o.p;
    if (!p->nodes)
        return true;
    uint32_t n = prove_ready(p, t, ready, &left, &next);
    if (!left)
        return try_plan(x, t);
    if (!prove_may_end(p, t, t > 0, &must))
        return false;
    uint64_t state = prove_state(p, t) ^ (x->o.r4_from > t ? x->o.r4_from * 0xd6e8feb86659fd93u : 0);
    struct ways *ways = &x->ways[t];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ways->n; i++)
        if (!was_refuted(x, state, &ways->way[i]))
            ways->way[kept++] = ways->way[i];
    ways->n = kept;
    if (!kept)
        return false;
    struct prove_row row = prove_row_at(p, t);
    x->o.row[t] = ways_row_at(p, &row, t);
    order_sort(&x->o, ready, n);
    if (t == p->branch)
        n = 0;
    if (extend(x, &row, &must, ready, n, 0, t))
        return true;
    note_refuted(x, state, ways);
    return false;
}

static bool make_tables(struct exact *x) {
    uint32_t length = x->o.p.target + 2;
    struct ir_arena *arena = x->o.p.s->m->arena;
    const struct qpucc_allocator *from = ir_allocator(arena);
    x->ways = ir_alloc(arena, length * sizeof *x->ways);
    for (uint32_t t = 0; t < length && !ir_arena_oom(arena); t++)
        x->ways[t].way = ir_alloc(arena, WAYS_MOST * sizeof *x->ways[t].way);
    x->refuted = ir_heap_get(from, x->most_refuted * sizeof *x->refuted);
    x->first = ir_heap_get(from, x->chains * sizeof *x->first);
    if (!x->refuted || !x->first) /* or the code would depend on it */
        ir_arena_fail(arena);
    return !ir_arena_oom(arena);
}

/* One round: true where nothing was found. */
static bool refute(struct exact *x, bool moves, uint64_t *nodes) {
    struct prover *p = &x->o.p;
    memset(x->first, 0, x->chains * sizeof *x->first);
    x->nrefuted = 0;
    x->moves = moves;
    p->nodes = *nodes;
    order_begin(&x->o);
    for (uint32_t t = 0; t < p->target + 2; t++)
        x->ways[t].copies = moves;
    ways_begin(p->s->m, x->o.uses, &x->ways[0]);
    bool found = search(x, 0);
    *nodes = p->nodes;
    return !found;
}

/* False: there is no room for the search, or no work left. */
static bool begin(struct exact *x, const struct sched *s, uint32_t length, uint64_t *nodes) {
    struct ir_arena *arena = s->m->arena;
    uint64_t most = sched_extra_left(s->m) / A_NODE;
    *nodes = *nodes < most ? *nodes : most;
    x->most_refuted = *nodes / 4 + 2;
    for (x->chains = 16; x->chains < x->most_refuted / 2;)
        x->chains *= 2;
    x->bytes = x->most_refuted * sizeof *x->refuted + x->chains * sizeof *x->first;
    uint8_t *name = ir_alloc(arena, s->m->nval + 1);
    if (ir_bytes_left(arena) / 2 < x->bytes || !order_open(&x->o, s, length, length + 1, name))
        return false;
    for (uint32_t v = 0; v < s->m->nval; v++)
        name[v] = (uint8_t)v; /* a way has each value by itself */
    ir_hold(arena, x->bytes);
    return true;
}

static void end(struct exact *x, uint64_t nodes) {
    struct ir_arena *arena = x->o.p.s->m->arena;
    ir_search(arena, nodes * A_NODE);
    ir_release(arena, x->bytes);
    ir_heap_free(x->refuted);
    ir_heap_free(x->first);
}

bool sched_exact(const struct sched *s, uint32_t length, uint64_t nodes, sched_try_plan *try, void *context) {
    struct exact x = {.try = try, .context = context};
    if (!begin(&x, s, length, &nodes))
        return false;
    uint64_t before = nodes;
    bool proven = make_tables(&x) && refute(&x, false, &nodes) && refute(&x, true, &nodes) && !x.open;
    end(&x, before - nodes);
    return proven;
}
