#include "passes/known.h"

bool *known_per_draw(struct ir_shader *shader, const struct pass_options *options) {
    bool *known = ir_alloc(shader->arena, shader->next_id);
    if (ir_arena_oom(shader->arena))
        return known;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            bool all = inst->op == IR_CONST || inst->op == IR_UNIFORM || ir_op_info(inst->op)->folds;
            for (uint32_t k = 0; all && k < inst->nsrc; k++)
                all = known[inst->src[k]->id];
            known[inst->id] = options->no_uniform_expressions ? inst->op == IR_CONST : all;
        }
    }
    return known;
}
