/* Instruction selection: lowered IR of one block to machine operations.
 *
 * Requires: shader->lowered, dead code gone, flow_analyse done. Keeps: the IR untouched. The order of the ops
 * made here means nothing: value flow and the edges added for FIFOs (varyings, VPM, texture unit, tile
 * buffer) are all the order there is, so things that may never be needed (a constant in a register, an
 * unpacked byte) are made on first demand.
 *
 * Folding happens on the spot: a producer with one use is changed in place to write the peripheral, the
 * packed byte or the conditional destination itself (`sel_fold_target` says when that is allowed). */
#include "backend/select.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A register this select may overwrite: a value that nothing else reads. */
static bool may_take_over(struct sel *s, const struct ir_inst *x, uint32_t uses) {
    x = ir_through_bits(x);
    if (s->uses[x->id] != uses || x->type == IR_BOOL || !sel_is_local(s, x))
        return false;
    return !ir_op_info(x->op)->operand;
}

/* c ? x op y : x: only the operation and the selection read x, so the operation may write over it. */
static bool may_update(struct sel *s, const struct ir_inst *x, const struct ir_inst *op) {
    if (!sel_fold_target(s, op, false))
        return false;
    uint32_t v = s->val[ir_through_bits(x)->id], reads = 0;
    const struct m_op *def = &s->m->op[s->m->val[s->val[ir_through_bits(op)->id]].def];
    for (unsigned k = 0; k < def->nsrc; k++)
        reads += v != M_NO_VALUE && def->src[k].kind == M_VAL && def->src[k].v == v;
    return reads && may_take_over(s, x, 1 + reads);
}

static void select_select(struct sel *s, struct ir_inst *i) {
    if (i->type == IR_BOOL) {
        uint32_t w;
        select_bool_value(s, i, &w);
        s->val[i->id] = w;
        return;
    }
    struct ir_inst *x = i->src[1], *y = i->src[2];
    bool take_x = may_take_over(s, x, 1), take_y = may_take_over(s, y, 1);
    /* written under the condition: x over y's register; or y over x's under the opposite one */
    bool over_y = take_y && (!take_x || sel_fold_target(s, x, false) || !sel_fold_target(s, y, false));
    if (!take_x && !take_y)
        over_y = ir_through_bits(x)->op != IR_CONST || ir_through_bits(y)->op == IR_CONST;
    if (take_x && !take_y)
        over_y = false;
    if (may_update(s, y, x))
        over_y = take_y = true;
    else if (may_update(s, x, y)) {
        over_y = false;
        take_x = true;
    }
    struct cluster *c = sel_join_cluster(s, i, i->src[0], M_NO_VALUE);
    struct ir_inst *base = over_y ? y : x, *other = over_y ? x : y;
    uint8_t cond = over_y ? c->test : c->test ^ 1;
    uint32_t tied =
        (over_y ? take_y : take_x) ? sel_value_of(s, base) : sel_emit_mov(s, sel_operand(s, base, true));
    uint32_t op;
    /* not the sum of a varying: its place in the FIFO does not wait for flags */
    if (sel_fold_target(s, other, false) && !m_only_in_a(s->m, s->val[ir_through_bits(other)->id]) &&
        s->m->op[s->m->val[s->val[ir_through_bits(other)->id]].def].src[1].kind != M_R5) {
        op = s->m->val[s->val[ir_through_bits(other)->id]].def;
        s->val[i->id] = s->m->op[op].dst;
    } else {
        op = sel_move_op(s, sel_operand(s, other, true));
        s->val[i->id] = sel_emit_to_new(s, op);
    }
    sel_make_conditional(s, op, tied, c, cond);
}

static void select_vary(struct sel *s, struct ir_inst *i) {
    struct m_src vary = src_read(QPU_R_VARY, M_SIDE_ANY);
    uint32_t read =
        i->nsrc ? sel_emit2(s, 0, QPU_M_FMUL, vary, sel_operand(s, i->src[0], true)) : sel_move_op(s, vary);
    uint32_t part = sel_emit_to_new(s, read);
    s->m->op[read].reads_vary = true;
    uint32_t add = sel_emit_raw(s, QPU_A_FADD, 0, 2, src_val(part), (struct m_src){.kind = M_R5});
    sel_chain(s, &s->last_vary_read, read);
    if (s->last_vary_add != M_NO_VALUE)
        m_add_edge(s->m, s->last_vary_add, read, 0,
                   false); /* r5 is read before the next varying replaces it */
    s->last_vary_add = add;
    s->val[i->id] = sel_emit_to_new(s, add);
}

static void select_sfu(struct sel *s, struct ir_inst *i, unsigned waddr) {
    uint32_t op =
        sel_write_peripheral(s, i->src[0], waddr, (uint32_t[3]){M_NO_VALUE, M_NO_VALUE, M_NO_VALUE}, false);
    s->m->op[op].r4 = true;
    s->val[i->id] = sel_emit_to_new(s, op);
    s->m->nsfu++;
}

static void select_tlb_write(struct sel *s, struct ir_inst *i, unsigned waddr) {
    uint32_t op;
    if (i->nsrc > 1) {
        struct cluster *c = sel_join_cluster(s, i, i->src[1], s->last_tlb);
        op = sel_move_op(s, sel_operand(s, i->src[0], true));
        s->m->op[op].waddr = (uint8_t)waddr;
        sel_under_flags(s, op, c->setter, c->test);
    } else {
        op = sel_write_peripheral(s, i->src[0], waddr, (uint32_t[3]){s->last_tlb, M_NO_VALUE, M_NO_VALUE},
                                  false);
    }
    sel_chain(s, &s->last_tlb, op);
}

/* VPM set-up words, guide section 7 table 32 and 33: horizontal, 32 bits wide, stride 1. */
#define VPM_HORIZONTAL_32 0x1a00u

static void vpm_setup(struct sel *s, unsigned side, uint32_t word, uint32_t *last) {
    uint32_t op = sel_move_op(s, src_imm(word));
    s->m->op[op].waddr = QPU_W_VPM_SETUP;
    s->m->op[op].wside = (uint8_t)side;
    sel_chain(s, last, op);
}

static void select_attr(struct sel *s, struct ir_inst *i, uint32_t total) {
    if (i->imm % 16 == 0) {
        uint32_t n = total - i->imm < 16 ? total - i->imm : 16;
        vpm_setup(s, M_SIDE_A, (n & 15) << 20 | VPM_HORIZONTAL_32 | i->imm, &s->last_vpm_read);
    }
    uint32_t op = sel_move_op(s, src_read(QPU_R_VPM, M_SIDE_ANY));
    s->m->op[op].reads_vpm = true;
    sel_chain(s, &s->last_vpm_read, op);
    s->val[i->id] = sel_emit_to_new(s, op);
}

/* The next word that the block writes. */
static const struct ir_inst *next_vpm_out(const struct ir_inst *i) {
    for (i = i->next; i && i->op != IR_VPM_OUT;)
        i = i->next;
    return i;
}

/* One set-up for a run of words that lie in a row, up or, where the chip does it (vpm_rows_fall), down: the
 * address wraps beyond row 63 (guide section 7, QPU Reading and Writing of VPM), so a stride of 63 goes down.
 */
static void select_vpm_out(struct sel *s, struct ir_inst *i) {
    enum { STRIDE_DOWN = 62 << 12 /* on top of 1 */ };
    if (s->last_vpm_write == M_NO_VALUE || i->imm != s->vpm_row) {
        const struct ir_inst *next = next_vpm_out(i);
        s->vpm_down = s->m->options.rows_fall && next && next->imm + 1 == i->imm;
        vpm_setup(s, M_SIDE_B, (VPM_HORIZONTAL_32 | i->imm) + (s->vpm_down ? STRIDE_DOWN : 0),
                  &s->last_vpm_write);
    }
    s->vpm_row = s->vpm_down ? i->imm - 1 : i->imm + 1;
    sel_chain(s, &s->last_vpm_write,
              sel_write_peripheral(s, i->src[0], QPU_W_VPM,
                                   (uint32_t[3]){s->last_vpm_write, M_NO_VALUE, M_NO_VALUE}, false));
}

/* Operations that one of the ALUs has, or either. */
static const struct alu_row {
    uint8_t add, mul;
} alu_rows[IR_OP_COUNT] = {
    [IR_FADD] = {QPU_A_FADD, 0},
    [IR_FSUB] = {QPU_A_FSUB, 0},
    [IR_FMUL] = {0, QPU_M_FMUL},
    [IR_FMIN] = {QPU_A_FMIN, 0},
    [IR_FMAX] = {QPU_A_FMAX, 0},
    [IR_FMINABS] = {QPU_A_FMINABS, 0},
    [IR_FMAXABS] = {QPU_A_FMAXABS, 0},
    [IR_IADD] = {QPU_A_ADD, 0},
    [IR_ISUB] = {QPU_A_SUB, 0},
    [IR_UMUL24] = {0, QPU_M_MUL24},
    [IR_IAND] = {QPU_A_AND, 0},
    [IR_IOR] = {QPU_A_OR, 0},
    [IR_IXOR] = {QPU_A_XOR, 0},
    [IR_ISHL] = {QPU_A_SHL, 0},
    [IR_USHR] = {QPU_A_SHR, 0},
    [IR_IASR] = {QPU_A_ASR, 0},
    [IR_IROR] = {QPU_A_ROR, 0},
    [IR_IMIN] = {QPU_A_MIN, 0},
    [IR_IMAX] = {QPU_A_MAX, 0},
    [IR_V8MULD] = {0, QPU_M_V8MULD},
    [IR_V8ADDS] = {QPU_A_V8ADDS, QPU_M_V8ADDS},
    [IR_V8SUBS] = {QPU_A_V8SUBS, QPU_M_V8SUBS},
    [IR_V8MIN] = {0, QPU_M_V8MIN},
    [IR_V8MAX] = {0, QPU_M_V8MAX},
};

/* An operand of a packed operation: its last byte in all four rides along, but for the word itself beside it.
 */
static struct m_src packed_operand(struct sel *s, const struct ir_inst *x, const struct ir_inst *other) {
    if (x->op != IR_REP_8D || !sel_is_local(s, x) || s->val[x->id] != M_NO_VALUE || x->src[0] == other)
        return sel_operand(s, x, false);
    return sel_unpacked(s, x);
}

/* Shifts use the low five bits of their count, and small immediates have -16 to -1. */
static struct m_src shift_count(const struct ir_inst *count, struct m_src b) {
    return count->op == IR_CONST ? src_imm((count->imm & 31) < 16 ? count->imm & 31 : count->imm | ~31u) : b;
}

static bool select_alu(struct sel *s, struct ir_inst *i) {
    struct alu_row row = alu_rows[i->op];
    if (!row.add && !row.mul)
        return false;
    enum ir_class cls = ir_op_info(i->op)->cls;
    bool floats = ir_takes_floats(i), bytes = cls == IR_CLASS_BYTES;
    struct m_src a = bytes ? packed_operand(s, i->src[0], i->src[1]) : sel_operand(s, i->src[0], floats);
    struct m_src b = bytes ? packed_operand(s, i->src[1], i->src[0]) : sel_operand(s, i->src[1], floats);
    if (cls == IR_CLASS_SHIFT)
        b = shift_count(i->src[1], b);
    if (i->op == IR_FADD && i->src[0] == i->src[1] && a.kind == M_VAL) {
        uint32_t op = sel_emit_raw(s, QPU_A_FADD, QPU_M_FMUL, 1, a, a);
        s->m->op[op].factor = 0x40000000; /* 2.0 */
        s->val[i->id] = sel_emit_to_new(s, op);
        return true;
    }
    if (a.unpack && b.unpack && (a.v != b.v || a.unpack != b.unpack))
        b = src_val(sel_value_of(s, i->src[1]));
    s->val[i->id] = sel_value2(s, row.add, row.mul, a, b);
    return true;
}

/* What no pass has made into something that there is an instruction for. */
static void refuse(struct sel *s, const struct ir_inst *i) {
    char text[120];
    const struct ir_var *array =
        i->op == IR_VAR_LOAD || i->op == IR_VAR_STORE ? &s->m->shader->vars[i->imm] : NULL;
    if (array) /* passes/index.c has stopped */
        snprintf(text, sizeof text, "'%.60s' has %u words, too many to be indexed at run time so often",
                 array->name, array->words);
    else
        snprintf(text, sizeof text, "the operation '%s' at run time", ir_op_info(i->op)->text);
    sel_unsupported(s, i, text);
}

static void select_inst(struct sel *s, struct ir_inst *i, uint32_t attr_words) {
    s->loc = i->loc;
    if (ir_op_info(i->op)->lazy || select_alu(s, i))
        return;
    uint32_t *v = &s->val[i->id];
    switch (i->op) {
    case IR_FNEG: *v = sel_value2(s, QPU_A_FSUB, 0, src_imm(0), sel_operand(s, i->src[0], true)); break;
    case IR_INEG: *v = sel_value2(s, QPU_A_SUB, 0, src_imm(0), sel_operand(s, i->src[0], false)); break;
    case IR_FABS: {
        struct m_src a = sel_operand(s, i->src[0], true);
        *v = sel_unary(s, QPU_A_FMAXABS, a);
        break;
    }
    case IR_F2I: *v = sel_unary(s, QPU_A_FTOI, sel_operand(s, i->src[0], true)); break;
    case IR_I2F: *v = sel_unary(s, QPU_A_ITOF, sel_operand(s, i->src[0], false)); break;
    case IR_INOT: *v = sel_unary(s, QPU_A_NOT, sel_operand(s, i->src[0], false)); break;
    case IR_ICLZ: *v = sel_unary(s, QPU_A_CLZ, sel_operand(s, i->src[0], false)); break;
    case IR_B2F:
    case IR_B2I: {
        struct cluster *c = sel_join_cluster(s, i, i->src[0], M_NO_VALUE);
        uint32_t zero = sel_emit_mov(s, src_imm(0));
        uint32_t op = sel_move_op(s, src_imm(i->op == IR_B2F ? 0x3f800000u : 1));
        sel_make_conditional(s, op, zero, c, c->test);
        *v = sel_emit_to_new(s, op);
        break;
    }
    case IR_SELECT: select_select(s, i); break;
    case IR_SFU_RCP: select_sfu(s, i, QPU_W_SFU_RECIP); break;
    case IR_SFU_RSQ: select_sfu(s, i, QPU_W_SFU_RSQRT); break;
    case IR_SFU_EXP2: select_sfu(s, i, QPU_W_SFU_EXP); break;
    case IR_SFU_LOG2: select_sfu(s, i, QPU_W_SFU_LOG); break;
    case IR_PACK_COLOR: select_pack_color(s, i); break;
    case IR_PACK_8F: {
        bool take = may_take_over(s, i->src[0], 1);
        uint32_t base = take ? sel_value_of(s, i->src[0]) : sel_emit_mov(s, sel_operand(s, i->src[0], false));
        *v = sel_pack_byte(s, i->src[1], 1, (uint8_t)(QPU_PACK_8A + i->imm), base);
        break;
    }
    case IR_PACK_16I:
    case IR_PACK_16F: {
        bool to_float = i->op == IR_PACK_16F;
        if (!to_float && (*v = sel_pack_over(s, i)) != M_NO_VALUE)
            break;
        uint32_t low = sel_pack_half(s, i->src[0], to_float, QPU_PACK_16A, M_NO_VALUE);
        *v = sel_pack_half(s, i->src[1], to_float, QPU_PACK_16B, low);
        break;
    }
    case IR_DDX: *v = sel_derivative(s, i, 1); break;
    case IR_DDY: *v = sel_derivative(s, i, 2); break;
    case IR_VARY: select_vary(s, i); break;
    case IR_TEX: select_tex(s, i); break;
    case IR_UNIFORM_AT: select_uniform_at(s, i); break;
    case IR_BUFFER_AT: select_buffer_at(s, i); break;
    case IR_FRAG_W:
    case IR_FRAG_Z:
        *v = m_new_val(s->m);
        s->m->val[*v].start = i->op == IR_FRAG_W ? 15 : 32 + 15;
        break;
    case IR_TLB_READ: {
        uint32_t op = sel_emit_raw(s, 0, 0, 0, (struct m_src){0}, (struct m_src){0});
        s->m->op[op].sig = QPU_SIG_LOADC;
        s->m->op[op].r4 = true;
        sel_chain(s, &s->last_tlb, op);
        *v = sel_emit_to_new(s, op);
        break;
    }
    case IR_TLB_COLOR: select_tlb_write(s, i, QPU_W_TLB_COLOR); break;
    case IR_TLB_SAMPLE: select_tlb_write(s, i, QPU_W_TLB_COLOR_MS); break;
    case IR_TLB_MASK: {
        struct m_src samples = sel_operand(s, i->src[0], false);
        uint32_t op = sel_emit2(s, QPU_A_AND, 0, src_read(QPU_R_MS_REV, M_SIDE_A), samples);
        s->m->op[op].waddr = QPU_W_MS_REV;
        s->m->op[op].wside = M_SIDE_A;
        sel_chain(s, &s->last_tlb, op);
        break;
    }
    case IR_TLB_Z: select_tlb_write(s, i, QPU_W_TLB_Z); break;
    case IR_TLB_STENCIL: select_tlb_write(s, i, QPU_W_TLB_STENCIL); break;
    case IR_ATTR: select_attr(s, i, attr_words); break;
    case IR_VPM_OUT: select_vpm_out(s, i); break;
    case IR_END:
    case IR_JUMP:
    case IR_BRANCH:
    case IR_PHI: break;
    default: refuse(s, i);
    }
}

/* Readers of a value are those of its other type, too. */
static void count_through_bits(const struct ir_shader *shader, uint32_t *uses) {
    for (uint32_t k = shader->nblocks; k-- > 0;)
        for (const struct ir_inst *i = shader->blocks[k]->last; i; i = i->prev)
            if (ir_op_info(i->op)->cls == IR_CLASS_MOVE && uses[i->id])
                uses[i->src[0]->id] += uses[i->id] - 1;
}

const struct sel_tables *select_begin(const struct mir *m) {
    struct ir_shader *shader = m->shader;
    struct sel_tables *t = ir_alloc(m->arena, sizeof *t);
    size_t n = t->ids = shader->next_id + 1;
    t->val = ir_alloc_uncleared(m->arena, n * sizeof *t->val);
    t->word_cond = ir_alloc(m->arena, n);
    t->word_mask = ir_alloc(m->arena, n * sizeof *t->word_mask);
    t->level = ir_alloc(m->arena, n * sizeof *t->level);
    t->readers = ir_alloc(m->arena, n * sizeof *t->readers);
    t->touched = ir_alloc_uncleared(m->arena, 3 * n * sizeof *t->touched);
    t->ntouched = ir_alloc(m->arena, sizeof *t->ntouched);
    memset(t->val, 0xff, n * sizeof *t->val);
    t->uses = ir_count_uses(shader);
    bool moves = false, several = shader->nblocks > 1;
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            enum ir_class cls = ir_op_info(i->op)->cls;
            t->attr_words += i->op == IR_ATTR;
            t->fetches += cls == IR_CLASS_FETCH;
            moves |= cls == IR_CLASS_MOVE;
            t->uses[i->id] += several && m->flow->cross_reg[i->id] != FLOW_NO_REG;
        }
    }
    if (moves)
        count_through_bits(shader, t->uses);
    for (int u = 0; u < 2; u++)
        t->tmu_ld[u] = ir_alloc(m->arena, (t->fetches + 1) * sizeof **t->tmu_ld);
    t->thread_switch = ir_alloc(m->arena, (t->fetches + 1) * sizeof *t->thread_switch);
    return t;
}

#ifndef NDEBUG
static bool is_clean(const struct sel_tables *t) {
    for (uint32_t id = 0; id < t->ids; id++)
        if (t->val[id] != M_NO_VALUE || t->word_cond[id] || t->word_mask[id] || t->level[id] ||
            t->readers[id])
            return false;
    return true;
}
#endif

/* The tables as they are before a block. */
static struct sel begin(struct mir *m, struct be_result *result) {
    const struct sel_tables *t = m->tables;
    struct sel s = {.m = m,
                    .branch_setter = M_NO_VALUE,
                    .result = result,
                    .val = t->val,
                    .word_cond = t->word_cond,
                    .word_mask = t->word_mask,
                    .level = t->level,
                    .uses = t->uses,
                    .readers = t->readers,
                    .tmu_ld = {t->tmu_ld[0], t->tmu_ld[1]},
                    .thread_switch = t->thread_switch,
                    .touched = t->touched,
                    .ntouched = t->ntouched};
    /* Not all entries: that would be blocks times instructions. */
    while (*t->ntouched) {
        uint32_t id = t->touched[--*t->ntouched];
        s.val[id] = M_NO_VALUE;
        s.word_cond[id] = 0;
        s.word_mask[id] = false;
        s.level[id] = 0;
        s.readers[id] = 0;
    }
    assert(is_clean(t));
    s.last_vary_read = s.last_vary_add = s.last_vpm_read = s.last_vpm_write = s.last_tlb = M_NO_VALUE;
    s.tmu_last_s[0] = s.tmu_last_s[1] = s.tmu_last_ld[0] = s.tmu_last_ld[1] = M_NO_VALUE;
    return s;
}

/* False: too much work, or memory ran out. */
static bool count_searches(struct sel *s) {
    enum { EACH = 4 };
    bool goes_on = ir_work(s->m->arena, s->visits / EACH);
    s->visits %= EACH;
    return goes_on;
}

enum { ROOM = 64 }; /* for the operations of an instruction, nearly always */

bool select_block(struct mir *m, struct be_result *result) {
    struct sel s = begin(m, result);
    m->branch_setter = M_NO_VALUE;
    m->branch_to = m->branch_to2 = -1;
    sel_begin_block(&s);
    sel_hold_words(&s);
    ir_for_insts((struct ir_block *)m->block, i) {
        s.touched[(*s.ntouched)++] = i->id;
        if (m->options.threads > 1) /* others never switch */
            s.level[i->id] = sel_level_of(&s, i);
        if (!m_make_room(m, ROOM))
            return false;
        select_inst(&s, i, m->tables->attr_words);
        sel_label(&s, i);
        if (s.failed || !count_searches(&s)) /* where memory ran out values may be lost that others ask for */
            return false;
    }
    s.loc = m->block->last->loc;
    sel_branch_test(&s);
    sel_write_cross_block(&s);
    s.loc = m->block->last->loc;
    if (m->flow->block[m->block->id].masked || (m->block->succ[1] && m->flow->varying[m->block->last->id]))
        sel_end_divergent(&s);
    else
        sel_end_uniform(&s);
    if (s.failed || ir_arena_oom(m->arena))
        return false;
    sel_fold_vpm_reads(m);
    sel_drop_dead(m);
    sel_last_switch(&s);
    if (s.nswitch && m->branch_setter != M_NO_VALUE) /* flags do not survive a switch */
        m_add_edge(m, s.thread_switch[s.nswitch - 1], m->branch_setter, QPU_THREAD_SLOTS + 1, false);
    sel_close_sections(&s);
    count_searches(&s);
    for (uint32_t i = 0; i < m->nop && !m->streams; i++)
        m->streams = !m->op[i].dead && (m_reads_stream(&m->op[i]) || m->op[i].tmu_slot != M_NO_VALUE);
    return true;
}
