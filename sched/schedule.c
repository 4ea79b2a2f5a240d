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
    {.height = 0.5, .order = 0.5, .pressure = 2.0, .acc = 1.0, .reuse = 1, .depth_first = true},
    {.height = 1.0, .order = 0.2, .pressure = 6.0, .acc = 1.0, .reuse = 0.3},
    /* for pressure that the ones above do not get under */
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .depth_first = true, .window = 100},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .depth_first = true, .window = 30},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .window = 100},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .window = 8},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .reuse = 0.3, .depth_first = true, .window = 8},
    {.order = 1.0, .acc = 1.0, .reuse = 0.3, .depth_first = true, .window = 2},
};
enum { LAST_RESORTS = 6 };

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
    s->rank = strategy.depth_first ? s->depth_rank : s->source_rank;
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
    s->source_rank = ir_alloc(m->arena, (2 * (size_t)m->nop + 2) * sizeof *s->source_rank);
    s->depth_rank = s->source_rank + m->nop;
    for (uint32_t i = 0; i < m->nop; i++)
        s->source_rank[i] = i;
    rank_depth_first(s, s->depth_rank);
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

bool m_schedule(struct mir *m, struct m_code *code, uint32_t base, struct be_result *result) {
    struct sched s = {.m = m, .nregs = m->options->threads == 2 ? 16 : 32};
    struct best best = {.code = code, .cost = NO_WALK};
    *code = (struct m_code){0};
    if (!sched_graph(&s)) {
        result->status = BE_INTERNAL;
        snprintf(result->message, sizeof result->message, "the dependence graph has a cycle");
        return false;
    }
    if (m->options->threads == 2)
        sched_mark_crossing(&s);
    allocate(&s);
    uint32_t *life = ir_alloc(m->arena, (m->nval + 1) * sizeof *life);
    unsigned bound = sched_bound(&s);
    size_t n = sizeof strategies / sizeof *strategies;
    /* enough tries for the size; past these, only until one fits: pressure may ask for the orders at the end
     */
    n = m->options->opt_level == 0 ? 1 : m->nop > 3000 ? 2 : m->nop > 1000 ? 5 : n - LAST_RESORTS;
    for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
        if ((k >= n && best.cost != NO_WALK) || best.cost <= cost_of(bound, 0))
            break;
        s.strategy = &strategies[k];
        s.rank = s.strategy->depth_first ? s.depth_rank : s.source_rank;
        if (walk(&s, base, &best) != NO_WALK)
            learn_lifetimes(&s, life);
    }
    if (best.cost == NO_WALK) {
        result->status = BE_DOES_NOT_FIT;
        snprintf(result->message, sizeof result->message,
                 "more values live at once than the register files hold");
        return false;
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
