/* Rows of section vpm: how vertex shaders read and write the VPM. */
#include "rows.h"

#define ROW(name, assumptions, what, shape, text)                                                            \
    { "vpm." name, assumptions, what, build_vertices, text, shape, OPERANDS_INTS, false }

/* Set-ups: horizontal accesses of 32 bits, of 16 and of 8, laned or packed; vertical ones. */
#define READ(setup) "movi vr_setup, " setup "\nnop\nnop\nnop\n"
#define WRITE(setup) "movi vw_setup, " setup "\n"
/* A word as two whole numbers: which the varyings take. */
#define MASK "movi rb9, 0xffff\n"
#define SPLIT(word) "and r0, " word ", rb9\nitof r0, r0\nshr r1, " word ", -16\nitof r1, r1\n"
#define EMIT(word) SPLIT(word) "mov vpm, r0\nmov vpm, r1\n"
#define TAKE(n) "mov ra" #n ", vpm\n"
/* Rows 3 to 10 written before others are, so that rows which those miss are defined. */
#define ZEROS                                                                                                \
    WRITE("0x00001a03")                                                                                      \
    "mov vpm, 0\nmov vpm, 0\nmov vpm, 0\nmov vpm, 0\nmov vpm, 0\nmov vpm, 0\nmov vpm, 0\nmov vpm, 0\n"
#define FOUR TAKE(1) TAKE(2) TAKE(3) TAKE(4) "nop\n"
#define EMIT_FOUR MASK "nop\n" EMIT("ra1") EMIT("ra2") EMIT("ra3") EMIT("ra4")

static const struct row rows[] = {
    ROW("read", "vpm_read_blocks screen_xy_relative", "rows read one after the other", "4 4",
        READ("0x00401a03") FOUR EMIT_FOUR),
    ROW("read.at_once", "vpm_read_blocks", "a read right behind its set-up", "4 4",
        "movi vr_setup, 0x00401a03\n" FOUR EMIT_FOUR),
    ROW("read.sixteen", "", "sixteen rows by one set-up", "16 16",
        READ("0x00001a03") TAKE(1) TAKE(2) TAKE(3) TAKE(4) TAKE(5) TAKE(6) TAKE(7) TAKE(8) TAKE(9) TAKE(10)
            TAKE(11) TAKE(12) TAKE(13) TAKE(16) TAKE(17) TAKE(18) EMIT_FOUR EMIT("ra5") EMIT("ra6")
                EMIT("ra7") EMIT("ra8") EMIT("ra9") EMIT("ra10") EMIT("ra11") EMIT("ra12") EMIT("ra13")
                    EMIT("ra16") EMIT("ra17") EMIT("ra18")),
    ROW("read.stride", "vpm_layouts", "rows at a distance of two", "8 4",
        READ("0x00402a03") FOUR READ(
            "0x00402a04") "mov ra5, vpm\nmov ra6, vpm\nmov ra7, vpm\nmov ra8, vpm\n"
                          "add ra1, ra1, 0\nnop\n" EMIT_FOUR "|" READ(
                              "0x00403a03") "mov ra1, vpm\nmov ra2, vpm\nmov ra3, vpm\nmov ra4, 0\nmov r3, "
                                            "vpm\n" READ("0x00401a04") "mov r2, vpm\nmov r2, vpm\nmov r2, "
                                                                       "vpm\nmov r2, vpm\n" EMIT_FOUR),
    ROW("read.twice", "", "a row that is read again", "4 4",
        READ("0x00401a03") FOUR READ("0x00101a04") "xor ra1, ra1, vpm\nnop\n" EMIT_FOUR),
    ROW("read.laned16", "vpm_layouts", "halves of words, laned", "4 4",
        READ("0x00801d06") "mov ra1, vpm\nmov ra2, vpm\nmov ra3, vpm\nmov ra4, vpm\n"
                           "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n" EMIT_FOUR),
    ROW("read.packed16", "vpm_layouts", "halves of words, packed", "4 4",
        READ("0x00801906") "mov ra1, vpm\nmov ra2, vpm\nmov ra3, vpm\nmov ra4, vpm\n"
                           "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n" EMIT_FOUR),
    ROW("read.laned8", "vpm_layouts", "bytes of words, laned", "4 4",
        READ("0x00001c0c") "mov ra1, vpm\nmov ra2, vpm\nmov ra3, vpm\nmov ra4, vpm\n"
                           "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n"
                           "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n"
                           "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n" EMIT_FOUR),
    ROW("read.packed8", "vpm_layouts", "bytes of words, packed", "4 4",
        READ("0x0000180c") "mov ra1, vpm\nmov ra2, vpm\nmov ra3, vpm\nmov ra4, vpm\n"
                           "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n"
                           "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n"
                           "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n" EMIT_FOUR),
    ROW("read.vertical", "vpm_layouts", "columns instead of rows", "29 4",
        READ(
            "0x00d01a03") "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n"
                          "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n"
                          "mov r2, vpm\n" READ(
                              "0x00001210") "mov ra1, vpm\nmov ra2, vpm\nmov ra3, vpm\nmov ra4, vpm\n"
                                            "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n"
                                            "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n"
                                            "mov r2, vpm\nmov r2, vpm\nmov r2, vpm\nmov r2, vpm\n" EMIT_FOUR),
    ROW("both", "vpm_read_beside_write", "a read beside a write", "4 4",
        READ("0x00401a03") FOUR MASK "nop\n" SPLIT("ra1") "mov vpm, r0\nmov vpm, r1\n" SPLIT("ra2")
            READ("0x00201a03") "mov vpm, r0; mov ra5, vpm\nmov vpm, r1; mov ra6, vpm\nnop\n" EMIT("ra5")
                EMIT("ra6")),
    ROW("both.setup", "vpm_read_beside_write", "a read beside a write set-up", "4 4",
        READ("0x00401a03") "movi rb7, 0x00001a03\nmov ra1, vpm\nmov ra2, vpm; mov vw_setup, rb7\nmov ra3, "
                           "vpm\n"
                           "mov ra4, vpm\nnop\n" EMIT_FOUR),
    ROW("write.stride", "vpm_layouts", "rows written at a distance of two", "4 4",
        READ("0x00401a03") FOUR MASK "nop\n" WRITE("0x00002a03")
            SPLIT("ra1") "mov vpm, r0\n" SPLIT("ra2") "mov vpm, r0\n" SPLIT("ra3") "mov vpm, r0\n" SPLIT(
                "ra4") "mov vpm, r0\n" WRITE("0x00002a04")
                SPLIT("ra1") "mov vpm, r1\n" SPLIT("ra2") "mov vpm, r1\n" SPLIT("ra3") "mov vpm, r1\n" SPLIT(
                    "ra4") "mov vpm, r1\n"),
    ROW("fall", "vpm_rows_fall", "rows that fall: a stride of 63", "4 4",
        READ("0x00401a03") FOUR MASK "nop\n" ZEROS WRITE("0x0003fa0a") EMIT("ra1") EMIT("ra2") EMIT("ra3")
            EMIT("ra4")),
    ROW("jump", "vpm_setup_jumps", "a set-up between two writes", "4 4",
        READ("0x00401a03") FOUR MASK "nop\n" WRITE("0x00001a07") EMIT("ra1") EMIT("ra2") WRITE("0x00001a03")
            EMIT("ra3") EMIT("ra4") "|" READ("0x00401a03") FOUR MASK "nop\n" WRITE("0x00001a05") EMIT("ra1")
                WRITE("0x00001a03") EMIT("ra2") WRITE("0x00001a09") EMIT("ra3") WRITE("0x00001a07")
                    EMIT("ra4")),
    ROW("write.laned16", "vpm_layouts", "halves written into words, laned", "4 4",
        READ("0x00401a03") FOUR MASK
        "nop\n" WRITE("0x00001d06") "movi r2, 0x43800000\nshr r2, r2, -16\nmov r3, 0\n"
                                    "mov vpm, ra1\nmov vpm, r2\nmov vpm, ra2\nmov vpm, r2\nmov vpm, ra3\nmov "
                                    "vpm, r2\nmov vpm, ra4\n"
                                    "mov vpm, r2\n" WRITE("0x00001a07") EMIT("ra1") EMIT("ra2")),
    ROW("queue", "vpm_setups_do_not_queue", "a set-up while one value is pending", "4 4",
        READ("0x00301a03") TAKE(1) TAKE(2) "movi vr_setup, 0x00201a05\n" TAKE(3) TAKE(4) TAKE(5)
            READ("0x00101a05") "xor ra5, ra5, vpm\nnop\n" MASK "nop\n" EMIT("ra1") EMIT("ra2")
                EMIT("ra3") "add r2, ra5, 0\nadd ra4, ra4, r2\nnop\n" EMIT("ra4")),
    ROW("filler", "attribute_filler_is_arbitrary", "half a word at an attribute's end", "4 4 short",
        READ("0x00401a03") FOUR MASK "nop\nand ra4, ra4, rb9\nnop\n" EMIT("ra1") EMIT("ra2") EMIT("ra3")
            EMIT("ra4")),
    ROW("shared", "fifo_word_to_both_alus", "both ALUs read a row", "4 4",
        READ("0x00401a03") "add ra1, vpm, 1; v8min rb1, vpm, vpm\nsub ra2, vpm, 2; v8max rb2, vpm, vpm\n"
                           "mov ra3, vpm; mov rb3, vpm\nmov ra4, vpm\nnop\nxor ra1, ra1, rb1\n"
                           "xor ra2, ra2, rb2\nadd ra3, ra3, rb3\nnop\n" EMIT_FOUR),
    ROW("lanes", "lanes_without_vertex_arbitrary", "lanes that a batch leaves over change nothing",
        "4 4 nine", READ("0x00401a03") FOUR EMIT_FOUR),
    ROW("coordinate.clip", "screen_xy_relative", "a coordinate shader that reads by two set-ups",
        "0 1 coordinate",
        READ("0x00401a00")
            WRITE("0x00001a00") "mov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\n" READ(
                "0x00301a04") "mov vpm, vpm\nmov vpm, vpm\nmov vpm, vpm\n"),
};

const struct row_section section_vpm = SECTION("vpm", "vertices and the VPM", rows);
