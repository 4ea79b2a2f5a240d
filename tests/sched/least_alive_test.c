/* Values alive that no order avoids: never more than an order has or a list-scheduling run gave places to,
 * and as many as there are where each op leads to the next. */
#include "hand.h"
#include "ir/heap.h"

#include <check.h>
#include <stdlib.h>

enum { MOST = 400 };

static struct hand h;
static struct sched s;

static uint32_t draw(uint32_t *state, uint32_t n) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state / 3 % n;
}

/* Registers that other blocks need, values that are in registers at the start, and the register that a value
 * is written to for other blocks: it may be one of those. */
struct outside {
    uint32_t start;    /* values */
    unsigned occupied; /* percent of the registers */
    unsigned fixed;    /* values */
};

static int some_register(uint32_t *state, unsigned threads) {
    uint32_t files = threads == 2 ? 16 : 32, r = draw(state, 2 * files);
    return (int)(r < files ? PLACE_A + r : PLACE_B + r - files);
}

static void random_block(uint32_t *state, const struct outside *outside) {
    unsigned threads = 1 + draw(state, 2);
    uint32_t value[MOST], n = 0, size = 8 + draw(state, 240), window = 2 + draw(state, 120),
                          links = 1 + draw(state, 12); /* of so many ops all but one go on from the last */
    hand_open(&h, threads, false);
    for (int r = 0; r < 64; r++)
        if ((unsigned)(r & 31) < (threads == 2 ? 16u : 32u) && draw(state, 100) < outside->occupied)
            h.occupied[r / 32] |= 1u << (r & 31);
    for (uint32_t k = 0; k < outside->start; k++)
        value[n++] = hand_start(&h, some_register(state, threads));
    value[n++] = hand_move(&h, (struct m_src){.kind = M_READ, .v = QPU_R_ELEM_QPU, .side = M_SIDE_A});
    while (n < size) {
        uint32_t first = n > window ? n - window : 0, last = value[n - 1];
        struct m_src a = hand_value(value[first + draw(state, n - first)]);
        switch (draw(state, links) ? 3 : draw(state, 3)) {
        case 0: value[n++] = hand_function(&h, QPU_W_SFU_RECIP, a); break;
        case 1:
            value[n++] = hand_move(&h, (struct m_src){.kind = M_READ, .v = QPU_R_ELEM_QPU, .side = M_SIDE_A});
            break;
        case 2: value[n++] = hand_move(&h, hand_word(&h, 0x10000u + draw(state, 1000))); break;
        default: value[n++] = hand_make(&h, QPU_A_ADD, 0, hand_value(last), a);
        }
    }
    for (uint32_t k = 0; k < outside->fixed; k++) {
        int place = some_register(state, threads);
        uint32_t v = hand_move(&h, hand_value(value[draw(state, n)]));
        bool taken = false;
        for (uint32_t u = 0; u < h.m.nval; u++)
            taken |= h.m.val[u].fixed == place || h.m.val[u].start == place;
        if (!taken) {
            h.m.val[v].fixed = (int16_t)place;
            h.occupied[place / 32] |= 1u << (place & 31);
        }
    }
    uint32_t sum = value[n - 1];
    bool reverse = draw(state, 2);
    for (uint32_t k = 0, i = reverse ? n - 2 : 0; k + 1 < n; k++, i += reverse ? -1 : 1)
        sum = hand_make(&h, QPU_A_ADD, 0, hand_value(sum), hand_value(value[i]));
    hand_write(&h, QPU_W_VPM, hand_value(sum));
}

static unsigned used(void) {
    uint64_t occupied = m_occupied(&h.m);
    return (unsigned)(__builtin_popcount((uint32_t)(s.now.places.used[0] | (occupied & UINT32_MAX))) +
                      __builtin_popcount((uint32_t)(s.now.places.used[1] | occupied >> 32)) +
                      __builtin_popcount(s.now.places.used_acc)) +
           1; /* r4 */
}

static const struct sched_strategy strategies[] = {
    {1, 0.05, 2.9, 0.4, 0.7, 0, -9, BY_DEPTH, 0}, {1, 0.3, 2, 0.3, 0.2, 0, 2, BY_PRESSURE, 0},
    {0, 1, 2, 1, 0.3, 0, 0, BY_DEPTH, 100},       {0, 1, 2, 1, 0.3, 0, 0, BY_SOURCE, 8},
    {0, 1, 0, 1, 0.3, 0, 0, BY_PRESSURE, 6},
};

START_TEST(random_blocks) {
    static const struct outside outside[] = {{0, 0, 0}, {6, 0, 2}, {2, 40, 0}, {8, 60, 6}, {20, 20, 20}};
    uint32_t state = 88172645u + (uint32_t)_i;
    unsigned fit = 0, failed = 0, tight = 0;
    for (int k = 0; k < 150; k++) {
        random_block(&state, &outside[_i]);
        ck_assert(sched_open(&s, &h.m));
        unsigned least = sched_least_alive(&s);
        uint32_t rank[2 * MOST], order[2 * MOST];
        struct ir_loc where;
        rank_backwards(&s, rank);
        unsigned peak = rank_peak(&s, order, rank_to_order(&s, rank, order), &where);
        ck_assert_msg(least <= peak, "block %d: %u alive in any order, %u in one", k, least, peak);
        for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++) {
            bool ok = sched_try(&s, &strategies[i], 0) > 0;
            fit += ok, failed += !ok;
            tight += ok && least * 5 > used() * 4;
            ck_assert_msg(!ok || least <= used(), "block %d: %u alive in any order, %u places used", k, least,
                          used());
        }
        hand_close(&h);
    }
    ck_assert_msg(fit > 60 && (_i < 3 || failed > 10), "%u fit, %u failed", fit, failed);
    ck_assert_msg(tight > 10, "%u close to the bound", tight);
}
END_TEST

/* Each value is made by way of the one before and read again at last, in reverse: at the turn all are alive.
 */
START_TEST(chains) {
    for (unsigned n = 2; n < 150; n += 7) {
        uint32_t value[MOST], sum;
        struct m_code code;
        hand_open(&h, 1, true);
        value[0] = hand_move(&h, hand_word(&h, 0x12345));
        for (unsigned i = 1; i < n; i++)
            value[i] = hand_function(&h, QPU_W_SFU_RECIP, hand_value(value[i - 1]));
        sum = value[n - 1];
        for (unsigned i = n - 1; i-- > 0;)
            sum = hand_make(&h, QPU_A_ADD, 0, hand_value(sum), hand_value(value[i]));
        hand_write(&h, QPU_W_TLB_COLOR, hand_value(sum));
        ck_assert(sched_open(&s, &h.m));
        unsigned least = sched_least_alive(&s), asked = h.m.nop / 64 + 1;
        ck_assert_msg(least <= n && least + asked >= n, "%u of %u", least, n);
        ck_assert(hand_schedule(&h, &code) || n > sched_places(&s) - 2);
        ir_heap_free(code.inst);
        hand_close(&h);
    }
}
END_TEST

/* Nothing has to be alive beside another where no op leads to the next. */
START_TEST(apart) {
    hand_open(&h, 1, true);
    for (unsigned i = 0; i < 30; i++) /* a read port feeds each */
        hand_write(&h, QPU_W_VPM, hand_value(hand_move(&h, hand_word(&h, 0x10000u + i))));
    ck_assert(sched_open(&s, &h.m));
    ck_assert_uint_eq(sched_least_alive(&s), 0);
    hand_close(&h);
}
END_TEST

/* A register that other blocks need is one place, however often it is written. */
START_TEST(written_twice) {
    hand_open(&h, 1, false);
    h.occupied[0] = 1u << 5;
    struct m_src a = hand_value(hand_start(&h, PLACE_A + 7));
    uint32_t first = hand_make(&h, QPU_A_ADD, 0, a, a), second = hand_make(&h, QPU_A_ADD, 0, a, a);
    h.m.val[first].fixed = h.m.val[second].fixed = PLACE_A + 5;
    h.m.op[h.m.val[second].def].tied = first;
    hand_write(&h, QPU_W_VPM,
               hand_value(hand_make(&h, QPU_A_ADD, 0, hand_value(second), hand_value(second))));
    ck_assert(sched_open(&s, &h.m));
    ck_assert_uint_eq(sched_least_alive(&s), 2);
    hand_close(&h);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("sched_least_alive");
    TCase *c = tcase_create("least alive");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, random_blocks, 0, 5);
    tcase_add_test(c, chains);
    tcase_add_test(c, apart);
    tcase_add_test(c, written_twice);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
