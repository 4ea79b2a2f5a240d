/* What this project assumes about the chip: the rows of assumptions.def as an enumeration and a table.
 *
 * Each thing that code or the machine's results rely on has a name, a grade of certainty, its evidence, and
 * the rows of the self-test that find out on a Pi whether it holds. docs/assumptions.md shows the whole
 * table. */
#ifndef QPUCC_ASSUMPTIONS_H
#define QPUCC_ASSUMPTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The rows, in the table's order: QPUCC_ASSUME_vpm_rows_fall, ... Names stay; numbers change with the
 * table. */
enum qpucc_assumption {
#define ASSUMPTION(name, section, grade, use, what, evidence, relies, tests) QPUCC_ASSUME_##name,
#include <qpucc/assumptions.def>
#undef ASSUMPTION
    QPUCC_ASSUMPTION_COUNT
};

/* What part of the chip it is about. */
enum qpucc_assumption_section {
    QPUCC_ASSUME_ARITHMETIC,
    QPUCC_ASSUME_SFU,
    QPUCC_ASSUME_FLAGS,
    QPUCC_ASSUME_REGISTERS,
    QPUCC_ASSUME_PACKS,
    QPUCC_ASSUME_UNIFORMS,
    QPUCC_ASSUME_TEXTURES,
    QPUCC_ASSUME_THREADS,
    QPUCC_ASSUME_TILE_BUFFER,
    QPUCC_ASSUME_FRAGMENTS,
    QPUCC_ASSUME_VERTICES,
    QPUCC_ASSUME_BRANCHES,
    QPUCC_ASSUME_RASTER,
    QPUCC_ASSUME_CLIP,
    QPUCC_ASSUME_LISTS,
    QPUCC_ASSUME_TIME,
    QPUCC_ASSUMPTION_SECTION_COUNT
};

/* How certain it is, from the strongest on. */
enum qpucc_assumption_grade {
    QPUCC_ASSUME_MEASURED, /* somebody measured it on hardware and published what he saw */
    QPUCC_ASSUME_VERDICT,  /* verdicts of a conformance suite on a real Pi need it */
    QPUCC_ASSUME_SHIPPED,  /* programs that shipped do it */
    QPUCC_ASSUME_SOURCE,   /* the source of a driver that shipped, or of the kernel, does it or says so */
    QPUCC_ASSUME_GUIDE,    /* Broadcom's guide says so, and nothing else */
    QPUCC_ASSUME_CLAIM,    /* one third party says so */
    QPUCC_ASSUME_CHOICE,   /* unknown: this project chose */
    QPUCC_ASSUMPTION_GRADE_COUNT
};

/* What relies on it. */
enum qpucc_assumption_use {
    QPUCC_ASSUME_COMPILER, /* code may rely on it and can do without: the chip profile decides */
    QPUCC_ASSUME_CODE,     /* code relies on it and cannot do without */
    QPUCC_ASSUME_MACHINE,  /* only results of the machine depend on it */
    QPUCC_ASSUMPTION_USE_COUNT
};

struct qpucc_assumption_row {
    const char *name; /* "vpm_rows_fall" */
    enum qpucc_assumption_section section;
    enum qpucc_assumption_grade grade;
    enum qpucc_assumption_use use;
    const char *what, *evidence, *relies; /* plain sentences */
    const char *tests; /* prefix of the names of the self-test's rows; "" where no program can find out */
};

/* The row of an assumption; NULL for a number that is none. Static storage. */
const struct qpucc_assumption_row *qpucc_assumption_at(enum qpucc_assumption assumption);

/* The assumption of a name, QPUCC_ASSUMPTION_COUNT if there is none; NULL is no name. */
enum qpucc_assumption qpucc_assumption_by_name(const char *name);

/* "arithmetic", "measured", "compiler", ...; NULL for a number that is none. */
const char *qpucc_assumption_section_name(enum qpucc_assumption_section section);
const char *qpucc_assumption_grade_name(enum qpucc_assumption_grade grade);
const char *qpucc_assumption_use_name(enum qpucc_assumption_use use);

#ifdef __cplusplus
}
#endif

#endif
