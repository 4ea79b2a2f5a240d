/* hoist: computes loop invariants before the loop, where that pays.
 *
 * requires: blocks in order, dominators, loops, SSA; best after rotate, when the code before a loop is mostly
 *           executed only if the loop is.
 * keeps:    SSA, the CFG, every value to the bit.
 * breaks:   nothing.
 *
 * A value that lives across a loop occupies one of 68 places in all of it. So not every invariant moves:
 * constants and uniforms come from the stream at no cost, a comparison is computed where its flags are used,
 * and a single operation is worth a place only where many are free. The pass looks at roots: a root is an
 * invariant that something else in the loop uses, together with everything computed for it alone. The roots
 * that save most go first, as long as the loop's peak of live values leaves room. Outer loops come before
 * inner ones.
 *
 * Only pure operations move, so they do no harm when they are executed and the loop is not. */
#include "passes/passes.h"

#include <string.h>

/* Of 68 places: values that may want one at once before hoisting ends, as orders other than ours want more.
 */
enum { PLACES = 48 };
/* While MANY places are free, saving one operation is worth a place; while SOME are, two; then four. */
enum { MANY = 24, SOME = 12 };

struct hoist {
    struct ir_shader *shader;
    struct ir_block *head, *before; /* of the loop under work; the block that leads to it */
    uint32_t end;                   /* its blocks are those from head up to this one */
    uint32_t words;                 /* of a set of values that live in more than one block */
    uint32_t *place;                /* by id: in such a set, from 1; 0: in none */
    bool *local;                    /* by id: of the others, while they live */
    uint64_t *in, *live;            /* by block: live at the beginning; a set for work */
    bool *invariant, *taken;        /* by id */
    uint32_t *stamp, number;        /* by id: of the last visit */
    struct ir_inst **stack;         /* invariants to visit */
};

/* --- live values ---------------------------------------------------------------------------------------- */

static bool counts(const struct ir_inst *inst) {
    return !ir_is_free(inst) && inst->type != IR_VOID;
}

static bool may_move(const struct ir_inst *inst) {
    return ir_ops[inst->op].pure && inst->op != IR_PHI && inst->op != IR_INPUT && inst->type != IR_VOID;
}

/* Numbers the values that live in more than one block, or would if they left their loop; most live in one. */
static uint32_t number_values(struct hoist *h) {
    uint32_t count = 0;
    ir_for_blocks(h->shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++) {
                const struct ir_inst *x = inst->src[k];
                if (counts(x) && !h->place[x->id] &&
                    (x->block != block || inst->op == IR_PHI || (x->block->loop_depth && may_move(x))))
                    h->place[x->id] = ++count;
            }
        }
    }
    return count;
}

/* Whether the value lived until now. */
static bool set(const struct hoist *h, uint64_t *bits, const struct ir_inst *inst, bool to) {
    uint32_t k = h->place[inst->id] - 1;
    bool was = k == UINT32_MAX ? h->local[inst->id] : bits[k / 64] >> k % 64 & 1;
    if (k == UINT32_MAX)
        h->local[inst->id] = to;
    else
        bits[k / 64] = (bits[k / 64] & ~(1ull << k % 64)) | (uint64_t)to << k % 64;
    return was;
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
                    set(h, live, phi->src[k], true);
    }
}

/* From the end of a block to its beginning; the most that live at once on the way. */
static uint32_t live_in(const struct hoist *h, const struct ir_block *block, uint64_t *live) {
    uint32_t now = 0, most;
    for (uint32_t w = 0; w < h->words; w++)
        now += (uint32_t)__builtin_popcountll(live[w]);
    most = now;
    for (const struct ir_inst *inst = block->last; inst; inst = inst->prev) {
        now -= set(h, live, inst, false);
        for (uint32_t k = 0; k < inst->nsrc && inst->op != IR_PHI; k++)
            if (counts(inst->src[k]))
                now += !set(h, live, inst->src[k], true);
        most = now > most ? now : most;
    }
    return most;
}

static void find_lives(struct hoist *h, uint64_t *live, uint32_t first, uint32_t end) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = end; b-- > first;) {
            live_out(h, h->shader->blocks[b], live);
            live_in(h, h->shader->blocks[b], live);
            changed |= memcmp(live, h->in + (size_t)b * h->words, h->words * sizeof *live) != 0;
            memcpy(h->in + (size_t)b * h->words, live, h->words * sizeof *live);
        }
    }
}

static uint32_t peak_of(const struct hoist *h, uint64_t *live) {
    uint32_t peak = 0;
    for (uint32_t b = h->head->id; b < h->end; b++) {
        live_out(h, h->shader->blocks[b], live);
        uint32_t most = live_in(h, h->shader->blocks[b], live);
        peak = most > peak ? most : peak;
    }
    return peak;
}

/* --- what moves ----------------------------------------------------------------------------------------- */

static bool inside(const struct hoist *h, const struct ir_block *block) {
    return block->id >= h->head->id && block->id < h->end;
}

static void find_invariants(struct hoist *h) {
    for (uint32_t b = h->head->id; b < h->end; b++) {
        const struct ir_block *block = h->shader->blocks[b];
        ir_for_insts(block, inst) {
            h->invariant[inst->id] = may_move(inst);
            for (uint32_t k = 0; k < inst->nsrc && h->invariant[inst->id]; k++)
                h->invariant[inst->id] = !inside(h, inst->src[k]->block) || h->invariant[inst->src[k]->id];
        }
    }
}

static bool is_invariant(const struct hoist *h, const struct ir_inst *inst) {
    return inside(h, inst->block) && h->invariant[inst->id];
}

/* Puts an invariant that has not been visited on the stack of those to visit. */
static uint32_t visit(struct hoist *h, struct ir_inst *inst, uint32_t depth) {
    if (is_invariant(h, inst) && !h->taken[inst->id] && h->stamp[inst->id] != h->number) {
        h->stamp[inst->id] = h->number;
        h->stack[depth++] = inst;
    }
    return depth;
}

/* What an iteration saves by taking `root` out with all it needs, which may be a long chain. */
static uint32_t gain_of(struct hoist *h, struct ir_inst *root) {
    uint32_t gain = 0;
    h->number++;
    for (uint32_t depth = visit(h, root, 0); depth;) {
        const struct ir_inst *inst = h->stack[--depth];
        uint32_t inner = inst->block->loop_depth - h->head->loop_depth;
        gain += (uint32_t)ir_ops[inst->op].slots << (inner < 3 ? 2 * inner : 6);
        for (uint32_t k = 0; k < inst->nsrc; k++)
            depth = visit(h, inst->src[k], depth);
    }
    return gain;
}

static void take(struct hoist *h, struct ir_inst *root) {
    h->number++;
    for (uint32_t depth = visit(h, root, 0); depth;) {
        const struct ir_inst *inst = h->stack[--depth];
        h->taken[inst->id] = true;
        for (uint32_t k = 0; k < inst->nsrc; k++)
            depth = visit(h, inst->src[k], depth);
    }
}

/* The invariant that saves most if it is kept; NULL when none saves enough. */
static struct ir_inst *best_root(struct hoist *h, const bool *root, uint32_t left) {
    uint32_t best_gain = left > MANY ? 0 : left > SOME ? 1 : 3;
    struct ir_inst *best = NULL;
    for (uint32_t b = h->head->id; b < h->end; b++) {
        const struct ir_block *block = h->shader->blocks[b];
        ir_for_insts(block, inst) {
            if (!root[inst->id] || h->taken[inst->id])
                continue;
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
    for (uint32_t b = h->head->id; b < h->end; b++) {
        struct ir_block *block = h->shader->blocks[b];
        ir_for_insts(block, inst) {
            root[inst->id] = false;
        }
    }
    for (uint32_t b = h->head->id; b < h->end; b++) {
        const struct ir_block *block = h->shader->blocks[b];
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc && !is_invariant(h, inst); k++)
                if (is_invariant(h, inst->src[k]) && !ir_is_free(inst->src[k]))
                    any = root[inst->src[k]->id] = true;
        }
    }
    return any;
}

/* What lives where is found when it is first asked for: most shaders have nothing to move. */
static bool have_lives(struct hoist *h) {
    if (h->in)
        return true;
    h->words = (number_values(h) + 64) / 64;
    h->in = ir_alloc(h->shader->arena, (size_t)h->shader->nblocks * h->words * sizeof *h->in);
    h->live = ir_alloc(h->shader->arena, h->words * sizeof *h->live);
    if (ir_arena_oom(h->shader->arena))
        return false;
    find_lives(h, h->live, 0, h->shader->nblocks);
    return true;
}

static bool hoist(struct hoist *h, bool *root) {
    h->before = NULL;
    for (uint32_t p = 0; p < h->head->npred; p++) {
        struct ir_block *from = h->head->pred[p];
        if (inside(h, from))
            continue;
        if (h->before)
            return false;
        h->before = from;
    }
    find_invariants(h);
    if (!h->before || !find_roots(h, root) || !have_lives(h))
        return false;
    uint32_t peak = peak_of(h, h->live), left = peak < PLACES ? PLACES - peak : 0;
    bool changed = false;
    for (struct ir_inst *best; left && (best = best_root(h, root, left)); left--) {
        take(h, best);
        changed = true;
    }
    for (uint32_t b = h->head->id; b < h->end; b++)
        ir_for_insts(h->shader->blocks[b], inst) {
            if (h->taken[inst->id])
                ir_move_before(inst, h->before->last);
            h->taken[inst->id] = false;
        }
    if (changed) /* nothing lives elsewhere that did not before */
        find_lives(h, h->live, h->head->id, h->end);
    return changed;
}

bool pass_hoist(struct ir_shader *shader, const struct pass_options *options) {
    struct hoist h = {.shader = shader};
    uint32_t depth = 0, deepest = 0;
    bool changed = false;
    ir_for_blocks(shader, block) {
        deepest = block->loop_depth > deepest ? block->loop_depth : deepest;
    }
    if (!deepest || options->level < 1)
        return false;
    h.place = ir_alloc(shader->arena, shader->next_id * sizeof *h.place);
    h.local = ir_alloc(shader->arena, shader->next_id);
    h.invariant = ir_alloc(shader->arena, shader->next_id);
    h.taken = ir_alloc(shader->arena, shader->next_id);
    h.stamp = ir_alloc(shader->arena, shader->next_id * sizeof *h.stamp);
    h.stack = ir_alloc_uncleared(shader->arena, shader->next_id * sizeof(struct ir_inst *));
    bool *root = ir_alloc(shader->arena, shader->next_id);
    if (ir_arena_oom(shader->arena))
        return false;
    while (depth++ < deepest)
        ir_for_blocks(shader, head) {
            if (head->loop_header != head || head->loop_depth != depth)
                continue;
            h.head = head;
            h.end = head->id + 1;
            while (h.end < shader->nblocks && ir_in_loop(shader->blocks[h.end], head))
                h.end++;
            changed |= hoist(&h, root);
        }
    return changed;
}
