/* Rows of sections flags and cond: what operations set, and what conditions let through. */
#include "rows.h"

/* N, Z and C as bits 0, 1 and 2 of the result. */
#define COLLECT "\nmov r2, 0\nor.ns r2, r2, 1\nor.zs r2, r2, 2\nor.cs r2, r2, 4"
#define COLLECT_ZN "\nmov r2, 0\nor.ns r2, r2, 1\nor.zs r2, r2, 2"
#define COLLECT_C "\nmov r2, 0\nor.cs r2, r2, 4"

/* Flags by the pixel's column, whatever lane it is in: N in the first eight of sixteen, Z in the ninth,
 * C from it on. */
#define BY_PIXEL "and r3, x_coord, 15\nadd.setf nop, r3, -8\n"

#define SOURCES_1 "r0"
#define SOURCES_2 "r0, r1"
#define OPERANDS_OF_FLOAT OPERANDS_FLOATS
#define OPERANDS_OF_FROM_FLOAT OPERANDS_WHOLE
#define OPERANDS_OF_TO_FLOAT OPERANDS_INTS
#define OPERANDS_OF_INTEGER OPERANDS_INTS
#define OPERANDS_OF_BYTES OPERANDS_INTS

static const struct row flags[] = {
#define OP(name, half, op, sources, kind, carry)                                                             \
    {"flags.zn." #name,                                                                                      \
     "flags_z_n_from_result",                                                                                \
     "N and Z of " #name,                                                                                    \
     build_bodies,                                                                                           \
     half op ".setf nop, " SOURCES_##sources COLLECT_ZN,                                                     \
     NULL,                                                                                                   \
     OPERANDS_OF_##kind,                                                                                     \
     false},
#include "ops.def"
#undef OP
#define CARRY(name, assumptions, operands, what, text)                                                       \
    { "flags.carry." name, assumptions, what, build_bodies, text, "$" COLLECT_C, OPERANDS_##operands, false }
    CARRY("add", "carry_of_sums", INTS, "the carry of a sum", "add.setf nop, r0, r1"),
    CARRY("sub", "carry_of_sums", INTS, "the borrow of a difference", "sub.setf nop, r0, r1"),
    CARRY("max", "carry_of_extremes", INTS, "C of minima and maxima",
          "max.setf nop, r0, r1|min.setf nop, r0, r1"),
    CARRY("max.float", "carry_of_extremes", FLOATS, "C of minima and maxima of floats",
          "fmax.setf nop, r0, r1|fmin.setf nop, r0, r1|fmaxabs.setf nop, r0, r1|fminabs.setf nop, r0, r1"),
    CARRY("shift", "carry_of_shifts", SHIFTS, "the last bit that a shift moves out",
          "shl.setf nop, r0, r1|shr.setf nop, r0, r1|asr.setf nop, r0, r1|ror.setf nop, r0, r1"),
    CARRY("logic", "carry_of_logic", INTS, "C of logic",
          "sub.setf nop, r0, r1\nand.setf nop, r0, r1|sub.setf nop, r0, r1\nor.setf nop, r0, r1|"
          "sub.setf nop, r0, r1\nxor.setf nop, r0, r1|sub.setf nop, r0, r1\nnot.setf nop, r0|"
          "sub.setf nop, r0, r1\nclz.setf nop, r0"),
    CARRY("float", "carry_of_floats", FLOATS, "C of sums and products of floats",
          "fadd.setf nop, r0, r1|fsub.setf nop, r0, r1|nop; fmul.setf nop, r0, r1|itof.setf nop, r0"),
    CARRY("ftoi", "carry_of_floats", WHOLE, "C of ftoi", "ftoi.setf nop, r0"),
    CARRY("mul24", "carry_of_mul24", INTS, "C of mul24", "nop; mul24.setf nop, r0, r1"),
    CARRY("v8", "carry_of_logic", INTS, "C of operations on bytes",
          "v8adds.setf nop, r0, r1|v8subs.setf nop, r0, r1|nop; v8muld.setf nop, r0, r1|"
          "nop; v8min.setf nop, r0, r1|nop; v8max.setf nop, r0, r1|nop; v8adds.setf nop, r0, r1|"
          "nop; v8subs.setf nop, r0, r1"),
    {"flags.mul", "flags_from_mul_without_add", "flags of the mul ALU beside an idle add ALU", build_bodies,
     "nop; mul24.setf nop, r0, r1|nop; v8min.setf nop, r0, r1|nop; fmul.setf nop, r0, r1", "$" COLLECT,
     OPERANDS_INTS, false},
    {"flags.mul.add", "flags_from_mul_without_add", "flags of the add ALU beside a busy mul ALU",
     build_bodies,
     "sub.setf nop, r0, r1; v8min r3, r0, r1|and.setf r3, r0, r1; mul24 nop, r0, r1|"
     "add.setf nop, r0, r1; fmul r3, r0, r0",
     "$" COLLECT, OPERANDS_INTS, false},
    {"flags.packed", "flags_z_n_from_result", "flags of a result that is packed", build_bodies,
     "add.setf ra3.16a, r0, r1|or.setf ra3.8a, r0, r1|xor.setf ra3.16b, r0, r1|"
     "nop; mul24.setf ra3.8d, r0, r1|sub.setf ra3.8abcd, r0, r1",
     "mov ra3, r1\nnop\n$" COLLECT_ZN, OPERANDS_INTS, false},
    {"flags.condition", "flags_under_condition", "flags set under a condition", build_bodies,
     "sub.zs.setf nop, r0, r1|and.nc.setf r3, r0, r1|max.cs.setf nop, r0, r1|"
     "nop; v8min.ns.setf nop, r0, r1|nop; mul24.zc.setf nop, r0, r1",
     BY_PIXEL "$" COLLECT, OPERANDS_INTS, false},
    {"flags.condition.chain", "flags_under_condition", "conditions joined by and", build_bodies,
     "and.setf nop, r0, 1\nand.zs.setf nop, r1, 1|and.setf nop, r0, 1\nand.zc.setf nop, r1, 2",
     "$" COLLECT_ZN, OPERANDS_INTS, false},
    {"flags.keep", "", "operations without the set-flags bit leave flags alone", build_bodies,
     "add r3, r0, r1|fadd r3, r0, r1; fmul nop, r0, r1|nop; v8adds r3, r0, r1|mov ra5, r0",
     BY_PIXEL "$" COLLECT, OPERANDS_INTS, false},
};

/* Each operation under each condition, by flags of the pixel's column. */
static const struct row conditions[] = {
#define OP(name, half, op, sources, kind, carry)                                                             \
    {"cond." #name,                                                                                          \
     "",                                                                                                     \
     #name " under each condition",                                                                          \
     build_bodies,                                                                                           \
     "zs|zc|ns|nc|cs|cc|never",                                                                              \
     BY_PIXEL "mov r2, r1\n" half op ".$ r2, " SOURCES_##sources,                                            \
     OPERANDS_OF_##kind,                                                                                     \
     false},
#include "ops.def"
#undef OP
    {"cond.ldi", "", "immediates under each condition", build_bodies, "zs|zc|ns|nc|cs|cc|never",
     BY_PIXEL "mov r2, r1\nmovi.$ r2, 0x12345678", OPERANDS_INTS, false},
    {"cond.file", "", "writes to both files under each condition", build_bodies, "zs|zc|ns|nc|cs|cc",
     BY_PIXEL "mov ra3, r1; mov rb3, r1\nadd.$ ra3, r0, r1; v8min.$ rb3, r0, r1\nnop\n"
              "sub r2, ra3, rb3",
     OPERANDS_INTS, false},
    {"cond.both", "", "one condition on each ALU", build_bodies,
     "mov.zs r2, r0; mov.ns r3, r1|mov.cs r2, r0; mov.zc r3, r1|mov.never r2, r0; mov.nc r3, r1",
     BY_PIXEL "mov r2, r1\nmov r3, r0\n$\nsub r2, r2, r3", OPERANDS_INTS, false},
    {"cond.word", "", "conditions by a word's own flags", build_bodies,
     "sub.setf nop, r0, r1\nadd.cs r2, r0, 1|fsub.setf nop, r0, r1\nfadd.ns r2, r0, r0|"
     "max.setf nop, r0, r1\nnop; mul24.cc r2, r0, r0|xor.setf r3, r0, r1\nmov.zs r2, r3",
     "mov r2, r1\n$", OPERANDS_INTS, false},
};

const struct row_section section_flags = SECTION("flags", "the flags N, Z and C of each operation", flags);
const struct row_section section_cond = SECTION("cond", "operations under conditions", conditions);
