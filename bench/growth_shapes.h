/* Shaders of any length: what bench_growth times and the growth test counts. */
#ifndef QPUCC_BENCH_GROWTH_SHAPES_H
#define QPUCC_BENCH_GROWTH_SHAPES_H

#include <stddef.h>

struct growth_text {
    char *at; /* malloc'ed */
    size_t length, capacity;
};

/* Ends with one whose name is NULL. */
extern const struct growth_shape {
    const char *name;
    void (*write)(struct growth_text *, int statements);
} growth_shapes[];

#endif
