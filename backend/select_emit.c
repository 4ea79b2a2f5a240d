/* Making machine operations: moves, operands as the ports can fetch them, results that go straight to a
 * peripheral.
 *
 * Requires: selection under way. Keeps: ops made before, but for those that sel_fold_target lets go
 * elsewhere.
 *
 * Things that may never be needed (a constant in a register, an unpacked byte) are made here on first
 * demand. */
#include "backend/select.h"

#include <stdio.h>

void sel_unsupported(struct sel *s, const struct ir_inst *inst, const char *what) {
    if (s->failed)
        return;
    s->failed = true;
    s->result->status = BE_UNSUPPORTED;
    s->result->where = inst ? inst->loc : (struct ir_loc){0};
    snprintf(s->result->message, sizeof s->result->message, "%s", what);
}

bool sel_is_local(const struct sel *s, const struct ir_inst *i) {
    return i->block == s->m->block && i->op != IR_PHI;
}

void sel_note_read(struct sel *s, struct m_src a) {
    if (a.kind == M_VAL && s->m->val[a.v].def != M_NO_VALUE)
        s->m->op[s->m->val[a.v].def].awaited = true;
}

uint32_t sel_emit_raw(struct sel *s, unsigned add_op, unsigned mul_op, unsigned nsrc, struct m_src a,
                      struct m_src b) {
    uint32_t i = m_new_op(s->m);
    struct m_op *op = &s->m->op[i];
    op->add_op = (uint8_t)add_op;
    op->mul_op = (uint8_t)mul_op;
    op->nsrc = (uint8_t)nsrc;
    op->src[0] = a;
    op->src[1] = b;
    op->loc = s->loc;
    sel_note_read(s, a), sel_note_read(s, b);
    return i;
}

void sel_tie(struct sel *s, uint32_t op, uint32_t value) {
    s->m->op[op].tied = value;
    if (value != M_NO_VALUE)
        sel_note_read(s, src_val(value));
}

uint32_t sel_emit_to_new(struct sel *s, uint32_t op) {
    uint32_t v = m_new_val(s->m);
    s->m->op[op].dst = v;
    s->m->val[v].def = op;
    return v;
}

static bool is_wide(struct m_src a) {
    return a.kind == M_SLOT || (a.kind == M_IMM && qpu_small_imm_code(a.v) < 0);
}

/* True when one instruction can't fetch both: two words of the stream, two reads of one file's port, two ways
 * of unpacking, a small immediate (which takes file B's port) and a read there. */
static bool clash(struct m_src a, struct m_src b) {
    bool same = a.kind == b.kind && a.v == b.v;
    if (is_wide(a) && is_wide(b))
        return !same;
    if (a.kind == M_READ && b.kind == M_READ)
        return a.side == b.side && a.side != M_SIDE_ANY && !same;
    if (a.unpack && b.unpack)
        return a.v != b.v || a.unpack != b.unpack;
    if (a.unpack || b.unpack) { /* what comes through file A's port is unpacked, too */
        struct m_src other = a.unpack ? b : a;
        return (other.kind == M_READ && other.side == M_SIDE_A) || (other.kind == M_VAL && a.v == b.v);
    }
    if (a.kind == M_IMM && b.kind == M_READ)
        return b.side == M_SIDE_B && !is_wide(a);
    if (b.kind == M_IMM && a.kind == M_READ)
        return a.side == M_SIDE_B && !is_wide(b);
    return false;
}

struct m_src sel_in_register(struct sel *s, struct m_src a) {
    return a.kind == M_VAL && !a.unpack ? a : src_val(sel_emit_mov(s, a));
}

uint32_t sel_emit2(struct sel *s, unsigned add_op, unsigned mul_op, struct m_src a, struct m_src b) {
    if (clash(a, b)) {
        if (a.kind == M_SLOT || a.unpack || a.kind == M_READ)
            a = sel_in_register(s, a);
        else
            b = sel_in_register(s, b);
    }
    return sel_emit_raw(s, add_op, mul_op, 2, a, b);
}

uint32_t sel_value2(struct sel *s, unsigned add_op, unsigned mul_op, struct m_src a, struct m_src b) {
    return sel_emit_to_new(s, sel_emit2(s, add_op, mul_op, a, b));
}

static uint32_t move_as(struct sel *s, struct m_src a, bool floats) {
    uint32_t i = sel_emit_raw(s, floats ? QPU_A_FMAX : QPU_A_OR, floats ? QPU_M_FMUL : QPU_M_V8MIN, 1, a, a);
    s->m->op[i].factor = floats ? 0x3f800000 : 0;
    return i;
}

uint32_t sel_move_op(struct sel *s, struct m_src a) {
    return move_as(s, a, a.unpack && a.unpack != QPU_UNPACK_8D_REP);
}

uint32_t sel_emit_mov(struct sel *s, struct m_src a) {
    return sel_emit_to_new(s, sel_move_op(s, a));
}

static uint8_t unpack_mode(const struct ir_inst *i) {
    switch (i->op) {
    case IR_UNPACK_8F:
    case IR_UNPACK_8I: return (uint8_t)(QPU_UNPACK_8A + i->imm);
    case IR_UNPACK_16F:
    case IR_UNPACK_16I: return (uint8_t)(QPU_UNPACK_16A + i->imm);
    case IR_REP_8D: return QPU_UNPACK_8D_REP;
    default: return QPU_UNPACK_NONE; /* takes no unpack */
    }
}

/* The value where it can be unpacked: what another block left in file B has to move. */
static uint32_t unpackable(struct sel *s, const struct ir_inst *inst) {
    uint32_t v = sel_value_of(s, inst);
    return s->m->val[v].start >= 32 ? sel_emit_mov(s, src_val(v)) : v;
}

/* The value as the instruction unpacks it. */
static struct m_src unpacked(struct sel *s, const struct ir_inst *inst, uint32_t v) {
    m_restrict_reads(s->m, v, M_IN_UNPACKER);
    return (struct m_src){.kind = M_VAL, .v = v, .unpack = unpack_mode(inst)};
}

struct m_src sel_unpacked(struct sel *s, const struct ir_inst *inst) {
    return unpacked(s, inst, unpackable(s, inst->src[0]));
}

/* What the ports deliver without a register of ours, or a value's. */
static struct m_src source_of(struct sel *s, const struct ir_inst *inst, bool floats) {
    switch (inst->op) {
    case IR_CONST: return src_imm(inst->type == IR_BOOL ? (inst->imm ? 0xffffffffu : 0) : inst->imm);
    case IR_UNDEF: return src_imm(0);
    case IR_UNIFORM: return src_slot(inst->imm);
    case IR_FRAG_X: return src_read(QPU_R_XY, M_SIDE_A);
    case IR_FRAG_Y: return src_read(QPU_R_XY, M_SIDE_B);
    case IR_FRAG_MASK: return src_read(QPU_R_MS_REV, M_SIDE_A);
    case IR_FRAG_REV: return src_read(QPU_R_MS_REV, M_SIDE_B);
    case IR_UNPACK_8F:
    case IR_UNPACK_16F:
        if (floats && sel_is_local(s, inst))
            return sel_unpacked(s, inst);
        break;
    default: break;
    }
    return src_val(sel_value_of(s, inst));
}

struct m_src sel_operand(struct sel *s, const struct ir_inst *inst, bool floats) {
    inst = ir_through_bits(inst);
    return s->readers[inst->id] >= s->hold ? src_val(sel_value_of(s, inst)) : source_of(s, inst, floats);
}

bool sel_fold_target(struct sel *s, const struct ir_inst *inst, bool peripheral) {
    inst = ir_through_bits(inst);
    uint32_t v = s->val[inst->id];
    if (v == M_NO_VALUE || s->uses[inst->id] != 1 || s->m->val[v].def == M_NO_VALUE)
        return false;
    const struct m_op *op = &s->m->op[s->m->val[v].def];
    if (op->r4 || op->tied != M_NO_VALUE || op->cond != QPU_COND_ALWAYS || op->sf || op->pack ||
        op->dst != v || op->waddr != QPU_W_NOP || op->sig != QPU_SIG_NONE || (op->reads_vpm && !peripheral))
        return false;
    return !peripheral || !m_only_in_a(s->m, v);
}

uint32_t sel_write_peripheral(struct sel *s, const struct ir_inst *inst, unsigned waddr,
                              const uint32_t after[3], bool no_stream) {
    uint32_t i = M_NO_VALUE;
    if (sel_fold_target(s, inst, true)) {
        i = s->m->val[s->val[ir_through_bits(inst)->id]].def;
        /* the word a texture coordinate write pulls forbids reading another in the same instruction */
        bool circular =
            (no_stream && m_reads_stream(&s->m->op[i])) || (s->m->op[i].reads_vpm && waddr != QPU_W_VPM);
        for (int k = 0; k < 3 && !circular; k++)
            circular = after[k] != M_NO_VALUE && sel_depends(s, after[k], i);
        if (circular)
            i = M_NO_VALUE;
    }
    if (i != M_NO_VALUE) {
        s->m->op[i].dst = M_NO_VALUE;
    } else {
        struct m_src a = sel_operand(s, inst, true);
        if (no_stream && is_wide(a))
            a = sel_in_register(s, a);
        i = sel_move_op(s, a);
    }
    s->m->op[i].waddr = (uint8_t)waddr;
    return i;
}

void sel_chain(struct sel *s, uint32_t *last, uint32_t op) {
    if (*last != M_NO_VALUE)
        m_add_edge(s->m, *last, op, 1, false);
    *last = op;
}

uint32_t sel_unary(struct sel *s, unsigned add_op, struct m_src a) {
    return sel_emit_to_new(s, sel_emit_raw(s, add_op, 0, 1, a, a));
}

uint32_t sel_value_of(struct sel *s, const struct ir_inst *inst) {
    inst = ir_through_bits(inst);
    uint32_t v = s->val[inst->id];
    if (v != M_NO_VALUE && !(inst->type == IR_BOOL && s->word_cond[inst->id]))
        return v;
    if (!sel_is_local(s, inst) && s->m->flow->cross_reg[inst->id] != FLOW_NO_REG) {
        int reg = s->m->flow->cross_reg[inst->id];
        if (s->start_in[reg] == M_NO_VALUE) { /* one value a register: it is free after that one's readers */
            v = s->start_in[reg] = m_new_val(s->m);
            s->m->val[v].start = (int16_t)reg;
        }
        sel_set_value(s, inst, s->start_in[reg]);
        return s->start_in[reg];
    }
    struct ir_loc keep = s->loc;
    s->loc = inst->loc;
    switch (inst->op) {
    case IR_UNPACK_8F:
    case IR_UNPACK_16F:
    case IR_UNPACK_8I:
    case IR_UNPACK_16I:
    case IR_REP_8D: {
        bool integer = inst->op == IR_UNPACK_8I || inst->op == IR_UNPACK_16I;
        uint32_t from = unpackable(s, inst->src[0]), def = s->m->val[from].def;
        if (integer && def != M_NO_VALUE && s->m->op[def].r4) /* r4 is unpacked to floats */
            from = sel_emit_mov(s, src_val(from));
        struct m_src a = unpacked(s, inst, from);
        v = sel_emit_to_new(s, integer ? move_as(s, a, false) : sel_move_op(s, a));
        break;
    }
    case IR_FSAT: {
        uint32_t low = sel_value2(s, QPU_A_FMAX, 0, sel_operand(s, inst->src[0], true), src_imm(0));
        v = sel_value2(s, QPU_A_FMIN, 0, src_val(low), src_imm(0x3f800000));
        break;
    }
    default:
        if (inst->type == IR_BOOL) {
            uint8_t cond;
            v = sel_bool_word(s, inst, &cond);
            s->loc = keep;
            return v;
        }
        v = sel_emit_mov(s, source_of(s, inst, false));
        break;
    }
    s->loc = keep;
    sel_set_value(s, inst, v);
    sel_label(s, inst);
    return v;
}
