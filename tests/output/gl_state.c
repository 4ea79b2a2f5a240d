#include "gl_state.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <string.h>

static EGLDisplay display = EGL_NO_DISPLAY;
static EGLContext context = EGL_NO_CONTEXT;

/* The same alpha covers the same samples at each pixel, where a driver would have it otherwise. */
static void end_dither(void) {
    void (*control)(GLenum) = (void (*)(GLenum))eglGetProcAddress("glAlphaToCoverageDitherControlNV");
    const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
    if (control && extensions && strstr(extensions, "GL_NV_alpha_to_coverage_dither_control"))
        control(GL_ALPHA_TO_COVERAGE_DITHER_DISABLE_NV);
}

bool gl_open(void) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API))
        return false;
    context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, NULL);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        return false;
    printf("reference: %s, %s\n", (const char *)glGetString(GL_RENDERER),
           (const char *)glGetString(GL_VERSION));
    end_dither();
    return true;
}

void gl_close(void) {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    eglTerminate(display);
    eglReleaseThread();
}

void gl_enable(GLenum what, bool on) {
    if (on)
        glEnable(what);
    else
        glDisable(what);
}

const GLenum gl_funcs[QPUCC_FUNC_COUNT] = {GL_ALWAYS, GL_NEVER,   GL_LESS,     GL_EQUAL,
                                           GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL};

static GLuint gl_shader(GLenum stage, const char *text) {
    GLuint shader = glCreateShader(stage);
    GLint ok = 0;
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    return ok ? shader : 0;
}

GLuint gl_program(const char *vertex, const char *fragment) {
    GLuint vs = gl_shader(GL_VERTEX_SHADER, vertex), fs = gl_shader(GL_FRAGMENT_SHADER, fragment);
    GLint ok = 0;
    if (!vs || !fs)
        return 0;
    GLuint program = glCreateProgram();
    glAttachShader(program, vs);
    glAttachShader(program, fs);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    return ok ? program : 0;
}

const GLenum gl_equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};
const GLenum gl_factors[QPUCC_FACTOR_COUNT] = {GL_ZERO,
                                               GL_ONE,
                                               GL_SRC_COLOR,
                                               GL_ONE_MINUS_SRC_COLOR,
                                               GL_DST_COLOR,
                                               GL_ONE_MINUS_DST_COLOR,
                                               GL_SRC_ALPHA,
                                               GL_ONE_MINUS_SRC_ALPHA,
                                               GL_DST_ALPHA,
                                               GL_ONE_MINUS_DST_ALPHA,
                                               GL_CONSTANT_COLOR,
                                               GL_ONE_MINUS_CONSTANT_COLOR,
                                               GL_CONSTANT_ALPHA,
                                               GL_ONE_MINUS_CONSTANT_ALPHA,
                                               GL_SRC1_COLOR,
                                               GL_ONE_MINUS_SRC1_COLOR,
                                               GL_SRC1_ALPHA,
                                               GL_ONE_MINUS_SRC1_ALPHA,
                                               GL_SRC_ALPHA_SATURATE};

void gl_blend(const struct qpucc_state *state, const struct qpucc_draw_state *draw) {
    static const GLenum advanced_equations[] = {
        GL_MULTIPLY_KHR,   GL_SCREEN_KHR,    GL_OVERLAY_KHR,        GL_DARKEN_KHR,    GL_LIGHTEN_KHR,
        GL_COLORDODGE_KHR, GL_COLORBURN_KHR, GL_HARDLIGHT_KHR,      GL_SOFTLIGHT_KHR, GL_DIFFERENCE_KHR,
        GL_EXCLUSION_KHR,  GL_HSL_HUE_KHR,   GL_HSL_SATURATION_KHR, GL_HSL_COLOR_KHR, GL_HSL_LUMINOSITY_KHR};
    static const GLenum logic[QPUCC_LOGIC_OP_COUNT] = {
        GL_COPY, GL_CLEAR, GL_AND,    GL_AND_REVERSE, GL_AND_INVERTED,  GL_NOOP,        GL_XOR,  GL_OR,
        GL_NOR,  GL_EQUIV, GL_INVERT, GL_OR_REVERSE,  GL_COPY_INVERTED, GL_OR_INVERTED, GL_NAND, GL_SET};
    const struct qpucc_blend_state *b = &state->blend;
    const float *k = draw->blend_color;
    gl_enable(GL_BLEND, b->enable);
    if (b->enable && b->rgb_equation >= QPUCC_BLEND_MULTIPLY)
        glBlendEquation(advanced_equations[b->rgb_equation - QPUCC_BLEND_MULTIPLY]);
    else
        glBlendEquationSeparate(gl_equations[b->rgb_equation], gl_equations[b->alpha_equation]);
    glBlendFuncSeparate(gl_factors[b->rgb_source], gl_factors[b->rgb_target], gl_factors[b->alpha_source],
                        gl_factors[b->alpha_target]);
    glBlendColor(k[0], k[1], k[2], k[3]);
    gl_enable(GL_COLOR_LOGIC_OP, state->logic_op != QPUCC_LOGIC_COPY);
    glLogicOp(logic[state->logic_op]);
    unsigned kept = state->keep_channels;
    glColorMask(!(kept & 1), !(kept & 2), !(kept & 4), !(kept & 8));
}
