/* What qpucc_has knows, in each library. */
#ifndef QPUCC_COMPILER_HAS_H
#define QPUCC_COMPILER_HAS_H

#include <stdbool.h>
#include <string.h>

/* `names`: a line for each, the first one empty. One text, because a list of pointers would be as large again
 * and want relocations. */
static inline bool has_name(const char *names, const char *feature) {
    size_t length = feature ? strlen(feature) : 0;
    if (!length || strchr(feature, '\n'))
        return false;
    for (const char *at = names; (at = strstr(at, feature)); at++)
        if (at[-1] == '\n' && at[length] == '\n')
            return true;
    return false;
}

/* Have the public headers this name? For libqpucc and libqpucc_core. */
bool has_feature(const char *feature);

#endif
