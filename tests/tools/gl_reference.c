/* Draws scenes on the machine and on the system's OpenGL ES 2 and compares the pictures.
 *
 *     gl_reference [--keep DIR] scene.json...
 *     gl_reference [--keep DIR] [--exceptions FILE] --pairs FILE.jsonl [--filter PREFIX]
 *
 * A scene passes when 99.5 % of its pixels agree within 3/255 in every channel; pixels that touch the outline
 * of what is drawn, or a fold in its depth, are excepted (the hardware snaps vertices to 1/16 pixel,
 * references to 1/256). gl_corpus tells why a pair fails. Exit code 77 when there is no such GL here, or no
 * corpus. */
#include "gl_picture.h"
#include "pairs.h"
#include "tools/render.h"
#include "tools/scene_json.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 3
#define MAX_EXCEPTIONS 3
static const double max_bad_share = 0.005;

enum { SKIPPED = 77 };

struct runner {
    struct gl *gl;
    struct pair_options options;
    unsigned passed, failed, refused, excepted, blank;
};

struct comparison {
    size_t compared, bad, edges, drawn;
    int worst[4];
};

static struct comparison compare(const struct picture *a, const struct picture *b, const bool *edges,
                                 const uint8_t clear[4]) {
    struct comparison c = {0};
    for (size_t i = 0; i < (size_t)a->width * a->height; i++) {
        int worst = 0;
        c.drawn += memcmp(b->pixels + 4 * i, clear, 4) != 0;
        if (edges[i]) {
            c.edges++;
            continue;
        }
        for (int k = 0; k < 4; k++) {
            int d = abs(a->pixels[4 * i + (size_t)k] - b->pixels[4 * i + (size_t)k]);
            worst = d > worst ? d : worst;
            c.worst[k] = d > c.worst[k] ? d : c.worst[k];
        }
        c.compared++;
        c.bad += worst > TOLERANCE;
    }
    return c;
}

/* The machine's picture, the reference's, and where they differ. */
static void keep_pictures(const struct runner *runner, const char *name, const struct picture *machine,
                          const struct picture *reference, const bool *edges) {
    struct picture difference = {machine->width, machine->height,
                                 calloc(4, (size_t)machine->width * machine->height)};
    const struct picture *pictures[3] = {machine, reference, &difference};
    static const char *const kinds[3] = {"machine", "gl", "difference"};
    for (size_t i = 0; difference.pixels && i < (size_t)machine->width * machine->height; i++)
        for (int k = 0; k < 3; k++) {
            int d = abs(machine->pixels[4 * i + (size_t)k] - reference->pixels[4 * i + (size_t)k]) * 16;
            difference.pixels[4 * i + (size_t)k] = edges[i] ? 40 : (uint8_t)(d < 255 ? d : 255);
        }
    for (int k = 0; k < 3; k++)
        if (pictures[k]->pixels)
            pairs_keep(&runner->options, name, kinds[k], pictures[k]);
    picture_free(&difference);
}

static void result(struct runner *runner, const char *name, bool ok, const char *text) {
    bool excepted = !ok && pairs_excepted(&runner->options, name);
    printf("%-44s %s  %s\n", name, ok ? "ok    " : excepted ? "except" : "FAILED", text);
    fflush(stdout);
    runner->passed += ok;
    runner->excepted += excepted;
    runner->failed += !ok && !excepted;
}

/* `refusable`: a pair that does not compile is counted, not failed (the corpus needs features still to come;
 * the report lists them by name). */
static void run_scene(struct runner *runner, const char *name, struct scene *scene, const char *vertex,
                      const char *fragment, bool refusable) {
    char error[4000] = "", text[300];
    struct picture machine = {0}, reference = {0};
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_state state = render_state(scene);
    struct render_options how = {0};
    struct qpusim_counters counters = {0};
    options.default_precision = QPUCC_PRECISION_HIGHP;
    qpucc_program *program = qpucc_compile(sources, 2, &state, &options);
    bool *edges = calloc((size_t)scene->width * scene->height, sizeof *edges);
    if (!program || !edges)
        result(runner, name, false, "out of memory");
    else if (qpucc_program_status(program) != QPUCC_OK) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
        bool refused = refusable && qpucc_program_status(program) != QPUCC_INTERNAL;
        snprintf(text, sizeof text, "%s: %.200s", d->code, d->text);
        if (refused) {
            printf("%-44s refused %s\n", name, text);
            runner->refused++;
        } else
            result(runner, name, false, text);
    } else if (!render_scene(scene, program, &how, &machine, &counters, error, sizeof error) ||
               !gl_draw(runner->gl, scene, vertex, fragment, &(struct gl_variation){0}, &reference, edges,
                        error, sizeof error))
        result(runner, name, false, error);
    else {
        struct comparison c = compare(&machine, &reference, edges, scene->clear);
        bool ok = (double)c.bad <= max_bad_share * (double)c.compared && !counters.position_mismatches;
        snprintf(text, sizeof text,
                 "%6zu of %6zu pixels off (%.2f %%), worst %3d %3d %3d %3d, %zu on edges%s%s", c.bad,
                 c.compared, 100.0 * (double)c.bad / (double)(c.compared ? c.compared : 1), c.worst[0],
                 c.worst[1], c.worst[2], c.worst[3], c.edges, c.drawn ? "" : ", nothing drawn",
                 counters.position_mismatches ? ", vertex and coordinate shader disagree" : "");
        runner->blank += !c.drawn;
        result(runner, name, ok, text);
        if (runner->options.keep && !ok)
            keep_pictures(runner, name, &machine, &reference, edges);
    }
    picture_free(&machine);
    picture_free(&reference);
    free(edges);
    qpucc_program_free(program);
}

static void run_file(struct runner *runner, const char *path) {
    char error[600];
    struct scene scene;
    struct file_data vertex = {NULL, 0}, fragment = {NULL, 0};
    const char *slash = strrchr(path, '/');
    scene_init(&scene);
    if (!scene_read(&scene, path, error, sizeof error) || !scene_prepare(&scene, error, sizeof error) ||
        !file_read(scene.vertex ? scene.vertex : "no vertex shader", &vertex, error, sizeof error) ||
        !file_read(scene.fragment ? scene.fragment : "no fragment shader", &fragment, error, sizeof error))
        result(runner, slash ? slash + 1 : path, false, error);
    else
        run_scene(runner, slash ? slash + 1 : path, &scene, vertex.data, fragment.data, false);
    file_free(&vertex);
    file_free(&fragment);
    scene_free(&scene);
}

static void run_pair(void *user, const char *name, struct scene *scene, const char *vertex,
                     const char *fragment, const char *error) {
    struct runner *runner = user;
    if (scene)
        run_scene(runner, name, scene, vertex, fragment, true);
    else
        result(runner, name, false, error);
}

int main(int argc, char **argv) {
    static const struct option longs[] = {PAIR_LONG, {NULL, 0, NULL, 0}};
    struct runner runner = {0};
    char error[600];
    bool skipped = false;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        if (!pairs_option(&runner.options, c, optarg))
            return 1;
    runner.gl = gl_open(error, sizeof error);
    if (!runner.gl) {
        printf("skipped: %s\n", error);
        file_free(&runner.options.exceptions);
        return SKIPPED;
    }
    printf("reference: %s\n", gl_name(runner.gl));
    for (int i = optind; i < argc; i++)
        run_file(&runner, argv[i]);
    bool ok = !runner.options.pairs || pairs_each(&runner.options, run_pair, &runner, &skipped);
    printf("%u passed, %u failed, %u excepted, %u refused by the compiler, %u without anything drawn\n",
           runner.passed, runner.failed, runner.excepted, runner.refused, runner.blank);
    gl_close(runner.gl);
    file_free(&runner.options.exceptions);
    if (skipped)
        return SKIPPED;
    return !ok || runner.failed || !(runner.passed + runner.refused) || runner.excepted > MAX_EXCEPTIONS;
}
