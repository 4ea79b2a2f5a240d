/* Primitive set-up (PSE): from shaded vertices to what the rasteriser takes. Culls reversed primitives, makes
 * lines as wide as they are drawn, and finds the pixels that a primitive may cover. */
#include <math.h>
#include <stdlib.h>

#include "runtime/front/block.h"

static int least(int a, int b) {
    return a < b ? a : b;
}
static int most(int a, int b) {
    return a > b ? a : b;
}

/* Cuts the box to the clip window; false when nothing is left. */
static bool box(const struct sim_raster_state *s, struct sim_primitive *p, int min_x, int min_y, int max_x,
                int max_y) {
    p->min_x = most(min_x, s->min_x);
    p->min_y = most(min_y, s->min_y);
    p->max_x = least(max_x, s->max_x);
    p->max_y = least(max_y, s->max_y);
    return p->min_x < p->max_x && p->min_y < p->max_y;
}

static int64_t twice_area(const struct sim_vertex *const v[3]) {
    return (int64_t)(v[1]->x - v[0]->x) * (v[2]->y - v[0]->y) -
           (int64_t)(v[2]->x - v[0]->x) * (v[1]->y - v[0]->y);
}

static bool triangle(const struct sim_raster_state *s, struct sim_primitive *p) {
    const struct sim_vertex *const *v = p->v;
    return twice_area(v) && box(s, p, (least(v[0]->x, least(v[1]->x, v[2]->x)) + s->center_x) >> 4,
                                (least(v[0]->y, least(v[1]->y, v[2]->y)) + s->center_y) >> 4,
                                ((most(v[0]->x, most(v[1]->x, v[2]->x)) + s->center_x) >> 4) + 1,
                                ((most(v[0]->y, most(v[1]->y, v[2]->y)) + s->center_y) >> 4) + 1);
}

/* A line of width w is the parallelogram that GL's rule for lines without antialiasing covers: w pixels along
 * the minor axis. It has one more varying word, the place across the line. */
static unsigned line(const struct sim_raster_state *s, const struct sim_vertex *const v[2], const float *flat,
                     struct sim_set_up *out) {
    int half = (int)(fmin(fmax(s->line_width, 0), SIM_MAX_LINE) * 8 + 0.5);
    if (SIM_FAULT(s, line_width))
        half += 8;
    bool x_major = abs(v[1]->x - v[0]->x) >= abs(v[1]->y - v[0]->y);
    if (SIM_FAULT(s, line_major) && abs(v[1]->x - v[0]->x) == abs(v[1]->y - v[0]->y))
        x_major = false;
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        out->corner[i] = *v[i == 1 || i == 2];
        *(x_major ? &out->corner[i].y : &out->corner[i].x) += i < 2 ? -half : half;
    }
    for (unsigned i = 0; i < 2; i++) {
        struct sim_primitive *p = &out->primitive[n];
        *p = (struct sim_primitive){.kind = SIM_LINE_HALF,
                                    .across = i ? 6 : 4,
                                    .v = {&out->corner[0], &out->corner[1 + i], &out->corner[2 + i]},
                                    .flat = flat};
        n += triangle(s, p);
    }
    return n;
}

static bool point(const struct sim_raster_state *s, const struct sim_vertex *v, struct sim_set_up *out) {
    struct sim_primitive *p = &out->primitive[0];
    if (!(v->size > 0) || !isfinite(v->size))
        return false;
    if (v->size > SIM_MAX_POINT && !SIM_FAULT(s, point_large)) {
        out->corner[0] = *v;
        out->corner[0].size = SIM_MAX_POINT;
        v = &out->corner[0];
    }
    *p = (struct sim_primitive){.kind = SIM_POINT, .v = {v}, .flat = v->varying};
    double half = v->size / 2.0, x = (v->x + s->center_x) / 16.0, y = (v->y + s->center_y) / 16.0;
    return box(s, p, (int)floor(x - half), (int)floor(y - half), (int)ceil(x + half) + 1,
               (int)ceil(y + half) + 1);
}

unsigned sim_set_up(const struct sim_raster_state *s, unsigned type, const struct sim_vertex *const v[3],
                    const float *flat, struct sim_set_up *out) {
    if (type == 0)
        return point(s, v[0], out);
    if (type == 1)
        return line(s, v, flat, out);
    int64_t area = twice_area(v);
    /* Positive: counter-clockwise with y up. */
    bool back = (area > 0) == s->clockwise_front;
    if (!area || s->cull == QPUSIM_CULL_BOTH || s->cull == (back ? QPUSIM_CULL_BACK : QPUSIM_CULL_FRONT))
        return 0;
    out->primitive[0] =
        (struct sim_primitive){.kind = SIM_TRIANGLE, .back = back, .v = {v[0], v[1], v[2]}, .flat = flat};
    return triangle(s, &out->primitive[0]);
}
