/* Reduction on faults that are made up: a "fault" that a program has as long as some text stands in it. */
#include "generate.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 40, SIZE = 30, MOST_ASKED = 3000 };

struct fault {
    struct node *root;
    const char *text;
    unsigned asked;
};

static bool has_it(void *user) {
    struct fault *f = user;
    char *text = tree_print(f->root);
    bool found = text && strstr(text, f->text);
    f->asked++;
    free(text);
    return found;
}

static size_t lines(const struct node *root) {
    char *text = tree_print(root);
    size_t n = 0;
    for (const char *c = text; c && *c; c++)
        n += *c == '\n';
    free(text);
    return n;
}

START_TEST(same_seed_same_program) {
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct program a, b;
        ck_assert(program_generate(&a, seed, SIZE) && program_generate(&b, seed, SIZE));
        char *x = tree_print(a.fragment), *y = tree_print(b.fragment);
        ck_assert_str_eq(x, y);
        free(x);
        free(y);
        program_free(&a);
        program_free(&b);
    }
}
END_TEST

/* What is left holds the fault, and next to nothing else; a reduction of a reduced program finds nothing. */
START_TEST(little_is_left) {
    static const char *const texts[] = {"sin(", "for (", "mat3(", " break;", "discard;"};
    unsigned tried = 0;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct program program;
            ck_assert(program_generate(&program, seed, SIZE));
            struct fault fault = {program.fragment, texts[t], 0};
            if (has_it(&fault)) {
                size_t before = lines(program.fragment);
                unsigned asked = tree_reduce(program.pool, &fault.root, 1, has_it, &fault, MOST_ASKED);
                ck_assert_uint_eq(asked + 1, fault.asked);
                ck_assert_uint_lt(asked, MOST_ASKED);
                ck_assert(has_it(&fault));
                ck_assert_uint_gt(before, 30);
                ck_assert_uint_le(lines(program.fragment), 12);
                char *once = tree_print(program.fragment);
                tree_reduce(program.pool, &fault.root, 1, has_it, &fault, MOST_ASKED);
                char *twice = tree_print(program.fragment);
                ck_assert_str_eq(once, twice);
                free(once);
                free(twice);
                tried++;
            }
            program_free(&program);
        }
    ck_assert_uint_gt(tried, 50);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reduce");
    TCase *tests = tcase_create("reduce");
    tcase_add_test(tests, same_seed_same_program);
    tcase_add_test(tests, little_is_left);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
