/* What fragment programs cost on the machine: batches of sixteen pixels one after the other, as a QPU gets
 * them. A two-threaded program has two under way and begins a new one where one ends; the figure is slots for
 * a batch, over some draws of many. Programs without branches take the same time whatever the numbers are. */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include "tests/runtime/foreign.h"

/* How far the answer of a texture unit is: 9 slots, the guide's best case; 20, with what comes from outside
 * of the cache now and then, as the scheduler assumes; the same with each unit shared by two QPUs, as in a
 * busy slice. */
enum model_kind { MODEL_BEST, MODEL_TYPICAL, MODEL_SHARED, MODELS };

struct model_figures {
    double cycles[MODELS];
    double alone;    /* MODEL_TYPICAL with one batch at a time, also where there are two threads */
    double executed; /* instructions for a batch */
    unsigned threads;
    size_t instructions;
    bool branches;
};

struct model;

struct model *model_new(void); /* NULL without memory */
void model_free(struct model *m);

/* Writes the uniform stream of the next draw; returns its words. */
typedef size_t model_stream(struct synthetic *inputs, struct qpusim_memory *memory, const void *user,
                            const struct foreign_needs *needs, uint32_t words[FOREIGN_MAX_UNIFORMS]);

/* Runs a fragment program; false with the machine's error. */
bool model_run(struct model *m, const uint64_t *code, size_t count, model_stream *stream, const void *user,
               struct model_figures *figures, struct qpusim_error *error);

#endif
