/* The best of many walks.
 *
 * Requires: selected ops with their edges. Keeps: what walk.c keeps. A walk is cheap, so it is made several
 * times with different strategies, each learning lifetimes from the one before; then the best of them is
 * varied. The shortest wins; a walk as short as the block's lower bound ends the search. */
#include "sched/schedule.h"

#include <stdio.h>
#include <stdlib.h>

static const struct sched_strategy strategies[] = {
    {.height = 1.0, .pressure = 0.5, .acc = 1.0, .reuse = 1},
    {.height = 1.0, .order = 0.02, .pressure = 1.0, .acc = 1.0, .reuse = 0.3},
    {.height = 1.0, .order = 0.1, .pressure = 2.0, .acc = 0.7, .reuse = 1},
    {.height = 0.3, .order = 0.3, .pressure = 2.0, .acc = 1.0, .reuse = 0.3},
    {.height = 1.0, .acc = 0.5, .reuse = 1},
    {.height = 1.0, .order = 0.05, .pressure = 0.5, .acc = 2.0, .reuse = 0, .seed = 7},
    {.height = 1.0, .pressure = 1.0, .acc = 1.0, .reuse = 1, .seed = 11},
    {.height = 1.0, .order = 0.02, .pressure = 1.0, .acc = 0.6, .reuse = 0.5, .seed = 23},
    {.height = 0.6, .order = 0.05, .pressure = 3.0, .acc = 1.2, .reuse = 0.5, .seed = 5},
    {.height = 1.0, .pressure = 0.3, .acc = 1.5, .reuse = 1, .seed = 31},
    {.height = 0.5, .order = 0.5, .pressure = 2.0, .acc = 1.0, .reuse = 1, .by = BY_DEPTH},
    {.height = 1.0, .order = 0.2, .pressure = 6.0, .acc = 1.0, .reuse = 0.3},
    /* for pressure that the ones above do not get under */
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .by = BY_DEPTH, .window = 100},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .by = BY_DEPTH, .window = 30},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .window = 100},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .window = 8},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .by = BY_DEPTH, .window = 8},
    {.order = 1.0, .acc = 1.0, .reuse = 0.3, .by = BY_DEPTH, .window = 2},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .by = BY_PRESSURE, .window = 30},
    {.order = 1.0, .acc = 1.0, .reuse = 0.3, .by = BY_PRESSURE, .window = 6},
    {.order = 1.0, .acc = 1.0, .reuse = 0.3, .by = BY_PRESSURE, .window = 2},
};
enum {
    STRATEGIES = sizeof strategies / sizeof *strategies,
    FIRST_PRESSURE = STRATEGIES - 3,
    LAST_RESORTS = 9
};

static unsigned count_bits(uint64_t x) {
    unsigned n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static unsigned max_of(unsigned a, unsigned b) {
    return a > b ? a : b;
}

/* The shortest walk so far. */
struct best {
    struct m_code *code;
    unsigned cost, cycles, used_acc;
    uint64_t used[2];
    const struct sched_strategy *strategy;
};

enum { NO_WALK = UINT32_MAX, PROOF_NODES = 200000 };

static unsigned cost_of(uint32_t count, uint32_t stall) {
    return count * 2 + stall / 8;
}

/* One walk and the block's end; keeps it when it beats the best. Returns its cost, or NO_WALK. */
static unsigned walk(struct sched *s, uint32_t base, struct best *best) {
    bool ok = sched_walk(s) && m_finish(s->m, &s->code, base);
    unsigned cost = ok ? cost_of(s->code.count, s->stall) : NO_WALK;
    if (ok && cost < best->cost) {
        free(best->code->inst);
        *best->code = s->code;
        best->cost = cost;
        best->cycles = s->code.count + s->stall;
        best->used[0] = s->used[0], best->used[1] = s->used[1];
        best->used_acc = s->used_acc;
        best->strategy = s->strategy;
    } else {
        free(s->code.inst);
    }
    return cost;
}

static void learn_lifetimes(struct sched *s, uint32_t *life) {
    for (uint32_t v = 0; v < s->m->nval; v++)
        life[v] = s->died[v] > s->born[v] ? s->died[v] - s->born[v] : 1;
    s->life = life;
}

static uint32_t draw(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Changes the urgency of a few ops of the best strategy and keeps what is no worse: a descent that may walk
 * along plateaus. Deterministic: the same block gives the same walks. */
static void search(struct sched *s, uint32_t base, struct best *best, unsigned tries, unsigned bound) {
    enum { CHANGES = 3 };
    struct sched_strategy strategy = *best->strategy;
    uint32_t state = 2463534242u, n = s->m->nop;
    unsigned now = NO_WALK, reach = cost_of(bound, 0);
    s->bias = ir_alloc(s->m->arena, (n + 1) * sizeof *s->bias);
    s->strategy = &strategy;
    s->rank = s->order[strategy.by];
    for (unsigned k = 0; k < tries && best->cost > reach; k++) {
        uint32_t op[CHANGES], count = k ? 1 + draw(&state) % CHANGES : 0;
        float old[CHANGES];
        double acc = strategy.acc, amplitude = draw(&state) % 2 ? 3 : 12;
        for (uint32_t c = 0; c < count; c++) {
            op[c] = draw(&state) % n;
            old[c] = s->bias[op[c]];
            s->bias[op[c]] = (float)((draw(&state) % 2048 / 1024.0 - 1) * amplitude);
        }
        if (count && draw(&state) % 8 == 0)
            strategy.acc = 0.3 + draw(&state) % 1024 / 600.0;
        unsigned cost = walk(s, base, best);
        if (cost <= now) {
            now = cost;
            continue;
        }
        strategy.acc = acc;
        while (count--)
            s->bias[op[count]] = old[count];
    }
    best->strategy = NULL; /* it was a local one */
}

/* Walks worth making beyond the strategies. A walk's time is about proportional to the block's size; small
 * blocks are the rule and gain most. */
static unsigned tries_for(const struct mir *m) {
    if (!m->options->search || m->options->opt_level < 2 || m->nop < 2)
        return 0;
    return m->options->opt_level > 2 ? 2000 + 1000000 / m->nop : 12 + 2500 / m->nop;
}

static void allocate(struct sched *s) {
    struct mir *m = s->m;
    for (int k = 0; k < SCHED_ORDERS; k++)
        s->order[k] = ir_alloc(m->arena, (m->nop + 1) * sizeof *s->order[k]);
    for (uint32_t i = 0; i < m->nop; i++)
        s->order[BY_SOURCE][i] = i;
    rank_depth_first(s, s->order[BY_DEPTH]);
    uint32_t *block = ir_alloc(m->arena, (6 * (size_t)m->nop + 8) * sizeof *block);
    s->npred = block, s->earliest = block + m->nop, s->hard_earliest = block + 2 * m->nop,
    s->ready = block + 3 * m->nop, s->arrival = block + 4 * m->nop, s->fresh = block + 5 * m->nop;
    s->candidate = ir_alloc(m->arena, (m->nop + 1) * sizeof *s->candidate);
    uint32_t *values = ir_alloc(m->arena, (5 * (size_t)m->nval + 8) * sizeof *values);
    s->available = values, s->uses_left = values + m->nval, s->born = values + 2 * m->nval,
    s->died = values + 3 * m->nval, s->pins_left = values + 4 * m->nval;
    s->urgency = ir_alloc(m->arena, (m->nop + 1) * sizeof *s->urgency);
    s->where = ir_alloc(m->arena, (m->nval + 1) * sizeof *s->where);
}

/* Graph and tables for the ops that there are now. False: the graph has a cycle. */
static bool prepare(struct sched *s) {
    if (!sched_graph(s))
        return false;
    if (s->m->options->threads == 2)
        sched_mark_crossing(s);
    allocate(s);
    s->life = NULL;
    return true;
}

/* The order that keeps fewest alive, and how many that are. */
static unsigned least_order(struct sched *s, uint32_t **order, uint32_t *count, struct ir_loc *where) {
    unsigned least = UINT32_MAX;
    place_begin(s);
    rank_backwards(s, s->order[BY_PRESSURE]);
    for (int k = 0; k < SCHED_ORDERS; k++) {
        struct ir_loc at = {0};
        uint32_t *by = ir_alloc(s->m->arena, (s->m->nop + 1) * sizeof *by),
                 n = rank_to_order(s, s->order[k], by);
        unsigned peak = rank_peak(s, by, n, &at);
        if (peak < least)
            least = peak, *order = by, *count = n, *where = at;
    }
    return least;
}

/* Nothing fits as it is: fewer places are kept full from round to round, and more is made again. */
static unsigned squeeze(struct sched *s, uint32_t base, struct best *best, struct ir_loc *where) {
    static const unsigned rooms[] = {62, 56, 50, 44};
    uint32_t *order = NULL, count = 0;
    unsigned peak = least_order(s, &order, &count, where);
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms && best->cost == NO_WALK; k++) {
        place_begin(s);
        s->m->nedge = s->nexplicit;
        if (s->m->options->threads == 2 || !remat_run(s, &order, &count, rooms[k]))
            continue;
        if (!prepare(s))
            break;
        for (uint32_t i = 0; i < count; i++)
            s->order[BY_PRESSURE][order[i]] = i;
        struct ir_loc at = {0};
        place_begin(s);
        unsigned now = rank_peak(s, order, count, &at);
        if (now < peak)
            peak = now, *where = at;
        for (size_t i = FIRST_PRESSURE; i < STRATEGIES && best->cost == NO_WALK; i++) {
            s->strategy = &strategies[i];
            s->rank = s->order[BY_PRESSURE];
            walk(s, base, best);
        }
    }
    return peak;
}

bool m_schedule(struct mir *m, struct m_code *code, uint32_t base, struct be_result *result) {
    struct sched s = {.m = m, .nregs = m->options->threads == 2 ? 16 : 32};
    struct best best = {.code = code, .cost = NO_WALK};
    *code = (struct m_code){0};
    if (!prepare(&s)) {
        result->status = BE_INTERNAL;
        snprintf(result->message, sizeof result->message, "the dependence graph has a cycle");
        return false;
    }
    uint32_t *life = ir_alloc(m->arena, (m->nval + 1) * sizeof *life);
    unsigned bound = sched_bound(&s);
    size_t n = STRATEGIES;
    /* enough tries for the size; past these, only until one fits: pressure may ask for the orders at the end
     */
    n = m->options->opt_level == 0 ? 1 : m->nop > 3000 ? 2 : m->nop > 1000 ? 5 : n - LAST_RESORTS;
    for (size_t k = 0; k < STRATEGIES; k++) {
        if ((k >= n && best.cost != NO_WALK) || best.cost <= cost_of(bound, 0))
            break;
        s.strategy = &strategies[k];
        if (k == FIRST_PRESSURE) {
            place_begin(&s);
            rank_backwards(&s, s.order[BY_PRESSURE]);
        }
        s.rank = s.order[s.strategy->by];
        if (walk(&s, base, &best) != NO_WALK)
            learn_lifetimes(&s, life);
    }
    if (best.cost == NO_WALK) {
        struct ir_loc where = {0};
        unsigned peak = squeeze(&s, base, &best, &where);
        bound = sched_bound(&s);
        if (best.cost == NO_WALK) {
            result->status = BE_DOES_NOT_FIT;
            result->where = where;
            snprintf(result->message, sizeof result->message,
                     "%u values are needed at once here; %s %u registers and 4 accumulators", peak,
                     peak > 2 * s.nregs + 4 ? "there are" : "no order found fits them into the", 2 * s.nregs);
            return false;
        }
    }
    search(&s, base, &best, tries_for(m), bound);
    for (int file = 0; file < 2; file++)
        best.used[file] |= m->flow->occupied[file][m->block->id];
    result->regs_a = max_of(result->regs_a, count_bits(best.used[0]));
    result->regs_b = max_of(result->regs_b, count_bits(best.used[1]));
    result->accumulators = max_of(result->accumulators, count_bits(best.used_acc));
    result->cycles += best.cycles;
    result->blocks++;
    if (code->count > bound && m->options->search && m->options->opt_level > 2 &&
        sched_prove(&s, code->count, PROOF_NODES))
        bound = code->count;
    result->lower_bound += bound;
    result->blocks_optimal += code->count == bound;
    result->tmu += m->ntmu;
    result->sfu += m->nsfu;
    return true;
}
