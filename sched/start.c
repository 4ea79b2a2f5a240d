/* What every attempt over a block starts from, and the ops in the form attempts read them.
 *
 * Requires: the graph. Keeps: the ops. Walks are many and the block stays the same, so whatever does not
 * depend on the strategy is worked out once here; an attempt begins by copying it. */
#include "sched/schedule.h"

#include <string.h>

bool sched_is_coupled(unsigned waddr) {
    return (waddr >= QPU_W_TLB_Z && waddr <= QPU_W_TLB_ALPHA_MASK) || waddr == QPU_W_TLB_STENCIL ||
           (waddr >= QPU_W_MUTEX && waddr <= QPU_W_TMU1_B);
}

static uint32_t units_of(const struct m_op *op) {
    if (op->sig != QPU_SIG_NONE)
        return T_SIGNAL;
    bool add = op->add_op && !(op->pack && op->pm), mul = op->mul_op && !op->sf; /* guide section 3 */
    return add && mul ? T_EITHER : add ? T_ADD_ONLY : T_MUL_ONLY;
}

/* Cases of in_the_way (repair.c) that a clash of two values does not cover. */
static bool may_stick(const struct mir *m, const struct m_op *op) {
    bool alone = op->nsrc < 2 || (op->src[0].kind == M_VAL) == (op->src[1].kind == M_VAL);
    for (unsigned k = 0; k < op->nsrc && !alone; k++)
        if (op->src[k].kind == M_READ || (op->src[k].kind == M_IMM && (m->no_stream || op->small_imm_only)))
            return true;
    return op->r4 || op->rotate || op->tied != M_NO_VALUE ||
           (op->dst != M_NO_VALUE && m->val[op->dst].fixed >= 0);
}

static uint32_t traits_of(const struct mir *m, const struct m_op *op) {
    uint32_t traits = units_of(op);
    if (op->sig != QPU_SIG_NONE ? op->r4 : sched_is_coupled(op->waddr))
        traits |= T_COUPLED;
    if (op->tmu_slot != M_NO_VALUE)
        traits |= T_TMU;
    else if (op->waddr == QPU_W_TMU0_S || op->waddr == QPU_W_TMU1_S)
        traits |= T_DIRECT;
    traits |= (op->reads_vary ? T_VARY : 0) | (op->reads_vpm ? T_VPM_READ : 0);
    traits |= op->waddr == QPU_W_VPM ? T_VPM_WRITE : op->waddr == QPU_W_VPM_SETUP ? T_VPM_SETUP : 0;
    traits |= (op->pack ? T_PACK : 0) | (op->rotate ? T_ROTATES : 0) | (m_is_switch(op) ? T_SWITCH : 0);
    traits |= op->r4 || op->sf || op->reads_vary ? T_RESTLESS : 0;
    traits |= (op->flags != M_NO_VALUE ? T_CONDITION : 0) | (may_stick(m, op) ? T_MAY_STICK : 0);
    if (op->dst == M_NO_VALUE || op->tied != M_NO_VALUE)
        return traits;
    bool reads = false;
    for (unsigned k = 0; k < op->nsrc; k++)
        reads |= op->src[k].kind == M_VAL;
    bool fills = !reads && !op->reads_vary && !op->reads_vpm && op->sig == QPU_SIG_NONE &&
                 op->flags == M_NO_VALUE && m->val[op->dst].fixed < 0 && m->val[op->dst].nuse;
    return traits | T_MAKES | (fills ? T_FILLS : 0);
}

static void start_ops(struct sched *s) {
    const struct mir *m = s->m;
    s->nlive = s->nadd = s->nmul = 0;
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        struct sched_op *o = &s->op[i];
        *o =
            (struct sched_op){.word = M_NO_VALUE, .src = {m->nval, m->nval}, .tied = m->nval, .dst = m->nval};
        if (op->dead)
            continue;
        o->traits = traits_of(m, op);
        for (unsigned k = 0; k < op->nsrc; k++) {
            if (op->src[k].kind == M_VAL)
                o->src[k] = op->src[k].v;
            else if (op->src[k].kind == M_SLOT)
                o->word = op->src[k].v, o->traits |= T_STREAM;
        }
        o->tied = op->tied != M_NO_VALUE ? op->tied : m->nval;
        o->dst = op->dst != M_NO_VALUE ? op->dst : m->nval;
        s->nlive++;
        s->nadd += op->add_op && !op->mul_op;
        s->nmul += op->mul_op && !op->add_op;
    }
}

/* The tile buffer and the texture units do (guide "Summary of Instruction Restrictions"; docs/hardware.md,
 * Textures, HW-2615). */
bool sched_waits_for_entry(const struct m_op *op) {
    return op->tmu_slot != M_NO_VALUE ||
           (op->waddr >= QPU_W_TLB_STENCIL && op->waddr <= QPU_W_TLB_ALPHA_MASK) || op->sig == QPU_SIG_LOADC;
}

static void start_waits(struct sched *s) {
    const struct mir *m = s->m;
    for (uint32_t i = 0; i < m->nop; i++) {
        uint32_t from = m->entry && !m->op[i].dead && sched_waits_for_entry(&m->op[i]) ? 2 : 0;
        s->wait[i] = (struct sched_wait){.earliest = from, .hard = from};
    }
    for (uint32_t e = 0; e < s->nedge; e++)
        s->wait[s->edge[e].to].npred++;
    s->nready = s->t = 0;
    s->ported = false;
    for (uint32_t i = 0; i < m->nop; i++)
        if (!s->wait[i].npred && !m->op[i].dead)
            sched_make_ready(s, i);
}

static void start_values(struct sched *s) {
    const struct mir *m = s->m;
    for (uint32_t v = 0; v < m->nval; v++)
        s->value[v] = (struct sched_value){.uses_left = m->val[v].nuse, .where = PLACE_NONE};
    for (uint32_t i = 0; i < m->nop; i++)
        if (!m->op[i].dead && m->op[i].pinned_to != M_NO_VALUE)
            s->value[m->op[i].pinned_to].pins_left++;
    s->value[m->nval] = (struct sched_value){.where = PLACE_NONE};
    place_begin(s);
}

void sched_start(struct sched *s) {
    struct ir_arena *arena = s->m->arena;
    size_t nop = s->m->nop + 1, nval = s->m->nval + 1;
    struct sched_wait *wait = ir_alloc(arena, 2 * nop * sizeof *wait);
    struct sched_value *value = ir_alloc(arena, 2 * nval * sizeof *value);
    s->op = ir_alloc(arena, nop * sizeof *s->op);
    s->base_priority = ir_alloc(arena, nop * sizeof *s->base_priority);
    s->wait = wait, s->first_wait = wait + nop;
    s->value = value, s->first_value = value + nval;
    struct sched_ready *ready = ir_alloc(arena, 2 * nop * sizeof *ready);
    s->ready = ready, s->first_ready = ready + nop;
    s->life = NULL;
    start_ops(s);
    start_values(s);
    start_waits(s);
    memcpy(s->first_wait, s->wait, nop * sizeof *wait);
    memcpy(s->first_value, s->value, nval * sizeof *value);
    memcpy(s->first_ready, s->ready, s->nready * sizeof *s->ready);
    s->first_places = s->places;
    s->nfirst_ready = s->nready;
}
