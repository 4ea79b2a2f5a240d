/* GLSL's functions on halves, zeros and signs, where roundings and conventions differ, and where GLSL leaves
 * them undefined: what the machine computes of arguments that differ from lane to lane, and what is
 * computed per draw of uniforms, against what folding makes of the same call with constants. Some of these
 * are compared with C's functions, too. */
#include <math.h>
#include <qpucc/native.h>
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, LISTS = 3 };
enum { HIGHP, MEDIUMP, LOWP, PRECISE, PRECISIONS };
static const char *const words[PRECISIONS] = {"highp", "mediump", "lowp", "mediump"};

/* x's lists; mediump and lowp need not hold the last one's numbers. */
static const float xs[LISTS][LANES] = {
    {0, -0.0f, 0.5f, -0.5f, 1, -1, 1.5f, -1.5f, 2, -2, 2.5f, -2.5f, 3.5f, -3.5f, 3, -3},
    {0.25f, -0.25f, 0.75f, -0.75f, 4.5f, -4.5f, 0.49999997f, -0.49999997f, 5.5f, -5.5f, 1.25f, -1.25f, 100.5f,
     -101.5f, 1e-30f, -1e-30f},
    {4194303.5f, -4194303.5f, 4194304.5f, -4194305.5f, 8388607.5f, -8388606.5f, 8388608, -8388609, 16777218,
     -33554432, 1e9f, -1e9f, 3e9f, 1e30f, -1e30f, 2097151.75f}};
static const float ys[] = {0.5f, -0.5f, 1, -1, 2, -2, 2.5f, 0, -0.0f};
enum { YS = sizeof ys / sizeof *ys };

/* What errors a row may have beside the folded result, of its size or of 1. */
enum slack { EXACT, REFINED, FUNCTION, LONG, SLACKS };
static const float allowed[SLACKS][PRECISIONS] = {
    {0, 0, 0, 0}, {2e-6f, 2e-3f, 2e-3f, 2e-6f}, {1e-3f, 4e-3f, 4e-3f, 1e-5f}, {2e-2f, 2e-2f, 2e-2f, 2e-5f}};

typedef double ideal_function(double x, double y);
static double f_round(double x, double y) {
    return (void)y, floor(x + 0.5);
}
static double f_even(double x, double y) {
    return (void)y, nearbyint(x);
}
static double f_trunc(double x, double y) {
    return (void)y, trunc(x);
}
static double f_floor(double x, double y) {
    return (void)y, floor(x);
}
static double f_ceil(double x, double y) {
    return (void)y, ceil(x);
}
static double f_fract(double x, double y) {
    return (void)y, x - floor(x);
}
static double f_sign(double x, double y) {
    return (void)y, (x > 0) - (x < 0);
}
static double f_step(double x, double y) {
    return y >= x;
}
static double f_min(double x, double y) {
    return fmin(x, y);
}
static double f_max(double x, double y) {
    return fmax(x, y);
}

/* Undefined in GLSL; our choices. */
static double u_zero(double x, double y) {
    (void)x, (void)y;
    return 0;
}
static double u_pow(double x, double y) {
    return pow(x > 0 ? x : 0, fabs(y) + 0.25);
}
static double u_log2(double x, double y) {
    return (void)y, log2(x > 0 ? x : 0);
}
static double u_step(double x, double y) {
    return x > y;
}
static double u_positive(double x, double y) {
    return (void)y, x > 0;
}
static double u_cube(double x, double y) {
    return (void)y, x * x * x;
}
static double u_power11(double x, double y) {
    return (void)y, pow(x, 11);
}
static double u_sqrt(double x, double y) {
    return (void)y, sqrt(x > 0 ? x : 0);
}
static double u_rsq(double x, double y) {
    return (void)y, x < 0 ? 0 : 1 / sqrt(x + 0.0);
}
static double u_mod(double x, double y) {
    return y == 0 ? 0 : x - y * floor(x / y);
}

static const struct row {
    const char *call; /* of floats x and y, a mat4's component */
    bool reads_y;
    int lists; /* of x's */
    enum slack slack;
    ideal_function *ideal; /* or NULL */
} rows[] = {
    {"roundEven(x)", false, 3, EXACT, f_even},
    {"roundEven(vec3(1.5, x, -x)).y", false, 3, EXACT, f_even},
    {"-roundEven(vec2(-x)).x", false, 3, EXACT, f_even},
    {"round(x)", false, 2, EXACT, f_round},
    {"trunc(x)", false, 3, EXACT, f_trunc},
    {"floor(x)", false, 2, EXACT, f_floor},
    {"ceil(x)", false, 2, EXACT, f_ceil},
    {"fract(x)", false, 1, EXACT, f_fract},
    {"sign(x)", false, 3, EXACT, f_sign},
    {"abs(x)", false, 3, EXACT, NULL},
    {"float(int(x))", false, 2, EXACT, f_trunc},
    {"float(uint(abs(x)))", false, 2, EXACT, NULL},
    {"float(bool(x))", false, 3, EXACT, NULL},
    {"min(x, y)", true, 3, EXACT, f_min},
    {"max(x, y)", true, 3, EXACT, f_max},
    {"clamp(x, -1.5, y + 4.0)", true, 3, EXACT, NULL},
    {"step(x, y)", true, 3, EXACT, f_step},
    {"float(x < y)", true, 3, EXACT, NULL},
    {"float(x <= y)", true, 3, EXACT, NULL},
    {"float(x == y)", true, 3, EXACT, NULL},
    {"float(x != y)", true, 3, EXACT, NULL},
    {"float(floatBitsToInt(roundEven(x)) >> 24)", false, 1, EXACT, NULL}, /* the sign of 0 */
    {"float(floatBitsToInt(trunc(x)) >> 24)", false, 1, EXACT, NULL},
    {"float(floatBitsToInt(floor(x)) >> 24)", false, 1, EXACT, NULL},
    {"float(floatBitsToInt(ceil(x)) >> 24)", false, 1, EXACT, NULL},
    {"mix(x, y, 0.5)", true, 2, REFINED, NULL},
    {"mix(x, y, x > y)", true, 3, EXACT, f_min},
    {"x + y", true, 2, REFINED, NULL},
    {"x * y", true, 2, REFINED, NULL},
    {"x / (abs(y) + 1.0)", true, 2, REFINED, NULL},
    {"(abs(y) + 1.0) / (x * x + 1.0)", true, 2, REFINED, NULL},
    {"mod(x, 2.0)", false, 1, EXACT, NULL},
    {"mod(x, 1.0)", false, 1, EXACT, f_fract},
    {"mod(x, -0.5)", false, 1, EXACT, NULL},
    {"mod(x, y + 3.0)", true, 1, REFINED, NULL},
    {"smoothstep(-1.0, 2.0, x)", false, 2, REFINED, NULL},
    {"smoothstep(2.0, -1.0, x)", false, 2, REFINED, NULL},
    {"smoothstep(y, y + 1.0, x)", true, 2, REFINED, NULL},
    {"sqrt(abs(x))", false, 2, REFINED, NULL},
    {"inversesqrt(abs(x) + 0.5)", false, 2, REFINED, NULL},
    {"length(vec2(x, y))", true, 2, REFINED, NULL},
    {"distance(vec2(x, 1.0), vec2(1.0, y))", true, 2, REFINED, NULL},
    {"normalize(vec2(x, 1.0)).x", false, 2, REFINED, NULL},
    {"normalize(vec3(0.5, x, y)).z", true, 2, REFINED, NULL},
    {"dot(vec2(x, 1.0), vec2(y, x))", true, 2, REFINED, NULL},
    {"cross(vec3(x, y, 1.0), vec3(1.0, x, y)).z", true, 2, REFINED, NULL},
    {"reflect(vec2(x, y), vec2(0.0, 1.0)).y", true, 2, REFINED, NULL},
    {"refract(vec2(x, -0.5), vec2(0.0, 1.0), 0.5).y", false, 1, REFINED, NULL},
    {"faceforward(vec2(x, 1.0), vec2(y, 0.0), vec2(1.0)).x", true, 2, EXACT, NULL},
    {"radians(x)", false, 2, REFINED, NULL},
    {"degrees(x)", false, 1, FUNCTION, NULL},
    {"sin(x)", false, 1, FUNCTION, NULL},
    {"cos(x)", false, 1, REFINED, NULL},
    {"tan(x)", false, 1, FUNCTION, NULL},
    {"asin(clamp(x, -1.0, 1.0))", false, 2, FUNCTION, NULL},
    {"acos(clamp(x, -1.0, 1.0))", false, 2, FUNCTION, NULL},
    {"atan(x)", false, 2, FUNCTION, NULL},
    {"atan(x, y)", true, 2, FUNCTION, NULL},
    {"sinh(x)", false, 1, FUNCTION, NULL},
    {"cosh(x)", false, 1, FUNCTION, NULL},
    {"tanh(x)", false, 1, FUNCTION, NULL},
    {"asinh(x)", false, 1, FUNCTION, NULL},
    {"acosh(abs(x) + 1.0)", false, 1, FUNCTION, NULL},
    {"atanh(clamp(x, -0.5, 0.5))", false, 1, FUNCTION, NULL},
    {"exp(x)", false, 1, FUNCTION, NULL},
    {"exp2(x)", false, 1, FUNCTION, NULL},
    {"log(abs(x) + 0.5)", false, 1, FUNCTION, NULL},
    {"log2(abs(x) + 0.5)", false, 1, FUNCTION, NULL},
    {"pow(abs(x) + 0.5, y)", true, 1, FUNCTION, NULL},
    {"pow(x, 2.0)", false, 1, REFINED, NULL},
    {"unpackSnorm2x16(packSnorm2x16(vec2(x, y))).x", true, 2, REFINED, NULL},
    {"unpackUnorm2x16(packUnorm2x16(vec2(x, y))).x", true, 2, REFINED, NULL},
    {"pow(x, abs(y) + 0.25)", true, 1, FUNCTION, u_pow},
    {"pow(x, 0.75)", false, 1, FUNCTION, NULL},
    {"pow(x, 0.5)", false, 1, REFINED, u_sqrt},
    {"pow(x, 3.0)", false, 1, REFINED, u_cube},
    {"pow(x, 11.0)", false, 1, FUNCTION, u_power11},
    {"pow(0.25 * x, 33.0)", false, 1, LONG, NULL},
    {"pow(-x, 33.0)", false, 1, LONG, NULL},
    {"pow(0.25 * x, 34.0)", false, 1, LONG, NULL},
    {"sqrt(x)", false, 2, REFINED, u_sqrt},
    {"inversesqrt(x)", false, 1, REFINED, u_rsq},
    {"log2(x)", false, 1, FUNCTION, u_log2},
    {"exp2(log(x))", false, 1, FUNCTION, NULL},
    {"length(vec2(x, 0.0)) + normalize(vec2(x * 0.0, 0.0)).x", false, 2, REFINED, NULL},
    {"mod(x, y)", true, 1, REFINED, u_mod},
    {"mod(x, 0.0)", false, 2, EXACT, u_zero},
    {"mod(x, y * 0.0)", true, 2, EXACT, u_zero},
    {"(x * 0.0) / (y * 0.0)", true, 1, EXACT, u_zero},
    {"0.0 / (x * 0.0)", false, 1, EXACT, u_zero},
    {"smoothstep(y, y, x)", true, 2, EXACT, u_step},
    {"smoothstep(0.0, y * 0.0, x)", true, 2, EXACT, u_positive},
    {"clamp(x / (y - max(y, -9.0)), 0.0, 1.0)", true, 2, EXACT, u_positive},
    {"atan(x * 0.0, y * 0.0)", true, 1, EXACT, u_zero},
    {"unpackHalf2x16(packHalf2x16(vec2(x, y))).y", true, 1, EXACT, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

static unsigned tried, failed;

static struct qpucc_native *bind(const char *text, const char *signature, int precision) {
    char error[400] = "";
    struct qpucc_options compile = qpucc_options_default();
    struct qpucc_native_options options = {.compile = &compile};
    compile.flags |= precision == PRECISE ? QPUCC_POLICY_PRECISE : QPUCC_POLICY_DEFAULT;
    struct qpucc_native *native =
        qpucc_native_bind_function(text, "f", signature, &options, error, sizeof error);
    if (!native) {
        printf("%s\n%s\n", error, text);
        failed++;
    }
    return native;
}

/* The call with sixteen constants, as the compiler folds it. */
static bool fold(const struct row *row, const float x[LANES], float y, float result[LANES]) {
    static char text[LANES * 300];
    int at = snprintf(text, sizeof text, "mat4 f() {\n    mat4 r;\n");
    for (int i = 0; i < LANES; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "    { float x = %.9e, y = %.9e; r[%d][%d] = %s; }\n", (double)x[i], (double)y, i / 4,
                       i % 4, row->call);
    snprintf(text + at, sizeof text - (size_t)at, "    return r;\n}\n");
    struct qpucc_native *native = bind(text, "mat4()", HIGHP);
    if (!native)
        return false;
    qpucc_mat4 m = ((qpucc_mat4(*)(void))qpucc_native_function(native))();
    memcpy(result, m.m, sizeof m.m);
    qpucc_native_free(native);
    return true;
}

static bool near(float got, float expected, float slack) {
    if (got == expected || isinf(expected))
        return got == expected;
    float size = fabsf(expected) > 1 ? fabsf(expected) : 1;
    return fabsf(got - expected) <= slack * size;
}

static void compare(const struct row *row, const char *what, const char *word, float x, float y, float got,
                    float expected, float slack) {
    tried++;
    if (near(got, expected, slack))
        return;
    printf("%s, %s, %s: %.9g, not %.9g, at x = %.9g, y = %.9g\n", row->call, what, word, (double)got,
           (double)expected, (double)x, (double)y);
    failed++;
}

typedef void batch_function(float *result, const float *x, const float *y);
typedef float draw_function(float x, float y);

/* One list of x's and one y in all forms. */
static void try_list(const struct row *row, int list, float y, struct qpucc_native *const *machine,
                     struct qpucc_native *draw) {
    const float *x = xs[list];
    float folded[LANES], got[LANES], same[LANES];
    if (!fold(row, x, y, folded))
        return;
    for (int i = 0; i < LANES; i++) {
        same[i] = y;
        if (row->ideal)
            compare(row, "folded", "constants", x[i], y, folded[i],
                    (float)row->ideal((double)x[i], (double)y), row->slack == EXACT ? 0 : 2e-7f);
        float uniform = ((draw_function *)qpucc_native_function(draw))(x[i], y);
        compare(row, "per draw", "highp", x[i], y, uniform, folded[i], row->slack == EXACT ? 0 : 2e-6f);
    }
    for (int p = 0; p < PRECISIONS; p++) {
        if (list == 2 && (p == MEDIUMP || p == LOWP))
            continue;
        ((batch_function *)qpucc_native_function(machine[p]))(got, x, same);
        for (int i = 0; i < LANES; i++)
            compare(row, "on the machine", p == PRECISE ? "-fprecise" : words[p], x[i], y, got[i], folded[i],
                    allowed[row->slack][p]);
    }
}

static void try_row(const struct row *row) {
    char text[400];
    struct qpucc_native *machine[PRECISIONS] = {NULL}, *draw;
    bool ready = true;
    for (int p = 0; p < PRECISIONS; p++) {
        snprintf(text, sizeof text, "%s float f(%s float x, %s float y) { return %s; }\n", words[p], words[p],
                 words[p], row->call);
        machine[p] = bind(text, "float[16](float[16], float[16])", p);
        ready &= machine[p] != NULL;
    }
    snprintf(text, sizeof text, "float f(float x, float y) { return %s; }\n", row->call);
    draw = bind(text, "float(uniform float, uniform float)", HIGHP);
    for (int list = 0; ready && draw && list < row->lists; list++)
        for (int k = 0; k < (row->reads_y ? YS : 1); k++)
            try_list(row, list, ys[k], machine, draw);
    for (int p = 0; p < PRECISIONS; p++)
        qpucc_native_free(machine[p]);
    qpucc_native_free(draw);
}

int main(void) {
    for (int r = 0; r < ROWS; r++)
        try_row(&rows[r]);
    printf("%u results, %u differ\n", tried, failed);
    return failed != 0;
}
