/* libqpucc_core's own entry points: sources are SPIR-V. */
#include "compiler/entry.h"
#include "compiler/has.h"

bool qpucc_has(const char *feature) {
    return has_feature(feature) && strcmp(feature, "glsl") != 0;
}

qpucc_program *qpucc_compile(const struct qpucc_source *sources, size_t count,
                             const struct qpucc_state *state, const struct qpucc_options *options) {
    return qpucc_private_compile(NULL, sources, count, state, options);
}

qpucc_shader *qpucc_shader_compile(const struct qpucc_source *source, const struct qpucc_options *options) {
    return qpucc_private_shader(NULL, source, options);
}

qpucc_program *qpucc_cache_compile(qpucc_cache *cache, const struct qpucc_source *sources, size_t count,
                                   const struct qpucc_state *state, const struct qpucc_options *options) {
    return qpucc_private_cache_compile(NULL, cache, sources, count, state, options);
}
