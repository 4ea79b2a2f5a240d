/* Machine IR, the data that all modules of the back end share. Their functions are in their own headers.
 *
 * An m_op is one part of an instruction: an add operation, a mul operation or a signal. Its operands are
 * values, not registers. The scheduler (sched/) decides on ALU, registers and read ports when it places the
 * op. */
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
    M_IMM,  /* v: bits; a small immediate if these have a code, else a constant in the stream */
    M_READ, /* v: read address that is not a register (varying, VPM, coordinates), in the files of `side` */
    M_R5,   /* the C coefficient of the varying read just before */
};

/* The register or accumulator that holds a value. */
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

/* Sets of places by kind. The two files come first, with the bits of enum m_side. */
enum m_side { M_SIDE_A = 1, M_SIDE_B = 2, M_SIDE_ANY = 3 };
enum m_places {
    M_IN_A = M_SIDE_A,
    M_IN_B = M_SIDE_B,
    M_IN_FILES = M_IN_A | M_IN_B,
    M_IN_ACC = 4, /* r0..r3 */
    M_IN_R4 = 8,
    M_IN_UNPACKER = M_IN_A | M_IN_R4, /* guide section 3: no others can be unpacked */
    M_ANYWHERE = 15,
};

struct m_src {
    uint8_t kind, unpack, side;
    uint32_t v;
};

#define M_NO_VALUE UINT32_MAX

struct m_op {
    uint8_t add_op, mul_op; /* 0 where that ALU can't do it */
    /* Bits of a float by which the mul ALU multiplies the only source, or 0. 1.0: a move that converts while
     * unpacking, on the add ALU fmax x, x. 2.0: on the add ALU fadd x, x. */
    uint32_t factor;
    uint8_t nsrc;
    struct m_src src[2];
    uint32_t dst;  /* value written, or M_NO_VALUE */
    uint32_t tied; /* value whose register dst takes over: conditional and partial writes; or M_NO_VALUE */
    uint8_t waddr, wside; /* peripheral written, or QPU_W_NOP */
    uint8_t cond;         /* enum qpu_cond */
    bool sf;
    uint8_t pack;   /* enum qpu_pack */
    bool pm;        /* the pack is the mul ALU's (float to byte), not regfile A's */
    uint32_t flags; /* op that set the flags cond reads, or M_NO_VALUE */
    /* Mul ALU only: lanes by which the result is rotated up, 1..15; 0: none. The source is in an
     * accumulator. */
    uint8_t rotate;
    uint8_t sig; /* enum qpu_sig; if not NONE the op takes the signal and no ALU */
    bool r4;     /* dst arrives in r4 */
    bool reads_vary, reads_vpm;
    bool small_imm_only; /* its immediate may not come from the stream instead */
    uint32_t tmu_slot;   /* uniform slot that a write of a texture coordinate pulls, or M_NO_VALUE */
    uint32_t pinned_to;  /* value that has to be in r4 when the op issues, or M_NO_VALUE */
    uint32_t request;    /* the previous op of the same texture request, or M_NO_VALUE */
    uint8_t tmu_words;   /* ldtmu: words of the FIFO that its request takes */
    struct ir_loc loc;
    bool dead;
    bool awaited;                       /* a reader, an edge or an op under its flags depends on it */
    uint16_t label;                     /* of its result (struct ir_labels) */
    uint32_t in_edge;                   /* first of the edges that end here, + 1 */
    uint32_t first_member, next_member; /* list of the ops that read the flags this one sets, + 1 */
};

struct m_val {
    uint32_t def; /* the op that makes it, or M_NO_VALUE: live at the start of the block */
    uint32_t nuse;
    uint8_t read_in;    /* enum m_places: where every reader can take it; copies go there, too */
    uint8_t written_in; /* ... where its own op can write it */
    bool no_copy;  /* stays in its register: another op overwrites it, or the kernel's validator tracks it */
    int16_t start; /* place at the start of the block, or -1 */
    int16_t fixed; /* register that its op has to write because other blocks read it there, or -1 */
};

struct m_edge {
    uint32_t from, to;
    uint32_t next_in; /* next edge with the same `to`, + 1 */
    uint8_t latency;  /* instructions from one to the other, at least; 0: may share one */
    bool soft;        /* fewer are allowed: the hardware stalls */
    uint8_t more;     /* added to the latency where the value can only be in a file */
};

struct sel_tables;

/* What the back end's driver asks of a block's code. */
struct mir_options {
    unsigned threads; /* that share the registers: 1 or 2 */
    int opt_level;
    bool search;       /* see be_options */
    bool remat;        /* rematerialise at any price, try orders that barely fit (be_options.registers) */
    bool rows_fall;    /* vpm_rows_fall of docs/assumptions.md */
    bool end_receives; /* end_receives_load of docs/assumptions.md */
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
    const struct sel_tables *tables; /* made by select_begin for all blocks */
    bool entry, last;                /* the program starts, ends here */
    bool no_stream;         /* nothing may read the stream: its position is unknown, and nobody needs it */
    bool reset;             /* the stream's position is set first (kernel: after branches) */
    uint32_t branch_setter; /* op whose flags the branch at the end reads, or M_NO_VALUE */
    uint8_t branch_cond;    /* enum qpu_branch_cond */
    int32_t branch_to;      /* block, or -1: falls through */
    int32_t branch_to2;     /* block of a second, unconditional branch, or -1 */

    /* --- made by selection --- */

    struct m_op *op;
    uint32_t nop, cap_op;
    struct m_val *val;
    uint32_t nval, cap_val;
    struct m_edge *edge;
    uint32_t nedge, cap_edge;
    uint32_t ntmu, nsfu;
    uint32_t several, many; /* words of the stream with two readers or more, with four or more */
    bool streams;           /* some op reads the stream */
    bool no_place;          /* some value was left without any place: an internal error */
};

/* A finished instruction: fields, the uniform it pulls, where it came from. */
struct m_inst {
    struct qpu_inst q;
    uint32_t slot; /* or M_NO_VALUE */
    struct ir_loc loc;
    uint16_t label[3]; /* of the results of add ALU, mul ALU and signal */
    int32_t target;    /* branch: block; else -1 */
    bool offset;       /* the load immediate of a stream reset: imm is set when the stream is laid out */
};

struct m_code {
    const struct qpucc_allocator *from;
    struct m_inst *inst; /* of ir/heap.h */
    uint32_t count, cap;
    bool lost; /* memory ran out: instructions are missing */
};

uint32_t m_new_op(struct mir *m);
/* Makes room for that many more operations; false: out of memory. */
bool m_make_room(struct mir *m, uint32_t count);
uint32_t m_new_val(struct mir *m);
void m_add_edge(struct mir *m, uint32_t from, uint32_t to, unsigned latency, bool soft);

/* Restricts where a reader takes the value, or where its op writes it, to these places (enum m_places). */
void m_restrict_reads(struct mir *m, uint32_t value, unsigned places);
void m_restrict_write(struct mir *m, uint32_t value, unsigned places);

/* Places that the value's op can write and every reader can read. */
static inline unsigned m_places(const struct mir *m, uint32_t value) {
    return m->val[value].read_in & m->val[value].written_in;
}
static inline bool m_only_in_a(const struct mir *m, uint32_t value) {
    return !(m_places(m, value) & ~(unsigned)M_IN_UNPACKER);
}

/* Registers (bits 0..31: file A, 32..63: file B) that hold something for other blocks. */
uint64_t m_occupied(const struct mir *m);
/* Those of them that the block overwrites in any case: what they held before is not needed. */
uint64_t m_promised(const struct mir *m);

/* Makes room for `count` more instructions; false: out of memory. */
bool m_grow(struct m_code *code, uint32_t count);
/* Appends `count` instructions for the caller to fill in; NULL: out of memory. */
static inline struct m_inst *m_extend(struct m_code *code, uint32_t count) {
    if ((code->cap - code->count < count || !code->cap) && !m_grow(code, count))
        return NULL;
    code->count += count;
    return &code->inst[code->count - count];
}
/* Appends one; false: out of memory. */
bool m_push(struct m_code *code, struct m_inst inst);
struct m_inst m_nop_inst(void);

static inline bool m_is_switch(const struct m_op *op) {
    return op->sig == QPU_SIG_THRSW || op->sig == QPU_SIG_LTHRSW;
}

/* Loads a result of a texture unit into r4. */
static inline bool m_is_fetch(const struct m_op *op) {
    return op->sig == QPU_SIG_LDTMU0 || op->sig == QPU_SIG_LDTMU1;
}

/* The value that operand k reads or, for k = nsrc, whose register the result takes over; M_NO_VALUE: none. */
static inline uint32_t m_reads(const struct m_op *op, unsigned k) {
    return k == op->nsrc ? op->tied : op->src[k].kind == M_VAL ? op->src[k].v : M_NO_VALUE;
}

bool m_is_plain_move(const struct m_op *op);
bool m_needs_word(const struct m_op *op);

/* A plain move into a register of something that is not in one: a varying, VPM, uniform, constant or
 * coordinate. */
static inline bool m_is_port_read(const struct m_op *op) {
    unsigned kind = op->src[0].kind;
    return kind != M_VAL && kind != M_R5 && kind != M_NONE && m_is_plain_move(op);
}

/* True if the op reads the uniform stream however it is placed. */
static inline bool m_reads_stream(const struct m_op *op) {
    bool values = op->src[0].kind == M_VAL && (op->nsrc == 1 || op->src[1].kind == M_VAL);
    return !values && m_needs_word(op);
}

#endif
