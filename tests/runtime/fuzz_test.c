/* Random words as programs, strict and lenient: every run ends with a status, nothing is read or written
 * outside. (The sanitizer build is what gives this test its teeth.) Seed and size of the run can be set:
 * fuzz_test [seed [count]]. */
#include "machine_test.h"

/* Not a Check suite: it runs without forking, from the command line too. */
#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "line %d: %s, state %llx\n", __LINE__, #condition, (unsigned long long)state);   \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static uint64_t state;

static uint64_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

static uint8_t pick(const uint8_t *from, size_t n) {
    return from[random_word() % n];
}

/* An instruction that looks like one more often than chance would have it. */
static uint64_t random_instruction(size_t count) {
    static const uint8_t reads[] = {0, 1, 15, 31, 32, 35, 38, 39, 39, 39, 41, 42, 48, 51};
    static const uint8_t writes[] = {0,  1,  15, 32, 33, 34, 35, 37, 39, 39, 39, 40, 43, 44,
                                     45, 46, 48, 48, 49, 52, 53, 54, 55, 56, 57, 58, 59, 60};
    static const uint8_t sigs[] = {1, 1, 1, 1, 1, 2, 4, 5, 6, 8, 10, 11, 13, 13, 3};
    if (random_word() % 16 == 0)
        return random_word();
    struct qpu_inst q = qpu_nop();
    q.cond_add = random_word() % 4 ? QPU_COND_ALWAYS : random_word() & 7;
    q.cond_mul = random_word() % 4 ? QPU_COND_ALWAYS : random_word() & 7;
    q.waddr_add = pick(writes, sizeof writes);
    q.waddr_mul = pick(writes, sizeof writes);
    q.sf = random_word() % 4 == 0;
    q.ws = random_word() & 1;
    switch (random_word() % 8) {
    case 0:
        q.type = QPU_BRANCH;
        q.sig = QPU_SIG_BRANCH;
        q.cond_br = random_word() & 15;
        q.br_rel = 1;
        q.imm = (uint32_t)(((int64_t)(random_word() % count) - (int64_t)count / 2) * 8);
        break;
    case 1:
        q.type = QPU_LDI;
        q.sig = QPU_SIG_LDI;
        q.imm =
            random_word() & 1 ? (uint32_t)random_word() : 0x00101a00u | (uint32_t)(random_word() & 0xf00f00);
        break;
    default:
        q.sig = pick(sigs, sizeof sigs);
        q.op_add = random_word() & 31;
        q.op_mul = random_word() & 7;
        q.add_a = random_word() & 7;
        q.add_b = random_word() & 7;
        q.mul_a = random_word() & 7;
        q.mul_b = random_word() & 7;
        q.raddr_a = pick(reads, sizeof reads);
        q.raddr_b = q.sig == QPU_SIG_SMALL_IMM ? random_word() & 63 : pick(reads, sizeof reads);
        q.pm = random_word() & 1;
        if (random_word() % 4 == 0)
            q.pack = random_word() & 15;
        if (random_word() % 4 == 0)
            q.unpack = random_word() & 7;
    }
    return qpu_encode(&q);
}

static void ignore(void *user, const struct qpusim_trace *trace) {
    (void)user, (void)trace;
}

/* The machine is deterministic, and with a trace, instruction by instruction, it does what it does
 * without. */
static void run_alike(const struct qpusim_run_info *run, const struct qpusim_options *options,
                      enum qpusim_status status, const struct qpusim_result *result,
                      const struct qpusim_error *error) {
    static struct qpusim_result again;
    struct qpusim_options traced = *options;
    struct qpusim_error e;
    traced.trace = ignore;
    for (unsigned i = 0; i < 2; i++) {
        REQUIRE(qpusim_run(run, i ? &traced : options, &again, &e) == status);
        REQUIRE(!memcmp(&again, result, sizeof again));
        REQUIRE(status == QPUSIM_OK ||
                (e.instruction == error->instruction && e.lane == error->lane && e.rule == error->rule));
    }
}

static void one(struct qpusim_memory *memory) {
    static struct qpusim_fragments f;
    static struct qpusim_vertices v;
    static struct qpusim_result a;
    uint64_t code[64];
    uint32_t words[32];
    size_t count = 4 + random_word() % 60;
    for (size_t i = 0; i < count; i++)
        code[i] = random_instruction(count);
    for (unsigned i = 0; i < 32; i++)
        words[i] = random_word() & 1 ? (uint32_t)random_word()
                                     : QPUSIM_MEMORY_BASE + (uint32_t)(random_word() & 0xfffff);
    f.live = (uint16_t)((random_word() & 1 ? 0xf : 0) | (random_word() & 1 ? 0xf0 : 0) | 0xf000);
    f.coverage = f.live & (uint16_t)random_word();
    f.varying_count = random_word() % 4;
    f.depth_test = random_word() & 1;
    f.depth_func = random_word() & 7;
    v.count = 1 + random_word() % 16;
    v.row_count = random_word() % 5;
    for (unsigned i = 0; i < 5 * 16; i++)
        v.rows[i / 16][i % 16] = (uint32_t)random_word();
    struct qpusim_program *p =
        qpusim_program_new(code, count, (enum qpusim_stage)(random_word() % 3), random_word() & 1);
    REQUIRE(p);
    struct qpusim_run_info run = {
        .program = p, .memory = memory, .uniforms = {words, 32, 0}, .fragments = &f, .vertices = &v};
    for (unsigned lenient = 0; lenient < 2; lenient++) {
        struct qpusim_options options = {.lenient = lenient, .budget = 2000, .poison_seed = (uint32_t)state};
        struct qpusim_error e1;
        enum qpusim_status status = qpusim_run(&run, &options, &a, &e1);
        REQUIRE(status == e1.status);
        REQUIRE(status == QPUSIM_OK || (e1.rule && e1.text[0] && e1.instruction <= count && e1.lane < 16));
        run_alike(&run, &options, status, &a, &e1);
    }
    qpusim_program_free(p);
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 20000;
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    for (unsigned i = 0; i < count; i++) {
        state = (seed << 32 | (i + 1)) * 0x9e3779b97f4a7c15ull;
        one(memory);
    }
    qpusim_memory_free(memory);
    printf("seed %llu: %u random programs\n", (unsigned long long)seed, count);
    return 0;
}
