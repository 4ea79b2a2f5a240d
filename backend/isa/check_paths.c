/* Rules about whole paths: balances of varyings, VPM and texture results, scoreboard, thread switches.
 *
 * Requires: the effects and successors of all instructions. Keeps: them; it only reports.
 *
 * One forward analysis carries a state through the control flow to a fixed point. Facts that may hold on some
 * path are joined by union, facts that must hold on all paths by intersection. Counters must agree where
 * paths meet; a difference is reported there, and the first value is kept. */
#include "backend/isa/check.h"

#include <string.h>

enum may {
    MAY_TLB = 1,          /* tile buffer touched or scoreboard waited for */
    MAY_UNLOCKED = 2,     /* scoreboard given up */
    MAY_COLOUR = 4,       /* colour written */
    MAY_TMU = 8,          /* TMU written */
    MAY_LAST_SWITCH = 16, /* last thread switch signalled */
    MAY_LOCKED = 32,      /* tile buffer touched since the start and no unlock yet */
};

enum must {
    MUST_WAITED = 1,      /* scoreboard waited for */
    MUST_LAST_SWITCH = 2, /* last thread switch signalled */
    MUST_VPM_WRITE_SETUP = 4,
};

enum { MAX_PENDING = 16, LOST_FLAGS = 1 << 6, LOST_ALL = 0x7f, VPM_UNKNOWN = -1 };

/* One texture unit: the words of each request not yet read back, marked once a thread switch has taken effect
 * since, and the coordinates of the request being built. */
enum { SWITCHED = 0x80 };

struct unit {
    uint8_t words[MAX_PENDING];
    uint8_t pending;
    uint8_t coordinates;
};

struct state {
    uint8_t may, must;
    uint8_t lost;         /* accumulators (bits 0 to 5) and flags (bit 6) that a thread switch took */
    uint8_t switch_slots; /* slots left before a signalled switch takes effect */
    struct unit unit[2];
    int32_t varyings;  /* read so far */
    int32_t vpm_reads; /* read so far */
    int32_t vpm_left;  /* values set up and not read, or VPM_UNKNOWN */
};

struct paths {
    struct checker *c;
    struct state *in; /* by node */
    uint8_t *known;
    size_t *queue;
    uint8_t *queued;
    bool exit_known;
    struct state exit;
};

/* --- joins ---------------------------------------------------------------------------------------------- */

static bool same_unit(const struct unit *a, const struct unit *b) {
    return a->pending == b->pending && a->coordinates == b->coordinates &&
           memcmp(a->words, b->words, a->pending) == 0;
}

static void join_counters(struct checker *c, size_t index, const struct state *known,
                          const struct state *next) {
    if (known->varyings != next->varyings) {
        check_report(c, index, RULE_BALANCE_VARY, "paths meet here that have read %d and %d varyings",
                     known->varyings, next->varyings);
    }
    if (known->vpm_reads != next->vpm_reads || known->vpm_left != next->vpm_left) {
        check_report(c, index, RULE_BALANCE_VPM, "paths meet here that have read %d and %d VPM values",
                     known->vpm_reads, next->vpm_reads);
    }
    for (int u = 0; u < 2; u++) {
        if (!same_unit(&known->unit[u], &next->unit[u])) {
            check_report(c, index, RULE_BALANCE_TMU,
                         "paths meet here with %u and %u requests to TMU%d outstanding",
                         known->unit[u].pending, next->unit[u].pending, u);
        }
    }
}

/* True if `known` changed, so that what follows it must be looked at again. */
static bool join(struct checker *c, size_t index, struct state *known, const struct state *next) {
    join_counters(c, index, known, next);
    struct state joined = *known;
    joined.may |= next->may;
    joined.must &= next->must;
    joined.lost |= next->lost;
    if (next->switch_slots > joined.switch_slots) {
        joined.switch_slots = next->switch_slots;
    }
    bool changed = joined.may != known->may || joined.must != known->must || joined.lost != known->lost ||
                   joined.switch_slots != known->switch_slots;
    *known = joined;
    return changed;
}

/* --- one instruction's step ----------------------------------------------------------------------------- */

static void step_scoreboard(struct checker *c, size_t index, struct state *s) {
    const struct effect *e = &c->effects[index];
    bool tile = e->tlb_read || e->tlb_write;
    bool wait = e->inst.sig == QPU_SIG_SBWAIT;
    if (tile && e->thread_end && !(s->must & MUST_WAITED)) {
        check_report(c, index, RULE_END_WAIT, "the thread end is the first access to the tile buffer");
    }
    if ((tile || wait) && (s->may & MAY_UNLOCKED)) {
        check_report(c, index, RULE_UNLOCK, "tile buffer access after the scoreboard was unlocked");
    }
    if (effect_writes(e, QPU_W_TLB_Z) && (s->may & MAY_COLOUR)) {
        check_report(c, index, RULE_Z_BEFORE_COLOUR, "Z write after a colour write");
    }
    if (tile || wait) {
        s->may |= MAY_TLB | MAY_LOCKED;
        s->must |= MUST_WAITED;
    }
    if (is_colour_write(e->write[0]) || is_colour_write(e->write[1])) {
        s->may |= MAY_COLOUR;
    }
    if (e->inst.sig == QPU_SIG_SBDONE) {
        s->may |= MAY_UNLOCKED;
        s->may &= (uint8_t)~MAY_LOCKED;
    }
}

static unsigned pending_words(const struct unit *unit) {
    unsigned words = 0;
    for (unsigned n = 0; n < unit->pending && n < MAX_PENDING; n++) {
        words += unit->words[n] & ~(unsigned)SWITCHED;
    }
    return words;
}

static void submit(struct checker *c, size_t index, int tmu, struct state *s) {
    struct unit *unit = &s->unit[tmu];
    unsigned words = 1;
    for (unsigned bit = 0; bit < 4; bit++) {
        words += unit->coordinates >> bit & 1;
    }
    bool direct = unit->coordinates == 0 && c->effects[index].uniform;
    unsigned depth = c->options->threaded ? 4 : 8;
    unit->coordinates = 0;
    if (unit->pending < MAX_PENDING) {
        unit->words[unit->pending++] = (uint8_t)words;
    }
    if (pending_words(unit) > depth) {
        check_report(c, index, RULE_TMU_FIFO, "%u words of requests before a result is read; TMU%d holds %u",
                     pending_words(unit), tmu, depth);
    } else if (direct && unit->pending > 4) {
        check_report(c, index, RULE_TMU_FIFO, "%u direct lookups before a result is read", unit->pending);
    }
}

static void step_tmu(struct checker *c, size_t index, struct state *s) {
    const struct effect *e = &c->effects[index];
    if (e->tmu_read >= 0) {
        struct unit *unit = &s->unit[e->tmu_read];
        if (unit->pending == 0) {
            check_report(c, index, RULE_TMU_UNREQUESTED, "TMU%d is read without a request", e->tmu_read);
        } else {
            if (c->options->threaded && !(unit->words[0] & SWITCHED)) {
                check_report(c, index, RULE_SWITCH_TMU,
                             "TMU%d is read without a thread switch since the request", e->tmu_read);
            }
            memmove(unit->words, unit->words + 1, MAX_PENDING - 1);
            unit->pending--;
        }
    }
    for (int n = 0; n < 2; n++) {
        if (!is_tmu_write(e->write[n])) {
            continue;
        }
        int tmu = e->write[n] >= QPU_W_TMU1_S;
        unsigned coordinate = (unsigned)(e->write[n] - QPU_W_TMU0_S) & 3;
        struct unit *unit = &s->unit[tmu];
        s->may |= MAY_TMU;
        /* A lookup by S alone with a uniform operand is a direct memory lookup, which takes no uniform by
         * itself. */
        if (e->uniform && (coordinate != 0 || unit->coordinates != 0)) {
            check_report(c, index, RULE_TMU_UNIFORM, "a uniform is read beside the one that TMU%d takes",
                         tmu);
        }
        if (coordinate == 0) {
            submit(c, index, tmu, s);
            continue;
        }
        if (unit->coordinates & 1u << coordinate) {
            check_report(c, index, RULE_TMU_ORDER, "coordinate %c of TMU%d is written twice",
                         "strb"[coordinate], tmu);
        }
        unit->coordinates |= (uint8_t)(1u << coordinate);
    }
    if (effect_writes(e, QPU_W_TMU_NOSWAP) && (s->may & MAY_TMU)) {
        check_report(c, index, RULE_NOSWAP_LATE, "TMU_NOSWAP is written after a TMU write");
    }
}

/* The number of values that a read setup of known bits asks for: format 0 of VPMVCD_RD_SETUP (guide 7, table
 * 33); the others set up DMA. */
static void step_vpm(struct checker *c, size_t index, struct state *s) {
    const struct effect *e = &c->effects[index];
    if (e->vpm_read) {
        s->vpm_reads++;
        if (s->vpm_left == 0) {
            check_report(c, index, RULE_VPM_COUNT, "VPM read beyond what was set up");
        } else if (s->vpm_left > 0) {
            s->vpm_left--;
        }
    }
    if (e->vpm_write && !(s->must & MUST_VPM_WRITE_SETUP)) {
        check_report(c, index, RULE_VPM_WRITE_SETUP, "VPM write without a setup");
    }
    if (effect_writes_file(e, QPU_W_VPM_SETUP, true)) {
        s->must |= MUST_VPM_WRITE_SETUP;
    }
    if (!effect_writes_file(e, QPU_W_VPM_SETUP, false)) {
        return;
    }
    if (e->inst.type != QPU_LDI) {
        s->vpm_left = VPM_UNKNOWN; /* the setup comes from a uniform: its count is not in the bits */
        return;
    }
    if (e->inst.imm >> 30 != 0) {
        return;
    }
    if (s->vpm_left > 1) {
        check_report(c, index, RULE_VPM_QUEUE, "read setup with %d values pending", s->vpm_left);
    }
    int32_t count = (int32_t)(e->inst.imm >> 20 & 15);
    if (s->vpm_left >= 0) {
        s->vpm_left += count ? count : 16;
    }
}

/* Operations whose result does not depend on the operand: they may read a lost accumulator. */
static bool value_cancels(const struct qpu_inst *i) {
    return i->type == QPU_ALU && i->add_a == i->add_b && (i->op_add == QPU_A_XOR || i->op_add == QPU_A_SUB) &&
           i->op_mul == QPU_M_NOP;
}

static void step_lost(struct checker *c, size_t index, struct state *s) {
    const struct effect *e = &c->effects[index];
    unsigned read = e->acc_read | (e->rotates_r5 ? 1u << 5 : 0);
    unsigned lost = read & s->lost;
    if (lost && !value_cancels(&e->inst)) {
        unsigned acc = 0;
        while (!(lost >> acc & 1)) {
            acc++;
        }
        check_report(c, index, RULE_SWITCH_ACC, "r%u is read, but a thread switch has taken its value", acc);
    }
    if (e->uses_flags && (s->lost & LOST_FLAGS)) {
        check_report(c, index, RULE_SWITCH_ACC, "flags are used, but a thread switch has taken them");
    }
    s->lost &= (uint8_t)~e->acc_write;
    if (e->sfu) {
        s->lost &= (uint8_t) ~(1u << 4);
    }
    if (e->inst.type != QPU_BRANCH && e->inst.sf) {
        s->lost &= (uint8_t)~LOST_FLAGS;
    }
}

/* The other thread runs now: what this one has left in the FIFO from before an earlier switch would come
 * first. */
static void switch_requests(struct checker *c, size_t index, struct state *s) {
    for (int u = 0; u < 2; u++) {
        for (unsigned n = 0; n < s->unit[u].pending; n++) {
            if (s->unit[u].words[n] & SWITCHED) {
                check_report(c, index, RULE_SWITCH_TMU_LEFT,
                             "a result of TMU%d from before the last switch is unread at this one", u);
            }
            s->unit[u].words[n] |= SWITCHED;
        }
    }
}

static void step_switch(struct checker *c, size_t index, struct state *s) {
    const struct effect *e = &c->effects[index];
    bool inside = s->switch_slots > 0;
    if (inside && (e->thread_switch || e->thread_end || e->inst.type == QPU_BRANCH)) {
        check_report(c, index, RULE_SWITCH_SPACING, "%s before the thread switch has taken effect",
                     e->thread_end      ? "thread end"
                     : e->thread_switch ? "thread switch"
                                        : "branch");
    }
    if (inside && e->sfu) {
        check_report(c, index, RULE_SWITCH_SFU,
                     "the result of an SFU lookup arrives after the thread switch");
    }
    if (inside && (s->may & MAY_TLB)) {
        check_report(c, index, RULE_SWITCH_TLB,
                     "tile buffer access before the thread switch has taken effect");
    }
    if (e->thread_switch) {
        if (s->may & MAY_LAST_SWITCH) {
            check_report(c, index, RULE_SWITCH_LAST, "thread switch after the last one");
        }
        if (s->may & MAY_TLB) {
            check_report(c, index, RULE_SWITCH_TLB, "thread switch after a tile buffer access");
        }
        if (e->inst.sig == QPU_SIG_LTHRSW) {
            s->may |= MAY_LAST_SWITCH;
            s->must |= MUST_LAST_SWITCH;
        }
        s->switch_slots = QPU_THREAD_SLOTS;
    } else if (inside && --s->switch_slots == 0) {
        s->lost = LOST_ALL;
        switch_requests(c, index, s);
    }
}

static void step(struct paths *p, size_t node, struct state *s) {
    struct checker *c = p->c;
    size_t index = node_index(node);
    const struct effect *e = &c->effects[index];
    s->varyings += e->vary;
    step_lost(c, index, s);
    if (!e->plain) {
        step_scoreboard(c, index, s);
        step_tmu(c, index, s);
        step_vpm(c, index, s);
    }
    step_switch(c, index, s);
}

static void at_exit(struct paths *p, size_t node, const struct state *s) {
    struct checker *c = p->c;
    size_t index = node_index(node);
    for (int u = 0; u < 2; u++) {
        if (s->unit[u].pending) {
            check_report(c, index, RULE_TMU_UNREAD, "the program ends with %u results of TMU%d unread",
                         s->unit[u].pending, u);
        }
        if (s->unit[u].coordinates) {
            check_report(c, index, RULE_TMU_ORDER, "the program ends with a lookup of TMU%d half written", u);
        }
    }
    if (s->may & MAY_LOCKED) {
        check_report(c, index, RULE_UNLOCK, "the program ends without unlocking the scoreboard");
    }
    if (c->options->threaded && !(s->must & MUST_LAST_SWITCH)) {
        check_report(c, index, RULE_SWITCH_LAST, "a threaded program ends without a last thread switch");
    }
    if (s->vpm_left > 0) {
        check_report(c, index, RULE_VPM_COUNT, "the program ends with %d VPM values unread", s->vpm_left);
    }
    if (!p->exit_known) {
        p->exit_known = true;
        p->exit = *s;
    } else {
        struct state counters = *s;
        memcpy(counters.unit, p->exit.unit, sizeof counters.unit); /* unread results are reported above */
        join_counters(c, index, &p->exit, &counters);
    }
}

/* --- the pass ------------------------------------------------------------------------------------------- */

static void flow(struct paths *p, size_t nodes) {
    size_t head = 0, waiting = 0;
    p->in[0] = (struct state){0};
    p->known[0] = 1;
    p->queued[0] = 1;
    p->queue[waiting++] = 0;
    while (waiting > 0) {
        size_t node = p->queue[head];
        head = (head + 1) % nodes;
        waiting--;
        p->queued[node] = 0;
        struct state s = p->in[node];
        step(p, node, &s);
        const struct successors *next = &p->c->successor[node];
        if (next->exits) {
            at_exit(p, node, &s);
        }
        for (unsigned k = 0; k < next->count; k++) {
            size_t to = next->node[k];
            bool changed = true;
            if (p->known[to]) {
                changed = join(p->c, node_index(to), &p->in[to], &s);
            } else {
                p->known[to] = 1;
                p->in[to] = s;
            }
            if (changed && !p->queued[to]) {
                p->queued[to] = 1;
                p->queue[(head + waiting++) % nodes] = to;
            }
        }
    }
}

/* The only path. */
static void flow_straight(struct checker *c) {
    struct paths p = {.c = c};
    struct state s = {0};
    for (size_t node = 0;; node = c->successor[node].node[0]) {
        step(&p, node, &s);
        if (c->successor[node].exits) {
            at_exit(&p, node, &s);
        }
        if (!c->successor[node].count) {
            return;
        }
    }
}

void check_paths(struct checker *c) {
    if (c->straight) {
        flow_straight(c);
        return;
    }
    size_t nodes = c->count * SLOT_KINDS;
    struct paths p = {.c = c,
                      .in = check_allocate(c, nodes * sizeof *p.in),
                      .known = check_zeroed(c, nodes),
                      .queue = check_allocate(c, nodes * sizeof *p.queue),
                      .queued = check_zeroed(c, nodes)};
    if (p.in && p.known && p.queue && p.queued) {
        flow(&p, nodes);
    } else {
        c->out_of_memory = true;
    }
    check_release(c, p.in);
    check_release(c, p.known);
    check_release(c, p.queue);
    check_release(c, p.queued);
}
