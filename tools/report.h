/* Rows of qpucc report. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include "cli.h"

/* {"name", "policy", "chip", "stages"} of what these sources are compiled to, or report_failure; `code`: with
 * words and streams. */
json_t *report_compile(const struct qpucc_source *sources, size_t count, const char *name,
                       const struct cli_options *options, bool code);
/* {"name", "error": {"code", "stage", "message"}} */
json_t *report_failure(const char *name, const char *code, const char *stage, const char *message);

/* report_presets.c: all presets of a folder and what lies in it, a row for each. An exit code. */
int report_presets(const char *folder, const struct cli_options *options, const char *filter,
                   unsigned threads, bool json, bool code);

#endif
