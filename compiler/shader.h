/* What a shader object is inside. */
#ifndef QPUCC_COMPILER_SHADER_H
#define QPUCC_COMPILER_SHADER_H

#include "compiler/front.h"

/* What reading it gave. It lies in the interface's arena. */
struct shader_read {
    struct qpucc_program *program; /* has its diagnostics, its SPIR-V and its IR as read */
    struct front_interface interface;
};

/* It lies in `arena`, as do copies of its source's texts. */
struct qpucc_shader {
    struct ir_arena *arena;
    const struct qpucc_allocator *allocator;
    const struct front_glsl *glsl;
    struct front_source from;            /* options NULL: it was refused before it was looked at */
    _Atomic(struct shader_read *) *read; /* NULL there: nobody has asked yet (QPUCC_READ_LATER) */
};

/* Reads it, if nobody has. NULL: no memory. */
const struct shader_read *shader_read(const qpucc_shader *shader);

#endif
