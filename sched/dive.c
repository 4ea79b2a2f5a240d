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

enum { DEAD_ENDS = 3, MORE_DEAD_ENDS = 8 }; /* at the first length, which is seldom long enough; at others */
enum { NODES = 4000, A_NODE = 8 };          /* A_NODE: in units of ir_search */
enum { REFUSALS = 4 };                      /* of plans: what the list scheduler refuses once it will again */

struct dive {
    struct prover p;
    const uint8_t *name; /* see struct bind */
    uint32_t *uses;      /* by name: reads to come */
    int *weight;         /* by op: what of it is the same wherever the op stands */
    struct ways_row *row;
    struct bind *bind;  /* before instruction t */
    uint32_t room;      /* lengths are below */
    uint32_t r4_from;   /* first instruction that may start another r4 result */
    uint32_t dead_ends; /* how many more it takes to give up */
    uint32_t refusals;  /* the same of plans */
    uint64_t nodes;     /* left to visit */
    bool over;          /* gave up */
    sched_try_plan *try;
    void *context;
};

static void count_uses(struct dive *d, uint32_t i, int by) {
    const struct prove_op *op = &d->p.op[i];
    for (unsigned k = 0; k < op->nread; k++)
        d->uses[d->name[op->read[k]]] += (uint32_t)by;
}

/* Does some op wait for nothing but this one? */
static bool opens(const struct dive *d, uint32_t i) {
    const struct sched *s = d->p.s;
    for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
        if (d->p.npred[s->edge[e].to] == 1)
            return true;
    return false;
}

/* How likely it belongs into the next instruction: what does not depend on what was issued. Nothing reads its
 * result before. */
static int fixed_weight(const struct dive *d, uint32_t i) {
    enum { ORDER = 16 };
    const struct sched *s = d->p.s;
    const struct sched_dive_weights *w = s->options.dive;
    const struct m_op *op = &s->m->op[i];
    uint32_t traits = s->op[i].traits;
    int sum = (int)d->p.op[i].tail * w->tail + (int)i * w->order / ORDER;
    sum += s->options.dive_bias ? s->options.dive_bias[i] : 0;
    sum += traits & T_MUL_ONLY ? w->mul : traits & T_EITHER ? w->either : 0;
    sum += traits & T_SIGNAL ? w->signal : 0;
    sum += d->p.op[i].word != M_NO_VALUE ? w->word : 0;
    sum += op->r4 ? w->r4 : 0;
    for (unsigned k = 0; k < op->nsrc; k++)
        sum += op->src[k].kind == M_IMM ? w->immediate : 0;
    sum += op->dst == M_NO_VALUE ? w->no_result : w->readers * (int)d->uses[op->dst];
    return prove_weight(&d->p.op[i], sum);
}

/* The same with what does. */
static int weight(const struct dive *d, uint32_t i) {
    const struct sched_dive_weights *w = d->p.s->options.dive;
    const struct prove_op *of = &d->p.op[i];
    int sum = 0;
    bool frees = false;
    for (unsigned k = 0; k < of->nsource; k++) {
        uint32_t uses = d->uses[d->name[of->read[k]]];
        sum += uses == 1 ? w->frees : w->later * (int)uses;
        frees |= uses == 1;
    }
    sum += of->makes && !frees ? w->takes : 0;
    sum += opens(d, i) ? w->opens : 0;
    return d->weight[i] + sum * PROVE_TAILS;
}

NOT_IN_THE_RECURSION static void sort_ready(const struct dive *d, uint8_t *ready, uint32_t n) {
    int by[PROVE_MOST];
    for (uint32_t k = 0; k < n && n > 1; k++)
        by[k] = weight(d, ready[k]);
    prove_sort(ready, by, n);
}

/* After so many dead ends the search goes on before instruction t for one instruction more, as long as
 * nothing of what the end asks of its rows is decided; then it is over. */
static bool rise(struct dive *d, uint32_t t) {
    struct prover *p = &d->p;
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
    const struct mir *m = d->p.s->m;
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
        plan.kind[v] = last->value[d->name[v]].may;
    while (t--) {
        const struct ways_row *row = &d->row[t];
        struct sched_plan_row *to = &plan.row[t];
        to->branch = t == d->p.branch;
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
    struct prover *p = &d->p;
    const uint32_t t = f->t;
    struct ways_row *ops = &d->row[t];
    d->over |= !d->nodes;
    if (d->over)
        return false;
    d->nodes--;
    for (uint32_t k = from; k < n; k++) {
        uint32_t i = f->ready[k];
        const struct prove_op *op = &p->op[i];
        if (!prove_fits(row, op))
            continue;
        uint32_t more = n, r4_from = d->r4_from;
        if ((op->r4 && t < r4_from) || ops->n == SCHED_ROW_OPS ||
            (op->switches && !ways_may_switch(p, d->row, t)))
            continue;
        struct prove_row with = prove_row_with(row, op);
        struct prove_undo undo;
        ops->switches |= op->switches;
        ops->op[ops->n++] = i;
        d->r4_from = op->r4_latency ? t + op->r4_latency : r4_from;
        count_uses(d, i, -1);
        prove_issue(p, i, t, &undo, f->ready, &more);
        if (fill_with(d, f, &with, k + 1, more))
            return true; /* the search is over */
        prove_take_back(p, i, &undo);
        count_uses(d, i, 1);
        d->r4_from = r4_from;
        ops->n--;
        ops->switches &= !op->switches;
        if (d->over || prove_needs(p, t, i))
            return false;
    }
    struct ways_demand asked;
    if (!prove_has_all(p, t, &f->must, ops->op, ops->n) || (ops->switches && d->r4_from > t + 1))
        return false; /* nor may a special function's result arrive behind a switch */
    return ways_ask(p, ops, &asked) &&
           bind_step(p->s->m, ops, &asked, d->uses, t, &d->bind[t], &d->bind[t + 1]) && fill_from(d, t + 1);
}

/* From instruction t on, for the length that is aimed at. True: a plan was found. */
static bool fill_at(struct dive *d, uint32_t t) {
    uint32_t left, next;
    struct filling f;
    struct prover *p = &d->p;
    uint32_t n = prove_ready(p, t, f.ready, &left, &next);
    if (!left)
        return try_plan(d, t);
    if (!prove_may_end(p, t, t > 0, &f.must))
        return false;
    struct prove_row row = prove_row_at(p, t);
    d->row[t] = ways_row_at(p, &row, t);
    if (t == p->branch)
        n = 0;
    sort_ready(d, f.ready, n);
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
    const struct mir *m = s->m;
    struct ir_arena *arena = m->arena;
    uint8_t *name = ir_alloc(arena, m->nval + 1);
    uint32_t most = bound + bound / 2 + MORE;
    most = most < below ? most : below;
    uint64_t left = ir_search_left(arena) / A_NODE;
    d->room = most < PROVE_MOST ? most : PROVE_MOST;
    d->nodes = left < NODES ? left : NODES;
    if (m->nval > PROVE_MOST || length >= d->room || !prove_open(&d->p, s, bound + 1))
        return false;
    d->uses = ir_alloc(arena, (m->nval + 1) * sizeof *d->uses);
    d->weight = ir_alloc_uncleared(arena, (m->nop + 1) * sizeof *d->weight);
    d->row = ir_alloc_uncleared(arena, (d->room + 1) * sizeof *d->row);
    d->bind = ir_alloc_uncleared(arena, (d->room + 1) * sizeof *d->bind);
    if (ir_arena_oom(arena))
        return false;
    bind_names(m, name);
    d->name = name;
    for (uint32_t i = 0; i < m->nop; i++)
        if (d->p.op[i].live)
            count_uses(d, i, 1);
    for (uint32_t i = 0; i < m->nop; i++)
        d->weight[i] = fixed_weight(d, i);
    bind_begin(m, d->name, d->uses, &d->bind[0]);
    return true;
}

/* True: a plan for so many instructions or some more was found. */
static bool dive_to(struct dive *d, uint32_t length) {
    d->dead_ends = DEAD_ENDS;
    d->r4_from = 0;
    d->over = false;
    return prove_aim(&d->p, length) && fill_from(d, 0);
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
        length = d.p.target + 1;
    ir_search(s->m->arena, (nodes - d.nodes) * A_NODE);
}
