/* Validation of the state key: every member within its range, no member that contradicts another.
 *
 * Requires: nothing; any bytes are a question that has an answer. A member's range is a line of a table. */
#include "compiler/state.h"

#include <stdio.h>
#include <string.h>

struct member {
    const char *name;
    size_t offset, count; /* bytes from the start of the struct; how many of them in a row */
    unsigned limit;       /* the least value that is too large */
};

#define MEMBER(type, name, limit)                                                                            \
    { #name, offsetof(struct type, name), sizeof(((struct type *)0)->name), limit }
enum { BOOLEAN = 2, MASK = 256 };

static const struct member key[] = {
    MEMBER(qpucc_state, primitive, QPUCC_POINTS + 1),
    MEMBER(qpucc_state, depth_test, BOOLEAN),
    MEMBER(qpucc_state, flip_y, BOOLEAN),
    MEMBER(qpucc_state, point_size, QPUCC_POINT_SIZE_COUNT),
    MEMBER(qpucc_state, point_size_clamp, BOOLEAN),
    MEMBER(qpucc_state, point_lower_left, BOOLEAN),
    MEMBER(qpucc_state, coord_replace, MASK),
    MEMBER(qpucc_state, flat_shade, BOOLEAN),
    MEMBER(qpucc_state, two_sided, BOOLEAN),
    MEMBER(qpucc_state, clip_planes, MASK),
    MEMBER(qpucc_state, fog, QPUCC_FOG_COUNT),
    MEMBER(qpucc_state, fog_source, QPUCC_FOG_SOURCE_COUNT),
    MEMBER(qpucc_state, fog_per_vertex, BOOLEAN),
    MEMBER(qpucc_state, line_smooth, BOOLEAN),
    MEMBER(qpucc_state, line_stipple, BOOLEAN),
    MEMBER(qpucc_state, area_stipple, QPUCC_STIPPLE_COUNT),
    MEMBER(qpucc_state, chroma_key, QPUCC_CHROMA_COUNT),
    MEMBER(qpucc_state, multisample, BOOLEAN),
    MEMBER(qpucc_state, alpha_to_coverage, BOOLEAN),
    MEMBER(qpucc_state, alpha_to_one, BOOLEAN),
    MEMBER(qpucc_state, sample_mask, BOOLEAN),
    MEMBER(qpucc_state, alpha_func, QPUCC_FUNC_COUNT),
    MEMBER(qpucc_state, stencil, QPUCC_STENCIL_COUNT),
    MEMBER(qpucc_state, stencil_masks, BOOLEAN),
    MEMBER(qpucc_state, blend.enable, BOOLEAN),
    MEMBER(qpucc_state, blend.rgb_equation, QPUCC_BLEND_EQUATION_COUNT),
    MEMBER(qpucc_state, blend.rgb_source, QPUCC_FACTOR_COUNT),
    MEMBER(qpucc_state, blend.rgb_target, QPUCC_FACTOR_COUNT),
    MEMBER(qpucc_state, blend.alpha_equation, QPUCC_BLEND_EQUATION_COUNT),
    MEMBER(qpucc_state, blend.alpha_source, QPUCC_FACTOR_COUNT),
    MEMBER(qpucc_state, blend.alpha_target, QPUCC_FACTOR_COUNT),
    MEMBER(qpucc_state, target, QPUCC_TARGET_COUNT),
    MEMBER(qpucc_state, target_opaque, BOOLEAN),
    MEMBER(qpucc_state, srgb_write, BOOLEAN),
    MEMBER(qpucc_state, dither, BOOLEAN),
    MEMBER(qpucc_state, logic_op, QPUCC_LOGIC_OP_COUNT),
    MEMBER(qpucc_state, keep_channels, 16),
};

static const struct member texture[] = {
    MEMBER(qpucc_texture_state, format, QPUCC_TEX_FORMAT_COUNT),
    MEMBER(qpucc_texture_state, swizzle, QPUCC_SWIZZLE_COUNT),
    MEMBER(qpucc_texture_state, srgb, BOOLEAN),
    MEMBER(qpucc_texture_state, rectangle, BOOLEAN),
    MEMBER(qpucc_texture_state, compare, QPUCC_COMPARE_COUNT),
    MEMBER(qpucc_texture_state, border, BOOLEAN),
    MEMBER(qpucc_texture_state, yuv, QPUCC_YUV_COUNT),
    MEMBER(qpucc_texture_state, yuv_matrix, QPUCC_YUV_MATRIX_COUNT),
    MEMBER(qpucc_texture_state, plane, QPUCC_MAX_TEXTURES),
};

static const struct member attribute[] = {
    MEMBER(qpucc_attribute_state, type, QPUCC_ATTR_TYPE_COUNT),
    MEMBER(qpucc_attribute_state, normalized, QPUCC_ATTR_NORMALIZED_COUNT),
    MEMBER(qpucc_attribute_state, components, 5),
    MEMBER(qpucc_attribute_state, bgra, BOOLEAN),
};

static bool refuse(struct qpucc_program *program, const char *where, const char *name, const char *why) {
    program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "state", "state", 0, 0, "%s%s%s", where, name,
                     why);
    return false;
}

static bool in_range(struct qpucc_program *program, const void *data, const struct member *members,
                     size_t count, const char *where) {
    for (size_t m = 0; m < count; m++)
        for (size_t k = 0; k < members[m].count; k++) {
            unsigned value = ((const uint8_t *)data)[members[m].offset + k];
            char why[80];
            if (value < members[m].limit)
                continue;
            snprintf(why, sizeof why, " is %u, but %u is the largest that there is", value,
                     members[m].limit - 1);
            return refuse(program, where, members[m].name, why);
        }
    return true;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool check_texture(struct qpucc_program *program, const struct qpucc_texture_state *t, unsigned unit) {
    char where[32];
    snprintf(where, sizeof where, "texture[%u].", unit);
    if (!in_range(program, t, texture, COUNT(texture), where))
        return false;
    if (t->yuv && t->format)
        return refuse(program, where, "format", " must be RGBA where yuv is set: the planes have no other");
    return true;
}

static bool check_attribute(struct qpucc_program *program, const struct qpucc_attribute_state *a,
                            unsigned number) {
    char where[32];
    bool packed = a->type >= QPUCC_ATTR_INT_2_10_10_10_REV;
    snprintf(where, sizeof where, "attribute[%u].", number);
    if (!in_range(program, a, attribute, COUNT(attribute), where))
        return false;
    if (packed && a->components && a->components < 4)
        return refuse(program, where, "components", " must be 4 or 0: the type packs four in a word");
    if (a->bgra && !packed && (a->type != QPUCC_ATTR_UBYTE || a->components != 4))
        return refuse(program, where, "bgra", " wants four components of an unsigned byte, or a packed type");
    return true;
}

/* What follows the fragment shader. */
static bool check_output(struct qpucc_program *program, const struct qpucc_state *s) {
    static const char without_samples[] = " needs multisample", without_lines[] = " needs lines";
    const struct qpucc_blend_state *blend = &s->blend;
    bool advanced =
        blend->rgb_equation >= QPUCC_BLEND_MULTIPLY || blend->alpha_equation >= QPUCC_BLEND_MULTIPLY;
    bool floats = s->target == QPUCC_TARGET_RGBA16F;
    if (s->line_smooth && s->primitive != QPUCC_LINES)
        return refuse(program, "", "line_smooth", without_lines);
    if (s->line_stipple && s->primitive != QPUCC_LINES)
        return refuse(program, "", "line_stipple", without_lines);
    if (s->fog && s->fog_per_vertex && s->fog_source == QPUCC_FOG_DEPTH)
        return refuse(program, "", "fog_per_vertex", " excludes fog_source DEPTH: window Z is a fragment's");
    if (s->alpha_to_coverage && !s->multisample)
        return refuse(program, "", "alpha_to_coverage", without_samples);
    if (s->alpha_to_one && !s->multisample)
        return refuse(program, "", "alpha_to_one", without_samples);
    if (s->sample_mask && !s->multisample)
        return refuse(program, "", "sample_mask", without_samples);
    if (s->stencil_masks && !s->stencil)
        return refuse(program, "", "stencil_masks", " needs stencil");
    if (blend->enable && advanced && blend->rgb_equation != blend->alpha_equation)
        return refuse(program, "", "blend.alpha_equation",
                      " must be blend.rgb_equation where one is advanced");
    if (s->logic_op && blend->enable)
        return refuse(program, "", "logic_op", " excludes blend.enable: GL does not blend then");
    if (s->logic_op && (floats || s->srgb_write))
        return refuse(program, "", "logic_op", " has no meaning for float and sRGB targets");
    if (s->srgb_write && floats)
        return refuse(program, "", "srgb_write", " has no meaning for a float target");
    return true;
}

bool state_check(struct qpucc_program *program, const struct qpucc_state *state) {
    bool ok = in_range(program, state, key, COUNT(key), "") && check_output(program, state);
    for (unsigned i = 0; ok && i < QPUCC_MAX_TEXTURES; i++)
        ok = check_texture(program, &state->texture[i], i);
    for (unsigned i = 0; ok && i < QPUCC_MAX_ATTRIBUTES; i++)
        ok = check_attribute(program, &state->attribute[i], i);
    return ok;
}
