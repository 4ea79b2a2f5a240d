/* Inside lower_stage: lookups. Their coordinates, planes and formats, each in a file of its own. */
#ifndef QPUCC_PASSES_LOWER_TEX_H
#define QPUCC_PASSES_LOWER_TEX_H

#include "passes/lower_stage.h"

/* What a lookup delivers: a word for each plane, one in most cases. */
struct lower_texel {
    const struct qpucc_texture_state *state;
    struct ir_inst *plane[3];
    struct ir_inst *odd; /* boolean, of packed YUV: the second of the word's two pixels */
};

/* A channel of the result, 0 to 3, or 4 for red before its swizzle (lower_texture_format.c). */
struct ir_inst *lower_texel_channel(struct ir_builder *b, const struct lower_texel *texel, uint32_t channel);
/* 1 where the comparison holds, else 0. */
struct ir_inst *lower_shadow(struct ir_builder *b, const struct qpucc_texture_state *state,
                             struct ir_inst *depth, struct ir_inst *reference);

/* Red, green or blue of a texel with planes (lower_yuv.c). */
struct ir_inst *lower_yuv_channel(struct ir_builder *b, const struct lower_texel *texel, uint32_t channel);
/* How many textures hold a picture of that kind. */
unsigned lower_yuv_planes(const struct qpucc_texture_state *state);
/* Moves s to the middle of the word that holds the pixel, in a texture of `width` words; *odd: which of the
 * two it is. */
struct ir_inst *lower_yuv_packed(struct ir_builder *b, struct ir_inst *s, struct ir_inst *width,
                                 struct ir_inst **odd);

#endif
