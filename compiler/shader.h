/* What a shader object is inside. */
#ifndef QPUCC_COMPILER_SHADER_H
#define QPUCC_COMPILER_SHADER_H

#include "compiler/front.h"

/* It lies in the interface's arena, as do copies of its source's texts. */
struct qpucc_shader {
    struct qpucc_program *program; /* has its diagnostics, its SPIR-V and its IR as read */
    const struct front_glsl *glsl;
    struct front_source from; /* options NULL: it was refused before it was looked at */
    struct front_interface interface;
};

#endif
