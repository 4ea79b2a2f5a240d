/* docs/assumptions.md from the table: all of the page before the first section stays, the rest is written
 * anew. usage: assumptions_page PAGE: prints the page as it should be */
#include <qpucc/assumptions.h>

#include <stdio.h>
#include <string.h>

/* What is in front of the first generated section. */
static int copy_text(const char *path) {
    char line[4096];
    FILE *page = fopen(path, "r");
    if (!page) {
        perror(path);
        return 1;
    }
    while (fgets(line, sizeof line, page) && strncmp(line, "## Assumed: ", 12) != 0)
        fputs(line, stdout);
    fclose(page);
    return 0;
}

static void print_row(const struct qpucc_assumption_row *row) {
    printf("| `%s` | %s | %s | %s | %s | %s | ", row->name, row->what,
           qpucc_assumption_grade_name(row->grade), row->evidence, qpucc_assumption_use_name(row->use),
           row->relies);
    if (row->tests[0])
        printf("`%s` |\n", row->tests);
    else
        puts("– |");
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: assumptions_page PAGE\n");
        return 2;
    }
    if (copy_text(argv[1]))
        return 1;
    for (unsigned s = 0; s < QPUCC_ASSUMPTION_SECTION_COUNT; s++) {
        printf("%s## Assumed: %s\n\n| name | what | grade | evidence | use | what relies on it | tests |\n"
               "|---|---|---|---|---|---|---|\n",
               s ? "\n" : "", qpucc_assumption_section_name((enum qpucc_assumption_section)s));
        for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++) {
            const struct qpucc_assumption_row *row = qpucc_assumption_at((enum qpucc_assumption)i);
            if (row->section == (enum qpucc_assumption_section)s)
                print_row(row);
        }
    }
    return 0;
}
