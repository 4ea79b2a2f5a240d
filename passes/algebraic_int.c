/* algebraic's rules for integers, bits and packed words. */
#include "passes/algebraic.h"

typedef struct ir_inst *val;

static val num(struct ir_builder *b, uint32_t v) {
    return ir_const_i(b, v);
}

static bool constant(val x, uint32_t *c) {
    *c = x->imm;
    return ir_is_const(x);
}

static val add(struct ir_builder *b, val x, val y) {
    val n;
    uint32_t c, d;
    if (alg_bits(y, 0))
        return x;
    if ((n = alg_under(y, IR_INEG)))
        return ir_op2(b, IR_ISUB, x, n);
    if ((n = alg_under(x, IR_INEG)))
        return ir_op2(b, IR_ISUB, y, n);
    if (constant(y, &c) && x->op == IR_IADD) {
        if (constant(alg_source(x, 1), &d))
            return ir_op2(b, IR_IADD, alg_source(x, 0), num(b, c + d));
        if (constant(alg_source(x, 0), &d))
            return ir_op2(b, IR_IADD, alg_source(x, 1), num(b, c + d));
    }
    if (constant(y, &c) && x->op == IR_ISUB && constant(alg_source(x, 0), &d))
        return ir_op2(b, IR_ISUB, num(b, c + d), alg_source(x, 1));
    return NULL;
}

/* x - x / n * n, which is how GLSL ES 1.00 has to say it. */
static val remainder_of(struct ir_builder *b, val x, val product) {
    for (uint32_t k = 0; product->op == IR_IMUL && k < 2; k++) {
        val quotient = alg_source(product, k), n = alg_source(product, 1 - k);
        bool is_signed = quotient->op == IR_IDIV;
        if ((is_signed || quotient->op == IR_UDIV) && alg_source(quotient, 0) == x &&
            alg_source(quotient, 1) == n)
            return ir_op2(b, is_signed ? IR_IREM : IR_UREM, x, n);
    }
    return NULL;
}

static val subtract(struct ir_builder *b, val x, val y) {
    val n;
    uint32_t c;
    if (x == y)
        return num(b, 0);
    if (alg_bits(x, 0))
        return ir_op1(b, IR_INEG, y);
    if (constant(y, &c)) /* gathers with other sums */
        return ir_op2(b, IR_IADD, x, num(b, 0u - c));
    if ((n = alg_under(y, IR_INEG)))
        return ir_op2(b, IR_IADD, x, n);
    if (x->op == IR_IADD && alg_source(x, 1) == y)
        return alg_source(x, 0);
    if (x->op == IR_IADD && alg_source(x, 0) == y)
        return alg_source(x, 1);
    return remainder_of(b, x, y);
}

static val bitwise(struct ir_builder *b, enum ir_op op, val x, val y) {
    uint32_t c, d;
    if (x == y)
        return op == IR_IXOR ? num(b, 0) : x;
    if (alg_bits(y, 0))
        return op == IR_IAND ? y : x;
    if (alg_bits(y, ~0u))
        return op == IR_IAND ? x : op == IR_IOR ? y : ir_op1(b, IR_INOT, x);
    if (x->op == op && constant(y, &c) && constant(alg_source(x, 1), &d))
        return ir_op2(b, op, alg_source(x, 0), num(b, op == IR_IAND ? c & d : op == IR_IOR ? c | d : c ^ d));
    if (op == IR_IAND && x->op == IR_USHR && alg_bits(y, 255) && constant(alg_source(x, 1), &d) &&
        d % 8 == 0 && d < 32)
        return ir_emit(b, IR_UNPACK_8I, IR_I32, 1, (val[]){alg_source(x, 0)}, d / 8, 0);
    return NULL;
}

static val shift(struct ir_builder *b, enum ir_op op, val x, val y) {
    uint32_t c, d;
    if (alg_bits(x, 0))
        return x;
    if (!constant(y, &c))
        return NULL;
    c &= 31;
    if (c == 0)
        return x;
    if (x->op == op && constant(alg_source(x, 1), &d)) {
        d &= 31;
        val base = alg_source(x, 0);
        if (op == IR_IROR)
            return ir_op2(b, op, base, num(b, (c + d) & 31));
        if (c + d < 32)
            return ir_op2(b, op, base, num(b, c + d));
        return op == IR_IASR ? ir_op2(b, op, base, num(b, 31)) : num(b, 0);
    }
    bool back = (op == IR_ISHL && x->op == IR_USHR) || (op == IR_USHR && x->op == IR_ISHL);
    if (back && constant(alg_source(x, 1), &d) && (d & 31) == c)
        return ir_op2(b, IR_IAND, alg_source(x, 0), num(b, op == IR_ISHL ? ~0u << c : ~0u >> c));
    return NULL;
}

static val multiply(struct ir_builder *b, val x, val y) {
    uint32_t c, d;
    if (!constant(y, &c))
        return NULL;
    if (c == 0)
        return y;
    if (c == 1)
        return x;
    if (c == ~0u)
        return ir_op1(b, IR_INEG, x);
    if (x->op == IR_IMUL && constant(alg_source(x, 1), &d))
        return ir_op2(b, IR_IMUL, alg_source(x, 0), num(b, c * d));
    return NULL;
}

static val divide(struct ir_builder *b, enum ir_op op, val x, val y) {
    if (alg_bits(x, 0))
        return x;
    if (!alg_bits(y, 1))
        return NULL;
    return op == IR_IDIV || op == IR_UDIV ? x : num(b, 0);
}

static val extreme(struct ir_builder *b, enum ir_op op, val x, val y) {
    uint32_t c, d;
    if (x == y)
        return x;
    if (x->op == op && (alg_source(x, 0) == y || alg_source(x, 1) == y))
        return x;
    if ((op == IR_IMIN || op == IR_IMAX) && x->op == op && constant(y, &c) &&
        constant(alg_source(x, 1), &d)) {
        bool below = (int32_t)c < (int32_t)d;
        return ir_op2(b, op, alg_source(x, 0), num(b, below == (op == IR_IMIN) ? c : d));
    }
    return NULL;
}

/* A float that is about to be clamped to 0..1 needs no clamp of its own. */
static val unclamped(val x) {
    if (x->op == IR_FSAT)
        return alg_source(x, 0);
    if (x->op != IR_FMIN && x->op != IR_FMAX)
        return x;
    for (uint32_t k = 0; k < 2; k++) {
        val c = alg_source(x, k);
        if (ir_is_const(c) && (x->op == IR_FMIN ? ir_float(c) >= 1.0f : ir_float(c) <= 0.0f))
            return alg_source(x, 1 - k);
    }
    return x;
}

static val pack_color(struct ir_builder *b, struct ir_inst *inst) {
    val c[4], word = NULL;
    bool changed = false, whole = true;
    for (uint32_t k = 0; k < 4; k++) {
        val given = alg_source(inst, k);
        c[k] = unclamped(given);
        changed |= c[k] != given;
        if (c[k]->op != IR_UNPACK_8F || c[k]->imm != k || (word && alg_source(c[k], 0) != word))
            whole = false;
        else
            word = alg_source(c[k], 0);
    }
    if (whole) /* bytes of one word in their order: the word */
        return word;
    return changed ? ir_emit(b, IR_PACK_COLOR, IR_I32, 4, c, 0, 0) : NULL;
}

static val one_operand(struct ir_builder *b, struct ir_inst *inst, val x) {
    val n;
    switch (inst->op) {
    case IR_INOT: return alg_under(x, IR_INOT);
    case IR_INEG:
        if ((n = alg_under(x, IR_INEG)))
            return n;
        return x->op == IR_ISUB ? ir_op2(b, IR_ISUB, alg_source(x, 1), alg_source(x, 0)) : NULL;
    case IR_IABS:
        if ((n = alg_under(x, IR_INEG)))
            return ir_op1(b, IR_IABS, n);
        return x->op == IR_IABS || x->op == IR_B2I || x->op == IR_UNPACK_8I ? x : NULL;
    case IR_FBITS: return alg_under(x, IR_IBITS);
    case IR_F2I:
    case IR_F2U:
        if ((n = alg_under(x, IR_I2F)) && (inst->op == IR_F2I || n->op == IR_UNPACK_8I))
            return n;
        if ((n = alg_under(x, IR_U2F)) && inst->op == IR_F2U)
            return n;
        if ((n = alg_under(x, IR_B2F)))
            return ir_op1(b, IR_B2I, n);
        if ((n = alg_under(x, IR_FTRUNC)))
            return ir_op1(b, (enum ir_op)inst->op, n);
        if ((n = alg_under(x, IR_FFLOOR)) && float_range(n).lo >= 0)
            return ir_op1(b, (enum ir_op)inst->op, n);
        return NULL;
    default: return NULL;
    }
}

val algebraic_int(struct ir_builder *b, struct ir_inst *inst) {
    if (inst->op == IR_PACK_COLOR)
        return pack_color(b, inst);
    val x = alg_source(inst, 0);
    if (inst->nsrc == 1)
        return one_operand(b, inst, x);
    if (inst->nsrc != 2)
        return NULL;
    val y = alg_source(inst, 1);
    if (ir_is_const(x) && ir_ops[inst->op].commutes) {
        val t = x;
        x = y, y = t;
    }
    enum ir_op op = (enum ir_op)inst->op;
    switch (op) {
    case IR_IADD: return add(b, x, y);
    case IR_ISUB: return subtract(b, x, y);
    case IR_IAND:
    case IR_IOR:
    case IR_IXOR: return bitwise(b, op, x, y);
    case IR_ISHL:
    case IR_USHR:
    case IR_IASR:
    case IR_IROR: return shift(b, op, x, y);
    case IR_IMUL: return multiply(b, x, y);
    case IR_UMUL24: return alg_bits(y, 0) ? y : NULL;
    case IR_IDIV:
    case IR_UDIV:
    case IR_IREM:
    case IR_IMOD:
    case IR_UREM: return divide(b, op, x, y);
    case IR_IMIN:
    case IR_IMAX:
    case IR_UMIN:
    case IR_UMAX: return extreme(b, op, x, y);
    case IR_PACK_8F: {
        val c = unclamped(alg_source(inst, 1));
        return c == alg_source(inst, 1)
                   ? NULL
                   : ir_emit(b, op, IR_I32, 2, (val[]){alg_source(inst, 0), c}, inst->imm, 0);
    }
    default: return NULL;
    }
}
