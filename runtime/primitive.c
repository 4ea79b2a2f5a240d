/* Primitives: clip, cull, and what is left of them as triangles, halves of lines, and points. */
#include <math.h>
#include <stdlib.h>

#include "runtime/draw.h"

#define CHUNK 64

struct sim_made {
    struct sim_made *next;
    unsigned count;
    struct sim_vertex vertex[CHUNK];
};

void sim_assembly_free(struct sim_assembly *a) {
    while (a->made) {
        struct sim_made *next = a->made->next;
        free(a->made);
        a->made = next;
    }
    free(a->primitive);
    *a = (struct sim_assembly){0};
}

/* A copy that stays as long as the assembly. */
static const struct sim_vertex *keep(struct sim_assembly *a, const struct sim_vertex *v) {
    if (!a->made || a->made->count == CHUNK) {
        struct sim_made *m = malloc(sizeof *m);
        if (!m) {
            a->failed = true;
            return v;
        }
        m->next = a->made;
        m->count = 0;
        a->made = m;
    }
    struct sim_vertex *to = &a->made->vertex[a->made->count++];
    *to = *v;
    return to;
}

static int smallest(int a, int b) {
    return a < b ? a : b;
}
static int largest(int a, int b) {
    return a > b ? a : b;
}

/* Adds a primitive whose box, in pixels, may reach outside the clip window. */
static bool add(const struct sim_raster_state *s, struct sim_assembly *a, struct sim_primitive p) {
    p.min_x = largest(p.min_x, s->min_x);
    p.min_y = largest(p.min_y, s->min_y);
    p.max_x = smallest(p.max_x, s->max_x);
    p.max_y = smallest(p.max_y, s->max_y);
    if (p.min_x >= p.max_x || p.min_y >= p.max_y)
        return true;
    if (a->count == a->capacity) {
        unsigned n = a->capacity ? 2 * a->capacity : 64;
        struct sim_primitive *grown = realloc(a->primitive, n * sizeof *grown);
        if (!grown) {
            a->failed = true;
            return false;
        }
        a->primitive = grown;
        a->capacity = n;
    }
    a->primitive[a->count++] = p;
    return !a->failed;
}

static int64_t area2(const struct sim_vertex *a, const struct sim_vertex *b, const struct sim_vertex *c) {
    return (int64_t)(b->x - a->x) * (c->y - a->y) - (int64_t)(c->x - a->x) * (b->y - a->y);
}

static bool add_triangle(const struct sim_raster_state *s, struct sim_assembly *to, struct sim_primitive p) {
    if (!area2(p.v[0], p.v[1], p.v[2]))
        return true;
    const struct sim_vertex *const *v = p.v;
    p.min_x = (smallest(v[0]->x, smallest(v[1]->x, v[2]->x)) + s->center_x) >> 4;
    p.min_y = (smallest(v[0]->y, smallest(v[1]->y, v[2]->y)) + s->center_y) >> 4;
    p.max_x = ((largest(v[0]->x, largest(v[1]->x, v[2]->x)) + s->center_x) >> 4) + 1;
    p.max_y = ((largest(v[0]->y, largest(v[1]->y, v[2]->y)) + s->center_y) >> 4) + 1;
    return add(s, to, p);
}

bool sim_assemble_triangle(const struct sim_raster_state *s, struct sim_assembly *to,
                           const struct sim_vertex *a, const struct sim_vertex *b,
                           const struct sim_vertex *c) {
    struct sim_vertex made[SIM_MAX_POLYGON];
    const struct sim_vertex *v[SIM_MAX_POLYGON] = {a, b, c};
    unsigned n = 3;
    bool clipped = false;
    s->counters->primitives++;
    if (sim_clip_needed(s, v, 3)) {
        made[0] = *a;
        made[1] = *b;
        made[2] = *c;
        n = sim_clip_polygon(s, made, 3, &clipped);
        for (unsigned i = 0; clipped && i < n; i++)
            v[i] = &made[i];
    }
    if (!n) {
        s->counters->primitives_culled++;
        return true;
    }
    s->counters->primitives_clipped += clipped;
    int64_t area = 0;
    for (unsigned i = 2; i < n; i++)
        area += area2(v[0], v[i - 1], v[i]);
    /* Positive: counter-clockwise with y up. */
    bool back = (area > 0) == s->clockwise_front;
    if (!area || s->cull == QPUSIM_CULL_BOTH || (s->cull == QPUSIM_CULL_BACK && back) ||
        (s->cull == QPUSIM_CULL_FRONT && !back)) {
        s->counters->primitives_culled++;
        return true;
    }
    for (unsigned i = 0; clipped && i < n; i++)
        v[i] = keep(to, v[i]);
    for (unsigned i = 2; i < n; i++) {
        struct sim_primitive p = {SIM_TRIANGLE, back, 0, {v[0], v[i - 1], v[i]}, c->varying, 0, 0, 0, 0};
        if ((area2(v[0], v[i - 1], v[i]) > 0) == (area > 0) && !add_triangle(s, to, p))
            return false;
    }
    return true;
}

/* A line of width w is the parallelogram that GL's rule for lines without antialiasing covers: w pixels along
 * the minor axis. It has one more varying word, the place across the line. */
bool sim_assemble_line(const struct sim_raster_state *s, struct sim_assembly *to, const struct sim_vertex *a,
                       const struct sim_vertex *b) {
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
    const struct sim_vertex *p[4];
    for (unsigned i = 0; i < 4; i++) {
        struct sim_vertex corner = v[i == 1 || i == 2];
        *(x_major ? &corner.y : &corner.x) += i < 2 ? -half : half;
        p[i] = keep(to, &corner);
    }
    struct sim_primitive t0 = {SIM_LINE_HALF, false, 4, {p[0], p[1], p[2]}, b->varying, 0, 0, 0, 0},
                         t1 = {SIM_LINE_HALF, false, 6, {p[0], p[2], p[3]}, b->varying, 0, 0, 0, 0};
    return !to->failed && add_triangle(s, to, t0) && add_triangle(s, to, t1);
}

bool sim_assemble_point(const struct sim_raster_state *s, struct sim_assembly *to,
                        const struct sim_vertex *a) {
    s->counters->primitives++;
    if (!sim_clip_point(a) || !(a->size > 0) || !isfinite(a->size)) {
        s->counters->primitives_culled++;
        return true;
    }
    if (a->size > SIM_MAX_POINT) {
        struct sim_vertex v = *a;
        v.size = SIM_MAX_POINT;
        a = keep(to, &v);
    }
    double half = a->size / 2.0, x = (a->x + s->center_x) / 16.0, y = (a->y + s->center_y) / 16.0;
    struct sim_primitive p = {
        SIM_POINT,
        false,
        0,
        {a, NULL, NULL},
        a->varying,
        (int)floor(x - half),
        (int)floor(y - half),
        (int)ceil(x + half) + 1,
        (int)ceil(y + half) + 1,
    };
    return !to->failed && add(s, to, p);
}
