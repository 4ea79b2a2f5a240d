/* Encoder, decoder, small immediates and the operation table. */
#include "backend/isa/isa.h"
#include "random.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(fields_of_an_alu_instruction) {
    /* seeds/001: "fadd r1, unif, r2; mov r0.8b, r1" */
    struct qpu_inst i;
    ck_assert(qpu_decode(0x1152586081827c89u, &i));
    ck_assert_uint_eq(i.type, QPU_ALU);
    ck_assert_uint_eq(i.sig, QPU_SIG_NONE);
    ck_assert_uint_eq(i.op_add, QPU_A_FADD);
    ck_assert_uint_eq(i.op_mul, QPU_M_V8MIN);
    ck_assert_uint_eq(i.pm, 1);
    ck_assert_uint_eq(i.pack, QPU_PACK_8B);
    ck_assert_uint_eq(i.ws, 1);
    ck_assert_uint_eq(i.waddr_add, QPU_W_ACC1);
    ck_assert_uint_eq(i.waddr_mul, QPU_W_ACC0);
    ck_assert_uint_eq(i.raddr_a, QPU_R_UNIF);
    ck_assert_uint_eq(i.raddr_b, QPU_R_NOP);
    ck_assert_uint_eq(i.add_a, QPU_MUX_A);
    ck_assert_uint_eq(i.add_b, QPU_MUX_R2);
    ck_assert_uint_eq(i.mul_a, QPU_MUX_R1);
    ck_assert_uint_eq(i.mul_b, QPU_MUX_R1);
}
END_TEST

START_TEST(fields_of_the_other_types) {
    struct qpu_inst i;
    ck_assert(qpu_decode(0xe0020867deadbeefu, &i));
    ck_assert_uint_eq(i.type, QPU_LDI);
    ck_assert_uint_eq(i.waddr_add, QPU_W_ACC1);
    ck_assert_uint_eq(i.imm, 0xdeadbeefu);
    ck_assert(qpu_decode(0xe2020867deadbeefu, &i));
    ck_assert_uint_eq(i.type, QPU_LDI_SIGNED);
    ck_assert(qpu_decode(0xe6020867deadbeefu, &i));
    ck_assert_uint_eq(i.type, QPU_LDI_UNSIGNED);
    ck_assert(qpu_decode(0xe80009e7ffffffe0u | 0x17, &i));
    ck_assert_uint_eq(i.type, QPU_SEMAPHORE);
    ck_assert_uint_eq(i.sem_down, 1);
    ck_assert_uint_eq(i.sem, 7);
    ck_assert_uint_eq(i.imm, 0xffffffe0u);
    ck_assert(qpu_decode(0xf01809e7ffffffe0u, &i));
    ck_assert_uint_eq(i.type, QPU_BRANCH);
    ck_assert_uint_eq(i.cond_br, QPU_BR_ALL_ZC);
    ck_assert_uint_eq(i.br_rel, 1);
    ck_assert_uint_eq(i.br_reg, 0);
    ck_assert_int_eq((int32_t)i.imm, -32);
    /* the three reserved kinds of load immediate */
    ck_assert(!qpu_decode(0xe4020867deadbeefu, &i));
    ck_assert(!qpu_decode(0xea020867deadbeefu, &i));
    ck_assert(!qpu_decode(0xee020867deadbeefu, &i));
}
END_TEST

START_TEST(nop_is_the_known_word) {
    struct qpu_inst nop = qpu_nop();
    ck_assert_uint_eq(qpu_encode(&nop), 0x100009e7009e7000u);
}
END_TEST

START_TEST(decode_and_encode_are_inverse) {
    uint64_t state = 1;
    for (int n = 0; n < 1000000; n++) {
        uint64_t word = random_word(&state);
        if (n % 2) { /* half of the words of the rarer types */
            word |= UINT64_C(14) << 60;
        }
        struct qpu_inst i;
        qpu_decode(word, &i);
        ck_assert_msg(qpu_encode(&i) == word, "%016llx", (unsigned long long)word);
    }
}
END_TEST

START_TEST(encode_masks_fields) {
    struct qpu_inst i;
    memset(&i, 0xff, sizeof i);
    i.type = QPU_ALU;
    i.sig = QPU_SIG_NONE;
    struct qpu_inst back;
    qpu_decode(qpu_encode(&i), &back);
    ck_assert_uint_eq(back.raddr_a, 63);
    ck_assert_uint_eq(back.op_add, 31);
    ck_assert_uint_eq(back.mul_b, 7);
}
END_TEST

START_TEST(small_immediates) {
    for (int v = -16; v <= 15; v++) {
        int code = qpu_small_imm_code((uint32_t)v);
        ck_assert_int_ge(code, 0);
        ck_assert_int_lt(code, 32);
        ck_assert_uint_eq(qpu_small_imm_value((unsigned)code), (uint32_t)v);
    }
    for (int e = -8; e <= 7; e++) {
        float f = ldexpf(1.0f, e);
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        int code = qpu_small_imm_code(bits);
        ck_assert_int_eq(code, e >= 0 ? 32 + e : 48 + e);
        ck_assert_uint_eq(qpu_small_imm_value((unsigned)code), bits);
    }
    ck_assert_int_eq(qpu_small_imm_code(16), -1);
    ck_assert_int_eq(qpu_small_imm_code(0x3f800001), -1);
    ck_assert_int_eq(qpu_small_imm_code(0xffffffef), -1); /* -17 */
    ck_assert_int_eq(qpu_small_imm_code(0xbf800000), -1); /* -1.0 */
    ck_assert_int_eq(qpu_small_imm_code(0x43800000), -1); /* 256.0 */
    ck_assert_int_eq(qpu_small_imm_code(0x3b000000), -1); /* 2^-9 */
    ck_assert_int_eq((int32_t)qpu_small_imm_value(48), -16);
    ck_assert_int_eq((int32_t)qpu_small_imm_value(63), -1);
}
END_TEST

START_TEST(operation_table) {
    ck_assert_str_eq(qpu_add_info(QPU_A_FADD)->name, "fadd");
    ck_assert(qpu_add_info(QPU_A_FADD)->is_float);
    ck_assert_uint_eq(qpu_add_info(QPU_A_CLZ)->nsrc, 1);
    ck_assert(!qpu_add_info(QPU_A_SUB)->commutes);
    ck_assert(qpu_add_info(QPU_A_ITOF)->float_result);
    ck_assert(!qpu_add_info(QPU_A_ITOF)->is_float);
    ck_assert_ptr_null(qpu_add_info(9)->name);
    ck_assert_ptr_null(qpu_add_info(29)->name);
    ck_assert_str_eq(qpu_mul_info(QPU_M_MUL24)->name, "mul24");
    ck_assert(!qpu_mul_info(QPU_M_V8SUBS)->commutes);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("isa codec");
    TCase *tests = tcase_create("codec");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, fields_of_an_alu_instruction);
    tcase_add_test(tests, fields_of_the_other_types);
    tcase_add_test(tests, nop_is_the_known_word);
    tcase_add_test(tests, decode_and_encode_are_inverse);
    tcase_add_test(tests, encode_masks_fields);
    tcase_add_test(tests, small_immediates);
    tcase_add_test(tests, operation_table);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
