/* What a compiled stage leaves in the program. */
#ifndef QPUCC_COMPILER_RESULT_H
#define QPUCC_COMPILER_RESULT_H

#include "compiler/attempts.h"

/* Copies code, stream and statistics of a part, and checks them. False: diagnosed, a fault of ours. */
bool result_keep(struct compile *c, enum qpucc_stage stage, const struct part_result *result);

/* After the last stage: which variables the streams and the attribute list really use. */
void result_mark_used(struct qpucc_program *program);

#endif
