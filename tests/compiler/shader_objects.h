/* Shader objects of the tests that link them: read at once, or when they are needed. */
#ifndef TESTS_COMPILER_SHADER_OBJECTS_H
#define TESTS_COMPILER_SHADER_OBJECTS_H

#include "tests/compiler/api.h"

static inline qpucc_shader *with_flags(enum qpucc_stage stage, const char *text, uint32_t flags) {
    struct qpucc_source source = glsl(stage, text);
    struct qpucc_options options = qpucc_options_default();
    options.flags |= flags;
    return qpucc_shader_compile(&source, &options);
}

static inline qpucc_shader *shader(enum qpucc_stage stage, const char *text) {
    return with_flags(stage, text, 0);
}

static inline qpucc_shader *unread(enum qpucc_stage stage, const char *text) {
    return with_flags(stage, text, QPUCC_READ_LATER);
}

#endif
