/* Values rematerialised instead of kept, where a block has more of them alive than there are places.
 *
 * Requires: the block's graph (sched/graph.c) and a topological order of its operations. Keeps: what they
 * compute. Breaks: the graph, which has to be built anew.
 *
 * The order is followed with no more than `places` values alive. Where more are, the one goes that is wanted
 * last among those that a few operations can rematerialise (remat_cost.c) from what is there anyway:
 * constants, uniforms, values with later readers, cross-block registers that other blocks need. Before its
 * next reader it is rematerialised (remat_repeat.c). Where nothing else fits (mir's `remat`), texels are
 * asked for again, and what is chosen under a condition is chosen again, by a setting of the flags of its
 * own. A block that grows by a third without coming down to `places` will not fit: no more goes then. */
#include "regalloc/remat.h"

#include <string.h>

enum { SOON = 8 };

static const struct limits usual_limits = {24, 10, 8};
static const struct limits last_limits = {200, 60, 60}; /* where nothing else fits */

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

void remat_begin_life(struct remat *r, uint32_t v) {
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
        .values = r->nval, .depth = r->limits->cut_depth, .operands = remat_operands, .user = r};
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
        unsigned cost = asks ? remat_price(r, v, when) : 0;
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

/* False: more values stay alive than there are places. */
static bool free_places(struct remat *r, uint32_t t) {
    const uint32_t places_a = r->m->options.remat ? r->places / 2 : UINT32_MAX;
    if ((r->alive <= r->places && r->alive_a <= places_a) || r->nout >= r->most)
        return true;
    uint32_t n = find_candidates(r, t);
    while (n && (r->alive > r->places || r->alive_a > places_a)) {
        uint32_t best = r->candidate[0].v;
        r->candidate[0] = r->candidate[--n];
        sink(r->candidate, n, 0);
        if (r->alive > r->places || takes_a(r, best))
            end_life(r, best, GONE);
    }
    return r->alive <= r->places && r->alive_a <= places_a;
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
            remat_value(r, used[k]);
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
    remat_append(r, i);
    uint32_t dst = m->op[i].dst;
    if (dst != M_NO_VALUE && (next_use(r, dst) != NEVER || m->val[dst].fixed >= 0))
        remat_begin_life(r, dst);
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
                remat_value(r, v);
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
            remat_begin_life(r, v);
    }
    for (uint32_t t = 0, group = 0; t < count; t++) {
        if (t >= group && r->m->options.remat)
            group = enter_group(r, order, t);
        follow(r, order[t], t);
        if (t < group || free_places(r, t) || !r->cuts || t < r->next_cut)
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

uint32_t remat_run(struct mir *m, uint32_t **order, uint32_t *count, unsigned places) {
    enum { CUTS = 12, WORK = 2000000 }; /* a cut takes its time by the number of values */
    bool refetch = m->options.remat && refetch_gather(m, order, *count);
    if (m->options.remat)
        write_late(m, *order, *count);
    struct remat r = {.m = m,
                      .limits = m->options.remat ? &last_limits : &usual_limits,
                      .kept = m_occupied(m) & ~m_promised(m),
                      .refetch = refetch,
                      .places = places,
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
