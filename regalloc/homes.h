/* Registers for what crosses blocks. */
#ifndef QPUCC_HOMES_H
#define QPUCC_HOMES_H

#include "backend/flow.h"

/* Fills home, guarded, mask_home, budget_home and occupied of a flow whose branches are known. `regs`:
 * registers per file. False: more has to cross some branch than there are registers; *peak says how much and
 * where. */
bool homes_assign(struct flow *flow, unsigned regs, struct flow_peak *peak);

/* Cheaper to make again than to keep: has no home. */
bool homes_made_again(const struct ir_inst *value);

#endif
