/* What code may rely on of the chip: the profile that a compile is for (qpucc_options.chip, -mchip). */
#ifndef QPUCC_CHIP_H
#define QPUCC_CHIP_H

#include <qpucc/assumptions.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which rows of the register (qpucc/assumptions.h) hold, as a value of fixed size that may be copied. Of rows
 * with use QPUCC_ASSUME_COMPILER: whether code may rely on them; of rows with use QPUCC_ASSUME_CODE, on which
 * all code relies: whether they are known not to hold, of which a compile warns.
 *
 * All zero is the profile "shipped", the default: code relies on what has grade QPUCC_ASSUME_SOURCE or a
 * stronger one. Its bits mean nothing to others: set them by the functions below. */
struct qpucc_chip {
    uint32_t changed[8];
};

/* The profile "guide": code relies on what Broadcom's guide alone says, too (grade QPUCC_ASSUME_GUIDE). */
struct qpucc_chip qpucc_chip_guide(void);

/* Reads a profile as a chip's self-test writes it (docs/assumptions.md, Profiles): `size` bytes of text,
 * whose first line is "qpucc-chip-profile 1", and whose others are "NAME agrees", "NAME differs", "NAME
 * unreachable" or "NAME untested"; "#" begins a comment. The last two, and rows that are not there, are as
 * under "shipped". False: `message` (always terminated if `message_size` is not 0) says what is wrong and
 * in which line, and *chip is "shipped". */
bool qpucc_chip_parse(const char *text, size_t size, struct qpucc_chip *chip, char *message,
                      size_t message_size);

/* Writes the profile as such a text, with the rows alone that are otherwise than under "shipped", and a NUL
 * if there is room. Returns its length without the NUL, also when that is `size` or more and the text is
 * cut off. */
size_t qpucc_chip_text(const struct qpucc_chip *chip, char *text, size_t size);

/* "shipped", "guide", or "profile" for all others. Static storage. */
const char *qpucc_chip_name(const struct qpucc_chip *chip);

/* May code rely on it? False for a number that is no assumption, and for all with use QPUCC_ASSUME_MACHINE.
 */
bool qpucc_chip_relies_on(const struct qpucc_chip *chip, enum qpucc_assumption assumption);

#ifdef __cplusplus
}
#endif

#endif
