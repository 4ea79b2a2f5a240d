/* What code may rely on, by the chip's profile and the register of assumptions. */
#include "backend/isa/chip.h"

#include <string.h>

static const struct {
    const char *name;
    uint8_t grade, use;
} rows[QPUCC_ASSUMPTION_COUNT] = {
#define ASSUMPTION(name, section, grade, use, what, evidence, relies, tests)                                 \
    {#name, QPUCC_ASSUME_##grade, QPUCC_ASSUME_##use},
#include <qpucc/assumptions.def>
#undef ASSUMPTION
};

_Static_assert(QPUCC_ASSUMPTION_COUNT <= 32 * 8, "struct qpucc_chip has a bit for each row");

const char *chip_row_name(enum qpucc_assumption row) {
    return rows[row].name;
}

enum qpucc_assumption chip_row_named(const char *name) {
    unsigned i = 0;
    while (i < QPUCC_ASSUMPTION_COUNT && strcmp(rows[i].name, name) != 0)
        i++;
    return (enum qpucc_assumption)i;
}

bool chip_is_choice(enum qpucc_assumption row) {
    return rows[row].use == QPUCC_ASSUME_COMPILER;
}

bool chip_guide_has(enum qpucc_assumption row) {
    return rows[row].grade <= QPUCC_ASSUME_GUIDE;
}

bool chip_concerns_code(enum qpucc_assumption row) {
    return rows[row].use != QPUCC_ASSUME_MACHINE;
}

bool chip_relies_on(const struct qpucc_chip *chip, enum qpucc_assumption row) {
    bool shipped =
        rows[row].use == QPUCC_ASSUME_CODE || (chip_is_choice(row) && rows[row].grade <= QPUCC_ASSUME_SOURCE);
    return chip && chip_concerns_code(row) ? shipped != chip_is_changed(chip, row) : shipped;
}
