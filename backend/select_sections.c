/* Registers that hold one thing at a time: the flags, r4, r5.
 *
 * Requires: selected ops with all their edges, dead ones gone. Keeps: value flow. Breaks: pins that can't
 * hold.
 *
 * What sets the flags, fetches a texel that packs are pinned to, or reads a varying takes such a register
 * until the last of its readers is done, and shuts out every other op that wants it, a thread switch too. A
 * reader that waited for one of those would wait for ever. So everything that a reader waits for from
 * outside has to come before the register is taken. The graph has no cycle with these edges in it, hence from
 * the moment that the register is taken all of its readers can follow one after the other, whatever else is
 * going on: no order that the scheduler begins can end in sections that wait for each other.
 *
 * The edges exist where the searches of selection (sel_depends) said that they may. What came later is an
 * edge from the readers of a cross-block register to the op that overwrites it; where that closes a cycle the
 * reader leaves the section: a pinned op reads a copy of the texel, a conditional one gets flags of its own.
 * */
#include "backend/select.h"

/* The op that takes the register which `i` reads, or M_NO_VALUE. */
static uint32_t taker(const struct mir *m, uint32_t i) {
    const struct m_op *op = &m->op[i];
    if (op->flags != M_NO_VALUE)
        return op->flags;
    if (op->pinned_to != M_NO_VALUE)
        return m->val[op->pinned_to].def;
    if (op->nsrc == 2 && op->src[1].kind == M_R5)
        return m->val[op->src[0].v].def;
    return M_NO_VALUE;
}

/* Comes after `from`, as part of its section. */
static bool is_inside(const struct mir *m, uint32_t i, uint32_t from) {
    return i == from || taker(m, i) == from;
}

static void unpin(struct sel *s, uint32_t i) {
    uint32_t copy = M_NO_VALUE;
    for (unsigned k = 0; k < s->m->op[i].nsrc; k++) {
        if (!s->m->op[i].src[k].unpack)
            continue;
        if (copy == M_NO_VALUE)
            copy = sel_emit_mov(s, s->m->op[i].src[k]);
        s->m->op[i].src[k] = src_val(copy);
        sel_note_read(s, src_val(copy));
    }
    s->m->op[i].pinned_to = M_NO_VALUE;
}

/* The same flags once more, for this op alone. */
static void give_own_flags(struct sel *s, uint32_t i) {
    struct mir *m = s->m;
    uint32_t setter = m->op[i].flags, twin = m_new_op(m);
    m->op[twin] = m->op[setter];
    m->op[twin].dst = m->op[twin].tied = M_NO_VALUE;
    m->op[twin].in_edge = 0, m->op[twin].awaited = true;
    m->op[twin].first_member = i + 1;
    for (uint32_t *k = &m->op[setter].first_member; *k; k = &m->op[*k - 1].next_member)
        if (*k == i + 1) {
            *k = m->op[i].next_member;
            break;
        }
    m->op[i].next_member = 0;
    m->op[i].flags = twin;
    for (uint32_t e = 0; e < m->nedge;
         e++) /* what replaces an operand of the setter waits for the twin, too */
        if (m->edge[e].from == setter && m->edge[e].to != i)
            m_add_edge(m, twin, m->edge[e].to, m->edge[e].latency, m->edge[e].soft);
}

static bool close_section(struct sel *s, uint32_t i, uint32_t from) {
    struct mir *m = s->m;
    for (uint32_t e = m->op[i].in_edge; e; e = m->edge[e - 1].next_in)
        if (!m->op[m->edge[e - 1].from].dead && !is_inside(m, m->edge[e - 1].from, from) &&
            sel_depends(s, m->edge[e - 1].from, from))
            return false;
    for (uint32_t e = m->op[i].in_edge; e; e = m->edge[e - 1].next_in)
        if (!m->op[m->edge[e - 1].from].dead && !is_inside(m, m->edge[e - 1].from, from))
            m_add_edge(m, m->edge[e - 1].from, from, 0, false);
    return true;
}

void sel_close_sections(struct sel *s) {
    struct mir *m = s->m;
    for (uint32_t i = 0, n = m->nop; i < n; i++) {
        uint32_t from = m->op[i].dead ? M_NO_VALUE : taker(m, i);
        if (from == M_NO_VALUE || close_section(s, i, from))
            continue;
        if (m->op[i].pinned_to != M_NO_VALUE)
            unpin(s, i);
        else if (m->op[i].flags != M_NO_VALUE)
            give_own_flags(s, i);
    }
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        if (op->dead || op->flags == M_NO_VALUE)
            continue;
        for (unsigned k = 0; k <= op->nsrc; k++) {
            uint32_t v = m_reads(op, k);
            if (v != M_NO_VALUE && m->val[v].def != M_NO_VALUE && m->val[v].def != op->flags)
                m_add_edge(m, m->val[v].def, op->flags, 0, false);
        }
        m_add_edge(m, op->flags, i, 1, false);
    }
}
