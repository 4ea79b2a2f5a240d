/* Operands of microprograms. */
#ifndef SELFTEST_OPERANDS_H
#define SELFTEST_OPERANDS_H

#include <stdint.h>

enum { OPERANDS_BLOCK = 4096 };

enum operands {
#define OPERANDS(NAME, name, blocks, what) OPERANDS_##NAME,
#include "operands.def"
#undef OPERANDS
    OPERANDS_COUNT
};

struct operand_set {
    const char *name, *what;
    unsigned blocks;
    void (*make)(uint32_t n, uint32_t *a, uint32_t *b); /* pair n; the same in every run */
};

extern const struct operand_set operand_sets[OPERANDS_COUNT];

#endif
