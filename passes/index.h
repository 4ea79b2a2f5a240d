/* Run-time indices of variables: what the index pass will make of them. */
#ifndef QPUCC_PASSES_INDEX_H
#define QPUCC_PASSES_INDEX_H

#include "ir/ir.h"

/* How many words of its variable a load or store with an index may name. */
uint32_t index_words(const struct ir_shader *shader, const struct ir_inst *access);

#endif
