/* ifconvert: conditionals become selections.
 *
 * requires: blocks in order, dominators.
 * keeps:    SSA.
 * breaks:   the analyses, when it reports a change.
 *
 * A region consists of the blocks between a branch, at the end of the region's head, and its join: the
 * block where all paths from the branch meet again. Control enters it only through the head and never goes
 * back. Every instruction in it can be executed speculatively: pure operations, which include texture
 * lookups (they even need whole quads), and loads and stores of variables. A store writes the old value
 * back in lanes that do not take its path. The region's instructions move to the head, block by block, and
 * its phis become selections by the conditions of their edges.
 *
 * Regions are converted from the last branch to the first. When the pass comes to a branch, each inner
 * region has become part of its head, and blocks that follow each other on one side of the branch are
 * merged. So an if or if/else selects by the branch's own condition. Only paths out of the middle (a break
 * from an unrolled loop) leave regions whose blocks need conditions of their own. A block's condition is
 * the "or" of its incoming edges' conditions. An edge's condition is the "and" of its block's condition
 * and the branch's.
 *
 * A region stays a branch if all lanes of all batches of a draw go the same way there, and if the branch
 * skips so much (pass_options.branch_least) that it may be faster than selections. An unrolled loop may
 * branch to its end after each trip. Trips with less work than that are executed together, and the branch
 * behind them skips the rest if any of them would leave the loop.
 *
 * Hints in the source (ir_hint) have priority. A branch with "don't flatten" stays, whatever the lanes do
 * there and however little it skips. A branch with "flatten" becomes selections if there is a region.
 *
 * After n early returns a block is part of n regions. So the instructions of a block move as one list and
 * are not visited each time (unless the block has stores), and what a region needs to know about a block
 * is kept with the block. */
#include "passes/cfg_edit.h"
#include "passes/region.h"

/* Lanes that do not take the instruction's path may execute it, too; stores become conditional. */
static bool can_speculate(const struct ir_inst *inst) {
    return ir_ops[inst->op].pure || inst->op == IR_VAR_LOAD || inst->op == IR_VAR_STORE;
}

static void count_contents(struct region *r) {
    struct ir_shader *shader = r->shader;
    uint32_t n = shader->nblocks;
    ir_for_blocks(shader, block) {
        struct contents *in = &r->in[block->id];
        in->prev = block->id ? block->id - 1 : n;
        in->next = block->id + 1;
        for (const struct ir_inst *inst = block->first; inst != block->last; inst = inst->next) {
            in->work += uniform_branches_work(&r->uniform, inst);
            in->lookups += inst->op == IR_TEX;
            in->fixed |= !can_speculate(inst);
            in->stores |= inst->op == IR_VAR_STORE;
        }
    }
}

/* `from` is empty: its contents are in `block` now. */
static void take_contents(struct region *r, const struct ir_block *block, const struct ir_block *from) {
    struct contents *to = &r->in[block->id], *in = &r->in[from->id];
    to->work += in->work;
    to->lookups += in->lookups;
    to->fixed |= in->fixed;
    to->stores |= in->stores;
    to->no_region |= in->no_region;
    if (in->prev < r->shader->nblocks)
        r->in[in->prev].next = in->next;
    if (in->next < r->shader->nblocks)
        r->in[in->next].prev = in->prev;
}

static bool merge_next(struct region *r, struct ir_block *block) {
    const struct ir_block *next = block->succ[0];
    if (!cfg_merge_next(block))
        return false;
    take_contents(r, block, next);
    r->uniform.uniform[block->id] = r->uniform.uniform[next->id];
    if (r->kept) {
        r->kept[block->id] = r->kept[next->id];
        r->leaves[block->id] = r->leaves[next->id];
    }
    return true;
}

/* Resets what an earlier region left at the block. */
static void touch(struct region *r, const struct ir_block *block) {
    if (r->stamp[block->id] == r->number)
        return;
    r->stamp[block->id] = r->number;
    r->open[block->id] = 0;
    r->cond[block->id] = NULL;
    r->edge[block->id][0] = r->edge[block->id][1] = NULL;
}

/* Counts the block's outgoing edges as open. False: one of them goes back. */
static bool open_edges(struct region *r, const struct ir_block *block, uint32_t *edges) {
    for (int s = 0; s < 2; s++) {
        const struct ir_block *to = block->succ[s];
        if (!to)
            continue;
        if (to->id <= block->id || to->id <= r->head->id)
            return false;
        touch(r, to);
        r->open[to->id]++;
        ++*edges;
    }
    return true;
}

/* Why the block cannot be part of a region. */
static enum qpucc_why why_not(const struct region *r, const struct ir_block *block) {
    const struct contents *in = &r->in[block->id];
    return block->last->op == IR_END ? QPUCC_WHY_ENDS
           : in->fixed               ? QPUCC_WHY_EFFECT
           : in->no_region           ? QPUCC_WHY_INSIDE
                                     : QPUCC_WHY_LOOP_INSIDE;
}

static bool is_loop_head(const struct ir_block *block) {
    for (uint32_t p = 0; p < block->npred; p++)
        if (block->pred[p]->id >= block->id)
            return true;
    return false;
}

/* Adds blocks in order until all open edges lead to one block, the join. An edge is open if it leaves the
 * head or an added block, and its target has not been added. */
static bool find_region(struct region *r, struct ir_block *head) {
    uint32_t edges = 0;
    bool *no_region = &r->in[head->id].no_region;
    r->head = head;
    r->count = 0;
    r->number++;
    touch(r, head);
    r->member[head->id] = r->number;
    r->why = QPUCC_WHY_LOOP_INSIDE;
    if (!open_edges(r, head, &edges)) {
        *no_region = true;
        return false;
    }
    for (uint32_t k = r->in [head->id].next; k < r->shader->nblocks; k = r->in[k].next) {
        struct ir_block *block = r->shader->blocks[k];
        const struct contents *in = &r->in[k];
        if (r->stamp[k] != r->number || !r->open[k])
            continue; /* no open edge leads here */
        if (r->open[k] == edges) {
            r->join = block;
            return true;
        }
        if (r->open[k] != block->npred) { /* a larger region may have its other predecessors, too */
            r->why = r->kept && is_loop_head(block) ? QPUCC_WHY_LOOP_INSIDE : QPUCC_WHY_ENTERED;
            return false;
        }
        edges -= r->open[k];
        r->block[r->count++] = block;
        r->member[k] = r->number;
        if (block->last->op == IR_END || in->fixed || in->no_region || !open_edges(r, block, &edges)) {
            r->why = why_not(r, block);
            *no_region = true;
            return false;
        }
    }
    r->why = QPUCC_WHY_ENTERED;
    return false;
}

static struct ir_inst *both(struct ir_builder *b, struct ir_inst *x, struct ir_inst *y) {
    return !x ? y : !y ? x : ir_op2(b, IR_BAND, x, y);
}

/* The condition of the edge block → succ[side]; NULL: true. */
static struct ir_inst *edge_condition(struct region *r, struct ir_builder *b, const struct ir_block *block,
                                      int side) {
    if (block->last->op != IR_BRANCH)
        return r->cond[block->id];
    struct ir_inst **known = &r->edge[block->id][side];
    if (!*known) {
        struct ir_inst *way = ir_value(block->last->src[0]);
        if (side == 1)
            way = ir_op1(b, IR_BNOT, way);
        *known = both(b, r->cond[block->id], way);
    }
    return *known;
}

static bool in_region(const struct region *r, const struct ir_block *block) {
    return r->member[block->id] == r->number;
}

static struct ir_inst *select_value(struct ir_builder *b, struct ir_inst *cond, struct ir_inst *yes,
                                    struct ir_inst *no) {
    if (yes == no || yes->op == IR_UNDEF)
        return no;
    if (no->op == IR_UNDEF || !cond)
        return yes;
    return ir_op3(b, IR_SELECT, cond, yes, no);
}

/* The index of the join's first predecessor that is in the region. The search begins at the end, because the
 * regions inside this one have put their heads there when they were converted. */
static uint32_t first_joining(const struct region *r, struct ir_block *const *pred, uint32_t count) {
    for (uint32_t left = r->joining; count && left;)
        left -= in_region(r, pred[--count]);
    return count;
}

/* The phi's value: a chain of selections between its sources on the region's edges, which begin at index
 * `first`. The chain is built from the last source, which needs no condition, to the first. Where a branch
 * has no condition but its own, its false edge swaps the selection's operands, which saves a "not". */
static struct ir_inst *phi_value(struct region *r, struct ir_builder *b, const struct ir_inst *phi,
                                 uint32_t first, const struct ir_block *at) {
    struct ir_inst *value = NULL;
    b->loc = phi->loc;
    b->precision = phi->precision;
    b->exact = phi->exact;
    for (uint32_t k = phi->nsrc; k-- > first;) {
        const struct ir_block *from = phi->phi_block[k];
        if (!in_region(r, from))
            continue;
        struct ir_inst *source = ir_value(phi->src[k]);
        int side = from->last->op == IR_BRANCH && from->succ[1] == at;
        if (!value) {
            value = source;
        } else if (side == 1 && !r->cond[from->id]) {
            value = select_value(b, ir_value(from->last->src[0]), value, source);
        } else {
            value = select_value(b, edge_condition(r, b, from, side), source, value);
        }
    }
    return value;
}

static void move_store(struct region *r, struct ir_builder *b, struct ir_inst *store, struct ir_inst *cond) {
    if (cond) {
        struct ir_inst *offset = store->nsrc > 1 ? store->src[1] : NULL;
        b->loc = store->loc;
        b->precision = store->precision;
        b->exact = store->exact;
        struct ir_inst *old = ir_emit(b, IR_VAR_LOAD, r->shader->vars[store->imm].type, offset ? 1 : 0,
                                      &offset, store->imm, store->aux);
        store->src[0] = select_value(b, cond, ir_value(store->src[0]), old);
    }
    ir_move_before(store, r->head->last);
}

/* Computes the block's condition, in the head. */
static void find_condition(struct region *r, struct ir_builder *b, const struct ir_block *block) {
    struct ir_inst *cond = NULL;
    b->loc = block->last->loc;
    b->precision = IR_HIGHP;
    b->exact = false;
    for (uint32_t p = 0; p < block->npred; p++) {
        const struct ir_block *from = block->pred[p];
        struct ir_inst *edge =
            edge_condition(r, b, from, from->last->op == IR_BRANCH && from->succ[1] == block);
        if (!edge) /* always true; not expected, since paths into the block begin with the head's branch */
            return;
        cond = cond ? ir_op2(b, IR_BOR, cond, edge) : edge;
    }
    r->cond[block->id] = cond;
}

/* The region is an if or if/else without stores: the branch's own condition is all that it needs. */
static bool is_plain(const struct region *r) {
    for (uint32_t k = 0; k < r->count; k++) {
        const struct ir_block *block = r->block[k];
        if (block->npred != 1 || block->pred[0] != r->head || block->last->op == IR_BRANCH ||
            r->in[block->id].stores)
            return false;
    }
    return true;
}

/* The block's instructions move to the head. Its phis become selections, and its stores conditional. */
static void move_block(struct region *r, struct ir_builder *b, struct ir_block *block) {
    struct ir_block *head = r->head;
    ir_for_insts(block, inst) {
        if (inst->op == IR_PHI) {
            ir_replace(inst, phi_value(r, b, inst, 0, block));
        } else if (!r->in[block->id].stores) {
            break;
        } else if (inst->op == IR_VAR_STORE) {
            if (inst->prev)
                ir_move_all_before(block, inst->prev, head->last, head);
            inst->block = block; /* ir_move_all_before leaves it out of date, and move_store needs it */
            move_store(r, b, inst, r->cond[block->id]);
        }
    }
    if (block->last->prev)
        ir_move_all_before(block, block->last->prev, head->last, head);
}

/* Replaces a phi's sources from the region by one from the head. */
static void update_join_phi(struct region *r, struct ir_builder *b, struct ir_inst *phi, bool simple) {
    struct ir_block *head = r->head, *join = r->join;
    uint32_t kept = first_joining(r, phi->phi_block, phi->nsrc);
    struct ir_inst *value;
    if (simple) {
        const struct ir_block *then = head->succ[0] == join ? head : head->succ[0];
        const struct ir_block *otherwise = head->succ[1] == join ? head : head->succ[1];
        b->loc = phi->loc;
        b->precision = phi->precision;
        b->exact = phi->exact;
        value = select_value(b, ir_value(head->last->src[0]), ir_value(cfg_phi_source(phi, then)),
                             ir_value(cfg_phi_source(phi, otherwise)));
    } else {
        value = phi_value(r, b, phi, kept, join);
    }
    for (uint32_t k = kept; k < phi->nsrc; k++) {
        if (in_region(r, phi->phi_block[k]))
            continue;
        phi->phi_block[kept] = phi->phi_block[k];
        phi->src[kept++] = phi->src[k];
    }
    phi->nsrc = kept;
    ir_phi_add(phi, head, value);
}

static bool goes_to(const struct ir_block *block, const struct ir_block *to) {
    return block->succ[0] == to || block->succ[1] == to;
}

static void convert(struct region *r) {
    struct ir_block *head = r->head, *join = r->join;
    struct ir_builder b = ir_builder_before(head->last);
    bool simple = is_plain(r);
    uint32_t ids = r->shader->next_id;
    r->joining = goes_to(head, join);
    for (uint32_t k = 0; k < r->count; k++) {
        r->joining += goes_to(r->block[k], join);
        if (!simple)
            find_condition(r, &b, r->block[k]);
        move_block(r, &b, r->block[k]);
    }
    for (struct ir_inst *phi = join->first; phi && phi->op == IR_PHI; phi = phi->next)
        update_join_phi(r, &b, phi, simple);
    uint32_t kept = first_joining(r, join->pred, join->npred);
    for (uint32_t p = kept; p < join->npred; p++)
        if (!in_region(r, join->pred[p]))
            join->pred[kept++] = join->pred[p];
    join->pred[kept++] = head; /* there is room: at least one edge from the region has gone */
    join->npred = kept;
    for (uint32_t k = 0; k < r->count; k++) {
        r->block[k]->npred = 0;
        take_contents(r, head, r->block[k]);
    }
    r->in[head->id].work += r->shader->next_id - ids;
    r->uniform.uniform[head->id] = false;
    b = ir_builder_before(head->last);
    ir_remove(head->last);
    b.before = NULL;
    ir_jump(&b, join);
}

/* --- branches that pay ---------------------------------------------------------------------------------- */

/* A branch around the region may be faster than selections. */
static bool pays(const struct region *r) {
    return r->uniform.uniform[r->head->id] && region_work(r) >= r->least;
}

/* The side of the head that absorb can take: it has little work, and it ends with a branch one of whose edges
 * goes to the head's other successor. -1: there is none. */
static int short_side(const struct region *r, const struct ir_block *head) {
    bool possible = r->least != PASSES_UNLIMITED && r->uniform.uniform[head->id];
    for (int s = 0; s < 2 && possible; s++) {
        const struct ir_block *side = head->succ[s], *out = head->succ[!s];
        const struct contents *in = &r->in[side->id];
        if (side == out || side->npred != 1 || !r->uniform.uniform[side->id] || in->fixed || in->stores ||
            side->first->op == IR_PHI || in->work >= r->least || region_has_to_stay(r, head) ||
            region_has_to_stay(r, side))
            continue;
        if ((side->succ[0] == out) != (side->succ[1] == out) && side->succ[0]->id > side->id &&
            side->succ[1]->id > side->id)
            return s;
    }
    return -1;
}

/* The condition of the block's branch going to succ[side]. */
static struct ir_inst *taken_when(struct ir_builder *b, const struct ir_block *block, int side) {
    struct ir_inst *condition = ir_value(block->last->src[0]);
    return side ? ir_op1(b, IR_BNOT, condition) : condition;
}

/* Turns `if (a) { little; if (b) much; }` into `little; if (a && b) much;`. In an unrolled loop, one branch
 * then tests whether any of several trips would leave it. */
static void absorb(struct region *r, struct ir_block *head, int s) {
    struct ir_block *side = head->succ[s], *out = head->succ[!s];
    struct ir_builder b = ir_builder_before(head->last);
    uint32_t ids = r->shader->next_id;
    int stay = side->succ[0] == out; /* the edge that does not go to `out` */
    struct ir_block *next = side->succ[stay];
    if (side->last->prev)
        ir_move_all_before(side, side->last->prev, head->last, head);
    b.loc = head->last->loc;
    b.precision = IR_HIGHP;
    struct ir_inst *here = taken_when(&b, head, s),
                   *both = ir_op2(&b, IR_BAND, here, taken_when(&b, side, stay));
    for (struct ir_inst *phi = out->first; phi && phi->op == IR_PHI; phi = phi->next) {
        struct ir_inst *yes = ir_value(cfg_phi_source(phi, side)), *no = ir_value(cfg_phi_source(phi, head));
        uint32_t kept = 0;
        b.loc = phi->loc;
        b.precision = phi->precision;
        b.exact = phi->exact;
        struct ir_inst *value = select_value(&b, here, yes, no);
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            if (phi->phi_block[k] == side)
                continue;
            phi->phi_block[kept] = phi->phi_block[k];
            phi->src[kept++] = phi->phi_block[k] == head ? value : phi->src[k];
        }
        phi->nsrc = kept;
    }
    for (struct ir_inst *phi = next->first; phi && phi->op == IR_PHI; phi = phi->next)
        for (uint32_t k = 0; k < phi->nsrc; k++)
            if (phi->phi_block[k] == side)
                phi->phi_block[k] = head;
    uint32_t kept = 0;
    for (uint32_t p = 0; p < out->npred; p++)
        if (out->pred[p] != side)
            out->pred[kept++] = out->pred[p];
    out->npred = kept;
    for (uint32_t p = 0; p < next->npred; p++)
        if (next->pred[p] == side)
            next->pred[p] = head;
    r->in[head->id].work += r->shader->next_id - ids;
    take_contents(r, head, side);
    side->npred = 0;
    ir_remove(side->last);
    side->succ[0] = side->succ[1] = NULL;
    struct ir_loc loc = head->last->loc;
    ir_remove(head->last);
    b = ir_builder_at_end(head);
    b.loc = loc;
    ir_branch(&b, both, next, out);
}

bool pass_ifconvert(struct ir_shader *shader, const struct pass_options *options) {
    uint32_t n = shader->nblocks;
    struct region r = {
        .shader = shader,
        .in = ir_alloc(shader->arena, n * sizeof *r.in),
        .least = options->branch_least,
        .stamp = ir_alloc(shader->arena, n * sizeof *r.stamp),
        .open = ir_alloc(shader->arena, n * sizeof *r.open),
        .member = ir_alloc(shader->arena, n * sizeof *r.member),
        .cond = ir_alloc(shader->arena, n * sizeof *r.cond),
        .edge = ir_alloc(shader->arena, n * sizeof *r.edge),
        .block = ir_alloc(shader->arena, n * sizeof *r.block),
        .uniform = uniform_branches_find(shader),
        .options = options,
    };
    bool changed = false;
    if (options->decisions)
        region_prepare_notes(&r);
    if (ir_arena_oom(shader->arena))
        return false;
    count_contents(&r);
    for (uint32_t k = n; k-- > 0 && !ir_arena_oom(shader->arena);) {
        struct ir_block *head = shader->blocks[k];
        if (!head->last || head->last->op != IR_BRANCH) /* merged into another block, or no branch */
            continue;
        for (int s = 0; s < 2; s++)
            while (head->succ[s]->npred == 1 && merge_next(&r, head->succ[s]))
                changed = true;
        bool found = find_region(&r, head);
        bool asked = found && region_has_to_stay(&r, head);
        if (asked || (found && pays(&r) && !region_has_to_go(head))) {
            region_note(&r, true);
            r.in[head->id].no_region = true;
            shader->kept_branches |= asked ? IR_KEPT_BY_HINT : IR_KEPT_BY_COST;
            continue;
        }
        if (found) {
            region_note(&r, false);
            convert(&r);
        }
        for (int s; !found && (s = short_side(&r, head)) >= 0; changed = true) {
            region_note_absorbed(&r, head->succ[s]);
            absorb(&r, head, s);
            shader->kept_branches |= IR_KEPT_BY_COST;
        }
        if (!found)
            region_note_none(&r, head);
        changed |= found;
    }
    region_note_rest(&r);
    for (uint32_t k = 0; k < n; k++)
        while (shader->blocks[k]->last && cfg_merge_next(shader->blocks[k]))
            changed = true;
    if (changed) {
        ir_resolve(shader);
        ir_cfg_update(shader);
    }
    return changed;
}
