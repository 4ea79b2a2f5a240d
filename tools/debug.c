/* qpucc debug: steps through what the machine did to a pixel or a vertex. */
#include "debug.h"
#include "scene_cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LIBEDIT
#include <histedit.h>
#endif

enum { OPT_PIXEL = CLI_OWN, OPT_VERTEX, OPT_COORDINATE, OPT_BATCH, OPT_JSON, OPT_LENIENT };
enum { DEBUG_STEPS = 200000 };

struct request {
    struct inspect_target target;
    bool given, batch, json, lenient;
    const char *script;
};

bool debug_open(struct debugger *d, const struct inspect_target *target, char *error, size_t size) {
    struct inspection found;
    if (!inspect_scene(d->scene, d->program, qpucc_explanation_stage(d->explain, target->stage), &d->render,
                       target, &found, error, size) &&
        !(found.failed && !error[0])) {
        inspect_free(&found);
        return false;
    }
    inspect_free(&d->inspection);
    d->inspection = found;
    snprintf(d->error, sizeof d->error, "%s", error);
    d->stage = qpucc_explanation_stage(d->explain, target->stage);
    d->run = found.count ? &found.run[0] : NULL;
    bool seen = false; /* if none is, the last that covers it */
    for (size_t i = 0; i < found.count; i++) {
        bool is_seen = found.run[i].covered && found.run[i].fate == INSPECT_SEEN;
        if (is_seen || (!seen && found.run[i].covered && found.run[i].count))
            d->run = &found.run[i];
        seen |= is_seen;
    }
    d->at = 0;
    return true;
}

/* --- input ---------------------------------------------------------------------------------------------- */

static bool read_script(struct debugger *d, const char *path) {
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        return complain("%s can't be read", path), false;
    while (!d->quit && fgets(line, sizeof line, file))
        debug_command(d, line);
    fclose(file);
    return true;
}

#ifdef HAVE_LIBEDIT
static char *prompt(EditLine *edit) {
    (void)edit;
    static char text[] = "(qpucc) ";
    return text;
}

/* A terminal: lines can be edited, an empty one repeats the last. */
static void talk(struct debugger *d) {
    HistEvent event;
    EditLine *edit = el_init("qpucc", stdin, stdout, stderr);
    History *past = history_init();
    char last[512] = "";
    int length;
    if (past)
        history(past, &event, H_SETSIZE, 500);
    if (edit) {
        el_set(edit, EL_PROMPT, prompt);
        el_set(edit, EL_EDITOR, "emacs");
        if (past)
            el_set(edit, EL_HIST, history, past);
    }
    while (edit && !d->quit) {
        const char *line = el_gets(edit, &length);
        if (!line || length <= 0)
            break;
        if (*line != '\n') {
            snprintf(last, sizeof last, "%s", line);
            if (past)
                history(past, &event, H_ENTER, line);
        }
        debug_command(d, last);
        fflush(d->out);
    }
    if (past)
        history_end(past);
    if (edit)
        el_end(edit);
}
#else
static void talk(struct debugger *d) {
    char line[512], last[512] = "";
    for (;;) {
        fputs("(qpucc) ", stdout);
        fflush(stdout);
        if (d->quit || !fgets(line, sizeof line, stdin))
            break;
        if (*line != '\n')
            snprintf(last, sizeof last, "%s", line);
        debug_command(d, last);
    }
}
#endif

/* Commands of a pipe or a file. */
static void follow(struct debugger *d) {
    char line[512];
    while (!d->quit && fgets(line, sizeof line, stdin))
        debug_command(d, line);
}

/* --- the command ---------------------------------------------------------------------------------------- */

static int session(struct debugger *d, const struct request *request) {
    char error[sizeof d->error];
    if (!debug_open(d, &request->target, error, sizeof error))
        return complain("%s", error);
    if (request->json) {
        json_t *json = inspect_json(&d->inspection, d->explain);
        int code = cli_write_json(NULL, json, JSON_COMPACT);
        json_decref(json);
        return code;
    }
    debug_show(d);
    if (request->script && !read_script(d, request->script))
        return EXIT_USAGE;
    if (!d->quit && !request->batch) {
        if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
            talk(d);
        else
            follow(d);
    }
    return d->failed ? EXIT_USAGE : EXIT_DONE;
}

static int parse(int argc, char **argv, struct cli_options *options, struct scene *scene,
                 struct request *request) {
    static const struct option longs[] = {SCENE_CLI_LONG,
                                          {"pixel", required_argument, NULL, OPT_PIXEL},
                                          {"vertex", required_argument, NULL, OPT_VERTEX},
                                          {"coordinate", no_argument, NULL, OPT_COORDINATE},
                                          {"batch", no_argument, NULL, OPT_BATCH},
                                          {"json", no_argument, NULL, OPT_JSON},
                                          {"lenient", no_argument, NULL, OPT_LENIENT},
                                          CLI_LONG,
                                          {NULL, 0, NULL, 0}};
    static char batch[] = "--batch";
    char end;
    bool coordinate = false;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "-batch")) /* as gdb has it */
            argv[i] = batch;
    for (int c; (c = scene_cli_next(argc, argv, CLI_SHORT, longs, 'x', options, scene)) != -1;)
        switch (c) {
        case 'x': request->script = optarg; break; /* what a file is shows in its name */
        case OPT_PIXEL:
            request->target.stage = QPUCC_FRAGMENT;
            request->given = true;
            if (sscanf(optarg, "%u,%u%c", &request->target.x, &request->target.y, &end) != 2)
                return complain("--pixel=%s: must be X,Y", optarg);
            break;
        case OPT_VERTEX:
            request->target.stage = QPUCC_VERTEX;
            request->given = true;
            if (sscanf(optarg, "%u%c", &request->target.vertex, &end) != 1)
                return complain("--vertex=%s: must be an index", optarg);
            break;
        case OPT_COORDINATE: coordinate = true; break;
        case OPT_BATCH: request->batch = true; break;
        case OPT_JSON: request->json = true; break;
        case OPT_LENIENT: request->lenient = true; break;
        default: return EXIT_USAGE; /* it has been said why */
        }
    if (coordinate)
        request->target.stage = QPUCC_COORDINATE;
    return scene_cli_prepare(options, scene);
}

int command_debug(int argc, char **argv) {
    struct cli_options options;
    struct scene scene;
    struct request request = {.target = {.stage = QPUCC_FRAGMENT, .most = DEBUG_STEPS}};
    cli_init(&options);
    scene_init(&scene);
    options.compile.flags |= QPUCC_GENERATE_NAMES;
    int code = parse(argc, argv, &options, &scene, &request);
    if (code == EXIT_DONE) {
        struct cli_sources sources;
        qpucc_program *program = scene_cli_compile(&options, &scene, &sources, &code);
        if (code == EXIT_DONE && !scene_cli_check(&scene, program))
            code = EXIT_USAGE;
        qpucc_explanation *explain = code == EXIT_DONE ? qpucc_explain(program, 0) : NULL;
        if (!request.given && request.target.stage == QPUCC_FRAGMENT) {
            request.target.x = scene.width / 2;
            request.target.y = scene.height / 2;
        }
        struct debugger d = {.scene = &scene,
                             .program = program,
                             .explain = explain,
                             .sources = &sources,
                             .render = {.values = options.values, .lenient = request.lenient},
                             .out = stdout};
        if (explain)
            code = session(&d, &request);
        else if (code == EXIT_DONE)
            code = (complain("out of memory"), EXIT_INTERNAL);
        inspect_free(&d.inspection);
        qpucc_explain_free(explain);
        qpucc_program_free(program);
        cli_sources_free(&sources);
    }
    scene_free(&scene);
    return code;
}
