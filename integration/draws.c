/* Draws for bench/draws.py: each job of a file once, alone in its frame, so that the device's --stats has a
 * line for it. No display is needed (EGL_PLATFORM=surfaceless).
 *
 *     cc integration/draws.c -lEGL -lGLESv2 -o draws
 *     draws FILE
 *
 * A job: "draw NAME", the paths of a vertex and a fragment shader, the side of the picture, a line "name
 * values" for each uniform, "."; the first line is printed before the draw. Exit code 1: an error of GL. */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTURE = 64, UNITS = 8, ATTRIBUTES = 8 };

static int fail(const char *what, const char *why) {
    fprintf(stderr, "draws: %s: %s\n", what, why);
    exit(1);
}

static void start_gl(void) {
    static const EGLint wanted[] = {EGL_SURFACE_TYPE,
                                    EGL_PBUFFER_BIT,
                                    EGL_RED_SIZE,
                                    8,
                                    EGL_GREEN_SIZE,
                                    8,
                                    EGL_BLUE_SIZE,
                                    8,
                                    EGL_ALPHA_SIZE,
                                    8,
                                    EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_ES2_BIT,
                                    EGL_NONE};
    static const EGLint second[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLConfig config;
    EGLint count = 0;
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API) ||
        !eglChooseConfig(display, wanted, &config, 1, &count) || !count)
        fail("EGL", "no display, or no configuration");
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, second);
    if (!eglMakeCurrent(display, surface, surface, context))
        fail("EGL", "no context");
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (!file || !text)
        fail(path, "cannot be read");
    text[fread(text, 1, (1 << 16) - 1, file)] = 0;
    fclose(file);
    return text;
}

static void attach(GLuint program, GLenum kind, const char *path) {
    char *text = read_text(path), log[4000] = "";
    const char *source = text;
    GLuint shader = glCreateShader(kind);
    GLint fine;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &fine);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!fine)
        fail(path, log);
    glAttachShader(program, shader);
    glDeleteShader(shader);
    free(text);
}

/* Every sampler has a picture of its kind, without further levels. */
static void bind_textures(void) {
    static unsigned char texels[TEXTURE * TEXTURE * 4];
    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = (unsigned char)(i * 37 + (i >> 7));
    for (unsigned unit = 0; unit < UNITS; unit++) {
        GLuint texture[2];
        glGenTextures(2, texture);
        glActiveTexture(GL_TEXTURE0 + unit);
        for (int cube = 0; cube < 2; cube++) {
            GLenum target = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
            glBindTexture(target, texture[cube]);
            glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
            glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
            glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
            for (unsigned face = 0; face < (cube ? 6u : 1u); face++)
                glTexImage2D(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : target, 0, GL_RGBA, TEXTURE,
                             TEXTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        }
    }
}

static void set_uniform(GLuint program, const char *name, char *values) {
    GLfloat f[16] = {0};
    GLint i[4] = {0}, count = 0, active, size;
    GLint at = glGetUniformLocation(program, name);
    for (char *rest = values; count < 16 && *rest; count++) {
        f[count] = strtof(rest, &rest);
        if (count < 4)
            i[count] = (GLint)f[count];
        rest += *rest == ',';
    }
    if (at < 0) /* nothing reads it */
        return;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &active);
    for (GLint k = 0; k < active; k++) {
        GLenum type;
        char other[100];
        size_t length = strcspn(name, "[");
        glGetActiveUniform(program, (GLuint)k, sizeof other, NULL, &size, &type, other);
        if (strcspn(other, "[") != length || strncmp(name, other, length))
            continue;
        switch (type) {
        case GL_FLOAT: glUniform1fv(at, 1, f); return;
        case GL_FLOAT_VEC2: glUniform2fv(at, 1, f); return;
        case GL_FLOAT_VEC3: glUniform3fv(at, 1, f); return;
        case GL_FLOAT_VEC4: glUniform4fv(at, 1, f); return;
        case GL_FLOAT_MAT3: glUniformMatrix3fv(at, 1, GL_FALSE, f); return;
        case GL_FLOAT_MAT4: glUniformMatrix4fv(at, 1, GL_FALSE, f); return;
        case GL_INT_VEC4: glUniform4iv(at, 1, i); return;
        default: glUniform1i(at, i[0]); return;
        }
    }
}

static void set_samplers(GLuint program) {
    GLint active, size, unit = 0;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &active);
    for (GLint k = 0; k < active; k++) {
        GLenum type;
        char name[100];
        glGetActiveUniform(program, (GLuint)k, sizeof name, NULL, &size, &type, name);
        if (type == GL_SAMPLER_2D || type == GL_SAMPLER_CUBE)
            glUniform1i(glGetUniformLocation(program, name), unit++);
    }
}

/* Two triangles over all of the picture; what is no position is between 0 and 1. */
static void draw(GLuint program) {
    static const GLfloat position[] = {-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 1};
    static const GLfloat other[] = {0.125f, 0.125f, 1, 0.25f, 1, 0.125f, 1, 0.25f,
                                    0.125f, 1,      1, 0.25f, 1, 1,      1, 0.25f};
    GLint active;
    glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &active);
    for (GLint k = 0; k < active && k < ATTRIBUTES; k++) {
        GLenum type;
        GLint size;
        char name[100];
        glGetActiveAttrib(program, (GLuint)k, sizeof name, NULL, &size, &type, name);
        GLuint at = (GLuint)glGetAttribLocation(program, name);
        GLint words = type == GL_FLOAT ? 1 : type == GL_FLOAT_VEC2 ? 2 : type == GL_FLOAT_VEC3 ? 3 : 4;
        glVertexAttribPointer(at, words, GL_FLOAT, GL_FALSE, 16,
                              strcmp(name, "a_position") ? other : position);
        glEnableVertexAttribArray(at);
    }
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glFinish();
    for (GLuint k = 0; k < ATTRIBUTES; k++)
        glDisableVertexAttribArray(k);
}

static void make_target(GLsizei side) {
    GLuint texture, frame;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + UNITS);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glViewport(0, 0, side, side);
}

static char *next_line(FILE *jobs, char line[1000]) {
    if (!fgets(line, 1000, jobs))
        return NULL;
    line[strcspn(line, "\n")] = 0;
    return line;
}

int main(int argc, char **argv) {
    FILE *jobs = argc == 2 ? fopen(argv[1], "r") : NULL;
    char name[1000], line[1000];
    if (!jobs)
        fail(argc == 2 ? argv[1] : "usage", "draws FILE");
    start_gl();
    bind_textures();
    glFinish();
    while (next_line(jobs, name)) {
        GLuint program = glCreateProgram();
        GLint fine;
        if (!next_line(jobs, line))
            break;
        attach(program, GL_VERTEX_SHADER, line);
        if (!next_line(jobs, line))
            break;
        attach(program, GL_FRAGMENT_SHADER, line);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &fine);
        if (!fine || !next_line(jobs, line))
            fail(name, "does not link");
        glUseProgram(program);
        make_target(atoi(line));
        set_samplers(program);
        while (next_line(jobs, line) && strcmp(line, ".")) {
            char *values = strchr(line, ' ');
            if (!values)
                fail(name, line);
            *values++ = 0;
            set_uniform(program, line, values);
        }
        glFinish();
        fprintf(stderr, "%s\n", name);
        draw(program);
        GLenum error = glGetError();
        if (error)
            fail(name, "GL reports an error");
        glDeleteProgram(program);
    }
    fclose(jobs);
    return 0;
}
