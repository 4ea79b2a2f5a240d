/* The steps of pixels and vertices: what the last write of the colour says is what the picture shows, every
 * executed instruction is a step, the values of variables are what the source says. */
#include "tools/inspect.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char vertex_text[] = "attribute vec4 a_position; varying vec2 v; uniform float u_scale;\n"
                                  "void main() { vec2 half_size = a_position.xy * 0.5; v = half_size + 0.5;\n"
                                  "  gl_Position = vec4(a_position.xy * u_scale, 0.0, 1.0); }\n";
static const char fragment_text[] = "precision highp float; varying vec2 v; uniform float u_limit;\n"
                                    "void main() {\n"
                                    "  float twice = v.x * 2.0;\n"
                                    "  float root = sqrt(v.y);\n"
                                    "  float sum = twice + root;\n"
                                    "  if (sum > u_limit) sum = u_limit;\n"
                                    "  gl_FragColor = vec4(sum * 0.25, v.y, 0.0, 1.0);\n"
                                    "}\n";

static struct scene scene;
static qpucc_program *program;
static qpucc_explanation *explain;

static void open_mesh(const char *mesh, const char *vertex, const char *fragment, unsigned width,
                      unsigned height) {
    char error[600], text[40];
    struct qpucc_source sources[] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                     {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.flags |= QPUCC_GENERATE_NAMES;
    scene_init(&scene);
    scene.mesh_name = strdup(mesh);
    snprintf(text, sizeof text, "%ux%u", width, height);
    ck_assert(scene_size_option(&scene, text, error, sizeof error));
    ck_assert(scene_uniform_option(&scene, "u_scale=1", error, sizeof error));
    ck_assert(scene_uniform_option(&scene, "u_limit=1.5", error, sizeof error));
    ck_assert_msg(scene_prepare(&scene, error, sizeof error), "%s", error);
    struct qpucc_state state = render_state(&scene);
    program = qpucc_compile(sources, 2, &state, &options);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    explain = qpucc_explain(program, 0);
    ck_assert_ptr_nonnull(explain);
}

static void open_pair(const char *vertex, const char *fragment, unsigned width, unsigned height) {
    open_mesh("quad", vertex, fragment, width, height);
}

static void close_pair(void) {
    qpucc_explain_free(explain);
    qpucc_program_free(program);
    scene_free(&scene);
}

static struct inspection inspect(enum qpucc_stage stage, unsigned x, unsigned y, unsigned vertex) {
    struct inspect_target target = {.stage = stage, .x = x, .y = y, .vertex = vertex};
    struct render_options options = {.trace = NULL};
    struct inspection out;
    char error[600];
    ck_assert_msg(inspect_scene(&scene, program, qpucc_explanation_stage(explain, target.stage), &options,
                                &target, &out, error, sizeof error),
                  "%s", error);
    return out;
}

/* The last value that a run gives the variable; false: none. */
static bool last_value(const struct inspect_run *run, const char *name, float *value) {
    bool found = false;
    for (size_t i = 0; i < run->count; i++)
        for (unsigned w = 0; w < run->step[i].write_count; w++) {
            const struct inspect_write *write = &run->step[i].write[w];
            if (!write->name || strcmp(write->name, name) || !write->written)
                continue;
            memcpy(value, &write->value, sizeof *value);
            found = true;
        }
    return found;
}

static const struct inspect_run *covered_run(const struct inspection *in) {
    const struct inspect_run *run = NULL;
    for (size_t i = 0; i < in->count; i++)
        run = in->run[i].covered ? &in->run[i] : run;
    return run;
}

START_TEST(the_picture_is_the_last_write) {
    open_pair(vertex_text, fragment_text, 24, 18);
    const struct qpucc_explain_stage *stage = qpucc_explanation_stage(explain, QPUCC_FRAGMENT);
    for (unsigned y = 0; y < 18; y += 5)
        for (unsigned x = 0; x < 24; x += 3) {
            struct inspection in = inspect(QPUCC_FRAGMENT, x, y, 0);
            const struct inspect_run *run = covered_run(&in);
            uint32_t color = 0;
            ck_assert_ptr_nonnull(run);
            ck_assert_uint_eq(run->count, stage->count); /* no branches */
            for (size_t i = 0; i < run->count; i++)
                for (unsigned w = 0; w < run->step[i].write_count; w++)
                    if (!strcmp(run->step[i].write[w].target, "tlbc"))
                        color = run->step[i].write[w].value;
            ck_assert_mem_eq(in.color, &color, 4);
            inspect_free(&in);
        }
    close_pair();
}
END_TEST

START_TEST(variables_have_the_values_of_the_source) {
    open_pair(vertex_text, fragment_text, 24, 18);
    for (unsigned y = 1; y < 18; y += 4)
        for (unsigned x = 1; x < 24; x += 4) {
            struct inspection in = inspect(QPUCC_FRAGMENT, x, y, 0);
            const struct inspect_run *run = covered_run(&in);
            float vx, vy, twice, root, sum;
            ck_assert(last_value(run, "v.x", &vx) && last_value(run, "v.y", &vy));
            ck_assert_float_eq_tol(vx, ((float)x + 0.5f) / 24, 1e-4f);
            ck_assert_float_eq_tol(vy, 1 - ((float)y + 0.5f) / 18, 1e-4f);
            if (last_value(run, "twice", &twice))
                ck_assert_float_eq_tol(twice, 2 * vx, 1e-5f);
            ck_assert(last_value(run, "root", &root));
            ck_assert_float_eq_tol(root * root, vy, 1e-3f);
            ck_assert(last_value(run, "sum", &sum));
            ck_assert_float_eq_tol(sum, 2 * vx + root > 1.5f ? 1.5f : 2 * vx + root, 1e-4f);
            inspect_free(&in);
        }
    close_pair();
}
END_TEST

START_TEST(vertices) {
    open_pair(vertex_text, fragment_text, 24, 18);
    for (unsigned v = 0; v < scene.mesh.count; v++)
        for (int s = QPUCC_VERTEX; s <= QPUCC_COORDINATE; s++) {
            struct inspection in = inspect((enum qpucc_stage)s, 0, 0, v);
            ck_assert_uint_eq(in.count, 1);
            ck_assert_uint_eq(in.run->count, qpucc_explanation_stage(explain, (enum qpucc_stage)s)->count);
            inspect_free(&in);
        }
    struct inspect_target target = {.stage = QPUCC_VERTEX, .vertex = 1000000};
    struct render_options options = {.trace = NULL};
    struct inspection out;
    char error[600];
    ck_assert(!inspect_scene(&scene, program, qpucc_explanation_stage(explain, target.stage), &options,
                             &target, &out, error, sizeof error));
    inspect_free(&out);
    target = (struct inspect_target){.stage = QPUCC_FRAGMENT, .x = 24};
    ck_assert(!inspect_scene(&scene, program, qpucc_explanation_stage(explain, target.stage), &options,
                             &target, &out, error, sizeof error));
    inspect_free(&out);
    close_pair();
}
END_TEST

START_TEST(loops_are_steps_and_end_at_the_limit) {
    open_pair(vertex_text,
              "precision highp float; varying vec2 v; uniform int u_count;\n"
              "void main() { float a = 0.0; for (int i = 0; i < 200; i++) { if (float(i) > v.x * 100.0) "
              "break; a += 0.01; }\n"
              "  gl_FragColor = vec4(a); }\n",
              8, 8);
    struct inspection all = inspect(QPUCC_FRAGMENT, 7, 0, 0);
    ck_assert_uint_gt(covered_run(&all)->count, qpucc_explanation_stage(explain, QPUCC_FRAGMENT)->count);
    ck_assert(!all.truncated);
    inspect_free(&all);
    struct inspect_target target = {.stage = QPUCC_FRAGMENT, .x = 7, .most = 10};
    struct render_options options = {.trace = NULL};
    struct inspection some;
    char error[600];
    ck_assert(inspect_scene(&scene, program, qpucc_explanation_stage(explain, target.stage), &options,
                            &target, &some, error, sizeof error));
    ck_assert(some.truncated);
    ck_assert_uint_eq(some.steps, 10);
    inspect_free(&some);
    close_pair();
}
END_TEST

/* --- what became of a pixel's runs ---------------------------------------------------------------------- */

static const char placed[] = "attribute vec4 a_position; attribute vec4 a_color; varying vec4 v;\n"
                             "uniform mat4 u_mvp;\n"
                             "void main() { v = a_color; gl_Position = u_mvp * a_position; }\n";
static const char shown[] = "precision mediump float; varying vec4 v;\n"
                            "void main() { if (gl_FragCoord.x > 30.0) discard;\n"
                            "  gl_FragColor = vec4(v.rgb * 0.5 + gl_FragCoord.z * 0.5, 1.0); }\n";

static void open_cube(void) {
    open_mesh("cube", placed, shown, 40, 40);
    scene.raster.depth_test = scene.raster.depth_write = true;
    scene.raster.depth_func = QPUSIM_FUNC_LEQUAL;
}

/* Colours lead from run to run, from the clear colour to the picture's; how many runs have the fate. */
static unsigned follow(const struct inspection *in, enum inspect_fate fate) {
    unsigned count = 0;
    const uint8_t *color = scene.clear;
    for (size_t i = 0; i < in->count; i++) {
        const struct inspect_run *run = &in->run[i];
        bool changes = run->fate == INSPECT_SEEN || run->fate == INSPECT_OVERDRAWN;
        ck_assert_mem_eq(run->before, color, 4);
        ck_assert(changes || !memcmp(run->before, run->after, 4));
        ck_assert(run->fate != INSPECT_CULLED || !run->count);
        color = run->after;
        count += run->fate == fate;
    }
    ck_assert_mem_eq(color, in->color, 4);
    return count;
}

START_TEST(fates_lead_from_the_clear_colour_to_the_pictures) {
    unsigned count[INSPECT_CULLED + 1] = {0}, culled = 0, both = 0;
    open_cube();
    for (unsigned at = 0; at < 40 * 40; at += 7) {
        unsigned covered = 0;
        scene.raster.cull = QPUSIM_CULL_NONE;
        struct inspection all = inspect(QPUCC_FRAGMENT, at % 40, at / 40, 0);
        for (size_t i = 0; i < all.count; i++) {
            count[all.run[i].fate]++;
            covered += all.run[i].covered;
        }
        ck_assert_uint_eq(follow(&all, INSPECT_CULLED), 0);
        ck_assert_uint_le(follow(&all, INSPECT_SEEN), 1);
        /* What is culled is what does not run any more: the same picture by the front faces alone. */
        scene.raster.cull = QPUSIM_CULL_BACK;
        struct inspection front = inspect(QPUCC_FRAGMENT, at % 40, at / 40, 0);
        culled += follow(&front, INSPECT_CULLED);
        unsigned ran = 0;
        for (size_t i = 0; i < front.count; i++)
            ran += front.run[i].covered;
        ck_assert_uint_eq(ran, covered);
        ck_assert_mem_eq(front.color, all.color, 4);
        scene.raster.cull = QPUSIM_CULL_BOTH;
        struct inspection none = inspect(QPUCC_FRAGMENT, at % 40, at / 40, 0);
        both += follow(&none, INSPECT_CULLED);
        ck_assert_uint_eq(none.count, covered);
        ck_assert_mem_eq(none.color, scene.clear, 4);
        inspect_free(&all);
        inspect_free(&front);
        inspect_free(&none);
    }
    ck_assert_uint_gt(count[INSPECT_SEEN], 20);
    ck_assert_uint_gt(count[INSPECT_DEPTH] + count[INSPECT_OVERDRAWN], 20);
    ck_assert_uint_gt(count[INSPECT_DISCARDED], 5);
    ck_assert_uint_gt(count[INSPECT_HELPER], 0);
    ck_assert_uint_gt(culled, 20);
    ck_assert_uint_gt(both, culled);
    close_pair();
}
END_TEST

START_TEST(depths_say_why_a_run_fails) {
    open_cube();
    scene.raster.depth_func = QPUSIM_FUNC_GREATER; /* nothing is farther than the far plane */
    struct inspection in = inspect(QPUCC_FRAGMENT, 20, 20, 0);
    ck_assert_uint_ge(in.count, 2);
    ck_assert_uint_eq(follow(&in, INSPECT_DEPTH), in.count);
    for (size_t i = 0; i < in.count; i++) {
        ck_assert_uint_eq(in.run[i].depth_before, 0xffffff);
        ck_assert_uint_lt(in.run[i].depth_tested, 0xffffff);
        ck_assert_uint_gt(in.run[i].depth_tested, 0);
    }
    inspect_free(&in);
    close_pair();
}
END_TEST

START_TEST(instances_are_draws) {
    open_pair(vertex_text, fragment_text, 24, 18);
    scene.instances = 3;
    struct inspection in = inspect(QPUCC_FRAGMENT, 11, 7, 0);
    unsigned seen[3] = {0};
    for (size_t i = 0; i < in.count; i++) {
        ck_assert_uint_lt(in.run[i].draw, 3);
        ck_assert(!i || in.run[i].draw >= in.run[i - 1].draw);
        seen[in.run[i].draw] += in.run[i].covered;
    }
    ck_assert_uint_eq(seen[0], 1);
    ck_assert_uint_eq(seen[1], 1);
    ck_assert_uint_eq(seen[2], 1);
    ck_assert_uint_eq(follow(&in, INSPECT_OVERDRAWN), 2);
    ck_assert_uint_eq(follow(&in, INSPECT_SEEN), 1);
    inspect_free(&in);
    close_pair();
}
END_TEST

int main(void) {
    Suite *suite = suite_create("inspect");
    TCase *c = tcase_create("steps");
    tcase_add_test(c, the_picture_is_the_last_write);
    tcase_add_test(c, variables_have_the_values_of_the_source);
    tcase_add_test(c, vertices);
    tcase_add_test(c, loops_are_steps_and_end_at_the_limit);
    tcase_add_test(c, fates_lead_from_the_clear_colour_to_the_pictures);
    tcase_add_test(c, depths_say_why_a_run_fails);
    tcase_add_test(c, instances_are_draws);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
