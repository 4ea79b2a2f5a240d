/* What Mesa's vc4 driver makes of pairs, on a computer without the chip: the peer's columns for any shaders.
 *
 *     bench_peer PAIRS.jsonl|FOLDER >mesa.tsv
 *     bench_peer PAIRS.jsonl|FOLDER --times ROUNDS >mesa-times.tsv
 *
 * A pair is drawn as peers-dev.tsv says (triangles, RGBA8888, no blending, no depth), and the driver's own
 * report of each compile, which GL hands on as debug messages, becomes a line: name, stage, instructions,
 * uniforms, threads. What the driver refuses, or dies of, is a line that says so.
 *
 * The driver needs a device that takes its calls and does nothing. Mesa has one, which is built with
 * -Dgallium-drivers=vc4 -Dplatforms= -Dglvnd=false -Dtools=drm-shim; the calls that this one refuses are in
 * peer_calls.c. Both programs here are built where Debian's libgbm-dev is. With the build in MESA:
 *
 *     LD_LIBRARY_PATH=MESA/src/egl:MESA/src/gbm:MESA/src/mapi/es2api:MESA/src/mapi/shared-glapi
 *     LIBGL_DRIVERS_PATH=MESA/src/gallium/targets/dri GBM_BACKENDS_PATH=MESA/src/gbm
 *     LD_PRELOAD=BUILD/bench/libbench_peer_calls.so:MESA/src/broadcom/drm-shim/libvc4_noop_drm_shim.so
 *     VC4_DEBUG=shaderdb MESA_SHADER_CACHE_DISABLE=1
 *
 * With --times a line is a name and milliseconds: what compiling, linking and the first draw of the pair take
 * of the process' CPU time, the least of several rounds; the driver compiles at the draw. Then the device of
 * docs/device.md does as well, because it works in a process of its own (qpusim-device -- bench_peer ...).
 *
 * Built from Mesa 22.3.6 it prints what peers-dev.tsv has, for all 1379 stages of the corpus. */
#include "tests/tools/pair_folder.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <fcntl.h>
#include <gbm.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 64, UNITS = 16, MOST_ATTRIBUTES = 8 };

/* The pair under way, and what was last said of its stages: variants for the draw come after guesses. */
struct reports {
    unsigned instructions[3], uniforms[3], threads[3];
};

static void GL_APIENTRY take_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                     const GLchar *text, const void *user) {
    (void)source, (void)type, (void)id, (void)severity, (void)length;
    static const char *const stages[] = {"FRAGMENT", "VERTEX", "COORD"};
    struct reports *reports = (struct reports *)(uintptr_t)user;
    char stage[16];
    unsigned instructions, threads, uniforms;
    if (sscanf(text, "MESA_SHADER_%15s shader: %u inst, %u threads, %u uniforms", stage, &instructions,
               &threads, &uniforms) != 4)
        return;
    for (unsigned k = 0; k < 3; k++)
        if (!strcmp(stage, stages[k])) {
            reports->instructions[k] = instructions;
            reports->uniforms[k] = uniforms;
            reports->threads[k] = threads;
        }
}

static bool open_context(void) {
    static const EGLint es2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    int file = open("/dev/dri/renderD128", O_RDWR);
    struct gbm_device *device = file < 0 ? NULL : gbm_create_device(file);
    EGLDisplay display = get && device ? get(EGL_PLATFORM_GBM_MESA, device, NULL) : EGL_NO_DISPLAY;
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
        return false;
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, es2);
    return eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
}

/* A target and texels for every unit, and zeros for every attribute. */
static void prepare(void) {
    static const float zeros[3 * 16];
    static const unsigned char texels[4 * SIDE * SIDE];
    GLuint texture[2], target, buffer;
    glGenTextures(2, texture);
    for (unsigned unit = 0; unit < UNITS; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glBindTexture(GL_TEXTURE_2D, texture[unit == 0]);
    }
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glActiveTexture(GL_TEXTURE0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glGenFramebuffers(1, &target);
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture[1], 0);
    glBindTexture(GL_TEXTURE_2D, texture[0]);
    glViewport(0, 0, SIDE, SIDE);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, sizeof zeros, zeros, GL_STATIC_DRAW);
}

static GLuint compile(const char *const text[2], char *error, GLsizei size) {
    GLuint program = glCreateProgram();
    GLint good = GL_TRUE;
    for (unsigned k = 0; k < 2 && good; k++) {
        GLuint shader = glCreateShader(k ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &text[k], NULL);
        glCompileShader(shader);
        glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
        if (!good)
            glGetShaderInfoLog(shader, size, NULL, error);
        glAttachShader(program, shader);
        glDeleteShader(shader); /* with the program */
    }
    if (good) {
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &good);
        if (!good)
            glGetProgramInfoLog(program, size, NULL, error);
    }
    if (!good) {
        glDeleteProgram(program);
        return 0;
    }
    return program;
}

static unsigned columns_of(GLenum type) {
    return type == GL_FLOAT_MAT2 ? 2 : type == GL_FLOAT_MAT3 ? 3 : type == GL_FLOAT_MAT4 ? 4 : 1;
}

static GLint rows_of(GLenum type) {
    switch (type) {
    case GL_FLOAT: return 1;
    case GL_FLOAT_VEC2:
    case GL_FLOAT_MAT2: return 2;
    case GL_FLOAT_VEC3:
    case GL_FLOAT_MAT3: return 3;
    default: return 4;
    }
}

/* Floats of the size that each is declared with. */
static void set_attributes(GLuint program) {
    GLint count = 0;
    glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &count);
    for (GLuint k = 0; k < MOST_ATTRIBUTES; k++)
        glDisableVertexAttribArray(k);
    for (GLint k = 0; k < count; k++) {
        char name[256];
        GLint size;
        GLenum type;
        glGetActiveAttrib(program, (GLuint)k, sizeof name, NULL, &size, &type, name);
        GLint at = glGetAttribLocation(program, name);
        for (unsigned c = 0; at >= 0 && c < columns_of(type); c++) {
            glEnableVertexAttribArray((GLuint)at + c);
            glVertexAttribPointer((GLuint)at + c, rows_of(type), GL_FLOAT, GL_FALSE, 0, NULL);
        }
    }
}

/* A unit for each: samplers of two kinds may not share one. */
static void set_samplers(GLuint program) {
    GLint count = 0, unit = 0;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    for (GLint k = 0; k < count; k++) {
        char name[256];
        GLint size, units[UNITS];
        GLenum type;
        glGetActiveUniform(program, (GLuint)k, sizeof name, NULL, &size, &type, name);
        if (type != GL_SAMPLER_2D && type != GL_SAMPLER_CUBE)
            continue;
        for (GLint e = 0; e < size && e < UNITS; e++)
            units[e] = unit++ % UNITS;
        glUniform1iv(glGetUniformLocation(program, name), size < UNITS ? size : UNITS, units);
    }
}

static void draw(const char *name, const char *const text[2], struct reports *reports) {
    static const char *const stages[] = {"FS", "VS", "CS"};
    char error[1000] = "";
    GLuint program = compile(text, error, sizeof error);
    memset(reports, 0, sizeof *reports);
    if (program) {
        glUseProgram(program);
        set_attributes(program);
        set_samplers(program);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFinish();
        glUseProgram(0);
        glDeleteProgram(program);
    } else {
        printf("%s\t-\t%.*s\n", name, (int)strcspn(error, "\n"), error);
    }
    for (unsigned k = 0; k < 3 && program; k++)
        if (reports->instructions[k])
            printf("%s\t%s\t%u\t%u\t%u\n", name, stages[k], reports->instructions[k], reports->uniforms[k],
                   reports->threads[k]);
    fflush(stdout);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* What the pair costs until its first draw is with the device. Its programs are new ones each time. */
static void measure(const char *name, const char *const text[2], unsigned rounds) {
    char error[1000] = "";
    double least = 0;
    for (unsigned k = 0; k < rounds; k++) {
        double start = now();
        GLuint program = compile(text, error, sizeof error);
        if (!program)
            return;
        glUseProgram(program);
        set_attributes(program);
        set_samplers(program);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFlush();
        double took = now() - start;
        least = k == 0 || took < least ? took : least;
        glFinish();
        glUseProgram(0);
        glDeleteProgram(program);
    }
    printf("%s\t%.3f\n", name, least);
    fflush(stdout);
}

struct pairs {
    json_t **pair;
    size_t count, capacity;
};

static void add(struct pairs *pairs, json_t *pair) {
    if (pairs->count == pairs->capacity) {
        pairs->capacity = 2 * pairs->capacity + 64;
        pairs->pair = realloc(pairs->pair, pairs->capacity * sizeof *pairs->pair);
        if (!pairs->pair)
            abort();
    }
    pairs->pair[pairs->count++] = pair;
}

static void add_of_folder(void *pairs, const char *name, const char *vertex, const char *fragment) {
    add(pairs, json_pack("{s:s, s:s, s:s}", "name", name, "vertex", vertex, "fragment", fragment));
}

static bool read_pairs(const char *path, struct pairs *pairs) {
    struct stat about;
    if (!stat(path, &about) && S_ISDIR(about.st_mode))
        return pair_folder_each(path, add_of_folder, pairs);
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    if (!file) {
        perror(path);
        return false;
    }
    while (getline(&line, &capacity, file) > 0)
        add(pairs, json_loads(line, 0, NULL));
    free(line);
    fclose(file);
    return pairs->count > 0;
}

static const char *text_of(const json_t *pair, const char *key) {
    const char *text = json_string_value(json_object_get(pair, key));
    return text ? text : "";
}

/* From pair *at on, which is kept up to date. Ends the process. `rounds`: times are wanted, of that many. */
static void draw_all(const struct pairs *pairs, volatile size_t *at, unsigned rounds) {
    static struct reports reports;
    if (!open_context() || strncmp((const char *)glGetString(GL_RENDERER), "VC4", 3)) {
        fprintf(stderr, "no context of Mesa's vc4 driver here (EGL error 0x%x)\n", (unsigned)eglGetError());
        _exit(1);
    }
    PFNGLDEBUGMESSAGECALLBACKKHRPROC listen =
        (PFNGLDEBUGMESSAGECALLBACKKHRPROC)eglGetProcAddress("glDebugMessageCallbackKHR");
    if (!rounds) {
        listen(take_message, &reports);
        glEnable(GL_DEBUG_OUTPUT_KHR);
    }
    prepare();
    for (; *at < pairs->count; ++*at) {
        const json_t *pair = pairs->pair[*at];
        const char *const text[2] = {text_of(pair, "vertex"), text_of(pair, "fragment")};
        if (rounds)
            measure(text_of(pair, "name"), text, rounds);
        else
            draw(text_of(pair, "name"), text, &reports);
    }
    _exit(0);
}

int main(int argc, char **argv) {
    struct pairs pairs = {0};
    unsigned rounds = argc == 4 && !strcmp(argv[2], "--times") ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    if ((argc != 2 && !rounds) || !read_pairs(argv[1], &pairs)) {
        fprintf(stderr, "usage: %s PAIRS.jsonl|FOLDER [--times ROUNDS]\n", argv[0]);
        return 1;
    }
    volatile size_t *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        abort();
    for (int status = 0; *at < pairs.count; ++*at) {
        pid_t child = fork();
        if (child == 0)
            draw_all(&pairs, at, rounds);
        waitpid(child, &status, 0);
        if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status)))
            return 1;
        if (*at < pairs.count) /* it asserts what it has no operation for */
            printf("%s\t-\tthe driver ended the process\n", text_of(pairs.pair[*at], "name"));
        fflush(stdout);
    }
    for (size_t k = 0; k < pairs.count; k++)
        json_decref(pairs.pair[k]);
    free(pairs.pair);
    return 0;
}
