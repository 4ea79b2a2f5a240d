/* Figures 3 to 7 and tables 1 to 14 of the guide's section 3, as code. */
#include "word.h"

#include <string.h>

const char *const event_name[EVENT_COUNT] = {
#define X(id, name) name,
    EVENTS(X)
#undef X
};

const char *const signal_name[16] = {"bkpt",   "none",   "thrsw", "thrend", "sbwait", "sbdone",
                                     "lthrsw", "loadcv", "loadc", "ldcend", "ldtmu",  "ldtmu",
                                     "loadam", "imm",    "ldi",   "branch"};
const char *const condition_name[8] = {"never", "always", "zs", "zc", "ns", "nc", "cs", "cc"};
/* The bytes, and the halves, are alike in everything but their place. */
const char *const unpack_name[8] = {"none", "16x", "16x", "8d-rep", "8x", "8x", "8x", "8x"};
const char *const pack_name[16] = {"none", "16x",  "16x",  "8888",  "8x",  "8x",  "8x",  "8x",
                                   "sat",  "16xs", "16xs", "8888s", "8xs", "8xs", "8xs", "8xs"};

/* Names, and how many operands are read. */
static const struct {
    const char *name;
    unsigned operands;
} add_op[32] = {{"nop", 0},     {"fadd", 2},  {"fsub", 2}, {"fmin", 2}, {"fmax", 2}, {"fminabs", 2},
                {"fmaxabs", 2}, {"ftoi", 1},  {"itof", 1}, {"?9", 2},   {"?10", 2},  {"?11", 2},
                {"add", 2},     {"sub", 2},   {"shr", 2},  {"asr", 2},  {"ror", 2},  {"shl", 2},
                {"min", 2},     {"max", 2},   {"and", 2},  {"or", 2},   {"xor", 2},  {"not", 1},
                {"clz", 1},     {"?25", 2},   {"?26", 2},  {"?27", 2},  {"?28", 2},  {"?29", 2},
                {"v8adds", 2},  {"v8subs", 2}},
  mul_op[8] = {{"nop", 0},   {"fmul", 2},  {"mul24", 2},  {"v8muld", 2},
               {"v8min", 2}, {"v8max", 2}, {"v8adds", 2}, {"v8subs", 2}};

static unsigned field(uint64_t bits, unsigned low, unsigned size) {
    return (unsigned)(bits >> low) & ((1u << size) - 1);
}

bool word_is_tmu(unsigned address) {
    return address >= ADDRESS_TMU;
}

static uint64_t event_of_write(unsigned address, char file) {
    if (address < 32 || address == ADDRESS_NONE)
        return 0;
    if (word_is_tmu(address))
        return address % 4 == 0 ? EVENT(TMU_S) : EVENT(TMU);
    if (address >= ADDRESS_SFU)
        return EVENT(SFU);
    switch (address) {
    case 32:
    case 33:
    case 34:
    case 35: return 0;
    case ADDRESS_R5: return EVENT(R5_WRITE);
    case 40: return EVENT(UNIF_ADDRESS);
    case 42: return EVENT(MASK_WRITE);
    case 43: return EVENT(STENCIL);
    case 44: return EVENT(DEPTH);
    case 45: return EVENT(COLOUR_MS);
    case 46: return EVENT(COLOUR);
    case ADDRESS_VPM: return EVENT(VPM_WRITE);
    case ADDRESS_SETUP: return file == 'a' ? EVENT(READ_SETUP) : EVENT(WRITE_SETUP);
    default: return EVENT(OTHER);
    }
}

static uint64_t event_of_read(unsigned address) {
    switch (address) {
    case ADDRESS_UNIF: return EVENT(UNIF);
    case ADDRESS_VARY: return EVENT(VARY);
    case 38:
    case 41: return EVENT(PIXEL);
    case 42: return EVENT(MASK_READ);
    case ADDRESS_VPM: return EVENT(VPM_READ);
    case 49:
    case 50:
    case 51: return EVENT(OTHER);
    default: return 0;
    }
}

static uint64_t event_of_signal(unsigned signal) {
    static const uint64_t events[16] = {
        [0] = EVENT(OTHER),       [2] = EVENT(SWITCH), [3] = EVENT(END),   [4] = EVENT(WAIT),
        [5] = EVENT(UNLOCK),      [7] = EVENT(OTHER),  [8] = EVENT(LOADC), [9] = EVENT(LOADC) | EVENT(END),
        [6] = EVENT(LAST_SWITCH), [10] = EVENT(LOAD),  [11] = EVENT(LOAD), [12] = EVENT(OTHER),
        [14] = EVENT(IMMEDIATE),  [15] = EVENT(BRANCH)};
    return events[signal];
}

bool word_reads_by(const struct half *h, unsigned mux) {
    return (h->operands > 0 && h->mux[0] == mux) || (h->operands > 1 && h->mux[1] == mux);
}

bool word_reads(const struct word *w, unsigned mux) {
    return word_reads_by(&w->half[ALU_ADD], mux) || word_reads_by(&w->half[ALU_MUL], mux);
}

bool word_takes_uniform(const struct word *w) {
    return w->type == WORD_ALU &&
           (w->read_a == ADDRESS_UNIF || (w->signal != SIGNAL_SMALL && w->read_b == ADDRESS_UNIF));
}

static void find_events(struct word *w) {
    w->events = event_of_signal(w->signal);
    for (int k = 0; k < 2; k++)
        if (w->half[k].address != ADDRESS_NONE) {
            w->events |= event_of_write(w->half[k].address, w->half[k].file);
            if (w->half[k].condition > 1 && w->half[k].busy)
                w->events |= EVENT(CONDITION);
        }
    if (w->flags)
        w->events |= EVENT(FLAGS);
    if (w->type != WORD_ALU)
        return;
    if (word_reads(w, MUX_A))
        w->events |= event_of_read(w->read_a);
    if (word_reads(w, MUX_B) && w->signal != SIGNAL_SMALL)
        w->events |= event_of_read(w->read_b);
    if (word_reads(w, MUX_R4))
        w->events |= EVENT(R4_READ);
    if (w->signal == SIGNAL_SMALL && w->read_b >= 48)
        w->events |= EVENT(ROTATE);
    if (w->pack)
        w->events |= EVENT(PACK);
}

void word_decode(uint64_t bits, struct word *out) {
    memset(out, 0, sizeof *out);
    out->bits = bits;
    out->signal = field(bits, 60, 4);
    out->flags = field(bits, 45, 1);
    out->swap = field(bits, 44, 1);
    struct half *add = &out->half[ALU_ADD], *mul = &out->half[ALU_MUL];
    add->address = field(bits, 38, 6), mul->address = field(bits, 32, 6);
    add->file = out->swap ? 'b' : 'a', mul->file = out->swap ? 'a' : 'b';
    add->condition = mul->condition = 1;
    if (out->signal == SIGNAL_BRANCH) {
        out->type = WORD_BRANCH;
        out->flags = false; /* the bit belongs to the register's number */
        out->branch_condition = field(bits, 52, 4);
        out->relative = field(bits, 51, 1), out->by_register = field(bits, 50, 1);
        out->immediate = (uint32_t)bits;
        add->busy = add->address != ADDRESS_NONE, mul->busy = mul->address != ADDRESS_NONE;
        find_events(out);
        return;
    }
    out->pm = field(bits, 56, 1), out->pack = field(bits, 52, 4);
    add->condition = field(bits, 49, 3), mul->condition = field(bits, 46, 3);
    if (out->signal == SIGNAL_IMMEDIATE) {
        out->kind = field(bits, 57, 3);
        out->type = out->kind == 4 ? WORD_SEMAPHORE : WORD_IMMEDIATE;
        out->immediate = (uint32_t)bits;
        add->busy = add->address != ADDRESS_NONE, mul->busy = mul->address != ADDRESS_NONE;
        find_events(out);
        return;
    }
    out->type = WORD_ALU;
    out->unpack = field(bits, 57, 3);
    add->op = field(bits, 24, 5), mul->op = field(bits, 29, 3);
    out->read_a = field(bits, 18, 6), out->read_b = field(bits, 12, 6);
    add->mux[0] = field(bits, 9, 3), add->mux[1] = field(bits, 6, 3);
    mul->mux[0] = field(bits, 3, 3), mul->mux[1] = field(bits, 0, 3);
    add->operands = add_op[add->op].operands, mul->operands = mul_op[mul->op].operands;
    add->busy = add->op != 0, mul->busy = mul->op != 0;
    add->move = add->op == 21 && add->mux[0] == add->mux[1];
    mul->move = mul->op == 4 && mul->mux[0] == mul->mux[1];
    find_events(out);
}

const char *word_op(const struct word *w, int alu) {
    const struct half *h = &w->half[alu];
    if (w->type != WORD_ALU)
        return w->type == WORD_BRANCH ? "branch" : "ldi";
    return h->move ? "mov" : alu == ALU_ADD ? add_op[h->op].name : mul_op[h->op].name;
}

int word_flag_setter(const struct word *w) {
    return w->half[ALU_ADD].busy ? ALU_ADD : ALU_MUL;
}

static const char *read_name(unsigned address, char file) {
    if (address < 32)
        return file == 'a' ? "a" : "b";
    switch (address) {
    case ADDRESS_UNIF: return "unif";
    case ADDRESS_VARY: return "vary";
    case 38: return file == 'a' ? "elem_num" : "qpu_num";
    case ADDRESS_NONE: return "none";
    case 41: return "pixel-xy";
    case 42: return file == 'a' ? "ms_mask" : "rev_flag";
    case ADDRESS_VPM: return "vpm";
    default: return "other-io";
    }
}

const char *word_operand(const struct word *w, unsigned mux) {
    switch (mux) {
    case MUX_R4: return "r4";
    case MUX_R5: return "r5";
    case MUX_A: return read_name(w->read_a, 'a');
    case MUX_B:
        if (w->signal != SIGNAL_SMALL)
            return read_name(w->read_b, 'b');
        return w->read_b < 48 ? "imm" : "rotate-code";
    default: return "acc";
    }
}

const char *word_destination(unsigned address, char file) {
    static const char *const names[64] = {
        [36] = "tmu_noswap", [37] = "r5",      [38] = "irq",   [40] = "unif_addr", [41] = "pixel-xy",
        [42] = "ms-rev",     [43] = "stencil", [44] = "tlbz",  [45] = "tlbm",      [46] = "tlbc",
        [47] = "tlbam",      [48] = "vpm",     [49] = "setup", [50] = "dma",       [51] = "mutex",
        [52] = "recip",      [53] = "rsqrt",   [54] = "exp",   [55] = "log",       [56] = "tmu-s",
        [57] = "tmu-t",      [58] = "tmu-r",   [59] = "tmu-b", [60] = "tmu-s",     [61] = "tmu-t",
        [62] = "tmu-r",      [63] = "tmu-b"};
    if (address < 32)
        return file == 'a' ? "a" : "b";
    if (address < 36)
        return "acc";
    return address == ADDRESS_NONE ? "none" : names[address];
}
