/* Words of the uniform stream that lie in registers.
 *
 * Requires: tables that are clean of the block before. Keeps: the block.
 *
 * An instruction reads one word of the stream, and a write of a texture coordinate pulls one itself. An
 * operation that reads another one writes to a register, and a move brings that to the texture unit. With its
 * word in a register it writes there itself: the move that fetches the word is made earlier, where the stream
 * and an ALU are idle, and once for all readers. It takes a register, so a block has few such words. */
#include "backend/select.h"

/* Constants that the instruction can't hold lie in the stream, too. */
static bool is_word(const struct ir_inst *x) {
    bool inside = x->op == IR_CONST && qpu_small_imm_code(x->imm) >= 0;
    return (x->op == IR_UNIFORM || x->op == IR_CONST) && x->type != IR_BOOL && !inside;
}

enum { MOST = 4 }; /* 8, 12, 16, any number: 0.0005 longer */

static void hold(struct sel *s, const struct ir_inst *x) {
    x = ir_through_bits(x);
    if (!is_word(x) || s->held[x->id] || s->nheld == MOST)
        return;
    s->touched[(*s->ntouched)++] = x->id;
    s->held[x->id] = true;
    s->nheld++;
}

/* What only the coordinate reads can write it itself. */
static void hold_for(struct sel *s, const struct ir_inst *coordinate) {
    coordinate = ir_through_bits(coordinate);
    if (!sel_is_local(s, coordinate) || s->uses[coordinate->id] != 1 || coordinate->nsrc != 2)
        return;
    for (uint32_t k = 0; k < coordinate->nsrc; k++)
        hold(s, coordinate->src[k]);
}

void sel_hold_words(struct sel *s) {
    ir_for_insts((struct ir_block *)s->m->block, i) {
        for (uint32_t k = 0; k < i->nsrc && i->op == IR_TEX; k++)
            hold_for(s, i->src[k]);
    }
}
