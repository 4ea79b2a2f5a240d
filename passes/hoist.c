/* hoist: what does not change in a loop is computed before it, where that pays.
 *
 * requires: blocks in order, dominators, loops, SSA; best behind rotate, when what stands before a loop is
 *           most often executed only if the loop is.
 * keeps:    SSA, the CFG, every value to the bit.
 * breaks:   nothing.
 *
 * A value that is held over a loop takes a place in all of it, and there are 68. So not every invariant
 * moves: constants and uniforms come from the stream for nothing, a comparison is made where its flags are
 * used, and a single operation is worth a place only where there are many to spare. What counts is a root, an
 * invariant that something else in the loop uses, with all that is computed for it alone. The roots that save
 * most go first, as long as the loop's peak of live values leaves room; outer loops come before inner ones.
 *
 * Only pure operations move, so it does no harm that they are executed where the loop is not. */
#include "passes/passes.h"

#include <string.h>

/* Of 68 places: values that may want one at once before hoisting ends, as orders other than ours want more.
 */
enum { PLACES = 48 };
/* With so many left one operation is worth a place, with so many two, else four. */
enum { MANY = 24, SOME = 12 };

struct hoist {
    struct ir_shader *shader;
    struct ir_block *head, *before; /* of the loop under work; the block that leads to it */
    uint32_t words;                 /* of a set of values */
    uint64_t *in;                   /* by block: live at the beginning */
    bool *invariant, *taken;        /* by id */
    uint32_t *stamp, number;        /* by id: of the last walk over it */
};

/* --- live values ---------------------------------------------------------------------------------------- */

static bool counts(const struct ir_inst *inst) {
    return !ir_is_free(inst) && inst->type != IR_VOID;
}

static void set(uint64_t *bits, uint32_t k, bool to) {
    bits[k / 64] = (bits[k / 64] & ~(1ull << k % 64)) | (uint64_t)to << k % 64;
}

static void live_out(const struct hoist *h, const struct ir_block *block, uint64_t *live) {
    memset(live, 0, h->words * sizeof *live);
    for (int s = 0; s < 2; s++) {
        const struct ir_block *to = block->succ[s];
        if (!to)
            continue;
        for (uint32_t w = 0; w < h->words; w++)
            live[w] |= h->in[(size_t)to->id * h->words + w];
        for (const struct ir_inst *phi = to->first; phi && phi->op == IR_PHI; phi = phi->next)
            for (uint32_t k = 0; k < phi->nsrc; k++)
                if (phi->phi_block[k] == block && counts(phi->src[k]))
                    set(live, phi->src[k]->id, true);
    }
}

/* From the end of a block to its beginning; the most that live at once on the way. */
static uint32_t live_in(const struct hoist *h, const struct ir_block *block, uint64_t *live) {
    uint32_t now = 0, most;
    for (uint32_t w = 0; w < h->words; w++)
        now += (uint32_t)__builtin_popcountll(live[w]);
    most = now;
    for (const struct ir_inst *inst = block->last; inst; inst = inst->prev) {
        now -= live[inst->id / 64] >> inst->id % 64 & 1;
        set(live, inst->id, false);
        for (uint32_t k = 0; k < inst->nsrc && inst->op != IR_PHI; k++) {
            const struct ir_inst *x = inst->src[k];
            if (counts(x) && !(live[x->id / 64] >> x->id % 64 & 1)) {
                set(live, x->id, true);
                now++;
            }
        }
        most = now > most ? now : most;
    }
    return most;
}

static void find_lives(struct hoist *h, uint64_t *live) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = h->shader->nblocks; b-- > 0;) {
            live_out(h, h->shader->blocks[b], live);
            live_in(h, h->shader->blocks[b], live);
            changed |= memcmp(live, h->in + (size_t)b * h->words, h->words * sizeof *live) != 0;
            memcpy(h->in + (size_t)b * h->words, live, h->words * sizeof *live);
        }
    }
}

static uint32_t peak_of(const struct hoist *h, uint64_t *live) {
    uint32_t peak = 0;
    ir_for_blocks(h->shader, block) {
        if (!ir_in_loop(block, h->head))
            continue;
        live_out(h, block, live);
        uint32_t most = live_in(h, block, live);
        peak = most > peak ? most : peak;
    }
    return peak;
}

/* --- what moves ----------------------------------------------------------------------------------------- */

static bool may_move(const struct ir_inst *inst) {
    return ir_op_info(inst->op)->pure && inst->op != IR_PHI && inst->op != IR_INPUT && inst->type != IR_VOID;
}

static void find_invariants(struct hoist *h) {
    ir_for_blocks(h->shader, block) {
        bool inside = ir_in_loop(block, h->head);
        ir_for_insts(block, inst) {
            h->invariant[inst->id] = inside && may_move(inst);
            for (uint32_t k = 0; k < inst->nsrc && h->invariant[inst->id]; k++)
                h->invariant[inst->id] =
                    !ir_in_loop(inst->src[k]->block, h->head) || h->invariant[inst->src[k]->id];
        }
    }
}

/* What a turn is spared by taking `inst` out with all it needs. */
static uint32_t gain_of(struct hoist *h, const struct ir_inst *inst) {
    if (!h->invariant[inst->id] || h->taken[inst->id] || h->stamp[inst->id] == h->number)
        return 0;
    uint32_t inner = inst->block->loop_depth - h->head->loop_depth, gain = ir_op_info(inst->op)->slots;
    h->stamp[inst->id] = h->number;
    gain <<= inner < 3 ? 2 * inner : 6;
    for (uint32_t k = 0; k < inst->nsrc; k++)
        gain += gain_of(h, inst->src[k]);
    return gain;
}

static void take(struct hoist *h, const struct ir_inst *inst) {
    if (!h->invariant[inst->id] || h->taken[inst->id])
        return;
    h->taken[inst->id] = true;
    for (uint32_t k = 0; k < inst->nsrc; k++)
        take(h, inst->src[k]);
}

/* The invariant that saves most if it is kept; NULL when none saves enough. */
static struct ir_inst *best_root(struct hoist *h, const bool *root, uint32_t left) {
    uint32_t best_gain = left > MANY ? 0 : left > SOME ? 1 : 3;
    struct ir_inst *best = NULL;
    ir_for_blocks(h->shader, block) {
        ir_for_insts(block, inst) {
            if (!root[inst->id] || h->taken[inst->id])
                continue;
            h->number++;
            uint32_t gain = gain_of(h, inst);
            gain -= gain && inst->type == IR_BOOL; /* as a word it has to be tested all the same */
            if (gain > best_gain) {
                best_gain = gain;
                best = inst;
            }
        }
    }
    return best;
}

/* Marks invariants that others in the loop use; false if there are none. */
static bool find_roots(struct hoist *h, bool *root) {
    bool any = false;
    memset(root, 0, h->shader->next_id);
    ir_for_blocks(h->shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc && !h->invariant[inst->id]; k++)
                if (h->invariant[inst->src[k]->id] && !ir_is_free(inst->src[k]))
                    any = root[inst->src[k]->id] = true;
        }
    }
    return any;
}

static bool hoist(struct hoist *h, bool *root, uint64_t *live) {
    h->before = NULL;
    for (uint32_t p = 0; p < h->head->npred; p++) {
        struct ir_block *from = h->head->pred[p];
        if (ir_in_loop(from, h->head))
            continue;
        if (h->before)
            return false;
        h->before = from;
    }
    find_invariants(h);
    if (!h->before || !find_roots(h, root))
        return false;
    find_lives(h, live);
    uint32_t peak = peak_of(h, live), left = peak < PLACES ? PLACES - peak : 0;
    bool changed = false;
    for (struct ir_inst *best; left && (best = best_root(h, root, left)); left--) {
        take(h, best);
        changed = true;
    }
    ir_for_blocks(h->shader, block) {
        ir_for_insts(block, inst) {
            if (h->taken[inst->id] && ir_in_loop(block, h->head))
                ir_move_before(inst, h->before->last);
        }
    }
    return changed;
}

bool pass_hoist(struct ir_shader *shader, const struct pass_options *options) {
    struct hoist h = {.shader = shader, .words = (shader->next_id + 63) / 64};
    uint32_t depth = 0, deepest = 0;
    bool changed = false;
    ir_for_blocks(shader, block) {
        deepest = block->loop_depth > deepest ? block->loop_depth : deepest;
    }
    if (!deepest || options->level < 1)
        return false;
    h.in = ir_alloc(shader->arena, (size_t)shader->nblocks * h.words * sizeof *h.in);
    h.invariant = ir_alloc(shader->arena, shader->next_id);
    h.taken = ir_alloc(shader->arena, shader->next_id);
    h.stamp = ir_alloc(shader->arena, shader->next_id * sizeof *h.stamp);
    bool *root = ir_alloc(shader->arena, shader->next_id);
    uint64_t *live = ir_alloc(shader->arena, h.words * sizeof *live);
    if (ir_arena_oom(shader->arena))
        return false;
    while (depth++ < deepest)
        ir_for_blocks(shader, head) {
            if (head->loop_header != head || head->loop_depth != depth)
                continue;
            h.head = head;
            changed |= hoist(&h, root, live);
        }
    return changed;
}
