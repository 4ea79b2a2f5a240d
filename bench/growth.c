/* How the CPU time of a compile grows with the length of a shader.
 *
 *     bench_growth [--only SHAPE] [--limit SECONDS] [--most N] [--passes] [--print SHAPE N]
 *
 * Fragment shaders of n statements, n = 100 ... 10000, in shapes that have each met something quadratic once.
 * Every compile is a process of its own with a limit of CPU time; a shape that meets it is not tried with
 * more statements. The modules run by themselves, one after the other, then qpucc_compile as a whole: what
 * the modules before it do not explain is the back end's, with all attempts that it makes.
 *
 * A line: shape, n, how it ended, milliseconds of the front end, of the SPIR-V reader, of the passes, of
 * the rest. After each time stands the exponent e of n^e since the line before, where both times are long
 * enough to tell. --passes adds the pass that took longest. */
#include "bench/growth_shapes.h"
#include "frontend/glsl/glsl.h"
#include "frontend/spirv/spirv.h"
#include "passes/passes.h"

#include <math.h>
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FRONT, READER, PASSES, REST, MODULES };

struct times {
    double ms[MODULES]; /* -1: not reached */
    char end[120];      /* "ok", or the reason */
    char pass[16];      /* the longest */
    double pass_ms;
};

/* --- one compile ---------------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

struct tally {
    struct pass {
        const char *name;
        double ms;
    } pass[64];
    double last;
};

static void after(void *user, const char *name, struct ir_shader *shader, bool changed, double seconds) {
    struct tally *tally = user;
    struct pass *p = tally->pass;
    (void)shader, (void)changed, (void)seconds; /* wall time */
    while (p->name && strcmp(p->name, name))
        p++;
    p->name = name;
    p->ms += now() - tally->last;
    tally->last = now();
}

static void report(int to, const struct times *times) {
    if (write(to, times, sizeof *times) != sizeof *times)
        exit(1);
}

/* In the child; a report after each module, so that one that is killed has told how far it came. */
static void measure(const char *text, size_t length, int to) {
    struct times times = {.ms = {-1, -1, -1, -1}, .end = "time"};
    static const char warm[] = "void main() { gl_FragColor = vec4(0.0); }";
    struct qpucc_source source = {"warm", warm, sizeof warm - 1, QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program_free(qpucc_compile(&source, 1, NULL, NULL)); /* glslang builds its tables */
    struct fe_source fe = {"growth.frag", text, length, QPUCC_FRAGMENT, NULL};
    struct fe_options fe_options = {0};
    report(to, &times);
    double start = now();
    struct fe_glsl_result *glsl = fe_glsl_compile(&fe, 1, &fe_options);
    times.ms[FRONT] = now() - start;
    report(to, &times);
    if (glsl && glsl->ok) {
        struct fe_spirv_options read = {.stage = QPUCC_FRAGMENT,
                                        .trusted = true,
                                        .symbols = glsl->stages[0].symbols,
                                        .symbol_count = glsl->stages[0].symbol_count,
                                        .ignore_locations = true,
                                        .lower_left = true};
        start = now();
        struct ir_shader *shader =
            fe_spirv_read(glsl->stages[0].spirv, glsl->stages[0].spirv_words, &read, NULL);
        times.ms[READER] = now() - start;
        report(to, &times);
        if (shader) {
            struct tally tally = {.last = now()};
            struct pass_options options = passes_default_options();
            options.after = after;
            options.user = &tally;
            options.verify = false;
            start = now();
            passes_run_pipeline(shader, &options, NULL, 0);
            times.ms[PASSES] = now() - start;
            for (struct pass *p = tally.pass; p->name; p++)
                if (p->ms > times.pass_ms) {
                    times.pass_ms = p->ms;
                    snprintf(times.pass, sizeof times.pass, "%s", p->name);
                }
            report(to, &times);
            ir_shader_destroy(shader);
        }
    }
    fe_glsl_result_free(glsl);
    source = (struct qpucc_source){"growth.frag", text, length, QPUCC_FRAGMENT, QPUCC_GLSL};
    start = now();
    qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
    times.ms[REST] = now() - start;
    for (int module = FRONT; module < REST; module++)
        times.ms[REST] -= times.ms[module] > 0 ? times.ms[module] : 0;
    if (times.ms[REST] < 0)
        times.ms[REST] = 0; /* nothing was left to do */
    snprintf(times.end, sizeof times.end, "%s",
             !program                                       ? "memory"
             : qpucc_program_status(program) == QPUCC_OK    ? "ok"
             : qpucc_program_diagnostic_count(program) == 0 ? "failed"
                                                            : qpucc_program_diagnostic(program, 0)->text);
    report(to, &times);
}

static struct times run(const struct growth_shape *shape, int n, unsigned limit) {
    struct growth_text text = {0};
    struct times times = {.ms = {-1, -1, -1, -1}, .end = "crashed"};
    int ends[2], status = 0;
    shape->write(&text, n);
    if (pipe(ends))
        exit(1);
    pid_t child = fork();
    if (!child) {
        close(ends[0]);
        setrlimit(RLIMIT_CPU, &(struct rlimit){limit, limit + 1});
        measure(text.at, text.length, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &times, sizeof times) == sizeof times)
        ;
    close(ends[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGXCPU && WTERMSIG(status) != SIGKILL)
        snprintf(times.end, sizeof times.end, "signal %d", WTERMSIG(status));
    free(text.at);
    return times;
}

/* --- the table ------------------------------------------------------------------------------------------ */

static void print(double ms, double before, double ratio) {
    if (ms < 0) {
        printf("\t-\t");
        return;
    }
    printf("\t%.1f\t", ms);
    if (before > 15 && ms > 15)
        printf("%.2f", log(ms / before) / log(ratio));
}

int main(int argc, char **argv) {
    static const int sizes[] = {100, 300, 1000, 3000, 10000};
    const char *only = NULL;
    unsigned limit = 20;
    int most = 10000;
    bool passes = false;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--only") && more)
            only = argv[++i];
        else if (!strcmp(argv[i], "--limit") && more)
            limit = (unsigned)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--most") && more)
            most = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--passes"))
            passes = true;
        else if (!strcmp(argv[i], "--print") && i + 2 < argc) {
            struct growth_text text = {0};
            for (const struct growth_shape *shape = growth_shapes; shape->name; shape++)
                if (!strcmp(shape->name, argv[i + 1]))
                    shape->write(&text, atoi(argv[i + 2]));
            fwrite(text.at, 1, text.length, stdout);
            free(text.at);
            return 0;
        } else {
            fprintf(stderr,
                    "usage: %s [--only SHAPE] [--limit SECONDS] [--most N] [--passes] [--print SHAPE N]\n",
                    argv[0]);
            return 1;
        }
    }
    for (const struct growth_shape *shape = growth_shapes; shape->name; shape++) {
        struct times before = {.ms = {-1, -1, -1, -1}};
        if (only && strcmp(only, shape->name))
            continue;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= most; s++) {
            struct times times = run(shape, sizes[s], limit);
            double ratio = s ? (double)sizes[s] / sizes[s - 1] : 1;
            printf("%s\t%d\t%.60s", shape->name, sizes[s], times.end);
            for (int module = 0; module < MODULES; module++)
                print(times.ms[module], before.ms[module], ratio);
            if (passes && times.ms[PASSES] >= 0)
                printf("\t%s %.1f", times.pass, times.pass_ms);
            putchar('\n');
            fflush(stdout);
            if (times.ms[REST] < 0)
                break;
            before = times;
        }
    }
    return 0;
}
