/* deadloop: removes loops that do nothing.
 *
 * requires: blocks in order, dominators, loops.
 * keeps:    SSA.
 * breaks:   the analyses, when it reports a change.
 *
 * A loop whose code has no effect, of which no value is used after it, and which ends at one place whichever
 * way it is left, is stepped over. That it ends is taken for granted, as GLSL may: a shader that does not end
 * has no result. Typical is the loop of a library function whose result a macro has switched off. */
#include "passes/decisions.h"
#include "passes/passes.h"

/* Where all ways out of the loop lead, NULL if that is not one place or there is none. first, end: the loop's
 * blocks. */
static struct ir_block *only_exit(const struct ir_shader *shader, uint32_t first, uint32_t end) {
    struct ir_block *exit = NULL;
    for (uint32_t b = first; b < end; b++)
        for (int s = 0; s < 2; s++) {
            struct ir_block *to = shader->blocks[b]->succ[s];
            if (!to || (to->id >= first && to->id < end) || to == exit)
                continue;
            if (exit)
                return NULL;
            exit = to;
        }
    return exit;
}

static bool has_effect(const struct ir_shader *shader, uint32_t first, uint32_t end) {
    for (uint32_t b = first; b < end; b++)
        for (const struct ir_inst *inst = shader->blocks[b]->first; inst; inst = inst->next)
            if (ir_ops[inst->op].effect && !ir_ops[inst->op].terminator)
                return true;
    return false;
}

/* By block id of a header: whether anybody outside the loop uses what the loop makes. One sweep for all
 * loops. */
static bool *find_used(const struct ir_shader *shader) {
    bool *used = ir_alloc(shader->arena, shader->nblocks * sizeof *used);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, user) {
            for (uint32_t k = 0; k < user->nsrc; k++) {
                const struct ir_block *loop = user->src[k]->block->loop_header;
                for (; loop && !ir_in_loop(block, loop); loop = loop->loop_parent)
                    used[loop->id] = true;
            }
        }
    }
    return used;
}

/* Whether the exit's phis get the same value whichever way the loop is left. */
static bool exit_agrees(const struct ir_block *exit, uint32_t first, uint32_t end) {
    for (const struct ir_inst *phi = exit->first; phi && phi->op == IR_PHI; phi = phi->next) {
        const struct ir_inst *value = NULL;
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            if (phi->phi_block[k]->id < first || phi->phi_block[k]->id >= end)
                continue;
            if (value && phi->src[k] != value)
                return false;
            value = phi->src[k];
        }
    }
    return true;
}

/* The header goes to the exit at once; the rest of the loop can't be reached any more. Where it went there
 * before, its phi sources are there twice now: ir_cfg_update keeps one. */
static void skip_loop(struct ir_block *header, struct ir_block *exit, uint32_t first, uint32_t end) {
    for (struct ir_inst *phi = exit->first; phi && phi->op == IR_PHI; phi = phi->next) {
        for (uint32_t k = 0; k < phi->nsrc; k++)
            if (phi->phi_block[k]->id >= first && phi->phi_block[k]->id < end) {
                ir_phi_add(phi, header, phi->src[k]);
                break;
            }
    }
    struct ir_builder b = ir_builder_before(header->last);
    ir_remove(header->last);
    b.before = NULL;
    ir_jump(&b, exit);
}

static void note(const struct pass_options *options, const struct ir_block *header) {
    if (!options->decisions)
        return;
    struct decision d = decisions_of_loop(header);
    d.choice = QPUCC_CHOICE_REMOVED;
    d.why = QPUCC_WHY_UNUSED;
    decisions_take_back(options->decisions, &d);
    decisions_add(options->decisions, d);
}

bool pass_deadloop(struct ir_shader *shader, const struct pass_options *options) {
    bool changed = false;
    if (shader->nblocks == 1)
        return false;
    for (bool again = true;
         again && !ir_arena_oom(shader->arena);) { /* what only a dead loop used may be dead, too */
        const bool *used = find_used(shader);
        again = false;
        for (uint32_t first = 0, end; first < shader->nblocks && !ir_arena_oom(shader->arena); first++) {
            struct ir_block *header = shader->blocks[first];
            if (header->loop_header != header || used[first])
                continue;
            for (end = first + 1; end < shader->nblocks && ir_in_loop(shader->blocks[end], header);)
                end++;
            struct ir_block *exit = only_exit(shader, first, end);
            if (!exit || has_effect(shader, first, end) || !exit_agrees(exit, first, end))
                continue;
            note(options, header);
            skip_loop(header, exit, first, end);
            first = end - 1; /* loops inside are gone with it */
            again = true;
        }
        if (!again)
            break;
        ir_cfg_update(shader);
        ir_dominators(shader);
        ir_loops(shader);
        changed = true;
    }
    return changed;
}
