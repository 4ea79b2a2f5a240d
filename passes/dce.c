/* dce: removes what nothing needs.
 *
 * requires: any IR.
 * keeps:    the CFG; every effect but stores to variables that no living load reads.
 * breaks:   nothing.
 *
 * Effects are live, and so are the sources of live instructions. A store is live only if its variable is
 * loaded. So a dead loop counter (a cycle of phis) and a dead variable are both removed. */
#include "passes/passes.h"

static bool lives_anyway(const struct ir_inst *inst, const bool *loaded) {
    return ir_op_info(inst->op)->effect && (inst->op != IR_VAR_STORE || loaded[inst->imm]);
}

/* Against the program's direction, so that one sweep is enough where no use comes later: from another
 * block, whose place in the order is not known, through a circle of phis, to the stores of a variable. */
static void mark_living(struct ir_shader *shader, bool *loaded) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = shader->nblocks; b-- > 0;) {
            for (struct ir_inst *inst = shader->blocks[b]->last; inst; inst = inst->prev) {
                if (!inst->mark && !lives_anyway(inst, loaded))
                    continue;
                inst->mark = true;
                for (uint32_t k = 0; k < inst->nsrc; k++) {
                    struct ir_inst *source = inst->src[k];
                    again |= !source->mark && (inst->op == IR_PHI || source->block != inst->block);
                    source->mark = true;
                }
                if (inst->op == IR_VAR_LOAD && !loaded[inst->imm])
                    again = loaded[inst->imm] = true;
            }
        }
    }
}

bool pass_dce(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    bool *loaded = shader->nvars ? ir_alloc(shader->arena, shader->nvars) : NULL;
    if (ir_arena_oom(shader->arena))
        return false;
    mark_living(shader, loaded);
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (!inst->mark) {
                ir_remove(inst);
                changed = true;
            }
            inst->mark = false;
        }
    }
    return changed;
}
