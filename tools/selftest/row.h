/* A row of the self-test: a microprogram with a name, and the assumptions that it tests. */
#ifndef SELFTEST_ROW_H
#define SELFTEST_ROW_H

#include "frame.h"
#include "operands.h"

struct row;
typedef void row_build_fn(struct frame *f, const struct row *row);

struct row {
    const char *name;        /* section, dot, the rest: "alu.fadd.random" */
    const char *assumptions; /* names of include/qpucc/assumptions.def, with spaces between them */
    const char *what;        /* what it shows, for people */
    row_build_fn *build;
    const char *text;    /* what the builder makes programs of: see there */
    const char *pattern; /* the same; NULL when it takes none */
    enum operands operands;
    bool unreachable; /* the kernel's rules must refuse it */
};

struct row_section {
    const char *name, *what;
    const struct row *rows;
    size_t count;
};

/* Fragment programs on pairs of operands (bodies.c). `text` is a list of programs with | between them. With a
 * pattern each stands at the pattern's places marked $. A program finds its operands a in r0, r4 and ra0,
 * b in r1 and rb1, and leaves its result in r2; r3, ra1 and on, rb2 and on are free. */
row_build_fn build_bodies;
/* The same with whole programs, from the first instruction to the last. The stream is the one that bodies
 * have: see STREAM in bodies.c. */
row_build_fn build_programs;
/* Fragment programs on pixels of 64 by 64 alone, without operands (fragments.c). */
row_build_fn build_fragments;
/* Vertex shaders, whose words reach pixels as varyings (vertices.c). */
row_build_fn build_vertices;

/* Fragment programs on triangles, lines and points (shapes.c). */
row_build_fn build_shapes;

/* Lookups of a texture (textures.c). */
row_build_fn build_textures;

/* Layers of rectangles in one tile, with tests of Z and stencil (layers.c). */
row_build_fn build_layers;

/* What build_bodies puts before a program's part, and after it. */
#define BODY_INDEX                                                                                           \
    "mov r1, y_coord\n"                                                                                      \
    "shl r1, r1, 6\n"                                                                                        \
    "add r1, r1, x_coord\n"                                                                                  \
    "shl r1, r1, 2\n"                                                                                        \
    "add r1, r1, unif\n"
#define BODY_REQUEST(unit)                                                                                   \
    "max r2, r1, 0\n"                                                                                        \
    "min r2, r2, unif\n"                                                                                     \
    "add " unit "s, r2, unif\n"
#define BODY_RECEIVE                                                                                         \
    "nop; nop; ldtmu1\n"                                                                                     \
    "mov r1, r4; mov rb1, r4\n"                                                                              \
    "nop; nop; ldtmu0\n"                                                                                     \
    "mov r0, r4; mov ra0, r4\n"                                                                              \
    "nop\n"
#define BODY_PROLOGUE BODY_INDEX BODY_REQUEST("t0") BODY_REQUEST("t1") BODY_RECEIVE
#define BODY_EPILOGUE                                                                                        \
    "\nmov tlbc, r2\n"                                                                                       \
    "nop; nop; thrend\n"                                                                                     \
    "nop\n"                                                                                                  \
    "nop; nop; sbdone\n"

#endif
