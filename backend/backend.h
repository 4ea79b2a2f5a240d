/* From lowered IR to code: selection, scheduling, register allocation, encoding, the rule checker.
 *
 * Requires IR after lower_stage (shader->lowered). Keeps nothing of it: the result stands alone but for slot
 * numbers, which name entries of the shader's slot table. */
#ifndef QPUCC_BACKEND_H
#define QPUCC_BACKEND_H

#include "ir/ir.h"

#include <qpucc/chip.h>

struct be_options {
    int opt_level;
    unsigned threads; /* 1, or 2 to build the two-threaded form of a fragment shader (16 + 16 registers) */
    bool search;      /* from -O2 on: vary the best schedule as long as the level allows */
    bool tight;       /* registers are what is short: no phi is written before it has to be */
    /* Of a file, for values between blocks; 0: all. Else values are rematerialised at any price, between
     * blocks until these or as few more as it takes do: texels are fetched again, and orders are looked for
     * that hardly fit. */
    unsigned registers;
    bool places;                   /* fill be_result.places */
    bool linux_rules;              /* hold to the kernel's validator, too (docs/hardware.md, Kernel) */
    const struct qpucc_chip *chip; /* what code may rely on; NULL: "shipped" */
};

/* One word of the uniform stream, in the order the code reads it. */
struct be_uniform {
    uint32_t slot; /* of the shader's slot table */
};

/* Where an instruction comes from and what the source calls what its add ALU, mul ALU and signal make. */
struct be_place {
    struct ir_loc loc;
    uint16_t label[3]; /* of the shader's */
};

enum be_status { BE_OK, BE_UNSUPPORTED, BE_DOES_NOT_FIT, BE_INTERNAL };

struct be_result {
    enum be_status status;
    char message[240];   /* when not BE_OK */
    struct ir_loc where; /* source place of the message, line 0 if unknown */
    bool crossing;       /* what does not fit lives between blocks */
    unsigned needed;     /* values at once, when they do not fit */
    /* The four lists are blocks of ir/heap.h, from the shader's allocator. */
    uint64_t *code;
    uint32_t *lines;         /* source line per instruction */
    struct be_place *places; /* by instruction; NULL unless asked for */
    size_t count;
    struct be_uniform *uniforms;
    size_t uniform_count;
    unsigned threads;
    unsigned regs_a, regs_b, accumulators;
    unsigned cycles, lower_bound, tmu, sfu;
    uint64_t weight;                 /* expected cycles in 256ths, as objective.h has them */
    uint64_t cost;                   /* by objective.h: the smaller the better */
    unsigned blocks, blocks_optimal; /* of these, as short as their lower bound */
};

/* Always fills `result`; free with be_result_free. */
void be_compile(struct ir_shader *shader, const struct be_options *options, struct be_result *result);
void be_result_free(struct be_result *result);

/* A second thread hides the latency of texture fetches; nothing else is worth half of the registers. False,
 * too, where two threads can't be had. */
bool be_worth_threads(const struct ir_shader *shader);

#endif
