/* qpucc dis: machine code to assembly. */
#include "cli.h"
#include "code_file.h"

#include <stdlib.h>

enum { OPT_WORDS = CLI_OWN };

int command_dis(int argc, char **argv) {
    static const struct option longs[] = {{"words", no_argument, NULL, OPT_WORDS}, {NULL, 0, NULL, 0}};
    const char *output = NULL;
    bool words = false;
    char error[500];
    for (int c; (c = getopt_long(argc, argv, "o:", longs, NULL)) != -1;) {
        if (c == 'o')
            output = optarg;
        else if (c == OPT_WORDS)
            words = true;
        else
            return EXIT_USAGE;
    }
    if (optind + 1 != argc)
        return complain("dis takes one file (- is standard input)");
    size_t count, size = 0;
    char *text = NULL;
    struct code_part parts[QPUCC_STAGE_COUNT];
    uint64_t *code = code_read(argv[optind], false, parts, &count, error, sizeof error);
    if (!code)
        return complain("%s", error);
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < count; i++) {
        char line[300];
        size_t first = 0;
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
            if (parts[s].count && i >= parts[s].first && i < parts[s].first + parts[s].count) {
                first = parts[s].first;
                if (i == first)
                    fprintf(out, "%s# %s shader: %zu instructions\n", i ? "\n" : "",
                            qpucc_stage_name((enum qpucc_stage)s), parts[s].count);
            }
        qpucc_disassemble(code[i], (unsigned)(i - first), line, sizeof line);
        if (words) /* the form of sniffers' listings, which the assembler reads back */
            fprintf(out, "%08zx: %08x %08x ", i * 8, (unsigned)(code[i] & 0xffffffffu),
                    (unsigned)(code[i] >> 32));
        fprintf(out, "%s\n", line);
    }
    free(code);
    if (!out || fclose(out) != 0)
        return complain("out of memory"), EXIT_INTERNAL;
    int result = cli_write(output, text, size);
    free(text);
    return result;
}
