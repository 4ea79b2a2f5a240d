/* words.h: SPIR-V modules as they are written, and what makes the ids of one that is read. */
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

static inline SpvOp words_op(const uint32_t *instruction) {
    return (SpvOp)(instruction[0] & SpvOpCodeMask);
}

/* By id: where the instruction stands that makes a type, a constant, or what may be loaded from or stored. */
struct makers {
    const uint32_t *words;
    uint32_t bound, *at; /* 0: nowhere */
};

/* False: the run has failed. */
bool makers_read(struct run *run, const uint32_t *words, size_t count, struct makers *out);
/* NULL: unknown; or, in the second, another operation. */
const uint32_t *maker(const struct makers *m, uint32_t id);
const uint32_t *maker_by(const struct makers *m, uint32_t id, SpvOp op);
/* The type of part k of a structure or an array; 0: it has no such part. */
uint32_t makers_part(const struct makers *m, uint32_t type, uint32_t k);

/* Bools in uniforms become numbers (truths.c). Takes `words`, a block of ir/heap.h, and returns one or NULL.
 * */
uint32_t *module_number_truths(struct run *run, uint32_t *words, size_t *count);

#endif
