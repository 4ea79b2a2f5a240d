/* Where a branch may pay: its condition is the same for all batches of a draw, and no lane is away.
 *
 * requires: blocks in order.
 * keeps:    everything.
 *
 * Such a branch costs a read of the stream, its own slot and the delay slots that nothing fills, and in each
 * block behind it the reset of the uniform stream's address. One that lies between a branch that lanes part
 * at and the block where they meet again costs lane masks as well, so it is never counted as uniform. */
#include "passes/uniform_branch.h"

/* Lanes may part at the end of `head`: blocks up to where all its ways meet are not for all of them, nor is a
 * loop that some leave earlier than others. open: by block id, all 0 here and afterwards. */
static void mask(struct ir_shader *shader, const struct ir_block *head, uint32_t *open, bool *masked) {
    uint32_t edges = 0, k = head->id;
    for (const struct ir_block *at = head;;) {
        for (int s = 0; s < 2 && at->succ[s]; s++) {
            uint32_t to = at->succ[s]->id;
            if (to <= at->id) {
                for (uint32_t in = to; in <= at->id; in++)
                    masked[in] = true;
            } else {
                open[to]++;
                edges++;
            }
        }
        do
            k++;
        while (k < shader->nblocks && !open[k]);
        if (k == shader->nblocks)
            return;
        bool meets = open[k] == edges;
        edges -= open[k];
        open[k] = 0;
        if (meets)
            return;
        masked[k] = true;
        at = shader->blocks[k];
    }
}

struct uniform_branches uniform_branches_find(struct ir_shader *shader) {
    uint32_t n = shader->nblocks;
    uint32_t *open = ir_alloc(shader->arena, n * sizeof *open);
    bool *masked = ir_alloc(shader->arena, n);
    struct uniform_branches u = {
        .known = ir_facts(shader)->per_draw, .ids = shader->next_id, .uniform = ir_alloc(shader->arena, n)};
    if (ir_arena_oom(shader->arena))
        return u;
    ir_for_blocks(shader, a) {
        if (a->last->op == IR_BRANCH && !u.known[a->last->src[0]->id])
            mask(shader, a, open, masked);
    }
    ir_for_blocks(shader, b) {
        u.uniform[b->id] = b->last->op == IR_BRANCH && u.known[b->last->src[0]->id] && !masked[b->id];
    }
    return u;
}

uint32_t uniform_branches_work(const struct uniform_branches *u, const struct ir_inst *inst) {
    enum { LOOKUP = 6 };
    if (ir_is_free(inst) || inst->op == IR_PHI || (inst->id < u->ids && u->known[inst->id]))
        return 0;
    return inst->op == IR_TEX ? LOOKUP : ir_ops[inst->op].slots;
}
