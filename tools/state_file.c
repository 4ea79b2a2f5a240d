/* State keys and the values of draws from JSON. What a member may hold is the library's to check. */
#include "fixed_file.h"

#include <stdio.h>
#include <string.h>

static const char *const primitive[] = {"triangles", "lines", "points"};
static const char *const format[] = {
    "rgba",      "rgbx",      "bgra",    "luminance", "alpha",      "luminance_alpha",
    "bgrx",      "intensity", "red",     "rg",        "rgba_snorm", "rg_snorm",
    "red_snorm", "r16",       "rg16",    "r16f",      "rg16f",      "r32f",
    "rgb10_a2",  "depth16",   "depth24", "depth32f"};
static const char *const swizzle[] = {"same", "red", "green", "blue", "alpha", "zero", "one"};
static const char *const compare[] = {"lequal", "less",     "gequal", "greater",
                                      "equal",  "notequal", "always", "never"};
static const char *const yuv[] = {"none", "3_planes", "2_planes", "yvu_2_planes", "yuyv", "uyvy"};
static const char *const yuv_matrix[] = {"bt601_video", "bt601_full", "bt709_video", "bt709_full"};
static const char *const type[] = {"float",
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
static const char *const normalized[] = {"as_is", "normalized", "legacy"};
static const char *const point_size[] = {"shader", "fixed"};
static const char *const fog[] = {"off", "linear", "exp", "exp2"};
static const char *const fog_source[] = {"eye", "coordinate", "depth"};
static const char *const stipple[] = {"off", "8x8", "32x32"};
static const char *const chroma[] = {"off", "discard_inside", "discard_outside"};
static const char *const func[] = {"always", "never",   "less",     "equal",
                                   "lequal", "greater", "notequal", "gequal"};
static const char *const stencil[] = {"off", "both", "separate"};
static const char *const equation[] = {"add",       "subtract",       "reverse_subtract", "min",
                                       "max",       "multiply",       "screen",           "overlay",
                                       "darken",    "lighten",        "colordodge",       "colorburn",
                                       "hardlight", "softlight",      "difference",       "exclusion",
                                       "hsl_hue",   "hsl_saturation", "hsl_color",        "hsl_luminosity"};
static const char *const factor[] = {"zero",
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
static const char *const target[] = {"rgba8888", "bgra8888", "argb8888", "abgr8888",
                                     "rgb565",   "rgba4444", "rgba5551", "rgba16f"};
static const char *const logic[] = {
    "copy", "clear", "and",    "and_reverse", "and_inverted",  "noop",        "xor",  "or",
    "nor",  "equiv", "invert", "or_reverse",  "copy_inverted", "or_inverted", "nand", "set"};

#define LIMIT(words) (sizeof(words) / sizeof *(words)-1)
#define BYTES(type, member) sizeof(((struct type *)0)->member)
#define OWN(member, limit, values)                                                                           \
    { NULL, #member, 1, 1, offsetof(struct qpucc_state, member), 0, limit, values }
#define NUMBER(member) OWN(member, UINT8_MAX, NULL)
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

static const struct qpucc_fixed_member key[] = {
    NAMED(primitive, primitive),
    NUMBER(depth_test),
    NUMBER(flip_y),
    TEXTURE(format, LIMIT(format), format),
    TEXTURE(swizzle, LIMIT(swizzle), swizzle),
    TEXTURE(srgb, UINT8_MAX, NULL),
    TEXTURE(rectangle, UINT8_MAX, NULL),
    TEXTURE(compare, LIMIT(compare), compare),
    TEXTURE(border, UINT8_MAX, NULL),
    TEXTURE(yuv, LIMIT(yuv), yuv),
    TEXTURE(yuv_matrix, LIMIT(yuv_matrix), yuv_matrix),
    TEXTURE(plane, UINT8_MAX, NULL),
    ATTRIBUTE(type, LIMIT(type), type),
    ATTRIBUTE(normalized, LIMIT(normalized), normalized),
    ATTRIBUTE(components, UINT8_MAX, NULL),
    ATTRIBUTE(bgra, UINT8_MAX, NULL),
    NAMED(point_size, point_size),
    NUMBER(point_size_clamp),
    NUMBER(point_lower_left),
    NUMBER(coord_replace),
    NUMBER(flat_shade),
    NUMBER(two_sided),
    NUMBER(clip_planes),
    NAMED(fog, fog),
    NAMED(fog_source, fog_source),
    NUMBER(fog_per_vertex),
    NUMBER(line_smooth),
    NUMBER(line_stipple),
    NAMED(area_stipple, stipple),
    NAMED(chroma_key, chroma),
    NUMBER(multisample),
    NUMBER(alpha_to_coverage),
    NUMBER(alpha_to_one),
    NUMBER(sample_mask),
    NAMED(alpha_func, func),
    NAMED(stencil, stencil),
    NUMBER(stencil_masks),
    BLEND(enable, UINT8_MAX, NULL),
    BLEND(rgb_equation, LIMIT(equation), equation),
    BLEND(rgb_source, LIMIT(factor), factor),
    BLEND(rgb_target, LIMIT(factor), factor),
    BLEND(alpha_equation, LIMIT(equation), equation),
    BLEND(alpha_source, LIMIT(factor), factor),
    BLEND(alpha_target, LIMIT(factor), factor),
    NAMED(target, target),
    NUMBER(target_opaque),
    NUMBER(srgb_write),
    NUMBER(dither),
    NAMED(logic_op, logic),
    NUMBER(keep_channels),
};

const struct qpucc_fixed_member *state_file_member_at(size_t index) {
    return index < sizeof key / sizeof *key ? &key[index] : NULL;
}

/* --- values of a draw ----------------------------------------------------------------------------------- */

struct value {
    const char *name;
    size_t offset, count; /* words */
    bool is_float;
};

#define VALUE(member, is_float)                                                                              \
    { #member, offsetof(struct qpucc_draw_state, member), BYTES(qpucc_draw_state, member) / 4, is_float }

/* Without the viewport's, which the draw itself sets. */
static const struct value draw_values[] = {
    VALUE(border_color, false),         VALUE(point_size_range, true),   VALUE(clip_plane, true),
    VALUE(blend_color, true),           VALUE(alpha_reference, true),    VALUE(fog_color, true),
    VALUE(fog_density, true),           VALUE(fog_start, true),          VALUE(fog_end, true),
    VALUE(chroma_low, false),           VALUE(chroma_high, false),       VALUE(stipple_pattern, false),
    VALUE(line_stipple_pattern, false), VALUE(line_stipple_scale, true), VALUE(line_width, true),
    VALUE(sample_mask_bits, false),     VALUE(stencil_setup, false)};

static bool set_value(struct qpucc_draw_state *values, const struct value *v, const json_t *json) {
    size_t count = json_is_array(json) ? json_array_size(json) : 1;
    for (size_t k = 0; k < count; k++) {
        const json_t *number = json_is_array(json) ? json_array_get(json, k) : json;
        float f = (float)json_number_value(number);
        uint32_t word = (uint32_t)json_integer_value(number);
        if (k >= v->count || !(v->is_float ? json_is_number(number) : json_is_integer(number)))
            return false;
        memcpy((char *)values + v->offset + 4 * k, v->is_float ? (void *)&f : (void *)&word, 4);
    }
    return true;
}

static bool set_values(struct qpucc_draw_state *values, const json_t *object, char *error, size_t size) {
    const char *name;
    json_t *json;
    if (!json_is_object(object)) {
        snprintf(error, size, "member 'values' is not an object");
        return false;
    }
    json_object_foreach((json_t *)object, name, json) {
        const struct value *v = NULL;
        for (size_t k = 0; k < sizeof draw_values / sizeof *draw_values; k++)
            v = strcmp(draw_values[k].name, name) ? v : &draw_values[k];
        if (v && set_value(values, v, json))
            continue;
        if (v)
            snprintf(error, size, "value '%s' takes up to %zu %s", name, v->count,
                     v->is_float ? "numbers" : "whole numbers");
        else
            snprintf(error, size, "'values.%s' is no member", name);
        return false;
    }
    return true;
}

/* --- the file ------------------------------------------------------------------------------------------- */

bool state_file_parse(struct qpucc_state *state, struct qpucc_draw_state *values, json_t *object, char *error,
                      size_t size) {
    json_t *own = json_incref(json_object_get(object, "values"));
    memset(state, 0, sizeof *state);
    memset(values, 0, sizeof *values);
    json_object_del(object, "values");
    bool ok = (!own || set_values(values, own, error, size)) &&
              members_parse(state, state_file_member_at, object, error, size);
    json_decref(own);
    return ok;
}

bool state_file_read(struct qpucc_state *state, struct qpucc_draw_state *values, const char *path,
                     char *error, size_t size) {
    char reason[300];
    json_t *root = members_load(path, error, size);
    bool ok = root && state_file_parse(state, values, root, reason, sizeof reason);
    if (root && !ok)
        snprintf(error, size, "%s: %s", path, reason);
    json_decref(root);
    return ok;
}
