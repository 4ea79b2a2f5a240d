/* Rows of section target: tests of Z and stencil, samples, and what is loaded and stored. */
#include "rows.h"

#define ROW(name, assumptions, what, text, pattern)                                                          \
    { "target." name, assumptions, what, build_layers, text, pattern, OPERANDS_INTS, false }
#define SHAPE(name, assumptions, what, text, pattern)                                                        \
    { "target." name, assumptions, what, build_shapes, text, pattern, OPERANDS_INTS, false }

#define Z "mov tlbz, rb15\n"
#define FIRST "nop\nnop\n"
#define LAYER(color) FIRST Z "mov r2, " color
/* The function of Z in two draws: of different slopes, and of the same. */
#define FUNCTION(function)                                                                                   \
    ROW("z." function, "z_and_stencil_tests z_is_24_bits", "Z by " function, LAYER("1") "|" LAYER("2"),      \
        "rgba8888: always write z 0.2 0.8, " function " z 0.5 0.5"),                                         \
        ROW("z." function ".same", "z_and_stencil_tests z_is_24_bits", "equal Zs by " function,              \
            LAYER("1") "|" LAYER("2"), "rgba8888: always write z 0.2 0.8, " function " z 0.2 0.8")

#define STENCIL(word) "movi r3, " word "\nmov stencil, r3\n"
/* Shows the stencil: where bit n is set, 2^n is added to the colour. */
#define BIT(word, n) "|" STENCIL(word) Z "mov r0, " n "\nnop; nop; loadc\nadd r2, r4, r0"
#define SHOW                                                                                                 \
    BIT("0xf24a0101", "1")                                                                                   \
    BIT("0xf24a0202", "2")                                                                                   \
    BIT("0xf24a0404", "4")                                                                                   \
    BIT("0xf24a0808", "8")                                                                                   \
    "|" STENCIL("0xf24a1010") Z "movi r0, 16\nnop; nop; loadc\nadd r2, r4, r0|" STENCIL("0xf24a2020") Z      \
        "movi r0, 32\nnop; nop; loadc\nadd r2, r4, r0|" STENCIL("0xf24a4040") Z                              \
        "movi r0, 64\nnop; nop; loadc\nadd r2, r4, r0|" STENCIL("0xf24a8080") Z                              \
        "movi r0, 128\nnop; nop; loadc\nadd r2, r4, r0"
/* An operation on stencils that pass, from both ends of the range and between. */
#define OPERATION(name, word)                                                                                \
    ROW("stencil." name ".zero", "z_and_stencil_tests", name " of 0", STENCIL(word) LAYER("0") SHOW,         \
        "rgba8888 stencil 0: always"),                                                                       \
        ROW("stencil." name, "z_and_stencil_tests", name " of 0x37", STENCIL(word) LAYER("0") SHOW,          \
            "rgba8888 stencil 0x37: always"),                                                                \
        ROW("stencil." name ".most", "z_and_stencil_tests", name " of 255", STENCIL(word) LAYER("0") SHOW,   \
            "rgba8888 stencil 255: always")
#define MASK(code, word)                                                                                     \
    ROW("stencil.mask." code, "stencil_mask_last", "the write mask's code " code,                            \
        STENCIL(word) LAYER("0") SHOW, "rgba8888 stencil 0: always")
/* All values of a byte, four pixels of each. */
#define GREY                                                                                                 \
    "shl r0, x_coord, 2\nmov r1, y_coord\nand r1, r1, 3\nadd r0, r0, r1\nmovi r3, 0x00010101\nmul24 r2, "    \
    "r0, r3"

static const struct row rows[] = {
    FUNCTION("never"),
    FUNCTION("less"),
    FUNCTION("equal"),
    FUNCTION("lequal"),
    FUNCTION("greater"),
    FUNCTION("notequal"),
    FUNCTION("gequal"),
    FUNCTION("always"),
    ROW("z.kept", "z_and_stencil_tests", "Zs that are tested and not kept",
        LAYER("1") "|" LAYER("2") "|" LAYER("3"),
        "rgba8888: less z 0.2 0.8, less z 0.5 0.5, greater z 0.6 0.6"),
    OPERATION("set_zero", "0xf20f5aff"),
    OPERATION("keep", "0xf24f5aff"),
    OPERATION("replace", "0xf28f5aff"),
    OPERATION("increase", "0xf2cf5aff"),
    OPERATION("decrease", "0xf30f5aff"),
    OPERATION("invert", "0xf34f5aff"),
    OPERATION("increase_wrapping", "0xf38f5aff"),
    OPERATION("decrease_wrapping", "0xf3cf5aff"),
    MASK("0", "0xc28fffff"),
    MASK("1", "0xd28fffff"),
    MASK("2", "0xe28fffff"),
    MASK("3", "0xf28fffff"),
    ROW("stencil.mask", "stencil_mask_last", "a full mask behind the set-up",
        STENCIL("0xf28fffff") STENCIL("0x3c5a") LAYER("0") SHOW, "rgba8888 stencil 0: always"),
    ROW("stencil.back", "z_and_stencil_tests", "each side's own set-up, seen from the back",
        STENCIL("0x728f5aff") STENCIL("0xb28fa3ff") LAYER("0") SHOW,
        "rgba8888 stencil 0: always back, always"),
    ROW("stencil.front", "z_and_stencil_tests", "and from the front",
        STENCIL("0x728f5aff") STENCIL("0xb28fa3ff") LAYER("0") SHOW, "rgba8888 stencil 0: always"),
    ROW("stencil.fails", "z_and_stencil_tests", "a stencil that fails its test",
        STENCIL("0xf2535aff") LAYER("0") SHOW, "rgba8888 stencil 0x37: always"),
    ROW("stencil.z", "z_and_stencil_tests", "a stencil that passes where Z fails",
        LAYER("1") "|" STENCIL("0xf44f5aff") LAYER("0") SHOW,
        "rgba8888 stencil 0x37: always write z 0.2 0.8, less z 0.5 0.5, always"),
    ROW("clear", "clear_colours_by_column", "two clear colours", LAYER("1"),
        "rgba8888 clear 11223344 55667788: always"),
    ROW("store.565", "store_565", "colours of 16 bits", GREY, "565: always"),
    ROW("store.dithered", "store_565", "dithered colours of 16 bits", GREY, "dithered: always"),
    ROW("load.565", "store_565", "colours of 16 bits that are loaded",
        "nop\nnop\nnop; nop; loadc\nnot r2, r4", "rgba8888 load: always"),
    ROW("decimated", "decimation", "means of 2 by 2 pixels", GREY, "decimated: always"),
    ROW("dump", "full_dump_order", "a tile's colours as they are", GREY, "rgba8888 dump: always"),
    ROW("early", "early_z", "the stencil where early Z rejects",
        LAYER("0") "|" STENCIL("0xf64f5aff") LAYER("0") SHOW,
        "rgba8888 stencil 0x37: less write early z 0.2 0.6, less write early z 0.7 0.5, always"),
    SHAPE("places", "sample_places", "edges of four samples", "movi r2, 0xf0f0f0f0",
          "triangles samples: 3.25 4.5, 60.5 9.125, 13.75 59, 60.5 9.125, 61 60.25, 55.5 61"),
    SHAPE("places.mask", "sample_places", "which samples an edge covers", "shl r2, ms_mask, 4",
          "triangles samples: 3.25 4.5, 60.5 9.125, 13.75 59, 60.5 9.125, 61 60.25, 55.5 61"),
    SHAPE("resolve", "resolve_rounds_to_nearest sample_places", "means of four samples",
          "shl r0, x_coord, 15\nmov r1, y_coord\nshl r1, r1, 5\nadd r2, r0, r1\nadd r2, r2, x_coord",
          "triangles samples: 3.25 4.5, 60.5 9.125, 13.75 59, 60.5 9.125, 61 60.25, 55.5 61"),
    SHAPE("samples", "samples_in_order", "each sample's colour in the order of loads",
          "movi r2, 0x01010101|nop\nnop\nnop; nop; loadc\nmov r0, r4; nop; loadc\nadd r0, r0, r0\n"
          "add r0, r0, r4; nop; loadc\nadd r0, r0, r0\nadd r0, r0, r4; nop; loadc\nadd r0, r0, r0\nadd r2, "
          "r0, r4",
          "triangles samples layers: 3.25 4.5, 60.5 9.125, 13.75 59"),
    SHAPE("samples.z", "one_z_for_all_samples", "Z of samples at an edge",
          FIRST Z "movi r2, 0x40|" FIRST Z "movi r2, 0x80",
          "triangles samples layers: 3.25 4.5 0.2, 60.5 9.125 0.9, 13.75 59 0.5"),
    SHAPE("centre", "planes_of_centre", "W and Z where the centre is not covered", "mov r2, rb15",
          "triangles samples: 3.25 4.5 0.1, 60.5 9.125 0.8, 13.75 59 0.4"),
};

const struct row_section section_target = SECTION("target", "tests, samples, loads and stores", rows);
