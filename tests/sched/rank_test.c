/* Orders of ops: each op once and after what it waits for, peaks as counted anew, and few values alive where
 * that can be. */
#include "hand.h"

#include <check.h>
#include <stdlib.h>

enum { MOST = 600 };

static struct hand h;
static struct sched s;

static uint32_t draw(uint32_t *state, uint32_t n) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state / 3 % n;
}

/* Values alive at once at most: made or there at the start, and still to be read. */
static unsigned peak_of(const uint32_t *order, uint32_t count) {
    uint32_t made[MOST], last[MOST];
    unsigned peak = 0;
    for (uint32_t v = 0; v < h.m.nval; v++) {
        made[v] = h.m.val[v].start >= 0 ? 0 : UINT32_MAX;
        last[v] = 0;
    }
    for (uint32_t t = 0; t < count; t++) {
        const struct m_op *op = &h.m.op[order[t]];
        for (unsigned k = 0; k <= op->nsrc; k++)
            if (m_reads(op, k) != M_NO_VALUE)
                last[m_reads(op, k)] = t + 1;
        if (op->dst != M_NO_VALUE)
            made[op->dst] = t + 1;
    }
    for (uint32_t t = 0; t <= count; t++) { /* after op t */
        unsigned alive = 0;
        for (uint32_t v = 0; v < h.m.nval; v++)
            alive += made[v] <= t && last[v] > t;
        peak = alive > peak ? alive : peak;
    }
    return peak;
}

/* The peak of an order, which is checked. */
static unsigned check(const uint32_t *rank, const char *what) {
    struct ir_loc where;
    uint32_t order[MOST], place[MOST], count = rank_to_order(&s, rank, order);
    ck_assert_msg(count == h.m.nop, "%s: %u of %u ops", what, count, h.m.nop);
    for (uint32_t i = 0; i < count; i++)
        place[i] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_msg(order[i] < count && place[order[i]] == UINT32_MAX, "%s: op %u twice", what, order[i]);
        place[order[i]] = i;
    }
    for (uint32_t e = 0; e < s.nedge; e++)
        ck_assert_msg(place[s.edge[e].from] < place[s.edge[e].to], "%s: op %u before %u", what, s.edge[e].to,
                      s.edge[e].from);
    unsigned peak = rank_peak(&s, order, count, &where);
    ck_assert_msg(peak == peak_of(order, count), "%s: a peak of %u, counted %u", what, peak,
                  peak_of(order, count));
    return peak;
}

struct peaks {
    unsigned source, depth, backwards;
};

static struct peaks all_orders(void) {
    uint32_t rank[MOST];
    struct peaks p;
    ck_assert(sched_open(&s, &h.m));
    place_begin(&s);
    for (uint32_t i = 0; i < h.m.nop; i++)
        rank[i] = i;
    p.source = check(rank, "source's order");
    rank_depth_first(&s, rank);
    p.depth = check(rank, "depth first");
    rank_backwards(&s, rank);
    p.backwards = check(rank, "backwards");
    return p;
}

/* Two ops under flags that one before them sets. */
static void make_group(uint32_t value[], uint32_t *n, uint32_t *state) {
    uint32_t setter =
        hand_op(&h, QPU_A_SUB, 0, 2, hand_value(value[draw(state, *n)]), hand_value(value[draw(state, *n)]));
    h.m.op[setter].sf = true;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t made = hand_make(&h, QPU_A_ADD, 0, hand_value(value[draw(state, *n - k)]),
                                  hand_value(value[draw(state, *n - k)]));
        uint32_t member = h.m.val[made].def;
        h.m.op[member].flags = setter;
        h.m.op[member].next_member = h.m.op[setter].first_member;
        h.m.op[setter].first_member = member + 1;
        m_add_edge(&h.m, setter, member, 1, false);
        value[(*n)++] = made;
    }
}

/* Values of each other, of two registers and of words, some of them written. `groups`: with flags. */
static void make_block(uint32_t *state, uint32_t size, bool groups) {
    uint32_t value[MOST], n = 0;
    hand_open(&h, 1, true);
    value[n++] = hand_start(&h, PLACE_A + 4);
    value[n++] = hand_start(&h, PLACE_B + 7);
    while (n < size) {
        if (groups && n > 4 && draw(state, 8) == 0) {
            make_group(value, &n, state);
            continue;
        }
        struct m_src a = hand_value(value[draw(state, n)]), b = hand_value(value[draw(state, n)]);
        value[n++] = draw(state, 4) ? hand_make(&h, QPU_A_ADD, 0, a, b)
                                    : hand_move(&h, hand_word(&h, draw(state, 1u << 30)));
    }
    for (uint32_t i = 0; i < n; i += 1 + draw(state, 5))
        hand_write(&h, QPU_W_VPM, hand_value(value[i]));
}

START_TEST(random_blocks) {
    uint32_t state = 362436069u;
    unsigned worse = 0, sum[2] = {0, 0};
    for (int k = 0; k < 400; k++) {
        make_block(&state, 5 + draw(&state, 120), false);
        struct peaks p = all_orders();
        worse += p.backwards > p.source;
        sum[0] += p.source, sum[1] += p.backwards;
        hand_close(&h);
    }
    ck_assert_msg(worse < 40, "backwards needs more than the source's order in %u blocks", worse);
    ck_assert_msg(sum[1] * 10 < sum[0] * 9, "backwards %u, source %u", sum[1], sum[0]);
}
END_TEST

static void check_flags(const uint32_t *order, uint32_t count) {
    uint32_t left = 0, setter = M_NO_VALUE;
    for (uint32_t t = 0; t < count; t++) {
        const struct m_op *op = &h.m.op[order[t]];
        if (op->sf) {
            ck_assert_uint_eq(left, 0);
            setter = order[t], left = 2;
        } else if (op->flags != M_NO_VALUE) {
            ck_assert_uint_eq(op->flags, setter);
            left--;
        }
    }
    ck_assert_uint_eq(left, 0);
}

/* From the source's order: no more values alive than told, fewer than backwards on the whole. */
START_TEST(exchanges) {
    uint32_t state = 88675123u;
    unsigned sum[3] = {0, 0, 0};
    for (int k = 0; k < 24; k++) {
        uint32_t rank[MOST], order[MOST];
        make_block(&state, 30 + draw(&state, 120), true);
        struct peaks p = all_orders();
        for (uint32_t i = 0; i < h.m.nop; i++)
            rank[i] = order[i] = i;
        place_begin(&s);
        unsigned told = rank_exchange(&s, order, h.m.nop, 1);
        for (uint32_t i = 0; i < h.m.nop; i++)
            rank[order[i]] = i;
        ck_assert_uint_eq(check(rank, "exchanged"), told);
        ck_assert_uint_le(told, p.source);
        check_flags(order, h.m.nop);
        sum[0] += p.source, sum[1] += p.backwards, sum[2] += told;
        hand_close(&h);
    }
    ck_assert_msg(sum[2] * 20 < sum[1] * 19, "exchanged %u, backwards %u, source %u", sum[2], sum[1], sum[0]);
}
END_TEST

/* A sum of 2^k words, level by level: as it stands all words of a level are alive, a tree needs one a level.
 * */
START_TEST(trees) {
    for (unsigned k = 1; k < 7; k++) {
        uint32_t value[64];
        hand_open(&h, 1, true);
        for (unsigned i = 0; i < 1u << k; i++)
            value[i] = hand_move(&h, hand_word(&h, 0x10000u + i));
        for (unsigned n = 1u << k; n > 1; n /= 2)
            for (unsigned i = 0; i < n / 2; i++)
                value[i] =
                    hand_make(&h, QPU_A_ADD, 0, hand_value(value[2 * i]), hand_value(value[2 * i + 1]));
        hand_write(&h, QPU_W_TLB_COLOR, hand_value(value[0]));
        struct peaks p = all_orders();
        ck_assert_uint_eq(p.source, 1u << k);
        ck_assert_uint_eq(p.depth, k + 1);
        ck_assert_uint_eq(p.backwards, k + 1);
        hand_close(&h);
    }
}
END_TEST

/* Sums of neighbours: a window is enough. */
START_TEST(windows) {
    uint32_t value[101];
    hand_open(&h, 1, true);
    for (unsigned i = 0; i < 101; i++)
        value[i] = hand_move(&h, hand_word(&h, 0x10000u + i));
    for (unsigned i = 0; i < 100; i++)
        hand_write(&h, QPU_W_VPM,
                   hand_value(hand_make(&h, QPU_A_ADD, 0, hand_value(value[i]), hand_value(value[i + 1]))));
    struct peaks p = all_orders();
    ck_assert_uint_eq(p.source, 101);
    ck_assert_msg(p.backwards <= 3, "%u", p.backwards);
    ck_assert_msg(p.depth <= 3, "%u", p.depth);
    hand_close(&h);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("sched_rank");
    TCase *c = tcase_create("orders");
    tcase_add_test(c, random_blocks);
    tcase_add_test(c, exchanges);
    tcase_add_test(c, trees);
    tcase_add_test(c, windows);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
