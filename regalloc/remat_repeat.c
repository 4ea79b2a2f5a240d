/* The operations that make a value, once more: on what their operands are by then, which are rematerialised
 * first where they are gone. A texel is fetched by a request of its own, and what is chosen under a condition
 * by a setting of the flags of its own. */
#include "regalloc/remat.h"

#include <string.h>

void remat_append(struct remat *r, uint32_t op) {
    if (r->nout == r->cap) {
        uint32_t cap = r->cap * 2 + 64, *fresh = ir_alloc(r->m->arena, cap * sizeof *fresh);
        memcpy(fresh, r->out, r->nout * sizeof *fresh);
        r->out = fresh;
        r->cap = cap;
    }
    r->out[r->nout++] = op;
}

/* An op that overwrites another block's register waits for the new reader. */
static void read_before_writers(struct remat *r, uint32_t op, int start) {
    for (uint32_t k = 0; k < r->nfixed && start >= 0; k++)
        if (r->m->val[r->fixed[k]].fixed == start)
            m_add_edge(r->m, op, r->m->val[r->fixed[k]].def, 0, false);
}

static void rematerialise_operands(struct remat *r, uint32_t i) {
    for (unsigned k = 0; k < r->m->op[i].nsrc; k++) {
        uint32_t w = original(r, m_reads(&r->m->op[i], k));
        if (w != M_NO_VALUE && r->m->val[w].start < 0 && r->state[w] != ALIVE)
            remat_value(r, w);
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
    remat_append(r, before);
    uint32_t over = fresh_value(r, tied, before);
    setter = twin_of(r, setter);
    remat_append(r, setter);
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
    remat_append(r, op);
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

void remat_value(struct remat *r, uint32_t v) {
    uint32_t def = r->m->val[v].def, request = M_NO_VALUE;
    if (m_is_fetch(&r->m->op[def]))
        request = repeat_request(r, r->m->op[def].request), r->m->ntmu++;
    uint32_t op = repeat(r, def);
    r->m->op[op].request = request;
    r->now[v] = fresh_value(r, v, op);
    remat_append(r, op);
    r->dropped++;
    remat_begin_life(r, v);
}
