/* Shader objects: each read alone, and linked to what qpucc_compile makes of both. */
#include "tests/compiler/pairs.h"
#include "tests/compiler/program_equal.h"
#include "tests/compiler/shader_objects.h"

#include <pthread.h>
#include <unistd.h>

/* The program goes on without its shaders. */
static qpucc_program *link_with(uint32_t flags, const char *vertex, const char *fragment,
                                const struct qpucc_state *state, const struct qpucc_options *options) {
    qpucc_shader *list[2] = {NULL};
    size_t count = 0;
    if (vertex)
        list[count++] = with_flags(QPUCC_VERTEX, vertex, flags);
    if (fragment)
        list[count++] = with_flags(QPUCC_FRAGMENT, fragment, flags);
    qpucc_program *linked = qpucc_link((const qpucc_shader *const *)list, count, state, options);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(qpucc_shader_status(list[i]) == QPUCC_OK, "%s",
                      qpucc_shader_diagnostic_count(list[i]) ? qpucc_shader_diagnostic(list[i], 0)->text
                                                             : "");
        qpucc_shader_free(list[i]);
    }
    return linked;
}

/* Linked and compiled at once: the same, whichever way the linker took, and whenever shaders were read. */
static void expect_linked(const char *vertex, const char *fragment, const struct qpucc_state *state,
                          const struct qpucc_options *options) {
    qpucc_program *linked = link_with(0, vertex, fragment, state, options),
                  *late = link_with(QPUCC_READ_LATER, vertex, fragment, state, options),
                  *whole = compile_with(vertex, fragment, state, options);
    const char *differs = code_difference(linked, whole);
    differs = differs ? differs : code_difference(late, whole);
    ck_assert_msg(!differs, "%s in\n%s\n%s", differs, vertex ? vertex : "", fragment ? fragment : "");
    qpucc_program_free(late);
    const struct qpucc_state other = {.depth_test = 1, .flip_y = 1};
    if (qpucc_program_status(linked) == QPUCC_OK) {
        qpucc_program *a = qpucc_variant(linked, &other), *b = qpucc_variant(whole, &other);
        differs = code_difference(a, b);
        ck_assert_msg(!differs, "variant: %s", differs);
        qpucc_program_free(a);
        qpucc_program_free(b);
    }
    qpucc_program_free(linked);
    qpucc_program_free(whole);
}

START_TEST(pairs_are_linked) {
    for (size_t i = 0; i < PAIRS; i++)
        for (int level = 0; level < 3; level++) {
            struct qpucc_options o = qpucc_options_default();
            struct qpucc_state state = {.flat_shade = level == 1};
            o.opt_level = level;
            expect_linked(pairs[i].vertex, pairs[i].fragment, &state, &o);
        }
}
END_TEST

#define V "attribute vec4 p; void main() { gl_Position = p; "
#define F "precision mediump float; void main() { gl_FragColor = "

/* What has to agree, agreeing and not: the words are qpucc_compile's. */
START_TEST(what_does_not_fit_is_said) {
    static const char *const list[][2] = {
        {"varying vec2 v;" V "v = p.xy; }", "varying mediump vec2 v;" F "v.xyxy; }"},
        {"varying vec2 v;" V "v = p.xy; }", "varying mediump vec3 v;" F "v.xyzz; }"},
        {"varying vec2 w;" V "w = p.xy; }", "varying mediump vec2 v;" F "v.xyxy; }"},
        {"varying vec2 w;" V "w = p.xy; }", "varying mediump vec2 v;" F "vec4(1.0); }"},
        {"varying vec2 v[3];" V "v[0] = v[1] = v[2] = p.xy; }",
         "varying mediump vec2 v[3];" F "v[2].xyxy; }"},
        {"varying vec2 v[3];" V "v[0] = v[1] = v[2] = p.xy; }",
         "varying mediump vec2 v[2];" F "v[1].xyxy; }"},
        {"const int N = 3; varying vec2 v[N];" V "v[0] = v[1] = v[2] = p.xy; }",
         "const int N = 2; varying mediump vec2 v[N];" F "v[1].xyxy; }"},
        {"invariant varying vec2 v;" V "v = p.xy; }", "varying mediump vec2 v;" F "v.xyxy; }"},
        {"invariant varying vec2 v;" V "v = p.xy; }", "invariant varying mediump vec2 v;" F "v.xyxy; }"},
        {"#pragma STDGL invariant(all)\nvarying vec2 v;" V "v = p.xy; }",
         "varying mediump vec2 v;" F "v.xyxy; }"},
        {"" V "}", "invariant gl_FragCoord;" F "gl_FragCoord; }"},
        {"invariant gl_Position;" V "}", "invariant gl_FragCoord;" F "gl_FragCoord; }"},
        {"uniform mediump float u;" V "gl_Position *= u; }", "uniform mediump float u;" F "vec4(u); }"},
        {"uniform float u;" V "gl_Position *= u; }", "uniform mediump float u;" F "vec4(u); }"},
        {"uniform float u;" V "gl_Position *= u; }", "uniform mediump float u;" F "vec4(1.0); }"},
        {"uniform vec2 u;" V "gl_Position.xy *= u; }", "uniform mediump float u;" F "vec4(u); }"},
        {"struct S { mediump float a, b; }; uniform S u;" V "gl_Position *= u.a * u.b; }",
         "struct S { mediump float a, b; }; uniform S u;" F "vec4(u.a + u.b); }"},
        {"struct S { mediump float a, b; }; uniform S u;" V "gl_Position *= u.a * u.b; }",
         "struct S { mediump float b, a; }; uniform S u;" F "vec4(u.a + u.b); }"},
        {"struct S { mediump float a, b; }; uniform S u;" V "gl_Position *= u.a * u.b; }",
         "struct S { mediump float a, b, c; }; uniform S u;" F "vec4(u.a + u.b); }"},
        {"struct S { mediump float a; }; uniform S u;" V "gl_Position *= u.a; }",
         "struct S { mediump float z, a; }; uniform S u;" F "vec4(u.a); }"},
        {"uniform float v;" V "gl_Position *= v; }", "varying mediump float v;" F "vec4(v); }"},
        {"varying vec4 a, b, c, d, e, f, g, h, i;" V "a = b = c = d = e = f = g = h = i = p; }",
         "varying mediump vec4 a, i;" F "a + i; }"},
        {"varying vec4 a, b, c, d, e, f, g, h, i;" V "a = b = c = d = e = f = g = h = i = p; }", NULL},
        {"uniform sampler2D s;" V "gl_Position += texture2D(s, p.xy); }",
         "uniform sampler2D t, s;" F "texture2D(s, gl_PointCoord) + texture2D(t, gl_PointCoord); }"},
        {"#version 100\n" V "}",
         "#version 300 es\nprecision mediump float; out vec4 o; void main() { o = vec4(1.0); }"},
        {"#version 300 es\nin vec4 p; layout(std140) uniform B { vec4 c; }; void main() { gl_Position = p + "
         "c; }",
         "#version 300 es\nprecision mediump float; layout(std140) uniform B { vec4 c; }; out vec4 o;\n"
         "void main() { o = c; }"},
        {"#version 300 es\nin vec4 p; flat out vec4 v; void main() { gl_Position = v = p; }",
         "#version 300 es\nprecision mediump float; in vec4 v; out vec4 o; void main() { o = v; }"},
        {"#version 120\nvarying vec2 v[2]; void main() { gl_Position = ftransform(); v[0] = v[1] = "
         "gl_Vertex.xy; }",
         "#version 120\nvarying vec2 v[2]; varying vec3 w; void main() { gl_FragColor = v[1].xyxy; }"},
        {"#version 120\nvarying vec2 v; void main() { gl_Position = ftransform(); v = gl_Vertex.xy; }",
         "#version 110\nvarying vec2 v; void main() { gl_FragColor = v.xyxy; }"},
        {"#version 330\nin vec4 p; out B { vec4 a; }; void main() { gl_Position = a = p; }",
         "#version 330\nin B { flat vec4 a; }; out vec4 o; void main() { o = a; }"},
        {"#version 300 es\nin vec4 p; uniform B { vec4 c; }; void main() { gl_Position = p + c; }",
         "#version 300 es\nuniform highp vec4 c; out highp vec4 o; void main() { o = c; }"},
        {"#version 330\nin vec4 p; noperspective out vec4 a; void main() { gl_Position = a = p; }",
         "#version 330\nin vec4 a; out vec4 o; void main() { o = a; }"},
        {NULL, "varying mediump vec4 a, b, c, d, e, f, g, h;" F "a + b + c + d + e + f + g + h; }"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        expect_linked(list[i][0], list[i][1], NULL, NULL);
}
END_TEST

/* --- what a shader says of itself ----------------------------------------------------------------------- */

START_TEST(errors_are_the_shaders) {
    qpucc_shader *good = shader(QPUCC_VERTEX, plain_vertex),
                 *bad = shader(QPUCC_FRAGMENT, "void main() { gl_FragColor = vec4(none); }\n");
    ck_assert_int_eq(qpucc_shader_status(good), QPUCC_OK);
    ck_assert_uint_eq(qpucc_shader_diagnostic_count(good), 0);
    ck_assert_ptr_null(qpucc_shader_diagnostic(good, 0));
    ck_assert_int_eq(qpucc_shader_status(bad), QPUCC_SOURCE_ERROR);
    const struct qpucc_diagnostic *d = qpucc_shader_diagnostic(bad, 0);
    ck_assert_str_eq(d->file, "a.frag");
    ck_assert_uint_eq(d->line, 1);
    ck_assert_ptr_nonnull(strstr(d->text, "none"));
    const qpucc_shader *list[] = {good, bad};
    qpucc_program *program = qpucc_link(list, 2, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_SOURCE_ERROR);
    ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->code, "link");
    ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->text, "the fragment shader has errors");
    qpucc_program_free(program);
    qpucc_shader_free(good);
    qpucc_shader_free(bad);
    qpucc_shader_free(NULL);
}
END_TEST

static void expect_usage(qpucc_program *p, const char *text) {
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "usage");
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->text, text);
    qpucc_program_free(p);
}

static void expect_shader_usage(qpucc_shader *s, const char *text) {
    ck_assert_int_eq(qpucc_shader_status(s), QPUCC_SOURCE_ERROR);
    ck_assert_uint_eq(qpucc_shader_diagnostic_count(s), 1);
    ck_assert_str_eq(qpucc_shader_diagnostic(s, 0)->code, "usage");
    ck_assert_str_eq(qpucc_shader_diagnostic(s, 0)->text, text);
    const qpucc_shader *list[] = {s};
    qpucc_program *program = qpucc_link(list, 1, NULL, NULL);
    ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->text, "shaders[0] was refused");
    qpucc_program_free(program);
    qpucc_shader_free(s);
}

/* What is wrong with it is said by whoever asks first, and by all after that. */
START_TEST(unread_shaders_have_errors) {
    qpucc_shader *good = unread(QPUCC_VERTEX, plain_vertex),
                 *bad = unread(QPUCC_FRAGMENT, "void main() { none; }"),
                 *never = unread(QPUCC_FRAGMENT, "nor this");
    const qpucc_shader *list[] = {good, bad};
    qpucc_program *program = qpucc_link(list, 2, NULL, NULL);
    ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->text, "the fragment shader has errors");
    ck_assert_int_eq(qpucc_shader_status(bad), QPUCC_SOURCE_ERROR);
    ck_assert_ptr_nonnull(strstr(qpucc_shader_diagnostic(bad, 0)->text, "none"));
    qpucc_program_free(program);
    qpucc_shader_free(good);
    qpucc_shader_free(bad);
    qpucc_shader_free(never);
}
END_TEST

START_TEST(arguments_are_checked) {
    qpucc_shader *v = shader(QPUCC_VERTEX, plain_vertex);
    const qpucc_shader *twice[] = {v, v}, *hole[] = {v, NULL};
    struct qpucc_options o = qpucc_options_default();
    expect_usage(qpucc_link(NULL, 2, NULL, NULL), "shaders is NULL, but count is 2");
    expect_usage(qpucc_link(twice, 0, NULL, NULL),
                 "count is 0, but a program is one vertex shader, one fragment shader, or both");
    expect_usage(qpucc_link(twice, 3, NULL, NULL),
                 "count is 3, but a program is one vertex shader, one fragment shader, or both");
    expect_usage(qpucc_link(hole, 2, NULL, NULL), "shaders[1] is NULL");
    expect_usage(qpucc_link(twice, 2, NULL, NULL), "shaders[0] and shaders[1] are both of the vertex stage");
    o.opt_level = 9;
    expect_usage(qpucc_link(twice, 1, NULL, &o), "options.opt_level is 9, but levels are 0 to 3");
    struct qpucc_source source = glsl(QPUCC_FRAGMENT, plain_fragment);
    expect_shader_usage(qpucc_shader_compile(&source, &o), "options.opt_level is 9, but levels are 0 to 3");
    expect_shader_usage(qpucc_shader_compile(NULL, NULL), "source is NULL");
    o.flags |= QPUCC_READ_LATER;
    expect_shader_usage(qpucc_shader_compile(&source, &o), "options.opt_level is 9, but levels are 0 to 3");
    source.stage = QPUCC_COORDINATE;
    expect_shader_usage(qpucc_shader_compile(&source, NULL),
                        "sources[0].stage is 2, but a source is QPUCC_FRAGMENT or QPUCC_VERTEX");
    o = qpucc_options_default();
    o.flags = QPUCC_PREPROCESS_ONLY;
    expect_usage(qpucc_link(twice, 1, NULL, &o),
                 "options.flags has QPUCC_PREPROCESS_ONLY, but shaders have been read already");
    source.stage = QPUCC_FRAGMENT;
    expect_shader_usage(qpucc_shader_compile(&source, &o),
                        "options.flags has QPUCC_PREPROCESS_ONLY, but a shader is compiled to be linked");
    qpucc_shader_free(v);
}
END_TEST

/* --- options of each shader's own ----------------------------------------------------------------------- */

/* Each has its own defines, also where the front end looks again because of the constant arrays. */
START_TEST(defines_are_each_shaders) {
    static const char text[] =
        "precision mediump float;\nconst int N = COUNT;\nvarying vec4 v[N];\n"
        "#ifdef VERTEX\nattribute vec4 p; void main() { gl_Position = v[0] = v[1] = p; }\n"
        "#else\nvoid main() { gl_FragColor = v[1]; }\n#endif\n";
    static const char *const vertex[] = {"VERTEX", "COUNT=2"}, *const fragment[] = {"COUNT=2"};
    struct qpucc_options o[2] = {qpucc_options_default(), qpucc_options_default()};
    o[0].defines = vertex;
    o[0].define_count = 2;
    o[1].defines = fragment;
    o[1].define_count = 1;
    struct qpucc_source source[] = {glsl(QPUCC_VERTEX, text), glsl(QPUCC_FRAGMENT, text)};
    const qpucc_shader *list[2];
    for (int i = 0; i < 2; i++)
        list[i] = qpucc_shader_compile(&source[i], &o[i]);
    qpucc_program *program = qpucc_link(list, 2, NULL, NULL);
    expect_ok(program);
    ck_assert_uint_eq(qpucc_program_variable(program, QPUCC_VARYINGS, 0)->array_length, 2);
    qpucc_program_free(program);
    for (int i = 0; i < 2; i++)
        qpucc_shader_free((qpucc_shader *)list[i]);
}
END_TEST

/* One may include files and the other one not, also where the front end looks again; and the program says
 * which files they are. */
static qpucc_shader *with_precision(enum qpucc_stage stage, const char *text,
                                    enum qpucc_uniform_precision mode) {
    struct qpucc_source source = glsl(stage, text);
    struct qpucc_options options = qpucc_options_default();
    options.uniform_precision = mode;
    return qpucc_shader_compile(&source, &options);
}

/* The link decides, then either shader, in whatever order they are. */
/* Of two shaders that are read again, together, each has its own warnings, whichever comes first. */
START_TEST(warnings_are_each_shaders) {
    struct qpucc_options all = qpucc_options_default();
    all.warnings = 1u << QPUCC_WARN_unused_uniform;
    for (unsigned loud = 0; loud < 2; loud++) {
        const struct qpucc_source sources[2] = {
            {.name = "a.vert",
             .stage = QPUCC_VERTEX,
             .data = "const int N = 2; varying vec2 v[N];"
                     "uniform float idle;" V "v[0] = v[1] = p.xy; }"},
            {.name = "a.frag",
             .stage = QPUCC_FRAGMENT,
             .data = "const int N = 2; varying mediump vec2 v[N];"
                     "uniform mediump float idle;" F "v[1].xyxy; }"},
        };
        for (unsigned first = 0; first < 2; first++) {
            qpucc_shader *list[2];
            for (unsigned k = 0; k < 2; k++) {
                struct qpucc_source source = sources[first ^ k];
                source.size = strlen(source.data);
                list[k] = qpucc_shader_compile(&source, (first ^ k) == loud ? &all : NULL);
            }
            qpucc_program *program = qpucc_link((const qpucc_shader *const *)list, 2, NULL, NULL);
            ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
            ck_assert_uint_eq(qpucc_program_diagnostic_count(program), 1);
            ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->code, "unused-uniform");
            ck_assert_str_eq(qpucc_program_diagnostic(program, 0)->file, sources[loud].name);
            qpucc_program_free(program);
            qpucc_shader_free(list[0]);
            qpucc_shader_free(list[1]);
        }
    }
}
END_TEST

START_TEST(precisions_of_uniforms_are_the_links) {
    static const char vertex[] = "attribute vec4 p; uniform float u; void main() { gl_Position = p * u; }",
                      fragment[] = "precision mediump float; uniform float u;\n"
                                   "void main() { gl_FragColor = vec4(u); }";
    const enum qpucc_uniform_precision error = QPUCC_UNIFORM_PRECISION_ERROR,
                                       let_pass = QPUCC_UNIFORM_PRECISION_HIGHP;
    struct qpucc_options options = qpucc_options_default();
    for (unsigned n = 0; n < 16; n++) {
        bool any = n & 7;
        qpucc_shader *v = with_precision(QPUCC_VERTEX, vertex, n & 1 ? let_pass : error),
                     *f = with_precision(QPUCC_FRAGMENT, fragment, n & 2 ? let_pass : error);
        const qpucc_shader *list[] = {n & 8 ? f : v, n & 8 ? v : f};
        options.uniform_precision = n & 4 ? let_pass : error;
        qpucc_program *p = qpucc_link(list, 2, NULL, &options);
        ck_assert_int_eq(qpucc_program_status(p), any ? QPUCC_OK : QPUCC_SOURCE_ERROR);
        qpucc_program_free(p);
        qpucc_shader_free(v);
        qpucc_shader_free(f);
    }
}
END_TEST

START_TEST(includes_are_each_shaders) {
    static const char vertex[] =
        "#include \"part.glsl\"\nconst int N = 2; varying vec4 v[N]; attribute vec4 p;\n"
        "void main() { gl_Position = v[0] = v[1] = p * PART; }\n",
                      fragment[] = "precision mediump float; const int N = 2; varying vec4 v[N];\n"
                                   "void main() { gl_FragColor = v[1]; }\n",
                      plain[] = "precision mediump float; void main() { gl_FragColor = vec4(1.0); }\n";
    const char *base = getenv("TMPDIR");
    char folder[200], path[220];
    snprintf(folder, sizeof folder, "%s/qpucc-shaders-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/part.glsl", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("#define PART 2.0\n", file);
    fclose(file);
    const char *const dirs[] = {folder};
    struct qpucc_options with = qpucc_options_default(), without = with;
    with.include_dirs = dirs;
    with.include_dir_count = 1;
    without.flags |= QPUCC_NO_INCLUDE;
    struct qpucc_source sources[] = {glsl(QPUCC_VERTEX, vertex), glsl(QPUCC_FRAGMENT, fragment),
                                     glsl(QPUCC_FRAGMENT, plain)};
    qpucc_shader *v = qpucc_shader_compile(&sources[0], &with);
    for (int k = 1; k < 3; k++)
        for (int turn = 0; turn < 2; turn++) {
            qpucc_shader *f = qpucc_shader_compile(&sources[k], &without);
            const qpucc_shader *const list[] = {turn ? v : f, turn ? f : v};
            qpucc_program *program = qpucc_link(list, 2, NULL, NULL);
            expect_ok(program);
            ck_assert_str_eq(qpucc_program_included(program, 0), path);
            ck_assert_ptr_null(qpucc_program_included(program, 1));
            qpucc_program_free(program);
            qpucc_shader_free(f);
        }
    qpucc_shader_free(v);
    remove(path);
    rmdir(folder);
}
END_TEST

START_TEST(spirv_is_linked) {
    qpucc_program *whole = compile_pair(pairs[0].vertex, pairs[0].fragment, NULL);
    qpucc_shader *list[2], *text = shader(QPUCC_VERTEX, pairs[0].vertex);
    struct qpucc_source modules[2];
    for (int s = 0; s < 2; s++) {
        size_t words;
        modules[s] =
            (struct qpucc_source){.name = "m.spv", .stage = (enum qpucc_stage)s, .language = QPUCC_SPIRV};
        modules[s].data = qpucc_program_spirv(whole, (enum qpucc_stage)s, &words);
        modules[s].size = words * 4;
        list[s] = qpucc_shader_compile(&modules[s], NULL);
        ck_assert_int_eq(qpucc_shader_status(list[s]), QPUCC_OK);
    }
    qpucc_program *linked = qpucc_link((const qpucc_shader *const *)list, 2, NULL, NULL),
                  *want = qpucc_compile(modules, 2, NULL, NULL);
    const char *differs = program_difference(linked, want);
    ck_assert_msg(!differs, "%s", differs);
    qpucc_program_free(linked);
    /* a module and a text */
    const qpucc_shader *mixed[] = {text, list[QPUCC_FRAGMENT]};
    linked = qpucc_link(mixed, 2, NULL, NULL);
    expect_ok(linked);
    qpucc_program_free(linked);
    qpucc_program_free(want);
    qpucc_program_free(whole);
    qpucc_shader_free(text);
    for (int s = 0; s < 2; s++)
        qpucc_shader_free(list[s]);
}
END_TEST

/* --- threads -------------------------------------------------------------------------------------------- */

static const qpucc_shader *shared[2];

static void *link_many(void *user) {
    (void)user;
    qpucc_program *first = qpucc_link(shared, 2, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        qpucc_program *again = qpucc_link(shared, 2, NULL, NULL);
        ck_assert_ptr_null(program_difference(first, again));
        qpucc_program_free(again);
    }
    return first;
}

/* Which are not read yet, so that all of them begin with that. */
START_TEST(threads_link_the_same_shaders) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    void *programs[THREADS];
    shared[0] = unread(QPUCC_VERTEX, busy_vertex);
    shared[1] = unread(QPUCC_FRAGMENT, busy_fragment);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, link_many, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], &programs[i]);
    for (int i = 0; i < 2; i++)
        qpucc_shader_free((qpucc_shader *)shared[i]);
    expect_ok(programs[0]);
    for (int i = 1; i < THREADS; i++)
        ck_assert_ptr_null(program_difference(programs[0], programs[i]));
    for (int i = 0; i < THREADS; i++)
        qpucc_program_free(programs[i]);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {pairs_are_linked,
                                  what_does_not_fit_is_said,
                                  errors_are_the_shaders,
                                  unread_shaders_have_errors,
                                  arguments_are_checked,
                                  defines_are_each_shaders,
                                  warnings_are_each_shaders,
                                  precisions_of_uniforms_are_the_links,
                                  includes_are_each_shaders,
                                  spirv_is_linked,
                                  threads_link_the_same_shaders};
    return run_tests("api_shaders", tests, sizeof tests / sizeof *tests);
}
