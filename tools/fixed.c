/* qpucc fixed: compile a fixed-function state, or draw with it; the same as the other commands with --fixed=.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcasecmp(text + length - tail, end);
}

/* Options of both commands whose argument may be a file of JSON and another word. */
static bool takes_file(const char *word) {
    return !strcmp(word, "--state") || !strcmp(word, "--timeline");
}

/* The first file is the state. With a picture to write, the command is run's. */
int command_fixed(int argc, char **argv) {
    int state = 0;
    bool picture = false;
    for (int i = 1; i < argc; i++) {
        bool output = !strcmp(argv[i], "-o");
        if (output && i + 1 < argc)
            picture = ends_with(argv[++i], ".png");
        else if (!strncmp(argv[i], "-o", 2))
            picture = ends_with(argv[i], ".png");
        else if (takes_file(argv[i]))
            i++;
        else if (!state && argv[i][0] != '-' && ends_with(argv[i], ".json"))
            state = i;
    }
    if (!state)
        return complain("which state? qpucc fixed STATE.json");
    static const char option[] = "--fixed=";
    char *text = malloc(sizeof option + strlen(argv[state]));
    if (!text)
        return complain("out of memory");
    strcat(strcpy(text, option), argv[state]);
    argv[state] = text;
    int code = picture ? command_run(argc, argv) : command_compile(argc, argv);
    free(text);
    return code;
}
