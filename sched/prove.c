/* Proof that a block can't be shorter, by branch and bound.
 *
 * Requires: the graph, heads and tails (bound.c). Keeps everything. The block is relaxed: what units an op
 * takes, the stream's one word, latencies and what must follow at the end count; places and ports do not. If
 * no order of the relaxed block is one instruction shorter than the schedule found, none of the real block
 * is.
 *
 * The search fills instruction after instruction with sets of ready ops to which nothing can be added: an op
 * moved up into an idle unit never makes a relaxed schedule longer. States that were refuted once (the same
 * ops issued by the same time, with the same latencies pending) are kept in a table. */
#include "sched/schedule.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPS = 128, TABLE = 1 << 14, MOST_UNDO = 32 };

struct set {
    uint64_t word[MOST_OPS / 64];
};

struct prover {
    const struct sched *s;
    const uint32_t *tail;
    uint32_t target; /* instructions that would beat the schedule */
    uint32_t n;
    uint64_t nodes; /* left to visit */
    uint32_t npred[MOST_OPS], earliest[MOST_OPS];
    struct set issued;
    uint16_t *left[MODEL_UNITS]; /* by tail: ops that need the unit */
    uint32_t longest;            /* tail */
    uint64_t *refuted;
};

/* What issuing an op changed. */
struct undo {
    struct {
        uint32_t op, earliest;
    } entry[MOST_UNDO];
    uint32_t count;
};

static bool is_live(const struct prover *p, uint32_t i) {
    return !p->s->m->op[i].dead;
}

static bool has(const struct set *set, uint32_t i) {
    return set->word[i / 64] >> (i % 64) & 1;
}

static void flip(struct set *set, uint32_t i) {
    set->word[i / 64] ^= 1ull << (i % 64);
}

static void count(struct prover *p, uint32_t i, int by) {
    for (unsigned u = 0; u < MODEL_UNITS; u++)
        if (p->s->op[i].traits & model_unit[u].traits && u != MODEL_UNIT_STREAM) /* words may be shared */
            p->left[u][p->tail[i]] = (uint16_t)(p->left[u][p->tail[i]] + by);
}

/* Can what is left still end in time, each op and each unit for itself? Of a unit's ops those with the
 * longest tails have to be served first. */
static bool may_end(const struct prover *p, uint32_t t) {
    for (unsigned u = 0; u < MODEL_UNITS; u++) {
        uint32_t ops = 0;
        for (uint32_t tail = p->longest + 1; tail-- > 0;) {
            ops += p->left[u][tail];
            if (ops && t + (ops - 1) / model_unit[u].width + 1 + tail > p->target)
                return false;
        }
    }
    for (uint32_t i = 0; i < p->n; i++)
        if (!has(&p->issued, i) && is_live(p, i) &&
            (p->earliest[i] > t ? p->earliest[i] : t) + 1 + p->tail[i] > p->target)
            return false;
    return true;
}

/* Issued ops, time, and latencies that reach beyond it. */
static uint64_t state_of(const struct prover *p, uint32_t t) {
    uint64_t h = 0x9e3779b97f4a7c15u ^ t;
    for (uint32_t w = 0; w < MOST_OPS / 64; w++)
        h = (h ^ p->issued.word[w]) * 0xff51afd7ed558ccdu, h ^= h >> 29;
    for (uint32_t i = 0; i < p->n; i++)
        if (!has(&p->issued, i) && p->earliest[i] > t)
            h = (h ^ ((uint64_t)i << 20 | p->earliest[i])) * 0xc4ceb9fe1a85ec53u, h ^= h >> 31;
    return h | 1;
}

/* The instruction being filled. An op that either ALU can do takes none in particular. */
struct row {
    uint32_t word;    /* of the stream, or M_NO_VALUE */
    unsigned alus;    /* ops that take an ALU */
    uint32_t refused; /* traits that it has no more room for */
};

static uint32_t word_of(const struct prover *p, uint32_t i) {
    const struct m_op *op = &p->s->m->op[i];
    return op->tmu_slot != M_NO_VALUE ? op->tmu_slot : p->s->op[i].word;
}

static bool fits(const struct prover *p, const struct row *row, uint32_t i) {
    uint32_t word = word_of(p, i);
    if (p->s->op[i].traits & row->refused)
        return false;
    return word == M_NO_VALUE || row->word == M_NO_VALUE || row->word == word;
}

static struct row row_with(const struct prover *p, const struct row *row, uint32_t i) {
    uint32_t word = word_of(p, i), traits = p->s->op[i].traits;
    struct row with = *row;
    with.word = word != M_NO_VALUE ? word : row->word;
    with.alus += !!(traits & T_ALUS);
    with.refused |= model_excludes(traits) | (traits & (T_ADD_ONLY | T_MUL_ONLY));
    with.refused |= with.alus == 2 ? T_ALUS : 0;
    return with;
}

static bool search(struct prover *p, uint32_t t);

/* An op goes into the row of instruction t: what waits for nothing else becomes ready, and what no latency
 * keeps out joins `ready` at once (first a port, then what it feeds). */
static void issue(struct prover *p, uint32_t i, uint32_t t, struct undo *undo, uint32_t *ready, uint32_t *n) {
    const struct sched *s = p->s;
    undo->count = 0;
    flip(&p->issued, i);
    count(p, i, -1);
    for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
        uint32_t to = s->edge[e].to, at = t + model_distance(s->m, &s->edge[e]) + s->edge[e].more;
        if (at > p->earliest[to]) {
            if (undo->count == MOST_UNDO)
                p->nodes = 0; /* more than is kept track of: give up */
            else
                undo->entry[undo->count].op = to, undo->entry[undo->count++].earliest = p->earliest[to];
            p->earliest[to] = at;
        }
        if (!--p->npred[to] && p->earliest[to] <= t && is_live(p, to))
            ready[(*n)++] = to;
    }
}

static void take_back(struct prover *p, uint32_t i, const struct undo *undo) {
    const struct sched *s = p->s;
    for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
        p->npred[s->edge[e].to]++;
    for (uint32_t k = undo->count; k--;)
        p->earliest[undo->entry[k].op] = undo->entry[k].earliest;
    flip(&p->issued, i);
    count(p, i, 1);
}

static bool search(struct prover *p, uint32_t t);

/* Adds each of ready[from..] that fits in turn; where nothing ready can be added the next instruction
 * follows.
 */
static bool extend(struct prover *p, const struct row *row, uint32_t *ready, uint32_t n, uint32_t from,
                   uint32_t t) {
    bool full = true;
    if (!p->nodes)
        return true;
    p->nodes--;
    for (uint32_t k = 0; k < n && full; k++)
        full = has(&p->issued, ready[k]) || !fits(p, row, ready[k]);
    if (full)
        return search(p, t + 1);
    for (uint32_t k = from; k < n; k++) {
        uint32_t i = ready[k], more = n;
        if (!fits(p, row, i))
            continue;
        struct row with = row_with(p, row, i);
        struct undo undo;
        issue(p, i, t, &undo, ready, &more);
        bool found = extend(p, &with, ready, more, k + 1, t);
        take_back(p, i, &undo);
        if (found || !p->nodes)
            return true;
    }
    return false;
}

/* True: the rest can end in time, or the budget is used up (nothing is proven then). */
static bool search(struct prover *p, uint32_t t) {
    uint32_t ready[MOST_OPS], n = 0, left = 0, next = UINT32_MAX;
    if (!p->nodes)
        return true;
    p->nodes--;
    for (uint32_t i = 0; i < p->n; i++) {
        if (has(&p->issued, i) || !is_live(p, i))
            continue;
        left++;
        if (p->npred[i])
            continue;
        if (p->earliest[i] <= t)
            ready[n++] = i;
        else
            next = p->earliest[i] < next ? p->earliest[i] : next;
    }
    if (!left)
        return true;
    if (!may_end(p, t))
        return false;
    if (!n)
        return search(p, next);
    uint64_t state = state_of(p, t), *seen = &p->refuted[state % TABLE];
    if (*seen == state)
        return false;
    for (uint32_t a = 1; a < n; a++) /* the longest tail first */
        for (uint32_t b = a; b && p->tail[ready[b]] > p->tail[ready[b - 1]]; b--) {
            uint32_t swap = ready[b];
            ready[b] = ready[b - 1];
            ready[b - 1] = swap;
        }
    struct row row = {.word = M_NO_VALUE};
    bool found = extend(p, &row, ready, n, 0, t);
    if (!found && p->nodes)
        *seen = state;
    return found || !p->nodes;
}

bool sched_prove(const struct sched *s, uint32_t length, uint64_t nodes) {
    const struct mir *m = s->m;
    uint32_t shadow = 0;
    for (uint32_t i = 0; i < m->nop; i++)
        shadow += m_is_switch(&m->op[i]);
    if (m->nop > MOST_OPS || !length || shadow)
        return false;
    uint64_t left = ir_search_left(m->arena) * 8 / (m->nop + 1); /* a node glances at every op */
    nodes = nodes < left ? nodes : left;
    struct prover p = {.s = s, .tail = s->least_tail, .target = length - 1, .n = m->nop, .nodes = nodes};
    p.refuted = ir_alloc(m->arena, TABLE * sizeof *p.refuted);
    for (uint32_t i = 0; i < m->nop; i++)
        p.longest = p.tail[i] > p.longest ? p.tail[i] : p.longest;
    for (unsigned u = 0; u < MODEL_UNITS; u++)
        p.left[u] = ir_alloc(m->arena, (p.longest + 1) * sizeof *p.left[u]);
    if (ir_arena_oom(m->arena))
        return false;
    for (uint32_t e = 0; e < s->nedge; e++)
        p.npred[s->edge[e].to]++;
    for (uint32_t i = 0; i < m->nop; i++) {
        p.earliest[i] = s->least_head[i];
        if (is_live(&p, i))
            count(&p, i, 1);
    }
    bool found = search(&p, 0);
    ir_search(m->arena, (nodes - p.nodes) * m->nop / 8);
    return !found && p.nodes;
}
