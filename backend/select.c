/* Instruction selection: lowered IR of one straight block to machine operations.
 *
 * Requires: shader->lowered, dead code gone, one block. Keeps: the IR untouched. The order of the ops made
 * here means nothing: value flow and the edges added for FIFOs (varyings, VPM, texture unit, tile buffer) are
 * all the order there is, so things nobody may need (a constant in a register, an unpacked byte) are made on
 * first demand.
 *
 * Folding happens on the spot: a producer with one use is changed in place to write the peripheral, the
 * packed byte or the conditional destination itself (`fold_target` says when that is allowed). */
#include "backend/mir.h"

#include <stdio.h>
#include <string.h>

/* A truth value as flags: run `op a, b` with flags, then test `cond`. */
struct test {
    uint8_t add_op, cond;
    struct m_src a, b;
};

/* Conditional writes that share one flag setting; see join_cluster. */
struct cluster {
    const struct ir_inst *cond;
    uint32_t setter;
    uint8_t test;
    uint32_t nmember;
};

struct sel {
    struct mir *m;
    struct be_result *result;
    uint32_t *val;      /* IR id -> value */
    uint8_t *word_cond; /* IR id of a boolean -> condition its word stands for, 0: no word yet */
    uint32_t *uses;     /* IR id -> uses left in the IR */
    uint32_t *seen, *stack, cap_seen, stamp; /* op -> stamp of the last walk over it */
    struct cluster *cluster;
    uint32_t ncluster, cap_cluster;
    struct ir_loc loc;
    uint32_t last_vary_read, last_vary_add, last_vpm_read, last_vpm_write, last_tlb;
    uint32_t tmu_last_s[2], tmu_last_ld[2], tmu_count[2], *tmu_ld[2];
    uint32_t mask;                                            /* value of the lane mask now */
    uint32_t *level, *thread_switch, nswitch, batch_words[2]; /* two threads: see "texture requests" */
    bool failed;
};

static struct m_src src_val(uint32_t v) {
    return (struct m_src){.kind = M_VAL, .v = v};
}
static struct m_src src_imm(uint32_t bits) {
    return (struct m_src){.kind = M_IMM, .v = bits};
}
static struct m_src src_slot(uint32_t slot) {
    return (struct m_src){.kind = M_SLOT, .v = slot};
}
static struct m_src src_read(uint32_t addr, enum m_side side) {
    return (struct m_src){.kind = M_READ, .v = addr, .side = (uint8_t)side};
}

static void unsupported(struct sel *s, const struct ir_inst *inst, const char *what) {
    if (s->failed)
        return;
    s->failed = true;
    s->result->status = BE_UNSUPPORTED;
    s->result->where = inst ? inst->loc : (struct ir_loc){0};
    snprintf(s->result->message, sizeof s->result->message, "%s", what);
}

static bool is_local(const struct sel *s, const struct ir_inst *i) {
    return i->block == s->m->block && i->op != IR_PHI;
}

static const struct ir_inst *through_bits(const struct ir_inst *i) {
    while (i->op == IR_FBITS || i->op == IR_IBITS)
        i = i->src[0];
    return i;
}

/* --- emitting
 * ------------------------------------------------------------------------------------------------------ */

static uint32_t emit_raw(struct sel *s, unsigned add_op, unsigned mul_op, unsigned nsrc, struct m_src a,
                         struct m_src b) {
    uint32_t i = m_new_op(s->m);
    struct m_op *op = &s->m->op[i];
    op->add_op = (uint8_t)add_op;
    op->mul_op = (uint8_t)mul_op;
    op->nsrc = (uint8_t)nsrc;
    op->src[0] = a;
    op->src[1] = b;
    op->loc = s->loc;
    return i;
}

static uint32_t emit_to_new(struct sel *s, uint32_t op) {
    uint32_t v = m_new_val(s->m);
    s->m->op[op].dst = v;
    s->m->val[v].def = op;
    return v;
}

static bool is_wide(struct m_src a) {
    return a.kind == M_SLOT || (a.kind == M_IMM && qpu_small_imm_code(a.v) < 0);
}

/* True when one instruction can't fetch both: two words of the stream, two reads of one file's port. */
static bool clash(struct m_src a, struct m_src b) {
    bool same = a.kind == b.kind && a.v == b.v;
    if (is_wide(a) && is_wide(b))
        return !same;
    if (a.kind == M_READ && b.kind == M_READ)
        return a.side == b.side && a.side != M_SIDE_ANY && !same;
    if (a.unpack && b.unpack)
        return a.v != b.v || a.unpack != b.unpack;
    if (a.kind == M_IMM && b.kind == M_READ)
        return b.side == M_SIDE_B && is_wide(a) == false;
    if (b.kind == M_IMM && a.kind == M_READ)
        return a.side == M_SIDE_B && is_wide(b) == false;
    return false;
}

static uint32_t emit_mov(struct sel *s, struct m_src a);

static struct m_src in_register(struct sel *s, struct m_src a) {
    return a.kind == M_VAL && !a.unpack ? a : src_val(emit_mov(s, a));
}

static uint32_t emit2(struct sel *s, unsigned add_op, unsigned mul_op, struct m_src a, struct m_src b) {
    if (clash(a, b)) {
        if (a.kind == M_SLOT || a.unpack || a.kind == M_READ)
            a = in_register(s, a);
        else
            b = in_register(s, b);
    }
    return emit_raw(s, add_op, mul_op, 2, a, b);
}

static uint32_t value2(struct sel *s, unsigned add_op, unsigned mul_op, struct m_src a, struct m_src b) {
    return emit_to_new(s, emit2(s, add_op, mul_op, a, b));
}

/* A move; one that unpacks to float does float work on either ALU. */
static uint32_t move_op(struct sel *s, struct m_src a) {
    bool converts = a.unpack && a.unpack != QPU_UNPACK_8D_REP;
    uint32_t i = emit_raw(s, converts ? QPU_A_FMAX : QPU_A_OR, converts ? QPU_M_FMUL : QPU_M_V8MIN, 1, a, a);
    s->m->op[i].float_mov = converts;
    return i;
}

static uint32_t emit_mov(struct sel *s, struct m_src a) {
    return emit_to_new(s, move_op(s, a));
}

/* --- operands
 * ------------------------------------------------------------------------------------------------------- */

static uint32_t value_of(struct sel *s, const struct ir_inst *inst);

static uint8_t unpack_mode(const struct ir_inst *i) {
    switch (i->op) {
    case IR_UNPACK_8F:
    case IR_UNPACK_8I: return (uint8_t)(QPU_UNPACK_8A + i->imm);
    case IR_UNPACK_16F:
    case IR_UNPACK_16I: return (uint8_t)(QPU_UNPACK_16A + i->imm);
    default: return QPU_UNPACK_8D_REP;
    }
}

/* The value where it can be unpacked: what another block left in file B has to move. */
static uint32_t unpackable(struct sel *s, const struct ir_inst *inst) {
    uint32_t v = value_of(s, inst);
    return s->m->val[v].start >= 32 ? emit_mov(s, src_val(v)) : v;
}

/* How `inst` reads as an operand. `floats`: the reading operation takes floats, so a float unpack can ride
 * along. */
static struct m_src operand(struct sel *s, const struct ir_inst *inst, bool floats) {
    inst = through_bits(inst);
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
        if (floats && is_local(s, inst)) {
            struct m_src a = src_val(unpackable(s, inst->src[0]));
            a.unpack = unpack_mode(inst);
            s->m->val[a.v].must_a = true;
            return a;
        }
        break;
    default: break;
    }
    return src_val(value_of(s, inst));
}

/* True if the value's defining op may be changed in place to write elsewhere: its only reader is asking. */
static bool fold_target(struct sel *s, const struct ir_inst *inst, bool peripheral) {
    inst = through_bits(inst);
    uint32_t v = s->val[inst->id];
    if (v == M_NO_VALUE || s->uses[inst->id] != 1 || s->m->val[v].def == M_NO_VALUE)
        return false;
    const struct m_op *op = &s->m->op[s->m->val[v].def];
    if (op->r4 || op->tied != M_NO_VALUE || op->cond != QPU_COND_ALWAYS || op->sf || op->pack ||
        op->dst != v || op->waddr != QPU_W_NOP || op->sig != QPU_SIG_NONE || op->reads_vpm)
        return false;
    return !peripheral || !s->m->val[v].must_a;
}

static bool depends(struct sel *s, uint32_t op, uint32_t target);

/* `waddr` := inst, by its own operation if that may be. The write has to come after the ops `after`
 * (M_NO_VALUE: none). Returns the op. */
static uint32_t write_peripheral(struct sel *s, const struct ir_inst *inst, unsigned waddr,
                                 const uint32_t after[3], bool no_stream) {
    uint32_t i = M_NO_VALUE;
    if (fold_target(s, inst, true)) {
        i = s->m->val[s->val[through_bits(inst)->id]].def;
        /* the word a texture coordinate write pulls forbids reading another in the same instruction */
        bool circular = no_stream && m_reads_stream(&s->m->op[i]);
        for (int k = 0; k < 3 && !circular; k++)
            circular = after[k] != M_NO_VALUE && depends(s, after[k], i);
        if (circular)
            i = M_NO_VALUE;
    }
    if (i != M_NO_VALUE) {
        s->m->op[i].dst = M_NO_VALUE;
    } else {
        struct m_src a = operand(s, inst, true);
        if (no_stream && is_wide(a))
            a = in_register(s, a);
        i = move_op(s, a);
    }
    s->m->op[i].waddr = (uint8_t)waddr;
    return i;
}

static void chain(struct sel *s, uint32_t *last, uint32_t op) {
    if (*last != M_NO_VALUE)
        m_add_edge(s->m, *last, op, 1, false);
    *last = op;
}

static void under_flags(struct sel *s, uint32_t op, uint32_t setter, uint8_t cond);

/* --- booleans
 * ------------------------------------------------------------------------------------------------------- */

/* A boolean is kept as a word and the condition on it that means true (zero or sign). Carry conditions have
 * no word. */
static bool is_carry(uint8_t cond) {
    return cond >= QPU_COND_CS;
}

static struct test bool_test(struct sel *s, const struct ir_inst *b);

static uint32_t word_from_flags(struct sel *s, struct test t) {
    uint32_t setter = emit2(s, t.add_op, 0, t.a, t.b);
    s->m->op[setter].sf = true;
    uint32_t zero = emit_mov(s, src_imm(0));
    uint32_t i = move_op(s, src_imm(0xffffffffu));
    s->m->op[i].tied = zero;
    under_flags(s, i, setter, t.cond);
    return emit_to_new(s, i);
}

static uint32_t bool_word(struct sel *s, const struct ir_inst *b, uint8_t *cond) {
    if (s->word_cond[b->id]) {
        *cond = s->word_cond[b->id];
        return s->val[b->id];
    }
    if (b->op == IR_BNOT && is_local(s, b)) {
        uint32_t w = bool_word(s, b->src[0], cond);
        *cond ^= 1;
        return w;
    }
    struct test t = bool_test(s, b);
    uint32_t w;
    if (is_carry(t.cond)) {
        w = word_from_flags(s, t);
        t.cond = QPU_COND_NS;
    } else {
        w = value2(s, t.add_op, 0, t.a, t.b);
    }
    s->val[b->id] = w;
    *cond = s->word_cond[b->id] = t.cond;
    return w;
}

/* Sign form: the same truth in the word's top bit. */
static uint32_t sign_word(struct sel *s, uint32_t w, uint8_t *cond) {
    if (*cond == QPU_COND_NS || *cond == QPU_COND_NC)
        return w;
    uint32_t neg = value2(s, QPU_A_SUB, 0, src_imm(0), src_val(w));
    uint32_t both = value2(s, QPU_A_OR, 0, src_val(neg), src_val(w));
    *cond = *cond == QPU_COND_ZC ? QPU_COND_NS : QPU_COND_NC;
    return both;
}

static struct test combine(struct sel *s, const struct ir_inst *b) {
    uint8_t ca, cb;
    uint32_t wa = bool_word(s, b->src[0], &ca), wb = bool_word(s, b->src[1], &cb);
    bool is_and = b->op == IR_BAND;
    if (b->op != IR_BXOR && ca == cb && ca == (is_and ? QPU_COND_ZS : QPU_COND_ZC))
        return (struct test){QPU_A_OR, ca, src_val(wa), src_val(wb)};
    wa = sign_word(s, wa, &ca);
    wb = sign_word(s, wb, &cb);
    if (b->op == IR_BXOR)
        return (struct test){QPU_A_XOR, ca == cb ? QPU_COND_NS : QPU_COND_NC, src_val(wa), src_val(wb)};
    if (ca != cb) {
        uint32_t *flip = ca == QPU_COND_NC ? &wa : &wb;
        *flip = value2(s, QPU_A_NOT, 0, src_val(*flip), src_val(*flip));
        ca = cb = QPU_COND_NS;
    }
    /* and of "negative" is the bits' and; and of "not negative" is the bits' or */
    bool bits_and = is_and == (ca == QPU_COND_NS);
    return (struct test){bits_and ? QPU_A_AND : QPU_A_OR, ca, src_val(wa), src_val(wb)};
}

static struct test bool_test(struct sel *s, const struct ir_inst *b) {
    if (!b) /* the lane mask: zero is active */
        return (struct test){QPU_A_OR, QPU_COND_ZS, src_val(s->mask), src_val(s->mask)};
    if (!is_local(s, b) && b->op != IR_CONST && b->op != IR_UNIFORM && b->op != IR_UNDEF) {
        struct m_src w = src_val(value_of(s, b));
        return (struct test){QPU_A_OR, QPU_COND_ZC, w, w};
    }
    if (s->word_cond[b->id])
        return (struct test){QPU_A_OR, s->word_cond[b->id], src_val(s->val[b->id]), src_val(s->val[b->id])};
    bool flt = b->op >= IR_FLT && b->op <= IR_FNE;
    struct m_src a = {0}, c = {0};
    if (b->op >= IR_FLT && b->op <= IR_UGE) {
        a = operand(s, b->src[0], flt);
        c = operand(s, b->src[1], flt);
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
        struct test t = bool_test(s, b->src[0]);
        t.cond ^= 1;
        return t;
    }
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR: return combine(s, b);
    default: {
        struct m_src w = operand(s, b, false);
        return (struct test){QPU_A_OR, QPU_COND_ZC, w, w};
    }
    }
}

/* --- reachability
 * ---------------------------------------------------------------------------------------------------- */

struct walk {
    uint32_t *stack, n;
};

static void visit(struct sel *s, struct walk *w, uint32_t op) {
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

static void visit_inputs(struct sel *s, struct walk *w, uint32_t op) {
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
static bool walk_reaches(struct sel *s, struct walk *w, uint32_t target, uint32_t setter) {
    while (w->n) {
        uint32_t i = w->stack[--w->n];
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

static bool depends(struct sel *s, uint32_t op, uint32_t target) {
    struct walk w = {s->stack, 0};
    s->stamp++;
    visit(s, &w, op);
    return walk_reaches(s, &w, target, M_NO_VALUE);
}

static void visit_value(struct sel *s, struct walk *w, const struct ir_inst *x, unsigned depth) {
    if (!is_local(s, x))
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
static struct cluster *join_cluster(struct sel *s, struct ir_inst *inst, const struct ir_inst *cond,
                                    uint32_t after) {
    for (uint32_t k = 0; k < s->ncluster; k++) {
        struct cluster *c = &s->cluster[k];
        if (c->cond != cond || c->nmember >= 32 ||
            s->m->nop - c->setter > 96) /* far members would all have to wait */
            continue;
        struct walk w = {s->stack, 0};
        s->stamp++;
        for (uint32_t j = 0; inst && j < inst->nsrc; j++)
            visit_value(s, &w, inst->src[j], 0);
        if (after != M_NO_VALUE && s->m->op[after].flags != c->setter) /* behind another member is fine */
            visit(s, &w, after);
        if (walk_reaches(s, &w, M_NO_VALUE, c->setter))
            continue;
        c->nmember++;
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
    struct test t = bool_test(s, cond);
    struct cluster *c = &s->cluster[s->ncluster++];
    *c = (struct cluster){.cond = cond, .test = t.cond};
    c->setter = emit2(s, t.add_op, 0, t.a, t.b);
    s->m->op[c->setter].sf = true;
    c->nmember = 1;
    return c;
}

/* --- operations
 * ------------------------------------------------------------------------------------------------------ */

static void under_flags(struct sel *s, uint32_t op, uint32_t setter, uint8_t cond) {
    s->m->op[op].cond = cond;
    s->m->op[op].flags = setter;
    s->m->op[op].next_member = s->m->op[setter].first_member;
    s->m->op[setter].first_member = op + 1;
}

static void make_conditional(struct sel *s, uint32_t op, uint32_t tied, struct cluster *c, uint8_t cond) {
    s->m->op[op].tied = tied;
    under_flags(s, op, c->setter, cond);
}

/* A register this select may overwrite: a value nobody else reads. */
static bool may_take_over(struct sel *s, const struct ir_inst *x) {
    x = through_bits(x);
    if (s->uses[x->id] != 1 || x->type == IR_BOOL || !is_local(s, x))
        return false;
    switch (x->op) {
    case IR_CONST:
    case IR_UNIFORM:
    case IR_UNDEF:
    case IR_FRAG_X:
    case IR_FRAG_Y:
    case IR_FRAG_MASK:
    case IR_FRAG_REV:
    case IR_UNPACK_8F:
    case IR_UNPACK_16F: return false;
    default: return true;
    }
}

static void select_bool_value(struct sel *s, struct ir_inst *i, uint32_t *word) {
    /* both arms as "not zero" words */
    uint8_t cx, cy;
    uint32_t arm[2];
    for (int k = 0; k < 2; k++) {
        uint8_t *c = k ? &cy : &cx;
        uint32_t w = bool_word(s, i->src[1 + k], c);
        if (*c != QPU_COND_ZC) {
            w = sign_word(s, w, c);
            if (*c == QPU_COND_NC)
                w = value2(s, QPU_A_NOT, 0, src_val(w), src_val(w));
            w = value2(s, QPU_A_ASR, 0, src_val(w), src_imm(0xffffffffu));
        }
        arm[k] = w;
    }
    struct cluster *c = join_cluster(s, i, i->src[0], M_NO_VALUE);
    uint32_t copy = emit_mov(s, src_val(arm[1]));
    uint32_t op = move_op(s, src_val(arm[0]));
    make_conditional(s, op, copy, c, c->test);
    *word = emit_to_new(s, op);
    s->word_cond[i->id] = QPU_COND_ZC;
}

static void select_select(struct sel *s, struct ir_inst *i) {
    if (i->type == IR_BOOL) {
        uint32_t w;
        select_bool_value(s, i, &w);
        s->val[i->id] = w;
        return;
    }
    struct ir_inst *x = i->src[1], *y = i->src[2];
    bool take_x = may_take_over(s, x), take_y = may_take_over(s, y);
    /* written under the condition: x over y's register; or y over x's under the opposite one */
    bool over_y = take_y && (!take_x || fold_target(s, x, false) || !fold_target(s, y, false));
    if (!take_x && !take_y)
        over_y = through_bits(x)->op != IR_CONST || through_bits(y)->op == IR_CONST;
    if (take_x && !take_y)
        over_y = false;
    struct cluster *c = join_cluster(s, i, i->src[0], M_NO_VALUE);
    struct ir_inst *base = over_y ? y : x, *other = over_y ? x : y;
    uint8_t cond = over_y ? c->test : c->test ^ 1;
    uint32_t tied = (over_y ? take_y : take_x) ? value_of(s, base) : emit_mov(s, operand(s, base, true));
    uint32_t op;
    /* not the sum of a varying: its turn in the FIFO does not wait for flags */
    if (fold_target(s, other, false) && !s->m->val[s->val[through_bits(other)->id]].must_a &&
        s->m->op[s->m->val[s->val[through_bits(other)->id]].def].src[1].kind != M_R5) {
        op = s->m->val[s->val[through_bits(other)->id]].def;
        s->val[i->id] = s->m->op[op].dst;
    } else {
        op = move_op(s, operand(s, other, true));
        s->val[i->id] = emit_to_new(s, op);
    }
    make_conditional(s, op, tied, c, cond);
}

static const struct ir_inst *unclamped(struct sel *s, const struct ir_inst *x) {
    while (x->op == IR_FSAT && is_local(s, x)) {
        if (s->uses[x->id] != 1)
            return x->src[0]->op == IR_FSAT ? unclamped(s, x->src[0]) : x->src[0];
        x = x->src[0];
    }
    return x;
}

/* Unpacking r4 and packing the product share one setting (pm = 1), so texel * x goes to its byte in one
 * operation, as long as the texel is still in r4: the op is pinned to it. So that waiting for x cannot block
 * r4, x is made before the texel is fetched. Returns false if that would be circular. */
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
    uint32_t base = tied != M_NO_VALUE ? s->m->val[tied].def
                                       : M_NO_VALUE; /* another pinned op or a copy of the texel is fine */
    if (base != M_NO_VALUE && !s->m->op[base].pin &&
        !(s->m->op[base].nsrc == 1 && s->m->op[base].src[0].v == texel))
        before[n++] = s->m->val[tied].def;
    for (uint32_t k = 0; k < n; k++)
        if (depends(s, before[k], fetch))
            return false;
    for (uint32_t k = 0; k < n; k++)
        m_add_edge(s->m, before[k], fetch, 0, false);
    s->m->op[index].pin = true;
    s->m->val[texel].pins++;
    return true;
}

static bool unpacks(const struct m_op *op) {
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].unpack)
            return true;
    return false;
}

/* One byte (or all four, pack 8888) of a packed colour; `here`: how many bytes of it are this same value. */
static uint32_t pack_byte(struct sel *s, const struct ir_inst *x, uint32_t here, uint8_t pack,
                          uint32_t tied) {
    x = unclamped(s, x);
    const struct ir_inst *bits = through_bits(x);
    uint32_t op = M_NO_VALUE;
    if (s->uses[bits->id] == here) {
        uint32_t keep = s->uses[bits->id];
        s->uses[bits->id] = 1;
        if (fold_target(s, bits, false) && !s->m->val[s->val[bits->id]].must_a) {
            uint32_t def = s->m->val[s->val[bits->id]].def;
            const struct m_op *d = &s->m->op[def];
            if (d->mul_op == QPU_M_FMUL && !d->add_op && (!unpacks(d) || pin_to_r4(s, def, tied)))
                op = def;
        }
        s->uses[bits->id] = keep;
    }
    if (op == M_NO_VALUE && bits->op == IR_UNPACK_8F && is_local(s, bits) && s->val[bits->id] == M_NO_VALUE) {
        struct m_src a = operand(s, bits, true);
        op = emit_raw(s, 0, QPU_M_FMUL, 2, a, src_imm(0x3f800000));
        if (!pin_to_r4(s, op, tied)) {
            s->m->op[op].dead = true;
            op = M_NO_VALUE;
        }
    }
    if (op == M_NO_VALUE) {
        struct m_src a = operand(s, x, false);
        op = emit_raw(s, 0, QPU_M_V8MIN, 1, a, a);
    }
    s->m->op[op].pack = pack;
    s->m->op[op].pm = true;
    s->m->op[op].tied = tied;
    if (s->m->op[op].dst == M_NO_VALUE)
        return emit_to_new(s, op);
    return s->m->op[op].dst;
}

/* The packed word that channel k can be taken from as it is: it was unpacked from the same byte. */
static const struct ir_inst *word_with_byte(const struct sel *s, const struct ir_inst *x, unsigned k) {
    return x->op == IR_UNPACK_8F && x->imm == k && is_local(s, x) ? x->src[0] : NULL;
}

static bool same_channel(const struct ir_inst *a, const struct ir_inst *b) {
    return a == b || (a->op == IR_CONST && b->op == IR_CONST && a->imm == b->imm);
}

static bool reads_texel(struct sel *s, const struct ir_inst *x) {
    if (x->op == IR_UNPACK_8F)
        return true;
    return x->op == IR_FMUL && is_local(s, x) &&
           (through_bits(x->src[0])->op == IR_UNPACK_8F || through_bits(x->src[1])->op == IR_UNPACK_8F);
}

static void select_pack_color(struct sel *s, struct ir_inst *i) {
    const struct ir_inst *c[4];
    for (int k = 0; k < 4; k++)
        c[k] = through_bits(unclamped(s, i->src[k]));
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
        v = emit_mov(s, src_val(value_of(s, base)));
        for (unsigned k = 0; k < 4; k++)
            done[k] = word_with_byte(s, c[k], k) == base;
    } else {
        v = pack_byte(s, i->src[best], best_count / 2, QPU_PACK_8888, M_NO_VALUE);
        for (unsigned k = 0; k < 4; k++)
            done[k] = same_channel(c[k], c[best]);
    }
    for (int texels = 1; texels >= 0; texels--) /* those that hold r4 first */
        for (unsigned k = 0; k < 4; k++)
            if (!done[k] && reads_texel(s, c[k]) == (texels != 0))
                v = pack_byte(s, i->src[k], 1, (uint8_t)(QPU_PACK_8A + k), v);
    s->val[i->id] = v;
}

static uint32_t pack_half(struct sel *s, const struct ir_inst *x, bool to_float, uint8_t pack,
                          uint32_t tied) {
    uint32_t op;
    if (fold_target(s, x, false)) {
        op = s->m->val[s->val[through_bits(x)->id]].def;
        if (s->m->op[op].mul_op && s->m->op[op].add_op && !s->m->op[op].float_mov && to_float)
            op = M_NO_VALUE; /* an integer move would pack integers */
    } else {
        op = M_NO_VALUE;
    }
    if (op == M_NO_VALUE) {
        struct m_src a = operand(s, x, to_float);
        op = move_op(s, a);
        if (to_float) {
            s->m->op[op].float_mov = true;
            s->m->op[op].add_op = QPU_A_FMAX;
            s->m->op[op].mul_op = QPU_M_FMUL;
        }
    }
    s->m->op[op].pack = pack;
    s->m->op[op].tied = tied;
    uint32_t v = s->m->op[op].dst == M_NO_VALUE ? emit_to_new(s, op) : s->m->op[op].dst;
    s->m->val[v].must_a = true;
    return v;
}

static void select_vary(struct sel *s, struct ir_inst *i) {
    struct m_src vary = src_read(QPU_R_VARY, M_SIDE_ANY);
    uint32_t read = i->nsrc ? emit2(s, 0, QPU_M_FMUL, vary, operand(s, i->src[0], true)) : move_op(s, vary);
    uint32_t part = emit_to_new(s, read);
    s->m->op[read].reads_vary = true;
    uint32_t add = emit_raw(s, QPU_A_FADD, 0, 2, src_val(part), (struct m_src){.kind = M_R5});
    chain(s, &s->last_vary_read, read);
    if (s->last_vary_add != M_NO_VALUE)
        m_add_edge(s->m, s->last_vary_add, read, 0,
                   false); /* r5 is read before the next varying replaces it */
    s->last_vary_add = add;
    s->val[i->id] = emit_to_new(s, add);
}

static void select_sfu(struct sel *s, struct ir_inst *i, unsigned waddr) {
    uint32_t op =
        write_peripheral(s, i->src[0], waddr, (uint32_t[3]){M_NO_VALUE, M_NO_VALUE, M_NO_VALUE}, false);
    s->m->op[op].r4 = true;
    s->val[i->id] = emit_to_new(s, op);
    s->m->nsfu++;
}

/* --- texture requests
 * --------------------------------------------------------------------------------------------------- One
 * thread: a request, later its result, with as many in flight as the FIFOs hold. Two threads (half of each
 * FIFO is the other's): requests go in batches, a thread switch follows each batch, and its results are read
 * after the switch and before the next one. */

/* One request to a texture unit: which unit, what has to come before its first and its last write. */
struct request {
    unsigned unit, words;
    uint32_t previous, oldest, first, batch;
};

static bool two_threads(const struct sel *s) {
    return s->m->options->threads == 2;
}

/* Switches that the value of an instruction waits for. */
static uint32_t level_of(const struct sel *s, const struct ir_inst *inst) {
    uint32_t level = 0;
    for (uint32_t k = 0; k < inst->nsrc; k++)
        if (s->level[inst->src[k]->id] > level)
            level = s->level[inst->src[k]->id];
    return level;
}

static uint32_t new_switch(struct sel *s) {
    uint32_t op = emit_raw(s, 0, 0, 0, (struct m_src){0}, (struct m_src){0});
    s->m->op[op].sig = QPU_SIG_THRSW;
    if (s->nswitch) {
        m_add_edge(s->m, s->thread_switch[s->nswitch - 1], op, QPU_THREAD_SLOTS + 1, false);
        for (int u = 0; u < 2;
             u++) /* what the last batch asked for is read before the thread gives way again */
            if (s->tmu_last_ld[u] != M_NO_VALUE)
                m_add_edge(s->m, s->tmu_last_ld[u], op, 1, false);
    }
    s->thread_switch[s->nswitch] = op;
    s->batch_words[0] = s->batch_words[1] = 0;
    return s->nswitch++;
}

/* The unit and batch of a request of `words` words, when there are two threads. */
static void join_batch(struct sel *s, struct request *q, uint32_t level) {
    bool fits = s->nswitch && level < s->nswitch;
    q->unit = s->batch_words[0] <= s->batch_words[1] ? 0 : 1;
    if (!fits || s->batch_words[q->unit] + q->words > 4) {
        new_switch(s);
        q->unit = 0;
    }
    s->batch_words[q->unit] += q->words == 1 ? 2 : q->words; /* two results at most */
    q->batch = s->nswitch - 1;
}

static struct request request_begin(struct sel *s, unsigned words, uint32_t level) {
    struct request q = {
        .unit = s->tmu_count[0] <= s->tmu_count[1] ? 0 : 1, .words = words, .first = M_NO_VALUE};
    /* the request FIFO holds eight words and four results: an older request must have been fetched */
    unsigned limit = 8 / words < 4 ? 8 / words : 4;
    if (two_threads(s)) {
        join_batch(s, &q, level);
        limit = words <= 2 ? 2 : 1;
    }
    q.previous = s->tmu_last_s[q.unit];
    q.oldest = s->tmu_count[q.unit] >= limit ? s->tmu_ld[q.unit][s->tmu_count[q.unit] - limit] : M_NO_VALUE;
    return q;
}

/* The switch that ended the batch before: nothing is asked for early, or it would wait through two switches.
 */
static uint32_t request_switch(const struct sel *s, const struct request *q) {
    return two_threads(s) && q->batch ? s->thread_switch[q->batch - 1] : M_NO_VALUE;
}

static void request_write(struct sel *s, struct request *q, uint32_t op) {
    if (request_switch(s, q) != M_NO_VALUE)
        m_add_edge(s->m, request_switch(s, q), op, QPU_THREAD_SLOTS + 1, false);
    if (q->previous != M_NO_VALUE)
        m_add_edge(s->m, q->previous, op, 1, false);
    if (q->first == M_NO_VALUE && q->oldest != M_NO_VALUE)
        m_add_edge(s->m, q->oldest, op, 1, false);
    q->first = q->previous = op;
}

static uint32_t request_end(struct sel *s, struct request *q) {
    uint32_t load = emit_raw(s, 0, 0, 0, (struct m_src){0}, (struct m_src){0});
    s->m->op[load].sig = q->unit ? QPU_SIG_LDTMU1 : QPU_SIG_LDTMU0;
    s->m->op[load].r4 = true;
    s->m->op[load].tmu_words = (uint8_t)q->words;
    if (two_threads(s)) {
        m_add_edge(s->m, q->previous, s->thread_switch[q->batch], 1, false);
        m_add_edge(s->m, s->thread_switch[q->batch], load, QPU_THREAD_SLOTS + 1, false);
    } else {
        m_add_edge(s->m, q->previous, load, QPU_LAT_TMU, true);
    }
    chain(s, &s->tmu_last_ld[q->unit], load);
    s->tmu_last_s[q->unit] = q->previous;
    s->tmu_ld[q->unit][s->tmu_count[q->unit]++] = load;
    s->m->ntmu++;
    return emit_to_new(s, load);
}

/* Coordinates go T, R, B, S: S last submits. Each pulls the next set-up word (guide section 4). */
static void select_tex(struct sel *s, struct ir_inst *i) {
    bool cube = (i->aux & IR_TEX_KIND) == IR_TEX_CUBE, lod = i->aux & IR_TEX_LOD;
    uint32_t nplain = cube ? 3 : 2;
    const struct ir_inst *extra = i->nsrc > nplain ? i->src[nplain] : NULL;
    struct {
        unsigned reg;
        const struct ir_inst *coord;
    } write[4];
    unsigned n = 0;
    write[n].reg = 1, write[n++].coord = i->src[1];
    if (cube)
        write[n].reg = 2, write[n++].coord = i->src[2];
    if (extra)
        write[n].reg = 3, write[n++].coord = extra;
    write[n].reg = 0, write[n++].coord = i->src[0];
    struct request q = request_begin(s, n, level_of(s, i));
    for (unsigned k = 0; k < n; k++) {
        uint32_t after[3] = {q.previous, q.first == M_NO_VALUE ? q.oldest : M_NO_VALUE,
                             request_switch(s, &q)};
        uint32_t op =
            write_peripheral(s, write[k].coord, QPU_W_TMU0_S + 4 * q.unit + write[k].reg, after, true);
        struct ir_slot slot = {.kind = IR_SLOT_TEX, .param = (uint8_t)k, .type = IR_I32, .value = i->imm};
        uint32_t word = ir_slot(s->m->shader, slot);
        if (k == 2 && lod) { /* type 1 with BSLOD: the bias is the level (guide table 17) */
            uint32_t bits = ir_slot_const(s->m->shader, IR_I32, 0x40000001u);
            word = ir_slot(
                s->m->shader,
                (struct ir_slot){
                    .kind = IR_SLOT_EXPR, .op = IR_IOR, .narg = 2, .type = IR_I32, .arg = {word, bits}});
        }
        s->m->op[op].tmu_slot = word;
        request_write(s, &q, op);
    }
    s->val[i->id] = request_end(s, &q);
    s->level[i->id] = two_threads(s) ? q.batch + 1 : 0;
}

/* A word of a uniform array from memory, in the one form that the kernel accepts (qpu-facts 0b): max(x, 0),
 * min(that, uniform), add(that, uniform) to S, add ALU only, operands in this order. */
static void select_uniform_at(struct sel *s, struct ir_inst *i) {
    uint32_t words = i->aux ? i->aux : 1;
    struct m_src limit = src_slot(ir_slot_const(s->m->shader, IR_I32, 4 * (words - 1)));
    struct m_src base = src_slot(
        ir_slot(s->m->shader, (struct ir_slot){.kind = IR_SLOT_ARRAY, .type = IR_I32, .value = i->imm}));
    uint32_t bytes = value2(s, QPU_A_SHL, 0, in_register(s, operand(s, i->src[0], false)), src_imm(2));
    uint32_t low = value2(s, QPU_A_MAX, 0, src_val(bytes), src_imm(0));
    uint32_t safe = value2(s, QPU_A_MIN, 0, src_val(low), limit);
    struct request q = request_begin(s, 1, level_of(s, i));
    uint32_t op = emit_raw(s, QPU_A_ADD, 0, 2, src_val(safe), base);
    s->m->op[op].waddr = (uint8_t)(QPU_W_TMU0_S + 4 * q.unit);
    s->m->op[s->m->val[low].def].small_imm_only = true;
    request_write(s, &q, op);
    s->val[i->id] = request_end(s, &q);
    s->level[i->id] = two_threads(s) ? q.batch + 1 : 0;
}

static void select_tlb_write(struct sel *s, struct ir_inst *i, unsigned waddr) {
    uint32_t op;
    if (i->nsrc > 1) {
        struct cluster *c = join_cluster(s, i, i->src[1], s->last_tlb);
        op = move_op(s, operand(s, i->src[0], true));
        s->m->op[op].waddr = (uint8_t)waddr;
        under_flags(s, op, c->setter, c->test);
    } else {
        op = write_peripheral(s, i->src[0], waddr, (uint32_t[3]){s->last_tlb, M_NO_VALUE, M_NO_VALUE}, false);
    }
    chain(s, &s->last_tlb, op);
}

/* VPM set-up words, guide section 7 table 32 and 33: horizontal, 32 bits wide, stride 1. */
#define VPM_HORIZONTAL_32 0x1a00u

static void vpm_setup(struct sel *s, unsigned side, uint32_t word, uint32_t *last) {
    uint32_t op = move_op(s, src_imm(word));
    s->m->op[op].waddr = QPU_W_VPM_SETUP;
    s->m->op[op].wside = (uint8_t)side;
    chain(s, last, op);
}

static void select_attr(struct sel *s, struct ir_inst *i, uint32_t total) {
    if (i->imm % 16 == 0) {
        uint32_t n = total - i->imm < 16 ? total - i->imm : 16;
        vpm_setup(s, M_SIDE_A, (n & 15) << 20 | VPM_HORIZONTAL_32 | i->imm, &s->last_vpm_read);
    }
    uint32_t op = move_op(s, src_read(QPU_R_VPM, M_SIDE_ANY));
    s->m->op[op].reads_vpm = true;
    chain(s, &s->last_vpm_read, op);
    s->val[i->id] = emit_to_new(s, op);
}

static void select_vpm_out(struct sel *s, struct ir_inst *i) {
    if (s->last_vpm_write == M_NO_VALUE)
        vpm_setup(s, M_SIDE_B, VPM_HORIZONTAL_32, &s->last_vpm_write);
    chain(s, &s->last_vpm_write,
          write_peripheral(s, i->src[0], QPU_W_VPM, (uint32_t[3]){s->last_vpm_write, M_NO_VALUE, M_NO_VALUE},
                           false));
}

struct alu_row {
    uint8_t op, add, mul;
};
static const struct alu_row alu_rows[] = {
    {IR_FADD, QPU_A_FADD, 0},
    {IR_FSUB, QPU_A_FSUB, 0},
    {IR_FMUL, 0, QPU_M_FMUL},
    {IR_FMIN, QPU_A_FMIN, 0},
    {IR_FMAX, QPU_A_FMAX, 0},
    {IR_FMINABS, QPU_A_FMINABS, 0},
    {IR_FMAXABS, QPU_A_FMAXABS, 0},
    {IR_IADD, QPU_A_ADD, 0},
    {IR_ISUB, QPU_A_SUB, 0},
    {IR_UMUL24, 0, QPU_M_MUL24},
    {IR_IAND, QPU_A_AND, 0},
    {IR_IOR, QPU_A_OR, 0},
    {IR_IXOR, QPU_A_XOR, 0},
    {IR_ISHL, QPU_A_SHL, 0},
    {IR_USHR, QPU_A_SHR, 0},
    {IR_IASR, QPU_A_ASR, 0},
    {IR_IROR, QPU_A_ROR, 0},
    {IR_IMIN, QPU_A_MIN, 0},
    {IR_IMAX, QPU_A_MAX, 0},
    {IR_V8MULD, 0, QPU_M_V8MULD},
    {IR_V8ADDS, QPU_A_V8ADDS, QPU_M_V8ADDS},
    {IR_V8SUBS, QPU_A_V8SUBS, QPU_M_V8SUBS},
    {IR_V8MIN, 0, QPU_M_V8MIN},
    {IR_V8MAX, 0, QPU_M_V8MAX},
};

static bool select_alu(struct sel *s, struct ir_inst *i) {
    for (size_t k = 0; k < sizeof alu_rows / sizeof *alu_rows; k++) {
        if (alu_rows[k].op != i->op)
            continue;
        bool floats = i->op <= IR_FMAXABS && i->op >= IR_FADD;
        struct m_src a = operand(s, i->src[0], floats), b = operand(s, i->src[1], floats);
        if (a.unpack && b.unpack && (a.v != b.v || a.unpack != b.unpack))
            b = src_val(value_of(s, i->src[1]));
        s->val[i->id] = value2(s, alu_rows[k].add, alu_rows[k].mul, a, b);
        return true;
    }
    return false;
}

/* --- neighbours in the quad
 * ------------------------------------------------------------------------------------------- */

static uint32_t rotated(struct sel *s, uint32_t v, unsigned lanes) {
    s->m->val[v].must_acc = true;
    uint32_t op = emit_raw(s, 0, QPU_M_V8MIN, 1, src_val(v), src_val(v));
    s->m->op[op].rotate = (uint8_t)lanes;
    return emit_to_new(s, op);
}

/* Sets the flags by which half of its pair a lane is in: zero for the left (bit 1), the upper (bit 2). Lanes
 * 0 and 1 of a quad are the upper row, 2 and 3 the lower (qpu-facts 0). */
static uint32_t half_flags(struct sel *s, unsigned bit) {
    uint32_t setter = emit2(s, QPU_A_AND, 0, src_read(QPU_R_ELEM_QPU, M_SIDE_A), src_imm(bit));
    s->m->op[setter].sf = true;
    return setter;
}

/* Second minus first of each pair, in both its lanes. Rotating by `bit` brings the first to the second, by 16
 * - bit the second to the first; what comes over from other quads is not used. */
static uint32_t derivative(struct sel *s, const struct ir_inst *i, unsigned bit) {
    uint32_t v = emit_mov(s, operand(s, i->src[0], true));
    uint32_t first = rotated(s, v, bit), second = rotated(s, v, 16 - bit);
    uint32_t result = value2(s, QPU_A_FSUB, 0, src_val(second), src_val(v));
    uint32_t op = emit_raw(s, QPU_A_FSUB, 0, 2, src_val(v), src_val(first));
    s->m->op[op].tied = result;
    under_flags(s, op, half_flags(s, bit), QPU_COND_ZC);
    return emit_to_new(s, op);
}

/* v of this lane or v of the other of its pair. */
static uint32_t or_pair(struct sel *s, uint32_t v, unsigned bit) {
    uint32_t first = rotated(s, v, bit), other = rotated(s, v, 16 - bit);
    uint32_t op = move_op(s, src_val(first));
    s->m->op[op].tied = other;
    under_flags(s, op, half_flags(s, bit), QPU_COND_ZC);
    return value2(s, QPU_A_OR, 0, src_val(emit_to_new(s, op)), src_val(v));
}

static uint32_t unary(struct sel *s, unsigned add_op, struct m_src a) {
    return emit_to_new(s, emit_raw(s, add_op, 0, 1, a, a));
}

static void select_inst(struct sel *s, struct ir_inst *i, uint32_t attr_words) {
    s->loc = i->loc;
    if (select_alu(s, i))
        return;
    uint32_t *v = &s->val[i->id];
    switch (i->op) {
    case IR_CONST:
    case IR_UNDEF:
    case IR_UNIFORM:
    case IR_FBITS:
    case IR_IBITS:
    case IR_FRAG_X:
    case IR_FRAG_Y:
    case IR_FRAG_MASK:
    case IR_FRAG_REV:
    case IR_UNPACK_8F:
    case IR_UNPACK_16F:
    case IR_UNPACK_8I:
    case IR_UNPACK_16I:
    case IR_REP_8D:
    case IR_FLT:
    case IR_FGE:
    case IR_FEQ:
    case IR_FNE:
    case IR_ILT:
    case IR_IGE:
    case IR_IEQ:
    case IR_INE:
    case IR_ULT:
    case IR_UGE:
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR:
    case IR_BNOT:
    case IR_FSAT: return; /* made where they are read */
    case IR_FNEG: *v = value2(s, QPU_A_FSUB, 0, src_imm(0), operand(s, i->src[0], true)); break;
    case IR_INEG: *v = value2(s, QPU_A_SUB, 0, src_imm(0), operand(s, i->src[0], false)); break;
    case IR_FABS: {
        struct m_src a = operand(s, i->src[0], true);
        *v = unary(s, QPU_A_FMAXABS, a);
        break;
    }
    case IR_F2I: *v = unary(s, QPU_A_FTOI, operand(s, i->src[0], true)); break;
    case IR_I2F: *v = unary(s, QPU_A_ITOF, operand(s, i->src[0], false)); break;
    case IR_INOT: *v = unary(s, QPU_A_NOT, operand(s, i->src[0], false)); break;
    case IR_ICLZ: *v = unary(s, QPU_A_CLZ, operand(s, i->src[0], false)); break;
    case IR_B2F:
    case IR_B2I: {
        struct cluster *c = join_cluster(s, i, i->src[0], M_NO_VALUE);
        uint32_t zero = emit_mov(s, src_imm(0));
        uint32_t op = move_op(s, src_imm(i->op == IR_B2F ? 0x3f800000u : 1));
        make_conditional(s, op, zero, c, c->test);
        *v = emit_to_new(s, op);
        break;
    }
    case IR_SELECT: select_select(s, i); break;
    case IR_SFU_RCP: select_sfu(s, i, QPU_W_SFU_RECIP); break;
    case IR_SFU_RSQ: select_sfu(s, i, QPU_W_SFU_RSQRT); break;
    case IR_SFU_EXP2: select_sfu(s, i, QPU_W_SFU_EXP); break;
    case IR_SFU_LOG2: select_sfu(s, i, QPU_W_SFU_LOG); break;
    case IR_PACK_COLOR: select_pack_color(s, i); break;
    case IR_PACK_8F: {
        bool take = may_take_over(s, i->src[0]);
        uint32_t base = take ? value_of(s, i->src[0]) : emit_mov(s, operand(s, i->src[0], false));
        *v = pack_byte(s, i->src[1], 1, (uint8_t)(QPU_PACK_8A + i->imm), base);
        break;
    }
    case IR_PACK_16I:
    case IR_PACK_16F: {
        bool to_float = i->op == IR_PACK_16F;
        uint32_t low = pack_half(s, i->src[0], to_float, QPU_PACK_16A, M_NO_VALUE);
        *v = pack_half(s, i->src[1], to_float, QPU_PACK_16B, low);
        break;
    }
    case IR_DDX: *v = derivative(s, i, 1); break;
    case IR_DDY: *v = derivative(s, i, 2); break;
    case IR_VARY: select_vary(s, i); break;
    case IR_TEX: select_tex(s, i); break;
    case IR_UNIFORM_AT: select_uniform_at(s, i); break;
    case IR_FRAG_W:
    case IR_FRAG_Z:
        *v = m_new_val(s->m);
        s->m->val[*v].start = i->op == IR_FRAG_W ? 15 : 32 + 15;
        break;
    case IR_TLB_READ: {
        uint32_t op = emit_raw(s, 0, 0, 0, (struct m_src){0}, (struct m_src){0});
        s->m->op[op].sig = QPU_SIG_LOADC;
        s->m->op[op].r4 = true;
        chain(s, &s->last_tlb, op);
        *v = emit_to_new(s, op);
        break;
    }
    case IR_TLB_COLOR: select_tlb_write(s, i, QPU_W_TLB_COLOR); break;
    case IR_TLB_Z: select_tlb_write(s, i, QPU_W_TLB_Z); break;
    case IR_TLB_STENCIL: select_tlb_write(s, i, QPU_W_TLB_STENCIL); break;
    case IR_ATTR: select_attr(s, i, attr_words); break;
    case IR_VPM_OUT: select_vpm_out(s, i); break;
    case IR_END:
    case IR_JUMP:
    case IR_BRANCH:
    case IR_PHI: break;
    default: {
        char text[80];
        snprintf(text, sizeof text, "the operation '%s' at run time", ir_op_info(i->op)->text);
        unsupported(s, i, text);
    }
    }
}

/* The value of something that select_inst left for its readers. */
static uint32_t value_of(struct sel *s, const struct ir_inst *inst) {
    inst = through_bits(inst);
    uint32_t v = s->val[inst->id];
    if (v != M_NO_VALUE && !(inst->type == IR_BOOL && s->word_cond[inst->id]))
        return v;
    if (!is_local(s, inst) && s->m->flow->home[inst->id] != FLOW_NO_HOME) {
        v = s->val[inst->id] = m_new_val(s->m);
        s->m->val[v].start = s->m->flow->home[inst->id];
        return v;
    }
    struct ir_loc keep = s->loc;
    s->loc = inst->loc;
    switch (inst->op) {
    case IR_UNPACK_8F:
    case IR_UNPACK_16F:
    case IR_UNPACK_8I:
    case IR_UNPACK_16I:
    case IR_REP_8D: {
        struct m_src a = src_val(unpackable(s, inst->src[0]));
        a.unpack = unpack_mode(inst);
        bool integer = inst->op == IR_UNPACK_8I || inst->op == IR_UNPACK_16I;
        if (integer && s->m->val[a.v].def != M_NO_VALUE && s->m->op[s->m->val[a.v].def].r4)
            a = (struct m_src){.kind = M_VAL, .unpack = a.unpack, .v = emit_mov(s, src_val(a.v))};
        s->m->val[a.v].must_a = true;
        uint32_t op = move_op(s, a);
        if (integer) {
            s->m->op[op].float_mov = false;
            s->m->op[op].add_op = QPU_A_OR;
            s->m->op[op].mul_op = QPU_M_V8MIN;
        }
        v = emit_to_new(s, op);
        break;
    }
    case IR_FSAT: {
        uint32_t low = value2(s, QPU_A_FMAX, 0, operand(s, inst->src[0], true), src_imm(0));
        v = value2(s, QPU_A_FMIN, 0, src_val(low), src_imm(0x3f800000));
        break;
    }
    default:
        if (inst->type == IR_BOOL) {
            uint8_t cond;
            v = bool_word(s, inst, &cond);
            s->loc = keep;
            return v;
        }
        v = emit_mov(s, operand(s, inst, false));
        break;
    }
    s->loc = keep;
    s->val[inst->id] = v;
    return v;
}

/* A VPM read whose value has one reader goes into the reader, if that can still wait its turn in the FIFO:
 * nothing else it reads may come from a later word. */
static void fold_vpm_reads(struct mir *m) {
    uint32_t *latest =
        ir_alloc(m->arena, (m->nval + 1) * sizeof *latest); /* value -> 1 + index of the last read it needs */
    uint32_t *reader = ir_alloc(m->arena, (m->nval + 1) * sizeof *reader),
             *readers = ir_alloc(m->arena, (m->nval + 1) * sizeof *readers);
    for (uint32_t i = 0; i < m->nop; i++)
        for (unsigned k = 0; k < m->op[i].nsrc; k++)
            if (m->op[i].src[k].kind == M_VAL) {
                readers[m->op[i].src[k].v] += reader[m->op[i].src[k].v] != i + 1;
                reader[m->op[i].src[k].v] = i + 1;
            }
    for (uint32_t i = 0; i < m->nop; i++)
        if (m->op[i].tied != M_NO_VALUE)
            readers[m->op[i].tied] += 2;
    uint32_t *gate = ir_alloc(
        m->arena, (m->nop + 1) * sizeof *gate); /* flag setter -> latest read among its users' inputs */
    /* values are made in order of need, so one sweep settles `latest` but for values made late: sweep until
     * still */
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < m->nop; i++) {
            const struct m_op *op = &m->op[i];
            uint32_t need = op->reads_vpm ? i + 1 : 0;
            for (unsigned k = 0; k < op->nsrc; k++)
                if (op->src[k].kind == M_VAL && latest[op->src[k].v] > need)
                    need = latest[op->src[k].v];
            if (op->tied != M_NO_VALUE && latest[op->tied] > need)
                need = latest[op->tied];
            if (op->flags != M_NO_VALUE)
                for (unsigned k = 0; k < m->op[op->flags].nsrc; k++)
                    if (m->op[op->flags].src[k].kind == M_VAL && latest[m->op[op->flags].src[k].v] > need)
                        need = latest[m->op[op->flags].src[k].v];
            if (op->flags != M_NO_VALUE) {
                if (gate[op->flags] < need)
                    gate[op->flags] = need, changed = true;
                need = gate[op->flags];
            }
            if (op->dst != M_NO_VALUE && latest[op->dst] < need)
                latest[op->dst] = need, changed = true;
        }
    }
    for (uint32_t i = 0; i < m->nop; i++) {
        struct m_op *read = &m->op[i];
        /* plain moves only: what a read was folded into reads the VPM now, but is no move */
        if (read->dead || !read->reads_vpm || read->nsrc != 1 || read->add_op != QPU_A_OR ||
            read->dst == M_NO_VALUE || readers[read->dst] != 1 || read->src[0].unpack ||
            m->val[read->dst].must_a || m->val[read->dst].fixed >= 0)
            continue;
        struct m_op *op = &m->op[reader[read->dst] - 1];
        uint32_t other = 0;
        bool ok = !op->reads_vpm && !op->reads_vary && op->waddr == QPU_W_NOP &&
                  op->cond == QPU_COND_ALWAYS && op->tied == M_NO_VALUE && !op->sf && !op->pack;
        for (unsigned k = 0; k < op->nsrc; k++) {
            ok &= !op->src[k].unpack;
            if (op->src[k].kind == M_VAL && op->src[k].v != read->dst && latest[op->src[k].v] > other)
                other = latest[op->src[k].v];
            ok &= op->src[k].kind == M_VAL || op->src[k].kind == M_SLOT || op->src[k].kind == M_IMM;
        }
        if (!ok || other > i)
            continue;
        for (unsigned k = 0; k < op->nsrc; k++)
            if (op->src[k].kind == M_VAL && op->src[k].v == read->dst)
                op->src[k] = read->src[0];
        op->reads_vpm = true;
        uint32_t to = reader[read->dst] - 1;
        for (uint32_t e = 0; e < m->nedge; e++) {
            if (m->edge[e].from == i)
                m->edge[e].from = to;
            if (m->edge[e].to == i)
                m->edge[e].to = to;
        }
        read->dead = true;
        read->dst = M_NO_VALUE;
    }
}

/* Ops whose result nobody reads and that do nothing else. */
static void drop_dead(struct mir *m) {
    uint32_t *readers = ir_alloc(m->arena, (m->nval + 1) * sizeof *readers);
    for (uint32_t i = 0; i < m->nop; i++) {
        if (m->op[i].dead)
            continue;
        for (unsigned k = 0; k < m->op[i].nsrc; k++)
            if (m->op[i].src[k].kind == M_VAL)
                readers[m->op[i].src[k].v]++;
        if (m->op[i].tied != M_NO_VALUE)
            readers[m->op[i].tied]++;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = m->nop; i-- > 0;) {
            struct m_op *op = &m->op[i];
            if (op->dead || op->dst == M_NO_VALUE || readers[op->dst] || m->val[op->dst].fixed >= 0 ||
                op->sf || op->reads_vary || op->reads_vpm || op->sig != QPU_SIG_NONE ||
                op->waddr != QPU_W_NOP)
                continue;
            op->dead = changed = true;
            for (unsigned k = 0; k < op->nsrc; k++)
                if (op->src[k].kind == M_VAL)
                    readers[op->src[k].v]--;
            if (op->tied != M_NO_VALUE)
                readers[op->tied]--;
        }
    }
}

/* --- across blocks
 * ------------------------------------------------------------------------------------------------------ */

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
        if (only_ask && depends(s, i, writer))
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

/* `home` := src, in all lanes or in the active ones. `old`: value that is there from the start and is still
 * read in this block, or M_NO_VALUE. */
static void write_home(struct sel *s, int home, struct m_src src, bool active_only, uint32_t old) {
    uint32_t op;
    if (active_only) {
        struct cluster *c =
            join_cluster(s, NULL, NULL, src.kind == M_VAL ? s->m->val[src.v].def : M_NO_VALUE);
        op = move_op(s, src);
        /* a value of its own for the register's old contents: readers of `old` may find it moved elsewhere */
        make_conditional(s, op, start_value(s, home), c, c->test);
    } else {
        op = move_op(s, src);
    }
    uint32_t v = emit_to_new(s, op);
    s->m->val[v].fixed = (int16_t)home;
    if (old != M_NO_VALUE)
        readers_first(s, old, op, false);
}

/* The defining op may write the home itself. */
static bool retarget(struct sel *s, uint32_t v, int home, uint32_t old) {
    struct m_val *val = &s->m->val[v];
    if (val->def == M_NO_VALUE || val->fixed >= 0 || val->must_a || s->m->op[val->def].r4 ||
        s->m->op[val->def].tied != M_NO_VALUE)
        return false;
    for (uint32_t i = 0; i < s->m->nop;
         i++) /* a place that a conditional write takes over is not for keeping */
        if (s->m->op[i].tied == v)
            return false;
    if (old != M_NO_VALUE && !readers_first(s, old, val->def, true))
        return false;
    val->fixed = (int16_t)home;
    if (old != M_NO_VALUE)
        readers_first(s, old, val->def, false);
    return true;
}

static struct m_src word_of(struct sel *s, const struct ir_inst *x) {
    if (x->type != IR_BOOL)
        return operand(s, x, false);
    uint8_t cond;
    if (!is_local(s, x) || x->op == IR_CONST || x->op == IR_UNIFORM)
        return operand(s, x, false);
    uint32_t w = bool_word(s, x, &cond);
    if (cond == QPU_COND_ZC)
        return src_val(w);
    w = sign_word(s, w, &cond);
    if (cond == QPU_COND_NC)
        w = value2(s, QPU_A_NOT, 0, src_val(w), src_val(w));
    return src_val(value2(s, QPU_A_ASR, 0, src_val(w), src_imm(0xffffffffu)));
}

static void write_homes(struct sel *s) {
    const struct flow *f = s->m->flow;
    bool masked = f->block[s->m->block->id].masked;
    ir_for_insts((struct ir_block *)s->m->block, i) {
        if (f->home[i->id] == FLOW_NO_HOME || i->op == IR_PHI)
            continue;
        s->loc = i->loc;
        struct m_src src = word_of(s, i);
        bool conditional = masked && f->guarded[i->id];
        if (conditional || src.kind != M_VAL || src.unpack || !retarget(s, src.v, f->home[i->id], M_NO_VALUE))
            write_home(s, f->home[i->id], src, conditional, M_NO_VALUE);
    }
}

/* The copies to the phis of the one successor that has any. */
static void write_phis(struct sel *s) {
    const struct flow *f = s->m->flow;
    const struct ir_block *b = s->m->block;
    bool masked = f->block[b->id].masked;
    for (int e = 0; e < 2; e++) {
        struct ir_block *to = b->succ[e];
        if (!to || to->first->op != IR_PHI)
            continue;
        uint32_t n = 0, at = 0;
        ir_for_insts(to, phi) n += phi->op == IR_PHI;
        struct m_src *src = ir_alloc(s->m->arena, n * sizeof *src);
        /* all sources are read before any phi is written */
        ir_for_insts(to, phi) {
            if (phi->op != IR_PHI)
                break;
            for (uint32_t k = 0; k < phi->nsrc; k++)
                if (phi->phi_block[k] == b) {
                    const struct ir_inst *x = through_bits(phi->src[k]);
                    src[at] = word_of(s, phi->src[k]);
                    if (x->op == IR_PHI && x->block == to && x != phi)
                        src[at] = src_val(emit_mov(s, src[at]));
                }
            at++;
        }
        at = 0;
        ir_for_insts(to, phi) {
            if (phi->op != IR_PHI)
                break;
            struct m_src from = src[at++];
            int home = f->home[phi->id];
            uint32_t old = s->val[phi->id];
            if (from.kind == M_VAL && from.v == old)
                continue; /* unchanged */
            s->loc = phi->loc;
            if (masked || from.kind != M_VAL || from.unpack || !retarget(s, from.v, home, old))
                write_home(s, home, from, masked, old);
        }
    }
}

static void set_mask(struct sel *s, uint32_t op) {
    if (s->mask != M_NO_VALUE)
        s->m->val[s->mask].anchored = true;
    uint32_t old = s->mask, v = s->m->op[op].dst == M_NO_VALUE ? emit_to_new(s, op) : s->m->op[op].dst;
    s->m->val[v].fixed = s->m->flow->mask_home;
    if (old != M_NO_VALUE)
        readers_first(s, old, op, false);
    s->mask = v;
    for (uint32_t k = 0; k < s->ncluster; k++) /* flags of the old mask are not the new one's */
        if (!s->cluster[k].cond)
            s->cluster[k].nmember = UINT32_MAX;
}

static struct m_src lane_target(const struct ir_block *b) {
    return src_imm(b->id + 1);
}

static void begin_block(struct sel *s) {
    const struct flow *f = s->m->flow;
    const struct ir_block *b = s->m->block;
    s->mask = M_NO_VALUE;
    if (!f->masked)
        return;
    if (s->m->entry) {
        if (f->budget_home != FLOW_NO_HOME)
            write_home(s, f->budget_home, src_imm(FLOW_VERTEX_TURNS), false, M_NO_VALUE);
        if (!f->dead_lanes) {
            set_mask(s, move_op(s, src_imm(0)));
            return;
        }
        /* a quad with no covered pixel stays out for good: -1 */
        uint32_t m0 = emit_mov(s, src_read(QPU_R_MS_REV, M_SIDE_A));
        uint32_t m2 = or_pair(s, or_pair(s, m0, 1), 2);
        uint32_t setter = emit2(s, QPU_A_OR, 0, src_val(m2), src_val(m2));
        s->m->op[setter].sf = true;
        uint32_t op = move_op(s, src_imm(0));
        s->m->op[op].tied = emit_mov(s, src_imm(0xffffffffu));
        under_flags(s, op, setter, QPU_COND_ZC);
        uint32_t v = emit_to_new(s, op);
        set_mask(s, move_op(s, src_val(v)));
        return;
    }
    s->mask = start_value(s, f->mask_home);
    if (!f->block[b->id].joins)
        return;
    uint32_t setter = emit2(s, QPU_A_XOR, 0, src_val(s->mask), lane_target(b));
    s->m->op[setter].sf = true;
    uint32_t op = move_op(s, src_imm(0));
    s->m->op[op].tied = s->mask;
    under_flags(s, op, setter, QPU_COND_ZS);
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

static void end_uniform(struct sel *s) {
    const struct ir_block *b = s->m->block,
                          *next = b->id + 1 < s->m->shader->nblocks ? s->m->shader->blocks[b->id + 1] : NULL;
    if (!b->succ[0])
        return;
    if (!b->succ[1]) {
        if (b->succ[0] != next)
            set_branch(s, M_NO_VALUE, QPU_BR_ALWAYS, b->succ[0]);
        return;
    }
    struct test t = bool_test(s, b->last->src[0]);
    bool other = b->succ[0] == next;
    uint32_t setter = emit2(s, t.add_op, 0, t.a, t.b);
    set_branch(s, setter, branch_if[other ? t.cond ^ 1 : t.cond], b->succ[other]);
    if (b->succ[!other] != next)
        s->m->branch_to2 = (int32_t)b->succ[!other]->id;
}

static void end_divergent(struct sel *s) {
    const struct flow *f = s->m->flow;
    const struct ir_block *b = s->m->block,
                          *next = b->id + 1 < s->m->shader->nblocks ? s->m->shader->blocks[b->id + 1] : NULL;
    if (b->succ[1] || b->succ[0] != next) {
        struct m_src to;
        if (!b->succ[1]) {
            to = lane_target(b->succ[0]);
        } else {
            struct m_src yes = b->succ[0] == next ? src_imm(0) : lane_target(b->succ[0]);
            struct m_src no = b->succ[1] == next ? src_imm(0) : lane_target(b->succ[1]);
            struct test t = bool_test(s, b->last->src[0]);
            uint32_t setter = emit2(s, t.add_op, 0, t.a, t.b);
            s->m->op[setter].sf = true;
            uint32_t op = move_op(s, yes);
            s->m->op[op].tied = emit_mov(s, no);
            under_flags(s, op, setter, t.cond);
            to = src_val(emit_to_new(s, op));
        }
        uint32_t op;
        if (f->block[b->id].masked || f->dead_lanes) {
            struct cluster *c =
                join_cluster(s, NULL, NULL, to.kind == M_VAL ? s->m->val[to.v].def : M_NO_VALUE);
            op = move_op(s, to);
            make_conditional(s, op, s->mask, c, c->test);
        } else {
            op = move_op(s, to);
        }
        set_mask(s, op);
    }
    int32_t head = f->block[b->id].back_to;
    if (head < 0)
        return;
    struct m_src waiting = lane_target(s->m->shader->blocks[head]);
    uint32_t setter = emit2(s, QPU_A_XOR, 0, src_val(s->mask), waiting);
    if (f->budget_home != FLOW_NO_HOME) {
        uint32_t left = start_value(s, f->budget_home);
        uint32_t count = value2(s, QPU_A_SUB, 0, src_val(left), src_imm(1));
        uint32_t spent =
            value2(s, QPU_A_ASR, 0, src_val(count), src_imm(0xffffffffu)); /* by 31: 0, or -1 when used up */
        write_home(s, f->budget_home, src_val(count), false, left);
        setter = emit2(s, QPU_A_OR, 0, src_val(emit_to_new(s, setter)), src_val(spent));
    }
    set_branch(s, setter, QPU_BR_ANY_ZS, s->m->shader->blocks[head]);
}

/* The last switch says so, and the tile buffer is touched only after it (guide section 3, "Thread control").
 * What lives across a switch does so in a file. */
static void last_switch(struct sel *s) {
    struct mir *m = s->m;
    if (!s->nswitch)
        return;
    uint32_t last = s->thread_switch[s->nswitch - 1];
    m->op[last].sig = QPU_SIG_LTHRSW;
    for (uint32_t i = 0; i < m->nop; i++)
        if (!m->op[i].dead && (m->op[i].sig == QPU_SIG_LOADC || (m->op[i].waddr >= QPU_W_TLB_STENCIL &&
                                                                 m->op[i].waddr <= QPU_W_TLB_ALPHA_MASK)))
            m_add_edge(m, last, i, QPU_THREAD_SLOTS + 1, false);
}

bool m_select(struct mir *m, struct be_result *result) {
    struct ir_shader *shader = m->shader;
    struct sel s = {.m = m, .result = result};
    uint32_t n = shader->next_id + 1;
    s.val = ir_alloc(m->arena, n * sizeof *s.val);
    memset(s.val, 0xff, n * sizeof *s.val);
    s.word_cond = ir_alloc(m->arena, n);
    s.uses = ir_count_uses(shader);
    s.last_vary_read = s.last_vary_add = s.last_vpm_read = s.last_vpm_write = s.last_tlb = M_NO_VALUE;
    m->branch_setter = M_NO_VALUE;
    m->branch_to = m->branch_to2 = -1;
    uint32_t attr_words = 0, ntex = 0;
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            attr_words += i->op == IR_ATTR;
            ntex += i->op == IR_TEX || i->op == IR_UNIFORM_AT;
            s.uses[i->id] += m->flow->home[i->id] != FLOW_NO_HOME;
        }
    }
    for (int u = 0; u < 2; u++) {
        s.tmu_last_s[u] = s.tmu_last_ld[u] = M_NO_VALUE;
        s.tmu_ld[u] = ir_alloc(m->arena, (ntex + 1) * sizeof **s.tmu_ld);
    }
    s.level = ir_alloc(m->arena, n * sizeof *s.level);
    s.thread_switch = ir_alloc(m->arena, (ntex + 1) * sizeof *s.thread_switch);
    begin_block(&s);
    ir_for_insts((struct ir_block *)m->block, i) {
        s.level[i->id] = level_of(&s, i);
        select_inst(&s, i, attr_words);
        if (s.failed)
            return false;
    }
    write_homes(&s);
    write_phis(&s);
    s.loc = m->block->last->loc;
    if (m->flow->block[m->block->id].masked ||
        (m->block->succ[1] && m->flow->varying[m->block->last->src[0]->id]))
        end_divergent(&s);
    else
        end_uniform(&s);
    if (s.failed)
        return false;
    if (ir_arena_oom(m->arena)) {
        result->status = BE_DOES_NOT_FIT;
        snprintf(result->message, sizeof result->message, "the shader is too large");
        return false;
    }
    fold_vpm_reads(m);
    drop_dead(m);
    last_switch(&s);
    /* the inputs of every member gate the setting of its flags: flags are set late and used at once */
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        m->streams |= !op->dead && (m_reads_stream(op) || op->tmu_slot != M_NO_VALUE);
        if (op->dead || op->flags == M_NO_VALUE)
            continue;
        for (unsigned k = 0; k <= op->nsrc; k++) {
            uint32_t v = k == op->nsrc ? op->tied : op->src[k].kind == M_VAL ? op->src[k].v : M_NO_VALUE;
            if (v != M_NO_VALUE && m->val[v].def != M_NO_VALUE && m->val[v].def != op->flags)
                m_add_edge(m, m->val[v].def, op->flags, 0, false);
        }
        m_add_edge(m, op->flags, i, 1, false);
    }
    return true;
}
