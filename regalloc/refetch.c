/* Texture requests in a new order, where lookups are made again.
 *
 * Requires: a topological order of a block's ops, for one thread. Keeps: what the requests ask for. Breaks:
 * the edges between requests, which follow the new order.
 *
 * A unit gives its results in the order of its requests. A request may come between two others when no result
 * of the unit is outstanding there; so all ops of a request are gathered in front of its result. The
 * scheduler may draw them apart again as far as the FIFOs hold them (guide section 4). */
#include "regalloc/regalloc.h"

/* The texture unit that the op reads from or writes to; -1: none. */
static int unit_of(const struct m_op *op) {
    if (m_is_fetch(op))
        return op->sig == QPU_SIG_LDTMU1;
    if (op->waddr >= QPU_W_TMU0_S && op->waddr <= QPU_W_TMU1_B)
        return op->waddr >= QPU_W_TMU1_S;
    return -1;
}

static bool is_topological(const struct mir *m, const uint32_t *order, uint32_t count) {
    uint32_t *at = ir_alloc(m->arena, (m->nop + 1) * sizeof *at);
    for (uint32_t t = 0; t < count; t++)
        at[order[t]] = t;
    for (uint32_t e = 0; e < m->nedge; e++)
        if (at[m->edge[e].from] >= at[m->edge[e].to])
            return false;
    for (uint32_t t = 0; t < count; t++)
        for (unsigned k = 0; k <= m->op[order[t]].nsrc; k++) {
            uint32_t v = m_reads(&m->op[order[t]], k);
            if (v != M_NO_VALUE && m->val[v].def != M_NO_VALUE && at[m->val[v].def] >= t)
                return false;
        }
    return true;
}

/* The writes of a request from the first to `last`. */
static void put_request(const struct mir *m, uint32_t last, uint32_t *order, uint32_t *n) {
    if (last == M_NO_VALUE)
        return;
    put_request(m, m->op[last].request, order, n);
    order[(*n)++] = last;
}

bool refetch_gather(const struct mir *m, uint32_t **order, uint32_t count) {
    if (!m->ntmu)
        return false;
    uint32_t *gathered = ir_alloc(m->arena, (count + 1) * sizeof *gathered), n = 0;
    for (uint32_t t = 0; t < count; t++) {
        const struct m_op *op = &m->op[(*order)[t]];
        if (m_is_fetch(op))
            put_request(m, op->request, gathered, &n);
        if (m_is_fetch(op) || unit_of(op) < 0)
            gathered[n++] = (*order)[t];
    }
    if (n != count || !is_topological(m, gathered, count))
        return false;
    *order = gathered;
    return true;
}

/* A texture unit while its requests are gone through in order. */
struct unit {
    uint32_t last_write, last_load, first; /* first: the first write of the request that is being made */
    uint32_t *load, nload, oldest;         /* oldest: index of the first result that may be outstanding */
    unsigned words, results;               /* that may be outstanding */
};

static void follow_write(struct mir *m, struct unit *u, uint32_t i) {
    if (u->last_write != M_NO_VALUE)
        m_add_edge(m, u->last_write, i, 1, false);
    u->last_write = i;
    if (m->op[i].request == M_NO_VALUE)
        u->first = i;
}

static void follow_load(struct mir *m, struct unit *u, uint32_t i) {
    enum { WORDS = 8, RESULTS = 4 };
    const unsigned words = m->op[i].tmu_words;
    uint32_t gone = M_NO_VALUE; /* has to be fetched before there is room for this request */
    for (; u->results && (u->words + words > WORDS || u->results == RESULTS); u->oldest++) {
        gone = u->load[u->oldest];
        u->words -= m->op[gone].tmu_words;
        u->results--;
    }
    if (gone != M_NO_VALUE)
        m_add_edge(m, gone, u->first, 1, false);
    m_add_edge(m, u->last_write, i, QPU_LAT_TMU, true);
    if (u->last_load != M_NO_VALUE)
        m_add_edge(m, u->last_load, i, 1, false);
    u->last_load = u->load[u->nload++] = i;
    u->words += words;
    u->results++;
}

void refetch_edges(struct mir *m, const uint32_t *order, uint32_t count) {
    uint32_t left = 0;
    for (uint32_t e = 0; e < m->nedge; e++) {
        int unit = unit_of(&m->op[m->edge[e].from]);
        if (unit < 0 || unit != unit_of(&m->op[m->edge[e].to]))
            m->edge[left++] = m->edge[e];
    }
    m->nedge = left;
    struct unit units[2] = {{0}};
    for (int k = 0; k < 2; k++) {
        units[k].last_write = units[k].last_load = M_NO_VALUE;
        units[k].load = ir_alloc(m->arena, (m->ntmu + 1) * sizeof *units[k].load);
    }
    for (uint32_t t = 0; t < count; t++) {
        const struct m_op *op = &m->op[order[t]];
        int unit = unit_of(op);
        if (unit >= 0 && m_is_fetch(op))
            follow_load(m, &units[unit], order[t]);
        else if (unit >= 0)
            follow_write(m, &units[unit], order[t]);
    }
}
