/* Four scalars together: whether the same operation computes them, and what is known of their values. */
#include "passes/tuple.h"

#include "passes/algebraic.h"

#include <math.h>

bool tuple_known(const struct ir_inst *x) {
    return x->op == IR_CONST || x->op == IR_UNIFORM;
}

bool tuple_same(const struct ir_inst *x, const struct ir_inst *y) {
    return x == y || (x->op == IR_CONST && y->op == IR_CONST && x->imm == y->imm);
}

/* y is 1 - x. */
static bool is_complement(const struct ir_inst *y, const struct ir_inst *x) {
    return y->op == IR_FSUB && alg_one(alg_source(y, 0)) && tuple_same(alg_source(y, 1), x);
}

/* a (1 - t) + b t, in that form or as a + t (b - a) or a - t (a - b). */
static bool is_mix(const struct ir_inst *x, struct ir_inst **a, struct ir_inst **b, struct ir_inst **t) {
    if (x->op != IR_FADD && x->op != IR_FSUB)
        return false;
    bool subtracts = x->op == IR_FSUB;
    for (unsigned k = 0; k < (subtracts ? 1u : 2u); k++) {
        struct ir_inst *base = alg_source(x, k), *product = alg_source(x, 1 - k);
        for (unsigned j = 0; product->op == IR_FMUL && j < 2; j++) {
            struct ir_inst *difference = alg_source(product, j), *share = alg_source(product, 1 - j);
            if (difference->op == IR_FSUB && tuple_same(alg_source(difference, !subtracts), base)) {
                *a = base, *b = alg_source(difference, subtracts), *t = share;
                return true;
            }
        }
    }
    struct ir_inst *p = alg_source(x, 0), *q = alg_source(x, 1);
    for (unsigned k = 0; !subtracts && p->op == IR_FMUL && q->op == IR_FMUL && k < 4; k++) {
        struct ir_inst *s = alg_source(p, k & 1), *r = alg_source(q, k >> 1);
        if (is_complement(s, r) || is_complement(r, s)) {
            bool s_is_rest = is_complement(s, r); /* s = 1 - t and r = t, else the reverse */
            struct ir_inst *by_s = alg_source(p, 1 - (k & 1)), *by_r = alg_source(q, 1 - (k >> 1));
            *a = s_is_rest ? by_s : by_r, *b = s_is_rest ? by_r : by_s, *t = s_is_rest ? r : s;
            return true;
        }
    }
    return false;
}

/* x lies in 0..1: by its range, or because it mixes two values that do. */
static bool in_unit(const struct ir_inst *x, unsigned depth) {
    struct float_range r = float_range(x);
    if (r.lo >= 0 && r.hi <= 1)
        return true;
    struct ir_inst *a, *b, *t;
    return depth && is_mix(x, &a, &b, &t) && in_unit(a, depth - 1) && in_unit(b, depth - 1) &&
           in_unit(t, depth - 1);
}

static bool not_negative(const struct ir_inst *x, unsigned depth) {
    return float_range(x).lo >= 0 || in_unit(x, depth);
}

struct ir_inst *tuple_any(const struct tuple *t) {
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k])
            return t->c[k];
    return NULL;
}

bool tuple_is_known(const struct tuple *t) {
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k] && !tuple_known(t->c[k]))
            return false;
    return true;
}

bool tuple_is_unit(const struct tuple *t) {
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k] && !in_unit(t->c[k], 3))
            return false;
    return true;
}

bool tuple_not_negative(const struct tuple *t) {
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k] && !not_negative(t->c[k], 3))
            return false;
    return true;
}

float tuple_most(const struct tuple *t) {
    float hi = 0;
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k])
            hi = fmaxf(hi, fminf(float_range(t->c[k]).hi, 1));
    return hi;
}

bool tuple_is_lowp(const struct tuple *t) {
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k] && t->c[k]->precision != IR_LOWP)
            return false;
    return true;
}

enum ir_op tuple_op(const struct tuple *t) {
    unsigned best = 0;
    enum ir_op op = IR_CONST;
    for (unsigned k = 0; k < 4; k++) {
        unsigned count = 0;
        for (unsigned j = 0; t->c[k] && t->c[k]->op != IR_CONST && j < 4; j++)
            count += t->c[j] && t->c[j]->op == t->c[k]->op;
        if (count > best)
            best = count, op = (enum ir_op)t->c[k]->op;
    }
    return op;
}

bool tuple_alike(const struct tuple *t, enum ir_op op) {
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k] && t->c[k]->op != op)
            return false;
    return true;
}

/* How well two channels' operands go into one word: 3 if they are bytes of one word, each in its own
 * place, or the same byte; 2 if they are other bytes of one word; 1 if the same kind of operation makes
 * them, or if both are known for a whole draw; else 0. */
static unsigned fit(const struct ir_inst *x, unsigned kx, const struct ir_inst *y, unsigned ky) {
    if (x->op == IR_UNPACK_8F && y->op == IR_UNPACK_8F && alg_source(x, 0) == alg_source(y, 0))
        return (x->imm == kx && y->imm == ky) || x->imm == y->imm ? 3 : 2;
    return x->op == y->op || (tuple_known(x) && tuple_known(y));
}

/* Where `op` commutes, a channel's operands are swapped if they fit the first channel's better that way. */
bool tuple_operands(const struct tuple *t, enum ir_op op, struct ir_inst *neutral, struct tuple *x,
                    struct tuple *y) {
    unsigned first = 4, count = 0;
    *x = *y = (struct tuple){{NULL}};
    for (unsigned k = 0; k < 4; k++) {
        if (!t->c[k] || t->c[k]->op != op)
            continue;
        count++;
        x->c[k] = alg_source(t->c[k], 0);
        y->c[k] = alg_source(t->c[k], 1);
        if (first == 4)
            first = k;
        else if (ir_op_info(op)->commutes &&
                 fit(x->c[k], k, y->c[first], first) + fit(y->c[k], k, x->c[first], first) >
                     fit(x->c[k], k, x->c[first], first) + fit(y->c[k], k, y->c[first], first)) {
            struct ir_inst *swap = x->c[k];
            x->c[k] = y->c[k], y->c[k] = swap;
        }
    }
    for (unsigned k = 0; k < 4; k++)
        if (t->c[k] && t->c[k]->op != op) {
            x->c[k] = t->c[k];
            y->c[k] = neutral;
        }
    return count > 1 || !tuple_any(t);
}

bool tuple_mixes(const struct tuple *t, struct tuple *a, struct tuple *b, struct tuple *share) {
    unsigned count = 0;
    *a = *b = *share = (struct tuple){{NULL}};
    for (unsigned k = 0; k < 4; k++) {
        if (!t->c[k])
            continue;
        if (is_mix(t->c[k], &a->c[k], &b->c[k], &share->c[k]))
            count++;
        else
            a->c[k] = b->c[k] = t->c[k], share->c[k] = NULL;
    }
    return count > 1;
}

/* Leaves out clamps that do not change what saturation makes of the value. */
struct ir_inst *tuple_unclamped(struct ir_inst *x) {
    for (x = ir_value(x); x->op == IR_FSAT || x->op == IR_FMIN || x->op == IR_FMAX;) {
        struct ir_inst *inner = NULL;
        if (x->op == IR_FSAT)
            inner = alg_source(x, 0);
        else
            for (unsigned k = 0; k < 2; k++) {
                struct ir_inst *c = alg_source(x, k);
                if (ir_is_const(c) && (x->op == IR_FMIN ? ir_float(c) >= 1 : ir_float(c) <= 0))
                    inner = alg_source(x, 1 - k);
            }
        if (!inner)
            break;
        x = inner;
    }
    return x;
}
