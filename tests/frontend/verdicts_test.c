/* Every line of verdicts.txt is judged as it says, with a place in every error. */
#include "tests/frontend/verdict.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    FILE *file = fopen(argc > 1 ? argv[1] : "verdicts.txt", "r");
    char line[4000], copy[4000], why[800];
    unsigned number = 0, cases = 0, failed = 0;
    if (!file) {
        perror("verdicts.txt");
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        const char *fields[VERDICT_FIELDS];
        number++;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        strcpy(copy, line);
        verdict_split(line, fields);
        cases++;
        if (verdict_is_right(fields, why, sizeof why))
            continue;
        failed++;
        printf("line %u: %s   %s\n", number, copy, why);
    }
    fclose(file);
    printf("%u cases, %u wrong\n", cases, failed);
    return cases == 0 || failed != 0;
}
