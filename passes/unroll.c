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
 * loop. */
#include "passes/eval.h"
#include "passes/index.h"
#include "passes/passes.h"

/* A loop that indexes variables by its counter may grow to so many times as much, and by it the shader. */
enum { INDEXED = 4, INDEXED_TOTAL = 2 };

struct known {
    bool is;
    uint32_t bits;
};

struct loop {
    struct unroll *all;
    struct ir_block *header, *copied_header;
    uint32_t first, end;        /* the loop's blocks are shader->blocks[first..end) */
    struct known *state, *next; /* by header phi, in order: at this trip's and the next one's start */
    uint32_t nphis;
    uint32_t limit, limit_indexed; /* of the copies; the second: where they are much faster than the loop */
    uint32_t trips;                /* when it was found how many there are */
    uint32_t cost, known;          /* instructions of all trips so far, and those whose value is known */
    uint64_t selecting; /* what the loop would take beyond them to select words by indices that are known */
    uint32_t size;      /* of the copies, constants too */
    bool back;          /* this trip may be followed by another */
    bool leaves_once;   /* no trip before this one may leave: what it leaves is what follows sees */
};

/* Loops that are unrolled together. */
struct unroll {
    struct ir_shader *shader;
    const struct pass_options *options;
    struct ir_arena *work; /* for what follows */
    struct loop *loop;
    uint32_t count;
    struct loop **of;        /* by block id: the loop among those that the block lies in */
    uint32_t blocks, ids;    /* of what was there */
    struct known *value;     /* by instruction id: in this trip of its loop */
    bool (*taken)[2];        /* by block id: edges that this trip may take */
    bool *reached;           /* by block id */
    struct ir_inst **copy;   /* by instruction id: this trip's copy */
    struct ir_block **place; /* by block id: this trip's copy */
};

static bool inside(const struct loop *l, const struct ir_block *block) {
    return block->id >= l->first && block->id < l->end;
}

static struct loop *loop_of(const struct unroll *u, const struct ir_block *block) {
    return block->id < u->blocks ? u->of[block->id] : NULL;
}

/* A set of values that may arrive: known while all that came are the same. */
struct meeting {
    struct known value;
    bool any;
};

static void meet(struct meeting *m, struct known value) {
    if (!m->any)
        m->value = value;
    else if (!value.is || !m->value.is || value.bits != m->value.bits)
        m->value.is = false;
    m->any = true;
}

/* A value of the loop after its last trip. */
static struct known known_after(const struct loop *l, const struct ir_inst *inst) {
    if (ir_is_const(inst))
        return (struct known){true, inst->imm};
    return l->leaves_once ? l->all->value[inst->id] : (struct known){false, 0};
}

static struct known known_of(const struct loop *l, const struct ir_inst *inst) {
    if (ir_is_const(inst))
        return (struct known){true, inst->imm};
    if (inside(l, inst->block))
        return l->all->value[inst->id];
    const struct loop *before = loop_of(l->all, inst->block);
    return before ? known_after(before, inst) : (struct known){false, 0};
}

/* --- one trip at compile time --------------------------------------------------------------------------- */

static struct known evaluate(const struct loop *l, const struct ir_inst *inst) {
    struct known none = {false, 0}, s[4] = {none}, result = {true, 0};
    uint32_t bits[4];
    bool all = true;
    if (!ir_ops[inst->op].folds || inst->nsrc > 4)
        return none;
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        s[k] = known_of(l, inst->src[k]);
        bits[k] = s[k].bits;
        all &= s[k].is;
    }
    if (inst->op == IR_BAND || inst->op == IR_BOR) /* one source may be enough */
        for (uint32_t k = 0; k < 2; k++)
            if (s[k].is && s[k].bits == (inst->op == IR_BOR))
                return s[k];
    if (inst->op == IR_SELECT && s[0].is)
        return s[s[0].bits ? 1 : 2];
    return all && ir_eval((enum ir_op)inst->op, inst->imm, bits, inst->nsrc, &result.bits) ? result : none;
}

static struct known evaluate_phi(const struct loop *l, const struct ir_inst *phi) {
    struct meeting m = {0};
    for (uint32_t k = 0; k < phi->nsrc; k++) {
        const struct ir_block *from = phi->phi_block[k];
        if (from->id >= phi->block->id)
            return (struct known){false, 0}; /* an inner loop's: differs from trip to trip there */
        if (l->all->taken[from->id][from->succ[0] == phi->block ? 0 : 1])
            meet(&m, known_of(l, phi->src[k]));
    }
    return m.value;
}

/* Instructions that a trip loses by this one: a lookup among many by the counter is each of them and
 * selections, of which one texel remains. */
static uint32_t drops_lookup(const struct loop *l, const struct ir_inst *inst) {
    struct known chosen = {false, 0};
    if (inst->op == IR_SELECT)
        chosen = known_of(l, inst->src[0]);
    const struct ir_inst *other = chosen.is ? inst->src[chosen.bits ? 2 : 1] : NULL;
    return other && other->op == IR_TEXEL && inside(l, other->block) ? 2 : 0;
}

/* The same of an access to a variable whose index is known in the trip and not in the loop. */
static uint32_t drops_selection(const struct loop *l, const struct ir_inst *inst) {
    uint32_t at = inst->op == IR_VAR_STORE;
    if ((inst->op != IR_VAR_LOAD && inst->op != IR_VAR_STORE) || inst->nsrc <= at ||
        !known_of(l, inst->src[at]).is)
        return 0;
    return 2 * index_words(l->all->shader, inst); /* a comparison and a selection each */
}

/* Runs a trip that starts with l->state; fills value, taken, reached, next, back, and adds to cost. */
static void run_trip(struct loop *l) {
    struct unroll *u = l->all;
    struct ir_mark before = ir_arena_mark(u->work);
    uint32_t size = l->size;
    struct meeting *arriving = ir_alloc(u->work, (l->nphis + 1u) * sizeof *arriving);
    bool leaves = false;
    l->back = false;
    for (uint32_t b = l->first; b < l->end; b++)
        u->reached[b] = u->taken[b][0] = u->taken[b][1] = false;
    u->reached[l->first] = true;
    for (uint32_t b = l->first; b < l->end; b++) {
        struct ir_block *block = u->shader->blocks[b];
        if (!u->reached[b])
            continue;
        uint32_t phi = 0;
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            if (inst->op == IR_PHI)
                u->value[inst->id] = block == l->header ? l->state[phi++] : evaluate_phi(l, inst);
            else
                u->value[inst->id] = evaluate(l, inst);
            l->size++;
            l->cost += inst->op != IR_CONST;
            l->known += inst->op != IR_CONST && u->value[inst->id].is;
            l->cost -= drops_lookup(l, inst);
            l->selecting += drops_selection(l, inst);
        }
        struct known way = {false, 0};
        if (block->last->op == IR_BRANCH)
            way = known_of(l, block->last->src[0]);
        l->known += way.is || block->last->op == IR_JUMP;
        for (int s = 0; s < 2; s++) {
            struct ir_block *to = block->succ[s];
            if (!to || (way.is && (way.bits ? 0 : 1) != s))
                continue;
            u->taken[b][s] = true;
            if (!inside(l, to)) {
                leaves = true;
                continue;
            }
            if (to != l->header) {
                u->reached[to->id] = true;
                continue;
            }
            l->back = true;
            phi = 0;
            for (struct ir_inst *p = to->first; p && p->op == IR_PHI; p = p->next, phi++)
                for (uint32_t k = 0; k < p->nsrc; k++)
                    if (p->phi_block[k] == block)
                        meet(&arriving[phi], known_of(l, p->src[k]));
        }
    }
    for (uint32_t k = 0; k < l->nphis; k++)
        l->next[k] = arriving[k].value;
    ir_arena_rewind(u->work, before);
    ir_work(u->work, l->size - size);
    l->leaves_once &= !(l->back && leaves);
}

static void enter_loop(struct loop *l) {
    uint32_t k = 0;
    for (const struct ir_inst *phi = l->header->first; phi && phi->op == IR_PHI; phi = phi->next, k++) {
        struct meeting m = {0};
        for (uint32_t s = 0; s < phi->nsrc; s++)
            if (!inside(l, phi->phi_block[s]))
                meet(&m, known_of(l, phi->src[s]));
        l->state[k] = m.value;
    }
    l->cost = l->known = l->selecting = l->size = 0;
    l->leaves_once = true;
}

/* Takes the next trip's state over; false if it is this trip's: the loop would go on like that for ever. */
static bool next_state(struct loop *l) {
    bool differs = false;
    for (uint32_t k = 0; k < l->nphis; k++) {
        differs |= l->state[k].is != l->next[k].is || (l->state[k].is && l->state[k].bits != l->next[k].bits);
        l->state[k] = l->next[k];
    }
    return differs;
}

/* What the copies of all trips so far come to. A loop that all but runs at compile time (one that fills a
 * table) counts with what will be left of it; elsewhere the little that folds away is no reason to copy more.
 */
static uint32_t size_of(const struct loop *l) {
    bool runs_here =
        (uint64_t)l->known * 8 > (uint64_t)l->cost * 7 && l->cost <= l->all->options->unroll_known;
    return runs_here ? l->cost - l->known : l->cost;
}

/* A variable has no address: the loop selects among all words where a copy names one. Where that is more than
 * half of the loop's time its copies may be many. */
static bool is_too_large(const struct loop *l) {
    return size_of(l) > (l->selecting > l->cost ? l->limit_indexed : l->limit);
}

static bool ends_in_time(struct loop *l) {
    enter_loop(l);
    for (l->trips = 1; l->trips <= l->all->options->unroll_trips; l->trips++) {
        run_trip(l);
        if (is_too_large(l))
            return false;
        if (!l->back)
            return true;
        if (!next_state(l))
            return false;
    }
    return false;
}

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
                struct known known = known_after(l, value);
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

/* Copies what the trip just run may execute. head and came: this trip's; replaced by the next one's. */
static void copy_trip(struct loop *l, struct ir_block **head, struct ir_inst **came,
                      struct ir_inst **came_next) {
    struct ir_shader *shader = l->all->shader;
    struct ir_block *next_head = l->back ? make_head(l, came_next) : NULL;
    l->all->place[l->first] = *head;
    for (uint32_t b = l->first + 1; b < l->end; b++)
        if (l->all->reached[b])
            l->all->place[b] = ir_block_create(shader);
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
        struct ir_builder builder = ir_builder_at_end(l->all->place[b]);
        builder.loc = block->last->loc;
        if (to[0] && to[1])
            ir_branch(&builder, copy_of(l, block->last->src[0]), to[0], to[1]);
        else
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
    enter_loop(l);
    while (head) {
        run_trip(l);
        copy_trip(l, &head, came, came_next);
        next_state(l);
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

/* Where the loop stands: the jump back has its place (frontend/spirv/control.c). */
static struct ir_loc place_of(const struct loop *l) {
    for (uint32_t k = 0; k < l->header->npred; k++)
        if (inside(l, l->header->pred[k]) && l->header->pred[k]->last->loc.line)
            return l->header->pred[k]->last->loc;
    return l->header->first->loc;
}

/* Of a shader that may grow to `total` and has that size. */
static uint32_t least(uint64_t limit, uint64_t total, uint64_t size) {
    uint64_t left = total > size ? total - size : 0, most = limit < left ? limit : left;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* Adds the header's loop to those that are unrolled, if it is one that can be. size: the shader's. */
static void consider(struct unroll *u, struct ir_block *header, uint32_t *size) {
    const struct pass_options *options = u->options;
    struct loop *l = &u->loop[u->count];
    *l = (struct loop){.all = u, .header = header, .first = header->id, .end = header->id};
    l->limit = least(options->unroll_limit, options->unroll_total, *size);
    l->limit_indexed = least(INDEXED * (uint64_t)options->unroll_limit,
                             INDEXED_TOTAL * (uint64_t)options->unroll_total, *size);
    while (l->end < u->blocks && ir_in_loop(u->shader->blocks[l->end], header))
        l->end++;
    for (const struct ir_inst *phi = header->first; phi && phi->op == IR_PHI; phi = phi->next)
        l->nphis++;
    l->state = ir_alloc(u->work, 2 * (l->nphis + 1u) * sizeof *l->state);
    l->next = l->state + l->nphis + 1;
    if (ir_arena_oom(u->work) || !ends_in_time(l))
        return;
    *size += l->size - size_of_blocks(u->shader, l->first, l->end);
    if (l->size > u->shader->unrolled.size) {
        u->shader->unrolled.size = l->size;
        u->shader->unrolled.trips = l->trips;
        u->shader->unrolled.loc = place_of(l);
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
    while (depth > 0 && !ir_arena_oom(shader->arena)) {
        if (!unroll(shader, options, depth)) {
            depth--;
            continue;
        }
        ir_dominators(shader);
        pass_ssa(shader, options);
        ir_loops(shader);
        changed = true;
        depth = 0; /* what was inside a loop may be known now */
        ir_for_blocks(shader, block) {
            depth = block->loop_depth > depth ? block->loop_depth : depth;
        }
    }
    return changed;
}
