/* Values of other lanes and other blocks: rotations within the quad, the lane mask, cross-block registers,
 * phis, branches.
 *
 * Requires: a flow with registers for what crosses blocks. Keeps: the flow. Whatever overwrites such a
 * register comes after the readers of what was in it. */
#include "backend/select.h"

#include <string.h>

static uint32_t rotated(struct sel *s, uint32_t v, unsigned lanes) {
    m_restrict_reads(s->m, v, M_IN_ACC); /* guide section 3: a vector rotate reads an accumulator */
    uint32_t op = sel_emit_raw(s, 0, QPU_M_V8MIN, 1, src_val(v), src_val(v));
    s->m->op[op].rotate = (uint8_t)lanes;
    return sel_emit_to_new(s, op);
}

/* Sets the flags by which half of its pair a lane is in: zero for the left (bit 1), the upper (bit 2). Lanes
 * 0 and 1 of a quad are the upper row, 2 and 3 the lower (docs/hardware.md, Fragments). */
static uint32_t half_flags(struct sel *s, unsigned bit) {
    uint32_t setter = sel_emit2(s, QPU_A_AND, 0, src_read(QPU_R_ELEM_QPU, M_SIDE_A), src_imm(bit));
    s->m->op[setter].sf = true;
    return setter;
}

/* Second minus first of each pair, in both its lanes. Rotating by `bit` brings the first to the second, by 16
 * - bit the second to the first; what comes over from other quads is not used. */
uint32_t sel_derivative(struct sel *s, const struct ir_inst *i, unsigned bit) {
    uint32_t v = sel_emit_mov(s, sel_operand(s, i->src[0], true));
    uint32_t first = rotated(s, v, bit), second = rotated(s, v, 16 - bit);
    uint32_t result = sel_value2(s, QPU_A_FSUB, 0, src_val(second), src_val(v));
    uint32_t op = sel_emit_raw(s, QPU_A_FSUB, 0, 2, src_val(v), src_val(first));
    sel_tie(s, op, result);
    sel_under_flags(s, op, half_flags(s, bit), QPU_COND_ZC);
    return sel_emit_to_new(s, op);
}

/* Does the op need what the writer makes? The branch's test does if something under other flags does: its
 * flags are the last (set_branch). */
static bool needs(struct sel *s, uint32_t op, uint32_t writer) {
    return sel_depends(s, op, writer) || (op == s->branch_setter && sel_conditional_depends(s, writer));
}

/* Every reader of `old` comes before `writer`, which replaces it. False if some reader needs what the writer
 * makes. */
static bool readers_first(struct sel *s, uint32_t old, uint32_t writer, bool only_ask) {
    for (uint32_t i = 0; i < s->m->nop; i++) {
        const struct m_op *op = &s->m->op[i];
        bool reads = op->tied == old;
        for (unsigned k = 0; k < op->nsrc; k++)
            reads |= op->src[k].kind == M_VAL && op->src[k].v == old;
        if (!reads || i == writer)
            continue;
        if (only_ask && needs(s, i, writer))
            return false;
        if (!only_ask)
            m_add_edge(s->m, i, writer, 0, false);
    }
    return true;
}

static uint32_t start_value(struct sel *s, int place) {
    uint32_t v = m_new_val(s->m);
    s->m->val[v].start = (int16_t)place;
    return v;
}

/* --- cross-block registers ------------------------------------------------------------------------------ */

/* A cross-block register that the block's end has to have written. */
struct cross_block_write {
    const struct ir_inst *what; /* a phi, or the value itself */
    struct m_src src;
    int reg;
    int from;         /* register of another block's value that is the source, or -1 */
    bool conditional; /* in the active lanes only */
    bool own;         /* the source's own operation may do it */
    uint32_t op;      /* the move, when there is one */
};

/* The register has it already: the same value, or one that shares the cross-block register. */
static bool is_there(const struct sel *s, const struct ir_inst *x, int reg) {
    return s->m->flow->cross_reg[ir_through_bits(x)->id] == reg;
}

/* Could the defining op write the cross-block register itself, as far as the op goes? */
static bool may_write_cross_block(const struct sel *s, const struct cross_block_write *w) {
    if (w->conditional || w->src.kind != M_VAL || w->src.unpack)
        return false;
    const struct m_val *val = &s->m->val[w->src.v];
    if (val->def == M_NO_VALUE || m_only_in_a(s->m, w->src.v) || s->m->op[val->def].r4 ||
        s->m->op[val->def].tied != M_NO_VALUE)
        return false;
    for (uint32_t i = 0; i < s->m->nop;
         i++) /* a place that a conditional write takes over is not for keeping */
        if (s->m->op[i].tied == w->src.v)
            return false;
    return true;
}

static void plan_write(struct sel *s, struct cross_block_write *w, const struct ir_inst *what,
                       const struct ir_inst *value, bool conditional) {
    s->loc = what->loc;
    *w = (struct cross_block_write){.what = what, .conditional = conditional, .op = M_NO_VALUE, .from = -1};
    w->src = sel_word_of(s, value);
    w->reg = s->m->flow->cross_reg[what->id];
    if (w->src.kind == M_VAL)
        w->from = s->m->val[w->src.v].start;
}

static uint32_t plan_writes(struct sel *s, struct cross_block_write *write) {
    const struct flow *f = s->m->flow;
    const struct ir_block *b = s->m->block;
    bool masked = f->block[b->id].masked;
    uint32_t n = 0;
    ir_for_insts((struct ir_block *)b, i) {
        if (f->cross_reg[i->id] != FLOW_NO_REG && i->op != IR_PHI)
            plan_write(s, &write[n++], i, i, masked && f->guarded[i->id]);
    }
    for (uint32_t k = 0; k < f->first_write_count; k++) {
        int reg = f->cross_reg[f->first_write[k].what->id];
        if (f->first_write[k].at == b)
            write[n++] = (struct cross_block_write){
                .what = f->first_write[k].what, .src = src_imm(0), .reg = reg, .from = -1, .op = M_NO_VALUE};
    }
    for (int e = 0; e < 2; e++) {
        struct ir_block *to = b->succ[e];
        /* Before the first of the edges in layout no lane has anything in these cross-block registers:
         * writing all of them gives absent lanes something defined, which a lookup's coordinates ask for. */
        bool first = to && flow_first_edge(to) == b;
        for (const struct ir_inst *phi = to ? to->first : NULL; phi && phi->op == IR_PHI; phi = phi->next)
            for (uint32_t k = 0; k < phi->nsrc; k++)
                if (phi->phi_block[k] == b && !is_there(s, phi->src[k], f->cross_reg[phi->id]))
                    plan_write(s, &write[n++], phi, phi->src[k], masked && (!first || f->guarded[phi->id]));
    }
    return n;
}

/* Moves that wait for each other in a cycle, each for the reader of what it overwrites: one of them takes
 * its source from a copy. */
static void break_cycle(struct sel *s, struct cross_block_write *write, uint32_t n,
                        struct cross_block_write *w) {
    int at = w->from;
    for (uint32_t steps = 0; at >= 0 && steps < n; steps++) {
        const struct cross_block_write *over = NULL;
        for (uint32_t k = 0; k < n && !over; k++)
            if (!write[k].own && write[k].reg == at)
                over = &write[k];
        if (over == w) {
            w->src = src_val(sel_emit_mov(s, w->src));
            w->from = -1;
            return;
        }
        at = over ? over->from : -1;
    }
}

static void write_cross_block(struct sel *s, struct cross_block_write *w) {
    s->loc = w->what->loc;
    w->op = sel_move_op(s, w->src);
    s->m->op[w->op].label = w->what->label;
    if (w->conditional) {
        struct cluster *c =
            sel_join_cluster(s, NULL, NULL, w->src.kind == M_VAL ? s->m->val[w->src.v].def : M_NO_VALUE);
        /* a value of its own for the register's old contents: other readers may find them moved elsewhere */
        uint32_t old = start_value(s, w->reg);
        s->m->val[old].no_copy = true;
        sel_make_conditional(s, w->op, old, c, c->test);
    }
    uint32_t v = sel_emit_to_new(s, w->op);
    s->m->val[v].fixed = (int16_t)w->reg;
}

static bool retarget(struct sel *s, const struct cross_block_write *w) {
    struct m_val *val = &s->m->val[w->src.v];
    uint32_t old = s->start_in[w->reg];
    if (val->fixed >= 0 || (old != M_NO_VALUE && !readers_first(s, old, val->def, true)))
        return false;
    val->fixed = (int16_t)w->reg;
    if (old != M_NO_VALUE)
        readers_first(s, old, val->def, false);
    return true;
}

/* May the op read another value there? Not where it asks for a place that a cross-block register is not, nor
 * where it asks for the value in lanes that are not active. */
static bool may_read_register(const struct sel *s, const struct m_op *op, unsigned k) {
    return op->src[k].kind == M_VAL && !op->src[k].unpack && !op->rotate && !op->pack && !op->r4 &&
           op->pinned_to == M_NO_VALUE && op->waddr == QPU_W_NOP &&
           s->m->val[op->src[k].v].read_in == M_ANYWHERE;
}

/* What the active lanes write to a cross-block register is read from there afterwards: the place where it was
 * made is free then. Where registers are the last thing to be had, it is worth that the readers wait. */
static void read_from_register(struct sel *s, const struct cross_block_write *w) {
    struct mir *m = s->m;
    uint32_t v = w->src.v, there = m->op[w->op].dst;
    for (uint32_t i = 0; i < m->nop; i++) {
        struct m_op *op = &m->op[i];
        for (unsigned k = 0; k < op->nsrc; k++)
            if (i != w->op && i != m->val[v].def && op->src[k].kind == M_VAL && op->src[k].v == v &&
                may_read_register(s, op, k) && !sel_depends(s, w->op, i))
                op->src[k].v = there, sel_note_read(s, op->src[k]);
    }
}

/* There are no other blocks. */
static bool is_alone(const struct sel *s) {
    return s->m->shader->nblocks == 1;
}

void sel_write_cross_block(struct sel *s) {
    const struct ir_block *b = s->m->block;
    uint32_t n = 0;
    if (is_alone(s))
        return;
    ir_for_insts((struct ir_block *)b, i) n += s->m->flow->cross_reg[i->id] != FLOW_NO_REG;
    for (int e = 0; e < 2; e++)
        for (const struct ir_inst *phi = b->succ[e] ? b->succ[e]->first : NULL; phi && phi->op == IR_PHI;
             phi = phi->next)
            n++;
    n += s->m->flow->first_write_count;
    struct cross_block_write *write = ir_alloc(s->m->arena, (n + 1) * sizeof *write);
    n = plan_writes(s, write);
    for (uint32_t k = 0; k < n; k++)
        write[k].own = may_write_cross_block(s, &write[k]);
    for (uint32_t k = 0; k < n; k++)
        if (!write[k].own)
            break_cycle(s, write, n, &write[k]);
    /* All moves are there before anything waits for them: nothing in the block depends on a move, so that
     * each can come after the readers of what it overwrites. An operation that writes the cross-block
     * register itself has readers, and has to be asked. */
    for (uint32_t k = 0; k < n; k++)
        if (!write[k].own)
            write_cross_block(s, &write[k]);
    for (uint32_t k = 0; k < n; k++)
        if (!write[k].own && s->start_in[write[k].reg] != M_NO_VALUE)
            readers_first(s, s->start_in[write[k].reg], write[k].op, false);
    for (uint32_t k = 0; k < n; k++) {
        if (!write[k].own || retarget(s, &write[k]))
            continue;
        write_cross_block(s, &write[k]);
        if (s->start_in[write[k].reg] != M_NO_VALUE)
            readers_first(s, s->start_in[write[k].reg], write[k].op, false);
    }
    for (uint32_t k = 0; k < n && s->m->options.remat; k++)
        if (write[k].conditional && write[k].op != M_NO_VALUE && write[k].src.kind == M_VAL)
            read_from_register(s, &write[k]);
}

/* Values of other blocks exist from the block's beginning: what takes a register over has to know. */
static void find_starts(struct sel *s) {
    memset(s->start_in, 0xff, sizeof s->start_in);
    if (is_alone(s))
        return;
    ir_for_insts((struct ir_block *)s->m->block, i) {
        for (uint32_t k = 0; k < i->nsrc && i->op != IR_PHI; k++) {
            const struct ir_inst *x = ir_through_bits(i->src[k]);
            if (!sel_is_local(s, x) && s->m->flow->cross_reg[x->id] != FLOW_NO_REG)
                sel_value_of(s, x);
        }
    }
    for (int e = 0; e < 2; e++) {
        for (const struct ir_inst *phi = s->m->block->succ[e] ? s->m->block->succ[e]->first : NULL;
             phi && phi->op == IR_PHI; phi = phi->next) {
            for (uint32_t k = 0; k < phi->nsrc; k++) {
                const struct ir_inst *x = ir_through_bits(phi->src[k]);
                if (phi->phi_block[k] == s->m->block && !sel_is_local(s, x) &&
                    s->m->flow->cross_reg[x->id] != FLOW_NO_REG)
                    sel_value_of(s, x);
            }
        }
    }
}

static void set_mask(struct sel *s, uint32_t op) {
    if (s->mask != M_NO_VALUE) {
        m_restrict_reads(s->m, s->mask, place_in_b(s->m->flow->mask_reg) ? M_IN_B : M_IN_A);
        s->m->val[s->mask].no_copy = true; /* the new mask is written over it */
    }
    uint32_t old = s->mask, v = s->m->op[op].dst == M_NO_VALUE ? sel_emit_to_new(s, op) : s->m->op[op].dst;
    s->m->val[v].fixed = s->m->flow->mask_reg;
    if (old != M_NO_VALUE)
        readers_first(s, old, op, false);
    s->mask = v;
    for (uint32_t k = 0; k < s->ncluster; k++) /* flags of the old mask are not the new one's */
        if (!s->cluster[k].cond)
            s->cluster[k].nmember = UINT32_MAX;
}

static void set_budget(struct sel *s, uint32_t op) {
    uint32_t v = sel_emit_to_new(s, op);
    s->m->val[v].fixed = s->m->flow->budget_reg;
}

static struct m_src lane_target(const struct ir_block *b) {
    return src_imm(b->id + 1);
}

void sel_begin_block(struct sel *s) {
    const struct flow *f = s->m->flow;
    const struct ir_block *b = s->m->block;
    s->mask = M_NO_VALUE;
    find_starts(s);
    if (!f->masked)
        return;
    if (s->m->entry) {
        if (f->budget_reg != FLOW_NO_REG)
            set_budget(s, sel_move_op(s, src_imm(FLOW_VERTEX_ITERATIONS)));
        /* a divergent end writes all of the mask: nothing to begin with, which could come after it */
        if (f->block[b->id].masked || !b->succ[1] || !f->varying[b->last->id])
            set_mask(s, sel_move_op(s, src_imm(0)));
        return;
    }
    s->mask = start_value(s, f->mask_reg);
    if (!f->block[b->id].joins)
        return;
    uint32_t setter = sel_emit2(s, QPU_A_XOR, 0, src_val(s->mask), lane_target(b));
    s->m->op[setter].sf = true;
    uint32_t op = sel_move_op(s, src_imm(0));
    sel_tie(s, op, s->mask);
    sel_under_flags(s, op, setter, QPU_COND_ZS);
    set_mask(s, op);
}

static const enum qpu_branch_cond branch_if[8] = {
    [QPU_COND_ALWAYS] = QPU_BR_ALWAYS, [QPU_COND_ZS] = QPU_BR_ALL_ZS, [QPU_COND_ZC] = QPU_BR_ALL_ZC,
    [QPU_COND_NS] = QPU_BR_ALL_NS,     [QPU_COND_NC] = QPU_BR_ALL_NC, [QPU_COND_CS] = QPU_BR_ALL_CS,
    [QPU_COND_CC] = QPU_BR_ALL_CC,
};

/* The flags of a branch are the last the block sets. */
static void set_branch(struct sel *s, uint32_t setter, enum qpu_branch_cond cond, const struct ir_block *to) {
    struct mir *m = s->m;
    m->branch_setter = setter;
    m->branch_cond = (uint8_t)cond;
    m->branch_to = (int32_t)to->id;
    if (setter == M_NO_VALUE)
        return;
    m->op[setter].sf = true;
    for (uint32_t i = 0; i < m->nop; i++)
        if (m->op[i].flags != M_NO_VALUE && i != setter)
            m_add_edge(m, i, setter, 0, false);
}

void sel_branch_test(struct sel *s) {
    const struct ir_block *b = s->m->block;
    if (!b->succ[1])
        return;
    struct test t = sel_bool_test(s, b->last->src[0]);
    s->branch_setter = sel_emit2(s, t.add_op, 0, t.a, t.b);
    s->branch_cond = t.cond;
}

/* A jump to what comes next that has nothing to write before it: a branch's empty side. */
static bool is_without_code(const struct sel *s, const struct ir_block *b) {
    const struct flow *f = s->m->flow;
    const struct ir_block *to = b->succ[0];
    if (b->first != b->last || b->succ[1] || !to || to->id != b->id + 1 || f->block[b->id].masked ||
        f->block[b->id].joins)
        return false;
    for (uint32_t k = 0; k < f->first_write_count; k++)
        if (f->first_write[k].at == b)
            return false;
    for (const struct ir_inst *phi = to->first; phi && phi->op == IR_PHI; phi = phi->next)
        for (uint32_t k = 0; k < phi->nsrc; k++)
            if (phi->phi_block[k] == b && !is_there(s, phi->src[k], f->cross_reg[phi->id]))
                return false;
    return true;
}

/* Does the program counter come to `to` without a branch? */
static bool falls_to(const struct sel *s, const struct ir_block *to) {
    uint32_t next = s->m->block->id + 1;
    while (next < to->id && is_without_code(s, s->m->shader->blocks[next]))
        next++;
    return next == to->id;
}

void sel_end_uniform(struct sel *s) {
    const struct ir_block *b = s->m->block;
    if (!b->succ[0])
        return;
    if (!b->succ[1]) {
        if (!falls_to(s, b->succ[0]))
            set_branch(s, M_NO_VALUE, QPU_BR_ALWAYS, b->succ[0]);
        return;
    }
    bool other = falls_to(s, b->succ[0]);
    uint8_t cond = s->branch_cond;
    set_branch(s, s->branch_setter, branch_if[other ? cond ^ 1 : cond], b->succ[other]);
    if (!falls_to(s, b->succ[!other]))
        s->m->branch_to2 = (int32_t)b->succ[!other]->id;
}

/* What the mask of an active lane that goes to `to` becomes. */
static uint32_t lane_way(const struct sel *s, const struct ir_block *to) {
    const struct ir_block *b = s->m->block;
    bool stays =
        to->id <= b->id ? s->m->flow->block[b->id].back_alone : to->id == b->id + 1 && !flow_goes_back(b);
    return stays ? 0 : to->id + 1;
}

/* Writes where the active lanes go. Those that wait have higher numbers already most often, as what they wait
 * for comes later; the higher one of the two is right for all lanes then. Returns the operation if its result
 * shows in every lane whether it is active. */
static uint32_t set_ways(struct sel *s) {
    const struct flow *f = s->m->flow;
    const struct ir_block *b = s->m->block;
    uint32_t yes = lane_way(s, b->succ[0]), no = b->succ[1] ? lane_way(s, b->succ[1]) : yes, op,
             shows = M_NO_VALUE;
    uint32_t highest = yes > no ? yes : no, awaited = f->block[b->id].awaited;
    struct m_src to = src_imm(yes);
    if (b->succ[1]) {
        s->m->op[s->branch_setter].sf = true;
        op = sel_move_op(s, src_imm(yes));
        uint32_t base = sel_emit_mov(s, src_imm(no)); /* may move the ops */
        sel_tie(s, op, base);
        sel_under_flags(s, op, s->branch_setter, s->branch_cond);
        to = src_val(sel_emit_to_new(s, op));
    }
    if (!f->block[b->id].masked) {
        op = sel_move_op(s, to);
    } else if ((awaited == UINT32_MAX || awaited + 1 >= highest) &&
               !(b->succ[1] && flow_is_undefined(f, b->last->src[0], b))) {
        op = sel_emit2(s, QPU_A_MAX, 0, src_val(s->mask), to);
        shows = op;
    } else {
        struct cluster *c =
            sel_join_cluster(s, NULL, NULL, to.kind == M_VAL ? s->m->val[to.v].def : M_NO_VALUE);
        op = sel_move_op(s, to);
        sel_make_conditional(s, op, s->mask, c, c->test);
    }
    set_mask(s, op);
    return shows;
}

void sel_end_divergent(struct sel *s) {
    const struct flow *f = s->m->flow;
    const struct ir_block *b = s->m->block;
    uint32_t setter = b->succ[1] || lane_way(s, b->succ[0]) ? set_ways(s) : M_NO_VALUE;
    int32_t head = f->block[b->id].back_to;
    if (head < 0)
        return;
    struct m_src waiting = lane_target(s->m->shader->blocks[head]), mask = src_val(s->mask);
    if (!f->block[b->id].back_alone)
        setter = sel_emit2(s, QPU_A_XOR, 0, mask, waiting);
    else if (setter == M_NO_VALUE || f->budget_reg != FLOW_NO_REG)
        setter = sel_emit2(s, QPU_A_OR, 0, mask, mask);
    if (f->budget_reg != FLOW_NO_REG) {
        uint32_t left = start_value(s, f->budget_reg);
        uint32_t count = sel_value2(s, QPU_A_SUB, 0, src_val(left), src_imm(1));
        uint32_t spent = sel_value2(s, QPU_A_ASR, 0, src_val(count),
                                    src_imm(0xffffffffu)); /* by 31: 0, or -1 when used up */
        uint32_t op = sel_move_op(s, src_val(count));
        set_budget(s, op);
        readers_first(s, left, op, false);
        setter = sel_emit2(s, QPU_A_OR, 0, src_val(sel_emit_to_new(s, setter)), src_val(spent));
    }
    set_branch(s, setter, QPU_BR_ANY_ZS, s->m->shader->blocks[head]);
}
