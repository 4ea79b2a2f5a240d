/* sink_varyings: varyings are read after the loops that do without them, for shaders that have no register to
 * spare in a loop.
 *
 * Requires: a lowered fragment shader with one end. Keeps: what it computes. Breaks: the order of varyings
 * in the FIFO, which the vertex shader takes over.
 *
 * A varying comes out of the FIFO once, so what is read in the first block lives on from there. All that a
 * varying still needs later is W, which is one word for all of them. Blocks that dominate the end are on
 * every path, and outside loops the program counter comes to them once, with all lanes: they may read
 * varyings, too. Each goes to the last of these that dominates all that needs it, with the operations on it
 * that nothing needs before. What a point or a line gets from the hardware itself stays first. */
#include "passes/passes.h"

#include <string.h>

struct late {
    struct ir_shader *shader;
    uint32_t *step; /* block -> 1 + its place among those on every path, the last of them being `steps` */
    struct ir_inst **anchor; /* step -> what it begins with behind its phis */
    uint32_t steps;
    bool *varies;     /* IR id: is made of a varying */
    uint32_t *latest; /* IR id -> last step that dominates all that needs it */
};

static bool find_steps(struct late *l) {
    const struct ir_block *end = NULL;
    ir_for_blocks(l->shader, b) {
        if (b->last->op == IR_END && end)
            return false;
        end = b->last->op == IR_END ? b : end;
    }
    for (const struct ir_block *b = end; b; b = b->idom == b ? NULL : b->idom)
        l->steps += !b->loop_header;
    uint32_t step = l->steps;
    for (const struct ir_block *b = end; b; b = b->idom == b ? NULL : b->idom) {
        if (b->loop_header)
            continue;
        struct ir_inst *first = b->first;
        while (first->op == IR_PHI)
            first = first->next;
        l->anchor[step] = first;
        l->step[b->id] = step--;
    }
    return l->steps > 1;
}

static uint32_t step_before(const struct late *l, const struct ir_block *b) {
    while (!l->step[b->id])
        b = b->idom;
    return l->step[b->id];
}

static bool is_movable(const struct late *l, const struct ir_inst *i) {
    const struct ir_op_info *info = ir_op_info(i->op);
    if (!l->step[i->block->id])
        return false;
    if (i->op == IR_VARY)
        return l->shader->vary_symbol_word[i->imm] != UINT32_MAX;
    return l->varies[i->id] && info->pure && i->op != IR_PHI && info->cls != IR_CLASS_START;
}

static void find_varying(struct late *l) {
    ir_for_blocks(l->shader, b) {
        ir_for_insts(b, i) {
            for (uint32_t k = 0; k < i->nsrc && i->op != IR_PHI; k++)
                l->varies[i->id] |= l->varies[i->src[k]->id] || i->src[k]->op == IR_VARY;
        }
    }
}

static void needs(struct late *l, const struct ir_inst *value, uint32_t step) {
    if (step < l->latest[value->id])
        l->latest[value->id] = step;
}

/* Backwards: what needs a value comes first, but for phis, which need it at the end of an edge. */
static void find_latest(struct late *l) {
    for (uint32_t id = 0; id <= l->shader->next_id; id++)
        l->latest[id] = l->steps;
    ir_for_blocks(l->shader, b) {
        for (const struct ir_inst *phi = b->first; phi->op == IR_PHI; phi = phi->next)
            for (uint32_t k = 0; k < phi->nsrc; k++)
                needs(l, phi->src[k], step_before(l, phi->phi_block[k]));
    }
    for (uint32_t n = l->shader->nblocks; n-- > 0;)
        for (struct ir_inst *i = l->shader->blocks[n]->last; i && i->op != IR_PHI; i = i->prev) {
            uint32_t own = step_before(l, i->block);
            if (!is_movable(l, i))
                l->latest[i->id] = own;
            for (uint32_t k = 0; k < i->nsrc; k++)
                needs(l, i->src[k], l->latest[i->id]);
        }
}

/* With one of them nothing is gained: W takes its register. */
static bool is_worth_while(const struct late *l) {
    uint32_t gain = 0;
    ir_for_insts(l->shader->blocks[0], i) gain += i->op == IR_VARY && l->latest[i->id] > 1;
    return gain > 1;
}

static void number_again(struct ir_shader *shader) {
    uint32_t word[64], n = 0;
    uint64_t rough = 0;
    memcpy(word, shader->vary_symbol_word, sizeof word);
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            if (i->op != IR_VARY)
                continue;
            rough |= (shader->rough_varyings >> i->imm & 1) << n;
            shader->vary_symbol_word[n] = word[i->imm];
            i->imm = n++;
        }
    }
    shader->rough_varyings = rough;
}

bool pass_sink_varyings(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    struct late l = {.shader = shader};
    uint32_t ids = shader->next_id + 1, blocks = shader->nblocks + 1;
    if (shader->stage != QPUCC_FRAGMENT || !shader->lowered)
        return false;
    l.step = ir_alloc(shader->arena, blocks * sizeof *l.step);
    l.anchor = ir_alloc(shader->arena, (blocks + 1) * sizeof *l.anchor);
    l.varies = ir_alloc(shader->arena, ids);
    l.latest = ir_alloc(shader->arena, ids * sizeof *l.latest);
    if (ir_arena_oom(shader->arena) || !find_steps(&l))
        return false;
    find_varying(&l);
    find_latest(&l);
    if (!is_worth_while(&l))
        return false;
    ir_for_blocks(shader, b) {
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            if (is_movable(&l, i) && l.latest[i->id] > l.step[b->id])
                ir_move_before(i, l.anchor[l.latest[i->id]]);
        }
    }
    number_again(shader);
    return true;
}
