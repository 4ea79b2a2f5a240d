/* One program on one batch. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/machine.h"

#define MAX_STREAM (1u << 24) /* words */

static enum qpusim_status bad_argument(struct qpusim_error *error, const char *text) {
    error->status = QPUSIM_BAD_ARGUMENT;
    error->lane = -1;
    error->rule = "argument";
    snprintf(error->text, sizeof error->text, "%s", text);
    return QPUSIM_BAD_ARGUMENT;
}

static void fill_result(const struct sim_thread *t, struct qpusim_result *r) {
    const struct sim_tlb *tlb = &t->tlb;
    r->instructions = t->executed;
    r->cycles = t->clock->now;
    if (t->fragments) {
        r->color_written = (uint16_t)tlb->color_written;
        r->z_written = (uint16_t)tlb->z_written;
        r->discarded = (uint16_t)(tlb->coverage & ~tlb->color_written);
        memcpy(r->color, tlb->color[0], sizeof r->color);
        memcpy(r->tile, tlb->color, sizeof r->tile);
        memcpy(r->depth, tlb->depth[0], sizeof r->depth);
        memcpy(r->stencil, tlb->stencil[0], sizeof r->stencil);
        unsigned samples = t->fragments->multisample ? QPUSIM_SAMPLES : 1;
        memcpy(r->sample_depth, tlb->depth, samples * sizeof tlb->depth[0]);
        memcpy(r->alpha, tlb->alpha, sizeof r->alpha);
        memcpy(r->sample_stencil, tlb->stencil, samples * sizeof tlb->stencil[0]);
    } else {
        r->row_count = t->vpm.rows_out;
        for (unsigned i = 0; i < r->row_count; i++)
            if (t->vpm.written_rows >> i & 1)
                memcpy(r->rows[i], t->vpm.out[i], sizeof r->rows[i]);
    }
    memcpy(r->acc, &t->reg[SIM_REG_ACC], sizeof r->acc);
    memcpy(r->ra, &t->reg[0], sizeof r->ra);
    memcpy(r->rb, &t->reg[SIM_REG_B], sizeof r->rb);
    r->flag_z = (uint16_t)sim_movemask(&t->zf);
    r->flag_n = (uint16_t)sim_movemask(&t->nf);
    r->flag_c = (uint16_t)sim_movemask(&t->cf);
}

static const char *check_run(const struct qpusim_run_info *run) {
    if (!run->program)
        return "no program";
    if (run->uniforms.count > MAX_STREAM)
        return "the uniform stream is too long";
    if (run->program->stage == QPUSIM_FRAGMENT) {
        const struct qpusim_fragments *f = run->fragments;
        if (!f)
            return "a fragment program needs fragments";
        if (f->varying_count > QPUSIM_MAX_VARYINGS)
            return "too many varyings";
        if (f->coverage & ~f->live)
            return "covered lanes must be live";
    } else {
        const struct qpusim_vertices *v = run->vertices;
        if (!v)
            return "a vertex program needs vertices";
        if (!v->count || v->count > QPUSIM_LANES || v->row_count > QPUSIM_MAX_VPM_ROWS)
            return "vertex count or rows out of range";
    }
    return NULL;
}

enum qpusim_status qpusim_run(const struct qpusim_run_info *run, const struct qpusim_options *options,
                              struct qpusim_result *result, struct qpusim_error *error) {
    static const struct qpusim_options defaults;
    struct qpusim_error local_error;
    if (!error)
        error = &local_error;
    memset(error, 0, sizeof *error);
    error->lane = -1;
    if (!run || !result)
        return bad_argument(error, "no run or result");
    memset(result, 0, sizeof *result);
    const char *bad = check_run(run);
    if (bad)
        return bad_argument(error, bad);
    if (!options)
        options = &defaults;
    struct sim_thread *t = aligned_alloc(_Alignof(struct sim_thread), sizeof *t);
    if (!t) {
        error->status = QPUSIM_NO_MEMORY;
        return error->status;
    }
    memset(t, 0, sizeof *t); /* results show all of it */
    struct qpusim_counters counters = {0};
    struct sim_shared shared = {0};
    struct sim_clock clock = {0};
    sim_thread_init(t, run->program, options, error, &shared, &clock,
                    options->counters ? options->counters : &counters);
    sim_thread_set_uniforms(t, &run->uniforms, run->memory);
    if (run->program->stage == QPUSIM_FRAGMENT) {
        sim_thread_set_fragments(t, run->fragments);
    } else {
        t->fragments = NULL;
        sim_thread_set_vertices(t, run->vertices);
    }
    enum sim_stop stop;
    do
        stop = sim_thread_run(t);
    while (stop == SIM_STOP_SWITCH); /* no second thread: goes on at once */
    if (stop == SIM_STOP_END)
        sim_thread_finish(t, run->expected_outputs, run->partial_uniforms);
    struct qpusim_counters *c = t->counters;
    unsigned stage = run->program->stage;
    c->instructions += t->executed;
    c->cycles += clock.now;
    c->batches++;
    c->stage_instructions[stage] += t->executed;
    c->stage_cycles[stage] += clock.now;
    c->stage_batches[stage]++;
    fill_result(t, result);
    free(t);
    return error->status;
}
