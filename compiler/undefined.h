/* What a shader computes that GLSL leaves undefined. */
#ifndef QPUCC_COMPILER_UNDEFINED_H
#define QPUCC_COMPILER_UNDEFINED_H

#include "compiler/program.h"
#include "ir/ir.h"

/* A warning, code "undefined", for each place in the kept IR where that can be seen. */
void warn_undefined(struct qpucc_program *program, const struct ir_shader *shader);

#endif
