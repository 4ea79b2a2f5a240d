/* GLSL text, SPIR-V modules and fixed-function states become IR. */
#ifndef QPUCC_COMPILER_FRONT_H
#define QPUCC_COMPILER_FRONT_H

#include "compiler/program.h"
#include "frontend/glsl/glsl.h"

#include <qpucc/fixed.h>

/* A front end for GLSL, which libqpucc has and libqpucc_core has not: fe_glsl_compile, fe_glsl_result_free
 * and fe_fits. */
struct front_glsl {
    struct fe_glsl_result *(*compile)(const struct fe_source *sources, size_t count,
                                      const struct fe_options *options);
    void (*free_result)(struct fe_glsl_result *result);
    bool (*fits)(const struct fe_stage_result *vertex, const struct fe_stage_result *fragment,
                 struct ir_arena *scratch);
    unsigned version[3]; /* glslang's, which decides code, too */
};

struct front_source {
    struct qpucc_source source;
    const struct qpucc_options *options; /* what of them is about sources */
};

/* What is kept of a source of GLSL that may be linked with another one later. */
struct front_interface {
    struct ir_arena *arena; /* where its texts go */
    struct fe_stage_result stage;
};

/* The arguments were checked (compiler/usage.h). `glsl`: NULL refuses sources in GLSL. shaders[QPUCC_VERTEX],
 * shaders[QPUCC_FRAGMENT]: NULL where there is no such source. False: diagnosed; what was read so far is
 * still the caller's to destroy. `interface`: NULL, or one source is read that may be linked with another
 * later; what fe_fits wants to know of it goes there, if it is GLSL. */
bool front_read(struct qpucc_program *program, const struct front_glsl *glsl,
                const struct front_source *sources, size_t count, struct front_interface *interface,
                struct ir_shader *shaders[2]);
/* The same for a fixed-function state, which has both stages. */
bool front_read_fixed(struct qpucc_program *program, const struct qpucc_fixed *fixed,
                      const struct qpucc_state *state, struct ir_shader *shaders[2]);
/* A copy of the module, for the program. False: diagnosed. */
bool front_keep_spirv(struct qpucc_program *program, enum qpucc_stage stage, const void *words, size_t count);

#endif
