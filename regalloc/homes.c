/* Homes: a register for every value that is read in another block than its own, and for every phi.
 *
 * Requires: blocks in layout order, divergence and branches known (backend/flow.c). Keeps: the shader.
 *
 * A home belongs to its value as long as the value lives along the ways of the one program counter: in masked
 * code that is the walk through all blocks, because lanes that wait keep what they need while others work. A
 * write in all lanes ends what was there before; a conditional one (into a phi that other lanes have already,
 * or into something that lanes outside the loop still need) does not. The interference graph of homes is
 * coloured with the registers of both files; a phi and its sources get one colour where they may, which saves
 * the copies. */
#include "regalloc/homes.h"

#include <string.h>

#define NOBODY UINT32_MAX

struct homes {
    struct flow *flow;
    struct ir_shader *shader;
    uint32_t count, words;
    uint32_t *number;             /* IR id -> number + 1 */
    const struct ir_inst **value; /* by number */
    uint32_t *limit; /* by number: header of the outermost loop that keeps it guarded, or NOBODY */
    uint64_t *in, *out, *use, *kill; /* by block: sets of numbers */
    uint64_t *written;               /* by block: phis that its end writes */
    uint64_t *row;                   /* by number: who may not have the same register */
    uint32_t *merged;                /* by number: representative */
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

/* --- which values
 * -----------------------------------------------------------------------------------------------------------
 */

bool homes_made_again(const struct ir_inst *i) {
    switch (i->op) {
    case IR_CONST:
    case IR_UNIFORM:
    case IR_UNDEF:
    case IR_FRAG_X:
    case IR_FRAG_Y:
    case IR_FRAG_REV:
    case IR_FRAG_MASK: return true;
    case IR_FBITS:
    case IR_IBITS: return homes_made_again(i->src[0]);
    default: return false;
    }
}

static const struct ir_inst *through_bits(const struct ir_inst *v) {
    while (v->op == IR_FBITS || v->op == IR_IBITS)
        v = v->src[0];
    return v;
}

/* Where source k is read: for phis at the end of the way in. */
static const struct ir_block *place_of_use(const struct ir_inst *user, uint32_t k) {
    return user->op == IR_PHI ? user->phi_block[k] : user->block;
}

static void number(struct homes *h, const struct ir_inst *v) {
    if (h->number[v->id])
        return;
    h->value[h->count] = v;
    h->limit[h->count] = NOBODY;
    h->number[v->id] = ++h->count;
}

/* Lanes that have left a loop keep what they took out of it: writes inside ask the mask then. */
static void guard(struct homes *h, const struct ir_inst *v, const struct ir_block *at) {
    struct flow *f = h->flow;
    /* a phi is made where it is first written */
    const struct ir_block *made = v->op == IR_PHI ? flow_first_edge(v->block) : v->block;
    for (const struct ir_block *l = made->loop_header; l; l = l->loop_parent) {
        if ((int32_t)at->id <= f->block[l->id].loop_end || !f->block[l->id].masked)
            continue;
        uint32_t *limit = &h->limit[h->number[v->id] - 1];
        f->guarded[v->id] = true;
        if (*limit == NOBODY || l->id < *limit)
            *limit = l->id;
    }
}

static void find_values(struct homes *h) {
    ir_for_blocks(h->shader, b) {
        ir_for_insts(b, i) {
            if (i->op == IR_PHI)
                number(h, i);
            for (uint32_t k = 0; k < i->nsrc; k++) {
                const struct ir_inst *v = through_bits(i->src[k]);
                const struct ir_block *at = place_of_use(i, k);
                if (homes_made_again(v) || (v->block == at && v->op != IR_PHI))
                    continue;
                number(h, v);
                guard(h, v, at);
            }
        }
    }
}

/* --- lives
 * -----------------------------------------------------------------------------------------------------------
 */

/* The number of what `user` reads from a home as its source k, or NOBODY. */
static uint32_t read_home(const struct homes *h, const struct ir_inst *user, uint32_t k) {
    const struct ir_inst *v = through_bits(user->src[k]);
    if (!h->number[v->id] || (v->op != IR_PHI && v->block == place_of_use(user, k)))
        return NOBODY;
    return h->number[v->id] - 1;
}

static void find_effects(struct homes *h) {
    const struct flow *f = h->flow;
    ir_for_blocks(h->shader, b) {
        uint64_t *use = h->use + (size_t)b->id * h->words, *kill = h->kill + (size_t)b->id * h->words;
        bool masked = f->block[b->id].masked;
        ir_for_insts(b, i) {
            uint32_t v;
            for (uint32_t k = 0; k < i->nsrc && i->op != IR_PHI; k++)
                if ((v = read_home(h, i, k)) != NOBODY)
                    add(use, v);
            if (i->op != IR_PHI && h->number[i->id] && !(masked && f->guarded[i->id]))
                add(kill, h->number[i->id] - 1);
        }
        for (int e = 0; e < 2; e++) {
            for (const struct ir_inst *phi = b->succ[e] ? b->succ[e]->first : NULL; phi && phi->op == IR_PHI;
                 phi = phi->next) {
                for (uint32_t k = 0; k < phi->nsrc; k++) {
                    if (phi->phi_block[k] != b)
                        continue;
                    uint32_t to = h->number[phi->id] - 1, from = read_home(h, phi, k);
                    if (from != NOBODY)
                        add(use, from);
                    if (from == to)
                        continue;
                    add(h->written + (size_t)b->id * h->words, to);
                    if (!masked || (flow_first_edge(b->succ[e]) == b && !f->guarded[phi->id]))
                        add(kill, to);
                }
            }
        }
    }
}

static void find_lives(struct homes *h) {
    uint32_t n = h->shader->nblocks;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = n; b-- > 0;) {
            uint64_t *in = h->in + (size_t)b * h->words, *out = h->out + (size_t)b * h->words;
            uint32_t to[2];
            unsigned ways = flow_next(h->flow, h->shader->blocks[b], to);
            for (unsigned k = 0; k < ways; k++) {
                const uint64_t *next = h->in + (size_t)to[k] * h->words;
                for (uint32_t w = 0; w < h->words; w++) {
                    uint64_t fresh = next[w] & ~out[w];
                    for (uint64_t bits = fresh; bits && b < to[k]; bits &= bits - 1) {
                        uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(bits);
                        if (h->limit[v] == to[k]) /* begins in the loop that guards it */
                            fresh &= ~(bits & -bits);
                    }
                    out[w] |= fresh;
                }
            }
            for (uint32_t w = 0; w < h->words; w++) {
                uint64_t x = h->use[(size_t)b * h->words + w] | (out[w] & ~h->kill[(size_t)b * h->words + w]);
                changed |= x != in[w];
                in[w] = x;
            }
        }
    }
}

/* --- who interferes with whom
 * --------------------------------------------------------------------------------------------------- */

static void all_together(struct homes *h, const uint64_t *set) {
    FOR_SET(v, set, h->words) {
        uint64_t *row = h->row + (size_t)v * h->words;
        for (uint32_t w = 0; w < h->words; w++)
            row[w] |= set[w];
        take(row, v);
    }
}

static void one_with(struct homes *h, uint32_t v, const uint64_t *set) {
    uint64_t *row = h->row + (size_t)v * h->words;
    FOR_SET(o, set, h->words) {
        if (o == v)
            continue;
        add(row, o);
        add(h->row + (size_t)o * h->words, v);
    }
}

/* `in_order`: also what ends in a block against what begins there earlier in the source's order. Without it
 * the two may share, at the price of a copy at the block's end. */
static void find_interference(struct homes *h, uint64_t *live, bool in_order) {
    const struct flow *f = h->flow;
    memset(h->row, 0, (size_t)h->count * h->words * sizeof *h->row);
    ir_for_blocks(h->shader, b) {
        for (uint32_t w = 0; w < h->words; w++)
            live[w] = h->out[(size_t)b->id * h->words + w] | h->written[(size_t)b->id * h->words + w];
        all_together(h, live);
        all_together(h, h->in + (size_t)b->id * h->words);
        if (!in_order)
            continue;
        bool masked = f->block[b->id].masked;
        for (const struct ir_inst *i = b->last; i && i->op != IR_PHI; i = i->prev) {
            if (h->number[i->id] && !(masked && f->guarded[i->id]))
                take(live, h->number[i->id] - 1);
            for (uint32_t k = 0; k < i->nsrc; k++) {
                uint32_t v = read_home(h, i, k);
                if (v == NOBODY || has(live, v))
                    continue;
                one_with(h, v, live);
                add(live, v);
            }
        }
    }
}

/* --- one register for phis and their sources
 * --------------------------------------------------------------------------------------- */

static uint32_t representative(const struct homes *h, uint32_t v) {
    while (h->merged[v] != v)
        v = h->merged[v];
    return v;
}

/* Merging must not make a graph hard to colour: few neighbours of the two together may be crowded. */
static bool harmless(const struct homes *h, uint32_t a, uint32_t b, uint32_t colours) {
    uint32_t crowded = 0;
    for (uint32_t w = 0; w < h->words; w++)
        for (uint64_t bits = h->row[(size_t)a * h->words + w] | h->row[(size_t)b * h->words + w]; bits;
             bits &= bits - 1) {
            uint32_t n = w * 64 + (uint32_t)__builtin_ctzll(bits);
            crowded += count_bits(h->row + (size_t)n * h->words, h->words) >= colours;
        }
    return crowded < colours;
}

static void merge(struct homes *h, uint32_t a, uint32_t b) {
    uint64_t *from = h->row + (size_t)b * h->words;
    FOR_SET(n, from, h->words) {
        take(h->row + (size_t)n * h->words, b);
        add(h->row + (size_t)n * h->words, a);
        add(h->row + (size_t)a * h->words, n);
    }
    memset(from, 0, h->words * sizeof *from);
    h->merged[b] = a;
}

static void coalesce(struct homes *h, uint32_t colours) {
    ir_for_blocks(h->shader, b) {
        for (const struct ir_inst *phi = b->first; phi && phi->op == IR_PHI; phi = phi->next) {
            for (uint32_t k = 0; k < phi->nsrc; k++) {
                const struct ir_inst *x = through_bits(phi->src[k]);
                if (!h->number[x->id] || h->flow->guarded[x->id] != h->flow->guarded[phi->id])
                    continue;
                uint32_t p = representative(h, h->number[phi->id] - 1),
                         s = representative(h, h->number[x->id] - 1);
                if (p != s && !has(h->row + (size_t)p * h->words, s) && harmless(h, p, s, colours))
                    merge(h, p, s);
            }
        }
    }
}

/* --- colours
 * -----------------------------------------------------------------------------------------------------------
 */

/* Registers that a value may not have whatever its neighbours do. `file`: 0 is A. */
static uint64_t forbidden(const struct homes *h, uint32_t v, int file, unsigned regs) {
    const struct flow *f = h->flow;
    uint64_t bits = ~((1ull << regs) - 1);
    uint32_t last = h->shader->nblocks - 1;
    for (uint32_t k = 0; k < h->count; k++) {
        if (representative(h, k) != v)
            continue;
        if (has(h->in + (size_t)last * h->words, k)) /* see sched/finish.c */
            bits |= 1ull << 14;
        if (h->shader->stage == IR_FRAGMENT && /* W and Z are there at the start */
            (has(h->out, k) || has(h->written, k)))
            bits |= 1ull << 15;
    }
    if (f->mask_home >= 0 && f->mask_home / 32 == file)
        bits |= 1ull << f->mask_home % 32;
    if (f->budget_home >= 0 && f->budget_home / 32 == file)
        bits |= 1ull << f->budget_home % 32;
    return bits;
}

static bool colour(struct homes *h, struct ir_arena *arena, unsigned regs, int8_t *colours) {
    uint32_t *order = ir_alloc(arena, (h->count + 1) * sizeof *order),
             *degree = ir_alloc(arena, (h->count + 1) * sizeof *degree), n = 0;
    bool *gone = ir_alloc(arena, h->count + 1);
    uint32_t left = 0;
    for (uint32_t v = 0; v < h->count; v++) {
        gone[v] = h->merged[v] != v;
        left += !gone[v];
        degree[v] = count_bits(h->row + (size_t)v * h->words, h->words);
    }
    /* the one with the fewest neighbours can wait longest; among all that are crowded the most crowded waits,
     * and may be lucky */
    for (; left; left--) {
        uint32_t best = NOBODY;
        for (uint32_t v = 0; v < h->count; v++)
            if (!gone[v] && (best == NOBODY || degree[v] < degree[best]))
                best = v;
        if (degree[best] >= 2 * regs - 3)
            for (uint32_t v = 0; v < h->count; v++)
                if (!gone[v] && degree[v] > degree[best])
                    best = v;
        gone[best] = true;
        order[n++] = best;
        FOR_SET(o, h->row + (size_t)best * h->words, h->words) degree[o]--;
    }
    memset(colours, FLOW_NO_HOME, h->count);
    while (n--) {
        uint32_t v = order[n];
        uint64_t taken[2] = {forbidden(h, v, 0, regs), forbidden(h, v, 1, regs)};
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

/* --- the whole
 * ---------------------------------------------------------------------------------------------------------
 */

static struct homes begin(struct flow *f) {
    struct ir_shader *shader = f->shader;
    uint32_t ids = shader->next_id + 1;
    struct homes h = {.flow = f, .shader = shader};
    h.number = ir_alloc(f->arena, ids * sizeof *h.number);
    h.value = ir_alloc(f->arena, ids * sizeof *h.value);
    h.limit = ir_alloc(f->arena, ids * sizeof *h.limit);
    find_values(&h);
    h.words = (h.count + 63) / 64;
    size_t sets = (size_t)shader->nblocks * h.words + 1;
    h.in = ir_alloc(f->arena, sets * sizeof *h.in);
    h.out = ir_alloc(f->arena, sets * sizeof *h.out);
    h.use = ir_alloc(f->arena, sets * sizeof *h.use);
    h.kill = ir_alloc(f->arena, sets * sizeof *h.kill);
    h.written = ir_alloc(f->arena, sets * sizeof *h.written);
    h.row = ir_alloc(f->arena, ((size_t)h.count * h.words + 1) * sizeof *h.row);
    h.merged = ir_alloc(f->arena, (h.count + 1) * sizeof *h.merged);
    find_effects(&h);
    find_lives(&h);
    return h;
}

static void find_peak(const struct homes *h, struct flow_peak *peak) {
    *peak = (struct flow_peak){0};
    ir_for_blocks(h->shader, b) {
        uint32_t n = h->flow->masked;
        for (uint32_t w = 0; w < h->words; w++) {
            size_t at = (size_t)b->id * h->words + w;
            n += (uint32_t)__builtin_popcountll(h->out[at] | h->written[at]);
        }
        if (n <= peak->values)
            continue;
        peak->values = n;
        peak->loc = b->last->loc;
    }
}

bool homes_assign(struct flow *f, unsigned regs, struct flow_peak *peak) {
    struct ir_shader *shader = f->shader;
    bool waits = false; /* some loop goes on as long as lanes say so */
    for (uint32_t b = 0; b < shader->nblocks; b++)
        waits |= f->block[b].back_to >= 0;
    if (f->masked) /* in A: it meets small immediates, which take B's port */
        f->mask_home = 0;
    if (waits && shader->stage != IR_FRAGMENT)
        f->budget_home = 1;
    struct homes h = begin(f);
    uint64_t *live = ir_alloc(f->arena, (h.words + 1) * sizeof *live);
    int8_t *colours = ir_alloc(f->arena, h.count + 1);
    bool ok = false;
    /* with merged phis, without; then without respect to the order in blocks */
    for (unsigned attempt = 0; attempt < 3 && !ok; attempt++) {
        find_interference(&h, live, attempt < 2);
        for (uint32_t v = 0; v < h.count; v++)
            h.merged[v] = v;
        if (attempt == 0)
            coalesce(&h, 2 * regs - 4);
        ok = colour(&h, f->arena, regs, colours);
    }
    find_peak(&h, peak);
    if (!ok)
        return false;
    for (uint32_t v = 0; v < h.count; v++)
        f->home[h.value[v]->id] = colours[representative(&h, v)];
    for (uint32_t b = 0; b < shader->nblocks; b++) {
        uint64_t always[2] = {0, 0};
        if (f->mask_home >= 0)
            always[0] |= 1ull << f->mask_home;
        if (f->budget_home >= 0)
            always[0] |= 1ull << f->budget_home;
        f->occupied[0][b] = always[0], f->occupied[1][b] = always[1];
        for (uint32_t v = 0; v < h.count; v++) {
            if (!has(h.out + (size_t)b * h.words, v) && !has(h.written + (size_t)b * h.words, v))
                continue;
            int8_t home = f->home[h.value[v]->id];
            f->occupied[home / 32][b] |= 1ull << home % 32;
        }
    }
    return true;
}
