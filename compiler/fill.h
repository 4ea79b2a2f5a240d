/* The flat form of uniform streams that a draw fills: made once for each program, read by every fill. */
#ifndef QPUCC_COMPILER_FILL_H
#define QPUCC_COMPILER_FILL_H

#include "ir/ir.h"

/* Where a plain copy comes from. */
enum fill_source {
    FILL_UNIFORM, /* word of the uniform storage, packed */
    FILL_TEXTURE, /* four times the unit and the set-up word's number */
    FILL_STATE,   /* word of struct qpucc_draw_state */
    FILL_STREAM,  /* stage whose stream's address is meant */
    FILL_ARRAY,   /* word of the uniform storage, whose address is meant */
    FILL_VALUE,   /* a value that the steps have computed */
    FILL_SOURCES
};

struct fill_copy {
    uint32_t to, from;
};

struct fill_copies {
    const struct fill_copy *list;
    uint32_t count;
};

/* `count` times one operation. Each takes its target and then its operands, all numbers of values, from
 * struct fill.operands. */
struct fill_step {
    uint16_t op;         /* enum ir_op */
    uint8_t narg;        /* 1..4 */
    uint32_t imm, count; /* imm: as in struct ir_slot */
    uint32_t undefined;  /* the result where IEEE arithmetic has none */
};

/* One stage's stream, or those of several stages together. */
struct fill {
    bool uniforms, textures;   /* read by what is alive */
    uint32_t values;           /* in use while a fill runs; constants first */
    const uint32_t *constants; /* the first values, constant_count of them */
    uint32_t constant_count;
    struct fill_copies load[FILL_VALUE]; /* from a draw's inputs to values */
    const struct fill_step *steps;
    uint32_t step_count;
    const uint32_t *operands;
    struct {
        const uint32_t
            *preset; /* the stream with its constants in place, 0 elsewhere; NULL: not of this fill */
        uint32_t count;
        struct fill_copies copy[FILL_SOURCES];
    } out[QPUCC_STAGE_COUNT];
};

struct qpucc_program;

/* Makes the program's fills and the layout of its uniform storage from its slots and streams. What goes wrong
 * is the arena's lack of memory. */
void fill_prepare(struct qpucc_program *program);

#endif
