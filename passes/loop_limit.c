/* loop_limit: vertex loops end whatever unused lanes hold.
 *
 * requires: blocks in order, dominators, loops; the inputs lowered to attributes.
 * keeps:    the CFG. Leaves a variable: ssa has to follow.
 * breaks:   nothing.
 *
 * A batch of vertices that is not full leaves arbitrary bits in the lanes behind it, and nothing tells a shader
 * which lanes these are. A loop that asks a vertex attribute when to end would run as often as such bits say. So
 * these loops, and only these, count: after LIMIT trips of all such loops together a lane leaves them. Loops whose
 * ends depend on constants and uniforms alone are the same in all lanes and stay as they are.
 *
 * A loop is left where it may be left anyway, at a branch out of it that every trip passes. Loops without such a
 * branch stay as they are, too. */
#include "passes/passes.h"

enum { LIMIT = 8192 };

struct limit {
    struct ir_shader *shader;
    bool *varies; /* by id: may differ between lanes */
};

static bool in_loop(const struct ir_block *block, const struct ir_block *header) {
    const struct ir_block *h = block->loop_header;
    while (h && h != header)
        h = h->loop_parent;
    return h != NULL;
}

static bool leaves(const struct ir_block *block, const struct ir_block *header) {
    const struct ir_inst *last = block->last;
    return last && last->op == IR_BRANCH && in_loop(block, header) &&
           in_loop(block->succ[0], header) != in_loop(block->succ[1], header);
}

/* --- which values differ between lanes ---------------------------------------------------------------------------- */

/* Lanes may come to `block` from different predecessors at once. For a loop's header that takes several ways back;
 * the first trip is one for all. */
static bool paths_differ(const struct limit *l, const struct ir_block *block) {
    bool header = block->loop_header == block;
    if (header && block->npred <= 2)
        return false;
    ir_for_blocks(l->shader, b) {
        if (b->last->op != IR_BRANCH || !l->varies[b->last->src[0]->id])
            continue;
        if (header ? in_loop(b, block) : !block->idom || ir_dominates(block->idom, b))
            return true;
    }
    return false;
}

/* Lanes leave some loop around `made` but not around `use` at different trips. */
static bool trips_differ(const struct limit *l, const struct ir_block *made, const struct ir_block *use) {
    for (const struct ir_block *h = made->loop_header; h && !in_loop(use, h); h = h->loop_parent) {
        ir_for_blocks(l->shader, b) {
            if (leaves(b, h) && l->varies[b->last->src[0]->id])
                return true;
        }
    }
    return false;
}

static bool inst_varies(const struct limit *l, const struct ir_inst *inst) {
    if (inst->op == IR_CONST || inst->op == IR_UNIFORM)
        return false;
    if (inst->op != IR_PHI && (!inst->nsrc || !ir_op_info(inst->op)->pure))
        return true;
    for (uint32_t k = 0; k < inst->nsrc; k++)
        if (l->varies[inst->src[k]->id] || trips_differ(l, inst->src[k]->block, inst->block))
            return true;
    return inst->op == IR_PHI && paths_differ(l, inst->block);
}

static bool find_varying(struct limit *l) {
    l->varies = ir_alloc(l->shader->arena, (size_t)l->shader->next_id * sizeof *l->varies);
    if (ir_arena_oom(l->shader->arena))
        return false;
    for (bool again = true; again;) {
        again = false;
        ir_for_blocks(l->shader, block) {
            ir_for_insts(block, inst) {
                if (!l->varies[inst->id] && inst->type != IR_VOID && inst_varies(l, inst))
                    again = l->varies[inst->id] = true;
            }
        }
    }
    return true;
}

/* --- counting ------------------------------------------------------------------------------------------------------ */

/* Whether a lane's own values decide how often it goes round: at a branch out, or at one that chooses a way in the
 * loop past such a branch. */
static bool lanes_decide(const struct limit *l, const struct ir_block *header) {
    ir_for_blocks(l->shader, b) {
        if (in_loop(b, header) && b->last->op == IR_BRANCH && l->varies[b->last->src[0]->id])
            return true;
    }
    return false;
}

/* The branch out of the loop that every trip passes; NULL if there is none. */
static struct ir_block *way_out(const struct limit *l, const struct ir_block *header) {
    ir_for_blocks(l->shader, b) {
        bool every = leaves(b, header);
        for (uint32_t p = 0; every && p < header->npred; p++)
            if (in_loop(header->pred[p], header))
                every = ir_dominates(b, header->pred[p]);
        if (every)
            return b;
    }
    return NULL;
}

static struct ir_inst *load(struct ir_builder *b, uint32_t var) {
    return ir_emit(b, IR_VAR_LOAD, IR_I32, 0, NULL, var, 0);
}

static void store(struct ir_builder *b, uint32_t var, struct ir_inst *value) {
    ir_emit(b, IR_VAR_STORE, IR_VOID, 1, &value, var, 0);
}

/* Strengthens the branch: stay only while trips are left. */
static void count_here(struct ir_block *block, const struct ir_block *header, uint32_t var) {
    struct ir_inst *branch = block->last;
    struct ir_builder b = ir_builder_before(branch);
    b.precision = IR_HIGHP;
    struct ir_inst *left = load(&b, var);
    store(&b, var, ir_op2(&b, IR_ISUB, left, ir_const_i(&b, 1)));
    struct ir_inst *zero = ir_const_i(&b, 0);
    if (in_loop(block->succ[0], header))
        branch->src[0] = ir_op2(&b, IR_BAND, branch->src[0], ir_op2(&b, IR_ILT, zero, left));
    else
        branch->src[0] = ir_op2(&b, IR_BOR, branch->src[0], ir_op2(&b, IR_IGE, zero, left));
}

bool pass_loop_limit(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    struct limit l = {.shader = shader};
    uint32_t var = UINT32_MAX;
    if (shader->stage == IR_FRAGMENT || !find_varying(&l))
        return false;
    for (uint32_t k = 0; k < shader->nblocks; k++) {
        struct ir_block *header = shader->blocks[k];
        if (header->loop_header != header || !lanes_decide(&l, header))
            continue;
        struct ir_block *out = way_out(&l, header);
        if (!out)
            continue;
        if (var == UINT32_MAX) {
            var = ir_add_var(shader, "trips left", IR_I32, 1);
            struct ir_block *entry = shader->blocks[0];
            struct ir_builder b = entry->first && entry->first->op != IR_PHI ? ir_builder_before(entry->first)
                                                                            : ir_builder_at_end(entry);
            b.precision = IR_HIGHP;
            store(&b, var, ir_const_i(&b, LIMIT));
        }
        count_here(out, header, var);
    }
    return var != UINT32_MAX;
}
