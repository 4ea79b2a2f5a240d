/* What passes take for the same in a whole draw, and may multiply and add on the host. */
#ifndef QPUCC_PASSES_KNOWN_H
#define QPUCC_PASSES_KNOWN_H

#include "passes/passes.h"

/* By id of an instruction: constants, uniforms and what folds out of nothing else; constants alone where the
 * options keep arithmetic on uniforms in the shader. In the shader's arena; check that for memory before use.
 * Ids of instructions that are made later are beyond its end. */
const bool *known_per_draw(struct ir_shader *shader, const struct pass_options *options);

#endif
