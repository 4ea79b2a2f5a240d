/* The fixed-function part of a draw, from shaded vertices to quads and batches. qpusim_draw is one caller;
 * anything that fills a sim_raster_state and feeds primitives (a control list) is another. */
#ifndef SIM_DRAW_H
#define SIM_DRAW_H

#include "runtime/machine.h"

struct qpusim_target {
    unsigned width, height;
    uint32_t *color, *depth; /* row 0 at the bottom; depth 24 bits */
    uint8_t *stencil;
};

/* A vertex after both shaders. */
struct sim_vertex {
    double clip[4];  /* Xc, Yc, Zc, Wc */
    int32_t x, y;    /* 12.4, relative to the viewport's centre */
    double z, inv_w; /* Zs 0..1, 1 / Wc */
    float size;
    bool made; /* by clipping */
    float varying[QPUSIM_MAX_VARYINGS];
};

/* Runs batches of fragments; collects quads from the rasteriser (batch.c). */
struct sim_batcher {
    struct qpusim_target *target;
    const struct qpusim_program *program;
    struct qpusim_stream uniforms;
    struct qpusim_memory *memory;
    const struct qpusim_options *options;
    struct qpusim_error *error;
    struct qpusim_counters *counters;
    struct sim_shared shared;
    struct sim_clock *clock;
    bool depth_test, depth_write, partial_uniforms;
    unsigned depth_func, varying_words;
    struct sim_thread *thread[2];
    struct qpusim_fragments batch[2]; /* the one being filled, and one waiting for its partner thread */
    unsigned quads[2], waiting;       /* waiting: 1 when batch[1] is full */
};

/* One quad: fills in fragments of lanes 4q..4q+3. The callback writes vary, c, w, z of the four lanes. */
struct sim_quad {
    int x, y;          /* of the upper left pixel; even */
    unsigned coverage; /* 4 bits */
    bool back;
};
/* Makes room for a quad and returns where it goes; NULL after an error. Lane of its first pixel in *lane. */
struct qpusim_fragments *sim_batch_quad(struct sim_batcher *b, const struct sim_quad *quad, unsigned *lane);
/* Runs what is collected. False on error. */
bool sim_batch_flush(struct sim_batcher *b);

struct sim_raster_state {
    struct sim_batcher *batcher;
    int32_t center_x, center_y;     /* of the viewport, 12.4 */
    double half_width, half_height; /* of the viewport, pixels */
    double z_scale, z_offset;
    int min_x, min_y, max_x, max_y; /* pixels that may be written, max exclusive */
    enum qpusim_cull cull;
    bool clockwise_front;
    double offset_factor, offset_units;
    unsigned varyings;
    uint32_t flat;
    double line_width;
    struct qpusim_counters *counters;
};

/* Primitives with vertices as shaded: clip, cull, rasterise. `flat` values come from the last vertex given.
 */
bool sim_draw_triangle(const struct sim_raster_state *s, const struct sim_vertex *a,
                       const struct sim_vertex *b, const struct sim_vertex *c);
bool sim_draw_line(const struct sim_raster_state *s, const struct sim_vertex *a, const struct sim_vertex *b);
bool sim_draw_point(const struct sim_raster_state *s, const struct sim_vertex *a);

/* clip.c: a convex polygon of up to SIM_MAX_POLYGON vertices in place; returns the new count, 0 when nothing
 * is left. */
#define SIM_MAX_POLYGON 12
unsigned sim_clip_polygon(const struct sim_raster_state *s, struct sim_vertex *v, unsigned count,
                          bool *clipped);
/* The same for a segment; false when nothing is left. */
bool sim_clip_segment(const struct sim_raster_state *s, struct sim_vertex v[2], bool *clipped);
/* Is the point inside the view volume? */
bool sim_clip_point(const struct sim_vertex *v);

/* raster.c */
bool sim_raster_triangle(const struct sim_raster_state *s, const struct sim_vertex *const v[3],
                         const float *flat_values, bool back, const float (*line)[3]);
bool sim_raster_point(const struct sim_raster_state *s, const struct sim_vertex *v);

#endif
