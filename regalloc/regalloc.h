/* Register allocation that looks at more than one instruction: registers for what crosses blocks, and values
 * that are rematerialised so that the others find places. Places within a block are the scheduler's
 * (sched/place.c). */
#ifndef QPUCC_REGALLOC_H
#define QPUCC_REGALLOC_H

#include "mir/mir.h"

/* regalloc/cross_block.c: fills cross_reg, guarded, mask_reg, budget_reg and occupied of a flow whose
 * branches are known. `regs`: registers per file. False: more has to cross some branch than there are
 * registers; *peak says how much and where. */
bool cross_block_assign(struct flow *flow, unsigned regs, struct flow_peak *peak);

/* regalloc/remat_cross.c: rematerialises values where they are read, so that fewer of these cross the end
 * of the block where they do. False: no fewer can. The flow has to be analysed anew then; what it says of
 * `all_lanes` stays true. */
bool remat_cross_blocks(struct flow *flow, const struct flow_values *at_peak);

/* Also there: registers that are needed where some loop begins in any order and however values are computed.
 */
unsigned remat_least(struct flow *flow, const struct flow_peak *peak, struct ir_loc *where);

/* regalloc/early_z.c: the write of the rasteriser's depth, if nothing in the shader has to come before it, or
 * NULL; moves it to the first block. */
struct ir_inst *early_z_find(const struct ir_shader *shader);
void early_z(struct ir_shader *shader);

/* regalloc/remat.c: rematerialises values instead of keeping more than `places` of them, along a topological
 * order of the ops, which is replaced by one of the ops there are then. Returns how often. */
uint32_t remat_run(struct mir *m, uint32_t **order, uint32_t *count, unsigned places);

/* regalloc/refetch.c: puts the ops of each texture request in front of its result, and after that, when the
 * order has got more of them, makes the edges between requests anew. False: not possible, or nothing to do.
 * */
bool refetch_gather(const struct mir *m, uint32_t **order, uint32_t count);
void refetch_edges(struct mir *m, const uint32_t *order, uint32_t count);

#endif
