/* Draws the corpus on the machine at several optimisation levels and compares the pictures with -O0's: what
 * differs is the compiler's own doing, without another GL's rounding. Policies of precision count as levels.
 *
 *     levels [--keep DIR] [--exceptions FILE] --pairs FILE.jsonl [--filter PREFIX] [--part K/N] [--size WxH]
 *            [--levels O2,O2-fast] [--against FILE.jsonl] [--strict]
 *
 * With --against the first picture is that of the pair of the same name there, at the first of the levels. A
 * text that begins with "spirv:" is the name of a module's file.
 * With --strict what a level refuses has failed; levels that the hardware has no room for are left out
 * otherwise.
 *
 * A pair passes when no more than 0.5 % of the pixels are off by more than 3/255 (rounding that moves an
 * edge, or that a shader amplifies). */
#include "pairs.h"
#include "tools/render.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 3
static const double max_bad_share = 0.005;

enum { SKIPPED = 77 };

struct level {
    const char *name;
    int opt_level;
    uint32_t flags;
};

static const struct level levels[] = {
    {"O0", 0, 0},
    {"O1", 1, 0},
    {"O2", 2, 0},
    {"O2-uniforms", 2, QPUCC_NO_UNIFORM_EXPRESSIONS},
    {"O3", 3, 0},
    {"O2-fast", 2, QPUCC_POLICY_FAST},
    {"O0-precise", 0, QPUCC_POLICY_PRECISE},
    {"O2-precise", 2, QPUCC_POLICY_PRECISE},
};

struct runner {
    struct pair_options options;
    const char *levels; /* names of those to draw; NULL: all */
    json_t *originals;  /* vertex and fragment shaders by name that these come from; NULL: none */
    bool strict;
    unsigned passed, failed, excepted, without;
};

static void fail(struct runner *runner, const char *name, const char *level, const char *text) {
    bool excepted = pairs_excepted(&runner->options, name);
    printf("%-44s %s  %s: %s\n", name, excepted ? "except" : "FAILED", level, text);
    fflush(stdout);
}

enum outcome { DRAWN, REFUSED, BROKEN };

/* False, with why in `error`: there is no such module. */
static bool find_source(struct qpucc_source *source, struct file_data *module, char *error, size_t size) {
    static const char prefix[] = "spirv:";
    if (strncmp(source->data, prefix, sizeof prefix - 1))
        return true;
    source->language = QPUCC_SPIRV;
    bool ok = file_read((const char *)source->data + sizeof prefix - 1, module, error, size);
    source->data = module->data;
    source->size = module->size;
    return ok;
}

static enum outcome draw_sources(const struct level *level, struct scene *scene,
                                 const struct qpucc_source sources[2], struct picture *out, char *error,
                                 size_t size) {
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_state state = render_state(scene);
    struct render_options how = {0};
    struct qpusim_counters counters = {0};
    options.default_precision = QPUCC_PRECISION_HIGHP;
    options.opt_level = level->opt_level;
    options.flags |= level->flags;
    qpucc_program *program = qpucc_compile(sources, 2, &state, &options);
    enum outcome outcome = BROKEN;
    enum qpucc_status status = program ? qpucc_program_status(program) : QPUCC_INTERNAL;
    if (!program)
        snprintf(error, size, "out of memory");
    else if (status != QPUCC_OK) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, 0);
        snprintf(error, size, "%s: %.200s", d->code, d->text);
        if (status != QPUCC_INTERNAL)
            outcome = REFUSED;
    } else if (render_scene(scene, program, &how, out, &counters, error, size)) {
        outcome = DRAWN;
        if (counters.position_mismatches) {
            snprintf(error, size, "vertex and coordinate shader disagree");
            outcome = BROKEN;
        }
    }
    qpucc_program_free(program);
    return outcome;
}

static enum outcome draw(const struct level *level, struct scene *scene, const char *vertex,
                         const char *fragment, struct picture *out, char *error, size_t size) {
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct file_data modules[2] = {{0}};
    bool found = find_source(&sources[0], &modules[0], error, size) &&
                 find_source(&sources[1], &modules[1], error, size);
    enum outcome outcome = found ? draw_sources(level, scene, sources, out, error, size) : BROKEN;
    file_free(&modules[0]);
    file_free(&modules[1]);
    return outcome;
}

static bool is_wanted(const struct runner *runner, const char *name) {
    size_t length = strlen(name);
    for (const char *at = runner->levels; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
            return true;
    return !runner->levels;
}

/* Are the pictures the same but for rounding? False: what is not in `text`. */
static bool agree(const struct scene *scene, const struct picture *a, const struct picture *b, char *text,
                  size_t size) {
    size_t count = (size_t)scene->width * scene->height, bad = 0;
    int worst[4] = {0};
    for (size_t p = 0; p < count; p++) {
        bool off = false;
        for (size_t k = 0; k < 4; k++) {
            int d = abs(a->pixels[4 * p + k] - b->pixels[4 * p + k]);
            worst[k] = d > worst[k] ? d : worst[k];
            off |= d > TOLERANCE;
        }
        bad += off;
    }
    snprintf(text, size, "%zu of %zu pixels, worst %d %d %d %d", bad, count, worst[0], worst[1], worst[2],
             worst[3]);
    return (double)bad <= max_bad_share * (double)count;
}

/* Draws the pair at each level. The first picture there is, or the original's if it has one, is what the
 * others are compared with. */
static void run_pair(void *user, const char *name, struct scene *scene, const char *vertex,
                     const char *fragment, const char *why) {
    struct runner *runner = user;
    struct picture pictures[sizeof levels / sizeof *levels] = {{0}}, original = {0};
    const struct picture *first = NULL;
    json_t *other = json_object_get(runner->originals, name);
    const char *of = "the original", *texts[2];
    bool ok = scene && (other || !runner->originals), drawn = false, ready = ok;
    char error[4000], text[4100];
    if (!scene)
        fail(runner, name, "scene", why);
    else if (!ready)
        fail(runner, name, of, "is not there");
    if (other)
        json_unpack(other, "[s, s]", &texts[0], &texts[1]);
    for (size_t i = 0; ready && i < sizeof levels / sizeof *levels; i++) {
        if (!is_wanted(runner, levels[i].name))
            continue;
        enum outcome outcome = DRAWN;
        if (other && !first) {
            outcome = draw(&levels[i], scene, texts[0], texts[1], &original, error, sizeof error);
            first = &original;
        }
        if (outcome != DRAWN) { /* nothing to compare with; a refusal is not the rewriting's fault */
            ok = outcome == REFUSED;
            if (!ok)
                fail(runner, name, of, error);
            break;
        }
        outcome = draw(&levels[i], scene, vertex, fragment, &pictures[i], error, sizeof error);
        if (outcome == BROKEN || (outcome == REFUSED && runner->strict)) {
            ok = false;
            fail(runner, name, levels[i].name, error);
        }
        if (outcome != DRAWN)
            continue;
        drawn = true;
        if (!first) {
            first = &pictures[i];
            of = levels[i].name;
        }
        if (agree(scene, first, &pictures[i], error, sizeof error))
            continue;
        ok = false;
        snprintf(text, sizeof text, "is not like %s: %s", of, error);
        fail(runner, name, levels[i].name, text);
        if (runner->options.keep) {
            pairs_keep(&runner->options, name, levels[i].name, &pictures[i]);
            pairs_keep(&runner->options, name, of, first);
        }
    }
    bool excepted = !ok && pairs_excepted(&runner->options, name);
    runner->excepted += excepted;
    runner->failed += !ok && !excepted;
    runner->passed += ok && drawn;
    runner->without += ok && !drawn;
    picture_free(&original);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        picture_free(&pictures[i]);
}

static void add_original(void *user, const char *name, struct scene *scene, const char *vertex,
                         const char *fragment, const char *why) {
    (void)scene, (void)why;
    json_object_set_new(user, name, json_pack("[s, s]", vertex, fragment));
}

int main(int argc, char **argv) {
    static const struct option longs[] = {PAIR_LONG,
                                          {"levels", required_argument, NULL, 'l'},
                                          {"against", required_argument, NULL, 'a'},
                                          {"strict", no_argument, NULL, 't'},
                                          {NULL, 0, NULL, 0}};
    struct runner runner = {0};
    struct pair_options originals = {0};
    bool skipped = false, ok = true;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        if (c == 'l')
            runner.levels = optarg;
        else if (c == 't')
            runner.strict = true;
        else if (c == 'a')
            originals.pairs = optarg;
        else if (!pairs_option(&runner.options, c, optarg))
            return 1;
    if (originals.pairs) {
        runner.originals = json_object();
        ok = pairs_each(&originals, add_original, runner.originals, &skipped);
    }
    ok = ok && !skipped && runner.options.pairs && pairs_each(&runner.options, run_pair, &runner, &skipped);
    file_free(&runner.options.exceptions);
    json_decref(runner.originals);
    if (skipped)
        return SKIPPED;
    printf("%u passed, %u failed, %u excepted, %u that no level takes\n", runner.passed, runner.failed,
           runner.excepted, runner.without);
    return !ok || runner.failed || !runner.passed;
}
