/* How long a compile goes on after it was cancelled: CPU time of its thread.
 *
 *     bench_cancel dev-pairs.jsonl [--level N] [--tries N] [--glsl]
 *
 * Every pair is compiled once to the end and then several times again, with qpucc_options.cancel set by a
 * timer at another tenth of that time each: its SPIR-V, because glslang is not interrupted, or with --glsl
 * its text. Prints the median, the 99th percentile and the most, in milliseconds, and which pair took that.
 */
#include <jansson.h>
#include <qpucc/qpucc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile int flag;
static volatile double set_at;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void set(int signal) {
    (void)signal;
    set_at = now();
    flag = 1;
}

static qpucc_program *compile(const struct qpucc_source sources[2], int level) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    options.cancel = (const int *)&flag;
    return qpucc_compile(sources, 2, NULL, &options);
}

static enum qpucc_status status_of(qpucc_program *program) {
    enum qpucc_status status = program ? qpucc_program_status(program) : QPUCC_INTERNAL;
    qpucc_program_free(program);
    return status;
}

/* Milliseconds from the flag to the end; negative: it came too late. */
static double cancelled_after(timer_t timer, double ms, const struct qpucc_source sources[2], int level) {
    struct itimerspec at = {.it_value = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000 + 1}}, off = {0};
    flag = 0;
    timer_settime(timer, 0, &at, NULL);
    enum qpucc_status status = status_of(compile(sources, level));
    double end = now();
    timer_settime(timer, 0, &off, NULL);
    return status == QPUCC_CANCELLED ? end - set_at : -1;
}

/* The pair's text becomes its modules, which lie in the program. NULL: it does not compile. */
static qpucc_program *take_modules(struct qpucc_source sources[2], int level) {
    qpucc_program *program = compile(sources, level);
    if (!program || qpucc_program_status(program) != QPUCC_OK) {
        qpucc_program_free(program);
        return NULL;
    }
    for (int k = 0; k < 2; k++) {
        sources[k].data = qpucc_program_spirv(program, sources[k].stage, &sources[k].size);
        sources[k].size *= 4;
        sources[k].language = QPUCC_SPIRV;
    }
    return program;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    enum { ROOM = 100000 };
    static double times[ROOM];
    size_t count = 0;
    int level = 2, tries = 10;
    double most = 0;
    char worst[200] = "";
    bool glsl = false;
    for (int i = 2; i < argc; i++) {
        int number = i + 1 < argc ? atoi(argv[i + 1]) : 0;
        if (!strcmp(argv[i], "--glsl"))
            glsl = true;
        else if (!strcmp(argv[i], "--level"))
            level = number, i++;
        else
            tries = number, i++;
    }
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return fprintf(stderr, "usage: %s dev-pairs.jsonl [--level N] [--tries N] [--glsl]\n", argv[0]), 1;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    signal(SIGUSR1, set);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer))
        return perror("timer_create"), 1;
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
        json_t *pair = json_loads(line, 0, NULL);
        json_t *vertex = json_object_get(pair, "vertex"), *fragment = json_object_get(pair, "fragment");
        struct qpucc_source sources[2] = {
            {"a.vert", json_string_value(vertex), json_string_length(vertex), QPUCC_VERTEX, QPUCC_GLSL},
            {"a.frag", json_string_value(fragment), json_string_length(fragment), QPUCC_FRAGMENT,
             QPUCC_GLSL}};
        flag = 0;
        qpucc_program *modules = glsl ? NULL : take_modules(sources, level);
        double start = now();
        double whole =
            (glsl || modules) && status_of(compile(sources, level)) == QPUCC_OK ? now() - start : 0;
        for (int k = 1; whole > 0 && k <= tries && count < ROOM; k++) {
            double ms = cancelled_after(timer, whole * k / (tries + 1), sources, level);
            if (ms >= 0)
                times[count++] = ms;
            if (ms > most) {
                most = ms;
                snprintf(worst, sizeof worst, "%s at %d/%d of %.1f ms",
                         json_string_value(json_object_get(pair, "name")), k, tries + 1, whole);
            }
        }
        qpucc_program_free(modules);
        json_decref(pair);
    }
    free(line);
    fclose(file);
    timer_delete(timer);
    if (!count)
        return 1;
    qsort(times, count, sizeof *times, ascending);
    printf("-O%d: %zu compiles cancelled; median %.2f ms, 99%% %.2f ms, most %.2f ms (%s)\n", level, count,
           times[count / 2], times[count * 99 / 100], most, worst);
    return 0;
}
