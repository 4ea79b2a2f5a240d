/* Draws a scene on the simulated machine. */
#ifndef TOOLS_RENDER_H
#define TOOLS_RENDER_H

#include "scene.h"

#include <qpucc/qpusim.h>

#include <stdio.h>

struct render_options {
    FILE *trace;               /* NULL: none */
    unsigned trace_batches;    /* of each stage */
    qpusim_trace_fn *on_trace; /* instead of `trace`, if not NULL: as in struct qpusim_options */
    qpusim_select_fn *select;
    void *trace_user;
    bool lenient, ideal;            /* struct qpusim_options */
    const char *device;             /* a vc4 device that draws; NULL: the machine */
    uint64_t budget;                /* instructions a batch; 0: the machine's */
    unsigned *draw_number;          /* set to the instance whose draw begins; NULL: nobody asks */
    struct qpusim_timing *timing;   /* struct qpusim_options */
    unsigned threads;               /* that draw tiles; 0: the caller's alone */
    struct qpucc_draw_state values; /* what the program's state key asks for */
};

/* The state key that the scene's draw needs. */
struct qpucc_state render_state(const struct scene *scene);

/* The scene must be prepared; `program` compiled for render_state. `counters` may be NULL. */
bool render_scene(const struct scene *scene, const qpucc_program *program,
                  const struct render_options *options, struct picture *out, struct qpusim_counters *counters,
                  char *error, size_t size);

#endif
