/* Which values cross blocks, and where they live.
 *
 * Requires: a flow. Keeps: the shader.
 *
 * Each value is followed from its readers back to what makes it. That takes as long as the result is: many
 * blocks cost nothing where few values live through them. In masked code a write does not end a life,
 * because lanes that wait may have the value already. There the value is followed forwards again, from all
 * that writes it: where no write leads, no lane has it. */
#include "regalloc/colouring.h"

#include <string.h>

/* --- which values --------------------------------------------------------------------------------------- */

/* Where source k is read: for phis at the end of the edge. */
static const struct ir_block *place_of_use(const struct ir_inst *user, uint32_t k) {
    return user->op == IR_PHI ? user->phi_block[k] : user->block;
}

static void number(struct colouring *h, const struct ir_inst *v) {
    if (h->number[v->id])
        return;
    h->value[h->count] = v;
    h->limit[h->count] = NOBODY;
    h->number[v->id] = ++h->count;
}

/* Lanes that have left a loop keep what they took out of it: writes inside are for the active lanes then. */
static void guard(struct colouring *h, const struct ir_inst *v, const struct ir_block *at) {
    const struct flow *f = h->flow;
    /* a phi is made where it is first written */
    const struct ir_block *made = v->op == IR_PHI ? flow_first_edge(v->block) : v->block;
    for (const struct ir_block *l = made->loop_header; l; l = l->loop_parent) {
        if ((int32_t)at->id <= f->block[l->id].loop_end || !f->block[l->id].masked)
            continue;
        uint32_t *limit = &h->limit[h->number[v->id] - 1];
        if (*limit == NOBODY || l->id < *limit)
            *limit = l->id;
    }
}

void colouring_find_values(struct colouring *h) {
    ir_for_blocks(h->shader, b) {
        ir_for_insts(b, i) {
            if (i->op == IR_PHI)
                number(h, i);
            for (uint32_t k = 0; k < i->nsrc; k++) {
                const struct ir_inst *v = ir_through_bits(i->src[k]);
                const struct ir_block *at = place_of_use(i, k);
                if (flow_rematerialises(v) || (v->block == at && v->op != IR_PHI))
                    continue;
                number(h, v);
                guard(h, v, at);
            }
        }
    }
}

uint32_t colouring_read(const struct colouring *h, const struct ir_inst *user, uint32_t k) {
    const struct ir_inst *v = ir_through_bits(user->src[k]);
    if (!h->number[v->id] || (v->op != IR_PHI && v->block == place_of_use(user, k)))
        return NOBODY;
    return h->number[v->id] - 1;
}

/* --- effects -------------------------------------------------------------------------------------------- */

static void find_effects_at_end(struct colouring *h, const struct ir_block *b, const struct ir_block *to,
                                bool careful) {
    bool masked = h->flow->block[b->id].masked, first = flow_first_edge(to) == b;
    for (const struct ir_inst *phi = to->first; phi && phi->op == IR_PHI; phi = phi->next)
        for (uint32_t k = 0; k < phi->nsrc; k++) {
            if (phi->phi_block[k] != b)
                continue;
            uint32_t v = h->number[phi->id] - 1, from = colouring_read(h, phi, k);
            if (from != NOBODY)
                sparse_add(&h->use, b->id, from);
            if (from == v)
                continue;
            sparse_add(&h->written, b->id, v);
            sparse_add(&h->lane_kill, b->id, v);
            if (!masked || (first && !careful && !h->active[v]))
                sparse_add(&h->kill, b->id, v);
        }
}

void colouring_find_effects(struct colouring *h, bool careful) {
    struct sparse_sets *by_block[] = {&h->use, &h->kill, &h->cut, &h->lane_kill, &h->written};
    sparse_empty(&h->effects);
    for (size_t k = 0; k < sizeof by_block / sizeof *by_block; k++)
        sparse_forget(by_block[k], h->shader->nblocks);
    ir_for_blocks(h->shader, b) {
        ir_for_insts(b, i) {
            uint32_t v;
            for (uint32_t k = 0; k < i->nsrc && i->op != IR_PHI; k++)
                if ((v = colouring_read(h, i, k)) != NOBODY)
                    sparse_add(&h->use, b->id, v);
            if (!h->number[i->id])
                continue;
            v = h->number[i->id] - 1;
            if (i->op == IR_PHI) {
                /* before the paths to it part no lane has anything in it */
                if ((careful || h->active[v]) && h->limit[v] == NOBODY && b->idom)
                    sparse_add(&h->cut, b->idom->id, v);
                continue;
            }
            sparse_add(&h->lane_kill, b->id, v);
            if (!h->flow->block[b->id].masked || h->limit[v] == NOBODY)
                sparse_add(&h->kill, b->id, v);
        }
        for (int e = 0; e < 2; e++)
            if (b->succ[e])
                find_effects_at_end(h, b, b->succ[e], careful);
    }
}

/* --- lives ---------------------------------------------------------------------------------------------- */

/* Values one after the other, each backwards from its readers. */
struct walk {
    struct colouring *h;
    struct sparse_sets *in, *out;
    uint32_t *use_first, *use;       /* value -> blocks that read it */
    uint32_t *seen_in, *seen_out;    /* block -> last value that lives there, + 1 */
    uint32_t *pending, count;        /* blocks to go on from */
    uint32_t *ins, nin, *outs, nout; /* blocks in which this value lives at the beginning, at the end */
    uint32_t *def_first, *def;  /* value -> blocks that write it; NULL: it lives wherever it is read later */
    uint32_t *has_in, *has_out; /* block -> last value that some lane may have there, + 1 */
};

/* A list by value of as many entries as first[v + 1] counts for each; first[v] is where they begin then, and
 * (*next)[v] where the next one goes. */
static uint32_t *make_list(struct ir_arena *arena, uint32_t *first, uint32_t count, uint32_t **next) {
    for (uint32_t v = 0; v < count; v++)
        first[v + 1] += first[v];
    uint32_t *list = ir_alloc(arena, (first[count] + 1) * sizeof *list);
    *next = ir_alloc(arena, (count + 1) * sizeof **next);
    if (!ir_arena_oom(arena))
        memcpy(*next, first, count * sizeof **next);
    return list;
}

static struct walk begin_walk(struct colouring *h, struct sparse_pool *pool, struct sparse_sets *in,
                              struct sparse_sets *out) {
    struct ir_arena *arena = h->flow->arena;
    uint32_t n = h->shader->nblocks;
    struct walk w = {.h = h, .in = in, .out = out};
    sparse_empty(pool);
    sparse_forget(in, n), sparse_forget(out, n);
    w.use_first = ir_alloc(arena, (h->count + 2) * sizeof *w.use_first);
    w.seen_in = ir_alloc(arena, (n + 1) * sizeof *w.seen_in);
    w.seen_out = ir_alloc(arena, (n + 1) * sizeof *w.seen_out);
    w.pending = ir_alloc(arena, (n + 1) * sizeof *w.pending);
    w.ins = ir_alloc(arena, (n + 1) * sizeof *w.ins);
    w.outs = ir_alloc(arena, (n + 1) * sizeof *w.outs);
    if (ir_arena_oom(arena)) /* then all of these may be one block */
        return w;
    for (uint32_t b = 0; b < n; b++)
        FOR_SPARSE(v, &h->use, b) w.use_first[v + 1]++;
    uint32_t *at;
    w.use = make_list(arena, w.use_first, h->count, &at);
    if (ir_arena_oom(arena))
        return w;
    for (uint32_t b = 0; b < n; b++)
        FOR_SPARSE(v, &h->use, b) w.use[at[v]++] = b;
    return w;
}

static void live_in(struct walk *w, uint32_t b, uint32_t v) {
    if (w->seen_in[b] == v + 1)
        return;
    w->seen_in[b] = v + 1;
    w->ins[w->nin++] = b;
    w->pending[w->count++] = b;
}

static void live_out(struct walk *w, uint32_t b, uint32_t v, const struct sparse_sets *kill) {
    if (w->seen_out[b] == v + 1)
        return;
    w->seen_out[b] = v + 1;
    w->outs[w->nout++] = b;
    if (!sparse_has(kill, b, v))
        live_in(w, b, v);
}

/* False: too much work. */
static bool begin_value(struct walk *w, uint32_t v, uint64_t *steps) {
    enum { EACH = 4096 };
    bool goes_on = *steps < EACH || ir_work(w->h->flow->arena, *steps / 8);
    *steps = *steps < EACH ? *steps + 1 : 0;
    if (!goes_on || ir_arena_oom(w->h->flow->arena))
        return false;
    w->nin = w->nout = 0;
    for (uint32_t u = w->use_first[v]; u < w->use_first[v + 1]; u++)
        live_in(w, w->use[u], v);
    return true;
}

/* `held`: only where some lane has it. */
static void end_value(const struct walk *w, uint32_t v, bool held) {
    for (uint32_t k = 0; k < w->nin; k++)
        if (!held || w->has_in[w->ins[k]] == v + 1)
            sparse_add(w->in, w->ins[k], v);
    for (uint32_t k = 0; k < w->nout; k++)
        if (!held || w->has_out[w->outs[k]] == v + 1)
            sparse_add(w->out, w->outs[k], v);
}

/* --- who has a value ------------------------------------------------------------------------------------ */

static void list_defs(struct walk *w) {
    const struct colouring *h = w->h;
    struct ir_arena *arena = h->flow->arena;
    uint32_t n = h->shader->nblocks;
    w->def_first = ir_alloc(arena, (h->count + 2) * sizeof *w->def_first);
    w->has_in = ir_alloc(arena, (n + 1) * sizeof *w->has_in);
    w->has_out = ir_alloc(arena, (n + 1) * sizeof *w->has_out);
    if (ir_arena_oom(arena)) /* then all of these may be one block */
        return;
    for (uint32_t v = 0; v < h->count; v++)
        w->def_first[v + 1] += h->value[v]->op != IR_PHI;
    for (uint32_t b = 0; b < n; b++)
        FOR_SPARSE(v, &h->written, b) w->def_first[v + 1]++;
    uint32_t *at, *def = make_list(arena, w->def_first, h->count, &at);
    if (ir_arena_oom(arena))
        return;
    for (uint32_t v = 0; v < h->count; v++)
        if (h->value[v]->op != IR_PHI)
            def[at[v]++] = h->value[v]->block->id;
    for (uint32_t b = 0; b < n; b++)
        FOR_SPARSE(v, &h->written, b) def[at[v]++] = b;
    w->def = def;
}

/* It is there at the end of b, and so where the program counter goes next, as far as it lives. */
static void has_at_end(struct walk *w, uint32_t b, uint32_t v, uint64_t *steps) {
    uint32_t to[2];
    if (w->has_out[b] == v + 1)
        return;
    w->has_out[b] = v + 1;
    unsigned n = flow_next(w->h->flow, w->h->shader->blocks[b], to);
    for (unsigned k = 0; k < n; k++, ++*steps) {
        if (w->seen_in[to[k]] != v + 1 || w->has_in[to[k]] == v + 1)
            continue;
        w->has_in[to[k]] = v + 1;
        w->pending[w->count++] = to[k];
    }
}

/* Forwards as far as it lives. What is written where nobody has it yet begins there. What the end of a block
 * writes is there although no lane needs what it had before (`cut`). */
static uint64_t find_holders(struct walk *w, uint32_t v) {
    struct colouring *h = w->h;
    uint64_t steps = 0;
    for (uint32_t d = w->def_first[v]; d < w->def_first[v + 1]; d++)
        has_at_end(w, w->def[d], v, &steps);
    while (w->count) {
        uint32_t at = w->pending[--w->count];
        if (w->seen_out[at] == v + 1 && !sparse_has(&h->cut, at, v))
            has_at_end(w, at, v, &steps);
    }
    for (uint32_t d = w->def_first[v]; d < w->def_first[v + 1]; d++)
        if (w->has_in[w->def[d]] != v + 1)
            sparse_add(&h->kill, w->def[d], v);
    return steps;
}

void colouring_find_lives(struct colouring *h) {
    struct walk w = begin_walk(h, &h->lives, &h->in, &h->out);
    uint64_t steps = 0;
    if (h->flow->masked)
        list_defs(&w);
    for (uint32_t v = 0; v < h->count && begin_value(&w, v, &steps); v++) {
        while (w.count) {
            uint32_t to = w.pending[--w.count];
            for (uint32_t k = h->from_first[to]; k < h->from_first[to + 1]; k++, steps++) {
                uint32_t from = h->from[k];
                bool begins = from < to && h->limit[v] == to; /* in the loop that guards it */
                if (!begins && !sparse_has(&h->cut, from, v))
                    live_out(&w, from, v, &h->kill);
            }
        }
        /* what lanes take out of a loop has its register from the loop's beginning on (mir/flow_define.c) */
        bool held = w.def && h->limit[v] == NOBODY;
        if (held)
            steps += find_holders(&w, v);
        end_value(&w, v, held);
    }
}

void colouring_find_lane_lives(struct colouring *h) {
    struct walk w = begin_walk(h, &h->lane_lives, &h->lane_in, &h->lane_out);
    uint64_t steps = 0;
    for (uint32_t v = 0; v < h->count && begin_value(&w, v, &steps); v++) {
        while (w.count) {
            const struct ir_block *to = h->shader->blocks[w.pending[--w.count]];
            for (uint32_t k = 0; k < to->npred; k++, steps++)
                live_out(&w, to->pred[k]->id, v, &h->lane_kill);
        }
        end_value(&w, v, false);
    }
}
