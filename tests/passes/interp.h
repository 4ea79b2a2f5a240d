/* Runs IR for one lane, before or after lowering: the yardstick for tests that compare a shader with itself.
 *
 * In machine arithmetic every operation the hardware has is computed as the simulator's scalar ALU and SFU do
 * it, to the bit; what is not lowered yet, and everything when `machine` is off, is computed by ir_eval
 * (IEEE, nearest). */
#ifndef QPUCC_TESTS_INTERP_H
#define QPUCC_TESTS_INTERP_H

#include "ir/ir.h"

#define INTERP_WORDS 512

struct interp {
    bool machine;
    /* what the shader reads */
    uint32_t uniform[INTERP_WORDS]; /* words of the uniform table */
    uint32_t state[IR_STATE_COUNT];
    uint32_t input[INTERP_WORDS]; /* before lower_stage: words of the input table; ATTR words after it */
    uint32_t builtin[IR_BUILTIN_COUNT];
    uint32_t w, z, x, y, back, mask; /* fragment payload */
    uint32_t vary[64], c[64];        /* FIFO: partial results and C coefficients */
    uint32_t framebuffer;
    /* A texel for coordinates; NULL: a hash of them. */
    uint32_t (*texture)(void *user, uint32_t unit, uint32_t flags, const uint32_t *coordinate,
                        uint32_t count);
    void *user;
    /* what it wrote */
    uint32_t output[INTERP_WORDS]; /* OUTPUT words, VPM_OUT words after lowering */
    bool written[INTERP_WORDS];
    uint32_t color, depth;
    bool color_written, depth_written, discarded;
};

/* False with a reason in error: an operation that has no meaning for one lane, or no end after `steps`
 * blocks. */
bool interp_run(const struct ir_shader *shader, struct interp *in, uint32_t steps, char *error, size_t size);

/* A word of the uniform stream. Addresses, which the interpreter knows nothing of, are 0. */
uint32_t interp_slot(const struct ir_shader *shader, const struct interp *in, uint32_t index);

/* One operation in machine arithmetic. False if the machine has no such operation. */
bool interp_machine_op(enum ir_op op, uint32_t imm, const uint32_t *s, uint32_t *result);

#endif
