/* What drops fragments before the hardware tests depth and stencil: stipples, the chroma key, the alpha test.
 *
 * requires: the colour as it is at that point of GL's order.
 * keeps:    the colour.
 * breaks:   nothing: adds to what is dropped. */
#include "passes/lower_output.h"

static void drop(struct output *o, struct ir_inst *when) {
    o->drop = o->drop ? ir_op2(&o->b, IR_BOR, o->drop, when) : when;
}

static struct ir_inst *pixel(struct ir_builder *b, enum ir_op axis) {
    return ir_emit(b, axis, IR_I32, 0, NULL, 0, 0);
}

/* Rows count from the bottom, in a framebuffer that begins with its top row too. */
static struct ir_inst *row_of(struct output *o) {
    struct ir_builder *b = &o->b;
    struct ir_inst *y = pixel(b, IR_FRAG_Y);
    if (!o->state->flip_y)
        return y;
    struct ir_inst *height = ir_op1(b, IR_F2I, lower_stage_state(b, IR_STATE_FRAME_HEIGHT));
    return ir_op2(b, IR_ISUB, out_i(b, IR_ISUB, height, 1), y);
}

static struct ir_inst *bit_is_set(struct ir_builder *b, struct ir_inst *value, uint32_t bit) {
    struct ir_inst *part = out_i(b, IR_IAND, value, bit);
    return out_i(b, IR_INE, part, 0);
}

/* The pattern's word of a row: half of the words are left after each bit. */
static struct ir_inst *pattern_word(struct output *o, struct ir_inst *row, unsigned first_bit,
                                    unsigned count) {
    struct ir_inst *word[32];
    for (unsigned i = 0; i < count; i++)
        word[i] = lower_stage_bits(&o->b, (enum ir_state)(IR_STATE_STIPPLE_0 + i));
    for (unsigned half = count / 2; half; half /= 2) {
        struct ir_inst *upper = bit_is_set(&o->b, row, half << first_bit);
        for (unsigned i = 0; i < half; i++)
            word[i] = ir_op3(&o->b, IR_SELECT, upper, word[i + half], word[i]);
    }
    return word[0];
}

static void area_stipple(struct output *o) {
    struct ir_builder *b = &o->b;
    bool small = o->state->area_stipple == QPUCC_STIPPLE_8X8;
    struct ir_inst *row = row_of(o);
    struct ir_inst *word = small ? pattern_word(o, row, 2, 2) : pattern_word(o, row, 0, 32);
    struct ir_inst *shift = ir_op1(b, IR_INOT, pixel(b, IR_FRAG_X)); /* shifts take the low five bits */
    if (small) {
        struct ir_inst *column = out_i(b, IR_IAND, shift, 7);
        struct ir_inst *byte = out_i(b, IR_ISHL, row, 3);
        byte = out_i(b, IR_IAND, byte, 24);
        shift = ir_op2(b, IR_IOR, column, byte);
    }
    struct ir_inst *set = bit_is_set(b, ir_op2(b, IR_USHR, word, shift), 1);
    drop(o, ir_op1(b, IR_BNOT, set));
}

/* The pattern repeats in the upper half, because shifts count to 32. */
static void line_stipple(struct output *o) {
    struct ir_builder *b = &o->b;
    struct ir_inst *pattern = lower_stage_bits(b, IR_STATE_LINE_STIPPLE);
    pattern = out_i(b, IR_IAND, pattern, 0xffff);
    struct ir_inst *again = out_i(b, IR_ISHL, pattern, 16);
    pattern = ir_op2(b, IR_IOR, pattern, again);
    uint8_t precision = b->precision;
    b->precision = IR_HIGHP;                            /* lines are long */
    struct ir_inst *inverse = ir_op1(b, IR_FRCP, o->w); /* screen space, where the distance is linear */
    struct ir_inst *distance = ir_op2(b, IR_FMUL, o->line_distance, inverse);
    b->precision = precision;
    struct ir_inst *scale = lower_stage_state(b, IR_STATE_LINE_STIPPLE_SCALE);
    struct ir_inst *place = ir_op1(b, IR_F2I, ir_op2(b, IR_FMUL, distance, scale));
    struct ir_inst *set = bit_is_set(b, ir_op2(b, IR_USHR, pattern, place), 1);
    drop(o, ir_op1(b, IR_BNOT, set));
}

void lower_stipple(struct output *o) {
    if (o->state->area_stipple)
        area_stipple(o);
    if (o->state->line_stipple)
        line_stipple(o);
}

/* A saturated difference is zero where a channel is on its side of a bound. */
void lower_chroma_key(struct output *o) {
    struct ir_builder *b = &o->b;
    if (!o->state->chroma_key)
        return;
    struct ir_inst *color = ir_emit(b, IR_PACK_COLOR, IR_I32, 4, o->color, 0, 0);
    struct ir_inst *low = lower_stage_bits(b, IR_STATE_CHROMA_LOW);
    struct ir_inst *high = lower_stage_bits(b, IR_STATE_CHROMA_HIGH);
    struct ir_inst *below = ir_op2(b, IR_V8SUBS, low, color);
    struct ir_inst *above = ir_op2(b, IR_V8SUBS, color, high);
    bool inside = o->state->chroma_key == QPUCC_CHROMA_DISCARD_INSIDE;
    drop(o, out_i(b, inside ? IR_IEQ : IR_INE, ir_op2(b, IR_IOR, below, above), 0));
}

/* GL 2.1 section 4.1.4: both are rounded to the steps of the target's alpha; floats stay as they are. */
static struct ir_inst *alpha_of(struct output *o, struct ir_inst *alpha) {
    if (out_is_float(o->state))
        return alpha;
    struct ir_inst *zero = ir_const_i(&o->b, 0);
    return ir_emit(&o->b, IR_PACK_8F, IR_I32, 2, (struct ir_inst *[]){zero, alpha}, 0, 0);
}

void lower_alpha_test(struct output *o) {
    struct ir_builder *b = &o->b;
    bool floats = out_is_float(o->state);
    if (o->state->alpha_func == QPUCC_ALWAYS)
        return;
    if (o->state->alpha_func == QPUCC_NEVER) {
        drop(o, ir_const_b(b, true));
        return;
    }
    struct ir_inst *alpha = alpha_of(o, o->color[3]);
    struct ir_inst *reference = alpha_of(o, lower_stage_state(b, IR_STATE_ALPHA_REFERENCE));
    enum ir_op less = floats ? IR_FLT : IR_ILT, not_less = floats ? IR_FGE : IR_IGE;
    struct ir_inst *fails;
    switch (o->state->alpha_func) {
    case QPUCC_LESS: fails = ir_op2(b, not_less, alpha, reference); break;
    case QPUCC_EQUAL: fails = ir_op2(b, floats ? IR_FNE : IR_INE, alpha, reference); break;
    case QPUCC_LEQUAL: fails = ir_op2(b, less, reference, alpha); break;
    case QPUCC_GREATER: fails = ir_op2(b, not_less, reference, alpha); break;
    case QPUCC_NOTEQUAL: fails = ir_op2(b, floats ? IR_FEQ : IR_IEQ, alpha, reference); break;
    default: fails = ir_op2(b, less, alpha, reference); break;
    }
    drop(o, fails);
}
