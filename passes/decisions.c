/* The list of what passes decided about loops and branches, for explanations. */
#include "passes/decisions.h"

#include <string.h>

static bool stays(const struct decision *d) {
    return d->choice == QPUCC_CHOICE_LOOP || d->choice == QPUCC_CHOICE_BRANCH;
}

static bool is_at(const struct decision *d, const struct decision *other) {
    return other->loop == d->loop && !memcmp(&other->loc, &d->loc, sizeof d->loc);
}

void decisions_add(struct decisions *decisions, struct decision decision) {
    if (!decisions)
        return;
    if (decisions->count == decisions->capacity) {
        uint32_t capacity = decisions->capacity ? 2 * decisions->capacity : 32;
        struct decision *list = ir_alloc(decisions->arena, capacity * sizeof *list);
        if (decisions->count)
            memcpy(list, decisions->list, decisions->count * sizeof *list);
        decisions->list = list;
        decisions->capacity = capacity;
    }
    decisions->list[decisions->count++] = decision;
}

void decisions_copy(struct decisions *to, const struct decisions *from) {
    to->count = 0;
    for (uint32_t k = 0; k < from->count; k++)
        decisions_add(to, from->list[k]);
}

void decisions_forget(struct decisions *decisions, bool loops) {
    uint32_t kept = 0;
    if (!decisions)
        return;
    for (uint32_t k = 0; k < decisions->count; k++)
        if (decisions->list[k].loop != loops || !stays(&decisions->list[k]))
            decisions->list[kept++] = decisions->list[k];
    decisions->count = kept;
}

void decisions_take_back(struct decisions *decisions, const struct decision *gone) {
    for (uint32_t k = 0; k < decisions->count; k++) {
        const struct decision *d = &decisions->list[k];
        if (stays(d) && is_at(gone, d)) {
            decisions->list[k] = decisions->list[--decisions->count];
            return;
        }
    }
}

struct ir_loc decisions_loop_place(const struct ir_block *header) {
    for (uint32_t k = 0; k < header->npred; k++)
        if (ir_in_loop(header->pred[k], header) && header->pred[k]->last->loc.line)
            return header->pred[k]->last->loc;
    return header->first->loc;
}

struct decision decisions_of_loop(const struct ir_block *header) {
    return (struct decision){.loc = decisions_loop_place(header), .hint = header->hint, .loop = true};
}

struct decision decisions_of_branch(const struct ir_block *block) {
    return (struct decision){.loc = block->last->loc, .hint = (uint8_t)block->last->aux};
}

/* Loops, or branches. */
static uint32_t count_left(const struct ir_shader *shader, bool loops) {
    uint32_t count = 0;
    ir_for_blocks(shader, block) {
        count += loops ? block->loop_header == block : block->last->op == IR_BRANCH;
    }
    return count;
}

/* Is there another one at the place of that decision, besides those that have been counted? */
static bool is_left(const struct decision *d, const struct decision *counted, uint32_t count,
                    const struct ir_shader *shader) {
    uint32_t left = 0;
    ir_for_blocks(shader, block) {
        if (d->loop ? block->loop_header != block : block->last->op != IR_BRANCH)
            continue;
        struct ir_loc at = d->loop ? decisions_loop_place(block) : block->last->loc;
        left += !memcmp(&at, &d->loc, sizeof at);
    }
    for (uint32_t k = 0; left && k < count; k++)
        left -= stays(&counted[k]) && is_at(d, &counted[k]);
    return left;
}

void decisions_finish(struct decisions *decisions, struct ir_shader *shader) {
    ir_cfg_update(shader);
    ir_dominators(shader);
    ir_loops(shader);
    decisions->nfiles = shader->nfiles;
    decisions->files = ir_alloc(decisions->arena, (shader->nfiles + 1) * sizeof *decisions->files);
    for (uint32_t k = 0; k < shader->nfiles; k++)
        decisions->files[k] = ir_strdup(decisions->arena, shader->files[k]);
    uint32_t said[2] = {0}, left[2] = {count_left(shader, false), count_left(shader, true)};
    for (uint32_t k = 0; k < decisions->count; k++)
        said[decisions->list[k].loop] += stays(&decisions->list[k]);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < decisions->count; k++) {
        struct decision d = decisions->list[k];
        /* places are the source's and may be others of the same loop: never more than are gone */
        if (stays(&d) && said[d.loop] > left[d.loop] && !is_left(&d, decisions->list, kept, shader)) {
            said[d.loop]--;
            if (d.why == QPUCC_WHY_LEAVES_LOOP) /* with that */
                continue;
            d = (struct decision){.loc = d.loc,
                                  .choice = QPUCC_CHOICE_REMOVED,
                                  .why = QPUCC_WHY_UNUSED,
                                  .hint = d.hint,
                                  .loop = d.loop,
                                  .uniform = d.uniform};
        }
        decisions->list[kept++] = d;
    }
    decisions->count = kept;
}
