/* Random fixed-function states.
 *
 * Vertices are placed in the picture, on odd sixteenths of pixels, where hardware that snaps to sixteenths
 * and a reference that snaps to smaller steps agree, and taken back through the matrices. The mesh is larger
 * than the picture, so no outline is seen. Textures are smooth. What is left to differ is arithmetic. */
#include "case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- chance --------------------------------------------------------------------------------------------- */

static uint32_t next(uint32_t *s) {
    *s = *s * 1664525u + 1013904223u;
    uint32_t x = *s ^ *s >> 16;
    x *= 0x7feb352du;
    return x ^ x >> 15;
}
static unsigned below(uint32_t *s, unsigned n) {
    return next(s) % n;
}
static bool chance(uint32_t *s, unsigned percent) {
    return below(s, 100) < percent;
}
static float between(uint32_t *s, float low, float high) {
    return low + (high - low) * (float)(next(s) >> 8) / 16777216.0f;
}
static void fill(uint32_t *s, float *v, unsigned n, float low, float high) {
    for (unsigned k = 0; k < n; k++)
        v[k] = between(s, low, high);
}

/* --- matrices, column after column ---------------------------------------------------------------------- */

static void set_identity(float m[16]) {
    for (int k = 0; k < 16; k++)
        m[k] = k % 5 == 0;
}

static void multiply(const float a[16], const float b[16], double out[16]) {
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            out[4 * c + r] = 0;
            for (int k = 0; k < 4; k++)
                out[4 * c + r] += (double)a[4 * k + r] * (double)b[4 * c + k];
        }
}

/* Gauss and Jordan; the matrices here have an inverse. */
static void invert(const double m[16], double out[16]) {
    double a[4][8];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 8; c++)
            a[r][c] = c < 4 ? m[4 * c + r] : c - 4 == r;
    for (int p = 0; p < 4; p++) {
        int best = p;
        for (int r = p + 1; r < 4; r++)
            best = fabs(a[r][p]) > fabs(a[best][p]) ? r : best;
        for (int c = 0; c < 8; c++) {
            double t = a[p][c];
            a[p][c] = a[best][c];
            a[best][c] = t;
        }
        for (int r = 0; r < 4; r++) {
            double by = r == p ? 1 - 1 / a[p][p] : a[r][p] / a[p][p];
            for (int c = 7; c >= 0; c--)
                a[r][c] -= by * a[p][c];
        }
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            out[4 * c + r] = a[r][c + 4];
}

/* Turned, stretched and moved away from the eye. */
static void make_modelview(uint32_t *s, float m[16]) {
    float angle[3];
    double r[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    fill(s, angle, 3, -0.6f, 0.6f);
    for (int axis = 0; axis < 3; axis++) {
        double c = cos((double)angle[axis]), n = sin((double)angle[axis]);
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        for (int k = 0; k < 3; k++) {
            double x = r[i][k], y = r[j][k];
            r[i][k] = c * x - n * y;
            r[j][k] = n * x + c * y;
        }
    }
    float stretch = between(s, 0.6f, 1.7f);
    bool even = chance(s, 50);
    set_identity(m);
    for (int c = 0; c < 3; c++) {
        float by = even ? stretch : between(s, 0.6f, 1.7f);
        for (int k = 0; k < 3; k++)
            m[4 * c + k] = (float)r[k][c] * by;
    }
    fill(s, m + 12, 3, -0.5f, 0.5f);
    m[14] -= 3;
}

static void make_projection(uint32_t *s, float m[16]) {
    float f = between(s, 0.8f, 1.6f);
    memset(m, 0, 16 * sizeof *m);
    m[0] = f;
    m[5] = f * between(s, 0.8f, 1.2f);
    m[8] = between(s, -0.2f, 0.2f);
    m[9] = between(s, -0.2f, 0.2f);
    m[10] = -11.0f / 9;
    m[11] = -1;
    m[14] = -20.0f / 9;
}

/* --- what is drawn -------------------------------------------------------------------------------------- */

struct placer {
    double back[16]; /* from clip coordinates to the object's */
};

static struct placer placer_of(const struct fixed_case *c) {
    struct placer p;
    double both[16];
    multiply(c->projection, c->modelview, both);
    invert(both, p.back);
    return p;
}

/* The object's place that is drawn at a pixel, with a w. */
static void put(const struct fixed_case *c, const struct placer *p, double x, double y, double w,
                float out[4]) {
    double z = (double)-c->projection[10] * w + (double)c->projection[14];
    const double clip[4] = {(x / CASE_SIZE * 2 - 1) * w, (y / CASE_SIZE * 2 - 1) * w, z, w};
    double v[4];
    for (int r = 0; r < 4; r++) {
        v[r] = 0;
        for (int k = 0; k < 4; k++)
            v[r] += p->back[4 * k + r] * clip[k];
    }
    for (int k = 0; k < 4; k++)
        out[k] = (float)(v[k] / v[3]);
    out[3] = 1;
}

/* --- vertices whose colours are a matter of rounding ---------------------------------------------------- */

static void eye_of(const struct fixed_case *c, const float place[4], double eye[3]) {
    for (int r = 0; r < 3; r++) {
        eye[r] = 0;
        for (int k = 0; k < 4; k++)
            eye[r] += (double)c->modelview[4 * k + r] * (double)place[k];
    }
}

/* Is some light just at the vertex's horizon, or the vertex on the edge of its cone? Specular light and the
 * cone have a step there. */
static bool ambiguous(const struct fixed_case *c, const struct case_vertex *v) {
    double m[16], back[16], n[3], eye[3], length = 0;
    const float *given = c->fixed.normal_array ? v->normal : c->normal;
    for (int k = 0; k < 16; k++)
        m[k] = (double)c->modelview[k];
    invert(m, back);
    eye_of(c, v->place, eye);
    for (int r = 0; r < 3; r++) {
        n[r] = 0;
        for (int k = 0; k < 3; k++)
            n[r] += back[4 * r + k] * (double)given[k];
        length += n[r] * n[r];
    }
    for (unsigned i = 0; i < QPUCC_FIXED_LIGHTS && c->fixed.lighting; i++) {
        const struct case_light *l = &c->light[i];
        double to[3], square = 0, facing = 0, along = 0, axis = 0;
        if (!c->fixed.light[i].enabled)
            continue;
        for (int k = 0; k < 3; k++) {
            to[k] = (double)l->position[k];
            if (c->fixed.light[i].positional)
                to[k] = to[k] / (double)l->position[3] - eye[k];
            square += to[k] * to[k];
            facing += to[k] * n[k];
            along -= to[k] * (double)l->direction[k];
            axis += (double)l->direction[k] * (double)l->direction[k];
        }
        double edge = cos((double)l->cutoff * 0.017453292519943295);
        if (fabs(facing) < 0.01 * sqrt(square * length) ||
            (c->fixed.light[i].spot && fabs(along / sqrt(square * axis) - edge) < 0.01))
            return true;
    }
    return false;
}

/* Smooth over the mesh, so that coordinates and colours of neighbours are near each other. */
static void dress(uint32_t *s, const struct fixed_case *c, struct case_vertex *v, double x, double y) {
    for (int k = 0; k < 4; k++) {
        v->color[k] = between(s, 0, 1);
        v->secondary[k] = k < 3 ? between(s, 0, 0.6f) : 0;
    }
    v->normal[0] = between(s, -0.5f, 0.5f);
    v->normal[1] = between(s, -0.5f, 0.5f);
    v->normal[2] = between(s, 0.7f, 1);
    float length =
        sqrtf(v->normal[0] * v->normal[0] + v->normal[1] * v->normal[1] + v->normal[2] * v->normal[2]);
    for (int k = 0; k < 3 && (c->fixed.normals != QPUCC_NORMALS_NORMALIZED); k++)
        v->normal[k] /= length;
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        v->coord[n][0] = (float)(x / CASE_SIZE * 1.3 + 0.05 * n) + between(s, -0.03f, 0.03f);
        v->coord[n][1] = (float)(y / CASE_SIZE * 1.1 - 0.1 * n) + between(s, -0.03f, 0.03f);
        v->coord[n][2] = between(s, 0.4f, 0.8f);
        v->coord[n][3] = between(s, 0.8f, 1.3f);
    }
    v->fog = between(s, 1.5f, 4.5f);
}

enum { CELLS = 7, CORNERS = CELLS + 1 };

/* An odd sixteenth near there: never a pixel's centre. */
static double odd_sixteenth(uint32_t *s, double at, double spread) {
    return (2 * floor((at + (double)between(s, -1, 1) * spread) * 8) + 1) / 16;
}

static void make_mesh(struct fixed_case *c, uint32_t *s) {
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    struct case_vertex grid[CORNERS][CORNERS];
    struct placer p = placer_of(c);
    bool back = chance(s, 30);
    for (int j = 0; j < CORNERS; j++)
        for (int i = 0; i < CORNERS; i++) {
            double step = (CASE_SIZE + 16.0) / CELLS, x = odd_sixteenth(s, i * step - 8, 1.5),
                   y = odd_sixteenth(s, j * step - 8, 1.5);
            memset(&grid[j][i], 0, sizeof grid[j][i]);
            put(c, &p, x, y, (double)between(s, 2, 4), grid[j][i].place);
            for (int tries = 0; tries < 20; tries++) {
                dress(s, c, &grid[j][i], x, y);
                if (!ambiguous(c, &grid[j][i]))
                    break;
                put(c, &p, x, y, (double)between(s, 2, 4), grid[j][i].place);
            }
        }
    for (int j = 0; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++)
            for (int k = 0; k < 6; k++) {
                const int *at = corner[back ? 5 - k : k]; /* the other way round: seen from behind */
                c->vertex[c->count++] = grid[j + at[1]][i + at[0]];
            }
}

/* What a point is drawn with. The reference takes the distance along z where GL has the distance from the eye
 * (fixed_test has GL's formula), so `planar` is that. */
static double size_of(const struct fixed_case *c, const struct case_vertex *v, bool planar) {
    const float *a = c->point_attenuation;
    double eye[3], size = c->fixed.point_size_array ? (double)v->size : (double)c->point_size;
    eye_of(c, v->place, eye);
    double d = planar ? -eye[2] : sqrt(eye[0] * eye[0] + eye[1] * eye[1] + eye[2] * eye[2]);
    if (c->fixed.point_attenuation)
        size /= sqrt((double)a[0] + (double)a[1] * d + (double)a[2] * d * d);
    return size;
}

/* Points whose size is no matter of rounding, in the middle of a pixel or between two, where both renderers
 * cover the same pixels. Sprites may lie anywhere. */
static void make_points(struct fixed_case *c, uint32_t *s) {
    struct placer p = placer_of(c);
    for (unsigned tries = 0; tries < 2000 && c->count < 25; tries++) {
        struct case_vertex *v = &c->vertex[c->count];
        double w = (double)between(s, 2, 4), x = 2 + below(s, CASE_SIZE - 4), y = 2 + below(s, CASE_SIZE - 4);
        memset(v, 0, sizeof *v);
        v->size = floorf(between(s, 2, 14) * 4) / 4; /* no edge goes through the middle of a pixel */
        put(c, &p, x, y, w, v->place);
        double size = floor(size_of(c, v, false) + 0.5);
        if (c->fixed.point_sprite) {
            x = odd_sixteenth(s, x, 0);
            y = odd_sixteenth(s, y, 0);
        } else if ((int)size % 2) {
            x += 0.5;
            y += 0.5;
        }
        put(c, &p, x, y, w, v->place);
        bool clear = fabs(size_of(c, v, true) - size) < 0.45 && fabs(size_of(c, v, false) - size) < 0.45;
        dress(s, c, v, x, y);
        c->count += (c->fixed.point_sprite || clear) && !ambiguous(c, v);
    }
}

/* --- textures ------------------------------------------------------------------------------------------- */

/* Waves that meet at the edges, so that repetition is smooth as well. */
static void paint(uint32_t *s, struct picture *p) {
    float phase[4][2];
    int waves[4][2];
    *p = (struct picture){CASE_TEXTURE, CASE_TEXTURE, malloc(CASE_TEXTURE * CASE_TEXTURE * 4)};
    for (int k = 0; k < 4; k++) {
        fill(s, phase[k], 2, 0, 6.2831853f);
        waves[k][0] = (int)below(s, 2) + 1;
        waves[k][1] = (int)below(s, 2) + 1;
    }
    for (int y = 0; p->pixels && y < CASE_TEXTURE; y++)
        for (int x = 0; x < CASE_TEXTURE; x++)
            for (int k = 0; k < 4; k++) {
                double a = sin(x * 6.283185307179586 / CASE_TEXTURE * waves[k][0] + (double)phase[k][0]),
                       b = sin(y * 6.283185307179586 / CASE_TEXTURE * waves[k][1] + (double)phase[k][1]);
                p->pixels[4 * (y * CASE_TEXTURE + x) + k] = (uint8_t)(127.5 + 70 * a + 50 * b);
            }
}

/* A smooth function of the direction. */
static void paint_cube(uint32_t *s, struct picture faces[6]) {
    static const int major[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    static const int right[6][3] = {{0, 0, -1}, {0, 0, 1}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {-1, 0, 0}};
    static const int down[6][3] = {{0, -1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}, {0, -1, 0}};
    float weight[4][3];
    for (int k = 0; k < 4; k++)
        fill(s, weight[k], 3, -1, 1);
    for (int f = 0; f < 6; f++) {
        faces[f] = (struct picture){CASE_TEXTURE, CASE_TEXTURE, malloc(CASE_TEXTURE * CASE_TEXTURE * 4)};
        for (int y = 0; faces[f].pixels && y < CASE_TEXTURE; y++)
            for (int x = 0; x < CASE_TEXTURE; x++) {
                double d[3], u = (2 * x + 1.0) / CASE_TEXTURE - 1, v = (2 * y + 1.0) / CASE_TEXTURE - 1,
                             length = sqrt(1 + u * u + v * v);
                for (int k = 0; k < 3; k++)
                    d[k] = (major[f][k] + u * right[f][k] + v * down[f][k]) / length;
                for (int k = 0; k < 4; k++) {
                    double sum = (double)weight[k][0] * d[0] + (double)weight[k][1] * d[1] +
                                 (double)weight[k][2] * d[2];
                    faces[f].pixels[4 * (y * CASE_TEXTURE + x) + k] = (uint8_t)(127.5 + 65 * sum);
                }
            }
    }
}

/* --- states --------------------------------------------------------------------------------------------- */

static void make_lights(struct fixed_case *c, uint32_t *s) {
    struct qpucc_fixed *fixed = &c->fixed;
    unsigned lit = 1 + below(s, chance(s, 20) ? 8 : 3);
    fixed->lighting = 1;
    fixed->local_viewer = chance(s, 30);
    fixed->separate_specular = chance(s, 25) && !c->state.fog;
    fixed->color_material = chance(s, 40) ? (uint8_t)(1 + below(s, QPUCC_MATERIAL_COUNT - 1)) : 0;
    fixed->normals = (uint8_t)below(s, 3);
    fixed->normal_array = !chance(s, 10);
    for (unsigned k = 0; k < lit; k++) {
        unsigned n = below(s, QPUCC_FIXED_LIGHTS);
        struct qpucc_fixed_light *light = &fixed->light[n];
        struct case_light *v = &c->light[n];
        light->enabled = 1;
        light->positional = chance(s, 60);
        light->spot = chance(s, 35);
        light->attenuation = chance(s, 50);
        fill(s, v->ambient, 4, 0, 0.3f);
        fill(s, v->diffuse, 4, 0, 1);
        fill(s, v->specular, 4, 0, 1);
        fill(s, v->position, 3, -2, 2);
        v->position[2] = between(s, 0.2f, 2);
        v->position[3] = light->positional ? between(s, 0.8f, 1.5f) : 0;
        fill(s, v->direction, 3, -0.3f, 0.3f);
        v->direction[2] = -1;
        /* Without a cone's edge in sight: which pixels lie on it is a matter of rounding. */
        v->exponent = between(s, 0, 12);
        v->cutoff = light->spot ? between(s, 80, 90) : 180;
        v->attenuation[0] = light->attenuation ? between(s, 0.3f, 1) : 1;
        v->attenuation[1] = light->attenuation ? between(s, 0, 0.4f) : 0;
        v->attenuation[2] = light->attenuation ? between(s, 0, 0.2f) : 0;
    }
    bool dimmed = false;
    for (unsigned n = 0; n < QPUCC_FIXED_LIGHTS; n++)
        dimmed |= fixed->light[n].spot || fixed->light[n].attenuation;
    for (unsigned face = 0; face < 2; face++) {
        struct case_material *m = &c->material[face];
        fill(s, m->ambient, 4, 0, 1);
        fill(s, m->diffuse, 4, 0, 1);
        fill(s, m->specular, 4, 0, 1);
        fill(s, m->emission, 4, 0, 0.2f);
        /* of shininess 0 and a spot or attenuation Mesa dims the ambient light by the angle, too */
        m->shininess = !dimmed && chance(s, 20) ? 0 : between(s, 1, 40);
    }
    fill(s, c->model_ambient, 4, 0, 0.5f);
}

static void make_coordinates(struct fixed_case *c, uint32_t *s, unsigned n) {
    struct qpucc_fixed_texture *t = &c->fixed.texture[n];
    struct case_texture *v = &c->texture[n];
    bool cube = t->target == QPUCC_UNIT_CUBE;
    fill(s, v->current, 3, 0, 1);
    v->current[3] = between(s, 0.8f, 1.3f);
    t->coord_words = (uint8_t)(cube ? 3 + below(s, 2) : chance(s, 10) ? 0 : 2 + below(s, 3));
    set_identity(v->matrix);
    t->matrix = chance(s, 35) ? (uint8_t)(1 + below(s, 2)) : 0;
    for (int k = 0; k < 16 && t->matrix; k++)
        if (k % 4 != 3 || t->matrix == QPUCC_MATRIX_ANY)
            v->matrix[k] += between(s, -0.15f, 0.15f);
    for (unsigned k = 0; k < 4; k++) {
        fill(s, v->object_plane[k], 4, -0.4f, 0.4f);
        fill(s, v->eye_plane[k], 4, -0.4f, 0.4f);
        if (k == 3) { /* q stays away from 0 */
            v->object_plane[k][3] = v->eye_plane[k][3] = 3;
        }
    }
    if (!chance(s, cube ? 60 : 35))
        return;
    if (cube && chance(s, 70)) {
        uint8_t how = chance(s, 50) ? QPUCC_GENERATE_REFLECTION_MAP : QPUCC_GENERATE_NORMAL_MAP;
        t->generate[0] = t->generate[1] = t->generate[2] = how;
        return;
    }
    static const uint8_t kinds[3] = {QPUCC_GENERATE_EYE_LINEAR, QPUCC_GENERATE_OBJECT_LINEAR,
                                     QPUCC_GENERATE_SPHERE_MAP};
    for (unsigned k = 0; k < 4; k++)
        if (chance(s, 70))
            t->generate[k] = kinds[below(s, k < 2 ? 3 : 2)];
}

static float make_combiner(struct fixed_case *c, uint32_t *s, unsigned n, bool calm) {
    struct qpucc_fixed_texture *t = &c->fixed.texture[n];
    unsigned units = 0, used[QPUCC_FIXED_TEXTURES];
    for (unsigned k = 0; k < QPUCC_FIXED_TEXTURES; k++)
        if (c->fixed.texture[k].target)
            used[units++] = k;
    t->combine_rgb = (uint8_t)below(s, calm ? QPUCC_COMBINE_DOT3_RGB : QPUCC_COMBINE_COUNT);
    t->combine_alpha = (uint8_t)below(s, QPUCC_COMBINE_DOT3_RGB);
    for (unsigned k = 0; k < 3; k++) {
        uint8_t *source[2] = {&t->source_rgb[k], &t->source_alpha[k]};
        for (int a = 0; a < 2; a++)
            *source[a] = (uint8_t)(chance(s, 20) ? QPUCC_SOURCE_TEXTURE0 + used[below(s, units)]
                                                 : below(s, QPUCC_SOURCE_TEXTURE0));
        t->operand_rgb[k] = (uint8_t)below(s, QPUCC_OPERAND_COUNT);
        t->operand_alpha[k] = (uint8_t)below(s, QPUCC_OPERAND_ONE_MINUS_SRC_ALPHA + 1);
    }
    t->scale_rgb = calm || chance(s, 50) ? 0 : (uint8_t)below(s, 3);
    t->scale_alpha = calm || chance(s, 50) ? 0 : (uint8_t)below(s, 3);
    float most = (float)(1 << (t->scale_rgb > t->scale_alpha ? t->scale_rgb : t->scale_alpha));
    return t->combine_rgb >= QPUCC_COMBINE_DOT3_RGB ? 3 * most : most;
}

static void make_textures(struct fixed_case *c, uint32_t *s) {
    unsigned units = chance(s, 15) ? 1 + below(s, 4) : 1 + below(s, 2), arrays = 0;
    for (unsigned k = 0; k < units; k++) {
        unsigned n = chance(s, 70) ? k : below(s, QPUCC_FIXED_TEXTURES);
        c->fixed.texture[n].target = chance(s, 25) ? QPUCC_UNIT_CUBE : QPUCC_UNIT_2D;
    }
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        struct qpucc_fixed_texture *t = &c->fixed.texture[n];
        if (!t->target)
            continue;
        make_coordinates(c, s, n);
        arrays += t->coord_words != 0;
        if (arrays > 4)
            t->coord_words = 0;
        t->base_format = (uint8_t)below(s, QPUCC_BASE_COUNT);
        t->env = (uint8_t)below(s, QPUCC_ENV_COUNT);
        if (t->env == QPUCC_ENV_DECAL) /* GL defines it for these */
            t->base_format &= 1;
        if (t->env == QPUCC_ENV_COMBINE || chance(s, 30)) {
            t->env = QPUCC_ENV_COMBINE;
            c->gain *= make_combiner(c, s, n, c->gain > 1);
        }
        fill(s, c->texture[n].constant, 4, 0, 1);
        if (t->target == QPUCC_UNIT_CUBE)
            paint_cube(s, c->texture[n].images);
        else
            paint(s, c->texture[n].images);
    }
}

/* What the state key does before and after the programs. Its own tests go through all of it; this is about
 * what the programs give to it. */
static void make_key(struct fixed_case *c, uint32_t *s) {
    c->state.two_sided = chance(s, 40);
    c->state.flat_shade = chance(s, 20);
    if (chance(s, 30)) {
        c->state.fog = (uint8_t)(1 + below(s, QPUCC_FOG_COUNT - 1));
        c->state.fog_source = (uint8_t)below(s, QPUCC_FOG_DEPTH);
        c->fixed.fog_coord = (uint8_t)below(s, QPUCC_FOG_FROM_COUNT);
        /* linear in between, so that it makes no difference where it is computed */
        c->state.fog_per_vertex = c->state.fog == QPUCC_FOG_LINEAR && chance(s, 50);
        fill(s, c->values.fog_color, 3, 0, 1);
        c->values.fog_density = between(s, 0.1f, 0.6f);
        c->values.fog_start = between(s, 0, 1);
        c->values.fog_end = between(s, 9, 14);
    }
    if (chance(s, 20)) {
        c->state.blend = (struct qpucc_blend_state){.enable = 1,
                                                    .rgb_source = QPUCC_FACTOR_SRC_ALPHA,
                                                    .rgb_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                    .alpha_source = QPUCC_FACTOR_SRC_ALPHA,
                                                    .alpha_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA};
        for (int k = 0; k < 4; k++)
            c->clear[k] = (uint8_t)below(s, 256);
    }
    if (chance(s, 15)) {
        c->state.alpha_func = (uint8_t)below(s, QPUCC_FUNC_COUNT);
        c->values.alpha_reference = between(s, 0.2f, 0.8f);
    }
    for (unsigned n = 0; n < 6 && c->state.primitive == QPUCC_TRIANGLES; n++)
        if (chance(s, 6)) {
            c->state.clip_planes |= (uint8_t)(1 << n);
            fill(s, c->values.clip_plane[n], 3, -1, 1);
            c->values.clip_plane[n][3] = between(s, 0, 3);
        }
}

void case_make(struct fixed_case *c, unsigned seed) {
    uint32_t s = seed * 2654435761u + 12345;
    memset(c, 0, sizeof *c);
    for (int k = 0; k < 4; k++)
        next(&s);
    c->gain = 1;
    c->clear[3] = 255;
    c->state.primitive = chance(&s, 15) ? QPUCC_POINTS : QPUCC_TRIANGLES;
    make_key(c, &s);
    c->state.depth_test = 0;
    c->fixed.vertex_words = chance(&s, 50) ? 3 : 0;
    c->fixed.color_array = chance(&s, 70);
    fill(&s, c->color, 4, 0, 1);
    fill(&s, c->secondary, 3, 0, 0.6f);
    c->normal[2] = 1;
    make_modelview(&s, c->modelview);
    make_projection(&s, c->projection);
    if (chance(&s, 60))
        make_lights(c, &s);
    else if (chance(&s, 40) && !c->state.fog) { /* Mesa fogs the sum before it clamps it */
        c->fixed.color_sum = 1;
        c->fixed.secondary_array = chance(&s, 70);
    }
    if (chance(&s, 70))
        make_textures(c, &s);
    if (c->state.primitive == QPUCC_POINTS) {
        c->fixed.point_sprite = chance(&s, 50);
        c->fixed.point_attenuation = !c->fixed.point_sprite && chance(&s, 60);
        c->fixed.point_size_array = chance(&s, 40);
        c->point_size = floorf(between(&s, 3, 14) * 4) / 4;
        for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES && c->fixed.point_sprite; n++)
            if (c->fixed.texture[n].target == QPUCC_UNIT_2D && chance(&s, 60))
                c->state.coord_replace |= (uint8_t)(1 << n);
        c->point_attenuation[0] = c->fixed.point_attenuation ? between(&s, 0.3f, 1) : 1;
        c->point_attenuation[1] = c->fixed.point_attenuation ? between(&s, 0, 0.2f) : 0;
        c->point_attenuation[2] = c->fixed.point_attenuation ? between(&s, 0, 0.1f) : 0;
        make_points(c, &s);
    } else
        make_mesh(c, &s);
}

void case_free(struct fixed_case *c) {
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++)
        for (unsigned k = 0; k < 6; k++)
            picture_free(&c->texture[n].images[k]);
}

void case_describe(const struct fixed_case *c, char *out, size_t size) {
    unsigned lights = 0, units = 0, combiners = 0;
    for (unsigned n = 0; n < QPUCC_FIXED_LIGHTS; n++)
        lights += c->fixed.lighting && c->fixed.light[n].enabled;
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        units += c->fixed.texture[n].target != 0;
        combiners += c->fixed.texture[n].target && c->fixed.texture[n].env == QPUCC_ENV_COMBINE;
    }
    snprintf(out, size, "%s, %u lights%s%s, %u textures, %u combined%s%s%s, gain %.0f",
             c->state.primitive == QPUCC_POINTS ? "points" : "mesh", lights,
             c->state.two_sided ? " on two sides" : "", c->state.flat_shade ? ", flat" : "", units, combiners,
             c->state.fog ? ", fog" : "", c->state.alpha_func ? ", alpha test" : "",
             c->state.clip_planes ? ", clip planes" : "", (double)c->gain);
}

/* --- by name -------------------------------------------------------------------------------------------- */

static bool give(float *out, const float *from, unsigned n) {
    memcpy(out, from, n * sizeof *out);
    return true;
}

static bool light_member(const struct case_light *l, const char *member, float *out) {
    const struct {
        const char *name;
        const float *from;
        unsigned words;
    } members[] = {{"ambient", l->ambient, 4},
                   {"diffuse", l->diffuse, 4},
                   {"specular", l->specular, 4},
                   {"position", l->position, 4},
                   {"spotDirection", l->direction, 3},
                   {"spotExponent", &l->exponent, 1},
                   {"spotCutoff", &l->cutoff, 1},
                   {"constantAttenuation", &l->attenuation[0], 1},
                   {"linearAttenuation", &l->attenuation[1], 1},
                   {"quadraticAttenuation", &l->attenuation[2], 1}};
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        if (!strcmp(member, members[k].name))
            return give(out, members[k].from, members[k].words);
    return false;
}

static bool material_member(const struct case_material *m, const char *member, float *out) {
    return !strcmp(member, "ambient")     ? give(out, m->ambient, 4)
           : !strcmp(member, "diffuse")   ? give(out, m->diffuse, 4)
           : !strcmp(member, "specular")  ? give(out, m->specular, 4)
           : !strcmp(member, "emission")  ? give(out, m->emission, 4)
           : !strcmp(member, "shininess") ? give(out, &m->shininess, 1)
                                          : false;
}

bool case_uniform(const struct fixed_case *c, const char *name, float *out) {
    const struct {
        const char *name;
        const float *from;
        unsigned words;
    } plain[] = {{"gl_ModelViewMatrix", c->modelview, 16},
                 {"gl_ProjectionMatrix", c->projection, 16},
                 {"gl_Color", c->color, 4},
                 {"gl_SecondaryColor", c->secondary, 4},
                 {"gl_Normal", c->normal, 3},
                 {"gl_LightModel.ambient", c->model_ambient, 4},
                 {"gl_Point.size", &c->point_size, 1},
                 {"gl_Point.distanceConstantAttenuation", &c->point_attenuation[0], 1},
                 {"gl_Point.distanceLinearAttenuation", &c->point_attenuation[1], 1},
                 {"gl_Point.distanceQuadraticAttenuation", &c->point_attenuation[2], 1}};
    const char *dot = strchr(name, '.');
    unsigned number = 0;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (!strcmp(name, plain[k].name))
            return give(out, plain[k].from, plain[k].words);
    if (dot && sscanf(name, "gl_LightSource[%u]", &number) == 1 && number < QPUCC_FIXED_LIGHTS)
        return light_member(&c->light[number], dot + 1, out);
    if (dot && !strncmp(name, "gl_FrontMaterial", 16))
        return material_member(&c->material[0], dot + 1, out);
    if (dot && !strncmp(name, "gl_BackMaterial", 15))
        return material_member(&c->material[1], dot + 1, out);
    if (sscanf(name, "gl_MultiTexCoord%u", &number) == 1 && number < QPUCC_FIXED_TEXTURES)
        return give(out, c->texture[number].current, 4);
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) { /* arrays with an element a unit */
        const char *coordinate = "STRQ";
        if (!strcmp(name, "gl_TextureMatrix"))
            give(out + 16 * n, c->texture[n].matrix, 16);
        else if (!strcmp(name, "gl_TextureEnvColor"))
            give(out + 4 * n, c->texture[n].constant, 4);
        else if (!strncmp(name, "gl_ObjectPlane", 14) && strchr(coordinate, name[14]))
            give(out + 4 * n, c->texture[n].object_plane[strchr(coordinate, name[14]) - coordinate], 4);
        else if (!strncmp(name, "gl_EyePlane", 11) && strchr(coordinate, name[11]))
            give(out + 4 * n, c->texture[n].eye_plane[strchr(coordinate, name[11]) - coordinate], 4);
        else
            return false;
    }
    return true;
}

bool case_attribute(const struct fixed_case *c, const char *name, size_t vertex, float out[4]) {
    const struct case_vertex *v = &c->vertex[vertex];
    unsigned number;
    if (!strcmp(name, "gl_Vertex"))
        return give(out, v->place, 4);
    if (!strcmp(name, "gl_Normal"))
        return give(out, v->normal, 3);
    if (!strcmp(name, "gl_Color"))
        return give(out, v->color, 4);
    if (!strcmp(name, "gl_SecondaryColor"))
        return give(out, v->secondary, 4);
    if (!strcmp(name, "gl_FogCoord"))
        return give(out, &v->fog, 1);
    if (!strcmp(name, "gl_PointSizeOES"))
        return give(out, &v->size, 1);
    return sscanf(name, "gl_MultiTexCoord%u", &number) == 1 && number < QPUCC_FIXED_TEXTURES &&
           give(out, v->coord[number], 4);
}
