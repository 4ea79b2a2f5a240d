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
#include "mir/objective.h"

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
    s->now.t = MODEL_RESET;
}

/* Of a plan's ops that go into one instruction those come first that can do so in the fewest ways: an
 * immediate may be a word of the stream, which may come through either port. */
static double narrowness(const struct sched *s, uint32_t index) {
    const struct m_op *op = &s->m->op[index];
    uint32_t traits = s->op[index].traits;
    double p = traits & T_SIGNAL ? 1 : traits & T_EITHER ? -1 : 0;
    for (unsigned k = 0; k < op->nsrc; k++)
        p -= op->src[k].kind == M_IMM || op->src[k].kind == M_READ ? 2 : 0;
    return p;
}

/* The part of an op's priority that stays the same all through an attempt. */
static void set_base_priorities(struct sched *s) {
    const struct sched_strategy *st = s->options.strategy;
    for (uint32_t i = 0; i < s->m->nop; i++) {
        struct sched_op *o = &s->op[i];
        double p = s->options.plan ? narrowness(s, i) : 0;
        p += st->height * s->height[i] - st->order * s->options.rank[i];
        if (o->traits & T_STREAM)
            p += st->stream;
        if (o->traits & (T_TMU | T_DIRECT))
            p += st->tmu;
        o->base_priority = p;
    }
}

/* Sorts what is ready at first by falling base priority; equals stay as they are. */
static void sort_ready(struct sched *s, uint32_t *list, uint32_t count) {
    enum { FEW = 12 };
    if (count <= FEW) {
        for (uint32_t k = 1, at; k < count; k++) {
            uint32_t op = list[k];
            double p = s->op[op].base_priority;
            for (at = k; at && s->op[list[at - 1]].base_priority < p; at--)
                list[at] = list[at - 1];
            list[at] = op;
        }
        return;
    }
    uint32_t half = count / 2, a = 0, b = half;
    sort_ready(s, list, half);
    sort_ready(s, list + half, count - half);
    memcpy(s->sorting, list, half * sizeof *list);
    for (uint32_t k = 0; a < half; k++)
        list[k] = b == count || s->op[s->sorting[a]].base_priority >= s->op[list[b]].base_priority
                      ? s->sorting[a++]
                      : list[b++];
}

#define NOTHING UINT32_MAX

/* Accumulators, r4, r5 and flags do not survive a switch (docs/hardware.md, Threads): it can start when they
 * are empty. */
static bool may_switch(const struct sched *s) {
    for (int p = PLACE_ACC; p <= PLACE_R4; p++)
        if (s->owner[p] != M_NO_VALUE)
            return false;
    return !s->now.flags_pending && !s->now.r5_pending && s->now.t >= s->now.switch_done;
}

static uint32_t latest(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* The op will read `place`: notes the register of its file, or that two of one file clash. */
static void read_from(struct sched_wait *o, int place) {
    uint8_t *file = place_in_a(place) ? &o->a : &o->b, reg = place & 31;
    if (place < 0 || place >= PLACE_ACC)
        return;
    o->clash |= *file != SCHED_NO_READ && *file != reg;
    *file = reg;
}

static inline void settle(struct sched *s, uint32_t index) {
    const struct sched_op *op = &s->op[index];
    struct sched_wait *o = &s->wait[index];
    uint32_t all = 0, off_port = 0, none = s->m->nval;
    o->a = o->b = SCHED_NO_READ;
    o->clash = false;
    for (unsigned k = 0; k < 2; k++) {
        if (op->src[k] == none)
            continue;
        const struct sched_value *value = &s->value[op->src[k]];
        uint32_t from = model_operand_from(value->available, op->traits);
        all = latest(all, from);
        if (from <= s->now.t || op->traits & T_ROTATES || !sched_on_port(s, &s->m->op[index].src[k]))
            off_port = latest(off_port, from);
        read_from(o, value->where);
    }
    if (op->tied != none) { /* a partial or conditional write */
        const struct sched_value *value = &s->value[op->tied];
        uint32_t from = model_overwrite_from(value->available, value->where);
        all = latest(all, from), off_port = latest(off_port, from);
    }
    bool before = o->ported;
    o->ported = all > s->now.t && off_port <= s->now.t;
    if (o->ported) { /* settled again when the instruction is full */
        all = off_port;
        o->a = o->b = SCHED_NO_READ;
        o->clash = false;
        if (!before)
            s->ported[s->now.nported++] = index;
    }
    o->from = latest(o->earliest, all);
    o->hard = latest(o->late, all);
    if (s->tail && s->m->options.threads == 1) /* else empty instructions before it may go at last */
        s->now.end = latest(s->now.end, o->hard + 1 + s->tail[index]);
}

void sched_settle(struct sched *s, uint32_t index) {
    settle(s, index);
}

void sched_make_ready(struct sched *s, uint32_t index) {
    enum { FEW = 8 };
    uint32_t low = 0, at = s->now.nready;
    double base_priority = s->op[index].base_priority;
    while (at - low > FEW) {
        uint32_t middle = (low + at) / 2;
        bool after = s->op[s->ready[middle]].base_priority >= base_priority;
        low = after ? middle + 1 : low;
        at = after ? at : middle;
    }
    if (at < s->now.nready)
        memmove(&s->ready[at + 1], &s->ready[at], (s->now.nready - at) * sizeof *s->ready);
    for (; at > low && s->op[s->ready[at - 1]].base_priority < base_priority; at--)
        s->ready[at] = s->ready[at - 1];
    s->ready[at] = index;
    s->now.nready++;
    s->now.n_switches += !!(s->op[index].traits & T_SWITCH);
    s->now.n_pairs += !!(s->op[index].traits & T_PAIR);
    settle(s, index);
}

void sched_settle_readers(struct sched *s, uint32_t value) {
    for (uint32_t u = s->use_first[value]; u < s->use_first[value + 1]; u++) {
        const struct sched_wait *o = &s->wait[s->use[u]];
        if (!o->npred && !o->issued)
            sched_settle(s, s->use[u]);
    }
}

/* No op goes in before the plan says so. */
static void wait_for_plan(struct sched *s) {
    const uint32_t *when = s->options.plan->when;
    for (uint32_t i = 0; i < s->m->nop; i++) {
        s->wait[i].earliest = latest(s->wait[i].earliest, when[i]);
        s->wait[i].late = latest(s->wait[i].late, when[i]);
    }
    for (uint32_t r = 0; r < s->now.nready; r++)
        settle(s, s->ready[r]);
}

static void begin_ready(struct sched *s) {
    if (!s->tail)
        sched_tails(s);
    s->now.nready = s->nfirst_ready;
    if (s->options.plan)
        wait_for_plan(s);
    for (uint32_t r = 0; r < s->now.nready; r++)
        s->now.n_pairs += !!(s->op[s->ready[r]].traits & T_PAIR);
    for (uint32_t r = 0; r < s->now.nready && s->m->options.threads == 2; r++)
        s->now.n_switches += !!(s->op[s->ready[r]].traits & T_SWITCH);
    set_base_priorities(s);
    sort_ready(s, s->ready, s->now.nready);
}

void sched_list_begin(struct sched *s) {
    struct mir *m = s->m;
    memcpy(sched_tables(s), s->first_tables, s->tables_size);
    s->now.places = s->first_places;
    s->now.left = s->nlive, s->now.left_add = s->nadd, s->now.left_mul = s->nmul;
    s->now.left_alu = s->nalu, s->now.left_stream = s->nstream;
    s->now.end = s->now.n_empty = 0;
    s->now.drain = false;
    s->now.n_idle = s->skips = 0;
    s->now.issued = 0;
    s->now.t = s->now.switch_done = s->now.r4_free_at = s->now.flags_pending = s->now.r5_pending = 0;
    s->now.stall = 0;
    s->code.count = 0;
    s->code.lost = false;
    s->now.nready = s->now.nported = s->now.n_switches = s->now.n_switched = s->now.n_pairs = 0;
    begin_ready(s);
    s->now.stream_from = m->no_stream ? UINT32_MAX : 0;
    if (m->reset) {
        set_stream(s);
        s->now.stream_from = s->now.t + MODEL_STREAM_SET;
    }
}

/* What no port feeds any more. */
static void settle_ported(struct sched *s) {
    for (uint32_t n = s->now.nported; n; n--)
        if (!s->wait[s->ported[n - 1]].issued)
            sched_settle(s, s->ported[n - 1]);
    s->now.nported = 0;
}

static void release_successors(struct sched *s, uint32_t index) {
    for (uint32_t e = s->succ_first[index]; e < s->succ_first[index + 1]; e++) {
        const struct m_edge *edge = &s->edge[e];
        struct sched_wait *o = &s->wait[edge->to];
        uint32_t when = s->now.t + edge->latency;
        o->earliest = latest(o->earliest, when);
        o->late = latest(o->late, edge->soft ? s->now.t + 1 : when);
        if (edge->soft)
            o->arrival = s->now.t + s->now.stall + MODEL_TMU_TYPICAL;
        if (!--o->npred)
            sched_make_ready(s, edge->to);
    }
}

static void commit(struct sched *s, uint32_t index, int place) {
    struct mir *m = s->m;
    const struct m_op *op = &m->op[index];
    const struct sched_op *o = &s->op[index];
    struct sched_wait *wait = &s->wait[index];
    for (unsigned k = 0; k < 2; k++)
        if (o->src[k] != m->nval)
            place_read(s, o->src[k]);
    if (o->tied != m->nval)
        place_read(s, o->tied);
    if (op->pinned_to != M_NO_VALUE)
        s->value[op->pinned_to].pins_left--;
    if (o->dst != m->nval) {
        s->value[o->dst].born = s->now.t;
        place_take(s, o->dst, place, s->now.t + model_latency(op, place));
    }
    if (wait->arrival > s->now.t + s->now.stall)
        s->now.stall = wait->arrival - s->now.t;
    s->now.flags_pending += o->flags;
    s->now.r5_pending += o->r5;
    if (o->traits & T_SWITCH) {
        s->now.n_switched++;
        s->now.switch_done = s->now.t + MODEL_SWITCH;
        s->now.drain = true;
    }
    if (op->r4 && op->sig == QPU_SIG_NONE) /* section 3: what else writes r4 waits as its readers do */
        s->now.r4_free_at = s->now.t + model_latency(op, PLACE_R4);
    wait->issued = true;
    sched_note(s, index);
    s->now.left--;
    s->now.issued += (index + 1) * 0x9e3779b97f4a7c15u;
    s->now.left_stream -= !!(o->traits & T_STREAM);
    s->now.left_add -= !!(o->traits & T_ADD_ONLY);
    s->now.left_mul -= !!(o->traits & T_MUL_ONLY);
    s->now.left_alu -= !(o->traits & T_SIGNAL);
    if (s->tail)
        s->now.end = latest(s->now.end, s->now.t + 1 + s->tail[index]);
    release_successors(s, index);
}

/* Places that the op frees, less the one that it takes. */
static int frees(const struct sched *s, const struct sched_op *o) {
    return (s->value[o->src[0]].uses_left == 1) + (s->value[o->src[1]].uses_left == 1) -
           !!(o->traits & T_MAKES);
}

double sched_priority(const struct sched *s, uint32_t index) {
    return s->op[index].base_priority + s->options.strategy->pressure * frees(s, &s->op[index]);
}

static void finish_inst(struct sched *s, struct slots *w) {
    struct m_inst *inst = m_extend(&s->code, 1);
    if (inst)
        slots_end(w, inst);
    s->now.n_empty += !w->add_used && !w->mul_used;
    if (s->now.places.late != PLACE_NONE)
        place_own(s, s->now.places.late, place_vacant(s, s->now.places.late));
    s->now.places.late = PLACE_NONE;
    s->now.t++;
    settle_ported(s);
}

uint32_t sched_window(const struct sched *s) {
    uint32_t first = UINT32_MAX;
    if (!s->options.strategy->window)
        return first;
    for (uint32_t r = 0; r < s->now.nready; r++)
        first = s->options.rank[s->ready[r]] < first ? s->options.rank[s->ready[r]] : first;
    return first > UINT32_MAX - s->options.strategy->window ? UINT32_MAX
                                                            : first + s->options.strategy->window;
}

/* Tries the ALUs that can do it; what either can goes to the one that has less work of its own, in all or, by
 * a plan, in this instruction. */
static bool try_alus(struct sched *s, struct slots *w, uint32_t i, int *place) {
    const struct sched_plan *plan = s->options.plan;
    uint32_t traits = s->op[i].traits;
    bool add = !w->add_used && !(traits & T_MUL_ONLY), mul = !w->mul_used && !(traits & T_ADD_ONLY);
    bool prefers_mul = plan ? plan->on_mul[i] : s->now.left_add >= s->now.left_mul;
    bool first = add && mul ? prefers_mul : mul;
    return slots_try(s, w, i, first, place) || (add && mul && slots_try(s, w, i, !first, place));
}

static bool take(struct sched *s, struct slots *w, uint32_t at) {
    int place = PLACE_NONE;
    uint32_t i = s->ready[at], traits = s->op[i].traits;
    if (traits & T_SIGNAL ? !slots_try(s, w, i, false, &place) : !try_alus(s, w, i, &place))
        return false;
    s->now.nready--;
    s->now.n_switches -= !!(traits & T_SWITCH);
    s->now.n_pairs -= !!(traits & T_PAIR);
    memmove(&s->ready[at], &s->ready[at + 1], (s->now.nready - at) * sizeof *s->ready);
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
    uint32_t n_seen; /* how much of the ready list has been looked at */
    uint32_t first[QUEUES], last[QUEUES];
};

static const struct candidates no_candidates = {.first = {NOTHING, NOTHING, NOTHING, NOTHING}};

enum { NO_REGISTER = 64 };

/* What an instruction refuses as things are. It changes with the ops in it only. */
struct filter {
    uint32_t traits;  /* ops with one of these */
    uint32_t t, pass; /* those that wait, and those tried in this pass */
    int a, b;         /* the registers that the ports read, NO_REGISTER, or -1: any */
    bool eager;       /* the hardware waits out what latencies it can */
    uint32_t window;  /* ops beyond this rank stay out, UINT32_MAX: none */
    uint32_t n_look;  /* how much of the ready list is looked at */
};

static void filter_for(struct filter *f, const struct sched *s, const struct slots *w) {
    f->traits = w->refused;
    f->a = w->a_addr;
    f->b = w->b_imm ? NO_REGISTER : slots_word_in_b(w) ? -1 : w->b_addr; /* a word can move to file A's */
    if (s->m->options.threads >
        1) /* before a switch nothing may start that would not be done when it comes */
        f->traits |= (s->now.drain ? T_RESTLESS : 0) | (s->now.n_switches && !may_switch(s) ? T_SWITCH : 0);
    /* beside other work only the first, for what comes far after them hardly ever goes in, and a long list
     * costs time in every instruction */
    f->n_look = w->any && s->now.nready > SCHED_LOOK ? SCHED_LOOK : s->now.nready;
}

/* The ports don't serve the registers that it reads. */
static inline bool lacks_ports(const struct filter *f, const struct sched_wait *o) {
    return o->clash || (f->a >= 0 && o->a != SCHED_NO_READ && o->a != f->a) ||
           (f->b >= 0 && o->b != SCHED_NO_READ && o->b != f->b);
}

/* Too many come before it. What reads the flags that are set never is: others wait for the flags. */
static bool is_too_far(const struct sched *s, const struct filter *f, uint32_t i) {
    return f->window < UINT32_MAX && s->options.rank[i] > f->window && !(s->op[i].traits & T_CONDITION);
}

/* Takes the op of highest priority that may go into the instruction from the candidates: an index of the
 * ready list. Of equals it is the one that comes first there. */
static uint32_t pick(struct sched *s, const struct filter *filter, struct candidates *c) {
    const struct filter local = *filter, *f = &local; /* which no store can change */
    double pressure = s->options.strategy->pressure, best = 0;
    double more = pressure * (s->now.n_pairs ? MOST_FREED : MOST_FREED - 1);
    uint32_t at = NOTHING, from = 0;
    for (uint32_t q = 0; q < QUEUES && c->n_seen; q++) {
        uint32_t r = c->first[q];
        if (r == NOTHING)
            continue;
        double priority = s->op[s->ready[r]].base_priority + pressure * ((int)q + LEAST_FREED);
        if (at == NOTHING || priority > best || (priority == best && r < at))
            at = r, best = priority, from = q;
    }
    const uint32_t *ready = s->ready, look = f->n_look;
    uint32_t *links = s->sorting;
    const struct sched_op *ops = s->op;
    const struct sched_wait *waits = s->wait;
    uint32_t r = c->n_seen;
    for (; r < look; r++) {
        const struct sched_op *o = &ops[ready[r]];
        if (at != NOTHING && o->base_priority + more <= best)
            break;
        const struct sched_wait *wait = &waits[ready[r]];
        if (o->traits & f->traits || wait->due[f->eager] > f->t || lacks_ports(f, wait) ||
            s->tried[ready[r]] == f->pass || is_too_far(s, f, ready[r]))
            continue;
        int freed = frees(s, o);
        uint32_t q = (uint32_t)(freed - LEAST_FREED);
        uint32_t *link = c->first[q] == NOTHING ? &c->first[q] : &links[c->last[q]];
        *link = c->last[q] = r;
        links[r] = NOTHING;
        double priority = o->base_priority + pressure * freed;
        if (at == NOTHING || priority > best)
            at = r, best = priority, from = q;
    }
    s->visits += r - c->n_seen;
    c->n_seen = r;
    if (at != NOTHING)
        c->first[from] = links[at];
    return at;
}

/* Puts what fits into the instruction, by falling priority; each op is tried once. `eager`: ignore latencies
 * the hardware would wait out by itself. */
static void fill(struct sched *s, struct slots *w, bool eager) {
    struct filter f = {.t = s->now.t, .pass = ++s->pass, .eager = eager, .window = sched_window(s)};
    struct candidates c;
    bool changed = true;
    for (;;) {
        if (changed)
            filter_for(&f, s, w), c = no_candidates;
        uint32_t at = pick(s, &f, &c);
        if (at == NOTHING)
            break;
        bool skip = s->skips & 1;
        s->skips >>= 1;
        s->n_picked++;
        changed = !skip && take(s, w, at);
        if (!changed)
            s->tried[s->ready[at]] = s->pass;
        else if (s->options.plan) /* it may have freed the place that another one lacked */
            f.pass = ++s->pass;
    }
}

/* Is a switch waiting only for the registers to be empty? */
static bool switch_is_near(const struct sched *s) {
    if (s->m->options.threads == 1)
        return false;
    for (uint32_t r = 0; r < s->now.nready && s->now.n_switches; r++)
        if (s->op[s->ready[r]].traits & T_SWITCH && s->wait[s->ready[r]].earliest <= s->now.t)
            return true;
    return s->now.t < s->now.switch_done;
}

/* An instruction's work: what was looked at for it, and as much again for what is done once. */
static bool account(struct sched *s) {
    enum { EACH = 16 };
    uint64_t amount = EACH + (s->visits + s->now.nready) / 8;
    s->visits = 0;
    if (!s->options.searching)
        return ir_work(s->m->arena, amount) && sched_has_work(s);
    ir_search(s->m->arena, amount);
    return ir_search_left(s->m->arena) > 0;
}

bool sched_list_step(struct sched *s) {
    struct slots w;
    s->n_picked = s->trace.count = 0;
    slots_begin(s, &w);
    s->now.drain = switch_is_near(s);
    if (s->m->options.remat)
        sched_drop_copies(s);
    fill(s, &w, false);
    while (!(w.add_used && w.mul_used) && sched_make_room(s, &w))
        fill(s, &w, false); /* what can go in now need not wait */
    if (!w.any)
        fill(s, &w, true);
    if (!w.any)
        sched_unblock(s, &w);
    s->now.n_idle = w.any ? 0 : s->now.n_idle + 1;
    if (s->now.n_idle > 16 || s->now.t > 3 * s->m->nop + 200 || !account(s))
        return false;
    finish_inst(s, &w);
    return true;
}

bool sched_may_win(struct sched *s) {
    if (s->now.left_alu) {
        uint32_t more = latest((s->now.left_alu + 1) / 2, latest(s->now.left_add, s->now.left_mul));
        s->now.end = latest(s->now.end, s->now.t + more + s->alu_tail);
    }
    uint32_t end = s->now.end - (s->m->options.threads == 2 ? s->now.n_empty : 0);
    end -= end && s->m->last; /* the end may take one out (sched/tail.c) */
    return objective(end + s->now.stall, end) <= s->options.limit;
}

bool sched_list_run(struct sched *s) {
    sched_list_begin(s);
    while (s->now.left)
        if (!sched_list_step(s) || !sched_may_win(s))
            return false;
    return true;
}

bool sched_list_follow(struct sched *s, const struct sched_plan *plan) {
    static const struct sched_strategy none = {0};
    const struct sched_options keep = s->options;
    s->options.plan = plan;
    s->options.strategy = &none, s->options.rank = plan->when;
    bool ok = sched_list_run(s) && s->now.t == plan->length;
    s->options = keep;
    return ok;
}
