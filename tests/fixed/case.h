/* A fixed-function state with all its values and something to draw, made from a seed. */
#ifndef TESTS_FIXED_CASE_H
#define TESTS_FIXED_CASE_H

#include "tools/picture.h"

#include <qpucc/fixed.h>

enum { CASE_SIZE = 64, CASE_TEXTURE = 16, CASE_MAX_VERTICES = 8 * 8 * 6 };

struct case_vertex {
    float place[4], normal[3], color[4], secondary[4], coord[QPUCC_FIXED_TEXTURES][4], size, fog;
};

struct case_light {
    float ambient[4], diffuse[4], specular[4], position[4], direction[3], exponent, cutoff, attenuation[3];
};

struct case_material {
    float ambient[4], diffuse[4], specular[4], emission[4], shininess;
};

struct case_texture {
    float matrix[16], constant[4], object_plane[4][4], eye_plane[4][4], current[4];
    struct picture images[6]; /* a cube's six, or one */
};

struct fixed_case {
    struct qpucc_fixed fixed;
    struct qpucc_state state;
    struct qpucc_draw_state values; /* what the key asks for; the viewport is the machine's */
    float modelview[16], projection[16];
    struct case_light light[QPUCC_FIXED_LIGHTS];
    struct case_material material[2];
    struct case_texture texture[QPUCC_FIXED_TEXTURES];
    float model_ambient[4], color[4], secondary[4], normal[3];
    float point_size, point_attenuation[3];
    struct case_vertex vertex[CASE_MAX_VERTICES];
    unsigned count;
    /* How much larger an error can become on its way to the colour, by the state's own factors. */
    float gain;
    uint8_t clear[4];
};

/* The same case for the same seed on every host. */
void case_make(struct fixed_case *c, unsigned seed);
void case_free(struct fixed_case *c);
/* One line: what the case is about. */
void case_describe(const struct fixed_case *c, char *out, size_t size);

/* The words of a uniform; false: no such name. */
bool case_uniform(const struct fixed_case *c, const char *name, float *out);
/* An attribute at a vertex; false: no such name. */
bool case_attribute(const struct fixed_case *c, const char *name, size_t vertex, float out[4]);

#endif
