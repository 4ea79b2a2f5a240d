/* Rules about single instructions.
 *
 * Requires: the effects of all instructions. Keeps: them; it only reports. */
#include "backend/isa/check.h"
#include "backend/isa/text.h"

static bool alu_idle(const struct qpu_inst *i, int half) {
    return i->type == QPU_ALU && (half == 0 ? i->op_add == QPU_A_NOP : i->op_mul == QPU_M_NOP);
}

static void check_encoding(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    const struct qpu_inst *i = &e->inst;
    if (!e->valid) {
        check_report(c, index, RULE_ENCODING, "kind %u of load immediate is reserved", i->unpack);
    } else if (i->type == QPU_ALU && !qpu_add_info(i->op_add)->name) {
        check_report(c, index, RULE_ENCODING, "add opcode %u is reserved", i->op_add);
    } else if (i->type == QPU_BRANCH && !qpu_branch_cond_name(i->cond_br)) {
        check_report(c, index, RULE_ENCODING, "branch condition %u is reserved", i->cond_br);
    } else if (i->type != QPU_BRANCH && i->pm && i->pack != QPU_PACK_NONE &&
               (i->pack < QPU_PACK_8888 || i->pack > QPU_PACK_8D)) {
        check_report(c, index, RULE_ENCODING, "pack mode %u of the mul ALU is reserved", i->pack);
    }
}

static void check_peripherals(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    unsigned colour_writes = 0, others = 0;
    for (int n = 0; n < 2; n++) {
        if (is_colour_write(e->write[n])) {
            colour_writes++;
        } else {
            others += is_tmu_write(e->write[n]) || is_sfu_write(e->write[n]) || is_tlb_write(e->write[n]);
        }
    }
    others += e->tmu_read >= 0;
    others += e->fifo[0] == QPU_R_MUTEX || e->fifo[1] == QPU_R_MUTEX;
    others += e->inst.type == QPU_SEMAPHORE;
    /* A colour read and a colour write are one access, "TLB combined color read and write" (also guide 5,
     * Tile Buffer Access Restrictions). */
    bool colour_read = e->inst.sig == QPU_SIG_LOADC || e->inst.sig == QPU_SIG_LDCEND;
    /* The stencil setup goes to an internal register of the QPU (guide 5, Z and Stencil): Mesa's driver
     * writes it beside a colour read. */
    bool stencil = effect_writes(e, QPU_W_TLB_STENCIL);
    if (e->tlb_read && !(colour_read && (colour_writes == 1 || stencil))) {
        others++;
    }
    if (others + colour_writes > 1) {
        check_report(c, index, RULE_PERIPHERAL, "%u accesses to closely coupled units in one instruction",
                     others + colour_writes);
    }
}

static void check_destinations(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    const struct qpu_inst *i = &e->inst;
    int addr = e->write[0];
    /* Addresses 41, 42, 49 and 50 are two registers, one for each file. */
    bool differs =
        addr == QPU_W_XY || addr == QPU_W_MS_REV || addr == QPU_W_VPM_SETUP || addr == QPU_W_VPM_ADDR;
    if (addr >= 32 && addr == e->write[1] && !differs) {
        check_report(c, index, RULE_SAME_DEST, "both ALUs write address %d", addr);
    }
    for (int n = 0; n < 2; n++) {
        unsigned waddr = n == 0 ? i->waddr_add : i->waddr_mul;
        if (alu_idle(i, n) && waddr != QPU_W_NOP) {
            check_report(c, index, RULE_IDLE_WRITE, "the idle %s ALU has write address %u", n ? "mul" : "add",
                         waddr);
        }
    }
    if ((effect_writes(e, QPU_W_ACC5) && e->vary) ||
        (e->write[0] == QPU_W_ACC5 && e->write[1] == QPU_W_ACC5)) {
        check_report(c, index, RULE_R5_TWICE, "r5 is written and loaded by a varying read");
    }
}

static bool read_address_exists(int addr, bool file_b) {
    char buf[QPU_NAME_SIZE];
    return addr < 32 || qpu_read_name((unsigned)addr, file_b, buf) != buf;
}

static void check_reads(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    for (int f = 0; f < 2; f++) {
        if (e->read[f] >= 0 && !read_address_exists(e->read[f], f)) {
            check_report(c, index, RULE_READ_ADDRESS, "operand from address %d of file %c", e->read[f],
                         "AB"[f]);
        }
        int addr = e->fifo[f];
        bool takes = addr == QPU_R_UNIF || addr == QPU_R_VARY || (addr >= QPU_R_VPM && addr <= QPU_R_MUTEX);
        if (takes && e->read[f] != addr) {
            check_report(c, index, RULE_UNUSED_READ, "no operand selects address %d of file %c", addr,
                         "AB"[f]);
        }
    }
    if (e->fifo[0] == e->fifo[1] && (e->fifo[0] == QPU_R_VARY || e->fifo[0] == QPU_R_VPM)) {
        check_report(c, index, RULE_FIFO_TWICE, "both files read %s", e->vary ? "a varying" : "the VPM");
    }
}

static void check_flags(struct checker *c, size_t index) {
    const struct qpu_inst *i = &c->effects[index].inst;
    if (i->type != QPU_BRANCH && i->sf && !alu_idle(i, 0) && i->cond_add == QPU_COND_NEVER) {
        check_report(c, index, RULE_SF_NEVER, "flags from an add operation that is never done");
    }
}

static void check_packs(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    const struct qpu_inst *i = &e->inst;
    if (i->type == QPU_BRANCH || i->pack == QPU_PACK_NONE) {
        return;
    }
    if (i->pm) {
        bool byte = i->pack >= QPU_PACK_8A && i->pack <= QPU_PACK_8D;
        bool stored = e->write[1] < 32 || (e->write[1] >= QPU_W_ACC0 && e->write[1] <= QPU_W_ACC3);
        if (byte && e->write[1] >= 0 && !stored) {
            check_report(c, index, RULE_PACK_DEST, "byte pack into address %d", e->write[1]);
        }
        return;
    }
    unsigned to_a = i->ws ? i->waddr_mul : i->waddr_add;
    if (to_a >= 32) {
        check_report(c, index, RULE_PACK_DEST, "pack mode %u without a register of file A to write", i->pack);
    }
}

static void check_rotation(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    const struct qpu_inst *i = &e->inst;
    if (e->rotates && (i->mul_a > QPU_MUX_R3 || i->mul_b > QPU_MUX_R3)) {
        check_report(c, index, RULE_ROTATE_OPERANDS, "a rotated operand is not one of r0 to r3");
    }
}

static void check_vpm(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    bool read_setup = effect_writes_file(e, QPU_W_VPM_SETUP, false);
    bool write_setup = effect_writes_file(e, QPU_W_VPM_SETUP, true);
    bool dma = effect_writes(e, QPU_W_VPM_ADDR);
    bool status = false;
    for (int f = 0; f < 2; f++) {
        status |= e->fifo[f] == QPU_R_VPM_BUSY || e->fifo[f] == QPU_R_VPM_WAIT;
    }
    unsigned accesses = (unsigned)e->vpm_read + e->vpm_write + read_setup + write_setup + dma + status;
    bool shared = accesses == 2 && e->vpm_read && (e->vpm_write || write_setup);
    if (accesses > 1 && !shared) {
        check_report(c, index, RULE_VPM_ACCESS, "%u VPM accesses that do not go together", accesses);
    }
}

/* Z and colour are exempt: a predicated Z write is how lanes are discarded. */
static void check_conditions(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    const uint8_t cond[2] = {e->inst.cond_add, e->inst.cond_mul};
    for (int n = 0; n < 2 && e->inst.type != QPU_BRANCH; n++) {
        int addr = e->write[n];
        bool fifo = is_tmu_write(addr) || addr == QPU_W_UNIF_ADDR || addr == QPU_W_TMU_NOSWAP ||
                    (addr >= QPU_W_VPM && addr <= QPU_W_VPM_ADDR);
        if (fifo && cond[n] != QPU_COND_ALWAYS) {
            check_report(c, index, RULE_CONDITIONAL_IO, "conditional write to address %d", addr);
        }
    }
}

static void check_branch(struct checker *c, size_t index) {
    const struct qpu_inst *i = &c->effects[index].inst;
    if (i->type != QPU_BRANCH) {
        return;
    }
    if (i->br_reg) {
        check_warn(c, index, RULE_BRANCH_REGISTER,
                   "branch to a register's value, which is not followed here");
    } else if (!i->br_rel) {
        check_warn(c, index, RULE_BRANCH_TARGET, "branch to an absolute address, which is not followed here");
    } else if (check_branch_target(c, index) < 0) {
        check_report(c, index, RULE_BRANCH_TARGET, "the target is not an instruction of the program");
    }
}

static void check_stage(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    bool scoreboard = e->inst.sig == QPU_SIG_SBWAIT || e->inst.sig == QPU_SIG_SBDONE;
    if (c->options->stage == QPUCC_FRAGMENT) {
        if (e->vpm_read || e->vpm_write || e->vpm_other) {
            check_report(c, index, RULE_STAGE_VPM, "VPM access in a fragment shader");
        }
        return;
    }
    if (scoreboard || e->tlb_read || e->tlb_write) {
        check_report(c, index, RULE_STAGE_TLB, "tile buffer or scoreboard access outside a fragment shader");
    }
    if (e->vary) {
        check_report(c, index, RULE_STAGE_VARY, "varying read outside a fragment shader");
    }
}

static void check_threads(struct checker *c, size_t index) {
    const struct effect *e = &c->effects[index];
    if (e->thread_switch && (c->options->stage != QPUCC_FRAGMENT || !c->options->threaded)) {
        check_report(c, index, RULE_SWITCH_STAGE,
                     "thread switch in a program that is not a threaded fragment shader");
    }
    if (!c->options->threaded) {
        return;
    }
    for (int n = 0; n < 2; n++) {
        int addr = e->read[n] >= 16 && e->read[n] < 32 ? e->read[n] : e->write[n];
        if (addr >= 16 && addr < 32) {
            check_report(c, index, RULE_SWITCH_UPPER, "register %d belongs to the other thread", addr);
        }
    }
}

void check_instructions(struct checker *c) {
    for (size_t index = 0; index < c->count; index++) {
        if (!c->effects[index].reached) {
            continue;
        }
        check_encoding(c, index);
        check_destinations(c, index);
        check_reads(c, index);
        check_flags(c, index);
        check_packs(c, index);
        check_rotation(c, index);
        check_threads(c, index);
        if (!c->effects[index].plain) {
            check_peripherals(c, index);
            check_vpm(c, index);
            check_conditions(c, index);
            check_branch(c, index);
            check_stage(c, index);
        }
    }
}
