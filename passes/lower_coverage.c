/* Coverage: a smooth line's edge goes into alpha; alpha and the sample mask go into the ms mask.
 *
 * requires: for smooth lines the varying that counts from 0 to 1 across a line.
 * keeps:    red, green and blue.
 * breaks:   alpha. */
#include "passes/lower_output.h"

/* A pixel's share of a line: 1 inside, falling to 0 over the last pixel on each side. */
void lower_line_smooth(struct output *o) {
    struct ir_builder *b = &o->b;
    if (!o->state->line_smooth)
        return;
    struct ir_inst *off = ir_op1(b, IR_FABS, out_f(b, IR_FSUB, o->across, 0.5f));
    struct ir_inst *half = ir_const_f(b, 0.5f);
    struct ir_inst *width = lower_stage_state(b, IR_STATE_LINE_WIDTH);
    struct ir_inst *inside = ir_op2(b, IR_FMUL, ir_op2(b, IR_FSUB, half, off), width);
    struct ir_inst *share = ir_op1(b, IR_FSAT, inside);
    struct ir_inst *alpha = ir_op1(b, IR_FSAT, o->color[3]);
    o->color[3] = ir_op2(b, IR_FMUL, alpha, share);
}

/* GL leaves the choice of samples open: as many as alpha has quarters, rounded, from the first one on. */
void lower_coverage(struct output *o) {
    struct ir_builder *b = &o->b;
    struct ir_inst *samples = NULL;
    if (o->state->alpha_to_coverage) {
        struct ir_inst *quarters = out_f(b, IR_FMUL, ir_op1(b, IR_FSAT, o->color[3]), 4.0f);
        struct ir_inst *count = ir_op1(b, IR_F2I, out_f(b, IR_FADD, quarters, 0.5f));
        struct ir_inst *one = ir_const_i(b, 1);
        samples = out_i(b, IR_ISUB, ir_op2(b, IR_ISHL, one, count), 1);
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
