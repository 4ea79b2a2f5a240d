/* Decodes instruction words into the machine's own form, once for each program. Everything that does not
 * depend on the run is decided here, including rules that a single word breaks. */
#include <stdlib.h>

#include "runtime/machine.h"

static bool tmu_address(unsigned a) {
    return a >= QPU_W_TMU0_S && a <= QPU_W_TMU1_B;
}
static bool sfu_address(unsigned a) {
    return a >= QPU_W_SFU_RECIP && a <= QPU_W_SFU_LOG;
}
/* Stencil setup only fills a register of the QPU: Mesa's shipped code pairs it with a colour load. */
static bool tlb_access(unsigned a) {
    return a >= QPU_W_TLB_Z && a <= QPU_W_TLB_ALPHA_MASK;
}
static bool tlb_address(unsigned a) {
    return a >= QPU_W_TLB_STENCIL && a <= QPU_W_TLB_ALPHA_MASK;
}

static void static_rule(struct sim_inst *in, enum sim_rule rule) {
    if (in->slow & SIM_SLOW_STATIC)
        return;
    in->slow |= SIM_SLOW_STATIC;
    in->rule = (uint8_t)rule;
}

/* Where the result of one ALU goes. */
static void decode_destination(struct sim_inst *in, unsigned alu, unsigned waddr, bool file_b,
                               unsigned cond) {
    in->cond[alu] = (uint8_t)cond;
    in->io_file[alu] = file_b;
    in->dst_kind[alu] = SIM_DST_NONE;
    if (waddr == QPU_W_NOP || cond == QPU_COND_NEVER)
        return;
    in->dst_kind[alu] = SIM_DST_REG;
    if (waddr < 32) {
        in->dst[alu] = (uint8_t)(file_b ? waddr + SIM_REG_B : waddr);
        in->writes[file_b] = (uint8_t)waddr;
    } else if (waddr < QPU_W_ACC0 + 4) {
        in->dst[alu] = (uint8_t)(SIM_REG_ACC + waddr - QPU_W_ACC0);
        in->writes_acc |= (uint8_t)(1 << (waddr - QPU_W_ACC0));
    } else if (waddr == QPU_W_ACC5) {
        in->dst_kind[alu] = file_b ? SIM_DST_R5_ALL : SIM_DST_R5_QUAD;
        in->dst[alu] = SIM_R5;
        in->writes_acc |= 1 << 5;
    } else {
        in->dst_kind[alu] = SIM_DST_IO;
        in->dst[alu] = (uint8_t)waddr;
        in->slow |= SIM_SLOW_WRITE;
    }
}

static void decode_destinations(struct sim_inst *in, const struct qpu_inst *q) {
    decode_destination(in, 0, q->waddr_add, q->ws, q->cond_add);
    decode_destination(in, 1, q->waddr_mul, !q->ws, q->cond_mul);
    in->same_dst = in->dst_kind[0] && in->dst_kind[1] && in->dst[0] == in->dst[1] &&
                   (in->dst_kind[0] == in->dst_kind[1] || in->dst[0] == SIM_R5);
    in->packs = q->pack != 0;
    unsigned file_a = q->ws ? 1 : 0; /* the ALU that writes file A */
    if (!q->pm) {
        if (q->pack && in->dst_kind[file_a] == SIM_DST_REG && in->dst[file_a] < 32)
            in->pack[file_a] = q->pack;
        if (q->pack && in->dst_kind[file_a] == SIM_DST_IO)
            static_rule(in, SIM_PACK_IO);
    } else if (in->dst_kind[1] != SIM_DST_NONE && q->pack) {
        in->pack_mul = q->pack;
        if (q->pack < QPU_PACK_8888 || q->pack > QPU_PACK_8D) {
            in->pack_mul = 0;
            static_rule(in, SIM_PACK_RESERVED);
        } else if (in->dst_kind[1] == SIM_DST_IO && q->pack != QPU_PACK_8888) {
            static_rule(in, SIM_PACK_IO);
        }
    }
}

static bool known_read(unsigned addr) {
    switch (addr) {
    case QPU_R_UNIF:
    case QPU_R_VARY:
    case QPU_R_ELEM_QPU:
    case QPU_R_NOP:
    case QPU_R_XY:
    case QPU_R_MS_REV:
    case QPU_R_VPM:
    case QPU_R_VPM_BUSY:
    case QPU_R_VPM_WAIT:
    case QPU_R_MUTEX: return true;
    default: return addr < 32;
    }
}

/* Where an operand is found. */
static uint8_t operand_register(const struct sim_inst *in, unsigned mux) {
    if (mux < QPU_MUX_A)
        return (uint8_t)(SIM_REG_ACC + mux);
    unsigned f = mux - QPU_MUX_A;
    if (f && in->small_imm)
        return SIM_REG_IMM;
    return (uint8_t)(in->raddr[f] >= 32 ? SIM_REG_PORT + f : in->raddr[f] + (f ? SIM_REG_B : 0u));
}

static void decode_alu(struct sim_inst *in, const struct qpu_inst *q) {
    decode_destinations(in, q);
    in->op[0] = q->op_add;
    in->op[1] = q->op_mul;
    in->flags = q->sf ? (q->op_add ? 1 : 2) : 0;
    if (q->sf && q->op_add && q->cond_add == QPU_COND_NEVER)
        static_rule(in, SIM_FLAGS_OWNER);
    const struct qpu_op_info *info[2] = {qpu_add_info(q->op_add), qpu_mul_info(q->op_mul)};
    const uint8_t mux[2][2] = {{q->add_a, q->add_b}, {q->mul_a, q->mul_b}};
    bool float_use = false, int_use = false;
    for (unsigned alu = 0; alu < 2; alu++) {
        if (in->dst_kind[alu] == SIM_DST_NONE && in->flags != alu + 1) {
            in->op[alu] = 0;
            continue;
        }
        if (!in->op[alu])
            continue;
        if (!info[alu] || !info[alu]->name) {
            in->kind = SIM_K_BAD;
            in->slow |= SIM_SLOW_KIND;
            return;
        }
        in->float_result[alu] = info[alu]->float_result;
        unsigned n = info[alu]->nsrc;
        in->src[alu][0] = mux[alu][0];
        in->src[alu][1] = n > 1 ? mux[alu][1] : mux[alu][0];
        in->same[alu] = in->src[alu][0] == in->src[alu][1];
        for (unsigned k = 0; k < 2; k++) {
            unsigned m = in->src[alu][k];
            in->muxes |= (uint8_t)(1 << m);
            if (m == (q->pm ? QPU_MUX_R4 : QPU_MUX_A)) {
                float_use |= info[alu]->is_float;
                int_use |= !info[alu]->is_float;
            }
        }
    }
    in->small_imm = q->sig == QPU_SIG_SMALL_IMM;
    in->raddr[0] = q->raddr_a;
    in->raddr[1] = in->small_imm ? QPU_R_NOP : q->raddr_b;
    if (in->small_imm) {
        in->imm = SIM_SPLAT(qpu_small_imm_value(q->raddr_b));
        if (q->raddr_b >= 48 && in->op[1]) {
            in->rotate = q->raddr_b == 48 ? 16 : (uint8_t)(q->raddr_b - 48);
            in->slow |= SIM_SLOW_ROTATE;
            for (unsigned k = 0; k < 2; k++)
                if (in->src[1][k] < 4)
                    in->rotated_acc |= (uint8_t)(1 << in->src[1][k]);
        }
    }
    for (unsigned f = 0; f < 2; f++) {
        unsigned addr = in->raddr[f];
        bool used = in->muxes & 1 << (QPU_MUX_A + f) && !(f && in->small_imm);
        if (addr < 32) {
            if (used)
                in->reads[f] = (uint8_t)addr;
        } else if (!known_read(addr)) {
            if (used)
                static_rule(in, SIM_READ_ADDRESS);
        } else if (addr != QPU_R_NOP || used) {
            in->slow |= SIM_SLOW_READ;
        }
    }
    if (in->raddr[0] == QPU_R_VARY || in->raddr[1] == QPU_R_VARY) {
        if (in->writes_acc & 1 << 5)
            static_rule(in, SIM_VARYING_R5);
        in->writes_acc |= 1 << 5;
    }
    if (q->unpack && (q->pm ? in->muxes & 1 << QPU_MUX_R4 : in->muxes & 1 << QPU_MUX_A)) {
        in->unpack = q->unpack;
        in->unpack_from = operand_register(in, q->pm ? QPU_MUX_R4 : QPU_MUX_A);
        in->unpack_float = q->pm || float_use;
        if (!q->pm && float_use && int_use && q->unpack != QPU_UNPACK_8D_REP)
            static_rule(in, SIM_UNPACK_MIXED);
    }
    for (unsigned alu = 0; alu < 2; alu++) {
        for (unsigned k = 0; k < 2; k++) {
            unsigned m = in->src[alu][k];
            bool unpacked = in->unpack && m == (q->pm ? QPU_MUX_R4 : QPU_MUX_A);
            in->operand[alu][k] = unpacked ? SIM_REG_UNPACKED : operand_register(in, m);
        }
    }
}

static void decode_immediate(struct sim_inst *in, const struct qpu_inst *q) {
    for (unsigned i = 0; i < SIM_LANES; i++) {
        uint32_t ls = q->imm >> i & 1, ms = q->imm >> (16 + i) & 1;
        in->imm[i] = q->type == QPU_LDI ? q->imm : q->type == QPU_LDI_SIGNED ? ls - 2 * ms : ls + 2 * ms;
    }
    decode_destinations(in, q);
    in->flags = q->sf ? (q->cond_add != QPU_COND_NEVER ? 1 : 2) : 0;
}

/* Rules about what one instruction may combine, and what its stage may touch. */
static void check_instruction(struct sim_inst *in, const struct qpusim_program *p) {
    unsigned coupled = 0, vpm_writes = 0, tmu = 0;
    bool color_write = false, tlb_read = false, vr_setup = false, vw_setup = false, tlb = false, vpm = false;
    for (unsigned alu = 0; alu < 2; alu++) {
        if (in->dst_kind[alu] != SIM_DST_IO)
            continue;
        unsigned a = in->dst[alu];
        if (tmu_address(a))
            tmu++;
        if (tmu_address(a) || sfu_address(a) || tlb_access(a))
            coupled++;
        if (a == QPU_W_TLB_COLOR || a == QPU_W_TLB_COLOR_MS)
            color_write = true;
        tlb |= tlb_address(a) || a == QPU_W_MS_REV || a == QPU_W_XY;
        if (a == QPU_W_VPM)
            vpm_writes++;
        if (a == QPU_W_VPM_SETUP)
            *(in->io_file[alu] ? &vw_setup : &vr_setup) = true;
        vpm |= a >= QPU_W_VPM && a <= QPU_W_VPM_ADDR;
        if (a == QPU_W_HOST_INT || a == QPU_W_TMU_NOSWAP || a == QPU_W_UNIF_ADDR || a == QPU_W_XY ||
            a == QPU_W_MS_REV || tlb_address(a) || (a >= QPU_W_VPM && a <= QPU_W_TMU1_B))
            continue;
        static_rule(in, SIM_WRITE_ADDRESS);
    }
    switch (in->sig) {
    case QPU_SIG_LDTMU0:
    case QPU_SIG_LDTMU1: coupled++; break;
    case QPU_SIG_LOADCV:
    case QPU_SIG_LOADC:
    case QPU_SIG_LDCEND:
    case QPU_SIG_LOADAM:
        coupled++;
        tlb_read = true;
        break;
    default: break;
    }
    bool mutex_read = false, vpm_read = false, vary = false, pixel = false;
    for (unsigned f = 0; f < 2 && in->kind == SIM_K_ALU; f++) {
        unsigned a = in->raddr[f];
        bool used = in->muxes & 1 << (QPU_MUX_A + f);
        mutex_read |= a == QPU_R_MUTEX;
        vpm_read |= a == QPU_R_VPM;
        vary |= a == QPU_R_VARY;
        pixel |= used && (a == QPU_R_XY || a == QPU_R_MS_REV);
        vpm |= a >= QPU_R_VPM && a <= QPU_R_VPM_WAIT;
    }
    coupled += mutex_read;
    if (in->kind == SIM_K_SEMAPHORE)
        coupled++;
    if (tmu > 1)
        static_rule(in, SIM_TMU_BOTH);
    else if (coupled > 1 && !(coupled == 2 && color_write && tlb_read))
        static_rule(in, SIM_COUPLED);
    if (vpm_writes > 1 || (vr_setup && (vw_setup || vpm_read || vpm_writes)) || (vw_setup && vpm_writes))
        static_rule(in, SIM_VPM_PAIR);
    if (p->stage == QPUSIM_FRAGMENT ? vpm : (vary || pixel || tlb || tlb_read))
        static_rule(in, p->stage == QPUSIM_FRAGMENT ? SIM_VERTEX_ONLY : SIM_FRAGMENT_ONLY);
    if ((in->sig == QPU_SIG_THREND || in->sig == QPU_SIG_LDCEND) && in->kind != SIM_K_BRANCH &&
        (in->writes[0] != SIM_NO_WRITE || in->writes[1] != SIM_NO_WRITE))
        static_rule(in, SIM_END_REGFILE);
    for (unsigned f = 0; f < 2; f++) {
        if (in->reads[f] == 14 || in->writes[f] == 14)
            in->touches_r14 = true;
        if (p->threaded &&
            ((in->reads[f] >= 16 && in->reads[f] < 32) || (in->writes[f] >= 16 && in->writes[f] < 32)))
            static_rule(in, SIM_THREAD_REGISTER);
    }
}

/* --- what the fast loop may execute --------------------------------------------------------------------- */

static void mark(uint64_t set[2], unsigned bit) {
    set[bit / 64] |= 1ull << bit % 64;
}

/* Is it no more than one or two moves, and does a condition hold any of them back? */
static bool moves(const struct sim_inst *in) {
    if (in->kind != SIM_K_ALU || in->unpack || in->pack_mul || in->flags || in->pack[0] | in->pack[1])
        return false;
    return (!in->op[0] || (in->op[0] == QPU_A_OR && in->same[0])) &&
           (!in->op[1] || (in->op[1] == QPU_M_V8MIN && in->same[1])) && (in->op[0] || in->op[1]);
}

/* An instruction without peripherals but the uniforms and varyings, in the forms that loop.h has. */
static void classify(struct sim_inst *in, const struct sim_inst *before) {
    if ((in->kind != SIM_K_ALU && in->kind != SIM_K_LDI) || in->slow & ~SIM_SLOW_READ || in->same_dst)
        return;
    for (unsigned f = 0; f < 2; f++) {
        unsigned addr = in->raddr[f];
        if (before && in->reads[f] != SIM_NO_READ && in->reads[f] == before->writes[f])
            return;
        if (addr < 32 || in->kind != SIM_K_ALU || (addr == QPU_R_NOP && !(in->slow & SIM_SLOW_READ)))
            continue;
        bool used = in->muxes & 1 << (QPU_MUX_A + f) && !(f && in->small_imm);
        if (addr == QPU_R_NOP && !used)
            continue;
        uint8_t kind = addr == QPU_R_UNIF   ? SIM_FAST_UNIFORM
                       : addr == QPU_R_VARY ? SIM_FAST_VARYING
                                            : SIM_FAST_NO_READ;
        if (!kind || (in->fast_read && in->fast_read != kind))
            return;
        in->fast_read = kind;
    }
    for (unsigned alu = 0; alu < 2; alu++) {
        unsigned pack = in->pack[alu], d = in->dst[alu];
        bool always = in->cond[alu] == QPU_COND_ALWAYS, writes = in->dst_kind[alu] == SIM_DST_REG;
        if (in->dst_kind[alu] != SIM_DST_NONE && !writes)
            return;
        if (pack && ((pack != QPU_PACK_16A && pack != QPU_PACK_16B) || !in->float_result[alu]))
            return;
        if (in->kind == SIM_K_ALU && !in->op[alu]) {
            if (writes || in->flags == alu + 1)
                return;
            continue;
        }
        for (unsigned k = 0; k < 2 && in->kind == SIM_K_ALU; k++) {
            unsigned r = in->operand[alu][k];
            if (r == SIM_REG_UNPACKED)
                r = in->unpack_from;
            if (r < SIM_REG_PORT)
                mark(in->uses, r);
        }
        if (writes) {
            bool merges = pack || (alu && in->pack_mul && in->pack_mul != QPU_PACK_8888);
            if (merges)
                mark(in->uses, d);
            else if (always)
                mark(in->kills, d);
        }
        if ((writes || in->flags == alu + 1) && !always)
            mark(in->uses, SIM_FLAGS_BIT);
        else if (in->flags == alu + 1)
            mark(in->kills, SIM_FLAGS_BIT);
    }
    if (in->fast_read == SIM_FAST_VARYING)
        mark(in->kills, SIM_R5);
    in->fast = true;
    bool plain =
        in->kind == SIM_K_ALU && (in->op[0] || in->op[1]) && !in->unpack && !in->pack_mul && !in->flags;
    for (unsigned alu = 0; alu < 2; alu++) {
        bool writes = in->dst_kind[alu] == SIM_DST_REG;
        in->to[alu] = writes ? in->dst[alu] : SIM_REG_NOWHERE;
        plain &= !writes || (in->cond[alu] == QPU_COND_ALWAYS && !in->pack[alu]);
    }
    in->form = plain ? SIM_FORM_PLAIN : SIM_FORM_GENERAL;
#define PAIR(add, mul)                                                                                       \
    if (plain && in->op[0] == QPU_A_##add && in->op[1] == QPU_M_##mul)                                       \
        in->form = SIM_FORM_##add##_##mul;
    SIM_PAIRS(PAIR)
#undef PAIR
    bool compares = in->kind == SIM_K_ALU && in->flags == 1 && in->op[0] && !in->op[1] && !in->unpack &&
                    in->cond[0] == QPU_COND_ALWAYS && !in->dst_kind[0] && !in->dst_kind[1];
    if (compares)
        in->form = SIM_FORM_COMPARE;
#define COMPARISON(operation)                                                                                \
    if (compares && in->op[0] == QPU_A_##operation)                                                          \
        in->form = SIM_FORM_COMPARE_##operation;
    SIM_COMPARISONS(COMPARISON)
#undef COMPARISON
    if (!plain && !compares && moves(in))
        in->form = SIM_FORM_SELECT;
    in->begin = in->fast_read == SIM_FAST_UNIFORM   ? SIM_BEGIN_UNIFORM
                : in->fast_read == SIM_FAST_VARYING ? SIM_BEGIN_VARYING
                : in->small_imm                     ? SIM_BEGIN_IMMEDIATE
                                                    : in->form;
}

/* What is fast in a row, from the last instruction to the first. */
static void find_runs(struct qpusim_program *p) {
    for (size_t i = p->count; i-- > 0;) {
        struct sim_inst *in = &p->code[i];
        const struct sim_inst *next = in + 1;
        in->run = in->fast ? 1 + next->run : 0;
        for (unsigned w = 0; w < 2 && in->fast; w++) {
            in->run_uses[w] = in->uses[w] | (next->run_uses[w] & ~in->kills[w]);
            in->run_kills[w] = in->kills[w] | next->run_kills[w];
        }
    }
}

static void decode(struct sim_inst *in, uint64_t word, struct qpusim_program *p) {
    struct qpu_inst q;
    memset(in, 0, sizeof *in);
    in->word = word;
    in->reads[0] = in->reads[1] = SIM_NO_READ;
    in->writes[0] = in->writes[1] = SIM_NO_WRITE;
    in->raddr[0] = in->raddr[1] = QPU_R_NOP;
    if (!qpu_decode(word, &q)) {
        in->kind = SIM_K_BAD;
        in->slow = SIM_SLOW_KIND;
        return;
    }
    in->sig = q.sig;
    switch (q.type) {
    case QPU_ALU:
        in->kind = SIM_K_ALU;
        decode_alu(in, &q);
        if (q.sig != QPU_SIG_NONE && q.sig != QPU_SIG_SMALL_IMM)
            in->slow |= SIM_SLOW_SIGNAL;
        break;
    case QPU_LDI:
    case QPU_LDI_SIGNED:
    case QPU_LDI_UNSIGNED:
        in->kind = SIM_K_LDI;
        decode_immediate(in, &q);
        break;
    case QPU_SEMAPHORE:
        in->kind = SIM_K_SEMAPHORE;
        in->slow |= SIM_SLOW_KIND;
        in->sem = q.sem;
        in->sem_down = q.sem_down;
        decode_destinations(in, &q);
        in->flags = q.sf ? (q.cond_add != QPU_COND_NEVER ? 1 : 2) : 0;
        break;
    default:
        in->kind = SIM_K_BRANCH;
        in->slow |= SIM_SLOW_KIND;
        q.cond_add = q.cond_mul = QPU_COND_ALWAYS;
        q.pack = q.pm = 0;
        decode_destinations(in, &q);
        in->cond_br = q.cond_br;
        in->br_rel = q.br_rel;
        in->br_reg = q.br_reg;
        in->offset = (int32_t)q.imm;
        if (q.br_reg) {
            in->raddr[0] = q.raddr_a;
            in->reads[0] = q.raddr_a;
        }
        p->has_branch = true;
        break;
    }
    in->extra = in->flags || (in->pack[0] | in->pack[1]) & QPU_PACK_SAT;
    if (in->kind != SIM_K_BAD)
        check_instruction(in, p);
}

struct qpusim_program *qpusim_program_new(const uint64_t *code, size_t count, enum qpusim_stage stage,
                                          bool threaded) {
    if (!code || !count || count > QPUSIM_MAX_INSTRUCTIONS)
        return NULL;
    struct qpusim_program *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->code = aligned_alloc(_Alignof(struct sim_inst), (count + 1) * sizeof *p->code);
    if (!p->code) {
        free(p);
        return NULL;
    }
    p->stage = stage;
    p->threaded = threaded && stage == QPUSIM_FRAGMENT;
    p->count = count;
    for (size_t i = 0; i < count; i++) {
        decode(&p->code[i], code[i], p);
        classify(&p->code[i], i ? &p->code[i - 1] : NULL);
    }
    memset(&p->code[count], 0, sizeof p->code[count]); /* not fast: what runs off the end is noticed */
    find_runs(p);
    return p;
}

void qpusim_program_free(struct qpusim_program *program) {
    if (!program)
        return;
    free(program->code);
    free(program);
}
