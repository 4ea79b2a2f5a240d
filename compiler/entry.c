/* libqpucc's own entry points: sources are GLSL, too. */
#include "compiler/entry.h"
#include "compiler/has.h"

#include <glslang/build_info.h>

static const struct front_glsl glsl = {
    .compile = fe_glsl_compile,
    .free_result = fe_glsl_result_free,
    .fits = fe_fits,
    .version = {GLSLANG_VERSION_MAJOR, GLSLANG_VERSION_MINOR, GLSLANG_VERSION_PATCH}};

bool qpucc_has(const char *feature) {
    return has_feature(feature);
}

qpucc_program *qpucc_compile(const struct qpucc_source *sources, size_t count,
                             const struct qpucc_state *state, const struct qpucc_options *options) {
    return qpucc_private_compile(&glsl, sources, count, state, options);
}

qpucc_shader *qpucc_shader_compile(const struct qpucc_source *source, const struct qpucc_options *options) {
    return qpucc_private_shader(&glsl, source, options);
}

qpucc_program *qpucc_cache_compile(qpucc_cache *cache, const struct qpucc_source *sources, size_t count,
                                   const struct qpucc_state *state, const struct qpucc_options *options) {
    return qpucc_private_cache_compile(&glsl, cache, sources, count, state, options);
}
