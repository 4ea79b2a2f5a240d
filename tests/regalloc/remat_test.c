/* Rematerialised values: the new order computes the same, holds to the graph, has each op once, and keeps no
 * more values alive than was asked for where the values are cheap to make; others are kept. */
#include "regalloc/regalloc.h"
#include "tests/sched/hand.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

static struct hand h;
static struct sched s;
static uint32_t bits[MOST];

/* What the ops compute in this order; the last one's operand is the result. A texel is a number that tells
 * its coordinates. */
static uint32_t interpret(const uint32_t *order, uint32_t count) {
    uint32_t result = 0, texel[4], t = 0, setter = M_NO_VALUE, flags = 0;
    unsigned asked = 0, fetched = 0;
    bool known[MOST] = {false};
    for (uint32_t v = 0; v < h.m.nval; v++)
        if (h.m.val[v].start >= 0) {
            bits[v] = 0x777;
            known[v] = true;
        }
    for (uint32_t i = 0; i < count; i++) {
        const struct m_op *op = &h.m.op[order[i]];
        uint32_t in[2] = {0, 0};
        for (unsigned k = 0; k < op->nsrc; k++) {
            const struct m_src *a = &op->src[k];
            ck_assert_msg(a->kind != M_VAL || known[a->v], "op %u reads value %u, which is not made yet",
                          order[i], a->v);
            in[k] = a->kind == M_VAL    ? bits[a->v]
                    : a->kind == M_SLOT ? h.m.shader->slots[a->v].value
                    : a->kind == M_READ ? 77
                                        : a->v;
        }
        result = op->nsrc == 1 ? in[0] : op->add_op == QPU_A_ADD ? in[0] + in[1] : in[0] ^ in[1];
        if (op->flags != M_NO_VALUE) { /* on negative flags; the result otherwise is what it takes over */
            ck_assert_msg(setter == op->flags, "op %u reads the flags of another setter", order[i]);
            ck_assert(known[op->tied]);
            known[op->tied] = false;
            result = flags >> 31 ? result : bits[op->tied];
        }
        if (op->sf)
            setter = order[i], flags = result;
        if (op->waddr == QPU_W_TMU0_T)
            t = in[0];
        if (op->waddr == QPU_W_TMU0_S) {
            ck_assert_uint_lt(asked - fetched, 4);
            texel[asked++ % 4] = in[0] * 31 + t * 0x10101;
        }
        if (m_is_fetch(op)) {
            ck_assert_uint_lt(fetched, asked);
            result = texel[fetched++ % 4];
        }
        if (op->dst != M_NO_VALUE) {
            bits[op->dst] = result;
            known[op->dst] = true;
        }
    }
    return result;
}

/* The source's order of what is there. */
static uint32_t *source_order(uint32_t *count) {
    uint32_t *order = ir_alloc(h.m.arena, (h.m.nop + 1) * sizeof *order);
    for (*count = 0; *count < h.m.nop; ++*count)
        order[*count] = *count;
    return order;
}

struct outcome {
    uint32_t made;          /* again */
    unsigned before, after; /* most values alive */
    uint32_t ops;           /* before */
};

static struct outcome run(unsigned places) {
    struct ir_loc where;
    uint32_t count;
    uint32_t texels = h.m.ntmu;
    ck_assert(sched_open(&s, &h.m));
    place_begin(&s);
    uint32_t *order = source_order(&count), result = interpret(order, count);
    struct outcome o = {.ops = count, .before = rank_peak(&s, order, count, &where)};
    m_add_edge(&h.m, h.m.nop - 1, 0, 0, false);
    h.m.nedge--; /* what stands beyond is no edge */
    o.made = remat_run(&h.m, &order, &count, places);
    uint32_t at[MOST];
    for (uint32_t i = 0; i < count; i++)
        at[order[i]] = i;
    for (uint32_t e = 0; e < h.m.nedge; e++)
        ck_assert_uint_lt(at[h.m.edge[e].from], at[h.m.edge[e].to]);
    ck_assert(sched_open(&s, &h.m)); /* the graph anew */
    place_begin(&s);
    o.after = rank_peak(&s, order, count, &where);
    ck_assert_uint_eq(interpret(order, count), result);
    bool *seen = calloc(h.m.nop + 1, sizeof *seen);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert(order[i] < h.m.nop && !seen[order[i]]);
        seen[order[i]] = true;
    }
    free(seen);
    uint32_t added = o.made + 2 * (h.m.ntmu - texels); /* a texel comes with its two coordinates */
    for (uint32_t i = o.ops; i < h.m.nop; i++)         /* a choice with the setter and what it takes over */
        added += h.m.op[i].flags != M_NO_VALUE ? 2 : 0;
    ck_assert_uint_eq(count, o.ops + added);
    ck_assert_uint_eq(h.m.nop, o.ops + added);
    return o;
}

/* n values, all read once early and once late, made by `make`. */
static void build(unsigned n, uint32_t (*make)(unsigned i)) {
    hand_open(&h, 1, true);
    uint32_t value[MOST], all = hand_move(&h, hand_word(&h, 0x1234567));
    for (unsigned i = 0; i < n; i++) {
        value[i] = make(i);
        all = hand_make(&h, QPU_A_XOR, 0, hand_value(all), hand_value(value[i]));
    }
    for (unsigned i = 0; i < n; i++)
        all = hand_make(&h, QPU_A_ADD, 0, hand_value(all), hand_value(value[i]));
    hand_write(&h, QPU_W_TLB_COLOR, hand_value(all));
}

static uint32_t make_word(unsigned i) {
    return hand_move(&h, hand_word(&h, 0x10001u * (i + 3)));
}

static uint32_t make_sum(unsigned i) { /* of the value that is there from the start of the block to its end */
    return hand_make(&h, QPU_A_ADD, 0, hand_value(0), hand_immediate(i % 16));
}

static uint32_t make_pair(unsigned i) { /* two ops */
    return hand_make(&h, QPU_A_ADD, 0, hand_value(make_word(i)), hand_immediate(i % 16));
}

static uint32_t make_varying(unsigned i) {
    (void)i;
    uint32_t v = hand_move(&h, (struct m_src){.kind = M_READ, .v = QPU_R_VARY, .side = M_SIDE_ANY});
    h.m.op[h.m.val[v].def].reads_vary = true;
    return v;
}

START_TEST(words) {
    for (unsigned places = 30; places <= 60; places += 10) {
        build(90, make_word);
        struct outcome o = run(places);
        ck_assert_uint_eq(o.before, 91);
        ck_assert_msg(o.after <= places + 1, "%u alive in %u places", o.after, places);
        ck_assert_msg(o.made >= 90 - places && o.made <= 90 - places + 4, "%u made again for %u places",
                      o.made, places);
        hand_close(&h);
    }
}
END_TEST

START_TEST(enough_places) {
    build(40, make_word);
    struct outcome o = run(41);
    ck_assert_uint_eq(o.before, 41);
    ck_assert_uint_eq(o.made, 0);
    ck_assert_uint_eq(o.after, o.before);
    hand_close(&h);
}
END_TEST

/* A sum whose operand is there as long as it is wanted is made again, and nothing else with it. */
START_TEST(sums) {
    build(60, make_sum);
    uint32_t result = h.m.op[h.m.nop - 1].src[0].v;
    uint32_t end = hand_make(&h, QPU_A_ADD, 0, hand_value(result), hand_value(0));
    hand_write(&h, QPU_W_TLB_COLOR, hand_value(end)); /* value 0 is read to the end */
    struct outcome o = run(40);
    ck_assert_uint_ge(o.before, 61);
    ck_assert_msg(o.after <= 41, "%u alive", o.after);
    ck_assert_msg(o.made >= 20 && o.made <= 25, "%u made", o.made);
    hand_close(&h);
}
END_TEST

START_TEST(two_ops_each) {
    build(60, make_pair);
    struct outcome o = run(45);
    ck_assert_msg(o.after <= 46, "%u alive", o.after);
    ck_assert_msg(o.made >= 2 * 15 && o.made <= 2 * 15 + 8, "%u made", o.made);
    hand_close(&h);
}
END_TEST

/* Registers that others have all through the block are counted, the last of file B among them: what it costs
 * to rematerialise a value does not depend on them. */
START_TEST(registers_of_others) {
    build(90, make_word);
    h.occupied[0] = 1;
    h.occupied[1] = 1u << 31;
    struct outcome o = run(40);
    ck_assert_msg(o.after <= 41, "%u alive", o.after);
    ck_assert_uint_gt(o.made, 0);
    hand_close(&h);
}
END_TEST

/* Sums of ten values with ten others, from a FIFO: the twenty stay, so that the hundred can be made again.
 * Before them a few ops need more places than there are, and nothing helps: that uses up nothing that the
 * sums need. */
START_TEST(least_cut_stays) {
    enum { SIDE = 10, FEW = 40, PLACES = 40 };
    uint32_t few[FEW], a[SIDE], b[SIDE], sum[SIDE * SIDE], all;
    hand_open(&h, 1, true);
    h.m.options.remat = true;
    all = hand_move(&h, hand_word(&h, 0x1234567));
    for (unsigned i = 0; i < FEW; i++)
        few[i] = make_varying(i);
    for (unsigned i = 0; i < FEW; i++)
        all = hand_make(&h, QPU_A_XOR, 0, hand_value(all), hand_value(few[i]));
    for (unsigned i = 0; i < SIDE; i++)
        a[i] = make_varying(i), b[i] = make_varying(i);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        sum[i] = hand_make(&h, QPU_A_ADD, 0, hand_value(a[i / SIDE]), hand_value(b[i % SIDE]));
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        all = hand_make(&h, QPU_A_XOR, 0, hand_value(all), hand_value(sum[i]));
    hand_write(&h, QPU_W_TLB_COLOR, hand_value(all));
    struct outcome o = run(PLACES);
    ck_assert_uint_ge(o.before, SIDE * SIDE);
    ck_assert_msg(o.after <= PLACES + 2, "%u alive", o.after);
    hand_close(&h);
}
END_TEST

/* Squares of squares: twelve ops make each, though there are thousands of ways through them. */
static uint32_t make_tower(unsigned i) {
    uint32_t v = make_word(i);
    for (unsigned k = 0; k < 12; k++)
        v = hand_make(&h, QPU_A_ADD, 0, hand_value(v), hand_value(v));
    return v;
}

START_TEST(shared_operands) {
    build(60, make_tower);
    h.m.options.remat = true;
    struct outcome o = run(40);
    ck_assert_uint_ge(o.before, 60);
    ck_assert_msg(o.after <= 41, "%u alive", o.after);
    ck_assert_msg(o.made >= 20 * 13 && o.made <= 25 * 13, "%u made", o.made);
    hand_close(&h);
}
END_TEST

static bool reads(uint32_t op, uint32_t value) {
    bool found = false;
    for (unsigned k = 0; k < h.m.op[op].nsrc; k++)
        found |= h.m.op[op].src[k].kind == M_VAL && h.m.op[op].src[k].v == value;
    return found;
}

static uint32_t make_texel(unsigned i) {
    static uint32_t before, load;
    uint32_t word = ir_slot(h.m.shader, (struct ir_slot){.kind = IR_SLOT_TEX, .type = IR_I32});
    uint32_t t = hand_write(&h, QPU_W_TMU0_T, hand_immediate(i % 16)),
             place = hand_write(&h, QPU_W_TMU0_S, hand_value(0));
    uint32_t texel = hand_make(&h, 0, 0, (struct m_src){0}, (struct m_src){0});
    struct m_op *fetch = &h.m.op[h.m.val[texel].def];
    h.m.op[t].tmu_slot = h.m.op[place].tmu_slot = word;
    h.m.op[place].request = t;
    fetch->nsrc = 0;
    fetch->sig = QPU_SIG_LDTMU0;
    fetch->r4 = true;
    fetch->request = place;
    fetch->tmu_words = 2;
    if (i) {
        m_add_edge(&h.m, before, t, 1, false);
        m_add_edge(&h.m, load, h.m.val[texel].def, 1, false);
    }
    m_add_edge(&h.m, t, place, 1, false);
    m_add_edge(&h.m, place, h.m.val[texel].def, QPU_LAT_TMU, true);
    before = place;
    load = h.m.val[texel].def;
    h.m.ntmu++;
    return texel;
}

/* Sums of what another block left in a register, and texels there, with the register overwritten at the end:
 * all that read it, also those that are made again, come before that. */
START_TEST(overwritten_at_the_end) {
    enum { PLACE = 3 };
    for (unsigned kind = 0; kind < 2; kind++) {
        hand_open(&h, 1, true);
        h.m.options.remat = kind;
        uint32_t x = hand_start(&h, PLACE), value[60], all = hand_move(&h, hand_word(&h, 0x1234567));
        for (unsigned i = 0; i < 60; i++) {
            value[i] = kind ? make_texel(i) : make_sum(i);
            all = hand_make(&h, QPU_A_XOR, 0, hand_value(all), hand_value(value[i]));
        }
        for (unsigned i = 0; i < 60; i++)
            all = hand_make(&h, QPU_A_ADD, 0, hand_value(all), hand_value(value[i]));
        all = hand_make(&h, QPU_A_XOR, 0, hand_value(all), hand_value(x)); /* it is there to the end */
        hand_write(&h, QPU_W_TLB_COLOR, hand_value(all));
        uint32_t last = hand_move(&h, hand_value(all)), writer = h.m.val[last].def;
        h.m.val[last].fixed = PLACE;
        for (uint32_t i = 0; i < h.m.nop; i++)
            if (reads(i, x))
                m_add_edge(&h.m, i, writer, 0, false);
        struct outcome o = run(40);
        ck_assert_msg(o.made >= 20 && o.after <= 41, "%u made, %u alive", o.made, o.after);
        for (uint32_t i = 0; i < h.m.nop; i++) {
            bool waits = false;
            for (uint32_t e = 0; e < h.m.nedge; e++)
                waits |= h.m.edge[e].from == i && h.m.edge[e].to == writer;
            ck_assert_msg(waits || !reads(i, x), "op %u may read what is overwritten", i);
        }
        hand_close(&h);
    }
}
END_TEST

/* What is written early into a register for another block is there to the end, whichever register it is. */
START_TEST(written_early) {
    static const int16_t places[] = {0, 1, 31, 32, 63};
    uint32_t made[sizeof places / sizeof *places];
    for (unsigned k = 0; k < sizeof places / sizeof *places; k++) {
        hand_open(&h, 1, true);
        uint32_t first = hand_move(&h, hand_word(&h, 7));
        h.m.val[first].fixed = places[k];
        uint32_t value[60], all = hand_move(&h, hand_word(&h, 0x1234567));
        for (unsigned i = 0; i < 60; i++) {
            value[i] = make_word(i);
            all = hand_make(&h, QPU_A_XOR, 0, hand_value(all), hand_value(value[i]));
        }
        for (unsigned i = 0; i < 60; i++)
            all = hand_make(&h, QPU_A_ADD, 0, hand_value(all), hand_value(value[i]));
        hand_write(&h, QPU_W_TLB_COLOR, hand_value(all));
        struct outcome o = run(40);
        ck_assert_uint_eq(o.before, 62);
        ck_assert_msg(o.after <= 41 && o.made >= 21, "place %d: %u alive, %u made", places[k], o.after,
                      o.made);
        made[k] = o.made;
        ck_assert_uint_eq(made[k], made[0]);
        hand_close(&h);
    }
}
END_TEST

/* Texels are asked for again, by requests that the FIFO has room for; what others are made of is not
 * touched. */
START_TEST(texels) {
    for (unsigned again = 0; again < 2; again++) {
        build(60, make_texel);
        uint32_t result = h.m.op[h.m.nop - 1].src[0].v;
        uint32_t end = hand_make(&h, QPU_A_ADD, 0, hand_value(result), hand_value(0));
        hand_write(&h, QPU_W_TLB_COLOR, hand_value(end)); /* value 0, a coordinate, is read to the end */
        h.m.options.remat = again;
        struct outcome o = run(40);
        if (again)
            ck_assert_msg(o.made >= 20 && o.after <= 41, "%u made, %u alive", o.made, o.after);
        else
            ck_assert_uint_eq(h.m.ntmu, 60);
        hand_close(&h);
    }
}
END_TEST

/* What sets flags besides is not done again. */
static uint32_t make_texel_with_flags(unsigned i) {
    uint32_t texel = make_texel(i);
    h.m.op[h.m.op[h.m.val[texel].def].request].sf = true;
    return texel;
}

START_TEST(texels_with_flags) {
    build(60, make_texel_with_flags);
    h.m.options.remat = true;
    struct outcome o = run(40);
    ck_assert_uint_eq(h.m.ntmu, 60);
    ck_assert_uint_eq(o.made, 0);
    hand_close(&h);
}
END_TEST

/* `one` where the sign of `by` is set, over `other`. */
static uint32_t choose(uint32_t by, uint32_t other, uint32_t one) {
    uint32_t setter = hand_write(&h, QPU_W_NOP, hand_value(by)), v = hand_move(&h, hand_value(one)),
             op = h.m.val[v].def;
    h.m.op[setter].sf = true;
    h.m.op[op].cond = QPU_COND_NS;
    h.m.op[op].flags = setter;
    h.m.op[op].tied = other;
    h.m.op[setter].first_member = op + 1;
    m_add_edge(&h.m, h.m.val[other].def, setter, 0, false);
    m_add_edge(&h.m, h.m.val[one].def, setter, 0, false);
    m_add_edge(&h.m, setter, op, 1, false);
    return v;
}

static uint32_t make_choice(unsigned i) { /* by the value that is there from the start */
    uint32_t sum = hand_make(&h, QPU_A_ADD, 0, hand_value(0), hand_word(&h, i % 3 << 30));
    return choose(sum, make_word(i), make_word(i + 1000));
}

static uint32_t make_choice_of_choices(unsigned i) {
    uint32_t other = make_choice(i), one = make_choice(i + 100);
    return choose(make_pair(i), other, one);
}

/* Choices are made again where nothing else fits: flags are set anew, and nothing comes between them and what
 * is under them. */
START_TEST(choices) {
    for (unsigned again = 0; again < 4; again++) {
        build(60, again & 2 ? make_choice_of_choices : make_choice);
        uint32_t result = h.m.op[h.m.nop - 1].src[0].v;
        uint32_t end = hand_make(&h, QPU_A_ADD, 0, hand_value(result), hand_value(0));
        hand_write(&h, QPU_W_TLB_COLOR, hand_value(end));
        h.m.options.remat = again & 1;
        struct outcome o = run(40);
        if (again & 1)
            ck_assert_msg(o.made >= 20 && o.after <= 43, "%u made, %u alive", o.made, o.after);
        else
            ck_assert_uint_ge(o.after, 60);
        hand_close(&h);
    }
}
END_TEST

/* What comes out of a FIFO comes once. */
START_TEST(not_cheap) {
    build(90, make_varying);
    struct outcome o = run(40);
    ck_assert_uint_eq(o.made, 0);
    ck_assert_uint_eq(o.after, o.before);
    hand_close(&h);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("regalloc_remat");
    TCase *c = tcase_create("remat");
    tcase_add_test(c, words);
    tcase_add_test(c, enough_places);
    tcase_add_test(c, sums);
    tcase_add_test(c, two_ops_each);
    tcase_add_test(c, registers_of_others);
    tcase_add_test(c, least_cut_stays);
    tcase_add_test(c, shared_operands);
    tcase_add_test(c, overwritten_at_the_end);
    tcase_add_test(c, written_early);
    tcase_add_test(c, texels);
    tcase_add_test(c, texels_with_flags);
    tcase_add_test(c, choices);
    tcase_add_test(c, not_cheap);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
