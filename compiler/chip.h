/* A compile's chip profile. */
#ifndef QPUCC_COMPILER_CHIP_H
#define QPUCC_COMPILER_CHIP_H

#include "backend/isa/chip.h"
#include "compiler/program.h"

/* False, with a diagnostic of code "usage": it has bits that no function of this library sets. */
bool program_check_chip(struct qpucc_program *program, const struct qpucc_chip *chip);
/* Warns, with code "chip", of each row that all code relies on and the chip does not have. */
void program_warn_of_chip(struct qpucc_program *program, const struct qpucc_chip *chip);

#endif
