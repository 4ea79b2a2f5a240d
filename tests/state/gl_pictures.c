/* State keys of what precedes the fragment shader, as pictures: the machine beside the system's desktop GL,
 * which gets the same shaders, the same vertices and GL's own names for the same state.
 *
 *     gl_pictures [SEED]
 *
 * Vertices lie on whole pixels or the pictures would differ where the hardware snaps them. A picture passes
 * when 99 % of its pixels agree within 3/255. Exit code 77: no such GL here. */
#include "lanes.h"
#include "tests/fixed/gl_fixed.h"

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 64, MOST = 96, ATTRIBUTES = 3, SKIPPED = 77 };

struct attribute {
    const char *name;
    GLenum type; /* 0: there is no such attribute */
    unsigned components;
    bool normalized, bgra;
    unsigned stride;
    uint8_t data[MOST * 16];
};

struct texture {
    enum qpusim_format format;
    GLenum internal, layout, type;
    uint8_t pixels[16 * 16 * 4];
    GLenum target;
};

struct scene {
    const char *name, *vertex, *fragment;
    GLenum mode;
    unsigned count;
    struct attribute attribute[ATTRIBUTES];
    struct texture texture;
    bool textured;
    struct qpucc_state state;
    struct qpucc_draw_state values;
    void (*gl)(const struct scene *scene); /* the same state by GL's names */
    float point_size;
    const uint32_t *indices; /* for the machine: what a driver makes of the first vertex convention */
    unsigned index_count;
};

/* --- the machine ---------------------------------------------------------------------------------------- */

static const struct attribute *named_attribute(const struct scene *s, const char *name) {
    for (unsigned i = 0; i < ATTRIBUTES; i++)
        if (s->attribute[i].type && !strcmp(s->attribute[i].name, name))
            return &s->attribute[i];
    return NULL;
}

static uint8_t type_of(GLenum type) {
    switch (type) {
    case GL_HALF_FLOAT: return QPUCC_ATTR_HALF;
    case GL_FIXED: return QPUCC_ATTR_FIXED;
    case GL_BYTE: return QPUCC_ATTR_BYTE;
    case GL_UNSIGNED_BYTE: return QPUCC_ATTR_UBYTE;
    case GL_SHORT: return QPUCC_ATTR_SHORT;
    case GL_UNSIGNED_SHORT: return QPUCC_ATTR_USHORT;
    case GL_INT: return QPUCC_ATTR_INT;
    case GL_UNSIGNED_INT: return QPUCC_ATTR_UINT;
    case GL_INT_2_10_10_10_REV: return QPUCC_ATTR_INT_2_10_10_10_REV;
    case GL_UNSIGNED_INT_2_10_10_10_REV: return QPUCC_ATTR_UINT_2_10_10_10_REV;
    default: return QPUCC_ATTR_FLOAT;
    }
}

static qpucc_program *compile(const struct scene *s, const struct qpucc_state *state, int level) {
    struct qpucc_source sources[2] = {
        {"a.vert", s->vertex, strlen(s->vertex), QPUCC_VERTEX, QPUCC_GLSL},
        {"a.frag", s->fragment, strlen(s->fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    qpucc_program *program = qpucc_compile(sources, 2, state, &options);
    if (program && qpucc_program_status(program) == QPUCC_OK)
        return program;
    printf("%s: %s\n", s->name, program ? qpucc_program_diagnostic(program, 0)->text : "no memory");
    qpucc_program_free(program);
    return NULL;
}

/* The key's attribute formats: where each attribute has its place, the program tells. */
static bool set_formats(const struct scene *s, struct qpucc_state *state) {
    unsigned number = 0;
    qpucc_program *program = compile(s, state, 0);
    for (size_t v = 0; program && v < qpucc_program_variable_count(program, QPUCC_ATTRIBUTES); v++) {
        const struct qpucc_variable *variable = qpucc_program_variable(program, QPUCC_ATTRIBUTES, v);
        const struct attribute *a = named_attribute(s, variable->name);
        if (a)
            state->attribute[number] = (struct qpucc_attribute_state){type_of(a->type), a->normalized,
                                                                      (uint8_t)a->components, a->bgra};
        number += variable->cols * variable->array_length;
    }
    qpucc_program_free(program);
    return program != NULL;
}

static enum qpusim_mode mode_of(GLenum mode) {
    switch (mode) {
    case GL_POINTS: return QPUSIM_POINTS;
    case GL_LINES: return QPUSIM_LINES;
    case GL_TRIANGLE_STRIP: return QPUSIM_TRIANGLE_STRIP;
    case GL_TRIANGLE_FAN: return QPUSIM_TRIANGLE_FAN;
    default: return QPUSIM_TRIANGLES;
    }
}

static bool draw_on_machine(const struct scene *s, int level, uint32_t *out) {
    static const enum qpusim_stage stages[] = {QPUSIM_FRAGMENT, QPUSIM_VERTEX, QPUSIM_COORDINATE};
    struct qpucc_state state = s->state;
    uint32_t setup[QPUCC_MAX_TEXTURES][4] = {{0}}, *streams[QPUCC_STAGE_COUNT] = {NULL};
    struct qpusim_program *programs[QPUCC_STAGE_COUNT] = {NULL};
    struct qpusim_attribute attributes[QPUCC_MAX_ATTRIBUTES];
    struct qpusim_error error = {0};
    struct qpusim_counters counters = {0};
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])setup, .state = s->values};
    qpucc_program *program = set_formats(s, &state) ? compile(s, &state, level) : NULL;
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    struct qpusim_target *target = qpusim_target_new(SIZE, SIZE);
    bool ok = program && memory && target;
    if (ok && s->textured) {
        struct qpusim_image image = {s->texture.pixels, 16, 16};
        struct qpusim_texture_info info = {.format = s->texture.format,
                                           .levels = &image,
                                           .level_count = 1,
                                           .wrap_s = QPUSIM_CLAMP,
                                           .wrap_t = QPUSIM_CLAMP,
                                           .mag = QPUSIM_MAG_NEAREST,
                                           .min = QPUSIM_MIN_NEAREST};
        struct qpusim_texture texture;
        ok = qpusim_upload_texture(memory, &info, &texture) == QPUSIM_OK;
        memcpy(setup[0], (uint32_t[]){texture.p0, texture.p1, texture.p2, 0}, sizeof setup[0]);
    }
    qpucc_draw_state_viewport(&values.state, SIZE, SIZE, 0, 1, SIZE, 0);
    struct qpusim_draw_info draw = {.mode = s->indices ? QPUSIM_TRIANGLES : mode_of(s->mode),
                                    .count = s->indices ? s->index_count : s->count,
                                    .indices = s->indices,
                                    .attributes = attributes,
                                    .point_size = s->point_size,
                                    .memory = memory};
    struct qpusim_shader *shaders[] = {&draw.fragment, &draw.vertex, &draw.coordinate};
    for (int k = 0; ok && k < QPUCC_STAGE_COUNT; k++) {
        enum qpucc_stage stage = (enum qpucc_stage)k;
        size_t count, words = qpucc_uniforms_size(program, stage);
        const uint64_t *code = qpucc_program_code(program, stage, &count);
        programs[k] =
            qpusim_program_new(code, count, stages[k], qpucc_program_stats(program, stage)->threads > 1);
        streams[k] = calloc(words + 1, sizeof **streams);
        ok = programs[k] && streams[k] && qpucc_uniforms_fill(program, stage, &values, streams[k]);
        *shaders[k] = (struct qpusim_shader){programs[k], {.words = streams[k], .count = words}};
    }
    if (ok) {
        const struct qpucc_layout *layout = qpucc_program_layout(program);
        for (size_t i = 0; i < layout->attribute_count; i++) {
            const struct qpucc_attribute_slot *slot = &layout->attributes[i];
            const char *name = qpucc_program_variable(program, QPUCC_ATTRIBUTES, slot->variable)->name;
            const struct attribute *a = named_attribute(s, name);
            attributes[i] = (struct qpusim_attribute){a->data, slot->words, a->stride, slot->bytes};
        }
        draw.vertex_attributes = layout->attribute_select[QPUCC_VERTEX];
        draw.coordinate_attributes = layout->attribute_select[QPUCC_COORDINATE];
        draw.attribute_count = layout->attribute_count;
        draw.varying_count = layout->varying_words;
        draw.flat_varyings = layout->flat_varyings;
        draw.point_size_written = layout->flags & QPUCC_POINT_SIZE;
        ok = qpusim_draw(target, &draw, &(struct qpusim_options){.counters = &counters}, &error) == QPUSIM_OK;
        if (!ok)
            printf("%s: instruction %u: %s\n", s->name, error.instruction, error.text);
        if (counters.position_mismatches)
            printf("%s: vertex and coordinate shader disagree\n", s->name);
        ok = ok && !counters.position_mismatches;
        memcpy(out, qpusim_target_pixels(target), SIZE * SIZE * sizeof *out);
    }
    for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
        qpusim_program_free(programs[k]);
        free(streams[k]);
    }
    qpusim_target_free(target);
    qpusim_memory_free(memory);
    qpucc_program_free(program);
    return ok;
}

/* --- the system's GL ------------------------------------------------------------------------------------ */

static GLuint gl_program(const struct scene *s) {
    GLuint program = glCreateProgram();
    GLint ok = 0;
    for (int k = 0; k < 2; k++) {
        const char *text = k ? s->fragment : s->vertex;
        GLuint shader = glCreateShader(k ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, &text, NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    for (GLuint i = 0; i < ATTRIBUTES; i++)
        if (s->attribute[i].type)
            glBindAttribLocation(program, i, s->attribute[i].name);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[500] = "";
        glGetProgramInfoLog(program, sizeof log, NULL, log);
        printf("%s: GL: %s\n", s->name, log);
    }
    return ok ? program : 0;
}

static void gl_texture(const struct texture *t) {
    GLenum target = t->target ? t->target : GL_TEXTURE_2D;
    GLuint name;
    glGenTextures(1, &name);
    glBindTexture(target, name);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(target, 0, (GLint)t->internal, 16, 16, 0, t->layout, t->type, t->pixels);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static bool draw_on_gl(const struct scene *s, uint32_t *out) {
    GLuint buffer, store, program = gl_program(s);
    glPushAttrib(GL_ALL_ATTRIB_BITS);
    glGenFramebuffers(1, &buffer);
    glBindFramebuffer(GL_FRAMEBUFFER, buffer);
    glGenRenderbuffers(1, &store);
    glBindRenderbuffer(GL_RENDERBUFFER, store);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIZE, SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, store);
    glViewport(0, 0, SIZE, SIZE);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program);
    if (s->textured)
        gl_texture(&s->texture);
    for (GLuint i = 0; i < ATTRIBUTES; i++) {
        const struct attribute *a = &s->attribute[i];
        if (!a->type)
            continue;
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, a->bgra ? GL_BGRA : (GLint)a->components, a->type, a->normalized,
                              (GLsizei)a->stride, a->data);
    }
    if (s->gl)
        s->gl(s);
    glDrawArrays(s->mode, 0, (GLsizei)s->count);
    glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, out);
    GLenum error = glGetError();
    if (error)
        printf("%s: GL error 0x%x\n", s->name, error);
    for (GLuint i = 0; i < ATTRIBUTES; i++)
        glDisableVertexAttribArray(i);
    glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
    glPopAttrib();
    glUseProgram(0);
    glDeleteProgram(program);
    glDeleteRenderbuffers(1, &store);
    glDeleteFramebuffers(1, &buffer);
    return program && !error;
}

/* --- comparing ------------------------------------------------------------------------------------------ */

static unsigned tried, failed;

static void try_scene(const struct scene *s) {
    static uint32_t machine[SIZE * SIZE], reference[SIZE * SIZE];
    for (int level = 0; level <= 2; level += 2) {
        unsigned bad = 0, drawn = 0, worst = 0;
        bool ok = draw_on_machine(s, level, machine) && draw_on_gl(s, reference);
        for (unsigned i = 0; ok && i < SIZE * SIZE; i++) {
            unsigned most = 0;
            for (unsigned k = 0; k < 32; k += 8) {
                int d = abs((int)(machine[i] >> k & 255) - (int)(reference[i] >> k & 255));
                most = (unsigned)d > most ? (unsigned)d : most;
            }
            bad += most > 3;
            drawn += reference[i] != 0;
            worst = most > worst ? most : worst;
        }
        ok = ok && drawn > 20 && bad * 100 <= drawn;
        tried++;
        failed += !ok;
        if (!ok)
            printf("%s, -O%d: %u of %u pixels off, worst by %u\n", s->name, level, bad, drawn, worst);
    }
}

/* --- scenes --------------------------------------------------------------------------------------------- */

static struct lanes_random source;

/* A place on whole pixels, with W of its own. */
static void put_place(struct attribute *a, unsigned i, int x, int y, float w) {
    float place[4] = {((float)x / (SIZE / 2) - 1) * w, ((float)y / (SIZE / 2) - 1) * w, 0, w};
    memcpy(a->data + 16 * i, place, sizeof place);
}

static void put_float(struct attribute *a, unsigned i, unsigned k, float value) {
    memcpy(a->data + a->stride * i + 4 * k, &value, sizeof value);
}

static struct attribute floats(const char *name) {
    return (struct attribute){.name = name, .type = GL_FLOAT, .components = 4, .stride = 16};
}

/* Quads of two triangles, every other one turned, with colours and other numbers for each vertex. */
static struct scene triangles(const char *name, const char *vertex, const char *fragment, bool perspective) {
    struct scene s = {.name = name,
                      .vertex = vertex,
                      .fragment = fragment,
                      .mode = GL_TRIANGLES,
                      .attribute = {floats("place"), floats("color"), floats("other")}};
    for (unsigned q = 0; q < 16; q++) {
        int x = (int)(q % 4) * 16, y = (int)(q / 4) * 16,
            corners[6][2] = {{0, 0}, {15, 0}, {0, 15}, {15, 0}, {15, 15}, {0, 15}};
        for (unsigned k = 0; k < 6; k++, s.count++) {
            unsigned c = q % 2 ? k / 3 * 3 + (3 - k % 3) % 3 : k; /* the other way round */
            put_place(&s.attribute[0], s.count, x + corners[c][0], y + corners[c][1],
                      perspective ? 1 + (float)lanes_below(&source, 8) / 4 : 1);
            for (unsigned n = 0; n < 4; n++) {
                put_float(&s.attribute[1], s.count, n, (float)lanes_below(&source, 256) / 255);
                put_float(&s.attribute[2], s.count, n, (float)lanes_below(&source, 256) / 128 - 1);
            }
        }
    }
    return s;
}

static struct scene points(const char *name, const char *vertex, const char *fragment) {
    struct scene s = {.name = name,
                      .vertex = vertex,
                      .fragment = fragment,
                      .mode = GL_POINTS,
                      .count = 9,
                      .attribute = {floats("place"), floats("color"), floats("other")},
                      .state = {.primitive = QPUCC_POINTS}};
    for (unsigned i = 0; i < s.count; i++) {
        put_place(&s.attribute[0], i, 12 + 20 * (int)(i % 3), 12 + 20 * (int)(i / 3), 1);
        put_float(&s.attribute[1], i, 0, (float)lanes_below(&source, 256) / 255);
        put_float(&s.attribute[1], i, 1, (float)lanes_below(&source, 256) / 255);
        put_float(&s.attribute[1], i, 3, 1);
        put_float(&s.attribute[2], i, 0, (float)(2 * i)); /* sizes 0 to 16 */
    }
    return s;
}

#define COLORED                                                                                              \
    "attribute vec4 place, color, other;\nvoid main() {\n    gl_Position = place;\n"                         \
    "    gl_FrontColor = color;\n    gl_BackColor = color.bgra * 0.5;\n}\n"
#define SHOW_COLOR "void main() { gl_FragColor = gl_Color; }\n"

static void gl_colors(const struct scene *s) {
    glShadeModel(s->state.flat_shade ? GL_FLAT : GL_SMOOTH);
    if (s->state.two_sided)
        glEnable(GL_VERTEX_PROGRAM_TWO_SIDE);
}

static void gl_first(const struct scene *s) {
    gl_colors(s);
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
}

/* The first vertex last, in the same direction: what docs/state-keys.md tells a driver to do. */
static void first_vertex(GLenum mode) {
    uint32_t turned[3 * MOST], n = 0;
    struct scene s = triangles("first vertex", "#version 120\n" COLORED, "#version 120\n" SHOW_COLOR, false);
    s.mode = mode;
    s.count = mode == GL_TRIANGLES ? s.count : 6;
    for (unsigned i = 0; i + 2 < s.count; i += mode == GL_TRIANGLES ? 3 : 1) {
        bool odd = mode == GL_TRIANGLE_STRIP && i % 2, fan = mode == GL_TRIANGLE_FAN;
        turned[n++] = fan || odd ? i + 2 : i + 1;
        turned[n++] = fan ? 0 : odd ? i + 1 : i + 2;
        turned[n++] = fan ? i + 1 : i;
    }
    s.state.flat_shade = s.state.two_sided = 1;
    s.indices = turned;
    s.index_count = n;
    s.gl = gl_first;
    try_scene(&s);
}

static void colors(void) {
    for (unsigned n = 0; n < 8; n++) {
        struct scene s = triangles("colours", "#version 120\n" COLORED, "#version 120\n" SHOW_COLOR, n & 4);
        s.state.flat_shade = n & 1;
        s.state.two_sided = n >> 1 & 1;
        s.mode = n == 1 ? GL_TRIANGLE_STRIP : n == 5 ? GL_TRIANGLE_FAN : GL_TRIANGLES;
        s.count = n % 4 == 1 ? 6 : s.count;
        s.gl = gl_colors;
        try_scene(&s);
    }
    /* a known colour must not become a constant of the wrong side, nor a smooth varying flat with a colour */
    static const char known[] = "#version 120\nattribute vec4 place, color, other;\nvarying vec4 v;\n"
                                "void main() {\n    gl_Position = place;\n    v = color;\n"
                                "    gl_FrontColor = color;\n    gl_BackColor = vec4(0.25, 0.5, 0.75, 1.0);\n"
                                "    gl_FrontSecondaryColor = vec4(1.0, 0.0, 0.5, 1.0);\n"
                                "    gl_BackSecondaryColor = color * 0.5;\n}\n";
    static const char sum[] =
        "#version 120\nvarying vec4 v;\nvoid main() {\n"
        "    gl_FragColor = gl_Color * 0.25 + v * 0.25 + gl_SecondaryColor * 0.25;\n}\n";
    for (unsigned n = 0; n < 4; n++) {
        struct scene s = triangles("known colours", known, sum, false);
        s.state.flat_shade = n & 1;
        s.state.two_sided = n >> 1;
        s.gl = gl_colors;
        try_scene(&s);
    }
    first_vertex(GL_TRIANGLES);
    first_vertex(GL_TRIANGLE_STRIP);
    first_vertex(GL_TRIANGLE_FAN);
}

static void gl_planes(const struct scene *s) {
    for (unsigned p = 0; p < 6; p++) {
        GLdouble plane[4];
        for (unsigned k = 0; k < 4; k++)
            plane[k] = (GLdouble)s->values.clip_plane[p][k];
        if (!(s->state.clip_planes >> p & 1))
            continue;
        glClipPlane(GL_CLIP_PLANE0 + p, plane);
        glEnable(GL_CLIP_PLANE0 + p);
    }
}

static void clip(void) {
    static const char vertex[] =
        "#version 120\nattribute vec4 place, color, other;\nvoid main() {\n"
        "    gl_Position = place;\n    gl_ClipVertex = vec4(place.xy / place.w, other.xy);\n"
        "    gl_FrontColor = color;\n}\n";
    static const char position[] = "#version 120\nattribute vec4 place, color, other;\nvoid main() {\n"
                                   "    gl_Position = place;\n    gl_FrontColor = color;\n}\n";
    static const char distance[] =
        "#version 130\nin vec4 place, color, other;\nout vec4 v;\nout float gl_ClipDistance[3];\nvoid main() "
        "{\n"
        "    gl_Position = place;\n    v = color;\n    gl_ClipDistance[0] = other.x;\n"
        "    gl_ClipDistance[1] = other.y + 0.75;\n    gl_ClipDistance[2] = dot(other, color);\n}\n";
    static const char show[] = "#version 130\nin vec4 v;\nvoid main() { gl_FragColor = v; }\n";
    for (unsigned n = 0; n < 9; n++) {
        const char *text = n % 3 == 0 ? vertex : n % 3 == 1 ? position : distance;
        struct scene s =
            triangles("clip planes", text, n % 3 == 2 ? show : "#version 120\n" SHOW_COLOR, n > 2);
        s.state.clip_planes = (uint8_t)(n % 3 == 2 ? 1 + n % 7 : 1 + lanes_below(&source, 63));
        if (n == 2)
            s.state.clip_planes = 7;
        for (unsigned p = 0; p < 6; p++)
            for (unsigned k = 0; k < 4; k++)
                s.values.clip_plane[p][k] = (float)lanes_below(&source, 256) / 128 - 1 + (k == 3 ? 0.9f : 0);
        s.gl = gl_planes;
        try_scene(&s);
    }
    struct scene s = points("clipped points", position, "#version 120\n" SHOW_COLOR);
    s.state.clip_planes = 1;
    s.state.point_size = QPUCC_POINT_SIZE_FIXED;
    s.point_size = 10;
    s.values.clip_plane[0][0] = 1;
    s.values.clip_plane[0][3] = 0.05f;
    s.gl = gl_planes;
    glPointSize(10);
    try_scene(&s);
}

static void gl_sprites(const struct scene *s) {
    glEnable(GL_POINT_SPRITE);
    glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN,
                      s->state.point_lower_left ? GL_LOWER_LEFT : GL_UPPER_LEFT);
    for (unsigned unit = 0; unit < 4; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, s->state.coord_replace >> unit & 1);
    }
    glActiveTexture(GL_TEXTURE0);
    if (s->state.point_size == QPUCC_POINT_SIZE_SHADER)
        glEnable(GL_VERTEX_PROGRAM_POINT_SIZE);
    else
        glPointSize(s->point_size);
}

static void sprites(void) {
    static const char vertex[] =
        "#version 120\nattribute vec4 place, color, other;\nvoid main() {\n"
        "    gl_Position = place;\n    gl_PointSize = other.x + 2.0;\n"
        "    gl_TexCoord[0] = color;\n    gl_TexCoord[1] = vec4(0.25, 0.5, 0.75, 1.0);\n"
        "    gl_TexCoord[2] = color + vec4(0.125);\n}\n";
    static const char fragment[] =
        "#version 120\nvoid main() {\n"
        "    gl_FragColor = (gl_TexCoord[0] + gl_TexCoord[1] * 0.5 + gl_TexCoord[2] * 0.25) * 0.5;\n"
        "    gl_FragColor.b += gl_PointCoord.y * 0.25;\n}\n";
    for (unsigned n = 0; n < 8; n++) {
        struct scene s = points("sprites", vertex, fragment);
        s.state.coord_replace = (uint8_t)n;
        s.state.point_lower_left = n >> 1 & 1 ? 1 : 0;
        s.state.point_size = n & 1 ? QPUCC_POINT_SIZE_FIXED : QPUCC_POINT_SIZE_SHADER;
        s.point_size = 14;
        s.gl = gl_sprites;
        try_scene(&s);
    }
    /* GL leaves the clamp to the application's own size: the machine clamps, GL gets clamped sizes */
    struct scene s = points("clamped sizes", vertex, fragment);
    s.state.point_size_clamp = 1;
    s.values.point_size_range[0] = 4;
    s.values.point_size_range[1] = 12;
    s.state.coord_replace = 1;
    static char clamped[1000];
    snprintf(clamped, sizeof clamped, "%s", vertex);
    char *at = strstr(clamped, "other.x + 2.0");
    memcpy(at, "other.x      ", 13);
    for (unsigned i = 0; i < s.count; i++)
        put_float(&s.attribute[2], i, 0, (float)(2 * i));
    s.vertex = clamped;
    uint32_t machine[SIZE * SIZE], reference[SIZE * SIZE];
    s.gl = gl_sprites;
    for (int level = 0; level <= 2; level += 2) {
        bool ok = draw_on_machine(&s, level, machine);
        struct scene other = s;
        for (unsigned i = 0; i < s.count; i++)
            put_float(&other.attribute[2], i, 0, 2 * i < 4 ? 4 : 2 * i > 12 ? 12 : (float)(2 * i));
        ok = ok && draw_on_gl(&other, reference);
        unsigned bad = 0;
        for (unsigned i = 0; ok && i < SIZE * SIZE; i++)
            bad += (machine[i] != 0) != (reference[i] != 0);
        tried++;
        failed += !ok || bad > 4;
        if (!ok || bad > 4)
            printf("clamped sizes, -O%d: %u pixels off\n", level, bad);
    }
}

/* --- attributes ----------------------------------------------------------------------------------------- */

static void formats(void) {
    static const GLenum types[] = {GL_FLOAT,
                                   GL_HALF_FLOAT,
                                   GL_FIXED,
                                   GL_BYTE,
                                   GL_UNSIGNED_BYTE,
                                   GL_SHORT,
                                   GL_UNSIGNED_SHORT,
                                   GL_INT,
                                   GL_UNSIGNED_INT,
                                   GL_INT_2_10_10_10_REV,
                                   GL_UNSIGNED_INT_2_10_10_10_REV};
    static const unsigned bytes[] = {4, 2, 4, 1, 1, 2, 2, 4, 4, 4, 4};
    /* scaled so that each type's range is visible */
    static const char *const scale[] = {"1.0",
                                        "1.0",
                                        "1.0",
                                        "1.0 / 127.0",
                                        "1.0 / 255.0",
                                        "1.0 / 32767.0",
                                        "1.0 / 65535.0",
                                        "1.0 / 2147483647.0",
                                        "1.0 / 4294967295.0",
                                        "1.0 / 511.0",
                                        "1.0 / 1023.0"};
    enum { TYPES = sizeof types / sizeof *types };
    for (unsigned n = 0; n < 3 * TYPES; n++) {
        char text[500];
        unsigned t = n % TYPES;
        bool packed = t >= TYPES - 2;
        struct scene s = triangles("attribute", text, "#version 120\n" SHOW_COLOR, false);
        struct attribute *a = &s.attribute[1];
        a->type = types[t];
        a->normalized = n >= TYPES && t > 2;
        a->components = packed ? 4 : 1 + lanes_below(&source, 4);
        a->bgra = n >= 2 * TYPES && (packed || types[t] == GL_UNSIGNED_BYTE);
        if (a->bgra)
            a->components = 4, a->normalized = true;
        a->stride = (packed ? 4 : bytes[t] * a->components + 3) & ~3u;
        for (unsigned i = 0; i < sizeof a->data; i++)
            a->data[i] = (uint8_t)lanes_word(&source);
        for (unsigned i = 0; t == 1 && i + 1 < sizeof a->data; i += 2) /* 2^-4 to 1 */
            a->data[i + 1] = (uint8_t)((a->data[i + 1] & 3) | (11 + lanes_below(&source, 4)) << 2);
        for (unsigned i = 0; t == 2 && i + 3 < sizeof a->data; i += 4)
            memset(a->data + i + 2, 0, 2);
        for (unsigned i = 0; t == 0 && i + 3 < sizeof a->data; i += 4) {
            float value = (float)lanes_below(&source, 256) / 255;
            memcpy(a->data + i, &value, 4);
        }
        snprintf(
            text, sizeof text,
            "#version 120\nattribute vec4 place, color, other;\nvoid main() {\n    gl_Position = place;\n"
            "    gl_FrontColor = vec4(abs(color.rgb) * (%s), color.a > 0.5 ? 1.0 : 0.5);\n}\n",
            a->normalized ? "1.0" : scale[t]);
        try_scene(&s);
    }
}

/* --- textures ------------------------------------------------------------------------------------------- */

static void gl_swizzle(const struct scene *s) {
    static const GLint to[] = {0, GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE};
    static const GLint same[] = {GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA};
    GLint swizzle[4];
    for (unsigned k = 0; k < 4; k++)
        swizzle[k] = s->state.texture[0].swizzle[k] ? to[s->state.texture[0].swizzle[k]] : same[k];
    glTexParameteriv(s->texture.target ? s->texture.target : GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
}

#define TEXTURED                                                                                             \
    "attribute vec4 place, color, other;\nvarying vec3 c;\nvoid main() {\n    gl_Position = place;\n"        \
    "    c = vec3(place.xy * 0.5 + 0.5, color.r);\n}\n"

static void texture_formats(void) {
    static const struct {
        uint8_t key, srgb;
        enum qpusim_format format;
        GLenum internal, layout, type;
        unsigned bytes;
    } list[] = {
        {QPUCC_TEX_RGBA, 0, QPUSIM_RGBA8888, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
        {QPUCC_TEX_RGBA, 1, QPUSIM_RGBA8888, GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
        {QPUCC_TEX_BGRA, 0, QPUSIM_RGBA8888, GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE, 4},
        {QPUCC_TEX_RGBX, 0, QPUSIM_RGBA8888, GL_RGB8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
        {QPUCC_TEX_BGRX, 1, QPUSIM_RGBA8888, GL_SRGB8, GL_BGRA, GL_UNSIGNED_BYTE, 4},
        {QPUCC_TEX_LUMINANCE, 0, QPUSIM_LUMINANCE, GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE, 1},
        {QPUCC_TEX_ALPHA, 0, QPUSIM_ALPHA, GL_ALPHA8, GL_ALPHA, GL_UNSIGNED_BYTE, 1},
        {QPUCC_TEX_INTENSITY, 0, QPUSIM_LUMINANCE, GL_INTENSITY8, GL_LUMINANCE, GL_UNSIGNED_BYTE, 1},
        {QPUCC_TEX_LUMINANCE_ALPHA, 0, QPUSIM_LUMALPHA, GL_LUMINANCE8_ALPHA8, GL_LUMINANCE_ALPHA,
         GL_UNSIGNED_BYTE, 2},
        {QPUCC_TEX_RED, 0, QPUSIM_LUMINANCE, GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1},
        {QPUCC_TEX_RG, 0, QPUSIM_LUMALPHA, GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2},
        {QPUCC_TEX_RGBA_SNORM, 0, QPUSIM_RGBA8888, GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, 4},
        {QPUCC_TEX_RG_SNORM, 0, QPUSIM_LUMALPHA, GL_RG8_SNORM, GL_RG, GL_BYTE, 2},
        {QPUCC_TEX_RED_SNORM, 0, QPUSIM_LUMINANCE, GL_R8_SNORM, GL_RED, GL_BYTE, 1},
        {QPUCC_TEX_R16, 0, QPUSIM_LUMALPHA, GL_R16, GL_RED, GL_UNSIGNED_SHORT, 2},
        {QPUCC_TEX_RG16, 0, QPUSIM_RGBA8888, GL_RG16, GL_RG, GL_UNSIGNED_SHORT, 4},
        {QPUCC_TEX_R16F, 0, QPUSIM_LUMALPHA, GL_R16F, GL_RED, GL_HALF_FLOAT, 2},
        {QPUCC_TEX_RG16F, 0, QPUSIM_RGBA8888, GL_RG16F, GL_RG, GL_HALF_FLOAT, 4},
        {QPUCC_TEX_R32F, 0, QPUSIM_RGBA8888, GL_R32F, GL_RED, GL_FLOAT, 4},
        {QPUCC_TEX_RGB10_A2, 0, QPUSIM_RGBA8888, GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4},
    };
    for (unsigned n = 0; n < 2 * (sizeof list / sizeof *list); n++) {
        unsigned f = n % (sizeof list / sizeof *list);
        struct scene s = triangles("texture format", "#version 120\n" TEXTURED,
                                   "#version 120\nuniform sampler2D t;\nvarying vec3 c;\n"
                                   "void main() { gl_FragColor = abs(texture2D(t, c.xy)) * 0.75 + 0.25; }\n",
                                   false);
        char name[60];
        snprintf(name, sizeof name, "texture format %u%s", list[f].key, n == f ? "" : " with a swizzle");
        s.name = name;
        s.textured = true;
        s.texture.format = list[f].format;
        s.texture.internal = list[f].internal;
        s.texture.layout = list[f].layout;
        s.texture.type = list[f].type;
        s.state.texture[0].format = list[f].key;
        s.state.texture[0].srgb = list[f].srgb;
        for (unsigned k = 0; n != f && k < 4; k++)
            s.state.texture[0].swizzle[k] = (uint8_t)lanes_below(&source, QPUCC_SWIZZLE_COUNT);
        for (unsigned i = 0; i < sizeof s.texture.pixels; i++)
            s.texture.pixels[i] = (uint8_t)lanes_word(&source);
        for (unsigned i = 0; i < 16 * 16 * 2; i++) /* halves and floats between 0 and 1 */
            if (list[f].type == GL_HALF_FLOAT)
                s.texture.pixels[2 * i + 1] = (uint8_t)(0x30 | (s.texture.pixels[2 * i + 1] & 0xb));
        for (unsigned i = 0; list[f].type == GL_FLOAT && i < 16 * 16; i++) {
            float value = (float)lanes_below(&source, 256) / 255;
            memcpy(s.texture.pixels + 4 * i, &value, 4);
        }
        s.gl = gl_swizzle;
        try_scene(&s);
    }
}

static void gl_compare(const struct scene *s) {
    static const GLint functions[] = {GL_LEQUAL, GL_LESS,     GL_GEQUAL, GL_GREATER,
                                      GL_EQUAL,  GL_NOTEQUAL, GL_ALWAYS, GL_NEVER};
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, functions[s->state.texture[0].compare]);
}

static void shadows(void) {
    for (unsigned n = 0; n < 2 * QPUCC_COMPARE_COUNT; n++) {
        struct scene s = triangles("comparison", "#version 120\n" TEXTURED,
                                   "#version 120\nuniform sampler2DShadow t;\nvarying vec3 c;\n"
                                   "void main() { gl_FragColor = shadow2D(t, c) * 0.5 + 0.25; }\n",
                                   false);
        bool wide = n & 1;
        s.textured = true;
        s.state.texture[0].format = wide ? QPUCC_TEX_DEPTH24 : QPUCC_TEX_DEPTH16;
        s.state.texture[0].compare = (uint8_t)(n / 2);
        s.texture.format = wide ? QPUSIM_RGBA8888 : QPUSIM_LUMALPHA;
        s.texture.internal = wide ? GL_DEPTH24_STENCIL8 : GL_DEPTH_COMPONENT16;
        s.texture.layout = wide ? GL_DEPTH_STENCIL : GL_DEPTH_COMPONENT;
        s.texture.type = wide ? GL_UNSIGNED_INT_24_8 : GL_UNSIGNED_SHORT;
        for (unsigned i = 0; i < sizeof s.texture.pixels; i++)
            s.texture.pixels[i] = (uint8_t)lanes_word(&source);
        /* a quarter of the texels is 1, and some references are beyond it: clamped they are equal */
        for (unsigned i = 0; i < 16 * 16; i += 4)
            memset(s.texture.pixels + (wide ? 4 : 2) * i, 255, wide ? 4 : 2);
        for (unsigned i = 0; i < s.count; i++)
            put_float(&s.attribute[1], i, 0, (float)lanes_below(&source, 256) / 128 - 0.25f);
        s.gl = gl_compare;
        try_scene(&s);
    }
}

static void gl_border(const struct scene *s) {
    GLfloat color[4];
    for (unsigned k = 0; k < 4; k++)
        color[k] = (GLfloat)(s->values.border_color[0] >> 8 * k & 255) / 255;
    glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, color);
}

/* The border itself is drawn in state_textures: pictures here clamp to the edge, which the key must not
 * disturb. And rectangles: GL has a target for what is a bit of the key here. */
static void rectangles(void) {
    struct scene s = triangles("rectangle", "#version 120\n" TEXTURED,
                               "#version 120\n#extension GL_ARB_texture_rectangle : enable\n"
                               "uniform sampler2DRect t;\nvarying vec3 c;\n"
                               "void main() { gl_FragColor = texture2DRect(t, c.xy * 16.0); }\n",
                               false);
    s.textured = true;
    s.texture.target = GL_TEXTURE_RECTANGLE;
    s.texture.format = QPUSIM_RGBA8888;
    s.texture.internal = GL_RGBA8;
    s.texture.layout = GL_RGBA;
    s.texture.type = GL_UNSIGNED_BYTE;
    for (unsigned i = 0; i < sizeof s.texture.pixels; i++)
        s.texture.pixels[i] = (uint8_t)lanes_word(&source);
    try_scene(&s);
    s.name = "clamped with a border colour";
    s.fragment = "#version 120\nuniform sampler2D t;\nvarying vec3 c;\n"
                 "void main() { gl_FragColor = texture2D(t, c.xy * 1.5); }\n";
    s.texture.target = 0;
    s.state.texture[0].border = 1;
    s.values.border_color[0] = lanes_word(&source);
    s.gl = gl_border;
    try_scene(&s);
}

int main(int argc, char **argv) {
    char error[300];
    source.state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    if (!gl_fixed_open(error, sizeof error)) {
        printf("%s\n", error);
        return SKIPPED;
    }
    colors();
    clip();
    sprites();
    formats();
    texture_formats();
    shadows();
    rectangles();
    gl_fixed_close();
    printf("%u pictures, %u wrong\n", tried, failed);
    return failed != 0;
}
