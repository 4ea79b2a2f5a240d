/* names.c: the closed list of GLSL ES 1.00's own names. Every other identifier is the user's. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

static const struct entry {
    const char *name;
    enum word_kind kind;
} entries[] = {
    /* sorted by name (strcmp) for bsearch; a test checks the order */
    {"abs", WORD_FUNCTION},
    {"acos", WORD_FUNCTION},
    {"all", WORD_FUNCTION},
    {"any", WORD_FUNCTION},
    {"asin", WORD_FUNCTION},
    {"atan", WORD_FUNCTION},
    {"attribute", WORD_SAME},
    {"bool", WORD_SAME},
    {"break", WORD_SAME},
    {"bvec2", WORD_SAME},
    {"bvec3", WORD_SAME},
    {"bvec4", WORD_SAME},
    {"ceil", WORD_FUNCTION},
    {"clamp", WORD_FUNCTION},
    {"const", WORD_SAME},
    {"continue", WORD_SAME},
    {"cos", WORD_FUNCTION},
    {"cross", WORD_FUNCTION},
    {"dFdx", WORD_FUNCTION},
    {"dFdy", WORD_FUNCTION},
    {"degrees", WORD_FUNCTION},
    {"discard", WORD_SAME},
    {"distance", WORD_FUNCTION},
    {"do", WORD_SAME},
    {"dot", WORD_FUNCTION},
    {"else", WORD_SAME},
    {"equal", WORD_FUNCTION},
    {"exp", WORD_FUNCTION},
    {"exp2", WORD_FUNCTION},
    {"faceforward", WORD_FUNCTION},
    {"false", WORD_SAME},
    {"float", WORD_SAME},
    {"floor", WORD_FUNCTION},
    {"for", WORD_SAME},
    {"fract", WORD_FUNCTION},
    {"fwidth", WORD_FUNCTION},
    {"gl_DepthRange", WORD_SAME},
    {"gl_DepthRangeParameters", WORD_SAME},
    {"gl_FragColor", WORD_SAME},
    {"gl_FragCoord", WORD_SAME},
    {"gl_FragData", WORD_SAME},
    {"gl_FragDepthEXT", WORD_SAME},
    {"gl_FrontFacing", WORD_SAME},
    {"gl_LastFragData", WORD_SAME},
    {"gl_MaxCombinedTextureImageUnits", WORD_SAME},
    {"gl_MaxDrawBuffers", WORD_SAME},
    {"gl_MaxFragmentUniformVectors", WORD_SAME},
    {"gl_MaxTextureImageUnits", WORD_SAME},
    {"gl_MaxVaryingVectors", WORD_SAME},
    {"gl_MaxVertexAttribs", WORD_SAME},
    {"gl_MaxVertexTextureImageUnits", WORD_SAME},
    {"gl_MaxVertexUniformVectors", WORD_SAME},
    {"gl_PointCoord", WORD_SAME},
    {"gl_PointSize", WORD_SAME},
    {"gl_Position", WORD_SAME},
    {"greaterThan", WORD_FUNCTION},
    {"greaterThanEqual", WORD_FUNCTION},
    {"highp", WORD_SAME},
    {"if", WORD_SAME},
    {"in", WORD_SAME},
    {"inout", WORD_SAME},
    {"int", WORD_SAME},
    {"invariant", WORD_SAME},
    {"inversesqrt", WORD_FUNCTION},
    {"ivec2", WORD_SAME},
    {"ivec3", WORD_SAME},
    {"ivec4", WORD_SAME},
    {"length", WORD_FUNCTION},
    {"lessThan", WORD_FUNCTION},
    {"lessThanEqual", WORD_FUNCTION},
    {"log", WORD_FUNCTION},
    {"log2", WORD_FUNCTION},
    {"lowp", WORD_SAME},
    {"main", WORD_SAME},
    {"mat2", WORD_SAME},
    {"mat3", WORD_SAME},
    {"mat4", WORD_SAME},
    {"matrixCompMult", WORD_FUNCTION},
    {"max", WORD_FUNCTION},
    {"mediump", WORD_SAME},
    {"min", WORD_FUNCTION},
    {"mix", WORD_FUNCTION},
    {"mod", WORD_FUNCTION},
    {"normalize", WORD_FUNCTION},
    {"not", WORD_FUNCTION},
    {"notEqual", WORD_FUNCTION},
    {"out", WORD_SAME},
    {"pow", WORD_FUNCTION},
    {"precision", WORD_SAME},
    {"radians", WORD_FUNCTION},
    {"reflect", WORD_FUNCTION},
    {"refract", WORD_FUNCTION},
    {"return", WORD_SAME},
    {"sampler2D", WORD_SAME},
    {"samplerCube", WORD_SAME},
    {"samplerExternalOES", WORD_SAME},
    {"sign", WORD_FUNCTION},
    {"sin", WORD_FUNCTION},
    {"smoothstep", WORD_FUNCTION},
    {"sqrt", WORD_FUNCTION},
    {"step", WORD_FUNCTION},
    {"struct", WORD_SAME},
    {"tan", WORD_FUNCTION},
    {"texture2D", WORD_FUNCTION},
    {"texture2DGradEXT", WORD_FUNCTION},
    {"texture2DLod", WORD_FUNCTION},
    {"texture2DLodEXT", WORD_FUNCTION},
    {"texture2DProj", WORD_FUNCTION},
    {"texture2DProjGradEXT", WORD_FUNCTION},
    {"texture2DProjLod", WORD_FUNCTION},
    {"texture2DProjLodEXT", WORD_FUNCTION},
    {"textureCube", WORD_FUNCTION},
    {"textureCubeGradEXT", WORD_FUNCTION},
    {"textureCubeLod", WORD_FUNCTION},
    {"textureCubeLodEXT", WORD_FUNCTION},
    {"true", WORD_SAME},
    {"uniform", WORD_SAME},
    {"varying", WORD_SAME},
    {"vec2", WORD_SAME},
    {"vec3", WORD_SAME},
    {"vec4", WORD_SAME},
    {"void", WORD_SAME},
    {"while", WORD_SAME},
};

static int compare(const void *key, const void *element) {
    return strcmp(key, ((const struct entry *)element)->name);
}

static bool is_swizzle(const struct name *name) {
    static const char *const sets[] = {"xyzw", "rgba", "stpq"};
    for (size_t i = 0; i < 3; i++) {
        if (name->length <= 4 && strspn(name->text, sets[i]) == name->length)
            return true;
    }
    return false;
}

enum word_kind essl_word(const struct name *name) {
    if (is_swizzle(name))
        return WORD_SWIZZLE;
    const struct entry *e =
        bsearch(name->text, entries, sizeof entries / sizeof *entries, sizeof *entries, compare);
    return e ? e->kind : WORD_USER;
}

enum word_kind essl_unit_word(const struct unit *unit, const struct name *name) {
    if (!unit->external_image && name_is(name, "samplerExternalOES")) /* a keyword by the extension only */
        return WORD_USER;
    if (!unit->es)
        return desktop_word(unit, name);
    return unit->version == 100 ? essl_word(name) : essl300_word(name);
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

static bool is_among(const char *name, const char *const *list, size_t count) {
    size_t i = 0;
    while (i < count && strcmp(name, list[i]) != 0)
        i++;
    return i < count;
}

bool essl_is_foreign_function(const struct unit *unit, const struct name *name) {
    static const char *const functions[] = {
        "absoluteDifference", "addSaturate",         "average",
        "averageRounded",     "controlBarrier",      "countLeadingZeros",
        "countTrailingZeros", "helperInvocationEXT", "imageLoad",
        "imageStore",         "memoryBarrier",       "multiply32x16",
        "shadow2DEXT",        "shadow2DProjEXT",     "subtractSaturate",
        "textureGather",      "textureGatherOffset", "textureGatherOffsets"};
    const char *n = name->text, *last = n + name->length - (name->length > 3 ? 3 : 0);
    if (unit->version < (unit->es ? 300 : 130) || essl_unit_word(unit, name) != WORD_USER)
        return false;
    return is_among(n, functions, sizeof functions / sizeof *functions) ||
           (name_begins(name, "texture") && (!strcmp(last, "Lod") || !strcmp(last, "EXT")));
}

bool essl_is_foreign(const struct unit *unit, const struct name *name) {
    const char *n = name->text;
    if (name_is(name, "samplerExternalOES"))
        return !unit->external_image;
    bool early = unit->version < (unit->es ? 300 : 130);
    if (is_sized_type(n) || name_is(name, "shared") || (unit->es && essl_is_foreign_function(unit, name)))
        return true;
    if (!early)
        return false;
    if (name->length == 6 && name_begins(name, "mat") && n[4] == 'x')
        return unit->version < 120;
    static const char *const samplers[] = {
        "sampler",         "sampler1D",           "sampler1DShadow", "sampler2D",     "sampler2DRect",
        "sampler2DShadow", "sampler2DRectShadow", "sampler3D",       "sampler3DRect", "samplerCube"};
    static const char *const later[] = {"active", "case", "common", "filter", "partition", "uint"};
    if (name_begins(name, "sampler"))
        return !is_among(n, samplers, sizeof samplers / sizeof *samplers);
    return is_among(n, later, sizeof later / sizeof *later) || name_begins(name, "uvec") ||
           name_begins(name, "isampler") || name_begins(name, "usampler");
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
