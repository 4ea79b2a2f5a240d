/* Zeros for absent lanes in the registers that lookups are made from.
 *
 * Requires: cross-block registers (regalloc/cross_block.c). Keeps: those.
 *
 * A value that lanes outside a loop still need is written in the active lanes only. Lanes that never came to
 * the write have nothing there, and a lookup in the loop takes all lanes: nobody reads what it brings them,
 * but undefined bits in a coordinate or an address are not to be relied on. So the register gets a zero once,
 * before the loop, in all lanes. Nothing else is in it there: the value's life along the paths of the program
 * counter begins with the loop, or further up, but with nothing written yet. Values written in all lanes, or
 * on the first edge to a phi, need no such thing, unless a branch of all lanes takes the program counter past
 * that first edge to one in masked code: lanes that have left for good find nothing in the phi then. Its zero
 * is written where the paths to it part, or further up where that register holds something there. So is that
 * of a value that the program counter passes by on a branch of all lanes into masked code, where it comes to
 * the value's readers with no lane that wants it (in a block that it passes on all ways to them), and of
 * whatever else the active lanes alone write.
 *
 * The mask, too, should not come from undefined flags; where it would, selection writes it in the active
 * lanes. */
#include "mir/flow.h"

bool *flow_feeding_lookups(const struct flow *f) {
    struct ir_shader *shader = f->shader;
    bool *feeds = ir_alloc(f->arena, shader->next_id + 1);
    bool any = false;
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            bool is_lookup = f->block[b->id].masked && ir_op_info(i->op)->cls == IR_CLASS_FETCH;
            for (uint32_t k = 0; is_lookup && k < i->nsrc; k++)
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

static bool occupied(const struct flow *f, const struct ir_block *b, int reg) {
    return f->occupied[reg / 32][b->id] >> reg % 32 & 1;
}

/* A conditional write leaves in absent lanes what a phi in the same register has there already. */
static bool keeps_phi(const struct flow *f, const struct ir_inst *i) {
    ir_for_blocks(f->shader, b) {
        if (!ir_dominates(b, i->block))
            continue;
        for (const struct ir_inst *phi = b->first; phi && phi->op == IR_PHI; phi = phi->next)
            if (f->cross_reg[phi->id] == f->cross_reg[i->id] && !f->maybe_undefined[phi->id])
                return true;
    }
    return false;
}

/* Dominators of the program counter's paths. Layout is an order for them: all that is not a loop's way back
 * leads forward. False: too much work. */
static bool find_dominators(struct flow *f, uint32_t *up) {
    uint32_t n = f->shader->nblocks;
    for (uint32_t i = 1; i < n; i++)
        up[i] = UINT32_MAX;
    for (bool changed = true; changed;) {
        uint64_t steps = n;
        changed = false;
        for (uint32_t i = 0, to[2]; i < n; i++)
            for (unsigned k = flow_next(f, f->shader->blocks[i], to); k-- > 0;) {
                uint32_t x = i, y = up[to[k]];
                if (up[i] == UINT32_MAX || !to[k])
                    continue;
                for (; y != UINT32_MAX && x != y; steps++)
                    *(x > y ? &x : &y) = up[x > y ? x : y];
                changed |= up[to[k]] != x;
                up[to[k]] = x;
            }
        if (!ir_work(f->arena, steps / 4))
            return false;
    }
    return true;
}

static void find_passed(struct flow *f) {
    uint32_t n = f->shader->nblocks, *up = ir_alloc(f->arena, (n + 1) * sizeof *up);
    struct ir_below *passed = ir_alloc(f->arena, (n + 1) * sizeof *passed);
    if (!find_dominators(f, up))
        return;
    up[0] = UINT32_MAX;
    ir_number_tree(up, n, passed);
    f->passed = passed, f->dominator = up;
}

/* May the program counter come to `at` without having passed `from`? */
static bool may_miss(const struct flow *f, uint32_t from, uint32_t at) {
    uint32_t here = f->passed[at].first;
    return here < f->passed[from].first || here > f->passed[from].last;
}

/* The same of the block that writes the value's register. */
static bool passes_by(const struct flow *f, const struct ir_inst *v, const struct ir_block *at) {
    const struct ir_inst *held = ir_through_bits(v);
    return f->passed && f->cross_reg[held->id] != FLOW_NO_REG && may_miss(f, held->block->id, at->id);
}

bool flow_is_undefined(const struct flow *f, const struct ir_inst *v, const struct ir_block *reader) {
    bool made = v->op != IR_PHI && v->block == reader;
    return made ? f->made_undefined[v->id] : f->maybe_undefined[v->id] || passes_by(f, v, reader);
}

/* What an operation makes, and what is in its register: a conditional write keeps what is there. */
static bool find_value(struct flow *f, const struct ir_inst *i) {
    bool made = false;
    for (uint32_t k = 0; k < i->nsrc; k++)
        made |= flow_is_undefined(f, i->src[k], i->block);
    bool kept = f->guarded[i->id] && f->cross_reg[i->id] != FLOW_NO_REG;
    bool there = f->maybe_undefined[i->id] || (kept ? !keeps_phi(f, i) : made);
    bool changed = made != f->made_undefined[i->id] || there != f->maybe_undefined[i->id];
    f->made_undefined[i->id] = made, f->maybe_undefined[i->id] = there;
    return changed;
}

/* The program counter may come to an edge of these phis that the active lanes alone write, and not to the
 * first edge. */
static bool skips_first_edge(const struct flow *f, const struct ir_block *to) {
    const uint32_t first = flow_first_edge(to)->id;
    uint32_t last = 0;
    for (uint32_t k = 0; k < to->npred; k++)
        if (f->block[to->pred[k]->id].masked && to->pred[k]->id > last)
            last = to->pred[k]->id;
    for (uint32_t at = to->idom ? to->idom->id : first; at < first && last > first; at++) {
        const struct ir_block *b = f->shader->blocks[at];
        for (int k = 0; k < 2 && !flow_diverges(f, b); k++)
            if (b->succ[k] && b->succ[k]->id > first && b->succ[k]->id <= last)
                return true;
    }
    return false;
}

static bool find_phi(struct flow *f, const struct ir_inst *phi) {
    const struct ir_block *first = flow_first_edge(phi->block);
    bool there = f->maybe_undefined[phi->id] || f->skips_first[phi->block->id] ||
                 (f->guarded[phi->id] && f->block[first->id].masked);
    /* from the first edge in all lanes; what shares the register is no copy */
    for (uint32_t k = 0; k < phi->nsrc; k++) {
        const struct ir_inst *source = phi->src[k];
        if (f->cross_reg[source->id] == f->cross_reg[phi->id])
            there |= f->maybe_undefined[source->id];
        else if (phi->phi_block[k] == first)
            there |= flow_is_undefined(f, source, first);
    }
    bool changed = there != f->maybe_undefined[phi->id];
    f->maybe_undefined[phi->id] = there;
    return changed;
}

static void find_maybe_undefined(struct flow *f) {
    if (f->masked)
        find_passed(f);
    f->skips_first = ir_alloc(f->arena, f->shader->nblocks + 1);
    ir_for_blocks(f->shader, to) {
        if (f->masked && to->npred > 1 && to->first && to->first->op == IR_PHI)
            f->skips_first[to->id] = skips_first_edge(f, to);
    }
    for (bool changed = f->masked; changed;) {
        changed = false;
        ir_for_blocks(f->shader, b) {
            ir_for_insts(b, i) {
                changed |= i->op == IR_PHI ? find_phi(f, i) : find_value(f, i);
            }
        }
    }
}

enum { REGISTERS = 64 };

/* By register: the first block that writes it. */
static void find_first_written(const struct flow *f, uint32_t first[REGISTERS]) {
    for (int reg = 0; reg < REGISTERS; reg++)
        first[reg] = UINT32_MAX;
    ir_for_blocks(f->shader, b) {
        ir_for_insts(b, i) {
            int reg = f->cross_reg[i->id];
            for (uint32_t k = 0; reg != FLOW_NO_REG && k < (i->op == IR_PHI ? i->nsrc : 1); k++) {
                uint32_t at = i->op == IR_PHI ? i->phi_block[k]->id : b->id;
                first[reg] = at < first[reg] ? at : first[reg];
            }
        }
    }
}

/* What lanes take out of a loop may be said to live at the end of the block, too, before it has been written.
 * In a loop it may come from the round before. */
static bool has_something(const struct flow *f, const struct ir_block *b, int reg, const uint32_t *first) {
    return occupied(f, b, reg) && (b->loop_depth || first[reg] <= b->id);
}

static bool has_zero(const struct flow *f, const struct ir_block *b, int reg) {
    bool has = false;
    for (uint32_t k = 0; k < f->first_write_count && !has; k++)
        has = f->first_write[k].at == b && f->cross_reg[f->first_write[k].what->id] == reg;
    return has;
}

/* Where a zero can be written for the absent lanes; NULL: nowhere, or there is no need. */
static const struct ir_block *place_of_zero(const struct flow *f, const struct ir_inst *i,
                                            const uint32_t *first) {
    int reg = f->cross_reg[i->id];
    bool skips = i->op == IR_PHI && f->skips_first[i->block->id];
    if (f->guarded[i->id] && f->guard[i->id] >= 0) {
        const struct ir_block *before = flow_first_edge(f->shader->blocks[f->guard[i->id]]);
        if (has_zero(f, before, reg))
            return NULL;
        if (!has_something(f, before, reg, first))
            return before; /* what is there otherwise not all lanes need have: further up, then */
    }
    bool partly = f->guarded[i->id] && f->maybe_undefined[i->id]; /* the active lanes' */
    if (!partly && !f->passed_by[i->id] && !skips)
        return NULL;
    uint32_t passed_by = f->passed_by[i->id];
    const struct ir_block *at = i->block->idom;
    while (at && (occupied(f, at, reg) || (passed_by && may_miss(f, at->id, passed_by - 1))))
        at = at->idom;
    return at;
}

/* Which values the program counter may pass by before it comes to a reader. */
static void find_passed_by(struct flow *f) {
    f->passed_by = ir_alloc(f->arena, (f->shader->next_id + 1) * sizeof *f->passed_by);
    ir_for_blocks(f->shader, b) {
        ir_for_insts(b, i) {
            for (uint32_t k = 0; k < i->nsrc; k++) {
                const struct ir_block *at = i->op == IR_PHI ? i->phi_block[k] : b;
                uint32_t *common = &f->passed_by[i->src[k]->id], above = *common ? *common - 1 : at->id;
                if (!passes_by(f, i->src[k], at))
                    continue;
                while (may_miss(f, above, at->id) && f->dominator[above] != UINT32_MAX)
                    above = f->dominator[above];
                *common = above + 1;
            }
        }
    }
}

void flow_define(struct flow *f) {
    struct ir_shader *shader = f->shader;
    if (shader->nblocks == 1)
        return;
    find_maybe_undefined(f);
    const bool *feeds = f->masked ? flow_feeding_lookups(f) : NULL;
    if (!feeds)
        return;
    uint32_t first[REGISTERS];
    find_first_written(f, first);
    find_passed_by(f);
    f->first_write = ir_alloc(f->arena, (shader->next_id + 1) * sizeof *f->first_write);
    if (ir_arena_oom(f->arena)) /* tables may lie in each other */
        return;
    ir_for_blocks(shader, b) {
        ir_for_insts(b, i) {
            int reg = f->cross_reg[i->id];
            const struct ir_block *before =
                feeds[i->id] && reg != FLOW_NO_REG ? place_of_zero(f, i, first) : NULL;
            if (!before)
                continue;
            f->occupied[reg / 32][before->id] |= 1ull << reg % 32;
            f->first_write[f->first_write_count++] = (struct flow_first_write){i, before};
        }
    }
}
