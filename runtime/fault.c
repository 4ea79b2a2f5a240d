/* The list of faults. */
#include "runtime/fault.h"

#include <string.h>

#include <qpucc/qpusim.h>

static const struct qpusim_fault faults[] = {
#define FAULT(name, assumption, text) {#name, assumption, text},
#include "runtime/faults.def"
#undef FAULT
};

const struct qpusim_fault *qpusim_fault_at(unsigned number) {
    return number - 1 < sizeof faults / sizeof *faults ? &faults[number - 1] : NULL;
}

unsigned qpusim_fault_find(const char *name) {
    for (unsigned n = 1; n < SIM_FAULT_COUNT; n++)
        if (!strcmp(faults[n - 1].name, name))
            return n;
    return 0;
}
