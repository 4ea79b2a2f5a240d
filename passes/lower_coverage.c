/* Coverage: multiplies alpha by a smooth line's coverage, and writes the multisample mask.
 *
 * requires: for smooth lines, the varying that goes from 0 to 1 across a line.
 * keeps:    red, green and blue.
 * breaks:   alpha. */
#include "passes/lower_output.h"

/* A line's coverage of a pixel: 1 inside, falling to 0 over the last pixel on each side. If the target clamps
 * alpha, it has to be clamped before: an alpha above 1 would give too large a product. */
void lower_line_smooth(struct output *o) {
    struct ir_builder *b = &o->b;
    if (!o->state->line_smooth)
        return;
    struct ir_inst *from_middle = ir_op1(b, IR_FABS, out_f(b, IR_FSUB, o->across, 0.5f));
    struct ir_inst *half = ir_const_f(b, 0.5f);
    struct ir_inst *width = lower_stage_state(b, IR_STATE_LINE_WIDTH);
    struct ir_inst *from_edge = ir_op2(b, IR_FMUL, ir_op2(b, IR_FSUB, half, from_middle), width);
    struct ir_inst *coverage = ir_op1(b, IR_FSAT, from_edge); /* pixels to the edge */
    struct ir_inst *alpha = out_is_float(o->state) ? o->color[3] : ir_op1(b, IR_FSAT, o->color[3]);
    o->color[3] = ir_op2(b, IR_FMUL, alpha, coverage);
}

/* GL does not say which samples a value of alpha covers. Here it is the first round(4 alpha) of the four. */
void lower_coverage(struct output *o) {
    struct ir_builder *b = &o->b;
    struct ir_inst *samples = NULL;
    if (o->state->alpha_to_coverage) {
        struct ir_inst *quarters = out_f(b, IR_FMUL, ir_op1(b, IR_FSAT, o->color[3]), 4.0f);
        struct ir_inst *count = ir_op1(b, IR_F2I, out_f(b, IR_FADD, quarters, 0.5f));
        struct ir_inst *one = ir_const_i(b, 1);
        samples = out_i(b, IR_ISUB, ir_op2(b, IR_ISHL, one, count), 1); /* the `count` lowest bits */
    }
    if (o->state->sample_mask) {
        struct ir_inst *mask = lower_stage_bits(b, IR_STATE_SAMPLE_MASK);
        samples = samples ? ir_op2(b, IR_IAND, samples, mask) : mask;
    }
    if (samples)
        ir_emit(b, IR_TLB_MASK, IR_VOID, 1, &samples, 0, 0);
    if (o->state->alpha_to_one)
        o->color[3] = ir_const_f(b, 1.0f);
}
