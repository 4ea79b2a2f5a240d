/* Encoder and decoder of the 64-bit instruction word, and the operation facts of isa.def.
 *
 * Bit positions: guide, section 3, "QPU Instruction Encoding", figures 3 to 7. */
#include "backend/isa/isa.h"

#define QPU_ADD_OP(id, code, ...) _Static_assert(QPU_A_##id == code, "add operation " #id);
#define QPU_MUL_OP(id, code, ...) _Static_assert(QPU_M_##id == code, "mul operation " #id);
#define QPU_SIGNAL(id, code, name) _Static_assert(QPU_SIG_##id == code, "signal " #id);
#define QPU_CONDITION(id, code, name) _Static_assert(QPU_COND_##id == code, "condition " #id);
#define QPU_BRANCH_CONDITION(id, code, name) _Static_assert(QPU_BR_##id == code, "branch condition " #id);
#define QPU_UNPACK_MODE(id, code, name) _Static_assert(QPU_UNPACK_##id == code, "unpack " #id);
#define QPU_LATENCY(id, n) _Static_assert(QPU_##id == n, "latency " #id);
#include "backend/isa/isa.def"

static unsigned field(uint64_t word, unsigned low, unsigned width) {
    return (unsigned)(word >> low) & ((1u << width) - 1);
}

static uint64_t place(unsigned value, unsigned low, unsigned width) {
    return (uint64_t)(value & ((1u << width) - 1)) << low;
}

/* Kinds of load immediate, in the place of the unpack field (figure 5). */
enum { LDI_KIND_32 = 0, LDI_KIND_SIGNED = 1, LDI_KIND_UNSIGNED = 3, LDI_KIND_SEMAPHORE = 4 };

static void decode_branch(uint64_t word, struct qpu_inst *out) {
    out->type = QPU_BRANCH;
    out->cond_br = field(word, 52, 4);
    out->br_rel = field(word, 51, 1);
    out->br_reg = field(word, 50, 1);
    out->raddr_a = field(word, 45, 5);
    out->imm = (uint32_t)word;
}

static bool decode_load(uint64_t word, struct qpu_inst *out) {
    unsigned kind = out->unpack;
    out->unpack = 0;
    out->pack = field(word, 52, 4);
    out->cond_add = field(word, 49, 3);
    out->cond_mul = field(word, 46, 3);
    out->sf = field(word, 45, 1);
    out->imm = (uint32_t)word;
    switch (kind) {
    case LDI_KIND_32: out->type = QPU_LDI; return true;
    case LDI_KIND_SIGNED: out->type = QPU_LDI_SIGNED; return true;
    case LDI_KIND_UNSIGNED: out->type = QPU_LDI_UNSIGNED; return true;
    case LDI_KIND_SEMAPHORE:
        out->type = QPU_SEMAPHORE;
        out->sem_down = field(word, 4, 1);
        out->sem = field(word, 0, 4);
        out->imm = (uint32_t)word & ~31u;
        return true;
    default: /* reserved: the kind stays in unpack so that no bit is lost */
        out->type = QPU_LDI;
        out->unpack = kind;
        return false;
    }
}

static void decode_alu(uint64_t word, struct qpu_inst *out) {
    out->type = QPU_ALU;
    out->pack = field(word, 52, 4);
    out->cond_add = field(word, 49, 3);
    out->cond_mul = field(word, 46, 3);
    out->sf = field(word, 45, 1);
    out->op_mul = field(word, 29, 3);
    out->op_add = field(word, 24, 5);
    out->raddr_a = field(word, 18, 6);
    out->raddr_b = field(word, 12, 6);
    out->add_a = field(word, 9, 3);
    out->add_b = field(word, 6, 3);
    out->mul_a = field(word, 3, 3);
    out->mul_b = field(word, 0, 3);
}

bool qpu_decode(uint64_t word, struct qpu_inst *out) {
    *out = (struct qpu_inst){0};
    out->sig = field(word, 60, 4);
    out->unpack = field(word, 57, 3);
    out->pm = field(word, 56, 1);
    out->ws = field(word, 44, 1);
    out->waddr_add = field(word, 38, 6);
    out->waddr_mul = field(word, 32, 6);
    switch (out->sig) {
    case QPU_SIG_BRANCH: decode_branch(word, out); return true;
    case QPU_SIG_LDI: return decode_load(word, out);
    default: decode_alu(word, out); return true;
    }
}

static uint64_t encode_writes(const struct qpu_inst *inst) {
    return place(inst->pm, 56, 1) | place(inst->ws, 44, 1) | place(inst->waddr_add, 38, 6) |
           place(inst->waddr_mul, 32, 6);
}

static uint64_t encode_conditions(const struct qpu_inst *inst) {
    return place(inst->pack, 52, 4) | place(inst->cond_add, 49, 3) | place(inst->cond_mul, 46, 3) |
           place(inst->sf, 45, 1);
}

uint64_t qpu_encode(const struct qpu_inst *inst) {
    uint64_t word = encode_writes(inst);
    unsigned kind = inst->unpack;
    uint32_t imm = inst->imm;
    switch ((enum qpu_type)inst->type) {
    case QPU_BRANCH:
        return word | place(QPU_SIG_BRANCH, 60, 4) | place(inst->unpack, 57, 3) |
               place(inst->cond_br, 52, 4) | place(inst->br_rel, 51, 1) | place(inst->br_reg, 50, 1) |
               place(inst->raddr_a, 45, 5) | imm;
    case QPU_LDI: break; /* kind 0, or a reserved one */
    case QPU_LDI_SIGNED: kind = LDI_KIND_SIGNED; break;
    case QPU_LDI_UNSIGNED: kind = LDI_KIND_UNSIGNED; break;
    case QPU_SEMAPHORE:
        kind = LDI_KIND_SEMAPHORE;
        imm = (imm & ~31u) | (inst->sem_down & 1u) << 4 | (inst->sem & 15u);
        break;
    default:
        return word | place(inst->sig, 60, 4) | place(inst->unpack, 57, 3) | encode_conditions(inst) |
               place(inst->op_mul, 29, 3) | place(inst->op_add, 24, 5) | place(inst->raddr_a, 18, 6) |
               place(inst->raddr_b, 12, 6) | place(inst->add_a, 9, 3) | place(inst->add_b, 6, 3) |
               place(inst->mul_a, 3, 3) | place(inst->mul_b, 0, 3);
    }
    return word | place(QPU_SIG_LDI, 60, 4) | place(kind, 57, 3) | encode_conditions(inst) | imm;
}

/* Small immediates, table 5: 0..15, -16..-1, then 1.0 * 2^0..7 and 2^-8..-1 as floats. */
uint32_t qpu_small_imm_value(unsigned code) {
    if (code < 16) {
        return code;
    }
    if (code < 32) {
        return code - 32u;
    }
    if (code < 40) {
        return (127u + (code - 32u)) << 23;
    }
    if (code < 48) {
        return (127u - (48u - code)) << 23;
    }
    return (code & 63u) - 64u;
}

int qpu_small_imm_code(uint32_t value) {
    uint32_t exponent = value >> 23;
    if (value < 16) {
        return (int)value;
    }
    if (value >= 0xfffffff0u) {
        return (int)(value + 32u);
    }
    if (value & 0x7fffffu || exponent < 127 - 8 || exponent > 127 + 7) {
        return -1;
    }
    return (int)(exponent >= 127 ? 32 + exponent - 127 : 48 + exponent - 127);
}

static const struct qpu_op_info add_ops[32] = {
#define QPU_ADD_OP(id, code, ...) [code] = {__VA_ARGS__},
#include "backend/isa/isa.def"
};

static const struct qpu_op_info mul_ops[8] = {
#define QPU_MUL_OP(id, code, ...) [code] = {__VA_ARGS__},
#include "backend/isa/isa.def"
};

const struct qpu_op_info *qpu_add_info(unsigned op) {
    return &add_ops[op & 31];
}

const struct qpu_op_info *qpu_mul_info(unsigned op) {
    return &mul_ops[op & 7];
}
