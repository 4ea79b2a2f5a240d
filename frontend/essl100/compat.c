/* compat.c: the built-in variables of desktop GLSL's compatibility profile, which the target language lacks.
 * Those that a shader uses are declared before its text, under names that module.c changes back to GL's.
 *
 * The compiler's interface lists them by kind: gl_Vertex as an attribute, gl_ModelViewMatrix as a uniform,
 * gl_TexCoord as a varying. The program that draws supplies them like any others. A fragment shader's
 * gl_Color is the varying gl_FrontColor. */
#include "frontend/essl100/essl100.h"
#include "ir/heap.h"

#include <stdlib.h>
#include <string.h>

enum kind { ATTRIBUTE, UNIFORM, VARYING };

/* Members have the user's prefix, so that what stands after a dot needs no types. */
static const struct structure_text {
    const char *name, *text;
} structures[] = {
    {"gl_PointParameters", "struct qpu_PointParameters { float Qsize, QsizeMin, QsizeMax, "
                           "QfadeThresholdSize, QdistanceConstantAttenuation, "
                           "QdistanceLinearAttenuation, QdistanceQuadraticAttenuation; };"},
    {"gl_MaterialParameters",
     "struct qpu_MaterialParameters { vec4 Qemission, Qambient, Qdiffuse, Qspecular; float Qshininess; };"},
    {"gl_LightSourceParameters", "struct qpu_LightSourceParameters { vec4 Qambient, Qdiffuse, Qspecular, "
                                 "Qposition, QhalfVector; vec3 QspotDirection; "
                                 "float QspotExponent, QspotCutoff, QspotCosCutoff, QconstantAttenuation, "
                                 "QlinearAttenuation, QquadraticAttenuation; };"},
    {"gl_LightModelParameters", "struct qpu_LightModelParameters { vec4 Qambient; };"},
    {"gl_LightModelProducts", "struct qpu_LightModelProducts { vec4 QsceneColor; };"},
    {"gl_LightProducts", "struct qpu_LightProducts { vec4 Qambient, Qdiffuse, Qspecular; };"},
    {"gl_FogParameters", "struct qpu_FogParameters { vec4 Qcolor; float Qdensity, Qstart, Qend, Qscale; };"},
    {"gl_DepthRangeParameters", "struct qpu_DepthRangeParameters { highp float Qnear, Qfar, Qdiff; };"},
};

static const struct variable_text {
    const char *name; /* as both stages know it */
    enum kind kind;
    const char *type;
    const char *array;
} variables[] = {
    {"gl_DepthRange", UNIFORM, "gl_DepthRangeParameters", ""},
    {"gl_Vertex", ATTRIBUTE, "vec4", ""},
    {"gl_Normal", ATTRIBUTE, "vec3", ""},
    {"gl_Color", ATTRIBUTE, "vec4", ""},
    {"gl_SecondaryColor", ATTRIBUTE, "vec4", ""},
    {"gl_FogCoord", ATTRIBUTE, "float", ""},
    {"gl_MultiTexCoord0", ATTRIBUTE, "vec4", ""},
    {"gl_MultiTexCoord1", ATTRIBUTE, "vec4", ""},
    {"gl_MultiTexCoord2", ATTRIBUTE, "vec4", ""},
    {"gl_MultiTexCoord3", ATTRIBUTE, "vec4", ""},
    {"gl_MultiTexCoord4", ATTRIBUTE, "vec4", ""},
    {"gl_MultiTexCoord5", ATTRIBUTE, "vec4", ""},
    {"gl_MultiTexCoord6", ATTRIBUTE, "vec4", ""},
    {"gl_MultiTexCoord7", ATTRIBUTE, "vec4", ""},
    {"gl_FrontColor", VARYING, "vec4", ""},
    {"gl_BackColor", VARYING, "vec4", ""},
    {"gl_FrontSecondaryColor", VARYING, "vec4", ""},
    {"gl_BackSecondaryColor", VARYING, "vec4", ""},
    {"gl_FogFragCoord", VARYING, "float", ""},
    {"gl_ClipVertex", VARYING, "vec4", ""},
    {"gl_TexCoord", VARYING, "vec4", NULL}, /* as long as it is used */
    {"gl_ClipDistance", VARYING, "float", NULL},
    {"gl_NormalMatrix", UNIFORM, "mat3", ""},
    {"gl_NormalScale", UNIFORM, "float", ""},
    {"gl_ClipPlane", UNIFORM, "vec4", "[6]"},
    {"gl_Point", UNIFORM, "gl_PointParameters", ""},
    {"gl_FrontMaterial", UNIFORM, "gl_MaterialParameters", ""},
    {"gl_BackMaterial", UNIFORM, "gl_MaterialParameters", ""},
    {"gl_LightSource", UNIFORM, "gl_LightSourceParameters", "[8]"},
    {"gl_LightModel", UNIFORM, "gl_LightModelParameters", ""},
    {"gl_FrontLightModelProduct", UNIFORM, "gl_LightModelProducts", ""},
    {"gl_BackLightModelProduct", UNIFORM, "gl_LightModelProducts", ""},
    {"gl_FrontLightProduct", UNIFORM, "gl_LightProducts", "[8]"},
    {"gl_BackLightProduct", UNIFORM, "gl_LightProducts", "[8]"},
    {"gl_TextureEnvColor", UNIFORM, "vec4", "[8]"},
    {"gl_EyePlaneS", UNIFORM, "vec4", "[8]"},
    {"gl_EyePlaneT", UNIFORM, "vec4", "[8]"},
    {"gl_EyePlaneR", UNIFORM, "vec4", "[8]"},
    {"gl_EyePlaneQ", UNIFORM, "vec4", "[8]"},
    {"gl_ObjectPlaneS", UNIFORM, "vec4", "[8]"},
    {"gl_ObjectPlaneT", UNIFORM, "vec4", "[8]"},
    {"gl_ObjectPlaneR", UNIFORM, "vec4", "[8]"},
    {"gl_ObjectPlaneQ", UNIFORM, "vec4", "[8]"},
    {"gl_Fog", UNIFORM, "gl_FogParameters", ""},
};

static const char *const matrices[] = {"gl_ModelViewMatrix", "gl_ProjectionMatrix",
                                       "gl_ModelViewProjectionMatrix", "gl_TextureMatrix"};
static const char *const matrix_forms[] = {"", "Inverse", "Transpose", "InverseTranspose"};

bool essl_is_fixed_name(const char *name) {
    static const char *const constants[] = {"gl_MaxClipPlanes", "gl_MaxLights", "gl_MaxTextureCoords",
                                            "gl_MaxTextureUnits"};
    if (!strncmp(name, "gl_DepthRange", 13) || !strcmp(name, "gl_ClipDistance"))
        return false;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!strcmp(name, constants[i]))
            return true;
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++)
        if (!strcmp(name, structures[i].name))
            return true;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (!strcmp(name, variables[i].name))
            return true;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        size_t length = strlen(matrices[i]);
        for (size_t f = 0; f < sizeof matrix_forms / sizeof *matrix_forms; f++)
            if (!strncmp(name, matrices[i], length) && !strcmp(name + length, matrix_forms[f]))
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

/* Is the language's own function of that name used? */
static bool uses_function(const struct unit *unit, const struct declarations *d, const char *name) {
    for (size_t i = 0; i < unit->tokens.count; i++) {
        if (d->meanings[i].kind == MEANS_NOTHING && token_is(&unit->tokens.at[i], name))
            return true;
    }
    return false;
}

/* The text of a declaration with each gl_ as it is spelled in the translation. */
static void add_respelled(struct run *run, struct pass_text *out, const char *text) {
    struct buffer b = {0};
    for (; *text; text++) {
        bool builtin = !strncmp(text, "gl_", 3);
        buffer_add_z(run, &b, builtin ? "qpu_" : (char[]){*text, 0});
        text += builtin ? 2 : 0;
    }
    if (!run->failed)
        essl_add_line(run, out, b.text);
    ir_heap_free(b.text);
}

static bool uses_varying(const struct unit *unit, const char *name) {
    if (unit && unit->stage == QPUCC_FRAGMENT) {
        const char *read = !strcmp(name, "gl_FrontColor")            ? "gl_Color"
                           : !strcmp(name, "gl_FrontSecondaryColor") ? "gl_SecondaryColor"
                                                                     : name;
        return (read != name || strncmp(name, "gl_Back", 7)) && essl_uses(unit, read);
    }
    return essl_uses(unit, name);
}

static bool uses_variable(const struct unit *unit, const struct unit *other, const struct variable_text *v) {
    switch (v->kind) {
    case ATTRIBUTE: return unit->stage == QPUCC_VERTEX && essl_uses(unit, v->name);
    case UNIFORM: return essl_uses(unit, v->name);
    case VARYING: break;
    }
    /* What the fragment shader reads the vertex shader has, written or not. */
    return uses_varying(unit, v->name) ||
           (unit->stage == QPUCC_VERTEX && !unit->es && uses_varying(other, v->name));
}

/* Elements of gl_TexCoord or gl_ClipDistance: as declared, or up to the largest index when all are numbers.
 */
static unsigned elements_of(const struct unit *unit, const char *name) {
    unsigned most = 0;
    for (size_t i = 0; unit && i + 2 < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (!token_is(t, name))
            continue;
        bool number = token_is(t + 1, "[") && t[2].kind == T_NUMBER;
        bool declares = i && (token_is(t - 1, "vec4") || token_is(t - 1, "float") ||
                              token_is(t - 1, "highp") || token_is(t - 1, "mediump"));
        unsigned long index = number ? strtoul(t[2].name->text, NULL, 0) + !declares : 8;
        most = index > most ? (unsigned)(index < 8 ? index : 8) : most;
    }
    return most;
}

static void add_variable(struct run *run, const struct unit *unit, const struct unit *other,
                         const struct variable_text *v, struct pass_text *out) {
    bool vertex = unit->stage == QPUCC_VERTEX;
    const char *array = v->array, *how = v->kind == UNIFORM     ? "uniform"
                                         : v->kind == ATTRIBUTE ? "in"
                                         : vertex               ? "out"
                                                                : "in";
    if (!array) {
        unsigned a = elements_of(unit, v->name), b = elements_of(other, v->name);
        array = run_format(run, "[%u]", a > b ? a : b);
    }
    add_respelled(run, out, run_format(run, "%s %s %s%s;", how, v->type, v->name, array));
}

static void add_matrices(struct run *run, const struct unit *unit, const struct declarations *d,
                         struct pass_text *out) {
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++)
        for (size_t f = 0; f < sizeof matrix_forms / sizeof *matrix_forms; f++) {
            const char *name = run_format(run, "%s%s", matrices[m], matrix_forms[f]);
            bool position = m == 2 && f == 0 && uses_function(unit, d, "ftransform");
            if (essl_uses(unit, name) || position)
                add_respelled(run, out, run_format(run, "uniform mat4 %s%s;", name, m == 3 ? "[8]" : ""));
        }
}

/* A shadow lookup of old gives the comparison as a grey with alpha 1: depth textures are luminance by default
 * (GL 2.1 section 3.8.14). */
static void add_shadow(struct run *run, struct pass_text *out, const char *dimensions, const char *form,
                       const char *parameters, const char *arguments) {
    const char *point = strncmp(form, "Proj", 4) ? "vec3" : "vec4";
    int length = (int)(strlen(form) - (strstr(form, "ARB") ? strlen("ARB") : 0));
    essl_add_line(run, out,
                  run_format(run,
                             "vec4 qpu_shadow%s%s(sampler%sShadow s, %s p%s) "
                             "{ return vec4(vec3(texture%.*s(s, p%s)), 1.0); }",
                             dimensions, form, dimensions, point, parameters, length, form, arguments));
}

/* Those of GLSL 1.10, ARB_texture_rectangle and ARB_shader_texture_lod. */
static void add_shadows(struct run *run, const struct unit *unit, const struct declarations *d,
                        struct pass_text *out) {
    static const char *const dimensions[] = {"1D", "2D", "2DRect"}, *const forms[] = {
                                                                        "",        "Proj",    "Lod",
                                                                        "ProjLod", "GradARB", "ProjGradARB"};
    for (size_t k = 0; k < sizeof dimensions / sizeof *dimensions; k++)
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            bool levels = strcmp(dimensions[k], "2DRect"); /* a rectangle has one */
            if (!uses_function(unit, d, run_format(run, "shadow%s%s", dimensions[k], forms[f])))
                continue;
            if (strstr(forms[f], "Grad")) {
                const char *type = k ? "vec2" : "float";
                add_shadow(run, out, dimensions[k], forms[f], run_format(run, ", %s x, %s y", type, type),
                           ", x, y");
                continue;
            }
            bool level = strstr(forms[f], "Lod");
            if (!level)
                add_shadow(run, out, dimensions[k], forms[f], "", "");
            if (levels && (level || unit->stage == QPUCC_FRAGMENT)) /* a level, or a bias */
                add_shadow(run, out, dimensions[k], forms[f], ", float b", ", b");
        }
}

/* Functions that the target lacks. */
static void add_functions(struct run *run, const struct unit *unit, const struct declarations *d,
                          struct pass_text *out) {
    if (uses_function(unit, d, "ftransform")) {
        if (!essl_uses(unit, "gl_Vertex"))
            essl_add_line(run, out, "in vec4 qpu_Vertex;");
        essl_add_line(run, out,
                      "vec4 qpu_ftransform() { return qpu_ModelViewProjectionMatrix * qpu_Vertex; }");
    }
    add_shadows(run, unit, d, out);
}

void essl_declare_builtins(struct run *run, const struct unit *unit, const struct declarations *d,
                           const struct unit *other, struct pass_text *out) {
    bool needed[sizeof variables / sizeof *variables] = {false};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        needed[i] = (i == 0 || !unit->es) && uses_variable(unit, other, &variables[i]);
    for (size_t s = 0; s < sizeof structures / sizeof *structures; s++) {
        bool used = essl_uses(unit, structures[s].name);
        for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
            used |= needed[i] && !strcmp(variables[i].type, structures[s].name);
        if (used)
            essl_add_line(run, out, structures[s].text);
    }
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (needed[i])
            add_variable(run, unit, other, &variables[i], out);
    if (unit->es)
        return;
    add_matrices(run, unit, d, out);
    add_functions(run, unit, d, out);
}

/* The colours that a vertex shader writes are clamped (GL 2.1 section 2.14.6). */
static void add_color_clamp(struct run *run, const struct unit *unit, struct buffer *text) {
    static const char *const colors[] = {"FrontColor", "BackColor", "FrontSecondaryColor",
                                         "BackSecondaryColor"};
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (essl_uses(unit, run_format(run, "gl_%s", colors[i])))
            buffer_add_z(run, text,
                         run_format(run, " qpu_%s = clamp(qpu_%s, 0.0, 1.0);", colors[i], colors[i]));
}

const char *essl_main_frame(struct run *run, const struct unit *unit, const struct declarations *d) {
    struct buffer before = {0}, after = {0};
    for (size_t i = 0; i < d->variable_count; i++) {
        const struct variable *v = &d->variables[i];
        if (v->fetched)
            buffer_add_z(run, &before,
                         run_format(run, " Q%s = %s(qpu_LastFragData[0]);", v->name->text, v->type->text));
    }
    if (!unit->es && unit->stage == QPUCC_VERTEX)
        add_color_clamp(run, unit, &after);
    const char *text = before.text || after.text
                           ? run_format(run, "void main() {%s qpu_main();%s }",
                                        before.text ? before.text : "", after.text ? after.text : "")
                           : NULL;
    ir_heap_free(before.text);
    ir_heap_free(after.text);
    return text;
}
