/* Texels: from the four bytes that a texture unit delivers to a shader's channels; a part of lower_stage.
 *
 * requires: the lookup's word, and the state of its unit.
 * keeps:    everything else.
 * breaks:   nothing.
 *
 * In order: the format, or luma and chroma; sRGB; the swizzle. The unit expands every format to four bytes
 * (guide section 4, table 18), so numbers of more bits arrive as bytes side by side. LUMALPHA puts its two
 * bytes into the upper half of the word. What a format lacks is constant. */
#include "passes/eval.h"
#include "passes/lower_tex.h"

enum kind { UNORM8, SNORM8, UNORM16, HALF, FLOAT, DEPTH24, RGB10_A2 };
enum { ZERO = 4, ONE }; /* among a format's components */

/* Each channel's component: a byte, a half, or one of a word's fields. */
static const struct format {
    uint8_t kind, component[4];
} formats[QPUCC_TEX_FORMAT_COUNT] = {
    [QPUCC_TEX_RGBA] = {UNORM8, {0, 1, 2, 3}},
    [QPUCC_TEX_RGBX] = {UNORM8, {0, 1, 2, ONE}},
    [QPUCC_TEX_BGRA] = {UNORM8, {2, 1, 0, 3}},
    [QPUCC_TEX_LUMINANCE] = {UNORM8, {0, 0, 0, ONE}},
    [QPUCC_TEX_ALPHA] = {UNORM8, {ZERO, ZERO, ZERO, 3}},
    [QPUCC_TEX_LUMINANCE_ALPHA] = {UNORM8, {0, 0, 0, 3}},
    [QPUCC_TEX_BGRX] = {UNORM8, {2, 1, 0, ONE}},
    [QPUCC_TEX_INTENSITY] = {UNORM8, {0, 0, 0, 0}},
    [QPUCC_TEX_RED] = {UNORM8, {0, ZERO, ZERO, ONE}},
    [QPUCC_TEX_RG] = {UNORM8, {0, 3, ZERO, ONE}},
    [QPUCC_TEX_RGBA_SNORM] = {SNORM8, {0, 1, 2, 3}},
    [QPUCC_TEX_RG_SNORM] = {SNORM8, {0, 3, ZERO, ONE}},
    [QPUCC_TEX_RED_SNORM] = {SNORM8, {0, ZERO, ZERO, ONE}},
    [QPUCC_TEX_R16] = {UNORM16, {1, ZERO, ZERO, ONE}},
    [QPUCC_TEX_RG16] = {UNORM16, {0, 1, ZERO, ONE}},
    [QPUCC_TEX_R16F] = {HALF, {1, ZERO, ZERO, ONE}},
    [QPUCC_TEX_RG16F] = {HALF, {0, 1, ZERO, ONE}},
    [QPUCC_TEX_R32F] = {FLOAT, {0, ZERO, ZERO, ONE}},
    [QPUCC_TEX_RGB10_A2] = {RGB10_A2, {0, 1, 2, 3}},
    [QPUCC_TEX_DEPTH16] = {UNORM16, {1, ZERO, ZERO, ONE}},
    [QPUCC_TEX_DEPTH24] = {DEPTH24, {0, ZERO, ZERO, ONE}},
    [QPUCC_TEX_DEPTH32F] = {FLOAT, {0, ZERO, ZERO, ONE}},
};

/* `most` becomes 1: the factor's error is less than half a unit, and the product rounds to nearest. */
static struct ir_inst *scaled(struct ir_builder *b, struct ir_inst *whole, uint32_t most) {
    struct ir_inst *scale = ir_const_f(b, (float)(1.0 / most));
    return ir_op2(b, IR_FMUL, ir_op1(b, IR_I2F, whole), scale);
}

/* Bits first..first + count - 1 of the word, 1 when all are set. */
static struct ir_inst *unsigned_field(struct ir_builder *b, struct ir_inst *word, uint32_t first,
                                      uint32_t count) {
    uint32_t most = (1u << count) - 1;
    if (first)
        word = ir_op2(b, IR_USHR, word, ir_const_i(b, first));
    if (first + count < 32)
        word = ir_op2(b, IR_IAND, word, ir_const_i(b, most));
    return scaled(b, word, most);
}

static struct ir_inst *signed_byte(struct ir_builder *b, struct ir_inst *word, uint32_t byte) {
    if (byte < 3)
        word = ir_op2(b, IR_ISHL, word, ir_const_i(b, 24 - 8 * byte));
    word = ir_op2(b, IR_IASR, word, ir_const_i(b, 24));
    struct ir_inst *least = ir_const_f(b, -1.0f);
    return ir_op2(b, IR_FMAX, scaled(b, word, 127), least);
}

static struct ir_inst *component(struct ir_builder *b, enum kind kind, struct ir_inst *word, uint32_t which) {
    if (which >= ZERO)
        return ir_const_f(b, which == ONE ? 1.0f : 0.0f);
    if (kind > SNORM8) /* eight bits are what the sampler's own precision is about */
        b->precision = IR_HIGHP;
    switch (kind) {
    case SNORM8: return signed_byte(b, word, which);
    case UNORM16: return unsigned_field(b, word, 16 * which, 16);
    case HALF: return ir_emit(b, IR_UNPACK_16F, IR_F32, 1, &word, which, 0);
    case FLOAT: return ir_op1(b, IR_IBITS, word);
    case DEPTH24: return unsigned_field(b, word, 8, 24);
    case RGB10_A2: return unsigned_field(b, word, 10 * which, which == 3 ? 2 : 10);
    default: return ir_emit(b, IR_UNPACK_8F, IR_F32, 1, &word, which, 0);
    }
}

/* sRGB to linear. The curve's upper part is a polynomial, within 2.3e-5 of it, exact at 1; every byte gives
 * the byte that the curve gives. */
static struct ir_inst *linear(struct ir_builder *b, struct ir_inst *c) {
    static const float coefficients[] = {0.05748537927865982f, -0.23584772646427155f, 0.6070383191108704f,
                                         0.5403504967689514f,  0.029955707490444183f, 0.0010178685188293457f};
    struct ir_inst *upper = ir_const_f(b, coefficients[0]);
    for (unsigned k = 1; k < sizeof coefficients / sizeof *coefficients; k++) {
        struct ir_inst *more = ir_const_f(b, coefficients[k]);
        upper = ir_op2(b, IR_FADD, ir_op2(b, IR_FMUL, upper, c), more);
    }
    struct ir_inst *lower = ir_op2(b, IR_FMUL, c, ir_const_f(b, 1.0f / 12.92f));
    struct ir_inst *low = ir_op2(b, IR_FLT, c, ir_const_f(b, 0.04045f));
    return ir_op3(b, IR_SELECT, low, lower, upper);
}

struct ir_inst *lower_texel_channel(struct ir_builder *b, const struct lower_texel *texel, uint32_t channel) {
    const struct qpucc_texture_state *t = texel->state;
    const struct format *format = &formats[t->format];
    uint8_t swizzle = channel < 4 ? t->swizzle[channel] : QPUCC_SWIZZLE_RED;
    if (swizzle >= QPUCC_SWIZZLE_ZERO)
        return ir_const_f(b, swizzle == QPUCC_SWIZZLE_ONE ? 1.0f : 0.0f);
    if (swizzle != QPUCC_SWIZZLE_SAME)
        channel = swizzle - QPUCC_SWIZZLE_RED;
    struct ir_inst *value = t->yuv ? lower_yuv_channel(b, texel, channel)
                                   : component(b, format->kind, texel->plane[0], format->component[channel]);
    return t->srgb && channel < 3 && !ir_is_const(value) ? linear(b, value) : value;
}

struct ir_inst *lower_shadow(struct ir_builder *b, const struct qpucc_texture_state *state,
                             struct ir_inst *depth, struct ir_inst *reference) {
    static const struct {
        enum ir_op op;
        bool swap;
    } compare[QPUCC_COMPARE_COUNT] = {
        [QPUCC_COMPARE_LEQUAL] = {IR_FGE, true},  [QPUCC_COMPARE_LESS] = {IR_FLT, false},
        [QPUCC_COMPARE_GEQUAL] = {IR_FGE, false}, [QPUCC_COMPARE_GREATER] = {IR_FLT, true},
        [QPUCC_COMPARE_EQUAL] = {IR_FEQ, false},  [QPUCC_COMPARE_NOTEQUAL] = {IR_FNE, false},
    };
    if (state->compare >= QPUCC_COMPARE_ALWAYS)
        return ir_const_f(b, state->compare == QPUCC_COMPARE_ALWAYS ? 1.0f : 0.0f);
    if (state->format == QPUCC_TEX_DEPTH16 || state->format == QPUCC_TEX_DEPTH24) /* GL 4.6 section 8.23.1 */
        reference = ir_op1(b, IR_FSAT, reference);
    bool swap = compare[state->compare].swap;
    struct ir_inst *holds =
        ir_op2(b, compare[state->compare].op, swap ? depth : reference, swap ? reference : depth);
    return ir_op1(b, IR_B2F, holds);
}
