/* Searches the orders of a block for a shorter schedule, or for the proof that there is none.
 *
 * Requires: the graph, heads and tails (bound.c). Keeps everything.
 *
 * The search fills one instruction after the other with sets of ready ops. It backtracks where the remaining
 * ops can't end in time (prove.h), where the values have no feasible placement (placement.h), and where the
 * same state was refuted before (refuted.c). Each partial order carries all its placements along, so the
 * search branches on orders alone. A complete order is a plan: the list scheduler follows it and has the last
 * word (sched_list_follow).
 *
 * sched_dive, for every block: a greedy search without moves, the likeliest ops first. After a few dead ends
 * it allows one instruction more and goes on from where it is, so that little work is lost.
 * sched_exact, at -O3: exhaustive, first without moves, since nearly all schedules need none, then with them.
 * sched_prove, at -O3: exhaustive on the relaxed block. There, moving an op up into an idle unit never makes
 * a schedule longer, so maximal sets are enough. */
#include "sched/search.h"

#include <string.h>

enum { DEAD_ENDS = 3 }; /* of a dive, at each length */
/* Plans that the list scheduler may refuse before the search ends: it refuses similar plans again. */
enum { DIVE_REFUSALS = 4, EXACT_REFUSALS = 40 };
enum { DIVE_NODES = 100000 };
enum { NODE_WORK = 16 }; /* in units of ir_search */

/* --- issuing and undoing -------------------------------------------------------------------------------- */

struct undo {
    struct prove_undo issued;
    uint32_t r4_from;
};

static void count_uses(struct search *x, uint32_t i, int by) {
    const struct prove_op *op = &x->p.op[i];
    for (unsigned k = 0; k < op->nread; k++)
        x->uses[op->read[k]] += (uint32_t)by;
}

/* May op i join instruction t, whose ops so far make up `row`? */
static bool may_put(const struct search *x, const struct prove_row *row, uint32_t i, uint32_t t) {
    const struct prove_op *op = &x->p.op[i];
    return prove_fits(row, op) && x->row[t].n < PLACEMENT_ROW_OPS &&
           (x->relaxed || (!(x->flags && x->p.s->m->op[i].sf) && !(op->r4 && t < x->r4_from) &&
                           !(op->switches && !placement_may_switch(&x->p, x->row, t))));
}

/* Issues op i in instruction t. Ops that this makes ready for the same instruction join `ready`. */
static void issue(struct search *x, uint32_t i, uint32_t t, struct undo *undo, uint8_t *ready, uint32_t *n) {
    const struct prove_op *op = &x->p.op[i];
    struct placement_row *row = &x->row[t];
    row->switches |= op->switches;
    row->op[row->n++] = i;
    undo->r4_from = x->r4_from;
    x->r4_from = op->r4_latency ? t + op->r4_latency : x->r4_from;
    x->flags += x->p.s->op[i].flags, x->r5 += x->p.s->op[i].r5;
    count_uses(x, i, -1);
    prove_issue(&x->p, i, t, &undo->issued, ready, n);
}

static void undo_issue(struct search *x, uint32_t i, uint32_t t, const struct undo *undo) {
    prove_take_back(&x->p, i, &undo->issued);
    count_uses(x, i, 1);
    x->flags -= x->p.s->op[i].flags, x->r5 -= x->p.s->op[i].r5;
    x->r4_from = undo->r4_from;
    x->row[t].n--;
    x->row[t].switches &= !x->p.op[i].switches;
}

/* --- the walk ------------------------------------------------------------------------------------------- */

/* A dive has met a dead end after instruction t was begun. After DEAD_ENDS of them it aims at a schedule
 * longer by one instruction and goes on from t. That is possible only before the rows that the block's end
 * restricts; in those, the dive is over. */
static bool try_longer(struct search *x, uint32_t t) {
    struct prover *p = &x->p;
    if (x->over || !x->dead_ends || --x->dead_ends)
        return false;
    x->over = t + MODEL_END > p->target + 1 || t > p->branch || p->target + 1 >= x->limit;
    if (x->over)
        return false;
    x->dead_ends = DEAD_ENDS;
    return prove_aim(p, p->target + 1);
}

/* Writes a row into the plan, as instruction `at`. The search has a thread switch in its last delay slot. In
 * the plan the switch comes after that row, followed by empty slots, and finish.c moves it up. Returns how
 * many instructions that takes. */
static uint32_t plan_row(const struct prover *p, const struct placement_row *row, uint32_t at,
                         struct sched_plan *plan) {
    bool add_is_taken = false;
    for (uint32_t k = 0; k < row->n; k++)
        add_is_taken |= p->s->op[row->op[k]].traits & T_ADD_ONLY;
    for (uint32_t k = 0; k < row->n; k++) {
        plan->when[row->op[k]] = at + p->op[row->op[k]].switches;
        plan->on_mul[row->op[k]] = add_is_taken;
    }
    return row->switches ? 1 + MODEL_SWITCH : 1;
}

/* Writes into the plan where the placement `w`, after the row, has the row's results. */
static void plan_places(const struct mir *m, const struct placement_row *row, const struct placement *w,
                        uint8_t *kind) {
    for (uint32_t k = 0, result = 0; k < row->n && result < PLACEMENT_RESULTS; k++) {
        const struct m_op *op = &m->op[row->op[k]];
        if (op->dst != M_NO_VALUE && !op->r4 && w->result[result] == op->dst)
            kind[op->dst] = (uint8_t)(1u << w->written[result++]);
    }
}

/* All ops are issued before instruction t: follows the placements back to the start for the plan's places. */
static bool try_plan(struct search *x, uint32_t t) {
    const struct mir *m = x->p.s->m;
    const uint32_t first = m->reset ? MODEL_RESET : 0;
    struct sched_plan plan = {.length = first};
    const struct placement *w = NULL;
    x->open = true;
    if (x->relaxed)
        return true;
    for (uint32_t i = 0; i < x->placements[t].n && !w; i++)
        w = x->placements[t].list[i].loose ? NULL : &x->placements[t].list[i];
    if (!w) /* a joined placement stands for several, and perhaps none of them leads here */
        return false;
    plan.when = ir_alloc(m->arena, (m->nop + 1) * sizeof *plan.when);
    plan.on_mul = ir_alloc(m->arena, (m->nop + 1) * sizeof *plan.on_mul);
    plan.kind = ir_alloc(m->arena, m->nval + 1);
    x->over |= ir_arena_oom(m->arena);
    if (x->over)
        return false;
    for (uint32_t at = first; at < t; at++)
        if (at != x->p.branch) /* finish.c adds the branch */
            plan.length += plan_row(&x->p, &x->row[at], plan.length, &plan);
    for (; t--; w = &x->placements[t].list[w->before])
        plan_places(m, &x->row[t], w, plan.kind);
    bool taken = x->try(x->context, &plan);
    x->over |= !taken && !--x->refusals;
    return taken;
}

static bool search_from(struct search *x, uint32_t t);

/* Instruction t: the ops that may go into it, and those that have to. */
struct filling {
    uint32_t t;
    uint8_t ready[PROVE_MOST];
    struct prove_must must;
};

/* No ready op fits into the row any more. */
static bool is_full(const struct search *x, const struct filling *f, const struct prove_row *row,
                    uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (!prove_has(&x->p.issued, f->ready[k]) && may_put(x, row, f->ready[k], f->t))
            return false;
    return true;
}

/* The instruction is filled. Searches from the next one if the rest can still end in time. */
static bool search_next(struct search *x, const struct filling *f) {
    const uint32_t t = f->t;
    struct prover *p = &x->p;
    const struct placement_row *row = &x->row[t];
    struct placements *next = &x->placements[t + 1];
    if (!prove_has_all(p, t, &f->must, row->op, row->n))
        return false;
    if (!placement_room(p->s->m, next))
        return x->over = true, false;
    if (x->relaxed) {
        placement_nowhere(next);
        return search_from(x, t + 1);
    }
    if (row->switches && (x->r4_from > t + 1 || x->flags || x->r5)) /* lost at a switch */
        return false;
    prove_spend(p, placement_step(p, row, x->uses, x->moves && t != p->branch, &x->placements[t], next));
    return next->n && search_from(x, t + 1);
}

/* Tries each set of ready[from..n) that fits into the row, supersets before their subsets. */
static bool fill_with(struct search *x, struct filling *f, const struct prove_row *row, uint32_t from,
                      uint32_t n) {
    struct prover *p = &x->p;
    const uint32_t t = f->t;
    x->over |= !p->nodes;
    if (x->over)
        return false;
    prove_spend(p, 1);
    for (uint32_t k = from; k < n; k++) {
        uint32_t i = f->ready[k], more = n;
        if (!may_put(x, row, i, t))
            continue;
        struct prove_row with_op = prove_row_with(row, &p->op[i]);
        struct undo undo;
        issue(x, i, t, &undo, f->ready, &more);
        bool served = x->relaxed || placement_serve(p, &x->row[t], &x->placements[t]);
        if (served && fill_with(x, f, &with_op, k + 1, more))
            return true; /* found */
        undo_issue(x, i, t, &undo);
        if (x->over)
            return false;
    }
    return (!x->relaxed || is_full(x, f, row, n)) && search_next(x, f);
}

static uint64_t hash_of_state(const struct search *x, uint32_t t) {
    uint64_t state = prove_state(&x->p, t);
    if (x->relaxed)
        return state;
    state ^= x->r4_from > t ? x->r4_from * 0xd6e8feb86659fd93u : 0;
    for (uint32_t back = 1; x->p.s->nswitch && back <= QPU_THREAD_SLOTS && back <= t; back++) {
        const struct placement_row *row = &x->row[t - back]; /* where a switch to come may have its signal */
        state =
            (state ^ placement_may_signal(&x->p, row) ^ (uint64_t)row->switches << 1) * 0x9e3779b97f4a7c15u;
    }
    return state;
}

/* Searches from instruction t on, for the length aimed at. True: found a plan or, of the relaxed block, an
 * order. */
static bool search_at(struct search *x, uint32_t t) {
    struct prover *p = &x->p;
    struct filling f;
    uint32_t left, n = prove_ready(p, t, f.ready, &left);
    if (!left)
        return try_plan(x, t);
    if (!prove_may_end(p, t, t > 0, &f.must))
        return false;
    bool has_table = x->refuted.entry;
    uint64_t state = has_table ? hash_of_state(x, t) : 0;
    if (has_table)
        refuted_drop(&x->refuted, state, &x->placements[t]);
    if (!x->placements[t].n)
        return false;
    struct prove_row row = prove_row_at(p, t);
    x->row[t] = placement_row_at(p, &row, t);
    if (t == p->branch)
        n = 0;
    search_sort(x, f.ready, n);
    f.t = t;
    bool found = fill_with(x, &f, &row, 0, n);
    if (has_table && !found && !x->over)
        refuted_add(&x->refuted, state, &x->placements[t]);
    return found;
}

/* The same, at greater lengths after dead ends of a dive. */
static bool search_from(struct search *x, uint32_t t) {
    bool found;
    do
        found = search_at(x, t);
    while (!found && try_longer(x, t));
    return found;
}

/* --- the searches --------------------------------------------------------------------------------------- */

/* Prepares a search for schedules shorter than `length`; later on it may aim at other lengths below `most`.
 * Each state has at most `n_placements` placements. False: the block is too large, or out of memory. */
static bool prepare(struct search *x, const struct sched *s, uint32_t length, uint32_t most,
                    uint32_t n_placements) {
    const struct mir *m = s->m;
    struct ir_arena *arena = m->arena;
    if ((!x->relaxed && m->nval > PROVE_MOST) || !prove_open(&x->p, s, length))
        return false;
    x->uses = ir_alloc(arena, (m->nval + 1) * sizeof *x->uses);
    x->weight = ir_alloc_uncleared(arena, (m->nop + 1) * sizeof *x->weight);
    x->row = ir_alloc_uncleared(arena, (most + 1) * sizeof *x->row);
    x->placements = ir_alloc(arena, (most + 2) * sizeof *x->placements);
    for (uint32_t t = 0; t < most + 2 && !ir_arena_oom(arena); t++)
        x->placements[t].most = n_placements;
    return !ir_arena_oom(arena);
}

/* Searches from the first instruction on. */
static bool search_all(struct search *x) {
    const struct mir *m = x->p.s->m;
    memset(x->uses, 0, (m->nval + 1) * sizeof *x->uses);
    for (uint32_t i = 0; i < m->nop; i++)
        if (x->p.op[i].live)
            count_uses(x, i, 1);
    search_weigh(x);
    x->r4_from = 0, x->flags = x->r5 = 0;
    x->over = !placement_room(m, &x->placements[0]);
    if (x->over)
        return false;
    if (x->relaxed) /* a placement may have too few bits for its values */
        placement_nowhere(&x->placements[0]);
    else
        placement_begin(m, x->uses, &x->placements[0]);
    return search_from(x, 0);
}

/* A step takes time for each placement, so large blocks have fewer. Fragment shaders always have all, since
 * their blocks have fewer dives. */
static uint32_t placements_for(const struct sched *s) {
    enum { LEAST = 16, MOST = 64, OPS = 2000 };
    uint32_t n = s->m->shader->stage == QPUCC_FRAGMENT ? MOST : OPS / (s->nlive + 1);
    return n < LEAST ? LEAST : n > MOST ? MOST : n;
}

void sched_dive(const struct sched *s, uint32_t bound, uint32_t below, sched_try_plan *try, void *context) {
    enum { MORE = 4 };
    /* a large block needs about one instruction above the bound for each six ops beyond the first 48 */
    enum { FEW = 48, EACH = 6 };
    struct search x = {.refusals = DIVE_REFUSALS, .try = try, .context = context};
    struct ir_arena *arena = s->m->arena;
    bool is_optional = s->options.dive_bias || s->m->options.opt_level > 2;
    uint64_t left = (is_optional ? sched_extra_left(s->m) : ir_search_left(arena)) / NODE_WORK;
    uint64_t nodes = left < DIVE_NODES ? left : DIVE_NODES;
    uint32_t length = bound + (s->nlive > FEW ? (s->nlive - FEW) / EACH : 0), most = bound + bound / 2 + MORE;
    if (below <= bound + bound / 2)
        length = below > bound ? below - 1 : bound;
    most = most < below ? most : below;
    x.limit = most < PROVE_MOST ? most : PROVE_MOST;
    if (length >= x.limit || !prepare(&x, s, bound + 1, x.limit, placements_for(s)))
        return;
    x.p.nodes = nodes;
    for (bool found = false; !found && length < x.limit && x.p.nodes && x.refusals; length = x.p.target + 1) {
        x.dead_ends = DEAD_ENDS;
        found = prove_aim(&x.p, length) && search_all(&x);
    }
    ir_search(arena, (nodes - x.p.nodes) * NODE_WORK);
}

/* True: the search has covered all orders and found nothing. */
static bool refute(struct search *x, bool moves) {
    x->moves = moves;
    refuted_clear(&x->refuted);
    for (uint32_t t = 0; t < x->p.target + 2; t++)
        x->placements[t].copies = moves;
    return !search_all(x) && !x->over;
}

bool sched_exact(const struct sched *s, uint32_t length, uint64_t nodes, sched_try_plan *try, void *context) {
    struct search x = {.refusals = EXACT_REFUSALS, .try = try, .context = context};
    struct ir_arena *arena = s->m->arena;
    uint64_t most = sched_extra_left(s->m) / NODE_WORK;
    nodes = nodes < most ? nodes : most;
    bool proven =
        prepare(&x, s, length, length + 1, PLACEMENT_MOST) && refuted_open(&x.refuted, arena, nodes / 4 + 2);
    if (proven) {
        x.p.nodes = nodes;
        proven = refute(&x, false) && refute(&x, true) && !x.open;
        ir_search(arena, (nodes - x.p.nodes) * NODE_WORK);
    }
    refuted_close(&x.refuted, arena);
    return proven;
}

bool sched_prove(const struct sched *s, uint32_t length, uint64_t nodes) {
    struct search x = {.relaxed = true};
    struct ir_arena *arena = s->m->arena;
    uint64_t left = sched_extra_left(s->m) * 8 / (s->m->nop + 1); /* the work of a node grows with the ops */
    nodes = nodes < left ? nodes : left;
    bool proven = prepare(&x, s, length, length + 1, 1) && refuted_open(&x.refuted, arena, nodes / 4 + 2);
    if (proven) {
        x.p.nodes = nodes;
        proven = refute(&x, false) && !x.open;
        ir_search(arena, (nodes - x.p.nodes) * s->m->nop / 8);
    }
    refuted_close(&x.refuted, arena);
    return proven;
}
