/* correlate: a selection whose condition is known wherever it is read becomes the value it has there.
 *
 * requires: SSA, blocks in order.
 * keeps:    the CFG; every value to the bit in the lanes in which something depends on it.
 * breaks:   nothing; leaves dead code.
 *
 *     select(c, x, f(select(c, y, z)))   →  select(c, x, f(z))
 *     v = select(c, y, z); select(c, f(v), g(v))   →  select(c, f(y), g(z))
 *
 * Sources that test the same thing twice are the reason, after if-conversion. What only an arm of a selection
 * needs is needed in that arm's lanes alone, and so are its own operands, if it is lanewise: lookups and
 * derivatives need their neighbours. A selection that is also read where its condition is open stays for all
 * its readers, because it is made anyway and its operands would live longer. */
#include "passes/passes.h"

enum { MAX_CONDITIONS = 32 };

/* Conditions that hold, and that do not, in all lanes in which a value is needed; a bit for each. */
struct known {
    uint32_t yes, no;
};

struct correlate {
    struct ir_inst *condition[MAX_CONDITIONS]; /* of two selections or more */
    uint32_t count;
    struct known *known; /* by id */
    bool *open;          /* by id: some reader needs the selection itself */
};

/* The bit of a selection's condition, 0 if no other selection has it. */
static uint32_t condition_of(const struct correlate *c, const struct ir_inst *select) {
    for (uint32_t k = 0; k < c->count; k++)
        if (c->condition[k] == ir_value(select->src[0]))
            return 1u << k;
    return 0;
}

static bool find_conditions(struct correlate *c, struct ir_shader *shader) {
    uint32_t *selects = ir_alloc(shader->arena, shader->next_id * sizeof *selects);
    if (ir_arena_oom(shader->arena))
        return false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_inst *condition = inst->op == IR_SELECT ? ir_value(inst->src[0]) : NULL;
            if (condition && ++selects[condition->id] == 2 && c->count < MAX_CONDITIONS)
                c->condition[c->count++] = condition;
        }
    }
    return c->count > 0;
}

/* What is known where an instruction reads its source k. */
static struct known at_source(const struct correlate *c, const struct ir_inst *inst, uint32_t k) {
    const struct ir_op_info *info = ir_op_info((enum ir_op)inst->op);
    if (!info->pure || info->gathers || inst->op == IR_PHI)
        return (struct known){0, 0};
    struct known known = c->known[inst->id];
    if (inst->op == IR_SELECT && k > 0)
        *(k == 1 ? &known.yes : &known.no) |= condition_of(c, inst);
    return known;
}

/* The value that a selection has there; itself if that is not known. */
static struct ir_inst *value_at(const struct correlate *c, struct ir_inst *x, struct known known) {
    uint32_t bit = x->op == IR_SELECT ? condition_of(c, x) : 0;
    return bit & known.yes ? ir_value(x->src[1]) : bit & known.no ? ir_value(x->src[2]) : x;
}

/* Readers stand behind what they read, except phis, where nothing is known. */
static void find_known(struct correlate *c, const struct ir_shader *shader) {
    for (uint32_t id = 0; id < shader->next_id; id++)
        c->known[id] = (struct known){UINT32_MAX, UINT32_MAX};
    ir_for_blocks(shader, block) {
        for (struct ir_inst *phi = block->first; phi && phi->op == IR_PHI; phi = phi->next)
            for (uint32_t k = 0; k < phi->nsrc; k++) {
                c->known[ir_value(phi->src[k])->id] = (struct known){0, 0};
                c->open[ir_value(phi->src[k])->id] = true;
            }
    }
    for (uint32_t b = shader->nblocks; b-- > 0;)
        for (const struct ir_inst *inst = shader->blocks[b]->last; inst; inst = inst->prev)
            for (uint32_t k = 0; k < inst->nsrc; k++) {
                struct ir_inst *source = ir_value(inst->src[k]);
                struct known known = at_source(c, inst, k);
                c->open[source->id] |= value_at(c, source, known) == source;
                c->known[source->id].yes &= known.yes;
                c->known[source->id].no &= known.no;
            }
}

bool pass_correlate(struct ir_shader *shader, const struct pass_options *options) {
    struct correlate c = {.count = 0};
    if (options->level < 1 || !ir_has(shader, IR_SELECT) || !find_conditions(&c, shader))
        return false;
    c.known = ir_alloc(shader->arena, shader->next_id * sizeof *c.known);
    c.open = ir_alloc(shader->arena, shader->next_id * sizeof *c.open);
    if (ir_arena_oom(shader->arena))
        return false;
    find_known(&c, shader);
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++) {
                struct ir_inst *source = ir_value(inst->src[k]);
                if (source->op != IR_SELECT || c.open[source->id])
                    continue;
                inst->src[k] = value_at(&c, source, at_source(&c, inst, k));
                changed |= inst->src[k] != source;
            }
        }
    }
    return changed;
}
