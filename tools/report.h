/* Rows of qpucc report. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include "cli.h"

/* {"name", "policy", "chip", "stages"} of the texts, read as other commands read files; where they do not
 * compile, report_failure. `code`: with instruction words and uniform streams. NULL: out of memory. The
 * caller's to free. */
json_t *report_texts(const struct cli_options *given, const struct cli_input *inputs, size_t count,
                     const char *name, bool code);
/* {"name", "error": {"code", "stage", "message"}} */
json_t *report_failure(const char *name, const char *code, const char *stage, const char *message);

/* report_presets.c: compiles all presets of a folder and its subfolders and prints a row for each. `filter`:
 * only presets whose path in it contains that; NULL: all. Returns an exit code. */
int report_presets(const char *folder, const struct cli_options *options, const char *filter,
                   unsigned threads, bool json, bool code);

#endif
