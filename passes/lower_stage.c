/* lower_stage: turns GL's inputs and outputs into those of the hardware, for one state key.
 *
 * requires: SSA; OUTPUTs and DISCARDs in the block with END, where every path ends, so that the last write of
 *           a word is the last in program order.
 * keeps:    control flow.
 * breaks: INPUT, BUILTIN, TEXEL, SHADOW, OUTPUT and DISCARD are gone; shader->lowered is set, and the tables
 *           attr_*, vary_*, point_size and uses_discard are filled. A shader that does not fit is left partly
 *           rewritten and not lowered, with the reason in shader->refused.
 *
 * Some of what it emits is lower_math's to expand. FIFOs (varyings, vertex attributes) are read completely
 * and in order in the entry block, whatever path follows (docs/hardware.md, Balances). After this pass a
 * vertex shader still contains the coordinate shader: VPM_OUT positions from LOWER_STAGE_CLIP on. */
#include "passes/lower_stage.h"

struct ir_inst *lower_stage_state(struct ir_builder *b, enum ir_state state) {
    struct ir_slot slot = {.kind = IR_SLOT_STATE, .type = IR_F32, .value = state};
    return ir_uniform(b, IR_F32, ir_slot(b->shader, slot));
}

struct ir_inst *lower_stage_bits(struct ir_builder *b, enum ir_state state) {
    struct ir_slot slot = {.kind = IR_SLOT_STATE, .type = IR_I32, .value = state};
    return ir_uniform(b, IR_I32, ir_slot(b->shader, slot));
}

/* A run-time indexed input becomes a choice among the symbol's words from there on. */
static bool spread_index(struct ir_shader *shader, struct ir_inst *inst) {
    if (inst->op != IR_INPUT || !inst->nsrc)
        return false;
    const struct ir_symbol *symbol = ir_symbol_of_word(&shader->inputs, inst->imm);
    struct ir_builder b = ir_builder_before(inst);
    struct ir_inst *index = ir_value(inst->src[0]);
    struct ir_inst *value = ir_emit(&b, IR_INPUT, (enum ir_type)inst->type, 0, NULL, inst->imm, 0);
    uint32_t end = symbol ? symbol->word + ir_symbol_words(symbol) : inst->imm + 1;
    for (uint32_t word = inst->imm + 1; word < end; word++) {
        struct ir_inst *here = ir_op2(&b, IR_IEQ, index, ir_const_i(&b, word - inst->imm));
        struct ir_inst *other = ir_emit(&b, IR_INPUT, (enum ir_type)inst->type, 0, NULL, word, 0);
        value = ir_op3(&b, IR_SELECT, here, other, value);
    }
    ir_replace(inst, value);
    return true;
}

bool pass_lower_stage(struct ir_shader *shader, const struct pass_options *options) {
    if (shader->lowered || shader->refused)
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            changed |= spread_index(shader, inst);
        }
    }
    if (changed)
        ir_resolve(shader);
    lower_compatibility(shader, &options->state);
    lower_clip(shader, &options->state);
    lower_tex(shader, &options->state);
    shader->lowered =
        shader->stage == QPUCC_FRAGMENT ? lower_fragment(shader, options) : lower_vertex(shader, options);
    return true;
}
