/* Inside the lowering passes: short names for building, and the lowered forms that one form takes from
 * another. Everything here emits operations that selection knows, nothing that would need lowering again. */
#ifndef QPUCC_PASSES_LOWER_MATH_H
#define QPUCC_PASSES_LOWER_MATH_H

#include "ir/ir.h"

typedef struct ir_inst *val;

static inline val mul(struct ir_builder *b, val x, val y) {
    return ir_op2(b, IR_FMUL, x, y);
}
static inline val add(struct ir_builder *b, val x, val y) {
    return ir_op2(b, IR_FADD, x, y);
}
static inline val sub(struct ir_builder *b, val x, val y) {
    return ir_op2(b, IR_FSUB, x, y);
}
static inline val flt(struct ir_builder *b, float v) {
    return ir_const_f(b, v);
}
static inline val num(struct ir_builder *b, uint32_t v) {
    return ir_const_i(b, v);
}
static inline val pick(struct ir_builder *b, val c, val x, val y) {
    return ir_op3(b, IR_SELECT, c, x, y);
}
static inline val absolute(struct ir_builder *b, val x) {
    return ir_op1(b, IR_FABS, x);
}
static inline val negate(struct ir_builder *b, val x) {
    return ir_op1(b, IR_FNEG, x);
}
static inline val poly(struct ir_builder *b, val x, const float *c, int n) /* c[0] + c[1] x + ... , Horner */
{
    val r = flt(b, c[n - 1]);
    for (int i = n - 2; i >= 0; i--) {
        val next = flt(b, c[i]);
        r = add(b, mul(b, r, x), next);
    }
    return r;
}

/* Whether SFU results get a Newton step here: highp in fragment shaders, all but lowp (which pass
 * relax_precision gives) elsewhere. */
bool lower_refines(const struct ir_builder *b);

val lower_rcp(struct ir_builder *b, val x); /* 1/x for quotients: never low when refined, see the file */
val lower_rcp_newton(struct ir_builder *b, val x); /* exactly one plain Newton step, for 1/Wc */
val lower_rsq(struct ir_builder *b, val x);
val lower_sqrt(struct ir_builder *b, val x);
val lower_div(struct ir_builder *b, val x, val y);
/* Adding this rounds to whole numbers toward zero: at its size a float's last place is 1. No other use of it.
 * */
#define LOWER_WHOLE 0x1.8p23f
/* 1/y of a constant, rounded away from zero. */
bool lower_constant_reciprocal(val y, float *r);

/* What mod takes the floor of, from a quotient whose size is never below the true one's. */
val lower_whole_part(struct ir_builder *b, val quotient);
val lower_floor(struct ir_builder *b, val x);
/* Whole exponents, and those that products stand for where the base may be negative: up to six. */
bool lower_is_whole(float n);
bool lower_is_product(float n);

val lower_ceil(struct ir_builder *b, val x);
val lower_trunc(struct ir_builder *b, val x);

/* lower_power.c */
val lower_exp2_precise(struct ir_builder *b, val x);
val lower_log2_precise(struct ir_builder *b, val x);

/* lower_trig.c */
val lower_sin(struct ir_builder *b, val x);
val lower_cos(struct ir_builder *b, val x);
val lower_tan(struct ir_builder *b, val x);
val lower_asin(struct ir_builder *b, val x);
val lower_acos(struct ir_builder *b, val x);
/* x NULL: atan(y). fast: what the hardware makes of 0 / 0 at (0, 0) */
val lower_atan2(struct ir_builder *b, val y, val x, bool fast);

/* lower_int.c: NULL if the operation is none of integers' */
val lower_int(struct ir_builder *b, const struct ir_inst *inst, val x, val y);

#endif
