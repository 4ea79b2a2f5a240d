/* Prints instructions in the assembler's syntax (docs/assembler.md).
 *
 * An instruction becomes what its text says (text.h), and that is printed. It leaves open what has no effect
 * or several encodings: which file's write address space an accumulator is addressed through, unused read
 * addresses, conditions of an idle half. The assembler fills these in one canonical way (complete.c); where a
 * word differs from that, a trailing annotation such as "[ws=0 ra=32]" names the fields, so that assembling
 * the text gives the word back bit for bit. */
#include "backend/isa/text.h"

#include <string.h>

/* --- pieces --------------------------------------------------------------------------------------------- */

static void put(struct qpu_text *t, const char *piece) {
    size_t n = strlen(piece), left = sizeof t->text - 1 - t->length;
    n = n < left ? n : left;
    memcpy(t->text + t->length, piece, n);
    t->length += n;
}

static void put_digits(struct qpu_text *t, uint64_t value, unsigned base) {
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = 0;
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    put(t, digits + at);
}

static void put_hex(struct qpu_text *t, uint64_t value) {
    put(t, "0x");
    put_digits(t, value, 16);
}

static void put_suffix(struct qpu_text *t, const char *name) {
    put(t, ".");
    put(t, name);
}

static void put_cond(struct qpu_text *t, unsigned cond) {
    if (cond != QPU_COND_ALWAYS) {
        put_suffix(t, qpu_cond_name(cond));
    }
}

/* --- halves --------------------------------------------------------------------------------------------- */

/* The destination of one half with its pack mode. pm 0 packs what goes to a register of file A from either
 * ALU, pm 1 what the mul ALU delivers to anywhere. */
static struct qpu_dest dest_of(const struct qpu_inst *i, bool mul, struct qpu_shared *shared) {
    bool file_b = mul ^ i->ws;
    struct qpu_dest d = {.addr = mul ? i->waddr_mul : i->waddr_add};
    d.files = qpu_write_files(d.addr, file_b);
    if (d.files != (QPU_IN_FILE_A | QPU_IN_FILE_B)) {
        shared->ws = i->ws;
    }
    bool packs_a = i->pm == 0 && i->pack != 0 && d.addr < 32 && !file_b;
    d.colour = i->pm == 1 && mul && i->pack >= QPU_PACK_8888 && i->pack <= QPU_PACK_8D;
    if (packs_a || d.colour) {
        d.pack = i->pack;
        shared->pm = i->pm;
        shared->pack = i->pack;
    }
    return d;
}

/* ".c8a" tells the mul ALU's pack from file A's where both could be meant. */
static void put_dest(struct qpu_text *t, const struct qpu_dest *d) {
    char name[QPU_NAME_SIZE];
    put(t, qpu_write_name(d->addr, d->files == QPU_IN_FILE_B, name));
    if (d->pack) {
        put(t, d->colour && d->addr < 32 && d->files == QPU_IN_FILE_A ? ".c" : ".");
        put(t, qpu_pack_name(d->pack));
    }
}

static struct qpu_operand operand_of(const struct qpu_inst *i, unsigned mux, struct qpu_shared *shared) {
    if (mux == QPU_MUX_B && i->sig == QPU_SIG_SMALL_IMM) {
        return (struct qpu_operand){.kind = QPU_OPERAND_IMM, .value = qpu_small_imm_value(i->raddr_b)};
    }
    struct qpu_operand o = {.kind = QPU_OPERAND_ACC, .value = mux};
    if (mux == QPU_MUX_A || mux == QPU_MUX_B) {
        o.kind = QPU_OPERAND_ADDRESS;
        o.value = mux == QPU_MUX_B ? i->raddr_b : i->raddr_a;
        o.files = qpu_read_files(o.value, mux == QPU_MUX_B);
    }
    if (i->unpack != 0 && mux == (i->pm ? QPU_MUX_R4 : QPU_MUX_A)) {
        o.unpack = i->unpack;
        o.files &= QPU_IN_FILE_A;
        shared->pm = i->pm;
        shared->unpack = i->unpack;
    }
    return o;
}

static void put_small_imm(struct qpu_text *t, uint32_t value) {
    /* Written out, because printf's decimal point is the host program's locale. */
    static const char *const fractions[] = {"0.00390625", "0.0078125", "0.015625", "0.03125",
                                            "0.0625",     "0.125",     "0.25",     "0.5"};
    int code = qpu_small_imm_code(value);
    if (code >= 40) {
        put(t, fractions[code - 40]);
    } else if (code >= 32) {
        put_digits(t, 1u << (code - 32), 10);
        put(t, ".0");
    } else {
        put(t, value > 15 ? "-" : "");
        put_digits(t, value > 15 ? 0u - value : value, 10);
    }
}

static void put_operand(struct qpu_text *t, const struct qpu_operand *o) {
    char name[QPU_NAME_SIZE];
    if (o->kind == QPU_OPERAND_IMM) {
        put_small_imm(t, o->value);
        return;
    }
    if (o->kind == QPU_OPERAND_ADDRESS) {
        put(t, qpu_read_name(o->value, o->files == QPU_IN_FILE_B, name));
    } else {
        const char acc[] = {'r', (char)('0' + o->value), 0};
        put(t, acc);
    }
    if (o->unpack) {
        put_suffix(t, qpu_unpack_name(o->unpack));
    }
}

/* --- ALU instructions ----------------------------------------------------------------------------------- */

static const struct qpu_op_info *info_of(unsigned op, bool mul) {
    return mul ? qpu_mul_info(op) : qpu_add_info(op);
}

static struct qpu_half half_of(const struct qpu_inst *i, bool mul, struct qpu_shared *shared) {
    struct qpu_half h = {.present = true, .op = mul ? i->op_mul : i->op_add, .dest.addr = QPU_W_NOP};
    unsigned a = mul ? i->mul_a : i->add_a, b = mul ? i->mul_b : i->add_b;
    if (h.op == 0) {
        return h;
    }
    h.cond = mul ? i->cond_mul : i->cond_add;
    h.dest = dest_of(i, mul, shared);
    h.src[0] = operand_of(i, a, shared);
    h.src[1] = info_of(h.op, mul)->nsrc == 1 || a == b ? h.src[0] : operand_of(i, b, shared);
    return h;
}

static bool is_move(const struct qpu_inst *i, bool mul) {
    return mul ? i->op_mul == QPU_M_V8MIN && i->mul_a == i->mul_b
               : i->op_add == QPU_A_OR && i->add_a == i->add_b;
}

static void put_rotation(struct qpu_text *t, int rotation) {
    if (rotation == 0) {
        put(t, ".rotr5");
    } else if (rotation > 0) {
        put(t, ".rot");
        put_digits(t, (unsigned)rotation, 10);
    }
}

/* `flags`: they belong to the add half unless that is idle. */
static void put_half(struct qpu_text *t, const struct qpu_half *h, bool mul, bool move, bool flags,
                     int rotation) {
    const struct qpu_op_info *info = info_of(h->op, mul);
    if (move || info->name) {
        put(t, move ? "mov" : info->name);
    } else {
        put(t, "aop");
        put_digits(t, h->op, 10);
    }
    if (h->op != 0) {
        put_cond(t, h->cond);
    }
    put(t, flags ? ".setf" : "");
    put_rotation(t, rotation);
    if (h->op == 0) {
        return;
    }
    put(t, " ");
    put_dest(t, &h->dest);
    put(t, ", ");
    put_operand(t, &h->src[0]);
    if (!move && info->nsrc != 1) {
        put(t, ", ");
        put_operand(t, &h->src[1]);
    }
}

static bool print_alu(struct qpu_text *t, const struct qpu_inst *i, struct qpu_inst *canonical) {
    struct qpu_shared shared = qpu_nothing_shared();
    struct qpu_half half[2] = {half_of(i, false, &shared), half_of(i, true, &shared)};
    const char *signal = qpu_signal_name(i->sig);
    char error[80];
    bool mul_flags = i->sf && i->op_add == 0 && i->op_mul != 0;
    shared.setf = i->sf;
    if (i->sig == QPU_SIG_SMALL_IMM && i->raddr_b >= 48) {
        shared.rotation = i->raddr_b - 48;
    }
    half[1].present = i->op_mul != 0 || signal || shared.rotation >= 0;
    put_half(t, &half[0], false, is_move(i, false), i->sf && !mul_flags, -1);
    t->end[QPU_TEXT_ADD] = t->length;
    if (half[1].present) {
        put(t, "; ");
        t->begin[QPU_TEXT_MUL] = t->length;
        put_half(t, &half[1], true, is_move(i, true), mul_flags, shared.rotation);
        t->end[QPU_TEXT_MUL] = t->length;
    }
    if (signal) {
        shared.signal = i->sig;
        put(t, "; ");
        t->begin[QPU_TEXT_SIGNAL] = t->length;
        put(t, signal);
        t->end[QPU_TEXT_SIGNAL] = t->length;
    }
    return qpu_complete_alu(half, &shared, canonical, error, sizeof error);
}

/* --- load immediate, semaphore, branch ------------------------------------------------------------------ */

static void put_load_half(struct qpu_text *t, const struct qpu_inst *i, const struct qpu_half *h,
                          bool flags) {
    static const char *const names[] = {
        [QPU_LDI] = "movi", [QPU_LDI_SIGNED] = "movis", [QPU_LDI_UNSIGNED] = "moviu"};
    put(t, i->type != QPU_SEMAPHORE ? names[i->type] : i->sem_down ? "sacq" : "srel");
    put_cond(t, h->cond);
    put(t, flags ? ".setf " : " ");
    put_dest(t, &h->dest);
    put(t, ", ");
    if (i->type == QPU_SEMAPHORE) {
        put_digits(t, i->sem, 10);
    } else {
        put_hex(t, i->imm);
    }
}

static void print_load(struct qpu_text *t, const struct qpu_inst *i, struct qpu_inst *canonical) {
    struct qpu_shared shared = qpu_nothing_shared();
    struct qpu_half half[2] = {{.dest.addr = QPU_W_NOP}, {.dest.addr = QPU_W_NOP}};
    bool mul = i->waddr_mul != QPU_W_NOP,
         bare = !mul && i->waddr_add == QPU_W_NOP && i->type == QPU_SEMAPHORE,
         add = !bare && (i->waddr_add != QPU_W_NOP || !mul);
    shared.setf = i->sf;
    if (bare) {
        put(t, i->sem_down ? "sacq" : "srel");
        put(t, i->sf ? ".setf " : " ");
        put_digits(t, i->sem, 10);
    } else if (!add) {
        put(t, "nop");
    }
    for (unsigned k = 0; k < 2; k++) {
        if (!(k ? mul : add)) {
            continue;
        }
        half[k] = (struct qpu_half){.cond = k ? i->cond_mul : i->cond_add, .dest = dest_of(i, k, &shared)};
        put(t, k ? "; " : "");
        t->begin[k] = t->length;
        put_load_half(t, i, &half[k], i->sf && !(k && add));
        t->end[k] = t->length;
    }
    *canonical = (struct qpu_inst){.type = i->type, .sem = i->sem, .sem_down = i->sem_down};
    canonical->imm = i->type == QPU_SEMAPHORE ? 0 : i->imm;
    qpu_complete_load(half, &shared, canonical);
}

/* The link registers: of the add half, then of the mul half. */
static void put_links(struct qpu_text *t, const struct qpu_inst *i, struct qpu_inst *canonical) {
    struct qpu_shared shared = qpu_nothing_shared();
    for (unsigned k = 0; k < 2; k++) {
        struct qpu_dest d = dest_of(i, k, &shared);
        d.pack = 0;
        if (i->waddr_mul != QPU_W_NOP || (k == 0 && i->waddr_add != QPU_W_NOP)) {
            put_dest(t, &d);
            put(t, ", ");
        }
    }
    canonical->ws = shared.ws > 0;
}

static void print_branch(struct qpu_text *t, const struct qpu_inst *i, unsigned index,
                         struct qpu_inst *canonical) {
    const char *cond = qpu_branch_cond_name(i->cond_br);
    *canonical = (struct qpu_inst){.type = QPU_BRANCH,
                                   .sig = QPU_SIG_BRANCH,
                                   .cond_br = i->cond_br,
                                   .br_rel = i->br_rel,
                                   .br_reg = i->br_reg,
                                   .raddr_a = i->br_reg ? i->raddr_a : 0,
                                   .waddr_add = i->waddr_add,
                                   .waddr_mul = i->waddr_mul,
                                   .imm = i->imm};
    put(t, i->br_rel ? "brr" : "bra");
    if (!cond) {
        put(t, ".br");
        put_digits(t, i->cond_br, 10);
    } else if (i->cond_br != QPU_BR_ALWAYS) {
        put_suffix(t, cond);
    }
    put(t, " ");
    put_links(t, i, canonical);
    int64_t offset = (int32_t)i->imm;
    int64_t target = (int64_t)index + 1 + QPU_BRANCH_SLOTS + offset / 8;
    if (i->br_rel && !i->br_reg && offset % 8 == 0 && target >= 0) {
        put(t, "L");
        put_digits(t, (uint64_t)target, 10);
        return;
    }
    put(t, offset < 0 ? "-" : "");
    put_hex(t, (uint64_t)(offset < 0 ? -offset : offset));
    if (i->br_reg) {
        put(t, "+ra");
        put_digits(t, i->raddr_a, 10);
    }
}

/* --- whole ---------------------------------------------------------------------------------------------- */

/* Names the fields in which the canonical instruction of the text differs from the instruction. */
static void put_annotation(struct qpu_text *t, const struct qpu_inst *want,
                           const struct qpu_inst *canonical) {
    const char *before = " [";
    for (size_t f = 0; f < qpu_field_count; f++) {
        uint8_t value = ((const uint8_t *)want)[qpu_fields[f].offset];
        if (value != ((const uint8_t *)canonical)[qpu_fields[f].offset]) {
            put(t, before);
            put(t, qpu_fields[f].key);
            put(t, "=");
            put_digits(t, value, 10);
            before = " ";
        }
    }
    if (want->imm != canonical->imm) {
        put(t, before);
        put(t, "imm=");
        put_hex(t, want->imm);
        before = " ";
    }
    put(t, before[1] == 0 ? "]" : "");
}

void qpu_print(uint64_t word, unsigned index, struct qpu_text *t) {
    struct qpu_inst inst, canonical;
    bool fine = true;
    qpu_decode(word, &inst);
    memset(t, 0, offsetof(struct qpu_text, text));
    switch ((enum qpu_type)inst.type) {
    case QPU_ALU: fine = print_alu(t, &inst, &canonical); break;
    case QPU_BRANCH: print_branch(t, &inst, index, &canonical); break;
    default: print_load(t, &inst, &canonical); break;
    }
    if (fine) {
        put_annotation(t, &inst, &canonical);
    } else { /* no instruction has such a text (the fuzz test asserts it); but print something true anyway */
        memset(t, 0, offsetof(struct qpu_text, text));
        put(t, ".word ");
        put_hex(t, word);
    }
    t->text[t->length] = 0;
}

size_t qpu_disassemble(uint64_t word, unsigned index, char *buf, size_t size) {
    struct qpu_text t;
    qpu_print(word, index, &t);
    if (size > 0) {
        size_t n = t.length < size ? t.length : size - 1;
        memcpy(buf, t.text, n);
        buf[n] = 0;
    }
    return t.length;
}
