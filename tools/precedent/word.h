/* An instruction word taken apart, from the figures and tables of section 3 of the architecture guide alone.
 *
 * The scanner judges what the compiler emits, so it shares nothing with the compiler, not even its decoder:
 * what one of them misreads the other one does not. */
#ifndef PRECEDENT_WORD_H
#define PRECEDENT_WORD_H

#include <stdbool.h>
#include <stdint.h>

enum word_type { WORD_ALU, WORD_IMMEDIATE, WORD_SEMAPHORE, WORD_BRANCH };

/* Input multiplexers, table 3. */
enum { MUX_R4 = 4, MUX_R5, MUX_A, MUX_B };

enum {
    ADDRESS_UNIF = 32,
    ADDRESS_VARY = 35,
    ADDRESS_NOSWAP = 36,
    ADDRESS_R5 = 37,
    ADDRESS_NONE = 39,
    ADDRESS_VPM = 48
};
enum { ADDRESS_SETUP = 49, ADDRESS_SFU = 52, ADDRESS_TMU = 56 };
enum { SIGNAL_NONE = 1, SIGNAL_SMALL = 13, SIGNAL_IMMEDIATE, SIGNAL_BRANCH };
enum { ALU_ADD, ALU_MUL };

/* What an instruction does beside arithmetic, as bits: what of it meets in one instruction and in neighbours
 * is what the guide's restrictions are about. */
#define EVENTS(X)                                                                                            \
    X(UNIF, "unif")                                                                                          \
    X(VARY, "vary")                                                                                          \
    X(VPM_READ, "vpm-read")                                                                                  \
    X(VPM_WRITE, "vpm-write")                                                                                \
    X(READ_SETUP, "vr_setup")                                                                                \
    X(WRITE_SETUP, "vw_setup")                                                                               \
    X(TMU, "tmu-trb")                                                                                        \
    X(TMU_S, "tmu-s")                                                                                        \
    X(LOAD, "ldtmu")                                                                                         \
    X(SFU, "sfu")                                                                                            \
    X(LOADC, "loadc")                                                                                        \
    X(COLOUR, "tlbc")                                                                                        \
    X(COLOUR_MS, "tlbm")                                                                                     \
    X(DEPTH, "tlbz")                                                                                         \
    X(STENCIL, "stencil")                                                                                    \
    X(MASK_WRITE, "ms-write")                                                                                \
    X(MASK_READ, "ms-read")                                                                                  \
    X(UNIF_ADDRESS, "unif_addr")                                                                             \
    X(SWITCH, "thrsw")                                                                                       \
    X(LAST_SWITCH, "lthrsw")                                                                                 \
    X(END, "thrend")                                                                                         \
    X(WAIT, "sbwait")                                                                                        \
    X(UNLOCK, "sbdone")                                                                                      \
    X(BRANCH, "branch")                                                                                      \
    X(ROTATE, "rotate")                                                                                      \
    X(R5_WRITE, "r5-write")                                                                                  \
    X(R4_READ, "r4-read")                                                                                    \
    X(IMMEDIATE, "ldi")                                                                                      \
    X(FLAGS, "flags")                                                                                        \
    X(CONDITION, "conditional")                                                                              \
    X(PACK, "pack")                                                                                          \
    X(PIXEL, "pixel-read")                                                                                   \
    X(OTHER, "other-io")

enum event_number {
#define X(id, name) EVENT_NUMBER_##id,
    EVENTS(X)
#undef X
        EVENT_COUNT
};

/* One bit for each event. */
#define EVENT(id) ((uint64_t)1 << EVENT_NUMBER_##id)

extern const char *const event_name[EVENT_COUNT];

/* A half of an instruction: what the add or the mul ALU does. */
struct half {
    unsigned op, condition, address; /* address: 39 writes nothing */
    char file;                       /* that it writes to, 'a' or 'b' */
    unsigned mux[2], operands;       /* how many of them the operation reads */
    bool busy;                       /* it has an operation, or an immediate to write */
    bool move;                       /* or, v8min of a value with itself */
};

struct word {
    uint64_t bits, events;
    enum word_type type;
    unsigned signal, unpack, pm, pack;
    bool flags, swap;
    struct half half[2];       /* add, mul */
    unsigned read_a, read_b;   /* addresses; read_b is the small immediate with SIGNAL_SMALL */
    uint32_t immediate;        /* of a load, or a branch's offset */
    unsigned kind;             /* of a load immediate: 0 whole, 1 signed, 3 unsigned pairs of bits */
    unsigned branch_condition; /* table 11 */
    bool relative, by_register;
};

void word_decode(uint64_t bits, struct word *out);

/* The operation's name; "mov" for the two forms of a move. */
const char *word_op(const struct word *w, int alu);

/* The half that sets the flags: add's unless it is idle. */
int word_flag_setter(const struct word *w);

/* What a multiplexer delivers: "r4", "acc", "a", "unif", "imm" ... */
const char *word_operand(const struct word *w, unsigned mux);

/* What a write address is: "acc", "a", "b", "none", or the peripheral's name. */
const char *word_destination(unsigned address, char file);

bool word_reads(const struct word *w, unsigned mux); /* by either ALU */
bool word_reads_by(const struct half *h, unsigned mux);
bool word_takes_uniform(const struct word *w); /* a read of the stream, selected or not */
bool word_is_tmu(unsigned address);

extern const char *const signal_name[16], *const condition_name[8], *const unpack_name[8],
                                                                        *const pack_name[16];

#endif
