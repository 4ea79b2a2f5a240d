/* Values rematerialised instead of kept, where a block has more of them alive than there are places.
 *
 * Requires: the block's graph (sched/graph.c) and a topological order of its operations. Keeps: what they
 * compute. Breaks: the graph, which has to be built anew.
 *
 * The order is followed with `room` places. Where more values are alive the one goes that is wanted last
 * among those that a few operations can rematerialise from what is there anyway: constants, uniforms, values
 * with later readers, cross-block registers that other blocks need. Before its next reader it is
 * rematerialised. Where nothing else fits (mir's `remat`), texels are asked for again, and what is chosen
 * under a condition is chosen again, by a setting of the flags of its own. A block that grows by a third
 * without coming down to `room` will not fit: no more goes then. */
#include "regalloc/cut.h"
#include "regalloc/regalloc.h"

#include <string.h>

#define NEVER UINT32_MAX

enum { SOON = 8, IS_OPEN = 1, IS_USED = 2 };

/* What may be spent on one value: operations, and how far it may be from what is kept. */
static const struct limits {
    unsigned ops, depth, cut_depth;
} usual_limits = {24, 10, 8}, last_limits = {200, 60, 60}; /* last: nothing else fits */

struct remat {
    struct mir *m;
    const struct limits *limits;
    bool refetch;  /* requests are gathered: another one fits between any two */
    uint64_t kept; /* registers that other blocks need all through this one */
    unsigned room;
    uint32_t nval; /* values of before */
    /* value -> its cost, the next use for which that was asked, + 1, and which state of `keep` it goes by */
    struct price {
        uint32_t cost, when, state;
    } * price;
    uint32_t keep_state;
    bool *pinned;              /* value -> some op has to find it in r4 */
    uint32_t *counted, query;  /* value -> the last query of a cost that counted it; that query's number */
    uint32_t *first_use, *use; /* positions of readers by value */
    uint32_t *at;              /* value -> index into use of the next reader */
    uint32_t *now;             /* value -> value that is it now */
    uint32_t *keep;            /* value -> position until which others may be made of it */
    uint32_t *overwritten;     /* register -> first position that writes it */
    enum { UNMADE, ALIVE, GONE, OVER } * state;
    uint32_t *out, nout, cap, most;   /* most: no value goes once there are so many */
    uint32_t alive, alive_a, dropped; /* alive_a: those of them that only file A can serve */
    uint32_t in[PLACE_COUNT];         /* place -> values alive that are there from the start: they share it */
    uint32_t cuts, next_cut; /* how often least cuts may still be asked for; from which position on */
    struct candidate {
        uint32_t v;
        double score; /* the one with most goes first */
    } * candidate;
    uint32_t *live, nlive, *index; /* values that are ALIVE; value -> its index there */
    uint32_t *open, nopen;         /* of these, what may go as far as is known */
    uint32_t *used, nused;         /* of these, what may be used up */
    uint8_t *listed;               /* value -> in which of the two lists it is: IS_OPEN, IS_USED */
    uint32_t *fixed, nfixed;       /* values that overwrite another block's register */
    uint32_t *origin, cap_origin;  /* value made here, less nval -> the one of before that it is */
};

static uint32_t original(const struct remat *r, uint32_t v) {
    return v == M_NO_VALUE || v < r->nval ? v : r->origin[v - r->nval];
}

static uint32_t next_use(const struct remat *r, uint32_t v) {
    return r->at[v] < r->first_use[v + 1] ? r->use[r->at[v]] : NEVER;
}

/* Somebody wants it at position `when` or later. */
static bool stays(const struct remat *r, uint32_t v, uint32_t when) {
    return r->keep[v] >= when ||
           (r->first_use[v] < r->first_use[v + 1] && r->use[r->first_use[v + 1] - 1] >= when);
}

/* Would its place be free without it? */
static bool takes_place(const struct remat *r, uint32_t v) {
    int start = r->m->val[v].start, place = start < 0 ? r->m->val[v].fixed : start;
    return place < 0 || place >= PLACE_ACC || !(r->kept >> place & 1);
}

/* Does it take a place in file A that nothing else could serve? */
static bool takes_a(const struct remat *r, uint32_t v) {
    int start = r->m->val[v].start;
    return takes_place(r, v) && (start < 0 ? m_only_in_a(r->m, v) : place_in_a(start));
}

static bool is_special(const struct m_op *op) {
    return op->r4 && op->waddr >= QPU_W_SFU_RECIP && op->waddr <= QPU_W_SFU_LOG;
}

/* Can it be done once more, apart from where its result goes and from what conditions and flags mean? */
static bool is_plain(const struct remat *r, const struct m_op *op) {
    bool plain = !op->rotate && !op->reads_vary && !op->reads_vpm && op->sig == QPU_SIG_NONE && !op->pack &&
                 op->pinned_to == M_NO_VALUE && !op->small_imm_only;
    for (unsigned k = 0; k < op->nsrc; k++)
        plain &= (!op->src[k].unpack || r->m->options.remat) && op->src[k].kind != M_R5;
    return plain;
}

static bool is_repeatable(const struct remat *r, const struct m_op *op) {
    return is_plain(r, op) && op->tied == M_NO_VALUE && op->flags == M_NO_VALUE && !op->sf;
}

static bool is_cheap(const struct remat *r, const struct m_op *op) {
    return is_repeatable(r, op) && (is_special(op) || (!op->r4 && op->waddr == QPU_W_NOP));
}

/* What an op does under a condition, over a value that is its result otherwise: the setter of its flags, if
 * all of that can be done once more. NULL: no. */
static const struct m_op *setter_of_choice(const struct remat *r, const struct m_op *op) {
    const struct m_op *setter = r->m->options.remat && op->flags != M_NO_VALUE ? &r->m->op[op->flags] : NULL;
    uint32_t before = op->tied == M_NO_VALUE ? M_NO_VALUE : r->m->val[original(r, op->tied)].def;
    bool ok = setter && before != M_NO_VALUE && !r->m->op[before].r4 && !op->sf && !op->r4 &&
              op->waddr == QPU_W_NOP && is_plain(r, op) && setter->dst == M_NO_VALUE &&
              setter->tied == M_NO_VALUE && setter->flags == M_NO_VALUE && !setter->r4 &&
              setter->waddr == QPU_W_NOP && is_plain(r, setter);
    return ok ? setter : NULL;
}

static unsigned cost_of(const struct remat *r, uint32_t v, uint32_t when, unsigned depth);

/* What several operands are made of is made once. As far as the usual limits go it hardly matters. */
static bool counts_again(const struct remat *r, uint32_t v) {
    bool again = r->m->options.remat && r->counted[v] == r->query;
    r->counted[v] = r->query;
    return again;
}

/* What the operands of `op` cost that are not there at position `when`. */
static unsigned cost_of_operands(const struct remat *r, const struct m_op *op, uint32_t when,
                                 unsigned depth) {
    unsigned cost = 0;
    for (unsigned k = 0; k < op->nsrc && cost <= r->limits->ops; k++) {
        uint32_t w = original(r, m_reads(op, k));
        if (w == M_NO_VALUE)
            continue;
        int start = r->m->val[w].start;
        if (start >= 0) {
            if ((takes_place(r, w) && !stays(r, w, when)) ||
                (start < PLACE_ACC && r->overwritten[start] <= when))
                return r->limits->ops + 1;
        } else if (!stays(r, w, when) && !counts_again(r, w)) {
            cost += cost_of(r, w, when, depth + 1);
        }
    }
    return cost;
}

/* A texel is fetched again, by a request of its own. */
static unsigned cost_of_texel(const struct remat *r, uint32_t v, uint32_t when, unsigned depth) {
    enum { FETCH = 6 };
    const struct m_op *load = &r->m->op[r->m->val[v].def];
    unsigned cost = FETCH;
    if (!r->refetch || load->request == M_NO_VALUE || r->pinned[v])
        return r->limits->ops + 1;
    for (uint32_t i = load->request; i != M_NO_VALUE && cost <= r->limits->ops; i = r->m->op[i].request) {
        const struct m_op *write = &r->m->op[i];
        if (!is_repeatable(r, write) || write->tmu_slot == M_NO_VALUE)
            return r->limits->ops + 1;
        cost += 1 + cost_of_operands(r, write, when, depth);
    }
    return cost;
}

/* Operations that make v at position `when`; more than r->limits->ops when it can't be done. Each query that
 * begins with depth 0 has a number of its own. */
static unsigned cost_of(const struct remat *r, uint32_t v, uint32_t when, unsigned depth) {
    const struct m_val *val = &r->m->val[v];
    if (val->def == M_NO_VALUE || depth > r->limits->depth || val->fixed >= 0)
        return r->limits->ops + 1;
    const struct m_op *op = &r->m->op[val->def];
    if (m_is_fetch(op))
        return cost_of_texel(r, v, when, depth);
    if (m_places(r->m, v) != M_ANYWHERE)
        return r->limits->ops + 1;
    const struct m_op *setter = setter_of_choice(r, op);
    if (setter)
        return 2 + cost_of_operands(r, setter, when, depth) + cost_of_operands(r, op, when, depth) +
               cost_of(r, original(r, op->tied), when, depth + 1);
    if (!is_cheap(r, op))
        return r->limits->ops + 1;
    return (is_special(op) ? 4 : 1) + cost_of_operands(r, op, when, depth);
}

/* The same, asked again and again while v waits for its next use. It changes with `keep` alone. */
static unsigned price_of(struct remat *r, uint32_t v, uint32_t when) {
    struct price *p = &r->price[v];
    if (p->when != when + 1 || p->state != r->keep_state) {
        r->query++;
        *p = (struct price){cost_of(r, v, when, 0), when + 1, r->keep_state};
    }
    return p->cost;
}

static void put(struct remat *r, uint32_t op) {
    if (r->nout == r->cap) {
        uint32_t cap = r->cap * 2 + 64, *fresh = ir_alloc(r->m->arena, cap * sizeof *fresh);
        memcpy(fresh, r->out, r->nout * sizeof *fresh);
        r->out = fresh;
        r->cap = cap;
    }
    r->out[r->nout++] = op;
}

/* Its next use is another one than before: its price is, too, and it may be the last. Those that are looked
 * at after an op are few: what can't go is not asked again until its next use. */
static void note_use(struct remat *r, uint32_t v) {
    if (!(r->listed[v] & IS_OPEN))
        r->open[r->nopen++] = v;
    if (!(r->listed[v] & IS_USED))
        r->used[r->nused++] = v;
    r->listed[v] = IS_OPEN | IS_USED;
}

/* Is there another value alive where this one is from the start? */
static bool shares_place(const struct remat *r, uint32_t v) {
    return r->m->val[v].start >= 0 && r->in[r->m->val[v].start];
}

static void begin_life(struct remat *r, uint32_t v) {
    r->state[v] = ALIVE;
    r->alive += takes_place(r, v) && !shares_place(r, v);
    r->alive_a += takes_a(r, v) && !shares_place(r, v);
    if (r->m->val[v].start >= 0)
        r->in[r->m->val[v].start]++;
    r->index[v] = r->nlive;
    r->live[r->nlive++] = v;
    note_use(r, v);
}

static void end_life(struct remat *r, uint32_t v, int state) {
    if (r->state[v] == ALIVE) {
        if (r->m->val[v].start >= 0)
            r->in[r->m->val[v].start]--;
        r->alive -= takes_place(r, v) && !shares_place(r, v);
        r->alive_a -= takes_a(r, v) && !shares_place(r, v);
        uint32_t last = r->live[--r->nlive];
        r->live[r->index[v]] = last;
        r->index[last] = r->index[v];
    }
    r->state[v] = state;
}

/* An op that overwrites another block's register waits for the new reader. */
static void read_before_writers(struct remat *r, uint32_t op, int start) {
    for (uint32_t k = 0; k < r->nfixed && start >= 0; k++)
        if (r->m->val[r->fixed[k]].fixed == start)
            m_add_edge(r->m, op, r->m->val[r->fixed[k]].def, 0, false);
}

static void rematerialise(struct remat *r, uint32_t v);

static void rematerialise_operands(struct remat *r, uint32_t i) {
    for (unsigned k = 0; k < r->m->op[i].nsrc; k++) {
        uint32_t w = original(r, m_reads(&r->m->op[i], k));
        if (w != M_NO_VALUE && r->m->val[w].start < 0 && r->state[w] != ALIVE)
            rematerialise(r, w);
    }
}

/* The operation once more, on what its operands are now. */
static uint32_t twin_of(struct remat *r, uint32_t i) {
    uint32_t op = m_new_op(r->m);
    struct m_op *twin = &r->m->op[op];
    *twin = r->m->op[i];
    twin->in_edge = twin->first_member = twin->next_member = 0;
    for (unsigned k = 0; k < twin->nsrc; k++) {
        uint32_t w = original(r, m_reads(twin, k));
        if (w == M_NO_VALUE)
            continue;
        twin->src[k].v = r->now[w];
        read_before_writers(r, op, r->m->val[w].start);
    }
    return op;
}

/* What an op under flags reads is there before they are set. */
static void wait_for_operands(struct remat *r, uint32_t setter, uint32_t i) {
    for (unsigned k = 0; k <= r->m->op[i].nsrc; k++) {
        uint32_t v = m_reads(&r->m->op[i], k);
        if (v != M_NO_VALUE && r->m->val[v].def != M_NO_VALUE)
            m_add_edge(r->m, r->m->val[v].def, setter, 0, false);
    }
}

static uint32_t fresh_value(struct remat *r, uint32_t v, uint32_t op);
static uint32_t repeat(struct remat *r, uint32_t i);

/* The setter once more, and the op under its flags. That one takes over the register of a value, which nobody
 * else has then: it is made anew for it. */
static uint32_t repeat_choice(struct remat *r, uint32_t i) {
    uint32_t setter = r->m->op[i].flags, tied = original(r, r->m->op[i].tied);
    rematerialise_operands(r, i);
    rematerialise_operands(r, setter);
    uint32_t before = repeat(r, r->m->val[tied].def);
    put(r, before);
    uint32_t over = fresh_value(r, tied, before);
    setter = twin_of(r, setter);
    put(r, setter);
    uint32_t op = twin_of(r, i);
    r->m->op[op].tied = over;
    r->m->op[op].flags = setter;
    r->m->op[setter].first_member = op + 1;
    wait_for_operands(r, setter, op);
    m_add_edge(r->m, setter, op, 1, false);
    return op;
}

static uint32_t repeat(struct remat *r, uint32_t i) {
    if (r->m->op[i].flags != M_NO_VALUE)
        return repeat_choice(r, i);
    rematerialise_operands(r, i);
    return twin_of(r, i);
}

/* The coordinates of a request, the last of them last. Returns that one. */
static uint32_t repeat_request(struct remat *r, uint32_t last) {
    uint32_t before = r->m->op[last].request;
    if (before != M_NO_VALUE)
        before = repeat_request(r, before);
    uint32_t op = repeat(r, last);
    r->m->op[op].request = before;
    put(r, op);
    return op;
}

/* A value that `op` makes, the same as v. */
static uint32_t fresh_value(struct remat *r, uint32_t v, uint32_t op) {
    uint32_t fresh = m_new_val(r->m);
    if (fresh - r->nval >= r->cap_origin) {
        uint32_t cap = r->cap_origin * 2 + 64, *more = ir_alloc(r->m->arena, cap * sizeof *more);
        if (r->cap_origin)
            memcpy(more, r->origin, r->cap_origin * sizeof *more);
        r->origin = more;
        r->cap_origin = cap;
    }
    r->origin[fresh - r->nval] = v;
    r->m->op[op].dst = fresh;
    r->m->val[fresh].def = op;
    r->m->val[fresh].read_in = r->m->val[v].read_in;
    return fresh;
}

static void rematerialise(struct remat *r, uint32_t v) {
    uint32_t def = r->m->val[v].def, request = M_NO_VALUE;
    if (m_is_fetch(&r->m->op[def]))
        request = repeat_request(r, r->m->op[def].request), r->m->ntmu++;
    uint32_t op = repeat(r, def);
    r->m->op[op].request = request;
    r->now[v] = fresh_value(r, v, op);
    put(r, op);
    r->dropped++;
    begin_life(r, v);
}

/* Adds what the op reads. False: too many. */
static bool add_operands(const struct remat *r, const struct m_op *op, uint32_t out[CUT_OPERANDS], int *n) {
    for (unsigned k = 0; k < op->nsrc; k++) {
        uint32_t w = original(r, m_reads(op, k));
        if (w == M_NO_VALUE || (r->m->val[w].start >= 0 && !takes_place(r, w)))
            continue;
        if (*n == CUT_OPERANDS)
            return false;
        out[(*n)++] = w;
    }
    return true;
}

/* The operands of v, unless it can't be rematerialised. */
static int made_of(void *user, uint32_t v, uint32_t out[CUT_OPERANDS]) {
    struct remat *r = user;
    int n = 0;
    bool ok = true;
    r->query++;
    for (uint32_t w = v; ok && w != M_NO_VALUE;) {
        const struct m_val *val = &r->m->val[w];
        if (val->def == M_NO_VALUE || val->fixed >= 0)
            return -1;
        const struct m_op *op = &r->m->op[val->def], *setter = setter_of_choice(r, op);
        if (m_is_fetch(op)) {
            ok = cost_of_texel(r, v, 0, 0) <= r->limits->ops;
            for (uint32_t i = op->request; ok && i != M_NO_VALUE; i = r->m->op[i].request)
                ok = add_operands(r, &r->m->op[i], out, &n);
        } else if (m_places(r->m, w) != M_ANYWHERE || !(setter || is_cheap(r, op))) {
            return -1;
        } else {
            ok = add_operands(r, op, out, &n) && (!setter || add_operands(r, setter, out, &n));
        }
        w = setter ? original(r, op->tied) : M_NO_VALUE; /* made anew as well */
    }
    return ok ? n : -1;
}

/* Nothing alive at t can be rematerialised there, because its operands are missing: the fewest values that
 * all of it can be made of stay for that. False: they are no fewer. */
static bool find_sources(struct remat *r, uint32_t t) {
    enum { GAIN = 2 };
    struct ir_arena *arena = r->m->arena;
    uint32_t *wanted = ir_alloc(arena, (r->nlive + 1) * sizeof *wanted), n = 0, until = 0;
    uint32_t *cut = ir_alloc(arena, (r->nval + 1) * sizeof *cut);
    bool *in_cut = ir_alloc(arena, r->nval + 1), more = false;
    for (uint32_t k = 0; k < r->nlive; k++) {
        uint32_t when = next_use(r, r->live[k]);
        if (takes_place(r, r->live[k]) && when != NEVER && when >= t + SOON)
            wanted[n++] = r->live[k];
    }
    struct cut_graph graph = {
        .values = r->nval, .depth = r->limits->cut_depth, .operands = made_of, .user = r};
    uint32_t least = cut_least(arena, &graph, wanted, n, cut);
    if (least + GAIN > n)
        return false;
    for (uint32_t k = 0; k < least; k++)
        in_cut[cut[k]] = true;
    for (uint32_t k = 0; k < n; k++)
        if (!in_cut[wanted[k]] && next_use(r, wanted[k]) > until)
            until = next_use(r, wanted[k]);
    r->keep_state++;
    for (uint32_t k = 0; k < r->nlive; k++)
        note_use(r, r->live[k]);
    for (uint32_t k = 0; k < least; k++) {
        more |= !stays(r, cut[k], until);
        r->keep[cut[k]] = until > r->keep[cut[k]] ? until : r->keep[cut[k]];
    }
    return more;
}

/* The same; what it took from the arena to find out is given back, for there are many cuts. */
static bool keep_sources(struct remat *r, uint32_t t) {
    struct ir_mark mark = ir_arena_mark(r->m->arena);
    bool more = find_sources(r, t);
    ir_arena_rewind(r->m->arena, mark);
    return more;
}

static bool goes_before(const struct candidate *a, const struct candidate *b) {
    return a->score > b->score || (a->score == b->score && a->v < b->v);
}

/* A heap of `n`, in which what is at `at` may go later than what is below it. */
static void sink(struct candidate *heap, uint32_t n, uint32_t at) {
    const struct candidate moved = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && goes_before(&heap[child + 1], &heap[child]);
        if (!goes_before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* What can go at t, as a heap. Returns how many. */
static uint32_t find_candidates(struct remat *r, uint32_t t) {
    uint32_t n = 0;
    for (uint32_t k = r->nopen; k-- > 0;) {
        uint32_t v = r->open[k], when = next_use(r, v);
        bool asks = r->state[v] == ALIVE && when != NEVER && when >= t + SOON && takes_place(r, v);
        if (asks && r->keep[v] > t)
            continue;
        unsigned cost = asks ? price_of(r, v, when) : 0;
        if (asks && cost <= r->limits->ops) {
            r->candidate[n++] = (struct candidate){v, (double)(when - t) / cost};
            continue;
        }
        r->open[k] = r->open[--r->nopen];
        r->listed[v] &= (uint8_t)~IS_OPEN;
    }
    for (uint32_t k = n / 2; k-- > 0;)
        sink(r->candidate, n, k);
    return n;
}

/* False: more values are alive than there is room for. */
static bool make_room(struct remat *r, uint32_t t) {
    const uint32_t room_a = r->m->options.remat ? r->room / 2 : UINT32_MAX;
    if ((r->alive <= r->room && r->alive_a <= room_a) || r->nout >= r->most)
        return true;
    uint32_t n = find_candidates(r, t);
    while (n && (r->alive > r->room || r->alive_a > room_a)) {
        uint32_t best = r->candidate[0].v;
        r->candidate[0] = r->candidate[--n];
        sink(r->candidate, n, 0);
        if (r->alive > r->room || takes_a(r, best))
            end_life(r, best, GONE);
    }
    return r->alive <= r->room && r->alive_a <= room_a;
}

/* What has no next use ends, unless others may still be made of it. */
static void end_lives(struct remat *r, uint32_t t) {
    for (uint32_t k = r->nused; k-- > 0;) {
        uint32_t v = r->used[k];
        bool over = next_use(r, v) == NEVER && r->m->val[v].fixed < 0;
        if (over && r->keep[v] > t)
            continue;
        r->used[k] = r->used[--r->nused];
        r->listed[v] &= (uint8_t)~IS_USED;
        if (over)
            end_life(r, v, OVER);
    }
}

static void find_uses(struct remat *r, const uint32_t *order, uint32_t n) {
    struct mir *m = r->m;
    for (uint32_t t = 0; t < n; t++)
        for (unsigned k = 0; k <= m->op[order[t]].nsrc; k++)
            if (m_reads(&m->op[order[t]], k) != M_NO_VALUE)
                r->first_use[m_reads(&m->op[order[t]], k) + 1]++;
    for (uint32_t v = 0; v < r->nval; v++)
        r->first_use[v + 1] += r->first_use[v];
    r->use = ir_alloc(m->arena, (r->first_use[r->nval] + 1) * sizeof *r->use);
    memcpy(r->at, r->first_use, r->nval * sizeof *r->at);
    for (uint32_t t = 0; t < n; t++)
        for (unsigned k = 0; k <= m->op[order[t]].nsrc; k++)
            if (m_reads(&m->op[order[t]], k) != M_NO_VALUE)
                r->use[r->at[m_reads(&m->op[order[t]], k)]++] = t;
    memcpy(r->at, r->first_use, r->nval * sizeof *r->at);
    memset(r->overwritten, 0xff, PLACE_ACC * sizeof *r->overwritten);
    for (uint32_t t = n; t-- > 0;) {
        uint32_t dst = m->op[order[t]].dst;
        if (dst != M_NO_VALUE && m->val[dst].fixed >= 0)
            r->overwritten[m->val[dst].fixed] = t;
    }
}

/* The ops in order, on values that are available; some of them have to be rematerialised. */
static void follow(struct remat *r, uint32_t i, uint32_t t) {
    struct mir *m = r->m;
    uint32_t used[3];
    for (unsigned k = 0; k <= m->op[i].nsrc; k++) {
        used[k] = m_reads(&m->op[i], k);
        if (used[k] != M_NO_VALUE && r->state[used[k]] == GONE)
            rematerialise(r, used[k]);
    }
    for (unsigned k = 0; k <= m->op[i].nsrc; k++) {
        if (used[k] == M_NO_VALUE)
            continue;
        if (k == m->op[i].nsrc)
            m->op[i].tied = r->now[used[k]];
        else
            m->op[i].src[k].v = r->now[used[k]];
        if (m->op[i].flags != M_NO_VALUE && r->now[used[k]] != used[k])
            m_add_edge(m, m->val[r->now[used[k]]].def, m->op[i].flags, 0, false);
        r->at[used[k]]++;
        note_use(r, used[k]);
    }
    put(r, i);
    uint32_t dst = m->op[i].dst;
    if (dst != M_NO_VALUE && (next_use(r, dst) != NEVER || m->val[dst].fixed >= 0))
        begin_life(r, dst);
    end_lives(r, t);
}

/* Between a setter and the last op under its flags nobody else may set any: what these and the ops between
 * them read is rematerialised before. Returns the last one's position, t where t sets none. */
static uint32_t enter_group(struct remat *r, const uint32_t *order, uint32_t t) {
    uint32_t members = 0, last = t;
    for (uint32_t k = r->m->op[order[t]].first_member; k; k = r->m->op[k - 1].next_member)
        members += !r->m->op[k - 1].dead;
    while (members)
        members -= r->m->op[order[++last]].flags == order[t];
    for (uint32_t u = t; u <= last && last > t; u++)
        for (unsigned k = 0; k <= r->m->op[order[u]].nsrc; k++) {
            uint32_t v = m_reads(&r->m->op[order[u]], k);
            if (v != M_NO_VALUE && r->state[v] == GONE)
                rematerialise(r, v);
        }
    return last;
}

/* Goes through the order once. False: more values have to stay for others to be made of them. */
static bool pass(struct remat *r, const uint32_t *order, uint32_t count) {
    memcpy(r->at, r->first_use, r->nval * sizeof *r->at);
    memset(r->state, 0, r->nval * sizeof *r->state);
    memset(r->listed, 0, r->nval);
    r->nout = r->dropped = r->nlive = r->nopen = r->nused = 0;
    r->next_cut = 0;
    memset(r->in, 0, sizeof r->in);
    r->alive = (uint32_t)__builtin_popcountll(r->kept);
    r->alive_a = (uint32_t)__builtin_popcountll(r->kept & UINT32_MAX);
    for (uint32_t v = 0; v < r->nval; v++) {
        r->now[v] = v;
        if (r->m->val[v].start >= 0 && next_use(r, v) != NEVER)
            begin_life(r, v);
    }
    for (uint32_t t = 0, group = 0; t < count; t++) {
        if (t >= group && r->m->options.remat)
            group = enter_group(r, order, t);
        follow(r, order[t], t);
        if (t < group || make_room(r, t) || !r->cuts || t < r->next_cut)
            continue;
        r->cuts--;
        if (keep_sources(r, t))
            return false;
        r->next_cut = t + SOON; /* until then much the same is in the way */
    }
    return true;
}

/* What only writes a cross-block register for other blocks comes last: until then its old value may be read
 * again. */
static void write_late(const struct mir *m, uint32_t *order, uint32_t count) {
    bool *early = ir_alloc(m->arena, m->nop + 1);
    uint32_t *late = ir_alloc(m->arena, (count + 1) * sizeof *late), n = 0, nlate = 0;
    for (uint32_t e = 0; e < m->nedge; e++)
        early[m->edge[e].from] = true;
    for (uint32_t t = 0; t < count; t++) {
        const struct m_op *op = &m->op[order[t]];
        bool only_writes = op->dst != M_NO_VALUE && m->val[op->dst].fixed >= 0 && !m->val[op->dst].nuse &&
                           op->flags == M_NO_VALUE && !op->sf && !early[order[t]];
        *(only_writes ? &late[nlate++] : &order[n++]) = order[t];
    }
    memcpy(order + n, late, nlate * sizeof *late);
}

uint32_t remat_run(struct mir *m, uint32_t **order, uint32_t *count, unsigned room) {
    enum { CUTS = 12, WORK = 2000000 }; /* a cut takes its time by the number of values */
    bool refetch = m->options.remat && refetch_gather(m, order, *count);
    if (m->options.remat)
        write_late(m, *order, *count);
    struct remat r = {.m = m,
                      .limits = m->options.remat ? &last_limits : &usual_limits,
                      .kept = m_occupied(m) & ~m_promised(m),
                      .refetch = refetch,
                      .room = room,
                      .nval = m->nval,
                      .cap = *count + 64,
                      .most = *count + (m->options.remat ? *count : *count / 3)};
    r.first_use = ir_alloc(m->arena, (r.nval + 2) * sizeof *r.first_use);
    r.at = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.at);
    r.now = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.now);
    r.keep = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.keep);
    r.state = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.state);
    uint32_t **lists[] = {&r.live, &r.index, &r.open, &r.used, &r.fixed};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        *lists[k] = ir_alloc(m->arena, (r.nval + 1) * sizeof **lists[k]);
    r.listed = ir_alloc(m->arena, r.nval + 1);
    r.candidate = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.candidate);
    r.overwritten = ir_alloc(m->arena, PLACE_ACC * sizeof *r.overwritten);
    r.out = ir_alloc(m->arena, r.cap * sizeof *r.out);
    r.pinned = ir_alloc(m->arena, r.nval + 1);
    r.price = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.price);
    r.counted = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.counted);
    for (uint32_t i = 0; i < m->nop; i++)
        if (!m->op[i].dead && m->op[i].pinned_to != M_NO_VALUE)
            r.pinned[m->op[i].pinned_to] = true;
    for (uint32_t v = 0; v < r.nval; v++)
        if (m->val[v].fixed >= 0 && m->val[v].def != M_NO_VALUE)
            r.fixed[r.nfixed++] = v;
    find_uses(&r, *order, *count);
    struct m_op *before = ir_alloc(m->arena, (m->nop + 1) * sizeof *before);
    memcpy(before, m->op, m->nop * sizeof *before);
    uint32_t nop = m->nop, nedge = m->nedge, ntmu = m->ntmu;
    r.cuts = !m->options.remat ? 0 : m->nval * CUTS > WORK ? CUTS : WORK / m->nval;
    while (!pass(&r, *order, *count)) {
        memcpy(m->op, before, nop * sizeof *before);
        m->nop = nop, m->nedge = nedge, m->nval = r.nval, m->ntmu = ntmu;
    }
    *order = r.out;
    *count = r.nout;
    if (refetch)
        refetch_edges(m, r.out, r.nout);
    return r.dropped;
}
