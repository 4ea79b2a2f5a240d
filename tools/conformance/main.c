/* qpucc-conformance: runs a file of conformance cases through the compiler and the simulated machine. */
#include "suite.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };
enum exit_code { EXIT_ALL_PASSED = 0, EXIT_USAGE = 1, EXIT_SOME_FAILED = 2 };

struct run {
    struct suite suite;
    struct judge_options options;
    size_t next, done;
    bool isolate, progress;
    unsigned timeout;
    unsigned arrived; /* threads that have begun */
    bool go;
    pthread_mutex_t lock, fork_lock;
    pthread_cond_t changed;
};

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int complain(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("qpucc-conformance: error: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return EXIT_USAGE;
}

/* --- one case ------------------------------------------------------------------------------------------- */

static void judge_here(const struct run *run, const struct suite_case *c, struct judgement *out) {
    judge(c->line, c->length, c->name, run->suite.folder, &run->options, out);
}

static void failed(struct judgement *out, const char *what, const char *more) {
    out->outcome = FAILED;
    snprintf(out->reason, sizeof out->reason, "%s%s", what, more);
}

/* In a process of its own: a crash or an endless loop costs this case only. */
static void judge_apart(struct run *run, const struct suite_case *c, struct judgement *out) {
    int ends[2], status = 0;
    pthread_mutex_lock(&run->fork_lock); /* no other child may inherit the pipe's writing end */
    if (pipe(ends) != 0) {
        pthread_mutex_unlock(&run->fork_lock);
        failed(out, "runner: ", strerror(errno));
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        struct judgement result;
        close(ends[0]);
        /* of its own CPU time: how busy the machine is says nothing about the case */
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = run->timeout}, NULL);
        judge_here(run, c, &result);
        ssize_t written = write(ends[1], &result, sizeof result);
        _exit(written == (ssize_t)sizeof result ? 0 : 1);
    }
    close(ends[1]);
    pthread_mutex_unlock(&run->fork_lock);
    size_t got = 0;
    while (child > 0 && got < sizeof *out) {
        ssize_t n = read(ends[0], (char *)out + got, sizeof *out - got);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            break;
        got += n > 0 ? (size_t)n : 0;
    }
    close(ends[0]);
    if (child < 0) {
        failed(out, "runner: ", strerror(errno));
        return;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (got == sizeof *out)
        return;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        failed(out, "timeout: not finished in time", "");
    else if (WIFSIGNALED(status))
        failed(out, "crash: ", strsignal(WTERMSIG(status)));
    else
        failed(out, "crash: the process ended", "");
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void draw_progress(const struct run *run, size_t failures) {
    char bar[33];
    size_t filled = run->done * 32 / run->suite.count;
    memset(bar, '.', 32);
    memset(bar, '#', filled);
    bar[32] = 0;
    fprintf(stderr, "\r[%s] %zu/%zu, %zu failed", bar, run->done, run->suite.count, failures);
}

/* No thread begins or ends while others fork: what the C library (or a sanitizer) locks for that would stay
 * locked in the child for ever. */
static void *worker(void *user) {
    struct run *run = user;
    pthread_mutex_lock(&run->lock);
    run->arrived++;
    pthread_cond_broadcast(&run->changed);
    while (!run->go)
        pthread_cond_wait(&run->changed, &run->lock);
    pthread_mutex_unlock(&run->lock);
    for (;;) {
        pthread_mutex_lock(&run->lock);
        size_t index = run->next < run->suite.count ? run->next++ : run->suite.count;
        while (index == run->suite.count && run->done < run->suite.count)
            pthread_cond_wait(&run->changed, &run->lock);
        pthread_mutex_unlock(&run->lock);
        if (index == run->suite.count)
            return NULL;
        struct suite_case *c = &run->suite.cases[index];
        double start = seconds_now();
        if (run->isolate)
            judge_apart(run, c, &c->result);
        else
            judge_here(run, c, &c->result);
        c->seconds = seconds_now() - start;
        pthread_mutex_lock(&run->lock);
        if (++run->done == run->suite.count)
            pthread_cond_broadcast(&run->changed);
        if (run->progress) {
            size_t failures = 0;
            for (size_t i = 0; i < run->suite.count; i++)
                failures += run->suite.cases[i].result.outcome == FAILED;
            draw_progress(run, failures);
        }
        pthread_mutex_unlock(&run->lock);
    }
}

static void run_all(struct run *run, unsigned threads) {
    pthread_t ids[MAX_THREADS];
    unsigned started = 0;
    pthread_mutex_init(&run->lock, NULL);
    pthread_mutex_init(&run->fork_lock, NULL);
    pthread_cond_init(&run->changed, NULL);
    while (started + 1 < threads && started < MAX_THREADS &&
           pthread_create(&ids[started], NULL, worker, run) == 0)
        started++;
    pthread_mutex_lock(&run->lock);
    while (run->arrived < started)
        pthread_cond_wait(&run->changed, &run->lock);
    run->go = true;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
    worker(run); /* this thread works, too */
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_mutex_destroy(&run->lock);
    pthread_mutex_destroy(&run->fork_lock);
    pthread_cond_destroy(&run->changed);
    if (run->progress)
        fputs("\r\x1b[K", stderr);
}

/* --- telling -------------------------------------------------------------------------------------------- */

static const char *const words[] = {"pass", "fail", "skip"};

static void print_case(const struct suite_case *c, bool json) {
    if (!json) {
        printf("%s %s%s%s\n", words[c->result.outcome], c->name, c->result.reason[0] ? ": " : "",
               c->result.reason);
        return;
    }
    json_t *reason = json_string(c->result.reason);
    json_t *row = json_pack("{s:s, s:s, s:o, s:f}", "name", c->name, "result", words[c->result.outcome],
                            "reason", reason ? reason : json_string("(not UTF-8)"), "seconds", c->seconds);
    char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;
    puts(text ? text : "{}");
    free(text);
    json_decref(row);
}

static void usage(void) {
    puts("usage: qpucc-conformance CASES.jsonl [option...]\n"
         "Compiles every case of a conformance file, draws it on the simulated machine and compares.\n"
         "  --filter GLOB     only cases whose name matches (or contains, without * ? [)\n"
         "  --part N/M        one in M of these, the Nth and so on\n"
         "  -j N              threads; as many as processors otherwise\n"
         "  -O0, -O1, -O2     how much the compiler optimises; 2 otherwise\n"
         "  -ffast-math, -fprecise\n"
         "                    how exact arithmetic is\n"
         "  --known FILE      list of accepted failures, lines \"name -- reason\": count as skipped\n"
         "  --junit FILE      also write the results as JUnit XML\n"
         "  --json            results as JSON lines\n"
         "  --failures        print no line for cases that pass\n"
         "  --reasons         at the end, how often which reason occurs\n"
         "  --keep-failed DIR sources, assembly, messages and pictures of failed cases\n"
         "  --rules           also check all code against the hardware's and Linux's rules\n"
         "  --seed N          what unused lanes hold\n"
         "  --timeout N       CPU seconds for a case; 60 otherwise\n"
         "  --no-isolate      all cases in this process: a crash ends the run\n"
         "Exit status: 0 nothing failed, 1 the run could not be done, 2 something failed.");
}

enum {
    OPT_FILTER = 1000,
    OPT_KNOWN,
    OPT_JUNIT,
    OPT_JSON,
    OPT_FAILURES,
    OPT_REASONS,
    OPT_KEEP,
    OPT_RULES,
    OPT_SEED,
    OPT_TIMEOUT,
    OPT_NO_ISOLATE,
    OPT_PART,
    OPT_HELP
};

struct settings {
    const char *path, *filter, *known, *junit;
    bool json, failures, reasons;
    unsigned threads, part, parts;
};

static bool take_number(const char *text, unsigned long most, unsigned *out) {
    char *end;
    unsigned long value = strtoul(text, &end, 0);
    *out = (unsigned)value;
    return *text && !*end && *text != '-' && value <= most;
}

/* 0: go on; otherwise an exit code plus 1. */
static int take_option(struct run *run, struct settings *s, int option) {
    unsigned level;
    switch (option) {
    case OPT_FILTER: s->filter = optarg; return 0;
    case OPT_KNOWN: s->known = optarg; return 0;
    case OPT_JUNIT: s->junit = optarg; return 0;
    case OPT_JSON: s->json = true; return 0;
    case OPT_FAILURES: s->failures = true; return 0;
    case OPT_REASONS: s->reasons = true; return 0;
    case OPT_KEEP: run->options.keep = optarg; return 0;
    case OPT_RULES: run->options.rules = true; return 0;
    case OPT_NO_ISOLATE: run->isolate = false; return 0;
    case OPT_PART:
        if (sscanf(optarg, "%u/%u", &s->part, &s->parts) != 2 || !s->part || s->part > s->parts)
            return 1 + complain("--part needs N/M, N from 1 to M");
        return 0;
    case OPT_SEED:
        return take_number(optarg, UINT32_MAX, &run->options.seed) ? 0
                                                                   : 1 + complain("--seed needs a number");
    case OPT_TIMEOUT:
        return take_number(optarg, 86400, &run->timeout) ? 0 : 1 + complain("--timeout needs seconds");
    case 'j':
        return take_number(optarg, 4096, &s->threads) && s->threads
                   ? 0
                   : 1 + complain("-j needs 1 or more threads");
    case 'O':
        if (!take_number(optarg, 3, &level))
            return 1 + complain("-O: 0 to 3");
        run->options.compile.opt_level = (int)level;
        return 0;
    case 'f':
        if (strcmp(optarg, "fast-math") && strcmp(optarg, "precise"))
            return 1 + complain("-f%s: -ffast-math or -fprecise", optarg);
        run->options.compile.flags &= ~(uint32_t)QPUCC_POLICY_BITS;
        run->options.compile.flags |= optarg[0] == 'f' ? QPUCC_POLICY_FAST : QPUCC_POLICY_PRECISE;
        return 0;
    case OPT_HELP: usage(); return 1 + EXIT_ALL_PASSED;
    case 1:
        if (s->path)
            return 1 + complain("one case file at a time");
        s->path = optarg;
        return 0;
    default: return 1 + EXIT_USAGE;
    }
}

static int report(struct run *run, const struct settings *s) {
    char error[600];
    size_t tally[3] = {0};
    if (s->known && !suite_apply_known(&run->suite, s->known, stderr, error, sizeof error))
        return complain("%s", error);
    for (size_t i = 0; i < run->suite.count; i++) {
        enum outcome outcome = run->suite.cases[i].result.outcome;
        tally[outcome]++;
        if (!s->failures || outcome == FAILED)
            print_case(&run->suite.cases[i], s->json);
    }
    if (s->reasons)
        suite_print_reasons(&run->suite, s->json ? stderr : stdout);
    if (s->junit && !suite_write_junit(&run->suite, s->junit, error, sizeof error))
        return complain("%s", error);
    if (s->json)
        printf("{\"passed\":%zu,\"failed\":%zu,\"skipped\":%zu}\n", tally[PASSED], tally[FAILED],
               tally[SKIPPED]);
    else
        printf("%zu passed, %zu failed, %zu skipped\n", tally[PASSED], tally[FAILED], tally[SKIPPED]);
    if (fflush(stdout) != 0)
        return complain("standard output can't be written");
    return tally[FAILED] ? EXIT_SOME_FAILED : EXIT_ALL_PASSED;
}

int main(int argc, char **argv) {
    static const struct option longs[] = {{"filter", required_argument, NULL, OPT_FILTER},
                                          {"known", required_argument, NULL, OPT_KNOWN},
                                          {"junit", required_argument, NULL, OPT_JUNIT},
                                          {"json", no_argument, NULL, OPT_JSON},
                                          {"failures", no_argument, NULL, OPT_FAILURES},
                                          {"reasons", no_argument, NULL, OPT_REASONS},
                                          {"keep-failed", required_argument, NULL, OPT_KEEP},
                                          {"rules", no_argument, NULL, OPT_RULES},
                                          {"seed", required_argument, NULL, OPT_SEED},
                                          {"timeout", required_argument, NULL, OPT_TIMEOUT},
                                          {"no-isolate", no_argument, NULL, OPT_NO_ISOLATE},
                                          {"part", required_argument, NULL, OPT_PART},
                                          {"help", no_argument, NULL, OPT_HELP},
                                          {NULL, 0, NULL, 0}};
    static struct run run; /* large, and there is one */
    struct settings s = {0};
    char error[600];
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    s.threads = processors > 0 ? (unsigned)processors : 1;
    run.isolate = true;
    run.timeout = 60;
    run.options.compile = qpucc_options_default();
    for (int c; (c = getopt_long(argc, argv, "-j:O:f:", longs, NULL)) != -1;) {
        int code = take_option(&run, &s, c);
        if (code)
            return code - 1;
    }
    if (!s.path || optind < argc)
        return complain("give one case file; --help says more");
    run.progress = isatty(2) != 0;
    int code;
    if (suite_read(&run.suite, s.path, s.filter, error, sizeof error)) {
        if (s.parts)
            suite_keep_part(&run.suite, s.part, s.parts);
        run_all(&run, s.threads < MAX_THREADS ? s.threads : MAX_THREADS);
        code = report(&run, &s);
    } else {
        code = complain("%s", error);
    }
    suite_free(&run.suite);
    return code;
}
