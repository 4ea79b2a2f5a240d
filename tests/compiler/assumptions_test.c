/* The register of assumptions: names, order, text. */
#include <qpucc/assumptions.h>

#include <check.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct qpucc_assumption_row *row_of(unsigned i) {
    return qpucc_assumption_at((enum qpucc_assumption)i);
}

START_TEST(names_are_unique) {
    for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++)
        ck_assert_uint_eq(qpucc_assumption_by_name(row_of(i)->name), i);
    ck_assert_uint_eq(qpucc_assumption_by_name("no_such_thing"), QPUCC_ASSUMPTION_COUNT);
    ck_assert_uint_eq(qpucc_assumption_by_name(NULL), QPUCC_ASSUMPTION_COUNT);
    ck_assert_ptr_null(row_of(QPUCC_ASSUMPTION_COUNT));
}
END_TEST

START_TEST(rows_are_in_the_sections_order) {
    bool seen[QPUCC_ASSUMPTION_SECTION_COUNT] = {false};
    for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++) {
        ck_assert_msg(!i || row_of(i - 1)->section <= row_of(i)->section, "%s: its section is over",
                      row_of(i)->name);
        seen[row_of(i)->section] = true;
    }
    for (unsigned s = 0; s < QPUCC_ASSUMPTION_SECTION_COUNT; s++)
        ck_assert_msg(seen[s], "%s has no row",
                      qpucc_assumption_section_name((enum qpucc_assumption_section)s));
}
END_TEST

static void check_sentence(const char *name, const char *text, const char *chars) {
    ck_assert_msg(text[0] && !isspace((unsigned char)text[0]), "%s: empty text", name);
    ck_assert_msg(!strpbrk(text, chars) && !strstr(text, "  "), "%s: the page cannot show \"%s\"", name,
                  text);
}

START_TEST(text_fits_a_table) {
    for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++) {
        const struct qpucc_assumption_row *row = row_of(i);
        ck_assert_msg(row->name[strspn(row->name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == 0, "%s",
                      row->name);
        check_sentence(row->name, row->what, "|\n`");
        check_sentence(row->name, row->evidence, "|\n`");
        check_sentence(row->name, row->relies, "|\n`");
        ck_assert_msg(row->what[strlen(row->what) - 1] == '.', "%s: no full stop", row->name);
        ck_assert_msg(row->tests[strspn(row->tests, "abcdefghijklmnopqrstuvwxyz0123456789_.")] == 0,
                      "%s: \"%s\"", row->name, row->tests);
    }
}
END_TEST

START_TEST(grades_and_uses_have_names) {
    for (unsigned g = 0; g <= QPUCC_ASSUMPTION_GRADE_COUNT; g++)
        ck_assert_int_eq(!qpucc_assumption_grade_name((enum qpucc_assumption_grade)g),
                         g == QPUCC_ASSUMPTION_GRADE_COUNT);
    for (unsigned u = 0; u <= QPUCC_ASSUMPTION_USE_COUNT; u++)
        ck_assert_int_eq(!qpucc_assumption_use_name((enum qpucc_assumption_use)u),
                         u == QPUCC_ASSUMPTION_USE_COUNT);
    ck_assert_ptr_null(qpucc_assumption_section_name(QPUCC_ASSUMPTION_SECTION_COUNT));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("assumptions");
    TCase *all = tcase_create("register");
    tcase_add_test(all, names_are_unique);
    tcase_add_test(all, rows_are_in_the_sections_order);
    tcase_add_test(all, text_fits_a_table);
    tcase_add_test(all, grades_and_uses_have_names);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
