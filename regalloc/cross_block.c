/* Cross-block registers: a register for every value that is read in another block than its own, and for every
 * phi.
 *
 * Requires: blocks in layout order, divergence and branches known (mir/flow.c). Keeps: the shader.
 *
 * What a write may destroy depends on how it writes. In all lanes: everything that some lane still needs,
 * those that wait among them, so lives are those along the paths of the one program counter. In the active
 * lanes only (into a phi that other lanes have already, into something that lanes outside the loop still
 * need): what the active lanes need, so lives are the shader's own. In masked code a value may be written
 * either way: all lanes is cheaper where its own operation does it, active lanes lets a phi share a register
 * with what it replaces, which saves copies and registers. Phis and their sources are merged with that in
 * mind, then the graph is coloured with the registers of both files. */
#include "regalloc/regalloc.h"

#include <string.h>

#define NOBODY UINT32_MAX

struct colouring {
    struct flow *flow;
    struct ir_shader *shader;
    uint32_t count, words;
    uint32_t *number;             /* IR id -> number + 1 */
    const struct ir_inst **value; /* by number */
    uint32_t *limit; /* by number: header of the outermost loop that keeps it guarded, or NOBODY */
    uint64_t *in, *out, *use, *kill; /* by block: sets of numbers; along the program counter's paths */
    uint64_t *lane_in, *lane_out, *lane_kill; /* the same along the shader's own */
    uint64_t *cut;                            /* by block: what no lane needs when it ends */
    uint64_t *all_lanes;                      /* set of numbers: lookups read them in absent lanes, or NULL */
    uint64_t *written;                        /* by block: phis that its end writes */
    bool *active;                             /* by number: masked code writes it in the active lanes only */
    uint64_t *interferes;                     /* by number: whose register its writes must not be */
    uint64_t *interferes_unless_active;       /* by number: as well, unless it is `active` */
    uint64_t *row;                            /* by number: who may not have the same register */
    uint32_t *merged;                         /* by number: representative */
    uint32_t *next;                           /* by number: next of the same representative, or NOBODY */
};

static bool has(const uint64_t *set, uint32_t i) {
    return set[i / 64] >> i % 64 & 1;
}

static void add(uint64_t *set, uint32_t i) {
    set[i / 64] |= 1ull << i % 64;
}

static void take(uint64_t *set, uint32_t i) {
    set[i / 64] &= ~(1ull << i % 64);
}

static uint32_t count_bits(const uint64_t *set, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++)
        n += (uint32_t)__builtin_popcountll(set[w]);
    return n;
}

/* Runs the body for each member of a set. */
#define FOR_SET(i, set, words)                                                                               \
    for (uint32_t i##_w = 0; i##_w < (words); i##_w++)                                                       \
        for (uint64_t i##_b = (set)[i##_w]; i##_b; i##_b &= i##_b - 1)                                       \
            for (uint32_t i = i##_w * 64 + (uint32_t)__builtin_ctzll(i##_b), i##_once = 1; i##_once;         \
                 i##_once = 0)

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

static void find_values(struct colouring *h) {
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

/* --- lives ---------------------------------------------------------------------------------------------- */

/* The number of what `user` reads from a cross-block register as its source k, or NOBODY. */
static uint32_t cross_block_read(const struct colouring *h, const struct ir_inst *user, uint32_t k) {
    const struct ir_inst *v = ir_through_bits(user->src[k]);
    if (!h->number[v->id] || (v->op != IR_PHI && v->block == place_of_use(user, k)))
        return NOBODY;
    return h->number[v->id] - 1;
}

static bool is_first_edge(const struct ir_block *from, const struct ir_block *to) {
    return flow_first_edge(to) == from;
}

/* Uses, and what ends lives. `careful`: as if masked code wrote all phis in the active lanes only. */
static void find_effects(struct colouring *h, bool careful) {
    const struct flow *f = h->flow;
    size_t size = (size_t)h->shader->nblocks * h->words * sizeof *h->use;
    memset(h->use, 0, size), memset(h->kill, 0, size), memset(h->cut, 0, size);
    memset(h->lane_kill, 0, size), memset(h->written, 0, size);
    ir_for_blocks(h->shader, b) {
        size_t at = (size_t)b->id * h->words;
        bool masked = f->block[b->id].masked;
        ir_for_insts(b, i) {
            uint32_t v;
            for (uint32_t k = 0; k < i->nsrc && i->op != IR_PHI; k++)
                if ((v = cross_block_read(h, i, k)) != NOBODY)
                    add(h->use + at, v);
            if (!h->number[i->id])
                continue;
            v = h->number[i->id] - 1;
            if (i->op == IR_PHI) {
                /* before the paths to it part no lane has anything in it */
                if ((careful || h->active[v]) && h->limit[v] == NOBODY && b->idom)
                    add(h->cut + (size_t)b->idom->id * h->words, v);
                continue;
            }
            add(h->lane_kill + at, v);
            if (!masked || h->limit[v] == NOBODY)
                add(h->kill + at, v);
        }
        for (int e = 0; e < 2; e++) {
            for (const struct ir_inst *phi = b->succ[e] ? b->succ[e]->first : NULL; phi && phi->op == IR_PHI;
                 phi = phi->next) {
                for (uint32_t k = 0; k < phi->nsrc; k++) {
                    if (phi->phi_block[k] != b)
                        continue;
                    uint32_t to = h->number[phi->id] - 1, from = cross_block_read(h, phi, k);
                    if (from != NOBODY)
                        add(h->use + at, from);
                    if (from == to)
                        continue;
                    add(h->written + at, to);
                    add(h->lane_kill + at, to);
                    if (!masked || (is_first_edge(b, b->succ[e]) && !careful && !h->active[to]))
                        add(h->kill + at, to);
                }
            }
        }
    }
}

/* What `to` needs and `from` has to leave. */
static uint64_t arriving(const struct colouring *h, uint32_t from, uint32_t to, uint32_t w) {
    uint64_t set = h->in[(size_t)to * h->words + w] & ~h->cut[(size_t)from * h->words + w];
    for (uint64_t bits = set & ~h->out[(size_t)from * h->words + w]; bits && from < to; bits &= bits - 1)
        if (h->limit[w * 64 + (uint32_t)__builtin_ctzll(bits)] == to) /* begins in the loop that guards it */
            set &= ~(bits & -bits);
    return set;
}

static void find_lives(struct colouring *h) {
    uint32_t n = h->shader->nblocks;
    size_t size = (size_t)n * h->words * sizeof *h->in;
    memset(h->in, 0, size), memset(h->out, 0, size);
    for (bool changed = true; changed && ir_work(h->flow->arena, size / 32);) {
        changed = false;
        for (uint32_t b = n; b-- > 0;) {
            uint32_t to[2];
            unsigned count = flow_next(h->flow, h->shader->blocks[b], to);
            for (uint32_t w = 0; w < h->words; w++) {
                size_t at = (size_t)b * h->words + w;
                for (unsigned k = 0; k < count; k++)
                    h->out[at] |= arriving(h, b, to[k], w);
                uint64_t in = h->use[at] | (h->out[at] & ~h->kill[at]);
                changed |= in != h->in[at];
                h->in[at] = in;
            }
        }
    }
}

static void find_lane_lives(struct colouring *h) {
    uint64_t round = (uint64_t)h->shader->nblocks * h->words / 4;
    for (bool changed = true; changed && ir_work(h->flow->arena, round);) {
        changed = false;
        for (uint32_t i = h->shader->nblocks; i-- > 0;) {
            const struct ir_block *b = h->shader->blocks[i];
            for (uint32_t w = 0; w < h->words; w++) {
                size_t at = (size_t)i * h->words + w;
                for (int k = 0; k < 2; k++)
                    if (b->succ[k])
                        h->lane_out[at] |= h->lane_in[(size_t)b->succ[k]->id * h->words + w];
                uint64_t in = h->use[at] | (h->lane_out[at] & ~h->lane_kill[at]);
                changed |= in != h->lane_in[at];
                h->lane_in[at] = in;
            }
        }
    }
}

/* --- which writes interfere ----------------------------------------------------------------------------- */

static void unite(const struct colouring *h, uint64_t *set, uint32_t v, const uint64_t *with) {
    for (uint32_t w = 0; w < h->words; w++)
        set[(size_t)v * h->words + w] |= with[w];
    take(set + (size_t)v * h->words, v);
}

/* Lookups read it in all lanes: lanes that do not need it otherwise must find it, too. */
static uint64_t in_all_lanes(const struct colouring *h, uint32_t w) {
    return h->all_lanes ? h->all_lanes[w] : 0;
}

/* A write of v where `live` is needed by some lane afterwards, `lane_live` by the active ones. */
static void write_interferes(struct colouring *h, uint32_t v, bool masked, bool conditional,
                             const uint64_t *live, const uint64_t *lane_live) {
    unite(h, h->interferes, v, lane_live);
    for (uint32_t w = 0; w < h->words; w++)
        h->interferes[(size_t)v * h->words + w] |= live[w] & in_all_lanes(h, w);
    take(h->interferes + (size_t)v * h->words, v);
    if (!masked)
        unite(h, h->interferes, v, live);
    else if (!conditional)
        unite(h, h->interferes_unless_active, v, live);
}

/* What phi gets along the edge from b, or NULL. */
static const struct ir_inst *given(const struct ir_inst *phi, const struct ir_block *b) {
    for (uint32_t k = 0; k < phi->nsrc; k++)
        if (phi->phi_block[k] == b)
            return ir_through_bits(phi->src[k]);
    return NULL;
}

/* A phi does not interfere with what it is a copy of, nor with another that gets the same. */
static void drop_copies(const struct colouring *h, const struct ir_block *b, uint32_t v, uint64_t *live,
                        uint64_t *lane_live) {
    const struct ir_inst *source = given(h->value[v], b);
    if (h->number[source->id]) {
        take(live, h->number[source->id] - 1);
        take(lane_live, h->number[source->id] - 1);
    }
    FOR_SET(o, h->written + (size_t)b->id * h->words, h->words) {
        const struct ir_inst *other = given(h->value[o], b);
        bool same =
            other == source || (other->op == IR_CONST && source->op == IR_CONST && other->imm == source->imm);
        if (!same || o == v)
            continue;
        take(lane_live, o);
        if (!h->flow->block[b->id].masked) /* one may be written in all lanes, the other in the active ones */
            take(live, o);
    }
}

/* From what lives after the copies at the end of a block to what lives before them. */
static void before_copies(struct colouring *h, const struct ir_block *b, uint64_t *live, uint64_t *lane_live,
                          bool in_order) {
    const uint64_t *written = h->written + (size_t)b->id * h->words;
    FOR_SET(v, written, h->words) {
        take(lane_live, v);
        if (has(h->kill + (size_t)b->id * h->words, v))
            take(live, v);
    }
    FOR_SET(w, written, h->words) {
        const struct ir_inst *source = given(h->value[w], b);
        uint32_t from = h->number[source->id] - 1;
        if (in_order && h->number[source->id] && (source->op == IR_PHI || source->block != b))
            add(live, from), add(lane_live, from);
    }
}

/* `in_order`: also what ends in a block by what begins there earlier in the source's order. Without it the
 * two may share, at the price of a copy at the block's end. */
static void find_interference(struct colouring *h, uint64_t *live, bool in_order) {
    const struct flow *f = h->flow;
    uint64_t *lane_live = live + h->words;
    memset(h->interferes, 0, (size_t)h->count * h->words * sizeof *h->interferes);
    memset(h->interferes_unless_active, 0, (size_t)h->count * h->words * sizeof *h->interferes_unless_active);
    ir_for_blocks(h->shader, b) {
        bool masked = f->block[b->id].masked;
        const uint64_t *written = h->written + (size_t)b->id * h->words;
        for (uint32_t w = 0; w < h->words; w++) {
            live[w] = h->out[(size_t)b->id * h->words + w] | written[w];
            lane_live[w] = h->lane_out[(size_t)b->id * h->words + w] | written[w];
        }
        FOR_SET(v, written, h->words) {
            drop_copies(h, b, v, live, lane_live);
            write_interferes(h, v, masked, !is_first_edge(b, h->value[v]->block), live, lane_live);
            for (uint32_t w = 0; w < h->words; w++) {
                live[w] = h->out[(size_t)b->id * h->words + w] | written[w];
                lane_live[w] = h->lane_out[(size_t)b->id * h->words + w] | written[w];
            }
        }
        before_copies(h, b, live, lane_live, in_order);
        for (const struct ir_inst *i = b->last; i && i->op != IR_PHI; i = i->prev) {
            if (h->number[i->id]) {
                uint32_t v = h->number[i->id] - 1;
                write_interferes(h, v, masked, false, live, lane_live);
                take(lane_live, v);
                if (has(h->kill + (size_t)b->id * h->words, v))
                    take(live, v);
            }
            for (uint32_t k = 0; k < i->nsrc && in_order; k++) {
                uint32_t v = cross_block_read(h, i, k);
                if (v != NOBODY)
                    add(live, v), add(lane_live, v);
            }
        }
    }
}

static bool conflict(const struct colouring *h, uint32_t a, uint32_t b) {
    const uint64_t *x = h->interferes + (size_t)a * h->words, *y = h->interferes + (size_t)b * h->words;
    return has(x, b) || has(y, a) ||
           (!h->active[a] && has(h->interferes_unless_active + (size_t)a * h->words, b)) ||
           (!h->active[b] && has(h->interferes_unless_active + (size_t)b * h->words, a));
}

/* --- one register for phis and their sources ------------------------------------------------------------ */

static uint32_t representative(const struct colouring *h, uint32_t v) {
    while (h->merged[v] != v)
        v = h->merged[v];
    return v;
}

/* Has masked code to write it where all lanes could be written? */
static bool in_masked(const struct colouring *h, uint32_t v) {
    const struct ir_inst *x = h->value[v];
    return h->flow->block[(x->op == IR_PHI ? flow_first_edge(x->block) : x->block)->id].masked;
}

enum fit { APART, TOGETHER, IF_ACTIVE };

static enum fit fits(const struct colouring *h, uint32_t p, uint32_t s) {
    enum fit fit = TOGETHER;
    for (uint32_t a = p; a != NOBODY; a = h->next[a])
        for (uint32_t b = s; b != NOBODY; b = h->next[b]) {
            if (has(h->interferes + (size_t)a * h->words, b) || has(h->interferes + (size_t)b * h->words, a))
                return APART;
            if (conflict(h, a, b))
                fit = IF_ACTIVE;
        }
    return fit;
}

static uint32_t count_newly_active(const struct colouring *h, uint32_t web) {
    uint32_t n = 0;
    for (uint32_t a = web; a != NOBODY; a = h->next[a])
        n += !h->active[a] && in_masked(h, a);
    return n;
}

static void make_active(struct colouring *h, uint32_t web) {
    for (uint32_t a = web; a != NOBODY; a = h->next[a])
        h->active[a] |= in_masked(h, a);
}

static void merge(struct colouring *h, uint32_t a, uint32_t b) {
    uint32_t last = a;
    while (h->next[last] != NOBODY)
        last = h->next[last];
    h->next[last] = b;
    h->merged[b] = a;
}

/* Something is in the register in all lanes when the first write comes: lookups ask for that even where a
 * lane is absent. */
static bool defined_before(const struct colouring *h, const struct ir_inst *x, const struct ir_inst *phi) {
    return !h->active[h->number[x->id] - 1] && ir_dominates(x->block, flow_first_edge(phi->block));
}

static void coalesce(struct colouring *h, bool at_any_cost, bool lookups) {
    uint32_t depth = 0;
    ir_for_blocks(h->shader, b) depth = b->loop_depth > depth ? b->loop_depth : depth;
    for (depth++; depth-- > 0;) {
        ir_for_blocks(h->shader, b) {
            for (const struct ir_inst *phi = b->first; phi && phi->op == IR_PHI && b->loop_depth == depth;
                 phi = phi->next) {
                for (uint32_t k = 0; k < phi->nsrc; k++) {
                    const struct ir_inst *x = ir_through_bits(phi->src[k]);
                    if (!h->number[x->id])
                        continue;
                    uint32_t p = representative(h, h->number[phi->id] - 1),
                             s = representative(h, h->number[x->id] - 1);
                    enum fit fit = p == s ? APART : fits(h, p, s);
                    if (fit == IF_ACTIVE && !at_any_cost &&
                        count_newly_active(h, p) + count_newly_active(h, s) > 1)
                        fit = APART;
                    if (fit == IF_ACTIVE && lookups && !defined_before(h, x, phi))
                        fit = APART;
                    if (fit == IF_ACTIVE)
                        make_active(h, p), make_active(h, s);
                    if (fit != APART)
                        merge(h, p, s);
                }
            }
        }
    }
}

static void find_rows(struct colouring *h) {
    memset(h->row, 0, (size_t)h->count * h->words * sizeof *h->row);
    for (uint32_t a = 0; a < h->count; a++) {
        const uint64_t *always = h->interferes + (size_t)a * h->words,
                       *unless = h->interferes_unless_active + (size_t)a * h->words;
        uint32_t p = representative(h, a);
        for (uint32_t w = 0; w < h->words; w++)
            for (uint64_t with = always[w] | (h->active[a] ? 0 : unless[w]); with; with &= with - 1) {
                uint32_t s = representative(h, w * 64 + (uint32_t)__builtin_ctzll(with));
                add(h->row + (size_t)p * h->words, s);
                add(h->row + (size_t)s * h->words, p);
            }
    }
}

/* --- colours -------------------------------------------------------------------------------------------- */

/* What the whole program asks of the registers of a file, on behalf of every value that shares the
 * cross-block register. `any`: what waits until it is free is as good as what need not. */
static void find_forbidden(const struct colouring *h, unsigned regs, bool any, uint64_t *bits) {
    uint32_t last = h->shader->nblocks - 1;
    for (uint32_t k = 0; k < h->count; k++)
        bits[k] = ~((1ull << regs) - 1);
    for (uint32_t k = 0; k < h->count && !any; k++) {
        uint64_t *of = &bits[representative(h, k)];
        if (has(h->in + (size_t)last * h->words, k)) /* see sched/finish.c */
            *of |= 1ull << 14;
        if (h->shader->stage == QPUCC_FRAGMENT && /* W and Z are there at the start */
            (has(h->out, k) || has(h->written, k)))
            *of |= 1ull << 15;
    }
}

/* Cross-block registers that belong to no value. */
static uint64_t reserved(const struct flow *f, int file) {
    uint64_t bits = 0;
    if (f->mask_reg >= 0 && f->mask_reg / 32 == file)
        bits |= 1ull << f->mask_reg % 32;
    if (f->budget_reg >= 0 && f->budget_reg / 32 == file)
        bits |= 1ull << f->budget_reg % 32;
    return bits;
}

/* The values that are left by degree: a tree over them, each node of which has the better of its two. */
struct degrees {
    const uint32_t *degree;
    bool most;     /* the one with most neighbours wins, not the one with fewest; of equals the first */
    uint32_t base; /* the leaves are from here on */
    uint32_t *winner;
};

static uint32_t better(const struct degrees *d, uint32_t a, uint32_t b) {
    if (a == NOBODY || b == NOBODY)
        return a == NOBODY ? b : a;
    bool second = d->most ? d->degree[b] > d->degree[a] : d->degree[b] < d->degree[a];
    return second ? b : a;
}

/* Its degree is another, or it is gone. */
static void update(struct degrees *d, uint32_t v, bool gone) {
    uint32_t at = d->base + v;
    d->winner[at] = gone ? NOBODY : v;
    while (at /= 2)
        d->winner[at] = better(d, d->winner[2 * at], d->winner[2 * at + 1]);
}

static struct degrees order_degrees(struct ir_arena *arena, const uint32_t *degree, const bool *gone,
                                    uint32_t count, bool most) {
    struct degrees d = {.degree = degree, .most = most, .base = 1};
    while (d.base < count)
        d.base *= 2;
    d.winner = ir_alloc(arena, 2 * (size_t)d.base * sizeof *d.winner);
    for (uint32_t v = 0; v < d.base; v++)
        d.winner[d.base + v] = v < count && !gone[v] ? v : NOBODY;
    for (uint32_t at = d.base; --at > 0;)
        d.winner[at] = better(&d, d.winner[2 * at], d.winner[2 * at + 1]);
    return d;
}

static bool colour(struct colouring *h, struct ir_arena *arena, unsigned regs, bool any, int8_t *colours) {
    uint32_t *order = ir_alloc(arena, (h->count + 1) * sizeof *order),
             *degree = ir_alloc(arena, (h->count + 1) * sizeof *degree), n = 0;
    bool *gone = ir_alloc(arena, h->count + 1);
    uint32_t left = 0;
    for (uint32_t v = 0; v < h->count; v++) {
        gone[v] = h->merged[v] != v;
        left += !gone[v];
        degree[v] = count_bits(h->row + (size_t)v * h->words, h->words);
    }
    /* the one with the fewest neighbours can wait longest; if all have too many, the one with most waits,
     * and may be lucky */
    struct degrees fewest = order_degrees(arena, degree, gone, h->count, false),
                   most = order_degrees(arena, degree, gone, h->count, true);
    for (; left; left--) {
        uint32_t best = fewest.winner[1];
        if (degree[best] >= 2 * regs - 3)
            best = most.winner[1];
        gone[best] = true;
        order[n++] = best;
        update(&fewest, best, true), update(&most, best, true);
        FOR_SET(o, h->row + (size_t)best * h->words, h->words) {
            degree[o]--;
            if (!gone[o])
                update(&fewest, o, false), update(&most, o, false);
        }
    }
    uint64_t *bits = ir_alloc(arena, (h->count + 1) * sizeof *bits);
    find_forbidden(h, regs, any, bits);
    memset(colours, FLOW_NO_REG, h->count);
    while (n--) {
        uint32_t v = order[n];
        uint64_t taken[2] = {bits[v] | reserved(h->flow, 0), bits[v] | reserved(h->flow, 1)};
        FOR_SET(o, h->row + (size_t)v * h->words, h->words) {
            if (colours[o] >= 0)
                taken[colours[o] / 32] |= 1ull << colours[o] % 32;
        }
        int free_a = __builtin_popcountll(~taken[0]), free_b = __builtin_popcountll(~taken[1]);
        if (!free_a && !free_b)
            return false;
        int file = free_b >= free_a;
        colours[v] = (int8_t)(file * 32 + __builtin_ctzll(~taken[file]));
    }
    return true;
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static struct colouring begin(struct flow *f) {
    struct ir_shader *shader = f->shader;
    uint32_t ids = shader->next_id + 1;
    struct colouring h = {.flow = f, .shader = shader};
    h.number = ir_alloc(f->arena, ids * sizeof *h.number);
    h.value = ir_alloc(f->arena, ids * sizeof *h.value);
    h.limit = ir_alloc(f->arena, ids * sizeof *h.limit);
    find_values(&h);
    h.words = (h.count + 63) / 64;
    uint64_t row = (uint64_t)h.words * sizeof *h.in;
    if (!ir_fits(f->arena, row * (9 * (uint64_t)shader->nblocks + 3 * (uint64_t)h.count)))
        return h;
    size_t sets = (size_t)shader->nblocks * h.words + 1, rows = (size_t)h.count * h.words + 1;
    uint64_t **by_block[] = {&h.in,      &h.out,      &h.use,       &h.kill,   &h.cut,
                             &h.lane_in, &h.lane_out, &h.lane_kill, &h.written};
    for (size_t k = 0; k < sizeof by_block / sizeof *by_block; k++)
        *by_block[k] = ir_alloc(f->arena, sets * sizeof **by_block[k]);
    h.interferes = ir_alloc(f->arena, rows * sizeof *h.interferes);
    h.interferes_unless_active = ir_alloc(f->arena, rows * sizeof *h.interferes_unless_active);
    h.row = ir_alloc(f->arena, rows * sizeof *h.row);
    h.merged = ir_alloc(f->arena, (h.count + 1) * sizeof *h.merged);
    h.next = ir_alloc(f->arena, (h.count + 1) * sizeof *h.next);
    h.active = ir_alloc(f->arena, h.count + 1);
    if (f->all_lanes.has)
        h.all_lanes = ir_alloc(f->arena, (h.words + 1) * sizeof *h.all_lanes);
    for (uint32_t v = 0; v < h.count && f->all_lanes.has; v++)
        if (h.value[v]->id < f->all_lanes.ids && f->all_lanes.has[h.value[v]->id])
            add(h.all_lanes, v);
    find_effects(&h, true);
    find_lane_lives(&h);
    return h;
}

/* The values of two sets in a list. */
static struct flow_values list_values(const struct colouring *h, const uint64_t *a, const uint64_t *b) {
    struct flow_values list = {ir_alloc(h->flow->arena, (h->count + 1) * sizeof *list.value), 0};
    for (uint32_t v = 0; v < h->count; v++)
        if (has(a, v) || has(b, v))
            list.value[list.count++] = h->value[v];
    return list;
}

static bool is_carried(const struct ir_inst *v) {
    return v->op == IR_PHI && v->block->loop_header == v->block;
}

/* What the active lanes need at once: lanes that wait may share its registers, so it is the least. */
static void find_peak(const struct colouring *h, struct flow_peak *peak) {
    const struct flow *f = h->flow;
    uint32_t most = 0, where = 0, where_active = 0, most_carried = 0, needed = 0;
    *peak = (struct flow_peak){0};
    ir_for_blocks(h->shader, b) {
        uint32_t n = f->masked, crossing = 0, carried = 0;
        const uint64_t *in = h->lane_in + (size_t)b->id * h->words;
        for (uint32_t w = 0; w < h->words; w++) {
            size_t at = (size_t)b->id * h->words + w;
            n += (uint32_t)__builtin_popcountll(h->lane_out[at] | h->written[at]);
            crossing += (uint32_t)__builtin_popcountll(h->out[at] | h->written[at]);
        }
        FOR_SET(v, in, h->words) carried += is_carried(h->value[v]);
        if (crossing > most)
            most = crossing, where = b->id;
        if (carried > most_carried)
            most_carried = carried, needed = b->id;
        if (n <= peak->values)
            continue;
        peak->values = n;
        where_active = b->id;
        peak->loc = b->last->loc;
    }
    size_t at = (size_t)where * h->words, active = (size_t)where_active * h->words,
           first = (size_t)needed * h->words;
    peak->crossing = list_values(h, h->out + at, h->written + at);
    peak->active = list_values(h, h->lane_out + active, h->written + active);
    peak->needed = list_values(h, h->lane_in + first, h->lane_in + first);
    peak->reserved = f->block[needed].masked + (f->budget_reg >= 0);
    peak->needed_loc = h->shader->blocks[needed]->last->loc;
}

static bool masked_lookups(const struct flow *f) {
    ir_for_blocks(f->shader, b) {
        ir_for_insts(b, i) {
            if (f->block[b->id].masked && ir_op_info(i->op)->cls == IR_CLASS_FETCH)
                return true;
        }
    }
    return false;
}

enum { MERGE = 1, AT_ANY_COST = 2, IN_ORDER = 4, ANY_REGISTER = 8 };

static bool try_colouring(struct colouring *h, unsigned how, unsigned regs, bool lookups, uint64_t *live,
                          int8_t *colours) {
    uint64_t rows = (uint64_t)h->count * h->words, sets = (uint64_t)h->shader->nblocks * h->words;
    if (!ir_work(h->flow->arena, rows + sets))
        return false;
    for (uint32_t v = 0; v < h->count; v++) {
        h->merged[v] = v;
        h->next[v] = NOBODY;
        h->active[v] = h->limit[v] != NOBODY;
    }
    if (how & MERGE) { /* not to be spoilt by what merging makes active */
        find_effects(h, true);
        find_lives(h);
        find_interference(h, live, how & IN_ORDER);
        coalesce(h, how & AT_ANY_COST, lookups);
    }
    find_effects(h, false);
    find_lives(h);
    find_interference(h, live, how & IN_ORDER);
    find_rows(h);
    return colour(h, h->flow->arena, regs, how & ANY_REGISTER, colours);
}

bool cross_block_assign(struct flow *f, unsigned regs, struct flow_peak *peak) {
    static const unsigned forms[] = {MERGE | IN_ORDER,
                                     MERGE | AT_ANY_COST | IN_ORDER,
                                     MERGE | AT_ANY_COST,
                                     IN_ORDER,
                                     0,
                                     MERGE | AT_ANY_COST | IN_ORDER | ANY_REGISTER};
    struct ir_shader *shader = f->shader;
    *peak = (struct flow_peak){0};
    if (shader->nblocks == 1)
        return true;
    bool waits = false; /* some loop goes on as long as lanes say so */
    for (uint32_t b = 0; b < shader->nblocks; b++)
        waits |= f->block[b].back_to >= 0;
    if (f->masked) /* in A: it meets small immediates, which take B's port */
        f->mask_reg = 0;
    if (waits && shader->stage != QPUCC_FRAGMENT)
        f->budget_reg = 1;
    struct colouring h = begin(f);
    if (ir_arena_oom(f->arena))
        return false;
    uint64_t *live = ir_alloc(f->arena, (2 * (size_t)h.words + 1) * sizeof *live);
    int8_t *colours = ir_alloc(f->arena, h.count + 1);
    bool ok = false, lookups = masked_lookups(f);
    for (size_t k = 0; k < sizeof forms / sizeof *forms && !ok; k++)
        ok = try_colouring(&h, forms[k], regs, lookups, live, colours);
    find_peak(&h, peak);
    if (!ok)
        return false;
    for (uint32_t v = 0; v < h.count; v++) { /* of those that share a register, for all of them */
        uint32_t *limit = &h.limit[representative(&h, v)];
        *limit = h.limit[v] < *limit ? h.limit[v] : *limit;
    }
    for (uint32_t v = 0; v < h.count; v++) {
        uint32_t one = representative(&h, v);
        f->cross_reg[h.value[v]->id] = colours[one];
        f->guarded[h.value[v]->id] = h.active[v];
        f->guard[h.value[v]->id] = h.limit[one] == NOBODY ? -1 : (int32_t)h.limit[one];
    }
    for (uint32_t b = 0; b < shader->nblocks; b++) {
        uint64_t always[2] = {0, 0};
        if (f->mask_reg >= 0)
            always[0] |= 1ull << f->mask_reg;
        if (f->budget_reg >= 0)
            always[0] |= 1ull << f->budget_reg;
        f->occupied[0][b] = always[0], f->occupied[1][b] = always[1];
        for (uint32_t w = 0; w < h.words; w++) {
            size_t at = (size_t)b * h.words + w;
            for (uint64_t kept = h.out[at] | h.written[at]; kept; kept &= kept - 1) {
                int8_t reg = f->cross_reg[h.value[w * 64 + (uint32_t)__builtin_ctzll(kept)]->id];
                f->occupied[reg / 32][b] |= 1ull << reg % 32;
            }
        }
    }
    return true;
}
