/* What pass ifconvert decided about each branch, noted for who asks (passes/decisions.h).
 *
 * Requires: a region as ifconvert keeps it. Keeps the shader. */
#include "passes/region.h"

static uint32_t sum(uint32_t a, uint32_t b) {
    return a + b < a ? UINT32_MAX : a + b;
}

uint32_t region_work(const struct region *r) {
    uint32_t work = 0;
    for (uint32_t k = 0; k < r->count; k++)
        work = sum(work, r->in[r->block[k]->id].work);
    for (const struct ir_inst *phi = r->join->first; phi && phi->op == IR_PHI; phi = phi->next)
        work = sum(work, 1);
    return work;
}

static struct decision decision_of(const struct region *r, const struct ir_block *head,
                                   enum qpucc_choice choice, enum qpucc_why why) {
    const struct ir_inst *condition = ir_value(head->last->src[0]);
    struct decision d = decisions_of_branch(head);
    d.choice = choice;
    d.why = why;
    d.uniform =
        r->uniform.uniform[head->id] || (condition->id < r->uniform.ids && r->uniform.known[condition->id]);
    return d;
}

/* Why a region becomes selections. */
static enum qpucc_why why_flat(const struct region *r, bool uniform, uint32_t work) {
    if (r->head->last->aux == IR_HINT_DONT_FLATTEN) /* any_branch_flat */
        return QPUCC_WHY_REGISTERS;
    if (!r->uniform.uniform[r->head->id])
        return uniform ? QPUCC_WHY_MASKED : QPUCC_WHY_DIVERGENT;
    return work < passes_default_options().branch_least ? QPUCC_WHY_SHORT
           : region_has_to_go(r->head)                  ? QPUCC_WHY_HINT
                                                        : QPUCC_WHY_NO_BRANCHES;
}

void region_note(struct region *r, bool stays) {
    if (!r->kept)
        return;
    struct decision d = decision_of(r, r->head, QPUCC_CHOICE_BRANCH, QPUCC_WHY_PAYS);
    d.size = region_work(r);
    for (uint32_t k = 0; k < r->count; k++)
        d.lookups += r->in[r->block[k]->id].lookups;
    if (stays && region_has_to_stay(r, r->head))
        d.why = QPUCC_WHY_HINT;
    else if (!stays)
        d.choice = QPUCC_CHOICE_SELECTIONS, d.why = (uint8_t)why_flat(r, d.uniform, d.size);
    if (d.why == QPUCC_WHY_PAYS || d.why == QPUCC_WHY_SHORT)
        d.limit = passes_default_options().branch_least;
    if (stays) {
        r->kept[r->head->id] = d;
        return;
    }
    decisions_add(r->options->decisions, d);
    for (uint32_t k = 0; k < r->count; k++) /* ways out of the middle go with it */
        if (r->block[k]->last->op == IR_BRANCH)
            decisions_add(r->options->decisions,
                          decision_of(r, r->block[k], QPUCC_CHOICE_SELECTIONS, (enum qpucc_why)d.why));
}

void region_note_none(struct region *r, const struct ir_block *head) {
    if (r->kept)
        r->kept[head->id] = decision_of(r, head, QPUCC_CHOICE_BRANCH,
                                        region_has_to_stay(r, head) ? QPUCC_WHY_HINT
                                        : r->leaves[head->id]       ? QPUCC_WHY_LEAVES_LOOP
                                                                    : r->why);
}

void region_note_absorbed(struct region *r, const struct ir_block *side) {
    if (!r->kept)
        return;
    struct decision d = decision_of(r, side, QPUCC_CHOICE_JOINED, QPUCC_WHY_SHORT);
    d.size = r->in[side->id].work;
    d.limit = r->least;
    d.lookups = r->in[side->id].lookups;
    decisions_add(r->options->decisions, d);
}

void region_note_rest(const struct region *r) {
    if (!r->kept)
        return;
    decisions_forget(r->options->decisions, false);
    ir_for_blocks(r->shader, block) {
        if (block->last && block->last->op == IR_BRANCH)
            decisions_add(r->options->decisions, r->kept[block->id]);
    }
}

void region_prepare_notes(struct region *r) {
    struct ir_shader *shader = r->shader;
    struct decision *kept = ir_alloc(shader->arena, shader->nblocks * sizeof *kept);
    r->leaves = ir_alloc(shader->arena, shader->nblocks * sizeof *r->leaves);
    ir_loops(shader);
    if (ir_arena_oom(shader->arena))
        return;
    ir_for_blocks(shader, block) {
        for (int s = 0; s < 2 && block->loop_header && block->succ[s]; s++)
            r->leaves[block->id] |= !ir_in_loop(block->succ[s], block->loop_header);
    }
    r->kept = kept;
}
