/* The sections of rows, which are in rows_*.c. */
#ifndef SELFTEST_ROWS_H
#define SELFTEST_ROWS_H

#include "row.h"

#define SECTION(name, what, rows)                                                                            \
    { name, what, rows, sizeof(rows) / sizeof *(rows) }

/* In the order of the report. README.md says what a new section needs. */
/* clang-format off */
#define SECTIONS(X) \
    X(alu) \
    X(flags) \
    X(cond) \
    X(pack) \
    X(sfu) \
    X(reg) \
    X(unif) \
    X(branch) \
    X(thread) \
    X(frag) \
    X(tlb) \
    X(target) \
    X(vpm) \
    X(tmu) \
    X(raster) \
    X(clip) \
    X(perf) \
    X(kernel)
/* clang-format on */

#define X(name) extern const struct row_section section_##name;
SECTIONS(X)
#undef X

#endif
