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
#include "regalloc/colouring.h"
#include "regalloc/regalloc.h"

/* --- one register for phis and their sources ------------------------------------------------------------ */

/* Has masked code to write it where all lanes could be written? */
static bool in_masked(const struct colouring *h, uint32_t v) {
    const struct ir_inst *x = h->value[v];
    return h->flow->block[(x->op == IR_PHI ? flow_first_edge(x->block) : x->block)->id].masked;
}

enum fit { APART, TOGETHER, IF_ACTIVE };

/* Asks the web with fewer values: each value is asked as often as its web doubles. */
static enum fit fits(struct colouring *h, uint32_t p, uint32_t s) {
    enum fit fit = TOGETHER;
    const uint32_t small = h->size[p] < h->size[s] ? p : s, other = small == p ? s : p;
    for (uint32_t a = small; a != NOBODY; a = h->next[a]) {
        FOR_SPARSE(i, &h->interferes, a) if (colouring_representative(h, i) == other) return APART;
        FOR_SPARSE(d, &h->disturbs, a) if (colouring_representative(h, d) == other) return APART;
        FOR_SPARSE(du, &h->disturbs_unless_active, a) {
            if (!h->active[du] && colouring_representative(h, du) == other)
                fit = IF_ACTIVE;
        }
        if (h->active[a])
            continue;
        FOR_SPARSE(iu, &h->interferes_unless_active, a) {
            if (colouring_representative(h, iu) == other)
                fit = IF_ACTIVE;
        }
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
    h->next[h->last[a]] = b;
    h->last[a] = h->last[b];
    h->size[a] += h->size[b];
    h->merged[b] = a;
}

/* Something is in the register in all lanes when the first write comes: lookups ask for that even where a
 * lane is absent. What masked code writes would be for the active lanes only. */
static bool defined_before(const struct colouring *h, const struct ir_inst *x, const struct ir_inst *phi) {
    return !in_masked(h, h->number[x->id] - 1) && ir_dominates(x->block, flow_first_edge(phi->block));
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
                    uint32_t p = colouring_representative(h, h->number[phi->id] - 1),
                             s = colouring_representative(h, h->number[x->id] - 1);
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

/* --- the whole ------------------------------------------------------------------------------------------ */

/* The program counter's paths backwards. */
static void find_ways(struct colouring *h) {
    uint32_t n = h->shader->nblocks, to[2];
    uint32_t *at = ir_alloc(h->flow->arena, (n + 1) * sizeof *at);
    h->from_first = ir_alloc(h->flow->arena, (n + 2) * sizeof *h->from_first);
    h->from = ir_alloc(h->flow->arena, (2 * (size_t)n + 1) * sizeof *h->from);
    if (ir_arena_oom(h->flow->arena))
        return;
    for (uint32_t b = 0; b < n; b++)
        for (unsigned k = flow_next(h->flow, h->shader->blocks[b], to); k-- > 0;)
            h->from_first[to[k] + 1]++;
    for (uint32_t b = 0; b < n; b++)
        at[b] = h->from_first[b + 1] += h->from_first[b];
    for (uint32_t b = n; b-- > 0;)
        for (unsigned k = flow_next(h->flow, h->shader->blocks[b], to); k-- > 0;)
            h->from[--at[to[k]]] = b;
}

static void begin(struct colouring *h, struct flow *f) {
    struct ir_shader *shader = f->shader;
    struct ir_arena *arena = f->arena;
    uint32_t ids = shader->next_id + 1;
    *h = (struct colouring){.flow = f, .shader = shader};
    h->number = ir_alloc(arena, ids * sizeof *h->number);
    h->value = ir_alloc(arena, ids * sizeof *h->value);
    h->limit = ir_alloc(arena, ids * sizeof *h->limit);
    colouring_find_values(h);
    h->effects.arena = h->lives.arena = h->lane_lives.arena = h->rows.arena = arena;
    struct sparse_sets *effects[] = {&h->use, &h->kill, &h->cut, &h->lane_kill, &h->written};
    for (size_t k = 0; k < sizeof effects / sizeof *effects; k++)
        *effects[k] = sparse_begin(&h->effects, shader->nblocks);
    h->in = sparse_begin(&h->lives, shader->nblocks), h->out = sparse_begin(&h->lives, shader->nblocks);
    h->lane_in = sparse_begin(&h->lane_lives, shader->nblocks);
    h->lane_out = sparse_begin(&h->lane_lives, shader->nblocks);
    struct sparse_sets *rows[] = {&h->interferes, &h->interferes_unless_active, &h->disturbs,
                                  &h->disturbs_unless_active, &h->row};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        *rows[k] = sparse_begin(&h->rows, h->count);
    h->live = full_begin(arena, h->count), h->lane_live = full_begin(arena, h->count);
    uint32_t **by_number[] = {&h->merged, &h->next, &h->last, &h->size};
    for (size_t k = 0; k < sizeof by_number / sizeof *by_number; k++)
        *by_number[k] = ir_alloc(arena, (h->count + 1) * sizeof **by_number[k]);
    h->active = ir_alloc(arena, h->count + 1);
    if (f->all_lanes.has)
        h->all_lanes = full_begin(arena, h->count).word;
    if (ir_arena_oom(arena))
        return;
    for (uint32_t v = 0; v < h->count && f->all_lanes.has; v++)
        if (h->value[v]->id < f->all_lanes.ids && f->all_lanes.has[h->value[v]->id])
            h->all_lanes[v / 64] |= 1ull << v % 64;
    find_ways(h);
    if (ir_arena_oom(arena))
        return;
    colouring_find_effects(h, true);
    colouring_find_lane_lives(h);
}

/* The values of two sets, which are alive together. */
static uint32_t count_both(struct colouring *h, const struct sparse_sets *a, const struct sparse_sets *b,
                           uint32_t set) {
    full_empty(&h->live);
    full_unite(&h->live, a, set), full_unite(&h->live, b, set);
    return full_count(&h->live);
}

static struct flow_values list_both(struct colouring *h, const struct sparse_sets *a,
                                    const struct sparse_sets *b, uint32_t set) {
    uint32_t count = count_both(h, a, b, set);
    struct flow_values list = {ir_alloc(h->flow->arena, (count + 1) * sizeof *list.value), 0};
    if (ir_arena_oom(h->flow->arena))
        return list;
    FOR_FULL(v, &h->live) list.value[list.count++] = h->value[v];
    return list;
}

/* Keeps the loop if it is among those that need most. */
static void note_loop(const struct colouring *h, uint32_t header, uint32_t *loop, unsigned *loops) {
    uint32_t count = sparse_count(&h->lane_in, header);
    unsigned at = *loops < FLOW_NEEDS ? (*loops)++ : FLOW_NEEDS;
    for (; at && sparse_count(&h->lane_in, loop[at - 1]) < count; at--)
        if (at < FLOW_NEEDS)
            loop[at] = loop[at - 1];
    if (at < FLOW_NEEDS)
        loop[at] = header;
}

/* What the active lanes need at once: lanes that wait may share its registers, so it is the least. */
static void find_peak(struct colouring *h, struct flow_peak *peak) {
    const struct flow *f = h->flow;
    uint32_t where = 0, loop[FLOW_NEEDS] = {0};
    *peak = (struct flow_peak){0};
    ir_for_blocks(h->shader, b) {
        uint32_t n = f->masked + count_both(h, &h->lane_out, &h->written, b->id);
        if (b->loop_header == b)
            note_loop(h, b->id, loop, &peak->needs);
        if (n <= peak->values)
            continue;
        peak->values = n;
        where = b->id;
        peak->loc = b->last->loc;
    }
    peak->active = list_both(h, &h->lane_out, &h->written, where);
    for (unsigned k = 0; k < peak->needs; k++) {
        peak->need[k].values = list_both(h, &h->lane_in, &h->lane_in, loop[k]);
        peak->need[k].reserved = f->block[loop[k]].masked + (f->budget_reg >= 0);
        peak->need[k].end = (uint32_t)f->block[loop[k]].loop_end;
        peak->need[k].loc = h->shader->blocks[loop[k]]->last->loc;
    }
}

/* ALL_ACTIVE: masked code writes everything in the active lanes only, but what lookups there are made of; so
 * hardly anything stays clear of what waiting lanes have. LOOKUPS: that, too. Levels of detail are undefined
 * there, unless a lookup was made again that all lanes had made before (regalloc/remat_cross.c). */
enum { MERGE = 1, AT_ANY_COST = 2, IN_ORDER = 4, ANY_REGISTER = 8, ALL_ACTIVE = 16, LOOKUPS = 32 };

static bool is_in_all_lanes(const struct colouring *h, unsigned how, uint32_t v) {
    if (how & LOOKUPS)
        return h->all_lanes && h->all_lanes[v / 64] >> v % 64 & 1;
    return h->looked_up && h->looked_up[h->value[v]->id];
}

static bool try_colouring(struct colouring *h, unsigned how, unsigned regs, int8_t *colours) {
    if (!ir_work(h->flow->arena, h->count + h->shader->nblocks))
        return false;
    for (uint32_t v = 0; v < h->count; v++) {
        h->merged[v] = h->last[v] = v;
        h->size[v] = 1;
        h->next[v] = NOBODY;
        h->active[v] =
            h->limit[v] != NOBODY || (how & ALL_ACTIVE && in_masked(h, v) && !is_in_all_lanes(h, how, v));
    }
    if (how & MERGE) { /* not to be spoilt by what merging makes active */
        colouring_find_effects(h, true);
        colouring_find_lives(h);
        colouring_find_interference(h, how & IN_ORDER);
        coalesce(h, how & AT_ANY_COST, h->looked_up);
    }
    colouring_find_effects(h, false);
    colouring_find_lives(h);
    colouring_find_interference(h, how & IN_ORDER);
    return !ir_arena_oom(h->flow->arena) && colouring_colour(h, regs, how & ANY_REGISTER, colours);
}

/* What the flow is told about a block. */
static void tell_block(struct colouring *h, uint32_t b) {
    struct flow *f = h->flow;
    uint64_t always = 0;
    if (f->mask_reg >= 0)
        always |= 1ull << f->mask_reg;
    if (f->budget_reg >= 0)
        always |= 1ull << f->budget_reg;
    f->occupied[0][b] = always, f->occupied[1][b] = always >> 32;
    count_both(h, &h->out, &h->written, b);
    FOR_FULL(v, &h->live) {
        int8_t reg = f->cross_reg[h->value[v]->id];
        f->occupied[reg / 32][b] |= 1ull << reg % 32;
    }
}

/* The active lanes alone write a phi where others have something in its register. Where nobody has, its first
 * write is for all lanes: lookups read absent ones, too. */
static void find_guarded(struct colouring *h, const struct ir_block *b) {
    struct flow *f = h->flow;
    FOR_SPARSE(v, &h->written, b->id) {
        const struct ir_inst *phi = h->value[v];
        int8_t reg = f->cross_reg[phi->id];
        bool free = flow_first_edge(phi->block) == b;
        FOR_SPARSE(o, &h->out, b->id) free &= o == v || f->cross_reg[h->value[o]->id] != reg;
        FOR_SPARSE(i, &h->in, b->id) free &= f->cross_reg[h->value[i]->id] != reg;
        f->guarded[phi->id] &= !free;
    }
}

static void tell(struct colouring *h, const int8_t *colours) {
    struct flow *f = h->flow;
    for (uint32_t v = 0; v < h->count; v++) { /* of those that share a register, for all of them */
        uint32_t *limit = &h->limit[colouring_representative(h, v)];
        *limit = h->limit[v] < *limit ? h->limit[v] : *limit;
    }
    for (uint32_t v = 0; v < h->count; v++) {
        uint32_t one = colouring_representative(h, v);
        f->cross_reg[h->value[v]->id] = colours[one];
        f->guarded[h->value[v]->id] = h->active[v];
        f->guard[h->value[v]->id] = h->limit[one] == NOBODY ? -1 : (int32_t)h->limit[one];
    }
    ir_for_blocks(h->shader, b) {
        tell_block(h, b->id);
        find_guarded(h, b);
    }
}

/* Values at the peak for which no form finds registers. Copies of each other may share one, which is why this
 * is more than there are; colouring takes the square of it to say so. */
enum { CROWDED = 4 * 64 };

bool cross_block_assign(struct flow *f, unsigned regs, struct flow_peak *peak) {
    static const unsigned forms[] = {MERGE | IN_ORDER,
                                     MERGE | AT_ANY_COST | IN_ORDER,
                                     MERGE | AT_ANY_COST,
                                     IN_ORDER,
                                     0,
                                     MERGE | AT_ANY_COST | IN_ORDER | ANY_REGISTER,
                                     MERGE | AT_ANY_COST | ALL_ACTIVE,
                                     MERGE | AT_ANY_COST | ALL_ACTIVE | LOOKUPS};
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
    struct colouring h;
    begin(&h, f);
    int8_t *colours = ir_alloc(f->arena, h.count + 1);
    if (ir_arena_oom(f->arena))
        return false;
    h.looked_up = flow_feeding_lookups(f);
    find_peak(&h, peak);
    bool ok = false;
    for (size_t k = 0; peak->values <= CROWDED && k < sizeof forms / sizeof *forms && !ok; k++)
        ok = try_colouring(&h, forms[k], regs, colours);
    if (ir_arena_oom(f->arena))
        return false;
    if (ok)
        tell(&h, colours);
    return ok;
}
