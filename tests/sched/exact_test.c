/* The search through all orders and places and the dive (search.c), against every state that a small
 * block can be in: which ops are done, and where values lie. */
#include "hand.h"
#include "ir/heap.h"
#include "sched/placement.h"
#include "tests/sanitized.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5, VALUES = MOST + 2, NODES = 200000, NOTHING = 15 };
enum kind { ADD, MUL, EITHER, FUNCTION, KINDS };
enum operand { A_WORD, AN_IMMEDIATE, A_VALUE };

/* Values 0 and 1 are in registers at the beginning, 2 + i is what op i makes. */
struct block {
    unsigned n, starts;
    int start[2];
    struct {
        enum kind kind;
        unsigned nsrc;
        struct {
            enum operand kind;
            unsigned v;
        } src[2];
    } op[MOST];
};

/* --- every state ---------------------------------------------------------------------------------------- */

struct state {
    uint8_t done, a, b, acc;    /* sets of ops, and of values */
    uint8_t late_a, late_b, r4; /* values, or NOTHING */
    uint8_t until;              /* instructions until r4 can be read */
};

struct states {
    struct state *at;
    unsigned n, cap;
};

static void add_state(struct states *all, const struct state *s) {
    for (unsigned i = 0; i < all->n; i++)
        if (!memcmp(&all->at[i], s, sizeof *s))
            return;
    if (all->n == all->cap)
        all->at = realloc(all->at, (all->cap = all->cap ? 2 * all->cap : 64) * sizeof *all->at);
    all->at[all->n++] = *s;
}

static bool is_read_later(const struct block *b, unsigned done, unsigned v) {
    for (unsigned i = 0; i < b->n; i++)
        for (unsigned k = 0; k < b->op[i].nsrc && !(done >> i & 1); k++)
            if (b->op[i].src[k].kind == A_VALUE && b->op[i].src[k].v == v)
                return true;
    return false;
}

/* A plain move of what a port delivers: the port may feed its readers in the same instruction. */
static bool is_port_read(const struct block *b, unsigned i) {
    return b->op[i].kind == EITHER && b->op[i].nsrc == 1 && b->op[i].src[0].kind != A_VALUE;
}

/* What an ALU does: an op, a move of a value, or nothing. */
struct half {
    int op, move, to; /* to: 0 file A, 1 file B, 2 accumulators, 3 r4 or nowhere */
};

struct row_ports {
    int a, b, word; /* what file A's port delivers (value, 100: the word), file B's (200 +: an immediate) */
};

/* Each way to read these operands; `done` tells whether some way is left for the rest. */
static bool read_all(const struct block *b, const struct state *s, const struct half half[2], unsigned which,
                     unsigned k, struct row_ports p) {
    if (which == 2)
        return true;
    unsigned n = half[which].op >= 0 ? b->op[half[which].op].nsrc : half[which].move >= 0;
    if (k == n)
        return read_all(b, s, half, which + 1, 0, p);
    enum operand kind = half[which].op >= 0 ? b->op[half[which].op].src[k].kind : A_VALUE;
    unsigned v = half[which].op >= 0 ? b->op[half[which].op].src[k].v : (unsigned)half[which].move;
    if (kind == A_VALUE && v >= 2 && is_port_read(b, v - 2) &&
        (half[0].op == (int)v - 2 || half[1].op == (int)v - 2))
        kind = b->op[v - 2].src[0].kind, v = b->op[v - 2].src[0].v;
    for (unsigned port = 0; port < 4; port++) { /* A, B, accumulator or r4, B as an immediate */
        struct row_ports with = p;
        if (kind == A_VALUE) {
            bool r4 = s->r4 == v && !s->until;
            if (port == 3 || (port == 2 && !(s->acc >> v & 1) && !r4) || (port == 0 && !(s->a >> v & 1)) ||
                (port == 1 && !(s->b >> v & 1)))
                continue;
        } else if (kind == A_WORD || port != 3) {
            int word = (int)v + (kind == A_WORD ? 0 : 50);
            if (port > 1 || (p.word >= 0 && p.word != word))
                continue;
            with.word = word;
        }
        int what = kind == A_VALUE ? (int)v : port == 3 ? 200 + (int)v : 100;
        int *at = port == 0 ? &with.a : port == 2 ? NULL : &with.b;
        if (at && *at >= 0 && *at != what)
            continue;
        if (at)
            *at = what;
        if (read_all(b, s, half, which, k + 1, with))
            return true;
    }
    return false;
}

static void try_halves(const struct block *b, const struct state *s, const struct half half[2],
                       struct states *next) {
    struct state to = *s;
    struct row_ports none = {-1, -1, -1};
    unsigned files = 0, functions = 0;
    for (unsigned h = 0; h < 2; h++)
        if (half[h].op >= 0) {
            to.done |= (uint8_t)(1u << half[h].op);
            functions += b->op[half[h].op].kind == FUNCTION;
        }
    if (functions > 1)
        return;
    for (unsigned h = 0; h < 2; h++)
        for (unsigned k = 0; half[h].op >= 0 && k < b->op[half[h].op].nsrc; k++)
            if (b->op[half[h].op].src[k].kind == A_VALUE && b->op[half[h].op].src[k].v >= 2 &&
                !(to.done >> (b->op[half[h].op].src[k].v - 2) & 1))
                return;
    to.a |= (uint8_t)(s->late_a == NOTHING ? 0 : 1u << s->late_a);
    to.b |= (uint8_t)(s->late_b == NOTHING ? 0 : 1u << s->late_b);
    to.late_a = to.late_b = NOTHING;
    to.until = s->until ? (uint8_t)(s->until - 1) : 0;
    for (unsigned h = 0; h < 2; h++) {
        if (half[h].op < 0 && half[h].move < 0)
            continue;
        unsigned v = half[h].op >= 0 ? 2 + (unsigned)half[h].op : (unsigned)half[h].move;
        if (half[h].to < 2) {
            if (files >> half[h].to & 1)
                return;
            files |= 1u << half[h].to;
            *(half[h].to ? &to.late_b : &to.late_a) = (uint8_t)v;
        } else if (half[h].to == 2) {
            to.acc |= (uint8_t)(1u << v);
        } else if (half[h].op >= 0 && b->op[half[h].op].kind == FUNCTION) {
            bool lost = s->r4 != NOTHING && is_read_later(b, to.done, s->r4) &&
                        !((to.a | to.b | to.acc) >> s->r4 & 1) && to.late_a != s->r4 && to.late_b != s->r4;
            if (s->until || lost)
                return;
            to.r4 = (uint8_t)v;
            to.until = QPU_LAT_SFU - 1;
        }
    }
    for (unsigned v = 0; v < VALUES; v++)
        if (!is_read_later(b, to.done, v)) {
            uint8_t others = (uint8_t) ~(1u << v);
            to.a &= others, to.b &= others, to.acc &= others;
            to.late_a = to.late_a == v ? NOTHING : to.late_a;
            to.late_b = to.late_b == v ? NOTHING : to.late_b;
        }
    if (to.r4 != NOTHING && !to.until && !is_read_later(b, to.done, to.r4))
        to.r4 = NOTHING;
    if (__builtin_popcount(to.acc) <= 4 && read_all(b, s, half, 0, 0, none))
        add_state(next, &to);
}

static unsigned halves(const struct block *b, const struct state *s, bool on_mul, struct half *half) {
    unsigned n = 0;
    half[n++] = (struct half){-1, -1, 3};
    for (unsigned i = 0; i < b->n; i++) {
        bool may = !(s->done >> i & 1) && (on_mul ? b->op[i].kind != ADD : b->op[i].kind != MUL);
        for (unsigned k = 0; k < b->op[i].nsrc; k++)
            may &= b->op[i].src[k].kind != A_VALUE || b->op[i].src[k].v < 2 ||
                   s->done >> (b->op[i].src[k].v - 2) & 1 || is_port_read(b, b->op[i].src[k].v - 2);
        bool read = is_read_later(b, 0, 2 + i), r4 = b->op[i].kind == FUNCTION;
        for (int to = 0; to < 4 && may; to++)
            if ((to == 3) == (r4 || !read))
                half[n++] = (struct half){(int)i, -1, to};
    }
    for (unsigned v = 0; v < VALUES; v++)
        for (int to = 0; to < 3; to++)
            if (is_read_later(b, s->done, v) && !((to == 0 ? s->a : to == 1 ? s->b : s->acc) >> v & 1))
                half[n++] = (struct half){-1, (int)v, to};
    return n;
}

static unsigned shortest(const struct block *b) {
    struct states now = {0}, next = {0};
    struct state first = {.late_a = NOTHING, .late_b = NOTHING, .r4 = NOTHING};
    unsigned length = 0;
    for (unsigned v = 0; v < b->starts; v++)
        *(b->start[v] < PLACE_B ? &first.a : &first.b) |= (uint8_t)(1u << v);
    add_state(&now, &first);
    for (;; length++) {
        struct half add[64], mul[64];
        next.n = 0;
        for (unsigned i = 0; i < now.n; i++) {
            if (now.at[i].done == (1u << b->n) - 1)
                goto found;
            unsigned nadd = halves(b, &now.at[i], false, add), nmul = halves(b, &now.at[i], true, mul);
            for (unsigned x = 0; x < nadd; x++)
                for (unsigned y = 0; y < nmul; y++)
                    if (add[x].op < 0 || add[x].op != mul[y].op)
                        try_halves(b, &now.at[i], (struct half[]){add[x], mul[y]}, &next);
        }
        struct states spare = now;
        now = next, next = spare;
    }
found:
    free(now.at);
    free(next.at);
    return length;
}

/* --- random blocks -------------------------------------------------------------------------------------- */

static uint32_t draw(uint32_t *state, uint32_t n) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state / 3 % n;
}

static void make(struct block *b, uint32_t *state) {
    memset(b, 0, sizeof *b);
    b->n = 2 + draw(state, MOST - 1);
    b->starts = draw(state, 3);
    for (unsigned v = 0; v < b->starts; v++) /* often two in one file */
        b->start[v] = (draw(state, 3) ? PLACE_A : PLACE_B) + (int)v;
    unsigned kinds = 2 + draw(state, KINDS - 1), values = 1 + draw(state, 4);
    for (unsigned i = 0; i < b->n; i++) {
        b->op[i].kind = (enum kind)draw(state, kinds);
        b->op[i].nsrc = b->op[i].kind == FUNCTION ? 1 : 1 + draw(state, 2);
        for (unsigned k = 0; k < b->op[i].nsrc; k++) {
            unsigned from = draw(state, b->starts + i + 1);
            b->op[i].src[k].kind = (enum operand)draw(state, 2);
            b->op[i].src[k].v = draw(state, 3);
            if (from < b->starts + i && draw(state, values)) {
                b->op[i].src[k].kind = A_VALUE;
                b->op[i].src[k].v = from < b->starts ? from : 2 + from - b->starts;
            }
        }
        for (unsigned k = 1; k < b->op[i].nsrc; k++) /* an op has one word, or one immediate */
            if (b->op[i].src[0].kind != A_VALUE && b->op[i].src[k].kind != A_VALUE)
                b->op[i].src[k] = b->op[i].src[0];
    }
}

static void build(struct hand *h, const struct block *b) {
    static const uint8_t add[] = {QPU_A_FADD, 0, QPU_A_OR, 0}, mul[] = {0, QPU_M_FMUL, QPU_M_V8MIN, 0};
    uint32_t value[VALUES] = {0};
    hand_open(h, 1, false);
    h->m.entry = true;
    h->m.shader->stage = QPUCC_VERTEX;
    for (unsigned v = 0; v < b->starts; v++)
        value[v] = hand_start(h, b->start[v]);
    for (unsigned i = 0; i < b->n; i++) {
        struct m_src src[2] = {{0}, {0}};
        for (unsigned k = 0; k < b->op[i].nsrc; k++) {
            unsigned v = b->op[i].src[k].v;
            src[k] = b->op[i].src[k].kind == A_VALUE  ? hand_value(value[v])
                     : b->op[i].src[k].kind == A_WORD ? hand_word(h, 0x12345600u + v)
                                                      : hand_immediate(1 + v);
        }
        if (b->op[i].kind == FUNCTION) {
            value[2 + i] = hand_function(h, QPU_W_SFU_RECIP, src[0]);
            continue;
        }
        uint32_t op = hand_op(h, add[b->op[i].kind], mul[b->op[i].kind], b->op[i].nsrc, src[0], src[1]);
        value[2 + i] = m_new_val(&h->m);
        h->m.op[op].dst = value[2 + i];
        h->m.val[value[2 + i]].def = op;
    }
}

/* --- the search ----------------------------------------------------------------------------------------- */

struct found {
    struct sched *s;
    uint32_t plans, followed, count;
};

static bool follow(void *context, const struct sched_plan *plan) {
    struct found *f = context;
    f->plans++;
    if (!sched_list_follow(f->s, plan))
        return false;
    f->followed++;
    f->count = f->s->code.count;
    return true;
}

static const struct sched_strategy any = {.height = 1};

static void open_block(struct hand *h, struct sched *s, const struct block *b) {
    static const uint32_t rank[MOST];
    build(h, b);
    ck_assert(sched_open(s, &h->m));
    s->options.strategy = &any, s->options.rank = rank, s->options.limit = UINT64_MAX;
}

/* A random block, ready for plans. Returns its length at best. */
static unsigned open_next(struct hand *h, struct sched *s, uint32_t *state) {
    struct block b;
    make(&b, state);
    open_block(h, s, &b);
    return shortest(&b);
}

START_TEST(every_state) {
    enum { BLOCKS = 400 };
    uint32_t state = 2463534242u;
    unsigned harder = 0, followed = 0;
    for (unsigned k = 0; k < BLOCKS; k++) {
        struct hand h;
        struct sched s;
        unsigned least = open_next(&h, &s, &state);
        struct found found = {.s = &s};
        ck_assert_msg(sched_bound(&s) <= least, "block %u", k);
        ck_assert_msg(sched_exact(&s, least, NODES, follow, &found), "block %u: %u not proven", k, least);
        ck_assert_uint_eq(found.plans, 0);
        harder += !sched_prove(&s, least, NODES);
        ck_assert_msg(!sched_exact(&s, least + 1, NODES, follow, &found), "block %u: %u proven", k,
                      least + 1);
        ck_assert_msg(found.plans, "block %u: no plan of %u", k, least);
        ck_assert(!found.followed || found.count == least);
        followed += found.followed;
        ir_heap_free(s.code.inst);
        hand_close(&h);
    }
    ck_assert_msg(harder > BLOCKS / 20, "the relaxed block is as long for all but %u", harder);
    ck_assert_msg(followed > BLOCKS * 95 / 100, "only %u of %u plans could be followed", followed, BLOCKS);
}
END_TEST

/* The dive, from the bound on: most of what there is without moves, and plans that hold. */
START_TEST(late_places) {
    enum { BLOCKS = 400 };
    uint32_t state = 88172645u;
    unsigned found_least = 0, plans = 0, held = 0;
    for (unsigned k = 0; k < BLOCKS; k++) {
        struct hand h;
        struct sched s;
        unsigned least = open_next(&h, &s, &state);
        struct found found = {.s = &s};
        sched_dive(&s, sched_bound(&s), UINT32_MAX, follow, &found);
        ck_assert_msg(!found.followed || found.count >= least, "block %u: %u where %u is the least", k,
                      found.count, least);
        found_least += found.followed && found.count == least;
        plans += found.plans > 0, held += found.followed > 0;
        ir_heap_free(s.code.inst);
        hand_close(&h);
    }
    ck_assert_msg(found_least > BLOCKS * 95 / 100, "only %u of %u", found_least, BLOCKS);
    ck_assert_msg(held > plans * 95 / 100, "only %u of %u plans could be followed", held, plans);
}
END_TEST

static bool refuse(void *context, const struct sched_plan *plan) {
    struct found *f = context;
    f->plans++;
    f->count = plan->length > f->count ? plan->length : f->count;
    return false;
}

/* A dive below a length makes no plan of it, and ends when a few plans were refused. */
START_TEST(below_a_length) {
    enum { BLOCKS = 400, A_FEW = 4, SLACK = 2 };
    uint32_t state = 521288629u;
    unsigned all = 0, most = 0;
    for (unsigned k = 0; k < BLOCKS; k++) {
        struct hand h;
        struct sched s;
        unsigned least = open_next(&h, &s, &state);
        uint32_t bound = sched_bound(&s);
        struct found none = {.s = &s}, some = {.s = &s};
        sched_dive(&s, bound, bound, refuse, &none);
        ck_assert_uint_eq(none.plans, 0);
        sched_dive(&s, bound, least + SLACK, refuse, &some);
        ck_assert_msg(some.count < least + SLACK, "block %u: a plan of %u", k, some.count);
        ck_assert_msg(some.plans <= A_FEW, "block %u: %u plans", k, some.plans);
        all += some.plans;
        most += some.plans == A_FEW;
        ir_heap_free(s.code.inst);
        hand_close(&h);
    }
    ck_assert_msg(all > BLOCKS, "%u plans", all);
    ck_assert_msg(most > BLOCKS / 20, "only %u refused often", most);
}
END_TEST

/* Where the signal of a thread switch would stand: what is there needs none itself. */
START_TEST(signal_of_a_switch) {
    enum { A_TEXTURE_WORD = 1, ONLY_SMALL = 2, ROTATES = 4 };
    static const struct {
        bool immediate;
        unsigned is;
        bool may;
    } cases[] = {{false, 0, true},
                 {true, 0, true},
                 {true, A_TEXTURE_WORD, false},
                 {true, ONLY_SMALL, false},
                 {false, ROTATES, false}};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct hand h;
        struct sched s;
        hand_open(&h, 2, false);
        struct m_src from = cases[k].immediate ? hand_immediate(1) : hand_value(hand_start(&h, PLACE_A));
        uint32_t i = cases[k].is & A_TEXTURE_WORD ? hand_write(&h, QPU_W_TMU0_S, from)
                                                  : hand_op(&h, 0, QPU_M_V8MIN, 1, from, from);
        if (cases[k].is & A_TEXTURE_WORD)
            h.m.op[i].tmu_slot = ir_slot_const(h.m.shader, IR_I32, 0x12345678);
        h.m.op[i].small_imm_only = cases[k].is & ONLY_SMALL;
        h.m.op[i].rotate = cases[k].is & ROTATES ? 1 : 0;
        ck_assert(sched_open(&s, &h.m));
        struct prover p;
        ck_assert(prove_open(&p, &s, 4));
        struct placement_row rows[QPU_THREAD_SLOTS + 1] = {{.op = {i}, .n = 1}};
        ck_assert_msg(placement_may_switch(&p, rows, QPU_THREAD_SLOTS) == cases[k].may, "case %u", k);
        ck_assert(!placement_may_switch(&p, rows, QPU_THREAD_SLOTS - 1));
        rows[1].switches = true;
        ck_assert(!placement_may_switch(&p, rows, QPU_THREAD_SLOTS));
        ir_heap_free(s.code.inst);
        hand_close(&h);
    }
}
END_TEST

/* Can the row's ports deliver what these two ops ask for? */
static bool is_served(struct hand *h, uint32_t a, uint32_t b, uint32_t t) {
    struct sched s;
    struct prover p;
    struct placement_demand d;
    ck_assert(sched_open(&s, &h->m));
    ck_assert(prove_open(&p, &s, 8));
    struct prove_row none = prove_row_at(&p, t);
    struct placement_row row = placement_row_at(&p, &none, t);
    row.op[row.n++] = a, row.op[row.n++] = b;
    return placement_ask(&p, &row, &d);
}

START_TEST(one_setting_unpacks) {
    for (unsigned same = 0; same < 2; same++) {
        struct hand h;
        hand_open(&h, 1, false);
        struct m_src v = hand_value(hand_start(&h, PLACE_A)), zero = hand_immediate(0);
        v.unpack = QPU_UNPACK_8A;
        uint32_t a = hand_op(&h, QPU_A_FADD, 0, 2, v, zero);
        v.unpack = same ? QPU_UNPACK_8A : QPU_UNPACK_8B;
        uint32_t b = hand_op(&h, 0, QPU_M_FMUL, 2, v, zero);
        ck_assert(is_served(&h, a, b, 1) == same);
        hand_close(&h);
    }
}
END_TEST

/* What either ALU can do needs the mul ALU, and for that perhaps an immediate, beside what the add ALU does:
 * the word and the port's register leave no room for it. */
START_TEST(factor_beside_the_add_alu) {
    for (unsigned factor = 0; factor < 2; factor++) {
        struct hand h;
        hand_open(&h, 1, false);
        struct m_src word = hand_word(&h, 0x12345678), vary = {.kind = M_READ, .v = QPU_R_VARY};
        struct m_src v = hand_value(hand_start(&h, PLACE_A));
        vary.side = M_SIDE_A;
        uint32_t a = hand_op(&h, QPU_A_FADD, 0, 2, word, vary);
        uint32_t b = hand_op(&h, QPU_A_FADD, QPU_M_FMUL, 1, v, v);
        h.m.op[b].factor = factor ? 0x40000000 : 0;
        ck_assert(is_served(&h, a, b, 1) == !factor);
        hand_close(&h);
    }
}
END_TEST

/* Where the stream has just been set its words can't be read yet, so immediates come through file B alone. */
START_TEST(immediates_without_words) {
    enum { SET = MODEL_RESET + MODEL_STREAM_SET };
    for (unsigned early = 0; early < 2; early++) {
        struct hand h;
        hand_open(&h, 1, false);
        h.m.reset = true;
        struct m_src in_b = {.kind = M_READ, .v = QPU_R_VARY, .side = M_SIDE_B}, one = hand_immediate(1);
        uint32_t a = hand_op(&h, QPU_A_FADD, 0, 2, in_b, in_b);
        uint32_t b = hand_op(&h, 0, QPU_M_FMUL, 2, one, one);
        ck_assert(is_served(&h, a, b, early ? SET - 1 : SET) == !early);
        hand_close(&h);
    }
}
END_TEST

static bool in_turn(void *context, const struct sched_plan *plan) {
    const uint32_t *when = plan->when;
    struct found *f = context;
    f->plans++;
    ck_assert(when[1] <= when[2] || when[3] <= when[0]);
    return false;
}

/* There is one set of flags: of ops 0 and 2, which set them, one waits for what reads the other's, 1 or 3. */
START_TEST(flags_in_turn) {
    struct hand h;
    struct sched s;
    hand_open(&h, 1, false);
    h.m.entry = true;
    struct m_src v = hand_value(hand_start(&h, PLACE_A)), one = hand_immediate(1);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t sets = hand_op(&h, QPU_A_OR, 0, 2, v, v);
        uint32_t reads = hand_op(&h, QPU_A_OR, QPU_M_V8MIN, 2, one, one);
        h.m.op[sets].sf = true;
        h.m.op[sets].first_member = reads + 1;
        h.m.op[reads].flags = sets, h.m.op[reads].cond = QPU_COND_ZS;
        m_add_edge(&h.m, sets, reads, 1, false);
    }
    ck_assert(sched_open(&s, &h.m));
    struct found found = {.s = &s};
    ck_assert(!sched_exact(&s, 5, NODES, in_turn, &found));
    ck_assert_uint_gt(found.plans, 4);
    hand_close(&h);
}
END_TEST

START_TEST(no_work_or_memory_no_proof) {
    struct block b = {
        .n = 1, .starts = 2, .start = {PLACE_A, PLACE_A + 1}, .op = {{ADD, 2, {{A_VALUE, 0}, {A_VALUE, 1}}}}};
    struct hand h;
    struct sched s;
    open_block(&h, &s, &b);
    struct found found = {.s = &s};
    ck_assert_uint_eq(shortest(&b), 2); /* a move, because file A has one port */
    ck_assert(sched_exact(&s, 2, NODES, follow, &found));
    ck_assert(!sched_exact(&s, 2, 1, follow, &found));
    ck_assert_uint_eq(found.plans, 0);
    ir_limits_set(h.m.arena, (uint64_t[QPUCC_LIMIT_COUNT]){[QPUCC_LIMIT_BYTES] = 1 << 20});
    ck_assert(!sched_exact(&s, 2, NODES, follow, &found));
    ck_assert(!sched_exact(&s, 3, NODES, follow, &found));
    ck_assert_uint_eq(found.plans, 0);
    ck_assert(!ir_arena_oom(h.m.arena));
    ir_limits_set(h.m.arena, NULL);
    ck_assert(!sched_exact(&s, 3, NODES, follow, &found));
    ck_assert_uint_eq(found.count, 2); /* without the moves that the plan makes besides */
    ir_heap_free(s.code.inst);
    hand_close(&h);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("sched_exact");
    TCase *c = tcase_create("exact");
    tcase_add_test(c, every_state);
    if (!SANITIZED) { /* the same search again, more often */
        tcase_add_test(c, late_places);
        tcase_add_test(c, below_a_length);
    }
    tcase_add_test(c, signal_of_a_switch);
    tcase_add_test(c, one_setting_unpacks);
    tcase_add_test(c, factor_beside_the_add_alu);
    tcase_add_test(c, immediates_without_words);
    tcase_add_test(c, flags_in_turn);
    tcase_add_test(c, no_work_or_memory_no_proof);
    tcase_set_timeout(c, 60);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
