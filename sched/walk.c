/* Ordering, pairing and register allocation in one walk: one attempt.
 *
 * Requires: the graph, a strategy. Keeps: every dependence and latency; what hardware forbids inside one
 * instruction is fill.c's business. Breaks: value form; the result is instructions without the block's end.
 *
 * A list scheduler fills one instruction at a time and gives every result its place as it is written. Orders
 * and places are decided together because on this machine they are one question: a value that is read at once
 * belongs in an accumulator, and which file another belongs in depends on what it meets at the read ports. */
#include "sched/schedule.h"

#include <string.h>

/* The stream's address for a block that is reached by branches, in the one form the kernel accepts (qpu-facts
 * 0b): an immediate into an accumulator, then added to the word that holds the stream's own address. */
static void set_stream(struct sched *s) {
    struct m_inst load = m_nop_inst(), add = m_nop_inst();
    load.q.type = QPU_LDI;
    load.q.sig = QPU_SIG_LDI;
    load.q.waddr_add = QPU_W_ACC3;
    load.q.cond_add = QPU_COND_ALWAYS;
    load.offset = true;
    add.q.op_add = QPU_A_ADD;
    add.q.add_a = QPU_MUX_R3;
    add.q.add_b = QPU_MUX_A;
    add.q.raddr_a = QPU_R_UNIF;
    add.q.cond_add = QPU_COND_ALWAYS;
    add.q.waddr_add = QPU_W_UNIF_ADDR;
    add.slot = ir_slot(s->m->shader, (struct ir_slot){.kind = IR_SLOT_STREAM, .type = IR_I32});
    load.loc = add.loc = s->m->block->first->loc;
    m_push(&s->code, load);
    m_push(&s->code, add);
    s->t = 2;
}

/* The part of an op's urgency that stays the same all through a walk. */
static void set_urgency(struct sched *s) {
    const struct sched_strategy *st = s->strategy;
    for (uint32_t i = 0; i < s->m->nop; i++) {
        double p = st->height * s->height[i] - st->order * s->rank[i] + (s->bias ? s->bias[i] : 0);
        if (s->m->op[i].flags != M_NO_VALUE)
            p += 40; /* flags are one register: done with them quickly */
        if (st->seed) {
            uint32_t h = (i + 1) * 2654435761u ^ st->seed * 2246822519u;
            h ^= h >> 15;
            p += (double)(h % 1024) / 1024.0 * 2.5;
        }
        s->urgency[i] = p;
    }
}

static void begin_attempt(struct sched *s) {
    struct mir *m = s->m;
    memset(s->npred, 0, m->nop * sizeof *s->npred);
    memset(s->earliest, 0, m->nop * sizeof *s->earliest);
    memset(s->hard_earliest, 0, m->nop * sizeof *s->hard_earliest);
    memset(s->arrival, 0, m->nop * sizeof *s->arrival);
    memset(s->where, 0xff, m->nval * sizeof *s->where);
    memset(s->available, 0, m->nval * sizeof *s->available);
    memset(s->born, 0, m->nval * sizeof *s->born);
    memset(s->died, 0, m->nval * sizeof *s->died);
    s->drain = false;
    s->switch_done = s->r5_pending = 0;
    s->nready = s->t = s->r4_free_at = s->flags_pending = s->used_acc = s->stall = s->left = 0;
    s->left_add = s->left_mul = 0;
    s->used[0] = s->used[1] = 0;
    s->code = (struct m_code){0};
    for (uint32_t e = 0; e < s->nedge; e++)
        s->npred[s->edge[e].to]++;
    for (uint32_t v = 0; v < m->nval; v++)
        s->uses_left[v] = m->val[v].nuse, s->pins_left[v] = m->val[v].pins;
    place_begin(s);
    set_urgency(s);
    s->stream_from = m->no_stream ? UINT32_MAX : 0;
    if (m->reset) {
        set_stream(s);
        s->stream_from =
            s->t + 2; /* guide section 3: two instructions between the address and the first read */
    }
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        if (op->dead)
            continue;
        s->left++;
        s->left_add += op->add_op && !op->mul_op;
        s->left_mul += op->mul_op && !op->add_op;
        /* neither the tile buffer nor the texture units in the first two instructions (guide "Summary of
         * Instruction Restrictions"; qpu-facts section 8, HW-2615) */
        if (!m->entry)
            ;
        else if (op->tmu_slot != M_NO_VALUE ||
                 (op->waddr >= QPU_W_TLB_STENCIL && op->waddr <= QPU_W_TLB_ALPHA_MASK) ||
                 op->sig == QPU_SIG_LOADC)
            s->hard_earliest[i] = s->earliest[i] = 2;
        if (!s->npred[i])
            s->ready[s->nready++] = i;
    }
}

static bool operands_available(const struct sched *s, const struct m_op *op) {
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].kind == M_VAL && s->available[op->src[k].v] + (op->rotate != 0) > s->t &&
            (op->rotate || !sched_on_port(s, &op->src[k])))
            return false; /* a rotated accumulator is not one written just before (guide, restrictions) */
    /* a partial or conditional write over a register needs it written, not readable: one instruction later
     * will do */
    return op->tied == M_NO_VALUE ||
           s->available[op->tied] <= s->t + (place_is_acc(s->where[op->tied]) ? 0 : QPU_LAT_REGFILE - 1);
}

/* Instructions from a texture request to its result as a rule, for the modelled cycles; the least is
 * QPU_LAT_TMU. */
enum { TMU_TYPICAL = 20 };

/* Whether the sum that takes this varying's coefficient out of r5 is still there (it may be dead). */
static bool reads_r5_later(const struct sched *s, uint32_t index) {
    uint32_t v = s->m->op[index].dst;
    if (v == M_NO_VALUE)
        return false;
    for (uint32_t u = s->use_first[v]; u < s->use_first[v + 1]; u++)
        if (s->m->op[s->use[u]].nsrc == 2 && s->m->op[s->use[u]].src[1].kind == M_R5)
            return true;
    return false;
}

/* Accumulators, r4, r5 and flags do not survive a switch (qpu-facts section 9): it can start when they are
 * empty. */
static bool may_switch(const struct sched *s) {
    for (int p = PLACE_ACC; p <= PLACE_R4; p++)
        if (s->owner[p] != M_NO_VALUE)
            return false;
    return !s->flags_pending && !s->r5_pending && s->t >= s->switch_done;
}

/* Before a switch nothing may start that would still be under way when it comes. */
static bool waits_for_switch(const struct sched *s, const struct m_op *op) {
    if (m_is_switch(op))
        return !may_switch(s);
    return s->drain && (op->r4 || op->sf || op->reads_vary);
}

static void commit(struct sched *s, uint32_t index, int place) {
    struct mir *m = s->m;
    const struct m_op *op = &m->op[index];
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].kind == M_VAL)
            place_read(s, op->src[k].v);
    if (op->tied != M_NO_VALUE)
        place_read(s, op->tied);
    for (unsigned k = 0; op->pin && k < op->nsrc; k++)
        if (op->src[k].unpack)
            s->pins_left[op->src[k].v]--;
    if (op->flags != M_NO_VALUE)
        s->flags_pending--;
    if (op->dst != M_NO_VALUE) {
        s->born[op->dst] = s->t;
        uint32_t latency = place == PLACE_R4     ? (op->sig == QPU_SIG_NONE ? QPU_LAT_SFU : 1)
                           : place_is_acc(place) ? QPU_LAT_ACC
                                                 : QPU_LAT_REGFILE;
        place_take(s, op->dst, place, s->t + latency);
    }
    if (s->arrival[index] > s->t + s->stall)
        s->stall = s->arrival[index] - s->t;
    for (uint32_t k = op->first_member; k; k = m->op[k - 1].next_member)
        s->flags_pending += !m->op[k - 1].dead;
    s->r5_pending += op->reads_vary && reads_r5_later(s, index);
    s->r5_pending -= op->nsrc == 2 && op->src[1].kind == M_R5;
    if (m_is_switch(op)) {
        s->switch_done = s->t + QPU_THREAD_SLOTS + 1;
        s->drain = true;
    }
    if (op->r4 && op->sig == QPU_SIG_NONE)
        s->r4_free_at = s->t + QPU_LAT_SFU;
    for (uint32_t e = s->succ_first[index]; e < s->succ_first[index + 1]; e++) {
        uint32_t to = s->edge[e].to, when = s->t + s->edge[e].latency,
                 hard = s->edge[e].soft ? s->t + 1 : when;
        if (when > s->earliest[to])
            s->earliest[to] = when;
        if (hard > s->hard_earliest[to])
            s->hard_earliest[to] = hard;
        if (s->edge[e].soft)
            s->arrival[to] = s->t + s->stall + TMU_TYPICAL;
        if (!--s->npred[to]) {
            s->ready[s->nready++] = to;
            if (s->hard_earliest[to] <= s->t)
                s->fresh[s->nfresh++] = to;
        }
    }
    s->left--;
    s->left_add -= op->add_op && !op->mul_op;
    s->left_mul -= op->mul_op && !op->add_op;
}

/* An op that reads no value only fills a register: it is let in when a reader waits for nothing else (or for
 * flags that wait for it in turn), not whenever an ALU is idle. */
static bool is_early(const struct sched *s, uint32_t index) {
    const struct m_op *op = &s->m->op[index];
    if (op->dst == M_NO_VALUE || op->tied != M_NO_VALUE || op->reads_vary || op->reads_vpm ||
        op->sig != QPU_SIG_NONE || op->flags != M_NO_VALUE)
        return false;
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].kind == M_VAL)
            return false;
    for (uint32_t u = s->use_first[op->dst]; u < s->use_first[op->dst + 1]; u++) {
        const struct m_op *reader = &s->m->op[s->use[u]];
        uint32_t own = 1;
        if (reader->flags != M_NO_VALUE)
            own += s->npred[reader->flags] <= 2;
        if (s->npred[s->use[u]] <= own + 1)
            return false;
    }
    return s->m->val[op->dst].fixed < 0 && s->use_first[op->dst] != s->use_first[op->dst + 1];
}

/* Makes a value and ends none. */
static bool opens(const struct sched *s, const struct m_op *op) {
    if (op->dst == M_NO_VALUE || op->tied != M_NO_VALUE)
        return false;
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->src[k].kind == M_VAL && s->uses_left[op->src[k].v] == 1)
            return false;
    return true;
}

static double priority(const struct sched *s, uint32_t index) {
    const struct m_op *op = &s->m->op[index];
    double squeeze = s->strategy->pressure + (s->room < 14 ? (14 - s->room) * 4.0 : 0);
    if (squeeze <= 0)
        return s->urgency[index];
    int delta = op->dst != M_NO_VALUE && op->tied == M_NO_VALUE ? -1 : 0;
    for (unsigned k = 0; k < op->nsrc; k++)
        delta += op->src[k].kind == M_VAL && s->uses_left[op->src[k].v] == 1;
    return s->urgency[index] + squeeze * delta;
}

/* The operand that has to move before `op` can issue at all: two of one file, or a result stuck in r4. */
static uint32_t in_the_way(const struct sched *s, const struct m_op *op, bool *to_a) {
    *to_a = false;
    if (op->r4 && s->owner[PLACE_R4] != M_NO_VALUE) {
        uint32_t v = s->owner[PLACE_R4];
        if (s->available[v] <= s->t) {
            *to_a = s->m->val[v].must_a;
            return v;
        }
        return M_NO_VALUE;
    }
    if (op->dst != M_NO_VALUE && s->m->val[op->dst].fixed >= 0 && op->tied == M_NO_VALUE) {
        uint32_t v = s->owner[s->m->val[op->dst].fixed];
        bool own = false;
        for (unsigned k = 0; k < op->nsrc; k++)
            own |= op->src[k].kind == M_VAL && op->src[k].v == v;
        if (v < PLACE_KEPT && !own && s->m->val[v].start != s->m->val[op->dst].fixed)
            return v; /* lodges in a home that is to be written */
    }
    if (op->rotate && !place_is_acc(s->where[op->src[0].v]))
        return op->src[0].v;
    if (op->tied != M_NO_VALUE && s->where[op->tied] == PLACE_R4) {
        *to_a = op->pack && !op->pm;
        return op->tied;
    }
    if (op->nsrc == 2 && op->src[0].kind == M_VAL && op->src[1].kind == M_VAL &&
        op->src[0].v != op->src[1].v) {
        int p = s->where[op->src[0].v], q = s->where[op->src[1].v];
        bool clash = (place_in_a(p) && place_in_a(q)) || (place_in_b(p) && place_in_b(q));
        if (clash) {
            const struct m_src *moves =
                op->src[0].unpack || s->m->val[op->src[0].v].must_a ? &op->src[1] : &op->src[0];
            if (s->m->val[moves->v].anchored)
                moves = moves == &op->src[0] ? &op->src[1] : &op->src[0];
            if (s->m->val[moves->v].must_a && !op->src[0].unpack != !op->src[1].unpack)
                moves = op->src[0].unpack ? &op->src[1] : &op->src[0];
            return moves->v;
        }
    }
    for (unsigned k = 0; k < op->nsrc; k++) {
        const struct m_src *a = &op->src[k], *b = &op->src[op->nsrc - 1 - k];
        if (op->nsrc == 2 && a->kind == M_VAL && b->kind == M_READ &&
            ((b->side == M_SIDE_A && place_in_a(s->where[a->v])) ||
             (b->side == M_SIDE_B && place_in_b(s->where[a->v]))))
            return a->v;
    }
    for (unsigned k = 0; k < op->nsrc; k++)
        if (op->nsrc == 2 && op->src[k].kind == M_VAL && place_in_b(s->where[op->src[k].v]) &&
            op->src[1 - k].kind == M_IMM && (s->t < s->stream_from || op->small_imm_only))
            return op->src[k].v;
    /* unpacking regfile A and packing on the way out of the mul ALU exclude each other: not selected */
    return M_NO_VALUE;
}

/* Moves `value` out of the way in this instruction, if an ALU and a place are free. */
static bool relocate(struct sched *s, struct slots *w, uint32_t value, bool to_a) {
    if (s->available[value] > s->t || s->pins_left[value] || s->m->val[value].anchored)
        return false;
    int from = s->where[value];
    unsigned sides = w->ws < 0     ? M_SIDE_ANY
                     : w->add_used ? (w->ws ? M_SIDE_A : M_SIDE_B)
                                   : (w->ws ? M_SIDE_B : M_SIDE_A);
    if (place_in_a(from))
        sides &= ~(unsigned)M_SIDE_A;
    if (place_in_b(from))
        sides &= ~(unsigned)M_SIDE_B;
    /* its readers that unpack it would have to unpack the copy: only file A and r4 can */
    bool must_a = s->m->val[value].must_a;
    if (must_a && place_in_a(from)) {
        for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++)
            for (unsigned k = 0; k < s->m->op[s->use[u]].nsrc; k++)
                if (s->npred[s->use[u]] != UINT32_MAX && s->m->op[s->use[u]].src[k].kind == M_VAL &&
                    s->m->op[s->use[u]].src[k].v == value && s->m->op[s->use[u]].src[k].unpack)
                    return false;
        s->m->val[value].must_a = false;
    }
    /* a copy: what other blocks read stays where it was written */
    struct m_val *val = &s->m->val[value];
    int16_t fixed = val->fixed;
    bool into_a = to_a || (must_a && !place_in_a(from));
    val->fixed = -1;
    if (into_a)
        val->must_a = true;
    int place = place_choose(s, value, sides, into_a);
    val->fixed = fixed;
    bool ok = place != PLACE_NONE && slots_try_move(s, w, value, place);
    if (ok) {
        place_own(s, from, place_vacant(s, from));
        place_take(s, value, place, s->t + (place_is_acc(place) ? QPU_LAT_ACC : QPU_LAT_REGFILE));
        w->any = true;
    }
    s->m->val[value].must_a = must_a;
    return ok;
}

static void b_to_a(uint8_t *mux) {
    *mux = *mux == QPU_MUX_B ? QPU_MUX_A : *mux;
}

static void finish_inst(struct sched *s, struct slots *w) {
    /* addresses that both files have read through A when it is free: the form the assembler writes */
    if (!w->b_imm && w->a_addr < 0 &&
        (w->b_addr == QPU_R_UNIF || w->b_addr == QPU_R_VARY || w->b_addr == QPU_R_VPM) &&
        !(w->q.unpack && w->pm == 0)) {
        w->a_addr = w->b_addr;
        w->b_addr = -1;
        b_to_a(&w->q.add_a), b_to_a(&w->q.add_b), b_to_a(&w->q.mul_a), b_to_a(&w->q.mul_b);
    }
    if (w->ws < 0 && w->pm > 0 && w->q.pack)
        w->ws = 1;
    struct m_inst inst = {
        .q = w->q, .slot = w->tmu_stream ? w->tmu_slot : w->slot, .loc = w->loc, .target = -1};
    if (w->a_addr >= 0)
        inst.q.raddr_a = (uint8_t)w->a_addr;
    if (w->b_addr >= 0)
        inst.q.raddr_b = (uint8_t)w->b_addr;
    if (w->b_imm)
        inst.q.sig = QPU_SIG_SMALL_IMM;
    inst.q.ws = w->ws > 0;
    inst.q.pm = w->pm > 0;
    m_push(&s->code, inst);
    if (s->late != PLACE_NONE)
        place_own(s, s->late, place_vacant(s, s->late));
    s->late = PLACE_NONE;
    s->t++;
}

/* Is the ALU that the op needs taken, or the stream's word? (slots_try would find out, at some cost.) */
static bool is_taken(const struct sched *s, const struct slots *w, uint32_t i) {
    const struct m_op *op = &s->m->op[i];
    if (op->sig != QPU_SIG_NONE || op->dead)
        return false;
    uint32_t word = s->word[i];
    return ((w->add_used || !op->add_op) && (w->mul_used || !op->mul_op)) ||
           (word != M_NO_VALUE && (w->tmu_stream || (w->slot != M_NO_VALUE && w->slot != word)));
}

/* May the op go into this instruction as far as time is concerned, and should it? */
static bool is_candidate(const struct sched *s, const struct slots *w, uint32_t i, bool eager,
                         uint32_t window) {
    const struct m_op *op = &s->m->op[i];
    if (is_taken(s, w, i))
        return false;
    if ((eager ? s->hard_earliest[i] : s->earliest[i]) > s->t || !operands_available(s, op))
        return false;
    /* what reads the flags that are set is never too far ahead: others wait for the flags */
    if (waits_for_switch(s, op) || (s->rank[i] > window && op->flags == M_NO_VALUE))
        return false;
    if (!eager && (s->room < 40 || s->strategy->window) && is_early(s, i))
        return false;
    return !(s->room < 10 && w->any && opens(s, op));
}

/* The last rank to look at. */
static uint32_t window_of(const struct sched *s) {
    uint32_t first = UINT32_MAX;
    if (!s->strategy->window)
        return first;
    for (uint32_t r = 0; r < s->nready; r++)
        first = s->rank[s->ready[r]] < first ? s->rank[s->ready[r]] : first;
    return first > UINT32_MAX - s->strategy->window ? UINT32_MAX : first + s->strategy->window;
}

static bool take(struct sched *s, struct slots *w, uint32_t i) {
    const struct m_op *op = &s->m->op[i];
    int place = PLACE_NONE;
    /* what either ALU can do goes to the one that has less work of its own */
    bool mul = s->left_add >= s->left_mul;
    if (!op->dead && !slots_try(s, w, i, mul, &place) && !slots_try(s, w, i, !mul, &place))
        return false;
    uint32_t at = 0;
    while (s->ready[at] != i)
        at++;
    s->ready[at] = s->ready[--s->nready];
    if (!w->any)
        w->loc = op->loc;
    w->any = true;
    commit(s, i, op->dead ? PLACE_NONE : place);
    return true;
}

/* Puts what fits into the instruction, by falling priority; each op is tried once. `eager`: ignore latencies
 * the hardware would wait out by itself. */
static void fill(struct sched *s, struct slots *w, bool eager) {
    uint32_t window = window_of(s), n = 0;
    for (uint32_t r = 0; r < s->nready; r++)
        if (is_candidate(s, w, s->ready[r], eager, window))
            s->candidate[n++] = (struct sched_candidate){priority(s, s->ready[r]), s->ready[r]};
    while (n) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < n; k++)
            if (s->candidate[k].priority > s->candidate[best].priority)
                best = k;
        uint32_t i = s->candidate[best].op;
        s->candidate[best] = s->candidate[--n];
        s->nfresh = 0;
        if (!take(s, w, i))
            continue;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < n; k++)
            if (is_candidate(s, w, s->candidate[k].op, eager, window)) {
                s->candidate[kept].op = s->candidate[k].op;
                s->candidate[kept].priority = priority(s, s->candidate[k].op);
                kept++;
            }
        n = kept;
        for (uint32_t k = 0; k < s->nfresh; k++)
            if (is_candidate(s, w, s->fresh[k], eager, window))
                s->candidate[n++] = (struct sched_candidate){priority(s, s->fresh[k]), s->fresh[k]};
    }
}

/* Empties accumulators and r4 before a switch. */
static bool clear_accumulators(struct sched *s, struct slots *w) {
    for (int p = PLACE_ACC; p <= PLACE_R4; p++)
        if (s->owner[p] != M_NO_VALUE && relocate(s, w, s->owner[p], s->m->val[s->owner[p]].must_a))
            return true;
    return false;
}

/* Is a switch waiting only for the registers to be empty? */
static bool switch_is_near(const struct sched *s) {
    for (uint32_t r = 0; r < s->nready; r++)
        if (m_is_switch(&s->m->op[s->ready[r]]) && s->earliest[s->ready[r]] <= s->t)
            return true;
    return s->t < s->switch_done;
}

static bool make_room(struct sched *s, struct slots *w) {
    if (s->drain && clear_accumulators(s, w))
        return true;
    double best = 0;
    uint32_t value = M_NO_VALUE;
    bool to_a = false;
    for (uint32_t r = 0; r < s->nready; r++) {
        uint32_t i = s->ready[r];
        if (s->earliest[i] > s->t)
            continue;
        bool a;
        uint32_t v = in_the_way(s, &s->m->op[i], &a);
        if (v == M_NO_VALUE || s->available[v] > s->t || s->where[v] == PLACE_NONE)
            continue;
        double p = priority(s, i);
        if (value == M_NO_VALUE || p > best)
            best = p, value = v, to_a = a;
    }
    return value != M_NO_VALUE && relocate(s, w, value, to_a);
}

bool sched_walk(struct sched *s) {
    begin_attempt(s);
    uint32_t idle = 0;
    while (s->left) {
        struct slots w;
        slots_begin(&w);
        s->drain = switch_is_near(s);
        fill(s, &w, false);
        while (!(w.add_used && w.mul_used) && make_room(s, &w))
            fill(s, &w, false); /* what the way is free for now need not wait */
        if (!w.any)
            fill(s, &w, true);
        idle = w.any ? 0 : idle + 1;
        if (idle > 16 || s->t > 20 * s->m->nop + 64)
            return false;
        finish_inst(s, &w);
    }
    return true;
}
