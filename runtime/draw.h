/* The fixed-function part of rendering a tile (tile.h), from primitives to quads and batches. Who renders
 * (front/tile_job.c) fills a sim_raster_state and feeds what primitive set-up makes of the tile's list. */
#ifndef SIM_DRAW_H
#define SIM_DRAW_H

#include "runtime/machine.h"
#include "runtime/tile.h"
#include "runtime/timing.h"

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

/* Runs batches of fragments; collects quads from the rasteriser (batch.c). Zero it, then set the members up
 * to `thread`; they may change after a flush. */
struct sim_batcher {
    struct sim_tile *tile;
    const struct qpusim_program *program;
    struct qpusim_stream uniforms;
    struct qpusim_memory *memory;
    const struct qpusim_options *options;
    struct qpusim_error *error;
    struct qpusim_counters *counters;
    struct sim_clock *clock;
    bool depth_test, depth_write, partial_uniforms;
    bool coverage_bits, coverage_left; /* of coverage reads, bits 5 and 11 */
    bool early_test, early_update;     /* early Z, configuration bits 16 and 17 (guide section 9, ID 96) */
    unsigned depth_func, varying_words;
    struct sim_thread *thread[2];
    struct sim_costs *costs;            /* NULL: nobody asks */
    uint64_t quads_seen, quads_clipped; /* clipped: by early Z or the planes of Z */
    struct sim_quad_counts quads_tested;
    struct sim_shared shared;
    struct qpusim_fragments batch[2]; /* the one being filled, and one waiting for its partner thread */
    unsigned filling, quads[2];
    bool waiting; /* the other one is full */
};

/* One quad of a primitive; coordinates are the frame's. */
struct sim_quad {
    int x, y;            /* of the upper left pixel; even */
    unsigned coverage;   /* 4 bits, a pixel each */
    uint16_t samples[4]; /* covered samples of each pixel; 1 without multisampling */
    uint32_t z[4];       /* of each pixel, 24 bits */
    bool back;
};
/* Makes room for a quad and returns where it goes, the lane of its first pixel in *lane: the caller then
 * fills vary, c and w of its four lanes. NULL when it is not to be shaded: rejected by early Z, or after an
 * error, which sim_batch_failed tells. */
struct qpusim_fragments *sim_batch_quad(struct sim_batcher *b, const struct sim_quad *quad, unsigned *lane);
static inline bool sim_batch_failed(const struct sim_batcher *b) {
    return b->error->status != QPUSIM_OK;
}
/* Runs what is collected: before the state changes and at the tile's end. False on error. */
bool sim_batch_flush(struct sim_batcher *b);

struct sim_raster_state {
    struct sim_batcher *batcher;
    /* Primitives change the coverage buffer and run no shader: samples and how (guide section 9, ID 96). */
    bool coverage;
    unsigned oversample, coverage_update;
    int32_t center_x, center_y;     /* of the viewport, 12.4 */
    double half_width, half_height; /* of the viewport, pixels; negative: turned over */
    double z_scale, z_offset;
    int min_x, min_y, max_x, max_y; /* clip window: pixels of the frame that may be written, max exclusive */
    enum qpusim_cull cull;
    bool clockwise_front;
    double offset_factor, offset_units;
    bool z_clip; /* pixels with a Z outside of min_z and max_z are not drawn */
    double min_z, max_z;
    unsigned varyings;
    uint32_t flat;
    double line_width;
    struct qpusim_counters *counters;
    unsigned fault;
    bool ideal; /* qpusim_options.ideal */
};

/* A primitive that survived clipping and culling, and the pixels that it may cover. It points at its
 * vertices. */
struct sim_primitive {
    enum { SIM_TRIANGLE, SIM_LINE_HALF, SIM_POINT } kind;
    bool back;
    uint8_t across; /* of SIM_LINE_HALF: bit n, vertex n lies on the far edge */
    const struct sim_vertex *v[3];
    const float *flat;              /* varyings of the provoking vertex */
    int min_x, min_y, max_x, max_y; /* pixels, max exclusive; within the clip window */
};

/* Rasterises a primitive's part of the batcher's tile. False on error. */
bool sim_raster(const struct sim_raster_state *s, const struct sim_primitive *p);

/* clip.c: a convex polygon of up to SIM_MAX_POLYGON vertices in place; returns the new count, 0 when nothing
 * is left. */
#define SIM_MAX_POLYGON 12
#define SIM_MAX_POINT 512 /* pixels */
#define SIM_MAX_LINE 2048
/* Does a plane that clips leave the vertex outside? */
bool sim_clip_cuts(const struct sim_raster_state *s, const struct sim_vertex *v);
unsigned sim_clip_polygon(const struct sim_raster_state *s, struct sim_vertex *v, unsigned count,
                          bool *clipped);
/* The same for a segment; false when nothing is left. */
bool sim_clip_segment(const struct sim_raster_state *s, struct sim_vertex v[2], bool *clipped);

#endif
