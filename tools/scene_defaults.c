/* Default values of uniforms, by the names that shaders commonly use. The user's description is in
 * docs/qpucc.1, section "Default values". */
#include "scene_defaults.h"
#include "trig.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct matrix {
    float m[16]; /* column after column */
};

static struct matrix identity(void) {
    struct matrix r = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    return r;
}

static struct matrix multiply(struct matrix a, struct matrix b) {
    struct matrix r;
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 4; i++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += (double)a.m[k * 4 + i] * (double)b.m[c * 4 + k];
            r.m[c * 4 + i] = (float)sum;
        }
    return r;
}

static struct matrix rotation(int axis, float degrees) {
    struct matrix r = identity();
    float angle = degrees * 3.14159265f / 180, c = cos_float(angle), s = sin_float(angle);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    r.m[a * 4 + a] = c;
    r.m[a * 4 + b] = s;
    r.m[b * 4 + a] = -s;
    r.m[b * 4 + b] = c;
    return r;
}

static struct matrix perspective(float degrees, float aspect, float near, float far) {
    struct matrix r = {{0}};
    float f = 1 / tan_float(degrees * 3.14159265f / 360);
    r.m[0] = f / aspect;
    r.m[5] = f;
    r.m[10] = (far + near) / (near - far);
    r.m[11] = -1;
    r.m[14] = 2 * far * near / (near - far);
    return r;
}

/* Everything that the names of matrices can mean. Flat meshes live in clip space: all identity. */
struct camera {
    struct matrix model, view, projection;
};

static struct camera camera_of(const struct scene *scene) {
    struct camera c = {identity(), identity(), identity()};
    if (scene->mesh.flat)
        return c;
    c.model = multiply(rotation(0, 24), rotation(1, -32 + 20 * scene->time));
    c.view.m[14] = -SCENE_CAMERA_DISTANCE;
    c.projection = perspective(40, (float)scene->width / (float)scene->height, 1, 10);
    return c;
}

/* --- names ---------------------------------------------------------------------------------------------- */

/* Lower case letters and digits of the last member: "light[1].u_Pos" is "upos". */
static void key_of(const char *name, char *out, size_t size, unsigned *index) {
    const char *dot = strrchr(name, '.');
    size_t n = 0;
    *index = 0;
    for (const char *c = strchr(name, '['); c && isdigit((unsigned char)c[1]); c = NULL)
        *index = (unsigned)(c[1] - '0');
    for (const char *c = dot ? dot + 1 : name; *c && *c != '[' && n + 1 < size; c++)
        if (isalnum((unsigned char)*c))
            out[n++] = (char)tolower((unsigned char)*c);
    out[n] = 0;
}

static bool any(const char *key, const char *const *parts) {
    for (; *parts; parts++)
        if (strstr(key, *parts))
            return true;
    return false;
}
#define ANY(key, ...) any(key, (const char *const[]){__VA_ARGS__, NULL})

static void matrix_default(const struct scene *scene, const char *key, unsigned n, float *out) {
    struct camera c = camera_of(scene);
    struct matrix m;
    bool model = ANY(key, "model", "world", "object", "mv"), view = ANY(key, "view", "camera", "mv"),
         projection = ANY(key, "proj", "mvp", "persp");
    if (n == 2 || ANY(key, "texture", "texmat", "color"))
        m = identity();
    else if (ANY(key, "normal",
                 "invtrans")) /* no scaling in model and view: the rotation is its own inverse transpose */
        m = multiply(c.view, c.model);
    else if (ANY(key, "light", "shadow")) {
        struct matrix bias = {{0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0.5f, 1}};
        m = multiply(bias, multiply(c.projection, multiply(c.view, c.model)));
    } else if (projection)
        m = model  ? multiply(c.projection, multiply(c.view, c.model))
            : view ? multiply(c.projection, c.view)
                   : c.projection;
    else if (view)
        m = model ? multiply(c.view, c.model) : c.view;
    else if (model)
        m = c.model;
    else
        m = multiply(c.projection, multiply(c.view, c.model));
    if (ANY(key, "normal", "invtrans"))
        m.m[12] = m.m[13] = m.m[14] = 0;
    for (unsigned col = 0; col < n; col++)
        for (unsigned row = 0; row < n; row++)
            out[col * n + row] = m.m[col * 4 + row];
}

static float scalar_default(const struct scene *scene, const char *key) {
    static const struct {
        const char *part;
        float value;
    } table[] = {{"shini", 24},      {"power", 3},       {"exponent", 16}, {"opacity", 1}, {"alpha", 1},
                 {"density", 0.15f}, {"near", 1},        {"far", 10},      {"radius", 8},  {"distance", 0},
                 {"bias", 0},        {"displac", 0.1f},  {"scale", 1},     {"offset", 0},  {"height", 0.5f},
                 {"ratio", 0.66f},   {"refract", 0.66f}, {"size", 1},      {"intens", 1},  {"strength", 1},
                 {"freq", 8},        {"speed", 1},       {"amp", 0.2f},    {"width", 0.1f}};
    if (ANY(key, "aspect"))
        return (float)scene->width / (float)scene->height;
    if (ANY(key, "pointsize"))
        return 16;
    if (strlen(key) < 2 ? key[0] == 't' : ANY(key, "time", "tick", "clock"))
        return scene->time;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strstr(key, table[i].part))
            return table[i].value;
    return 0.5f;
}

static void fill(float *out, unsigned n, float a, float b, float c, float d) {
    const float v[4] = {a, b, c, d};
    memcpy(out, v, n * sizeof *out);
}

static void vector_default(const struct scene *scene, const char *key, unsigned n, unsigned index,
                           float *out) {
    float w = (float)scene->width, h = (float)scene->height, i = (float)index;
    if (ANY(key, "color", "colour", "ambient", "diffuse", "specular", "fog", "albedo", "tint", "lightcol") ||
        (strlen(key) > 3 && !strcmp(key + strlen(key) - 3, "col"))) {
        float k = ANY(key, "ambient") ? 0.25f : 1;
        unsigned hash = 0;
        for (const char *c = key; *c; c++)
            hash = hash * 31 + (unsigned char)*c;
        float turn = (float)(hash % 8) / 8 * 6.2831853f + i * 2;
        fill(out, n, k * (0.7f + 0.25f * cos_float(turn)), k * (0.7f + 0.25f * cos_float(turn - 2.1f)),
             k * (0.7f + 0.25f * cos_float(turn + 2.1f)), 1);
    } else if (ANY(key, "resolution", "viewport", "screen", "canvas", "framesize", "outputsize"))
        fill(out, n, w, h, 1, 1);
    else if (ANY(key, "texel", "pixelsize", "invsize", "texstep"))
        fill(out, n, 1 / w, 1 / h, 0, 0);
    else if (ANY(key, "texturesize", "inputsize", "imagesize"))
        fill(out, n, 64, 64, 1, 1);
    else if (ANY(key, "light"))
        fill(out, n, 2 - 2 * i, 3 - i * 0.5f, 4, ANY(key, "dir") ? 0 : 1);
    else if (ANY(key, "eye", "camera", "viewpos"))
        fill(out, n, 0, 0, scene->mesh.flat ? 1 : SCENE_CAMERA_DISTANCE, 1);
    else if (ANY(key, "dir"))
        fill(out, n, 0.267261f, 0.534522f, 0.801784f, 0);
    else if (ANY(key, "mouse"))
        fill(out, n, w * 0.6f, h * 0.6f, 0, 0);
    else if (ANY(key, "offset", "center", "origin", "translat", "pos"))
        fill(out, n, 0, 0, 0, n == 4 && ANY(key, "pos") ? 1 : 0);
    else if (ANY(key, "scale", "repeat", "size"))
        fill(out, n, 1, 1, 1, 1);
    else
        fill(out, n, 0.5f, 0.4f, 0.6f, 1);
}

/* What a variant of the scene multiplies a value by, 0.5 .. 1.5. */
static float factor_of(unsigned variant, const char *key, unsigned component) {
    uint32_t hash = variant * 2654435761u + component * 40503u;
    for (const char *c = key; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    hash ^= hash >> 15;
    return 0.5f + (float)(hash * 2246822519u >> 16) / 65536;
}

/* Shadertoy's uniforms that the rules above would not find; false: it is another. */
static bool shadertoy_default(const struct scene *scene, const char *name, unsigned n, float *out) {
    static const struct {
        const char *name;
        float value[4];
    } table[] = {{"iTimeDelta", {1.0f / 60}}, {"iFrameRate", {60}},
                 {"iSampleRate", {44100}},    {"iMouse", {0}},
                 {"iDate", {2026, 0, 1, 0}},  {"iChannelResolution", {64, 64, 1}}};
    if (!strcmp(name, "iFrame"))
        *out = floorf(scene->time * 60);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name) && n <= 4) {
            memcpy(out, table[i].value, n * sizeof *out);
            if (!strcmp(name, "iDate")) /* seconds of the day */
                out[3] = scene->time;
            return true;
        }
    return !strcmp(name, "iFrame");
}

void scene_default_uniform(const struct scene *scene, const char *name, enum qpucc_base_type base,
                           unsigned rows, unsigned cols, unsigned array_length, float *out) {
    char key[64];
    unsigned index, n = rows * cols;
    key_of(name, key, sizeof key, &index);
    for (unsigned e = 0; e < array_length; e++, out += n) {
        if (shadertoy_default(scene, name, n, out))
            continue;
        if (base == QPUCC_BOOL)
            for (unsigned i = 0; i < n; i++)
                out[i] = 1;
        else if (base != QPUCC_FLOAT)
            for (unsigned i = 0; i < n; i++)
                out[i] = ANY(key, "loop", "count", "num", "iter") ? 3
                         : !strcmp(name, "gl_InstanceID")         ? 0
                                                                  : 1;
        else if (cols > 1)
            matrix_default(scene, key, cols, out);
        else if (rows == 1)
            *out = scalar_default(scene, key);
        else
            vector_default(scene, key, rows, index + e, out);
        /* not where things are and how large: nothing might be seen */
        bool varies = scene->variant && base == QPUCC_FLOAT && cols == 1 &&
                      !ANY(key, "size", "resolution", "texel", "pos", "eye", "camera", "aspect");
        for (unsigned i = 0; varies && i < rows; i++)
            out[i] *= factor_of(scene->variant, key, i + 4 * e);
    }
}
