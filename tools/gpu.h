/* The machine behind a vc4 device: it runs the lists that the driver's part prepared. */
#ifndef TOOLS_GPU_H
#define TOOLS_GPU_H

#include <qpucc/drm.h>
#include <qpucc/lists.h>

#include <stdio.h>

struct gpu;

struct gpu_options {
    bool ideal;             /* without the chip's rounding: qpusim_options.ideal */
    bool nearest_positions; /* qpusim_options.nearest_positions */
    bool lenient;           /* go on where strict mode stops, and name each such place once on `log` */
    unsigned fault;         /* qpusim_options.fault */
    unsigned threads;       /* that draw tiles; 0: the caller's alone */
    FILE *log;
};

/* NULL without memory. */
struct gpu *gpu_new(const struct gpu_options *options);
void gpu_free(struct gpu *gpu);

/* Where the block sees the buffers; add and remove them here. */
struct qpusim_memory *gpu_memory(struct gpu *gpu);

/* Runs lists that lie in the memory. False: what went wrong is in error. */
bool gpu_run(struct gpu *gpu, const struct qpusim_drm_lists *lists, char *error, size_t size);

/* Sums since the start; the counters of DRM's performance monitors by their numbers. */
const struct qpusim_counters *gpu_counters(const struct gpu *gpu);
uint64_t gpu_count(const struct gpu *gpu, unsigned source);
uint32_t gpu_ident(const struct gpu *gpu, unsigned number);

#endif
