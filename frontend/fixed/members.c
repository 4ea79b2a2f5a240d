/* What the members of struct qpucc_fixed may hold: one table, for the check and for readers of text. */
#include "frontend/fixed/texcoord.h"

#include <string.h>

static const char *const target_words[] = {"off", "2d", "cube"};
static const char *const base_words[] = {"rgba", "rgb", "alpha", "luminance", "luminance_alpha", "intensity"};
static const char *const env_words[] = {"modulate", "replace", "decal", "blend", "add", "combine"};
static const char *const combine_words[] = {"modulate",    "replace",  "add",      "add_signed",
                                            "interpolate", "subtract", "dot3_rgb", "dot3_rgba"};
static const char *const source_words[] = {"initial",  "texture",  "previous", "constant", "primary_color",
                                           "texture0", "texture1", "texture2", "texture3", "texture4",
                                           "texture5", "texture6", "texture7"};
static const char *const operand_words[] = {"initial", "src_alpha", "one_minus_src_alpha", "src_color",
                                            "one_minus_src_color"};
static const char *const generate_words[] = {"off",        "eye_linear",     "object_linear",
                                             "sphere_map", "reflection_map", "normal_map"};
static const char *const matrix_words[] = {"identity", "affine", "any"};
static const char *const normals_words[] = {"as_they_are", "rescaled", "normalized"};
static const char *const fog_words[] = {"from_z", "from_distance", "from_array"};
static const char *const material_words[] = {
    "own", "ambient_and_diffuse", "ambient", "diffuse", "specular", "emission"};

#define LIMIT(words) (sizeof(words) / sizeof *(words)-1)
#define SIZE(type, member) sizeof(((struct type *)0)->member)
#define OWN(member, limit, values)                                                                           \
    { NULL, #member, 1, 1, offsetof(struct qpucc_fixed, member), 0, limit, values }
#define IN(array, n, type, member, count, limit, values)                                                     \
    {                                                                                                        \
#array, #member, n, count, offsetof(struct qpucc_fixed, array) + offsetof(struct type, member),      \
            sizeof(struct type), limit, values                                                               \
    }
#define LIGHT(member) IN(light, QPUCC_FIXED_LIGHTS, qpucc_fixed_light, member, 1, 1, NULL)
#define TEXTURE(member, count, limit, values)                                                                \
    IN(texture, QPUCC_FIXED_TEXTURES, qpucc_fixed_texture, member, count, limit, values)
#define TEXTURE_WORDS(member, count, words) TEXTURE(member, count, LIMIT(words), words)

static const struct qpucc_member members[] = {
    OWN(vertex_words, 4, NULL),
    OWN(normal_array, 1, NULL),
    OWN(color_array, 1, NULL),
    OWN(secondary_array, 1, NULL),
    OWN(lighting, 1, NULL),
    OWN(local_viewer, 1, NULL),
    OWN(separate_specular, 1, NULL),
    OWN(color_material, LIMIT(material_words), material_words),
    OWN(normals, LIMIT(normals_words), normals_words),
    OWN(color_sum, 1, NULL),
    OWN(fog_coord, LIMIT(fog_words), fog_words),
    OWN(point_size_array, 1, NULL),
    OWN(point_attenuation, 1, NULL),
    OWN(point_sprite, 1, NULL),
    OWN(point_fade, 1, NULL),
    OWN(palette_units, 4, NULL),
    OWN(palette_size, QPUCC_FIXED_PALETTE, NULL),
    LIGHT(enabled),
    LIGHT(positional),
    LIGHT(spot),
    LIGHT(attenuation),
    TEXTURE_WORDS(target, 1, target_words),
    TEXTURE_WORDS(base_format, 1, base_words),
    TEXTURE(coord_words, 1, 4, NULL),
    TEXTURE_WORDS(matrix, 1, matrix_words),
    TEXTURE_WORDS(generate, 4, generate_words),
    TEXTURE_WORDS(env, 1, env_words),
    TEXTURE_WORDS(combine_rgb, 1, combine_words),
    TEXTURE(combine_alpha, 1, QPUCC_COMBINE_SUBTRACT, combine_words),
    TEXTURE_WORDS(source_rgb, 3, source_words),
    TEXTURE_WORDS(source_alpha, 3, source_words),
    TEXTURE_WORDS(operand_rgb, 3, operand_words),
    TEXTURE(operand_alpha, 3, QPUCC_OPERAND_ONE_MINUS_SRC_ALPHA, operand_words),
    TEXTURE(scale_rgb, 1, 2, NULL),
    TEXTURE(scale_alpha, 1, 2, NULL),
};

const struct qpucc_member *qpucc_fixed_member_at(size_t index) {
    return index < sizeof members / sizeof *members ? &members[index] : NULL;
}

void qpucc_fixed_draw_texture(const struct qpucc_fixed *now, struct qpucc_fixed *out) {
    struct qpucc_fixed fixed = *now;
    fixed.vertex_words = 3;
    fixed.normal_array = fixed.color_array = fixed.secondary_array = 0;
    fixed.lighting = fixed.palette_units = 0;
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        fixed.texture[n].coord_words = 2;
        fixed.texture[n].matrix = QPUCC_MATRIX_IDENTITY;
        memset(fixed.texture[n].generate, QPUCC_GENERATE_OFF, sizeof fixed.texture[n].generate);
    }
    *out = fixed;
}

#define MAX_VARYING_WORDS 32 /* the interpolator's */

/* --- the check ------------------------------------------------------------------------------------------ */

static bool in_range(const struct qpucc_fixed *fixed, const struct qpucc_member *m, char *error,
                     size_t size) {
    for (unsigned s = 0; s < m->structs; s++)
        for (unsigned k = 0; k < m->count; k++) {
            unsigned value = *((const uint8_t *)fixed + m->offset + s * m->stride + k);
            char where[16] = "", which[16] = "";
            if (value <= m->limit)
                continue;
            if (m->array)
                snprintf(where, sizeof where, "[%u].", s);
            if (m->count > 1)
                snprintf(which, sizeof which, "[%u]", k);
            snprintf(error, size, "%s%s%s%s is %u, but at most %u", m->array ? m->array : "", where, m->name,
                     which, value, m->limit);
            return false;
        }
    return true;
}

/* The arrays that the vertex program reads, whatever the state key. */
static unsigned attributes_of(const struct qpucc_fixed *fixed) {
    bool normals = fixed->lighting || texcoord_needs_normal(fixed);
    unsigned count = 1u + fixed->point_size_array + (fixed->palette_units ? 2 : 0);
    count += fixed->fog_coord == QPUCC_FOG_FROM_ARRAY;
    count += fixed->normal_array && normals;
    count += fixed->color_array && (!fixed->lighting || fixed->color_material != QPUCC_MATERIAL_OWN);
    count += fixed->secondary_array && !fixed->lighting && fixed->color_sum;
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        const struct qpucc_fixed_texture *t = &fixed->texture[n];
        count += t->target && t->coord_words && !texcoord_generated(t);
    }
    return count;
}

/* What is in range and still no state of GL, or more than the chip has. */
static bool makes_sense(const struct qpucc_fixed *fixed, const struct qpucc_state *state, char *error,
                        size_t size) {
    bool secondary = fixed->lighting ? fixed->separate_specular : fixed->color_sum, divides;
    unsigned attributes = attributes_of(fixed), varyings = secondary ? 7 : 4;
    varyings *= state->two_sided ? 2 : 1;
    varyings += state->fog && (state->fog_per_vertex || state->fog_source == QPUCC_FOG_COORDINATE);
    varyings += fixed->point_fade;
    for (unsigned planes = state->clip_planes; planes; planes &= planes - 1)
        varyings++;
    if (fixed->vertex_words == 1) {
        snprintf(error, size, "vertex_words is 1: vertices have 2, 3 or 4 words, and 0 stands for 4");
        return false;
    }
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        const struct qpucc_fixed_texture *t = &fixed->texture[n];
        varyings += t->target ? texcoord_words(t, &divides) + divides : 0;
        for (unsigned k = 0; t->target && k < 4; k++) {
            unsigned most = k == 3   ? QPUCC_GENERATE_OBJECT_LINEAR
                            : k == 2 ? QPUCC_GENERATE_NORMAL_MAP
                                     : QPUCC_GENERATE_COUNT;
            bool sphere = k == 2 && t->generate[k] == QPUCC_GENERATE_SPHERE_MAP;
            if (t->generate[k] <= most && !sphere)
                continue;
            snprintf(error, size, "texture[%u].generate[%u] is %s, which GL has not for %c", n, k,
                     generate_words[t->generate[k]], "strq"[k]);
            return false;
        }
    }
    if (attributes > QPUCC_MAX_ATTRIBUTES) {
        snprintf(error, size,
                 "%u attributes in the arrays of normals, colours, sizes and coord_words, but the "
                 "hardware has %u",
                 attributes, QPUCC_MAX_ATTRIBUTES);
        return false;
    }
    if (varyings > MAX_VARYING_WORDS) {
        snprintf(error, size,
                 "%u words of colours, texture coordinates and clip planes between the programs, "
                 "but the hardware interpolates %u",
                 varyings, MAX_VARYING_WORDS);
        return false;
    }
    return true;
}

bool fixed_check(const struct qpucc_fixed *fixed, const struct qpucc_state *state, char *error, size_t size) {
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        if (!in_range(fixed, &members[k], error, size))
            return false;
    return makes_sense(fixed, state, error, size);
}
