/* What the Linux vc4 driver's shader validator refuses (profile linux); no Pi runs a program that breaks
 * these rules. The same pass over the words notes what the driver relocates at each draw (struct qpu_scan).
 *
 * Requires: the effects of all instructions. Keeps: them; it only reports.
 *
 * The kernel does not follow paths. It goes through the words in order up to the second slot after the first
 * thread end, and forgets what it knows about registers at every branch target and after every branch's delay
 * slots. */
#include "backend/isa/check.h"

#include <stdlib.h>
#include <string.h>

/* What the kernel knows of a register's value: 0 to 31 file A, 32 to 63 file B, 64 to 67 r0 to r3. */
struct known {
    bool immediate; /* a load immediate of this block, unconditional, unpacked */
    uint32_t value;
    bool positive; /* max(x, 0) */
    bool clamped;  /* min(max(x, 0), uniform) */
    uint32_t word; /* byte offset of that uniform */
};

enum { REGISTERS = 68, FIRST_ACC = 64 };

struct kernel {
    struct checker *c;
    size_t end; /* instructions that belong to the program */
    struct known regs[REGISTERS];
    unsigned written[2]; /* coordinates of the lookup that each unit is being given */
    uint32_t stream;     /* bytes of the uniform stream so far */
    bool needs_reset;
    int64_t last_switch, last_branch;
    bool threaded;
    bool loop_open;             /* a branch backwards, and no reset since */
    int64_t upper_half;         /* first instruction with a register 16 to 31, or -1 */
    struct qpu_scan *scan;      /* NULL: check only */
    struct qpu_lookup asked[2]; /* by unit: the lookup that is being set up */
};

/* Every word adds at most one item to a list; lists are allocated for a whole program. */
static void note_lookup(struct kernel *k, int tmu) {
    if (k->scan) {
        k->scan->lookups[k->scan->lookup_count++] = k->asked[tmu];
    }
    k->asked[tmu] = (struct qpu_lookup){.word = {QPU_NO_WORD, QPU_NO_WORD, QPU_NO_WORD, QPU_NO_WORD}};
}

static void note_reset(struct kernel *k) {
    k->needs_reset = k->loop_open = false;
    if (k->scan) {
        k->scan->resets[k->scan->reset_count++] = k->stream;
    }
}

/* The register that a write means, or -1. */
static int written_register(int addr, bool file_b) {
    if (addr >= 0 && addr < 32) {
        return addr + 32 * file_b;
    }
    return addr >= QPU_W_ACC0 && addr <= QPU_W_ACC3 ? FIRST_ACC + addr - QPU_W_ACC0 : -1;
}

/* The register that the add ALU's first operand means, or -1. */
static int first_operand(const struct qpu_inst *i) {
    if (i->type != QPU_ALU) {
        return -1;
    }
    if (i->add_a == QPU_MUX_A) {
        return i->raddr_a < 32 ? i->raddr_a : -1;
    }
    /* File B too: Mesa's ideas-logo resets with add(rb7, unif). */
    if (i->add_a == QPU_MUX_B) {
        return i->raddr_b < 32 && i->sig != QPU_SIG_SMALL_IMM ? 32 + i->raddr_b : -1;
    }
    return i->add_a <= QPU_MUX_R3 ? FIRST_ACC + i->add_a : -1;
}

static bool second_is_uniform(const struct qpu_inst *i) {
    return i->type == QPU_ALU &&
           ((i->add_b == QPU_MUX_A && i->raddr_a == QPU_R_UNIF) ||
            (i->add_b == QPU_MUX_B && i->raddr_b == QPU_R_UNIF && i->sig != QPU_SIG_SMALL_IMM));
}

static void forget(struct kernel *k, int from) {
    for (int r = from; r < REGISTERS; r++) {
        k->regs[r] = (struct known){0};
    }
}

/* --- first the end and the branches --------------------------------------------------------------------- */

static void find_end(struct kernel *k) {
    struct checker *c = k->c;
    for (size_t index = 0; index < c->count; index++) {
        if (c->effects[index].inst.sig == QPU_SIG_THREND) {
            k->end = index + 1 + QPU_THREAD_SLOTS;
            if (k->end > c->count) {
                check_report(c, index, RULE_LINUX_END, "the thread end's slots are not in the buffer");
                k->end = c->count;
            }
            return;
        }
    }
    k->end = c->count;
    check_report(c, c->count - 1, RULE_LINUX_END, "no thread end");
}

static void check_branch(struct kernel *k, size_t index) {
    struct checker *c = k->c;
    const struct qpu_inst *i = &c->effects[index].inst;
    if ((int64_t)index - k->last_branch < 1 + QPU_BRANCH_SLOTS) {
        check_report(c, index, RULE_LINUX_BRANCH_PLACE, "branch in instruction %zu, %s", index,
                     k->last_branch < 0 ? "the start of the program" : "too near to the branch before");
    }
    k->last_branch = (int64_t)index;
    if (i->br_reg || !i->br_rel || i->waddr_add != QPU_W_NOP || i->waddr_mul != QPU_W_NOP) {
        check_report(c, index, RULE_LINUX_BRANCH_FORM,
                     "branch to a register or absolute address, or with a link");
        return;
    }
    int64_t target = check_branch_target(c, index);
    size_t after = index + 1 + QPU_BRANCH_SLOTS;
    /* A target in the thread end's slots leaves the program, too: nothing ends it there. */
    if (target < 0 || (size_t)target + QPU_THREAD_SLOTS >= k->end || after + QPU_THREAD_SLOTS >= k->end) {
        check_report(c, index, RULE_LINUX_BRANCH_TARGET, "the branch leaves the program of %zu instructions",
                     k->end);
        return;
    }
    c->effects[target].starts_block = c->effects[after].starts_block = true;
}

/* --- then the words in order ---------------------------------------------------------------------------- */

static void start_block(struct kernel *k, size_t index) {
    if (k->written[0] || k->written[1]) {
        check_report(k->c, index, RULE_LINUX_BRANCH_TMU,
                     "a branch lands between the coordinates of a lookup");
    }
    forget(k, 0);
    k->needs_reset = true;
}

static void check_signal(struct kernel *k, size_t index) {
    struct checker *c = k->c;
    switch ((enum qpu_sig)c->effects[index].inst.sig) {
    case QPU_SIG_BREAK:
    case QPU_SIG_LOADCV:
    case QPU_SIG_LDCEND:
    case QPU_SIG_LOADAM:
        check_report(c, index, RULE_LINUX_SIGNAL, "signal %u is refused", c->effects[index].inst.sig);
        break;
    case QPU_SIG_THRSW:
    case QPU_SIG_LTHRSW:
        k->threaded = true;
        if ((int64_t)index < k->last_switch + 1 + QPU_THREAD_SLOTS) {
            check_report(c, index, RULE_LINUX_SWITCH, "thread switch within three instructions of another");
        }
        k->last_switch = (int64_t)index;
        if (c->options->stage != QPUCC_FRAGMENT || !c->options->threaded) {
            check_report(c, index, RULE_LINUX_SWITCH, "thread switch in a program not marked as threaded");
        }
        break;
    case QPU_SIG_BRANCH:
        if ((int64_t)index < k->last_switch + 1 + QPU_THREAD_SLOTS) {
            check_report(c, index, RULE_LINUX_BRANCH_SWITCH, "branch in the slots of a thread switch");
        }
        break;
    default: break;
    }
}

static void check_reset(struct kernel *k, size_t index, int half) {
    struct checker *c = k->c;
    const struct qpu_inst *i = &c->effects[index].inst;
    bool signal = i->sig == QPU_SIG_NONE || i->sig == QPU_SIG_SBDONE || i->sig == QPU_SIG_LOADC ||
                  i->sig == QPU_SIG_LDTMU0 || i->sig == QPU_SIG_LDTMU1;
    const char *wrong = NULL;
    int reg = first_operand(i);
    if (half != 0 || i->type != QPU_ALU || i->op_add != QPU_A_ADD || i->cond_add != QPU_COND_ALWAYS) {
        wrong = "not an unconditional add";
    } else if (!signal) {
        wrong = "with a signal or small immediate";
    } else if (i->pack != QPU_PACK_NONE && !i->pm) {
        wrong = "with a pack";
    } else if (reg < 0 || !k->regs[reg].immediate) {
        wrong = "without a load immediate of its block as first operand";
    } else if (!second_is_uniform(i)) {
        wrong = "without a uniform as second operand";
    }
    if (wrong) {
        check_report(c, index, RULE_LINUX_RESET_FORM, "uniform address reset %s", wrong);
    } else if (k->regs[reg].value != k->stream + 4) {
        check_report(c, index, RULE_LINUX_RESET_FORM,
                     "uniform address reset to offset %u; the next word is at %u", k->regs[reg].value,
                     k->stream + 4);
    }
    note_reset(k); /* once refused is enough */
}

static bool names_uniform(const struct effect *e) {
    return e->fifo[0] == QPU_R_UNIF || e->fifo[1] == QPU_R_UNIF;
}

static void check_lookup(struct kernel *k, size_t index, int half, int addr) {
    struct checker *c = k->c;
    const struct effect *e = &c->effects[index];
    const struct qpu_inst *i = &e->inst;
    int tmu = addr >= QPU_W_TMU1_S;
    bool submits = addr == QPU_W_TMU0_S || addr == QPU_W_TMU1_S;
    bool direct = submits && k->written[tmu] == 0;
    if (direct) {
        int reg = first_operand(i);
        if (i->type != QPU_ALU || half != 0 || i->op_add != QPU_A_ADD || i->sig == QPU_SIG_SMALL_IMM ||
            reg < 0 || !k->regs[reg].clamped || !second_is_uniform(i)) {
            check_report(c, index, RULE_LINUX_DIRECT, "S of TMU%d alone, and not add(clamped, uniform)", tmu);
        } else {
            k->asked[tmu].word[1] = k->regs[reg].word;
        }
    } else if (names_uniform(e)) {
        check_report(c, index, RULE_LINUX_TMU_UNIFORM, "a uniform is read beside a coordinate of TMU%d", tmu);
    }
    k->asked[tmu].direct = direct;
    if (k->written[tmu] >= 4) {
        check_report(c, index, RULE_LINUX_TMU_PARAMS, "more than four coordinates for TMU%d", tmu);
    } else {
        k->asked[tmu].word[k->written[tmu]++] = k->stream;
    }
    if (!direct) {
        if (k->needs_reset) {
            check_report(c, index, RULE_LINUX_UNIFORM,
                         "TMU write without a uniform address reset in this block");
        }
        k->stream += 4;
    }
    if (submits) {
        k->written[tmu] = 0;
        note_lookup(k, tmu);
    }
}

static void check_write(struct kernel *k, size_t index, int half) {
    struct checker *c = k->c;
    const struct qpu_inst *i = &c->effects[index].inst;
    /* The kernel goes by the address, whatever the condition. */
    int addr = half == 0 ? i->waddr_add : i->waddr_mul;
    switch (addr) {
    case QPU_W_TMU_NOSWAP:
    case QPU_W_HOST_INT:
    case QPU_W_TLB_ALPHA_MASK:
    case QPU_W_MUTEX:
    case QPU_W_VPM_ADDR:
        check_report(c, index, RULE_LINUX_ADDRESS, "write address %d is refused", addr);
        break;
    case QPU_W_UNIF_ADDR:
        if (half ^ i->ws) {
            check_report(c, index, RULE_LINUX_RESET_FORM,
                         "uniform address reset through file B, which is relative");
            note_reset(k);
        } else {
            check_reset(k, index, half);
        }
        break;
    default:
        if (is_tmu_write(addr)) {
            check_lookup(k, index, half, addr);
        }
        break;
    }
}

/* Follows load immediates, and max(x, 0) and min(that, uniform) through the add ALU. */
static void note_writes(struct kernel *k, size_t index) {
    const struct qpu_inst *i = &k->c->effects[index].inst;
    const int addr[2] = {i->waddr_add, i->waddr_mul};
    const uint8_t cond[2] = {i->cond_add, i->cond_mul};
    int reg[2], operand = first_operand(i);
    bool was_positive = operand >= 0 && k->regs[operand].positive;
    for (int n = 0; n < 2; n++) {
        reg[n] = written_register(addr[n], n ^ i->ws);
        if (reg[n] >= 0) {
            bool immediate = i->type == QPU_LDI && i->pack == QPU_PACK_NONE && cond[n] == QPU_COND_ALWAYS;
            k->regs[reg[n]] = (struct known){.immediate = immediate, .value = i->imm};
        }
        if (addr[n] >= 16 && addr[n] < 32 && k->upper_half < 0) {
            k->upper_half = (int64_t)index;
        }
    }
    if (reg[0] < 0 || i->type != QPU_ALU || i->cond_add != QPU_COND_ALWAYS) {
        return;
    }
    if (i->op_add == QPU_A_MAX && i->sig == QPU_SIG_SMALL_IMM && i->raddr_b == 0 &&
        (i->add_a == QPU_MUX_B || i->add_b == QPU_MUX_B)) {
        k->regs[reg[0]].positive = true;
    } else if (i->op_add == QPU_A_MIN && was_positive && second_is_uniform(i)) {
        k->regs[reg[0]].clamped = true;
        k->regs[reg[0]].word = k->stream;
    }
}

static void check_uniform_read(struct kernel *k, size_t index) {
    struct checker *c = k->c;
    const struct effect *e = &c->effects[index];
    if (names_uniform(e)) {
        k->stream += 4;
        if (k->needs_reset) {
            check_report(c, index, RULE_LINUX_UNIFORM,
                         "uniform read without a uniform address reset in this block");
        }
    }
    for (int f = 0; f < 2; f++) {
        if (e->fifo[f] >= 16 && e->fifo[f] < 32 && k->upper_half < 0) {
            k->upper_half = (int64_t)index;
        }
        if (e->fifo[f] == QPU_R_MUTEX) {
            check_report(c, index, RULE_LINUX_ADDRESS, "read address %d is refused", e->fifo[f]);
        }
    }
}

static void check_words(struct kernel *k) {
    struct checker *c = k->c;
    for (size_t index = 0; index < k->end; index++) {
        const struct effect *e = &c->effects[index];
        if ((int64_t)index == k->last_switch + 1 + QPU_THREAD_SLOTS) {
            forget(k, FIRST_ACC);
        }
        if (e->starts_block) {
            start_block(k, index);
        }
        if (!e->plain) {
            check_signal(k, index);
        }
        if (e->inst.type == QPU_BRANCH) {
            k->loop_open |= (int32_t)e->inst.imm < 0;
            continue;
        }
        if (!e->plain) {
            if (is_tmu_write(e->inst.waddr_add) && is_tmu_write(e->inst.waddr_mul)) {
                check_report(c, index, RULE_LINUX_TMU_BOTH, "both ALUs write TMU registers");
            }
            check_write(k, index, 0);
            check_write(k, index, 1);
        }
        note_writes(k, index);
        check_uniform_read(k, index);
    }
    if (k->threaded && k->upper_half >= 0) {
        check_report(c, (size_t)k->upper_half, RULE_LINUX_THREAD_REGISTERS,
                     "register 16 to 31 in a program with thread switches");
    }
}

static void check_kernel(struct checker *c, struct qpu_scan *scan) {
    const struct qpu_lookup nothing = {.word = {QPU_NO_WORD, QPU_NO_WORD, QPU_NO_WORD, QPU_NO_WORD}};
    struct kernel k = {.c = c,
                       .last_switch = -1 - QPU_THREAD_SLOTS,
                       .last_branch = -2,
                       .upper_half = -1,
                       .scan = scan,
                       .asked = {nothing, nothing}};
    find_end(&k);
    for (size_t index = 0; index < k.end && !c->straight; index++) {
        if (c->effects[index].inst.type == QPU_BRANCH) {
            check_branch(&k, index);
        }
    }
    check_words(&k);
    /* The next iteration of a loop without a reset finds the stream's address after its last word. */
    if (k.loop_open) {
        note_reset(&k);
        k.stream += 4;
    }
    if (scan) {
        scan->stream_size = k.stream;
        scan->threaded = k.threaded;
    }
}

void check_linux(struct checker *c) {
    check_kernel(c, NULL);
}

bool qpu_scan(const uint64_t *code, size_t count, struct qpu_scan *out, struct qpu_violation *first) {
    /* The driver does not know yet for which stage the code is: a record tells. */
    const struct qpu_check_options options = {
        .stage = QPUCC_FRAGMENT, .profile = QPU_PROFILE_LINUX, .threaded = true};
    struct checker c = {.options = &options, .count = count};
    *out = (struct qpu_scan){0};
    if (count == 0 || count > INT32_MAX / SLOT_KINDS) {
        *first = (struct qpu_violation){.rule = "linux-end", .text = "no program has this many instructions"};
        return false;
    }
    /* Two ALUs can write TMU registers or the uniform address in one word, though that is refused. */
    out->lookups = calloc(2 * count + 1, sizeof *out->lookups);
    out->resets = calloc(2 * count + 1, sizeof *out->resets);
    c.out_of_memory = !out->lookups || !out->resets || !check_effects(&c, code);
    if (!c.out_of_memory) {
        check_kernel(&c, out);
    }
    bool fine = !c.out_of_memory && c.found.count == 0;
    if (c.out_of_memory) {
        *first = (struct qpu_violation){.rule = "out-of-memory", .text = "no memory for the scan"};
    } else if (!fine) {
        *first = c.found.items[0];
    }
    check_release(&c, c.effects);
    check_release(&c, c.found.items);
    if (!fine) {
        qpu_scan_free(out);
    }
    return fine;
}

void qpu_scan_free(struct qpu_scan *scan) {
    free(scan->lookups);
    free(scan->resets);
    *scan = (struct qpu_scan){0};
}
