/* Conformance cases: what a line of a case file says, in plain structures. Both forms of case file (the
 * Khronos ES 2 suite's and the WebGL suite's) come out the same. */
#ifndef CONFORMANCE_CASES_H
#define CONFORMANCE_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <qpucc/qpusim.h>

struct case_attribute {
    const char *name; /* a matrix attribute's column: "name[column]" */
    unsigned components;
    float *data;
    size_t vertices;
};

struct case_uniform {
    const char *name;
    double *values; /* matrices column after column */
    size_t count;
};

struct case_image {
    unsigned width, height;
    uint8_t *rgba; /* NULL: not given */
};

enum { CASE_LEVELS = 12, CASE_FACES = 6 };

struct case_texture {
    unsigned unit;
    bool cube, mipmaps; /* mipmaps: the filter looks at smaller levels */
    unsigned level_count;
    struct case_image images[CASE_FACES][CASE_LEVELS]; /* face 0 only for 2D */
    enum qpusim_wrap wrap_s, wrap_t;
    enum qpusim_mag mag;
    enum qpusim_min min;
};

struct case_draw {
    unsigned mode, count, width, height; /* mode: the GL enum */
    uint32_t *indices;                   /* `count` of them */
    struct case_attribute *attributes;
    size_t attribute_count;
    bool by_location; /* the program's first attribute gets the first here if no name fits */
    struct case_uniform *uniforms;
    size_t uniform_count;
    struct case_texture *textures;
    size_t texture_count;
};

enum case_check {
    CHECK_BUILD, /* nothing is drawn */
    CHECK_IMAGE, /* the last draw against a picture */
    CHECK_WHITE, /* every pixel of every draw is white */
    CHECK_COLOR, /* every pixel is one colour */
};

enum verdict { MUST_NOT = 0, MUST = 1, MAY = -1 };

struct case_block;

struct test_case {
    const char *name;
    const char *vertex, *fragment; /* NULL: not given */
    enum verdict vertex_ok, fragment_ok, link_ok;
    enum case_check check;
    bool ignored; /* by its own suite */
    struct case_draw *draws;
    size_t draw_count;
    const char *reference; /* path of a PNG */
    uint8_t clear[4], color[4];
    unsigned tolerance;
    struct case_block *blocks; /* memory of all of the above */
};

/* Reads one line. `folder` is where the case file's own files lie. False: the line is no case; the reason is
 * in error. case_free in any event. */
bool case_read(struct test_case *out, const char *line, size_t length, const char *folder, char *error,
               size_t size);
void case_free(struct test_case *c);

/* The name of the case in a line, malloc'ed; NULL when it has none. */
char *case_line_name(const char *line, size_t length);

#endif
