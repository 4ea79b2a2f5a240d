/* The names that the public headers have. */
#include "compiler/has.h"

static const char names[] = "\n"
#ifndef QPUCC_BUILD_ID
#include "compiler/features.h" /* made by features.sh */
#endif
    ;

bool has_feature(const char *feature) {
    return has_name(names, feature);
}
