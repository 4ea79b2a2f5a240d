/* Why a picture shows nothing. */
#ifndef TOOLS_NOTHING_H
#define TOOLS_NOTHING_H

#include "scene.h"

#include <stdio.h>

/* When every pixel has the scene's clear colour: a line to `out` that says so, and why as far as the
 * machine's counters and the scene's uniforms tell. */
void nothing_explain(const struct scene *scene, const qpucc_program *program, const struct picture *picture,
                     const struct qpusim_counters *counters, FILE *out);

#endif
