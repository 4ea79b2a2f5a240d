/* Validation of the state key: every member within its range, no member that contradicts another.
 *
 * Requires: nothing; any bytes are a question that has an answer. A member's range is a line of a table. */
#include "compiler/state.h"

#include <stdio.h>
#include <string.h>

static const char *const primitive_words[] = {"triangles", "lines", "points"};
static const char *const format_words[] = {
    "rgba",      "rgbx",      "bgra",    "luminance", "alpha",      "luminance_alpha",
    "bgrx",      "intensity", "red",     "rg",        "rgba_snorm", "rg_snorm",
    "red_snorm", "r16",       "rg16",    "r16f",      "rg16f",      "r32f",
    "rgb10_a2",  "depth16",   "depth24", "depth32f"};
static const char *const swizzle_words[] = {"same", "red", "green", "blue", "alpha", "zero", "one"};
static const char *const compare_words[] = {"lequal", "less",     "gequal", "greater",
                                            "equal",  "notequal", "always", "never"};
static const char *const yuv_words[] = {"none", "3_planes", "2_planes", "yvu_2_planes", "yuyv", "uyvy"};
static const char *const yuv_matrix_words[] = {"bt601_video", "bt601_full", "bt709_video", "bt709_full"};
static const char *const type_words[] = {"float",
                                         "half",
                                         "fixed",
                                         "byte",
                                         "ubyte",
                                         "short",
                                         "ushort",
                                         "int",
                                         "uint",
                                         "int_2_10_10_10_rev",
                                         "uint_2_10_10_10_rev"};
static const char *const normalized_words[] = {"as_is", "normalized", "legacy"};
static const char *const point_size_words[] = {"shader", "fixed"};
static const char *const fog_words[] = {"off", "linear", "exp", "exp2"};
static const char *const fog_source_words[] = {"eye", "coordinate", "depth"};
static const char *const stipple_words[] = {"off", "8x8", "32x32"};
static const char *const chroma_words[] = {"off", "discard_inside", "discard_outside"};
static const char *const func_words[] = {"always", "never",   "less",     "equal",
                                         "lequal", "greater", "notequal", "gequal"};
static const char *const stencil_words[] = {"off", "both", "separate"};
static const char *const equation_words[] = {
    "add",        "subtract",  "reverse_subtract", "min",       "max",
    "multiply",   "screen",    "overlay",          "darken",    "lighten",
    "colordodge", "colorburn", "hardlight",        "softlight", "difference",
    "exclusion",  "hsl_hue",   "hsl_saturation",   "hsl_color", "hsl_luminosity"};
static const char *const factor_words[] = {"zero",
                                           "one",
                                           "src_color",
                                           "one_minus_src_color",
                                           "dst_color",
                                           "one_minus_dst_color",
                                           "src_alpha",
                                           "one_minus_src_alpha",
                                           "dst_alpha",
                                           "one_minus_dst_alpha",
                                           "constant_color",
                                           "one_minus_constant_color",
                                           "constant_alpha",
                                           "one_minus_constant_alpha",
                                           "src1_color",
                                           "one_minus_src1_color",
                                           "src1_alpha",
                                           "one_minus_src1_alpha",
                                           "src_alpha_saturate"};
static const char *const target_words[] = {"rgba8888", "bgra8888", "argb8888", "abgr8888",
                                           "rgb565",   "rgba4444", "rgba5551", "rgba16f"};
static const char *const logic_words[] = {
    "copy", "clear", "and",    "and_reverse", "and_inverted",  "noop",        "xor",  "or",
    "nor",  "equiv", "invert", "or_reverse",  "copy_inverted", "or_inverted", "nand", "set"};

#define LIMIT(words) (sizeof(words) / sizeof *(words)-1)
#define BYTES(type, member) sizeof(((struct type *)0)->member)
#define OWN(member, limit, values)                                                                           \
    { NULL, #member, 1, 1, offsetof(struct qpucc_state, member), 0, limit, values }
#define NUMBER(member, limit) OWN(member, limit, NULL)
#define NAMED(member, words) OWN(member, LIMIT(words), words)
#define IN(array, structs, type, member, limit, values)                                                      \
    {                                                                                                        \
#array, #member, structs, BYTES(type, member),                                                       \
            offsetof(struct qpucc_state, array) + offsetof(struct type, member), sizeof(struct type), limit, \
            values                                                                                           \
    }
#define TEXTURE(member, limit, values)                                                                       \
    IN(texture, QPUCC_MAX_TEXTURES, qpucc_texture_state, member, limit, values)
#define ATTRIBUTE(member, limit, values)                                                                     \
    IN(attribute, QPUCC_MAX_ATTRIBUTES, qpucc_attribute_state, member, limit, values)
#define BLEND(member, limit, values) IN(blend, 1, qpucc_blend_state, member, limit, values)

enum { BOOLEAN = 1, MASK = 255 };

static const struct qpucc_member key[] = {
    NAMED(primitive, primitive_words),
    NUMBER(depth_test, BOOLEAN),
    NUMBER(flip_y, BOOLEAN),
    TEXTURE(format, LIMIT(format_words), format_words),
    TEXTURE(swizzle, LIMIT(swizzle_words), swizzle_words),
    TEXTURE(srgb, BOOLEAN, NULL),
    TEXTURE(rectangle, BOOLEAN, NULL),
    TEXTURE(compare, LIMIT(compare_words), compare_words),
    TEXTURE(border, BOOLEAN, NULL),
    TEXTURE(yuv, LIMIT(yuv_words), yuv_words),
    TEXTURE(yuv_matrix, LIMIT(yuv_matrix_words), yuv_matrix_words),
    TEXTURE(plane, QPUCC_MAX_TEXTURES - 1, NULL),
    TEXTURE(one_level, QPUCC_MAX_LEVELS, NULL),
    ATTRIBUTE(type, LIMIT(type_words), type_words),
    ATTRIBUTE(normalized, LIMIT(normalized_words), normalized_words),
    ATTRIBUTE(components, 4, NULL),
    ATTRIBUTE(bgra, BOOLEAN, NULL),
    NAMED(point_size, point_size_words),
    NUMBER(point_size_clamp, BOOLEAN),
    NUMBER(point_lower_left, BOOLEAN),
    NUMBER(coord_replace, MASK),
    NUMBER(flat_shade, BOOLEAN),
    NUMBER(two_sided, BOOLEAN),
    NUMBER(clip_planes, MASK),
    NAMED(fog, fog_words),
    NAMED(fog_source, fog_source_words),
    NUMBER(fog_per_vertex, BOOLEAN),
    NUMBER(line_smooth, BOOLEAN),
    NUMBER(line_stipple, BOOLEAN),
    NAMED(area_stipple, stipple_words),
    NAMED(chroma_key, chroma_words),
    NUMBER(multisample, BOOLEAN),
    NUMBER(alpha_to_coverage, BOOLEAN),
    NUMBER(alpha_to_one, BOOLEAN),
    NUMBER(sample_mask, BOOLEAN),
    NAMED(alpha_func, func_words),
    NAMED(stencil, stencil_words),
    NUMBER(stencil_masks, BOOLEAN),
    BLEND(enable, BOOLEAN, NULL),
    BLEND(rgb_equation, LIMIT(equation_words), equation_words),
    BLEND(rgb_source, LIMIT(factor_words), factor_words),
    BLEND(rgb_target, LIMIT(factor_words), factor_words),
    BLEND(alpha_equation, LIMIT(equation_words), equation_words),
    BLEND(alpha_source, LIMIT(factor_words), factor_words),
    BLEND(alpha_target, LIMIT(factor_words), factor_words),
    NAMED(target, target_words),
    NUMBER(target_opaque, BOOLEAN),
    NUMBER(srgb_write, BOOLEAN),
    NUMBER(dither, BOOLEAN),
    NAMED(logic_op, logic_words),
    NUMBER(keep_channels, 15),
};

/* A value that is added to an enumeration needs its word. */
#define COMPLETE(words, count) _Static_assert(LIMIT(words) == (count)-1, #words)
COMPLETE(format_words, QPUCC_TEX_FORMAT_COUNT);
COMPLETE(swizzle_words, QPUCC_SWIZZLE_COUNT);
COMPLETE(compare_words, QPUCC_COMPARE_COUNT);
COMPLETE(yuv_words, QPUCC_YUV_COUNT);
COMPLETE(yuv_matrix_words, QPUCC_YUV_MATRIX_COUNT);
COMPLETE(type_words, QPUCC_ATTR_TYPE_COUNT);
COMPLETE(normalized_words, QPUCC_ATTR_NORMALIZED_COUNT);
COMPLETE(point_size_words, QPUCC_POINT_SIZE_COUNT);
COMPLETE(fog_words, QPUCC_FOG_COUNT);
COMPLETE(fog_source_words, QPUCC_FOG_SOURCE_COUNT);
COMPLETE(stipple_words, QPUCC_STIPPLE_COUNT);
COMPLETE(chroma_words, QPUCC_CHROMA_COUNT);
COMPLETE(func_words, QPUCC_FUNC_COUNT);
COMPLETE(stencil_words, QPUCC_STENCIL_COUNT);
COMPLETE(equation_words, QPUCC_BLEND_EQUATION_COUNT);
COMPLETE(factor_words, QPUCC_FACTOR_COUNT);
COMPLETE(target_words, QPUCC_TARGET_COUNT);
COMPLETE(logic_words, QPUCC_LOGIC_OP_COUNT);

const struct qpucc_member *qpucc_state_member_at(size_t index) {
    return index < sizeof key / sizeof *key ? &key[index] : NULL;
}

static bool refuse(struct qpucc_program *program, const char *where, const char *name, const char *why) {
    program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "state", "state", 0, 0, "%s%s%s", where, name,
                     why);
    return false;
}

static bool refuse_in(struct qpucc_program *program, const char *array, unsigned number, const char *name,
                      const char *why) {
    char where[32];
    snprintf(where, sizeof where, "%s[%u].", array, number);
    return refuse(program, where, name, why);
}

static bool in_range(struct qpucc_program *program, const struct qpucc_state *state,
                     const struct qpucc_member *m) {
    for (unsigned n = 0; n < m->structs; n++)
        for (unsigned k = 0; k < m->count; k++) {
            unsigned value = *((const uint8_t *)state + m->offset + n * m->stride + k);
            char why[80];
            if (value <= m->limit)
                continue;
            snprintf(why, sizeof why, " is %u, but %u is the largest that there is", value, m->limit);
            if (m->structs > 1)
                return refuse_in(program, m->array, n, m->name, why);
            return refuse(program, m->array ? "blend." : "", m->name, why);
        }
    return true;
}

static bool check_texture(struct qpucc_program *program, const struct qpucc_texture_state *t, unsigned unit) {
    if (t->yuv && t->format)
        return refuse_in(program, "texture", unit, "format",
                         " must be RGBA where yuv is set: the planes have no other");
    return true;
}

static bool check_attribute(struct qpucc_program *program, const struct qpucc_attribute_state *a,
                            unsigned number) {
    bool packed = a->type >= QPUCC_ATTR_INT_2_10_10_10_REV;
    if (packed && a->components && a->components < 4)
        return refuse_in(program, "attribute", number, "components",
                         " must be 4 or 0: the type packs four in a word");
    if (a->bgra && !packed && (a->type != QPUCC_ATTR_UBYTE || a->components != 4))
        return refuse_in(program, "attribute", number, "bgra",
                         " wants four components of an unsigned byte, or a packed type");
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
    static const struct qpucc_state initial;
    if (!memcmp(state, &initial, sizeof initial))
        return true;
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof key / sizeof *key; i++)
        ok = in_range(program, state, &key[i]);
    ok = ok && check_output(program, state);
    for (unsigned i = 0; ok && i < QPUCC_MAX_TEXTURES; i++)
        ok = check_texture(program, &state->texture[i], i);
    for (unsigned i = 0; ok && i < QPUCC_MAX_ATTRIBUTES; i++)
        ok = check_attribute(program, &state->attribute[i], i);
    return ok;
}
