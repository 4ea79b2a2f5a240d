/* The flat form of uniform streams that a draw fills: made once for each program, read by every fill. */
#ifndef QPUCC_COMPILER_FILL_H
#define QPUCC_COMPILER_FILL_H

#include "ir/ir.h"

/* Where a value is loaded from. */
enum fill_source {
    FILL_UNIFORM, /* word of the uniform storage, packed */
    FILL_TEXTURE, /* four times the unit and the set-up word's number */
    FILL_STATE,   /* word of struct qpucc_draw_state */
    FILL_STREAM,  /* stage whose stream's address is meant */
    FILL_ARRAY,   /* word of the uniform storage, whose address is meant */
    FILL_SOURCES
};

/* `count` times one operation. Each takes `narg` numbers of values. Operations that have `lanes` come in
 * groups of FILL_LANES: the first operands of all, then the second ones, which are the first ones again where
 * there is but one. A last group that is not full repeats its last operation. What it stores too much has its
 * own value later. */
enum { FILL_LANES = 4 };
/* No value in IEEE arithmetic: the hardware has no NaN and ends up at its infinity pattern. */
#define FILL_UNDEFINED 0x7f800000u
struct fill_step {
    uint16_t op, count; /* op: enum ir_op */
    uint32_t imm;       /* as in struct ir_slot */
    uint8_t narg;       /* 1..4 */
    bool lanes;
    bool floats; /* what has no value is FILL_UNDEFINED; else 0 */
};

/* One stage's stream, or those of several stages together. A fill has an array of values: the constants, what
 * is loaded, source by source, and the results of the steps; streams are picked from it. */
struct fill {
    uint32_t values; /* all together; room for FILL_LANES more is needed */
    uint32_t constant_count, step_count, number_count;
    uint32_t load_count[FILL_SOURCES];
    uint32_t out_count[QPUCC_STAGE_COUNT];
    uint8_t stages; /* a bit for each stage that it is of */
    bool wide;      /* numbers are of 32 bits, not 16 */
    const uint32_t *constants;
    const struct fill_step *steps;
    /* Where each source's words are loaded from, the steps' operands, and the value of each stream word,
     * stage by stage. */
    const void *numbers;
};

static inline uint32_t fill_number(const void *numbers, size_t index, bool wide) {
    return wide ? ((const uint32_t *)numbers)[index] : ((const uint16_t *)numbers)[index];
}

/* How many numbers a step takes. */
static inline uint32_t fill_operands(const struct fill_step *step) {
    uint32_t groups = (step->count + FILL_LANES - 1u) / FILL_LANES;
    return step->lanes ? 2 * FILL_LANES * groups : (uint32_t)step->narg * step->count;
}

struct qpucc_program;

/* Makes the program's fills and the layout of its uniform storage from its slots and streams. What goes wrong
 * is the arena's lack of memory. */
void fill_prepare(struct qpucc_program *program);

#endif
