/* unroll: loops whose trip count is a constant become straight lines.
 *
 * requires: blocks in order, dominators, loops, SSA.
 * keeps:    SSA.
 * breaks:   the analyses, when it reports a change.
 *
 * The trip count is found by doing: the loop is run at compile time with what is known (constants and what
 * follows from them), both ways of a branch that is not known being taken. A trip from which no known way
 * leads back to the head is the last. So it does not matter where the loop's tests stand, how the counter
 * counts, or that a break or continue inside depends on run-time values. If the bounds on size and trips are
 * met the loop is run once more and each trip's blocks are copied, known branches as jumps and known values
 * as constants. Inner loops come first; one whose count depends on an outer counter is looked at again when
 * the outer has been unrolled.
 *
 * Values used after the loop get several definitions by this. They go through variables, and the ssa pass's
 * function makes values of those again. Loops that lie equally deep do not contain each other: they are
 * unrolled together, the deepest first, so that the shader is gone through once for each depth, not for each
 * loop.
 *
 * A loop that the source wants unrolled may grow to more than others; one that it wants to stay a loop stays
 * (ir_hint). */
#include "passes/unroll.h"

/* A loop that indexes variables by its counter may grow by this factor, and the shader with it. */
enum { INDEXED = 4, INDEXED_TOTAL = 2 };

/* --- values that leave the loop ------------------------------------------------------------------------- */

/* A texel is read from a lookup and not from a variable that holds one: it joins the lookup in the loop. */
static void pull_texels(struct unroll *u) {
    ir_for_blocks(u->shader, block) {
        ir_for_insts(block, inst) {
            const struct loop *l = inst->op == IR_TEXEL ? loop_of(u, inst->src[0]->block) : NULL;
            if (l && !inside(l, block))
                ir_move_before(inst, inst->src[0]->next);
        }
    }
}

/* Where the use of source k takes place: for phis, at the end of the predecessor. */
static struct ir_block *place_of_use(const struct ir_inst *user, uint32_t k) {
    return user->op == IR_PHI ? user->phi_block[k] : user->block;
}

static struct ir_builder builder_like(struct ir_builder b, const struct ir_inst *inst) {
    b.precision = inst->precision;
    b.exact = inst->exact;
    return b;
}

/* A variable that holds the value after each trip. */
static uint32_t make_variable(struct unroll *u, struct ir_inst *value) {
    uint32_t v = ir_add_var(u->shader, "unrolled", (enum ir_type)value->type, 1);
    u->shader->vars[v].precision = value->precision;
    u->shader->vars[v].label = value->label;
    struct ir_inst *after = value->next;
    while (after->op == IR_PHI)
        after = after->next;
    struct ir_builder b = builder_like(ir_builder_before(after), value);
    b.loc = value->loc;
    ir_emit(&b, IR_VAR_STORE, IR_VOID, 1, &value, v, 0);
    return v;
}

static void demote(struct unroll *u) {
    uint32_t *var = ir_alloc(u->work, u->ids * sizeof *var); /* variable + 1 */
    ir_for_blocks(u->shader, block) {
        ir_for_insts(block, user) {
            for (uint32_t k = 0; k < user->nsrc; k++) {
                struct ir_inst *value = user->src[k];
                const struct loop *l = loop_of(u, value->block);
                if (!l || inside(l, place_of_use(user, k)) || value->id >= u->ids)
                    continue;
                struct ir_inst *at = user->op == IR_PHI ? user->phi_block[k]->last : user;
                struct ir_builder b = builder_like(ir_builder_before(at), value);
                struct known known = unroll_known_after(l, value);
                if (known.is) {
                    user->src[k] = ir_const(&b, (enum ir_type)value->type, known.bits);
                    continue;
                }
                if (!var[value->id])
                    var[value->id] = make_variable(u, value) + 1;
                user->src[k] =
                    ir_emit(&b, IR_VAR_LOAD, (enum ir_type)value->type, 0, NULL, var[value->id] - 1, 0);
            }
        }
    }
}

/* --- copying -------------------------------------------------------------------------------------------- */

static struct ir_inst *copy_of(const struct loop *l, struct ir_inst *inst) {
    return inside(l, inst->block) ? l->all->copy[inst->id] : inst;
}

static void copy_inst(struct loop *l, struct ir_block *to, const struct ir_inst *inst) {
    struct ir_builder b = builder_like(ir_builder_at_end(to), inst);
    b.loc = inst->loc;
    if (inst->op == IR_PHI && !l->all->value[inst->id].is) {
        l->all->copy[inst->id] = ir_phi(&b, (enum ir_type)inst->type); /* sources when all blocks are there */
        ir_label(l->all->copy[inst->id], inst->label);
        return;
    }
    if (l->all->value[inst->id].is) {
        l->all->copy[inst->id] = ir_const(&b, (enum ir_type)inst->type, l->all->value[inst->id].bits);
        return;
    }
    struct ir_inst *twin = ir_emit(&b, (enum ir_op)inst->op, (enum ir_type)inst->type, inst->nsrc, inst->src,
                                   inst->imm, inst->aux);
    for (uint32_t k = 0; k < inst->nsrc; k++)
        twin->src[k] = copy_of(l, inst->src[k]);
    ir_label(twin, inst->label);
    l->all->copy[inst->id] = twin;
}

/* The head's phis of this trip: what came in, or what the trip before left. `came` has, per phi, a phi that
 * collects them in the head's copy. */
static struct ir_block *make_head(struct loop *l, struct ir_inst **came) {
    struct ir_block *head = ir_block_create(l->all->shader);
    uint32_t k = 0;
    for (const struct ir_inst *phi = l->header->first; phi && phi->op == IR_PHI; phi = phi->next, k++) {
        struct ir_builder b = builder_like(ir_builder_at_end(head), phi);
        b.loc = phi->loc;
        came[k] = ir_phi(&b, (enum ir_type)phi->type);
        ir_label(came[k], phi->label);
    }
    return head;
}

static void leave_loop(struct loop *l, struct ir_block *from, struct ir_block *copy, struct ir_block *to) {
    for (struct ir_inst *phi = to->first; phi && phi->op == IR_PHI; phi = phi->next) {
        uint32_t n = phi->nsrc;
        for (uint32_t k = 0; k < n; k++)
            if (phi->phi_block[k] == from) {
                ir_phi_add(phi, copy, copy_of(l, phi->src[k]));
                break;
            }
    }
}

static void go_back(struct loop *l, struct ir_block *from, struct ir_block *copy, struct ir_inst **came) {
    uint32_t k = 0;
    for (const struct ir_inst *phi = l->header->first; phi && phi->op == IR_PHI; phi = phi->next, k++)
        for (uint32_t s = 0; s < phi->nsrc; s++)
            if (phi->phi_block[s] == from)
                ir_phi_add(came[k], copy, copy_of(l, phi->src[s]));
}

static void fill_phis(struct loop *l, struct ir_block *block) {
    for (struct ir_inst *phi = block->first; phi && phi->op == IR_PHI; phi = phi->next) {
        struct ir_inst *twin = l->all->copy[phi->id];
        if (twin->op != IR_PHI) /* known */
            continue;
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            struct ir_block *from = phi->phi_block[k];
            if (l->all->reached[from->id] && l->all->taken[from->id][from->succ[0] == block ? 0 : 1])
                ir_phi_add(twin, l->all->place[from->id], copy_of(l, phi->src[k]));
        }
    }
}

/* In this trip the branch at the block's end goes one way. Those that leave a loop are the loop's. */
static void note_folded(const struct loop *l, const struct ir_block *block, struct ir_block *const to[2]) {
    const struct ir_block *header = block->loop_header;
    if (!l->all->options->decisions || block->last->op != IR_BRANCH || (to[0] && to[1]) ||
        !ir_in_loop(block->succ[0], header) || !ir_in_loop(block->succ[1], header))
        return;
    struct decision d = decisions_of_branch(block);
    d.choice = QPUCC_CHOICE_FOLDED;
    d.why = QPUCC_WHY_CONSTANT;
    d.uniform = true;
    decisions_add(l->all->options->decisions, d);
}

/* Copies what the trip just run may execute. head and came: this trip's; replaced by the next one's. */
static void copy_trip(struct loop *l, struct ir_block **head, struct ir_inst **came,
                      struct ir_inst **came_next) {
    struct ir_shader *shader = l->all->shader;
    struct ir_block *next_head = l->back ? make_head(l, came_next) : NULL;
    l->all->place[l->first] = *head;
    for (uint32_t b = l->first + 1; b < l->end; b++)
        if (l->all->reached[b]) {
            l->all->place[b] = ir_block_create(shader);
            l->all->place[b]->hint = shader->blocks[b]->hint;
        }
    for (uint32_t b = l->first; b < l->end; b++) {
        uint32_t phi = 0;
        if (!l->all->reached[b])
            continue;
        for (const struct ir_inst *inst = shader->blocks[b]->first; inst != shader->blocks[b]->last;
             inst = inst->next) {
            if (b == l->first && inst->op == IR_PHI)
                l->all->copy[inst->id] = came[phi++];
            /* A counter is a number in its trip: what it counted for, an inner loop say, can see it. */
            if (b != l->first || inst->op != IR_PHI || l->all->value[inst->id].is)
                copy_inst(l, l->all->place[b], inst);
        }
    }
    for (uint32_t b = l->first; b < l->end; b++) {
        struct ir_block *block = shader->blocks[b], *to[2] = {NULL, NULL};
        if (!l->all->reached[b])
            continue;
        if (block != l->header)
            fill_phis(l, block);
        for (int s = 0; s < 2; s++) {
            if (!l->all->taken[b][s])
                continue;
            if (!inside(l, block->succ[s])) {
                to[s] = block->succ[s];
                leave_loop(l, block, l->all->place[b], to[s]);
            } else if (block->succ[s] == l->header) {
                to[s] = next_head;
                go_back(l, block, l->all->place[b], came_next);
            } else {
                to[s] = l->all->place[block->succ[s]->id];
            }
        }
        note_folded(l, block, to);
        struct ir_builder builder = ir_builder_at_end(l->all->place[b]);
        builder.loc = block->last->loc;
        if (to[0] && to[1]) {
            ir_branch(&builder, copy_of(l, block->last->src[0]), to[0], to[1]);
            l->all->place[b]->last->aux = block->last->aux;
        } else
            ir_jump(&builder, to[0] ? to[0] : to[1]);
    }
    for (uint32_t k = 0; k < l->nphis; k++)
        came[k] = l->back ? came_next[k] : NULL;
    *head = next_head;
}

static void copy_loop(struct loop *l) {
    struct ir_inst **came = ir_alloc(l->all->work, 2 * (l->nphis + 1u) * sizeof *came),
                   **came_next = came + l->nphis + 1;
    struct ir_block *head = make_head(l, came);
    l->copied_header = head;
    uint32_t k = 0;
    for (const struct ir_inst *phi = l->header->first; phi && phi->op == IR_PHI; phi = phi->next, k++)
        for (uint32_t s = 0; s < phi->nsrc; s++)
            if (!inside(l, phi->phi_block[s]))
                ir_phi_add(came[k], phi->phi_block[s], phi->src[s]);
    unroll_enter(l);
    while (head) {
        unroll_run_trip(l);
        copy_trip(l, &head, came, came_next);
        unroll_next_state(l);
    }
}

/* Who came to a loop comes to its copy. The originals are unreachable then, and exits' phis forget them. */
static void enter_copies(struct unroll *u) {
    ir_for_blocks(u->shader, from) {
        for (int s = 0; s < 2; s++) {
            const struct loop *l = from->succ[s] ? loop_of(u, from->succ[s]) : NULL;
            if (l && l->header == from->succ[s] && !inside(l, from))
                from->succ[s] = l->copied_header;
        }
    }
    ir_cfg_update(u->shader);
}

/* --- driver --------------------------------------------------------------------------------------------- */

static bool allocate(struct unroll *u) {
    size_t ids = u->shader->next_id, blocks = u->shader->nblocks;
    u->value = ir_alloc(u->work, ids * sizeof *u->value);
    u->copy = ir_alloc(u->work, ids * sizeof *u->copy);
    u->taken = ir_alloc(u->work, blocks * sizeof *u->taken);
    u->reached = ir_alloc(u->work, blocks * sizeof *u->reached);
    u->place = ir_alloc(u->work, blocks * sizeof *u->place);
    return !ir_arena_oom(u->work);
}

static uint32_t size_of_blocks(const struct ir_shader *shader, uint32_t first, uint32_t end) {
    uint32_t size = 0;
    for (uint32_t b = first; b < end; b++)
        for (const struct ir_inst *inst = shader->blocks[b]->first; inst; inst = inst->next)
            size++;
    return size;
}

/* Of a shader that may grow to `total` and has that size. */
static uint32_t least(uint64_t limit, uint64_t total, uint64_t size) {
    uint64_t left = total > size ? total - size : 0, most = limit < left ? limit : left;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Of the loop, whatever the shader may still grow to. */
static uint32_t own_limit(const struct loop *l) {
    const struct pass_options *o = l->all->options;
    return l->header->hint == IR_HINT_UNROLL ? larger(o->unroll_limit, o->unroll_hinted) : o->unroll_limit;
}

static void set_limits(struct loop *l, uint32_t size) {
    const struct pass_options *o = l->all->options;
    bool asked = l->header->hint == IR_HINT_UNROLL;
    uint32_t limit = own_limit(l),
             total = asked ? larger(o->unroll_total, o->unroll_hinted_total) : o->unroll_total;
    l->limit = least(limit, total, size);
    l->limit_indexed = least(INDEXED * (uint64_t)limit, INDEXED_TOTAL * (uint64_t)total, size);
}

/* By the header's hint, unless nothing else fits. */
static bool has_to_stay(const struct loop *l) {
    return l->header->hint == IR_HINT_DONT_UNROLL && !l->all->options->unroll_all;
}

/* Why a loop stays that has an end. */
static enum qpucc_why why_it_stays(const struct loop *l) {
    uint32_t limit = own_limit(l);
    return has_to_stay(l)                          ? QPUCC_WHY_HINT
           : limit == 0                            ? QPUCC_WHY_OPTION
           : limit < l->all->options->unroll_usual ? QPUCC_WHY_REGISTERS
           : l->limit < limit                      ? QPUCC_WHY_SHADER_TOO_LARGE
                                                   : QPUCC_WHY_TOO_LARGE;
}

/* Why one goes whose copies have that size. */
static enum qpucc_why why_it_goes(const struct loop *l, uint32_t size) {
    bool usual = size <= l->all->options->unroll_usual || l->selecting > l->cost;
    if (l->header->hint == IR_HINT_DONT_UNROLL)
        return QPUCC_WHY_REGISTERS;
    return usual ? QPUCC_WHY_FITS : l->header->hint ? QPUCC_WHY_HINT : QPUCC_WHY_REGISTERS;
}

/* For who asks what became of the loop. `goes`: it is unrolled. */
static void note(struct loop *l, bool goes) {
    if (!l->all->options->decisions)
        return;
    struct decision d = decisions_of_loop(l->header);
    d.size = unroll_size(l);
    d.limit = l->selecting > l->cost ? l->limit_indexed : l->limit;
    for (uint32_t b = l->first; b < l->end; b++)
        for (const struct ir_inst *inst = l->all->shader->blocks[b]->first; inst; inst = inst->next)
            d.lookups += inst->op == IR_TEX;
    bool ends =
        goes || unroll_ends_in_time(l, false); /* how often it goes round, whatever that would come to */
    d.choice = goes ? QPUCC_CHOICE_UNROLLED : QPUCC_CHOICE_LOOP;
    d.why = goes ? why_it_goes(l, d.size) : ends ? why_it_stays(l) : l->why;
    d.trips = ends ? unroll_iterations(l) : 0;
    d.at_most = ends && !l->leaves_once;
    if (!ends || d.why == QPUCC_WHY_HINT || d.why == QPUCC_WHY_OPTION)
        d.size = d.limit = goes ? d.size : 0;
    decisions_add(l->all->options->decisions, d);
}

/* Adds the header's loop to those that are unrolled, if it is one that can be. size: the shader's. */
static void consider(struct unroll *u, struct ir_block *header, uint32_t *size) {
    struct loop *l = &u->loop[u->count];
    *l = (struct loop){.all = u, .header = header, .first = header->id, .end = header->id};
    set_limits(l, *size);
    while (l->end < u->blocks && ir_in_loop(u->shader->blocks[l->end], header))
        l->end++;
    for (const struct ir_inst *phi = header->first; phi && phi->op == IR_PHI; phi = phi->next)
        l->nphis++;
    l->state = ir_alloc(u->work, 2 * (l->nphis + 1u) * sizeof *l->state);
    l->next = l->state + l->nphis + 1;
    if (ir_arena_oom(u->work))
        return;
    bool goes = !has_to_stay(l) && unroll_ends_in_time(l, true);
    note(l, goes);
    if (!goes)
        return;
    *size += l->size - size_of_blocks(u->shader, l->first, l->end);
    if (l->size > u->shader->unrolled.size) {
        u->shader->unrolled.size = l->size;
        u->shader->unrolled.trips = unroll_iterations(l);
        u->shader->unrolled.loc = decisions_loop_place(header);
    }
    for (uint32_t b = l->first; b < l->end; b++)
        u->of[b] = l;
    u->count++;
}

/* All loops of one depth. */
static bool unroll(struct ir_shader *shader, const struct pass_options *options, uint32_t depth) {
    struct unroll u = {.shader = shader,
                       .options = options,
                       .work = ir_arena_beside(shader->arena),
                       .blocks = shader->nblocks,
                       .ids = shader->next_id};
    u.loop = ir_alloc(u.work, u.blocks * sizeof *u.loop);
    u.of = ir_alloc(u.work, u.blocks * sizeof *u.of);
    bool done = allocate(&u);
    uint32_t size = size_of_blocks(shader, 0, u.blocks);
    for (uint32_t b = 0; done && b < u.blocks; b++)
        if (shader->blocks[b]->loop_header == shader->blocks[b] && shader->blocks[b]->loop_depth == depth)
            consider(&u, shader->blocks[b], &size);
    if (done && u.count) {
        pull_texels(&u);
        demote(&u);
        done = allocate(&u); /* there are new instructions, but no new blocks */
    }
    for (uint32_t k = 0; done && k < u.count; k++)
        copy_loop(&u.loop[k]);
    done = done && u.count && !ir_arena_oom(u.work);
    if (done)
        enter_copies(&u);
    ir_arena_destroy(u.work);
    return done;
}

bool pass_unroll(struct ir_shader *shader, const struct pass_options *options) {
    bool changed = false;
    uint32_t depth = 0;
    ir_for_blocks(shader, block) {
        depth = block->loop_depth > depth ? block->loop_depth : depth;
    }
    decisions_forget(options->decisions, true);
    while (depth > 0 && !ir_arena_oom(shader->arena)) {
        if (!unroll(shader, options, depth)) {
            depth--;
            continue;
        }
        ir_dominators(shader);
        pass_ssa(shader, options);
        ir_loops(shader);
        changed = true;
        decisions_forget(options->decisions, true);
        depth = 0; /* what was inside a loop may be known now */
        ir_for_blocks(shader, block) {
            depth = block->loop_depth > depth ? block->loop_depth : depth;
        }
    }
    return changed;
}
