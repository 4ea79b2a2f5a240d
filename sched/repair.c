/* Moves that repair what placing results as they come leaves over.
 *
 * Requires: an attempt under way. Keeps: every value. An op may find both operands in one file, its result's
 * register taken, r4 occupied; nothing that waits will change that, so a free ALU moves one of the values. */
#include "sched/schedule.h"

/* The operand that has to move before `op` can issue at all: two of one file, or a result stuck in r4. */
static uint32_t in_the_way(const struct sched *s, const struct m_op *op, unsigned *places) {
    *places = M_IN_A;
    for (unsigned k = 0; k <= op->nsrc; k++) {
        bool packs = op->pack && !op->pm, in_a = k < op->nsrc ? op->src[k].unpack != 0 : packs;
        int p = in_a && m_reads(op, k) != M_NO_VALUE ? s->value[m_reads(op, k)].where : PLACE_NONE;
        /* it was moved when it was in another's way; or one setting can't unpack r4 and pack file A */
        if (place_in_b(p) || place_is_acc(p) || (p == PLACE_R4 && packs))
            return m_reads(op, k);
    }
    *places = M_ANYWHERE;
    if (op->r4 && s->owner[PLACE_R4] != M_NO_VALUE) {
        uint32_t v = s->owner[PLACE_R4];
        return s->value[v].available <= s->now.t ? v : M_NO_VALUE;
    }
    if (op->dst != M_NO_VALUE && s->m->val[op->dst].fixed >= 0 && op->tied == M_NO_VALUE) {
        uint32_t v = s->owner[s->m->val[op->dst].fixed];
        bool own = false;
        for (unsigned k = 0; k < op->nsrc; k++)
            own |= op->src[k].kind == M_VAL && op->src[k].v == v;
        if (v < PLACE_KEPT && !own && s->m->val[v].start != s->m->val[op->dst].fixed)
            return v; /* borrows a cross-block register that is to be written */
    }
    if (op->rotate && !place_is_acc(s->value[op->src[0].v].where))
        return op->src[0].v;
    if (op->tied != M_NO_VALUE && s->value[op->tied].where == PLACE_R4) {
        *places = op->pack && !op->pm ? M_IN_A : M_ANYWHERE;
        return op->tied;
    }
    if (op->nsrc == 2 && op->src[0].kind == M_VAL && op->src[1].kind == M_VAL &&
        op->src[0].v != op->src[1].v) {
        int p = s->value[op->src[0].v].where, q = s->value[op->src[1].v].where;
        bool clash = (place_in_a(p) && place_in_a(q)) || (place_in_b(p) && place_in_b(q));
        if (clash) { /* the one that can leave the file: an unpacked one can't, nor can the lane mask */
            unsigned other = ~(unsigned)(place_in_a(p) ? M_IN_UNPACKER : M_IN_B | M_IN_R4);
            bool first = sched_read_in(s, op->src[0].v) & other;
            if (!first && !(sched_read_in(s, op->src[1].v) & other))
                first = !op->src[0].unpack; /* others unpack it, and have it moved back */
            return op->src[!first].v;
        }
    }
    for (unsigned k = 0; k < op->nsrc; k++) {
        const struct m_src *a = &op->src[k], *b = &op->src[op->nsrc - 1 - k];
        if (op->nsrc == 2 && a->kind == M_VAL && b->kind == M_READ &&
            ((b->side == M_SIDE_A && place_in_a(s->value[a->v].where)) ||
             (b->side == M_SIDE_B && place_in_b(s->value[a->v].where))))
            return a->v;
    }
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->nsrc == 2 && op->src[k].kind == M_VAL && place_in_b(s->value[op->src[k].v].where) &&
            op->src[1 - k].kind == M_IMM && (s->now.t < s->now.stream_from || model_imm_only(op)))
            return op->src[k].v;
    /* unpacking regfile A and packing what leaves the mul ALU exclude each other: not selected */
    return M_NO_VALUE;
}

/* It is a copy: what other blocks read stays where it was written. Readers that can't take it there have it
 * moved back. */
static bool move_to(struct sched *s, struct slots *w, uint32_t value, unsigned places) {
    const struct m_val *val = &s->m->val[value];
    if (s->value[value].available > s->now.t || s->value[value].pins_left || val->no_copy)
        return false;
    int from = s->value[value].where;
    unsigned sides = w->ws < 0     ? M_SIDE_ANY
                     : w->add_used ? (w->ws ? M_SIDE_A : M_SIDE_B)
                                   : (w->ws ? M_SIDE_B : M_SIDE_A);
    places &= sides | M_IN_ACC;
    places &= ~(unsigned)(place_in_a(from) ? M_IN_A : place_in_b(from) ? M_IN_B : 0);
    int place = place_choose(s, value, places);
    if (place == PLACE_NONE || !slots_try_move(s, w, value, place))
        return false;
    place_own(s, from, place_vacant(s, from));
    place_take(s, value, place, s->now.t + model_latency(NULL, place));
    sched_settle_readers(s, value);
    sched_note(s, value | SCHED_MOVED);
    w->any = true;
    return true;
}

/* The same, to where all readers can take it. */
static bool relocate(struct sched *s, struct slots *w, uint32_t value, unsigned places) {
    return move_to(s, w, value, places & sched_read_in(s, value));
}

/* Empties accumulators and r4 before a switch. */
static bool clear_accumulators(struct sched *s, struct slots *w) {
    for (int p = PLACE_ACC; p <= PLACE_R4; p++)
        if (s->owner[p] != M_NO_VALUE && relocate(s, w, s->owner[p], M_ANYWHERE))
            return true;
    return false;
}

bool sched_make_room(struct sched *s, struct slots *w) {
    if (s->now.drain && clear_accumulators(s, w))
        return true;
    double best = 0;
    uint32_t value = M_NO_VALUE;
    unsigned places = M_ANYWHERE;
    uint32_t count = s->now.nready < SCHED_LOOK ? s->now.nready : SCHED_LOOK;
    const uint32_t window = s->m->options.remat ? sched_window(s) : UINT32_MAX;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t i = s->ready[r];
        const struct sched_wait *o = &s->wait[i];
        /* by a plan a move stands before what it is for */
        if ((!o->clash && !(s->op[i].traits & T_MAY_STICK)) ||
            o->earliest > s->now.t + (s->options.plan != NULL) || s->options.rank[i] > window)
            continue;
        unsigned to;
        uint32_t v = in_the_way(s, &s->m->op[i], &to);
        if (v == M_NO_VALUE || s->value[v].available > s->now.t || s->value[v].where == PLACE_NONE)
            continue;
        double p = sched_priority(s, i);
        if (value == M_NO_VALUE || p > best)
            best = p, value = v, places = to;
    }
    return value != M_NO_VALUE && relocate(s, w, value, places);
}

/* --- when nothing can be issued ------------------------------------------------------------------------- */

/* What is read last among the values of `set` that are no operands of `op`: one that all readers can take
 * from elsewhere if there is any, else one that comes back for them. */
static uint32_t find_victim(const struct sched *s, unsigned set, const struct m_op *op) {
    uint32_t victim = M_NO_VALUE;
    uint64_t least = UINT64_MAX;
    for (int p = set & M_IN_A ? PLACE_A : PLACE_ACC; p < (set & M_IN_A ? PLACE_B : PLACE_R4); p++) {
        uint32_t v = s->owner[p];
        if (v >= PLACE_KEPT || s->value[v].available > s->now.t || s->m->val[v].no_copy)
            continue;
        uint64_t order = sched_read_in(s, v) & ~(set | M_IN_R4) ? 0 : 1ull << 32;
        bool own = false;
        for (unsigned k = 0; k <= op->nsrc; k++)
            own |= m_reads(op, k) == v;
        uint32_t nearest = 0;
        for (uint32_t u = s->use_first[v]; u < s->use_first[v + 1]; u++)
            nearest = s->height[s->use[u]] > nearest ? s->height[s->use[u]] : nearest;
        if (!own && order + nearest < least)
            victim = v, least = order + nearest;
    }
    return victim;
}

/* A value leaves file A or the accumulators, where `places` are the only ones that can serve `op`. */
static bool evict_for(struct sched *s, struct slots *w, const struct m_op *op, unsigned places) {
    places &= M_ANYWHERE & ~(unsigned)M_IN_R4;
    uint32_t victim = places == M_IN_A || places == M_IN_ACC ? find_victim(s, places, op) : M_NO_VALUE;
    return victim != M_NO_VALUE && (relocate(s, w, victim, ~places) || move_to(s, w, victim, ~places));
}

/* The cross-block register that the value was read from or written to before it moved, if it is there
 * still. */
static int home_of(const struct sched *s, uint32_t value) {
    const struct m_val *val = &s->m->val[value];
    int home = val->start >= 0 ? val->start : val->fixed;
    bool kept = home >= 0 && home < PLACE_ACC && s->owner[home] == PLACE_KEPT;
    return kept && sched_read_in(s, value) & (place_in_a(home) ? M_IN_A : M_IN_B) ? home : PLACE_NONE;
}

static void go_home(struct sched *s, uint32_t value, int home) {
    int from = s->value[value].where;
    place_own(s, from, place_vacant(s, from));
    place_take(s, value, home, s->now.t);
    sched_settle_readers(s, value);
    sched_note(s, value | SCHED_MOVED);
}

/* Is it a copy for an op that could not read both of its operands else? */
static bool serves(const struct sched *s, uint32_t value, int home, uint32_t window) {
    for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++) {
        const struct m_op *op = &s->m->op[s->use[u]];
        const struct sched_wait *o = &s->wait[s->use[u]];
        if (o->issued || o->npred || s->options.rank[s->use[u]] > window)
            continue;
        for (unsigned k = 0; k < op->nsrc; k++) {
            const struct m_src *other = &op->src[k];
            int p = other->kind == M_VAL && other->v != value ? s->value[other->v].where : PLACE_NONE;
            bool port = other->kind != M_VAL; /* takes one of the two, or both */
            if (port || op->rotate || (place_in_a(p) && place_in_a(home)) ||
                (place_in_b(p) && place_in_b(home)))
                return true;
        }
    }
    return false;
}

void sched_drop_copies(struct sched *s) {
    enum { SCARCE = 6 };
    if (s->now.places.n_free > SCARCE)
        return;
    uint32_t window = sched_window(s);
    for (int p = PLACE_A; p < PLACE_R4; p++) {
        uint32_t v = s->owner[p];
        if (v >= PLACE_KEPT || s->value[v].available > s->now.t || s->value[v].where != p)
            continue;
        int home = home_of(s, v);
        if (home != PLACE_NONE && home != p && !serves(s, v, home, window))
            go_home(s, v, home);
    }
}

bool sched_unblock(struct sched *s, struct slots *w) {
    for (uint32_t r = 0; r < s->now.nready; r++) {
        const struct m_op *op = &s->m->op[s->ready[r]];
        uint32_t traits = s->op[s->ready[r]].traits;
        if (s->wait[s->ready[r]].hard > s->now.t || traits & w->refused)
            continue;
        unsigned places;
        uint32_t v = in_the_way(s, op, &places);
        if (v != M_NO_VALUE && s->value[v].where != PLACE_NONE) {
            /* at last, when its file is the only one with free places: an accumulator for it */
            if (relocate(s, w, v, places) || evict_for(s, w, op, places & sched_read_in(s, v)) ||
                move_to(s, w, v, places) || evict_for(s, w, op, M_IN_ACC))
                return true;
        }
    }
    return false;
}
