/* An order with fewer values alive where most are, made of a known one by moving parts of it: for blocks
 * that fit in hardly any order.
 *
 * Requires: the graph, a topological order. Keeps: that it is one, and that conditional operations find the
 * flags of their own setting.
 *
 * Two neighbouring parts change places where nothing of the second waits for the first; or a part is sorted
 * into what its last operation waits for and the rest, or what its first one is waited for by and the rest.
 * An order costs more the more values are alive, twice as much for each one more, so that the peak decides
 * and the rest shows where it could be lower. What costs less stays, in the first part of each period also
 * what costs a little more. Only what a step moves is counted again. Integers alone decide: the same block
 * gives the same order on every host. */
#include "sched/schedule.h"

#include <string.h>

enum { READS = 3, NOTHING = -1 };

struct step {
    int32_t reads[READS]; /* what it reads of what takes a place, or NOTHING: values from one start are one */
    uint32_t group;       /* the operation that sets the flags that it reads or sets itself, or M_NO_VALUE */
    bool makes;           /* something that takes a place */
};

struct exchange {
    const struct sched *s;
    struct step *op;
    uint32_t *order, count; /* the op at each position */
    uint32_t *at;           /* op -> its position */
    uint32_t *last;         /* value, or number of values + place: position of its last reader */
    uint32_t *group_last;   /* group -> position of its last member */
    uint32_t *spare, *before;
    bool *marked;           /* by op */
    uint32_t *alive, start; /* values behind each position, before the first */
    uint32_t most;          /* the order costs as much as is needed for them alone */
    uint64_t cost;
    uint32_t random;
    uint64_t work;
};

static uint32_t draw(struct exchange *x, uint32_t below) {
    return sched_draw(&x->random) % below;
}

/* --- what an order costs -------------------------------------------------------------------------------- */

static void describe(struct exchange *x, uint32_t i) {
    const struct mir *m = x->s->m;
    const struct m_op *op = &m->op[i];
    struct step *step = &x->op[i];
    unsigned n = 0;
    *step = (struct step){{NOTHING, NOTHING, NOTHING}, M_NO_VALUE, false};
    for (unsigned k = 0; k <= op->nsrc; k++) {
        uint32_t v = m_reads(op, k);
        if (v == M_NO_VALUE || !place_counts(x->s, v) || m->val[v].fixed >= 0)
            continue;
        int32_t what = m->val[v].start < 0 ? (int32_t)v : (int32_t)m->nval + m->val[v].start;
        bool again = false;
        for (unsigned j = 0; j < n; j++)
            again |= step->reads[j] == what;
        if (!again)
            step->reads[n++] = what;
    }
    if (op->dst != M_NO_VALUE)
        step->makes = place_counts(x->s, op->dst) && (m->val[op->dst].nuse || m->val[op->dst].fixed >= 0);
    if (op->flags != M_NO_VALUE)
        step->group = op->flags;
    else if (op->first_member || i == m->branch_setter)
        step->group = i;
}

/* A register for other blocks takes its place from the first write on. */
static void count_registers_once(struct exchange *x) {
    const struct mir *m = x->s->m;
    uint64_t written = 0;
    for (uint32_t t = 0; t < x->count; t++) {
        uint32_t dst = m->op[x->order[t]].dst;
        int fixed = dst == M_NO_VALUE ? -1 : m->val[dst].fixed;
        if (fixed < 0)
            continue;
        x->op[x->order[t]].makes &= !(written >> fixed & 1);
        written |= 1ull << fixed;
    }
}

static uint32_t count_at_start(const struct exchange *x) {
    const struct sched *s = x->s;
    uint64_t in = 0;
    uint32_t alive = 0;
    for (int p = 0; p < PLACE_ACC; p++)
        alive += place_vacant(s, p) == PLACE_KEPT;
    for (uint32_t v = 0; v < s->m->nval; v++) {
        int start = s->m->val[v].start;
        if (start < 0 || start >= PLACE_ACC || !s->m->val[v].nuse || !place_counts(s, v))
            continue;
        alive += !(in >> start & 1);
        in |= 1ull << start;
    }
    return alive;
}

static uint64_t cost_of(const struct exchange *x, uint32_t alive) {
    enum { BELOW = 11, MOST = 40 };
    int power = (int)alive - (int)x->most + BELOW;
    return power < 0 ? 0 : 1ull << (power > MOST ? MOST : power);
}

/* Counts again what lies from `from` to before `to`, where alone something has moved. Returns how much more
 * it costs now. */
static int64_t count_again(struct exchange *x, uint32_t from, uint32_t to) {
    uint32_t alive = from ? x->alive[from - 1] : x->start;
    int64_t more = 0;
    for (uint32_t t = from; t < to; t++) {
        const struct step *op = &x->op[x->order[t]];
        x->at[x->order[t]] = t;
        for (unsigned k = 0; k < READS && op->reads[k] != NOTHING; k++)
            if (x->last[op->reads[k]] < to)
                x->last[op->reads[k]] = t;
        if (op->group != M_NO_VALUE && x->group_last[op->group] < to)
            x->group_last[op->group] = t;
    }
    for (uint32_t t = from; t < to; t++) {
        const struct step *op = &x->op[x->order[t]];
        for (unsigned k = 0; k < READS && op->reads[k] != NOTHING; k++)
            alive -= x->last[op->reads[k]] == t;
        alive += op->makes;
        more += (int64_t)cost_of(x, alive) - (int64_t)cost_of(x, x->alive[t]);
        x->alive[t] = alive;
    }
    x->work += to - from;
    return more;
}

static unsigned peak(const struct exchange *x) {
    uint32_t most = x->start;
    for (uint32_t t = 0; t < x->count; t++)
        most = x->alive[t] > most ? x->alive[t] : most;
    return most;
}

static void count_cost(struct exchange *x) {
    x->cost = 0;
    for (uint32_t t = 0; t < x->count; t++)
        x->cost += cost_of(x, x->alive[t]);
}

/* --- flags ---------------------------------------------------------------------------------------------- */

static bool has_flags(const struct exchange *x, uint32_t from, uint32_t to) {
    for (uint32_t t = from; t < to; t++)
        if (x->op[x->order[t]].group != M_NO_VALUE)
            return true;
    return false;
}

/* The group that the flags belong to before position t. */
static uint32_t group_before(struct exchange *x, uint32_t t) {
    uint32_t group = M_NO_VALUE;
    for (; t-- > 0 && group == M_NO_VALUE; x->work++)
        group = x->op[x->order[t]].group;
    return group;
}

/* No group begins before another one ends. */
static bool flags_hold(struct exchange *x, uint32_t from, uint32_t to) {
    if (!has_flags(x, from, to))
        return true;
    uint32_t open = group_before(x, from);
    for (uint32_t t = from; t < x->count; t++, x->work++) {
        uint32_t group = x->op[x->order[t]].group;
        if (group == M_NO_VALUE)
            continue;
        if (open != M_NO_VALUE && open != group && x->group_last[open] >= t)
            return false;
        open = group;
        if (t >= to)
            break;
    }
    return true;
}

/* --- parts ---------------------------------------------------------------------------------------------- */

/* How far the ops from `from` to before `to` can go to the right, to the left. */
static uint32_t reach_right(const struct exchange *x, uint32_t from, uint32_t to) {
    const struct sched *s = x->s;
    uint32_t end = x->count;
    for (uint32_t t = from; t < to; t++)
        for (uint32_t e = s->succ_first[x->order[t]]; e < s->succ_first[x->order[t] + 1]; e++) {
            uint32_t at = x->at[s->edge[e].to];
            end = at >= to && at < end ? at : end;
        }
    return end - to;
}

static uint32_t reach_left(const struct exchange *x, uint32_t from, uint32_t to) {
    const struct sched *s = x->s;
    uint32_t begin = 0;
    for (uint32_t t = from; t < to; t++)
        for (uint32_t e = s->pred_first[x->order[t]]; e < s->pred_first[x->order[t] + 1]; e++) {
            uint32_t at = x->at[s->pred[e]];
            begin = at < from && at >= begin ? at + 1 : begin;
        }
    return from - begin;
}

/* Marks what waits for the first op of a part; `only`: and for nothing else there. */
static void mark_followers(struct exchange *x, uint32_t from, uint32_t to, bool only) {
    const struct sched *s = x->s;
    x->marked[x->order[from]] = true;
    for (uint32_t t = from + 1; t < to; t++) {
        bool any = false, all = true;
        for (uint32_t e = s->pred_first[x->order[t]]; e < s->pred_first[x->order[t] + 1]; e++) {
            bool outside = x->at[s->pred[e]] < from, marked = x->marked[s->pred[e]];
            any |= marked && !outside;
            all &= marked || outside;
        }
        x->marked[x->order[t]] = any && (all || !only);
    }
}

/* Marks what its last op waits for; `only`: and nothing else there. */
static void mark_sources(struct exchange *x, uint32_t from, uint32_t to, bool only) {
    const struct sched *s = x->s;
    x->marked[x->order[to - 1]] = true;
    for (uint32_t t = to - 1; t-- > from;) {
        bool any = false, all = true;
        for (uint32_t e = s->succ_first[x->order[t]]; e < s->succ_first[x->order[t] + 1]; e++) {
            bool outside = x->at[s->edge[e].to] >= to, marked = x->marked[s->edge[e].to];
            any |= marked && !outside;
            all &= marked || outside;
        }
        x->marked[x->order[t]] = any && (all || !only);
    }
}

/* Marked ops first, or last; both keep their order. */
static void sort(struct exchange *x, uint32_t from, uint32_t to, bool marked_first) {
    uint32_t n = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t t = from; t < to; t++)
            if (x->marked[x->order[t]] == (marked_first ^ pass))
                x->spare[n++] = x->order[t];
    for (uint32_t t = from; t < to; t++)
        x->marked[x->order[t]] = false;
    memcpy(x->order + from, x->spare, n * sizeof *x->spare);
}

static void rotate(struct exchange *x, uint32_t from, uint32_t middle, uint32_t to) {
    uint32_t left = middle - from, right = to - middle;
    memcpy(x->spare, x->order + from, left * sizeof *x->spare);
    memmove(x->order + from, x->order + middle, right * sizeof *x->order);
    memcpy(x->order + from + right, x->spare, left * sizeof *x->spare);
}

/* --- steps ---------------------------------------------------------------------------------------------- */

/* The order has changed between these: back, if it costs more than `worse` more, or flags are lost. */
static void keep_or_undo(struct exchange *x, uint32_t from, uint32_t to, uint64_t worse) {
    int64_t more = count_again(x, from, to);
    if (more > (int64_t)worse || !flags_hold(x, from, to)) {
        memcpy(x->order + from, x->before, (to - from) * sizeof *x->before);
        more += count_again(x, from, to);
    }
    x->cost = (uint64_t)((int64_t)x->cost + more);
}

/* Neighbours change places. */
static void swap_parts(struct exchange *x, uint64_t worse) {
    static const uint32_t lengths[] = {1, 1, 1, 2, 3, 5, 8, 13, 21, 34, 60, 100};
    enum { NEAR = 12 };
    uint32_t length = 1 + draw(x, lengths[draw(x, sizeof lengths / sizeof *lengths)]);
    x->work += length;
    if (length >= x->count)
        return;
    uint32_t from = draw(x, x->count - length + 1), to = from + length;
    bool right = draw(x, 2);
    uint32_t reach = right ? reach_right(x, from, to) : reach_left(x, from, to), far = draw(x, 4);
    if (!reach)
        return;
    uint32_t past = 1 + draw(x, far && reach > NEAR ? NEAR : reach), middle = right ? to : from;
    from -= right ? 0 : past;
    to += right ? past : 0;
    memcpy(x->before, x->order + from, (to - from) * sizeof *x->before);
    rotate(x, from, middle, to);
    keep_or_undo(x, from, to, worse);
}

static void sort_part(struct exchange *x, uint64_t worse) {
    static const uint32_t lengths[] = {6, 12, 25, 50, 100, 200};
    uint32_t length = 2 + draw(x, lengths[draw(x, sizeof lengths / sizeof *lengths)]);
    x->work += length;
    if (length > x->count)
        return;
    uint32_t from = draw(x, x->count - length + 1), to = from + length;
    bool sources = draw(x, 2), only = draw(x, 2);
    if (sources)
        mark_sources(x, from, to, only);
    else
        mark_followers(x, from, to, only);
    memcpy(x->before, x->order + from, length * sizeof *x->before);
    sort(x, from, to, sources != only); /* what is marked goes to the other end with all that is tied to it */
    if (memcmp(x->before, x->order + from, length * sizeof *x->before) != 0)
        keep_or_undo(x, from, to, worse);
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static struct exchange begin(const struct sched *s, const uint32_t *order, uint32_t count, uint32_t seed) {
    struct exchange x = {.s = s, .count = count, .random = SCHED_SEED + seed * 2654435761u};
    struct ir_arena *arena = s->m->arena;
    size_t n = s->m->nop + 1;
    uint32_t **by_op[] = {&x.order, &x.at, &x.group_last, &x.spare, &x.before, &x.alive};
    for (size_t k = 0; k < sizeof by_op / sizeof *by_op; k++)
        *by_op[k] = ir_alloc(arena, n * sizeof **by_op[k]);
    x.op = ir_alloc(arena, n * sizeof *x.op);
    x.marked = ir_alloc(arena, n);
    x.last = ir_alloc(arena, (s->m->nval + PLACE_COUNT) * sizeof *x.last);
    if (ir_arena_oom(arena)) /* tables may lie in each other: nothing is moved */
        x.count = count = 0;
    memcpy(x.order, order, count * sizeof *order);
    for (uint32_t t = 0; t < count; t++)
        describe(&x, order[t]);
    count_registers_once(&x);
    x.start = count_at_start(&x);
    count_again(&x, 0, count);
    if (s->m->branch_setter != M_NO_VALUE) /* its flags are read at the block's end */
        x.group_last[s->m->branch_setter] = count;
    return x;
}

/* How much more a step may cost, in a period that cools down and ends cold. */
static uint64_t heat(uint64_t round) {
    enum { PERIOD = 60, WARM = 45, HOTTEST = 60 };
    uint64_t at = round % PERIOD, left = at < WARM ? WARM - at : 0;
    return HOTTEST * left * left / (WARM * WARM);
}

unsigned rank_exchange(const struct sched *s, uint32_t *order, uint32_t count, uint32_t seed) {
    enum { STEPS = 256, BUDGET = 1000000, SHARE = 8 };
    struct ir_arena *arena = s->m->arena;
    struct ir_mark mark = ir_arena_mark(arena);
    struct exchange x = begin(s, order, count, seed);
    unsigned best = x.most = peak(&x);
    count_cost(&x);
    uint64_t least = x.cost;
    for (uint64_t round = 0; x.work < BUDGET && x.count > 1; round++) {
        for (unsigned k = 0; k < STEPS; k++)
            (draw(&x, 2) ? swap_parts : sort_part)(&x, heat(round));
        unsigned now = peak(&x);
        x.work += count;
        if (now > best || (now == best && x.cost >= least))
            continue;
        memcpy(order, x.order, count * sizeof *order);
        best = x.most = now;
        count_cost(&x);
        least = x.cost;
    }
    ir_arena_rewind(arena, mark);
    ir_work(arena, x.work / SHARE);
    return best;
}
