/* names_desktop.c: the names that desktop GLSL 1.10 to 3.30 adds to the closed lists of ES. A word that the
 * user's version does not have yet is an ordinary identifier. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

static const struct entry {
    const char *name;
    enum word_kind kind;
} entries[] = {
    /* sorted by name (strcmp) for bsearch; a test checks the order */
    {"ftransform", WORD_FUNCTION},
    {"gl_FragCoord", WORD_SAME},
    {"gl_FragDepth", WORD_SAME},
    {"gl_FrontFacing", WORD_SAME},
    {"gl_InstanceID", WORD_SAME},
    {"gl_MaxClipDistances", WORD_SAME},
    {"gl_MaxClipPlanes", WORD_SAME},
    {"gl_MaxCombinedTextureImageUnits", WORD_SAME},
    {"gl_MaxDrawBuffers", WORD_SAME},
    {"gl_MaxFragmentInputComponents", WORD_SAME},
    {"gl_MaxFragmentUniformComponents", WORD_SAME},
    {"gl_MaxLights", WORD_SAME},
    {"gl_MaxTextureCoords", WORD_SAME},
    {"gl_MaxTextureImageUnits", WORD_SAME},
    {"gl_MaxTextureUnits", WORD_SAME},
    {"gl_MaxVaryingComponents", WORD_SAME},
    {"gl_MaxVaryingFloats", WORD_SAME},
    {"gl_MaxVertexAttribs", WORD_SAME},
    {"gl_MaxVertexOutputComponents", WORD_SAME},
    {"gl_MaxVertexTextureImageUnits", WORD_SAME},
    {"gl_MaxVertexUniformComponents", WORD_SAME},
    {"gl_PointCoord", WORD_SAME},
    {"gl_PointSize", WORD_SAME},
    {"gl_Position", WORD_SAME},
    {"gl_VertexID", WORD_SAME},
    {"noperspective", WORD_SAME},
    {"shadow1D", WORD_FUNCTION},
    {"shadow1DGradARB", WORD_FUNCTION},
    {"shadow1DLod", WORD_FUNCTION},
    {"shadow1DProj", WORD_FUNCTION},
    {"shadow1DProjGradARB", WORD_FUNCTION},
    {"shadow1DProjLod", WORD_FUNCTION},
    {"shadow2D", WORD_FUNCTION},
    {"shadow2DGradARB", WORD_FUNCTION},
    {"shadow2DLod", WORD_FUNCTION},
    {"shadow2DProj", WORD_FUNCTION},
    {"shadow2DProjGradARB", WORD_FUNCTION},
    {"shadow2DProjLod", WORD_FUNCTION},
    {"shadow2DRect", WORD_FUNCTION},
    {"shadow2DRectGradARB", WORD_FUNCTION},
    {"shadow2DRectProj", WORD_FUNCTION},
    {"shadow2DRectProjGradARB", WORD_FUNCTION},
    {"texture1D", WORD_FUNCTION},
    {"texture1DGradARB", WORD_FUNCTION},
    {"texture1DLod", WORD_FUNCTION},
    {"texture1DProj", WORD_FUNCTION},
    {"texture1DProjGradARB", WORD_FUNCTION},
    {"texture1DProjLod", WORD_FUNCTION},
    {"texture2DGradARB", WORD_FUNCTION},
    {"texture2DProjGradARB", WORD_FUNCTION},
    {"texture2DRect", WORD_FUNCTION},
    {"texture2DRectGradARB", WORD_FUNCTION},
    {"texture2DRectProj", WORD_FUNCTION},
    {"texture2DRectProjGradARB", WORD_FUNCTION},
    {"texture3D", WORD_FUNCTION},
    {"texture3DLod", WORD_FUNCTION},
    {"texture3DProj", WORD_FUNCTION},
    {"texture3DProjLod", WORD_FUNCTION},
    {"textureCubeGradARB", WORD_FUNCTION},
};

static int compare(const void *key, const void *element) {
    return strcmp((const char *)key, ((const struct entry *)element)->name);
}

/* The first version with this word of names.c or names300.c; what is neither here nor in ES 1.00 came
 * with 1.30. */
static int since(const struct name *name) {
    static const struct {
        const char *name;
        int version;
    } early_or_late[] = {
        {"centroid", 120},          {"transpose", 120},
        {"outerProduct", 120},      {"layout", 110},
        {"inverse", 140},           {"determinant", 150},
        {"floatBitsToInt", 330},    {"floatBitsToUint", 330},
        {"intBitsToFloat", 330},    {"uintBitsToFloat", 330},
        {"packHalf2x16", 420},      {"unpackHalf2x16", 420},
        {"packUnorm2x16", 400},     {"unpackUnorm2x16", 400},
        {"packSnorm2x16", 400},     {"unpackSnorm2x16", 400},
        {"sampler2DShadow", 110},   {"sampler3D", 110},
        {"samplerCubeShadow", 130},
    };
    for (size_t i = 0; i < sizeof early_or_late / sizeof *early_or_late; i++)
        if (!strcmp(name->text, early_or_late[i].name))
            return early_or_late[i].version;
    bool matrix = !strncmp(name->text, "mat", 3) && name->length == 6;
    return matrix ? 120 : 130;
}

static bool is_sampler_type(const char *n) {
    n += *n == 'i' || *n == 'u';
    return !strncmp(n, "sampler", 7) && n[7];
}

enum word_kind desktop_word(const struct unit *unit, const struct name *name) {
    const struct entry *e =
        bsearch(name->text, entries, sizeof entries / sizeof *entries, sizeof *entries, compare);
    if (e)
        return e->kind;
    if (!strncmp(name->text, "gl_", 3))
        return WORD_SAME;
    enum word_kind kind = essl_word(name);
    if (kind != WORD_USER)
        return kind;
    kind = essl300_word(name);
    if (kind == WORD_USER && is_sampler_type(name->text))
        kind = WORD_SAME;
    bool later = kind == WORD_SAME && since(name) > unit->version && strncmp(name->text, "sampler", 7);
    return later ? WORD_USER : kind;
}
