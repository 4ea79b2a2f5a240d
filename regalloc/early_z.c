/* The depth written before everything else, where registers are short.
 *
 * Requires: a lowered fragment shader for one thread. Keeps: what is drawn. Breaks: the analysis of its flow.
 *
 * The rasteriser's depth waits in a register until the tile buffer is written, over all loops. A shader that
 * never discards can write it at once, after the words that set up the stencil test. The price is time: from
 * then on no other thread may touch these pixels. */
#include "mir/flow.h"
#include "regalloc/regalloc.h"

struct ir_inst *early_z_find(const struct ir_shader *shader) {
    struct ir_inst *i = shader->blocks[shader->nblocks - 1]->first;
    while (i && (ir_op_info(i->op)->cls != IR_CLASS_TILE ||
                 (i->op == IR_TLB_STENCIL && flow_rematerialises(i->src[0]))))
        i = i->next;
    bool early = i && i->op == IR_TLB_Z && i->nsrc == 1 && ir_through_bits(i->src[0])->op == IR_FRAG_Z;
    return early ? i : NULL;
}

void early_z(struct ir_shader *shader) {
    struct ir_block *first = shader->blocks[0];
    struct ir_inst *z = early_z_find(shader), *next;
    if (!z || z->block == first || first->npred)
        return;
    struct ir_builder at = ir_builder_before(first->last);
    for (struct ir_inst *i = z->block->first; i != z; i = next) {
        next = i->next;
        if (i->op != IR_TLB_STENCIL)
            continue;
        const struct ir_inst *word = ir_through_bits(i->src[0]);
        i->src[0] = ir_emit(&at, word->op, word->type, 0, NULL, word->imm, word->aux);
        ir_move_before(i, first->last);
    }
    ir_move_before(z, first->last);
}
