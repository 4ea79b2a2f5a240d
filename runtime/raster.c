/* Rasterisation: triangles, lines and points into 2x2 quads with 4 bits of subpixel position.
 *
 * A pixel belongs to a triangle when its centre lies inside; a centre on an edge belongs to the triangle on
 * the side of larger x or, for horizontal edges, larger y: with row 0 on top, the top-left rule. Edge
 * functions are exact integers, so triangles that share an edge never share or miss a pixel. Varyings reach
 * the shader as the hardware delivers them (guide section 6): V = A (x - x0) + B (y - y0) with value = V W +
 * C, C the value at the first vertex. */
#include <math.h>

#include "runtime/draw.h"

struct plane {
    double a, b, c; /* value at (x, y) relative to vertex 0: c + a x + b y */
};

struct setup {
    double x0, y0; /* vertex 0 in pixels */
    struct plane inv_w, z;
    double z_bias;
};

static double at(const struct plane *p, double x, double y) {
    return p->c + p->a * x + p->b * y;
}

/* Gradients of a quantity with the values q at the three vertices; m is the inverse of the edge matrix. */
static struct plane make_plane(const double m[4], double q0, double q1, double q2) {
    double d1 = q1 - q0, d2 = q2 - q0;
    return (struct plane){d1 * m[0] + d2 * m[1], d1 * m[2] + d2 * m[3], q0};
}

static uint32_t depth_bits(double z) {
    if (!(z > 0))
        return 0;
    return z >= 1 ? 0xffffff : (uint32_t)(z * 16777215.0 + 0.5);
}

static void fill_lanes(const struct setup *s, struct qpusim_fragments *f, unsigned lane,
                       const struct plane *vary, const float *c, unsigned words) {
    for (unsigned i = 0; i < 4; i++) {
        double x = f->x[lane + i] + 0.5 - s->x0, y = f->y[lane + i] + 0.5 - s->y0;
        double iw = at(&s->inv_w, x, y);
        /* Helper pixels may lie beyond the horizon; keep their W finite. */
        if (!(iw > 1e-30))
            iw = 1e-30;
        f->w[lane + i] = (float)(1 / iw);
        f->z[lane + i] = depth_bits(at(&s->z, x, y) + s->z_bias);
        for (unsigned v = 0; v < words; v++) {
            f->vary[v][lane + i] = (float)at(&vary[v], x, y);
            f->c[v][lane + i] = c[v];
        }
    }
}

struct edge {
    int64_t a, b, c; /* a x + b y + c >= 0 inside, x and y in 1/16 pixel */
};

/* From p to q with the inside on the left; the bias makes edges of the wrong kind exclusive. */
static struct edge make_edge(int64_t px, int64_t py, int64_t qx, int64_t qy) {
    struct edge e = {py - qy, qx - px, 0};
    e.c = -(e.a * px + e.b * py);
    bool inclusive = e.a > 0 || (e.a == 0 && e.b > 0);
    if (!inclusive)
        e.c -= 1;
    return e;
}

static int min3(int a, int b, int c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}
static int max3(int a, int b, int c) {
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

bool sim_raster_triangle(const struct sim_raster_state *s, const struct sim_vertex *const v[3],
                         const float *flat_values, bool back, const float (*line)[3]) {
    int x[3], y[3];
    for (unsigned i = 0; i < 3; i++) {
        x[i] = v[i]->x + s->center_x;
        y[i] = v[i]->y + s->center_y;
    }
    int64_t area = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    if (!area)
        return true;
    /* Edges with the inside on the left, whatever the orientation. */
    unsigned i1 = area > 0 ? 1 : 2, i2 = 3 - i1;
    struct edge e[3] = {make_edge(x[0], y[0], x[i1], y[i1]), make_edge(x[i1], y[i1], x[i2], y[i2]),
                        make_edge(x[i2], y[i2], x[0], y[0])};
    int left = min3(x[0], x[1], x[2]) >> 4, right = (max3(x[0], x[1], x[2]) >> 4) + 1;
    int bottom = min3(y[0], y[1], y[2]) >> 4, top = (max3(y[0], y[1], y[2]) >> 4) + 1;
    left = left < s->min_x ? s->min_x : left;
    right = right > s->max_x ? s->max_x : right;
    bottom = bottom < s->min_y ? s->min_y : bottom;
    top = top > s->max_y ? s->max_y : top;
    if (left >= right || bottom >= top)
        return true;

    struct setup st = {.x0 = x[0] / 16.0, .y0 = y[0] / 16.0};
    double dx1 = (x[1] - x[0]) / 16.0, dy1 = (y[1] - y[0]) / 16.0, dx2 = (x[2] - x[0]) / 16.0,
           dy2 = (y[2] - y[0]) / 16.0, det = dx1 * dy2 - dx2 * dy1;
    const double m[4] = {dy2 / det, -dy1 / det, -dx2 / det, dx1 / det};
    st.inv_w = make_plane(m, v[0]->inv_w, v[1]->inv_w, v[2]->inv_w);
    st.z = make_plane(m, v[0]->z, v[1]->z, v[2]->z);
    double slope = fmax(fabs(st.z.a), fabs(st.z.b));
    st.z_bias = s->offset_factor * slope + s->offset_units / 16777216.0;
    struct plane vary[QPUSIM_MAX_VARYINGS];
    float c[QPUSIM_MAX_VARYINGS];
    unsigned words = 0;
    if (line) {
        vary[0] = make_plane(m, 0, ((*line)[1] - (*line)[0]) * v[1]->inv_w,
                             ((*line)[2] - (*line)[0]) * v[2]->inv_w);
        c[words++] = (*line)[0];
    }
    for (unsigned i = 0; i < s->varyings && words < QPUSIM_MAX_VARYINGS; i++, words++) {
        if (s->flat >> i & 1 && i < 32) {
            vary[words] = (struct plane){0, 0, 0};
            c[words] = flat_values[i];
            continue;
        }
        double q0 = v[0]->varying[i];
        vary[words] =
            make_plane(m, 0, (v[1]->varying[i] - q0) * v[1]->inv_w, (v[2]->varying[i] - q0) * v[2]->inv_w);
        c[words] = v[0]->varying[i];
    }

    for (int qy = bottom & ~1; qy < top; qy += 2) {
        for (int qx = left & ~1; qx < right; qx += 2) {
            unsigned coverage = 0;
            for (unsigned k = 0; k < 3; k++) { /* quick reject: all four centres outside one edge */
                int64_t f = e[k].a * (16 * (int64_t)qx + 8) + e[k].b * (16 * (int64_t)qy + 8) + e[k].c;
                if (f + (e[k].a > 0 ? 16 * e[k].a : 0) + (e[k].b > 0 ? 16 * e[k].b : 0) < 0)
                    goto next;
            }
            for (unsigned i = 0; i < 4; i++) {
                int px = qx + (int)(i & 1), py = qy + (int)(i >> 1);
                if (px < left || px >= right || py < bottom || py >= top)
                    continue;
                int64_t sx = 16 * (int64_t)px + 8, sy = 16 * (int64_t)py + 8;
                if (e[0].a * sx + e[0].b * sy + e[0].c >= 0 && e[1].a * sx + e[1].b * sy + e[1].c >= 0 &&
                    e[2].a * sx + e[2].b * sy + e[2].c >= 0)
                    coverage |= 1u << i;
            }
            if (coverage) {
                unsigned lane;
                struct qpusim_fragments *f =
                    sim_batch_quad(s->batcher, &(struct sim_quad){qx, qy, coverage, back}, &lane);
                if (!f)
                    return false;
                fill_lanes(&st, f, lane, vary, c, words);
            }
        next:;
        }
    }
    return true;
}

bool sim_raster_point(const struct sim_raster_state *s, const struct sim_vertex *v) {
    double size = v->size, cx = (v->x + s->center_x) / 16.0, cy = (v->y + s->center_y) / 16.0;
    double x0 = cx - size / 2, y0 = cy - size / 2;
    /* Pixels whose centres lie in [x0, x0 + size). */
    int left = (int)ceil(x0 - 0.5), right = (int)ceil(x0 + size - 0.5);
    int bottom = (int)ceil(y0 - 0.5), top = (int)ceil(y0 + size - 0.5);
    left = left < s->min_x ? s->min_x : left;
    right = right > s->max_x ? s->max_x : right;
    bottom = bottom < s->min_y ? s->min_y : bottom;
    top = top > s->max_y ? s->max_y : top;
    struct setup st = {.x0 = x0, .y0 = y0};
    st.inv_w.c = v->inv_w;
    st.z.c = v->z;
    struct plane vary[QPUSIM_MAX_VARYINGS] = {{0}};
    float c[QPUSIM_MAX_VARYINGS] = {0};
    /* S to the right and T downwards; times 1/W because the shader multiplies by W. */
    vary[0].a = v->inv_w / size;
    vary[1].b = -v->inv_w / size;
    c[1] = 1;
    for (unsigned i = 0; i < s->varyings; i++)
        c[2 + i] = v->varying[i];
    for (int qy = bottom & ~1; qy < top; qy += 2) {
        for (int qx = left & ~1; qx < right; qx += 2) {
            unsigned coverage = 0, lane;
            for (unsigned i = 0; i < 4; i++) {
                int px = qx + (int)(i & 1), py = qy + (int)(i >> 1);
                if (px >= left && px < right && py >= bottom && py < top)
                    coverage |= 1u << i;
            }
            if (!coverage)
                continue;
            struct qpusim_fragments *f =
                sim_batch_quad(s->batcher, &(struct sim_quad){qx, qy, coverage, false}, &lane);
            if (!f)
                return false;
            fill_lanes(&st, f, lane, vary, c, 2 + s->varyings);
        }
    }
    return true;
}
