/* User programs: requests, DMA to and from the VPM, semaphores and the mutex. */
#include "machine_test.h"

#include "frame.h"

enum { SIDE = 256 };

static void request(struct frame *f, uint32_t code, uint32_t uniforms, unsigned length) {
    qpusim_block_write(f->block, QPUSIM_SRQUA, uniforms, NULL, NULL);
    qpusim_block_write(f->block, QPUSIM_SRQUL, length, NULL, NULL);
    ck_assert_msg(qpusim_block_write(f->block, QPUSIM_SRQPC, code, &f->options, &f->error) == QPUSIM_OK,
                  "%s: %s", f->error.rule, f->error.text);
}

static unsigned completed(struct frame *f) {
    return qpusim_block_read(f->block, QPUSIM_SRQCS) >> 16 & 255;
}

/* Sixteen rows of words by DMA into the VPM, one added, and back to another place. */
START_TEST(dma) {
    struct frame f;
    frame_open(&f, SIDE, SIDE, 0);
    qpusim_block_write(f.block, QPUSIM_VPMBASE, 16, NULL, NULL);
    uint32_t *from = frame_at(&f, FRAME_VERTICES, 4096), *to = frame_at(&f, FRAME_VERTICES + 4096, 8192);
    for (unsigned i = 0; i < 1024; i++)
        from[i] = i * 2654435761u;
    /* load: 16 rows of 16 words, 128 bytes apart (8 * 2^4), one VPM row each; store: the same, 64 bytes
     * apart */
    char text[2048];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "movi vr_setup, 0x%x\nmov vr_addr, unif\nmov nop, vr_wait\n"
                                "movi vr_setup, 0x1a00\nmovi vw_setup, 0x1a00\nnop\nnop\n",
                                0x80000000u | 4u << 24 | 1u << 12);
    for (unsigned i = 0; i < 16; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "mov r0, vpm\nadd vpm, r0, 1\n");
    snprintf(text + n, sizeof text - n,
             "movi vw_setup, 0x%x\nmovi vw_setup, 0x%x\nmov vw_addr, unif\nmov nop, vw_wait\n"
             "mov irq, 1\nnop; nop; thrend\nnop\nnop\n",
             0x80000000u | 16u << 23 | 16u << 16 | 1u << 14, 0xc0000000u | 0);
    uint32_t words[2] = {FRAME_VERTICES, FRAME_VERTICES + 4096};
    memcpy(frame_at(&f, FRAME_UNIFORMS, 8), words, 8);
    f.options.timing = qpusim_timing_new();
    request(&f, frame_program(&f, text), FRAME_UNIFORMS, 2);
    ck_assert_uint_eq(completed(&f), 1);
    size_t events;
    const struct qpusim_event *event = qpusim_timing_events(f.options.timing, &events);
    ck_assert_uint_eq(events, 1);
    ck_assert(event->user && event->code == FRAME_CODE);
    ck_assert_uint_eq(event->instructions, f.counters.instructions);
    ck_assert_uint_eq(qpusim_timing_report(f.options.timing).user, f.counters.instructions);
    qpusim_timing_free(f.options.timing);
    f.options.timing = NULL;
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_DBQITC), 1);
    for (unsigned y = 0; y < 16; y++)
        for (unsigned x = 0; x < 16; x++)
            ck_assert_uint_eq(to[16 * y + x], from[32 * y + x] + 1);
    /* vertically: what was loaded as columns and is stored as rows is turned over */
    snprintf(
        text, sizeof text,
        "movi vr_setup, 0x%x\nmov vr_addr, unif\nmov nop, vr_wait\nmovi vw_setup, 0x%x\nmovi vw_setup, 0x%x\n"
        "mov vw_addr, unif\nmov nop, vw_wait\nnop; nop; thrend\nnop\nnop\n",
        0x80000000u | 3u << 24 | 1u << 12 | 1u << 11, 0x80000000u | 16u << 23 | 16u << 16 | 1u << 14,
        0xc0000000u | 4);
    request(&f, frame_program(&f, text), FRAME_UNIFORMS, 2);
    for (unsigned y = 0; y < 16; y++)
        for (unsigned x = 0; x < 16; x++)
            ck_assert_uint_eq(to[17 * y + x], from[16 * x + y]);
    /* outside memory */
    words[1] = 0x77770000;
    memcpy(frame_at(&f, FRAME_UNIFORMS, 8), words, 8);
    ck_assert_int_eq(qpusim_block_write(f.block, QPUSIM_SRQPC, FRAME_CODE, NULL, &f.error), QPUSIM_STRICT);
    ck_assert_str_eq(f.error.rule, "vpm-dma");
    frame_close(&f);
}
END_TEST

/* Programs that hand each other a semaphore, in either order of request; counting under the mutex. */
START_TEST(synchronisation) {
    struct frame f;
    frame_open(&f, SIDE, SIDE, 0);
    uint32_t waiter = frame_program(&f, "sacq 3\nmov irq, 1\nnop; nop; thrend\nnop\nnop\n"),
             raiser = frame_program(&f, "srel 3\nnop; nop; thrend\nnop\nnop\n");
    request(&f, waiter, 0, 0);
    ck_assert_uint_eq(completed(&f), 0);
    request(&f, raiser, 0, 0);
    ck_assert_uint_eq(completed(&f), 2);
    request(&f, raiser, 0, 0);
    ck_assert_uint_eq(completed(&f), 3);
    request(&f, waiter, 0, 0);
    ck_assert_uint_eq(completed(&f), 4);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_DBQITC), 1);
    qpusim_block_write(f.block, QPUSIM_DBQITC, 1, NULL, NULL);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_DBQITC), 0);
    /* Twelve programs wait, and four requests behind them; one raise after another lets them go. */
    for (unsigned i = 0; i < 28; i++)
        qpusim_block_write(f.block, QPUSIM_SRQPC, waiter, NULL, NULL);
    ck_assert_uint_eq(completed(&f), 4);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_SRQCS) & 0xff, 16); /* full, and no error */
    qpusim_block_write(f.block, QPUSIM_SRQPC, waiter, NULL, NULL);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_SRQCS) & 0xff, 0x80 | 16);
    frame_close(&f);

    frame_open(&f, SIDE, SIDE, 0);
    qpusim_block_write(f.block, QPUSIM_VPMBASE, 4, NULL, NULL);
    qpusim_block_write(f.block, QPUSIM_SQRSV0, 0x0000000f, NULL, NULL); /* not on QPU 0 */
    /* each adds 1 to a row that all share, with a long way between reading and writing */
    uint32_t counter = frame_program(
        &f,
        "mov nop, mutex\nmovi vr_setup, 0x101a00\nmovi vw_setup, 0x1a00\nnop\nnop\nmov r0, vpm\n"
        "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nadd vpm, r0, 1\nmov mutex, 0\nnop; nop; thrend\nnop\nnop\n");
    uint32_t show =
        frame_program(&f, "movi vw_setup, 0x80904000\nmovi vw_setup, 0xc0000000\nmov vw_addr, unif\n"
                          "mov nop, vw_wait\nmov irq, 1\nnop; nop; thrend\nnop\nnop\n");
    for (unsigned i = 0; i < 9; i++)
        request(&f, counter, 0, 0);
    uint32_t address = FRAME_VERTICES;
    memcpy(frame_at(&f, FRAME_UNIFORMS, 4), &address, 4);
    request(&f, show, FRAME_UNIFORMS, 1);
    ck_assert_uint_eq(completed(&f), 10);
    ck_assert_uint_eq(*(uint32_t *)frame_at(&f, FRAME_VERTICES + 60, 4), 9);
    ck_assert_uint_eq(qpusim_block_read(f.block, QPUSIM_DBQITC), 2); /* QPU 1 */
    frame_close(&f);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("user");
    TCase *tc = tcase_create("user");
    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, dma);
    tcase_add_test(tc, synchronisation);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
