/* OpenGL ES 2.0 feature by feature: a frame for each, shown by atomic requests. run.sh compares them with
 * llvmpipe's. Exit code 1: GL reported an error, or what was read back is not what was drawn. */
#include "screen.h"

#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 256 };

static int wrong;

static void expect(bool right, const char *what) {
    if (!right) {
        fprintf(stderr, "smoke: %s\n", what);
        wrong = 1;
    }
}

/* --- helpers -------------------------------------------------------------------------------------------- */

static GLuint shader(GLenum kind, const char *text) {
    GLuint s = glCreateShader(kind);
    GLint fine;
    char log[2000] = "";
    glShaderSource(s, 1, &text, NULL);
    glCompileShader(s);
    glGetShaderiv(s, GL_COMPILE_STATUS, &fine);
    glGetShaderInfoLog(s, sizeof log, NULL, log);
    expect(fine, log);
    return s;
}

/* Attributes 0 and 1 are a and b. */
static GLuint program(const char *vertex, const char *fragment) {
    GLuint p = glCreateProgram();
    glAttachShader(p, shader(GL_VERTEX_SHADER, vertex));
    glAttachShader(p, shader(GL_FRAGMENT_SHADER, fragment));
    glBindAttribLocation(p, 0, "a");
    glBindAttribLocation(p, 1, "b");
    glLinkProgram(p);
    glUseProgram(p);
    return p;
}

static GLuint colored(void) {
    return program("attribute vec4 a; uniform vec4 place; uniform float z; varying vec2 v;"
                   "void main() { v = a.xy; gl_Position = vec4(a.xy * place.zw + place.xy, z, 1.0); }",
                   "precision mediump float; uniform vec4 color; varying vec2 v;"
                   "void main() { gl_FragColor = color * vec4(v * 0.25 + 0.75, 1.0, 1.0); }");
}

static GLuint textured(void) {
    return program("attribute vec4 a; uniform vec4 place, scale; varying vec2 v;"
                   "void main() { v = a.xy * scale.xy + scale.zw; gl_Position = vec4(a.xy * place.zw + "
                   "place.xy, 0.0, 1.0); }",
                   "precision mediump float; uniform sampler2D t; varying vec2 v;"
                   "void main() { gl_FragColor = texture2D(t, v); }");
}

static void uniform4(GLuint p, const char *name, float x, float y, float z, float w) {
    glUniform4f(glGetUniformLocation(p, name), x, y, z, w);
}

static const float square[8] = {-1, -1, 1, -1, -1, 1, 1, 1};

/* A square in cell `n` of `across` x `across`. */
static void draw_cell(GLuint p, unsigned n, unsigned across) {
    float size = 1.0f / (float)across;
    uniform4(p, "place", (2 * (float)(n % across) + 1) * size - 1, (2 * (float)(n / across) + 1) * size - 1,
             size * 0.85f, size * 0.85f);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, square);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void color(GLuint p, unsigned n) {
    static const float colors[6][3] = {{1, 0.2f, 0.1f},    {0.1f, 0.9f, 0.3f}, {0.2f, 0.3f, 1},
                                       {0.9f, 0.8f, 0.1f}, {0.1f, 0.8f, 0.9f}, {0.8f, 0.2f, 0.9f}};
    uniform4(p, "color", colors[n % 6][0], colors[n % 6][1], colors[n % 6][2],
             0.25f + 0.125f * (float)(n % 6));
}

/* Smooth in both directions, with something of every channel. */
static void fill_texels(uint8_t *texels, unsigned width, unsigned height, unsigned channels) {
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            const unsigned value[4] = {255 * x / width, 255 * y / height, 255 - 255 * x / width,
                                       255 - 127 * y / height};
            for (unsigned c = 0; c < channels; c++) {
                texels[(y * width + x) * channels + c] = (uint8_t)value[c];
            }
        }
    }
}

static GLuint texture(GLenum target, GLenum filter, GLenum wrap) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(target, t);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filter == GL_NEAREST ? GL_NEAREST : GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, (GLint)wrap);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, (GLint)wrap);
    return t;
}

static void texels(GLenum target, unsigned width, unsigned height, GLenum format, GLenum type) {
    static uint8_t bytes[64 * 64 * 4];
    unsigned channels = format == GL_RGBA ? 4 : format == GL_RGB ? 3 : format == GL_LUMINANCE_ALPHA ? 2 : 1;
    fill_texels(bytes, width, height, type == GL_UNSIGNED_BYTE ? channels : 2);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(target, 0, (GLint)format, (GLsizei)width, (GLsizei)height, 0, format, type, bytes);
}

/* --- frames --------------------------------------------------------------------------------------------- */

/* Vertices and indices of every size in buffers that change, and in the client's memory. */
static void buffers(void) {
    GLuint p = program("attribute vec4 a, b; uniform vec4 place; varying vec4 c;"
                       "void main() { c = b; gl_Position = vec4(a.xy * place.zw + place.xy, 0.0, 1.0); }",
                       "precision mediump float; varying vec4 c; void main() { gl_FragColor = c; }");
    static const int8_t corners[8] = {-127, -127, 127, -127, -127, 127, 127, 127};
    static const int16_t shorts[8] = {-32767, -32767, 32767, -32767, -32767, 32767, 32767, 32767};
    static const uint8_t colors[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 0, 255};
    static const uint8_t small[6] = {0, 1, 2, 2, 1, 3};
    static const uint16_t large[6] = {3, 1, 2, 2, 1, 0};
    GLuint b[2];
    glGenBuffers(2, b);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    for (unsigned n = 0; n < 9; n++) {
        glBindBuffer(GL_ARRAY_BUFFER, n < 6 ? b[0] : 0);
        if (n < 6) {
            glBufferData(GL_ARRAY_BUFFER, 256, NULL, n % 2 ? GL_STATIC_DRAW : GL_STREAM_DRAW);
            glBufferSubData(GL_ARRAY_BUFFER, 64, sizeof colors, colors);
            glBufferSubData(GL_ARRAY_BUFFER, 0,
                            n % 3 == 0   ? sizeof square
                            : n % 3 == 1 ? sizeof corners
                                         : sizeof shorts,
                            n % 3 == 0   ? (const void *)square
                            : n % 3 == 1 ? (const void *)corners
                                         : (const void *)shorts);
        }
        const void *at = n < 6        ? NULL
                         : n % 3 == 0 ? (const void *)square
                         : n % 3 == 1 ? (const void *)corners
                                      : shorts;
        glVertexAttribPointer(0, 2,
                              n % 3 == 0   ? GL_FLOAT
                              : n % 3 == 1 ? GL_BYTE
                                           : GL_SHORT,
                              n % 3 != 0, 0, at);
        glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0,
                              n < 6 ? (const uint8_t *)NULL + 64 : colors);
        uniform4(p, "place", (float)(n % 3) * 0.66f - 0.66f, (float)(n / 3) * 0.66f - 0.66f, 0.3f, 0.3f);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, n % 2 ? b[1] : 0);
        if (n % 2) {
            glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof large, large, GL_STATIC_DRAW);
        }
        glDrawElements(GL_TRIANGLES, 6, n % 2 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_BYTE,
                       n % 2 ? NULL : (const void *)small);
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    glDisableVertexAttribArray(1);
}

static void formats(void) {
    static const struct {
        GLenum format, type;
    } all[8] = {{GL_RGBA, GL_UNSIGNED_BYTE},          {GL_RGB, GL_UNSIGNED_BYTE},
                {GL_RGB, GL_UNSIGNED_SHORT_5_6_5},    {GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4},
                {GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1}, {GL_LUMINANCE, GL_UNSIGNED_BYTE},
                {GL_ALPHA, GL_UNSIGNED_BYTE},         {GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE}};
    GLuint p = textured();
    uniform4(p, "scale", 0.5f, 0.5f, 0.5f, 0.5f);
    for (unsigned n = 0; n < 16; n++) {
        texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
        texels(GL_TEXTURE_2D, n < 8 ? 16 : 13, n < 8 ? 16 : 7, all[n % 8].format, all[n % 8].type);
        draw_cell(p, n, 4);
    }
}

/* Blocks of one colour each, and where the driver has none the same texels. */
static void compressed(void) {
    static const uint8_t blocks[16][8] = {{0xf0, 0x00, 0x00, 0x00}, {0x0f, 0xf0, 0x10, 0x24},
                                          {0x55, 0xaa, 0x33, 0x49}, {0x80, 0x84, 0x88, 0x02},
                                          {0xff, 0xff, 0xff, 0x00}, {0x30, 0xc0, 0x60, 0x6c}};
    GLuint p = textured();
    uniform4(p, "scale", 0.5f, 0.5f, 0.5f, 0.5f);
    expect(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_OES_compressed_ETC1_RGB8_texture") != NULL,
           "no ETC1");
    texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, 16, 16, 0, sizeof blocks, blocks);
    draw_cell(p, 0, 1);
}

static GLuint target(GLuint *framebuffer, unsigned width, unsigned height) {
    GLuint depth, t = texture(GL_TEXTURE_2D, GL_LINEAR, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, (GLsizei)width, (GLsizei)height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 NULL);
    glGenFramebuffers(1, framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, (GLsizei)width, (GLsizei)height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    expect(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE,
           "a framebuffer object is incomplete");
    glViewport(0, 0, (GLsizei)width, (GLsizei)height);
    return t;
}

static void show_target(GLuint t) {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, SIZE, SIZE);
    GLuint p = textured();
    uniform4(p, "scale", 0.5f, 0.5f, 0.5f, 0.5f);
    glBindTexture(GL_TEXTURE_2D, t);
    draw_cell(p, 0, 1);
}

/* Into a texture twice, whose first half is kept, and from there to the screen. */
static void framebuffers(void) {
    GLuint fbo, t = target(&fbo, 96, 80), p = colored();
    glClearColor(0.3f, 0.1f, 0.5f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (unsigned n = 0; n < 9; n++) {
        if (n == 4) {
            glFlush();
        }
        color(p, n);
        draw_cell(p, n, 3);
    }
    show_target(t);
}

/* In a framebuffer object, which has alpha: the screen's is 1 for llvmpipe, and what was written for vc4's
 * GL_SRC_ALPHA_SATURATE. */
static void blending(void) {
    static const GLenum factors[8][2] = {{GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA},
                                         {GL_ONE, GL_ONE},
                                         {GL_DST_COLOR, GL_ZERO},
                                         {GL_ONE_MINUS_DST_COLOR, GL_ONE},
                                         {GL_SRC_ALPHA_SATURATE, GL_ONE},
                                         {GL_CONSTANT_COLOR, GL_CONSTANT_ALPHA},
                                         {GL_ZERO, GL_SRC_COLOR},
                                         {GL_ONE_MINUS_CONSTANT_COLOR, GL_DST_ALPHA}};
    static const GLenum equations[2] = {GL_FUNC_ADD, GL_FUNC_REVERSE_SUBTRACT};
    GLuint fbo, t = target(&fbo, SIZE, SIZE), p = colored();
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBlendColor(0.3f, 0.6f, 0.9f, 0.5f);
    color(p, 4);
    draw_cell(p, 0, 1);
    glEnable(GL_BLEND);
    for (unsigned n = 0; n < 16; n++) {
        glBlendFunc(factors[n % 8][0], factors[n % 8][1]);
        glBlendEquation(equations[n / 8]);
        color(p, n);
        draw_cell(p, n, 4);
    }
    glDisable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    show_target(t);
}

static void stencil(void) {
    static const GLenum ops[8] = {GL_KEEP, GL_ZERO,   GL_REPLACE,   GL_INCR,
                                  GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
    GLuint p = colored();
    glEnable(GL_STENCIL_TEST);
    for (unsigned n = 0; n < 16; n++) {
        glStencilFunc(GL_ALWAYS, (GLint)(n * 17), 0xff);
        glStencilOp(GL_KEEP, GL_KEEP, ops[n % 8]);
        color(p, n);
        draw_cell(p, n, 4);
        draw_cell(p, n, 4);
    }
    glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
    for (unsigned n = 0; n < 16; n++) {
        glStencilFunc(n % 2 ? GL_LEQUAL : GL_NOTEQUAL, 2, n < 8 ? 0xff : 0x0f);
        uniform4(p, "color", 0.1f * (float)(n % 10), 1, 1 - 0.05f * (float)n, 1);
        draw_cell(p, n, 4);
    }
    glDisable(GL_STENCIL_TEST);
}

static void scissor(void) {
    GLuint p = colored();
    glEnable(GL_SCISSOR_TEST);
    for (unsigned n = 0; n < 8; n++) {
        glScissor((GLint)(n * 29) + 3, (GLint)(n * 23) - 5, 41, 57);
        glColorMask(n & 1, n != 3, n != 5, 1);
        if (n % 2) {
            glClearColor(0.1f * (float)n, 0.9f, 0.4f, 1);
            glClear(GL_COLOR_BUFFER_BIT);
        } else {
            color(p, n);
            draw_cell(p, 0, 1);
        }
    }
    glColorMask(1, 1, 1, 1);
    glDisable(GL_SCISSOR_TEST);
}

/* Levels of one colour each, so that the level that was chosen shows. */
static void mipmaps(void) {
    static uint8_t bytes[64 * 64 * 4];
    GLuint p = textured();
    texture(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_NEAREST, GL_REPEAT);
    for (unsigned level = 0, size = 64; size; level++, size /= 2) {
        for (unsigned n = 0; n < size * size; n++) {
            memcpy(bytes + 4 * n,
                   (const uint8_t[]){(uint8_t)(40 * level), (uint8_t)(255 - 36 * level), 128, 255}, 4);
        }
        glTexImage2D(GL_TEXTURE_2D, (GLint)level, GL_RGBA, (GLsizei)size, (GLsizei)size, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, bytes);
    }
    for (unsigned n = 0; n < 9; n++) {
        float scale = 0.45f * (float)(1 << n % 8); /* not at a border between two levels */
        uniform4(p, "scale", scale, scale, 0, 0);
        draw_cell(p, n, 3);
    }
}

static void generated(void) {
    GLuint p = textured();
    texture(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_CLAMP_TO_EDGE);
    texels(GL_TEXTURE_2D, 64, 64, GL_RGBA, GL_UNSIGNED_BYTE);
    glGenerateMipmap(GL_TEXTURE_2D);
    for (unsigned n = 0; n < 16; n++) {
        float scale = 0.1f + 0.1f * (float)n;
        uniform4(p, "scale", scale, scale, 0.5f, 0.5f);
        draw_cell(p, n, 4);
    }
}

/* Nearest: llvmpipe filters over the edges between faces, the chip does not. */
static void cube_maps(void) {
    GLuint p = program("attribute vec4 a; varying vec2 v; uniform vec4 place;"
                       "void main() { v = a.xy; gl_Position = vec4(a.xy * place.zw + place.xy, 0.0, 1.0); }",
                       "precision mediump float; uniform samplerCube t; varying vec2 v; uniform vec4 turn;"
                       "void main() { vec3 d = vec3(v, 1.0 - 0.5 * dot(v, v));"
                       "gl_FragColor = textureCube(t, vec3(d.x * turn.x + d.z * turn.y, d.y, d.z * turn.x - "
                       "d.x * turn.y)); }");
    texture(GL_TEXTURE_CUBE_MAP, GL_NEAREST, GL_CLAMP_TO_EDGE);
    for (unsigned face = 0; face < 6; face++) {
        uint8_t bytes[16 * 16 * 4];
        for (unsigned n = 0; n < 256; n++) {
            const uint8_t texel[4] = {(uint8_t)(face * 50), (uint8_t)(n % 16 * 16), (uint8_t)(n / 16 * 16),
                                      255};
            memcpy(bytes + 4 * n, texel, 4);
        }
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     bytes);
    }
    for (unsigned n = 0; n < 9; n++) {
        uniform4(p, "turn", cosf(0.7f * (float)n), sinf(0.7f * (float)n), 0, 0);
        draw_cell(p, n, 3);
    }
}

/* What a program does without instances: a draw and a uniform each. */
static void instances(void) {
    const char *all = (const char *)glGetString(GL_EXTENSIONS);
    GLuint p = colored();
    for (unsigned n = 0; n < 100; n++) {
        color(p, n * 7);
        draw_cell(p, n, 10);
    }
    fprintf(stderr, "smoke: instanced arrays are %s\n", strstr(all, "instanced_arrays") ? "there" : "absent");
}

/* Pixels of a target in each format that may be read, drawn again as a texture. */
static void reading(void) {
    static uint8_t bytes[64 * 64 * 4];
    GLuint fbo, p;
    GLint format, type;
    target(&fbo, 64, 64);
    p = colored();
    glClearColor(0, 0, 0.5f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    for (unsigned n = 0; n < 4; n++) {
        color(p, n);
        draw_cell(p, n, 2);
    }
    glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &format);
    glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &type);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, 64, 64, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    expect(bytes[2] == 127 || bytes[2] == 128, "the cleared corner is another one");
    expect(bytes[4 * (64 * 16 + 16) + 3] == 64, "alpha of what was drawn is another one");
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glViewport(0, 0, SIZE, SIZE);
    p = textured();
    uniform4(p, "scale", 0.5f, 0.5f, 0.5f, 0.5f);
    texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    draw_cell(p, 0, 2);
    /* A part of it, into rows that are longer. */
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    memset(bytes, 0x40, sizeof bytes);
    glReadPixels(10, 20, 33, 17, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 33, 17, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    draw_cell(p, 3, 2);
    /* The format of the implementation, when it is one that can be drawn again. */
    if ((format == GL_RGBA || format == GL_RGB) &&
        (type == GL_UNSIGNED_BYTE || type == GL_UNSIGNED_SHORT_5_6_5)) {
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        glReadPixels(0, 0, 64, 64, (GLenum)format, (GLenum)type, bytes);
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
    }
}

static void lines_and_points(void) {
    GLuint p = program("attribute vec4 a; uniform vec4 place; void main() { gl_PointSize = 9.0;"
                       "gl_Position = vec4(a.xy * place.zw + place.xy, 0.0, 1.0); }",
                       "precision mediump float; uniform vec4 color; void main() { gl_FragColor = color; }");
    static const GLenum modes[4] = {GL_POINTS, GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP};
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, square);
    for (unsigned n = 0; n < 4; n++) {
        color(p, n);
        uniform4(p, "place", (float)(n % 2) - 0.5f, (float)(n / 2) - 0.5f, 0.33f, 0.36f);
        glDrawArrays(modes[n], 0, 4);
    }
}

/* Depth functions and ranges, polygon offset, culling of both windings. */
static void depth(void) {
    static const GLenum functions[8] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                        GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
    GLuint p = colored();
    GLint z = glGetUniformLocation(p, "z");
    glEnable(GL_DEPTH_TEST);
    for (unsigned n = 0; n < 16; n++) {
        glDepthFunc(GL_ALWAYS);
        glDepthRangef(n < 8 ? 0 : 0.8f, n < 8 ? 1 : 0.2f);
        glUniform1f(z, 0.1f);
        color(p, n);
        draw_cell(p, n, 4);
        glDepthFunc(functions[n % 8]);
        glUniform1f(z, n % 3 == 0 ? 0.1f : n % 3 == 1 ? 0.4f : -0.4f);
        glEnable(GL_CULL_FACE);
        glFrontFace(n < 12 ? GL_CCW : GL_CW);
        color(p, n + 2);
        draw_cell(p, n, 4);
        glDisable(GL_CULL_FACE);
    }
    glDepthRangef(0, 1);
    glFrontFace(GL_CCW);
    glDisable(GL_DEPTH_TEST);
}

static void copies(void) {
    GLuint p = colored();
    for (unsigned n = 0; n < 16; n++) {
        color(p, n);
        draw_cell(p, n, 4);
    }
    texture(GL_TEXTURE_2D, GL_NEAREST, GL_CLAMP_TO_EDGE);
    glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 64, 64, 128, 128, 0);
    p = textured();
    uniform4(p, "scale", 0.5f, 0.5f, 0.5f, 0.5f);
    draw_cell(p, 3, 2);
}

static void wraps(void) {
    static const GLenum modes[3] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT};
    GLuint p = textured();
    uniform4(p, "scale", 1.31f, 1.31f, 0.37f, 0.37f); /* no pixel lies between two texels */
    for (unsigned n = 0; n < 9; n++) {
        texture(GL_TEXTURE_2D, n % 2 ? GL_LINEAR : GL_NEAREST, modes[n % 3]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, (GLint)modes[n / 3]);
        texels(GL_TEXTURE_2D, 8, 8, GL_RGBA, GL_UNSIGNED_BYTE);
        draw_cell(p, n, 3);
    }
}

/* Loops, arrays that are indexed, matrices, discard. */
static void shaders(void) {
    GLuint p = program(
        "attribute vec4 a; uniform vec4 place; uniform mat3 m; uniform vec4 list[8]; uniform int which;"
        "varying vec3 v; varying vec4 c;"
        "void main() { v = m * vec3(a.xy, 1.0); c = list[which];"
        "gl_Position = vec4(a.xy * place.zw + place.xy, 0.0, 1.0); }",
        "precision mediump float; varying vec3 v; varying vec4 c; uniform int count;"
        "void main() { float s = 0.0; for (int i = 0; i < 10; i++) { if (i == count) break; s += 0.08 * "
        "float(i); }"
        "if (length(v.xy) > 1.1) discard; gl_FragColor = c * (1.0 - s * abs(v.x)); }");
    const float m[9] = {0.8f, 0.6f, 0, -0.6f, 0.8f, 0, 0.2f, -0.1f, 1};
    float list[8][4];
    for (unsigned n = 0; n < 8; n++) {
        const float entry[4] = {0.125f * (float)n, 1 - 0.1f * (float)n, 0.5f, 1};
        memcpy(list[n], entry, sizeof entry);
    }
    glUniformMatrix3fv(glGetUniformLocation(p, "m"), 1, GL_FALSE, m);
    glUniform4fv(glGetUniformLocation(p, "list"), 8, list[0]);
    for (unsigned n = 0; n < 16; n++) {
        glUniform1i(glGetUniformLocation(p, "which"), (GLint)(n % 8));
        glUniform1i(glGetUniformLocation(p, "count"), (GLint)(n / 3));
        draw_cell(p, n, 4);
    }
}

/* A uniform chooses between looks, for enough draws that a driver may make code for one of them; then the
 * program goes while its code is what was drawn with last. */
static void looks(void) {
    enum { ACROSS = 16, SAME = 100 };
    GLuint p = program("attribute vec4 a; uniform vec4 place; varying vec2 v;"
                       "void main() { v = a.xy; gl_Position = vec4(a.xy * place.zw + place.xy, 0.0, 1.0); }",
                       "precision mediump float; uniform int look; uniform vec4 color; varying vec2 v;"
                       "void main() { vec4 c = color; if (look == 0) { c = vec4(0.0); "
                       "for (int i = 0; i < 6; i++) c += 0.15 * color * (1.0 - 0.1 * float(i) * v.x * v.x); }"
                       "else if (look == 1) c.rgb = color.bgr * abs(v.y);"
                       "else c *= step(0.0, v.x * v.y);"
                       "gl_FragColor = vec4(c.rgb, 1.0); }");
    for (unsigned n = 0; n < ACROSS * ACROSS - 1; n++) {
        glUniform1i(glGetUniformLocation(p, "look"), (GLint)(n < 2 * SAME ? n / SAME : n % 3));
        color(p, n);
        draw_cell(p, n, ACROSS);
    }
    GLuint last = colored();
    glDeleteProgram(p);
    color(last, 1);
    draw_cell(last, ACROSS * ACROSS - 1, ACROSS);
}

/* --- the program ---------------------------------------------------------------------------------------- */

int main(void) {
    static void (*const frames[])(void) = {buffers,   formats,          compressed, framebuffers, blending,
                                           stencil,   scissor,          mipmaps,    generated,    cube_maps,
                                           instances, reading,          depth,      copies,       wraps,
                                           shaders,   lines_and_points, looks};
    static const EGLint wanted[] = {EGL_SURFACE_TYPE,
                                    EGL_WINDOW_BIT,
                                    EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_ES2_BIT,
                                    EGL_RED_SIZE,
                                    8,
                                    EGL_DEPTH_SIZE,
                                    24,
                                    EGL_STENCIL_SIZE,
                                    8,
                                    EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
    enum { MOST = 256 };
    struct screen screen;
    EGLConfig configs[MOST], config = NULL;
    EGLint count = 0;
    if (!screen_open(&screen, true) || !screen_surface(&screen, SIZE, SIZE)) {
        return 1;
    }
    EGLDisplay display = eglGetDisplay((EGLNativeDisplayType)screen.gbm);
    if (!eglInitialize(display, NULL, NULL) || !eglChooseConfig(display, wanted, configs, MOST, &count)) {
        return 1;
    }
    for (EGLint n = 0, format; n < count && !config; n++) {
        if (eglGetConfigAttrib(display, configs[n], EGL_NATIVE_VISUAL_ID, &format) &&
            format == GBM_FORMAT_XRGB8888) {
            config = configs[n];
        }
    }
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    EGLSurface surface = eglCreateWindowSurface(display, config, (EGLNativeWindowType)screen.surface, NULL);
    if (!eglMakeCurrent(display, surface, surface, context)) {
        return 1;
    }
    fprintf(stderr, "smoke: %s\n", (const char *)glGetString(GL_RENDERER));
    for (unsigned n = 0; n < sizeof frames / sizeof *frames; n++) {
        glBindFramebuffer(GL_FRAMEBUFFER, 0);
        glViewport(0, 0, SIZE, SIZE);
        glClearColor(0.15f, 0.15f, 0.2f, 1);
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
        frames[n]();
        GLenum error = glGetError();
        if (error) {
            fprintf(stderr, "smoke: frame %u: GL error 0x%x\n", n, error);
            wrong = 1;
        }
        if (!eglSwapBuffers(display, surface) || !screen_show(&screen)) {
            return 1;
        }
    }
    return wrong;
}
