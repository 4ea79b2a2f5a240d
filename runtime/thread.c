/* The QPU: executes decoded instructions of one thread until it ends, switches or breaks a rule. What is here
 * can execute any of them, one at a time; loop.h has the most usual ones in a faster form.
 *
 * Order within an instruction: signals that start something, port reads, both ALUs, writes, flags, then what
 * arrives at the instruction's end (a varying's C in r5, loaded data and SFU results in r4). Every value
 * carries poison bits for bytes that were never defined. They spread through the ALUs and are checked where
 * they decide something (io.c, branches in thread_control.c). */
#include "runtime/machine.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* --- what is not as on the chip ------------------------------------------------------------------------- */

static bool other_add_op(const struct qpusim_options *o, unsigned op, const u32x16 *a, const u32x16 *b,
                         bool extra, struct sim_alu_out *out) {
    return o->ideal ? sim_ideal_add_op(op, a, b, extra, out)
                    : sim_faulty_add_op(o->fault, op, a, b, extra, out);
}

static bool other_mul_op(const struct qpusim_options *o, unsigned op, const u32x16 *a, const u32x16 *b,
                         bool extra, struct sim_alu_out *out) {
    return o->ideal ? sim_ideal_mul_op(op, a, b, extra, out)
                    : sim_faulty_mul_op(o->fault, op, a, b, extra, out);
}

static void unpack(unsigned fault, unsigned mode, bool as_float, const u32x16 *in, u32x16 *out) {
    if (UNLIKELY(fault))
        sim_faulty_unpack(fault, mode, as_float, in, out);
    else
        sim_unpack(mode, as_float, in, out);
}

static void pack_a(unsigned fault, unsigned mode, bool float_result, const struct sim_alu_out *in,
                   const u32x16 *old, u32x16 *out) {
    if (UNLIKELY(fault))
        sim_faulty_pack_a(fault, mode, float_result, in, old, out);
    else
        sim_pack_a(mode, float_result, in, old, out);
}

static void pack_mul(unsigned fault, unsigned mode, const u32x16 *in, const u32x16 *old, u32x16 *out) {
    if (UNLIKELY(fault))
        sim_faulty_pack_mul(fault, mode, in, old, out);
    else
        sim_pack_mul(mode, in, old, out);
}

/* --- writing results ------------------------------------------------------------------------------------ */

SIM_INLINE i32x16 condition(const struct sim_thread *t, unsigned cond) {
    switch (cond) {
    case QPU_COND_ZS: return t->zf;
    case QPU_COND_ZC: return ~t->zf;
    case QPU_COND_NS: return t->nf;
    case QPU_COND_NC: return ~t->nf;
    case QPU_COND_CS: return t->cf;
    case QPU_COND_CC: return ~t->cf;
    case QPU_COND_ALWAYS: return ~(i32x16){};
    default: return (i32x16){};
    }
}

/* The same, one bit a lane. */
SIM_INLINE unsigned condition_lanes(const struct sim_thread *t, unsigned cond) {
    if (LIKELY(cond == QPU_COND_ALWAYS))
        return 0xffff;
    i32x16 m = condition(t, cond);
    return sim_movemask(&m);
}

/* Poison after a conditional write: written lanes take the new, undecided lanes become poison. */
static sim_poison merge_poison(const struct sim_thread *t, const struct sim_inst *in, unsigned alu,
                               unsigned lanes, sim_poison value, sim_poison old) {
    if (in->cond[alu] == QPU_COND_ALWAYS)
        return value;
    sim_poison m = sim_poison_of_lanes(lanes);
    return (value & m) | (old & ~m) | sim_poison_of_lanes(t->flag_poison);
}

static void write_r5(struct sim_thread *t, const struct sim_inst *in, unsigned alu, const u32x16 *value,
                     sim_poison p, unsigned lanes) {
    /* File A: element 0 of each quad; file B: element 0 (facts section 4). */
    unsigned keep = in->dst_kind[alu] == SIM_DST_R5_QUAD && !SIM_FAULT(t->options, r5_quad) ? ~3u : 0;
    sim_poison q = 0;
    u32x16 *r5 = &t->reg[SIM_R5];
    for (unsigned i = 0; i < SIM_LANES; i++) {
        (*r5)[i] = lanes >> i & 1 ? (*value)[i & keep] : (*r5)[i];
        if (sim_poison_lanes(p) >> (i & keep) & 1)
            q |= sim_poison_of_lanes(1u << i);
    }
    t->poison[SIM_R5] = merge_poison(t, in, alu, lanes, q, t->poison[SIM_R5]);
}

/* False: stop. */
SIM_INLINE bool write_result(struct sim_thread *t, const struct sim_inst *in, unsigned alu,
                             struct sim_alu_out *out, sim_poison p) {
    unsigned kind = in->dst_kind[alu];
    if (kind == SIM_DST_NONE)
        return true;
    if (LIKELY(kind == SIM_DST_REG)) {
        unsigned d = in->dst[alu], pack = 0;
        u32x16 *reg = &t->reg[d];
        if (UNLIKELY(in->pack[alu])) {
            pack = in->pack[alu];
            pack_a(t->options->fault, pack, in->float_result[alu], out, reg, &out->value);
        } else if (UNLIKELY(alu && in->pack_mul)) {
            pack = in->pack_mul;
            pack_mul(t->options->fault, pack, &out->value, reg, &out->value);
        }
        if (LIKELY(in->cond[alu] == QPU_COND_ALWAYS)) {
            *reg = out->value;
            if (UNLIKELY(p | t->poison[d]))
                t->poison[d] = sim_poison_packed(pack, p, t->poison[d]);
        } else {
            i32x16 m = condition(t, in->cond[alu]);
            sim_select(&m, &out->value, reg);
            if (UNLIKELY(p | t->poison[d] | t->flag_poison))
                t->poison[d] = merge_poison(t, in, alu, sim_movemask(&m),
                                            sim_poison_packed(pack, p, t->poison[d]), t->poison[d]);
        }
        if (UNLIKELY(t->trace != NULL))
            sim_trace_destination(t, in, alu, condition_lanes(t, in->cond[alu]), NULL);
        return true;
    }
    if (alu && in->pack_mul)
        pack_mul(t->options->fault, in->pack_mul, &out->value,
                 kind == SIM_DST_IO ? &out->value : &t->reg[SIM_R5], &out->value);
    unsigned lanes = condition_lanes(t, in->cond[alu]);
    if (kind == SIM_DST_IO) {
        if (UNLIKELY(t->trace != NULL))
            sim_trace_destination(t, in, alu, lanes, &out->value);
        return sim_io_write(t, in->io_file[alu], in->dst[alu], &out->value, p, lanes,
                            in->cond[alu] == QPU_COND_ALWAYS ? 0 : t->flag_poison);
    }
    write_r5(t, in, alu, &out->value, p, lanes);
    if (UNLIKELY(t->trace != NULL))
        sim_trace_destination(t, in, alu, lanes, NULL);
    return true;
}

SIM_INLINE void set_flags(struct sim_thread *t, const struct sim_inst *in, unsigned alu, const u32x16 *value,
                          const i32x16 *carry, sim_poison p) {
    i32x16 z, n, c = *carry;
    sim_flags(value, &z, &n);
    unsigned lanes = 0xffff;
    if (SIM_FAULT(t->options, carry_logic) && alu == 0 && in->op[0] >= QPU_A_AND && in->op[0] <= QPU_A_NOT)
        c = t->cf;
    if (UNLIKELY(in->cond[alu] != QPU_COND_ALWAYS) && !SIM_FAULT(t->options, flags_all_lanes)) {
        i32x16 m = condition(t, in->cond[alu]);
        z = (m & z) | (~m & t->zf);
        n = (m & n) | (~m & t->nf);
        c = (m & c) | (~m & t->cf);
        lanes = sim_movemask(&m);
    }
    t->zf = z;
    t->nf = n;
    t->cf = c;
    if (UNLIKELY(p || t->flag_poison)) {
        /* Lanes that a poisoned condition leaves undecided stay poisoned. */
        unsigned undecided = in->cond[alu] == QPU_COND_ALWAYS ? 0 : t->flag_poison;
        t->flag_poison = (t->flag_poison & ~lanes) | (sim_poison_lanes(p) & lanes) | undecided;
    }
}

static void rotate(const u32x16 *v, unsigned n, bool full, u32x16 *out) {
    u32x16 r;
    for (unsigned i = 0; i < SIM_LANES; i++)
        r[i] = (*v)[full ? (i - n) & 15 : (i & ~3u) | ((i - n) & 3)];
    *out = r;
}

/* --- instructions off the fast path --------------------------------------------------------------------- */

/* A branch's link address; written only when the branch is taken (facts section 3). False: stop. */
static bool write_link(struct sim_thread *t, const struct sim_inst *in) {
    struct sim_alu_out out = {.value = SIM_SPLAT((t->pc + 4) * 8)};
    for (unsigned alu = 0; alu < 2; alu++)
        if (!write_result(t, in, alu, &out, 0))
            return false;
    return true;
}

/* Both ports' I/O addresses; `value` and `poison` receive what is read. */
static bool read_ports(struct sim_thread *t, const struct sim_inst *in, u32x16 value[2],
                       sim_poison poison[2]) {
    bool done = false;
    for (unsigned f = 0; f < 2; f++) {
        unsigned addr = in->raddr[f];
        if (addr < 32)
            continue;
        bool used = in->muxes & 1 << (QPU_MUX_A + f) && !(f && in->small_imm);
        if (addr == QPU_R_NOP && !used)
            continue;
        bool pops = addr == QPU_R_UNIF || addr == QPU_R_VARY || addr == QPU_R_VPM;
        if (!pops && !used && addr != QPU_R_MUTEX && addr != QPU_R_VPM_WAIT)
            continue;
        if (pops && f && done && in->raddr[0] == addr &&
            !(SIM_FAULT(t->options, uniform_each_port) && addr == QPU_R_UNIF)) {
            value[1] = value[0]; /* both ports see the one value (facts section 7) */
            poison[1] = poison[0];
            continue;
        }
        if (!sim_io_read(t, f, addr, &value[f], &poison[f]))
            return false;
        done = true;
    }
    return true;
}

static bool check_hazards(struct sim_thread *t, const struct sim_inst *in) {
    const struct sim_inst *prev = t->previous;
    for (unsigned f = 0; f < 2; f++)
        if (in->reads[f] == prev->writes[f] &&
            sim_fail(t, SIM_REGFILE_RAW, -1, "r%c%u was written by the previous instruction", f ? 'b' : 'a',
                     in->reads[f]))
            return false;
    return true;
}

static bool check_end_window(struct sim_thread *t, const struct sim_inst *in) {
    return !(in->touches_r14 &&
             sim_fail(t, SIM_END_R14, -1, "register 14 is used in the last three instructions"));
}

/* --- one instruction ------------------------------------------------------------------------------------ */

static const struct sim_inst no_instruction = {.writes = {SIM_NO_WRITE, SIM_NO_WRITE},
                                               .reads = {SIM_NO_READ, SIM_NO_READ}};

/* Poison as one bit for each register that the instruction may have written. */
static void note_poison(struct sim_thread *t, const struct sim_inst *in) {
    uint64_t high = 0;
    for (unsigned r = SIM_REG_ACC; r < SIM_REG_PORT; r++)
        high |= (uint64_t)(t->poison[r] != 0) << (r - 64);
    t->poisoned[1] = high | (uint64_t)(t->flag_poison != 0) << (SIM_FLAGS_BIT - 64);
    for (unsigned alu = 0; alu < 2; alu++) {
        unsigned d = in->dst[alu];
        if (in->dst_kind[alu] == SIM_DST_REG && d < 64)
            t->poisoned[0] = (t->poisoned[0] & ~(1ull << d)) | (uint64_t)(t->poison[d] != 0) << d;
    }
}

void sim_thread_defined(struct sim_thread *t, const uint64_t kills[2]) {
    for (unsigned w = 0; w < 2; w++) {
        for (uint64_t left = t->poisoned[w] & kills[w]; left; left &= left - 1) {
            unsigned r = 64 * w + (unsigned)__builtin_ctzll(left);
            if (r == SIM_FLAGS_BIT)
                t->flag_poison = 0;
            else
                t->poison[r] = 0;
        }
        t->poisoned[w] &= ~kills[w];
    }
}

/* Converts screen coordinates to sixteenths of a pixel: nothing else is packed into 16 bits by an ftoi. */
static bool makes_position(const struct sim_thread *t, const struct sim_inst *in) {
    return in->op[0] == QPU_A_FTOI && t->program->stage != QPUSIM_FRAGMENT &&
           (in->pack[0] == QPU_PACK_16A || in->pack[0] == QPU_PACK_16B);
}

bool sim_thread_step(struct sim_thread *t, enum sim_stop *stop) {
    const struct sim_inst *code = t->program->code;
    const size_t count = t->program->count;
    const bool other = t->options->ideal || t->options->fault;
    struct qpusim_trace trace;
    char text[160];
    *stop = SIM_STOP_ERROR;
    if (!t->previous)
        t->previous = &no_instruction;
    if (UNLIKELY(t->pc >= count)) {
        t->index = t->pc;
        sim_fail(t, SIM_RUN_OFF_END, -1, "execution left the program");
        return false;
    }
    const struct sim_inst *in = &code[t->pc];
    t->index = t->pc;
    if (UNLIKELY(t->executed >= t->budget)) {
        sim_fail(t, SIM_BUDGET, -1, "more than %llu instructions", (unsigned long long)t->budget);
        return false;
    }
    t->executed++;
    t->clock->now++;
    if (UNLIKELY(t->traced))
        sim_trace_begin(t, in, &trace, text, sizeof text);

    /* Rules and signals. */
    u32x16 r4_load;
    sim_poison r4_poison = 0;
    bool loads_r4 = false;
    if (UNLIKELY(in->reads[0] == t->previous->writes[0] || in->reads[1] == t->previous->writes[1]))
        if (!check_hazards(t, in))
            return false;
    if (UNLIKELY(t->sfu && in->muxes & 1 << QPU_MUX_R4) &&
        sim_fail(t, SIM_SFU_R4_READ, -1, "r4 is read before the SFU result is there"))
        return false;
    if (UNLIKELY(in->slow)) {
        if (in->slow & SIM_SLOW_STATIC &&
            sim_fail(t, in->rule, -1, "the instruction breaks the rule %s by itself",
                     sim_rule_name(in->rule)))
            return false;
        if (in->slow & SIM_SLOW_SIGNAL && !sim_thread_start_signal(t, in->sig))
            return false;
        if (in->slow & SIM_SLOW_READ && !read_ports(t, in, &t->reg[SIM_REG_PORT], &t->poison[SIM_REG_PORT]))
            return false;
        if (in->slow & SIM_SLOW_SIGNAL && !sim_io_signal(t, in->sig, &r4_load, &r4_poison, &loads_r4))
            return false;
    }
    if (UNLIKELY(t->end) && !check_end_window(t, in))
        return false;

    struct sim_alu_out out[2];
    sim_poison p[2] = {0, 0};
    if (LIKELY(in->kind == SIM_K_ALU)) {
        if (UNLIKELY(in->unpack)) {
            unpack(t->options->fault, in->unpack, in->unpack_float, &t->reg[in->unpack_from],
                   &t->reg[SIM_REG_UNPACKED]);
            t->poison[SIM_REG_UNPACKED] = sim_poison_unpacked(in->unpack, t->poison[in->unpack_from]);
        }
        /* ALUs. */
        const u32x16 *imm = &in->imm;
        u32x16 other_imm;
        if (SIM_FAULT(t->options, immediate_fractions) && in->small_imm) {
            sim_faulty_immediate(imm, &other_imm);
            imm = &other_imm;
        }
        if (in->op[0]) {
            unsigned x = in->operand[0][0], y = in->operand[0][1];
            const u32x16 *a = x == SIM_REG_IMM ? imm : &t->reg[x], *b = y == SIM_REG_IMM ? imm : &t->reg[y];
            u32x16 nearest;
            if (UNLIKELY((t->options->ideal || t->options->nearest_positions) && makes_position(t, in))) {
                sim_nearest_position(a, &nearest);
                a = &nearest;
            }
            if (UNLIKELY(other)) {
                if (!other_add_op(t->options, in->op[0], a, b, in->extra, &out[0]))
                    goto bad;
            } else if (UNLIKELY(!sim_add_op(in->op[0], a, b, in->extra, &out[0])))
                goto bad;
            if (UNLIKELY(t->poison[x] | t->poison[y]))
                p[0] = sim_poison_result(in, 0, a, b, t->poison[x], t->poison[y]);
        } else if (in->dst_kind[0]) {
            out[0].value = SIM_SPLAT(sim_pattern(&t->poison_state));
            out[0].carry = out[0].overflow = (i32x16){};
            p[0] = ~0ull;
        }
        if (in->op[1]) {
            unsigned x = in->operand[1][0], y = in->operand[1][1];
            const u32x16 *a = x == SIM_REG_IMM ? imm : &t->reg[x], *b = y == SIM_REG_IMM ? imm : &t->reg[y];
            if (UNLIKELY(other)) {
                if (!other_mul_op(t->options, in->op[1], a, b, in->extra, &out[1]))
                    goto bad;
            } else if (UNLIKELY(!sim_mul_op(in->op[1], a, b, in->extra, &out[1])))
                goto bad;
            if (UNLIKELY(t->poison[x] | t->poison[y]))
                p[1] = sim_poison_result(in, 1, a, b, t->poison[x], t->poison[y]);
            if (UNLIKELY(in->rotate)) {
                if (in->rotated_acc & t->previous->writes_acc &&
                    sim_fail(t, SIM_ROTATE_ACC, -1, "the rotated accumulator was written just before"))
                    return false;
                unsigned n = in->rotate;
                if (n == 16) {
                    if (t->previous->writes_acc & 1 << 5 &&
                        sim_fail(t, SIM_ROTATE_R5, -1, "r5 was written just before it gives the rotation"))
                        return false;
                    if (sim_poison_lanes(t->poison[SIM_R5]) & 1 &&
                        sim_fail(t, SIM_UNDEF_ADDRESS, 0, "rotation by an undefined r5"))
                        return false;
                    n = t->reg[SIM_R5][0] & 15;
                }
                if (SIM_FAULT(t->options, rotation_reversed))
                    n = -n & 15;
                bool full = in->src[1][0] < 4 && in->src[1][1] < 4;
                rotate(&out[1].value, n, full, &out[1].value);
                if (p[1])
                    p[1] = sim_poison_rotated(p[1], n, full);
            }
        } else if (in->dst_kind[1]) {
            out[1].value = SIM_SPLAT(sim_pattern(&t->poison_state));
            out[1].carry = out[1].overflow = (i32x16){};
            p[1] = ~0ull;
        }
    } else if (in->kind == SIM_K_LDI) {
        out[0].value = out[1].value = in->imm;
        out[0].carry = out[0].overflow = out[1].carry = out[1].overflow = (i32x16){};
    } else if (in->kind == SIM_K_BRANCH) {
        bool links = false;
        if (sim_thread_branch(t, in, &links) || (links && !write_link(t, in)))
            return false;
        goto written;
    } else if (in->kind == SIM_K_SEMAPHORE) {
        if (!sim_io_semaphore(t, in->sem, in->sem_down))
            return false;
        out[0].value = out[1].value = SIM_SPLAT(sim_pattern(&t->poison_state));
        out[0].carry = out[0].overflow = out[1].carry = out[1].overflow = (i32x16){};
        p[0] = p[1] = ~0ull;
    } else {
        goto bad;
    }
    if (UNLIKELY(in->same_dst)) {
        unsigned lanes = condition_lanes(t, in->cond[0]) & condition_lanes(t, in->cond[1]);
        if (in->dst_kind[0] == SIM_DST_IO)
            lanes = 0xffff;
        if (lanes &&
            sim_fail(t, SIM_SAME_DESTINATION, sim_first_lane(lanes), "both ALUs write the same place"))
            return false;
    }
    u32x16 unpacked_result;
    bool packs = in->packs && !SIM_FAULT(t->options, flags_packed);
    if (in->flags && packs) /* flags see the result before it is packed */
        unpacked_result = out[in->flags - 1].value;
    if (UNLIKELY(!write_result(t, in, 0, &out[0], p[0]) || !write_result(t, in, 1, &out[1], p[1])))
        return false;
    if (in->flags) {
        unsigned alu = in->flags - 1u;
        if (in->op[alu] || in->kind != SIM_K_ALU)
            set_flags(t, in, alu, packs ? &unpacked_result : &out[alu].value, &out[alu].carry, p[alu]);
        else
            t->flag_poison = 0xffff;
    }
    if (UNLIKELY(t->vary_c)) {
        t->vary_c = false;
        memcpy(&t->reg[SIM_R5], t->fragments->c[t->varyings_read - 1], sizeof(u32x16));
        sim_thread_fill_absent(t, &t->reg[SIM_R5]);
        t->poison[SIM_R5] = 0;
        if (t->trace)
            sim_trace_write(t, "r5", &t->reg[SIM_R5], 0xffff);
    }
    if (UNLIKELY(loads_r4)) {
        t->reg[SIM_R4] = r4_load;
        t->poison[SIM_R4] = r4_poison;
        if (t->trace)
            sim_trace_write(t, "r4", &r4_load, 0xffff);
    }
written:
    t->sb_unlocked = t->sb_done;
    t->previous = in;
    if (UNLIKELY(t->trace != NULL)) {
        if (t->sfu == 1)
            sim_trace_write(t, "r4", &t->sfu_value, 0xffff);
        t->options->trace(t->options->trace_user, t->trace);
        t->trace = NULL;
    }
    bool on = true;
    if (UNLIKELY(t->sfu | t->branch | t->change | t->end))
        on = sim_thread_finish_instruction(t, stop);
    else
        t->pc++;
    note_poison(t, in);
    return on;
bad:
    sim_fail(t, SIM_BAD_INSTRUCTION, -1, "no instruction has the pattern %016llx",
             (unsigned long long)in->word);
    return false;
}

/* --- running -------------------------------------------------------------------------------------------- */

enum sim_stop sim_thread_run(struct sim_thread *t) {
    bool positions = t->options->nearest_positions && t->program->stage != QPUSIM_FRAGMENT;
    if (UNLIKELY(t->traced || t->options->ideal || t->options->fault || positions)) {
        enum sim_stop stop;
        while (sim_thread_step(t, &stop)) {
        }
        return stop;
    }
    switch (sim_host()) {
#ifdef SIM_X86_LOOPS
    case SIM_HOST_AVX512: return sim_loop_avx512(t);
    case SIM_HOST_AVX2: return sim_loop_avx2(t);
#endif
    default: return sim_loop_plain(t);
    }
}
