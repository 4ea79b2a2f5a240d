/* Variables as GL's queries name them. */
#include "compiler/program.h"

#include <stdio.h>

const char *qpucc_base_type_name(enum qpucc_base_type base) {
    return (unsigned)base < QPUCC_BASE_TYPE_COUNT ? ir_base_names[base] : NULL;
}

size_t qpucc_variable_gl_name(const struct qpucc_variable *variable, char *buffer, size_t size) {
    return (size_t)snprintf(buffer, size, "%s%s", variable->name, variable->is_array ? "[0]" : "");
}

/* GL's numbers. Of vectors those of two components, the others follow. */
enum {
    GL_INT = 0x1404,
    GL_UNSIGNED_INT = 0x1405,
    GL_FLOAT = 0x1406,
    GL_FLOAT_VEC2 = 0x8b50,
    GL_INT_VEC2 = 0x8b53,
    GL_BOOL = 0x8b56,
    GL_BOOL_VEC2 = 0x8b57,
    GL_UNSIGNED_INT_VEC2 = 0x8dc6,
};

static const uint16_t scalars[] = {
    [QPUCC_FLOAT] = GL_FLOAT, [QPUCC_INT] = GL_INT, [QPUCC_UINT] = GL_UNSIGNED_INT, [QPUCC_BOOL] = GL_BOOL};
static const uint16_t vectors[] = {[QPUCC_FLOAT] = GL_FLOAT_VEC2,
                                   [QPUCC_INT] = GL_INT_VEC2,
                                   [QPUCC_UINT] = GL_UNSIGNED_INT_VEC2,
                                   [QPUCC_BOOL] = GL_BOOL_VEC2};
static const uint16_t matrices[3][3] = {/* [columns - 2][rows - 2] */
                                        {0x8b5a, 0x8b65, 0x8b66},
                                        {0x8b67, 0x8b5b, 0x8b68},
                                        {0x8b69, 0x8b6a, 0x8b5c}};
static const uint16_t samplers[QPUCC_BASE_TYPE_COUNT] = {
    [QPUCC_SAMPLER1D] = 0x8b5d,
    [QPUCC_SAMPLER2D] = 0x8b5e,
    [QPUCC_SAMPLERCUBE] = 0x8b60,
    [QPUCC_SAMPLER1D_SHADOW] = 0x8b61,
    [QPUCC_SAMPLER2D_SHADOW] = 0x8b62,
    [QPUCC_SAMPLER2D_RECT] = 0x8b63,
    [QPUCC_SAMPLER2D_RECT_SHADOW] = 0x8b64,
    [QPUCC_SAMPLERCUBE_SHADOW] = 0x8dc5,
    [QPUCC_SAMPLER_EXTERNAL] = 0x8d66,
    [QPUCC_SAMPLER2D_MS] = 0x9108,
};

uint32_t qpucc_variable_gl_type(const struct qpucc_variable *variable) {
    if (QPUCC_IS_SAMPLER(variable->base))
        return samplers[variable->base];
    if (variable->cols > 1)
        return matrices[variable->cols - 2][variable->rows - 2];
    return variable->rows > 1 ? vectors[variable->base] + variable->rows - 2u : scalars[variable->base];
}
