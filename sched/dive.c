/* A quick search for a schedule of a block that is about as short as its lower bound.
 *
 * Requires: what prove.c requires. Keeps everything. Instruction after instruction is filled with what weighs
 * most of what is ready, for a length that is given. Where the rest can't end in time any more (prove.h) is a
 * dead end, and the search goes back to the last choice; after a few of them it goes on where it is, for one
 * instruction more. So little of its work is undone.
 *
 * Places are decided late (bind.h), there are no moves, and a plan that is found is handed to the list
 * scheduler, which decides (sched_follow). */
#include "sched/bind.h"
#include "sched/order.h"

enum { DEAD_ENDS = 3, MORE_DEAD_ENDS = 8 }; /* at the first length, which is seldom long enough; at others */
enum { NODES = 4000, A_NODE = 8 };          /* A_NODE: in units of ir_search */
enum { REFUSALS = 4 };                      /* of plans: what the list scheduler refuses once it will again */

struct dive {
    struct order o;
    struct bind *bind;  /* before instruction t */
    uint32_t room;      /* lengths are below */
    uint32_t dead_ends; /* how many more it takes to give up */
    uint32_t refusals;  /* the same of plans */
    uint64_t nodes;     /* left to visit */
    bool over;          /* gave up */
    sched_try_plan *try;
    void *context;
};

/* After so many dead ends the search goes on before instruction t for one instruction more, as long as
 * nothing of what the end asks of its rows is decided; then it is over. */
static bool rise(struct dive *d, uint32_t t) {
    struct prover *p = &d->o.p;
    if (d->over || --d->dead_ends)
        return false;
    d->over = t + MODEL_END > p->target + 1 || t > p->branch || p->target + 1 >= d->room;
    if (d->over)
        return false;
    d->dead_ends = MORE_DEAD_ENDS;
    return prove_aim(p, p->target + 1);
}

/* All ops are issued: the plan that led here. */
static bool try_plan(struct dive *d, uint32_t t) {
    const struct mir *m = d->o.p.s->m;
    struct sched_plan plan = {.length = t};
    struct bind *last = &d->bind[t];
    if (!bind_all(m, t, last))
        return false;
    plan.row = ir_alloc_uncleared(m->arena, (t + 1) * sizeof *plan.row);
    plan.kind = ir_alloc_uncleared(m->arena, m->nval + 1);
    if (ir_arena_oom(m->arena)) {
        d->over = true;
        return false;
    }
    for (uint32_t v = 0; v < m->nval; v++)
        plan.kind[v] = last->value[d->o.name[v]].may;
    while (t--) {
        const struct ways_row *row = &d->o.row[t];
        struct sched_plan_row *to = &plan.row[t];
        to->branch = t == d->o.p.branch;
        to->nmove = 0;
        for (to->n = 0; to->n < row->n; to->n++)
            to->op[to->n] = row->op[to->n];
    }
    bool taken = d->try(d->context, &plan);
    d->over |= !taken && !--d->refusals;
    return taken;
}

static bool fill_from(struct dive *d, uint32_t t);

/* Instruction t: what may go into it, and what has to. */
struct filling {
    uint32_t t;
    uint8_t ready[PROVE_MOST];
    struct prove_must must;
};

/* Each set of ready[from..n] that fits goes into the row, the largest first. */
static bool fill_with(struct dive *d, struct filling *f, const struct prove_row *row, uint32_t from,
                      uint32_t n) {
    struct order *o = &d->o;
    const uint32_t t = f->t;
    d->over |= !d->nodes;
    if (d->over)
        return false;
    d->nodes--;
    for (uint32_t k = from; k < n; k++) {
        uint32_t i = f->ready[k], more = n;
        if (!order_may_put(o, row, i, t))
            continue;
        struct prove_row with = prove_row_with(row, &o->p.op[i]);
        struct order_undo undo;
        order_put(o, i, t, &undo, f->ready, &more);
        if (fill_with(d, f, &with, k + 1, more))
            return true; /* the search is over */
        order_take_back(o, i, t, &undo);
        if (d->over || prove_needs(&o->p, t, i))
            return false;
    }
    struct ways_demand asked;
    return order_may_go_on(o, t, &f->must) && ways_ask(&o->p, &o->row[t], &asked) &&
           bind_step(o->p.s->m, &o->row[t], &asked, o->uses, t, &d->bind[t], &d->bind[t + 1]) &&
           fill_from(d, t + 1);
}

/* From instruction t on, for the length that is aimed at. True: a plan was found. */
static bool fill_at(struct dive *d, uint32_t t) {
    uint32_t left, next;
    struct filling f;
    struct prover *p = &d->o.p;
    uint32_t n = prove_ready(p, t, f.ready, &left, &next);
    if (!left)
        return try_plan(d, t);
    if (!prove_may_end(p, t, t > 0, &f.must))
        return false;
    struct prove_row row = prove_row_at(p, t);
    d->o.row[t] = ways_row_at(p, &row, t);
    if (t == p->branch)
        n = 0;
    order_sort(&d->o, f.ready, n);
    f.t = t;
    return fill_with(d, &f, &row, 0, n);
}

/* The same, for longer ones where dead ends say so. */
static bool fill_from(struct dive *d, uint32_t t) {
    bool found;
    do
        found = fill_at(d, t);
    while (!found && rise(d, t));
    return found;
}

/* False: there is no room for the search, or no work left. */
static bool open(struct dive *d, const struct sched *s, uint32_t bound, uint32_t length, uint32_t below) {
    enum { MORE = 4 };
    struct ir_arena *arena = s->m->arena;
    uint8_t *name = ir_alloc(arena, s->m->nval + 1);
    uint32_t most = bound + bound / 2 + MORE;
    most = most < below ? most : below;
    uint64_t left = ir_search_left(arena) / A_NODE;
    d->room = most < PROVE_MOST ? most : PROVE_MOST;
    d->nodes = left < NODES ? left : NODES;
    if (length >= d->room || !order_open(&d->o, s, bound + 1, d->room, name))
        return false;
    d->bind = ir_alloc_uncleared(arena, (d->room + 1) * sizeof *d->bind);
    if (ir_arena_oom(arena))
        return false;
    bind_names(s->m, name);
    order_begin(&d->o);
    bind_begin(s->m, name, d->o.uses, &d->bind[0]);
    return true;
}

/* True: a plan for so many instructions or some more was found. */
static bool dive_to(struct dive *d, uint32_t length) {
    d->dead_ends = DEAD_ENDS;
    d->o.r4_from = 0;
    d->over = false;
    return prove_aim(&d->o.p, length) && fill_from(d, 0);
}

void sched_dive(const struct sched *s, uint32_t bound, uint32_t below, sched_try_plan *try, void *context) {
    /* of more ops than a few one instruction above the bound is needed for each six, about */
    enum { FEW = 48, EACH = 6 };
    uint32_t length = bound + (s->nlive > FEW ? (s->nlive - FEW) / EACH : 0);
    if (below <= bound + bound / 2)
        length = below > bound ? below - 1 : bound;
    struct dive d = {.refusals = REFUSALS, .try = try, .context = context};
    if (!open(&d, s, bound, length, below))
        return;
    uint64_t nodes = d.nodes;
    while (length < d.room && d.nodes && d.refusals && !dive_to(&d, length))
        length = d.o.p.target + 1;
    ir_search(s->m->arena, (nodes - d.nodes) * A_NODE);
}
