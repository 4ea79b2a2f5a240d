/* libqpucc_rt's own entry point. */
#include "compiler/has.h"

#include <qpucc/qpucc.h>

static const char functions[] = "\n"
#include "compiler/features_rt.h" /* made by functions.sh */
    ;

bool qpucc_has(const char *feature) {
    return has_name(functions, feature);
}
