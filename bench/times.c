/* What a compile costs, beside what glslang's own part of it costs: CPU time, one process, one thread.
 *
 *     bench_times dev-pairs.jsonl [--only PREFIX] [--rounds N] [--level N] [--peer TIMES] >times.tsv
 *
 * After one compile that is not counted (glslang builds its tables then) every pair is measured N times, the
 * three things in turn so that whatever else the computer does strikes all of them; the least time of each
 * counts:
 *
 * - glslang alone on the pair's text: preprocessing, parsing, linking and, where it takes these texts for it,
 * SPIR-V;
 * - our front end, from the text to SPIR-V: our preprocessor, glslang's check of the text, the rewriting,
 * glslang again;
 * - qpucc_compile, all of it, at -O2 or the level given. What the front end does not explain is the
 * compiler's own.
 *
 * Before all of that each pair is compiled once in a process of its own, which has compiled nothing.
 *
 * A line: name, milliseconds of glslang without SPIR-V, with SPIR-V (0: refused), of the front end, of
 * everything, of everything as the first thing that a process does. Where the environment names a
 * QPUCC_BENCH_COUNTER, the file in which count_plugin.c keeps its count, all of that is in millions of
 * instructions. At the end the ten pairs whose compile is most times glslang's (without SPIR-V) stand on
 * standard error. With --peer it is times the peer's, which bench_peer --times has measured (mesa-times.tsv),
 * with the geometric mean of the ratios and the totals. */
#include "frontend/glsl/glsl.h"

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <qpucc/qpucc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const volatile uint64_t *instructions;

static void open_counter(void) {
    const char *path = getenv("QPUCC_BENCH_COUNTER");
    int file = path ? open(path, O_RDONLY) : -1;
    void *map = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *instructions, PROT_READ, MAP_SHARED, file, 0);
    if (path && map == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    if (path)
        instructions = map;
    if (file >= 0)
        close(file);
}

static double now(void) {
    struct timespec t;
    if (instructions)
        return (double)*instructions * 1e-6;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void keep_least(double *least, double value) {
    if (*least == 0 || value < *least)
        *least = value;
}

struct pair {
    const char *name;
    const char *text[2]; /* vertex, fragment */
};

/* glslang as a program of its own would use it; false when it refuses the text. */
static bool glslang_alone(const struct pair *pair, bool spirv, double *least) {
    static const glslang_stage_t stages[2] = {GLSLANG_STAGE_VERTEX, GLSLANG_STAGE_FRAGMENT};
    const glslang_resource_t *resource = glslang_default_resource();
    double start = now();
    glslang_shader_t *shader[2] = {NULL, NULL};
    glslang_program_t *program = glslang_program_create();
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        const glslang_input_t input = {.language = GLSLANG_SOURCE_GLSL,
                                       .stage = stages[i],
                                       .client = GLSLANG_CLIENT_NONE,
                                       .target_language = GLSLANG_TARGET_NONE,
                                       .code = pair->text[i],
                                       .default_version = 100,
                                       .default_profile = GLSLANG_ES_PROFILE,
                                       .messages = GLSLANG_MSG_DEFAULT_BIT,
                                       .resource = resource};
        shader[i] = glslang_shader_create(&input);
        ok = glslang_shader_preprocess(shader[i], &input) && glslang_shader_parse(shader[i], &input);
        if (ok)
            glslang_program_add_shader(program, shader[i]);
    }
    ok = ok && glslang_program_link(program, GLSLANG_MSG_DEFAULT_BIT);
    for (int i = 0; i < 2 && ok && spirv; i++) {
        glslang_program_SPIRV_generate(program, stages[i]);
        ok = glslang_program_SPIRV_get_size(program) > 0;
    }
    glslang_program_delete(program);
    for (int i = 0; i < 2; i++)
        if (shader[i])
            glslang_shader_delete(shader[i]);
    if (ok)
        keep_least(least, now() - start);
    return ok;
}

static void front_end(const struct pair *pair, double *least) {
    struct fe_options options = {0};
    struct fe_source sources[2] = {{pair->name, pair->text[0], strlen(pair->text[0]), QPUCC_VERTEX, NULL},
                                   {pair->name, pair->text[1], strlen(pair->text[1]), QPUCC_FRAGMENT, NULL}};
    double start = now();
    fe_glsl_result_free(fe_glsl_compile(sources, 2, &options));
    keep_least(least, now() - start);
}

static bool everything(const struct pair *pair, int level, double *least) {
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_source sources[2] = {
        {pair->name, pair->text[0], strlen(pair->text[0]), QPUCC_VERTEX, QPUCC_GLSL},
        {pair->name, pair->text[1], strlen(pair->text[1]), QPUCC_FRAGMENT, QPUCC_GLSL}};
    options.opt_level = level;
    double start = now();
    qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    qpucc_program_free(program);
    keep_least(least, now() - start);
    return ok;
}

/* Milliseconds of a compile in a new process; 0: it did not come to an end. The process must not have
 * compiled anything itself. */
static double first_compile(const struct pair *pair, int level) {
    int ends[2];
    double time = 0;
    if (pipe(ends))
        return 0;
    pid_t child = fork();
    if (child == 0) {
        everything(pair, level, &time);
        _exit(write(ends[1], &time, sizeof time) != sizeof time);
    }
    close(ends[1]);
    if (child > 0 && read(ends[0], &time, sizeof time) != sizeof time)
        time = 0;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return time;
}

struct measured {
    json_t *json; /* has the pair's text */
    struct pair pair;
    double first;
};

/* The pairs whose names begin with `only`, each with its first compile. */
static struct measured *read_pairs(FILE *file, const char *only, int level, size_t *count) {
    struct measured *all = NULL;
    char *line = NULL;
    size_t capacity = 0, all_capacity = 0;
    *count = 0;
    while (getline(&line, &capacity, file) > 0) {
        json_t *json = json_loads(line, 0, NULL);
        struct pair pair = {json_string_value(json_object_get(json, "name")),
                            {json_string_value(json_object_get(json, "vertex")),
                             json_string_value(json_object_get(json, "fragment"))}};
        if (!pair.name || !pair.text[0] || !pair.text[1] || strncmp(pair.name, only, strlen(only))) {
            json_decref(json);
            continue;
        }
        if (*count == all_capacity) {
            all_capacity = 2 * all_capacity + 64;
            all = realloc(all, all_capacity * sizeof *all);
            if (!all)
                abort();
        }
        all[(*count)++] = (struct measured){json, pair, first_compile(&pair, level)};
    }
    free(line);
    return all;
}

/* --- the worst ------------------------------------------------------------------------------------------ */

enum { WORST = 10 };

struct worst {
    char name[128];
    double all, other;
};

/* What ours are compared with: names and milliseconds. NULL: glslang. */
static json_t *read_peer(const char *path) {
    json_t *times = json_object();
    FILE *file = fopen(path, "r");
    char name[128];
    double ms;
    while (file && fscanf(file, "%127s %lf", name, &ms) == 2)
        json_object_set_new(times, name, json_real(ms));
    if (file)
        fclose(file);
    return times;
}

struct total {
    double ours, other, logs;
    unsigned count;
};

/* Into the list, the worst first, which ends with a pair that took no time. */
static void add_worst(struct worst list[WORST + 1], const char *name, double all, double other) {
    unsigned k = WORST;
    while (k > 0 && all * list[k - 1].other > list[k - 1].all * other)
        k--;
    memmove(&list[k + 1], &list[k], (WORST - k) * sizeof *list);
    list[k] = (struct worst){.all = all, .other = other};
    snprintf(list[k].name, sizeof list[k].name, "%s", name);
}

static void print_worst(const struct worst list[WORST], const char *whose) {
    for (unsigned k = 0; k < WORST && list[k].all > 0; k++)
        fprintf(stderr, "%s: %.2f times %s %.3f\n", list[k].name, list[k].all / list[k].other, whose,
                list[k].other);
}

int main(int argc, char **argv) {
    const char *only = "";
    unsigned rounds = 5;
    int level = 2;
    json_t *peer = NULL;
    struct total total = {0};
    bool usage = argc < 2 || argc % 2;
    for (int i = 2; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        else if (!strcmp(argv[i], "--rounds"))
            rounds = (unsigned)atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--level"))
            level = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--peer"))
            peer = read_peer(argv[i + 1]);
        else
            usage = true;
    FILE *file = usage ? NULL : fopen(argv[1], "r");
    if (!file || !rounds || (peer && !json_object_size(peer))) {
        fprintf(stderr, "usage: %s dev-pairs.jsonl [--only PREFIX] [--rounds N] [--level N] [--peer TIMES]\n",
                argv[0]);
        return 1;
    }
    open_counter();
    size_t count;
    struct measured *pairs = read_pairs(file, only, level, &count);
    static const struct pair first = {
        "first", {"void main() { gl_Position = vec4(0.0); }", "void main() { gl_FragColor = vec4(0.0); }"}};
    double ignored = 0;
    everything(&first, level, &ignored);
    glslang_initialize_process(); /* counts its users: the library has its own */
    glslang_alone(&first, true, &ignored);
    struct worst worst[WORST + 1] = {0};
    for (size_t k = 0; k < WORST; k++)
        worst[k].other = 1; /* all = 0: every pair is worse */
    for (size_t k = 0; k < count; k++) {
        const struct pair *pair = &pairs[k].pair;
        double plain = 0, spirv = 0, front = 0, all = 0;
        bool good = true;
        for (unsigned i = 0; i < rounds && good; i++) {
            good = everything(pair, level, &all);
            glslang_alone(pair, false, &plain);
            front_end(pair, &front);
            glslang_alone(pair, true, &spirv);
        }
        if (good)
            printf("%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", pair->name, plain, spirv, front, all,
                   pairs[k].first);
        double other = peer ? json_real_value(json_object_get(peer, pair->name)) : plain;
        if (good && other > 0) {
            add_worst(worst, pair->name, all, other);
            total.ours += all, total.other += other;
            total.logs += log(all / other), total.count++;
        }
        json_decref(pairs[k].json);
    }
    print_worst(worst, peer ? "the peer's" : "glslang's");
    if (total.count)
        fprintf(stderr, "%u pairs: totals %.3f, geometric mean %.3f of %s\n", total.count,
                total.ours / total.other, exp(total.logs / total.count), peer ? "the peer's" : "glslang's");
    json_decref(peer);
    free(pairs);
    fclose(file);
    glslang_finalize_process();
    return 0;
}
