/* Registers for what crosses blocks. */
#ifndef QPUCC_CROSS_BLOCK_H
#define QPUCC_CROSS_BLOCK_H

#include "backend/flow.h"

/* Fills cross-block register, guarded, mask_reg, budget_reg and occupied of a flow whose branches are known. `regs`:
 * registers per file. False: more has to cross some branch than there are registers; *peak says how much and
 * where. */
bool cross_block_assign(struct flow *flow, unsigned regs, struct flow_peak *peak);

/* Cheaper to rematerialise than to keep: has no cross-block register. */
bool cross_block_rematerialises(const struct ir_inst *value);

#endif
