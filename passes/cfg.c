/* cfg: straightens the control flow.
 *
 * requires: blocks in order (ir_cfg_update, which has removed unreachable ones).
 * keeps:    SSA.
 * breaks:   the analyses, when it reports a change.
 *
 * A branch on a constant becomes a jump. A branch on a negation becomes a branch with its targets swapped. A
 * block that only jumps is skipped. A block merges with its only predecessor if that has no other successor.
 * A phi whose sources are one value, or that value and the phi itself, becomes that value. */
#include "passes/cfg_edit.h"
#include "passes/decisions.h"
#include "passes/passes.h"

#include <string.h>

/* Takes one way of a branch away; the block there must forget us. */
static void make_jump(struct ir_block *block, struct ir_block *to) {
    struct ir_block *away = block->succ[0] == to ? block->succ[1] : block->succ[0];
    struct ir_builder b = ir_builder_before(block->last);
    ir_remove(block->last);
    b.before = NULL;
    ir_jump(&b, to);
    if (away && away != to)
        ir_block_remove_pred(away, block);
}

static bool is_loop_head(const struct ir_block *block) {
    for (uint32_t p = 0; p < block->npred; p++)
        if (block->pred[p]->id >= block->id)
            return true;
    return false;
}

/* `while (true)`: the test belongs to the loop. */
static bool tests_loop(const struct ir_block *block) {
    return is_loop_head(block) ||
           (block->npred == 1 && block->pred[0]->last->op == IR_JUMP && is_loop_head(block->pred[0]));
}

static void note(struct decisions *decisions, const struct ir_block *block) {
    if (!decisions || tests_loop(block))
        return;
    struct decision d = decisions_of_branch(block);
    d.choice = QPUCC_CHOICE_FOLDED;
    d.why = QPUCC_WHY_CONSTANT;
    d.uniform = true;
    decisions_take_back(decisions, &d);
    decisions_add(decisions, d);
}

static bool fold_branch(struct ir_block *block, struct decisions *decisions) {
    struct ir_inst *branch = block->last;
    if (branch->op != IR_BRANCH)
        return false;
    if (ir_is_const(branch->src[0])) {
        note(decisions, block);
        make_jump(block, block->succ[branch->src[0]->imm ? 0 : 1]);
        return true;
    }
    if (branch->src[0]->op == IR_BNOT) {
        struct ir_block *then = block->succ[0];
        branch->src[0] = branch->src[0]->src[0];
        block->succ[0] = block->succ[1];
        block->succ[1] = then;
        return true;
    }
    return false;
}

struct ir_inst *cfg_phi_source(const struct ir_inst *phi, const struct ir_block *pred) {
    for (uint32_t k = phi->nsrc; k-- > 0;) /* the last are asked for most */
        if (phi->phi_block[k] == pred)
            return phi->src[k];
    return NULL;
}

/* Whether `from` may go to `to` directly instead of through the empty block `over`. */
static bool can_step(const struct ir_block *from, const struct ir_block *over, const struct ir_block *to) {
    for (const struct ir_inst *phi = to->first; phi && phi->op == IR_PHI; phi = phi->next) {
        const struct ir_inst *direct = cfg_phi_source(phi, from);
        if (direct && direct != cfg_phi_source(phi, over))
            return false;
    }
    return true;
}

/* Where one has just been removed, so one has room: thousands of blocks may lead to the same, one by one. */
static void add_preds(struct ir_shader *shader, struct ir_block *to, struct ir_block *const *pred,
                      uint32_t count) {
    if (count > 1) {
        struct ir_block **larger = ir_alloc_uncleared(shader->arena, (to->npred + count) * sizeof *larger);
        memcpy(larger, to->pred, to->npred * sizeof *larger);
        to->pred = larger;
    }
    memcpy(to->pred + to->npred, pred, count * sizeof *pred);
    to->npred += count;
}

/* Takes the empty block `over` out of all ways through it; predecessors stay true. */
static bool step_over(struct ir_shader *shader, struct ir_block *over) {
    if (over->npred == 0 || over->first->op != IR_JUMP || over->succ[0] == over)
        return false; /* the entry, or stepped over before */
    struct ir_block *to = over->succ[0];
    if (to->id <= over->id && over->npred > 1) /* one way back to a loop's head is worth a block */
        return false;
    for (uint32_t p = 0; p < over->npred; p++)
        if (!can_step(over->pred[p], over, to))
            return false;
    uint32_t added = 0;
    for (uint32_t p = 0; p < over->npred; p++) { /* the loop has another head now */
        if (over->pred[p]->id >= over->id && !to->hint)
            to->hint = over->hint;
    }
    for (uint32_t p = 0; p < over->npred; p++) {
        struct ir_block *from = over->pred[p];
        bool direct = from->succ[0] == to || from->succ[1] == to;
        for (int s = 0; s < 2; s++)
            if (from->succ[s] == over)
                from->succ[s] = to;
        if (direct) /* the phis agree; ir_cfg_update makes the branch a jump */
            continue;
        over->pred[added++] = from;
        for (struct ir_inst *phi = to->first; phi && phi->op == IR_PHI; phi = phi->next)
            ir_phi_add(phi, from, cfg_phi_source(phi, over));
    }
    ir_block_remove_pred(to, over);
    add_preds(shader, to, over->pred, added);
    over->npred = 0;
    return true;
}

/* In a list that names each block once. */
static void rename_block(struct ir_block **list, uint32_t count, const struct ir_block *old,
                         struct ir_block *by) {
    while (count && list[count - 1] != old)
        count--;
    if (count)
        list[count - 1] = by;
}

bool cfg_merge_next(struct ir_block *block) {
    struct ir_block *next = block->last->op == IR_JUMP ? block->succ[0] : NULL;
    if (!next || next == block || next->npred != 1)
        return false;
    ir_for_insts(next, phi) {
        if (phi->op != IR_PHI)
            break;
        ir_replace(phi, phi->src[0]);
    }
    ir_remove(block->last);
    for (int s = 0; s < 2; s++) {
        struct ir_block *after = next->succ[s];
        for (struct ir_inst *phi = after ? after->first : NULL; phi && phi->op == IR_PHI; phi = phi->next)
            rename_block(phi->phi_block, phi->nsrc, next, block);
        if (after)
            rename_block(after->pred, after->npred, next, block);
    }
    struct ir_block *succ[2] = {next->succ[0], next->succ[1]};
    ir_move_all_before(next, next->last, NULL, block);
    next->succ[0] = next->succ[1] = NULL;
    block->succ[0] = succ[0];
    block->succ[1] = succ[1];
    next->npred = 0;
    return true;
}

static bool drop_phi(struct ir_inst *phi) {
    struct ir_inst *only = NULL;
    for (uint32_t k = 0; k < phi->nsrc; k++) {
        struct ir_inst *source = ir_value(phi->src[k]);
        if (source == phi || source == only)
            continue;
        if (only)
            return false;
        only = source;
    }
    if (!only) /* a cycle of its own, in a loop that nothing enters */
        return false;
    ir_replace(phi, only);
    return true;
}

bool pass_cfg(struct ir_shader *shader, const struct pass_options *options) {
    bool changed = false;
    ir_for_blocks(shader, a) {
        changed |= fold_branch(a, options->decisions);
    }
    if (changed)
        ir_cfg_update(shader);
    bool stepped = false;
    ir_for_blocks(shader, b) {
        if (ir_arena_oom(shader->arena))
            break;
        stepped |= step_over(shader, b);
    }
    if (stepped)
        ir_cfg_update(shader);
    changed |= stepped;
    bool merged = false;
    ir_for_blocks(shader, c) {
        ir_for_insts(c, phi) {
            if (phi->op != IR_PHI)
                break;
            merged |= drop_phi(phi);
        }
    }
    for (uint32_t k = 0; k < shader->nblocks; k++)
        while (shader->blocks[k]->last && cfg_merge_next(shader->blocks[k]))
            merged = true;
    if (merged) {
        ir_resolve(shader);
        ir_cfg_update(shader);
    }
    return changed || merged;
}
