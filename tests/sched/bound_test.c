/* The lower bound and the proof, against every order there is of small relaxed blocks: what units an op
 * takes, the stream's one word, latencies and what must follow at the end, and nothing else. */
#include "hand.h"
#include "ir/heap.h"
#include "sched/prove.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* NODES: enough for all of these, and not many more, so that a search that cuts off less is noticed. */
enum { MOST = 8, NODES = 700 };
enum kind { ADD, MUL, EITHER, SIGNAL, KINDS };

/* A block without values: ops of a kind, some of which take a word of the stream, and edges. */
struct relaxed {
    unsigned n, edges;
    enum kind kind[MOST];
    uint32_t word[MOST]; /* 0: none */
    struct {
        unsigned from, to, latency;
        bool soft;
    } edge[MOST * MOST];
    bool whole;
};

static void build(struct hand *h, const struct relaxed *r) {
    static const uint8_t add[KINDS] = {QPU_A_ADD, 0, QPU_A_OR, 0},
                         mul[KINDS] = {0, QPU_M_MUL24, QPU_M_V8MIN, 0};
    hand_open(h, 1, r->whole);
    h->m.shader->stage = QPUCC_VERTEX; /* a fragment shader's last ops read words that were loaded before */
    for (unsigned i = 0; i < r->n; i++) {
        struct m_src word = hand_word(h, 0x12345600u + r->word[i]); /* no small immediate */
        uint32_t op = hand_op(h, add[r->kind[i]], mul[r->kind[i]], r->word[i] ? 1 : 0, word, word);
        if (r->kind[i] == SIGNAL)
            h->m.op[op].sig = QPU_SIG_LDTMU0;
    }
    for (unsigned e = 0; e < r->edges; e++)
        m_add_edge(&h->m, r->edge[e].from, r->edge[e].to, r->edge[e].latency, r->edge[e].soft);
}

/* --- every order ---------------------------------------------------------------------------------------- */

static unsigned tail_of(const struct relaxed *r, unsigned i) {
    return r->whole && r->word[i] ? 3
                                  : 0; /* the last two slots of a program read no uniform, nor does the end */
}

/* May these ops stand in one instruction? */
static bool fits(const struct relaxed *r, unsigned set) {
    unsigned count[KINDS] = {0};
    uint32_t word = 0;
    for (unsigned i = 0; i < r->n; i++) {
        if (!(set >> i & 1))
            continue;
        count[r->kind[i]]++;
        if (word && r->word[i] && r->word[i] != word)
            return false;
        word = r->word[i] ? r->word[i] : word;
    }
    return count[ADD] <= 1 && count[MUL] <= 1 && count[SIGNAL] <= 1 &&
           count[ADD] + count[MUL] + count[EITHER] <= 2;
}

static bool order(const struct relaxed *r, unsigned t, unsigned length, unsigned issued,
                  unsigned when[MOST]) {
    unsigned all = (1u << r->n) - 1, ready = 0;
    if (issued == all)
        return true;
    if (t >= length)
        return false;
    for (unsigned i = 0; i < r->n; i++) {
        bool may = !(issued >> i & 1) && t + 1 + tail_of(r, i) <= length;
        may &= !(r->whole && r->kind[i] == SIGNAL && t + 3 == length); /* the thread end is one */
        for (unsigned e = 0; may && e < r->edges; e++)
            if (r->edge[e].to == i)
                may = (issued >> r->edge[e].from & 1) &&
                      when[r->edge[e].from] + (r->edge[e].soft ? 1 : r->edge[e].latency) <= t;
        ready |= (unsigned)may << i;
    }
    for (unsigned set = ready;; set = (set - 1) & ready) {
        for (unsigned i = 0; i < r->n; i++)
            if (set >> i & 1)
                when[i] = t;
        if (fits(r, set) && order(r, t + 1, length, issued | set, when))
            return true;
        if (!set)
            return false;
    }
}

/* What a program takes without any ops. The bound counts it; the proof is about ops, and never asked then. */
static unsigned end_alone(const struct relaxed *r) {
    return r->whole ? 3 : 0;
}

static unsigned shortest(const struct relaxed *r) {
    unsigned when[MOST], length = end_alone(r);
    while (!order(r, 0, length, 0, when))
        length++;
    return length;
}

/* --- random blocks -------------------------------------------------------------------------------------- */

static uint32_t draw(uint32_t *state, uint32_t n) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state / 3 % n;
}

static void make(struct relaxed *r, uint32_t *state) {
    memset(r, 0, sizeof *r);
    r->n = 2 + draw(state, MOST - 1);
    r->whole = draw(state, 2);
    unsigned kinds = 1 + draw(state, KINDS), words = draw(state, 3), sparse = 1 + draw(state, 6);
    for (unsigned i = 0; i < r->n; i++) {
        r->kind[i] = (enum kind)draw(state, kinds);
        if (words && r->kind[i] != SIGNAL && draw(state, 2))
            r->word[i] = 1 + draw(state, words * 2);
        for (unsigned k = 0; k < i; k++)
            if (!draw(state, sparse)) {
                r->edge[r->edges].from = k;
                r->edge[r->edges].to = i;
                r->edge[r->edges].latency = 1 + draw(state, 3);
                r->edge[r->edges++].soft = !draw(state, 4);
            }
    }
}

START_TEST(every_order) {
    uint32_t state = 88172645u;
    unsigned exact = 0, blocks = 3000;
    for (unsigned k = 0; k < blocks; k++) {
        struct relaxed r;
        struct hand h;
        struct sched s;
        make(&r, &state);
        unsigned least = shortest(&r);
        build(&h, &r);
        ck_assert(sched_open(&s, &h.m));
        unsigned bound = sched_bound(&s);
        ck_assert_msg(bound <= least, "block %u: bound %u, but there is an order of %u", k, bound, least);
        ck_assert_msg(bound + 3 > least, "block %u: bound %u, shortest %u", k, bound, least);
        exact += bound == least;
        ck_assert_msg(sched_prove(&s, least, NODES) || least == end_alone(&r), "block %u: %u not proven", k,
                      least);
        ck_assert_msg(!sched_prove(&s, least + 1, NODES), "block %u: %u proven, but there is one of %u", k,
                      least + 1, least);
        hand_close(&h);
    }
    ck_assert_msg(exact > blocks * 95 / 100, "only %u of %u bounds are exact", exact, blocks);
}
END_TEST

START_TEST(no_nodes_no_proof) {
    struct relaxed r = {.n = 6, .kind = {ADD, ADD, MUL, MUL, EITHER, EITHER}};
    struct hand h;
    struct sched s;
    build(&h, &r);
    ck_assert(sched_open(&s, &h.m));
    ck_assert(sched_prove(&s, 3, NODES));
    ck_assert(!sched_prove(&s, 4, NODES));
    hand_close(&h);
}
END_TEST

/* As many ops on one ALU as the proof's tables hold, and one more. */
START_TEST(large_blocks) {
    for (unsigned n = 100; n <= 129; n += 29) {
        struct hand h;
        struct sched s;
        hand_open(&h, 1, false);
        for (unsigned k = 0; k < n; k++)
            hand_op(&h, QPU_A_ADD, 0, 2, hand_immediate(1), hand_immediate(1));
        ck_assert(sched_open(&s, &h.m));
        ck_assert_uint_eq(sched_bound(&s), n);
        ck_assert(sched_prove(&s, n, NODES) == (n == 100));
        hand_close(&h);
    }
}
END_TEST

/* More values than ops have numbers, some of them there from the start: the proof knows no places. */
START_TEST(many_values) {
    enum { MADE = 110, READ = 18 };
    struct hand h;
    struct sched s;
    hand_open(&h, 1, false);
    for (unsigned k = 0; k < MADE; k++)
        hand_make(&h, QPU_A_ADD, 0, hand_immediate(1), hand_immediate(1));
    for (int k = 0; k < READ; k++)
        hand_op(&h, QPU_A_ADD, 0, 2, hand_value(hand_start(&h, PLACE_A + k)),
                hand_value(hand_start(&h, PLACE_B + k)));
    ck_assert_uint_gt(h.m.nval, PROVE_MOST);
    ck_assert(sched_open(&s, &h.m));
    ck_assert(sched_prove(&s, MADE + READ, NODES));
    hand_close(&h);
}
END_TEST

/* --- single units --------------------------------------------------------------------------------------- */

static void expect(const struct relaxed *r, unsigned length) {
    struct hand h;
    struct sched s;
    build(&h, r);
    ck_assert(sched_open(&s, &h.m));
    ck_assert_uint_eq(sched_bound(&s), length);
    ck_assert(sched_prove(&s, length, NODES) || length == end_alone(r));
    ck_assert(!sched_prove(&s, length + 1, NODES));
    hand_close(&h);
}

START_TEST(units) {
    struct relaxed r = {.n = 6};
    expect(&r, 6); /* all on the add ALU */
    for (unsigned i = 0; i < 6; i++)
        r.kind[i] = i % 2 ? ADD : MUL;
    expect(&r, 3);
    for (unsigned i = 0; i < 6; i++)
        r.kind[i] = EITHER;
    expect(&r, 3);
    r.kind[0] = r.kind[1] = r.kind[2] = SIGNAL; /* beside the ALUs */
    expect(&r, 3);
    r.kind[3] = SIGNAL;
    expect(&r, 4);
    r = (struct relaxed){
        .n = 6, .kind = {EITHER, EITHER, EITHER, EITHER, EITHER, EITHER}, .word = {1, 1, 2, 2, 3, 3}};
    expect(&r, 3); /* two readers share a word */
    r.word[5] = 4;
    expect(&r, 4);
    r.word[5] = 0; /* reads none */
    expect(&r, 3);
    r.whole = true; /* 3 words, then 3 instructions that read none */
    expect(&r, 6);
}
END_TEST

START_TEST(latencies) {
    struct relaxed r = {.n = 3, .edges = 2, .edge = {{0, 1, 3, false}, {1, 2, 2, false}}};
    expect(&r, 6);
    r.edge[0].soft = true; /* the hardware waits by itself */
    expect(&r, 4);
    r.whole = true;
    expect(&r, 4);
    r.n = 1, r.edges = 0;
    expect(&r, 3); /* a program's end alone */
    r.word[0] = 1;
    expect(&r, 4);
}
END_TEST

/* Thread switches: what lies between a switch and others may shrink by its whole shadow (finish.c). */
START_TEST(distances) {
    struct hand h;
    hand_open(&h, 1, false);
    h.m.options.threads = 2; /* one alone does not switch */
    struct m_src none = {0};
    uint32_t a = hand_op(&h, QPU_A_ADD, 0, 0, none, none), b = hand_op(&h, QPU_A_ADD, 0, 0, none, none);
    struct m_edge edge = {.from = a, .to = b, .latency = QPU_THREAD_SLOTS + 3};
    ck_assert_uint_eq(model_distance(&h.m, &edge), QPU_THREAD_SLOTS + 3);
    edge.soft = true;
    ck_assert_uint_eq(model_distance(&h.m, &edge), 1);
    edge.soft = false;
    h.m.op[b].sig = QPU_SIG_THRSW;
    ck_assert_uint_eq(model_distance(&h.m, &edge), 2);
    h.m.op[b].sig = QPU_SIG_NONE, h.m.op[a].sig = QPU_SIG_LTHRSW;
    ck_assert_uint_eq(model_distance(&h.m, &edge), 2);
    edge.latency = QPU_THREAD_SLOTS + 1;
    ck_assert_uint_eq(model_distance(&h.m, &edge), 0);
    edge.latency = 1;
    ck_assert_uint_eq(model_distance(&h.m, &edge), 0);
    edge.latency = QPU_THREAD_SLOTS + 1; /* behind its last slot; and what is before it may be there */
    ck_assert_uint_eq(model_least_distance(&h.m, &edge), 1);
    h.m.op[b].sig = QPU_SIG_THRSW, h.m.op[a].sig = QPU_SIG_NONE;
    ck_assert_uint_eq(model_least_distance(&h.m, &edge), QPU_THREAD_SLOTS);
    edge.latency = 1;
    ck_assert_uint_eq(model_least_distance(&h.m, &edge), 0);
    hand_close(&h);
}
END_TEST

/* What only a file can hold is readable an instruction later: a value that other blocks read in its register,
 * one that its op can't write elsewhere, and what an operand unpacks. */
START_TEST(files) {
    enum { ACCUMULATOR, FIXED, WRITTEN, UNPACKED, CASES };
    for (unsigned k = 0; k < CASES; k++) {
        struct hand h;
        struct sched s;
        hand_open(&h, 1, false);
        uint32_t v = hand_make(&h, QPU_A_FADD, 0, hand_immediate(0x3f800000), hand_immediate(0x3f800000));
        uint32_t w = hand_make(&h, QPU_A_FADD, 0, hand_value(v), hand_immediate(0));
        h.m.val[w].fixed = 5;
        if (k == FIXED)
            h.m.val[v].fixed = 4;
        if (k == WRITTEN)
            m_restrict_write(&h.m, v, M_IN_FILES);
        if (k == UNPACKED) {
            h.m.op[h.m.val[w].def].src[0].unpack = QPU_UNPACK_16A;
            m_restrict_reads(&h.m, v, M_IN_UNPACKER);
        }
        unsigned length = k == ACCUMULATOR ? 2 : 3;
        ck_assert(sched_open(&s, &h.m));
        ck_assert_uint_eq(sched_bound(&s), length);
        ck_assert(sched_prove(&s, length, NODES));
        ck_assert(!sched_prove(&s, length + 1, NODES));
        struct m_code code = {0};
        ck_assert(hand_schedule(&h, &code));
        ck_assert_uint_eq(code.count, length);
        ir_heap_free(code.inst);
        hand_close(&h);
    }
}
END_TEST

/* What the block before writes in its last instruction can be read in the second one; in a program's first
 * block it is there from the start. */
START_TEST(from_the_block_before) {
    for (unsigned k = 0; k < 2; k++) {
        struct hand h;
        struct sched s;
        hand_open(&h, 1, false);
        h.m.entry = k;
        uint32_t v = hand_start(&h, PLACE_A);
        hand_op(&h, QPU_A_FADD, 0, 2, hand_value(v), hand_value(v));
        ck_assert(sched_open(&s, &h.m));
        ck_assert_uint_eq(sched_bound(&s), k ? 1 : 2);
        hand_close(&h);
    }
}
END_TEST

/* There is nothing beside the branch: five ops in a row take six instructions with it, the last three of
 * which may be its slots. */
START_TEST(nothing_beside_a_branch) {
    struct hand h;
    struct sched s;
    struct m_src none = {0};
    hand_open(&h, 1, false);
    for (unsigned k = 0; k < 5; k++)
        hand_op(&h, QPU_A_ADD, 0, 0, none, none);
    h.m.branch_to = 0;
    ck_assert(sched_open(&s, &h.m));
    ck_assert_uint_eq(sched_bound(&s), 5);
    ck_assert(sched_prove(&s, 6, NODES));
    ck_assert(!sched_prove(&s, 7, NODES));
    hand_close(&h);
}
END_TEST

/* What comes before a switch may be in its slots, what comes after it not. A fragment shader waits for the
 * scoreboard between the last one and its end. */
START_TEST(switches) {
    for (unsigned k = 0; k < 2; k++) {
        struct hand h;
        struct sched s;
        struct m_src none = {0};
        hand_open(&h, 2, k);
        uint32_t before[3], after = 0, to = 0;
        for (unsigned i = 0; i < 3; i++)
            before[i] = hand_op(&h, QPU_A_ADD, 0, 0, none, none);
        to = hand_op(&h, 0, 0, 0, none, none);
        h.m.op[to].sig = k ? QPU_SIG_LTHRSW : QPU_SIG_THRSW;
        after = hand_op(&h, QPU_A_ADD, 0, 0, none, none);
        for (unsigned i = 0; i < 3; i++)
            m_add_edge(&h.m, before[i], to, 1, false);
        m_add_edge(&h.m, to, after, MODEL_SWITCH, false);
        unsigned length = k ? 7 : 4;
        ck_assert(sched_open(&s, &h.m));
        ck_assert(sched_prove(&s, length, NODES) || sched_bound(&s) == length);
        ck_assert(!sched_prove(&s, length + 1, NODES));
        hand_close(&h);
    }
}
END_TEST

/* Where a block does not end the program, its branch and the slots follow what the branch asks. */
START_TEST(branches) {
    struct hand h;
    struct sched s;
    struct m_src none = {0};
    static const struct {
        int32_t to, to2;
        bool setter;
        unsigned bound;
    } cases[] = {{-1, -1, false, 2}, {0, -1, false, 4}, {0, -1, true, 6}, {0, 0, false, 8}, {0, 0, true, 10}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hand_open(&h, 1, false);
        uint32_t a = hand_op(&h, QPU_A_ADD, 0, 0, none, none), b = hand_op(&h, QPU_A_ADD, 0, 0, none, none);
        m_add_edge(&h.m, a, b, 1, false);
        h.m.branch_to = cases[k].to, h.m.branch_to2 = cases[k].to2;
        h.m.branch_setter = cases[k].setter ? b : M_NO_VALUE;
        ck_assert(sched_open(&s, &h.m));
        ck_assert_uint_eq(sched_bound(&s), cases[k].bound);
        ck_assert(sched_prove(&s, cases[k].bound, NODES) || cases[k].bound == model_least(&h.m));
        ck_assert(!sched_prove(&s, cases[k].bound + 1, NODES));
        hand_close(&h);
    }
}
END_TEST

/* One small immediate fits into an instruction; a word that is none, or a second one, comes from the stream.
 */
START_TEST(words_of_the_stream) {
    static const struct {
        int nsrc;
        uint32_t a, b;
        bool reads;
    } cases[] = {{1, 7, 7, false},  {1, 7, 100, false}, {1, 100, 0, true},
                 {2, 7, 7, false},  {2, 7, 8, true},    {2, 8, 7, true},
                 {2, 100, 7, true}, {2, 7, 100, true},  {2, 0xfffffff0u, 0xfffffff0u, false}};
    struct hand h;
    hand_open(&h, 1, true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t op = hand_op(&h, QPU_A_ADD, 0, (unsigned)cases[i].nsrc, hand_immediate(cases[i].a),
                              hand_immediate(cases[i].b));
        ck_assert_msg(m_reads_stream(&h.m.op[op]) == cases[i].reads, "case %zu", i);
    }
    uint32_t op = hand_op(&h, QPU_A_ADD, 0, 2, hand_value(hand_start(&h, 0)), hand_word(&h, 7));
    ck_assert(m_reads_stream(&h.m.op[op]));
    op = hand_op(&h, QPU_A_ADD, 0, 2, hand_value(hand_start(&h, 1)), hand_immediate(7));
    ck_assert(!m_reads_stream(&h.m.op[op]));
    hand_close(&h);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("sched_bound");
    TCase *c = tcase_create("bound");
    tcase_add_test(c, every_order);
    tcase_add_test(c, large_blocks);
    tcase_add_test(c, many_values);
    tcase_add_test(c, no_nodes_no_proof);
    tcase_add_test(c, units);
    tcase_add_test(c, words_of_the_stream);
    tcase_add_test(c, latencies);
    tcase_add_test(c, files);
    tcase_add_test(c, distances);
    tcase_add_test(c, branches);
    tcase_add_test(c, from_the_block_before);
    tcase_add_test(c, nothing_beside_a_branch);
    tcase_add_test(c, switches);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
