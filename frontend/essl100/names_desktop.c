/* names_desktop.c: the names that desktop GLSL 1.10 to 3.30 adds to the closed lists of ES, each with its
 * first version. The target is GLSL 3.30, in which functions may be overloaded and replaced as the user's
 * version allows. A word that the user's version does not have yet is an ordinary identifier. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

static const struct entry {
    const char *name;
    enum word_kind kind;
    const char *to; /* NULL: the same */
} entries[] = {
    /* sorted by name (strcmp) for bsearch; a test checks the order */
    {"ftransform", WORD_FUNCTION, "qpu_ftransform"},
    {"gl_FragCoord", WORD_SAME, NULL},
    {"gl_FragDepth", WORD_SAME, NULL},
    {"gl_FrontFacing", WORD_SAME, NULL},
    {"gl_InstanceID", WORD_SAME, "gl_InstanceIndex"},
    {"gl_MaxClipDistances", WORD_SAME, "8"},
    {"gl_MaxClipPlanes", WORD_SAME, "6"},
    {"gl_MaxCombinedTextureImageUnits", WORD_SAME, "32"},
    {"gl_MaxDrawBuffers", WORD_SAME, "1"},
    {"gl_MaxFragmentInputComponents", WORD_SAME, "32"},
    {"gl_MaxFragmentUniformComponents", WORD_SAME, "1024"},
    {"gl_MaxLights", WORD_SAME, "8"},
    {"gl_MaxTextureCoords", WORD_SAME, "8"},
    {"gl_MaxTextureImageUnits", WORD_SAME, "16"},
    {"gl_MaxTextureUnits", WORD_SAME, "8"},
    {"gl_MaxVaryingComponents", WORD_SAME, "32"},
    {"gl_MaxVaryingFloats", WORD_SAME, "32"},
    {"gl_MaxVertexAttribs", WORD_SAME, "8"},
    {"gl_MaxVertexOutputComponents", WORD_SAME, "32"},
    {"gl_MaxVertexTextureImageUnits", WORD_SAME, "16"},
    {"gl_MaxVertexUniformComponents", WORD_SAME, "1024"},
    {"gl_PointCoord", WORD_SAME, NULL},
    {"gl_PointSize", WORD_SAME, NULL},
    {"gl_Position", WORD_SAME, NULL},
    {"gl_VertexID", WORD_SAME, "gl_VertexIndex"},
    {"noperspective", WORD_SAME, NULL},
    {"shadow1D", WORD_FUNCTION, "qpu_shadow1D"},
    {"shadow1DGradARB", WORD_FUNCTION, "qpu_shadow1DGradARB"},
    {"shadow1DLod", WORD_FUNCTION, "qpu_shadow1DLod"},
    {"shadow1DProj", WORD_FUNCTION, "qpu_shadow1DProj"},
    {"shadow1DProjGradARB", WORD_FUNCTION, "qpu_shadow1DProjGradARB"},
    {"shadow1DProjLod", WORD_FUNCTION, "qpu_shadow1DProjLod"},
    {"shadow2D", WORD_FUNCTION, "qpu_shadow2D"},
    {"shadow2DGradARB", WORD_FUNCTION, "qpu_shadow2DGradARB"},
    {"shadow2DLod", WORD_FUNCTION, "qpu_shadow2DLod"},
    {"shadow2DProj", WORD_FUNCTION, "qpu_shadow2DProj"},
    {"shadow2DProjGradARB", WORD_FUNCTION, "qpu_shadow2DProjGradARB"},
    {"shadow2DProjLod", WORD_FUNCTION, "qpu_shadow2DProjLod"},
    {"shadow2DRect", WORD_FUNCTION, "qpu_shadow2DRect"},
    {"shadow2DRectGradARB", WORD_FUNCTION, "qpu_shadow2DRectGradARB"},
    {"shadow2DRectProj", WORD_FUNCTION, "qpu_shadow2DRectProj"},
    {"shadow2DRectProjGradARB", WORD_FUNCTION, "qpu_shadow2DRectProjGradARB"},
    {"texture1D", WORD_FUNCTION, "texture"},
    {"texture1DGradARB", WORD_FUNCTION, "textureGrad"},
    {"texture1DLod", WORD_FUNCTION, "textureLod"},
    {"texture1DProj", WORD_FUNCTION, "textureProj"},
    {"texture1DProjGradARB", WORD_FUNCTION, "textureProjGrad"},
    {"texture1DProjLod", WORD_FUNCTION, "textureProjLod"},
    {"texture2DGradARB", WORD_FUNCTION, "textureGrad"},
    {"texture2DProjGradARB", WORD_FUNCTION, "textureProjGrad"},
    {"texture2DRect", WORD_FUNCTION, "texture"},
    {"texture2DRectGradARB", WORD_FUNCTION, "textureGrad"},
    {"texture2DRectProj", WORD_FUNCTION, "textureProj"},
    {"texture2DRectProjGradARB", WORD_FUNCTION, "textureProjGrad"},
    {"texture3D", WORD_FUNCTION, "texture"},
    {"texture3DLod", WORD_FUNCTION, "textureLod"},
    {"texture3DProj", WORD_FUNCTION, "textureProj"},
    {"texture3DProjLod", WORD_FUNCTION, "textureProjLod"},
    {"textureCubeGradARB", WORD_FUNCTION, "textureGrad"},
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

/* A built-in variable of the compatibility profile (compat.c declares it), by the name both stages know it
 * under. */
static struct word compatibility(struct run *run, const struct unit *unit, const char *name) {
    if (unit->stage == QPUCC_FRAGMENT && (!strcmp(name, "gl_Color") || !strcmp(name, "gl_SecondaryColor")))
        return (struct word){WORD_SAME, run_format(run, "qpu_Front%s", name + 3)};
    return (struct word){WORD_SAME, run_format(run, "qpu_%s", name + 3)};
}

struct word desktop_word(struct run *run, const struct unit *unit, const struct name *name) {
    const struct word user = {WORD_USER, NULL};
    const struct entry *e =
        bsearch(name->text, entries, sizeof entries / sizeof *entries, sizeof *entries, compare);
    if (e)
        return (struct word){e->kind, e->to ? e->to : e->name};
    if (!strncmp(name->text, "gl_", 3))
        return compatibility(run, unit, name->text);
    struct word w = essl_word(name);
    if (w.kind != WORD_USER)
        return w;
    w = essl300_word(name);
    if (w.kind == WORD_USER && is_sampler_type(name->text))
        w = (struct word){WORD_SAME, name->text};
    if (w.kind == WORD_SAME && since(name) > unit->version && strncmp(name->text, "sampler", 7))
        return user;
    return w;
}
