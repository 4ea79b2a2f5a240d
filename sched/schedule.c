/* Ordering, pairing and register allocation in one walk.
 *
 * Requires: selected ops with their edges. Keeps: every dependence and latency; what hardware forbids inside
 * one instruction is fill.c's business. Breaks: value form; the result is finished instructions.
 *
 * A list scheduler fills one instruction at a time and gives every result its place as it is written. Orders
 * and places are decided together because on this machine they are one question: a value that is read at once
 * belongs in an accumulator, and which file another belongs in depends on what it meets at the read ports.
 * The walk is cheap, so it is made several times with different strategies, each learning lifetimes from the
 * one before; the shortest wins. */
#include "sched/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the graph
 * ------------------------------------------------------------------------------------------------------ */

static void collect_edges(struct sched *s) {
    struct mir *m = s->m;
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        if (op->dead)
            continue;
        for (unsigned k = 0; k <= op->nsrc; k++) {
            uint32_t v = k == op->nsrc ? op->tied : op->src[k].kind == M_VAL ? op->src[k].v : M_NO_VALUE;
            if (v == M_NO_VALUE || m->val[v].def == M_NO_VALUE)
                continue;
            const struct m_op *def = &m->op[m->val[v].def];
            m_add_edge(m, m->val[v].def, i, def->r4 && def->sig == QPU_SIG_NONE ? QPU_LAT_SFU : QPU_LAT_ACC,
                       false);
        }
    }
}

static bool build_graph(struct sched *s) {
    struct mir *m = s->m;
    collect_edges(s);
    s->succ_first = ir_alloc(m->arena, (m->nop + 2) * sizeof *s->succ_first);
    s->edge = ir_alloc(m->arena, (m->nedge + 1) * sizeof *s->edge);
    s->use_first = ir_alloc(m->arena, (m->nval + 2) * sizeof *s->use_first);
    s->height = ir_alloc(m->arena, (m->nop + 1) * sizeof *s->height);
    uint32_t live = 0; /* edges between live ops */
    for (uint32_t e = 0; e < m->nedge; e++)
        if (!m->op[m->edge[e].from].dead && !m->op[m->edge[e].to].dead)
            m->edge[live++] = m->edge[e];
    m->nedge = live;
    for (uint32_t e = 0; e < m->nedge; e++)
        s->succ_first[m->edge[e].from + 1]++;
    for (uint32_t i = 0; i < m->nop; i++)
        s->succ_first[i + 1] += s->succ_first[i];
    uint32_t *at = ir_alloc(m->arena, (m->nop + m->nval + 2) * sizeof *at);
    memcpy(at, s->succ_first, m->nop * sizeof *at);
    for (uint32_t e = 0; e < m->nedge; e++)
        s->edge[at[m->edge[e].from]++] = m->edge[e];
    s->nedge = m->nedge;
    /* readers by value; an operation that reads a value twice is listed twice, so that counts are reads */
    for (uint32_t i = 0; i < m->nop; i++)
        for (unsigned k = 0; !m->op[i].dead && k <= m->op[i].nsrc; k++) {
            uint32_t v = k == m->op[i].nsrc              ? m->op[i].tied
                         : m->op[i].src[k].kind == M_VAL ? m->op[i].src[k].v
                                                         : M_NO_VALUE;
            if (v != M_NO_VALUE)
                s->use_first[v + 1]++;
        }
    for (uint32_t v = 0; v < m->nval; v++) {
        m->val[v].nuse = s->use_first[v + 1];
        s->use_first[v + 1] += s->use_first[v];
    }
    s->use = ir_alloc(m->arena, (s->use_first[m->nval] + 1) * sizeof *s->use);
    memcpy(at, s->use_first, m->nval * sizeof *at);
    for (uint32_t i = 0; i < m->nop; i++)
        for (unsigned k = 0; !m->op[i].dead && k <= m->op[i].nsrc; k++) {
            uint32_t v = k == m->op[i].nsrc              ? m->op[i].tied
                         : m->op[i].src[k].kind == M_VAL ? m->op[i].src[k].v
                                                         : M_NO_VALUE;
            if (v != M_NO_VALUE)
                s->use[at[v]++] = i;
        }
    /* heights, from the end backwards in topological order */
    uint32_t *npred = ir_alloc(m->arena, (m->nop + 1) * sizeof *npred),
             *order = ir_alloc(m->arena, (m->nop + 1) * sizeof *order), n = 0;
    for (uint32_t e = 0; e < s->nedge; e++)
        npred[s->edge[e].to]++;
    for (uint32_t i = 0; i < m->nop; i++)
        if (!npred[i])
            order[n++] = i;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t e = s->succ_first[order[k]]; e < s->succ_first[order[k] + 1]; e++)
            if (!--npred[s->edge[e].to])
                order[n++] = s->edge[e].to;
    if (n != m->nop)
        return false;
    while (n--)
        for (uint32_t e = s->succ_first[order[n]]; e < s->succ_first[order[n] + 1]; e++) {
            uint32_t h = s->height[s->edge[e].to] + s->edge[e].latency;
            if (h > s->height[order[n]])
                s->height[order[n]] = h;
        }
    return true;
}

/* --- one attempt
 * ------------------------------------------------------------------------------------------------------ */

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
    s->used[0] = s->used[1] = 0;
    s->code = (struct m_code){0};
    for (uint32_t e = 0; e < s->nedge; e++)
        s->npred[s->edge[e].to]++;
    for (uint32_t v = 0; v < m->nval; v++)
        s->uses_left[v] = m->val[v].nuse, s->pins_left[v] = m->val[v].pins;
    place_begin(s);
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
        if (op->src[k].kind == M_VAL && s->available[op->src[k].v] + (op->rotate != 0) > s->t)
            return false; /* a rotated accumulator is not one written just before (guide, restrictions) */
    /* a partial or conditional write over a register needs it written, not readable: one instruction later
     * will do */
    return op->tied == M_NO_VALUE || s->m->val[op->tied].def == M_NO_VALUE || s->born[op->tied] < s->t;
}

/* Instructions from a texture request to its result as a rule, for the modelled cycles; the least is
 * QPU_LAT_TMU. */
enum { TMU_TYPICAL = 20 };

static bool is_switch(const struct m_op *op) {
    return op->sig == QPU_SIG_THRSW || op->sig == QPU_SIG_LTHRSW;
}

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
    if (is_switch(op))
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
    if (is_switch(op)) {
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
        if (!--s->npred[to])
            s->ready[s->nready++] = to;
    }
    s->left--;
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
    const struct sched_strategy *st = s->strategy;
    double p = st->height * s->height[index] - st->order * s->rank[index];
    int delta = op->dst != M_NO_VALUE && op->tied == M_NO_VALUE ? -1 : 0;
    for (unsigned k = 0; k < op->nsrc; k++)
        delta += op->src[k].kind == M_VAL && s->uses_left[op->src[k].v] == 1;
    double squeeze = st->pressure;
    unsigned room = place_free_count(s);
    if (room < 14)
        squeeze += (14 - room) * 4.0;
    p += squeeze * delta;
    if (op->flags != M_NO_VALUE)
        p += 40; /* flags are one register: done with them quickly */
    if (st->seed) {
        uint32_t h = (index + 1) * 2654435761u ^ st->seed * 2246822519u;
        h ^= h >> 15;
        p += (double)(h % 1024) / 1024.0 * 2.5;
    }
    return p;
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
        s->owner[from] = place_vacant(s, from);
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
    s->t++;
}

/* Puts the best op that fits into the instruction. `eager`: ignore latencies the hardware would wait out by
 * itself. */
static bool fill_one(struct sched *s, struct slots *w, bool eager) {
    double best = 0;
    uint32_t window = UINT32_MAX;
    bool early = place_free_count(s) < 40 || s->strategy->window, tight = place_free_count(s) < 10;
    if (s->strategy->window) {
        for (uint32_t r = 0; r < s->nready; r++)
            window = s->rank[s->ready[r]] < window ? s->rank[s->ready[r]] : window;
        window = window > UINT32_MAX - s->strategy->window ? UINT32_MAX : window + s->strategy->window;
    }
    if (eager)
        early = false;
    uint32_t at = UINT32_MAX;
    struct slots best_w = *w;
    int best_place = PLACE_NONE;
    for (uint32_t r = 0; r < s->nready; r++) {
        uint32_t i = s->ready[r];
        const struct m_op *op = &s->m->op[i];
        if ((eager ? s->hard_earliest[i] : s->earliest[i]) > s->t || !operands_available(s, op))
            continue;
        if (waits_for_switch(s, op) || s->rank[i] > window || (early && is_early(s, i)) ||
            (tight && w->any && opens(s, op)))
            continue;
        double p = priority(s, i);
        if (at != UINT32_MAX && p <= best)
            continue;
        for (int k = 0; k < 2; k++) {
            struct slots trial = *w;
            int place;
            /* what either ALU can do goes to mul first: most work is add's */
            if (op->dead || slots_try(s, &trial, i, k == 0, &place)) {
                best = p;
                at = r;
                best_w = trial;
                best_place = op->dead ? PLACE_NONE : place;
                break;
            }
        }
    }
    if (at == UINT32_MAX)
        return false;
    uint32_t i = s->ready[at];
    s->ready[at] = s->ready[--s->nready];
    *w = best_w;
    if (!w->any)
        w->loc = s->m->op[i].loc;
    w->any = true;
    commit(s, i, best_place);
    return true;
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
        if (is_switch(&s->m->op[s->ready[r]]) && s->earliest[s->ready[r]] <= s->t)
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

static bool attempt(struct sched *s) {
    begin_attempt(s);
    uint32_t idle = 0;
    while (s->left) {
        struct slots w;
        slots_begin(&w);
        s->drain = switch_is_near(s);
        while (fill_one(s, &w, false))
            ;
        while (!(w.add_used && w.mul_used) && make_room(s, &w))
            ;
        if (!w.any)
            while (fill_one(s, &w, true))
                ;
        idle = w.any ? 0 : idle + 1;
        if (idle > 16 || s->t > 20 * s->m->nop + 64)
            return false;
        finish_inst(s, &w);
    }
    return true;
}

/* --- all attempts
 * ------------------------------------------------------------------------------------------------------ */

static const struct sched_strategy strategies[] = {
    {.height = 1.0, .pressure = 0.5, .acc = 1.0},
    {.height = 1.0, .order = 0.02, .pressure = 1.0, .acc = 1.0},
    {.height = 1.0, .order = 0.1, .pressure = 2.0, .acc = 0.7},
    {.height = 0.3, .order = 0.3, .pressure = 2.0, .acc = 1.0},
    {.height = 1.0, .acc = 0.5},
    {.height = 1.0, .order = 0.05, .pressure = 0.5, .acc = 2.0, .seed = 7},
    {.height = 1.0, .pressure = 1.0, .acc = 1.0, .seed = 11},
    {.height = 1.0, .order = 0.02, .pressure = 1.0, .acc = 0.6, .seed = 23},
    {.height = 0.6, .order = 0.05, .pressure = 3.0, .acc = 1.2, .seed = 5},
    {.height = 1.0, .pressure = 0.3, .acc = 1.5, .seed = 31},
    {.height = 0.5, .order = 0.5, .pressure = 2.0, .acc = 1.0, .depth_first = true},
    {.height = 1.0, .order = 0.2, .pressure = 6.0, .acc = 1.0},
    /* for pressure that the ones above do not get under */
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .depth_first = true, .window = 100},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .depth_first = true, .window = 30},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .window = 100},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .window = 8},
    {.order = 1.0, .pressure = 2.0, .acc = 1.0, .depth_first = true, .window = 8},
    {.order = 1.0, .acc = 1.0, .depth_first = true, .window = 2},
};
enum { LAST_RESORTS = 6 };

static unsigned count_bits(uint64_t x) {
    unsigned n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static unsigned max_of(unsigned a, unsigned b) {
    return a > b ? a : b;
}

static unsigned lower_bound(const struct mir *m) {
    uint32_t add = 0, mul = 0, either = 0, stream = 0, signals = 0, coupled = 0;
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        if (op->dead)
            continue;
        if (op->sig != QPU_SIG_NONE)
            signals++;
        else if (op->add_op && op->mul_op)
            either++;
        else if (op->add_op)
            add++;
        else
            mul++;
        bool wide = op->tmu_slot != M_NO_VALUE;
        for (unsigned k = 0; k < op->nsrc; k++)
            wide |= op->src[k].kind == M_SLOT;
        stream += wide && !(op->nsrc == 2 && op->src[0].kind == M_SLOT && op->src[1].kind == M_SLOT);
        coupled += op->r4 || op->tmu_slot != M_NO_VALUE;
    }
    uint32_t bound = (add + mul + either + 1) / 2;
    bound = add > bound ? add : bound;
    bound = mul > bound ? mul : bound;
    bound = coupled > bound ? coupled : bound;
    return signals > bound ? signals : bound;
}

/* Values that some reader reads only after a switch that their own operation does not wait for. */
static void mark_crossing(struct sched *s) {
    struct mir *m = s->m;
    uint32_t *level = ir_alloc(m->arena, (m->nop + 1) * sizeof *level),
             *npred = ir_alloc(m->arena, (m->nop + 1) * sizeof *npred);
    uint32_t *order = ir_alloc(m->arena, (m->nop + 1) * sizeof *order), n = 0;
    for (uint32_t e = 0; e < s->nedge; e++)
        npred[s->edge[e].to]++;
    for (uint32_t i = 0; i < m->nop; i++)
        if (!npred[i])
            order[n++] = i;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = order[k], e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
            uint32_t to = s->edge[e].to, reach = level[i] + is_switch(&m->op[i]);
            if (reach > level[to])
                level[to] = reach;
            if (!--npred[to])
                order[n++] = to;
        }
    for (uint32_t v = 0; v < m->nval; v++)
        for (uint32_t u = s->use_first[v]; u < s->use_first[v + 1]; u++)
            m->val[v].no_acc |= m->val[v].def != M_NO_VALUE && level[s->use[u]] > level[m->val[v].def];
}

bool m_schedule(struct mir *m, struct m_code *best, uint32_t base, struct be_result *result) {
    struct sched s = {.m = m, .nregs = m->options->threads == 2 ? 16 : 32};
    *best = (struct m_code){0};
    if (!build_graph(&s)) {
        result->status = BE_INTERNAL;
        snprintf(result->message, sizeof result->message, "the dependence graph has a cycle");
        return false;
    }
    if (m->options->threads == 2)
        mark_crossing(&s);
    s.source_rank = ir_alloc(m->arena, (2 * (size_t)m->nop + 2) * sizeof *s.source_rank);
    s.depth_rank = s.source_rank + m->nop;
    for (uint32_t i = 0; i < m->nop; i++)
        s.source_rank[i] = i;
    rank_depth_first(&s, s.depth_rank);
    uint32_t *block = ir_alloc(m->arena, (5 * (size_t)m->nop + 8) * sizeof *block);
    s.npred = block, s.earliest = block + m->nop, s.hard_earliest = block + 2 * m->nop,
    s.ready = block + 3 * m->nop, s.arrival = block + 4 * m->nop;
    uint32_t *values = ir_alloc(m->arena, (6 * (size_t)m->nval + 8) * sizeof *values);
    s.available = values, s.uses_left = values + m->nval, s.born = values + 2 * m->nval,
    s.died = values + 3 * m->nval;
    uint32_t *life = values + 4 * m->nval;
    s.pins_left = values + 5 * m->nval;
    s.where = ir_alloc(m->arena, (m->nval + 1) * sizeof *s.where);
    size_t n = sizeof strategies / sizeof *strategies;
    /* enough tries for the size; past these, only until one fits: pressure may ask for the orders at the end
     */
    n = m->options->opt_level == 0 ? 1 : m->nop > 3000 ? 2 : m->nop > 1000 ? 5 : n - LAST_RESORTS;
    unsigned best_cost = UINT32_MAX, cycles = 0, used_acc = 0;
    uint64_t used[2] = {0, 0};
    bool found = false;
    for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
        if (k >= n && found)
            break;
        s.strategy = &strategies[k];
        s.rank = s.strategy->depth_first ? s.depth_rank : s.source_rank;
        bool ok = attempt(&s);
        ok = ok && m_finish(m, &s.code, base);
        unsigned cost = s.code.count * 2 + s.stall / 8;
        if (ok && cost < best_cost) {
            best_cost = cost;
            free(best->inst);
            *best = s.code;
            used[0] = s.used[0], used[1] = s.used[1], used_acc = s.used_acc;
            cycles = s.code.count + s.stall;
            found = true;
        } else {
            free(s.code.inst);
        }
        if (ok) {
            for (uint32_t v = 0; v < m->nval; v++)
                life[v] = s.died[v] > s.born[v] ? s.died[v] - s.born[v] : 1;
            s.life = life;
        }
    }
    if (!found) {
        result->status = BE_DOES_NOT_FIT;
        snprintf(result->message, sizeof result->message,
                 "more values live at once than the register files hold");
        return false;
    }
    for (int file = 0; file < 2; file++)
        used[file] |= m->flow->occupied[file][m->block->id];
    result->regs_a = max_of(result->regs_a, count_bits(used[0]));
    result->regs_b = max_of(result->regs_b, count_bits(used[1]));
    result->accumulators = max_of(result->accumulators, count_bits(used_acc));
    result->cycles += cycles;
    result->lower_bound += lower_bound(m);
    result->tmu += m->ntmu;
    result->sfu += m->nsfu;
    return true;
}
