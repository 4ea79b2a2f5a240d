/* What code may rely on, by the chip's profile and the register of assumptions. */
#include "backend/isa/chip.h"

static const struct {
    uint8_t grade, use;
} rows[QPUCC_ASSUMPTION_COUNT] = {
#define ASSUMPTION(name, section, grade, use, what, evidence, relies, tests)                                 \
    {QPUCC_ASSUME_##grade, QPUCC_ASSUME_##use},
#include <qpucc/assumptions.def>
#undef ASSUMPTION
};

_Static_assert(QPUCC_ASSUMPTION_COUNT <= 32 * 8, "struct qpucc_chip has a bit for each row");

bool chip_concerns_code(enum qpucc_assumption row) {
    return rows[row].use != QPUCC_ASSUME_MACHINE;
}

bool chip_relies_on(const struct qpucc_chip *chip, enum qpucc_assumption row) {
    bool shipped = rows[row].use == QPUCC_ASSUME_CODE ||
                   (rows[row].use == QPUCC_ASSUME_COMPILER && rows[row].grade <= QPUCC_ASSUME_SOURCE);
    return chip && chip_concerns_code(row) ? shipped != chip_is_changed(chip, row) : shipped;
}
