/* A chip profile in the options of a compile: whether this library made it, and what it warns of. */
#include "compiler/chip.h"

#include <string.h>

bool program_check_chip(struct qpucc_program *program, const struct qpucc_chip *chip) {
    struct qpucc_chip known = {{0}};
    for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++)
        if (chip_concerns_code((enum qpucc_assumption)i))
            known.changed[i / 32] |= chip->changed[i / 32] & 1u << i % 32;
    if (!memcmp(&known, chip, sizeof known))
        return true;
    program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", NULL, 0, 0,
                     "the options' chip profile has bits that no function of this library sets");
    return false;
}

void program_warn_of_chip(struct qpucc_program *program, const struct qpucc_chip *chip) {
    for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++) {
        const struct qpucc_assumption_row *row = qpucc_assumption_at((enum qpucc_assumption)i);
        if (row->use == QPUCC_ASSUME_CODE && chip_is_changed(chip, (enum qpucc_assumption)i))
            program_diagnose(program, QPUCC_OK, QPUCC_WARNING, "chip", NULL, 0, 0,
                             "the chip differs in %s, which code cannot do without: %s", row->name,
                             row->relies);
    }
}
