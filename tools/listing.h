/* Commented assembly: what -S writes. docs/listings.md describes it. */
#ifndef TOOLS_LISTING_H
#define TOOLS_LISTING_H

#include "cli.h"

enum listing_form {
    LISTING_ANNOTATED, /* for people, no line longer than LISTING_COLUMNS */
    LISTING_WIDE,      /* one line for each instruction, with all that its word of the stream is */
    LISTING_PLAIN,     /* instructions and labels */
    LISTING_FORMS
};
enum { LISTING_COLUMNS = 100 };

/* "annotated", "wide", "plain"; -1: none of them. */
int listing_form_of(const char *word);

/* All stages, which the assembler reads back: as the code of one stage after the other. `sources` are what
 * the lines are of. The caller frees the text; NULL: out of memory. */
char *listing_write(const qpucc_program *program, const struct cli_sources *sources, enum listing_form form,
                    size_t *size);

#endif
