/* cse: one instruction for each distinct pure computation.
 *
 * requires: block order and dominators; best after fold and algebraic, which make equal things look equal.
 * keeps:    the CFG, every effect.
 * breaks:   nothing.
 *
 * Blocks are visited down the dominator tree, so whatever dominates an instruction has been seen before it,
 * and what does not dominate one will dominate none that follows: its place in the table is taken by the next
 * that is equal. Sources of commuting operations compare in either order. The one that stays takes the higher
 * precision and the exactness of those it replaces: it has to serve them all.
 *
 * With a reach in the options a value is shared only while it was last read no more than so many instructions
 * before: a shader that runs out of registers computes again what it would have to keep for long. */
#include "passes/passes.h"

struct table {
    struct ir_inst **entry; /* open addressing, never more than two thirds full */
    uint32_t mask;
    uint32_t reach;
    uint32_t now;        /* instructions visited */
    uint32_t *last_read; /* by id: when it was made or read last */
};

static bool candidate(const struct ir_inst *inst) {
    return ir_ops[inst->op].pure && inst->type != IR_VOID;
}

static bool commuted(const struct ir_inst *inst) {
    return ir_ops[inst->op].commutes && inst->nsrc >= 2;
}

static uint32_t hash_of(const struct ir_inst *inst) {
    uint64_t h = (uint64_t)inst->op << 32 ^ (uint64_t)inst->imm << 8 ^ (uint64_t)inst->aux << 40 ^ inst->type;
    uint32_t first = 0;
    if (commuted(inst)) { /* the same whichever comes first */
        uint64_t a = ir_value(inst->src[0])->id, b = ir_value(inst->src[1])->id;
        h = h * 0x9e3779b97f4a7c15u ^ (a < b ? a << 32 | b : b << 32 | a);
        first = 2;
    }
    for (uint32_t i = first; i < inst->nsrc; i++)
        h = h * 0x9e3779b97f4a7c15u ^ ir_value(inst->src[i])->id;
    /* neighbouring ids must not be neighbours in the table: it is probed in a row */
    return (uint32_t)((h ^ h >> 32) * 0x9e3779b97f4a7c15u >> 40);
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

/* What takes no register over the distance, or far more than one operation to make again, is always in reach.
 */
static bool within_reach(const struct table *t, const struct ir_inst *inst) {
    return t->reach == PASSES_UNLIMITED || inst->nsrc == 0 || inst->op == IR_TEX || inst->op == IR_PHI ||
           t->now - t->last_read[inst->id] <= t->reach;
}

static void read_by(struct table *t, const struct ir_inst *inst) {
    if (t->reach == PASSES_UNLIMITED)
        return;
    t->now++;
    t->last_read[inst->id] = t->now;
    for (uint32_t k = 0; k < inst->nsrc; k++)
        t->last_read[ir_value(inst->src[k])->id] = t->now;
}

/* The equal instruction that dominates this one, of several the latest, or NULL; and then this one is
 * entered. */
static struct ir_inst *find(struct table *t, struct ir_inst *inst) {
    struct ir_inst *found = NULL, **free = NULL;
    uint32_t at = hash_of(inst) & t->mask;
    for (struct ir_inst *other; (other = t->entry[at]); at = (at + 1) & t->mask) {
        if (!same(other, inst))
            continue;
        if (!ir_dominates(other->block, inst->block))
            free = &t->entry[at];
        else if (within_reach(t, other))
            found = other;
    }
    if (!found)
        *(free ? free : &t->entry[at]) = inst;
    return found;
}

bool pass_cse(struct ir_shader *shader, const struct pass_options *options) {
    struct table t = {.mask = 63, .reach = options->cse_reach};
    while (t.mask < shader->ninsts + shader->ninsts / 2)
        t.mask = t.mask * 2 + 1;
    struct ir_mark before = ir_arena_mark(shader->arena);
    t.entry = ir_alloc(shader->arena, (t.mask + 1) * sizeof *t.entry);
    if (t.reach != PASSES_UNLIMITED)
        t.last_read = ir_alloc(shader->arena, shader->next_id * sizeof *t.last_read);
    struct ir_block **down = ir_alloc(shader->arena, shader->nblocks * sizeof *down);
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, each) {
        down[each->dom_first] = each;
    }
    for (uint32_t k = 0; k < shader->nblocks; k++) {
        struct ir_block *block = down[k];
        ir_for_insts(block, inst) {
            read_by(&t, inst);
            if (!candidate(inst))
                continue;
            struct ir_inst *other = find(&t, inst);
            if (!other)
                continue;
            if (t.last_read)
                t.last_read[other->id] = t.now;
            if (inst->precision < other->precision)
                other->precision = inst->precision;
            other->exact |= inst->exact;
            ir_replace(inst, other);
            changed = true;
        }
    }
    ir_arena_rewind(shader->arena, before);
    if (changed)
        ir_resolve(shader);
    return changed;
}
