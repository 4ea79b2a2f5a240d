/* Random lowered shaders: what selection may be handed, with structured control flow of every kind. */
#ifndef TESTS_BACKEND_RANDOM_IR_H
#define TESTS_BACKEND_RANDOM_IR_H

#include "ir/ir.h"

enum { RANDOM_UNIFORMS = 24, RANDOM_INPUTS = 5, RANDOM_OUTPUTS = 10 };

/* The same seed gives the same shader everywhere; a fragment or a vertex shader in SSA form. size: about how
 * many statements. NULL with a reason in error when a pass that makes SSA form of it failed. */
struct ir_shader *random_ir(uint64_t seed, int size, char *error, size_t error_size);

#endif
