/* Rasterisation of one tile: triangles, lines and points into 2x2 quads with 4 bits of subpixel position.
 *
 * A sample belongs to a triangle when it lies inside; a sample on an edge belongs to the triangle on the side
 * of larger x or, for horizontal edges, larger y: with row 0 on top, the top-left rule. Edge functions are
 * exact integers, so triangles that share an edge never share or miss a sample. Without multisampling the
 * sample is the pixel's centre. Varyings, W and Z are those of the centre in either case. Varyings reach the
 * shader as the hardware delivers them (guide section 6): V = A (x - x0) + B (y - y0) with value = V W + C, C
 * the value at the first vertex, and W the special function unit's reciprocal of the plane 1/W. */
#include <math.h>

#include "runtime/alu.h"
#include "runtime/draw.h"

struct plane {
    double a, b, c; /* value at (x, y) relative to vertex 0: c + a x + b y */
};

struct setup {
    double x0, y0; /* vertex 0 in pixels */
    struct plane inv_w, z;
    double z_bias;  /* of the slope */
    double z_units; /* steps of the depths that the tile buffer has */
};

/* Gradients of a quantity with the values q at the three vertices; m is the inverse of the edge matrix. */
static struct plane make_plane(const double m[4], double q0, double q1, double q2) {
    double d1 = q1 - q0, d2 = q2 - q0;
    return (struct plane){d1 * m[0] + d2 * m[1], d1 * m[2] + d2 * m[3], q0};
}

/* --- samples -------------------------------------------------------------------------------------------- */

/* Where samples are in a pixel, in sixteenths. Those of multisampling are on a rotated grid, in rows of their
 * own and columns of their own (docs/machine.md says how far that is known). */
static const struct pattern {
    unsigned count;
    uint8_t x[16], y[16];
} center = {1, {8}, {8}}, rotated = {4, {6, 14, 2, 10}, {2, 6, 10, 14}},
  mirrored = {4, {10, 2, 14, 6}, {2, 6, 10, 14}},
  rows16 = {16,
            {5, 11, 1, 15, 7, 13, 3, 9, 14, 4, 10, 0, 12, 6, 2, 8},
            {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};

/* The part of a primitive's box that the tile has, in whole quads, and its samples. */
struct area {
    int min_x, min_y, max_x, max_y; /* pixels that may be written */
    int x, y;                       /* first quad */
    const struct pattern *pattern;
};

static const struct pattern *pattern_of(const struct sim_raster_state *s) {
    if (s->coverage && s->oversample == 2)
        return &rows16;
    if (!(s->coverage ? s->oversample == 1 : s->batcher->tile->multisample))
        return &center;
    return SIM_FAULT(s, raster_samples) ? &mirrored : &rotated;
}

static bool set_area(struct area *a, const struct sim_raster_state *s, const struct sim_primitive *p) {
    const struct sim_tile *t = s->batcher->tile;
    int right = t->x + (int)t->width, top = t->y + (int)t->height;
    a->min_x = p->min_x > t->x ? p->min_x : t->x;
    a->min_y = p->min_y > t->y ? p->min_y : t->y;
    a->max_x = p->max_x < right ? p->max_x : right;
    a->max_y = p->max_y < top ? p->max_y : top;
    a->x = a->min_x & ~1;
    a->y = a->min_y & ~1;
    a->pattern = pattern_of(s);
    return a->min_x < a->max_x && a->min_y < a->max_y;
}

/* Pixels of a quad that lie in the area, one bit each. */
static unsigned within(const struct area *a, int x, int y) {
    unsigned columns = (unsigned)(x >= a->min_x) | (unsigned)(x + 1 < a->max_x) << 1;
    unsigned rows = (y >= a->min_y ? 3u : 0) | (y + 1 < a->max_y ? 12u : 0);
    return (columns | columns << 2) & rows;
}

/* --- fragments ------------------------------------------------------------------------------------------ */

typedef double f64x4 __attribute__((vector_size(32)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef int64_t i64x4 __attribute__((vector_size(32)));

/* A plane at the four pixels of a quad. */
SIM_INLINE f64x4 at_quad(const struct plane *p, f64x4 x, f64x4 y) {
    return p->c + p->a * x + p->b * y;
}

/* yes where the mask is set, 0 elsewhere. */
SIM_INLINE f64x4 keep(i64x4 mask, f64x4 yes) {
    return (f64x4)((i64x4)yes & mask);
}

/* 24 bits, from 0 to 1; what is no number is 0. */
SIM_INLINE void depth_bits(f64x4 z, double add, uint32_t out[4]) {
    const f64x4 most = (f64x4){} + 16777215.0;
    f64x4 steps = z * 16777215.0 + add,
          within = keep((steps > 0) & (steps < most), steps) + keep(steps >= most, most);
    i32x4 bits = __builtin_convertvector(within, i32x4);
    memcpy(out, &bits, sizeof bits);
}

/* W of four pixels. It is not quite 1 where 1/W is: a Pi's verdicts. */
SIM_INLINE f32x4 reciprocals(const struct sim_raster_state *s, f64x4 inverse) {
    if (s->ideal || SIM_FAULT(s, raster_w))
        return __builtin_convertvector(1.0 / inverse, f32x4);
    f32x4 of = __builtin_convertvector(inverse, f32x4), w;
    bool same = of[0] == of[1] && of[0] == of[2] && of[0] == of[3];
    for (unsigned i = 0; i < 4; i++)
        w[i] = i && same ? w[0] : sim_float(sim_sfu_recip(sim_bits(of[i])));
    return w;
}

SIM_VERSIONS
static bool emit(const struct sim_raster_state *s, const struct setup *st, struct sim_quad *q,
                 const struct plane *vary, const float *c, unsigned words) {
    unsigned lane;
    double px = q->x + 0.5 - st->x0, py = q->y + 0.5 - st->y0;
    const f64x4 x = {px, px + 1, px, px + 1}, y = {py, py, py + 1, py + 1};
    f64x4 z = at_quad(&st->z, x, y) + st->z_bias;
    depth_bits(z, (SIM_FAULT(s, z_rounding) ? 0 : 0.5) + st->z_units, q->z);
    z += st->z_units / 16777215.0;
    for (unsigned i = 0; s->z_clip && i < 4; i++)
        if (!(z[i] >= s->min_z && z[i] <= s->max_z))
            q->coverage &= ~(1u << i);
    if (!q->coverage) {
        s->batcher->quads_seen++;
        s->batcher->quads_clipped++;
        return true;
    }
    struct qpusim_fragments *f = sim_batch_quad(s->batcher, q, &lane);
    if (!f)
        return !sim_batch_failed(s->batcher);
    /* A centre outside the triangle may lie beyond the horizon: there W is negative, and always finite. */
    const f64x4 least = (f64x4){} + 1e-30;
    f64x4 inverse = at_quad(&st->inv_w, x, y);
    i64x4 far = (inverse > least) | (inverse < -least);
    f32x4 w = reciprocals(s, keep(far, inverse) + keep(~far, least));
    memcpy(&f->w[lane], &w, sizeof w);
    for (unsigned v = 0; v < words; v++) {
        f32x4 value = __builtin_convertvector(at_quad(&vary[v], x, y), f32x4), first = (f32x4){} + c[v];
        memcpy(&f->vary[v][lane], &value, sizeof value);
        memcpy(&f->c[v][lane], &first, sizeof first);
    }
    return true;
}

/* A sample's two bits count how often the primitives go round it, modulo 4: once more for those that face
 * forward, once less for the others; or how often they cover it modulo 2; or whether they do. */
static unsigned update_sample(unsigned update, bool back, unsigned old) {
    switch (update) {
    case 0: return (back ? old + 3 : old + 1) & 3;
    case 1: return old ^ 1;
    case 2: return 1;
    default: return 0;
    }
}

/* The coverage pipe: a pattern of fewer samples stands for sixteen. */
static void cover(const struct sim_raster_state *s, const struct sim_quad *q, const struct pattern *pattern) {
    struct sim_tile *t = s->batcher->tile;
    unsigned each = 16 / pattern->count;
    for (unsigned i = 0; i < 4; i++) {
        if (!(q->coverage >> i & 1))
            continue;
        unsigned at =
            sim_tile_sample(t, (unsigned)(q->x - t->x) + (i & 1), (unsigned)(q->y - t->y) + (i >> 1));
        uint32_t word = t->depth[at] << 8 | t->stencil[at];
        for (unsigned n = 0; n < 16; n++) {
            if (!(q->samples[i] >> n / each & 1))
                continue;
            unsigned old = word >> 2 * n & 3;
            word ^= (old ^ update_sample(s->coverage_update, q->back, old)) << 2 * n;
        }
        t->depth[at] = word >> 8;
        t->stencil[at] = (uint8_t)word;
    }
}

static bool put_quad(const struct sim_raster_state *s, const struct setup *st, struct sim_quad *q,
                     const struct plane *vary, const float *c, unsigned words) {
    if (!s->coverage)
        return emit(s, st, q, vary, c, words);
    cover(s, q, pattern_of(s));
    return true;
}

struct edge {
    int64_t a, b, c; /* a x + b y + c >= 0 inside, x and y in 1/16 pixel */
};

/* From p to q with the inside on the left; the bias makes edges of the wrong kind exclusive. */
static struct edge make_edge(int64_t px, int64_t py, int64_t qx, int64_t qy, bool reversed) {
    struct edge e = {py - qy, qx - px, 0};
    e.c = -(e.a * px + e.b * py);
    bool inclusive = e.a > 0 || (e.a == 0 && e.b > 0);
    if (inclusive == reversed)
        e.c -= 1;
    return e;
}

static int64_t edge_at(const struct edge *e, int64_t x, int64_t y) {
    return e->a * x + e->b * y + e->c;
}

/* The smallest value of an edge function in a box of `width` by `height` sixteenths, less its first
 * corner's. */
static int64_t least(const struct edge *e, int width, int height) {
    return (e->a < 0 ? e->a : 0) * width + (e->b < 0 ? e->b : 0) * height;
}

/* The largest. */
static int64_t reach(const struct edge *e, int width, int height) {
    return (e->a > 0 ? e->a : 0) * width + (e->b > 0 ? e->b : 0) * height;
}

static bool raster_triangle(const struct sim_raster_state *s, const struct sim_primitive *p) {
    const struct sim_vertex *const *v = p->v;
    struct area area;
    if (!set_area(&area, s, p))
        return true;
    int x[3], y[3];
    for (unsigned i = 0; i < 3; i++) {
        x[i] = v[i]->x + s->center_x;
        y[i] = v[i]->y + s->center_y;
    }
    /* Edges with the inside on the left, whatever the orientation. */
    int64_t twice = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    unsigned i1 = twice > 0 ? 1 : 2, i2 = 3 - i1;
    bool reversed = SIM_FAULT(s, raster_rule);
    const struct edge e[3] = {make_edge(x[0], y[0], x[i1], y[i1], reversed),
                              make_edge(x[i1], y[i1], x[i2], y[i2], reversed),
                              make_edge(x[i2], y[i2], x[0], y[0], reversed)};
    const int64_t quad_reach[3] = {reach(&e[0], 32, 32), reach(&e[1], 32, 32), reach(&e[2], 32, 32)};
    const int64_t quad_least[3] = {least(&e[0], 32, 32), least(&e[1], 32, 32), least(&e[2], 32, 32)};
    for (unsigned k = 0; k < 3; k++) /* most tiles of a long thin triangle's box have nothing of it */
        if (edge_at(&e[k], 16 * area.x, 16 * area.y) +
                reach(&e[k], 16 * (area.max_x - area.x), 16 * (area.max_y - area.y)) <
            0)
            return true;

    struct setup st = {.x0 = x[0] / 16.0, .y0 = y[0] / 16.0};
    double dx1 = (x[1] - x[0]) / 16.0, dy1 = (y[1] - y[0]) / 16.0, dx2 = (x[2] - x[0]) / 16.0,
           dy2 = (y[2] - y[0]) / 16.0, det = dx1 * dy2 - dx2 * dy1;
    const double m[4] = {dy2 / det, -dy1 / det, -dx2 / det, dx1 / det};
    st.inv_w = make_plane(m, v[0]->inv_w, v[1]->inv_w, v[2]->inv_w);
    st.z = make_plane(m, v[0]->z, v[1]->z, v[2]->z);
    double slope =
        SIM_FAULT(s, offset_slope) ? fabs(st.z.a) + fabs(st.z.b) : fmax(fabs(st.z.a), fabs(st.z.b));
    if (p->kind == SIM_TRIANGLE) {
        st.z_bias = s->offset_factor * slope;
        st.z_units = s->offset_units * (SIM_FAULT(s, offset_units) ? 2 : 1);
    }
    struct plane vary[QPUSIM_MAX_VARYINGS];
    float c[QPUSIM_MAX_VARYINGS];
    unsigned words = 0;
    if (p->kind == SIM_LINE_HALF) {
        double q[3] = {p->across & 1, p->across >> 1 & 1, p->across >> 2 & 1};
        vary[0] = make_plane(m, 0, (q[1] - q[0]) * v[1]->inv_w, (q[2] - q[0]) * v[2]->inv_w);
        c[words++] = (float)q[0];
    }
    for (unsigned i = 0; i < s->varyings && words < QPUSIM_MAX_VARYINGS; i++, words++) {
        if (s->flat >> i & 1 && i < 32) {
            vary[words] = (struct plane){0, 0, 0};
            c[words] = p->flat[i];
            continue;
        }
        double q0 = v[0]->varying[i];
        vary[words] =
            make_plane(m, 0, (v[1]->varying[i] - q0) * v[1]->inv_w, (v[2]->varying[i] - q0) * v[2]->inv_w);
        c[words] = v[0]->varying[i];
    }

    const struct pattern *pattern = area.pattern;
    struct sim_quad q = {.back = p->back};
    for (q.y = area.y; q.y < area.max_y; q.y += 2) {
        for (q.x = area.x; q.x < area.max_x; q.x += 2) {
            int64_t corner[3];
            for (unsigned k = 0; k < 3; k++)
                corner[k] = edge_at(&e[k], 16 * q.x, 16 * q.y);
            if (corner[0] + quad_reach[0] < 0 || corner[1] + quad_reach[1] < 0 ||
                corner[2] + quad_reach[2] < 0)
                continue;
            q.coverage = 0;
            unsigned allowed = within(&area, q.x, q.y);
            if (corner[0] + quad_least[0] >= 0 && corner[1] + quad_least[1] >= 0 &&
                corner[2] + quad_least[2] >= 0) {
                for (unsigned i = 0; i < 4; i++)
                    q.samples[i] = (uint16_t)((allowed >> i & 1) * ((1u << pattern->count) - 1));
                q.coverage = allowed;
                if (allowed && !put_quad(s, &st, &q, vary, c, words))
                    return false;
                continue;
            }
            for (unsigned i = 0; i < 4; i++) {
                q.samples[i] = 0;
                for (unsigned n = 0; n < pattern->count && allowed >> i & 1; n++) {
                    int sx = 16 * (int)(i & 1) + pattern->x[n], sy = 16 * (int)(i >> 1) + pattern->y[n];
                    bool inside = true;
                    for (unsigned k = 0; k < 3; k++)
                        inside &= corner[k] + e[k].a * sx + e[k].b * sy >= 0;
                    q.samples[i] |= (uint16_t)(inside << n);
                }
                q.coverage |= (unsigned)(q.samples[i] != 0) << i;
            }
            if (q.coverage && !put_quad(s, &st, &q, vary, c, words))
                return false;
        }
    }
    return true;
}

/* Samples whose centres lie in the square [x0, x0 + size). */
static bool raster_point(const struct sim_raster_state *s, const struct sim_primitive *p) {
    const struct sim_vertex *v = p->v[0];
    struct area area;
    if (!set_area(&area, s, p))
        return true;
    double size = SIM_FAULT(s, point_size) ? fmax(floor(v->size), 1) : v->size,
           cx = (v->x + s->center_x) / 16.0, cy = (v->y + s->center_y) / 16.0;
    double x0 = cx - size / 2, y0 = cy - size / 2;
    struct setup st = {.x0 = x0, .y0 = y0};
    st.inv_w.c = v->inv_w;
    st.z.c = v->z;
    struct plane vary[QPUSIM_MAX_VARYINGS] = {{0}};
    float c[QPUSIM_MAX_VARYINGS] = {0};
    /* S to the right and T downwards; times 1/W because the shader multiplies by W. */
    vary[0].a = v->inv_w / size;
    vary[1].b = -v->inv_w / size;
    c[1] = 1;
    if (SIM_FAULT(s, point_t))
        vary[1].b = -vary[1].b, c[1] = 0;
    for (unsigned i = 0; i < s->varyings; i++)
        c[2 + i] = v->varying[i];
    const struct pattern *pattern = area.pattern;
    struct sim_quad q = {0};
    for (q.y = area.y; q.y < area.max_y; q.y += 2) {
        for (q.x = area.x; q.x < area.max_x; q.x += 2) {
            unsigned allowed = within(&area, q.x, q.y);
            q.coverage = 0;
            for (unsigned i = 0; i < 4; i++) {
                q.samples[i] = 0;
                for (unsigned n = 0; n < pattern->count && allowed >> i & 1; n++) {
                    double sx = q.x + (int)(i & 1) + pattern->x[n] / 16.0 - x0;
                    double sy = q.y + (int)(i >> 1) + pattern->y[n] / 16.0 - y0;
                    q.samples[i] |= (uint16_t)((sx >= 0 && sx < size && sy >= 0 && sy < size) << n);
                }
                q.coverage |= (unsigned)(q.samples[i] != 0) << i;
            }
            if (q.coverage && !put_quad(s, &st, &q, vary, c, 2 + s->varyings))
                return false;
        }
    }
    return true;
}

bool sim_raster(const struct sim_raster_state *s, const struct sim_primitive *p) {
    return p->kind == SIM_POINT ? raster_point(s, p) : raster_triangle(s, p);
}
