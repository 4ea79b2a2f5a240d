/* Rows of sections reg and unif: registers, immediates, rotations; the uniform stream. */
#include "rows.h"

#define ROW(name, assumptions, operands, what, text, pattern)                                                \
    { name, assumptions, what, build_bodies, text, pattern, OPERANDS_##operands, false }

#define FILES_0_TO_13 "0|1|2|3|4|5|6|7|8|9|10|11|12|13"
#define FILES_16_TO_31 "16|17|18|19|20|21|22|23|24|25|26|27|28|29|30|31"
#define ROTATIONS "1|2|3|4|5|6|7|8|9|10|11|12|13|14|15"

static const struct row registers[] = {
    ROW("reg.acc", "accumulators_forward", INTS, "accumulators read right after they are written",
        "add r3, r0, r1\nxor r2, r3, r0|sub r0, r0, r1\nadd r2, r0, r1|mov r1, r0; mov r3, r1\nsub r2, r1, "
        "r3|"
        "mul24 r0, r0, r1\nadd r0, r0, r1\nmul24 r2, r0, r1",
        NULL),
    ROW("reg.swap", "accumulators_forward", INTS, "two accumulators exchanged in one instruction",
        "mov r0, r1; mov r1, r0\nsub r2, r0, r1", NULL),
    ROW("reg.files.lower", "", INTS, "registers 0 to 13 of both files", FILES_0_TO_13,
        "mov ra$, r0; mov rb$, r1\nnop\nsub r2, ra$, rb$"),
    ROW("reg.files.upper", "", INTS, "registers 16 to 31 of both files", FILES_16_TO_31,
        "mov ra$, r0; mov rb$, r1\nnop\nsub r2, ra$, rb$"),
    ROW("reg.files.keep", "", INTS, "registers stay while others are written",
        "mov ra5, r0; mov rb7, r1\nmov ra7, r1; mov rb5, r0\nadd ra6, r0, r0; mov rb6, r1\nsub r3, ra5, rb7\n"
        "xor r2, r3, ra7",
        NULL),
    ROW("reg.ws", "files_swapped_by_ws", INTS, "write addresses exchanged",
        "add rb3, r0, r1; v8min ra3, r0, r1\nnop\nsub r2, ra3, rb3|"
        "add ra3, r0, r1; v8min rb3, r0, r1\nnop\nsub r2, ra3, rb3|"
        "add r3, r0, r1; v8min ra3, r0, r1 [ws=1]\nnop\nsub r2, ra3, r3",
        NULL),
    ROW("reg.r5", "r5_write_broadcasts", INTS, "writes of r5",
        "mov r3, elem_num\nadd r5quad, r3, 4\nnop\nsub r2, r5, elem_num|"
        "mov r3, elem_num\nadd r5rep, r3, 4\nnop\nmov r2, r5",
        NULL),
    ROW("reg.small.add", "small_immediates", INTS, "small immediates as numbers",
        "-16|-15|-14|-13|-12|-11|-10|-9|-8|-7|-6|-5|-4|-3|-2|-1|0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15",
        "add r2, r0, $"),
    ROW("reg.small.fmul", "small_immediates", FLOATS, "small immediates as floats",
        "1.0|2.0|4.0|8.0|16.0|32.0|64.0|128.0|0.00390625|0.0078125|0.015625|0.03125|0.0625|0.125|0.25|0.5",
        "fmul r2, r0, $"),
    ROW("reg.small.bits", "small_immediates", INTS, "small immediates as patterns",
        "1.0|128.0|0.00390625|0.5|-16|-1|15", "xor r2, r0, $"),
    ROW("reg.immediate", "", INTS, "immediates of 32 bits",
        "movi r3, 0x12345678\nxor r2, r0, r3|movi r3, 0xffffffff\nadd r2, r0, r3|"
        "movi ra3, 0x80000001; movi rb3, 0x80000001\nnop\nsub r2, ra3, r0\nadd r2, r2, rb3",
        NULL),
    ROW("reg.immediate.lanes", "", INTS, "immediates of two bits a lane",
        "movis r2, 0x00000000|movis r2, 0xffff0000\nmov r3, r2\nmovis r2, 0x0000ffff\nadd r2, r2, r3|"
        "moviu r2, 0xffffffff|moviu r2, 0x0000ffff|moviu r2, 0xffff0000|"
        "movis r3, 0xaaaa5555\nmovi r2, 0\nmov.setf nop, elem_num; nop\nmov.zs r2, 0\nsub r2, r2, r2",
        NULL),
    ROW("reg.rotate", "rotation_within_all_lanes rotation_within_quads", INTS,
        "rotations by each number of lanes", ROTATIONS,
        "mov r3, elem_num\nnop\nnop; mov.rot$ r2, r3\nsub r2, r2, r3\nand r2, r2, 15"),
    ROW("reg.rotate.quads", "rotation_within_quads", INTS, "pixels of a quad by rotations", "1|2|3",
        "mov r3, y_coord\nshl r3, r3, 6\nadd r3, r3, x_coord\nnop\nnop; mov.rot$ r2, r3\nsub r2, r2, r3\n"
        "and r3, elem_num, 3\nsub.setf nop, r3, $\nmov.ns r2, 0"),
    ROW("reg.rotate.r5", "rotation_within_all_lanes", INTS, "rotations by r5", "0|1|2|5|8|15",
        "mov r3, elem_num\nmov r5rep, $\nnop\nnop; mov.rotr5 r2, r3\nsub r2, r2, r3\nand r2, r2, 15"),
    ROW("reg.rotate.product", "rotation_within_all_lanes", INTS, "rotated products", "1|4|11",
        "mov r3, elem_num\nmovi r2, 3\nnop\nnop; mul24.rot$ r2, r3, r2\nmul24 r3, r3, 3\nsub r2, r2, r3\n"
        "and r2, r2, 15"),
    ROW("reg.nop", "address_39_reads_nothing", INTS, "idle read addresses take nothing from the stream",
        "nop\nnop; nop\nadd r3, r0, r1\nadd r2, r3, unif|mov r2, r0; mov r3, r1\nadd r2, r2, unif", NULL),
    ROW("reg.shared", "fifo_word_to_both_alus", INTS, "both ALUs read a word of the stream",
        "add r2, r0, unif; v8max r3, r1, unif\nsub r2, r2, r3\nadd r2, r2, unif|"
        "fadd r2, r0, unif; fmul r3, r1, unif\nxor r2, r2, r3",
        NULL),
    ROW("reg.payload", "payload_in_15", INTS, "W and Z where a fragment shader begins",
        "mov r2, ra15|mov r2, rb15", NULL),
    ROW("reg.element", "element_and_qpu_numbers", INTS, "a lane's number within its quad",
        "and r2, elem_num, 3|mov r3, elem_num\nsub.setf nop, r3, 15\nmov r2, 1\nmov.zs r2, 1", NULL),
};

/* The stream of bodies goes on with 0x06060606, 0x07070707 and so on, after the five words of the operands. A
 * reset's offset is that of the word after the one that the kernel makes an address of. */
static const struct row uniforms[] = {
    ROW("unif.order", "", INTS, "words in order",
        "mov r2, unif\nsub r2, r2, unif\nxor r2, r2, unif|add r2, r0, unif\nsub r2, unif, r2\nadd r3, r1, "
        "unif\n"
        "xor r2, r2, r3|fmul r2, r0, unif",
        NULL),
    ROW("unif.both", "uniform_in_both_files", INTS, "both files read the same word",
        "add r2, unif, unif [rb=32 ab=7]\nadd r2, r2, unif|sub r2, r0, unif; v8min r3, r1, unif\nadd r2, r2, "
        "r3",
        NULL),
    ROW("unif.reset", "uniform_address_latency", INTS, "the stream goes on at its new address",
        "movi r3, 24\nadd unif_addr, r3, unif\nnop\nnop\nmov r2, unif\nadd r2, r2, unif|"
        "movi ra5, 24\nnop\nadd unif_addr, ra5, unif\nadd r3, r0, r1\nxor r3, r3, r0\nadd r2, r3, unif",
        NULL),
    ROW("unif.reset.twice", "uniform_address_latency", INTS, "two resets",
        "movi r3, 24\nadd unif_addr, r3, unif\nnop\nnop\nmov r2, unif\nmovi r3, 32\nadd unif_addr, r3, "
        "unif\nnop\n"
        "nop\nsub r2, r2, unif",
        NULL),
    ROW("unif.many", "", INTS, "forty words",
        "mov r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, "
        "unif\n"
        "add r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nsub r2, r2, unif\n"
        "sub r2, r2, unif\nxor r2, r2, unif\nxor r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\n"
        "add r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nsub r2, r2, unif\n"
        "sub r2, r2, unif\nxor r2, r2, unif\nxor r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\n"
        "add r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nsub r2, r2, unif\n"
        "sub r2, r2, unif\nxor r2, r2, unif\nxor r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\n"
        "add r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif\nadd r2, r2, unif",
        NULL),
};

const struct row_section section_reg = SECTION("reg", "registers, immediates, rotations", registers);
const struct row_section section_unif = SECTION("unif", "the uniform stream", uniforms);
