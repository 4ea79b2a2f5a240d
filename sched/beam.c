/* Many partial schedules side by side: a beam search.
 *
 * Requires: what start.c made, a strategy that came to something. Keeps: what list.c keeps, for its steps
 * make every instruction. Breaks: as list.c, value form.
 *
 * A list-scheduling run decides once what goes into an instruction and which place a result gets; what that
 * costs shows many instructions later. Here every partial schedule is continued in several ways: with all
 * that the strategy chooses for the instruction, without its first choice, without its second. Those that
 * promise the shortest block are kept, as many as the beam is wide, and continued in the same way; below -O3
 * those that promise more than the best in the first way only. All have the same number of instructions, so
 * what is left to do compares them.
 *
 * A step changes a few ops and values of many. So it is made in its partial schedule's own tables, what it
 * changed is taken down and undone, and only those that are kept get tables of their own: one of each takes
 * over those of the schedule that it continues (undo.c). The last step from a partial schedule is the only
 * one for most, and mostly kept: it is undone only when it turns out not to be. */
#include "sched/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_NODE = 0 };

/* An instruction of one partial schedule or more, after those before it. */
struct node {
    uint32_t before, count;
    struct m_inst inst;
};

/* What a run knows of each op and value. */
struct tables {
    struct sched_wait *wait;
    struct sched_value *value;
};

struct partial {
    uint64_t key; /* tells partial schedules apart */
    double score; /* instructions to come, the fewer the better */
    struct sched_progress now;
    uint32_t *ready;
    uint32_t code; /* its last instruction's node */
    uint32_t parent;
    /* What its last step changed in the parent's tables. From then on, what the steps from it change there,
     * as it was before. */
    struct sched_changes changes;
    struct tables *in;
    bool last;      /* its last step was the last one from the parent and is made in the parent's tables */
    bool ahead;     /* its tables are those of the last one that continues it */
    bool inherited; /* and have gone to one that continues it */
};

struct generation {
    struct partial *partial;
    uint32_t count;
};

/* The memory of all tables, ready lists and changes: a few large pieces, because thousands of small ones take
 * as long as the search. */
struct memory {
    struct sched_wait *wait;
    struct sched_value *value;
    uint32_t *ready;
    struct sched_changed_wait *changed_wait;
    struct sched_changed_value *changed_value;
};

struct beam {
    struct sched *s;
    uint32_t width, ways;
    double reach; /* what is so near to the best is continued in all ways, the rest in one */
    struct memory memory;
    struct generation now, next;
    struct tables *tables, **spare; /* spare: those in nobody's use */
    uint32_t nspare;
    struct node *node; /* from 1 */
    uint32_t nnode, node_cap;
    bool lost; /* memory ran out */
};

/* The run goes on from the partial schedule. */
static void enter(struct sched *s, struct partial *from) {
    undo_begin(s, &from->changes);
    s->now = from->now;
    s->wait = from->in->wait, s->value = from->in->value;
    memcpy(s->ready, from->ready, from->now.nready * sizeof *s->ready);
}

/* Instructions still to come: the largest of the longest path and of each unit's work, rounded off so that a
 * second one nearly as large counts as well (the norm of order eight). What is left in all breaks ties. */
static double score_of(const struct sched *s) {
    enum { END = 3 }; /* instructions after the last work of any unit */
    static const double each = 0.1;
    uint32_t path = s->now.t;
    for (uint32_t r = 0; r < s->now.nready; r++) {
        uint32_t from = s->wait[s->ready[r]].from, end = s->tail[s->ready[r]] + 1;
        end += from > s->now.t ? from : s->now.t;
        path = end > path ? end : path;
    }
    const double part[] = {path - s->now.t, s->now.left_stream + END, s->now.left_add + END,
                           s->now.left_mul + END, (s->now.left + 1) / 2 + END};
    double sum = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        double square = part[k] * part[k], fourth = square * square;
        sum += fourth * fourth;
    }
    return sqrt(sqrt(sqrt(sum))) + each * s->now.left + s->now.stall;
}

/* Equal for partial schedules that have issued the same ops and keep their values in the same kinds of
 * places. */
static uint64_t key_of(const struct sched *s) {
    uint64_t h = s->now.issued ^ s->now.places.kept;
    return h ^ h >> 32;
}

/* Where a new partial schedule goes: in place of an equal one or of the worst, if it is better; NULL. */
static struct partial *place_for(struct generation *g, uint32_t width, uint64_t key, double score) {
    uint32_t at = 0, worst = 0;
    while (at < g->count && g->partial[at].key != key) {
        worst = g->partial[at].score > g->partial[worst].score ? at : worst;
        at++;
    }
    if (at == g->count && g->count == width)
        at = worst;
    if (at < g->count && g->partial[at].score <= score)
        return NULL;
    g->count += at == g->count;
    g->partial[at].key = key, g->partial[at].score = score;
    return &g->partial[at];
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

/* Takes the run as it stands into the next generation, if it is worth it. `last`: no other step from the
 * parent follows. */
static void keep(struct beam *b, uint32_t parent, bool last) {
    struct sched *s = b->s;
    struct partial *to = place_for(&b->next, b->width, key_of(s), score_of(s));
    if (!to)
        return;
    to->now = s->now;
    memcpy(to->ready, s->ready, s->now.nready * sizeof *s->ready);
    if (!last)
        undo_list_changes(s, &to->changes);
    to->parent = parent;
    to->last = last;
    uint32_t code = b->now.partial[parent].code;
    for (uint32_t k = 0; k < s->code.count; k++)
        code = add_node(b, code, &s->code.inst[k]);
    to->code = code;
}

/* Those that were kept and take over the tables of what they continue: the last one of each, or else the
 * first, for which the last step is undone. */
static void inherit(struct beam *b) {
    for (uint32_t k = 0; k < b->now.count; k++)
        b->now.partial[k].inherited = false;
    for (uint32_t last = 2; last--;)
        for (uint32_t k = 0; k < b->next.count; k++) {
            struct partial *p = &b->next.partial[k], *parent = &b->now.partial[p->parent];
            if (p->last != last)
                continue;
            p->in = parent->inherited ? NULL : parent->in;
            if (!last && !parent->inherited)
                undo_apply(&parent->changes, parent->in->wait, parent->in->value);
            parent->ahead = parent->inherited ? parent->ahead : last;
            parent->inherited = true;
        }
}

/* Gives those that were kept their tables. */
static void hand_over(struct beam *b) {
    const struct sched *s = b->s;
    inherit(b);
    for (uint32_t k = 0; k < b->now.count; k++)
        if (!b->now.partial[k].inherited)
            b->spare[b->nspare++] = b->now.partial[k].in;
    for (uint32_t k = 0; k < b->next.count; k++) {
        struct partial *p = &b->next.partial[k];
        const struct partial *parent = &b->now.partial[p->parent];
        if (p->in)
            continue;
        p->in = b->spare[--b->nspare];
        memcpy(p->in->wait, parent->in->wait, s->m->nop * sizeof *s->wait);
        memcpy(p->in->value, parent->in->value, (s->m->nval + 1) * sizeof *s->value);
        if (parent->ahead)
            undo_apply(&parent->changes, p->in->wait, p->in->value);
    }
    for (uint32_t k = 0; k < b->next.count; k++)
        if (!b->next.partial[k].last)
            undo_apply(&b->next.partial[k].changes, b->next.partial[k].in->wait,
                       b->next.partial[k].in->value);
}

static double least_score(const struct generation *g) {
    double least = g->partial[0].score;
    for (uint32_t k = 1; k < g->count; k++)
        least = g->partial[k].score < least ? g->partial[k].score : least;
    return least;
}

/* The next generation; the best of the complete ones in it, or NULL. */
static const struct partial *advance(struct beam *b, uint32_t longest) {
    struct sched *s = b->s;
    double near = least_score(&b->now) + b->reach;
    b->next.count = 0;
    for (uint32_t k = 0; k < b->now.count; k++) {
        uint32_t ways = b->now.partial[k].score <= near ? b->ways : 1;
        for (uint32_t way = 0, picked = 1; way < ways && way <= picked; way++) {
            enter(s, &b->now.partial[k]);
            s->code.count = 0;
            s->skips = way;
            bool ok = sched_list_step(s) && s->now.t <= longest && sched_may_win(s);
            picked = s->picked;
            bool last = way + 1 >= ways || way + 1 > picked;
            if (ok)
                keep(b, k, last);
            if (!last)
                undo_step(s);
        }
    }
    hand_over(b);
    struct generation old = b->now;
    b->now = b->next, b->next = old;
    const struct partial *best = NULL;
    for (uint32_t k = 0; k < b->now.count; k++)
        if (!b->now.partial[k].now.left && (!best || b->now.partial[k].score < best->score))
            best = &b->now.partial[k];
    return best;
}

static bool make_memory(struct memory *all, size_t width, size_t nop, size_t nval) {
    enum { GENERATIONS = 2 };
    all->wait = malloc(width * nop * sizeof *all->wait);
    all->value = malloc(width * nval * sizeof *all->value);
    all->ready = malloc(GENERATIONS * width * nop * sizeof *all->ready);
    all->changed_wait = malloc(GENERATIONS * width * nop * sizeof *all->changed_wait);
    all->changed_value = malloc(GENERATIONS * width * nval * sizeof *all->changed_value);
    return all->wait && all->value && all->ready && all->changed_wait && all->changed_value;
}

static bool make_beam(struct beam *b) {
    size_t nop = b->s->m->nop + 1, nval = b->s->m->nval + 1, width = b->width;
    struct memory *all = &b->memory;
    b->node = malloc(b->node_cap * sizeof *b->node);
    b->tables = malloc(width * sizeof *b->tables);
    b->spare = malloc(width * sizeof(struct tables *));
    b->now.partial = malloc(width * sizeof *b->now.partial);
    b->next.partial = malloc(width * sizeof *b->next.partial);
    if (!b->node || !b->tables || !b->spare || !b->now.partial || !b->next.partial ||
        !make_memory(all, width, nop, nval))
        return false;
    for (size_t k = 0; k < width; k++) {
        struct partial *pair[] = {&b->now.partial[k], &b->next.partial[k]};
        b->tables[k] = (struct tables){all->wait + k * nop, all->value + k * nval};
        b->spare[b->nspare++] = &b->tables[k];
        for (size_t g = 0; g < 2; g++) {
            pair[g]->ready = all->ready + (g * width + k) * nop;
            pair[g]->changes.wait = all->changed_wait + (g * width + k) * nop;
            pair[g]->changes.value = all->changed_value + (g * width + k) * nval;
        }
    }
    return true;
}

static void free_beam(struct beam *b) {
    free(b->memory.wait);
    free(b->memory.value);
    free(b->memory.ready);
    free(b->memory.changed_wait);
    free(b->memory.changed_value);
    free(b->now.partial);
    free(b->next.partial);
    free(b->tables);
    free(b->spare);
    free(b->node);
}

/* The first generation: the run as it begins. */
static void begin(struct beam *b) {
    struct sched *s = b->s;
    struct partial *first = &b->now.partial[0];
    uint32_t code = NO_NODE;
    sched_list_begin(s);
    first->now = s->now;
    first->score = 0;
    first->in = b->spare[--b->nspare];
    memcpy(first->in->wait, s->wait, s->m->nop * sizeof *s->wait);
    memcpy(first->in->value, s->value, (s->m->nval + 1) * sizeof *s->value);
    memcpy(first->ready, s->ready, s->now.nready * sizeof *s->ready);
    for (uint32_t k = 0; k < s->code.count; k++)
        code = add_node(b, code, &s->code.inst[k]);
    first->code = code;
    b->now.count = 1;
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

bool sched_beam(struct sched *s, uint32_t width, uint32_t ways, double reach, uint32_t longest) {
    struct beam b = {.s = s, .width = width, .ways = ways, .reach = reach};
    b.node_cap = 4 * width + 64, b.nnode = NO_NODE + 1;
    struct sched_undo undo;
    struct sched_wait *wait = s->wait;
    struct sched_value *value = s->value;
    const struct partial *best = NULL;
    bool ok = undo_open(s, &undo) && make_beam(&b);
    if (ok) {
        begin(&b);
        s->undo = &undo;
        while (!best && b.now.count && !b.lost)
            best = advance(&b, longest);
        s->undo = NULL;
    }
    s->wait = wait, s->value = value;
    if (best)
        s->now = best->now;
    ok = ok && !b.lost && (!best || write_code(&b, best->code, &s->code));
    if (!ok) /* or another attempt would win */
        ir_arena_fail(s->m->arena);
    undo_close(&undo);
    free_beam(&b);
    return ok && best;
}
