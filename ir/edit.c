/* Changing what is there: linking, moving, replacing. */
#include "ir/internal.h"

void ir_link(struct ir_inst *inst, struct ir_block *block, struct ir_inst *before) {
    if (!before && block->last && ir_ops[block->last->op].terminator && !ir_ops[inst->op].terminator)
        before = block->last;
    block->shader->ninsts++;
    block->shader->nops[inst->op]++;
    inst->block = block;
    inst->next = before;
    inst->prev = before ? before->prev : block->last;
    *(inst->prev ? &inst->prev->next : &block->first) = inst;
    *(before ? &before->prev : &block->last) = inst;
}

void ir_remove(struct ir_inst *inst) {
    struct ir_block *block = inst->block;
    if (!block)
        return;
    block->shader->ninsts--;
    block->shader->nops[inst->op]--;
    *(inst->prev ? &inst->prev->next : &block->first) = inst->next;
    *(inst->next ? &inst->next->prev : &block->last) = inst->prev;
    if (ir_ops[inst->op].terminator)
        block->succ[0] = block->succ[1] = NULL;
    inst->prev = inst->next = NULL;
    inst->block = NULL;
}

void ir_move_before(struct ir_inst *inst, struct ir_inst *where) {
    if (inst == where)
        return;
    ir_remove(inst);
    ir_link(inst, where->block, where);
}

void ir_move_to_end(struct ir_inst *inst, struct ir_block *block) {
    ir_remove(inst);
    ir_link(inst, block, NULL);
}

void ir_move_all_before(struct ir_block *from, struct ir_inst *last, struct ir_inst *where,
                        struct ir_block *block) {
    struct ir_inst *first = from->first, *before = where ? where->prev : block->last;
    from->first = last->next;
    *(last->next ? &last->next->prev : &from->last) = NULL;
    first->prev = before;
    last->next = where;
    *(before ? &before->next : &block->first) = first;
    *(where ? &where->prev : &block->last) = last;
    last->block = block;
}

struct ir_inst *ir_last_forward(struct ir_inst *inst) {
    struct ir_inst *end = inst;
    while (end->forward)
        end = end->forward;
    while (inst->forward && inst->forward != end) { /* shorten the chain for the next reader */
        struct ir_inst *next = inst->forward;
        inst->forward = end;
        inst = next;
    }
    return end;
}

void ir_replace(struct ir_inst *old, struct ir_inst *by) {
    by = ir_value(by);
    if (by == old) /* a value is itself already */
        return;
    ir_label(by, old->label);
    old->forward = by;
    ir_remove(old);
}

void ir_resolve(struct ir_shader *shader) {
    ir_forget_facts(shader);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            inst->block = block;
            for (uint32_t k = 0; k < inst->nsrc; k++)
                if (inst->src[k]->forward)
                    inst->src[k] = ir_last_forward(inst->src[k]);
        }
    }
}

void ir_block_remove_pred(struct ir_block *block, struct ir_block *pred) {
    for (struct ir_inst *phi = block->first; phi && phi->op == IR_PHI; phi = phi->next) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            if (phi->phi_block[k] == pred)
                continue;
            phi->phi_block[kept] = phi->phi_block[k];
            phi->src[kept++] = phi->src[k];
        }
        phi->nsrc = kept;
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < block->npred; k++)
        if (block->pred[k] != pred)
            block->pred[kept++] = block->pred[k];
    block->npred = kept;
}
