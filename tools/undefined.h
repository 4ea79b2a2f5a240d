/* qpucc run --undefined: where a draw computes what GLSL leaves undefined, and how often. */
#ifndef TOOLS_UNDEFINED_H
#define TOOLS_UNDEFINED_H

#include "cli.h"
#include "render.h"

#include <jansson.h>

struct undefined_use {
    enum qpucc_stage stage; /* fragment or vertex */
    unsigned line;          /* of the stage's source; 0: several */
    const char *what;       /* static text */
    uint64_t count;         /* fragments or vertices */
};

struct undefined_report {
    struct undefined_use *use; /* by stage, line and kind */
    size_t count;
};

/* Draws the scene with a program that was compiled with QPUCC_WATCH_UNDEFINED. Fragments are those that the
 * shader ran for, whether they were seen in the end or not; vertices those that the vertex shader ran for.
 * False: the reason is in `error`. Free the report in any case. */
bool undefined_find(const struct scene *scene, const qpucc_program *watching,
                    const struct render_options *options, struct undefined_report *report, char *error,
                    size_t size);
void undefined_free(struct undefined_report *report);

void undefined_print(const struct undefined_report *report, const struct cli_sources *sources, FILE *out);
/* {"schema": "qpucc-undefined-1", "uses": [{"stage", "file", "line", "what", "count"}, ...]}; NULL: out of
 * memory. */
json_t *undefined_json(const struct undefined_report *report, const struct cli_sources *sources);

#endif
