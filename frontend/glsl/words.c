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

bool makers_read(struct run *run, const uint32_t *words, size_t count, struct makers *out) {
    *out = (struct makers){.words = words, .bound = words[3]};
    out->at = run_zeroed(run, (size_t)out->bound + 1, sizeof *out->at);
    for (size_t i = SPIRV_HEADER, length; out->at && i < count && (length = words[i] >> SpvWordCountShift);
         i += length) {
        SpvOp op = words_op(words + i);
        bool type = op >= SpvOpTypeVoid && op <= SpvOpTypePointer;
        bool value = (op >= SpvOpConstantTrue && op <= SpvOpConstantNull) || op == SpvOpVariable ||
                     op == SpvOpLoad || op == SpvOpAccessChain || op == SpvOpFunctionParameter ||
                     (op == SpvOpCompositeExtract && length > 4);
        uint32_t id = type && length > 1 ? words[i + 1] : value && length > 2 ? words[i + 2] : 0;
        if (id && id < out->bound)
            out->at[id] = (uint32_t)i;
    }
    return out->at != NULL;
}

const uint32_t *maker(const struct makers *m, uint32_t id) {
    return id < m->bound && m->at[id] ? m->words + m->at[id] : NULL;
}

const uint32_t *maker_by(const struct makers *m, uint32_t id, SpvOp op) {
    const uint32_t *w = maker(m, id);
    return w && words_op(w) == op ? w : NULL;
}

uint32_t makers_part(const struct makers *m, uint32_t type, uint32_t k) {
    const uint32_t *structure = maker_by(m, type, SpvOpTypeStruct),
                   *array = maker_by(m, type, SpvOpTypeArray);
    const uint32_t *length = array ? maker_by(m, array[3], SpvOpConstant) : NULL;
    if (structure)
        return k + 2 < structure[0] >> SpvWordCountShift ? structure[k + 2] : 0;
    return length && k < length[3] ? array[2] : 0;
}
