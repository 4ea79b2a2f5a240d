/* Values of uniforms are counted, and a set that comes often is due once. */
#include <qpucc/tally.h>
#include "tests/compiler/api.h"

enum { KIND, CLOCK, SMALL, TAPS, WORDS };

static struct qpucc_tally started(void) {
    static const struct qpucc_control controls[] = {{.word = KIND, .instructions = 40},
                                                    {.word = CLOCK, .instructions = 30},
                                                    {.word = TAPS, .lookups = 1},
                                                    {.word = SMALL, .instructions = 3}};
    struct qpucc_tally tally;
    memset(&tally, 0xff, sizeof tally);
    qpucc_tally_init(&tally, controls, 4);
    return tally;
}

/* The one set there is: due at one draw, with the values of what is worth it. */
START_TEST(a_set_is_due_once) {
    struct qpucc_tally tally = started();
    uint32_t uniforms[WORDS] = {[KIND] = 7, [CLOCK] = 1, [SMALL] = 5, [TAPS] = 3};
    struct qpucc_constant list[QPUCC_TALLY_WORDS];
    unsigned due = 0;
    for (unsigned draw = 1; draw <= 20000; draw++) {
        uniforms[SMALL] = draw; /* little hangs on it */
        int set = qpucc_tally_draw(&tally, uniforms);
        ck_assert_int_eq(set, 0);
        ck_assert_int_eq(qpucc_tally_is_due(&tally, set), draw == QPUCC_TALLY_DUE);
        due += qpucc_tally_is_due(&tally, set);
    }
    ck_assert_uint_eq(due, 1);
    ck_assert_uint_eq(qpucc_tally_constants(&tally, 0, list), 3);
    ck_assert(list[0].word == KIND && list[0].bits == 7 && list[1].word == CLOCK && list[1].bits == 1 &&
              list[2].word == TAPS && list[2].bits == 3);
}
END_TEST

START_TEST(a_clock_is_left_out) {
    struct qpucc_tally tally = started();
    uint32_t uniforms[WORDS] = {0};
    struct qpucc_constant list[QPUCC_TALLY_WORDS];
    unsigned due = 0;
    int set = -1;
    for (unsigned draw = 0; draw < 400; draw++) {
        uniforms[CLOCK] = draw;
        uniforms[KIND] = draw / 100; /* four scenes */
        set = qpucc_tally_draw(&tally, uniforms);
        due += qpucc_tally_is_due(&tally, set);
    }
    ck_assert_uint_eq(due, 4);
    ck_assert_uint_eq(qpucc_tally_constants(&tally, set, list), 2);
    ck_assert(list[0].word == KIND && list[0].bits == 3 && list[1].word == TAPS);
}
END_TEST

/* Two of many sets come often: both are due, the others never; an index given to others has another age. */
START_TEST(frequent_sets_stay) {
    struct qpucc_tally tally = started();
    uint32_t uniforms[WORDS] = {0};
    unsigned due[2] = {0}, others = 0;
    uint32_t ages[QPUCC_TALLY_SETS] = {0}, known[QPUCC_TALLY_SETS] = {0};
    bool seen[QPUCC_TALLY_SETS] = {false};
    for (unsigned draw = 0; draw < 12000; draw++) {
        unsigned turn = draw % 40; /* in runs, as a driver's batches come: changes are rare enough */
        uniforms[KIND] = turn < 19 ? 1 : turn < 38 ? 2 : 1000 + draw;
        int set = qpucc_tally_draw(&tally, uniforms);
        ck_assert(set >= 0 && set < QPUCC_TALLY_SETS);
        if (seen[set] && ages[set] == qpucc_tally_age(&tally, set))
            ck_assert_uint_eq(known[set], uniforms[KIND]);
        seen[set] = true;
        ages[set] = qpucc_tally_age(&tally, set);
        known[set] = uniforms[KIND];
        if (qpucc_tally_is_due(&tally, set))
            ++*(turn < 19 ? &due[0] : turn < 38 ? &due[1] : &others);
    }
    ck_assert(due[0] == 1 && due[1] == 1 && !others);
}
END_TEST

/* New scenes come after what was frequent at first. */
START_TEST(old_sets_make_room) {
    struct qpucc_tally tally = started();
    uint32_t uniforms[WORDS] = {0};
    unsigned due = 0;
    for (unsigned scene = 0; scene < 40; scene++)
        for (unsigned draw = 0; draw < 3000; draw++) {
            uniforms[KIND] = scene;
            due += qpucc_tally_is_due(&tally, qpucc_tally_draw(&tally, uniforms));
        }
    ck_assert_uint_eq(due, 40);
}
END_TEST

/* A program that is drawn for a week keeps what it knows of its uniforms. */
START_TEST(for_ever) {
    struct qpucc_tally tally = started();
    uint32_t uniforms[WORDS] = {0};
    for (unsigned draw = 0; draw < 1000; draw++) {
        uniforms[KIND] = draw / 100;
        ck_assert_int_ge(qpucc_tally_draw(&tally, uniforms), 0);
    }
    tally.draws = (1u << 30) - 50;
    for (unsigned draw = 0; draw < 100; draw++)
        ck_assert_int_ge(qpucc_tally_draw(&tally, uniforms), 0);
    ck_assert_uint_lt(tally.draws, 1u << 30);
}
END_TEST

START_TEST(nothing_is_worth_it) {
    const struct qpucc_control small = {.word = 0, .instructions = QPUCC_TALLY_LEAST - 1};
    struct qpucc_tally tally;
    struct qpucc_constant list[QPUCC_TALLY_WORDS];
    uint32_t uniforms[WORDS] = {0};
    qpucc_tally_init(&tally, &small, 1);
    ck_assert_int_eq(qpucc_tally_draw(&tally, uniforms), -1);
    qpucc_tally_init(&tally, NULL, 0);
    int set = qpucc_tally_draw(&tally, NULL);
    ck_assert_int_eq(set, -1);
    ck_assert(!qpucc_tally_is_due(&tally, set));
    ck_assert_uint_eq(qpucc_tally_age(&tally, set), 0);
    ck_assert_uint_eq(qpucc_tally_constants(&tally, set, list), 0);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {a_set_is_due_once,  a_clock_is_left_out,
                                  frequent_sets_stay, old_sets_make_room,
                                  for_ever,           nothing_is_worth_it};
    return run_tests("api_tally", tests, sizeof tests / sizeof *tests);
}
