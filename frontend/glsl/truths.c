/* truths.c: bools in uniforms become numbers, which is what SPIR-V knows in memory that others fill.
 *
 * Requires: a module of module_rewrite's, where a uniform may hold bools. Keeps: what it computes, names and
 * places. A type with bools that a uniform has gets a twin with uint in their place; the uniforms' pointers
 * lead to the twin, what is loaded through them is compared with zero member by member, and initial values
 * are 0 and 1. */
#include "frontend/glsl/internal.h"
#include "frontend/glsl/words.h"
#include "ir/heap.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

struct truths {
    struct run *run;
    struct words out;
    struct makers makers;
    uint32_t bound, next;
    uint32_t *twin;  /* of a type, by id: its twin's id; 0: it has no bools, or no uniform has it */
    uint32_t *zero;  /* of a scalar or a vector with a twin, by id: the constant */
    bool *written;   /* by id, up to `bound`: the type is in the new module */
    uint32_t number; /* uint; vectors of 2 to 4 of them: */
    uint32_t vector[5];
};

static void put_words(struct truths *t, SpvOp op, const uint32_t *operands, size_t count) {
    words_put(t->run, &t->out, op, operands, count);
}

/* Gives the type and what it consists of twins; false: there is no bool in it. */
static bool plan_twin(struct truths *t, uint32_t type) {
    const uint32_t *w = maker(&t->makers, type);
    if (!w)
        return false;
    if (t->twin[type])
        return true;
    bool needs = false;
    switch (words_op(w)) {
    case SpvOpTypeBool: t->twin[type] = t->number = t->number ? t->number : t->next++; return true;
    case SpvOpTypeVector:
        if (!plan_twin(t, w[2]) || w[3] > 4)
            return false;
        t->twin[type] = t->vector[w[3]] = t->vector[w[3]] ? t->vector[w[3]] : t->next++;
        return true;
    case SpvOpTypeArray: needs = plan_twin(t, w[2]); break;
    case SpvOpTypeStruct:
        for (uint32_t k = 2; k < w[0] >> SpvWordCountShift; k++)
            needs |= plan_twin(t, w[k]);
        break;
    default: return false;
    }
    t->twin[type] = needs ? t->next++ : 0;
    return needs;
}

static uint32_t twin_of(const struct truths *t, uint32_t type) {
    return type < t->bound && t->twin[type] ? t->twin[type] : type;
}

/* uint and its vectors may be in the module, further down. */
static void put_once(struct truths *t, uint32_t id, SpvOp op, const uint32_t *operands) {
    if (id < t->bound && t->written[id])
        return;
    if (id < t->bound)
        t->written[id] = true;
    put_words(t, op, operands, 3);
}

static void put_twin(struct truths *t, uint32_t type) {
    const uint32_t *w = maker(&t->makers, type);
    uint32_t twin = twin_of(t, type);
    if (!w || twin == type || t->zero[type] || t->written[type + t->bound])
        return;
    const uint32_t count = w[0] >> SpvWordCountShift;
    switch (words_op(w)) {
    case SpvOpTypeBool: {
        const uint32_t number[] = {twin, 32, 0}, zero[] = {twin, t->zero[type] = t->next++};
        put_once(t, twin, SpvOpTypeInt, number);
        put_words(t, SpvOpConstantNull, zero, 2);
        return;
    }
    case SpvOpTypeVector: {
        put_twin(t, w[2]);
        const uint32_t vector[] = {twin, t->number, w[3]}, zero[] = {twin, t->zero[type] = t->next++};
        put_once(t, twin, SpvOpTypeVector, vector);
        put_words(t, SpvOpConstantNull, zero, 2);
        return;
    }
    case SpvOpTypeArray: {
        put_twin(t, w[2]);
        const uint32_t array[] = {twin, twin_of(t, w[2]), w[3]};
        put_words(t, SpvOpTypeArray, array, 3);
        break;
    }
    default: {
        uint32_t *members = run_zeroed(t->run, count, sizeof *members);
        for (uint32_t k = 2; members && k < count; k++)
            put_twin(t, w[k]);
        for (uint32_t k = 2; members && k < count; k++)
            members[k - 1] = twin_of(t, w[k]);
        if (members) {
            members[0] = twin;
            put_words(t, SpvOpTypeStruct, members, count - 1);
        }
    }
    }
    t->written[type + t->bound] = true;
}

/* A value of the type from the twin's, whose id `result` is. */
static void put_value(struct truths *t, uint32_t type, uint32_t from, uint32_t result) {
    if (t->zero[type]) {
        const uint32_t truth[] = {type, result, from, t->zero[type]};
        put_words(t, SpvOpINotEqual, truth, 4);
        return;
    }
    struct words made = {0};
    uint32_t *head = words_extend(t->run, &made, 2);
    for (uint32_t k = 0, part; head && (part = makers_part(&t->makers, type, k)); k++) {
        const uint32_t extract[] = {twin_of(t, part), t->next++, from, k};
        put_words(t, SpvOpCompositeExtract, extract, 4);
        uint32_t member = extract[1];
        if (twin_of(t, part) != part)
            put_value(t, part, extract[1], member = t->next++);
        uint32_t *next = words_extend(t->run, &made, 1);
        if (next)
            *next = member;
    }
    if (!t->run->failed) {
        made.at[0] = type, made.at[1] = result;
        put_words(t, SpvOpCompositeConstruct, made.at, made.count);
    }
    ir_heap_free(made.at);
}

/* The twin's constant for one of the type; its id. */
static uint32_t put_constant(struct truths *t, uint32_t type, uint32_t id) {
    const uint32_t *w = maker(&t->makers, id);
    if (!w || twin_of(t, type) == type)
        return id;
    uint32_t result = t->next++;
    switch (words_op(w)) {
    case SpvOpConstantTrue: {
        const uint32_t one[] = {t->number, result, 1};
        put_words(t, SpvOpConstant, one, 3);
        break;
    }
    case SpvOpConstantComposite: {
        const uint32_t *v = maker(&t->makers, type), count = (w[0] >> SpvWordCountShift) - 1;
        uint32_t *parts = run_zeroed(t->run, count, sizeof *parts);
        for (uint32_t k = 2; parts && v && k < count; k++)
            parts[k] = put_constant(
                t, words_op(v) == SpvOpTypeVector ? v[2] : makers_part(&t->makers, type, k - 2), w[k + 1]);
        if (parts) {
            parts[0] = twin_of(t, type), parts[1] = result;
            put_words(t, SpvOpConstantComposite, parts, count);
        }
        break;
    }
    default: {
        const uint32_t zero[] = {twin_of(t, type), result};
        put_words(t, SpvOpConstantNull, zero, 2);
    }
    }
    return result;
}

/* The type that a pointer to uniforms leads to; 0: it is another pointer. */
static uint32_t pointee(const struct truths *t, uint32_t pointer_type) {
    const uint32_t *w = maker_by(&t->makers, pointer_type, SpvOpTypePointer);
    bool uniform = w && w[2] == SpvStorageClassUniformConstant;
    return uniform && twin_of(t, w[3]) != w[3] ? w[3] : 0;
}

static void put_all(struct truths *t, const uint32_t *w, size_t length) {
    SpvOp op = words_op(w);
    uint32_t type = op == SpvOpTypePointer ? pointee(t, w[1]) : op == SpvOpVariable ? pointee(t, w[1]) : 0;
    if (op == SpvOpTypePointer && type) {
        put_twin(t, type);
        const uint32_t pointer[] = {w[1], w[2], twin_of(t, type)};
        put_words(t, op, pointer, 3);
    } else if (op == SpvOpVariable && type && length > 4) {
        const uint32_t variable[] = {w[1], w[2], w[3], put_constant(t, type, w[4])};
        put_words(t, op, variable, 4);
    } else if (op == SpvOpLoad && maker(&t->makers, w[3]) &&
               (type = pointee(t, maker(&t->makers, w[3])[1]))) {
        const uint32_t load[] = {twin_of(t, type), t->next++, w[3]};
        put_words(t, op, load, 3);
        put_value(t, type, load[1], w[2]);
    } else if ((op == SpvOpTypeInt || op == SpvOpTypeVector) && t->written[w[1]]) {
        /* came before */
    } else {
        put_words(t, op, w + 1, length - 1);
        if (op == SpvOpTypeInt || op == SpvOpTypeVector)
            t->written[w[1]] = true;
        bool names =
            op == SpvOpName || op == SpvOpMemberName || op == SpvOpDecorate || op == SpvOpMemberDecorate;
        const uint32_t *of = names && twin_of(t, w[1]) != w[1] ? maker(&t->makers, w[1]) : NULL;
        if (of && (words_op(of) == SpvOpTypeStruct || words_op(of) == SpvOpTypeArray)) {
            uint32_t *copy = run_zeroed(t->run, length, sizeof *copy);
            if (copy) {
                memcpy(copy, w + 1, (length - 1) * sizeof *copy);
                copy[0] = twin_of(t, w[1]);
                put_words(t, op, copy, length - 1);
            }
        }
    }
}

/* False: no uniform has a bool. */
static bool plan(struct truths *t) {
    bool found = false;
    for (uint32_t id = 0; id < t->bound; id++) {
        const uint32_t *w = maker_by(&t->makers, id, SpvOpTypeInt);
        if (w && w[2] == 32 && !w[3])
            t->number = id;
    }
    for (uint32_t id = 0; id < t->bound; id++) {
        const uint32_t *w = maker_by(&t->makers, id, SpvOpTypeVector);
        if (w && w[2] == t->number && w[3] <= 4)
            t->vector[w[3]] = id;
    }
    for (uint32_t id = 0; id < t->bound; id++) {
        const uint32_t *w = maker_by(&t->makers, id, SpvOpTypePointer);
        if (w && w[2] == SpvStorageClassUniformConstant)
            found |= plan_twin(t, w[3]);
    }
    return found;
}

uint32_t *module_number_truths(struct run *run, uint32_t *words, size_t *count) {
    struct truths t = {.run = run};
    if (!words || *count < SPIRV_HEADER || !makers_read(run, words, *count, &t.makers))
        return words;
    t.bound = t.next = words[3];
    t.twin = run_zeroed(run, t.bound + 1, sizeof *t.twin);
    t.zero = run_zeroed(run, t.bound + 1, sizeof *t.zero);
    t.written = run_zeroed(run, 2 * (size_t)t.bound + 1, sizeof *t.written);
    if (run->failed || !plan(&t))
        return words;
    uint32_t *header = words_extend(run, &t.out, SPIRV_HEADER);
    if (header)
        memcpy(header, words, SPIRV_HEADER * sizeof *header);
    for (size_t i = SPIRV_HEADER, length;
         i < *count && (length = words[i] >> SpvWordCountShift) && !run->failed; i += length)
        put_all(&t, words + i, length);
    ir_heap_free(words);
    if (run->failed) {
        ir_heap_free(t.out.at);
        return NULL;
    }
    t.out.at[3] = t.next;
    *count = t.out.count;
    return t.out.at;
}
