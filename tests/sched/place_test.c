/* Where a value goes: sides and kinds of places it may have, files that its readers' other operands leave
 * free, accumulators for what lives briefly, and the accounts of who has which place. */
#include "hand.h"

#include <check.h>

static struct hand h;
static struct sched s;
static const struct sched_strategy plain = {.height = 1, .acc = 1};

static void open_block(unsigned threads) {
    hand_open(&h, threads, false);
}

/* The graph and an attempt's beginning for what was made since open_block. */
static void begin(void) {
    ck_assert(sched_open(&s, &h.m));
    s.options.strategy = &plain;
    place_begin(&s);
}

static void all_but(int place) { /* places of that file taken by somebody else */
    int first = place < PLACE_B ? PLACE_A : PLACE_B;
    for (int p = first; p < first + 32; p++)
        if (p != place)
            place_own(&s, p, PLACE_KEPT);
}

static uint32_t some_value(void) {
    return hand_move(&h, hand_immediate(1));
}

static void use(uint32_t value) {
    hand_write(&h, QPU_W_TLB_COLOR, hand_value(value));
}

START_TEST(kinds) {
    open_block(1);
    uint32_t v = some_value();
    use(v);
    begin();
    ck_assert(place_in_a(place_choose(&s, v, M_IN_A)));
    ck_assert(place_in_b(place_choose(&s, v, M_IN_B)));
    ck_assert(place_is_acc(place_choose(&s, v, M_IN_ACC)));
    ck_assert_int_eq(place_choose(&s, v, 0), PLACE_NONE);
    ck_assert_int_eq(place_choose(&s, v, M_IN_R4), PLACE_NONE); /* r4 is not chosen: results arrive there */
    ck_assert(place_is_acc(place_choose(&s, v, M_ANYWHERE)));   /* read at once */
    s.now.drain = true; /* a thread switch is near: it would lose accumulators */
    ck_assert_int_eq(place_choose(&s, v, M_IN_ACC), PLACE_NONE);
    ck_assert_int_lt(place_choose(&s, v, M_ANYWHERE), PLACE_ACC);
    hand_close(&h);
}
END_TEST

START_TEST(restricted) {
    open_block(1);
    uint32_t v = some_value(), w = some_value();
    use(v);
    use(w);
    ck_assert_uint_eq(m_places(&h.m, v), M_ANYWHERE);
    m_restrict_reads(&h.m, v, M_IN_UNPACKER);
    ck_assert_uint_eq(m_places(&h.m, v), M_IN_UNPACKER);
    ck_assert(m_only_in_a(&h.m, v));
    ck_assert(!m_only_in_a(&h.m, w));
    ck_assert(!h.m.no_place);
    begin();
    ck_assert(place_in_a(place_of_result(&s, v, M_SIDE_ANY)));
    ck_assert_int_eq(place_of_result(&s, v, M_SIDE_B), PLACE_NONE);
    ck_assert(place_is_acc(place_of_result(&s, w, 0))); /* neither file: both are written by the other ALU */
    m_restrict_write(&h.m, v, M_IN_B);
    ck_assert(h.m.no_place);
    hand_close(&h);
}
END_TEST

/* The end of a program may not touch 14, so it goes last; two threads have 16 registers of each file. */
START_TEST(order) {
    open_block(1);
    uint32_t v = some_value();
    use(v);
    begin();
    for (int file = PLACE_A; file <= PLACE_B; file += PLACE_B) {
        for (int k = 0; k < 31; k++) {
            int p = place_choose(&s, v, file ? M_IN_B : M_IN_A);
            ck_assert_int_ge(p, file);
            ck_assert_int_lt(p, file + 32);
            ck_assert_int_ne(p, file + 14);
            ck_assert_uint_eq(s.owner[p], M_NO_VALUE);
            place_own(&s, p, PLACE_KEPT);
        }
        ck_assert_int_eq(place_choose(&s, v, file ? M_IN_B : M_IN_A), file + 14);
        place_own(&s, file + 14, PLACE_KEPT);
        ck_assert_int_eq(place_choose(&s, v, file ? M_IN_B : M_IN_A), PLACE_NONE);
    }
    ck_assert_uint_eq(s.now.places.n_free, 4);
    hand_close(&h);
    open_block(2);
    v = some_value();
    use(v);
    begin();
    ck_assert_uint_eq(s.now.places.n_free, 2 * 16 + 4);
    for (int k = 0; k < 16; k++) {
        int p = place_choose(&s, v, M_IN_A);
        ck_assert_int_lt(p, 16);
        place_own(&s, p, PLACE_KEPT);
    }
    ck_assert_int_eq(place_choose(&s, v, M_IN_A), PLACE_NONE);
    hand_close(&h);
}
END_TEST

/* One read port a file: the other operand's file is left alone. */
START_TEST(ports) {
    static const struct {
        int other; /* the other operand's place, or PLACE_NONE: `a` says what it is */
        struct m_src a;
        bool in_a, in_b; /* where the value may go then */
    } cases[] = {
        {PLACE_A + 3, {0}, false, true},
        {PLACE_B + 3, {0}, true, false},
        {PLACE_NONE, {.kind = M_IMM, .v = 5}, true, false}, /* small immediates come through B's port */
        {PLACE_NONE, {.kind = M_READ, .v = QPU_R_XY, .side = M_SIDE_A}, false, true},
        {PLACE_NONE, {.kind = M_READ, .v = QPU_R_XY, .side = M_SIDE_B}, true, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int swapped = 0; swapped < 2; swapped++) {
            open_block(1);
            uint32_t v = some_value(), start = M_NO_VALUE;
            struct m_src other = cases[k].a;
            if (cases[k].other != PLACE_NONE) {
                start = hand_start(&h, cases[k].other);
                other = hand_value(start);
            }
            uint32_t sum = swapped ? hand_make(&h, QPU_A_ADD, 0, other, hand_value(v))
                                   : hand_make(&h, QPU_A_ADD, 0, hand_value(v), other);
            use(sum);
            begin();
            int p = place_choose(&s, v, M_IN_FILES);
            ck_assert_msg(place_in_a(p) ? cases[k].in_a : place_in_b(p) && cases[k].in_b,
                          "case %zu: place %d", k, p);
            hand_close(&h);
        }
}
END_TEST

START_TEST(accounts) {
    open_block(1);
    uint32_t v = some_value();
    use(v);
    use(v);
    begin();
    unsigned n_free = s.now.places.n_free;
    ck_assert_uint_eq(n_free, 64 + 4);
    ck_assert(!s.now.places.used[0] && !s.now.places.used[1] && !s.now.places.used_acc);
    place_take(&s, v, PLACE_B + 5, 7);
    ck_assert_int_eq(s.value[v].where, PLACE_B + 5);
    ck_assert_uint_eq(s.value[v].available, 7);
    ck_assert_uint_eq(s.owner[PLACE_B + 5], v);
    ck_assert_uint_eq(s.now.places.n_free, n_free - 1);
    ck_assert_uint_eq(s.now.places.used[1], 1u << 5);
    ck_assert_uint_eq(s.now.places.used[0], 0);
    s.now.t = 9;
    place_read(&s, v);
    ck_assert_uint_eq(s.owner[PLACE_B + 5], v); /* one reader is left */
    place_read(&s, v);
    ck_assert_uint_eq(s.died[v], 9);
    ck_assert_uint_eq(s.owner[PLACE_B + 5], M_NO_VALUE);
    ck_assert_uint_eq(s.now.places.n_free, n_free);
    hand_close(&h);
    open_block(1); /* what is there when the block starts has its place, if somebody reads it */
    uint32_t read = hand_start(&h, PLACE_A + 3);
    hand_start(&h, PLACE_A + 4);
    use(read);
    begin();
    ck_assert_uint_eq(s.owner[PLACE_A + 3], read);
    ck_assert_uint_eq(s.owner[PLACE_A + 4], M_NO_VALUE);
    ck_assert_uint_eq(s.now.places.used[0], 1u << 3);
    ck_assert_uint_eq(s.now.places.n_free, n_free - 1);
    hand_close(&h);
    open_block(1); /* what nobody reads keeps no place */
    v = some_value();
    begin();
    place_take(&s, v, PLACE_ACC + 2, 1);
    ck_assert_uint_eq(s.owner[PLACE_ACC + 2], M_NO_VALUE);
    ck_assert_uint_eq(s.now.places.used_acc, 1u << 2);
    hand_close(&h);
}
END_TEST

/* What other blocks need, and values that are there at the start. */
START_TEST(kept) {
    open_block(1);
    h.occupied[0] = 1u << 3, h.occupied[1] = 1u << 4;
    uint32_t v = hand_start(&h, PLACE_A + 3), w = hand_start(&h, PLACE_B + 9);
    use(v);
    use(w);
    begin();
    ck_assert_uint_eq(s.now.places.n_free, 68 - 3);
    ck_assert_uint_eq(s.owner[PLACE_B + 4], PLACE_KEPT);
    ck_assert_uint_eq(s.owner[PLACE_A + 3], v);
    ck_assert_uint_eq(s.value[v].available, 1); /* the block before may write it in its last instruction */
    ck_assert(!place_counts(&s, v));            /* it takes no place that would be free without it */
    ck_assert(place_counts(&s, w));
    place_read(&s, v);
    place_read(&s, w);
    ck_assert_uint_eq(s.owner[PLACE_A + 3], PLACE_KEPT);
    ck_assert_uint_eq(s.owner[PLACE_B + 9], M_NO_VALUE);
    ck_assert_uint_eq(s.now.places.n_free, 68 - 2);
    hand_close(&h);
}
END_TEST

/* A register that an op of this block has to write, because others read it there, serves before; then it has
 * to be vacant. */
START_TEST(fixed) {
    open_block(1);
    h.occupied[1] = 1u << 6;
    uint32_t v = some_value(), w = some_value();
    h.m.val[v].fixed = PLACE_B + 6;
    use(v);
    use(w);
    begin();
    ck_assert_uint_eq(s.owner[PLACE_B + 6], M_NO_VALUE);
    ck_assert_uint_eq(s.now.places.promised, 1ull << (PLACE_B + 6));
    ck_assert_int_eq(place_of_result(&s, v, M_SIDE_ANY), PLACE_B + 6);
    ck_assert_int_eq(place_of_result(&s, v, M_SIDE_B), PLACE_B + 6);
    ck_assert_int_eq(place_of_result(&s, v, M_SIDE_A), PLACE_NONE);
    ck_assert_int_ne(place_choose(&s, w, M_IN_B), PLACE_B + 6);
    all_but(PLACE_B + 6);
    ck_assert_int_eq(place_choose(&s, w, M_IN_B), PLACE_B + 6); /* for want of others */
    place_take(&s, w, PLACE_B + 6, 1);
    ck_assert_int_eq(place_of_result(&s, v, M_SIDE_ANY), PLACE_NONE);
    place_read(
        &s, w); /* in the instruction that made it: the place is written there, and free from the next on */
    ck_assert_int_eq(s.now.places.late, PLACE_B + 6);
    ck_assert_int_eq(place_of_result(&s, v, M_SIDE_ANY), PLACE_NONE);
    place_own(&s, s.now.places.late, place_vacant(&s, s.now.places.late));
    ck_assert_int_eq(place_of_result(&s, v, M_SIDE_ANY), PLACE_B + 6);
    place_take(&s, v, PLACE_B + 6, 2);
    s.now.t = 1;
    ck_assert_uint_eq(s.now.places.promised, 0);
    place_read(&s, v);
    ck_assert_uint_eq(s.owner[PLACE_B + 6], PLACE_KEPT); /* for the other blocks */
    hand_close(&h);
}
END_TEST

/* The word of the stream takes file B's port, and leaves it to what can't come through the other. */
START_TEST(word_moves) {
    static const struct {
        int beside; /* what the word's op reads besides: a place, or PLACE_NONE: the word again */
        bool immediate;
        bool fits;
    } cases[] = {{PLACE_NONE, true, true}, /* an immediate, or file B, beside the word */
                 {PLACE_NONE, false, true},
                 {PLACE_A + 3, true, false}, /* file A's port is taken */
                 {PLACE_A + 3, false, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        open_block(1);
        uint32_t in_b = hand_start(&h, PLACE_B + 4), beside = M_NO_VALUE;
        if (cases[k].beside != PLACE_NONE)
            beside = hand_start(&h, cases[k].beside);
        struct m_src word = hand_word(&h, 1000),
                     other = cases[k].immediate ? hand_immediate(5) : hand_value(in_b);
        uint32_t product =
            hand_make(&h, 0, QPU_M_MUL24, word, beside == M_NO_VALUE ? word : hand_value(beside));
        uint32_t sum = hand_make(&h, QPU_A_ADD, 0, other, other);
        use(product), use(sum), use(in_b);
        begin();
        uint32_t rank[8] = {0};
        s.options.rank = rank, s.options.limit = UINT64_MAX;
        sched_list_begin(&s);
        s.now.t = 2; /* what the block before wrote can be read */
        struct slots w;
        struct m_inst inst;
        slots_begin(&s, &w);
        int place;
        ck_assert(slots_try(&s, &w, h.m.val[product].def, true, &place));
        ck_assert_int_eq(w.b_addr, QPU_R_UNIF);
        ck_assert_msg(slots_try(&s, &w, h.m.val[sum].def, false, &place) == cases[k].fits, "case %zu", k);
        slots_end(&w, &inst);
        if (cases[k].fits) {
            ck_assert_int_eq(inst.q.raddr_a, QPU_R_UNIF);
            ck_assert_int_eq(inst.q.mul_a, QPU_MUX_A);
            ck_assert_int_eq(inst.q.mul_b, QPU_MUX_A);
            ck_assert_int_eq(inst.q.add_a, QPU_MUX_B);
        } else {
            ck_assert_int_eq(inst.q.raddr_b, QPU_R_UNIF);
            ck_assert_int_eq(inst.q.mul_a, QPU_MUX_B);
        }
        hand_close(&h);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("sched_place");
    TCase *c = tcase_create("places");
    tcase_add_test(c, kinds);
    tcase_add_test(c, restricted);
    tcase_add_test(c, order);
    tcase_add_test(c, ports);
    tcase_add_test(c, accounts);
    tcase_add_test(c, kept);
    tcase_add_test(c, fixed);
    tcase_add_test(c, word_moves);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
