/* Run-time indices: how they are computed, and what the index pass will make of those of variables. */
#ifndef QPUCC_PASSES_INDEX_H
#define QPUCC_PASSES_INDEX_H

#include "ir/ir.h"

/* How many words of its variable a load or store with an index may name. */
uint32_t index_words(const struct ir_shader *shader, const struct ir_inst *access);

/* The constant source of a commutative operation, and the other one; NULL: neither is. */
const struct ir_inst *index_constant(const struct ir_inst *x, struct ir_inst **other);

#endif
