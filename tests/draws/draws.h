/* Random frames: a few draws each, of random primitives in random state, as control lists for the machine and
 * as calls for another GL. Machine and GL are given the same numbers; neither sees the other's code. */
#ifndef TESTS_DRAWS_H
#define TESTS_DRAWS_H

#include <qpucc/qpusim.h>

enum {
    DRAWS_MAX = 5,
    DRAWS_VERTICES = 40,
    DRAWS_COUNT = 60, /* vertices or indices of a draw */
    DRAWS_SIDE = 200, /* pixels of the largest picture */
};
#define DRAWS_LEAST 0.5009765625f

enum draws_kind { DRAWS_COLOR, DRAWS_TEXTURE, DRAWS_CUBE, DRAWS_POINT_COORD };
/* What shaders do with the colour that is there, by instructions of four bytes. */
enum draws_blend {
    DRAWS_REPLACE,
    DRAWS_ADD,
    DRAWS_SUBTRACT,
    DRAWS_MULTIPLY,
    DRAWS_MINIMUM,
    DRAWS_MAXIMUM,
    DRAWS_GENERAL, /* GL's functions in floats */
};
/* Pairs from DRAWS_SRC_COLOR on are a value and one minus it. */
enum draws_factor {
    DRAWS_ZERO,
    DRAWS_ONE,
    DRAWS_SRC_COLOR,
    DRAWS_DST_COLOR = DRAWS_SRC_COLOR + 2,
    DRAWS_SRC_ALPHA = DRAWS_DST_COLOR + 2,
    DRAWS_DST_ALPHA = DRAWS_SRC_ALPHA + 2,
    DRAWS_CONSTANT_COLOR = DRAWS_DST_ALPHA + 2,
    DRAWS_CONSTANT_ALPHA = DRAWS_CONSTANT_COLOR + 2,
    DRAWS_SATURATE = DRAWS_CONSTANT_ALPHA + 2, /* of the source alone */
    DRAWS_FACTORS,
};
enum draws_equation { DRAWS_SUM, DRAWS_DIFFERENCE, DRAWS_REVERSE_DIFFERENCE, DRAWS_LESSER, DRAWS_LARGER };

struct draws_vertex {
    float position[4], size, varying[4];
};

struct draws_stencil { /* functions and operations by the hardware's numbers (guide table 27) */
    uint8_t func, fail, depth_fail, depth_pass, reference, mask, write_mask;
};

/* What a lookup uses. Colours of texels follow from the seed. */
struct draws_texture {
    enum qpusim_format format;
    unsigned width, height, levels, seed; /* of level 0; six faces of a cube map */
    bool cube;
    enum qpusim_wrap wrap_s, wrap_t;
    enum qpusim_mag mag;
    enum qpusim_min min;
    float bias;
};

/* Of red, green and blue; of alpha. */
struct draws_general {
    enum draws_equation equation[2];
    enum draws_factor source[2], destination[2];
    float constant[4];
};

struct draws_draw {
    enum draws_kind kind;
    enum qpusim_mode mode;
    unsigned index_bytes; /* 0: no indices */
    unsigned first, count, vertex_count;
    uint16_t index[DRAWS_COUNT];
    struct draws_vertex vertex[DRAWS_VERTICES];
    unsigned flat; /* mask of varyings */
    enum draws_blend blend;
    struct draws_general general;
    bool coverage;        /* with samples: sample n is drawn where alpha is more than n quarters */
    bool discard;         /* pixels whose last varying is less than DRAWS_LEAST */
    unsigned sample_mask; /* with samples: those that are drawn */
    enum qpusim_cull cull;
    bool clockwise, depth_write, early, early_updates, stencil, sizes; /* sizes: vertices have point sizes */
    enum qpusim_func depth_func;
    float offset_factor, offset_units, min_z, max_z, point_size, line_width;
    struct draws_stencil side[2]; /* front, back */
    int viewport[4], window[4];   /* x, y, width, height in pixels */
    struct draws_texture texture;
};

struct draws_case {
    unsigned seed, width, height;
    bool multisample, bgr565, early_greater, hdr; /* hdr: colours of 64 bits */
    unsigned format;                              /* of the picture in memory: raster, T, LT */
    uint32_t clear, clear_z;
    uint8_t clear_stencil;
    unsigned count;
    struct draws_draw draw[DRAWS_MAX];
    /* How far the pictures have to agree. Exact: pixel by pixel; otherwise a pixel's channels have to lie
     * within what the other picture has at the pixel and its neighbours. `tolerance` is in 1/255; `share` of
     * the pixels may disagree, and `ends` pixels where lines begin or end beyond a pixel's centre, but in
     * its diamond (to GL the line is not yet out of it, for the machine it is past the pixel) or have their
     * side on centres. */
    bool exact;
    unsigned tolerance;
    double share;
    unsigned ends;
    const char *name;
};

/* Colours, red in the low byte, row 0 first. With one sample a pixel also depths and stencils. */
struct draws_picture {
    uint32_t color[DRAWS_SIDE * DRAWS_SIDE], depth[DRAWS_SIDE * DRAWS_SIDE];
    uint8_t stencil[DRAWS_SIDE * DRAWS_SIDE];
};

/* generate.c */
void draws_generate(unsigned seed, struct draws_case *c);
/* The image of a face and level as the hardware's format has it, `size` bytes. */
void draws_image(const struct draws_texture *t, unsigned face, unsigned level, void *pixels, size_t size);
static inline unsigned draws_level(unsigned side, unsigned level) {
    return side >> level ? side >> level : 1;
}

/* machine.c, gl.c: false with a message after an error. */
bool draws_machine(const struct draws_case *c, unsigned threads, struct draws_picture *out);
bool draws_gl(const struct draws_case *c, struct draws_picture *out);

#endif
