/* algebraic's rules for comparisons, booleans and selections. */
#include "passes/algebraic.h"
#include "passes/eval.h"

typedef struct ir_inst *val;

static enum ir_op inverse(enum ir_op op) {
    switch (op) {
    case IR_FLT: return IR_FGE;
    case IR_FGE: return IR_FLT;
    case IR_FEQ: return IR_FNE;
    case IR_FNE: return IR_FEQ;
    case IR_ILT: return IR_IGE;
    case IR_IGE: return IR_ILT;
    case IR_IEQ: return IR_INE;
    case IR_INE: return IR_IEQ;
    case IR_ULT: return IR_UGE;
    case IR_UGE: return IR_ULT;
    default: return IR_OP_COUNT;
    }
}

bool algebraic_contrary(const struct ir_inst *a, const struct ir_inst *b) {
    if (alg_under(a, IR_BNOT) == b || alg_under(b, IR_BNOT) == a)
        return true;
    return inverse((enum ir_op)a->op) == b->op && alg_source(a, 0) == alg_source(b, 0) &&
           alg_source(a, 1) == alg_source(b, 1);
}

/* A value that is one of two constants: which condition picks, and what. */
static val two_valued(val x, uint32_t *yes, uint32_t *no) {
    if (x->op == IR_B2F || x->op == IR_B2I) {
        *yes = x->op == IR_B2F ? 0x3f800000u : 1;
        *no = 0;
        return alg_source(x, 0);
    }
    if (x->op != IR_SELECT || !ir_is_const(alg_source(x, 1)) || !ir_is_const(alg_source(x, 2)))
        return NULL;
    *yes = alg_source(x, 1)->imm;
    *no = alg_source(x, 2)->imm;
    return alg_source(x, 0);
}

/* A comparison of such a value with a constant is its condition, the contrary, or known. */
static val compare_two_valued(struct ir_builder *b, struct ir_inst *inst, val x, val y) {
    for (int swapped = 0; swapped < 2; swapped++) {
        val c = swapped ? x : y;
        uint32_t yes, no, s[2], if_yes, if_no;
        val condition = ir_is_const(c) ? two_valued(swapped ? y : x, &yes, &no) : NULL;
        if (!condition)
            continue;
        s[swapped ? 0 : 1] = c->imm;
        s[swapped ? 1 : 0] = yes;
        if (!ir_eval((enum ir_op)inst->op, 0, s, 2, &if_yes))
            return NULL;
        s[swapped ? 1 : 0] = no;
        if (!ir_eval((enum ir_op)inst->op, 0, s, 2, &if_no))
            return NULL;
        if (if_yes == if_no)
            return ir_const_b(b, if_yes);
        return if_yes ? condition : ir_op1(b, IR_BNOT, condition);
    }
    return NULL;
}

/* What is certain of a comparison of numbers in these ranges, or NULL. */
static val compare_ranges(struct ir_builder *b, const struct ir_inst *inst, struct float_range p,
                          struct float_range q) {
    if (p.hi < q.lo)
        return ir_const_b(b, inst->op == IR_FLT);
    if (p.lo >= q.hi)
        return ir_const_b(b, inst->op == IR_FGE);
    return NULL;
}

static val compare(struct ir_builder *b, struct ir_inst *inst, val x, val y) {
    if (x == y)
        return ir_const_b(b, inst->op == IR_FGE || inst->op == IR_FEQ || inst->op == IR_IGE ||
                                 inst->op == IR_IEQ || inst->op == IR_UGE);
    val by = compare_two_valued(b, inst, x, y), n, m;
    if (by)
        return by;
    if (inst->op == IR_FLT || inst->op == IR_FGE) {
        /* what usual ranges leave open the others do, too */
        if (compare_ranges(b, inst, float_range_usual(x), float_range_usual(y))) {
            if ((by = compare_ranges(b, inst, float_range(x), float_range(y))))
                return by;
            /* A filter's weight is chosen by the distance from a texel, fract(x) + k: an operation more,
             * many less. */
            float_range_confine(x);
            float_range_confine(y);
            return ir_op2(b, (enum ir_op)inst->op, x, y);
        }
        if ((n = alg_under(x, IR_FNEG)) && (m = alg_under(y, IR_FNEG)))
            return ir_op2(b, (enum ir_op)inst->op, m, n);
    }
    if (inst->op == IR_FEQ || inst->op == IR_FNE) {
        if (alg_zero(y) && (x->op == IR_FNEG || x->op == IR_FABS))
            return ir_op2(b, (enum ir_op)inst->op, alg_source(x, 0), y);
    }
    return NULL;
}

static val logic(struct ir_builder *b, struct ir_inst *inst, val x, val y) {
    if (ir_is_const(x)) {
        val t = x;
        x = y, y = t;
    }
    if (x == y)
        return inst->op == IR_BXOR ? ir_const_b(b, false) : x;
    if (algebraic_contrary(x, y))
        return ir_const_b(b, inst->op != IR_BAND);
    if (!ir_is_const(y))
        return NULL;
    switch (inst->op) {
    case IR_BAND: return y->imm ? x : y;
    case IR_BOR: return y->imm ? y : x;
    case IR_BXOR: return y->imm ? ir_op1(b, IR_BNOT, x) : x;
    default: return NULL;
    }
}

static val negation(struct ir_builder *b, val x) {
    val n = alg_under(x, IR_BNOT);
    if (n)
        return n;
    enum ir_op op = inverse((enum ir_op)x->op);
    return op == IR_OP_COUNT ? NULL : ir_op2(b, op, alg_source(x, 0), alg_source(x, 1));
}

/* a < b ? a : b and its kin. */
static val chosen_extreme(struct ir_builder *b, val c, val x, val y) {
    bool floats = c->op == IR_FLT || c->op == IR_FGE;
    if (!floats && c->op != IR_ILT && c->op != IR_IGE)
        return NULL;
    val p = alg_source(c, 0), q = alg_source(c, 1);
    bool less = c->op == IR_FLT || c->op == IR_ILT;
    if (p == x && q == y)
        return ir_op2(b, floats ? (less ? IR_FMIN : IR_FMAX) : less ? IR_IMIN : IR_IMAX, x, y);
    if (p == y && q == x)
        return ir_op2(b, floats ? (less ? IR_FMAX : IR_FMIN) : less ? IR_IMAX : IR_IMIN, x, y);
    if (!floats || !alg_zero(q))
        return NULL;
    /* x < 0 ? -x : x */
    val positive = less ? y : x, other = less ? x : y;
    return positive == p && alg_under(other, IR_FNEG) == p ? ir_op1(b, IR_FABS, p) : NULL;
}

static val choose(struct ir_builder *b, struct ir_inst *inst) {
    val c = alg_source(inst, 0), x = alg_source(inst, 1), y = alg_source(inst, 2), n;
    if (x == y || (ir_is_const(x) && ir_is_const(y) && x->imm == y->imm))
        return x;
    if (ir_is_const(c))
        return c->imm ? x : y;
    if (x->op == IR_UNDEF)
        return y;
    if (y->op == IR_UNDEF)
        return x;
    if ((n = alg_under(c, IR_BNOT)))
        return ir_op3(b, IR_SELECT, n, y, x);
    if (x->op == IR_SELECT && alg_source(x, 0) == c)
        return ir_op3(b, IR_SELECT, c, alg_source(x, 1), y);
    if (y->op == IR_SELECT && alg_source(y, 0) == c)
        return ir_op3(b, IR_SELECT, c, x, alg_source(y, 2));
    if (inst->type == IR_BOOL) {
        if (ir_is_const(x))
            return x->imm ? ir_op2(b, IR_BOR, c, y) : ir_op2(b, IR_BAND, ir_op1(b, IR_BNOT, c), y);
        if (ir_is_const(y))
            return y->imm ? ir_op2(b, IR_BOR, ir_op1(b, IR_BNOT, c), x) : ir_op2(b, IR_BAND, c, x);
        /* && and || as control flow leaves them */
        if (x == c)
            return ir_op2(b, IR_BOR, c, y);
        if (y == c)
            return ir_op2(b, IR_BAND, c, x);
        if (algebraic_contrary(x, c))
            return ir_op2(b, IR_BAND, x, y);
        return algebraic_contrary(y, c) ? ir_op2(b, IR_BOR, y, x) : NULL;
    }
    /* of one byte or half of two words: one choice for all their channels */
    if ((x->op == IR_UNPACK_8F || x->op == IR_UNPACK_16F) && y->op == x->op && x->imm == y->imm) {
        val word = ir_op3(b, IR_SELECT, c, alg_source(x, 0), alg_source(y, 0));
        return ir_emit(b, (enum ir_op)x->op, IR_F32, 1, &word, x->imm, 0);
    }
    uint32_t one = inst->type == IR_F32 ? 0x3f800000u : 1;
    enum ir_op convert = inst->type == IR_F32 ? IR_B2F : IR_B2I;
    if (alg_bits(x, one) && alg_bits(y, 0))
        return ir_op1(b, convert, c);
    if (alg_bits(x, 0) && alg_bits(y, one))
        return ir_op1(b, convert, ir_op1(b, IR_BNOT, c));
    return chosen_extreme(b, c, x, y);
}

val algebraic_bool(struct ir_builder *b, struct ir_inst *inst) {
    switch (inst->op) {
    case IR_SELECT: return choose(b, inst);
    case IR_BNOT: return negation(b, alg_source(inst, 0));
    case IR_BAND:
    case IR_BOR:
    case IR_BXOR: return logic(b, inst, alg_source(inst, 0), alg_source(inst, 1));
    default: break;
    }
    return inverse((enum ir_op)inst->op) == IR_OP_COUNT
               ? NULL
               : compare(b, inst, alg_source(inst, 0), alg_source(inst, 1));
}
