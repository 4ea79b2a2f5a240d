/* exp2, log2, sine and what follows from them, without the C library's: those differ in the last bit from
 * library to library and from processor to processor, and a constant that is folded differently is other
 * code.
 *
 * Only operations whose results IEEE 754 prescribes are used: the four basic ones, the square root, and what
 * takes numbers apart (floor, frexp, ldexp). The build sees to it that none of them are fused
 * (-ffp-contract=off). Series are Taylor's, on ranges small enough that their next term is below a double's
 * last place. */
#include "passes/constant_math.h"

#include <math.h>
#include <stdbool.h>

#define LN2 0x1.62e42fefa39efp-1
#define INVERSE_LN2 0x1.71547652b82fep+0
#define HALF_PI 0x1.921fb54442d18p+0
#define PI (2 * HALF_PI)
#define SIXTH_PI 0x1.0c152382d7366p-1
#define ROOT_3 0x1.bb67ae8584caap+0

double constant_exp2(double x) {
    if (!(x > -1100))
        return isnan(x) ? x : 0;
    if (x > 1100)
        return INFINITY;
    double whole = floor(x + 0.5), t = (x - whole) * LN2, sum = 1;
    for (int k = 18; k > 0; k--)
        sum = 1 + t / k * sum;
    return ldexp(sum, (int)whole);
}

/* log2 of m 2^e is e + 2 / ln 2 artanh(s), s = (m - 1) / (m + 1); exact for powers of two. */
double constant_log2(double x) {
    if (!(x > 0))
        return x == 0 ? -INFINITY : NAN;
    if (isinf(x))
        return x;
    int e;
    double m = frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        e--;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int k = 25; k > 0; k -= 2)
        sum = sum * square + 1.0 / k;
    return e + 2 * INVERSE_LN2 * (s * sum);
}

/* Whole powers that are exact come out exact. */
static double whole_power(double x, int n) {
    double result = 1;
    for (unsigned left = n < 0 ? 0u - (unsigned)n : (unsigned)n; left; left >>= 1, x *= x)
        if (left & 1)
            result *= x;
    return n < 0 ? 1 / result : result;
}

double constant_pow(double x, double y) {
    bool whole = floor(y) == y;
    if (whole && fabs(y) <= 64)
        return whole_power(x, (int)y);
    if (x == 1)
        return 1;
    if (isinf(y))
        return fabs(x) == 1 ? 1 : (fabs(x) > 1) == (y > 0) ? INFINITY : 0;
    double size = constant_exp2(y * constant_log2(fabs(x)));
    bool odd = whole && floor(y / 2) * 2 != y;
    if (x < 0 && !whole && !isinf(x))
        return NAN;
    return signbit(x) && odd ? -size : size;
}

/* Sine of x + quarter * pi / 2. Pi's half is taken away in three parts; the products with the first two are
 * exact. */
static double sine(double x, int quarter) {
    double n = floor(x * (1 / HALF_PI) + 0.5);
    double r = x - n * 0x1.921fb54p+0 - n * 0x1.10b46118p-30 - n * 0x1.313198a2e037p-61;
    quarter += (int)(n - 4 * floor(n / 4));
    double square = r * r, sum = 1;
    for (int k = 20 - !(quarter & 1); k > 1; k -= 2)
        sum = 1 - square / (k * (k - 1)) * sum;
    sum = quarter & 1 ? sum : r * sum;
    return quarter & 2 ? -sum : sum;
}

double constant_sin(double x) {
    return isfinite(x) ? sine(x, 0) : NAN;
}

double constant_cos(double x) {
    return isfinite(x) ? sine(x, 1) : NAN;
}

/* For 0 <= x: beyond 1 by the reciprocal, beyond pi / 12 by the angle pi / 6 less. */
static double arc(double x) {
    if (x > 1)
        return HALF_PI - arc(1 / x);
    if (x > 0.268)
        return SIXTH_PI + constant_atan((x * ROOT_3 - 1) / (ROOT_3 + x));
    double square = x * x, sum = 0;
    for (int k = 33; k > 0; k -= 2)
        sum = 1.0 / k - square * sum;
    return x * sum;
}

double constant_atan(double x) {
    return copysign(arc(fabs(x)), x);
}

double constant_atan2(double y, double x) {
    double a = isinf(y) && isinf(x) ? HALF_PI / 2 : y == 0 ? 0 : arc(fabs(y) / fabs(x));
    return copysign(signbit(x) ? PI - a : a, y);
}

double constant_asin(double x) {
    return fabs(x) <= 1 ? constant_atan2(x, sqrt((1 - x) * (1 + x))) : NAN;
}

double constant_acos(double x) {
    return fabs(x) <= 1 ? constant_atan2(sqrt((1 - x) * (1 + x)), x) : NAN;
}
