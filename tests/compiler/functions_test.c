/* The built-in functions of GLSL, from their text to what the machine's arithmetic makes of them, against
 * double precision; and what they cost.
 *
 *     functions_test               holds the bounds below
 *     functions_test --table       prints the table of docs/numerics.md
 *
 * Errors are those of a fragment shader's IR, by the compiler's own passes, interpreted with the machine's
 * scalar ALU and special function unit, in each precision; what pass `relax_precision` does to colours is not
 * taken. Instructions are what a whole program grows by when its comparison reads f(x) for x: a comparison's
 * operand keeps its precision. */
#include "passes/eval.h"
#include "tests/compiler/fragment_ir.h"
#include "tests/passes/interp.h"

#include <check.h>
#include <math.h>
#include <qpucc/native.h>
#include <qpucc/qpucc.h>
#include <stdlib.h>
#include <string.h>

/* The last one is mediump under -fprecise. */
enum { HIGHP, MEDIUMP, LOWP, PRECISE, PRECISIONS };
static const char *const words[PRECISIONS] = {"highp", "mediump", "lowp", "mediump"};

static enum qpucc_policy policy_of(int precision) {
    return precision == PRECISE ? QPUCC_POLICY_PRECISE : QPUCC_POLICY_DEFAULT;
}

enum measure {
    ABSOLUTE,
    RELATIVE,
    WRAPPED, /* absolute, of numbers that wrap at y: just below and just above a multiple are near */
};

/* What is inside: vectors x and y of random numbers. Writes up to four components, returns their number. */
typedef unsigned ideal_function(const double x[4], const double y[4], double r[4]);

#define SCALAR(name, value)                                                                                  \
    static unsigned name(const double a[4], const double b[4], double r[4]) {                                \
        double x = a[0], y = b[0];                                                                           \
        (void)y;                                                                                             \
        r[0] = (value);                                                                                      \
        return 1;                                                                                            \
    }
SCALAR(f_rcp, 1 / x)
SCALAR(f_div, x / y)
SCALAR(f_sqrt, sqrt(x))
SCALAR(f_rsq, 1 / sqrt(x))
SCALAR(f_exp2, exp2(x))
SCALAR(f_exp, exp(x))
SCALAR(f_log2, log2(x))
SCALAR(f_log, log(x))
SCALAR(f_pow, pow(x, y))
SCALAR(f_sin, sin(x))
SCALAR(f_cos, cos(x))
SCALAR(f_tan, tan(x))
SCALAR(f_asin, asin(x))
SCALAR(f_acos, acos(x))
SCALAR(f_atan, atan(x))
SCALAR(f_atan2, atan2(x, y))
SCALAR(f_floor, floor(x))
SCALAR(f_ceil, ceil(x))
SCALAR(f_trunc, trunc(x))
SCALAR(f_fract, x - floor(x))
SCALAR(f_mod, x - y * floor(x / y))
SCALAR(f_mod1, x - 0.75 * floor(x / 0.75))
SCALAR(f_sign, (x > 0) - (x < 0))

static double smooth(double t) {
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}
SCALAR(f_smooth, smooth((x - 0.25) / 0.5))
SCALAR(f_smooth2, smooth((x + 1) / (y + 1)))

static double length3(const double x[4]) {
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static unsigned f_length(const double x[4], const double y[4], double r[4]) {
    (void)y;
    r[0] = length3(x);
    return 1;
}

static unsigned f_distance(const double x[4], const double y[4], double r[4]) {
    double d[4] = {x[0] - y[0], x[1] - y[1], x[2] - y[2], 0};
    r[0] = length3(d);
    return 1;
}

static unsigned f_normalize(const double x[4], const double y[4], double r[4]) {
    (void)y;
    for (int i = 0; i < 3; i++)
        r[i] = x[i] / length3(x);
    return 3;
}

static const struct row {
    const char *name, *call; /* of vec4s x and y */
    ideal_function *ideal;
    double low, high, low2, high2; /* of x's and y's components; both 0: y is not read */
    enum measure measure;
    double bound[PRECISIONS];
} rows[] = {
    {"1.0 / x", "1.0 / x.x", f_rcp, 1e-3, 1e3, 0, 0, RELATIVE, {4e-7, 1e-4, 1e-4, 4e-7}},
    {"1.0 / x", "1.0 / x.x", f_rcp, -1e30, -1e20, 0, 0, RELATIVE, {4e-7, 1e-4, 1e-4, 4e-7}},
    {"x / y", "x.x / y.x", f_div, -100, 100, 0.01, 100, RELATIVE, {5e-7, 1e-4, 1e-4, 5e-7}},
    {"sqrt", "sqrt(x.x)", f_sqrt, 0, 1000, 0, 0, RELATIVE, {4e-7, 1.2e-4, 1.2e-4, 4e-7}},
    {"inversesqrt", "inversesqrt(x.x)", f_rsq, 1e-4, 1e4, 0, 0, RELATIVE, {4e-7, 1.2e-4, 1.2e-4, 4e-7}},
    {"length (vec3)", "length(x.xyz)", f_length, -10, 10, 0, 0, RELATIVE, {6e-7, 1.2e-4, 1.2e-4, 6e-7}},
    {"distance (vec3)",
     "distance(x.xyz, y.xyz)",
     f_distance,
     -10,
     10,
     -10,
     10,
     RELATIVE,
     {8e-7, 1.2e-4, 1.2e-4, 8e-7}},
    {"normalize (vec3)",
     "normalize(x.xyz)",
     f_normalize,
     -10,
     10,
     0,
     0,
     ABSOLUTE,
     {6e-7, 1.2e-4, 1.2e-4, 6e-7}},
    {"exp2", "exp2(x.x)", f_exp2, -20, 20, 0, 0, RELATIVE, {1e-4, 1e-4, 1e-4, 4e-7}},
    {"exp", "exp(x.x)", f_exp, -14, 14, 0, 0, RELATIVE, {1e-4, 1e-4, 1e-4, 6e-6}},
    {"log2", "log2(x.x)", f_log2, 1e-3, 1e3, 0, 0, ABSOLUTE, {3.2e-4, 3.2e-4, 3.2e-4, 1.2e-6}},
    {"log", "log(x.x)", f_log, 1e-3, 1e3, 0, 0, ABSOLUTE, {2.5e-4, 2.5e-4, 2.5e-4, 1.3e-6}},
    {"pow", "pow(x.x, y.x)", f_pow, 0, 1, 0.1, 4, ABSOLUTE, {5e-4, 5e-4, 5e-4, 1e-6}},
    {"pow", "pow(x.x, y.x)", f_pow, 0, 1, 4, 64, ABSOLUTE, {5e-3, 5e-3, 5e-3, 1e-6}},
    {"pow", "pow(x.x, y.x)", f_pow, 1, 1000, 0.5, 4, RELATIVE, {7e-4, 7e-4, 7e-4, 8e-6}},
    {"sin", "sin(x.x)", f_sin, -3.1416, 3.1416, 0, 0, ABSOLUTE, {1.2e-5, 4e-4, 4e-4, 1.2e-5}},
    {"sin", "sin(x.x)", f_sin, -100, 100, 0, 0, ABSOLUTE, {3e-5, 4e-4, 4e-4, 3e-5}},
    {"cos", "cos(x.x)", f_cos, -3.1416, 3.1416, 0, 0, ABSOLUTE, {4e-6, 1e-4, 1e-4, 4e-6}},
    {"cos", "cos(x.x)", f_cos, -100, 100, 0, 0, ABSOLUTE, {3e-5, 1e-4, 1e-4, 3e-5}},
    {"tan", "tan(x.x)", f_tan, -1.4, 1.4, 0, 0, ABSOLUTE, {4e-5, 6e-3, 6e-3, 4e-5}},
    {"asin", "asin(x.x)", f_asin, -1, 1, 0, 0, ABSOLUTE, {1e-5, 4e-4, 4e-4, 1e-5}},
    {"acos", "acos(x.x)", f_acos, -1, 1, 0, 0, ABSOLUTE, {1e-5, 4e-4, 4e-4, 1e-5}},
    {"atan", "atan(x.x)", f_atan, -20, 20, 0, 0, ABSOLUTE, {4e-6, 3e-4, 3e-4, 4e-6}},
    {"atan (y, x)", "atan(x.x, y.x)", f_atan2, -5, 5, -5, 5, ABSOLUTE, {4e-6, 3e-4, 3e-4, 4e-6}},
    {"floor", "floor(x.x)", f_floor, -4194303, 4194303, 0, 0, ABSOLUTE, {0, 0, 0, 0}},
    {"ceil", "ceil(x.x)", f_ceil, -4194303, 4194303, 0, 0, ABSOLUTE, {0, 0, 0, 0}},
    {"float(int(x))", "float(int(x.x))", f_trunc, -1e6, 1e6, 0, 0, ABSOLUTE, {0, 0, 0, 0}},
    {"fract", "fract(x.x)", f_fract, -40, 40, 0, 0, ABSOLUTE, {6e-8, 6e-8, 6e-8, 6e-8}},
    {"mod (x, 0.75)", "mod(x.x, 0.75)", f_mod1, -40, 40, 0, 0, WRAPPED, {1e-5, 1e-5, 1e-5, 1e-5}},
    {"mod", "mod(x.x, y.x)", f_mod, -40, 40, 0.1, 10, WRAPPED, {1e-5, 1e-5, 1e-5, 1e-5}},
    {"sign", "sign(x.x)", f_sign, -2, 2, 0, 0, ABSOLUTE, {0, 0, 0, 0}},
    {"smoothstep (0.25, 0.75, x)",
     "smoothstep(0.25, 0.75, x.x)",
     f_smooth,
     -0.5,
     1.5,
     0,
     0,
     ABSOLUTE,
     {1e-6, 1e-6, 1e-6, 1e-6}},
    {"smoothstep (-1, y, x)",
     "smoothstep(-1.0, y.x, x.x)",
     f_smooth2,
     -2,
     2,
     0,
     2,
     ABSOLUTE,
     {2e-6, 2e-4, 2e-4, 2e-6}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Also outside of a test, where Check's own cannot be used. */
static void require(bool ok, const char *what, const char *why) {
    if (ok)
        return;
    printf("%s: %s\n", what, why);
    exit(1);
}

/* --- errors --------------------------------------------------------------------------------------------- */

static struct ir_shader *shader_of(const struct row *row, int precision) {
    static const char *const swizzle[] = {"x", "xy", "xyz", "xyzw"};
    const double unused[4] = {0};
    double r[4];
    char text[600], error[300] = "no memory";
    snprintf(text, sizeof text,
             "precision highp float;\nvarying %s vec4 x, y;\nvoid main() {\n    gl_FragColor = vec4(0.0);\n"
             "    gl_FragColor.%s = %s;\n}\n",
             words[precision], swizzle[row->ideal(unused, unused, r) - 1], row->call);
    struct ir_shader *s = fragment_ir(text);
    struct pass_options options = passes_default_options();
    options.policy = policy_of(precision);
    bool ok = s && passes_run(s, PASSES_GENERIC, &options, error, sizeof error) &&
              passes_run_named(s, "lower_math,(fold,algebraic,cse,cfg,dce)*8", &options, error, sizeof error);
    require(ok, row->name, error);
    return s;
}

static uint32_t word_of(const struct ir_symtab *table, const char *name) {
    for (uint32_t i = 0; i < table->count; i++)
        if (!strcmp(table->sym[i].name, name))
            return table->sym[i].word;
    return INTERP_WORDS - 4; /* what is not read may be written there */
}

static float between(double low, double high, uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)(low + (high - low) * ((double)(*state >> 32) / 4294967296.0));
}

/* Of one component. */
static double error_of(const struct row *row, double got, double ideal, const double y[4]) {
    double e = fabs(got - ideal), wrap = row->low2 == 0 ? 0.75 : y[0];
    if (row->measure == WRAPPED && fabs(wrap - e) < e)
        e = fabs(wrap - e);
    if (row->measure == RELATIVE && ideal != 0)
        e /= fabs(ideal);
    return isnan(e) ? INFINITY : e;
}

static double worst(const struct row *row, int precision, int samples, double *at) {
    static struct interp in; /* large */
    struct ir_shader *s = shader_of(row, precision);
    uint32_t x_word = word_of(&s->inputs, "x"), y_word = word_of(&s->inputs, "y"),
             out = word_of(&s->outputs, "gl_FragColor");
    uint64_t state = 1;
    double most = 0;
    for (int i = 0; i < samples; i++) {
        double x[4], y[4], r[4];
        char error[200] = "";
        in.machine = true;
        for (int k = 0; k < 4; k++) {
            float f = i == 0   ? (float)row->low
                      : i == 1 ? (float)row->high
                               : between(row->low, row->high, &state);
            float g = between(row->low2, row->high2, &state);
            in.input[x_word + (uint32_t)k] = ir_float_to_bits(f);
            in.input[y_word + (uint32_t)k] = ir_float_to_bits(g);
            x[k] = f, y[k] = g;
        }
        require(interp_run(s, &in, 10, error, sizeof error), row->name, error);
        unsigned count = row->ideal(x, y, r);
        for (unsigned k = 0; k < count; k++) {
            double e = error_of(row, ir_bits_to_float(in.output[out + k]), r[k], y);
            if (e > most)
                most = e, *at = x[0];
        }
    }
    ir_shader_destroy(s);
    return most;
}

START_TEST(functions_keep_their_bounds) {
    const struct row *row = &rows[_i];
    for (int p = 0; p < PRECISIONS; p++) {
        double at = 0, error = worst(row, p, 3000, &at);
        ck_assert_msg(error <= row->bound[p], "%s, %s: an error of %g at %g, the bound is %g", row->name,
                      words[p], error, at, row->bound[p]);
    }
}
END_TEST

/* The same through everything that a shader goes through, as C functions: code on the machine, sixteen calls
 * at once. */
typedef void shader_fn(float (*result)[4], const float (*x)[4], const float (*y)[4]);

static struct qpucc_native *shader_of_row(const struct row *row, int precision) {
    static const char *const swizzle[] = {"x", "xy", "xyz", "xyzw"};
    const double unused[4] = {0};
    double r[4];
    char text[600], error[300];
    const char *word = words[precision];
    snprintf(
        text, sizeof text,
        "%s vec4 f(%s vec4 x, %s vec4 y) {\n    %s vec4 r = vec4(0.0);\n    r.%s = %s;\n    return r;\n}\n",
        word, word, word, word, swizzle[row->ideal(unused, unused, r) - 1], row->call);
    struct qpucc_options compile = qpucc_options_default();
    struct qpucc_native_options options = {.compile = &compile};
    compile.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS | policy_of(precision);
    struct qpucc_native *native =
        qpucc_native_bind_function(text, "f", "vec4[16](vec4[16], vec4[16])", &options, error, sizeof error);
    require(native, row->name, error);
    return native;
}

START_TEST(machine_keeps_the_bounds) {
    const struct row *row = &rows[_i];
    for (int p = 0; p < PRECISIONS; p++) {
        struct qpucc_native *native = shader_of_row(row, p);
        shader_fn *f = (shader_fn *)qpucc_native_function(native);
        uint64_t state = 2;
        for (int i = 0; i < 40; i++) {
            float x[16][4], y[16][4], got[16][4];
            for (int k = 0; k < 64; k++) {
                x[k / 4][k % 4] = between(row->low, row->high, &state);
                y[k / 4][k % 4] = between(row->low2, row->high2, &state);
            }
            f(got, (const float(*)[4])x, (const float(*)[4])y);
            for (int l = 0; l < 16; l++) {
                const double a[4] = {x[l][0], x[l][1], x[l][2], x[l][3]},
                             b[4] = {y[l][0], y[l][1], y[l][2], y[l][3]};
                double r[4];
                unsigned count = row->ideal(a, b, r);
                for (unsigned k = 0; k < count; k++)
                    ck_assert_msg(error_of(row, got[l][k], r[k], b) <= row->bound[p],
                                  "%s, %s: %g at %g, %g, ideal %g; the bound is %g", row->name, words[p],
                                  got[l][k], a[0], b[0], r[k], row->bound[p]);
            }
        }
        char error[300];
        ck_assert_msg(!qpucc_native_failed(native, error, sizeof error), "%s: %s", row->name, error);
        qpucc_native_free(native);
    }
}
END_TEST

/* --- cost ----------------------------------------------------------------------------------------------- */

static unsigned length_of(const char *value, int precision) {
    char text[600];
    snprintf(text, sizeof text,
             "precision highp float;\nvarying %s vec4 x, y;\nvoid main() {\n    if (dot(vec3(%s), vec3(x.w, "
             "y.w, 0.5)) + "
             "dot(x.xyz, y.xyz) < 0.5)\n        discard;\n    gl_FragColor = vec4(1.0);\n}\n",
             words[precision], value);
    struct qpucc_source source = {"row", text, strlen(text), QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    options.flags |= policy_of(precision);
    qpucc_program *program = qpucc_compile(&source, 1, NULL, &options);
    const struct qpucc_stage_stats *stats = program ? qpucc_program_stats(program, QPUCC_FRAGMENT) : NULL;
    unsigned count = stats ? stats->instructions : 0;
    qpucc_program_free(program);
    return count;
}

static int cost(const struct row *row, int precision) {
    double r[4];
    const double unused[4] = {0};
    bool vector = row->ideal(unused, unused, r) == 3;
    return (int)length_of(row->call, precision) - (int)length_of(vector ? "x.xyz" : "x.x", precision);
}

START_TEST(lower_precision_costs_no_more) {
    const struct row *row = &rows[_i];
    int high = cost(row, HIGHP), medium = cost(row, MEDIUMP), low = cost(row, LOWP);
    /* orders differ: an instruction or two either way say nothing */
    ck_assert_msg(medium <= high + 2 && low <= medium + 2, "%s: %d, %d, %d instructions", row->name, high,
                  medium, low);
}
END_TEST

static void print_table(void) {
    static const char *const kinds[] = {"relative", "absolute", "absolute"};
    printf(
        "| function | range | error | highp | mediump | lowp | -fprecise | instructions: highp | mediump | "
        "lowp | -fprecise |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        double at;
        printf("| %s | %g .. %g", r->name, r->low, r->high);
        if (r->low2 != r->high2)
            printf("; %g .. %g", r->low2, r->high2);
        printf(" | %s", kinds[r->measure == RELATIVE ? 0 : 1]);
        for (int p = 0; p < PRECISIONS; p++) {
            double error = worst(r, p, 100000, &at);
            printf(error ? " | %.1e" : " | 0", error);
        }
        for (int p = 0; p < PRECISIONS; p++)
            printf(" | %d", cost(r, p));
        puts(" |");
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--table") == 0) {
        print_table();
        return 0;
    }
    Suite *suite = suite_create("functions");
    TCase *t = tcase_create("rows");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, functions_keep_their_bounds, 0, ROWS);
    tcase_add_loop_test(t, machine_keeps_the_bounds, 0, ROWS);
    tcase_add_loop_test(t, lower_precision_costs_no_more, 0, ROWS);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
