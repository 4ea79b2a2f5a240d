/* Fragment shaders of n statements, in shapes that have each met something quadratic once. */
#include "bench/growth_shapes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void put(struct growth_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct growth_text *t, const char *format, ...) {
    if (t->capacity - t->length < 300)
        t->at = realloc(t->at, t->capacity = 2 * t->capacity + 4096);
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->at + t->length, 300, format, list);
    va_end(list);
}

static void begin(struct growth_text *t) {
    put(t, "precision highp float;\nvarying vec4 v;\nuniform vec4 u;\nvoid main() {\n    float a = v.x, b = "
           "v.y;\n");
}

static void end(struct growth_text *t) {
    put(t, "    gl_FragColor = vec4(a, b, a + b, 1.0);\n}\n");
}

/* Each statement needs the one before. */
static void dependent(struct growth_text *t, int n) {
    begin(t);
    for (int i = 0; i < n; i++)
        put(t, "    a = a * b + u.%c;\n", "xyzw"[i % 4]);
    end(t);
}

/* Sixteen chains beside each other. */
static void independent(struct growth_text *t, int n) {
    begin(t);
    put(t, "    float c[16];\n    for (int i = 0; i < 16; i++) c[i] = v.x * float(i);\n");
    for (int i = 0; i < n; i++)
        put(t, "    c[%d] = c[%d] * v.%c + %d.5;\n", i % 16, i % 16, "xyzw"[i / 16 % 4], i);
    put(t, "    for (int i = 0; i < 16; i++) a += c[i];\n");
    end(t);
}

/* n terms, all of them first needed when the last is known: in reverse order. */
static void reverse(struct growth_text *t, int n) {
    begin(t);
    for (int i = 0; i < n / 2; i++)
        put(t, "    float t%d = v.x * %d.25 + v.y;\n", i, i + 1);
    for (int i = n / 2; i-- > 0;)
        put(t, "    a = a * t%d + b;\n", i);
    end(t);
}

static void loops(struct growth_text *t, int n) {
    begin(t);
    for (int i = 0; i < n / 2; i++)
        put(t, "    for (float i = 0.0; i < u.%c; i += 1.0)\n        a = a * b + i;\n", "xyzw"[i % 4]);
    end(t);
}

static void known_loops(struct growth_text *t, int n) {
    begin(t);
    for (int i = 0; i < n / 2; i++)
        put(t, "    for (int i = 0; i < 3; i++)\n        a = a * b + %d.5;\n", i % 7);
    end(t);
}

static void branches(struct growth_text *t, int n) {
    begin(t);
    for (int i = 0; i < n / 2; i++)
        put(t, "    if (a > %d.5)\n        a = a * b + u.%c;\n", i, "xyzw"[i % 4]);
    end(t);
}

/* Conditionals with loops in them: they stay branches. */
static void loop_branches(struct growth_text *t, int n) {
    begin(t);
    for (int i = 0; i < n / 3; i++)
        put(t,
            "    if (u.%c > %d.5)\n        for (float i = 0.0; i < u.x; i += 1.0)\n            a = a * b + "
            "i;\n",
            "xyzw"[i % 4], i);
    end(t);
}

/* A tree of conditionals, thirty deep each. */
static void nested(struct growth_text *t, int n) {
    begin(t);
    for (int i = 0; i < n; i += 30) {
        for (int k = 0; k < 30 && i + k < n; k++)
            put(t, "    if (v.%c > %d.5) { a += b;\n", "xyzw"[k % 4], i + k);
        for (int k = 0; k < 30 && i + k < n; k++)
            put(t, "}");
        put(t, "\n");
    }
    end(t);
}

static void functions(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "float f%d(float x) { return x * %d.5 + v.y; }\n", i, i);
    put(t, "void main() {\n    float a = v.x, b = v.y;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "    a = f%d(a);\n", i);
    end(t);
}

static void call_chain(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\nfloat f0(float x) { return x; }\n");
    for (int i = 1; i < n; i++)
        put(t, "float f%d(float x) { return f%d(x * 0.5) + v.y; }\n", i, i - 1);
    put(t, "void main() {\n    float a = f%d(v.x), b = v.y;\n", n - 1);
    end(t);
}

static void structs(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "struct S%d { float x; vec2 y; };\n", i);
    put(t, "void main() {\n    float a = v.x, b = v.y;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "    S%d s%d = S%d(a, v.xy); a = s%d.x + s%d.y.y;\n", i, i, i, i, i);
    end(t);
}

static void uniforms(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "uniform float u%d;\n", i);
    put(t, "void main() {\n    float a = v.x, b = v.y;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "    a = a * b + u%d;\n", i);
    end(t);
}

static void globals(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "const float g%d = %d.5; float h%d;\n", i, i, i);
    put(t, "void main() {\n    float a = v.x, b = v.y;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "    h%d = a; a = h%d * b + g%d;\n", i, i, i);
    end(t);
}

/* Code after n places where the function may be left. */
static void returns(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\nfloat f(float a, float b) {\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "    if (a > %d.5) return a * b;\n    a = a * b;\n", i);
    put(t, "    return a;\n}\nvoid main() {\n    float a = v.x, b = v.y;\n    a = f(a, b);\n");
    end(t);
}

static void discards(struct growth_text *t, int n) {
    begin(t);
    for (int i = 0; i < n / 2; i++)
        put(t, "    if (a > %d.5) discard;\n    a = a * b;\n", i);
    end(t);
}

static void directives(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\nvoid main() {\n    float a = v.x, b = v.y;\n");
    for (int i = 0; i < n; i++)
        put(t,
            i % 5 == 0   ? "#line %d\n"
            : i % 5 == 1 ? "#define M%d(x) ((x) * b)\n"
            : i % 5 == 2 ? "#ifdef M%d\n#endif\n"
            : i % 5 == 3 ? "#if %d < 3\na += b;\n#else\n#endif\n"
                         : "#undef M%d\n",
            i);
    end(t);
}

static void lines(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\nvoid main() {\n    float a = v.x, b = v.y;\n");
    for (int i = 0; i < 10 * n; i++)
        put(t, "#line %d\n", i);
    end(t);
}

static void macros(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "#define A%d(x) ((x) * b + %d.5)\n", i, i);
    put(t, "void main() {\n    float a = v.x, b = v.y;\n");
    for (int i = 0; i < n / 2; i++)
        put(t, "    a = A%d(a);\n", i);
    end(t);
}

/* One expression; and one that nests. */
static void sum(struct growth_text *t, int n) {
    begin(t);
    put(t, "    a = v.x");
    for (int i = 1; i < n && i < 3900; i++)
        put(t, "%s+ v.%c * %d.5", i % 8 ? " " : "\n        ", "xyzw"[i % 4], i);
    put(t, ";\n");
    end(t);
}

/* Arrays indexed with what is known only at run time. */
static void indices(struct growth_text *t, int n) {
    begin(t);
    put(t, "    float c[8];\n    for (int i = 0; i < 8; i++) c[i] = v.x * float(i);\n");
    for (int i = 0; i < n; i++)
        put(t, "    a += c[int(mod(a + %d.0, 8.0))];\n", i);
    end(t);
}

static void texels(struct growth_text *t, int n) {
    put(t, "precision highp float;\nvarying vec4 v;\nuniform sampler2D s;\nvoid main() {\n    float a = v.x, "
           "b = v.y;\n");
    for (int i = 0; i < n; i++)
        put(t, "    a += texture2D(s, v.xy * %d.5).x;\n", i);
    end(t);
}

const struct growth_shape growth_shapes[] = {
    {"dependent", dependent},
    {"independent", independent},
    {"reverse", reverse},
    {"loops", loops},
    {"known-loops", known_loops},
    {"branches", branches},
    {"loop-branches", loop_branches},
    {"nested", nested},
    {"functions", functions},
    {"call-chain", call_chain},
    {"structs", structs},
    {"uniforms", uniforms},
    {"globals", globals},
    {"returns", returns},
    {"discards", discards},
    {"directives", directives},
    {"lines", lines},
    {"macros", macros},
    {"sum", sum},
    {"indices", indices},
    {"texels", texels},
    {NULL, NULL},
};
