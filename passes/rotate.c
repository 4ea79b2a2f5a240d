/* rotate: loops test at their end.
 *
 * requires: blocks in order, dominators, loops, SSA.
 * keeps:    SSA; how often everything is executed.
 * breaks:   the analyses, when it reports a change.
 *
 *     head: test, leave or go on; body; jump head
 *  →  the test once before the loop; head: body; the test again, go back or leave
 *
 * A turn is one branch instead of two then, most often in one block: one place where the uniform stream is
 * set anew, delay slots that the body fills, one change of the lane mask. What the head computes for the test
 * is copied to both places; what else it computes stays where it is. A head that computes much for its test
 * is left alone: code grows by it.
 *
 * Values of the head that are used elsewhere get a second definition by this; they go through variables, and
 * the ssa pass's function makes values of those again. */
#include "passes/passes.h"

#include <string.h>

enum { MOST_COPIED = 12 }; /* instructions of a test */

struct rotate {
    struct ir_shader *shader;
    struct ir_block *head, *body, *out; /* out: where the head leaves to */
    struct ir_block *guard, *latch;     /* the test before the loop, the end of a turn */
    bool *test; /* by id: an instruction of the head that the test, or what follows the loop, needs */
    struct ir_inst **before, **after; /* by id of the head's: the value in the guard, at the end of a turn */
    uint32_t *var;                    /* by id: variable + 1 */
    uint32_t ids;                     /* of what was there */
};

/* Where the use of source k takes place: for phis, at the end of the predecessor. */
static struct ir_block *place_of_use(const struct ir_inst *user, uint32_t k) {
    return user->op == IR_PHI ? user->phi_block[k] : user->block;
}

static bool of_head(const struct rotate *r, const struct ir_inst *inst) {
    return inst->block == r->head && inst->id < r->ids;
}

/* Marks what the test needs, and what is used behind the loop; false where that is too much or can't be
 * copied. */
static bool find_test(struct rotate *r) {
    uint32_t cost = 0;
    r->test[r->head->last->src[0]->id] = true;
    ir_for_blocks(r->shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++) {
                const struct ir_block *at = place_of_use(inst, k);
                bool leaves = inst->op == IR_PHI && block == r->out && at == r->head;
                if (inst->src[k]->block == r->head && (leaves || !ir_in_loop(at, r->head)))
                    r->test[inst->src[k]->id] = true;
            }
        }
    }
    for (const struct ir_inst *inst = r->head->last->prev; inst && inst->op != IR_PHI; inst = inst->prev) {
        const struct ir_op_info *info = ir_op_info((enum ir_op)inst->op);
        if (info->effect)
            return false;
        if (!r->test[inst->id])
            continue;
        if (!info->pure || info->gathers || inst->op == IR_TEXEL)
            return false;
        cost += !ir_is_free(inst);
        for (uint32_t k = 0; k < inst->nsrc; k++)
            r->test[inst->src[k]->id] = true;
    }
    return cost <= MOST_COPIED;
}

/* A block of its own between the head and its predecessors, those within the loop (`back`) or those
 * before it. */
static struct ir_block *collect(struct rotate *r, bool back) {
    struct ir_block *head = r->head, *made = ir_block_create(r->shader);
    for (struct ir_inst *phi = head->first; phi && phi->op == IR_PHI; phi = phi->next) {
        struct ir_inst *only = NULL, *joined = NULL;
        struct ir_builder b = ir_builder_at_end(made);
        b.loc = phi->loc;
        b.precision = phi->precision;
        b.exact = phi->exact;
        uint32_t kept = 0, taken = 0;
        for (uint32_t k = 0; k < phi->nsrc; k++)
            taken += ir_in_loop(phi->phi_block[k], head) == back;
        if (taken > 1)
            joined = ir_phi(&b, (enum ir_type)phi->type);
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            if (ir_in_loop(phi->phi_block[k], head) != back) {
                phi->phi_block[kept] = phi->phi_block[k];
                phi->src[kept++] = phi->src[k];
            } else if (joined) {
                ir_phi_add(joined, phi->phi_block[k], phi->src[k]);
            } else {
                only = phi->src[k];
            }
        }
        phi->nsrc = kept;
        ir_phi_add(phi, made, joined ? joined : only);
    }
    for (uint32_t p = 0; p < head->npred; p++) {
        struct ir_block *from = head->pred[p];
        if (ir_in_loop(from, head) != back)
            continue;
        for (int s = 0; s < 2; s++)
            if (from->succ[s] == head)
                from->succ[s] = made;
    }
    return made;
}

static struct ir_inst *phi_source(const struct ir_inst *phi, const struct ir_block *from) {
    for (uint32_t k = 0; k < phi->nsrc; k++)
        if (phi->phi_block[k] == from)
            return phi->src[k];
    return NULL;
}

/* The head's value at the end of `at`, which is the guard or the latch. */
static struct ir_inst *value_at(const struct rotate *r, struct ir_inst *const *map, struct ir_inst *value) {
    return of_head(r, value) && map[value->id] ? map[value->id] : value;
}

static void copy_test(struct rotate *r, struct ir_block *at, struct ir_inst **map) {
    struct ir_builder b = ir_builder_at_end(at);
    for (struct ir_inst *phi = r->head->first; phi && phi->op == IR_PHI; phi = phi->next)
        map[phi->id] = phi_source(phi, at);
    for (struct ir_inst *inst = r->head->first; inst != r->head->last; inst = inst->next) {
        if (inst->op == IR_PHI || !r->test[inst->id])
            continue;
        b.loc = inst->loc;
        b.precision = inst->precision;
        b.exact = inst->exact;
        struct ir_inst *twin = ir_emit(&b, (enum ir_op)inst->op, (enum ir_type)inst->type, inst->nsrc,
                                       inst->src, inst->imm, inst->aux);
        for (uint32_t k = 0; k < inst->nsrc; k++)
            twin->src[k] = value_at(r, map, inst->src[k]);
        map[inst->id] = twin;
    }
}

static uint32_t variable_of(struct rotate *r, const struct ir_inst *value) {
    if (!r->var[value->id]) {
        uint32_t v = ir_add_var(r->shader, "rotated", (enum ir_type)value->type, 1);
        r->shader->vars[v].precision = value->precision;
        r->var[value->id] = v + 1;
    }
    return r->var[value->id] - 1;
}

/* Uses in the loop of what the test computes, and all uses behind the loop, read variables. */
static void demote(struct rotate *r) {
    ir_for_blocks(r->shader, block) {
        ir_for_insts(block, user) {
            for (uint32_t k = 0; k < user->nsrc; k++) {
                struct ir_inst *value = user->src[k];
                struct ir_block *at = place_of_use(user, k);
                if (!of_head(r, value) || !r->test[value->id] || at == r->latch || user == r->head->last)
                    continue;
                bool inside = ir_in_loop(at, r->head);
                if (user->op == IR_PHI && block == r->out && at == r->head)
                    continue; /* replaced by the two ways out */
                if (inside && (value->op == IR_PHI || ir_is_free(value) ||
                               (at == r->head && user->id < r->ids && r->test[user->id])))
                    continue;
                struct ir_builder b = ir_builder_before(user->op == IR_PHI ? at->last : user);
                b.precision = value->precision;
                b.exact = value->exact;
                user->src[k] =
                    ir_emit(&b, IR_VAR_LOAD, (enum ir_type)value->type, 0, NULL, variable_of(r, value), 0);
            }
        }
    }
}

static void store(struct rotate *r, struct ir_block *at, struct ir_inst *const *map) {
    for (struct ir_inst *inst = r->head->first; inst != r->head->last; inst = inst->next) {
        if (inst->id >= r->ids || !r->var[inst->id])
            continue;
        struct ir_builder b = ir_builder_at_end(at);
        b.loc = inst->loc;
        b.precision = inst->precision;
        b.exact = inst->exact;
        struct ir_inst *value = value_at(r, map, inst);
        ir_emit(&b, IR_VAR_STORE, IR_VOID, 1, &value, r->var[inst->id] - 1, 0);
    }
}

static void leave(struct rotate *r, struct ir_block *at, struct ir_inst *const *map) {
    const struct ir_inst *branch = r->head->last;
    struct ir_builder b = ir_builder_at_end(at);
    struct ir_inst *cond = value_at(r, map, branch->src[0]);
    b.loc = branch->loc;
    if (r->head->succ[0] == r->out)
        ir_branch(&b, cond, r->out, r->head);
    else
        ir_branch(&b, cond, r->head, r->out);
}

static bool rotate(struct ir_shader *shader, struct ir_block *head) {
    struct rotate r = {.shader = shader, .head = head, .ids = shader->next_id};
    if (head->last->op != IR_BRANCH || ir_in_loop(head->succ[0], head) == ir_in_loop(head->succ[1], head))
        return false;
    int out = ir_in_loop(head->succ[0], head) ? 1 : 0;
    r.out = head->succ[out];
    r.body = head->succ[!out];
    if (r.body == head)
        return false;
    r.test = ir_alloc(shader->arena, r.ids);
    r.before = ir_alloc(shader->arena, r.ids * sizeof *r.before);
    r.after = ir_alloc(shader->arena, r.ids * sizeof *r.after);
    r.var = ir_alloc(shader->arena, r.ids * sizeof *r.var);
    if (ir_arena_oom(shader->arena) || !find_test(&r))
        return false;
    r.guard = collect(&r, false);
    r.latch = collect(&r, true);
    ir_for_insts(head, phi) {
        if (phi->op == IR_PHI)
            r.test[phi->id] = true;
    }
    demote(&r);
    /* what the latch hands to the head is of the turn that ends: it is read before the test is made again
     */
    for (struct ir_inst *phi = head->first; phi && phi->op == IR_PHI; phi = phi->next) {
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            struct ir_inst *value = phi->src[k];
            if (phi->phi_block[k] != r.latch || !of_head(&r, value) || value->op == IR_PHI ||
                ir_is_free(value) || !r.test[value->id])
                continue;
            struct ir_builder b = ir_builder_at_end(r.latch);
            b.loc = value->loc;
            b.precision = value->precision;
            b.exact = value->exact;
            phi->src[k] =
                ir_emit(&b, IR_VAR_LOAD, (enum ir_type)value->type, 0, NULL, variable_of(&r, value), 0);
        }
    }
    copy_test(&r, r.guard, r.before);
    copy_test(&r, r.latch, r.after);
    store(&r, r.guard, r.before);
    store(&r, r.latch, r.after);
    leave(&r, r.guard, r.before);
    leave(&r, r.latch, r.after);
    for (struct ir_inst *phi = r.out->first; phi && phi->op == IR_PHI; phi = phi->next) {
        struct ir_inst *value = phi_source(phi, head);
        ir_phi_add(phi, r.guard, value_at(&r, r.before, value));
        ir_phi_add(phi, r.latch, value_at(&r, r.after, value));
    }
    ir_block_remove_pred(r.out, head);
    struct ir_builder b = ir_builder_before(head->last);
    ir_remove(head->last);
    b.before = NULL;
    ir_jump(&b, r.body);
    ir_cfg_update(shader);
    return true;
}

/* The loop to try next: the deepest not yet tried, the first of those. */
static struct ir_block *candidate(struct ir_shader *shader) {
    struct ir_block *best = NULL;
    ir_for_blocks(shader, block) {
        if (block->loop_header == block && !block->last->mark &&
            (!best || block->loop_depth > best->loop_depth))
            best = block;
    }
    return best;
}

bool pass_rotate(struct ir_shader *shader, const struct pass_options *options) {
    bool changed = false;
    for (struct ir_block *head; !ir_arena_oom(shader->arena) && (head = candidate(shader));) {
        bool done = rotate(shader, head);
        head->last->mark = true; /* tried; a head that ends in a jump now is none that could be again */
        if (!done)
            continue;
        ir_dominators(shader);
        pass_ssa(shader, options);
        ir_loops(shader);
        changed = true;
    }
    ir_for_blocks(shader, block) {
        block->last->mark = false;
    }
    return changed;
}
