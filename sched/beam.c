/* Many partial schedules side by side: a beam search.
 *
 * Requires: what start.c made, a strategy with which a run succeeded. Keeps: what list.c keeps, for its steps
 * make every instruction. Breaks: as list.c, value form.
 *
 * A list-scheduling run decides once what goes into an instruction and which place a result gets; what that
 * costs shows many instructions later. Here every partial schedule is continued in several ways: with all
 * that the strategy chooses for the instruction, without its first choice, in a wide one without its second.
 * Those that promise the shortest block are kept, as many as the beam is wide, and continued in the same way;
 * those out of reach of the best one in the first way only. All have the same number of instructions, so what
 * is left to do compares them.
 *
 * What a run knows of each op, value and place lies in its tables. A step copies those of the partial
 * schedule that it continues; the last step from one, which for most is the only one, takes them over. Of
 * large tables only that is copied in which they differ from the spare ones that take them: both come from
 * one partial schedule a few steps ago, and each step notes what went into its instruction. */
#include "sched/schedule.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NO_NODE = 0, UNKNOWN = UINT32_MAX };

/* --- how wide ------------------------------------------------------------------------------------------- */

static uint32_t between(uint32_t least, uint32_t value, uint32_t most) {
    return value < least ? least : value > most ? most : value;
}

enum { WIDEST = 400 };

/* Narrow in small blocks, which are the rule; wider in larger ones, of which a program has few, and widest
 * where a loop makes each instruction count more than once, and where the best so far stalls, because the
 * strategies are made for few instructions, not for few stalls. An attempt's time is about proportional to
 * the block's size. */
struct sched_beam_size sched_beam_size(const struct mir *m, bool stalls) {
    const double near = m->shader->stage == QPUCC_FRAGMENT ? 0.4 : 0.8;
    enum { WIDE = 16, NARROW = 8, SMALL = 3, LARGE = 4000, OPS = 3600 };
    bool most = m->block->loop_depth || stalls;
    uint32_t width = between(NARROW, OPS / m->nop, most ? WIDEST : WIDE);
    if (m->nop >= LARGE)
        width = 0;
    else if (m->nop < SCHED_MEDIUM && !most)
        width = SMALL;
    return (struct sched_beam_size){width, 2, near};
}

/* As wide as a shader's time allows. In a large block that may miss what the narrow one finds. Of many blocks
 * each may use half of what is left. Nearly all of the work is copies, one for each way but the last. */
struct sched_beam_size sched_beam_far(const struct sched *s) {
    enum { WAYS = 3, A_STEP = 32 }; /* A_STEP: a copy's work besides its bytes, and the step's that follows */
    static const double FAR = 1e9;
    uint32_t nop = s->m->nop, width = between(0, 200000 / nop, WIDEST);
    uint64_t steps = nop - nop / 3, copy = sched_fixed_size(s) / SCHED_COPY_BYTES + A_STEP;
    uint64_t most =
        sched_extra_left(s->m) / (s->m->shader->nblocks > 1 ? 2 : 1) / (steps * copy * (WAYS - 1));
    return (struct sched_beam_size){most < width ? (uint32_t)most : width, WAYS, FAR};
}

/* --- partial schedules ---------------------------------------------------------------------------------- */

/* An instruction of one partial schedule or more, after those before it. */
struct node {
    uint32_t before, count;
    struct sched_trace trace;
    struct m_inst inst;
};

/* Stands before tables: they are those of the schedule that ends with this node, but for a step from there
 * that was given up. */
struct tables {
    uint32_t node;
    struct sched_trace trace;
};

struct partial {
    struct sched_progress now;
    void *tables;
    uint32_t code; /* its last instruction's node */
};

/* What the partial schedules are compared by stands apart: a wide beam looks through it at every step. */
struct generation {
    struct partial *partial;
    uint64_t *key; /* tells partial schedules apart */
    double *score; /* instructions to come, the fewer the better */
    uint32_t count;
    uint32_t worst; /* of all, once it is full */
};

struct beam {
    struct sched *s;
    struct sched_beam_size size;
    struct generation now, next;
    char *memory; /* of all tables: in one piece, because many small ones take as long as the search */
    void **spare; /* tables in nobody's use */
    uint32_t nspare;
    struct node *node; /* from 1 */
    uint32_t nnode, node_cap;
    bool lost; /* memory ran out */
};

/* The run goes on from the partial schedule, in these tables. */
static void enter(struct sched *s, const struct partial *from, void *tables) {
    s->now = from->now;
    sched_use_tables(s, tables);
    s->code.count = 0;
}

static struct tables *head_of(void *tables) {
    return (struct tables *)tables - 1;
}

static void copy_part(const struct sched *s, void *to, const void *from, const void *part, size_t size) {
    size_t at = (size_t)((const char *)part - (const char *)sched_tables(s));
    memcpy((char *)to + at, (const char *)from + at, size);
}

static void copy_value(const struct sched *s, void *to, const void *from, uint32_t v) {
    copy_part(s, to, from, &s->value[v], sizeof *s->value);
}

static void copy_wait(const struct sched *s, void *to, const void *from, uint32_t op) {
    copy_part(s, to, from, &s->wait[op], sizeof *s->wait);
}

/* All that an op changes when it goes into an instruction, or a value when it moves (list.c, repair.c). */
static void copy_traced(const struct sched *s, void *to, const void *from, const struct sched_trace *trace) {
    for (uint32_t k = 0; k < trace->count; k++) {
        uint32_t i = trace->item[k] & ~(uint32_t)SCHED_MOVED;
        if (trace->item[k] & SCHED_MOVED) {
            copy_value(s, to, from, i);
            for (uint32_t u = s->use_first[i]; u < s->use_first[i + 1]; u++)
                copy_wait(s, to, from, s->use[u]);
            continue;
        }
        const struct sched_op *op = &s->op[i];
        copy_wait(s, to, from, i);
        for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
            copy_wait(s, to, from, s->edge[e].to);
        copy_value(s, to, from, op->src[0]);
        copy_value(s, to, from, op->src[1]);
        copy_value(s, to, from, op->tied);
        copy_value(s, to, from, op->dst);
        if (s->m->op[i].pinned_to != M_NO_VALUE)
            copy_value(s, to, from, s->m->op[i].pinned_to);
    }
}

/* Steps that lie between what the tables hold and a node; UNKNOWN: more than `most`. */
static uint32_t distance(const struct beam *b, const struct tables *head, uint32_t to, uint32_t most) {
    uint32_t from = head->node, steps = 0;
    if (!most || b->lost || from == UNKNOWN || head->trace.count > SCHED_TRACE)
        return UNKNOWN;
    for (; from != to && steps <= most; steps++) {
        uint32_t *last = b->node[from].count >= b->node[to].count ? &from : &to;
        if (b->node[*last].trace.count > SCHED_TRACE)
            return UNKNOWN;
        *last = b->node[*last].before;
    }
    return steps <= most ? steps : UNKNOWN;
}

/* A copy of a partial schedule's tables, made of spare ones. Those were a relative's as a rule, so that only
 * what the steps since their last common one have changed need be copied where that is less. */
static void *copy_tables(struct beam *b, const struct partial *from) {
    enum { BYTES = 512, FEW = 8192 }; /* BYTES are copied in the time that one step between them takes */
    enum { A_COPY = 16 };             /* in units of ir_search, besides what its bytes cost */
    const struct sched *s = b->s;
    void *to = b->spare[--b->nspare];
    struct tables *head = head_of(to);
    uint32_t most = s->tables_size > FEW ? (uint32_t)(s->tables_size / BYTES) : 0;
    uint32_t steps = distance(b, head, from->code, most);
    size_t fixed = sched_fixed_size(s);
    ir_search(s->m->arena, (steps == UNKNOWN ? fixed : steps * BYTES) / SCHED_COPY_BYTES + A_COPY);
    if (steps == UNKNOWN) {
        memcpy(to, from->tables, fixed);
    } else {
        copy_traced(s, to, from->tables, &head->trace);
        for (uint32_t at = head->node, end = from->code; at != end;) {
            uint32_t *last = b->node[at].count >= b->node[end].count ? &at : &end;
            copy_traced(s, to, from->tables, &b->node[*last].trace);
            *last = b->node[*last].before;
        }
        copy_part(s, to, from->tables, s->owner, PLACE_COUNT * sizeof *s->owner);
    }
    assert(!memcmp(to, from->tables, fixed));
    copy_part(s, to, from->tables, s->ready, from->now.nready * sizeof *s->ready);
    *head = (struct tables){.node = from->code};
    return to;
}

/* Instructions still to come: the largest of the longest path and of each unit's work, rounded off so that a
 * second one nearly as large counts as well (the norm of order eight). Not all ops find another to share an
 * instruction with. What is left in all breaks ties, and a place in use is in the way of what is to come. */
static double score_of(const struct sched *s) {
    enum { END = 3 }; /* instructions after the last work of any unit */
    static const double each = 0.1, of_place = 0.1, of_pair = 1.1;
    uint32_t path = s->now.t;
    for (uint32_t r = 0; r < s->now.nready; r++) {
        uint32_t from = s->wait[s->ready[r]].from, end = s->tail[s->ready[r]] + 1;
        end += from > s->now.t ? from : s->now.t;
        path = end > path ? end : path;
    }
    const double part[] = {path - s->now.t, s->now.left_stream + END, s->now.left_add + END,
                           s->now.left_mul + END, of_pair / 2 * (s->now.left + 1) + END};
    double sum = 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        double square = part[k] * part[k], fourth = square * square;
        sum += fourth * fourth;
    }
    return sqrt(sqrt(sqrt(sum))) + each * s->now.left + s->now.stall +
           of_place * (sched_places(s) - s->now.places.n_free);
}

/* Equal for partial schedules that have issued the same ops and keep their values in the same kinds of
 * places. */
static uint64_t key_of(const struct sched *s) {
    uint64_t h = s->now.issued ^ s->now.places.kept;
    return h ^ h >> 32;
}

static uint32_t worst_of(const struct generation *g) {
    uint32_t worst = 0;
    for (uint32_t k = 1; k < g->count; k++)
        worst = g->score[k] > g->score[worst] ? k : worst;
    return worst;
}

/* Where a new partial schedule goes: in place of an equal one or of the worst, if it is better; NULL. */
static struct partial *place_for(struct beam *b, uint64_t key, double score) {
    struct generation *g = &b->next;
    uint32_t at = 0;
    if (g->count == b->size.width && score >= g->score[g->worst])
        return NULL;
    while (at < g->count && g->key[at] != key)
        at++;
    if (at < g->count && score >= g->score[at])
        return NULL;
    if (at == g->count && g->count == b->size.width)
        at = g->worst;
    if (at < g->count)
        b->spare[b->nspare++] = g->partial[at].tables;
    g->count += at == g->count;
    g->key[at] = key, g->score[at] = score;
    if (g->count == b->size.width)
        g->worst = worst_of(g);
    return &g->partial[at];
}

static uint32_t add_node(struct beam *b, uint32_t before, const struct m_inst *inst) {
    if (b->nnode == b->node_cap) {
        uint32_t cap = 2 * b->node_cap;
        struct node *fresh = ir_heap_resize(NULL, b->node, cap * sizeof *fresh);
        b->lost |= !fresh;
        if (!fresh)
            return before;
        b->node = fresh, b->node_cap = cap;
    }
    b->node[b->nnode] = (struct node){before, b->node[before].count + 1, b->s->trace, *inst};
    return b->nnode++;
}

/* Takes the run as it stands into the next generation, if it is worth it. `code`: of what it continues. */
static bool keep(struct beam *b, uint32_t code) {
    struct sched *s = b->s;
    struct partial *to = place_for(b, key_of(s), score_of(s));
    if (!to)
        return false;
    to->now = s->now;
    to->tables = sched_tables(s);
    for (uint32_t k = 0; k < s->code.count; k++)
        code = add_node(b, code, &s->code.inst[k]);
    to->code = code;
    *head_of(to->tables) = (struct tables){.node = code};
    return true;
}

/* Continues a partial schedule in at most `branching` ways: what can be left out is what was picked. */
static void advance_partial(struct beam *b, const struct partial *from, uint32_t branching,
                            uint32_t longest) {
    struct sched *s = b->s;
    bool over = false;
    for (uint32_t way = 0; !over; way++) {
        bool last = way + 1 == branching;
        void *tables = last ? from->tables : copy_tables(b, from);
        enter(s, from, tables);
        s->skips = way;
        bool ok = sched_list_step(s) && s->now.t <= longest && sched_may_win(s);
        over = last || way + 1 > s->n_picked;
        if (!ok || !keep(b, from->code)) {
            head_of(tables)->trace = s->trace;
            b->spare[b->nspare++] = tables;
        }
        if (over && !last)
            b->spare[b->nspare++] = from->tables;
    }
}

static double least_score(const struct generation *g) {
    double least = g->score[0];
    for (uint32_t k = 1; k < g->count; k++)
        least = g->score[k] < least ? g->score[k] : least;
    return least;
}

/* The next generation; the best of the complete ones in it, or NULL. */
static const struct partial *advance(struct beam *b, uint32_t longest) {
    double near = least_score(&b->now) + b->size.reach;
    b->next.count = 0;
    for (uint32_t k = 0; k < b->now.count; k++)
        advance_partial(b, &b->now.partial[k], b->now.score[k] <= near ? b->size.branching : 1, longest);
    struct generation old = b->now;
    b->now = b->next, b->next = old;
    uint32_t best = b->now.count;
    for (uint32_t k = 0; k < b->now.count; k++)
        if (!b->now.partial[k].now.left && (best == b->now.count || b->now.score[k] < b->now.score[best]))
            best = k;
    return best < b->now.count ? &b->now.partial[best] : NULL;
}

static bool make_generation(struct generation *g, const struct qpucc_allocator *from, size_t width) {
    g->partial = ir_heap_get(from, width * sizeof *g->partial);
    g->key = ir_heap_get(from, width * sizeof *g->key);
    g->score = ir_heap_get(from, width * sizeof *g->score);
    return g->partial && g->key && g->score;
}

/* Tables for both generations and a step under way. */
static bool make_beam(struct beam *b) {
    size_t size = sizeof(struct tables) + b->s->tables_size, width = b->size.width, count = 2 * width + 1;
    const struct qpucc_allocator *from = ir_allocator(b->s->m->arena);
    b->node = ir_heap_get(from, b->node_cap * sizeof *b->node);
    b->memory = ir_heap_get(from, count * size);
    b->spare = ir_heap_get(from, count * sizeof *b->spare);
    bool now = make_generation(&b->now, from, width), next = make_generation(&b->next, from, width);
    if (!now || !next || !b->node || !b->memory || !b->spare)
        return false;
    while (b->nspare < count) {
        struct tables *head = (void *)(b->memory + b->nspare * size);
        head->node = UNKNOWN;
        b->spare[b->nspare++] = head + 1;
    }
    return true;
}

static void free_generation(struct generation *g) {
    ir_heap_free(g->partial);
    ir_heap_free(g->key);
    ir_heap_free(g->score);
}

static void free_beam(struct beam *b) {
    free_generation(&b->now);
    free_generation(&b->next);
    ir_heap_free(b->memory);
    ir_heap_free(b->spare);
    ir_heap_free(b->node);
}

/* The first generation: the run as it begins. */
static void begin(struct beam *b) {
    struct sched *s = b->s;
    struct partial *first = &b->now.partial[0];
    uint32_t code = NO_NODE;
    sched_list_begin(s);
    s->trace.count = 0;
    b->node[NO_NODE].count = 0;
    for (uint32_t k = 0; k < s->code.count; k++)
        code = add_node(b, code, &s->code.inst[k]);
    *first = (struct partial){s->now, sched_tables(s), code};
    first->tables = copy_tables(b, first);
    b->now.score[0] = 0;
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

bool sched_beam(struct sched *s, struct sched_beam_size size, uint32_t longest) {
    struct beam b = {.s = s, .size = size, .node_cap = 4 * size.width + 64, .nnode = NO_NODE + 1};
    void *own = sched_tables(s);
    const struct partial *best = NULL;
    bool ok = make_beam(&b);
    if (ok) {
        begin(&b);
        while (!best && b.now.count && !b.lost)
            best = advance(&b, longest);
    }
    sched_use_tables(s, own);
    if (best)
        s->now = best->now;
    ok = ok && !b.lost && (!best || write_code(&b, best->code, &s->code));
    if (!ok) /* or another attempt would win */
        ir_arena_fail(s->m->arena);
    free_beam(&b);
    return ok && best;
}
