/* cse: one instruction for each distinct pure computation.
 *
 * requires: block order and dominators; best after fold and algebraic, which make equal things look equal.
 * keeps:    the CFG, every effect.
 * breaks:   nothing.
 *
 * Blocks are visited down the dominator tree, so whatever dominates an instruction has been seen before it,
 * and what does not dominate one will dominate none that follows: its place in the table is taken by the next
 * that is equal. Sources of commuting operations compare in either order. The one that stays takes the higher
 * precision and the exactness of those it replaces: it has to serve them all. */
#include "passes/passes.h"

#include <string.h>

struct table {     /* open addressing, never more than two thirds full */
    uint16_t *tag; /* of each entry's hash; 0: there is none */
    struct ir_inst **entry;
    uint32_t mask;
};

static bool candidate(const struct ir_inst *inst) {
    return ir_ops[inst->op].pure && inst->type != IR_VOID;
}

static bool commuted(const struct ir_inst *inst) {
    return ir_ops[inst->op].commutes && inst->nsrc >= 2;
}

/* The same in whichever order two sources come. */
static uint64_t hash_of(const struct ir_inst *inst) {
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t h = ((uint64_t)inst->op << 8 ^ inst->type) * odd ^ ((uint64_t)inst->aux << 32 | inst->imm);
    if (inst->nsrc)
        h *= (odd + inst->src[0]->id * 2) * (odd + inst->src[inst->nsrc - 1]->id * 2);
    for (uint32_t k = 1; k + 1 < inst->nsrc; k++)
        h = h * odd ^ inst->src[k]->id;
    /* neighbouring ids must not be neighbours in the table: it is probed in a row */
    return (h ^ h >> 32) * odd;
}

static bool same(const struct ir_inst *a, const struct ir_inst *b) {
    if (a->op != b->op || a->type != b->type || a->imm != b->imm || a->aux != b->aux || a->nsrc != b->nsrc)
        return false;
    if (a->op == IR_PHI) {
        if (a->block != b->block)
            return false;
        for (uint32_t i = 0; i < a->nsrc; i++)
            if (a->phi_block[i] != b->phi_block[i])
                return false;
    }
    uint32_t first = 0;
    if (commuted(a)) {
        struct ir_inst *a0 = ir_value(a->src[0]), *a1 = ir_value(a->src[1]);
        struct ir_inst *b0 = ir_value(b->src[0]), *b1 = ir_value(b->src[1]);
        if (!((a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0)))
            return false;
        first = 2;
    }
    for (uint32_t i = first; i < a->nsrc; i++)
        if (ir_value(a->src[i]) != ir_value(b->src[i]))
            return false;
    return true;
}

/* The equal instruction that dominates this one, or NULL; and then this one is entered. */
static struct ir_inst *find(struct table *t, struct ir_inst *inst) {
    uint64_t hash = hash_of(inst);
    uint16_t tag = hash >> 48 | 1;
    uint32_t at = hash >> 24 & t->mask, place = UINT32_MAX;
    for (; t->tag[at]; at = (at + 1) & t->mask) {
        struct ir_inst *other = t->entry[at];
        if (t->tag[at] != tag || !same(other, inst))
            continue;
        if (ir_dominates(other->block, inst->block))
            return other;
        place = at;
    }
    place = place == UINT32_MAX ? at : place;
    t->tag[place] = tag;
    t->entry[place] = inst;
    return NULL;
}

static bool make_table(struct table *t, struct ir_shader *shader) {
    t->mask = 63;
    while (t->mask < shader->ninsts + shader->ninsts / 2)
        t->mask = t->mask * 2 + 1;
    size_t size = (size_t)t->mask + 1;
    t->tag = ir_alloc_uncleared(shader->arena, size * sizeof *t->tag);
    t->entry = ir_alloc_uncleared(shader->arena, size * sizeof *t->entry);
    if (ir_arena_oom(shader->arena))
        return false;
    memset(t->tag, 0, size * sizeof *t->tag);
    return true;
}

/* Merges what is in a block. A source comes before what reads it, and what it was replaced by is known then:
 * but for phis' sources. */
static bool merge(struct table *t, struct ir_block *block, bool changed) {
    ir_for_insts(block, inst) {
        if (changed)
            ir_resolve_sources(inst);
        struct ir_inst *other = candidate(inst) ? find(t, inst) : NULL;
        if (!other)
            continue;
        if (inst->precision < other->precision)
            other->precision = inst->precision;
        other->exact |= inst->exact;
        ir_replace(inst, other);
        changed = true;
    }
    return changed;
}

bool pass_cse(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    struct table t;
    struct ir_mark before = ir_arena_mark(shader->arena);
    struct ir_block **down = ir_alloc(shader->arena, shader->nblocks * sizeof *down);
    if (!make_table(&t, shader))
        return false;
    bool changed = false;
    ir_for_blocks(shader, each) {
        down[each->dom_first] = each;
    }
    for (uint32_t k = 0; k < shader->nblocks; k++)
        changed = merge(&t, down[k], changed);
    ir_arena_rewind(shader->arena, before);
    if (changed && shader->nblocks > 1)
        ir_resolve(shader);
    return changed;
}
