/* What a value can be made of once more, and how many operations that takes. The program is only read. */
#include "regalloc/remat.h"

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

/* Asked again and again while v waits for its next use. It changes with `keep` alone. */
unsigned remat_price(struct remat *r, uint32_t v, uint32_t when) {
    struct price *p = &r->price[v];
    if (p->when != when + 1 || p->state != r->keep_state) {
        r->query++;
        *p = (struct price){cost_of(r, v, when, 0), when + 1, r->keep_state};
    }
    return p->cost;
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

int remat_operands(void *user, uint32_t v, uint32_t out[CUT_OPERANDS]) {
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
