/* One instruction and what fits into it: read ports, the stream's one word, pack and unpack, write sides,
 * signals.
 *
 * Guide section 3: each file has one read port that both ALUs share; a small immediate takes file B's; one
 * ALU writes to A and the other to B, swapped by ws; one access to a closely coupled unit an instruction. */
#include "sched/schedule.h"

#include <string.h>

void slots_begin(struct slots *w) {
    memset(w, 0, sizeof *w);
    w->q = qpu_nop();
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

static bool port_b(struct slots *w, int addr) {
    if (w->b_imm || (w->b_addr >= 0 && w->b_addr != addr))
        return false;
    w->b_addr = (int16_t)addr;
    return true;
}

static bool small_imm(struct slots *w, unsigned code) {
    if (w->no_imm)
        return false;
    if (w->b_imm ? w->b_addr != (int)code : w->b_addr >= 0 || w->q.sig != QPU_SIG_NONE)
        return false;
    w->b_imm = true;
    w->b_addr = (int16_t)code;
    return true;
}

/* A word of the stream through either port. */
static bool stream(const struct sched *s, struct slots *w, uint32_t slot, uint8_t *mux) {
    if (s->t < s->stream_from || w->tmu_stream || (w->slot != M_NO_VALUE && w->slot != slot))
        return false;
    bool in_a = w->slot == slot && w->a_addr == QPU_R_UNIF && !w->a_unpack;
    bool in_b = w->slot == slot && !w->b_imm && w->b_addr == QPU_R_UNIF;
    if (!in_a && !in_b) {
        struct slots keep = *w;
        if (port_b(w, QPU_R_UNIF)) {
            in_b = true;
        } else {
            *w = keep;
            if (!port_a(w, QPU_R_UNIF, 0, false))
                return false;
            in_a = true;
        }
    }
    w->slot = slot;
    *mux = in_b ? QPU_MUX_B : QPU_MUX_A;
    return true;
}

bool sched_on_port(const struct sched *s, const struct m_src *src) {
    uint32_t def = src->kind == M_VAL && !src->unpack ? s->m->val[src->v].def : M_NO_VALUE;
    return def != M_NO_VALUE && s->where[src->v] != PLACE_NONE && s->born[src->v] == s->t &&
           m_is_port_read(&s->m->op[def]);
}

static bool fetch(struct sched *s, struct slots *w, const struct m_op *op, const struct m_src *src,
                  bool floats, uint8_t *mux) {
    if (sched_on_port(s, src))
        src = &s->m->op[s->m->val[src->v].def].src[0];
    switch (src->kind) {
    case M_VAL: {
        int p = s->where[src->v];
        if (place_in_a(p)) {
            *mux = QPU_MUX_A;
            return port_a(w, p, src->unpack, floats);
        }
        if (p == PLACE_R4) {
            if (w->r4_read && w->r4_unpack != src->unpack)
                return false;
            if (src->unpack && !want(&w->pm, 1))
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
        if (place_is_acc(p)) {
            *mux = (uint8_t)(p - PLACE_ACC);
            return true;
        }
        *mux = QPU_MUX_B;
        return port_b(w, p - PLACE_B);
    }
    case M_R5: *mux = QPU_MUX_R5; return true;
    case M_SLOT: return stream(s, w, src->v, mux);
    case M_IMM: {
        int code = qpu_small_imm_code(src->v);
        if (code >= 0) {
            struct slots keep = *w;
            *mux = QPU_MUX_B;
            if (small_imm(w, (unsigned)code))
                return true;
            *w = keep;
            if (op && op->small_imm_only)
                return false;
        }
        return stream(s, w, ir_slot_const(s->m->shader, IR_I32, src->v), mux);
    }
    case M_READ: {
        struct slots keep = *w;
        bool in_a = w->a_read && w->a_addr == (int)src->v; /* read already: not a second time */
        if (src->side & M_SIDE_B && !in_a) {
            *mux = QPU_MUX_B;
            if (port_b(w, (int)src->v))
                return true;
            *w = keep;
        }
        *mux = QPU_MUX_A;
        return (src->side & M_SIDE_A) && port_a(w, (int)src->v, 0, false);
    }
    default: return true;
    }
}

/* Both operands, the second first if that finds ports the other way does not. */
static bool fetch_all(struct sched *s, struct slots *w, const struct m_op *op, bool floats, uint8_t mux[2]) {
    struct slots keep = *w;
    if (fetch(s, w, op, &op->src[0], floats, &mux[0]) &&
        (op->nsrc < 2 || fetch(s, w, op, &op->src[1], floats, &mux[1])))
        return true;
    *w = keep;
    return op->nsrc == 2 && fetch(s, w, op, &op->src[1], floats, &mux[1]) &&
           fetch(s, w, op, &op->src[0], floats, &mux[0]);
}

/* ws = 0: add writes A and mul writes B. */
static bool write_side(struct slots *w, bool on_mul, bool to_a) {
    return want(&w->ws, on_mul == to_a);
}

static bool is_coupled(unsigned waddr) {
    return (waddr >= QPU_W_TLB_Z && waddr <= QPU_W_TLB_ALPHA_MASK) || waddr == QPU_W_TLB_STENCIL ||
           (waddr >= QPU_W_MUTEX && waddr <= QPU_W_TMU1_B);
}

static bool take_peripheral(const struct sched *s, struct slots *w, const struct m_op *op, bool on_mul) {
    if (is_coupled(op->waddr)) {
        if (w->coupled)
            return false;
        w->coupled = true;
    }
    bool direct = op->tmu_slot == M_NO_VALUE && (op->waddr == QPU_W_TMU0_S || op->waddr == QPU_W_TMU1_S);
    if (direct && w->b_imm)
        return false;
    w->no_imm |= direct;
    if (op->waddr == QPU_W_VPM) {
        if (w->vpm_write || w->vpm_setup)
            return false;
        w->vpm_write = true;
    }
    if (op->waddr == QPU_W_VPM_SETUP) {
        if (w->vpm_setup || w->vpm_read || w->vpm_write)
            return false;
        w->vpm_setup = true;
    }
    if (op->tmu_slot != M_NO_VALUE) {
        if (w->slot != M_NO_VALUE || w->tmu_stream || s->t < s->stream_from)
            return false;
        w->tmu_stream = true;
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

static bool r4_can_start(const struct sched *s) {
    return s->t >= s->r4_free_at && s->owner[PLACE_R4] == M_NO_VALUE;
}

/* Reads of this op that end a value free its place for the op's own result. */
static int choose_reusing(struct sched *s, const struct m_op *op, unsigned sides) {
    uint32_t freed[2];
    int at[2];
    unsigned n = 0;
    for (unsigned k = 0; k < op->nsrc; k++) {
        if (op->src[k].kind != M_VAL)
            continue;
        uint32_t v = op->src[k].v;
        unsigned reads = 1 + (k == 0 && op->nsrc == 2 && op->src[1].kind == M_VAL && op->src[1].v == v);
        int p = s->where[v];
        if (p < 0 || p == PLACE_R4 || s->owner[p] != v || s->uses_left[v] > reads ||
            sched_on_port(s, &op->src[k]))
            continue;
        place_own(s, p, place_vacant(s, p));
        freed[n] = v;
        at[n++] = p;
    }
    int place = place_choose(s, op->dst, sides, false);
    while (n--)
        place_own(s, at[n], freed[n]);
    return place;
}

bool slots_try(struct sched *s, struct slots *w, uint32_t index, bool on_mul, int *place) {
    const struct m_op *op = &s->m->op[index];
    struct slots keep = *w;
    *place = PLACE_NONE;
    if (op->sig != QPU_SIG_NONE) {
        if (w->q.sig != QPU_SIG_NONE || w->b_imm || (op->r4 && (w->coupled || !r4_can_start(s))))
            return false;
        w->q.sig = op->sig;
        w->coupled |= op->r4;
        *place = op->r4 ? PLACE_R4 : PLACE_NONE;
        return true;
    }
    unsigned opcode = on_mul ? op->mul_op : op->add_op;
    if (!opcode || (on_mul ? w->mul_used : w->add_used) || (on_mul && op->sf))
        return false;
    if (op->sf && s->flags_pending)
        return false;
    if ((op->reads_vary && w->vary) || (op->reads_vpm && (w->vpm_read || w->vpm_setup)))
        return false;
    struct m_op with = *op; /* a converting move multiplies by one on the mul ALU */
    if (op->float_mov && on_mul) {
        with.nsrc = 2;
        with.src[1] = (struct m_src){.kind = M_IMM, .v = 0x3f800000};
    }
    bool floats = on_mul ? qpu_mul_info(opcode)->is_float : qpu_add_info(opcode)->is_float;
    uint8_t mux[2] = {QPU_MUX_R0, QPU_MUX_R0};
    bool ok = fetch_all(s, w, &with, floats, mux);
    if (ok && op->rotate)
        ok = place_is_acc(s->where[op->src[0].v]) && small_imm(w, 48u + op->rotate);
    if (ok && with.nsrc == 1)
        mux[1] = mux[0];
    ok = ok && take_peripheral(s, w, op, on_mul);
    if (ok && op->pack)
        ok = want(&w->pm, op->pm) && w->q.pack == 0 && (!op->pm || on_mul);
    if (ok && op->r4)
        ok = r4_can_start(s);
    if (ok && op->r4)
        *place = PLACE_R4;
    else if (ok && op->tied != M_NO_VALUE && op->dst != M_NO_VALUE) {
        int p = s->where[op->tied];
        *place = p;
        ok = p != PLACE_R4 && (!op->pack || op->pm || place_in_a(p)) &&
             (place_is_acc(p) || write_side(w, on_mul, place_in_a(p)));
    } else if (ok && op->dst != M_NO_VALUE && (s->uses_left[op->dst] || s->m->val[op->dst].fixed >= 0)) {
        *place = choose_reusing(s, op, open_sides(w, on_mul));
        ok = *place != PLACE_NONE && (place_is_acc(*place) || write_side(w, on_mul, place_in_a(*place)));
    }
    if (!ok) {
        *w = keep;
        return false;
    }
    unsigned waddr = op->waddr;
    if (*place != PLACE_NONE && *place != PLACE_R4)
        waddr = (unsigned)(place_is_acc(*place) ? QPU_W_ACC0 + *place - PLACE_ACC : *place & 31);
    if (op->pack)
        w->q.pack = op->pack;
    w->vary |= op->reads_vary;
    w->vpm_read |= op->reads_vpm;
    if (on_mul) {
        w->mul_used = true;
        w->q.op_mul = (uint8_t)opcode;
        w->q.mul_a = mux[0];
        w->q.mul_b = mux[1];
        w->q.cond_mul = op->cond;
        w->q.waddr_mul = (uint8_t)waddr;
    } else {
        w->add_used = true;
        w->q.op_add = (uint8_t)opcode;
        w->q.add_a = mux[0];
        w->q.add_b = mux[1];
        w->q.cond_add = op->cond;
        w->q.waddr_add = (uint8_t)waddr;
        w->q.sf |= op->sf;
    }
    return true;
}

bool slots_try_move(struct sched *s, struct slots *w, uint32_t value, int place) {
    struct m_src src = {.kind = M_VAL, .v = value};
    for (int on_mul = 1; on_mul >= 0; on_mul--) {
        if (on_mul ? w->mul_used : w->add_used)
            continue;
        struct slots keep = *w;
        uint8_t mux;
        if (fetch(s, w, NULL, &src, false, &mux) &&
            (place_is_acc(place) || write_side(w, on_mul, place_in_a(place)))) {
            unsigned waddr = (unsigned)(place_is_acc(place) ? QPU_W_ACC0 + place - PLACE_ACC : place & 31);
            if (on_mul && w->pm == 1 && w->q.pack) { /* no second result through the colour packer */
                *w = keep;
                continue;
            }
            if (on_mul) {
                w->mul_used = true;
                w->q.op_mul = QPU_M_V8MIN;
                w->q.mul_a = w->q.mul_b = mux;
                w->q.cond_mul = QPU_COND_ALWAYS;
                w->q.waddr_mul = (uint8_t)waddr;
            } else {
                w->add_used = true;
                w->q.op_add = QPU_A_OR;
                w->q.add_a = w->q.add_b = mux;
                w->q.cond_add = QPU_COND_ALWAYS;
                w->q.waddr_add = (uint8_t)waddr;
            }
            return true;
        }
        *w = keep;
    }
    return false;
}
