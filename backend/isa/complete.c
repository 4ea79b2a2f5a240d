/* From what the text of an instruction says to the instruction: ports, the small immediate, the swap of the
 * files written. What the text leaves open gets one canonical value here, for the assembler and for the
 * disassembler, which annotates whatever differs from it.
 *
 * Requires: halves whose shared fields agree. */
#include "backend/isa/text.h"

#include <stdarg.h>
#include <stdio.h>

struct completion {
    const struct qpu_shared *shared;
    char *error;
    size_t error_size;
};

struct qpu_shared qpu_nothing_shared(void) {
    return (struct qpu_shared){-1, -1, -1, -1, -1, -1, false};
}

__attribute__((format(printf, 2, 3))) static bool fail(struct completion *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->error, p->error_size, format, args);
    va_end(args);
    return false;
}

/* Ports: each file delivers one address to both ALUs; a small immediate takes file B's. */
struct ports {
    int a, b;
    bool immediate;
};

static bool claim(struct completion *p, int *port, struct qpu_operand *o, unsigned mux) {
    if (*port >= 0 && *port != (int)o->value) {
        return fail(p, "two addresses of file %c in one instruction", mux == QPU_MUX_A ? 'A' : 'B');
    }
    *port = (int)o->value;
    o->mux = (uint8_t)mux;
    return true;
}

static bool claim_immediate(struct completion *p, struct ports *ports, struct qpu_operand *o) {
    int code;
    if (p->shared->rotation >= 0) {
        /* A rotation's code doubles as an integer (addendum: 48 to 63 read as -16 to -1). */
        code = 48 + p->shared->rotation;
        if (qpu_small_imm_value((unsigned)code) != o->value) {
            return fail(p, "with this rotation the only immediate is %d", p->shared->rotation - 16);
        }
    } else {
        code = qpu_small_imm_code(o->value);
        if (code < 0) {
            return fail(p, "no small immediate has the bits 0x%08x", o->value);
        }
    }
    o->value = (unsigned)code;
    ports->immediate = true;
    return claim(p, &ports->b, o, QPU_MUX_B);
}

/* First what can be read in one way only, then what both files offer: file A if it is free. */
static bool assign_ports(struct completion *p, struct qpu_half half[2], struct ports *ports) {
    *ports = (struct ports){-1, -1, false};
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < 4; n++) {
            struct qpu_half *h = &half[n / 2];
            struct qpu_operand *o = &h->src[n % 2];
            if (!h->present || h->op == 0) {
                continue;
            }
            bool both = o->kind == QPU_OPERAND_ADDRESS && o->files == (QPU_IN_FILE_A | QPU_IN_FILE_B);
            if (both != (pass == 1)) {
                continue;
            }
            bool fine = true;
            if (o->kind == QPU_OPERAND_ACC) {
                o->mux = (uint8_t)o->value;
            } else if (o->kind == QPU_OPERAND_IMM) {
                fine = claim_immediate(p, ports, o);
            } else if (both) {
                /* No suffix where file A unpacks: the operand means file B. */
                bool unpacks = p->shared->unpack > 0 && p->shared->pm == 0;
                bool use_a = ports->a < 0 || (ports->a == (int)o->value && !unpacks);
                fine = claim(p, use_a ? &ports->a : &ports->b, o, use_a ? QPU_MUX_A : QPU_MUX_B);
            } else {
                bool use_a = o->files == QPU_IN_FILE_A;
                fine = claim(p, use_a ? &ports->a : &ports->b, o, use_a ? QPU_MUX_A : QPU_MUX_B);
            }
            if (!fine) {
                return false;
            }
        }
    }
    if (p->shared->rotation >= 0) {
        if (ports->b >= 0 && !ports->immediate) {
            return fail(p, "a rotation takes the place of file B's read");
        }
        ports->b = 48 + p->shared->rotation;
        ports->immediate = true;
    }
    if (ports->immediate && p->shared->signal >= 0) {
        return fail(p, "a small immediate or rotation takes the place of a signal");
    }
    return !ports->immediate || ports->b < 64 || fail(p, "immediate and file B in one instruction");
}

/* An unpack mode applies to every operand from its source, so each must show it. */
static bool check_unpack(struct completion *p, const struct qpu_half half[2]) {
    for (int n = 0; n < 4 && p->shared->unpack > 0; n++) {
        const struct qpu_operand *o = &half[n / 2].src[n % 2];
        if (half[n / 2].present && half[n / 2].op != 0 && o->unpack != (unsigned)p->shared->unpack &&
            o->mux == (p->shared->pm == 1 ? QPU_MUX_R4 : QPU_MUX_A) && o->kind != QPU_OPERAND_IMM) {
            return fail(p, "all reads of this source unpack alike: .%s is missing",
                        qpu_unpack_name((unsigned)p->shared->unpack));
        }
    }
    return true;
}

static void fill_shared(const struct qpu_shared *shared, const struct qpu_half half[2],
                        struct qpu_inst *out) {
    out->pm = shared->pm > 0;
    out->pack = shared->pack > 0 ? (uint8_t)shared->pack : 0;
    out->sf = shared->setf;
    /* Where nothing decides, Broadcom's code sets the swap on a colour pack into an accumulator. */
    out->ws = shared->ws >= 0 ? (uint8_t)shared->ws : half[1].dest.colour;
}

bool qpu_complete_alu(struct qpu_half half[2], const struct qpu_shared *shared, struct qpu_inst *out,
                      char *error, size_t error_size) {
    struct completion p = {shared, error, error_size};
    struct ports ports;
    if (!assign_ports(&p, half, &ports) || !check_unpack(&p, half)) {
        return false;
    }
    *out = qpu_nop();
    fill_shared(shared, half, out);
    out->sig = ports.immediate       ? QPU_SIG_SMALL_IMM
               : shared->signal >= 0 ? (uint8_t)shared->signal
                                     : QPU_SIG_NONE;
    out->unpack = shared->unpack > 0 ? (uint8_t)shared->unpack : 0;
    out->raddr_a = ports.a >= 0 ? (uint8_t)ports.a : QPU_R_NOP;
    out->raddr_b = ports.b >= 0 ? (uint8_t)ports.b : QPU_R_NOP;
    if (half[0].present) {
        out->op_add = (uint8_t)half[0].op;
        out->cond_add = (uint8_t)half[0].cond;
        out->waddr_add = (uint8_t)half[0].dest.addr;
        out->add_a = half[0].src[0].mux;
        out->add_b = half[0].src[1].mux;
    }
    if (half[1].present) {
        out->op_mul = (uint8_t)half[1].op;
        out->cond_mul = (uint8_t)half[1].cond;
        out->waddr_mul = (uint8_t)half[1].dest.addr;
        out->mul_a = half[1].src[0].mux;
        out->mul_b = half[1].src[1].mux;
    }
    return true;
}

void qpu_complete_load(const struct qpu_half half[2], const struct qpu_shared *shared, struct qpu_inst *out) {
    out->sig = QPU_SIG_LDI;
    fill_shared(shared, half, out);
    out->cond_add = (uint8_t)half[0].cond;
    out->cond_mul = (uint8_t)half[1].cond;
    out->waddr_add = (uint8_t)half[0].dest.addr;
    out->waddr_mul = (uint8_t)half[1].dest.addr;
}
