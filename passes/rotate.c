/* rotate: loops test at their end.
 *
 * requires: blocks in order, dominators, loops, SSA.
 * keeps:    SSA; how often everything is executed.
 * breaks:   the analyses, when it reports a change.
 *
 *     head: test, leave or go on; body; jump head
 *  →  the test once before the loop; head: body; the test again, go back or leave
 *
 * An iteration then has one branch instead of two, and mostly one block: the uniform stream is reset in one
 * place, the body fills the delay slots, and the lane mask changes once. Whatever the head computes for the
 * test is copied to both places; the rest stays where it is. A head that computes much for its test is left
 * alone, because the copy makes the code larger.
 *
 * Values of the head that are used elsewhere get a second definition. They go through variables, which the
 * ssa pass's function turns into values again. Loops of equal depth do not contain each other, so they are
 * rotated together, the deepest first: one traversal of the shader for each depth instead of one for each
 * loop. */
#include "passes/passes.h"

#include <string.h>

enum { MOST_COPIED = 12 }; /* instructions of a test */

struct rotation {
    struct ir_block *head, *out; /* out: where the head leaves to */
    struct ir_block *body, *guard,
        *latch; /* guard: the test before the loop; latch: the end of an iteration */
};

struct rotate {
    struct ir_shader *shader;
    struct rotation **of; /* by block id: what is rotated with this head */
    uint32_t blocks;      /* ids of what was there */
    bool *test;           /* by id: an instruction of a head that the test, or what follows the loop, needs */
    struct ir_inst **map; /* by id of a head's: the value in the guard, then at the end of an iteration */
    uint32_t *var;        /* by id: variable + 1 */
    uint32_t ids;         /* of what was there */
};

/* Where the use of source k takes place: for phis, at the end of the predecessor. */
static struct ir_block *place_of_use(const struct ir_inst *user, uint32_t k) {
    return user->op == IR_PHI ? user->phi_block[k] : user->block;
}

/* The loop in whose head the instruction stands, NULL: in none that is rotated. */
static struct rotation *loop_of(const struct rotate *r, const struct ir_inst *inst) {
    return inst->id < r->ids && inst->block->id < r->blocks ? r->of[inst->block->id] : NULL;
}

/* Marks what is used after a loop, and what the tests need themselves. */
static void find_leaving(struct rotate *r) {
    ir_for_blocks(r->shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++) {
                struct rotation *loop = loop_of(r, inst->src[k]);
                if (!loop)
                    continue;
                const struct ir_block *at = place_of_use(inst, k);
                bool leaves = inst->op == IR_PHI && block == loop->out && at == loop->head;
                if (leaves || !ir_in_loop(at, loop->head) || inst == loop->head->last)
                    r->test[inst->src[k]->id] = true;
            }
        }
    }
}

/* Marks what those need that are marked; false where that is too much or can't be copied. */
static bool find_test(struct rotate *r, const struct rotation *loop) {
    uint32_t cost = 0;
    for (const struct ir_inst *inst = loop->head->last->prev; inst && inst->op != IR_PHI; inst = inst->prev) {
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
static struct ir_block *collect(struct rotate *r, struct ir_block *head, bool back) {
    struct ir_block *made = ir_block_create(r->shader);
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
            ir_label(joined = ir_phi(&b, (enum ir_type)phi->type), phi->label);
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

static struct ir_builder builder_like(struct ir_builder b, const struct ir_inst *inst) {
    b.loc = inst->loc;
    b.precision = inst->precision;
    b.exact = inst->exact;
    return b;
}

static struct ir_inst *load(struct ir_builder b, const struct ir_inst *value, uint32_t variable) {
    b.precision = value->precision;
    b.exact = value->exact;
    return ir_emit(&b, IR_VAR_LOAD, (enum ir_type)value->type, 0, NULL, variable, 0);
}

/* The head's value at the end of `at`, which is the guard or the latch. */
static struct ir_inst *value_at(const struct rotate *r, const struct rotation *loop, struct ir_block *at,
                                struct ir_inst *value) {
    if (value->block != loop->head)
        return value;
    if (value->id >= r->ids) /* another loop's value, which demote reads from its variable here */
        return load(ir_builder_at_end(at), value, value->imm);
    return r->map[value->id] ? r->map[value->id] : value;
}

static void copy_test(struct rotate *r, const struct rotation *loop, struct ir_block *at) {
    for (struct ir_inst *phi = loop->head->first; phi && phi->op == IR_PHI; phi = phi->next)
        r->map[phi->id] = phi_source(phi, at);
    for (struct ir_inst *inst = loop->head->first; inst != loop->head->last; inst = inst->next) {
        if (inst->op == IR_PHI || inst->id >= r->ids || !r->test[inst->id])
            continue;
        struct ir_inst *source[4];
        for (uint32_t k = 0; k < inst->nsrc; k++)
            source[k] = value_at(r, loop, at, inst->src[k]);
        struct ir_builder b = builder_like(ir_builder_at_end(at), inst);
        r->map[inst->id] = ir_emit(&b, (enum ir_op)inst->op, (enum ir_type)inst->type, inst->nsrc, source,
                                   inst->imm, inst->aux);
        ir_label(r->map[inst->id], inst->label);
    }
}

static uint32_t variable_of(struct rotate *r, const struct ir_inst *value) {
    if (!r->var[value->id]) {
        uint32_t v = ir_add_var(r->shader, "rotated", (enum ir_type)value->type, 1);
        r->shader->vars[v].precision = value->precision;
        r->shader->vars[v].label = value->label;
        r->var[value->id] = v + 1;
    }
    return r->var[value->id] - 1;
}

/* Does source k of the user, a value that the loop's test computes, need a variable? What the latch hands to
 * the head is of the iteration that ends: it is read before the test is repeated. */
static bool needs_variable(const struct rotate *r, const struct rotation *loop, const struct ir_inst *user,
                           uint32_t k) {
    const struct ir_inst *value = user->src[k];
    const struct ir_block *at = place_of_use(user, k);
    if (!r->test[value->id] || user == loop->head->last)
        return false;
    if (user->op == IR_PHI && user->block == loop->out && at == loop->head)
        return false; /* replaced by the two edges out */
    if (at == loop->latch)
        return user->block == loop->head && value->op != IR_PHI && !ir_is_free(value);
    bool own = at == loop->head && user->id < r->ids && r->test[user->id];
    return !ir_in_loop(at, loop->head) || !(value->op == IR_PHI || ir_is_free(value) || own);
}

/* Uses in a loop of what its test computes, and all uses after it, read variables. */
static void demote(struct rotate *r) {
    ir_for_blocks(r->shader, block) {
        ir_for_insts(block, user) {
            for (uint32_t k = 0; k < user->nsrc; k++) {
                struct ir_inst *value = user->src[k];
                const struct rotation *loop = loop_of(r, value);
                if (!loop || !needs_variable(r, loop, user, k))
                    continue;
                struct ir_block *at = place_of_use(user, k);
                struct ir_inst *before = user->op == IR_PHI ? at->last : user;
                bool ends = before && (user->op != IR_PHI || ir_ops[before->op].terminator);
                user->src[k] = load(ends ? ir_builder_before(before) : ir_builder_at_end(at), value,
                                    variable_of(r, value));
            }
        }
    }
}

static void store(struct rotate *r, const struct rotation *loop, struct ir_block *at) {
    for (struct ir_inst *inst = loop->head->first; inst != loop->head->last; inst = inst->next) {
        if (inst->id >= r->ids || !r->var[inst->id])
            continue;
        struct ir_inst *value = value_at(r, loop, at, inst);
        struct ir_builder b = builder_like(ir_builder_at_end(at), inst);
        ir_emit(&b, IR_VAR_STORE, IR_VOID, 1, &value, r->var[inst->id] - 1, 0);
    }
}

static void leave(struct rotate *r, const struct rotation *loop, struct ir_block *at) {
    const struct ir_inst *branch = loop->head->last;
    struct ir_inst *cond = value_at(r, loop, at, branch->src[0]);
    struct ir_builder b = ir_builder_at_end(at);
    b.loc = branch->loc;
    if (loop->head->succ[0] == loop->out)
        ir_branch(&b, cond, loop->out, loop->head);
    else
        ir_branch(&b, cond, loop->head, loop->out);
}

/* The test at the end of `at`, which is the guard or the latch. */
static void test_at(struct rotate *r, const struct rotation *loop, struct ir_block *at) {
    copy_test(r, loop, at);
    store(r, loop, at);
    for (struct ir_inst *phi = loop->out->first; phi && phi->op == IR_PHI; phi = phi->next)
        ir_phi_add(phi, at, value_at(r, loop, at, phi_source(phi, loop->head)));
    leave(r, loop, at);
}

static bool is_candidate(const struct ir_block *block, uint32_t depth) {
    return block->loop_header == block && block->loop_depth == depth && block->last->op == IR_BRANCH &&
           block->succ[0] != block && block->succ[1] != block &&
           ir_in_loop(block->succ[0], block) != ir_in_loop(block->succ[1], block);
}

/* All loops of one depth. */
static bool rotate(struct ir_shader *shader, uint32_t depth) {
    uint32_t ids = shader->next_id, blocks = shader->nblocks, count = 0;
    struct rotate r = {.shader = shader, .ids = ids, .blocks = blocks};
    r.of = ir_alloc(shader->arena, blocks * sizeof *r.of);
    r.test = ir_alloc(shader->arena, ids);
    r.map = ir_alloc(shader->arena, ids * sizeof *r.map);
    r.var = ir_alloc(shader->arena, ids * sizeof *r.var);
    struct rotation *loop = ir_alloc(shader->arena, blocks * sizeof *loop);
    if (ir_arena_oom(shader->arena))
        return false;
    ir_for_blocks(shader, block) {
        if (is_candidate(block, depth)) {
            bool first_out = !ir_in_loop(block->succ[0], block);
            loop[count] = (struct rotation){.head = block, .out = block->succ[!first_out]};
            r.of[block->id] = &loop[count++];
        }
    }
    find_leaving(&r);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        struct ir_block *head = loop[k].head;
        r.of[head->id] = NULL;
        if (!find_test(&r, &loop[k]))
            continue;
        loop[kept] = loop[k];
        r.of[head->id] = &loop[kept++];
    }
    for (uint32_t k = 0; k < kept; k++) {
        loop[k].guard = collect(&r, loop[k].head, false);
        loop[k].latch = collect(&r, loop[k].head, true);
    }
    for (uint32_t k = 0; k < kept; k++) {
        struct ir_block *head = loop[k].head;
        bool first_out = head->succ[0] == loop[k].out || !ir_in_loop(head->succ[0], head);
        loop[k].out = head->succ[!first_out]; /* another loop's guard by now, perhaps */
        loop[k].body = head->succ[first_out];
        for (struct ir_inst *phi = head->first; phi && phi->op == IR_PHI; phi = phi->next)
            r.test[phi->id] = true;
    }
    demote(&r);
    for (uint32_t k = 0; k < kept; k++) {
        struct ir_block *head = loop[k].head;
        test_at(&r, &loop[k], loop[k].guard);
        test_at(&r, &loop[k], loop[k].latch);
        ir_block_remove_pred(loop[k].out, head);
        ir_remove(head->last);
        struct ir_builder b = ir_builder_at_end(head);
        ir_jump(&b, loop[k].body);
    }
    if (kept)
        ir_cfg_update(shader);
    return kept;
}

bool pass_rotate(struct ir_shader *shader, const struct pass_options *options) {
    bool changed = false;
    uint32_t deepest = 0;
    ir_for_blocks(shader, block) {
        deepest = block->loop_depth > deepest ? block->loop_depth : deepest;
    }
    for (uint32_t depth = deepest; depth > 0 && !ir_arena_oom(shader->arena); depth--) {
        if (!rotate(shader, depth))
            continue;
        ir_dominators(shader);
        pass_ssa(shader, options);
        ir_loops(shader);
        changed = true;
    }
    return changed;
}
