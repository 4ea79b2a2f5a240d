/* Surfaceless EGL and desktop GL with its compatibility profile. */
#include "gl_fixed.h"

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static EGLDisplay display = EGL_NO_DISPLAY;
static EGLContext context = EGL_NO_CONTEXT;

bool gl_fixed_open(char *error, size_t size) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    bool ok = display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL) && eglBindAPI(EGL_OPENGL_API);
    if (ok) {
        context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, NULL);
        ok = context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
    }
    if (!ok) {
        snprintf(error, size, "no surfaceless desktop GL here (0x%x)", (unsigned)eglGetError());
        gl_fixed_close();
        return false;
    }
    printf("reference: %s, %s\n", (const char *)glGetString(GL_RENDERER),
           (const char *)glGetString(GL_VERSION));
    return true;
}

void gl_fixed_close(void) {
    if (display == EGL_NO_DISPLAY)
        return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT)
        eglDestroyContext(display, context);
    eglTerminate(display);
    eglReleaseThread();
}

static void set(GLenum what, bool on) {
    (on ? glEnable : glDisable)(what);
}

/* --- state ---------------------------------------------------------------------------------------------- */

/* Places and directions of lights are the eye's coordinates: set while the matrix is the identity. */
static void set_lights(const struct fixed_case *c) {
    static const GLenum color_material[] = {
        0, GL_AMBIENT_AND_DIFFUSE, GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_EMISSION};
    const struct qpucc_fixed *fixed = &c->fixed;
    set(GL_LIGHTING, fixed->lighting);
    set(GL_NORMALIZE, fixed->normals == QPUCC_NORMALS_NORMALIZED);
    set(GL_RESCALE_NORMAL, fixed->normals == QPUCC_NORMALS_RESCALED);
    set(GL_COLOR_SUM, fixed->color_sum);
    set(GL_VERTEX_PROGRAM_TWO_SIDE, false);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, c->state.two_sided);
    glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, fixed->local_viewer);
    glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL,
                  fixed->separate_specular ? GL_SEPARATE_SPECULAR_COLOR : GL_SINGLE_COLOR);
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, c->model_ambient);
    for (unsigned n = 0; n < QPUCC_FIXED_LIGHTS; n++) {
        const struct case_light *l = &c->light[n];
        GLenum light = GL_LIGHT0 + n;
        set(light, fixed->light[n].enabled);
        if (!fixed->light[n].enabled)
            continue;
        glLightfv(light, GL_AMBIENT, l->ambient);
        glLightfv(light, GL_DIFFUSE, l->diffuse);
        glLightfv(light, GL_SPECULAR, l->specular);
        glLightfv(light, GL_POSITION, l->position);
        glLightfv(light, GL_SPOT_DIRECTION, l->direction);
        glLightf(light, GL_SPOT_EXPONENT, fixed->light[n].spot ? l->exponent : 0);
        glLightf(light, GL_SPOT_CUTOFF, l->cutoff);
        glLightf(light, GL_CONSTANT_ATTENUATION, l->attenuation[0]);
        glLightf(light, GL_LINEAR_ATTENUATION, l->attenuation[1]);
        glLightf(light, GL_QUADRATIC_ATTENUATION, l->attenuation[2]);
    }
    glDisable(GL_COLOR_MATERIAL);
    for (unsigned face = 0; face < 2; face++) {
        const struct case_material *m = &c->material[face];
        GLenum side = face ? GL_BACK : GL_FRONT;
        glMaterialfv(side, GL_AMBIENT, m->ambient);
        glMaterialfv(side, GL_DIFFUSE, m->diffuse);
        glMaterialfv(side, GL_SPECULAR, m->specular);
        glMaterialfv(side, GL_EMISSION, m->emission);
        glMaterialf(side, GL_SHININESS, m->shininess);
    }
    if (fixed->lighting && fixed->color_material) {
        glColorMaterial(GL_FRONT_AND_BACK, color_material[fixed->color_material]);
        glEnable(GL_COLOR_MATERIAL);
    }
}

static void set_generation(const struct fixed_case *c, unsigned n) {
    static const GLenum modes[] = {
        0, GL_EYE_LINEAR, GL_OBJECT_LINEAR, GL_SPHERE_MAP, GL_REFLECTION_MAP, GL_NORMAL_MAP};
    for (unsigned k = 0; k < 4; k++) {
        unsigned how = c->fixed.texture[n].generate[k];
        set(GL_TEXTURE_GEN_S + k, how);
        if (!how)
            continue;
        glTexGeni(GL_S + k, GL_TEXTURE_GEN_MODE, (GLint)modes[how]);
        glTexGenfv(GL_S + k, GL_OBJECT_PLANE, c->texture[n].object_plane[k]);
        glTexGenfv(GL_S + k, GL_EYE_PLANE, c->texture[n].eye_plane[k]);
    }
}

static void set_combiner(const struct qpucc_fixed_texture *t) {
    static const GLenum combine[] = {GL_MODULATE,    GL_REPLACE,  GL_ADD,      GL_ADD_SIGNED,
                                     GL_INTERPOLATE, GL_SUBTRACT, GL_DOT3_RGB, GL_DOT3_RGBA};
    static const GLenum operand[] = {0, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_SRC_COLOR,
                                     GL_ONE_MINUS_SRC_COLOR};
    static const GLenum source[] = {0, GL_TEXTURE, GL_PREVIOUS, GL_CONSTANT, GL_PRIMARY_COLOR};
    static const GLenum initial[] = {GL_TEXTURE, GL_PREVIOUS, GL_CONSTANT};
    glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, (GLint)combine[t->combine_rgb]);
    glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_ALPHA, (GLint)combine[t->combine_alpha]);
    for (unsigned k = 0; k < 3; k++) {
        const uint8_t sources[2] = {t->source_rgb[k], t->source_alpha[k]};
        for (unsigned a = 0; a < 2; a++) {
            GLenum from = sources[a] >= QPUCC_SOURCE_TEXTURE0
                              ? (GLenum)(GL_TEXTURE0 + sources[a] - QPUCC_SOURCE_TEXTURE0)
                          : sources[a] ? source[sources[a]]
                                       : initial[k];
            glTexEnvi(GL_TEXTURE_ENV, (a ? GL_SOURCE0_ALPHA : GL_SOURCE0_RGB) + k, (GLint)from);
        }
        glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND0_RGB + k,
                  (GLint)(t->operand_rgb[k] ? operand[t->operand_rgb[k]]
                          : k == 2          ? GL_SRC_ALPHA
                                            : GL_SRC_COLOR));
        glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND0_ALPHA + k,
                  (GLint)(t->operand_alpha[k] ? operand[t->operand_alpha[k]] : GL_SRC_ALPHA));
    }
    glTexEnvf(GL_TEXTURE_ENV, GL_RGB_SCALE, (float)(1 << t->scale_rgb));
    glTexEnvf(GL_TEXTURE_ENV, GL_ALPHA_SCALE, (float)(1 << t->scale_alpha));
}

static void set_texture(const struct fixed_case *c, unsigned n, GLuint name) {
    static const GLenum formats[] = {GL_RGBA8,     GL_RGB8, GL_ALPHA8, GL_LUMINANCE8, GL_LUMINANCE8_ALPHA8,
                                     GL_INTENSITY8};
    static const GLenum envs[] = {GL_MODULATE, GL_REPLACE, GL_DECAL, GL_BLEND, GL_ADD, GL_COMBINE};
    const struct qpucc_fixed_texture *t = &c->fixed.texture[n];
    bool cube = t->target == QPUCC_UNIT_CUBE;
    GLenum target = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
    glActiveTexture(GL_TEXTURE0 + n);
    set(GL_TEXTURE_2D, t->target == QPUCC_UNIT_2D);
    set(GL_TEXTURE_CUBE_MAP, cube);
    set_generation(c, n);
    if (!t->target)
        return;
    glBindTexture(target, name);
    for (unsigned k = 0; k < (cube ? 6u : 1u); k++)
        glTexImage2D(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + k : target, 0, (GLint)formats[t->base_format],
                     CASE_TEXTURE, CASE_TEXTURE, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                     c->texture[n].images[k].pixels);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, cube ? GL_CLAMP_TO_EDGE : GL_REPEAT);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, cube ? GL_CLAMP_TO_EDGE : GL_REPEAT);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, (GLint)envs[t->env]);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, c->texture[n].constant);
    if (t->env == QPUCC_ENV_COMBINE)
        set_combiner(t);
    glMatrixMode(GL_TEXTURE);
    glLoadMatrixf(c->texture[n].matrix);
}

static void set_points(const struct fixed_case *c) {
    bool points = c->state.primitive == QPUCC_POINTS;
    set(GL_POINT_SPRITE, points && c->fixed.point_sprite);
    glPointSize(points ? c->point_size : 1);
    glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, points && c->fixed.point_attenuation
                                                          ? c->point_attenuation
                                                          : (const float[3]){1, 0, 0});
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        glActiveTexture(GL_TEXTURE0 + n);
        glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, c->state.coord_replace >> n & 1);
    }
}

static void set_fog(const struct fixed_case *c) {
    static const GLenum modes[] = {0, GL_LINEAR, GL_EXP, GL_EXP2};
    const float *color = c->values.fog_color;
    bool own = c->state.fog_source == QPUCC_FOG_COORDINATE;
    set(GL_FOG, c->state.fog);
    if (!c->state.fog)
        return;
    glFogi(GL_FOG_MODE, (GLint)modes[c->state.fog]);
    glFogfv(GL_FOG_COLOR, (const float[4]){color[0], color[1], color[2], 1});
    glFogf(GL_FOG_DENSITY, c->values.fog_density);
    glFogf(GL_FOG_START, c->values.fog_start);
    glFogf(GL_FOG_END, c->values.fog_end);
    glFogi(GL_FOG_COORDINATE_SOURCE,
           own && c->fixed.fog_coord == QPUCC_FOG_FROM_ARRAY ? GL_FOG_COORDINATE : GL_FRAGMENT_DEPTH);
    glFogi(GL_FOG_DISTANCE_MODE_NV, own && c->fixed.fog_coord == QPUCC_FOG_FROM_DISTANCE
                                        ? GL_EYE_RADIAL_NV
                                        : GL_EYE_PLANE_ABSOLUTE_NV);
}

static void set_fragments(const struct fixed_case *c, bool every_fragment) {
    static const GLenum funcs[] = {GL_ALWAYS, GL_NEVER,   GL_LESS,     GL_EQUAL,
                                   GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL};
    set(GL_ALPHA_TEST, c->state.alpha_func && !every_fragment);
    glAlphaFunc(funcs[c->state.alpha_func], c->values.alpha_reference);
    set(GL_BLEND, c->state.blend.enable && !every_fragment);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

/* Planes are the eye's coordinates: set while the matrix is the identity. */
static void set_planes(const struct fixed_case *c) {
    for (unsigned n = 0; n < 6; n++) {
        double plane[4];
        for (unsigned k = 0; k < 4; k++)
            plane[k] = (double)c->values.clip_plane[n][k];
        set(GL_CLIP_PLANE0 + n, c->state.clip_planes >> n & 1);
        glClipPlane(GL_CLIP_PLANE0 + n, plane);
    }
}

/* --- drawing -------------------------------------------------------------------------------------------- */

static void draw_vertex(const struct fixed_case *c, const struct case_vertex *v) {
    static const float last[3] = {0, 0, 1};
    const struct qpucc_fixed *fixed = &c->fixed;
    glColor4fv(fixed->color_array ? v->color : c->color);
    glSecondaryColor3fv(fixed->secondary_array ? v->secondary : c->secondary);
    glNormal3fv(fixed->normal_array ? v->normal : c->normal);
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        unsigned words = fixed->texture[n].coord_words;
        const float *from = words ? v->coord[n] : c->texture[n].current;
        float coord[4];
        for (unsigned k = 0; k < 4; k++)
            coord[k] = !words || k < words ? from[k] : k == 3 ? last[2] : 0;
        glMultiTexCoord4fv(GL_TEXTURE0 + n, coord);
    }
    glFogCoordf(v->fog);
    glVertex4fv(v->place);
}

static void draw_vertices(const struct fixed_case *c) {
    bool points = c->state.primitive == QPUCC_POINTS;
    for (unsigned k = 0; k < c->count; k++) {
        if (c->fixed.point_size_array && points)
            glPointSize(c->vertex[k].size);
        if (!k || (c->fixed.point_size_array && points))
            glBegin(points ? GL_POINTS : GL_TRIANGLES);
        draw_vertex(c, &c->vertex[k]);
        if (k + 1 == c->count || (c->fixed.point_size_array && points))
            glEnd();
    }
}

bool gl_fixed_draw(const struct fixed_case *c, bool every_fragment, struct picture *out, char *error,
                   size_t size) {
    GLuint framebuffer, buffer, textures[QPUCC_FIXED_TEXTURES];
    *out = (struct picture){CASE_SIZE, CASE_SIZE, calloc(CASE_SIZE * CASE_SIZE, 4)};
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &buffer);
    glGenTextures(QPUCC_FIXED_TEXTURES, textures);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, CASE_SIZE, CASE_SIZE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    glViewport(0, 0, CASE_SIZE, CASE_SIZE);
    glClearColor((float)c->clear[0] / 255, (float)c->clear[1] / 255, (float)c->clear[2] / 255,
                 (float)c->clear[3] / 255);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_DITHER);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    set_lights(c);
    set_planes(c);
    set_fog(c);
    set_fragments(c, every_fragment);
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++)
        set_texture(c, n, textures[n]);
    set_points(c);
    glShadeModel(c->state.flat_shade ? GL_FLAT : GL_SMOOTH);
    glMatrixMode(GL_PROJECTION);
    glLoadMatrixf(c->projection);
    glMatrixMode(GL_MODELVIEW);
    glLoadMatrixf(c->modelview);
    draw_vertices(c);
    if (out->pixels)
        glReadPixels(0, 0, CASE_SIZE, CASE_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, out->pixels);
    GLenum fault = glGetError();
    glDeleteTextures(QPUCC_FIXED_TEXTURES, textures);
    glDeleteRenderbuffers(1, &buffer);
    glDeleteFramebuffers(1, &framebuffer);
    if (fault == GL_NO_ERROR && out->pixels)
        return true;
    snprintf(error, size, "GL error 0x%x", fault);
    picture_free(out);
    return false;
}
