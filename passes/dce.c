/* dce: removes what nothing needs.
 *
 * requires: any IR.
 * keeps:    the CFG; every effect but stores to variables that no living load reads.
 * breaks:   nothing.
 *
 * Life starts at effects and spreads to sources; a store lives only if its variable is loaded, so a dead loop
 * counter (a circle of phis) and a dead variable go the same way. */
#include "passes/passes.h"

struct liveness {
    struct ir_inst **work; /* living, sources not yet looked at */
    uint32_t count;
    bool *loaded; /* by variable */
};

static void revive(struct liveness *l, struct ir_inst *inst) {
    if (inst->mark)
        return;
    inst->mark = true;
    l->work[l->count++] = inst;
}

static void revive_stores(struct ir_shader *shader, struct liveness *l, uint32_t var) {
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_VAR_STORE && inst->imm == var)
                revive(l, inst);
        }
    }
}

bool pass_dce(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    struct liveness l = {
        .work = ir_alloc(shader->arena, shader->next_id * sizeof *l.work),
        .loaded = ir_alloc(shader->arena, shader->nvars + 1),
    };
    if (ir_arena_oom(shader->arena))
        return false;
    ir_for_blocks(shader, a) {
        ir_for_insts(a, inst) {
            if (ir_op_info(inst->op)->effect && inst->op != IR_VAR_STORE)
                revive(&l, inst);
        }
    }
    while (l.count) {
        struct ir_inst *inst = l.work[--l.count];
        for (uint32_t k = 0; k < inst->nsrc; k++)
            revive(&l, inst->src[k]);
        if (inst->op == IR_VAR_LOAD && !l.loaded[inst->imm]) {
            l.loaded[inst->imm] = true;
            revive_stores(shader, &l, inst->imm);
        }
    }
    bool changed = false;
    ir_for_blocks(shader, b) {
        ir_for_insts(b, inst) {
            if (!inst->mark) {
                ir_remove(inst);
                changed = true;
            }
            inst->mark = false;
        }
    }
    return changed;
}
