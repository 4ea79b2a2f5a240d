/* Which registers, accumulators and flags hold something that is still read: backwards over the code, until
 * nothing changes.
 *
 * Requires: parts and blocks. A write under a condition or of a part of a register keeps the rest alive. */
#include "explain/analysis.h"

#include <string.h>

static void set(struct locations *l, int location, bool on) {
    uint32_t *file = location < LOC_B ? &l->a : &l->b;
    if (location >= LOC_FLAGS)
        l->flags = on;
    else if (location >= LOC_ACC)
        l->acc = (uint8_t)((l->acc & ~(1u << (location - LOC_ACC))) | (unsigned)on << (location - LOC_ACC));
    else
        *file = (*file & ~(1u << (location & 31))) | (uint32_t)on << (location & 31);
}

/* From what is live after an instruction to what is live before it. */
static struct locations before(const struct instruction *in, struct locations live) {
    bool varying = false;
    for (unsigned k = 0; k < PARTS; k++) {
        const struct part *part = &in->part[k];
        if (part->write >= 0 && !part->partial)
            set(&live, part->write, false);
        if (part->sets_flags)
            set(&live, LOC_FLAGS, false);
        varying |= part->port[0] == QPU_R_VARY || part->port[1] == QPU_R_VARY;
    }
    if (varying)
        set(&live, LOC_R5, false); /* the C coefficient */
    for (unsigned k = 0; k < PARTS; k++) {
        const struct part *part = &in->part[k];
        if (part->read_a >= 0)
            set(&live, LOC_A + part->read_a, true);
        if (part->read_b >= 0)
            set(&live, LOC_B + part->read_b, true);
        live.acc |= part->read_acc;
        live.flags |= part->reads_flags;
    }
    return live;
}

static struct locations join(struct locations x, struct locations y) {
    return (struct locations){x.a | y.a, x.b | y.b, x.acc | y.acc, x.flags || y.flags};
}

void explain_live(struct analysis *a) {
    uint32_t blocks = a->out->block_count;
    struct locations *in = ir_alloc(a->arena, (blocks + 1) * sizeof *in);
    a->live = ir_alloc(a->arena, (a->count + 1) * sizeof *a->live);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = blocks; b-- > 0;) {
            const struct qpucc_explain_block *block = &a->block[b];
            struct locations live = {0};
            for (unsigned e = 0; e < 2; e++)
                if (block->edge[e] != UINT32_MAX)
                    live = join(live, in[block->edge[e]]);
            for (uint32_t i = block->first + block->count; i-- > block->first;) {
                a->live[i] = live;
                live = before(&a->inst[i], live);
            }
            if (live.a != in[b].a || live.b != in[b].b || live.acc != in[b].acc ||
                live.flags != in[b].flags) {
                in[b] = live;
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < a->count; i++) {
        struct qpucc_explain_instruction *out = &a->text[i];
        const struct locations *live = &a->live[i];
        out->live_a = live->a, out->live_b = live->b;
        out->live_acc = live->acc, out->live_flags = live->flags;
        out->pressure = (uint8_t)(__builtin_popcount(live->a) + __builtin_popcount(live->b) +
                                  __builtin_popcount(live->acc & 15u));
        if (out->pressure > a->out->peak)
            a->out->peak = out->pressure, a->out->peak_at = i;
    }
}
