/* Two sweeps over the selected ops: VPM reads go into their readers, ops that do nothing go.
 *
 * Requires: all ops of the block. Keeps: what they compute, the order of FIFOs. Breaks: dead ops stay in the
 * table, marked. */
#include "backend/select.h"

/* Who reads each value: 1 + the last op that does, and how many do, or more where it is written over. */
struct uses {
    uint32_t *reader, *readers;
};

static struct uses find_uses(const struct mir *m) {
    struct uses u = {ir_alloc(m->arena, (m->nval + 1) * sizeof *u.reader),
                     ir_alloc(m->arena, (m->nval + 1) * sizeof *u.readers)};
    for (uint32_t i = 0; i < m->nop; i++)
        for (unsigned k = 0; k < m->op[i].nsrc; k++)
            if (m->op[i].src[k].kind == M_VAL) {
                u.readers[m->op[i].src[k].v] += u.reader[m->op[i].src[k].v] != i + 1;
                u.reader[m->op[i].src[k].v] = i + 1;
            }
    for (uint32_t i = 0; i < m->nop; i++)
        if (m->op[i].tied != M_NO_VALUE)
            u.readers[m->op[i].tied] += 2;
    return u;
}

/* A read with one reader, whose ports have room for it. Plain moves only: what a read was folded into reads
 * the VPM now, but is no move. */
static bool may_fold(const struct mir *m, const struct uses *u, uint32_t i) {
    const struct m_op *read = &m->op[i];
    if (read->dead || !read->reads_vpm || read->nsrc != 1 || read->add_op != QPU_A_OR ||
        read->dst == M_NO_VALUE || u->readers[read->dst] != 1 || read->src[0].unpack ||
        m_only_in_a(m, read->dst) || m->val[read->dst].fixed >= 0)
        return false;
    const struct m_op *op = &m->op[u->reader[read->dst] - 1];
    bool ok = !op->reads_vpm && !op->reads_vary && op->waddr == QPU_W_NOP && op->cond == QPU_COND_ALWAYS &&
              op->tied == M_NO_VALUE && !op->sf && !op->pack;
    for (unsigned k = 0; k < op->nsrc; k++)
        ok &= !op->src[k].unpack &&
              (op->src[k].kind == M_VAL || op->src[k].kind == M_SLOT || op->src[k].kind == M_IMM);
    return ok;
}

/* Of each value, 1 + the last read that it needs. */
static uint32_t *find_latest(const struct mir *m) {
    uint32_t *latest = ir_alloc(m->arena, (m->nval + 1) * sizeof *latest);
    /* of each flag setter: the latest read among its users' inputs */
    uint32_t *gate = ir_alloc(m->arena, (m->nop + 1) * sizeof *gate);
    uint32_t *of_op = ir_alloc(m->arena, (m->nop + 1) * sizeof *of_op); /* `latest` for what has no value */
    /* values are made in order of need, so one sweep settles `latest` but for values made late: sweep until
     * still */
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < m->nop; i++) {
            const struct m_op *op = &m->op[i];
            uint32_t need = op->reads_vpm ? i + 1 : 0;
            for (unsigned k = 0; k < op->nsrc; k++)
                if (op->src[k].kind == M_VAL && latest[op->src[k].v] > need)
                    need = latest[op->src[k].v];
            if (op->tied != M_NO_VALUE && latest[op->tied] > need)
                need = latest[op->tied];
            if (op->flags != M_NO_VALUE)
                for (unsigned k = 0; k < m->op[op->flags].nsrc; k++)
                    if (m->op[op->flags].src[k].kind == M_VAL && latest[m->op[op->flags].src[k].v] > need)
                        need = latest[m->op[op->flags].src[k].v];
            if (op->flags != M_NO_VALUE) {
                if (gate[op->flags] < need)
                    gate[op->flags] = need, changed = true;
                need = gate[op->flags];
            }
            for (uint32_t e = op->in_edge; e; e = m->edge[e - 1].next_in)
                if (of_op[m->edge[e - 1].from] > need)
                    need = of_op[m->edge[e - 1].from];
            if (of_op[i] < need)
                of_op[i] = need, changed = true;
            if (op->dst != M_NO_VALUE && latest[op->dst] < need)
                latest[op->dst] = need, changed = true;
        }
    }
    return latest;
}

static void fold(struct mir *m, uint32_t from, uint32_t to) {
    struct m_op *read = &m->op[from], *op = &m->op[to];
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].kind == M_VAL && op->src[k].v == read->dst)
            op->src[k] = read->src[0];
    op->reads_vpm = true;
    for (uint32_t e = 0; e < m->nedge; e++) {
        if (m->edge[e].from == from)
            m->edge[e].from = to, op->awaited = true;
        if (m->edge[e].to == from)
            m->edge[e].to = to;
    }
    read->dead = true;
    read->dst = M_NO_VALUE;
}

/* A VPM read whose value has one reader goes into the reader, if that keeps the order of the FIFO:
 * nothing else it reads may come from a later word, by way of a lookup neither. */
void sel_fold_vpm_reads(struct mir *m) {
    if (m->shader->stage == QPUCC_FRAGMENT)
        return; /* has none */
    struct uses u = find_uses(m);
    uint32_t *latest = NULL;
    for (uint32_t i = 0; i < m->nop; i++) {
        if (!may_fold(m, &u, i))
            continue;
        latest = latest ? latest : find_latest(m);
        uint32_t to = u.reader[m->op[i].dst] - 1, other = 0;
        const struct m_op *op = &m->op[to];
        for (unsigned k = 0; k < op->nsrc; k++)
            if (op->src[k].kind == M_VAL && op->src[k].v != m->op[i].dst && latest[op->src[k].v] > other)
                other = latest[op->src[k].v];
        if (other <= i)
            fold(m, i, to);
    }
}

/* Does a live op read the flags that this one sets? */
static bool has_members(const struct mir *m, const struct m_op *setter) {
    for (uint32_t k = setter->first_member; k; k = m->op[k - 1].next_member)
        if (!m->op[k - 1].dead)
            return true;
    return false;
}

/* Ops whose result nothing reads and that do nothing else. */
void sel_drop_dead(struct mir *m) {
    uint32_t *readers = ir_alloc(m->arena, (m->nval + 1) * sizeof *readers);
    for (uint32_t i = 0; i < m->nop; i++) {
        if (m->op[i].dead)
            continue;
        for (unsigned k = 0; k < m->op[i].nsrc; k++)
            if (m->op[i].src[k].kind == M_VAL)
                readers[m->op[i].src[k].v]++;
        if (m->op[i].tied != M_NO_VALUE)
            readers[m->op[i].tied]++;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = m->nop; i-- > 0;) {
            struct m_op *op = &m->op[i];
            if (op->sf && i != m->branch_setter && !has_members(m, op))
                op->sf = false;
            bool stays =
                op->dst != M_NO_VALUE && m->val[op->dst].fixed >= 0 && !m->last; /* for other blocks */
            bool unread = op->dst == M_NO_VALUE || (!readers[op->dst] && !stays);
            if (op->dead || !unread || op->sf || op->reads_vary || op->reads_vpm || op->sig != QPU_SIG_NONE ||
                op->waddr != QPU_W_NOP)
                continue;
            op->dead = true;
            /* what it needs comes before it, nearly always, and has its turn yet */
            again |= op->flags != M_NO_VALUE && op->flags > i;
            for (unsigned k = 0; k <= op->nsrc; k++) {
                uint32_t v = m_reads(op, k);
                if (v != M_NO_VALUE)
                    again |= !--readers[v] && m->val[v].def != M_NO_VALUE && m->val[v].def > i;
            }
        }
    }
}
