/* Is a state key one that can be compiled for? */
#ifndef QPUCC_COMPILER_STATE_H
#define QPUCC_COMPILER_STATE_H

#include "compiler/program.h"

/* False: a member is out of range or contradicts another; diagnosed with the code "state" and its name. */
bool state_check(struct qpucc_program *program, const struct qpucc_state *state);

#endif
