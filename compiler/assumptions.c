/* The register of assumptions as a table; include/qpucc/assumptions.def has its rows. */
#include <qpucc/assumptions.h>

#include <stddef.h>
#include <string.h>

static const struct qpucc_assumption_row rows[QPUCC_ASSUMPTION_COUNT] = {
#define ASSUMPTION(name, section, grade, use, what, evidence, relies, tests)                                 \
    {#name, QPUCC_ASSUME_##section, QPUCC_ASSUME_##grade, QPUCC_ASSUME_##use, what, evidence, relies, tests},
#include <qpucc/assumptions.def>
#undef ASSUMPTION
};

const struct qpucc_assumption_row *qpucc_assumption_at(enum qpucc_assumption assumption) {
    return (unsigned)assumption < QPUCC_ASSUMPTION_COUNT ? &rows[assumption] : NULL;
}

enum qpucc_assumption qpucc_assumption_by_name(const char *name) {
    unsigned i = 0;
    while (i < QPUCC_ASSUMPTION_COUNT && !(name && !strcmp(rows[i].name, name)))
        i++;
    return (enum qpucc_assumption)i;
}

const char *qpucc_assumption_section_name(enum qpucc_assumption_section section) {
    static const char *const names[QPUCC_ASSUMPTION_SECTION_COUNT] = {
        [QPUCC_ASSUME_ARITHMETIC] = "arithmetic",
        [QPUCC_ASSUME_SFU] = "special functions",
        [QPUCC_ASSUME_FLAGS] = "conditions and flags",
        [QPUCC_ASSUME_REGISTERS] = "registers",
        [QPUCC_ASSUME_PACKS] = "packs and unpacks",
        [QPUCC_ASSUME_UNIFORMS] = "uniforms",
        [QPUCC_ASSUME_TEXTURES] = "textures",
        [QPUCC_ASSUME_THREADS] = "threads",
        [QPUCC_ASSUME_TILE_BUFFER] = "scoreboard and tile buffer",
        [QPUCC_ASSUME_FRAGMENTS] = "fragments and varyings",
        [QPUCC_ASSUME_VERTICES] = "vertices and the VPM",
        [QPUCC_ASSUME_BRANCHES] = "branches",
        [QPUCC_ASSUME_RASTER] = "rasteriser",
        [QPUCC_ASSUME_CLIP] = "clipping",
        [QPUCC_ASSUME_LISTS] = "control lists",
        [QPUCC_ASSUME_TIME] = "time",
    };
    return (unsigned)section < QPUCC_ASSUMPTION_SECTION_COUNT ? names[section] : NULL;
}

const char *qpucc_assumption_grade_name(enum qpucc_assumption_grade grade) {
    static const char *const names[QPUCC_ASSUMPTION_GRADE_COUNT] = {
        [QPUCC_ASSUME_MEASURED] = "measured", [QPUCC_ASSUME_VERDICT] = "verdict",
        [QPUCC_ASSUME_SHIPPED] = "shipped",   [QPUCC_ASSUME_SOURCE] = "source",
        [QPUCC_ASSUME_GUIDE] = "guide",       [QPUCC_ASSUME_CLAIM] = "claim",
        [QPUCC_ASSUME_CHOICE] = "choice",
    };
    return (unsigned)grade < QPUCC_ASSUMPTION_GRADE_COUNT ? names[grade] : NULL;
}

const char *qpucc_assumption_use_name(enum qpucc_assumption_use use) {
    static const char *const names[QPUCC_ASSUMPTION_USE_COUNT] = {
        [QPUCC_ASSUME_COMPILER] = "compiler",
        [QPUCC_ASSUME_CODE] = "code",
        [QPUCC_ASSUME_MACHINE] = "machine",
    };
    return (unsigned)use < QPUCC_ASSUMPTION_USE_COUNT ? names[use] : NULL;
}
