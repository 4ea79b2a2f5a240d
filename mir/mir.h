/* Machine IR: one m_op is one half of an instruction (an add or a mul operation, or a signal), on values
 * instead of registers. Which ALU, which register, which read port: decided by sched/ when the op gets its
 * place. Data that all modules of the back end share; their functions are in their own headers. */
#ifndef QPUCC_MIR_H
#define QPUCC_MIR_H

#include "backend/isa/isa.h"
#include "ir/heap.h"
#include "ir/ir.h"
#include "mir/flow.h"

enum m_src_kind {
    M_NONE,
    M_VAL,  /* v: value */
    M_SLOT, /* v: uniform slot */
    M_IMM,  /* v: bits; a small immediate if there is a code for it, else a constant in the stream */
    M_READ, /* v: read address that is not a register (varying, VPM, coordinates) on the files of `side` */
    M_R5,   /* the C coefficient of the varying read just before */
};

/* Where a value is. */
enum place {
    PLACE_NONE = -1,
    PLACE_A = 0,    /* ..31 */
    PLACE_B = 32,   /* ..63 */
    PLACE_ACC = 64, /* ..67: r0..r3 */
    PLACE_R4 = 68,
    PLACE_COUNT = 69,
};

static inline bool place_in_a(int p) {
    return p >= PLACE_A && p < PLACE_B;
}
static inline bool place_in_b(int p) {
    return p >= PLACE_B && p < PLACE_ACC;
}
static inline bool place_is_acc(int p) {
    return p >= PLACE_ACC && p < PLACE_R4;
}

/* Sets of places by kind; the sides that a port or a write can serve are the first two. */
enum m_side { M_SIDE_A = 1, M_SIDE_B = 2, M_SIDE_ANY = 3 };
enum m_places {
    M_IN_A = M_SIDE_A,
    M_IN_B = M_SIDE_B,
    M_IN_FILES = M_IN_A | M_IN_B,
    M_IN_ACC = 4, /* r0..r3 */
    M_IN_R4 = 8,
    M_IN_UNPACKER = M_IN_A | M_IN_R4, /* guide section 3: only these two have one */
    M_ANYWHERE = 15,
};

struct m_src {
    uint8_t kind, unpack, side;
    uint32_t v;
};

#define M_NO_VALUE UINT32_MAX

struct m_op {
    uint8_t add_op, mul_op; /* 0 where that ALU can't do it */
    uint32_t factor;        /* not 0: the mul ALU multiplies the one source by this float. 1.0: a move that
                      * converts while unpacking, add: fmax x, x; 2.0: add: fadd x, x */
    uint8_t nsrc;
    struct m_src src[2];
    uint32_t dst;  /* value written, or M_NO_VALUE */
    uint32_t tied; /* value whose register dst takes over (conditional and partial writes), or M_NO_VALUE */
    uint8_t waddr, wside; /* peripheral written, or QPU_W_NOP */
    uint8_t cond;         /* enum qpu_cond */
    bool sf;
    uint8_t pack;   /* enum qpu_pack */
    bool pm;        /* pack what leaves the mul ALU (float to byte), not in regfile A */
    uint32_t flags; /* op that set the flags cond reads, or M_NO_VALUE */
    uint8_t
        rotate;  /* mul ALU only: the result rotated up by 1..15 lanes; the source lies in an accumulator */
    uint8_t sig; /* enum qpu_sig; not NONE: occupies the signal only, no ALU */
    bool r4;     /* dst arrives in r4 */
    bool reads_vary, reads_vpm;
    bool small_imm_only; /* its immediate may not come from the stream instead */
    uint32_t tmu_slot;   /* coordinate writes pull this uniform slot, or M_NO_VALUE */
    uint32_t pinned_to;  /* value that it has to find in r4, or M_NO_VALUE */
    uint32_t request;    /* of a texture request: the op of it before this one, or M_NO_VALUE */
    uint8_t tmu_words;   /* ldtmu: words that its request took in the FIFO */
    struct ir_loc loc;
    bool dead;
    bool awaited;                       /* something depends on it: a reader, an edge, ops under its flags */
    uint16_t label;                     /* of the value that it makes (struct ir_labels) */
    uint32_t in_edge;                   /* first of the edges that end here, + 1 */
    uint32_t first_member, next_member; /* conditional ops that read the flags this one sets, + 1 */
};

struct m_val {
    uint32_t def; /* op, or M_NO_VALUE when it is there at the start */
    uint32_t nuse;
    uint8_t read_in;    /* enum m_places: where all of its readers can take it; copies go there, too */
    uint8_t written_in; /* ... where its own op can write it */
    bool no_copy;       /* stays where it is: written over there, or followed by the kernel's validator */
    int16_t start;      /* place at the start of the block, or -1 */
    int16_t fixed;      /* register that its own op has to write, because other blocks read it there, or -1 */
};

struct m_edge {
    uint32_t from, to;
    uint32_t next_in; /* next edge with the same `to`, + 1 */
    uint8_t latency;  /* instructions between the two at least; 0: the same instruction will do */
    bool soft;        /* waiting is better but the hardware would stall by itself */
    uint8_t more;     /* instructions besides, where the value can only lie in a file */
};

struct sel_tables;

/* What the back end's driver asks of a block's code. */
struct mir_options {
    unsigned threads; /* that share the registers: 1 or 2 */
    int opt_level;
    bool search;       /* see be_options */
    bool remat;        /* values at any price, orders that hardly fit: be_options.registers */
    bool rows_fall;    /* see docs/assumptions.md: vpm_rows_fall ... */
    bool end_receives; /* ... and end_receives_load */
    uint32_t hold;     /* readers from which on a word of the stream has a register; 0: none for that */
};

/* One block from selection to scheduling. */
struct mir {
    struct ir_shader *shader;
    struct ir_arena *arena;
    struct mir_options options;

    /* --- the block, and where it stands in the program --- */

    const struct flow *flow;
    const struct ir_block *block;
    const struct sel_tables *tables; /* by select_begin, one for all blocks */
    bool entry, last;                /* the program starts, ends here */
    bool no_stream;                  /* the stream's position is not known and nothing has to read it */
    bool reset;                      /* the stream's position has to be set first (kernel: after branches) */
    uint32_t branch_setter;          /* op whose flags the branch at the end reads, or M_NO_VALUE */
    uint8_t branch_cond;             /* enum qpu_branch_cond */
    int32_t branch_to;               /* block, or -1: falls through */
    int32_t branch_to2;              /* block an unconditional second branch goes to, or -1 */

    /* --- what selection makes of it --- */

    struct m_op *op;
    uint32_t nop, cap_op;
    struct m_val *val;
    uint32_t nval, cap_val;
    struct m_edge *edge;
    uint32_t nedge, cap_edge;
    uint32_t ntmu, nsfu;
    uint32_t several, many; /* words of the stream with two readers or more, with four */
    bool streams;           /* some op reads the stream */
    bool no_place;          /* some value was left no place at all: an internal error */
};

/* A finished instruction: fields, the uniform it pulls, where it came from. */
struct m_inst {
    struct qpu_inst q;
    uint32_t slot; /* or M_NO_VALUE */
    struct ir_loc loc;
    uint16_t label[3]; /* of what the add ALU, the mul ALU, the signal make */
    int32_t target;    /* branch: block; else -1 */
    bool offset;       /* load immediate of a stream reset: imm is filled in when the stream is laid out */
};

struct m_code {
    const struct qpucc_allocator *from;
    struct m_inst *inst; /* of ir/heap.h */
    uint32_t count, cap;
    bool lost; /* memory ran out: instructions are missing */
};

uint32_t m_new_op(struct mir *m);
uint32_t m_new_val(struct mir *m);
void m_add_edge(struct mir *m, uint32_t from, uint32_t to, unsigned latency, bool soft);

/* A reader of the value, or its own op, can do with these places (enum m_places) only. */
void m_restrict_reads(struct mir *m, uint32_t value, unsigned places);
void m_restrict_write(struct mir *m, uint32_t value, unsigned places);

/* Where the value can be written so that every reader can take it from there. */
static inline unsigned m_places(const struct mir *m, uint32_t value) {
    return m->val[value].read_in & m->val[value].written_in;
}
static inline bool m_only_in_a(const struct mir *m, uint32_t value) {
    return !(m_places(m, value) & ~(unsigned)M_IN_UNPACKER);
}

/* Registers (A low, B high) that keep something for other blocks, and those of them that the block writes
 * anyway: what is in these before is of no use. */
uint64_t m_occupied(const struct mir *m);
uint64_t m_promised(const struct mir *m);

/* Room for `count` more instructions. */
bool m_grow(struct m_code *code, uint32_t count);
/* Appends `count` instructions, to be filled in; NULL when memory is out. */
static inline struct m_inst *m_extend(struct m_code *code, uint32_t count) {
    if ((code->cap - code->count < count || !code->cap) && !m_grow(code, count))
        return NULL;
    code->count += count;
    return &code->inst[code->count - count];
}
/* Appends one; false when memory is out. */
bool m_push(struct m_code *code, struct m_inst inst);
struct m_inst m_nop_inst(void);

/* A thread switch, the last or another. */
static inline bool m_is_switch(const struct m_op *op) {
    return op->sig == QPU_SIG_THRSW || op->sig == QPU_SIG_LTHRSW;
}

/* A texture unit's result comes into r4. */
static inline bool m_is_fetch(const struct m_op *op) {
    return op->sig == QPU_SIG_LDTMU0 || op->sig == QPU_SIG_LDTMU1;
}

/* The value that operand k reads, or, for k = nsrc, the one whose register the result takes over; M_NO_VALUE:
 * none. */
static inline uint32_t m_reads(const struct m_op *op, unsigned k) {
    return k == op->nsrc ? op->tied : op->src[k].kind == M_VAL ? op->src[k].v : M_NO_VALUE;
}

bool m_is_plain_move(const struct m_op *op);
bool m_needs_word(const struct m_op *op);

/* A plain move of what a read port delivers (varying, VPM, uniform, coordinates) into a register. */
static inline bool m_is_port_read(const struct m_op *op) {
    unsigned kind = op->src[0].kind;
    return kind != M_VAL && kind != M_R5 && kind != M_NONE && m_is_plain_move(op);
}

/* True if the op reads the uniform stream whatever ports are free. */
static inline bool m_reads_stream(const struct m_op *op) {
    bool values = op->src[0].kind == M_VAL && (op->nsrc == 1 || op->src[1].kind == M_VAL);
    return !values && m_needs_word(op);
}

#endif
