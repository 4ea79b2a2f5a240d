/* Surfaceless EGL and GLES 2: the reference that is not ours. */
#include "gl_picture.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gl {
    EGLDisplay display;
    EGLContext context;
    char name[200];
};

struct gl *gl_open(char *error, size_t size) {
    static const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    struct gl *gl = calloc(1, sizeof *gl);
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    const char *where = "eglGetPlatformDisplay";
    if (!gl)
        return NULL;
    gl->context = EGL_NO_CONTEXT;
    gl->display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    bool ok = gl->display != EGL_NO_DISPLAY;
    if (ok) {
        where = "eglInitialize";
        ok = eglInitialize(gl->display, NULL, NULL) && eglBindAPI(EGL_OPENGL_ES_API);
    }
    if (ok) {
        where = "eglCreateContext";
        gl->context = eglCreateContext(gl->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
        ok = gl->context != EGL_NO_CONTEXT &&
             eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl->context);
    }
    if (!ok) {
        snprintf(error, size, "no surfaceless GLES 2 here: %s failed (0x%x)", where, (unsigned)eglGetError());
        gl_close(gl);
        return NULL;
    }
    snprintf(gl->name, sizeof gl->name, "%s, %s", (const char *)glGetString(GL_RENDERER),
             (const char *)glGetString(GL_VERSION));
    return gl;
}

void gl_close(struct gl *gl) {
    if (!gl)
        return;
    if (gl->display != EGL_NO_DISPLAY) {
        eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (gl->context != EGL_NO_CONTEXT)
            eglDestroyContext(gl->display, gl->context);
        eglTerminate(gl->display);
        eglReleaseThread();
    }
    free(gl);
}

const char *gl_name(const struct gl *gl) {
    return gl->name;
}

/* --- shaders -------------------------------------------------------------------------------------------- */

/* After the last line with one of the directives. */
static size_t position_after(const char *source, const char *directive, const char *other) {
    size_t end = 0;
    for (const char *line = source; *line;) {
        const char *next = strchr(line, '\n'), *c = line;
        next = next ? next + 1 : line + strlen(line);
        while (*c == ' ' || *c == '\t')
            c++;
        if (*c == '#') {
            c++;
            while (*c == ' ' || *c == '\t')
                c++;
            if (!strncmp(c, directive, strlen(directive)) || !strncmp(c, other, strlen(other)))
                end = (size_t)(next - source);
        }
        line = next;
    }
    return end;
}

size_t gl_after_version(const char *source) {
    return position_after(source, "version", "version");
}

/* Function-like macros do not expand in themselves, so these wrap the built-in functions of the same names.
 * The error is relative, of the result, or absolute; `rough` that of the SFU's tables, of interpolated
 * varyings and of texels of 8 bits, `fine` that of a few float operations. */
struct disturbance {
    const char *name, *form; /* disturbance[%1$u]: -1..1, %2$.9f: the size of the error */
    double rough, fine;
};

#define PLUS_ERROR " + disturbance[%1$u] * %2$.9f)"
#define TIMES_ERROR " * (1.0 + disturbance[%1$u] * %2$.9f))"
#define INEXACT_ANGLE "((x) * (1.0 + disturbance[%1$u] * 0.0000002))"
static const struct disturbance disturbances[] = {
    {"sin", "(x) (sin" INEXACT_ANGLE PLUS_ERROR, 2e-5, 3e-7},
    {"cos", "(x) (cos" INEXACT_ANGLE PLUS_ERROR, 2e-5, 3e-7},
    {"exp", "(x) (exp(x)" TIMES_ERROR, 1e-4, 5e-7},
    {"exp2", "(x) (exp2(x)" TIMES_ERROR, 1e-4, 5e-7},
    {"log", "(x) (log(x)" PLUS_ERROR, 5e-5, 5e-7},
    {"log2", "(x) (log2(x)" PLUS_ERROR, 5e-5, 5e-7},
    {"pow", "(x, y) (pow(x, y)" TIMES_ERROR, 2e-4, 2e-6},
    {"sqrt", "(x) (sqrt(x)" TIMES_ERROR, 5e-5, 3e-7},
    {"inversesqrt", "(x) (inversesqrt(x)" TIMES_ERROR, 5e-5, 3e-7},
    {"normalize", "(x) (normalize(x)" TIMES_ERROR, 5e-5, 3e-7},
    {"length", "(x) (length(x)" TIMES_ERROR, 5e-5, 3e-7},
    {"distance", "(x, y) (distance(x, y)" TIMES_ERROR, 5e-5, 3e-7},
    {"atan", "(x) (atan(x)" PLUS_ERROR, 2e-5, 1e-6},
    {"texture2D", "(s, c) (texture2D(s, c) + disturbance[%1$u] * %2$.9f * texel_noise((c).xyxy))", 6e-3,
     6e-3},
    {"textureCube", "(s, c) (textureCube(s, c) + disturbance[%1$u] * %2$.9f * texel_noise((c).xyzx))", 6e-3,
     6e-3},
};

/* Errors of a draw are uniforms, so that the driver compiles a shader once for all of them. */
static const char disturbing_functions[] =
    "uniform highp float disturbance[16];\n"
    "vec4 texel_noise(vec4 c) {\n"
    "    return fract(sin(c * vec4(127.1, 311.7, 74.7, 246.1) + c.yzwx * 53.7) * 4375.85) * 2.0 - 1.0;\n"
    "}\n";

/* -1..1, the same for the same arguments. */
static double noise(unsigned seed, uint32_t value) {
    value = (value ^ value >> 13) * 2654435761u + seed * 0x9e3779b9u;
    value = (value ^ value >> 15) * 2246822519u;
    return (double)((value ^ value >> 13) >> 8) / 8388608 - 1;
}

/* Does the text use a name that a macro of its own redefines? */
static bool defines(const char *source, const char *name) {
    char text[64];
    snprintf(text, sizeof text, "define %s", name);
    return strstr(source, text) != NULL;
}

/* The functions' errors as macros. What the source defines itself stays out, and what it calls with another
 * number of arguments than the macro has: `atan`, a lookup with a bias. */
static void write_disturbances(const char *source, const struct gl_variation *how, bool lookups, char *out,
                               size_t size) {
    size_t length = 0;
    *out = 0;
    for (size_t i = 0; how->seed && i < sizeof disturbances / sizeof *disturbances; i++) {
        const struct disturbance *d = &disturbances[i];
        if ((!lookups && strstr(d->form, "texel_noise")) || defines(source, d->name) ||
            (!strcmp(d->name, "atan") && strstr(source, "atan")))
            continue;
        length += (size_t)snprintf(out + length, size - length, "#define %s", d->name);
        length += (size_t)snprintf(out + length, size - length, d->form, (unsigned)i,
                                   how->rough ? d->rough : d->fine);
        length += (size_t)snprintf(out + length, size - length, "\n");
    }
}

static GLuint compile(GLenum type, const char *source, const char *macros, const char *functions,
                      const char *behind_main, char *error, size_t size) {
    static const char force[] = "#define mediump highp\n#define lowp highp\n",
                      precision[] = "precision highp float;\n";
    size_t head = gl_after_version(source), body = position_after(source, "version", "extension");
    const char *main_name = *behind_main ? "#define main shader_main\n" : "";
    const char *parts[] = {source,    force,  main_name,     source + head, precision,
                           functions, macros, source + body, behind_main};
    GLint lengths[] = {(GLint)head, -1, -1, (GLint)(body - head), -1, -1, -1, (GLint)strlen(source + body),
                       -1};
    GLint ok = 0;
    GLuint shader = glCreateShader(type);
    glShaderSource(shader, sizeof parts / sizeof *parts, parts, lengths);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok)
        return shader;
    glGetShaderInfoLog(shader, (GLsizei)size, NULL, error);
    glDeleteShader(shader);
    return 0;
}

/* Macros for lookups are left out where they do not fit: with a bias a lookup has an argument more. */
static GLuint make_shader(GLenum type, const char *source, const struct gl_variation *how,
                          const char *behind_main, char *error, size_t size) {
    char macros[3000];
    write_disturbances(source, how, true, macros, sizeof macros);
    GLuint shader =
        compile(type, source, macros, how->seed ? disturbing_functions : "", behind_main, error, size);
    if (shader || !how->seed)
        return shader;
    write_disturbances(source, how, false, macros, sizeof macros);
    return compile(type, source, macros, disturbing_functions, behind_main, error, size);
}

/* What the hardware does to a vertex: screen coordinates to the nearest sixteenth of a pixel. */
static void write_snapping(const struct scene *scene, char *out, size_t size) {
    snprintf(out, size,
             "\n#undef main\nvoid main() {\n"
             "    shader_main();\n"
             "    if (gl_Position.w > 0.0) {\n"
             "        vec2 sixteenths = gl_Position.xy / gl_Position.w * vec2(%u.0, %u.0);\n"
             "        gl_Position.xy = floor(sixteenths + 0.5) / vec2(%u.0, %u.0) * gl_Position.w;\n"
             "    }\n"
             "}\n",
             scene->width * 8, scene->height * 8, scene->width * 8, scene->height * 8);
}

static GLuint make_program(const struct scene *scene, const char *vertex, const char *fragment,
                           const struct gl_variation *how, char *error, size_t size) {
    char snapping[600] = "";
    if (how->snap)
        write_snapping(scene, snapping, sizeof snapping);
    GLuint vs = make_shader(GL_VERTEX_SHADER, vertex, how, snapping, error, size);
    GLuint fs = vs ? make_shader(GL_FRAGMENT_SHADER, fragment, how, "", error, size) : 0;
    GLint ok = 0;
    GLuint program = 0;
    if (vs && fs) {
        program = glCreateProgram();
        glAttachShader(program, vs);
        glAttachShader(program, fs);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &ok);
        if (!ok) {
            glGetProgramInfoLog(program, (GLsizei)size, NULL, error);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(vs);
    glDeleteShader(fs);
    return program;
}

/* The lines of a log that are no warnings. */
static void take_errors(char *log, char *error, size_t size) {
    size_t length = 0;
    for (char *line = log; *line;) {
        size_t n = strcspn(line, "\n");
        char end = line[n];
        line[n] = 0;
        if (n && !strstr(line, "warning:") && length < size)
            length += (size_t)snprintf(error + length, size - length, "%s%s", length ? "; " : "", line);
        line += n + (end != 0);
    }
}

bool gl_accepts(struct gl *gl, const char *vertex, const char *fragment, char *error, size_t size) {
    static const GLenum types[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
    const char *sources[] = {vertex, fragment};
    GLuint program = glCreateProgram();
    GLint ok = 1;
    char log[4000] = "";
    (void)gl; /* current in this thread since gl_open */
    for (unsigned i = 0; i < 2 && ok; i++) {
        GLuint shader = glCreateShader(types[i]);
        glShaderSource(shader, 1, &sources[i], NULL);
        glCompileShader(shader);
        glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    if (ok) {
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &ok);
        glGetProgramInfoLog(program, sizeof log, NULL, log);
    }
    glDeleteProgram(program);
    if (!ok)
        take_errors(log, error, size);
    return ok;
}

/* --- state ---------------------------------------------------------------------------------------------- */

struct gl_type {
    GLenum type;
    enum qpucc_base_type base;
    unsigned rows, cols;
};

static const struct gl_type types[] = {
    {GL_FLOAT, QPUCC_FLOAT, 1, 1},      {GL_FLOAT_VEC2, QPUCC_FLOAT, 2, 1},
    {GL_FLOAT_VEC3, QPUCC_FLOAT, 3, 1}, {GL_FLOAT_VEC4, QPUCC_FLOAT, 4, 1},
    {GL_FLOAT_MAT2, QPUCC_FLOAT, 2, 2}, {GL_FLOAT_MAT3, QPUCC_FLOAT, 3, 3},
    {GL_FLOAT_MAT4, QPUCC_FLOAT, 4, 4}, {GL_INT, QPUCC_INT, 1, 1},
    {GL_INT_VEC2, QPUCC_INT, 2, 1},     {GL_INT_VEC3, QPUCC_INT, 3, 1},
    {GL_INT_VEC4, QPUCC_INT, 4, 1},     {GL_BOOL, QPUCC_BOOL, 1, 1},
    {GL_BOOL_VEC2, QPUCC_BOOL, 2, 1},   {GL_BOOL_VEC3, QPUCC_BOOL, 3, 1},
    {GL_BOOL_VEC4, QPUCC_BOOL, 4, 1},
};

/* The same for the same value: vertices that meet still do. */
static float inexact(float value, const struct gl_variation *how) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (float)(value * (1 + 2.5e-7 * noise(how->seed, bits)));
}

/* What the scene says, or what the machine's side of it does where the scene says nothing: GLES 2 has
 * repetition for powers of two only. */
static void set_sampling(const struct scene_texture *set, const struct picture *picture, GLint filter) {
    static const GLint wraps[] = {
        [SCENE_REPEAT] = GL_REPEAT, [SCENE_CLAMP] = GL_CLAMP_TO_EDGE, [SCENE_MIRROR] = GL_MIRRORED_REPEAT};
    bool power = !(picture->width & (picture->width - 1)) && !(picture->height & (picture->height - 1));
    GLint wrap = power ? GL_REPEAT : GL_CLAMP_TO_EDGE;
    if (set && set->wrap != SCENE_WRAP_DEFAULT)
        wrap = wraps[set->wrap];
    if (set && set->filter != SCENE_FILTER_DEFAULT)
        filter = set->filter == SCENE_NEAREST ? GL_NEAREST : GL_LINEAR;
    bool mipmap = set && set->filter == SCENE_MIPMAP;
    if (mipmap)
        glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, mipmap ? GL_LINEAR_MIPMAP_LINEAR : filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
}

static bool set_texture(const struct scene *scene, const char *name, unsigned element, GLint location,
                        unsigned unit, GLint filter, GLuint *texture, char *error, size_t size) {
    struct picture picture;
    if (!scene_texture(scene, name, element, &picture, error, size))
        return false;
    glGenTextures(1, texture);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, *texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, (GLsizei)picture.width, (GLsizei)picture.height, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, picture.pixels);
    set_sampling(scene_texture_setting(scene, name, element), &picture, filter);
    glUniform1i(location, (GLint)unit);
    picture_free(&picture);
    return true;
}

static bool set_cube(const struct scene *scene, const char *name, unsigned element, GLint location,
                     unsigned unit, GLint filter, GLuint *texture, char *error, size_t size) {
    struct picture faces[6];
    if (!scene_cube(scene, name, element, faces, error, size))
        return false;
    glGenTextures(1, texture);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_CUBE_MAP, *texture);
    for (GLenum i = 0; i < 6; i++) {
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, GL_RGBA, (GLsizei)faces[i].width,
                     (GLsizei)faces[i].height, 0, GL_RGBA, GL_UNSIGNED_BYTE, faces[i].pixels);
        picture_free(&faces[i]);
    }
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glUniform1i(location, (GLint)unit);
    return true;
}

/* Each element of an array of samplers its own. */
static bool set_samplers(const struct scene *scene, GLuint program, char *name, GLenum type, unsigned length,
                         GLint filter, GLuint textures[16], unsigned *count, char *error, size_t size) {
    name[strcspn(name, "[")] = 0;
    for (unsigned i = 0; i < length; i++, ++*count) {
        char element[160];
        snprintf(element, sizeof element, "%s[%u]", name, i);
        GLint location = glGetUniformLocation(program, length > 1 ? element : name);
        if (*count == 16) {
            snprintf(error, size, "more than 16 textures");
            return false;
        }
        if (!(type == GL_SAMPLER_2D ? set_texture : set_cube)(scene, name, i, location, *count, filter,
                                                              &textures[*count], error, size))
            return false;
    }
    return true;
}

static bool set_uniforms(const struct scene *scene, const struct gl_variation *how, GLuint program,
                         GLuint textures[16], unsigned *texture_count, char *error, size_t size) {
    GLint count = 0, filter = scene->nearest ? GL_NEAREST : GL_LINEAR;
    float *values = malloc(SCENE_MAX_WORDS * 16 * sizeof *values);
    bool ok = values != NULL;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    for (GLint i = 0; ok && i < count; i++) {
        char name[128];
        GLint length = 1;
        GLenum type;
        const struct gl_type *t = NULL;
        glGetActiveUniform(program, (GLuint)i, sizeof name, NULL, &length, &type, name);
        GLint location = glGetUniformLocation(program, name);
        if (location < 0)
            continue; /* gl_DepthRange */
        if (how->seed && !strncmp(name, "disturbance", strlen("disturbance"))) {
            for (GLint w = 0; w < length; w++)
                values[w] = (float)noise(how->seed, (uint32_t)w);
            glUniform1fv(location, length, values);
            continue;
        }
        if (type == GL_SAMPLER_2D || type == GL_SAMPLER_CUBE) {
            ok = set_samplers(scene, program, name, type, (unsigned)length, filter, textures, texture_count,
                              error, size);
            continue;
        }
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            if (types[k].type == type)
                t = &types[k];
        if (!t || length > SCENE_MAX_WORDS) {
            snprintf(error, size, "uniform '%s' is of a type that scenes do not set", name);
            ok = false;
            break;
        }
        scene_uniform(scene, name, t->base, t->rows, t->cols, (unsigned)length, values);
        if (how->seed && t->base == QPUCC_FLOAT)
            for (unsigned w = 0; w < t->rows * t->cols * (unsigned)length; w++)
                values[w] = inexact(values[w], how);
        if (t->cols == 2)
            glUniformMatrix2fv(location, length, GL_FALSE, values);
        else if (t->cols == 3)
            glUniformMatrix3fv(location, length, GL_FALSE, values);
        else if (t->cols == 4)
            glUniformMatrix4fv(location, length, GL_FALSE, values);
        else {
            unsigned words = t->rows * (unsigned)length;
            GLint *ints = malloc(words * sizeof *ints);
            for (unsigned w = 0; ints && w < words; w++)
                ints[w] = (GLint)values[w];
            ok = ints != NULL;
            if (t->base == QPUCC_FLOAT)
                (t->rows == 1   ? glUniform1fv
                 : t->rows == 2 ? glUniform2fv
                 : t->rows == 3 ? glUniform3fv
                                : glUniform4fv)(location, length, values);
            else if (ok)
                (t->rows == 1   ? glUniform1iv
                 : t->rows == 2 ? glUniform2iv
                 : t->rows == 3 ? glUniform3iv
                                : glUniform4iv)(location, length, ints);
            free(ints);
        }
    }
    free(values);
    return ok;
}

static float *set_attributes(const struct mesh *mesh, const struct gl_variation *how, GLuint program,
                             GLint *active) {
    glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, active);
    float *data = calloc(mesh->count * 4 * (size_t)(*active ? *active : 1), sizeof *data);
    for (GLint i = 0; data && i < *active; i++) {
        char name[128];
        GLint length;
        GLenum type;
        float *column = data + (size_t)i * mesh->count * 4;
        glGetActiveAttrib(program, (GLuint)i, sizeof name, NULL, &length, &type, name);
        GLint location = glGetAttribLocation(program, name);
        if (location < 0)
            continue;
        for (size_t v = 0; v < mesh->count; v++)
            mesh_attribute(mesh, name, v, column + v * 4);
        for (size_t v = 0; how->seed && v < mesh->count * 4; v++)
            column[v] = inexact(column[v], how);
        glEnableVertexAttribArray((GLuint)location);
        glVertexAttribPointer((GLuint)location, 4, GL_FLOAT, GL_FALSE, 0, column);
    }
    return data;
}

static bool draw_once(const struct scene *scene, const char *vertex, const char *fragment,
                      const uint8_t clear[4], const struct gl_variation *how, uint8_t *pixels, char *error,
                      size_t size) {
    static const GLenum modes[] = {GL_TRIANGLES, GL_LINES, GL_POINTS}; /* enum qpucc_primitive */
    GLuint textures[16], program = make_program(scene, vertex, fragment, how, error, size);
    unsigned texture_count = 0;
    GLint active = 0;
    if (!program)
        return false;
    glUseProgram(program);
    glViewport(0, 0, (GLsizei)scene->width, (GLsizei)scene->height);
    glClearColor((float)clear[0] / 255, (float)clear[1] / 255, (float)clear[2] / 255, (float)clear[3] / 255);
    glClearDepthf(1);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_DITHER);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    bool ok = set_uniforms(scene, how, program, textures, &texture_count, error, size);
    float *data = ok ? set_attributes(&scene->mesh, how, program, &active) : NULL;
    if (data) {
        glDrawArrays(modes[scene_primitive(scene)], 0, (GLsizei)scene->mesh.count);
        glReadPixels(0, 0, (GLsizei)scene->width, (GLsizei)scene->height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        GLenum fault = glGetError();
        ok = fault == GL_NO_ERROR;
        if (!ok)
            snprintf(error, size, "GL error 0x%x", fault);
    }
    for (GLuint i = 0; i < 8; i++)
        glDisableVertexAttribArray(i);
    glDeleteTextures((GLsizei)texture_count, textures);
    glDeleteProgram(program);
    free(data);
    return ok && data;
}

/* --- edges ---------------------------------------------------------------------------------------------- */

static const char depth_fragment[] =
    "void main() {\n"
    "    float z = gl_FragCoord.z * 255.0;\n"
    "    float high = floor(z), rest = (z - high) * 255.0;\n"
    "    gl_FragColor = vec4(high / 255.0, floor(rest) / 255.0, rest - floor(rest), 1.0);\n"
    "}\n";

static double depth_at(const uint8_t *p) {
    return p[3] ? (p[0] + (p[1] + p[2] / 255.0) / 255.0) / 255.0 : 2;
}

/* A pixel whose neighbours are not all covered alike, or where depth bends more than a plane's rounding does.
 */
static void find_edges(const uint8_t *pixels, unsigned width, unsigned height, bool *edges) {
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            bool edge = false;
            double here = depth_at(pixels + 4 * (y * width + x));
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    long ax = (long)x + dx, ay = (long)y + dy, bx = (long)x - dx, by = (long)y - dy;
                    bool a_in = ax >= 0 && ay >= 0 && ax < (long)width && ay < (long)height;
                    bool b_in = bx >= 0 && by >= 0 && bx < (long)width && by < (long)height;
                    if (!a_in)
                        continue;
                    double a = depth_at(pixels + 4 * ((unsigned)ay * width + (unsigned)ax));
                    if ((a > 1) != (here > 1))
                        edge = true;
                    if (!b_in)
                        continue;
                    double b = depth_at(pixels + 4 * ((unsigned)by * width + (unsigned)bx));
                    if (a <= 1 && b <= 1 && here <= 1 && fabs(a + b - 2 * here) > 0.0008)
                        edge = true;
                }
            edges[y * width + x] = edge;
        }
}

bool gl_draw(struct gl *gl, const struct scene *scene, const char *vertex, const char *fragment,
             const struct gl_variation *how, struct picture *out, bool *edges, char *error, size_t size) {
    (void)gl; /* current in this thread since gl_open */
    size_t bytes = (size_t)scene->width * scene->height * 4;
    static const uint8_t nothing[4] = {0, 0, 0, 0};
    GLuint framebuffer, buffers[2];
    out->width = scene->width;
    out->height = scene->height;
    out->pixels = calloc(1, bytes);
    uint8_t *depth = calloc(1, bytes);
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(2, buffers);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8_OES, (GLsizei)scene->width, (GLsizei)scene->height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24_OES, (GLsizei)scene->width,
                          (GLsizei)scene->height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
    bool ok = out->pixels && depth;
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        snprintf(error, size, "framebuffer incomplete");
        ok = false;
    }
    ok = ok && draw_once(scene, vertex, fragment, scene->clear, how, out->pixels, error, size);
    if (ok && edges) {
        ok = draw_once(scene, vertex, depth_fragment, nothing, &(struct gl_variation){.snap = how->snap},
                       depth, error, size);
        if (ok)
            find_edges(depth, scene->width, scene->height, edges);
    }
    glDeleteRenderbuffers(2, buffers);
    glDeleteFramebuffers(1, &framebuffer);
    free(depth);
    if (!ok)
        picture_free(out);
    return ok;
}
