/* Warnings about what a fragment shader pays for without need (qpucc/warnings.def, group PERFORMANCE). */
#ifndef QPUCC_COMPILER_COSTS_H
#define QPUCC_COMPILER_COSTS_H

#include "compiler/compile.h"

/* After compile_build: those of them that the options ask for. Each is measured by compiling the fragment
 * shader once more without what it is about. A failure of that is none of the program's. */
void warn_costs(struct compile *c);
/* Do they ask for any? Variants have none. */
bool costs_are_asked(const struct qpucc_options *options);

#endif
