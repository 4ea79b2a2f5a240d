/* The entry points that differ from library to library: libqpucc and libqpucc_core both have
 * qpucc_compile, and all three say by qpucc_has what they have. rt/entry.c, core/entry.c and entry.c have
 * each library's own. */
#ifndef QPUCC_COMPILER_ENTRY_H
#define QPUCC_COMPILER_ENTRY_H

#include "compiler/front.h"

#include <qpucc/cache.h>

/* What libqpucc calls in libqpucc_core. No header has them, and the names are the library's own business. */
qpucc_program *qpucc_private_compile(const struct front_glsl *glsl, const struct qpucc_source *sources,
                                     size_t count, const struct qpucc_state *state,
                                     const struct qpucc_options *options);
qpucc_shader *qpucc_private_shader(const struct front_glsl *glsl, const struct qpucc_source *source,
                                   const struct qpucc_options *options);
qpucc_program *qpucc_private_cache_compile(const struct front_glsl *glsl, qpucc_cache *cache,
                                           const struct qpucc_source *sources, size_t count,
                                           const struct qpucc_state *state,
                                           const struct qpucc_options *options);

#endif
