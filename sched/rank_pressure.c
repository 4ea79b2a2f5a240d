/* An order for few values alive, made from the end backwards, and the count of those that any order keeps.
 *
 * Requires: the graph, places at the block's start. Keeps everything.
 *
 * Going backwards a value begins with its last reader and ends with the operation that makes it, so nothing
 * is made before it is wanted. At each step the operation is taken that leaves fewest values alive; among
 * equals the one whose result was asked for last, which finishes one expression before it opens the next.
 * Operations under one setting of the flags go together with it: the flags are one register. */
#include "sched/schedule.h"

#include <string.h>

struct order {
    const struct sched *s;
    const struct mir *m;
    uint32_t *node;         /* op -> op that stands for all that go with it */
    uint32_t *left;         /* node -> edges to nodes not placed yet */
    uint32_t *first, *pred; /* predecessors by op */
    uint32_t *wanted;       /* value -> when it was asked for, 0: not alive */
    uint32_t *ready, nready;
};

#define FOR_NODE(i, m, node)                                                                                 \
    for (uint32_t i = (node), i##_next = (m)->op[node].first_member; i != M_NO_VALUE;                        \
         i = i##_next ? i##_next - 1 : M_NO_VALUE, i##_next = i != M_NO_VALUE ? (m)->op[i].next_member : 0)

/* Values alive more when the node is placed, and when its result was asked for. */
static int net_of(const struct order *o, uint32_t node, uint32_t *recent) {
    int net = 0;
    *recent = 0;
    FOR_NODE(i, o->m, node) {
        const struct m_op *op = &o->m->op[i];
        if (op->dead)
            continue;
        if (op->dst != M_NO_VALUE && o->wanted[op->dst]) {
            net--;
            if (o->wanted[op->dst] > *recent)
                *recent = o->wanted[op->dst];
        }
        for (unsigned k = 0; k <= op->nsrc; k++) {
            uint32_t v = m_reads(op, k);
            bool again = k && k < op->nsrc && v == m_reads(op, 0);
            net += v != M_NO_VALUE && !again && !o->wanted[v] && place_counts(o->s, v);
        }
    }
    return net;
}

static void place_node(struct order *o, uint32_t node, uint32_t now) {
    FOR_NODE(i, o->m, node) {
        const struct m_op *op = &o->m->op[i];
        if (op->dead)
            continue;
        if (op->dst != M_NO_VALUE)
            o->wanted[op->dst] = 0;
        for (unsigned k = 0; k <= op->nsrc; k++)
            if (m_reads(op, k) != M_NO_VALUE && !o->wanted[m_reads(op, k)])
                o->wanted[m_reads(op, k)] = now;
        for (uint32_t e = o->first[i]; e < o->first[i + 1]; e++) {
            uint32_t from = o->node[o->pred[e]];
            if (from != node && !--o->left[from])
                o->ready[o->nready++] = from;
        }
    }
}

static void find_predecessors(struct order *o, struct ir_arena *arena) {
    const struct sched *s = o->s;
    uint32_t n = o->m->nop, *at = ir_alloc(arena, (n + 1) * sizeof *at);
    o->first = ir_alloc(arena, (n + 2) * sizeof *o->first);
    o->pred = ir_alloc(arena, (s->nedge + 1) * sizeof *o->pred);
    for (uint32_t e = 0; e < s->nedge; e++)
        o->first[s->edge[e].to + 1]++;
    for (uint32_t i = 0; i < n; i++)
        o->first[i + 1] += o->first[i];
    memcpy(at, o->first, n * sizeof *at);
    for (uint32_t e = 0; e < s->nedge; e++)
        o->pred[at[s->edge[e].to]++] = s->edge[e].from;
}

void rank_backwards(const struct sched *s, uint32_t *rank) {
    const struct mir *m = s->m;
    uint32_t n = m->nop;
    struct order o = {.s = s, .m = m};
    o.node = ir_alloc(m->arena, (n + 1) * sizeof *o.node);
    o.left = ir_alloc(m->arena, (n + 1) * sizeof *o.left);
    o.ready = ir_alloc(m->arena, (n + 1) * sizeof *o.ready);
    o.wanted = ir_alloc(m->arena, (m->nval + 1) * sizeof *o.wanted);
    find_predecessors(&o, m->arena);
    for (uint32_t i = 0; i < n; i++)
        o.node[i] = m->op[i].flags != M_NO_VALUE ? m->op[i].flags : i;
    for (uint32_t e = 0; e < s->nedge; e++)
        o.left[o.node[s->edge[e].from]] += o.node[s->edge[e].from] != o.node[s->edge[e].to];
    uint32_t now = 1, next = n;
    for (uint32_t v = 0; v < m->nval; v++)
        if (m->val[v].fixed >= 0)
            o.wanted[v] = now;
    for (uint32_t i = 0; i < n; i++) {
        rank[i] = i;
        if (o.node[i] == i && !o.left[i] && !m->op[i].dead)
            o.ready[o.nready++] = i;
    }
    while (o.nready) {
        uint32_t best = 0, best_recent = 0;
        int best_net = 0;
        for (uint32_t r = 0; r < o.nready; r++) {
            uint32_t recent;
            int net = net_of(&o, o.ready[r], &recent);
            if (r && (net > best_net || (net == best_net && recent < best_recent) ||
                      (net == best_net && recent == best_recent && o.ready[r] < o.ready[best])))
                continue;
            best = r, best_net = net, best_recent = recent;
        }
        uint32_t node = o.ready[best], members = 0;
        o.ready[best] = o.ready[--o.nready];
        FOR_NODE(i, m, node) members++;
        next -= members < next ? members : next;
        members = 0;
        FOR_NODE(i, m, node) rank[i] = next + members++;
        place_node(&o, node, ++now);
    }
}

uint32_t rank_to_order(const struct sched *s, const uint32_t *rank, uint32_t *order) {
    const struct mir *m = s->m;
    uint32_t n = m->nop, count = 0, nready = 0;
    uint32_t *left = ir_alloc(m->arena, (n + 1) * sizeof *left),
             *ready = ir_alloc(m->arena, (n + 1) * sizeof *ready);
    for (uint32_t e = 0; e < s->nedge; e++)
        left[s->edge[e].to]++;
    for (uint32_t i = 0; i < n; i++)
        if (!left[i] && !m->op[i].dead)
            ready[nready++] = i;
    while (nready) {
        uint32_t best = 0;
        for (uint32_t r = 1; r < nready; r++)
            if (rank[ready[r]] < rank[ready[best]])
                best = r;
        uint32_t i = ready[best];
        ready[best] = ready[--nready];
        order[count++] = i;
        for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
            if (!--left[s->edge[e].to])
                ready[nready++] = s->edge[e].to;
    }
    return count;
}

unsigned rank_peak(const struct sched *s, const uint32_t *order, uint32_t count, struct ir_loc *where) {
    const struct mir *m = s->m;
    uint32_t *left = ir_alloc(m->arena, (m->nval + 1) * sizeof *left);
    unsigned alive = 0, peak = 0;
    for (int p = 0; p < PLACE_ACC; p++)
        alive += place_vacant(s, p) == PLACE_KEPT;
    for (uint32_t v = 0; v < m->nval; v++) {
        left[v] = m->val[v].nuse;
        alive += m->val[v].start >= 0 && left[v] && place_counts(s, v);
    }
    for (uint32_t t = 0; t < count; t++) {
        const struct m_op *op = &m->op[order[t]];
        for (unsigned k = 0; k <= op->nsrc; k++)
            if (m_reads(op, k) != M_NO_VALUE && !--left[m_reads(op, k)] && place_counts(s, m_reads(op, k)) &&
                m->val[m_reads(op, k)].fixed < 0)
                alive--;
        if (op->dst != M_NO_VALUE && (left[op->dst] || m->val[op->dst].fixed >= 0))
            alive++;
        if (alive > peak) {
            peak = alive;
            *where = op->loc;
        }
    }
    return peak;
}
