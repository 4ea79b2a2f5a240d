/* Private to the rule checker: what its parts share. */
#ifndef QPU_CHECK_H
#define QPU_CHECK_H

#include "backend/isa/isa.h"

enum qpu_rule {
#define QPU_RULE(id, name, section, quote) RULE_##id,
#include "backend/isa/rules.def"
#undef QPU_RULE
    RULE_COUNT
};
_Static_assert(RULE_COUNT <= 128, "struct effect keeps a bit for each rule");

/* What one instruction does, for all rules, and what the checker has found out about it. */
struct effect {
    struct qpu_inst inst;
    bool valid;               /* the encoding is not reserved */
    bool plain;               /* an ALU instruction that uses no unit besides: most rules are not about it */
    int8_t read[2];           /* address that an operand selects in file A, B; -1: none */
    int8_t fifo[2];           /* address that the instruction names in file A, B, selected or not; -1: none */
    int8_t write[2];          /* address written by the add, mul ALU; -1: none */
    bool write_b[2];          /* ... through file B */
    uint8_t acc_read;         /* bit n: r<n> is an operand */
    uint8_t acc_write;        /* bit n: r<n> is written by the next instruction's time */
    bool rotates, rotates_r5; /* vector rotation */
    bool sfu, tlb_read, tlb_write;
    bool uniform; /* takes a word of the uniform stream by reading unif */
    bool vary, vpm_read, vpm_write, vpm_other;
    int8_t tmu_read; /* unit whose result the signal fetches; -1: none */
    bool thread_end, thread_switch;
    bool uses_flags;
    bool starts_block; /* the kernel's: a branch lands here, or goes on here */
    uint8_t reached;   /* bit k: some path comes here in slot k */
    uint64_t seen[2];  /* a bit for each rule that was reported here */
};

struct violation_list {
    struct qpu_violation *items;
    size_t count, capacity;
};

/* A place in the control flow: an instruction and the delay slot it executes in. */
enum slot { SLOT_NONE, SLOT_BRANCH_1, SLOT_BRANCH_2, SLOT_BRANCH_3, SLOT_END_1, SLOT_END_2, SLOT_KINDS };

/* The nodes that can follow one (0, 1 or 2); after the last instruction of a program, none and `exits` is
 * set. */
struct successors {
    uint32_t node[2];
    uint8_t count;
    bool exits;
};

struct checker {
    const struct qpu_check_options *options;
    struct effect *effects;
    struct successors *successor; /* by node, if that is reached */
    size_t count;
    bool straight; /* no instruction is a branch */
    struct violation_list found;
    bool out_of_memory;
};

/* Memory for the checker's own use, by options->allocator; NULL: there is none. */
void *check_allocate(const struct checker *c, size_t size);
void *check_zeroed(const struct checker *c, size_t size);
void check_release(const struct checker *c, void *memory); /* NULL is allowed */

/* Node n is instruction n / SLOT_KINDS in slot n % SLOT_KINDS. */
static inline size_t node_index(size_t node) {
    return node / SLOT_KINDS;
}

/* Where a relative branch goes; -1 when that is unknown or outside the program. */
int64_t check_branch_target(const struct checker *c, size_t index);

__attribute__((format(printf, 4, 5))) void check_report(struct checker *c, size_t index, enum qpu_rule rule,
                                                        const char *format, ...);
__attribute__((format(printf, 4, 5))) void check_warn(struct checker *c, size_t index, enum qpu_rule rule,
                                                      const char *format, ...);

/* The effects of all words. False: no memory. */
bool check_effects(struct checker *c, const uint64_t *code);

/* The parts: rules about one instruction, about neighbours, about paths, and the kernel's. */
void check_instructions(struct checker *c);
void check_neighbours(struct checker *c);
void check_paths(struct checker *c);
void check_linux(struct checker *c);
void check_chip(struct checker *c);

static inline bool is_tmu_write(int addr) {
    return addr >= QPU_W_TMU0_S;
}

static inline bool is_sfu_write(int addr) {
    return addr >= QPU_W_SFU_RECIP && addr <= QPU_W_SFU_LOG;
}

static inline bool is_tlb_write(int addr) {
    return addr >= QPU_W_TLB_STENCIL && addr <= QPU_W_TLB_ALPHA_MASK;
}

static inline bool is_colour_write(int addr) {
    return addr == QPU_W_TLB_COLOR_MS || addr == QPU_W_TLB_COLOR;
}

static inline bool effect_writes(const struct effect *e, int addr) {
    return e->write[0] == addr || e->write[1] == addr;
}

static inline bool effect_writes_tmu(const struct effect *e) {
    return is_tmu_write(e->write[0]) || is_tmu_write(e->write[1]);
}

/* A write of `addr` through file A (or B). */
static inline bool effect_writes_file(const struct effect *e, int addr, bool file_b) {
    return (e->write[0] == addr && e->write_b[0] == file_b) ||
           (e->write[1] == addr && e->write_b[1] == file_b);
}

#endif
