/* The front doors: GLSL text, SPIR-V modules and fixed-function states become IR. */
#ifndef QPUCC_COMPILER_FRONT_H
#define QPUCC_COMPILER_FRONT_H

#include "compiler/program.h"
#include "frontend/glsl/glsl.h"

#include <qpucc/fixed.h>

/* A front end for GLSL, which libqpucc has and libqpucc_core has not: fe_glsl_compile and
 * fe_glsl_result_free. */
struct front_glsl {
    struct fe_glsl_result *(*compile)(const struct fe_source *sources, size_t count,
                                      const struct fe_options *options);
    void (*free_result)(struct fe_glsl_result *result);
    unsigned version[3]; /* glslang's, which decides code, too */
};

/* The arguments were checked (compiler/usage.h). `glsl`: NULL refuses sources in GLSL. shaders[QPUCC_VERTEX],
 * shaders[QPUCC_FRAGMENT]: NULL where there is no such source. False: diagnosed; what was read so far is
 * still the caller's to destroy. */
bool front_read(struct qpucc_program *program, const struct front_glsl *glsl,
                const struct qpucc_source *sources, size_t count, const struct qpucc_options *options,
                struct ir_shader *shaders[2]);
/* The same for a fixed-function state, which has both stages. */
bool front_read_fixed(struct qpucc_program *program, const struct qpucc_fixed *fixed,
                      const struct qpucc_state *state, struct ir_shader *shaders[2]);

#endif
