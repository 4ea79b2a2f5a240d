/* qpucc explain --compare: what became better or worse since an older program. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include "cli.h"

/* The older program as the document that qpucc explain --json writes: of such a file, of a container, or of
 * sources, which are compiled with these options. `paths`: one file, or the sources of both stages. NULL:
 * said what is wrong. */
json_t *compare_read(const char *const *paths, size_t count, const struct cli_options *options);

/* The member "comparison" of docs/schemas/qpucc-explain-1.json: stages that both have. Lines are the same
 * where their text is, so that an edit elsewhere moves none; without texts where their number is. */
json_t *compare_json(const json_t *old, const json_t *now, const char *old_name);
void compare_print(const json_t *comparison, unsigned width, FILE *out);

#endif
