/* Where a thread goes after an instruction: branches, thread switches and thread ends, with the rules for
 * what may stand in their delay slots (guide section 3), and the SFU result that arrives at the
 * instruction's end. */
#include "runtime/machine.h"

bool sim_thread_branch(struct sim_thread *t, const struct sim_inst *in, bool *links) {
    uint64_t *reached = t->counters->branches[t->program->stage];
    if (reached)
        reached[t->index]++;
    if (t->branch && sim_fail(t, SIM_BRANCH_SLOT, -1, "branch within the delay slots of another"))
        return true;
    if ((t->end || t->change) &&
        sim_fail(t, SIM_BRANCH_END, -1, "branch within the window of a thread end or switch"))
        return true;
    unsigned set = 0, c = in->cond_br;
    if (c > QPU_BR_ANY_CC && c != QPU_BR_ALWAYS) {
        if (sim_fail(t, SIM_BRANCH_CONDITION, -1, "reserved branch condition %u", c))
            return true;
        return false;
    }
    bool taken = true;
    if (c != QPU_BR_ALWAYS) {
        if (t->flag_poison & t->live &&
            sim_fail(t, SIM_UNDEF_BRANCH, sim_first_lane(t->flag_poison & t->live),
                     "the branch depends on flags that were never set in a lane in use"))
            return true;
        i32x16 f = c < 4 ? t->zf : c < 8 ? t->nf : t->cf;
        set = sim_movemask(&f);
        if (c & 1)
            set = ~set & 0xffff;
        taken = (c & 2) != (SIM_FAULT(t->options, branch_any_all) ? 2 : 0) ? set != 0 : set == 0xffff;
    }
    if (!taken)
        return false;
    int64_t target = in->offset;
    if (in->br_rel)
        target += ((int64_t)t->pc + 4) * 8;
    if (in->br_reg) {
        const u32x16 *r = &t->reg[in->raddr[0]];
        unsigned lanes = sim_poison_lanes(t->poison[in->raddr[0]]);
        if (lanes & 0x8001 &&
            sim_fail(t, SIM_UNDEF_ADDRESS, sim_first_lane(lanes), "branch to an undefined register"))
            return true;
        if ((*r)[0] != (*r)[15] &&
            sim_fail(t, SIM_BRANCH_ELEMENT, 15, "elements 0 and 15 of the target differ"))
            return true;
        if (in->raddr[0] & 1 && sim_fail(t, SIM_BRANCH_FLAGS, -1, "branch through ra%u", in->raddr[0]))
            return true;
        target += (int32_t)(*r)[15];
    }
    if (target < 0 || target & 7 || (uint64_t)target / 8 >= t->program->count) {
        sim_fail(t, SIM_BRANCH_TARGET, -1, "the target, byte %lld, is outside the program or not aligned",
                 (long long)target);
        return true;
    }
    t->branch = SIM_FAULT(t->options, branch_slots) ? 3 : 4;
    t->branch_target = (unsigned)(target / 8);
    *links = true;
    return false;
}

bool sim_thread_start_signal(struct sim_thread *t, unsigned sig) {
    switch (sig) {
    case QPU_SIG_BREAK: return !sim_fail(t, SIM_BREAKPOINT, -1, "breakpoint signal");
    case QPU_SIG_THREND:
    case QPU_SIG_LDCEND:
        if ((t->end || t->change) &&
            sim_fail(t, SIM_END_SLOT, -1, "thread end within the window of a switch or end"))
            return false;
        if (t->branch && sim_fail(t, SIM_BRANCH_END, -1, "thread end in a branch's delay slots"))
            return false;
        if (t->program->threaded && !t->last_done &&
            sim_fail(t, SIM_SWITCH_NO_LAST, -1, "thread end without a last thread switch"))
            return false;
        t->end = 3;
        return true;
    case QPU_SIG_THRSW:
    case QPU_SIG_LTHRSW:
        if (!t->program->threaded &&
            sim_fail(t, SIM_SWITCH_UNTHREADED, -1, "thread switch in a one-thread program"))
            return false;
        if (t->last_done && sim_fail(t, SIM_SWITCH_AFTER_LAST, -1, "thread switch after the last one"))
            return false;
        if (t->branch && sim_fail(t, SIM_BRANCH_END, -1, "thread switch in a branch's delay slots"))
            return false;
        if ((t->change || t->end) &&
            sim_fail(t, SIM_SWITCH_SPACING, -1, "switch within the window of another"))
            return false;
        if (!t->program->threaded)
            return true;
        t->change = 3;
        t->change_last = sig == QPU_SIG_LTHRSW;
        return true;
    default: return true;
    }
}

/* Accumulators and flags belong to the other thread now. */
static bool switch_threads(struct sim_thread *t) {
    if (t->sfu && sim_fail(t, SIM_SWITCH_SFU, -1, "an SFU result is on its way at the thread switch"))
        return false;
    for (unsigned u = 0; u < 2; u++)
        if (t->tmu[u].written &&
            sim_fail(t, SIM_TMU_HALF, -1, "TMU%u has coordinates but no S at the switch", u))
            return false;
    for (unsigned i = 0; i < 6; i++) {
        t->reg[SIM_REG_ACC + i] = sim_patterns(&t->poison_state);
        t->poison[SIM_REG_ACC + i] = ~0ull;
    }
    t->flag_poison = 0xffff;
    t->switches++;
    t->counters->thread_switches++;
    t->last_done |= t->change_last;
    return true;
}

void sim_thread_take_sfu(struct sim_thread *t) {
    const uint64_t bit = 1ull << (SIM_R4 - 64);
    t->reg[SIM_R4] = t->sfu_value;
    t->poison[SIM_R4] = t->sfu_poison;
    t->poisoned[1] = t->sfu_poison ? t->poisoned[1] | bit : t->poisoned[1] & ~bit;
}

bool sim_thread_finish_instruction(struct sim_thread *t, enum sim_stop *stop) {
    t->pc++;
    if (t->sfu && --t->sfu == 0)
        sim_thread_take_sfu(t);
    if (t->branch && --t->branch == 0)
        t->pc = t->branch_target;
    if (t->change && --t->change == 0) {
        *stop = switch_threads(t) ? SIM_STOP_SWITCH : SIM_STOP_ERROR;
        return false;
    }
    if (t->end && --t->end == 0) {
        *stop = SIM_STOP_END;
        return false;
    }
    return true;
}
