/* What a compiled stage leaves in the program. */
#ifndef QPUCC_COMPILER_RESULT_H
#define QPUCC_COMPILER_RESULT_H

#include "compiler/attempts.h"

/* Copies code, stream and statistics, and checks them. False: diagnosed, a fault of ours. */
bool result_keep(struct compile *c, const struct outcome *outcome);

/* After the last stage: which variables the streams and the attribute list really use. */
void result_mark_used(struct qpucc_program *program);

#endif
