/* qpucc opt: passes on the intermediate form's text, for tests and for looking. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_PASSES = CLI_OWN, OPT_LIST };

static int list_passes(void) {
    const char *name, *description;
    for (size_t i = 0; (name = qpucc_pass_name(i, &description)); i++)
        printf("%-16s %s\n", name, description);
    return EXIT_DONE;
}

int command_opt(int argc, char **argv) {
    static const struct option longs[] = {{"passes", required_argument, NULL, OPT_PASSES},
                                          {"list", no_argument, NULL, OPT_LIST},
                                          {NULL, 0, NULL, 0}};
    const char *output = NULL, *passes = "";
    char error[500];
    struct file_data file;
    for (int c; (c = getopt_long(argc, argv, "o:", longs, NULL)) != -1;)
        switch (c) {
        case 'o': output = optarg; break;
        case OPT_PASSES: passes = optarg; break;
        case OPT_LIST: return list_passes();
        default: return EXIT_USAGE;
        }
    if (optind + 1 != argc)
        return complain("opt takes one file (- is standard input)");
    if (!file_read(argv[optind], &file, error, sizeof error))
        return complain("%s", error);
    char *text = qpucc_opt(file.data, file.size, passes, error, sizeof error);
    file_free(&file);
    if (!text) {
        unsigned line;
        int skip = 0;
        if (sscanf(error, "line %u: %n", &line, &skip) == 1 && skip)
            fprintf(stderr, "%s:%u: error: %s\n", argv[optind], line, error + skip);
        else
            fprintf(stderr, "%s: error: %s\n", argv[optind], error);
        return EXIT_SOURCE;
    }
    int result = cli_write(output, text, strlen(text));
    free(text);
    return result;
}
