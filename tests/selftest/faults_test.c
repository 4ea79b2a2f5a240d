/* The self-test finds faults: for each that the machine can be given some row differs that names the
 * assumption which the fault breaks. And rows and register name each other. */
#include "tools/selftest/run.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Faults that this many must be found of; those whose assumption no row names do not count as found. */
enum { LEAST_FOUND = 40 };

static bool row_finds(const struct row *row, struct device *wrong, struct device *machine) {
    struct result result = {0};
    run_row(row, wrong, machine, &result);
    return result.verdict == DIFFERS;
}

/* 1: a row differs, 0: none does, -1: no row names the assumption. */
static int find_fault(unsigned fault, const char *assumption, struct device *machine) {
    struct device *wrong = device_machine(fault);
    int found = -1;
    ck_assert_ptr_nonnull(wrong);
    for (size_t s = 0; s < row_section_count && found < 1; s++) {
        for (size_t n = 0; n < row_sections[s]->count && found < 1; n++) {
            const struct row *row = &row_sections[s]->rows[n];
            if (!row->unreachable && row_tests(row, assumption, strlen(assumption))) {
                found = row_finds(row, wrong, machine);
            }
        }
    }
    device_close(wrong);
    return found;
}

START_TEST(faults) {
    struct device *machine = device_machine(0);
    const struct qpusim_fault *fault;
    unsigned found = 0, missed = 0;
    ck_assert_ptr_nonnull(machine);
    for (unsigned n = 1; (fault = qpusim_fault_at(n)); n++) {
        int verdict = find_fault(n, fault->assumption, machine);
        found += verdict == 1;
        missed += verdict == 0;
        if (verdict < 1) {
            printf("%s: %s (%s)\n", fault->name, verdict ? "no row for its assumption" : "not found",
                   fault->assumption);
        }
    }
    device_close(machine);
    printf("%u faults found\n", found);
    ck_assert_uint_eq(missed, 0);
    ck_assert_uint_ge(found, LEAST_FOUND);
}
END_TEST

static const struct {
    const char *name, *tests;
} assumptions[] = {
#define ASSUMPTION(name, section, grade, use, what, evidence, relies, tests) {#name, tests},
#include <qpucc/assumptions.def>
#undef ASSUMPTION
};
enum { ASSUMPTIONS = sizeof assumptions / sizeof *assumptions };

/* Where the register says that rows ask, some row of that name says so, too. */
START_TEST(register_says_true) {
    for (size_t a = 0; a < ASSUMPTIONS; a++) {
        bool found = !*assumptions[a].tests;
        for (size_t s = 0; s < row_section_count; s++) {
            for (size_t n = 0; n < row_sections[s]->count; n++) {
                const struct row *row = &row_sections[s]->rows[n];
                found |= !strncmp(row->name, assumptions[a].tests, strlen(assumptions[a].tests)) &&
                         row_tests(row, assumptions[a].name, strlen(assumptions[a].name));
            }
        }
        ck_assert_msg(found, "%s: no row %s names it", assumptions[a].name, assumptions[a].tests);
    }
}
END_TEST

START_TEST(assumptions_exist) {
    for (size_t s = 0; s < row_section_count; s++) {
        for (size_t n = 0; n < row_sections[s]->count; n++) {
            const struct row *row = &row_sections[s]->rows[n];
            size_t named = 0, words = 0;
            for (const char *p = row->assumptions; *p; words++) {
                p += strcspn(p, " ");
                p += strspn(p, " ");
            }
            for (size_t a = 0; a < ASSUMPTIONS; a++) {
                named += row_tests(row, assumptions[a].name, strlen(assumptions[a].name));
            }
            ck_assert_msg(named == words, "%s: %s", row->name, row->assumptions);
        }
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("selftest_faults");
    TCase *t = tcase_create("faults");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, faults);
    tcase_add_test(t, assumptions_exist);
    tcase_add_test(t, register_says_true);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
