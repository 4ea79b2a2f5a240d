/* Programs made by hand, one block each, ordered and given places, then run on the machine: they compute what
 * their ops compute one after the other, keep the rules, are no shorter than the bound, and what the proof
 * says of them holds. */
#include "hand.h"
#include "ir/heap.h"
#include "qpucc/qpusim.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1000, NODES = 20000 };

/* A block and what its values are. */
struct model {
    struct hand h;
    uint32_t bits[MOST_VALUES]; /* by value */
    uint32_t result;
};

static uint32_t draw(uint32_t *state, uint32_t n) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state / 3 % n;
}

/* --- ops and what they compute -------------------------------------------------------------------------- */

static uint32_t min_bytes(uint32_t a, uint32_t b) {
    uint32_t out = 0;
    for (int k = 0; k < 32; k += 8) {
        uint32_t x = a >> k & 255, y = b >> k & 255;
        out |= (x < y ? x : y) << k;
    }
    return out;
}

static const struct {
    uint8_t add_op, mul_op;
} ops[] = {{QPU_A_ADD, 0}, {QPU_A_SUB, 0}, {QPU_A_XOR, 0}, {0, QPU_M_MUL24}, {QPU_A_OR, 0}, {0, QPU_M_V8MIN}};

static uint32_t compute(unsigned which, uint32_t a, uint32_t b) {
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a ^ b;
    case 3: return (a & 0xffffff) * (b & 0xffffff);
    case 4: return a | b;
    default: return min_bytes(a, b);
    }
}

static uint32_t bits_of(const struct model *m, struct m_src a) {
    return a.kind == M_VAL ? m->bits[a.v] : a.kind == M_SLOT ? m->h.m.shader->slots[a.v].value : a.v;
}

static uint32_t make(struct model *m, unsigned which, struct m_src a, struct m_src b) {
    uint32_t v = hand_make(&m->h, ops[which].add_op, ops[which].mul_op, a, b);
    m->bits[v] = compute(which, bits_of(m, a), bits_of(m, b));
    return v;
}

static uint32_t move(struct model *m, struct m_src a) {
    uint32_t v = hand_move(&m->h, a);
    m->bits[v] = bits_of(m, a);
    return v;
}

/* The program's result: the pixel's colour. */
static void finish(struct model *m, uint32_t value) {
    hand_write(&m->h, QPU_W_TLB_COLOR, hand_value(value));
    m->result = m->bits[value];
}

/* --- on the machine ------------------------------------------------------------------------------------- */

static void run(struct model *m, const struct m_code *code, const char *what) {
    uint64_t *words = calloc(code->count, sizeof *words);
    uint32_t *stream = calloc(code->count, sizeof *stream), count = 0;
    for (uint32_t i = 0; i < code->count; i++) {
        words[i] = qpu_encode(&code->inst[i].q);
        if (code->inst[i].slot != M_NO_VALUE)
            stream[count++] = m->h.m.shader->slots[code->inst[i].slot].value;
    }
    for (int profile = 0; profile < 2; profile++) {
        struct qpu_check_options rules = {.stage = QPUCC_FRAGMENT, .profile = (enum qpu_profile)profile};
        struct qpu_violation found[1];
        size_t violations = qpu_check(words, code->count, &rules, found, 1);
        ck_assert_msg(!violations, "%s: instruction %u: %s", what, found[0].index, found[0].text);
    }
    struct qpusim_program *program = qpusim_program_new(words, code->count, QPUSIM_FRAGMENT, false);
    struct qpusim_fragments fragments = {.live = 0xffff, .coverage = 0xffff};
    struct qpusim_run_info how = {
        .program = program, .uniforms = {.words = stream, .count = count}, .fragments = &fragments};
    struct qpusim_result result;
    struct qpusim_error fault = {0};
    enum qpusim_status status = qpusim_run(&how, NULL, &result, &fault);
    ck_assert_msg(status == QPUSIM_OK, "%s: instruction %u: %s", what, fault.instruction, fault.text);
    for (int lane = 0; lane < QPUSIM_LANES; lane++)
        ck_assert_msg(result.color[lane] == m->result, "%s: %08x instead of %08x", what, result.color[lane],
                      m->result);
    qpusim_program_free(program);
    free(words);
    free(stream);
}

/* An attempt is never given up that comes to no more than the limit. */
static void check_limit(struct sched *s, const char *what) {
    static const struct sched_strategy ways[] = {{.height = 1, .pressure = 2, .acc = 0.3, .by = BY_SOURCE},
                                                 {.height = 1, .acc = 0.1, .by = BY_DEPTH},
                                                 {.order = 1, .acc = 1, .by = BY_DEPTH, .window = 8}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        double cost = sched_try(s, &ways[k], 0);
        s->options.limit = (uint64_t)cost;
        ck_assert_msg(cost == 0 || sched_list_run(s), "%s: strategy %zu was given up", what, k);
        ir_heap_free(s->code.inst);
        s->code = (struct m_code){0};
    }
}

/* Orders the block, runs it, holds it to the bound. Returns its length. */
static unsigned check(struct model *m, const char *what) {
    struct m_code code;
    struct sched s;
    ck_assert_msg(hand_schedule(&m->h, &code), "%s: status %d", what, m->h.result.status);
    run(m, &code, what);
    ck_assert_msg(m->h.result.lower_bound <= code.count, "%s: %u instructions, bound %u", what, code.count,
                  m->h.result.lower_bound);
    unsigned length = code.count;
    ir_heap_free(code.inst);
    ck_assert(sched_open(&s, &m->h.m)); /* as it was scheduled: ops may have been added */
    ck_assert_msg(sched_bound(&s) <= length, "%s: %u instructions, bound %u", what, length, sched_bound(&s));
    ck_assert_msg(!sched_prove(&s, length + 1, NODES), "%s: %u proven, but it has %u", what, length + 1,
                  length);
    check_limit(&s, what);
    return length;
}

/* --- random programs ------------------------------------------------------------------------------------ */

static struct m_src some_operand(struct model *m, uint32_t *state, uint32_t *value, unsigned n) {
    switch (draw(state, 8)) {
    case 0: return hand_immediate(draw(state, 16));
    case 1: return hand_word(&m->h, 0x01020304u * (1 + draw(state, 6)));
    default: return hand_value(value[draw(state, n)]);
    }
}

/* Two words or two immediates are for two instructions. */
static bool reads_one_value(struct m_src a, struct m_src b) {
    return a.kind == M_VAL || b.kind == M_VAL;
}

static void random_program(struct model *m, uint32_t *state, unsigned size, unsigned window) {
    uint32_t value[MOST_VALUES], n = 0;
    value[n++] = move(m, hand_word(&m->h, 0x00c0ffee));
    while (n < size) {
        uint32_t recent = n > window ? n - window : 0;
        struct m_src a = some_operand(m, state, value + recent, n - recent),
                     b = some_operand(m, state, value + recent, n - recent);
        value[n] = reads_one_value(a, b) ? make(m, draw(state, sizeof ops / sizeof *ops), a, b) : move(m, a);
        n++;
    }
    uint32_t sum = value[n - 1]; /* of all, so that none is for nothing */
    for (uint32_t i = 0; i + 1 < n; i++)
        sum = make(m, i % 3, hand_value(sum), hand_value(value[i]));
    finish(m, sum);
}

START_TEST(random_programs) {
    static const unsigned sizes[] = {3, 12, 40, 120};
    uint32_t state = 2463534242u + (uint32_t)_i;
    for (unsigned k = 0; k < (_i > 2 ? 6u : 60u); k++) {
        static struct model m;
        unsigned size = 1 + draw(&state, sizes[k % 4]), window = 1 + draw(&state, 24);
        char what[40];
        snprintf(what, sizeof what, "series %d, program %u", _i, k);
        hand_open(&m.h, 1, true);
        m.h.m.options.opt_level = _i;
        m.h.m.options.search = _i > 1;
        random_program(&m, &state, size, window);
        check(&m, what);
        hand_close(&m.h);
    }
}
END_TEST

/* The beam's schedules compute the same, and in sum they are shorter than those they vary. */
START_TEST(side_by_side) {
    static const struct sched_strategy strategy = {.height = 1, .acc = 0.3, .reuse = 0.3, .by = BY_SOURCE};
    uint32_t state = 88172645u;
    unsigned alone = 0, together = 0;
    for (unsigned k = 0; k < 40; k++) {
        static struct model m;
        char what[40];
        snprintf(what, sizeof what, "program %u", k);
        hand_open(&m.h, 1, true);
        unsigned size = 10 + draw(&state, 60), window = 1 + draw(&state, 24);
        random_program(&m, &state, size, window);
        struct sched s;
        ck_assert(sched_open(&s, &m.h.m));
        unsigned one = (unsigned)((uint64_t)sched_try(&s, &strategy, 0) & 0xffffff);
        ck_assert_uint_gt(one, 0);
        struct sched_beam_size beam = {1 + k % 20, 2 + k % 2, k % 4 ? 1e9 : 0.5};
        bool found = sched_beam(&s, beam, one) && sched_finish(&m.h.m, &s.code, 0);
        if (found && s.code.count <= one) {
            run(&m, &s.code, what);
            together += s.code.count;
            alone += one;
        }
        ir_heap_free(s.code.inst);
        hand_close(&m.h);
    }
    ck_assert_msg(together + 15 < alone, "%u instructions instead of %u", together, alone);
}
END_TEST

/* --- registers ------------------------------------------------------------------------------------------ */

/* `n` values that are all alive at once: each is read early and late, so that none can wait to be made. */
static void crowd(struct model *m, unsigned n, bool cheap) {
    uint32_t value[MOST_VALUES], all = move(m, hand_word(&m->h, 0x1234567));
    for (unsigned i = 0; i < n; i++) {
        struct m_src word = hand_word(&m->h, 0x10001u * (i + 3));
        value[i] = cheap ? move(m, word) : make(m, 0, hand_value(all), word);
        all = make(m, 2, hand_value(all), hand_value(value[i]));
    }
    for (unsigned i = 0; i < n; i++)
        all = make(m, i % 3 ? 0 : 3, hand_value(all), hand_value(value[i]));
    finish(m, all);
}

START_TEST(crowded) {
    static struct model m;
    for (unsigned n = 50; n <= 66; n += 2) { /* 64 registers, 4 accumulators */
        char what[40];
        snprintf(what, sizeof what, "%u values alive", n);
        hand_open(&m.h, 1, true);
        crowd(&m, n, false);
        check(&m, what);
        const struct sched_result *result = &m.h.result;
        int places = __builtin_popcountll(result->used[0]) + __builtin_popcountll(result->used[1]) +
                     __builtin_popcount(result->used_acc);
        ck_assert_int_ge(places, (int)n);
        hand_close(&m.h);
    }
}
END_TEST

/* Words of the stream need no register: they are read again. */
START_TEST(rematerialised) {
    static struct model m;
    hand_open(&m.h, 1, true);
    crowd(&m, 150, true);
    unsigned ops = m.h.m.nop;
    check(&m, "150 words");
    ck_assert_uint_gt(m.h.m.nop, ops); /* some words are read by ops of their own, twice */
    hand_close(&m.h);
}
END_TEST

START_TEST(too_many) {
    static struct model m;
    struct m_code code;
    hand_open(&m.h, 1, true);
    crowd(&m, 90, false);
    ck_assert(!hand_schedule(&m.h, &code));
    ck_assert_int_eq(m.h.result.status, SCHED_DOES_NOT_FIT);
    ck_assert_msg(m.h.result.peak >= 89 && m.h.result.peak <= 92, "%u values", m.h.result.peak);
    ck_assert_ptr_null(code.inst);
    hand_close(&m.h);
}
END_TEST

/* --- known lengths -------------------------------------------------------------------------------------- */

START_TEST(shortest_program) {
    struct hand h;
    hand_open(&h, 1, true);
    h.m.last = true;
    h.m.shader->stage = QPUCC_VERTEX;
    for (uint32_t n = 0; n <= MODEL_END + 1; n++) {
        struct m_code code = {0};
        for (uint32_t k = 0; k < n; k++)
            ck_assert(m_push(&code, m_nop_inst()));
        ck_assert(sched_finish(&h.m, &code, 0));
        ck_assert_uint_eq(code.count, n < MODEL_END ? MODEL_END : n);
        ir_heap_free(code.inst);
    }
    hand_close(&h);
}
END_TEST

START_TEST(lengths) {
    static struct model m;
    hand_open(&m.h, 1, true); /* a chain: one op an instruction, the end beside the last ones */
    uint32_t v = move(&m, hand_word(&m.h, 0x55555));
    for (int i = 0; i < 20; i++)
        v = make(&m, 0, hand_value(v), hand_value(v));
    finish(&m, v);
    ck_assert_uint_eq(check(&m, "chain"), 20 + 1); /* the first add reads the word itself */
    hand_close(&m.h);
    hand_open(&m.h, 1, true); /* as long beside a chain on the other ALU */
    v = move(&m, hand_word(&m.h, 0x55555));
    uint32_t w = v;
    for (int i = 0; i < 19; i++) {
        v = make(&m, 0, hand_value(v), hand_value(v));
        w = make(&m, 3, hand_value(w), hand_value(w));
    }
    finish(&m, make(&m, 2, hand_value(v), hand_value(w)));
    ck_assert_uint_eq(check(&m, "two chains"), 1 + 19 + 1 + 1);
    hand_close(&m.h);
}
END_TEST

/* A cycle among edges, and a value that has no place, are told. */
START_TEST(impossible) {
    struct hand h;
    struct m_code code;
    struct m_src none = {0};
    hand_open(&h, 1, true);
    uint32_t a = hand_op(&h, QPU_A_ADD, 0, 0, none, none), b = hand_op(&h, QPU_A_ADD, 0, 0, none, none);
    m_add_edge(&h.m, a, b, 1, false);
    m_add_edge(&h.m, b, a, 1, false);
    ck_assert(!hand_schedule(&h, &code));
    ck_assert_int_eq(h.result.status, SCHED_CYCLE);
    hand_close(&h);
    hand_open(&h, 1, true);
    uint32_t v = hand_move(&h, hand_immediate(1));
    hand_write(&h, QPU_W_TLB_COLOR, hand_value(v));
    m_restrict_reads(&h.m, v, M_IN_A);
    m_restrict_write(&h.m, v, M_IN_B);
    ck_assert(!hand_schedule(&h, &code));
    ck_assert_int_eq(h.result.status, SCHED_NO_PLACE);
    hand_close(&h);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("sched_blocks");
    TCase *c = tcase_create("blocks");
    tcase_add_loop_test(c, random_programs, 0, 4);
    tcase_add_test(c, side_by_side);
    tcase_add_test(c, crowded);
    tcase_add_test(c, rematerialised);
    tcase_add_test(c, too_many);
    tcase_add_test(c, lengths);
    tcase_add_test(c, shortest_program);
    tcase_add_test(c, impossible);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
