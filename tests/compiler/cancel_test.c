/* The public interface: compiles that another thread, or a callback, ends. */
#include "api.h"

#include <qpucc/fixed.h>

#include <pthread.h>

static const char long_fragment[] =
    "precision highp float; varying vec3 v; uniform vec3 l[4]; uniform sampler2D s;\n"
    "void main() { vec4 c = vec4(0.0);\n"
    "  for (int i = 0; i < 4; i++) c += texture2D(s, v.xy * l[i].xy) * pow(max(dot(v, l[i]), 0.0), 8.0) +\n"
    "    vec4(sin(v * l[i]), cos(v.x)) * exp2(v.z);\n"
    "  gl_FragColor = c; }\n";
static const char long_vertex[] = "attribute vec4 a; uniform mat4 m, n; varying vec3 v;\n"
                                  "void main() { gl_Position = m * a; v = normalize(n * a).xyz; }\n";

static void expect_cancelled(qpucc_program *program) {
    ck_assert_ptr_nonnull(program);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_CANCELLED);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(program), 1);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
    ck_assert_str_eq(d->code, "cancelled");
    ck_assert_str_eq(d->text, "the compile was cancelled");
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        ck_assert_ptr_null(qpucc_program_code(program, (enum qpucc_stage)s, NULL));
}

START_TEST(before_it_begins) {
    static const int set = 1;
    const struct qpucc_fixed fixed = {.lighting = 0};
    struct qpucc_options o = qpucc_options_default();
    o.cancel = &set;
    qpucc_program *program = compile_with(long_vertex, long_fragment, NULL, &o);
    expect_cancelled(program);
    qpucc_program_free(program);
    program = qpucc_compile_fixed(&fixed, NULL, &o);
    expect_cancelled(program);
    qpucc_program_free(program);
    size_t words;
    qpucc_program *whole = compile_pair(NULL, long_fragment, NULL);
    struct qpucc_source module = {.name = "a.spv", .stage = QPUCC_FRAGMENT, .language = QPUCC_SPIRV};
    module.data = qpucc_program_spirv(whole, QPUCC_FRAGMENT, &words);
    module.size = words * 4;
    program = qpucc_compile(&module, 1, NULL, &o);
    expect_cancelled(program);
    qpucc_program_free(program);
    qpucc_program_free(whole);
}
END_TEST

struct countdown {
    int passes, flag;
};

static void count_pass(void *user, enum qpucc_stage stage, const char *pass, double seconds) {
    struct countdown *c = user;
    (void)stage, (void)pass, (void)seconds;
    if (c->passes-- == 0)
        __atomic_store_n(&c->flag, 1, __ATOMIC_RELAXED);
}

/* After any of the passes: what follows is not done. */
START_TEST(after_each_pass) {
    unsigned cancelled = 0;
    for (int passes = 0;; passes += 7) {
        struct countdown c = {.passes = passes};
        struct qpucc_options o = qpucc_options_default();
        o.cancel = &c.flag;
        o.on_pass_time = count_pass;
        o.user = &c;
        qpucc_program *program = compile_with(long_vertex, long_fragment, NULL, &o);
        bool ended = qpucc_program_status(program) != QPUCC_OK;
        ck_assert_int_eq(ended, c.passes < 0);
        if (ended)
            expect_cancelled(program);
        cancelled += ended;
        qpucc_program_free(program);
        if (!ended)
            break;
    }
    ck_assert_uint_gt(cancelled, 10);
}
END_TEST

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int flag;
    bool begun;
} other = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false};

static void wait_for_flag(void *user, enum qpucc_stage stage, const char *pass, double seconds) {
    (void)user, (void)stage, (void)pass, (void)seconds;
    pthread_mutex_lock(&other.mutex);
    other.begun = true;
    pthread_cond_broadcast(&other.changed);
    while (!other.flag)
        pthread_cond_wait(&other.changed, &other.mutex);
    pthread_mutex_unlock(&other.mutex);
}

static void *compile_long(void *user) {
    struct qpucc_options o = qpucc_options_default();
    o.opt_level = 3;
    o.cancel = &other.flag;
    o.on_pass_time = wait_for_flag;
    (void)user;
    return compile_with(long_vertex, long_fragment, NULL, &o);
}

START_TEST(by_another_thread) {
    pthread_t thread;
    void *program;
    ck_assert_int_eq(pthread_create(&thread, NULL, compile_long, NULL), 0);
    pthread_mutex_lock(&other.mutex);
    while (!other.begun)
        pthread_cond_wait(&other.changed, &other.mutex);
    __atomic_store_n(&other.flag, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&other.changed);
    pthread_mutex_unlock(&other.mutex);
    pthread_join(thread, &program);
    expect_cancelled(program);
    qpucc_program_free(program);
}
END_TEST

/* A flag that nobody sets changes nothing, and is not read any more when the program is there. */
START_TEST(not_at_all) {
    int *flag = calloc(1, sizeof *flag);
    struct qpucc_options o = qpucc_options_default();
    o.cancel = flag;
    qpucc_program *program = compile_with(long_vertex, long_fragment, NULL, &o);
    expect_ok(program);
    *flag = 1;
    const struct qpucc_state state = {.depth_test = 1};
    qpucc_program *variant = qpucc_variant(program, &state);
    expect_ok(variant);
    free(flag);
    qpucc_program_free(variant);
    variant = qpucc_variant(program, NULL);
    expect_ok(variant);
    qpucc_program_free(variant);
    qpucc_program_free(program);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {before_it_begins, after_each_pass, by_another_thread, not_at_all};
    return run_tests("api_cancel", tests, sizeof tests / sizeof *tests);
}
