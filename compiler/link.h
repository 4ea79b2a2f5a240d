/* Joins the stages of one program: one uniform storage, one numbering of texture units, varyings by name. */
#ifndef QPUCC_COMPILER_LINK_H
#define QPUCC_COMPILER_LINK_H

#include "compiler/program.h"

/* Merges both stages' uniform and sampler tables into one of the program's, renumbers the stages' code to it
 * and fills in the program's reflection. NULL stages are left out. False: diagnosed. */
bool link_uniforms(struct qpucc_program *program, struct ir_shader *vertex, struct ir_shader *fragment);

/* Before that, where varyings are matched by nothing but their locations: that they have one. False:
 * diagnosed. */
bool link_locations(struct qpucc_program *program, struct ir_shader *vertex, struct ir_shader *fragment);

/* Leaves out of a vertex shader's table the attributes that no code reads. The others keep their words. */
void link_attributes(struct ir_shader *vertex);

/* Checks that every varying that the fragment shader uses is written by the vertex shader with the same type,
 * and the stages' limits. False: diagnosed. */
bool link_interfaces(struct qpucc_program *program, struct ir_shader *vertex, struct ir_shader *fragment);
/* Do the varyings fit that are left when both stages have been optimised together? */
bool link_capacity(struct qpucc_program *program, const struct ir_shader *vertex,
                   const struct ir_shader *fragment);

/* The vertex shader's output that a fragment shader's input comes from; NULL if there is none. */
const struct ir_symbol *link_partner(const struct ir_symtab *outputs, const struct ir_symbol *input);

/* What the fragment shader can have from uniforms, constants or another varying instead of an input of its
 * own (link_varyings.c). Both shaders as the generic passes leave them, uniforms merged; the plan lies in the
 * fragment shader's arena and refers to the vertex shader's values. expressions: also what takes arithmetic
 * on uniforms. NULL: no memory. */
struct link_plan *link_plan_varyings(const struct ir_shader *vertex, const struct ir_shader *fragment,
                                     bool expressions);
/* Does the state key give varyings of the plan another meaning? Then it applies to the others only, and what
 * was made with all of it is not what that key needs. */
bool link_plan_concerns(const struct link_plan *plan, const struct qpucc_state *state);
/* Applies it to a fragment shader of the same source, whatever passes made of it. True if anything changed.
 * */
bool link_plan_fragment(const struct link_plan *plan, struct ir_shader *fragment,
                        const struct qpucc_state *state);
/* And to a vertex shader, which sends other values then. False: what it sends is not of the form that the
 * plan was made for. */
bool link_plan_vertex(const struct link_plan *plan, struct ir_shader *vertex,
                      const struct qpucc_state *state);

/* After the fragment shader's lower_stage: the vertex output word of each word that the fragment shader's
 * FIFO delivers, in its order, as lower_stage wants them. Returns the count, at most 64. Without a
 * fragment shader: varyings in declaration order. */
unsigned link_vertex_outputs(const struct ir_shader *vertex, const struct ir_shader *fragment,
                             uint32_t words[64]);

/* Attributes and varyings of the reflection, from the shaders before they are lowered. */
void link_reflect(struct qpucc_program *program, const struct ir_shader *vertex,
                  const struct ir_shader *fragment);

#endif
