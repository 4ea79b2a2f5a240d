/* libqpucc_native: shaders as C functions.
 *
 * A stage of a compiled program, or one GLSL function, becomes an ordinary C function pointer. Calling it
 * runs the compiled code on libqpusim, for one lane or for a batch of sixteen. Uniforms come from arguments,
 * or from C functions of any signature that are called before each run. It is made for tests: GLSL in, C out.
 *
 *     struct qpucc_native *f = qpucc_native_bind_function(
 *         "float half_of(float x) { return 0.5 * x; }", "half_of", "float(float)", NULL, error,
 *         sizeof error);
 *     float (*half_of)(float) = (float (*)(float))qpucc_native_function(f);
 *     half_of(3);
 *
 * A signature is text:
 *
 *     type [name] "(" [parameter {"," parameter}] ")"     parameter: [const|in|out|inout|uniform] type [name]
 *
 * with at most QPUCC_NATIVE_PARAMETERS parameters. A type is void (as a result), or one of
 *
 *     GLSL                          C, by value                     vec3*                 vec3[16]
 *     float, int, uint, bool        float, int32_t, uint32_t, bool  pointer to one        pointer to sixteen
 *     vec2..4, ivec*, uvec*, bvec*  struct of 2 to 4 of these       pointer to the first  pointer to the
 *     mat2..4, mat2x3 ...           struct of all floats, column    component             first component
 *                                   after column
 *
 * Structures hold their components and nothing else (qpucc_vec3 and so on below), arrays of sixteen are
 * tightly packed. "[16]" makes a batch: then the result and all outputs must have it, inputs without it are
 * the same in all lanes, and the C function returns nothing and takes the pointer to its results as its first
 * parameter. Outputs (out, inout) must be pointers or batches.
 *
 * Everything here is thread-safe as long as qpucc_native_provide and qpucc_native_free have the object to
 * themselves: any number of threads may call a bound function at once. */
#ifndef QPUCC_NATIVE_H
#define QPUCC_NATIVE_H

#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QPUCC_NATIVE_PARAMETERS 16

struct qpucc_native;

/* Any function; cast it to what the signature says. */
typedef void qpucc_native_code(void);

typedef struct {
    float x, y;
} qpucc_vec2;
typedef struct {
    float x, y, z;
} qpucc_vec3;
typedef struct {
    float x, y, z, w;
} qpucc_vec4;
typedef struct {
    int32_t x, y;
} qpucc_ivec2;
typedef struct {
    int32_t x, y, z;
} qpucc_ivec3;
typedef struct {
    int32_t x, y, z, w;
} qpucc_ivec4;
typedef struct {
    uint32_t x, y;
} qpucc_uvec2;
typedef struct {
    uint32_t x, y, z;
} qpucc_uvec3;
typedef struct {
    uint32_t x, y, z, w;
} qpucc_uvec4;
typedef struct {
    bool x, y;
} qpucc_bvec2;
typedef struct {
    bool x, y, z;
} qpucc_bvec3;
typedef struct {
    bool x, y, z, w;
} qpucc_bvec4;
typedef struct {
    float m[2][2]; /* m[column][row] */
} qpucc_mat2;
typedef struct {
    float m[3][3];
} qpucc_mat3;
typedef struct {
    float m[4][4];
} qpucc_mat4;

/* How a bound function runs. Zero is the default everywhere; what the pointers point to is borrowed until
 * qpucc_native_free. */
struct qpucc_native_options {
    const struct qpucc_options *compile; /* bind_function: NULL for the defaults, with uniform arithmetic kept
                                            in the shader */
    const struct qpusim_options *machine; /* trace, budget, lenient and so on; called from many threads, its
                                             counters must be NULL */
    struct qpusim_memory *memory;         /* with the textures; runs only read it */
    const uint32_t (*textures)[4];        /* as in struct qpucc_draw_values */
    struct qpucc_draw_state state;        /* as there; where all of it is zero, a viewport of 640 x 480 */
};

/* Binds a stage of a program, which must outlive the result. The result of the signature is one output of the
 * stage, its parameters are inputs, or more outputs if they say out:
 *
 * - inputs are attributes (vertex and coordinate shader) or varyings (fragment shader), else uniforms. A name
 *   says which; parameters without one take those inputs that no name took, in the order of the program's
 *   tables, uniforms last. Uniforms can't be batches. Arrays are pointers: "vec4* u_bones" is all of it;
 * - outputs are varyings of a vertex shader; gl_Position, as clip coordinates, of a coordinate shader; and of
 *   a fragment shader its colour, as vec4 or as the packed word (uint), which is 0 where a fragment was
 *   discarded. The result takes the name of the function in the signature, "vec4 v_color(...)", or the first.
 *
 * Inputs that no parameter names are zero, uniforms without one have their initial values. Returns NULL with
 * the reason in `error`. */
struct qpucc_native *qpucc_native_bind(const qpucc_program *program, enum qpucc_stage stage,
                                       const char *signature, const struct qpucc_native_options *options,
                                       char *error, size_t error_size);

/* Compiles `glsl` and binds its function `name`. Parameters are the function's, in order and with their
 * types; "uniform" makes an argument a uniform of the shader, everything else differs from lane to lane.
 * Without a #version line the text is OpenGL ES's 3.00 with precision highp. There is room for eight vectors
 * of input, where a scalar takes one and a matrix one for each column, and for 32 words of output. */
struct qpucc_native *qpucc_native_bind_function(const char *glsl, const char *name, const char *signature,
                                                const struct qpucc_native_options *options, char *error,
                                                size_t error_size);
void qpucc_native_free(struct qpucc_native *native);

/* The C function, valid until qpucc_native_free. */
qpucc_native_code *qpucc_native_function(const struct qpucc_native *native);

/* What the bound code is compiled to. */
const qpucc_program *qpucc_native_program(const struct qpucc_native *native);

/* A run that the machine stops gives zeros. Was there one? Writes the first one's reason; "" if there was
 * none. */
bool qpucc_native_failed(struct qpucc_native *native, char *error, size_t error_size);

/* Before each run, `callback` is called for the value of a uniform that is no parameter. The signature is the
 * callback's own, of C: beside the types above (as structures by value, or pointers), parameters and result
 * may be char, short, int, long, long long, signed or unsigned, size_t, int8_t to uint64_t, float, double,
 * and pointers to any of these or to void. Arguments are bound here: arguments[i] points to the value of
 * parameter i, which is copied (a pointer's target is not). The value is
 *
 * - the result, a number (converted to the uniform's type as C does; a float that does not fit an int or uint
 *   is 0) or a GLSL type that is the uniform's;
 * - a result that points to components of the uniform's base type, as many as the uniform has; NULL: zeros;
 * - or, of a void function, what it writes to its one parameter that says out, a pointer to such components.
 *   That one needs no argument: arguments[i] is ignored.
 *
 * Callbacks are called in the order in which they were provided, from the thread that calls the bound
 * function. */
bool qpucc_native_provide(struct qpucc_native *native, const char *uniform, const char *signature,
                          qpucc_native_code *callback, const void *const *arguments, char *error,
                          size_t error_size);

#ifdef __cplusplus
}
#endif

#endif
