/* The corpus's pairs, one JSON object a line: {"name", "vertex", "fragment"}. */
#ifndef TESTS_TOOLS_PAIRS_H
#define TESTS_TOOLS_PAIRS_H

#include "tools/scene.h"

/* What draws a pair; `scene` is prepared, or NULL with a text in `error`. */
typedef void pair_function(void *user, const char *name, struct scene *scene, const char *vertex,
                           const char *fragment, const char *error);

/* Calls `function` for every pair whose name begins with `filter`. `path` may begin with "SHARED/", the
 * folder that the environment variable QPUCC_SHARED names. False after a message when the file cannot be
 * read; *skipped when QPUCC_SHARED is not set. */
bool pairs_each(const char *path, const char *filter, pair_function *function, void *user, bool *skipped);

#endif
