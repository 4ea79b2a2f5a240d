/* Which values may not share a register.
 *
 * Requires: lives along the program counter's paths and along the shader's own, and who is `active`. Keeps:
 * those. */
#include "regalloc/colouring.h"

#include <string.h>

/* `set` gets what is live, but not v itself. */
static void unite(struct sparse_sets *set, uint32_t v, struct full_set *live, const uint64_t *mask) {
    bool own = live->word[v / 64] >> v % 64 & 1;
    full_remove(live, v);
    sparse_unite(set, v, live, mask);
    if (own)
        full_add(live, v);
}

/* A write of v where `live` is needed by some lane afterwards, `lane_live` by the active ones. Lookups read
 * what is in all_lanes in all lanes: lanes that do not need it otherwise must find it, too. */
static void write_interferes(struct colouring *h, uint32_t v, bool masked, bool conditional) {
    unite(&h->interferes, v, &h->lane_live, NULL);
    if (h->all_lanes)
        unite(&h->interferes, v, &h->live, h->all_lanes);
    if (!masked)
        unite(&h->interferes, v, &h->live, NULL);
    else if (!conditional)
        unite(&h->interferes_unless_active, v, &h->live, NULL);
}

/* What phi gets along the edge from b, or NULL. */
static const struct ir_inst *given(const struct ir_inst *phi, const struct ir_block *b) {
    for (uint32_t k = 0; k < phi->nsrc; k++)
        if (phi->phi_block[k] == b)
            return ir_through_bits(phi->src[k]);
    return NULL;
}

/* One and true are not: in a register true is all ones. */
static bool same_constant(const struct ir_inst *a, const struct ir_inst *b) {
    return a->op == IR_CONST && b->op == IR_CONST && a->imm == b->imm &&
           (a->type == IR_BOOL) == (b->type == IR_BOOL);
}

/* A phi does not interfere with what it is a copy of, nor with another that gets the same. */
static void drop_copies(struct colouring *h, const struct ir_block *b, uint32_t v) {
    const struct ir_inst *source = given(h->value[v], b);
    if (h->number[source->id]) {
        full_remove(&h->live, h->number[source->id] - 1);
        full_remove(&h->lane_live, h->number[source->id] - 1);
    }
    FOR_SPARSE(o, &h->written, b->id) {
        const struct ir_inst *other = given(h->value[o], b);
        bool same = other == source || same_constant(other, source);
        if (!same || o == v)
            continue;
        full_remove(&h->lane_live, o);
        if (!h->flow->block[b->id].masked) /* one may be written in all lanes, the other in the active ones */
            full_remove(&h->live, o);
    }
}

/* What lives after the copies at the end of a block. */
static void after_copies(struct colouring *h, const struct ir_block *b) {
    full_empty(&h->live), full_empty(&h->lane_live);
    full_unite(&h->live, &h->out, b->id), full_unite(&h->live, &h->written, b->id);
    full_unite(&h->lane_live, &h->lane_out, b->id), full_unite(&h->lane_live, &h->written, b->id);
}

/* From that to what lives before them. */
static void before_copies(struct colouring *h, const struct ir_block *b, bool in_order) {
    FOR_SPARSE(v, &h->written, b->id) {
        full_remove(&h->lane_live, v);
        if (sparse_has(&h->kill, b->id, v))
            full_remove(&h->live, v);
    }
    FOR_SPARSE(w, &h->written, b->id) {
        const struct ir_inst *source = given(h->value[w], b);
        uint32_t from = h->number[source->id] - 1;
        if (in_order && h->number[source->id] && (source->op == IR_PHI || source->block != b))
            full_add(&h->live, from), full_add(&h->lane_live, from);
    }
}

static void interfere_in_block(struct colouring *h, const struct ir_block *b, bool in_order) {
    bool masked = h->flow->block[b->id].masked;
    uint64_t copies = sparse_count(&h->written, b->id);
    if (!ir_work(h->flow->arena, copies * copies / 8)) /* each is compared with all others */
        return;
    after_copies(h, b);
    FOR_SPARSE(p, &h->written, b->id) {
        drop_copies(h, b, p);
        write_interferes(h, p, masked, flow_first_edge(h->value[p]->block) != b);
        after_copies(h, b);
    }
    before_copies(h, b, in_order);
    for (const struct ir_inst *i = b->last; i && i->op != IR_PHI; i = i->prev) {
        if (h->number[i->id]) {
            uint32_t v = h->number[i->id] - 1;
            write_interferes(h, v, masked, false);
            full_remove(&h->lane_live, v);
            if (sparse_has(&h->kill, b->id, v))
                full_remove(&h->live, v);
        }
        for (uint32_t k = 0; k < i->nsrc && in_order; k++) {
            uint32_t v = colouring_read(h, i, k);
            if (v != NOBODY)
                full_add(&h->live, v), full_add(&h->lane_live, v);
        }
    }
}

void colouring_find_interference(struct colouring *h, bool in_order) {
    struct sparse_sets *rows[] = {&h->interferes, &h->interferes_unless_active, &h->disturbs,
                                  &h->disturbs_unless_active, &h->row};
    sparse_empty(&h->rows);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        sparse_forget(rows[k], h->count);
    ir_for_blocks(h->shader, b) interfere_in_block(h, b, in_order);
    for (uint32_t v = 0; v < h->count && !ir_arena_oom(h->flow->arena); v++) {
        uint64_t pairs = 0;
        FOR_SPARSE(a, &h->interferes, v) sparse_add(&h->disturbs, a, v), pairs++;
        FOR_SPARSE(u, &h->interferes_unless_active, v) sparse_add(&h->disturbs_unless_active, u, v), pairs++;
        ir_work(h->flow->arena, pairs / 4);
    }
}
