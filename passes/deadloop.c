/* deadloop: removes loops that do nothing.
 *
 * requires: blocks in order, dominators, loops.
 * keeps:    SSA.
 * breaks:   the analyses, when it reports a change.
 *
 * A loop is skipped if its code has no effect, none of its values is used after it, and all its exits lead to
 * one place. The pass assumes that the loop ends, as GLSL allows: a shader that does not end has no result. A
 * typical case is the loop of a library function whose result a macro has switched off. */
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
            if (ir_op_info(inst->op)->effect && !ir_op_info(inst->op)->terminator)
                return true;
    return false;
}

/* Marks what the loop makes. */
static void mark_values(const struct ir_shader *shader, uint32_t first, uint32_t end, bool mark) {
    for (uint32_t b = first; b < end; b++)
        for (struct ir_inst *inst = shader->blocks[b]->first; inst; inst = inst->next)
            inst->mark = mark;
}

static bool used_outside(const struct ir_shader *shader, uint32_t first, uint32_t end) {
    for (uint32_t b = 0; b < shader->nblocks; b++) {
        if (b >= first && b < end)
            continue;
        for (const struct ir_inst *inst = shader->blocks[b]->first; inst; inst = inst->next)
            for (uint32_t k = 0; k < inst->nsrc; k++)
                if (inst->src[k]->mark)
                    return true;
    }
    return false;
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

bool pass_deadloop(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    bool changed = false;
    for (uint32_t first = 0; first < shader->nblocks; first++) {
        struct ir_block *header = shader->blocks[first];
        if (header->loop_header != header)
            continue;
        uint32_t end = first + 1;
        while (end < shader->nblocks && ir_in_loop(shader->blocks[end], header))
            end++;
        struct ir_block *exit = only_exit(shader, first, end);
        if (!exit || has_effect(shader, first, end) || !exit_agrees(exit, first, end))
            continue;
        mark_values(shader, first, end, true);
        bool used = used_outside(shader, first, end);
        mark_values(shader, first, end, false);
        if (used)
            continue;
        skip_loop(header, exit, first, end);
        ir_cfg_update(shader); /* what was the loop is gone, inner loops with it */
        ir_dominators(shader);
        ir_loops(shader);
        changed = true;
        first = 0;
    }
    return changed;
}
