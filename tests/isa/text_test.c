/* Assembler and disassembler: forms of the syntax, errors, and random words through both. */
#include "backend/isa/isa.h"
#include "random.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text in its printed form and its word, both ways. */
static const struct {
    const char *text;
    uint64_t word;
} forms[] = {
    {"nop", 0x100009e7009e7000u},
    {"mov r0, unif", 0x1002082715827d80u},
    {"fadd r1, unif, r2; mov r0.8b, r1", 0x1152586081827c89u},
    {"mov vpm, ra0; mov r0, unif", 0x10024c2095020dbfu},
    {"nop; nop; sbdone", 0x500009e7009e7000u},
    {"fadd.zs.setf ra1, ra2, rb3; fmul r2, r0, r1; ldtmu0", 0xa004606221083dc1u},
    {"fadd rb1, r0, 2.0; fmul ra2, r1, r1", 0xd00250422109e1c9u & ~0ull},
};

START_TEST(printed_forms) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct qpu_asm_result result = qpu_assemble(forms[i].text, strlen(forms[i].text));
        ck_assert_msg(result.code != NULL, "%s: %s", forms[i].text, result.error);
        ck_assert_uint_eq(result.count, 1);
        char text[256];
        qpu_disassemble(result.code[0], 0, text, sizeof text);
        ck_assert_str_eq(text, forms[i].text);
        if (i < 6) {
            ck_assert_msg(result.code[0] == forms[i].word, "%s: %016llx", forms[i].text,
                          (unsigned long long)result.code[0]);
        }
        free(result.code);
    }
}
END_TEST

/* Every one of these prints as it stands. */
static const char *const canonical[] = {
    "fadd.zs r0, ra1.8a, ra1.8a",
    "nop; fmul ra1.c8a, r0, r1",
    "nop; mov ra1.8a, r0",
    "nop; fmul ra1.c8abcd, r0, r1",
    "mov ra3.16as, r0; fmul rb2, r4, r5",
    "fadd r0, r4.8c, r4.8c; fmul r1, r4.8c, unif",
    "nop; mov.rot3 r0, r1",
    "add r0, r1, -13; mov.rot3 r2, r3",
    "nop; fmul.zc.setf.rotr5 r0, r1, r2",
    "fsub.setf nop, r0, 0.0078125",
    "add r0, r1, -16",
    "shl rb5, elem_num, 2",
    "mov r0, qpu_num; mov r1, elem_num",
    "mov unif_addr, r0",
    "mov unif_addr_rel, r0",
    "mov r5quad, r0",
    "nop; mov r5rep, r0",
    "mov tlbz, rb15; nop; sbwait",
    "itof r0, ra41",
    "movi r0, 0x3f800000",
    "movi.zs.setf ra1.16a, 0x7; movi.zc rb2, 0x7",
    "nop; movi rb2, 0xffffffff",
    "movis r3, 0x12345678",
    "moviu ra9, 0x1",
    "sacq 5",
    "srel 0",
    "sacq ra1, 5; sacq rb1, 5",
    "brr.allz L8",
    "brr.anync r0, ra1, L1",
    "bra ra1, 0x100+ra31",
    "brr -0x4",
    "bra.br13 0x0",
    "aop9 r0, r1, r2",
    "not r0, unif",
    "mov r0, ms_mask; mov r1, rev_flag",
    "mov r0, vpm; mov vpm, r0",
    "v8adds r0, r1, r2; v8adds r3, r1, r2",
    "nop.setf",
    "mov r0, r1; nop; thrend",
    "mov t0s, r0; nop; thrsw",
};

START_TEST(canonical_text_prints_as_it_stands) {
    for (size_t i = 0; i < sizeof canonical / sizeof *canonical; i++) {
        struct qpu_asm_result result = qpu_assemble(canonical[i], strlen(canonical[i]));
        ck_assert_msg(result.code != NULL, "%s: %s", canonical[i], result.error);
        char text[256];
        size_t length = qpu_disassemble(result.code[0], 0, text, sizeof text);
        if (strcmp(canonical[i], "itof r0, ra41") != 0) {
            ck_assert_str_eq(text, canonical[i]);
        } else {
            ck_assert_str_eq(text, "itof r0, x_coord");
        }
        ck_assert_uint_eq(length, strlen(text));
        free(result.code);
    }
}
END_TEST

/* Other spellings of the same word. */
static const char *const same[][2] = {
    {"or r0, r1, r1", "mov r0, r1"},
    {"mov r0, r1; ldtmu1", "mov r0, r1; nop; ldtmu1"},
    {"thrend", "nop; nop; thrend"},
    {"fmul r0, r1, r2; fadd r1, r2, r3", "fadd r1, r2, r3; fmul r0, r1, r2"},
    {"fmul r0, r1, r2", "nop; fmul r0, r1, r2"},
    {"mov r0, unif setf", "mov.setf r0, unif"},
    {"ldi r0, 1.0", "movi r0, 0x3f800000"},
    {"movi ra0, 1; ldi rb0, 1", "movi ra0, 0x1; movi rb0, 0x1"},
    {"movi r0, -1", "movi r0, 0xffffffff"},
    {"movi r0, 1.5e-3", "movi r0, 0x3ac49ba6"},
    {"mov recipsqrt, r0", "mov rsqrt, r0"},
    {"  mov   r0 ,r1 # comment", "mov r0, r1"},
    {"mov r0, r1 // comment", "mov r0, r1"},
    {"fadd r0, r1, 0x40000000", "fadd r0, r1, 2.0"},
    {"fadd r0, r1, 0.0", "fadd r0, r1, 0"},
    {".word 0x100009e7009e7000", "nop"},
    {"here: brr here", "brr L0"},
    {"brr.anycs L3", "brr.anyc L3"},
    {"nop [ra=32]", "nop [ra=32]"},
    {"mov.always r0, r1", "mov r0, r1"},
};

START_TEST(other_spellings) {
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct qpu_asm_result a = qpu_assemble(same[i][0], strlen(same[i][0]));
        struct qpu_asm_result b = qpu_assemble(same[i][1], strlen(same[i][1]));
        ck_assert_msg(a.code != NULL, "%s: %s", same[i][0], a.error);
        ck_assert_msg(b.code != NULL, "%s: %s", same[i][1], b.error);
        ck_assert_uint_eq(a.count, 1);
        ck_assert_msg(a.code[0] == b.code[0], "%s", same[i][0]);
        char text[256];
        qpu_disassemble(a.code[0], 0, text, sizeof text);
        ck_assert_str_eq(text, same[i][1]);
        free(a.code);
        free(b.code);
    }
}
END_TEST

/* What the assembler refuses, and a piece of what it says. */
static const char *const refused[][2] = {
    {"fadd r0, ra1, ra2", "two addresses of file A"},
    {"fadd r0, rb1, rb2", "two addresses of file B"},
    {"fadd r0, rb1, 1.0", "file B"},
    {"fadd r0, 1.0, 2.0", "file B"},
    {"fadd r0, r1, 17", "small immediate"},
    {"fadd r0, r1, 1.0; nop; ldtmu0", "place of a signal"},
    {"fadd r0, ra1.8a, ra1", "is missing"},
    {"fadd r0, ra1.8a, r4.8a", "both halves need the same"},
    {"fadd r0, rb1.8a, r0", "only r4 and file A unpack"},
    {"fadd r0, r3.8a, r0", "only r4 and file A unpack"},
    {"fadd r0.8a, r1, r2", "registers of file A only"},
    {"fadd rb0.8a, r1, r2", "registers of file A only"},
    {"nop; fmul r0.16a, r1, r2", "mul ALU's result"},
    {"mov ra0, r1; mov ra1, r2", "file for one of the destinations"},
    {"fadd r0, r1", "takes 3 operands"},
    {"mov r0, r1, r2", "takes 2 operands"},
    {"fadd r0, r1, r2; fsub r1, r2, r3", "both operations need the add ALU"},
    {"frobnicate r0, r1, r2", "unknown operation"},
    {"fadd.xx r0, r1, r2", "unknown suffix"},
    {"fadd r6, r1, r2", "cannot write"},
    {"fadd r0, r6, r2", "cannot read"},
    {"fadd r0, ra64, r2", "cannot read"},
    {"fadd unif, r0, r2", "cannot write"},
    {"mov.zs.ns r0, r1", "more than one condition of mov"},
    {"movi.zs.always r0, 1", "more than one condition of movi"},
    {"nop; mov.rot3.rot4 r0, r1", "more than one rotation of mov"},
    {"brr L0 setf", "sets no flags"},
    {"ldtmu0; ldtmu1", "more than one signal"},
    {"ldtmu0 r0", "no operands"},
    {"mov r0, r1; mov r1, r2; nop; nop", "more than three"},
    {"movi r0, 1; mov r1, r2", "load in the same way"},
    {"movis r0, 1; moviu rb1, 1", "load in the same way"},
    {"movi r0, 1; movi r1, 2", "same number"},
    {"movi r0, 99999999999", "number"},
    {"sacq 16", "fitting number"},
    {"brr nowhere", "no label"},
    {"bra L5", "needs brr"},
    {"brr.zs L5", "unknown branch condition"},
    {"bra 0+rb3", "register of file A"},
    {"nop; mov.rot16 r0, r1", "rotation is"},
    {"nop; mov.rot0 r0, r1", "rotation is"},
    {"mov.rot3 r0, r1", "unknown suffix"},
    {"add r0, r1, 3; mov.rot3 r2, r3", "only immediate is -13"},
    {"nop [zz=1]", "bad annotation"},
    {"nop [ra=64]", "bad annotation"},
    {"nop [sig=14]", "bad annotation"},
    {"brr L0 [ra=40]", "bad annotation ra=40"},
    {"brr L0 [sf=1]", "bad annotation sf=1"},
    {"movi r0, 1 [aa=3]", "bad annotation aa=3"},
    {"movi r0, 1 [unpack=1]", "bad annotation unpack=1"},
    {"movis r0, 1 [unpack=2]", "bad annotation unpack=2"},
    {"sacq 3 [imm=0x25]", "bad annotation imm=0x25"},
    {"sacq 3; srel 3", "load in the same way"},
    {"nop ws=1]", "without ["},
    {"a: nop\na: nop", "defined twice"},
    {"00000000: 15827d80 10020827 mov r1, unif", "the listing says"},
    {"mov r0, , r1", "empty operand"},
    {"mov r0, r1, r2, r3, r0, r1", "too many operand"},
    {";", "empty component"},
    {"[ra=3]", "empty component"},
    {"add r0, rb1, r2; mov.rot3 r1, r2", "place of file B"},
    {"brr ra0.8a, L4", "does not pack"},
    {"movi r0, 1e", "fitting number"},
    {"movi r0, 1e99", "fitting number"},
    {"movi r0, 0x", "fitting number"},
    {"movi r0, -0x80000001", "fitting number"},
    {"movi r0, 1.5.2", "fitting number"},
    {"0000000g: 15827d80 10020827 mov r0, unif", "unknown operation"},
    {"00000000: 15827d8 10020827 mov r0, unif", "unknown operation"},
    {"00000000: 00000000 00000000 .word 0x100009e7009e7000", "the listing says"},
    {".word 0x1", "sixteen digits"},
    {"00000000: 15827d80 1002082 mov r0, unif", "unknown operation"},
};

START_TEST(errors) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct qpu_asm_result result = qpu_assemble(refused[i][0], strlen(refused[i][0]));
        ck_assert_msg(result.code == NULL, "%s was accepted", refused[i][0]);
        ck_assert_msg(strstr(result.error, refused[i][1]) != NULL, "%s: %s", refused[i][0], result.error);
        ck_assert_uint_ge(result.line, 1);
    }
    struct qpu_asm_result result = qpu_assemble("nop\n\nnop\nbad\n", 13);
    ck_assert_uint_eq(result.line, 4);
}
END_TEST

START_TEST(labels_and_program) {
    const char text[] = "# a loop\n"
                        "start:\n"
                        "  mov.setf r0, r0\n"
                        "again: brr.anynz again\n"
                        "  nop\n  nop\n  nop\n"
                        "  brr done\n  nop\n  nop\n  nop\n"
                        "done:\n";
    struct qpu_asm_result result = qpu_assemble(text, sizeof text - 1);
    ck_assert_msg(result.code != NULL, "%s", result.error);
    ck_assert_uint_eq(result.count, 9);
    ck_assert_int_eq((int32_t)result.code[1], -32);
    ck_assert_int_eq((int32_t)result.code[5], 0);
    free(result.code);
    /* Names of registers are no others. */
    const char registers[] = "nop\nra0: nop\nvpm: nop\nbrr ra0\nnop\nnop\nnop\nbrr vpm\nbrr ra1";
    result = qpu_assemble(registers, sizeof registers - 1);
    ck_assert_msg(result.code != NULL, "%u: %s", result.line, result.error);
    ck_assert_int_eq((int32_t)result.code[3], -48);
    ck_assert_int_eq((int32_t)result.code[7], -72);
    ck_assert_uint_eq(result.code[8] >> 50 & 1, 1); /* no such label: the register */
    free(result.code);
    result = qpu_assemble("", 0);
    ck_assert_ptr_nonnull(result.code);
    ck_assert_uint_eq(result.count, 0);
    free(result.code);
}
END_TEST

START_TEST(listing) {
    const char text[] = "nop\nbrr.anynz L1\nnop\nnop\nnop\nbrr L9\nnop\nnop\nnop\n";
    struct qpu_asm_result result = qpu_assemble(text, sizeof text - 1);
    ck_assert_msg(result.code != NULL, "%s", result.error);
    char *plain = qpu_list(result.code, result.count, false);
    ck_assert_str_eq(plain, "nop\nL1:\nbrr.anynz L1\nnop\nnop\nnop\nbrr L9\nnop\nnop\nnop\nL9:\n");
    char *hex = qpu_list(result.code, 2, true);
    ck_assert_str_eq(hex, "00000000: 009e7000 100009e7 nop\nL1:\n00000002: ffffffe0 f03809e7 brr.anynz L1\n");
    free(plain);
    free(hex);
    free(result.code);
}
END_TEST

START_TEST(small_buffers) {
    char text[8];
    memset(text, 'x', sizeof text);
    ck_assert_uint_eq(qpu_disassemble(0x500009e7009e7000u, 0, text, 6), strlen("nop; nop; sbdone"));
    ck_assert_str_eq(text, "nop; ");
    ck_assert_int_eq(text[6], 'x');
    ck_assert_uint_eq(qpu_disassemble(0x500009e7009e7000u, 0, NULL, 0), strlen("nop; nop; sbdone"));
}
END_TEST

/* Any word prints as an instruction that assembles to the word again. */
START_TEST(random_words_survive_text) {
    uint64_t state = 2;
    for (int n = 0; n < 100000; n++) {
        uint64_t word = random_word(&state);
        if (n % 4 == 1) {
            word = (word & ~(UINT64_C(15) << 60)) | (UINT64_C(13) + n / 4 % 3) << 60;
        }
        if (n % 8 == 2) { /* what sane code looks like: no unused fields */
            word = (word & 0xf00fffffff000fffu) | 0x9e7000u;
        }
        unsigned index = (unsigned)(n % 6);
        char text[512];
        size_t length = qpu_disassemble(word, index, text, sizeof text);
        ck_assert_uint_lt(length, sizeof text);
        ck_assert_msg(strncmp(text, ".word", 5) != 0, "%016llx has no text", (unsigned long long)word);
        char program[1024] = "";
        for (unsigned i = 0; i < index; i++) {
            strcat(program, "nop\n");
        }
        strcat(program, text);
        struct qpu_asm_result result = qpu_assemble(program, strlen(program));
        ck_assert_msg(result.code != NULL, "%016llx %s: %s", (unsigned long long)word, text, result.error);
        ck_assert_msg(result.code[index] == word, "%s: %016llx, not %016llx", text,
                      (unsigned long long)result.code[index], (unsigned long long)word);
        free(result.code);
    }
}
END_TEST

/* Mutilated text is refused or assembled, never a crash (runs under the sanitizers in CI). */
START_TEST(random_text_is_harmless) {
    uint64_t state = 3;
    static const char alphabet[] = "ra0b1,;. []=+-:#xsetf\n\t";
    for (int n = 0; n < 50000; n++) {
        char text[600];
        size_t length = qpu_disassemble(random_word(&state), 0, text, 256);
        if (length > 255) {
            length = 255;
        }
        uint64_t dice = random_word(&state);
        for (unsigned edits = 1 + dice % 4; edits > 0; edits--) {
            dice = random_word(&state);
            text[dice % (length + 1)] =
                dice & 256 ? (char)(dice >> 16) : alphabet[(dice >> 16) % (sizeof alphabet - 1)];
        }
        /* an exact heap copy, so that the sanitizer sees reads past the end */
        char *copy = malloc(length ? length : 1);
        memcpy(copy, text, length);
        struct qpu_asm_result result = qpu_assemble(copy, length);
        ck_assert(result.code != NULL || result.error[0] != 0);
        free(result.code);
        free(copy);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("isa text");
    TCase *tests = tcase_create("text");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, printed_forms);
    tcase_add_test(tests, canonical_text_prints_as_it_stands);
    tcase_add_test(tests, other_spellings);
    tcase_add_test(tests, errors);
    tcase_add_test(tests, labels_and_program);
    tcase_add_test(tests, listing);
    tcase_add_test(tests, small_buffers);
    tcase_add_test(tests, random_words_survive_text);
    tcase_add_test(tests, random_text_is_harmless);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
