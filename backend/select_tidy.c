/* Two sweeps over the selected ops: VPM reads go into their readers, ops that do nothing go.
 *
 * Requires: all ops of the block. Keeps: what they compute, the order of FIFOs. Breaks: dead ops stay in the
 * table, marked. */
#include "backend/select.h"

/* A VPM read whose value has one reader goes into the reader, if that keeps the order of the FIFO:
 * nothing else it reads may come from a later word, by way of a lookup neither. */
void sel_fold_vpm_reads(struct mir *m) {
    if (m->shader->stage == QPUCC_FRAGMENT)
        return; /* has none */
    uint32_t *latest =
        ir_alloc(m->arena, (m->nval + 1) * sizeof *latest); /* value -> 1 + index of the last read it needs */
    uint32_t *reader = ir_alloc(m->arena, (m->nval + 1) * sizeof *reader),
             *readers = ir_alloc(m->arena, (m->nval + 1) * sizeof *readers);
    for (uint32_t i = 0; i < m->nop; i++)
        for (unsigned k = 0; k < m->op[i].nsrc; k++)
            if (m->op[i].src[k].kind == M_VAL) {
                readers[m->op[i].src[k].v] += reader[m->op[i].src[k].v] != i + 1;
                reader[m->op[i].src[k].v] = i + 1;
            }
    for (uint32_t i = 0; i < m->nop; i++)
        if (m->op[i].tied != M_NO_VALUE)
            readers[m->op[i].tied] += 2;
    uint32_t *gate = ir_alloc(
        m->arena, (m->nop + 1) * sizeof *gate); /* flag setter -> latest read among its users' inputs */
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
    for (uint32_t i = 0; i < m->nop; i++) {
        struct m_op *read = &m->op[i];
        /* plain moves only: what a read was folded into reads the VPM now, but is no move */
        if (read->dead || !read->reads_vpm || read->nsrc != 1 || read->add_op != QPU_A_OR ||
            read->dst == M_NO_VALUE || readers[read->dst] != 1 || read->src[0].unpack ||
            m_only_in_a(m, read->dst) || m->val[read->dst].fixed >= 0)
            continue;
        struct m_op *op = &m->op[reader[read->dst] - 1];
        uint32_t other = 0;
        bool ok = !op->reads_vpm && !op->reads_vary && op->waddr == QPU_W_NOP &&
                  op->cond == QPU_COND_ALWAYS && op->tied == M_NO_VALUE && !op->sf && !op->pack;
        for (unsigned k = 0; k < op->nsrc; k++) {
            ok &= !op->src[k].unpack;
            if (op->src[k].kind == M_VAL && op->src[k].v != read->dst && latest[op->src[k].v] > other)
                other = latest[op->src[k].v];
            ok &= op->src[k].kind == M_VAL || op->src[k].kind == M_SLOT || op->src[k].kind == M_IMM;
        }
        if (!ok || other > i)
            continue;
        for (unsigned k = 0; k < op->nsrc; k++)
            if (op->src[k].kind == M_VAL && op->src[k].v == read->dst)
                op->src[k] = read->src[0];
        op->reads_vpm = true;
        uint32_t to = reader[read->dst] - 1;
        for (uint32_t e = 0; e < m->nedge; e++) {
            if (m->edge[e].from == i)
                m->edge[e].from = to, m->op[to].awaited = true;
            if (m->edge[e].to == i)
                m->edge[e].to = to;
        }
        read->dead = true;
        read->dst = M_NO_VALUE;
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
    for (bool changed = true; changed;) {
        changed = false;
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
            op->dead = changed = true;
            for (unsigned k = 0; k < op->nsrc; k++)
                if (op->src[k].kind == M_VAL)
                    readers[op->src[k].v]--;
            if (op->tied != M_NO_VALUE)
                readers[op->tied]--;
        }
    }
}
