/* Real shaders in random states: every pair draws at -O2 what it draws at -O0, or says why it does not fit.
 * Textures, two threads, branches and discards meet what the key adds.
 *
 *     output_shaders --pairs FILE.jsonl [--filter PREFIX] [--part K/N] [--size WxH] */
#include "batch.h"
#include "tests/tools/pairs.h"
#include "tools/render.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 4
static const double max_bad_share = 0.01;

enum { SKIPPED = 77 };

struct runner {
    struct pair_options options;
    unsigned passed, failed, refused, number;
};

static struct qpucc_draw_state draw_values(uint32_t *seed) {
    struct qpucc_draw_state draw = {.alpha_reference = 0.4f,
                                    .fog_density = 0.3f,
                                    .fog_end = 4,
                                    .chroma_high = batch_random(seed),
                                    .line_width = 2,
                                    .line_stipple_scale = 1,
                                    .line_stipple_pattern = 0xf0f0};
    struct qpucc_stencil_side side = {.depth_pass = QPUCC_STENCIL_INCREMENT, .write_mask = 255};
    struct qpucc_state ignored;
    qpucc_stencil(&side, &side, &ignored, &draw);
    draw.stencil_setup[1] = 2u << 30 | (draw.stencil_setup[0] & 0x3fffffff);
    for (int i = 0; i < 4; i++)
        draw.blend_color[i] = (float)batch_below(seed, 256) / 255;
    for (int i = 0; i < 32; i++)
        draw.stipple_pattern[i] = batch_random(seed);
    return draw;
}

/* Of what the machine's draws have: one sample of 32 bits. Where a step decides on a pixel, levels may
 * differ. */
static struct qpucc_state random_state(uint32_t *seed, const struct scene *scene) {
    struct qpucc_state s = batch_random_state(seed), scenes = render_state(scene);
    s.primitive = scenes.primitive;
    s.depth_test = scenes.depth_test;
    s.multisample = s.alpha_to_coverage = s.alpha_to_one = s.sample_mask = 0;
    s.line_smooth = s.line_stipple = s.line_smooth && s.primitive == QPUCC_LINES;
    s.alpha_func =
        s.alpha_func == QPUCC_EQUAL || s.alpha_func == QPUCC_NOTEQUAL ? QPUCC_GREATER : s.alpha_func;
    s.chroma_key = s.logic_op = 0;
    s.target = s.target < QPUCC_TARGET_RGBA4444 ? s.target : QPUCC_TARGET_RGBA8888;
    s.flip_y = 0;
    return s;
}

/* NULL pixels: refused. */
static bool draw(struct scene *scene, const char *vertex, const char *fragment,
                 const struct qpucc_state *state, const struct render_options *how, int level,
                 struct picture *out, char *error, size_t size) {
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    struct qpusim_counters counters = {0};
    options.default_precision = QPUCC_PRECISION_HIGHP;
    options.opt_level = level;
    qpucc_program *program = qpucc_compile(sources, 2, state, &options);
    enum qpucc_status status = program ? qpucc_program_status(program) : QPUCC_INTERNAL;
    bool ok = status != QPUCC_INTERNAL;
    *out = (struct picture){0};
    if (program && status != QPUCC_OK)
        snprintf(error, size, "%.300s", qpucc_program_diagnostic(program, 0)->text);
    else if (ok)
        ok = render_scene(scene, program, how, out, &counters, error, size) && !counters.position_mismatches;
    qpucc_program_free(program);
    return ok;
}

static void run_pair(void *user, const char *name, struct scene *scene, const char *vertex,
                     const char *fragment, const char *why) {
    struct runner *r = user;
    struct picture pictures[2] = {{0}};
    char error[4000] = "";
    uint32_t seed = ++r->number * 2654435761u | 1;
    if (!scene) {
        printf("%s: %s\n", name, why);
        r->failed++;
        return;
    }
    struct qpucc_state state = random_state(&seed, scene);
    struct render_options how = {.values = draw_values(&seed)};
    bool ok = true;
    for (int k = 0; ok && k < 2; k++)
        ok = draw(scene, vertex, fragment, &state, &how, 2 * k, &pictures[k], error, sizeof error);
    size_t bad = 0, count = (size_t)scene->width * scene->height;
    bool both = pictures[0].pixels && pictures[1].pixels;
    for (size_t p = 0; both && p < count; p++) {
        int worst = 0;
        for (size_t k = 0; k < 4; k++) {
            int d = abs(pictures[0].pixels[4 * p + k] - pictures[1].pixels[4 * p + k]);
            worst = d > worst ? d : worst;
        }
        bad += worst > TOLERANCE;
    }
    ok &= (double)bad <= max_bad_share * (double)count;
    r->refused += ok && !both;
    r->passed += ok && both;
    r->failed += !ok;
    if (!ok) {
        printf("%s: %zu of %zu pixels off, %s\n", name, bad, count, error);
        batch_print_state(&state);
    }
    picture_free(&pictures[0]);
    picture_free(&pictures[1]);
}

int main(int argc, char **argv) {
    static const struct option longs[] = {PAIR_LONG, {NULL, 0, NULL, 0}};
    struct runner runner = {.number = 0};
    bool skipped = false;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        if (!pairs_option(&runner.options, c, optarg))
            return 1;
    bool ok = runner.options.pairs && pairs_each(&runner.options, run_pair, &runner, &skipped);
    file_free(&runner.options.exceptions);
    if (skipped)
        return SKIPPED;
    printf("%u passed, %u failed, %u refused\n", runner.passed, runner.failed, runner.refused);
    return !ok || runner.failed || !runner.passed;
}
