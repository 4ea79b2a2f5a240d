/* Divergence and masks: the paths of the one program counter, and the lanes that are active on them.
 *
 * Requires: verified IR in loop-contiguous reverse post-order. Keeps: what the shader computes. Breaks: block
 * numbers (critical edges are split).
 *
 * Blocks are laid out in their order and the machine executes them in that order. Where a condition is the
 * same in all lanes, and all lanes are there to take it, a branch is a branch. Elsewhere every lane has a
 * word, the mask: 0 when it is active, or the number of the block it waits for. An active lane that has to go
 * elsewhere writes where, and becomes active again when the program counter comes to that block. At the end
 * of a loop the machine goes back while any lane waits for the loop's head. This needs no structure but
 * contiguous loops, so break, continue and early return cost nothing special.
 *
 * Which registers hold what crosses blocks is decided next, in regalloc/cross_block.c. */
#include "mir/flow.h"
#include "mir/objective.h"

#include <assert.h>
#include <string.h>

/* --- critical edges ------------------------------------------------------------------------------------- */

/* Where something is read. */
struct read {
    const struct ir_block *at, *by; /* `by` has the reader; a phi reads at the end of the edge */
    const struct read *next;        /* of the same value */
};

struct readers {
    const struct read **of;          /* IR id of each phi of a loop's head -> where it is read */
    uint32_t *seen, search;          /* block -> the last search that found it */
    const struct ir_block **pending; /* found, and not gone on from yet */
    uint32_t count;
};

static struct readers find_readers(const struct ir_shader *shader, struct ir_arena *arena) {
    struct readers readers = {.of = ir_alloc(arena, (shader->next_id + 1) * sizeof *readers.of),
                              .seen = ir_alloc(arena, (shader->nblocks + 1) * sizeof *readers.seen),
                              .pending = ir_alloc(arena, (shader->nblocks + 1) * sizeof *readers.pending)};
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            for (uint32_t k = 0; k < i->nsrc; k++) {
                /* no copy: reads what the phi's register holds */
                const struct ir_inst *x = ir_through_bits(i->src[k]);
                if (x->op != IR_PHI || x->block->loop_header != x->block)
                    continue;
                struct read *r = ir_alloc(arena, sizeof *r);
                *r = (struct read){i->op == IR_PHI ? i->phi_block[k] : b, b, readers.of[x->id]};
                readers.of[x->id] = r;
            }
        }
    }
    return readers;
}

static void find(struct readers *r, const struct ir_block *b, const struct ir_block *without) {
    if (!b || b == without || r->seen[b->id] == r->search)
        return;
    r->seen[b->id] = r->search;
    r->pending[r->count++] = b;
}

/* There may be more blocks behind each other than calls have stack. */
static void mark_reachable(struct readers *r, const struct ir_block *from, const struct ir_block *without) {
    find(r, from, without);
    while (r->count) {
        const struct ir_block *b = r->pending[--r->count];
        find(r, b->succ[0], without), find(r, b->succ[1], without);
    }
}

/* Some phi of a loop's head is read on the other path out of the block that goes back to it. */
static bool read_on_other_path(struct readers *readers, const struct ir_block *head,
                               const struct ir_block *from, const struct ir_block *other) {
    const bool leaves = !ir_in_loop(other, head); /* and comes back through the head alone */
    readers->search++;
    for (const struct ir_inst *phi = head->first; phi && phi->op == IR_PHI; phi = phi->next)
        for (const struct read *r = readers->of[phi->id]; r; r = r->next) {
            if (r->at == from && r->by == other)
                return true;
            if (leaves && ir_in_loop(r->at, head))
                continue;
            mark_reachable(readers, other, head);
            if (readers->seen[r->at->id] == readers->search)
                return true;
        }
    return false;
}

/* Loops that test at their end (pass rotate) have critical edges where a block between would cost a branch in
 * every iteration: from the test back, and from the test before the loop into it and past it. What the phis
 * there get is written before the branch then, which harms nobody: on the other path nothing reads them, or
 * phis there get the same. An inner loop goes back to the outer one's head through a block of its own: that
 * ends the outer loop, as the inner one has an end of its own. */
static bool may_stay_critical(struct readers *readers, const struct ir_block *b, int k) {
    const struct ir_block *to = b->succ[k], *other = b->succ[!k];
    if (to->loop_header == to && ir_in_loop(b, to))
        return b->loop_header == to && other != to && !read_on_other_path(readers, to, b, other);
    if (to->loop_header == to && !ir_in_loop(other, to))
        return true;
    if (other->loop_header != other || ir_in_loop(b, other) || ir_in_loop(to, other) || ir_in_loop(b, to))
        return false;
    for (uint32_t p = 0; p < to->npred; p++)
        if (ir_in_loop(to->pred[p], other))
            return true;
    return false;
}

static void split_critical_edges(struct ir_shader *shader, struct ir_arena *arena, bool tight) {
    bool changed = false;
    uint32_t n = shader->nblocks;
    uint8_t *split = ir_alloc(arena, n + 1);
    struct readers readers = {0};
    if (!tight)
        readers = find_readers(shader, arena);
    if (ir_arena_oom(arena)) /* its lists may have come round */
        return;
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < 2 && shader->blocks[i]->succ[1]; k++)
            if (shader->blocks[i]->succ[k]->npred > 1 &&
                (tight || !may_stay_critical(&readers, shader->blocks[i], k)))
                split[i] |= (uint8_t)(1 << k);
    for (uint32_t i = 0; i < n; i++) {
        struct ir_block *b = shader->blocks[i];
        for (int k = 0; k < 2; k++) {
            struct ir_block *to = b->succ[k];
            if (!(split[i] >> k & 1))
                continue;
            struct ir_block *mid = ir_block_create(shader);
            b = shader->blocks[i];
            struct ir_builder at = ir_builder_at_end(mid);
            at.loc = b->last->loc;
            ir_jump(&at, to);
            b->succ[k] = mid;
            ir_for_insts(to, phi) {
                if (phi->op != IR_PHI)
                    break;
                bool done = false;
                for (uint32_t s = 0; s < phi->nsrc && !done; s++)
                    if (phi->phi_block[s] == b) {
                        phi->phi_block[s] = mid;
                        done = true;
                    }
            }
            changed = true;
        }
    }
    if (changed)
        ir_cfg_update(shader);
}

/* --- post-dominators and divergence --------------------------------------------------------------------- */

/* The flow backwards from where the program ends: blocks in post-order, which puts a block before all that
 * every path from it leads through. */
struct backwards {
    uint32_t *block, count; /* those from which the program can end */
    uint32_t *place;        /* block -> its place among them, 1 and up, or 0 */
};

static struct backwards go_backwards(const struct ir_shader *shader, struct ir_arena *arena) {
    size_t size = (shader->nblocks + 1) * sizeof(uint32_t);
    struct backwards order = {.block = ir_alloc(arena, size), .place = ir_alloc(arena, size)};
    uint32_t *path = ir_alloc(arena, size), *next = ir_alloc(arena, size), depth = 0;
    bool *seen = ir_alloc(arena, shader->nblocks + 1);
    for (uint32_t end = shader->nblocks; end-- > 0;) {
        if (shader->blocks[end]->succ[0])
            continue;
        seen[end] = true;
        path[depth++] = end;
        while (depth) {
            uint32_t at = path[depth - 1];
            if (next[at] == shader->blocks[at]->npred) {
                order.block[order.count++] = at;
                order.place[at] = order.count;
                depth--;
                continue;
            }
            uint32_t from = shader->blocks[at]->pred[next[at]++]->id;
            if (!seen[from])
                path[depth++] = from;
            seen[from] = true;
        }
    }
    return order;
}

/* As for dominators (ir/cfg.c), over the flow backwards; the root is what comes after every end. */
void flow_post_dominators(const struct ir_shader *shader, struct ir_arena *arena, uint32_t *ipdom) {
    struct backwards order = go_backwards(shader, arena);
    uint32_t *up = ir_alloc(arena, (order.count + 2) * sizeof *up),
             root = order.count + 1; /* place -> place */
    bool goes_on = true;
    for (bool changed = true; changed && goes_on;) {
        uint64_t steps = order.count;
        changed = false;
        for (uint32_t k = order.count; k > 0; k--) {
            const struct ir_block *b = shader->blocks[order.block[k - 1]];
            uint32_t to = b->succ[0] ? 0 : root;
            for (int e = 0; e < 2 && b->succ[e]; e++) {
                uint32_t x = order.place[b->succ[e]->id], y = to;
                if (!x || !up[x])
                    continue; /* never ends, or not reached yet */
                for (; y && x != y; steps++)
                    *(x < y ? &x : &y) = up[x < y ? x : y];
                to = x;
            }
            changed |= up[k] != to;
            up[k] = to;
        }
        goes_on = ir_work(arena, steps / 4);
    }
    for (uint32_t i = 0; i < shader->nblocks; i++) {
        uint32_t to = order.place[i] ? up[order.place[i]] : root;
        ipdom[i] = to && to != root ? order.block[to - 1] : UINT32_MAX;
    }
}

/* Blocks that a search has found and not looked at yet, each once. */
struct pending {
    uint8_t *seen; /* by block */
    uint32_t *block, count, blocks;
};

static struct pending pending_begin(struct flow *f) {
    uint32_t n = f->shader->nblocks;
    return (struct pending){ir_alloc(f->arena, n + 1), ir_alloc(f->arena, (n + 1) * sizeof(uint32_t)), 0, n};
}

/* Each search looks at all blocks in the worst case. False: too much work. */
static bool pending_restart(struct flow *f, struct pending *p) {
    bool goes_on = ir_work(f->arena, p->blocks / 64 + f->visits / 4);
    f->visits = 0;
    p->count = 0;
    memset(p->seen, 0, p->blocks);
    return goes_on;
}

static void pending_add(struct flow *f, struct pending *p, uint32_t block, uint32_t stop) {
    if (block == stop || p->seen[block])
        return;
    p->seen[block] = 1;
    p->block[p->count++] = block;
    f->visits++;
}

/* Up to `stop`, from what is pending. Returns the block after the last of them in layout. */
static uint32_t mark_region(struct flow *f, struct pending *p, uint32_t stop, bool *changed) {
    uint32_t end = 0;
    while (p->count) {
        const struct ir_block *b = f->shader->blocks[p->block[--p->count]];
        end = b->id >= end ? b->id + 1 : end;
        if (!f->block[b->id].masked)
            f->block[b->id].masked = *changed = true;
        for (int k = 0; k < 2; k++)
            if (b->succ[k])
                pending_add(f, p, b->succ[k]->id, stop);
    }
    return end;
}

static void divergence(struct flow *f) {
    struct ir_shader *shader = f->shader;
    uint32_t n = shader->nblocks;
    uint32_t *ipdom = ir_alloc(f->arena, (n + 1) * sizeof *ipdom);
    bool *joined = ir_alloc(f->arena, n + 1); /* phis here depend on a divergent branch */
    struct pending pending = pending_begin(f);
    flow_post_dominators(shader, f->arena, ipdom);
    for (bool changed = true; changed;) {
        changed = false;
        ir_for_blocks(shader, b) {
            ir_for_insts(b, i) {
                bool v = f->varying[i->id] || ir_op_info(i->op)->diverges ||
                         (i->op == IR_PHI && (joined[b->id] || f->block[b->id].masked));
                for (uint32_t k = 0; k < i->nsrc; k++)
                    v |= f->varying[i->src[k]->id];
                if (v && !f->varying[i->id])
                    f->varying[i->id] = changed = true;
            }
            if (b->succ[1] && f->varying[b->last->id]) {
                uint32_t stop = ipdom[b->id];
                if (!pending_restart(f, &pending))
                    return;
                pending_add(f, &pending, b->succ[0]->id, stop);
                pending_add(f, &pending, b->succ[1]->id, stop);
                uint32_t end = mark_region(f, &pending, stop, &changed);
                /* waiting lanes are taken through all of that in layout, also through blocks that only a
                 * branch of all lanes reaches */
                for (uint32_t i = b->id + 1; i < end; i++)
                    if (!f->block[i].masked)
                        f->block[i].masked = changed = true;
                if (stop != UINT32_MAX && !joined[stop])
                    joined[stop] = changed = true;
            }
        }
        /* the program counter goes on from masked code to the next block in layout, and lanes that are on
         * their way to a later one stay out until then */
        uint32_t until = 0;
        ir_for_blocks(shader, b) {
            if (b->id < until && !f->block[b->id].masked)
                f->block[b->id].masked = changed = true;
            for (int k = 0; k < 2 && f->block[b->id].masked; k++)
                if (b->succ[k] && b->succ[k]->id > until)
                    until = b->succ[k]->id;
        }
        /* what leaves a loop in different iterations differs between lanes */
        ir_for_blocks(shader, b) {
            ir_for_insts(b, i) {
                for (uint32_t k = 0; k < i->nsrc; k++) {
                    const struct ir_block *made_in = i->src[k]->block;
                    if (made_in->loop_header && f->block[made_in->loop_header->id].masked &&
                        !f->varying[i->id] && !flow_rematerialises(i->src[k]) &&
                        (int32_t)b->id > f->block[made_in->loop_header->id].loop_end)
                        f->varying[i->id] = changed = true;
                }
            }
        }
    }
}

/* --- paths of the program counter ----------------------------------------------------------------------- */

const struct ir_block *flow_first_edge(const struct ir_block *to) {
    const struct ir_block *first = to->pred[0];
    for (uint32_t k = 1; k < to->npred; k++)
        if (to->pred[k]->id < first->id)
            first = to->pred[k];
    return first;
}

bool flow_diverges(const struct flow *f, const struct ir_block *b) {
    return f->block[b->id].masked || (b->succ[1] && f->varying[b->last->id]);
}

bool flow_goes_back(const struct ir_block *b) {
    return b->succ[1] && (b->succ[0]->id <= b->id || b->succ[1]->id <= b->id);
}

unsigned flow_next(const struct flow *f, const struct ir_block *b, uint32_t to[2]) {
    unsigned n = 0;
    if (!flow_diverges(f, b)) {
        for (int k = 0; k < 2; k++)
            if (b->succ[k])
                to[n++] = b->succ[k]->id;
        return n;
    }
    if (b->id + 1 < f->shader->nblocks)
        to[n++] = b->id + 1;
    if (f->block[b->id].back_to >= 0)
        to[n++] = (uint32_t)f->block[b->id].back_to;
    return n;
}

/* --- the whole ------------------------------------------------------------------------------------------ */

/* Lanes stand at the end of the loop that either go back from here or leave. */
static bool is_only_way_back(const struct flow *f, const struct ir_block *b, const struct ir_block *head) {
    for (uint32_t p = 0; p < head->npred; p++)
        if (head->pred[p]->id >= head->id && head->pred[p] != b)
            return false;
    return f->block[head->id].loop_end == (int32_t)b->id;
}

static void mark_waiting(struct flow *f, struct pending *p, uint32_t awaited) {
    while (p->count) {
        uint32_t at = p->block[--p->count], to[2];
        if (awaited < f->block[at].awaited)
            f->block[at].awaited = awaited;
        unsigned n = flow_next(f, f->shader->blocks[at], to);
        for (unsigned k = 0; k < n; k++)
            pending_add(f, p, to[k], awaited);
    }
}

/* Which blocks lanes may wait for at the end of each. */
static void find_awaited(struct flow *f) {
    struct ir_shader *shader = f->shader;
    struct pending pending = pending_begin(f);
    for (uint32_t i = 0; i < shader->nblocks; i++)
        f->block[i].awaited = UINT32_MAX;
    ir_for_blocks(shader, b) {
        for (int k = 0; k < 2 && flow_diverges(f, b); k++) {
            if (!b->succ[k])
                continue;
            uint32_t to[2];
            unsigned n = flow_next(f, b, to);
            if (!pending_restart(f, &pending))
                return;
            for (unsigned w = 0; w < n; w++)
                pending_add(f, &pending, to[w], b->succ[k]->id);
            mark_waiting(f, &pending, b->succ[k]->id);
        }
    }
}

static void branches(struct flow *f) {
    struct ir_shader *shader = f->shader;
    ir_for_blocks(shader, b) {
        struct flow_block *fb = &f->block[b->id];
        bool diverges = flow_diverges(f, b);
        for (int k = 0; k < 2; k++) {
            if (!b->succ[k])
                continue;
            uint32_t to = b->succ[k]->id;
            if (!diverges) {
                if (to != b->id + 1)
                    f->block[to].target = true;
                continue;
            }
            bool alone = to <= b->id && is_only_way_back(f, b, shader->blocks[to]);
            if ((to != b->id + 1 || flow_goes_back(b)) && !alone)
                f->block[to].joins = true;
            if (to <= b->id) {
                int32_t *back_to = &f->block[f->block[to].loop_end].back_to;
                assert(*back_to < 0 || *back_to == (int32_t)to); /* see may_stay_critical */
                *back_to = (int32_t)to;
                f->block[to].target = true;
                fb->back_alone = alone;
            }
        }
        bool branch = !diverges && b->succ[0] && (b->succ[0]->id != b->id + 1 || b->succ[1]);
        if ((branch || fb->back_to >= 0) && b->id + 1 < shader->nblocks)
            f->block[b->id + 1].after_branch = true;
    }
    ir_for_blocks(shader, b2) {
        if (f->block[b2->id].back_to >= 0 && b2->id + 1 < shader->nblocks)
            f->block[b2->id + 1].after_branch = true;
    }
}

/* Does the side of a branch do nothing but go on to where both meet? */
static bool is_way_past(const struct ir_block *side) {
    return side->npred > 1 || side->first == side->last;
}

/* Of the branches that all lanes take alike. One that leaves a loop is taken some time. */
static void find_shares(struct flow *f) {
    ir_for_blocks(f->shader, b) {
        const struct ir_block *from = b->npred == 1 ? b->pred[0] : b->idom;
        uint32_t *share = &f->block[b->id].share;
        *share = from && from != b ? f->block[from->id].share : OBJECTIVE_ALWAYS;
        bool side = b->npred == 1 && from->succ[1] && !flow_diverges(f, from);
        const struct ir_block *head = side ? from->loop_header : NULL;
        bool leaves = head && !(ir_in_loop(from->succ[0], head) && ir_in_loop(from->succ[1], head));
        if (!side || leaves)
            continue;
        bool past = is_way_past(b), other = is_way_past(from->succ[from->succ[0] == b]);
        *share = objective_of_side(*share, past == other ? OBJECTIVE_EITHER
                                           : past        ? OBJECTIVE_PAST
                                                         : OBJECTIVE_SIDE);
    }
}

void flow_analyse(struct flow *f, struct ir_shader *shader, struct ir_arena *arena, bool tight) {
    *f = (struct flow){.shader = shader, .arena = arena, .mask_reg = FLOW_NO_REG, .budget_reg = FLOW_NO_REG};
    ir_cfg_update(shader);
    ir_dominators(shader);
    ir_loops(shader);
    split_critical_edges(shader, arena, tight);
    ir_dominators(shader);
    ir_loops(shader);
    uint32_t n = shader->nblocks, ids = shader->next_id + 1;
    f->block = ir_alloc(arena, (n + 1) * sizeof *f->block);
    f->varying = ir_alloc(arena, ids);
    f->guarded = ir_alloc(arena, ids);
    f->maybe_undefined = ir_alloc(arena, ids);
    f->made_undefined = ir_alloc(arena, ids);
    f->guard = ir_alloc(arena, ids * sizeof *f->guard);
    f->cross_reg = ir_alloc(arena, ids);
    memset(f->cross_reg, FLOW_NO_REG, ids);
    for (int file = 0; file < 2; file++)
        f->occupied[file] = ir_alloc(arena, (n + 1) * sizeof **f->occupied);
    if (ir_arena_oom(arena)) /* these may be one block */
        return;
    for (uint32_t i = 0; i < n; i++)
        f->block[i].loop_end = f->block[i].back_to = -1;
    ir_for_blocks(shader, b) {
        for (int k = 0; k < 2; k++)
            if (b->succ[k] && b->succ[k]->id <= b->id)
                f->block[b->succ[k]->id].loop_end = (int32_t)b->id > f->block[b->succ[k]->id].loop_end
                                                        ? (int32_t)b->id
                                                        : f->block[b->succ[k]->id].loop_end;
    }
    /* a loop ends with the last block that belongs to it, which may come after its last back edge */
    ir_for_blocks(shader, b3) {
        for (const struct ir_block *h = b3->loop_header; h; h = h->loop_parent)
            if ((int32_t)b3->id > f->block[h->id].loop_end)
                f->block[h->id].loop_end = (int32_t)b3->id;
    }
    if (n == 1) { /* nothing diverges */
        f->block[0].share = OBJECTIVE_ALWAYS;
        return;
    }
    divergence(f);
    for (uint32_t i = 0; i < n; i++)
        f->masked |= f->block[i].masked;
    branches(f);
    find_shares(f);
    find_awaited(f);
}
