/* Packed words: colours of four bytes, pairs of halves.
 *
 * Requires: selection under way. Keeps: a graph without cycles. A product goes to its byte by its own
 * operation where nothing else reads it. */
#include "backend/select.h"

static const struct ir_inst *unclamped(struct sel *s, const struct ir_inst *x) {
    while (x->op == IR_FSAT && sel_is_local(s, x)) {
        if (s->uses[x->id] != 1)
            return x->src[0]->op == IR_FSAT ? unclamped(s, x->src[0]) : x->src[0];
        x = x->src[0];
    }
    return x;
}

/* Pinned to the texel, or a copy of it: waits for nothing that comes after the fetch. */
static bool goes_with(const struct m_op *op, uint32_t texel) {
    bool copies = op->nsrc == 1 && op->src[0].kind == M_VAL && op->src[0].v == texel;
    if (copies && op->tied == M_NO_VALUE && op->flags == M_NO_VALUE) /* no choice between it and another */
        return true;
    return op->pinned_to == texel;
}

/* Unpacking r4 and packing the product share one setting (pm = 1), so texel * x goes to its byte in one
 * operation, as long as the texel is still in r4: the op is pinned to it. r4 is one register, and what is
 * pinned keeps others out of it. So whatever else a pinned op waits for comes before the texel is fetched,
 * the pins of another texel among it: from the fetch on all of them can go, and two texels' pins can't wait
 * for each other. Returns false if that would be circular. */
static bool pin_to_r4(struct sel *s, uint32_t index, uint32_t tied) {
    struct m_op *op = &s->m->op[index];
    uint32_t fetch = M_NO_VALUE, texel = M_NO_VALUE;
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].unpack) {
            texel = op->src[k].v;
            fetch = s->m->val[texel].def;
        }
    if (fetch == M_NO_VALUE || !s->m->op[fetch].r4)
        return false;
    uint32_t before[3], n = 0;
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].kind == M_VAL && op->src[k].v != texel && s->m->val[op->src[k].v].def != M_NO_VALUE)
            before[n++] = s->m->val[op->src[k].v].def;
    uint32_t base = tied != M_NO_VALUE ? s->m->val[tied].def : M_NO_VALUE;
    if (base != M_NO_VALUE && !goes_with(&s->m->op[base], texel))
        before[n++] = base;
    for (uint32_t k = 0; k < n; k++)
        if (sel_depends(s, before[k], fetch))
            return false;
    for (uint32_t k = 0; k < n; k++)
        m_add_edge(s->m, before[k], fetch, 0, false);
    s->m->op[index].pinned_to = texel;
    return true;
}

static bool unpacks(const struct m_op *op) {
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].unpack)
            return true;
    return false;
}

/* One byte (or all four, pack 8888) of a packed colour; `here`: how many bytes of it are this same value. */
uint32_t sel_pack_byte(struct sel *s, const struct ir_inst *x, uint32_t here, uint8_t pack, uint32_t tied) {
    x = unclamped(s, x);
    const struct ir_inst *bits = ir_through_bits(x);
    uint32_t op = M_NO_VALUE;
    if (s->uses[bits->id] == here) {
        uint32_t keep = s->uses[bits->id];
        s->uses[bits->id] = 1;
        if (sel_fold_target(s, bits, false) && !m_only_in_a(s->m, s->val[bits->id])) {
            uint32_t def = s->m->val[s->val[bits->id]].def;
            const struct m_op *d = &s->m->op[def];
            bool doubles = d->add_op == QPU_A_FADD && d->factor;
            if (d->mul_op == QPU_M_FMUL && (!d->add_op || doubles) &&
                (!unpacks(d) || pin_to_r4(s, def, tied)))
                op = def;
        }
        s->uses[bits->id] = keep;
    }
    if (op == M_NO_VALUE && bits->op == IR_UNPACK_8F && sel_is_local(s, bits) &&
        s->val[bits->id] == M_NO_VALUE) {
        struct m_src a = sel_operand(s, bits, true);
        op = sel_emit_raw(s, 0, QPU_M_FMUL, 2, a, src_imm(0x3f800000));
        if (!pin_to_r4(s, op, tied)) {
            s->m->op[op].dead = true;
            op = M_NO_VALUE;
        }
    }
    if (op == M_NO_VALUE) {
        struct m_src a = sel_operand(s, x, false);
        op = sel_emit_raw(s, 0, QPU_M_V8MIN, 1, a, a);
    }
    struct m_op *packs = &s->m->op[op];
    packs->pack = pack;
    packs->pm = true;
    if (packs->factor) { /* the mul ALU's alone now, and its immediate may be in an operand's way */
        packs->add_op = 0;
        packs->src[packs->nsrc++] = src_imm(packs->factor);
        packs->factor = 0;
    }
    sel_tie(s, op, tied);
    if (packs->dst == M_NO_VALUE)
        return sel_emit_to_new(s, op);
    return packs->dst;
}

/* The packed word that channel k can be taken from as it is: it was unpacked from the same byte. */
static const struct ir_inst *word_with_byte(const struct sel *s, const struct ir_inst *x, unsigned k) {
    return x->op == IR_UNPACK_8F && x->imm == k && sel_is_local(s, x) ? x->src[0] : NULL;
}

static bool same_channel(const struct ir_inst *a, const struct ir_inst *b) {
    return a == b || (a->op == IR_CONST && b->op == IR_CONST && a->imm == b->imm);
}

static bool reads_texel(struct sel *s, const struct ir_inst *x) {
    if (x->op == IR_UNPACK_8F)
        return true;
    return x->op == IR_FMUL && sel_is_local(s, x) &&
           (ir_through_bits(x->src[0])->op == IR_UNPACK_8F || ir_through_bits(x->src[1])->op == IR_UNPACK_8F);
}

/* One value in some bytes, 1 in all others, or 0 in all others: packed to all four at once, and the others
 * are a mask. Not behind branches, where the first word of the stream costs a reset of its address. */
static bool pack_masked(struct sel *s, struct ir_inst *i, const struct ir_inst *const c[4]) {
    uint32_t mask = 0, value = 0;
    unsigned at = 4, same = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (c[k]->op != IR_CONST) {
            if (at < 4 && c[k] != c[at])
                return false;
            at = at < 4 ? at : k;
            same++;
            continue;
        }
        if ((c[k]->imm != 0 && c[k]->imm != 0x3f800000) || (mask && value != c[k]->imm))
            return false;
        value = c[k]->imm;
        mask |= 0xffu << 8 * k;
    }
    if (!mask || at == 4 || word_with_byte(s, c[at], at) || !s->m->entry)
        return false;
    struct m_src all = src_val(sel_pack_byte(s, i->src[at], same, QPU_PACK_8888, M_NO_VALUE));
    s->val[i->id] = sel_value2(s, value ? QPU_A_OR : QPU_A_AND, 0, all, src_imm(value ? mask : ~mask));
    return true;
}

void select_pack_color(struct sel *s, struct ir_inst *i) {
    const struct ir_inst *c[4];
    for (int k = 0; k < 4; k++)
        c[k] = ir_through_bits(unclamped(s, i->src[k]));
    if (pack_masked(s, i, c))
        return;
    /* what the word starts from: another word that has some bytes right already, or the value that most bytes
     * have (a constant among equals: it is there at once), written to all four */
    const struct ir_inst *base = NULL;
    unsigned best = 0, best_count = 0, base_count = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned count = 0, kept = 0;
        for (unsigned j = 0; j < 4; j++) {
            count += same_channel(c[j], c[k]);
            kept += word_with_byte(s, c[k], k) && word_with_byte(s, c[k], k) == word_with_byte(s, c[j], j);
        }
        count = count * 2 + (c[k]->op == IR_CONST);
        if (count > best_count)
            best_count = count, best = k;
        if (kept > base_count)
            base_count = kept, base = word_with_byte(s, c[k], k);
    }
    uint32_t v;
    bool done[4] = {false};
    if (base && base_count >= best_count / 2) {
        v = sel_emit_mov(s, src_val(sel_value_of(s, base)));
        for (unsigned k = 0; k < 4; k++)
            done[k] = word_with_byte(s, c[k], k) == base;
    } else {
        v = sel_pack_byte(s, i->src[best], best_count / 2, QPU_PACK_8888, M_NO_VALUE);
        for (unsigned k = 0; k < 4; k++)
            done[k] = same_channel(c[k], c[best]);
    }
    for (int texels = 1; texels >= 0; texels--) /* those that hold r4 first */
        for (unsigned k = 0; k < 4; k++)
            if (!done[k] && reads_texel(s, c[k]) == (texels != 0))
                v = sel_pack_byte(s, i->src[k], 1, (uint8_t)(QPU_PACK_8A + k), v);
    s->val[i->id] = v;
}

static bool float_result(const struct m_op *op) {
    return op->add_op ? qpu_add_info(op->add_op)->float_result : qpu_mul_info(op->mul_op)->float_result;
}

uint32_t sel_pack_half(struct sel *s, const struct ir_inst *x, bool to_float, uint8_t pack, uint32_t tied) {
    uint32_t op;
    if (sel_fold_target(s, x, false)) {
        op = s->m->val[s->val[ir_through_bits(x)->id]].def;
        if (float_result(&s->m->op[op]) != to_float)
            op = M_NO_VALUE; /* the pack converts what comes out of float operations, and nothing else */
        else if (tied != M_NO_VALUE && s->m->val[tied].def != M_NO_VALUE &&
                 sel_depends(s, s->m->val[tied].def, op))
            op = M_NO_VALUE; /* a varying's sum does not wait for later varyings */
    } else {
        op = M_NO_VALUE;
    }
    if (op == M_NO_VALUE) {
        struct m_src a = sel_operand(s, x, to_float);
        op = sel_move_op(s, a);
        if (to_float) {
            s->m->op[op].factor = 0x3f800000;
            s->m->op[op].add_op = QPU_A_FMAX;
            s->m->op[op].mul_op = QPU_M_FMUL;
        }
    }
    s->m->op[op].pack = pack;
    sel_tie(s, op, tied);
    uint32_t v = s->m->op[op].dst == M_NO_VALUE ? sel_emit_to_new(s, op) : s->m->op[op].dst;
    m_restrict_write(s->m, v, M_IN_A);
    return v;
}

uint32_t sel_pack_over(struct sel *s, const struct ir_inst *i) {
    const struct ir_inst *high = i->src[1];
    if ((high->op != IR_IASR && high->op != IR_USHR) || !sel_is_local(s, high) ||
        high->src[1]->op != IR_CONST || (high->src[1]->imm & 31) != 16)
        return M_NO_VALUE;
    const struct ir_inst *word = ir_through_bits(high->src[0]);
    uint32_t base;
    if (s->uses[high->id] == 1 && s->uses[word->id] == 1 && sel_is_local(s, word) &&
        s->val[word->id] != M_NO_VALUE && s->m->val[s->val[word->id]].def != M_NO_VALUE &&
        s->m->val[s->val[word->id]].fixed < 0)
        base = s->val[word->id];
    else
        base = sel_emit_mov(s, sel_operand(s, word, false));
    m_restrict_reads(s->m, base, M_IN_UNPACKER); /* a result in r4 is copied to A first */
    return sel_pack_half(s, i->src[0], false, QPU_PACK_16A, base);
}
