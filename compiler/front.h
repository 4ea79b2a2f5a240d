/* Both front doors: GLSL text and SPIR-V modules become IR. */
#ifndef QPUCC_COMPILER_FRONT_H
#define QPUCC_COMPILER_FRONT_H

#include "compiler/program.h"

/* shaders[QPUCC_VERTEX], shaders[QPUCC_FRAGMENT]: NULL where there is no such source. False: diagnosed; what
 * was read so far is still the caller's to destroy. */
bool front_read(struct qpucc_program *program, const struct qpucc_source *sources, size_t count,
                const struct qpucc_options *options, struct ir_shader *shaders[2]);

#endif
