/* dce: removes what nothing needs.
 *
 * requires: any IR.
 * keeps:    the CFG; every effect but stores to variables that no living load reads.
 * breaks:   nothing.
 *
 * Effects are live, and so are the sources of live instructions. A store is live only if its variable is
 * loaded. So a dead loop counter (a cycle of phis) and a dead variable are both removed. Sweeps go against
 * the program's direction: in one block all that needs a value is met before it, and the first sweep, which
 * marks, can remove as well. */
#include "passes/passes.h"

static bool lives_anyway(const struct ir_inst *inst, const bool *loaded) {
    return ir_ops[inst->op].effect && (inst->op != IR_VAR_STORE || loaded[inst->imm]);
}

/* What an instruction keeps alive. Its sources come before it where they lie in its block. True: some of them
 * were not known to live, and may have been visited already. */
static bool mark_sources(const struct ir_inst *inst, bool *loaded) {
    bool behind = false;
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        struct ir_inst *source = inst->src[k];
        behind |= !source->mark && (inst->op == IR_PHI || source->block != inst->block);
        source->mark = true;
    }
    if (inst->op == IR_VAR_LOAD && !loaded[inst->imm])
        behind = loaded[inst->imm] = true;
    return behind;
}

/* One sweep is enough where no use comes later: from another block, whose place in the order is not known,
 * through a circle of phis, to the stores of a variable. */
static void mark_living(struct ir_shader *shader, bool *loaded) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = shader->nblocks; b-- > 0;) {
            for (struct ir_inst *inst = shader->blocks[b]->last; inst; inst = inst->prev) {
                if (!inst->mark && !lives_anyway(inst, loaded))
                    continue;
                inst->mark = true;
                again |= mark_sources(inst, loaded);
            }
        }
    }
}

bool pass_dce(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    bool *loaded = shader->nvars ? ir_alloc(shader->arena, shader->nvars) : NULL;
    bool flat = shader->nblocks == 1, changed = false;
    if (ir_arena_oom(shader->arena))
        return false;
    if (!flat)
        mark_living(shader, loaded);
    for (uint32_t b = shader->nblocks; b-- > 0;) {
        for (struct ir_inst *inst = shader->blocks[b]->last, *before; inst; inst = before) {
            before = inst->prev;
            bool lives = inst->mark || (flat && lives_anyway(inst, loaded));
            inst->mark = false;
            if (flat && lives)
                mark_sources(inst, loaded);
            if (!lives) {
                ir_remove(inst);
                changed = true;
            }
        }
    }
    return changed;
}
