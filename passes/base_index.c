/* base_index: neighbours in a uniform array are found by one run-time index.
 *
 * requires: SSA; before if-conversion.
 * keeps:    the CFG; every value, unless an index is negative.
 * breaks:   nothing; leaves dead code.
 *
 *     u[i], v[i + 1]   →   v + 1 by i
 *
 * An index has to be scaled and kept from being negative before it is an address. What a block reads is read
 * together: if it reads u[i], i is not negative, and i + 1 neither. That is not so where the two stand under
 * different conditions, which if-conversion would mix. Each keeps its own end: v[i + 1] may be one too many
 * where its weight is zero, and u[i] must be right then. For the same reason u[i] and u[i - 1] share none. */
#include "passes/index.h"
#include "passes/passes.h"

/* It reads the element (index + offset) * factor. */
struct place {
    struct ir_inst *index;
    uint32_t factor, offset;
};

static struct place place_of(const struct ir_inst *access) {
    struct place p = {ir_value(access->src[0]), 1, 0};
    struct ir_inst *inner;
    const struct ir_inst *c = p.index->op == IR_UMUL24 ? index_constant(p.index, &inner) : NULL;
    if (c)
        p.factor = c->imm, p.index = inner;
    c = p.index->op == IR_IADD ? index_constant(p.index, &inner) : NULL;
    if (c)
        p.offset = c->imm, p.index = inner;
    return p;
}

/* By the index without the offset, if it reads one word at least then. */
static bool rebase(struct ir_inst *access, const struct place *p) {
    uint64_t words = (uint64_t)p->offset * p->factor;
    if (words >= access->aux)
        return false;
    struct ir_builder b = ir_builder_before(access);
    b.precision = IR_HIGHP;
    b.exact = access->exact;
    access->imm += (uint32_t)words;
    access->aux -= (uint32_t)words;
    access->src[0] = p->factor == 1 ? p->index : ir_op2(&b, IR_UMUL24, p->index, ir_const_i(&b, p->factor));
    return true;
}

bool pass_base_index(struct ir_shader *shader, const struct pass_options *options) {
    if (options->level < 1 || !ir_has(shader, IR_UNIFORM_AT))
        return false;
    uint32_t *block_of = ir_alloc(shader->arena, shader->next_id * sizeof *block_of);
    if (ir_arena_oom(shader->arena))
        return false;
    bool changed = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct place p = inst->op == IR_UNIFORM_AT ? place_of(inst) : (struct place){.offset = 1};
            if (!p.offset)
                block_of[p.index->id] = block->id + 1;
        }
        ir_for_insts(block, inst) {
            struct place p = inst->op == IR_UNIFORM_AT ? place_of(inst) : (struct place){.offset = 0};
            if (p.offset && block_of[p.index->id] == block->id + 1)
                changed |= rebase(inst, &p);
        }
    }
    return changed;
}
