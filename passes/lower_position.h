/* Inside lower_vertex: what rasteriser and clipper get of gl_Position. */
#ifndef QPUCC_PASSES_LOWER_POSITION_H
#define QPUCC_PASSES_LOWER_POSITION_H

#include "passes/passes.h"

struct lower_position {
    struct ir_inst *xy;      /* in 12.4, packed */
    struct ir_inst *z;       /* Zs */
    struct ir_inst *own_z;   /* the vertex shader's Zs; NULL: the same */
    struct ir_inst *rw;      /* 1/Wc */
    struct ir_inst *clip[4]; /* clip coordinates, which only the coordinate shader writes */
    struct ir_inst *w;       /* W */
};

/* p: gl_Position as the shader has it. value[]: by word of the outputs, taken from the screen's coordinates
 * where that saves a row of the matrix. The builder stands at the program's end. */
struct lower_position lower_position(struct ir_shader *shader, struct ir_builder *b, struct ir_inst **value,
                                     struct ir_inst *const p[4], const struct pass_options *options);

#endif
