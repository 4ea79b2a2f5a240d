/* Small steps on the control flow that several passes take. Predecessor lists stay true; order and dominators
 * don't. */
#ifndef QPUCC_PASSES_CFG_EDIT_H
#define QPUCC_PASSES_CFG_EDIT_H

#include "ir/ir.h"

/* The phi's source for pred, NULL if it has none. */
struct ir_inst *cfg_phi_source(const struct ir_inst *phi, const struct ir_block *pred);

/* If block jumps to one that has no other predecessor: appends that one, which is then empty and unreachable.
 * Phis that go are replaced: ir_resolve is due. */
bool cfg_merge_next(struct ir_block *block);

#endif
