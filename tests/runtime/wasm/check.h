/* What a test of the machine in WebAssembly has of check: it says the first failure and ends. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

typedef const char Suite, TCase, SRunner;

#define START_TEST(name) static void name(void) {
#define END_TEST }
#define ck_abort_msg(...) (fprintf(stderr, __VA_ARGS__), exit(1))
#define ck_assert_msg(holds, ...) ((holds) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define ck_assert_ptr_nonnull(p) ck_assert_msg((p) != NULL, "%s is NULL\n", #p)
#define ck_assert_uint_eq(a, b) ck_assert_msg((a) == (b), "%s is not %s\n", #a, #b)
#define ck_assert_uint_lt(a, b) ck_assert_msg((a) < (b), "%s is not less than %s\n", #a, #b)

enum { CK_NORMAL };
#define suite_create(name) name
#define tcase_create(name) name
#define tcase_set_timeout(c, seconds) (void)(c)
#define tcase_add_test(c, test) test()
#define suite_add_tcase(s, c) (void)(s)
#define srunner_create(s) s
#define srunner_run_all(r, mode) (void)(r)
#define srunner_ntests_failed(r) 0
#define srunner_free(r) (void)(r)

#endif
