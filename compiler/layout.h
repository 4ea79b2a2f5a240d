/* struct qpucc_layout, from the stages. */
#ifndef QPUCC_COMPILER_LAYOUT_H
#define QPUCC_COMPILER_LAYOUT_H

#include "compiler/program.h"

/* The varyings in the order that lower_stage gave them. */
void layout_fragment(struct qpucc_program *program, const struct ir_shader *fragment,
                     const struct qpucc_state *state);
/* Without a fragment shader: the output words that the vertex shader sends. */
void layout_vertex_alone(struct qpucc_program *program, const struct ir_shader *vertex, const uint32_t *words,
                         uint32_t count);
/* False: the coordinate shader's attributes are no subset of the vertex shader's. */
bool layout_attributes(struct qpucc_program *program, const struct ir_shader *vertex,
                       const struct ir_shader *coordinate);
/* What a stage's code does; enum qpucc_trait. `shader` as selection saw it. */
uint32_t layout_traits(const struct ir_shader *shader, unsigned threads);
/* What follows from the lists of attributes and varyings. */
void layout_place(struct qpucc_program *program);
/* When all stages are there: that, flags and texture units. */
void layout_finish(struct qpucc_program *program);

#endif
