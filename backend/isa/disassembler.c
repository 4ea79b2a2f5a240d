/* Prints instructions in the assembler's syntax (docs/assembler.md).
 *
 * The readable part leaves open what has no effect or several encodings: which file's write address space an
 * accumulator is addressed through, unused read addresses, conditions of an idle half. The assembler fills
 * these in one canonical way; where a word differs from that, a trailing annotation such as "[ws=0 ra=32]"
 * names the fields, so that assembling the text gives the word back bit for bit. */
#include "backend/isa/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct printer {
    char *buf;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void put(struct printer *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bool fits = p->length < p->size;
    int n = vsnprintf(fits ? p->buf + p->length : NULL, fits ? p->size - p->length : 0, format, args);
    va_end(args);
    p->length += n > 0 ? (size_t)n : 0;
}

static void put_cond(struct printer *p, unsigned cond) {
    if (cond != QPU_COND_ALWAYS) {
        put(p, ".%s", qpu_cond_name(cond));
    }
}

/* The destination of one half with its pack mode. pm 0 packs what goes to a register of file A from either
 * ALU, pm 1 what the mul ALU delivers to anywhere; ".c8a" tells the second from the first where both could be
 * meant. */
static void put_dest(struct printer *p, const struct qpu_inst *i, bool mul) {
    char name[QPU_NAME_SIZE];
    unsigned addr = mul ? i->waddr_mul : i->waddr_add;
    bool file_b = mul ^ i->ws;
    put(p, "%s", qpu_write_name(addr, file_b, name));
    bool register_a = addr < 32 && !file_b;
    if (i->pm == 0 && i->pack != 0 && register_a) {
        put(p, ".%s", qpu_pack_name(i->pack));
    } else if (i->pm == 1 && mul && i->pack >= QPU_PACK_8888 && i->pack <= QPU_PACK_8D) {
        put(p, ".%s%s", register_a ? "c" : "", qpu_pack_name(i->pack));
    }
}

static void put_small_imm(struct printer *p, unsigned code) {
    if (code < 32 || code >= 48) {
        put(p, "%" PRId32, (int32_t)qpu_small_imm_value(code));
        return;
    }
    /* Written out, because printf's decimal point is the host program's locale. */
    static const char *const fractions[] = {"0.00390625", "0.0078125", "0.015625", "0.03125",
                                            "0.0625",     "0.125",     "0.25",     "0.5"};
    if (code < 40) {
        put(p, "%u.0", 1u << (code - 32));
    } else {
        put(p, "%s", fractions[code - 40]);
    }
}

static void put_operand(struct printer *p, const struct qpu_inst *i, unsigned mux) {
    char name[QPU_NAME_SIZE];
    if (mux == QPU_MUX_B && i->sig == QPU_SIG_SMALL_IMM) {
        put_small_imm(p, i->raddr_b);
        return;
    }
    if (mux == QPU_MUX_A || mux == QPU_MUX_B) {
        bool file_b = mux == QPU_MUX_B;
        put(p, "%s", qpu_read_name(file_b ? i->raddr_b : i->raddr_a, file_b, name));
    } else {
        put(p, "r%u", mux);
    }
    if (i->unpack != 0 && mux == (i->pm ? QPU_MUX_R4 : QPU_MUX_A)) {
        put(p, ".%s", qpu_unpack_name(i->unpack));
    }
}

static void put_rotation(struct printer *p, const struct qpu_inst *i) {
    if (i->sig == QPU_SIG_SMALL_IMM && i->raddr_b == 48) {
        put(p, ".rotr5");
    } else if (i->sig == QPU_SIG_SMALL_IMM && i->raddr_b > 48) {
        put(p, ".rot%u", i->raddr_b - 48u);
    }
}

/* One half of an ALU instruction. The flags belong to the add half unless that is idle. */
static void put_half(struct printer *p, const struct qpu_inst *i, bool mul) {
    unsigned op = mul ? i->op_mul : i->op_add;
    unsigned a = mul ? i->mul_a : i->add_a;
    unsigned b = mul ? i->mul_b : i->add_b;
    const struct qpu_op_info *info = mul ? qpu_mul_info(op) : qpu_add_info(op);
    bool move = op == (mul ? (unsigned)QPU_M_V8MIN : (unsigned)QPU_A_OR) && a == b;
    if (move) {
        put(p, "mov");
    } else if (info->name) {
        put(p, "%s", info->name);
    } else {
        put(p, "aop%u", op);
    }
    if (op != 0) {
        put_cond(p, mul ? i->cond_mul : i->cond_add);
    }
    if (i->sf && mul == (i->op_add == 0 && i->op_mul != 0)) {
        put(p, ".setf");
    }
    if (mul) {
        put_rotation(p, i);
    }
    if (op == 0) {
        return;
    }
    put(p, " ");
    put_dest(p, i, mul);
    put(p, ", ");
    put_operand(p, i, a);
    if (!move && info->nsrc != 1) {
        put(p, ", ");
        put_operand(p, i, b);
    }
}

static void put_alu(struct printer *p, const struct qpu_inst *i) {
    const char *signal = qpu_signal_name(i->sig);
    bool rotates = i->sig == QPU_SIG_SMALL_IMM && i->raddr_b >= 48;
    put_half(p, i, false);
    if (i->op_mul != 0 || signal || rotates) {
        put(p, "; ");
        put_half(p, i, true);
    }
    if (signal) {
        put(p, "; %s", signal);
    }
}

/* One half of a load immediate or semaphore instruction. */
static void put_load_half(struct printer *p, const struct qpu_inst *i, bool mul, bool setf) {
    static const char *const names[] = {
        [QPU_LDI] = "movi", [QPU_LDI_SIGNED] = "movis", [QPU_LDI_UNSIGNED] = "moviu"};
    put(p, "%s", i->type == QPU_SEMAPHORE ? (i->sem_down ? "sacq" : "srel") : names[i->type]);
    put_cond(p, mul ? i->cond_mul : i->cond_add);
    put(p, "%s ", setf ? ".setf" : "");
    put_dest(p, i, mul);
    if (i->type == QPU_SEMAPHORE) {
        put(p, ", %u", i->sem);
    } else {
        put(p, ", 0x%" PRIx32, i->imm);
    }
}

static void put_load(struct printer *p, const struct qpu_inst *i) {
    bool add = i->waddr_add != QPU_W_NOP;
    bool mul = i->waddr_mul != QPU_W_NOP;
    if (!add && !mul && i->type == QPU_SEMAPHORE) {
        put(p, "%s%s %u", i->sem_down ? "sacq" : "srel", i->sf ? ".setf" : "", i->sem);
        return;
    }
    if (mul && !add) {
        put(p, "nop");
    } else {
        put_load_half(p, i, false, i->sf);
    }
    if (mul) {
        put(p, "; ");
        put_load_half(p, i, true, i->sf && !add);
    }
}

static void put_branch(struct printer *p, const struct qpu_inst *i, unsigned index) {
    char name[QPU_NAME_SIZE];
    put(p, "%s", i->br_rel ? "brr" : "bra");
    if (i->cond_br != QPU_BR_ALWAYS) {
        const char *cond = qpu_branch_cond_name(i->cond_br);
        if (cond) {
            put(p, ".%s", cond);
        } else {
            put(p, ".br%u", i->cond_br);
        }
    }
    put(p, " ");
    if (i->waddr_add != QPU_W_NOP || i->waddr_mul != QPU_W_NOP) {
        put(p, "%s, ", qpu_write_name(i->waddr_add, i->ws, name));
    }
    if (i->waddr_mul != QPU_W_NOP) {
        put(p, "%s, ", qpu_write_name(i->waddr_mul, !i->ws, name));
    }
    int64_t offset = (int32_t)i->imm;
    int64_t target = (int64_t)index + 1 + QPU_BRANCH_SLOTS + offset / 8;
    if (i->br_rel && !i->br_reg && offset % 8 == 0 && target >= 0) {
        put(p, "L%" PRId64, target);
        return;
    }
    put(p, "%s0x%" PRIx64, offset < 0 ? "-" : "", (uint64_t)(offset < 0 ? -offset : offset));
    if (i->br_reg) {
        put(p, "+ra%u", i->raddr_a);
    }
}

/* Names the fields in which the assembler's reading of the text differs from the instruction. */
static void put_annotation(struct printer *p, const struct qpu_inst *want, const struct qpu_inst *read) {
    const char *before = " [";
    for (size_t f = 0; f < qpu_field_count; f++) {
        uint8_t value = ((const uint8_t *)want)[qpu_fields[f].offset];
        if (value != ((const uint8_t *)read)[qpu_fields[f].offset]) {
            put(p, "%s%s=%u", before, qpu_fields[f].key, value);
            before = " ";
        }
    }
    if (want->imm != read->imm) {
        put(p, "%simm=0x%" PRIx32, before, want->imm);
        before = " ";
    }
    if (before[1] == 0) {
        put(p, "]");
    }
}

size_t qpu_disassemble(uint64_t word, unsigned index, char *buf, size_t size) {
    char text[512], error[80];
    struct qpu_inst inst, read;
    struct printer p = {text, sizeof text, 0};
    qpu_decode(word, &inst);
    switch ((enum qpu_type)inst.type) {
    case QPU_ALU: put_alu(&p, &inst); break;
    case QPU_BRANCH: put_branch(&p, &inst, index); break;
    default: put_load(&p, &inst); break;
    }
    if (!qpu_parse_inst((struct qpu_span){text, p.length}, index, NULL, &read, error, sizeof error) ||
        read.type != inst.type) {
        /* No text of ours is refused by our parser (the fuzz test asserts it); but print something true
         * anyway. */
        p.length = 0;
        put(&p, ".word 0x%016" PRIx64, word);
    } else {
        put_annotation(&p, &inst, &read);
    }
    if (size > 0) {
        size_t n = p.length < size ? p.length : size - 1;
        memcpy(buf, text, n);
        buf[n] = 0;
    }
    return p.length;
}
