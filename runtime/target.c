/* Render targets: colour, depth and stencil of every pixel. */
#include <math.h>
#include <stdlib.h>

#include "runtime/draw.h"

struct qpusim_target *qpusim_target_new(unsigned width, unsigned height) {
    if (!width || !height || width > 2048 || height > 2048)
        return NULL;
    struct qpusim_target *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    size_t n = (size_t)width * height;
    t->width = width;
    t->height = height;
    t->color = malloc(n * sizeof *t->color);
    t->depth = malloc(n * sizeof *t->depth);
    t->stencil = malloc(n);
    if (!t->color || !t->depth || !t->stencil) {
        qpusim_target_free(t);
        return NULL;
    }
    qpusim_target_clear(t, 0, 1.0f, 0);
    return t;
}

void qpusim_target_free(struct qpusim_target *target) {
    if (!target)
        return;
    free(target->color);
    free(target->depth);
    free(target->stencil);
    free(target);
}

void qpusim_target_clear(struct qpusim_target *target, uint32_t color, float depth, uint8_t stencil) {
    size_t n = (size_t)target->width * target->height;
    uint32_t z = depth >= 1 ? 0xffffff : depth > 0 ? (uint32_t)(depth * 16777215.0 + 0.5) : 0;
    for (size_t i = 0; i < n; i++) {
        target->color[i] = color;
        target->depth[i] = z;
    }
    memset(target->stencil, stencil, n);
}

unsigned qpusim_target_width(const struct qpusim_target *target) {
    return target->width;
}

unsigned qpusim_target_height(const struct qpusim_target *target) {
    return target->height;
}

uint32_t *qpusim_target_pixels(struct qpusim_target *target) {
    return target->color;
}

uint32_t *qpusim_target_depths(struct qpusim_target *target) {
    return target->depth;
}
