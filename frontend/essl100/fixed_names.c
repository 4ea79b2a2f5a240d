/* fixed_names.c: the names of the fixed pipeline, which desktop GLSL has up to 1.30 and in the compatibility
 * profile, and lookups by the names of that time. glslang accepts them all, but it has no code for
 * ftransform, the wrong alpha for lookups of shadows, and of the core profile's lookups nothing but the
 * prototypes. */
#include "frontend/essl100/essl100.h"

#include <string.h>

bool essl_is_fixed_name(const char *name) {
    static const char *const names[] = {
        "gl_BackColor",
        "gl_BackLightModelProduct",
        "gl_BackLightProduct",
        "gl_BackMaterial",
        "gl_BackSecondaryColor",
        "gl_ClipPlane",
        "gl_ClipVertex",
        "gl_Color",
        "gl_EyePlaneQ",
        "gl_EyePlaneR",
        "gl_EyePlaneS",
        "gl_EyePlaneT",
        "gl_Fog",
        "gl_FogCoord",
        "gl_FogFragCoord",
        "gl_FogParameters",
        "gl_FrontColor",
        "gl_FrontLightModelProduct",
        "gl_FrontLightProduct",
        "gl_FrontMaterial",
        "gl_FrontSecondaryColor",
        "gl_LightModel",
        "gl_LightModelParameters",
        "gl_LightModelProducts",
        "gl_LightProducts",
        "gl_LightSource",
        "gl_LightSourceParameters",
        "gl_MaterialParameters",
        "gl_MaxClipPlanes",
        "gl_MaxLights",
        "gl_MaxTextureCoords",
        "gl_MaxTextureUnits",
        "gl_MultiTexCoord0",
        "gl_MultiTexCoord1",
        "gl_MultiTexCoord2",
        "gl_MultiTexCoord3",
        "gl_MultiTexCoord4",
        "gl_MultiTexCoord5",
        "gl_MultiTexCoord6",
        "gl_MultiTexCoord7",
        "gl_Normal",
        "gl_NormalMatrix",
        "gl_NormalScale",
        "gl_ObjectPlaneQ",
        "gl_ObjectPlaneR",
        "gl_ObjectPlaneS",
        "gl_ObjectPlaneT",
        "gl_Point",
        "gl_PointParameters",
        "gl_SecondaryColor",
        "gl_TexCoord",
        "gl_TextureEnvColor",
        "gl_Vertex",
    };
    static const char *const matrices[] = {"gl_ModelViewMatrix", "gl_ProjectionMatrix",
                                           "gl_ModelViewProjectionMatrix", "gl_TextureMatrix"};
    static const char *const forms[] = {"", "Inverse", "Transpose", "InverseTranspose"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        size_t length = strlen(matrices[i]);
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
            if (!strncmp(name, matrices[i], length) && !strcmp(name + length, forms[f]))
                return true;
    }
    return false;
}

bool essl_uses(const struct unit *unit, const char *name) {
    for (size_t i = 0; unit && i < unit->tokens.count; i++) {
        if (token_is(&unit->tokens.at[i], name))
            return true;
    }
    return false;
}

bool essl_is_old_function(const struct unit *unit, const struct declarations *d, size_t i) {
    const struct token *t = &unit->tokens.at[i];
    return !unit->es && d->meanings[i].kind == MEANS_NOTHING &&
           (token_is(t, "ftransform") || name_begins(t->name, "shadow1D") ||
            name_begins(t->name, "shadow2D"));
}

static bool is_core(const struct unit *unit, enum text_use use) {
    return !unit->es && essl_text_version(unit, use) >= 150 && !unit->compatibility;
}

/* 4.20 took them out of the core profile (1.30 to 4.10 call them deprecated). */
const char *essl_core_lookup(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                             enum text_use use) {
    const struct token *t = &unit->tokens.at[i];
    bool core = is_core(unit, use);
    if (!core || d->meanings[i].kind != MEANS_NOTHING || !name_begins(t->name, "texture"))
        return NULL;
    static const char *const samplers[] = {"1D", "2DRect", "2D", "3D", "Cube"};
    for (size_t k = 0; k < sizeof samplers / sizeof *samplers; k++) {
        const char *form = t->name->text + strlen("texture");
        size_t length = strlen(samplers[k]);
        if (strncmp(form, samplers[k], length) == 0)
            return run_format(run, "texture%.*s", (int)strcspn(form + length, "A"),
                              form + length); /* GradARB */
    }
    return NULL;
}

static bool calls(const struct unit *unit, const struct declarations *d, const char *name) {
    for (size_t i = 0; i < unit->tokens.count; i++) {
        if (d->meanings[i].kind == MEANS_NOTHING && token_is(&unit->tokens.at[i], name))
            return true;
    }
    return false;
}

struct shadow {
    const char *sampler, *form; /* 2DRect, ProjGradARB … */
    bool core;                  /* profile: see essl_core_lookup */
};

/* A lookup of old gives the comparison as a grey with alpha 1: depth textures are luminance by default (GL
 * 2.1 section 3.8.14). */
static void add_shadow(struct run *run, struct pass_text *out, const struct shadow *s, const char *parameters,
                       const char *arguments) {
    const char *point = strstr(s->form, "Proj") ? "vec4" : "vec3";
    int length = (int)strcspn(s->form, "A"); /* GradARB */
    const char *call = s->core ? run_format(run, "texture%.*s", length, s->form)
                               : run_format(run, "shadow%s%s", s->sampler, s->form);
    essl_add_line(run, out,
                  run_format(run,
                             "vec4 qpudshadow%s%s(sampler%sShadow s, %s p%s) "
                             "{ return vec4(vec3(%s(s, p%s)), 1.0); }",
                             s->sampler, s->form, s->sampler, point, parameters, call, arguments));
}

/* Those of GLSL 1.10, ARB_texture_rectangle and ARB_shader_texture_lod. */
static void add_shadows(struct run *run, const struct unit *unit, const struct declarations *d,
                        struct pass_text *out) {
    static const char *const samplers[] = {"1D", "2D", "2DRect"}, *const forms[] = {"",        "Proj",
                                                                                    "Lod",     "ProjLod",
                                                                                    "GradARB", "ProjGradARB"};
    for (size_t k = 0; k < sizeof samplers / sizeof *samplers; k++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            const struct shadow s = {samplers[k], forms[f], is_core(unit, TEXT_CODE)};
            const char *type = k ? "vec2" : "float";
            bool level = strstr(forms[f], "Lod"),
                 levels = strcmp(samplers[k], "2DRect"); /* a rectangle has one */
            if (!calls(unit, d, run_format(run, "shadow%s%s", samplers[k], forms[f])))
                continue;
            if (strstr(forms[f], "Grad")) {
                add_shadow(run, out, &s, run_format(run, ", %s x, %s y", type, type), ", x, y");
                continue;
            }
            if (!level)
                add_shadow(run, out, &s, "", "");
            if (levels && (level || unit->stage == QPUCC_FRAGMENT)) /* a level, or a bias */
                add_shadow(run, out, &s, ", float b", ", b");
        }
}

void essl_add_old_functions(struct run *run, const struct unit *unit, const struct declarations *d,
                            struct pass_text *out) {
    if (unit->es)
        return;
    if (calls(unit, d, "ftransform"))
        essl_add_line(run, out, "vec4 qpudftransform() { return gl_ModelViewProjectionMatrix * gl_Vertex; }");
    add_shadows(run, unit, d, out);
}
