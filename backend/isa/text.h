/* Private to the assembler and disassembler: names in both directions, what a text says, the parser of one
 * instruction. */
#ifndef QPU_TEXT_H
#define QPU_TEXT_H

#include "backend/isa/isa.h"

struct qpu_span {
    const char *p;
    size_t n;
};

bool qpu_span_is(struct qpu_span s, const char *text);

/* Names by code; NULL where a code has no name. */
const char *qpu_signal_name(unsigned sig);
const char *qpu_cond_name(unsigned cond);
const char *qpu_branch_cond_name(unsigned cond);
const char *qpu_unpack_name(unsigned unpack);
const char *qpu_pack_name(unsigned pack);

enum { QPU_NAME_SIZE = 16 };

/* Names of addresses of file A or B, written to buf if the table has none ("ra7", "rb33"). */
const char *qpu_read_name(unsigned addr, bool file_b, char buf[QPU_NAME_SIZE]);
const char *qpu_write_name(unsigned addr, bool file_b, char buf[QPU_NAME_SIZE]);

/* Codes by name, -1 where there is none. */
int qpu_find_add_op(struct qpu_span name);
int qpu_find_mul_op(struct qpu_span name);
int qpu_find_signal(struct qpu_span name);
int qpu_find_cond(struct qpu_span name);
int qpu_find_branch_cond(struct qpu_span name);
int qpu_find_unpack(struct qpu_span name);
int qpu_find_pack(struct qpu_span name);

/* Addresses by name: the address in bits 0 to 5, and the files in which the name means it. */
enum { QPU_IN_FILE_A = 64, QPU_IN_FILE_B = 128 };
int qpu_find_read(struct qpu_span name);
int qpu_find_write(struct qpu_span name);

/* The files in which the name of an address means it: both where they share the name. */
unsigned qpu_read_files(unsigned addr, bool file_b);
unsigned qpu_write_files(unsigned addr, bool file_b);

/* --- what the text of an instruction says --------------------------------------------------------------- */

enum qpu_operand_kind { QPU_OPERAND_ACC, QPU_OPERAND_ADDRESS, QPU_OPERAND_IMM };

struct qpu_operand {
    enum qpu_operand_kind kind;
    unsigned value;  /* accumulator, address, or the 32 bits of an immediate */
    unsigned files;  /* of an address: QPU_IN_FILE_A, QPU_IN_FILE_B or both */
    unsigned unpack; /* 0: no suffix */
    uint8_t mux;     /* qpu_complete_alu sets it */
};

struct qpu_dest {
    unsigned addr, files;
    unsigned pack;
    bool colour; /* pack converts the mul ALU's float result: pm 1 */
};

struct qpu_half {
    bool present;
    unsigned op, cond;
    struct qpu_dest dest;
    struct qpu_operand src[2]; /* of an operation with one source: twice the same */
};

/* What both halves share; -1: the text does not say. */
struct qpu_shared {
    int pm, pack, unpack, ws, rotation, signal;
    bool setf;
};
struct qpu_shared qpu_nothing_shared(void);

/* The instruction of a text, with one canonical value where the text leaves something open. False: there is
 * no such instruction; `error` says why. Sets the operands' mux, and an immediate's value to its code. */
bool qpu_complete_alu(struct qpu_half half[2], const struct qpu_shared *shared, struct qpu_inst *out,
                      char *error, size_t error_size);
/* The same for a load immediate or a semaphore: all but its type and number, which `out` has. */
void qpu_complete_load(const struct qpu_half half[2], const struct qpu_shared *shared, struct qpu_inst *out);

/* The fields that an annotation "[ws=1 ra=32]" can set. */
struct qpu_field {
    const char *key;
    size_t offset; /* of a uint8_t in struct qpu_inst */
    uint8_t max;
};
extern const struct qpu_field qpu_fields[];
extern const size_t qpu_field_count;

/* --- reading -------------------------------------------------------------------------------------------- */

bool qpu_is_space(char c);
struct qpu_span qpu_trim(struct qpu_span s);

/* Cuts `rest` at the first `separator`; false when nothing is left. Pieces come trimmed. */
bool qpu_next_piece(struct qpu_span *rest, char separator, struct qpu_span *piece);

/* 32 bits from hexadecimal, a decimal integer (-2^31 to 2^32-1) or a decimal fraction (a float's bits). */
bool qpu_parse_number(struct qpu_span text, uint32_t *bits);

/* Where labels are; find returns the label's instruction index or -1. */
struct qpu_labels {
    int64_t (*find)(const void *data, struct qpu_span name);
    const void *data;
};

/* Assembles one instruction (no label, no comment). `error` receives the reason on failure. */
bool qpu_parse_inst(struct qpu_span text, unsigned index, const struct qpu_labels *labels,
                    struct qpu_inst *out, char *error, size_t error_size);

#endif
