/* Shaders as C functions: every type by value, by pointer and in batches; stages of programs; callbacks of
 * many C signatures; strict signatures; many threads. */
#include "tests/isa/random.h"

#include <qpucc/native.h>

#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct qpucc_native native;

static native *bind(const char *glsl, const char *name, const char *signature) {
    char error[400] = "";
    native *n = qpucc_native_bind_function(glsl, name, signature, NULL, error, sizeof error);
    ck_assert_msg(n != NULL, "%s: %s", signature, error);
    return n;
}

static void done(native *n) {
    char error[400];
    ck_assert_msg(!qpucc_native_failed(n, error, sizeof error), "%s", error);
    ck_assert_str_eq(error, "");
    qpucc_native_free(n);
}

#define FUNCTION(n, result, ...) ((result(*)(__VA_ARGS__))qpucc_native_function(n))

/* --- types by value ------------------------------------------------------------------------------------- */

START_TEST(scalars) {
    native *n = bind("float f(float x, int i, uint u, bool b) { return b ? x + float(i) : float(u); }", "f",
                     "float(float,int,uint,bool)");
    float (*f)(float, int32_t, uint32_t, bool) = FUNCTION(n, float, float, int32_t, uint32_t, bool);
    ck_assert_float_eq(f(1.5f, -7, 0, true), -5.5f);
    ck_assert_float_eq(f(1.5f, -7, 9000, false), 9000);
    done(n);
    n = bind("int f(int i) { return i * -3; }", "f", "int(int)");
    ck_assert_int_eq(FUNCTION(n, int32_t, int32_t)(1000), -3000);
    ck_assert_int_eq(FUNCTION(n, int32_t, int32_t)(-1000), 3000);
    done(n);
    n = bind("uint f(uint u) { return u - 1u; }", "f", "uint(uint)");
    ck_assert_uint_eq(FUNCTION(n, uint32_t, uint32_t)(0), 0xffffffff);
    done(n);
    n = bind("bool f(bool a, bool b) { return a != b; }", "f", "bool(bool,bool)");
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(FUNCTION(n, bool, bool, bool)(k & 1, k >> 1), (k & 1) != k >> 1);
    done(n);
}
END_TEST

#define VECTORS(type, word, n2, n3, n4, v2, v3, v4, C)                                                       \
    {                                                                                                        \
        native *n =                                                                                          \
            bind(n2 " f(" n2 " a, " word " b) { return " n2 "(a.y, b); }", "f", n2 "(" n2 "," word ")");     \
        v2 a = FUNCTION(n, v2, v2, C)((v2){(C)1, (C)0}, (C)1);                                               \
        ck_assert(a.x == (C)0 && a.y == (C)1);                                                               \
        done(n);                                                                                             \
        n = bind(n3 " f(" word " b, " n3 " a) { return " n3 "(a.z, b, a.x); }", "f",                         \
                 n3 "(" word "," n3 ")");                                                                    \
        v3 b = FUNCTION(n, v3, C, v3)((C)1, (v3){(C)0, (C)1, (C)1});                                         \
        ck_assert(b.x == (C)1 && b.y == (C)1 && b.z == (C)0);                                                \
        done(n);                                                                                             \
        n = bind(n4 " f(" n4 " a, " n2 " b) { return " n4 "(b, a.wx); }", "f", n4 "(" n4 "," n2 ")");        \
        v4 c = FUNCTION(n, v4, v4, v2)((v4){(C)1, (C)0, (C)0, (C)0}, (v2){(C)0, (C)1});                      \
        ck_assert(c.x == (C)0 && c.y == (C)1 && c.z == (C)0 && c.w == (C)1);                                 \
        done(n);                                                                                             \
    }

START_TEST(vectors){
    VECTORS(float, "float", "vec2", "vec3", "vec4", qpucc_vec2, qpucc_vec3, qpucc_vec4, float)
        VECTORS(int, "int", "ivec2", "ivec3", "ivec4", qpucc_ivec2, qpucc_ivec3, qpucc_ivec4, int32_t)
            VECTORS(uint, "uint", "uvec2", "uvec3", "uvec4", qpucc_uvec2, qpucc_uvec3, qpucc_uvec4, uint32_t)
                VECTORS(bool, "bool", "bvec2", "bvec3", "bvec4", qpucc_bvec2, qpucc_bvec3, qpucc_bvec4,
                        bool)} END_TEST

    /* Every shape of matrix, by value and by pointer: transposed twice, times a vector. */
    START_TEST(matrices) {
    struct any {
        float m[16];
    };
    for (int cols = 2; cols <= 4; cols++)
        for (int rows = 2; rows <= 4; rows++) {
            char glsl[300], signature[100];
            float m[16], v[4] = {1, -2, 3, 0.5f}, out[4];
            for (int k = 0; k < 16; k++)
                m[k] = (float)k - 3.25f;
            snprintf(glsl, sizeof glsl, "void f(mat%dx%d m, vec%d v, out vec%d r) { r = m * v; }", cols, rows,
                     cols, rows);
            snprintf(signature, sizeof signature, "void(mat%dx%d*, vec%d*, out vec%d*)", cols, rows, cols,
                     rows);
            native *n = bind(glsl, "f", signature);
            FUNCTION(n, void, const float *, const float *, float *)(m, v, out);
            for (int r = 0; r < rows; r++) {
                float want = 0;
                for (int c = 0; c < cols; c++)
                    want += m[c * rows + r] * v[c];
                ck_assert_float_eq_tol(out[r], want, 1e-4);
            }
            done(n);
        }
    native *n = bind("mat4 f(mat4 m) { return transpose(m); }", "f", "mat4(mat4)");
    qpucc_mat4 m, t;
    for (int k = 0; k < 16; k++)
        m.m[k / 4][k % 4] = (float)k;
    t = FUNCTION(n, qpucc_mat4, qpucc_mat4)(m);
    for (int k = 0; k < 16; k++)
        ck_assert_float_eq(t.m[k % 4][k / 4], (float)k);
    done(n);
    n = bind("mat2 f(mat3 m, float s) { return mat2(m) * s; }", "f", "mat2(mat3,float)");
    qpucc_mat3 three = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}};
    qpucc_mat2 two = FUNCTION(n, qpucc_mat2, qpucc_mat3, float)(three, 2);
    ck_assert(two.m[0][0] == 2 && two.m[0][1] == 4 && two.m[1][0] == 8 && two.m[1][1] == 10);
    done(n);
}
END_TEST

START_TEST(outputs_and_uniforms) {
    native *n =
        bind("float f(float x, inout vec2 v, out bool big, out ivec2 i, float scale)\n"
             "{ big = x > 2.0; i = ivec2(int(x), -1); v = v.yx * scale; return x + scale; }",
             "f", "float f(float x, inout vec2* v, out bool* big, out ivec2* i, uniform float scale)");
    qpucc_vec2 v = {1, 2};
    qpucc_ivec2 i = {0, 0};
    bool big = false;
    float (*f)(float, qpucc_vec2 *, bool *, qpucc_ivec2 *, float) =
        FUNCTION(n, float, float, qpucc_vec2 *, bool *, qpucc_ivec2 *, float);
    ck_assert_float_eq(f(3, &v, &big, &i, 10), 13);
    ck_assert(v.x == 20 && v.y == 10 && big && i.x == 3 && i.y == -1);
    ck_assert_float_eq(f(1, &v, &big, &i, 0.5f), 1.5f);
    ck_assert(v.x == 5 && v.y == 10 && !big);
    done(n);
    n = bind("float f() { return 42.0; }", "f", "float()");
    ck_assert_float_eq(FUNCTION(n, float, void)(), 42);
    done(n);
    n = bind("float f(float unused) { return 7.0; }", "f", "float(float)");
    ck_assert_float_eq(FUNCTION(n, float, float)(1), 7);
    done(n);
    n = bind("#version 100\nfloat f(float x) { return x * 0.5; }", "f", "float(float)");
    ck_assert_float_eq(FUNCTION(n, float, float)(5), 2.5f);
    done(n);
    n = bind("// a comment\n/* another */ #version 330\nfloat f(mat3 m) { return m[2][1]; }", "f",
             "float(mat3*)");
    ck_assert_float_eq(FUNCTION(n, float, const float *)((float[9]){0, 1, 2, 3, 4, 5, 6, 7, 8}), 7);
    done(n);
}
END_TEST

struct text {
    char at[4000];
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    text->size += (size_t)vsnprintf(text->at + text->size, sizeof text->at - text->size, format, list);
    va_end(list);
    ck_assert_uint_lt(text->size, sizeof text->at);
}

/* Random functions of random parameters: each adds up all components, and C does the same. Whole numbers, so
 * that the sum is exact in any order. */
START_TEST(random_signatures) {
    static const struct {
        const char *name;
        int components, slots;
    } types[] = {{"float", 1, 1}, {"vec2", 2, 1},  {"vec3", 3, 1},   {"vec4", 4, 1},  {"mat2", 4, 2},
                 {"mat3", 9, 3},  {"mat4", 16, 4}, {"mat2x3", 6, 2}, {"mat4x2", 8, 4}};
    uint64_t state = (uint64_t)_i;
    for (int n = 0; n < 6; n++) {
        struct text glsl = {.size = 0}, body = {.size = 0}, signature = {.size = 0};
        bool batches = false;
        float data[8][16 * 16], want[16] = {0}, got[16];
        const void *argument[8] = {NULL};
        int count = 0;
        add(&glsl, "float f(");
        add(&signature, "float[16](");
        for (int slots = 0; slots < 8 && count < 8; count++) {
            unsigned pick = (unsigned)(random_word(&state) % (sizeof types / sizeof *types));
            while (slots + types[pick].slots > 8)
                pick--;
            slots += types[pick].slots;
            bool batch = random_word(&state) % 3 != 0;
            batches |= batch;
            int components = types[pick].components;
            add(&glsl, "%s%s p%d", count ? ", " : "", types[pick].name, count);
            add(&signature, "%s%s%s", count ? "," : "", types[pick].name, batch ? "[16]" : "*");
            bool matrix = strchr(types[pick].name, 'm') != NULL;
            int rows = matrix ? types[pick].components / types[pick].slots : components;
            for (int c = 0; c < components / rows; c++)
                for (int r = 0; r < rows; r++) {
                    add(&body, " + p%d", count);
                    if (matrix)
                        add(&body, "[%d]", c);
                    if (rows > 1)
                        add(&body, "[%d]", r);
                    add(&body, " * %d.0", 1 + (c * rows + r + count) % 5);
                }
            for (int k = 0; k < 16 * components; k++)
                data[count][k] = (float)(random_word(&state) % 201) - 100;
            for (int l = 0; l < 16; l++)
                for (int k = 0; k < components; k++)
                    want[l] += data[count][(batch ? l * components : 0) + k] * (float)(1 + (k + count) % 5);
            argument[count] = data[count];
        }
        add(&glsl, ") { return 0.0%s; }", body.at);
        add(&signature, ")");
        if (!batches)
            continue;
        native *f = bind(glsl.at, "f", signature.at);
#define P const void *
        ((void (*)(float *, P, P, P, P, P, P, P, P))qpucc_native_function(f))(
            got, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5], argument[6],
            argument[7]); /* more arguments than it takes do no harm in these calling conventions */
        for (int l = 0; l < 16; l++)
            ck_assert_msg(got[l] == want[l], "%s lane %d: %g, not %g", signature.at, l, got[l], want[l]);
        done(f);
    }
}
END_TEST

/* --- batches -------------------------------------------------------------------------------------------- */

START_TEST(batches) {
    native *n = bind("vec3 f(float x, vec3 v, mat2 m, bool b, out int i)\n"
                     "{ i = int(x) * 2; return b ? v * x + vec3(m[1], m[0].x) : vec3(-x); }",
                     "f", "vec3[16](float[16], vec3[16], mat2*, bool[16], out int[16])");
    float x[16], v[16][3], m[4] = {1, 2, 3, 4}, r[16][3];
    bool b[16];
    int32_t i[16];
    for (int l = 0; l < 16; l++) {
        x[l] = (float)l;
        b[l] = l % 3 != 0;
        for (int k = 0; k < 3; k++)
            v[l][k] = (float)(l + 10 * k);
    }
    ((void (*)(float(*)[3], const float *, const float(*)[3], const float *, const bool *,
               int32_t *))qpucc_native_function(n))(r, x, (const float(*)[3])v, m, b, i);
    for (int l = 0; l < 16; l++) {
        static const float add[3] = {3, 4, 1};
        ck_assert_int_eq(i[l], 2 * l);
        for (int k = 0; k < 3; k++)
            ck_assert_float_eq(r[l][k], b[l] ? v[l][k] * x[l] + add[k] : -x[l]);
    }
    done(n);
    /* lanes that take different ways */
    n = bind("float f(float x) { float s = 0.0; for (int k = 0; k < 20; k++) { if (float(k) >= x) break; s "
             "+= 2.0; }\n"
             "return s; }",
             "f", "float[16](float[16])");
    float s[16];
    ((void (*)(float *, const float *))qpucc_native_function(n))(s, x);
    for (int l = 0; l < 16; l++)
        ck_assert_float_eq(s[l], 2 * (float)l);
    done(n);
}
END_TEST

/* --- stages --------------------------------------------------------------------------------------------- */

static qpucc_program *compile(const char *vertex, const char *fragment) {
    struct qpucc_source sources[2];
    size_t count = 0;
    if (vertex)
        sources[count++] = (struct qpucc_source){"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL};
    if (fragment)
        sources[count++] =
            (struct qpucc_source){"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *p = qpucc_compile(sources, count, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
    return p;
}

static const char stage_vertex[] =
    "attribute vec3 a_position; attribute vec2 a_coordinate; uniform mat4 u_matrix; uniform vec4 u_list[3];\n"
    "uniform float u_scale; varying vec2 v_coordinate; varying vec4 v_color;\n"
    "void main() { v_coordinate = a_coordinate * u_scale; v_color = u_list[2] + u_list[0];\n"
    "  gl_Position = u_matrix * vec4(a_position, 1.0); }";
static const char stage_fragment[] =
    "precision highp float; varying vec2 v_coordinate; varying vec4 v_color; uniform float u_tint;\n"
    "void main() { if (v_coordinate.y < 0.0) discard;\n"
    "  gl_FragColor = vec4(v_coordinate, v_color.x * u_tint, 1.0); }";

START_TEST(stages) {
    char error[400] = "";
    qpucc_program *p = compile(stage_vertex, NULL), *q = compile(NULL, stage_fragment);
    native *n = qpucc_native_bind(
        p, QPUCC_VERTEX,
        "vec2 v_coordinate(vec2 a_coordinate, float u_scale, out vec4* v_color, vec4* u_list)", NULL, error,
        sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    qpucc_vec4 list[3] = {{1, 2, 3, 4}, {0, 0, 0, 0}, {10, 20, 30, 40}}, color;
    qpucc_vec2 c = FUNCTION(n, qpucc_vec2, qpucc_vec2, float, qpucc_vec4 *, qpucc_vec4 *)((qpucc_vec2){3, 5},
                                                                                          0.5f, &color, list);
    ck_assert(c.x == 1.5f && c.y == 2.5f && color.x == 11 && color.w == 44);
    done(n);
    /* the inputs in their order: attributes first */
    n = qpucc_native_bind(p, QPUCC_COORDINATE, "vec4[16](vec3[16] a_position, mat4* u_matrix)", NULL, error,
                          sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    float position[16][3], matrix[16], clip[16][4];
    for (int k = 0; k < 48; k++)
        position[k / 3][k % 3] = (float)k / 8;
    for (int k = 0; k < 16; k++)
        matrix[k] = k % 5 ? 0 : (float)(1 << k / 5);
    ((void (*)(float *, const float *, const float *))qpucc_native_function(n))(clip[0], position[0], matrix);
    for (int l = 0; l < 16; l++)
        for (int k = 0; k < 4; k++) /* rounding adds half a sixteenth of a pixel of 640 x 480 to x and y */
            ck_assert_float_eq_tol(clip[l][k], (k < 3 ? position[l][k] * matrix[5 * k] : 8),
                                   (k < 2 ? 8 / 3840.f : 1e-5f));
    done(n);
    n = qpucc_native_bind(q, QPUCC_FRAGMENT, "vec4[16](vec2[16] v_coordinate, float u_tint, vec4* v_color)",
                          NULL, error, sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    float at[16][2], out[16][4];
    for (int l = 0; l < 16; l++)
        at[l][0] = (float)l / 16, at[l][1] = l % 4 == 3 ? -1 : 0.5f;
    ((void (*)(float *, const float *, float, const float *))qpucc_native_function(n))(
        out[0], at[0], 0.5f, (float[4]){0.5f, 0, 0, 0});
    for (int l = 0; l < 16; l++) {
        bool drawn = l % 4 != 3;
        ck_assert_float_eq_tol(out[l][0], (drawn ? (float)l / 16 : 0), 1 / 255.f);
        ck_assert_float_eq_tol(out[l][2], (drawn ? 0.25f : 0), 1 / 255.f);
        ck_assert_float_eq(out[l][3], drawn ? 1 : 0);
    }
    done(n);
    n = qpucc_native_bind(q, QPUCC_FRAGMENT, "uint(vec2 v_coordinate)", NULL, error, sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    ck_assert_uint_eq(FUNCTION(n, uint32_t, qpucc_vec2)((qpucc_vec2){1, 1}), 0xff00ffff);
    done(n);
    static const struct {
        int stage;
        const char *signature, *why;
    } wrong[] = {
        {QPUCC_VERTEX, "vec2 v_coordinate(vec2 a_nothing)", "no input for 'a_nothing'"},
        {QPUCC_VERTEX, "vec2 v_nothing(vec2 a_coordinate)", "no varying for 'v_nothing'"},
        {QPUCC_VERTEX, "vec2 v_coordinate(vec3 a_coordinate)", "is vec2 in the shader"},
        {QPUCC_VERTEX, "vec3 v_coordinate(vec2 a_coordinate)", "is vec2 in the shader"},
        {QPUCC_VERTEX, "vec2 v_coordinate(int u_scale)", "is float in the shader"},
        {QPUCC_VERTEX, "vec2 v_coordinate(vec4 u_list)", "a pointer is needed"},
        {QPUCC_VERTEX, "vec2[16] v_coordinate(float[16] u_scale)", "one value for the batch"},
        {QPUCC_VERTEX, "vec2 v_coordinate(uniform vec2 a_coordinate)", "no input"},
        {QPUCC_COORDINATE, "vec2 v_coordinate(vec2 a_coordinate)", "gl_Position, a vec4"},
        {QPUCC_FRAGMENT, "vec4 gl_FragColor()", "no fragment shader"},
        {QPUCC_STAGE_COUNT, "vec4()", "no such stage"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ck_assert_ptr_null(qpucc_native_bind(p, (enum qpucc_stage)wrong[k].stage, wrong[k].signature, NULL,
                                             error, sizeof error));
        ck_assert_msg(strstr(error, wrong[k].why) != NULL, "%s: %s", wrong[k].signature, error);
    }
    ck_assert_ptr_null(qpucc_native_bind(q, QPUCC_FRAGMENT, "vec3()", NULL, error, sizeof error));
    ck_assert_ptr_null(qpucc_native_bind(NULL, QPUCC_FRAGMENT, "vec4()", NULL, error, sizeof error));
    qpucc_program_free(p);
    qpucc_program_free(q);
}
END_TEST

/* --- callbacks ------------------------------------------------------------------------------------------ */

static int calls;

static double give_double(double a, float b, int c) {
    calls++;
    return a + (double)b + c;
}
static short give_short(const short *from, unsigned char add, long long more) {
    return (short)(*from + add + (short)more);
}
static qpucc_vec3 give_vector(qpucc_vec3 v, float s) {
    return (qpucc_vec3){v.x * s, v.y * s, v.z * s};
}
static const float *give_pointer(const float *const *all, size_t which) {
    return all[which];
}
static void give_output(int32_t *out, void *user) {
    for (int k = 0; k < 4; k++)
        out[k] = ((int32_t *)user)[k] + k;
}
static bool give_bool(uint64_t a, int8_t b) {
    return a == 0x123456789abcdefu && b == -5;
}
static unsigned give_many(char a, short b, int c, long d, float e, double f, void *g, uint8_t h, uint16_t i,
                          size_t j) {
    return (unsigned)(a + b + c + d + (int)e + (int)f + (g != NULL) + h + i + (int)j);
}

static double give_it(double value) {
    return value;
}

START_TEST(converted_numbers) {
    static const struct {
        double from;
        int32_t i;
        uint32_t u;
    } cases[] = {{3e9, 0, 3000000000u},
                 {-1, -1, 0},
                 {-0.5, 0, 0},
                 {2147483520.5, 2147483520, 2147483520u},
                 {2147483648.0, 0, 2147483648u},
                 {-2147483648.5, -2147483647 - 1, 0},
                 {4294967040.5, 0, 4294967040u},
                 {4294967296.0, 0, 0},
                 {1e30, 0, 0},
                 {NAN, 0, 0}};
    char error[400] = "";
    double value = 0;
    const double *from = &value;
    qpucc_program *program = compile("#version 300 es\nuniform int i; uniform uint u; flat out ivec2 o;\n"
                                     "void main() { o = ivec2(i, int(u)); gl_Position = vec4(0.0); }",
                                     NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        value = cases[k].from;
        native *n = qpucc_native_bind(program, QPUCC_VERTEX, "ivec2 o()", NULL, error, sizeof error);
        ck_assert_msg(n != NULL, "%s", error);
        for (int other = 0; other < 2; other++)
            ck_assert(qpucc_native_provide(n, other ? "u" : "i", "double(double)",
                                           (qpucc_native_code *)give_it, (const void *const[]){from}, error,
                                           sizeof error));
        qpucc_ivec2 o = FUNCTION(n, qpucc_ivec2, void)();
        ck_assert_msg(o.x == cases[k].i && (uint32_t)o.y == cases[k].u, "%.17g: %d, %u", value, o.x,
                      (uint32_t)o.y);
        qpucc_native_free(n);
    }
    qpucc_program_free(program);
}
END_TEST

START_TEST(callbacks) {
    static const char vertex[] =
        "#version 300 es\nuniform float f; uniform int i; uniform vec3 v; uniform mat3 m; uniform ivec2 "
        "p[2];\n"
        "uniform bool b; uniform uint u; in float x; out vec4 o; flat out ivec4 q;\n"
        "void main() { o = vec4(v + m[1] * x, b ? f : -f); q = ivec4(p[0], p[1]) + ivec4(i, 0, 0, int(u));\n"
        "  gl_Position = vec4(0.0); }";
    char error[400] = "";
    qpucc_program *program = compile(vertex, NULL);
    native *n =
        qpucc_native_bind(program, QPUCC_VERTEX, "vec4 o(float x, out ivec4* q)", NULL, error, sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    double a = 1;
    float b = 0.25f, s = 2, matrices[2][9] = {{0}, {0, 0, 0, 100, 200, 300, 0, 0, 0}};
    const float *all[2] = {matrices[0], matrices[1]}, *const *pointer = all;
    int c = 3;
    short start = 40;
    const short *from = &start;
    unsigned char add = 2;
    long long more = -1;
    qpucc_vec3 v = {1, 2, 3};
    size_t which = 1;
    int32_t list[4] = {5, 6, 7, 8};
    void *user = list;
    uint64_t large = 0x123456789abcdefu;
    int8_t small = -5;
#define CODE(f) ((qpucc_native_code *)(f))
#define GIVE(uniform, signature, function, ...)                                                              \
    ck_assert_msg(qpucc_native_provide(n, uniform, signature, CODE(function),                                \
                                       (const void *const[]){__VA_ARGS__}, error, sizeof error),             \
                  "%s: %s", uniform, error)
    GIVE("f", "double(double, float, int)", give_double, &a, &b, &c);
    GIVE("i", "short (const short *from, unsigned char add, long long more)", give_short, &from, &add, &more);
    GIVE("v", "vec3(vec3, float)", give_vector, &v, &s);
    GIVE("m", "const float *(const float *const *all, size_t which)", give_pointer, &pointer, &which);
    GIVE("p", "void(out int *values, void *user)", give_output, NULL, &user);
    GIVE("b", "bool(uint64_t, int8_t)", give_bool, &large, &small);
    char ca = 1;
    short cb = 2;
    int cc = 3;
    long cd = 4;
    float ce = 5;
    double cf = 6;
    uint8_t ch = 8;
    uint16_t ci = 9;
    size_t cj = 10;
    GIVE("u", "unsigned(char, short int, int, long, float, double, void*, uint8_t, uint16_t, size_t)",
         give_many, &ca, &cb, &cc, &cd, &ce, &cf, &user, &ch, &ci, &cj);
    a = c = 0;  /* bound before */
    start = 50; /* read through its pointer at each call */
    calls = 0;
    qpucc_ivec4 q;
    qpucc_vec4 o = FUNCTION(n, qpucc_vec4, float, qpucc_ivec4 *)(2, &q);
    ck_assert(o.x == 202 && o.y == 404 && o.z == 606 && o.w == 4.25f);
    ck_assert(q.x == 5 + 51 && q.y == 7 && q.z == 9 && q.w == 11 + 49);
    list[0] = 1000;
    matrices[1][3] = 0;
    o = FUNCTION(n, qpucc_vec4, float, qpucc_ivec4 *)(2, &q);
    ck_assert(o.x == 2 && q.x == 1051);
    ck_assert_int_eq(calls, 2);
    static const struct {
        const char *uniform, *signature, *why;
    } wrong[] = {
        {"nothing", "float()", "no uniform 'nothing'"},
        {"f", "float()", "already"},
        {"x", "float()", "no uniform"},
        {"w", "vec2()", "is vec4 in the shader"},
        {"w", "void(void*)", "a result, or one output"},
        {"w", "int*(out int*)", "a result, or one output"},
        {"w", "void*()", "points to numbers"},
        {"w", "vec4(float)", "has no argument"},
        {"w", "vec4[16]()", "no batches"},
        {"w", "float", "'(' is expected"},
    };
    qpucc_native_free(n);
    qpucc_program_free(program);
    program = compile("#version 300 es\nuniform vec4 w; uniform float f; in float x; out vec4 o;\n"
                      "void main() { o = w * f * x; gl_Position = o; }",
                      NULL);
    n = qpucc_native_bind(program, QPUCC_VERTEX, "vec4 o(float x, float f)", NULL, error, sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ck_assert(!qpucc_native_provide(n, wrong[k].uniform, wrong[k].signature, CODE(give_double), NULL,
                                        error, sizeof error));
        ck_assert_msg(strstr(error, wrong[k].why) != NULL, "%s: %s", wrong[k].signature, error);
    }
    ck_assert(!qpucc_native_provide(n, "w", "vec4()", NULL, NULL, error, sizeof error));
    qpucc_native_free(n);
    qpucc_program_free(program);
}
END_TEST

/* Just above the middle of two floats, by less than a double keeps. */
static long long give_large(void) {
    return (1ll << 60) + (1ll << 36) + 1;
}
static unsigned long long give_larger(void) {
    return (1ull << 63) + (1ull << 39) + 1;
}

START_TEST(whole_numbers_are_rounded_once) {
    char error[400] = "";
    qpucc_program *program = compile("#version 300 es\nuniform float u, v; in float x; out float o, p;\n"
                                     "void main() { o = u * x; p = v * x; gl_Position = vec4(0.0); }",
                                     NULL);
    native *n =
        qpucc_native_bind(program, QPUCC_VERTEX, "float o(float x, out float *p)", NULL, error, sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    GIVE("u", "long long()", give_large, NULL);
    GIVE("v", "unsigned long long()", give_larger, NULL);
    float p;
    ck_assert(FUNCTION(n, float, float, float *)(1, &p) == 0x1.000002p60f);
    ck_assert(p == 0x1.000002p63f);
    done(n);
    qpucc_program_free(program);
}
END_TEST

/* Uniform arrays with run-time indices lie in memory; textures in the caller's. */
START_TEST(memory) {
    static const char vertex[] =
        "#version 300 es\nuniform float list[20]; uniform sampler2D t; in int i; in vec2 at; out float o;\n"
        "out vec4 c; void main() { o = list[i]; c = textureLod(t, at, 0.0); gl_Position = vec4(0.0); }";
    char error[400] = "";
    qpucc_program *program = compile(vertex, NULL);
    struct qpusim_memory *store = qpusim_memory_new(1 << 20);
    uint32_t pixels[16];
    for (int k = 0; k < 16; k++)
        pixels[k] = 0xff000000u | (uint32_t)k * 0x11;
    struct qpusim_image image = {pixels, 4, 4};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .mag = QPUSIM_MAG_NEAREST, .min = QPUSIM_MIN_NEAREST};
    struct qpusim_texture texture;
    ck_assert_int_eq(qpusim_upload_texture(store, &info, &texture), QPUSIM_OK);
    uint32_t setup[QPUCC_MAX_TEXTURES][4] = {{texture.p0, texture.p1, QPUSIM_P2_BSLOD, 0}};
    struct qpucc_native_options options = {.memory = store, .textures = (const uint32_t(*)[4])setup};
    float list[20];
    for (int k = 0; k < 20; k++)
        list[k] = (float)(k * k);
    native *n = qpucc_native_bind(program, QPUCC_VERTEX, "float o(int i, vec2 at, float* list, out vec4* c)",
                                  &options, error, sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    for (int k = 0; k < 20; k++) {
        qpucc_vec4 c;
        float (*f)(int32_t, qpucc_vec2, const float *, qpucc_vec4 *) =
            FUNCTION(n, float, int32_t, qpucc_vec2, const float *, qpucc_vec4 *);
        ck_assert_float_eq(f(k, (qpucc_vec2){(float)(k % 4) / 4 + 0.125f, 0.125f}, list, &c), (float)(k * k));
        ck_assert_float_eq_tol(c.x, (float)(k % 4) * 0x11 / 255, 0.002);
    }
    done(n);
    /* nobody gave pictures */
    n = qpucc_native_bind(program, QPUCC_VERTEX, "vec4 c(vec2 at)", NULL, error, sizeof error);
    ck_assert_ptr_nonnull(n);
    qpucc_vec4 c = FUNCTION(n, qpucc_vec4, qpucc_vec2)((qpucc_vec2){0, 0});
    ck_assert(c.x == 0 && c.w == 0);
    ck_assert(qpucc_native_failed(n, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "textures"));
    qpucc_native_free(n);
    qpusim_memory_free(store);
    qpucc_program_free(program);
}
END_TEST

/* What the machine stops gives zeros and a reason. */
START_TEST(failures_are_told) {
    struct qpusim_options machine = {.budget = 1000};
    struct qpucc_native_options options = {.machine = &machine};
    char error[400] = "";
    native *n = qpucc_native_bind_function("float f(float x) { float s = 1.0; for (int i = 0; i < 10000; "
                                           "i++) { if (s > x) break; s += 0.5; } return s; }",
                                           "f", "float(float)", &options, error, sizeof error);
    ck_assert_msg(n != NULL, "%s", error);
    float (*f)(float) = FUNCTION(n, float, float);
    ck_assert_float_eq(f(0), 1);
    ck_assert(!qpucc_native_failed(n, error, sizeof error));
    ck_assert_float_eq(f(1e6f), 0);
    ck_assert(qpucc_native_failed(n, error, sizeof error));
    ck_assert_str_ne(error, "");
    qpucc_native_free(n);
    qpucc_native_free(NULL);
}
END_TEST

/* --- texts ---------------------------------------------------------------------------------------------- */

START_TEST(wrong_signatures) {
    static const struct {
        const char *text, *error;
    } wrong[] = {
        {"", "column 1: the signature ends where a type is expected"},
        {"float", "column 6: '(' is expected here"},
        {"float(", "column 7: the signature ends where a type is expected"},
        {"float(float", "column 12: ',' or ')' is expected here"},
        {"float(float,)", "column 13: a type is expected here"},
        {"float(float))", "column 13: nothing is expected after the signature"},
        {"flaot(float)", "column 1: there is no type 'flaot' here"},
        {"float(double)", "column 7: there is no type 'double' here"},
        {"float(vec5)", "column 7: there is no type 'vec5' here"},
        {"void(float)", "column 1: nothing comes back: no result and no output"},
        {"float*(float)", "column 1: a result is a value or a batch, not a pointer"},
        {"float(void*)", "column 7: void is no parameter's type"},
        {"float(void, float)", "column 7: void is no parameter's type"},
        {"float(out float)", "column 11: an output is a pointer or a batch"},
        {"float(vec3**)", "column 12: a pointer to a pointer is no parameter of a shader"},
        {"float[8](float)", "column 7: a batch has [16] values"},
        {"float[](float)", "column 7: a batch has [16] values"},
        {"float[99999999999999999999](float)", "column 7: a batch has [16] values"},
        {"void[16](float[16], out float[16])", "column 5: there is no batch of void"},
        {"float(void[16])", "column 11: there is no batch of void"},
        {"float[16(float)", "column 9: ']' is expected here"},
        {"float[16](vec3*[16])", "column 16: a batch is a pointer already"},
        {"float(float[16])", "column 1: the result of a batch is a batch"},
        {"float[16](float[16], out vec2*)", "column 22: the outputs of a batch are batches"},
        {"float[16](uniform float[16])", "column 19: a uniform has one value for the whole batch"},
        {"float(float a, float a)", "column 16: 'a' is the name of two parameters"},
        {"float(float,float,float,float,float,float,float,float,float,float,float,float,float,float,float,"
         "float,float)",
         "column 103: more than 16 parameters"},
        {"float(float 3)", "column 13: ',' or ')' is expected here"},
        {"float(float a b)", "column 15: ',' or ')' is expected here"},
        {"float(uniform out float*)", "column 15: there is no type 'out' here"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char error[400] = "", small[9];
        ck_assert_ptr_null(qpucc_native_bind_function("", "f", wrong[k].text, NULL, error, sizeof error));
        ck_assert_str_eq(error, wrong[k].error);
        ck_assert_ptr_null(qpucc_native_bind_function("", "f", wrong[k].text, NULL, small, sizeof small));
        ck_assert_uint_lt(strlen(small), sizeof small);
        ck_assert_ptr_null(qpucc_native_bind_function("", "f", wrong[k].text, NULL, NULL, 0));
    }
    char error[400];
    ck_assert_ptr_null(qpucc_native_bind_function("float f(float x) { return y; }", "f", "float(float)", NULL,
                                                  error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "line 1"));
    ck_assert_ptr_null(qpucc_native_bind_function("float f(float x) { return x; }", "g", "float(float)", NULL,
                                                  error, sizeof error));
    ck_assert_ptr_null(qpucc_native_bind_function("float f(float x) { return x; }", "f(1.0); //",
                                                  "float(float)", NULL, error, sizeof error));
    ck_assert_ptr_null(qpucc_native_bind_function(
        "float f(mat4 a, mat4 b, float c) { return c * a[0][0] * b[1][1] + dot(a[3], b[3]); }", "f",
        "float(mat4*, int, float)", NULL, error, sizeof error));
}
END_TEST

/* No text crashes the reader: texts of the grammar's own pieces, and good ones with a few characters changed.
 */
START_TEST(any_text) {
    static const char *const pieces[] = {
        "float", "vec3", "mat4",  "int",    "bool",     "void",  "*",      "[16]",    "[",    "]",
        "(",     ")",    ",",     " ",      "out",      "inout", "const",  "uniform", "a",    "u_b[1].c",
        "16",    "\t",   "uvec2", "mat2x3", "unsigned", "long",  "double", "size_t",  "\xff", "%s"};
    static const char good[] = "vec3[16] f(const float[16] x, uniform mat4* m, out vec2[16] v, bool b)";
    static const char vertex[] = "#version 300 es\nuniform float f; in float x; out vec4 o;\n"
                                 "void main() { o = vec4(x + f); gl_Position = o; }";
    char error[400];
    qpucc_program *program = compile(vertex, NULL);
    native *n = qpucc_native_bind(program, QPUCC_VERTEX, "vec4 o(float x)", NULL, error, sizeof error);
    uint64_t state = 11;
    unsigned accepted = 0;
    for (int k = 0; k < 20000; k++) {
        char text[400] = "";
        if (k % 2) {
            unsigned count = (unsigned)(random_word(&state) % 16);
            for (unsigned i = 0; i < count; i++)
                strcat(text, pieces[random_word(&state) % (sizeof pieces / sizeof *pieces)]);
        } else {
            strcpy(text, good);
            for (unsigned i = 0, changes = 1 + (unsigned)(random_word(&state) % 3); i < changes; i++)
                text[random_word(&state) % (sizeof good - 1)] = (char)(random_word(&state) % 128);
        }
        native *bound = qpucc_native_bind(program, QPUCC_VERTEX, text, NULL, error, sizeof error);
        accepted += bound != NULL;
        qpucc_native_free(bound);
        /* an argument that is missing stops what the reader let through */
        if (strchr(text, '(') && strncmp(text, "float()", 7) != 0)
            qpucc_native_provide(n, "f", text, CODE(give_double), NULL, error, sizeof error);
    }
    ck_assert_uint_lt(accepted, 20000);
    qpucc_native_free(n);
    qpucc_program_free(program);
}
END_TEST

/* --- threads -------------------------------------------------------------------------------------------- */

struct job {
    native *scalar, *batch, *storage;
    unsigned number, wrong;
};

static const float *squares(void) {
    static const float list[4] = {0, 1, 4, 9};
    return list;
}

static void *work(void *user) {
    struct job *job = user;
    float (*scalar)(float, float) = FUNCTION(job->scalar, float, float, float);
    void (*batch)(float *, const float *) =
        (void (*)(float *, const float *))qpucc_native_function(job->batch);
    float (*storage)(int32_t) = FUNCTION(job->storage, float, int32_t);
    for (int k = 0; k < 150; k++) {
        float x[16], r[16], a = (float)((unsigned)k * 7 + job->number);
        for (int l = 0; l < 16; l++)
            x[l] = a + (float)l;
        batch(r, x);
        for (int l = 0; l < 16; l++)
            job->wrong += r[l] != 2 * x[l] + 1;
        job->wrong += scalar(a, 3) != a * 3;
        job->wrong += storage(k & 3) != (float)((k & 3) * (k & 3));
    }
    return NULL;
}

START_TEST(many_threads) {
    enum { THREADS = 8 };
    char error[400] = "";
    struct qpusim_memory *store = qpusim_memory_new(1 << 16);
    struct qpucc_native_options options = {.memory = _i ? store : NULL};
    struct job job[THREADS];
    pthread_t thread[THREADS];
    native *scalar = bind("float f(float x, float y) { return x * y; }", "f", "float(float,float)"),
           *batch = bind("float f(float x) { return 2.0 * x + 1.0; }", "f", "float[16](float[16])"),
           *storage = qpucc_native_bind_function("uniform float list[4]; float f(int i) { return list[i]; }",
                                                 "f", "float(int)", &options, error, sizeof error);
    ck_assert_msg(storage != NULL, "%s", error);
    ck_assert_msg(
        qpucc_native_provide(storage, "list", "const float*()", CODE(squares), NULL, error, sizeof error),
        "%s", error);
    for (unsigned k = 0; k < THREADS; k++) {
        job[k] = (struct job){scalar, batch, storage, k, 0};
        ck_assert_int_eq(pthread_create(&thread[k], NULL, work, &job[k]), 0);
    }
    for (unsigned k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        ck_assert_uint_eq(job[k].wrong, 0);
    }
    done(scalar);
    done(batch);
    done(storage);
    qpusim_memory_free(store);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("native");
    TCase *tests = tcase_create("native");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, scalars);
    tcase_add_test(tests, vectors);
    tcase_add_test(tests, matrices);
    tcase_add_test(tests, outputs_and_uniforms);
    tcase_add_loop_test(tests, random_signatures, 0, 4);
    tcase_add_test(tests, batches);
    tcase_add_test(tests, stages);
    tcase_add_test(tests, callbacks);
    tcase_add_test(tests, converted_numbers);
    tcase_add_test(tests, whole_numbers_are_rounded_once);
    tcase_add_test(tests, memory);
    tcase_add_test(tests, failures_are_told);
    tcase_add_test(tests, wrong_signatures);
    tcase_add_test(tests, any_text);
    tcase_add_loop_test(tests, many_threads, 0, 2);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
