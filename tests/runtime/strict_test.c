/* Strict mode: each rule is broken by one small program, and its neighbour that just keeps the rule runs. */
#include "machine_test.h"

#define END "\nnop; nop; thrend\nnop\nnop\n"
#define FEND "\nnop; nop; thrend\nnop\nnop; nop; sbdone\n"
#define VREAD "movi vr_setup, 0x101a00\nmov ra31, vpm\n" /* one attribute word */

struct strict_case {
    const char *rule; /* NULL: runs */
    char stage;       /* f, t (threaded fragment), v */
    const char *text;
};

static const struct strict_case cases[] = {
    /* registers */
    {"regfile-read-after-write", 'v', VREAD "mov ra1, 1\nmov r0, ra1" END},
    {NULL, 'v', VREAD "mov ra1, 1\nnop\nmov r0, ra1" END},
    {"regfile-read-after-write", 'v', VREAD "mov rb1, 1\nmov r0, rb1" END},
    {NULL, 'v', VREAD "mov ra1, 1\nmov r0, rb1\nmov r0, ra1" END},
    {NULL, 'v', VREAD "mov r1, 1\nmov r0, r1" END},
    /* across a branch: last slot against target */
    {"regfile-read-after-write", 'v', VREAD "brr L8\nnop\nnop\nmov ra1, 1\nnop\nnop\nL8:\nmov r0, ra1" END},
    {NULL, 'v', VREAD "brr L8\nnop\nmov ra1, 1\nnop\nnop\nnop\nL8:\nmov r0, ra1" END},
    /* SFU */
    {"r4-before-sfu", 'v', VREAD "mov r0, 1.0\nmov recip, r0\nnop\nmov r1, r4" END},
    {NULL, 'v', VREAD "mov r0, 1.0\nmov recip, r0\nnop\nnop\nmov r1, r4" END},
    {"r4-write-during-sfu", 'v', VREAD "mov r0, 1.0\nmov recip, r0\nnop\nmov exp, r0\nnop\nnop" END},
    {NULL, 'v', VREAD "mov r0, 1.0\nmov recip, r0\nnop\nnop\nmov exp, r0\nnop\nnop" END},
    {"sfu-at-end", 'v', VREAD "mov r0, 1.0\nnop; nop; thrend\nnop\nmov recip, r0\n"},
    /* rotation */
    {"rotate-after-write", 'v', VREAD "mov r0, 1\nnop; mov.rot4 r1, r0" END},
    {NULL, 'v', VREAD "mov r0, 1\nnop\nnop; mov.rot4 r1, r0" END},
    {"rotate-after-r5-write", 'v', VREAD "mov r0, 1\nmov r5rep, 1\nnop; mov.rotr5 r1, r0" END},
    {NULL, 'v', VREAD "mov r0, 1\nmov r5rep, 1\nnop\nnop; mov.rotr5 r1, r0" END},
    /* combinations */
    {"coupled-peripherals", 'f', "mov r0, 1.0\nmov tlbc, r0; mov recip, r0\nnop\nnop" FEND},
    {"coupled-peripherals", 'f', "nop\nmov tlbz, rb15; nop; loadc" FEND},
    {NULL, 'f', "mov r0, unif\nnop\nmov stencil, r0; nop; loadc" FEND},
    {"tmu-two-writes", 'f', "mov r0, 0\nmov t0s, r0; mov t1s, r0" FEND},
    {"same-destination", 'v', VREAD "mov r0, 1; mov r0, 1" END},
    {NULL, 'v', VREAD "mov r0, elem_num\nsub.setf nop, r0, 4\nmov.zs r1, r0; mov.zc r1, r0" END},
    {"pack-to-io", 'f', "mov r0, 1.0\nnop; mov tlbc.8a, r0" FEND},
    {"unpack-mixed", 'v', VREAD "mov ra1, 1.0\nnop\nfadd r0, ra1.8a, r1; mov r2, ra1.8a" END},
    /* uniforms; the stream has four words */
    {"uniform-past-end", 'v',
     VREAD "mov r0, unif\nmov r0, unif\nmov r0, unif\nmov r0, unif\nmov r0, unif" END},
    {"uniform-left-over", 'v', VREAD "mov r0, unif\nmov r0, unif\nmov r0, unif\nnop" END},
    {"uniform-after-address", 'v', VREAD "mov r0, unif\nmov unif_addr, r0\nnop\nmov r1, unif\nnop" END},
    {NULL, 'v', VREAD "mov r0, unif\nmov unif_addr, r0\nnop\nnop\nmov r1, unif\nmov r1, unif" END},
    {"uniform-address", 'v', VREAD "movi r0, 0x7\nmov unif_addr, r0\nnop" END},
    {"uniform-address", 'v', VREAD "movi r0, 0x4\nmov unif_addr, r0\nnop" END},
    {NULL, 'v',
     VREAD "mov r0, unif\nadd r0, r0, 8\nadd unif_addr, r0, 8\nnop\nnop" END}, /* the stream's end */
    {"uniform-address", 'v',
     VREAD "mov r0, unif\nadd r0, r0, 8\nadd r0, r0, 8\nadd unif_addr, r0, 4\nnop\nnop" END},
    {"uniform-at-end", 'v',
     VREAD "mov r0, unif\nmov r0, unif\nmov r0, unif\nnop; nop; thrend\nmov r0, unif\nnop\n"},
    {"undefined-address", 'v', VREAD "mov unif_addr, r2" END},
    /* the end */
    {"regfile-write-at-end", 'v', VREAD "mov r0, 1\nmov ra1, r0; nop; thrend\nnop\nnop\n"},
    {NULL, 'v', VREAD "nop; nop; thrend\nmov ra1, 1\nmov r0, 1\n"},
    {"r14-at-end", 'v', VREAD "nop; nop; thrend\nmov ra14, 1\nnop\n"},
    {"r14-at-end", 'v', VREAD "mov rb14, 1\nnop; nop; thrend\nnop\nmov r0, rb14\n"},
    {"tlb-z-at-end", 'f', "nop\nnop; nop; sbwait\nnop; nop; thrend\nnop\nmov tlbz, rb15\n"},
    {NULL, 'f', "nop\nnop; nop; sbwait\nnop; nop; thrend\nmov tlbz, rb15\nnop; nop; sbdone\n"},
    {"run-off-end", 'v', VREAD "nop\nnop\n"},
    {"breakpoint", 'v', VREAD "nop; nop; bkpt" END},
    /* varyings; two words are set up */
    {"varying-unread", 'f', "!mov r0, vary\nnop" FEND},
    {"varying-past-end", 'f', "!mov r0, vary\nmov r0, vary\nmov r0, vary" FEND},
    {"varying-at-end", 'f', "!mov r0, vary\nnop; nop; thrend\nmov r0, vary\nnop\n"},
    {"varying-and-r5", 'f', "!mov r0, vary\nmov r5rep, vary" FEND},
    {"fragment-only", 'v', VREAD "mov r0, vary" END},
    {"fragment-only", 'v', VREAD "mov r0, 1\nmov tlbc, r0" END},
    {"vertex-only", 'f', "mov r0, 1\nmov vpm, r0" FEND},
    /* VPM */
    {"vpm-read-empty", 'v', VREAD "mov r0, vpm" END},
    {"vpm-read-left", 'v', "movi vr_setup, 0x201a00\nmov ra31, vpm" END},
    {"vpm-setup-queue", 'v',
     "movi vr_setup, 0x201a00\nmovi vr_setup, 0x101a00\nmov ra31, vpm\nmov ra31, vpm\nmov ra31, vpm" END},
    {NULL, 'v',
     "movi vr_setup, 0x201a00\nmov ra31, vpm\nmovi vr_setup, 0x101a00\nmov ra31, vpm\nmov ra31, vpm" END},
    {"vpm-write-without-setup", 'v', VREAD "mov r0, 1\nmov vpm, r0" END},
    {NULL, 'v', VREAD "movi vw_setup, 0x1a00\nmov r0, 1\nmov vpm, r0" END},
    {"vpm-setup", 'v', VREAD "movi vw_setup, 0x1b00" END},
    {"vpm-dma", 'v', VREAD "movi vw_setup, 0x80001a00" END},
    {"vpm-at-end", 'v', VREAD "movi vw_setup, 0x1a00\nmov r0, 1\nnop; nop; thrend\nmov vpm, r0\nnop\n"},
    {"attribute-unread", 'v', "nop" END},
    /* TMU */
    {"tmu-read-empty", 'f', "nop; nop; ldtmu0" FEND},
    {"tmu-result-left", 'f', "mov r0, unif\nmov t0s, r0" FEND},
    {NULL, 'f', "mov r0, unif\nmov t0s, r0\nnop; nop; ldtmu0" FEND},
    {"tmu-address", 'f', "mov r0, 0\nmov t0s, r0\nnop; nop; ldtmu0" FEND},
    {"tmu-request-half", 'f', "mov r0, 0\nmov t0t, r0" FEND},
    {"tmu-fifo-overflow", 'f',
     "mov r0, unif\nmov t0s, r0\nmov t0s, r0\nmov t0s, r0\nmov t0s, r0\nmov t0s, r0" FEND},
    {"tmu-setup", 'f',
     "mov r0, unif\nmov r1, unif\nmov r1, 0\nmov t0t, r1\nmov t0s, r1\nnop; nop; ldtmu0" FEND},
    {"uniform-with-tmu", 'f', "mov t0t, unif" FEND},
    {"undefined-texture", 'f', "mov t0s, r2" FEND},
    {"tmu-noswap-late", 'f', "mov tmu_noswap, 1\nmov r0, unif\nmov t0s, r0\nnop; nop; ldtmu0" FEND},
    {NULL, 'f', "mov tmu_noswap, 1\nmov r0, unif\nnop\nmov t0s, r0\nnop; nop; ldtmu0" FEND},
    /* scoreboard and tile buffer */
    {"scoreboard-early", 'f', "mov tlbc, 0" FEND},
    {NULL, 'f', "nop\nmov tlbc, 0" FEND},
    {"scoreboard-unlocked", 'f',
     "nop\nmov tlbc, 0\nnop; nop; sbdone\nmov tlbc, 0\nnop; nop; thrend\nnop\nnop\n"},
    {"scoreboard-wait-at-end", 'f', "mov r0, 0\nmov tlbc, r0; nop; thrend\nnop\nnop; nop; sbdone\n"},
    {NULL, 'f', "mov r0, 0\nnop; nop; sbwait\nmov tlbc, r0; nop; thrend\nnop\nnop; nop; sbdone\n"},
    {"scoreboard-not-unlocked", 'f', "nop\nmov tlbc, 0\nnop; nop; thrend\nnop\nnop\n"},
    {"ms-mask-after-z", 'f', "nop\nmov tlbz, rb15\nnop\nmov r0, ms_mask" FEND},
    {NULL, 'f', "nop\nmov tlbz, rb15\nnop\nnop\nmov r0, ms_mask" FEND},
    {"undefined-pixel", 'f', "nop\nmov tlbc, r3" FEND},
    {"undefined-pixel", 'f',
     "nop\nnop; mov r3.8a, 1.0\nnop; mov r3.8b, 1.0\nnop; mov r3.8c, 1.0\nmov tlbc, r3" FEND},
    {NULL, 'f',
     "nop\nnop; mov r3.8a, 1.0\nnop; mov r3.8b, 1.0\nnop; mov r3.8c, 1.0\nnop; mov r3.8d, 1.0\nmov tlbc, "
     "r3" FEND},
    {"undefined-pixel", 'f', "mov r0, 1\nmov.zs tlbc, r0" FEND},
    {"quad-xy-write", 'f', "mov x_coord, 0" FEND},
    {"coverage-load", 'f', "nop\nnop; nop; loadcv" FEND},
    /* threads */
    {"switch-unthreaded", 'f', "nop; nop; lthrsw" FEND},
    {"switch-no-last", 't', "nop" FEND},
    {"switch-after-last", 't', "nop; nop; lthrsw\nnop\nnop\nnop; nop; thrsw\nnop\nnop" FEND},
    {NULL, 't', "nop; nop; thrsw\nnop\nnop\nnop; nop; lthrsw\nnop\nnop" FEND},
    {"switch-spacing", 't', "nop; nop; thrsw\nnop\nnop; nop; lthrsw\nnop\nnop" FEND},
    {"scoreboard-before-last-switch", 't', "nop\nmov tlbc, 0\nnop; nop; lthrsw\nnop\nnop" FEND},
    {"switch-during-sfu", 't', "mov r0, 1.0\nnop; nop; lthrsw\nnop\nmov recip, r0\nnop\nnop" FEND},
    {"undefined-pixel", 't', "mov r0, 0\nnop; nop; lthrsw\nnop\nnop\nmov tlbc, r0" FEND},
    {NULL, 't', "mov ra1, 0\nnop; nop; lthrsw\nnop\nnop\nmov tlbc, ra1" FEND},
    {"regfile-read-after-write", 't', "nop; nop; lthrsw\nnop\nmov ra1, 0\nmov tlbc, ra1" FEND},
    {"thread-register", 't', "mov ra16, 0\nnop; nop; lthrsw\nnop\nnop" FEND},
    {"tmu-read-before-switch", 't',
     "nop; nop; lthrsw\nnop\nnop\nmov r0, unif\nmov t0s, r0\nnop; nop; ldtmu0" FEND},
    {NULL, 't', "mov r0, unif\nnop; nop; lthrsw\nnop\nmov t0s, r0\nnop; nop; ldtmu0" FEND},
    {"tmu-fifo-overflow", 't',
     "mov r0, unif\nmov t0s, r0\nmov t0s, r0\nmov t0s, r0\nnop; nop; lthrsw\nnop\nnop" FEND},
    /* branches */
    {"undefined-branch", 'v', VREAD "brr.allz L7\nnop\nnop\nnop\nnop\nL7:\nnop" END},
    {"branch-in-delay-slot", 'v', VREAD "brr L7\nbrr L7\nnop\nnop\nnop\nL7:\nnop" END},
    {"branch-target", 'v', VREAD "brr L900\nnop\nnop\nnop" END},
    {"branch-at-end", 'v', VREAD "nop; nop; thrend\nbrr L2\nnop\n"},
    {"instruction-budget", 'v', VREAD "L2:\nbrr L2\nnop\nnop\nnop" END},
    /* semaphore and mutex */
    {"semaphore-deadlock", 'v', VREAD "sacq 3" END},
    {NULL, 'v', VREAD "srel 3\nsacq 3" END},
    {"mutex", 'v', VREAD "mov r0, mutex" END},
    {NULL, 'v', VREAD "mov r0, mutex\nmov mutex, r0" END},
    {NULL, 'v', VREAD "mov irq, 1" END}, /* interrupts the host, which is not there */
    /* poison that decides nothing is fine */
    {NULL, 'v', VREAD "add r0, r1, r2\nxor r3, r2, r2\nmovi vw_setup, 0x1a00\nmov vpm, r3" END},
    {"undefined-vertex", 'v', VREAD "movi vw_setup, 0x1a00\nadd r3, r2, 1\nmov vpm, r3" END},
    /* r5 takes the first lane, or each quad's first */
    {NULL, 'v',
     VREAD "movi vw_setup, 0x1a00\nmov r0, elem_num\nsub.setf nop, r0, 1\nmov.ns r3, r0\nmov r5rep, "
           "r3\nnop\nmov vpm, "
           "r5" END},
    {"undefined-vertex", 'v',
     VREAD "movi vw_setup, 0x1a00\nmov r0, elem_num\nsub.setf nop, r0, 1\nmov.nc r3, r0\nmov r5rep, "
           "r3\nnop\nmov vpm, "
           "r5" END},
    {NULL, 'v',
     VREAD "movi vw_setup, 0x1a00\nmov r0, elem_num\nsub.setf nop, r0, 9\nmov.ns r3, r0\nmov r5quad, "
           "r3\nnop\nmov vpm, "
           "r5" END},
    {"undefined-vertex", 'v',
     VREAD "movi vw_setup, 0x1a00\nmov r0, elem_num\nsub.setf nop, r0, 8\nmov.ns r3, r0\nmov r5quad, "
           "r3\nnop\nmov vpm, "
           "r5" END},
    {"undefined-vertex", 'v',
     VREAD "movi vw_setup, 0x1a00\nmov r0, elem_num\nsub.setf nop, r0, 9\nmov.ns vpm, r0" END},
    {NULL, 'v',
     VREAD "movi vw_setup, 0x1a00\nmov r0, elem_num\nsub.setf nop, r0, 9\nmov.ns r3, r0\nmov.nc r3, 0\nmov "
           "vpm, r3" END},
    {"undefined-vertex", 'v',
     VREAD "movi vw_setup, 0x1a00\nmov r0, elem_num\nsub.setf nop, r0, 9\nmov.ns r3, r0\nmov vpm, r3" END},
};

/* What lenient mode reports first. */
static void keep_first(void *user, const struct qpusim_error *error) {
    struct qpusim_error *first = user;
    if (!first->rule)
        *first = *error;
}

START_TEST(rules) {
    const struct strict_case *c = &cases[_i];
    static struct qpusim_fragments f;
    static struct qpusim_vertices v;
    static struct qpusim_result result;
    struct qpusim_memory *memory = qpusim_memory_new(65536);
    const char *text = c->text;
    memset(&f, 0, sizeof f);
    f.live = f.coverage = 0xffff;
    f.varying_count = *text == '!' ? 2 : 0;
    text += *text == '!';
    v.count = 12;
    v.row_count = strstr(text, "0x201a00") && strcmp(c->rule ? c->rule : "", "vpm-read-left") ? 2 : 1;
    struct qpusim_program *p =
        assemble(text, c->stage == 'v' ? QPUSIM_VERTEX : QPUSIM_FRAGMENT, c->stage == 't');
    uint32_t words[4] = {c->stage == 'v' ? QPUSIM_STREAM_ADDRESS : QPUSIM_MEMORY_BASE + 64, 0, 0, 0x00000060};
    bool attributes = c->rule && !strcmp(c->rule, "attribute-unread");
    bool inputs = attributes || (c->rule && !strncmp(c->rule, "uniform", 7));
    struct qpusim_run_info run = {.program = p,
                                  .memory = memory,
                                  .uniforms = {words, attributes ? 0 : 4, 0},
                                  .fragments = &f,
                                  .vertices = &v,
                                  .partial_uniforms = !inputs};
    struct qpusim_options options = {.budget = 1000};
    struct qpusim_error error;
    enum qpusim_status status = qpusim_run(&run, &options, &result, &error);
    if (!c->rule) {
        ck_assert_msg(status == QPUSIM_OK, "%s: %s in\n%s", error.rule, error.text, text);
    } else {
        ck_assert_msg(status != QPUSIM_OK, "%s is not found in\n%s", c->rule, text);
        ck_assert_msg(!strcmp(error.rule, c->rule), "%s (%s) instead of %s in\n%s", error.rule, error.text,
                      c->rule, text);
        ck_assert_uint_gt(strlen(error.text), 10);
        ck_assert_int_eq(error.stage, c->stage == 'v' ? QPUSIM_VERTEX : QPUSIM_FRAGMENT);
        /* The same program goes on in lenient mode, unless it has no way to. */
        struct qpusim_error first = {0};
        options.lenient = true;
        options.tolerated = keep_first;
        options.tolerated_user = &first;
        status = qpusim_run(&run, &options, &result, &error);
        if (first.rule)
            ck_assert_msg(!strcmp(first.rule, c->rule), "%s is tolerated first, not %s", first.rule, c->rule);
        else
            ck_assert_msg(status != QPUSIM_OK, "nobody hears of %s in\n%s", c->rule, text);
        if (status != QPUSIM_OK)
            ck_assert_msg(!strcmp(error.rule, "instruction-budget") || !strcmp(error.rule, "branch-target") ||
                              !strcmp(error.rule, "run-off-end"),
                          "lenient mode stops: %s", error.text);
    }
    qpusim_program_free(p);
    qpusim_memory_free(memory);
}
END_TEST

START_TEST(place) {
    /* Instruction and lane of an error. */
    struct qpusim_program *p = assemble(
        VREAD "movi vw_setup, 0x1a00\nmov r0, elem_num\nsub.setf nop, r0, 9\nmov.ns r3, r0\nmov vpm, r3" END,
        QPUSIM_VERTEX, false);
    static struct qpusim_vertices v = {.count = 12, .row_count = 1};
    static struct qpusim_result result;
    struct qpusim_run_info run = {.program = p, .vertices = &v};
    struct qpusim_error error;
    ck_assert_int_eq(qpusim_run(&run, NULL, &result, &error), QPUSIM_STRICT);
    ck_assert_uint_eq(error.instruction, 6);
    ck_assert_int_eq(error.lane, 9);
    /* Only lanes that are not in use are undefined: no error. */
    v.count = 9;
    ck_assert_int_eq(qpusim_run(&run, NULL, &result, &error), QPUSIM_OK);
    qpusim_program_free(p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("strict");
    TCase *c = tcase_create("strict");
    tcase_add_loop_test(c, rules, 0, sizeof cases / sizeof *cases);
    tcase_add_test(c, place);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
