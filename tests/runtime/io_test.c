/* Peripherals one by one: VPM layouts, depth and stencil, tile buffer reads, uniform streams, coordinates,
 * trace, counters and the cycle model. */
#include "machine_test.h"
#include "runtime/machine.h"

#define END "\nnop; nop; thrend\nnop\nnop\n"
#define FEND "\nnop; nop; thrend\nnop\nnop; nop; sbdone\n"

static struct qpusim_fragments frag;
static struct qpusim_vertices vert;
static struct qpusim_result result;

static void run_fragment(const char *text, const uint32_t *words, unsigned count,
                         struct qpusim_options *options) {
    struct qpusim_program *p = assemble(text, QPUSIM_FRAGMENT, false);
    struct qpusim_run_info run = {.program = p, .uniforms = {words, count, 0}, .fragments = &frag};
    struct qpusim_error error;
    ck_assert_msg(qpusim_run(&run, options, &result, &error) == QPUSIM_OK, "%s: %s in\n%s", error.rule,
                  error.text, text);
    qpusim_program_free(p);
}

/* Guide section 7, figures 8 and 9: byte k of element i of a vector, as row, column, byte. */
START_TEST(vpm_layout) {
    static const struct {
        unsigned horizontal, laned, size, addr;
        struct {
            unsigned row, column, byte;
        } first, second, last;
    } cases[] = {
        {1, 0, 0, 0 << 2 | 2, {0, 8, 0}, {0, 8, 1}, {0, 11, 3}},              /* 8 (a) */
        {1, 1, 0, 1 << 2 | 1, {1, 0, 1}, {1, 1, 1}, {1, 15, 1}},              /* 8 (b) */
        {1, 1, 1, 2 << 1 | 0, {2, 0, 0}, {2, 1, 0}, {2, 15, 0}},              /* 8 (c) */
        {1, 0, 1, 3 << 1 | 1, {3, 8, 0}, {3, 8, 2}, {3, 15, 2}},              /* 8 (d) */
        {1, 1, 2, 63, {63, 0, 0}, {63, 1, 0}, {63, 15, 0}},                   /* 8 (e) */
        {0, 0, 0, 0 << 6 | 0 << 2 | 1, {4, 0, 0}, {4, 0, 1}, {7, 0, 3}},      /* 9 (a) */
        {0, 1, 0, 0 << 6 | 1 << 2 | 2, {0, 1, 2}, {1, 1, 2}, {15, 1, 2}},     /* 9 (b) */
        {0, 1, 1, 0 << 5 | 2 << 1 | 0, {0, 2, 0}, {1, 2, 0}, {15, 2, 0}},     /* 9 (c) */
        {0, 0, 1, 0 << 5 | 15 << 1 | 1, {8, 15, 0}, {8, 15, 2}, {15, 15, 2}}, /* 9 (d) */
        {0, 1, 2, 1 << 4 | 1, {16, 1, 0}, {17, 1, 0}, {31, 1, 0}},            /* 9 (e) */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_vpm_block b = sim_vpm_decode(cases[i].horizontal << 11 | cases[i].laned << 10 |
                                                cases[i].size << 8 | cases[i].addr);
        uint16_t offset[16];
        ck_assert_uint_eq(sim_vpm_elements(&b, offset), 1u << cases[i].size);
        ck_assert_uint_eq(b.stride, 64);
        ck_assert_uint_eq(b.remaining, 16);
        ck_assert_uint_eq(offset[0],
                          cases[i].first.row * 64 + cases[i].first.column * 4 + cases[i].first.byte);
        ck_assert_uint_eq(offset[1],
                          cases[i].second.row * 64 + cases[i].second.column * 4 + cases[i].second.byte);
        ck_assert_uint_eq(offset[15], cases[i].last.row * 64 + cases[i].last.column * 4 + cases[i].last.byte);
    }
    /* Through a program: bytes in, halves out. */
    memset(&vert, 0, sizeof vert);
    vert.count = 16;
    vert.row_count = 1;
    for (unsigned i = 0; i < 16; i++)
        vert.rows[0][i] = 0x03020100u + i * 0x04040404u;
    struct qpusim_program *p =
        assemble("movi vr_setup, 0x00201801\nmovi vw_setup, 0x1902\nmov r0, vpm\nmov r1, vpm\n"
                 "mov vpm, r0\nmov vpm, r1" END,
                 QPUSIM_VERTEX, false);
    struct qpusim_run_info run = {.program = p, .vertices = &vert};
    ck_assert_int_eq(qpusim_run(&run, NULL, &result, NULL), QPUSIM_OK);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(result.acc[0][i], 16 + i);
        ck_assert_uint_eq(result.acc[1][i], 32 + i);
        /* Row 1, packed halves: elements 0..15 in the first eight words, then the next vector. */
        ck_assert_uint_eq(result.rows[1][i / 2] >> (16 * (i & 1)) & 0xffff, 16 + i);
        ck_assert_uint_eq(result.rows[1][8 + i / 2] >> (16 * (i & 1)) & 0xffff, 32 + i);
    }
    qpusim_program_free(p);
}
END_TEST

static bool passes(unsigned func, uint32_t a, uint32_t b) {
    const bool table[8] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
    return table[func];
}

START_TEST(depth_functions) {
    for (unsigned func = 0; func < 8; func++) {
        for (unsigned write = 0; write < 2; write++) {
            memset(&frag, 0, sizeof frag);
            frag.live = 0xffff;
            frag.coverage = 0x7fff;
            frag.depth_test = true;
            frag.depth_write = write;
            frag.depth_func = func;
            for (unsigned i = 0; i < 16; i++) {
                frag.z[i] = 100 + i % 3;
                frag.depth[i] = 101;
                frag.color[i] = 7;
            }
            const uint32_t word = 9;
            run_fragment("nop\nmov r0, unif\nmov tlbz, rb15\nmov tlbc, r0" FEND, &word, 1, NULL);
            for (unsigned i = 0; i < 16; i++) {
                bool pass = i < 15 && passes(func, 100 + i % 3, 101);
                ck_assert_uint_eq(result.color[i], pass ? 9 : 7);
                ck_assert_uint_eq(result.depth[i], pass && write ? 100 + i % 3 : 101);
                ck_assert_uint_eq(result.z_written >> i & 1, pass);
            }
        }
    }
}
END_TEST

static uint8_t stencil_result(unsigned op, uint8_t v, uint8_t reference) {
    switch (op) {
    case 0: return 0;
    case 2: return reference;
    case 3: return v < 255 ? v + 1 : 255;
    case 4: return v > 0 ? v - 1 : 0;
    case 5: return 255 - v;
    case 6: return (uint8_t)(v + 1);
    case 7: return (uint8_t)(v - 1);
    default: return v;
    }
}

START_TEST(stencil) {
    static const uint8_t values[4] = {0, 255, 0x5a, 0x0f};
    for (unsigned op = 0; op < 8; op++) {
        for (unsigned func = 0; func < 8; func++) {
            memset(&frag, 0, sizeof frag);
            frag.live = frag.coverage = 0xffff;
            frag.back = 0xff00;
            frag.depth_test = true;
            frag.depth_func = QPUSIM_FUNC_LESS;
            for (unsigned i = 0; i < 16; i++) {
                frag.stencil[i] = values[i & 3];
                frag.z[i] = i & 4 ? 5 : 1; /* fails, passes */
                frag.depth[i] = 3;
            }
            /* Front: fail, pass, depth fail = op, op + 1, op + 2; back: all keep, always. Full write mask in
             * front but for bit 7. */
            const uint32_t words[3] = {1u << 30 | 3u << 28 | ((op + 2) & 7) << 25 | ((op + 1) & 7) << 22 |
                                           op << 19 | func << 16 | 0x5a << 8 | 0x7f,
                                       2u << 30 | 3u << 28 | 1 << 25 | 1 << 22 | 1 << 19 | 7 << 16 |
                                           0x5a << 8 | 0xff,
                                       0xff << 8 | 0x7f};
            run_fragment(
                "mov stencil, unif\nmov stencil, unif\nmov stencil, unif\nmov r0, 1\nmov tlbz, rb15\n"
                "mov tlbc, r0" FEND,
                words, 3, NULL);
            for (unsigned i = 0; i < 16; i++) {
                uint8_t old = values[i & 3], want = old;
                bool z = !(i & 4), pass = true;
                if (i < 8) {
                    pass = passes(func, 0x5a, old & 0x7f);
                    unsigned o = !pass ? op : z ? (op + 1) & 7 : (op + 2) & 7;
                    want = (uint8_t)((stencil_result(o, old, 0x5a) & 0x7f) | (old & 0x80));
                }
                ck_assert_uint_eq(result.stencil[i], want);
                ck_assert_uint_eq(result.color[i], pass && z);
            }
        }
    }
}
END_TEST

START_TEST(tile_reads) {
    memset(&frag, 0, sizeof frag);
    frag.live = 0xfff0;
    frag.coverage = 0x1230;
    frag.back = 0x00f0;
    for (unsigned i = 0; i < 16; i++) {
        frag.color[i] = 0x10101010u * (i & 7);
        frag.x[i] = (int)(100 + i);
        frag.y[i] = (int)(200 + i);
    }
    const uint32_t word = 0xf0f0f0f0;
    run_fragment("mov ra1, ms_mask\nmov ra2, rev_flag\nmov ra3, x_coord\nmov ra4, y_coord\nmov ra5, "
                 "elem_num\nmov r1, unif\n"
                 "nop; nop; loadc\nv8adds tlbc, r4, r1" FEND,
                 &word, 1, NULL);
    for (unsigned i = 4; i < 16; i++) {
        ck_assert_uint_eq(result.ra[1][i], frag.coverage >> i & 1);
        ck_assert_uint_eq(result.ra[2][i], frag.back >> i & 1);
        ck_assert_uint_eq(result.ra[3][i], 100 + i);
        ck_assert_uint_eq(result.ra[4][i], 200 + i);
        ck_assert_uint_eq(result.ra[5][i], i);
        unsigned sum = 0x10 * (i & 7) + 0xf0;
        ck_assert_uint_eq(result.color[i],
                          frag.coverage >> i & 1 ? 0x01010101u * (sum > 255 ? 255 : sum) : frag.color[i]);
    }
    ck_assert_uint_eq(result.color_written, frag.coverage);
}
END_TEST

START_TEST(uniform_streams) {
    memset(&frag, 0, sizeof frag);
    frag.live = frag.coverage = 0xffff;
    /* Both ports of an instruction see one value; both files read it. */
    uint32_t words[8] = {5, 6, QPUSIM_STREAM_ADDRESS, 8, 9, 10, 11, 12};
    run_fragment("mov r0, unif; mov r1, unif\nmov r1, unif\nmovi r2, 0x14\nadd unif_addr, r2, "
                 "unif\nnop\nnop\nmov r3, unif\n"
                 "mov ra1, unif\nmov ra2, unif" FEND,
                 words, 8, NULL);
    ck_assert_uint_eq(result.acc[0][0], 5);
    ck_assert_uint_eq(result.acc[1][0], 6);
    ck_assert_uint_eq(result.acc[3][0], 10);
    ck_assert_uint_eq(result.ra[1][0], 11);
    ck_assert_uint_eq(result.ra[2][0], 12);
    /* A stream in simulated memory. */
    struct qpusim_memory *memory = qpusim_memory_new(8192);
    uint32_t address = qpusim_memory_alloc(memory, 8, 4);
    words[0] = 77;
    words[1] = 78;
    memcpy(qpusim_memory_map(memory, address, 8), words, 8);
    struct qpusim_program *p = assemble("mov r0, unif\nmov r1, unif" FEND, QPUSIM_FRAGMENT, false);
    struct qpusim_run_info run = {
        .program = p, .memory = memory, .uniforms = {NULL, 2, address}, .fragments = &frag};
    ck_assert_int_eq(qpusim_run(&run, NULL, &result, NULL), QPUSIM_OK);
    ck_assert_uint_eq(result.acc[0][3], 77);
    ck_assert_uint_eq(result.acc[1][3], 78);
    qpusim_program_free(p);
    qpusim_memory_free(memory);
}
END_TEST

struct seen {
    unsigned calls, writes;
    char first[64], name[12];
};

static void on_trace(void *user, const struct qpusim_trace *t) {
    struct seen *s = user;
    if (!s->calls++)
        snprintf(s->first, sizeof s->first, "%s", t->text);
    for (unsigned i = 0; i < t->write_count; i++) {
        s->writes++;
        snprintf(s->name, sizeof s->name, "%s", t->writes[i].name);
        if (t->instruction == 0) {
            ck_assert_str_eq(t->writes[i].name, "r0");
            ck_assert_uint_eq(t->writes[i].lanes, 0xffff);
            ck_assert_uint_eq(t->writes[i].value[5], 1);
        }
    }
}

START_TEST(trace_and_counters) {
    memset(&frag, 0, sizeof frag);
    frag.live = frag.coverage = 0xffff;
    struct seen seen = {0};
    struct qpusim_counters c = {0};
    struct qpusim_options options = {.trace = on_trace, .trace_user = &seen, .counters = &c};
    run_fragment("mov r0, 1\nmov ra1, r0\nmov tlbc, r0" FEND, NULL, 0, &options);
    ck_assert_uint_eq(seen.calls, 6);
    ck_assert_uint_eq(seen.writes, 3);
    ck_assert_str_eq(seen.first, "mov r0, 1");
    ck_assert_str_eq(seen.name, "tlbc");
    ck_assert_uint_eq(c.instructions, 6);
    ck_assert_uint_eq(c.cycles, 6);
    ck_assert_uint_eq(c.tlb_writes, 1);
    ck_assert_uint_eq(c.stage_batches[QPUSIM_FRAGMENT], 1);
}
END_TEST

START_TEST(waiting) {
    /* A lookup is answered QPU_LAT_TMU slots after S; what is done in between costs nothing more. */
    memset(&frag, 0, sizeof frag);
    frag.live = frag.coverage = 0xffff;
    struct qpusim_memory *memory = qpusim_memory_new(8192);
    uint32_t address = qpusim_memory_alloc(memory, 4, 4);
    for (unsigned between = 0; between < 15; between++) {
        char text[512] = "mov r0, unif\nmov t0s, r0\n";
        for (unsigned i = 0; i < between; i++)
            strcat(text, "nop\n");
        strcat(text, "nop; nop; ldtmu0" FEND);
        struct qpusim_program *p = assemble(text, QPUSIM_FRAGMENT, false);
        struct qpusim_run_info run = {
            .program = p, .memory = memory, .uniforms = {&address, 1, 0}, .fragments = &frag};
        struct qpusim_counters c = {0};
        struct qpusim_options options = {.counters = &c};
        ck_assert_int_eq(qpusim_run(&run, &options, &result, NULL), QPUSIM_OK);
        unsigned stall = between + 1 < QPU_LAT_TMU ? QPU_LAT_TMU - 1 - between : 0;
        ck_assert_uint_eq(c.stall_tmu, stall);
        ck_assert_uint_eq(c.cycles, c.instructions + stall);
        qpusim_program_free(p);
    }
    qpusim_memory_free(memory);
    /* The first read after a VPM setup waits three slots. */
    memset(&vert, 0, sizeof vert);
    vert.count = 1;
    vert.row_count = 1;
    struct qpusim_program *p = assemble("movi vr_setup, 0x101a00\nmov r0, vpm" END, QPUSIM_VERTEX, false);
    struct qpusim_run_info run = {.program = p, .vertices = &vert};
    struct qpusim_counters c = {0};
    struct qpusim_options options = {.counters = &c};
    ck_assert_int_eq(qpusim_run(&run, &options, &result, NULL), QPUSIM_OK);
    ck_assert_uint_eq(c.stall_fifo, 2);
    qpusim_program_free(p);
}
END_TEST

/* Each word that is expected has to be written, the first as the last. */
START_TEST(expected_outputs) {
    memset(&vert, 0, sizeof vert);
    vert.count = 16;
    vert.row_count = 1;
    for (unsigned row = 0; row < 3; row++) {
        char text[300];
        snprintf(text, sizeof text,
                 "movi vr_setup, 0x101a00\nmov r0, vpm\nmovi vw_setup, 0x%x\nmov r1, 1\nmov vpm, r1\n"
                 "mov vpm, r1" END,
                 0x1a00 + row);
        struct qpusim_program *p = assemble(text, QPUSIM_VERTEX, false);
        struct qpusim_error error;
        for (unsigned expected = 0; expected < 5; expected++) {
            struct qpusim_run_info run = {.program = p, .vertices = &vert, .expected_outputs = expected};
            bool all = expected == 0 || (row == 0 && expected <= 2);
            enum qpusim_status status = qpusim_run(&run, NULL, &result, &error);
            ck_assert_msg((status == QPUSIM_OK) == all, "%u of %u from %u", expected, 2, row);
            ck_assert(all || !strcmp(error.rule, "vpm-output-missing"));
        }
        qpusim_program_free(p);
    }
}
END_TEST

/* The guide queues a second read setup, its addendum says that it is ignored: strict mode stops, lenient mode
 * queues. */
START_TEST(lenient_setups_are_queued) {
    memset(&vert, 0, sizeof vert);
    vert.count = 16;
    vert.row_count = 2;
    for (unsigned i = 0; i < 16; i++)
        vert.rows[0][i] = 100 + i, vert.rows[1][i] = 200 + i;
    struct qpusim_program *p =
        assemble("movi vr_setup, 0x201a00\nmovi vr_setup, 0x101a00\nmovi vw_setup, 0x1a00\n"
                 "mov r0, vpm\nmov r1, vpm\nmov r2, vpm\nmov vpm, r0\nmov vpm, r1\n"
                 "mov vpm, r2" END,
                 QPUSIM_VERTEX, false);
    struct qpusim_run_info run = {.program = p, .vertices = &vert};
    struct qpusim_options options = {.lenient = true};
    ck_assert_int_eq(qpusim_run(&run, &options, &result, NULL), QPUSIM_OK);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(result.rows[0][i], 100 + i);
        ck_assert_uint_eq(result.rows[1][i], 200 + i);
        ck_assert_uint_eq(result.rows[2][i], 100 + i);
    }
    qpusim_program_free(p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("io");
    TCase *c = tcase_create("io");
    tcase_add_test(c, vpm_layout);
    tcase_add_test(c, depth_functions);
    tcase_add_test(c, stencil);
    tcase_add_test(c, tile_reads);
    tcase_add_test(c, uniform_streams);
    tcase_add_test(c, trace_and_counters);
    tcase_add_test(c, waiting);
    tcase_add_test(c, expected_outputs);
    tcase_add_test(c, lenient_setups_are_queued);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
