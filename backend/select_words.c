/* Words of the uniform stream that lie in registers.
 *
 * Requires: tables that are clean of the block before. Keeps: the block.
 *
 * An instruction reads one word of the stream, and a write of a texture coordinate pulls one itself. So an
 * operation that reads another one writes to a register, and a move brings that to the texture unit. With its
 * word in a register it writes there itself: the move that fetches the word is made earlier, where the stream
 * and an ALU are idle, and once for all readers. It takes a register, so a block has few such words.
 *
 * Where the stream is what is short, other words with several readers are better off in registers, too; where
 * it is not, the moves and the registers are. The driver tries both (backend.c). */
#include "backend/select.h"

enum {
    HELD = 1 << 30, /* enough readers that the word has a register */
    MOST = 4        /* for coordinates; 8, 12, 16, any number: 0.0005 longer */
};

/* Constants that the instruction can't hold lie in the stream, too. */
static bool is_word(const struct ir_inst *x) {
    bool inside = x->op == IR_CONST && qpu_small_imm_code(x->imm) >= 0;
    return (x->op == IR_UNIFORM || x->op == IR_CONST) && x->type != IR_BOOL && !inside;
}

static void add_readers(struct sel *s, const struct ir_inst *x, uint32_t count) {
    if (!s->readers[x->id])
        s->touched[(*s->ntouched)++] = x->id;
    s->readers[x->id] += count;
}

/* What only the coordinate reads can write it itself. */
static uint32_t hold_for(struct sel *s, const struct ir_inst *coordinate, uint32_t most) {
    uint32_t held = 0;
    coordinate = ir_through_bits(coordinate);
    if (!sel_is_local(s, coordinate) || s->uses[coordinate->id] != 1 || coordinate->nsrc != 2)
        return 0;
    for (uint32_t k = 0; k < 2 && held < most; k++) {
        const struct ir_inst *x = ir_through_bits(coordinate->src[k]);
        if (!is_word(x) || s->readers[x->id] >= HELD)
            continue;
        add_readers(s, x, HELD);
        held++;
    }
    return held;
}

static void count_readers(struct sel *s, const struct ir_inst *i) {
    struct mir *m = s->m;
    for (uint32_t k = 0; k < i->nsrc && i->op != IR_PHI; k++) {
        const struct ir_inst *x = ir_through_bits(i->src[k]);
        if (!is_word(x))
            continue;
        add_readers(s, x, 1);
        m->several += s->readers[x->id] == 2;
        m->many += s->readers[x->id] == 4;
    }
}

void sel_hold_words(struct sel *s) {
    uint32_t held = 0;
    for (const struct ir_inst *fetch = s->m->tables->fetches ? s->m->block->first : NULL; fetch;
         fetch = fetch->next)
        for (uint32_t k = 0; fetch->op == IR_TEX && k < fetch->nsrc; k++)
            held += hold_for(s, fetch->src[k], MOST - held);
    s->hold = s->m->options.hold ? s->m->options.hold : HELD;
    if (s->m->shader->stage != QPUCC_FRAGMENT)
        return; /* others have one form of a block: the stream is not what they are short of */
    ir_for_insts((struct ir_block *)s->m->block, i) {
        count_readers(s, i);
    }
}
