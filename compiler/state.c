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

bool state_check(struct qpucc_program *program, const struct qpucc_state *state) {
    bool ok = in_range(program, state, key, COUNT(key), "");
    for (unsigned i = 0; ok && i < QPUCC_MAX_TEXTURES; i++)
        ok = check_texture(program, &state->texture[i], i);
    for (unsigned i = 0; ok && i < QPUCC_MAX_ATTRIBUTES; i++)
        ok = check_attribute(program, &state->attribute[i], i);
    return ok;
}
