/* names.c: the closed list of GLSL ES 1.00's own names, and the spelling of each in GLSL 1.40.
 *
 * Every other identifier is the user's and gets the prefix Q: a free name of 1.00 may be a keyword or a
 * function later (texture, sample, buffer, round, inverse, uint …), and no GLSL name begins with Q.
 * Identifiers made of one swizzle set (xyzw, rgba, stpq; up to four letters) stay as they are: after a dot
 * they may be components or a struct's member, which only types could tell apart, and no GLSL name has this
 * form. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const struct entry {
    const char *name;
    enum word_kind kind;
    const char *to; /* NULL: the same */
} entries[] = {
    /* sorted by name (strcmp) for bsearch; a test checks the order */
    {"abs", WORD_FUNCTION, NULL},
    {"acos", WORD_FUNCTION, NULL},
    {"all", WORD_FUNCTION, NULL},
    {"any", WORD_FUNCTION, NULL},
    {"asin", WORD_FUNCTION, NULL},
    {"atan", WORD_FUNCTION, NULL},
    {"attribute", WORD_SAME, "in"},
    {"bool", WORD_SAME, NULL},
    {"break", WORD_SAME, NULL},
    {"bvec2", WORD_SAME, NULL},
    {"bvec3", WORD_SAME, NULL},
    {"bvec4", WORD_SAME, NULL},
    {"ceil", WORD_FUNCTION, NULL},
    {"clamp", WORD_FUNCTION, NULL},
    {"const", WORD_SAME, NULL},
    {"continue", WORD_SAME, NULL},
    {"cos", WORD_FUNCTION, NULL},
    {"cross", WORD_FUNCTION, NULL},
    {"dFdx", WORD_FUNCTION, NULL},
    {"dFdy", WORD_FUNCTION, NULL},
    {"degrees", WORD_FUNCTION, NULL},
    {"discard", WORD_SAME, NULL},
    {"distance", WORD_FUNCTION, NULL},
    {"do", WORD_SAME, NULL},
    {"dot", WORD_FUNCTION, NULL},
    {"else", WORD_SAME, NULL},
    {"equal", WORD_FUNCTION, NULL},
    {"exp", WORD_FUNCTION, NULL},
    {"exp2", WORD_FUNCTION, NULL},
    {"faceforward", WORD_FUNCTION, NULL},
    {"false", WORD_SAME, NULL},
    {"float", WORD_SAME, NULL},
    {"floor", WORD_FUNCTION, NULL},
    {"for", WORD_SAME, NULL},
    {"fract", WORD_FUNCTION, NULL},
    {"fwidth", WORD_FUNCTION, NULL},
    {"gl_DepthRange", WORD_SAME, "qpu_DepthRange"},
    {"gl_DepthRangeParameters", WORD_SAME, "qpu_DepthRangeParameters"},
    {"gl_FragColor", WORD_SAME, "qpu_FragColor"},
    {"gl_FragCoord", WORD_SAME, NULL},
    {"gl_FragData", WORD_SAME, "qpu_FragData"},
    {"gl_FragDepthEXT", WORD_SAME, "gl_FragDepth"},
    {"gl_FrontFacing", WORD_SAME, NULL},
    {"gl_LastFragData", WORD_SAME, "qpu_LastFragData"},
    {"gl_MaxCombinedTextureImageUnits", WORD_SAME, "32"},
    {"gl_MaxDrawBuffers", WORD_SAME, "1"},
    {"gl_MaxFragmentUniformVectors", WORD_SAME, "256"},
    {"gl_MaxTextureImageUnits", WORD_SAME, "16"},
    {"gl_MaxVaryingVectors", WORD_SAME, "8"},
    {"gl_MaxVertexAttribs", WORD_SAME, "8"},
    {"gl_MaxVertexTextureImageUnits", WORD_SAME, "16"},
    {"gl_MaxVertexUniformVectors", WORD_SAME, "256"},
    {"gl_PointCoord", WORD_SAME, NULL},
    {"gl_PointSize", WORD_SAME, NULL},
    {"gl_Position", WORD_SAME, NULL},
    {"greaterThan", WORD_FUNCTION, NULL},
    {"greaterThanEqual", WORD_FUNCTION, NULL},
    {"highp", WORD_SAME, NULL},
    {"if", WORD_SAME, NULL},
    {"in", WORD_SAME, NULL},
    {"inout", WORD_SAME, NULL},
    {"int", WORD_SAME, NULL},
    {"invariant", WORD_SAME, NULL},
    {"inversesqrt", WORD_FUNCTION, NULL},
    {"ivec2", WORD_SAME, NULL},
    {"ivec3", WORD_SAME, NULL},
    {"ivec4", WORD_SAME, NULL},
    {"length", WORD_FUNCTION, NULL},
    {"lessThan", WORD_FUNCTION, NULL},
    {"lessThanEqual", WORD_FUNCTION, NULL},
    {"log", WORD_FUNCTION, NULL},
    {"log2", WORD_FUNCTION, NULL},
    {"lowp", WORD_SAME, NULL},
    {"main", WORD_SAME, NULL},
    {"mat2", WORD_SAME, NULL},
    {"mat3", WORD_SAME, NULL},
    {"mat4", WORD_SAME, NULL},
    {"matrixCompMult", WORD_FUNCTION, NULL},
    {"max", WORD_FUNCTION, NULL},
    {"mediump", WORD_SAME, NULL},
    {"min", WORD_FUNCTION, NULL},
    {"mix", WORD_FUNCTION, NULL},
    {"mod", WORD_FUNCTION, NULL},
    {"normalize", WORD_FUNCTION, NULL},
    {"not", WORD_FUNCTION, NULL},
    {"notEqual", WORD_FUNCTION, NULL},
    {"out", WORD_SAME, NULL},
    {"pow", WORD_FUNCTION, NULL},
    {"precision", WORD_SAME, NULL},
    {"radians", WORD_FUNCTION, NULL},
    {"reflect", WORD_FUNCTION, NULL},
    {"refract", WORD_FUNCTION, NULL},
    {"return", WORD_SAME, NULL},
    {"sampler2D", WORD_SAME, NULL},
    {"samplerCube", WORD_SAME, NULL},
    {"samplerExternalOES", WORD_SAME, "sampler2D"},
    {"sign", WORD_FUNCTION, NULL},
    {"sin", WORD_FUNCTION, NULL},
    {"smoothstep", WORD_FUNCTION, NULL},
    {"sqrt", WORD_FUNCTION, NULL},
    {"step", WORD_FUNCTION, NULL},
    {"struct", WORD_SAME, NULL},
    {"tan", WORD_FUNCTION, NULL},
    {"texture2D", WORD_FUNCTION, "texture"},
    {"texture2DGradEXT", WORD_FUNCTION, "textureGrad"},
    {"texture2DLod", WORD_FUNCTION, "textureLod"},
    {"texture2DLodEXT", WORD_FUNCTION, "textureLod"},
    {"texture2DProj", WORD_FUNCTION, "textureProj"},
    {"texture2DProjGradEXT", WORD_FUNCTION, "textureProjGrad"},
    {"texture2DProjLod", WORD_FUNCTION, "textureProjLod"},
    {"texture2DProjLodEXT", WORD_FUNCTION, "textureProjLod"},
    {"textureCube", WORD_FUNCTION, "texture"},
    {"textureCubeGradEXT", WORD_FUNCTION, "textureGrad"},
    {"textureCubeLod", WORD_FUNCTION, "textureLod"},
    {"textureCubeLodEXT", WORD_FUNCTION, "textureLod"},
    {"true", WORD_SAME, NULL},
    {"uniform", WORD_SAME, NULL},
    {"varying", WORD_SAME, NULL}, /* in or out: the bridge knows the stage */
    {"vec2", WORD_SAME, NULL},
    {"vec3", WORD_SAME, NULL},
    {"vec4", WORD_SAME, NULL},
    {"void", WORD_SAME, NULL},
    {"while", WORD_SAME, NULL},
};

_Static_assert(ESSL_MAX_COMBINED_TEXTURE_IMAGE_UNITS == 32 && ESSL_MAX_DRAW_BUFFERS == 1 &&
                   ESSL_MAX_FRAGMENT_UNIFORM_VECTORS == 256 && ESSL_MAX_TEXTURE_IMAGE_UNITS == 16 &&
                   ESSL_MAX_VARYING_VECTORS == 8 && ESSL_MAX_VERTEX_ATTRIBS == 8 &&
                   ESSL_MAX_VERTEX_TEXTURE_IMAGE_UNITS == 16 && ESSL_MAX_VERTEX_UNIFORM_VECTORS == 256,
               "the table spells these values");

static int compare(const void *key, const void *element) {
    return strcmp((const char *)key, ((const struct entry *)element)->name);
}

static bool is_swizzle(const struct name *name) {
    static const char *const sets[] = {"xyzw", "rgba", "stpq"};
    for (size_t i = 0; i < 3; i++) {
        if (name->length <= 4 && strspn(name->text, sets[i]) == name->length)
            return true;
    }
    return false;
}

struct word essl_word(const struct name *name) {
    if (is_swizzle(name))
        return (struct word){WORD_SWIZZLE, name->text};
    const struct entry *e =
        bsearch(name->text, entries, sizeof entries / sizeof *entries, sizeof *entries, compare);
    if (!e)
        return (struct word){WORD_USER, NULL};
    return (struct word){e->kind, e->to ? e->to : e->name};
}

bool essl_is_optional(const struct name *name) {
    const char *n = name->text;
    size_t l = name->length;
    return !strcmp(n, "dFdx") || !strcmp(n, "dFdy") || !strcmp(n, "fwidth") ||
           (!strncmp(n, "texture", 7) && (!strcmp(n + l - 3, "Lod") || !strcmp(n + l - 3, "EXT")));
}

/* float16_t, i64vec3, f32mat2x4: glslang's own types of a given size. */
static bool is_sized_type(const char *n) {
    if (*n != 'f' && *n != 'i' && *n != 'u')
        return false;
    static const char *const scalars[] = {"float", "int", "uint"};
    for (size_t i = 0; i < 3; i++) {
        size_t l = strlen(scalars[i]), digits = strncmp(n, scalars[i], l) ? 0 : strspn(n + l, "123468");
        if (digits && !strcmp(n + l + digits, "_t"))
            return true;
    }
    size_t digits = strspn(n + 1, "12346") + (n[1] == '8');
    return digits && (!strncmp(n + 1 + digits, "vec", 3) || !strncmp(n + 1 + digits, "mat", 3));
}

bool essl_is_foreign(const struct unit *unit, const struct name *name) {
    const char *n = name->text;
    if (name_is(name, "samplerExternalOES"))
        return !unit->external_image;
    bool early = unit->version < (unit->es ? 300 : 130);
    bool extension = unit->es && !early && name_begins(name, "texture") && essl_is_optional(name);
    if (is_sized_type(n) || name_is(name, "shared") || extension)
        return true;
    if (!early)
        return false;
    if (name->length == 6 && name_begins(name, "mat") && n[4] == 'x')
        return unit->version < 120;
    if (name_begins(name, "sampler"))
        return n[7] && !name_is(name, "sampler1D") && !name_is(name, "sampler3D") &&
               !name_is(name, "sampler1DShadow") && !name_is(name, "sampler2DShadow") &&
               !name_is(name, "sampler2DRectShadow") && !name_is(name, "sampler2DRect") &&
               !name_is(name, "sampler3DRect") && !name_is(name, "sampler2D") &&
               !name_is(name, "samplerCube");
    return name_is(name, "active") || name_is(name, "case") || name_is(name, "common") ||
           name_is(name, "filter") || name_is(name, "partition") || name_is(name, "uint") ||
           name_begins(name, "uvec") || name_begins(name, "isampler") || name_begins(name, "usampler");
}

bool essl_is_foreign_type(const struct unit *unit, const struct name *name) {
    const char *n = name->text;
    size_t digits = strchr("fiu", *n) ? strspn(n + 1, "1246") : 0; /* f16, i64, u64 */
    if (digits || !strncmp(n + 1, "image", 5) || !strncmp(n + 1, "coopmat", 7))
        n += 1 + digits;
    bool early = unit->version < (unit->es ? 300 : 130);
    if (!strncmp(n, "image", 5)) /* later versions reserve most */
        return early || digits || strstr(n, "MS") || strstr(n, "CubeArray");
    if (!strncmp(n, "dmat", 4))
        return early || !unit->es;
    return !strncmp(n, "coopmat", 7) ||
           (digits && (!strncmp(n, "sampler", 7) || !strncmp(n, "texture", 7) || !strncmp(n, "subpass", 7)));
}

const char *essl_user_name(const char *spelling) {
    if (spelling[0] == 'Q' || spelling[0] == 'T' || spelling[0] == 'F')
        return spelling + 1;
    return spelling;
}
