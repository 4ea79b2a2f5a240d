/* Writing a SPIR-V module (spirv_words.h). */
#include "spirv_words.h"

#include <spirv/unified1/spirv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *more(struct spirv_module *m, enum spirv_section section, size_t count) {
    struct spirv_words *w = &m->section[section];
    if (w->count + count > w->capacity) {
        size_t capacity = (w->count + count) * 2 + 64;
        uint32_t *grown = realloc(w->word, capacity * sizeof *grown);
        if (!grown) {
            m->oom = true;
            return NULL;
        }
        w->word = grown;
        w->capacity = capacity;
    }
    w->count += count;
    return w->word + w->count - count;
}

void spirv_put_text(struct spirv_module *m, enum spirv_section section, uint32_t op, uint32_t count,
                    const uint32_t *operand, const char *text, uint32_t behind_count,
                    const uint32_t *behind) {
    uint32_t text_words = text ? (uint32_t)strlen(text) / 4 + 1 : 0;
    uint32_t length = 1 + count + text_words + behind_count, *to = more(m, section, length);
    if (!to)
        return;
    to[0] = length << 16 | op;
    if (count)
        memcpy(to + 1, operand, count * sizeof *to);
    if (text) {
        memset(to + 1 + count, 0, text_words * sizeof *to);
        memcpy(to + 1 + count, text, strlen(text));
    }
    if (behind_count)
        memcpy(to + 1 + count + text_words, behind, behind_count * sizeof *to);
}

void spirv_put(struct spirv_module *m, enum spirv_section section, uint32_t op, uint32_t count,
               const uint32_t *operand) {
    spirv_put_text(m, section, op, count, operand, NULL, 0, NULL);
}

void spirv_name(struct spirv_module *m, uint32_t id, const char *format, ...) {
    char text[64];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    spirv_put_text(m, SECTION_NAMES, SpvOpName, 1, &id, text, 0, NULL);
}

uint32_t spirv_id(struct spirv_module *m) {
    return m->next_id++;
}

void spirv_init(struct spirv_module *m) {
    memset(m, 0, sizeof *m);
    m->next_id = 1;
    m->glsl = spirv_id(m);
}

void spirv_free(struct spirv_module *m) {
    for (int k = 0; k < SECTION_COUNT; k++)
        free(m->section[k].word);
    free(m->known);
    memset(m, 0, sizeof *m);
}

uint32_t *spirv_finish(const struct spirv_module *m, size_t *count) {
    const uint32_t head[5] = {SpvMagicNumber, 0x00010000, 0, m->next_id, 0};
    *count = 5;
    for (int k = 0; k < SECTION_COUNT; k++)
        *count += m->section[k].count;
    uint32_t *words = m->oom ? NULL : malloc(*count * sizeof *words), *to = words;
    if (!words)
        return NULL;
    memcpy(to, head, sizeof head);
    to += 5;
    for (int k = 0; k < SECTION_COUNT; k++) {
        if (m->section[k].count)
            memcpy(to, m->section[k].word, m->section[k].count * sizeof *to);
        to += m->section[k].count;
    }
    return words;
}

uint32_t spirv_op(struct spirv_module *m, uint32_t op, uint32_t type, uint32_t count,
                  const uint32_t *operand) {
    uint32_t id = spirv_id(m), *to = more(m, SECTION_CODE, 3 + count);
    if (!to)
        return id;
    to[0] = (3 + count) << 16 | op;
    to[1] = type;
    to[2] = id;
    if (count)
        memcpy(to + 3, operand, count * sizeof *to);
    return id;
}

uint32_t spirv_ext(struct spirv_module *m, uint32_t which, uint32_t type, uint32_t count,
                   const uint32_t *operand) {
    uint32_t all[8] = {m->glsl, which};
    memcpy(all + 2, operand, count * sizeof *all);
    return spirv_op(m, SpvOpExtInst, type, 2 + count, all);
}

/* --- each once ------------------------------------------------------------------------------------------ */

static struct spirv_known *place(struct spirv_known *table, uint32_t size, uint32_t op, uint32_t count,
                                 const uint32_t *operand) {
    uint32_t hash = op * 2654435761u + count;
    for (uint32_t k = 0; k < count; k++)
        hash = (hash ^ operand[k]) * 2246822519u;
    for (uint32_t at = hash ^ hash >> 15;; at++) {
        struct spirv_known *known = &table[at & (size - 1)];
        if (!known->id || (known->op == op && known->count == count &&
                           (!count || memcmp(known->operand, operand, count * sizeof *operand) == 0)))
            return known;
    }
}

static bool grow_known(struct spirv_module *m) {
    uint32_t size = m->known_size ? m->known_size * 2 : 128;
    struct spirv_known *table = calloc(size, sizeof *table);
    if (!table) {
        m->oom = true;
        return false;
    }
    for (uint32_t k = 0; k < m->known_size; k++) {
        const struct spirv_known *known = &m->known[k];
        if (known->id)
            *place(table, size, known->op, known->count, known->operand) = *known;
    }
    free(m->known);
    m->known = table;
    m->known_size = size;
    return true;
}

/* The id of what this instruction defines, with a result type if `typed` (operand 0). */
static uint32_t once(struct spirv_module *m, uint32_t op, bool typed, uint32_t count,
                     const uint32_t *operand) {
    if (2 * m->known_count >= m->known_size && !grow_known(m))
        return spirv_id(m);
    struct spirv_known *known = place(m->known, m->known_size, op, count, operand);
    if (known->id)
        return known->id;
    *known = (struct spirv_known){.id = spirv_id(m), .op = op, .count = count};
    if (count)
        memcpy(known->operand, operand, count * sizeof *operand);
    m->known_count++;
    uint32_t *to = more(m, SECTION_TYPES, 2 + count);
    if (!to)
        return known->id;
    to[0] = (2 + count) << 16 | op;
    to[1 + typed] = known->id;
    if (typed)
        to[1] = operand[0];
    if (count > typed)
        memcpy(to + 2 + typed, operand + typed, (count - typed) * sizeof *to);
    return known->id;
}

uint32_t spirv_other_type(struct spirv_module *m, uint32_t op, uint32_t count, const uint32_t *operand) {
    return once(m, op, false, count, operand);
}

uint32_t spirv_type(struct spirv_module *m, enum spirv_kind kind, uint32_t count) {
    if (count > 1)
        return SPIRV_OTHER_TYPE(m, SpvOpTypeVector, spirv_type(m, kind, 1), count);
    switch (kind) {
    case KIND_FLOAT: return SPIRV_OTHER_TYPE(m, SpvOpTypeFloat, 32);
    case KIND_UINT: return SPIRV_OTHER_TYPE(m, SpvOpTypeInt, 32, 0);
    default: return spirv_other_type(m, SpvOpTypeBool, 0, NULL);
    }
}

uint32_t spirv_pointer(struct spirv_module *m, uint32_t storage, uint32_t type) {
    return SPIRV_OTHER_TYPE(m, SpvOpTypePointer, storage, type);
}

uint32_t spirv_array(struct spirv_module *m, uint32_t type, uint32_t length) {
    return SPIRV_OTHER_TYPE(m, SpvOpTypeArray, type, spirv_uint(m, length));
}

uint32_t spirv_constant(struct spirv_module *m, enum spirv_kind kind, uint32_t count, const uint32_t *bits) {
    uint32_t operand[5] = {spirv_type(m, kind, count)};
    if (count == 1 && kind == KIND_BOOL)
        return once(m, *bits ? SpvOpConstantTrue : SpvOpConstantFalse, true, 1, operand);
    for (uint32_t k = 0; k < count; k++)
        operand[1 + k] = count == 1 ? *bits : spirv_constant(m, kind, 1, bits + k);
    return once(m, count == 1 ? SpvOpConstant : SpvOpConstantComposite, true, 1 + count, operand);
}

uint32_t spirv_uints(struct spirv_module *m, uint32_t value, uint32_t count) {
    return spirv_constant(m, KIND_UINT, count, (const uint32_t[]){value, value, value, value});
}

uint32_t spirv_uint(struct spirv_module *m, uint32_t value) {
    return spirv_uints(m, value, 1);
}

uint32_t spirv_float(struct spirv_module *m, float value, uint32_t count) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return spirv_constant(m, KIND_FLOAT, count, (const uint32_t[]){bits, bits, bits, bits});
}

uint32_t spirv_undef(struct spirv_module *m, enum spirv_kind kind, uint32_t count) {
    uint32_t type = spirv_type(m, kind, count);
    return once(m, SpvOpUndef, true, 1, &type);
}
