/* ifconvert: conditionals become selections.
 *
 * requires: blocks in order, dominators.
 * keeps:    SSA.
 * breaks:   the analyses, when it reports a change.
 *
 * A region is what lies between a branch and the block where all its ways meet again, if nobody enters it
 * from the side, nothing in it goes back, and everything in it may be executed by lanes that do not need it:
 * pure operations, texture lookups among them (which even want whole quads), and loads and stores of
 * variables, where a store writes the old value back in lanes that are not meant. The region's instructions
 * move up behind each other, and phis turn into selections by the condition of the edge they came along.
 *
 * Regions are taken from the back, and blocks that follow each other on a branch's side are joined when the
 * branch is looked at, so an inner region is one block by then: an if
 * or if/else selects by its own condition. What follows a region is joined to it at the end, once: earlier,
 * all that follows would move again with each region. Only ways out of the middle (a break from an unrolled
 * loop) leave regions whose blocks need conditions of their own: the "or" over their incoming edges, an
 * edge's being the "and" of its block's and the branch's. */
#include "passes/cfg_edit.h"
#include "passes/passes.h"

struct region {
    struct ir_shader *shader;
    struct ir_block *head, *join;
    uint32_t limit;
    /* By block id; entries are true for the region under work if stamp says so. */
    uint32_t *stamp, *open; /* open: edges into the block from the head and blocks before it */
    uint32_t *member;       /* the stamp again, for the head and the blocks inside */
    struct ir_inst **cond;  /* of the block within the region */
    struct ir_inst *(*edge)[2];
    struct ir_block **block; /* the region's, in order */
    uint32_t count, number;
};

static bool movable(const struct ir_inst *inst) {
    return ir_op_info(inst->op)->pure || inst->op == IR_VAR_LOAD || inst->op == IR_VAR_STORE;
}

static bool is_free(const struct ir_inst *inst) {
    return ir_is_free(inst) || inst->op == IR_PHI;
}

static void touch(struct region *r, const struct ir_block *block) {
    if (r->stamp[block->id] == r->number)
        return;
    r->stamp[block->id] = r->number;
    r->open[block->id] = 0;
    r->cond[block->id] = NULL;
    r->edge[block->id][0] = r->edge[block->id][1] = NULL;
}

/* Counts a block's ways out as open; false if one goes back. */
static bool open_ways(struct region *r, const struct ir_block *block, uint32_t *edges) {
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

/* Walks on from head until all open edges lead to one block. */
static bool find_region(struct region *r, struct ir_block *head) {
    uint32_t edges = 0, cost = 0;
    r->head = head;
    r->count = 0;
    r->number++;
    touch(r, head);
    r->member[head->id] = r->number;
    if (head->last->op != IR_BRANCH || !open_ways(r, head, &edges))
        return false;
    for (uint32_t k = head->id + 1; k < r->shader->nblocks; k++) {
        struct ir_block *block = r->shader->blocks[k];
        if (r->stamp[k] != r->number || !r->open[k])
            continue; /* not ours: emptied, or part of something that lies between */
        if (r->open[k] == edges) {
            r->join = block;
            return true;
        }
        if (r->open[k] != block->npred || block->last->op == IR_END)
            return false;
        for (const struct ir_inst *inst = block->first; inst != block->last; inst = inst->next) {
            if (!movable(inst))
                return false;
            cost += !is_free(inst);
        }
        if (cost > r->limit)
            return false;
        edges -= r->open[k];
        r->block[r->count++] = block;
        r->member[k] = r->number;
        if (!open_ways(r, block, &edges))
            return false;
    }
    return false;
}

static struct ir_inst *both(struct ir_builder *b, struct ir_inst *x, struct ir_inst *y) {
    return !x ? y : !y ? x : ir_op2(b, IR_BAND, x, y);
}

/* The condition of the edge block → succ[side]; NULL: always. */
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

static struct ir_inst *choice(struct ir_builder *b, struct ir_inst *cond, struct ir_inst *yes,
                              struct ir_inst *no) {
    if (yes == no || yes->op == IR_UNDEF)
        return no;
    if (no->op == IR_UNDEF || !cond)
        return yes;
    return ir_op3(b, IR_SELECT, cond, yes, no);
}

/* What the phi is, chosen among the sources that come along the region's edges. The choice runs from the last
 * source to the first; the last needs no condition. A branch with both ways into the phi's block selects by
 * its own condition: that is the simple if, and no "not" is made for it. */
static struct ir_inst *chosen(struct region *r, struct ir_builder *b, const struct ir_inst *phi,
                              const struct ir_block *at) {
    struct ir_inst *value = NULL;
    b->loc = phi->loc;
    b->precision = phi->precision;
    b->exact = phi->exact;
    for (uint32_t k = phi->nsrc; k-- > 0;) {
        const struct ir_block *from = phi->phi_block[k];
        if (!in_region(r, from))
            continue;
        struct ir_inst *source = ir_value(phi->src[k]);
        int side = from->last->op == IR_BRANCH && from->succ[1] == at;
        if (!value) {
            value = source;
        } else if (side == 1 && !r->cond[from->id]) { /* not c: swap rather than negate */
            value = choice(b, ir_value(from->last->src[0]), value, source);
        } else {
            value = choice(b, edge_condition(r, b, from, side), source, value);
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
        store->src[0] = choice(b, cond, ir_value(store->src[0]), old);
    }
    ir_move_before(store, r->head->last);
}

/* The block's own condition, before anything of it moves. */
static void find_condition(struct region *r, struct ir_builder *b, const struct ir_block *block) {
    struct ir_inst *cond = NULL;
    b->loc = block->last->loc;
    b->precision = IR_HIGHP;
    b->exact = false;
    for (uint32_t p = 0; p < block->npred; p++) {
        const struct ir_block *from = block->pred[p];
        struct ir_inst *edge =
            edge_condition(r, b, from, from->last->op == IR_BRANCH && from->succ[1] == block);
        if (!edge) /* somebody always comes here: cannot be, save for a join found late */
            return;
        cond = cond ? ir_op2(b, IR_BOR, cond, edge) : edge;
    }
    r->cond[block->id] = cond;
}

static bool needs_condition(const struct ir_block *block) {
    if (block->last->op == IR_BRANCH)
        return true;
    for (const struct ir_inst *inst = block->first; inst; inst = inst->next)
        if (inst->op == IR_VAR_STORE)
            return true;
    return false;
}

/* Head and join need no conditions between them but the branch's own when the region is a plain if or
 * if/else. */
static bool plain(const struct region *r) {
    for (uint32_t k = 0; k < r->count; k++)
        if (r->block[k]->npred != 1 || r->block[k]->pred[0] != r->head || needs_condition(r->block[k]))
            return false;
    return true;
}

static void convert(struct region *r) {
    struct ir_block *head = r->head, *join = r->join;
    struct ir_builder b = ir_builder_before(head->last);
    bool simple = plain(r);
    for (uint32_t k = 0; k < r->count; k++) {
        struct ir_block *block = r->block[k];
        if (!simple)
            find_condition(r, &b, block);
        ir_for_insts(block, inst) {
            if (inst == block->last || (inst->op != IR_PHI && inst->op != IR_VAR_STORE))
                continue;
            if (inst->prev)
                ir_move_all_before(block->first, inst->prev, head->last, head);
            if (inst->op == IR_PHI)
                ir_replace(inst, chosen(r, &b, inst, block));
            else
                move_store(r, &b, inst, r->cond[block->id]);
        }
        if (block->last->prev)
            ir_move_all_before(block->first, block->last->prev, head->last, head);
    }
    struct ir_inst *cond = ir_value(head->last->src[0]);
    for (struct ir_inst *phi = join->first; phi && phi->op == IR_PHI; phi = phi->next) {
        struct ir_inst *value;
        if (simple) {
            const struct ir_block *then = head->succ[0] == join ? head : head->succ[0];
            const struct ir_block *otherwise = head->succ[1] == join ? head : head->succ[1];
            b.loc = phi->loc;
            b.precision = phi->precision;
            b.exact = phi->exact;
            value = choice(&b, cond, ir_value(cfg_phi_source(phi, then)),
                           ir_value(cfg_phi_source(phi, otherwise)));
        } else {
            value = chosen(r, &b, phi, join);
        }
        uint32_t kept = 0;
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            if (in_region(r, phi->phi_block[k]))
                continue;
            phi->phi_block[kept] = phi->phi_block[k];
            phi->src[kept++] = phi->src[k];
        }
        phi->nsrc = kept;
        ir_phi_add(phi, head, value);
    }
    uint32_t kept = 0;
    for (uint32_t p = 0; p < join->npred; p++)
        if (!in_region(r, join->pred[p]))
            join->pred[kept++] = join->pred[p];
    join->pred[kept++] = head; /* there was one edge from the region at least */
    join->npred = kept;
    for (uint32_t k = 0; k < r->count; k++)
        r->block[k]->npred = 0;
    b = ir_builder_before(head->last);
    ir_remove(head->last);
    b.before = NULL;
    ir_jump(&b, join);
}

bool pass_ifconvert(struct ir_shader *shader, const struct pass_options *options) {
    uint32_t n = shader->nblocks;
    struct region r = {
        .shader = shader,
        .limit = options->ifconvert_limit,
        .stamp = ir_alloc(shader->arena, n * sizeof *r.stamp),
        .open = ir_alloc(shader->arena, n * sizeof *r.open),
        .member = ir_alloc(shader->arena, n * sizeof *r.member),
        .cond = ir_alloc(shader->arena, n * sizeof *r.cond),
        .edge = ir_alloc(shader->arena, n * sizeof *r.edge),
        .block = ir_alloc(shader->arena, n * sizeof *r.block),
    };
    bool changed = false;
    for (uint32_t k = n; k-- > 0 && !ir_arena_oom(shader->arena);) {
        struct ir_block *head = shader->blocks[k];
        if (!head->last || head->last->op != IR_BRANCH) /* appended to another */
            continue;
        for (int s = 0; s < 2; s++)
            while (head->succ[s]->npred == 1 && cfg_merge_next(head->succ[s]))
                changed = true;
        if (!find_region(&r, head))
            continue;
        convert(&r);
        changed = true;
    }
    for (uint32_t k = 0; k < n; k++)
        while (shader->blocks[k]->last && cfg_merge_next(shader->blocks[k]))
            changed = true;
    if (changed) {
        ir_resolve(shader);
        ir_cfg_update(shader);
    }
    return changed;
}
