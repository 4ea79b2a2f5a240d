/* The special function unit against check vectors: some here, all 2,400 where the shared material is present.
 */
#include "machine_test.h"
#include "runtime/alu.h"

static const struct {
    const char *op;
    uint32_t input, result;
} vectors[] = {
    {"recip", 0x00000000, 0x7f800000}, {"recip", 0x80000000, 0xff800000}, {"recip", 0x00000001, 0x7f800000},
    {"recip", 0x80000001, 0xff800000}, {"recip", 0x007fffff, 0x7f800000}, {"recip", 0x00800000, 0x7e7ffc00},
    {"recip", 0xc5d65eb8, 0xb918dc00}, {"recip", 0xc158cb2e, 0xbd972700}, {"recip", 0x3fae0000, 0x3f3c5300},
    {"recip", 0xc28fd4dd, 0xbc63d200}, {"recip", 0x1aefca62, 0x6408a800}, {"recip", 0x51d8f5c7, 0x2d170b00},
    {"recip", 0x433b5989, 0x3baee800}, {"recip", 0x2d2619b3, 0x51c54800}, {"rsqrt", 0x00000000, 0x7f800000},
    {"rsqrt", 0x80000000, 0x7f800000}, {"rsqrt", 0x00000001, 0x7f800000}, {"rsqrt", 0x80000001, 0x7f800000},
    {"rsqrt", 0x007fffff, 0x7f800000}, {"rsqrt", 0x00800000, 0x5efffb00}, {"rsqrt", 0x335ce9cd, 0x4589cb00},
    {"rsqrt", 0x4e2ba817, 0x381c5100}, {"rsqrt", 0x3ec6b7ec, 0x3fcd7600}, {"rsqrt", 0x4f47efac, 0x3790d900},
    {"rsqrt", 0x44d4de65, 0x3cc68500}, {"rsqrt", 0x3fca0000, 0x3f4bc800}, {"rsqrt", 0x445b1e57, 0x3d0a5b00},
    {"rsqrt", 0x40080000, 0x3f2f9d00}, {"log2", 0x00000000, 0xff800000},  {"log2", 0x80000000, 0xff800000},
    {"log2", 0x00000001, 0xff800000},  {"log2", 0x80000001, 0xff800000},  {"log2", 0x007fffff, 0xff800000},
    {"log2", 0x00800000, 0xc2fbfffe},  {"log2", 0x3c5d7d0f, 0xc0c6afa0},  {"log2", 0xc2fc0000, 0x7f800001},
    {"log2", 0x410f5a13, 0x404a7500},  {"log2", 0x46da710c, 0x416c5620},  {"log2", 0x43f56fd5, 0x410f06a0},
    {"log2", 0x518d3071, 0x421090d8},  {"log2", 0x46dcabe9, 0x416c9220},  {"log2", 0x3c881599, 0xc0bd2ca0},
    {"exp2", 0x00000000, 0x3f800100},  {"exp2", 0x80000000, 0x3f800100},  {"exp2", 0x00000001, 0x3f800100},
    {"exp2", 0x80000001, 0x3f800100},  {"exp2", 0x007fffff, 0x3f800100},  {"exp2", 0x00800000, 0x3f800100},
    {"exp2", 0xc2cd2e7f, 0x0c29fb00},  {"exp2", 0xc2257532, 0x2ac6db00},  {"exp2", 0xfa7a2cf0, 0x00000000},
    {"exp2", 0xc20d261b, 0x2dd1cb00},  {"exp2", 0x42ce0613, 0x73010f00},  {"exp2", 0xbf800000, 0x3efffe00},
    {"exp2", 0x7f000000, 0x7f800000},  {"exp2", 0x42a4eb7f, 0x68b01100},
};

static uint32_t sfu(const char *op, uint32_t x) {
    if (!strcmp(op, "recip"))
        return sim_sfu_recip(x);
    if (!strcmp(op, "rsqrt"))
        return sim_sfu_rsqrt(x);
    return op[0] == 'e' ? sim_sfu_exp2(x) : sim_sfu_log2(x);
}

START_TEST(embedded) {
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ck_assert_msg(sfu(vectors[i].op, vectors[i].input) == vectors[i].result,
                      "%s(%08x) = %08x instead of %08x", vectors[i].op, vectors[i].input,
                      sfu(vectors[i].op, vectors[i].input), vectors[i].result);
    ck_assert_uint_eq(sim_sfu_recip(0x3f800000), 0x3f7ffc00);
    ck_assert_uint_eq(sim_sfu_exp2(0), 0x3f800100);
    ck_assert_uint_eq(sim_sfu_exp2(0x3f800000), 0x40000100);
    ck_assert_uint_eq(sim_sfu_log2(0x3f800000), 0);
}
END_TEST

START_TEST(all) {
    const char *shared = getenv("QPUCC_SHARED");
    char path[4096], line[128], op[16];
    if (!shared || !*shared) {
        printf("QPUCC_SHARED is not set: embedded vectors only\n");
        return;
    }
    snprintf(path, sizeof path, "%s/data/sfu-vectors.tsv", shared);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    unsigned n = 0, input, result;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%15s %x %x", op, &input, &result) != 3)
            continue;
        n++;
        ck_assert_msg(sfu(op, input) == result, "%s(%08x) = %08x instead of %08x", op, input, sfu(op, input),
                      result);
    }
    fclose(f);
    ck_assert_uint_eq(n, 2400);
}
END_TEST

int main(void) {
    Suite *s = suite_create("sfu");
    TCase *c = tcase_create("sfu");
    tcase_add_test(c, embedded);
    tcase_add_test(c, all);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
