/* The issue model's larger answers; see model.h. Section numbers are the guide's. */
#include "sched/model.h"

/* --- traits --------------------------------------------------------------------------------------------- */

/* One access an instruction (section 3). */
static bool is_coupled(unsigned waddr) {
    return (waddr >= QPU_W_TLB_Z && waddr <= QPU_W_TLB_ALPHA_MASK) || waddr == QPU_W_TLB_STENCIL ||
           (waddr >= QPU_W_MUTEX && waddr <= QPU_W_TMU1_B);
}

static uint32_t units_of(const struct m_op *op) {
    if (op->sig != QPU_SIG_NONE)
        return T_SIGNAL;
    bool add = op->add_op && !(op->pack && op->pm), mul = op->mul_op && !op->sf; /* section 3 */
    return add && mul ? T_EITHER : add ? T_ADD_ONLY : T_MUL_ONLY;
}

/* Cases of in_the_way (repair.c) that a clash of two values does not cover. */
static bool may_stick(const struct mir *m, const struct m_op *op) {
    bool alone = op->nsrc < 2 || (op->src[0].kind == M_VAL) == (op->src[1].kind == M_VAL);
    for (unsigned k = 0; k < op->nsrc && !alone; k++)
        if (op->src[k].kind == M_READ || (op->src[k].kind == M_IMM && (m->no_stream || model_imm_only(op))))
            return true;
    return op->r4 || op->rotate || op->tied != M_NO_VALUE ||
           (op->dst != M_NO_VALUE && m->val[op->dst].fixed >= 0);
}

/* What the op asks for by what it writes besides its value. */
static uint32_t traits_of_write(const struct m_op *op) {
    uint32_t traits = is_coupled(op->waddr) ? T_COUPLED : 0;
    if (op->tmu_slot != M_NO_VALUE)
        traits |= T_TMU;
    else if (op->waddr == QPU_W_TMU0_S || op->waddr == QPU_W_TMU1_S)
        traits |= T_DIRECT;
    if (op->waddr == QPU_W_VPM)
        traits |= T_VPM_WRITE;
    else if (op->waddr == QPU_W_VPM_SETUP)
        traits |= T_VPM_SETUP | (op->wside == M_SIDE_A ? T_VPM_READ : 0);
    return traits;
}

uint32_t model_traits(const struct mir *m, const struct m_op *op) {
    uint32_t traits = units_of(op) | (op->waddr != QPU_W_NOP ? traits_of_write(op) : 0);
    traits |= op->sig != QPU_SIG_NONE && op->r4 ? T_COUPLED : 0;
    traits |= (op->reads_vary ? T_VARY : 0) | (op->reads_vpm ? T_VPM_READ : 0);
    traits |= m_reads_stream(op) ? T_STREAM : 0;
    traits |= (op->pack ? T_PACK : 0) | (op->rotate ? T_ROTATES : 0) | (m_is_switch(op) ? T_SWITCH : 0);
    traits |= op->r4 || op->sf || op->reads_vary ? T_RESTLESS : 0;
    traits |= (op->flags != M_NO_VALUE ? T_CONDITION : 0) | (may_stick(m, op) ? T_MAY_STICK : 0);
    traits |= m_is_port_read(op) ? T_PORT_READ : 0;
    traits |= op->dst != M_NO_VALUE && op->tied == M_NO_VALUE ? T_MAKES : 0;
    return traits;
}

const struct model_unit model_unit[MODEL_UNITS] = {
    {T_ADD_ONLY, 1}, {T_MUL_ONLY, 1}, {T_ALUS, 2}, {T_SIGNAL, 1}, [MODEL_UNIT_STREAM] = {T_WORD, 1},
    {T_COUPLED, 1},
};

/* --- beginning and end ---------------------------------------------------------------------------------- */

static bool writes_tmu(unsigned waddr) {
    return waddr >= QPU_W_TMU0_S && waddr <= QPU_W_TMU1_B;
}

/* Tile buffer and texture units are not touched at once ("Summary of Instruction Restrictions"; HW-2615,
 * docs/hardware.md). */
static bool waits_for_entry(const struct m_op *op) {
    return writes_tmu(op->waddr) || (op->waddr >= QPU_W_TLB_STENCIL && op->waddr <= QPU_W_TLB_ALPHA_MASK) ||
           op->sig == QPU_SIG_LOADC;
}

uint32_t model_earliest(const struct mir *m, const struct m_op *op) {
    if (m->reset)
        return MODEL_RESET +
               (m_reads_stream(op) || op->tmu_slot != M_NO_VALUE ? (uint32_t)MODEL_STREAM_SET : 0);
    return m->entry && waits_for_entry(op) ? MODEL_ENTRY : 0;
}

static bool receives(unsigned sig) {
    return sig == QPU_SIG_LOADC || sig == QPU_SIG_LDTMU0 || sig == QPU_SIG_LDTMU1;
}

uint32_t model_tail(const struct mir *m, uint32_t index) {
    const struct m_op *op = &m->op[index];
    if (m->last) {
        bool loads = m->shader->stage == QPUCC_FRAGMENT; /* words for its last instructions before (tail.c) */
        bool io = (!loads && m_reads_stream(op)) || writes_tmu(op->waddr) || op->reads_vary ||
                  op->reads_vpm || op->waddr == QPU_W_VPM || op->waddr == QPU_W_VPM_SETUP ||
                  op->waddr == QPU_W_TLB_Z ||
                  (!m->options.end_receives && receives(op->sig)); /* as in model_may_end */
        return io ? MODEL_END : 0;
    }
    uint32_t first = m->branch_to < 0 ? 0 : MODEL_BRANCH, second = m->branch_to2 < 0 ? 0 : MODEL_BRANCH;
    return index == m->branch_setter ? first + second : second; /* others may go to the first one's slots */
}

uint32_t model_least(const struct mir *m) {
    if (!m->last)
        return (m->branch_to < 0 ? 0 : MODEL_BRANCH) + (m->branch_to2 < 0 ? 0 : MODEL_BRANCH);
    /* the scoreboard is waited for before the end, in the program's third instruction at the earliest
     * (finish.c) */
    bool waits = m->shader->stage == QPUCC_FRAGMENT;
    return MODEL_END + (waits ? 1 : 0) + (waits && m->entry ? MODEL_ENTRY : 0);
}

static bool touches_14(const struct qpu_inst *q) {
    return q->raddr_a == 14 || (q->raddr_b == 14 && q->sig != QPU_SIG_SMALL_IMM) || q->waddr_add == 14 ||
           q->waddr_mul == 14;
}

static bool writes(const struct qpu_inst *q, unsigned waddr) {
    return q->waddr_add == waddr || q->waddr_mul == waddr;
}

/* "Summary of Instruction Restrictions": no uniform, varying or VPM access, no register 14. */
static bool may_be_late(const struct m_inst *inst) {
    const struct qpu_inst *q = &inst->q;
    bool vpm = q->raddr_a == QPU_R_VPM || (q->raddr_b == QPU_R_VPM && q->sig != QPU_SIG_SMALL_IMM) ||
               writes(q, QPU_W_VPM) || writes(q, QPU_W_VPM_SETUP);
    bool vary = q->raddr_a == QPU_R_VARY || (q->raddr_b == QPU_R_VARY && q->sig != QPU_SIG_SMALL_IMM);
    bool tmu = writes_tmu(q->waddr_add) || writes_tmu(q->waddr_mul); /* takes a word, a direct lookup none */
    return inst->slot == M_NO_VALUE && !vpm && !vary && !tmu && !touches_14(q);
}

bool model_may_end(const struct mir *m, const struct m_inst *last) {
    const struct qpu_inst *end = &last[0].q;
    bool fragment = m->shader->stage == QPUCC_FRAGMENT;
    for (uint32_t i = 0; i < MODEL_END; i++) /* Z is kept well away from the end: HW-2806 */
        if (!may_be_late(&last[i]) || writes(&last[i].q, QPU_W_TLB_Z) ||
            (!m->options.end_receives && receives(last[i].q.sig)))
            return false;
    return end->sig == QPU_SIG_NONE && end->waddr_add >= 32 && end->waddr_mul >= 32 &&
           !(fragment && last[MODEL_END - 1].q.sig != QPU_SIG_NONE); /* the scoreboard's unlock */
}

static bool writes_tile(unsigned waddr) {
    return waddr >= QPU_W_TLB_Z && waddr <= QPU_W_TLB_ALPHA_MASK;
}

bool model_touches_tile(const struct qpu_inst *q) {
    return writes_tile(q->waddr_add) || writes_tile(q->waddr_mul) || q->sig == QPU_SIG_LOADC ||
           q->sig == QPU_SIG_LOADCV;
}

bool model_reads_written(const struct qpu_inst *a, const struct qpu_inst *b) {
    unsigned wa = a->ws ? a->waddr_mul : a->waddr_add, wb = a->ws ? a->waddr_add : a->waddr_mul;
    return (wa < 32 && b->raddr_a == wa) || (wb < 32 && b->raddr_b == wb && b->sig != QPU_SIG_SMALL_IMM);
}
