/* The strategy ladder: one stage, from its kept IR to code, in as many ways as are worth trying. */
#ifndef QPUCC_COMPILER_LADDER_H
#define QPUCC_COMPILER_LADDER_H

#include "backend/backend.h"
#include "compiler/program.h"
#include "passes/passes.h"

/* What a stage came out as. */
struct ladder_result {
    struct ir_shader *shader; /* as selection saw it; owned by the caller */
    struct be_result code;
};

/* From IR after lower_stage: tries the strategies for this stage and level and keeps the one with the fewest
 * modelled cycles. `shader` is not changed; `tight`: see be_options. False: diagnosed in the program, nothing
 * to free. */
bool ladder_run(struct qpucc_program *program, const struct ir_shader *shader, int opt_level, bool tight,
                struct ladder_result *result);
void ladder_result_free(struct ladder_result *result);

#endif
