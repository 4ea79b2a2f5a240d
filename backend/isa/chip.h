/* What code may rely on of the chip, for all who make or check code. */
#ifndef QPU_CHIP_H
#define QPU_CHIP_H

#include <qpucc/chip.h>

/* The row's name, and the row of a name; QPUCC_ASSUMPTION_COUNT: none. */
const char *chip_row_name(enum qpucc_assumption row);
enum qpucc_assumption chip_row_named(const char *name);
/* The compiler can do without the row. */
bool chip_is_choice(enum qpucc_assumption row);
/* What the guide says, or something better. */
bool chip_guide_has(enum qpucc_assumption row);
/* A row that code may do without, or one that it cannot: MACHINE rows are nobody's business here. */
bool chip_concerns_code(enum qpucc_assumption row);

/* The row's bit is set: it is otherwise than under "shipped". */
static inline bool chip_is_changed(const struct qpucc_chip *chip, enum qpucc_assumption row) {
    return chip->changed[row / 32] >> row % 32 & 1;
}

/* May code rely on the row? NULL: the chip "shipped". */
bool chip_relies_on(const struct qpucc_chip *chip, enum qpucc_assumption row);

#endif
