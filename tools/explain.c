/* qpucc explain: what a program's code does and costs, and why it is not faster. */
#include "cli.h"
#include "explain_json.h"

#include <string.h>

enum { OPT_JSON = CLI_OWN, OPT_PASSES };

struct request {
    bool json;
    uint32_t flags; /* enum qpucc_explain_flag */
    const char *output;
};

static int explain_program(const qpucc_program *program, const struct request *request) {
    json_t *json = explain_json(program, request->flags);
    if (!json)
        return complain("out of memory"), EXIT_INTERNAL;
    int code = cli_write_json(request->output, json, JSON_COMPACT);
    json_decref(json);
    return code;
}

int command_explain(int argc, char **argv) {
    static const struct option longs[] = {{"json", no_argument, NULL, OPT_JSON},
                                          {"passes", no_argument, NULL, OPT_PASSES},
                                          CLI_LONG,
                                          {NULL, 0, NULL, 0}};
    struct cli_options options;
    struct request request = {0};
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
        case OPT_PASSES: request.flags |= QPUCC_EXPLAIN_PASSES; break;
        default: return EXIT_USAGE; /* getopt has said why */
        }
    }
    for (int i = optind; i < argc; i++)
        if (cli_option(&options, 1, argv[i]) < 0)
            return EXIT_USAGE;
    if (options.fixed_path && options.input_count)
        return complain("a fixed-function state has no shaders");
    if (!options.fixed_path && !options.input_count)
        return complain("no input files");
    struct cli_sources sources;
    int code = EXIT_USAGE;
    if (cli_read(&options, &sources)) {
        qpucc_program *program = cli_compile(&options, &sources);
        if (program) {
            int wrote = explain_program(program, &request);
            code = cli_exit_code(program, &options);
            code = wrote != EXIT_DONE ? wrote : code;
        }
        qpucc_program_free(program);
    }
    cli_sources_free(&sources);
    return code;
}
