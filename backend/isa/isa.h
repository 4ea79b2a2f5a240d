/* The QPU's instruction word as data.
 *
 * One 64-bit word is an ALU instruction, a load immediate, a semaphore operation or a branch (guide, section
 * 3, "QPU Instruction Encoding", figures 3 to 7). `struct qpu_inst` is the word taken apart and nothing more:
 * every field keeps its encoded value, so decode and encode are inverse on every word, reserved patterns
 * included. What the values mean is in isa.def, the one table behind the encoder, decoder, assembler,
 * disassembler and latencies. */
#ifndef QPU_ISA_H
#define QPU_ISA_H

#include <qpucc/allocator.h>
#include <qpucc/chip.h>
#include <qpucc/stage.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum qpu_type { QPU_ALU, QPU_LDI, QPU_LDI_SIGNED, QPU_LDI_UNSIGNED, QPU_SEMAPHORE, QPU_BRANCH };

/* Signals, guide table 4. */
enum qpu_sig {
    QPU_SIG_BREAK,
    QPU_SIG_NONE,
    QPU_SIG_THRSW,
    QPU_SIG_THREND,
    QPU_SIG_SBWAIT,
    QPU_SIG_SBDONE,
    QPU_SIG_LTHRSW,
    QPU_SIG_LOADCV,
    QPU_SIG_LOADC,
    QPU_SIG_LDCEND,
    QPU_SIG_LDTMU0,
    QPU_SIG_LDTMU1,
    QPU_SIG_LOADAM,
    QPU_SIG_SMALL_IMM,
    QPU_SIG_LDI,
    QPU_SIG_BRANCH,
};

/* Conditions of the ALU, guide table 2. */
enum qpu_cond {
    QPU_COND_NEVER,
    QPU_COND_ALWAYS,
    QPU_COND_ZS,
    QPU_COND_ZC,
    QPU_COND_NS,
    QPU_COND_NC,
    QPU_COND_CS,
    QPU_COND_CC,
};

/* Conditions of a branch, guide table 11. */
enum qpu_branch_cond {
    QPU_BR_ALL_ZS,
    QPU_BR_ALL_ZC,
    QPU_BR_ANY_ZS,
    QPU_BR_ANY_ZC,
    QPU_BR_ALL_NS,
    QPU_BR_ALL_NC,
    QPU_BR_ANY_NS,
    QPU_BR_ANY_NC,
    QPU_BR_ALL_CS,
    QPU_BR_ALL_CC,
    QPU_BR_ANY_CS,
    QPU_BR_ANY_CC,
    QPU_BR_ALWAYS = 15,
};

/* Input multiplexers, guide table 3. */
enum qpu_mux { QPU_MUX_R0, QPU_MUX_R1, QPU_MUX_R2, QPU_MUX_R3, QPU_MUX_R4, QPU_MUX_R5, QPU_MUX_A, QPU_MUX_B };

enum qpu_add_op {
    QPU_A_NOP = 0,
    QPU_A_FADD,
    QPU_A_FSUB,
    QPU_A_FMIN,
    QPU_A_FMAX,
    QPU_A_FMINABS,
    QPU_A_FMAXABS,
    QPU_A_FTOI,
    QPU_A_ITOF,
    QPU_A_ADD = 12,
    QPU_A_SUB,
    QPU_A_SHR,
    QPU_A_ASR,
    QPU_A_ROR,
    QPU_A_SHL,
    QPU_A_MIN,
    QPU_A_MAX,
    QPU_A_AND,
    QPU_A_OR,
    QPU_A_XOR,
    QPU_A_NOT,
    QPU_A_CLZ,
    QPU_A_V8ADDS = 30,
    QPU_A_V8SUBS,
};

enum qpu_mul_op {
    QPU_M_NOP,
    QPU_M_FMUL,
    QPU_M_MUL24,
    QPU_M_V8MULD,
    QPU_M_V8MIN,
    QPU_M_V8MAX,
    QPU_M_V8ADDS,
    QPU_M_V8SUBS,
};

/* Unpack field: with pm = 0 applied to regfile A reads, with pm = 1 to r4 reads (guide tables 6 and 8). */
enum qpu_unpack {
    QPU_UNPACK_NONE,
    QPU_UNPACK_16A,
    QPU_UNPACK_16B,
    QPU_UNPACK_8D_REP,
    QPU_UNPACK_8A,
    QPU_UNPACK_8B,
    QPU_UNPACK_8C,
    QPU_UNPACK_8D,
};

/* Pack field: with pm = 0 applied to the write to regfile A (guide table 7; +8 saturates), with pm = 1 to the
 * mul result wherever it goes: 8888 and 8A..8D convert float 0..1 to a byte (guide table 9). */
enum qpu_pack {
    QPU_PACK_NONE,
    QPU_PACK_16A,
    QPU_PACK_16B,
    QPU_PACK_8888,
    QPU_PACK_8A,
    QPU_PACK_8B,
    QPU_PACK_8C,
    QPU_PACK_8D,
    QPU_PACK_SAT = 8,
};

/* Read addresses of both files; 0 to 31 are registers (guide table 14). */
enum qpu_raddr {
    QPU_R_UNIF = 32,
    QPU_R_VARY = 35,
    QPU_R_ELEM_QPU = 38, /* A: element number, B: QPU number */
    QPU_R_NOP = 39,
    QPU_R_XY = 41,     /* A: x, B: y pixel coordinate, integer */
    QPU_R_MS_REV = 42, /* A: multisample mask, B: reverse flag */
    QPU_R_VPM = 48,
    QPU_R_VPM_BUSY = 49, /* A: load busy, B: store busy */
    QPU_R_VPM_WAIT = 50, /* A: load wait, B: store wait */
    QPU_R_MUTEX = 51,
};

/* Write addresses; 0 to 31 are registers (guide table 14). */
enum qpu_waddr {
    QPU_W_ACC0 = 32,
    QPU_W_ACC1,
    QPU_W_ACC2,
    QPU_W_ACC3,
    QPU_W_TMU_NOSWAP = 36,
    QPU_W_ACC5 = 37, /* A: per quad (elements 0, 4, 8, 12), B: element 0 to all */
    QPU_W_HOST_INT = 38,
    QPU_W_NOP = 39,
    QPU_W_UNIF_ADDR = 40, /* A: absolute, B: relative */
    QPU_W_XY = 41,
    QPU_W_MS_REV = 42,
    QPU_W_TLB_STENCIL = 43,
    QPU_W_TLB_Z = 44,
    QPU_W_TLB_COLOR_MS = 45,
    QPU_W_TLB_COLOR = 46,
    QPU_W_TLB_ALPHA_MASK = 47,
    QPU_W_VPM = 48,
    QPU_W_VPM_SETUP = 49, /* A: read setup, B: write setup */
    QPU_W_VPM_ADDR = 50,  /* A: DMA load address, B: DMA store address */
    QPU_W_MUTEX = 51,
    QPU_W_SFU_RECIP = 52,
    QPU_W_SFU_RSQRT = 53,
    QPU_W_SFU_EXP = 54,
    QPU_W_SFU_LOG = 55,
    QPU_W_TMU0_S = 56,
    QPU_W_TMU0_T,
    QPU_W_TMU0_R,
    QPU_W_TMU0_B,
    QPU_W_TMU1_S,
    QPU_W_TMU1_T,
    QPU_W_TMU1_R,
    QPU_W_TMU1_B,
};

struct qpu_inst {
    uint8_t type;                 /* enum qpu_type */
    uint8_t sig;                  /* enum qpu_sig; QPU_SIG_LDI and QPU_SIG_BRANCH for those types */
    uint8_t unpack, pm, pack;     /* outside ALU instructions unpack holds unused bits, 0 in sane code */
    uint8_t cond_add, cond_mul;   /* enum qpu_cond */
    uint8_t sf, ws;               /* set flags; swap the files written: add to B, mul to A */
    uint8_t waddr_add, waddr_mul; /* enum qpu_waddr or register */
    uint8_t op_add, op_mul;
    uint8_t raddr_a, raddr_b;           /* raddr_b is the small immediate with QPU_SIG_SMALL_IMM; 0..63 */
    uint8_t add_a, add_b, mul_a, mul_b; /* enum qpu_mux */
    uint8_t cond_br, br_rel, br_reg;    /* branch only; raddr_a (0..31) is its register */
    uint8_t sem_down, sem;              /* semaphore only: decrement?, number 0..15 */
    uint32_t imm; /* load immediate, branch offset in bytes; don't-care bits of a semaphore */
};

/* An ALU instruction that does nothing: both ops nop, all addresses 39, no signal. */
static inline struct qpu_inst qpu_nop(void) {
    return (struct qpu_inst){.type = QPU_ALU,
                             .sig = QPU_SIG_NONE,
                             .waddr_add = QPU_W_NOP,
                             .waddr_mul = QPU_W_NOP,
                             .raddr_a = QPU_R_NOP,
                             .raddr_b = QPU_R_NOP};
}

/* Takes a word apart. False when no instruction has this pattern (reserved load-immediate kinds); `out` is
 * then filled as far as possible. */
bool qpu_decode(uint64_t word, struct qpu_inst *out);

/* Puts a word together. Fields are masked to their widths. Inverse of qpu_decode. */
uint64_t qpu_encode(const struct qpu_inst *inst);

/* The 32-bit pattern that a small immediate code 0..47 stands for (guide table 5; codes 48..63, the
 * rotations, read as integers -16..-1). */
uint32_t qpu_small_imm_value(unsigned code);

/* The code 0..47 for a 32-bit pattern, or -1 if there is none. */
int qpu_small_imm_code(uint32_t value);

/* --- operation facts, from isa.def ---------------------------------------------------------------------- */

struct qpu_op_info {
    const char *name;  /* assembler mnemonic; NULL where the opcode is reserved */
    uint8_t nsrc;      /* 0 to 2; one-operand operations read port a (and port b repeats it) */
    bool is_float;     /* reads its operands as floats: unpack converts to float */
    bool float_result; /* a 16-bit pack converts to half */
    bool commutes;
};

const struct qpu_op_info *qpu_add_info(unsigned op);
const struct qpu_op_info *qpu_mul_info(unsigned op);

/* Latencies in instructions from the writing instruction to the first that may read (1 = the next one): the
 * one table that the scheduler's estimate and the machine's cycle model share. */
enum qpu_latency {
    QPU_LAT_ACC = 1,     /* accumulator to any reader */
    QPU_LAT_REGFILE = 2, /* physical register to any reader */
    QPU_LAT_SFU = 3,     /* SFU write to r4 */
    QPU_LAT_VARY_R5 = 1, /* varying read to its coefficient in r5 */
    /* texture request to result, cache hit, without switch; guide section 4: 9 cycles at best */
    QPU_LAT_TMU = 9,
    QPU_LAT_UNIF_ADDR = 3, /* uniform address write to the first uniform read */
    QPU_BRANCH_SLOTS = 3,  /* delay slots after a branch */
    QPU_THREAD_SLOTS = 2,  /* delay slots after thread end and thread switch */
};

/* --- text ----------------------------------------------------------------------------------------------- */

/* One instruction in the assembler's syntax, and where in the text its parts are: both end at 0 for a part
 * that is not there. A branch and a semaphore's number alone have none. */
enum qpu_text_part { QPU_TEXT_ADD, QPU_TEXT_MUL, QPU_TEXT_SIGNAL, QPU_TEXT_PARTS };

struct qpu_text {
    size_t length;
    size_t begin[QPU_TEXT_PARTS], end[QPU_TEXT_PARTS]; /* without the annotation */
    char text[320];                                    /* NUL-terminated */
};

void qpu_print(uint64_t word, unsigned index, struct qpu_text *text);

/* Prints one instruction in the assembler's syntax, NUL-terminated, without newline; returns the length it
 * needs. `index` is its place in the program (branch targets print as labels L<index>). */
size_t qpu_disassemble(uint64_t word, unsigned index, char *buf, size_t size);

/* Prints a whole program, one instruction a line, with labels where branches go; qpu_assemble reads it back.
 * With `hex` each line begins as in the sniffer's listings: word address, low word, high word. The caller
 * frees; NULL without memory. */
char *qpu_list(const uint64_t *code, size_t count, bool hex);

struct qpu_asm_result {
    uint64_t *code; /* malloc'ed, caller frees; NULL on error */
    size_t count;
    unsigned line;   /* 1-based line of the first error */
    char error[160]; /* empty when fine */
};

/* Assembles a whole program: one instruction a line, labels, comments; the syntax of the disassembler, and of
 * the sniffer's listings (`00000000: 15827d80 10020827 mov r0, unif`). */
struct qpu_asm_result qpu_assemble(const char *text, size_t length);

/* --- rule checker --------------------------------------------------------------------------------------- */

enum qpu_profile { QPU_PROFILE_HW, QPU_PROFILE_LINUX };

struct qpu_violation {
    unsigned index; /* instruction */
    bool warning;
    const char *rule; /* short stable name, e.g. "regfile-read-after-write" */
    char text[200];   /* what is wrong, and the section that says so */
};

struct qpu_known_word {
    bool known;
    uint32_t value;
};

/* What the checker must be told because the words do not say it. */
struct qpu_check_options {
    enum qpucc_stage stage;
    enum qpu_profile profile;
    bool threaded; /* two-threaded fragment shader */
    /* other compilers' code: what they ship against a rule is a warning, see rules.def */
    bool foreign;
    /* what code may rely on of the chip; NULL: no rules about that */
    const struct qpucc_chip *chip;
    /* by instruction: the constant that it takes from the stream; NULL: none is known */
    const struct qpu_known_word *words;
    /* of what the check needs while it lasts; NULL: the C library's */
    const struct qpucc_allocator *allocator;
};

/* Checks a program against every rule of the profile; shares nothing with the scheduler. Writes at most `max`
 * violations and returns how many there are in all (warnings included). */
size_t qpu_check(const uint64_t *code, size_t count, const struct qpu_check_options *options,
                 struct qpu_violation *out, size_t max);

/* What the Linux driver notes of a program when it is uploaded, because each draw needs it: where in the
 * uniform stream the words lie that it relocates. Offsets in bytes. */
#define QPU_NO_WORD UINT32_MAX

/* A texture lookup: the words of its parameters P0 to P3, QPU_NO_WORD where it has none. A direct one has the
 * base address in word[0] and the upper limit of the offset in word[1]. */
struct qpu_lookup {
    uint32_t word[4];
    bool direct;
};

struct qpu_scan {
    struct qpu_lookup *lookups; /* in the order of their S coordinates */
    size_t lookup_count;
    uint32_t *resets; /* words that hold the stream's own address */
    size_t reset_count;
    uint32_t stream_size;
    bool threaded;
};

/* Reads a program as the Linux driver does. False when the driver refuses it; `first` then says why. The
 * words after the first thread end and its slots do not count. Release with qpu_scan_free. */
bool qpu_scan(const uint64_t *code, size_t count, struct qpu_scan *out, struct qpu_violation *first);
void qpu_scan_free(struct qpu_scan *scan);

/* A rule of the checker; `section` says where it stands, `quote` what it says. */
struct qpu_rule_info {
    const char *name, *section, *quote;
    bool linux_only;
};

/* All rules, from rules.def. */
const struct qpu_rule_info *qpu_rules(size_t *count);

#endif
