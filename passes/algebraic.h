/* Inside algebraic: patterns, and the three families of rules. Each returns the value that an instruction may
 * be replaced by, or NULL. Sources have been through ir_value. */
#ifndef QPUCC_PASSES_ALGEBRAIC_H
#define QPUCC_PASSES_ALGEBRAIC_H

#include "ir/ir.h"

/* `precise`: the shader may not round in other places than the source says. */
struct ir_inst *algebraic_float(struct ir_builder *b, struct ir_inst *inst, bool precise);
struct ir_inst *algebraic_int(struct ir_builder *b, struct ir_inst *inst);
struct ir_inst *algebraic_bool(struct ir_builder *b, struct ir_inst *inst);

/* True if one of the two booleans is the other's contrary. */
bool algebraic_contrary(const struct ir_inst *a, const struct ir_inst *b);

/* lower_floor is exact up to here. */
#define FLOAT_RANGE_WHOLE 0x1p22f

/* What a float can be at least and at most, from how it was made; infinities where nothing is known. */
struct float_range {
    float lo, hi;
};
struct float_range float_range(const struct ir_inst *x);
/* The same if no fract is taken of numbers beyond 2^22, where the machine's leaves 0..1; and what makes that
 * true. */
struct float_range float_range_usual(const struct ir_inst *x);
void float_range_confine(struct ir_inst *x);

static inline struct ir_inst *alg_source(const struct ir_inst *inst, uint32_t k) {
    return ir_value(inst->src[k]);
}
static inline bool alg_bits(const struct ir_inst *x, uint32_t bits) {
    return ir_is_const(x) && x->imm == bits;
}
static inline bool alg_zero(const struct ir_inst *x) {
    return ir_is_const(x) && !(x->imm & 0x7fffffffu);
}
static inline bool alg_one(const struct ir_inst *x) {
    return alg_bits(x, 0x3f800000u);
}
/* The operand of x if x is such a one-operand operation. */
static inline struct ir_inst *alg_under(const struct ir_inst *x, enum ir_op op) {
    return x->op == op ? alg_source(x, 0) : NULL;
}

#endif
