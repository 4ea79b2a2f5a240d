/* Asks qpucc_has for each line of standard input. The argument says what the answer has to be for all of
 * them: yes or no. For has.sh. */
#include <qpucc/qpucc.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char line[200];
    unsigned asked = 0, wrong = 0;
    bool expected = argc == 2 && !strcmp(argv[1], "yes");
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        asked++;
        if (qpucc_has(line) == expected)
            continue;
        fprintf(stderr, "qpucc_has(\"%s\") is %s\n", line, expected ? "false" : "true");
        wrong++;
    }
    return asked && !wrong ? 0 : 1;
}
