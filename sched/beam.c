/* Many partial schedules side by side: a beam search.
 *
 * Requires: what start.c made, a strategy that came to something. Keeps: what list.c keeps, for its steps
 * make every instruction. Breaks: as list.c, value form.
 *
 * A list-scheduling run decides once what goes into an instruction and which place a result gets; what that
 * costs shows many instructions later. Here every partial schedule is continued in several ways: as the
 * strategy has it, without its first or second choice, and with accumulators used more or less freely. Those
 * that promise the shortest block are kept, as many as the beam is wide, and continued in the same way. All
 * have the same number of instructions, so what is left to do compares them. */
#include "sched/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The ways to continue. */
static const struct variant {
    uint32_t skips; /* bit n: what is picked n-th is left out */
    double acc;     /* factor of the reluctance to use an accumulator */
} variants[] = {{0, 1}, {1, 1}, {2, 1}, {0, 0.3}, {0, 3}};
enum { VARIANTS = sizeof variants / sizeof *variants, NO_NODE = 0 };

/* An instruction of one partial schedule or more, after those before it. */
struct node {
    uint32_t before, count;
    struct m_inst inst;
};

/* A partial schedule: a copy of all that a run changes. */
struct state {
    struct sched run;
    struct sched_op *op;
    struct sched_value *value;
    uint32_t *ready;
    uint32_t code; /* its last instruction's node */
};

/* What tells partial schedules apart, and which is the better one. */
struct merit {
    uint64_t key;
    double score; /* instructions to come, the fewer the better */
};

struct generation {
    struct state *state;
    struct merit *merit;
    uint32_t count;
};

struct beam {
    struct sched *s;
    uint32_t width;
    struct generation now, next;
    struct node *node; /* from 1 */
    uint32_t nnode, node_cap;
    bool lost; /* memory ran out */
};

static void save(const struct sched *s, struct state *to) {
    to->run = *s;
    memcpy(to->op, s->op, s->m->nop * sizeof *s->op);
    memcpy(to->value, s->value, (s->m->nval + 1) * sizeof *s->value);
    memcpy(to->ready, s->ready, s->nready * sizeof *s->ready);
}

static void restore(struct sched *s, const struct state *from) {
    struct sched own = *s;
    *s = from->run;
    s->op = own.op, s->value = own.value, s->ready = own.ready, s->code = own.code;
    s->pass = own.pass; /* marks of earlier passes never return */
    memcpy(s->op, from->op, s->m->nop * sizeof *s->op);
    memcpy(s->value, from->value, (s->m->nval + 1) * sizeof *s->value);
    memcpy(s->ready, from->ready, s->nready * sizeof *s->ready);
}

/* Instructions still to come: the largest of the longest path and of each unit's work, rounded off so that a
 * second one nearly as large counts as well (the norm of order eight). What is left in all breaks ties. */
static double score_of(const struct sched *s) {
    enum { END = 3 }; /* instructions after the last work of any unit */
    static const double each = 0.1;
    double path = 0;
    for (uint32_t r = 0; r < s->nready; r++) {
        const struct sched_op *o = &s->op[s->ready[r]];
        double end = (o->from > s->t ? o->from - s->t : 0) + 1.0 + s->tail[s->ready[r]];
        path = end > path ? end : path;
    }
    const double part[] = {path, s->left_stream + END, s->left_add + END, s->left_mul + END,
                           (s->left + 1) / 2 + END};
    double sum = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        double square = part[k] * part[k], fourth = square * square;
        sum += fourth * fourth;
    }
    return sqrt(sqrt(sqrt(sum))) + each * s->left + s->stall;
}

/* Equal for partial schedules that have issued the same ops and keep their values in the same kinds of
 * places. */
static uint64_t key_of(const struct sched *s) {
    uint64_t h = s->issued;
    for (int p = 0; p < PLACE_COUNT; p++)
        if (s->places.owner[p] < PLACE_KEPT) {
            uint64_t kind = place_in_b(p) ? 1 : place_is_acc(p) ? 2 : 3;
            h ^= (s->places.owner[p] * 4 + kind) * 0xd6e8feb86659fd93u;
        }
    return h ^ h >> 32;
}

/* Where the new partial schedule goes: in place of an equal one or of the worst, if it is better; NULL. */
static struct state *place_for(struct generation *g, uint32_t width, struct merit merit) {
    uint32_t at = 0, worst = 0;
    while (at < g->count && g->merit[at].key != merit.key) {
        worst = g->merit[at].score > g->merit[worst].score ? at : worst;
        at++;
    }
    if (at == g->count && g->count == width)
        at = worst;
    if (at < g->count && g->merit[at].score <= merit.score)
        return NULL;
    g->count += at == g->count;
    g->merit[at] = merit;
    return &g->state[at];
}

static uint32_t add_node(struct beam *b, uint32_t before, const struct m_inst *inst) {
    if (b->nnode == b->node_cap) {
        uint32_t cap = 2 * b->node_cap;
        struct node *fresh = realloc(b->node, cap * sizeof *fresh);
        b->lost |= !fresh;
        if (!fresh)
            return before;
        b->node = fresh, b->node_cap = cap;
    }
    b->node[b->nnode] = (struct node){before, before == NO_NODE ? 1 : b->node[before].count + 1, *inst};
    return b->nnode++;
}

/* Takes the run as it stands into the next generation, if it is worth it. */
static void keep(struct beam *b, uint32_t code) {
    struct sched *s = b->s;
    struct state *to = place_for(&b->next, b->width, (struct merit){key_of(s), score_of(s)});
    if (!to)
        return;
    save(s, to);
    for (uint32_t k = 0; k < s->code.count; k++)
        code = add_node(b, code, &s->code.inst[k]);
    to->code = code;
}

/* The next generation; the best of the complete ones in it, or NULL. */
static const struct state *advance(struct beam *b, const struct sched_strategy strategy[VARIANTS],
                                   uint32_t longest) {
    struct generation old = b->now;
    b->now = b->next, b->next = old, b->next.count = 0;
    for (uint32_t k = 0; k < b->now.count; k++)
        for (size_t v = 0; v < VARIANTS; v++) {
            restore(b->s, &b->now.state[k]);
            b->s->code.count = 0;
            b->s->strategy = &strategy[v];
            b->s->skips = variants[v].skips;
            if (sched_list_step(b->s) && b->s->t <= longest)
                keep(b, b->now.state[k].code);
        }
    const struct state *best = NULL;
    double least = 0;
    for (uint32_t k = 0; k < b->next.count; k++)
        if (!b->next.state[k].run.left && (!best || b->next.merit[k].score < least))
            best = &b->next.state[k], least = b->next.merit[k].score;
    return best;
}

static bool make_generation(const struct sched *s, uint32_t width, struct generation *g) {
    size_t nop = s->m->nop + 1, nval = s->m->nval + 1;
    g->state = calloc(width, sizeof *g->state);
    g->merit = calloc(width, sizeof *g->merit);
    bool ok = g->state && g->merit;
    for (uint32_t k = 0; ok && k < width; k++) {
        struct state *state = &g->state[k];
        state->op = malloc(nop * sizeof *state->op);
        state->value = malloc(nval * sizeof *state->value);
        state->ready = malloc(nop * sizeof *state->ready);
        ok = state->op && state->value && state->ready;
    }
    return ok;
}

static void free_generation(struct generation *g, uint32_t width) {
    for (uint32_t k = 0; g->state && k < width; k++) {
        free(g->state[k].op);
        free(g->state[k].value);
        free(g->state[k].ready);
    }
    free(g->state);
    free(g->merit);
}

/* Puts the instructions that lead to the node into the run's code. */
static bool write_code(const struct beam *b, uint32_t at, struct m_code *code) {
    uint32_t count = b->node[at].count;
    code->count = 0;
    for (uint32_t k = 0; k < count; k++)
        if (!m_push(code, m_nop_inst()))
            return false;
    for (; at != NO_NODE; at = b->node[at].before)
        code->inst[--count] = b->node[at].inst;
    return true;
}

bool sched_beam(struct sched *s, uint32_t width, uint32_t longest) {
    struct beam b = {.s = s, .width = width, .node_cap = 4 * width + 64, .nnode = NO_NODE + 1};
    const struct sched_strategy *own = s->strategy;
    struct sched_strategy strategy[VARIANTS];
    for (size_t v = 0; v < VARIANTS; v++) {
        strategy[v] = *s->strategy;
        strategy[v].acc *= variants[v].acc;
    }
    b.node = malloc(b.node_cap * sizeof *b.node);
    bool ok = make_generation(s, width, &b.now) && make_generation(s, width, &b.next) && b.node;
    const struct state *best = NULL;
    if (ok) {
        sched_list_begin(s);
        keep(&b, NO_NODE);
        while (!best && b.next.count && !b.lost)
            best = advance(&b, strategy, longest);
    }
    if (best)
        restore(s, best);
    s->strategy = own;
    ok = ok && !b.lost && (!best || write_code(&b, best->code, &s->code));
    if (!ok) /* or another attempt would win */
        ir_arena_fail(s->m->arena);
    free_generation(&b.now, width);
    free_generation(&b.next, width);
    free(b.node);
    return ok && best;
}
