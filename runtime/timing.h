/* What a batch cost while it ran, for the model of twelve QPUs (front/timing.c). */
#ifndef SIM_TIMING_H
#define SIM_TIMING_H

#include "runtime/machine.h"

struct sim_cost {
    uint8_t stage, quads;
    uint16_t column, row;
    uint32_t executed, stall_tmu, stall_fifo, tmu_requests, sfu, varyings, uniforms, vpm_rows;
    uint32_t stream;                      /* address of the uniform stream */
    const struct qpusim_program *program; /* not followed: what it is found by */
    uint32_t code, instructions;          /* address and length of the program */
    int16_t x[4], y[4];                   /* quads of fragments */
    uint32_t primitives;                  /* set up or binned since the batch before */
    size_t first_line, lines;             /* that its lookups read, of the costs' */
};

/* Costs of one host thread's work, in order; `last` is what its counters were after the batch before. */
struct sim_costs {
    struct sim_cost *cost;
    size_t count, capacity;
    bool no_memory;
    struct sim_lines lines;
    uint32_t primitives; /* since the last cost */
    struct {
        uint64_t stall_tmu, stall_fifo, tmu_requests, sfu, varyings, uniforms;
    } last;
};

/* Adds a batch that the thread has just run; `f` for fragments. */
void sim_cost_add(struct sim_costs *costs, const struct sim_thread *thread, const struct qpusim_fragments *f,
                  unsigned quads);
void sim_costs_free(struct sim_costs *costs);
/* A new job begins with counters at 0 and no costs. */
void sim_costs_clear(struct sim_costs *costs);

#endif
