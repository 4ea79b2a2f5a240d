/* Analyses of the control flow: order, predecessors, dominators, loops.
 *
 * The order is the one a linear code layout wants: forward edges go forward and the blocks of a loop stay
 * together. A plain reverse post-order does not promise the second: a block between the loop's own may belong
 * to an exit. So the order is made in two steps: a reverse post-order to find dominators and loops with, then
 * a topological sort that does not leave a loop before it is finished. */
#include "ir/heap.h"
#include "ir/internal.h"

#include <string.h>

/* Working memory: zeroed, given back at the end of the analysis; from the arena only when the system has
 * none. What a few blocks need is at hand. */
struct temp {
    void *block;
    unsigned char *at;
    max_align_t near[16];
};

static void temp_get(struct temp *t, struct ir_shader *shader, size_t size) {
    bool small = size <= sizeof t->near;
    t->block = small ? NULL : ir_heap_zeroed(ir_allocator(shader->arena), size);
    t->at = small ? memset(t->near, 0, size) : t->block ? t->block : ir_alloc(shader->arena, size);
}

static void *temp_take(struct temp *t, size_t count, size_t element) {
    void *result = t->at;
    t->at += count * element;
    return result;
}

static uint32_t successors(const struct ir_block *block, struct ir_block *out[2]) {
    uint32_t n = 0;
    if (block->succ[0])
        out[n++] = block->succ[0];
    if (block->succ[1] && block->succ[1] != block->succ[0])
        out[n++] = block->succ[1];
    return n;
}

void ir_fill_preds(struct ir_shader *shader) {
    struct ir_block *to[2];
    uint32_t edges = 0;
    ir_for_blocks(shader, a) {
        a->npred = 0;
    }
    ir_for_blocks(shader, b) {
        uint32_t n = successors(b, to);
        for (uint32_t k = 0; k < n; k++, edges++)
            to[k]->npred++;
    }
    if (edges >= shader->pred_pool_size) { /* a shader of one block has a pool, too: NULL + 0 is undefined */
        shader->pred_pool_size = edges + edges / 2 + 1;
        shader->pred_pool = ir_alloc(shader->arena, shader->pred_pool_size * sizeof *shader->pred_pool);
    }
    struct ir_block **pool = shader->pred_pool;
    ir_for_blocks(shader, c) {
        c->pred = pool;
        pool += c->npred;
        c->npred = 0;
    }
    ir_for_blocks(shader, d) {
        uint32_t n = successors(d, to);
        for (uint32_t k = 0; k < n; k++)
            to[k]->pred[to[k]->npred++] = d;
    }
}

static void number(struct ir_shader *shader) {
    for (uint32_t k = 0; k < shader->nblocks; k++)
        shader->blocks[k]->id = k;
    shader->next_block_id = shader->nblocks;
}

/* Leaves the reachable blocks only, in reverse post-order. */
static void postorder(struct ir_shader *shader) {
    const uint32_t unseen = UINT32_MAX;
    struct frame {
        struct ir_block *block;
        uint32_t next;
    } * stack;
    struct ir_block **order;
    struct temp t;
    temp_get(&t, shader, shader->nblocks * (sizeof *stack + sizeof *order));
    stack = temp_take(&t, shader->nblocks, sizeof *stack);
    order = temp_take(&t, shader->nblocks, sizeof *order);
    uint32_t depth = 0, placed = shader->nblocks;
    ir_for_blocks(shader, block) {
        block->id = unseen;
    }
    shader->blocks[0]->id = 0;
    stack[depth++] = (struct frame){shader->blocks[0], 0};
    while (depth) {
        struct frame *top = &stack[depth - 1];
        struct ir_block *to[2];
        uint32_t n = successors(top->block, to);
        if (top->next == n) {
            order[--placed] = top->block;
            depth--;
            continue;
        }
        struct ir_block *next = to[n - 1 - top->next++]; /* the last successor first: it comes out last */
        if (next->id == unseen) {
            next->id = 0;
            stack[depth++] = (struct frame){next, 0};
        }
    }
    uint32_t kept = shader->nblocks - placed;
    ir_for_blocks(shader, old) {
        for (const struct ir_inst *inst = old->id == unseen ? old->first : NULL; inst; inst = inst->next) {
            shader->ninsts--;
            shader->nops[inst->op]--;
        }
    }
    memmove(order, order + placed, kept * sizeof *order);
    memcpy(shader->blocks, order, kept * sizeof *order);
    shader->nblocks = kept;
    ir_heap_free(t.block);
}

/* A branch whose sides are the same block is a jump. */
static void straighten(struct ir_block *block) {
    if (block->last && block->last->op == IR_BRANCH && block->succ[0] == block->succ[1]) {
        ir_become(block->last, IR_JUMP);
        block->last->aux = IR_HINT_NONE;
        block->last->nsrc = 0;
        block->succ[1] = NULL;
    }
}

/* Phis forget predecessors that are none, and name each that is once. A block is named from then on when its
 * mark is the stamp. Blocks that are gone have the number UINT32_MAX. */
static void tidy_phis(struct ir_block *block, uint32_t *mark, uint32_t *stamp) {
    for (struct ir_inst *phi = block->first; phi && phi->op == IR_PHI; phi = phi->next) {
        uint32_t kept = 0;
        ++*stamp;
        for (uint32_t p = 0; p < block->npred; p++)
            mark[block->pred[p]->id] = *stamp;
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            uint32_t from = phi->phi_block[k]->id;
            if (from >= block->shader->nblocks || mark[from] != *stamp)
                continue;
            mark[from] = 0;
            phi->phi_block[kept] = phi->phi_block[k];
            phi->src[kept++] = phi->src[k];
        }
        phi->nsrc = kept;
    }
}

bool ir_in_loop(const struct ir_block *block, const struct ir_block *header) {
    for (const struct ir_block *h = block->loop_header; h; h = h->loop_parent)
        if (h == header)
            return true;
    return false;
}

/* The topological sort: last made ready, first placed (which follows one side of an if to its end), but
 * blocks of the innermost unfinished loop before all others, and the program's end behind loops that never
 * come to it. Back edges are those that the reverse post-order has going back. */
static void gather_loops(struct ir_shader *shader) {
    uint32_t n = shader->nblocks, nready = 0;
    struct temp t;
    temp_get(&t, shader, n * 2 * (sizeof(struct ir_block *) + sizeof(uint32_t)));
    struct ir_block **order = temp_take(&t, n, sizeof *order);
    struct ir_block **ready = temp_take(&t, n, sizeof *ready);
    uint32_t *waits = temp_take(&t, n, sizeof *waits);
    uint32_t *left = temp_take(&t, n, sizeof *left); /* per header: blocks of the loop not yet placed */
    ir_for_blocks(shader, block) {
        for (uint32_t p = 0; p < block->npred; p++)
            waits[block->id] += block->pred[p]->id < block->id;
        for (struct ir_block *h = block->loop_header; h; h = h->loop_parent)
            left[h->id]++;
    }
    struct ir_block *loop = NULL;
    ready[nready++] = shader->blocks[0];
    for (uint32_t placed = 0; placed < n; placed++) {
        uint32_t pick = nready - 1;
        if (loop) {
            uint32_t k = nready;
            while (k > 0 && !ir_in_loop(ready[k - 1], loop))
                k--;
            if (k > 0) /* none: only where irreducible flow enters the loop from the side */
                pick = k - 1;
        }
        while (pick && !ready[pick]->succ[0])
            pick--;
        struct ir_block *block = ready[pick], *to[2];
        memmove(ready + pick, ready + pick + 1, (--nready - pick) * sizeof *ready);
        order[placed] = block;
        for (struct ir_block *h = block->loop_header; h; h = h->loop_parent)
            left[h->id]--;
        if (block->loop_header == block)
            loop = block;
        while (loop && left[loop->id] == 0)
            loop = loop->loop_parent;
        for (uint32_t s = successors(block, to); s-- > 0;)
            if (to[s]->id > block->id && --waits[to[s]->id] == 0)
                ready[nready++] = to[s];
    }
    memcpy(shader->blocks, order, n * sizeof *order);
    ir_heap_free(t.block);
}

void ir_cfg_update(struct ir_shader *shader) {
    ir_for_blocks(shader, a) {
        straighten(a);
    }
    postorder(shader);
    number(shader);
    ir_fill_preds(shader);
    bool loops = false;
    struct temp t;
    temp_get(&t, shader, shader->nblocks * sizeof(uint32_t));
    uint32_t *mark = temp_take(&t, shader->nblocks, sizeof *mark), stamp = 0;
    ir_for_blocks(shader, b) {
        tidy_phis(b, mark, &stamp);
        for (uint32_t p = 0; p < b->npred; p++)
            loops |= b->pred[p]->id >= b->id;
    }
    ir_heap_free(t.block);
    if (!loops)
        return;
    ir_dominators(shader);
    ir_loops(shader);
    gather_loops(shader);
    number(shader);
    ir_fill_preds(shader);
}

/* --- dominators ----------------------------------------------------------------------------------------- */

/* Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm". Any order in which forward edges go forward
 * does. */
/* Sizes of subtrees from the back, then places; `last` is how far the children so far reach in between. */
void ir_number_tree(const uint32_t *up, uint32_t n, struct ir_below *below) {
    for (uint32_t k = 0; k < n; k++)
        below[k] = (struct ir_below){.size = 1};
    for (uint32_t k = n; k-- > 0;)
        if (up[k] != UINT32_MAX)
            below[up[k]].size += below[k].size;
    for (uint32_t k = 0; k < n; k++) {
        struct ir_below *above = up[k] == UINT32_MAX ? NULL : &below[up[k]];
        below[k].first = below[k].last = above ? above->last + 1 : 0;
        if (above)
            above->last += below[k].size;
    }
}

void ir_dominators(struct ir_shader *shader) {
    uint32_t n = shader->nblocks;
    ir_for_blocks(shader, a) {
        a->idom = NULL;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 1; k < n; k++) {
            struct ir_block *block = shader->blocks[k], *idom = NULL;
            /* Last first: after a loop with many breaks this traverses the tree once, not once for each
             * break. */
            for (uint32_t p = block->npred; p-- > 0;) {
                struct ir_block *x = block->pred[p], *y = idom;
                if (x->id != 0 && !x->idom)
                    continue; /* not reached yet */
                while (y && x != y) {
                    while (x->id > y->id)
                        x = x->idom;
                    while (y->id > x->id)
                        y = y->idom;
                }
                idom = x;
            }
            changed |= block->idom != idom;
            block->idom = idom;
        }
    }
    /* Number the tree so that "dominates" is two comparisons. */
    struct temp t;
    temp_get(&t, shader, n * (sizeof(struct ir_below) + sizeof(uint32_t)));
    struct ir_below *below = temp_take(&t, n, sizeof *below);
    uint32_t *up = temp_take(&t, n, sizeof *up);
    for (uint32_t k = 0; k < n; k++)
        up[k] = shader->blocks[k]->idom ? shader->blocks[k]->idom->id : UINT32_MAX;
    ir_number_tree(up, n, below);
    for (uint32_t k = 0; k < n; k++) {
        shader->blocks[k]->dom_first = below[k].first;
        shader->blocks[k]->dom_last = below[k].last;
    }
    ir_heap_free(t.block);
}

bool ir_dominates(const struct ir_block *a, const struct ir_block *b) {
    return a->dom_first <= b->dom_first && b->dom_last <= a->dom_last;
}

/* --- loops ---------------------------------------------------------------------------------------------- */

static struct ir_block *outermost(struct ir_block *header) {
    while (header->loop_parent)
        header = header->loop_parent;
    return header;
}

/* Enters block, or the outermost loop found so far around it, into header's loop; false if it is there
 * already. */
static bool enter_loop(struct ir_block *header, struct ir_block **block) {
    struct ir_block *b = *block;
    if (b->loop_header)
        b = outermost(b->loop_header);
    if (b == header)
        return false;
    if (b->loop_header == b)
        b->loop_parent = header;
    else
        b->loop_header = header;
    *block = b;
    return true;
}

/* Natural loops; back edges to one header make one loop. Headers from the back, so that inner loops are found
 * first. */
void ir_loops(struct ir_shader *shader) {
    struct temp t;
    temp_get(&t, shader, shader->nblocks * sizeof(struct ir_block *));
    struct ir_block **work = temp_take(&t, shader->nblocks, sizeof *work);
    ir_for_blocks(shader, a) {
        a->loop_header = a->loop_parent = NULL;
        a->loop_depth = 0;
    }
    for (uint32_t k = shader->nblocks; k-- > 0;) {
        struct ir_block *header = shader->blocks[k];
        uint32_t n = 0;
        for (uint32_t p = 0; p < header->npred; p++) {
            struct ir_block *latch = header->pred[p];
            if (!ir_dominates(header, latch))
                continue;
            header->loop_header = header;
            if (enter_loop(header, &latch))
                work[n++] = latch;
        }
        for (uint32_t next = 0; next < n; next++)
            for (uint32_t p = 0; p < work[next]->npred; p++) {
                struct ir_block *pred = work[next]->pred[p];
                if (enter_loop(header, &pred))
                    work[n++] = pred;
            }
    }
    uint64_t depths = 0; /* all that goes up from blocks to the loops around them takes such time */
    ir_for_blocks(shader, b) {
        for (struct ir_block *h = b->loop_header; h; h = h->loop_parent)
            b->loop_depth++;
        depths += b->loop_depth;
    }
    ir_work(shader->arena, depths / 2);
    ir_heap_free(t.block);
}

/* --- counting ------------------------------------------------------------------------------------------- */

uint32_t *ir_count_uses(const struct ir_shader *shader) {
    uint32_t *uses = ir_alloc(shader->arena, shader->next_id * sizeof *uses);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++)
                uses[inst->src[k]->id]++;
        }
    }
    return uses;
}

void ir_forget_facts(struct ir_shader *shader) {
    shader->facts.ids = 0;
}

const struct ir_facts *ir_facts(struct ir_shader *shader) {
    struct ir_facts *f = &shader->facts;
    if (f->ids == shader->next_id)
        return f;
    if (f->capacity < shader->next_id) {
        f->capacity = shader->next_id + shader->next_id / 2;
        f->uses = ir_alloc_uncleared(shader->arena, f->capacity * sizeof *f->uses);
        f->per_draw = ir_alloc_uncleared(shader->arena, f->capacity);
    }
    f->ids = shader->next_id;
    if (ir_arena_oom(shader->arena))
        return f;
    memset(f->uses, 0, f->ids * sizeof *f->uses);
    memset(f->per_draw, 0, f->ids);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            bool per_draw = ir_is_const(inst) || inst->op == IR_UNIFORM || ir_ops[inst->op].folds;
            for (uint32_t k = 0; k < inst->nsrc; k++) {
                f->uses[inst->src[k]->id]++;
                per_draw &= f->per_draw[inst->src[k]->id];
            }
            f->per_draw[inst->id] = per_draw;
        }
    }
    return f;
}

uint32_t ir_renumber(struct ir_shader *shader) {
    uint32_t id = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            inst->id = id++;
        }
    }
    return shader->next_id = id;
}
