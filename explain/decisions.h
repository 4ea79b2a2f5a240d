/* Private to explain/: what was decided about loops and branches, for readers. */
#ifndef EXPLAIN_DECISIONS_H
#define EXPLAIN_DECISIONS_H

#include "compiler/program.h"
#include "passes/decisions.h"

/* By place, equal ones together; they lie in the arena. */
struct qpucc_explain_decision *explain_decisions(struct ir_arena *arena, const qpucc_program *program,
                                                 enum qpucc_stage stage, const struct decisions *decisions,
                                                 uint32_t *count);

#endif
