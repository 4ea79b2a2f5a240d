/* Clipping in homogeneous coordinates: near and far planes, a positive W, and a guard band wide enough for
 * every visible pixel and narrow enough for 12.4 screen coordinates. Vertices that are not clipped keep the
 * position that the shader computed, to the bit. Those that clipping makes lie where the viewport's scale
 * puts them, whose sign turns a picture over: Mesa's driver draws y-flipped targets with a negative half
 * height. */
#include <math.h>

#include "runtime/draw.h"

#define GUARD_PIXELS 2032.0 /* from the viewport's centre; 12.4 numbers reach 2047 */
#define MIN_W 1e-7
#define PLANES 7

static double distance(const struct sim_raster_state *s, const double c[4], unsigned plane) {
    switch (plane) {
    case 0: return c[3] - MIN_W;
    case 1: return SIM_FAULT(s, clip_near) ? c[2] : c[3] + c[2];
    case 2: return c[3] - c[2];
    case 3: return c[3] * (GUARD_PIXELS / fabs(s->half_width)) - c[0];
    case 4: return c[3] * (GUARD_PIXELS / fabs(s->half_width)) + c[0];
    case 5: return c[3] * (GUARD_PIXELS / fabs(s->half_height)) - c[1];
    default: return c[3] * (GUARD_PIXELS / fabs(s->half_height)) + c[1];
    }
}

/* A screen coordinate, 12.4. A vertex made at one plane may lie far beyond the others until they cut it off.
 */
static int32_t screen(double pixels) {
    double at = floor(pixels * 16 + 0.5);
    return !(at > INT16_MIN) ? INT16_MIN : at > INT16_MAX ? INT16_MAX : (int32_t)at; /* NaN: W vanished */
}

static void intersect(const struct sim_raster_state *s, const struct sim_vertex *a,
                      const struct sim_vertex *b, double da, double db, struct sim_vertex *out) {
    /* Always from the inner to the outer vertex, so that both triangles of an edge get the same point. */
    double t = da / (da - db);
    for (unsigned i = 0; i < 4; i++)
        out->clip[i] = a->clip[i] + (b->clip[i] - a->clip[i]) * t;
    out->inv_w = 1 / out->clip[3];
    double x = out->clip[0] * out->inv_w * s->half_width, y = out->clip[1] * out->inv_w * s->half_height;
    if (SIM_FAULT(s, clip_rounding))
        x -= 1 / 32.0, y -= 1 / 32.0;
    out->x = screen(SIM_FAULT(s, clip_half_pixel) ? x + 0.5 : x);
    out->y = screen(y);
    out->z = out->clip[2] * out->inv_w * s->z_scale + s->z_offset;
    out->size = a->size;
    out->made = true;
    for (unsigned i = 0; i < s->varyings; i++)
        out->varying[i] = (float)(a->varying[i] + ((double)b->varying[i] - a->varying[i]) * t);
}

static bool finite_vertex(const struct sim_vertex *v) {
    for (unsigned i = 0; i < 4; i++)
        if (!isfinite(v->clip[i]))
            return false;
    return true;
}

/* All vertices outside one side of the view volume. */
static bool outside(const struct sim_vertex *v, unsigned count) {
    unsigned all = 63;
    for (unsigned i = 0; i < count; i++) {
        const double *c = v[i].clip;
        all &= (unsigned)(c[0] > c[3]) | (unsigned)(c[0] < -c[3]) << 1 | (unsigned)(c[1] > c[3]) << 2 |
               (unsigned)(c[1] < -c[3]) << 3 | (unsigned)(c[2] > c[3]) << 4 | (unsigned)(c[2] < -c[3]) << 5;
    }
    return all != 0;
}

bool sim_clip_cuts(const struct sim_raster_state *s, const struct sim_vertex *v) {
    if (!finite_vertex(v))
        return true;
    for (unsigned plane = 0; plane < PLANES; plane++)
        if (distance(s, v->clip, plane) < 0)
            return true;
    return false;
}

unsigned sim_clip_polygon(const struct sim_raster_state *s, struct sim_vertex *v, unsigned count,
                          bool *clipped) {
    struct sim_vertex work[SIM_MAX_POLYGON];
    *clipped = false;
    for (unsigned i = 0; i < count; i++)
        if (!finite_vertex(&v[i]))
            return 0;
    if (outside(v, count))
        return 0;
    for (unsigned plane = 0; plane < PLANES && count; plane++) {
        double d[SIM_MAX_POLYGON];
        bool any = false;
        for (unsigned i = 0; i < count; i++) {
            d[i] = distance(s, v[i].clip, plane);
            any |= d[i] < 0;
        }
        if (!any)
            continue;
        *clipped = true;
        unsigned n = 0;
        for (unsigned i = 0; i < count; i++) {
            unsigned k = (i + 1) % count;
            if (d[i] >= 0 && n < SIM_MAX_POLYGON)
                work[n++] = v[i];
            if ((d[i] >= 0) != (d[k] >= 0) && n < SIM_MAX_POLYGON) {
                if (d[i] >= 0)
                    intersect(s, &v[i], &v[k], d[i], d[k], &work[n++]);
                else
                    intersect(s, &v[k], &v[i], d[k], d[i], &work[n++]);
            }
        }
        count = n;
        for (unsigned i = 0; i < n; i++)
            v[i] = work[i];
    }
    return count < 3 ? 0 : count;
}

bool sim_clip_segment(const struct sim_raster_state *s, struct sim_vertex v[2], bool *clipped) {
    *clipped = false;
    if (!finite_vertex(&v[0]) || !finite_vertex(&v[1]) || outside(v, 2))
        return false;
    for (unsigned plane = 0; plane < PLANES; plane++) {
        double a = distance(s, v[0].clip, plane), b = distance(s, v[1].clip, plane);
        if (a < 0 && b < 0)
            return false;
        if (a >= 0 && b >= 0)
            continue;
        *clipped = true;
        struct sim_vertex made;
        if (a >= 0) {
            intersect(s, &v[0], &v[1], a, b, &made);
            v[1] = made;
        } else {
            intersect(s, &v[1], &v[0], b, a, &made);
            v[0] = made;
        }
    }
    return true;
}
