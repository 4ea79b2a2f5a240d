/* Arguments of a compile that no library or not this one knows. */
#ifndef QPUCC_COMPILER_USAGE_H
#define QPUCC_COMPILER_USAGE_H

#include "compiler/program.h"

/* False, with a diagnostic of code "usage". */
#define USAGE_ERROR(program, ...)                                                                            \
    (program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", NULL, 0, 0, __VA_ARGS__), false)

/* Copies the caller's options (NULL: the defaults), which may be an older or newer header's: members that
 * those lack are 0, as by default. QPUCC_READ_LATER, which changes no program, is left out. False: the size
 * is none that options can have, or the allocator lacks a function; they are the defaults then. */
bool usage_copy_options(const struct qpucc_options *from, struct qpucc_options *to);

/* False: diagnosed with the code "usage", the member's name and its value. `from`: as the caller has them. */
bool usage_check_options(struct qpucc_program *program, const struct qpucc_options *from);
bool usage_check_sources(struct qpucc_program *program, const struct qpucc_source *sources, size_t count);

#endif
