/* An explanation as a report for the terminal. */
#ifndef TOOLS_EXPLAIN_TEXT_H
#define TOOLS_EXPLAIN_TEXT_H

#include "cli.h"

#include <qpucc/explain.h>

struct explain_style {
    unsigned width; /* columns */
    bool color;
    bool code, passes; /* also the instructions, the IR after each pass */
};

/* The style for a stream: its terminal's width and colours unless NO_COLOR is set, else 100 columns and none.
 * `color` as in struct cli_options. */
struct explain_style explain_style_of(FILE *out, int color);

/* One stage. `sources` are what the lines are of. */
struct advice;
void explain_print(const qpucc_explanation *explain, enum qpucc_stage stage, const struct advice *advice,
                   const struct cli_sources *sources, const struct explain_style *style, FILE *out);

/* The uniforms that decide most, of a program with its IR; nothing if there are none. */
void explain_print_controls(const qpucc_program *program, FILE *out);

/* Line `line` of the source of that name, without the blanks at its ends; 0 if there is none. */
size_t explain_source_line(const struct cli_sources *sources, const char *file, enum qpucc_stage stage,
                           unsigned line, const char **text);

/* What fits of a text in `columns` columns, on one line. */
void explain_put_clipped(FILE *out, const char *text, size_t length, unsigned columns);

/* What the stage's length is bound by, as a clause: "the two ALUs, whose work takes 53 instructions". Returns
 * that number. */
unsigned explain_bound_text(const struct qpucc_explain_stage *stage, char *out, size_t size);

#endif
