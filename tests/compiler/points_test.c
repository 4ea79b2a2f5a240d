/* GLSL's functions where they are exact, by precision: docs/numerics.md lists the same.
 *
 * Each is called three times as a C function (qpucc/native.h), and the results are compared for equality: on
 * the machine of what differs from lane to lane, once per draw of uniforms alone, and at compile time of
 * literals. Host arithmetic is exact at all of these points; the machine is where a row says so.
 *
 * And the warnings about arithmetic that is undefined. */
#include <qpucc/native.h>
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HIGH = 1, MEDIUM = 2, LOW = 4, ALL = 7, POINTS = 14 };
/* The last one is mediump under -fprecise, where the machine is exact wherever it is in highp. */
enum { HIGHP, MEDIUMP, LOWP, PRECISE, PRECISIONS };
static const char *const words[PRECISIONS] = {"highp", "mediump", "lowp", "mediump"};

#define PI 3.14159274
#define HALF_PI 1.57079637

static const struct row {
    const char *call; /* of floats x, y and z */
    unsigned exact;   /* precisions in which the machine is */
    struct point {
        double x, y, z, result;
    } points[POINTS];
    unsigned count;
} rows[] = {
    {"sin(x)", ALL, {{0, 0, 0, 0}}, 1},
    {"cos(x)", ALL, {{0, 0, 0, 1}}, 1},
    {"tan(x)", ALL, {{0, 0, 0, 0}}, 1},
    {"float(bool(tan(atan(x))))", ALL, {{0, 0, 0, 0}}, 1},
    {"asin(x)", ALL, {{0, 0, 0, 0}, {1, 0, 0, HALF_PI}, {-1, 0, 0, -HALF_PI}}, 3},
    {"acos(x)", ALL, {{1, 0, 0, 0}, {0, 0, 0, HALF_PI}, {-1, 0, 0, PI}}, 3},
    {"atan(x)", ALL, {{0, 0, 0, 0}}, 1},
    {"atan(x, y)",
     ALL,
     {{0, 1, 0, 0},
      {0, -1, 0, PI},
      {1, 0, 0, HALF_PI},
      {-1, 0, 0, -HALF_PI},
      {0, 2, 0, 0},
      {3, 0, 0, HALF_PI}},
     6},
    {"exp2(x)",
     HIGH,
     {{0, 0, 0, 1},
      {1, 0, 0, 2},
      {2, 0, 0, 4},
      {3, 0, 0, 8},
      {10, 0, 0, 1024},
      {-1, 0, 0, 0.5},
      {-2, 0, 0, 0.25},
      {-8, 0, 0, 0.00390625}},
     8},
    {"pow(2.0, x)", HIGH, {{0, 0, 0, 1}, {1, 0, 0, 2}, {8, 0, 0, 256}, {-3, 0, 0, 0.125}}, 4},
    {"pow(x, 0.0)", ALL, {{0.25, 0, 0, 1}, {3, 0, 0, 1}}, 2},
    {"pow(1.0, x)", ALL, {{0.25, 0, 0, 1}, {3, 0, 0, 1}, {-2, 0, 0, 1}, {0, 0, 0, 1}}, 4},
    {"pow(x, 1.0)", ALL, {{0.25, 0, 0, 0.25}, {3, 0, 0, 3}}, 2},
    {"pow(x, 2.0)", ALL, {{3, 0, 0, 9}, {0.5, 0, 0, 0.25}, {0, 0, 0, 0}}, 3},
    {"pow(x, 3.0)", ALL, {{3, 0, 0, 27}, {0.5, 0, 0, 0.125}, {1, 0, 0, 1}}, 3},
    {"pow(x, y)", ALL, {{0, 1, 0, 0}, {0, 2.5, 0, 0}}, 2},
    {"log2(x)",
     ALL,
     {{1, 0, 0, 0}, {2, 0, 0, 1}, {4, 0, 0, 2}, {8, 0, 0, 3}, {1024, 0, 0, 10}, {65536, 0, 0, 16}},
     6},
    {"log(x)", ALL, {{1, 0, 0, 0}}, 1},
    {"sqrt(x)", ALL, {{0, 0, 0, 0}}, 1},
    {"sqrt(x)", HIGH, {{1, 0, 0, 1}, {4, 0, 0, 2}, {16, 0, 0, 4}, {0.25, 0, 0, 0.5}, {4096, 0, 0, 64}}, 5},
    {"floor(sqrt(x))",
     HIGH,
     {{9, 0, 0, 3},
      {25, 0, 0, 5},
      {36, 0, 0, 6},
      {49, 0, 0, 7},
      {100, 0, 0, 10},
      {144, 0, 0, 12},
      {65025, 0, 0, 255}},
     7},
    {"inversesqrt(x)", HIGH, {{1, 0, 0, 1}, {4, 0, 0, 0.5}, {0.25, 0, 0, 2}, {256, 0, 0, 0.0625}}, 4},
    {"length(vec3(0.0, x, 0.0))", HIGH, {{1, 0, 0, 1}, {-2, 0, 0, 2}, {4, 0, 0, 4}, {0.5, 0, 0, 0.5}}, 4},
    {"length(vec3(x, y, z))", ALL, {{0, 0, 0, 0}}, 1},
    {"distance(vec3(x, y, 3.0), vec3(x, y, z))", ALL, {{7, 5, 3, 0}, {0.3, -4, 3, 0}}, 2},
    {"distance(vec2(x, y), vec2(y, y))", HIGH, {{7, 5, 0, 2}, {-4, -3, 0, 1}}, 2},
    {"normalize(vec3(0.0, x, 0.0)).y",
     HIGH,
     {{1, 0, 0, 1}, {-1, 0, 0, -1}, {2, 0, 0, 1}, {-4, 0, 0, -1}, {0.5, 0, 0, 1}},
     5},
    {"normalize(vec3(0.0, x, 0.0)).z", ALL, {{1, 0, 0, 0}, {-3, 0, 0, 0}, {0.3, 0, 0, 0}}, 3},
    {"fract(x)",
     ALL,
     {{0, 0, 0, 0},
      {3, 0, 0, 0},
      {-7, 0, 0, 0},
      {1.25, 0, 0, 0.25},
      {-0.25, 0, 0, 0.75},
      {1000.5, 0, 0, 0.5}},
     6},
    {"floor(x)", ALL, {{0, 0, 0, 0}, {3, 0, 0, 3}, {-7, 0, 0, -7}, {-0.25, 0, 0, -1}, {0.99, 0, 0, 0}}, 5},
    {"ceil(x)", ALL, {{0, 0, 0, 0}, {3, 0, 0, 3}, {-7, 0, 0, -7}, {-0.25, 0, 0, 0}, {0.01, 0, 0, 1}}, 5},
    {"sign(x)", ALL, {{0, 0, 0, 0}, {1e-30, 0, 0, 1}, {-5, 0, 0, -1}}, 3},
    {"floor(x / y)",
     ALL,
     {{6, 2, 0, 3}, {49, 49, 0, 1}, {100, 10, 0, 10}, {99, 10, 0, 9}, {255, 51, 0, 5}, {-7, 2, 0, -4}},
     6},
    {"mod(x, y)",
     ALL,
     {{4, 2, 0, 0},
      {5, 3, 0, 2},
      {-1, 3, 0, 2},
      {7, 7, 0, 0},
      {100, 10, 0, 0},
      {49, 49, 0, 0},
      {98, 49, 0, 0},
      {0.75, 0.25, 0, 0},
      {1023, 11, 0, 0},
      {1000, 17, 0, 14},
      {-12, 4, 0, 0},
      {0, 3, 0, 0}},
     12},
    {"mod(x, 49.0)",
     ALL,
     {{49, 0, 0, 0}, {50, 0, 0, 1}, {-1, 0, 0, 48}, {97, 0, 0, 48}, {4900, 0, 0, 0}, {-147, 0, 0, 0}},
     6},
    {"mod(x, 1.0)", ALL, {{3, 0, 0, 0}, {2.5, 0, 0, 0.5}, {-0.25, 0, 0, 0.75}}, 3},
    {"step(x, y)", ALL, {{1, 1, 0, 1}, {1, 0.5, 0, 0}, {-2, 3, 0, 1}}, 3},
    {"mix(x, y, z)", ALL, {{3, 7, 0, 3}, {3, 7, 1, 7}, {3, 7, 0.5, 5}, {-1, 1, 1, 1}}, 4},
    {"smoothstep(0.0, 1.0, x)",
     ALL,
     {{0, 0, 0, 0}, {1, 0, 0, 1}, {0.5, 0, 0, 0.5}, {-3, 0, 0, 0}, {9, 0, 0, 1}},
     5},
    {"smoothstep(2.0, 6.0, x)", ALL, {{2, 0, 0, 0}, {6, 0, 0, 1}, {1, 0, 0, 0}}, 3},
    {"smoothstep(x, y, z)", HIGH, {{0, 1, 1, 1}, {2, 4, 4, 1}, {-3, 7, 7, 1}, {0, 3, 5, 1}}, 4},
    {"smoothstep(x, y, z)", ALL, {{0, 1, 0, 0}, {2, 5, 2, 0}, {2, 5, -2, 0}}, 3},
    {"clamp(x, y, z)", ALL, {{5, 0, 1, 1}, {-5, 0, 1, 0}, {0.25, 0, 1, 0.25}}, 3},
    {"degrees(x)", ALL, {{0, 0, 0, 0}}, 1},
    {"radians(x)", ALL, {{0, 0, 0, 0}}, 1},
};

enum { ROWS = sizeof rows / sizeof *rows };
enum form { MACHINE, DRAW, FOLDED, FORMS };
static const char *const form_names[] = {"on the machine", "per draw", "folded"};

/* The call as a C function: of arguments that differ from lane to lane, of uniforms, or of the point
 * itself. */
static struct qpucc_native *bind(const struct row *row, enum form form, int precision,
                                 const struct point *p) {
    char text[600], error[400] = "";
    const char *word = words[precision];
    static const char *const signatures[FORMS] = {
        "float(float, float, float)", "float(uniform float, uniform float, uniform float)", "float()"};
    if (form == FOLDED)
        snprintf(text, sizeof text, "float f() { %s float x = %.9e, y = %.9e, z = %.9e; return %s; }\n", word,
                 p->x, p->y, p->z, row->call);
    else
        snprintf(text, sizeof text, "%s float f(%s float x, %s float y, %s float z) { return %s; }\n", word,
                 word, word, word, row->call);
    /* with arithmetic on uniforms per draw, which a bound function keeps in the shader by default */
    struct qpucc_options compile = qpucc_options_default();
    struct qpucc_native_options options = {.compile = &compile};
    compile.flags |= precision == PRECISE ? QPUCC_POLICY_PRECISE : QPUCC_POLICY_DEFAULT;
    struct qpucc_native *native =
        qpucc_native_bind_function(text, "f", signatures[form], &options, error, sizeof error);
    if (!native)
        printf("%s\n%s\n", error, text);
    return native;
}

static unsigned try_row(const struct row *row, enum form form, int precision) {
    unsigned failed = 0;
    struct qpucc_native *native = NULL;
    for (unsigned i = 0; i < row->count; i++) {
        const struct point *p = &row->points[i];
        if (!native && !(native = bind(row, form, precision, p)))
            return failed + 1;
        void (*function)(void) = qpucc_native_function(native);
        float result = form == FOLDED ? ((float (*)(void))function)()
                                      : ((float (*)(float, float, float))function)((float)p->x, (float)p->y,
                                                                                   (float)p->z);
        if (result != (float)p->result) {
            printf("%s, %s%s, %s: not %.9g but %.9g at %g, %g, %g\n", row->call, words[precision],
                   precision == PRECISE ? ", -fprecise" : "", form_names[form], p->result, (double)result,
                   p->x, p->y, p->z);
            failed++;
        }
        if (form == FOLDED) {
            qpucc_native_free(native);
            native = NULL;
        }
    }
    qpucc_native_free(native);
    return failed;
}

/* --- where GLSL says nothing ---------------------------------------------------------------------------- */

static const struct {
    const char *value; /* of a varying vec4 v */
    bool warns;
} undefined[] = {{"pow(-2.0, v.x)", true},
                 {"pow(-abs(v.x) - 1.0, v.y)", true},
                 {"sqrt(-1.0 - v.x * v.x)", true},
                 {"log(-3.0)", true},
                 {"mod(v.x, 0.0)", true},
                 {"mod(v.x, v.y * 0.0)", true},
                 {"0.0 / 0.0", true},
                 {"(v.x * 0.0) / (v.y * 0.0)", true},
                 {"pow(v.x, v.y)", false},
                 {"pow(v.x, 2.0)", false},
                 {"pow(-v.x, 3.0)", false},
                 {"pow(0.0, v.x)", false},
                 {"sqrt(v.x)", false},
                 {"mod(v.x, v.y)", false},
                 {"mod(v.x, -3.0)", false},
                 {"v.x / v.y", false},
                 {"1.0 / 0.0", false},
                 {"0.0 / v.x", false},
                 {"(0.0 > 1.0 ? pow(-2.0, v.x) : 1.0)", false}};

/* Once for four components, in the right place, and no error. */
static bool warns_rightly(const char *value, bool warns) {
    char fragment[300];
    snprintf(fragment, sizeof fragment,
             "precision highp float;\nvarying vec4 v;\nvoid main() {\n    gl_FragColor = vec4(%s);\n}\n",
             value);
    struct qpucc_source source = {"undefined.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
    size_t count = program ? qpucc_program_diagnostic_count(program) : 0;
    bool ok = program && qpucc_program_status(program) == QPUCC_OK && count == (size_t)warns;
    if (ok && warns) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
        bool constant = !strchr(value, 'v'); /* glslang 15 does not say where one was */
        ok = d->severity == QPUCC_WARNING && !strcmp(d->code, "undefined") && (d->line == 4 || constant);
    }
    if (!ok)
        printf("%s: %zu diagnostics: %s\n", value, count,
               count ? qpucc_program_diagnostic(program, 0)->text : "a warning is missing");
    qpucc_program_free(program);
    return ok;
}

int main(void) {
    unsigned failed = 0, tried = 0;
    for (size_t i = 0; i < sizeof undefined / sizeof *undefined; i++)
        failed += !warns_rightly(undefined[i].value, undefined[i].warns);
    for (int r = 0; r < ROWS; r++)
        for (int p = 0; p < PRECISIONS; p++)
            for (int f = 0; f < FORMS; f++) {
                /* folding knows no precision */
                if ((f == MACHINE && !(rows[r].exact >> p % PRECISE & 1)) || (f == FOLDED && p))
                    continue;
                failed += try_row(&rows[r], (enum form)f, p);
                tried += rows[r].count;
            }
    printf("%u points, %u failed\n", tried, failed);
    return failed != 0;
}
