/* An inspection as JSON. */
#ifndef TOOLS_INSPECT_JSON_H
#define TOOLS_INSPECT_JSON_H

#include "inspect.h"

#include <jansson.h>

#define INSPECT_SCHEMA "qpucc-inspect-1"

/* docs/schemas/qpucc-inspect-1.json; `from` and `count` choose among the steps of a run. NULL: out of
 * memory. */
json_t *inspect_json(const struct inspection *inspection, const qpucc_explanation *explain);

#endif
