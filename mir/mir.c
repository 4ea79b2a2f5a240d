/* Growing tables of the machine IR, and what can be read off it. */
#include "mir/mir.h"

#include <string.h>

static void *grow(struct mir *m, void *old, uint32_t count, uint32_t *cap, size_t size) {
    if (count < *cap)
        return old;
    uint32_t cap_new = *cap ? *cap * 2 : 64;
    void *fresh = ir_alloc_uncleared(m->arena, cap_new * size);
    if (count)
        memcpy(fresh, old, count * size);
    *cap = cap_new;
    return fresh;
}

bool m_make_room(struct mir *m, uint32_t count) {
    if (m->cap_op - m->nop >= count)
        return true;
    uint32_t cap = m->cap_op * 2 + count;
    struct m_op *op = ir_alloc_uncleared(m->arena, cap * sizeof *op);
    if (ir_arena_oom(m->arena)) /* it may be smaller */
        return false;
    if (m->nop)
        memcpy(op, m->op, m->nop * sizeof *op);
    m->op = op;
    m->cap_op = cap;
    return true;
}

uint32_t m_new_op(struct mir *m) {
    m->op = grow(m, m->op, m->nop, &m->cap_op, sizeof *m->op);
    struct m_op *op = &m->op[m->nop];
    memset(op, 0, sizeof *op);
    op->dst = op->tied = op->flags = op->tmu_slot = op->pinned_to = op->request = M_NO_VALUE;
    op->waddr = QPU_W_NOP;
    op->wside = M_SIDE_ANY;
    op->cond = QPU_COND_ALWAYS;
    op->sig = QPU_SIG_NONE;
    return m->nop++;
}

uint32_t m_new_val(struct mir *m) {
    m->val = grow(m, m->val, m->nval, &m->cap_val, sizeof *m->val);
    struct m_val *val = &m->val[m->nval];
    memset(val, 0, sizeof *val);
    val->def = M_NO_VALUE;
    val->start = val->fixed = -1;
    val->read_in = val->written_in = M_ANYWHERE;
    return m->nval++;
}

void m_restrict_reads(struct mir *m, uint32_t value, unsigned places) {
    m->val[value].read_in &= (uint8_t)places;
    m->no_place |= !m_places(m, value);
}

void m_restrict_write(struct mir *m, uint32_t value, unsigned places) {
    m->val[value].written_in &= (uint8_t)places;
    m->no_place |= !m_places(m, value);
}

void m_add_edge(struct mir *m, uint32_t from, uint32_t to, unsigned latency, bool soft) {
    m->edge = grow(m, m->edge, m->nedge, &m->cap_edge, sizeof *m->edge);
    m->edge[m->nedge++] = (struct m_edge){from, to, m->op[to].in_edge, (uint8_t)latency, soft, 0};
    m->op[to].in_edge = m->nedge;
    m->op[from].awaited = true;
}

uint64_t m_occupied(const struct mir *m) {
    return m->flow->occupied[0][m->block->id] | m->flow->occupied[1][m->block->id] << PLACE_B;
}

uint64_t m_promised(const struct mir *m) {
    uint64_t promised = 0;
    for (uint32_t v = 0; v < m->nval; v++) {
        const struct m_val *val = &m->val[v];
        /* a conditional write keeps what is there: that has a reader of its own */
        if (val->fixed >= 0 && val->def != M_NO_VALUE && !m->op[val->def].dead &&
            m->op[val->def].tied == M_NO_VALUE)
            promised |= 1ull << val->fixed;
    }
    return promised;
}

struct m_inst m_nop_inst(void) {
    return (struct m_inst){.q = qpu_nop(), .slot = M_NO_VALUE, .target = -1};
}

bool m_grow(struct m_code *code, uint32_t count) {
    uint32_t cap = code->cap ? code->cap * 2 : 256;
    while (cap - code->count < count)
        cap *= 2;
    struct m_inst *fresh = ir_heap_resize(code->from, code->inst, cap * sizeof *fresh);
    code->lost |= !fresh;
    if (!fresh)
        return false;
    code->inst = fresh;
    code->cap = cap;
    return true;
}

bool m_push(struct m_code *code, struct m_inst inst) {
    struct m_inst *at = m_extend(code, 1);
    if (at)
        *at = inst;
    return at;
}

bool m_is_plain_move(const struct m_op *op) {
    bool move = op->nsrc == 1 && (op->add_op == QPU_A_OR || op->mul_op == QPU_M_V8MIN) && !op->factor;
    return move && op->cond == QPU_COND_ALWAYS && op->tied == M_NO_VALUE && !op->sf && !op->pack &&
           op->sig == QPU_SIG_NONE && op->waddr == QPU_W_NOP && !op->rotate && op->dst != M_NO_VALUE &&
           !op->src[0].unpack;
}

static bool is_wide(struct m_src a) {
    return a.kind == M_SLOT || (a.kind == M_IMM && qpu_small_imm_code(a.v) < 0);
}

bool m_needs_word(const struct m_op *op) {
    return (op->nsrc && is_wide(op->src[0])) || (op->nsrc > 1 && is_wide(op->src[1])) ||
           (op->nsrc > 1 && op->src[0].kind == M_IMM && op->src[1].kind == M_IMM &&
            op->src[0].v != op->src[1].v);
}
