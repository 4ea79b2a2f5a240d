/* The end of a block: the branch and its delay slots; the end of a program: thread end, its two, scoreboard.
 *
 * Requires: the block's instructions in order. Keeps: what they compute. Breaks: their positions;
 * instructions move into delay slots, thread switches up over empty instructions.
 *
 * What may stand there says the issue model (model_may_end). A fragment shader waits for the scoreboard not
 * before its third instruction and not first in the thread end's shadow; the colour write may be the very
 * last instruction, with the unlock (Broadcom's own code). */
#include "sched/schedule.h"

#include <string.h>

static bool insert(struct m_code *code, uint32_t at, struct m_inst inst) {
    if (!m_push(code, inst))
        return false;
    memmove(&code->inst[at + 1], &code->inst[at], (code->count - 1 - at) * sizeof *code->inst);
    code->inst[at] = inst;
    return true;
}

static bool insert_nop(struct m_code *code, uint32_t at) {
    return insert(code, at, m_nop_inst());
}

static bool is_switch(const struct m_inst *inst) {
    return inst->q.type == QPU_ALU && (inst->q.sig == QPU_SIG_THRSW || inst->q.sig == QPU_SIG_LTHRSW);
}

static bool is_empty(const struct m_inst *inst) {
    const struct qpu_inst *q = &inst->q;
    return q->type == QPU_ALU && !q->op_add && !q->op_mul && inst->slot == M_NO_VALUE;
}

/* Can instruction `at` have a signal, if need be with its small immediate from the stream? The kernel wants
 * the maximum with zero before a direct lookup as it is. */
static bool may_signal(const struct mir *m, const struct m_code *code, uint32_t at) {
    const struct m_inst *inst = &code->inst[at];
    const struct qpu_inst *q = &inst->q;
    if (q->type != QPU_ALU ||
        q->waddr_add == QPU_W_UNIF_ADDR) /* the kernel's form of a reset has no signal */
        return false;
    bool word = q->sig == QPU_SIG_SMALL_IMM && q->raddr_b < 48 && inst->slot == M_NO_VALUE && !m->no_stream &&
                !(q->op_add == QPU_A_MAX && q->add_b == QPU_MUX_B);
    for (uint32_t i = 1; word && i < QPU_LAT_UNIF_ADDR && i <= at; i++) /* guide section 3, "Uniforms" */
        word = code->inst[at - i].q.waddr_add != QPU_W_UNIF_ADDR;
    return word || q->sig == QPU_SIG_NONE;
}

static void give_signal(struct m_inst *inst, struct ir_shader *shader, unsigned sig) {
    struct qpu_inst *q = &inst->q;
    if (q->sig == QPU_SIG_SMALL_IMM) {
        inst->slot = ir_slot_const(shader, IR_I32, qpu_small_imm_value(q->raddr_b));
        q->raddr_b = QPU_R_UNIF;
    }
    q->sig = (uint8_t)sig;
}

/* A switch takes effect two instructions later. Where these are empty, the signal moves up to work that is
 * done anyway and the empty ones go. */
static void tighten_switches(const struct mir *m, struct m_code *code) {
    for (uint32_t t = 0; t + QPU_THREAD_SLOTS < code->count; t++) {
        if (!is_switch(&code->inst[t]))
            continue;
        uint32_t end = t + QPU_THREAD_SLOTS, empty = 0;
        while (empty < QPU_THREAD_SLOTS + 1 && is_empty(&code->inst[end - empty]) &&
               (end - empty == t || code->inst[end - empty].q.sig == QPU_SIG_NONE))
            empty++;
        for (; empty; empty--) {
            if (t < empty + 1)
                continue;
            bool free = may_signal(m, code, t - empty);
            for (uint32_t i = t - empty; i > 0 && i + QPU_THREAD_SLOTS >= t - empty; i--)
                free &= i == t - empty || !is_switch(&code->inst[i]);
            for (uint32_t i = t - empty + 1; i < t;
                 i++) /* nothing may be fetched or started in the switch's shadow */
                free &= code->inst[i].q.sig == QPU_SIG_NONE || code->inst[i].q.sig == QPU_SIG_SMALL_IMM;
            uint32_t before = end - empty, after = end + 1;
            if (free &&
                (after >= code->count || !model_reads_written(&code->inst[before].q, &code->inst[after].q)))
                break;
        }
        if (!empty)
            continue;
        give_signal(&code->inst[t - empty], m->shader, code->inst[t].q.sig);
        code->inst[t].q.sig = QPU_SIG_NONE;
        memmove(&code->inst[end + 1 - empty], &code->inst[end + 1],
                (code->count - end - 1) * sizeof *code->inst);
        code->count -= empty;
    }
}

/* A thread switch has not taken effect yet where `at` would stand. */
static bool in_shadow(const struct m_code *code, uint32_t at) {
    for (uint32_t i = 1; i <= QPU_THREAD_SLOTS && i <= at; i++)
        if (is_switch(&code->inst[at - i]))
            return true;
    return false;
}

/* Would take two empty instructions behind it, but could end with its last two behind one empty one. */
static bool needs_two(const struct mir *m, const struct m_code *code) {
    const struct m_inst *last = &code->inst[code->count - MODEL_END], empty = m_nop_inst();
    const struct m_inst padded[] = {last[1], last[2], empty}, inserted[] = {empty, last[1], last[2]};
    return !model_may_end(m, last) && !model_may_end(m, padded) && model_may_end(m, inserted);
}

static bool finish_program(struct mir *m, struct m_code *code, uint32_t base) {
    bool fragment = m->shader->stage == QPUCC_FRAGMENT;
    uint32_t pad = 0;
    if (m->options.threads == 2)
        tighten_switches(m, code);
    if (fragment)
        sched_free_tail(m, code);
    if (fragment && code->count >= MODEL_END && needs_two(m, code) && !insert_nop(code, code->count - 2))
        return false;
    while (code->count < MODEL_END || !model_may_end(m, &code->inst[code->count - MODEL_END])) {
        if (pad++ > 8 || !insert_nop(code, code->count))
            return false;
    }
    uint32_t end = code->count - MODEL_END;
    if (fragment) {
        uint32_t first = 0;
        while (first < code->count && !model_touches_tile(&code->inst[first].q))
            first++;
        if (first >=
            end) { /* the wait would first be implied in the thread end's shadow: ask for it before */
            uint32_t at = end;
            uint32_t low = base >= MODEL_ENTRY
                               ? 0
                               : MODEL_ENTRY - base; /* not in the program's first two instructions */
            for (uint32_t i = 0; i < end; i++)       /* nor before the last thread switch has taken effect */
                if (code->inst[i].q.sig == QPU_SIG_LTHRSW)
                    low = i + 1 + QPU_THREAD_SLOTS;
            while (at > low && code->inst[at - 1].q.sig != QPU_SIG_NONE)
                at--;
            if (at <= low) {
                for (; end < low; end++)
                    if (!insert_nop(code, end))
                        return false;
                if (!insert_nop(code, end))
                    return false;
                at = ++end;
            }
            code->inst[at - 1].q.sig = QPU_SIG_SBWAIT;
        }
        for (; in_shadow(code, end); end++)
            if (!insert_nop(code, end))
                return false;
        code->inst[end + MODEL_END - 1].q.sig = QPU_SIG_SBDONE;
    }
    code->inst[end].q.sig = QPU_SIG_THREND;
    return true;
}

/* What may leave its place before a branch for a delay slot: an instruction that sets no flags and stands
 * after the one that does. */
static bool may_follow_branch(const struct m_inst *inst) {
    return !inst->q.sf && inst->q.type == QPU_ALU && !inst->offset;
}

static struct m_inst branch_inst(struct mir *m, unsigned cond, int32_t to) {
    struct m_inst branch = m_nop_inst();
    branch.q.type = QPU_BRANCH;
    branch.q.sig = QPU_SIG_BRANCH;
    branch.q.cond_br = (uint8_t)cond;
    branch.q.br_rel = 1;
    branch.q.raddr_a = 0;
    branch.target = to;
    branch.loc = m->block->last->loc;
    return branch;
}

/* Guide section 3, "Branch": three delay slots. The kernel wants no branch in a program's first two
 * instructions. */
static bool finish_branch(struct mir *m, struct m_code *code, uint32_t base) {
    uint32_t slots = 0;
    if (m->options.threads == 2)
        tighten_switches(m, code);
    while (slots < QPU_BRANCH_SLOTS && slots < code->count &&
           may_follow_branch(&code->inst[code->count - 1 - slots]))
        slots++;
    while (slots && base + code->count - slots < MODEL_ENTRY)
        slots--;
    while (slots && in_shadow(code, code->count - slots))
        slots--;
    while (in_shadow(code, code->count))
        if (!insert_nop(code, code->count))
            return false;
    while (base + code->count - slots < MODEL_ENTRY)
        if (!insert_nop(code, code->count))
            return false;
    if (!insert(code, code->count - slots, branch_inst(m, m->branch_cond, m->branch_to)))
        return false;
    for (; slots < QPU_BRANCH_SLOTS; slots++)
        if (!insert_nop(code, code->count))
            return false;
    if (m->branch_to2 < 0)
        return true;
    if (!m_push(code, branch_inst(m, QPU_BR_ALWAYS, m->branch_to2)))
        return false;
    for (slots = 0; slots < QPU_BRANCH_SLOTS; slots++)
        if (!insert_nop(code, code->count))
            return false;
    return true;
}

bool sched_finish(struct mir *m, struct m_code *code, uint32_t base) {
    if (m->last)
        return finish_program(m, code, base);
    return m->branch_to < 0 || finish_branch(m, code, base);
}
