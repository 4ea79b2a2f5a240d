/* One IR operation on known numbers. */
#ifndef QPUCC_PASSES_EVAL_H
#define QPUCC_PASSES_EVAL_H

#include "ir/ir.h"

#include <math.h>
#include <string.h>

/* Evaluates `op` (with its immediate) over `count` sources, given and returned as bits; booleans are 0 or 1.
 * Arithmetic is IEEE single precision, round to nearest; functions are computed in double and rounded once.
 * Denormals count as zero and zero times anything is +0, as on the hardware. False, with *result untouched,
 * for what has no value here: raw SFU operations (never folded), leaves, effects, interface operations, and
 * results that IEEE would call NaN, which the hardware does not have. A NaN among the sources is 0 in a
 * packed colour and unordered in a comparison; nothing else has a value then. */
bool ir_eval(enum ir_op op, uint32_t imm, const uint32_t *sources, uint32_t count, uint32_t *result);

static inline float ir_bits_to_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline uint32_t ir_float_to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline uint32_t ir_flush_denormal(uint32_t bits) {
    return bits & 0x7f800000u || bits == 0x80000000u ? bits : 0;
}

/* Is that arithmetic which GLSL leaves undefined? The value is what pass `defined` has the shader compute. */
bool ir_eval_undefined(enum ir_op op, const uint32_t *sources);

/* The arithmetic that most words of a uniform stream are made of, for numbers of which none is a NaN: what
 * ir_eval gives, except that a NaN is returned as one. */
static inline float ir_eval_fmul(float a, float b) {
    return a == 0.0f || b == 0.0f ? 0.0f : a * b;
}

/* lower_math's floor is a sum with this number, rounded toward zero as the machine adds. */
#define IR_ROUNDING_SUMMAND 0x1.8p23f

static inline bool ir_eval_rounds(float a, float b) {
    return fabsf(a) == IR_ROUNDING_SUMMAND || fabsf(b) == IR_ROUNDING_SUMMAND;
}

float ir_half_to_float(uint16_t half);  /* exact but for denormals: they become zero */
uint16_t ir_float_to_half(float value); /* to nearest, even; overflow is infinity, denormals are zero */

/* Which of `words` words a uniform_at reads (ir/ops.def). */
static inline uint32_t ir_uniform_at_index(uint32_t source, uint32_t words) {
    int32_t bytes = (int32_t)(source << 2), last = words ? (int32_t)(4 * (words - 1)) : 0;
    return (uint32_t)(bytes < 0 ? 0 : bytes > last ? last : bytes) / 4;
}

#endif
