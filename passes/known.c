#include "passes/known.h"

const bool *known_per_draw(struct ir_shader *shader, const struct pass_options *options) {
    if (!options->no_uniform_expressions)
        return ir_facts(shader)->per_draw;
    bool *known = ir_alloc(shader->arena, shader->next_id);
    if (ir_arena_oom(shader->arena))
        return known;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            known[inst->id] = ir_is_const(inst);
        }
    }
    return known;
}
