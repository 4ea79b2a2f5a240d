/* Where values may lie, decided late; see bind.h.
 *
 * Requires: ops as graph.c leaves them. Keeps everything. What is refused here the hardware refuses, given
 * what was decided before (or there are more pairs of values than there is room for). What is not asked here
 * (registers that others hold, one setting for packs and unpacks) the list scheduler asks when it follows the
 * plan. */
#include "sched/bind.h"

#include <stddef.h>
#include <string.h>

enum { ACCUMULATORS = 4, PORTS = 2, NOT_KNOWN = UINT8_MAX };

static bool is_one_file(unsigned may) {
    return may == M_IN_A || may == M_IN_B;
}

/* A value that lies in an accumulator does from its own instruction on until the last that reads it, or until
 * now. */
static uint32_t end_of(const struct bind *b, uint32_t v, uint32_t t) {
    return b->value[v].until < t ? b->value[v].until : t;
}

static bool may_hold(const struct bind *b, uint32_t v, uint32_t t) {
    for (uint32_t k = b->value[v].born, end = end_of(b, v, t); k < end; k++)
        if (b->held[k] >= ACCUMULATORS)
            return false;
    return true;
}

static bool hold(struct bind *b, uint32_t v, uint32_t t) {
    if (!may_hold(b, v, t))
        return false;
    for (uint32_t k = b->value[v].born, end = end_of(b, v, t); k < end; k++)
        b->held[k]++;
    if (b->value[v].until == NOT_KNOWN)
        prove_put(&b->acc, v);
    return true;
}

static bool set_places(struct bind *b, uint32_t v, unsigned may, uint32_t t);

/* The value lies in none of these places. */
static inline bool forbid(struct bind *b, uint32_t v, unsigned places, uint32_t t) {
    unsigned before = b->value[v].may, may = before & ~places;
    return may == before || set_places(b, v, may, t);
}

/* In this file: what is kept apart from it lies elsewhere. */
static bool set_file(struct bind *b, uint32_t v, unsigned may, uint32_t t) {
    for (uint32_t k = 0; k < b->napart; k++)
        if ((b->apart[k][0] == v && !forbid(b, b->apart[k][1], may, t)) ||
            (b->apart[k][1] == v && !forbid(b, b->apart[k][0], may, t)))
            return false;
    return true;
}

static bool set_places(struct bind *b, uint32_t v, unsigned may, uint32_t t) {
    b->value[v].may = (uint8_t)may;
    if (may == M_IN_ACC)
        return hold(b, v, t);
    return is_one_file(may) ? set_file(b, v, may, t) : may;
}

static bool keep_apart(struct bind *b, uint32_t v, uint32_t w, uint32_t t) {
    unsigned one = b->value[v].may, other = b->value[w].may;
    if (!(one & other & M_IN_FILES))
        return true;
    if (b->napart == BIND_PAIRS)
        return false;
    b->apart[b->napart][0] = (uint8_t)v, b->apart[b->napart++][1] = (uint8_t)w;
    return (!is_one_file(one) || forbid(b, w, one, t)) && (!is_one_file(other) || forbid(b, v, other, t));
}

void bind_names(const struct mir *m, uint8_t *name) {
    for (uint32_t v = 0; v < m->nval; v++)
        name[v] = (uint8_t)v;
    for (bool more = true; more;) { /* ops are not sorted */
        more = false;
        for (uint32_t i = 0; i < m->nop; i++) {
            const struct m_op *op = &m->op[i];
            if (op->dead || op->tied == M_NO_VALUE || name[op->dst] == name[op->tied])
                continue;
            name[op->dst] = name[op->tied];
            more = true;
        }
    }
}

void bind_begin(const struct mir *m, const uint8_t *name, const uint32_t *uses, struct bind *to) {
    to->name = name;
    to->nvalue = m->nval;
    to->napart = 0;
    to->acc = (struct prove_set){0};
    to->r4 = WAYS_NONE;
    for (uint32_t v = 0; v < m->nval; v++) {
        to->value[v] = (struct bind_value){.until = NOT_KNOWN};
        if (m->val[v].start >= 0 && uses[v])
            to->value[v].may = m->val[v].start >= PLACE_B ? M_IN_B : M_IN_A;
    }
}

static void copy(struct bind *to, const struct bind *from) {
    memcpy(to, from, offsetof(struct bind, value) + from->nvalue * sizeof *from->value);
    memcpy(to->apart, from->apart, from->napart * sizeof *from->apart);
}

/* What a row reads of values that lie in files or accumulators, each once, and where they can't lie then. */
struct reads {
    uint32_t value[2 * SCHED_ROW_OPS], n;
    unsigned closed[2 * SCHED_ROW_OPS];
};

/* False: a value has no place left. */
static bool add_reads(struct reads *r, const struct prove_set *values, unsigned places, uint32_t t,
                      const struct bind *b) {
    for (unsigned k = 0; k < PROVE_MOST / 64; k++)
        for (uint64_t in = values->word[k]; in; in &= in - 1) {
            uint32_t v = b->name[k * 64 + (uint32_t)__builtin_ctzll(in)], at = 0;
            if (b->r4 == v && places & M_IN_R4)
                continue;
            while (at < r->n && r->value[at] != v)
                at++;
            unsigned closed = ~places | (b->value[v].file_from > t ? M_IN_FILES : 0);
            r->closed[at] = closed | (at < r->n ? r->closed[at] : 0);
            r->value[at] = v;
            r->n += at == r->n;
            if (!(b->value[v].may & ~r->closed[at]))
                return false;
        }
    return true;
}

/* Are there few enough of them that no accumulator can hold? */
static bool may_share_ports(const struct reads *r, uint32_t most, const struct bind *b) {
    uint32_t open = 0;
    for (uint32_t k = 0; k < r->n; k++)
        open += !(b->value[r->value[k]].may & ~r->closed[k] & M_IN_ACC);
    return open <= most;
}

/* Those come first that would take an accumulator for the shortest time: they are read no more, and young. */
static void sort_reads(struct reads *r, const struct bind *b, const uint32_t *uses) {
    enum { READ_AGAIN = PROVE_MOST };
    int by[2 * SCHED_ROW_OPS];
    for (uint32_t k = 0; k < r->n; k++) {
        uint32_t v = r->value[k], at = k;
        int of = (uses[v] ? READ_AGAIN : 0) - b->value[v].file_from;
        for (; at && by[at - 1] > of; at--)
            r->value[at] = r->value[at - 1], by[at] = by[at - 1];
        r->value[at] = v, by[at] = of;
    }
}

/* As many of them as the ports have no room for lie in accumulators. */
static bool leave_ports(struct reads *r, uint32_t most, const uint32_t *uses, uint32_t t, struct bind *b) {
    uint32_t open = 0;
    for (uint32_t k = 0; k < r->n; k++)
        open += b->value[r->value[k]].may != M_IN_ACC;
    if (open > most)
        sort_reads(r, b, uses);
    for (uint32_t k = 0; k < r->n && open > most; k++) {
        uint32_t v = r->value[k];
        if (!(b->value[v].may & M_IN_ACC) || b->value[v].may == M_IN_ACC || !may_hold(b, v, t))
            continue;
        open -= forbid(b, v, M_IN_FILES, t); /* which may_hold allows */
    }
    return open <= most;
}

/* The rest comes through the ports that are left. */
static bool share_ports(struct reads *r, const struct ways_ports *ports, const uint32_t *uses, uint32_t t,
                        struct bind *b) {
    uint32_t last = M_NO_VALUE;
    if (!leave_ports(r, PORTS - ports->n, uses, t, b))
        return false;
    for (uint32_t k = 0; k < r->n; k++) {
        uint32_t v = r->value[k];
        if (b->value[v].may == M_IN_ACC)
            continue;
        if (ports->n == 1 && ports->through[0] != M_IN_FILES && !forbid(b, v, ports->through[0], t))
            return false;
        if (last != M_NO_VALUE && !keep_apart(b, last, v, t))
            return false;
        last = v;
    }
    return true;
}

/* False: wherever the values lie, so far as that is open, the row can't read them. */
static bool may_read(const struct ways_demand *d, uint32_t t, const struct bind *b, struct reads *r) {
    r->n = 0;
    return (d->pinned == M_NO_VALUE || b->r4 == d->pinned) &&
           add_reads(r, &d->plain, M_IN_FILES | M_IN_ACC | M_IN_R4, t, b) &&
           (prove_is_empty(&d->unpacked) || add_reads(r, &d->unpacked, M_IN_UNPACKER, t, b)) &&
           (prove_is_empty(&d->rotated) || add_reads(r, &d->rotated, M_IN_ACC, t, b)) &&
           may_share_ports(r, PORTS - d->ports.n, b);
}

static bool read_row(struct reads *r, const struct ways_demand *d, const uint32_t *uses, uint32_t t,
                     struct bind *b) {
    for (uint32_t k = 0; k < r->n; k++)
        if (b->value[r->value[k]].may & r->closed[k] && !forbid(b, r->value[k], r->closed[k], t))
            return false;
    return share_ports(r, &d->ports, uses, t, b);
}

/* Where an op can write. */
static unsigned written_in(const struct mir *m, const struct m_op *op) {
    const struct m_val *val = &m->val[op->dst];
    unsigned places = val->fixed < 0          ? val->written_in & (M_IN_FILES | M_IN_ACC)
                      : val->fixed >= PLACE_B ? M_IN_B
                                              : M_IN_A;
    return op->tied != M_NO_VALUE && op->pack && !op->pm ? places & M_IN_A : places;
}

/* What the row makes: one result for each file. */
static bool write_row(const struct mir *m, const struct ways_row *row, const uint32_t *uses, uint32_t t,
                      struct bind *b) {
    enum { RESULTS = 2 }; /* one of each ALU */
    uint32_t result[RESULTS], n = 0, r4 = b->r4;
    unsigned sides = row->ends ? M_IN_FILES : 0; /* model_may_end */
    for (uint32_t k = 0; k < row->n; k++) {
        const struct m_op *op = &m->op[row->op[k]];
        if (op->wside != M_SIDE_ANY) {
            if (sides & op->wside)
                return false;
            sides |= op->wside;
        }
        if (op->dst == M_NO_VALUE)
            continue;
        uint32_t v = b->name[op->dst];
        if (op->r4) {
            if (r4 != WAYS_NONE && uses[r4])
                return false;
            b->r4 = (uint8_t)v;
        } else if ((uses[v] || m->val[op->dst].fixed >= 0) && n < RESULTS) {
            if (op->tied == M_NO_VALUE)
                b->value[v].may = M_IN_FILES | M_IN_ACC, b->value[v].born = (uint8_t)t;
            b->value[v].file_from = (uint8_t)(t + QPU_LAT_REGFILE);
            if (!b->value[v].may || !forbid(b, v, ~written_in(m, op), t))
                return false;
            result[n++] = v;
        }
    }
    for (uint32_t k = 0; k < n; k++)
        if (sides && !forbid(b, result[k], sides, t))
            return false;
    return n < RESULTS || keep_apart(b, result[0], result[1], t);
}

/* Accumulators and r4 do not survive a thread switch. */
static bool cross_switch(const struct mir *m, const uint32_t *uses, uint32_t t, struct bind *b) {
    if (b->r4 != WAYS_NONE && uses[b->r4])
        return false;
    b->r4 = WAYS_NONE;
    for (uint32_t v = 0; v < m->nval; v++)
        if (uses[v] && b->value[v].may && !forbid(b, v, M_IN_ACC, t))
            return false;
    return true;
}

/* What is read for the last time. */
static void end_reads(const struct mir *m, const struct ways_row *row, const uint32_t *uses, uint32_t t,
                      struct bind *b) {
    for (uint32_t k = 0; k < row->n; k++) {
        const struct m_op *op = &m->op[row->op[k]];
        for (unsigned i = 0; i <= op->nsrc; i++) {
            uint32_t v = m_reads(op, i);
            if (v == M_NO_VALUE || uses[v = b->name[v]])
                continue;
            b->value[v].until = (uint8_t)t;
            if (prove_has(&b->acc, v))
                prove_flip(&b->acc, v);
        }
    }
    if (b->r4 != WAYS_NONE && !uses[b->r4])
        b->r4 = WAYS_NONE;
}

bool bind_step(const struct mir *m, const struct ways_row *row, const struct ways_demand *asked,
               const uint32_t *uses, uint32_t t, const struct bind *from, struct bind *to) {
    struct reads reads;
    if (!may_read(asked, t, from, &reads))
        return false;
    copy(to, from);
    if (!read_row(&reads, asked, uses, t, to))
        return false;
    end_reads(m, row, uses, t, to);
    if (!write_row(m, row, uses, t, to) || (row->switches && !cross_switch(m, uses, t + 1, to)))
        return false;
    unsigned held = 0;
    for (unsigned k = 0; k < PROVE_MOST / 64; k++)
        for (uint64_t in = to->acc.word[k]; in; in &= in - 1)
            held++;
    to->held[t] = (uint8_t)held;
    return held <= ACCUMULATORS;
}

bool bind_all(const struct mir *m, uint32_t t, struct bind *b) {
    static const uint8_t places[] = {M_IN_B, M_IN_A, M_IN_ACC};
    for (unsigned pass = 0; pass < 2; pass++) /* those first that lie in a file */
        for (uint32_t v = 0; v < m->nval; v++) {
            bool one = !(b->value[v].may & (b->value[v].may - 1)), found = false;
            if (one || (!pass && b->value[v].may & M_IN_ACC))
                continue;
            struct bind keep;
            copy(&keep, b);
            for (unsigned k = 0; k < sizeof places && !found; k++)
                if (b->value[v].may & places[k] && !(found = forbid(b, v, ~(unsigned)places[k], t)))
                    copy(b, &keep);
            if (!found)
                return false;
        }
    return true;
}
