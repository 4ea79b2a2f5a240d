/* Faults: the machine made wrong on purpose, one way at a time (faults.def). Units ask for theirs where they
 * are set up or where they are slow; what is fast has no question in it. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

enum sim_fault {
    SIM_FAULT_none,
#define FAULT(name, assumption, text) SIM_FAULT_##name,
#include "runtime/faults.def"
#undef FAULT
    SIM_FAULT_COUNT
};

/* Has this (the run's options, or what a unit keeps of them) the fault? */
#define SIM_FAULT(of, name) __builtin_expect((of)->fault == SIM_FAULT_##name, 0)

#endif
