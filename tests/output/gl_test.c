/* Random keys as pictures, on the machine and on desktop GL (Mesa's software), which has all of this as fixed
 * function: 8 x 8 cells of one colour each over random pixels, so that no edge and no gradient blurs what is
 * compared.
 *
 *     output_gl [--seed N] [--count N]
 *
 * Exit code 77 when there is no such GL here. */
#include "batch.h"
#include "gl_state.h"
#include "tools/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, SIZE = 64, CELLS = 8, CELL = SIZE / CELLS, VERTICES = CELLS * CELLS * 6 };

/* One draw: a cell's colour, Wc and fog coordinate, and the pixels below. */
struct picture_case {
    struct qpucc_state state;
    struct qpucc_draw_state draw;
    float color[CELLS * CELLS][4], w[CELLS * CELLS], fog[CELLS * CELLS];
    uint32_t tile[SIZE * SIZE];
    struct qpucc_stencil_side front, back;
    bool stencil, back_faces; /* back_faces: every other cell is clockwise */
    unsigned draws; /* 2: the stencil is not what it was. sRGB is steep: one rounding there is enough */
};

static bool advanced(const struct qpucc_state *s) {
    return s->blend.enable && s->blend.rgb_equation >= QPUCC_BLEND_MULTIPLY;
}

/* --- cases ---------------------------------------------------------------------------------------------- */

static bool once_in(uint32_t *seed, unsigned times) {
    return batch_below(seed, times) == 0;
}

static uint32_t premultiplied(uint32_t color) {
    uint32_t alpha = color >> 24, out = alpha << 24;
    for (int k = 0; k < 3; k++)
        out |= (color >> 8 * k & 255) * alpha / 255 << 8 * k;
    return out;
}

static struct qpucc_stencil_side random_side(uint32_t *seed) {
    static const uint8_t masks[] = {255, 15, 3, 1, 0x5a};
    return (struct qpucc_stencil_side){.func = (uint8_t)batch_below(seed, QPUCC_FUNC_COUNT),
                                       .fail = (uint8_t)batch_below(seed, 8),
                                       .depth_fail = (uint8_t)batch_below(seed, 8),
                                       .depth_pass = (uint8_t)batch_below(seed, 8),
                                       .reference = (uint8_t)batch_below(seed, 4),
                                       .mask = (uint8_t)(once_in(seed, 2) ? 255 : batch_below(seed, 256)),
                                       .write_mask = masks[batch_below(seed, 5)]};
}

/* Fixed function has one colour. */
static uint8_t random_factor(uint32_t *seed) {
    unsigned factor = batch_below(seed, QPUCC_FACTOR_SRC1_COLOR + 1);
    return (uint8_t)(factor == QPUCC_FACTOR_SRC1_COLOR ? QPUCC_FACTOR_SRC_ALPHA_SATURATE : factor);
}

/* --- byte orders and few bits --------------------------------------------------------------------------- */

/* Byte of the target's word by channel, red first. */
static const uint8_t order_of[][4] = {[QPUCC_TARGET_RGBA8888] = {0, 1, 2, 3},
                                      [QPUCC_TARGET_BGRA8888] = {2, 1, 0, 3},
                                      [QPUCC_TARGET_ARGB8888] = {1, 2, 3, 0},
                                      [QPUCC_TARGET_ABGR8888] = {3, 2, 1, 0}};

/* GL's picture is in red, green, blue, alpha, whatever the memory's order: pixels as the target has them, or
 * back. */
static void reorder(const struct qpucc_state *s, uint8_t *pixels, bool back) {
    if (s->target > QPUCC_TARGET_ABGR8888)
        return;
    for (int i = 0; i < SIZE * SIZE; i++, pixels += 4) {
        uint8_t old[4];
        memcpy(old, pixels, 4);
        for (int k = 0; k < 4; k++) {
            int at = order_of[s->target][k];
            pixels[back ? k : at] = old[back ? at : k];
        }
    }
}

/* Bits of a channel. */
static unsigned bits_of(const struct qpucc_state *s, int channel) {
    return s->target == QPUCC_TARGET_RGBA4444   ? 4
           : s->target == QPUCC_TARGET_RGBA5551 ? (channel == 3 ? 1 : 5)
                                                : 8;
}

/* The byte after it was rounded to `bits` bits and widened again. */
static uint8_t of_few_bits(unsigned byte, unsigned bits) {
    unsigned most = (1u << bits) - 1, value = (byte * most + 127) / 255;
    return (uint8_t)((value * 255 + most / 2) / most);
}

/* Formats of 16 bits are GL's to choose: those that it has not are left out. */
static bool has_format[QPUCC_TARGET_COUNT];

/* What desktop GL has: no chroma key. */
static void random_case(uint32_t *seed, struct picture_case *c) {
    struct qpucc_state *s = &c->state;
    memset(c, 0, sizeof *c);
    s->depth_test = 1;
    s->keep_channels = once_in(seed, 4) ? (uint8_t)batch_below(seed, 16) : 0;
    s->alpha_func = once_in(seed, 3) ? (uint8_t)batch_below(seed, QPUCC_FUNC_COUNT) : 0;
    s->area_stipple = once_in(seed, 6) ? QPUCC_STIPPLE_32X32 : 0;
    s->fog = once_in(seed, 3) ? (uint8_t)batch_below(seed, QPUCC_FOG_COUNT) : 0;
    s->fog_source = (uint8_t)batch_below(seed, QPUCC_FOG_SOURCE_COUNT);
    s->fog_per_vertex = s->fog_source != QPUCC_FOG_DEPTH && once_in(seed, 2);
    c->stencil = once_in(seed, 4);
    c->back_faces = once_in(seed, 2);
    if (once_in(seed, 4) && !s->fog)
        s->logic_op = (uint8_t)batch_below(seed, QPUCC_LOGIC_OP_COUNT);
    else if (!once_in(seed, 4)) {
        s->blend.enable = 1;
        s->blend.rgb_equation = (uint8_t)batch_below(seed, QPUCC_BLEND_MULTIPLY);
        s->blend.alpha_equation = (uint8_t)batch_below(seed, QPUCC_BLEND_MULTIPLY);
        s->blend.rgb_source = random_factor(seed);
        s->blend.rgb_target = random_factor(seed);
        s->blend.alpha_source = random_factor(seed);
        s->blend.alpha_target = random_factor(seed);
    }
    /* Mesa tests the alpha that comes out of an advanced equation; masks leave what is not premultiplied */
    if (s->blend.enable && !s->fog && !s->alpha_func && !s->keep_channels && once_in(seed, 2))
        s->blend.rgb_equation = s->blend.alpha_equation =
            (uint8_t)(QPUCC_BLEND_MULTIPLY +
                      batch_below(seed, QPUCC_BLEND_EQUATION_COUNT - QPUCC_BLEND_MULTIPLY));
    s->srgb_write = !s->logic_op && !advanced(s) && once_in(seed, 6);
    if (!s->srgb_write && once_in(seed, 2)) {
        s->target = (uint8_t)batch_below(seed, QPUCC_TARGET_ABGR8888 + 1);
        /* Mesa tests alpha in the target's bits, GL before it has them */
        if (!s->logic_op && !advanced(s) && !s->fog && !s->alpha_func && once_in(seed, 2))
            s->target = (uint8_t)(QPUCC_TARGET_RGBA4444 + batch_below(seed, 2));
        if (!has_format[s->target])
            s->target = QPUCC_TARGET_RGBA8888;
    }
    c->draws = s->srgb_write || s->target > QPUCC_TARGET_ABGR8888 ? 1 : 2;
    for (int i = 0; i < CELLS * CELLS; i++) {
        for (int k = 0; k < 4; k++)
            c->color[i][k] =
                (float)(once_in(seed, 4) ? 255 * batch_below(seed, 2) : batch_below(seed, 256)) / 255;
        for (int k = 0; k < 3 && advanced(s); k++)
            c->color[i][k] *= c->color[i][3]; /* premultiplied */
        c->w[i] = 1 + (float)batch_below(seed, 64) / 16;
        c->fog[i] = (float)batch_below(seed, 64) / (s->fog_source == QPUCC_FOG_DEPTH ? 64 : 16);
    }
    for (int i = 0; i < SIZE * SIZE; i++)
        c->tile[i] = advanced(s) ? premultiplied(batch_random(seed)) : batch_random(seed);
    for (int i = 0; i < SIZE * SIZE * 4; i++)
        ((uint8_t *)c->tile)[i] = of_few_bits(((uint8_t *)c->tile)[i], bits_of(s, i % 4));
    c->draw.alpha_reference = ((float)batch_below(seed, 255) + 0.3f) / 255;
    for (int k = 0; k < 4; k++)
        c->draw.blend_color[k] = (float)batch_below(seed, 256) / 255;
    for (int k = 0; k < 3; k++)
        c->draw.fog_color[k] = (float)batch_below(seed, 256) / 255;
    c->draw.fog_density = (float)(1 + batch_below(seed, 16)) / 16;
    c->draw.fog_start = (float)batch_below(seed, 16) / 16;
    c->draw.fog_end = 2 + (float)batch_below(seed, 32) / 16;
    for (int i = 0; i < 32; i++)
        c->draw.stipple_pattern[i] = batch_random(seed);
    c->front = random_side(seed);
    c->back = once_in(seed, 3) ? c->front : random_side(seed);
    if (c->stencil)
        qpucc_stencil(&c->front, &c->back, s, &c->draw);
}

/* --- the machine ---------------------------------------------------------------------------------------- */

static const char vertex_text[] = "#version 120\n"
                                  "attribute vec4 place, tint; attribute float fog; varying vec4 c;\n"
                                  "void main() { gl_Position = place; c = tint; gl_FogFragCoord = fog; }\n";
static const char fragment_text[] = "#version 120\n"
                                    "varying vec4 c; void main() { gl_FragColor = c; }\n";

/* Corner 0..5 of a cell's two triangles: x and y in cells. */
static void corner(const struct picture_case *c, unsigned vertex, float position[4]) {
    static const uint8_t corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    unsigned cell = vertex / 6, n = vertex % 6;
    unsigned x = corners[n][0], y = corners[n][1];
    if (c->back_faces && cell & 1) { /* the other way round */
        x = corners[n][1];
        y = corners[n][0];
    }
    position[0] = ((float)(cell % CELLS + x) / (CELLS / 2) - 1) * c->w[cell];
    position[1] = ((float)(cell / CELLS + y) / (CELLS / 2) - 1) * c->w[cell];
    position[2] = c->state.fog_source == QPUCC_FOG_DEPTH ? (2 * c->fog[cell] - 1) * c->w[cell] : 0;
    position[3] = c->w[cell];
}

static void fill(void *user, const struct qpucc_variable *variable, const struct qpucc_attribute_slot *slot,
                 size_t vertices, float *data) {
    const struct picture_case *c = user;
    for (unsigned v = 0; v < vertices; v++, data += slot->words) {
        float value[4];
        if (!strcmp(variable->name, "place"))
            corner(c, v % VERTICES, value);
        else if (!strcmp(variable->name, "tint"))
            memcpy(value, c->color[v % VERTICES / 6], sizeof value);
        else
            value[0] = c->fog[v % VERTICES / 6];
        memcpy(data, value, slot->words * sizeof *data);
    }
}

static bool machine_picture(struct picture_case *c, int level, struct picture *out, char *text, size_t size) {
    struct qpucc_source sources[2] = {
        {"a.vert", vertex_text, sizeof vertex_text - 1, QPUCC_VERTEX, QPUCC_GLSL},
        {"a.frag", fragment_text, sizeof fragment_text - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    struct qpusim_draw_info draw = {.mode = QPUSIM_TRIANGLES,
                                    .count = VERTICES * c->draws,
                                    .depth_test = true,
                                    .depth_write = false,
                                    .depth_func = QPUSIM_FUNC_ALWAYS};
    static const uint8_t black[4] = {0, 0, 0, 0};
    struct machine m = {.program = NULL};
    options.opt_level = level;
    qpucc_program *program = qpucc_compile(sources, 2, &c->state, &options);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    if (!ok)
        snprintf(text, size, "%s", program ? qpucc_program_diagnostic(program, 0)->text : "no memory");
    ok = ok && machine_open(&m, program, 0, text, size);
    if (ok) {
        m.state = c->draw;
        static uint32_t tile[SIZE * SIZE];
        memcpy(tile, c->tile, sizeof tile);
        reorder(&c->state, (uint8_t *)tile, false);
        m.tile = tile;
        ok = machine_attributes(&m, &draw, VERTICES * c->draws, fill, c) &&
             machine_draw(&m, &draw, SIZE, SIZE, black, &(struct qpusim_options){0}, out);
        if (ok)
            reorder(&c->state, out->pixels, true);
        machine_close(&m);
    }
    qpucc_program_free(program);
    return ok;
}

/* --- GL ------------------------------------------------------------------------------------------------- */

/* Advanced equations want a shader that says so; it replaces the fixed function. */
static GLuint advanced_program;

static bool gl_advanced_open(void) {
    static const char vertex[] = "#version 150 compatibility\n"
                                 "out vec4 c; void main() { gl_Position = gl_Vertex; c = gl_Color; }\n";
    static const char fragment[] = "#version 150 compatibility\n"
                                   "#extension GL_KHR_blend_equation_advanced : require\n"
                                   "layout(blend_support_all_equations) out;\n"
                                   "in vec4 c; out vec4 o; void main() { o = c; }\n";
    advanced_program = gl_program(vertex, fragment);
    return advanced_program;
}

static void set_blend(const struct picture_case *c) {
    gl_blend(&c->state, &c->draw);
    glUseProgram(advanced(&c->state) ? advanced_program : 0);
}

static void set_stencil(const struct picture_case *c) {
    static const GLenum ops[] = {GL_ZERO, GL_KEEP,   GL_REPLACE,   GL_INCR,
                                 GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
    gl_enable(GL_STENCIL_TEST, c->stencil);
    for (int k = 0; k < 2; k++) {
        const struct qpucc_stencil_side *s = k ? &c->back : &c->front;
        GLenum side = k ? GL_BACK : GL_FRONT;
        glStencilFuncSeparate(side, gl_funcs[s->func], s->reference, s->mask);
        glStencilOpSeparate(side, ops[s->fail], ops[s->depth_fail], ops[s->depth_pass]);
        glStencilMaskSeparate(side, s->write_mask);
    }
}

static void set_tests(const struct picture_case *c) {
    static const GLint modes[QPUCC_FOG_COUNT] = {GL_LINEAR, GL_LINEAR, GL_EXP, GL_EXP2};
    uint8_t pattern[32][4];
    for (int y = 0; y < 32; y++)
        for (int k = 0; k < 4; k++)
            pattern[y][k] = (uint8_t)(c->draw.stipple_pattern[y] >> (24 - 8 * k));
    gl_enable(GL_ALPHA_TEST, true);
    glAlphaFunc(gl_funcs[c->state.alpha_func], c->draw.alpha_reference);
    gl_enable(GL_POLYGON_STIPPLE, c->state.area_stipple);
    glPolygonStipple(pattern[0]);
    gl_enable(GL_FOG, c->state.fog);
    glFogi(GL_FOG_MODE, modes[c->state.fog]);
    glFogi(GL_FOG_COORDINATE_SOURCE, GL_FOG_COORDINATE);
    glFogf(GL_FOG_DENSITY, c->draw.fog_density);
    glFogf(GL_FOG_START, c->draw.fog_start);
    glFogf(GL_FOG_END, c->draw.fog_end);
    float color[4] = {c->draw.fog_color[0], c->draw.fog_color[1], c->draw.fog_color[2], 1};
    glFogfv(GL_FOG_COLOR, color);
}

static void draw_cells(const struct picture_case *c) {
    glBegin(GL_TRIANGLES);
    for (unsigned v = 0; v < VERTICES; v++) {
        float position[4];
        glColor4fv(c->color[v / 6]);
        glFogCoordf(c->state.fog_source == QPUCC_FOG_EYE ? c->w[v / 6] : c->fog[v / 6]);
        corner(c, v, position);
        glVertex4fv(position);
    }
    glEnd();
}

static GLint format_of(const struct qpucc_state *s) {
    return s->srgb_write                        ? GL_SRGB8_ALPHA8
           : s->target == QPUCC_TARGET_RGBA4444 ? GL_RGBA4
           : s->target == QPUCC_TARGET_RGBA5551 ? GL_RGB5_A1
                                                : GL_RGBA8;
}

static void find_formats(void) {
    for (int t = 0; t < QPUCC_TARGET_COUNT; t++) {
        struct qpucc_state s = {.target = (uint8_t)t};
        GLuint texture;
        GLint red = 0, alpha = 0;
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        glTexImage2D(GL_TEXTURE_2D, 0, format_of(&s), SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_RED_SIZE, &red);
        glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_ALPHA_SIZE, &alpha);
        has_format[t] = red == (GLint)bits_of(&s, 0) && alpha == (GLint)bits_of(&s, 3);
        glDeleteTextures(1, &texture);
    }
    printf("GL has %s4444 and %s5551\n", has_format[QPUCC_TARGET_RGBA4444] ? "" : "no ",
           has_format[QPUCC_TARGET_RGBA5551] ? "" : "no ");
}

static bool gl_picture(const struct picture_case *c, uint8_t *out) {
    GLuint framebuffer, texture, depth;
    glGenFramebuffers(1, &framebuffer);
    glGenTextures(1, &texture);
    glGenRenderbuffers(1, &depth);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, format_of(&c->state), SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, c->tile);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, depth);
    bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glViewport(0, 0, SIZE, SIZE);
    glDisable(GL_DITHER);
    gl_enable(GL_FRAMEBUFFER_SRGB, c->state.srgb_write);
    glStencilMask(255);
    glClearStencil(0);
    glClear(GL_STENCIL_BUFFER_BIT);
    set_blend(c);
    set_stencil(c);
    set_tests(c);
    for (unsigned i = 0; i < c->draws; i++)
        draw_cells(c);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, out);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
    glDeleteRenderbuffers(1, &depth);
    return complete && glGetError() == GL_NO_ERROR;
}

/* --- lines ---------------------------------------------------------------------------------------------- */

/* Lines along rows of pixels. Stippled ones run along the rows' middles, where both renderers agree on the
 * fragments; W differs at the ends, for the pattern is laid out on the screen. Smooth ones are wide and lie
 * anywhere; the share of a pixel that such a line covers has no corners to be approximated. */
enum { LINES = 30, SMOOTH_LINES = 6 };
static const float line_begin = 4.25f,
                   line_end = 60.25f; /* fragments count from whole numbers: far from them */

struct line_case {
    unsigned pattern, factor, count;
    float width;  /* of smooth lines; 0: stippled */
    bool upright; /* along columns of pixels, y[] is their x */
    float y[LINES], w[LINES][2];
};

static void line_vertex(const struct line_case *c, unsigned v, float position[4], float *distance) {
    float w = c->w[v / 2][v & 1], x = v & 1 ? line_end : line_begin;
    position[c->upright] = (x / (SIZE / 2) - 1) * w;
    position[!c->upright] = (c->y[v / 2] / (SIZE / 2) - 1) * w;
    position[2] = 0;
    position[3] = w;
    *distance = x - line_begin;
}

static void fill_lines(void *user, const struct qpucc_variable *variable,
                       const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    for (unsigned v = 0; v < vertices; v++, data += slot->words) {
        float value[4], distance;
        line_vertex(user, v, value, &distance);
        if (strcmp(variable->name, "place") != 0)
            value[0] = distance;
        memcpy(data, value, slot->words * sizeof *data);
    }
}

static bool machine_lines(struct line_case *c, int level, struct picture *out, char *text, size_t size) {
    static const char vertex[] =
        "attribute vec4 place; attribute float along; varying float qpucc_LineDistance;\n"
        "void main() { gl_Position = place; qpucc_LineDistance = along; }\n";
    static const char fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";
    struct qpucc_source sources[2] = {{"a.vert", vertex, sizeof vertex - 1, QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, sizeof fragment - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_state state = {
        .primitive = QPUCC_LINES, .line_stipple = c->width == 0, .line_smooth = c->width > 0};
    struct qpucc_options options = qpucc_options_default();
    struct qpusim_draw_info draw = {
        .mode = QPUSIM_LINES, .count = c->count * 2, .line_width = c->width > 0 ? c->width + 1 : 1};
    static const uint8_t black[4] = {0, 0, 0, 0};
    struct machine m = {.program = NULL};
    options.opt_level = level;
    qpucc_program *program = qpucc_compile(sources, 2, &state, &options);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    if (!ok)
        snprintf(text, size, "%s", program ? qpucc_program_diagnostic(program, 0)->text : "no memory");
    ok = ok && machine_open(&m, program, 0, text, size);
    if (ok) {
        m.state.line_stipple_pattern = c->pattern;
        m.state.line_stipple_scale = 1 / (float)c->factor;
        m.state.line_width = draw.line_width;
        ok = machine_attributes(&m, &draw, c->count * 2, fill_lines, c) &&
             machine_draw(&m, &draw, SIZE, SIZE, black, &(struct qpusim_options){0}, out);
        machine_close(&m);
    }
    qpucc_program_free(program);
    return ok;
}

static bool gl_lines(const struct line_case *c, uint8_t *out) {
    static const struct picture_case plain = {.state = {.depth_test = 1}};
    GLuint framebuffer, buffer;
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &buffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    glViewport(0, 0, SIZE, SIZE);
    set_blend(&plain);
    set_stencil(&plain);
    set_tests(&plain);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    gl_enable(GL_LINE_STIPPLE, c->width == 0);
    gl_enable(GL_LINE_SMOOTH, c->width > 0);
    glLineWidth(c->width > 0 ? c->width : 1);
    glLineStipple((GLint)c->factor, (GLushort)c->pattern);
    glColor4f(1, 1, 1, 1);
    glBegin(GL_LINES);
    for (unsigned v = 0; v < c->count * 2; v++) {
        float position[4], distance;
        line_vertex(c, v, position, &distance);
        glVertex4fv(position);
    }
    glEnd();
    glDisable(GL_LINE_STIPPLE);
    glDisable(GL_LINE_SMOOTH);
    glLineWidth(1);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, out);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &buffer);
    return glGetError() == GL_NO_ERROR;
}

static bool run_lines(uint32_t seed) {
    static uint8_t reference[SIZE * SIZE * 4];
    struct picture out = {0};
    char text[400] = "";
    uint32_t state = seed * 2246822519u | 1;
    struct line_case c = {
        .pattern = batch_random(&state) & 0xffff, .factor = 1 + batch_below(&state, 4), .count = LINES};
    for (int i = 0; i < LINES; i++) {
        c.y[i] = (float)(i * 2) + 2.5f;
        for (int k = 0; k < 2; k++)
            c.w[i][k] = 1 + (float)batch_below(&state, 64) / 16;
    }
    bool ok = machine_lines(&c, (int)(seed % 3), &out, text, sizeof text) && gl_lines(&c, reference);
    unsigned bad = 0;
    for (unsigned i = 0; ok && i < SIZE * SIZE * 4; i++)
        bad += out.pixels[i] != reference[i];
    picture_free(&out);
    if (!ok || bad)
        printf("lines, seed %u, pattern %04x factor %u: %u values off %s\n", seed, c.pattern, c.factor, bad,
               text);
    return ok && !bad;
}

/* Alpha is the share. The ends, whose shape is another matter, are left out. */
static bool run_smooth_lines(uint32_t seed) {
    static uint8_t reference[SIZE * SIZE * 4];
    struct picture out = {0};
    char text[400] = "";
    uint32_t state = seed * 3266489917u | 1;
    struct line_case c = {.factor = 1, .count = SMOOTH_LINES};
    c.width = 1 + (float)batch_below(&state, 33) / 8;
    c.upright = once_in(&state, 2);
    for (int i = 0; i < SMOOTH_LINES; i++) {
        c.y[i] = (float)(10 * i) + 6 + (float)batch_below(&state, 17) / 16;
        c.w[i][0] = c.w[i][1] = 1;
    }
    bool ok = machine_lines(&c, (int)(seed % 3), &out, text, sizeof text) && gl_lines(&c, reference);
    unsigned bad = 0, partial = 0;
    int worst = 0;
    for (unsigned i = 0; ok && i < SIZE * SIZE; i++) {
        unsigned along = c.upright ? i / SIZE : i % SIZE;
        int d = abs(out.pixels[4 * i + 3] - reference[4 * i + 3]);
        if (along < 8 || along >= SIZE - 8)
            continue;
        worst = d > worst ? d : worst;
        bad += d > 1; /* rounding */
        partial += reference[4 * i + 3] > 0 && reference[4 * i + 3] < 255;
    }
    picture_free(&out);
    if (ok && !bad && partial)
        return true;
    printf("smooth lines, seed %u, %s, width %.3f: %u values off, worst %d, %u partly covered %s\n", seed,
           c.upright ? "columns" : "rows", (double)c.width, bad, worst, partial, text);
    return false;
}

/* --- comparison ----------------------------------------------------------------------------------------- */

/* Rounding of two draws, of factors, of fog. To five bits and four Mesa cuts off what it has in eight, and
 * reads back another byte for a step. */
static int tolerance(const struct qpucc_state *s, int channel) {
    int steps = s->blend.enable ? 3 : 0;
    if (s->target == QPUCC_TARGET_RGBA4444 || s->target == QPUCC_TARGET_RGBA5551)
        return bits_of(s, channel) == 1 ? 0 : 255 / ((1 << bits_of(s, channel)) - 1) + 1;
    return steps + (s->fog ? 1 : 0) + (s->srgb_write ? 3 : 0);
}

static bool run_case(uint32_t seed, unsigned *drawn) {
    static struct picture_case c;
    static uint8_t reference[SIZE * SIZE * 4];
    struct picture out = {0};
    char text[400] = "";
    int level = (int)(seed % 3), worst = 0;
    uint32_t state = seed * 2654435761u | 1;
    random_case(&state, &c);
    bool ok = machine_picture(&c, level, &out, text, sizeof text);
    if (ok && !gl_picture(&c, reference)) {
        snprintf(text, sizeof text, "GL error");
        ok = false;
    }
    unsigned bad = 0;
    for (unsigned i = 0; ok && i < SIZE * SIZE * 4; i++) {
        int d = abs(out.pixels[i] - reference[i]), most = tolerance(&c.state, i % 4);
        worst = d > worst ? d : worst;
        bad += d > most;
        *drawn += i % 4 == 0 && memcmp(reference + i, (const uint8_t *)c.tile + i, 4) != 0;
        if (d > most && bad == 1)
            snprintf(text, sizeof text, "pixel %u,%u channel %u is %u, should be %u; tile %u", i / 4 % SIZE,
                     i / 4 / SIZE, i % 4, out.pixels[i], reference[i], ((const uint8_t *)c.tile)[i]);
    }
    picture_free(&out);
    if (ok && bad <= (c.state.srgb_write ? SIZE * SIZE / 100 : 0)) /* steep where it is dark */
        return true;
    printf("seed %u -O%d: %u values off, worst %d: %s\n", seed, level, bad, worst, text);
    batch_print_state(&c.state);
    return false;
}

int main(int argc, char **argv) {
    unsigned seed = 1, count = 300, failed = 0, drawn = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed"))
            seed = (unsigned)strtoul(argv[i + 1], NULL, 0);
        else if (!strcmp(argv[i], "--count"))
            count = (unsigned)strtoul(argv[i + 1], NULL, 0);
    }
    if (!gl_open()) {
        printf("skipped: no surfaceless desktop GL here\n");
        return SKIPPED;
    }
    if (!gl_advanced_open()) {
        printf("this GL has no advanced blend equations\n");
        return SKIPPED;
    }
    find_formats();
    for (unsigned i = 0; i < count; i++)
        failed += !run_case(seed + i, &drawn);
    for (unsigned i = 0; i < count / 10; i++)
        failed += !run_lines(seed + i) + !run_smooth_lines(seed + i);
    printf("%u pictures, %u failed, %u pixels changed\n", count, failed, drawn);
    gl_close();
    return failed || drawn < count * SIZE * SIZE / 4;
}
