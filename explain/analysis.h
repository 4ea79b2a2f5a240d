/* Private to explain/: a stage's code taken apart, and what its files find out about it.
 *
 * Requires: instruction words. Everything lies in one arena. */
#ifndef EXPLAIN_ANALYSIS_H
#define EXPLAIN_ANALYSIS_H

#include "backend/isa/isa.h"
#include "ir/ir.h"

#include <qpucc/explain.h>

/* Where a value can be: a register, an accumulator r0 to r5, the flags. */
enum location {
    LOC_A = 0,
    LOC_B = 32,
    LOC_ACC = 64,
    LOC_R4 = 68,
    LOC_R5 = 69,
    LOC_FLAGS = 70,
    LOC_COUNT = 71
};

/* A set of locations. */
struct locations {
    uint32_t a, b;
    uint8_t acc; /* bits 0 to 5 */
    bool flags;
};

enum part_kind { PART_ADD, PART_MUL, PART_SIGNAL, PARTS };

/* What an ALU does in an instruction, or its signal: an operation of the dependence graph. */
struct part {
    bool used;
    uint8_t op;
    int8_t read_a, read_b; /* registers, -1: none */
    uint8_t read_acc;      /* bits */
    int8_t port[2];        /* addresses of file A, B that are no registers: 32 and more, or -1 */
    bool reads_flags, immediate, unpacks, rotates, move;
    int8_t write;   /* enum location, -1: none */
    bool partial;   /* under a condition, or a part of the register: the rest stays */
    int8_t special; /* write address that is no register and no accumulator, or -1 */
    bool special_b; /* through file B */
    bool sets_flags, packs;
    unsigned units; /* bits by enum qpucc_resource */
};

struct instruction {
    struct qpu_inst q;
    struct part part[PARTS];
    bool word; /* takes a word of the uniform stream */
};

/* One value flows from one operation to a later one of the same block; both are numbered instruction * PARTS
 * + part. */
struct flow_edge {
    uint32_t from, to;
    uint8_t location, latency, least; /* latency: as the code is; least: wherever the value were */
};

struct analysis {
    struct ir_arena *arena;
    struct qpucc_explain_stage *out;
    bool threaded, listing; /* listing: only what QPUCC_EXPLAIN_LISTING is about */
    uint32_t count;
    struct instruction *inst;
    struct qpucc_explain_instruction *text; /* out->instruction */
    struct qpucc_explain_block *block;      /* out->block */
    uint32_t *last_back;                    /* by block: the last that goes back to it; UINT32_MAX: none */
    struct locations *live;                 /* after each instruction */
    struct flow_edge *edge;                 /* of one block after the other, by `to` */
    uint32_t edge_count;
    uint32_t *edge_first; /* by operation: its edges, as `to`; one more at the end */
};

static inline bool is_io(int address) {
    return address >= 32 && address != QPU_R_NOP;
}
static inline bool is_tmu_address(int address) {
    return address >= QPU_W_TMU0_S && address <= QPU_W_TMU1_B;
}
static inline bool is_sfu_address(int address) {
    return address >= QPU_W_SFU_RECIP && address <= QPU_W_SFU_LOG;
}
static inline bool is_request(int address) {
    return address == QPU_W_TMU0_S || address == QPU_W_TMU1_S;
}
static inline bool is_tile_address(int address) {
    return address >= QPU_W_TLB_STENCIL && address <= QPU_W_TLB_ALPHA_MASK;
}

/* parts.c: the words taken apart; texts of the halves. */
void explain_parts(struct analysis *a, const uint64_t *code);
/* blocks.c: blocks, edges and loops; delay slots and switches. */
void explain_blocks(struct analysis *a);
/* live.c: which locations hold what is still read. */
void explain_live(struct analysis *a);
/* chains.c: the flow of values, longest paths, bounds. */
void explain_chains(struct analysis *a);
/* stalls.c: what the machine's cycle model waits for. */
void explain_stalls(struct analysis *a);
/* idle.c: what each idle ALU waits for. */
void explain_idle(struct analysis *a);
/* sums.c: sums, source lines. */
void explain_sums(struct analysis *a);
/* paths.c: the shortest and the longest way. */
void explain_paths(struct analysis *a);
/* formula.c: the words of a program's stream for people. */
void explain_formulas(struct analysis *a, const struct qpucc_program *program, enum qpucc_stage stage);

/* Weight of a block's cycles: an iteration of a loop counts as eight of what is around it. */
static inline double explain_weight(const struct qpucc_explain_block *block) {
    return (double)(UINT64_C(1) << 3 * (block->loop_depth < 4 ? block->loop_depth : 4));
}

#endif
