/* Values rematerialised in the blocks that read them, where more cross some branch than there are registers.
 *
 * Requires: a flow, and values that cross some block's end (flow_peak). Keeps: what the shader computes, its
 * blocks and its phis. Breaks: the flow, which has to be analysed anew.
 *
 * What crosses there can be computed from fewer values most often: a least cut (regalloc/cut.c) of all that
 * it depends on. Those are kept. Every other one is computed once more in each block that reads it, before
 * its first reader there; texels are fetched again. Phis, varyings and whatever else can be had only once are
 * always kept.
 *
 * A lookup takes its level of detail from all lanes of a quad. So where lanes may be absent it is made again
 * only from values that all lanes have, in registers that nobody else gets in any lane (flow->all_lanes). */
#include "regalloc/cut.h"
#include "regalloc/regalloc.h"

#include <string.h>

struct remat {
    struct flow *flow;
    struct ir_shader *shader;
    bool bound;              /* what may be recomputed at all: nothing is asked of the place */
    bool *early;             /* IR id: something up to the loop's end needs it */
    bool no_z;               /* the depth may have been written before */
    uint32_t ids;            /* of before */
    struct ir_inst **value;  /* by IR id */
    bool *whole;             /* IR id: all lanes have it, computed from such alone */
    bool *masked_use;        /* IR id: what is computed from it is read where lanes may be absent */
    bool *kept, *again;      /* IR id: in the cut; computed once more wherever another block reads it */
    bool *all_lanes;         /* IR id: see flow->all_lanes */
    struct ir_inst **origin; /* of what was made here, by its id from `ids` on: what it is the same as */
    uint32_t made, capacity;
    struct ir_inst **now;   /* IR id -> it in `here` */
    struct ir_block **here; /* IR id -> the block that it was last computed in */
    struct ir_inst **stack; /* what is being computed, each one for the one below it */
    bool *lookup;           /* IR id: of what is on the stack, a lookup in masked code is made from it */
    uint32_t depth;
};

/* Does it take something from other lanes? */
static bool looks_around(const struct ir_inst *v) {
    return ir_op_info(v->op)->gathers;
}

static bool is_repeatable(const struct remat *r, const struct ir_inst *v) {
    const struct ir_op_info *info = ir_op_info(v->op);
    if (r->no_z && v->op == IR_FRAG_Z)
        return true;
    if (r->bound && v->op == IR_VARY) /* from W, if it is read after the loop */
        return !r->early[v->id];
    if (r->bound) /* where paths meet, a selection might do instead of the phi */
        return v->op == IR_PHI ? v->block->loop_header != v->block
                               : info->pure && info->cls != IR_CLASS_START;
    if (!info->pure || v->op == IR_PHI || info->cls == IR_CLASS_START || v->nsrc > CUT_OPERANDS)
        return false;
    if (!looks_around(v))
        return true;
    /* where lanes were absent from the first, their coordinates never meant anything */
    return info->cls == IR_CLASS_FETCH &&
           (!r->masked_use[v->id] || r->whole[v->id] || r->flow->block[v->block->id].masked);
}

static int made_of(void *user, uint32_t id, uint32_t out[CUT_OPERANDS]) {
    const struct remat *r = user;
    const struct ir_inst *v = r->value[id];
    int n = 0;
    if (!is_repeatable(r, v))
        return -1;
    for (uint32_t k = 0; k < v->nsrc && k < CUT_OPERANDS && v->op != IR_PHI; k++)
        if (!flow_rematerialises(v->src[k]))
            out[n++] = v->src[k]->id;
    return n;
}

/* --- what is known of values ---------------------------------------------------------------------------- */

static void find_whole(struct remat *r) {
    ir_for_blocks(r->shader, b) {
        ir_for_insts(b, i) {
            r->value[i->id] = i;
            r->whole[i->id] = i->op != IR_PHI && !r->flow->block[b->id].masked;
            for (uint32_t k = 0; k < i->nsrc && i->op != IR_PHI; k++)
                r->whole[i->id] &= r->whole[i->src[k]->id] || flow_rematerialises(i->src[k]);
        }
    }
}

static void find_masked_uses(struct remat *r) {
    for (uint32_t n = r->shader->nblocks; n-- > 0;)
        for (struct ir_inst *i = r->shader->blocks[n]->last; i; i = i->prev)
            for (uint32_t k = 0; k < i->nsrc; k++) {
                const struct ir_block *at = i->op == IR_PHI ? i->phi_block[k] : i->block;
                r->masked_use[i->src[k]->id] |=
                    r->flow->block[at->id].masked || (i->op != IR_PHI && r->masked_use[i->id]);
            }
}

static struct remat begin(struct flow *f) {
    struct remat r = {.flow = f, .shader = f->shader, .ids = f->shader->next_id};
    size_t n = r.ids + 1;
    bool **flags[] = {&r.whole, &r.masked_use, &r.kept, &r.again, &r.lookup};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        *flags[k] = ir_alloc(f->arena, n);
    r.all_lanes = ir_alloc(f->arena, n);
    if (f->all_lanes.has) /* ids only grow */
        memcpy(r.all_lanes, f->all_lanes.has, f->all_lanes.ids);
    r.value = ir_alloc(f->arena, n * sizeof *r.value);
    r.now = ir_alloc(f->arena, n * sizeof *r.now);
    r.here = ir_alloc(f->arena, n * sizeof *r.here);
    r.stack = ir_alloc(f->arena, n * sizeof *r.stack);
    if (ir_arena_oom(f->arena)) /* these may be one block */
        return r;
    find_whole(&r);
    find_masked_uses(&r);
    return r;
}

/* --- computed once more --------------------------------------------------------------------------------- */

static void note_origin(struct remat *r, struct ir_inst *v) {
    if (r->made == r->capacity) {
        uint32_t capacity = r->capacity ? 2 * r->capacity : 64;
        struct ir_inst **larger = ir_alloc(r->flow->arena, capacity * sizeof *larger);
        if (r->made)
            memcpy(larger, r->origin, r->made * sizeof *larger);
        r->origin = larger;
        r->capacity = capacity;
    }
    r->origin[r->made++] = v;
}

/* v in block b: where it is already, or NULL, as it is to be computed there. `lookup`: where lanes may be
 * absent, a lookup is made from it. */
static struct ir_inst *known_in(struct remat *r, struct ir_inst *v, const struct ir_block *b, bool lookup) {
    if (flow_rematerialises(v))
        return v;
    if (r->here[v->id] == b)
        return r->now[v->id];
    if (v->block != b && !r->kept[v->id] && is_repeatable(r, v))
        return NULL;
    r->all_lanes[v->id] |= lookup && r->whole[v->id];
    return v;
}

/* The one of before that v is: it may be an operand that was served already. */
static struct ir_inst *original(const struct remat *r, struct ir_inst *v) {
    return v->id >= r->ids ? r->origin[v->id - r->ids] : v;
}

static void compute(struct remat *r, struct ir_inst *v, struct ir_block *b, struct ir_inst *where,
                    struct ir_inst *const *src) {
    struct ir_builder at = ir_builder_before(where);
    at.loc = v->loc;
    at.precision = v->precision;
    at.exact = v->exact;
    note_origin(r, v);
    r->here[v->id] = b;
    r->now[v->id] = ir_emit(&at, v->op, v->type, v->nsrc, src, v->imm, v->aux);
    ir_label(r->now[v->id], v->label);
}

static void push(struct remat *r, struct ir_inst *v, const struct ir_block *b, bool lookup) {
    r->lookup[v->id] = lookup || r->all_lanes[v->id] || (looks_around(v) && r->flow->block[b->id].masked);
    r->stack[r->depth++] = v;
}

/* v in block b, computed before `where` unless it is there already: first what it is made of. Chains may be
 * longer than calls have stack. */
static struct ir_inst *value_in(struct remat *r, struct ir_inst *v, struct ir_block *b,
                                struct ir_inst *where) {
    struct ir_inst *src[CUT_OPERANDS], *known = known_in(r, v, b, false);
    if (known)
        return known;
    push(r, v, b, false);
    while (r->depth && !ir_arena_oom(r->flow->arena)) {
        struct ir_inst *top = r->stack[r->depth - 1];
        uint32_t k = 0;
        while (k < top->nsrc && (src[k] = known_in(r, original(r, top->src[k]), b, r->lookup[top->id])))
            k++;
        if (k < top->nsrc)
            push(r, original(r, top->src[k]), b, r->lookup[top->id]);
        else
            compute(r, r->stack[--r->depth], b, where, src);
    }
    return r->depth ? v : r->now[v->id];
}

static void serve(struct remat *r, struct ir_inst *user, uint32_t k, struct ir_block *b,
                  struct ir_inst *where) {
    struct ir_inst *v = user->src[k];
    if (v->id < r->ids && r->again[v->id] && v->block != b && !ir_arena_oom(r->flow->arena))
        user->src[k] = value_in(r, v, b, where);
}

static void serve_block(struct remat *r, struct ir_block *b) {
    for (struct ir_inst *i = b->first; i; i = i->next)
        for (uint32_t k = 0; k < i->nsrc && i->op != IR_PHI; k++)
            serve(r, i, k, b, i);
    for (int e = 0; e < 2; e++)
        for (struct ir_inst *phi = b->succ[e] ? b->succ[e]->first : NULL; phi && phi->op == IR_PHI;
             phi = phi->next)
            for (uint32_t k = 0; k < phi->nsrc; k++)
                if (phi->phi_block[k] == b)
                    serve(r, phi, k, b, b->last);
}

static void remove_dead(struct ir_shader *shader) {
    uint32_t *uses = ir_count_uses(shader);
    for (uint32_t n = shader->nblocks; n-- > 0;)
        for (struct ir_inst *i = shader->blocks[n]->last, *before; i; i = before) {
            before = i->prev;
            if (uses[i->id] || !ir_op_info(i->op)->pure || i->op == IR_PHI)
                continue;
            for (uint32_t k = 0; k < i->nsrc; k++)
                uses[i->src[k]->id]--;
            ir_remove(i);
        }
}

/* The least cut of these values; returns how many values it has. */
static uint32_t cut_of(struct remat *r, const struct flow_values *values, uint32_t *cut) {
    uint32_t *wanted = ir_alloc(r->flow->arena, (values->count + 1) * sizeof *wanted);
    struct cut_graph graph = {.values = r->ids, .depth = UINT32_MAX, .operands = made_of, .user = r};
    for (uint32_t k = 0; k < values->count; k++)
        wanted[k] = values->value[k]->id;
    return cut_least(r->flow->arena, &graph, wanted, values->count, cut);
}

/* What the blocks up to `end` can't do without: what has effects there or decides where to go, what phis get
 * there, and all that these are made of. */
static void find_early(struct remat *r, uint32_t end) {
    memset(r->early, 0, r->ids + 1);
    ir_for_blocks(r->shader, b) {
        for (const struct ir_inst *phi = b->first; phi && phi->op == IR_PHI; phi = phi->next)
            for (uint32_t k = 0; k < phi->nsrc; k++)
                r->early[phi->src[k]->id] |= phi->phi_block[k]->id <= end;
    }
    for (uint32_t n = r->shader->nblocks; n-- > 0;)
        for (const struct ir_inst *i = r->shader->blocks[n]->last; i && i->op != IR_PHI; i = i->prev) {
            bool stays = n <= end && !ir_op_info(i->op)->pure && i->op != IR_VARY;
            for (uint32_t k = 0; k < i->nsrc; k++)
                r->early[i->src[k]->id] |= stays || r->early[i->id];
        }
}

/* By Menger's theorem that many paths without a common value lead from what can be had only once, and is
 * there when the block begins, to what is needed from then on. Some value of each is alive there. */
unsigned remat_least(struct flow *f, const struct flow_peak *peak, struct ir_loc *where) {
    struct remat r = begin(f);
    r.bound = true;
    struct ir_inst *z = early_z_find(f->shader);
    r.no_z = z && ir_count_uses(f->shader)[ir_through_bits(z->src[0])->id] == 1;
    uint32_t *cut = ir_alloc(f->arena, (r.ids + 1) * sizeof *cut);
    unsigned least = 0;
    r.early = ir_alloc(f->arena, r.ids + 1);
    for (unsigned k = 0; k < peak->needs && !ir_arena_oom(f->arena); k++) {
        find_early(&r, peak->need[k].end);
        unsigned needed = cut_of(&r, &peak->need[k].values, cut) + peak->need[k].reserved;
        if (needed <= least)
            continue;
        least = needed;
        *where = peak->need[k].loc;
    }
    return least;
}

bool remat_cross_blocks(struct flow *f, const struct flow_values *at_peak) {
    struct remat r = begin(f);
    uint32_t *cut = ir_alloc(f->arena, (r.ids + 1) * sizeof *cut);
    uint32_t least = cut_of(&r, at_peak, cut);
    if (least >= at_peak->count)
        return false;
    for (uint32_t k = 0; k < least; k++)
        r.kept[cut[k]] = true;
    for (uint32_t k = 0; k < at_peak->count; k++)
        r.again[at_peak->value[k]->id] = !r.kept[at_peak->value[k]->id];
    ir_for_blocks(r.shader, b) serve_block(&r, b);
    if (ir_arena_oom(f->arena))
        return false;
    remove_dead(r.shader);
    /* what was made just now crosses no branch */
    f->all_lanes = (struct flow_lanes){r.all_lanes, r.ids};
    return true;
}
