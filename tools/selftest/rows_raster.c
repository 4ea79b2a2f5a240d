/* Rows of sections raster and clip: which pixels primitives have, and what is made of those that lie partly
 * outside. */
#include "rows.h"

#define ROW(name, assumptions, what, text, pattern)                                                          \
    { name, assumptions, what, build_shapes, text, pattern, OPERANDS_INTS, false }

#define COUNT "nop\nnop\nnop; nop; loadc\nadd r2, r4, 1"
#define DEPTH "mov r2, rb15"
#define SKIP "mov r0, vary\n"
#define VARYING "fmul r0, vary, ra15\nfadd r0, r0, r5\n"
/* From 0 to 1 in 32 steps: a pixel's centre is in the middle of one when there are 16 of them. */
#define STEPS "fmul r0, r0, 32.0\nfadd r0, r0, 0.5\nftoi r2, r0"

static const struct row rasters[] = {
    ROW("raster.edges", "top_left_rule", "edges through centres of pixels", COUNT,
        "triangles: 8.5 8.5, 40.5 8.5, 8.5 40.5, 40.5 8.5, 40.5 40.5, 8.5 40.5"),
    ROW("raster.edges.reverse", "top_left_rule", "the same the other way round", COUNT,
        "triangles: 8.5 8.5, 8.5 40.5, 40.5 8.5, 40.5 8.5, 8.5 40.5, 40.5 40.5"),
    ROW("raster.edges.fan", "top_left_rule", "edges of all slopes that meet in one centre", COUNT,
        "triangles: 32.5 32.5, 2 3, 20 1, 32.5 32.5, 20 1, 45 4, 32.5 32.5, 45 4, 61 20, 32.5 32.5, 61 20, "
        "60 44, "
        "32.5 32.5, 60 44, 40 62, 32.5 32.5, 40 62, 17 60, 32.5 32.5, 17 60, 3 41, 32.5 32.5, 3 41, 2 3"),
    ROW("raster.edges.thin", "top_left_rule", "triangles narrower than a pixel", COUNT,
        "triangles: 3 3, 60 20, 60 20.5, 3 60, 20.25 4, 20.75 4.25, 1 30.5, 63 30.4, 63 30.6"),
    ROW("raster.edges.sixteenths", "top_left_rule screen_xy_relative", "corners in sixteenths of a pixel",
        COUNT, "strip: 10.4375 10.4375, 20.5625 10.5, 10.5 20.5625, 20.4375 20.4375, 30.5625 9.5"),
    ROW("raster.z", "z_rounds_to_nearest", "Z on slopes", DEPTH,
        "triangles: 2 2 0.1, 61 5 0.7, 7 60 0.35, 61 5 0.7, 60 61 0.93, 7 60 0.35"),
    ROW("raster.z.small", "z_rounds_to_nearest", "Z that grows by less than its last bit", DEPTH,
        "strip: 0 0 0.5, 64 0 0.500001, 0 64 0.5000005, 64 64 0.500002"),
    ROW("raster.points", "points_are_squares", "a point of four and a half pixels", SKIP SKIP "mov r2, 1",
        "points size 4.5: 20.5 20.5, 40.25 33.75, 10 50, 50.4375 11.5625"),
    ROW("raster.points.one", "points_are_squares", "points of one pixel and less", SKIP SKIP "mov r2, 1",
        "points size 1: 20.5 20.5, 30 20, 40.25 20.75, 50.5 20.4375"),
    ROW("raster.points.large", "points_are_squares", "a point that is larger than its tile",
        SKIP SKIP "mov r2, 1", "points size 70: 32 32"),
    ROW("raster.points.outside", "points_are_squares points_by_guard_band", "points whose centre is outside",
        SKIP SKIP "mov r2, 1", "points size 40: -9.5 20.5, 70.25 75.75"),
    ROW("raster.points.most", "points_are_squares points_by_guard_band points_of_512",
        "a point of 528, which reaches as far as one of 512", SKIP SKIP "mov r2, 1",
        "points size 528: 290.5 32.5"),
    ROW("raster.points.s", "point_coordinates point_words_first", "S of a point", VARYING STEPS "\n" SKIP,
        "points size 16: 24 24, 48 48"),
    ROW("raster.points.t", "point_coordinates point_words_first", "T of a point", SKIP VARYING STEPS,
        "points size 16: 24 24, 48 48"),
    ROW("raster.points.varying", "point_words_first", "a varying of points", SKIP SKIP VARYING "ftoi r2, r0",
        "points size 8: 10 10 0.5 1 7, 30 30 0.5 1 9, 50 50 0.5 2 11"),
    ROW("raster.lines", "lines_by_gl", "lines of one pixel in eight directions", SKIP COUNT,
        "lines: 32.5 32.5, 60.5 32.5, 32.5 32.5, 60.5 50.5, 32.5 32.5, 50.5 60.5, 32.5 32.5, 32.5 60.5, "
        "32.5 32.5, 4.5 50.5, 32.5 32.5, 4.5 20.5, 32.5 32.5, 20.5 4.5, 32.5 32.5, 50.5 4.5"),
    ROW("raster.lines.between", "lines_by_gl", "lines between centres of pixels", SKIP COUNT,
        "lines: 5 10, 50 10, 5 20.25, 50 30.75, 10 35, 10 60, 20.25 35, 29 60, 40 50, 41 50, 45 50, 45.25 "
        "50"),
    ROW("raster.lines.wide", "lines_by_gl", "lines of three and a half pixels", SKIP COUNT,
        "lines width 3.5: 5 20.5, 40 20.5, 50.5 5, 50.5 40, 5 30, 40 50, 10 45, 15 60"),
    ROW("raster.lines.diagonal", "lines_by_gl", "lines as long along X as along Y", SKIP COUNT,
        "lines width 3: 5 5.25, 40 40.25, 50.5 20, 30.5 40, 60 60, 40 40"),
    ROW("raster.lines.loop", "lines_by_gl", "where lines of a loop meet", SKIP COUNT,
        "loop: 10.5 10.5, 50.5 10.5, 50.5 50.5, 10.5 50.5"),
    ROW("raster.lines.across", "point_words_first", "the word before a line's varyings", VARYING STEPS,
        "lines width 16: 8 32, 56 32"),
    ROW("raster.lines.varying", "point_words_first", "a varying along lines",
        SKIP VARYING "fadd r0, r0, 0.5\nftoi r2, r0",
        "lines: 4.5 20.5 0.5 1 0, 36.5 20.5 0.5 1 320, 20.5 30.5 0.5 1 5, 20.5 62.5 0.5 1 5"),
    ROW("raster.offset", "offset_of_slope_and_units", "depth offset by units", DEPTH,
        "triangles offset 0 4: 2 2 0.3, 61 5 0.3, 7 60 0.3"),
    ROW("raster.offset.factor", "offset_of_slope_and_units", "depth offset by slope", DEPTH,
        "triangles offset 3 0: 2 2 0.1, 61 5 0.7, 7 60 0.35"),
    ROW("raster.offset.negative", "offset_of_slope_and_units", "depth offset by both, below zero", DEPTH,
        "triangles offset -1.5 -100: 2 2 0.1, 61 5 0.7, 7 60 0.35"),
    ROW("raster.offset.lines", "offset_of_triangles", "lines while depth offset is on", SKIP DEPTH,
        "lines offset 2 1000: 2 2 0.1, 61 5 0.7"),
    ROW("raster.offset.points", "offset_of_triangles", "points while depth offset is on", SKIP SKIP DEPTH,
        "points size 5 offset 2 1000: 20 20 0.25, 40 40 0.75"),
};

static const struct row clips[] = {
    ROW("clip.near", "clip_planes", "a triangle with a corner in front of the near plane", COUNT,
        "triangles: 8 8 0.3, 56 8 -0.45, 8 57 0.3"),
    ROW("clip.near.two", "clip_planes", "with two", COUNT, "triangles: 8 8 0.3, 56 8 -0.45, 8 57 -0.2"),
    ROW("clip.near.lines", "clip_planes", "lines through the near and the far plane", SKIP COUNT,
        "lines: 4.5 8.5 0.5, 60.5 8.5 -0.6, 4.5 20.5 0.5, 60.5 24.5 1.7, 8.5 30.5 -0.25, 40.5 60.5 1.25"),
    ROW("clip.far", "clip_planes", "a triangle with a corner behind the far plane", COUNT,
        "triangles: 8 8 0.7, 56 8 1.35, 8 57 0.9"),
    ROW("clip.w", "clip_planes clip_rounds_to_nearest", "corners of different W", COUNT,
        "triangles: 8 8 0.3 2, 56 8 -0.45 0.5, 8 57 0.3 3"),
    ROW("clip.sign", "clip_scale_signed", "the near plane while the clip space stands on its head", COUNT,
        "triangles flipped: 8 8 0.3, 56 8 -0.45, 8 57 0.3"),
    ROW("clip.sign.far", "clip_scale_signed", "the far plane", COUNT,
        "triangles flipped: 8 8 0.7, 56 8 1.35, 8 57 0.9"),
    ROW("clip.sign.lines", "clip_scale_signed", "and lines", SKIP COUNT,
        "lines flipped: 4.5 8.5 0.5, 60.5 8.5 -0.6, 4.5 20.5 0.5, 60.5 24.5 1.7, 8.5 30.5 -0.25, 40.5 60.5 "
        "1.25"),
    ROW("clip.round", "clip_rounds_to_nearest", "the places of new corners, by the planes of Z", DEPTH,
        "triangles: 8 8 0.3, 56 8 -0.45, 8 57 0.31"),
    ROW("clip.round.two", "clip_rounds_to_nearest", "and of two", DEPTH,
        "triangles: 8 8 0.3, 57 9 -0.47, 7 58 -0.22"),
    ROW("clip.weights", "clip_weights_single", "a varying of what is clipped, to the last bit",
        VARYING "mov r2, r0", "triangles: 8 8 0.3 1 3.25, 56 8 -0.45 1 -7.5, 8 57 0.3 1 11.125"),
    ROW("clip.guard", "clip_guard_band", "a corner beyond the guard band", DEPTH,
        "triangles: 8 8 0.3, 3000 8 0.6, 8 57 0.3"),
    ROW("clip.guard.within", "clip_guard_band", "a corner within the guard band", DEPTH,
        "triangles: 8 8 0.3, 2000 8 0.6, 8 57 0.3"),
};

const struct row_section section_raster = SECTION("raster", "which pixels primitives have", rasters);
const struct row_section section_clip = SECTION("clip", "what clipping makes", clips);
