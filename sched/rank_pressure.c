/* An order for few values alive, made from the end backwards, and the count of those that an order keeps.
 *
 * Requires: the graph, places at the block's start. Keeps everything.
 *
 * Going backwards a value begins with its last reader and ends with the operation that makes it, so nothing
 * is made before it is wanted. At each step the operation is taken that leaves fewest values alive; among
 * equals the one whose result was asked for last, which finishes one expression before it opens the next.
 * Operations under one setting of the flags go together with it: the flags are one register. */
#include "sched/schedule.h"

#include <limits.h>
#include <string.h>

/* --- ops by a key, the least first; of equals the last op ----------------------------------------------- */

struct entry {
    uint64_t key;
    uint32_t op;
};

/* A binary heap; who makes it knows how many entries there can be. */
struct heap {
    struct entry *entry;
    uint32_t count;
};

static bool comes_before(struct entry a, struct entry b) {
    return a.key != b.key ? a.key < b.key : a.op > b.op;
}

static void push(struct heap *h, uint64_t key, uint32_t op) {
    struct entry e = {key, op};
    uint32_t at = h->count++;
    for (; at && comes_before(e, h->entry[(at - 1) / 2]); at = (at - 1) / 2)
        h->entry[at] = h->entry[(at - 1) / 2];
    h->entry[at] = e;
}

static struct entry pop(struct heap *h) {
    struct entry first = h->entry[0], last = h->entry[--h->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < h->count; child = 2 * at + 1) {
        child += child + 1 < h->count && comes_before(h->entry[child + 1], h->entry[child]);
        if (!comes_before(h->entry[child], last))
            break;
        h->entry[at] = h->entry[child];
        at = child;
    }
    h->entry[at] = last;
    return first;
}

/* --- backwards ------------------------------------------------------------------------------------------ */

enum { NOT_READY = INT_MAX, PLACED = INT_MIN };

struct order {
    const struct sched *s;
    const struct mir *m;
    uint32_t *node;           /* op -> op that stands for all that go with it */
    uint32_t *left;           /* node -> edges to nodes not placed yet */
    uint32_t *wanted;         /* value -> when it was asked for, 0: not alive */
    int *net;                 /* node -> values alive more when it is placed; NOT_READY, PLACED */
    struct heap ready;        /* may hold a node twice: its last entry counts */
    uint32_t in[PLACE_COUNT]; /* place -> values alive that are there from the start: they share it */
};

#define FOR_NODE(i, m, node)                                                                                 \
    for (uint32_t i = (node), i##_next = (m)->op[node].first_member; i != M_NO_VALUE;                        \
         i = i##_next ? i##_next - 1 : M_NO_VALUE, i##_next = i != M_NO_VALUE ? (m)->op[i].next_member : 0)

/* Does it take a place beside those that are taken? */
static bool takes_place(const struct order *o, uint32_t value) {
    int start = o->m->val[value].start;
    return place_counts(o->s, value) && (start < 0 || !o->in[start]);
}

/* Values alive more when the node is placed, and when its result was asked for. */
static int net_of(const struct order *o, uint32_t node, uint32_t *recent) {
    int net = 0;
    *recent = 0;
    FOR_NODE(i, o->m, node) {
        const struct m_op *op = &o->m->op[i];
        if (op->dead)
            continue;
        if (op->dst != M_NO_VALUE && o->wanted[op->dst]) {
            net -= place_counts(o->s, op->dst);
            if (o->wanted[op->dst] > *recent)
                *recent = o->wanted[op->dst];
        }
        for (unsigned k = 0; k <= op->nsrc; k++) {
            uint32_t v = m_reads(op, k);
            bool again = k && k < op->nsrc && v == m_reads(op, 0);
            net += v != M_NO_VALUE && !again && !o->wanted[v] && takes_place(o, v);
        }
    }
    return net;
}

/* Puts a ready node on the heap, and again when its net has changed. That only falls while it is ready: its
 * operands begin to be alive, and when its result was asked for does not change once all readers are placed.
 * */
static void offer(struct order *o, uint32_t node) {
    uint32_t recent;
    int net = net_of(o, node, &recent);
    if (net == o->net[node])
        return;
    o->net[node] = net;
    push(&o->ready, (uint64_t)((int64_t)net - INT_MIN) << 32 | (UINT32_MAX - recent), node);
}

static int net_of_key(uint64_t key) {
    return (int)((int64_t)(key >> 32) + INT_MIN);
}

static void offer_readers(struct order *o, uint32_t value) {
    const struct sched *s = o->s;
    for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++) {
        uint32_t reader = o->node[s->use[u]];
        if (o->net[reader] != NOT_READY && o->net[reader] != PLACED)
            offer(o, reader);
    }
}

static void begin_life(struct order *o, uint32_t value, uint32_t now) {
    int start = o->m->val[value].start;
    o->wanted[value] = now;
    offer_readers(o, value);
    if (start < 0 || o->in[start]++)
        return;
    for (uint32_t v = 0; v < o->m->nval; v++)
        if (o->m->val[v].start == start && !o->wanted[v])
            offer_readers(o, v);
}

static void place_node(struct order *o, uint32_t node, uint32_t now) {
    o->net[node] = PLACED;
    FOR_NODE(i, o->m, node) {
        const struct m_op *op = &o->m->op[i];
        if (op->dead)
            continue;
        if (op->dst != M_NO_VALUE)
            o->wanted[op->dst] = 0;
        for (unsigned k = 0; k <= op->nsrc; k++)
            if (m_reads(op, k) != M_NO_VALUE && !o->wanted[m_reads(op, k)])
                begin_life(o, m_reads(op, k), now);
        for (uint32_t e = o->s->pred_first[i]; e < o->s->pred_first[i + 1]; e++) {
            uint32_t from = o->node[o->s->pred[e]];
            if (from != node && !--o->left[from])
                offer(o, from);
        }
    }
}

void rank_backwards(const struct sched *s, uint32_t *rank) {
    const struct mir *m = s->m;
    uint32_t n = m->nop;
    struct order o = {.s = s, .m = m};
    o.node = ir_alloc(m->arena, (n + 1) * sizeof *o.node);
    o.left = ir_alloc(m->arena, (n + 1) * sizeof *o.left);
    o.net = ir_alloc(m->arena, (n + 1) * sizeof *o.net);
    o.ready.entry = ir_alloc(m->arena, (n + 2 * s->use_first[m->nval] + 1) * sizeof *o.ready.entry);
    o.wanted = ir_alloc(m->arena, (m->nval + 1) * sizeof *o.wanted);
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return;
    for (uint32_t i = 0; i < n; i++)
        o.node[i] = m->op[i].flags != M_NO_VALUE ? m->op[i].flags : i;
    for (uint32_t e = 0; e < s->nedge; e++)
        o.left[o.node[s->edge[e].from]] += o.node[s->edge[e].from] != o.node[s->edge[e].to];
    uint32_t now = 1, next = n;
    for (uint32_t v = 0; v < m->nval; v++)
        if (m->val[v].fixed >= 0)
            o.wanted[v] = now;
    for (uint32_t i = 0; i < n; i++)
        rank[i] = i, o.net[i] = NOT_READY;
    for (uint32_t i = 0; i < n; i++)
        if (o.node[i] == i && !o.left[i] && !m->op[i].dead)
            offer(&o, i);
    while (o.ready.count) {
        struct entry best = pop(&o.ready);
        uint32_t node = best.op, members = 0;
        if (net_of_key(best.key) != o.net[node])
            continue;
        FOR_NODE(i, m, node) members++;
        next -= members < next ? members : next;
        members = 0;
        FOR_NODE(i, m, node) rank[i] = next + members++;
        place_node(&o, node, ++now);
    }
}

uint32_t rank_to_order(const struct sched *s, const uint32_t *rank, uint32_t *order) {
    const struct mir *m = s->m;
    uint32_t n = m->nop, count = 0;
    uint32_t *left = ir_alloc(m->arena, (n + 1) * sizeof *left);
    struct heap ready = {.entry = ir_alloc(m->arena, (n + 1) * sizeof *ready.entry)};
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        left[i] = sched_predecessors(s, i);
        if (!left[i] && !m->op[i].dead)
            push(&ready, rank[i], i);
    }
    while (ready.count) {
        uint32_t i = pop(&ready).op;
        order[count++] = i;
        for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
            if (!--left[s->edge[e].to])
                push(&ready, rank[s->edge[e].to], s->edge[e].to);
    }
    return count;
}

unsigned rank_peak(const struct sched *s, const uint32_t *order, uint32_t count, struct ir_loc *where) {
    const struct mir *m = s->m;
    uint32_t *left = ir_alloc(m->arena, (m->nval + 1) * sizeof *left);
    uint32_t in[PLACE_COUNT] = {0}; /* values that are in a place from the start share it */
    unsigned alive = 0, peak = 0;
    for (int p = 0; p < PLACE_ACC; p++)
        alive += place_vacant(s, p) == PLACE_KEPT;
    for (uint32_t v = 0; v < m->nval; v++) {
        left[v] = m->val[v].nuse;
        if (m->val[v].start >= 0 && left[v])
            alive += !in[m->val[v].start]++ && place_counts(s, v);
    }
    for (uint32_t t = 0; t < count; t++) {
        const struct m_op *op = &m->op[order[t]];
        for (unsigned k = 0; k <= op->nsrc; k++) {
            uint32_t v = m_reads(op, k);
            if (v != M_NO_VALUE && !--left[v] && (m->val[v].start < 0 || !--in[m->val[v].start]))
                alive -= place_counts(s, v) && m->val[v].fixed < 0;
        }
        if (op->dst != M_NO_VALUE && (left[op->dst] || m->val[op->dst].fixed >= 0))
            alive += place_counts(s, op->dst);
        if (alive > peak) {
            peak = alive;
            *where = op->loc;
        }
    }
    return peak;
}
