/* Rows of section pack: packs and unpacks, of file A, of r4 and of the mul ALU, with each operation. */
#include "rows.h"

#define SOURCES_1(first) first
#define SOURCES_2(first) first ", r1"

/* Operand sets by an operation's kind, for its unpacked operand and for its packed result. */
#define UNPACKED_FLOAT OPERANDS_HALF_BITS
#define UNPACKED_FROM_FLOAT OPERANDS_HALF_BITS
#define UNPACKED_TO_FLOAT OPERANDS_INTS
#define UNPACKED_INTEGER OPERANDS_INTS
#define UNPACKED_BYTES OPERANDS_INTS
#define PACKED_FLOAT OPERANDS_HALVES
#define PACKED_FROM_FLOAT OPERANDS_WHOLE
#define PACKED_TO_FLOAT OPERANDS_SHIFTS
#define PACKED_INTEGER OPERANDS_INTS
#define PACKED_BYTES OPERANDS_INTS

/* What a row of packed results assumes, by the operation's kind. */
#define PACKED_ASSUMES_FLOAT "half_rounding pack_keeps_other_bits"
#define PACKED_ASSUMES_TO_FLOAT "half_rounding pack_keeps_other_bits"
#define PACKED_ASSUMES_FROM_FLOAT "pack_16_truncates_integers pack_keeps_other_bits"
#define PACKED_ASSUMES_INTEGER "pack_16_truncates_integers pack_keeps_other_bits"
#define PACKED_ASSUMES_BYTES "pack_16_truncates_integers pack_keeps_other_bits"

/* Of rows that unpack r4, by the operation's kind: a part of the name, and what the row assumes. */
#define R4_NAME_FLOAT ""
#define R4_NAME_FROM_FLOAT ""
#define R4_NAME_TO_FLOAT "int."
#define R4_NAME_INTEGER "int."
#define R4_NAME_BYTES "int."
#define R4_ASSUMES_FLOAT "r4_unpacks_floats"
#define R4_ASSUMES_FROM_FLOAT "r4_unpacks_floats"
#define R4_ASSUMES_TO_FLOAT "r4_unpacks_integers"
#define R4_ASSUMES_INTEGER "r4_unpacks_integers"
#define R4_ASSUMES_BYTES "r4_unpacks_integers"

#define UNPACKS "16a|16b|8dr|8a|8b|8c|8d"
#define PACKS "16a|16b|8abcd|8a|8b|8c|8d"
#define SATURATING "s|16as|16bs|8abcds|8as|8bs|8cs|8ds"

/* Packs into ra3, which holds operand b, so the result shows the bits that the pack keeps. `before` puts the
 * operation on the mul ALU. */
#define KEEP(before, op) "mov ra3, r1\nnop\n" before op "\nnop\nmov r2, ra3"

#define ROW(name, assumptions, operands, what, text, pattern)                                                \
    { "pack." name, assumptions, what, build_bodies, text, pattern, OPERANDS_##operands, false }

static const struct row rows[] = {
#define OP(name, half, op, sources, kind, carry)                                                             \
    {"pack.unpack.kind." #name,                                                                              \
     "unpack_by_operation",                                                                                  \
     #name " of what file A unpacks",                                                                        \
     build_bodies,                                                                                           \
     UNPACKS,                                                                                                \
     half op " r2, " SOURCES_##sources("ra0.$"),                                                             \
     UNPACKED_##kind,                                                                                        \
     false},
#include "ops.def"
#undef OP
#define OP(name, half, op, sources, kind, carry)                                                             \
    {"pack.r4." R4_NAME_##kind #name,                                                                        \
     R4_ASSUMES_##kind,                                                                                      \
     #name " of what r4 unpacks",                                                                            \
     build_bodies,                                                                                           \
     UNPACKS,                                                                                                \
     half op " r2, " SOURCES_##sources("r4.$"),                                                              \
     UNPACKED_##kind,                                                                                        \
     false},
#include "ops.def"
#undef OP
    ROW("unpack8", "byte_to_float_truncates", INTS, "bytes to floats", "8a|8b|8c|8d", "fadd r2, ra0.$, 0"),
    ROW("unpack8.replicate", "", INTS, "byte d four times", "mov r2, ra0.8dr|mov r2, r4.8dr", NULL),
    ROW("unpack16", "", HALF_BITS, "halves to floats", "16a|16b", "fmax r2, ra0.$, ra0.$"),
    ROW("unpack16.mul", "", HALF_BITS, "halves to floats on the mul ALU", "16a|16b",
        "nop; fmul r2, ra0.$, 1.0"),
    ROW("half.denormal", "half_denormals_shifted", HALF_DENORMALS, "denormal halves to floats", "16a|16b",
        "fmax r2, ra0.$, ra0.$"),
    ROW("half.round", "half_rounding", HALVES, "floats to halves", "16a|16b", KEEP("", "fmax ra3.$, r0, r0")),
    ROW("half.round.mul", "half_rounding", HALVES, "products to halves", "16a|16b",
        KEEP("nop; ", "fmul ra3.$, r0, r1")),
    ROW("half.range", "half_pack_range", HALF_RANGE, "floats beyond the range of halves", "16a|16b",
        KEEP("", "fmax ra3.$, r0, r0")),
    ROW("r4.bytes", "r4_unpacks_floats byte_to_float_truncates", INTS, "bytes of r4 to floats", "8a|8b|8c|8d",
        "fmul r2, r4.$, 1.0"),
    ROW("r4.halves", "r4_unpacks_floats", HALF_BITS, "halves of r4 to floats", "16a|16b",
        "fmax r2, r4.$, r4.$"),
    ROW("r4.int", "r4_unpacks_integers", INTS, "bytes and halves of r4 to integers", UNPACKS,
        "add r2, r4.$, 0"),
    ROW("mul8", "mul_pack_saturates mul_pack_rounds_to_nearest", UNIT, "floats to bytes", "8a|8b|8c|8d|8abcd",
        "mov r2, r1\nnop; fmul r2.$, r0, r1"),
    ROW("mul8.round", "mul_pack_rounds_to_nearest", UNIT, "floats half-way between two bytes", "8abcd",
        "fmul r2.$, r0, 1.0"),
    ROW("mul8.file", "mul_pack_saturates mul_pack_rounds_to_nearest", UNIT,
        "floats to bytes of file B's registers", "8a|8b|8c|8d|8abcd",
        "mov rb3, r1\nnop\nnop; fmul rb3.$, r0, r1\nnop\nmov r2, rb3"),
    ROW("mul8.file_a", "mul_pack_saturates mul_pack_rounds_to_nearest", UNIT,
        "floats to bytes of file A's registers", "c8a|c8b|c8c|c8d|c8abcd",
        "mov ra3, r1\nnop\nnop; fmul ra3.$, r0, r1\nnop\nmov r2, ra3"),
    ROW("mul8.large", "mul_pack_saturates", FLOATS, "any floats to bytes", "8abcd", "fmul r2.$, r0, 1.0"),
    ROW("keep.load", "pack_keeps_other_bits", INTS, "packs of moves", PACKS, KEEP("", "mov ra3.$, r0")),
    ROW("a16", "pack_16_truncates_integers", INTS, "integers to 16 bits", "16a|16b",
        KEEP("", "mov ra3.$, r0")),
    ROW("saturate.add", "pack_a_saturates pack_saturates_overflow", INTS, "saturating packs of sums",
        SATURATING, KEEP("", "add ra3.$, r0, r1")),
    ROW("saturate.sub", "pack_a_saturates pack_saturates_overflow", INTS, "saturating packs of differences",
        SATURATING, KEEP("", "sub ra3.$, r0, r1")),
    ROW("saturate.mov", "pack_a_saturates", INTS, "saturating packs of moves", SATURATING,
        KEEP("", "mov ra3.$, r0")),
    ROW("saturate.fadd", "half_rounding", HALVES, "saturating packs of floats", "16as|16bs",
        KEEP("", "fadd ra3.$, r0, r1")),
    ROW("saturate.mul24", "pack_a_saturates", INTS, "saturating packs of products", SATURATING,
        KEEP("nop; ", "mul24 ra3.$, r0, r1")),
    ROW("condition", "pack_keeps_other_bits", INTS, "packs under a condition", PACKS,
        "mov ra3, r1\nand r3, x_coord, 15\nadd.setf nop, r3, -8\nmov.cs ra3.$, r0\nnop\nmov r2, ra3"),
    ROW("both", "unpack_by_operation", INTS, "an unpack and a pack in one instruction",
        "16a, ra0.16b|16b, ra0.16a|8a, ra0.8d|8d, ra0.8a|8abcd, ra0.8c|16a, ra0.8b",
        "mov ra3, r1\nnop\nadd ra3.$, r1\nnop\nmov r2, ra3"),
/* For each operation, all packs that do not saturate. */
#define OP(name, half, op, sources, kind, carry)                                                             \
    {"pack.keep." #name,                                                                                     \
     PACKED_ASSUMES_##kind,                                                                                  \
     "packs of " #name "'s results",                                                                         \
     build_bodies,                                                                                           \
     PACKS,                                                                                                  \
     KEEP(half, op " ra3.$, " SOURCES_##sources("r0")),                                                      \
     PACKED_##kind,                                                                                          \
     false},
#include "ops.def"
#undef OP
};

const struct row_section section_pack = SECTION("pack", "packs and unpacks", rows);
