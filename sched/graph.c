/* The dependence graph of a block: who waits for whom, how long, and who reads a value.
 *
 * Requires: selected ops. Keeps: the ops, but for constants, which become words of the stream where no small
 * immediate holds them. Two ops of one instruction may depend on each other by an edge of
 * latency 0 only: first a read port, then what the port feeds. */
#include "sched/schedule.h"

#include <string.h>

/* Leaves the edges between live ops only. */
static void drop_edges(struct mir *m) {
    uint32_t live = 0;
    for (uint32_t e = 0; e < m->nedge; e++)
        if (!m->op[m->edge[e].from].dead && !m->op[m->edge[e].to].dead)
            m->edge[live++] = m->edge[e];
    m->nedge = live;
}

/* Constants that no small immediate holds become words of the stream. */
static void collect_words(struct sched *s) {
    struct mir *m = s->m;
    for (uint32_t i = 0; i < m->nop; i++) {
        struct m_op *op = &m->op[i];
        for (unsigned k = 0; k < op->nsrc; k++) {
            struct m_src *src = &op->src[k];
            if (src->kind == M_IMM && !op->small_imm_only && qpu_small_imm_code(src->v) < 0)
                src->kind = M_SLOT, src->v = ir_slot_const(m->shader, IR_I32, src->v);
        }
    }
}

enum { READS = 3 }; /* of an op at most: two operands, and the value that it is tied to */

/* Operand k of a live op reads the value. */
struct read {
    uint32_t op, value;
    unsigned k;
};

static uint32_t collect_reads(const struct mir *m, struct read *read) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        for (unsigned k = 0; !op->dead && k <= op->nsrc; k++) {
            uint32_t v = m_reads(op, k);
            if (v != M_NO_VALUE)
                read[n++] = (struct read){i, v, k};
        }
    }
    return n;
}

/* Counts edges by the op that they come from and readers by value, each in the next one's place. An operation
 * that reads a value twice is listed twice, so that counts are reads. */
static void count_edges(struct sched *s, const struct read *read, uint32_t reads) {
    const struct mir *m = s->m;
    for (uint32_t e = 0; e < m->nedge; e++)
        s->succ_first[m->edge[e].from + 1]++;
    for (uint32_t n = 0; n < reads; n++) {
        s->use_first[read[n].value + 1]++;
        if (m->val[read[n].value].def != M_NO_VALUE)
            s->succ_first[m->val[read[n].value].def + 1]++;
    }
    for (uint32_t i = 0; i < m->nop; i++)
        s->succ_first[i + 1] += s->succ_first[i];
    for (uint32_t v = 0; v < m->nval; v++) {
        m->val[v].nuse = s->use_first[v + 1];
        s->use_first[v + 1] += s->use_first[v];
    }
}

/* From the op that makes the value to the one that reads it. */
static struct m_edge flow_edge(const struct mir *m, uint32_t from, const struct read *to) {
    const struct m_op *def = &m->op[from], *op = &m->op[to->op];
    unsigned latency = model_flow_latency(def, op, to->k), more = model_flow_more(m, def, op, to->k, latency);
    return (struct m_edge){from, to->op, 0, (uint8_t)latency, false, (uint8_t)more};
}

/* The mir's edges first. */
static void list_edges(struct sched *s, const struct read *read, uint32_t reads) {
    const struct mir *m = s->m;
    uint32_t *at = ir_alloc_uncleared(m->arena, (m->nop + m->nval + 1) * sizeof *at), *at_use = at + m->nop;
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return;
    memcpy(at, s->succ_first, m->nop * sizeof *at);
    memcpy(at_use, s->use_first, m->nval * sizeof *at);
    for (uint32_t e = 0; e < m->nedge; e++)
        s->edge[at[m->edge[e].from]++] = m->edge[e];
    for (uint32_t n = 0; n < reads; n++) {
        uint32_t def = m->val[read[n].value].def;
        s->use[at_use[read[n].value]++] = read[n].op;
        if (def != M_NO_VALUE)
            s->edge[at[def]++] = flow_edge(m, def, &read[n]);
    }
}

static void list_predecessors(struct sched *s) {
    uint32_t nop = s->m->nop, *at = ir_alloc_uncleared(s->m->arena, (nop + 1) * sizeof *at);
    s->pred_first = ir_alloc(s->m->arena, (nop + 2) * sizeof *s->pred_first);
    s->pred = ir_alloc_uncleared(s->m->arena, (s->nedge + 1) * sizeof *s->pred);
    if (ir_arena_oom(s->m->arena)) /* tables may lie in each other */
        return;
    for (uint32_t e = 0; e < s->nedge; e++)
        s->pred_first[s->edge[e].to + 1]++;
    for (uint32_t i = 0; i < nop; i++)
        s->pred_first[i + 1] += s->pred_first[i];
    memcpy(at, s->pred_first, nop * sizeof *at);
    for (uint32_t e = 0; e < s->nedge; e++)
        s->pred[at[s->edge[e].to]++] = s->edge[e].from;
}

/* Kahn's algorithm. False: the graph has a cycle. */
static bool sort(struct sched *s) {
    uint32_t nop = s->m->nop, n = 0, *left = ir_alloc_uncleared(s->m->arena, (nop + 1) * sizeof *left);
    s->sorted = ir_alloc_uncleared(s->m->arena, (nop + 1) * sizeof *s->sorted);
    if (ir_arena_oom(s->m->arena)) /* tables may lie in each other */
        return false;
    for (uint32_t i = 0; i < nop; i++) {
        left[i] = sched_predecessors(s, i);
        if (!left[i])
            s->sorted[n++] = i;
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = s->sorted[k], e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
            if (!--left[s->edge[e].to])
                s->sorted[n++] = s->edge[e].to;
    return n == nop;
}

bool sched_graph(struct sched *s) {
    struct mir *m = s->m;
    collect_words(s);
    drop_edges(m);
    s->succ_first = ir_alloc(m->arena, (m->nop + 2) * sizeof *s->succ_first);
    s->use_first = ir_alloc(m->arena, (m->nval + 2) * sizeof *s->use_first);
    s->height = ir_alloc_uncleared(m->arena, (m->nop + 1) * sizeof *s->height);
    struct read *read = ir_alloc_uncleared(m->arena, (m->nop * READS + 1) * sizeof *read);
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return false;
    uint32_t reads = collect_reads(m, read);
    count_edges(s, read, reads);
    s->nedge = s->succ_first[m->nop];
    s->edge = ir_alloc_uncleared(m->arena, (s->nedge + 1) * sizeof *s->edge);
    s->use = ir_alloc_uncleared(m->arena, (s->use_first[m->nval] + 1) * sizeof *s->use);
    list_edges(s, read, reads);
    list_predecessors(s);
    if (!sort(s))
        return false;
    for (uint32_t n = m->nop; n--;) { /* from the end backwards */
        uint32_t i = s->sorted[n], height = 0;
        for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
            uint32_t h = s->height[s->edge[e].to] + s->edge[e].latency;
            height = h > height ? h : height;
        }
        s->height[i] = height;
    }
    return true;
}

void sched_mark_crossing(struct sched *s) {
    struct mir *m = s->m;
    uint32_t *level = ir_alloc(m->arena, (m->nop + 1) * sizeof *level);
    for (uint32_t k = 0; k < m->nop; k++)
        for (uint32_t i = s->sorted[k], e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
            uint32_t to = s->edge[e].to, reach = level[i] + m_is_switch(&m->op[i]);
            if (reach > level[to])
                level[to] = reach;
        }
    s->crosses = ir_alloc(m->arena, (m->nval + 1) * sizeof *s->crosses);
    s->nswitch = 0;
    for (uint32_t i = 0; i < m->nop; i++)
        s->nswitch += !m->op[i].dead && m_is_switch(&m->op[i]);
    for (uint32_t v = 0; v < m->nval; v++)
        for (uint32_t u = s->use_first[v]; u < s->use_first[v + 1]; u++)
            s->crosses[v] |= m->val[v].def != M_NO_VALUE && level[s->use[u]] > level[m->val[v].def];
}
