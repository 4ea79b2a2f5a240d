/* words.h: SPIR-V modules as they are written. */
#ifndef QPUCC_FRONTEND_GLSL_WORDS_H
#define QPUCC_FRONTEND_GLSL_WORDS_H

#include "frontend/glsl/internal.h"

#include <spirv/unified1/spirv.h>

#define SPIRV_HEADER 5

struct words { /* a block of ir/heap.h */
    uint32_t *at;
    size_t count, capacity;
};

/* Where `count` more words go; NULL: the run has failed. */
uint32_t *words_extend(struct run *run, struct words *out, size_t count);
void words_put(struct run *run, struct words *out, SpvOp op, const uint32_t *operands, size_t count);

/* Bools in uniforms become numbers (truths.c). Takes `words`, a block of ir/heap.h, and returns one or NULL.
 * */
uint32_t *module_number_truths(struct run *run, uint32_t *words, size_t *count);

#endif
