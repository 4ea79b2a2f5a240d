/* Primitives: clip, cull, and hand on to the rasteriser. */
#include <math.h>
#include <stdlib.h>

#include "runtime/draw.h"

static int64_t area2(const struct sim_vertex *a, const struct sim_vertex *b, const struct sim_vertex *c) {
    return (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(c->x - a->x) * (b->y - a->y);
}

bool sim_draw_triangle(const struct sim_raster_state *s, const struct sim_vertex *a,
                       const struct sim_vertex *b, const struct sim_vertex *c) {
    struct sim_vertex v[SIM_MAX_POLYGON] = {*a, *b, *c};
    bool clipped;
    s->counters->primitives++;
    unsigned n = sim_clip_polygon(s, v, 3, &clipped);
    if (!n) {
        s->counters->primitives_culled++;
        return true;
    }
    s->counters->primitives_clipped += clipped;
    int64_t area = 0;
    for (unsigned i = 2; i < n; i++)
        area += area2(&v[0], &v[i - 1], &v[i]);
    /* Positive: counter-clockwise with y up. */
    bool back = (area > 0) == s->clockwise_front;
    if (!area || s->cull == QPUSIM_CULL_BOTH || (s->cull == QPUSIM_CULL_BACK && back) ||
        (s->cull == QPUSIM_CULL_FRONT && !back)) {
        s->counters->primitives_culled++;
        return true;
    }
    for (unsigned i = 2; i < n; i++) {
        const struct sim_vertex *const t[3] = {&v[0], &v[i - 1], &v[i]};
        if ((area2(t[0], t[1], t[2]) > 0) != (area > 0))
            continue;
        if (!sim_raster_triangle(s, t, c->varying, back, NULL))
            return false;
    }
    return true;
}

/* A line of width w is the parallelogram that GL's rule for lines without antialiasing covers: w pixels along
 * the minor axis. It has one more varying word, the place across the line. */
bool sim_draw_line(const struct sim_raster_state *s, const struct sim_vertex *a, const struct sim_vertex *b) {
    struct sim_vertex v[2] = {*a, *b};
    bool clipped;
    s->counters->primitives++;
    if (!sim_clip_segment(s, v, &clipped)) {
        s->counters->primitives_culled++;
        return true;
    }
    s->counters->primitives_clipped += clipped;
    int half = (int)(fmin(s->line_width, 2048) * 8 + 0.5);
    bool x_major = abs(v[1].x - v[0].x) >= abs(v[1].y - v[0].y);
    struct sim_vertex p[4] = {v[0], v[1], v[1], v[0]};
    for (unsigned i = 0; i < 4; i++)
        *(x_major ? &p[i].y : &p[i].x) += i < 2 ? -half : half;
    const struct sim_vertex *const t0[3] = {&p[0], &p[1], &p[2]}, *const t1[3] = {&p[0], &p[2], &p[3]};
    static const float across0[3] = {0, 0, 1}, across1[3] = {0, 1, 1};
    return sim_raster_triangle(s, t0, b->varying, false, &across0) &&
           sim_raster_triangle(s, t1, b->varying, false, &across1);
}

bool sim_draw_point(const struct sim_raster_state *s, const struct sim_vertex *a) {
    s->counters->primitives++;
    if (!sim_clip_point(a) || !(a->size > 0) || !isfinite(a->size)) {
        s->counters->primitives_culled++;
        return true;
    }
    struct sim_vertex v = *a;
    if (v.size > 2048)
        v.size = 2048;
    return sim_raster_point(s, &v);
}
