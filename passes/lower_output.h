/* Inside lower_fragment: from the colour that a shader wrote to what the tile buffer gets. One file for each
 * concern, called in GL's order by lower_fragment's store and by lower_target.
 *
 * No call has two arguments that both build instructions: C evaluates arguments in any order. */
#ifndef QPUCC_PASSES_LOWER_OUTPUT_H
#define QPUCC_PASSES_LOWER_OUTPUT_H

#include "passes/lower_stage.h"

struct output {
    struct ir_builder b; /* before the end */
    const struct qpucc_state *state;
    struct ir_inst *color[4];  /* floats, as the shader wrote them */
    struct ir_inst *second[4]; /* the second colour, where blending uses it */
    struct ir_inst *drop;      /* boolean: fragments that go; NULL: none */
    /* inputs that a key asks for, or NULL */
    struct ir_inst *w;             /* Wc */
    struct ir_inst *z;             /* window Z, 24 bits */
    struct ir_inst *across;        /* 0..1 across a line */
    struct ir_inst *line_distance; /* times Wc */
    struct ir_inst *fog;           /* gl_FogFragCoord, or the factor of a vertex */
    struct ir_inst *tile[8];       /* the tile's words, sample by sample, where the key reads them */
};

/* --- building ------------------------------------------------------------------------------------------- */

static inline struct ir_inst *out_i(struct ir_builder *b, enum ir_op op, struct ir_inst *x, uint32_t y) {
    return ir_op2(b, op, x, ir_const_i(b, y));
}

static inline struct ir_inst *out_f(struct ir_builder *b, enum ir_op op, struct ir_inst *x, float y) {
    return ir_op2(b, op, x, ir_const_f(b, y));
}

/* 1 - x */
static inline struct ir_inst *out_rest(struct ir_builder *b, struct ir_inst *x) {
    struct ir_inst *one = ir_const_f(b, 1.0f);
    return ir_op2(b, IR_FSUB, one, x);
}

/* (other & mask) | (value & ~mask) */
struct ir_inst *out_merge(struct ir_builder *b, struct ir_inst *value, struct ir_inst *other, uint32_t mask);

/* Four floats as a word of the target's byte order; NULL: what alpha says in all four bytes. */
struct ir_inst *out_pack(struct output *o, struct ir_inst *const color[4]);
/* The byte of a tile word that holds a channel, and the mask of several (bit 0 red .. bit 3 alpha). */
uint32_t out_byte(const struct qpucc_state *state, unsigned channel);
uint32_t out_bytes(const struct qpucc_state *state, unsigned channels);

/* Does the target have no alpha? */
static inline bool out_opaque(const struct qpucc_state *state) {
    return state->target_opaque || state->target == QPUCC_TARGET_RGB565;
}

/* Are colours half floats, two to a word? */
static inline bool out_is_float(const struct qpucc_state *state) {
    return state->target == QPUCC_TARGET_RGBA16F;
}

/* --- concerns ------------------------------------------------------------------------------------------- */

/* lower_fog.c: how much of the fragment's own colour is left, 0..1, at a coordinate; and the mix. */
struct ir_inst *fog_factor(struct ir_builder *b, const struct qpucc_state *state, struct ir_inst *coordinate);
void lower_fog(struct output *o);

/* lower_tests.c: what drops fragments. */
void lower_stipple(struct output *o);
void lower_chroma_key(struct output *o);
void lower_alpha_test(struct output *o);

/* lower_coverage.c: a line's edge in its alpha; samples by alpha and mask, into the ms mask. */
void lower_line_smooth(struct output *o);
void lower_coverage(struct output *o);

/* lower_blend.c, in bytes: fragment and tile as packed words; `target` may be NULL where blend_reads says no.
 */
bool blend_reads(const struct qpucc_state *state);
bool blend_uses_second(const struct qpucc_state *state);
bool blend_in_floats(const struct qpucc_state *state);
struct ir_inst *lower_blend_bytes(struct output *o, struct ir_inst *target);
/* in floats: both in 0..1 unless the target has floats; `result` may be `source` */
void lower_blend_floats(struct output *o, struct ir_inst *const source[4], struct ir_inst *const target[4],
                        struct ir_inst *result[4]);
/* lower_advanced.c */
void lower_blend_advanced(struct ir_builder *b, unsigned equation, struct ir_inst *const source[4],
                          struct ir_inst *const target[4], struct ir_inst *result[4]);

/* lower_logic.c */
bool logic_reads(const struct qpucc_state *state);
struct ir_inst *lower_logic(struct ir_builder *b, unsigned op, struct ir_inst *source,
                            struct ir_inst *target);

/* lower_target.c: the tile's words, before stencil and Z; `first`: the first of them, when the shader has
 * read it. All other programs load before they write Z (assumption load_after_z). */
void lower_target_reads(struct output *o, struct ir_inst *first);
/* Everything from there to the writes. `keep`: boolean, or NULL: all lanes. */
void lower_target(struct output *o, struct ir_inst *keep);
/* A word as the tile buffer holds it, as RGBA8888 for who reads the framebuffer. */
struct ir_inst *target_as_rgba(struct ir_builder *b, const struct qpucc_state *state, struct ir_inst *word);

#endif
