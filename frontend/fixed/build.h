/* Inside the fixed-function front: short names for building, and GL's variables by name. */
#ifndef QPUCC_FRONTEND_FIXED_BUILD_H
#define QPUCC_FRONTEND_FIXED_BUILD_H

#include "frontend/fixed/fixed.h"

typedef struct ir_inst *val;

struct fixed_builder {
    struct ir_builder b;
    struct ir_shader *shader;
    const struct qpucc_fixed *fixed;
};

/* False: no memory. */
bool fixed_begin(struct fixed_builder *f, enum qpucc_stage stage, const struct qpucc_fixed *fixed,
                 struct ir_arena *beside);
/* Ends the shader; NULL: no memory, the shader is gone. */
struct ir_shader *fixed_end(struct fixed_builder *f);

/* --- arithmetic ----------------------------------------------------------------------------------------- */

static inline val mul(struct fixed_builder *f, val x, val y) {
    return ir_op2(&f->b, IR_FMUL, x, y);
}
static inline val add(struct fixed_builder *f, val x, val y) {
    return ir_op2(&f->b, IR_FADD, x, y);
}
static inline val sub(struct fixed_builder *f, val x, val y) {
    return ir_op2(&f->b, IR_FSUB, x, y);
}
static inline val one(struct fixed_builder *f, enum ir_op op, val x) {
    return ir_op1(&f->b, op, x);
}
static inline val flt(struct fixed_builder *f, float v) {
    return ir_const_f(&f->b, v);
}
/* x y + z */
static inline val mad(struct fixed_builder *f, val x, val y, val z) {
    return add(f, mul(f, x, y), z);
}
/* (1 - t) x + t y */
val fixed_mix(struct fixed_builder *f, val x, val y, val t);
val fixed_dot(struct fixed_builder *f, const val *x, const val *y, unsigned n);
/* In place, of length 1. Returns the reciprocal of the length that it had. */
val fixed_normalize(struct fixed_builder *f, val v[3]);
/* x if it is more than nothing, else a number so small that every power of it but the 0th is 0. */
val fixed_power_base(struct fixed_builder *f, val x);

/* --- variables ------------------------------------------------------------------------------------------ */

/* The words of a uniform, by GL's name. "gl_LightSource[%u].position" and 2: that light's. Where the name has
 * no %u, `index` is an element of an array of `length`; 0: no array. `initial` holds the words of one
 * element, NULL: zeros. */
struct fixed_name {
    const char *format;
    unsigned rows, cols, length;
    const float *initial;
};
void fixed_uniform(struct fixed_builder *f, const struct fixed_name *name, unsigned index, val *out);
/* One word of element `at` (a whole number, at run time) of an array of uniforms. */
val fixed_uniform_at(struct fixed_builder *f, const struct fixed_name *name, val at, unsigned word);
/* An attribute or a varying of the fragment shader, the first `words` of each of its `length` elements. */
uint32_t fixed_input(struct fixed_builder *f, const char *name, unsigned rows, unsigned length);
val fixed_read(struct fixed_builder *f, uint32_t word);
uint32_t fixed_output(struct fixed_builder *f, const char *name, unsigned rows, unsigned length);
void fixed_write(struct fixed_builder *f, uint32_t word, val value);

/* The varying that small points fade by. */
#define FIXED_POINT_FADE "qpucc_PointFade"

#endif
