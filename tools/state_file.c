/* State keys and the values of draws from JSON. What a member may hold is the library's to check. */
#include "fixed_file.h"

#include <stdio.h>
#include <string.h>

#define BYTES(type, member) sizeof(((struct type *)0)->member)

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
        json_int_t whole = json_integer_value(number);
        uint32_t word = (uint32_t)whole;
        bool fits = json_is_integer(number) && whole >= INT32_MIN && whole <= UINT32_MAX;
        if (k >= v->count || !(v->is_float ? json_is_number(number) : fits))
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
                     v->is_float ? "numbers" : "whole numbers of 32 bits");
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
              members_parse(state, qpucc_state_member_at, object, error, size);
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
