/* qpucc explain: what a program's code does and costs, and why it is not faster. */
#include "advice.h"
#include "base64.h"
#include "compare.h"
#include "explain_json.h"
#include "explain_text.h"
#include "web.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_JSON = CLI_OWN, OPT_PASSES, OPT_STAGE, OPT_HTML, OPT_CODE, OPT_COMPARE };

struct request {
    bool json, code;
    int stage;      /* enum qpucc_stage, or -1: all */
    uint32_t flags; /* enum qpucc_explain_flag */
    const char *output, *html;
    const char *compare[2]; /* the older program: one file, or two sources */
    size_t compare_count;
};

/* The one of --stage. */
static void keep_stage(json_t *document, const struct request *request) {
    json_t *stages = json_object_get(document, "stages");
    const char *name = request->stage < 0 ? NULL : qpucc_stage_name((enum qpucc_stage)request->stage);
    for (size_t i = json_array_size(stages); name && i--;)
        if (strcmp(json_string_value(json_object_get(json_array_get(stages, i), "stage")), name))
            json_array_remove(stages, i);
}

/* --- HTML ----------------------------------------------------------------------------------------------- */

static json_t *sources_json(const struct cli_sources *sources) {
    json_t *list = json_array();
    for (size_t i = 0; i < sources->count; i++) {
        const struct qpucc_source *s = &sources->shown[i];
        json_t *file = json_string(s->name),
               *text = s->language == QPUCC_GLSL ? json_stringn(s->data, s->size) : NULL;
        if (file && text)
            json_array_append_new(list, json_pack("{s:o, s:o}", "file", file, "text", text));
        else
            json_decref(file), json_decref(text);
    }
    return list;
}

/* What the machine in the page draws: the program and the draw's values, in the form that the service gives
 * its page, and the state that decides on the scene. NULL: the page can't draw it (a shader is missing,
 * lines, a flipped y), or out of memory. */
static json_t *machine_json(const qpucc_program *program, const struct cli_options *options) {
    size_t count, size = qpucc_program_save(program, 0, NULL, 0);
    uint8_t *bytes = malloc(size + 1);
    bool can_draw = bytes && qpucc_program_code(program, QPUCC_VERTEX, &count) &&
                    qpucc_program_code(program, QPUCC_FRAGMENT, &count) &&
                    options->state.primitive != QPUCC_LINES && !options->state.flip_y &&
                    qpucc_program_save(program, 0, bytes, size) == size;
    char *container = can_draw ? base64_encode(bytes, size) : NULL;
    char *values = can_draw ? base64_encode((const uint8_t *)&options->values, sizeof options->values) : NULL;
    json_t *json = NULL;
    if (container && values)
        json =
            json_pack("{s:s, s:s, s:b, s:b}", "program", container, "values", values, "points",
                      options->state.primitive == QPUCC_POINTS, "depth_test", options->state.depth_test != 0);
    free(values);
    free(container);
    free(bytes);
    return json;
}

static int write_html(const qpucc_program *program, const struct cli_options *options,
                      const struct cli_sources *sources, const struct request *request) {
    if (!web_present())
        return complain("--html: this qpucc was built without the page, which needs npm");
    json_t *explain = explain_json(program, request->flags);
    keep_stage(explain, request);
    json_t *data =
        explain ? json_pack("{s:o, s:o}", "explain", explain, "sources", sources_json(sources)) : NULL;
    json_t *machine = data ? machine_json(program, options) : NULL;
    if (machine)
        json_object_set_new(data, "machine", machine);
    char *text = data ? json_dumps(data, JSON_COMPACT) : NULL, *html = NULL;
    size_t size = 0;
    if (text)
        html = web_report(sources->count ? sources->shown[sources->count - 1].name : "shader", text,
                          machine != NULL, &size);
    int code = html ? cli_write(request->html, html, size) : (complain("out of memory"), EXIT_INTERNAL);
    free(html);
    free(text);
    json_decref(data);
    return code;
}

/* --- the command ---------------------------------------------------------------------------------------- */

static int write_json(const qpucc_program *program, const struct cli_options *options,
                      const struct cli_sources *sources, const struct request *request, const json_t *old) {
    json_t *json = explain_json(program, request->flags);
    qpucc_explanation *explain = json ? qpucc_explain(program, 0) : NULL;
    if (!explain) {
        json_decref(json);
        return complain("out of memory"), EXIT_INTERNAL;
    }
    explain_json_add_sources(json, sources);
    if (qpucc_program_status(program) == QPUCC_OK) {
        struct advice advice;
        json_t *stages = json_object_get(json, "stages");
        advice_make(&advice, program, explain, options, sources);
        for (size_t i = 0, s = 0; i < json_array_size(stages) && s < QPUCC_STAGE_COUNT; s++)
            if (qpucc_explanation_stage(explain, (enum qpucc_stage)s))
                json_object_set_new(json_array_get(stages, i++), "advice",
                                    advice_json(&advice, (enum qpucc_stage)s, sources));
        advice_free(&advice);
    }
    keep_stage(json, request);
    if (old)
        json_object_set_new(json, "comparison", compare_json(old, json, request->compare[0]));
    int code = cli_write_json(request->output, json, JSON_COMPACT);
    qpucc_explain_free(explain);
    json_decref(json);
    return code;
}

static int write_comparison(const qpucc_program *program, const struct cli_sources *sources,
                            const struct request *request, const json_t *old) {
    json_t *json = explain_json(program, 0), *comparison = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = json ? open_memstream(&text, &size) : NULL;
    if (out) {
        explain_json_add_sources(json, sources);
        keep_stage(json, request);
        comparison = compare_json(old, json, request->compare[0]);
        compare_print(comparison, explain_style_of(stdout, 0).width, out);
    }
    int code = out && !fclose(out) ? cli_write(request->output, text, size)
                                   : (complain("out of memory"), EXIT_INTERNAL);
    free(text);
    json_decref(comparison);
    json_decref(json);
    return code;
}

static int write_text(const qpucc_program *program, const struct cli_options *options,
                      const struct cli_sources *sources, const struct request *request) {
    struct explain_style style = explain_style_of(stdout, request->output ? 0 : options->color);
    qpucc_explanation *explain = qpucc_explain(program, request->flags);
    struct advice advice = {.count = 0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = explain ? open_memstream(&text, &size) : NULL;
    style.code = request->code;
    style.passes = request->flags & QPUCC_EXPLAIN_PASSES;
    if (out)
        advice_make(&advice, program, explain, options, sources);
    for (int s = 0; out && s < QPUCC_STAGE_COUNT; s++) {
        if ((request->stage >= 0 && request->stage != s) ||
            !qpucc_explanation_stage(explain, (enum qpucc_stage)s))
            continue;
        fputs(ftell(out) ? "\n" : "", out);
        explain_print(explain, (enum qpucc_stage)s, &advice, sources, &style, out);
    }
    if (out && request->stage < 0)
        explain_print_controls(program, out);
    int code = out && !fclose(out) ? cli_write(request->output, text, size)
                                   : (complain("out of memory"), EXIT_INTERNAL);
    free(text);
    advice_free(&advice);
    qpucc_explain_free(explain);
    return code;
}

static int explain_program(const qpucc_program *program, const struct cli_options *options,
                           const struct cli_sources *sources, const struct request *request,
                           const json_t *old) {
    int code = cli_exit_code(program, options), wrote = EXIT_DONE;
    bool fits = code == EXIT_DONE;
    size_t count;
    if (fits && request->stage >= 0 && !qpucc_program_code(program, (enum qpucc_stage)request->stage, &count))
        return complain("--stage=%s: the program has no such stage",
                        qpucc_stage_name((enum qpucc_stage)request->stage));
    if (request->html && fits)
        wrote = write_html(program, options, sources, request);
    if (wrote == EXIT_DONE && request->json)
        wrote = write_json(program, options, sources, request, old);
    else if (wrote == EXIT_DONE && fits && old)
        wrote = write_comparison(program, sources, request, old);
    else if (wrote == EXIT_DONE && fits && !request->html)
        wrote = write_text(program, options, sources, request);
    return wrote != EXIT_DONE ? wrote : code;
}

int command_explain(int argc, char **argv) {
    static const struct option longs[] = {{"json", no_argument, NULL, OPT_JSON},
                                          {"passes", no_argument, NULL, OPT_PASSES},
                                          {"stage", required_argument, NULL, OPT_STAGE},
                                          {"html", required_argument, NULL, OPT_HTML},
                                          {"code", no_argument, NULL, OPT_CODE},
                                          {"compare", required_argument, NULL, OPT_COMPARE},
                                          CLI_LONG,
                                          {NULL, 0, NULL, 0}};
    struct cli_options options;
    struct request request = {.stage = -1, .flags = QPUCC_EXPLAIN_DECISIONS};
    cli_init(&options);
    options.compile.flags |= QPUCC_GENERATE_NAMES;
    for (int c; (c = getopt_long(argc, argv, CLI_SHORT "o:", longs, NULL)) != -1;) {
        int taken = cli_option(&options, c, optarg);
        if (taken < 0)
            return EXIT_USAGE;
        if (taken)
            continue;
        switch (c) {
        case 'o': request.output = optarg; break;
        case OPT_JSON: request.json = true; break;
        case OPT_CODE: request.code = true; break;
        case OPT_COMPARE:
            if (request.compare_count == 2)
                return complain("--compare: the older program is one file, or two shaders");
            request.compare[request.compare_count++] = optarg;
            break;
        case OPT_HTML: request.html = optarg; break;
        case OPT_PASSES: request.flags |= QPUCC_EXPLAIN_PASSES; break;
        case OPT_STAGE:
            request.stage = strcmp(optarg, "coordinate") ? cli_stage_of_word(optarg) : QPUCC_COORDINATE;
            if (request.stage < 0)
                return complain("--stage=%s: must be fragment, vertex or coordinate", optarg);
            break;
        default: return EXIT_USAGE; /* getopt has said why */
        }
    }
    if (!cli_inputs(&options, argc, argv))
        return EXIT_USAGE;
    struct cli_sources sources;
    int code = EXIT_USAGE;
    if (cli_read(&options, &sources)) {
        json_t *old =
            request.compare_count ? compare_read(request.compare, request.compare_count, &options) : NULL;
        qpucc_program *program = old || !request.compare_count ? cli_compile(&options, &sources) : NULL;
        if (program)
            code = explain_program(program, &options, &sources, &request, old);
        qpucc_program_free(program);
        json_decref(old);
    }
    cli_sources_free(&sources);
    return code;
}
