/* A line for each shader pair that tells all its code: two compilers built differently must print the same.
 *
 *     hosts [-O LEVEL] [--expressions N] A.vert B.vert ...       (with A.frag, B.frag beside them)
 *
 * A line: the pair's name, its status and, of each stage, the instructions and a hash of code, uniform stream
 * and source lines; the hash of the diagnostics. --expressions adds a pair for each function of the language
 * on varyings, and N on constants. Needs nothing but the compiler, so that it is easily built for another
 * host (tools/hosts.sh). */
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(uint64_t from, const void *data, size_t size) {
    const uint8_t *at = data;
    for (size_t i = 0; i < size; i++)
        from = (from ^ at[i]) * 0x100000001b3u;
    return from;
}

static uint64_t hash_text(uint64_t from, const char *text) {
    return text ? hash(from, text, strlen(text) + 1) : from;
}

static uint64_t hash_words(uint64_t from, const uint32_t *word, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            from = hash(from, &(uint8_t){(uint8_t)(word[i] >> 8 * k)}, 1);
    return from;
}

/* What expressions over uniforms give is the compiler's work, too. */
static uint64_t hash_stream(uint64_t from, const qpucc_program *program, enum qpucc_stage stage) {
    size_t count = qpucc_uniforms_size(program, stage),
           words = qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_PACKED) / 4;
    uint32_t *out = calloc(count + 1, sizeof *out), *uniforms = calloc(words + 1, sizeof *uniforms);
    uint32_t textures[64][4] = {{0}};
    for (size_t i = 0; i < words; i++) {
        float value = 0.37f + 0.11f * (float)(i % 97);
        memcpy(&uniforms[i], &value, sizeof value);
    }
    struct qpucc_draw_values values = {.uniforms = uniforms, .textures = (const uint32_t(*)[4])textures};
    qpucc_draw_state_viewport(&values.state, 640, 480, 0, 1, 480, false);
    qpucc_uniforms_fill(program, stage, &values, out);
    from = hash_words(from, out, count);
    for (size_t i = 0; i < count; i++)
        from = hash_text(from, qpucc_uniform_text(program, stage, i));
    free(out);
    free(uniforms);
    return from;
}

static void tell(const char *name, const struct qpucc_source sources[2], int level) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
    uint64_t said = 0xcbf29ce484222325u;
    printf("%s %d", name, program ? (int)qpucc_program_status(program) : -1);
    for (int s = 0; program && s < QPUCC_STAGE_COUNT; s++) {
        size_t count = 0;
        const uint64_t *code = qpucc_program_code(program, s, &count);
        const uint32_t *lines = qpucc_program_lines(program, s);
        uint64_t made = 0xcbf29ce484222325u;
        for (size_t i = 0; i < count; i++)
            made = hash_words(made, (uint32_t[2]){(uint32_t)code[i], (uint32_t)(code[i] >> 32)}, 2);
        if (code)
            made = hash_words(hash_stream(made, program, s), lines, lines ? count : 0);
        printf(" %zu:%016llx", count, (unsigned long long)made);
    }
    for (size_t i = 0; program && i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        said = hash_words(hash_text(said, d->text), (uint32_t[2]){d->line, d->column}, 2);
    }
    printf(" %016llx\n", (unsigned long long)said);
    qpucc_program_free(program);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, got;
    if (!file)
        return NULL;
    do {
        text = realloc(text, length + 65536);
        length += got = fread(text + length, 1, 65536, file);
    } while (got);
    fclose(file);
    *size = length;
    return text;
}

static void tell_files(char *vertex, int level) {
    size_t length = strlen(vertex), size[2] = {0};
    char *fragment = malloc(length + 1);
    memcpy(fragment, vertex, length + 1);
    memcpy(fragment + length - 4, "frag", 4);
    char *text[2] = {read_file(vertex, &size[0]), read_file(fragment, &size[1])};
    if (!text[0] || !text[1]) {
        fprintf(stderr, "%s or %s: cannot be read\n", vertex, fragment);
        exit(1);
    }
    char *name = strrchr(vertex, '/') ? strrchr(vertex, '/') + 1 : vertex;
    const struct qpucc_source sources[2] = {{name, text[0], size[0], QPUCC_VERTEX, QPUCC_GLSL},
                                            {name, text[1], size[1], QPUCC_FRAGMENT, QPUCC_GLSL}};
    tell(name, sources, level);
    free(text[0]);
    free(text[1]);
    free(fragment);
}

/* Every function of the language, on values known at compile time (variables, so that our own passes fold
 * them and not glslang) or on varyings. `x` and `y` are floats, `i` and `j` integers, `p` and `q` vectors,
 * `m` matrices. */
static const char *const expressions[] = {"sin(x)",
                                          "cos(x)",
                                          "tan(x)",
                                          "asin(0.1 * x)",
                                          "acos(0.1 * x)",
                                          "atan(x)",
                                          "atan(x - 3.0, y)",
                                          "exp(x)",
                                          "exp2(x)",
                                          "log(x)",
                                          "log2(x)",
                                          "sqrt(x)",
                                          "inversesqrt(x)",
                                          "pow(x, y)",
                                          "mod(x, y)",
                                          "x / y",
                                          "floor(x)",
                                          "ceil(x)",
                                          "trunc(x)",
                                          "round(x)",
                                          "roundEven(y)",
                                          "fract(x)",
                                          "sign(x - y)",
                                          "abs(x)",
                                          "smoothstep(0.2 * y, x, 1.5)",
                                          "mix(x, y, 0.3)",
                                          "clamp(x, y, 4.0)",
                                          "step(x, y)",
                                          "sinh(x)",
                                          "cosh(x)",
                                          "tanh(x)",
                                          "asinh(x)",
                                          "acosh(1.0 + x)",
                                          "atanh(0.1 * x)",
                                          "length(p - q)",
                                          "distance(p, q)",
                                          "dot(p, q)",
                                          "normalize(p).x",
                                          "cross(p, q).y",
                                          "reflect(p, q).z",
                                          "refract(p, normalize(q), 0.7).x",
                                          "faceforward(p, q, p.zxy).y",
                                          "determinant(m)",
                                          "determinant(mat2(m))",
                                          "determinant(mat4(m))",
                                          "inverse(m)[1].x",
                                          "inverse(mat2(m))[0].y",
                                          "inverse(mat4(m))[2].z",
                                          "transpose(m)[0].y",
                                          "(m * p).x",
                                          "(p * m).y",
                                          "(m * m)[1].y",
                                          "outerProduct(p, q)[1].x",
                                          "float(i / j)",
                                          "float(i % j)",
                                          "float(uint(i) / uint(j))",
                                          "float(uint(i) % 7u)",
                                          "float(i * j)",
                                          "float(uint(x * 1000.0))",
                                          "float(i << 3)",
                                          "float(i ^ j)",
                                          "float(min(uint(i), uint(j)))",
                                          "intBitsToFloat(i)",
                                          "float(floatBitsToInt(x))",
                                          "float(packSnorm2x16(p.xy))",
                                          "float(packUnorm2x16(p.xy))",
                                          "float(packHalf2x16(p.xy))",
                                          "unpackSnorm2x16(uint(i)).x",
                                          "unpackUnorm2x16(uint(i)).y",
                                          "unpackHalf2x16(uint(i)).y",
                                          "float(isnan(x))",
                                          "dFdx(x)",
                                          "fwidth(y)",
                                          "a[i & 7]",
                                          "texture(s, p.xy).x",
                                          "textureLod(s, p.xy, x).y",
                                          "textureGrad(s, p.xy, q.xy, p.yz).z",
                                          "texelFetch(s, ivec2(i, j), 0).x",
                                          "textureOffset(s, p.xy, ivec2(1, 2)).w",
                                          "textureProj(s, p).x",
                                          "float(textureSize(s, 1).x)",
                                          "gl_FragCoord.x",
                                          "gl_FragCoord.z",
                                          "gl_FragCoord.w",
                                          "float(gl_FrontFacing)"};

static void tell_expression(size_t which, uint32_t seed, bool constant, int level) {
    static const char vertex[] =
        "#version 300 es\nin vec4 p; out vec4 v; void main() { v = p; gl_Position = p; }";
    const char *by = constant ? "1.0" : "v.x", *also = constant ? "1.0" : "v.y";
    char text[4096], name[40];
    unsigned n[4];
    for (int k = 0; k < 4; k++)
        n[k] = (seed = seed * 1664525 + 1013904223) >> 9;
    int length =
        snprintf(text, sizeof text,
                 "#version 300 es\nprecision highp float;\nin vec4 v;\nout vec4 color;\n"
                 "uniform sampler2D s;\nvoid main() {\n"
                 "    float one = %s, two = %s, x = %u.%07u * one, y = %u.%07u * two, a[8];\n"
                 "    int i = int(%u.0 * one), j = int(%u.0 * two) + 1;\n"
                 "    vec3 p = vec3(x, y, one), q = vec3(y - 2.0, 0.3 * x, two * two);\n"
                 "    mat3 m = mat3(p, q, vec3(two, x, 0.5));\n"
                 "    for (int k = 0; k < 8; k++) a[k] = x + float(k) * y;\n    a[j & 7] = 2.5 * y;\n"
                 "    color = vec4(%s);\n}\n",
                 by, also, n[0] % 6, n[0], n[1] % 4 + 1, n[1], n[2] % 100000, n[3] % 300, expressions[which]);
    snprintf(name, sizeof name, "%s-%zu-%u", constant ? "folded" : "emitted", which, seed);
    const struct qpucc_source sources[2] = {{name, vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                            {name, text, (size_t)length, QPUCC_FRAGMENT, QPUCC_GLSL}};
    tell(name, sources, level);
}

static void tell_expressions(uint32_t rounds, int level) {
    for (size_t k = 0; k < sizeof expressions / sizeof *expressions; k++) {
        tell_expression(k, (uint32_t)k, false, level);
        for (uint32_t n = 0; n < rounds; n++)
            tell_expression(k, n, true, level);
    }
}

int main(int argc, char **argv) {
    int level = 2;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "-O") && i + 1 < argc)
            level = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--expressions") && i + 1 < argc)
            tell_expressions((uint32_t)atoi(argv[++i]), level);
        else if (strlen(argv[i]) > 5)
            tell_files(argv[i], level);
    return 0;
}
