/* specialise.c: gives specialisation constants (SPIR-V 1.0, 2.12) other values, in the module's own words. */
#include "frontend/spirv/spirv.h"

#include <spirv/unified1/spirv.h>

/* The constant for the id that a decoration gives to `target`; NULL: it has its default. */
static const struct fe_spec_constant *find(const struct fe_spec_constant *list, size_t count, uint32_t id) {
    while (count-- > 0)
        if (list[count].id == id)
            return &list[count];
    return NULL;
}

/* The next instruction; 0: the end, or nothing that has a length. */
static uint32_t length_at(const uint32_t *words, size_t count, size_t at) {
    uint32_t length = at < count ? words[at] >> 16 : 0;
    return length <= count - at ? length : 0;
}

/* A constant that is declared behind its decorations, as all of them are (2.4). */
static void set_value(uint32_t *words, size_t count, size_t from, uint32_t target, uint32_t bits) {
    for (uint32_t length; (length = length_at(words, count, from)); from += length) {
        uint32_t op = words[from] & 0xffff;
        if (length < 3 || words[from + 2] != target)
            continue;
        if (op == SpvOpSpecConstant && length == 4)
            words[from + 3] = bits;
        else if (op == SpvOpSpecConstantTrue || op == SpvOpSpecConstantFalse)
            words[from] = length << 16 | (bits ? SpvOpSpecConstantTrue : SpvOpSpecConstantFalse);
        else
            continue;
        return;
    }
}

size_t fe_spirv_specialise(uint32_t *words, size_t count, const struct fe_spec_constant *list,
                           size_t constants) {
    enum { HEADER = 5 };
    size_t done = 0;
    for (size_t k = 0; k < constants; k++) {
        bool known = false;
        size_t at = HEADER;
        for (uint32_t length; (length = length_at(words, count, at)); at += length) {
            bool names = (words[at] & 0xffff) == SpvOpDecorate && length == 4 &&
                         words[at + 2] == SpvDecorationSpecId && words[at + 3] == list[k].id;
            if (names && find(list, constants, list[k].id) == &list[k])
                set_value(words, count, at + length, words[at + 1], list[k].bits);
            known |= names;
        }
        if (!known)
            return done;
        done++;
    }
    return done;
}
