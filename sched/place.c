/* Places for values: files A and B and the accumulators, chosen when the writing operation gets its
 * instruction.
 *
 * Requires: the schedule so far. Keeps: one owner a place. The order is being made at the same time, so every
 * operand of a later reader is either placed already (its port is known) or will choose with this one known:
 * conflicts over the single read port of a file are avoided from both sides. What remains is repaired by a
 * move. */
#include "sched/schedule.h"

/* What reading `value` from file A or B would cost its readers. */
static void add_port_costs(const struct sched *s, uint32_t value, double cost[2]) {
    enum { A, B };
    const struct mir *m = s->m;
    for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++) {
        const struct m_op *op = &m->op[s->use[u]];
        for (unsigned k = 0; k < op->nsrc; k++) {
            const struct m_src *other = &op->src[k];
            if (other->kind == M_VAL) {
                int p = s->value[other->v].where;
                if (other->v == value)
                    continue;
                cost[A] += place_in_a(p) || (p == PLACE_NONE && (other->unpack || m_only_in_a(m, other->v)));
                cost[B] += place_in_b(p);
            } else if (other->kind == M_IMM) {
                cost[B] += s->options.weights->port_imm;
            } else if (other->kind == M_READ) {
                cost[A] += other->side == M_SIDE_A;
                cost[B] += other->side == M_SIDE_B;
            }
        }
    }
}

/* Instructions the value will live, guessed from an earlier attempt or from the graph. */
static double lifetime(const struct sched *s, uint32_t value) {
    if (s->options.life && s->options.life[value])
        return s->options.life[value];
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
        if (s->wait[s->use[u]].npred <= 1)
            return true;
    return false;
}

enum { FILE_A, FILE_B, ACCUMULATORS };

static uint32_t free_of(const struct sched *s, int set) {
    return set == ACCUMULATORS ? s->now.places.free_acc
                               : (uint32_t)(s->now.places.free_files >> (set == FILE_B ? 32 : 0));
}

static int first_free(const struct sched *s, int set) {
    static const int base[] = {PLACE_A, PLACE_B, PLACE_ACC};
    uint32_t bits = free_of(s, set);
    /* 14 last: the end of a program may not touch it (guide, "Summary of Instruction Restrictions") */
    if (bits & ~(1u << 14))
        bits &= ~(1u << 14);
    if (!bits && set != ACCUMULATORS) /* has to be moved when the promise falls due */
        bits = (uint32_t)(s->now.places.borrowed >> (set == FILE_B ? 32 : 0));
    return bits ? base[set] + __builtin_ctz(bits) : PLACE_NONE;
}

/* Are fewer than `n` bits set? */
static bool has_less(uint32_t bits, unsigned n) {
    for (; n && bits; n--)
        bits &= bits - 1;
    return n;
}

/* A value's part of `kept`. */
static uint64_t kept_by(uint32_t owner, int place) {
    uint64_t kind = place_in_b(place) ? 1 : place_is_acc(place) ? 2 : 3;
    return owner < PLACE_KEPT ? ((uint64_t)owner * 4 + kind) * 0xd6e8feb86659fd93u : 0;
}

void place_own(struct sched *s, int place, uint32_t owner) {
    s->now.places.kept ^= kept_by(s->owner[place], place) ^ kept_by(owner, place);
    s->owner[place] = owner;
    bool is_free = owner == M_NO_VALUE;
    if (place_is_acc(place)) {
        uint8_t bit = (uint8_t)(1u << (place - PLACE_ACC));
        s->now.places.n_free += (unsigned)is_free - !!(s->now.places.free_acc & bit);
        s->now.places.free_acc =
            (uint8_t)(is_free ? s->now.places.free_acc | bit : s->now.places.free_acc & ~bit);
    } else if (place < PLACE_ACC && (unsigned)(place & 31) < s->nregs) {
        uint64_t bit = 1ull << place;
        s->now.places.borrowed &= ~bit;
        if (s->now.places.promised & bit) {
            s->now.places.borrowed |= is_free ? bit : 0;
            is_free = false;
        }
        s->now.places.n_free += (unsigned)is_free - !!(s->now.places.free_files & bit);
        s->now.places.free_files = is_free ? s->now.places.free_files | bit : s->now.places.free_files & ~bit;
    }
}

void place_begin(struct sched *s) {
    enum { ACCS = PLACE_R4 - PLACE_ACC };
    const uint64_t file = s->nregs < 32 ? (1ull << s->nregs) - 1 : UINT32_MAX, files = file | file << PLACE_B;
    const uint64_t promised = m_promised(s->m);
    s->now.places = (struct sched_places){.free_files = files & ~s->occupied & ~promised,
                                          .promised = promised,
                                          .borrowed = files & promised,
                                          .free_acc = (1u << ACCS) - 1,
                                          .late = PLACE_NONE};
    s->now.places.n_free = (unsigned)__builtin_popcountll(s->now.places.free_files) + ACCS;
    for (int p = 0; p < PLACE_COUNT; p++)
        s->owner[p] = M_NO_VALUE;
    for (uint64_t kept = s->occupied & ~promised; kept; kept &= kept - 1)
        s->owner[__builtin_ctzll(kept)] = PLACE_KEPT;
    for (uint32_t v = 0; v < s->m->nval; v++)
        if (s->m->val[v].start >= 0 && s->value[v].uses_left)
            place_take(s, v, s->m->val[v].start, model_start(s->m));
}

/* An accumulator serves best what is read soon and often. */
static double accumulator_cost(const struct sched *s, uint32_t value) {
    const struct sched_weights *w = s->options.weights;
    static const uint8_t count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    unsigned left = count[s->now.places.free_acc];
    double scarce = left == 1 ? w->acc_1 : left == 2 ? w->acc_2 : left == 3 ? w->acc_3 : w->acc_4;
    double life = lifetime(s, value), reads = s->value[value].uses_left - 1;
    double cost = scarce * s->options.strategy->acc *
                  (w->acc_base + life / (w->acc_life * (1 + s->options.strategy->reuse * reads)));
    if (life > w->long_life) /* four places serve all the short-lived ones */
        cost += w->long_more * (life - w->long_life);
    return cost;
}

int place_of_result(const struct sched *s, uint32_t value, unsigned sides) {
    const struct sched_plan *plan = s->options.plan;
    int fixed = s->m->val[value].fixed;
    if (fixed < 0) {
        unsigned places = s->m->val[value].written_in;
        places &= plan && plan->kind[value] ? plan->kind[value] : sched_read_in(s, value);
        return place_choose(s, value, places & (sides | M_IN_ACC));
    }
    bool side = sides & (fixed >= PLACE_B ? M_IN_B : M_IN_A), vacant = s->owner[fixed] >= PLACE_KEPT;
    return side && vacant ? fixed : PLACE_NONE;
}

/* Where there is a choice: free places in the files and, PLACE_NONE: there is none, one among the
 * accumulators. */
static int weigh_places(const struct sched *s, uint32_t value, int a, int b, int best) {
    double least = best == PLACE_NONE ? 1e9 : accumulator_cost(s, value);
    const struct sched_weights *w = s->options.weights;
    double file = s->m->shader->stage == QPUCC_FRAGMENT ? w->file_fragment : w->file_vertex;
    double cost[2] = {file, file};
    if (least <= cost[0] && least <= cost[1])
        return best;
    double wait = wanted_at_once(s, value) ? w->file_wait : 0;
    cost[0] += wait, cost[1] += wait;
    if (least <= cost[0] && least <= cost[1])
        return best;
    add_port_costs(s, value, cost);
    cost[0] += has_less(free_of(s, FILE_A), (unsigned)w->few_a) ? w->few_more : 0;
    cost[1] += has_less(free_of(s, FILE_B), (unsigned)w->few_b) ? w->few_more : 0;
    if (b != PLACE_NONE && cost[1] < least)
        best = b, least = cost[1];
    return a != PLACE_NONE && cost[0] < least ? a : best;
}

int place_choose(const struct sched *s, uint32_t value, unsigned places) {
    int a = places & M_IN_A ? first_free(s, FILE_A) : PLACE_NONE;
    int b = places & M_IN_B ? first_free(s, FILE_B) : PLACE_NONE;
    int best = places & M_IN_ACC && !s->now.drain ? first_free(s, ACCUMULATORS) : PLACE_NONE;
    bool one = (a == PLACE_NONE) + (b == PLACE_NONE) + (best == PLACE_NONE) >= 2;
    return !one ? weigh_places(s, value, a, b, best) : a != PLACE_NONE ? a : b != PLACE_NONE ? b : best;
}

void place_take(struct sched *s, uint32_t value, int place, uint32_t available) {
    struct sched_value *taken = &s->value[value];
    taken->where = (int16_t)place;
    taken->available = available;
    if (place == PLACE_NONE)
        return;
    if (s->m->val[value].fixed == place)
        s->now.places.promised &= ~(1ull << place);
    place_own(s, place, s->value[value].uses_left ? value : place_vacant(s, place));
    if (place < PLACE_ACC)
        s->now.places.used[place >= PLACE_B] |= 1ull << (place & 31);
    else if (place_is_acc(place))
        s->now.places.used_acc |= 1u << (place - PLACE_ACC);
}

void place_read(struct sched *s, uint32_t value) {
    struct sched_value *read = &s->value[value];
    if (--read->uses_left)
        return;
    s->died[value] = s->now.t;
    int p = s->value[value].where;
    if (p == PLACE_NONE || s->owner[p] != value)
        return;
    if (s->value[value].born == s->now.t && s->m->val[value].def != M_NO_VALUE)
        s->now.places.late = p; /* read off the port: this instruction still writes the place */
    else
        place_own(s, p, place_vacant(s, p));
}
