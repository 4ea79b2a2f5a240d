/* Rows of section tmu: what lookups of textures deliver. */
#include "rows.h"

#define ROW(name, assumptions, what, text, pattern)                                                          \
    { "tmu." name, assumptions, what, build_textures, text, pattern, OPERANDS_INTS, false }

#define PLAIN "mov t0t, r1\nmov t0s, r0"
#define BIASED "mov t0t, r1\nmov t0b, r2\nmov t0s, r0"
#define THIRD "mov t0t, r1\nmov t0r, r2\nmov t0s, r0"
/* Each texel has 4 by 4 pixels of 16 by 16 of them; steps of odd weights; beyond both edges. */
#define TEXELS " map 0.015625 0.015625 0 0"
#define WEIGHTS " map 0.009033203125 0.010009765625 0.0001220703125 0.0001220703125"
#define BEYOND " map 0.046875 0.046875 -1.0 -1.0"
#define FORMAT(format, assumptions)                                                                          \
    ROW("format." format, assumptions, "texels of " format, PLAIN, format " 16x16" TEXELS)
#define BOTH(name, assumptions, what, rest)                                                                  \
    ROW(name, assumptions, what, PLAIN, "rgba8888 16x16" rest),                                              \
        ROW(name ".linear", assumptions, what ", filtered", PLAIN,                                           \
            "rgba8888 16x16 mag linear min linear" rest)
#define LEVELS(name, what, filter, map)                                                                      \
    ROW(name, "level_of_detail level_choice", what, PLAIN,                                                   \
        "rgba8888 64x64 levels 7 wrap repeat min " filter " map " map " 0 0")

/* Lookups by addresses, of the operands of bodies. */
#define DIRECT(name, assumptions, what, text)                                                                \
    {                                                                                                        \
        "tmu." name, assumptions, what, build_programs, text, BODY_INDEX "$" BODY_EPILOGUE, OPERANDS_INTS,   \
            false                                                                                            \
    }

static const struct row rows[] = {
    ROW("order", "texture_words_in_order texture_words_absent_are_zero", "T first, then S", PLAIN,
        "rgba8888 16x16" TEXELS),
    ROW("order.third", "texture_words_in_order", "three words in another order",
        "mov t0b, r2\nmov t0t, r1\nmov t0s, r0", "rgba8888 16x16" TEXELS " 0"),
    ROW("absent", "texture_words_absent_are_zero", "a lookup of three words, the third zero", THIRD,
        "rgba8888 16x16" TEXELS " 0"),
    FORMAT("rgba8888", "texel_channels_in_order"),
    FORMAT("rgbx8888", "texel_channels_in_order"),
    FORMAT("rgba4444", "texel_expansion"),
    FORMAT("rgba5551", "texel_expansion"),
    FORMAT("rgb565", "texel_expansion"),
    FORMAT("luminance", ""),
    FORMAT("alpha", ""),
    FORMAT("lumalpha", "lumalpha_bytes"),
    FORMAT("s16f", "texel_single_samples"),
    FORMAT("s8", "texel_single_samples"),
    FORMAT("s16", "texel_single_samples"),
    FORMAT("rgba32r", ""),
    FORMAT("etc1", "etc1_rows"),
    ROW("format.etc1.flip", "etc1_rows", "texels of etc1 with the flip", PLAIN, "etc1 16x16 flip" TEXELS),
    ROW("format.tiles", "", "a texture in T format", PLAIN, "rgba8888 128x128" TEXELS),
    ROW("format.tiles.bytes", "", "bytes in T format", PLAIN, "luminance 128x128" TEXELS),
    ROW("format.odd", "", "a size that is no power of two", PLAIN, "rgba8888 100x60" TEXELS),
    BOTH("nearest", "nearest_texel", "texels between their centres", TEXELS),
    ROW("nearest.odd", "nearest_texel", "of a width of 13", PLAIN, "rgba8888 13x11 wrap clamp" WEIGHTS),
    ROW("filter", "filter_weights_7_bits", "weights of all steps", PLAIN,
        "rgba8888 16x16 mag linear min linear" WEIGHTS),
    ROW("filter.byte", "filter_by_byte", "filtered rgb565", PLAIN,
        "rgb565 16x16 mag linear min linear" WEIGHTS),
    ROW("filter.luminance", "filter_by_byte", "filtered luminance", PLAIN,
        "luminance 16x16 mag linear min linear" WEIGHTS),
    ROW("filter.lumalpha", "filter_by_byte lumalpha_bytes", "filtered lumalpha", PLAIN,
        "lumalpha 16x16 mag linear min linear" WEIGHTS),
    ROW("filter.half", "filter_of_halves", "filtered floats of 16 bits", PLAIN,
        "s16f 16x16 mag linear min linear" WEIGHTS),
    BOTH("wrap.repeat", "wrap_modes", "repeated images", " wrap repeat" BEYOND),
    BOTH("wrap.clamp", "wrap_modes", "clamped images", " wrap clamp" BEYOND),
    BOTH("wrap.mirror", "wrap_modes", "mirrored images", " wrap mirror" BEYOND),
    ROW("wrap.odd", "wrap_modes", "mirrored images of 13 by 11", PLAIN, "rgba8888 13x11 wrap mirror" BEYOND),
    ROW("border", "border_from_r", "the border's colour", THIRD, "rgba8888 16x16 wrap border" BEYOND " 0.7"),
    ROW("border.linear", "border_from_r", "filtered with the border", THIRD,
        "rgba8888 16x16 wrap border mag linear min linear" BEYOND " 0.7"),
    ROW("border.absent", "border_from_r texture_words_absent_are_zero", "a border without R", PLAIN,
        "rgba8888 16x16 wrap border" BEYOND),
    LEVELS("lod", "levels of whole powers of two", "nearest_nearest", "0.0625 0.0625"),
    LEVELS("lod.longer", "steps of different length", "nearest_nearest", "0.0625 0.015625"),
    LEVELS("lod.longer.y", "with Y the longer one", "nearest_nearest", "0.015625 0.0625"),
    LEVELS("lod.choice", "steps of three texels", "nearest_nearest", "0.046875 0.046875"),
    LEVELS("lod.choice.low", "steps of two and a half", "nearest_nearest", "0.0390625 0.0390625"),
    LEVELS("lod.choice.linear", "filtered within the level", "linear_nearest", "0.046875 0.046875"),
    LEVELS("lod.blend", "blended levels", "nearest_linear", "0.046875 0.046875"),
    LEVELS("lod.blend.linear", "blended and filtered", "linear_linear", "0.04052734375 0.04052734375"),
    LEVELS("lod.last", "beyond the last level", "nearest_nearest", "3.0 3.0"),
    ROW("lod.odd", "level_of_detail level_choice", "levels of a width that is no power of two", PLAIN,
        "rgba8888 100x60 levels 6 min nearest_nearest map 0.03125 0.03125 0 0"),
    ROW("lod.rectangle", "level_of_detail level_choice", "levels of a texture that is wider than high", PLAIN,
        "rgba8888 128x16 levels 7 min nearest_nearest map 0.03125 0.03125 0 0"),
    ROW("lod.beyond", "level_of_detail level_choice", "steps of more than the image", PLAIN,
        "rgba8888 16x64 levels 7 wrap repeat min nearest_nearest map 2.0 0.0625 0 0"),
    ROW("lod.magnified", "level_of_detail level_choice", "linear magnification up to a half", PLAIN,
        "rgba8888 64x64 levels 7 wrap repeat mag linear min nearest_nearest map 0.01953125 0.01953125 0 0"),
    ROW("lod.minified", "level_of_detail level_choice", "and from there on nearest texels", PLAIN,
        "rgba8888 64x64 levels 7 wrap repeat mag linear min nearest_nearest map 0.0234375 0.0234375 0 0"),
    ROW("bias", "bias_added", "a bias of one", BIASED,
        "rgba8888 64x64 levels 7 min nearest_nearest map 0.0625 0.0625 0 0 1"),
    ROW("bias.negative", "bias_added", "a bias of minus one", BIASED,
        "rgba8888 64x64 levels 7 min nearest_nearest map 0.0625 0.0625 0 0 -1"),
    ROW("bias.blend", "bias_added level_choice", "a bias between levels", BIASED,
        "rgba8888 64x64 levels 7 min linear_linear map 0.0625 0.0625 0 0 0.71875"),
    ROW("bslod", "bias_is_level", "the level itself", BIASED,
        "rgba8888 64x64 levels 7 min nearest_nearest level map 0.015625 0.015625 0 0 2"),
    ROW("bslod.zero", "bias_is_level", "level 0 where the steps are long", BIASED,
        "rgba8888 64x64 levels 7 min nearest_nearest level map 0.0625 0.0625 0 0 0"),
    ROW("cube", "cube_faces", "the face of Z", THIRD, "rgba8888 16x16 cube map 0.03125 0.03125 -1 -1 1"),
    ROW("cube.back", "cube_faces", "the face of -Z", THIRD,
        "rgba8888 16x16 cube map 0.03125 0.03125 -1 -1 -1"),
    ROW("cube.x", "cube_faces", "the face of X", "mov t0t, r1\nmov t0r, r0\nmov t0s, r2",
        "rgba8888 16x16 cube map 0.03125 0.03125 -1 -1 1"),
    ROW("cube.x.back", "cube_faces", "the face of -X", "mov t0t, r1\nmov t0r, r0\nmov t0s, r2",
        "rgba8888 16x16 cube map 0.03125 0.03125 -1 -1 -1"),
    ROW("cube.y", "cube_faces", "the face of Y", "mov t0t, r2\nmov t0r, r1\nmov t0s, r0",
        "rgba8888 16x16 cube map 0.03125 0.03125 -1 -1 1"),
    ROW("cube.y.back", "cube_faces", "the face of -Y", "mov t0t, r2\nmov t0r, r1\nmov t0s, r0",
        "rgba8888 16x16 cube map 0.03125 0.03125 -1 -1 -1"),
    ROW("cube.edge", "cube_faces", "where three faces meet", THIRD,
        "rgba8888 16x16 cube map 0.03125 0.03125 -1.015625 -1.015625 1"),
    ROW("cube.linear", "cube_faces wrap_modes", "a filtered cube map to its edges", THIRD,
        "rgba8888 16x16 cube mag linear min linear map 0.03125 0.03125 -1 -1 1"),
    ROW("wrap.cube", "wrap_modes", "the texels at a face's edges", THIRD,
        "rgba8888 4x4 cube mag linear min linear map 0.03125 0.03125 -1 -1 1"),
    ROW("child", "child_images", "a window of a texture", "mov t0t, r1\nmov t0b, 0\nmov t0r, 0\nmov t0s, r0",
        "rgba8888 64x64 child 16 16 21 13" TEXELS),
    ROW("child.wrap", "child_images", "a window that repeats",
        "mov t0t, r1\nmov t0b, 0\nmov t0r, 0\nmov t0s, r0",
        "rgba8888 64x64 wrap repeat child 16 16 21 13" BEYOND),
    DIRECT("direct", "direct_lookup", "words by addresses that fall",
           "movi r3, 0x3ffc\nsub r1, r3, r1\n" BODY_REQUEST("t0") BODY_REQUEST("t1") BODY_RECEIVE
           "sub r2, r0, r1"),
    DIRECT("direct.scattered", "direct_lookup", "words by addresses that are far apart",
           "movi r3, 0x3ffc\nmul24 r1, r1, 13\nand r1, r1, r3\n" BODY_REQUEST("t0") BODY_REQUEST("t1")
               BODY_RECEIVE "sub r2, r0, r1"),
    DIRECT("direct.bounds", "direct_lookup", "addresses below and beyond a buffer's",
           "movi r3, 0x2000\nsub r1, r1, r3\nadd r1, r1, r1\n" BODY_REQUEST("t0") BODY_REQUEST("t1")
               BODY_RECEIVE "sub r2, r0, r1"),
    DIRECT("units", "units_swap_alike", "each unit's results are those of its requests",
           BODY_REQUEST("t0") BODY_REQUEST("t1") BODY_RECEIVE
           "mov rb5, r0; mov ra5, r1\nnop\nsub r2, ra5, rb5|" BODY_REQUEST("t1") BODY_REQUEST("t0")
               BODY_RECEIVE "sub r2, r0, r1|" BODY_REQUEST("t1")
                   BODY_REQUEST("t1") "nop; nop; ldtmu1\nmov r0, r4; nop; ldtmu1\nsub r2, r0, r4"),
    DIRECT("interleave", "units_interleave", "requests to the two units in turns",
           BODY_REQUEST("t0") BODY_REQUEST("t1") BODY_REQUEST("t0")
               BODY_REQUEST("t1") "nop; nop; ldtmu0\nmov r0, r4; nop; ldtmu1\nsub r0, r0, r4; nop; "
                                  "ldtmu1\nadd r0, r0, r4; nop; ldtmu0\n"
                                  "add r2, r0, r4"),
    DIRECT("fifo", "texture_fifo", "four results that wait in a unit",
           BODY_REQUEST("t0") BODY_REQUEST("t0") BODY_REQUEST("t0")
               BODY_REQUEST("t0") "nop; nop; ldtmu0\nmov r0, r4; nop; ldtmu0\nsub r0, r0, r4; nop; "
                                  "ldtmu0\nadd r0, r0, r4; nop; ldtmu0\n"
                                  "xor r2, r0, r4"),
};

const struct row_section section_tmu = SECTION("tmu", "what lookups of textures deliver", rows);
