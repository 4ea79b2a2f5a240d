/* A run over a case file: which cases, who is known to fail, how they went, and how that is told. */
#ifndef CONFORMANCE_SUITE_H
#define CONFORMANCE_SUITE_H

#include "judge.h"
#include "tools/file.h"

#include <stdio.h>

struct suite_case {
    char *name;
    const char *line; /* in the file's text */
    size_t length;
    struct judgement result;
    double seconds;
    bool known; /* on the list of accepted failures */
};

struct suite {
    char *path, *folder;
    struct file_data file;
    struct suite_case *cases;
    size_t count;
};

/* Reads the file's lines; with `filter`, those whose names match it (a pattern as for file names, or a part
 * of the name if it has none of * ? [). Names that occur more than once get "#2", "#3", ... in the file's
 * order. */
bool suite_read(struct suite *suite, const char *path, const char *filter, char *error, size_t size);
void suite_free(struct suite *suite);

/* Of the cases that were read, `part` (from 1), `part` + `parts` and so on. */
void suite_keep_part(struct suite *suite, unsigned part, unsigned parts);

/* Reads a list of accepted failures (docs/conformance-known.txt) and applies it: a failure on the list counts
 * as skipped. Call when all cases have run. Says on `notes` which lines of the list no failure needs any
 * more. */
bool suite_apply_known(struct suite *suite, const char *path, FILE *notes, char *error, size_t size);

bool suite_write_junit(const struct suite *suite, const char *path, char *error, size_t size);
/* How often which reason occurs, numbers in them left out, the most frequent first. */
void suite_print_reasons(const struct suite *suite, FILE *out);

#endif
