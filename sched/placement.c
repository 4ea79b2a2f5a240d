/* Steps the placements of a partial schedule over one instruction; see placement.h.
 *
 * Requires: ops as graph.c leaves them. Keeps everything.
 *
 * A placement is dropped only where the hardware forbids it: each file has one read port, which both ALUs,
 * the stream's word and the small immediate share; an instruction writes each file once, and a read sees the
 * write an instruction later; there are four accumulators and one r4; both ALUs share one unpack setting.
 * Registers that other values occupy and the pack setting are not checked. That can only leave too many
 * placements, so an order that has none left is infeasible. */
#include "sched/placement.h"

#include <stddef.h>
#include <string.h>

enum {
    IN_A = 1 << PLACEMENT_A,
    IN_B = 1 << PLACEMENT_B,
    IN_FILES = IN_A | IN_B,
    IN_ACC = 1 << PLACEMENT_ACC,
    IN_R4 = 8
};

/* --- rows ----------------------------------------------------------------------------------------------- */

/* tail.c may load words of the stream into accumulators for a fragment shader's last instructions. */
static bool may_preload(const struct mir *m) {
    return m->last && m->shader->stage == QPUCC_FRAGMENT;
}

struct placement_row placement_row_at(const struct prover *p, const struct prove_row *row, uint32_t t) {
    const struct mir *m = p->s->m;
    return (struct placement_row){.no_words =
                                      m->no_stream || (m->reset && t < MODEL_RESET + MODEL_STREAM_SET),
                                  .loaded = may_preload(m) && t + MODEL_END >= p->target,
                                  .ends = m->last && t + MODEL_END == p->target,
                                  .signals = row->refused & T_SIGNAL};
}

/* --- sets of placements --------------------------------------------------------------------------------- */

bool placement_dominates(const struct placement *a, const struct placement *b) {
    for (unsigned w = 0; w < PROVE_MOST / 64; w++)
        if (b->in[PLACEMENT_A].word[w] & ~a->in[PLACEMENT_A].word[w] ||
            b->in[PLACEMENT_B].word[w] & ~a->in[PLACEMENT_B].word[w] ||
            b->in[PLACEMENT_ACC].word[w] & ~a->in[PLACEMENT_ACC].word[w])
            return false;
    if ((b->loose && !a->loose) || (b->r4 != PLACEMENT_NONE && b->r4 != a->r4))
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (b->late[k] != PLACEMENT_NONE && b->late[k] != a->late[k] && !prove_has(&a->in[k], b->late[k]))
            return false;
    return true;
}

/* Makes `a` allow all that either allows. */
static void join(struct placement *a, const struct placement *b) {
    a->loose = true;
    for (unsigned k = 0; k < PLACEMENT_KINDS; k++)
        for (unsigned w = 0; w < PROVE_MOST / 64; w++)
            a->in[k].word[w] |= b->in[k].word[w];
    for (unsigned k = 0; k < 2; k++)
        if (b->late[k] != PLACEMENT_NONE && b->late[k] != a->late[k])
            a->in[k].word[b->late[k] / 64] |= 1ull << b->late[k] % 64;
}

uint32_t placement_hash(const struct placement *w) {
    static const uint64_t factor[PLACEMENT_KINDS][2] = {{0x9e3779b97f4a7c15u, 0xff51afd7ed558ccdu},
                                                        {0xc4ceb9fe1a85ec53u, 0xd6e8feb86659fd93u},
                                                        {0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu}};
    uint64_t hash = 0;
    for (unsigned k = 0; k < PLACEMENT_KINDS; k++) {
        struct prove_set in = w->in[k];
        if (k != PLACEMENT_ACC && w->late[k] != PLACEMENT_NONE)
            prove_put(&in, w->late[k]);
        for (unsigned i = 0; i < PROVE_MOST / 64; i++)
            hash += (in.word[i] ^ in.word[i] >> 32) * factor[k][i];
    }
    return (uint32_t)(hash >> 32);
}

/* What a result adds to the hash of the placement that it is added to. */
static uint32_t hash_of_result(uint32_t v, unsigned kind) {
    uint64_t h = (v * PLACEMENT_KINDS + kind + 1) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((h ^ h >> 29) * 0xbf58476d1ce4e5b9u >> 32);
}

/* The step over an instruction, for one placement before it at a time. */
struct step {
    const struct prover *p;
    const struct mir *m;
    const struct placement_row *row;
    const uint32_t *uses;
    struct prove_set read; /* values that are read later */
    bool moves;
    unsigned sides, alus; /* files that its ops write, ALUs that they leave for moves */
    uint32_t r4;          /* value that it makes in r4, or PLACEMENT_NONE */
    const struct m_op *maker[PLACEMENT_RESULTS]; /* of results that are kept */
    struct prove_set beside[PLACEMENT_RESULTS];  /* values that later ops read together with it */
    unsigned nresult;
    const struct placement *from;
    struct placement_ports ports;
    struct placements *to;
    uint64_t work;
    /* without copies */
    uint32_t hash;                      /* of the placement in hand: equal ones have the same */
    uint32_t n_seen;                    /* placements that were offered, duplicates aside */
    uint32_t hash_of[PLACEMENT_MOST];   /* of those in `to` */
    uint16_t index[2 * PLACEMENT_MOST]; /* hash table of their indices, + 1 */
};

/* Reservoir sampling where there are more than fit: each is as likely to be kept, since those found one after
 * the other are much alike. The hash takes the place of a random number. */
static void add_without_copies(struct step *st, const struct placement *w) {
    struct placements *to = st->to;
    uint32_t most = 2 * to->most, hash = st->hash, h;
    for (h = hash % most; st->index[h]; h = h + 1 < most ? h + 1 : 0)
        if (st->hash_of[st->index[h] - 1] == hash && placement_dominates(&to->list[st->index[h] - 1], w))
            return;
    st->n_seen++;
    if (to->n < to->most) {
        st->hash_of[to->n] = hash;
        to->list[to->n++] = *w;
        st->index[h] = (uint16_t)to->n;
        return;
    }
    uint64_t drawn = (uint64_t)(hash * 0x9e3779b9u) * st->n_seen >> 32;
    if (drawn < to->most)
        st->hash_of[drawn] = hash, to->list[drawn] = *w;
}

static void add_with_copies(struct placements *to, const struct placement *w) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < to->n; i++)
        if (placement_dominates(&to->list[i], w))
            return;
    while (n < to->n && !placement_dominates(w, &to->list[n]))
        n++;
    for (uint32_t i = n + 1; i < to->n; i++)
        if (!placement_dominates(w, &to->list[i]))
            to->list[n++] = to->list[i];
    to->n = n;
    if (n < to->most)
        to->list[to->n++] = *w;
    else
        join(&to->list[n - 1], w);
}

static unsigned kinds_of(const struct placement *w, uint32_t v) {
    unsigned kinds = w->r4 == v ? IN_R4 : 0;
    for (unsigned k = 0; k < PLACEMENT_KINDS; k++)
        kinds |= (unsigned)prove_has(&w->in[k], v) << k;
    return kinds;
}

bool placement_room(const struct mir *m, struct placements *placements) {
    if (!placements->list)
        placements->list = ir_alloc_uncleared(m->arena, placements->most * sizeof *placements->list);
    return !ir_arena_oom(m->arena);
}

void placement_nowhere(struct placements *to) {
    to->list[0] = (struct placement){.late = {PLACEMENT_NONE, PLACEMENT_NONE}, .r4 = PLACEMENT_NONE};
    to->n = 1;
}

void placement_begin(const struct mir *m, const uint32_t *uses, struct placements *to) {
    placement_nowhere(to);
    for (uint32_t v = 0; v < m->nval; v++)
        if (m->val[v].start >= 0 && uses[v])
            prove_flip(&to->list[0].in[m->val[v].start >= PLACE_B ? PLACEMENT_B : PLACEMENT_A], v);
}

/* --- ports ---------------------------------------------------------------------------------------------- */

enum { A_VALUE, A_WORD, AN_ADDRESS, AN_IMMEDIATE };

/* One port has to deliver `what`, through one of the files `through`. False: no port is left for it. */
static bool deliver(struct placement_ports *ports, unsigned kind, uint32_t which, unsigned through) {
    uint64_t what = (uint64_t)kind << 32 | which;
    unsigned at = 0;
    while (at < ports->n && ports->what[at] != what)
        at++;
    if (!through || at == 2)
        return false;
    if (at == ports->n)
        ports->what[ports->n++] = what, ports->through[at] = (uint8_t)through;
    else
        ports->through[at] &= (uint8_t)through;
    return ports->n < 2 ? ports->through[0]
                        : (ports->through[0] && ports->through[1] &&
                           (ports->through[0] | ports->through[1]) == IN_FILES);
}

static bool is_in_row(const struct placement_row *row, uint32_t op) {
    for (uint32_t i = 0; i < row->n; i++)
        if (row->op[i] == op)
            return true;
    return false;
}

static bool holds_const(const struct mir *m, uint32_t word, uint32_t bits) {
    const struct ir_slot *slot = &m->shader->slots[word];
    return slot->kind == IR_SLOT_CONST && slot->value == bits;
}

/* Adds an operand to the demand. False: it can't be served. */
static bool demand_operand(const struct mir *m, const struct placement_row *row, const struct m_op *op,
                           const struct m_src *src, uint32_t word, bool signals, struct placement_demand *d) {
    if (src->kind == M_VAL) {
        uint32_t def = m->val[src->v].def;
        if (src->unpack || def == M_NO_VALUE || !is_in_row(row, def)) {
            unsigned kinds = src->unpack ? IN_A | IN_R4 : op->rotate ? IN_ACC : IN_FILES | IN_ACC | IN_R4;
            d->read[d->n_reads++] = (struct placement_read){(uint8_t)src->v, (uint8_t)kinds};
            return !(signals && op->rotate); /* the rotation is encoded as a small immediate */
        }
        src = &m->op[def].src[0]; /* made in the same row by a port read: read from that port */
    }
    if (row->loaded && (src->kind == M_SLOT || src->kind == M_IMM))
        return true;
    switch (src->kind) {
    case M_SLOT: return deliver(&d->ports, A_WORD, src->v, IN_FILES);
    case M_READ: return deliver(&d->ports, AN_ADDRESS, src->v, src->side);
    case M_IMM: /* may also be a word of the stream, if the row has none yet */
        if (word != M_NO_VALUE && holds_const(m, word, src->v))
            return true;
        return deliver(&d->ports, AN_IMMEDIATE, src->v,
                       word == M_NO_VALUE && !op->small_imm_only && !row->no_words ? IN_FILES
                       : signals                                                   ? 0
                                                                                   : IN_B);
    default: return true;
    }
}

bool placement_ask(const struct prover *p, const struct placement_row *row, struct placement_demand *d) {
    const struct mir *m = p->s->m;
    uint32_t word = M_NO_VALUE;
    bool signals = row->signals, add_is_taken = false;
    uint8_t unpack = 0;
    *d = (struct placement_demand){.pinned = M_NO_VALUE};
    for (uint32_t i = 0; i < row->n; i++) {
        const struct prove_op *op = &p->op[row->op[i]];
        word = op->word == M_NO_VALUE ? word : op->word;
        signals |= op->traits & T_SIGNAL;
        add_is_taken |= op->traits & T_ADD_ONLY;
    }
    for (uint32_t i = 0; i < row->n; i++) {
        const struct m_op *op = &m->op[row->op[i]];
        if (op->pinned_to != M_NO_VALUE) {
            if (d->pinned != M_NO_VALUE && d->pinned != op->pinned_to)
                return false;
            d->pinned = op->pinned_to;
        }
        const struct m_src factor = {.kind = M_IMM, .v = op->factor};
        if (op->factor && add_is_taken && !demand_operand(m, row, op, &factor, word, signals, d))
            return false; /* the mul ALU has to multiply by the factor */
        for (unsigned k = 0; k < op->nsrc; k++) {
            if (unpack && op->src[k].unpack && op->src[k].unpack != unpack)
                return false; /* both operands share the setting */
            unpack |= op->src[k].unpack;
            if (!demand_operand(m, row, op, &op->src[k], word, signals, d))
                return false;
        }
    }
    return true;
}

bool placement_may_signal(const struct prover *p, const struct placement_row *row) {
    bool free = !row->signals;
    for (uint32_t i = 0; i < row->n && free; i++)
        free = p->s->m->op[row->op[i]].sig == QPU_SIG_NONE || p->s->op[row->op[i]].traits & T_SWITCH;
    struct placement_row signals = *row;
    struct placement_demand d;
    signals.signals = true;
    return free && placement_ask(p, &signals, &d);
}

bool placement_may_switch(const struct prover *p, const struct placement_row *rows, uint32_t t) {
    for (uint32_t back = 0; back <= QPU_THREAD_SLOTS; back++) {
        if (back > t)
            return false;
        if (rows[t - back].switches)
            return false;
    }
    return placement_may_signal(p, &rows[t - QPU_THREAD_SLOTS]);
}

/* Can ports and accumulators deliver all that the row reads? */
static bool serve(const struct placement_demand *d, const struct placement *w,
                  struct placement_ports *ports) {
    if (d->pinned != M_NO_VALUE && w->r4 != d->pinned)
        return false;
    *ports = d->ports;
    for (unsigned k = 0; k < d->n_reads; k++) {
        const struct placement_read *read = &d->read[k];
        unsigned kinds = kinds_of(w, read->value) & read->kinds;
        if (!(kinds & (IN_ACC | IN_R4)) && !deliver(ports, A_VALUE, read->value, kinds))
            return false;
    }
    return true;
}

bool placement_serve(const struct prover *p, const struct placement_row *row, const struct placements *from) {
    struct placement_demand d;
    struct placement_ports ports;
    for (uint32_t i = placement_ask(p, row, &d) ? 0 : from->n; i < from->n; i++)
        if (serve(&d, &from->list[i], &ports))
            return true;
    return false;
}

/* --- results and moves ---------------------------------------------------------------------------------- */

/* Drops accumulators and r4, which do not survive a thread switch. False: a value was nowhere else. */
static bool cross_switch(const struct step *st, struct placement *w) {
    for (uint32_t v = 0; v < st->m->nval; v++)
        if ((prove_has(&w->in[PLACEMENT_ACC], v) || w->r4 == v) && !(kinds_of(w, v) & IN_FILES) &&
            w->late[PLACEMENT_A] != v && w->late[PLACEMENT_B] != v)
            return false;
    memset(&w->in[PLACEMENT_ACC], 0, sizeof w->in[PLACEMENT_ACC]);
    w->r4 = PLACEMENT_NONE;
    return true;
}

/* Keeps the placement if its accumulators are at most four. Else tries to drop each value from them that has
 * a copy in a file or r4. */
static void keep_if_feasible(struct step *st, struct placement *w) {
    enum { ACCUMULATORS = 4 };
    unsigned count = 0;
    if (st->row->switches && !cross_switch(st, w))
        return;
    for (unsigned k = 0; k < PROVE_MOST / 64; k++)
        for (uint64_t in = w->in[PLACEMENT_ACC].word[k]; in; in &= in - 1)
            count++;
    st->work++;
    if (count <= ACCUMULATORS || w->loose) {
        if (st->to->copies)
            add_with_copies(st->to, w);
        else
            add_without_copies(st, w);
        return;
    }
    if (!st->to->copies)
        return; /* no value has a second place */
    for (unsigned k = 0; k < PROVE_MOST / 64; k++)
        for (uint64_t in = w->in[PLACEMENT_ACC].word[k]; in; in &= in - 1) {
            uint32_t v = k * 64 + (uint32_t)__builtin_ctzll(in);
            if (kinds_of(w, v) == IN_ACC && w->late[PLACEMENT_A] != v && w->late[PLACEMENT_B] != v)
                continue;
            struct placement less = *w;
            prove_flip(&less.in[PLACEMENT_ACC], v);
            keep_if_feasible(st, &less);
        }
}

static void write_to(struct placement *w, uint32_t v, unsigned kind) {
    if (kind == PLACEMENT_ACC)
        prove_put(&w->in[PLACEMENT_ACC], v);
    else
        w->late[kind] = (uint8_t)v;
}

/* Tries all sets of moves in the free ALUs. `sides`: files that are written already. */
static void try_moves(struct step *st, const struct placement *w, unsigned sides,
                      const struct placement_ports *ports, unsigned alus) {
    struct placement as_it_is = *w;
    keep_if_feasible(st, &as_it_is);
    for (uint32_t v = 0; v < st->m->nval && alus; v++) {
        unsigned from = st->uses[v] && !st->m->val[v].no_copy ? kinds_of(st->from, v) : 0;
        uint32_t def = st->m->val[v].def;
        struct placement_ports with = *ports;
        if (st->uses[v] && def != M_NO_VALUE && is_in_row(st->row, def) && m_is_port_read(&st->m->op[def]))
            from = IN_ACC; /* the other ALU takes it from the same port: needs no port of its own */
        if (!from || (!(from & (IN_ACC | IN_R4)) && !deliver(&with, A_VALUE, v, from & IN_FILES)))
            continue;
        for (unsigned k = 0; k < PLACEMENT_KINDS; k++) {
            if (prove_has(&w->in[k], v) || (k != PLACEMENT_ACC && (w->late[k] == v || sides >> k & 1)))
                continue;
            struct placement moved = *w;
            write_to(&moved, v, k);
            try_moves(st, &moved, k == PLACEMENT_ACC ? sides : sides | 1u << k, &with, alus - 1);
        }
    }
}

/* May the value have to survive a thread switch that is not issued yet? */
static bool may_cross(const struct prover *p, uint32_t v) {
    uint64_t left = 0;
    for (unsigned w = 0; w < PROVE_MOST / 64; w++)
        left |= p->switches.word[w] & ~p->issued.word[w];
    return left && p->s->crosses[v];
}

/* Where the op can write its result. */
static unsigned result_kinds(const struct step *st, const struct m_op *op) {
    const struct m_val *val = &st->m->val[op->dst];
    unsigned kinds = val->written_in & (IN_FILES | IN_ACC);
    if (!st->moves && may_cross(st->p, op->dst))
        kinds &= IN_FILES;
    if (val->fixed >= 0)
        kinds = val->fixed >= PLACE_B ? IN_B : IN_A;
    if (op->tied == M_NO_VALUE)
        return kinds;
    kinds &= kinds_of(st->from, op->tied) | (st->from->late[PLACEMENT_A] == op->tied ? IN_A : 0) |
             (st->from->late[PLACEMENT_B] == op->tied ? IN_B : 0);
    return op->pack && !op->pm ? kinds & IN_A : kinds;
}

/* Without moves a value stays where it is. Would a later op then have to read two values from file k? */
static bool clashes(const struct placement *w, const struct prove_set *beside, unsigned k) {
    bool clash = w->late[k] != PLACEMENT_NONE && prove_has(beside, w->late[k]);
    for (unsigned i = 0; i < PROVE_MOST / 64 && !clash; i++) {
        uint64_t r4 = w->r4 / 64u == i ? 1ull << w->r4 % 64 : 0;
        clash = w->in[k].word[i] & beside->word[i] & ~r4;
    }
    return clash;
}

/* Tries all combinations of places for the results. */
static void place_results(struct step *st, struct placement *w, unsigned sides, unsigned at) {
    if (at == st->nresult || at == PLACEMENT_RESULTS) {
        if (st->alus)
            try_moves(st, w, sides, &st->ports, st->alus);
        else
            keep_if_feasible(st, w);
        return;
    }
    uint32_t v = st->maker[at]->dst;
    unsigned kinds = result_kinds(st, st->maker[at]);
    for (unsigned k = 0; k < PLACEMENT_KINDS; k++) {
        if (!(kinds >> k & 1) || (k != PLACEMENT_ACC && sides >> k & 1))
            continue;
        if (!st->moves && k != PLACEMENT_ACC && clashes(w, &st->beside[at], k))
            continue;
        struct placement placed = *w;
        if (st->uses[v])
            write_to(&placed, v, k);
        placed.result[at] = (uint8_t)v, placed.written[at] = (uint8_t)k;
        uint32_t more = hash_of_result(v, k);
        st->hash += more;
        place_results(st, &placed, k == PLACEMENT_ACC ? sides : sides | 1u << k, at + 1);
        st->hash -= more;
    }
}

/* Values that later ops read together with v. */
static void find_read_beside(const struct step *st, uint32_t v, struct prove_set *beside) {
    const struct sched *s = st->p->s;
    for (uint32_t e = s->use_first[v]; e < s->use_first[v + 1]; e++) {
        const struct m_op *op = &st->m->op[s->use[e]];
        for (unsigned i = 0; i < op->nsrc && !prove_has(&st->p->issued, s->use[e]); i++)
            if (m_reads(op, i) != M_NO_VALUE && m_reads(op, i) != v)
                prove_put(beside, m_reads(op, i));
    }
}

/* Collects the row's results and the files it writes. False: a file would be written twice, or at
 * the thread end. */
static bool collect_results(struct step *st) {
    st->sides = st->row->ends ? IN_FILES : 0; /* model_may_end */
    st->alus = 2;
    st->r4 = PLACEMENT_NONE;
    for (uint32_t r = 0; r < st->row->n; r++) {
        const struct m_op *op = &st->m->op[st->row->op[r]];
        st->alus -= op->sig == QPU_SIG_NONE;
        if (op->wside != M_SIDE_ANY) {
            if (st->sides & op->wside)
                return false;
            st->sides |= op->wside;
        }
        if (op->dst == M_NO_VALUE)
            continue;
        if (op->r4) {
            st->r4 = op->dst;
        } else if ((st->uses[op->dst] || st->m->val[op->dst].fixed >= 0) && st->nresult < PLACEMENT_RESULTS) {
            if (!st->moves)
                find_read_beside(st, op->dst, &st->beside[st->nresult]);
            st->maker[st->nresult++] = op;
        }
    }
    st->alus = st->moves ? st->alus : 0;
    return true;
}

/* Drops values without later reads. What the last instruction wrote to a file can be read from now on. */
static void advance(struct placement *w, const struct prove_set *read) {
    for (unsigned k = 0; k < 2; k++) {
        if (w->late[k] != PLACEMENT_NONE)
            prove_put(&w->in[k], w->late[k]);
        w->late[k] = PLACEMENT_NONE;
    }
    for (unsigned k = 0; k < PLACEMENT_KINDS; k++)
        for (unsigned i = 0; i < PROVE_MOST / 64; i++)
            w->in[k].word[i] &= read->word[i];
    if (w->r4 != PLACEMENT_NONE && !prove_has(read, w->r4))
        w->r4 = PLACEMENT_NONE;
}

uint64_t placement_step(const struct prover *p, const struct placement_row *row, const uint32_t *uses,
                        bool moves, const struct placements *from, struct placements *to) {
    struct step st; /* only the part of the tables that is used is cleared */
    memset(&st, 0, offsetof(struct step, hash_of));
    memset(st.index, 0, 2 * to->most * sizeof *st.index);
    st.p = p, st.m = p->s->m, st.row = row, st.uses = uses, st.moves = moves, st.to = to;
    struct placement_demand d;
    to->n = 0;
    for (uint32_t v = 0; v < st.m->nval; v++)
        st.read.word[v / 64] |= (uint64_t)(uses[v] > 0) << v % 64;
    if (!placement_ask(p, row, &d) || !collect_results(&st))
        return 1;
    for (uint32_t i = 0; i < from->n; i++) {
        st.from = &from->list[i];
        st.work++;
        if (!serve(&d, st.from, &st.ports))
            continue;
        struct placement w = from->list[i];
        advance(&w, &st.read);
        if (st.r4 != PLACEMENT_NONE) {
            if (w.r4 != PLACEMENT_NONE && w.r4 != st.r4 && kinds_of(&w, w.r4) == IN_R4)
                continue; /* r4 holds the only copy of a live value */
            w.r4 = (uint8_t)st.r4;
        }
        w.before = (uint16_t)i;
        st.hash = to->copies ? 0 : placement_hash(&w);
        w.result[0] = w.result[1] = PLACEMENT_NONE;
        place_results(&st, &w, st.sides, 0);
    }
    return st.work;
}
