/* libqpucc_rt's own door. */
#include "compiler/has.h"

#include <qpucc/qpucc.h>

bool qpucc_has(const char *feature) {
    return has_feature(feature, HAS_RT);
}
