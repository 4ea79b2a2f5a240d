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
 * as constants. Inner loops come first; one whose count depends on an outer counter gets its turn when the
 * outer has been unrolled.
 *
 * Values used behind the loop get several definitions by this. They go through variables, and the ssa pass's
 * function makes values of those again. */
#include "passes/eval.h"
#include "passes/passes.h"

struct known {
    bool is;
    uint32_t bits;
};

struct loop {
    struct ir_shader *shader;
    const struct pass_options *options;
    struct ir_arena *work; /* for what follows, as long as the loop is looked at */
    struct ir_block *header;
    uint32_t first, end;        /* the loop's blocks are shader->blocks[first..end) */
    struct known *value;        /* by instruction id: in this trip */
    bool (*taken)[2];           /* by block id: edges that this trip may take */
    bool *reached;              /* by block id */
    struct known *state, *next; /* by header phi, in order: at this trip's and the next one's start */
    uint32_t nphis, limit;
    uint32_t cost, known;    /* instructions of all trips so far, and those whose value is known */
    bool back;               /* this trip may be followed by another */
    struct ir_inst **copy;   /* by instruction id: this trip's copy */
    struct ir_block **place; /* by block id: this trip's copy */
};

static bool inside(const struct loop *l, const struct ir_block *block) {
    return block->id >= l->first && block->id < l->end;
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

static struct known known_of(const struct loop *l, const struct ir_inst *inst) {
    if (ir_is_const(inst))
        return (struct known){true, inst->imm};
    if (!inside(l, inst->block))
        return (struct known){false, 0};
    return l->value[inst->id];
}

/* --- one trip at compile time -------------------------------------------------------------------------- */

static struct known evaluate(const struct loop *l, const struct ir_inst *inst) {
    struct known none = {false, 0}, s[4] = {none}, result = {true, 0};
    uint32_t bits[4];
    bool all = true;
    if (!ir_op_info(inst->op)->folds || inst->nsrc > 4)
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
        if (l->taken[from->id][from->succ[0] == phi->block ? 0 : 1])
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

/* Runs a trip that starts with l->state; fills value, taken, reached, next, back, and adds to cost. */
static void run_trip(struct loop *l) {
    struct ir_mark before = ir_arena_mark(l->work);
    struct meeting *arriving = ir_alloc(l->work, (l->nphis + 1u) * sizeof *arriving);
    l->back = false;
    for (uint32_t b = l->first; b < l->end; b++)
        l->reached[b] = l->taken[b][0] = l->taken[b][1] = false;
    l->reached[l->first] = true;
    for (uint32_t b = l->first; b < l->end; b++) {
        struct ir_block *block = l->shader->blocks[b];
        if (!l->reached[b])
            continue;
        uint32_t phi = 0;
        for (struct ir_inst *inst = block->first; inst; inst = inst->next) {
            if (inst->op == IR_PHI)
                l->value[inst->id] = block == l->header ? l->state[phi++] : evaluate_phi(l, inst);
            else
                l->value[inst->id] = evaluate(l, inst);
            l->cost += inst->op != IR_CONST;
            l->known += inst->op != IR_CONST && l->value[inst->id].is;
            l->cost -= drops_lookup(l, inst);
        }
        struct known way = {false, 0};
        if (block->last->op == IR_BRANCH)
            way = known_of(l, block->last->src[0]);
        l->known += way.is || block->last->op == IR_JUMP;
        for (int s = 0; s < 2; s++) {
            struct ir_block *to = block->succ[s];
            if (!to || (way.is && (way.bits ? 0 : 1) != s))
                continue;
            l->taken[b][s] = true;
            if (!inside(l, to))
                continue;
            if (to != l->header) {
                l->reached[to->id] = true;
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
    ir_arena_rewind(l->work, before);
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
    l->cost = l->known = 0;
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
    bool runs_here = (uint64_t)l->known * 8 > (uint64_t)l->cost * 7 && l->cost <= l->options->unroll_known;
    return runs_here ? l->cost - l->known : l->cost;
}

static bool ends_in_time(struct loop *l) {
    enter_loop(l);
    for (uint32_t trip = 0; trip < l->options->unroll_trips; trip++) {
        run_trip(l);
        if (size_of(l) > l->limit)
            return false;
        if (!l->back)
            return true;
        if (!next_state(l))
            return false;
    }
    return false;
}

/* --- values that leave the loop ------------------------------------------------------------------------ */

/* A texel is read from a lookup and not from a variable that holds one: it joins the lookup in the loop. */
static void pull_texels(struct loop *l) {
    ir_for_blocks(l->shader, block) {
        if (inside(l, block))
            continue;
        ir_for_insts(block, inst) {
            if (inst->op == IR_TEXEL && inside(l, inst->src[0]->block))
                ir_move_before(inst, inst->src[0]->next);
        }
    }
}

/* Where the use of source k takes place: for phis, at the end of the predecessor. */
static struct ir_block *place_of_use(const struct ir_inst *user, uint32_t k) {
    return user->op == IR_PHI ? user->phi_block[k] : user->block;
}

static void demote(struct loop *l) {
    struct ir_shader *shader = l->shader;
    uint32_t ids = shader->next_id;                       /* what is made here needs no variable */
    uint32_t *var = ir_alloc(l->work, ids * sizeof *var); /* variable + 1 */
    ir_for_blocks(shader, block) {
        ir_for_insts(block, user) {
            for (uint32_t k = 0; k < user->nsrc; k++) {
                struct ir_inst *value = user->src[k];
                if (inside(l, place_of_use(user, k)) || !inside(l, value->block) || value->id >= ids)
                    continue;
                if (!var[value->id]) {
                    uint32_t v = ir_add_var(shader, "unrolled", (enum ir_type)value->type, 1);
                    shader->vars[v].precision = value->precision;
                    var[value->id] = v + 1;
                    struct ir_inst *after = value->next;
                    while (after->op == IR_PHI)
                        after = after->next;
                    struct ir_builder b = ir_builder_before(after);
                    b.loc = value->loc;
                    b.precision = value->precision;
                    b.exact = value->exact;
                    ir_emit(&b, IR_VAR_STORE, IR_VOID, 1, &value, v, 0);
                }
                struct ir_builder b = ir_builder_before(user->op == IR_PHI ? user->phi_block[k]->last : user);
                b.precision = value->precision;
                b.exact = value->exact;
                user->src[k] =
                    ir_emit(&b, IR_VAR_LOAD, (enum ir_type)value->type, 0, NULL, var[value->id] - 1, 0);
            }
        }
    }
}

/* --- copying ------------------------------------------------------------------------------------------- */

static struct ir_inst *copy_of(const struct loop *l, struct ir_inst *inst) {
    return inside(l, inst->block) ? l->copy[inst->id] : inst;
}

static void copy_inst(struct loop *l, struct ir_block *to, const struct ir_inst *inst) {
    struct ir_builder b = ir_builder_at_end(to);
    b.loc = inst->loc;
    b.precision = inst->precision;
    b.exact = inst->exact;
    if (inst->op == IR_PHI && !l->value[inst->id].is) {
        l->copy[inst->id] = ir_phi(&b, (enum ir_type)inst->type); /* sources when all blocks are there */
        return;
    }
    if (l->value[inst->id].is) {
        l->copy[inst->id] = ir_const(&b, (enum ir_type)inst->type, l->value[inst->id].bits);
        return;
    }
    struct ir_inst *twin = ir_emit(&b, (enum ir_op)inst->op, (enum ir_type)inst->type, inst->nsrc, inst->src,
                                   inst->imm, inst->aux);
    for (uint32_t k = 0; k < inst->nsrc; k++)
        twin->src[k] = copy_of(l, inst->src[k]);
    l->copy[inst->id] = twin;
}

/* The head's phis of this trip: what came in, or what the trip before left. `came` has, per phi, a phi that
 * collects them in the head's copy. */
static struct ir_block *make_head(struct loop *l, struct ir_inst **came) {
    struct ir_block *head = ir_block_create(l->shader);
    uint32_t k = 0;
    for (const struct ir_inst *phi = l->header->first; phi && phi->op == IR_PHI; phi = phi->next, k++) {
        struct ir_builder b = ir_builder_at_end(head);
        b.loc = phi->loc;
        b.precision = phi->precision;
        b.exact = phi->exact;
        came[k] = ir_phi(&b, (enum ir_type)phi->type);
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
        struct ir_inst *twin = l->copy[phi->id];
        if (twin->op != IR_PHI) /* known */
            continue;
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            struct ir_block *from = phi->phi_block[k];
            if (l->reached[from->id] && l->taken[from->id][from->succ[0] == block ? 0 : 1])
                ir_phi_add(twin, l->place[from->id], copy_of(l, phi->src[k]));
        }
    }
}

/* Copies what the trip just run may execute. head and came: this trip's; replaced by the next one's. */
static void copy_trip(struct loop *l, struct ir_block **head, struct ir_inst **came,
                      struct ir_inst **came_next) {
    struct ir_shader *shader = l->shader;
    struct ir_block *next_head = l->back ? make_head(l, came_next) : NULL;
    l->place[l->first] = *head;
    for (uint32_t b = l->first + 1; b < l->end; b++)
        if (l->reached[b])
            l->place[b] = ir_block_create(shader);
    for (uint32_t b = l->first; b < l->end; b++) {
        uint32_t phi = 0;
        if (!l->reached[b])
            continue;
        for (const struct ir_inst *inst = shader->blocks[b]->first; inst != shader->blocks[b]->last;
             inst = inst->next) {
            if (b == l->first && inst->op == IR_PHI)
                l->copy[inst->id] = came[phi++];
            /* A counter is a number in its trip: what it counted for, an inner loop say, can see it. */
            if (b != l->first || inst->op != IR_PHI || l->value[inst->id].is)
                copy_inst(l, l->place[b], inst);
        }
    }
    for (uint32_t b = l->first; b < l->end; b++) {
        struct ir_block *block = shader->blocks[b], *to[2] = {NULL, NULL};
        if (!l->reached[b])
            continue;
        if (block != l->header)
            fill_phis(l, block);
        for (int s = 0; s < 2; s++) {
            if (!l->taken[b][s])
                continue;
            if (!inside(l, block->succ[s])) {
                to[s] = block->succ[s];
                leave_loop(l, block, l->place[b], to[s]);
            } else if (block->succ[s] == l->header) {
                to[s] = next_head;
                go_back(l, block, l->place[b], came_next);
            } else {
                to[s] = l->place[block->succ[s]->id];
            }
        }
        struct ir_builder builder = ir_builder_at_end(l->place[b]);
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
    struct ir_shader *shader = l->shader;
    uint32_t old_blocks = shader->nblocks;
    struct ir_inst **came = ir_alloc(shader->arena, 2 * (l->nphis + 1u) * sizeof *came),
                   **came_next = came + l->nphis + 1;
    struct ir_block *head = make_head(l, came), *first = head;
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
    for (uint32_t b = 0; b < old_blocks; b++)
        for (int s = 0; s < 2; s++)
            if (!inside(l, shader->blocks[b]) && shader->blocks[b]->succ[s] == l->header)
                shader->blocks[b]->succ[s] = first;
    ir_cfg_update(shader); /* the original is unreachable now, and exits' phis forget it */
}

/* --- driver -------------------------------------------------------------------------------------------- */

static bool allocate(struct loop *l) {
    size_t ids = l->shader->next_id, blocks = l->shader->nblocks;
    l->nphis = 0;
    for (const struct ir_inst *phi = l->header->first; phi && phi->op == IR_PHI; phi = phi->next)
        l->nphis++;
    l->value = ir_alloc(l->work, ids * sizeof *l->value);
    l->copy = ir_alloc(l->work, ids * sizeof *l->copy);
    l->taken = ir_alloc(l->work, blocks * sizeof *l->taken);
    l->reached = ir_alloc(l->work, blocks * sizeof *l->reached);
    l->place = ir_alloc(l->work, blocks * sizeof *l->place);
    l->state = ir_alloc(l->work, 2 * (l->nphis + 1u) * sizeof *l->state);
    l->next = l->state + l->nphis + 1;
    return !ir_arena_oom(l->work);
}

static bool unroll(struct ir_shader *shader, const struct pass_options *options, struct ir_block *header) {
    struct loop l = {.shader = shader, .options = options, .header = header, .first = header->id};
    uint32_t size = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            size++;
        }
    }
    uint32_t left = options->unroll_total > size ? options->unroll_total - size : 0;
    l.limit = options->unroll_limit < left ? options->unroll_limit : left;
    for (l.end = l.first; l.end < shader->nblocks; l.end++) {
        const struct ir_block *h = shader->blocks[l.end]->loop_header;
        while (h && h != header)
            h = h->loop_parent;
        if (!h)
            break;
    }
    l.work = ir_arena_beside(shader->arena);
    bool done = allocate(&l) && ends_in_time(&l);
    if (done) {
        pull_texels(&l);
        demote(&l);
        done = allocate(&l); /* there are new instructions, but no new blocks */
    }
    if (done)
        copy_loop(&l);
    ir_arena_destroy(l.work);
    return done;
}

/* The loop to try next: the deepest not yet tried, the first of those. */
static struct ir_block *candidate(struct ir_shader *shader) {
    struct ir_block *best = NULL;
    ir_for_blocks(shader, block) {
        if (block->loop_header == block && !block->first->mark &&
            (!best || block->loop_depth > best->loop_depth))
            best = block;
    }
    return best;
}

bool pass_unroll(struct ir_shader *shader, const struct pass_options *options) {
    bool changed = false;
    for (struct ir_block *header; !ir_arena_oom(shader->arena) && (header = candidate(shader));) {
        if (!unroll(shader, options, header)) {
            header->first->mark = true; /* tried; first stays first while nothing is unrolled */
            continue;
        }
        ir_for_blocks(shader, block) {
            block->first->mark = false;
        }
        ir_dominators(shader);
        pass_ssa(shader, options);
        ir_loops(shader);
        changed = true;
    }
    ir_for_blocks(shader, block) {
        block->first->mark = false;
    }
    return changed;
}
