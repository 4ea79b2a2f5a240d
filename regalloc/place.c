/* Places for values: files A and B and the accumulators, chosen when the writing operation gets its
 * instruction.
 *
 * Requires: the schedule so far. Keeps: one owner a place. The order is being made at the same time, so every
 * operand of a later reader is either placed already (its port is known) or will choose with this one known:
 * conflicts over the single read port of a file are avoided from both sides. What remains is repaired by a
 * move. */
#include "sched/schedule.h"

/* What reading `value` from file A (or B) would cost its readers. */
static double port_cost(const struct sched *s, uint32_t value, bool in_a) {
    const struct mir *m = s->m;
    double cost = 0;
    for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++) {
        const struct m_op *op = &m->op[s->use[u]];
        for (unsigned k = 0; k < op->nsrc; k++) {
            const struct m_src *other = &op->src[k];
            switch (other->kind) {
            case M_VAL: {
                if (other->v == value)
                    break;
                int p = s->where[other->v];
                if (p == PLACE_NONE ? (m->val[other->v].must_a || other->unpack) && in_a
                    : in_a          ? place_in_a(p)
                                    : place_in_b(p))
                    cost += 1.0;
                break;
            }
            case M_IMM:
                if (qpu_small_imm_code(other->v) >= 0)
                    cost += in_a ? 0 : 0.35; /* the immediate could come from the stream instead */
                else
                    cost += 0.05;
                break;
            case M_READ:
                if (other->side == M_SIDE_A && in_a)
                    cost += 1;
                else if (other->side == M_SIDE_B && !in_a)
                    cost += 1;
                break;
            case M_SLOT: cost += 0.3; break; /* takes the other port, so that its partner is left none */
            default: break;
            }
        }
    }
    return cost;
}

/* Instructions the value will live, guessed from the last attempt or from the graph. */
static double lifetime(const struct sched *s, uint32_t value) {
    if (s->life && s->life[value])
        return s->life[value];
    uint32_t def = s->m->val[value].def;
    double h = def == M_NO_VALUE ? 0 : s->height[def], low = h;
    for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++)
        if (s->height[s->use[u]] < low)
            low = s->height[s->use[u]];
    return h - low;
}

/* Is some reader only waiting for this value? */
static bool wanted_at_once(const struct sched *s, uint32_t value) {
    for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++)
        if (s->npred[s->use[u]] <= 1)
            return true;
    return false;
}

enum { FILE_A, FILE_B, ACCUMULATORS };

static uint32_t free_of(const struct sched *s, int set) {
    return set == ACCUMULATORS ? s->free_acc : (uint32_t)(s->free_files >> (set == FILE_B ? 32 : 0));
}

static int first_free(const struct sched *s, int set) {
    static const int base[] = {PLACE_A, PLACE_B, PLACE_ACC};
    uint32_t bits = free_of(s, set);
    /* 14 last: the end of a program may not touch it (guide, "Summary of Instruction Restrictions") */
    if (bits & ~(1u << 14))
        bits &= ~(1u << 14);
    if (!bits && set != ACCUMULATORS) /* has to be moved when the promise falls due */
        bits = (uint32_t)(s->lodgings >> (set == FILE_B ? 32 : 0));
    return bits ? base[set] + __builtin_ctz(bits) : PLACE_NONE;
}

static unsigned count_free(const struct sched *s, int set) {
    return (unsigned)__builtin_popcount(free_of(s, set));
}

void place_own(struct sched *s, int place, uint32_t owner) {
    s->owner[place] = owner;
    bool is_free = owner == M_NO_VALUE;
    if (place_is_acc(place)) {
        uint8_t bit = (uint8_t)(1u << (place - PLACE_ACC));
        s->room += (unsigned)is_free - !!(s->free_acc & bit);
        s->free_acc = (uint8_t)(is_free ? s->free_acc | bit : s->free_acc & ~bit);
    } else if (place < PLACE_ACC && (unsigned)(place & 31) < s->nregs) {
        uint64_t bit = 1ull << place;
        s->lodgings &= ~bit;
        if (s->promised & bit) {
            s->lodgings |= is_free ? bit : 0;
            is_free = false;
        }
        s->room += (unsigned)is_free - !!(s->free_files & bit);
        s->free_files = is_free ? s->free_files | bit : s->free_files & ~bit;
    }
}

void place_begin(struct sched *s) {
    s->free_files = s->free_acc = 0;
    s->promised = s->lodgings = 0;
    for (uint32_t v = 0; v < s->m->nval; v++) {
        const struct m_val *val = &s->m->val[v];
        /* a conditional write keeps what is there: that has a reader of its own */
        if (val->fixed >= 0 && val->def != M_NO_VALUE && !s->m->op[val->def].dead &&
            s->m->op[val->def].tied == M_NO_VALUE)
            s->promised |= 1ull << val->fixed;
    }
    s->room = 0;
    s->late = PLACE_NONE;
    for (int p = 0; p < PLACE_COUNT; p++)
        place_own(s, p, place_vacant(s, p));
    for (uint32_t v = 0; v < s->m->nval; v++)
        if (s->m->val[v].start >= 0 && s->uses_left[v])
            /* the block before may write it in its last instruction */
            place_take(s, v, s->m->val[v].start, s->m->entry ? 0 : 1);
}

enum { LONG_LIFE = 40 }; /* in instructions; this and the weights below are measured over many shaders */

int place_choose(const struct sched *s, uint32_t value, unsigned sides, bool no_acc) {
    const struct m_val *v = &s->m->val[value];
    if (v->fixed >= 0) {
        bool side = sides & (v->fixed >= PLACE_B ? M_SIDE_B : M_SIDE_A);
        return side && (s->owner[v->fixed] == PLACE_KEPT || s->owner[v->fixed] == M_NO_VALUE) ? v->fixed
                                                                                              : PLACE_NONE;
    }
    if (v->must_acc)
        return s->drain ? PLACE_NONE : first_free(s, ACCUMULATORS);
    int a = sides & M_SIDE_A ? first_free(s, FILE_A) : PLACE_NONE;
    if (v->must_a)
        return a;
    int b = sides & M_SIDE_B ? first_free(s, FILE_B) : PLACE_NONE;
    int acc = no_acc || v->no_acc || s->drain ? PLACE_NONE : first_free(s, ACCUMULATORS);
    double wait = wanted_at_once(s, value) ? 0.5 : 0;
    double cost_a = port_cost(s, value, true) + wait + 0.1 + (count_free(s, FILE_A) < 6 ? 0.5 : 0);
    double cost_b = port_cost(s, value, false) + wait + 0.05 + (count_free(s, FILE_B) < 3 ? 0.5 : 0);
    cost_a += a != PLACE_NONE && s->promised >> a & 1 ? 3 : 0;
    cost_b += b != PLACE_NONE && s->promised >> b & 1 ? 3 : 0;
    static const double scarce[5] = {0, 1.0, 0.5, 0.25, 0.1};
    double life = lifetime(s, value);
    double cost_acc = scarce[count_free(s, ACCUMULATORS)] * s->strategy->acc *
                      (0.3 + life / (6.0 * (1 + s->strategy->reuse * (s->uses_left[value] - 1))));
    if (life > LONG_LIFE) /* four places serve all the short-lived ones */
        cost_acc += 0.03 * (life - LONG_LIFE);
    int best = PLACE_NONE;
    double cost = 1e9;
    if (acc != PLACE_NONE && cost_acc < cost)
        best = acc, cost = cost_acc;
    if (b != PLACE_NONE && cost_b < cost)
        best = b, cost = cost_b;
    if (a != PLACE_NONE && cost_a < cost)
        best = a, cost = cost_a;
    return best;
}

void place_take(struct sched *s, uint32_t value, int place, uint32_t available) {
    s->where[value] = (int16_t)place;
    s->available[value] = available;
    if (place == PLACE_NONE)
        return;
    if (s->m->val[value].fixed == place)
        s->promised &= ~(1ull << place);
    place_own(s, place, s->uses_left[value] ? value : place_vacant(s, place));
    if (place < PLACE_ACC)
        s->used[place >= PLACE_B] |= 1ull << (place & 31);
    else if (place_is_acc(place))
        s->used_acc |= 1u << (place - PLACE_ACC);
}

void place_read(struct sched *s, uint32_t value) {
    if (--s->uses_left[value])
        return;
    s->died[value] = s->t;
    int p = s->where[value];
    if (p == PLACE_NONE || s->owner[p] != value)
        return;
    if (s->born[value] == s->t && s->m->val[value].def != M_NO_VALUE)
        s->late = p; /* read off the port: this instruction still writes the place */
    else
        place_own(s, p, place_vacant(s, p));
}
