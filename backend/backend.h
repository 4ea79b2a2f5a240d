/* From lowered IR to code: selection, scheduling, register allocation, encoding, the rule checker.
 *
 * Requires IR after lower_stage (shader->lowered). The result has no pointers into it: slots, labels and
 * files are indices into the shader's tables. */
#ifndef QPUCC_BACKEND_H
#define QPUCC_BACKEND_H

#include "ir/ir.h"

#include <qpucc/chip.h>

struct be_options {
    int opt_level;
    unsigned threads; /* 1, or 2 to build the two-threaded form of a fragment shader (16 + 16 registers) */
    bool search;      /* from -O2 on: vary the best schedule as long as the level allows */
    bool tight;       /* registers are scarce: write each phi as late as possible */
    /* Registers of each file for values that are live between blocks; 0: all of them. Any other number
     * rematerialises at any price. Between blocks it goes on until this many registers suffice, or as few
     * more as possible. Within a block it may fetch texels again, and the scheduler tries orders that barely
     * fit. */
    unsigned registers;
    bool places;                   /* fill be_result.places */
    bool linux_rules;              /* obey the kernel's validator, too (docs/hardware.md, Kernel) */
    const struct qpucc_chip *chip; /* what code may rely on; NULL: "shipped" */
};

/* One word of the uniform stream, in the order the code reads it. */
struct be_uniform {
    uint32_t slot; /* of the shader's slot table */
};

/* The source place of an instruction, and the source's names for the results of its add ALU, its mul ALU and
 * its signal. */
struct be_place {
    struct ir_loc loc;
    uint16_t label[3]; /* of the shader's labels */
};

enum be_status { BE_OK, BE_UNSUPPORTED, BE_DOES_NOT_FIT, BE_INTERNAL };

struct be_result {
    enum be_status status;
    char message[240];   /* when not BE_OK */
    struct ir_loc where; /* source place of the message, line 0 if unknown */
    bool crossing;       /* BE_DOES_NOT_FIT: the values that do not fit are live between blocks */
    unsigned needed;     /* BE_DOES_NOT_FIT: the largest number of values live at once */
    /* The four arrays are allocated through ir/heap.h, from the shader's allocator. */
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
    uint64_t cost;                   /* objective.h; smaller is better */
    unsigned blocks, blocks_optimal; /* blocks_optimal: those as short as their lower bound */
};

/* Always fills `result`; free with be_result_free. */
void be_compile(struct ir_shader *shader, const struct be_options *options, struct be_result *result);
void be_result_free(struct be_result *result);

/* True if the shader fetches textures, whose latency a second thread hides: nothing else is worth half of the
 * registers. False, too, where the code can't have two threads. */
bool be_worth_threads(const struct ir_shader *shader);

#endif
