/* What code for another state costs, beside the first compile: CPU time, one process, one thread.
 *
 *     bench_variants dev-pairs.jsonl [--only PREFIX] [--rounds N] [--level N] >variants.tsv
 *
 * Every pair is compiled for GL's initial state, and variants of it are made for others. The least of N times
 * counts, the compile and its variants in turn. A line: name, milliseconds of the first compile and of each
 * variant. Then a table: of each state, the median and the upper decile of variant / compile; and what all
 * compiles took, and reading and linking the same shaders. */
#include <jansson.h>
#include <qpucc/qpucc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    struct qpucc_state state;
} states[] = {
    {"the same", {0}},
    {"depth test", {.depth_test = 1}},
    {"flipped framebuffer", {.flip_y = 1}},
    {"points", {.primitive = QPUCC_POINTS}},
    {"lines", {.primitive = QPUCC_LINES}},
    {"blending",
     {.blend = {.enable = 1,
                .rgb_source = QPUCC_FACTOR_SRC_ALPHA,
                .rgb_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA,
                .alpha_source = QPUCC_FACTOR_ONE,
                .alpha_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA}}},
    {"BGRA textures", {.texture = {{.format = QPUCC_TEX_BGRA}, {.format = QPUCC_TEX_BGRA}}}},
};
enum { STATES = sizeof states / sizeof *states, MAX_PAIRS = 2000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Reading both shaders, and linking them. */
static void measure_link(const struct qpucc_source sources[2], const struct qpucc_options *options,
                         double least[2]) {
    double start = now();
    qpucc_shader *shaders[2] = {qpucc_shader_compile(&sources[0], options),
                                qpucc_shader_compile(&sources[1], options)};
    double read = now() - start;
    start = now();
    qpucc_program *program = qpucc_link((const qpucc_shader *const *)shaders, 2, NULL, options);
    double linked = now() - start;
    least[0] = least[0] == 0 || read < least[0] ? read : least[0];
    least[1] = least[1] == 0 || linked < least[1] ? linked : least[1];
    qpucc_program_free(program);
    for (int k = 0; k < 2; k++)
        qpucc_shader_free(shaders[k]);
}

static bool measure(const char *const text[2], int level, double least[1 + STATES], double link[2]) {
    struct qpucc_source sources[2] = {{"a.vert", text[0], strlen(text[0]), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", text[1], strlen(text[1]), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    double start = now();
    qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
    double time = now() - start;
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    for (int s = -1; ok && s < STATES; s++) {
        if (s >= 0) {
            start = now();
            qpucc_program *variant = qpucc_variant(program, &states[s].state);
            time = now() - start;
            qpucc_program_free(variant);
        }
        if (least[s + 1] == 0 || time < least[s + 1])
            least[s + 1] = time;
    }
    qpucc_program_free(program);
    if (ok)
        measure_link(sources, &options, link);
    return ok;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
    const char *only = "";
    int rounds = 3, level = 2;
    bool usage = argc < 2 || argc % 2;
    for (int i = 2; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        else if (!strcmp(argv[i], "--rounds"))
            rounds = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--level"))
            level = atoi(argv[i + 1]);
        else
            usage = true;
    FILE *file = usage ? NULL : fopen(argv[1], "r");
    if (!file || rounds < 1) {
        fprintf(stderr, "usage: %s dev-pairs.jsonl [--only PREFIX] [--rounds N] [--level N]\n", argv[0]);
        return 1;
    }
    static double ratios[STATES][MAX_PAIRS];
    double ignored[1 + STATES] = {0}, none[2] = {0}, sums[3] = {0};
    size_t count = 0;
    /* glslang builds its tables at the first compile */
    measure((const char *const[2]){"void main() { gl_Position = vec4(0.0); }", "void main() {}"}, level,
            ignored, none);
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0 && count < MAX_PAIRS) {
        json_t *json = json_loads(line, 0, NULL);
        const char *name = json_string_value(json_object_get(json, "name"));
        const char *const text[2] = {json_string_value(json_object_get(json, "vertex")),
                                     json_string_value(json_object_get(json, "fragment"))};
        double least[1 + STATES] = {0}, link[2] = {0};
        bool good = name && text[0] && text[1] && !strncmp(name, only, strlen(only));
        for (int i = 0; i < rounds && good; i++)
            good = measure(text, level, least, link);
        if (good) {
            printf("%s\t%.3f", name, least[0]);
            for (int s = 0; s < STATES; s++) {
                printf("\t%.3f", least[s + 1]);
                ratios[s][count] = least[s + 1] / least[0];
            }
            printf("\n");
            sums[0] += least[0], sums[1] += link[0], sums[2] += link[1];
            count++;
        }
        json_decref(json);
    }
    free(line);
    fclose(file);
    printf("\n| state of the variant | variant / first compile, median | upper decile |\n|---|---|---|\n");
    for (int s = 0; s < STATES && count; s++) {
        qsort(ratios[s], count, sizeof *ratios[s], compare);
        printf("| %s | %.3f | %.3f |\n", states[s].name, ratios[s][count / 2], ratios[s][count * 9 / 10]);
    }
    printf("\ncompiles %.0f ms; shaders read one by one %.0f ms, linked %.0f ms\n", sums[0], sums[1],
           sums[2]);
    return 0;
}
