/* Something defined for absent lanes in what lookups are made from.
 *
 * Requires: homes (regalloc/homes.c). Keeps: the homes.
 *
 * A value that lanes outside a loop still need is written in the active lanes only. Lanes that never came to
 * the write have nothing there, and a lookup in the loop takes all lanes: nobody reads what it brings them,
 * but undefined bits in a coordinate or an address are not to be relied on. So the register gets a zero once,
 * before the loop, in all lanes. Nothing else is in it there: the value's life along the ways of the program
 * counter begins with the loop. Values written in all lanes, or on the first edge to a phi, need no such
 * thing.
 *
 * The mask, too, should not come from undefined flags; where it would, selection writes it in the active
 * lanes. */
#include "backend/flow.h"

/* Everything that a source of a lookup in masked code is computed from; by IR id. NULL: there is none. */
static bool *feeding_lookups(const struct flow *f) {
    struct ir_shader *shader = f->shader;
    bool *feeds = ir_alloc(f->arena, shader->next_id + 1), any = false;
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            bool lookup = f->block[b->id].masked && (i->op == IR_TEX || i->op == IR_UNIFORM_AT);
            for (uint32_t k = 0; lookup && k < i->nsrc; k++)
                feeds[i->src[k]->id] = any = true;
        }
    }
    for (bool changed = any; changed;) {
        changed = false;
        for (uint32_t n = shader->nblocks; n-- > 0;)
            for (struct ir_inst *i = shader->blocks[n]->last; i; i = i->prev)
                for (uint32_t k = 0; feeds[i->id] && k < i->nsrc; k++) {
                    changed |= !feeds[i->src[k]->id];
                    feeds[i->src[k]->id] = true;
                }
    }
    return any ? feeds : NULL;
}

static bool occupied(const struct flow *f, const struct ir_block *b, int home) {
    return f->occupied[home / 32][b->id] >> home % 32 & 1;
}

/* A conditional write leaves in absent lanes what a phi in the same register has there already. */
static bool keeps_phi(const struct flow *f, const struct ir_inst *i) {
    ir_for_blocks(f->shader, b) {
        if (!ir_dominates(b, i->block))
            continue;
        for (const struct ir_inst *phi = b->first; phi && phi->op == IR_PHI; phi = phi->next)
            if (f->home[phi->id] == f->home[i->id] && !f->vague[phi->id])
                return true;
    }
    return false;
}

static bool is_vague(const struct flow *f, const struct ir_inst *i) {
    if (i->op != IR_PHI) {
        if (f->guarded[i->id] && f->home[i->id] != FLOW_NO_HOME)
            return !keeps_phi(f, i);
        for (uint32_t k = 0; k < i->nsrc; k++)
            if (f->vague[i->src[k]->id])
                return true;
        return false;
    }
    const struct ir_block *first = flow_first_edge(i->block);
    bool vague = f->guarded[i->id] && f->block[first->id].masked;
    for (uint32_t k = 0; k < i->nsrc;
         k++) /* from the first edge in all lanes; what shares the register is no copy */
        vague |=
            f->vague[i->src[k]->id] && (i->phi_block[k] == first || f->home[i->src[k]->id] == f->home[i->id]);
    return vague;
}

static void find_vague(struct flow *f) {
    for (bool changed = f->masked; changed;) {
        changed = false;
        ir_for_blocks(f->shader, b) {
            ir_for_insts(b, i) {
                if (!f->vague[i->id] && is_vague(f, i))
                    f->vague[i->id] = changed = true;
            }
        }
    }
}

void flow_define(struct flow *f) {
    struct ir_shader *shader = f->shader;
    find_vague(f);
    const bool *feeds = f->masked ? feeding_lookups(f) : NULL;
    if (!feeds)
        return;
    f->first_write = ir_alloc(f->arena, (shader->next_id + 1) * sizeof *f->first_write);
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            int home = f->home[i->id];
            if (!feeds[i->id] || home == FLOW_NO_HOME || !f->guarded[i->id] || f->guard[i->id] < 0)
                continue;
            const struct ir_block *before = flow_first_edge(shader->blocks[f->guard[i->id]]);
            if (occupied(f, before, home)) /* by a value that shares the home, and is defined */
                continue;
            f->occupied[home / 32][before->id] |= 1ull << home % 32;
            f->first_write[f->first_writes++] = (struct flow_first_write){i, before};
        }
    }
}
