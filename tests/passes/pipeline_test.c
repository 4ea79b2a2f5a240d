/* The driver runs a pass only where it may find something to do. */
#include "passes/passes.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void note(void *user, const char *pass, struct ir_shader *shader, bool changed, double seconds) {
    (void)shader;
    (void)seconds;
    strcat(strcat(user, pass), changed ? "+ " : " ");
}

/* The passes that ran, "+" after those that changed something. */
static void expect_runs(const char *body, const char *passes, const char *runs) {
    char text[500], error[200] = "", log[500] = "";
    int n = snprintf(text, sizeof text,
                     "shader vertex\ninput \"x\" float 1x1 word 0\noutput \"y\" float 1x1 word 0\nb0:\n"
                     "%%0 = input.f32 0\n%s",
                     body);
    struct ir_shader *shader = ir_parse(text, (size_t)n, error, sizeof error);
    struct pass_options options = passes_default_options();
    options.verify = false;
    options.after = note;
    options.user = log;
    ck_assert_msg(shader && passes_run_named(shader, passes, &options, error, sizeof error), "%s", error);
    ck_assert_str_eq(log, runs);
    ir_shader_destroy(shader);
    /* verified, everything runs, and what could have been left out changes nothing */
    shader = ir_parse(text, (size_t)n, error, sizeof error);
    options.verify = true;
    options.after = NULL;
    ck_assert_msg(shader && passes_run_named(shader, passes, &options, error, sizeof error), "%s", error);
    ir_shader_destroy(shader);
}

START_TEST(settled_passes_are_left_out) {
    expect_runs("output 0, %0\nend\n", "(fold,dce)*8,fold,dce,cse", "fold dce cse ");
}
END_TEST

START_TEST(changes_call_them_back) {
    /* what fold makes is new to cse and dce; fold itself is done at once with one block, but not with more */
    static const char constant[] = "%1 = const.f32 1.0\n%2 = fadd %1, %1\n%3 = fmul %0, %2\noutput 0, %3\n";
    char body[200];
    snprintf(body, sizeof body, "%send\n", constant);
    expect_runs(body, "(fold,cse,dce)*8", "fold+ cse dce+ ");
    snprintf(body, sizeof body, "%sjump b1\nb1:\nend\n", constant);
    expect_runs(body, "(fold,cse,dce)*8", "fold+ cse dce+ fold ");
    /* what dce takes away is nothing to fold, but to ssa, which may look at anything */
    expect_runs("%1 = fadd %0, %0\noutput 0, %0\nend\n", "fold,ssa,dce,fold,ssa,dce", "fold ssa dce+ ssa ");
}
END_TEST

/* What a group did counts for the one around it, though its last round found nothing. */
START_TEST(groups_in_groups) {
    expect_runs("%1 = const.f32 1.0\n%2 = fadd %1, %1\n%3 = fmul %0, %2\noutput 0, %3\njump b1\nb1:\nend\n",
                "(dce,(fold)*2)*2", "dce fold+ fold dce+ ");
}
END_TEST

START_TEST(changes_may_be_no_concern_of_theirs) {
    /* what cse merges is no constant and not dead, but may be something to algebraic */
    expect_runs("%1 = fmul %0, %0\n%2 = fmul %0, %0\n%3 = fadd %1, %2\noutput 0, %3\nend\n",
                "(fold,algebraic,cse,dce)*8", "fold algebraic cse+ dce algebraic ");
}
END_TEST

/* A list is read before anything runs. */
START_TEST(wrong_lists) {
    static const struct {
        const char *list, *error;
    } cases[] = {
        {"dce,nonesuch", "unknown pass nonesuch"},
        {"dce,(fold", "missing ')'"},
        {"dce)", "stray ')'"},
        {"(dce))*2", "stray ')'"},
        {"dce*2", "unknown pass"},
        {"((((((((dce))))))))", NULL},
        {"(((((((((dce)))))))))", "nested too deep"},
        {"(dce)*0,(fold)*99999999999,, cse", NULL},
        {"(dce,(fold,cse)*2)*3,dce", NULL},
        {"", NULL},
        {"()", NULL},
        {"(dce,(nonesuch)*0)*0", "unknown pass nonesuch"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static const char text[] =
            "shader vertex\ninput \"x\" float 1x1 word 0\nb0:\n%0 = input.f32 0\nend\n";
        char error[200] = "", log[500] = "";
        struct ir_shader *shader = ir_parse(text, sizeof text - 1, error, sizeof error);
        struct pass_options options = passes_default_options();
        options.after = note;
        options.user = log;
        ck_assert_msg(shader, "%s", error);
        bool ok = passes_run_named(shader, cases[k].list, &options, error, sizeof error);
        ck_assert_msg(ok == !cases[k].error, "\"%s\": %s", cases[k].list, error);
        ck_assert_msg(ok || strstr(error, cases[k].error), "\"%s\": %s", cases[k].list, error);
        ck_assert_msg(ok || !*log, "\"%s\" ran %s", cases[k].list, log);
        ir_shader_destroy(shader);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pipeline");
    TCase *test = tcase_create("runs");
    tcase_add_test(test, settled_passes_are_left_out);
    tcase_add_test(test, changes_call_them_back);
    tcase_add_test(test, groups_in_groups);
    tcase_add_test(test, changes_may_be_no_concern_of_theirs);
    tcase_add_test(test, wrong_lists);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
