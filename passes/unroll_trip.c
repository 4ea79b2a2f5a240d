/* A loop of pass unroll at compile time: what is known in each of its trips, how many there are, and what
 * their copies come to.
 *
 * Requires: blocks in order, loops. Keeps: the shader. */
#include "passes/eval.h"
#include "passes/index.h"
#include "passes/unroll.h"

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

struct known unroll_known_after(const struct loop *l, const struct ir_inst *inst) {
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
    return before ? unroll_known_after(before, inst) : (struct known){false, 0};
}

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

void unroll_run_trip(struct loop *l) {
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

void unroll_enter(struct loop *l) {
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

bool unroll_next_state(struct loop *l) {
    bool differs = false;
    for (uint32_t k = 0; k < l->nphis; k++) {
        differs |= l->state[k].is != l->next[k].is || (l->state[k].is && l->state[k].bits != l->next[k].bits);
        l->state[k] = l->next[k];
    }
    return differs;
}

uint32_t unroll_size(const struct loop *l) {
    bool runs_here =
        (uint64_t)l->known * 8 > (uint64_t)l->cost * 7 && l->cost <= l->all->options->unroll_known;
    return runs_here ? l->cost - l->known : l->cost;
}

/* A variable has no address: the loop selects among all words where a copy names one. Where that is more than
 * half of the loop's time its copies may be many. */
static bool is_too_large(const struct loop *l) {
    return unroll_size(l) > (l->selecting > l->cost ? l->limit_indexed : l->limit);
}

bool unroll_ends_in_time(struct loop *l, bool bounded) {
    unroll_enter(l);
    l->why = QPUCC_WHY_TOO_LARGE;
    for (l->trips = 1; l->trips <= l->all->options->unroll_trips; l->trips++) {
        unroll_run_trip(l);
        if (bounded && is_too_large(l))
            return false;
        if (!l->back)
            return true;
        if (!unroll_next_state(l)) {
            l->why = QPUCC_WHY_COUNT_UNKNOWN;
            return false;
        }
    }
    l->why = l->leaves_once ? QPUCC_WHY_TOO_MANY : QPUCC_WHY_COUNT_UNKNOWN;
    return false;
}

uint32_t unroll_iterations(const struct loop *l) {
    for (uint32_t b = l->first; b < l->end; b++) {
        const struct ir_block *block = l->all->shader->blocks[b];
        if (l->all->reached[b] && (block->succ[0] == l->header || block->succ[1] == l->header))
            return l->trips;
    }
    return l->trips - 1;
}
