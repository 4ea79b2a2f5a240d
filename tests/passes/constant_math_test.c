/* The functions that constants are folded with: beside the C library's, at special points, and the same bits
 * everywhere.
 */
#include "passes/constant_math.h"

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static float between(double low, double high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (float)(low + (high - low) * (double)(state >> 32) * 0x1p-32);
}

#define UNARY(name)                                                                                          \
    static double mine_##name(double x, double y) {                                                          \
        (void)y;                                                                                             \
        return constant_##name(x);                                                                           \
    }                                                                                                        \
    static double theirs_##name(double x, double y) {                                                        \
        (void)y;                                                                                             \
        return name(x);                                                                                      \
    }
UNARY(exp2)
UNARY(log2)
UNARY(sin)
UNARY(cos)
UNARY(atan)
UNARY(asin)
UNARY(acos)

static const struct function {
    const char *name;
    double (*mine)(double, double), (*theirs)(double, double);
    double low, high, low_y, high_y;
} functions[] = {{"exp2", mine_exp2, theirs_exp2, -149, 127, 0, 0},
                 {"log2", mine_log2, theirs_log2, 1e-30, 1000, 0, 0},
                 {"log2 near 1", mine_log2, theirs_log2, 0.9, 1.1, 0, 0},
                 {"sin", mine_sin, theirs_sin, -1e5, 1e5, 0, 0},
                 {"sin, small", mine_sin, theirs_sin, -4, 4, 0, 0},
                 {"sin, large", mine_sin, theirs_sin, -6.5e6, 6.5e6, 0, 0},
                 {"cos", mine_cos, theirs_cos, -1e5, 1e5, 0, 0},
                 {"cos, small", mine_cos, theirs_cos, -4, 4, 0, 0},
                 {"atan", mine_atan, theirs_atan, -30, 30, 0, 0},
                 {"atan, small", mine_atan, theirs_atan, -1.1, 1.1, 0, 0},
                 {"asin", mine_asin, theirs_asin, -1, 1, 0, 0},
                 {"acos", mine_acos, theirs_acos, -1, 1, 0, 0},
                 {"atan2", constant_atan2, atan2, -20, 20, -20, 20},
                 {"pow", constant_pow, pow, 0, 30, -20, 20}};

enum { FUNCTIONS = sizeof functions / sizeof *functions, ARGUMENTS = 100000 };

/* A double's last places decide the float only next to the middle between two: there they may differ by one.
 * */
START_TEST(near_the_library) {
    const struct function *f = &functions[_i];
    unsigned other = 0;
    for (int k = 0; k < ARGUMENTS; k++) {
        double x = between(f->low, f->high), y = between(f->low_y, f->high_y);
        double mine = f->mine(x, y), theirs = f->theirs(x, y);
        ck_assert_msg(fabs(mine - theirs) <= fabs(theirs) * 0x1p-44 + 1e-300, "%s(%a, %a): %a, not %a",
                      f->name, x, y, mine, theirs);
        other += (float)mine != (float)theirs;
    }
    ck_assert_msg(other <= 2, "%s: %u of %d floats differ", f->name, other, ARGUMENTS);
}
END_TEST

static bool same(double a, double b) {
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

START_TEST(special_points) {
    static const double points[] = {0.0,      -0.0,      1,    -1,    2, -2, 3,   0.5, -0.5,
                                    INFINITY, -INFINITY, 1e30, -1e30, 7, -7, 100, -101};
    enum { POINTS = sizeof points / sizeof *points };
    for (int k = 0; k < POINTS; k++) {
        double x = points[k];
        ck_assert(same((float)constant_exp2(x), (float)exp2(x)));
        ck_assert(fabs(x) == 1e30 || x == 3 || fabs(x) == 7 || x == 100 || same(constant_log2(x), log2(x)));
        ck_assert(same((float)constant_atan(x), (float)atan(x)));
        ck_assert(same((float)constant_asin(x), (float)asin(x)));
        ck_assert(same((float)constant_acos(x), (float)acos(x)));
        ck_assert(isinf(x) || fabs(x) > 1000 || same((float)constant_sin(x), (float)sin(x)));
        ck_assert(isinf(x) || fabs(x) > 1000 || same((float)constant_cos(x), (float)cos(x)));
        for (int n = 0; n < POINTS; n++) {
            ck_assert_msg(same((float)constant_pow(x, points[n]), (float)pow(x, points[n])),
                          "pow(%g, %g): %g", x, points[n], constant_pow(x, points[n]));
            ck_assert_msg(same((float)constant_atan2(x, points[n]), (float)atan2(x, points[n])),
                          "atan2(%g, %g): %g", x, points[n], constant_atan2(x, points[n]));
        }
    }
    for (int k = -126; k < 128; k++) {
        ck_assert(constant_exp2(k) == ldexp(1, k));
        ck_assert(constant_log2(ldexp(1, k)) == k);
    }
    for (int x = -12; x <= 12; x++)
        for (int n = 0; n <= 6; n++)
            ck_assert(constant_pow(x, n) == pow(x, n));
}
END_TEST

/* Any host, any compiler: these very bits. */
START_TEST(the_same_bits) {
    uint64_t hash = 0xcbf29ce484222325u;
    state = 1;
    for (int k = 0; k < FUNCTIONS; k++)
        for (int n = 0; n < 5000; n++) {
            uint64_t bits;
            double x = between(functions[k].low, functions[k].high);
            double result = functions[k].mine(x, between(functions[k].low_y, functions[k].high_y));
            memcpy(&bits, &result, sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3u;
        }
    ck_assert_msg(hash == 0x3028081b41badcefu, "%llx", (unsigned long long)hash);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("constant math");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, near_the_library, 0, FUNCTIONS);
    tcase_add_test(c, special_points);
    tcase_add_test(c, the_same_bits);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
