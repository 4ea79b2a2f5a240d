/* Moves that repair what placing results as they come leaves behind.
 *
 * Requires: an attempt under way. Keeps: every value. An op may find both operands in one file, its result's
 * register taken, r4 occupied; nothing that waits will change that, so a free ALU moves one of the values. */
#include "sched/schedule.h"

/* The operand that has to move before `op` can issue at all: two of one file, or a result stuck in r4. */
static uint32_t in_the_way(const struct sched *s, const struct m_op *op, bool *to_a) {
    *to_a = false;
    if (op->r4 && s->places.owner[PLACE_R4] != M_NO_VALUE) {
        uint32_t v = s->places.owner[PLACE_R4];
        if (s->value[v].available <= s->t) {
            *to_a = s->m->val[v].must_a;
            return v;
        }
        return M_NO_VALUE;
    }
    if (op->dst != M_NO_VALUE && s->m->val[op->dst].fixed >= 0 && op->tied == M_NO_VALUE) {
        uint32_t v = s->places.owner[s->m->val[op->dst].fixed];
        bool own = false;
        for (unsigned k = 0; k < op->nsrc; k++)
            own |= op->src[k].kind == M_VAL && op->src[k].v == v;
        if (v < PLACE_KEPT && !own && s->m->val[v].start != s->m->val[op->dst].fixed)
            return v; /* lodges in a cross-block register that is to be written */
    }
    if (op->rotate && !place_is_acc(s->value[op->src[0].v].where))
        return op->src[0].v;
    if (op->tied != M_NO_VALUE && s->value[op->tied].where == PLACE_R4) {
        *to_a = op->pack && !op->pm;
        return op->tied;
    }
    if (op->nsrc == 2 && op->src[0].kind == M_VAL && op->src[1].kind == M_VAL &&
        op->src[0].v != op->src[1].v) {
        int p = s->value[op->src[0].v].where, q = s->value[op->src[1].v].where;
        bool clash = (place_in_a(p) && place_in_a(q)) || (place_in_b(p) && place_in_b(q));
        if (clash) {
            const struct m_src *moves =
                op->src[0].unpack || s->m->val[op->src[0].v].must_a ? &op->src[1] : &op->src[0];
            if (s->m->val[moves->v].anchored)
                moves = moves == &op->src[0] ? &op->src[1] : &op->src[0];
            if (s->m->val[moves->v].must_a && !op->src[0].unpack != !op->src[1].unpack)
                moves = op->src[0].unpack ? &op->src[1] : &op->src[0];
            return moves->v;
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
            op->src[1 - k].kind == M_IMM && (s->t < s->stream_from || op->small_imm_only))
            return op->src[k].v;
    /* unpacking regfile A and packing on the way out of the mul ALU exclude each other: not selected */
    return M_NO_VALUE;
}

/* Moves `value` out of the way in this instruction, if an ALU and a place are free. */
static bool relocate(struct sched *s, struct slots *w, uint32_t value, bool to_a) {
    if (s->value[value].available > s->t || s->value[value].pins_left || s->m->val[value].anchored)
        return false;
    int from = s->value[value].where;
    unsigned sides = w->ws < 0     ? M_SIDE_ANY
                     : w->add_used ? (w->ws ? M_SIDE_A : M_SIDE_B)
                                   : (w->ws ? M_SIDE_B : M_SIDE_A);
    if (place_in_a(from))
        sides &= ~(unsigned)M_SIDE_A;
    if (place_in_b(from))
        sides &= ~(unsigned)M_SIDE_B;
    /* its readers that unpack it would have to unpack the copy: only file A and r4 can */
    bool must_a = s->m->val[value].must_a;
    if (must_a && place_in_a(from)) {
        for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++)
            for (unsigned k = 0; k < s->m->op[s->use[u]].nsrc; k++)
                if (s->m->op[s->use[u]].src[k].kind == M_VAL && s->m->op[s->use[u]].src[k].v == value &&
                    s->m->op[s->use[u]].src[k].unpack)
                    return false;
        s->m->val[value].must_a = false;
    }
    /* a copy: what other blocks read stays where it was written */
    struct m_val *val = &s->m->val[value];
    int16_t fixed = val->fixed;
    bool into_a = to_a || (must_a && !place_in_a(from));
    val->fixed = -1;
    if (into_a)
        val->must_a = true;
    int place = place_choose(s, value, sides, into_a);
    val->fixed = fixed;
    bool ok = place != PLACE_NONE && slots_try_move(s, w, value, place);
    if (ok) {
        place_own(s, from, place_vacant(s, from));
        place_take(s, value, place, s->t + (place_is_acc(place) ? QPU_LAT_ACC : QPU_LAT_REGFILE));
        sched_settle_readers(s, value);
        w->any = true;
    }
    s->m->val[value].must_a = must_a;
    return ok;
}

/* Empties accumulators and r4 before a switch. */
static bool clear_accumulators(struct sched *s, struct slots *w) {
    for (int p = PLACE_ACC; p <= PLACE_R4; p++)
        if (s->places.owner[p] != M_NO_VALUE &&
            relocate(s, w, s->places.owner[p], s->m->val[s->places.owner[p]].must_a))
            return true;
    return false;
}

bool sched_make_room(struct sched *s, struct slots *w) {
    if (s->drain && clear_accumulators(s, w))
        return true;
    double best = 0;
    uint32_t value = M_NO_VALUE;
    bool to_a = false;
    for (uint32_t r = 0; r < s->nready; r++) {
        uint32_t i = s->ready[r].op;
        if ((!s->wait[i].clash && !(s->ready[r].traits & T_MAY_STICK)) || s->wait[i].earliest > s->t)
            continue;
        bool a;
        uint32_t v = in_the_way(s, &s->m->op[i], &a);
        if (v == M_NO_VALUE || s->value[v].available > s->t || s->value[v].where == PLACE_NONE)
            continue;
        double p = sched_priority(s, i);
        if (value == M_NO_VALUE || p > best)
            best = p, value = v, to_a = a;
    }
    return value != M_NO_VALUE && relocate(s, w, value, to_a);
}
