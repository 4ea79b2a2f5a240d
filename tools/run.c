/* qpucc run: compile a pair, draw it on the simulated machine, write a PNG. */
#include "cli.h"
#include "nothing.h"
#include "render.h"
#include "run_preset.h"
#include "scene_cli.h"
#include "undefined.h"

#include <qpucc/lists.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
    OPT_TRACE = CLI_OWN,
    OPT_CYCLES,
    OPT_STATS,
    OPT_ALPHA,
    OPT_LENIENT,
    OPT_DEVICE,
    OPT_IDEAL,
    OPT_TIMELINE,
    OPT_UNDEFINED,
    OPT_FRAMES,
    OPT_KEEP
};

struct request {
    const char *output, *timeline;
    bool cycles, stats, stats_json, alpha, undefined, undefined_json;
    const char *keep; /* presets only, as are frames */
    unsigned frames;
    struct render_options render;
};

/* The clock of the V3D block and the number of its QPUs on a Raspberry Pi 1 to 3; four clocks an instruction.
 */
enum { CLOCK_MHZ = 250, QPU_COUNT = 12 };

static void print_counters(const struct qpusim_counters *c) {
    printf("%-10s %12s %12s %9s\n", "stage", "instructions", "cycles", "batches");
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        printf("%-10s %12llu %12llu %9llu\n", qpucc_stage_name((enum qpucc_stage)s),
               (unsigned long long)c->stage_instructions[s], (unsigned long long)c->stage_cycles[s],
               (unsigned long long)c->stage_batches[s]);
    printf("%-10s %12llu %12llu %9llu\n", "all", (unsigned long long)c->instructions,
           (unsigned long long)c->cycles, (unsigned long long)c->batches);
    printf("stalls: texture %llu, FIFO %llu, thread switch %llu, branch %llu cycles\n",
           (unsigned long long)c->stall_tmu, (unsigned long long)c->stall_fifo,
           (unsigned long long)c->stall_switch, (unsigned long long)c->stall_branch);
    printf("texture requests %llu, special functions %llu, uniforms %llu, varyings %llu, tile writes %llu\n",
           (unsigned long long)c->tmu_requests, (unsigned long long)c->sfu, (unsigned long long)c->uniforms,
           (unsigned long long)c->varyings, (unsigned long long)c->tlb_writes);
    printf("primitives %llu, pixels %llu; position mismatches %llu\n", (unsigned long long)c->primitives,
           (unsigned long long)c->pixels, (unsigned long long)c->position_mismatches);
    printf("at %d MHz on %d QPUs: %.3f ms\n", CLOCK_MHZ, QPU_COUNT,
           (double)c->cycles * 4 / (CLOCK_MHZ * 1e3 * QPU_COUNT));
}

/* Where the slots of twelve QPUs went, by the model of runtime/front/timing.c. */
static void print_times(const struct qpusim_timing *timing) {
    const struct qpusim_time_report r = qpusim_timing_report(timing);
    const double all = (double)(r.slots ? r.slots : 1) * QPU_COUNT / 100;
    printf("on %d QPUs: %llu slots, %.3f ms\n", QPU_COUNT, (unsigned long long)r.slots,
           (double)r.slots * 4 / (CLOCK_MHZ * 1e3));
    printf("  %-18s %6.1f %%\n", "instructions", (double)r.executed / all);
    for (int w = 0; w < QPUSIM_WAITS; w++)
        printf("  %-18s %6.1f %%\n", qpusim_wait_name((enum qpusim_wait)w), (double)r.wait[w] / all);
    printf("  %-18s %6.1f %%\n", "no batch", (double)r.idle / all);
    printf("  misses: texture %llu of %llu lines, level 2 %llu of %llu; %llu KiB from and to memory\n",
           (unsigned long long)r.texel_misses, (unsigned long long)(r.texel_hits + r.texel_misses),
           (unsigned long long)r.level2_misses, (unsigned long long)(r.level2_hits + r.level2_misses),
           (unsigned long long)(r.memory_bytes / 1024));
}

/* Chrome's trace-event format: a process for each slice, a thread for each QPU, a complete event for each
 * batch. */
static int write_timeline(const struct qpusim_timing *timing, const char *path) {
    size_t count;
    const struct qpusim_event *event = qpusim_timing_events(timing, &count);
    json_t *events = json_array();
    const double us = 4.0 / CLOCK_MHZ;
    for (int qpu = 0; qpu < QPU_COUNT; qpu++) {
        char name[32];
        snprintf(name, sizeof name, "QPU %d", qpu);
        json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "name", "thread_name", "ph",
                                                "M", "pid", qpu / 4, "tid", qpu, "args", "name", name));
        snprintf(name, sizeof name, "slice %d", qpu / 4);
        if (qpu % 4 == 0)
            json_array_append_new(events, json_pack("{s:s, s:s, s:i, s:{s:s}}", "name", "process_name", "ph",
                                                    "M", "pid", qpu / 4, "args", "name", name));
    }
    for (size_t i = 0; i < count; i++) {
        const struct qpusim_event *e = &event[i];
        json_t *args = json_pack("{s:i}", "instructions", (int)e->instructions);
        for (int w = 0; w < QPUSIM_WAITS; w++)
            if (e->wait[w])
                json_object_set_new(args, qpusim_wait_name((enum qpusim_wait)w), json_integer(e->wait[w]));
        if (e->stage != QPUSIM_COORDINATE)
            json_object_set_new(args, "tile", json_pack("[i, i]", (int)e->column, (int)e->row));
        json_array_append_new(events, json_pack("{s:s, s:s, s:s, s:f, s:f, s:i, s:i, s:o}", "name",
                                                qpucc_stage_name((enum qpucc_stage)e->stage), "cat", "batch",
                                                "ph", "X", "ts", (double)e->start * us, "dur",
                                                (double)(e->end - e->start) * us, "pid", (int)e->qpu / 4,
                                                "tid", (int)e->qpu, "args", args));
    }
    json_t *document = json_pack("{s:o, s:s}", "traceEvents", events, "displayTimeUnit", "ns");
    int code = cli_write_json(path, document, JSON_COMPACT);
    json_decref(document);
    return code;
}

/* --- loops ---------------------------------------------------------------------------------------------- */

/* Counters for the branches of the stages that have loops. */
static bool count_branches(const qpucc_program *program, struct qpusim_counters *counters) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count;
        if (!cli_loops(program, (enum qpucc_stage)s, NULL, 0))
            continue;
        qpucc_program_code(program, (enum qpucc_stage)s, &count);
        counters->branches[s] = calloc(count, sizeof **counters->branches);
        if (!counters->branches[s])
            return false;
    }
    return true;
}

/* The iterations that each loop took, and the cycles of a batch with these. */
static void print_loops(const qpucc_program *program, const struct qpusim_counters *c) {
    enum { MAX_LOOPS = 1000 };
    size_t loops[MAX_LOOPS];
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count = cli_loops(program, (enum qpucc_stage)s, loops, MAX_LOOPS);
        double batches = (double)c->stage_batches[s];
        for (size_t i = 0; i < count && i < MAX_LOOPS && batches > 0; i++)
            printf("%s: loop from %zu to %zu: %.1f iterations a batch\n",
                   qpucc_stage_name((enum qpucc_stage)s),
                   cli_branch_target(program, (enum qpucc_stage)s, loops[i]), loops[i],
                   (double)c->branches[s][loops[i]] / batches);
        if (count && batches > 0)
            printf("%s: %.1f cycles a batch with these, as the machine counted\n",
                   qpucc_stage_name((enum qpucc_stage)s), (double)c->stage_cycles[s] / batches);
    }
}

/* The same as JSON: the table's figures, what the machine counted, the iterations of each loop. */
static int print_stats_json(const qpucc_program *program, const struct qpusim_counters *c) {
    enum { MAX_LOOPS = 1000 };
    size_t loops[MAX_LOOPS];
    json_t *json = cli_stats_json(program, "run"), *stage;
    json_t *shader = json_array_get(json_object_get(json, "shaders"), 0),
           *stages = json_object_get(shader, "stages");
    size_t index;
    json_array_foreach(stages, index, stage) {
        int s = cli_stage_of_word(json_string_value(json_object_get(stage, "stage")));
        size_t count = cli_loops(program, (enum qpucc_stage)s, loops, MAX_LOOPS);
        double batches = (double)c->stage_batches[s];
        json_object_set_new(stage, "measured",
                            json_pack("{s:I, s:I, s:I}", "instructions", (json_int_t)c->stage_instructions[s],
                                      "cycles", (json_int_t)c->stage_cycles[s], "batches",
                                      (json_int_t)c->stage_batches[s]));
        json_t *list = json_array();
        for (size_t i = 0; i < count && i < MAX_LOOPS && batches > 0 && c->branches[s]; i++)
            json_array_append_new(
                list, json_pack("{s:i, s:i, s:f}", "from",
                                (int)cli_branch_target(program, (enum qpucc_stage)s, loops[i]), "to",
                                (int)loops[i], "iterations", (double)c->branches[s][loops[i]] / batches));
        json_object_set_new(stage, "loops_measured", list);
    }
    int code = cli_write_json(NULL, json, JSON_INDENT(2));
    json_decref(json);
    return code;
}

/* --- drawing -------------------------------------------------------------------------------------------- */

/* Draws, writes the picture and what was asked about the draw. */
static int draw(const struct scene *scene, const qpucc_program *program, const struct request *request,
                struct qpusim_counters *counters) {
    char error[600];
    struct picture picture;
    if (!render_scene(scene, program, &request->render, &picture, counters, error, sizeof error)) {
        complain("%s", error);
        return !strncmp(error, "machine:", 8) ? EXIT_INTERNAL : EXIT_USAGE;
    }
    if (!request->render.device) /* which counts nothing */
        nothing_explain(scene, program, &picture, counters, stderr);
    bool ok = picture_write_png(&picture, request->output, request->alpha, error, sizeof error);
    picture_free(&picture);
    if (!ok)
        return complain("%s", error);
    if (request->stats_json) {
        int code = print_stats_json(program, counters);
        if (code != EXIT_DONE)
            return code;
    } else if (request->stats) {
        cli_print_stats(program, stdout), print_loops(program, counters);
    }
    if (request->cycles) {
        print_counters(counters);
        print_times(request->render.timing);
    }
    if (request->timeline) {
        int code = write_timeline(request->render.timing, request->timeline);
        if (code != EXIT_DONE)
            return code;
    }
    if (counters->position_mismatches) {
        complain("vertex and coordinate shader disagree on %llu vertices",
                 (unsigned long long)counters->position_mismatches);
        return EXIT_INTERNAL;
    }
    return EXIT_DONE;
}

static int check_and_draw(const struct scene *scene, const qpucc_program *program, struct request *request) {
    struct qpusim_counters counters = {0};
    int code = EXIT_USAGE;
    bool timed = request->cycles || request->timeline;
    request->render.timing = timed ? qpusim_timing_new() : NULL;
    if (timed && !request->render.timing)
        code = complain("out of memory");
    else if (scene_cli_check(scene, program))
        code = !request->stats || count_branches(program, &counters)
                   ? draw(scene, program, request, &counters)
                   : complain("out of memory");
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        free(counters.branches[s]);
    qpusim_timing_free(request->render.timing);
    return code;
}

/* Draws once more with a program that tells where it computes what GLSL leaves undefined. */
static int report_undefined(struct cli_options *options, const struct scene *scene,
                            const struct cli_sources *sources, const struct request *request) {
    struct cli_options watching = *options;
    struct undefined_report report = {.use = NULL};
    char error[600];
    int code = EXIT_DONE;
    watching.compile.flags |= QPUCC_WATCH_UNDEFINED;
    watching.time_passes = watching.verbose = false;
    watching.no_warnings = true; /* they have been said */
    qpucc_program *program = cli_compile(&watching, sources);
    if (!program || qpucc_program_status(program) != QPUCC_OK)
        code = complain(
            "--undefined: with what tells about undefined arithmetic the shaders cannot be compiled");
    else if (!undefined_find(scene, program, &request->render, &report, error, sizeof error))
        code = complain("--undefined: %s", error);
    else if (!request->undefined_json)
        undefined_print(&report, sources, stdout);
    else {
        json_t *json = undefined_json(&report, sources);
        code = cli_write_json(NULL, json, JSON_INDENT(2));
        json_decref(json);
    }
    undefined_free(&report);
    qpucc_program_free(program);
    return code;
}

/* The file's name may have a suffix if it is this one. */
static bool names_png(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash + 1 : path, '.');
    return !dot || !strcasecmp(dot, ".png");
}

/* 0: it is no number from 1 to `most`. */
static unsigned count_of(const char *text, unsigned long most) {
    char *end = NULL;
    unsigned long count = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    return !end || *end || count > most ? 0 : (unsigned)count;
}

static int parse(int argc, char **argv, struct cli_options *options, struct scene *scene,
                 struct request *request) {
    static const struct option longs[] = {SCENE_CLI_LONG,
                                          {"trace", optional_argument, NULL, OPT_TRACE},
                                          {"cycles", no_argument, NULL, OPT_CYCLES},
                                          {"stats", optional_argument, NULL, OPT_STATS},
                                          {"alpha", no_argument, NULL, OPT_ALPHA},
                                          {"lenient", no_argument, NULL, OPT_LENIENT},
                                          {"ideal", no_argument, NULL, OPT_IDEAL},
                                          {"timeline", required_argument, NULL, OPT_TIMELINE},
                                          {"undefined", optional_argument, NULL, OPT_UNDEFINED},
                                          {"device", required_argument, NULL, OPT_DEVICE},
                                          {"frames", required_argument, NULL, OPT_FRAMES},
                                          {"keep", required_argument, NULL, OPT_KEEP},
                                          CLI_LONG,
                                          {NULL, 0, NULL, 0}};
    for (int c; (c = scene_cli_next(argc, argv, CLI_SHORT "o:", longs, 0, options, scene)) != -1;)
        switch (c) {
        case 'o': request->output = optarg; break;
        case OPT_TRACE:
            request->render.trace = stdout;
            request->render.trace_batches = optarg ? count_of(optarg, UINT_MAX) : 1;
            if (!request->render.trace_batches)
                return complain("--trace=%s: must be a number of batches", optarg);
            break;
        case OPT_CYCLES: request->cycles = true; break;
        case OPT_STATS:
            request->stats = true;
            request->stats_json = optarg && !strcmp(optarg, "json");
            if (optarg && !request->stats_json)
                return complain("--stats=%s: must be json, or nothing for a table", optarg);
            break;
        case OPT_UNDEFINED:
            request->undefined = true;
            request->undefined_json = optarg && !strcmp(optarg, "json");
            if (optarg && !request->undefined_json)
                return complain("--undefined=%s: must be json, or nothing for text", optarg);
            break;
        case OPT_ALPHA: request->alpha = true; break;
        case OPT_LENIENT: request->render.lenient = true; break;
        case OPT_DEVICE: request->render.device = optarg; break;
        case OPT_TIMELINE: request->timeline = optarg; break;
        case OPT_KEEP: request->keep = optarg; break;
        case OPT_FRAMES:
            request->frames = count_of(optarg, 10000);
            if (!request->frames)
                return complain("--frames=%s: must be 1 to 10000", optarg);
            break;
        case OPT_IDEAL: request->render.ideal = true; break;
        default: return EXIT_USAGE;
        }
    if (!request->output)
        return complain("name the output: -o out.png");
    if (request->render.device && (request->cycles || request->stats || request->timeline ||
                                   request->render.trace || request->render.lenient || request->render.ideal))
        return complain("--cycles, --stats, --timeline, --trace, --lenient and --ideal are the machine's: "
                        "without --device");
    if (!names_png(request->output))
        return complain("%s: run writes PNG files only", request->output);
    if (!run_preset_is(options) && (request->keep || request->frames))
        return complain("--%s is for presets: run FILE.glslp", request->keep ? "keep" : "frames");
    return scene_cli_prepare(options, scene);
}

static int draw_preset(struct cli_options *options, const struct scene *scene,
                       const struct request *request) {
    const struct preset_run run = {.output = request->output,
                                   .keep = request->keep,
                                   .frames = request->frames ? request->frames : 1,
                                   .alpha = request->alpha,
                                   .cycles = request->cycles};
    if (request->stats || request->undefined || request->timeline || request->render.trace)
        return complain(
            "--stats, --undefined, --timeline and --trace are for one pair: --keep makes a scene of "
            "each pass");
    return run_preset(options, scene, &request->render, &run);
}

int command_run(int argc, char **argv) {
    struct cli_options options;
    struct scene scene;
    struct request request = {0};
    cli_init(&options);
    scene_init(&scene);
    int code = parse(argc, argv, &options, &scene, &request);
    if (code == EXIT_DONE) {
        request.render.values = options.values;
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        request.render.threads = processors > 1 ? (unsigned)processors : 1;
        if (run_preset_is(&options)) {
            code = draw_preset(&options, &scene, &request);
            scene_free(&scene);
            return code;
        }
        struct cli_sources sources;
        qpucc_program *program = scene_cli_compile(&options, &scene, &sources, &code);
        if (code == EXIT_DONE)
            code = check_and_draw(&scene, program, &request);
        if (code == EXIT_DONE && request.undefined)
            code = report_undefined(&options, &scene, &sources, &request);
        qpucc_program_free(program);
        cli_sources_free(&sources);
    }
    scene_free(&scene);
    return code;
}
