/* words.c: see words.h. */
#include "frontend/glsl/words.h"

#include <string.h>

uint32_t *words_extend(struct run *run, struct words *out, size_t count) {
    void *array = out->at;
    while (out->count + count > out->capacity) {
        if (!run_grow(run, &array, &out->capacity, out->capacity, sizeof *out->at))
            return NULL;
        out->at = array;
    }
    out->count += count;
    return out->at + out->count - count;
}

void words_put(struct run *run, struct words *out, SpvOp op, const uint32_t *operands, size_t count) {
    uint32_t *to = words_extend(run, out, count + 1);
    if (!to)
        return;
    *to++ = (uint32_t)(count + 1) << SpvWordCountShift | (uint32_t)op;
    memcpy(to, operands, count * sizeof *to);
}
