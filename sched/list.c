/* Ordering, pairing and register allocation at once: one list-scheduling run.
 *
 * Requires: what start.c made, a strategy. Keeps: every dependence and latency; what hardware forbids inside
 * one instruction is fill.c's business. Breaks: value form; the result is instructions without the block's
 * end.
 *
 * A list scheduler fills one instruction at a time and gives every result its place as it is written. Orders
 * and places are decided together because on this machine they are one question: a value that is read at once
 * belongs in an accumulator, and which file another belongs in depends on what it meets at the read ports. */
#include "sched/schedule.h"

#include <stdlib.h>
#include <string.h>

/* The stream's address for a block that is reached by branches, in the one form the kernel accepts
 * (docs/hardware.md, Kernel): an immediate into an accumulator, then added to the word that holds the
 * stream's own address. */
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
    s->t = MODEL_RESET;
}

/* The part of an op's priority that stays the same all through an attempt. */
static void set_base_priorities(struct sched *s) {
    const struct sched_strategy *st = s->strategy;
    for (uint32_t i = 0; i < s->m->nop; i++) {
        double p = st->height * s->height[i] - st->order * s->rank[i] + (s->bias ? s->bias[i] : 0);
        if (s->op[i].traits & T_CONDITION)
            p += s->weights->flags;
        if (s->op[i].traits & T_STREAM)
            p += st->stream;
        if (s->op[i].traits & (T_TMU | T_DIRECT))
            p += st->tmu;
        if (st->seed) {
            uint32_t h = (i + 1) * 2654435761u ^ st->seed * 2246822519u;
            h ^= h >> 15;
            p += (double)(h % 1024) / 1024.0 * s->weights->spread;
        }
        s->base_priority[i] = p;
    }
}

static int by_priority(const void *a, const void *b) {
    const struct sched_ready *x = a, *y = b;
    return x->base_priority != y->base_priority
               ? (x->base_priority < y->base_priority) - (x->base_priority > y->base_priority)
               : (x->op > y->op) - (x->op < y->op);
}

void sched_list_begin(struct sched *s) {
    struct mir *m = s->m;
    memcpy(s->wait, s->first_wait, (m->nop + 1) * sizeof *s->wait);
    memcpy(s->value, s->first_value, (m->nval + 1) * sizeof *s->value);
    memcpy(s->ready, s->first_ready, s->nfirst_ready * sizeof *s->ready);
    s->places = s->first_places;
    s->nready = s->nfirst_ready;
    s->left = s->nlive, s->left_add = s->nadd, s->left_mul = s->nmul, s->left_stream = s->nstream;
    s->drain = false;
    s->idle = s->skips = 0;
    s->issued = 0;
    s->t = s->switch_done = s->r4_free_at = s->flags_pending = s->r5_pending = 0;
    s->stall = 0;
    s->code = (struct m_code){0};
    set_base_priorities(s);
    for (uint32_t r = 0; r < s->nready; r++)
        s->ready[r].base_priority = s->base_priority[s->ready[r].op];
    qsort(s->ready, s->nready, sizeof *s->ready, by_priority);
    s->pass = 0;
    s->stream_from = m->no_stream ? UINT32_MAX : 0;
    if (m->reset) {
        set_stream(s);
        s->stream_from = s->t + MODEL_STREAM_SET;
    }
}

#define NOTHING UINT32_MAX

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

/* Accumulators, r4, r5 and flags do not survive a switch (docs/hardware.md, Threads): it can start when they
 * are empty. */
static bool may_switch(const struct sched *s) {
    for (int p = PLACE_ACC; p <= PLACE_R4; p++)
        if (s->places.owner[p] != M_NO_VALUE)
            return false;
    return !s->flags_pending && !s->r5_pending && s->t >= s->switch_done;
}

/* Before a switch nothing may start that would not be done when it comes. */
static bool waits_for_switch(const struct sched *s, uint32_t traits) {
    if (traits & T_SWITCH)
        return !may_switch(s);
    return s->drain && traits & T_RESTLESS;
}

static uint32_t latest(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* The register of its file, or -1 when that is another; marks a clash with one that is read already. */
static int8_t read_from(struct sched_wait *w, int8_t before, int place, bool in_file) {
    if (!in_file)
        return before;
    w->clash |= before >= 0 && before != (place & 31);
    return (int8_t)(place & 31);
}

void sched_settle(struct sched *s, uint32_t index, struct sched_ready *ready) {
    const struct m_op *op = &s->m->op[index];
    const struct sched_op *o = &s->op[index];
    struct sched_wait *w = &s->wait[index];
    uint32_t all = 0, off_port = 0;
    w->a = w->b = -1;
    w->clash = false;
    for (unsigned k = 0; k < 2; k++) {
        if (o->src[k] == s->m->nval)
            continue;
        const struct sched_value *value = &s->value[o->src[k]];
        uint32_t from = model_operand_from(value->available, o->traits);
        all = latest(all, from);
        if (from <= s->t || o->traits & T_ROTATES || !sched_on_port(s, &op->src[k]))
            off_port = latest(off_port, from);
        w->a = read_from(w, w->a, value->where, place_in_a(value->where));
        w->b = read_from(w, w->b, value->where, place_in_b(value->where));
    }
    if (o->tied != s->m->nval) { /* a partial or conditional write */
        const struct sched_value *value = &s->value[o->tied];
        uint32_t from = model_overwrite_from(value->available, value->where);
        all = latest(all, from), off_port = latest(off_port, from);
    }
    w->ported = all > s->t && off_port <= s->t;
    if (w->ported) { /* settled again when the instruction is full */
        all = off_port;
        w->a = w->b = -1;
        w->clash = false;
        s->ported = true;
    }
    ready->from = latest(w->earliest, all);
    ready->hard = latest(w->hard, all);
}

void sched_make_ready(struct sched *s, uint32_t index) {
    uint32_t at = s->nready++;
    double base_priority = s->base_priority[index];
    for (; at && s->ready[at - 1].base_priority < base_priority; at--)
        s->ready[at] = s->ready[at - 1];
    s->ready[at] =
        (struct sched_ready){.base_priority = base_priority, .op = index, .traits = s->op[index].traits};
    sched_settle(s, index, &s->ready[at]);
}

void sched_settle_readers(struct sched *s, uint32_t value) {
    for (uint32_t r = 0; r < s->nready; r++) {
        const struct sched_op *o = &s->op[s->ready[r].op];
        if (o->src[0] == value || o->src[1] == value || o->tied == value)
            sched_settle(s, s->ready[r].op, &s->ready[r]);
    }
}

/* What no port feeds any more. */
static void settle_ported(struct sched *s) {
    for (uint32_t r = 0; r < s->nready && s->ported; r++)
        if (s->wait[s->ready[r].op].ported)
            sched_settle(s, s->ready[r].op, &s->ready[r]);
    s->ported = false;
}

static void release_successors(struct sched *s, uint32_t index) {
    for (uint32_t e = s->succ_first[index]; e < s->succ_first[index + 1]; e++) {
        const struct m_edge *edge = &s->edge[e];
        struct sched_wait *w = &s->wait[edge->to];
        uint32_t when = s->t + edge->latency;
        w->earliest = latest(w->earliest, when);
        w->hard = latest(w->hard, edge->soft ? s->t + 1 : when);
        if (edge->soft)
            w->arrival = s->t + s->stall + MODEL_TMU_TYPICAL;
        if (!--w->npred)
            sched_make_ready(s, edge->to);
    }
}

static void commit(struct sched *s, uint32_t index, int place) {
    struct mir *m = s->m;
    const struct m_op *op = &m->op[index];
    const struct sched_op *o = &s->op[index];
    for (unsigned k = 0; k < 2; k++)
        if (o->src[k] != m->nval)
            place_read(s, o->src[k]);
    if (o->tied != m->nval)
        place_read(s, o->tied);
    if (op->pinned_to != M_NO_VALUE)
        s->value[op->pinned_to].pins_left--;
    if (o->traits & T_CONDITION)
        s->flags_pending--;
    if (o->dst != m->nval) {
        s->value[o->dst].born = s->t;
        place_take(s, o->dst, place, s->t + model_latency(op, place));
    }
    if (s->wait[index].arrival > s->t + s->stall)
        s->stall = s->wait[index].arrival - s->t;
    for (uint32_t k = op->first_member; k; k = m->op[k - 1].next_member)
        s->flags_pending += !m->op[k - 1].dead;
    s->r5_pending += op->reads_vary && reads_r5_later(s, index);
    s->r5_pending -= op->nsrc == 2 && op->src[1].kind == M_R5;
    if (o->traits & T_SWITCH) {
        s->switch_done = s->t + MODEL_SWITCH;
        s->drain = true;
    }
    if (op->r4 && op->sig == QPU_SIG_NONE) /* section 3: what else writes r4 waits as its readers do */
        s->r4_free_at = s->t + model_latency(op, PLACE_R4);
    s->left--;
    s->issued += (index + 1) * 0x9e3779b97f4a7c15u;
    s->left_stream -= !!(o->traits & T_STREAM);
    s->left_add -= !!(o->traits & T_ADD_ONLY);
    s->left_mul -= !!(o->traits & T_MUL_ONLY);
    release_successors(s, index);
}

/* An op that reads no value only fills a register: it is let in when a reader waits for nothing else (or for
 * flags that wait for it in turn), not whenever an ALU is idle. */
static bool is_early(const struct sched *s, uint32_t value) {
    for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++) {
        uint32_t flags = s->m->op[s->use[u]].flags, own = 1;
        if (flags != M_NO_VALUE)
            own += s->wait[flags].npred <= 2;
        if (s->wait[s->use[u]].npred <= own + 1)
            return false;
    }
    return true;
}

/* Values that the op ends. */
static int ends(const struct sched *s, const struct sched_op *o) {
    return (s->value[o->src[0]].uses_left == 1) + (s->value[o->src[1]].uses_left == 1);
}

/* What a place is worth now. */
static double squeeze_of(const struct sched *s) {
    double missing = s->weights->scarce_below - s->places.room;
    return s->strategy->pressure + (missing > 0 ? missing * s->weights->scarce_more : 0);
}

/* Places that the op frees, less the one that it takes. */
static int frees(const struct sched *s, uint32_t index) {
    return ends(s, &s->op[index]) - !!(s->op[index].traits & T_MAKES);
}

double sched_priority(const struct sched *s, uint32_t index) {
    return s->base_priority[index] + squeeze_of(s) * frees(s, index);
}

static void finish_inst(struct sched *s, struct slots *w) {
    m_push(&s->code, slots_end(w));
    if (s->places.late != PLACE_NONE)
        place_own(s, s->places.late, place_vacant(s, s->places.late));
    s->places.late = PLACE_NONE;
    s->t++;
    settle_ported(s);
}

/* May the op go into this instruction as far as can be said cheaply, and should it? */
static bool is_candidate(const struct sched *s, const struct slots *w, uint32_t i, bool eager,
                         uint32_t window) {
    const struct sched_op *o = &s->op[i];
    if (o->word != w->slot && o->word != M_NO_VALUE && w->slot != M_NO_VALUE)
        return false;
    if (!slots_find_ports(w, &s->wait[i], o->word))
        return false;
    /* what reads the flags that are set is never too far ahead: others wait for the flags */
    if (waits_for_switch(s, o->traits) || (s->rank[i] > window && !(o->traits & T_CONDITION)))
        return false;
    if (!eager && o->traits & T_FILLS && (s->places.room < s->weights->fill_above || s->strategy->window) &&
        is_early(s, o->dst))
        return false;
    /* short of places, nothing that only takes one goes beside another */
    return !(s->places.room < s->weights->alone_below && w->any && o->traits & T_MAKES && !ends(s, o));
}

/* The last rank to look at. */
static uint32_t window_of(const struct sched *s) {
    uint32_t first = UINT32_MAX;
    if (!s->strategy->window)
        return first;
    for (uint32_t r = 0; r < s->nready; r++)
        first = s->rank[s->ready[r].op] < first ? s->rank[s->ready[r].op] : first;
    return first > UINT32_MAX - s->strategy->window ? UINT32_MAX : first + s->strategy->window;
}

/* Tries the ALUs that can do it; what either can goes to the one that has less work of its own. */
static bool try_alus(struct sched *s, struct slots *w, uint32_t i, int *place) {
    uint32_t traits = s->op[i].traits;
    bool add = !w->add_used && !(traits & T_MUL_ONLY), mul = !w->mul_used && !(traits & T_ADD_ONLY);
    bool first = add && mul ? s->left_add >= s->left_mul : mul;
    return slots_try(s, w, i, first, place) || (add && mul && slots_try(s, w, i, !first, place));
}

static bool take(struct sched *s, struct slots *w, uint32_t at) {
    int place = PLACE_NONE;
    uint32_t i = s->ready[at].op;
    if (s->ready[at].traits & T_SIGNAL ? !slots_try(s, w, i, false, &place) : !try_alus(s, w, i, &place))
        return false;
    s->nready--;
    memmove(&s->ready[at], &s->ready[at + 1], (s->nready - at) * sizeof *s->ready);
    if (!w->any)
        w->loc = s->m->op[i].loc;
    w->any = true;
    commit(s, i, place);
    return true;
}

/* Candidates that a pick has seen and not chosen yet, one queue for each number of places that an op frees
 * (-1 to 2): what is first in its queue has the highest priority there. They hold until an op is taken. */
enum { LEAST_FREED = -1, MOST_FREED = 2, QUEUES = MOST_FREED - LEAST_FREED + 1 };
struct candidates {
    uint32_t seen; /* so many of the ready list have been looked at */
    uint32_t first[QUEUES], last[QUEUES];
};

static const struct candidates no_candidates = {.first = {NOTHING, NOTHING, NOTHING, NOTHING}};

/* Takes the op of highest priority that may go into the instruction from the candidates: an index of the
 * ready list. Of equals it is the one that comes first there. */
static uint32_t pick(struct sched *s, const struct slots *w, bool eager, uint32_t window,
                     struct candidates *c) {
    double squeeze = squeeze_of(s), best = 0;
    uint32_t at = NOTHING;
    int from = 0;
    for (int q = 0; q < QUEUES; q++) {
        uint32_t r = c->first[q];
        if (r == NOTHING)
            continue;
        double priority = s->ready[r].base_priority + squeeze * (q + LEAST_FREED);
        if (at == NOTHING || priority > best || (priority == best && r < at))
            at = r, best = priority, from = q;
    }
    for (; c->seen < s->nready; c->seen++, s->visits++) {
        struct sched_ready *ready = &s->ready[c->seen];
        if (at != NOTHING && ready->base_priority + squeeze * MOST_FREED <= best)
            break;
        if ((eager ? ready->hard : ready->from) > s->t || ready->traits & w->refused ||
            ready->tried == s->pass || !is_candidate(s, w, ready->op, eager, window))
            continue;
        int freed = frees(s, ready->op), q = freed - LEAST_FREED;
        uint32_t *link = c->first[q] == NOTHING ? &c->first[q] : &s->ready[c->last[q]].next;
        *link = c->last[q] = c->seen;
        ready->next = NOTHING;
        double priority = ready->base_priority + squeeze * freed;
        if (at == NOTHING || priority > best)
            at = c->seen, best = priority, from = q;
    }
    if (at != NOTHING)
        c->first[from] = s->ready[at].next;
    return at;
}

/* Puts what fits into the instruction, by falling priority; each op is tried once. `eager`: ignore latencies
 * the hardware would wait out by itself. */
static void fill(struct sched *s, struct slots *w, bool eager) {
    struct candidates c = no_candidates;
    uint32_t window = window_of(s), at;
    s->pass++;
    while ((at = pick(s, w, eager, window, &c)) != NOTHING) {
        bool skip = s->skips & 1;
        s->skips >>= 1;
        if (!skip && take(s, w, at))
            c = no_candidates;
        else
            s->ready[at].tried = s->pass;
    }
}

/* Is a switch waiting only for the registers to be empty? */
static bool switch_is_near(const struct sched *s) {
    if (s->m->threads == 1)
        return false;
    for (uint32_t r = 0; r < s->nready; r++)
        if (s->ready[r].traits & T_SWITCH && s->wait[s->ready[r].op].earliest <= s->t)
            return true;
    return s->t < s->switch_done;
}

/* An instruction's work: what was looked at for it, and as much again for what is done once. */
static bool account(struct sched *s) {
    enum { EACH = 16 };
    uint64_t amount = EACH + (s->visits + s->nready) / 8;
    s->visits = 0;
    if (!s->searching)
        return ir_work(s->m->arena, amount);
    ir_search(s->m->arena, amount);
    return ir_search_left(s->m->arena) > 0;
}

bool sched_list_step(struct sched *s) {
    struct slots w;
    slots_begin(s, &w);
    s->drain = switch_is_near(s);
    fill(s, &w, false);
    while (!(w.add_used && w.mul_used) && sched_make_room(s, &w))
        fill(s, &w, false); /* what can go in now need not wait */
    if (!w.any)
        fill(s, &w, true);
    if (!w.any)
        sched_unblock(s, &w);
    s->idle = w.any ? 0 : s->idle + 1;
    if (s->idle > 16 || s->t > 3 * s->m->nop + 200 || !account(s))
        return false;
    finish_inst(s, &w);
    return true;
}

bool sched_list_run(struct sched *s) {
    sched_list_begin(s);
    while (s->left)
        if (!sched_list_step(s))
            return false;
    return true;
}
