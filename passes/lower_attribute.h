/* Inside lower_stage: attributes as memory has them (lower_attribute_format.c). */
#ifndef QPUCC_PASSES_LOWER_ATTRIBUTE_H
#define QPUCC_PASSES_LOWER_ATTRIBUTE_H

#include "ir/ir.h"

/* Bytes that hold the first `components` of an attribute, or all that it has in memory. */
uint32_t lower_attribute_bytes(const struct qpucc_attribute_state *state, uint32_t components);
/* A component, of the words that hold those bytes; what memory does not have is 0, 0, 0, 1. `integer`: for an
 * integer attribute of the shader. */
struct ir_inst *lower_attribute_component(struct ir_builder *b, const struct qpucc_attribute_state *state,
                                          struct ir_inst *const *words, uint32_t component, bool integer);

#endif
