/* Fog (GL 2.1 section 3.10), for fragments or for vertices.
 *
 * requires: a coordinate: Wc, gl_FogFragCoord or window Z; per vertex the factor itself comes as a varying.
 * keeps:    alpha.
 * breaks:   nothing.
 *
 * What depends on the draw's values alone is written as arithmetic on them; pass uniforms takes it out of the
 * shader. */
#include "passes/lower_output.h"

#define LOG2_E 1.44269504f

struct ir_inst *fog_factor(struct ir_builder *b, const struct qpucc_state *state,
                           struct ir_inst *coordinate) {
    struct ir_inst *factor;
    if (state->fog == QPUCC_FOG_LINEAR) {
        struct ir_inst *start = lower_stage_state(b, IR_STATE_FOG_START);
        struct ir_inst *end = lower_stage_state(b, IR_STATE_FOG_END);
        struct ir_inst *scale = ir_op1(b, IR_FRCP, ir_op2(b, IR_FSUB, end, start));
        factor = ir_op2(b, IR_FMUL, ir_op2(b, IR_FSUB, end, coordinate), scale);
    } else {
        struct ir_inst *density = lower_stage_state(b, IR_STATE_FOG_DENSITY);
        bool squared = state->fog == QPUCC_FOG_EXP2;
        struct ir_inst *known = squared ? ir_op2(b, IR_FMUL, density, density) : density;
        struct ir_inst *rate = out_f(b, IR_FMUL, known, -LOG2_E);
        struct ir_inst *variable = squared ? ir_op2(b, IR_FMUL, coordinate, coordinate) : coordinate;
        factor = ir_op1(b, IR_FEXP2, ir_op2(b, IR_FMUL, variable, rate));
    }
    return ir_op1(b, IR_FSAT, factor);
}

void lower_fog(struct output *o) {
    struct ir_builder *b = &o->b;
    const struct qpucc_state *state = o->state;
    if (!state->fog)
        return;
    struct ir_inst *factor = o->fog;
    if (!state->fog_per_vertex) {
        struct ir_inst *coordinate = state->fog_source == QPUCC_FOG_COORDINATE ? o->fog : o->w;
        if (state->fog_source == QPUCC_FOG_DEPTH)
            coordinate = out_f(b, IR_FMUL, ir_op1(b, IR_I2F, o->z), 1.0f / 0xffffff);
        factor = fog_factor(b, state, coordinate);
    }
    static const enum ir_state fog_color[3] = {IR_STATE_FOG_RED, IR_STATE_FOG_GREEN, IR_STATE_FOG_BLUE};
    for (int i = 0; i < 3; i++) { /* GL clamps the colour before it fogs */
        struct ir_inst *fog = lower_stage_state(b, fog_color[i]), *own = ir_op1(b, IR_FSAT, o->color[i]);
        struct ir_inst *over = ir_op2(b, IR_FMUL, ir_op2(b, IR_FSUB, own, fog), factor);
        o->color[i] = ir_op2(b, IR_FADD, over, fog);
    }
}
