/* Rules about an instruction and the next ones on any path, and about the first and last ones of a program.
 *
 * Requires: the effects and successors of all instructions. Keeps: them; it only reports. */
#include "backend/isa/check.h"

/* A register of file A or B that `e` reads. */
static bool reads_register(const struct effect *e, int addr, bool file_b) {
    return e->read[file_b] == addr;
}

static void check_next(struct checker *c, const struct effect *first, size_t index) {
    const struct effect *e = &c->effects[index];
    for (int n = 0; n < 2; n++) {
        int addr = first->write[n];
        if (addr >= 0 && addr < 32 && reads_register(e, addr, first->write_b[n])) {
            check_report(c, index, RULE_REGFILE_RAW, "r%c%d was written by the instruction before",
                         first->write_b[n] ? 'b' : 'a', addr);
        }
    }
    if (e->rotates_r5 && (first->acc_write & 1u << 5)) {
        check_report(c, index, RULE_ROTATE_R5, "rotation by r5, which the instruction before wrote");
    }
    const uint8_t mux[2] = {e->inst.mul_a, e->inst.mul_b};
    for (int n = 0; n < 2; n++) {
        if (e->rotates && mux[n] <= QPU_MUX_R5 && (first->acc_write & 1u << mux[n])) {
            check_report(c, index, RULE_ROTATE_ACC, "rotation of r%u, which the instruction before wrote",
                         mux[n]);
        }
    }
}

/* `distance` is 1 for the instruction right after `first`. */
static void check_within_two(struct checker *c, const struct effect *first, size_t index, int distance) {
    const struct effect *e = &c->effects[index];
    if (first->sfu && (e->acc_read & 1u << 4)) {
        check_report(c, index, RULE_SFU_R4_READ, "r4 is read %d after an SFU write; the result needs 3",
                     distance);
    }
    if (first->sfu && (e->sfu || (e->acc_write & 1u << 4))) {
        check_report(c, index, RULE_SFU_R4_WRITE, "r4 gets another value %d after an SFU write", distance);
    }
    if (effect_writes(first, QPU_W_TLB_Z) && e->read[0] == QPU_R_MS_REV) {
        check_report(c, index, RULE_TLBZ_MASK, "the multisample mask is read %d after a Z write", distance);
    }
    if (effect_writes(first, QPU_W_UNIF_ADDR) && (e->uniform || effect_writes_tmu(e))) {
        check_report(c, index, RULE_UNIF_ADDRESS,
                     "a uniform is read %d after the address was set; it needs 3", distance);
    }
    if (effect_writes(first, QPU_W_TMU_NOSWAP) && effect_writes_tmu(e)) {
        check_report(c, index, RULE_NOSWAP_EARLY, "TMU write %d after TMU_NOSWAP; it needs 3", distance);
    }
}

/* Whether check_within_two can find anything. */
static bool concerns_two(const struct effect *first) {
    return first->sfu || effect_writes(first, QPU_W_TLB_Z) || effect_writes(first, QPU_W_UNIF_ADDR) ||
           effect_writes(first, QPU_W_TMU_NOSWAP);
}

static void check_following(struct checker *c, const struct effect *first, const struct successors *next) {
    bool two = !first->plain && concerns_two(first);
    for (unsigned s = 0; s < next->count; s++) {
        check_next(c, first, node_index(next->node[s]));
        if (!two) {
            continue;
        }
        check_within_two(c, first, node_index(next->node[s]), 1);
        const struct successors *second = &c->successor[next->node[s]];
        for (unsigned t = 0; t < second->count; t++) {
            check_within_two(c, first, node_index(second->node[t]), 2);
        }
    }
}

/* The thread end and its two slots. */
static void check_end(struct checker *c, size_t index, enum slot slot) {
    const struct effect *e = &c->effects[index];
    bool in_slot = slot == SLOT_END_1 || slot == SLOT_END_2;
    if (!in_slot && !e->thread_end) {
        return;
    }
    if (in_slot && (e->thread_end || e->thread_switch || e->inst.type == QPU_BRANCH)) {
        check_report(c, index, RULE_END_SLOTS, "control flow in a delay slot of the thread end");
    }
    if (e->uniform || effect_writes_tmu(e) || e->vary || e->vpm_read || e->vpm_write || e->vpm_other) {
        check_report(c, index, RULE_END_IO, "%s in the last three instructions",
                     e->uniform             ? "uniform read"
                     : e->vary              ? "varying read"
                     : effect_writes_tmu(e) ? "TMU write, which reads a uniform,"
                                            : "VPM access");
    }
    for (int n = 0; n < 2; n++) {
        if (!in_slot && e->write[n] >= 0 && e->write[n] < 32) {
            check_report(c, index, RULE_END_REGFILE, "the thread end writes r%c%d", e->write_b[n] ? 'b' : 'a',
                         e->write[n]);
        }
        if (e->write[n] == 14 || e->read[n] == 14) {
            check_report(c, index, RULE_END_R14,
                         "address 14 is used while the next thread's W and Z arrive there");
        }
    }
    if (slot == SLOT_END_2 && effect_writes(e, QPU_W_TLB_Z)) {
        check_report(c, index, RULE_END_TLBZ, "Z write in the last instruction");
    }
}

/* Instructions 0 and 1. Other compilers' code that real drivers ship breaks both rules, so in theirs it is a
 * warning: Broadcom waits for the scoreboard in instruction 1, Mesa writes coordinates in instruction 0. */
static void check_start(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    bool fragment = c->options->stage == QPUCC_FRAGMENT;
    if (fragment && (e->inst.sig == QPU_SIG_SBWAIT || e->tlb_read || e->tlb_write)) {
        if (c->options->foreign && index == 1) {
            check_warn(c, index, RULE_SBWAIT_EARLY, "scoreboard wait in instruction 1");
        } else {
            check_report(c, index, RULE_SBWAIT_EARLY, "scoreboard wait in instruction %zu", index);
        }
    }
    if (effect_writes_tmu(e) && c->options->foreign) {
        check_warn(c, index, RULE_TMU_EARLY, "TMU write in instruction %zu", index);
    } else if (effect_writes_tmu(e)) {
        check_report(c, index, RULE_TMU_EARLY, "TMU write in instruction %zu", index);
    }
}

static void check_node(struct checker *c, size_t index, enum slot slot) {
    const struct effect *e = &c->effects[index];
    const struct successors *next = &c->successor[index * SLOT_KINDS + slot];
    check_following(c, e, next);
    check_end(c, index, slot);
    if (index < 2) {
        check_start(c, index);
    }
    if (slot >= SLOT_BRANCH_1 && slot <= SLOT_BRANCH_3 && (e->inst.type == QPU_BRANCH || e->thread_end)) {
        check_report(c, index, RULE_BRANCH_SLOTS, "%s in a delay slot of a branch",
                     e->thread_end ? "thread end" : "branch");
    }
    bool falls_off =
        index + 1 == c->count && slot != SLOT_END_2 &&
        !(slot == SLOT_BRANCH_3 && c->effects[index - QPU_BRANCH_SLOTS].inst.cond_br == QPU_BR_ALWAYS);
    if (next->count < 2 && falls_off) {
        check_report(c, index, RULE_PROGRAM_END, "the program runs past its last instruction");
    }
}

void check_neighbours(struct checker *c) {
    for (size_t index = 0; index < c->count; index++) {
        for (unsigned slots = c->effects[index].reached; slots; slots &= slots - 1) {
            check_node(c, index, (enum slot)__builtin_ctz(slots));
        }
    }
}
