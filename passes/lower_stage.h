/* Inside lower_stage: the two stages and what they share. */
#ifndef QPUCC_PASSES_LOWER_STAGE_H
#define QPUCC_PASSES_LOWER_STAGE_H

#include "ir/ir.h"
#include "passes/passes.h"

/* VPM_OUT positions from here on are the clip coordinates, which only the coordinate shader writes: the two
 * shaders stay one until coordinate.c cuts them apart, so nothing can make their positions differ. */
#define LOWER_STAGE_CLIP 0x100u
/* The coordinate shader's Zs, where the vertex shader's (word 1) is made in another way. */
#define LOWER_STAGE_OWN_ZS (LOWER_STAGE_CLIP + 5)

/* Varyings that no shader declares, in vary_symbol_word and varying_words; UINT32_MAX is the hardware's own,
 * UINT32_MAX - 1 one that nobody writes. Fog is gl_FogFragCoord or, per vertex, the factor. */
#define LOWER_STAGE_FOG (UINT32_MAX - 2)
#define LOWER_STAGE_LINE_DISTANCE (UINT32_MAX - 3)
/* and the distances from clip planes 0 to 7, where the vertex shader has no such output */
#define LOWER_STAGE_CLIP_DISTANCE (UINT32_MAX - 16)
#define LOWER_CLIP_DISTANCE "gl_ClipDistance"

/* A word of driver state from the uniform stream, as a float; and one as I32. */
struct ir_inst *lower_stage_state(struct ir_builder *b, enum ir_state state);
struct ir_inst *lower_stage_bits(struct ir_builder *b, enum ir_state state);

/* False, with the reason in shader->refused: more varyings or attributes than the hardware has. */
bool lower_fragment(struct ir_shader *shader, const struct pass_options *options);
bool lower_vertex(struct ir_shader *shader, const struct pass_options *options);

/* Distances from the clip planes that the key enables, and the discards that they cause (lower_clip.c). */
void lower_clip(struct ir_shader *shader, const struct qpucc_state *state);

/* Flat and two-sided colours, texture coordinates of points (lower_compatibility.c). */
void lower_compatibility(struct ir_shader *shader, const struct qpucc_state *state);

/* Lookups as the units take them, TEXEL and SHADOW as arithmetic (lower_tex.c). */
void lower_tex(struct ir_shader *shader, const struct qpucc_state *state);

#endif
