/* How far apart the same arithmetic comes out in the shader and as a uniform expression: the bounds that
 * docs/uniform-expressions.md states (--table prints its rows). */
#include "interp.h"
#include "passes/eval.h"
#include "passes/passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct form {
    const char *text; /* as in the documentation */
    const char *body; /* of the shader; %result is the last value */
    float low, high;  /* uniforms are of this size, of either sign if low is negative */
    double bound;     /* relative, of the result */
};

#define UNIFORMS                                                                                             \
    "%%0 = input.f32 0\n%%1 = uniform.f32 u[0]\n%%2 = uniform.f32 u[1]\n%%3 = uniform.f32 u[2]\n"            \
    "%%4 = uniform.f32 u[3]\n"

static const struct form forms[] = {
    {"x u v", "%5 = fmul %0, %1\n%9 = fmul %5, %2\n", 0.01f, 100, 3e-7},
    {"x (u v + w t)", "%5 = fmul %1, %2\n%6 = fmul %3, %4\n%7 = fadd %5, %6\n%9 = fmul %0, %7\n", 0.01f, 100,
     5e-7},
    {"x / u", "%9 = fdiv %0, %1\n", 0.01f, 100, 1e-6},
    {"x inversesqrt(u)", "%5 = frsq %1\n%9 = fmul %0, %5\n", 0.01f, 100, 1e-6},
    {"x sqrt(u)", "%5 = fsqrt %1\n%9 = fmul %0, %5\n", 0.01f, 100, 5e-7},
    {"x sin(u), compared with x", "%5 = fsin %1\n%6 = fmul %0, %5\n%9 = fadd %6, %0\n", 0, 1.5f, 2e-5},
    {"x exp2(u)", "%5 = fexp2 %1\n%9 = fmul %0, %5\n", -10, 10, 1e-4},
    {"x pow(u, v)", "%5 = fpow %1, %2\n%9 = fmul %0, %5\n", 0.1f, 3, 1e-3},
    {"pow(u, x)", "%9 = fpow %1, %0\n", 0.1f, 3, 1e-3},
};

static float random_float(uint64_t *seed, float low, float high) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (float)(*seed >> 40) * 0x1p-24f;
}

static struct ir_shader *build(const struct form *form, bool expressions) {
    char text[1000], error[200] = "";
    int n = snprintf(text, sizeof text,
                     "shader vertex\nuniform \"u\" float 4x1 word 0\ninput \"x\" float 1x1 word 0\n"
                     "output \"y\" float 1x1 word 0\nb0:\n" UNIFORMS "%soutput 0, %%9\nend\n",
                     form->body);
    struct ir_shader *shader = ir_parse(text, (size_t)n, error, sizeof error);
    const char *passes = expressions ? "(uniforms,algebraic,cse,dce)*4,lower_math,dce" : "lower_math,dce";
    if (!shader || !passes_run_named(shader, passes, NULL, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", form->text, error);
        exit(EXIT_FAILURE);
    }
    return shader;
}

static double measure(const struct form *form) {
    struct ir_shader *shader[2] = {build(form, false), build(form, true)};
    static struct interp in;
    uint64_t seed = 7;
    double most = 0;
    for (int trial = 0; trial < 20000; trial++) {
        float y[2];
        for (int k = 0; k < 4; k++)
            in.uniform[k] = ir_float_to_bits(random_float(&seed, form->low, form->high));
        in.input[0] = ir_float_to_bits(random_float(&seed, 0.1f, 4));
        for (int k = 0; k < 2; k++) {
            char error[200];
            in.machine = true;
            if (!interp_run(shader[k], &in, 4, error, sizeof error)) {
                fprintf(stderr, "%s: %s\n", form->text, error);
                exit(EXIT_FAILURE);
            }
            y[k] = ir_bits_to_float(in.output[0]);
        }
        most = fmax(most, fabs((double)y[0] - (double)y[1]) / fabs((double)y[0]));
    }
    for (int k = 0; k < 2; k++)
        ir_shader_destroy(shader[k]);
    return most;
}

int main(int argc, char **argv) {
    bool table = argc > 1 && !strcmp(argv[1], "--table");
    int failed = 0;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        double difference = measure(&forms[k]);
        if (table)
            printf("| %s | %g .. %g | %.1e |\n", forms[k].text, (double)forms[k].low, (double)forms[k].high,
                   difference);
        if (difference > forms[k].bound || difference == 0) {
            fprintf(stderr, "%s: %g apart, at most %g is stated and more than nothing expected\n",
                    forms[k].text, difference, forms[k].bound);
            failed++;
        }
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
