/* A case on desktop GL (Mesa's software), which has the hardware's rule for edges in a framebuffer object: of
 * two triangles at a horizontal edge through centres the one gets them whose rows follow in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "tests/output/gl_state.h"

static const char vertex_text[] =
    "in vec4 position; in float size; in vec4 varyings;\n"
    "void main() { gl_Position = position; gl_PointSize = size;\n"
    "    v0 = varyings.x; v1 = varyings.y; v2 = varyings.z; v3 = varyings.w; }\n";
static const char fragment_text[] =
    "uniform vec2 depths; uniform float bias; uniform sampler2D image; uniform samplerCube cube;\n"
    "uniform vec4 window; uniform float least; out vec4 color;\n"
    "void main() { if (gl_FragCoord.z < depths.x || gl_FragCoord.z > depths.y) discard;\n"
    "    if (any(lessThan(gl_FragCoord.xy, window.xy)) || any(greaterThan(gl_FragCoord.xy, window.zw)))\n"
    "        discard;\n"
    "    color = COLOR; if (color.a < least) discard; }\n";
static const char *const color_texts[] = {[DRAWS_COLOR] = "vec4(v0, v1, v2, v3)",
                                          [DRAWS_TEXTURE] = "texture(image, vec2(v0, v1), bias)",
                                          [DRAWS_CUBE] = "texture(cube, vec3(v0, v1, v2))",
                                          [DRAWS_POINT_COORD] = "vec4(gl_PointCoord, v2, v3)"};

/* One for each kind and each mask of flat varyings. */
static GLuint program_of(const struct draws_draw *d) {
    static GLuint programs[4][16];
    GLuint *program = &programs[d->kind][d->flat & 15];
    if (*program)
        return *program;
    char io[2][400], text[2][1500];
    for (unsigned stage = 0; stage < 2; stage++) {
        size_t n = 0;
        for (unsigned i = 0; i < 4; i++)
            n += (size_t)snprintf(io[stage] + n, sizeof io[stage] - n, "%s %s float v%u;\n",
                                  d->flat >> i & 1 ? "flat" : "smooth", stage ? "in" : "out", i);
        snprintf(text[stage], sizeof text[stage], "#version 130\n#define COLOR %s\n%s%s",
                 color_texts[d->kind], io[stage], stage ? fragment_text : vertex_text);
    }
    return *program = gl_program(text[0], text[1]);
}

struct targets {
    GLuint frame, buffer[2];
};

static bool make_targets(struct targets *t, const struct draws_case *c, int samples) {
    glGenFramebuffers(1, &t->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, t->frame);
    glGenRenderbuffers(2, t->buffer);
    for (unsigned i = 0; i < 2; i++) {
        glBindRenderbuffer(GL_RENDERBUFFER, t->buffer[i]);
        GLenum format = i ? GL_DEPTH24_STENCIL8 : c->hdr ? GL_RGBA16F : GL_RGBA8;
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, (GLsizei)c->width,
                                         (GLsizei)c->height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, i ? GL_DEPTH_STENCIL_ATTACHMENT : GL_COLOR_ATTACHMENT0,
                                  GL_RENDERBUFFER, t->buffer[i]);
    }
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

static void free_targets(struct targets *t) {
    glDeleteFramebuffers(1, &t->frame);
    glDeleteRenderbuffers(2, t->buffer);
}

/* --- state ---------------------------------------------------------------------------------------------- */

static const GLenum funcs[8] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
static const GLenum ops[8] = {GL_ZERO, GL_KEEP,   GL_REPLACE,   GL_INCR,
                              GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};

/* Its factors are in the key's order, but for those of a second colour. */
static GLenum factor(enum draws_factor of) {
    return gl_factors[of == DRAWS_SATURATE ? QPUCC_FACTOR_SRC_ALPHA_SATURATE : (int)of];
}

static void set_general(const struct draws_general *g) {
    glBlendEquationSeparate(gl_equations[g->equation[0]], gl_equations[g->equation[1]]);
    glBlendFuncSeparate(factor(g->source[0]), factor(g->destination[0]), factor(g->source[1]),
                        factor(g->destination[1]));
    glBlendColor(g->constant[0], g->constant[1], g->constant[2], g->constant[3]);
}

static void set_state(const struct draws_case *c, const struct draws_draw *d) {
    const int *v = d->viewport, *w = d->window;
    glViewport(v[0], v[1], v[2], v[3]);
    gl_enable(GL_SCISSOR_TEST,
              !c->multisample); /* which cuts pixels at odd places with samples: shaders do it */
    glScissor(w[0], w[1], w[2], w[3]);
    gl_enable(GL_CULL_FACE, d->cull != QPUSIM_CULL_NONE);
    glCullFace(d->cull == QPUSIM_CULL_BACK    ? GL_BACK
               : d->cull == QPUSIM_CULL_FRONT ? GL_FRONT
                                              : GL_FRONT_AND_BACK);
    glFrontFace(d->clockwise ? GL_CW : GL_CCW);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(funcs[d->depth_func]);
    glDepthMask(d->depth_write);
    gl_enable(GL_POLYGON_OFFSET_FILL, d->offset_factor || d->offset_units);
    glPolygonOffset(d->offset_factor, d->offset_units / 2); /* whose unit is two steps of its depths */
    gl_enable(GL_STENCIL_TEST, d->stencil);
    for (unsigned side = 0; side < 2; side++) {
        const struct draws_stencil *s = &d->side[side];
        GLenum face = side ? GL_BACK : GL_FRONT;
        glStencilFuncSeparate(face, funcs[s->func], s->reference, s->mask);
        glStencilOpSeparate(face, ops[s->fail], ops[s->depth_fail], ops[s->depth_pass]);
        glStencilMaskSeparate(face, s->write_mask);
    }
    static const GLenum equations[] = {[DRAWS_ADD] = GL_FUNC_ADD,
                                       [DRAWS_SUBTRACT] = GL_FUNC_REVERSE_SUBTRACT,
                                       [DRAWS_MULTIPLY] = GL_FUNC_ADD,
                                       [DRAWS_MINIMUM] = GL_MIN,
                                       [DRAWS_MAXIMUM] = GL_MAX};
    gl_enable(GL_BLEND, d->blend != DRAWS_REPLACE);
    if (d->blend == DRAWS_GENERAL) {
        set_general(&d->general);
    } else if (d->blend != DRAWS_REPLACE) {
        glBlendEquation(equations[d->blend]);
        glBlendFunc(d->blend == DRAWS_MULTIPLY ? GL_DST_COLOR : GL_ONE,
                    d->blend == DRAWS_MULTIPLY ? GL_ZERO : GL_ONE);
    }
    gl_enable(GL_SAMPLE_ALPHA_TO_COVERAGE, d->coverage);
    gl_enable(GL_SAMPLE_MASK, c->multisample);
    glSampleMaski(0, d->sample_mask);
    gl_enable(GL_PROGRAM_POINT_SIZE, d->sizes);
    glPointSize(d->point_size);
    glEnable(GL_POINT_SPRITE);
    glLineWidth(d->line_width);
}

/* --- textures ------------------------------------------------------------------------------------------- */

/* Formats that GL has, too: it is given the same bytes. What it lacks the library unpacks. */
static const struct {
    GLenum stored, format, type;
} own_formats[] = {[QPUSIM_RGBA8888] = {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
                   [QPUSIM_RGBA4444] = {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4},
                   [QPUSIM_RGBA5551] = {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1},
                   [QPUSIM_RGB565] = {GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5},
                   [QPUSIM_LUMINANCE] = {GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE},
                   [QPUSIM_ALPHA] = {GL_ALPHA8, GL_ALPHA, GL_UNSIGNED_BYTE},
                   [QPUSIM_LUMALPHA] = {GL_LUMINANCE8_ALPHA8, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE}};

static void give_level(const struct draws_texture *t, GLenum target, unsigned level, unsigned w, unsigned h,
                       const void *pixels) {
    bool border = t->wrap_s == QPUSIM_BORDER || t->wrap_t == QPUSIM_BORDER,
         opaque = t->format == QPUSIM_RGB565 || t->format == QPUSIM_LUMINANCE; /* and so is GL's border */
    if ((size_t)t->format < sizeof own_formats / sizeof *own_formats && own_formats[t->format].stored &&
        !(border && opaque)) {
        glTexImage2D(target, (GLint)level, (GLint)own_formats[t->format].stored, (GLsizei)w, (GLsizei)h, 0,
                     own_formats[t->format].format, own_formats[t->format].type, pixels);
        return;
    }
    uint32_t *colors = malloc((size_t)w * h * 4);
    qpusim_image_unpack(t->format, w, h, pixels, colors);
    glTexImage2D(target, (GLint)level, GL_RGBA8, (GLsizei)w, (GLsizei)h, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 colors);
    free(colors);
}

static GLuint make_texture(const struct draws_texture *t) {
    static const GLenum wraps[] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT, GL_CLAMP_TO_BORDER};
    static const GLenum mins[] = {GL_LINEAR,
                                  GL_NEAREST,
                                  GL_NEAREST_MIPMAP_NEAREST,
                                  GL_NEAREST_MIPMAP_LINEAR,
                                  GL_LINEAR_MIPMAP_NEAREST,
                                  GL_LINEAR_MIPMAP_LINEAR};
    GLenum target = t->cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(target, texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (unsigned face = 0; face < (t->cube ? 6 : 1); face++) {
        for (unsigned level = 0; level < t->levels; level++) {
            unsigned w = draws_level(t->width, level), h = draws_level(t->height, level);
            size_t size = qpusim_image_size(t->format, w, h);
            void *pixels = malloc(size);
            draws_image(t, face, level, pixels, size);
            give_level(t, t->cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : GL_TEXTURE_2D, level, w, h,
                       pixels);
            free(pixels);
        }
    }
    glTexParameteri(target, GL_TEXTURE_WRAP_S, (GLint)wraps[t->wrap_s]);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, (GLint)wraps[t->wrap_t]);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, t->mag == QPUSIM_MAG_LINEAR ? GL_LINEAR : GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)mins[t->min]);
    glTexParameteri(target, GL_TEXTURE_MAX_LEVEL, (GLint)t->levels - 1);
    return texture;
}

/* --- draws ---------------------------------------------------------------------------------------------- */

static bool draw(const struct draws_case *c, const struct draws_draw *d) {
    static const GLenum modes[] = {GL_POINTS,    GL_LINES,          GL_LINE_LOOP,   GL_LINE_STRIP,
                                   GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
    GLuint program = program_of(d), texture = 0;
    if (!program)
        return false;
    set_state(c, d);
    glUseProgram(program);
    glUniform2f(glGetUniformLocation(program, "depths"), d->min_z, d->max_z);
    glUniform1f(glGetUniformLocation(program, "bias"), d->texture.bias);
    glUniform1f(glGetUniformLocation(program, "least"), d->discard ? DRAWS_LEAST : -1e30f);
    const int *w = d->window, all = !c->multisample;
    glUniform4f(glGetUniformLocation(program, "window"), (float)(all ? 0 : w[0]), (float)(all ? 0 : w[1]),
                (float)(all ? DRAWS_SIDE : w[0] + w[2]), (float)(all ? DRAWS_SIDE : w[1] + w[3]));
    if (d->kind == DRAWS_TEXTURE || d->kind == DRAWS_CUBE)
        texture = make_texture(&d->texture);
    static const struct {
        const char *name;
        GLint words;
        size_t at;
    } attributes[] = {{"position", 4, offsetof(struct draws_vertex, position)},
                      {"size", 1, offsetof(struct draws_vertex, size)},
                      {"varyings", 4, offsetof(struct draws_vertex, varying)}};
    for (unsigned i = 0; i < 3; i++) {
        GLint at = glGetAttribLocation(program, attributes[i].name);
        if (at < 0)
            continue;
        glVertexAttribPointer((GLuint)at, attributes[i].words, GL_FLOAT, GL_FALSE,
                              sizeof(struct draws_vertex), (const char *)d->vertex + attributes[i].at);
        glEnableVertexAttribArray((GLuint)at);
    }
    /* One triangle at a time: of a list of three with one that has no area this GL may draw nothing. */
    unsigned at_once = d->mode == QPUSIM_TRIANGLES ? 3 : d->count;
    for (unsigned i = 0; i + at_once <= d->count; i += at_once) {
        if (d->index_bytes)
            glDrawElements(modes[d->mode], (GLsizei)at_once, GL_UNSIGNED_SHORT, &d->index[i]);
        else
            glDrawArrays(modes[d->mode], (GLint)(d->first + i), (GLsizei)at_once);
    }
    for (GLuint i = 0; i < 3; i++)
        glDisableVertexAttribArray(i);
    if (texture)
        glDeleteTextures(1, &texture);
    return glGetError() == GL_NO_ERROR;
}

static void clear(const struct draws_case *c) {
    float color[4];
    for (unsigned k = 0; k < 4; k++)
        color[k] = (float)(c->clear >> 8 * k & 255) / 255;
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_DITHER);
    glDisable(GL_SAMPLE_MASK);
    glDepthMask(GL_TRUE);
    glStencilMask(255);
    glClearColor(color[0], color[1], color[2], color[3]);
    glClearDepth(c->clear_z / 16777215.0);
    glClearStencil(c->clear_stencil);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void read_back(const struct draws_case *c, struct draws_picture *out) {
    GLsizei w = (GLsizei)c->width, h = (GLsizei)c->height;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, out->color);
    glReadPixels(0, 0, w, h, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, out->depth);
    glReadPixels(0, 0, w, h, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, out->stencil);
    for (unsigned i = 0; i < c->width * c->height; i++)
        out->depth[i] >>= 8;
}

bool draws_gl(const struct draws_case *c, struct draws_picture *out) {
    struct targets drawn, resolved = {0};
    bool ok = make_targets(&drawn, c, c->multisample ? 4 : 0);
    gl_enable(GL_MULTISAMPLE, c->multisample);
    clear(c);
    for (unsigned i = 0; i < c->count && ok; i++)
        ok = draw(c, &c->draw[i]);
    if (ok && c->multisample) {
        ok = make_targets(&resolved, c, 0);
        GLint w = (GLint)c->width, h = (GLint)c->height;
        glDisable(GL_SCISSOR_TEST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, drawn.frame);
        glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved.frame);
    }
    if (ok)
        read_back(c, out);
    free_targets(&drawn);
    if (resolved.frame)
        free_targets(&resolved);
    return ok && glGetError() == GL_NO_ERROR;
}
