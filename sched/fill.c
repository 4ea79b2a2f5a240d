/* One instruction and what fits into it: read ports, the stream's one word, pack and unpack, write sides,
 * signals.
 *
 * Requires: a list-scheduling run under way; the op waits for nothing. Keeps: what is in the instruction
 * already; a try that fails leaves it as it was.
 *
 * Guide section 3: each file has one read port that both ALUs share; a small immediate takes file B's; one
 * ALU writes to A and the other to B, swapped by ws. What an instruction has no room for as a whole is the
 * issue model's to say (model.h). */
#include "sched/schedule.h"

#include <string.h>

void slots_begin(const struct sched *s, struct slots *w) {
    memset(w, 0, sizeof *w);
    w->q = qpu_nop();
    w->refused = s->now.t < s->now.stream_from ? T_TMU | T_STREAM : 0;
    w->a_addr = w->b_addr = -1;
    w->slot = w->tmu_slot = M_NO_VALUE;
    w->pm = w->ws = -1;
}

static bool want(int8_t *field, int value) {
    if (*field >= 0)
        return *field == value;
    *field = (int8_t)value;
    return true;
}

static bool port_a(struct slots *w, int addr, uint8_t unpack, bool floats) {
    if (w->a_addr >= 0 && w->a_addr != addr)
        return false;
    if (w->a_read && (w->a_unpack != unpack || (unpack && w->a_float != floats)))
        return false;
    if (unpack && !want(&w->pm, 0))
        return false;
    w->a_addr = (int16_t)addr;
    w->a_read = true;
    w->a_unpack = unpack;
    w->a_float = floats;
    if (unpack)
        w->q.unpack = unpack;
    return true;
}

bool slots_word_in_b(const struct slots *w) {
    return w->slot != M_NO_VALUE && !w->b_imm && w->b_addr == QPU_R_UNIF;
}

static void from_a(uint8_t *mux) {
    *mux = *mux == QPU_MUX_B ? QPU_MUX_A : *mux;
}

/* What came through file B's port comes through file A's. An ALU without an op reads r0. */
static void all_from_a(struct qpu_inst *q) {
    from_a(&q->add_a), from_a(&q->add_b), from_a(&q->mul_a), from_a(&q->mul_b);
}

/* Leaves file B's port to what can come through no other: the word of the stream comes through file A's. */
static bool move_word(struct slots *w) {
    if (!slots_word_in_b(w) || !port_a(w, QPU_R_UNIF, 0, false))
        return false;
    w->b_addr = -1;
    all_from_a(&w->q);
    return true;
}

static bool port_b(struct slots *w, int addr) {
    if (w->b_imm || (w->b_addr >= 0 && w->b_addr != addr && !move_word(w)))
        return false;
    w->b_addr = (int16_t)addr;
    return true;
}

static bool small_imm(struct slots *w, unsigned code) {
    if (w->no_imm)
        return false;
    if (w->b_imm ? w->b_addr != (int)code : w->q.sig != QPU_SIG_NONE || (w->b_addr >= 0 && !move_word(w)))
        return false;
    w->b_imm = true;
    w->b_addr = (int16_t)code;
    w->refused |= T_SIGNAL | T_DIRECT;
    return true;
}

/* A word of the stream through either port. */
static bool stream(const struct sched *s, struct slots *w, uint32_t slot, uint8_t *mux) {
    if (s->now.t < s->now.stream_from || w->tmu_slot != M_NO_VALUE ||
        (w->slot != M_NO_VALUE && w->slot != slot))
        return false;
    bool in_a = w->slot == slot && w->a_addr == QPU_R_UNIF && !w->a_unpack;
    bool in_b = w->slot == slot && !w->b_imm && w->b_addr == QPU_R_UNIF;
    if (!in_a && !in_b) {
        in_b = port_b(w, QPU_R_UNIF);
        if (!in_b && !port_a(w, QPU_R_UNIF, 0, false))
            return false;
    }
    w->slot = slot;
    *mux = in_b ? QPU_MUX_B : QPU_MUX_A;
    return true;
}

/* The word of the stream that an immediate can be instead. */
static uint32_t slot_of_imm(struct sched *s, int code, uint32_t bits) {
    if (code < 0)
        return ir_slot_const(s->m->shader, IR_I32, bits);
    if (!s->imm_slot[code])
        s->imm_slot[code] = ir_slot_const(s->m->shader, IR_I32, bits) + 1;
    return s->imm_slot[code] - 1;
}

/* A value from where it is. */
static bool fetch_value(const struct sched *s, struct slots *w, const struct m_src *src, bool floats,
                        uint8_t *mux) {
    int p = s->value[src->v].where;
    if (place_in_a(p)) {
        *mux = QPU_MUX_A;
        return port_a(w, p, src->unpack, floats);
    }
    if (p == PLACE_R4) {
        if ((w->r4_read && w->r4_unpack != src->unpack) || (src->unpack && !want(&w->pm, 1)))
            return false;
        w->r4_read = true;
        w->r4_unpack = src->unpack;
        if (src->unpack)
            w->q.unpack = src->unpack;
        *mux = QPU_MUX_R4;
        return true;
    }
    if (src->unpack)
        return false;
    *mux = place_is_acc(p) ? (uint8_t)(p - PLACE_ACC) : QPU_MUX_B;
    return place_is_acc(p) || port_b(w, p - PLACE_B);
}

/* r5, a word of the stream, an immediate or a read of a port. */
static bool fetch_other(struct sched *s, struct slots *w, const struct m_op *op, const struct m_src *src,
                        uint8_t *mux) {
    switch (src->kind) {
    case M_R5: *mux = QPU_MUX_R5; return true;
    case M_SLOT: return stream(s, w, src->v, mux);
    case M_IMM: {
        int code = qpu_small_imm_code(src->v);
        *mux = QPU_MUX_B;
        if (code >= 0 && small_imm(w, (unsigned)code))
            return true;
        return !(code >= 0 && op && op->small_imm_only) && stream(s, w, slot_of_imm(s, code, src->v), mux);
    }
    case M_READ: {
        bool in_a = w->a_read && w->a_addr == (int)src->v; /* read already: not a second time */
        *mux = QPU_MUX_B;
        if (src->side & M_SIDE_B && !in_a && port_b(w, (int)src->v))
            return true;
        *mux = QPU_MUX_A;
        return (src->side & M_SIDE_A) && port_a(w, (int)src->v, 0, false);
    }
    default: return true;
    }
}

/* An operand through a port, a multiplexer or the stream. False, with the instruction as it was: there is no
 * way. */
static inline bool fetch(struct sched *s, struct slots *w, const struct m_op *op, const struct m_src *src,
                         bool floats, uint8_t *mux) {
    if (src->kind != M_VAL)
        return fetch_other(s, w, op, src, mux);
    if (sched_on_port(s, src))
        return fetch_other(s, w, op, &s->m->op[s->m->val[src->v].def].src[0], mux);
    return fetch_value(s, w, src, floats, mux);
}

/* Two operands; the word of the stream may have to move for the second. */
static bool fetch_two(struct sched *s, struct slots *w, const struct m_op *op, unsigned first, bool floats,
                      uint8_t mux[2]) {
    if (!fetch(s, w, op, &op->src[first], floats, &mux[first]))
        return false;
    bool in_b = slots_word_in_b(w);
    if (!fetch(s, w, op, &op->src[!first], floats, &mux[!first]))
        return false;
    if (in_b && !slots_word_in_b(w))
        from_a(&mux[first]);
    return true;
}

/* Both operands, the second first if that order finds ports and the other does not. `before`: the instruction
 * as it is without them. */
static bool fetch_all(struct sched *s, struct slots *w, const struct slots *before, const struct m_op *op,
                      bool floats, uint8_t mux[2]) {
    if (op->nsrc < 2)
        return !op->nsrc || fetch(s, w, op, &op->src[0], floats, &mux[0]);
    if (fetch_two(s, w, op, 0, floats, mux))
        return true;
    *w = *before;
    return fetch_two(s, w, op, 1, floats, mux);
}

/* ws = 0: add writes A and mul writes B. */
static bool write_side(struct slots *w, bool on_mul, bool to_a) {
    return want(&w->ws, on_mul == to_a);
}

static bool take_peripheral(struct slots *w, const struct m_op *op, bool on_mul) {
    bool direct = op->tmu_slot == M_NO_VALUE && (op->waddr == QPU_W_TMU0_S || op->waddr == QPU_W_TMU1_S);
    if (direct && w->b_imm)
        return false;
    w->no_imm |= direct;
    if (op->tmu_slot != M_NO_VALUE) {
        if (w->slot != M_NO_VALUE)
            return false;
        w->tmu_slot = op->tmu_slot;
    }
    return op->wside == M_SIDE_ANY || write_side(w, on_mul, op->wside == M_SIDE_A);
}

/* Which sides the result may still go to. */
static unsigned open_sides(const struct slots *w, bool on_mul) {
    if (w->ws < 0)
        return M_SIDE_ANY;
    return (w->ws != 0) == on_mul ? M_SIDE_A : M_SIDE_B;
}

/* How often the op reads the value. */
static unsigned reads_of(const struct sched_op *o, uint32_t v) {
    return (o->src[0] == v) + (o->src[1] == v);
}

/* Whether r4 is free, or becomes so by what the op itself reads: what it starts arrives later. */
static bool r4_can_start(const struct sched *s, uint32_t index) {
    uint32_t owner = s->owner[PLACE_R4];
    return s->now.t >= s->now.r4_free_at &&
           (owner == M_NO_VALUE || s->value[owner].uses_left == reads_of(&s->op[index], owner));
}

/* Until the op has chosen, its result may go where it reads a value for the last time. */
static void lend(struct sched_places *all, int place, uint64_t occupied) {
    uint64_t bit = 1ull << (place & 63);
    if (place >= PLACE_ACC)
        all->free_acc |= (uint8_t)(1u << (place - PLACE_ACC));
    else if (all->promised & bit)
        all->borrowed |= bit;
    else if (!(occupied & bit))
        all->free_files |= bit;
}

/* Where the result goes. A value that the op reads last frees its place for it. */
static int choose_reusing(struct sched *s, uint32_t index, unsigned sides) {
    const struct m_op *op = &s->m->op[index];
    const struct sched_op *o = &s->op[index];
    uint32_t freed[2];
    int at[2];
    unsigned n = 0;
    struct sched_places *all = &s->now.places;
    const uint64_t free_files = all->free_files, borrowed = all->borrowed;
    const uint8_t free_acc = all->free_acc;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t v = o->src[k];
        int p = s->value[v].where;
        if (s->value[v].uses_left > reads_of(o, v) || p < 0 || p == PLACE_R4 || s->owner[p] != v ||
            sched_on_port(s, &op->src[k]))
            continue;
        s->owner[p] = place_vacant(s, p);
        lend(all, p, s->occupied);
        freed[n] = v;
        at[n++] = p;
    }
    int place = place_of_result(s, op->dst, sides);
    while (n--)
        s->owner[at[n]] = freed[n];
    all->free_files = free_files, all->borrowed = borrowed, all->free_acc = free_acc;
    return place;
}

/* What the instruction has no room for once it has an op of these traits. An immediate may have come from the
 * stream, which the traits do not tell. */
static uint32_t refused_after(const struct slots *w, uint32_t traits) {
    return model_excludes(traits | (w->slot != M_NO_VALUE ? T_STREAM : 0)) |
           model_excludes_alus(w->add_used, w->mul_used);
}

static bool try_signal(const struct sched *s, struct slots *w, uint32_t index, int *place) {
    const struct m_op *op = &s->m->op[index];
    if (op->r4 && !r4_can_start(s, index))
        return false;
    w->q.sig = op->sig;
    *place = op->r4 ? PLACE_R4 : PLACE_NONE;
    return true;
}

/* Where the result goes; false: nowhere. */
static bool find_place(struct sched *s, struct slots *w, uint32_t index, bool on_mul, int *place) {
    const struct m_op *op = &s->m->op[index];
    if (op->r4) {
        *place = PLACE_R4; /* may_take_alu has seen that it is free */
        return true;
    }
    if (op->dst == M_NO_VALUE)
        return true;
    if (op->tied != M_NO_VALUE) {
        *place = s->value[op->tied].where;
        int fixed = s->m->val[op->dst].fixed;
        if (*place == PLACE_R4 || (op->pack && !op->pm && !place_in_a(*place)) ||
            (fixed >= 0 && *place != fixed))
            return false;
    } else if (s->value[op->dst].uses_left || s->m->val[op->dst].fixed >= 0) {
        *place = choose_reusing(s, index, open_sides(w, on_mul));
        if (*place == PLACE_NONE)
            return false;
    } else {
        return true;
    }
    return place_is_acc(*place) || write_side(w, on_mul, place_in_a(*place));
}

/* The ALU is free and can do it, and so are the flags and r4 if the op writes them. */
static bool may_take_alu(const struct sched *s, const struct slots *w, uint32_t index, bool on_mul) {
    const struct m_op *op = &s->m->op[index];
    return (on_mul ? op->mul_op && !w->mul_used : op->add_op && !w->add_used) &&
           !(op->sf && (on_mul || s->now.flags_pending)) && !(op->r4 && !r4_can_start(s, index));
}

static unsigned waddr_of(int place) {
    return (unsigned)(place_is_acc(place) ? QPU_W_ACC0 + place - PLACE_ACC : place & 31);
}

static void take_alu(struct slots *w, bool on_mul, unsigned opcode, const uint8_t mux[2], uint8_t cond,
                     unsigned waddr) {
    if (on_mul) {
        w->mul_used = true;
        w->q.op_mul = (uint8_t)opcode;
        w->q.mul_a = mux[0];
        w->q.mul_b = mux[1];
        w->q.cond_mul = cond;
        w->q.waddr_mul = (uint8_t)waddr;
    } else {
        w->add_used = true;
        w->q.op_add = (uint8_t)opcode;
        w->q.add_a = mux[0];
        w->q.add_b = mux[1];
        w->q.cond_add = cond;
        w->q.waddr_add = (uint8_t)waddr;
    }
}

static bool try_alu(struct sched *s, struct slots *w, const struct slots *before, uint32_t index, bool on_mul,
                    int *place) {
    const struct m_op *op = &s->m->op[index];
    unsigned opcode = on_mul ? op->mul_op : op->add_op;
    struct m_op with;
    const struct m_op *reads = op;
    if (op->factor && on_mul) {
        with = *op;
        with.nsrc = 2;
        with.src[1] = (struct m_src){.kind = M_IMM, .v = op->factor};
        reads = &with;
    }
    bool unpacks = op->src[0].unpack | op->src[1].unpack; /* then it matters whether as floats */
    bool floats = unpacks && (on_mul ? qpu_mul_info(opcode)->is_float : qpu_add_info(opcode)->is_float);
    uint8_t mux[2] = {QPU_MUX_R0, QPU_MUX_R0};
    if (!fetch_all(s, w, before, reads, floats, mux))
        return false;
    if (op->rotate && !(place_is_acc(s->value[op->src[0].v].where) && small_imm(w, 48u + op->rotate)))
        return false;
    if (reads->nsrc == 1)
        mux[1] = mux[0];
    if (!take_peripheral(w, op, on_mul))
        return false;
    if (op->pack && (!want(&w->pm, op->pm) || (op->pm && !on_mul)))
        return false;
    if (!find_place(s, w, index, on_mul, place))
        return false;
    if (op->pack)
        w->q.pack = op->pack;
    w->q.sf |= op->sf;
    bool in_place = *place != PLACE_NONE && *place != PLACE_R4;
    take_alu(w, on_mul, opcode, mux, op->cond, in_place ? waddr_of(*place) : op->waddr);
    return true;
}

bool slots_try(struct sched *s, struct slots *w, uint32_t index, bool on_mul, int *place) {
    const struct m_op *op = &s->m->op[index];
    uint32_t traits = s->op[index].traits;
    *place = PLACE_NONE;
    if (traits & w->refused || !(traits & T_SIGNAL || may_take_alu(s, w, index, on_mul)))
        return false;
    const struct slots keep = *w;
    if (traits & T_SIGNAL ? try_signal(s, w, index, place) : try_alu(s, w, &keep, index, on_mul, place)) {
        w->refused |= refused_after(w, traits);
        w->label[traits & T_SIGNAL ? 2 : on_mul] = op->label;
        return true;
    }
    *w = keep;
    return false;
}

bool slots_try_move(struct sched *s, struct slots *w, uint32_t value, int place) {
    const struct m_src src = {.kind = M_VAL, .v = value};
    for (int on_mul = 1; on_mul >= 0; on_mul--) {
        if (on_mul ? w->mul_used : w->add_used)
            continue;
        const struct slots keep = *w;
        uint8_t mux[2];
        if (fetch(s, w, NULL, &src, false, &mux[0]) &&
            (place_is_acc(place) || write_side(w, on_mul, place_in_a(place)))) {
            mux[1] = mux[0];
            take_alu(w, on_mul, on_mul ? QPU_M_V8MIN : QPU_A_OR, mux, QPU_COND_ALWAYS, waddr_of(place));
            w->refused |= refused_after(w, 0);
            uint32_t def = s->m->val[value].def;
            w->label[on_mul] = def == M_NO_VALUE ? 0 : s->m->op[def].label;
            return true;
        }
        *w = keep;
    }
    return false;
}

void slots_end(struct slots *w, struct m_inst *inst) {
    /* what both files have is read through A when that port is free: the form that the assembler writes */
    if (!w->b_imm && w->a_addr < 0 &&
        (w->b_addr == QPU_R_UNIF || w->b_addr == QPU_R_VARY || w->b_addr == QPU_R_VPM) &&
        !(w->q.unpack && w->pm == 0)) {
        w->a_addr = w->b_addr;
        w->b_addr = -1;
        all_from_a(&w->q);
    }
    /* where nothing decides the swap: as Broadcom's code and the assembler have it */
    if (w->ws < 0 && w->pm > 0 && w->q.pack)
        w->ws = 1;
    inst->q = w->q;
    inst->slot = w->tmu_slot != M_NO_VALUE ? w->tmu_slot : w->slot;
    inst->loc = w->loc;
    inst->target = -1;
    inst->offset = false;
    memcpy(inst->label, w->label, sizeof inst->label);
    if (w->a_addr >= 0)
        inst->q.raddr_a = (uint8_t)w->a_addr;
    if (w->b_addr >= 0)
        inst->q.raddr_b = (uint8_t)w->b_addr;
    if (w->b_imm)
        inst->q.sig = QPU_SIG_SMALL_IMM;
    inst->q.ws = w->ws > 0;
    inst->q.pm = w->pm > 0;
}
