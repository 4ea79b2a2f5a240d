/* qpucc as: assembly to machine code. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_HEX = CLI_OWN };

int command_as(int argc, char **argv) {
    static const struct option longs[] = {{"hex", no_argument, NULL, OPT_HEX}, {NULL, 0, NULL, 0}};
    const char *output = NULL;
    bool hex = false;
    char error[400];
    struct file_data file;
    for (int c; (c = getopt_long(argc, argv, "o:", longs, NULL)) != -1;) {
        if (c == 'o')
            output = optarg;
        else if (c == OPT_HEX)
            hex = true;
        else
            return EXIT_USAGE;
    }
    if (optind + 1 != argc)
        return complain("as takes one file (- is standard input)");
    if (!output && !hex)
        return complain("name the output: -o code.bin, or --hex for text");
    if (!file_read(argv[optind], &file, error, sizeof error))
        return complain("%s", error);
    size_t count;
    uint64_t *code = qpucc_assemble(file.data, file.size, &count, error, sizeof error);
    file_free(&file);
    if (!code) {
        unsigned line;
        int skip = 0; /* "line N: text" becomes file:N: error: text */
        if (sscanf(error, "line %u: %n", &line, &skip) == 1 && skip)
            fprintf(stderr, "%s:%u: error: %s\n", argv[optind], line, error + skip);
        else
            fprintf(stderr, "%s: error: %s\n", argv[optind], error);
        return EXIT_SOURCE;
    }
    unsigned char *bytes = malloc(count * 17 + 1);
    for (size_t i = 0; bytes && i < count; i++) {
        if (hex)
            snprintf((char *)bytes + i * 17, 18, "%016llx\n", (unsigned long long)code[i]);
        for (int b = 0; !hex && b < 8; b++)
            bytes[i * 8 + (size_t)b] = (unsigned char)(code[i] >> 8 * b);
    }
    int result = bytes ? cli_write(output, bytes, count * (hex ? 17 : 8)) : complain("out of memory");
    free(bytes);
    free(code);
    return result;
}
