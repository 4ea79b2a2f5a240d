/* What qpucc_has knows, for the three libraries that answer it. */
#ifndef QPUCC_COMPILER_HAS_H
#define QPUCC_COMPILER_HAS_H

#include <stdbool.h>

/* The library that has a feature, each with what those before it have. */
enum has_library { HAS_RT, HAS_CORE, HAS_GLSL };

/* Is there such a feature in `library`? NULL is no name. */
bool has_feature(const char *feature, enum has_library library);

#endif
