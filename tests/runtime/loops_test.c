/* The fast loops against one instruction at a time, on random arithmetic: every register, flag and undefined
 * byte is the same. */
#include "machine_test.h"

#include "runtime/machine.h"

static uint64_t state;
static unsigned stopped;

static uint64_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

static uint8_t pick(const uint8_t *from, size_t n) {
    return from[random_word() % n];
}

static enum sim_stop step_only(struct sim_thread *t) {
    enum sim_stop stop;
    while (sim_thread_step(t, &stop)) {
    }
    return stop;
}

static struct {
    const char *name;
    enum sim_stop (*run)(struct sim_thread *);
} loops[3];
static unsigned loop_count;

static void find_loops(void) {
    loops[loop_count].name = "plain";
    loops[loop_count++].run = sim_loop_plain;
#ifdef SIM_X86_LOOPS
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        loops[loop_count].name = "AVX2";
        loops[loop_count++].run = sim_loop_avx2;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        loops[loop_count].name = "AVX-512";
        loops[loop_count++].run = sim_loop_avx512;
    }
#endif
}

struct outcome {
    u32x16 reg[SIM_REG_PORT];
    i32x16 flag[3];
    sim_poison poison[SIM_REG_PORT];
    unsigned flag_poison;
    uint64_t executed, now;
    enum sim_stop stop;
    struct qpusim_error error;
    struct qpusim_counters counters;
};

static void execute(const struct qpusim_program *p, const struct qpusim_options *options,
                    const struct qpusim_stream *stream, const struct qpusim_fragments *f,
                    enum sim_stop (*run)(struct sim_thread *), struct outcome *out) {
    struct sim_thread *t = aligned_alloc(_Alignof(struct sim_thread), sizeof *t);
    struct sim_shared shared = {0};
    struct sim_clock clock = {0};
    memset(out, 0, sizeof *out);
    sim_thread_init(t, p, options, &out->error, &shared, &clock, &out->counters);
    sim_thread_set_uniforms(t, stream, NULL);
    sim_thread_set_fragments(t, f);
    out->stop = run(t);
    memcpy(out->reg, t->reg, sizeof out->reg);
    out->flag[0] = t->zf, out->flag[1] = t->nf, out->flag[2] = t->cf;
    memcpy(out->poison, t->poison, sizeof out->poison);
    out->flag_poison = t->flag_poison;
    out->executed = t->executed;
    out->now = clock.now;
    free(t);
}

static void compare(const char *name, const uint64_t *code, size_t count, const struct outcome *want,
                    const struct outcome *got) {
    if (!memcmp(want, got, sizeof *want))
        return;
    char *text = qpu_list(code, count, false);
    for (unsigned r = 0; r < SIM_REG_PORT; r++)
        for (unsigned i = 0; i < SIM_LANES; i++)
            ck_assert_msg(got->reg[r][i] == want->reg[r][i],
                          "%s: register %u, lane %u: %08x instead of %08x\n%s", name, r, i, got->reg[r][i],
                          want->reg[r][i], text);
    ck_abort_msg("%s: flags, undefined bytes or counters differ (%s, %s)\n%s", name, got->error.text,
                 want->error.text, text);
}

/* 0: all kinds of values. Else ordinary ones and some near this one, whose products, sums or conversions lie
 * at the ends of what floats there are: one lane that is no number has a loop compute all sixteen in another
 * way. */
static uint32_t end;

static uint32_t special_value(void) {
    static const uint32_t values[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,
                                      0x80800001, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x7f7fffff, 0xff7fffff,
                                      0x7f800000, 0xff800000, 0x7fc00001, 0xffffffff, 0x4b800001, 0x4f000000,
                                      0xcf000000, 0x477fe000, 0x387fe000, 0x33800000, 255,        0x00ff00ff};
    uint32_t near = 0x3f000000u + (uint32_t)(random_word() & 0x1ffffff);
    if (end)
        return ((random_word() & 7 ? near : end + (uint32_t)(random_word() & 7) - 4)) ^
               (uint32_t)(random_word() & 0x80000000u);
    switch (random_word() & 3) {
    case 0: return values[random_word() % (sizeof values / sizeof *values)];
    case 1: return (uint32_t)random_word() >> (random_word() & 1 ? random_word() & 31 : 0);
    default: return near ^ (uint32_t)(random_word() & 0x80000000u);
    }
}

/* Random arithmetic on values that are worth it, with packs, conditions and flags. */
static void arithmetic(void) {
    static const uint8_t regs[] = {0, 1, 2, 3, 10, 11}, accs[] = {32, 33, 34, 35, 0, 1, 2, 3, 10, 39};
    static struct qpusim_fragments f = {.live = 0xffff, .coverage = 0xffff, .varying_count = 16};
    uint64_t code[80];
    uint32_t words[80];
    static const uint32_t ends[] = {0x20000000, 0x5f800000, 0x7f000000, 0x00800000,
                                    0x4b800000, 0x4f000000, 0x01000000};
    size_t count = 0;
    unsigned kind = random_word() & 15;
    end = kind < sizeof ends / sizeof *ends ? ends[kind] : 0;
    for (unsigned i = 0; i < 16 * 16; i++) {
        uint32_t value = special_value(), constant = special_value();
        memcpy(&f.vary[i / 16][i % 16], &value, 4);
        memcpy(&f.c[i / 16][i % 16], &constant, 4);
    }
    for (unsigned i = 0; i < 80; i++)
        words[i] = special_value();
    for (; count < 14; count++) { /* the registers in use, lane by lane */
        struct qpu_inst q = qpu_nop();
        q.sig = QPU_SIG_NONE;
        q.op_add = QPU_A_OR;
        q.raddr_a = QPU_R_VARY;
        q.add_a = q.add_b = QPU_MUX_A;
        q.cond_add = QPU_COND_ALWAYS;
        q.waddr_add = count < 12 ? regs[count % 6] : QPU_W_ACC0 + (uint8_t)(count & 3);
        q.ws = count >= 6 && count < 12;
        code[count] = qpu_encode(&q);
    }
    for (; count < 70; count++) {
        struct qpu_inst q = qpu_nop();
        q.sig = random_word() % 4 ? QPU_SIG_NONE : QPU_SIG_SMALL_IMM;
        do
            q.op_add = random_word() & 31;
        while (!qpu_add_info(q.op_add)->name);
        q.op_mul = random_word() & 7;
        q.add_a = random_word() & 7, q.add_b = random_word() & 7;
        q.mul_a = random_word() & 7, q.mul_b = random_word() & 7;
        q.raddr_a = random_word() % 6 ? pick(regs, sizeof regs) : QPU_R_UNIF;
        q.raddr_b = q.sig == QPU_SIG_SMALL_IMM ? random_word() % 48 : pick(regs, sizeof regs);
        q.cond_add = random_word() % 3 ? QPU_COND_ALWAYS : random_word() & 7;
        q.cond_mul = random_word() % 3 ? QPU_COND_ALWAYS : random_word() & 7;
        q.waddr_add = pick(accs, sizeof accs), q.waddr_mul = pick(accs, sizeof accs);
        q.sf = random_word() % 3 == 0;
        q.ws = random_word() & 1;
        q.pm = random_word() & 1;
        q.pack = random_word() % 3 ? 0 : random_word() & 15;
        q.unpack = random_word() % 3 ? 0 : random_word() & 7;
        code[count] = qpu_encode(&q);
    }
    struct qpu_inst last = qpu_nop();
    last.sig = QPU_SIG_THREND;
    code[count] = qpu_encode(&last);
    last.sig = QPU_SIG_NONE;
    code[count + 1] = code[count + 2] = qpu_encode(&last);
    struct qpusim_program *p = qpusim_program_new(code, count + 3, QPUSIM_FRAGMENT, false);
    ck_assert_ptr_nonnull(p);
    struct qpusim_stream stream = {words, 80, 0};
    for (unsigned lenient = 0; lenient < 2; lenient++) {
        struct qpusim_options options = {.lenient = lenient, .poison_seed = (uint32_t)state};
        struct outcome want, got;
        execute(p, &options, &stream, &f, step_only, &want);
        stopped += lenient && want.error.status != QPUSIM_OK;
        for (unsigned i = 0; i < loop_count; i++) {
            execute(p, &options, &stream, &f, loops[i].run, &got);
            for (options.budget = 1; memcmp(&want, &got, sizeof want);
                 options.budget++) { /* the first that differs */
                struct outcome w, g;
                execute(p, &options, &stream, &f, step_only, &w);
                execute(p, &options, &stream, &f, loops[i].run, &g);
                if (memcmp(&w, &g, sizeof w))
                    compare(loops[i].name, code, (size_t)options.budget, &w, &g);
            }
            options.budget = 0;
            compare(loops[i].name, code, count + 3, &want, &got);
        }
    }
    qpusim_program_free(p);
}

START_TEST(same_bits) {
    find_loops();
    for (unsigned i = 0; i < 20000; i++) {
        state = (7ull << 32 | (i + 1)) * 0x9e3779b97f4a7c15ull;
        arithmetic();
    }
    ck_assert_uint_eq(stopped, 0); /* lenient runs see all instructions */
}
END_TEST

int main(void) {
    Suite *s = suite_create("loops");
    TCase *c = tcase_create("loops");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, same_bits);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
