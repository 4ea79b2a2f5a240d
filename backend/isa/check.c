/* The rule checker: effects of instructions, control flow, the list of violations. The rules are in
 * rules.def.
 *
 * Requires: any words. Keeps: the words.
 *
 * It reads only the bits and shares nothing with the scheduler, so that it can find the scheduler's mistakes.
 * It follows all paths, through branches with their three delay slots, both successors and joins. Code that
 * no path reaches is not checked, except by the kernel's rules, which go through the words in order. */
#include "backend/isa/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct qpu_rule_info rules[RULE_COUNT] = {
#define QPU_RULE(id, name, section, quote) {name, section, quote, RULE_##id >= RULE_LINUX_SIGNAL},
#include "backend/isa/rules.def"
#undef QPU_RULE
};

const struct qpu_rule_info *qpu_rules(size_t *count) {
    *count = RULE_COUNT;
    return rules;
}

void *check_allocate(const struct checker *c, size_t size) {
    const struct qpucc_allocator *from = c->options->allocator;
    return from ? from->allocate(from->user, size) : malloc(size);
}

void *check_zeroed(const struct checker *c, size_t size) {
    void *memory = check_allocate(c, size);
    return memory ? memset(memory, 0, size) : NULL;
}

void check_release(const struct checker *c, void *memory) {
    const struct qpucc_allocator *from = c->options->allocator;
    if (!from) {
        free(memory);
    } else if (memory) {
        from->release(from->user, memory);
    }
}

static void add_violation(struct checker *c, size_t index, enum qpu_rule rule, bool warning,
                          const char *format, va_list args) {
    if (index < c->count) {
        uint64_t bit = UINT64_C(1) << (rule % 64);
        uint64_t *seen = &c->effects[index].seen[rule / 64];
        if (*seen & bit) {
            return;
        }
        *seen |= bit;
    }
    struct violation_list *list = &c->found;
    if (list->count == list->capacity) {
        size_t wanted = list->capacity ? 2 * list->capacity : 16;
        void *grown = check_allocate(c, wanted * sizeof *list->items);
        if (!grown) {
            c->out_of_memory = true;
            return;
        }
        if (list->count) {
            memcpy(grown, list->items, list->count * sizeof *list->items);
        }
        check_release(c, list->items);
        list->items = grown;
        list->capacity = wanted;
    }
    struct qpu_violation *v = &list->items[list->count++];
    *v = (struct qpu_violation){.index = (unsigned)index, .warning = warning, .rule = rules[rule].name};
    int n = vsnprintf(v->text, sizeof v->text, format, args);
    if (n >= 0 && (size_t)n < sizeof v->text) {
        snprintf(v->text + n, sizeof v->text - (size_t)n, " (%s)", rules[rule].section);
    }
}

void check_report(struct checker *c, size_t index, enum qpu_rule rule, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_violation(c, index, rule, false, format, args);
    va_end(args);
}

void check_warn(struct checker *c, size_t index, enum qpu_rule rule, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_violation(c, index, rule, true, format, args);
    va_end(args);
}

/* --- effects -------------------------------------------------------------------------------------------- */

static void operand_effects(struct effect *e, const uint8_t mux[2]) {
    for (int n = 0; n < 2; n++) {
        if (mux[n] < QPU_MUX_A) {
            e->acc_read |= (uint8_t)(1u << mux[n]);
        } else if (mux[n] == QPU_MUX_A) {
            e->read[0] = (int8_t)e->inst.raddr_a;
        } else if (e->inst.sig != QPU_SIG_SMALL_IMM) {
            e->read[1] = (int8_t)e->inst.raddr_b;
        }
    }
}

static void read_effects(struct effect *e) {
    const struct qpu_inst *i = &e->inst;
    if (i->type == QPU_BRANCH && i->br_reg) {
        e->read[0] = (int8_t)i->raddr_a;
    }
    if (i->type != QPU_ALU) {
        return;
    }
    e->fifo[0] = (int8_t)i->raddr_a;
    e->fifo[1] = i->sig == QPU_SIG_SMALL_IMM ? -1 : (int8_t)i->raddr_b;
    e->uniform = e->fifo[0] == QPU_R_UNIF || e->fifo[1] == QPU_R_UNIF;
    if (i->op_add != QPU_A_NOP) {
        operand_effects(e, (const uint8_t[2]){i->add_a, i->add_b});
    }
    if (i->op_mul != QPU_M_NOP) {
        operand_effects(e, (const uint8_t[2]){i->mul_a, i->mul_b});
    }
    e->rotates = i->sig == QPU_SIG_SMALL_IMM && i->raddr_b >= 48 && i->op_mul != QPU_M_NOP;
    e->rotates_r5 = e->rotates && i->raddr_b == 48;
}

static void write_effects(struct effect *e) {
    const struct qpu_inst *i = &e->inst;
    const uint8_t addr[2] = {i->waddr_add, i->waddr_mul};
    const uint8_t cond[2] = {i->cond_add, i->cond_mul};
    for (int n = 0; n < 2; n++) {
        bool written = i->type == QPU_BRANCH || cond[n] != QPU_COND_NEVER;
        bool idle = i->type == QPU_ALU && (n == 0 ? i->op_add == QPU_A_NOP : i->op_mul == QPU_M_NOP);
        e->uses_flags |= i->type != QPU_BRANCH && !idle && cond[n] >= QPU_COND_ZS;
        if (!written || addr[n] == QPU_W_NOP) {
            continue;
        }
        e->write[n] = (int8_t)addr[n];
        e->write_b[n] = n ^ i->ws;
        if (addr[n] >= QPU_W_ACC0 && addr[n] <= QPU_W_ACC3) {
            e->acc_write |= (uint8_t)(1u << (addr[n] - QPU_W_ACC0));
        }
    }
    e->uses_flags |= i->type == QPU_BRANCH && i->cond_br != QPU_BR_ALWAYS;
}

/* What the other units are asked to do. */
static void unit_effects(struct effect *e) {
    for (int n = 0; n < 2; n++) {
        int addr = e->write[n];
        if (addr == QPU_W_ACC5) {
            e->acc_write |= 1u << 5;
        }
        e->sfu |= is_sfu_write(addr);
        e->tlb_write |= is_tlb_write(addr);
        e->vpm_write |= addr == QPU_W_VPM;
        e->vpm_other |= addr == QPU_W_VPM_SETUP || addr == QPU_W_VPM_ADDR;
    }
    for (int f = 0; f < 2; f++) {
        switch (e->fifo[f]) {
        case QPU_R_VARY: e->vary = true; break;
        case QPU_R_VPM: e->vpm_read = true; break;
        case QPU_R_VPM_BUSY:
        case QPU_R_VPM_WAIT: e->vpm_other = true; break;
        default: break;
        }
    }
    e->acc_write |= e->vary ? 1u << 5 : 0;
}

static void signal_effects(struct effect *e) {
    switch ((enum qpu_sig)e->inst.sig) {
    case QPU_SIG_LOADCV:
    case QPU_SIG_LOADC:
    case QPU_SIG_LDCEND:
    case QPU_SIG_LOADAM: e->tlb_read = true; break;
    case QPU_SIG_LDTMU0: e->tmu_read = 0; break;
    case QPU_SIG_LDTMU1: e->tmu_read = 1; break;
    default: break;
    }
    e->thread_end = e->inst.sig == QPU_SIG_THREND || e->inst.sig == QPU_SIG_LDCEND;
    e->thread_switch = e->inst.sig == QPU_SIG_THRSW || e->inst.sig == QPU_SIG_LTHRSW;
    if (e->tlb_read || e->tmu_read >= 0) {
        e->acc_write |= 1u << 4;
    }
}

/* It reads and writes registers, r0 to r3 and uniforms, and signals nothing. */
static bool is_plain(const struct qpu_inst *i) {
    const uint64_t registers = UINT32_MAX, one = 1;
    const uint64_t written = registers | one << QPU_W_ACC0 | one << QPU_W_ACC1 | one << QPU_W_ACC2 |
                             one << QPU_W_ACC3 | one << QPU_W_NOP;
    const uint64_t read = registers | one << QPU_R_UNIF | one << QPU_R_NOP;
    bool small = i->sig == QPU_SIG_SMALL_IMM;
    return i->type == QPU_ALU && (small || (i->sig == QPU_SIG_NONE && read >> i->raddr_b & 1)) &&
           written >> i->waddr_add & written >> i->waddr_mul & read >> i->raddr_a & 1;
}

bool check_effects(struct checker *c, const uint64_t *code) {
    c->effects = check_allocate(c, c->count * sizeof *c->effects);
    for (size_t i = 0; c->effects && i < c->count; i++) {
        struct effect *e = &c->effects[i];
        *e = (struct effect){.read = {-1, -1}, .fifo = {-1, -1}, .write = {-1, -1}, .tmu_read = -1};
        e->valid = qpu_decode(code[i], &e->inst);
        e->plain = is_plain(&e->inst);
        read_effects(e);
        write_effects(e);
        if (!e->plain) {
            unit_effects(e);
            signal_effects(e);
        }
        c->straight &= e->inst.type != QPU_BRANCH;
    }
    return c->effects != NULL;
}

/* --- control flow --------------------------------------------------------------------------------------- */

int64_t check_branch_target(const struct checker *c, size_t index) {
    const struct qpu_inst *i = &c->effects[index].inst;
    int64_t offset = (int32_t)i->imm;
    int64_t target = (int64_t)index + 1 + QPU_BRANCH_SLOTS + offset / 8;
    bool known = i->br_rel && !i->br_reg && offset % 8 == 0;
    return known && target >= 0 && target < (int64_t)c->count ? target : -1;
}

static struct successors successors_of(const struct checker *c, size_t node) {
    size_t index = node_index(node);
    enum slot slot = node % SLOT_KINDS, next = SLOT_NONE;
    const struct effect *e = &c->effects[index];
    struct successors s = {.exits = slot == SLOT_END_2};
    if (s.exits) {
        return s;
    }
    if (slot == SLOT_END_1) {
        next = SLOT_END_2;
    } else if (e->thread_end) {
        next = SLOT_END_1;
    } else if (slot == SLOT_BRANCH_1 || slot == SLOT_BRANCH_2) {
        next = slot + 1;
    } else if (slot == SLOT_BRANCH_3) {
        size_t branch = index - QPU_BRANCH_SLOTS;
        int64_t target = check_branch_target(c, branch);
        if (target >= 0) {
            s.node[s.count++] = (uint32_t)target * SLOT_KINDS;
        }
        if (c->effects[branch].inst.cond_br == QPU_BR_ALWAYS) {
            return s;
        }
    } else if (e->inst.type == QPU_BRANCH) {
        next = SLOT_BRANCH_1;
    }
    if (index + 1 < c->count) {
        s.node[s.count++] = (uint32_t)(index + 1) * SLOT_KINDS + next;
    }
    return s;
}

/* True the first time. */
static bool reach(struct checker *c, size_t node) {
    uint8_t *reached = &c->effects[node_index(node)].reached, bit = (uint8_t)(1u << node % SLOT_KINDS);
    bool first = !(*reached & bit);
    *reached |= bit;
    return first;
}

/* Marks the nodes that some path reaches. */
static bool find_reachable(struct checker *c) {
    uint32_t *stack = check_allocate(c, c->count * SLOT_KINDS * sizeof *stack);
    if (!stack) {
        return false;
    }
    size_t depth = 0;
    stack[depth++] = 0;
    reach(c, 0);
    while (depth > 0) {
        uint32_t node = stack[--depth];
        struct successors next = c->successor[node] = successors_of(c, node);
        for (unsigned s = 0; s < next.count; s++) {
            if (reach(c, next.node[s])) {
                stack[depth++] = next.node[s];
            }
        }
    }
    check_release(c, stack);
    return true;
}

/* --- frame ---------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
    const struct qpu_violation *x = a, *y = b;
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return strcmp(x->rule, y->rule);
}

static size_t hand_over(struct checker *c, struct qpu_violation *out, size_t max) {
    if (c->found.count > 1) {
        qsort(c->found.items, c->found.count, sizeof *c->found.items, by_place);
    }
    size_t n = c->found.count < max ? c->found.count : max;
    if (n > 0) {
        memcpy(out, c->found.items, n * sizeof *out);
    }
    return c->found.count;
}

static size_t report_memory(struct qpu_violation *out, size_t max) {
    if (max > 0) {
        *out = (struct qpu_violation){.rule = "out-of-memory", .text = "no memory for the check"};
    }
    return 1;
}

size_t qpu_check(const uint64_t *code, size_t count, const struct qpu_check_options *options,
                 struct qpu_violation *out, size_t max) {
    struct checker c = {.options = options, .count = count, .straight = true};
    if (count == 0) {
        check_report(&c, 0, RULE_PROGRAM_END, "the program is empty");
    } else if (count > SIZE_MAX / (sizeof *c.effects * SLOT_KINDS) || count > INT32_MAX / SLOT_KINDS) {
        return report_memory(out, max);
    } else {
        c.successor = check_allocate(&c, count * SLOT_KINDS * sizeof *c.successor);
        c.out_of_memory = !c.successor || !check_effects(&c, code) || !find_reachable(&c);
        if (!c.out_of_memory) {
            check_instructions(&c);
            check_neighbours(&c);
            check_paths(&c);
            if (options->profile == QPU_PROFILE_LINUX) {
                check_linux(&c);
            }
            if (options->chip) {
                check_chip(&c);
            }
        }
    }
    size_t total = c.out_of_memory ? report_memory(out, max) : hand_over(&c, out, max);
    check_release(&c, c.effects);
    check_release(&c, c.successor);
    check_release(&c, c.found.items);
    return total;
}
