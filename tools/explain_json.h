/* An explanation as JSON: docs/schemas/qpucc-explain-1.json. */
#ifndef TOOLS_EXPLAIN_JSON_H
#define TOOLS_EXPLAIN_JSON_H

#include "cli.h"

#include <qpucc/explain.h>

#define EXPLAIN_SCHEMA "qpucc-explain-1"

/* The document of a program, whether it has code or not. `flags`: enum qpucc_explain_flag. NULL: out of
 * memory. */
json_t *explain_json(const qpucc_program *program, uint32_t flags);
/* Adds the text of each line, where a source has it. */
void explain_json_add_sources(json_t *document, const struct cli_sources *sources);
/* The uniforms that decide most, of a program with its IR. */
json_t *explain_controls_json(const qpucc_program *program);

#endif
