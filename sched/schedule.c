/* The best of many attempts, at the best of several forms of the block's ops.
 *
 * Requires: selected ops with their edges. Keeps: what list.c keeps. A small block begins with dives
 * (search.c), which may be all that it takes. An attempt is cheap, so it is made several times with different
 * strategies, which learn lifetimes from the first. Then variants of the best one are tried side by side
 * (beam.c), and at -O3 the block is closed by proof or exact search (search.c). The fewest modelled
 * cycles win (mir/objective.h); an attempt as short as the block's lower bound ends the search. */
#include "sched/schedule.h"
#include "mir/objective.h"
#include "regalloc/regalloc.h"
#include "sched/prove.h"

#include <string.h>

#include "sched/dives.h"
#include "sched/strategies.h"

const struct sched_weights sched_weights = {
#define WEIGHT(name, value) .name = value,
#include "sched/weights.def"
#undef WEIGHT
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Orders are made when the first strategy asks for them. */
static const uint32_t *order_of(struct sched *s, enum sched_order by) {
    if (s->order[by])
        return s->order[by];
    s->order[by] = ir_alloc(s->m->arena, (s->m->nop + 1) * sizeof *s->order[by]);
    switch (by) {
    case BY_DEPTH: rank_depth_first(s, s->order[by]); break;
    case BY_PRESSURE: place_begin(s), rank_backwards(s, s->order[by]); break;
    default:
        for (uint32_t i = 0; i < s->m->nop; i++)
            s->order[by][i] = i;
    }
    return s->order[by];
}

/* The best attempt so far. */
struct best {
    struct m_code *code;
    uint64_t cost; /* by mir/objective.h */
    unsigned cycles, used_acc;
    uint64_t used[2];
    const struct sched_strategy *strategy;
};

#define NO_ATTEMPT UINT64_MAX
enum { PROOF_NODES = 200000 };

uint64_t sched_extra_left(const struct mir *m) {
    /* sixteenths of the account that are left to later stages */
    static const unsigned OTHERS[] = {[QPUCC_FRAGMENT] = 6, [QPUCC_VERTEX] = 3, [QPUCC_COORDINATE] = 0};
    uint64_t most = ir_limit(m->arena, QPUCC_LIMIT_SEARCH), left = ir_search_left(m->arena);
    uint64_t kept = most / 4 + most / 16 * OTHERS[m->shader->stage];
    return left > kept ? left - kept : 0;
}

/* Adds the block's end to a run that succeeded, and keeps it if it beats the best. Returns its
 * cost, or NO_ATTEMPT. */
static uint64_t finish_attempt(struct sched *s, bool ok, uint32_t base, struct best *best) {
    ok = ok && sched_finish(s->m, &s->code, base);
    if (s->code.lost) /* no memory: another attempt must not win */
        ir_arena_fail(s->m->arena);
    uint64_t cost = ok ? objective(s->code.count + s->now.stall, s->code.count) : NO_ATTEMPT;
    if (ok && cost < best->cost) {
        struct m_code spare = *best->code;
        best->cost = cost;
        best->cycles = s->code.count + s->now.stall;
        *best->code = s->code, s->code = spare;
        best->used[0] = s->now.places.used[0], best->used[1] = s->now.places.used[1];
        best->used_acc = s->now.places.used_acc;
        best->strategy = s->options.strategy;
    }
    return cost;
}

/* The highest cost that still beats the best. */
static uint64_t limit_of(const struct best *best) {
    return best->cost - (best->cost < NO_ATTEMPT);
}

/* One run of the list scheduler and the block's end. Returns its cost, or NO_ATTEMPT if it does not beat the
 * best. */
static uint64_t attempt_by(struct sched *s, const struct sched_strategy *strategy, uint32_t base,
                           struct best *best) {
    if (ir_arena_oom(
            s->m->arena)) /* also cancelled: making an order takes time that is not counted as work */
        return NO_ATTEMPT;
    s->options.strategy = strategy;
    s->options.rank = order_of(s, strategy->by);
    if (ir_arena_oom(s->m->arena))
        return NO_ATTEMPT;
    s->options.limit = limit_of(best);
    return finish_attempt(s, sched_list_run(s), base, best);
}

void sched_learn_lifetimes(struct sched *s) {
    uint32_t *life = ir_alloc(s->m->arena, (s->m->nval + 1) * sizeof *life);
    for (uint32_t v = 0; v < s->m->nval; v++)
        life[v] = s->died[v] > s->value[v].born ? s->died[v] - s->value[v].born : 1;
    s->options.life = life;
}

/* Graph and tables for the ops that there are now. False: the graph has a cycle. */
static bool prepare(struct sched *s) {
    if (!sched_graph(s))
        return false;
    if (s->m->options.threads == 2)
        sched_mark_crossing(s);
    memset(s->order, 0, sizeof s->order);
    sched_start(s);
    sched_paths(s);
    return !ir_arena_oom(s->m->arena);
}

static const struct sched_dive_weights *dive_for(const struct mir *m) {
    switch (m->shader->stage) {
    case QPUCC_FRAGMENT: return &dive_fragments;
    case QPUCC_COORDINATE: return &dive_coordinates;
    default: return &dive_vertices;
    }
}

bool sched_open(struct sched *s, struct mir *m) {
    *s = (struct sched){.m = m,
                        .options = {.weights = &sched_weights, .dive = dive_for(m)},
                        .nregs = m->options.threads == 2 ? 16 : 32,
                        .occupied = m_occupied(m),
                        .code.from = ir_allocator(m->arena)};
    return prepare(s);
}

double sched_try(struct sched *s, const struct sched_strategy *strategy, uint32_t base) {
    const struct m_code none = {.from = ir_allocator(s->m->arena)};
    struct m_code code = none;
    struct best best = {.code = &code, .cost = NO_ATTEMPT};
    bool ok = attempt_by(s, strategy, base, &best) != NO_ATTEMPT;
    ir_heap_free(code.inst);
    ir_heap_free(s->code.inst);
    s->code = none;
    return ok ? best.cost : 0;
}

/* Strategies that tell one form of a block from another. In a small block the beam finds more than further
 * ones would, in less time. */
enum { A_FEW = 3 };
static bool beam_is_better(const struct mir *m) {
    return m->options.opt_level == 2 && m->options.search && m->nop < SCHED_MEDIUM;
}

/* The strategies for a block, in the order in which they are tried. */
struct table {
    const struct sched_strategy *rows;
    size_t count;
};

static struct table table_for(const struct mir *m) {
    enum { HUGE = 3000 };
    struct table table = {for_vertices, COUNT(for_vertices)};
    if (m->shader->stage == QPUCC_FRAGMENT)
        table = (struct table){for_fragments, COUNT(for_fragments)};
    if (m->options.opt_level == 0)
        table.count = 1;
    else if (m->nop > HUGE || !m->options.search)
        table.count = 2;
    else if (beam_is_better(m))
        table.count = A_FEW;
    return table;
}

/* The order whose peak of values alive is lowest, and that peak. */
struct fewest {
    uint32_t *order, count;
    unsigned alive;
    struct ir_loc where;
};

static bool fits(const struct sched *s, unsigned alive) {
    return alive <= sched_places(s);
}

static struct fewest in_order_of(struct sched *s, enum sched_order by) {
    struct fewest f = {.order = ir_alloc(s->m->arena, (s->m->nop + 1) * sizeof *f.order)};
    f.count = rank_to_order(s, order_of(s, by), f.order);
    place_begin(s);
    f.alive = rank_peak(s, f.order, f.count, &f.where);
    return f;
}

/* Making an order takes time that is not counted: the caller's flag is checked before each but the first. */
static void find_fewest(struct sched *s, struct fewest *f) {
    *f = in_order_of(s, BY_SOURCE);
    for (enum sched_order k = BY_SOURCE + 1; k < SCHED_ORDERS && !ir_cancelled(s->m->arena); k++) {
        struct fewest by = in_order_of(s, k);
        if (by.alive < f->alive)
            *f = by;
    }
}

/* Does any of the orders fit? */
static bool has_fitting_order(struct sched *s) {
    bool found = false;
    for (enum sched_order k = 0; k < SCHED_ORDERS && !found && !ir_cancelled(s->m->arena); k++)
        found = fits(s, in_order_of(s, k).alive);
    return found;
}

static bool may_go_on(const struct sched *s) {
    return !ir_arena_oom(s->m->arena) && sched_has_work(s);
}

static void try_under_pressure(struct sched *s, uint32_t base, struct best *best, bool by_pressure) {
    for (size_t k = 0; k < COUNT(under_pressure) && best->cost == NO_ATTEMPT && may_go_on(s); k++)
        if (!by_pressure || under_pressure[k].by == BY_PRESSURE)
            attempt_by(s, &under_pressure[k], base, best);
}

/* The order's peak of values alive. Keeps the lowest so far, and where it is. */
static unsigned note_peak(const struct sched *s, struct fewest *f) {
    struct ir_loc at = {0};
    unsigned alive = rank_peak(s, f->order, f->count, &at);
    if (alive < f->alive)
        f->alive = alive, f->where = at;
    return alive;
}

/* Attempts by pressure follow the order. With a step of 2 it weighs twice as much against freed places. */
static void rank_by(struct sched *s, const struct fewest *f, uint32_t step) {
    uint32_t *rank = s->order[BY_PRESSURE] = ir_alloc(s->m->arena, (s->m->nop + 1) * sizeof *rank);
    for (uint32_t i = 0; i < f->count; i++)
        rank[f->order[i]] = step * i;
}

/* Attempts that follow the order, and others with fewer values alive that are made of it. */
static void try_orders(struct sched *s, uint32_t base, struct best *best, struct fewest *f) {
    enum { ORDERS = 6, FAR = 2 }; /* FAR: it gives up when the second order does not fit either */
    for (uint32_t n = 1; n <= ORDERS && best->cost == NO_ATTEMPT && may_go_on(s); n++) {
        place_begin(s);
        rank_exchange(s, f->order, f->count, n);
        if (!fits(s, note_peak(s, f))) {
            if (n < FAR)
                continue;
            return;
        }
        rank_by(s, f, 2);
        attempt_by(s, &in_order, base, best);
    }
}

/* Nothing fits as it is: fewer places are kept full from round to round, and more is rematerialised. A block
 * that becomes twenty times as large on the way does not take the work that other forms and levels need. */
static void squeeze(struct sched *s, uint32_t base, struct best *best, struct fewest *f) {
    enum { MOST = 40000, SHARES = 8 }; /* MOST: larger blocks get no further round */
    static const unsigned places[] = {62, 56, 50, 44};
    struct ir_arena *arena = s->m->arena;
    s->options.most_work = ir_usage(arena).work + ir_limit(arena, QPUCC_LIMIT_WORK) / SHARES;
    if (s->m->options.remat)
        try_orders(s, base, best, f);
    for (size_t k = 0; k < COUNT(places) && best->cost == NO_ATTEMPT && f->count < MOST && may_go_on(s);
         k++) {
        place_begin(s);
        if (s->m->options.threads == 2 || !remat_run(s->m, &f->order, &f->count, places[k]))
            continue;
        if (!prepare(s))
            return;
        if (s->m->options.remat) {
            try_orders(s, base, best, f);
            continue;
        }
        rank_by(s, f, 1);
        place_begin(s);
        if (fits(s, note_peak(s, f)))
            try_under_pressure(s, base, best, true);
    }
    if (best->cost == NO_ATTEMPT)
        try_under_pressure(s, base, best, false);
}

/* A block in one of its forms, and its best schedule. */
struct form {
    struct sched s;
    struct best best;
    struct m_code code;
    struct table table;
    struct fewest fewest;
    unsigned bound;
    size_t tried; /* strategies */
    bool ended;   /* further strategies would hardly do better */
};

static bool may_beat(const struct form *f, uint64_t cost) {
    return objective(f->bound, f->bound) < cost;
}

/* Attempts by strategies up to the n-th, until one is as short as the bound. Where the first fails and no
 * order fits, the others would hardly do better. */
static void try_strategies(struct form *f, uint32_t base, size_t n) {
    for (size_t *k = &f->tried; *k < f->table.count && *k < n && !f->ended; ++*k) {
        if (!may_beat(f, f->best.cost))
            return;
        bool ok = attempt_by(&f->s, &f->table.rows[*k], base, &f->best) != NO_ATTEMPT;
        if (ok && !f->s.options.life)
            sched_learn_lifetimes(&f->s);
        if (!ok && *k == 0)
            f->ended = !has_fitting_order(&f->s);
    }
}

static enum sched_status open_form(struct form *f, struct mir *m) {
    if (m->options.opt_level > 2 && !sched_extra_left(m))
        m->options.opt_level = 2;
    f->code.from = ir_allocator(m->arena);
    f->best = (struct best){.code = &f->code, .cost = NO_ATTEMPT};
    f->table = table_for(m);
    if (!sched_open(&f->s, m))
        return ir_arena_oom(m->arena) ? SCHED_OUT_OF_MEMORY : SCHED_CYCLE;
    if (m->no_place)
        return SCHED_NO_PLACE;
    f->bound = sched_bound(&f->s);
    return SCHED_OK;
}

/* The form that is cheapest after a few attempts; the first, if all of them fail. */
static struct form *choose_form(struct form *form, unsigned count, uint32_t base) {
    struct form *best = form;
    for (unsigned k = 0; k < count && count > 1; k++) {
        if (!may_beat(&form[k], best->best.cost))
            continue;
        form[k].s.options.searching = k > 0;
        try_strategies(&form[k], base, A_FEW);
        form[k].s.options.searching = false;
        if (form[k].best.cost < best->best.cost)
            best = &form[k];
    }
    return best;
}

/* What a search's plans are tried with. */
struct plan_for {
    struct sched *s;
    struct best *best;
    uint32_t base;
};

static bool try_plan(void *context, const struct sched_plan *plan) {
    struct plan_for *to = context;
    uint64_t before = to->best->cost;
    to->s->options.limit = limit_of(to->best);
    finish_attempt(to->s, sched_list_follow(to->s, plan), to->base, to->best);
    return to->best->cost < before;
}

/* So near the bound that strategies and the beam would hardly shorten what the dive has found. */
static bool is_near(const struct form *f) {
    return f->code.count <= f->bound + 1;
}

/* A small block by a search at lengths near the bound. True: it has found a schedule near it. An early choice
 * may have led it far away: then strategies and the beam follow. */
static bool dive(struct form *f, uint32_t base) {
    struct sched *s = &f->s;
    bool tried = f->best.cost != NO_ATTEMPT;
    if (!s->m->options.search || s->m->options.opt_level < 2)
        return false;
    struct plan_for context = {s, &f->best, base};
    s->options.strategy = f->table.rows; /* for a beam, if no run by a strategy succeeds */
    s->options.searching = true;
    uint32_t below = tried ? f->code.count : UINT32_MAX;
    sched_dive(s, f->bound, below, try_plan, &context);
    s->options.searching = false;
    return f->best.cost != NO_ATTEMPT && f->best.cycles == f->code.count && is_near(f);
}

double sched_try_dive(struct sched *s, uint32_t base) {
    struct form f = {
        .s = *s, .code.from = ir_allocator(s->m->arena), .table = table_for(s->m), .bound = sched_bound(s)};
    f.best = (struct best){.code = &f.code, .cost = NO_ATTEMPT};
    dive(&f, base);
    ir_heap_free(f.code.inst);
    ir_heap_free(f.s.code.inst);
    return f.best.cost != NO_ATTEMPT ? f.best.cost : 0;
}

/* Dives by weights that are changed at random: each is quick, and one finds what another misses. The
 * nearer the bound, the more: `dives`, divided by how many instructions above it the block is. A run has
 * been made, so what all runs share exists, and no memory that a dive takes is needed after it. */
static void dive_again(struct form *f, uint32_t base, unsigned dives) {
    enum { MOST = 30 };
    struct ir_arena *arena = f->s.m->arena;
    uint32_t state = SCHED_SEED, n = f->s.m->nop;
    int *bias = ir_alloc(arena, (n + 1) * sizeof *bias);
    f->s.options.dive_bias = bias;
    for (unsigned k = 0; n <= PROVE_MOST && f->code.count > f->bound && sched_extra_left(f->s.m); k++) {
        if (k * (f->code.count - f->bound) >= dives)
            break;
        struct ir_mark mark = ir_arena_mark(arena);
        for (uint32_t i = 0; i < n; i++)
            bias[i] = (int)(sched_draw(&state) % (2 * MOST + 1)) - MOST;
        dive(f, base);
        ir_arena_rewind(arena, mark);
    }
    f->s.options.dive_bias = NULL;
}

/* Looks for ever shorter schedules, with so much work for each, until there is none or the work ends. A proof
 * that there is none makes the length the bound. Memory as with dive_again. */
static void search_exactly(struct form *f, uint32_t base, uint64_t work) {
    struct plan_for context = {&f->s, &f->best, base};
    bool proves = f->s.m->options.opt_level > 2;
    for (uint32_t length = UINT32_MAX; f->code.count > f->bound && f->code.count < length;) {
        struct ir_mark mark = ir_arena_mark(f->s.m->arena);
        length = f->code.count;
        f->s.options.searching = true;
        if ((proves && sched_prove(&f->s, length, PROOF_NODES)) ||
            sched_exact(&f->s, length, work, try_plan, &context))
            f->bound = length;
        f->s.options.searching = false;
        ir_arena_rewind(f->s.m->arena, mark);
    }
}

/* Dives; true: nothing else need be tried. In vertex and coordinate shaders a small block, which has few
 * orders, is then searched exactly, and a larger one by dives with changed weights. */
static bool dives_suffice(struct form *f, uint32_t base) {
    enum { FEW_OPS = 32, NODES = 20000 };
    const struct mir *m = f->s.m;
    uint64_t before = f->best.cost;
    bool near = dive(f, base);
    if (m->shader->stage == QPUCC_FRAGMENT || m->options.opt_level > 2 || f->best.cost == before)
        return near;
    if (m->nop <= FEW_OPS)
        search_exactly(f, base, NODES);
    else
        dive_again(f, base, m->nop * 3 / 2);
    return is_near(f);
}

/* The beam, which takes about three runs' time for each partial schedule of its width. */
static void widen(struct form *f, uint32_t base, bool far) {
    struct sched *s = &f->s;
    const struct mir *m = s->m;
    struct best *best = &f->best;
    if (!m->options.search || m->options.opt_level < 2 || m->nop < 2 || !may_beat(f, best->cost) ||
        !ir_search_left(m->arena))
        return;
    bool stalls = best->cycles > best->code->count;
    struct sched_beam_size size = far ? sched_beam_far(s) : sched_beam_size(m, stalls);
    if (size.width < 2)
        return;
    s->options.strategy = best->strategy;
    s->options.rank = order_of(s, s->options.strategy->by);
    s->options.searching = true;
    s->options.limit = limit_of(best);
    uint32_t longest = best->code->count + m->last; /* the end may take one out (sched/tail.c) */
    finish_attempt(s, sched_beam(s, size, longest), base, best);
    s->options.searching = false;
}

/* In a fragment shader's smallest blocks the first strategy is often as short as the bound, and takes less
 * time than the dive. In other shaders it hardly ever is. */
static bool begins_with_strategy(const struct mir *m) {
    enum { SMALLEST = 40 };
    return m->shader->stage == QPUCC_FRAGMENT && m->options.opt_level == 2 && m->options.search &&
           m->nop < SMALLEST;
}

/* As good as it gets with this form. Where the search goes on until nothing is shorter, a fragment shader's
 * beam comes before the dive: it ends where more is proven. */
static void finish_form(struct form *f, uint32_t base) {
    struct sched *s = &f->s;
    bool exact = s->m->options.opt_level > 2, late = exact && s->m->shader->stage == QPUCC_FRAGMENT;
    if (begins_with_strategy(s->m))
        try_strategies(f, base, 1);
    if (!late && dives_suffice(f, base) && !exact)
        return;
    try_strategies(f, base, SIZE_MAX);
    if (!f->ended)
        try_under_pressure(s, base, &f->best, false);
    if (f->best.cost == NO_ATTEMPT) {
        find_fewest(s, &f->fewest);
        squeeze(s, base, &f->best, &f->fewest);
        f->bound = sched_bound(s);
    }
    if (f->best.cost == NO_ATTEMPT)
        return;
    widen(f, base, false);
    if (exact)
        widen(f, base, true);
    if (late && f->code.count > f->bound)
        dive(f, base);
}

static bool append(struct m_code *all, const struct m_code *block) {
    struct m_inst *at = m_extend(all, block->count);
    if (at && block->count)
        memcpy(at, block->inst, block->count * sizeof *at);
    return at;
}

/* A form's cost after a few attempts may be a tenth too high. In a small block that is an instruction or
 * two; in others forms so near the best are finished, too, unless their bound says that they can't be
 * better. */
static struct form *finish_best(struct form *form, unsigned count, uint32_t base) {
    const struct mir *m = form->s.m;
    struct form *likely = choose_form(form, count, base), *best = likely;
    uint64_t cost = likely->best.cost;
    uint64_t near = m->options.search && m->nop >= SCHED_MEDIUM && cost < NO_ATTEMPT ? cost + cost / 10 : 0;
    finish_form(likely, base);
    for (unsigned k = 0; k < count; k++) {
        if (&form[k] == likely || form[k].best.cost > near || !may_beat(&form[k], best->best.cost))
            continue;
        form[k].s.options.searching = true;
        finish_form(&form[k], base);
        if (form[k].best.cost < best->best.cost)
            best = &form[k];
    }
    return best;
}

static void close_forms(struct form *form, unsigned count) {
    for (unsigned k = 0; k < count; k++) {
        ir_heap_free(form[k].s.code.inst);
        ir_heap_free(form[k].code.inst);
    }
}

/* Work for the exact search: it decides nearly all blocks of a matrix and a few more values, and hardly any
 * larger ones. In a program of many blocks each gets a share, or the first would use up the account that the
 * beams of the others need. */
static uint64_t exact_work(const struct mir *m) {
    enum { WORK = 2600000, BLOCKS = 4 };
    return m->shader->nblocks > BLOCKS ? (uint64_t)WORK * BLOCKS / m->shader->nblocks : WORK;
}

static struct sched_result result_of(struct form *f, uint32_t base, struct m_code *all) {
    enum { DIVES = 900 }; /* where the search goes on until nothing is shorter */
    struct mir *m = f->s.m;
    struct sched_result result = {.status = SCHED_DOES_NOT_FIT};
    if (f->best.cost == NO_ATTEMPT) {
        result.peak = f->fewest.alive;
        result.where = f->fewest.where;
        return result;
    }
    if (m->options.search && m->options.opt_level > 2) {
        dive_again(f, base, DIVES);
        search_exactly(f, base, exact_work(m));
    }
    result.lower_bound = f->bound;
    result.cycles = f->best.cycles;
    uint64_t occupied = m_occupied(m);
    result.used[0] = f->best.used[0] | (uint32_t)occupied;
    result.used[1] = f->best.used[1] | occupied >> PLACE_B;
    result.used_acc = f->best.used_acc;
    result.status = append(all, &f->code) ? SCHED_OK : SCHED_OUT_OF_MEMORY;
    return result;
}

struct sched_result sched_block(struct mir *m, unsigned count, struct m_code *all) {
    struct form *form = ir_alloc(m->arena, count * sizeof *form);
    struct sched_result result = {.status = SCHED_OUT_OF_MEMORY};
    for (unsigned k = 0; k < count; k++)
        if (ir_arena_oom(m->arena) || (result.status = open_form(&form[k], &m[k])) != SCHED_OK)
            return result;
    result = result_of(finish_best(form, count, all->count), all->count, all);
    close_forms(form, count);
    return result;
}
