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

struct fill_load {
    enum fill_source source;
    uint32_t count;
    const uint32_t *from; /* count of them */
};

/* `count` times one operation. Each takes `narg` numbers of values from struct fill.operands. Operations that
 * have `lanes` come in groups of FILL_LANES: the first operands of all, then the second ones, which are the
 * first ones again where there is but one. A last group that is not full repeats its last operation. What it
 * stores too much has its own value later. */
enum { FILL_LANES = 4 };
struct fill_step {
    uint16_t op;  /* enum ir_op */
    uint8_t narg; /* 1..4 */
    bool lanes;
    uint32_t imm, count; /* imm: as in struct ir_slot */
    uint32_t operands;   /* how many numbers the step takes */
    uint32_t undefined;  /* the result where IEEE arithmetic has none */
};

/* One stage's stream, or those of several stages together. A fill has an array of values: the constants, what
 * is loaded, and the results of the steps, in the order of this struct's members; streams are picked from
 * it. */
struct fill {
    bool uniforms, textures; /* the draw has to give them */
    uint32_t values;         /* all together; room for FILL_LANES more is needed */
    const uint32_t *constants;
    uint32_t constant_count;
    struct fill_load loads[FILL_SOURCES];
    uint32_t load_count;
    const struct fill_step *steps;
    uint32_t step_count;
    const uint32_t *operands;
    struct {
        const uint32_t *value; /* of each word; NULL: not of this fill */
        uint32_t count;
    } out[QPUCC_STAGE_COUNT];
};

struct qpucc_program;

/* Makes the program's fills and the layout of its uniform storage from its slots and streams. What goes wrong
 * is the arena's lack of memory. */
void fill_prepare(struct qpucc_program *program);

#endif
