/* Values rematerialised instead of kept, where a block has more of them alive than there are places.
 *
 * Requires: the block's graph (schedule.c) and a topological order of its operations. Keeps: what they
 * compute. Breaks: the graph, which has to be built anew.
 *
 * The order is walked with `room` places. Where more values are alive the one goes that is wanted last among
 * those that a few operations can rematerialise from what is there anyway: constants, uniforms, values with
 * later readers, cross-block registers that other blocks need. In front of its next reader it is rematerialised. A block that
 * grows by a third without coming down to `room` will not fit: no more goes then. */
#include "sched/schedule.h"

#include <string.h>

#define NEVER UINT32_MAX

enum { MOST_OPS = 24 };

struct remat {
    struct sched *s;
    struct mir *m;
    unsigned room;
    uint32_t nval;             /* values of before */
    uint32_t *first_use, *use; /* positions of readers by value */
    uint32_t *at;              /* value -> index into use of the next reader */
    uint32_t *now;             /* value -> value that is it now */
    uint32_t *overwritten;     /* register -> first position that writes it */
    enum { UNMADE, ALIVE, GONE, OVER } * state;
    uint32_t *out, nout, cap, most; /* most: no value goes once there are so many */
    uint32_t alive, dropped;
    uint32_t *live, nlive;        /* values that are ALIVE */
    uint32_t *origin, cap_origin; /* value made here, less nval -> the one of before that it is */
};

static uint32_t original(const struct remat *r, uint32_t v) {
    return v == M_NO_VALUE || v < r->nval ? v : r->origin[v - r->nval];
}

static uint32_t next_use(const struct remat *r, uint32_t v) {
    return r->at[v] < r->first_use[v + 1] ? r->use[r->at[v]] : NEVER;
}

static bool is_special(const struct m_op *op) {
    return op->r4 && op->waddr >= QPU_W_SFU_RECIP && op->waddr <= QPU_W_SFU_LOG;
}

static bool is_cheap(const struct m_op *op) {
    bool plain = op->tied == M_NO_VALUE && op->flags == M_NO_VALUE && !op->sf && !op->rotate &&
                 (is_special(op) || (!op->r4 && op->waddr == QPU_W_NOP)) && !op->reads_vary &&
                 !op->reads_vpm && op->sig == QPU_SIG_NONE && !op->pack && op->tmu_slot == M_NO_VALUE &&
                 op->pinned_to == M_NO_VALUE && !op->small_imm_only;
    for (unsigned k = 0; k < op->nsrc; k++)
        plain &= !op->src[k].unpack && op->src[k].kind != M_R5;
    return plain;
}

/* Operations that make v at position `when`; more than MOST_OPS when it can't be done. */
static unsigned cost_of(const struct remat *r, uint32_t v, uint32_t when, unsigned depth) {
    const struct m_val *val = &r->m->val[v];
    if (val->def == M_NO_VALUE || depth > 10 || m_places(r->m, v) != M_ANYWHERE || val->fixed >= 0 ||
        !is_cheap(&r->m->op[val->def]))
        return MOST_OPS + 1;
    const struct m_op *op = &r->m->op[val->def];
    unsigned cost = is_special(op) ? 4 : 1;
    for (unsigned k = 0; k < op->nsrc && cost <= MOST_OPS; k++) {
        uint32_t w = original(r, m_reads(op, k));
        if (w == M_NO_VALUE)
            continue;
        int start = r->m->val[w].start;
        if (start >= 0) {
            bool stays = r->first_use[w] < r->first_use[w + 1] && r->use[r->first_use[w + 1] - 1] >= when;
            if ((place_counts(r->s, w) && !stays) || (start < PLACE_ACC && r->overwritten[start] <= when))
                return MOST_OPS + 1;
        } else if (r->first_use[w] == r->first_use[w + 1] || r->use[r->first_use[w + 1] - 1] < when) {
            cost += cost_of(r, w, when, depth + 1);
        }
    }
    return cost;
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

static void begin_life(struct remat *r, uint32_t v) {
    r->state[v] = ALIVE;
    r->alive += place_counts(r->s, v);
    r->live[r->nlive++] = v;
}

static void end_life(struct remat *r, uint32_t v, int state) {
    if (r->state[v] == ALIVE) {
        r->alive -= place_counts(r->s, v);
        for (uint32_t k = 0; k < r->nlive; k++)
            if (r->live[k] == v) {
                r->live[k] = r->live[--r->nlive];
                break;
            }
    }
    r->state[v] = state;
}

/* Whoever overwrites a register of another block waits for the new reader. */
static void read_before_writers(struct remat *r, uint32_t op, int start) {
    for (uint32_t v = 0; v < r->nval && start >= 0; v++)
        if (r->m->val[v].fixed == start && r->m->val[v].def != M_NO_VALUE)
            m_add_edge(r->m, op, r->m->val[v].def, 0, false);
}

static void make_again(struct remat *r, uint32_t v) {
    uint32_t def = r->m->val[v].def;
    for (unsigned k = 0; k < r->m->op[def].nsrc; k++) {
        uint32_t w = original(r, m_reads(&r->m->op[def], k));
        if (w != M_NO_VALUE && r->m->val[w].start < 0 && r->state[w] != ALIVE)
            make_again(r, w);
    }
    uint32_t op = m_new_op(r->m);
    struct m_op *twin = &r->m->op[op];
    *twin = r->m->op[def];
    twin->in_edge = twin->first_member = twin->next_member = 0;
    for (unsigned k = 0; k < twin->nsrc; k++) {
        uint32_t w = original(r, m_reads(twin, k));
        if (w != M_NO_VALUE)
            twin->src[k].v = r->now[w];
    }
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
    r->now[v] = fresh;
    for (unsigned k = 0; k < r->m->op[op].nsrc; k++) {
        uint32_t w = m_reads(&r->m->op[op], k);
        if (w != M_NO_VALUE)
            read_before_writers(r, op, r->m->val[w].start);
    }
    put(r, op);
    r->dropped++;
    begin_life(r, v);
}

static void make_room(struct remat *r, uint32_t t) {
    while (r->alive > r->room && r->nout < r->most) {
        uint32_t best = M_NO_VALUE;
        double best_score = 0;
        for (uint32_t k = 0; k < r->nlive; k++) {
            uint32_t v = r->live[k], when = next_use(r, v);
            if (when == NEVER || when < t + 8 || !place_counts(r->s, v))
                continue;
            unsigned cost = cost_of(r, v, when, 0);
            double score = cost > MOST_OPS ? 0 : (double)(when - t) / cost;
            if (score > best_score)
                best = v, best_score = score;
        }
        if (best == M_NO_VALUE)
            return;
        end_life(r, best, GONE);
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

uint32_t remat_run(struct sched *s, uint32_t **order, uint32_t *count, unsigned room) {
    struct mir *m = s->m;
    struct remat r = {
        .s = s, .m = m, .room = room, .nval = m->nval, .cap = *count + 64, .most = *count + *count / 3};
    r.first_use = ir_alloc(m->arena, (r.nval + 2) * sizeof *r.first_use);
    r.at = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.at);
    r.now = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.now);
    r.state = ir_alloc(m->arena, (r.nval + 1) * sizeof *r.state);
    r.live = ir_alloc(m->arena, (2 * (size_t)r.nval + *count + 1) * sizeof *r.live);
    r.overwritten = ir_alloc(m->arena, PLACE_ACC * sizeof *r.overwritten);
    r.out = ir_alloc(m->arena, r.cap * sizeof *r.out);
    find_uses(&r, *order, *count);
    for (int p = 0; p < PLACE_ACC; p++)
        r.alive += place_vacant(s, p) == PLACE_KEPT;
    for (uint32_t v = 0; v < r.nval; v++) {
        r.now[v] = v;
        if (m->val[v].start >= 0 && next_use(&r, v) != NEVER)
            begin_life(&r, v);
    }
    for (uint32_t t = 0; t < *count; t++) {
        uint32_t i = (*order)[t], used[3];
        for (unsigned k = 0; k <= m->op[i].nsrc; k++) {
            used[k] = m_reads(&m->op[i], k);
            if (used[k] != M_NO_VALUE && r.state[used[k]] == GONE)
                make_again(&r, used[k]);
        }
        for (unsigned k = 0; k <= m->op[i].nsrc; k++) {
            if (used[k] == M_NO_VALUE)
                continue;
            if (k == m->op[i].nsrc)
                m->op[i].tied = r.now[used[k]];
            else
                m->op[i].src[k].v = r.now[used[k]];
            r.at[used[k]]++;
        }
        put(&r, i);
        for (unsigned k = 0; k <= m->op[i].nsrc; k++)
            if (used[k] != M_NO_VALUE && next_use(&r, used[k]) == NEVER && m->val[used[k]].fixed < 0)
                end_life(&r, used[k], OVER);
        uint32_t dst = m->op[i].dst;
        if (dst != M_NO_VALUE && (next_use(&r, dst) != NEVER || m->val[dst].fixed >= 0))
            begin_life(&r, dst);
        /* what was rematerialised only to make something else */
        for (uint32_t k = r.nlive; k-- > 0;)
            if (next_use(&r, r.live[k]) == NEVER && m->val[r.live[k]].fixed < 0)
                end_life(&r, r.live[k], OVER);
        make_room(&r, t);
    }
    *order = r.out;
    *count = r.nout;
    return r.dropped;
}
