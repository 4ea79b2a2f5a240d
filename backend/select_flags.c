/* Booleans as flags and words, and conditional writes that share one setting of the flags.
 *
 * Requires: selection under way. Keeps: a graph without cycles.
 *
 * The flags are one register. All conditional ops under one setter wait for each other's inputs, so that it
 * can be set late and used up at once; before an op joins, a search of the graph makes sure that this waiting
 * is not circular. */
#include "backend/select.h"

#include <assert.h>
#include <string.h>

/* A boolean is kept as a word and the condition on it that means true (zero or sign). Carry conditions have
 * no word. */
static bool is_carry(uint8_t cond) {
    return cond >= QPU_COND_CS;
}

static uint32_t word_from_flags(struct sel *s, struct test t) {
    uint32_t setter = sel_emit2(s, t.add_op, 0, t.a, t.b);
    s->m->op[setter].sf = true;
    uint32_t zero = sel_emit_mov(s, src_imm(0));
    uint32_t i = sel_move_op(s, src_imm(0xffffffffu));
    sel_tie(s, i, zero);
    sel_under_flags(s, i, setter, t.cond);
    return sel_emit_to_new(s, i);
}

/* Another block has left it as a word. */
static bool is_cross_block_word(const struct sel *s, const struct ir_inst *b) {
    return !sel_is_local(s, b) && !ir_is_free(b);
}

uint32_t sel_bool_word(struct sel *s, const struct ir_inst *b, uint8_t *cond) {
    if (s->word_cond[b->id]) {
        *cond = s->word_cond[b->id];
        return s->val[b->id];
    }
    if (is_cross_block_word(s, b)) {
        *cond = QPU_COND_ZC;
        return sel_value_of(s, b);
    }
    if (b->op == IR_BNOT && sel_is_local(s, b)) {
        uint32_t w = sel_bool_word(s, b->src[0], cond);
        *cond ^= 1;
        return w;
    }
    struct test t = sel_bool_test(s, b);
    uint32_t w;
    if (is_carry(t.cond)) {
        w = word_from_flags(s, t);
        t.cond = QPU_COND_NS;
        s->word_mask[b->id] = true;
    } else {
        w = sel_value2(s, t.add_op, 0, t.a, t.b);
    }
    sel_set_value(s, b, w);
    *cond = s->word_cond[b->id] = t.cond;
    return w;
}

/* A boolean as an operand. `mask`: all ones or none, so that sign and "not zero" say the same. */
struct word {
    struct m_src src;
    uint8_t cond;
    bool mask;
};

static struct word bool_operand(struct sel *s, const struct ir_inst *b) {
    if (b->op == IR_CONST)
        return (struct word){src_imm(b->imm ? 0xffffffffu : 0), QPU_COND_NS, true};
    if (b->op == IR_UNIFORM && ir_slot_mask_of(s->m->shader, b->imm) != UINT32_MAX)
        return (struct word){src_slot(b->imm), QPU_COND_NS, true};
    if (b->op == IR_BNOT && sel_is_local(s, b) && !s->word_cond[b->id]) {
        struct word w = bool_operand(s, b->src[0]);
        w.cond ^= 1;
        return w;
    }
    uint8_t cond;
    uint32_t v = sel_bool_word(s, b, &cond);
    return (struct word){src_val(v), cond, s->word_mask[b->id]};
}

/* Sign form: the same truth in the word's top bit. */
static struct word to_sign(struct sel *s, struct word w) {
    if (w.cond == QPU_COND_NS || w.cond == QPU_COND_NC)
        return w;
    if (!w.mask) {
        struct m_src x = sel_in_register(s, w.src);
        uint32_t neg = sel_value2(s, QPU_A_SUB, 0, src_imm(0), x);
        w.src = src_val(sel_value2(s, QPU_A_OR, 0, src_val(neg), x));
    }
    w.cond = w.cond == QPU_COND_ZC ? QPU_COND_NS : QPU_COND_NC;
    return w;
}

/* The other condition on the contrary word: of a word of the stream, another word of the stream. */
static struct word flipped(struct sel *s, struct word w) {
    if (w.src.kind == M_SLOT) {
        struct ir_slot not = {
            .kind = IR_SLOT_EXPR, .op = IR_INOT, .type = IR_I32, .narg = 1, .arg = {w.src.v}};
        w.src = src_slot(ir_slot(s->m->shader, not ));
    } else {
        w.src = src_val(sel_unary(s, QPU_A_NOT, w.src));
    }
    w.cond ^= 1;
    return w;
}

static struct test combine(struct sel *s, const struct ir_inst *b) {
    struct word x = bool_operand(s, b->src[0]), y = bool_operand(s, b->src[1]);
    bool is_and = b->op == IR_BAND;
    if (b->op != IR_BXOR && !x.mask == !!y.mask) { /* a mask as what the other one is */
        struct word *mask = x.mask ? &x : &y, *other = x.mask ? &y : &x;
        if (other->cond == QPU_COND_ZC || other->cond == QPU_COND_ZS)
            mask->cond = mask->cond == QPU_COND_NS ? QPU_COND_ZC : QPU_COND_ZS;
        if (other->cond != mask->cond && mask->src.kind == M_SLOT)
            *mask = flipped(s, *mask);
        if (is_and && other->cond == QPU_COND_ZC && mask->cond == QPU_COND_ZC)
            return (struct test){QPU_A_AND, QPU_COND_ZC, x.src, y.src};
        if (!is_and && other->cond == QPU_COND_ZS && mask->cond == QPU_COND_ZS)
            return (struct test){QPU_A_AND, QPU_COND_ZS, x.src, y.src};
    }
    if (b->op != IR_BXOR && x.cond == y.cond && x.cond == (is_and ? QPU_COND_ZS : QPU_COND_ZC))
        return (struct test){QPU_A_OR, x.cond, x.src, y.src};
    x = to_sign(s, x);
    y = to_sign(s, y);
    if (b->op == IR_BXOR)
        return (struct test){QPU_A_XOR, x.cond == y.cond ? QPU_COND_NS : QPU_COND_NC, x.src, y.src};
    if (x.cond != y.cond) {
        struct word *flip = x.src.kind == M_SLOT || (y.src.kind != M_SLOT && x.cond == QPU_COND_NC) ? &x : &y;
        *flip = flipped(s, *flip);
    }
    /* and of "negative" is the bits' and; and of "not negative" is the bits' or */
    bool bits_and = is_and == (x.cond == QPU_COND_NS);
    return (struct test){bits_and ? QPU_A_AND : QPU_A_OR, x.cond, x.src, y.src};
}

struct test sel_bool_test(struct sel *s, const struct ir_inst *b) {
    if (!b) /* the lane mask: zero is active */
        return (struct test){QPU_A_OR, QPU_COND_ZS, src_val(s->mask), src_val(s->mask)};
    if (is_cross_block_word(s, b)) {
        struct m_src w = src_val(sel_value_of(s, b));
        return (struct test){QPU_A_OR, QPU_COND_ZC, w, w};
    }
    if (s->word_cond[b->id])
        return (struct test){QPU_A_OR, s->word_cond[b->id], src_val(s->val[b->id]), src_val(s->val[b->id])};
    struct m_src a = {0}, c = {0};
    if (ir_op_info(b->op)->cls == IR_CLASS_COMPARE) {
        a = sel_operand(s, b->src[0], ir_takes_floats(b));
        c = sel_operand(s, b->src[1], ir_takes_floats(b));
    }
    switch (b->op) {
    /* a - b keeps the order of any two finite floats; the flags follow the result */
    case IR_FLT: return (struct test){QPU_A_FSUB, QPU_COND_NS, a, c};
    case IR_FGE: return (struct test){QPU_A_FSUB, QPU_COND_NC, a, c};
    case IR_FEQ: return (struct test){QPU_A_FSUB, QPU_COND_ZS, a, c};
    case IR_FNE: return (struct test){QPU_A_FSUB, QPU_COND_ZC, a, c};
    /* max sets carry when its first operand is the greater, over the whole range; sub would wrap */
    case IR_ILT: return (struct test){QPU_A_MAX, QPU_COND_CS, c, a};
    case IR_IGE: return (struct test){QPU_A_MAX, QPU_COND_CC, c, a};
    case IR_IEQ: return (struct test){QPU_A_XOR, QPU_COND_ZS, a, c};
    case IR_INE: return (struct test){QPU_A_XOR, QPU_COND_ZC, a, c};
    case IR_ULT: return (struct test){QPU_A_SUB, QPU_COND_CS, a, c};
    case IR_UGE: return (struct test){QPU_A_SUB, QPU_COND_CC, a, c};
    case IR_BNOT: {
        struct test t = sel_bool_test(s, b->src[0]);
        t.cond ^= 1;
        return t;
    }
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR: return combine(s, b);
    default: {
        struct m_src w = sel_operand(s, b, false);
        return (struct test){QPU_A_OR, QPU_COND_ZC, w, w};
    }
    }
}

struct search {
    uint32_t *stack, n;
};

static void visit(struct sel *s, struct search *w, uint32_t op) {
    if (op >= s->cap_seen) {
        uint32_t cap = s->m->cap_op;
        uint32_t *fresh = ir_alloc(s->m->arena, cap * sizeof *fresh),
                 *stack = ir_alloc(s->m->arena, cap * sizeof *stack);
        if (s->cap_seen) {
            memcpy(fresh, s->seen, s->cap_seen * sizeof *fresh);
            memcpy(stack, s->stack, s->cap_seen * sizeof *stack);
        }
        s->seen = fresh;
        s->stack = w->stack = stack;
        s->cap_seen = cap;
    }
    if (s->seen[op] == s->stamp)
        return;
    s->seen[op] = s->stamp;
    w->stack[w->n++] = op;
}

static void visit_inputs(struct sel *s, struct search *w, uint32_t op) {
    const struct m_op *o = &s->m->op[op];
    for (unsigned k = 0; k <= o->nsrc; k++) {
        uint32_t v = k == o->nsrc ? o->tied : o->src[k].kind == M_VAL ? o->src[k].v : M_NO_VALUE;
        if (v != M_NO_VALUE && s->m->val[v].def != M_NO_VALUE)
            visit(s, w, s->m->val[v].def);
    }
    for (uint32_t e = o->in_edge; e; e = s->m->edge[e - 1].next_in)
        visit(s, w, s->m->edge[e - 1].from);
}

/* Does a visited op depend on op `target`, or on a conditional op under the flags of `setter`? The
 * conditional ops under one setting of the flags wait for each other's inputs (the flags are set once, late),
 * so reaching one of them reaches what all of them read. */
static bool search_reaches(struct sel *s, struct search *w, uint32_t target, uint32_t setter) {
    while (w->n) {
        uint32_t i = w->stack[--w->n];
        s->visits++;
        if (i == target)
            return true;
        uint32_t flags = s->m->op[i].flags;
        if (flags != M_NO_VALUE) {
            if (flags == setter)
                return true;
            visit(s, w, flags);
            for (uint32_t k = s->m->op[flags].first_member; k; k = s->m->op[k - 1].next_member)
                visit_inputs(s, w, k - 1);
        }
        for (uint32_t k = s->m->op[i].first_member; k; k = s->m->op[k - 1].next_member)
            visit_inputs(s, w, k - 1); /* a setter waits for its readers' inputs */
        visit_inputs(s, w, i);
    }
    return false;
}

static bool is_found(struct sel *s, uint32_t op, uint32_t target) {
    struct search w = {s->stack, 0};
    s->stamp++;
    visit(s, &w, op);
    return search_reaches(s, &w, target, M_NO_VALUE);
}

/* Nothing depends on most targets yet: a search would go through the whole block in vain. */
bool sel_depends(struct sel *s, uint32_t op, uint32_t target) {
    bool may = op == target || s->m->op[target].awaited;
    uint64_t visits = s->visits;
    assert(may || !is_found(s, op, target));
    s->visits = visits; /* the same work with assertions and without */
    return may && is_found(s, op, target);
}

bool sel_conditional_depends(struct sel *s, uint32_t target) {
    struct search w = {s->stack, 0};
    s->stamp++;
    for (uint32_t i = 0; i < s->m->nop && s->m->op[target].awaited; i++)
        if (s->m->op[i].flags != M_NO_VALUE)
            visit(s, &w, i);
    return search_reaches(s, &w, target, M_NO_VALUE);
}

static void visit_value(struct sel *s, struct search *w, const struct ir_inst *x, unsigned depth) {
    if (!sel_is_local(s, x))
        return;
    if (s->val[x->id] != M_NO_VALUE) {
        if (s->m->val[s->val[x->id]].def != M_NO_VALUE)
            visit(s, w, s->m->val[s->val[x->id]].def);
        return;
    }
    for (uint32_t j = 0; j < x->nsrc && depth < 200; j++) /* made on demand: what it is made of */
        visit_value(s, w, x->src[j], depth + 1);
}

/* The flag setting for a conditional `inst` on boolean `cond`: an existing one when no cycle comes of sharing
 * it. `after`: an op that has to come before, or M_NO_VALUE. */
struct cluster *sel_join_cluster(struct sel *s, struct ir_inst *inst, const struct ir_inst *cond,
                                 uint32_t after) {
    /* what shares a setting has all its inputs alive at once */
    const uint32_t most = s->m->options.remat ? 1 : 32;
    uint32_t level = inst ? sel_level_of(s, inst) : 0;
    bool makes_value = inst && inst->type != IR_VOID;
    uint32_t near = s->ncluster; /* far members would all have to wait */
    while (near && s->m->nop - s->cluster[near - 1].setter <= 96)
        near--;
    for (uint32_t k = near; k < s->ncluster; k++) {
        struct cluster *c = &s->cluster[k];
        if (c->cond != cond || c->nmember >= most)
            continue;
        /* what was made before a switch would wait for it, and what asks for a texel with it is to be
         * before */
        if (makes_value && c->level != level)
            continue;
        struct search w = {s->stack, 0};
        s->stamp++;
        for (uint32_t j = 0; inst && j < inst->nsrc; j++)
            visit_value(s, &w, inst->src[j], 0);
        if (after != M_NO_VALUE && s->m->op[after].flags != c->setter) /* after another member is fine */
            visit(s, &w, after);
        if (search_reaches(s, &w, M_NO_VALUE, c->setter))
            continue;
        c->nmember++;
        c->level = level > c->level ? level : c->level;
        return c;
    }
    if (s->ncluster == s->cap_cluster) {
        uint32_t cap = s->cap_cluster ? s->cap_cluster * 2 : 16;
        struct cluster *fresh = ir_alloc(s->m->arena, cap * sizeof *fresh);
        if (s->ncluster)
            memcpy(fresh, s->cluster, s->ncluster * sizeof *fresh);
        s->cluster = fresh;
        s->cap_cluster = cap;
    }
    struct test t = sel_bool_test(s, cond);
    struct cluster *c = &s->cluster[s->ncluster++];
    *c = (struct cluster){.cond = cond, .test = t.cond, .level = level};
    c->setter = sel_emit2(s, t.add_op, 0, t.a, t.b);
    s->m->op[c->setter].sf = true;
    c->nmember = 1;
    return c;
}

void sel_under_flags(struct sel *s, uint32_t op, uint32_t setter, uint8_t cond) {
    s->m->op[op].cond = cond;
    s->m->op[op].flags = setter;
    s->m->op[setter].awaited = true;
    s->m->op[op].next_member = s->m->op[setter].first_member;
    s->m->op[setter].first_member = op + 1;
}

void sel_make_conditional(struct sel *s, uint32_t op, uint32_t tied, struct cluster *c, uint8_t cond) {
    sel_tie(s, op, tied);
    sel_under_flags(s, op, c->setter, cond);
}

/* A word that is not zero where the boolean is true. */
static struct m_src not_zero(struct sel *s, const struct ir_inst *b) {
    struct word w = bool_operand(s, b);
    if (w.cond == QPU_COND_ZC || (w.mask && w.cond == QPU_COND_NS))
        return w.src;
    w = to_sign(s, w);
    if (w.cond == QPU_COND_NC)
        w = flipped(s, w);
    return w.mask ? w.src : src_val(sel_value2(s, QPU_A_ASR, 0, w.src, src_imm(0xffffffffu)));
}

void select_bool_value(struct sel *s, struct ir_inst *i, uint32_t *word) {
    struct m_src arm[2] = {not_zero(s, i->src[1]), not_zero(s, i->src[2])};
    struct cluster *c = sel_join_cluster(s, i, i->src[0], M_NO_VALUE);
    uint32_t copy = sel_emit_mov(s, arm[1]);
    uint32_t op = sel_move_op(s, arm[0]);
    sel_make_conditional(s, op, copy, c, c->test);
    *word = sel_emit_to_new(s, op);
    s->word_cond[i->id] = QPU_COND_ZC;
}

struct m_src sel_word_of(struct sel *s, const struct ir_inst *x) {
    if (x->type != IR_BOOL || !sel_is_local(s, x) || x->op == IR_CONST || x->op == IR_UNIFORM)
        return sel_operand(s, x, false);
    return not_zero(s, x);
}
