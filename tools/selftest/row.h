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
 * pattern each stands at the pattern's places marked $. A program finds its operands a in r0 and ra0, b in r1
 * and rb1, also in r4, and leaves its result in r2; r3, ra1 and on, rb2 and on are free. */
row_build_fn build_bodies;
/* The same with whole programs, from the first instruction to the last. The stream is the one that bodies
 * have: see STREAM in bodies.c. */
row_build_fn build_programs;

#endif
