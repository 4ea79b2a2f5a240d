/* Rows of sections frag and tlb: what fragment shaders are given, and what becomes of what they write. */
#include "rows.h"

#define ROW(name, assumptions, what, text, pattern)                                                          \
    { name, assumptions, what, build_fragments, text, pattern, OPERANDS_INTS, false }
#define WHOLE(name, assumptions, what, text)                                                                 \
    { name, assumptions, what, build_programs, text, NULL, OPERANDS_INTS, false }

#define VARYING "fmul r0, vary, ra15\nfadd r0, r0, r5\n"
/* A varying as a whole number, whatever its last bits are. */
#define ROUND "fadd r0, r0, 0.5\nftoi r0, r0\n"
#define SUM VARYING "fadd r2, r2, r0\n"
#define EIGHT SUM SUM SUM SUM SUM SUM SUM SUM
#define BY_PIXEL "and r3, x_coord, 15\nadd.setf nop, r3, -8\n"

static const struct row fragments[] = {
    ROW("frag.coord", "fragcoord_whole_pixels", "X and Y of a pixel",
        "mov r2, x_coord|mov r2, y_coord|mov r2, x_coord\nshl r2, r2, 15\nshl r2, r2, 1\nadd r2, r2, y_coord",
        NULL),
    ROW("frag.quad", "quad_layout", "which lane of a quad a pixel has", "and r2, elem_num, 3", NULL),
    ROW("frag.quad.odd", "quad_layout", "and in a rectangle that begins within a quad", "and r2, elem_num, 3",
        "odd"),
    ROW("frag.face", "reverse_flag", "the flag of a front face", "mov r2, rev_flag", NULL),
    ROW("frag.face.back", "reverse_flag", "the flag of a back face", "mov r2, rev_flag", "reverse"),
    ROW("frag.mask", "", "the mask of a covered pixel", "mov r2, ms_mask", "odd"),
    ROW("frag.vary", "varying_c_in_r5", "varyings with small whole steps",
        VARYING ROUND "mov r2, r0|" VARYING ROUND "mov r2, r0\n" VARYING ROUND
                      "sub r2, r2, r0\n" VARYING ROUND "add r2, r2, r0",
        "linear"),
    ROW("frag.vary.equal", "varying_c_in_r5", "varyings that all corners have in common",
        VARYING
        "mov r2, r0|mov r0, vary\nmov r2, r5|mov r0, vary\nmov r1, vary\nfmul r2, r1, ra15\nfadd r2, r2, r5",
        "equal"),
    ROW("frag.vary.flat", "flat_last_vertex", "varyings without interpolation",
        VARYING "mov r2, r0|mov r0, vary\nmov r2, r5", "flat"),
    ROW("frag.vary.order", "varying_c_in_r5", "varyings in order, C for the instruction after each",
        "mov r0, vary\nmov r1, r5; fmul r0, r0, ra15\nfadd r2, r0, r1; fmul r0, vary, ra15\nfadd r0, r0, r5\n"
        "fsub r2, r2, r0\nmov r0, vary\nfadd r2, r2, r5",
        "linear"),
    ROW("frag.vary.many", "varying_c_in_r5", "thirty-two varyings", "mov r2, 0\n" EIGHT EIGHT EIGHT EIGHT,
        "equal"),
    ROW("frag.vary.bits", "varyings_by_planes", "varyings to the last bit",
        VARYING "mov r2, r0|mov r2, vary|mov r0, vary\nmov r2, r5|" VARYING "mov r2, r0\n" VARYING
                "fadd r2, r2, r0",
        "random"),
    ROW("frag.vary.perspective", "varyings_by_planes", "varyings over different W",
        VARYING "mov r2, r0|mov r2, vary|mov r0, vary\nmov r2, r5", "random perspective"),
    ROW("frag.vary.large", "varying_c_in_r5 varyings_by_planes", "whole steps over different W",
        VARYING ROUND "shr r2, r0, 4|" VARYING VARYING ROUND "shr r2, r0, 4", "linear perspective"),
    ROW("frag.w", "payload_in_15 varyings_by_planes w_by_reciprocal", "W in ra15", "mov r2, ra15",
        "perspective"),
    ROW("frag.lanes.equal", "lanes_without_pixel_hold_planes",
        "lanes without a pixel have a varying that all corners have in common",
        VARYING "nop\nnop; mov.rot4 r1, r0\nsub r2, r1, r0|" VARYING
                "nop\nnop; mov.rot8 r1, r0\nsub r2, r1, r0|" VARYING
                "nop\nnop; mov.rot12 r1, r0\nsub r2, r1, r0",
        "equal few"),
    ROW("frag.helper", "helper_pixels_live", "neighbours that are not covered have the primitive's values",
        VARYING ROUND
        "mov r3, r0\nnop\nnop; mov.rot1 r1, r3\nsub r2, r3, r1\nand r1, elem_num, 1\n"
        "sub.setf nop, r1, 1\nmov.zc r2, 0|"
        "mov r0, vary\nmov r3, x_coord\nnop\nnop; mov.rot2 r1, r3\nsub r2, r3, r1\nand r1, elem_num, 2\n"
        "sub.setf nop, r1, 2\nmov.zc r2, 0",
        "linear odd"),
    ROW("frag.lanes", "lanes_without_pixel_hold_planes", "a loop that only lanes with a pixel bound",
        VARYING ROUND "mov r2, 0\nasr r3, r0, 3\nnop\nagain:\nsub.setf r3, r3, 1\nbrr.anynn again\n"
                      "add.nc r2, r2, 1\nnop\nnop",
        "linear few"),
};

static const struct row tiles[] = {
    ROW("tlb.z", "z_is_24_bits", "Z in rb15 where it is the same everywhere", "mov r2, rb15", NULL),
    ROW("tlb.z.slope", "z_is_24_bits", "Z in rb15 on a slope", "mov r2, rb15", "slope"),
    ROW("tlb.z.convert", "z_is_24_bits", "Z as a float", "itof r2, rb15", "slope"),
    WHOLE("tlb.discard", "discard_by_z", "a Z write under a condition, then colour",
          BODY_PROLOGUE BY_PIXEL "mov r2, r0\nmov.ns tlbz, rb15" BODY_EPILOGUE "|" BODY_PROLOGUE BY_PIXEL
                                 "mov r2, r0\nmov.zc tlbz, rb15" BODY_EPILOGUE),
    WHOLE("tlb.conditional", "tlb_writes_conditional discard_by_z", "Z and colour under a condition",
          BODY_PROLOGUE BY_PIXEL
          "mov.ns tlbz, rb15\nmov.ns tlbc, r0\nnop; nop; thrend\nnop\nnop; nop; sbdone\n|" BODY_PROLOGUE
              BY_PIXEL "mov.cs tlbc, r1\nnop; nop; thrend\nnop\nnop; nop; sbdone\n"),
    WHOLE("tlb.wait", "tile_access_waits", "the first access without a signal before it",
          BODY_PROLOGUE "xor r2, r0, r1" BODY_EPILOGUE),
    WHOLE("tlb.wait.signal", "", "a signal before the first access",
          BODY_PROLOGUE "nop; nop; sbwait\nxor r2, r0, r1" BODY_EPILOGUE),
    WHOLE("tlb.last", "colour_write_last", "the colour in the very last instruction",
          BODY_PROLOGUE
          "xor r2, r0, r1\nnop; nop; sbwait\nnop; nop; thrend\nnop\nmov tlbc, r2; nop; sbdone\n"),
    WHOLE("tlb.mask", "mask_narrowed", "the mask narrowed before colour",
          BODY_PROLOGUE BY_PIXEL
          "mov r3, 1\nmov.ns r3, 0\nand ms_mask, ms_mask, r3\nmov r2, r0\nnop" BODY_EPILOGUE),
    WHOLE("tlb.z.end", "z_write_near_end", "a Z write in the fourth instruction from the end",
          BODY_PROLOGUE "xor r2, r0, r1\nmov tlbz, rb15\nmov tlbc, r2; nop; thrend\nnop\nnop; nop; sbdone\n"),
    WHOLE("tlb.load.z", "load_after_z", "the colour loaded behind the Z write",
          BODY_PROLOGUE "mov tlbz, rb15\nnop; nop; loadc\nxor r2, r4, r1" BODY_EPILOGUE),
    WHOLE("tlb.load", "", "the colour that is there",
          BODY_PROLOGUE "nop; nop; loadc\nadd r2, r4, r0" BODY_EPILOGUE),
};

const struct row_section section_frag = SECTION("frag", "what fragment shaders are given", fragments);
const struct row_section section_tlb = SECTION("tlb", "Z, masks and the tile buffer", tiles);
